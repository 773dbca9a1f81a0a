/* SPDX-License-Identifier: MIT */
/*
 * sw_skew.c - the pass by a skewed wavefront: the block and strip of each lane
 */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "sw/sw_beside.h"
#include "sw/sw_grid.h"
#include "sw/sw_skew.h"

/* Scores, letters and memory of a pass in skewed lanes. */

/* Less of a spread than that above the least H: 8 bits are of no use. */
enum { MIN_8 = 64 };

static void
set_tables(struct sw_skew *s, const struct sw_skew_match *m)
{
	for (unsigned i = 0; i < 16; i++) {
		int score = i % 8 ? s->mismatch : s->match;

		s->table8[i] = (uint8_t)(i ? s->mismatch : s->match);
		s->table16[i] = (uint8_t)(i > 7 ? score >> 8 : score);
	}
	memset(s->code, 4, sizeof s->code);
	for (unsigned a = 0; a < SW_LETTERS; a++)
		if (m->code[a] < 4)
			s->code[a] = m->code[a];
}

static void
sw_skew_scores(struct sw_skew *s, const struct sw_query *q,
	       const struct sw_skew_match *m)
{
	int first = q->s->open + q->s->extend, best8;

	s->open = q->s->open;
	s->extend = q->s->extend;
	s->match = q->best;
	s->mismatch = q->worst;
	s->reach = s->open + SW_SKEW_ROWS * s->extend;
	s->low_at = first + s->reach;
	s->zero8 = first + s->extend;
	if (s->zero8 < s->extend - s->mismatch)
		s->zero8 = s->extend - s->mismatch;
	s->zero8 = s->zero8 ? s->zero8 : 1;
	best8 = UINT8_MAX - s->match;
	s->limit8 = best8 - s->zero8;
	s->bytes_fit = s->limit8 - s->low_at >= MIN_8;
	set_tables(s, m);
}

/*
 * Strips, as many as lanes at least.  What fills the first one matches nothing,
 * so that H = 0 there, as above the query's first row.
 */
static int
sw_skew_room(struct sw_skew *s, struct err *e)
{
	const size_t rows = SW_SKEW_ROWS, n = s->part.to - s->part.from;
	const struct sw_skew *lead = s->part.lead;
	size_t letters, ends, own;

	s->strips = (n + rows - 1) / rows;
	if (s->strips < s->ops->lanes)
		s->strips = s->ops->lanes;
	s->fill = s->strips * rows - n;
	s->letters = s->strips + s->ops->lanes;
	letters = s->letters * rows;
	own = s->strips * (rows * sizeof *s->end + sizeof *s->end_most);
	own = lead ? 0 : own;
	ends = own + s->letters * sizeof *s->rows_gain;
	if (letters + ends > s->cap) {
		free(s->mem);
		s->cap = 0;
		s->mem = malloc(letters + ends);
		if (!s->mem)
			return err_nomem(e, letters + ends);
		s->cap = letters + ends;
	}
	s->end = lead ? lead->end : (void *)s->mem;
	s->end_most = lead ? lead->end_most :
			     (void *)(s->end + s->strips * rows);
	s->rows_gain = (void *)(s->mem + own);
	s->letter = s->mem + ends;
	memset(s->mem, 0, ends);
	return 0;
}

/* Entry x of a row is that of strip strips - 1 - x, modulo strips. */
static void
sw_skew_letters(struct sw_skew *s, const struct sw_query *q,
		const struct sw_skew_match *m)
{
	const uint8_t *code = q->code + s->part.from;

	for (size_t x = 0; x < s->letters; x++) {
		size_t strip = (2 * s->strips - 1 - x) % s->strips;

		for (size_t r = 0; r < SW_SKEW_ROWS; r++) {
			size_t i = strip * SW_SKEW_ROWS + r;
			uint8_t c = i < s->fill ? 255 :
				    m->code[code[i - s->fill]];

			s->letter[r * s->letters + x] =
			    c == 255 ? SW_SKEW_NO_LETTER : c;
		}
	}
}

/* Columns that the last lane leaves to the first. */

/*
 * H and E of the left column of a lane's strip; none is lower than what a gap
 * leads to from the corner: sw_skew_prune.c.
 */
