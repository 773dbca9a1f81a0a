/* SPDX-License-Identifier: MIT */
/* device.h - which GPUs there are; plain C, no CUDA type */
#ifndef SEQF_CUDA_DEVICE_H
#define SEQF_CUDA_DEVICE_H

#include "base/err.h"

/* Usable devices; 0 when built without nvcc, or without driver or GPU. */
int cuda_devices(void);
/* Why cuda_devices() is 0; call it after cuda_devices(). */
const char *cuda_why_none(void);

/*
 * What -g says: "auto" and "none" may be anything; a number must be a device.
 * 0, ERR_USAGE, or ERR_DEVICE.
 */
int cuda_choose(const char *gpu, struct err *e);

#endif
