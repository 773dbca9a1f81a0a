/* SPDX-License-Identifier: MIT */
/* sw.c - the GPU backend of sw: a pool of streams */
#include "cuda/sw.h"

#include <stdlib.h>

#include "base/base.h"

/*
 * A stream's memory: a share of what is free, down to the least.  A piece is
 * begun LEAD columns before what it owns, and owns no less than MIN_OWN nor
 * more than MAX_OWN; of long queries so much that their borders, 16 bytes a
 * row, take no more memory than 128 bytes a letter.
 */
enum { FREE_SHARE = 8, MIN_BYTES = 8 << 20,
       MIN_LEAD = 256, MAX_LEAD = 4096, MIN_OWN = 1024,
       MAX_OWN = 1 << 16, ROWS_OWN = 8 };
static const uint64_t most_bytes = 4ull << 30;
/* Where so many texts were left to the CPU, and none was not, all are. */
enum { VAIN = 8 };
/*
 * Registers are enough for a quarter of the threads; two streams share them.
 * With less than a quarter of the pieces that keep these busy, the CPU is
 * faster.
 */
enum { WARP = 32, SHARE = 4, IDLE = 4, MOST_PADDED = SW_DEV_MOST_ROWS };
/*
 * Integer operations of a cell, and some: by machine code 2.1, or 17 where
 * maxima of two numbers in a word are many operations.
 */
enum { TWICE_OPS = 5, TWICE_OPS_WITHOUT = 40 };
/* Columns of each piece that make what is before it little; and as many in all
 * as a device has that nobody knows yet. */
enum { EACH = 8 << 10, USUAL_COLUMNS = 16 << 20 };

struct cuda_sw {
	struct cuda_sw_params p;
	uint32_t lead;		/* for now; by atomics, like the rest */
	uint64_t pieces, again, left, done;
};

/* That keep all of its warps busy, two of a warp: as many for each of its
 * multiprocessors. */
static uint32_t
pieces_of(const struct sw_dev_stream *s)
{
	uint32_t n = s->threads / WARP / SHARE;

	return n ? n : 1;
}

static int
open_stream(const void *ctx, const struct cuda_device *d, unsigned halved,
	    void **stream, struct err *e)
{
	const struct cuda_sw *g = ctx;
	uint64_t usual = min_u64(most_bytes, d->free / FREE_SHARE) >> halved;
	struct sw_dev_setup u = {
		.device = d,
		.kernel = g->p.kernel == CUDA_SW_FAST ? SW_DEV_FAST :
							SW_DEV_PAPER,
		.bytes = g->p.bytes >> halved,
	};
	struct sw_dev_stream *s;
	int rc;

	if (!u.bytes)
		u.bytes = (size_t)max_u64(MIN_BYTES, usual);
	rc = sw_dev.open(&s, &u, e);
	*stream = s;
	return rc;
}

static uint64_t
columns_of(const void *stream)
{
	return (uint64_t)EACH * pieces_of(stream);
}

static void
add_report(const void *ctx, struct cuda_report *r)
{
	const struct cuda_sw *g = ctx;

	r->pieces = g->pieces;
	r->again = g->again;
	r->left = g->left;
}

int
cuda_sw_new(struct cuda_pool **out, const struct cuda_sw_params *p,
	    struct err *e)
{
	struct cuda_sw g = { .p = *p, .lead = p->lead ? p->lead : MIN_LEAD };
	struct cuda_pool_params pool = {
		.choice = p->choice, .wait = p->wait, .ctx = &g,
		.ctx_bytes = sizeof g, .open = open_stream,
		.close = sw_dev.close, .fill = columns_of,
		.usual = USUAL_COLUMNS, .report = add_report, .none = p->none,
		.ops = p->rate / 2 * TWICE_OPS,
		.ops_without = p->rate / 2 * TWICE_OPS_WITHOUT,
	};

	while ((p->bytes ? p->bytes : most_bytes) >> (pool.halvings + 1) >=
	       MIN_BYTES)
		pool.halvings++;
	return cuda_pool_new(out, &pool, e);
}

