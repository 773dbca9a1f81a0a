/* SPDX-License-Identifier: MIT */
/*
 * weighted_sets.c - which sets of gaps the words of a product meet
 *
 * Words are cut in two, where both halves are about as many.  Of first halves
 * (read first) from each gap, and of second ones from each node that those end
 * at, the sets of gaps are listed, equal ones once.  A word begins in some gap
 * s, is at node e in the middle, and ends in s again: its set is that of a
 * first half from s to e and of a second one from e to s.  The pairs of sets
 * are no more than words.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algo/weighted_priv.h"
#include "base/cpu.h"
#include "base/minmax.h"

static int
too_many(bool *many)
{
	*many = true;
	return 0;
}

/* The layer at which the larger half is as small as it can be. */
static size_t
middle(const struct product *x)
{
	double all = 0, half = 0;
	size_t i = x->n;

	for (size_t k = 0; k < x->n; k++)
		all += log2(x->kinds[k]);
	while (i > 1 && half + log2(x->kinds[i - 1]) <= all / 2)
		half += log2(x->kinds[--i]);
	/* one letter more, if then it is more even */
	if (i > 1 && half + log2(x->kinds[i - 1]) < all - half)
		i--;
	return x->n - i;
}

static inline uint64_t
bit(const struct wgraph *g, uint32_t node)
{
	return 1ull << g->bit[g->node[node].gap];
}

static inline size_t
slot(uint64_t mask, uint32_t node, size_t slots)
{
	uint64_t h = (mask ^ (uint64_t)node << 40) * 0x9e3779b97f4a7c15ull;

	return (h >> 24 ^ h >> 50) & (slots - 1);
}

/* To the set of the same gaps and node, or a new one; there is room. */
static void
put(struct product_work *k, size_t slots, const struct wset *x)
{
	struct wsets *to = &k->next;
	size_t i = slot(x->mask, x->node, slots);

	for (; k->table[i]; i = (i + 1) & (slots - 1)) {
		struct wset *old = &to->v[k->table[i] - 1];

		if (old->mask == x->mask && old->node == x->node) {
			old->is.c += x->is.c;
			old->is.w += x->is.w;
			return;
		}
	}
	to->v[to->n++] = *x;
	k->table[i] = (uint32_t)to->n;
}

static struct wset
go_on(const struct wgraph *g, const struct wset *x, size_t i, unsigned letter,
      double part)
{
	uint32_t to = g->node[x->node].to[letter];

	return (struct wset){ x->mask | bit(g, to), to,
			      { x->is.c * part,
				x->is.w * g->x->p[i][letter] } };
}

/* All letters of position i, where there are several. */
static int
branch(struct product_work *k, size_t i, bool parts, struct err *e)
{
	const struct product *x = k->graph.x;
	size_t most = k->now.n * x->kinds[i], slots = 16;
	struct wsets was;
	int rc;

	while (slots < 2 * most)
		slots *= 2;
	rc = wroom(&k->next.v, &k->next.room, most, sizeof *k->next.v, e);
	if (!rc)
		rc = wroom(&k->table, &k->table_room, slots,
			   sizeof *k->table, e);
	if (rc)
		return rc;
	memset(k->table, 0, slots * sizeof *k->table);
	k->next.n = 0;
	for (size_t a = 0; a < k->now.n; a++)
		for (unsigned c = 0; c < x->kinds[i]; c++) {
			struct wset to = go_on(&k->graph, &k->now.v[a], i, c,
					       parts ? 1.0 / x->kinds[i] : 1);

			put(k, slots, &to);
		}
	was = k->now;
	k->now = k->next;
	k->next = was;
	return 0;
}

/* k->now: where words are that were at `node` of layer `from`, at layer `to`,
 * unless with the `had` there are too many. */
