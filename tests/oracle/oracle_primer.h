/* SPDX-License-Identifier: MIT */
/* oracle_primer.h - ends of k-difference primers by their definition */
#ifndef SEQF_ORACLE_PRIMER_H
#define SEQF_ORACLE_PRIMER_H

#include "tests/oracle/oracle.h"

struct oracle_primer {
	bool literal;
	uint64_t k, max_len;	/* max_len 0: none */
};

/* May the letter stand in a primer? */
static inline bool
oracle_primer_letter(const struct oracle_primer *o, uint8_t c)
{
	unsigned set = oracle_set(c);

	return o->literal || set == 1 || set == 2 || set == 4 || set == 8;
}

/* Does the text's letter, or its complement, match the primer's? */
static inline bool
oracle_primer_equal(const struct oracle_primer *o, uint8_t a, uint8_t t,
		    bool minus)
{
	unsigned set = oracle_set(t);

	if (o->literal)
		return a == t;
	if (minus)	/* A and T, C and G change places */
		set = (set & 1) << 3 | (set & 2) << 1 | (set & 4) >> 1 |
		      (set & 8) >> 3;
	return set != 15 && (oracle_set(a) & set);
}

/* Where the primer that begins at j could end at most. */
static inline size_t
oracle_primer_stop(const struct oracle_primer *o, const uint8_t *a, size_t m,
		   size_t j)
{
	size_t stop = j;

	while (stop < m && (!o->max_len || stop < j + o->max_len) &&
	       oracle_primer_letter(o, a[stop]))
		stop++;
	return stop;
}

/*
 * The largest e so that letters j to e of a have a stretch of text with fewer
 * than k differences: row by row of the matrix of letters from j on and of the
 * text, whose first row is 0.  d is room for n + 1.
 */
static inline size_t
oracle_primer_end(const struct oracle_primer *o, const uint8_t *a, size_t m,
		  const uint8_t *t, size_t n, bool minus, size_t j,
		  uint64_t *d)
{
	size_t stop = oracle_primer_stop(o, a, m, j);

	memset(d, 0, (n + 1) * sizeof *d);
	for (size_t e = j; e < stop; e++) {
		uint64_t diag = d[0]++, least = d[0];

		for (size_t i = 1; i <= n; i++) {
			uint8_t c = t[minus ? n - i : i - 1];
			uint64_t x = diag + !oracle_primer_equal(o, a[e], c,
								 minus);

			x = d[i] + 1 < x ? d[i] + 1 : x;
			x = d[i - 1] + 1 < x ? d[i - 1] + 1 : x;
			diag = d[i];
			d[i] = x;
			least = x < least ? x : least;
		}
		if (least >= o->k)
			return e;
	}
	return stop;
}

/* Raise the ends of a target's m letters by a text, or what it is backwards. */
static inline void
oracle_primer(const struct oracle_primer *o, const uint8_t *a, size_t m,
	      const uint8_t *t, size_t n, bool minus, uint64_t *end)
{
	uint64_t *d = malloc((n + 1) * sizeof *d);

	if (!d)
		abort();
	for (size_t j = 0; j < m; j++) {
		size_t e = oracle_primer_end(o, a, m, t, n, minus, j, d);

		end[j] = e > end[j] ? e : end[j];
	}
	free(d);
}

#endif
