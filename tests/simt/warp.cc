// SPDX-License-Identifier: MIT
// warp.cc - where the lanes of a mask meet
#include "inside.h"

namespace simt
{
// The lanes of a mask, lowest first: for (unsigned m = mask; m; m &= m - 1).
static struct thread *
lowest(const struct warp *w, unsigned m)
{
	return &w->thread[__builtin_ctz(m)];
}

static void
check_lane(const struct warp *w, int lane, int line)
{
	if (lane >= w->n)
		finding(line, "a warp operation names lane %d, which is not "
			"there", lane);
	if (w->thread[lane].state == DONE)
		finding(line, "a warp operation names lane %d, which has "
			"returned", lane);
}

// Whether lane x, which waits, does so where t does.  A lane may first meet
// others, unless both wait for each other in different operations.
static bool
is_here(const struct thread *t, const struct thread *x)
{
	if (x->mask != t->mask) {
		if (x->mask >> t->is.lane & 1)
			finding(t->line, "lanes of one warp operation use "
				"different masks, %08x and %08x", t->mask,
				x->mask);
		return false;
	}
	if (x->line != t->line || x->op != t->op)
		finding(t->line, "lanes of one mask meet at different warp "
			"operations, here and in line %d", x->line);
	return true;
}

static bool
all_here(const struct thread *t)
{
	const struct warp *w = t->warp;
	unsigned rest = t->mask & ~w->waiting;
	bool all = !rest;

	for (unsigned m = rest; m; m &= m - 1)
		check_lane(w, __builtin_ctz(m), t->line);
	for (unsigned m = t->mask & w->waiting; m; m &= m - 1)
		all &= is_here(t, lowest(w, m));
	return all;
}

static uint64_t
shuffled(const struct thread *t)
{
	if (!(t->mask >> t->source & 1))
		finding(t->line, "lane %d's value is read, but mask %08x has "
			"it not", t->source, t->mask);
	return t->warp->thread[t->source].value;
}

static uint64_t
ballot(const struct thread *t)
{
	uint64_t votes = 0;

	for (unsigned m = t->mask; m; m &= m - 1)
		votes |= lowest(t->warp, m)->value << __builtin_ctz(m);
	return votes;
}

static uint64_t
equals(const struct thread *t)
{
	uint64_t lanes = 0;

	for (unsigned m = t->mask; m; m &= m - 1)
		if (lowest(t->warp, m)->value == t->value)
			lanes |= 1u << __builtin_ctz(m);
	return lanes;
}

// Only __syncwarp() orders memory.
static void
complete(const struct warp *w, unsigned mask, enum warp_op op)
{
	struct thread *all[32];
	unsigned n = 0;

	for (unsigned m = mask; m; m &= m - 1) {
		struct thread *t = all[n++] = lowest(w, m);

		t->out = op == SHUFFLE ? shuffled(t) :
			 op == BALLOT  ? ballot(t) :
			 op == MATCH   ? equals(t) :
					 0;
	}
	for (unsigned i = 0; i < n; i++)
		thread_ready(all[i]);
	if (op == SYNC)
		threads_meet(all, n);
}

uint64_t
warp_meet(enum warp_op op, unsigned mask, uint64_t value, int source, int line)
{
	struct thread *t = current;

	if (!(mask >> t->is.lane & 1))
		finding(line, "a lane is not in its own mask, %08x", mask);
	t->op = op;
	t->mask = mask;
	t->value = value;
	t->source = source;
	t->line = line;
	t->state = IN_WARP;
	t->warp->waiting |= 1u << t->is.lane;
	if (all_here(t))
		complete(t->warp, mask, op);
	thread_wait();
	return t->out;
}

// -- asynchronous copies ---------------------------------------------------

void
copy_later(void *to, const void *from, size_t n_bytes)
{
	struct thread *t = current;
	struct copy *c = &t->copy[t->n_copies];

	if (n_bytes != 4 && n_bytes != 8 && n_bytes != 16)
		finding(0, "an asynchronous copy of %zu bytes: must be 4, 8 or "
			"16", n_bytes);
	if (((uintptr_t)to | (uintptr_t)from) % n_bytes)
		finding(0, "an asynchronous copy of %zu bytes is not aligned",
			n_bytes);
	if (t->n_copies == MOST_COPIES)
		finding(0, "more asynchronous copies at a time than the "
			"emulator has room for");
	t->n_copies++;
	c->to = to;
	c->from = from;
	c->n_bytes = n_bytes;
	c->group = t->group;
	spoil(to, n_bytes);
}
void
copies_commit(void)
{
	current->group++;
}

// The oldest copy that is older than the last `prior` groups, taken off.
bool
copy_due(unsigned prior, void **to, const void **from, size_t *n_bytes)
{
	struct thread *t = current;
	struct copy *c = t->copy;

	if (!t->n_copies || c->group + prior >= t->group)
		return false;
	*to = c->to;
	*from = c->from;
	*n_bytes = c->n_bytes;
	t->n_copies--;
	memmove(c, c + 1, t->n_copies * sizeof *c);
	return true;
}
} // namespace simt
