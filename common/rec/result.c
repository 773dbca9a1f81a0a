/* SPDX-License-Identifier: MIT */
/* result.c - what results hold; TALLY, PRIMER and DIST (HITS: hits.c) */

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "rec/rec.h"

/*
 * Payloads of results
 *
 * Numbers are little-endian; var is LEB128 (7 bits a byte, low ones first),
 * zigzag a var of (v << 1) ^ (v >> 63), str a var length and as many bytes,
 * f64 an IEEE 754 double.  RUNKEY and RECEIPT are run.c's.  The header's run
 * is the run's id, its serial the first serial of the receipt (0 if it has no
 * range), its records the number of rows.  Nothing stands behind the last row.
 *
 * QUERY	var ordinal, var length, str name
 * SUBJECT	var ordinal, var length + 1 (0: not known), str name
 *
 * HITS		RUNKEY RECEIPT
 * 		var n, n QUERY		the table of queries
 * 		var n, n SUBJECT	the table of subjects
 * 		rows:
 * 		var	index in the table of queries
 * 		var	index in the table of subjects
 * 		u8	1 minus strand, 2 edits, 4 CIGAR, 8 letters, 16 sbeg is
 * 			not known (then neither CIGAR nor letters), 32
 * 			off-target score; others 0
 * 		var	send <= subject's length, if known
 * 		var	send - sbeg <= send; not with 16
 * 		var	qbeg
 * 		var	qend - qbeg; qend <= query's length
 * 		zigzag	score
 * 		var	edits; with 2
 * 		var	off-target score, 10^9 at most; with 32
 * 		var n, n var	CIGAR operations, n > 0, length << 4 | code, as
 * 			BAM's, length > 0; with 4.  M I D S = X only, S only at
 * 			the ends; they consume qend - qbeg and send - sbeg
 * 			letters (S none of these, but fits into the query)
 * 		str	letters, send - sbeg of them; with 8
 *
 * TALLY	RUNKEY RECEIPT
 * 		var n, n QUERY		ascending by ordinal
 * 		rows, ascending by query, strand, edits:
 * 		var	index in the table
 * 		u8	0 plus, 1 minus
 * 		var	edits
 * 		var	count
 *
 * PRIMER	RUNKEY RECEIPT; the header's records are 1
 * 		QUERY	the target, of one letter at least
 * 		str	options, canonical text
 * 		u8	1 reverse complement, 2 second array; others 0
 * 		var	beg, a multiple of 2^22, below the target's length
 * 		u8...	letters: of n starts, n the smaller of 2^22 and what
 * 			the target has from beg on
 * 		n var	end[j] - end[j - 1], with end[-1] = beg; each
 * 			beg + j <= end[j] <= the target's length
 * 		n var	the same for end3; with 2
 *
 * DIST		RUNKEY RECEIPT
 * 		str	metric
 * 		u8	1 weighted, 2 queries, 4 logarithms; others 0
 * 		var n, n QUERY	with 2
 * 		var n, n SUBJECT	names
 * 		rows:
 * 		var	a, index in the queries, without any in the names
 * 		var	b, index in the names; without queries a's ordinal is
 * 			below b's
 * 		f64	value (weighted: mean), finite
 * 		f64 f64 f64 var		weighted_mean, min, max, pairs; with 1;
 * 			without pairs all values are 0
 * 		f64	binary logarithm of pairs, from 64 to 2^40; with 4,
 * 			where pairs is 2^64 - 1
 *
 * DONE		RUNKEY RECEIPT; no rows
 *
 * Scan rules: HITS union, least, class (which needs sbeg: no 16) or best, TALLY
 * sum, PRIMER max, DIST union, DONE any.
 */

/* TALLY frames: counts of ends by query, strand and edits. */

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
tally_put_rows(struct buf *b, const struct tally *t)
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
	if (rc == 0)
		tally_put_rows(&b, t);
	return codec_frame(f, REC_TALLY, &t->run, &t->receipt, t->n_rows, &b,
			   rc, e);
}

