/* SPDX-License-Identifier: MIT */
/* ebwt_none.c - stands in for ebwt_dev.cu where no GPU code is built */
#include "cuda/device.h"
#include "cuda/ebwt_dev.h"

int
ebwt_dev_run(int device, const struct ebwt_dev_how *how,
	     const struct ebwt_job *j, struct err *e)
{
	(void)how;
	(void)j;
	return err_set(e, ERR_DEVICE, "GPU %d: %s", device, cuda_why_none());
}
