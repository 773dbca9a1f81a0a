/* SPDX-License-Identifier: MIT */
/* api_read.c - hits, counts and pieces of streams, judged at their end */

#include <stdlib.h>
#include <string.h>

#include "api/api_read.h"
#include "base/base.h"
#include "collect/collect.h"
#include "letters/letters.h"
#include "rec/rec.h"

/* Frames of operands for the library's reader and scanner. */

_Static_assert((int)SEQF_ENOMEM == ERR_NOMEM && (int)SEQF_EIO == ERR_IO &&
	       (int)SEQF_EFORMAT == ERR_FORMAT &&
	       (int)SEQF_ELIMIT == ERR_LIMIT &&
	       (int)SEQF_EUSAGE == ERR_USAGE &&
	       (int)SEQF_EINCOMPLETE == ERR_INCOMPLETE, "one set of codes");

int
seqf_exit(int code)
{
	return err_exit(code);
}

const char *
seqf_version(void)
{
	return SEQF_VERSION;
}

int
api_report(struct seqf_error *to, const struct err *e)
{
	_Static_assert(sizeof to->text == sizeof e->text, "one line fits");
	to->code = e->code;
	memcpy(to->text, e->text, sizeof to->text);
	return e->code;
}

int
api_in_open(struct api_in *in, const char *const *paths, size_t n,
	    bool results, uint64_t context, struct err *e)
{
	struct feed_params p = feed_defaults;

	memset(in, 0, sizeof *in);
	p.threads = 1;
	p.results = results;
	p.min_context = context;
	/* the feed only reads the names */
	return feed_open(&in->feed, (char **)(uintptr_t)paths, n, &p, e);
}

void
api_in_close(struct api_in *in)
{
	if (in->shown)
		feed_drop(&in->it);
	feed_close(in->feed);
	memset(in, 0, sizeof *in);
}

int
api_in_next(struct api_in *in, struct err *e)
{
	int got;

	if (in->shown)
		feed_drop(&in->it);
	in->shown = false;
	got = feed_next(in->feed, &in->it, e);
	if (got <= 0)
		return got;
	in->shown = true;
	if (in->it.kind == FEED_RAW)
		got = feed_encode(&in->it, e);
	if (got >= 0)
		got = feed_account(in->feed, &in->it, e);
	return got < 0 ? got : 1;
}

int
api_piece(struct seqf_piece *p, const struct chunk *c, size_t i, struct buf *b,
	  struct err *e)
{
	const struct chunk_row *r = &c->row[i];

	if (r->flags & CHUNK_CIRCULAR)
		return err_set(e, ERR_USAGE, "%.*s was read with --circular: "
			       "pieces of circular sequences are not shown",
			       (int)(r->name.n < 99 ? r->name.n : 99),
			       r->name.p);
	if (!buf_reserve(b, r->n + 64))
		return err_nomem(e, r->n + 64);
	chunk_letters(c, r, 0, r->n, b->p);
	b->p[r->n] = 0;
	*p = (struct seqf_piece){
		.run = c->run.id, .chunk = c->serial, .number = r->ordinal,
		.name = api_text(r->name), .description = api_text(r->desc),
		.beg = r->beg, .end = r->beg + r->n,
		.own_beg = r->own_beg, .own_end = r->own_end,
		.length = r->flags & CHUNK_LAST ? r->length : SEQF_UNKNOWN,
		.first = (r->flags & CHUNK_FIRST) != 0,
		.last = (r->flags & CHUNK_LAST) != 0,
		.letters = (const char *)b->p,
	};
	return 0;
}

/* Hits, counts and pieces of streams, judged at their end. */

/* Of the frame that is being shown: what has been, and its view. */
struct seqf_reader {
	struct api_in in;
	struct ledger *ledger;
	int type;		/* 0: none */
	struct hits_view hits;
	struct tally tally;
	struct chunk chunk;
	size_t next;		/* row of a tally or chunk */
	struct buf bytes;	/* letters, or a CIGAR */
	bool over;		/* nothing but e any more */
	struct err e;
};

int
seqf_open(struct seqf_reader **out, const char *const *paths, size_t n,
	  struct seqf_error *e)
{
	struct seqf_reader *r = calloc(1, sizeof *r);
	struct err why;
	int rc;

	*out = NULL;
	if (!r)
		return err_nomem(&why, sizeof *r), api_report(e, &why);
	rc = ledger_new(&r->ledger, &why);
	if (!rc) {
		ledger_judge_chunks(r->ledger);
		rc = api_in_open(&r->in, paths, n, true, 0, &why);
	}
	if (rc) {
		seqf_close(r);
		return api_report(e, &why);
	}
	*out = r;
	return 0;
}

static void
drop_view(struct seqf_reader *r)
{
	if (r->type == REC_HITS)
		hits_view_free(&r->hits);
	else if (r->type == REC_TALLY)
		tally_free(&r->tally);
	else if (r->type == REC_CHUNK)
		chunk_free(&r->chunk);
	r->type = 0;
}

void
seqf_close(struct seqf_reader *r)
{
	if (!r)
		return;
	drop_view(r);
	if (r->in.feed)
		api_in_close(&r->in);
	ledger_free(r->ledger);
	buf_free(&r->bytes);
	free(r);
}

