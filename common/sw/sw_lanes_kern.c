/* SPDX-License-Identifier: MIT */
/*
 * sw_lanes_kern.c - kernels of the inter-sequence engine: profiles, 8-bit and
 * 16-bit columns
 */

#include "sw/sw_lanes.h"
#include "sw/sw_lanes_vec.h"

/*
 * Some columns of a strip of rows, in registers
 *
 * With t = max(diagonal, E) - open - extend, which opens E and F both, a cell
 * takes 8 operations, and the strip's largest F one more a column:
 * 	H <= F below the strip + open + SW_LANE_ROWS * extend
 * for F falls by extend a row below the cell, and each H is at least as high
 * as t + open + extend or as the F that it came from.
 *
 * The floor of 0.  16 bits: F falls by a saturating subtraction of unsigned
 * numbers.  8 bits: E is kept from falling below zero8; it is one operation
 * more, but sums that saturate have half the ports of those that do not on some
 * machines, and all values below are above 0 if zero8 is large enough.
 */

#if VBYTES >= 16
struct costs {
	vec first, extend, zero;	/* first: open + extend */
};

/* The row above, and F of the row below it. */
struct edge {
	vec *h, *f;
};

struct strip {
	vec h[SW_LANE_ROWS], e[SW_LANE_ROWS];	/* left, then right column */
	vec corner;		/* H above the left column */
	vec most;		/* largest H if recorded, else F below */
};

INLINE struct costs
costs_of(const struct sw_lanes *s, int bits)
{
	return (struct costs) {
		.first = vset(bits, s->open + s->extend),
		.extend = vset(bits, s->extend),
		.zero = vset(bits, bits == 8 ? s->zero8 : 0),
	};
}

INLINE vec *
edge_at(const struct sw_lanes *s, unsigned i)
{
	return (vec *)(void *)s->edges + (size_t)i * SW_BLOCK;
}

/* The row above the first one: H = 0, F no more than that. */
INLINE void
first_edge(const struct sw_lanes *s, struct edge edge[2], vec zero)
{
	for (unsigned i = 0; i < 2; i++) {
		edge[i].h = edge_at(s, 2 * i);
		edge[i].f = edge_at(s, 2 * i + 1);
	}
	for (unsigned j = 0; j < s->cols; j++)
		edge[0].h[j] = edge[0].f[j] = zero;
}

/*
 * A column, down the rows from the diagonal value d and F; returns F below.  h
 * becomes this column's H, e the next one's E, most the largest H if wanted.
 */
INLINE vec
column(const struct costs *c, const vec score[SW_LANE_ROWS], vec d, vec f,
       vec *h, vec *e, vec *most, int bits, bool record)
{
#pragma GCC unroll 4
	for (int r = 0; r < SW_LANE_ROWS; r++) {
		vec hd = vmax(bits, vadd(bits, d, score[r]), e[r]);
		vec t = vsub(bits, hd, c->first);

		d = h[r];
		h[r] = vmax(bits, hd, f);
		e[r] = vmax(bits, vsub(bits, e[r], c->extend), t);
		if (bits == 8)
			e[r] = vmax(bits, e[r], c->zero);
		f = bits == 8 ? vsub(bits, f, c->extend) :
				V(subs_epu16)(f, c->extend);
		f = vmax(bits, f, t);
		if (record)
			*most = vmax(bits, *most, h[r]);
	}
	return f;
}

INLINE void
strip(struct strip *x, const struct costs *c, const struct sw_lanes *s,
      const vec *profile, const uint8_t *row, const struct edge *in,
      const struct edge *out, int bits, bool record)
{
	const unsigned n = s->cols;
	const vec *p0 = profile + (size_t)row[0] * n;
	const vec *p1 = profile + (size_t)row[1] * n;
	const vec *p2 = profile + (size_t)row[2] * n;
	const vec *p3 = profile + (size_t)row[3] * n;
	struct strip y = *x;

	y.most = c->zero;
#pragma GCC unroll 1
	for (unsigned j = 0; j < n; j++) {
		const vec score[SW_LANE_ROWS] = { p0[j], p1[j], p2[j], p3[j] };
		vec f = column(c, score, y.corner, in->f[j], y.h, y.e, &y.most,
			       bits, record);

		y.corner = in->h[j];
		out->h[j] = y.h[SW_LANE_ROWS - 1];
		out->f[j] = f;
		if (!record)
			y.most = vmax(bits, y.most, f);
	}
	*x = y;
}

