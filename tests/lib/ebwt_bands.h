/* SPDX-License-Identifier: MIT */
/* ebwt_bands.h - distances in bands, against those of a table of all pairs */
#ifndef SEQF_TESTS_LIB_EBWT_BANDS_H
#define SEQF_TESTS_LIB_EBWT_BANDS_H

#include <stdlib.h>

#include "ebwt/ebwt.h"

struct bands_seen {
	const struct ebwt_pairs *p;
	struct ebwt_pairs_job job;
	size_t n;
	uint8_t *times;		/* by pair */
	double *value;
	bool good;
};

static void
see_row(struct bands_seen *s, const struct ebwt_band *b, size_t row, int metric)
{
	size_t n = b->triangle ? row : s->n, q = s->job.n_queries;
	size_t i = b->word[row], from = n / 3;

	/* in any pieces */
	ebwt_band_row(b, (enum ebwt_metric)metric, row, 0, from, s->value);
	ebwt_band_row(b, (enum ebwt_metric)metric, row, from, n,
		      s->value + from);
	for (size_t m = 0; m < n; m++) {
		size_t j = b->word[m];

		if (q && (i >= q || j < q))
			continue;
		s->good &= s->value[m] ==
			   ebwt_distance(s->p, (enum ebwt_metric)metric, i, j);
		s->times[(i < j ? i : j) * s->n + (i < j ? j : i)]++;
	}
}

static void
see_band(void *arg, const struct ebwt_band *b)
{
	struct bands_seen *s = arg;

	for (size_t k = b->beg; k < b->end && s->n; k++)
		for (int m = EBWT_DELTA; m < EBWT_N_METRICS; m++)
			if (ebwt_is_entropy((enum ebwt_metric)m) ==
			    s->job.entropy)
				see_row(s, b, k, m);
}

/* Every pair is in one band, with the distance that p has, of the same job. */
static bool
same_bands(struct ebwt *x, struct ebwt_pairs_job job, size_t n,
	   const struct ebwt_pairs *p)
{
	struct bands_seen s = { .p = p, .job = job, .n = n, .good = true };
	size_t q = job.n_queries;
	uint8_t each = job.entropy ? 1 : EBWT_N_METRICS - 1;
	struct err e;

	s.times = calloc(n * n + 1, 1);
	s.value = malloc((n + 1) * sizeof *s.value);
	job.nearest = true;
	if (!s.times || !s.value || ebwt_bands(x, &job, see_band, &s, &e))
		abort();
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			s.good &= s.times[i * n + j] == (i < j &&
				(!q || (i < q && j >= q)) ? each : 0);
	free(s.times);
	free(s.value);
	return s.good;
}

#endif