static int
half(struct product_work *k, uint32_t node, size_t from, size_t to,
     size_t had, bool parts, bool *many, struct err *e)
{
	const struct product *x = k->graph.x;
	size_t most = min_u64(PRODUCT_HALF, PRODUCT_SETS - had);
	int rc = wroom(&k->now.v, &k->now.room, 1, sizeof *k->now.v, e);

	if (rc)
		return rc;
	k->now.n = 1;
	k->now.v[0] = (struct wset){ 0, node, { 1, 1 } };
	for (size_t layer = from; layer < to && !rc; layer++) {
		size_t i = x->n - 1 - layer;

		if (x->kinds[i] == 1)
			for (size_t a = 0; a < k->now.n; a++)
				k->now.v[a] = go_on(&k->graph, &k->now.v[a],
						    i, 0, 1);
		else
			rc = branch(k, i, parts, e);
		if (k->now.n > most)
			return too_many(many);
	}
	return rc;
}

/* First halves from each start, by the node that they end at. */
static int
first_halves(struct product_work *k, size_t mid, bool parts, bool *many,
	     struct err *e)
{
	const struct wgraph *g = &k->graph;
	uint32_t ends = wgraph_size(g, mid), node = g->first[mid];
	int rc = 0;

	k->s.n = 0;
	for (uint32_t a = 0; a < g->first[1] && !rc && !*many; a++) {
		size_t *at = k->s_at + (size_t)a * ends;

		rc = half(k, a, 0, mid, k->s.n, parts, many, e);
		if (!rc)
			rc = wroom(&k->s.v, &k->s.room, k->s.n + k->now.n,
				   sizeof *k->s.v, e);
		if (rc || *many)
			break;
		memset(at, 0, ends * sizeof *at);
		for (size_t i = 0; i < k->now.n; i++)
			at[k->now.v[i].node - node]++;
		for (uint32_t b = 0; b < ends; b++) {
			size_t n = at[b];

			at[b] = k->s.n;
			k->s.n += n;
		}
		for (size_t i = 0; i < k->now.n; i++)
			k->s.v[at[k->now.v[i].node - node]++] = k->now.v[i];
	}
	return rc;	/* each at now stands behind its own */
}

/* Room for n more columns, which begin with nothing. */
static int
columns(struct wcolumns *p, size_t n, struct err *e)
{
	size_t have = p->room;
	int rc = wroom(&p->mask, &have, p->n + n, sizeof *p->mask, e);

	if (!rc) {
		have = p->room;
		rc = wroom(&p->c, &have, p->n + n, sizeof *p->c, e);
	}
	if (!rc) {
		have = p->room;
		rc = wroom(&p->w, &have, p->n + n, sizeof *p->w, e);
	}
	if (!rc)
		p->room = have;
	return rc;
}

/* Those of k->now that end at gap s, untied. */
static void
gather(struct product_work *k, uint32_t s)
{
	const struct wgraph *g = &k->graph;
	struct wcolumns *p = &k->p;
	size_t begin = p->n;

	for (size_t i = 0; i < k->now.n; i++) {
		const struct wset *x = &k->now.v[i];

		if (g->node[x->node].tie || g->node[x->node].gap != s)
			continue;
		p->mask[p->n] = x->mask;
		p->c[p->n] = x->is.c;
		p->w[p->n++] = x->is.w;
	}
	for (; (p->n - begin) % 8; p->n++) {
		p->mask[p->n] = p->mask[begin];
		p->c[p->n] = p->w[p->n] = 0;
	}
}

/* Second halves from each node of the middle, by the gap that they end in. */
static int
second_halves(struct product_work *k, size_t mid, bool parts, bool *many,
	      struct err *e)
{
	const struct wgraph *g = &k->graph;
	uint32_t ends = wgraph_size(g, mid), starts = g->first[1];
	size_t n = 0;
	int rc = 0;

	k->p.n = 0;
	for (uint32_t b = 0; b < ends && !rc; b++) {
		rc = half(k, g->first[mid] + b, mid, g->x->n, n, parts, many,
			  e);
		if (!rc && !*many)
			rc = columns(&k->p, k->now.n + 8 * (size_t)starts, e);
		if (rc || *many)
			break;
		n += k->now.n;
		for (uint32_t a = 0; a < starts; a++) {
			k->p_at[(size_t)b * starts + a] = k->p.n;
			gather(k, g->node[a].gap);
		}
	}
	k->p_at[(size_t)ends * starts] = k->p.n;
	return rc;
}

