/* SPDX-License-Identifier: MIT */
/* api_scan.c - a scanner's frames: pieces in, hits and receipts out */
#include <stdlib.h>

#include "api/api_scan.h"
#include "base/hash.h"

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
		return err_nomem(&why, sizeof *s), api_tell(e, &why);
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
		api_tell(e, &s->e);
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
		return s->e.code ? api_tell(e, &s->e) : 0;
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
		api_tell(e, &s->e);
	scanner_free(s);
	return rc;
}

void
seqf_scan_abort(struct seqf_scanner *s)
{
	if (s)
		scanner_free(s);
}
