/* SPDX-License-Identifier: MIT */
/* sw_lanes_vec.h - vectors of bytes (unsigned) and of 16 bits (signed) */
#ifndef SEQF_SW_SW_LANES_VEC_H
#define SEQF_SW_SW_LANES_VEC_H

#include <stdbool.h>

#include "base/simd.h"

#if VBYTES >= 16	/* else there are no lanes */

INLINE vec
set8(int x)
{
	return V(set1_epi8)((char)x);
}

INLINE vec
set16(int x)
{
	return V(set1_epi16)((short)x);
}

/* bits is a constant: 8 or 16 */
INLINE vec
vset(int bits, int x)
{
	return bits == 8 ? set8(x) : set16(x);
}

INLINE vec
vadd(int bits, vec a, vec b)
{
	return bits == 8 ? V(add_epi8)(a, b) : V(add_epi16)(a, b);
}

INLINE vec
vsub(int bits, vec a, vec b)
{
	return bits == 8 ? V(sub_epi8)(a, b) : V(sub_epi16)(a, b);
}

INLINE vec
vmax(int bits, vec a, vec b)
{
	return bits == 8 ? V(max_epu8)(a, b) : V(max_epi16)(a, b);
}

/* All ones where a > b, 16 bits. */
INLINE vec
above16(vec a, vec b)
{
#if defined(ISA_avx512)
	return V(movm_epi16)(V(cmpgt_epi16_mask)(a, b));
#else
	return V(cmpgt_epi16)(a, b);
#endif
}

INLINE bool
any(vec a)
{
#if defined(ISA_avx512)
	return V(test_epi64_mask)(a, a) != 0;
#elif defined(ISA_avx2)
	return !_mm256_testz_si256(a, a);
#else
	return neon_any(a);
#endif
}

/* Is a >= b anywhere? */
INLINE bool
reaches(int bits, vec a, vec b)
{
#if defined(ISA_avx512)
	return bits == 8 ? V(cmpge_epu8_mask)(a, b) != 0 :
			   V(cmpge_epi16_mask)(a, b) != 0;
#else
	vec most = vmax(bits, a, b);

	return any(bits == 8 ? V(cmpeq_epi8)(most, a) :
			       V(cmpeq_epi16)(most, a));
#endif
}
#endif

#endif
