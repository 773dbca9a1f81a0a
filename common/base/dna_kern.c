/* SPDX-License-Identifier: MIT */
/*
 * dna_kern.c - from text to bit planes and back, 64 letters at a time
 *
 * dna_block.h knows the instruction set; here are the loops.  A last, short
 * block goes through a padded copy, so that nothing past the end is touched.
 */
#include "base/dna_block.h"
#include "base/dna_kern.h"
#include "base/simd.h"

#include <string.h>

#if defined(ISA_avx512)
/* Compressing in a register and storing it all beats the masked store. */
static size_t
lines(const uint8_t *s, size_t n, uint8_t *d, size_t *kept)
{
	const __m512i newline = _mm512_set1_epi8('\n');
	size_t i = 0, k = 0;

	while (i < n) {
		size_t left = n - i;
		__mmask64 here = ~(__mmask64)0, keep, stop;
		__m512i x;

		if (left < 64)
			here >>= 64 - left;
		x = _mm512_maskz_loadu_epi8(here, s + i);
		keep = sequence(x);
		stop = ~(keep | _mm512_cmpeq_epi8_mask(x, newline));
		if (stop) {	/* there, or at the end: what was not loaded */
			left = (size_t)__builtin_ctzll(stop);
			keep &= stop ^ (stop - 1);
		} else {
			left = 64;
		}
		_mm512_storeu_si512(d + k,
				    _mm512_maskz_compress_epi8(keep, x));
		k += (size_t)__builtin_popcountll(keep);
		i += left;
		if (stop)
			break;
	}
	*kept = k;
	return i;
}
#else
/*
 * Copy whole blocks; of a block with a newline, keep what stands before it and
 * go on behind it.  One or two steps a line of FASTA.
 */
static size_t
lines(const uint8_t *s, size_t n, uint8_t *d, size_t *kept)
{
	uint8_t last[STRIP];
	size_t i = 0, k = 0;

	while (i < n) {
		size_t left = n - i < STRIP ? n - i : STRIP, good = left;
		const uint8_t *p = s + i;
		uint64_t m;

		if (left < STRIP) {
			memset(last, 0, sizeof last);
			p = memcpy(last, p, left);
		}
		m = copy_block(p, d + k);
		if (m)
			good = (size_t)__builtin_ctzll(m);
		k += good;
		i += good;
		if (good == left)
			continue;
		if (s[i] != '\n')
			break;
		i++;
	}
	*kept = k;
	return i;
}
#endif

static unsigned
pack(const uint8_t *s, size_t n, uint64_t *planes, uint64_t *exc,
     uint64_t *lower)
{
	uint64_t any_exc = 0, any_lower = 0;
	size_t n_blocks = (n + 63) / 64;

	for (size_t i = 0; i < n_blocks; i++) {
		uint64_t mask = ~(uint64_t)0;
		uint8_t last[64] = { 0 };
		struct block b;

		if (n - 64 * i < 64) {
			mask >>= 64 - (n - 64 * i);
			memcpy(last, s + 64 * i, n - 64 * i);
			b = classify(last);
		} else {
			b = classify(s + 64 * i);
		}
		exc[i] = b.exc & mask;
		lower[i] = b.lower & mask;
		planes[2 * i] = b.lo & ~b.exc & mask;
		planes[2 * i + 1] = b.hi & ~b.exc & mask;
		any_exc |= exc[i];
		any_lower |= lower[i];
	}
	return (any_exc ? DNA_HAS_EXC : 0) | (any_lower ? DNA_HAS_LOWER : 0);
}

static void
unpack(const uint64_t *planes, size_t beg, size_t n, uint8_t *s)
{
	const uint64_t *p = planes + beg / 64 * 2;
	unsigned shift = beg % 64;

	for (size_t i = 0; i < n; i += 64, p += 2) {
		size_t left = n - i < 64 ? n - i : 64;
		uint64_t lo = p[0] >> shift, hi = p[1] >> shift;
		uint8_t last[64];

		if (shift + left > 64) {	/* shift > 0 */
			lo |= p[2] << (64 - shift);
			hi |= p[3] << (64 - shift);
		}
		letters(lo, hi, left < 64 ? last : s + i);
		if (left < 64)
			memcpy(s + i, last, left);
	}
}

static size_t
valid(const uint8_t *s, size_t n)
{
	for (size_t i = 0; i < n; i += 64) {
		size_t left = n - i < 64 ? n - i : 64;
		uint8_t last[64];
		uint64_t m;

		if (left < 64) {
			memset(last, 'A', sizeof last);
			memcpy(last, s + i, left);
		}
		m = strange(left < 64 ? last : s + i);
		if (m)
			return i + (size_t)__builtin_ctzll(m);
	}
	return n;
}

const struct dna_ops KERN(dna_ops) = { lines, pack, unpack, valid };