static bool
is_byte(int32_t score)
{
	return score >= INT8_MIN && score <= INT8_MAX;
}

bool
cuda_sw_scoring(const struct sw_scoring *s)
{
	if (s->letters != 5 || s->score[0][4] > 0 ||
	    s->open + 3 * (int64_t)s->extend > SW_DEV_MAX_FLOOR)
		return false;
	for (unsigned i = 0; i < 5; i++)
		for (unsigned j = 0; j < 5; j++)
			if (!is_byte(s->score[i][j]) ||
			    s->score[i][4] != s->score[0][4])
				return false;
	return true;
}

static uint64_t
round_up(uint64_t n)
{
	return (n + SW_DEV_BLOCK - 1) / SW_DEV_BLOCK * SW_DEV_BLOCK;
}

/*
 * Pieces for all of the device's warps, if the text is long enough, and no more
 * of them: one that must wait takes as long as all.  A segment may end with a
 * short one.
 */
static struct cuda_sw_cut
cut_of(const struct cuda_sw *g, const struct sw_dev_stream *s,
       const struct sw_view *q, const struct sw_text *t)
{
	uint64_t rows = min_u64(q->n / ROWS_OWN, UINT32_MAX / 4);
	uint64_t pieces = pieces_of(s), own;

	pieces -= min_u64(pieces / 2, t->n_seg);
	own = round_up((t->n + pieces - 1) / pieces);
	own = min_u64(MAX_OWN, max_u64(MIN_OWN, own));
	own = g->p.own ? g->p.own : max_u64(own, rows);
	return (struct cuda_sw_cut){
		.own = (uint32_t)(own / SW_DEV_BLOCK * SW_DEV_BLOCK),
		.lead = __atomic_load_n(&g->lead, __ATOMIC_RELAXED),
		.fill = pieces_of(s),
	};
}

/*
 * The source paper's: a chunk for each block that the device holds at a time,
 * and no more letters before it than it owns.
 */
static struct cuda_sw_cut
paper_cut(const struct cuda_sw *g, const struct sw_dev_stream *s,
	  const struct sw_view *q, const struct sw_text *t)
{
	uint64_t n = round_up(t->n), sweep, lead, own;

	sweep = g->p.sweep ? g->p.sweep : SW_DEV_SWEEP;
	lead = g->p.kernel == CUDA_SW_PAPER ? q->context :
					      min_u64(q->n, n / 100);
	lead = round_up(min_u64(lead, min_u64(n, UINT32_MAX / 4)));
	own = t->n / (s->threads / min_u64(sweep, q->n) + 1);
	own = max_u64(lead, max_u64(MIN_OWN, own));
	own = g->p.own ? g->p.own : min_u64(own, UINT32_MAX / 4);
	return (struct cuda_sw_cut){
		.own = (uint32_t)(own / SW_DEV_BLOCK * SW_DEV_BLOCK),
		.lead = (uint32_t)lead, .sweep = (uint32_t)sweep,
	};
}

static void
add_count(uint64_t *sum, uint64_t n)
{
	__atomic_add_fetch(sum, n, __ATOMIC_RELAXED);
}

/* Too many pieces that had to be done again: they begin earlier from now on. */
static void
learn(struct cuda_pool *pool, const struct cuda_sw_cut *c, int rc, bool alone)
{
	struct cuda_sw *g = cuda_pool_ctx(pool);

	add_count(&g->pieces, c->pieces);
	add_count(&g->again, c->again);
	if (rc == 0 || alone)
		add_count(rc == 0 ? &g->done : &g->left, 1);
	if (!g->p.lead && c->lead < MAX_LEAD && c->again > c->pieces / 16)
		__atomic_store_n(&g->lead, 2 * c->lead, __ATOMIC_RELAXED);
	if (__atomic_load_n(&g->left, __ATOMIC_RELAXED) >= VAIN &&
	    __atomic_load_n(&g->done, __ATOMIC_RELAXED) == 0)
		cuda_pool_stop(pool, "alignments are too long for its "
			       "pieces");
}

