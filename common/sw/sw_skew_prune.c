/* SPDX-License-Identifier: MIT */
/*
 * sw_skew_prune.c - steps of the skewed lanes that need not be computed; by
 * several threads, by turns
 * Source: Sandes and de Melo 2013 (block pruning).
 *
 * No cell with H below the threshold is asked for.  From a cell with H = x a
 * path gains at most a match M for each row, and for each column, that is left.
 * So a lane's strip matters only if
 * 	x + M * min(rows, columns left, the strip's own included) >= threshold
 * for an x = H of the row above it, the column before it or the corner, or for
 * 0, where a path may begin.  A step is left out if it matters for no lane.
 * What it leaves counts as H = 0.  Words that are not in the text, or not in
 * the query, lessen what rows, or columns, may add: loss_of().
 * 	Then no value computed is above the true one; and on each path to a cell
 * asked for all are true, by induction along it: the strip that it comes to
 * next matters, by the H that it comes from, be that by the corner, which is
 * the end of a column before, too.  So those cells are reported exactly, and no
 * other one reaches the threshold.  A peak is true for such paths, and may be
 * too low elsewhere.
 *
 * A cell left out, with 0 instead of H, may be next to an H of any size: lanes
 * cannot hold both (sw_skew_kern.c).  But H of two cells of a row, l columns
 * apart, differ by l (M + extend) + open at most, and so do those of a column,
 * as sw_grid_kern.c says.  So a strip's borders, BLOCK columns and ROWS rows,
 * may be raised to the largest H of them less
 * 	span = (BLOCK + ROWS) (M + extend) + 2 open;
 * E and F to H - open - extend.  None of that is above the true values.  Beyond
 * the span H gains ROWS matches in a strip, which 16 bits must hold.
 *
 * Besides, each step takes for granted that a column before a strip is no lower
 * than what a gap leads to from the corner.  The first lane's column, which a
 * round before left, and what is raised here is raised to that, too, by
 * sw_skew_put_column().  Other lanes have it from the lane on their left, which
 * left the corner two steps ago and the column at the last one: if that was
 * left out, all is 0; if the one before was, the corner is 0; else F leads from
 * one to the other.  Where that column is raised for a step, the next corner is
 * what stood there before: sw_skew_lower_corners().  The corner of a part's
 * first row stands above, where the lane on the left began; if that step was
 * left out, the corner is 0, too: as no H of that row mattered there, it does
 * not where less can be added.
 */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "sw/sw_grid.h"
#include "sw/sw_beside.h"

static int16_t *
vector_words(uint8_t *x)
{
	return (int16_t *)(void *)x;
}

int32_t
sw_skew_gain(const struct sw_skew *s, uint64_t n)
{
	uint64_t most = (uint64_t)INT32_MAX / (unsigned)s->match;

	return (int32_t)(n < most ? n : most) * s->match;
}

void
sw_skew_set_gain(struct sw_skew *s, unsigned lane, int32_t gain)
{
	s->gain[lane] = gain;
	if (s->mask)
		s->mask->gain[lane] = gain;
}

/*
 * What a path through all letters of a word misses that is not in the text: one
 * of them is no match, or a gap begins between two of them, or lies on one.  A
 * word that it does not come to misses more: all its letters.
 */
static int32_t
loss_of(const struct sw_skew *s)
{
	const int32_t gap = (s->match < s->open ? s->match : s->open) +
			    s->extend;
	const int32_t pair = s->match - s->mismatch;
	const int32_t most = SW_SKEW_WORD * s->match;
	int32_t loss = gap < pair ? gap : pair;

	return loss < most ? loss : most;
}

/* All but three: in one a path may begin, in one end; one may lie on the
 * segment's end. */
int32_t
sw_skew_lost(const struct sw_skew *s, uint32_t words)
{
	return words > 3 ? (int32_t)(words - 3) * s->loss : 0;
}