/*
 * Open a frame that the ledger has not seen.  1: it has rows to show; 0: it is
 * a copy.
 */
static int
open_frame(struct seqf_reader *r, const struct rec_frame *f)
{
	int rc = ledger_frame(r->ledger, f, &r->e);

	if (rc)
		return rc == LEDGER_COPY ? 0 : rc;
	r->next = 0;
	if (f->type == REC_HITS)
		rc = hits_view(&r->hits, f, &r->e);
	else if (f->type == REC_TALLY)
		rc = tally_view(&r->tally, f, &r->e);
	else if (f->type == REC_CHUNK)
		rc = chunk_view(&r->chunk, f, &r->e);
	if (!rc && f->type == REC_CHUNK && !chunk_digest_ok(&r->chunk, &r->e)) {
		chunk_free(&r->chunk);
		rc = r->e.code;
	}
	if (!rc)
		r->type = f->type;
	return rc ? rc : 1;
}

static int
show_hit(struct seqf_reader *r, struct seqf_hit *h)
{
	const struct hits_view *v = &r->hits;
	struct hit x;
	int got = hits_next(&r->hits, &x, &r->e);

	if (got <= 0)
		return got;
	r->bytes.n = 0;
	if (x.flags & HIT_CIGAR) {
		cigar_text(&r->bytes, x.cigar, x.n_cigar);
		buf_u8(&r->bytes, 0);
		if (r->bytes.bad)
			return err_nomem(&r->e, r->bytes.n);
	}
	*h = (struct seqf_hit){
		.run = v->run.id, .scan = v->receipt.scan.id,
		.query = api_text(x.query.name),
		.query_number = x.query.ordinal, .query_length = x.query.len,
		.subject = api_text(x.subject.name),
		.subject_number = x.subject.ordinal,
		.subject_length = x.subject.len,
		.query_beg = x.qbeg, .query_end = x.qend,
		.subject_beg = x.flags & HIT_NO_SBEG ? SEQF_UNKNOWN : x.sbeg,
		.subject_end = x.send, .score = x.score,
		.edits = x.flags & HIT_EDITS ? x.edits : SEQF_UNKNOWN,
		.minus = (x.flags & HIT_MINUS) != 0,
		.ends_only = (x.flags & HIT_NO_SBEG) != 0,
		.cigar = r->bytes.n ? (const char *)r->bytes.p : NULL,
		.letters = api_text(x.letters),
	};
	return 1;
}

static int
show_count(struct seqf_reader *r, struct seqf_count *c)
{
	const struct tally *t = &r->tally;
	const struct tally_row *row = &t->row[r->next];

	if (r->next++ == t->n_rows)
		return 0;
	*c = (struct seqf_count){
		.run = t->run.id, .scan = t->receipt.scan.id,
		.query = api_text(row->query.name), .minus = row->minus,
		.edits = row->edits, .count = row->count,
	};
	return 1;
}

static int
show_piece(struct seqf_reader *r, struct seqf_piece *p)
{
	int rc;

	if (r->chunk.enc == CHUNK_PROB || r->next == r->chunk.n_rows)
		return 0;
	r->bytes.n = 0;
	rc = api_piece(p, &r->chunk, r->next++, &r->bytes, &r->e);
	return rc ? rc : 1;
}

/* The next record of the open frame. */
static int
show(struct seqf_reader *r, struct seqf_record *x)
{
	switch (r->type) {
	case REC_HITS:
		x->kind = SEQF_HIT;
		return show_hit(r, &x->u.hit);
	case REC_TALLY:
		x->kind = SEQF_COUNT;
		return show_count(r, &x->u.count);
	case REC_CHUNK:
		x->kind = SEQF_PIECE;
		return show_piece(r, &x->u.piece);
	default:
		x->kind = SEQF_OTHER;
		x->u.type = r->type;
		return r->next++ == 0;
	}
}

/*
 * 1: go on, with a frame open or not; 0: that was all, and all is there.  The
 * verdict will report what is malformed; the rest may still be read.
 */
static int
next_frame(struct seqf_reader *r)
{
	int rc = api_in_next(&r->in, &r->e);

	if (rc == 0)
		return ledger_verdict(r->ledger, 0, &r->e);
	if (rc < 0)
		return rc;
	if (r->in.it.kind == FEED_DAMAGE) {
		ledger_damage(r->ledger);
		return 1;
	}
	rc = open_frame(r, r->in.it.frame);
	return rc < 0 && rc != ERR_FORMAT ? rc : 1;
}

int
seqf_next(struct seqf_reader *r, struct seqf_record *x, struct seqf_error *e)
{
	int got = 0;

	while (!r->over) {
		got = r->type ? show(r, x) : 0;
		if (got > 0)
			return 1;
		drop_view(r);
		if (got == ERR_FORMAT)
			ledger_damage(r->ledger);
		else if (got < 0)
			r->over = true;
		if (!r->over) {
			got = next_frame(r);
			r->over = got <= 0;
		}
		if (r->over)
			r->e.code = got;
	}
	return r->e.code ? api_report(e, &r->e) : 0;
}
