/* SPDX-License-Identifier: MIT */
/*
 * dna_kern.c - from text to bit planes and back, 64 letters at a time
 *
 * dna_block.h knows the instruction set; here are the loops.  A last, short
 * block goes through a padded copy, so that nothing past the end is touched.
 */

#include <string.h>

#include "base/simd.h"
#include "letters/dna_block.h"

/*
 * As many lines as there are of `width` letters, CR if crlf, newline, and no
 * other bytes: a sequence has few others, and these need no look for their
 * ends.  In d a line more may be overwritten.
 */
INLINE size_t
even(const uint8_t *s, size_t n, size_t width, bool crlf, uint8_t *d)
{
	size_t lines = 0, size = width + crlf + 1;

	while (width >= VBYTES && n >= size && s[size - 1] == '\n' &&
	       (!crlf || s[width] == '\r')) {
		size_t last = width - VBYTES;
		vec seen = copy_letters(s + last, d + last, (vec){ 0 });

		for (size_t i = 0; i < last; i += VBYTES)
			seen = copy_letters(s + i, d + i, seen);
		if (!only_letters(seen))
			break;
		s += size;
		n -= size;
		d += width;
		lines++;
	}
	return lines;
}

static __attribute__((noinline)) size_t
even_lines(const uint8_t *s, size_t n, size_t width, uint8_t *d)
{
	return even(s, n, width, false, d);
}

static size_t
crlf(const uint8_t *s, size_t n, size_t width, uint8_t *d)
{
	return even(s, n, width, true, d);
}

#if defined(ISA_avx512)
/* Compressing in a register and storing it all beats the masked store. */
static inline size_t
store_kept(uint8_t *d, __m512i x, __mmask64 keep)
{
	_mm512_storeu_si512(d, _mm512_maskz_compress_epi8(keep, x));
	return (size_t)__builtin_popcountll(keep);
}

static size_t
lines(const uint8_t *s, size_t n, uint8_t *d, size_t *kept)
{
	size_t i = 0, k = 0, line = 0;

	for (;;) {
		size_t left = n - i, end, m, w;
		__mmask64 keep, stop, ends;
		__m512i x;

		if (left >= 64) {
			x = _mm512_loadu_si512(s + i);
			left = 64;
		} else {
			x = _mm512_maskz_loadu_epi8(
			    ((__mmask64)1 << left) - 1, s + i);
		}
		keep = letter(x);
		ends = newline(x);
		stop = ~(keep | ends);
		if (stop) {	/* beyond the end are zeros, which stop */
			keep |= symbol(x);
			stop &= ~keep;
		}
		if (stop) {
			left = (size_t)__builtin_ctzll(stop);
			keep &= stop ^ (stop - 1);
		}
		k += store_kept(d + k, x, keep);
		i += left;
		if (stop)
			break;
		if (!ends)
			continue;
		/* so many letters behind the last end are in d */
		left = (size_t)__builtin_clzll(ends);
		end = i - left;
		w = end - line - 1;
		line = end;
		m = even_lines(s + end, n - end, w, d + k - left);
		if (m) {
			line = i = end + m * (w + 1);
			k += m * w - left;
		}
	}
	*kept = k;
	return i;
}
#else
static inline bool
is_letter(uint8_t c)
{
	return (uint8_t)((c | 32) - 'a') < 26;
}

static inline bool
is_symbol(uint8_t c)	/* of a sequence, too */
{
	return c == '*' || c == '-' || c == '.';
}

/*
 * Copy whole blocks; of a block with a newline, keep what stands before it and
 * go on behind it.  One or two steps a line of FASTA.  A line mostly ends
 * where the one before did: so it is guessed, and the next step need not wait
 * for what this one finds.
 */
static size_t
lines(const uint8_t *s, size_t n, uint8_t *d, size_t *kept)
{
	uint64_t like = 0;	/* bits up to the last line's end */
	size_t i = 0, k = 0, width = 0, line = 0;

	while (n - i >= STRIP) {
		uint64_t m = copy_block(s + i, d + k);

		if (!m) {
			k += STRIP;
			i += STRIP;
			continue;
		}
		if (__builtin_expect((m ^ (m - 1)) != like, 0)) {
			like = m ^ (m - 1);
			width = (size_t)__builtin_ctzll(m);
		}
		k += width;
		i += width;
		if (is_symbol(s[i])) {
			d[k++] = s[i++];
			continue;
		}
		if (s[i] != '\n')
			break;
		i++;
		line = k - line;
		if (line < n - i && s[i + line] == '\n') {
			m = even_lines(s + i, n - i, line, d + k);
			i += m * (line + 1);
			k += m * line;
		}
		line = k;
	}
	for (; i < n && n - i < STRIP; i++) {
		d[k] = s[i];
		if (is_letter(s[i]) || is_symbol(s[i]))
			k++;
		else if (s[i] != '\n')
			break;
	}
	*kept = k;
	return i;
}
#endif

/* To block i of the others. */
INLINE void
put_block(struct block b, size_t i, uint64_t *planes, uint64_t *exc,
	  uint64_t *lower, uint64_t any[2])
{
	exc[i] = b.exc;
	lower[i] = b.lower;
	planes[2 * i] = b.lo & ~b.exc;
	planes[2 * i + 1] = b.hi & ~b.exc;
	any[0] |= b.exc;
	any[1] |= b.lower;
}

