/* SPDX-License-Identifier: MIT */
/*
 * kdiff_pam_trace.c - paths of sites
 *
 * asm-scan's rule follows an alignment from its end.  Letters outwards of an
 * edge, in inverse order and of the strand searched, are a text in which the
 * guide's alignment ends where the PAM begins: so kdiff_trace() follows it as
 * wanted, and its operations, turned back, are those of the forward text.
 */

#include <stdlib.h>
#include <string.h>

#include "kdiff/kdiff_pam_priv.h"
#include "kdiff/kdiff_priv.h"
#include "letters/letters.h"

/* The letters that a site's alignment may use, in the forward text. */
static struct kdiff_turn
letters_of(const struct kdiff_pam *g, const struct kdiff_text *t,
	   const struct kdiff_site *s, uint64_t most)
{
	const struct kdiff_seg *seg = &t->seg[kdiff_seg_find(t, s->edge)];
	struct kdiff_turn x = {
		.t = t, .minus = s->minus,
		.right = kdiff_pam_right(g, s->minus),
		.beg = s->edge, .end = s->edge,
	};

	if (x.right)
		x.end += min_u64(most, seg->end - s->edge);
	else
		x.beg -= min_u64(most, s->edge - seg->beg);
	return x;
}

/* With limits */

int
kdiff_pam_limits(const struct kdiff_pam *g, const struct kdiff_text *t,
		 const struct kdiff_site *s, struct kdiff_pam_work *w,
		 uint32_t *dist, struct err *e)
{
	const struct pam_guide *q = &g->guide[s->guide];
	struct kdiff_turn x = letters_of(g, t, s, (uint64_t)q->m + q->k);
	uint32_t n = (uint32_t)(x.end - x.beg);
	struct kdiff_limits_job job = {
		.max = g->p.max, .pattern = q->set, .m = q->m, .n = n,
		.least = s->dist, .k = q->k, .sets = true,
	};

	if (array_room(&w->letters, &w->letters_cap, n + 1, 1, e))
		return e->code;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t at = x.right ? x.beg + i : x.end - 1 - i;

		w->letters[i] = kdiff_pam_letter(t, at, s->minus);
	}
	job.text = w->letters;
	return kdiff_limits_align(&job, &w->limits, dist, e);
}

/* One more run of operations; it may go on with the last one. */
static void
add_run(struct buf *ops, size_t from, uint32_t op)
{
	uint32_t last;

	if (ops->n > from && !ops->bad) {
		memcpy(&last, ops->p + ops->n - sizeof last, sizeof last);
		if ((last & 15) == (op & 15)) {
			last += op & ~15u;
			memcpy(ops->p + ops->n - sizeof last, &last,
			       sizeof last);
			return;
		}
	}
	buf_put(ops, &op, sizeof op);
}

/*
 * The path of a site from its runs v[0..n), the PAM's last: as they are where
 * the guide is to the left, else in inverse order.
 */
static void
put_path(const struct kdiff_pam *g, const struct kdiff_site *s,
	 const uint32_t *v, size_t n, struct kdiff_site_path *path,
	 struct buf *ops)
{
	uint32_t l = g->pam[s->minus][s->pam].n, pam = l << 4 | CIGAR_EQ;
	bool right = kdiff_pam_right(g, s->minus);
	uint64_t used = 0;
	size_t from = ops->n;

	path->ops = from / sizeof *v;
	if (right)
		add_run(ops, from, pam);
	for (size_t i = 0; i < n; i++) {
		uint32_t op = v[right ? n - 1 - i : i];

		used += (op & 15) == CIGAR_I ? 0 : op >> 4;
		add_run(ops, from, op);
	}
	if (!right)
		add_run(ops, from, pam);
	path->n_ops = (ops->n - from) / sizeof *v;
	path->beg = right ? s->edge - l : s->edge - used;
	path->end = right ? s->edge + used : s->edge + l;
}

static int
trace_limited(struct kdiff_pam *g, const struct kdiff_text *t,
	      struct kdiff_pam_work *w, const struct kdiff_site *s,
	      struct kdiff_site_path *path, struct buf *ops, struct err *e)
{
	uint32_t dist, one;
	int rc = kdiff_pam_limits(g, t, s, w, &dist, e);

