/* SPDX-License-Identifier: MIT */
/*
 * kdiff_limited.c - ends of patterns whose differences have a limit by kind
 *
 * An alignment that keeps the limits has at most k differences, so all ends
 * with D <= k are a superset.  Each gets the distance that the limits allow,
 * and of what is left the minima are chosen.  These need ends that are not
 * reported, so segments report all of theirs here.
 */

#include <stdlib.h>
#include <string.h>

#include "kdiff/kdiff_limits.h"
#include "kdiff/kdiff_pam_priv.h"
#include "kdiff/kdiff_priv.h"
#include "letters/letters.h"

void
kdiff_set_limits(struct kdiff_set *set, const struct kdiff_limits *max)
{
	set->max = *max;
	set->limited = kdiff_limited(max);
	if (set->p.hamming)
		set->max.bulges = 0;
	set->limited_minima = set->p.report == KDIFF_MINIMA;
	if (set->limited)
		set->p.report = KDIFF_ALL;
}

/* The letters of a pattern and of a text, from an end backwards. */
static int
read_back(const struct kdiff_set *set, const struct kdiff_text *t,
	  struct kdiff_work *w, const struct kdiff_hit *h,
	  struct kdiff_limits_job *j, struct err *e)
{
	const struct kdiff_pat *p = &set->pat[h->pattern];
	const struct kdiff_seg *s = &t->seg[kdiff_seg_find(t, h->end)];
	uint64_t n = min_u64((uint64_t)p->m + p->k, h->end - s->beg);
	bool dna = set->p.alphabet == KDIFF_DNA;
	uint8_t *letters;

	if (array_room(&w->letters, &w->letters_cap, p->m + (size_t)n + 1, 1,
		       e))
		return e->code;
	letters = w->letters;
	for (uint32_t i = 0; i < p->m; i++)
		letters[i] = set->sym[p->code[p->m - 1 - i]];
	for (uint64_t i = 0; i < n; i++)
		letters[p->m + i] = dna ? kdiff_pam_letter(t, h->end - 1 - i,
							   false) :
				    t->bytes[h->end - 1 - i];
	*j = (struct kdiff_limits_job){
		.max = set->max, .pattern = letters, .text = letters + p->m,
		.m = p->m, .n = (uint32_t)n, .least = h->dist, .k = p->k,
		.sets = dna, .fixed_first = p->tail, .fixed_last = p->head,
	};
	return 0;
}

/* The ends of which the limits leave some alignment, with its distance. */
static int
keep_limited(const struct kdiff_job *j, struct kdiff_hits *all)
{
	struct kdiff_limits_job limits;
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < all->n && !rc; i++) {
		struct kdiff_hit h = all->v[i];

		rc = read_back(j->set, j->text, j->w, &h, &limits, j->e);
		if (!rc)
			rc = kdiff_limits_align(&limits, &j->w->limits,
						&h.dist, j->e);
		if (!rc && h.dist <= j->set->pat[h.pattern].k)
			all->v[n++] = h;
	}
	all->n = n;
	return rc;
}

int
kdiff_limited_scan(const struct kdiff_job *j)
{
	const struct kdiff_text *t = j->text;
	struct kdiff_work *w = j->w;
	struct kdiff_hits all = { .n = 0 };
	struct kdiff_text whole = *t;
	struct kdiff_job to = *j;
	int rc = 0;

	if (!t->n_seg)
		return 0;
	if (array_room(&w->seg, &w->seg_cap, t->n_seg, sizeof *w->seg, j->e))
		return j->e->code;
	for (size_t i = 0; i < t->n_seg; i++) {
		w->seg[i] = t->seg[i];
		w->seg[i].from = t->seg[i].beg + 1;
		w->seg[i].to = t->seg[i].end;
	}
	whole.seg = w->seg;
	to.text = &whole;
	to.hits = &all;
	to.take = NULL;
	to.unordered = false;
	rc = kdiff_plain_scan(&to);
	if (!rc)
		rc = keep_limited(j, &all);
	if (!rc && j->set->limited_minima)
		rc = kdiff_hits_minima(j->set, t, &all, 0, j->e);
	else if (!rc)
		kdiff_hits_reported(t, &all);
	if (!rc && all.n)
		rc = kdiff_job_give(j, all.v, all.n);
	kdiff_hits_free(&all);
	return rc;
}

/* Steps as runs of operations, the last one first. */
static size_t
put_runs(const struct kdiff_limits_work *w, struct buf *ops)
{
	size_t n = 0;

	for (size_t i = w->n; i > 0;) {
		uint32_t op = w->op[i - 1], len = 0;

		while (i > 0 && w->op[i - 1] == op) {
			len++;
			i--;
		}
		op |= len << 4;
		buf_put(ops, &op, sizeof op);
		n++;
	}
	return n;
}

int
kdiff_limited_trace(const struct kdiff_set *set, const struct kdiff_text *text,
		    struct kdiff_work *w, const struct kdiff_hit *hits,
		    size_t n, struct kdiff_path *paths, struct buf *ops,
		    struct err *e)
{
	struct kdiff_limits_job j;
	uint32_t dist;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		uint64_t used = 0;

		rc = read_back(set, text, w, &hits[i], &j, e);
		if (!rc)
			rc = kdiff_limits_align(&j, &w->limits, &dist, e);
		if (rc)
			break;
		for (size_t k = 0; k < w->limits.n; k++)
			used += w->limits.op[k] != CIGAR_I;
		paths[i] = (struct kdiff_path){
			.beg = hits[i].end - used,
			.ops = ops->n / sizeof(uint32_t),
		};
		paths[i].n_ops = put_runs(&w->limits, ops);
		if (ops->bad)
			rc = err_nomem(e, ops->n);
	}
	return rc;
}