void
sw_skew_put_column(struct sw_skew *s, unsigned lane,
		   const struct sw_checkpoint *end)
{
	const int32_t first = s->open + s->extend;
	struct sw_skew_side *left = &s->side[s->at];
	int32_t least = s->corner[lane] - s->open, low = INT32_MAX, most = 0;
	struct sw_checkpoint m[SW_SKEW_ROWS];

	for (unsigned r = 0; r < SW_SKEW_ROWS; r++) {
		least -= s->extend;
		m[r].h = end[r].h > least ? end[r].h : least;
		m[r].e = m[r].h - first;
		if (m[r].e < end[r].e)
			m[r].e = end[r].e;
		low = m[r].h < low ? m[r].h : low;
		most = m[r].h > most ? m[r].h : most;
	}
	low = low < first ? 0 : low - first;
	left->base[lane] = low;
	left->most[lane] = most;
	for (unsigned r = 0; r < SW_SKEW_ROWS; r++) {
		int32_t h = m[r].h - low, x = m[r].e - low;

		if (s->narrow) {
			h += s->zero8;
			x += s->zero8;
			left->h[r][lane] = h > 255 ? 255 : (uint8_t)h;
			left->e[r][lane] = x > 255 ? 255 : (uint8_t)x;
		} else {
			((int16_t *)(void *)left->h[r])[lane] = (int16_t)h;
			((int16_t *)(void *)left->e[r])[lane] = (int16_t)x;
		}
	}
}

void
sw_skew_put_left(struct sw_skew *s)
{
	static const struct sw_checkpoint none[SW_SKEW_ROWS];

	if (!s->fresh[0])
		sw_skew_put_column(s, 0, s->end + s->strip * SW_SKEW_ROWS);
	for (unsigned k = 0; s->n_fresh && k < s->ops->lanes; k++)
		if (s->fresh[k])
			sw_skew_put_column(s, k, none);
}

/* The strip of the last lane. */
static size_t
last_strip(const struct sw_skew *s)
{
	return (s->strip + s->strips - (s->ops->lanes - 1)) % s->strips;
}

static bool
leaves_none(const struct sw_skew *s)
{
	return s->mute && s->strip + 1 < s->ops->lanes;
}

static void
drop_end(struct sw_skew *s, size_t strip)
{
	if (!s->end_most[strip])
		return;
	memset(s->end + strip * SW_SKEW_ROWS, 0, SW_SKEW_ROWS * sizeof *s->end);
	s->end_most[strip] = 0;
	s->ends--;
}

void
sw_skew_drop_end(struct sw_skew *s)
{
	if (!leaves_none(s))
		drop_end(s, last_strip(s));
}

/*
 * What the last lane left of its strip; before its first block the column
 * before all of them stays.
 */
static void
sw_skew_take_end(struct sw_skew *s)
{
	const struct sw_skew_side *right = &s->side[s->at];
	unsigned k = s->ops->lanes;
	size_t strip = last_strip(s);
	int32_t first = s->open + s->extend, most = 0;

	if (leaves_none(s))
		return;
	for (unsigned r = 0; r < SW_SKEW_ROWS; r++) {
		struct sw_checkpoint *end = &s->end[strip * SW_SKEW_ROWS + r];

		end->h = sw_skew_value(s, right->h[r], k, right->base[k]);
		end->e = sw_skew_value(s, right->e[r], k, right->base[k]);
		if (end->e < end->h - first)
			end->e = end->h - first;
		if (end->e < 0)
			end->e = 0;
		most = end->h > most ? end->h : most;
	}
	s->ends = s->ends + (most > 0) - (s->end_most[strip] > 0);
	s->end_most[strip] = most;
}

/* Rows that one part of the query leaves to the next. */

static int16_t *
vector_words(uint8_t *x)
{
	return (int16_t *)(void *)x;
}

/* The base of a lane, as a step would choose it. */
static int32_t
base_of(const struct sw_skew *s, int32_t low)
{
	return low > s->low_at ? low - s->low_at : 0;
}

static void
put_row(struct sw_skew *s, unsigned lane, const struct sw_skew_row *row)
{
	struct sw_skew_edge *x = &s->edge[s->at];
	int32_t base = s->base[lane];

	for (unsigned j = 0; j < SW_BLOCK; j++) {
		unsigned i = j * s->ops->lanes + lane;
		int32_t h = row->h[j] - base, f = row->f[j] - base;

		if (s->narrow) {
			x->h[i] = (uint8_t)(h + s->zero8);
			x->f[i] = (uint8_t)(f + s->zero8);
		} else {
			vector_words(x->h)[i] = (int16_t)h;
			vector_words(x->f)[i] = (int16_t)(f > 0 ? f : 0);
		}
	}
}

