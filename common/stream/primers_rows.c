/* SPDX-License-Identifier: MIT */
/* primers_rows.c - from merged ends to primers, and to frames */
#include <stdlib.h>

#include "base/minmax.h"
#include "stream/primers_priv.h"

static bool
may_stand(const struct primer_rule *r, uint8_t c)
{
	return r->literal || c == 'A' || c == 'C' || c == 'G' || c == 'T';
}

/*
 * Starts [j, seg), all letters of which may stand in a primer.  What an end is
 * at least never decreases along the starts, so the search for the first one
 * that satisfies --three-prime goes on where the last one ended; and once
 * there is none within the segment, no later start has one.  Ends that
 * --max-len cut short lead to primers that are too long, so to none.
 */
static void
segment_ends(const struct primer_rule *r, const struct primer_strand *s,
	     uint64_t j, uint64_t seg, uint64_t *to)
{
	uint64_t end = 0;

	for (; j < seg; j++) {
		end = max_u64(max_u64(end, s->end[j] + 1),
			  j + max_u64(r->tail, r->min_len));
		while (r->tail && end <= seg && s->end3[end - r->tail] >= end)
			end++;
		if (end > seg)
			break;
		to[j] = r->max_len && end - j > r->max_len ? 0 : end;
	}
	for (; j < seg; j++)
		to[j] = 0;
}

void
primer_ends(const struct primer_rule *r, const struct primer_strand *s,
	    uint64_t *to)
{
	for (uint64_t j = 0, seg; j < s->len; j = seg) {
		seg = j;
		while (seg < s->len && may_stand(r, s->letters[seg]))
			seg++;
		segment_ends(r, s, j, seg, to);
		if (seg < s->len)
			to[seg++] = 0;
	}
	primers_drop(r, s, to);
}

/* One strand of a target put together; arrays are owned. */
struct whole {
	struct primer_strand s;
	uint8_t *letters;
	uint64_t *end, *end3, *to;
};

static void
whole_free(struct whole *w)
{
	free(w->letters);
	free(w->end);
	free(w->end3);
	free(w->to);
}

static int
join(struct whole *w, const struct stretch *v, size_t n, struct err *e)
{
	size_t len = (size_t)v->part.target.len;

	w->letters = malloc(len);
	w->end = malloc(len * sizeof *w->end);
	w->end3 = v->part.end3 ? malloc(len * sizeof *w->end3) : NULL;
	if (!w->letters || !w->end || (v->part.end3 && !w->end3))
		return err_nomem(e, 17 * (uint64_t)len);
	for (size_t i = 0; i < n; i++) {
		const struct primer_part *p = &v[i].part;

		memcpy(w->letters + p->beg, p->letters, p->n);
		memcpy(w->end + p->beg, p->end, p->n * sizeof *p->end);
		if (w->end3 && p->end3)
			memcpy(w->end3 + p->beg, p->end3,
			       p->n * sizeof *p->end3);
	}
	w->s.letters = w->letters;
	w->s.end = w->end;
	w->s.end3 = w->end3;
	return 0;
}

/* v[0..n) are stretches of one strand; without all of them it has no rows,
 * and the ledger, or primers_check(), says so. */
static int
whole_new(struct whole *w, const struct stretch *v, size_t n, struct err *e)
{
	const struct primer_part *p = &v->part;
	struct primer_rule rule;
	uint64_t len = p->target.len, have = 0;
	int r;

	for (size_t i = 0; i < n; i++)
		have += v[i].part.n;
	if (n == 0 || have != len)
		return 0;
	w->s = (struct primer_strand) { len, p->letters, p->end, p->end3 };
	r = n > 1 ? join(w, v, n, e) : 0;
	if (r == 0)
		r = primer_rule(&rule, p->options, e);
	if (r < 0)
		return r;
	w->to = malloc((size_t)len * sizeof *w->to);
	if (!w->to)
		return err_nomem(e, len * sizeof *w->to);
	primer_ends(&rule, &w->s, w->to);
	return 0;
}

struct target_rows {
	struct primer_row row;	/* what all have in common */
	struct whole plus, minus;
	uint64_t i, j;		/* next start; starts left of the complement */
	const struct primer_site *site;	/* of the next row, or NULL */
	int (*put)(void *ctx, const struct primer_row *r, struct err *e);
	void *ctx;
};

