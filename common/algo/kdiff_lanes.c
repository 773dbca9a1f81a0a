/* SPDX-License-Identifier: MIT */
/*
 * kdiff_lanes.c - lanes, pieces, segments: which letters stand where
 *
 * Blocks follow each other.  The words of one go to L lanes of T words each.
 * Lane l begins l * (T - warm) words in, and owns all its words but the first
 * `warm`, which only bring it to the right values; lane 0 of the first block
 * owns these, too.  A block's lanes end where the next one begins to own.
 *
 * Segments stand apart because letters of a gap match nothing.  Take a path
 * of cost <= k that ends inside a segment.  It cannot cross the gap before,
 * since each of k + 1 letters would cost 1.  If it begins in the gap, leave
 * its gap letters out (a pattern letter that stood against one becomes an
 * insertion): it costs no more, so D <= k is the segment's own.  Likewise at a
 * gap's last letter D > k: there a run of values <= k begins by a fall, as
 * after D(0) = m > k, and is never counted longer than it is.  After the end
 * the kernel lets D rise, as the minima's rule says.  A lane that begins in a
 * gap, or before a segment's end, sees fewer paths, and exact values <= k
 * after m + k letters (2m + k for the runs).
 */
#include <string.h>

#include "algo/kdiff_scan.h"

/* Words to be owned, and before those of a lane. */
void
kdiff_plan(struct scan *s)
{
	s->warm = (s->minima ? s->set->max_2mk : s->set->max_mk) / 64 + 1;
	s->next = s->text->seg[0].beg / 64;
	/* with the column after the last end */
	s->end = s->text->seg[s->text->n_seg - 1].end / 64 + 1;
}

/*
 * Lanes of the next block: the fewest words a lane that cover it; one lane
 * where the warm-ups of more would be longer than the text.  Blocks are about
 * equally long: at least half of `most`, so that there is a warm-up before the
 * next one, and more lanes than one are shorter than one lane.
 */
void
kdiff_plan_block(struct scan *s)
{
	uint64_t least = s->set->warms * s->lanes * (s->warm + 2);
	uint64_t most = s->set->block > least ? s->set->block : least;
	uint64_t n = s->end - s->next, t, one;
	bool begins = s->next == s->text->seg[0].beg / 64;

	s->own = s->next;
	s->first = begins ? s->own : s->own - s->warm;
	n = (n + (n - 1) / most) / ((n - 1) / most + 1);
	one = s->own - s->first + n;
	one = (one + KDIFF_WORDS - 1) / KDIFF_WORDS * KDIFF_WORDS;
	t = (n + s->lanes - 1) / s->lanes + s->warm;
	t = (t + KDIFF_WORDS - 1) / KDIFF_WORDS * KDIFF_WORDS;
	if (t >= one) {
		s->lane_words = s->lane_step = one;
		s->next = s->first + one;
		return;
	}
	if ((t - s->warm) % 256 == 0)	/* lanes would share cache sets */
		t += KDIFF_WORDS;
	s->lane_words = t;
	s->lane_step = t - s->warm;
	s->next = s->first + s->warm + s->lanes * s->lane_step;
}

/* Columns lo <= c < hi of the word at letter `at`. */
static uint64_t
span(uint64_t at, uint64_t lo, uint64_t hi)
{
	lo = lo > at ? lo - at : 0;
	hi = hi > at ? hi - at : 0;
	if (hi > 64)
		hi = 64;
	return lo < hi ? ~0ull >> (64 - (hi - lo)) << lo : 0;
}

struct range {
	uint64_t lo, hi;	/* columns [lo, hi) */
};

/* Columns whose ends are to be reported: end = column + 1, or column. */
static struct range
reported(const struct scan *s, const struct kdiff_seg *g)
{
	uint64_t from = g->beg + 1, to = g->end;

	if (!s->all_ends && g->from > from)
		from = g->from;
	if (!s->all_ends && g->to < to)
		to = g->to;
	if (from > to)
		return (struct range){ 0, 0 };
	return (struct range){ from - !s->minima, to + s->minima };
}

/* First letter a lane owns. */
static uint64_t
owned(const struct scan *s, unsigned l)
{
	return (l ? s->first + l * s->lane_step + s->warm : s->own) * 64;
}

/* Are n letters of lane l from `at` inside a segment, and all reported? */
static bool
plain(struct scan *s, unsigned l, uint64_t at, uint64_t n)
{
	const struct kdiff_text *t = s->text;
	const struct kdiff_seg *g;
	struct range r;

	while (s->seg[l] + 1 < t->n_seg && t->seg[s->seg[l] + 1].beg <= at)
		s->seg[l]++;
	g = &t->seg[s->seg[l]];
	r = reported(s, g);
	return at >= owned(s, l) && at + n <= g->end && r.lo <= at &&
	       at + n <= r.hi;
}

/* Gap and own masks of a lane's words of superblock i. */
static void
masks(struct scan *s, unsigned l, unsigned i)
{
	const struct kdiff_text *t = s->text;
	uint64_t at = s->pc.at[l] + (uint64_t)i * KDIFF_SB, mine = owned(s, l);
	size_t seg = s->seg[l];

	for (unsigned w = 0; w < KDIFF_WORDS; w++, at += 64) {
		size_t slot = ((size_t)i * KDIFF_WORDS + w) * s->lanes + l;
		const struct kdiff_seg *g;
		struct range r;

		/* a segment begins with a word: at most one is in each */
		while (seg + 1 < t->n_seg && t->seg[seg + 1].beg <= at)
			seg++;
		g = &t->seg[seg];
		r = reported(s, g);
		s->pc.gap[slot] = ~span(at, g->beg, g->end);
		s->pc.own[slot] = at >= mine ? span(at, r.lo, r.hi) : 0;
	}
}

/* No gap and no end that is not to be reported in superblock i. */
static void
no_masks(struct scan *s, unsigned i)
{
	size_t n = KDIFF_WORDS * s->lanes;

	memset(s->pc.gap + i * n, 0, n * sizeof *s->pc.gap);
	memset(s->pc.own + i * n, 0xff, n * sizeof *s->pc.own);
}

void
kdiff_begin_block(struct scan *s)
{
	for (unsigned l = 0; l < s->lanes; l++)
		s->seg[l] = kdiff_seg_find(s->text, (s->first +
						     l * s->lane_step) * 64);
}

void
kdiff_prepare_piece(struct scan *s, uint64_t sb, unsigned n_sb)
{
	bool all = true;

	s->pc.n_sb = n_sb;
	for (unsigned l = 0; l < s->lanes; l++) {
		s->pc.at[l] = (s->first + l * s->lane_step +
			       sb * KDIFF_WORDS) * 64;
		all &= plain(s, l, s->pc.at[l], (uint64_t)n_sb * KDIFF_SB);
	}
	for (unsigned i = 0; i < n_sb; i++) {
		s->pc.special[i] = false;
		for (unsigned l = 0; !all && l < s->lanes; l++)
			s->pc.special[i] |= !plain(s, l, s->pc.at[l] +
						   i * KDIFF_SB, KDIFF_SB);
		for (unsigned l = 0; s->pc.special[i] && l < s->lanes; l++)
			masks(s, l, i);
		if (s->set->exact && !s->pc.special[i])
			no_masks(s, i);
	}
	s->set->ops.gather(&s->src, &s->pc);
}