/* H = 0 and F = 0. */
static void
put_zeros(struct sw_skew *s, unsigned lane)
{
	struct sw_skew_edge *x = &s->edge[s->at];
	unsigned lanes = s->ops->lanes;

	for (unsigned j = 0, i = lane; j < SW_BLOCK; j++, i += lanes)
		if (s->narrow)
			x->h[i] = x->f[i] = (uint8_t)s->zero8;
		else
			vector_words(x->h)[i] = vector_words(x->f)[i] = 0;
	s->low[lane] = s->most[lane] = s->base[lane] = 0;
	s->top[lane] = s->bound[lane] = s->want[lane] = -1;
}

/* With a new base.  A row of too large a spread for 8 bits ends them for all
 * lanes. */
void
sw_skew_put_row(struct sw_skew *s, unsigned lane,
		const struct sw_skew_row *row)
{
	int32_t low, most;

	low = most = row->h[0];
	for (unsigned j = 1; j < SW_BLOCK; j++) {
		low = row->h[j] < low ? row->h[j] : low;
		most = row->h[j] > most ? row->h[j] : most;
	}
	s->low[lane] = low;
	s->most[lane] = most;
	s->base[lane] = base_of(s, low);
	if (s->narrow && most - s->base[lane] > s->limit8)
		sw_skew_widen(s);
	put_row(s, lane, row);
}

/* What the parts above found of a block. */
static void
take_tops(struct sw_skew *s, unsigned lane, uint64_t block)
{
	const struct sw_skew_row *row = s->part.above ?
	    &s->part.above[block % SW_SKEW_RING] : NULL;

	s->top[lane] = s->want[lane] = row ? row->top : -1;
	s->bound[lane] = row ? row->bound : -1;
}

/*
 * The corner is the H left of the row, of the block before: 0 where a segment
 * begins.
 */
static void
sw_skew_take(struct sw_skew *s, unsigned lane, uint64_t block)
{
	const struct sw_skew_row *row;

	if (!s->part.above || block == SW_SKEW_NO_BLOCK) {
		put_zeros(s, lane);
		return;
	}
	row = &s->part.above[block % SW_SKEW_RING];
	s->corner[lane] = s->fresh[lane] ? 0 : s->row_corner;
	s->row_corner = row->h[SW_BLOCK - 1];
	sw_skew_put_row(s, lane, row);
	if (row->most || s->corner[lane])
		s->zero = false;
	take_tops(s, lane, block);
}

static void
sw_skew_give(struct sw_skew *s, unsigned lane, uint64_t block)
{
	struct sw_skew_row *row = &s->part.below[block % SW_SKEW_RING];
	struct sw_skew_edge *x = &s->edge[s->at];
	int32_t base = s->base[lane];

	row->top = s->top[lane];
	row->bound = s->bound[lane];
	row->most = 0;
	if (s->zero) {
		memset(row->h, 0, sizeof row->h);
		memset(row->f, 0, sizeof row->f);
		return;
	}
	for (unsigned j = 0; j < SW_BLOCK; j++) {
		unsigned i = j * s->ops->lanes + lane;

		row->h[j] = sw_skew_value(s, x->h, i, base);
		row->f[j] = sw_skew_value(s, x->f, i, base);
		if (row->most < row->h[j])
			row->most = row->h[j];
	}
}

/*
 * The pass in skewed lanes by several threads
 *
 * The query is cut into bands of rows.  A band goes on by as many blocks as
 * there are lanes when the band above has left them and the band below has room
 * for what it leaves; whoever is free takes the band that is furthest behind.
 * So bands move over the text like a wave.  There are more of them than
 * threads, as a band can begin only when the one above has gone through all its
 * rows once; but each has many strips, as its first row and its last go from
 * vectors to the ring and back.  Of relatives few bands have work at a time:
 * see sw_skew_prune.c.
 *
 * Nobody waits for ever: of the bands that are not done, let i be the last that
 * may not go on for want of what is above.  Band i - 1 is not done, and as band
 * i has taken all that it left, it has room; so it is in hand, or it waits for
 * the one above itself, and so on; the first band never does.
 */

enum {
	MAX_BANDS = 64,	/* bands */
	BANDS = 4,	/* for each thread, if they have many rows; */
	ROWS = 2048,	/* that are many */
};

struct band {
	struct sw_skew *skew;
	struct sw_pass pass;
	uint64_t done;		/* blocks that it took */
	bool busy;
};