/*
 * Letters of all lanes to scores of each query letter
 *
 * SW_PAD in the text scores 0.  That is low enough: before a segment's letters
 * H stays 0.  Behind them, in the last block, the largest H of a column is
 * never above that of the column before, so the block's largest H is right;
 * what comes next is another segment.
 */

enum { COLS = 16 };

INLINE vec
load16(const uint8_t *const *at, unsigned from)	/* of lanes 0, 16, ... */
{
#if defined(ISA_avx512)
	__m512i x = _mm512_castsi128_si512(
	    _mm_loadu_si128((const void *)(at[0] + from)));

	x = _mm512_inserti32x4(
	    x, _mm_loadu_si128((const void *)(at[16] + from)), 1);
	x = _mm512_inserti32x4(
	    x, _mm_loadu_si128((const void *)(at[32] + from)), 2);
	return _mm512_inserti32x4(
	    x, _mm_loadu_si128((const void *)(at[48] + from)), 3);
#elif defined(ISA_avx2)
	return _mm256_inserti128_si256(
	    _mm256_castsi128_si256(
		_mm_loadu_si128((const void *)(at[0] + from))),
	    _mm_loadu_si128((const void *)(at[16] + from)), 1);
#else
	return neon_loadu(at[0] + from);
#endif
}

/*
 * 16 letters of each lane to 16 vectors, one a column.  In each 128 bits a
 * round rotates the 8 bits (vector, byte) of a letter's place by 1.
 */
INLINE void
transpose(const uint8_t *const *at, unsigned from, vec x[COLS])
{
	vec y[COLS];

#pragma GCC unroll 16
	for (unsigned i = 0; i < COLS; i++)
		x[i] = load16(at + i, from);
#pragma GCC unroll 2
	for (int round = 0; round < 2; round++) {
#pragma GCC unroll 8
		for (int i = 0; i < COLS / 2; i++) {
			y[2 * i] = V(unpacklo_epi8)(x[i], x[i + COLS / 2]);
			y[2 * i + 1] = V(unpackhi_epi8)(x[i], x[i + COLS / 2]);
		}
#pragma GCC unroll 8
		for (int i = 0; i < COLS / 2; i++) {
			x[2 * i] = V(unpacklo_epi8)(y[i], y[i + COLS / 2]);
			x[2 * i + 1] = V(unpackhi_epi8)(y[i], y[i + COLS / 2]);
		}
	}
}

#if defined(ISA_avx512)
struct table {
	__m512i v;
};

INLINE struct table
table_of(const int8_t *t)
{
	return (struct table) { _mm512_loadu_si512((const void *)t) };
}

INLINE vec
look_up(const struct table *t, vec letters, unsigned groups)
{
	(void)groups;
	return _mm512_maskz_permutexvar_epi8(
	    ~_mm512_movepi8_mask(letters), letters, t->v);
}
#elif defined(ISA_neon)
struct table {
	uint8x16x4_t v;
};

INLINE struct table
table_of(const int8_t *t)
{
	return (struct table){ vld1q_u8_x4((const uint8_t *)t) };
}

/* 0 for a byte that is not below 64: SW_PAD. */
INLINE vec
look_up(const struct table *t, vec letters, unsigned groups)
{
	(void)groups;
	return vqtbl4q_u8(t->v, letters);
}
#else
struct table {
	__m256i v[4];
};

INLINE struct table
table_of(const int8_t *t)
{
	struct table x;

	for (unsigned g = 0; g < 4; g++)
		x.v[g] = _mm256_broadcastsi128_si256(
		    _mm_loadu_si128((const void *)(t + 16 * g)));
	return x;
}

