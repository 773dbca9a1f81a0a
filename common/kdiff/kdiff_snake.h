/* SPDX-License-Identifier: MIT */
/* kdiff_snake.h - paths of hits with few differences (private) */
#ifndef SEQF_KDIFF_KDIFF_SNAKE_H
#define SEQF_KDIFF_KDIFF_SNAKE_H

#include "kdiff/kdiff_priv.h"

enum {
	SNAKE_WORDS = 2,	/* of a pattern in lanes, at most */
	SNAKE_MOST = 10,	/* differences there */
	SNAKE_HITS = 2 * KDIFF_MAX_LANES,	/* side by side, at most */
	SNAKE_READS = 256,	/* letters of the text from a window's first */
};

/*
 * Paths of n hits of one pattern of m letters, all of d >= 1 differences, m + d
 * < 64 SNAKE_WORDS.  A hit's window of m + d letters begins at letter `at` of
 * planes, and then its path does; those from n on are like one of them.  pat:
 * low and high bits of the pattern's letters, 0 behind it.  A path's operations
 * are put before op, at most 2 d + 1, and then begin there.
 */
struct kdiff_snakes {
	const uint64_t *planes;
	uint64_t at[SNAKE_HITS];
	uint32_t *op[SNAKE_HITS];
	uint64_t pat[2][SNAKE_WORDS];
	size_t n;
	uint32_t m, d;
} __attribute__((aligned(64)));

/*
 * Of hits order[0 .. *n), in the order of their patterns, those whose paths are
 * found faster by snakes get them; the others stay in order[0 .. *n).  Not for
 * Hamming distance, exact letters, or overhangs.  0 or ERR_NOMEM.
 */
int kdiff_snake_trace(const struct kdiff_set *set,
		      const struct kdiff_text *text,
		      const struct kdiff_hit *hits, size_t *order, size_t *n,
		      struct kdiff_path *paths, struct buf *ops,
		      struct err *e);

#endif
