/* SPDX-License-Identifier: MIT */
/*
 * weighted_mean.c - the mean of delta over the words of a product, gap by gap
 *
 * Of n rotations of u, each one that meets a gap that a later one meets, too,
 * and each gap between rotations of v that none meets, counts 1 to delta:
 * n + m - runs, where a gap met is a run of u, and cuts one of v if it lies
 * between rotations of v.  The expectation of either is that of single gaps,
 * whatever the others are; all that is added is positive, so that small means
 * are as exact as large ones.
 *
 * For each gap s that words begin and end in: path[] is how many words lead to
 * a node, and of those that lead on from it to s, by each gap, there are those
 * that meet it (`seen`) and those that do not (`free`).
 */
#include <stdlib.h>
#include <string.h>

#include "algo/weighted_priv.h"
#include "base/cpu.h"
#include "base/minmax.h"

/* Of a node: c of words that do not meet each gap, of those that do, then
 * w of the same; `width` numbers each. */
struct mean {
	struct product_work *k;
	const struct wgraph *g;
	weighted_add_fn *add;
	size_t width;
	uint32_t widest;	/* nodes of a layer */
	bool parts;
	struct wsum sum;	/* of delta */
};

static struct wsum
factor(const struct mean *x, size_t i, unsigned letter)
{
	const struct product *p = x->g->x;

	return (struct wsum){ x->parts ? 1.0 / p->kinds[i] : 1,
			      p->p[i][letter] };
}

/* Which words lead from node s to each. */
static void
lead(struct mean *x, uint32_t s)
{
	const struct wgraph *g = x->g;
	struct wsum *path = x->k->path;

	memset(path, 0, g->n_nodes * sizeof *path);
	path[s] = (struct wsum){ 1, 1 };
	for (size_t layer = 0; layer < g->x->n; layer++) {
		size_t i = g->x->n - 1 - layer;

		for (uint32_t a = g->first[layer]; a < g->first[layer + 1];
		     a++)
			for (unsigned l = 0; path[a].c > 0 &&
			     l < g->x->kinds[i]; l++) {
				struct wsum f = factor(x, i, l);
				struct wsum *to = &path[g->node[a].to[l]];

				to->c += path[a].c * f.c;
				to->w += path[a].w * f.w;
			}
	}
}

/* A node is come to: of words that go on, those that meet its gap again, and
 * from now on all of them have met it. */
static void
arrive(struct mean *x, uint32_t node, double *v)
{
	uint32_t at = x->g->bit[x->g->node[node].gap];
	double *c = v + at, *w = c + 2 * x->width;

	x->sum.c += x->k->path[node].c * c[x->width];
	x->sum.w += x->k->path[node].w * w[x->width];
	c[x->width] += *c;
	w[x->width] += *w;
	*c = *w = 0;
}

/* The layer's nodes from those of the next one, which have been come to. */
static void
back(struct mean *x, size_t layer, double *to, const double *from)
{
	const struct wgraph *g = x->g;
	uint32_t first = g->first[layer], next = g->first[layer + 1];
	size_t i = g->x->n - 1 - layer;

	memset(to, 0, (next - first) * 4 * x->width * sizeof *to);
	for (uint32_t a = first; a < next; a++)
		for (unsigned l = 0; x->k->path[a].c > 0 &&
		     l < g->x->kinds[i]; l++)
			x->add(to + 4 * x->width * (a - first),
			       from + 4 * x->width *
			       (g->node[a].to[l] - next),
			       2 * x->width, factor(x, i, l));
}

/* Words that went round: gaps between v's rotations that they did not meet. */
static void
never_met(struct mean *x, const double *v)
{
	const struct wgraph *g = x->g;
	double none = (double)g->m - 1;

	for (uint32_t gap = 1; gap < g->m; gap++) {
		uint32_t at = g->bit[gap];

		if (at == UINT32_MAX)
			continue;
		x->sum.c += v[at];
		x->sum.w += v[2 * x->width + at];
		none--;
	}
	x->sum.c += none * (v[0] + v[x->width]);
	x->sum.w += none * (v[2 * x->width] + v[3 * x->width]);
}

static void
from_gap(struct mean *x, uint32_t s)
{
	const struct wgraph *g = x->g;
	size_t n = g->x->n, block = 4 * x->width;
	double *v = x->k->vec, *other = v + block * x->widest;

	lead(x, s);
	memset(v, 0, wgraph_size(g, n) * block * sizeof *v);
	for (uint32_t a = g->first[n]; a < g->n_nodes; a++) {
		double *at = v + block * (a - g->first[n]);

		if (g->node[a].gap != g->node[s].gap || g->node[a].tie)
			continue;
		for (uint32_t b = 0; b < g->n_bits; b++)
			at[b] = at[2 * x->width + b] = 1;
	}
	for (size_t layer = n; layer-- > 0;) {
		double *was = v;

		for (uint32_t a = g->first[layer + 1];
		     a < g->first[layer + 2]; a++)
			arrive(x, a, v + block * (a - g->first[layer + 1]));
		back(x, layer, other, v);
		v = other;
		other = was;
	}
	never_met(x, v + block * s);
}

static weighted_add_fn *
add_fn(void)
{
	switch (cpu_isa()) {
#ifdef __x86_64__
	case ISA_AVX512: return weighted_add_avx512;
	case ISA_AVX2: return weighted_add_avx2;
#endif
	default: return weighted_add_scalar;
	}
}

double
wmean_cost(const struct wgraph *g)
{
	double block = 4 * ((double)g->n_bits + 8), edges = 0;

	for (size_t layer = 0; layer < g->x->n; layer++) {
		double nodes = wgraph_size(g, layer);

		edges += nodes * g->x->kinds[g->x->n - 1 - layer];
	}
	/* a vector of 8 numbers takes a nanosecond */
	return edges * (20 + (double)wgraph_size(g, 0) * (10 + block / 8));
}

int
wmean_sum(struct product_work *k, const struct product_how *how,
	  struct product_sum *out, struct err *e)
{
	const struct wgraph *g = &k->graph;
	struct mean x = { .k = k, .g = g, .add = add_fn(),
			  .width = ((size_t)g->n_bits + 7) / 8 * 8,
			  .parts = how->parts };
	double scale;
	size_t n;
	int rc;

	for (size_t layer = 0; layer <= g->x->n; layer++)
		x.widest = (uint32_t)max_u64(x.widest, wgraph_size(g, layer));
	if (__builtin_mul_overflow((size_t)x.widest * 2, 4 * x.width, &n))
		return err_nomem(e, SIZE_MAX);
	rc = wroom(&k->vec, &k->vec_room, n, sizeof *k->vec, e);
	if (!rc)
		rc = wroom(&k->path, &k->path_room, g->n_nodes,
			   sizeof *k->path, e);
	for (uint32_t s = 0; s < g->first[1] && !rc; s++)
		from_gap(&x, s);
	/* 1, or norm's, which is 0 where delta cannot be but 0 */
	scale = g->x->n + g->m > 2 ?
		ebwt_measure(how->metric, g->x->n, g->m, 1) : 0;
	out->sum += x.sum.c * scale;
	out->share_sum += x.sum.w * scale;
	return rc;
}
