/* SPDX-License-Identifier: MIT */
/*
 * paper_primer_none.c - stands in for paper_primer_dev.cu in a CPU-only build
 */
#include "cuda/device.h"
#include "cuda/paper_primer_dev.h"

int
paper_primer_dev_run(int device, const struct paper_primer_dev_how *how,
		     const struct primer_paper_job *j,
		     struct primer_paper_stats *stats, struct err *e)
{
	(void)how;
	(void)j;
	(void)stats;
	return err_set(e, ERR_DEVICE, "GPU %d: %s", device, cuda_why_none());
}
