/* SPDX-License-Identifier: MIT */
/* ebwt_pairs.c - distances of pairs of words, from runs of conjugacy classes */

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "ebwt/ebwt_priv.h"

/*
 * The runs of all pairs, in one pass over the sorted rotations
 *
 * Let the rows of two words c, d alternate in runs.  A run of c's, but the
 * first of all, begins where the last row of d is behind the last one of c, so
 * this pass counts, at each row of c, the words with a later last row.  Runs of
 * d's lie between, before or behind those: their number is known from who has
 * the first and who the last row of both.  With k counted for c:
 * 	first c, last c: k + 1 of c's, k of d's	first d, last c: k, k
 * 	first c, last d: k + 1, k + 1		first d, last d: k, k + 1
 * Rows of a word of exponent t lie t times side by side: as many runs.
 */

struct count {
	struct ebwt *x;
	struct ebwt_tiling g;
	bool one_pair;		/* and no other class */
	/* By class: number of the row, from 1; or 0. */
	uint64_t *first, *last;
	uint32_t *of_row, *of_column;	/* classes by numbers */
	unsigned n_stretches;
	struct ebwt_stretch *stretch;
	/* By stretch and class: the last row before the stretch. */
	uint64_t *before;
	struct ebwt_tile_work *work;	/* by thread */
	/* of a batch */
	const struct ebwt_batch *batch;
	uint64_t n_tiles;
	/* or of colours that share classes: some of the rows that it is */
	struct ebwt_kept kept;
	uint32_t *event;
	size_t n_events;
	uint64_t before_events;
};
/* Of these at a time, or as many as one class has. */
enum { EVENTS = 1 << 20 };

/* The same of rows that are colours already. */
static void
look_at_events(struct count *t, uint64_t i)
{
	uint64_t beg = t->n_events * i / t->n_stretches;
	uint64_t end = t->n_events * (i + 1) / t->n_stretches;
	uint64_t *last = t->before + i * t->x->n_kinds;

	for (uint64_t k = beg; k < end; k++)
		last[t->event[k]] = t->before_events + k + 1;
	t->stretch[i] = (struct ebwt_stretch){ t->event + beg, end - beg,
					       last };
}

/*
 * A stretch's share of the batch: colours, in place of the items, of which the
 * first half is room enough; and each class's last row in the stretch.
 */
static void
colour(void *arg, uint64_t i, unsigned thread)
{
	struct count *t = arg;
	const struct ebwt_batch b = *t->batch;	/* no store changes it */
	uint64_t beg = b.n * i / t->n_stretches;
	uint64_t end = b.n * (i + 1) / t->n_stretches;
	uint32_t *to = b.plain ? b.plain + beg : (uint32_t *)(b.item + beg);
	uint64_t *last = t->before + i * t->x->n_kinds;
	const uint32_t *kind_of = t->x->kind_of;

	(void)thread;
	memset(last, 0, t->x->n_kinds * sizeof *last);
	if (t->event) {
		look_at_events(t, i);
		return;
	}
	for (uint64_t k = beg; k < end; k++) {
		uint32_t c = ebwt_class(&b, k);

		if (kind_of)
			c = kind_of[c];
		last[c] = b.base + k + 1;
		*to++ = c;
	}
	t->stretch[i] = (struct ebwt_stretch){ to - (end - beg), end - beg,
					       last };
}

/* Last rows within stretches become those before them, and after the batch. */
static void
chain_rows(struct count *t)
{
	size_t n = t->x->n_kinds;

	for (unsigned i = 0; i < t->n_stretches; i++)
		for (size_t c = 0; c < n; c++) {
			uint64_t *at = &t->before[i * n + c], found = *at;

			*at = t->last[c];
			if (found)
				t->last[c] = found;
		}
}

