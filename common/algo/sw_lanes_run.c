/* SPDX-License-Identifier: MIT */
/* sw_lanes_run.c - the blocks of all lanes, in 8 or 16 bits */
#include <string.h>

#include "algo/sw_lanes_priv.h"

enum {
	TRIAL = 32,		/* blocks that show whether 8 bits will do */
	LEAST_RECORD = 16, MOST_RECORD = 128,
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
	s->ops->widen(s);
	s->narrow = false;
	sw_retry_failed(&s->retry);
}

static void
try_8(struct sw_lanes *s)
{
	if (s->narrow || s->halves != 2 || s->high || !sw_retry_now(&s->retry))
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
						  LEAST_RECORD;
		if (s->record_next > MOST_RECORD)
			s->record_next = MOST_RECORD;
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
tell(struct sw_lanes *s, struct sw_pass *p, uint64_t c)
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

static void
begin(struct sw_lanes *s, const struct sw_text *t)
{
	memcpy(s->now.h, s->start.h, s->column_bytes);
	memcpy(s->seg, s->first_seg, sizeof s->seg);
	memset(s->reset, 0, sizeof s->reset);
	for (unsigned l = 0; l < s->ops->bytes; l++)
		s->at[l] = idle;
	for (unsigned l = 0; l < s->lanes; l++)
		s->anew[l] = next_begin(s, t, l, l * s->step);
	s->narrow = false;
	s->retry.pause = 0;
	s->did.passes++;
}

bool
sw_lanes_run(struct sw_lanes *s, struct sw_pass *p, bool first)
{
	uint64_t trial = s->step < TRIAL ? s->step : TRIAL;

	begin(s, p->t);
	for (uint64_t c = 0; c < s->step; c++) {
		bool begins = set_block(s, p->t, c);

		s->threshold = p->threshold;
		do_block(s, begins);
		tell(s, p, c);
		if (first)
			sw_pass_did(p, s->lanes * SW_BLOCK * p->q->n, 0);
		if (s->may_stop && first && c + 1 == trial &&
		    2 * s->wide > trial)
			return true;
		if (sw_lanes_met(s, c + 1, first))
			return false;
	}
	if (s->narrow)
		s->ops->widen(s);
	memcpy(s->end.h, s->now.h, s->column_bytes);
	return false;
}
