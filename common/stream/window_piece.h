/* SPDX-License-Identifier: MIT */
/* window_piece.h - in which chunk's row the letters of a window stand */
#ifndef SEQF_WINDOW_PIECE_H
#define SEQF_WINDOW_PIECE_H

#include "stream/chunk.h"

/* A chunk and those before it in the stream, the nearest first. */
struct chunks {
	const struct chunk *c, *before;
	size_t n_before;
};

/* Letters [from, to) of a sequence, all in one chunk's row. */
struct piece {
	const struct chunk *c;
	const struct chunk_row *r;
	uint64_t from, to;
};

/* The piece of row r's sequence that begins at `from`, cut at `to`; false:
 * nowhere. */
bool window_piece(const struct chunks *k, const struct chunk_row *r,
		  uint64_t from, uint64_t to, struct piece *p);
/*
 * The first letter of row r's sequence to be searched: `context` letters before
 * what the row owns, or where the sequence begins.  ERR_USAGE if no chunk
 * holds them.
 */
int window_start(const struct chunks *k, const struct chunk_row *r,
		 uint64_t context, uint64_t *start, struct err *e);

#endif
