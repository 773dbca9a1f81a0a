/* SPDX-License-Identifier: MIT */
/* device_none.c - stands in for device.cu where no GPU code is built */
#include "cuda/device.h"

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
cuda_device(struct cuda_device *d, int number, struct err *e)
{
	(void)d;
	return err_set(e, ERR_DEVICE, "GPU %d: %s", number, cuda_why_none());
}
