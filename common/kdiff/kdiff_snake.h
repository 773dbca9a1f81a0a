/* SPDX-License-Identifier: MIT */
/* kdiff_snake.h - paths of hits with few differences (private) */
#ifndef SEQF_KDIFF_KDIFF_SNAKE_H
#define SEQF_KDIFF_KDIFF_SNAKE_H

#include "kdiff/kdiff_priv.h"

enum {
	SNAKE_WORDS = 2,	/* of a pattern in lanes, at most */
	SNAKE_MOST = 10,	/* differences there */
	SNAKE_READS = 256,	/* letters of the text from a window's first */
};

/*
 * Paths of hits of one pattern of m letters, a lane each, all of d >= 1
 * differences, m + d < 64 SNAKE_WORDS.  The window of m + d letters begins at
 * letter `at` of planes; pat: low and high bits of the pattern's letters, 0
 * behind it.  A path is equal[0] letters, code[1], equal[1] letters, ...
 * code[d], equal[d] letters, and begins on a diagonal as in kdiff_snake.c.
 */
struct kdiff_snakes {
	const uint64_t *planes;
	uint64_t at[KDIFF_MAX_LANES], diagonal[KDIFF_MAX_LANES];
	uint64_t pat[2][SNAKE_WORDS];
	uint64_t equal[SNAKE_MOST + 1][KDIFF_MAX_LANES];
	uint64_t code[SNAKE_MOST + 1][KDIFF_MAX_LANES];
	uint32_t m, d;
} __attribute__((aligned(64)));
#if defined(KERN_AVX512)
extern kdiff_snakes_fn kdiff_snakes_avx512;
#endif

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
