/* SPDX-License-Identifier: MIT */
/*
 * weighted_kern.c - sums over pairs of sets of gaps, and along words
 *
 * Eight sums side by side on any instruction set, and no multiplication is
 * fused with an addition (-ffp-contract=off): the outcome is the same.
 */

#include <string.h>

#include "base/simd.h"
#include "ebwt/weighted_priv.h"

/*
 * As wide as a register: numbers side by side have nothing to do with each
 * other.
 */
enum { BYTES = VBYTES < 16 ? 16 : VBYTES, SIDE = BYTES / 8 };
typedef uint64_t masks __attribute__((vector_size(BYTES), aligned(8)));
typedef double shares __attribute__((vector_size(BYTES), aligned(8)));

enum { LANES = 8, PARTS = LANES / SIDE };

/* Runs, less 1: gaps, those between rotations of v twice. */
static inline masks
count_runs(masks mask, uint64_t inner)
{
#if defined(ISA_avx512)
	return (masks)_mm512_add_epi64(_mm512_popcnt_epi64((__m512i)mask),
		_mm512_popcnt_epi64((__m512i)(mask & inner)));
#elif defined(ISA_neon)
	vec n = vcntq_u8((vec)mask) + vcntq_u8((vec)(mask & inner));

	return (masks)vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(n)));
#else
	for (int i = 0; i < SIDE; i++)
		mask[i] = (uint64_t)__builtin_popcountll(mask[i]) +
			  (uint64_t)__builtin_popcountll(mask[i] & inner);
	return mask;
#endif
}

static inline shares
look_up(const double *value, masks at)
{
	shares x;

#ifdef ISA_avx512
	x = (shares)_mm512_i64gather_pd((__m512i)at, value, 8);
#else
	for (int i = 0; i < SIDE; i++)
		x[i] = value[at[i]];
#endif
	return x;
}

static inline double
across(const shares v[PARTS])
{
	double x[LANES];

	memcpy(x, v, sizeof x);
	return ((x[0] + x[4]) + (x[2] + x[6])) +
	       ((x[1] + x[5]) + (x[3] + x[7]));
}

void
KERN(weighted_join)(struct wjoin *j)
{
	masks least = (masks){ 0 } + j->least, most = (masks){ 0 } + j->most;

	for (size_t i = 0; i < j->n_a; i++) {
		shares c[PARTS] = { { 0 } }, w[PARTS] = { { 0 } };
		const struct wset *a = &j->a[i];

		for (size_t k = 0; k < j->n_b; k += LANES)
#pragma GCC unroll 4
			for (int p = 0; p < PARTS; p++) {
				size_t at = k + (size_t)p * SIDE;
				masks less, more, runs = count_runs(a->mask |
				    *(const masks *)(j->mask + at), j->inner);
				shares x = look_up(j->value, runs);

				c[p] += x * *(const shares *)(j->c + at);
				w[p] += x * *(const shares *)(j->w + at);
				less = (masks)(runs < least);
				more = (masks)(runs > most);
				least = (least & ~less) | (runs & less);
				most = (most & ~more) | (runs & more);
			}
		j->sum.c += a->is.c * across(c);
		j->sum.w += a->is.w * across(w);
	}
	for (int i = 0; i < SIDE; i++) {
		j->least = least[i] < j->least ? least[i] : j->least;
		j->most = most[i] > j->most ? most[i] : j->most;
	}
}

static inline __attribute__((always_inline)) void
add(double *to, const double *const from[4], const double f[4], unsigned rows,
    size_t beg, size_t end)
{
#if defined(ISA_neon)
	const double *at[4], *last = to + end;

#pragma GCC unroll 4
	for (unsigned k = 0; k < rows; k++)
		at[k] = from[k] + beg;
	for (to += beg; to != last; to += 2 * SIDE) {
		shares a = { 0 }, b = { 0 };

#pragma GCC unroll 4
		for (unsigned k = 0; k < rows; k++) {
			shares x = *(const shares *)at[k] * f[k];
			shares y = *(const shares *)(at[k] + SIDE) * f[k];

			a = k ? a + x : x;
			b = k ? b + y : y;
			at[k] += 2 * SIDE;
			/* a pointer each: one instruction loads both */
			__asm__("" : "+r"(at[k]));
		}
		*(shares *)to = a;
		*(shares *)(to + SIDE) = b;
	}
#else
	for (size_t i = beg; i < end; i += SIDE) {
		shares sum = *(const shares *)(from[0] + i) * f[0];

#pragma GCC unroll 4
		for (unsigned k = 1; k < rows; k++)
			sum += *(const shares *)(from[k] + i) * f[k];
		*(shares *)(to + i) = sum;
	}
#endif
}

void
KERN(weighted_add)(double *to, const double *const from[4],
		   const struct wsum f[4], unsigned rows, size_t n)
{
	const double *const at[4] = { from[0], from[1], from[2], from[3] };

	for (size_t i = 0; i < 2 * n; i += n) {
		const double by[4] = {
			i ? f[0].w : f[0].c, i ? f[1].w : f[1].c,
			i ? f[2].w : f[2].c, i ? f[3].w : f[3].c,
		};

		switch (rows) {
		case 1: add(to, at, by, 1, i, i + n); break;
		case 2: add(to, at, by, 2, i, i + n); break;
		case 3: add(to, at, by, 3, i, i + n); break;
		default: add(to, at, by, 4, i, i + n);
		}
	}
}

/* Vectors whose sums are in registers at once, of each column. */
enum { GROUP = 3 };

/* A row of sums; number `lane` of vector `own`, if there is such a vector, is
 * the gap's own and becomes 0. */
