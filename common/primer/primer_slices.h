/* SPDX-License-Identifier: MIT */
/*
 * primer_slices.h - a core over all of a text, bit-sliced: lanes of one bit
 * (private)
 *
 * A cell of the matrix is stored as differences to its neighbours: four bits,
 * computed from four bits and whether the letters match, without a carry or a
 * shift.  So a vector holds one bit of as many cells as it has bits, each in a
 * lane of its own, and takes 5 operations where words of 64 rows take 12.  The
 * text must be so long that the overlap of lanes is a small part.
 */
#ifndef SEQF_PRIMER_PRIMER_SLICES_H
#define SEQF_PRIMER_PRIMER_SLICES_H

#include <stdbool.h>
#include <stdint.h>

enum {
	PRIMER_TILE = 64,		/* columns gone through at once */
	PRIMER_MAX_SLICES = 512,	/* lanes */
	PRIMER_MAX_PLANES = 8,		/* classes of letters */
	PRIMER_SLICES_BITS = 32,	/* of a lane's number of differences */
};

/*
 * Lane l reads a stretch of text of its own: column t has for each class of
 * letters a vector, whose bit l says that the letter there matches it.  Columns
 * before `own` lie in another lane, too: rows + limit at least.
 */
struct primer_slices {
	const uint8_t *text;
	unsigned n_classes, lanes;
	uint64_t columns, own;		/* multiples of PRIMER_TILE */
	const uint8_t *code;		/* of rows, 1 to n_classes */
	uint64_t rows, limit;		/* below 2^30 */
	void *state;			/* primer_slices_state() bytes */
	uint64_t steps;			/* of as many operations as a word's */
	/* Lanes that have D of the last row at most the limit in some of the
	 * own columns from `column` on, to the next tile's. */
	void (*found)(void *ctx, uint64_t column,
		      const uint64_t low[PRIMER_MAX_SLICES / 64]);
	void *ctx;
};

typedef void primer_slices_fn(struct primer_slices *s);
primer_slices_fn primer_slices_scalar, primer_slices_avx2, primer_slices_avx512;

/* Aligned to 64. */
static inline uint64_t
primer_slices_state(uint64_t lanes, uint64_t rows)
{
	return lanes / 8 * (2 * rows + 2 * PRIMER_TILE + PRIMER_SLICES_BITS);
}

#endif
