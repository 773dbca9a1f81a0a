/* SPDX-License-Identifier: MIT */
/*
 * hits.c - HITS frames: one hit as bytes, its faults and its order; writing
 * and reading frames
 */

#include <stdlib.h>

#include "base/base.h"
#include "letters/letters.h"
#include "rec/rec.h"

/* Inside of hits: a table of the names that rows speak of. */

/*
 * A table of names by ordinal, length and name.  A name that was used by the
 * row before is found without hashing, as hits come sorted by subject; mostly
 * one of another ordinal, too.
 */
struct hits_entry {
	uint64_t ordinal, len, hash;
	size_t name, n_name;	/* in text */
};

enum { HITS_NEAR = 256 };
struct hits_names {	/* zero it first */
	struct buf entry;	/* struct hits_entry */
	struct buf text;
	uint32_t *slot;		/* entry + 1, or 0; open addressing */
	size_t n_slots;		/* a power of two, or 0 */
	uint32_t n, last;
	uint32_t near[HITS_NEAR];	/* entry + 1 or 0, by ordinal */
};

static inline struct hits_entry *
hits_entry(const struct hits_names *t, uint32_t i)
{
	return (struct hits_entry *)(void *)t->entry.p + i;
}

static inline bool
hits_entry_is(const struct hits_names *t, uint32_t i, uint64_t ordinal,
	      uint64_t len, struct str name)
{
	const struct hits_entry *n = hits_entry(t, i);

	if (n->ordinal != ordinal || n->len != len || n->n_name != name.n)
		return false;
	return name.n == 0 ||
	       memcmp(t->text.p + n->name, name.p, name.n) == 0;
}

static inline struct str
hits_name(const struct hits_names *t, const struct hits_entry *n)
{
	struct str s = { NULL, n->n_name };

	if (n->n_name)
		s.p = (const char *)t->text.p + n->name;
	return s;
}

/* Bytes this table takes in memory, and, nearly, in a frame. */
static inline size_t
hits_names_bytes(const struct hits_names *t)
{
	return t->entry.n + t->text.n;
}

static bool
grow(struct hits_names *t)
{
	size_t n = t->n_slots ? 2 * t->n_slots : 64;
	uint32_t *slot = calloc(n, sizeof *slot);

	if (!slot)
		return false;
	for (uint32_t i = 0; i < t->n; i++) {
		size_t at = hits_entry(t, i)->hash & (n - 1);

		while (slot[at])
			at = (at + 1) & (n - 1);
		slot[at] = i + 1;
	}
	free(t->slot);
	t->slot = slot;
	t->n_slots = n;
	return true;
}

static bool
add(struct hits_names *t, size_t at, const struct hits_entry *key,
    struct str name)
{
	struct hits_entry n = *key;

	n.name = t->text.n;
	n.n_name = name.n;
	buf_put(&t->text, name.p, name.n);
	buf_put(&t->entry, &n, sizeof n);
	if (t->text.bad || t->entry.bad)
		return false;
	t->last = t->n++;
	t->slot[at] = t->n;
	return true;
}

/* hits_names_find() where it is not the last one. */
static bool
hits_names_search(struct hits_names *t, uint64_t ordinal, uint64_t len,
		  struct str name)
{
	uint64_t key[2] = { ordinal, len };
	struct hits_entry n = { .ordinal = ordinal, .len = len };
	size_t at;

	if (4 * (uint64_t)t->n >= 3 * (uint64_t)t->n_slots && !grow(t))
		return false;
	/* forged frames may name one ordinal in as many ways as they like */
	n.hash = hash64(key, sizeof key,
			name.n ? hash64(name.p, name.n, 0) : 0);
	for (at = n.hash & (t->n_slots - 1); t->slot[at];
	     at = (at + 1) & (t->n_slots - 1)) {
		uint32_t i = t->slot[at] - 1;

		if (hits_entry(t, i)->hash == n.hash &&
		    hits_entry_is(t, i, ordinal, len, name)) {
			t->last = i;
			return true;
		}
	}
	return add(t, at, &n, name);
}

