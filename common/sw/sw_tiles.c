/* SPDX-License-Identifier: MIT */
/*
 * sw_tiles.c - tiles of a table by several threads
 *
 * A band is a row of tiles, which one thread at a time computes from left to
 * right.  A free thread takes the topmost band that is ready, as those below
 * wait for it.
 *
 * There is no deadlock: the topmost band that is not done depends on no other,
 * so a thread has it or it is ready.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/base.h"
#include "letters/letters.h"
#include "sw/sw_lanes.h"
#include "sw/sw_priv.h"
#include "sw/sw_trace.h"

/*
 * Pieces of paths
 *
 * A word is an operation as in letters.h, all diagonal steps being =, or ON,
 * then the number of the word where the path goes on, or END.
 */

enum { ON = 14, END = 15, OP = 15 };
enum { SHARE = 16 };	/* of what lanes may take */

static size_t
most_of(const struct sw_work *w)
{
	if (w->ways_most)
		return w->ways_most;
	return (w->lanes_bytes ? w->lanes_bytes : SW_LANES_BYTES) / SHARE;
}

void
sw_path_pieces_reset(struct sw_path_pieces *x, const struct sw_work *w)
{
	x->word.n = 0;
	x->most = most_of(w);
	x->full = x->word.bad;
}

static uint32_t
n_words(const struct sw_path_pieces *x)
{
	return (uint32_t)(x->word.n / sizeof(uint32_t));
}

static void
put_word(struct sw_path_pieces *x, uint32_t word)
{
	if (!x->full)
		buf_put(&x->word, &word, sizeof word);
	x->full |= x->word.bad || x->word.n > x->most;
}

static uint32_t
get(const struct sw_path_pieces *x, uint32_t i)
{
	uint32_t word;

	memcpy(&word, x->word.p + i * sizeof word, sizeof word);
	return word;
}

void
sw_path_pieces_open(struct sw_path_pieces *x, struct sw_path_piece *way,
		    struct sw_path *p)
{
	uint32_t here = n_words(x);

	p->ops = x->full ? NULL : &x->word;
	if (x->full)
		return;
	if (way->open == SW_WAY_NONE)
		way->first = here;
	else
		memcpy(x->word.p + way->open * sizeof here, &here, sizeof here);
}

uint32_t
sw_path_pieces_here(struct sw_path_pieces *x, struct sw_path *p)
{
	if (p->ops)
		sw_path_flush(p);
	x->full |= x->word.bad || x->word.n > x->most;
	if (x->full)
		p->ops = NULL;
	return n_words(x);
}

void
sw_path_pieces_rest(struct sw_path_pieces *x, struct sw_path_piece *way)
{
	put_word(x, ON);
	way->open = n_words(x);
	put_word(x, SW_WAY_NONE);
}

void
sw_path_pieces_meet(struct sw_path_pieces *x, uint32_t word)
{
	put_word(x, ON);
	put_word(x, word);
}

void
sw_path_pieces_end(struct sw_path_pieces *x)
{
	put_word(x, END);
}

/* Operations [at, at + n) of the words, from the end back. */
struct path {
	struct sw_hit hit;
	size_t at, n;
};
struct sw_paths {
	const struct sw_query *q;
	const uint8_t *codes;
	struct path *v;
	size_t n, cap;
	struct buf word;
	int64_t least;	/* none is below it */
	bool sorted;
};

void
sw_paths_free(struct sw_paths *x)
{
	if (!x)
		return;
	free(x->v);
	buf_free(&x->word);
	free(x);
}

int
sw_paths_reset(struct sw_work *w, const struct sw_query *q,
	       const struct sw_text *t, struct err *e)
{
	struct sw_paths *x = w->paths;

	if (!x)
		x = w->paths = calloc(1, sizeof *x);
	if (!x)
		return err_nomem(e, sizeof *x);
	x->q = q;
	x->codes = t->codes;
	x->n = x->word.n = 0;
	x->least = 0;
	return 0;
}

static int
by_place(const void *a, const void *b)
{
	const struct sw_hit *x = &((const struct path *)a)->hit;
	const struct sw_hit *y = &((const struct path *)b)->hit;
	const uint64_t kx[] = { x->beg, x->qbeg, x->end, x->qend };
	const uint64_t ky[] = { y->beg, y->qbeg, y->end, y->qend };

	for (size_t i = 0; i < 4; i++)
		if (kx[i] != ky[i])
			return kx[i] < ky[i] ? -1 : 1;
	return 0;
}

/* What is below `least` goes, if that is something new. */
static void
thin_out(struct sw_paths *x, int64_t least)
{
	size_t n = 0, at = 0;

	if (least <= x->least)
		return;
	x->least = least;
	for (size_t i = 0; i < x->n; i++) {
		struct path p = x->v[i];

		if (p.hit.score < least)
			continue;
		memmove(x->word.p + at, x->word.p + p.at, p.n);
		p.at = at;
		at += p.n;
		x->v[n++] = p;
	}
	x->n = n;
	x->word.n = at;
}

