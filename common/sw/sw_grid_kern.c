/* SPDX-License-Identifier: MIT */
/*
 * sw_grid_kern.c - steps of a strip of rows in 16 bits: see sw_grid.h
 *
 * H of two cells of a row, l columns apart, differ by l (match + extend) + open
 * at most.  To the right, a gap falls by open + l extend.  To the left: of the
 * path of the right cell let the last cell in the left column be d rows or more
 * above, d being the path's diagonal steps from there.  From that cell a gap
 * leads down to the left one; for each row that is no diagonal step the path
 * paid extend, too, so it gains no more than d (match + extend) + open; and d
 * <= l.  So it is of columns.  E and F are not above H, and not more than open
 * + extend below a neighbour's.
 * 	The base is the largest H that a block begins with, of the strip or
 * above it.  From there to any other of those cells it is 2 ROWS + STEPS + 2
 * rows and columns at most: so they have base - low at least, with
 * SW_GRID_REACH steps and three opens.
 *
 * Values that were left out are too low, by any amount (sw_grid.c).  So all
 * values that a block begins with are raised to base - low: that is not above
 * the true ones, as the base is not above its own true value.  In the block a
 * gap of ROWS letters at most comes to a cell from what is above it or before
 * it.  So nothing falls further than that, one more gap and a mismatch, and
 * nothing rises by more than ROWS + 2 matches, which sw_grid.c sees to fit 16
 * bits.
 *
 * Lanes that have not reached their first column hold arbitrary values, which
 * do not count.
 */

#include <string.h>

#include "base/simd.h"
#include "sw/sw_grid.h"

/*
 * Rows side by side in 16 bits, for kernels with vectors
 *
 * As in sw_front_vec.h, lane k of a vector is its row LANES - 1 - k.
 */

#if VBYTES >= 16

enum { LANES = VBYTES / 2, ROWS = 2 * LANES, STEPS = SW_GRID_STEPS };
typedef int16_t v16 __attribute__((vector_size(VBYTES)));
typedef int32_t v32 __attribute__((vector_size(VBYTES)));

INLINE v16
vset(int64_t x)
{
	x = x < INT16_MIN ? INT16_MIN : x > INT16_MAX ? INT16_MAX : x;
	return (v16){ 0 } + (int16_t)x;
}

INLINE v16
load(const void *p)
{
	v16 x;

	memcpy(&x, p, sizeof x);
	return x;
}

INLINE void
store(void *p, v16 x)
{
	memcpy(p, &x, sizeof x);
}

/* The row of each lane in its vector: so many columns it is behind. */
INLINE v16
behind(void)
{
	v16 x;

	for (int k = 0; k < LANES; k++)
		x[k] = (int16_t)(LANES - 1 - k);
	return x;
}

#if defined(ISA_avx512)
typedef __mmask32 mask;

INLINE v16
vmax(v16 a, v16 b)
{
	return (v16)_mm512_max_epi16((__m512i)a, (__m512i)b);
}

INLINE mask
equal(v16 a, v16 b)
{
	return _mm512_cmpeq_epi16_mask((__m512i)a, (__m512i)b);
}

INLINE mask
not_less(v16 a, v16 b)
{
	return _mm512_cmpge_epi16_mask((__m512i)a, (__m512i)b);
}

INLINE v16
pick(mask m, v16 x, v16 y)
{
	return (v16)_mm512_mask_mov_epi16((__m512i)y, m, (__m512i)x);
}

INLINE bool
any(mask m)
{
	return m != 0;
}

/* Saturating. */
INLINE v16
minus(v16 a, v16 b)
{
	return (v16)_mm512_subs_epi16((__m512i)a, (__m512i)b);
}

/* Each lane has what the next one had; the last one that of the first. */
INLINE v16
turn(v16 x)
{
	static const uint8_t next[] __attribute__((aligned(64))) = {
		2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
		18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33,
		34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49,
		50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 0, 1,
	};

	return (v16)_mm512_permutexvar_epi8(_mm512_load_si512(next),
					    (__m512i)x);
}

/* What each row had, for the row below it; above: that of the top one. */
INLINE v16
below_of(v16 x, v16 above)
{
	return (v16)_mm512_mask_mov_epi16((__m512i)turn(x), 1u << 31,
					  (__m512i)turn(above));
}

/* The same; `in` has it in both its halves. */
INLINE v16
below(v16 x, int32_t in)
{
	return (v16)_mm512_mask_mov_epi16((__m512i)turn(x), 1u << 31,
					  _mm512_set1_epi32(in));
}

INLINE int32_t
first_two(v16 x)
{
	return _mm_cvtsi128_si32(_mm512_castsi512_si128((__m512i)x));
}

