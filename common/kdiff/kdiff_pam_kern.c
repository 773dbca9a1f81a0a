/* SPDX-License-Identifier: MIT */
/*
 * kdiff_pam_kern.c - places of a PAM, outward words, look-ups, verification
 * Source of the verification: Ukkonen, Inf. Control 64, 1985, furthest reaching
 * points; Marco-Sola et al., Bioinformatics 37(4), 2021.
 */

#include "base/simd.h"
#include "base/vec.h"
#include "kdiff/kdiff_pam_priv.h"
#include "kdiff/kdiff_vec.h"
#include "letters/letters.h"

#if defined(SANITIZED)
#define UNROLL
#elif defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"	/* of a large k */
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

/* Places of a PAM. */

INLINE v64
load64(const uint64_t *p)
{
	v64 x;

	memcpy(&x, p, sizeof x);
	return x;
}

/* Letters that may be of a set, from word w on. */
INLINE v64
set_at(const struct pam_block *b, unsigned set, unsigned w)
{
	v64 x = vset(0);

	UNROLL
	for (int i = 0; i < 4; i++)
		if (set >> i & 1)
			x |= load64(&b->can[i][w]);
	return x;
}

static void
KERN(pam_places)(const struct pam_block *b, const uint8_t *pam, unsigned n,
		 int off, uint64_t *bits)
{
	for (unsigned w = 0; w < PAM_WORDS; w += LANES) {
		v64 all = ~vset(0);

		for (unsigned q = 0; q < n; q++) {
			unsigned at = (unsigned)(PAM_PAD * 64 + off + (int)q);
			unsigned i = w + at / 64, s = at % 64;
			v64 x = set_at(b, pam[q], i);

			if (s)
				x = x >> s | set_at(b, pam[q], i + 1) <<
				    (64 - s);
			all &= x;
		}
		memcpy(bits + w, &all, sizeof all);
	}
}

/* Outward words. */

#if defined(ISA_scalar)
static inline uint32_t
reversed(uint32_t x)
{
	x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
	x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
	x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
	return __builtin_bswap32(x);
}

/* 32 letters of a plane, from letter `at` of the padded block on. */
static inline uint32_t
letters_at(const uint64_t *plane, uint32_t at)
{
	uint64_t x = plane[at / 64] >> at % 64;

	return (uint32_t)(x | plane[at / 64 + 1] << 1 << (63 - at % 64));
}

static unsigned
KERN(pam_sites)(const struct pam_block *b, const uint64_t *bits, unsigned w,
		bool right, uint32_t flip, struct pam_sites *s)
{
	uint32_t off = PAM_PAD * 64 - (right ? 0 : 32);

	for (; w < PAM_WORDS && s->n < PAM_SITES; w++)
		for (uint64_t x = bits[w]; x; x &= x - 1) {
			uint32_t i = 64 * w + (uint32_t)__builtin_ctzll(x);
			uint32_t lo = letters_at(b->lo, i + off);
			uint32_t hi = letters_at(b->hi, i + off), bad = 0;

			if (!b->clean)
				bad = ~letters_at(b->ok, i + off);
			s->at[s->n] = i;
			s->lo[s->n] = (right ? reversed(lo) : lo) ^ flip;
			s->hi[s->n] = (right ? reversed(hi) : hi) ^ flip;
			s->bad[s->n++] = right ? reversed(bad) : bad;
		}
	return w;
}
#elif !defined(ISA_avx512)
/* The lowest bit; any number of 0. */
static inline uint32_t
lowest(uint64_t x)
{
#if defined(ISA_avx2)
	return (uint32_t)_tzcnt_u64(x);
#else
	return (uint32_t)__builtin_ctzll(x | 1ull << 63);
#endif
}

/* The bits of a word as numbers from `base` on; 8 at a time, so that there is
 * little to guess. */
static inline void
list_bits(uint64_t x, uint32_t base, uint32_t *to)
{
	for (int n = __builtin_popcountll(x); n > 0; n -= 8, to += 8) {
		UNROLL
		for (int i = 0; i < 8; i++) {
			to[i] = base + lowest(x);
			x &= x - 1;
		}
	}
}

