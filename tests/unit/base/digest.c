/* SPDX-License-Identifier: MIT */
/* digest.c - digests that add up, against their definition */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "tests/lib/tap.h"

static const uint64_t R = 0x1e3779b97f4a7c1a, ORDER = 0x02b2ae3d27d4eb55;

/* By doubling and adding: nothing is larger than 2^62. */
static uint64_t
times(uint64_t a, uint64_t b)
{
	uint64_t s = 0;

	for (; b; b >>= 1, a = 2 * a % DIGEST_P)
		if (b & 1)
			s = (s + a) % DIGEST_P;
	return s;
}

static uint64_t
power(uint64_t x, uint64_t n)
{
	uint64_t y = 1;

	while (n--)
		y = times(y, x);
	return y;
}

/* Letter c at place k of a word. */
static uint64_t
value(uint64_t c, uint64_t k)
{
	if (k < 7)
		return c << 8 * k;
	return ((c % 16 << 56) + times(c / 16, DIGEST_TOP)) % DIGEST_P;
}

/* A letter after the other, as rec(5) defines it. */
static uint64_t
plain(const uint8_t *p, size_t n, uint64_t at)
{
	uint64_t s = 0, w = power(R, at / 8);

	for (size_t i = 0; i < n; i++) {
		uint64_t k = at + i;

		if (i && k % 8 == 0)
			w = times(w, R);
		s = (s + times(value(p[i], k % 8), w)) % DIGEST_P;
	}
	return s;
}

static void
test_letters(void)
{
	uint8_t s[700];
	uint64_t seed = 7;
	bool same = true, adds = true, single = true;

	for (size_t i = 0; i < sizeof s; i++)
		s[i] = (uint8_t)rnd(&seed);
	for (int t = 0; t < 3000; t++) {
		size_t at = rnd(&seed) % 300, n = rnd(&seed) % 400;
		size_t k = n ? rnd(&seed) % n : 0;
		uint64_t all = digest_letters(s, n, at);

		same &= all == plain(s, n, at);
		adds &= digest_add(digest_letters(s, k, at),
				   digest_letters(s + k, n - k, at + k)) == all;
		if (n == 0)
			continue;
		s[k] ^= 1U << rnd(&seed) % 8;
		single &= digest_letters(s, n, at) != all;
	}
	memset(s, 0xff, sizeof s);
	for (size_t n = 0; n < sizeof s; n++)
		same &= digest_letters(s, n, n % 9) == plain(s, n, n % 9);
	ok(same, "letters, as defined");
	ok(adds, "pieces add up");
	ok(single, "one bit is noticed");
	ok(digest_letters(s, 100, UINT64_C(1) << 50) ==
	   times(digest_letters(s, 100, 0),
		 digest_letters("\1", 1, UINT64_C(1) << 50)), "far behind");
}

/* What kernels are chosen for is what its pieces add up to. */
static void
test_long(void)
{
	enum { N = 40000, PIECE = 1000 };
	uint8_t *s = malloc(N);
	uint64_t seed = 11;
	bool same = s != NULL;

	for (int t = 0; same && t < 300; t++) {
		size_t at = rnd(&seed) % 300, n = N - rnd(&seed) % (N / 2);
		uint64_t sum = 0;

		for (size_t i = 0; i < N; i++)
			s[i] = t % 3 ? (uint8_t)rnd(&seed) : 0xff;
		for (size_t i = 0; i < n; i += PIECE)
			sum = digest_add(sum, digest_letters(s + i,
				n - i < PIECE ? n - i : PIECE, at + i));
		same = digest_letters(s, n, at) == sum;
	}
	free(s);
	ok(same, "many letters are as their pieces");
}

/*
 * No change of a word's last letter is one of another letter of the word: by
 * differences d of the last one, which may be as of no change, and e.
 */
static void
test_words(void)
{
	bool differ = true;

	for (int low = -15; low <= 15; low++)
		for (int high = -15; high <= 15; high++) {
			__int128 d = low * ((__int128)1 << 56) +
				     (__int128)high * (int64_t)DIGEST_TOP;

			for (int k = 0; k < 7; k++)
				for (int c = -255; c <= 255; c++) {
					__int128 e = c * ((__int128)1 << 8 * k);

					if (low || high || c)
						differ &= (d + e) %
						    (int64_t)DIGEST_P != 0;
				}
		}
	ok(differ, "two letters of a word");
	ok(digest_letters("T......A", 8, 0) != digest_letters("S......a", 8, 0),
	   "the case of a last letter is not the first one");
}

static void
test_names(void)
{
	struct digest_order o = { 0 };
	uint64_t a = hash64("x", 1, 1) % DIGEST_P;
	uint64_t b = hash64("x", 1, 2) % DIGEST_P;
	bool same = true;

	ok(digest_named("x", 1, false, 77) == times(a, 77) &&
	   digest_named("x", 1, true, 77) == (times(a, 77) + b) % DIGEST_P,
	   "names");
	for (uint64_t n = 0; n < 50; n++)
		same &= digest_order(&o, n) == power(ORDER, n) &&
			digest_order(&o, n) == power(ORDER, n);
	for (int n = 40; n > 0; n -= 7)
		same &= digest_order(&o, (uint64_t)n) ==
			power(ORDER, (uint64_t)n);
	ok(same, "ordinals");
}

static void
test_sums(void)
{
	uint64_t seed = 3;
	bool right = true, wrong = false;

	for (uint64_t n = 1; n < 300; n++) {
		uint64_t sum64 = 0, sum = 0;

		for (uint64_t i = 0; i < n; i++) {
			uint64_t x = n & 1 ? DIGEST_P - 1 - i :
				     rnd(&seed) % DIGEST_P;

			sum64 += x;
			sum = digest_add(sum, x);
		}
		right &= digest_sums(sum64, sum, n);
		for (uint64_t i = 1; i < 50; i++)
			wrong |= digest_sums(sum64 + rnd(&seed), sum, n) ||
				 digest_sums(sum64 + i % 8, sum, n) == (i % 8
				 != 0) || digest_sums(sum64 +
				 i * 0x9e3779b97f4a7c15u, sum, n);
	}
	ok(right, "sums modulo 2^64 differ from others");
	ok(!wrong, "and others from them");
}

int
main(void)
{
	test_letters();
	test_long();
	test_words();
	test_names();
	test_sums();
	return done();
}
