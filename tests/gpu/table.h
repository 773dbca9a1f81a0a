/* SPDX-License-Identifier: MIT */
/* table.h - what tables of speeds share */
#ifndef SEQF_GPU_TABLE_H
#define SEQF_GPU_TABLE_H

#include <stdint.h>
#include <stdlib.h>

#include "../bench/machine.h"
#include "ceilings.h"
#include "cuda/device.h"

/* Runs, fewer if they take so long, in seconds. */
enum { TABLE_ROUNDS = 5, TABLE_SLOW = 2 };

static uint64_t table_state = 1;

static inline uint64_t
table_chance(void)
{
	table_state ^= table_state << 13;
	table_state ^= table_state >> 7;
	return table_state ^= table_state << 17;
}

static inline int
table_by_time(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The median of some runs, seconds each, after one for warmth; that one where
 * it is slow. */
static inline double
table_median(double (*run)(void *ctx), void *ctx)
{
	double t[TABLE_ROUNDS], sum = run(ctx);
	size_t n = 0;

	if (sum > TABLE_SLOW)
		return sum;
	while (n < TABLE_ROUNDS && sum < 2 * TABLE_SLOW)
		sum += t[n++] = run(ctx);
	qsort(t, n, sizeof *t, table_by_time);
	return t[n / 2];
}

/* Of GPU 0; or the program ends.  First of all: as cuda_choose() it sets the
 * driver's environment. */
static inline struct gpu_ceilings
table_ceilings(void)
{
	struct cuda_choice choice;
	struct gpu_ceilings c;
	const char *why;
	struct err e;

	if (cuda_choose(&choice, "auto", &e))
		machine_stop(e.text);
	if (!cuda_devices())
		machine_stop(cuda_why_none());
	if (gpu_ceilings(0, &c, &why))
		machine_stop(why);
	return c;
}

#endif
