/* SPDX-License-Identifier: MIT */
/*
 * api.c - the library's reader and scanner: hits, counts and pieces of streams
 */

#include <stdlib.h>
#include <string.h>

#include "api/seqfilters.h"
#include "base/base.h"
#include "collect/collect.h"
#include "flow/flow.h"
#include "letters/letters.h"
#include "rec/rec.h"

/* Frames of operands for the library's reader and scanner. */

struct api_in {
	struct feed *feed;
	struct feed_item it;
	bool shown;		/* it is to be dropped */
};

static inline struct seqf_text
api_text(struct str s)
{
	return (struct seqf_text){ s.p, s.n };
}

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

/* The error in the caller's words; its code. */
static int
api_report(struct seqf_error *to, const struct err *e)
{
	_Static_assert(sizeof to->text == sizeof e->text, "one line fits");
	to->code = e->code;
	memcpy(to->text, e->text, sizeof to->text);
	return e->code;
}

/*
 * results: as flow.h has it.  context: letters before what a chunk owns, where
 * FASTA is cut.
 */
static int
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

static void
api_in_close(struct api_in *in)
{
	if (in->shown)
		feed_drop(&in->it);
	feed_close(in->feed);
	memset(in, 0, sizeof *in);
}

/* 1: in->it is a frame, or damage; 0: the end; or an error. */
static int
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

/*
 * Row i of a chunk as the caller sees it; b, which is empty, takes the
 * letters.
 */
static int
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
next_of_reader(struct seqf_reader *r)
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
			got = next_of_reader(r);
			r->over = got <= 0;
		}
		if (r->over)
			r->e.code = got;
	}
	return r->e.code ? api_report(e, &r->e) : 0;
}

/* A scanner of the library, for its two halves only. */

/* A hit of the open chunk; the rest of it stands in `heap`. */
struct kept {
	struct hit h;
	size_t cigar, letters;	/* where in heap */
};

struct seqf_scanner {
	struct api_in in;
	struct out *out;
	struct scan_key key;
	struct buf text, names;	/* of BEGIN; queries' names */
	struct query_ref *query;
	size_t n_queries;
	uint64_t context;
	uint64_t run;		/* begun, if begun */
	bool begun, open, over;
	struct chunk chunk;
	size_t next;		/* its next row */
	struct buf bytes;	/* the row's letters */
	struct kept *kept;
	size_t n_kept, cap;
	struct buf heap, frames;
	struct err e;		/* of what failed; code 0: nothing has */
};

/* Hits of a scanner, kept until their chunk is done. */

/* If rc is below 0 the scan ends and *e gets the reason.  Returns rc. */
static int
api_fail(struct seqf_scanner *s, int rc, struct seqf_error *e)
{
	if (rc < 0) {
		s->over = true;
		s->e.code = rc;
		api_report(e, &s->e);
	}
	return rc;
}

static int
cmp_kept(const void *a, const void *b)
{
	return hit_cmp_scan(&((const struct kept *)a)->h,
			    &((const struct kept *)b)->h);
}

/* The open chunk's hits and its receipt, one frame or several. */
static int
api_close_chunk(struct seqf_scanner *s)
{
	const struct chunk *c = &s->chunk;
	struct range range = { c->serial, c->serial + 1, c->owned, c->digest };
	struct receipt receipt = { .scan = s->key, .last = true,
				   .unmerged = true,
				   .range = &range, .n_ranges = 1 };
	struct hits_writer *w = NULL;
	int rc;

	for (size_t i = 0; i < s->n_kept; i++) {
		struct kept *k = &s->kept[i];

		if (k->h.n_cigar)
			k->h.cigar = (const void *)(s->heap.p + k->cigar);
		if (k->h.letters.n)
			k->h.letters.p = (const char *)s->heap.p + k->letters;
	}
	if (s->n_kept)
		qsort(s->kept, s->n_kept, sizeof *s->kept, cmp_kept);
	rc = hits_writer_new(&w, &c->run, &receipt, &s->e);
	for (size_t i = 0; i < s->n_kept && !rc; i++)
		rc = hits_add(w, &s->kept[i].h, &s->e);
	if (!rc)
		rc = hits_finish(w, &s->frames, &s->e);
	hits_writer_free(w);
	chunk_free(&s->chunk);
	s->open = false;
	return rc;
}