struct sw_wave {
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct sw_pass *p;
	struct band band[MAX_BANDS];
	size_t n, open, busy;	/* bands: all, not done, in hand */
	uint64_t blocks;
	int64_t threshold;
	struct sw_skew_row *ring;	/* between bands */
	size_t n_ring;
};

void
sw_wave_free(struct sw_wave *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < MAX_BANDS; i++)
		sw_skew_free(v->band[i].skew);
	free(v->ring);
	pthread_cond_destroy(&v->change);
	pthread_mutex_destroy(&v->lock);
	free(v);
}

static int
wave_of(struct sw_work *w, struct err *e)
{
	if (w->wave)
		return 0;
	w->wave = calloc(1, sizeof *w->wave);
	if (!w->wave)
		return err_nomem(e, sizeof *w->wave);
	pthread_mutex_init(&w->wave->lock, NULL);
	pthread_cond_init(&w->wave->change, NULL);
	return 0;
}

/* Of the last band. */
static int64_t
raise_threshold(void *ctx, uint64_t block, int64_t top)
{
	struct sw_wave *v = ctx;
	int64_t threshold = v->p->raise(v->p->ctx, block, top);

	__atomic_store_n(&v->threshold, threshold, __ATOMIC_RELAXED);
	return threshold;
}

static size_t
bands_of(const struct sw_pass *p, unsigned threads, size_t *from)
{
	size_t least = threads < MAX_BANDS ? threads : MAX_BANDS;
	size_t most = BANDS * least;

	if (most > p->q->n / ROWS)
		most = p->q->n / ROWS;
	if (most > MAX_BANDS)
		most = MAX_BANDS;
	return sw_skew_split(p->q, most > least ? most : least, from);
}

static int
set_band(struct sw_wave *v, size_t i, const size_t *from, struct err *e)
{
	struct band *b = &v->band[i];
	struct sw_skew_row *ring = v->ring + i * SW_SKEW_RING;
	const struct sw_skew_part part = {
		.from = from[i], .to = from[i + 1],
		.above = i ? ring - SW_SKEW_RING : NULL,
		.below = i + 1 < v->n ? ring : NULL,
		.threshold = &v->threshold,
	};

	b->pass = (struct sw_pass){
	    .q = v->p->q,
	    .t = v->p->t,
	    .peak = v->p->peak,
	    .threshold = v->threshold,
	    .raise = raise_threshold,
	    .ctx = v,
	    .floor = v->p->floor,
	    .absent = v->p->absent,
	    .gauge = v->p->gauge,
	};
	b->done = 0;
	b->busy = false;
	return sw_skew_begin(&b->skew, &b->pass, &part, e);
}

static int
set(struct sw_wave *v, struct sw_pass *p, unsigned threads, struct err *e)
{
	size_t from[MAX_BANDS + 1];
	int rc;

	v->n = v->open = bands_of(p, threads, from);
	if (v->n < 2)
		return 1;
	v->p = p;
	v->busy = 0;
	v->blocks = p->t->n / SW_BLOCK;
	v->threshold = p->threshold;
	rc = array_room(&v->ring, &v->n_ring, (v->n - 1) * SW_SKEW_RING,
		     sizeof *v->ring, e);
	for (size_t i = 0; i < v->n && !rc; i++)
		rc = set_band(v, i, from, e);
	return rc;
}

/* How far may the band go?  The ring holds what the band below did not take. */
static uint64_t
reach(const struct sw_wave *v, size_t i)
{
	const struct band *b = &v->band[i];
	uint64_t limit = b->done + b->skew->ops->lanes, most = v->blocks;

	if (i)
		most = sw_skew_left(b[-1].skew, v->p, b[-1].done);
	if (i + 1 < v->n && b[1].done + SW_SKEW_RING < most)
		most = b[1].done + SW_SKEW_RING;
	return limit < most ? limit : most;
}

/* Behind by blocks, and by those that it must leave to all below. */
static struct band *
next_band(struct sw_wave *v, uint64_t *limit)
{
	struct band *best = NULL;
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < v->n; i++) {
		struct band *b = &v->band[i];
		uint64_t at = b->done + i * b->skew->ops->lanes, to;

		if (b->busy || at >= least)
			continue;
		to = reach(v, i);
		if (to > b->done) {
			best = b;
			least = at;
			*limit = to;
		}
	}
	return best;
}

