/* SPDX-License-Identifier: MIT */
/* weighted_dist.c - sums over the words of a product, by the cheapest method */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "ebwt/weighted.h"
#include "ebwt/weighted_priv.h"

/* The solid words of a matrix as a product of letters. */

static int
product_room(struct product *x, size_t n, struct err *e)
{
	*x = (struct product){ .n = n, .words = 1 };
	if (n > SIZE_MAX / 64)
		return err_nomem(e, SIZE_MAX);
	x->kinds = malloc(n + 1);
	x->letter = malloc((n + 1) * sizeof *x->letter);
	x->p = malloc((n + 1) * sizeof *x->p);
	x->share = calloc(n + 1, sizeof *x->share);
	x->part = calloc(n + 1, sizeof *x->part);
	if (x->kinds && x->letter && x->p && x->share && x->part)
		return 0;
	product_free(x);
	return err_nomem(e, n * PRODUCT_BYTES);
}

void
product_free(struct product *x)
{
	free(x->kinds);
	free(x->letter);
	free(x->p);
	free(x->share);
	free(x->part);
	*x = (struct product){ 0 };
}

/* The letters of position i, which becomes x's letter j, and, of those, the
 * least probability. */
static double
position(struct product *x, const struct weighted *w,
	 const struct solid_rule *r, size_t i, size_t j)
{
	unsigned set = solid_letters(w, r, i);
	double sum = 0, least = 1;

	x->kinds[j] = 0;
	for (int c = 0; c < 4; c++) {
		double p = w->p[i][c];

		if (!(set >> c & 1))
			continue;
		x->p[j][x->kinds[j]] = p;
		x->letter[j][x->kinds[j]++] = (uint8_t)"ACGT"[c];
		sum += p;
		least = p < least ? p : least;
	}
	for (int k = 0; k < x->kinds[j]; k++) {
		x->p[j][k] /= sum;
		x->share[j][WCODE(x->letter[j][k])] = x->p[j][k];
		x->part[j][WCODE(x->letter[j][k])] = 1.0 / x->kinds[j];
	}
	if (__builtin_mul_overflow(x->words, x->kinds[j], &x->words))
		x->words = UINT64_MAX;
	return least;
}

/*
 * Roughly, in how many gaps of a v of as many letters the words can begin if
 * they begin with position i: each choice of their first k letters begins
 * m / 4^k rotations of v, and these have one gap more.
 */
static double
gaps_at(const struct weighted *w, const struct solid_rule *r, size_t i)
{
	double words = 1, rotations = (double)w->n, least = INFINITY;

	for (size_t k = 0; k < w->n && k < 8; k++) {
		words *= __builtin_popcount(solid_letters(w, r,
							  (i + k) % w->n));
		rotations /= 4;
		least = fmin(least, words * (1 + rotations));
	}
	return least;
}

/* Turning a word changes no distance, and each gap in which words can begin is
 * a walk of its own: they begin where such gaps are fewest. */
static size_t
first_position(const struct weighted *w, const struct solid_rule *r,
	       double *least)
{
	size_t first = 0;

	*least = INFINITY;

	for (size_t i = 0; i < w->n; i++) {
		double gaps = gaps_at(w, r, i);

		if (gaps < *least) {
			*least = gaps;
			first = i;
		}
	}
	return first;
}

/* Is each position's as the first one's? */
static bool
is_even(const double (*v)[5], size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (memcmp(v[i], v[0], sizeof *v) != 0)
			return false;
	return true;
}

int
product_solid(struct product *x, const struct weighted *w,
	      const struct solid_rule *r, bool *is, struct err *e)
{
	/* n products, rounded, and the tolerance (weighted.c) */
	double room_for = 1 + WEIGHTED_TOLERANCE + 1e-15 * (double)(w->n + 8);
	struct prob least = { 0.5, 1 };
	double p, starts;
	size_t first = first_position(w, r, &starts);
	int rc;

	*is = true;
	rc = product_room(x, w->n, e);
	x->starts = starts;
	for (size_t j = 0; j < w->n && !rc; j++) {
		size_t i = (first + j) % w->n;

		least = prob_times(least, position(x, w, r, i, j));
		*is &= x->kinds[j] > 0;
	}
	x->even = !rc && is_even((const double (*)[5])x->share, x->n);
	x->even_part = !rc && is_even((const double (*)[5])x->part, x->n);
	p = least.e < -1000 ? 0 : ldexp(least.m, (int)least.e);
	if (r->theta_word > 0)
		*is &= p > r->theta_word * room_for;
	if (rc || !*is)
		product_free(x);
	return rc;
}

