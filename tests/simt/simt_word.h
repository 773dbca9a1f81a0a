/* SPDX-License-Identifier: MIT */
/* simt_word.h - CUDA's operations on integers and on words of two int16 */
#ifndef SEQF_SIMT_WORD_H
#define SEQF_SIMT_WORD_H

struct alignas(8) uint2 {
	unsigned x, y;
};
struct alignas(8) int2 {
	int x, y;
};
struct alignas(16) uint4 {
	unsigned x, y, z, w;
};
struct alignas(16) int4 {
	int x, y, z, w;
};
inline uint2
make_uint2(unsigned x, unsigned y)
{
	return {x, y};
}
inline int2
make_int2(int x, int y)
{
	return {x, y};
}
inline uint4
make_uint4(unsigned x, unsigned y, unsigned z, unsigned w)
{
	return {x, y, z, w};
}
inline int4
make_int4(int x, int y, int z, int w)
{
	return {x, y, z, w};
}

#define SIMT_MINMAX(T)                                                         \
	inline T min(T a, T b)                                                 \
	{                                                                      \
		return a < b ? a : b;                                          \
	}                                                                      \
	inline T max(T a, T b)                                                 \
	{                                                                      \
		return a > b ? a : b;                                          \
	}
SIMT_MINMAX(int)
SIMT_MINMAX(unsigned)
SIMT_MINMAX(long)
SIMT_MINMAX(unsigned long)
SIMT_MINMAX(long long)
SIMT_MINMAX(unsigned long long)
#undef SIMT_MINMAX

inline int
__popc(unsigned x)
{
	return __builtin_popcount(x);
}
inline int
__popcll(unsigned long long x)
{
	return __builtin_popcountll(x);
}
inline int
__clz(int x)
{
	return x ? __builtin_clz((unsigned)x) : 32;
}
inline int
__clzll(long long x)
{
	return x ? __builtin_clzll((unsigned long long)x) : 64;
}
inline int
__ffs(int x)
{
	return __builtin_ffs(x);
}
inline int
__ffsll(long long x)
{
	return __builtin_ffsll(x);
}
inline unsigned long long
__brevll(unsigned long long x)
{
	unsigned long long r = 0;

	for (int i = 0; i < 64; i++)
		r |= (x >> i & 1) << (63 - i);
	return r;
}
inline unsigned
__brev(unsigned x)
{
	return (unsigned)(__brevll(x) >> 32);
}
inline unsigned
__umulhi(unsigned a, unsigned b)
{
	return (unsigned)((unsigned long long)a * b >> 32);
}
inline unsigned
__funnelshift_l(unsigned low, unsigned high, unsigned by)
{
	unsigned long long v = (unsigned long long)high << 32 | low;

	return (unsigned)(v << (by & 31) >> 32);
}
inline unsigned
__funnelshift_r(unsigned low, unsigned high, unsigned by)
{
	unsigned long long v = (unsigned long long)high << 32 | low;

	return (unsigned)(v >> (by & 31));
}
/* Four bytes out of eight; bit 3 of a selector spreads the byte's sign. */
inline unsigned
simt_prmt(unsigned a, unsigned b, unsigned selectors)
{
	unsigned long long v = (unsigned long long)b << 32 | a;
	unsigned r = 0;

	for (int i = 0; i < 4; i++) {
		unsigned s = selectors >> 4 * i & 15;
		unsigned c = (unsigned)(v >> 8 * (s & 7)) & 255;

		if (s & 8)
			c = c & 128 ? 255 : 0;
		r |= c << 8 * i;
	}
	return r;
}
/* The same, but nvcc leaves bit 3 out. */
inline unsigned
__byte_perm(unsigned a, unsigned b, unsigned selectors)
{
	return simt_prmt(a, b, selectors & 0x7777);
}
/* Of numbers of N words, lowest first. */
template <int N>
inline void
simt_add(unsigned *sum, const unsigned *a, const unsigned *b)
{
	unsigned long long carry = 0;

	for (int i = 0; i < N; i++) {
		carry += (unsigned long long)a[i] + b[i];
		sum[i] = (unsigned)carry;
		carry >>= 32;
	}
}

namespace simt
{
inline int
most(int a, int b)
{
	return a > b ? a : b;
}
inline int
least(int a, int b)
{
	return a < b ? a : b;
}
inline int
to_int16(int v)
{
	return (int16_t)v;
}
inline int
saturate(int v)
{
	return most(-32768, least(32767, v));
}
inline int
wrapped_sum(int a, int b)
{
	return (int)((unsigned)a + (unsigned)b);
}
/* f of both halves; its result wraps. */
template <class F> unsigned
halves(F f, unsigned a, unsigned b, unsigned c)
{
	unsigned low = (unsigned)f((int16_t)a, (int16_t)b, (int16_t)c);
	unsigned high = (unsigned)f((int16_t)(a >> 16), (int16_t)(b >> 16),
				    (int16_t)(c >> 16));

	return (low & 0xffff) | high << 16;
}
} // namespace simt

/* Of halves x, y and z of the words a, b and c. */
#define SIMT_2(name, expression)                                               \
	inline unsigned name(unsigned a, unsigned b)                           \
	{                                                                      \
		using namespace simt;                                          \
		return halves([](int x, int y, int) { return expression; }, a, \
			      b, 0);                                           \
	}
#define SIMT_3(name, expression)                                               \
	inline unsigned name(unsigned a, unsigned b, unsigned c)               \
	{                                                                      \
		using namespace simt;                                          \
		return halves([](int x, int y, int z) { return expression; },  \
			      a, b, c);                                        \
	}
SIMT_2(__vadd2, x + y)
SIMT_2(__vsub2, x - y)
SIMT_2(__vaddss2, saturate(x + y))
SIMT_2(__vsubss2, saturate(x - y))
SIMT_2(__vmaxs2, most(x, y))
SIMT_2(__vmins2, least(x, y))
SIMT_2(__vcmpeq2, x == y ? -1 : 0)
SIMT_2(__vcmpgts2, x > y ? -1 : 0)
SIMT_2(__vimax_s16x2_relu, most(0, most(x, y)))
SIMT_3(__vimax3_s16x2, most(most(x, y), z))
SIMT_3(__vimin3_s16x2, least(least(x, y), z))
SIMT_3(__vimax3_s16x2_relu, most(0, most(most(x, y), z)))
SIMT_3(__viaddmax_s16x2, most(to_int16(x + y), z))
SIMT_3(__viaddmin_s16x2, least(to_int16(x + y), z))
SIMT_3(__viaddmax_s16x2_relu, most(0, most(to_int16(x + y), z)))
#undef SIMT_2
#undef SIMT_3

#define SIMT_32(name, expression)                                              \
	inline int name(int a, int b, int c)                                   \
	{                                                                      \
		using namespace simt;                                          \
		return expression;                                             \
	}
SIMT_32(__vimax3_s32, most(most(a, b), c))
SIMT_32(__vimin3_s32, least(least(a, b), c))
SIMT_32(__vimax3_s32_relu, most(0, most(most(a, b), c)))
SIMT_32(__viaddmax_s32, most(wrapped_sum(a, b), c))
SIMT_32(__viaddmin_s32, least(wrapped_sum(a, b), c))
SIMT_32(__viaddmax_s32_relu, most(0, most(wrapped_sum(a, b), c)))
#undef SIMT_32
inline int
__vimax_s32_relu(int a, int b)
{
	return simt::most(0, simt::most(a, b));
}

#endif
