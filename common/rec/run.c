/* SPDX-License-Identifier: MIT */
/*
 * run.c - what frames say of their run: keys, receipts and digests; BEGIN, SEQ
 * and END; what all results begin with, and DONE
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "rec/rec.h"

/* Keys of runs and scans, receipts, digests. */

/* A range takes three numbers and a digest. */
enum { RANGE_MIN_BYTES = 3 + 8, RECEIPT_LAST = 1 };

int
run_key_cmp(const struct run_key *a, const struct run_key *b)
{
	int c = str_cmp(a->base, b->base);

	c = c ? c : str_cmp(a->label, b->label);
	c = c ? c : str_cmp(a->first, b->first);
	c = c ? c : cmp_u64(a->hash, b->hash);
	return c ? c : cmp_u64(a->id, b->id);
}

int
scan_key_cmp(const struct scan_key *a, const struct scan_key *b)
{
	int c = str_cmp(a->base, b->base);

	c = c ? c : cmp_u64(a->id, b->id);
	return c ? c : cmp_u64(a->rule, b->rule);
}

void
run_key_put(struct buf *b, const struct run_key *k)
{
	buf_str(b, k->base.p, k->base.n);
	buf_str(b, k->label.p, k->label.n);
	buf_str(b, k->first.p, k->first.n);
	buf_u64(b, k->hash);
}

void
run_key_get(struct cur *c, uint64_t id, struct run_key *k)
{
	k->id = id;
	k->base = cur_str(c);
	k->label = cur_str(c);
	k->first = cur_str(c);
	k->hash = cur_le(c, 8);
}

bool
rec_own(struct buf *text, struct run_key *run, struct scan_key *scan,
	struct str *more)
{
	struct str *s[5];
	size_t n = 0, at = 0;

	if (run) {
		s[n++] = &run->base;
		s[n++] = &run->label;
		s[n++] = &run->first;
	}
	if (scan)
		s[n++] = &scan->base;
	if (more)
		s[n++] = more;
	for (size_t i = 0; i < n; i++)
		buf_put(text, s[i]->p, s[i]->n);
	if (text->bad) {
		buf_free(text);
		return false;
	}
	for (size_t i = 0; i < n; at += s[i++]->n)
		s[i]->p = s[i]->n ? (char *)text->p + at : "";
	return true;
}

uint64_t
ranges_hash(const struct range *r, size_t n)
{
	return n ? hash64(r, n * sizeof *r, 0) : 0;
}

void
receipt_put(struct buf *b, const struct receipt *r)
{
	buf_u64(b, r->scan.id);
	buf_str(b, r->scan.base.p, r->scan.base.n);
	buf_var(b, r->scan.rule);
	buf_var(b, r->last ? RECEIPT_LAST : 0);
	buf_var(b, r->number);
	buf_var(b, r->n_ranges);
	for (size_t i = 0; i < r->n_ranges; i++) {
		const struct range *g = &r->range[i];

		buf_var(b, g->first);
		buf_var(b, g->end - g->first);
		buf_var(b, g->letters);
		buf_u64(b, g->digest);
	}
	buf_var(b, r->n_needs);
	for (size_t i = 0; i < r->n_needs; i++)
		buf_u64(b, r->need[i]);
}

static void
needs_get(struct cur *c, struct receipt *r)
{
	uint64_t n = cur_var(c);

	if (n > RECEIPT_NEEDS)
		c->bad = true;
	for (r->n_needs = 0; !c->bad && r->n_needs < n; r->n_needs++)
		r->need[r->n_needs] = cur_le(c, 8);
}

/* Ranges ascend, are disjoint and not empty. */
static void
ranges_get(struct cur *c, struct receipt *r)
{
	uint64_t from = 0;

	for (size_t i = 0; i < r->n_ranges; i++) {
		struct range *g = &r->range[i];
		uint64_t n;

		g->first = cur_var(c);
		n = cur_var(c);
		g->letters = cur_var(c);
		g->digest = cur_le(c, 8);
		g->end = g->first + n;
		if (g->first < from || g->end <= g->first)
			c->bad = true;
		from = g->end;
	}
}

/* free() that leaves no dangling range behind. */
static void
receipt_clear(struct receipt *r)
{
	free(r->range);
	r->range = NULL;
	r->n_ranges = 0;
}