INLINE void
put_masks(uint8_t *to, mask diag, mask e, mask open_e, mask open_f)
{
	_store_mask32((void *)to, diag);
	_store_mask32((void *)(to + 4), e);
	_store_mask32((void *)(to + 8), open_e);
	_store_mask32((void *)(to + 12), open_f);
}

#else /* AVX2, NEON */
typedef v16 mask;

INLINE v16
vmax(v16 a, v16 b)
{
	return (v16)V(max_epi16)((vec)a, (vec)b);
}

INLINE mask
equal(v16 a, v16 b)
{
	return (mask)(a == b);
}
#endif

#if defined(ISA_avx2)
INLINE mask
not_less(v16 a, v16 b)
{
	return (mask)_mm256_cmpeq_epi16(_mm256_max_epi16((__m256i)a,
							 (__m256i)b),
					(__m256i)a);
}

INLINE v16
pick(mask m, v16 x, v16 y)
{
	return (v16)_mm256_blendv_epi8((__m256i)y, (__m256i)x, (__m256i)m);
}

INLINE bool
any(mask m)
{
	return _mm256_movemask_epi8((__m256i)m) != 0;
}

INLINE v16
minus(v16 a, v16 b)
{
	return (v16)_mm256_subs_epi16((__m256i)a, (__m256i)b);
}

INLINE v16
below_of(v16 x, v16 above)
{
	__m256i high = _mm256_permute2x128_si256((__m256i)x, (__m256i)above,
						 0x21);

	return (v16)_mm256_alignr_epi8(high, (__m256i)x, 2);
}

INLINE v16
below(v16 x, int32_t in)
{
	return below_of(x, (v16)_mm256_set1_epi32(in));
}

INLINE int32_t
first_two(v16 x)
{
	return _mm_cvtsi128_si32(_mm256_castsi256_si128((__m256i)x));
}

/* Two masks a word: of each the lower lanes, then of each the higher ones. */
INLINE void
put_two(uint8_t *to, mask a, mask b)
{
	int32_t x = _mm256_movemask_epi8(_mm256_packs_epi16((__m256i)a,
							    (__m256i)b));

	memcpy(to, &x, sizeof x);
}

INLINE void
put_masks(uint8_t *to, mask diag, mask e, mask open_e, mask open_f)
{
	put_two(to, diag, e);
	put_two(to + 4, open_e, open_f);
}
#elif defined(ISA_neon)
INLINE mask
not_less(v16 a, v16 b)
{
	return (mask)(a >= b);
}

INLINE v16
pick(mask m, v16 x, v16 y)
{
	return vbslq_s16((uint16x8_t)m, x, y);
}

INLINE bool
any(mask m)
{
	return neon_any((vec)m);
}

INLINE v16
minus(v16 a, v16 b)
{
	return vqsubq_s16(a, b);
}

INLINE v16
below_of(v16 x, v16 above)
{
	return vextq_s16(x, above, 1);
}

INLINE v16
below(v16 x, int32_t in)
{
	return below_of(x, vdupq_n_s16((int16_t)in));
}

INLINE int32_t
first_two(v16 x)
{
	return ((v32)x)[0];
}

INLINE void
put_masks(uint8_t *to, mask diag, mask e, mask open_e, mask open_f)
{
	vec a = neon_own_bits(vuzp1q_u8((vec)diag, (vec)e));
	vec b = neon_own_bits(vuzp1q_u8((vec)open_e, (vec)open_f));

	a = vpaddq_u8(a, b);
	a = vpaddq_u8(a, a);
	vst1q_lane_u32((void *)to, vreinterpretq_u32_u8(vpaddq_u8(a, a)), 0);
}
#endif

/*
 * Above a block, by its base, twice in each word, and no lower than `low`.
 * Nothing behind the block's values is touched: the strip above may be writing
 * there.
 */
enum { WORDS = VBYTES / 4 };

INLINE v32
vmax32(v32 a, v32 b)
{
	return (v32)V(max_epi32)((vec)a, (vec)b);
}

INLINE int32_t
twice(int32_t x)
{
	return (int32_t)((uint32_t)x << 16 | (x & 0xffff));
}

INLINE void
take_row(int32_t *to, const int32_t *from, size_t n, int32_t base, int32_t low)
{
	const v32 least = (v32){ 0 } + low;
	size_t i = 0;

	for (; i + WORDS <= n; i += WORDS) {
		v32 x;

		memcpy(&x, from + i, sizeof x);
		x = vmax32(x - base, least);
		x = (x & 0xffff) | x << 16;
		memcpy(to + i, &x, sizeof x);
	}
	for (; i < n; i++) {
		int32_t x = from[i] - base;

		to[i] = twice(x > low ? x : low);
	}
}

