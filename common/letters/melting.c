/* SPDX-License-Identifier: MIT */
/* melting.c - melting temperatures of primers, by nearest neighbours */

#include "letters/letters.h"

#define GIGA 1000000000
#define TERA (1000LL * GIGA)

/*
 * ln(num / den) in 10^-12; both are at least 1.  The bits of the binary
 * logarithm come by squaring: with x in [1, 2) the next bit is x^2 >= 2.  A
 * rounding by 2^-63 at bit i is one of 2^-63-i of the result, so 48 bits are
 * right.
 */
static int64_t
ln(unsigned __int128 num, unsigned __int128 den)
{
	const int bits = 48;
	const int64_t ln2 = 693147180560;
	uint64_t x;
	int64_t log = 0;

	while (num < den) {
		num *= 2;
		log--;
	}
	while (num / 2 >= den) {
		den *= 2;
		log++;
	}
	/* 1 <= num / den < 2 */
	x = 1;
	num -= den;
	for (int i = 0; i < 63; i++) {
		num *= 2;
		x = 2 * x + (num >= den);
		num -= num >= den ? den : 0;
	}
	for (int i = 0; i < bits; i++) {
		unsigned __int128 square = (unsigned __int128)x * x >> 63;
		bool bit = square >> 64;

		log = 2 * log + bit;
		x = (uint64_t)(square >> bit);
	}
	return (int64_t)(((__int128)log * ln2) >> bits);
}

static uint64_t
root(unsigned __int128 v)
{
	uint64_t r = 0;

	for (int i = 63; i >= 0; i--) {
		uint64_t x = r | 1ULL << i;

		if ((unsigned __int128)x * x <= v)
			r = x;
	}
	return r;
}

bool
melting_init(struct melting *m, const struct melting_salts *s)
{
	/* 10^-9 mmol/l */
	uint64_t salt = s->monovalent * 1000000;
	const unsigned __int128 scale = TERA * 1000;

	if (s->divalent > s->dntp)
		salt += 120 * root((s->divalent - s->dntp) * scale);
	if (!salt || !s->primer)
		return false;
	m->salt = ln(salt, TERA);
	m->primer[0] = ln(s->primer, 4 * TERA);
	m->primer[1] = ln(s->primer, TERA);
	return true;
}

static int
code(uint8_t letter)
{
	switch (letter) {
	case 'A': return 0;
	case 'C': return 1;
	case 'G': return 2;
	case 'T': return 3;
	default: return -1;
	}
}

struct melting_sum
melting_pair(uint8_t a, uint8_t b)
{
	static const struct melting_sum of[4][4] = {
		{ { 79, 222 }, { 84, 224 }, { 78, 210 }, { 72, 204 } },
		{ { 85, 227 }, { 80, 199 }, { 106, 272 }, { 78, 210 } },
		{ { 82, 222 }, { 98, 244 }, { 80, 199 }, { 84, 224 } },
		{ { 72, 213 }, { 82, 222 }, { 85, 227 }, { 79, 222 } },
	};
	int i = code(a), j = code(b);

	return i < 0 || j < 0 ? (struct melting_sum){ 0, 0 } : of[i][j];
}

static bool
own_complement(const uint8_t *s, size_t n)
{
	if (n % 2)
		return false;
	for (size_t i = 0; i < n / 2; i++)
		if (code(s[i]) + code(s[n - 1 - i]) != 3)
			return false;
	return true;
}

bool
melting_tm(const struct melting *m, const uint8_t *s, size_t n,
	   struct melting_sum sum, int64_t *nano)
{
	const struct melting_sum at = { -23, -41 }, cg = { -1, 28 };
	bool own = own_complement(s, n);
	__int128 below;		/* the denominator in 10^-15 cal/(mol K) */

	for (int i = 0; i < 2; i++) {
		int c = code(s[i ? n - 1 : 0]);
		struct melting_sum end = c == 0 || c == 3 ? at : cg;

		sum.h += end.h;
		sum.s += end.s;
	}
	if (own)
		sum.s += 14;
	below = (__int128)sum.s * (-100 * TERA) +
		(__int128)(n - 1) * 368 * m->salt +
		(__int128)1987 * m->primer[own];
	if (below >= 0)
		return false;
	/* h is at most 106 * 2^30, of the longest primer: below 10^12 */
	below = (__int128)sum.h * (-100) * TERA * 1000 * GIGA / below;
	if (below > INT64_MAX / 2 || below < INT64_MIN / 2)
		return false;
	*nano = (int64_t)below - 273150000000;
	return true;
}
