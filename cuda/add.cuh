/* SPDX-License-Identifier: MIT */
/*
 * add.cuh - numbers of several words added with a carry, under nvcc
 *
 * The carry is what no other instruction may come between: so a sum is one
 * statement.  Its operands 2i and 2i + 1 are the i-th words of both numbers,
 * all of them outputs, as those come first: so the text for fewer words begins
 * that for more.  nvcc keeps no copy of what it reads only.
 */
#ifndef SEQF_CUDA_ADD_CUH
#define SEQF_CUDA_ADD_CUH

#define ADD_WORD(x, y) "addc.cc.u32 %" #x ", %" #x ", %" #y ";\n\t"
#define ADD_IS(i) "+r"(sum[i]), "+r"(by[i])

#define ADD_TEXT_2 "add.cc.u32 %0, %0, %1;\n\t" ADD_WORD(2, 3)
#define ADD_LIST_2 ADD_IS(0), ADD_IS(1)
#define ADD_TEXT_3 ADD_TEXT_2 ADD_WORD(4, 5)
#define ADD_LIST_3 ADD_LIST_2, ADD_IS(2)
#define ADD_TEXT_4 ADD_TEXT_3 ADD_WORD(6, 7)
#define ADD_LIST_4 ADD_LIST_3, ADD_IS(3)
#define ADD_TEXT_6 ADD_TEXT_4 ADD_WORD(8, 9) ADD_WORD(10, 11)
#define ADD_LIST_6 ADD_LIST_4, ADD_IS(4), ADD_IS(5)
#define ADD_TEXT_8 ADD_TEXT_6 ADD_WORD(12, 13) ADD_WORD(14, 15)
#define ADD_LIST_8 ADD_LIST_6, ADD_IS(6), ADD_IS(7)
#define ADD_TEXT_12 \
	ADD_TEXT_8 ADD_WORD(16, 17) ADD_WORD(18, 19) ADD_WORD(20, 21) \
	ADD_WORD(22, 23)
#define ADD_LIST_12 ADD_LIST_8, ADD_IS(8), ADD_IS(9), ADD_IS(10), ADD_IS(11)
#define ADD_TEXT_16 \
	ADD_TEXT_12 ADD_WORD(24, 25) ADD_WORD(26, 27) ADD_WORD(28, 29) \
	ADD_WORD(30, 31)
#define ADD_LIST_16 ADD_LIST_12, ADD_IS(12), ADD_IS(13), ADD_IS(14), ADD_IS(15)
#define ADD_TEXT_24 \
	ADD_TEXT_16 ADD_WORD(32, 33) ADD_WORD(34, 35) ADD_WORD(36, 37) \
	ADD_WORD(38, 39) ADD_WORD(40, 41) ADD_WORD(42, 43) \
	ADD_WORD(44, 45) ADD_WORD(46, 47)
#define ADD_LIST_24 \
	ADD_LIST_16, ADD_IS(16), ADD_IS(17), ADD_IS(18), ADD_IS(19), \
	ADD_IS(20), ADD_IS(21), ADD_IS(22), ADD_IS(23)
#define ADD_TEXT_32 \
	ADD_TEXT_24 ADD_WORD(48, 49) ADD_WORD(50, 51) ADD_WORD(52, 53) \
	ADD_WORD(54, 55) ADD_WORD(56, 57) ADD_WORD(58, 59) \
	ADD_WORD(60, 61) ADD_WORD(62, 63)
#define ADD_LIST_32 \
	ADD_LIST_24, ADD_IS(24), ADD_IS(25), ADD_IS(26), ADD_IS(27), \
	ADD_IS(28), ADD_IS(29), ADD_IS(30), ADD_IS(31)

/* sum = a + b, lowest words first; sum may be a or b. */
template <int N>
static __device__ __forceinline__ void
simt_add(unsigned *sum, const unsigned *a, const unsigned *b)
{
	unsigned by[N];

#pragma unroll
	for (int i = 0; i < N; i++) {
		by[i] = b[i];
		sum[i] = a[i];
	}
	if constexpr (N == 2)
		asm(ADD_TEXT_2 : ADD_LIST_2);
	else if constexpr (N == 3)
		asm(ADD_TEXT_3 : ADD_LIST_3);
	else if constexpr (N == 4)
		asm(ADD_TEXT_4 : ADD_LIST_4);
	else if constexpr (N == 6)
		asm(ADD_TEXT_6 : ADD_LIST_6);
	else if constexpr (N == 8)
		asm(ADD_TEXT_8 : ADD_LIST_8);
	else if constexpr (N == 12)
		asm(ADD_TEXT_12 : ADD_LIST_12);
	else if constexpr (N == 16)
		asm(ADD_TEXT_16 : ADD_LIST_16);
	else if constexpr (N == 24)
		asm(ADD_TEXT_24 : ADD_LIST_24);
	else if constexpr (N == 32)
		asm(ADD_TEXT_32 : ADD_LIST_32);
	else
		static_assert(N == 0, "no sum of so many words");
}

#endif