/* What is wrong with a hit, by the piece it was found in; or NULL. */
static const char *
wrong(const struct seqf_scanner *s, const struct seqf_hit *h)
{
	const struct chunk_row *r;

	if (!s->open || !s->next)
		return "there is no piece it could be in";
	r = &s->chunk.row[s->next - 1];
	if (h->query_number >= s->n_queries)
		return "no such query";
	if (h->subject_end <= r->own_beg || h->subject_end > r->own_end)
		return "its last letter is not the piece's own";
	if (!h->ends_only && h->subject_beg > h->subject_end)
		return "it ends before it begins";
	return NULL;
}

/* A CIGAR of text in the heap, and letters. */
static int
keep_rest(struct seqf_scanner *s, struct kept *k, const struct seqf_hit *h)
{
	size_t n = h->cigar ? strlen(h->cigar) : 0;
	struct buf *b = &s->heap;
	long ops;

	buf_zero(b, -b->n % sizeof(uint32_t));
	k->cigar = b->n;
	if (n) {	/* an operation is two characters at least */
		if (!buf_reserve(b, n / 2 * sizeof(uint32_t)))
			return err_nomem(&s->e, b->n + 2 * n);
		ops = cigar_parse(h->cigar, n, (void *)(b->p + b->n), n / 2);
		if (ops <= 0)
			return err_set(&s->e, ERR_FORMAT, "no CIGAR: %.99s",
				       h->cigar);
		b->n += (size_t)ops * sizeof(uint32_t);
		k->h.n_cigar = (size_t)ops;
		k->h.flags |= HIT_CIGAR;
	}
	k->letters = b->n;
	buf_put(b, h->letters.p, h->letters.n);
	k->h.letters.n = h->letters.n;
	k->h.flags |= h->letters.n ? HIT_LETTERS : 0;
	return b->bad ? err_nomem(&s->e, b->n) : 0;
}

int
seqf_scan_hit(struct seqf_scanner *s, const struct seqf_hit *h,
	      struct seqf_error *e)
{
	const char *bad = s->over ? "the scan is over" : wrong(s, h);
	const struct chunk_row *r;
	struct kept *k;
	int rc;

	if (bad)
		return api_fail(s, err_set(&s->e, ERR_USAGE, "hit that ends at "
				       "%llu: %s", (unsigned long long)
				       h->subject_end, bad), e);
	rc = array_room(&s->kept, &s->cap, s->n_kept + 1, sizeof *s->kept,
			&s->e);
	if (rc)
		return api_fail(s, rc, e);
	r = &s->chunk.row[s->next - 1];
	k = &s->kept[s->n_kept];
	*k = (struct kept){ .h = {
		.query = s->query[h->query_number],
		.subject = { r->ordinal, r->flags & CHUNK_LAST ? r->length :
			     LEN_UNKNOWN, r->name },
		.qbeg = h->query_beg, .qend = h->query_end,
		.sbeg = h->ends_only ? 0 : h->subject_beg,
		.send = h->subject_end, .score = h->score,
		.edits = h->edits == SEQF_UNKNOWN ? 0 : h->edits,
		.flags = (h->minus ? HIT_MINUS : 0) |
			 (h->edits == SEQF_UNKNOWN ? 0 : HIT_EDITS) |
			 (h->ends_only ? HIT_NO_SBEG : 0),
	} };
	rc = keep_rest(s, k, h);
	s->n_kept += !rc;
	return api_fail(s, rc, e);
}

/* A scanner's frames: pieces in, hits and receipts out. */

static void
scanner_free(struct seqf_scanner *s)
{
	if (s->open)
		chunk_free(&s->chunk);
	if (s->in.feed)
		api_in_close(&s->in);
	out_abort(s->out);
	buf_free(&s->text);
	buf_free(&s->names);
	buf_free(&s->bytes);
	buf_free(&s->heap);
	buf_free(&s->frames);
	free(s->query);
	free(s->kept);
	free(s);
}

