/* SPDX-License-Identifier: MIT */
/*
 * ebwt_gather.h - words of matrices put together for a helper, of several pairs
 * if need be: it takes a millisecond for whatever it is asked (private)
 *
 * Where words are a product (weighted_dist.h), no helper is quicker: a word
 * takes half a nanosecond of a million, and 17 of 4096, and to add up what a
 * helper says of one takes 6.5.  So it has the words that are listed, which
 * take the CPU 330 each, and 840 for entropies (of 260 letters, one of 16 of
 * which varies).  Sums of products and of lists may differ in their last
 * digits: which it is, the CPU's plan says, with a helper or without.
 */
#ifndef SEQF_EBWT_GATHER_H
#define SEQF_EBWT_GATHER_H

#include "scan/ebwt_sums.h"

/* Has it the words for it, and has it room for them? */
bool ebwt_gather_can(const struct ebwt_route *p, const struct ebwt_how *how);
/* The same, and there is a helper, and they are packed. */
bool ebwt_gather_takes(const struct ebwt_route *p, const struct ebwt_how *how);
/*
 * Words [from, to) of v, which are added to y in this order, some of them
 * later: y and what p names must be there until ebwt_gather_all().  What the
 * helper does not do, this thread does.  ERR_NOMEM, ERR_LIMIT.
 */
int ebwt_gather_add(struct ebwt_sums *y, const struct ebwt_route *p,
		    const struct ebwt_how *how, uint64_t from, uint64_t to,
		    struct ebwt_sums_work *work, struct err *e);
/* What has not been added yet. */
int ebwt_gather_all(const struct ebwt_how *how, struct ebwt_sums_work *work,
		    struct err *e);
void ebwt_gather_free(struct ebwt_gather *g);

#endif