/* First rows of classes that had none: few batches have any. */
static void
find_first(struct count *t)
{
	uint64_t base = t->event ? t->before_events : t->batch->base;
	size_t missing = 0;
	uint64_t done = 0;

	for (size_t c = 0; c < t->x->n_kinds; c++)
		missing += !t->first[c] && t->last[c];
	for (unsigned i = 0; missing && i < t->n_stretches; i++) {
		const struct ebwt_stretch *s = &t->stretch[i];

		for (uint64_t k = 0; missing && k < s->n; k++)
			if (!t->first[s->colour[k]]) {
				t->first[s->colour[k]] = base + done + k + 1;
				missing--;
			}
		done += s->n;
	}
}

static uint32_t
tiles(uint32_t n)
{
	return (n + EBWT_TILE - 1) / EBWT_TILE;
}

/* The tile of a number: of all pairs those with a row below the column. */
static struct ebwt_tile
tile_of(const struct ebwt_pairs *p, uint64_t k)
{
	struct ebwt_tile t = { .rows = p->n_rows, .columns = p->n_columns };
	uint32_t across = tiles(p->n_columns), i = 0, j;

	if (p->n_queries) {
		i = (uint32_t)(k / across);
		j = (uint32_t)(k % across);
	} else {
		while (k > i)
			k -= ++i;
		j = (uint32_t)k;
	}
	t.row = i * EBWT_TILE;
	t.rows = (uint32_t)min_u64(p->n_rows - t.row, EBWT_TILE);
	t.column = j * EBWT_TILE;
	t.columns = (uint32_t)min_u64(p->n_columns - t.column, EBWT_TILE);
	return t;
}

/*
 * There are only the two classes of one pair: then a row of c counts if the row
 * before is not of c.
 */
static void
count_pair(void *arg, uint64_t i, unsigned thread)
{
	struct count *t = arg;
	const struct ebwt_stretch *s = &t->stretch[i];
	const struct ebwt_pairs *p = t->g.p;
	uint32_t row = p->n_queries ? 0 : 1, c = t->of_row[row];
	uint64_t n = ebwt_ops()->begins(s->colour, s->n, c);

	(void)thread;
	n += s->n && s->colour[0] == c && s->last[!c] > s->last[c];
	pthread_mutex_lock(t->g.lock);
	p->begins[ebwt_cell(p, row, 0)] += (uint32_t)n;
	pthread_mutex_unlock(t->g.lock);
}

static void
count_tile(void *arg, uint64_t i, unsigned thread)
{
	struct count *t = arg;
	struct ebwt_tile tile = tile_of(t->g.p, i / t->n_stretches);

	ebwt_tile(&t->g, &tile, &t->stretch[i % t->n_stretches],
		  &t->work[thread]);
}

static void
count_rows(struct count *t, uint64_t n)
{
	unsigned threads = t->x->par.threads;

	t->n_stretches = ebwt_threads(t->x, n);
	threads_each(threads, t->n_stretches, colour, t);
	chain_rows(t);
	find_first(t);
	if (t->one_pair)
		threads_each(threads, t->n_stretches, count_pair, t);
	else
		threads_each(threads, t->n_tiles * t->n_stretches, count_tile,
			     t);
}

static int
count_take(void *arg, const struct ebwt_batch *b, struct err *e)
{
	struct count *t = arg;
	struct ebwt *x = t->x;
	size_t room = max_u64(EVENTS, x->n_colours);

	(void)e;
	t->batch = b;
	if (!t->event)
		count_rows(t, b->n);
	for (uint64_t i = 0; t->event && i < b->n;) {
		t->n_events = ebwt_kept_rows(&t->kept, x, b, &i, t->event,
					     room);
		count_rows(t, t->n_events);
		t->before_events += t->n_events;
	}
	if (x->par.progress)
		x->par.progress(x->par.progress_arg, b->base + b->n -
				x->par.origin, x->n_roots);
	return 0;
}

