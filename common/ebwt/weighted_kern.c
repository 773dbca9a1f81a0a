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

/* to = from * f, or more of it. */
static inline void
scale(double *to, const double *from, size_t n, double f, bool first)
{
	for (size_t i = 0; i < n; i += SIDE) {
		shares x = *(const shares *)(from + i) * f;

		*(shares *)(to + i) = first ? x : *(shares *)(to + i) + x;
	}
}

void
KERN(weighted_add)(double *to, const double *from, size_t n, struct wsum f,
		   bool first)
{
	scale(to, from, n, f.c, first);
	scale(to + n, from + n, n, f.w, first);
}

/*
 * Vectors and columns whose sums are in registers at once: of one column, or,
 * as factors and places are the same, of several.  Letters of FEW kinds go
 * without steps().
 */
enum { GROUP = 3, FEW = 2 };

/* Factors of letter i's kinds, for vectors from number j on.  Of many kinds by
 * code, and those of other codes are 0. */
static inline __attribute__((always_inline)) void
factors(const struct wback *b, size_t i, size_t j, unsigned kinds,
	unsigned group, shares f[][GROUP])
{
#pragma GCC unroll 5
	for (unsigned c = kinds < 4 ? 0 : 4; c < 5 && kinds > FEW; c++)
#pragma GCC unroll 3
		for (unsigned v = 0; v < group; v++)
			f[c][v] = (shares){ 0 };
#pragma GCC unroll 4
	for (unsigned k = 0; k < kinds; k++)
#pragma GCC unroll 3
		for (unsigned v = 0; v < group; v++) {
			masks by_number = *(const masks *)(b->by_number + j +
							   SIDE * v);
			shares c = (shares){ 0 } + 1.0 / kinds;
			shares w = (shares){ 0 } + b->x->p[i][k];

			f[kinds > FEW ? WCODE(b->x->letter[i][k]) : k][v] =
			    (shares)(((masks)c & by_number) |
				     ((masks)w & ~by_number));
		}
}

/* s: what gap g leads to, by all kinds of letters. */
static inline __attribute__((always_inline)) void
lead(const struct wback *b, size_t i, size_t g, unsigned kinds, unsigned cols,
     unsigned group, const double *from, const shares f[][GROUP],
     shares s[][GROUP])
{
	size_t block = b->states * (size_t)b->width;

#pragma GCC unroll 4
	for (unsigned k = 0; k < kinds; k++) {
		unsigned code = WCODE(b->x->letter[i][k]);
		const double *at = from + b->next[code][g];

#pragma GCC unroll 4
		for (unsigned c = 0; c < cols; c++)
#pragma GCC unroll 3
			for (unsigned v = 0; v < group; v++) {
				shares a = *(const shares *)(at + c * block +
							     SIDE * v) *
					   f[kinds > FEW ? code : k][v];

				s[c][v] = k ? s[c][v] + a : a;
			}
	}
}

static inline __attribute__((always_inline)) void
put(double *to, size_t block, unsigned cols, unsigned group,
    const shares s[][GROUP])
{
#pragma GCC unroll 4
	for (unsigned c = 0; c < cols; c++)
#pragma GCC unroll 3
		for (unsigned v = 0; v < group; v++)
			*(shares *)(to + c * block + SIDE * v) = s[c][v];
}

/* `group` vectors from number j on behind letter i, one of so many kinds. */
static inline __attribute__((always_inline)) void
back(const struct wback *b, size_t i, size_t j, unsigned kinds, unsigned cols,
     unsigned group, const double *from, double *to)
{
	size_t block = b->states * (size_t)b->width;
	shares f[5][GROUP], s[WBACK_COLS][GROUP];

	factors(b, i, j, kinds, group, f);
	for (size_t g = 0; g < b->states; g++) {
		lead(b, i, g, kinds, cols, group, from + j, f, s);
		put(to + g * b->width + j, block, cols, group, s);
	}
}

/*
 * The same for many kinds: from gap g to the next one, only the letter before
 * the rotation between them leads elsewhere, and one gap further.  What this
 * rounds is small beside 1, which is enough (weighted_trace.c).
 */