/* The words of a way, neighbours that are the same operation as one, *last
 * being that before it. */
static void
put_way(struct sw_paths *x, const struct sw_path_pieces *ways, uint32_t i,
	uint32_t *last)
{
	for (;;) {
		uint32_t word = get(ways, i++);

		if ((word & OP) == END)
			return;
		if ((word & OP) == ON) {
			i = get(ways, i);
			continue;
		}
		if (*last && (word & OP) == (*last & OP) &&
		    (*last >> 4) + (word >> 4) <= CIGAR_MAX_LEN) {
			*last += word & ~(uint32_t)OP;
			continue;
		}
		if (*last)
			buf_put(&x->word, last, sizeof *last);
		*last = word;
	}
}

static bool
is_full(const struct sw_path_part *part, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (part[i].ways->full)
			return true;
	return false;
}

int
sw_paths_join(struct sw_work *w, const struct sw_hit *h,
	      const struct sw_path_part *part, size_t n, int64_t least,
	      struct err *e)
{
	struct sw_paths *x = w->paths;
	uint32_t last = 0;
	size_t at;
	int rc;

	if (!x || is_full(part, n) || h->score < least)
		return 0;
	if (x->word.n > most_of(w))
		thin_out(x, least);
	if (x->word.n > most_of(w))
		return 0;
	rc = array_room(&x->v, &x->cap, x->n + 1, sizeof *x->v, e);
	if (rc)
		return rc;
	at = x->word.n;
	for (size_t i = 0; i < n; i++)
		put_way(x, part[i].ways, part[i].first, &last);
	if (last)
		buf_put(&x->word, &last, sizeof last);
	if (x->word.bad)
		return err_nomem(e, x->word.cap);
	x->v[x->n++] = (struct path){ *h, at, x->word.n - at };
	x->sorted = false;
	return 0;
}

int
sw_paths_keep(struct sw_work *w, const struct sw_hit *h,
	      const struct sw_path_pieces *ways,
	      const struct sw_path_piece *way, int64_t least, struct err *e)
{
	const struct sw_path_part all = { ways, way->first };

	return sw_paths_join(w, h, &all, 1, least, e);
}

/* A run of one operation, as a path of that score has it. */
static void
add_op(struct sw_path *p, uint32_t op, uint32_t n)
{
	static const unsigned dirs[] = {
		[CIGAR_EQ] = 1 << STEP_DIAG, [CIGAR_D] = 1 << STEP_E,
		[CIGAR_I] = 0,
	};
	unsigned first = p->in == STEP_DIAG ? 0 : 1u << p->in;

	for (; n && p->i >= 0 && p->j >= 0; n--, first = 0)
		sw_path_step(p, dirs[op] | first);
}

static const struct path *
find_path(struct sw_paths *x, const struct sw_hit *h)
{
	const struct path key = { .hit = *h };

	if (!x->n)
		return NULL;
	if (!x->sorted)
		qsort(x->v, x->n, sizeof *x->v, by_place);
	x->sorted = true;
	return bsearch(&key, x->v, x->n, sizeof *x->v, by_place);
}

int
sw_paths_report(const struct sw_work *w, const struct sw_query *q,
	      const struct sw_text *t, const struct sw_hit *h,
	      const uint8_t same[SW_LETTERS], struct buf *ops, struct err *e)
{
	struct sw_paths *x = w->paths;
	const struct path *known;
	struct sw_path p = {
		.q = q, .row = q->code + h->qbeg, .col = t->codes + h->beg,
		.same = same, .i = (ptrdiff_t)(h->qend - h->qbeg) - 1,
		.j = (ptrdiff_t)(h->end - h->beg) - 1, .ops = ops,
		.first = ops->n,
	};

	if (!x || x->q != q || x->codes != t->codes)
		return 1;
	known = find_path(x, h);
	if (!known)
		return 1;
	for (size_t at = 0; at < known->n; at += sizeof(uint32_t)) {
		uint32_t word;

		memcpy(&word, x->word.p + known->at + at, sizeof word);
		add_op(&p, word & OP, word >> 4);
	}
	sw_path_end(&p);
	if (p.i != -1 || p.j != -1 || p.score != h->score)
		return err_set(e, ERR_USAGE, "no alignment of that score");
	return ops->bad ? err_nomem(e, ops->cap) : 0;
}

/* Tiles of a table by several threads. */

struct band {
	size_t done;		/* tiles */
	bool busy;
};

struct sharing {
	const struct sw_tiles *t;
	sw_tile_fn *fn;
	void *ctx;
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct band *band;
	size_t high, wide;	/* bands, tiles of each */
	size_t top;		/* the topmost band that is not done */
	size_t waiting;		/* threads */
	uint64_t left;		/* cells, if there is a meter */
	unsigned who;		/* so many came */
	int rc;
};

static size_t
end_time(const struct sw_tiles *t)
{
	return t->to ? t->to : t->steps + (t->strips - 1) * (t->rows - 1);
}

