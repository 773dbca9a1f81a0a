/* SPDX-License-Identifier: MIT */
/* isas.h - the instruction sets that kernels are compiled for */
#ifndef SEQF_TESTS_ISAS_H
#define SEQF_TESTS_ISAS_H

#include "base/cpu.h"

static const enum isa isas[] = { KERN_ISAS };
enum { N_ISAS = sizeof isas / sizeof isas[0] };

/* How many of them cpu_isa() allows, which are the first ones. */
static inline size_t
n_isas(void)
{
	size_t n = 0;

	while (n < N_ISAS && isas[n] <= cpu_isa())
		n++;
	return n;
}

#endif
