/* SPDX-License-Identifier: MIT */
/* print_phylip.c - distances as PHYLIP matrices, and as trees */

#include <stdlib.h>

#include "base/base.h"
#include "collect/collect.h"
#include "output/picture.h"
#include "output/output.h"

enum { NAME_WIDTH = 10 };	/* strict readers take so many columns */

/* Names of one matrix, each unlike all others. */
struct names {
	struct buf text;
	struct str *v;
	size_t n;
	size_t *slot;		/* index + 1, 0 free */
	size_t n_slots;		/* a power of two */
	bool strict;
};

/* All but what would end a name, or have a meaning where it stands in a tree;
 * strict readers may count letters instead of bytes, or know ASCII alone. */
static bool
plain(const struct names *t, uint8_t c)
{
	return c > ' ' && c != 0x7f && !strchr("()[]{}:;,'\"", c) &&
	       (!t->strict || c < 0x80);
}

static size_t
find(const struct names *t, struct str s)
{
	size_t i = hash64(s.p, s.n, 0) & (t->n_slots - 1);

	for (; t->slot[i]; i = (i + 1) & (t->n_slots - 1)) {
		struct str u = t->v[t->slot[i] - 1];

		if (str_is(u, s))
			break;
	}
	return i;
}

/* The name that begins at `at` becomes as short as _k behind it allows. */
static bool
room_for(struct buf *text, size_t at, uint64_t k)
{
	size_t digits = 2;	/* and _ */

	for (; k >= 10; k /= 10)
		digits++;
	if (digits > NAME_WIDTH)
		return false;
	if (text->n - at > NAME_WIDTH - digits)
		text->n = at + NAME_WIDTH - digits;
	return true;
}

/*
 * The first of equal names keeps it, others get the least free number behind
 * it.  `from` is where the name before began to count: equal names are mostly
 * many, and stand together.
 */
static int
add_name(struct names *t, struct str name, uint64_t *from, struct err *e)
{
	size_t at = t->text.n, base, i;
	struct str s;

	for (i = 0; i < name.n; i++)
		buf_u8(&t->text, plain(t, (uint8_t)name.p[i]) ?
		       (uint8_t)name.p[i] : '_');
	if (name.n == 0)
		buf_u8(&t->text, '*');
	base = t->text.n;
	for (uint64_t k = *from;; k++) {
		if (t->text.bad)
			return err_nomem(e, t->text.n);
		s = (struct str) { (char *)t->text.p + at, t->text.n - at };
		i = find(t, s);
		if (!t->slot[i])
			break;
		t->text.n = base;
		if (t->strict && !room_for(&t->text, at, k))
			return err_set(e, ERR_FORMAT, "phylip-strict: more "
				       "names than ten letters can "
				       "distinguish; use -O phylip");
		buf_printf(&t->text, "_%llu", (unsigned long long)k);
		*from = k + 1;
	}
	t->v[t->n++] = s;
	t->slot[i] = t->n;
	return 0;
}

static void
names_free(struct names *t)
{
	buf_free(&t->text);
	free(t->v);
	free(t->slot);
}

/* A name may grow by _ and 20 digits: text never moves under its strings. */
static int
names_new(struct names *t, const struct dists *d, const uint32_t *index,
	  size_t n, struct err *e)
{
	struct str before = { "", 0 };
	uint64_t from = 2;
	size_t bytes = 0;
	int r = 0;

	for (size_t i = 0; i < n; i++)
		bytes += d->name[index[i]].n + 32;
	for (t->n_slots = 4; t->n_slots < 2 * n; t->n_slots *= 2)
		;
	t->v = malloc((n + 1) * sizeof *t->v);
	t->slot = calloc(t->n_slots, sizeof *t->slot);
	if (!t->v || !t->slot || !buf_reserve(&t->text, bytes))
		return err_nomem(e, bytes);
	for (size_t i = 0; i < n && r == 0; i++) {
		const struct dist_name *k = &d->name[index[i]];
		struct str s = dists_str(d, k->at, k->n);

		if (t->strict && s.n > NAME_WIDTH)
			s.n = NAME_WIDTH;
		if (!str_is(s, before))
			from = 2;
		before = s;
		r = add_name(t, s, &from, e);
	}
	return r;
}

