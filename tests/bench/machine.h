/* SPDX-License-Identifier: MIT */
/* machine.h - clock and vector units, measured */
#ifndef SEQF_BENCH_MACHINE_H
#define SEQF_BENCH_MACHINE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/cpu.h"

static inline double
machine_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

enum { MACHINE_LOOPS = 250000 };	/* 8 steps each: below a millisecond */

static inline double
machine_cpu(void)	/* CPU time: other work on the machine counts less */
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline _Noreturn void
machine_stop(const char *why)
{
	fprintf(stderr, "bench: %s\n", why);
	exit(1);
}

/*
 * Clock in GHz: additions of a register, each of which waits for the one
 * before, take a cycle each on every machine we know.  The fastest of three.
 * 0 where there is no such loop.
 */
static inline double
machine_ghz(void)
{
	double best = 0;
#if defined(__x86_64__) || defined(__aarch64__)
	uint64_t x = 1, y = 3;

	for (int r = 0; r < 3; r++) {
		double t = machine_seconds();

		for (int i = 0; i < MACHINE_LOOPS; i++)
#if defined(__x86_64__)
			__asm__ volatile("add %1,%0\n\tadd %1,%0\n\t"
			    "add %1,%0\n\tadd %1,%0\n\tadd %1,%0\n\t"
			    "add %1,%0\n\tadd %1,%0\n\tadd %1,%0"
			    : "+r"(x) : "r"(y));
#else
			__asm__ volatile("add %0,%0,%1\n\tadd %0,%0,%1\n\t"
			    "add %0,%0,%1\n\tadd %0,%0,%1\n\tadd %0,%0,%1\n\t"
			    "add %0,%0,%1\n\tadd %0,%0,%1\n\tadd %0,%0,%1"
			    : "+r"(x) : "r"(y));
#endif
		t = 8 * MACHINE_LOOPS / (machine_seconds() - t) / 1e9;
		best = t > best ? t : best;
	}
#endif
	return best;
}

#if defined(__x86_64__)
static inline void
machine_avx512(void)
{
	__asm__ volatile(
	    "vpternlogq $0x96,%%zmm8,%%zmm9,%%zmm0\n\t"
	    "vpternlogq $0x96,%%zmm8,%%zmm9,%%zmm1\n\t"
	    "vpternlogq $0x96,%%zmm8,%%zmm9,%%zmm2\n\t"
	    "vpternlogq $0x96,%%zmm8,%%zmm9,%%zmm3\n\t"
	    "vpternlogq $0x96,%%zmm8,%%zmm9,%%zmm4\n\t"
	    "vpternlogq $0x96,%%zmm8,%%zmm9,%%zmm5\n\t"
	    "vpternlogq $0x96,%%zmm8,%%zmm9,%%zmm6\n\t"
	    "vpternlogq $0x96,%%zmm8,%%zmm9,%%zmm7"
	    : : : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
	    "xmm7");
}

static inline void
machine_avx2(void)
{
	__asm__ volatile(
	    "vpaddq %%ymm8,%%ymm0,%%ymm0\n\t"
	    "vpaddq %%ymm8,%%ymm1,%%ymm1\n\t"
	    "vpaddq %%ymm8,%%ymm2,%%ymm2\n\t"
	    "vpaddq %%ymm8,%%ymm3,%%ymm3\n\t"
	    "vpaddq %%ymm8,%%ymm4,%%ymm4\n\t"
	    "vpaddq %%ymm8,%%ymm5,%%ymm5\n\t"
	    "vpaddq %%ymm8,%%ymm6,%%ymm6\n\t"
	    "vpaddq %%ymm8,%%ymm7,%%ymm7"
	    : : : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
	    "xmm7");
}
#endif

/*
 * Vector operations of the instruction set that the machine does in a cycle:
 * eight independent ones in a loop.  The best of three; 1 where not known.
 */
static inline double
machine_vector_ops(enum isa isa)
{
	static double known[8];
	double best = 0;

	if (known[isa] > 0)
		return known[isa];
#if defined(__x86_64__)
	for (int r = 0; r < 3 && isa != ISA_SCALAR; r++) {
		double t = machine_seconds();

		for (int i = 0; i < MACHINE_LOOPS; i++)
			if (isa == ISA_AVX512)
				machine_avx512();
			else
				machine_avx2();
		t = 8 * MACHINE_LOOPS / (machine_seconds() - t) / 1e9 /
		    machine_ghz();
		best = t > best ? t : best;
	}
#endif
	return known[isa] = best > 0 ? best : 1;
}

#endif