static size_t
ceil_of(size_t n, size_t by)
{
	return (n + by - 1) / by;
}

struct sw_tile
sw_tiles_cut(const struct sw_tiles *t, size_t strip, size_t from, size_t to)
{
	size_t late = strip * (t->rows - 1);
	struct sw_tile x = {
		.strip = strip, .t = from > late ? from - late : 0,
		.end = to > late ? to - late : 0,
	};

	x.end = x.end < t->steps ? x.end : t->steps;
	return x;
}

unsigned
sw_tiles_who(const struct crew *crew)
{
	return crew ? crew_most(crew) : 1;
}

static int
run_tile(struct sharing *x, size_t high, size_t wide, unsigned who)
{
	const struct sw_tiles *t = x->t;
	size_t strip = t->strip + high * t->strip_tile;
	size_t from = t->from + wide * t->time_tile, to = end_time(t);
	size_t end = strip + t->strip_tile;
	uint64_t cells = 0;
	int rc = 0;

	if (to - from > t->time_tile)
		to = from + t->time_tile;
	for (; strip < end && strip < t->strips && !rc; strip++) {
		struct sw_tile tile = sw_tiles_cut(t, strip, from, to);

		if (tile.t >= tile.end)
			continue;
		rc = x->fn(x->ctx, &tile, who);
		cells += (tile.end - tile.t) * t->rows;
	}
	__atomic_fetch_sub(&x->left, cells, __ATOMIC_RELAXED);
	sw_meter_did(t->meter, cells);
	return rc;
}

/* The topmost band that may go on; high: none.  The lock is held. */
static size_t
next_band(const struct sharing *x)
{
	for (size_t i = x->top; i < x->high; i++) {
		const struct band *b = &x->band[i];
		size_t most = i ? b[-1].done : x->wide;

		if (!b->busy && b->done < most)
			return i;
		if (b->done == 0)
			break;	/* then those below it may not either */
	}
	return x->high;
}

/* The lock is held, and given up meanwhile. */
static void
wait_strip(struct sharing *x, size_t i, unsigned who)
{
	struct band *b = &x->band[i];
	size_t wide = b->done;
	int rc;

	b->busy = true;
	pthread_mutex_unlock(&x->lock);
	rc = run_tile(x, i, wide, who);
	pthread_mutex_lock(&x->lock);
	b->busy = false;
	b->done++;
	if (rc && !x->rc)
		x->rc = rc;
	while (x->top < x->high && x->band[x->top].done == x->wide)
		x->top++;
	if (x->waiting)
		pthread_cond_broadcast(&x->change);
}

static void
work(void *ctx)
{
	struct sharing *x = ctx;
	unsigned who;

	pthread_mutex_lock(&x->lock);
	who = x->who++;
	while (!x->rc && x->top < x->high) {
		size_t i = next_band(x);

		if (i < x->high) {
			wait_strip(x, i, who);
			continue;
		}
		x->waiting++;
		pthread_cond_wait(&x->change, &x->lock);
		x->waiting--;
	}
	pthread_mutex_unlock(&x->lock);
}

static int
alone(struct sharing *x)
{
	for (size_t i = 0; i < x->high && !x->rc; i++)
		for (size_t j = 0; j < x->wide && !x->rc; j++)
			x->rc = run_tile(x, i, j, 0);
	return x->rc;
}

static uint64_t
cells_of(const struct sw_tiles *t)
{
	uint64_t cells = 0;

	for (size_t i = t->strip; i < t->strips; i++) {
		struct sw_tile x = sw_tiles_cut(t, i, t->from, end_time(t));

		if (x.t < x.end)
			cells += (x.end - x.t) * t->rows;
	}
	return cells;
}

static int
together(struct sharing *x, struct crew *crew, struct err *e)
{
	x->band = calloc(x->high, sizeof *x->band);
	if (!x->band)
		return err_nomem(e, x->high * sizeof *x->band);
	pthread_mutex_init(&x->lock, NULL);
	pthread_cond_init(&x->change, NULL);
	crew_call(crew, work, x);
	pthread_cond_destroy(&x->change);
	pthread_mutex_destroy(&x->lock);
	free(x->band);
	return x->rc;
}

int
sw_tiles_run(const struct sw_tiles *t, struct crew *crew, sw_tile_fn *fn,
	     void *ctx, struct err *e)
{
	struct sharing x = {
		.t = t, .fn = fn, .ctx = ctx,
		.high = ceil_of(t->strips - t->strip, t->strip_tile),
		.wide = ceil_of(end_time(t) - t->from, t->time_tile),
	};
	int rc;

	x.left = t->meter ? cells_of(t) : 0;
	sw_meter_more(t->meter, x.left);
	if (sw_tiles_who(crew) < 2 || x.high < 2)
		rc = alone(&x);
	else
		rc = together(&x, crew, e);
	if (rc)	/* what is left is not computed */
		sw_meter_did(t->meter, x.left);
	return rc;
}
