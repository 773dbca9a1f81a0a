/* SPDX-License-Identifier: MIT */
/*
 * sw_lanes.c - the pass: run all lanes, hand ends over, until nothing changes
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
 * What the last run over a block said of it stands.  It was run with a column
 * before it from which all H come out as they truly are: either that column was
 * the lane's last start carried on, or it was met (sw_lanes_same()) by the runs
 * that came later.  So its bound is above all true H, and it is exact if its
 * largest H reached the threshold of that moment, which was not above what it
 * is in the end.  What was told before is never too high.
 */
#include <stdlib.h>
#include <string.h>

#include "algo/sw_lanes_priv.h"
#include "base/cpu.h"

#if defined(__x86_64__)
#define OPS(bytes, isa) {						\
	bytes, sw_lane_profile8_##isa, sw_lane_profile16_##isa,		\
	sw_lane_block8_##isa, sw_lane_block16_##isa,			\
	sw_lane_reset8_##isa, sw_lane_reset16_##isa,			\
	sw_lane_widen_##isa, sw_lane_narrow_##isa, sw_lane_same_##isa,	\
}
static const struct sw_lane_ops avx2 = OPS(32, avx2);
static const struct sw_lane_ops avx512 = OPS(64, avx512);
#endif

static const struct sw_lane_ops *
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
 * run of 16 bits.  So lanes leave it to them after MOST_RUNS, or
 * MOST_BESIDE_SKEW, which costs two or three times as much as the best choice
 * at most; or at once, if 8 bits did not do: then scores are high everywhere.
 */
enum { IN_16_BITS = 2, MOST_RUNS = 8, MOST_BESIDE_SKEW = 2 };

static bool
too_many_runs(const struct sw_lanes *s, const struct sw_pass *p,
	      uint64_t before)
{
	uint64_t most = p->may_skew ? MOST_BESIDE_SKEW : MOST_RUNS;

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
run(struct sw_lanes *s, struct sw_pass *p, struct err *e)
{
	uint64_t before = s->did.blocks8 + s->did.blocks16;
	int rc = sw_lanes_plan(s, p->q, p->t, e);
	bool first = true;

	while (!rc) {
		if (sw_lanes_run(s, p, first))
			return too_short(s, p) ? 1 : IN_16_BITS;
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
	const struct sw_lane_ops *ops = find_ops();
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
	rc = run(s, p, e);
	if (rc == IN_16_BITS) {
		s->halves = 1;
		s->may_stop = false;
		s->did.again16++;
		rc = run(s, p, e);
	}
	return rc;
}
