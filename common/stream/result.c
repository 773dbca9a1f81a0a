/* SPDX-License-Identifier: MIT */
/*
 * result.c - result frames: what all of them share, and DONE
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
 *		var n, n QUERY		the table of queries
 *		var n, n SUBJECT	the table of subjects
 *		rows:
 *		var	index in the table of queries
 *		var	index in the table of subjects
 *		u8	1 minus strand, 2 edits, 4 CIGAR, 8 letters, 16 sbeg is
 *			not known (then neither CIGAR nor letters); others 0
 *		var	send <= subject's length, if known
 *		var	send - sbeg <= send; not with 16
 *		var	qbeg
 *		var	qend - qbeg; qend <= query's length
 *		zigzag	score
 *		var	edits; with 2
 *		var n, n var	CIGAR operations, n > 0, length << 4 | code, as
 *			BAM's, length > 0; with 4.  M I D S = X only, S only at
 *			the ends; they consume qend - qbeg and send - sbeg
 *			letters (S none of these, but fits into the query)
 *		str	letters, send - sbeg of them; with 8
 *
 * TALLY	RUNKEY RECEIPT
 *		var n, n QUERY		ascending by ordinal
 *		rows, ascending by query, strand, edits:
 *		var	index in the table
 *		u8	0 plus, 1 minus
 *		var	edits
 *		var	count
 *
 * PRIMER	RUNKEY RECEIPT; the header's records are 1
 *		QUERY	the target, of one letter at least
 *		str	options, canonical text
 *		u8	1 reverse complement, 2 second array; others 0
 *		var	beg, a multiple of 2^22, below the target's length
 *		u8...	letters: of n starts, n the smaller of 2^22 and what
 *			the target has from beg on
 *		n var	end[j] - end[j - 1], with end[-1] = beg; each
 *			beg + j <= end[j] <= the target's length
 *		n var	the same for end3; with 2
 *
 * DIST		RUNKEY RECEIPT
 *		str	metric
 *		u8	1 weighted, 2 queries, 4 logarithms; others 0
 *		var n, n QUERY	with 2
 *		var n, n SUBJECT	names
 *		rows:
 *		var	a, index in the queries, without any in the names
 *		var	b, index in the names; without queries a's ordinal is
 *			below b's
 *		f64	value (weighted: mean), finite
 *		f64 f64 f64 var		weighted_mean, min, max, pairs; with 1;
 *			without pairs all values are 0
 *		f64	binary logarithm of pairs, from 64 to 2^40; with 4,
 *			where pairs is 2^64 - 1
 *
 * DONE		RUNKEY RECEIPT; no rows
 *
 * Scan rules: HITS union, least, class (which needs sbeg: no 16) or best, TALLY
 * sum, PRIMER max, DIST union, DONE any.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "stream/codec.h"

int
codec_bad(const struct rec_frame *f, const char *what, struct err *e)
{
	return err_set(e, ERR_FORMAT,
		       "%s frame of run %016" PRIx64 ", serial %" PRIu64
		       ": %s", rec_type_name(f->type), f->run, f->serial,
		       what);
}

/* May a frame of this type belong to a scan of this rule? */
static bool
rule_ok(unsigned type, enum scan_rule rule)
{
	switch (type) {
	case REC_HITS: return rule == SCAN_UNION || rule == SCAN_LEAST ||
			      rule == SCAN_CLASS || rule == SCAN_BEST;
	case REC_TALLY: return rule == SCAN_SUM;
	case REC_PRIMER: return rule == SCAN_MAX;
	case REC_DIST: return rule == SCAN_UNION;
	default: return rule < SCAN_RULES;
	}
}

uint64_t
codec_serial(const struct receipt *r)
{
	return r->n_ranges ? r->range[0].first : 0;
}

int
codec_head_put(struct buf *b, unsigned type, const struct run_key *run,
	       const struct receipt *r, struct err *e)
{
	if (!rule_ok(type, r->scan.rule))
		return err_set(e, ERR_FORMAT,
			       "%s frames of a scan whose rule is %d",
			       rec_type_name(type), (int)r->scan.rule);
	run_key_put(b, run);
	receipt_put(b, r);
	return 0;
}

/* free() that leaves no dangling range behind. */
static void
receipt_clear(struct receipt *r)
{
	free(r->range);
	r->range = NULL;
	r->n_ranges = 0;
}

int
codec_head_get(struct cur *c, const struct rec_frame *f, struct run_key *run,
	       struct receipt *r, struct err *e)
{
	memset(r, 0, sizeof *r);
	run_key_get(c, f->run, run);
	receipt_get(c, r);
	r->unmerged = f->flags & REC_UNMERGED;
	if (c->bad) {
		size_t wanted = r->n_ranges;

		receipt_clear(r);
		if (wanted)
			return err_nomem(e, wanted * sizeof *r->range);
		return codec_bad(f, "bad run key or receipt", e);
	}
	if (!rule_ok(f->type, r->scan.rule)) {
		receipt_clear(r);
		return codec_bad(f, "not a frame for the rule of its scan", e);
	}
	if (f->serial != codec_serial(r)) {
		receipt_clear(r);
		return codec_bad(f, "its receipt has another first serial", e);
	}
	return 0;
}

