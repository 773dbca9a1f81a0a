/* SPDX-License-Identifier: MIT */
/* oracle_colour.h - distances of multisets of words, by all orders of ties */
#ifndef SEQF_ORACLE_COLOUR_H
#define SEQF_ORACLE_COLOUR_H

#include "tests/oracle/oracle_ebwt.h"

/* The most runs so far, if the last row is U's, or V's; none yet: -1. */
struct oracle_most {
	int64_t by[2];
};

static inline int64_t
oracle_more(struct oracle_most m, int who)
{
	int64_t same = m.by[who], other = m.by[!who];

	if (same < 0 && other < 0)
		return 1;	/* the first row of all */
	return other < 0 || same > other ? same : other + 1;
}

/*
 * Behind what was, a rows of U and b of V in any order: every one is a path
 * from (0, 0) to (a, b).
 */
static inline struct oracle_most
oracle_block(struct oracle_most was, size_t a, size_t b)
{
	struct oracle_most *m = malloc((a + 1) * (b + 1) * sizeof *m), all;

	if (!m)
		abort();
	for (size_t i = 0; i <= a; i++)
		for (size_t j = 0; j <= b; j++) {
			struct oracle_most *to = &m[i * (b + 1) + j];

			*to = (struct oracle_most){ { -1, -1 } };
			if (i + j == 0)
				*to = was;
			/* no way leads from a place that has none */
			if (i && (i + j == 1 || to[-(int64_t)b - 1].by[0] >= 0
				  || to[-(int64_t)b - 1].by[1] >= 0))
				to->by[0] = oracle_more(to[-(int64_t)b - 1],
							0);
			if (j && (i + j == 1 || to[-1].by[0] >= 0 ||
				  to[-1].by[1] >= 0))
				to->by[1] = oracle_more(to[-1], 1);
		}
	all = m[(a + 1) * (b + 1) - 1];
	free(m);
	return all;
}

/* delta of colours u and v of n words: of[w] is word w's. */
static inline uint64_t
oracle_colours(const struct ebwt_word *word, const uint32_t *of, size_t n,
	       uint32_t u, uint32_t v)
{
	struct oracle_most most = { { -1, -1 } };
	struct ebwt_word *set = malloc(n * sizeof *set);
	bool *is_v = malloc(n);
	uint64_t rows, i, k;
	struct oracle_row *r;
	size_t m = 0;

	if (!set || !is_v)
		abort();
	for (size_t w = 0; w < n; w++)
		if (of[w] == u || of[w] == v) {
			is_v[m] = of[w] == v;
			set[m++] = word[w];
		}
	r = oracle_listing(set, m, &rows);
	for (i = 0; i < rows; i = k) {
		size_t count[2] = { 0, 0 };

		for (k = i; k < rows && !oracle_omega(&set[r[i].word],
			r[i].offset, &set[r[k].word], r[k].offset); k++)
			count[is_v[r[k].word]]++;
		most = oracle_block(most, count[0], count[1]);
	}
	free(r);
	free(set);
	free(is_v);
	return rows - (uint64_t)(most.by[0] > most.by[1] ? most.by[0] :
							    most.by[1]);
}

#endif
