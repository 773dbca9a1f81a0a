/* SPDX-License-Identifier: MIT */
/*
 * kdiff_snake_kern.c - paths of few differences, a hit a lane: what
 * kdiff_snake.c says, for hits of one distance side by side
 *
 * Without AVX-512 a lane's counts of zeros and its look-ups would be taken one
 * by one, as there.
 */

#include "base/vec.h"
#include "kdiff/kdiff_snake.h"
#include "letters/letters.h"

#if defined(ISA_avx512)

/* Rows of a diagonal that differ; from row m on all do. */
struct differ {
	v64 w[SNAKE_WORDS];
};

struct walk {
	struct kdiff_snakes *x;
	struct differ differ[2 * SNAKE_MOST + 1];
	v64 far[SNAKE_MOST][2 * SNAKE_MOST + 1];
};

INLINE v64
max64(v64 a, v64 b)
{
	return (v64)_mm512_max_epi64((__m512i)a, (__m512i)b);
}

/* Bits below the lowest one that is set: all 64 if there is none. */
INLINE v64
zeros_below(v64 x)
{
	return (v64)_mm512_popcnt_epi64((__m512i)(~x & (x - 1)));
}

/* x without its bits below bit n, or below all, n < 0. */
INLINE v64
bits_from(v64 x, v64 n)
{
	n = max64(n, vset(0));
	return x & (v64)_mm512_sllv_epi64(_mm512_set1_epi64(-1), (__m512i)n);
}

/* x without bit n and those above, n <= 0: 0; n >= 64: x. */
INLINE v64
bits_to(v64 x, v64 n)
{
	n = max64(n, vset(0));
	return x & ~(v64)_mm512_sllv_epi64(_mm512_set1_epi64(-1), (__m512i)n);
}

/* The first row from row i on that differs. */
INLINE v64
slide_to(const struct differ *d, v64 i, const unsigned words)
{
	v64 r = zeros_below(bits_from(d->w[0], i)), more;

	if (words == 1)
		return r;
	more = zeros_below(bits_from(d->w[1], i - 64));
	return r + (more & (v64)(r == 64));
}

/* to[lane] = v[t of the lane][lane], of vectors `step` apart. */
INLINE v64
of_diagonal(const v64 *v, v64 t, const unsigned step)
{
	const __m512i lane = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
	__m512i at = _mm512_add_epi64(lane, _mm512_slli_epi64((__m512i)t, 3));

	if (step == 2)
		at = _mm512_add_epi64(at,
				      _mm512_slli_epi64((__m512i)t, 3));
	return (v64)_mm512_i64gather_epi64(at, v, 8);
}

/* The window's letters, and which rows differ from them. */
INLINE void
compare_rows(struct walk *a, const unsigned words)
{
	const struct kdiff_snakes *x = a->x;
	const uint64_t *p[LANES], *q[LANES];
	v64 w[8], lo[SNAKE_WORDS + 1], hi[SNAKE_WORDS + 1], at;
	uint64_t end = ~0ull << x->m % 64;

	memcpy(&at, x->at, VBYTES);
	for (int l = 0; l < LANES; l++) {
		p[l] = x->planes + x->at[l] / 64 * 2;
		q[l] = p[l] + 4;
	}
	transpose4(p, w);
	transpose4(q, w + 4);
	at &= 63;
	for (unsigned i = 0; i < words; i++) {
		lo[i] = w[2 * i] >> at | w[2 * i + 2] << 1 << (63 - at);
		hi[i] = w[2 * i + 1] >> at | w[2 * i + 3] << 1 << (63 - at);
	}
	lo[words] = hi[words] = vset(0);	/* behind the window */
	for (unsigned t = 0; t <= 2 * x->d; t++)
		for (unsigned i = 0; i < words; i++) {
			v64 l = lo[i] >> t | lo[i + 1] << 1 << (63 - t);
			v64 h = hi[i] >> t | hi[i + 1] << 1 << (63 - t);

			l = (l ^ x->pat[0][i]) | (h ^ x->pat[1][i]);
			a->differ[t].w[i] = i == x->m / 64 ? l | end : l;
		}
}

/* How far each number of differences leads. */
INLINE void
go_far(struct walk *a, const unsigned words)
{
	const unsigned d = a->x->d;

	for (unsigned t = 0; t <= 2 * d; t++)
		a->far[0][t] = slide_to(&a->differ[t], vset(0), words);
	for (unsigned n = 1; n < d; n++) {
		const v64 *old = a->far[n - 1];

		for (unsigned t = n; t <= 2 * d - n; t++) {
			v64 x = max64(old[t], old[t + 1]) + 1;

			x = max64(x, old[t - 1]);
			a->far[n][t] = slide_to(&a->differ[t], x, words);
		}
	}
}

/* Back from row m of diagonal d. */
INLINE void
walk_back(struct walk *a, const unsigned words)
{
	struct kdiff_snakes *x = a->x;
	v64 i = vset(x->m), t = vset(x->d);

	for (unsigned n = x->d;; n--) {
		const v64 *differ = a->differ[0].w, *far;
		v64 y = bits_to(of_diagonal(differ, t, SNAKE_WORDS), i), to;
		v64 same, skip, code, here;

		to = 64 - (v64)_mm512_lzcnt_epi64((__m512i)y);
		if (words > 1) {
			y = bits_to(of_diagonal(differ + 1, t, SNAKE_WORDS),
				    i - 64);
			to = pick((v64)(y != 0),
				  128 - (v64)_mm512_lzcnt_epi64((__m512i)y),
				  to);
		}
		here = i - to;
		memcpy(x->equal[n], &here, VBYTES);
		i = to;
		if (!n)
			break;
		far = a->far[n - 1];
		same = (v64)((s64)of_diagonal(far, t, 1) + 1 >= (s64)i);
		skip = (v64)((s64)of_diagonal(far, t - 1, 1) >= (s64)i);
		code = pick(same, vset(CIGAR_X),
			    pick(skip, vset(CIGAR_D), vset(CIGAR_I)));
		memcpy(x->code[n], &code, VBYTES);
		i -= (same | ~skip) & 1;
		t += pick(same, vset(0), pick(skip, vset(~0ull), vset(1)));
	}
	memcpy(x->diagonal, &t, VBYTES);
}

INLINE void
paths(struct walk *a, const unsigned words)
{
	compare_rows(a, words);
	go_far(a, words);
	walk_back(a, words);
}

void
kdiff_snakes_avx512(struct kdiff_snakes *x)
{
	struct walk a;

	a.x = x;
	if (x->m + x->d < 64)
		paths(&a, 1);
	else
		paths(&a, SNAKE_WORDS);
}
#endif