/* The lock is held, and given up meanwhile. */
static void
wait_band(struct sw_wave *v, struct band *b, uint64_t limit)
{
	b->busy = true;
	v->busy++;
	pthread_mutex_unlock(&v->lock);
	sw_skew_run(b->skew, &b->pass, limit);
	pthread_mutex_lock(&v->lock);
	b->busy = false;
	v->busy--;
	b->done = limit;
	v->open -= limit == v->blocks;
	pthread_cond_broadcast(&v->change);
}

static void
work(void *ctx)
{
	struct sw_wave *v = ctx;

	pthread_mutex_lock(&v->lock);
	/* bands in hand are left to those who have them */
	while (v->open > v->busy) {
		uint64_t limit = 0;
		struct band *b = next_band(v, &limit);

		if (b)
			wait_band(v, b, limit);
		else
			pthread_cond_wait(&v->change, &v->lock);
	}
	pthread_mutex_unlock(&v->lock);
}

/* sw_skew_pass() by w->crew.  1: there is but one part. */
static int
sw_wave_pass(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	int rc = wave_of(w, e);

	if (!rc)
		rc = set(w->wave, p, crew_most(w->crew), e);
	if (rc || w->wave->blocks == 0)
		return rc;
	crew_call(w->crew, work, w->wave);
	p->threshold = w->wave->threshold;
	return 0;
}

/* The pass in skewed lanes: which lane has which block and strip. */

enum {
	AGAIN_COST = 8,		/* steps that record for what one again costs */
	MANY_AGAIN = 128, RECORD = 512,
	WORTH_CALM = 16,	/* texts of so many blocks a lane */
	LOW_MATCHES = 40,	/* what scores by chance is less, mostly */
};

void
sw_skew_free(struct sw_skew *s)
{
	if (!s)
		return;
	free(s->mem);
	free(s);
}

static void
set_want(struct sw_skew *s, unsigned lane)
{
	int64_t least = s->threshold > INT32_MAX ? INT32_MAX :
						   s->threshold - 1;

	if (s->want[lane] < least)
		s->want[lane] = (int32_t)least;
}

/* letters: of the block, or NULL for a lane that has none. */
static void
begin_strip(struct sw_skew *s, unsigned lane, const uint8_t *letters,
	    bool fresh)
{
	uint8_t *col = s->col + lane;
	unsigned lanes = s->ops->lanes;

	for (unsigned j = 0; j < SW_BLOCK; j++)
		col[j * lanes] = s->code[letters ? letters[j] : SW_PAD];
	s->idle = false;
	s->corner[lane] = 0;
	s->n_fresh += fresh - s->fresh[lane];
	s->fresh[lane] = fresh;
}

static void
begin_idle(struct sw_skew *s, unsigned lane)
{
	begin_strip(s, lane, NULL, true);
	sw_skew_set_gain(s, lane, 0);
	sw_skew_take(s, lane, SW_SKEW_NO_BLOCK);
	s->want[lane] = INT32_MAX;
}

static int64_t
larger_band(int64_t a, const int64_t *b)
{
	int64_t x = b ? __atomic_load_n(b, __ATOMIC_RELAXED) : a;

	return x > a ? x : a;
}

/* The threshold may be that of another part, or of others. */
static void
see_threshold(struct sw_skew *s, struct sw_pass *p)
{
	p->threshold =
	    larger_band(larger_band(p->threshold, s->part.threshold), p->floor);
	if (p->threshold == s->threshold)
		return;
	s->threshold = p->threshold;
	for (unsigned k = 0; k < s->ops->lanes; k++)
		set_want(s, k);
}

/* Of the segments, the first that begins at a block or behind it; *seg: one no
 * later.  Does it begin there? */
static bool
see_segment(const struct sw_text *t, size_t *seg, uint64_t block)
{
	while (*seg < t->n_seg && t->seg[*seg].beg / SW_BLOCK < block)
		++*seg;
	return *seg < t->n_seg && t->seg[*seg].beg / SW_BLOCK == block;
}

/* What a block's columns, and those of its segment behind them, may add. */
static int32_t
gain_of(const struct sw_skew *s, const struct sw_pass *p, size_t *seg,
	uint64_t block)
{
	const bool begins = see_segment(p->t, seg, block);
	uint64_t left = p->t->seg[*seg - !begins].end / SW_BLOCK - block;
	int32_t gain = sw_skew_gain(s, left * SW_BLOCK);

	if (s->loss)
		gain -= sw_skew_lost(s, p->absent->blocks[block] -
				     p->absent->blocks[block + left]);
	return gain;
}

