/* SPDX-License-Identifier: MIT */
/* window_priv.h - shared by the files of window, private to them */
#ifndef SEQF_WINDOW_PRIV_H
#define SEQF_WINDOW_PRIV_H

#include "base/dna.h"
#include "stream/chunk.h"
#include "stream/window.h"

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

/* A window in the making. */
struct window_maker {
	struct window *w;
	enum window_kind kind;
	struct chunks k;
	uint64_t *planes, *exc, *sets;	/* to be written; as in the window */
	bool any_exc;
	struct err *e;
};

static inline bool
window_is_dna(enum window_kind kind)
{
	return kind == WINDOW_PLANES || kind == WINDOW_SETS;
}

/* Can a chunk's planes be read as words? */
static inline bool
window_native(const struct chunk *c)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ &&
	       (uintptr_t)c->letters % 8 == 0 &&
	       c->n_bytes / 8 >= dna_words(c->n);
}

/*
 * Letters of all segments to their places; placed: the chunk's own planes
 * serve, only exceptions are looked for.
 */
int window_fill(struct window_maker *m, bool placed);

#endif
