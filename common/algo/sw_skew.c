/* SPDX-License-Identifier: MIT */
/* sw_skew.c - the pass in skewed lanes: which lane has which block and strip */
#include "algo/sw_skew.h"

#include <stdlib.h>
#include <string.h>

#include "algo/sw_mask.h"
#include "algo/sw_net.h"
#include "algo/sw_skew_priv.h"
#include "base/cpu.h"

enum {
	AGAIN_COST = 8,		/* steps that record for what one again costs */
	MANY_AGAIN = 128, RECORD = 512,
	WORTH_CALM = 16,	/* texts of so many blocks a lane */
	LOW_MATCHES = 40,	/* what scores by chance is less, mostly */
};

#if defined(__x86_64__)
#define OPS(lanes, isa) {						\
	lanes, sw_skew_step8_##isa, sw_skew_step16_##isa,	\
	sw_skew_widen_##isa, sw_skew_narrow_##isa, sw_skew_judge_##isa,	\
}
static const struct sw_skew_ops avx2 = OPS(32, avx2);
static const struct sw_skew_ops avx512 = OPS(64, avx512);
#endif

static const struct sw_skew_ops *
find_ops(void)
{
	switch (cpu_isa()) {
#if defined(__x86_64__)
	case ISA_AVX512:
		return &avx512;
	case ISA_AVX2:
		return &avx2;
#endif
	default:
		return NULL;
	}
}

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
begin(struct sw_skew *s, unsigned lane, const uint8_t *letters, bool fresh)
{
	uint8_t *col = s->col + lane;
	unsigned lanes = s->ops->lanes;

	for (unsigned j = 0; j < SW_BLOCK; j++)
		col[j * lanes] = s->code[letters ? letters[j] : SW_PAD];
	s->corner[lane] = 0;
	s->n_fresh += fresh - s->fresh[lane];
	s->fresh[lane] = fresh;
}

static void
begin_idle(struct sw_skew *s, unsigned lane)
{
	begin(s, lane, NULL, true);
	sw_skew_set_gain(s, lane, 0);
	sw_skew_take(s, lane, SW_SKEW_NO_BLOCK);
	s->want[lane] = INT32_MAX;
}

static int64_t
larger(int64_t a, const int64_t *b)
{
	int64_t x = b ? __atomic_load_n(b, __ATOMIC_RELAXED) : a;

	return x > a ? x : a;
}

/* The threshold may be that of another part, or of others. */
static void
see_threshold(struct sw_skew *s, struct sw_pass *p)
{
	p->threshold = larger(larger(p->threshold, s->part.threshold),
			      p->floor);
	if (p->threshold == s->threshold)
		return;
	s->threshold = p->threshold;
	for (unsigned k = 0; k < s->ops->lanes; k++)
		set_want(s, k);
}

/* Of the block's segment: s->seg is the first that begins at it or behind. */
static uint64_t
columns_left(const struct sw_skew *s, const struct sw_text *t, uint64_t block)
{
	const struct sw_seg *g = t->seg + s->seg;

	if (s->seg == t->n_seg || g->beg / SW_BLOCK > block)
		g--;
	return g->end - block * SW_BLOCK;
}

static void
begin_block(struct sw_skew *s, struct sw_pass *p, unsigned lane,
	    uint64_t block)
{
	const struct sw_text *t = p->t;
	bool fresh;

	see_threshold(s, p);
	if (block >= t->n / SW_BLOCK) {
		begin_idle(s, lane);
		return;
	}
	while (s->seg < t->n_seg && t->seg[s->seg].beg / SW_BLOCK < block)
		s->seg++;
	fresh = s->seg < t->n_seg && t->seg[s->seg].beg / SW_BLOCK == block;
	begin(s, lane, t->codes + block * SW_BLOCK, fresh);
	if (s->prunes)	/* a net may have no segments */
		sw_skew_set_gain(s, lane, columns_left(s, t, block));
	sw_skew_take(s, lane, block);
	set_want(s, lane);
}

static void
tell(struct sw_skew *s, struct sw_pass *p, unsigned lane, uint64_t block)
{
	struct sw_peak *peak;

	if (s->net || s->mask)
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
	sw_retry_failed(&s->retry);
}

