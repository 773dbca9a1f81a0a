/* SPDX-License-Identifier: MIT */
/*
 * asm_top.c - the best hits of each query in a chunk, for --max-hits n
 *
 * The table has the n best of each query, by edits and then by place: so no
 * hit of a chunk is in it that n hits of the chunk precede, and only the
 * others are traced back.  Hits at one place, of two strands, are ordered by
 * what is known of them later, so they do not precede each other.
 *
 * A part keeps what no n hits of the part precede.  Of these, and in the same
 * way, the chunk keeps its own: the n that precede a hit in the chunk are
 * kept by their parts, or n others that precede them are.  So the parts do not
 * show in the outcome.
 */

#include <stdlib.h>

#include "scan/asm/asm_priv.h"

/* Of one query.  First pass: */
struct asm_top_query {
	/*
	 * Of the hits so far fewer than n, `below`, have less than `limit`
	 * edits, and with those of `limit` edits they are n.  Unless limit is
	 * k + 1, none behind them with so many edits is wanted; at the place
	 * that came last, before_limit counts.
	 */
	uint32_t limit, before_limit;
	uint64_t below, place;
	/* Second pass: those with `limit` edits, and before the last place. */
	uint64_t ties, before_ties;
};

/* The query's first pattern. */
static size_t
first_of(const struct asm_scan *a, size_t query)
{
	return a->o.strands == ASM_BOTH ? 2 * query : query;
}

/* Numbers of the query's hits by edits. */
static uint64_t *
counts_of(struct asm_top *t, uint32_t query)
{
	return t->counts + t->a->pattern[first_of(t->a, query)].count;
}

int
asm_top_begin(struct asm_top *t, const struct asm_scan *a, struct err *e)
{
	size_t n = a->n_counts * sizeof *t->counts;

	if (!t->counts) {
		t->a = a;
		t->counts = malloc(n);
		t->query = malloc(a->q->n * sizeof *t->query);
	}
	if (!t->counts || !t->query) {
		asm_top_free(t);
		return err_nomem(e, n + a->q->n * sizeof *t->query);
	}
	memset(t->counts, 0, n);
	for (size_t i = 0; i < a->q->n; i++) {
		uint32_t most = (uint32_t)a->pattern[first_of(a, i)].k + 1;

		t->query[i] = (struct asm_top_query){
			.limit = most, .before_limit = most,
			.place = UINT64_MAX,
		};
	}
	return 0;
}

void
asm_top_free(struct asm_top *t)
{
	free(t->counts);
	free(t->query);
	t->counts = NULL;
	t->query = NULL;
}

bool
asm_top_wants(struct asm_top *t, uint32_t query, uint32_t edits,
	      uint64_t place)
{
	struct asm_top_query *q = &t->query[query];
	uint64_t *count = counts_of(t, query);

	if (place != q->place) {
		q->place = place;
		q->before_limit = q->limit;
	}
	if (edits >= q->before_limit)
		return false;
	count[edits]++;
	q->below += edits < q->limit;
	while (q->below >= (uint64_t)t->a->o.max_hits)
		q->below -= count[--q->limit];
	return true;
}

bool
asm_top_keeps(struct asm_top *t, uint32_t query, uint32_t edits,
	      uint64_t place)
{
	struct asm_top_query *q = &t->query[query];

	if (edits != q->limit)
		return edits < q->limit;
	/* the places of the first pass are no longer needed */
	if (place != q->place || !q->ties) {
		q->place = place;
		q->before_ties = q->ties;
	}
	q->ties++;
	return q->below + q->before_ties < (uint64_t)t->a->o.max_hits;
}

/* The rows of all n parts, in order; pass 2 adds those that stay to w. */
static int
each_row(struct asm_top *t, const struct buf *rows, unsigned n, struct buf *ops,
	 struct hits_writer *w, struct err *e)
{
	uint64_t subject = UINT64_MAX, send = 0, place = 0;
	int rc = 0;

	for (unsigned i = 0; i < n; i++) {
		struct cur at = cur_of(rows[i].p, rows[i].n);
		struct scan_best_row r;

		while (!rc && cur_left(&at)) {
			rc = scan_best_get(&at, &r, ops, e);
			if (rc)
				return rc;
			place += r.h.subject.ordinal != subject ||
				 r.h.send != send;
			subject = r.h.subject.ordinal;
			send = r.h.send;
			if (!w)
				asm_top_wants(t, r.h.query.ordinal,
					      (uint32_t)r.h.edits, place);
			else if (asm_top_keeps(t, r.h.query.ordinal,
					       (uint32_t)r.h.edits, place))
				rc = hits_add(w, &r.h, e);
		}
	}
	return rc;
}

int
asm_top_join(struct asm_top *t, const struct asm_scan *a,
	     const struct buf *rows, unsigned n, struct hits_writer *w,
	     struct buf *ops, struct err *e)
{
	int rc = asm_top_begin(t, a, e);

	if (!rc)
		rc = each_row(t, rows, n, ops, NULL, e);
	return rc ? rc : each_row(t, rows, n, ops, w, e);
}