/* A shuffle gives 0 for a byte >= 0x80: letters of other groups, SW_PAD. */
INLINE vec
look_up(const struct table *t, vec letters, unsigned groups)
{
	vec x = _mm256_setzero_si256();

	for (unsigned g = 0; g < groups; g++) {
		vec in = _mm256_xor_si256(letters, set8(16 * (int)g));

		in = _mm256_adds_epu8(in, set8(0x70));
		x = _mm256_or_si256(x, _mm256_shuffle_epi8(t->v[g], in));
	}
	return x;
}
#endif

static void
lane_profile8(struct sw_lanes *s, unsigned from)
{
	vec x[COLS], *profile = (vec *)(void *)s->profile;

	for (unsigned j = 0; j < s->cols; j += COLS) {
		transpose(s->at, from + j, x);
		for (unsigned a = 0; a < s->letters; a++) {
			struct table t = table_of(s->look[a].low);
			vec *to = profile + (size_t)a * s->cols + j;

			for (unsigned i = 0; i < COLS; i++)
				to[i] = look_up(&t, x[i], s->groups);
		}
	}
}

static void
lane_profile16(struct sw_lanes *s, unsigned from)
{
	size_t half = (size_t)s->letters * s->cols;
	vec x[COLS], *profile = (vec *)(void *)s->profile;

	for (unsigned j = 0; j < s->cols; j += COLS) {
		transpose(s->at, from + j, x);
		for (unsigned a = 0; a < s->letters; a++) {
			struct table low, high;
			vec *to = profile + (size_t)a * s->cols + j;

			low = table_of(s->look[a].low);
			high = table_of(s->look[a].high);
			for (unsigned i = 0; i < COLS; i++) {
				vec lo = look_up(&low, x[i], s->groups);
				vec hi = look_up(&high, x[i], s->groups);

				to[i] = V(unpacklo_epi8)(lo, hi);
				if (s->halves == 2)
					to[half + i] = V(unpackhi_epi8)(lo, hi);
			}
		}
	}
}

/*
 * Columns of all rows in 8 bits
 *
 * While every H is at most most8 = 255 - best, nothing overflows.  In the first
 * column of a strip where one is larger, the cells are still computed from
 * values of the column before: H is at most 255, and so are F below the strip
 * and the largest H, which show it, whatever comes after.  Downwards, with
 * 	zero8 >= open + 2 * extend, zero8 >= -worst:	E >= zero8,
 * 	diagonal + s >= 0, t >= zero8 - open - extend, F >= t, F - extend >= 0.
 */

INLINE void
lanes8_load(struct strip *x, const struct sw_column8 *c, size_t strip)
{
	const vec *h = (const vec *)(const void *)c->h + SW_LANE_ROWS * strip;
	const vec *e = (const vec *)(const void *)c->e + SW_LANE_ROWS * strip;

#pragma GCC unroll 4
	for (int r = 0; r < SW_LANE_ROWS; r++) {
		x->h[r] = h[r];
		x->e[r] = e[r];
	}
}

INLINE void
lanes8_store(const struct strip *x, const struct sw_column8 *c, size_t strip)
{
	vec *h = (vec *)(void *)c->h + SW_LANE_ROWS * strip;
	vec *e = (vec *)(void *)c->e + SW_LANE_ROWS * strip;

#pragma GCC unroll 4
	for (int r = 0; r < SW_LANE_ROWS; r++) {
		h[r] = x->h[r];
		e[r] = x->e[r];
	}
}

/* A strip once more; its largest H. */
static __attribute__((noinline)) vec
lanes8_again(const struct sw_lanes *s, const struct sw_column8 *from, size_t i,
      vec corner, const struct edge *in, const struct edge *out)
{
	const struct costs c = costs_of(s, 8);
	struct strip x;

	lanes8_load(&x, from, i);
	x.corner = corner;
	strip(&x, &c, s, (const vec *)(const void *)s->profile,
	      s->row + SW_LANE_ROWS * i, in, out, 8, true);
	return x.most;
}

/* Values of the lanes, where there is one (it is not 0). */
static void
lanes8_keep(int64_t *to, vec v, int add)
{
	uint8_t x[VBYTES];

	VSI(storeu)((void *)x, v);
	for (int l = 0; l < VBYTES; l++)
		if (x[l] && x[l] + add > to[l])
			to[l] = x[l] + add;
}