static void
tally_get_row(struct cur *c, struct tally_row *r, const struct query_ref *query,
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
tally_view_rows(struct tally *t, struct cur *c, const struct rec_frame *f,
	  const struct query_ref *query, size_t n_queries, struct err *e)
{
	if (c->bad || !codec_fits(c, f->records, MIN_ROW))
		return codec_bad(f, "bad table of queries, or count", e);
	t->n_rows = f->records;
	t->row = calloc(t->n_rows + 1, sizeof *t->row);
	if (!t->row)
		return err_nomem(e, t->n_rows * sizeof *t->row);
	for (size_t i = 0; i < t->n_rows; i++)
		tally_get_row(c, t->row + i, query, n_queries);
	if (c->bad || cur_left(c))
		return codec_bad(f, "bad row, or something behind", e);
	if (!ascending(t->row, t->n_rows))
		return codec_bad(f, "rows out of order", e);
	return 0;
}

int
tally_view(struct tally *t, const struct rec_frame *f, struct err *e)
{
	struct query_ref *query = NULL;
	size_t n_queries;
	struct cur c;
	int rc;

	memset(t, 0, sizeof *t);
	rc = codec_open(&c, f, REC_TALLY, &t->run, &t->receipt, e);
	if (rc == 0)
		rc = queries_get(&c, &query, &n_queries, e);
	if (rc == 0)
		rc = tally_view_rows(t, &c, f, query, n_queries, e);
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

/* PRIMER frames: end() of a stretch of a target. */

enum { PART_MINUS = 1, PART_END3 = 2 };

/* Why the part's head cannot be, or NULL. */
static const char *
head_fault(const struct primer_part *p)
{
	if (p->beg >= p->target.len)
		return "no starts";
	if (p->beg % PRIMER_SPLIT)
		return "a stretch that begins where none does";
	return NULL;
}

/* Ends never decrease, and none lies before its start. */
static bool
ends_ok(const struct primer_part *p, const uint64_t *end)
{
	for (size_t i = 0; i < p->n; i++)
		if (end[i] < p->beg + i || end[i] > p->target.len ||
		    (i && end[i] < end[i - 1]))
			return false;
	return true;
}

/* Steps are mostly 0 or 1: one byte each. */
static void
put_ends(struct buf *b, const struct primer_part *p, const uint64_t *end)
{
	uint64_t before = p->beg;

	for (size_t i = 0; i < p->n; i++) {
		buf_var(b, end[i] - before);
		before = end[i];
	}
}

static int
put_part(struct buf *b, const struct primer_part *p, struct err *e)
{
	const char *fault = head_fault(p);

	if (!fault && p->n != primer_starts(p->target.len, p->beg))
		fault = "a stretch that ends where none does";
	if (!fault && (!ends_ok(p, p->end) ||
		       (p->end3 && !ends_ok(p, p->end3))))
		fault = "ends that cannot be";
	if (fault)
		return err_set(e, ERR_FORMAT, "primers: %s", fault);
	query_put(b, &p->target);
	buf_str(b, p->options.p, p->options.n);
	buf_u8(b, (uint8_t)((p->minus ? PART_MINUS : 0) |
			    (p->end3 ? PART_END3 : 0)));
	buf_var(b, p->beg);
	buf_put(b, p->letters, p->n);
	put_ends(b, p, p->end);
	if (p->end3)
		put_ends(b, p, p->end3);
	return 0;
}

int
primer_encode(struct rec_frame **f, const struct primer_part *p, struct err *e)
{
	struct buf b = { 0 };
	int rc = codec_head_put(&b, REC_PRIMER, &p->run, &p->receipt, e);

	if (rc == 0)
		rc = put_part(&b, p, e);
	return codec_frame(f, REC_PRIMER, &p->run, &p->receipt, 1, &b, rc, e);
}

/* ERR_NOMEM; c->bad for what is malformed. */
static int
get_ends(struct cur *c, const struct primer_part *p, uint64_t **end,
	 struct err *e)
{
	uint64_t at = p->beg;

	if (!codec_fits(c, p->n, 1))
		return 0;
	*end = malloc(p->n * sizeof **end);
	if (!*end)
		return err_nomem(e, p->n * sizeof **end);
	for (size_t i = 0; i < p->n; i++) {
		uint64_t step = cur_var(c);

		if (step > p->target.len - at)
			c->bad = true;
		at += c->bad ? 0 : step;
		(*end)[i] = at;
	}
	if (!ends_ok(p, *end))
		c->bad = true;
	return 0;
}

static int
view_part(struct primer_part *p, struct cur *c, const struct rec_frame *f,
	  struct err *e)
{
	uint64_t flags;
	int rc;

	query_get(c, &p->target);
	p->options = cur_str(c);
	flags = cur_le(c, 1);
	p->minus = flags & PART_MINUS;
	p->beg = cur_var(c);
	if (c->bad || flags & ~(uint64_t)(PART_MINUS | PART_END3) ||
	    f->records != 1)
		return codec_bad(f, "bad head of a part", e);
	if (head_fault(p))
		return codec_bad(f, head_fault(p), e);
	p->n = primer_starts(p->target.len, p->beg);
	p->letters = cur_take(c, p->n);
	if (c->bad)
		return codec_bad(f, "fewer letters than starts", e);
	rc = get_ends(c, p, &p->end, e);
	if (rc == 0 && flags & PART_END3)
		rc = get_ends(c, p, &p->end3, e);
	if (rc == 0 && (c->bad || cur_left(c)))
		return codec_bad(f, "bad ends, or something behind", e);
	return rc;
}

int
primer_view(struct primer_part *p, const struct rec_frame *f, struct err *e)
{
	struct cur c;
	int rc;

	memset(p, 0, sizeof *p);
	rc = codec_open(&c, f, REC_PRIMER, &p->run, &p->receipt, e);
	if (rc == 0)
		rc = view_part(p, &c, f, e);
	if (rc)
		primer_free(p);
	return rc;
}

void
primer_free(struct primer_part *p)
{
	free(p->end);
	free(p->end3);
	free(p->receipt.range);
	memset(p, 0, sizeof *p);
}

/* DIST frames: distances of pairs of sequences. */

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

static struct dist_row
row_of(const struct dist *d, size_t i)
{
	if (!d->pair)
		return d->row[i];
	return (struct dist_row){ .a = d->pair[i].a, .b = d->pair[i].b,
				  .value = d->pair[i].value };
}

static int
dist_put_rows(struct buf *b, const struct dist *d, struct err *e)
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
		struct dist_row r = row_of(d, i);

		if (!row_ok(d, &r))
			return err_set(e, ERR_FORMAT,
				       "a distance that is no number, or of "
				       "what has no name");
		buf_var(b, r.a);
		buf_var(b, r.b);
		put_f64(b, r.value);
		if (d->weighted)
			put_weighted(b, &r, logs);
	}
	return 0;
}

int
dist_encode(struct rec_frame **f, const struct dist *d, struct err *e)
{
	struct buf b = { 0 };
	int rc = codec_head_put(&b, REC_DIST, &d->run, &d->receipt, e);

	if (rc == 0)
		rc = dist_put_rows(&b, d, e);
	return codec_frame(f, REC_DIST, &d->run, &d->receipt, d->n_rows, &b,
			   rc, e);
}

static void
dist_get_row(struct cur *c, const struct dist *d, bool logs, struct dist_row *r)
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
dist_view_rows(struct dist *d, struct cur *c, const struct rec_frame *f,
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
		dist_get_row(c, d, flags & DIST_LOGS, d->row + i);
	if (c->bad || cur_left(c))
		return codec_bad(f, "bad row, or something behind", e);
	return 0;
}

int
dist_view(struct dist *d, const struct rec_frame *f, struct err *e)
{
	struct cur c;
	int rc;

	memset(d, 0, sizeof *d);
	rc = codec_open(&c, f, REC_DIST, &d->run, &d->receipt, e);
	if (rc == 0)
		rc = dist_view_rows(d, &c, f, e);
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
	free(d->pair);
	free(d->receipt.range);
	memset(d, 0, sizeof *d);
}