/* Makes t->last the entry's index, a new one's if it is new; false: there is
 * no memory. */
static inline bool
hits_names_find(struct hits_names *t, uint64_t ordinal, uint64_t len,
		struct str name)
{
	uint32_t near;

	if (t->n && hits_entry_is(t, t->last, ordinal, len, name))
		return true;
	near = t->near[ordinal % HITS_NEAR];
	if (near && hits_entry_is(t, near - 1, ordinal, len, name)) {
		t->last = near - 1;
		return true;
	}
	if (!hits_names_search(t, ordinal, len, name))
		return false;
	t->near[ordinal % HITS_NEAR] = t->last + 1;
	return true;
}

/* One hit by itself: its bytes, its faults, and its place. */

enum { HIT_FLAGS = HIT_MINUS | HIT_EDITS | HIT_CIGAR | HIT_LETTERS |
		   HIT_NO_SBEG | HIT_OFFTARGET | HIT_CIRCULAR };

/*
 * No sum can overflow: there are at most 2^30 operations in a frame, below
 * 2^28 letters each.
 */
static const char *
cigar_fault(const struct hit *h)
{
	struct cigar_span s = cigar_span(h->cigar, h->n_cigar);

	if (!s.good)
		return "bad CIGAR operation";
	if (s.query - s.clip != h->qend - h->qbeg ||
	    s.subject != h->send - h->sbeg)
		return "CIGAR does not fit the coordinates";
	if (s.clip > h->query.len - (h->qend - h->qbeg))
		return "CIGAR clips more than the query holds";
	return NULL;
}

/* Is a hit over the origin of its circle none? */
static bool
origin_fault(const struct hit *h)
{
	uint64_t n = h->subject.len;

	return h->flags & HIT_NO_SBEG || h->sbeg >= n || h->send - h->sbeg > n;
}

/* Why h cannot be, or NULL. */
static const char *
hit_fault(const struct hit *h)
{
	if (h->flags & ~(unsigned)HIT_FLAGS)
		return "unknown flag of a hit";
	if (h->flags & HIT_OFFTARGET && h->offtarget > OFFTARGET_ONE)
		return "off-target score above 1";
	if (h->qbeg > h->qend || h->qend > h->query.len)
		return "hit outside of its query";
	if (h->send > h->subject.len &&	/* LEN_UNKNOWN is the largest */
	    (!hit_over_origin(h) || origin_fault(h)))
		return "hit outside of its subject";
	if (h->flags & HIT_NO_SBEG)
		return h->flags & (HIT_CIGAR | HIT_LETTERS) ?
		    "CIGAR or letters of a hit without a beginning" : NULL;
	if (h->sbeg > h->send)
		return "hit ends before it begins";
	if (h->flags & HIT_LETTERS && h->letters.n != h->send - h->sbeg)
		return "letters do not fit the coordinates";
	return h->flags & HIT_CIGAR ? cigar_fault(h) : NULL;
}

/* buf_var() where there is room. */
static inline uint8_t *
put_var(uint8_t *p, uint64_t v)
{
	for (; v > 127; v >>= 7)
		*p++ = (uint8_t)(v | 128);
	*p++ = (uint8_t)v;
	return p;
}

/* A hit's row without its two indices (order.c). */
static void
hit_row_put(struct buf *b, const struct hit *h)
{
	enum { NUMBERS = 9, LONGEST = 10 };	/* and bytes of one */
	size_t n = h->flags & HIT_CIGAR ? h->n_cigar : 0;
	uint8_t *p;

	if (n > SIZE_MAX / 5 - 20 ||
	    !buf_reserve(b, 5 * n + NUMBERS * LONGEST)) {
		b->bad = true;
		return;
	}
	p = b->p + b->n;
	*p++ = (uint8_t)h->flags;
	p = put_var(p, h->send);
	if (!(h->flags & HIT_NO_SBEG))
		p = put_var(p, h->send - h->sbeg);
	p = put_var(p, h->qbeg);
	p = put_var(p, h->qend - h->qbeg);
	p = put_var(p, zigzag(h->score));
	if (h->flags & HIT_EDITS)
		p = put_var(p, h->edits);
	if (h->flags & HIT_OFFTARGET)
		p = put_var(p, h->offtarget);
	if (h->flags & HIT_CIGAR)
		p = put_var(p, n);
	for (size_t i = 0; i < n; i++)
		p = put_var(p, h->cigar[i]);
	b->n = (size_t)(p - b->p);
	if (h->flags & HIT_LETTERS)
		buf_str(b, h->letters.p, h->letters.n);
}

