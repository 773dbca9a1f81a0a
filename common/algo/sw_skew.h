/* SPDX-License-Identifier: MIT */
/*
 * sw_skew.h - scores of blocks, blocks of the text and strips of rows skewed
 * Source: Wozniak 1997 (cells that do not depend on each other in a vector).
 */
#ifndef SEQF_SW_SKEW_H
#define SEQF_SW_SKEW_H

#include "algo/sw_priv.h"

/*
 * sw_pass() with vectors of 8 and 16 bits, each cell once.  Memory: 9 bytes a
 * row.  Returns 0; 1 if it cannot take this, peaks being as they were: no such
 * vectors here; scores other than a match M > 0 of up to 4 letters of the query
 * with themselves and a mismatch X <= 0 of all others; n * M >= 2^31 - 2^20;
 * 72 * (M + open + extend) + 2 * open + 9 * extend - X >= 2^15.  ERR_NOMEM.
 */
int sw_skew_pass(struct sw_pass *p, struct sw_work *w, struct err *e);
/* Does it take the query, with few lanes that idle? */
bool sw_skew_is_best(const struct sw_query *q);
void sw_skew_free(struct sw_skew *s);

#endif