static weighted_join_fn *
join_fn(void)
{
	switch (cpu_isa()) {
#ifdef __x86_64__
	case ISA_AVX512: return weighted_join_avx512;
	case ISA_AVX2: return weighted_join_avx2;
#endif
	default: return weighted_join_scalar;
	}
}

/* Start a, middle b: sets of first halves, and columns of second ones. */
static void
pair(const struct product_work *k, uint32_t ends, uint32_t a, uint32_t b,
     struct wjoin *j)
{
	const size_t *s = k->s_at + (size_t)a * ends + b;
	const size_t *p = k->p_at + (size_t)b * k->graph.first[1] + a;
	size_t begin = a || b ? s[-1] : 0;

	j->a = k->s.v + begin;
	j->n_a = *s - begin;
	j->mask = k->p.mask + p[0];
	j->c = k->p.c + p[0];
	j->w = k->p.w + p[0];
	j->n_b = p[1] - p[0];
}

static void
join(struct product_work *k, uint32_t ends, struct product_sum *out,
     bool *many)
{
	struct wjoin j = { .inner = k->graph.inner, .value = k->value,
			   .least = UINT64_MAX };
	weighted_join_fn *fn = join_fn();
	uint64_t pairs = 0;

	for (uint32_t a = 0; a < k->graph.first[1]; a++)
		for (uint32_t b = 0; b < ends; b++) {
			pair(k, ends, a, b, &j);
			pairs += j.n_a * j.n_b;
		}
	*many = pairs > PRODUCT_PAIRS;
	for (uint32_t a = 0; a < k->graph.first[1] && !*many; a++)
		for (uint32_t b = 0; b < ends; b++) {
			pair(k, ends, a, b, &j);
			if (j.n_a && j.n_b)
				fn(&j);
		}
	if (*many || j.least == UINT64_MAX)
		return;
	out->sum += j.sum.c;
	out->share_sum += j.sum.w;
	/* more runs, less distance */
	out->least = k->value[j.most];
	out->most = k->value[j.least];
}

/* The value of a distance by runs - 1: gaps count twice at most. */
static int
values(struct product_work *k, enum ebwt_metric metric, struct err *e)
{
	uint64_t n = k->graph.x->n, m = k->graph.m;
	int rc = wroom(&k->value, &k->value_room, 2 * PRODUCT_GAPS + 1,
		       sizeof *k->value, e);

	for (uint64_t r = 0; !rc && r <= 2 * PRODUCT_GAPS; r++)
		k->value[r] = r < n + m ? ebwt_measure(metric, n, m,
						       n + m - 1 - r) : 0;
	return rc;
}

int
wsets_sum(struct product_work *k, const struct product_how *how,
	  struct product_sum *out, bool *many, struct err *e)
{
	const struct wgraph *g = &k->graph;
	size_t mid = middle(g->x), room_s = k->at_room, room_p = k->at_room;
	uint32_t ends = wgraph_size(g, mid);
	size_t n = (size_t)ends * g->first[1] + 1;
	int rc;

	*many = g->n_bits > PRODUCT_GAPS || n > PRODUCT_SETS;
	if (*many)
		return 0;
	rc = wroom(&k->s_at, &room_s, n, sizeof *k->s_at, e);
	if (!rc)
		rc = wroom(&k->p_at, &room_p, n, sizeof *k->p_at, e);
	if (rc)
		return rc;
	k->at_room = room_p;
	rc = values(k, how->metric, e);
	if (!rc)
		rc = first_halves(k, mid, how->parts, many, e);
	if (!rc && !*many)
		rc = second_halves(k, mid, how->parts, many, e);
	if (!rc && !*many)
		join(k, ends, out, many);
	return rc;
}
