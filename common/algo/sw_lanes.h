/* SPDX-License-Identifier: MIT */
/*
 * sw_lanes.h - scores of blocks, pieces of the text side by side in a vector
 * Source: Wozniak 1997 and Rognes 2011 (subjects in lanes); Jain and Kumar (the
 * end of a piece is handed to the next one until nothing changes).
 */
#ifndef SEQF_SW_LANES_H
#define SEQF_SW_LANES_H

#include "algo/sw_priv.h"

/*
 * sw_pass() with vectors of 8 and 16 bits, SW_LANES16: of 16 bits only.
 * Returns 0; 1 if it cannot take this, peaks being void: no such vectors here;
 * scores too large for 16 bits; or columns of all lanes would take more than
 * w->lanes_bytes.  ERR_NOMEM.
 * Let best be the largest score, 0 or more, worst the least one, or that of a
 * gap of one letter if that is less, and top = best * the letters of the query
 * or of the longest segment, whichever is shorter.  16 bits will do if
 *	top <= 32767 and open + 2 * extend - worst <= 32768, or
 *	21 * (best + extend) + 3 * open - worst < 15360 and top < 2^26.
 * Columns: up to 4 kB a row.  If skewed lanes may not do it, fewer are kept, or
 * half the lanes, down to 0.6 kB.
 */
enum { SW_LANES_BYTES = 768 << 20 };	/* of all threads */
int sw_lanes_pass(struct sw_pass *p, struct sw_work *w, struct err *e);
void sw_lanes_free(struct sw_lanes *s);

#endif