/* cur_var(), quick where it is 1 byte, 2 or 4. */
static inline uint64_t
number_get(struct cur *c)
{
	const uint8_t *p = c->p;
	uint64_t v;

	if (cur_left(c) < 4 || c->bad)
		return cur_var(c);
	v = p[0];
	if (v < 128) {
		c->p++;
		return v;
	}
	v = (v & 127) | (uint64_t)(p[1] & 127) << 7;
	if (p[1] < 128 && p[1]) {
		c->p += 2;
		return v;
	}
	if (p[1] < 128 || p[2] < 128 || p[3] > 127 || !p[3])
		return cur_var(c);
	c->p += 4;
	return v | (uint64_t)(p[2] & 127) << 14 | (uint64_t)p[3] << 21;
}

static void
ops_get(struct cur *c, struct hit *h, struct buf *ops)
{
	size_t n = codec_count(c, 1);

	ops->n = 0;
	if (n > SIZE_MAX / 4 || !buf_reserve(ops, 4 * n)) {
		c->bad = true;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t op = number_get(c);
		uint32_t op32 = (uint32_t)op;

		if (op > UINT32_MAX)
			c->bad = true;
		memcpy(ops->p + 4 * i, &op32, 4);
	}
	ops->n = 4 * n;
	h->cigar = (const uint32_t *)(const void *)ops->p;
	h->n_cigar = n;
}

/* h->query.len and h->subject.len are set; c->bad if anything is wrong. */
static void
hit_row_get(struct cur *c, struct hit *h, struct buf *ops)
{
	uint64_t span = 0, qlen;

	h->flags = (unsigned)cur_le(c, 1);
	h->send = number_get(c);
	if (!(h->flags & HIT_NO_SBEG))
		span = number_get(c);
	h->qbeg = cur_var(c);
	qlen = cur_var(c);
	h->score = get_zigzag(c);
	h->edits = h->flags & HIT_EDITS ? cur_var(c) : 0;
	h->offtarget = h->flags & HIT_OFFTARGET ? cur_var(c) : 0;
	h->cigar = NULL;
	h->n_cigar = 0;
	if (h->flags & HIT_CIGAR)
		ops_get(c, h, ops);
	h->letters = (struct str) { NULL, 0 };
	if (h->flags & HIT_LETTERS)
		h->letters = cur_str(c);
	/* Where one of these wraps, it ends before it begins: hit_fault(). */
	h->sbeg = h->send - span;
	h->qend = h->qbeg + qlen;
	if (!c->bad && hit_fault(h))
		c->bad = true;
}

void
hit_put(struct buf *b, const struct hit *h)
{
	query_put(b, &h->query);
	subject_put(b, &h->subject);
	hit_row_put(b, h);
}

void
hit_get(struct cur *c, struct hit *h, struct buf *ops)
{
	query_get(c, &h->query);
	subject_get(c, &h->subject);
	hit_row_get(c, h, ops);
}

/* Operation by operation; where one ends first, it stands first. */
static int
cmp_cigar(const struct hit *a, const struct hit *b)
{
	for (size_t i = 0; i < a->n_cigar && i < b->n_cigar; i++)
		if (a->cigar[i] != b->cigar[i])
			return a->cigar[i] < b->cigar[i] ? -1 : 1;
	return cmp_u64(a->n_cigar, b->n_cigar);
}

