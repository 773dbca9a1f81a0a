/* SPDX-License-Identifier: MIT */
/*
 * sw_trace.c - the path of a hit whose start and end are known
 *
 * Let V be the values of a recurrence over the box of the hit alone, or any
 * part of it that holds the path, everything else being 0.  Then V <= H, E, F
 * of the whole, as it is the best over fewer paths; and on the path V is equal,
 * for the path to there is one of those.  All values on it are above 0, but for
 * the start.  So V leads to the same path as the rule: a step of the path has
 * the required value in V as in H; one that the rule tries before and that
 * fails is too low in H, so also in V.
 *
 * Band: let a path reach a diagonal g beyond those of its two ends.  Then it
 * has g steps or more each way that are no part of the way, so at least g rows
 * and g columns that no diagonal step takes, beside the |w - h| that the
 * longer side has anyway; and a gap each way.  So with the largest score M
 * 	score <= M (min(h, w) - g) - 2 open - (|w - h| + 2 g) extend
 * and likewise with the sum of what the rows can have, less the least g times.
 *
 * 	Of the rest, blocks are left out from which the score is out of reach:
 * a path gains at most M for each row, and for each column, that is left.  On
 * the path no H is among those, nor what would tie with one, which leads to the
 * score, too.
 *
 * Space: a stretch of strips whose directions fit the budget is computed with
 * them, and the path followed up.  Of more, the boundaries between PARTS parts
 * are kept, and each part is done again, from the last on, over the columns up
 * to where the path has come.  On average that is half of a wide box, so that
 * two levels take the time of two boxes, and three that of two and a half.
 * Boundaries are PARTS columns' values a level: O(letters) in all, as the
 * levels are log(h) / log(PARTS).
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "letters/letters.h"
#include "sw/sw_grid.h"
#include "sw/sw_trace.h"

/* From directions to operations. */

/* Runs beyond CIGAR_MAX_LEN become several operations. */
void
sw_path_flush(struct sw_path *p)
{
	while (p->len) {
		uint64_t n = p->len < CIGAR_MAX_LEN ? p->len : CIGAR_MAX_LEN;
		uint32_t op = (uint32_t)n << 4 | p->op;

		buf_put(p->ops, &op, sizeof op);
		p->len -= n;
	}
}

static void
put_op(struct sw_path *p, uint32_t op)
{
	if (!p->ops)
		return;
	if (op != p->op)
		sw_path_flush(p);
	p->op = op;
	p->len++;
}

static void
diagonal(struct sw_path *p)
{
	uint8_t a = p->row[p->i--], b = p->col[p->j--];

	p->score += p->q->s->score[a][b];
	put_op(p, !p->same || p->same[a] == b ? CIGAR_EQ : CIGAR_X);
}

static void
along(struct sw_path *p)
{
	p->score -= p->q->s->extend;
	p->in = OPEN_E;
	p->j--;
	put_op(p, CIGAR_D);
}

static void
down(struct sw_path *p)
{
	p->score -= p->q->s->extend;
	p->in = OPEN_F;
	p->i--;
	put_op(p, CIGAR_I);
}

void
sw_path_step(struct sw_path *p, unsigned dirs)
{
	if (p->in != STEP_DIAG && dirs >> p->in & 1) {
		p->score -= p->q->s->open;
		p->in = STEP_DIAG;
	}
	if (p->in == OPEN_E)
		along(p);
	else if (p->in == OPEN_F)
		down(p);
	else if (dirs >> STEP_DIAG & 1)
		diagonal(p);
	else if (dirs >> STEP_E & 1)
		along(p);
	else
		down(p);
}

/*
 * Up through a strip of columns [left, end) to the row before `top`, its first
 * one; false: there is no such path.
 */