	if (rc)
		return rc;
	w->ops.n = 0;
	for (size_t i = w->limits.n; i-- > 0;) {
		one = 1u << 4 | w->limits.op[i];
		buf_put(&w->ops, &one, sizeof one);
	}
	if (w->ops.bad)
		return err_nomem(e, w->ops.n);
	put_path(g, s, (const uint32_t *)(const void *)w->ops.p,
		 w->ops.n / sizeof one, path, ops);
	return 0;
}

/* Without, where the kernels have all letters */

/* The runs of a site with c differences: its PAM, and each difference with what
 * matches behind it. */
static size_t
most_runs(uint32_t c)
{
	return 2 * (size_t)c + 1;
}

/* Where lane i and diagonal d do not match, as mismatches() has it. */
static inline uint32_t
differs(const struct pam_traced *t, unsigned i, int d)
{
	uint64_t lo = (uint64_t)t->lo[i] << 8, hi = (uint64_t)t->hi[i] << 8;

	return ((uint32_t)(lo >> (8 - d)) ^ t->guide_lo[i]) |
	       ((uint32_t)(hi >> (8 - d)) ^ t->guide_hi[i]);
}

/*
 * The path of lane i with c differences, as runs from *v on or, if back, from
 * there to lower addresses; the PAM's is the first.  While letters match, = is
 * always on one with the least; else what the reaches allow first of X, D and
 * I.  Which it is no processor can guess, so it is computed.  Returns the last
 * run; *letters: of the text.
 */
static uint32_t *
follow(const struct pam_traced *t, unsigned i, uint32_t c, uint32_t pam,
       uint32_t *v, bool back, uint32_t *letters)
{
	uint32_t end = 0xffffffff >> t->m[i], run = pam << 4 | CIGAR_EQ, at, n;
	ptrdiff_t step = back ? -1 : 1;
	int d = 0, k = (int)t->k;

	at = (uint32_t)__builtin_clz(differs(t, i, 0) | end);
	run += at << 4;
	while (c--) {
		uint32_t left = t->m[i] - at, op;
		bool x = left <= t->reach[c][k + d][i] + 1;
		bool gap = !x & (left <= t->reach[c][k + d + 1][i]);
		bool same;

		op = x ? CIGAR_X : gap ? CIGAR_D : CIGAR_I;
		same = (run & 15) == op;
		*v = run;
		v += same ? 0 : step;
		run = same ? run + (1 << 4) : 1 << 4 | op;
		at += !gap;
		d += gap - (!x & !gap);
		n = (uint32_t)__builtin_clz((differs(t, i, d) | end) << at);
		*v = run;
		v += n ? step : 0;
		run = n ? n << 4 | CIGAR_EQ : run;
		at += n;
	}
	*v = run;
	*letters = (uint32_t)((int)t->m[i] + d);
	return v;
}

/* Sites v[0..n), n <= PAM_TRACED, that are whole. */
static int
trace_whole(const struct kdiff_pam *g, struct kdiff_pam_work *w,
	    const struct kdiff_site *v, size_t n,
	    struct kdiff_site_path *paths, struct buf *ops, struct err *e)
{
	struct pam_traced *t = &w->traced;
	uint32_t *to, *first;
	size_t room = 0;