static int
count_room(struct count *t, struct err *e)
{
	struct ebwt *x = t->x;
	uint64_t n = x->n_kinds, threads = x->par.threads;
	int rc = ebwt_take(x, &t->of_row, n, sizeof *t->of_row, e);

	if (!rc)
		rc = ebwt_take(x, &t->of_column, n, sizeof *t->of_column, e);
	if (!rc)
		rc = ebwt_take(x, &t->before, threads * n, sizeof *t->before,
			       e);
	if (!rc)
		rc = ebwt_take(x, &t->stretch, threads, sizeof *t->stretch, e);
	if (!rc)
		rc = ebwt_take(x, &t->work, threads, sizeof *t->work, e);
	if (!rc && x->shares)
		rc = ebwt_take(x, &t->event, max_u64(EVENTS, x->n_colours),
			       sizeof *t->event, e);
	if (!rc && x->shares)
		rc = ebwt_kept_new(&t->kept, x, e);
	if (rc)
		return rc;
	memset(t->work, 0, threads * sizeof *t->work);
	for (uint64_t i = 0; !rc && i < threads; i++)
		rc = ebwt_tile_room(&t->work[i], x, e);
	return rc;
}

static void
start_count(struct count *t)
{
	const struct ebwt_pairs *p = t->g.p;
	uint64_t cells = p->n_queries ? (uint64_t)p->n_rows * p->n_columns :
		(uint64_t)p->n_rows * (p->n_rows - 1) / 2, n = tiles(p->n_rows);

	memset(t->last, 0, t->x->n_kinds * sizeof *t->last);
	memset(t->first, 0, t->x->n_kinds * sizeof *t->first);
	memset(p->begins, 0, cells * sizeof *p->begins);
	for (uint32_t c = 0; c < t->x->n_kinds; c++) {
		if (p->row_of[c] != EBWT_NONE)
			t->of_row[p->row_of[c]] = c;
		if (p->column_of[c] != EBWT_NONE)
			t->of_column[p->column_of[c]] = c;
	}
	t->g.class_of_row = t->of_row;
	t->g.class_of_column = t->of_column;
	t->n_tiles = p->n_queries ? n * tiles(p->n_columns) : n * (n + 1) / 2;
	if (cells == 0)
		t->n_tiles = 0;
	t->one_pair = cells == 1 && t->x->n_kinds == 2;
}

/* Counts runs of each pair of classes; all of p but these are set. */
static int
ebwt_count(struct ebwt *x, struct ebwt_pairs *p, struct err *e)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct count t = {
		.x = x, .g = { .p = p, .lock = &lock,
			       .tally = ebwt_ops()->tally },
		.first = p->first, .last = p->last,
	};
	int rc = count_room(&t, e);

	if (!rc) {
		start_count(&t);
		rc = ebwt_sort(x, false, count_take, &t, e);
	}
	if (!rc && x->shares)
		rc = ebwt_share(x, &t.kept, p, e);
	ebwt_kept_free(&t.kept, x);
	ebwt_give(x, &t.event);
	for (unsigned i = 0; t.work && i < x->par.threads; i++)
		ebwt_tile_done(&t.work[i], x);
	ebwt_give(x, &t.of_row);
	ebwt_give(x, &t.of_column);
	ebwt_give(x, &t.before);
	ebwt_give(x, &t.stretch);
	ebwt_give(x, &t.work);
	return rc;
}

/* Which engine sorts, and what memory a job needs. */

enum {
	PLAIN_BYTES = 24,	/* a rotation, sorted by comparisons */
	FOUND_BYTES = 5,	/* an anchor that there is room for */
	ANCHOR_BYTES = 9,	/* an anchor, beside that and the slab */
	PLACE_BYTES = 5,	/* an anchor more, if offsets are wanted */
	ITEM_BYTES = 8,		/* a rotation */
	RANK_BYTES = 4,		/* a rotation, for entropy */
	LENGTHS_BYTES = (1 << 18) + 4200,	/* for entropy, two a thread */
	CLASS_BYTES = 8,	/* while pairs are counted */
	ROOM = 1 << 16,		/* for what is small */
};