INLINE void
put(double *to, size_t block, unsigned cols, unsigned group, unsigned own,
    size_t lane, const shares s[][GROUP])
{
	static const uint64_t at_lane[2 * LANES] = { [LANES] = UINT64_MAX };
	masks out = *(const masks *)(at_lane + LANES - lane);

#pragma GCC unroll 3
	for (unsigned c = 0; c < cols; c++)
#pragma GCC unroll 3
		for (unsigned v = 0; v < group; v++)
			*(masks *)(to + c * block + SIDE * v) = v == own ?
				(masks)s[c][v] & ~out : (masks)s[c][v];
}

/* What gap 0 leads to. */
INLINE void
lead(const struct wback *b, const double *f, const double *from, size_t block,
     unsigned cols, unsigned group, shares s[][GROUP])
{
#pragma GCC unroll 4
	for (unsigned k = 0; k < 4; k++)
#pragma GCC unroll 3
		for (unsigned c = 0; c < cols; c++)
#pragma GCC unroll 3
			for (unsigned v = 0; v < group; v++) {
				shares a = f[k] * *(const shares *)(from +
					b->first[k] + c * block + SIDE * v);

				s[c][v] = k ? s[c][v] + a : a;
			}
}

/*
 * Gaps [g, end): from the one before, only the letter before the rotation
 * between them leads elsewhere, and one gap further.  Vector `own` begins with
 * number `first`.
 */
INLINE void
rows(const struct wback *b, const double *f, size_t g, size_t end, size_t first,
     unsigned own, const double *from, double *to, unsigned cols,
     unsigned group, shares s[][GROUP])
{
	size_t width = b->width, block = b->states * width;

	for (; g < end; g++) {
		const double *at = from + b->step[g], *then = at + width;
		double by = f[b->code[g]];

#pragma GCC unroll 3
		for (unsigned c = 0; c < cols; c++)
#pragma GCC unroll 3
			for (unsigned v = 0; v < group; v++)
				s[c][v] += by *
					(*(const shares *)(then + c * block +
							   SIDE * v) -
					 *(const shares *)(at + c * block +
							   SIDE * v));
		put(to + g * width, block, cols, group, own,
		    own < group ? g - first : 0, s);
	}
}

/* `group` vectors from number j on behind a letter of shares f. */
INLINE void
back(const struct wback *b, const double *f, size_t j, const double *from,
     double *to, unsigned cols, unsigned group)
{
	size_t block = b->states * (size_t)b->width, g = j;
	shares s[WBACK_COLS][GROUP];

	lead(b, f, from, block, cols, group, s);
	if (j) {
		put(to, block, cols, group, group, 0, s);
		rows(b, f, 1, j, 0, group, from, to, cols, group, s);
	} else {
		put(to, block, cols, group, 0, 0, s);
	}
#pragma GCC unroll 3
	for (unsigned own = 0; own < group; own++, g += SIDE)
		rows(b, f, g ? g : 1, min_u64(g + SIDE, b->states), g, own,
		     from, to, cols, group, s);
	rows(b, f, g, b->states, 0, group, from, to, cols, group, s);
}

/* All letters, of `group` vectors from number j on. */
INLINE void
back_all(const struct wback *b, double *v, size_t j, unsigned cols,
	 unsigned group)
{
	double *from = v + j, *to = b->other + j;
	size_t n = cols * (size_t)b->states;

	for (size_t i = b->from; i < b->to; i++) {
		double *was = from;

		back(b, b->share[i], j, from, to, cols, group);
		from = to;
		to = was;
	}
	for (; from != v + j && n; n--, from += b->width, to += b->width)
		memcpy(to, from, group * BYTES);
}

INLINE void
back_cols(const struct wback *b, double *v, unsigned cols)
{
	size_t j = 0;

	for (; j + (GROUP - 1) * SIDE < b->states; j += GROUP * SIDE)
		back_all(b, v, j, cols, GROUP);
	if (j + SIDE < b->states)
		back_all(b, v, j, cols, 2);
	else if (j < b->states)
		back_all(b, v, j, cols, 1);
}

void
KERN(weighted_back)(const struct wback *b, double *v, size_t n)
{
	if (n == WBACK_COLS) {
		back_cols(b, v, WBACK_COLS);
		return;
	}
	for (; n; n--, v += b->states * (size_t)b->width)
		back_cols(b, v, 1);
}

static inline void
take(shares *to, masks where, shares what)
{
	*to = (shares)(((masks)*to & ~where) | ((masks)what & where));
}

double
KERN(weighted_alike)(const struct wback *b, const double *v,
		     const double *all, double least, double *ratio)
{
	size_t n = b->states * (size_t)b->width;
	double worst = 0;

	for (size_t j = 0; j < b->states; j += SIDE) {
		shares most = { 0 }, of_most = { 0 }, off = { 0 };

		for (size_t at = j; at < n; at += b->width) {
			shares a = *(const shares *)(all + at);
			masks more = (masks)(a > most);

			take(&most, more, a);
			take(&of_most, more, *(const shares *)(v + at));
		}
		take(&of_most, (masks)(most < least), (shares){ 0 });
		take(&most, (masks)(most < least), (shares){ 0 } + 1);
		of_most /= most;
		for (size_t at = j; at < n; at += b->width) {
			shares d = *(const shares *)(v + at) - of_most *
				   *(const shares *)(all + at);

			take(&off, (masks)(d > off), d);
			take(&off, (masks)(-d > off), -d);
		}
		for (int l = 0; l < SIDE; l++)
			worst = off[l] > worst ? off[l] : worst;
		*(shares *)(ratio + j) = of_most;
	}
	return worst;
}
