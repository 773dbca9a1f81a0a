/* SPDX-License-Identifier: MIT */
/*
 * weighted_graph.c - the gaps of v that the words of a product walk through
 *
 * A step from gap to gap never changes their order, so that reading a word u
 * again and again brings all gaps together, unless a rotation of v is never
 * told from u: their roots are conjugate.  So if not, u read once takes one
 * gap, and no other, to itself.  If they are, u is a power of one of v's
 * rotations' roots: these words, `tied`, are followed by themselves, as they
 * come back to each gap beside equal rotations of v, and meet none truly.
 */
#include <stdlib.h>
#include <string.h>

#include "algo/weighted_priv.h"

int
wroom(void *at, size_t *have, size_t n, size_t size, struct err *e)
{
	void **p = at, *more;
	size_t want = n + n / 2 + 16;

	if (n <= *have)
		return 0;
	if (want < n || want > SIZE_MAX / size)
		return err_nomem(e, SIZE_MAX);
	more = realloc(*p, want * size);
	if (!more)
		return err_nomem(e, want * size);
	*p = more;
	*have = want;
	return 0;
}

void
wgraph_free(struct wgraph *g)
{
	ebwt_gap_free(&g->gap);
	free(g->node);
	free(g->first);
	free(g->bit);
	free(g->turn);
	free(g->seen);
	free(g->reach[0]);
	free(g->reach[1]);
	free(g->same);
	*g = (struct wgraph){ 0 };
}

/* What has a size of m, or of n, is of one allocation each. */
static int
rooms(struct wgraph *g, size_t n, size_t m, struct err *e)
{
	uint32_t **of_m[] = { &g->bit, &g->turn, &g->seen, &g->reach[0],
			      &g->reach[1], &g->same };
	size_t have = 0;
	int rc = 0;

	for (size_t i = 0; i < sizeof of_m / sizeof *of_m && !rc; i++) {
		have = g->m_room;
		rc = wroom(of_m[i], &have, m + 1, sizeof **of_m[i], e);
	}
	if (!rc)
		g->m_room = have;
	return rc ? rc : wroom(&g->first, &g->n_room, n + 2,
			       sizeof *g->first, e);
}

/* Letter i of the tied word that begins at letter t of v. */
static uint8_t
tied_letter(const struct wgraph *g, const uint8_t *v, uint32_t t, size_t i)
{
	return v[(t + i) % g->root];
}

static bool
is_of(const struct wgraph *g, const uint8_t *v, uint32_t t)
{
	const struct product *x = g->x;

	for (size_t i = 0; i < x->n; i++)
		if (!memchr(x->letter[i], tied_letter(g, v, t, i),
			    x->kinds[i]))
			return false;
	return true;
}

uint32_t
wgraph_root(const uint8_t *v, uint32_t m)
{
	uint32_t p = 1;

	while (m % p || memcmp(v, v + p, m - p) != 0)
		p++;
	return p;
}

static void
find_tied(struct wgraph *g, const uint8_t *v)
{
	uint32_t p = g->root = wgraph_root(v, g->m);

	g->n_tied = 0;
	for (uint32_t t = 0; g->x->n % p == 0 && t < p; t++)
		if (is_of(g, v, t))
			g->turn[g->n_tied++] = t;
}

/* Gaps of a layer, from those of the one before; `seen` marks them. */
static uint32_t
step_all(struct wgraph *g, const uint32_t *from, uint32_t n, uint32_t *to,
	 size_t layer)
{
	const struct product *x = g->x;
	size_t i = x->n - 1 - layer;
	uint32_t got = 0;

	for (uint32_t a = 0; a < n; a++)
		for (unsigned k = 0; k < x->kinds[i]; k++) {
			uint32_t h = ebwt_gap_step(&g->gap, from[a],
						   x->letter[i][k]);

			if (g->seen[h] == layer + 1)
				continue;
			g->seen[h] = (uint32_t)layer + 1;
			to[got++] = h;
		}
	return got;
}

static int
add_node(struct wgraph *g, uint32_t gap, uint32_t tie, struct err *e)
{
	int rc = wroom(&g->node, &g->room, (size_t)g->n_nodes + 1,
		       sizeof *g->node, e);

	if (!rc)
		g->node[g->n_nodes++] = (struct wnode){ .gap = gap,
							.tie = tie };
	return rc;
}