/* 32 letters of a plane, from letter `at` of the padded block on. */
static inline uint32_t
letters_at(const uint64_t *plane, uint32_t at)
{
	uint64_t x;

	memcpy(&x, (const uint8_t *)plane + at / 8, sizeof x);
	return (uint32_t)(x >> at % 8);
}

#if defined(ISA_neon)
/* Bits of each lane. */
INLINE w32
reversed(w32 x)
{
	return (w32)vrbitq_u8(vrev32q_u8((neon)x));
}
#else
/* Bits of each lane: of a byte its halves by a table, then the bytes. */
INLINE w32
reversed(w32 x)
{
	const __m256i turned = _mm256_broadcastsi128_si256(_mm_setr_epi8(
	    0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15));
	const __m256i bytes = _mm256_broadcastsi128_si256(_mm_setr_epi8(
	    3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
	const __m256i half = _mm256_set1_epi8(15);
	__m256i v = _mm256_shuffle_epi8((__m256i)x, bytes);
	__m256i low = _mm256_and_si256(v, half);
	__m256i high = _mm256_and_si256(_mm256_srli_epi32(v, 4), half);

	low = _mm256_shuffle_epi8(turned, low);
	high = _mm256_shuffle_epi8(turned, high);
	return (w32)_mm256_or_si256(_mm256_slli_epi32(low, 4), high);
}
#endif

/* Letters of the sites from the i-th on, outwards. */
INLINE void
outward(const uint64_t *plane, const struct pam_sites *s, size_t i,
	bool right, uint32_t flip, uint32_t *to)
{
	uint32_t off = PAM_PAD * 64 - (right ? 0 : 32);

	for (size_t j = i; j < s->n; j++)
		to[j] = letters_at(plane, s->at[j] + off);
	for (; i < s->n && (right || flip); i += WIDTH) {
		w32 x = w_load(to + i);

		w_store(to + i, (right ? reversed(x) : x) ^ w_set(flip));
	}
}

static unsigned
KERN(pam_sites)(const struct pam_block *b, const uint64_t *bits, unsigned w,
		bool right, uint32_t flip, struct pam_sites *s)
{
	size_t i = s->n;

	for (; w < PAM_WORDS && s->n < PAM_SITES; w++) {
		list_bits(bits[w], 64 * w, s->at + s->n);
		s->n += (size_t)__builtin_popcountll(bits[w]);
	}
	outward(b->lo, s, i, right, flip, s->lo);
	outward(b->hi, s, i, right, flip, s->hi);
	if (!b->clean)	/* what is not ok */
		outward(b->ok, s, i, right, ~0u, s->bad);
	return w;
}
#else
/* The bits of a word as numbers from `base` on. */
static inline void
list_bits(uint64_t x, uint32_t base, uint32_t *to)
{
	static const uint8_t iota[64] = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
		16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
		32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
		48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
	};
	__m512i c = _mm512_maskz_compress_epi8(x, _mm512_loadu_si512(iota));
	int n = __builtin_popcountll(x);
	uint8_t list[64];

	_mm512_storeu_si512(list, c);
	for (int i = 0; i < n; i += 16) {
		__m128i v = _mm_loadu_si128((const void *)(list + i));

		_mm512_storeu_si512(to + i, _mm512_add_epi32(
		    _mm512_cvtepu8_epi32(v), _mm512_set1_epi32((int)base)));
	}
}

/* 32 letters of a plane from each of 16 places on. */
INLINE __m512i
words_at(const uint64_t *plane, __m512i at)
{
	__m512i byte = _mm512_srli_epi32(at, 3);
	__m512i sh = _mm512_and_si512(at, _mm512_set1_epi32(7));
	__m512i x = _mm512_i32gather_epi64(_mm512_castsi512_si256(byte), plane,
					   1);
	__m512i y = _mm512_i32gather_epi64(_mm512_extracti64x4_epi64(byte, 1),
					   plane, 1);

	x = _mm512_srlv_epi64(x, _mm512_cvtepu32_epi64(
	    _mm512_castsi512_si256(sh)));
	y = _mm512_srlv_epi64(y, _mm512_cvtepu32_epi64(
	    _mm512_extracti64x4_epi64(sh, 1)));
	return _mm512_inserti64x4(
	    _mm512_castsi256_si512(_mm512_cvtepi64_epi32(x)),
	    _mm512_cvtepi64_epi32(y), 1);
}

INLINE __m512i
reversed(__m512i x)
{
	const __m512i bytes = _mm512_broadcast_i32x4(_mm_setr_epi8(
	    3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));

	return _mm512_gf2p8affine_epi64_epi8(_mm512_shuffle_epi8(x, bytes),
	    _mm512_set1_epi64(0x8040201008040201), 0);
}

static unsigned
KERN(pam_sites)(const struct pam_block *b, const uint64_t *bits, unsigned w,
		bool right, uint32_t flip, struct pam_sites *s)
{
	const __m512i off = _mm512_set1_epi32(PAM_PAD * 64 - (right ? 0 : 32));
	const __m512i f = _mm512_set1_epi32((int)flip);
	size_t i = s->n;

	for (; w < PAM_WORDS && s->n < PAM_SITES; w++) {
		if (!bits[w])
			continue;
		list_bits(bits[w], 64 * w, s->at + s->n);
		s->n += (size_t)__builtin_popcountll(bits[w]);
	}
	for (size_t z = 0; z < 16; z++)	/* for a vector that is not full */
		s->at[s->n + z] = 0;
	for (; i < s->n; i += 16) {
		__m512i at = _mm512_add_epi32(
		    _mm512_loadu_si512(s->at + i), off);
		__m512i lo = words_at(b->lo, at), hi = words_at(b->hi, at);
		__m512i bad = _mm512_setzero_si512();

		if (!b->clean)
			bad = ~words_at(b->ok, at);
		if (right) {
			lo = reversed(lo);
			hi = reversed(hi);
			bad = reversed(bad);
		}
		_mm512_storeu_si512(s->lo + i, _mm512_xor_si512(lo, f));
		_mm512_storeu_si512(s->hi + i, _mm512_xor_si512(hi, f));
		_mm512_storeu_si512(s->bad + i, bad);
	}
	return w;
}
#endif

/* Look-ups. */

/* A table's words, L letters from letter `from`, of WIDTH sites from the i-th
 * on. */
INLINE w32
words_of(unsigned L, unsigned from, const struct pam_sites *s, size_t i)
{
	w32 lo = w_load(s->lo + i) << from >> (32 - L);
	w32 hi = w_load(s->hi + i) << from >> (32 - L);

	return lo << L | hi;
}

/* Sites whose bit of bits[] is set, all without one; returns how many. */
INLINE size_t
look_up(const struct pam_table *t, const struct pam_sites *s,
	struct pam_found *f, const uint32_t *bits)
{
	w32 number = w_set(0), step = w_set(WIDTH);
	unsigned L = t->letters, from = t->from;
	size_t n = 0, n_sites = s->n;	/* nothing that is written */

	for (unsigned l = 0; l < WIDTH; l++)
		number[l] = l;
	for (size_t i = 0; i < n_sites; i += WIDTH, number += step) {
		uint32_t have = n_sites - i < WIDTH ?
				(1u << (n_sites - i)) - 1 :
				(uint32_t)(~0ull >> (64 - WIDTH));
		w32 w = words_of(L, from, s, i);

		if (bits) {	/* the word's bit to the sign */
			w32 x = w_gather(bits, w >> 5);

			x = w_shl(x, ~w & 31);
			have &= w_less(x, w_set(0));
		}
		w_compress(f->site + n, have, number);
		w_compress(f->word + n, have, w);
		n += w_count(have);
	}
	return n;
}

#if defined(ISA_neon)
/*
 * The same.  A lane that is found adds 16 << lane and, higher up, the 4 bytes
 * that it takes: so one sum is the place of its mask's bytes in w_lanes and how
 * far to go on.  What lies behind the last site may be found, too, and is at
 * the end then.
 */
static size_t
sieved(const struct pam_table *t, const struct pam_sites *s,
       struct pam_found *f)
{
	const uint32x4_t found = {
		4 << 16 | 16, 4 << 16 | 32, 4 << 16 | 64, 4 << 16 | 128,
	};
	int L = (int)t->letters, from = (int)t->from;
	const int32x4_t down_hi = vdupq_n_s32(from + L - 32);
	const int32x4_t down_lo = vdupq_n_s32(from + 2 * L - 32);
	const w32 of_hi = w_set((1u << L) - 1), all = w_set((1u << 2 * L) - 1);
	w32 number = { 0, 1, 2, 3 };
	size_t at = 0, n_sites = s->n;	/* nothing that is written */
	const uint32_t *bits = t->bits;

	for (size_t i = 0; i < n_sites; i += 4, number += w_set(4)) {
		w32 lo = vshlq_u32(w_load(s->lo + i), down_lo);
		w32 hi = vshlq_u32(w_load(s->hi + i), down_hi);
		w32 w = vbslq_u32(of_hi, hi, lo) & all;
		w32 x = neon_bit_to_top(w_gather(bits, w >> 5), w);
		uint32_t sum = vaddvq_u32(found &
					  vcltzq_s32((int32x4_t)x));
		neon lanes = (neon)w_lanes[(uint8_t)sum / 16];

		w_store(f->site + at, (w32)vqtbl1q_u8((neon)number, lanes));
		w_store(f->word + at, (w32)vqtbl1q_u8((neon)w, lanes));
		at += sum >> 18;
	}
	while (at && f->site[at - 1] >= n_sites)
		at--;
	return at;
}
#endif

static void
KERN(pam_lookup)(const struct pam_table *t, const struct pam_sites *s,
		 struct pam_found *f)
{
#if defined(ISA_neon)
	size_t n = t->sieve ? sieved(t, s, f) : look_up(t, s, f, NULL);
#else
	size_t n = look_up(t, s, f, t->sieve ? t->bits : NULL);
#endif

	memset(f->site + n, 0, PAM_SPARE * sizeof *f->site);
	memset(f->word + n, 0, PAM_SPARE * sizeof *f->word);
	f->n = n;
}

static size_t
KERN(pam_pair)(const struct pam_table *t, const struct pam_found *f, size_t i,
	       uint32_t *skip, struct pam_pairs *p)
{
	enum { AHEAD = 24, LIST_AHEAD = 10 };
	const uint32_t *start = t->start;
	const uint16_t *guide = t->guide;
	size_t at = p->n;

	for (; i < f->n && at < PAM_PAIRS; i++) {
		uint32_t w = f->word[i], beg = start[w] + *skip, j = 0;
		uint32_t all = start[w + 1] - beg;
		uint32_t room = (uint32_t)(PAM_PAIRS - at);
		uint32_t n = all < room ? all : room;

		__builtin_prefetch(start + f->word[i + AHEAD]);
		__builtin_prefetch(guide + start[f->word[i + LIST_AHEAD]]);
		do {	/* one vector more costs less than to guess how many */
			w_store(p->site + at + j, w_set(f->site[i]));
			w_store(p->guide + at + j, w_widen(guide + beg + j));
			j += WIDTH;
		} while (j < n);
		at += n;
		if (n < all) {
			*skip += n;
			break;
		}
		*skip = 0;
	}
	p->n = at;
	return i;
}

/* Verification. */

/*
 * A pair's alignments by diagonals: d is the guide's letters gone through less
 * the text's, negated; so text letter i + d stands against guide letter i.
 * f[d] is how many guide letters the alignments with e differences reach on
 * it.  Mismatches of a diagonal are a word, the first guide letter in bit 31;
 * bits behind the guide's last letter are set, so that counting zeros ends
 * there.  Letters beyond the text's 32 come in as 0: m + k <= 32.
 */
enum { DIAGONALS = 2 * PAM_MAX_K + 1 };

struct lane_pair {
	w32 lo, hi, bad, guide_lo, guide_hi, end;
};

INLINE w32
moved(w32 x, int d)	/* text letter i + d to bit 31 - i */
{
	return d >= 0 ? x << d : x >> -d;
}

/* Letters before the text's first one match nothing that counts: on diagonal
 * -d no alignment is at guide letter 0 to d - 1. */
INLINE void
mismatches(const int k, const struct lane_pair *p, bool bad, w32 *mis)
{
	UNROLL
	for (int d = -k; d <= k; d++) {
		w32 x = moved(p->lo, d) ^ p->guide_lo;

		x = w_or_xor(x, moved(p->hi, d), p->guide_hi) | p->end;
		if (bad)
			x |= moved(p->bad, d);
		mis[d + k] = x;
	}
}

/* One difference more: from a mismatch, a text letter or a guide letter. */
INLINE void
next_reach(const int k, const int e, const w32 *mis, const w32 *f, w32 *to)
{
	const w32 one = w_set(1);

	UNROLL
	for (int d = -e; d <= e; d++) {
		w32 v = d < e ? f[(d > -e ? d : d + 1) + k] + one :
				f[d - 1 + k];

		if (d - 1 > -e && d < e)
			v = w_max(v, f[d - 1 + k]);
		if (d + 1 < e && d > -e)
			v = w_max(v, f[d + 1 + k] + one);
		to[d + k] = v + w_zeros(w_shl(mis[d + k], v));
	}
}

/* The furthest on any of diagonals -e to e. */
INLINE w32
furthest(const int k, const int e, const w32 *f)
{
	w32 x = f[k - e];

	UNROLL
	for (int d = -e + 1; d <= e; d++)
		x = w_max(x, f[d + k]);
	return x;
}

/* The same in text letters. */
INLINE w32
furthest_text(const int k, const int e, const w32 *f)
{
	w32 x = f[k - e] - (uint32_t)e;

	UNROLL
	for (int d = -e + 1; d <= e; d++)
		x = w_max(x, f[d + k] + (uint32_t)d);
	return x;
}

/* Lanes with at most k differences: seldom any, so nothing else is asked. */
INLINE uint32_t
within(const int k, const w32 *mis, uint32_t m)
{
	w32 f[DIAGONALS], to[DIAGONALS];

	f[k] = w_zeros(mis[k]);
	UNROLL
	for (int e = 1; e <= k; e++) {
		next_reach(k, e, mis, f, to);
		UNROLL
		for (int d = -e; d <= e; d++)
			f[d + k] = to[d + k];
	}
	return ~w_less(furthest(k, k, f), w_set(m));
}

struct verdict {
	w32 dist;	/* of lanes within k differences */
	uint32_t first;	/* lanes that the first table has */
};

INLINE struct verdict
judge(const int k, const w32 *mis, const struct pam_guides *g)
{
	const w32 m = w_set(g->m), letters = w_set(g->letters);
	w32 f[DIAGONALS], to[DIAGONALS];
	struct verdict r = { .dist = w_set(0) };
	w32 x;

	f[k] = w_zeros(mis[k]);
	x = f[k];
	if (g->second && g->first == 0)
		r.first = ~w_less(x, letters);
	r.dist = w_count_less(r.dist, x, m);
	UNROLL
	for (int e = 1; e <= k; e++) {
		next_reach(k, e, mis, f, to);
		UNROLL
		for (int d = -e; d <= e; d++)
			f[d + k] = to[d + k];
		x = furthest(k, e, f);
		r.dist = w_count_less(r.dist, x, m);
		if (g->second && g->first == (uint32_t)e)
			r.first = ~w_less(furthest_text(k, e, f), letters);
	}
	return r;
}

INLINE void
verify(const int k, const struct pam_guides *g, const struct pam_sites *s,
       const struct pam_pairs *p, const bool bad, struct pam_hits *h)
{
	const w32 end = w_set((uint32_t)(0xffffffffull >> g->m));

	h->n = 0;
	for (size_t i = 0; i < p->n; i += WIDTH) {
		uint32_t have = p->n - i < WIDTH ?
				(1u << (p->n - i)) - 1 :
				(uint32_t)(~0ull >> (64 - WIDTH));
		w32 guide = w_load(p->guide + i), site = w_load(p->site + i);
		struct lane_pair pair = {
			w_gather(s->lo, site), w_gather(s->hi, site),
			bad ? w_gather(s->bad, site) : w_set(0),
			w_gather(g->lo, guide), w_gather(g->hi, guide), end,
		};
		struct verdict r;
		w32 mis[DIAGONALS];

		mismatches(k, &pair, bad, mis);
		have &= within(k, mis, g->m);
		if (!have)
			continue;
		r = judge(k, mis, g);
		have &= ~r.first;
		w_compress(h->site + h->n, have, site);
		w_compress(h->guide + h->n, have, guide);
		w_compress(h->dist + h->n, have, r.dist);
		h->n += (size_t)__builtin_popcount(have);
	}
}

#define VERIFY(k)							\
static void								\
verify_##k(const struct pam_guides *g, const struct pam_sites *s,	\
	   const struct pam_pairs *p, bool bad, struct pam_hits *h)	\
{									\
	if (bad)							\
		verify(k, g, s, p, true, h);				\
	else								\
		verify(k, g, s, p, false, h);				\
}
VERIFY(0)
VERIFY(1)
VERIFY(2)
VERIFY(3)
VERIFY(4)
VERIFY(5)
VERIFY(6)

