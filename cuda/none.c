/* SPDX-License-Identifier: MIT */
/*
 * none.c - stands in for all *.cu where no GPU code is built
 *
 * There is no device, so no pool opens a stream and nothing else is called.
 */
#include "cuda/device.h"
#include "cuda/ebwt_dev.h"
#include "cuda/kdiff_dev.h"
#include "cuda/paper_primer_dev.h"
#include "cuda/primer_dev.h"
#include "cuda/sw_dev.h"

const bool cuda_is_built = false;

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

const struct cuda_jobs cuda_jobs;
const struct ebwt_dev ebwt_dev;
const struct ebwt_gap_dev ebwt_gap_dev;
const struct kdiff_dev kdiff_dev;
const struct paper_primer_dev paper_primer_dev;
const struct primer_dev primer_dev;
const struct sw_dev sw_dev;
