/* SPDX-License-Identifier: MIT */
/* device.h - the usable GPUs, and a choice of them; plain C, no CUDA type */
#ifndef SEQF_CUDA_DEVICE_H
#define SEQF_CUDA_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

/* Is there code for GPUs at all? */
extern const bool cuda_is_built;
/*
 * Usable devices; 0 when built without nvcc, or without driver or GPU.  The
 * first call wakes up the driver: some 0.1 s.  Any thread.
 */
int cuda_devices(void);
/* Why cuda_devices() is 0. */
const char *cuda_why_none(void);

struct cuda_device {
	int number;
	char name[256];
	int major, minor;	/* compute capability */
	uint32_t threads;	/* that it can hold at a time */
	uint32_t shared;	/* bytes that a block can have */
	uint64_t memory, free;	/* bytes */
	uint64_t ops;		/* of integers, a second */
	bool maxima;		/* of sums and of three are one operation */
};
/* Devices are numbered from 0.  ERR_DEVICE, also if its code was left out. */
int cuda_device(struct cuda_device *d, int number, struct err *e);

/*
 * A kernel's device side is a table of functions like this one, and a stream
 * is what its open() makes: without nvcc all of them are NULL (none.c), as
 * there is no device to open.  This one's streams have memory for jobs of any
 * size, one at a time; open() is for pools (cuda/pool.h).
 */
struct cuda_jobs {
	int (*open)(const void *ctx, const struct cuda_device *d,
		    unsigned halved, void **stream, struct err *e);
	void (*close)(void *stream);
};
extern const struct cuda_jobs cuda_jobs;

/* What -g says. */
enum { CUDA_MAX_DEVICES = 64 };
struct cuda_choice {
	enum { CUDA_AUTO, CUDA_NONE, CUDA_THESE } kind;
	int device[CUDA_MAX_DEVICES];
	unsigned n;
};
/*
 * "auto", "none", or numbers of devices with commas between them.  ERR_USAGE;
 * ERR_DEVICE if one of those named is not there.  No device is looked for
 * unless one is named.  Before there are threads: it sets the driver's
 * environment.
 */
int cuda_choose(struct cuda_choice *c, const char *gpu, struct err *e);

#endif
