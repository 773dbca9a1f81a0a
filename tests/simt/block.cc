// SPDX-License-Identifier: MIT
// block.cc - runs a kernel: a few blocks at a time, a thread at a time
#include "inside.h"

#include <stdio.h>

namespace simt
{
enum { MOST_RESIDENT = 4 };

struct grid {
	const struct config *c;
	struct job job;
	unsigned n_threads, n_warps; // of a block
	uint64_t n_blocks, n_begun, first, stride;
	struct block *slot[MOST_RESIDENT]; // null: free
	unsigned n_slots;
	struct warp *order[MOST_RESIDENT * 32]; // as they are asked
	unsigned n_order;
	char ended, fenced; // addresses for TSan
};

static struct grid *running;
struct thread *current;
const struct where *self;

const char *
grid_name(void)
{
	return running ? running->c->name : "-";
}

// -- threads ---------------------------------------------------------------

void
thread_ready(struct thread *t)
{
	t->state = READY;
	t->warp->ready |= 1u << t->is.lane;
	t->warp->waiting &= ~(1u << t->is.lane);
}

void
thread_wait(void)
{
	fiber_leave(&current->fiber, false);
}

static void
thread_over(struct thread *t)
{
	struct warp *w = t->warp;

	if (t->n_copies)
		finding(0, "a thread returns and has not waited for its "
			"asynchronous copies");
	if (t->block->n_waiting)
		finding(t->block->line, "a thread returns while others wait "
			"in __syncthreads()");
	for (int i = 0; i < w->n; i++)
		if (w->thread[i].state == IN_WARP &&
		    w->thread[i].mask >> t->is.lane & 1)
			finding(w->thread[i].line, "a lane returns while "
				"others wait for it in a warp operation");
	order_before(&running->ended);
	t->state = DONE;
	t->block->n_done++;
	fiber_leave(&t->fiber, true);
}

static void
entry(void)
{
	fiber_begun();
	running->job.call(running->job.data);
	thread_over(current);
}

// -- blocks ----------------------------------------------------------------

static void
thread_begin(struct block *b, unsigned i, struct dim3 place)
{
	const struct config *c = b->grid->c;
	struct thread *t = &b->thread[i];
	dim3 n = c->n_threads;

	t->is.thread = dim3(i % n.x, i / n.x % n.y, i / n.x / n.y);
	t->is.block = place;
	t->is.n_threads = n;
	t->is.n_blocks = c->n_blocks;
	t->is.lane = (int)(i % 32);
	t->block = b;
	t->copy = b->copy + (size_t)i * MOST_COPIES;
	t->warp = &b->warp[i / 32];
	t->warp->n++;
	fiber_prepare(&t->fiber, entry);
	thread_ready(t);
}

// Under warp priorities the order is by rank; a new block's warps go where
// their ranks are.
static void
order_insert(struct grid *g, struct warp *w)
{
	unsigned i = g->n_order++;

	w->rank = settings()->seed & 1 ? chance() : 0;
	for (; i && g->order[i - 1]->rank > w->rank; i--)
		g->order[i] = g->order[i - 1];
	g->order[i] = w;
}
static void
order_remove(struct grid *g, const struct block *b)
{
	unsigned n = 0;

	for (unsigned i = 0; i < g->n_order; i++)
		if (g->order[i] < b->warp ||
		    g->order[i] >= b->warp + b->n_warps)
			g->order[n++] = g->order[i];
	g->n_order = n;
}

// Blocks begin in any order: a stride that has no divisor with their number.
static struct dim3
next_place(struct grid *g)
{
	uint64_t i = (g->first + g->n_begun++ * g->stride) % g->n_blocks;
	dim3 n = g->c->n_blocks;

	return dim3((unsigned)(i % n.x), (unsigned)(i / n.x % n.y),
		    (unsigned)(i / n.x / n.y));
}

// Apart from the threads, so that what no kernel uses stays untouched.
static size_t
copies_size(const struct block *b)
{
	return b->n * sizeof *b->copy * MOST_COPIES;
}

static struct block *
block_begin(struct grid *g)
{
	struct block *b = (struct block *)get(sizeof *b);
	struct dim3 place = next_place(g);

	b->grid = g;
	b->n = g->n_threads;
	b->n_warps = g->n_warps;
	b->thread = (struct thread *)pages(b->n * sizeof *b->thread);
	b->copy = (struct copy *)pages(copies_size(b));
	b->warp = (struct warp *)get(b->n_warps * sizeof *b->warp);
	arena_open(&b->arena);
	if (g->c->n_bytes)
		b->dyn = arena_take(&b->arena, g->c->n_bytes);
	for (unsigned i = 0; i < b->n_warps; i++) {
		b->warp[i].thread = &b->thread[32 * i];
		order_insert(g, &b->warp[i]);
	}
	for (unsigned i = 0; i < b->n; i++)
		thread_begin(b, i, place);
	return b;
}

static void
block_end(struct block *b)
{
	for (unsigned i = 0; i < b->n; i++)
		fiber_drop(&b->thread[i].fiber);
	order_remove(b->grid, b);
	arena_close(&b->arena);
	free(b->warp);
	pages_free(b->thread, b->n * sizeof *b->thread);
	pages_free(b->copy, copies_size(b));
	free(b);
}

void *
shared(const void *site, size_t n_bytes)
{
	struct block *b = current->block;
	unsigned i = 0;

	while (i < b->n_objects && b->object[i].site != site)
		i++;
	if (i == b->n_objects) {
		if (i == sizeof b->object / sizeof *b->object)
			finding(0, "more shared objects than the emulator has "
				"room for");
		b->object[i].site = site;
		b->object[i].p = arena_take(&b->arena, n_bytes);
		b->n_objects++;
	}
	return b->object[i].p;
}
void *
shared_dyn(void)
{
	return current->block->dyn;
}

// -- who waits for all of the block ----------------------------------------

static void
barrier_release(struct block *b)
{
	int out = b->op == OR ? b->any : b->op == AND ? b->all : b->count;
	struct thread **all = (struct thread **)get(b->n * sizeof *all);

	for (unsigned i = 0; i < b->n; i++) {
		all[i] = &b->thread[i];
		all[i]->out = (uint64_t)out;
		thread_ready(all[i]);
	}
	threads_meet(all, b->n);
	free(all);
	b->n_waiting = 0;
}

int
block_meet(enum block_op op, int predicate, int line)
{
	struct thread *t = current;
	struct block *b = t->block;

	if (b->n_done)
		finding(line, "a thread has returned and never comes to this "
			"__syncthreads()");
	if (!b->n_waiting) {
		b->op = op;
		b->line = line;
		b->any = b->count = 0;
		b->all = 1;
	}
	if (b->line != line || b->op != op)
		finding(line, "threads of a block meet at different "
			"__syncthreads()");
	b->any |= predicate != 0;
	b->all &= predicate != 0;
	b->count += predicate != 0;
	t->state = IN_BARRIER;
	t->line = line;
	if (++b->n_waiting == b->n)
		barrier_release(b);
	thread_wait();
	return (int)t->out;
}

void
fence(void)
{
	order_after(&running->fenced);
	order_before(&running->fenced);
}

// One in eight, so that threads come between each other's atomics; and now and
// then without a seed, so that who waits for another's flag sees it.
void
jostle(void)
{
	static unsigned n;

	if (++n % 1024 && !(settings()->seed && chance() % 8 == 0))
		return;
	thread_ready(current);
	thread_wait();
}

// -- the schedule ----------------------------------------------------------

static struct thread *
pick(struct grid *g)
{
	uint64_t seed = settings()->seed;
	unsigned from = 0, turn = seed ? (unsigned)(chance() % 32) : 0;

	if (seed && !(seed & 1))
		from = (unsigned)(chance() % g->n_order);
	for (unsigned i = 0; i < g->n_order; i++) {
		struct warp *w = g->order[(from + i) % g->n_order];
		uint64_t lanes = w->ready | (uint64_t)w->ready << 32;

		if (lanes) {
			turn += (unsigned)__builtin_ctzll(lanes >> turn);
			w->ready &= ~(1u << turn % 32);
			return &w->thread[turn % 32];
		}
	}
	finding(0, "no thread of kernel %s can go on", grid_name());
}

static void
grid_step(struct grid *g)
{
	struct thread *t = pick(g);
	struct block *b = t->block;

	current = t;
	self = &t->is;
	fiber_enter(&t->fiber);
	current = 0;
	self = 0;
	if (b->n_done < b->n)
		return;
	for (unsigned i = 0; i < g->n_slots; i++)
		if (g->slot[i] == b)
			g->slot[i] = 0;
	block_end(b);
}

static bool
coprime(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a == 1;
}

static void
grid_plan(struct grid *g, const struct config *c, struct job j)
{
	g->c = c;
	g->job = j;
	g->n_threads = c->n_threads.x * c->n_threads.y * c->n_threads.z;
	g->n_warps = (g->n_threads + 31) / 32;
	g->n_blocks = (uint64_t)c->n_blocks.x * c->n_blocks.y * c->n_blocks.z;
	g->stride = 1;
	g->n_slots = 2;
	if (settings()->seed) {
		g->n_slots = 1 + (unsigned)(chance() % MOST_RESIDENT);
		g->first = chance() % g->n_blocks;
		g->stride = 1 + chance() % g->n_blocks;
		while (!coprime(g->stride, g->n_blocks))
			g->stride++;
	}
}

void
grid_run(const struct config *c, struct job j)
{
	struct grid *g = (struct grid *)get(sizeof *g);

	grid_plan(g, c, j);
	running = g;
	for (;;) {
		for (unsigned i = 0; i < g->n_slots; i++)
			if (!g->slot[i] && g->n_begun < g->n_blocks)
				g->slot[i] = block_begin(g);
		if (!g->n_order)
			break;
		grid_step(g);
	}
	order_after(&g->ended);
	running = 0;
	free(g);
}

static void
thread_report(const struct thread *t)
{
	fprintf(stderr, "  block %u %u %u thread %u %u %u waits in line %d, ",
		t->is.block.x, t->is.block.y, t->is.block.z, t->is.thread.x,
		t->is.thread.y, t->is.thread.z, t->line);
	if (t->state == IN_BARRIER)
		fprintf(stderr, "__syncthreads()\n");
	else
		fprintf(stderr, "lanes %08x\n", t->mask);
}

void
grid_waiting(void)
{
	int left = 32;

	for (unsigned s = 0; running && s < running->n_slots; s++) {
		struct block *b = running->slot[s];

		for (unsigned i = 0; b && i < b->n; i++)
			if (b->thread[i].state == IN_BARRIER ||
			    b->thread[i].state == IN_WARP)
				if (left-- > 0)
					thread_report(&b->thread[i]);
	}
}
} // namespace simt
