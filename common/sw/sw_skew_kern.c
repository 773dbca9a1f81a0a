/* SPDX-License-Identifier: MIT */
/* sw_skew_kern.c - kernels of the skewed wavefront */

#include <string.h>

#include "sw/sw_lanes_vec.h"
#include "sw/sw_skew.h"

/*
 * Lanes widened to 32 bits, a quarter at a time, and new bases
 */

#if VBYTES >= 16
enum {
	LANES = VBYTES, HALF = LANES / 2, QUARTER = LANES / 4,
};
typedef int32_t v32 __attribute__((vector_size(VBYTES)));
typedef int16_t h16 __attribute__((vector_size(VBYTES / 2)));
typedef int8_t q8 __attribute__((vector_size(VBYTES / 4)));
typedef uint8_t uq8 __attribute__((vector_size(VBYTES / 4)));

INLINE v32
set32(int32_t x)
{
	return (v32){ 0 } + x;
}

INLINE v32
load32(const int32_t *x, unsigned g)
{
	v32 v;

	memcpy(&v, x + (size_t)g * QUARTER, sizeof v);
	return v;
}

INLINE void
store32(int32_t *x, unsigned g, v32 v)
{
	memcpy(x + (size_t)g * QUARTER, &v, sizeof v);
}

INLINE v32
max32(v32 a, v32 b)
{
	return (v32)V(max_epi32)((vec)a, (vec)b);
}

INLINE v32
min32(v32 a, v32 b)
{
	return (v32)V(min_epi32)((vec)a, (vec)b);
}

/* Values of a quarter of the lanes. */
INLINE v32
get(const uint8_t *x, unsigned g, int bits)
{
	uq8 b;
	h16 w;

	if (bits == 8) {
		memcpy(&b, x + (size_t)g * QUARTER, sizeof b);
		return __builtin_convertvector(b, v32);
	}
	memcpy(&w, x + (size_t)g * QUARTER * 2, sizeof w);
	return __builtin_convertvector(w, v32);
}

/* The low bits of each. */
INLINE void
put(uint8_t *x, unsigned g, v32 v, int bits)
{
	if (bits == 8) {
		q8 b = __builtin_convertvector(v, q8);

		memcpy(x + (size_t)g * QUARTER, &b, sizeof b);
	} else {
		h16 w = __builtin_convertvector(v, h16);

		memcpy(x + (size_t)g * QUARTER * 2, &w, sizeof w);
	}
}

INLINE vec
vmin(int bits, vec a, vec b)
{
	return bits == 8 ? V(min_epu8)(a, b) : V(min_epi16)(a, b);
}

/* Vector i of bytes x. */
INLINE vec
at(const uint8_t *x, size_t i)
{
	return VSI(loadu)((const void *)(x + i * VBYTES));
}

INLINE void
to(uint8_t *x, size_t i, vec v)
{
	VSI(storeu)((void *)(x + i * VBYTES), v);
}

INLINE int
zero_of(const struct sw_skew *s, int bits)
{
	return bits == 8 ? s->zero8 : 0;
}

/* New bases, and what leads to them; false: they do not do for 8 bits. */
INLINE bool
set_bases(struct sw_skew *s, int bits)
{
	const struct sw_skew_side *left = &s->side[s->at];
	v32 over = { 0 }, floor = { 0 };

#pragma GCC unroll 1
	for (unsigned g = 0; g < 4; g++) {
		v32 corner = load32(s->corner, g);
		v32 low = min32(load32(s->low, g), corner);
		v32 base = max32(low - s->low_at, set32(0));

		floor |= base == 0;
		over |= load32(s->most, g) - base > s->limit8;
		over |= load32(left->most, g) - base > s->limit8;
		store32(s->new_base, g, base);
		put(s->by, g, load32(s->base, g) - base, bits);
		put(s->left_by, g, load32(left->base, g) - base, bits);
		put(s->by_corner, g, corner - base + zero_of(s, bits), bits);
	}
	s->floor = any((vec)floor);
	return !any((vec)over);
}