static bool
sw_path_up(struct sw_path *p, const struct sw_tracing *how,
	   const uint8_t *dirs, size_t top, size_t left, size_t end)
{
	const size_t mask = how->rows / 8;

	while (p->i >= (ptrdiff_t)top) {
		size_t r = (size_t)p->i - top, k = how->rows - 1 - r;
		const uint8_t *x = dirs + k / 8;
		unsigned bits = 0;

		if (p->j < (ptrdiff_t)left || p->j >= (ptrdiff_t)end)
			return false;
		x += ((size_t)p->j - left + r) * SW_DIRS * mask;
		for (unsigned d = 0; d < SW_DIRS; d++)
			bits |= (x[d * mask] >> k % 8 & 1u) << d;
		sw_path_step(p, bits);
	}
	return true;
}

void
sw_path_end(struct sw_path *p)
{
	uint32_t a, b;

	sw_path_flush(p);
	if (p->ops->bad)
		return;
	for (size_t i = p->first, j = p->ops->n; i + 4 < j; i += 4) {
		j -= 4;
		memcpy(&a, p->ops->p + i, 4);
		memcpy(&b, p->ops->p + j, 4);
		memcpy(p->ops->p + i, &b, 4);
		memcpy(p->ops->p + j, &a, 4);
	}
}

/* The path of a hit whose start and end are known. */

enum { PARTS = 16, BUDGET = 16 << 20, BYTES_A_LETTER = 32 };

struct strip_at {
	size_t left, end, dirs;
};

struct sw_tracer {
	uint8_t *h, *f, *dirs, *kept;
	struct strip_at *at;
	size_t n_h, n_f, n_dirs, n_kept, n_at;
};

struct trace {
	const struct sw_tracing *how;
	size_t budget, rows, cols;
	int64_t score;
	size_t low, high;	/* the band: diagonals j - i, -low to high */
	size_t size;		/* of a value */
	uint8_t *h, *f;		/* of column 0 */
	struct sw_tracer *m;
	struct sw_path p;
};

void
sw_tracer_free(struct sw_tracer *m)
{
	if (!m)
		return;
	free(m->h);
	free(m->f);
	free(m->dirs);
	free(m->kept);
	free(m->at);
	free(m);
}

/* Columns of a strip: the band, and not behind the path's last cell so far. */
static size_t
left_of(const struct trace *x, size_t s)
{
	size_t row = s * x->how->rows;

	return row > x->low ? row - x->low : 0;
}

static size_t
end_of(const struct trace *x, size_t s)
{
	size_t end = (s + 1) * x->how->rows + x->high;

	return end < (size_t)x->p.j + 1 ? end : (size_t)x->p.j + 1;
}

static size_t
strip_words(const struct trace *x, size_t s)
{
	size_t a = left_of(x, s), b = end_of(x, s);

	return b > a ? b - a + x->how->rows - 1 : 0;
}

static int64_t
cell_value(const struct trace *x, const uint8_t *v, size_t col)
{
	int64_t wide;
	int32_t narrow;

	if (!x->how->wide) {
		memcpy(&narrow, v + col * x->size, sizeof narrow);
		return narrow;
	}
	memcpy(&wide, v + col * x->size, sizeof wide);
	return wide;
}

static void
run_strip(struct trace *x, size_t s, uint8_t *dirs)
{
	size_t a = left_of(x, s), b = end_of(x, s);
	struct sw_strip strip = {
	    .q = x->p.q,
	    .row = x->p.row + s * x->how->rows,
	    .col = x->p.col + a,
	    .cols = b - a,
	    .h = x->h + a * x->size,
	    .f = x->f + a * x->size,
	    .corner = a ? cell_value(x, x->h, a - 1) : 0,
	    .dirs = dirs,
	    .score = x->score,
	    .rows_left = x->rows - s * x->how->rows,
	    .cols_left = x->cols - a,
	};

	if (b > a)
		x->how->strip(&strip);
}

