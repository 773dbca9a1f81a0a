/* SPDX-License-Identifier: MIT */
/*
 * kdiff_qgram_plan.c - does the filter pay, and with which q-grams?
 *
 * A model in cycles a letter of random text; its constants were measured.
 * Texts that are not random cannot make it wrong, only slow, and that is
 * noticed during the scan (kdiff_qgram.c).
 */
#include <math.h>

#include "algo/kdiff_index.h"
#include "algo/kdiff_qgram.h"

enum {
	LEAST_Q = 4,
	LONGEST = 64,		/* a piece */
	VISIT = 35,		/* cycles a seed met, */
	CHECK = 280,		/* a piece found with its neighbours, */
	BUILD = 60,		/* a seed stored, */
	SCAN = 2000,		/* a range scanned, besides its rows */
};

/* What patterns with pieces of one length, or of more, cost. */
struct sums {
	double n, seeds, plain, found;
};

double
kdiff_plain_cycles(const struct kdiff_set *set, const struct kdiff_pat *p)
{
	uint32_t rows = (p->chk[0] + 7) / 8 * 8;

	/* a text seldom goes further than one check after the first */
	if (!set->p.hamming)
		return set->ops.row * (p->chk[0] + (p->n_chk > 1 ? 2 : 1));
	/* checked every 8 rows; a counter's planes */
	return set->ops.row * (rows < p->m ? rows : p->m) * (1 + .6 * p->bits);
}

/* Cycles to scan what is around one match, context and all. */
static double
range_cycles(const struct kdiff_set *set, const struct kdiff_pat *p)
{
	double letters = KDIFF_SB * set->ops.lanes;

	letters *= ceil((3.0 * p->m + 3.0 * p->k + 64) / letters);
	return SCAN + letters * set->ops.row * p->m;
}

/*
 * How often a random text comes near: strings within k differences are at
 * most C(m, k) 8^k, about, of 4^m.
 */
static double
matches(const struct kdiff_pat *p)
{
	double x = lgamma(p->m + 1.0) - lgamma(p->k + 1.0) -
		   lgamma(p->m - p->k + 1.0) + p->k * log(8) - p->m * log(4);

	return x > 0 ? 1 : exp(x);
}

static void
sum_up(const struct kdiff_set *set, struct sums s[LONGEST + 1])
{
	for (size_t i = 0; i < set->n; i++) {
		const struct kdiff_pat *p = &set->pat[i];
		struct sums *x = &s[p->piece];
		double found = (p->k + 1) * pow(4, -(double)p->piece) * CHECK;

		x->n++;
		x->seeds += p->k + 1;
		x->plain += kdiff_plain_cycles(set, p);
		x->found += found + matches(p) * range_cycles(set, p);
	}
	for (int i = LONGEST; i-- > 0;) {
		s[i].n += s[i + 1].n;
		s[i].seeds += s[i + 1].seeds;
		s[i].plain += s[i + 1].plain;
		s[i].found += s[i + 1].found;
	}
}

/* Cycles a letter with the patterns summed up in s. */
static double
filter_cycles(const struct kdiff_set *set, const struct sums *s, unsigned q,
	      unsigned step)
{
	double samples = (63 / step + 1) / 64.0, visits;

	visits = s->seeds * step / (double)(1ull << 2 * q);
	return samples * (set->ops.sample * (q > 9 ? 1.4 : 1) +
			  visits * VISIT) + s->found;
}

static void
try(const struct kdiff_set *set, const struct sums *s, unsigned least,
    unsigned q, unsigned step, struct qgram_plan *p)
{
	double c = filter_cycles(set, &s[least], q, step) + s[0].plain -
		   s[least].plain;

	if (p->q && c >= p->cycles)
		return;
	p->least = least;
	p->q = q;
	p->step = step;
	p->cycles = c;
	p->build = BUILD * s[least].seeds * step + (double)(1ull << 2 * q) /
		   20;
}

void
kdiff_qgram_plan(const struct kdiff_set *set, struct qgram_plan *p)
{
	/* of the steps with as many samples a word the shortest */
	static const uint8_t steps[] = { 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 13,
					 16, 22, QGRAM_MAX_STEP };
	struct sums s[LONGEST + 1] = { { 0 } };

	*p = (struct qgram_plan){ 0 };
	sum_up(set, s);
	p->plain = s[0].plain;
	for (unsigned least = LEAST_Q; least <= LONGEST; least++)
		for (unsigned i = 0; i < sizeof steps; i++) {
			unsigned step = steps[i], q = least + 1 - step;

			if (step > least || q < LEAST_Q || !s[least].n)
				continue;
			q = q < QGRAM_MAX_Q ? q : QGRAM_MAX_Q;
			try(set, s, least, q, step, p);
			if (q > 9)
				try(set, s, least, 9, step, p);
		}
	if (set->force.q) {
		unsigned least = set->force.q + set->force.step - 1;

		p->q = 0;
		if (least <= LONGEST && s[least].n)
			try(set, s, least, set->force.q, set->force.step, p);
	}
	if (set->engine == KDIFF_AUTO && (p->cycles >= p->plain ||
					  p->cycles >= kdiff_index_cycles(set)))
		p->q = 0;
}