int
ebwt_sort(struct ebwt *x, bool wants_offsets, ebwt_batch_fn *fn, void *arg,
	  struct err *e)
{
	bool served;
	int rc = ebwt_job_sort(x, fn, arg, &served, e);

	if (rc || served)
		return rc;
	return x->par.engine == EBWT_PLAIN ?
		ebwt_sort_plain(x, wants_offsets, fn, arg, e) :
		ebwt_sort_anchors(x, wants_offsets, fn, arg, e);
}

/* Anchors of rotations [i, i + n) of a class; a class has one. */
static unsigned
count_anchors(const struct ebwt *x, const struct ebwt_plan *p,
	      const struct ebwt_class *c, uint32_t i, unsigned n)
{
	uint8_t t[1 + EBWT_BLOCK + 48 + EBWT_PAD] = { 0 };
	uint32_t out[EBWT_BLOCK + 16], at = (i ? i : c->n) - 1;
	unsigned m;

	for (unsigned k = 0; k < 1 + n + p->letters; k++) {
		t[k] = x->code[c->root[at]];
		at = at + 1 == c->n ? 0 : at + 1;
	}
	m = ebwt_ops()->anchors(p, t + 1, n, out);
	return m ? m : 1;
}

/* How many there will be, as of a hundred blocks of 2000 letters: within a
 * percent or so, for which a fiftieth more is room. */
uint64_t
ebwt_guess_anchors(const struct ebwt *x, const struct ebwt_plan *p)
{
	enum { BLOCKS = 100 };
	uint64_t step = max_u64(EBWT_BLOCK, x->n_roots / BLOCKS), at = 0;
	uint64_t base = 0, sample = 0, anchors = 0;
	double guess;

	for (size_t i = 0; i < x->n_classes; i++) {
		const struct ebwt_class *c = &x->class[i];

		for (; at < base + c->n; at += step) {
			uint32_t from = (uint32_t)(at - base);
			unsigned n = (unsigned)min_u64(c->n - from, EBWT_BLOCK);

			anchors += count_anchors(x, p, c, from, n);
			sample += n;
		}
		base += c->n;
	}
	guess = (double)anchors / (double)sample * (double)x->n_roots;
	return min_u64(x->n_roots, (uint64_t)(1.02 * guess) +
		       min_u64(x->n_classes, 1 << 16) + 1000);
}

static struct ebwt_need
anchors_need(const struct ebwt *x, bool wants_offsets)
{
	uint64_t n = x->n_roots, c = x->n_classes, parts = ebwt_parts(x);
	unsigned threads = ebwt_threads(x, n);
	uint64_t m, large, some, order;
	struct ebwt_plan p;

	ebwt_plan(&p, x);
	m = ebwt_guess_anchors(x, &p);
	/* the largest bucket, and as much for each thread that sorts one */
	large = min_u64(n, (1 << 17) + n / 64) * ITEM_BYTES;
	some = n + 2 * p.letters * c + ROOM + ANCHOR_BYTES * m +
	       FOUND_BYTES * parts * ebwt_anchor_room(m, parts) +
	       (sizeof(uint64_t) + sizeof(uint32_t)) * c;
	some += wants_offsets ? PLACE_BYTES * m : 0;
	some += threads * large;
	some += (parts * sizeof(uint32_t) + sizeof(uint64_t)) <<
		ebwt_layout(x, &p, m, wants_offsets).bucket_bits;
	some += parts * sizeof(uint32_t) <<
		ebwt_bucket_bits(&p, m, ebwt_bits(m));
	order = ebwt_slab_bytes(threads, m);
	return (struct ebwt_need){
		some + max_u64(order, large),
		some + max_u64(order, ITEM_BYTES * ebwt_batch_size(x)), 0, 0,
	};
}