INLINE int32_t
largest(const int32_t *x, size_t n, int32_t most)
{
	v32 m = (v32){ 0 } + most;
	size_t i = 0;

	for (; i + WORDS <= n; i += WORDS) {
		v32 y;

		memcpy(&y, x + i, sizeof y);
		m = vmax32(m, y);
	}
	for (int k = 0; k < WORDS; k++)
		most = m[k] > most ? m[k] : most;
	for (; i < n; i++)
		most = x[i] > most ? x[i] : most;
	return most;
}

INLINE void
give_row(int32_t *to, const int32_t *from, size_t n, int32_t base)
{
	size_t i = 0;

	for (; i + WORDS <= n; i += WORDS) {
		v32 x;

		memcpy(&x, from + i, sizeof x);
		x = ((x & 0xffff) ^ 0x8000) - 0x8000 + base;
		memcpy(to + i, &x, sizeof x);
	}
	for (; i < n; i++)
		to[i] = (int16_t)from[i] + base;
}

enum { WORD = SW_DIRS * LANES / 8 };	/* bytes of a vector's directions */

/* e: of the next column; f: of the row below; diag: above, a column before */
struct state {
	v16 h, e, f, diag;
};

struct consts {
	v16 match, mismatch, both, extend, zero, one, least;
};

/* One step; returns the diagonal's values.  See sw_front_kern.c. */
INLINE v16
step(struct state *s, v16 row, v16 col, v16 up, v16 f, const struct consts *c,
     uint8_t *dirs)
{
	v16 diag = s->diag + pick(equal(row, col), c->match, c->mismatch);
	v16 h = vmax(diag, vmax(s->e, f));
	v16 open = h - c->both, e = s->e - c->extend, next_f = f - c->extend;
	mask zero = not_less(c->one, h);

	if (dirs) {
		mask d = equal(h, diag);

		put_masks(dirs, d | zero, (equal(h, s->e) & ~d) | zero,
			  not_less(open, e), not_less(open, next_f));
	}
	s->e = vmax(open, e);
	s->f = vmax(open, next_f);
	s->diag = up;
	s->h = pick(zero, c->zero, h);
	return diag;
}

/* Lanes that are not in their first column yet stay as they were. */
INLINE void
hold(struct state *s, const struct state *was, size_t t, int v)
{
	mask on = not_less(vset((int64_t)t), behind() + (int16_t)(v * LANES));

	s->h = pick(on, s->h, was->h);
	s->e = pick(on, s->e, was->e);
}

/*
 * Reports the cells of a vector that qualify.  Where none do, unused values may
 * still be as large as can be.
 */
static __attribute__((noinline)) void
report(struct sw_grid_block *b, const v16 *hv, const v16 *dv, int v, size_t t)
{
	const int32_t base = b->s->base;
	struct sw_grid_reported *to = b->reported;
	int16_t h[LANES], diag[LANES];

	if (!to)
		return;
	store(h, *hv);
	store(diag, *dv);
	for (int k = LANES - 1; k >= 0; k--) {
		size_t row = (size_t)(v * LANES + LANES - 1 - k), col = t - row;

		if (diag[k] + base < b->least || row >= b->rows || col > t ||
		    col < b->from || col >= b->cols ||
		    b->col[col] != b->row[v * LANES + k])
			continue;
		if ((h[k] + base) % 2)
			b->odd = true;
		if (h[k] == diag[k])
			to->v[to->n++] = (struct sw_grid_cell){
				h[k] + base, (uint32_t)row, col };
	}
}

/* The largest H before the block. */
static int32_t
top_of(const struct sw_grid_block *x)
{
	const struct sw_grid_state *s = x->s;
	v16 m = vmax(vmax(load(s->h), load(s->h + LANES)),
		     vmax(load(s->diag), load(s->diag + LANES)));
	int32_t top = m[0];

	for (int k = 1; k < LANES; k++)
		top = m[k] > top ? m[k] : top;
	top += s->base;
	if (!x->above)
		return top > 0 ? top : 0;
	return largest(x->h + x->t, x->steps, top);
}

INLINE int32_t
low_of(const struct sw_grid_block *x)
{
	return -SW_GRID_REACH * (x->match + x->extend) -
	       3 * (x->both - x->extend);
}

/* A difference that does not fit two words is lower than low. */
INLINE void
rebase(struct sw_grid_state *s, struct state v[2], int32_t base, int32_t low)
{
	int64_t by = (int64_t)base - s->base;
	v16 some = vset(by / 2), rest = vset(by - by / 2);
	const v16 least = vset(low);
	int16_t *part[] = { s->h, s->e, s->f, s->diag };
	v16 x[4][2];

	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 2; k++)
			x[i][k] = vmax(minus(minus(load(part[i] + k * LANES),
						   some), rest), least);
	for (int k = 0; k < 2; k++)
		v[k] = (struct state){ x[0][k], x[1][k], x[2][k], x[3][k] };
	s->base = base;
}

