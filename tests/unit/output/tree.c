/* SPDX-License-Identifier: MIT */
/* tree.c - neighbour joining against the textbook, and trees it must find */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/picture.h"
#include "tests/lib/tap.h"

enum { MOST = 24 };

static struct err e;
static uint64_t seed = 1987;

/* A tree as its branches: which leaves are on the side without leaf 0, and how
 * long it is. */
struct split {
	uint64_t leaves;
	double length;
};
struct splits {
	struct split v[2 * MOST];
	size_t n;
};

static int
by_leaves(const void *a, const void *b)
{
	const struct split *x = a, *y = b;

	return x->leaves < y->leaves ? -1 : x->leaves > y->leaves;
}

/* Branches of the same split, as at a root of two, are one. */
static void
add(struct splits *s, uint64_t leaves, double length, size_t n)
{
	uint64_t all = (1ull << n) - 1;

	if (leaves & 1)
		leaves = all & ~leaves;
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].leaves == leaves) {
			s->v[i].length += length;
			return;
		}
	s->v[s->n++] = (struct split){ leaves, length };
}

/* The branches of a text; nodes end at ) , or ;. */
static uint64_t
read_node(const char **p, struct splits *s, size_t n, bool root)
{
	uint64_t leaves = 0;
	char *end;

	if (**p == '(') {
		do {
			++*p;
			leaves |= read_node(p, s, n, false);
		} while (**p == ',');
		if (**p != ')')
			abort();
		++*p;
	} else {
		leaves = 1ull << strtoul(*p + 1, &end, 10);
		*p = end;
	}
	if (!root) {
		if (**p != ':')
			abort();
		add(s, leaves, strtod(*p + 1, &end), n);
		*p = end;
	}
	return leaves;
}

static struct splits
splits_of_text(const struct tree *t, size_t n)
{
	struct str name[MOST];
	char text[MOST][8];
	struct splits s = { .n = 0 };
	struct buf b = { 0 };
	const char *p;

	for (size_t i = 0; i < n; i++) {
		int k = snprintf(text[i], sizeof text[i], "L%zu", i);

		name[i] = (struct str){ text[i], (size_t)k };
	}
	tree_newick(&b, t, name);
	buf_u8(&b, 0);
	p = (const char *)b.p;
	if (read_node(&p, &s, n, true) != (1ull << n) - 1 ||
	    strcmp(p, ";\n") != 0)
		s.n = SIZE_MAX;
	buf_free(&b);
	if (s.n < SIZE_MAX)
		qsort(s.v, s.n, sizeof *s.v, by_leaves);
	return s;
}

/* Lengths of inner branches may be 0 in one, and the branch lie elsewhere. */
static bool
same(const struct splits *a, const struct splits *b, double most)
{
	bool good = a->n == b->n;

	for (size_t i = 0; i < a->n && good; i++)
		good = a->v[i].leaves == b->v[i].leaves &&
		       fabs(a->v[i].length - b->v[i].length) <= most;
	return good;
}

/* The pair to be joined, *a > *b, and r[]. */
static void
best_pair(long double d[MOST][MOST], size_t m, long double *r, size_t *a,
	  size_t *b)
{
	long double best = INFINITY;

	for (size_t i = 0; i < m; i++) {
		r[i] = 0;
		for (size_t k = 0; k < m; k++)
			r[i] += i == k ? 0 : d[i][k];
		r[i] /= m - 2;
	}
	for (size_t i = 0; i < m; i++)
		for (size_t k = 0; k < i; k++)
			if (d[i][k] - r[i] - r[k] < best) {
				best = d[i][k] - r[i] - r[k];
				*a = i;
				*b = k;
			}
}

/* The textbook (Durbin et al.), by sums that are made anew; false: a length
 * was below 0. */
