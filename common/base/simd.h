/* SPDX-License-Identifier: MIT */
/*
 * simd.h - what a kernel source needs to be compiled once per instruction set
 *
 * A file NAME_kern.c is compiled with -DISA=scalar|avx2|avx512|neon and
 * -DISA_scalar etc.; KERN(f) names this variant's function f_avx2, which others
 * declare and choose by base/cpu.h.  Include it from kernels only, and only
 * headers whose functions are static inline.
 */
#ifndef SEQF_BASE_SIMD_H
#define SEQF_BASE_SIMD_H

#include <stdbool.h>
#include <stdint.h>

#define KERN_PASTE2(f, isa) f##_##isa
#define KERN_PASTE(f, isa) KERN_PASTE2(f, isa)
#define KERN(f) KERN_PASTE(f, ISA)

/* Of functions whose arguments are mostly constants where they are called.
 * With a sanitizer's checks, copies would take minutes to compile. */
#ifdef SANITIZED
#define INLINE static inline
#else
#define INLINE static inline __attribute__((always_inline))
#endif

#if defined(ISA_avx512) || defined(ISA_avx2)
#include <immintrin.h>
#endif
#if defined(ISA_neon)
#include "base/neon.h"
#endif

#if defined(ISA_avx512)
#define VBYTES 64
#elif defined(ISA_avx2)
#define VBYTES 32
#elif defined(ISA_neon)
#define VBYTES 16
#else
#define VBYTES 8
#endif

/* A vector as intrinsics have it, and their names: V(add_epi8), VSI(and). */
#if defined(ISA_avx512)
#define V(f) _mm512_##f
#define VSI(f) _mm512_##f##_si512
typedef __m512i vec;
#elif defined(ISA_avx2)
#define V(f) _mm256_##f
#define VSI(f) _mm256_##f##_si256
typedef __m256i vec;
#elif defined(ISA_neon)
#define V(f) neon_##f
#define VSI(f) neon_##f
typedef neon vec;
#endif

/* + - & | ^ ~ << >> work on these at every width, with gcc and clang. */
typedef uint64_t v64 __attribute__((vector_size(VBYTES)));
typedef uint8_t v8 __attribute__((vector_size(VBYTES)));

#endif