/* Layer 0: the gaps in which words can end that may have begun in any. */
static int
begin(struct wgraph *g, struct err *e)
{
	uint32_t n = g->m + 1, *at = g->reach[0], *to = g->reach[1];
	int rc = 0;

	memset(g->seen, 0, ((size_t)g->m + 1) * sizeof *g->seen);
	for (uint32_t i = 0; i < n; i++)
		at[i] = i;
	for (size_t layer = 0; layer < g->x->n; layer++) {
		uint32_t *was = at;

		n = step_all(g, at, n, to, layer);
		at = to;
		to = was;
	}
	g->n_nodes = 0;
	g->first[0] = 0;
	for (uint32_t i = 0; i < n && !rc; i++)
		rc = add_node(g, at[i], g->n_tied > 0, e);
	g->first[1] = g->n_nodes;
	return rc;
}

/* Tied words that end alike, as far as was read, count as the first of them:
 * the one that goes on from it with letter c, 1 up, or 0. */
static uint32_t
tie_after(const struct wgraph *g, const uint8_t *v, uint32_t tie, size_t i,
	  uint8_t c)
{
	for (uint32_t k = tie ? tie - 1 : g->n_tied; k < g->n_tied; k++)
		if (g->same[k] == tie - 1 &&
		    tied_letter(g, v, g->turn[k], i) == c)
			return k + 1;
	return 0;
}

/* `same` when letter i of each has been read, too. */
static void
part_ties(struct wgraph *g, const uint8_t *v, size_t i)
{
	/* told apart by as many letters as the root has */
	if (g->x->n - i > g->root)
		return;
	for (uint32_t k = g->n_tied; k-- > 0;)
		g->same[k] = tie_after(g, v, g->same[k] + 1, i,
				       tied_letter(g, v, g->turn[k], i)) - 1;
}

/* The node of the layer that begins at `first`: old, or new.  Of nodes that
 * are not tied, `seen` is the last. */
static int
find_node(struct wgraph *g, uint32_t first, uint32_t gap, uint32_t tie,
	  uint32_t *at, struct err *e)
{
	uint32_t k = tie ? first : g->seen[gap];

	if (!tie && k >= first) {
		*at = k;
		return 0;
	}
	for (; tie && k < g->n_nodes; k++)
		if (g->node[k].gap == gap && g->node[k].tie == tie) {
			*at = k;
			return 0;
		}
	*at = g->n_nodes;
	if (!tie)
		g->seen[gap] = *at;
	return add_node(g, gap, tie, e);
}

static int
next_layer(struct wgraph *g, const uint8_t *v, size_t layer, struct err *e)
{
	const struct product *x = g->x;
	uint32_t end = g->first[layer + 1];
	size_t i = x->n - 1 - layer;
	int rc = 0;

	for (uint32_t a = g->first[layer]; a < end && !rc; a++)
		for (unsigned k = 0; k < x->kinds[i] && !rc; k++) {
			uint8_t c = x->letter[i][k];
			struct wnode *from = &g->node[a];
			uint32_t to = 0;

			rc = find_node(g, end, ebwt_gap_step(&g->gap,
				from->gap, c), tie_after(g, v, from->tie, i,
				c), &to, e);
			g->node[a].to[k] = to;
		}
	part_ties(g, v, i);
	g->first[layer + 2] = g->n_nodes;
	return rc;
}

static void
give_bits(struct wgraph *g)
{
	g->n_bits = 0;
	g->inner = 0;
	for (uint32_t i = 0; i <= g->m; i++)
		g->bit[i] = UINT32_MAX;
	for (uint32_t k = g->first[1]; k < g->n_nodes; k++) {
		uint32_t gap = g->node[k].gap;

		if (g->bit[gap] != UINT32_MAX)
			continue;
		g->bit[gap] = g->n_bits++;
		if (g->bit[gap] < 64 && gap > 0 && gap < g->m)
			g->inner |= 1ull << g->bit[gap];
	}
}

int
wgraph_make(struct wgraph *g, const struct product *x, const uint8_t *v,
	    size_t m, struct err *e)
{
	int rc = m > EBWT_GAP_MAX ?
		 err_set(e, ERR_LIMIT, "a word of %zu letters", m) :
		 rooms(g, x->n, m, e);

	ebwt_gap_free(&g->gap);
	g->x = x;
	g->m = (uint32_t)m;
	if (!rc)
		rc = ebwt_gap_new(&g->gap, v, m, e);
	if (rc)
		return rc;
	find_tied(g, v);
	rc = begin(g, e);
	for (uint32_t k = 0; k < g->n_tied; k++)
		g->same[k] = 0;
	/* node numbers from here on */
	memset(g->seen, 0, (m + 1) * sizeof *g->seen);
	for (size_t i = 0; i < x->n && !rc; i++)
		rc = next_layer(g, v, i, e);
	if (!rc)
		give_bits(g);
	return rc;
}