/*
 * A step of all lanes
 *
 * Let `low` be the least H of the row above a strip and of the corner.  H of
 * two cells of a row, l columns apart, differ by at most l * (M + extend) +
 * open, and so do those of a column, as sw_grid_kern.c says; and a cell d rows
 * below one of the row above has H >= low - open - d * extend: a gap leads
 * there.  Each step puts low to base + low_at,
 * 	low_at = open + extend + reach, reach = open + rows * extend,
 * or to less if the base is 0.  So with a base above 0 all H of the strip and
 * of the column before are at least base + open + extend.  Hence
 * - a floor of E or F at the base changes no H: it is at most H - open - extend
 *   of the cell before, which the textbook's E and F are not below;
 * - so is E raised to H - open - extend of its cell, as load() does, and the
 *   textbook's F is never below it: then E and F are near H, and what is in
 *   range for H is for them, whatever base they had before.
 * With a base of 0 the floor is that of the scores.
 *
 * 16 bits: all H are at most
 * 	base + low_at + (SW_BLOCK + rows) * (M + extend) + 2 * open,
 * which is below 2^15: the row above has SW_BLOCK cells beside the corner, the
 * strip and the column before are `rows` below.  From below, diagonal + s, t
 * and E are at least X - open - extend.  Sums are modulo 2^16 while bases
 * change: right where the result is in range.
 *
 * 8 bits: zero8 >= open + 2 * extend, zero8 >= extend - X.  With a floor, if
 * some base is 0, E is kept from falling below zero8, where it begins, too: E
 * from a base above 0 is raised to H - open - extend >= 0.  So are H then, and
 * t and F, which is at least H - open - extend of the row above, are at least
 * zero8 - open - extend, and nothing falls below 0.  Without one, all bases
 * being above 0, each diagonal comes from an H of at least zero8 + open +
 * extend, so t and E are at least zero8 + X >= extend, and F, SW_SKEW_ROWS rows
 * below the least one above, at least zero8 + open.
 * From above, no H may be larger than 255 - M = zero8 + limit8, which is
 * tested: of the row above by its bound, of the column before by its largest H,
 * and of the strip by F below it, as sw_lanes_kern.c says.
 * In the first column where one is larger nothing has overflowed yet.
 *
 * A strip is looked into, with a maximum of all cells, if it may hold an H that
 * is above the block's largest H so far and not below the threshold of that
 * moment.  If the block's largest H reaches the threshold in the end, then no
 * strip that was not looked into has a larger bound than `top`: its bound was
 * below a threshold, or not above what top was.
 */

/*
 * What a step is for; RECORD: the largest H, too; BORDERS: those, for which E
 * is opened from H, as the textbook has it.  That takes one operation more; no
 * H is below base + open + extend (or 0), and E is not above H, as before.
 */
enum mode { SCORES, RECORD, BORDERS, BOTH };

/* A strip of a half (16 bits) or of all lanes (8 bits). */
struct strip {
	vec h[SW_SKEW_ROWS], e[SW_SKEW_ROWS];	/* left, then right column */
	vec q[SW_SKEW_ROWS];		/* letters */
	vec corner;
	vec low, f, top;	/* least H below, largest F below, largest H */
};

/*
 * Letters: in 8 bits 0 to 7, equal ones match.  In 16 bits the low byte has it,
 * and so has the high byte, of the text | 8: that finds the score's high byte.
 */
INLINE vec
table_of(const struct sw_skew *s, int bits)
{
	const void *t = bits == 8 ? s->table8 : s->table16;

#if defined(ISA_avx512)
	return _mm512_broadcast_i32x4(_mm_loadu_si128(t));
#elif defined(ISA_avx2)
	return _mm256_broadcastsi128_si256(_mm_loadu_si128(t));
#else
	return neon_loadu(t);
#endif
}

/* Letters of the lanes, or of half of them, twice each. */
INLINE vec
twice(const uint8_t *p, unsigned half, int bits)
{
	vec x;

	if (bits == 8)
		return at(p, 0);
	p += (size_t)half * HALF;
#if defined(ISA_avx512)
	x = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)p));
#elif defined(ISA_avx2)
	x = _mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)p));
#else
	x = (vec)vmovl_u8(vld1_u8(p));
#endif
	return VSI(or)(x, V(slli_epi16)(x, 8));
}

INLINE vec
row_letters(const struct sw_skew *s, unsigned row, unsigned half, int bits)
{
	return twice(s->letter + row * s->letters + s->strips - 1 - s->strip,
		     half, bits);
}

INLINE vec
col_letters(const struct sw_skew *s, size_t j, unsigned half, int bits)
{
	vec x = twice(s->col + j * LANES, half, bits);

	return bits == 8 ? x : VSI(or)(x, set16(0x0800));
}