struct matrix {
	const struct dists *d;
	const struct dist_pair *pair;	/* all of the triangle, by a, b */
	size_t n;
	struct names names;
	enum dists_matrix kind;
	const char *what;		/* it is called */
	struct str metric;
	double width, height;		/* of pictures of trees */
	struct buf text;
	int (*line)(void *ctx, const struct buf *b, struct err *e);
	void *ctx;
};

/* The pair of i < j: rows of n-1, n-2, ... pairs come before. */
static const struct dist_pair *
pair_of(const struct matrix *m, size_t i, size_t j)
{
	return &m->pair[i * m->n - i * (i + 1) / 2 + (j - i - 1)];
}

static int
value_of(const struct matrix *m, size_t i, size_t j, double *v, struct err *e)
{
	const struct dist_pair *p;

	*v = 0;
	if (i == j)
		return 0;
	p = i < j ? pair_of(m, i, j) : pair_of(m, j, i);
	if (m->d->set[p->set].weighted && !dists_values(m->d, p).pairs)
		return err_set(e, ERR_FORMAT, "%s: %.*s and %.*s have no "
			       "distance: no solid word", m->what,
			       str_shown(m->names.v[i], 99), m->names.v[i].p,
			       str_shown(m->names.v[j], 99), m->names.v[j].p);
	*v = p->value;
	return 0;
}

static int
put_value(struct matrix *m, size_t i, size_t j, struct err *e)
{
	double v;
	int r = value_of(m, i, j, &v, e);

	print_text(&m->text, " ");
	print_real(&m->text, true, v, "");
	return r;
}

static bool
is_tree(enum dists_matrix kind)
{
	return kind == DISTS_NEWICK || kind == DISTS_SVG_TREE;
}

static int
put_matrix(struct matrix *m, struct err *e)
{
	bool lower = m->kind == DISTS_LOWER;
	int r = 0;

	m->text.n = 0;
	buf_printf(&m->text, "%zu\n", m->n);
	for (size_t i = 0; i < m->n && r == 0; i++) {
		struct str s = m->names.v[i];

		buf_put(&m->text, s.p, s.n);
		for (size_t k = s.n; k < NAME_WIDTH; k++)
			buf_u8(&m->text, ' ');
		for (size_t j = 0; j < (lower ? i : m->n) && r == 0; j++)
			r = put_value(m, i, j, e);
		buf_u8(&m->text, '\n');
		if (r == 0)
			r = m->text.bad ? err_nomem(e, m->text.n) :
					  m->line(m->ctx, &m->text, e);
		m->text.n = 0;
	}
	return r;
}

static int
draw_tree(struct matrix *m, const struct tree *t, struct err *e)
{
	double h;

	if (t->n_leaves > TREE_DRAWN)
		return err_set(e, ERR_LIMIT, "svg-tree: %zu sequences: more "
			       "than the %d of a picture; use newick",
			       t->n_leaves, TREE_DRAWN);
	h = tree_draw(&m->text, t, m->names.v, m->metric, m->height, &m->width,
		      e);
	if (h < 0)
		return e->code;
	m->height = h;
	return m->text.bad ? err_nomem(e, m->text.n) : 0;
}

static int
put_tree(struct matrix *m, struct err *e)
{
	uint64_t cells = (uint64_t)m->n * (m->n - 1) / 2;
	double *d = malloc((cells + 1) * sizeof *d), *at = d;
	struct tree t = { 0 };
	int r = d ? 0 : err_nomem(e, cells * sizeof *d);

	for (size_t i = 0; i < m->n && r == 0; i++)
		for (size_t j = 0; j < i && r == 0; j++)
			r = value_of(m, i, j, at++, e);
	if (r == 0)
		r = tree_join(&t, d, m->n, e);
	free(d);
	if (r == 0 && m->kind == DISTS_SVG_TREE) {
		r = draw_tree(m, &t, e);
	} else if (r == 0) {
		m->text.n = 0;
		tree_newick(&m->text, &t, m->names.v);
		r = m->text.bad ? err_nomem(e, m->text.n) :
				  m->line(m->ctx, &m->text, e);
	}
	tree_free(&t);
	return r;
}