/* What is left after the order's own keys: no two unlike hits are equal. */
static int
cmp_rest(const struct hit *a, const struct hit *b)
{
	int c;

	if ((c = cmp_u64(a->qbeg, b->qbeg)) || (c = cmp_u64(a->qend, b->qend)))
		return c;
	if (a->score != b->score)	/* the best first */
		return a->score > b->score ? -1 : 1;
	if ((c = cmp_u64(a->flags, b->flags)))
		return c;
	if (a->flags & HIT_EDITS && (c = cmp_u64(a->edits, b->edits)))
		return c;
	if (a->flags & HIT_OFFTARGET &&
	    (c = cmp_u64(b->offtarget, a->offtarget)))
		return c;
	if (a->flags & HIT_CIGAR && (c = cmp_cigar(a, b)))
		return c;
	return a->flags & HIT_LETTERS ? str_cmp(a->letters, b->letters) : 0;
}

static uint64_t
sbeg_of(const struct hit *h)
{
	return h->flags & HIT_NO_SBEG ? 0 : h->sbeg;
}

int
hit_cmp_scan(const struct hit *a, const struct hit *b)
{
	int c;

	if ((c = cmp_u64(a->subject.ordinal, b->subject.ordinal)) ||
	    (c = cmp_u64(a->send, b->send)) ||
	    (c = cmp_u64(a->query.ordinal, b->query.ordinal)) ||
	    (c = cmp_u64(a->flags & HIT_MINUS, b->flags & HIT_MINUS)) ||
	    (c = cmp_u64(sbeg_of(a), sbeg_of(b))))
		return c;
	return cmp_rest(a, b);
}

/* A table of the names that rows speak of. */

static void
hits_names_clear(struct hits_names *t)
{
	t->n = t->last = 0;
	t->entry.n = t->text.n = 0;
	memset(t->near, 0, sizeof t->near);
	if (t->n_slots)
		memset(t->slot, 0, t->n_slots * sizeof *t->slot);
}

static void
hits_names_free(struct hits_names *t)
{
	buf_free(&t->entry);
	buf_free(&t->text);
	free(t->slot);
}

/* HITS frames: writing them as rows come. */

struct hits_writer {
	bool apart;		/* of hits_rows_new(): no frames */
	struct run_key run;
	struct receipt receipt;	/* .number, .last: of the next frame */
	struct buf text;	/* the keys' strings */
	struct hits_names query, subject;
	struct buf rows, frames;
	uint32_t n_rows;
	bool circular;		/* one of the rows is of a circle */
};

/* Before each row that is gathered apart; names by their number. */
struct row_head {
	size_t n;		/* bytes behind it */
	uint32_t query, subject;
};

/* Copies of both keys, strings, ranges and all. */
static bool
keep_keys(struct hits_writer *w, const struct run_key *run,
	  const struct receipt *r)
{
	w->run = *run;
	w->receipt = *r;
	w->receipt.range = calloc(r->n_ranges + 1, sizeof *r->range);
	if (!w->receipt.range ||
	    !rec_own(&w->text, &w->run, &w->receipt.scan, NULL))
		return false;
	if (r->n_ranges)
		memcpy(w->receipt.range, r->range,
		       r->n_ranges * sizeof *r->range);
	w->receipt.number = 0;
	return true;
}

int
hits_writer_new(struct hits_writer **out, const struct run_key *run,
		const struct receipt *r, struct err *e)
{
	struct hits_writer *w = calloc(1, sizeof *w);

	*out = NULL;
	if (!w)
		return err_nomem(e, sizeof *w);
	if (!keep_keys(w, run, r)) {
		hits_writer_free(w);
		return err_nomem(e, r->n_ranges * sizeof *r->range);
	}
	*out = w;
	return 0;
}

static void
put_tables(struct hits_writer *w, struct buf *b)
{
	buf_var(b, w->query.n);
	for (uint32_t i = 0; i < w->query.n; i++) {
		const struct hits_entry *n = hits_entry(&w->query, i);

		struct query_ref q = { n->ordinal, n->len,
				       hits_name(&w->query, n) };

		query_put(b, &q);
	}
	buf_var(b, w->subject.n);
	for (uint32_t i = 0; i < w->subject.n; i++) {
		const struct hits_entry *n = hits_entry(&w->subject, i);

		struct subject_ref s = { n->ordinal, n->len,
					 hits_name(&w->subject, n) };

		subject_put(b, &s);
	}
}

