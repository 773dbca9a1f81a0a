/* SPDX-License-Identifier: MIT */
/*
 * words.cu - the emulated operations on words against plain definitions, and
 * where nvcc is, against NVIDIA's own
 */
#include "cuda/simt.h"

#include "tests/lib/tap.h"

/* NULL where nvcc is not. */
extern "C" unsigned nvidia_word(int number, unsigned a, unsigned b, unsigned c)
    __attribute__((weak));

static long
highest(long a, long b)
{
	return a > b ? a : b;
}
static long
lowest(long a, long b)
{
	return a < b ? a : b;
}
/* What is left of v in so many bits, with its sign. */
static long
wrap(long v, int bits)
{
	long n = 1L << bits, rest = ((v % n) + n) % n;

	return rest < n / 2 ? rest : rest - n;
}
static long
within(long v)
{
	return v < -32768 ? -32768 : v > 32767 ? 32767 : v;
}

struct op {
	const char *name;
	int bits; /* of a part of a word */
	unsigned (*have)(unsigned a, unsigned b, unsigned c);
	long (*want)(long a, long b, long c, int bits);
};
#define TAKES_3(f)                                                             \
	[](unsigned a, unsigned b, unsigned c) {                               \
		return (unsigned)f((unsigned)a, b, c);                         \
	}
#define TAKES_3_INT(f)                                                         \
	[](unsigned a, unsigned b, unsigned c) {                               \
		return (unsigned)f((int)a, (int)b, (int)c);                    \
	}
#define TAKES_2(f)                                                             \
	[](unsigned a, unsigned b, unsigned) { return (unsigned)f(a, b); }
#define IS(expression)                                                         \
	[](long a, long b, long c, int bits) -> long {                         \
		(void)c, (void)bits;                                           \
		return expression;                                             \
	}

static const struct op ops[] = {
    {"__vimax_s16x2_relu", 16, TAKES_2(__vimax_s16x2_relu),
     IS(highest(highest(a, b), 0))},
    {"__vimax3_s16x2", 16, TAKES_3(__vimax3_s16x2),
     IS(highest(highest(a, b), c))},
    {"__vimin3_s16x2", 16, TAKES_3(__vimin3_s16x2),
     IS(lowest(lowest(a, b), c))},
    {"__vimax3_s16x2_relu", 16, TAKES_3(__vimax3_s16x2_relu),
     IS(highest(highest(a, b), highest(c, 0)))},
    {"__viaddmax_s16x2", 16, TAKES_3(__viaddmax_s16x2),
     IS(highest(wrap(a + b, bits), c))},
    {"__viaddmin_s16x2", 16, TAKES_3(__viaddmin_s16x2),
     IS(lowest(wrap(a + b, bits), c))},
    {"__viaddmax_s16x2_relu", 16, TAKES_3(__viaddmax_s16x2_relu),
     IS(highest(highest(wrap(a + b, bits), c), 0))},
    {"__vimax3_s32", 32, TAKES_3_INT(__vimax3_s32),
     IS(highest(highest(a, b), c))},
    {"__vimin3_s32", 32, TAKES_3_INT(__vimin3_s32),
     IS(lowest(lowest(a, b), c))},
    {"__vimax3_s32_relu", 32, TAKES_3_INT(__vimax3_s32_relu),
     IS(highest(highest(a, b), highest(c, 0)))},
    {"__viaddmax_s32", 32, TAKES_3_INT(__viaddmax_s32),
     IS(highest(wrap(a + b, bits), c))},
    {"__viaddmin_s32", 32, TAKES_3_INT(__viaddmin_s32),
     IS(lowest(wrap(a + b, bits), c))},
    {"__viaddmax_s32_relu", 32, TAKES_3_INT(__viaddmax_s32_relu),
     IS(highest(highest(wrap(a + b, bits), c), 0))},
    {"__vimax_s32_relu", 32,
     [](unsigned a, unsigned b, unsigned) {
	     return (unsigned)__vimax_s32_relu((int)a, (int)b);
     },
     IS(highest(highest(a, b), 0))},
    /* of these NVIDIA has no host versions */
    {"__vadd2", 16, TAKES_2(__vadd2), IS(a + b)},
    {"__vsub2", 16, TAKES_2(__vsub2), IS(a - b)},
    {"__vaddss2", 16, TAKES_2(__vaddss2), IS(within(a + b))},
    {"__vsubss2", 16, TAKES_2(__vsubss2), IS(within(a - b))},
    {"__vmaxs2", 16, TAKES_2(__vmaxs2), IS(highest(a, b))},
    {"__vmins2", 16, TAKES_2(__vmins2), IS(lowest(a, b))},
    {"__vcmpeq2", 16, TAKES_2(__vcmpeq2), IS(a == b ? 0xffff : 0)},
    {"__vcmpgts2", 16, TAKES_2(__vcmpgts2), IS(a > b ? 0xffff : 0)},
};
enum { N_OPS = sizeof ops / sizeof *ops, N_NVIDIA = 14 };