static inline __attribute__((always_inline)) void
back_by_steps(const struct wback *b, size_t i, size_t j, unsigned kinds,
	      unsigned cols, unsigned group, const double *from, double *to)
{
	size_t block = b->states * (size_t)b->width;
	shares f[5][GROUP], s[WBACK_COLS][GROUP];

	from += j;
	to += j;
	factors(b, i, j, kinds, group, f);
	lead(b, i, 0, kinds, cols, group, from, f, s);
	put(to, block, cols, group, s);
	for (size_t g = 0; g + 1 < b->states; g++) {
		const double *at = from + b->step[g], *then = at + b->width;
		const shares *by = f[b->code[g]];

		to += b->width;
#pragma GCC unroll 4
		for (unsigned c = 0; c < cols; c++)
#pragma GCC unroll 3
			for (unsigned v = 0; v < group; v++)
				s[c][v] += by[v] *
					(*(const shares *)(then + c * block +
							   SIDE * v) -
					 *(const shares *)(at + c * block +
							   SIDE * v));
		put(to, block, cols, group, s);
	}
}

static inline __attribute__((always_inline)) void
back_all(const struct wback *b, size_t i, unsigned kinds, unsigned cols,
	 unsigned group, const double *from, double *to)
{
	size_t block = b->states * (size_t)b->width, j = 0;

	for (; j + group * SIDE <= b->width && j < b->lanes; j += group * SIDE)
		if (kinds > FEW)
			back_by_steps(b, i, j, kinds, cols, group, from, to);
		else
			back(b, i, j, kinds, cols, group, from, to);
	for (; j < b->lanes; j += SIDE)
		if (kinds > FEW)
			back_by_steps(b, i, j, kinds, cols, 1, from, to);
		else
			back(b, i, j, kinds, cols, 1, from, to);
	/* a gap's own lanes are of words that never meet it */
	for (unsigned c = 0; c < cols; c++, to += block)
		for (size_t g = 0; g < b->states; g++) {
			double *of_g = to + g * b->width + g;

			of_g[0] = of_g[b->states] = 0;
		}
}

static inline __attribute__((always_inline)) void
back_cols(const struct wback *b, unsigned cols, unsigned group, double *v)
{
	size_t n = cols * b->states * (size_t)b->width;
	double *from = v, *to = b->other;

	for (size_t i = b->from; i < b->to; i++) {
		double *was = from;

		switch (b->x->kinds[i]) {
		case 1: back_all(b, i, 1, cols, group, from, to); break;
		case 2: back_all(b, i, 2, cols, group, from, to); break;
		case 3: back_all(b, i, 3, cols, group, from, to); break;
		default: back_all(b, i, 4, cols, group, from, to);
		}
		from = to;
		to = was;
	}
	for (size_t i = 0; from != v && i < n; i += SIDE)
		*(shares *)(v + i) = *(const shares *)(from + i);
}

void
KERN(weighted_back)(const struct wback *b, double *v, size_t n)
{
	size_t block = b->states * (size_t)b->width;

	for (; n >= WBACK_COLS; n -= WBACK_COLS, v += WBACK_COLS * block)
		back_cols(b, WBACK_COLS, VBYTES == 64 ? GROUP : 2, v);
	for (; n; n--, v += block)
		back_cols(b, 1, GROUP, v);
}

static inline void
take(shares *to, masks where, shares what)
{
	*to = (shares)(((masks)*to & ~where) | ((masks)what & where));
}

bool
KERN(weighted_alike)(const struct wback *b, const double *v,
		     const double *all, double *ratio)
{
	size_t n = b->states * (size_t)b->width;
	bool good = true;

	for (size_t j = 0; j < b->width && good; j += SIDE) {
		shares most = { 0 }, of_most = { 0 }, off = { 0 };

		for (size_t at = j; at < n; at += b->width) {
			shares a = *(const shares *)(all + at);
			masks more = (masks)(a > most);

			take(&most, more, a);
			take(&of_most, more, *(const shares *)(v + at));
		}
		/* where there is nothing, there is no ratio */
		take(&most, (masks)(most == 0), (shares){ 0 } + 1);
		of_most /= most;
		for (size_t at = j; at < n; at += b->width) {
			shares d = *(const shares *)(v + at) - of_most *
				   *(const shares *)(all + at);

			take(&off, (masks)(d > off), d);
			take(&off, (masks)(-d > off), -d);
		}
		for (int l = 0; l < SIDE; l++)
			good &= off[l] <= 0x1p-44;
		*(shares *)(ratio + j) = of_most;
	}
	return good;
}