/* Above the block; where nothing is, H = 0. */
INLINE void
take_above(const struct sw_grid_block *x, int32_t *h, int32_t *f, int32_t low)
{
	int32_t base = x->s->base, zero = -base > low ? -base : low;

	if (x->above) {
		take_row(h, x->h + x->t, x->steps, base, low);
		take_row(f, x->f + x->t, x->steps, base, low);
		return;
	}
	for (size_t i = 0; i < x->steps; i++) {
		h[i] = twice(zero);
		f[i] = twice(low);
	}
}

INLINE struct consts
consts_of(const struct sw_grid_block *b)
{
	int64_t base = b->s->base;
	bool reports = b->reported && b->t + b->steps > b->from;

	return (struct consts){
		.match = vset(b->match), .mismatch = vset(b->mismatch),
		.both = vset(b->both), .extend = vset(b->extend),
		.zero = vset(-base), .one = vset(1 - base),
		.least = reports ? vset(b->least - base) : vset(INT16_MAX),
	};
}

INLINE void
steps(struct sw_grid_block *x, struct state *pa, struct state *pb,
      const struct consts *consts, int32_t *h, int32_t *f, const bool early,
      const bool dirs)
{
	struct state a = *pa, b = *pb, was_a = a, was_b = b;
	const v16 row_a = load(x->row), row_b = load(x->row + LANES);
	const uint16_t *col = x->col + x->t + 1 - LANES;
	const struct consts c = *consts;
	uint8_t *to = x->dirs;

	for (size_t i = 0; i < x->steps; i++) {
		v16 ha = below(a.h, h[i]), fa = below(a.f, f[i]);
		v16 hb = below_of(b.h, a.h), fb = below_of(b.f, a.f);
		v16 diag_a, diag_b;

		if (early) {
			was_a = a;
			was_b = b;
		}
		diag_b = step(&b, row_b, load(col + i - LANES), hb, fb, &c,
			      dirs ? to + WORD : NULL);
		diag_a = step(&a, row_a, load(col + i), ha, fa, &c,
			      dirs ? to : NULL);
		if (dirs)
			to += 2 * WORD;
		if (early) {
			hold(&a, &was_a, x->t + i, 0);
			hold(&b, &was_b, x->t + i, 1);
		}
		h[i] = first_two(b.h);
		f[i] = first_two(b.f);
		if (!dirs && __builtin_expect(any(not_less(
		    vmax(diag_a, diag_b), c.least)), 0)) {
			v16 v[] = { a.h, b.h, diag_a, diag_b };

			report(x, &v[0], &v[2], 0, x->t + i);
			report(x, &v[1], &v[3], 1, x->t + i);
		}
	}
	*pa = a;
	*pb = b;
}

static void
run(struct sw_grid_block *x, bool early)
{
	const int32_t low = low_of(x);
	struct sw_grid_state *s = x->s;
	int32_t h[STEPS], f[STEPS];
	struct state v[2], a, b;
	struct consts c;

	rebase(s, v, top_of(x), low);
	a = v[0];
	b = v[1];
	c = consts_of(x);
	take_above(x, h, f, low);
	if (x->dirs && early)
		steps(x, &a, &b, &c, h, f, true, true);
	else if (x->dirs)
		steps(x, &a, &b, &c, h, f, false, true);
	else if (early)
		steps(x, &a, &b, &c, h, f, true, false);
	else
		steps(x, &a, &b, &c, h, f, false, false);
	give_row(x->h + x->t - (ROWS - 1), h, x->steps, s->base);
	give_row(x->f + x->t - (ROWS - 1), f, x->steps, s->base);
	store(s->h, a.h);
	store(s->h + LANES, b.h);
	store(s->e, a.e);
	store(s->e + LANES, b.e);
	store(s->f, a.f);
	store(s->f + LANES, b.f);
	store(s->diag, a.diag);
	store(s->diag + LANES, b.diag);
}

/* The first columns are done apart, so that the others need not ask. */
void
KERN(sw_grid)(struct sw_grid_block *x)
{
	struct sw_grid_block first = *x;
	size_t n = x->t < ROWS - 1 ? ROWS - 1 - x->t : 0;

	x->dead = top_of(x) < x->enough;
	if (x->dead)
		return;
	first.steps = n < x->steps ? n : x->steps;
	if (first.steps) {
		run(&first, true);
		x->odd |= first.odd;
	}
	if (first.steps == x->steps)
		return;
	x->t += first.steps;
	x->steps -= first.steps;
	if (x->dirs)
		x->dirs += first.steps * 2 * WORD;
	run(x, false);
}
#endif
