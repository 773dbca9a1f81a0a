/* SPDX-License-Identifier: MIT */
/* tree.c - trees by neighbour joining, as text and as pictures */

#include <stdlib.h>
#include <string.h>

#include "output/picture.h"
#include "output/output.h"

/* Neighbour joining. */

/* What is left to be joined, by place: that of its last leaf. */
struct joining {
	struct tree *t;
	double *d;		/* of places */
	uint32_t *place;	/* those that are taken, m of them, ascending */
	uint32_t *node;		/* by place */
	double *r;		/* by place: sum of its distances */
	size_t m;
};

static double *
cell(const struct joining *j, size_t a, size_t b)
{
	return a > b ? &j->d[(uint64_t)a * (a - 1) / 2 + b] :
		       &j->d[(uint64_t)b * (b - 1) / 2 + a];
}

static void
set_child(struct tree *t, uint32_t parent, uint32_t child, double length)
{
	struct tree_node *p = &t->v[parent], *c = &t->v[child];
	uint32_t *at = &p->first;

	while (*at != TREE_NONE && t->v[*at].least < c->least)
		at = &t->v[*at].next;
	c->next = *at;
	*at = child;
	c->parent = parent;
	c->length = length > 0 ? length : 0;
	p->least = t->v[p->first].least;
}

static uint32_t
new_node(struct tree *t)
{
	t->v[t->n] = (struct tree_node){ TREE_NONE, TREE_NONE, TREE_NONE,
					 TREE_NONE, 0 };
	return (uint32_t)t->n++;
}

/* Places of the pair to be joined: *a > *b. */
static void
nearest(const struct joining *j, uint32_t *a, uint32_t *b)
{
	double m = (double)j->m - 2, best = 0;
	bool any = false;

	for (size_t i = 1; i < j->m; i++) {
		uint32_t at = j->place[i];
		const double *row = cell(j, at, 0);
		double r = j->r[at];

		for (size_t k = 0; k < i; k++) {
			uint32_t to = j->place[k];
			double q = m * row[to] - r - j->r[to];

			if (q < best || !any) {
				any = true;
				best = q;
				*a = at;
				*b = to;
			}
		}
	}
}

/* Lengths from two neighbours to their node: x is what is right for the first
 * one, d their distance. */
static void
two_lengths(double d, double x, double *a, double *b)
{
	*a = x;
	*b = d - x;
	if (*a < 0) {
		*a = 0;
		*b = d;
	} else if (*b < 0) {
		*b = 0;
		*a = d;
	}
}

/* Places a and b become one, a. */
static void
join(struct joining *j, uint32_t a, uint32_t b)
{
	double d = *cell(j, a, b), la, lb, sum = 0;
	double half = (j->r[a] - j->r[b]) / ((double)j->m - 2);
	uint32_t node = new_node(j->t);
	size_t n = 0;

	two_lengths(d, (d + half) / 2, &la, &lb);
	set_child(j->t, node, j->node[a], la);
	set_child(j->t, node, j->node[b], lb);
	j->node[a] = node;
	for (size_t i = 0; i < j->m; i++) {
		uint32_t k = j->place[i];
		double *da, *db, was;

		if (k != b)
			j->place[n++] = k;
		if (k == a || k == b)
			continue;
		da = cell(j, k, a);
		db = cell(j, k, b);
		was = *da + *db;
		*da = (was - d) / 2;
		j->r[k] += *da - was;
		sum += *da;
	}
	j->r[a] = sum;
	j->m = n;
}

/* The length of branch x is below 0: y and z go to where x is, and of them, if
 * that is below 0, too, one goes there, and the other one half-way. */
static void
shorten(const double d[3][3], double length[3], int x)
{
	int y = x == 0, z = x == 2 ? 1 : 2;

	length[x] = 0;
	length[y] = d[x][y];
	length[z] = d[x][z];
	if (length[y] < 0) {
		length[y] = 0;
		length[z] = (d[x][z] + d[y][z]) / 2;
	} else if (length[z] < 0) {
		length[z] = 0;
		length[y] = (d[x][y] + d[y][z]) / 2;
	}
}

