/* SPDX-License-Identifier: MIT */
/* dna.c - letters: IUPAC sets, complement, copies of bit planes */

#include "base/base.h"
#include "letters/letters.h"
#include "letters/dna_block.h"

enum { A = DNA_A, C = DNA_C, G = DNA_G, T = DNA_T };

/* By letter & 31, once it is known to be a letter of either case. */
static const uint8_t sets[32] = {
	['A' & 31] = A,	    ['C' & 31] = C,	    ['G' & 31] = G,
	['T' & 31] = T,	    ['U' & 31] = T,	    ['R' & 31] = A | G,
	['Y' & 31] = C | T, ['S' & 31] = C | G,	    ['W' & 31] = A | T,
	['K' & 31] = G | T, ['M' & 31] = A | C,	    ['B' & 31] = C | G | T,
	['D' & 31] = A | G | T,	['H' & 31] = A | C | T, ['V' & 31] = A | C | G,
	['N' & 31] = A | C | G | T,
};

/* 0: not an IUPAC letter. */
static const char complements[32] = {
	['A' & 31] = 'T', ['C' & 31] = 'G', ['G' & 31] = 'C', ['T' & 31] = 'A',
	['U' & 31] = 'A', ['R' & 31] = 'Y', ['Y' & 31] = 'R', ['S' & 31] = 'S',
	['W' & 31] = 'W', ['K' & 31] = 'M', ['M' & 31] = 'K', ['B' & 31] = 'V',
	['V' & 31] = 'B', ['D' & 31] = 'H', ['H' & 31] = 'D', ['N' & 31] = 'N',
};

static inline bool
is_letter(uint8_t c)
{
	return (uint8_t)((c | 32) - 'a') < 26;
}

uint8_t
dna_set(uint8_t letter)
{
	return is_letter(letter) ? sets[letter & 31] : 0;
}

uint8_t
dna_complement(uint8_t letter)
{
	uint8_t c = is_letter(letter) ? (uint8_t)complements[letter & 31] : 0;

	return c ? c | (letter & 32) : letter;
}

void
dna_revcomp(uint8_t *s, size_t n)
{
	size_t i = 0;

	for (; n - i > i + 1; i++) {
		uint8_t t = dna_complement(s[i]);

		s[i] = dna_complement(s[n - 1 - i]);
		s[n - 1 - i] = t;
	}
	if (n % 2)
		s[i] = dna_complement(s[i]);
}

const struct dna_ops *
dna_ops(void)
{
	return KERN_PICK(&dna_ops);
}

/*
 * n <= 64 bits of one plane from bit beg.  The second word is read only if
 * the range reaches into it.
 */
static inline uint64_t
plane_bits(const uint64_t *plane, size_t beg, unsigned n)
{
	const uint64_t *w = plane + beg / 64 * 2;
	unsigned shift = beg % 64;
	uint64_t v = w[0] >> shift;

	return shift + n > 64 ? v | w[2] << (64 - shift) : v;
}

void
dna_copy(uint64_t *dst, size_t dst_beg, const uint64_t *src, size_t src_beg,
	 size_t n)
{
	while (n) {
		unsigned shift = dst_beg % 64;
		unsigned take = n < 64 - shift ? (unsigned)n : 64 - shift;
		uint64_t mask = ~(uint64_t)0 >> (64 - take) << shift;
		uint64_t *d = dst + dst_beg / 64 * 2;

		for (unsigned i = 0; i < 2; i++) {
			uint64_t v = plane_bits(src + i, src_beg, take);

			d[i] = (d[i] & ~mask) | (v << shift & mask);
		}
		dst_beg += take;
		src_beg += take;
		n -= take;
	}
}

void
bits_set(uint64_t *mask, size_t beg, size_t end)
{
	size_t i = beg / 64, last = end / 64;
	uint64_t first = ~(uint64_t)0 << beg % 64;

	if (beg >= end)
		return;
	if (i < last) {
		mask[i++] |= first;
		memset(mask + i, 0xff, (last - i) * sizeof *mask);
		first = ~(uint64_t)0;
	}
	if (end % 64)
		mask[last] |= first & ~(~(uint64_t)0 << end % 64);
}