double
product_nth(const struct product *x, uint64_t j, uint8_t *s)
{
	double p = 1;

	for (size_t i = x->n; i-- > 0;) {
		unsigned k = (unsigned)(j % x->kinds[i]);

		j /= x->kinds[i];
		s[i] = x->letter[i][k];
		p *= x->p[i][k];
	}
	return p;
}

/*
 * The mean of delta over the words of a product, gap by gap
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

/* The layer's nodes that s leads to, from those of the next one. */
static void
layer_back(struct mean *x, size_t layer, double *to, double *from)
{
	const struct wgraph *g = x->g;
	uint32_t first = g->first[layer], next = g->first[layer + 1];
	size_t i = g->x->n - 1 - layer, block = 4 * x->width;
	unsigned kinds = g->x->kinds[i];
	const double *row[4] = { NULL };
	struct wsum f[4] = { { 0, 0 } };

	for (unsigned l = 0; l < kinds; l++)
		f[l] = factor(x, i, l);
	for (uint32_t a = next; a < g->first[layer + 2]; a++)
		if (x->k->path[a].c > 0)
			arrive(x, a, from + block * (a - next));
	for (uint32_t a = first; a < next; a++) {
		if (!(x->k->path[a].c > 0))
			continue;
		for (unsigned l = 0; l < kinds; l++)
			row[l] = from + block * (g->node[a].to[l] - next);
		x->add(to + block * (a - first), row, f, kinds, 2 * x->width);
	}
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

		layer_back(x, layer, other, v);
		v = other;
		other = was;
	}
	never_met(x, v + block * s);
}

/* Nanoseconds, roughly. */
static double
wmean_cost(const struct wgraph *g)
{
	double block = 4 * ((double)g->n_bits + 8), edges = 0;

	for (size_t layer = 0; layer < g->x->n; layer++) {
		double nodes = wgraph_size(g, layer);

		edges += nodes * g->x->kinds[g->x->n - 1 - layer];
	}
	/* a vector of 4 numbers takes less than a nanosecond */
	return 1500 + edges * (40 + (double)wgraph_size(g, 0) *
			       (14 + block / 6));
}

static int
wmean_sum(struct product_work *k, const struct product_how *how,
	  struct product_sum *out, struct err *e)
{
	const struct wgraph *g = &k->graph;
	struct mean x = { .k = k, .g = g, .add = KERN_PICK(weighted_add),
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

/* Sums over the words of a product, whichever way is open. */

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

static double
mean_cost(const struct product *x, size_t m)
{
	double gaps = (double)m + 1, kinds = 0;

	for (size_t i = 0; i < x->n; i++)
		kinds += x->kinds[i];
	return 16 * gaps + kinds * usual(m) * (20 + fmin(x->starts, gaps) *
					       (10 + gaps / 2));
}

/*
 * The graph has fewer nodes than there are gaps, but is walked once from each
 * start; traces go through all gaps, but soon from all starts at once.  The two
 * round differently, so the choice does not depend on the instruction set.
 */
static bool
by_traces(const struct product *x, size_t m)
{
	return wtrace_can(x, m) &&
	       wtrace_cost(x, m, ISA_AVX2) < mean_cost(x, m);
}

double
product_cost(const struct product *x, size_t m, bool no_sets)
{
	if (no_sets && by_traces(x, m))
		return wtrace_cost(x, m, ISA_AVX2);
	if (!no_sets && product_all_known(x, m))
		return 1500 + 50 * ((double)m + 1) +
		       30 * usual(m) * (double)x->n +
		       40 * usual(m) * sqrt((double)x->words) +
		       1.5 * (double)x->words;
	return mean_cost(x, m);
}

bool
product_fits(const struct product *x, size_t m, enum ebwt_metric metric,
	     bool no_sets)
{
	if (product_all_known(x, m))
		return !ebwt_is_entropy(metric);
	return ebwt_is_linear(metric) && product_cost(x, m, no_sets) < 0x1p40;
}

double
product_cost_met(const struct product *x, const uint8_t *v, size_t m,
		 struct product_work *w)
{
	struct err e;

	if (by_traces(x, m))
		return wtrace_cost(x, m, cpu_isa());
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

	if (no_sets && by_traces(x, m))
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
	if (how->no_sets && (by_traces(x, m) ||
			     (how->traces && wtrace_can(x, m))))
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