/* Entry x is that of strip strips - 1 - x; behind strip 0 they go on. */
static void
set_rows_gain(struct sw_skew *s, const struct sw_absent *absent)
{
	for (size_t x = 0; x < s->letters; x++) {
		int64_t rows = ((int64_t)s->strips - 1 - (int64_t)x) *
			       SW_SKEW_ROWS;
		int64_t gain = s->all_gain - rows * s->match;
		int64_t row = rows - (int64_t)s->fill + (int64_t)s->part.from;

		if (s->loss && rows >= 0)
			gain -= sw_skew_lost(s, absent->rows[row > 0 ?
				(row + SW_SKEW_ROWS - 1) / SW_SKEW_ROWS : 0]);
		s->rows_gain[x] = gain < INT32_MAX ? (int32_t)gain : INT32_MAX;
	}
}

/* After the room is known.  Sizes: see above, and sw_skew.c. */
void
sw_skew_plan_prune(struct sw_skew *s, const struct sw_query *q,
		   const struct sw_absent *absent)
{
	int64_t steps = SW_BLOCK + SW_SKEW_ROWS, most;

	most = steps * ((int64_t)s->match + s->extend) + 2 * (int64_t)s->open;
	s->span = (int32_t)most;
	most += s->reach + SW_SKEW_ROWS * (int64_t)s->match + s->low_at +
		s->open + s->extend - s->mismatch;
	/* borders (sw_grid.h) are true for all cells */
	s->prunes = !s->borders && most <= INT16_MAX;
	s->all_gain = sw_skew_gain(s, q->n - s->part.from + s->fill);
	s->loss = absent ? loss_of(s) : 0;
	set_rows_gain(s, absent);
}

/* What the rows of a strip and those below it may add. */
static int32_t
rows_gain(const struct sw_skew *s, size_t strip)
{
	return s->rows_gain[s->strips - 1 - strip];
}

int32_t
sw_skew_rows_gain(const struct sw_skew *s)
{
	return rows_gain(s, 0);
}

static int32_t
need_of(const struct sw_skew *s)
{
	return s->threshold < INT32_MAX ? (int32_t)s->threshold : INT32_MAX;
}

static void
put_zeros(struct sw_skew *s)
{
	const unsigned lanes = s->ops->lanes;
	struct sw_skew_edge *edge = &s->edge[s->at];
	struct sw_skew_side *side = &s->side[s->at];
	int zero = s->narrow ? s->zero8 : 0;

	memset(edge->h, zero, sizeof edge->h);
	memset(edge->f, zero, sizeof edge->f);
	memset(side->h, zero, sizeof side->h);
	memset(side->e, zero, sizeof side->e);
	memset(side->base, 0, sizeof side->base);
	memset(side->most, 0, sizeof side->most);
	for (unsigned k = 0; k < lanes; k++)
		s->base[k] = s->low[k] = s->most[k] = s->corner[k] = 0;
}

/* Where all lanes but the first have 0: does the first matter, either? */
static bool
matters(const struct sw_skew *s, size_t strip, int32_t need)
{
	int32_t rows = rows_gain(s, strip);
	int32_t gain = rows < s->gain[0] ? rows : s->gain[0];

	return s->end_most[strip] >= need - gain;
}

/* This step, and those that follow in the round. */
static void
leave_out(struct sw_skew *s, int32_t need)
{
	sw_skew_drop_end(s);
	s->left_out++;
	if (s->strip < s->ops->lanes)
		return;
	/* with a mask, strips that follow may matter where this one does not */
	while (s->strip + 1 < s->ready && (s->mask ? sw_mask_is_quiet(s) :
	       !matters(s, s->strip + 1, need))) {
		s->strip++;
		s->left_out++;
		sw_skew_drop_end(s);
	}
}

