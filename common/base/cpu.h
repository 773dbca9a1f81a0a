/* SPDX-License-Identifier: MIT */
/* cpu.h - which instruction set the kernels use, and how many threads */
#ifndef SEQF_BASE_CPU_H
#define SEQF_BASE_CPU_H

#include <stdbool.h>
#include <stddef.h>

struct err;

/*
 * Instruction sets, and the variants of a kernel
 *
 * NAME_kern.c is compiled once per instruction set, as base/simd.h says.
 * 	KERN_DECLARE(type, name);	name_scalar, name_avx2, ... are declared
 * 	KERN_PICK(name)			the one for cpu_isa()
 * 	KERN_OF(isa, name)		the one for isa, which the CPU has
 * 	KERN_ALL(name)			all of them, in the order of KERN_ISAS
 * The type is one of functions, or of a table of them: KERN_PICK(&ops).  Of a
 * kernel without a scalar variant, KERN_DECLARE_VECTOR and KERN_PICK_VECTOR:
 * NULL where there is none.  An instruction set is named here once.
 */

enum isa { ISA_SCALAR, ISA_NEON, ISA_AVX2, ISA_AVX512 };

/*
 * The best instruction set that this build has and this CPU runs, lowered by
 * SEQF_ISA=scalar|avx2|avx512|neon (an instruction set that the CPU lacks
 * gives the best one it has).  avx512 is F, BW, VL, DQ, CD, VBMI, VBMI2,
 * BITALG, VPOPCNTDQ and GFNI: Ice Lake, Zen 4 and later.  Thread-safe.
 */
enum isa cpu_isa(void);

/* Bytes of a kernel's vector: VBYTES of base/simd.h. */
static inline unsigned
isa_bytes(enum isa isa)
{
	return isa == ISA_AVX512 ? 64 : isa == ISA_AVX2 ? 32 :
	       isa == ISA_NEON ? 16 : 8;
}

/*
 * KERN_AVX2, ...: those that the build has, the Makefile's ISAS.
 * KERN_IF_AVX2(x) is x where it has AVX2, else nothing.
 */
#if defined(__x86_64__) && !defined(WITHOUT_avx2)
#define KERN_AVX2
#define KERN_IF_AVX2(...) __VA_ARGS__
#else
#define KERN_IF_AVX2(...)
#endif
#if defined(__x86_64__) && !defined(WITHOUT_avx512)
#define KERN_AVX512
#define KERN_IF_AVX512(...) __VA_ARGS__
#else
#define KERN_IF_AVX512(...)
#endif
#if defined(__aarch64__) && !defined(__AARCH64EB__) && !defined(WITHOUT_neon)
#define KERN_NEON
#define KERN_IF_NEON(...) __VA_ARGS__
#else
#define KERN_IF_NEON(...)
#endif

#define KERN_ISAS ISA_SCALAR KERN_IF_NEON(, ISA_NEON) \
	KERN_IF_AVX2(, ISA_AVX2) KERN_IF_AVX512(, ISA_AVX512)
#define KERN_ALL(name) name##_scalar KERN_IF_NEON(, name##_neon) \
	KERN_IF_AVX2(, name##_avx2) KERN_IF_AVX512(, name##_avx512)
#define KERN_DECLARE_VECTOR(type, name) \
	KERN_IF_NEON(extern type name##_neon;) \
	KERN_IF_AVX2(extern type name##_avx2;) \
	KERN_IF_AVX512(extern type name##_avx512;) \
	struct kern_none
#define KERN_OF_OR(isa, name, other) ((void)(isa), \
	KERN_IF_NEON((isa) == ISA_NEON ? name##_neon :) \
	KERN_IF_AVX2((isa) == ISA_AVX2 ? name##_avx2 :) \
	KERN_IF_AVX512((isa) == ISA_AVX512 ? name##_avx512 :) (other))

#define KERN_DECLARE(type, name) \
	extern type name##_scalar; \
	KERN_DECLARE_VECTOR(type, name)
#define KERN_OF(isa, name) KERN_OF_OR(isa, name, name##_scalar)
#define KERN_PICK(name) KERN_OF(cpu_isa(), name)
#define KERN_PICK_VECTOR(name) KERN_OF_OR(cpu_isa(), name, NULL)

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