INLINE void
load(struct strip *x, const struct sw_skew *s, unsigned half, int bits)
{
	const struct sw_skew_side *left = &s->side[s->at];
	const vec by = at(s->left_by, half);
	const vec first = vset(bits, s->open + s->extend);

#pragma GCC unroll 8
	for (unsigned r = 0; r < SW_SKEW_ROWS; r++) {
		vec h = at(left->h[r], half), e = at(left->e[r], half);

		e = vmax(bits, e, vsub(bits, h, first));
		x->h[r] = vadd(bits, h, by);
		x->e[r] = vadd(bits, e, by);
		x->q[r] = row_letters(s, r, half, bits);
	}
	x->corner = at(s->by_corner, half);
}

INLINE void
strip(struct strip *x, struct sw_skew *s, unsigned half, int bits, bool floor,
      enum mode mode)
{
	const unsigned n = bits == 8 ? 1 : 2;
	const struct sw_skew_edge *in = &s->edge[s->at];
	struct sw_skew_edge *out = &s->edge[1 - s->at];
	const vec first = vset(bits, s->open + s->extend);
	const vec extend = vset(bits, s->extend), zero = vset(bits, s->zero8);
	const vec table = table_of(s, bits), by = at(s->by, half);
	vec h[SW_SKEW_ROWS], e[SW_SKEW_ROWS], corner = x->corner;
	vec low = vset(bits, bits == 8 ? 255 : 32767);
	vec most = vset(bits, bits == 8 ? 0 : -32768), top = most;

#pragma GCC unroll 8
	for (int r = 0; r < SW_SKEW_ROWS; r++) {
		h[r] = x->h[r];
		e[r] = x->e[r];
	}
#pragma GCC unroll 1
	for (size_t j = half; j < SW_BLOCK * n; j += n) {
		vec c = col_letters(s, j / n, half, bits), d = corner;
		vec f = vadd(bits, at(in->f, j), by);

		corner = vadd(bits, at(in->h, j), by);
#pragma GCC unroll 8
		for (int r = 0; r < SW_SKEW_ROWS; r++) {
			vec score = V(shuffle_epi8)(table,
						    VSI(xor)(c, x->q[r]));
			vec hd = vmax(bits, vadd(bits, d, score), e[r]);
			vec t = vsub(bits, hd, first);

			d = h[r];
			h[r] = vmax(bits, hd, f);
			e[r] =
			    vmax(bits, vsub(bits, e[r], extend),
				 mode & BORDERS ? vsub(bits, h[r], first) : t);
			if (floor)
				e[r] = vmax(8, e[r], zero);
			f = bits == 8 ? vsub(bits, f, extend) :
					V(subs_epu16)(f, extend);
			f = vmax(bits, f, t);
			if (mode & RECORD)
				top = vmax(bits, top, h[r]);
		}
		to(out->h, j, h[SW_SKEW_ROWS - 1]);
		to(out->f, j, f);
		low = vmin(bits, low, h[SW_SKEW_ROWS - 1]);
		most = vmax(bits, most, f);
	}
#pragma GCC unroll 8
	for (int r = 0; r < SW_SKEW_ROWS; r++) {
		x->h[r] = h[r];
		x->e[r] = e[r];
	}
	x->low = low;
	x->f = most;
	x->top = top;
}

INLINE void
half_strip(struct strip *x, struct sw_skew *s, unsigned half, int bits,
	   enum mode mode)
{
	load(x, s, half, bits);
	if (bits == 8 && s->floor)
		strip(x, s, half, bits, true, mode);
	else
		strip(x, s, half, bits, false, mode);
	to(s->did_low, half, x->low);
	to(s->did_f, half, x->f);
	if (mode & RECORD)
		to(s->did_top, half, x->top);
}

enum verdict { FINE, MATTERS, TOO_HIGH };

INLINE enum verdict
judge(const struct sw_skew *s, int bits)
{
	v32 over = { 0 }, matters = { 0 };

#pragma GCC unroll 1
	for (unsigned g = 0; g < 4; g++) {
		v32 f = get(s->did_f, g, bits) - zero_of(s, bits) + s->reach;

		over |= f > s->limit8;
		matters |= f + load32(s->new_base, g) > load32(s->want, g);
	}
	if (bits == 8 && any((vec)over))
		return TOO_HIGH;
	return any((vec)matters) ? MATTERS : FINE;
}

