/* SPDX-License-Identifier: MIT */
/* cpu.h - which instruction set the kernels use, and how many threads */
#ifndef SEQF_BASE_CPU_H
#define SEQF_BASE_CPU_H

#include <stdbool.h>

#include "base/err.h"
#include "base/isa.h"

const char *cpu_isa_name(enum isa isa);

/*
 * Are AVX-512's 64-bit products (vpmullq) as quick as scalar ones?  On AMD 3
 * cycles, on Intel 15, which is too long for a chain of them.
 */
bool cpu_mullo64(void);

/* 0, or ERR_USAGE if SEQF_ISA or SEQF_THREADS holds an unknown value. */
int cpu_check(struct err *e);

/* SEQF_THREADS, else the processors this process may use; at least 1. */
unsigned cpu_threads(void);

#endif