/* Strips [from, to), and the path up through them. */
static int
follow_strips(struct trace *x, size_t from, size_t to, struct err *e)
{
	struct sw_tracer *m = x->m;
	size_t n = 0, word = SW_DIRS * x->how->rows / 8;
	int rc = array_room(&m->at, &m->n_at, to - from, sizeof *m->at,
			 e);

	for (size_t s = from; !rc && s < to; s++) {
		m->at[s - from] = (struct strip_at){ left_of(x, s),
						     end_of(x, s), n };
		n += strip_words(x, s);
	}
	if (!rc)
		rc = array_room(&m->dirs, &m->n_dirs, n * word, 1, e);
	if (rc)
		return rc;
	for (size_t s = from; s < to; s++)
		run_strip(x, s, m->dirs + m->at[s - from].dirs * word);
	while (to-- > from) {
		const struct strip_at *at = &m->at[to - from];

		if (!sw_path_up(&x->p, x->how, m->dirs + at->dirs * word,
				to * x->how->rows, at->left, at->end))
			return err_set(e, ERR_USAGE, "no alignment there");
	}
	return 0;
}

/* What stands above a strip, kept from `at` on; columns [a, b). */
struct part {
	size_t strip, a, b, at;
};

static int
keep_part(struct trace *x, struct part *p, size_t *used, struct err *e)
{
	struct sw_tracer *m = x->m;
	size_t n;
	int rc;

	p->at = *used;
	p->a = left_of(x, p->strip);
	p->a -= p->a > 0;	/* the corner */
	p->b = p->strip ? end_of(x, p->strip - 1) : 0;
	if (p->b < p->a)
		p->b = p->a;
	n = (p->b - p->a) * x->size;
	if (n == 0)
		return 0;
	rc = array_room(&m->kept, &m->n_kept, *used + 2 * n, 1, e);
	if (rc)
		return rc;
	memcpy(m->kept + p->at, x->h + p->a * x->size, n);
	memcpy(m->kept + p->at + n, x->f + p->a * x->size, n);
	*used += 2 * n;
	return 0;
}

/* As it was, and 0 up to the columns of the strip before `to`. */
static void
put_back(struct trace *x, const struct part *p, size_t to)
{
	size_t n = (p->b - p->a) * x->size, end = end_of(x, to - 1);

	if (n) {
		memcpy(x->h + p->a * x->size, x->m->kept + p->at, n);
		memcpy(x->f + p->a * x->size, x->m->kept + p->at + n, n);
	}
	if (end <= p->b)
		return;
	memset(x->h + p->b * x->size, 0, (end - p->b) * x->size);
	memset(x->f + p->b * x->size, 0, (end - p->b) * x->size);
}

static bool
part_fits(const struct trace *x, size_t from, size_t to)
{
	size_t left = x->budget / (SW_DIRS * x->how->rows / 8);

	for (size_t s = from; s < to; s++) {
		size_t n = strip_words(x, s);

		if (n > left)
			return false;
		left -= n;
	}
	return true;
}

/* Strips [from, to): what stands above is in place. */
static int
solve(struct trace *x, size_t from, size_t to, size_t used, struct err *e)
{
	struct part part[PARTS + 1];
	size_t n = to - from < PARTS ? to - from : PARTS;
	int rc = 0;

	if (n < 2 || part_fits(x, from, to))
		return follow_strips(x, from, to, e);
	for (size_t i = 0; i <= n; i++)
		part[i].strip = from + (to - from) / n * i +
				(to - from) % n * i / n;
	for (size_t i = 0; !rc && i < n; i++) {
		rc = keep_part(x, &part[i], &used, e);
		for (size_t s = part[i].strip; i + 1 < n && !rc &&
		     s < part[i + 1].strip; s++)
			run_strip(x, s, NULL);
	}
	while (!rc && n-- > 0) {
		put_back(x, &part[n], part[n + 1].strip);
		rc = solve(x, part[n].strip, part[n + 1].strip, used, e);
	}
	return rc;
}

