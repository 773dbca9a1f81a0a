/* SPDX-License-Identifier: MIT */
/* oracle_ebwt.h - the listing, and distances, by their definitions */
#ifndef SEQF_ORACLE_EBWT_H
#define SEQF_ORACLE_EBWT_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "ebwt/ebwt.h"

/* Omega-powers of rotations i of u, j of v: within |u| + |v| letters. */
static inline int
oracle_omega(const struct ebwt_word *u, uint64_t i, const struct ebwt_word *v,
	     uint64_t j)
{
	for (uint64_t k = 0; k < u->n + v->n; k++) {
		uint8_t a = u->letters[i], b = v->letters[j];

		if (a != b)
			return a < b ? -1 : 1;
		i = i + 1 < u->n ? i + 1 : 0;
		j = j + 1 < v->n ? j + 1 : 0;
	}
	return 0;
}

struct oracle_row {
	const struct ebwt_word *set;
	uint32_t word, offset;
};

static inline int
oracle_compare(const void *a, const void *b)
{
	const struct oracle_row *x = a, *y = b;
	int c = oracle_omega(&x->set[x->word], x->offset, &y->set[y->word],
			     y->offset);

	if (c)
		return c;
	if (x->word != y->word)
		return x->word < y->word ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* All rows in order: the caller's to free(). */
static inline struct oracle_row *
oracle_listing(const struct ebwt_word *set, size_t n, uint64_t *n_rows)
{
	struct oracle_row *r;
	uint64_t m = 0;

	for (size_t w = 0; w < n; w++)
		m += set[w].n;
	r = malloc(m * sizeof *r);
	if (!r)
		abort();
	*n_rows = m;
	m = 0;
	for (size_t w = 0; w < n; w++)
		for (uint64_t i = 0; i < set[w].n; i++)
			r[m++] = (struct oracle_row){
				set, (uint32_t)w, (uint32_t)i,
			};
	qsort(r, m, sizeof *r, oracle_compare);
	return r;
}

/*
 * The lengths of a pair's runs, as many as returned, at most |u| + |v|.  Of a
 * group of tied rows each word's go to either side in turn while both have
 * some, and what is left of one is a run: if any tie, all groups are such.
 */
static inline uint64_t
oracle_runs(const struct ebwt_word *u, const struct ebwt_word *v,
	    uint64_t *length)
{
	struct ebwt_word set[2] = { *u, *v };
	uint64_t n, runs = 0;
	struct oracle_row *r = oracle_listing(set, 2, &n);
	bool tie = false;

	for (uint64_t i = 1; i < n; i++)
		tie |= r[i].word != r[i - 1].word &&
		       !oracle_omega(&set[r[i].word], r[i].offset,
				     &set[r[i - 1].word], r[i - 1].offset);
	for (uint64_t i = 0; i < n && !tie; i++)
		if (i && r[i].word == r[i - 1].word)
			length[runs - 1]++;
		else
			length[runs++] = 1;
	if (tie) {
		uint64_t least = u->n < v->n ? u->n : v->n;

		while (runs < 2 * least)
			length[runs++] = 1;
		if (u->n != v->n)
			length[runs++] = u->n + v->n - 2 * least;
	}
	free(r);
	return runs;
}

/*
 * The substitutions a site that leave so many runs, by bisection of the share q
 * of rows that stand beside their likes: of v's gaps 1 - (1 - f q / 2)^2 /
 * (1 + f (1 - q)) hold any of u's.
 */
static inline double
oracle_subs(long double u, long double v, long double runs)
{
	long double a = fminl(u, v), b = fmaxl(u, v), f = a / b;
	long double lo = 0, hi = 1, q, bits = log2l(b) / 2;

	for (int i = 0; i < 200; i++) {
		q = (lo + hi) / 2;
		if (2 * b * (1 - (1 - f * q / 2) * (1 - f * q / 2) /
			     (1 + f * (1 - q))) < runs)
			lo = q;
		else
			hi = q;
	}
	q = fmaxl(hi, (1 + f) * (1 + f) / (4 * f * f) * sqrtl(a / 2) / b);
	return q >= 1 || bits < 1 ? 0 : (double)(-logl(q) / bits);
}

/* By the formulas of the manual. */
static inline double
oracle_scaled(enum ebwt_metric metric, long double u, long double v,
	      long double delta)
{
	long double least = fmaxl(0, fabsl(u - v) - 1), n = u + v;
	long double unrelated = n - 1 - 2 * u * v / n;
	double s;

	s = (double)(n == 2 ? 0 : (delta - least) / (unrelated - least));
	return metric == EBWT_SCALED ? s : oracle_subs(u, v, n - delta);
}

static inline double
oracle_distance(enum ebwt_metric metric, const struct ebwt_word *u,
		const struct ebwt_word *v)
{
	uint64_t n = u->n + v->n;
	uint64_t *length = malloc(n * sizeof *length), runs, delta = 0;
	double h = 0;

	if (!length)
		abort();
	runs = oracle_runs(u, v, length);
	for (uint64_t i = 0; i < runs; i++)
		delta += length[i] - 1;
	for (uint64_t i = 0; i < runs; i++) {	/* each run its own part */
		uint64_t same = 0;

		for (uint64_t k = 0; k < runs; k++)
			same += length[k] == length[i];
		h += log2((double)runs / (double)same) / (double)runs;
	}
	free(length);
	switch (metric) {
	case EBWT_NORM:
		return n == 2 ? 0 : (double)delta / (double)(n - 2);
	case EBWT_DM:
		return (double)delta / (double)(n - delta);
	case EBWT_SCALED:
	case EBWT_SUBS:
		/* that it is oracle_scaled() is a test of its own */
		return ebwt_measure(metric, u->n, v->n, delta);
	case EBWT_DE:
		return h;
	default:
		return (double)delta;
	}
}

#endif
