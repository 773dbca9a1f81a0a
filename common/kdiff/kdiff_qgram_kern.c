/* SPDX-License-Identifier: MIT */
/*
 * kdiff_qgram_kern.c - samples of a text whose q-gram is in a bitmap; distances
 * along strips of diagonals, and in rows below the first ones
 *
 * A word of 64 letters a lane; its samples, `step` letters apart from its
 * first one on, are looked up for all lanes at a time.
 */

#include "base/vec.h"
#include "kdiff/kdiff_kern.h"
#include "kdiff/kdiff_vec.h"

#if !defined(ISA_neon)

/* Low and high bits of LANES words, and of the words after each of them. */
struct letters {
	v64 lo, hi, lo1, hi1;
};

static inline struct letters
load(const uint64_t *p)
{
	struct letters x;
#if defined(ISA_avx512)
	const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
	const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
	__m512i a = _mm512_loadu_si512(p), b = _mm512_loadu_si512(p + 8);
	__m512i lo = _mm512_permutex2var_epi64(a, even, b);
	__m512i hi = _mm512_permutex2var_epi64(a, odd, b);

	x.lo = (v64)lo;
	x.hi = (v64)hi;
	x.lo1 = (v64)_mm512_alignr_epi64(_mm512_set1_epi64((long long)p[16]),
					 lo, 1);
	x.hi1 = (v64)_mm512_alignr_epi64(_mm512_set1_epi64((long long)p[17]),
					 hi, 1);
#else
	for (int l = 0; l < LANES; l++) {
		x.lo[l] = p[2 * l];
		x.hi[l] = p[2 * l + 1];
		x.lo1[l] = p[2 * l + 2];
		x.hi1[l] = p[2 * l + 3];
	}
#endif
	return x;
}

/* The q-grams that begin with letter i of each word, as numbers. */
static inline v64
grams(const struct letters *x, const struct kdiff_sieve *v, unsigned i)
{
	uint64_t mask = (1ull << v->q) - 1;
	v64 lo = x->lo >> i | x->lo1 << 1 << (63 - i);
	v64 hi = x->hi >> i | x->hi1 << 1 << (63 - i);

	return (lo & mask) | (hi & mask) << v->q;
}

/*
 * Samples i and i + step of all words; without the second if `one`.  How many
 * were found.
 */
#if defined(ISA_avx512) || defined(ISA_avx2)
static inline size_t
look_up(const struct letters *x, const struct kdiff_sieve *v, unsigned i,
	bool one, uint32_t at, uint32_t *out, uint32_t *key)
{
	static const uint32_t lane[16] = { 0, 0, 64, 64, 128, 128, 192, 192,
		256, 256, 320, 320, 384, 384, 448, 448 };
	v64 both = grams(x, v, i);
	uint32_t in;
	w32 g, word;

	if (!one)
		both |= grams(x, v, i + v->step) << 32;
	g = (w32)both;
	word = w_gather((const uint32_t *)v->bits, g >> 5);
	/* the gram's bit to the top */
	in = w_less(w_shl(word, ~g & 31), w_set(0)) & (one ? 0x5555 : 0xffff);
	if (in) {
		w32 second = (w32)vset((uint64_t)v->step << 32);

		w_compress(out, in, w_load(lane) + (at + i) + second);
		w_compress(key, in, g);
	}
	return w_count(in);
}
#else
static inline size_t
look_up(const struct letters *x, const struct kdiff_sieve *v, unsigned i,
	bool one, uint32_t at, uint32_t *out, uint32_t *key)
{
	size_t n = 0;

	for (unsigned j = one ? 1 : 2; j; j--, i += v->step) {
		v64 g = grams(x, v, i);

		for (int l = 0; l < LANES; l++) {
			out[n] = at + 64 * (uint32_t)l + i;
			key[n] = (uint32_t)g[l];
			n += v->bits[g[l] / 64] >> g[l] % 64 & 1;
		}
	}
	return n;
}
#endif

size_t
KERN(kdiff_sieve)(const struct kdiff_sieve *v, const uint64_t *planes,
		  size_t n_words, uint32_t *out, uint32_t *key)
{
	size_t n = 0;

	for (size_t w = 0; w < n_words; w += LANES) {
		struct letters x = load(planes + 2 * w);

		for (unsigned i = 0; i < 64; i += 2 * v->step)
			n += look_up(&x, v, i, i + v->step >= 64,
				     (uint32_t)(64 * w), out + n, key + n);
	}
	return n;
}

