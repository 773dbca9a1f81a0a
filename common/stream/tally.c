/* SPDX-License-Identifier: MIT */
/* tally.c - TALLY frames: counts of ends by query, strand and edits */
#include <stdlib.h>

#include "stream/codec.h"

enum { MIN_ROW = 4 };

/* Below, at or above 0 as a stands before, at or after b. */
static int
row_cmp(const struct tally_row *a, const struct tally_row *b)
{
	if (a->query.ordinal != b->query.ordinal)
		return a->query.ordinal < b->query.ordinal ? -1 : 1;
	if (a->minus != b->minus)
		return a->minus ? 1 : -1;
	return (a->edits > b->edits) - (a->edits < b->edits);
}

static bool
ascending(const struct tally_row *row, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (row_cmp(row + i - 1, row + i) >= 0)
			return false;
	return true;
}

/* Rows ascend, so those of a query stand together. */
static bool
new_query(const struct tally *t, size_t i)
{
	return i == 0 ||
	       t->row[i].query.ordinal != t->row[i - 1].query.ordinal;
}

static void
put_rows(struct buf *b, const struct tally *t)
{
	size_t n_queries = 0;

	for (size_t i = 0; i < t->n_rows; i++)
		n_queries += new_query(t, i);
	buf_var(b, n_queries);
	for (size_t i = 0; i < t->n_rows; i++)
		if (new_query(t, i))
			query_put(b, &t->row[i].query);
	n_queries = 0;
	for (size_t i = 0; i < t->n_rows; i++) {
		n_queries += new_query(t, i);
		buf_var(b, n_queries - 1);
		buf_u8(b, t->row[i].minus);
		buf_var(b, t->row[i].edits);
		buf_var(b, t->row[i].count);
	}
}

int
tally_encode(struct rec_frame **f, const struct tally *t, struct err *e)
{
	struct buf b = { 0 };
	int rc;

	*f = NULL;
	if (!ascending(t->row, t->n_rows))
		return err_set(e, ERR_FORMAT, "rows of a tally out of order");
	rc = codec_head_put(&b, REC_TALLY, &t->run, &t->receipt, e);
	if (rc) {
		buf_free(&b);
		return rc;
	}
	put_rows(&b, t);
	return codec_frame(f, REC_TALLY, &t->run, &t->receipt, t->n_rows, &b,
			   e);
}

static void
get_row(struct cur *c, struct tally_row *r, const struct query_ref *query,
	size_t n_queries)
{
	uint64_t q = cur_var(c), strand = cur_le(c, 1);

	if (q >= n_queries || strand > 1) {
		c->bad = true;
		return;
	}
	r->query = query[q];
	r->minus = strand;
	r->edits = cur_var(c);
	r->count = cur_var(c);
}

static int
view_rows(struct tally *t, struct cur *c, const struct rec_frame *f,
	  const struct query_ref *query, size_t n_queries, struct err *e)
{
	if (c->bad || !codec_fits(c, f->records, MIN_ROW))
		return codec_bad(f, "bad table of queries, or count", e);
	t->n_rows = f->records;
	t->row = calloc(t->n_rows + 1, sizeof *t->row);
	if (!t->row)
		return err_nomem(e, t->n_rows * sizeof *t->row);
	for (size_t i = 0; i < t->n_rows; i++)
		get_row(c, t->row + i, query, n_queries);
	if (c->bad || cur_left(c))
		return codec_bad(f, "bad row, or something behind", e);
	if (!ascending(t->row, t->n_rows))
		return codec_bad(f, "rows out of order", e);
	return 0;
}

int
tally_view(struct tally *t, const struct rec_frame *f, struct err *e)
{
	struct cur c = cur_of(f->payload, f->n);
	struct query_ref *query = NULL;
	size_t n_queries;
	int rc;

	memset(t, 0, sizeof *t);
	if (f->type != REC_TALLY)
		return codec_bad(f, "no TALLY frame", e);
	rc = codec_head_get(&c, f, &t->run, &t->receipt, e);
	if (rc == 0)
		rc = queries_get(&c, &query, &n_queries, e);
	if (rc == 0)
		rc = view_rows(t, &c, f, query, n_queries, e);
	free(query);
	if (rc)
		tally_free(t);
	return rc;
}

void
tally_free(struct tally *t)
{
	free(t->row);
	free(t->receipt.range);
	memset(t, 0, sizeof *t);
}
