/* SPDX-License-Identifier: MIT */
/* control.h - what a test may ask of the emulator of CUDA; plain C */
#ifndef SEQF_SIMT_CONTROL_H
#define SEQF_SIMT_CONTROL_H

#include <stddef.h>
#include <stdint.h>

enum { SIMT_FINDING = 99 }; /* the exit status after one */

#ifdef __cplusplus
extern "C" {
#endif

/* The schedule: 0 in order, odd by warp priorities, even by chance. */
void simt_seed(uint64_t seed);
/* Devices there are, and bytes of memory that each has. */
void simt_devices(int n);
void simt_memory(size_t n_bytes);
/* So many of them, the first ones, are of a kind that has no code. */
void simt_old(int n);
/* The others are of this kind, 9 at first: see cuda_device.maxima. */
void simt_kind(int major);
/* Bytes of shared memory that a block can have: 227 KiB at most. */
void simt_shared(size_t n_bytes);
/* From now on, the call-th call of the runtime that can fail does; 0: none. */
void simt_fail_at(long call);
/* Calls that could have failed since then; those of them that made a stream,
 * asked for memory or for a device's properties, each longer than a small
 * kernel; and bytes copied to the host. */
long simt_calls(void);
long simt_slow_calls(void);
size_t simt_copied_back(void);
/* Allocations, streams and events that have not been given back. */
long simt_alive(void);

#ifdef __cplusplus
}
#endif

#endif
