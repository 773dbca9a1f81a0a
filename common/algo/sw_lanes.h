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
 * 21 * D - worst >= 8192, where D = best + open + extend and worst is at most
 * -(open + extend), best at least 0; or columns of all lanes would take more
 * than w->lanes_bytes.  ERR_NOMEM.
 * Columns: up to 4 kB a row.  If skewed lanes may not do it, fewer are kept, or
 * half the lanes, down to 0.6 kB.
 */
enum { SW_LANES_BYTES = 768 << 20 };	/* of all threads */
int sw_lanes_pass(struct sw_pass *p, struct sw_work *w, struct err *e);
void sw_lanes_free(struct sw_lanes *s);

#endif