#else /* NEON: four samples of the same two words, by bytes looked up */

struct samples {
	uint8x16_t byte;	/* of planes: where each begins, 3 more */
	int32x4_t right, up;	/* its bit there, negative; that and q */
	uint32_t place[4];	/* its letter */
};
enum { SAMPLES = 2 * 64 / 4 };

/* Those of two words, four by four; returns how many times. */
static unsigned
list_samples(const struct kdiff_sieve *v, struct samples *to)
{
	unsigned n = 0;

	memset(to, 0, SAMPLES * sizeof *to);
	for (unsigned word = 0; word < 128; word += 64)
		for (unsigned i = word; i < word + 64; i += v->step, n++) {
			struct samples *x = to + n / 4;
			unsigned bit = i % 8, b = i / 8 * 0x01010101;

			x->place[n % 4] = i;
			((uint32_t *)&x->byte)[n % 4] = b + 0x03020100;
			((int32_t *)&x->right)[n % 4] = -(int)bit;
			((int32_t *)&x->up)[n % 4] = (int)v->q - (int)bit;
		}
	return n;
}

/* Letters of a pair of words, and of the next one. */
struct pair {
	uint8x16x2_t lo, hi;
};

static inline struct pair
pair(uint64x2x2_t now, uint64x2x2_t next)
{
	return (struct pair){
		{ { (neon)now.val[0], (neon)next.val[0] } },
		{ { (neon)now.val[1], (neon)next.val[1] } },
	};
}

/* The q-grams of four samples, as numbers. */
static inline uint32x4_t
four(const struct pair *p, const struct samples *s, unsigned q)
{
	uint32x4_t l = (uint32x4_t)vqtbl2q_u8(p->lo, s->byte);
	uint32x4_t h = (uint32x4_t)vqtbl2q_u8(p->hi, s->byte);

	l = vshlq_u32(l, s->right);
	h = vshlq_u32(h, s->up);
	return vbslq_u32(vdupq_n_u32((1u << q) - 1), l, h) &
	       vdupq_n_u32((1u << 2 * q) - 1);
}

size_t
KERN(kdiff_sieve)(const struct kdiff_sieve *v, const uint64_t *planes,
		  size_t n_words, uint32_t *out, uint32_t *key)
{
	const uint32_t *bits = (const uint32_t *)v->bits;
	struct samples s[SAMPLES];
	unsigned n = list_samples(v, s), q = v->q;
	uint64x2x2_t now = vld2q_u64(planes), next;
	size_t found = 0;

	for (size_t w = 0; w < n_words; w += 2, now = next) {
		struct pair p = pair(now, next = vld2q_u64(planes + 2 * w + 4));

		for (unsigned i = 0; i < n; i += 4) {
			uint32x4_t g = four(&p, &s[i / 4], q), b;
			uint32_t gram[4];
			uint64_t in;

			b = neon_gather32(bits, vshrq_n_u32(g, 5));
			b = neon_bit_to_top(b, g);
			in = (uint64_t)vshrn_n_u32(b, 16) & 0x8000800080008000;
			if (in)
				vst1q_u32(gram, g);
			for (; in; in &= in - 1) {
				unsigned j = (unsigned)__builtin_ctzll(in) / 16;

				out[found] = (uint32_t)(64 * w) +
					     s[i / 4].place[j];
				key[found] = gram[j];
				found += i + j < n;
			}
		}
	}
	return found;
}
#endif

/*
 * Edit distance along a strip of diagonals
 *
 * The rows of kdiff_kern.c, in a frame of some words that follows the strip:
 * after 64 words - width rows it moves as many columns to the right.  The
 * left edge rises by 1 a row, and so do the columns that come in: D(r, c + 1)
 * and D(r + 1, c) are at most D(r, c) + 1, so no value is below the true one.
 */

enum { UNROLLED = 3 };