static int64_t
smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/*
 * How far the path may go beyond the diagonals of its ends; -1: no path has
 * that score.
 */
static int64_t
slack(const struct trace *x, int64_t score)
{
	const struct sw_scoring *s = x->p.q->s;
	int64_t best[SW_LETTERS] = { 0 }, sum = 0, least = INT64_MAX, g;
	int64_t shorter = (int64_t)(x->rows < x->cols ? x->rows : x->cols);
	int64_t apart = (int64_t)(x->rows + x->cols) - 2 * shorter, gaps;

	for (unsigned a = 0; a < s->letters; a++)
		for (unsigned b = 0; b < s->letters; b++)
			if (s->score[a][b] > best[a])
				best[a] = s->score[a][b];
	for (size_t i = 0; i < x->rows; i++) {
		sum += best[x->p.row[i]];
		least = smaller(least, best[x->p.row[i]]);
	}
	sum = smaller(sum, x->p.q->best * shorter) - score;
	if (sum < 0 || (s->extend && apart > sum / s->extend))
		return -1;
	gaps = sum - apart * s->extend - 2 * (int64_t)s->open;
	g = (int64_t)(x->rows + x->cols);
	if (gaps < 0)
		return 0;
	if (least + 2 * s->extend > 0)
		g = smaller(g, gaps / (least + 2 * (int64_t)s->extend));
	return g;
}

bool
sw_trace_fits(const struct sw_query *q, size_t rows, size_t cols)
{
	size_t shorter = rows < cols ? rows : cols;

	/* H grows by M a row at most, also in what is computed for nothing */
	return q->best <= 0 ||
	       shorter <= (size_t)(INT32_MAX / q->best) - 2 * SW_ROWS;
}

static int
begin_trace(struct trace *x, int64_t score, struct err *e)
{
	struct sw_tracer *m = x->m;
	size_t n = x->cols + 2 * SW_ROWS;
	int64_t g = -1;
	int rc;

	if (x->rows && x->cols && !memchr(x->p.col, SW_PAD, x->cols))
		g = slack(x, score);
	if (g < 0)
		return err_set(e, ERR_USAGE, "no alignment of that score");
	x->low = (size_t)g + (x->rows > x->cols ? x->rows - x->cols : 0);
	x->high = (size_t)g + (x->cols > x->rows ? x->cols - x->rows : 0);
	x->size = x->how->wide ? sizeof(int64_t) : sizeof(int32_t);
	rc = array_room(&m->h, &m->n_h, n, sizeof(int64_t), e);
	if (!rc)
		rc = array_room(&m->f, &m->n_f, n, sizeof(int64_t), e);
	if (rc)
		return rc;
	memset(m->h, 0, n * x->size);
	memset(m->f, 0, n * x->size);
	x->h = m->h + SW_ROWS * x->size;
	x->f = m->f + SW_ROWS * x->size;
	return 0;
}

/* Cells that sw_trace() computes; 0: no path has that score. */
static double
sw_trace_cells(const struct sw_query *q, const struct sw_text *t,
	       const struct sw_hit *h)
{
	struct trace x = {
		.rows = h->qend - h->qbeg, .cols = h->end - h->beg,
		.p = { .q = q, .row = q->code + h->qbeg,
		       .col = t->codes + h->beg },
	};
	int64_t g = slack(&x, h->score);
	size_t apart = x.rows > x.cols ? x.rows - x.cols : x.cols - x.rows;
	double all = (double)x.rows * (double)x.cols, band;

	if (g < 0)
		return 0;
	band = (2. * (double)g + (double)apart) * (double)x.rows;
	return band < all ? band : all;
}