/* A strip once more: its largest H. */
static __attribute__((noinline)) void
again(struct sw_skew *s, const int bits)
{
	struct strip x;

	s->reruns++;
	for (unsigned half = 0; half < (bits == 8 ? 1 : 2); half++)
		if (bits == 8)
			half_strip(&x, s, half, 8, RECORD);
		else
			half_strip(&x, s, half, 16, RECORD);
}

/* The right column is the left one of the next lane. */
INLINE void
hand_over(const struct strip *x, struct sw_skew *s, unsigned half, int bits)
{
	struct sw_skew_side *left = &s->side[s->at];
	struct sw_skew_side *right = &s->side[1 - s->at];
	uint8_t corner[VBYTES], most[VBYTES];
	vec high = x->h[0];

#pragma GCC unroll 8
	for (unsigned r = 0; r < SW_SKEW_ROWS; r++) {
		to(right->h[r] + bits / 8, half, x->h[r]);
		to(right->e[r] + bits / 8, half, x->e[r]);
		high = vmax(bits, high, x->h[r]);
	}
	to(corner, 0, at(left->h[SW_SKEW_ROWS - 1], half));
	to(most, 0, high);
	for (unsigned i = 0; i < (bits == 8 ? 4 : 2); i++) {
		unsigned g = half * 2 + i;
		v32 base = load32(s->new_base, g);

		store32(s->corner, g, get(corner, i, bits) +
			load32(left->base, g) - zero_of(s, bits));
		store32(right->base + 1, g, base);
		store32(right->most + 1, g, get(most, i, bits) + base -
			zero_of(s, bits));
	}
}

INLINE void
keep(struct sw_skew *s, bool looked, int bits)
{
#pragma GCC unroll 1
	for (unsigned g = 0; g < 4; g++) {
		v32 base = load32(s->new_base, g);
		v32 add = base - zero_of(s, bits);
		v32 most = get(s->did_f, g, bits) + add + s->reach, top;

		store32(s->base, g, base);
		store32(s->low, g, get(s->did_low, g, bits) + add);
		store32(s->most, g, most);
		if (looked) {
			top = get(s->did_top, g, bits) + add;
			store32(s->top, g, max32(load32(s->top, g), top));
			store32(s->want, g, max32(load32(s->want, g), top));
		} else {
			store32(s->bound, g, max32(load32(s->bound, g), most));
		}
	}
	s->looked = looked;
	s->at = 1 - s->at;
}

INLINE bool
step(struct sw_skew *s, int bits, enum mode mode)
{
	const unsigned halves = bits == 8 ? 1 : 2;
	struct strip x[2];
	enum verdict verdict;

	if (!set_bases(s, bits) && bits == 8)
		return false;
#pragma GCC unroll 2
	for (unsigned half = 0; half < halves; half++)
		half_strip(&x[half], s, half, bits, mode);
	verdict = judge(s, bits);
	if (verdict == TOO_HIGH)
		return false;
	if (verdict == MATTERS && mode == SCORES)
		again(s, bits);
#pragma GCC unroll 2
	for (unsigned half = 0; half < halves; half++)
		hand_over(&x[half], s, half, bits);
	keep(s, mode & RECORD || verdict == MATTERS, bits);
	return true;
}

static bool
skew_step8(struct sw_skew *s)
{
	if (s->borders)
		return s->record ? step(s, 8, BOTH) : step(s, 8, BORDERS);
	return s->record ? step(s, 8, RECORD) : step(s, 8, SCORES);
}

static bool
skew_step16(struct sw_skew *s)
{
	if (s->borders)
		return s->record ? step(s, 16, BOTH) : step(s, 16, BORDERS);
	return s->record ? step(s, 16, RECORD) : step(s, 16, SCORES);
}

/*
 * What stands between two steps, from 8 bits to 16 and
 * back
 *
 * F by a base above 0 is never below it, see sw_skew_kern.c; by 0, what is
 * below counts as 0, which the floor of 16 bits takes for granted; likewise E,
 * for that of 8 bits.
 */

INLINE void
wider(uint8_t *x, size_t i, vec floor, vec zero)
{
	vec v = at(x, i), w[2];

#if defined(ISA_avx512)
	w[0] = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(v));
	w[1] = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(v, 1));
#elif defined(ISA_neon)
	w[0] = (vec)vmovl_u8(vget_low_u8(v));
	w[1] = (vec)vmovl_high_u8(v);