static unsigned
wanted(const struct op *o, unsigned a, unsigned b, unsigned c)
{
	unsigned r = 0;

	for (int at = 0; at < 32; at += o->bits) {
		long v = o->want(wrap(a >> at, o->bits), wrap(b >> at, o->bits),
				 wrap(c >> at, o->bits), o->bits);

		v &= (1L << o->bits) - 1;
		r |= (unsigned)v << at;
	}
	return r;
}

/* Any word, or one whose halves are near an end of what they can be. */
static unsigned
word(uint64_t *seed)
{
	static const uint16_t ends[] = {0, 0x8000, 0x7fff, 0xffff};
	unsigned w = (unsigned)(rnd(seed) >> 20);

	if (below(seed, 2))
		return w;
	return (unsigned)(ends[w & 3] + (w >> 2 & 3) - 1) << 16 |
	       (uint16_t)(ends[w >> 4 & 3] + (w >> 6 & 3) - 1);
}

static void
check(int number)
{
	const struct op *o = &ops[number];
	uint64_t seed = 1 + (uint64_t)number;
	unsigned long wrong = 0, other = 0;

	for (uint64_t i = 0; i < fewer(500000); i++) {
		unsigned a = word(&seed), b = word(&seed), c = word(&seed);
		unsigned have = o->have(a, b, c);

		wrong += have != wanted(o, a, b, c);
		if (nvidia_word && number < N_NVIDIA)
			other += have != nvidia_word(number, a, b, c);
	}
	ok(!wrong, "%s: %lu times not as defined", o->name, wrong);
	if (nvidia_word && number < N_NVIDIA)
		ok(!other, "%s: %lu times not as NVIDIA's", o->name, other);
}

/* Bit by bit. */
static bool
bits_right(unsigned a, unsigned b, unsigned by)
{
	unsigned left = 0, right = 0, rev = 0, ones = 0, zeros = 32, first = 0;

	by &= 63;
	for (unsigned i = 0; i < 32; i++) {
		unsigned s = by & 31, l = 32 + i - s, r = i + s;

		left |= (l < 32 ? a >> l & 1 : b >> (l - 32) & 1) << i;
		right |= (r < 32 ? a >> r & 1 : b >> (r - 32) & 1) << i;
		rev |= (a >> i & 1) << (31 - i);
		ones += a >> i & 1;
		if (a >> i & 1)
			zeros = 31 - i;
		if (!first && a >> i & 1)
			first = i + 1;
	}
	return __funnelshift_l(a, b, by) == left &&
	       __funnelshift_r(a, b, by) == right && __brev(a) == rev &&
	       __popc(a) == (int)ones && __clz((int)a) == (int)zeros &&
	       __ffs((int)a) == (int)first &&
	       __brevll((unsigned long long)a << 32) == rev &&
	       __popcll((unsigned long long)a << 9) == (int)ones &&
	       __clzll(a) == (int)zeros + 32 &&
	       __ffsll((long long)a << 7) == (int)(first ? first + 7 : 0);
}

static bool
bytes_right(unsigned a, unsigned b, unsigned selectors)
{
	unsigned char from[8], to[4];
	unsigned have = simt_prmt(a, b, selectors);
	bool plain = !(selectors & 0x8888);

	memcpy(from, &a, 4);
	memcpy(from + 4, &b, 4);
	memcpy(to, &have, 4);
	for (int i = 0; i < 4; i++) {
		unsigned s = selectors >> 4 * i & 15;
		int want = from[s & 7];

		if (s > 7)
			want = want > 127 ? 255 : 0;
		if (to[i] != want)
			return false;
	}
	return __byte_perm(a, b, selectors | 0x8888) ==
	       simt_prmt(a, b, selectors & 0x7777) &&
	       (!plain || __byte_perm(a, b, selectors) == have);
}

/* Numbers of four words against the compiler's own of 128 bits; carries run far
 * where words are nearly full. */
static bool
sum_right(uint64_t *seed)
{
	unsigned a[4], b[4], sum[4];
	unsigned __int128 x = 0, y = 0, want = 0;

	for (int i = 0; i < 4; i++) {
		a[i] = word(seed) % 4 ? ~0u : word(seed);
		b[i] = word(seed) % 4 ? 0 : word(seed);
	}
	simt_add<4>(sum, a, b);
	for (int i = 3; i >= 0; i--) {
		x = x << 32 | a[i];
		y = y << 32 | b[i];
		want = want << 32 | sum[i];
	}
	return (unsigned __int128)(x + y) == want;
}

int
main(void)
{
	uint64_t seed = 99;
	unsigned long wrong = 0;

	for (int i = 0; i < N_OPS; i++)
		check(i);
	for (uint64_t i = 0; i < fewer(100000); i++) {
		unsigned a = word(&seed) & word(&seed), b = word(&seed);
		unsigned c = word(&seed);

		wrong += !bits_right(a, b, c) || !bytes_right(a, b, c);
		wrong += __umulhi(a, b) != (uint64_t)a * b >> 32;
		wrong += !sum_right(&seed);
	}
	wrong += !bits_right(0, 0, 0) || !bits_right(0, ~0u, 32);
	ok(!wrong, "%lu times bits or bytes not where they belong", wrong);
	return done();
}