int
sw_trace_by(const struct sw_tracing *how, size_t budget,
	    const struct sw_query *q, const struct sw_text *t,
	    const struct sw_hit *h, const uint8_t same[SW_LETTERS],
	    struct sw_work *w, struct buf *ops, struct err *e)
{
	struct trace x = {
		.how = how, .budget = budget, .rows = h->qend - h->qbeg,
		.cols = h->end - h->beg, .score = h->score,
		.p = {
			.q = q, .row = q->code + h->qbeg,
			.col = t->codes + h->beg, .same = same,
			.i = (ptrdiff_t)(h->qend - h->qbeg) - 1,
			.j = (ptrdiff_t)(h->end - h->beg) - 1,
			.ops = ops, .first = ops->n,
		},
	};
	int rc;

	if (!w->tracer)
		w->tracer = calloc(1, sizeof *w->tracer);
	x.m = w->tracer;
	if (!x.m)
		return err_nomem(e, sizeof *x.m);
	rc = begin_trace(&x, h->score, e);
	if (!rc)
		rc = solve(&x, 0, (x.rows + how->rows - 1) / how->rows, 0, e);
	if (rc)
		return rc;
	sw_path_end(&x.p);
	if (x.p.j != -1 || x.p.score != h->score)
		return err_set(e, ERR_USAGE, "no alignment of that score");
	return ops->bad ? err_nomem(e, ops->cap) : 0;
}

int
sw_trace(const struct sw_query *q, const struct sw_text *t,
	 const struct sw_hit *h, const uint8_t same[SW_LETTERS],
	 struct sw_work *w, struct buf *ops, struct err *e)
{
	size_t rows = h->qend - h->qbeg, cols = h->end - h->beg;
	size_t budget = BYTES_A_LETTER * (rows + cols);
	const struct sw_tracing *by = KERN_PICK(&sw_tracing);

	if (!sw_trace_fits(q, rows, cols))
		by = &sw_tracing_scalar;
	return sw_trace_by(by, budget > BUDGET ? budget : BUDGET, q, t,
			   h, same, w, ops, e);
}

/*
 * Paths of several hits, whose boxes are computed together
 *
 * The proof in sw_trace.c for a box holds for any part of one segment's cells
 * that has the path, so also for a window with many paths: their boxes overlap
 * where the best alignments are as long as the query.  Where the score proves a
 * narrow band, boxes of single hits are cheaper.
 *
 * Paths that were followed to find their starts may have been kept: sw_trace.h.
 */

/* Directions of a window's tiles, and paths through them. */

/* Of one part. */
static void
put_part(struct sw_grid *g, size_t strip, unsigned part, size_t time, size_t to)
{
	size_t late = strip * (g->rows - 1), from, end;
	const int32_t *h = sw_grid_kept(g, strip, part, &from, &end), *f;
	size_t a = time > late ? time - late : 0, b = to > late ? to - late : 0;

	a = a > from ? a : from;
	b = b < end ? b : end;
	if (a >= b)
		return;
	f = h + (end - from) + (a - from);
	memcpy(g->h + a, h + (a - from), (b - a) * sizeof *h);
	memcpy(g->f + a, f, (b - a) * sizeof *f);
}

/* What stands above a tile, at times [time, to). */
static void
put_above(struct sw_grid *g, size_t high, size_t time, size_t to)
{
	size_t strip = high * g->tile_strips, last = (to - 1) / g->block;
	struct sw_grid_live x = sw_grid_live(g, strip);

	if (!high && g->w.above_h) {
		sw_grid_top(g);
		return;
	}
	for (size_t i = time / g->block; i <= last; i++)
		g->above[i] = high && sw_grid_part(&x, i) < SW_GRID_PARTS;
	for (unsigned k = 0; high && k < SW_GRID_PARTS; k++)
		put_part(g, strip, k, time, to);
}

/* A tile of the grid; `part` is it, cut into tiles for a crew. */
struct directions {
	struct sw_grid *g;
	struct sw_tiles part;
	size_t wide;
};

/* Steps of a strip. */
static struct sw_tile
in_part(const struct directions *x, size_t strip)
{
	return sw_tiles_cut(&x->part, strip, x->part.from, x->part.to);
}

