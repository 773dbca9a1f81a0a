/* SPDX-License-Identifier: MIT */
/* hits.c - HITS frames: writing them as rows come */
#include <stdlib.h>

#include "base/hash.h"
#include "stream/codec.h"

/*
 * A table of names by ordinal, length and name.  A name that was used by the
 * row before is found without hashing; hits come sorted by subject.
 */
struct entry {
	uint64_t ordinal, len, hash;
	size_t name, n_name;	/* in text */
};

struct names {
	struct buf entry;	/* struct entry */
	struct buf text;
	uint32_t *slot;		/* entry + 1, or 0; open addressing */
	size_t n_slots;		/* a power of two, or 0 */
	uint32_t n, last;
};

struct hits_writer {
	struct run_key run;
	struct receipt receipt;	/* .number, .last: of the next frame */
	struct buf text;	/* the keys' strings */
	struct names query, subject;
	struct buf rows, frames;
	uint32_t n_rows;
};

static struct entry *
entry_at(const struct names *t, uint32_t i)
{
	return (struct entry *)(void *)t->entry.p + i;
}

static bool
entry_is(const struct names *t, uint32_t i, uint64_t ordinal, uint64_t len,
	 struct str name)
{
	const struct entry *n = entry_at(t, i);

	if (n->ordinal != ordinal || n->len != len || n->n_name != name.n)
		return false;
	return name.n == 0 ||
	       memcmp(t->text.p + n->name, name.p, name.n) == 0;
}

static bool
names_grow(struct names *t)
{
	size_t n = t->n_slots ? 2 * t->n_slots : 64;
	uint32_t *slot = calloc(n, sizeof *slot);

	if (!slot)
		return false;
	for (uint32_t i = 0; i < t->n; i++) {
		size_t at = entry_at(t, i)->hash & (n - 1);

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
names_add(struct names *t, size_t at, const struct entry *key, struct str name)
{
	struct entry n = *key;

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

/* Makes t->last the entry's index, a new one's if it is new. */
static bool
names_find(struct names *t, uint64_t ordinal, uint64_t len, struct str name)
{
	uint64_t key[2] = { ordinal, len };
	struct entry n = { .ordinal = ordinal, .len = len };
	size_t at;

	if (t->n && entry_is(t, t->last, ordinal, len, name))
		return true;
	if (4 * (uint64_t)t->n >= 3 * (uint64_t)t->n_slots && !names_grow(t))
		return false;
	/* forged frames may name one ordinal in as many ways as they like */
	n.hash = hash64(key, sizeof key,
			name.n ? hash64(name.p, name.n, 0) : 0);
	for (at = n.hash & (t->n_slots - 1); t->slot[at];
	     at = (at + 1) & (t->n_slots - 1)) {
		uint32_t i = t->slot[at] - 1;

		if (entry_at(t, i)->hash == n.hash &&
		    entry_is(t, i, ordinal, len, name)) {
			t->last = i;
			return true;
		}
	}
	return names_add(t, at, &n, name);
}

static void
names_clear(struct names *t)
{
	t->n = t->last = 0;
	t->entry.n = t->text.n = 0;
	if (t->n_slots)
		memset(t->slot, 0, t->n_slots * sizeof *t->slot);
}

static void
names_free(struct names *t)
{
	buf_free(&t->entry);
	buf_free(&t->text);
	free(t->slot);
}

/* Bytes this table takes in memory, and, nearly, in a frame. */
static size_t
names_bytes(const struct names *t)
{
	return t->entry.n + t->text.n;
}

static struct str
keep(struct buf *text, struct str s)
{
	struct str kept = { (const char *)text->p + text->n, s.n };

	buf_put(text, s.p, s.n);	/* room was reserved: p stays */
	return kept;
}

/* Copies of both keys, strings, ranges and all. */
static bool
keep_keys(struct hits_writer *w, const struct run_key *run,
	  const struct receipt *r)
{
	w->run = *run;
	w->receipt = *r;
	w->receipt.range = calloc(r->n_ranges + 1, sizeof *r->range);
	if (!w->receipt.range ||
	    !buf_reserve(&w->text, run->base.n + run->label.n + run->first.n +
				   r->scan.base.n + 1))
		return false;
	if (r->n_ranges)
		memcpy(w->receipt.range, r->range,
		       r->n_ranges * sizeof *r->range);
	w->run.base = keep(&w->text, run->base);
	w->run.label = keep(&w->text, run->label);
	w->run.first = keep(&w->text, run->first);
	w->receipt.scan.base = keep(&w->text, r->scan.base);
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

static struct str
name_of(const struct names *t, const struct entry *n)
{
	struct str s = { NULL, n->n_name };

	if (n->n_name)
		s.p = (const char *)t->text.p + n->name;
	return s;
}

static void
put_tables(struct hits_writer *w, struct buf *b)
{
	buf_var(b, w->query.n);
	for (uint32_t i = 0; i < w->query.n; i++) {
		const struct entry *n = entry_at(&w->query, i);

		struct query_ref q = { n->ordinal, n->len,
				       name_of(&w->query, n) };

		query_put(b, &q);
	}
	buf_var(b, w->subject.n);
	for (uint32_t i = 0; i < w->subject.n; i++) {
		const struct entry *n = entry_at(&w->subject, i);

		struct subject_ref s = { n->ordinal, n->len,
					 name_of(&w->subject, n) };

		subject_put(b, &s);
	}
}

/* Write what was gathered as a frame, and begin the next one. */
static int
close_frame(struct hits_writer *w, bool last, struct err *e)
{
	struct buf b = { 0 };
	int rc;

	w->receipt.last = last;
	rc = codec_head_put(&b, REC_HITS, &w->run, &w->receipt, e);
	if (rc == 0) {
		put_tables(w, &b);
		buf_put(&b, w->rows.p, w->rows.n);
		rc = b.bad ? err_nomem(e, b.n) :
		    rec_put(&w->frames, REC_HITS, w->run.id,
			    codec_serial(&w->receipt), w->n_rows, b.p, b.n, e);
	}
	buf_free(&b);
	names_clear(&w->query);
	names_clear(&w->subject);
	w->rows.n = 0;
	w->n_rows = 0;
	w->receipt.number++;
	return rc;
}

/* Names may be of any length: the first letters do. */
static int
shown(struct str s)
{
	return s.n < 100 ? (int)s.n : 100;
}

static int
hit_bad(const struct hit *h, const char *fault, struct err *e)
{
	return err_set(e, ERR_FORMAT, "hit of %.*s in %.*s: %s",
		       shown(h->query.name), h->query.name.p,
		       shown(h->subject.name), h->subject.name.p, fault);
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
	if (w->rows.n + names_bytes(&w->query) + names_bytes(&w->subject) >
	    RESULT_SPLIT && (rc = close_frame(w, false, e)))
		return rc;
	if (!names_find(&w->query, h->query.ordinal, h->query.len,
			h->query.name) ||
	    !names_find(&w->subject, h->subject.ordinal, h->subject.len,
			h->subject.name))
		return err_nomem(e, sizeof(struct entry));
	buf_var(&w->rows, w->query.last);
	buf_var(&w->rows, w->subject.last);
	hit_row_put(&w->rows, h);
	w->n_rows++;
	return w->rows.bad ? err_nomem(e, w->rows.n) : 0;
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
	names_free(&w->query);
	names_free(&w->subject);
	buf_free(&w->rows);
	buf_free(&w->frames);
	buf_free(&w->text);
	free(w->receipt.range);
	free(w);
}
