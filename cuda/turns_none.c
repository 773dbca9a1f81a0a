/* SPDX-License-Identifier: MIT */
/* turns_none.c - stands in for turns_dev.cu where no GPU code is built */
#include "cuda/device.h"
#include "cuda/turns_dev.h"

int
turns_run(int device, const struct turns_how *how,
	  const struct ebwt_job *j, struct err *e)
{
	(void)how;
	(void)j;
	return err_set(e, ERR_DEVICE, "GPU %d: %s", device, cuda_why_none());
}