/* The least F below a strip that asks for more: never above most8's. */
static int
limit(const struct sw_lanes *s)
{
	int safe = s->most8 + 1 - s->reach;
	int64_t wanted = s->threshold - s->reach;

	if (wanted >= safe - s->zero8)
		return safe;
	return wanted < -s->zero8 ? 0 : (int)wanted + s->zero8;
}

INLINE bool
lanes8_block(struct sw_lanes *s, const struct sw_column8 *from,
      const struct sw_column8 *to, bool record)
{
	const struct costs c = costs_of(s, 8);
	const vec *profile = (const vec *)(const void *)s->profile;
	const vec over = set8(s->most8 + 1 - (record ? 0 : s->reach));
	const vec stop = record ? over : set8(limit(s));
	vec top = set8(0), bound = set8(0), corner = c.zero;
	struct edge edge[2];
	struct strip x;

	first_edge(s, edge, c.zero);
	for (size_t i = 0; i < s->strips; i++) {
		const struct edge *in = &edge[i % 2], *out = &edge[1 - i % 2];

		lanes8_load(&x, from, i);
		x.corner = corner;
		corner = x.h[SW_LANE_ROWS - 1];
		vec above = x.corner;
		strip(&x, &c, s, profile, s->row + SW_LANE_ROWS * i, in, out,
		      8, record);
		if (__builtin_expect(reaches(8, x.most, stop), 0)) {
			if (reaches(8, x.most, over))
				return false;
			x.most = lanes8_again(s, from, i, above, in, out);
			top = vmax(8, top, x.most);
			s->reruns++;
		} else if (record) {
			top = vmax(8, top, x.most);
		} else {
			bound = vmax(8, bound, x.most);
		}
		lanes8_store(&x, to, i);
	}
	lanes8_keep(s->top, top, -s->zero8);
	lanes8_keep(s->bound, bound, s->reach - s->zero8);
	return true;
}

static bool
lane_block8(struct sw_lanes *s, const struct sw_column8 *from,
	    const struct sw_column8 *to)
{
	return s->record ? lanes8_block(s, from, to, true) :
			   lanes8_block(s, from, to, false);
}

/*
 * Columns of all rows in 16 bits, scores of any size
 *
 * H of two cells of a row, l columns apart, differ by at most
 * l * (best + extend) + open, and so do those of a column, as sw_grid_kern.c
 * says.  So within a strip of `cols` columns, with the row above and the column
 * before, all H are within
 * 	reach = (SW_LANE_ROWS + cols) * (best + extend) + 2 * open
 * of the corner, the H above the column before.  A base is moved where the
 * corner is below low16 = reach + slack (and the base above 0) or above
 * high16 = 32767 - reach - slack; then the corner is in
 * [SW_CORNER, SW_CORNER + SW_UNIT), the middle, which is between them since
 * reach + slack <= SW_CORNER.  So with a base above 0 all H are >= slack,
 * slack = best + open + extend - worst + 1, and
 * - F's floor is idle: it is 0 <= H - open - extend, which F could have anyhow;
 *   likewise F that a moved base lifts to 0, and E need not be exact below
 *   H - open - extend;
 * - diagonal + s and t are above -32768, and E, never below the H of the
 *   column before + worst - open - extend, is so with either base.
 * Where no H can be above 32767 at all, no base is: low16 = 0, high16 = 32767.
 * Then open + 2 * extend - worst <= 32768 keeps diagonal + s, t and E from
 * overflowing.
 * Sums are modulo 2^16 while bases change: right where the result is in range.
 */

enum { HALF = VBYTES / 2, NONE = INT16_MIN };

/* A half on its way down the strips. */
struct down {
	vec base, corner, stop, top, bound;
	unsigned half;
};

INLINE size_t
place(unsigned half, int lane)
{
	return (size_t)lane / 8 * 16 + half * 8 + (size_t)lane % 8;
}

/* Values of the lanes, where there is one. */
static void
lanes16_keep(int64_t *to, vec v, const struct down *d, int add)
{
	int16_t x[HALF], base[HALF];

	VSI(storeu)((void *)x, v);
	VSI(storeu)((void *)base, d->base);
	for (int l = 0; l < HALF; l++) {
		int64_t y = (int64_t)base[l] * SW_UNIT + x[l] + add;
		int64_t *t = &to[place(d->half, l)];

		if (x[l] != NONE && y > *t)
			*t = y;
	}
}

