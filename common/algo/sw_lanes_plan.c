/* SPDX-License-Identifier: MIT */
/* sw_lanes_plan.c - scores, lanes and memory of a pass in lanes */
#include <stdlib.h>
#include <string.h>

#include "algo/sw_lanes_priv.h"
#include "base/minmax.h"
#include "base/pages.h"

enum {
	PROFILE_BYTES = 24 << 10,	/* with the edges in the L1 cache */
	LEAST_COLS = 16,
	LEAST_8 = 32,	/* scores below it only: 8 bits are of no use */
	FEW_CHECKS = 2,
};

/* What decides whether 16 bits will do: sw_lanes.h has the rule. */
struct limits {
	int64_t best, worst, open, extend, top;
};

static struct limits
limits_of(const struct sw_query *q, const struct sw_text *t)
{
	int64_t first = (int64_t)q->s.open + q->s.extend;
	uint64_t longest = 0;

	for (size_t i = 0; i < t->n_seg; i++)
		longest = max_u64(longest, t->seg[i].end - t->seg[i].beg);
	return (struct limits){
		.best = q->best > 0 ? q->best : 0,
		.worst = q->worst < -first ? q->worst : -first,
		.open = q->s.open, .extend = q->s.extend,
		.top = q->best > 0 ?
		       (int64_t)min_u64(longest, q->n) * q->best : 0,
	};
}

/*
 * sw_lanes16_kern.c says why.  Rows that fill the last strip are letters that
 * score -(open + extend): H there is never above the H of the row before in the
 * same column, as its diagonal step leads to what E has in that row already.
 */
static int64_t
low_of(const struct limits *x, unsigned cols)
{
	return (SW_LANE_ROWS + (int64_t)cols + 1) * (x->best + x->extend) +
	       3 * x->open - x->worst + 1;
}

static bool
needs_no_base(const struct limits *x)
{
	return x->top <= INT16_MAX &&
	       x->open + 2 * x->extend - x->worst <= 1 << 15;
}

/* As few columns as can be, a base of 16 bits. */
static bool
with_base(const struct limits *x)
{
	return low_of(x, LEAST_COLS) <= SW_CORNER &&
	       x->top / SW_UNIT <= INT16_MAX;
}

static bool
set_16(struct sw_lanes *s, const struct limits *x)
{
	s->low16 = 0;
	s->high16 = INT16_MAX;
	if (needs_no_base(x))
		return true;
	while (low_of(x, s->cols) > SW_CORNER && s->cols > LEAST_COLS)
		s->cols /= 2;
	s->low16 = (int)low_of(x, s->cols);
	s->high16 = INT16_MAX - s->low16;
	return with_base(x);
}

/* sw_lanes8_kern.c says why. */
static void
set_8(struct sw_lanes *s, const struct limits *x)
{
	int64_t fall = x->open + 2 * x->extend;

	s->zero8 = (int)(fall > -x->worst ? fall : -x->worst);
	s->zero8 = s->zero8 ? s->zero8 : 1;	/* 0 is no value: keep() */
	s->most8 = (int)(UINT8_MAX - x->best);
	s->bytes_fit = sw_lanes_low(s) >= LEAST_8;
}

/* Letters of the query in the order of their first rows. */
static void
find_letters(struct sw_lanes *s, const struct sw_query *q,
	     uint8_t of[SW_LANE_LETTERS])
{
	bool seen[SW_LETTERS] = { false };

	s->letters = 0;
	for (size_t i = 0; i < q->n; i++)
		if (!seen[q->code[i]]) {
			seen[q->code[i]] = true;
			of[s->letters++] = q->code[i];
		}
	if (s->rows > q->n)
		of[s->letters++] = SW_PAD;
}

static void
set_look(struct sw_lanes *s, const struct sw_query *q,
	 const uint8_t of[SW_LANE_LETTERS])
{
	memset(s->look, 0, sizeof s->look);
	for (unsigned a = 0; a < s->letters; a++)
		for (unsigned b = 0; b < q->s.letters; b++) {
			int score = of[a] == SW_PAD ? -(s->open + s->extend) :
						      q->s.score[of[a]][b];

			s->look[a].low[b] = (int8_t)(uint8_t)score;
			s->look[a].high[b] = (int8_t)(score >> 8);
		}
}

bool
sw_lanes_scores(struct sw_lanes *s, const struct sw_query *q,
		const struct sw_text *t)
{
	const struct limits x = limits_of(q, t);
	uint8_t of[SW_LANE_LETTERS];

	s->strips = (q->n + SW_LANE_ROWS - 1) / SW_LANE_ROWS;
	s->rows = s->strips * SW_LANE_ROWS;
	s->open = q->s.open;
	s->extend = q->s.extend;
	s->reach = s->open + SW_LANE_ROWS * s->extend;
	s->groups = (q->s.letters + 15) / 16;
	find_letters(s, q, of);
	s->cols = SW_BLOCK;
	while (s->cols > LEAST_COLS &&
	       s->letters * s->cols * s->ops->bytes > PROFILE_BYTES)
		s->cols /= 2;
	if (!set_16(s, &x))
		return false;
	set_8(s, &x);
	set_look(s, q, of);
	return true;
}