static void
take_state(struct sw_grid *g, size_t strip, size_t wide)
{
	const struct sw_grid_state *s = sw_grid_state(g, strip, wide);

	if (s && !s->dead)
		g->now[strip] = *s;
	else
		g->now[strip].dead = true;
}

static int
run_grid_strip(void *ctx, const struct sw_tile *tile, unsigned who)
{
	const struct directions *x = ctx;
	struct sw_grid *g = x->g;
	size_t strip = tile->strip, late = strip * (g->rows - 1);
	size_t at = (strip - x->part.strip) * g->tile_times;

	(void)who;
	if (tile->t == in_part(x, strip).t && g->w.tile)
		sw_grid_begin(g, strip, &g->now[strip]);
	else if (tile->t == in_part(x, strip).t)
		take_state(g, strip, x->wide);
	for (size_t t = tile->t, n; t < tile->end; t += n) {
		struct sw_grid_block b = sw_grid_block(g, strip);

		n = sw_grid_steps(g, t, t + late, tile->end);
		b.t = t;
		b.steps = n;
		b.dirs = g->dirs +
			 (at + t + late - x->part.from) * sw_grid_dirs(g);
		sw_grid_do(g, &b, strip, t + late);
	}
	return 0;
}

int
sw_grid_tile(struct sw_grid *g, struct crew *crew, size_t high, size_t wide,
	     size_t strip, size_t time, struct err *e)
{
	struct directions x = { .g = g, .part = g->tiles, .wide = wide };
	struct sw_tiles *t = &x.part;

	t->time_tile = SW_GRID_STEPS;
	t->strip = high * g->tile_strips;
	t->strips = strip + 1;
	t->from = wide * g->tile_times;
	t->to = time + 1;
	g->at_high = high;
	g->at_wide = wide;
	if (g->w.tile)
		sw_grid_top(g);
	else
		put_above(g, high, t->from, t->to);
	if ((double)((strip + 1 - t->strip) * g->rows) *
	    (double)(t->to - t->from) < g->shared)
		crew = NULL;
	return sw_tiles_run(t, crew, run_grid_strip, &x, e);
}

/* Bit d of the directions of lane k, of masks of so many bytes, or pairs of
 * them (2): sw_grid_kern.c, put_masks(). */
static inline unsigned
dir_at(const uint8_t *x, size_t k, enum sw_dir d, size_t mask)
{
	size_t at = mask != 2 ? mask * (size_t)d + k / 8 :
				4 * (size_t)(d / 2) + 2 * (k / 8) + d % 2;

	return (x[at] >> k % 8 & 1u) << d;
}

/* Those directions that decide how a path in state `in` goes on. */
static inline unsigned
dirs_at(const uint8_t *x, size_t k, enum sw_dir in, size_t mask)
{
	unsigned bits = 0;

	if (in != STEP_DIAG) {
		bits = dir_at(x, k, in, mask);
		if (!bits)
			return 0;
	}
	return bits | dir_at(x, k, STEP_DIAG, mask) |
	       dir_at(x, k, STEP_E, mask);
}

bool
sw_grid_walk(const struct sw_grid *g, struct sw_path *p)
{
	const unsigned zero = 1 << STEP_DIAG | 1 << STEP_E;
	size_t strip = (size_t)p->i / g->rows, late = strip * (g->rows - 1);
	ptrdiff_t top = (ptrdiff_t)(strip * g->rows);
	size_t from = g->at_wide * g->tile_times, size = sw_grid_dirs(g);
	const size_t mask = g->lanes / 8;
	const uint8_t *dirs = g->dirs + strip % g->tile_strips *
			      g->tile_times * size;

	while (p->i >= top && p->j >= 0) {
		size_t row = (size_t)(p->i - top);
		size_t time = (size_t)p->j + row + late;
		size_t k = g->lanes - 1 - row % g->lanes;
		const uint8_t *x = dirs + row / g->lanes * (size / 2);
		unsigned bits;

		if (time < from)
			return false;
		bits = dirs_at(x + (time - from) * size, k, p->in, mask);
		if (p->in == STEP_DIAG && (bits & zero) == zero)
			return true;
		sw_path_step(p, bits);
	}
	return p->i < 0 || p->j < 0;
}