static void
join_three(struct joining *j)
{
	double d[3][3] = { { 0 } }, length[3];
	uint32_t root = new_node(j->t);

	for (int x = 0; x < 3; x++)
		for (int y = 0; y < x; y++)
			d[x][y] = d[y][x] = *cell(j, j->place[x],
						  j->place[y]);
	length[0] = (d[0][1] + d[0][2] - d[1][2]) / 2;
	length[1] = d[0][1] - length[0];
	length[2] = d[0][2] - length[0];
	for (int x = 0; x < 3; x++)
		if (length[x] < 0) {
			shorten(d, length, x);
			break;
		}
	for (int x = 0; x < 3; x++)
		set_child(j->t, root, j->node[j->place[x]], length[x]);
}

static void
join_all(struct joining *j, size_t n)
{
	uint32_t a = 0, b = 0;

	for (uint32_t i = 0; i < n; i++) {
		j->node[i] = new_node(j->t);
		j->t->v[i].least = j->place[i] = i;
		j->r[i] = 0;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++) {
			j->r[i] += *cell(j, i, k);
			j->r[k] += *cell(j, i, k);
		}
	for (j->m = n; j->m > 3;) {
		nearest(j, &a, &b);
		join(j, a, b);
	}
	if (n > 2) {
		join_three(j);
	} else if (n == 2) {
		a = new_node(j->t);
		set_child(j->t, a, 0, j->d[0] / 2);
		set_child(j->t, a, 1, j->d[0] / 2);
	}
}

int
tree_join(struct tree *t, double *d, size_t n, struct err *e)
{
	struct joining j = { .t = t, .d = d };
	int rc = 0;

	t->n = 0;
	t->n_leaves = n;
	t->v = malloc((2 * n + 1) * sizeof *t->v);
	j.place = malloc(n * sizeof *j.place);
	j.node = malloc(n * sizeof *j.node);
	j.r = malloc(n * sizeof *j.r);
	if (t->v && j.place && j.node && j.r)
		join_all(&j, n);
	else
		rc = err_nomem(e, n * sizeof *t->v);
	free(j.place);
	free(j.node);
	free(j.r);
	return rc;
}

void
tree_free(struct tree *t)
{
	free(t->v);
	memset(t, 0, sizeof *t);
}

/* As text: there may be very deep trees. */

/* The node behind k in a walk from the root that meets each inner node twice:
 * before its children, and (*back) behind them. */
static uint32_t
walk(const struct tree *t, uint32_t k, bool *back)
{
	const struct tree_node *v = &t->v[k];

	if (!*back && v->first != TREE_NONE)
		return v->first;
	*back = v->next == TREE_NONE;
	return *back ? v->parent : v->next;
}

static bool
is_leaf(const struct tree *t, uint32_t k)
{
	return k < t->n_leaves;
}

void
tree_newick(struct buf *b, const struct tree *t, const struct str *name)
{
	uint32_t k = (uint32_t)t->n - 1;
	bool back = false;

	while (k != TREE_NONE) {
		const struct tree_node *v = &t->v[k];

		if (!back && !is_leaf(t, k)) {
			buf_u8(b, '(');
		} else {
			if (is_leaf(t, k))
				buf_put(b, name[k].p, name[k].n);
			else
				buf_u8(b, ')');
			if (v->parent != TREE_NONE) {
				buf_u8(b, ':');
				print_real(b, true, v->length, "");
			}
			if (v->next != TREE_NONE)
				buf_u8(b, ',');
		}
		k = walk(t, k, &back);
	}
	buf_put(b, ";\n", 2);
}

/* As a picture: branches from left to right, to scale. */

enum { ROW = 18, TREE_X = 24, TREE_W = 560, NUMBER_W = 44 };

struct drawing {
	const struct tree *t;
	const struct str *name;
	double *x, *y;		/* by node: in lengths, in pixels */
	double most, scale;	/* of x; pixels a length */
	unsigned longest;	/* letters of a name that are shown */
};

