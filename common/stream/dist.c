/* SPDX-License-Identifier: MIT */
/* dist.c - DIST frames: distances of pairs of sequences */
#include <math.h>
#include <stdlib.h>

#include "stream/codec.h"

/* Rows have the width of their kind at least: two indices and the doubles. */
enum { MIN_PLAIN = 2 + 8, MIN_WEIGHTED = 2 + 4 * 8 + 1 };
enum { DIST_WEIGHTED = 1, DIST_RECT = 2, DIST_LOGS = 4 };
static const double MAX_LOG = 0x1p40;

static void
put_f64(struct buf *b, double v)
{
	uint64_t u;

	memcpy(&u, &v, sizeof u);
	buf_u64(b, u);
}

/* A distance is a number: NaN and infinity are damage. */
static double
get_f64(struct cur *c)
{
	uint64_t u = cur_le(c, 8);
	double v;

	memcpy(&v, &u, sizeof v);
	if (!isfinite(v))
		c->bad = true;
	return v;
}

static bool
row_ok(const struct dist *d, const struct dist_row *r)
{
	if (r->a >= (d->rect ? d->n_queries : d->n_names) ||
	    r->b >= d->n_names || !isfinite(r->value))
		return false;
	if (!d->rect && d->name[r->a].ordinal >= d->name[r->b].ordinal)
		return false;
	if (!d->weighted)
		return true;
	if (r->pairs == 0 && (r->value != 0 || r->weighted_mean != 0 ||
			      r->min != 0 || r->max != 0))
		return false;
	if (r->log2_pairs != 0 &&
	    !(r->pairs == UINT64_MAX && r->log2_pairs >= 64 &&
	      r->log2_pairs <= MAX_LOG))
		return false;
	return isfinite(r->weighted_mean) && isfinite(r->min) &&
	       isfinite(r->max);
}

/* Has a row more pairs than a number holds?  Then all that have say how many:
 * readers of version 0.1 refuse such a frame, and no other. */
static bool
has_logs(const struct dist *d)
{
	for (size_t i = 0; i < d->n_rows && d->weighted; i++)
		if (d->row[i].log2_pairs != 0)
			return true;
	return false;
}

static void
put_weighted(struct buf *b, const struct dist_row *r, bool logs)
{
	put_f64(b, r->weighted_mean);
	put_f64(b, r->min);
	put_f64(b, r->max);
	buf_var(b, r->pairs);
	if (logs && r->pairs == UINT64_MAX)
		put_f64(b, r->log2_pairs);
}

static int
put_rows(struct buf *b, const struct dist *d, struct err *e)
{
	bool logs = has_logs(d);

	buf_str(b, d->metric.p, d->metric.n);
	buf_u8(b, (uint8_t)((d->weighted ? DIST_WEIGHTED : 0) |
			    (d->rect ? DIST_RECT : 0) |
			    (logs ? DIST_LOGS : 0)));
	if (d->rect)
		buf_var(b, d->n_queries);
	for (size_t i = 0; d->rect && i < d->n_queries; i++)
		query_put(b, d->query + i);
	buf_var(b, d->n_names);
	for (size_t i = 0; i < d->n_names; i++)
		subject_put(b, d->name + i);
	for (size_t i = 0; i < d->n_rows; i++) {
		const struct dist_row *r = d->row + i;

		if (!row_ok(d, r))
			return err_set(e, ERR_FORMAT,
				       "a distance that is no number, or of "
				       "what has no name");
		buf_var(b, r->a);
		buf_var(b, r->b);
		put_f64(b, r->value);
		if (d->weighted)
			put_weighted(b, r, logs);
	}
	return 0;
}

int
dist_encode(struct rec_frame **f, const struct dist *d, struct err *e)
{
	struct buf b = { 0 };
	int rc;

	*f = NULL;
	rc = codec_head_put(&b, REC_DIST, &d->run, &d->receipt, e);
	if (rc == 0)
		rc = put_rows(&b, d, e);
	if (rc) {
		buf_free(&b);
		return rc;
	}
	return codec_frame(f, REC_DIST, &d->run, &d->receipt, d->n_rows, &b, e);
}

static void
get_row(struct cur *c, const struct dist *d, bool logs, struct dist_row *r)
{
	r->a = cur_var(c);
	r->b = cur_var(c);
	r->value = get_f64(c);
	if (d->weighted) {
		r->weighted_mean = get_f64(c);
		r->min = get_f64(c);
		r->max = get_f64(c);
		r->pairs = cur_var(c);
		if (logs && r->pairs == UINT64_MAX)
			r->log2_pairs = get_f64(c);
	}
	if (!row_ok(d, r))
		c->bad = true;
}

static int
view_rows(struct dist *d, struct cur *c, const struct rec_frame *f,
	  struct err *e)
{
	uint64_t flags;
	int rc;

	d->metric = cur_str(c);
	flags = cur_le(c, 1);
	if (c->bad || flags & ~(uint64_t)(DIST_WEIGHTED | DIST_RECT |
					   DIST_LOGS))
		return codec_bad(f, "bad metric or kind", e);
	d->weighted = flags & DIST_WEIGHTED;
	d->rect = flags & DIST_RECT;
	rc = d->rect ? queries_get(c, &d->query, &d->n_queries, e) : 0;
	if (rc == 0)
		rc = subjects_get(c, &d->name, &d->n_names, e);
	if (rc)
		return rc;
	if (c->bad || !codec_fits(c, f->records, d->weighted ?
				  MIN_WEIGHTED : MIN_PLAIN))
		return codec_bad(f, "bad table of names, or count", e);
	d->n_rows = f->records;
	d->row = calloc(d->n_rows + 1, sizeof *d->row);
	if (!d->row)
		return err_nomem(e, d->n_rows * sizeof *d->row);
	for (size_t i = 0; i < d->n_rows; i++)
		get_row(c, d, flags & DIST_LOGS, d->row + i);
	if (c->bad || cur_left(c))
		return codec_bad(f, "bad row, or something behind", e);
	return 0;
}

int
dist_view(struct dist *d, const struct rec_frame *f, struct err *e)
{
	struct cur c = cur_of(f->payload, f->n);
	int rc;

	memset(d, 0, sizeof *d);
	if (f->type != REC_DIST)
		return codec_bad(f, "no DIST frame", e);
	rc = codec_head_get(&c, f, &d->run, &d->receipt, e);
	if (rc == 0)
		rc = view_rows(d, &c, f, e);
	if (rc)
		dist_free(d);
	return rc;
}

void
dist_free(struct dist *d)
{
	free(d->query);
	free(d->name);
	free(d->row);
	free(d->receipt.range);
	memset(d, 0, sizeof *d);
}