/* n bytes of the memory, aligned; only counted while there is none. */
static void *
take(struct sw_lanes *s, size_t *used, size_t n)
{
	void *p = s->mem ? s->mem + *used : NULL;

	*used += (n + 63) / 64 * 64;
	return p;
}

static void
take_column(struct sw_lanes *s, size_t *used, struct sw_column *c)
{
	size_t width = (size_t)s->halves * (s->ops->bytes / 2);

	c->h = take(s, used, s->column_bytes);
	if (!c->h)
		return;
	c->e = c->h + s->rows * width;
	c->base = c->e + s->rows * width;
}

static size_t
take_all(struct sw_lanes *s)
{
	size_t bytes = s->ops->bytes, used = 0;

	s->column_bytes = (2 * s->rows + s->strips) * s->halves * bytes;
	take_column(s, &used, &s->now);
	take_column(s, &used, &s->start);
	take_column(s, &used, &s->end);
	take_column(s, &used, &s->next);
	for (unsigned i = 0; i < s->n_checks; i++)
		take_column(s, &used, &s->check[i]);
	if (s->halves == 2) {
		s->now8.h = take(s, &used, s->rows * bytes);
		s->now8.e = take(s, &used, s->rows * bytes);
		s->then8.h = take(s, &used, s->rows * bytes);
		s->then8.e = take(s, &used, s->rows * bytes);
	}
	s->profile = take(s, &used, (size_t)s->halves * s->letters * s->cols *
				    bytes);
	s->edges = take(s, &used, 4 * SW_BLOCK * bytes);
	s->row = take(s, &used, s->rows);
	return used;
}

static size_t
bytes_of(struct sw_lanes *s)
{
	uint8_t *had = s->mem;
	size_t need;

	s->mem = NULL;
	need = take_all(s);
	s->mem = had;
	return need;
}

static int
find_memory(struct sw_lanes *s, struct err *e)
{
	/* half the lanes would lose more than fewer checks do */
	unsigned least = s->halves == 2 ? FEW_CHECKS : 0;
	size_t need = bytes_of(s);

	if (need > s->most && s->may_shrink)
		s->did.fewer++;
	while (need > s->most && s->may_shrink && s->n_checks > least) {
		s->n_checks--;
		need = bytes_of(s);
	}
	if (need > s->most)
		return 1;
	if (need > s->cap) {
		free(s->mem);
		s->cap = 0;
		s->mem = pages_alloc(need);
		if (!s->mem)
			return err_nomem(e, need);
		s->cap = need;
	}
	take_all(s);
	return 0;
}

/*
 * Lanes an odd number of blocks apart: their letters share no set of the cache.
 */
static void
set_lanes(struct sw_lanes *s, const struct sw_text *t)
{
	size_t seg = 0;

	s->lanes = s->ops->bytes / 2 * s->halves;
	s->blocks = t->n / SW_BLOCK;
	s->step = (s->blocks + s->lanes - 1) / s->lanes | 1;
	s->n_checks = 0;
	for (uint64_t n = 1; n < s->step; n *= 2)
		s->n_checks++;
	for (unsigned l = 0; l < s->lanes; l++) {
		uint64_t beg = l * s->step;

		while (seg < t->n_seg && t->seg[seg].beg / SW_BLOCK < beg)
			seg++;
		s->first_seg[l] = seg;
		s->begins[l] = beg >= s->blocks || (seg < t->n_seg &&
			       t->seg[seg].beg / SW_BLOCK == beg);
		s->place[l] = s->halves == 2 ? l : l / 8 * 16 + l % 8;
	}
}

static void
set_rows(struct sw_lanes *s, const struct sw_query *q)
{
	uint8_t of[SW_LANE_LETTERS], at[SW_LETTERS];

	find_letters(s, q, of);
	for (unsigned a = 0; a < s->letters; a++)
		if (of[a] != SW_PAD)
			at[of[a]] = (uint8_t)a;
	for (size_t i = 0; i < s->rows; i++)
		s->row[i] = i < q->n ? at[q->code[i]] :
				       (uint8_t)(s->letters - 1);
}

int
sw_lanes_plan(struct sw_lanes *s, const struct sw_query *q,
	      const struct sw_text *t, struct err *e)
{
	int rc;

	set_lanes(s, t);
	rc = find_memory(s, e);
	if (rc == 1 && s->may_shrink && s->halves == 2) {
		s->did.half++;
		s->halves = 1;
		s->may_stop = false;
		set_lanes(s, t);
		rc = find_memory(s, e);
	}
	if (rc)
		return rc;
	set_rows(s, q);
	memset(s->start.h, 0, s->column_bytes);
	s->high = false;
	s->retry = (struct sw_retry){ 0 };
	s->recording = 0;
	s->record_next = 0;
	s->wide = 0;
	return 0;
}