#else
	w[0] = _mm256_cvtepu8_epi16(_mm256_castsi256_si128(v));
	w[1] = _mm256_cvtepu8_epi16(_mm256_extracti128_si256(v, 1));
#endif
	to(x, 2 * i, vmax(16, vsub(16, w[0], zero), floor));
	to(x, 2 * i + 1, vmax(16, vsub(16, w[1], zero), floor));
}

/* From the last column on, as each takes twice the room. */
static bool
skew_widen(struct sw_skew *s)
{
	const vec zero = set16(s->zero8), low = set16(-32768), none = set16(0);
	struct sw_skew_edge *edge = &s->edge[s->at];
	struct sw_skew_side *side = &s->side[s->at];

	for (size_t j = SW_BLOCK; j-- > 0;) {
		wider(edge->h, j, low, zero);
		wider(edge->f, j, none, zero);
	}
	for (unsigned r = 0; r < SW_SKEW_ROWS; r++) {
		wider(side->h[r], 0, low, zero);
		wider(side->e[r], 0, low, zero);
	}
	return true;
}

INLINE void
narrower(uint8_t *x, size_t i, vec w0, vec w1)
{
	vec v = V(packus_epi16)(w0, w1);

#if defined(ISA_avx512)
	v = _mm512_permutexvar_epi64(
	    _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), v);
#elif defined(ISA_avx2)
	v = _mm256_permute4x64_epi64(v, 0xd8);
#endif
	to(x, i, v);
}

/* By the new bases. */
static bool
skew_narrow(struct sw_skew *s)
{
	const vec zero = set16(s->zero8), first = set16(s->open + s->extend);
	struct sw_skew_edge *edge = &s->edge[s->at];
	struct sw_skew_side *side = &s->side[s->at];
	vec by[2], left[2];

	if (!set_bases(s, 16))
		return false;
	for (unsigned i = 0; i < 2; i++) {
		by[i] = vadd(16, at(s->by, i), zero);
		left[i] = vadd(16, at(s->left_by, i), zero);
	}
	for (size_t j = 0; j < SW_BLOCK; j++) {
		narrower(edge->h, j, vadd(16, at(edge->h, 2 * j), by[0]),
			 vadd(16, at(edge->h, 2 * j + 1), by[1]));
		narrower(edge->f, j, vadd(16, at(edge->f, 2 * j), by[0]),
			 vadd(16, at(edge->f, 2 * j + 1), by[1]));
	}
	for (unsigned r = 0; r < SW_SKEW_ROWS; r++) {
		vec h0 = at(side->h[r], 0), h1 = at(side->h[r], 1);
		vec e0 = vmax(16, at(side->e[r], 0), vsub(16, h0, first));
		vec e1 = vmax(16, at(side->e[r], 1), vsub(16, h1, first));

		narrower(side->h[r], 0, vadd(16, h0, left[0]),
			 vadd(16, h1, left[1]));
		narrower(side->e[r], 0, vmax(16, vadd(16, e0, left[0]), zero),
			 vmax(16, vadd(16, e1, left[1]), zero));
	}
	memcpy(s->base, s->new_base, sizeof s->base);
	memcpy(side->base, s->new_base, sizeof s->new_base);
	return true;
}

/* sw_skew_prune.c says why. */
static enum sw_skew_verdict
skew_judge(const struct sw_skew *s, int32_t need)
{
	const struct sw_skew_side *left = &s->side[s->at];
	const int32_t *rows = s->rows_gain + (s->strips - 1 - s->strip);
	v32 live = { 0 }, uneven = { 0 };

#pragma GCC unroll 1
	for (unsigned g = 0; g < 4; g++) {
		v32 corner = load32(s->corner, g);
		v32 low = min32(load32(s->low, g), corner);
		v32 most = max32(load32(s->most, g), load32(left->most, g));
		v32 gain = min32(load32(s->gain, g), load32(rows, g));

		most = max32(most, corner);
		live |= most >= need - gain;
		uneven |= most - low > s->span + s->reach;
	}
	return !any((vec)live) ? SW_SKEW_DEAD :
	       any((vec)uneven) ? SW_SKEW_UNEVEN : SW_SKEW_LIVE;
}

const struct sw_skew_ops KERN(sw_skew_ops) = {
	LANES, skew_step8, skew_step16, skew_widen, skew_narrow, skew_judge,
};
#endif