/* The column before lane's strip, in 16 bits; returns its largest H. */
static int32_t
get_left(const struct sw_skew *s, unsigned lane, struct sw_checkpoint *m)
{
	struct sw_skew_side *left = (void *)(uintptr_t)&s->side[s->at];
	int32_t base = left->base[lane], most = 0;

	for (unsigned r = 0; r < SW_SKEW_ROWS; r++) {
		m[r].h = vector_words(left->h[r])[lane] + base;
		m[r].e = vector_words(left->e[r])[lane] + base;
		most = m[r].h > most ? m[r].h : most;
	}
	return most;
}

/* The row above is no less than that: with a new base. */
static void
raise_row(struct sw_skew *s, unsigned lane, int32_t least)
{
	struct sw_skew_edge *x = &s->edge[s->at];
	const int32_t first = s->open + s->extend, was = s->base[lane];
	int32_t low = INT32_MAX, base;

	for (unsigned j = 0, i = lane; j < SW_BLOCK; j++, i += s->ops->lanes) {
		int32_t h = vector_words(x->h)[i] + was;

		h = h > least ? h : least;
		low = h < low ? h : low;
	}
	base = low > s->low_at ? low - s->low_at : 0;
	for (unsigned j = 0, i = lane; j < SW_BLOCK; j++, i += s->ops->lanes) {
		int32_t h = vector_words(x->h)[i] + was,
			f = vector_words(x->f)[i] + was;

		h = h > least ? h : least;
		f = f > h - first ? f : h - first;
		vector_words(x->h)[i] = (int16_t)(h - base);
		vector_words(x->f)[i] = (int16_t)(f > base ? f - base : 0);
	}
	s->low[lane] = low;
	s->base[lane] = base;
	if (s->most[lane] < least)
		s->most[lane] = least;
}

/* All that lane's strip begins with. */
static void
settle_strip(struct sw_skew *s, unsigned lane)
{
	const struct sw_skew_edge *x = &s->edge[s->at];
	struct sw_checkpoint m[SW_SKEW_ROWS];
	int32_t top = get_left(s, lane, m);

	for (unsigned j = 0, i = lane; j < SW_BLOCK; j++, i += s->ops->lanes) {
		int32_t h = ((const int16_t *)(const void *)x->h)[i] +
			    s->base[lane];

		top = h > top ? h : top;
	}
	top = s->corner[lane] > top ? s->corner[lane] : top;
	if (top <= s->span || s->fresh[lane])
		return;
	raise_row(s, lane, top - s->span);
	if (s->corner[lane] < top - s->span)
		s->corner[lane] = top - s->span;
	sw_skew_put_column(s, lane, m);
	if (lane)
		s->raised[s->n_raised++] = (struct sw_skew_raised){
			lane, m[SW_SKEW_ROWS - 1].h };
}

static void
settle_all(struct sw_skew *s)
{
	if (s->narrow) {
		sw_skew_widen(s);
		sw_skew_put_left(s);
	}
	for (unsigned k = 0; k < s->ops->lanes; k++) {
		int32_t low = s->low[k] < s->corner[k] ? s->low[k] :
							 s->corner[k];
		int32_t most = s->side[s->at].most[k];

		most = most > s->most[k] ? most : s->most[k];
		most = most > s->corner[k] ? most : s->corner[k];
		if (most - low > s->span + s->reach)
			settle_strip(s, k);
	}
	s->did.settled++;
}

void
sw_skew_lower_corners(struct sw_skew *s)
{
	while (s->n_raised) {
		struct sw_skew_raised x = s->raised[--s->n_raised];

		s->corner[x.lane] = x.h;
	}
}

bool
sw_skew_prune(struct sw_skew *s)
{
	int32_t need = need_of(s);

	if (s->mask)
		sw_mask_gain(s, need);
	switch (s->ops->judge(s, need)) {
	case SW_SKEW_DEAD:
		s->did.skipped++;
		if (!s->zero)
			put_zeros(s);
		s->zero = true;
		if (s->strip < s->ops->lanes)
			s->row_corner = 0;
		leave_out(s, need);
		return true;
	case SW_SKEW_UNEVEN:
		settle_all(s);
		return false;
	default:
		return false;
	}
}