static int
put_row(struct target_rows *t, const struct primer_strand *s, uint64_t beg,
	uint64_t end, bool minus, struct err *e)
{
	struct primer_row r = t->row;

	r.minus = minus;
	r.beg = minus ? s->len - end : beg;
	r.end = minus ? s->len - beg : end;
	r.sequence = (struct str) { (const char *)s->letters + beg,
				    (size_t)(end - beg) };
	r.site = t->site;
	if (t->site)
		t->site++;
	return t->put(t->ctx, &r, e);
}

/*
 * Both strands by beg.  Ends do not decrease along the complement, so from its
 * last start to its first one the primers' forward begins do not, either; of
 * equal begins the one that ends first comes first.
 */
static int
put_rows(struct target_rows *t, struct err *e)
{
	const struct whole *p = &t->plus, *m = &t->minus;
	int r = 0;

	t->i = 0;
	t->j = m->to ? m->s.len : 0;
	while (r == 0) {
		while (p->to && t->i < p->s.len && !p->to[t->i])
			t->i++;
		while (t->j && !m->to[t->j - 1])
			t->j--;
		if (p->to && t->i < p->s.len &&
		    (!t->j || t->i <= m->s.len - m->to[t->j - 1])) {
			r = put_row(t, &p->s, t->i, p->to[t->i], false, e);
			t->i++;
		} else if (t->j) {
			t->j--;
			r = put_row(t, &m->s, t->j, m->to[t->j], true, e);
		} else {
			break;
		}
	}
	return r;
}

void
primers_set_sites(struct primers *p, const struct primer_site *site)
{
	p->site = site;
}

int
primers_rows(struct primers *p,
	     int (*row)(void *ctx, const struct primer_row *r,
			struct err *e), void *ctx, struct err *e)
{
	const struct primer_site *site = p->site;
	int r = 0;

	for (size_t i = 0, k; i < p->n && r == 0; i = k) {
		struct target_rows t = { .put = row, .ctx = ctx,
					 .site = site };
		struct primer_rule rule;
		size_t mid = i;

		k = primers_target_end(p, i);
		while (mid < k && !p->v[mid].part.minus)
			mid++;
		t.row.target = p->v[i].part.target;
		t.row.run = p->v[i].run_id;
		r = primer_rule(&rule, p->v[i].part.options, e);
		t.row.k = rule.k;
		if (r == 0)
			r = whole_new(&t.plus, p->v + i, mid - i, e);
		if (r == 0)
			r = whole_new(&t.minus, p->v + mid, k - mid, e);
		if (r == 0)
			r = put_rows(&t, e);
		site = t.site;
		whole_free(&t.plus);
		whole_free(&t.minus);
	}
	return r;
}

/* The first stretch of a scan of a run, by the order of primers_finish(). */
static size_t
stretches_from(const struct primers *p, uint64_t run,
	       const struct scan_key *scan)
{
	size_t r = index_number(&p->runs.by_id, run, 0);
	size_t s = index_number(&p->scans.by_id, scan->id, scan->rule);
	size_t lo = 0, hi = p->n;
	uint64_t run_rank, scan_rank;

	if (!r || !s)
		return p->n;
	run_rank = p->runs.v[r - 1].rank;
	scan_rank = p->scans.v[s - 1].rank;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		uint64_t rank = p->runs.v[p->v[mid].run].rank;

		if (rank < run_rank ||
		    (rank == run_rank &&
		     p->scans.v[p->v[mid].scan].rank < scan_rank))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < p->n && p->v[lo].run == r - 1 && p->v[lo].scan == s - 1 ?
	       lo : p->n;
}

int
primers_frames(struct primers *p, const struct run_key *run,
	       const struct receipt *t,
	       int (*put)(void *ctx, struct rec_frame *f, struct err *e),
	       void *ctx, struct err *e)
{
	size_t i = stretches_from(p, run->id, &t->scan), k;
	int r = 0;

	for (k = i; k < p->n && p->v[k].run == p->v[i].run &&
		    p->v[k].scan == p->v[i].scan; k++)
		/* no serial is covered: of a scan of nothing, or what is left
		 * of receipts that were cut, and stands for none */
		if (!t->n_ranges && p->v[k].frames !=
		    primers_receipts(p, &p->v[k]))
			return 0;
	for (size_t j = i; j < k && r == 0; j++) {
		struct primer_part part = p->v[j].part;
		struct rec_frame *f;

		part.run = *run;
		part.receipt = *t;
		part.receipt.number = (uint32_t)(j - i);
		part.receipt.last = j + 1 == k;
		r = primer_encode(&f, &part, e);
		if (r == 0)
			r = put(ctx, f, e);
	}
	return r;
}