/* Write what was gathered as a frame, and begin the next one. */
static int
close_frame(struct hits_writer *w, bool last, struct err *e)
{
	struct rec_frame f = {
		.type = REC_HITS, .records = w->n_rows, .run = w->run.id,
		.serial = codec_serial(&w->receipt),
		.flags = (uint16_t)((w->receipt.unmerged ? REC_UNMERGED : 0) |
				    (w->circular ? REC_CIRCULAR : 0)),
	};
	struct buf b = { 0 };
	int rc;

	w->receipt.last = last;
	rc = codec_head_put(&b, REC_HITS, &w->run, &w->receipt, e);
	if (rc == 0) {
		put_tables(w, &b);
		buf_put(&b, w->rows.p, w->rows.n);
		f.payload = b.p;
		f.n = b.n;
		rc = b.bad ? err_nomem(e, b.n) : rec_encode(&w->frames, &f, e);
	}
	buf_free(&b);
	hits_names_clear(&w->query);
	hits_names_clear(&w->subject);
	w->rows.n = 0;
	w->n_rows = 0;
	w->circular = false;
	w->receipt.number++;
	return rc;
}

static int
hit_bad(const struct hit *h, const char *fault, struct err *e)
{
	return err_set(e, ERR_FORMAT, "hit of %.*s in %.*s: %s",
		       str_shown(h->query.name, 100), h->query.name.p,
		       str_shown(h->subject.name, 100), h->subject.name.p,
		       fault);
}

static bool
is_full(const struct hits_writer *w)
{
	return w->rows.n + hits_names_bytes(&w->query) +
	       hits_names_bytes(&w->subject) > RESULT_SPLIT;
}

static void
head_put(struct hits_writer *w, unsigned flags)
{
	w->circular |= (flags & HIT_CIRCULAR) != 0;
	buf_var(&w->rows, w->query.last);
	buf_var(&w->rows, w->subject.last);
	w->n_rows++;
}

static void
row_apart(struct hits_writer *w, const struct hit *h)
{
	struct row_head head = { 0, w->query.last, w->subject.last };
	size_t at = w->rows.n;

	buf_zero(&w->rows, sizeof head);
	hit_row_put(&w->rows, h);
	if (w->rows.bad)
		return;
	head.n = w->rows.n - at - sizeof head;
	memcpy(w->rows.p + at, &head, sizeof head);
}

int
hits_add(struct hits_writer *w, const struct hit *h, struct err *e)
{
	const char *fault = hit_fault(h);
	int rc;

	/* it would be of no class */
	if (w->receipt.scan.rule == SCAN_CLASS && h->flags & HIT_NO_SBEG)
		fault = "an alignment without a beginning";
	if (fault)
		return hit_bad(h, fault, e);
	if (!w->apart && is_full(w) && (rc = close_frame(w, false, e)))
		return rc;
	if (!hits_names_find(&w->query, h->query.ordinal, h->query.len,
			     h->query.name) ||
	    !hits_names_find(&w->subject, h->subject.ordinal, h->subject.len,
			     h->subject.name))
		return err_nomem(e, sizeof(struct hits_entry));
	if (w->apart) {
		row_apart(w, h);
	} else {
		head_put(w, h->flags);
		hit_row_put(&w->rows, h);
	}
	return w->rows.bad ? err_nomem(e, w->rows.n) : 0;
}

int
hits_rows_new(struct hits_writer **out, enum scan_rule rule, struct err *e)
{
	struct hits_writer *w = calloc(1, sizeof *w);

	*out = w;
	if (!w)
		return err_nomem(e, sizeof *w);
	w->apart = true;
	w->receipt.scan.rule = rule;
	return 0;
}

