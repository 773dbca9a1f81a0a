/* SPDX-License-Identifier: MIT */
/* api_scan.c - a scanner of the library, for its two halves only */

#include <stdlib.h>

#include "api/api_read.h"
#include "base/base.h"
#include "letters/letters.h"
#include "rec/rec.h"

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

/* If rc is below 0 the scan ends and *e gets the reason.  Returns rc. */
int api_fail(struct seqf_scanner *s, int rc, struct seqf_error *e);
/* The open chunk's hits and its receipt, one frame or several. */
int api_close_chunk(struct seqf_scanner *s);

/* Hits of a scanner, kept until their chunk is done. */

int
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

int
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
