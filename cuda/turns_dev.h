/* SPDX-License-Identifier: MIT */
/*
 * turns_dev.h - the device's side of turns.h: rotations of roots sorted, and
 * the runs of pairs counted, on one GPU
 */
#ifndef SEQF_CUDA_TURNS_DEV_H
#define SEQF_CUDA_TURNS_DEV_H

#include "algo/ebwt.h"

/*
 * The first keys have at most so many letters; 0: as many as there is room for
 * (for tests).  ERR_NOMEM: not so much memory, here or on the device;
 * ERR_DEVICE.  Threads may do errands side by side.
 */
int turns_run(int device, unsigned letters, const struct ebwt_errand *j,
	      struct err *e);

#endif