/* Names first, all of them: then they stand still. */
static int
take_queries(struct seqf_scanner *s, const struct seqf_search *w,
	     uint64_t *hash)
{
	size_t at = 0;

	s->query = calloc(w->n_queries + 1, sizeof *s->query);
	if (!s->query)
		return err_nomem(&s->e, w->n_queries * sizeof *s->query);
	s->n_queries = w->n_queries;
	*hash = hash64("", 0, w->n_queries);
	for (size_t i = 0; i < w->n_queries; i++) {
		const struct seqf_query *q = &w->query[i];
		size_t n = strlen(q->name), m = strlen(q->letters);

		if (!n || !m)
			return err_set(&s->e, ERR_USAGE, "query %zu has no %s",
				       i + 1, n ? "letters" : "name");
		buf_put(&s->names, q->name, n);
		*hash = hash64(q->name, n, *hash ^ n);
		*hash = hash64(q->letters, m, *hash ^ m);
		s->query[i] = (struct query_ref){ i, m, { NULL, n } };
	}
	for (size_t i = 0; i < w->n_queries && !s->names.bad; i++) {
		s->query[i].name.p = (const char *)s->names.p + at;
		at += s->query[i].name.n;
	}
	return s->names.bad ? err_nomem(&s->e, s->names.n) : 0;
}

/* BEGIN's text, and the id: all that rows depend on. */
static int
identify(struct seqf_scanner *s, const struct seqf_search *w, uint64_t hash)
{
	struct buf *b = &s->text;
	size_t n = w->options ? strlen(w->options) : 0;

	if (!w->program || !*w->program || strchr(w->program, '\n') ||
	    !w->version || strchr(w->version, '\n') ||
	    (n && w->options[n - 1] != '\n'))
		return err_set(&s->e, ERR_USAGE, "a scanner has a program's "
			       "name, a version, and options in whole lines");
	buf_printf(b, "program %s\nversion %s\n%squeries %zu\n", w->program,
		   w->version, n ? w->options : "", w->n_queries);
	s->key.id = hash64(b->p, b->n, hash);
	s->key.id += s->key.id == 0;	/* 0 is a run's own */
	s->key.base = (struct str){ s->query[0].name.p, s->query[0].name.n };
	s->key.rule = SCAN_UNION;
	buf_printf(b, "scan %016llx\n", (unsigned long long)s->key.id);
	return b->bad ? err_nomem(&s->e, b->n) : 0;
}

int
seqf_scan_open(struct seqf_scanner **out, const struct seqf_search *w,
	       const char *const *paths, size_t n, const char *to,
	       struct seqf_error *e)
{
	struct seqf_scanner *s = calloc(1, sizeof *s);
	struct err why;
	uint64_t hash = 0;
	int rc;

	*out = NULL;
	if (!s)
		return err_nomem(&why, sizeof *s), api_report(e, &why);
	s->context = w->context;
	rc = w->n_queries ? take_queries(s, w, &hash) :
	     err_set(&s->e, ERR_USAGE, "a scanner has at least one query");
	if (!rc)
		rc = identify(s, w, hash);
	if (!rc)
		rc = api_in_open(&s->in, paths, n, false, w->context,
				 &s->e);
	if (!rc)
		rc = out_open(&s->out, to, &s->e);
	if (rc) {
		api_report(e, &s->e);
		scanner_free(s);
		return rc;
	}
	*out = s;
	return 0;
}

/* BEGIN of this scan, before the run's first frame of it. */
static int
begin(struct seqf_scanner *s, const struct run_key *run)
{
	struct begin b = { .run = *run, .scan = s->key, .text = {
		(const char *)s->text.p, s->text.n } };
	struct rec_frame *f;
	int rc;

	if (s->begun && s->run == run->id)
		return 0;
	rc = begin_encode(&f, &b, &s->e);
	if (rc)
		return rc;
	rc = rec_encode(&s->frames, f, &s->e);
	rec_frame_drop(f);
	s->begun = true;
	s->run = run->id;
	return rc;
}

