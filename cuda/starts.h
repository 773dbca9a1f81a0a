/* SPDX-License-Identifier: MIT */
/*
 * starts.h - the source's algorithms for primers done by GPUs, to compare with
 * Source: Feuser and Moreano, the k-difference primer problem; no CUDA type.
 *
 * Its text was not at hand.  Its abstract tells of two grains, starts and the
 * work of a start, of fewer synchronisations, of tiles and of speculative
 * prefetch; we take that for this:
 * - starts are a block each, whose threads share diagonals: a thread each
 *   would take two rows of the matrix for each thread, 2 MB at its sizes;
 * - 1 to 3 as on the CPU (algo/primer_paper.h), where what is known of a
 *   start's end is what blocks before have said so far;
 * - 4: a step ends with one barrier, which is also the vote on whether to go
 *   on; else rows are copied back, and there are three;
 * - 5: diagonals in tiles, whose rows are in shared memory (see the kernel),
 *   with k of up to 2048; else the rows are in global memory;
 * - 6, of tiles: the letters of the next 32 rows, times the factor, around
 *   where the middle diagonal is, are fetched into shared memory, whether they
 *   will be needed or not.  A letter compared that is not among them is a miss.
 * Which of them a start has cannot change its end.
 */
#ifndef SEQF_CUDA_STARTS_H
#define SEQF_CUDA_STARTS_H

#include "cuda/pool.h"
#include "cuda/starts_dev.h"

struct cuda_starts;

struct cuda_starts_params {
	struct cuda_choice choice;
	struct starts_how how;
};

/* ERR_DEVICE, ERR_NOMEM, as of cuda_pool_new(). */
int cuda_starts_new(struct cuda_starts **g, const struct cuda_starts_params *p,
		    struct err *e);
void cuda_starts_free(struct cuda_starts *g);
/* For primer_paper_by(), any number of threads; with too little memory it fails
 * like a device. */
const struct primer_paper_helper *cuda_starts_helper(
	const struct cuda_starts *g);
/* When no thread is at work. */
void cuda_starts_report(const struct cuda_starts *g, struct cuda_report *r);

#endif