/*
 * The pass in skewed lanes by several threads, by turns
 *
 * Of relatives only blocks beside the alignment matter (sw_skew_prune.c): of a
 * round, which is as many blocks as there are lanes, those strips that it
 * crosses; of the next round these and, at the end, some more.  So two of them
 * have work at the same time where what matters is wider than a round.  Bands
 * of rows (sw_skew.c) have it only if they are narrow, and then most of a
 * band's steps have lanes beside what matters.
 *
 * T rounds are in work at a time, each in lanes of its own; those of round r
 * take round r + T next.  Columns between rounds are in one array: the first
 * lane reads those of a strip that the last lane of the round before has left,
 * and its own last lane replaces them later, for the round behind it.  So a
 * round may go as far as the one before has left columns, and nobody reads what
 * another one writes.
 *
 * Nobody waits for ever.  Let r be the first round whose columns are not all
 * left; its L lanes have all columns of round r - 1, so the first of them need
 * not wait.  When that is done, the others go on as it goes on in round r + T,
 * for which round r + T - 1 must have left LEAST strips, or they end at once
 * (next_round() in sw_skew.c).  Each round between may go on until it is less
 * than LEAST strips behind what it may take, so it leaves L - 1 + LEAST strips
 * less than the one before it, at most; and there are at least 4 L T of them,
 * more than (T + 1) (L - 1 + LEAST).
 */

enum {
	MOST = 64,	/* rounds at a time */
	WORTH = 4,	/* strips, for each lane of each of them */
	LEAST = 16,	/* strips that are worth a turn */
	TURN = 64,	/* steps of one */
};

struct turn {
	struct sw_skew *skew;
	struct sw_pass pass;
	uint64_t left;	/* strips whose columns it left, of all its rounds */
	size_t ends;	/* see sw_skew_may() */
	bool busy;
};

struct sw_turns {
	pthread_mutex_t lock, raising;
	pthread_cond_t change;
	struct sw_pass *p;
	struct turn turn[MOST];
	unsigned n, open, busy;	/* turns: all, not done, in hand */
	unsigned waiting;	/* threads */
	int64_t threshold;
};

void
sw_turns_free(struct sw_turns *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < MOST; i++)
		sw_skew_free(v->turn[i].skew);
	pthread_cond_destroy(&v->change);
	pthread_mutex_destroy(&v->raising);
	pthread_mutex_destroy(&v->lock);
	free(v);
}

static int
turns_of(struct sw_work *w, struct err *e)
{
	if (w->turns)
		return 0;
	w->turns = calloc(1, sizeof *w->turns);
	if (!w->turns)
		return err_nomem(e, sizeof *w->turns);
	pthread_mutex_init(&w->turns->lock, NULL);
	pthread_mutex_init(&w->turns->raising, NULL);
	pthread_cond_init(&w->turns->change, NULL);
	return 0;
}

static int64_t
raise_threshold(void *ctx, uint64_t block, int64_t top)
{
	struct sw_turns *v = ctx;
	int64_t threshold;

	pthread_mutex_lock(&v->raising);
	threshold = v->threshold;
	if (top >= threshold)
		threshold = v->p->raise(v->p->ctx, block, top);
	__atomic_store_n(&v->threshold, threshold, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&v->raising);
	return threshold;
}

static int
set_turn(struct sw_turns *v, unsigned i, struct err *e)
{
	struct turn *x = &v->turn[i];
	const struct sw_skew_part part = {
		.to = v->p->q->n, .threshold = &v->threshold,
		.turns = v->n, .turn = i,
		.lead = i ? v->turn[0].skew : NULL,
	};

	x->pass = *v->p;
	x->pass.raise = raise_threshold;
	x->pass.ctx = v;
	x->pass.did = x->pass.did_leave = 0;
	x->left = x->ends = 0;
	x->busy = false;
	return sw_skew_begin(&x->skew, &x->pass, &part, e);
}