/* Paths of several hits, whose boxes are computed together. */

enum {
	MAX_WIDER = 16,	/* windows, than the first box */
	FASTER = 2,		/* a cell, than of a band */
};

struct tracing {
	const struct sw_query *q;
	const struct sw_text *t;
	const struct sw_hit *hit;
	const uint8_t *same;
	struct sw_work *w;
	struct buf *ops;
	sw_ops_fn *put;
	void *ctx;
	struct err *e;
};

struct window {
	uint64_t qbeg, qend, beg, end;
};

static double
cells(const struct window *w)
{
	return (double)(w->qend - w->qbeg) * (double)(w->end - w->beg);
}

static struct window
box_of(const struct sw_hit *h)
{
	return (struct window){ h->qbeg, h->qend, h->beg, h->end };
}

static struct window
join_windows(const struct window *a, const struct window *b)
{
	return (struct window){
		a->qbeg < b->qbeg ? a->qbeg : b->qbeg,
		a->qend > b->qend ? a->qend : b->qend,
		a->beg < b->beg ? a->beg : b->beg,
		a->end > b->end ? a->end : b->end,
	};
}

static int
by_beg(const void *x, const void *y)
{
	const struct sw_box *a = x, *b = y;

	if (a->beg != b->beg)
		return a->beg < b->beg ? -1 : 1;
	return a->hit < b->hit ? -1 : a->hit > b->hit;
}

static bool
is_large(const struct tracing *x, const struct sw_hit *h)
{
	struct window w = box_of(h);

	if (h->score <= 0 || h->qbeg >= h->qend || h->beg >= h->end)
		return false;
	return !x->w->grid_from ||
	       (cells(&w) >= (double)x->w->grid_from &&
		sw_trace_cells(x->q, x->t, h) * FASTER > cells(&w));
}

/* 1: it is not known. */
static int
known(const struct tracing *x, size_t i)
{
	int rc;

	x->ops->n = 0;
	rc = sw_paths_report(x->w, x->q, x->t, &x->hit[i], x->same, x->ops,
			     x->e);
	return rc ? rc : x->put(x->ctx, i, x->e);
}

static int
one(const struct tracing *x, size_t i)
{
	int rc;

	x->ops->n = 0;
	rc = sw_trace(x->q, x->t, &x->hit[i], x->same, x->w, x->ops, x->e);
	return rc ? rc : x->put(x->ctx, i, x->e);
}

/* The path of a hit in the window that was run. */
static int
follow_hit(const struct tracing *x, size_t i, const struct window *w)
{
	const struct sw_hit *h = &x->hit[i];
	struct sw_grid *g = x->w->grid;
	struct sw_path p = {
		.q = x->q, .row = g->w.row, .col = g->w.col, .same = x->same,
		.i = (ptrdiff_t)(h->qend - w->qbeg) - 1,
		.j = (ptrdiff_t)(h->end - w->beg) - 1, .ops = x->ops,
	};
	size_t high = SIZE_MAX, wide = SIZE_MAX;
	int rc = 0;

	x->ops->n = 0;
	for (bool found = false; !found && !rc;) {
		size_t strip = sw_grid_strip(g, (size_t)p.i);
		size_t time = sw_grid_time(g, (size_t)p.i, (size_t)p.j);

		if (strip / g->tile_strips != high ||
		    time / g->tile_times != wide) {
			high = strip / g->tile_strips;
			wide = time / g->tile_times;
			rc = sw_grid_tile(g, x->w->crew, high, wide, strip,
					  time, x->e);
		}
		found = !rc && sw_grid_walk(g, &p);
	}
	if (rc)
		return rc;
	sw_path_end(&p);
	if ((uint64_t)(p.i + 1) + w->qbeg != h->qbeg ||
	    (uint64_t)(p.j + 1) + w->beg != h->beg || p.score != h->score)
		return err_set(x->e, ERR_USAGE, "no alignment of that score");
	return x->ops->bad ? err_nomem(x->e, x->ops->cap) :
			     x->put(x->ctx, i, x->e);
}

