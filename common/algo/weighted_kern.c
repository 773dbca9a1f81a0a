/* SPDX-License-Identifier: MIT */
/*
 * weighted_kern.c - sums over pairs of sets of gaps, and along words
 *
 * Eight sums side by side on any instruction set, and no multiplication is
 * fused with an addition (-ffp-contract=off): the outcome is the same.
 */
#include "algo/weighted_priv.h"
#include "base/simd.h"

enum { LANES = 8 };
typedef uint64_t many __attribute__((vector_size(8 * LANES), aligned(8)));
typedef double reals __attribute__((vector_size(8 * LANES), aligned(8)));

/* Runs, less 1: gaps, those between rotations of v twice. */
static inline void
count_runs(many *runs, const many *mask, uint64_t inner)
{
#ifdef ISA_avx512
	*runs = (many)_mm512_add_epi64(_mm512_popcnt_epi64((__m512i)*mask),
		_mm512_popcnt_epi64((__m512i)(*mask & inner)));
#else
	for (int i = 0; i < LANES; i++)
		(*runs)[i] = (uint64_t)__builtin_popcountll((*mask)[i]) +
			(uint64_t)__builtin_popcountll((*mask)[i] & inner);
#endif
}

static inline void
look_up(reals *x, const double *value, const many *at)
{
#ifdef ISA_avx512
	*x = (reals)_mm512_i64gather_pd((__m512i)*at, value, 8);
#else
	for (int i = 0; i < LANES; i++)
		(*x)[i] = value[(*at)[i]];
#endif
}

static inline double
across(const reals *v)
{
	return (((*v)[0] + (*v)[4]) + ((*v)[2] + (*v)[6])) +
	       (((*v)[1] + (*v)[5]) + ((*v)[3] + (*v)[7]));
}

void
KERN(weighted_join)(struct wjoin *j)
{
	many least = (many){ 0 } + j->least, most = (many){ 0 } + j->most;

	for (size_t i = 0; i < j->n_a; i++) {
		reals c = { 0 }, w = { 0 }, x;
		const struct wset *a = &j->a[i];

		for (size_t k = 0; k < j->n_b; k += LANES) {
			many mask = *(const many *)(j->mask + k) | a->mask;
			many runs, less, more;

			count_runs(&runs, &mask, j->inner);
			look_up(&x, j->value, &runs);
			c += x * *(const reals *)(j->c + k);
			w += x * *(const reals *)(j->w + k);
			less = (many)(runs < least);
			more = (many)(runs > most);
			least = (least & ~less) | (runs & less);
			most = (most & ~more) | (runs & more);
		}
		j->sum.c += a->is.c * across(&c);
		j->sum.w += a->is.w * across(&w);
	}
	for (int i = 0; i < LANES; i++) {
		j->least = least[i] < j->least ? least[i] : j->least;
		j->most = most[i] > j->most ? most[i] : j->most;
	}
}

void
KERN(weighted_add)(double *to, const double *from, size_t n, struct wsum f)
{
	for (size_t i = 0; i < n; i += LANES)
		*(reals *)(to + i) += *(const reals *)(from + i) * f.c;
	for (size_t i = n; i < 2 * n; i += LANES)
		*(reals *)(to + i) += *(const reals *)(from + i) * f.w;
}

/*
 * As wide as a register: numbers side by side have nothing to do with each
 * other.
 */
enum { BYTES = VBYTES < 16 ? 16 : VBYTES, SIDE = BYTES / 8 };
typedef uint64_t masks __attribute__((vector_size(BYTES), aligned(8)));
typedef double shares __attribute__((vector_size(BYTES), aligned(8)));

enum { GROUP = 3 };	/* vectors: with four factors each in registers */

/* `group` vectors from number j on behind letter i, one of so many kinds. */
static inline __attribute__((always_inline)) void
back(const struct wback *b, size_t i, size_t j, unsigned kinds,
     unsigned group, const double *from, double *to)
{
	const struct product *x = b->x;
	const uint64_t *keep = b->keep + j;
	const uint32_t *next[4];
	shares f[4][GROUP], s[GROUP];

	from += j;
	to += j;
#pragma GCC unroll 4
	for (unsigned k = 0; k < kinds; k++) {
		next[k] = b->next[WCODE(x->letter[i][k])];
#pragma GCC unroll 3
		for (unsigned v = 0; v < group; v++) {
			masks by_number = *(const masks *)(b->by_number + j +
							   SIDE * v);
			shares c = (shares){ 0 } + 1.0 / kinds;
			shares w = (shares){ 0 } + x->p[i][k];

			f[k][v] = (shares)(((masks)c & by_number) |
					   ((masks)w & ~by_number));
		}
	}
	for (size_t g = 0; g < b->states; g++) {
#pragma GCC unroll 4
		for (unsigned k = 0; k < kinds; k++) {
			const double *at = from + next[k][g];

#pragma GCC unroll 3
			for (unsigned v = 0; v < group; v++) {
				shares a = *(const shares *)(at + SIDE * v) *
					   f[k][v];

				s[v] = k ? s[v] + a : a;
			}
		}
#pragma GCC unroll 3
		for (unsigned v = 0; v < group; v++)
			*(masks *)(to + SIDE * v) = (masks)s[v] &
				*(const masks *)(keep + SIDE * v);
		to += b->width;
		keep += b->width;
	}
}

static inline __attribute__((always_inline)) void
back_all(const struct wback *b, size_t i, unsigned kinds, const double *from,
	 double *to)
{
	size_t j = 0;

	for (; j + 3 * SIDE <= b->width; j += 3 * SIDE)
		back(b, i, j, kinds, 3, from, to);
	for (; j < b->width; j += SIDE)
		back(b, i, j, kinds, 1, from, to);
}

void
KERN(weighted_back)(const struct wback *b, double *v)
{
	double *from = v, *to = b->other;

	for (size_t i = b->from; i < b->to; i++) {
		double *was = from;

		switch (b->x->kinds[i]) {
		case 1: back_all(b, i, 1, from, to); break;
		case 2: back_all(b, i, 2, from, to); break;
		case 3: back_all(b, i, 3, from, to); break;
		default: back_all(b, i, 4, from, to);
		}
		from = to;
		to = was;
	}
	for (size_t i = 0; from != v && i < b->states * (size_t)b->width;
	     i += SIDE)
		*(shares *)(v + i) = *(const shares *)(from + i);
}

bool
KERN(weighted_alike)(const struct wback *b, const double *v,
		     const double *all, double *ratio)
{
	bool good = true;

	for (size_t j = 0; j < b->width && good; j += LANES) {
		reals low = (reals){ 0 } + 2, high = { 0 };

		for (size_t g = 0; g < b->states; g++) {
			reals a = *(const reals *)(all + g * b->width + j);
			reals x = *(const reals *)(v + g * b->width + j);
			many none = (many)(a == 0), less, more;

			/* where there is nothing, there is no ratio */
			x /= (reals)((many)a | (none & (many)(a + 1)));
			more = (many)(x > high);
			less = (many)(x < low) & ~none;
			high = (reals)(((many)high & ~more) |
				       ((many)x & more));
			low = (reals)(((many)low & ~less) |
				      ((many)x & less));
		}
		for (int l = 0; l < LANES; l++)
			good &= high[l] - low[l] <= 0x1p-44;
		*(reals *)(ratio + j) = high;
	}
	return good;
}