/* Name i of another table; map[i]: its number here, and 1, once known. */
static bool
same_name(struct hits_names *t, const struct hits_names *from, uint32_t i,
	  uint32_t *map)
{
	const struct hits_entry *n = hits_entry(from, i);

	if (map[i]) {
		t->last = map[i] - 1;
		return true;
	}
	if (!hits_names_find(t, n->ordinal, n->len, hits_name(from, n)))
		return false;
	map[i] = t->last + 1;
	return true;
}

/* One row of those gathered apart; *at moves behind it. */
static int
append_row(struct hits_writer *w, const struct hits_writer *rows, size_t *at,
	   uint32_t *map, struct err *e)
{
	struct row_head head;

	memcpy(&head, rows->rows.p + *at, sizeof head);
	*at += sizeof head;
	if (!same_name(&w->query, &rows->query, head.query, map) ||
	    !same_name(&w->subject, &rows->subject, head.subject,
		       map + rows->query.n))
		return err_nomem(e, sizeof(struct hits_entry));
	head_put(w, head.n ? rows->rows.p[*at] : 0);	/* hit_row_put() */
	buf_put(&w->rows, rows->rows.p + *at, head.n);
	*at += head.n;
	return w->rows.bad ? err_nomem(e, w->rows.n) : 0;
}

int
hits_append(struct hits_writer *w, struct hits_writer *rows, struct err *e)
{
	size_t n = (size_t)rows->query.n + rows->subject.n, at = 0;
	uint32_t *map = calloc(n + 1, sizeof *map);
	int rc = map ? 0 : err_nomem(e, (n + 1) * sizeof *map);

	while (!rc && at < rows->rows.n) {
		if (is_full(w)) {	/* the next frame's names are new */
			rc = close_frame(w, false, e);
			memset(map, 0, n * sizeof *map);
		}
		if (!rc)
			rc = append_row(w, rows, &at, map, e);
	}
	free(map);
	rows->rows.n = 0;
	hits_names_clear(&rows->query);
	hits_names_clear(&rows->subject);
	return rc;
}

void
hits_take(struct hits_writer *w, struct buf *b)
{
	struct buf t = *b;

	if (w->frames.n == 0)
		return;
	*b = w->frames;
	w->frames = t;
}

int
hits_finish(struct hits_writer *w, struct buf *b, struct err *e)
{
	int rc = close_frame(w, true, e);

	if (rc)
		return rc;
	if (b->n == 0 && !b->bad) {	/* move, do not copy */
		struct buf t = *b;

		*b = w->frames;
		w->frames = t;
		return 0;
	}
	buf_put(b, w->frames.p, w->frames.n);
	return b->bad ? err_nomem(e, w->frames.n) : 0;
}

void
hits_writer_free(struct hits_writer *w)
{
	if (!w)
		return;
	hits_names_free(&w->query);
	hits_names_free(&w->subject);
	buf_free(&w->rows);
	buf_free(&w->frames);
	buf_free(&w->text);
	free(w->receipt.range);
	free(w);
}

/* HITS frames: reading them row by row. */

/* Two indices, flags, send, qbeg, qend, score: no row has fewer bytes. */
enum { MIN_ROW = 7 };

int
hits_view(struct hits_view *v, const struct rec_frame *f, struct err *e)
{
	const char *fault;
	int rc;

	memset(v, 0, sizeof *v);
	rc = codec_open(&v->rows, f, REC_HITS, &v->run, &v->receipt, e);
	if (rc == 0)
		rc = queries_get(&v->rows, &v->query, &v->n_queries, e);
	if (rc == 0)
		rc = subjects_get(&v->rows, &v->subject, &v->n_subjects, e);
	v->left = f->records;
	fault = v->rows.bad ? "bad table of names" :
		!codec_fits(&v->rows, v->left, MIN_ROW) ?
		"more rows announced than there can be" :
		v->left == 0 && cur_left(&v->rows) ?
		"something behind the last row" : NULL;
	if (rc == 0 && fault)
		rc = codec_bad(f, fault, e);
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
	q = number_get(&v->rows);
	s = number_get(&v->rows);
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