static bool
takes(const struct cuda_sw *g, const struct sw_view *q)
{
	if (g->p.kernel != CUDA_SW_FAST &&
	    (!q->cells || q->cells > SW_DEV_MAX_CELLS))
		return false;
	return cuda_sw_scoring(q->scoring) && q->best > 0 &&
	       q->best <= INT8_MAX && q->n <= (size_t)(INT32_MAX / 2 / q->best);
}

/* Do so many pieces fit that most of the device is not idle?  Of short texts
 * there are no more. */
static bool
is_busy(const struct sw_dev_stream *s, const struct sw_view *q,
	const struct sw_text *t, const struct cuda_sw_cut *c)
{
	uint64_t n = min_u64(pieces_of(s), t->n / c->own) / IDLE;
	struct sw_dev_span p = {
		.pieces = (uint32_t)max_u64(n, 1),
		.rows = (uint32_t)q->n + MOST_PADDED * SW_DEV_LANES,
		.columns = c->own + c->lead,
	};

	p.letters = (uint32_t)min_u64((uint64_t)p.pieces * c->own,
				      UINT32_MAX / 2);
	return sw_dev.fits(s, &p);
}

static int
find_best(struct cuda_pool *pool, const struct sw_view *q,
	  const struct sw_text *t, struct cuda_sw_best *best, bool alone,
	  int32_t *top, struct err *e)
{
	const struct cuda_sw *g = cuda_pool_ctx(pool);
	struct cuda_lent l;
	struct cuda_sw_cut c;
	int rc;

	if (!takes(g, q) || !cuda_pool_borrow(pool, q->n * t->n, &l))
		return SW_NOT_NOW;
	c = g->p.kernel == CUDA_SW_FAST ? cut_of(g, l.stream, q, t) :
					  paper_cut(g, l.stream, q, t);
	if (g->p.choice.kind == CUDA_AUTO && g->p.kernel == CUDA_SW_FAST &&
	    !is_busy(l.stream, q, t, &c)) {
		cuda_pool_return(pool, &l, SW_NOT_NOW, 0, e);
		return SW_NOT_NOW;
	}
	rc = cuda_sw_one(l.stream, q, t, &c, top, best, e);
	cuda_pool_return(pool, &l, rc, t->n, e);
	if (rc == 0 || rc == 1)
		learn(pool, &c, rc, alone);
	return rc == ERR_DEVICE ? SW_NOT_NOW : rc;
}

/* What as many of its cells as are wanted reach; 0: nobody knows. */
static int64_t
least_of(const struct sw_view *q, struct cuda_sw_best *b)
{
	size_t n = b->cells.n;
	int64_t least = n && n == q->cells ? b->cells.v[n - 1].score : 0;

	sw_hits_free(&b->cells);
	return least;
}

int
cuda_sw_find(void *ctx, const struct sw_view *q, const struct sw_text *t,
	     int32_t *top, int64_t *least, struct err *e)
{
	struct cuda_sw_best b = { .end = t->n };
	int rc = find_best(ctx, q, t, &b, true, top, e);
	int64_t x = least_of(q, &b);

	if (rc == 0 && x)
		*least = x;
	return rc;
}

int
cuda_sw_gathered(struct cuda_pool *pool, const struct sw_view *q,
		 const struct sw_text *t, struct cuda_sw_text *each,
		 size_t n, int32_t *top, struct err *e)
{
	struct cuda_sw_best *b = calloc(n + 1, sizeof *b);
	int rc;

	if (!b)
		return err_nomem(e, (n + 1) * sizeof *b);
	for (size_t i = 0; i < n; i++)
		b[i].end = each[i].end;
	rc = find_best(pool, q, t, b, false, top, e);
	for (size_t i = 0; i < n; i++)
		each[i].least = least_of(q, &b[i]);
	free(b);
	return rc;
}

bool
cuda_sw_gathers(struct cuda_pool *pool, const struct sw_view *q)
{
	return cuda_pool_is_open(pool) && (!q || takes(cuda_pool_ctx(pool), q));
}