static int
open_chunk(struct seqf_scanner *s, const struct rec_frame *f)
{
	int rc = chunk_view(&s->chunk, f, &s->e);

	if (rc)
		return rc;
	s->open = true;
	s->next = s->n_kept = s->heap.n = 0;
	if (s->chunk.enc == CHUNK_PROB)
		return err_set(&s->e, ERR_USAGE, "chunk %llu holds matrices, "
			       "not letters",
			       (unsigned long long)s->chunk.serial);
	if (!chunk_digest_ok(&s->chunk, &s->e))
		return s->e.code;
	return begin(s, &s->chunk.run);
}

/*
 * The next frame: a chunk is opened, another one copied; before END this scan
 * begins, so that a run without any chunk is seen to have been searched.
 */
static int
next_frame(struct seqf_scanner *s)
{
	const struct rec_frame *f;
	struct run_end end;
	int rc;

	rc = out_write(s->out, s->frames.p, s->frames.n, &s->e);
	s->frames.n = 0;
	if (rc)
		return rc;
	rc = api_in_next(&s->in, &s->e);
	if (rc <= 0)
		return rc;
	if (s->in.it.kind == FEED_DAMAGE)
		return err_set(&s->e, ERR_FORMAT, "%s", s->in.it.text);
	f = s->in.it.frame;
	if (f->type == REC_CHUNK) {
		rc = open_chunk(s, f);
	} else {
		rc = f->type == REC_END ? end_view(&end, f, &s->e) : 0;
		if (!rc && f->type == REC_END)
			rc = begin(s, &end.run);
		if (!rc)
			rc = rec_encode(&s->frames, f, &s->e);
	}
	return rc ? rc : 1;
}

/* Enough letters before what it owns, unless there are none. */
static int
check_context(const struct seqf_scanner *s, const struct chunk_row *r,
	      struct err *e)
{
	if (r->beg == 0 || r->flags & (CHUNK_FIRST | CHUNK_ALL) ||
	    r->own_beg - r->beg >= s->context)
		return 0;
	return err_set(e, ERR_USAGE, "chunk %llu begins %s before what it "
		       "owns, %llu are needed: cut with fasta-chunk -W %llu",
		       (unsigned long long)s->chunk.serial,
		       err_count(r->own_beg - r->beg, "letter").text,
		       (unsigned long long)s->context,
		       (unsigned long long)s->context);
}

int
seqf_scan_next(struct seqf_scanner *s, struct seqf_piece *p,
	       struct seqf_error *e)
{
	int rc = 1;

	if (s->over)
		return s->e.code ? api_report(e, &s->e) : 0;
	while (rc > 0 && !(s->open && s->next < s->chunk.n_rows)) {
		if (s->open)
			rc = api_close_chunk(s);
		if (rc >= 0)
			rc = next_frame(s);
	}
	if (rc > 0) {
		s->bytes.n = 0;
		rc = check_context(s, &s->chunk.row[s->next], &s->e);
		if (!rc)
			rc = api_piece(p, &s->chunk, s->next++, &s->bytes,
				       &s->e);
		rc = rc ? rc : 1;
	}
	s->over = rc <= 0;
	return api_fail(s, rc, e);
}

int
seqf_scan_close(struct seqf_scanner *s, struct seqf_error *e)
{
	int rc = s->e.code;

	if (!rc && !s->over)
		rc = err_set(&s->e, ERR_USAGE, "the scan was not brought to "
			     "its end");
	if (!rc)
		rc = out_write(s->out, s->frames.p, s->frames.n, &s->e);
	if (!rc) {
		rc = out_close(s->out, &s->e);
		s->out = NULL;
	}
	if (rc)
		api_report(e, &s->e);
	scanner_free(s);
	return rc;
}

void
seqf_scan_abort(struct seqf_scanner *s)
{
	if (s)
		scanner_free(s);
}