/* Rows from .. to-1 of a frame of `words` words. */
INLINE void
strip_rows(const struct kdiff_strip *x, const unsigned words, v64 *vp, v64 *vm,
	   uint32_t from, uint32_t to)
{
	const v64 *frame = (const v64 *)x->frame;

	for (uint32_t r = from; r < to; r++) {
		const v64 *eq = frame + (size_t)x->code[r] * words;
		v64 gl = vset(0), ml = vset(0);

#pragma GCC unroll 4
		for (unsigned w = 0; w < words; w++) {
			v64 e = eq[w], p = vp[w], n = vm[w];
			v64 xh = e | (ml >> 63);
			v64 d = xor_or((xh & p) + p, p, xh);
			v64 g = andn_or(n, d, p), m = d & p;
			v64 gs = shl1(g, gl), ms = shl1(m, ml);
			v64 d0 = e | n;

			vp[w] = or_andn(ms, d0, gs);
			vm[w] = ~gs & d0;
			gl = g;
			ml = m;
		}
	}
}

/* to[s * step]: where letters with these low and high bits match symbol s. */
INLINE void
put_symbols(const uint8_t *sym, unsigned n_sym, v64 lo, v64 hi, v64 *to,
	    size_t step)
{
	const v64 one[4] = { ~(lo | hi), lo & ~hi, hi & ~lo, lo & hi };

	for (unsigned s = 0; s < n_sym; s++) {
		unsigned set = sym[s];
		v64 e = one[__builtin_ctz(set)];

		for (set &= set - 1; set; set &= set - 1)
			e |= one[__builtin_ctz(set)];
		to[s * step] = e;
	}
}

/* The frame's letters as the text has them. */
INLINE void
read_words(const struct kdiff_strip *x, const unsigned words)
{
	const uint64_t *p[LANES];
	v64 w[4] = { { 0 } }, next[4], at;

	for (int l = 0; l < LANES; l++)
		p[l] = x->planes + (x->first[l] + x->at) / 64 * 2;
	memcpy(&at, x->first, VBYTES);
	at = (at + x->at) & 63;
	transpose4(p, next);	/* lo, hi of two words */
	for (unsigned i = 0; i < words; i++) {
		v64 lo, hi;

		if (i % 2 == 0) {
			memcpy(w, next, sizeof w);
			for (int l = 0; l < LANES; l++)
				p[l] += 4;
			if (i + 1 < words)
				transpose4(p, next);
			lo = w[0] >> at | w[2] << 1 << (63 - at);
			hi = w[1] >> at | w[3] << 1 << (63 - at);
		} else {
			lo = w[2] >> at | next[0] << 1 << (63 - at);
			hi = w[3] >> at | next[1] << 1 << (63 - at);
		}
		put_symbols(x->sym, x->n_sym, lo, hi, (v64 *)x->frame + i,
			    words);
	}
}

/* Which letters from column x->at on match, of each symbol. */
INLINE void
set_frame(const struct kdiff_strip *x, const unsigned words)
{
	unsigned b = x->at % 64;

	if (!x->eq) {
		read_words(x, words);
		return;
	}
	for (unsigned s = 0; s < x->n_sym; s++) {
		const v64 *eq = (const v64 *)x->eq +
				(size_t)s * x->eq_words + x->at / 64;
		v64 *to = (v64 *)x->frame + (size_t)s * words;

		for (unsigned w = 0; w < words; w++)
			to[w] = eq[w] >> b | eq[w + 1] << 1 << (63 - b);
	}
}

/* D at the end of a word less D before it: -64 to 64. */
INLINE v64
rise_of(v64 vp, v64 vm)
{
	v64 d = sub8(pop8(vp), pop8(vm));

	d = add8(d, d << 8);
	d = add8(d, d << 16);
	d = add8(d, d << 32);
	return top8(d);
}

/* Leave the first n columns: what D rises along them. */
INLINE v64
move_frame(const unsigned words, v64 *vp, v64 *vm, unsigned n)
{
	unsigned by = n / 64, b = n % 64;
	uint64_t low = (1ull << b) - 1;
	v64 rise = vset(0);

	if (b)
		rise = rise_of(vp[by] & low, vm[by] & low);
	for (unsigned w = 0; w < by; w++)
		rise += rise_of(vp[w], vm[w]);
	for (unsigned w = 0; w < words; w++) {
		unsigned i = w + by;
		v64 p0 = i < words ? vp[i] : vset(~0ull);
		v64 p1 = i + 1 < words ? vp[i + 1] : vset(~0ull);
		v64 m0 = i < words ? vm[i] : vset(0);
		v64 m1 = i + 1 < words ? vm[i + 1] : vset(0);

		vp[w] = p0 >> b | p1 << 1 << (63 - b);
		vm[w] = m0 >> b | m1 << 1 << (63 - b);
	}
	return rise;
}