static void
begin_block(struct sw_skew *s, struct sw_pass *p, unsigned lane,
	    uint64_t block)
{
	const struct sw_text *t = p->t;

	see_threshold(s, p);
	if (block >= t->n / SW_BLOCK) {
		begin_idle(s, lane);
		return;
	}
	begin_strip(s, lane, t->codes + block * SW_BLOCK,
		    see_segment(t, &s->seg, block));
	if (s->prunes)	/* borders may have no segments */
		sw_skew_set_gain(s, lane, gain_of(s, p, &s->seg, block));
	sw_skew_take(s, lane, block);
	set_want(s, lane);
}

static void
report_block(struct sw_skew *s, struct sw_pass *p, unsigned lane,
	     uint64_t block)
{
	struct sw_peak *peak;

	if ((s->borders && !s->records) || s->mask)
		return;
	if (s->part.below) {
		sw_skew_give(s, lane, block);
		return;
	}
	peak = &p->peak[block];
	peak->exact = s->top[lane] >= s->bound[lane];
	peak->bound = peak->exact ? s->top[lane] : s->bound[lane];
	if (peak->bound < 0)
		peak->bound = 0;
	if (peak->exact && peak->bound >= p->threshold)
		p->threshold = p->raise(p->ctx, block, peak->bound);
}

void
sw_skew_widen(struct sw_skew *s)
{
	s->did.failed8++;
	s->ops->widen(s);
	s->narrow = false;
	sw_backoff_failed(&s->retry);
}

static void
try_8(struct sw_skew *s)
{
	if (s->narrow || !s->bytes_fit || !sw_backoff_now(&s->retry) ||
	    !s->ops->narrow(s))
		return;
	s->did.narrowed++;
	s->narrow = true;
	sw_skew_put_left(s);
}

/* If many steps were done again, each is recorded at once for a while. */
static void
set_recording(struct sw_skew *s)
{
	s->did.reruns += s->reruns;
	s->did.recorded += s->record;
	if (s->recording) {
		s->recording--;
	} else if (s->reruns) {
		s->many += AGAIN_COST;
	} else if (s->many) {
		s->many--;
	}
	if (s->many > MANY_AGAIN) {
		s->recording = RECORD;
		s->many = MANY_AGAIN - AGAIN_COST;
	}
	s->record = s->records || s->recording > 0;
	s->reruns = 0;
}

static void
step_block(struct sw_skew *s)
{
	sw_skew_put_left(s);
	if (s->prunes && sw_skew_prune(s))
		return;
	s->zero = false;
	try_8(s);
	if (s->mask)
		sw_mask_before(s);
	if (s->narrow && !s->ops->step8(s)) {
		sw_skew_widen(s);
		sw_skew_put_left(s);
	}
	if (s->narrow) {
		s->retry.run++;
		s->did.steps8++;
	} else {
		s->ops->step16(s);
		s->did.steps16++;
	}
	sw_skew_lower_corners(s);
	sw_skew_take_end(s);
	if (s->borders)
		sw_borders_take(s);
	if (s->cuts)
		sw_cuts_take(s);
	if (s->mask)
		sw_mask_after(s);
	set_recording(s);
}

/*
 * Are scores low?  Then lanes that need the same letter of the query are
 * faster by a third.  The first blocks do not count: scores that grow without
 * bound have not grown yet.  Low is what fits 8 bits, or where nothing does,
 * a few matches.
 */
static bool
is_calm(const struct sw_skew *s, const struct sw_pass *p)
{
	unsigned lanes = s->ops->lanes, low = 0;
	int64_t most = s->bytes_fit ? s->limit8 - s->reach :
				      LOW_MATCHES * (int64_t)s->match;

	for (unsigned b = lanes; b < 2 * lanes; b++)
		low += p->peak[b].bound <= most;
	return 2 * low > lanes;
}

/* Block b is done; false: the rest is left to others. */
static bool
goes_on(const struct sw_skew *s, const struct sw_pass *p, uint64_t b)
{
	unsigned lanes = s->ops->lanes;

	/* others leave nothing out */
	if (!p->may_calm || 2 * s->left_out > s->strips)
		return true;
	return b != 2 * lanes - 1 ||
	       p->t->n / SW_BLOCK < WORTH_CALM * lanes || !is_calm(s, p);
}

/* Adds the steps that were left out since the last call to the pass. */
static void
count_skipped(struct sw_skew *s, struct sw_pass *p)
{
	const uint64_t step = s->ops->lanes * SW_SKEW_ROWS * SW_BLOCK;

	sw_pass_did(p, (s->part.to - s->part.from) * SW_BLOCK,
		    (s->left_out - s->counted_out) * step);
	s->counted_out = s->left_out;
}