	t->k = 0;
	for (size_t i = 0; i < n; i++) {
		const struct pam_guide *q = &g->guide[v[i].guide];

		t->lo[i] = v[i].lo;
		t->hi[i] = v[i].hi;
		t->guide_lo[i] = q->lo;
		t->guide_hi[i] = q->hi;
		t->m[i] = q->m;
		t->k = v[i].dist > t->k ? v[i].dist : t->k;
		room += most_runs(v[i].dist);
	}
	for (size_t i = n; i < PAM_TRACED; i++)
		t->m[i] = 1;
	g->ops->reach(t);
	if (!buf_reserve(ops, room * sizeof *to))
		return err_nomem(e, ops->n);
	first = (uint32_t *)(void *)ops->p;
	to = first + ops->n / sizeof *to;
	for (unsigned i = 0; i < n; i++) {
		bool right = kdiff_pam_right(g, v[i].minus);
		uint32_t l = g->pam[v[i].minus][v[i].pam].n, letters;
		size_t most = most_runs(v[i].dist);
		uint32_t *from = right ? to : to + most - 1, *last;

		last = follow(t, i, v[i].dist, l, from, !right, &letters);
		paths[i].ops = (uint64_t)((right ? from : last) - first);
		paths[i].n_ops = (size_t)(right ? last - from :
						  from - last) + 1;
		paths[i].beg = v[i].edge - (right ? l : letters);
		paths[i].end = v[i].edge + (right ? letters : l);
		to += most;
	}
	ops->n += room * sizeof *to;
	return 0;
}

/* Without */

/* Windows of n sites, as segments of a text. */
static int
turn_windows(const struct kdiff_pam *g, const struct kdiff_text *t,
	     struct kdiff_pam_work *w, const struct kdiff_site *v, size_t n,
	     struct err *e)
{
	uint64_t slot = (g->max_mk + kdiff_gap(g->set) + 63) / 64 * 64;
	struct kdiff_copy *to = &w->window;
	int rc = kdiff_copy_room(to, t, n * slot, n, e);

	if (!rc && array_room(&w->hit, &w->hit_cap, n, sizeof *w->hit, e))
		rc = e->code;
	for (size_t i = 0; i < n && !rc; i++) {
		const struct pam_guide *q = &g->guide[v[i].guide];
		struct kdiff_turn x = letters_of(g, t, &v[i],
					       (uint64_t)q->m + q->k);
		uint64_t beg = i * slot, end = beg + (x.end - x.beg);

		kdiff_copy_put(&x, to, beg);
		to->seg[i] = (struct kdiff_seg){ beg, end, beg + 1, end,
						 false, false };
		w->hit[i] = (struct kdiff_hit){ end, v[i].dist, v[i].guide };
	}
	to->text.n_seg = n;
	return rc;
}

static int
trace_some(struct kdiff_pam *g, const struct kdiff_text *t,
	   struct kdiff_pam_work *w, const struct kdiff_site *v, size_t n,
	   struct kdiff_site_path *paths, struct buf *ops, struct err *e)
{
	int rc = turn_windows(g, t, w, v, n, e);

	if (!rc && array_room(&w->path, &w->path_cap, n, sizeof *w->path, e))
		rc = e->code;
	w->ops.n = 0;
	if (!rc)
		rc = kdiff_trace(g->set, &w->window.text, w->kdiff, w->hit, n,
				 w->path, &w->ops, e);
	for (size_t i = 0; i < n && !rc; i++)
		put_path(g, &v[i], (const uint32_t *)(const void *)w->ops.p +
			 w->path[i].ops, w->path[i].n_ops, &paths[i], ops);
	return rc;
}

/* Sites that are traced at once; windows of those that are not whole stay in
 * the cache. */
static size_t
alike(const struct kdiff_site *v, size_t n)
{
	size_t most = v->whole ? PAM_TRACED : 1024, k = 1;

	while (k < n && k < most && v[k].whole == v->whole)
		k++;
	return k;
}

int
kdiff_pam_trace(struct kdiff_pam *g, const struct kdiff_text *text,
		struct kdiff_pam_work *w, const struct kdiff_site *v,
		size_t n, struct kdiff_site_path *paths, struct buf *ops,
		struct err *e)
{
	bool limited = kdiff_limited(&g->p.max);
	int rc = 0;

	for (size_t i = 0, k; i < n && !rc; i += k) {
		k = limited ? 1 : alike(&v[i], n - i);
		rc = limited ? trace_limited(g, text, w, &v[i], &paths[i],
					     ops, e) :
		     v[i].whole ? trace_whole(g, w, &v[i], k, &paths[i], ops,
					      e) :
		     trace_some(g, text, w, &v[i], k, &paths[i], ops, e);
	}
	return rc || !ops->bad ? rc : err_nomem(e, ops->n);
}