void
query_put(struct buf *b, const struct query_ref *q)
{
	buf_var(b, q->ordinal);
	buf_var(b, q->len);
	buf_str(b, q->name.p, q->name.n);
}

void
query_get(struct cur *c, struct query_ref *q)
{
	q->ordinal = cur_var(c);
	q->len = cur_var(c);
	q->name = cur_str(c);
}

void
subject_put(struct buf *b, const struct subject_ref *s)
{
	buf_var(b, s->ordinal);
	buf_var(b, s->len + 1);	/* LEN_UNKNOWN + 1 is 0 */
	buf_str(b, s->name.p, s->name.n);
}

void
subject_get(struct cur *c, struct subject_ref *s)
{
	s->ordinal = cur_var(c);
	s->len = cur_var(c) - 1;
	s->name = cur_str(c);
}

bool
codec_fits(struct cur *c, uint64_t n, size_t min_bytes)
{
	if (n > cur_left(c) / min_bytes)
		c->bad = true;
	return !c->bad;
}

size_t
codec_count(struct cur *c, size_t min_bytes)
{
	uint64_t n = cur_var(c);

	return codec_fits(c, n, min_bytes) ? (size_t)n : 0;
}

int
queries_get(struct cur *c, struct query_ref **q, size_t *n, struct err *e)
{
	*n = codec_count(c, 3);
	*q = *n ? calloc(*n, sizeof **q) : NULL;
	if (*n && !*q)
		return err_nomem(e, *n * sizeof **q);
	for (size_t i = 0; i < *n; i++)
		query_get(c, *q + i);
	return 0;
}

int
subjects_get(struct cur *c, struct subject_ref **s, size_t *n, struct err *e)
{
	*n = codec_count(c, 3);
	*s = *n ? calloc(*n, sizeof **s) : NULL;
	if (*n && !*s)
		return err_nomem(e, *n * sizeof **s);
	for (size_t i = 0; i < *n; i++)
		subject_get(c, *s + i);
	return 0;
}

static int
fill_frame(struct rec_frame **f, unsigned type, const struct run_key *run,
	   const struct receipt *r, size_t records, const struct buf *payload,
	   struct err *e)
{
	if (payload->bad)
		return err_nomem(e, payload->n);
	if (payload->n > REC_MAX_PAYLOAD || records > UINT32_MAX)
		return err_set(e, ERR_LIMIT,
			       "a %s frame of %zu bytes and %zu rows is too "
			       "large", rec_type_name(type), payload->n,
			       records);
	*f = rec_frame_new(payload->n);
	if (!*f)
		return err_nomem(e, payload->n);
	if (payload->n)
		memcpy((*f)->payload, payload->p, payload->n);
	(*f)->n = payload->n;
	(*f)->type = (uint8_t)type;
	(*f)->flags = r->unmerged ? REC_UNMERGED : 0;
	(*f)->records = (uint32_t)records;
	(*f)->run = run->id;
	(*f)->serial = codec_serial(r);
	return 0;
}

int
codec_frame(struct rec_frame **f, unsigned type, const struct run_key *run,
	    const struct receipt *r, size_t records, struct buf *payload,
	    struct err *e)
{
	int rc;

	*f = NULL;
	rc = fill_frame(f, type, run, r, records, payload, e);
	buf_free(payload);
	return rc;
}

int
done_encode(struct rec_frame **f, const struct run_key *run,
	    const struct receipt *r, struct err *e)
{
	struct buf b = { 0 };
	int rc;

	*f = NULL;
	rc = codec_head_put(&b, REC_DONE, run, r, e);
	if (rc) {
		buf_free(&b);
		return rc;
	}
	return codec_frame(f, REC_DONE, run, r, 0, &b, e);
}

int
result_body(const struct rec_frame *f, struct run_key *run, struct receipt *r,
	    struct str *body, struct err *e)
{
	struct cur c = cur_of(f->payload, f->n);
	int rc;

	memset(r, 0, sizeof *r);
	if (f->type < REC_HITS || f->type > REC_DONE)
		return codec_bad(f, "no result", e);
	rc = codec_head_get(&c, f, run, r, e);
	if (rc)
		return rc;
	if (f->type == REC_DONE && (cur_left(&c) || f->records)) {
		receipt_clear(r);
		return codec_bad(f, "something behind the receipt", e);
	}
	*body = (struct str){ (const char *)c.p, cur_left(&c) };
	return 0;
}

int
result_head(const struct rec_frame *f, struct run_key *run, struct receipt *r,
	    struct err *e)
{
	struct str body;

	return result_body(f, run, r, &body, e);
}