void
receipt_get(struct cur *c, struct receipt *r)
{
	uint64_t rule, flags, number, n;

	memset(r, 0, sizeof *r);
	r->scan.id = cur_le(c, 8);
	r->scan.base = cur_str(c);
	rule = cur_var(c);
	flags = cur_var(c);
	number = cur_var(c);
	n = cur_var(c);
	if (rule >= SCAN_RULES || flags > RECEIPT_LAST ||
	    number > UINT32_MAX || n > cur_left(c) / RANGE_MIN_BYTES)
		c->bad = true;
	if (c->bad)
		return;
	r->scan.rule = (enum scan_rule)rule;
	r->last = flags & RECEIPT_LAST;
	r->number = (uint32_t)number;
	r->n_ranges = (size_t)n;
	if (n)
		r->range = calloc((size_t)n, sizeof *r->range);
	if (n && !r->range) {
		/* n_ranges stays, to distinguish it from damage */
		c->bad = true;
		return;
	}
	ranges_get(c, r);
	needs_get(c, r);
	if (c->bad)
		receipt_clear(r);
}

/* Of version 0.2 and before. */
static uint64_t
old_digest(const struct digest_row *r, const void *letters, size_t n)
{
	uint8_t t[16];
	uint64_t seed;

	put_le(t, r->ordinal, 8);
	put_le(t + 8, r->own_beg, 8);
	seed = hash64(t, sizeof t, 0);
	if (r->kind == DIGEST_NAMES)
		seed = hash64(r->name.p, r->name.n, seed);
	return hash64(letters, n, seed);
}

uint64_t
digest_row(const struct digest_row *r, struct digest_order *o,
	   const void *letters, size_t n)
{
	uint64_t d;

	if (r->kind != DIGEST_ADDS)
		return old_digest(r, letters, n);
	d = digest_named(r->name.p, r->name.n, r->own_beg == 0,
			 digest_letters(letters, n, r->at));
	return digest_mul(d, digest_order(o, r->ordinal));
}

/* "type 10" to "type 19" for t = 1 */
#define TEN(t)                                                              \
	"type " #t "0", "type " #t "1", "type " #t "2", "type " #t "3",     \
	    "type " #t "4", "type " #t "5", "type " #t "6", "type " #t "7", \
	    "type " #t "8", "type " #t "9"

const char *
rec_type_name(unsigned type)
{
	static const char *const names[256] = {
		"type 0", "BEGIN", "CHUNK", "SEQ", "HITS", "TALLY", "PRIMER",
		"DIST", "DONE", "END",
		TEN(1), TEN(2), TEN(3), TEN(4), TEN(5), TEN(6), TEN(7),
		TEN(8), TEN(9), TEN(10), TEN(11), TEN(12), TEN(13), TEN(14),
		TEN(15), TEN(16), TEN(17), TEN(18), TEN(19), TEN(20), TEN(21),
		TEN(22), TEN(23), TEN(24), "type 250", "type 251", "type 252",
		"type 253", "type 254", "type 255",
	};

	return type < 256 ? names[type] : "unknown type";
}

/* BEGIN, SEQ and END payloads. */

/* Make a frame of the payload b, which is freed. */
static int
frame_of(struct rec_frame **f, enum rec_type type, uint64_t run,
	 struct buf *b, struct err *e)
{
	size_t n = b->n;

	*f = b->bad ? NULL : rec_frame_new(n);
	if (*f) {
		(*f)->type = (uint8_t)type;
		(*f)->run = run;
		(*f)->records = 1;
		if (n)
			memcpy((*f)->payload, b->p, n);
	}
	buf_free(b);
	return *f ? 0 : err_nomem(e, n);
}

/* A cursor over the payload, bad at once if the header does not fit. */
static struct cur
open_frame(const struct rec_frame *f, enum rec_type type)
{
	struct cur c = cur_of(f->payload, f->n);

	c.bad = f->type != type || f->serial != 0 || f->records != 1;
	return c;
}

static int
verdict(const struct cur *c, const struct rec_frame *f, struct err *e)
{
	if (c->bad || cur_left(c))
		return err_set(e, ERR_FORMAT, "malformed %s frame",
			       rec_type_name(f->type));
	return 0;
}

int
begin_encode(struct rec_frame **f, const struct begin *b, struct err *e)
{
	struct buf t = { 0 };

	buf_u64(&t, b->scan.id);
	buf_str(&t, b->scan.base.p, b->scan.base.n);
	buf_var(&t, b->scan.rule);
	run_key_put(&t, &b->run);
	buf_put(&t, b->text.p, b->text.n);
	return frame_of(f, REC_BEGIN, b->run.id, &t, e);
}

int
begin_view(struct begin *b, const struct rec_frame *f, struct err *e)
{
	struct cur c = open_frame(f, REC_BEGIN);
	uint64_t rule;

	memset(b, 0, sizeof *b);
	b->scan.id = cur_le(&c, 8);
	b->scan.base = cur_str(&c);
	rule = cur_var(&c);
	c.bad |= rule >= SCAN_RULES;
	b->scan.rule = c.bad ? SCAN_UNION : (enum scan_rule)rule;
	run_key_get(&c, f->run, &b->run);
	b->text.n = cur_left(&c);
	b->text.p = (const char *)cur_take(&c, b->text.n);
	return verdict(&c, f, e);
}

