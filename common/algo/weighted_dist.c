/* SPDX-License-Identifier: MIT */
/* weighted_dist.c - sums over the words of a product, whichever way is open */
#include "algo/weighted_dist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algo/weighted_priv.h"

/* Of these a half is one of 2^11 at most: position by position, it is less
 * than four times as large as the other. */
enum { FEW_WORDS = 1 << 20 };

int
product_work_new(struct product_work **w, struct err *e)
{
	*w = calloc(1, sizeof **w);
	return *w ? 0 : err_nomem(e, sizeof **w);
}

void
product_work_free(struct product_work *w)
{
	if (!w)
		return;
	wgraph_free(&w->graph);
	free(w->now.v);
	free(w->next.v);
	free(w->s.v);
	free(w->p.mask);
	free(w->p.c);
	free(w->p.w);
	free(w->table);
	free(w->s_at);
	free(w->p_at);
	free(w->value);
	free(w->vec);
	free(w->path);
	free(w->trace);
	free(w);
}

/* Whole numbers below 2^53 are exact. */
bool
product_parts(const struct product *x, uint64_t v_words, size_t m)
{
	return (double)x->words * (double)v_words * (double)(x->n + m) >=
	       0x1p53;
}

/*
 * Gaps are m + 1.  Nodes in the middle are no more, but for those of tied
 * words: of words with the same last letters these are between all rotations
 * of v that begin with them, less than 2m for all.  So there are less than
 * 3 * 64 * 2^11 < PRODUCT_SETS sets.
 */
bool
product_all_known(const struct product *x, size_t m)
{
	return x->words <= FEW_WORDS && m < PRODUCT_GAPS;
}

/* Nodes of a layer, ends and gaps that are met: seldom all. */
static double
usual(size_t m)
{
	return 2 * sqrt((double)m + 1);
}

double
product_cost(const struct product *x, size_t m, bool no_sets)
{
	double gaps = (double)m + 1, kinds = 0;

	if (no_sets && wtrace_can(x, m))
		return wtrace_cost(x, m);
	if (!no_sets && product_all_known(x, m))
		return 16 * gaps + 10 * usual(m) * (double)x->n +
		       12 * usual(m) * sqrt((double)x->words) +
		       0.5 * (double)x->words;
	for (size_t i = 0; i < x->n; i++)
		kinds += x->kinds[i];
	return 16 * gaps + kinds * gaps * (10 + gaps * gaps / 4);
}

bool
product_fits(const struct product *x, size_t m, enum ebwt_metric metric,
	     bool no_sets)
{
	if (product_all_known(x, m))
		return metric != EBWT_DE;
	return (metric == EBWT_DELTA || metric == EBWT_NORM) &&
	       product_cost(x, m, no_sets) < 0x1p40;
}

double
product_cost_met(const struct product *x, const uint8_t *v, size_t m,
		 struct product_work *w)
{
	struct err e;

	if (wtrace_can(x, m))
		return wtrace_cost(x, m);
	return wgraph_make(&w->graph, x, v, m, &e) ? 0 :
						     wmean_cost(&w->graph);
}

uint64_t
product_bytes(const struct product *x, size_t m, bool no_sets)
{
	double gaps = (double)m + 1, nodes = 3 * gaps * (double)(x->n + 1);
	double half = fmin(2 * sqrt((double)x->words), PRODUCT_HALF);
	double sets = fmin(3 * gaps * half, PRODUCT_SETS);
	double bytes = nodes * (sizeof(struct wnode) + sizeof(struct wsum)) +
		       40 * gaps;

	if (no_sets && wtrace_can(x, m))
		return (uint64_t)(1.5 * (double)wtrace_bytes(m)) + 16 * m;
	if (m < PRODUCT_GAPS)
		bytes += (2 * 4 * half + sets) * (sizeof(struct wset) + 24);
	if (!product_all_known(x, m))
		bytes += 3 * gaps * 2 * 4 * (gaps + 8) * sizeof(double);
	return (uint64_t)(1.5 * bytes);
}

/* Words whose roots are conjugate to v's all have the same distance. */
static void
add_tied(const struct wgraph *g, const uint8_t *v,
	 const struct product_how *how, struct product_sum *out)
{
	double value = ebwt_measure(how->metric, g->x->n, g->m,
				    ebwt_delta_tied(g->x->n, g->m));

	for (uint32_t k = 0; k < g->n_tied; k++) {
		double c = 1, w = 1;

		for (size_t i = 0; i < g->x->n; i++) {
			const uint8_t *l = g->x->letter[i];
			uint8_t z = v[(g->turn[k] + i) % g->root];

			w *= g->x->p[i][(const uint8_t *)memchr(l, z,
				g->x->kinds[i]) - l];
			c *= how->parts ? 1.0 / g->x->kinds[i] : 1;
		}
		out->sum += c * value;
		out->share_sum += w * value;
	}
	if (!g->n_tied || (out->least < 0 && how->no_sets))
		return;
	out->least = out->least >= 0 && out->least < value ? out->least :
							     value;
	out->most = out->most > value ? out->most : value;
}

int
product_dist(const struct product *x, const uint8_t *v, size_t m,
	     const struct product_how *how, struct product_work *w,
	     struct product_sum *out, struct err *e)
{
	struct product_how real = *how;
	int rc;

	*out = (struct product_sum){ .least = -1, .most = -1 };
	if (how->no_sets && wtrace_can(x, m))
		return wtrace_sum(w, x, v, m, how, out, e);
	rc = wgraph_make(&w->graph, x, v, m, e);
	if (!rc && !real.no_sets)
		rc = wsets_sum(w, how, out, &real.no_sets, e);
	if (!rc && real.no_sets)
		rc = wmean_sum(w, how, out, e);
	if (!rc)
		add_tied(&w->graph, v, &real, out);
	return rc;
}