#if defined(ISA_neon)
/*
 * The same without differences.  There is little to do but to load words, which
 * nothing gathers: so each pair is compared by itself.
 */
static void
verify_same(const struct pam_guides *g, const struct pam_sites *s,
	    const struct pam_pairs *p, struct pam_hits *h)
{
	const uint32_t *lo = s->lo, *guide_lo = g->lo;
	const uint32_t *hi = s->hi, *guide_hi = g->hi;
	uint32_t letters = ~(uint32_t)(0xffffffffull >> g->m);
	size_t n = 0, n_pairs = p->n;	/* nothing that is written */

#pragma GCC unroll 4
	for (size_t i = 0; i < n_pairs; i++) {
		uint32_t site = p->site[i], guide = p->guide[i];
		uint32_t x = (lo[site] ^ guide_lo[guide]) |
			     (hi[site] ^ guide_hi[guide]);

		if (__builtin_expect(x & letters, 1))
			continue;
		w_store(h->site + n, w_load(p->site + i));
		w_store(h->guide + n, w_load(p->guide + i));
		h->dist[n++] = 0;
	}
	h->n = n;
}
#endif

static void
KERN(pam_verify)(const struct pam_guides *g, const struct pam_sites *s,
		 const struct pam_pairs *p, bool bad, struct pam_hits *h)
{
	static pam_verify_fn *const by_k[PAM_MAX_K + 1] = {
		verify_0, verify_1, verify_2, verify_3, verify_4, verify_5,
		verify_6,
	};

#if defined(ISA_neon)
	if (!g->k && !bad) {
		verify_same(g, s, p, h);
		return;
	}
#endif
	by_k[g->k](g, s, p, bad, h);
}