struct str
begin_value(const struct begin *b, const char *key)
{
	struct str v = { NULL, 0 };
	size_t n = strlen(key);
	const char *p = b->text.p, *end = p + b->text.n;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		if (!nl)
			nl = end;
		if ((size_t)(nl - p) > n && memcmp(p, key, n) == 0 &&
		    p[n] == ' ') {
			v.p = p + n + 1;
			v.n = (size_t)(nl - v.p);
			return v;
		}
		p = nl < end ? nl + 1 : end;
	}
	return v;
}

bool
begin_says(const struct begin *b, const char *key, const char *value)
{
	struct str v = begin_value(b, key);

	return v.p && v.n == strlen(value) && memcmp(v.p, value, v.n) == 0;
}

bool
begin_copy(struct begin_own *to, const struct begin *b)
{
	*to = (struct begin_own){ .b = *b };
	return rec_own(&to->text, &to->b.run, &to->b.scan, &to->b.text);
}

int
seq_encode(struct rec_frame **f, uint64_t run, const struct seq *s,
	   struct err *e)
{
	struct buf t = { 0 };

	buf_var(&t, s->ordinal);
	buf_var(&t, s->length);
	buf_str(&t, s->name.p, s->name.n);
	return frame_of(f, REC_SEQ, run, &t, e);
}

int
seq_view(struct seq *s, const struct rec_frame *f, struct err *e)
{
	struct cur c = open_frame(f, REC_SEQ);

	s->ordinal = cur_var(&c);
	s->length = cur_var(&c);
	s->name = cur_str(&c);
	return verdict(&c, f, e);
}

int
end_encode(struct rec_frame **f, const struct run_end *n, struct err *e)
{
	struct buf t = { 0 };
	int rc;

	run_key_put(&t, &n->run);
	buf_var(&t, n->chunks);
	buf_var(&t, n->sequences);
	buf_var(&t, n->letters);
	buf_u64(&t, n->digest);
	rc = frame_of(f, REC_END, n->run.id, &t, e);
	if (rc == 0 && n->kind != DIGEST_LETTERS)
		(*f)->flags = REC_NAMED;
	if (rc == 0 && n->kind == DIGEST_ADDS)
		(*f)->flags |= REC_ADDS;
	return rc;
}

int
end_view(struct run_end *n, const struct rec_frame *f, struct err *e)
{
	struct cur c = open_frame(f, REC_END);

	run_key_get(&c, f->run, &n->run);
	n->chunks = cur_var(&c);
	n->sequences = cur_var(&c);
	n->letters = cur_var(&c);
	n->digest = cur_le(&c, 8);
	n->kind = digest_kind(f->flags);
	return verdict(&c, f, e);
}

struct end_odd
end_odd(const struct run_end *n)
{
	struct end_odd odd = { "" };
	struct str base = n->run.base;

	if (n->sequences == 0)
		snprintf(odd.text, sizeof odd.text,
			 "%.*s: there is no sequence in it",
			 str_shown(base, 200), base.p);
	return odd;
}

/* What all results share (result.c), and DONE. */

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

int
codec_open(struct cur *c, const struct rec_frame *f, enum rec_type type,
	   struct run_key *run, struct receipt *r, struct err *e)
{
	*c = cur_of(f->payload, f->n);
	if (f->type != type)
		return codec_bad(f, "of another type than wanted", e);
	return codec_head_get(c, f, run, r, e);
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

int
codec_frame(struct rec_frame **f, unsigned type, const struct run_key *run,
	    const struct receipt *r, size_t records, struct buf *payload,
	    int rc, struct err *e)
{
	*f = NULL;
	if (rc == 0 && !payload->bad &&
	    (payload->n > REC_MAX_PAYLOAD || records > UINT32_MAX))
		rc = err_set(e, ERR_LIMIT, "a %s frame of %zu bytes and %zu "
			     "rows is too large", rec_type_name(type),
			     payload->n, records);
	if (rc) {
		buf_free(payload);
		return rc;
	}
	rc = frame_of(f, (enum rec_type)type, run->id, payload, e);
	if (rc == 0) {
		(*f)->flags = r->unmerged ? REC_UNMERGED : 0;
		(*f)->records = (uint32_t)records;
		(*f)->serial = codec_serial(r);
	}
	return rc;
}

int
done_encode(struct rec_frame **f, const struct run_key *run,
	    const struct receipt *r, struct err *e)
{
	struct buf b = { 0 };
	int rc = codec_head_put(&b, REC_DONE, run, r, e);

	return codec_frame(f, REC_DONE, run, r, 0, &b, rc, e);
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
