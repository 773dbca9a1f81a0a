/* SPDX-License-Identifier: MIT */
/*
 * sw_lanes.c - the inter-sequence pass: run all lanes, hand their last columns
 * over, until no start changes
 *
 * The text is cut into pieces of whole blocks, one a lane; where a segment
 * begins inside, that lane's column becomes 0.  A lane whose piece begins
 * inside a segment starts with the zero column, too: then it computes the
 * scores of a suffix of the segment, and none is too high.  Its start is then
 * replaced by the end of the lane before, and it runs again, from there on
 * until its columns are what they were; and so on until no start changes.  Lane
 * 0 is right, so by induction all are, after as many passes as lanes at most;
 * after 2 for scores that forget what was further left.
 *
 * The result of the last run over a block is final.  That run began with a
 * column from which all H come out right: either it followed from the lane's
 * last start, or later runs arrived at the same column (sw_lanes_same()).  So
 * its bound is not below any true H, and it is exact if its largest H reached
 * the threshold of that moment, which was not above the final one.  Results of
 * earlier runs are never too high.
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "sw/sw_lanes.h"
#include "sw/sw_priv.h"

/* Scores, lanes and memory of a pass in lanes. */

enum {
	PROFILE_BYTES = 24 << 10,	/* with the edges in the L1 cache */
	MIN_COLS = 16,
	MIN_8 = 32,	/* scores below it only: 8 bits are of no use */
	FEW_CHECKS = 2,
};

/* What decides whether 16 bits will do: sw_lanes.h has the rule. */
struct limits {
	int64_t best, worst, open, extend, top;
};

static struct limits
limits_of(const struct sw_query *q, const struct sw_text *t)
{
	int64_t first = (int64_t)q->s->open + q->s->extend;
	uint64_t longest = 0;

	for (size_t i = 0; i < t->n_seg; i++)
		longest = max_u64(longest, t->seg[i].end - t->seg[i].beg);
	return (struct limits){
		.best = q->best > 0 ? q->best : 0,
		.worst = q->worst < -first ? q->worst : -first,
		.open = q->s->open, .extend = q->s->extend,
		.top = q->best > 0 ?
		       (int64_t)min_u64(longest, q->n) * q->best : 0,
	};
}

/*
 * sw_lanes_kern.c says why.  Rows that fill the last strip are letters that
 * score -(open + extend): H there is never above the H of the row before in the
 * same column, as its diagonal step leads to what E has in that row already.
 */
static int64_t
low_of(const struct limits *x, unsigned cols)
{
	return sw_lanes_low16(cols, x->best, x->worst, x->open, x->extend);
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
	return low_of(x, MIN_COLS) <= SW_CORNER &&
	       x->top / SW_UNIT <= INT16_MAX;
}

static bool
set_16(struct sw_lanes *s, const struct limits *x)
{
	s->low16 = 0;
	s->high16 = INT16_MAX;
	if (needs_no_base(x))
		return true;
	while (low_of(x, s->cols) > SW_CORNER && s->cols > MIN_COLS)
		s->cols /= 2;
	s->low16 = (int)low_of(x, s->cols);
	s->high16 = INT16_MAX - s->low16;
	return with_base(x);
}

/* sw_lanes_kern.c says why. */
static void
set_8(struct sw_lanes *s, const struct limits *x)
{
	s->zero8 = (int)sw_lanes_zero8(x->worst, x->open, x->extend);
	s->most8 = (int)(UINT8_MAX - x->best);
	s->bytes_fit = sw_lanes_low(s) >= MIN_8;
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
		for (unsigned b = 0; b < q->s->letters; b++) {
			int score = of[a] == SW_PAD ? -(s->open + s->extend) :
						      q->s->score[of[a]][b];

			s->look[a].low[b] = (int8_t)(uint8_t)score;
			s->look[a].high[b] = (int8_t)(score >> 8);
		}
}

