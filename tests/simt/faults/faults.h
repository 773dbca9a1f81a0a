/* SPDX-License-Identifier: MIT */
/*
 * faults.h - kernels with a planted fault, which the emulator must find
 *
 *	FAULT(name, found_by, says) { ... return whether the result is right; }
 *
 * Its argument `sound` says to do it right: nothing may be found then, whatever
 * the seed.  Otherwise each of found_by, some of "plain asan tsan msan", must
 * say one of `says`, texts with | between them, for every seed.
 */
#ifndef SEQF_FAULTS_H
#define SEQF_FAULTS_H

#include "cuda/simt.h"

#define EVERYBODY "plain asan tsan msan"

struct fault {
	const char *name, *found_by, *says;
	bool (*run)(bool sound);
	struct fault *next;
};
void fault_add(struct fault *f);

#define FAULT(id, found_by, says)                                              \
	static bool id(bool sound);                                            \
	static struct fault id##_fault = {#id, found_by, says, id, 0};         \
	__attribute__((constructor)) static void id##_add(void)                \
	{                                                                      \
		fault_add(&id##_fault);                                        \
	}                                                                      \
	static bool id(bool sound)

/* The launch of a kernel on v, `size` numbers from 0, makes the first n of them
 * those from `from` on. */
#define FAULT_OF(id, found_by, says, size, n, from, launch)                    \
	FAULT(id, found_by, says)                                              \
	{                                                                      \
		int *v = numbers(size);                                        \
                                                                               \
		LAUNCH launch;                                                 \
		return are_numbers(v, n, from);                                \
	}

/* n ints on the device: the numbers from 0. */
static inline int *
numbers(int n)
{
	int *host = (int *)malloc((size_t)n * sizeof *host), *p;

	for (int i = 0; i < n; i++)
		host[i] = i;
	cudaMalloc(&p, (size_t)n * sizeof *p);
	cudaMemcpy(p, host, (size_t)n * sizeof *p, cudaMemcpyHostToDevice);
	free(host);
	return p;
}

/* Whether they are now from, from + 1, ...; gives them back. */
static inline bool
are_numbers(int *p, int n, int from)
{
	int *host = (int *)malloc((size_t)n * sizeof *host);
	bool same = true;

	cudaMemcpy(host, p, (size_t)n * sizeof *p, cudaMemcpyDeviceToHost);
	for (int i = 0; i < n; i++)
		same &= host[i] == from + i;
	cudaFree(p);
	free(host);
	return same;
}

#endif
