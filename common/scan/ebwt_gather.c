/* SPDX-License-Identifier: MIT */
/* ebwt_gather.c - words of matrices put together for a helper */
#include "scan/ebwt_gather.h"

#include <stdlib.h>

#include "base/array.h"

/* Results, or numbers of gaps, of an errand at most, unless one word of v has
 * more: the CPU adds up in 30 ms what a helper does in a few. */
enum { MOST = 1 << 22 };

struct item {		/* word j of v */
	struct ebwt_sums *y;
	struct ebwt_route p;
	uint64_t j;
};

struct ebwt_gather {
	struct item *item;
	struct gap_job *job;
	const struct gap_list **list;
	uint16_t *next, *runs;
	double *de;
	size_t n, n_lists;
	uint64_t n_next, n_out;
	size_t item_room, job_room, list_room, next_room, runs_room, de_room;
	bool off;		/* it did not do it: nor will it */
};

void
ebwt_gather_free(struct ebwt_gather *g)
{
	if (!g)
		return;
	free(g->item);
	free(g->job);
	free(g->list);
	free(g->next);
	free(g->runs);
	free(g->de);
	free(g);
}

bool
ebwt_gather_can(const struct ebwt_route *p, const struct ebwt_how *how)
{
	return !how->paper && !p->product && p->u->own.letters && p->u->n &&
	       gap_fits(p->u->len, p->v->len, how->metric == EBWT_DE);
}

bool
ebwt_gather_takes(const struct ebwt_route *p, const struct ebwt_how *how)
{
	return how->helper && p->u->packed.letter && ebwt_gather_can(p, how);
}

/* The list's number; there is room for a new one. */
static uint32_t
find_list(struct ebwt_gather *g, const struct gap_list *l)
{
	/* those of a matrix's pairs follow each other, or take turns */
	for (size_t i = g->n_lists; i-- > 0;)
		if (g->list[i] == l)
			return (uint32_t)i;
	g->list[g->n_lists++] = l;
	return (uint32_t)g->n_lists - 1;
}

static int
room(struct ebwt_gather *g, uint64_t n_next, struct err *e)
{
	int rc = array_room(&g->item, &g->item_room, g->n + 1,
			    sizeof *g->item, e);

	if (!rc)
		rc = array_room(&g->job, &g->job_room, g->n + 1,
				sizeof *g->job, e);
	if (!rc)
		rc = array_room(&g->list, &g->list_room, g->n_lists + 1,
				sizeof *g->list, e);
	return rc ? rc : array_room(&g->next, &g->next_room,
				    g->n_next + n_next, sizeof *g->next, e);
}

static int
add_word(struct ebwt_gather *g, const struct item *x, struct err *e)
{
	const struct ebwt_words *v = x->p.v;
	uint64_t n_next = 4 * (v->len + 1);
	struct ebwt_gap gap;
	int rc = room(g, n_next, e);

	if (!rc)
		rc = ebwt_gap_new(&gap, v->letters + x->j * v->len, v->len, e);
	if (rc)
		return rc;
	gap_table(&gap, g->next + g->n_next);
	ebwt_gap_free(&gap);
	g->item[g->n] = *x;
	g->job[g->n++] = (struct gap_job){ find_list(g, &x->p.u->packed),
					   (uint32_t)v->len, g->n_next,
					   g->n_out };
	g->n_next += n_next;
	g->n_out += x->p.u->n;
	return 0;
}

static int
ask(struct ebwt_gather *g, const struct ebwt_how *how, struct err *e)
{
	bool de = how->metric == EBWT_DE;
	struct gap_errand j = {
		.list = g->list, .n_lists = (uint32_t)g->n_lists,
		.job = g->job, .n_jobs = (uint32_t)g->n, .next = g->next,
		.term = how->term, .most_runs = how->most_runs,
	};
	int rc = de ? array_room(&g->de, &g->de_room, g->n_out, sizeof *g->de,
				 e) :
		      array_room(&g->runs, &g->runs_room, g->n_out,
				 sizeof *g->runs, e);

	j.runs = g->runs;
	j.de = g->de;
	return rc ? rc : how->helper->run(how->helper->ctx, &j, e);
}

int
ebwt_gather_all(const struct ebwt_how *how, struct ebwt_sums_work *work,
		struct err *e)
{
	struct ebwt_gather *g = work->gather;
	bool de = how->metric == EBWT_DE;
	int rc;

	if (!g || !g->n)
		return 0;
	rc = ask(g, how, e);
	g->off = rc == EBWT_NOT_NOW;
	for (size_t i = 0; i < g->n && rc >= 0; i++) {
		const struct item *x = &g->item[i];
		uint64_t at = g->job[i].out;

		if (g->off)
			rc = ebwt_sums_walk(x->y, &x->p, how, x->j, x->j + 1,
					    work, e);
		else
			ebwt_sums_known(x->y, &x->p, how, x->j,
					de ? NULL : g->runs + at,
					de ? g->de + at : NULL);
	}
	g->n = g->n_lists = 0;
	g->n_next = g->n_out = 0;
	return rc < 0 ? rc : 0;
}

int
ebwt_gather_add(struct ebwt_sums *y, const struct ebwt_route *p,
		const struct ebwt_how *how, uint64_t from, uint64_t to,
		struct ebwt_sums_work *work, struct err *e)
{
	struct item x = { y, *p, from };
	int rc = 0;

	if (!work->gather)
		work->gather = calloc(1, sizeof *work->gather);
	if (!work->gather)
		return err_nomem(e, sizeof *work->gather);
	for (; x.j < to && !rc && !work->gather->off; x.j++) {
		rc = add_word(work->gather, &x, e);
		if (!rc && (work->gather->n_out >= MOST ||
			    work->gather->n_next >= MOST))
			rc = ebwt_gather_all(how, work, e);
	}
	return rc ? rc : ebwt_sums_walk(y, p, how, x.j, to, work, e);
}
