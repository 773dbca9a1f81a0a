/* SPDX-License-Identifier: MIT */
/* ebwt_pairs.c - distances of pairs of words, from runs of pairs of classes */
#include <stdlib.h>
#include <string.h>

#include "algo/ebwt_priv.h"
#include "base/minmax.h"

uint64_t
ebwt_delta_tied(uint64_t u, uint64_t v)
{
	uint64_t d = u > v ? u - v : v - u;

	return d ? d - 1 : 0;
}

double
ebwt_measure(enum ebwt_metric metric, uint64_t u, uint64_t v, uint64_t delta)
{
	switch (metric) {
	case EBWT_NORM:
		return delta ? (double)delta / (double)(u + v - 2) : 0;
	case EBWT_DM:
		return (double)delta / (double)(u + v - delta);
	default:
		return (double)delta;
	}
}

uint64_t
ebwt_pair_cell(const struct ebwt_pairs *p, size_t i, size_t j)
{
	uint64_t a = i < j ? i : j, b = i < j ? j : i;

	if (p->n_queries)
		return a * (p->n_words - p->n_queries) + (b - p->n_queries);
	return b * (b - 1) / 2 + a;
}

/* ebwt_count.c proves it. */
static uint64_t
runs(const struct ebwt_pairs *p, uint32_t c, uint32_t d)
{
	uint64_t n = p->begins[ebwt_cell(p, p->row_of[c], p->column_of[d])];

	return 2 * n + (p->first[c] < p->first[d]) + (p->last[d] > p->last[c]);
}

uint64_t
ebwt_delta(const struct ebwt_pairs *p, size_t i, size_t j)
{
	uint32_t c = p->class_of[i], d = p->class_of[j];

	if (c == d)
		return i == j ? 0 : ebwt_delta_tied(p->length[i],
						    p->length[j]);
	if (p->n_queries ? i > j : c < d) {
		uint32_t swap = c;

		c = d;
		d = swap;
	}
	return p->length[i] + p->length[j] - runs(p, c, d);
}

double
ebwt_distance(const struct ebwt_pairs *p, enum ebwt_metric metric, size_t i,
	      size_t j)
{
	if (metric != EBWT_DE)
		return ebwt_measure(metric, p->length[i], p->length[j],
				    ebwt_delta(p, i, j));
	return i == j || !p->entropy ? 0 : p->entropy[ebwt_pair_cell(p, i, j)];
}

static uint64_t
pairs_of(const struct ebwt_pairs *p, uint64_t n, uint64_t m)
{
	return p->n_queries ? n * m : n * (n - 1) / 2;
}

/* Number the classes of words [beg, end). */
static uint32_t
number(const struct ebwt *x, uint32_t *of, size_t beg, size_t end)
{
	uint32_t n = 0;

	memset(of, 0xff, x->n_classes * sizeof *of);
	for (size_t w = beg; w < end; w++)
		if (of[x->class_of[w]] == EBWT_NONE)
			of[x->class_of[w]] = n++;
	return n;
}

static int
set_up(struct ebwt_pairs *p, struct ebwt *x,
       const struct ebwt_pairs_job *job, struct err *e)
{
	size_t n = x->n_words;
	int rc = ebwt_take(x, &p->length, n, sizeof *p->length, e);

	p->n_words = n;
	p->n_queries = job->n_queries;
	if (!rc)
		rc = ebwt_take(x, &p->class_of, n, sizeof *p->class_of, e);
	if (!rc)
		rc = ebwt_take(x, &p->row_of, x->n_classes,
			       sizeof *p->row_of, e);
	if (!rc)
		rc = ebwt_take(x, &p->column_of, x->n_classes,
			       sizeof *p->column_of, e);
	if (!rc)
		rc = ebwt_take(x, &p->first, x->n_classes, sizeof *p->first, e);
	if (!rc)
		rc = ebwt_take(x, &p->last, x->n_classes, sizeof *p->last, e);
	if (rc)
		return rc;
	memcpy(p->class_of, x->class_of, n * sizeof *p->class_of);
	for (size_t i = 0; i < n; i++)
		p->length[i] = x->word[i].n;
	p->n_rows = number(x, p->row_of, 0, p->n_queries ? p->n_queries : n);
	p->n_columns = number(x, p->column_of, p->n_queries, n);
	rc = ebwt_take(x, &p->begins, pairs_of(p, p->n_rows, p->n_columns),
		       sizeof *p->begins, e);
	if (!rc && job->entropy)
		rc = ebwt_take(x, &p->entropy, pairs_of(p, p->n_queries ?
			p->n_queries : n, n - p->n_queries),
			sizeof *p->entropy, e);
	return rc;
}

uint64_t
ebwt_pairs_bytes(const struct ebwt *x, const struct ebwt_pairs_job *job)
{
	uint64_t n = x->n_words, q = job->n_queries;
	uint64_t pairs = q ? q * (n - min_u64(q, n)) : n * (n - 1) / 2;

	/* as many classes of queries, and of others, as there can be */
	uint64_t c = min_u64(q, x->n_classes), d = min_u64(n - min_u64(q, n),
		x->n_classes), runs = q ? c * d : d * (d - 1) / 2;

	return n * (sizeof(uint64_t) + sizeof(uint32_t)) +
	       x->n_classes * 2 * (sizeof(uint32_t) + sizeof(uint64_t)) +
	       runs * sizeof(uint32_t) +
	       (job->entropy ? pairs * sizeof(double) : 0);
}

int
ebwt_pairs_new(struct ebwt_pairs **to, struct ebwt *x,
	       const struct ebwt_pairs_job *job, struct err *e)
{
	uint64_t used = x->used;
	struct ebwt_pairs *p;
	bool served = false;
	int rc;

	*to = NULL;
	if (job->n_queries >= x->n_words)
		return err_set(e, ERR_USAGE, "no words beside the queries");
	if (job->entropy && x->n_rows > UINT32_MAX)
		return err_set(e, ERR_LIMIT, "entropies of words of %llu "
			"letters: too many (at most %u)",
			(unsigned long long)x->n_rows, UINT32_MAX);
	if (x->par.memory && ebwt_fits(x, ebwt_need(x, job).least - used, e))
		return e->code;
	p = calloc(1, sizeof *p);
	if (!p)
		return err_nomem(e, sizeof *p);
	rc = set_up(p, x, job, e);
	if (!rc)
		rc = ebwt_errand_count(x, p, &served, e);
	if (!rc && !served)
		rc = ebwt_count(x, p, e);
	if (!rc && job->entropy)
		rc = ebwt_entropy(x, p, e);
	x->used = used;		/* the rest is the pairs' own */
	if (rc)
		ebwt_pairs_delete(p);
	else
		*to = p;
	return rc;
}

void
ebwt_pairs_delete(struct ebwt_pairs *p)
{
	if (!p)
		return;
	ebwt_give(NULL, &p->length);
	ebwt_give(NULL, &p->class_of);
	ebwt_give(NULL, &p->row_of);
	ebwt_give(NULL, &p->column_of);
	ebwt_give(NULL, &p->begins);
	ebwt_give(NULL, &p->first);
	ebwt_give(NULL, &p->last);
	ebwt_give(NULL, &p->entropy);
	free(p);
}
