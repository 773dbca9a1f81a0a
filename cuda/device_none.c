/* SPDX-License-Identifier: MIT */
/* device_none.c - stands in where no GPU code is built */
#include "cuda/device.h"

#include <string.h>

int
cuda_devices(void)
{
	return 0;
}

const char *
cuda_why_none(void)
{
	return "built without CUDA";
}

int
cuda_choose(const char *gpu, struct err *e)
{
	if (strcmp(gpu, "auto") == 0 || strcmp(gpu, "none") == 0)
		return 0;
	if (gpu[strspn(gpu, "0123456789,")] || !*gpu)
		return err_set(e, ERR_USAGE, "-g %s: must be auto, none or a "
			       "device's number", gpu);
	return err_set(e, ERR_DEVICE, "-g %s: %s", gpu, cuda_why_none());
}
