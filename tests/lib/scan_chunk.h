/* SPDX-License-Identifier: MIT */
/* scan_chunk.h - one chunk, searched by one thread */
#ifndef SEQF_TESTS_SCAN_CHUNK_H
#define SEQF_TESTS_SCAN_CHUNK_H

#include "scan/scan.h"

/* Appends the result to out. */
static inline int
scan_one_chunk(struct scan_workers *m, struct rec_frame *f,
	       struct rec_frame **before, size_t n_before, struct buf *out,
	       struct err *e)
{
	struct pump_job job = { .item = { .frame = f }, .threads = 1,
				.before = before, .n_before = n_before,
				.out = *out };
	int rc = scan_workers_work(&m, 0, &job, e);

	*out = job.out;
	return rc;
}

#endif
