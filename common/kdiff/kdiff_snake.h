/* SPDX-License-Identifier: MIT */
/* kdiff_snake.h - paths of hits with few differences (private) */
#ifndef SEQF_KDIFF_KDIFF_SNAKE_H
#define SEQF_KDIFF_KDIFF_SNAKE_H

#include "kdiff/kdiff_priv.h"

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