/* All trees as a file. */
static int
put_picture(struct matrix *m, struct err *e)
{
	struct buf title = { 0 }, desc = { 0 }, file = { 0 };
	int r;

	print_text(&title, "Trees by neighbour joining");
	print_text(&desc, "Drawn by seqfilters.  They are unrooted.");
	svg_file(&file, (unsigned)m->width, (unsigned)m->height, &title, &desc,
		 &m->text);
	r = file.bad ? err_nomem(e, file.n) : m->line(m->ctx, &file, e);
	buf_free(&title);
	buf_free(&desc);
	buf_free(&file);
	return r;
}

/* The names of a run stand together; is every pair of them there? */
static int
put_set(struct matrix *m, const struct dist_set *s, size_t n_pairs,
	struct err *e)
{
	const struct dists *d = m->d;
	size_t first = 0;
	int r;

	while (first < d->n_names &&
	       (d->name[d->by_rank[first]].query ||
		d->name[d->by_rank[first]].of != s->run))
		first++;
	for (m->n = 0; first + m->n < d->n_names &&
		       d->name[d->by_rank[first + m->n]].of == s->run; m->n++)
		;
	if (s->rect)
		return err_set(e, ERR_USAGE, "%s needs distances of all "
			       "pairs of one set, not those to queries",
			       m->what);
	if (n_pairs != m->n * (m->n - (m->n > 0)) / 2)
		return err_set(e, ERR_FORMAT, "%s needs distances of all "
			       "pairs: of %zu sequences there are %zu", m->what,
			       m->n, n_pairs);
	m->metric = dists_str(d, s->at, s->n);
	m->names.strict = m->kind == DISTS_STRICT;
	r = names_new(&m->names, d, d->by_rank + first, m->n, e);
	if (r == 0 && m->n)
		r = is_tree(m->kind) ? put_tree(m, e) : put_matrix(m, e);
	names_free(&m->names);
	memset(&m->names, 0, sizeof m->names);
	return r;
}

static int
cmp_set(const struct dists *d, const struct dist_set *a,
	const struct dist_set *b)
{
	uint32_t x = d->scans.v[a->scan].rank, y = d->scans.v[b->scan].rank;

	if (x == y) {
		x = d->runs.v[a->run].rank;
		y = d->runs.v[b->run].rank;
	}
	return x < y ? -1 : x > y;
}

/* The set that comes next behind *last; there are few. */
static const struct dist_set *
next_set(const struct dists *d, const struct dist_set *last)
{
	const struct dist_set *best = NULL;

	for (size_t i = 0; i < d->n_sets; i++) {
		const struct dist_set *s = &d->set[i];

		if ((!last || cmp_set(d, s, last) > 0) &&
		    (!best || cmp_set(d, s, best) < 0))
			best = s;
	}
	return best;
}

int
dists_phylip(const struct dists *d, enum dists_matrix kind,
	     int (*line)(void *ctx, const struct buf *b, struct err *e),
	     void *ctx, struct err *e)
{
	struct matrix m = { .d = d, .kind = kind, .line = line, .ctx = ctx,
			    .what = kind == DISTS_NEWICK ? "newick" :
				    kind == DISTS_SVG_TREE ? "svg-tree" :
				    "phylip" };
	const struct dist_set *s = NULL;
	size_t n, k;
	const struct dist_pair *p = dists_pairs(d, &n);
	int r = d->n_names ? 0 : err_set(e, ERR_LIMIT, "%s: there is no "
					 "sequence", m.what);

	while (r == 0 && (s = next_set(d, s))) {
		for (k = 0; k < n && &d->set[p[k].set] == s; k++)
			;
		m.pair = p;
		r = put_set(&m, s, k, e);
		p = k ? p + k : p;	/* NULL without pairs */
		n -= k;
	}
	if (r == 0 && kind == DISTS_SVG_TREE)
		r = put_picture(&m, e);
	buf_free(&m.text);
	return r;
}
