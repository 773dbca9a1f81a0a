/* SPDX-License-Identifier: MIT */
/*
 * weighted_kern.c - sums over pairs of sets of gaps
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