INLINE void
strip(struct kdiff_strip *x, const unsigned words, v64 *vp, v64 *vm)
{
	v64 left = vset(0), *to = (v64 *)x->left;
	uint32_t rows = 0;

	for (unsigned w = 0; w < words; w++)
		vp[w] = vm[w] = vset(0);
	for (x->at = 0; x->at < x->m; x->at += rows) {
		if (x->at)
			left += move_frame(words, vp, vm, rows);
		rows = 64 * words - x->width;	/* does D rise behind? */
		if (rows > x->m - x->at)
			rows = x->m - x->at;
		set_frame(x, words);
		strip_rows(x, words, vp, vm, x->at, x->at + rows);
		left += rows;
	}
	x->at -= rows;
	for (unsigned w = 0; w < words; w++) {
		to[w] = left;
		left += rise_of(vp[w], vm[w]);
		((v64 *)x->vp)[w] = vp[w];
		((v64 *)x->vm)[w] = vm[w];
	}
}

/* Which of 64 letters from x->moved on match in vector g, of each symbol. */
INLINE void
read_frame(const struct kdiff_deep *x, int g, v64 *frame)
{
	const uint64_t *p[LANES], *first = x->at + g * LANES;
	v64 w[4], at, lo, hi;

	memcpy(&at, first, VBYTES);
	at = (at + x->moved) & 63;
	for (int l = 0; l < LANES; l++)
		p[l] = x->planes + (first[l] + x->moved) / 64 * 2;
	transpose4(p, w);
	lo = w[0] >> at | w[2] << 1 << (63 - at);
	hi = w[1] >> at | w[3] << 1 << (63 - at);
	put_symbols(x->sym, x->n_sym, lo, hi, frame, KDIFF_DEEP);
}

/* Rows from .. to-1: one word, before which D rises down all rows. */
INLINE void
deep_rows(const uint8_t *code, const v64 *frame, v64 *vp, v64 *vm,
	  uint32_t from, uint32_t to)
{
	for (uint32_t r = from; r < to; r++) {
		const v64 *eq = frame + (size_t)code[r] * KDIFF_DEEP;

#pragma GCC unroll 2
		for (int g = 0; g < KDIFF_DEEP; g++) {
			v64 e = eq[g], p = vp[g], n = vm[g];
			v64 d = xor_or((e & p) + p, p, e), up = d & p;
			v64 d0 = e | n, rise = andn_or(n, d, p);

			rise += rise;
			vp[g] = or_andn(up + up, d0, rise);
			vm[g] = ~rise & d0;
		}
	}
}

void
KERN(kdiff_deepen)(struct kdiff_deep *x)
{
	v64 frame[16 * KDIFF_DEEP], vp[KDIFF_DEEP], vm[KDIFF_DEEP];
	v64 left[KDIFF_DEEP];
	uint32_t rows = 0;

	memcpy(vp, x->vp, sizeof vp);
	memcpy(vm, x->vm, sizeof vm);
	left[0] = left[1] = vset(x->p->k + 1);
	x->moved = 0;
	for (uint32_t row = x->row; row < x->p->m; row += rows) {
		x->moved += rows;
		for (int g = 0; g < KDIFF_DEEP; g++) {
			if (rows)
				left[g] += move_frame(1, &vp[g], &vm[g], rows);
			read_frame(x, g, frame + g);
		}
		rows = 63 - x->width;	/* one more column: does D rise? */
		if (rows > x->p->m - row)
			rows = x->p->m - row;
		deep_rows(x->p->code, frame, vp, vm, row, row + rows);
		left[0] += rows;
		left[1] += rows;
	}
	memcpy(x->vp, vp, sizeof vp);
	memcpy(x->vm, vm, sizeof vm);
	memcpy(x->left, left, sizeof left);
}

void
KERN(kdiff_strip)(struct kdiff_strip *x)
{
	v64 vp[UNROLLED], vm[UNROLLED];

	switch (x->words) {
	case 1:
		strip(x, 1, vp, vm);
		break;
	case 2:
		strip(x, 2, vp, vm);
		break;
	case 3:
		strip(x, 3, vp, vm);
		break;
	default:
		strip(x, x->words, (v64 *)x->vp, (v64 *)x->vm);
	}
}
