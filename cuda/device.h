/* SPDX-License-Identifier: MIT */
/* device.h - which GPUs there are; plain C, no CUDA type */
#ifndef SEQF_CUDA_DEVICE_H
#define SEQF_CUDA_DEVICE_H

/* Usable devices; 0 when built without nvcc, or without driver or GPU. */
int cuda_devices(void);
/* Why cuda_devices() is 0; call it after cuda_devices(). */
const char *cuda_why_none(void);

#endif
