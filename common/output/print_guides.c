/* SPDX-License-Identifier: MIT */
/*
 * print_guides.c - sites of guides, added up: a row for each guide
 *
 * Sums are of integers, so the order of sites does not matter.
 */

#include <inttypes.h>
#include <stdlib.h>

#include "output/print.h"

/* Columns of numbers of sites, at most; what is kept grows with sites, not
 * with these. */
enum { MAX_EDITS = 1000 };

struct guide {
	uint64_t ordinal;
	size_t name, n_name;		/* in names */
	uint64_t sites, scored;
	unsigned __int128 sum;		/* of scores */
	uint64_t best;			/* highest score of a site with 0
					   edits; 0: none */
};

struct guides {
	struct guide *v;
	size_t n, cap;
	struct index by_ordinal;	/* numbers + 1 of them */
	struct index count;		/* of sites, by ordinal and edits */
	struct buf names;
	bool k_known;
	uint64_t most;			/* -k, or the most edits so far */
	uint64_t scan;			/* 0: none so far */
	struct err err;			/* of a row */
};

int
guides_new(struct guides **g, struct err *e)
{
	*g = calloc(1, sizeof **g);
	return *g ? 0 : err_nomem(e, sizeof **g);
}

void
guides_free(struct guides *g)
{
	if (!g)
		return;
	index_free(&g->by_ordinal);
	index_free(&g->count);
	buf_free(&g->names);
	free(g->v);
	free(g);
}

int
guides_begin(struct guides *g, const struct begin *b, struct err *e)
{
	struct str k = begin_value(b, "k");
	uint64_t most = 0;

	if (!begin_value(b, "pam").p)
		return 0;
	if (g->scan && g->scan != b->scan.id)
		return err_set(e, ERR_USAGE, "-O guides: several scans: one at "
			       "a time");
	g->scan = b->scan.id;
	for (size_t i = 0; i < k.n; i++) {
		if (k.p[i] < '0' || k.p[i] > '9')	/* a percentage */
			return 0;
		most = min_u64(10 * most + (uint64_t)(k.p[i] - '0'),
			       MAX_EDITS + 1);
	}
	if (most > MAX_EDITS)
		return err_set(e, ERR_LIMIT, "-O guides: -k above %d",
			       MAX_EDITS);
	g->k_known = k.n > 0;
	g->most = max_u64(g->most, most);
	return 0;
}

/* The guide's place, which may be new; NULL: no memory. */
static struct guide *
guide_of(struct guides *g, uint64_t ordinal, struct str name, struct err *e)
{
	size_t n = index_number(&g->by_ordinal, ordinal, 0);

	if (n)
		return &g->v[n - 1];
	if (array_room(&g->v, &g->cap, g->n + 1, sizeof *g->v, e))
		return NULL;
	g->v[g->n] = (struct guide){ .ordinal = ordinal,
				     .name = g->names.n, .n_name = name.n };
	buf_put(&g->names, name.p, name.n);
	if (g->names.bad ||
	    !index_set_number(&g->by_ordinal, ordinal, 0, g->n + 1)) {
		err_nomem(e, name.n);
		return NULL;
	}
	return &g->v[g->n++];
}

static int
count_site(struct guides *g, const struct hit *h, struct err *e)
{
	uint64_t ordinal = h->query.ordinal;
	size_t n = index_number(&g->count, ordinal, h->edits);

	if (h->edits > (g->k_known ? g->most : MAX_EDITS))
		return err_set(e, ERR_FORMAT, "-O guides: a site with %" PRIu64
			       " edits, more than -k", h->edits);
	g->most = max_u64(g->most, h->edits);
	return index_set_number(&g->count, ordinal, h->edits, n + 1) ? 0 :
	       err_nomem(e, sizeof n);
}

static void
take_hit(struct buf *b, const struct print_env *env, const struct hit *h)
{
	struct guides *g = env->guides;
	struct guide *v;

	(void)b;
	if (g->err.code)
		return;
	v = guide_of(g, h->query.ordinal, h->query.name, &g->err);
	if (!v || count_site(g, h, &g->err))
		return;
	v->sites++;
	if (!(h->flags & HIT_OFFTARGET))
		return;
	v->scored++;
	v->sum += h->offtarget;
	if (h->edits == 0)
		v->best = max_u64(v->best, h->offtarget);
}

static int
by_ordinal(const void *pa, const void *pb)
{
	const struct guide *a = pa, *b = pb;

	return (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
}

/* 100 * 100 / (100 + sum of percents), in units of 10^-9. */
static uint64_t
specificity(const struct guide *v)
{
	unsigned __int128 down = v->sum - v->best + OFFTARGET_ONE;
	unsigned __int128 up = (unsigned __int128)100 * OFFTARGET_ONE *
			       OFFTARGET_ONE;

	return (uint64_t)((up + down / 2) / down);
}

/* Its letters, if the query is the one that rows name. */
static struct str
letters_of(const struct queries *q, const struct guide *v, struct str name)
{
	const struct query *x = q && v->ordinal < q->n ? &q->v[v->ordinal] :
							 NULL;

	if (x && x->name.n == name.n &&
	    (!name.n || memcmp(x->name.p, name.p, name.n) == 0))
		return x->letters;
	return (struct str){ NULL, 0 };
}

static void
put_guide(struct buf *b, const struct print_env *env, const struct guide *v)
{
	const struct guides *g = env->guides;
	struct str name = { (const char *)g->names.p + v->name, v->n_name };

	print_name(b, name, print_no_control);
	buf_u8(b, '\t');
	print_name(b, letters_of(env->pp->queries, v, name), print_no_control);
	for (uint64_t d = 0; d <= g->most; d++) {
		buf_u8(b, '\t');
		print_u64(b, index_number(&g->count, v->ordinal, d));
	}
	buf_u8(b, '\t');
	if (!env->scored) {
		print_text(b, "*\t*\n");
		return;
	}
	print_u64(b, v->sites - v->scored);
	buf_u8(b, '\t');
	if (v->scored || !v->sites)
		print_share(b, specificity(v));
	else
		buf_u8(b, '*');
	buf_u8(b, '\n');
}

static void
put_head(struct buf *b, const struct guides *g)
{
	print_text(b, "#guide\tletters");
	for (uint64_t d = 0; d <= g->most; d++)
		buf_printf(b, "\tedits_%" PRIu64, d);
	print_text(b, "\tunscored\tspecificity\n");
}

int
guides_write(struct buf *b, const struct print_env *env, bool header,
	     struct err *e)
{
	struct guides *g = env->guides;
	const struct queries *q = env->pp->queries;

	for (size_t i = 0; q && i < q->n && !g->err.code; i++)
		guide_of(g, i, q->v[i].name, &g->err);
	if (g->err.code) {
		*e = g->err;
		return e->code;
	}
	if (!q && env->pp->note)
		env->pp->note(0, "guides without sites are not here: -q FILE "
			      "with the guides adds them, and their letters");
	if (g->n)
		qsort(g->v, g->n, sizeof *g->v, by_ordinal);
	if (header)
		put_head(b, g);
	for (size_t i = 0; i < g->n; i++)
		put_guide(b, env, &g->v[i]);
	return b->bad ? err_nomem(e, b->n) : 0;
}

const struct print_family print_guides = { .sites = true, .hit = take_hit };