static bool
textbook(long double d[MOST][MOST], size_t n, struct splits *s)
{
	uint64_t leaves[MOST];
	size_t m = n;
	bool good = true;

	s->n = 0;
	for (size_t i = 0; i < n; i++)
		leaves[i] = 1ull << i;
	while (m > 2) {
		long double r[MOST], li;
		size_t a = 0, b = 0;

		best_pair(d, m, r, &a, &b);
		li = (d[a][b] + r[a] - r[b]) / 2;
		good &= li >= 0 && d[a][b] - li >= 0;
		add(s, leaves[a], (double)li, n);
		add(s, leaves[b], (double)(d[a][b] - li), n);
		for (size_t k = 0; k < m; k++)
			if (k != a && k != b)
				d[a][k] = d[k][a] = (d[a][k] + d[b][k] -
						     d[a][b]) / 2;
		leaves[a] |= leaves[b];
		/* the last one takes b's place */
		m--;
		leaves[b] = leaves[m];
		for (size_t k = 0; k < m; k++)
			d[b][k] = d[k][b] = b == k ? 0 : d[m][k];
	}
	good &= d[0][1] >= 0;
	add(s, leaves[0], (double)d[0][1], n);
	qsort(s->v, s->n, sizeof *s->v, by_leaves);
	return good;
}

/* Distances in a random tree of n leaves, branches of 1 to 1000; its splits. */
static void
additive(long double d[MOST][MOST], size_t n, struct splits *s)
{
	uint64_t group[MOST];
	size_t m = n;

	memset(d, 0, MOST * sizeof *d);
	s->n = 0;
	for (size_t i = 0; i < n; i++)
		group[i] = 1ull << i;
	/* the last three are at one node */
	while (m > 1) {
		size_t of = m <= 3 ? m : 2;

		for (size_t k = 0; k < of; k++) {
			size_t at = below(&seed, m - k);
			uint64_t g = group[at];
			double length = 1 + (double)below(&seed, 1000);

			group[at] = group[m - 1 - k];
			group[m - 1 - k] = g;
			add(s, g, length, n);
			for (size_t i = 0; i < n; i++)
				for (size_t j = 0; j < n; j++)
					if ((g >> i & 1) != (g >> j & 1))
						d[i][j] += length;
		}
		for (size_t k = 1; k < of; k++)
			group[m - of] |= group[m - of + k];
		m -= of - 1;
	}
	qsort(s->v, s->n, sizeof *s->v, by_leaves);
}

static void
join(struct tree *t, long double d[MOST][MOST], size_t n)
{
	double row[MOST * MOST], *at = row;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			*at++ = (double)d[i][k];
	if (tree_join(t, row, n, &e))
		abort();
}

/* Trees whose distances are exact are found, to the last bit. */
static void
found(void)
{
	bool good = true;

	for (int round = 0; round < 2000; round++) {
		size_t n = 2 + below(&seed, MOST - 1);
		long double d[MOST][MOST];
		struct splits want, have;
		struct tree t;

		additive(d, n, &want);
		join(&t, d, n);
		have = splits_of_text(&t, n);
		good &= same(&want, &have, 0);
		for (size_t i = 0; i < t.n; i++)
			good &= t.v[i].length * 2 == floor(t.v[i].length * 2);
		tree_free(&t);
	}
	ok(good, "trees are found from their distances");
}

/* Distances that no tree has, near those of one, or of any kind. */
static void
as_in_books(void)
{
	unsigned same_ones = 0, other = 0;
	bool good = true;

	for (int round = 0; round < 3000; round++) {
		size_t n = 2 + below(&seed, MOST - 1);
		uint64_t noise = round % 2 ? 1 + below(&seed, 900) : 1 << 20;
		long double d[MOST][MOST];
		struct splits want, have;
		struct tree t;

		additive(d, n, &want);
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < i; k++) {
				d[i][k] += (double)below(&seed, noise << 20) /
					   (1 << 20);
				d[k][i] = d[i][k];
			}
		join(&t, d, n);
		have = splits_of_text(&t, n);
		good &= have.n == (n > 2 ? 2 * n - 3 : 1);
		for (size_t i = 0; i < t.n; i++)
			good &= t.v[i].length >= 0;
		if (textbook(d, n, &want)) {
			same_ones++;
			good &= same(&want, &have, 1e-2);
		} else {
			other++;
		}
		tree_free(&t);
	}
	ok(good && same_ones > 500 && other > 500, "%u as in books, %u of which"
	   " a length was below 0", same_ones, other);
}

