/* SPDX-License-Identifier: MIT */
/* hits.c - HITS frames: writing them as rows come */
#include <stdlib.h>

#include "stream/codec.h"
#include "stream/hits_names.h"

struct hits_writer {
	bool apart;		/* of hits_rows_new(): no frames */
	struct run_key run;
	struct receipt receipt;	/* .number, .last: of the next frame */
	struct buf text;	/* the keys' strings */
	struct hits_names query, subject;
	struct buf rows, frames;
	uint32_t n_rows;
};

/* Before each row that is gathered apart; names by their number. */
struct row_head {
	size_t n;		/* bytes behind it */
	uint32_t query, subject;
};

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
		.flags = w->receipt.unmerged ? REC_UNMERGED : 0,
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

static bool
is_full(const struct hits_writer *w)
{
	return w->rows.n + hits_names_bytes(&w->query) +
	       hits_names_bytes(&w->subject) > RESULT_SPLIT;
}

static void
head_put(struct hits_writer *w)
{
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
		head_put(w);
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
	head_put(w);
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