/*
 * Reaches from the guide's last letter inwards, so that a path can be followed
 * from the PAM on; as in verification, but an alignment may end on any
 * diagonal.  Letters before the text's first one may seem to match: only
 * states that no path comes to lie there.
 */

/* Matches on a diagonal behind the last r guide letters, and those. */
INLINE w32
slide(w32 mis, w32 r, w32 m)
{
	w32 x = w_shr(mis, w_set(32) - m + r) | w_set(1u << 31);

	return w_min(r + (w_set(31) - w_zeros(x & -x)), m);
}

static void
KERN(pam_reach)(struct pam_traced *t)
{
	int k = (int)t->k;

	for (unsigned i = 0; i < PAM_TRACED; i += WIDTH) {
		w32 m = w_load(t->m + i), mis[PAM_DIAGONALS];
		struct lane_pair p = {
			.lo = w_load(t->lo + i), .hi = w_load(t->hi + i),
			.guide_lo = w_load(t->guide_lo + i),
			.guide_hi = w_load(t->guide_hi + i),
		};

		for (int d = -k; d <= k; d++) {
			w32 x = moved(p.lo, d) ^ p.guide_lo;

			mis[k + d] = w_or_xor(x, moved(p.hi, d), p.guide_hi);
			if (k)
				w_store(&t->reach[0][k + d][i],
					slide(mis[k + d], w_set(0), m));
		}
		for (int c = 1; c < k; c++)
			for (int d = c - k; d <= k - c; d++) {
				const uint32_t *to = &t->reach[c - 1][k + d][i];
				w32 v = w_load(to) + w_set(1);

				v = w_max(v, w_load(to + PAM_TRACED));
				v = w_max(v, w_load(to - PAM_TRACED) +
					     w_set(1));
				w_store(&t->reach[c][k + d][i],
					slide(mis[k + d], w_min(v, m), m));
			}
	}
}

const struct pam_ops KERN(pam_ops) = {
	KERN(pam_places), KERN(pam_sites), KERN(pam_lookup), KERN(pam_pair),
	KERN(pam_verify), KERN(pam_reach),
};
