/* SPDX-License-Identifier: MIT */
/*
 * ebwt_store.h - words that wait in a temporary file (private)
 *
 * Pieces of A C G T alone take two bits a letter, others eight; in memory each
 * has some bytes.  Not thread-safe.
 */
#ifndef SEQF_SCAN_EBWT_EBWT_STORE_H
#define SEQF_SCAN_EBWT_EBWT_STORE_H

#include "base/base.h"

struct ebwt_piece {
	uint64_t word, beg;	/* where it is in the word's sequence */
	uint64_t at;		/* in the file */
	uint32_t n;		/* letters */
	bool packed;
};
struct ebwt_store {		/* zero it first */
	struct spool file;
	struct ebwt_piece *piece;
	size_t n, cap;
	uint64_t *planes;	/* of a piece */
	bool sorted;
};
void ebwt_store_free(struct ebwt_store *s);
/* Letters [beg, beg + n) of a word, upper case; in any order. */
int ebwt_store_put(struct ebwt_store *s, uint64_t word, uint64_t beg,
		   const uint8_t *letters, uint64_t n, struct err *e);
/* All pieces of a word, one behind the other. */
int ebwt_store_get(struct ebwt_store *s, uint64_t word, uint8_t *to,
		   struct err *e);
static inline uint64_t
ebwt_store_bytes(const struct ebwt_store *s)
{
	return s->n * sizeof *s->piece;
}

#endif
