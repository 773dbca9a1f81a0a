/* SPDX-License-Identifier: MIT */
/* api_hits.c - hits of a scanner, kept until their chunk is done */
#include <stdlib.h>

#include "api/api_scan.h"
#include "base/array.h"
#include "base/cigar.h"

int
api_fail(struct seqf_scanner *s, int rc, struct seqf_error *e)
{
	if (rc < 0) {
		s->over = true;
		s->e.code = rc;
		api_tell(e, &s->e);
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
