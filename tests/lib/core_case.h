/* SPDX-License-Identifier: MIT */
/* core_case.h - cores of primer's short engine for tests: where they occur, by
 * the matrix, and cases in which they occur several times, one nearly on the
 * other */
#ifndef SEQF_CORE_CASE_H
#define SEQF_CORE_CASE_H

#include "tests/oracle/primer_plain.h"

/* D of the last row after each letter, by Sellers' matrix. */
static inline void
core_last_row(const struct primer_core *c, const struct primer_find *x,
	      uint32_t *last)
{
	uint32_t d[PRIMER_CORE_ROWS + 1];

	for (uint32_t r = 0; r <= c->rows; r++)
		d[r] = r;
	for (uint64_t j = 0; j < x->n; j++) {
		uint32_t diagonal = 0;

		for (uint32_t r = 1; r <= c->rows; r++) {
			bool same = c->eq[x->text[j]] >>
				    (31 - c->rows + r) & 1;
			uint32_t best = diagonal + !same;

			diagonal = d[r];
			if (d[r] + 1 < best)
				best = d[r] + 1;
			if (d[r - 1] + 1 < best)
				best = d[r - 1] + 1;
			d[r] = best;
		}
		last[j] = d[c->rows];
	}
}

/*
 * Copies in the text of a target that repeats a few letters, then goes on with
 * others, from soon behind a 64th letter of the text on: so a core occurs
 * several times within PRIMER_CORE_NEAR letters, and what follows only behind
 * one of them.  Ends are plain's.
 */
static inline void
core_repeats(struct pcase *c, uint64_t seed)
{
	struct pletters *a = &c->target[0], *t = &c->text[0];
	size_t period, i, upto;

	pcase_begin(c, seed, 40 + seed % 40, 400, 4);
	c->par.k = 1 + below(&c->seed, below(&c->seed, 2) ? 2 : 8);
	c->par.max_len = 20 + below(&c->seed, 44);
	period = 1 + below(&c->seed, PRIMER_CORE_NEAR);
	i = period + below(&c->seed, 10);
	for (upto = i + 10 + below(&c->seed, 25); i < upto && i < a->n; i++)
		a->s[i] = a->s[i - period];
	for (uint64_t n = 1 + below(&c->seed, 3); n; n--) {
		size_t at = 128 + 64 * below(&c->seed, 5) +
			    below(&c->seed, 20) - upto;

		for (i = 0; i < a->n && at < t->n; i++)
			t->s[at++] = below(&c->seed, 200) ? a->s[i] : 'A';
	}
	pcase_force(c);
	if (c->force.rows && c->force.rows <= c->par.k)
		c->force.rows = (unsigned)c->par.k + 1;
	c->force.cores = below(&c->seed, 4) > 0;
	c->force.seeds = (enum primer_force_seeds)0;
	pcase_want_plain(c);
}

#endif
