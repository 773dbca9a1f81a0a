/* SPDX-License-Identifier: MIT */
/*
 * kdiff_limits.c - alignments with limits on each kind of difference
 *
 * With x mismatches, d skipped text letters and r skipped pattern letters
 * behind it, an alignment that has used i pattern letters has used i + d - r
 * text letters: so (i, x, d, r) is all that decides how it can go on.  For a
 * total of 0, 1, 2, ... differences the steps are tried in the order of the
 * rule, deepest first, and a state from which the end was not reached is
 * marked and never entered again.  The first end reached is thus the first of
 * all alignments with that total in the rule's order, and there is none with a
 * smaller total.
 */

#include <stdlib.h>
#include <string.h>

#include "kdiff/kdiff.h"
#include "kdiff/kdiff_pam_priv.h"
#include "kdiff/kdiff_priv.h"
#include "letters/letters.h"

struct search {
	const struct kdiff_limits_job *j;
	struct kdiff_limits_work *w;
	uint32_t total;			/* differences allowed */
	uint32_t max_x, max_d, max_r;	/* of each kind */
	uint32_t i, x, d, r;		/* where it is */
};

void
kdiff_limits_free(struct kdiff_limits_work *w)
{
	free(w->op);
	free(w->dead);
}

static size_t
state_of(const struct search *s)
{
	return ((s->i * (s->max_x + 1ull) + s->x) * (s->max_d + 1ull) +
		s->d) * (s->max_r + 1ull) + s->r;
}

static bool
is_dead(const struct search *s)
{
	size_t b = state_of(s);

	return s->w->dead[b / 64] >> b % 64 & 1;
}

static bool
is_match(const struct search *s)
{
	uint8_t p = s->j->pattern[s->i], t = s->j->text[s->i + s->d - s->r];

	return s->j->sets ? (p & t) != 0 : p == t;
}

/* May the step be no match, where it stands? */
static bool
is_free(const struct search *s, enum cigar_op op)
{
	const struct kdiff_limits_job *j = s->j;
	uint64_t last = (uint64_t)j->m - kdiff_min(j->m, j->fixed_last);

	return op == CIGAR_EQ || (s->i >= j->fixed_first &&
				  s->i < last + (op == CIGAR_D));
}

/* A step that the limits allow, and that does not lead to a dead end. */
static bool
step(struct search *s, enum cigar_op op)
{
	const struct kdiff_limits_job *j = s->j;
	struct search to = *s;
	uint32_t at = s->i + s->d - s->r;

	if ((op != CIGAR_I && at == j->n) || !is_free(s, op))
		return false;
	to.i += op != CIGAR_D;
	to.x += op == CIGAR_X;
	to.d += op == CIGAR_D;
	to.r += op == CIGAR_I;
	if (to.x + to.d + to.r > s->total || to.x > s->max_x ||
	    to.d > s->max_d || to.r > s->max_r ||
	    to.d + to.r > j->max.bulges || is_dead(&to))
		return false;
	*s = to;
	s->w->op[s->w->n++] = (uint8_t)op;
	return true;
}

/* Back from a dead end. */
static void
step_back(struct search *s)
{
	size_t b = state_of(s);

	s->w->dead[b / 64] |= 1ull << b % 64;
	if (s->w->n == 0)
		return;
	switch (s->w->op[--s->w->n]) {
	case CIGAR_D:
		s->d--;
		return;
	case CIGAR_I:
		s->r--;
		break;
	case CIGAR_X:
		s->x--;
		break;
	}
	s->i--;
}

/* With at most s->total differences: is there an alignment? */
static bool
search(struct search *s, size_t dead_words)
{
	memset(s->w->dead, 0, dead_words * sizeof *s->w->dead);
	s->w->n = 0;
	s->i = s->x = s->d = s->r = 0;
	while (s->i < s->j->m) {
		bool inside = s->i + s->d - s->r < s->j->n;

		if (inside && step(s, is_match(s) ? CIGAR_EQ : CIGAR_X))
			continue;
		if (step(s, CIGAR_D) || step(s, CIGAR_I))
			continue;
		if (is_dead(s))	/* the begin, again */
			return false;
		step_back(s);
	}
	return true;
}

int
kdiff_limits_align(const struct kdiff_limits_job *j,
		   struct kdiff_limits_work *w, uint32_t *dist, struct err *e)
{
	struct search s = {
		.j = j, .w = w,
		.max_x = kdiff_min(j->max.mismatches, j->k),
		.max_d = kdiff_min(kdiff_min(j->max.dna, j->max.bulges), j->k),
		.max_r = kdiff_min(kdiff_min(j->max.rna, j->max.bulges), j->k),
	};
	double states = (j->m + 1.) * (s.max_x + 1.) * (s.max_d + 1.) *
			(s.max_r + 1.);
	size_t words = (size_t)(states / 64) + 1;

	if (states > 8589934592.)
		return err_set(e, ERR_LIMIT, "limits on each kind of "
			       "difference: too many differences, %u, for "
			       "patterns of %u letters", j->k, j->m);
	if (array_room(&w->dead, &w->dead_cap, words, sizeof *w->dead, e) ||
	    array_room(&w->op, &w->op_cap, j->m + s.max_d + 1ull, 1, e))
		return e->code;
	for (s.total = j->least; s.total <= j->k; s.total++)
		if (search(&s, words))
			break;
	*dist = s.total;
	return 0;
}

/*
 * Ends of patterns whose differences have a limit by kind
 *
 * An alignment that keeps the limits has at most k differences, so all ends
 * with D <= k are a superset.  Each gets the distance that the limits allow,
 * and of what is left the minima are chosen.  These need ends that are not
 * reported, so segments report all of theirs here.
 */

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
	struct kdiff_hits all = { .n = 0 };
	struct kdiff_text whole;
	struct kdiff_job to = *j;
	int rc = kdiff_all_ends(t, j->w, &whole, j->e);

	if (rc)
		return rc;
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