static void
try_8(struct sw_skew *s)
{
	if (s->narrow || !s->bytes_fit || !sw_retry_now(&s->retry) ||
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
	s->record = s->recording > 0;
	s->reruns = 0;
}

static void
step(struct sw_skew *s)
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
	sw_skew_take_end(s);
	if (s->net)
		sw_net_take(s);
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

/* Of the steps that were left out, what the pass has not heard of yet. */
static void
count(struct sw_skew *s, struct sw_pass *p)
{
	const uint64_t step = s->ops->lanes * SW_SKEW_ROWS * SW_BLOCK;

	sw_pass_did(p, (s->part.to - s->part.from) * SW_BLOCK,
		    (s->left_out - s->counted_out) * step);
	s->counted_out = s->left_out;
}

static int
run(struct sw_skew *s, struct sw_pass *p, uint64_t limit)
{
	uint64_t blocks = p->t->n / SW_BLOCK;
	unsigned lanes = s->ops->lanes;

	for (;;) {
		unsigned k = (unsigned)s->strip;

		if (s->strip < lanes) {
			uint64_t had = s->first + k - lanes;

			if (limit < blocks && s->first + k >= limit)
				return 0;
			if (s->first) {
				tell(s, p, k, had);
				count(s, p);
			}
			if (s->first && had == blocks - 1)
				return 0;
			if (s->first && !goes_on(s, p, had))
				return 1;
			begin_block(s, p, k, s->first + k);
		}
		step(s);
		if (s->mask && s->mask->stop)
			return 1;
		if (++s->strip == s->strips) {
			s->strip = 0;
			s->first += lanes;
		}
	}
}

int
sw_skew_run(struct sw_skew *s, struct sw_pass *p, uint64_t limit)
{
	int rc = run(s, p, limit);

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
	s->zero = false;
	s->left_out = s->counted_out = 0;
	s->threshold = 0;
	s->seg = s->strip = 0;
	s->first = 0;
	s->narrow = s->bytes_fit;
	s->record = false;
	s->retry = (struct sw_retry){ 0 };
	s->recording = s->many = s->reruns = 0;
	for (unsigned k = 0; k < s->ops->lanes; k++)
		begin_idle(s, k);
}

bool
sw_skew_is_best(const struct sw_query *q)
{
	const struct sw_skew_ops *ops = find_ops();
	struct sw_skew_match m;

	return ops && q->n >= (size_t)ops->lanes * SW_SKEW_ROWS / 4 * 3 &&
	       sw_skew_match(q, &m);
}

int
sw_skew_begin(struct sw_skew **out, const struct sw_pass *p,
	      const struct sw_skew_part *part, struct err *e)
{
	const struct sw_skew_ops *ops = find_ops();
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
	s->marks = p->marks && p->marks->n ? p->marks : NULL;
	s->net = p->net;
	s->mask = p->mask;
	sw_skew_scores(s, p->q, &m);
	rc = sw_skew_room(s, e);
	if (rc)
		return rc;
	sw_skew_letters(s, p->q, &m);
	sw_skew_plan_prune(s, p->q);
	reset(s);
	if (s->net)
		sw_net_begin(s);
	if (s->mask)
		sw_mask_open(s);
	return 0;
}

static int
pass(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	const struct sw_skew_part all = { .to = p->q->n };
	int rc = w->crew ? sw_wave_pass(p, w, e) : 1;

	if (rc != 1)
		return rc;
	rc = sw_skew_begin(&w->skew, p, &all, e);
	if (rc || p->t->n == 0)
		return rc;
	return sw_skew_run(w->skew, p, UINT64_MAX);
}

int
sw_skew_pass(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	const struct sw_skew_ops *ops = find_ops();
	struct sw_skew_match m;
	int rc;

	if (!ops || !sw_skew_match(p->q, &m))
		return 1;
	rc = sw_marks_reset(w, p, (uint64_t)ops->lanes * SW_BLOCK, e);
	if (rc)
		return rc;
	p->marks = &w->marks;
	rc = pass(p, w, e);
	if (rc)
		w->marks.n = 0;
	return rc;
}

size_t
sw_skew_split(const struct sw_query *q, size_t most, size_t *from)
{
	const struct sw_skew_ops *ops = find_ops();
	size_t strips = q->n / SW_SKEW_ROWS, n = 1;

	if (ops && strips / ops->lanes > 1)
		n = strips / ops->lanes < most ? strips / ops->lanes : most;
	from[0] = 0;
	for (size_t i = 1; i <= n; i++)
		from[i] = q->n - (n - i) * strips / n * SW_SKEW_ROWS;
	return n;
}
