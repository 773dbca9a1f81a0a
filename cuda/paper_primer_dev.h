/* SPDX-License-Identifier: MIT */
/*
 * paper_primer_dev.h - the device's side of paper_primer.h: a text and all
 * starts, on a stream of struct cuda_jobs
 */
#ifndef SEQF_CUDA_PAPER_PRIMER_DEV_H
#define SEQF_CUDA_PAPER_PRIMER_DEV_H

#include "cuda/device.h"
#include "primer/paper/primer_paper.h"

enum { PAPER_PRIMER_MAX_THREADS = 1024, PAPER_PRIMER_MAX_FACTOR = 3 };

struct paper_primer_dev_how {
	unsigned threads;	/* of a block; 0: the usual; rounded up to 32 */
	unsigned factor;	/* of letters of alpha fetched, 1 to 3; 0: 1 */
	uint32_t batch;		/* starts of one; 0: the usual; for tests */
};

/* ERR_NOMEM: not enough memory on the device; ERR_DEVICE. */
struct paper_primer_dev {
	int (*run)(void *stream, const struct paper_primer_dev_how *how,
		   const struct primer_paper_job *j,
		   struct primer_paper_stats *stats, struct err *e);
};
extern const struct paper_primer_dev paper_primer_dev;

#endif