static uint64_t ebwt_pairs_bytes(const struct ebwt *x, const struct
		ebwt_pairs_job *job);

static double
number_of_pairs(const struct ebwt *x, const struct ebwt_pairs_job *job)
{
	double n = (double)x->n_sets, q = (double)job->n_queries;

	return q > 0 ? q * (n - q) : n * (n - 1) / 2;
}

/* Of random letters; a backend's work is not known.  Processors that have no
 * AVX-512 take longer for what vectors don't do, too. */
static double
pairs_ns(const struct ebwt *x, const struct ebwt_pairs_job *job)
{
	double n = (double)x->n_sets, pairs = number_of_pairs(x, job);
	double letters = (double)x->n_rows / n;	/* of a word */
	double kept = 2 * (double)x->n_kept;	/* merged with each other */
	double slower = cpu_isa() == ISA_AVX512 ? 1 : 1.4;

	if (ebwt_has_backend(x))
		return 0;
	return slower * (40 * (double)x->n_roots + kept * n +
			 pairs * (10 + 0.2 * letters +
				  (job->entropy ? 250 + 5 * letters : 0)));
}

struct ebwt_need
ebwt_need(const struct ebwt *x, const struct ebwt_pairs_job *job)
{
	uint64_t plain = PLAIN_BYTES * x->n_roots, more = x->used + ROOM;
	struct ebwt_need need = { plain, plain, 0, 0 };

	if (x->par.engine != EBWT_PLAIN)
		need = anchors_need(x, !job);
	if (job && ebwt_in_bands(x, job)) {
		more += ebwt_band_bytes(x, job);
	} else if (job) {
		more += ebwt_pairs_bytes(x, job) + CLASS_BYTES * x->n_classes;
	}
	if (job) {
		uint64_t thread = ebwt_tile_bytes(x) +
				  sizeof(uint64_t) * x->n_kinds;

		if (job->entropy) {
			thread += 2 * (LENGTHS_BYTES + x->n_rows / 8192);
			more += RANK_BYTES * x->n_roots;
		}
		if (x->shares)
			more += sizeof(struct ebwt_kept_row) * x->n_kept +
				sizeof(uint32_t) * max_u64(EVENTS,
							   x->n_colours);
		more += thread * x->par.threads;
	}
	need.ns = job ? pairs_ns(x, job) : 0;
	need.pairs = job ? number_of_pairs(x, job) : 0;
	need.least += more;
	need.most += more;
	return need;
}

/* Distances of pairs of words, from runs of pairs of classes. */

uint64_t
ebwt_delta_tied(uint64_t u, uint64_t v)
{
	uint64_t d = u > v ? u - v : v - u;

	return d ? d - 1 : 0;
}

static double
value_delta(uint64_t u, uint64_t v, uint64_t delta)
{
	(void)u;
	(void)v;
	return (double)delta;
}

static double
value_norm(uint64_t u, uint64_t v, uint64_t delta)
{
	return delta ? (double)delta / (double)(u + v - 2) : 0;
}

static double
value_dm(uint64_t u, uint64_t v, uint64_t delta)
{
	return (double)delta / (double)(u + v - delta);
}

/*
 * Of n = u + v rows, u of them u's, in random order, each of the n - 1 places
 * between two is one of runs with probability 2 u v / (n (n - 1)): delta is
 * n - 1 - 2 u v / n on the average.  The least is |u - v| - 1, or 0, and with
 * u < v the former lies 2 u^2 / n above it.
 */
static double
value_scaled(uint64_t u, uint64_t v, uint64_t delta)
{
	double least = (double)ebwt_delta_tied(u, v);
	double min = (double)(u < v ? u : v), n = (double)(u + v);
	double range = u == v ? n / 2 - 1 : 2 * min * min / n;

	return range > 0 ? ((double)delta - least) / range : 0;
}

