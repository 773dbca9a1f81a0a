/* SPDX-License-Identifier: MIT */
/* hits_view.c - HITS frames: reading them row by row */
#include <stdlib.h>

#include "stream/codec.h"

/* Two indices, flags, send, qbeg, qend, score: no row has fewer bytes. */
enum { MIN_ROW = 7 };

static int
view_tables(struct hits_view *v, const struct rec_frame *f, struct err *e)
{
	int rc = queries_get(&v->rows, &v->query, &v->n_queries, e);

	if (rc == 0)
		rc = subjects_get(&v->rows, &v->subject, &v->n_subjects, e);
	if (rc)
		return rc;
	if (v->rows.bad)
		return codec_bad(f, "bad table of names", e);
	v->left = f->records;
	if (!codec_fits(&v->rows, v->left, MIN_ROW))
		return codec_bad(f, "more rows told than there can be", e);
	if (v->left == 0 && cur_left(&v->rows))
		return codec_bad(f, "something behind the last row", e);
	return 0;
}

int
hits_view(struct hits_view *v, const struct rec_frame *f, struct err *e)
{
	int rc;

	memset(v, 0, sizeof *v);
	if (f->type != REC_HITS)
		return codec_bad(f, "no HITS frame", e);
	v->rows = cur_of(f->payload, f->n);
	rc = codec_head_get(&v->rows, f, &v->run, &v->receipt, e);
	if (rc == 0)
		rc = view_tables(v, f, e);
	if (rc)
		hits_view_free(v);
	return rc;
}

static int
row_bad(const char *what, struct err *e)
{
	return err_set(e, ERR_FORMAT, "HITS frame: %s", what);
}

int
hits_next(struct hits_view *v, struct hit *h, struct err *e)
{
	uint64_t q, s;

	if (v->left == 0)
		return 0;
	memset(h, 0, sizeof *h);
	q = cur_var(&v->rows);
	s = cur_var(&v->rows);
	if (v->rows.bad || q >= v->n_queries || s >= v->n_subjects) {
		v->rows.bad = true;
		return row_bad("a row names what no table holds", e);
	}
	h->query = v->query[q];
	h->subject = v->subject[s];
	hit_row_get(&v->rows, h, &v->ops);
	if (v->ops.bad)
		return err_nomem(e, v->ops.n);
	if (v->receipt.scan.rule == SCAN_CLASS && h->flags & HIT_NO_SBEG)
		v->rows.bad = true;
	if (v->rows.bad)
		return row_bad("bad row", e);
	if (--v->left == 0 && cur_left(&v->rows)) {
		v->rows.bad = true;
		v->left = 1;	/* so that asking again fails again */
		return row_bad("something behind the last row", e);
	}
	return 1;
}

void
hits_view_free(struct hits_view *v)
{
	free(v->query);
	free(v->subject);
	free(v->receipt.range);
	buf_free(&v->ops);
	memset(v, 0, sizeof *v);
}

int
hits_each(const struct rec_frame *f, hits_fn *fn, void *ctx, struct err *e)
{
	struct hits_view v;
	struct hit h;
	int rc = hits_view(&v, f, e), got = 0;

	if (rc < 0)
		return rc;
	while (rc >= 0 && (got = hits_next(&v, &h, e)) > 0)
		if (fn)
			rc = fn(ctx, &v, &h, e);
	hits_view_free(&v);
	return rc < 0 ? rc : got;
}