/* The least F below a strip that asks for more, by the lanes' bases. */
static vec
stop_at(const struct sw_lanes *s, const struct down *d)
{
	int16_t x[HALF], base[HALF];

	VSI(storeu)((void *)base, d->base);
	for (int l = 0; l < HALF; l++) {
		int64_t y = s->threshold - s->reach -
			    (int64_t)base[l] * SW_UNIT;

		x[l] = (int16_t)(y > INT16_MAX ? INT16_MAX :
				 y < INT16_MIN ? INT16_MIN : y);
	}
	return VSI(loadu)((const void *)x);
}

static void
keep_all(struct sw_lanes *s, struct down *d)
{
	lanes16_keep(s->top, d->top, d, 0);
	lanes16_keep(s->bound, d->bound, d, s->reach);
	d->top = d->bound = set16(NONE);
}

/* Lanes whose base does not fit. */
INLINE vec
unfit(const struct sw_lanes *s, const struct down *d)
{
	vec low = above16(set16(s->low16), d->corner);

	low = VSI(and)(low, above16(d->base, set16(0)));
	return VSI(or)(low, above16(d->corner, set16(s->high16)));
}

static __attribute__((noinline)) void
move_base(struct sw_lanes *s, struct down *d, const struct edge *in)
{
	const vec zero = set16(0);
	vec by = V(srai_epi16)(vsub(16, d->corner, set16(SW_CORNER)),
			       SW_UNIT_BITS);

	s->did.moved++;
	keep_all(s, d);
	by = VSI(and)(vmax(16, by, vsub(16, zero, d->base)), unfit(s, d));
	d->base = vadd(16, d->base, by);
	by = V(slli_epi16)(by, SW_UNIT_BITS);
	d->corner = vsub(16, d->corner, by);
	for (unsigned j = 0; j < s->cols; j++) {
		in->h[j] = vsub(16, in->h[j], by);
		in->f[j] = vmax(16, vsub(16, in->f[j], by), zero);
	}
	d->stop = stop_at(s, d);
}

/* The left column, by the base at hand. */
INLINE void
lanes16_load(struct strip *x, const struct sw_lanes *s, size_t strip,
     const struct down *d)
{
	const vec *h = (const vec *)(const void *)s->now.h;
	const vec *e = (const vec *)(const void *)s->now.e;
	const vec *base = (const vec *)(const void *)s->now.base;
	vec by = vsub(16, base[strip * s->halves + d->half], d->base);

	by = V(slli_epi16)(by, SW_UNIT_BITS);
#pragma GCC unroll 4
	for (unsigned r = 0; r < SW_LANE_ROWS; r++) {
		size_t i = (strip * SW_LANE_ROWS + r) * s->halves + d->half;

		x->h[r] = vadd(16, h[i], by);
		x->e[r] = vadd(16, e[i], by);
	}
	x->corner = d->corner;
}

INLINE vec
lanes16_store(const struct strip *x, const struct sw_lanes *s, size_t strip,
      const struct down *d, vec high)
{
	vec *h = (vec *)(void *)s->now.h, *e = (vec *)(void *)s->now.e;
	vec *base = (vec *)(void *)s->now.base;

	base[strip * s->halves + d->half] = d->base;
#pragma GCC unroll 4
	for (unsigned r = 0; r < SW_LANE_ROWS; r++) {
		size_t i = (strip * SW_LANE_ROWS + r) * s->halves + d->half;

		h[i] = x->h[r];
		e[i] = x->e[r];
		high = vmax(16, high, x->h[r]);
	}
	return vmax(16, high, VSI(and)(above16(d->base, set16(0)),
				       set16(INT16_MAX)));
}

/* A strip once more; its largest H. */
static __attribute__((noinline)) vec
lanes16_again(const struct sw_lanes *s, const vec *profile, size_t i,
      const struct down *d, const struct edge *in, const struct edge *out)
{
	const struct costs c = costs_of(s, 16);
	struct strip x;

	lanes16_load(&x, s, i, d);
	strip(&x, &c, s, profile, s->row + SW_LANE_ROWS * i, in, out, 16,
	      true);
	return x.most;
}

