/* SPDX-License-Identifier: MIT */
/* ebwt_store.c - words that wait in a temporary file */

#include <stdlib.h>

#include "base/base.h"
#include "letters/letters.h"
#include "scan/ebwt/ebwt_store.h"

/* Letters of a piece: an N makes no more of them take a byte each. */
enum { PIECE = 1 << 16, WORDS = PIECE / 64 };

void
ebwt_store_free(struct ebwt_store *s)
{
	spool_close(&s->file);
	free(s->piece);
	free(s->planes);
	*s = (struct ebwt_store){ 0 };
}

/* Two planes, and marks of exceptions and of lower case. */
static int
store_room(struct ebwt_store *s, struct err *e)
{
	if (!s->planes)
		s->planes = malloc(4 * WORDS * sizeof *s->planes);
	if (!s->planes)
		return err_nomem(e, 4 * WORDS * sizeof *s->planes);
	return array_room(&s->piece, &s->cap, s->n + 1, sizeof *s->piece, e);
}

static int
put_piece(struct ebwt_store *s, uint64_t word, uint64_t beg,
	  const uint8_t *letters, uint32_t n, struct err *e)
{
	struct ebwt_piece *p;
	int rc = store_room(s, e);

	if (rc)
		return rc;
	p = &s->piece[s->n++];
	*p = (struct ebwt_piece){ word, beg, s->file.n, n, false };
	p->packed = !(dna_ops()->pack(letters, n, s->planes,
				      s->planes + 2 * WORDS, s->planes +
				      3 * WORDS) & DNA_HAS_EXC);
	return spool_append(&s->file, p->packed ? (void *)s->planes :
			    (const void *)letters, p->packed ?
			    dna_words(n) * sizeof *s->planes : n, e);
}

int
ebwt_store_put(struct ebwt_store *s, uint64_t word, uint64_t beg,
	       const uint8_t *letters, uint64_t n, struct err *e)
{
	int rc = 0;

	s->sorted = false;
	for (uint64_t at = 0; at < n && !rc; at += PIECE)
		rc = put_piece(s, word, beg + at, letters + at,
			       (uint32_t)min_u64(PIECE, n - at), e);
	return rc;
}

static int
by_word(const void *x, const void *y)
{
	const struct ebwt_piece *a = x, *b = y;
	int c = cmp_u64(a->word, b->word);

	return c ? c : cmp_u64(a->beg, b->beg);
}

static int
get_piece(struct ebwt_store *s, const struct ebwt_piece *p, uint8_t *to,
	  struct err *e)
{
	int rc;

	if (!p->packed)
		return spool_read(&s->file, p->at, to, p->n, e);
	rc = spool_read(&s->file, p->at, s->planes, dna_words(p->n) *
			sizeof *s->planes, e);
	if (!rc)
		dna_ops()->unpack(s->planes, 0, p->n, to);
	return rc;
}

int
ebwt_store_get(struct ebwt_store *s, uint64_t word, uint8_t *to,
	       struct err *e)
{
	int rc = 0;
	size_t i;

	if (!s->sorted && s->n)
		qsort(s->piece, s->n, sizeof *s->piece, by_word);
	s->sorted = true;
	i = array_first(s->piece, s->n, sizeof *s->piece,
			offsetof(struct ebwt_piece, word), word);
	for (; i < s->n && s->piece[i].word == word && !rc; i++) {
		rc = get_piece(s, &s->piece[i], to, e);
		to += s->piece[i].n;
	}
	return rc;
}