/*
 * The n % 64 letters that end s.  Of a block that ends where they do the bits
 * before them are shifted out: what was just copied would be slow to load.
 */
INLINE struct block
last_block(const uint8_t *s, size_t n)
{
	uint8_t copy[64] = { 0 };
	unsigned others = 64 - n % 64;
	struct block b;

	if (n < 64)
		memcpy(copy + others, s, n);
	b = classify(n < 64 ? copy : s + n - 64);
	b.lo >>= others;
	b.hi >>= others;
	b.exc >>= others;
	b.lower >>= others;
	return b;
}

static unsigned
pack(const uint8_t *s, size_t n, uint64_t *planes, uint64_t *exc,
     uint64_t *lower)
{
	uint64_t any[2] = { 0 };

	for (size_t i = 0; i < n / 64; i++)
		put_block(classify(s + 64 * i), i, planes, exc, lower, any);
	if (n % 64)
		put_block(last_block(s, n), n / 64, planes, exc, lower, any);
	return (any[0] ? DNA_HAS_EXC : 0) | (any[1] ? DNA_HAS_LOWER : 0);
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

/* The numbers of VBYTES / 2 bytes, each in a byte; is a lane 0? */
#if defined(ISA_avx512)
static inline vec
spread_nibbles(const uint8_t *s)
{
	vec x = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)s));

	/* the high one to the low byte, the low one to the high byte */
	x = _mm512_or_si512(_mm512_srli_epi16(x, 4), _mm512_slli_epi16(x, 8));
	return _mm512_and_si512(x, _mm512_set1_epi8(15));
}

static inline bool
has_zero(vec x)
{
	return _mm512_testn_epi8_mask(x, x);
}
#elif defined(ISA_avx2)
static inline vec
spread_nibbles(const uint8_t *s)
{
	vec x = _mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)s));

	x = _mm256_or_si256(_mm256_srli_epi16(x, 4), _mm256_slli_epi16(x, 8));
	return _mm256_and_si256(x, _mm256_set1_epi8(15));
}

static inline bool
has_zero(vec x)
{
	return _mm256_movemask_epi8(
	    _mm256_cmpeq_epi8(x, _mm256_setzero_si256()));
}
#elif defined(ISA_neon)
static inline vec
spread_nibbles(const uint8_t *s)
{
	uint8x8_t x = vld1_u8(s);
	uint8x8_t hi = vshr_n_u8(x, 4), lo = vand_u8(x, vdup_n_u8(15));

	return vcombine_u8(vzip1_u8(hi, lo), vzip2_u8(hi, lo));
}

static inline bool
has_zero(vec x)
{
	return vminvq_u8(x) == 0;
}
#endif

#if VBYTES > 8
/* Returns the numbers. */
static inline vec
put_nibbles(const uint8_t *s, vec table, uint8_t *d)
{
	vec x = spread_nibbles(s);

#if defined(ISA_neon)
	vst1q_u8(d, vqtbl1q_u8(table, x));
#else
	VSI(storeu)((void *)d, V(shuffle_epi8)(table, x));
#endif
	return x;
}

static inline vec
nibble_table(const uint8_t table[16])
{
#if defined(ISA_neon)
	return vld1q_u8(table);
#elif defined(ISA_avx512)
	return _mm512_broadcast_i32x4(_mm_loadu_si128((const void *)table));
#else
	return _mm256_broadcastsi128_si256(
	    _mm_loadu_si128((const void *)table));
#endif
}

/* Of whole bytes.  The last ones go with some before them, if there are. */
static inline bool
nibble_pairs(const uint8_t *s, size_t bytes, const uint8_t table[16],
	     uint8_t *d)
{
	enum { STEP = VBYTES / 2 };
	const vec t = nibble_table(table);
	uint8_t few[STEP];
	bool zero = false;
	size_t i = 0;

	for (; bytes - i >= STEP; i += STEP)
		zero |= has_zero(put_nibbles(s + i, t, d + 2 * i));
	if (i == bytes)
		return zero;
	if (bytes > STEP)
		return zero | has_zero(put_nibbles(s + bytes - STEP, t, d + 2 *
						   (bytes - STEP)));
	memset(few, 0x11, STEP);
	memcpy(few, s, bytes);
	return has_zero(put_nibbles(few, t, d));
}
#else
static inline bool
nibble_pairs(const uint8_t *s, size_t bytes, const uint8_t table[16],
	     uint8_t *d)
{
	bool zero = false;

	for (size_t i = 0; i < bytes; i++) {
		zero |= !(s[i] >> 4) | !(s[i] & 15);
		d[2 * i] = table[s[i] >> 4];
		d[2 * i + 1] = table[s[i] & 15];
	}
	return zero;
}
#endif

static bool
nibbles(const uint8_t *s, size_t n, const uint8_t table[16], uint8_t *d)
{
	bool zero = nibble_pairs(s, n / 2, table, d);

	if (n % 2) {
		zero |= !(s[n / 2] >> 4);
		d[n - 1] = table[s[n / 2] >> 4];
	}
	return zero;
}

const struct dna_ops KERN(dna_ops) = {
	lines, crlf, pack, unpack, valid, nibbles,
};