static bool
sw_lanes_scores(struct sw_lanes *s, const struct sw_query *q,
		const struct sw_text *t)
{
	const struct limits x = limits_of(q, t);
	uint8_t of[SW_LANE_LETTERS];

	s->strips = (q->n + SW_LANE_ROWS - 1) / SW_LANE_ROWS;
	s->rows = s->strips * SW_LANE_ROWS;
	s->open = q->s->open;
	s->extend = q->s->extend;
	s->reach = s->open + SW_LANE_ROWS * s->extend;
	s->groups = (q->s->letters + 15) / 16;
	find_letters(s, q, of);
	s->cols = SW_BLOCK;
	while (s->cols > MIN_COLS &&
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
take_bytes(struct sw_lanes *s, size_t *used, size_t n)
{
	void *p = s->mem ? s->mem + *used : NULL;

	*used += (n + 63) / 64 * 64;
	return p;
}

static void
take_column(struct sw_lanes *s, size_t *used, struct sw_column *c)
{
	size_t width = (size_t)s->halves * (s->ops->bytes / 2);

	c->h = take_bytes(s, used, s->column_bytes);
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
		s->now8.h = take_bytes(s, &used, s->rows * bytes);
		s->now8.e = take_bytes(s, &used, s->rows * bytes);
		s->then8.h = take_bytes(s, &used, s->rows * bytes);
		s->then8.e = take_bytes(s, &used, s->rows * bytes);
		s->last8.h = take_bytes(s, &used, s->rows * bytes);
		s->last8.e = take_bytes(s, &used, s->rows * bytes);
	}
	s->profile = take_bytes(
	    s, &used, (size_t)s->halves * s->letters * s->cols * bytes);
	s->edges = take_bytes(s, &used, 4 * SW_BLOCK * bytes);
	s->row = take_bytes(s, &used, s->rows);
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
	for (uint64_t n = 1; n < s->step; n *= n < 2 ? 2 : 4)
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

/* sw_lanes.c: false: the scores, or the size, cannot be taken. */
static int
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
	s->zero = true;
	s->start8 = s->end8 = false;
	s->high = false;
	s->retry = (struct sw_backoff){ 0 };
	s->recording = 0;
	s->record_next = 0;
	s->wide = 0;
	return 0;
}

/*
 * Ends handed over, and columns met again
 *
 * What is in 8 bits stays so while it is kept: half of the memory, or less, is
 * ever touched, which for long queries takes as long as some blocks do.
 */

static struct sw_column8
bytes_in(const struct sw_lanes *s, const struct sw_column *c)
{
	uint8_t *p = (void *)c->h;

	return (struct sw_column8){ p, p + s->rows * s->ops->bytes };
}

static void
copy_8(const struct sw_lanes *s, const struct sw_column8 *from,
       const struct sw_column8 *to)
{
	memcpy(to->h, from->h, s->rows * s->ops->bytes);
	memcpy(to->e, from->e, s->rows * s->ops->bytes);
}

static void
swap_columns(struct sw_column *a, struct sw_column *b)
{
	struct sw_column was = *a;

	*a = *b;
	*b = was;
}

/* Until another run gets as far. */
static void
keep_end(struct sw_lanes *s)
{
	struct sw_column8 was = s->last8;

	s->end8 = s->narrow;
	if (!s->narrow) {
		swap_columns(&s->end, &s->now);
		return;
	}
	s->last8 = s->now8;
	s->now8 = was;
}

/* Is it what it was, at check i?  `now`, or `next`, is not needed. */
static bool
is_met(struct sw_lanes *s, unsigned i)
{
	const struct sw_column8 was = bytes_in(s, &s->check[i]);

	if (s->narrow && s->check8[i])
		return s->ops->same8(s, &s->now8, &was);
	if (s->narrow)
		s->ops->widen(s, &s->now8, &s->now);
	if (!s->check8[i])
		return s->ops->same(s, &s->now, &s->check[i]);
	s->ops->widen(s, &was, &s->next);
	return s->ops->same(s, &s->now, &s->next);
}

static bool
sw_lanes_met(struct sw_lanes *s, uint64_t blocks, bool first)
{
	unsigned log = (unsigned)__builtin_ctzll(blocks);
	unsigned number = (log + 1) / 2;
	struct sw_column8 to;

	if (blocks >= s->step || (blocks & (blocks - 1)) != 0 ||
	    (log && log % 2 == 0) || number >= s->n_checks)
		return false;
	if (!first && is_met(s, number))
		return true;
	s->check8[number] = s->narrow;
	to = bytes_in(s, &s->check[number]);
	if (s->narrow)
		copy_8(s, &s->now8, &to);
	else
		memcpy(s->check[number].h, s->now.h, s->column_bytes);
	return false;
}

/* Where a lane stands in a row of all halves. */
static unsigned
column_of(const struct sw_lanes *s, unsigned l)
{
	unsigned place = s->place[l], half = place / 8 % 2;

	return half * (s->ops->bytes / 2) + place / 16 * 8 + place % 8;
}

static void
shift(const struct sw_lanes *s, const int16_t *from, int16_t *to,
      const unsigned *column)
{
	to[column[0]] = 0;
	for (unsigned l = 1; l < s->lanes; l++)
		to[column[l]] = s->begins[l] ? 0 : from[column[l - 1]];
}

/* Is H too high for 8 bits somewhere? */
static bool
is_high(const struct sw_lanes *s, const struct sw_column *c)
{
	size_t n = s->lanes;

	for (size_t i = 0; i < s->strips * n; i++)
		if (c->base[i])
			return true;
	for (size_t i = 0; i < s->rows * n; i++)
		if (c->h[i] > sw_lanes_low(s))
			return true;
	return false;
}

/* In wide columns; the start, as it was, is made one. */
static bool
hand_over_16(struct sw_lanes *s)
{
	const struct sw_column8 start = bytes_in(s, &s->start);
	unsigned column[SW_LANE_MAX];
	size_t n = s->lanes;

	if (s->end8)
		s->ops->widen(s, &s->last8, &s->end);
	for (unsigned l = 0; l < s->lanes; l++)
		column[l] = column_of(s, l);
	for (size_t i = 0; i < s->rows; i++) {
		shift(s, s->end.h + i * n, s->next.h + i * n, column);
		shift(s, s->end.e + i * n, s->next.e + i * n, column);
	}
	for (size_t i = 0; i < s->strips; i++)
		shift(s, s->end.base + i * n, s->next.base + i * n, column);
	if (s->zero) {
		memset(s->start.h, 0, s->column_bytes);
	} else if (s->start8) {
		s->ops->widen(s, &start, &s->now);
		swap_columns(&s->start, &s->now);
	}
	s->zero = s->start8 = false;
	if (s->ops->same(s, &s->next, &s->start))
		return false;
	swap_columns(&s->start, &s->next);
	s->high = is_high(s, &s->start);
	return true;
}

/* Of bytes; lanes are in order. */
static void
shift_8(const struct sw_lanes *s, const uint8_t *from, uint8_t *to)
{
	const size_t n = s->lanes;

	for (size_t i = 0; i < s->rows; i++, from += n, to += n) {
		memcpy(to + 1, from, n - 1);
		to[0] = (uint8_t)s->zero8;
	}
	to -= s->rows * n;
	for (unsigned l = 1; l < s->lanes; l++)
		for (size_t i = 0; s->begins[l] && i < s->rows; i++)
			to[i * n + l] = (uint8_t)s->zero8;
}

static uint8_t
highest(const struct sw_lanes *s, const uint8_t *h)
{
	uint8_t most = 0;

	for (size_t i = 0; i < s->rows * s->lanes; i++)
		most = h[i] > most ? h[i] : most;
	return most;
}

/* The same in 8 bits.  Where all H are 0 no E counts. */
static bool
hand_over_8(struct sw_lanes *s)
{
	const struct sw_column8 start = bytes_in(s, &s->start);
	const struct sw_column8 next = bytes_in(s, &s->next);
	int most;

	shift_8(s, s->last8.h, next.h);
	shift_8(s, s->last8.e, next.e);
	most = highest(s, next.h) - s->zero8;
	if (s->zero ? most <= 0 : s->ops->same8(s, &next, &start))
		return false;
	swap_columns(&s->start, &s->next);
	s->zero = false;
	s->start8 = true;
	s->high = most > sw_lanes_low(s);
	return true;
}

/* Each lane's end to the next one's start; false: it was there already. */
static bool
sw_lanes_hand_over(struct sw_lanes *s)
{
	return s->end8 && (s->zero || s->start8) ? hand_over_8(s) :
						   hand_over_16(s);
}

/* The blocks of all lanes, in 8 or 16 bits. */

enum {
	TRIAL = 32,		/* blocks that show whether 8 bits will do */
	MIN_RECORD = 16, MAX_RECORD = 128,
	RECORD_COST = 12,	/* strips for what a second run of one costs */
};

static const uint8_t idle[SW_BLOCK] = { [0 ... SW_BLOCK - 1] = SW_PAD };

/* Where a lane begins anew, at block b or behind it. */
static uint64_t
next_begin(struct sw_lanes *s, const struct sw_text *t, unsigned l, uint64_t b)
{
	while (s->seg[l] < t->n_seg &&
	       t->seg[s->seg[l]].beg / SW_BLOCK < b)
		s->seg[l]++;
	if (s->seg[l] < t->n_seg)
		return t->seg[s->seg[l]].beg / SW_BLOCK;
	return b <= s->blocks ? s->blocks : UINT64_MAX;
}

/* Block c of each lane; true: some lane begins a segment or ends the text. */
static bool
set_block(struct sw_lanes *s, const struct sw_text *t, uint64_t c)
{
	bool some = false;

	for (unsigned l = 0; l < s->lanes; l++) {
		uint64_t b = l * s->step + c;
		const uint8_t *at = idle;
		uint8_t begins = 0;

		if (b < s->blocks) {
			at = t->codes + b * SW_BLOCK;
			__builtin_prefetch(at + SW_BLOCK);
		}
		if (b == s->anew[l]) {
			s->anew[l] = next_begin(s, t, l, b + 1);
			begins = 0xff;
			some = true;
		}
		s->at[s->place[l]] = at;
		s->reset[s->place[l]] = begins;
	}
	return some;
}

static void
clear(struct sw_lanes *s)
{
	for (unsigned l = 0; l < s->ops->bytes; l++)
		s->top[l] = s->bound[l] = -1;
	s->reruns = 0;
}

static bool
block8(struct sw_lanes *s)
{
	struct sw_column8 was = s->now8;

	clear(s);
	for (unsigned from = 0; from < SW_BLOCK; from += s->cols) {
		s->ops->profile8(s, from);
		if (!s->ops->block8(s, from ? &s->then8 : &s->now8, &s->then8))
			return false;
	}
	s->now8 = s->then8;
	s->then8 = was;
	return true;
}

static void
block16(struct sw_lanes *s)
{
	clear(s);
	for (unsigned from = 0; from < SW_BLOCK; from += s->cols) {
		s->ops->profile16(s, from);
		s->high = false;
		for (unsigned h = 0; h < s->halves; h++)
			s->ops->block16(s, h);
	}
}

static void
give_up_8(struct sw_lanes *s)
{
	s->did.failed8++;
	s->ops->widen(s, &s->now8, &s->now);
	s->narrow = false;
	sw_backoff_failed(&s->retry);
}

static void
try_8(struct sw_lanes *s)
{
	if (s->narrow || s->halves != 2 || s->high ||
	    !sw_backoff_now(&s->retry))
		return;
	s->ops->narrow(s);
	s->narrow = true;
}

/* If many strips were run twice, each is recorded at once for a while. */
static void
set_recording(struct sw_lanes *s)
{
	size_t strips = s->strips * (SW_BLOCK / s->cols);

	if (!s->narrow)
		strips *= s->halves;
	if (s->recording) {
		s->recording--;
	} else if ((size_t)s->reruns * RECORD_COST > strips) {
		s->record_next = s->record_next ? 2 * s->record_next :
						  MIN_RECORD;
		if (s->record_next > MAX_RECORD)
			s->record_next = MAX_RECORD;
		s->recording = s->record_next;
	} else {
		s->record_next = 0;
	}
}

static void
do_block(struct sw_lanes *s, bool begins)
{
	try_8(s);
	if (begins)
		(s->narrow ? s->ops->reset8 : s->ops->reset16)(s);
	s->record = s->recording != 0;
	if (s->narrow && !block8(s))
		give_up_8(s);
	if (s->narrow) {
		s->retry.run++;
		s->did.blocks8++;
	} else {
		block16(s);
		s->wide++;
		s->did.blocks16++;
	}
	s->did.reruns += s->reruns;
	s->did.recorded += s->record;
	set_recording(s);
}

static void
report_block(struct sw_lanes *s, struct sw_pass *p, uint64_t c)
{
	for (unsigned l = 0; l < s->lanes; l++) {
		uint64_t b = l * s->step + c;
		int64_t top = s->top[s->place[l]];
		int64_t bound = s->bound[s->place[l]];
		struct sw_peak *peak, was;

		if (b >= s->blocks)
			break;
		peak = &p->peak[b];
		was = *peak;
		peak->exact = top >= bound;
		peak->bound = peak->exact ? top : bound;
		if (!peak->exact || top < p->threshold ||
		    (was.exact && was.bound == top))
			continue;
		p->threshold = p->raise(p->ctx, b, top);
	}
}

/* All lanes' start: now8, if it is in 8 bits and low, else now. */
static void
begin_columns(struct sw_lanes *s)
{
	const struct sw_column8 start = bytes_in(s, &s->start);

	s->retry.pause = s->retry.run = 0;
	s->narrow = s->halves == 2 && !s->high && (s->zero || s->start8);
	if (s->narrow && s->zero) {
		memset(s->now8.h, s->zero8, s->rows * s->ops->bytes);
		memset(s->now8.e, s->zero8, s->rows * s->ops->bytes);
	} else if (s->narrow) {
		copy_8(s, &start, &s->now8);
	} else if (s->zero) {
		memset(s->now.h, 0, s->column_bytes);
	} else if (s->start8) {
		s->ops->widen(s, &start, &s->now);
	} else {
		memcpy(s->now.h, s->start.h, s->column_bytes);
	}
}

static void
begin_text(struct sw_lanes *s, const struct sw_text *t)
{
	begin_columns(s);
	memcpy(s->seg, s->first_seg, sizeof s->seg);
	memset(s->reset, 0, sizeof s->reset);
	for (unsigned l = 0; l < s->ops->bytes; l++)
		s->at[l] = idle;
	for (unsigned l = 0; l < s->lanes; l++)
		s->anew[l] = next_begin(s, t, l, l * s->step);
	s->did.passes++;
}

/*
 * sw_lanes.c: all lanes from their start columns on, until all have met
 * what they were before.  true: better begin again in 16 bits.
 */
static bool
sw_lanes_run(struct sw_lanes *s, struct sw_pass *p, bool first)
{
	uint64_t trial = s->step < TRIAL ? s->step : TRIAL;

	begin_text(s, p->t);
	for (uint64_t c = 0; c < s->step; c++) {
		bool begins = set_block(s, p->t, c);

		s->threshold = p->threshold;
		do_block(s, begins);
		report_block(s, p, c);
		if (first)
			sw_pass_did(p, s->lanes * SW_BLOCK * p->q->n, 0);
		if (s->may_stop && first && c + 1 == trial &&
		    2 * s->wide > trial)
			return true;
		if (sw_lanes_met(s, c + 1, first))
			return false;
	}
	keep_end(s);
	return false;
}

/* The pass: run all lanes, hand columns over, until no start changes. */

void
sw_lanes_free(struct sw_lanes *s)
{
	if (!s)
		return;
	free(s->mem);
	free(s);
}

/*
 * Scores that do not forget what was further left hand over much, so that
 * pieces that are short for the query run many times.  Rows side by side take
 * 5 to 8 times as long as a run of all lanes, skewed lanes about as long as one
 * run of 16 bits.  So lanes leave it to them after MAX_RUNS, or
 * MAX_BESIDE_SKEW, which costs two or three times as much as the best choice
 * at most; or at once, if 8 bits did not do: then scores are high everywhere.
 */
enum { IN_16_BITS = 2, MAX_RUNS = 8, MAX_BESIDE_SKEW = 2 };

static bool
too_many_runs(const struct sw_lanes *s, const struct sw_pass *p,
	      uint64_t before)
{
	uint64_t most = p->may_skew ? MAX_BESIDE_SKEW : MAX_RUNS;

	return p->may_leave &&
	       s->did.blocks8 + s->did.blocks16 - before > most * s->step;
}

/* With half the lanes a piece will have 2 * step blocks. */
static bool
too_short(const struct sw_lanes *s, const struct sw_pass *p)
{
	return p->may_skew ||
	       (p->may_leave && 4 * s->step * SW_BLOCK < p->q->n);
}

static int
run_lanes(struct sw_lanes *s, struct sw_pass *p, struct err *e)
{
	uint64_t before = s->did.blocks8 + s->did.blocks16;
	int rc = sw_lanes_plan(s, p->q, p->t, e);
	bool first = true;

	while (!rc) {
		if (sw_lanes_run(s, p, first))
			return p->only_8 || too_short(s, p) ? 1 : IN_16_BITS;
		if (!sw_lanes_hand_over(s))
			break;
		if (too_many_runs(s, p, before))
			return 1;
		first = false;
	}
	return rc;
}

int
sw_lanes_pass(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	const struct sw_lane_ops *ops = KERN_PICK_VECTOR(&sw_lane_ops);
	struct sw_lanes *s;
	int rc;

	if (!ops)
		return 1;
	if (!w->lanes)
		w->lanes = calloc(1, sizeof *w->lanes);
	s = w->lanes;
	if (!s)
		return err_nomem(e, sizeof *s);
	s->ops = ops;
	if (!sw_lanes_scores(s, p->q, p->t))
		return 1;
	if (p->t->n == 0)
		return 0;
	for (uint64_t b = 0; b < p->t->n / SW_BLOCK; b++)
		p->peak[b] = (struct sw_peak) { INT64_MAX, false };
	s->halves = s->bytes_fit && p->q->engine != SW_LANES16 ? 2 : 1;
	s->may_stop = s->halves == 2 && p->q->engine != SW_LANES8;
	s->may_shrink = !p->may_skew;
	s->most = w->lanes_bytes ? w->lanes_bytes : SW_LANES_BYTES;
	rc = run_lanes(s, p, e);
	if (rc == IN_16_BITS) {
		s->halves = 1;
		s->may_stop = false;
		s->did.again16++;
		rc = run_lanes(s, p, e);
	}
	return rc;
}

/*
 * Bounds of blocks by scores that are rounded to few bits
 *
 * Scores whose numbers are too large for lanes of 8 bits, or of 16, are scaled
 * so that the best one becomes a small whole number `match`; then scores are
 * rounded up, costs down.  An alignment's score, scaled, is no more than that
 * by the rounded scores, so neither is any H.  Lanes compute the rounded H,
 * and what they say of a block, scaled back, bounds its H.
 *
 * Unlike a true H, a rounded one proves no score of any alignment.  So the
 * threshold is an estimate: well below the K-th best rounded one.  Blocks whose
 * bound does not reach it are not known well, which is no matter if K hits are
 * found whose scores do: p->sure says from where on.  Otherwise, or where the
 * bounds leave too much to search (sw.c), the true scores are computed.
 */

enum {
	MAX_MATCH8 = 24, MAX_MATCH = 160,
	ROOM = 18,		/* matches: unrelated sequences have fewer */
	FROM = 1 << 22,		/* cells that are worth it */
	BLOCKS = 64,		/* for each hit that is wanted, likewise */
	COLUMNS = 16,		/* for each row */
	SLACK = 8,		/* the estimate is an eighth lower */
};
/* Of a match: what rounding may change in a score or in a letter of a gap. */
#define MAX_ERROR .15

struct sw_round {
	struct sw_query *q;	/* with s */
	size_t cap;
	struct sw_scoring s;
	struct sw_raise raise;
	int64_t best, match;	/* of the true scores, of the rounded ones */
	int64_t least;		/* no threshold is below it */
};

void
sw_round_free(struct sw_round *r)
{
	if (!r)
		return;
	free(r->q);
	sw_raise_free(&r->raise);
	free(r);
}

/* x * by / of, to the next whole number below. */
static int64_t
scale_down(int64_t x, int64_t by, int64_t of)
{
	int64_t y = x * by / of;

	return y - (y * of > x * by);
}

static int64_t
scale_up(int64_t x, int64_t by, int64_t of)
{
	return -scale_down(-x, by, of);
}

/* Is there room in 8 bits for H of so many matches? */
static bool
has_room(int64_t match, int64_t worst, int64_t open, int64_t extend)
{
	return sw_lanes_room8(match, worst, open, extend) >= ROOM * match;
}

/* The largest error, of a match; a gap's opening counts for some letters. */
static double
error_of(const struct sw_query *q, int64_t match)
{
	const struct sw_scoring *s = q->s;
	double most = 0, x, unit = (double)q->best / (double)match;

	for (unsigned a = 0; a < s->letters; a++)
		for (unsigned b = 0; b < s->letters; b++) {
			x = unit * (double)scale_up(s->score[a][b], match,
						    q->best);
			x -= s->score[a][b];
			most = x > most ? x : most;
		}
	x = s->extend - unit * (double)scale_down(s->extend, match, q->best);
	most = x > most ? x : most;
	x = s->open - unit * (double)scale_down(s->open, match, q->best);
	return (x / SW_LANE_ROWS > most ? x / SW_LANE_ROWS : most) / q->best;
}

/* The match that fits with the least error; 0: there is none. */
static int64_t
find_match(const struct sw_query *q, int64_t from, int64_t to,
	   bool (*fits)(int64_t match, int64_t worst, int64_t open,
			int64_t extend))
{
	double least = MAX_ERROR;
	int64_t found = 0;

	for (int64_t m = from; m <= to; m++) {
		int64_t open = scale_down(q->s->open, m, q->best);
		int64_t extend = scale_down(q->s->extend, m, q->best);
		double error = error_of(q, m);

		/* gaps that become free are another matter */
		if (error > least || (q->s->extend && !extend) ||
		    !fits(m, scale_up(q->worst, m, q->best), open, extend))
			continue;
		least = error;
		found = m;
	}
	return found;
}

/*
 * Is that faster than true scores are?  Not if lanes are short beside the
 * query, so that many runs pass before they leave it, nor if so many hits are
 * wanted that regions take most of the time.
 */
static bool
is_worth(const struct sw_pass *p, const struct sw_work *w)
{
	if (w->round_always)
		return true;
	return p->q->n * p->t->n >= FROM && p->t->n / COLUMNS >= p->q->n &&
	       p->k <= p->t->n / SW_BLOCK / BLOCKS;
}

/* Are there true scores that are slow? */
static bool
is_wanted(const struct sw_pass *p, const struct sw_work *w)
{
	const struct sw_query *q = p->q;

	return p->k && q->engine == SW_AUTO && q->best > 0 && is_worth(p, w) &&
	       !has_room(q->best, q->worst, q->s->open, q->s->extend);
}

static void
round_scores(struct sw_round *r, const struct sw_query *q)
{
	struct sw_scoring *s = &r->s;

	*s = *q->s;
	s->open = (int32_t)scale_down(s->open, r->match, r->best);
	s->extend = (int32_t)scale_down(s->extend, r->match, r->best);
	for (unsigned a = 0; a < s->letters; a++)
		for (unsigned b = 0; b < s->letters; b++)
			s->score[a][b] = (int32_t)scale_up(s->score[a][b],
							   r->match, r->best);
}

static int
round_query(struct sw_round *r, const struct sw_query *q, struct err *e)
{
	size_t letters = q->n + SW_ROWS - 1, n = sizeof *q + letters;

	if (n > r->cap) {
		free(r->q);
		r->cap = 0;
		r->q = malloc(n);
		if (!r->q)
			return err_nomem(e, n);
		r->cap = n;
	}
	r->best = q->best;
	round_scores(r, q);
	*r->q = *q;
	r->q->s = &r->s;
	r->q->own = NULL;
	r->q->best = (int32_t)r->match;
	r->q->worst = (int32_t)scale_up(q->worst, r->match, r->best);
	memcpy(r->q->code, q->code, letters);
	return 0;
}

static int64_t
raise_rounded(void *ctx, uint64_t block, int64_t top)
{
	struct sw_round *r = ctx;
	int64_t kth = sw_raise_take(&r->raise, block, top);

	return max_i64(r->least, kth - kth / SLACK);
}

/* The pass by that match; 1: there is none, or it does not do. */
static int
round_by(struct sw_round *r, struct sw_pass *p, int64_t match, bool only_8,
	 struct sw_work *w, struct err *e)
{
	struct sw_pass x;
	int rc;

	r->match = match;
	rc = match ? round_query(r, p->q, e) : 1;
	if (rc)
		return rc;
	r->least = scale_down(min_i64(p->threshold, INT64_MAX / MAX_MATCH),
			      match, r->best);
	x = (struct sw_pass){
		.q = r->q, .t = p->t, .peak = p->peak, .threshold = r->least,
		.raise = raise_rounded, .ctx = r, .gauge = p->gauge,
		.may_leave = true, .only_8 = only_8,
	};
	rc = sw_raise_reset(&r->raise, r->q, p->t, p->k, r->least, e);
	if (!rc)
		rc = sw_lanes_pass(&x, w, e);
	if (rc)
		return rc;
	for (uint64_t b = 0; b < p->t->n / SW_BLOCK; b++)
		p->peak[b].bound = scale_down(p->peak[b].bound, r->best, match);
	p->sure = max_i64(p->threshold, scale_up(x.threshold, r->best, match));
	w->rounded.passes++;
	return 0;
}

int
sw_round_pass(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	const struct sw_query *q = p->q;
	int64_t match;
	int rc;

	if (!is_wanted(p, w))
		return 1;
	if (!w->round)
		w->round = calloc(1, sizeof *w->round);
	if (!w->round)
		return err_nomem(e, sizeof *w->round);
	match = find_match(q, 1, MAX_MATCH8, has_room);
	rc = round_by(w->round, p, match, true, w, e);
	if (rc != 1 ||
	    sw_lanes_fits16(q->best, q->worst, q->s->open, q->s->extend))
		return rc;
	match = find_match(q, MAX_MATCH8, MAX_MATCH, sw_lanes_fits16);
	return round_by(w->round, p, match, false, w, e);
}
