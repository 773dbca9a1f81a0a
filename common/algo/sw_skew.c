/* SPDX-License-Identifier: MIT */
/* sw_skew.c - the pass in skewed lanes: which lane has which block and strip */
#include "algo/sw_skew.h"

#include <stdlib.h>
#include <string.h>

#include "algo/sw_skew_priv.h"
#include "base/cpu.h"

enum {
	LONG_8 = 8, MOST_PAUSE = 63,
	LEAST_RECORD = 64, MOST_RECORD = 1024, RECORD_COST = 8,
	WORTH_CALM = 16,	/* texts of so many blocks a lane */
};

#if defined(__x86_64__)
#define OPS(lanes, isa) {						\
	lanes, sw_skew_step8_##isa, sw_skew_step16_##isa,	\
	sw_skew_widen_##isa, sw_skew_narrow_##isa,			\
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

/* H and E of the left column of a lane's strip; NULL: all 0. */
static void
put_left(struct sw_skew *s, unsigned lane, const struct sw_skew_end *end)
{
	struct sw_skew_side *left = &s->side[s->at];
	int32_t low = INT32_MAX, most = 0, first = s->open + s->extend;

	for (unsigned r = 0; end && r < SW_SKEW_ROWS; r++) {
		low = end[r].h < low ? end[r].h : low;
		most = end[r].h > most ? end[r].h : most;
	}
	low = !end || low < first ? 0 : low - first;
	left->base[lane] = low;
	left->most[lane] = most;
	for (unsigned r = 0; r < SW_SKEW_ROWS; r++) {
		int32_t h = end ? end[r].h - low : 0;
		int32_t x = end ? end[r].e - low : 0;

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

static void
put_all_left(struct sw_skew *s)
{
	put_left(s, 0, s->end + s->strip * SW_SKEW_ROWS);
	for (unsigned k = 0; s->n_fresh && k < s->ops->lanes; k++)
		if (s->fresh[k])
			put_left(s, k, NULL);
}

/* What the last lane left of its strip. */
static void
take_end(struct sw_skew *s)
{
	const struct sw_skew_side *right = &s->side[s->at];
	unsigned k = s->ops->lanes;
	size_t strip = (s->strip + s->strips - (k - 1)) % s->strips;
	int32_t first = s->open + s->extend;

	for (unsigned r = 0; r < SW_SKEW_ROWS; r++) {
		struct sw_skew_end *end = &s->end[strip * SW_SKEW_ROWS + r];

		if (s->narrow) {
			end->h = right->h[r][k] - s->zero8;
			end->e = right->e[r][k] - s->zero8;
		} else {
			end->h = ((const int16_t *)(const void *)
				  right->h[r])[k];
			end->e = ((const int16_t *)(const void *)
				  right->e[r])[k];
		}
		end->h += right->base[k];
		end->e += right->base[k];
		if (end->e < end->h - first)
			end->e = end->h - first;
		if (end->e < 0)
			end->e = 0;
	}
}

static void
clear_column(struct sw_skew *s, unsigned lane)
{
	struct sw_skew_edge *x = &s->edge[s->at];
	unsigned lanes = s->ops->lanes;

	for (unsigned j = 0; j < SW_BLOCK; j++) {
		unsigned i = j * lanes + lane;

		if (s->narrow) {
			x->h[i] = x->f[i] = (uint8_t)s->zero8;
		} else {
			((int16_t *)(void *)x->h)[i] = 0;
			((int16_t *)(void *)x->f)[i] = 0;
		}
	}
}

static void
set_want(struct sw_skew *s, unsigned lane, int64_t threshold)
{
	int64_t least = threshold > INT32_MAX ? INT32_MAX : threshold - 1;

	if (s->want[lane] < least)
		s->want[lane] = (int32_t)least;
}

/* letters: of the block, or NULL for a lane that has none. */
static void
begin(struct sw_skew *s, const struct sw_skew_match *m, unsigned lane,
      const uint8_t *letters, bool fresh, int64_t threshold)
{
	for (unsigned j = 0; j < SW_BLOCK; j++) {
		uint8_t c = letters && letters[j] < SW_LETTERS ?
			    m->code[letters[j]] : 255;

		c = c == 255 ? 4 : c;
		s->col8[j * s->ops->lanes + lane] = c;
		s->col16[j * s->ops->lanes + lane] =
		    (uint16_t)(c | (c | 8) << 8);
	}
	clear_column(s, lane);
	s->base[lane] = s->low[lane] = s->most[lane] = s->corner[lane] = 0;
	s->top[lane] = s->bound[lane] = -1;
	s->want[lane] = letters ? -1 : INT32_MAX;
	set_want(s, lane, threshold);
	s->n_fresh += fresh - s->fresh[lane];
	s->fresh[lane] = fresh;
}

static void
begin_block(struct sw_skew *s, const struct sw_pass *p,
	    const struct sw_skew_match *m, unsigned lane, uint64_t block)
{
	const struct sw_text *t = p->t;

	if (block >= t->n / SW_BLOCK) {
		begin(s, m, lane, NULL, true, INT64_MAX);
		return;
	}
	while (s->seg < t->n_seg && t->seg[s->seg].beg / SW_BLOCK < block)
		s->seg++;
	begin(s, m, lane, t->codes + block * SW_BLOCK, s->seg < t->n_seg &&
	      t->seg[s->seg].beg / SW_BLOCK == block, p->threshold);
}

static void
tell(struct sw_skew *s, struct sw_pass *p, unsigned lane, uint64_t block)
{
	struct sw_peak *peak = &p->peak[block];
	int64_t was = p->threshold;

	peak->exact = s->top[lane] >= s->bound[lane];
	peak->bound = peak->exact ? s->top[lane] : s->bound[lane];
	if (peak->exact && peak->bound >= p->threshold)
		p->threshold = p->raise(p->ctx, block, peak->bound);
	if (p->threshold == was)
		return;
	for (unsigned k = 0; k < s->ops->lanes; k++)
		set_want(s, k, p->threshold);
}

/* 8 bits did not do: after short runs they are tried again less often. */
static void
give_up_8(struct sw_skew *s)
{
	s->did.failed8++;
	s->ops->widen(s);
	s->narrow = false;
	s->pauses = s->run8 >= LONG_8 ? 0 : 2 * s->pauses + 1;
	if (s->pauses > MOST_PAUSE)
		s->pauses = MOST_PAUSE;
	s->pause = s->pauses;
	put_all_left(s);
}

static void
try_8(struct sw_skew *s)
{
	if (s->narrow || !s->bytes_fit)
		return;
	if (s->pause) {
		s->pause--;
		return;
	}
	if (!s->ops->narrow(s))
		return;
	s->did.narrowed++;
	s->narrow = true;
	s->run8 = 0;
	put_all_left(s);
}

/* If many strips were run twice, each is recorded at once for a while. */
static void
set_recording(struct sw_skew *s)
{
	s->did.reruns += s->reruns;
	s->did.recorded += s->record;
	if (s->recording > 1) {
		s->recording--;
		return;
	}
	if (s->reruns)
		s->record_next += LEAST_RECORD;
	else if (s->record_next)
		s->record_next--;
	s->record = false;
	s->recording = 0;
	s->reruns = 0;
	if (s->record_next > LEAST_RECORD * RECORD_COST) {
		s->record = true;
		s->recording = MOST_RECORD;
		s->record_next = 0;
	}
}

static void
step(struct sw_skew *s)
{
	put_all_left(s);
	try_8(s);
	if (s->narrow && !s->ops->step8(s))
		give_up_8(s);
	if (s->narrow) {
		s->run8++;
		s->did.steps8++;
	} else {
		s->ops->step16(s);
		s->did.steps16++;
	}
	take_end(s);
	set_recording(s);
}

/*
 * Are scores low?  Then lanes that need the same letter of the query are
 * faster by a third.  The first blocks do not count: scores that grow without
 * bound have not grown yet.
 */
static bool
is_calm(const struct sw_skew *s, const struct sw_pass *p)
{
	unsigned lanes = s->ops->lanes, low = 0;

	for (unsigned b = lanes; b < 2 * lanes; b++)
		low += p->peak[b].bound <= s->limit8 - s->reach;
	return 2 * low > lanes;
}

/* Block b is done; false: the rest is left to others. */
static bool
goes_on(const struct sw_skew *s, const struct sw_pass *p, uint64_t b)
{
	unsigned lanes = s->ops->lanes;

	return !p->may_calm || !s->bytes_fit || b != 2 * lanes - 1 ||
	       p->t->n / SW_BLOCK < WORTH_CALM * lanes || !is_calm(s, p);
}

static int
run(struct sw_skew *s, struct sw_pass *p, const struct sw_skew_match *m)
{
	uint64_t blocks = p->t->n / SW_BLOCK, first = 0;
	unsigned lanes = s->ops->lanes;

	for (s->strip = 0;;) {
		unsigned k = (unsigned)s->strip;

		if (s->strip < lanes) {
			uint64_t had = first + k - lanes;

			if (first) {
				tell(s, p, k, had);
				if (had == blocks - 1)
					return 0;
				if (!goes_on(s, p, had))
					return 1;
			}
			begin_block(s, p, m, k, first + k);
		}
		step(s);
		if (++s->strip == s->strips) {
			s->strip = 0;
			first += lanes;
		}
	}
}

static void
reset(struct sw_skew *s, const struct sw_skew_match *m)
{
	memset(s->edge, 0, sizeof s->edge);
	memset(s->side, 0, sizeof s->side);
	memset(s->fresh, 0, sizeof s->fresh);
	s->n_fresh = s->at = 0;
	s->seg = 0;
	s->narrow = s->bytes_fit;
	s->record = false;
	s->pause = s->pauses = s->run8 = 0;
	s->recording = s->record_next = s->reruns = 0;
	for (unsigned k = 0; k < s->ops->lanes; k++)
		begin(s, m, k, NULL, true, INT64_MAX);
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
sw_skew_pass(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	const struct sw_skew_ops *ops = find_ops();
	struct sw_skew_match m;
	int rc;

	if (!ops || !sw_skew_match(p->q, &m))
		return 1;
	if (p->t->n == 0)
		return 0;
	if (!w->skew) {
		w->skew = aligned_alloc(64, (sizeof *w->skew + 63) / 64 * 64);
		if (!w->skew)
			return err_nomem(e, sizeof *w->skew);
		memset(w->skew, 0, sizeof *w->skew);
	}
	w->skew->ops = ops;
	sw_skew_scores(w->skew, p->q);
	rc = sw_skew_room(w->skew, p->q, e);
	if (rc)
		return rc;
	sw_skew_letters(w->skew, p->q, &m);
	reset(w->skew, &m);
	return run(w->skew, p, &m);
}