/* Can no path to what is sought begin in the lanes' blocks, or the next? */
static bool
none_begins(const struct sw_skew *s, const struct sw_pass *p)
{
	int32_t rows = sw_skew_rows_gain(s), most = 0;
	size_t seg = s->seg;

	for (unsigned k = 0; k < s->ops->lanes; k++) {
		int32_t gain = gain_of(s, p, &seg, s->first + k);

		gain = gain > s->gain[k] ? gain : s->gain[k];
		most = gain > most ? gain : most;
	}
	return s->threshold > (most < rows ? most : rows);
}

/*
 * At the first strip: is all 0 that the next blocks and the lanes' come from,
 * and of no use?  Then all steps of the round would be left out, as
 * sw_skew_prune.c says.
 */
static bool
round_is_dead(struct sw_skew *s, struct sw_pass *p)
{
	if (!s->prunes || s->mask || !s->zero || s->ready < s->strips ||
	    s->ends + s->other_ends)
		return false;
	for (unsigned k = 0; s->part.above && k < s->ops->lanes; k++)
		if (s->part.above[(s->first + k) % SW_SKEW_RING].most)
			return false;
	see_threshold(s, p);
	return none_begins(s, p);
}

/*
 * The next round.  By turns others wait for what the last lanes have yet to
 * leave.  If all is 0, as the last step was left out, that is 0, too, and need
 * not be waited for: none of these lanes mattered then, and in rows further
 * down less can be added.
 */
static void
next_round(struct sw_skew *s)
{
	const unsigned behind = s->ops->lanes - 1;

	s->mute = false;
	if (s->part.turns) {
		s->mute = s->zero;
		s->ready = 0;
	}
	for (s->strip = 0; s->mute && s->strip < behind; s->strip++)
		drop_end(s, last_strip(s));
	s->strip = 0;
	s->first += s->stride;
}

/* The lanes take these blocks, without their letters. */
static void
skip_round(struct sw_skew *s, struct sw_pass *p)
{
	for (unsigned k = 0; k < s->ops->lanes; k++) {
		const uint64_t block = s->first + k;

		if (s->first > s->start) {
			report_block(s, p, k, block - s->stride);
			count_skipped(s, p);
		}
		if (!s->idle)
			begin_strip(s, k, NULL, false);
		sw_skew_set_gain(s, k, gain_of(s, p, &s->seg, block));
		take_tops(s, k, block);
		set_want(s, k);
	}
	s->idle = true;
	s->row_corner = 0;
	s->left_out += s->strips;
	next_round(s);
}

enum { GO_ON, LEAVE = 1, PAUSE };

/* Lane k is done with its block, if it has one, and takes the next. */
static int
change_block(struct sw_skew *s, struct sw_pass *p, unsigned k, uint64_t limit)
{
	const uint64_t blocks = p->t->n / SW_BLOCK, had = s->first + k -
							  s->stride;
	const bool some = s->first > s->start;

	if (limit < blocks && s->first + k >= limit)
		return PAUSE;
	if (some) {
		report_block(s, p, k, had);
		count_skipped(s, p);
	}
	if (some && (had == blocks - 1 ||
		     (s->first >= blocks && k + 1 == s->ops->lanes))) {
		s->done = true;
		return PAUSE;
	}
	if (some && !goes_on(s, p, had))
		return LEAVE;
	begin_block(s, p, k, s->first + k);
	return GO_ON;
}

static int
run_skew(struct sw_skew *s, struct sw_pass *p, uint64_t limit)
{
	uint64_t blocks = p->t->n / SW_BLOCK;
	uint64_t most = limit < blocks ? limit : blocks;
	unsigned lanes = s->ops->lanes;
	int rc = GO_ON;

	for (;;) {
		while (!s->strip && s->first + lanes <= most &&
		       round_is_dead(s, p))
			skip_round(s, p);
		if (s->strip >= s->ready || !s->steps)
			return 0;
		s->steps--;
		if (s->strip < lanes)
			rc = change_block(s, p, (unsigned)s->strip, limit);
		if (rc)
			return rc == LEAVE;
		step_block(s);
		if (s->mask && s->mask->stop)
			return 1;
		if (++s->strip == s->strips)
			next_round(s);
	}
}

void
sw_skew_may(struct sw_skew *s, size_t ready, size_t ends, uint64_t steps)
{
	s->ready = ready;
	s->other_ends = ends;
	s->steps = steps;
}