static int64_t
least_of(const struct tracing *x, const struct sw_box *box, size_t n)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < n; i++)
		if (x->hit[box[i].hit].score < least)
			least = x->hit[box[i].hit].score;
	return least;
}

static int
together(const struct tracing *x, const struct sw_box *box, size_t n,
	 const struct window *w)
{
	bool odd;
	int rc = sw_grid_open(x->w, x->q, &(struct sw_grid_window){
		.row = x->q->code + w->qbeg,
		.rows = (size_t)(w->qend - w->qbeg),
		.col = x->t->codes + w->beg, .cols = (size_t)(w->end - w->beg),
		.least = least_of(x, box, n),
	}, x->e);

	if (!rc)
		rc = sw_grid_run(x->w->grid, x->w->crew, &odd, x->e);
	if (rc == 1) {
		rc = 0;
		for (size_t i = 0; i < n && !rc; i++)
			rc = one(x, box[i].hit);
		return rc;
	}
	for (size_t i = 0; i < n && !rc; i++)
		rc = follow_hit(x, box[i].hit, w);
	return rc;
}

/* Where the segment ends that a hit is in. */
static uint64_t
seg_end(const struct sw_text *t, const struct sw_hit *h)
{
	size_t i = array_first(t->seg, t->n_seg, sizeof *t->seg,
			       offsetof(struct sw_seg, end), h->end);

	return i < t->n_seg ? t->seg[i].end : UINT64_MAX;
}

/* From the first box on, as many as cost less together. */
static size_t
group_boxes(const struct tracing *x, const struct sw_box *box, size_t n,
	    struct window *w)
{
	uint64_t end = seg_end(x->t, &x->hit[box[0].hit]);
	double most;
	size_t k = 1;

	*w = box_of(&x->hit[box[0].hit]);
	most = cells(w) * MAX_WIDER;
	for (; k < n; k++) {
		struct window b = box_of(&x->hit[box[k].hit]);
		struct window both = join_windows(w, &b);

		if (b.end > end || cells(&both) > cells(w) + cells(&b) ||
		    cells(&both) > most)
			break;
		*w = both;
	}
	return k;
}

int
sw_trace_each(const struct sw_query *q, const struct sw_text *t,
	      const struct sw_hit *hit, size_t n,
	      const uint8_t same[SW_LETTERS], struct sw_work *w,
	      struct buf *ops, sw_ops_fn *put, void *ctx, struct err *e)
{
	struct tracing x = { q, t, hit, same, w, ops, put, ctx, e };
	bool fits = q->engine != SW_PLAIN && sw_grid_fits(q);
	size_t n_box = 0;
	int rc = array_room(&w->box, &w->n_box, n, sizeof *w->box, e);

	for (size_t i = 0; i < n && !rc; i++) {
		rc = known(&x, i);
		if (rc != 1)
			continue;
		rc = 0;
		if (fits && is_large(&x, &hit[i]))
			w->box[n_box++] = (struct sw_box){ hit[i].beg, i };
		else
			rc = one(&x, i);
	}
	if (n_box)
		qsort(w->box, n_box, sizeof *w->box, by_beg);
	for (size_t i = 0, k; i < n_box && !rc; i += k) {
		struct window window;

		k = group_boxes(&x, w->box + i, n_box - i, &window);
		rc = together(&x, w->box + i, k, &window);
	}
	return rc;
}
