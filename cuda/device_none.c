/* SPDX-License-Identifier: MIT */
/* device_none.c - stands in where no GPU code is built */
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