static void
few(void)
{
	struct str name[] = { { "a", 1 }, { "b", 1 }, { "c", 1 }, { "d", 1 } };
	static const struct {
		size_t n;
		double d[6];
		const char *want;
	} trees[] = {
		{ 1, { 0 }, "a;\n" }, { 2, { 3 }, "(a:1.5,b:1.5);\n" },
		{ 3, { 3, 9, 4 }, "(a:3,b:0,c:4);\n" },
		{ 3, { 2, 2, 2 }, "(a:1,b:1,c:1);\n" },
		{ 3, { 0, 0, 0 }, "(a:0,b:0,c:0);\n" },
		{ 4, { 0, 0, 0, 0, 0, 0 }, "((a:0,b:0):0,c:0,d:0);\n" },
		{ 4, { 3, 9, 4, 1, 3, 2 },
		  "((a:2.25,b:0.75):0.5,c:2,d:0);\n" },
	};

	for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
		double d[6];
		struct buf b = { 0 };
		struct tree t;

		memcpy(d, trees[i].d, sizeof d);
		if (tree_join(&t, d, trees[i].n, &e))
			abort();
		tree_newick(&b, &t, name);
		buf_u8(&b, 0);
		ok(strcmp((char *)b.p, trees[i].want) == 0, "%.*s",
		   (int)b.n - 2, (char *)b.p);
		buf_free(&b);
		tree_free(&t);
	}
}

static struct str x_names[3000];

/* All joins tie. */
static void
alike(void)
{
	enum { N = 600 };
	double *d = malloc((size_t)N * N / 2 * sizeof *d), *at = d;
	struct buf b = { 0 };
	struct tree t;

	if (!d)
		abort();
	for (size_t i = 0; i < N; i++)
		for (size_t k = 0; k < i; k++)
			*at++ = 1;
	for (size_t i = 0; i < 3000; i++)
		x_names[i] = (struct str){ "x", 1 };
	if (tree_join(&t, d, N, &e))
		abort();
	tree_newick(&b, &t, x_names);
	ok(!b.bad && t.n == 2 * N - 2, "%d leaves, all alike", N);
	tree_free(&t);
	buf_free(&b);
	free(d);
}

/* A tree as deep as it has leaves. */
static void
caterpillar(void)
{
	enum { N = 3000 };
	struct buf b = { 0 };
	struct tree t;

	t.n_leaves = N;
	t.n = 2 * N - 1;
	t.v = calloc(t.n, sizeof *t.v);
	if (!t.v)
		abort();
	for (uint32_t k = 0; k < t.n; k++)
		t.v[k] = (struct tree_node){ TREE_NONE, TREE_NONE, TREE_NONE,
					     0, 1 };
	for (uint32_t k = N; k < t.n; k++) {
		uint32_t below_it = k == N ? N - 1 : k - 1;

		t.v[k].first = below_it;
		t.v[below_it].next = 2 * N - 2 - k;
		t.v[below_it].parent = t.v[2 * N - 2 - k].parent = k;
	}
	tree_newick(&b, &t, x_names);
	ok(!b.bad && b.n > 5 * N, "a tree as deep as it can be");
	tree_free(&t);
	buf_free(&b);
}

int
main(void)
{
	few();
	found();
	as_in_books();
	alike();
	caterpillar();
	return done();
}