/* How many rounds at a time? */
static unsigned
count_turns(const struct sw_pass *p, unsigned threads)
{
	const struct sw_skew_ops *ops = KERN_PICK_VECTOR(&sw_skew_ops);
	uint64_t n = threads < MOST ? threads : MOST, lanes;

	if (!ops || !p->absent || p->borders || p->mask)
		return 0;
	lanes = ops->lanes;
	n = min_u64(n, p->q->n / SW_SKEW_ROWS / (WORTH * lanes));
	return (unsigned)min_u64(n, p->t->n / SW_BLOCK / lanes);
}

static int
set(struct sw_turns *v, struct sw_pass *p, unsigned n, unsigned threads,
    struct err *e)
{
	int rc = 0;

	v->p = p;
	v->n = v->open = n;
	v->busy = v->waiting = 0;
	v->threshold = p->threshold;
	for (unsigned i = 0; i < n && !rc; i++)
		rc = set_turn(v, i, e);
	if (rc || !p->cuts)
		return rc;
	sw_cuts_open(p->cuts, p, v->turn[0].skew, threads);
	for (unsigned i = 0; i < n; i++)
		v->turn[i].skew->cuts = p->cuts;
	return 0;
}

static size_t
other_ends(const struct sw_turns *v, unsigned i)
{
	size_t n = 0;

	for (unsigned k = 0; k < v->n; k++)
		n += k == i ? 0 : v->turn[k].ends;
	return n;
}

/* What the round before has left, of all that its lanes had. */
static uint64_t
before(const struct sw_turns *v, unsigned i)
{
	return v->turn[(i ? i : v->n) - 1].left;
}

/* The first round that may go on; NULL: none.  The lock is held. */
static struct turn *
next_turn(struct sw_turns *v)
{
	struct turn *best = NULL;

	for (unsigned i = 0; i < v->n; i++) {
		struct turn *x = &v->turn[i];
		struct sw_skew *s = x->skew;
		size_t to;

		if (x->busy || s->done ||
		    (best && best->skew->first < s->first))
			continue;
		to = sw_skew_ready(s, &x->pass, before(v, i));
		if (to <= s->strip || (to < s->strips && to - s->strip < LEAST))
			continue;
		best = x;
		sw_skew_may(s, to, other_ends(v, i), TURN);
	}
	return best;
}

/* The lock is held, and given up meanwhile. */
static void
do_turn(struct sw_turns *v, struct turn *x)
{
	x->busy = true;
	v->busy++;
	pthread_mutex_unlock(&v->lock);
	sw_skew_run(x->skew, &x->pass, UINT64_MAX);
	pthread_mutex_lock(&v->lock);
	x->busy = false;
	v->busy--;
	x->left = sw_skew_strips_left(x->skew);
	x->ends = x->skew->ends;
	v->open -= x->skew->done;
	if (v->waiting)
		pthread_cond_broadcast(&v->change);
}

static void
work(void *ctx)
{
	struct sw_turns *v = ctx;

	pthread_mutex_lock(&v->lock);
	/* rounds in hand are left to those who have them */
	while (v->open > v->busy) {
		struct turn *x = next_turn(v);

		if (x) {
			do_turn(v, x);
			continue;
		}
		v->waiting++;
		pthread_cond_wait(&v->change, &v->lock);
		v->waiting--;
	}
	pthread_mutex_unlock(&v->lock);
}

int
sw_turns_pass(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	unsigned n = count_turns(p, crew_most(w->crew));
	int rc = n < 2 ? 1 : turns_of(w, e);

	if (!rc)
		rc = set(w->turns, p, n, crew_most(w->crew), e);
	if (rc)
		return rc;
	crew_call(w->crew, work, w->turns);
	p->threshold = w->turns->threshold;
	if (p->cuts)
		sw_cuts_close(p->cuts, p);
	return 0;
}