/* The binary logarithm of x > 0, with 53 bits behind the point, by squaring:
 * the same on all machines, where log2() may differ. */
static double
log_2(double x)
{
	int exponent;
	uint64_t y = (uint64_t)(frexp(x, &exponent) * 0x1p64);
	double log = exponent - 1;

	for (double bit = 0.5; bit > 0x1p-54; bit /= 2) {
		unsigned __int128 square = (unsigned __int128)y * y >> 63;

		if (square >> 64) {
			square >>= 1;
			log += bit;
		}
		y = (uint64_t)square;
	}
	return log;
}

/*
 * Of two long random words, u and v letters, one is a part of the other, of
 * f = u / v its letters, with d substitutions a site.  Rotations at the same
 * place stand side by side, in either order, if none is among the letters that
 * distinguish a rotation from all others: some log4 of v, L, so that a share
 * q = exp(-L d) of u's rows do, and the others are anywhere.  Between two rows
 * of v nothing stands if neither of these has a neighbour on this side, 1 - f q
 * / 2 each, and none of the others is there: their number is that of failures
 * before a success, f (1 - q) on the average.  So of the v gaps a share of
 *	g = 1 - (1 - f q / 2)^2 / (1 + f (1 - q))
 * holds rows of u, which makes 2 g v runs; with f = 1 this is 1/2 + q / 4.
 * Solved for f q it is f q = 2 (g - sqrt((1 - g) (f - g))).  Few
 * substitutions leave rows in longer order than that, and all that is known is
 * that d is below 1 / 1000 or so: 0.  Where there are too few rows, by the
 * spread of their number, d has a bound.
 */
static double
value_subs(uint64_t u, uint64_t v, uint64_t delta)
{
	static const double LN_2 = 0.69314718055994531;
	double a = (double)(u < v ? u : v), b = (double)(u < v ? v : u);
	double f = a / b, g = (a + b - (double)delta) / (2 * b);
	double square = (1 - g) * (f - g);
	double letters = b < 4 ? 0 : log_2(b) / 2;
	double left = 2 * (g - sqrt(square > 0 ? square : 0)) / f;
	double least = (1 + f) * (1 + f) / (4 * f * f) * sqrt(a / 2) / b;

	left = left < least ? least : left;
	if (left >= 1 || letters < 1)
		return 0;
	return -log_2(left) * LN_2 / letters;
}

#define METRIC_ROW(id, name, from, value, text) [id] = { name, from, value },
const struct ebwt_metric_row ebwt_metrics[] = { EBWT_METRICS(METRIC_ROW) };

int
ebwt_metric_of(const char *name, enum ebwt_metric *metric, struct err *e)
{
	for (int i = 0; i < EBWT_N_METRICS; i++)
		if (strcmp(name, ebwt_metrics[i].name) == 0) {
			*metric = (enum ebwt_metric)i;
			return 0;
		}
	return err_set(e, ERR_USAGE, "%.200s: no metric has that name", name);
}

/* Where the pair of two words stands in p->entropy: not of a word and itself,
 * nor, with queries, of two of a side. */
static uint64_t
ebwt_pair_cell(const struct ebwt_pairs *p, size_t i, size_t j)
{
	uint64_t a = i < j ? i : j, b = i < j ? j : i;

	if (p->n_queries)
		return a * (p->n_words - p->n_queries) + (b - p->n_queries);
	return b * (b - 1) / 2 + a;
}

static uint64_t
shared_delta(const struct ebwt_pairs *p, uint64_t i, uint64_t j)
{
	return p->shared[i > j ? i * (i - 1) / 2 + j : j * (j - 1) / 2 + i];
}

