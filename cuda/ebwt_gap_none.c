/* SPDX-License-Identifier: MIT */
/* ebwt_gap_none.c - stands in for ebwt_gap_dev.cu where no GPU code is built */
#include "cuda/device.h"
#include "cuda/ebwt_gap_dev.h"

int
ebwt_gap_dev_run(int device, const struct gap_batch *j, uint32_t from,
		 uint32_t to, struct err *e)
{
	(void)j;
	(void)from;
	(void)to;
	return err_set(e, ERR_DEVICE, "GPU %d: %s", device, cuda_why_none());
}
