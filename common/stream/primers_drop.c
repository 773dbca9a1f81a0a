/* SPDX-License-Identifier: MIT */
/*
 * primers_drop.c - primers whose letters are not as wanted
 *
 * Neither begins nor ends of primers decrease along a strand, so what is
 * counted slides: each letter comes in once, and goes once.
 */
#include "stream/primers_priv.h"

struct slide {
	const struct primer_rule *r;
	const uint8_t *s;
	struct melt melt;
	uint64_t beg, end;	/* letters [beg, end) are counted */
	uint64_t gc;
	struct melt_sum sum;	/* of neighbours among them */
	uint64_t run;		/* of the letter before end, there */
	uint64_t long_end;	/* of the last run that is too long; 0: none */
};

static bool
is_gc(uint8_t c)
{
	return c == 'G' || c == 'C';
}

static void
come(struct slide *w)
{
	uint64_t i = w->end++;
	bool next = i > w->beg;

	w->gc += is_gc(w->s[i]);
	w->run = next && w->s[i] == w->s[i - 1] ? w->run + 1 : 1;
	if (w->run > w->r->homopolymer)
		w->long_end = w->end;
	if (next && w->r->tm) {
		struct melt_sum p = melt_pair(w->s[i - 1], w->s[i]);

		w->sum.h += p.h;
		w->sum.s += p.s;
	}
}

static void
go(struct slide *w)
{
	uint64_t i = w->beg++;

	w->gc -= is_gc(w->s[i]);
	if (w->beg < w->end && w->r->tm) {
		struct melt_sum p = melt_pair(w->s[i], w->s[i + 1]);

		w->sum.h -= p.h;
		w->sum.s -= p.s;
	}
}

static void
slide_to(struct slide *w, uint64_t beg, uint64_t end)
{
	if (beg >= w->end) {
		w->beg = w->end = beg;
		w->gc = w->run = w->long_end = 0;
		w->sum = (struct melt_sum){ 0, 0 };
	}
	while (w->beg < beg)
		go(w);
	while (w->end < end)
		come(w);
}

/* A run that is too long may have begun before the primer does. */
static bool
letters_fit(const struct slide *w)
{
	const struct primer_rule *r = w->r;
	uint64_t n = w->end - w->beg;
	int64_t nano;

	if (r->homopolymer && w->long_end > w->beg &&
	    w->long_end - w->beg > r->homopolymer)
		return false;
	if (r->gc && (100000 * w->gc < r->gc_lo * n ||
		      100000 * w->gc > r->gc_hi * n))
		return false;
	return !r->tm ||
	       (melt_tm(&w->melt, w->s + w->beg, n, w->sum, &nano) &&
		nano >= (int64_t)r->tm_lo * 1000000 &&
		nano <= (int64_t)r->tm_hi * 1000000);
}

void
primers_drop(const struct primer_rule *r, const struct primer_strand *s,
	     uint64_t *to)
{
	struct slide w = { .r = r, .s = s->letters };

	if (!r->gc && !r->tm && !r->homopolymer)
		return;
	if (r->tm && !melt_init(&w.melt, &r->salts))
		return;		/* no rule has such salts */
	for (uint64_t j = 0; j < s->len; j++) {
		if (!to[j])
			continue;
		slide_to(&w, j, to[j]);
		if (!letters_fit(&w))
			to[j] = 0;
	}
}