uint64_t
ebwt_delta(const struct ebwt_pairs *p, size_t i, size_t j)
{
	uint32_t c = p->class_of[i], d = p->class_of[j];

	if (p->sharer && i != j && p->sharer[i] != EBWT_NONE &&
	    p->sharer[j] != EBWT_NONE)
		return shared_delta(p, p->sharer[i], p->sharer[j]);
	if (c == d)
		return i == j ? 0 : ebwt_delta_tied(p->length[i],
						    p->length[j]);
	if (p->n_queries ? i > j : c < d) {
		uint32_t swap = c;

		c = d;
		d = swap;
	}
	return p->length[i] + p->length[j] - ebwt_runs(p, c, d, p->begins[
		ebwt_cell(p, p->row_of[c], p->column_of[d])]);
}

double
ebwt_distance(const struct ebwt_pairs *p, enum ebwt_metric metric, size_t i,
	      size_t j)
{
	if (!ebwt_is_entropy(metric))
		return ebwt_measure(metric, p->length[i], p->length[j],
				    ebwt_delta(p, i, j));
	return i == j || !p->entropy ? 0 : p->entropy[ebwt_pair_cell(p, i, j)];
}

static uint64_t
pairs_of(const struct ebwt_pairs *p, uint64_t n, uint64_t m)
{
	return p->n_queries ? n * m : n * (n - 1) / 2;
}

/* Number the kinds of words, or colours, [beg, end). */
static uint32_t
number_kinds(const struct ebwt_pairs *p, uint32_t *of, size_t n_kinds,
	     size_t beg, size_t end)
{
	uint32_t n = 0;

	memset(of, 0xff, n_kinds * sizeof *of);
	for (size_t w = beg; w < end; w++)
		if (of[p->class_of[w]] == EBWT_NONE)
			of[p->class_of[w]] = n++;
	return n;
}

static void
set_words(struct ebwt_pairs *p, const struct ebwt *x)
{
	if (!x->kind_of)
		memcpy(p->class_of, x->class_of, x->n_sets *
		       sizeof *p->class_of);
	for (uint32_t i = 0; i < x->n_sets; i++) {
		if (x->kind_of)
			p->class_of[i] = i;
		p->length[i] = x->kind_of ? x->colour_n[i] : x->word[i].n;
	}
}

static int
set_up(struct ebwt_pairs *p, struct ebwt *x,
       const struct ebwt_pairs_job *job, struct err *e)
{
	size_t n = x->n_sets;
	int rc = ebwt_take(x, &p->length, n, sizeof *p->length, e);

	p->n_words = n;
	p->n_queries = job->n_queries;
	p->triangle = !p->n_queries;
	if (!rc)
		rc = ebwt_take(x, &p->class_of, n, sizeof *p->class_of, e);
	if (!rc)
		rc = ebwt_take(x, &p->row_of, x->n_kinds,
			       sizeof *p->row_of, e);
	if (!rc)
		rc = ebwt_take(x, &p->column_of, x->n_kinds,
			       sizeof *p->column_of, e);
	if (!rc)
		rc = ebwt_take(x, &p->first, x->n_kinds, sizeof *p->first, e);
	if (!rc)
		rc = ebwt_take(x, &p->last, x->n_kinds, sizeof *p->last, e);
	if (rc)
		return rc;
	set_words(p, x);
	p->n_rows = number_kinds(p, p->row_of, x->n_kinds, 0,
				 p->n_queries ? p->n_queries : n);
	p->n_columns = number_kinds(p, p->column_of, x->n_kinds, p->n_queries,
				    n);
	rc = ebwt_take(x, &p->begins, pairs_of(p, p->n_rows, p->n_columns),
		       sizeof *p->begins, e);
	if (!rc && job->entropy)
		rc = ebwt_take(x, &p->entropy, pairs_of(p, p->n_queries ?
			p->n_queries : n, n - p->n_queries),
			sizeof *p->entropy, e);
	return rc;
}

/*
 * Bytes that the distances of such a job take, once made: at most 4 a pair,
 * with entropy 12.  Pairs of words whose roots are conjugate to those of others
 * cost nothing more, without entropy.
 */
