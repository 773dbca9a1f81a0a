/* SPDX-License-Identifier: MIT */
/*
 * paper_primer.h - the source's algorithms for primers by GPUs, for comparison
 * Source: Feuser and Moreano, the k-difference primer problem; no CUDA type.
 *
 * Fine-grained: a start is a block's, whose threads share its values: those of
 * an anti-diagonal of D, or those of L with as many differences.  1 to 3 and
 * ours are as on the CPU (primer/paper/primer_paper.h), where what is known of
 * a start's end is what blocks before have said so far.  And
 * - 4: a matrix in tiles, of which the values of a step are in shared memory:
 *   D's are rectangles, as many rows as threads and all columns, the last row
 *   saved in global memory for the tile below, so that 1 has whole rows to go
 *   by; L's are parallelograms, as many diagonals as threads, of whose edge
 *   2 k values are saved in shared memory, with k of up to 2048.  Without, or
 *   with a larger k, values are in global memory;
 * - 5, of tiles: the first letters of alpha are fetched into shared memory
 *   once, for all tiles: c k, rounded up to a multiple of the threads; c is the
 *   factor;
 * - 6, of 5 and L: so are as many letters of beta, and those of the threads
 *   more; of each tile after the first, as many new ones as there are threads,
 *   whether they will be needed or not.  Alpha's letter r and diagonal d's,
 *   r + d, with c differences, r >= c: so from a tile's first diagonal on,
 *   wherever alpha's is among those fetched, beta's is.
 * - the reduction, of 3: the threads' maxima come together in warps, then in
 *   shared memory; without it by an atomic operation of each;
 * - batches: some starts at a time, their bounds to the device and their ends
 *   back while another batch is computed; a batch's first start knows nothing
 *   of the one before it.  Without them: all there, all starts, all back.
 * A comparison with a letter that is not among those fetched is a miss.
 * Which of them a start has cannot change its end.
 */
#ifndef SEQF_CUDA_PAPER_PRIMER_H
#define SEQF_CUDA_PAPER_PRIMER_H

#include "cuda/pool.h"
#include "cuda/paper_primer_dev.h"

struct cuda_paper_primer_params {
	struct cuda_choice choice;
	struct paper_primer_dev_how how;
};

/* ERR_DEVICE, ERR_NOMEM, as of cuda_pool_new(). */
int cuda_paper_primer_new(struct cuda_pool **g,
			  const struct cuda_paper_primer_params *p,
			  struct err *e);
/* For primer_paper_by(), any number of threads; a job for which there is too
 * little memory is declined. */
struct primer_paper_backend cuda_paper_primer_backend(struct cuda_pool *g);

#endif