uint64_t
sw_skew_strips_left(const struct sw_skew *s)
{
	const uint64_t rounds = (s->first - s->start) / s->stride * s->strips;
	const unsigned behind = s->ops->lanes - 1;

	if (s->mute)
		return rounds + (s->strip > behind ? s->strip - behind : 0);
	return rounds + s->strip - behind;
}

size_t
sw_skew_ready(const struct sw_skew *s, const struct sw_pass *p, uint64_t left)
{
	uint64_t round = (s->first - s->start) / s->stride;

	if (s->first == 0 || s->first >= p->t->n / SW_BLOCK)
		return s->strips;
	round = (s->part.turn ? round : round - 1) * s->strips;
	return left < round ? 0 : (size_t)min_u64(left - round, s->strips);
}

int
sw_skew_run(struct sw_skew *s, struct sw_pass *p, uint64_t limit)
{
	int rc = run_skew(s, p, limit);

	sw_pass_flush(p);
	return rc;
}

uint64_t
sw_skew_left(const struct sw_skew *s, const struct sw_pass *p, uint64_t limit)
{
	if (limit >= p->t->n / SW_BLOCK)
		return p->t->n / SW_BLOCK;
	return limit > s->ops->lanes ? limit - s->ops->lanes : 0;
}

static void
reset(struct sw_skew *s)
{
	memset(s->edge, 0, sizeof s->edge);
	memset(s->side, 0, sizeof s->side);
	memset(s->fresh, 0, sizeof s->fresh);
	s->n_fresh = s->at = 0;
	s->row_corner = 0;
	s->zero = s->idle = false;
	s->ends = 0;
	s->n_raised = 0;
	s->left_out = s->counted_out = 0;
	s->threshold = 0;
	s->seg = s->strip = 0;
	s->first = s->start = s->part.turn * s->ops->lanes;
	s->stride = (s->part.turns ? s->part.turns : 1) * s->ops->lanes;
	sw_skew_may(s, s->strips, 0, UINT64_MAX);
	s->mute = true;
	s->done = false;
	s->narrow = s->bytes_fit;
	s->record = s->records;
	s->retry = (struct sw_backoff){ 0 };
	s->recording = s->many = s->reruns = 0;
	for (unsigned k = 0; k < s->ops->lanes; k++)
		begin_idle(s, k);
}

int
sw_skew_begin(struct sw_skew **out, const struct sw_pass *p,
	      const struct sw_skew_part *part, struct err *e)
{
	const struct sw_skew_ops *ops = KERN_PICK_VECTOR(&sw_skew_ops);
	struct sw_skew *s = *out;
	struct sw_skew_match m;
	int rc;

	if (!ops || !sw_skew_match(p->q, &m))
		return 1;
	if (!s) {
		s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
		if (!s)
			return err_nomem(e, sizeof *s);
		memset(s, 0, sizeof *s);
		*out = s;
	}
	s->ops = ops;
	s->part = *part;
	s->borders = p->borders;
	s->cuts = NULL;
	s->records = p->borders && p->peak;
	s->mask = p->mask;
	sw_skew_scores(s, p->q, &m);
	rc = sw_skew_room(s, e);
	if (rc)
		return rc;
	sw_skew_letters(s, p->q, &m);
	sw_skew_plan_prune(s, p->q, p->absent);
	reset(s);
	if (s->mask)
		sw_mask_open(s);
	return 0;
}

int
sw_skew_pass(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	const struct sw_skew_part all = { .to = p->q->n };
	int rc = w->crew ? sw_turns_pass(p, w, e) : 1;

	if (rc == 1 && w->crew)
		rc = sw_wave_pass(p, w, e);

	if (rc != 1)
		return rc;
	rc = sw_skew_begin(&w->skew, p, &all, e);
	if (rc || p->t->n == 0)
		return rc;
	return sw_skew_run(w->skew, p, UINT64_MAX);
}

size_t
sw_skew_split(const struct sw_query *q, size_t most, size_t *from)
{
	const struct sw_skew_ops *ops = KERN_PICK_VECTOR(&sw_skew_ops);
	size_t strips = q->n / SW_SKEW_ROWS, n = 1;

	if (ops && strips / ops->lanes > 1)
		n = strips / ops->lanes < most ? strips / ops->lanes : most;
	from[0] = 0;
	for (size_t i = 1; i <= n; i++)
		from[i] = q->n - (n - i) * strips / n * SW_SKEW_ROWS;
	return n;
}