static uint64_t
ebwt_pairs_bytes(const struct ebwt *x, const struct ebwt_pairs_job *job)
{
	uint64_t n = x->n_sets, q = job->n_queries;
	uint64_t pairs = q ? q * (n - min_u64(q, n)) : n * (n - 1) / 2;

	/* as many classes of queries, and of others, as there can be */
	uint64_t c = min_u64(q, x->n_kinds), d = min_u64(n - min_u64(q, n),
		x->n_kinds), runs = q ? c * d : d * (d - 1) / 2;

	return n * (sizeof(uint64_t) + sizeof(uint32_t)) +
	       x->n_kinds * 2 * (sizeof(uint32_t) + sizeof(uint64_t)) +
	       (x->shares ? runs * sizeof(uint64_t) +
		n * 2 * sizeof(uint32_t) : 0) + runs * sizeof(uint32_t) +
	       (job->entropy ? pairs * sizeof(double) : 0);
}

struct entropies {
	const struct ebwt_entropies *of;
	struct ebwt_pairs *p;
};

/* All pairs of one word, with those before it or with queries. */
static void
entropies_of(void *arg, uint64_t i, unsigned thread)
{
	const struct entropies *t = arg;
	uint64_t q = t->p->n_queries;

	double *to = t->p->entropy + (q ? i : i * (i - 1) / 2);

	ebwt_entropies_of(t->of, thread, q + i, 0, q ? q : i, to,
			  q ? t->p->n_words - q : 1);
}

static int
fill_entropies(struct ebwt_pairs *p, struct ebwt *x, struct err *e)
{
	struct ebwt_entropies *of;
	int rc = ebwt_entropies_new(&of, x, e);

	if (!rc)
		threads_each(x->par.threads, p->n_words - p->n_queries,
			     entropies_of, &(struct entropies){ of, p });
	ebwt_entropies_delete(of);
	return rc;
}

int
ebwt_pairs_new(struct ebwt_pairs **to, struct ebwt *x,
	       const struct ebwt_pairs_job *job, struct err *e)
{
	uint64_t used = x->used;
	struct ebwt_pairs *p;
	bool served = false;
	int rc;

	*to = NULL;
	if (job->n_queries >= x->n_sets)
		return err_set(e, ERR_USAGE, "no words beside the queries");
	if (job->entropy && x->kind_of)
		return err_set(e, ERR_USAGE, "entropies of colours are not "
			       "defined");
	if (job->entropy && x->n_rows > ebwt_most(x))
		return err_set(e, ERR_LIMIT, "entropies of words of %llu "
			"letters: too many (at most %u)",
			(unsigned long long)x->n_rows, ebwt_most(x));
	if (x->par.memory && ebwt_fits(x, ebwt_need(x, job).least - used, e))
		return e->code;
	p = calloc(1, sizeof *p);
	if (!p)
		return err_nomem(e, sizeof *p);
	rc = set_up(p, x, job, e);
	if (!rc)
		rc = ebwt_job_count(x, p, &served, e);
	if (!rc && !served)
		rc = ebwt_count(x, p, e);
	if (!rc && job->entropy)
		rc = fill_entropies(p, x, e);
	x->used = used;		/* the rest is the pairs' own */
	if (rc)
		ebwt_pairs_delete(p);
	else
		*to = p;
	return rc;
}

void
ebwt_pairs_delete(struct ebwt_pairs *p)
{
	if (!p)
		return;
	ebwt_give(NULL, &p->length);
	ebwt_give(NULL, &p->class_of);
	ebwt_give(NULL, &p->row_of);
	ebwt_give(NULL, &p->column_of);
	ebwt_give(NULL, &p->begins);
	ebwt_give(NULL, &p->first);
	ebwt_give(NULL, &p->last);
	ebwt_give(NULL, &p->entropy);
	ebwt_give(NULL, &p->sharer);
	ebwt_give(NULL, &p->shared);
	free(p);
}