INLINE void
lanes16_block(struct sw_lanes *s, unsigned half, bool record)
{
	const struct costs c = costs_of(s, 16);
	const vec *profile = (const vec *)(const void *)s->profile +
			     (size_t)half * s->letters * s->cols;
	struct down d = { .base = c.zero, .corner = c.zero, .half = half,
			  .top = set16(NONE), .bound = set16(NONE) };
	vec high = c.zero;
	struct edge edge[2];
	struct strip x;

	first_edge(s, edge, c.zero);
	d.stop = stop_at(s, &d);
	for (size_t i = 0; i < s->strips; i++) {
		const struct edge *in = &edge[i % 2], *out = &edge[1 - i % 2];
		vec below;

		if (__builtin_expect(any(unfit(s, &d)), 0))
			move_base(s, &d, in);
		lanes16_load(&x, s, i, &d);
		below = x.h[SW_LANE_ROWS - 1];
		strip(&x, &c, s, profile, s->row + SW_LANE_ROWS * i, in, out,
		      16, record);
		if (record) {
			d.top = vmax(16, d.top, x.most);
		} else if (reaches(16, x.most, d.stop)) {
			x.most = lanes16_again(s, profile, i, &d, in, out);
			d.top = vmax(16, d.top, x.most);
			s->reruns++;
		} else {
			d.bound = vmax(16, d.bound, x.most);
		}
		d.corner = below;
		high = lanes16_store(&x, s, i, &d, high);
	}
	keep_all(s, &d);
	s->high |= any(above16(high, set16(sw_lanes_low(s))));
}

static void
lane_block16(struct sw_lanes *s, unsigned half)
{
	if (s->record)
		lanes16_block(s, half, true);
	else
		lanes16_block(s, half, false);
}

/* Columns: begun anew, widened, narrowed, compared. */

INLINE vec
mask_of(const struct sw_lanes *s)
{
	return VSI(loadu)((const void *)s->reset);
}

INLINE vec
without(vec x, vec mask)
{
	return VSI(andnot)(mask, x);
}

static void
lane_reset8(struct sw_lanes *s)
{
	vec mask = mask_of(s), zero = VSI(and)(mask, set8(s->zero8));
	vec *h = (vec *)(void *)s->now8.h, *e = (vec *)(void *)s->now8.e;

	for (size_t i = 0; i < s->rows; i++) {
		h[i] = VSI(or)(without(h[i], mask), zero);
		e[i] = VSI(or)(without(e[i], mask), zero);
	}
}

static void
lane_reset16(struct sw_lanes *s)
{
	vec x = mask_of(s), mask[2];
	vec *h = (vec *)(void *)s->now.h, *e = (vec *)(void *)s->now.e;
	vec *base = (vec *)(void *)s->now.base;

	mask[0] = V(unpacklo_epi8)(x, x);
	mask[1] = V(unpackhi_epi8)(x, x);
	for (size_t i = 0; i < s->rows * s->halves; i++) {
		h[i] = without(h[i], mask[i % s->halves]);
		e[i] = without(e[i], mask[i % s->halves]);
	}
	for (size_t i = 0; i < s->strips * s->halves; i++)
		base[i] = without(base[i], mask[i % s->halves]);
}

INLINE void
widen(vec x, vec zero8, vec to[2])
{
	to[0] = vsub(16, V(unpacklo_epi8)(x, set8(0)), zero8);
	to[1] = vsub(16, V(unpackhi_epi8)(x, set8(0)), zero8);
}

static void
lane_widen(const struct sw_lanes *s, const struct sw_column8 *from,
	   const struct sw_column *to)
{
	const vec *h8 = (const vec *)(const void *)from->h;
	const vec *e8 = (const vec *)(const void *)from->e;
	vec *h = (vec *)(void *)to->h, *e = (vec *)(void *)to->e;
	vec *base = (vec *)(void *)to->base, zero8 = set16(s->zero8);

	for (size_t i = 0; i < s->rows; i++) {
		widen(h8[i], zero8, h + 2 * i);
		widen(e8[i], zero8, e + 2 * i);
	}
	for (size_t i = 0; i < s->strips * 2; i++)
		base[i] = set16(0);
}