static void
place_nodes(struct drawing *g, double y)
{
	const struct tree *t = g->t;
	uint32_t k = (uint32_t)t->n - 1;
	bool back = false;

	while (k != TREE_NONE) {
		const struct tree_node *v = &t->v[k];
		uint32_t last = v->first;

		if (!back || is_leaf(t, k))
			g->x[k] = v->parent == TREE_NONE ? 0 :
				  g->x[v->parent] + v->length;
		g->most = g->x[k] > g->most ? g->x[k] : g->most;
		if (is_leaf(t, k)) {
			g->y[k] = y;
			y += ROW;
		} else if (back) {
			while (t->v[last].next != TREE_NONE)
				last = t->v[last].next;
			g->y[k] = (g->y[v->first] + g->y[last]) / 2;
		}
		k = walk(t, k, &back);
	}
	g->scale = g->most > 0 ? TREE_W / g->most : 0;
}

static double
across(const struct drawing *g, uint32_t k)
{
	return k == TREE_NONE ? TREE_X - 8 : TREE_X + g->scale * g->x[k];
}

/* A branch, and what its children hang on. */
static void
draw_branch(struct buf *b, const struct drawing *g, uint32_t k)
{
	const struct tree_node *v = &g->t->v[k];
	uint32_t last = v->first;

	buf_printf(b, "M%.1f %.1fH%.1f", across(g, v->parent), g->y[k],
		   across(g, k));
	if (last == TREE_NONE)
		return;
	while (g->t->v[last].next != TREE_NONE)
		last = g->t->v[last].next;
	buf_printf(b, "M%.1f %.1fV%.1f", across(g, k), g->y[v->first],
		   g->y[last]);
}

/* Its length, where there is room, and its name. */
static void
draw_texts(struct buf *b, struct drawing *g, uint32_t k)
{
	const struct tree_node *v = &g->t->v[k];
	double x = across(g, k), from = across(g, v->parent);
	unsigned n;

	if (v->parent != TREE_NONE && x - from >= NUMBER_W)
		svg_text(b, "s", "middle", (from + x) / 2, g->y[k] - 3, "%.4g",
			 v->length);
	if (!is_leaf(g->t, k))
		return;
	svg_name(b, "start", x + 6, g->y[k] + 4, g->name[k], MAX_LETTERS);
	n = svg_letters(g->name[k]);
	g->longest = n > g->longest ? n : g->longest;
}

/* A length that is 1, 2 or 5 times a power of ten, a quarter of all or less. */
static double
scale_unit(const struct drawing *g)
{
	double unit = 1;

	while (unit * 10 <= g->most / 4)
		unit *= 10;
	while (unit > g->most / 4)
		unit /= 10;
	return unit * (unit * 5 <= g->most / 4 ? 5 :
		       unit * 2 <= g->most / 4 ? 2 : 1);
}

static void
draw_all(struct buf *b, struct drawing *g, double bottom)
{
	double unit = g->most > 0 ? scale_unit(g) : 0;

	/* a grey that both pages show */
	buf_printf(b, "<path fill=\"none\" stroke=\"#768390\" "
		   "stroke-width=\"1.5\" d=\"");
	for (uint32_t k = 0; k < g->t->n; k++)
		draw_branch(b, g, k);
	if (unit > 0)
		buf_printf(b, "M%d %.1fh%.1f", TREE_X, bottom,
			   g->scale * unit);
	buf_printf(b, "\"/>\n");
	for (uint32_t k = 0; k < g->t->n; k++)
		draw_texts(b, g, k);
	if (unit > 0)
		svg_text(b, "s", "start", TREE_X + g->scale * unit + 6,
			 bottom + 4, "%.3g", unit);
}

double
tree_draw(struct buf *b, const struct tree *t, const struct str *name,
	  struct str what, double y, double *width, struct err *e)
{
	struct drawing g = { .t = t, .name = name };
	double bottom = y + 44 + ROW * (double)t->n_leaves, wide;
	unsigned letters;

	g.x = calloc(2 * t->n, sizeof *g.x);
	if (!g.x) {
		err_nomem(e, t->n * sizeof *g.x);
		return -1;
	}
	g.y = g.x + t->n;
	svg_text(b, "h", "start", MARGIN, y + 20,
		 "Tree by neighbour joining, %.*s",
		 str_shown(what, 40), what.p);
	place_nodes(&g, y + 48);
	draw_all(b, &g, bottom + 8);
	letters = g.longest < MAX_LETTERS ? g.longest : MAX_LETTERS;
	wide = TREE_X + TREE_W + 6 + LETTER * (double)letters + MARGIN;
	*width = wide > *width ? wide : *width;
	free(g.x);
	return bottom + 28;
}