/* No H is high, and E <= H: it comes from max(diagonal, E) of its row. */
static void
lane_narrow(struct sw_lanes *s)
{
	vec *h8 = (vec *)(void *)s->now8.h, *e8 = (vec *)(void *)s->now8.e;
	const vec *h = (const vec *)(const void *)s->now.h;
	const vec *e = (const vec *)(const void *)s->now.e;
	const vec zero8 = set16(s->zero8), zero = set16(0);

	for (size_t i = 0; i < s->rows; i++) {
		h8[i] = V(packus_epi16)(vadd(16, h[2 * i], zero8),
					vadd(16, h[2 * i + 1], zero8));
		e8[i] = V(packus_epi16)(
		    vadd(16, vmax(16, e[2 * i], zero), zero8),
		    vadd(16, vmax(16, e[2 * i + 1], zero), zero8));
	}
}

INLINE vec
differ(vec a, vec b)
{
	return VSI(xor)(a, b);
}

/*
 * E as far as it matters: a higher one, up to H - open - extend or to 0, makes
 * no H other than it is, for the textbook's E is at least as high.
 */
INLINE vec
effective(vec e, vec h, vec first)
{
	return vmax(16, e, V(subs_epu16)(h, first));
}

/*
 * Bases may differ though scores do not, but by less than 2^15 / SW_UNIT, since
 * both values are in [0, 32768).  With a base above 0 H >= open + extend.
 */
static bool
lane_same(const struct sw_lanes *s, const struct sw_column *a,
	  const struct sw_column *b)
{
	const vec *ha = (const vec *)(const void *)a->h;
	const vec *hb = (const vec *)(const void *)b->h;
	const vec *ea = (const vec *)(const void *)a->e;
	const vec *eb = (const vec *)(const void *)b->e;
	const vec *base_a = (const vec *)(const void *)a->base;
	const vec *base_b = (const vec *)(const void *)b->base;
	const vec first = set16(s->open + s->extend);

	for (size_t i = 0; i < s->rows * s->halves; i++) {
		size_t row = i / s->halves;
		size_t at = row / SW_LANE_ROWS * s->halves + i % s->halves;
		vec by = vsub(16, base_a[at], base_b[at]), x, y;

		if (any(above16(V(abs_epi16)(by), set16(INT16_MAX / SW_UNIT))))
			return false;
		by = V(slli_epi16)(by, SW_UNIT_BITS);
		x = vadd(16, effective(ea[i], ha[i], first), by);
		y = effective(eb[i], hb[i], first);
		if (any(VSI(or)(differ(x, y),
				differ(vadd(16, ha[i], by), hb[i]))))
			return false;
	}
	return true;
}

INLINE vec
effective8(vec e, vec h, vec first, vec zero8)
{
	return vmax(8, vmax(8, e, zero8), V(subs_epu8)(h, first));
}

/* E below 0 counts as 0. */
static bool
lane_same8(const struct sw_lanes *s, const struct sw_column8 *a,
	   const struct sw_column8 *b)
{
	const vec *ha = (const vec *)(const void *)a->h;
	const vec *hb = (const vec *)(const void *)b->h;
	const vec *ea = (const vec *)(const void *)a->e;
	const vec *eb = (const vec *)(const void *)b->e;
	const vec first = set8(s->open + s->extend), zero8 = set8(s->zero8);

	for (size_t i = 0; i < s->rows; i++) {
		vec x = effective8(ea[i], ha[i], first, zero8);
		vec y = effective8(eb[i], hb[i], first, zero8);

		if (any(VSI(or)(differ(x, y), differ(ha[i], hb[i]))))
			return false;
	}
	return true;
}

const struct sw_lane_ops KERN(sw_lane_ops) = {
	VBYTES, lane_profile8, lane_profile16, lane_block8, lane_block16,
	lane_reset8, lane_reset16, lane_widen, lane_narrow, lane_same,
	lane_same8,
};
#endif
