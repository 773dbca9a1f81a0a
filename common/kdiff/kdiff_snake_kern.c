/* SPDX-License-Identifier: MIT */
/*
 * kdiff_snake_kern.c - paths of few differences, a hit a lane: what
 * kdiff_snake.c says, for hits of one distance side by side
 *
 * Which rows differ and how far each number of differences leads are found in
 * lanes.  The way back looks up what each lane needs: with few lanes it is gone
 * one hit after the other.  In AVX-512 lanes each step waits for look-ups, so
 * two vectors of hits take them by turns.
 */

#include "base/vec.h"
#include "kdiff/kdiff_snake.h"
#include "letters/letters.h"

enum { GROUPS = 2 };	/* vectors of hits */

/* Rows of a diagonal that differ; from row m on all do. */
struct differ {
	v64 w[SNAKE_WORDS];
};

/* A vector of hits, of x's the ones from `first` on. */
struct walk {
	struct kdiff_snakes *x;
	size_t first;
	struct differ differ[2 * SNAKE_MOST + 1];
	v64 far[SNAKE_MOST][2 * SNAKE_MOST + 1];
};

/*
 * max_row(): of rows, maybe below 0, one of which is not; at most 2^31.
 * zeros_below(): bits below the lowest one that is set, 64 if there is none.
 * bits_from(): x without its bits below bit n, 0 <= n < 128.
 */
#if defined(ISA_avx512)
INLINE v64
max_row(v64 a, v64 b)
{
	return (v64)_mm512_max_epi64((__m512i)a, (__m512i)b);
}

INLINE v64
zeros_below(v64 x)
{
	return (v64)_mm512_popcnt_epi64((__m512i)(~x & (x - 1)));
}

INLINE v64
bits_from(v64 x, v64 n)
{
	return x & (v64)_mm512_sllv_epi64(_mm512_set1_epi64(-1), (__m512i)n);
}
#elif defined(ISA_avx2)
INLINE v64
max_row(v64 a, v64 b)
{
	return (v64)_mm256_max_epi32((__m256i)a, (__m256i)b);
}

INLINE v64
zeros_below(v64 x)
{
	return (v64)_mm256_sad_epu8((__m256i)pop8(~x & (x - 1)),
				    _mm256_setzero_si256());
}

INLINE v64
bits_from(v64 x, v64 n)
{
	return x & (v64)_mm256_sllv_epi64(_mm256_set1_epi64x(-1), (__m256i)n);
}
#elif defined(ISA_neon)
INLINE v64
max_row(v64 a, v64 b)
{
	return (v64)vmaxq_s32((int32x4_t)a, (int32x4_t)b);
}

INLINE v64
zeros_below(v64 x)
{
	return vpaddlq_u32(vpaddlq_u16(vpaddlq_u8((neon)pop8(~x & (x - 1)))));
}

INLINE v64
bits_from(v64 x, v64 n)
{
	return x & vshlq_u64(vset(~0ull), (int64x2_t)n);
}
#else
INLINE v64
max_row(v64 a, v64 b)
{
	return pick((v64)((s64)a > (s64)b), a, b);
}

INLINE v64
zeros_below(v64 x)
{
	return vset(x[0] ? (uint64_t)__builtin_ctzll(x[0]) : 64);
}

INLINE v64
bits_from(v64 x, v64 n)
{
	return n[0] < 64 ? x & vset(~0ull << n[0]) : vset(0);
}
#endif

/* The first row from row i on that differs. */
INLINE v64
slide_to(const struct differ *d, v64 i, const unsigned words)
{
	v64 r = zeros_below(bits_from(d->w[0], i)), more;

	if (words == 1)
		return r;
	more = zeros_below(bits_from(d->w[1], max_row(i - 64, vset(0))));
	return r + (more & (v64)(r == 64));
}

/* The window's letters, and which rows differ from them. */
INLINE void
compare_rows(struct walk *a, const unsigned words)
{
	const struct kdiff_snakes *x = a->x;
	const uint64_t *p[LANES], *q[LANES], *first = x->at + a->first;
	v64 w[8], lo[SNAKE_WORDS + 1], hi[SNAKE_WORDS + 1], at;
	uint64_t end = ~0ull << x->m % 64;

	memcpy(&at, first, VBYTES);
	for (int l = 0; l < LANES; l++) {
		p[l] = x->planes + first[l] / 64 * 2;
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
			v64 x = max_row(old[t], old[t + 1]) + 1;

			x = max_row(x, old[t - 1]);
			a->far[n][t] = slide_to(&a->differ[t], x, words);
		}
	}
}

/* A path from its end on: its first run so far is the one at op. */
struct runs {
	uint32_t *op;
	uint32_t code, run;
};

/*
 * One difference more before it, and before that n equal letters, if n; there
 * are none at op already.
 */
INLINE void
add_before(struct runs *r, uint32_t code, uint32_t n)
{
	bool more = (n != 0) | (r->code != code);

	r->op[-1] = n << 4 | CIGAR_EQ;
	r->op -= n != 0;
	r->run = (r->run & ((uint32_t)more - 1)) + 16;
	r->op -= more;
	*r->op = r->run | code;
	r->code = code;
}

/* Before all of it n equal letters, if n: where it begins. */
INLINE uint32_t *
add_first(struct runs *r, uint32_t n)
{
	r->op[-1] = n << 4 | CIGAR_EQ;
	return r->op - (n != 0);
}

#if defined(ISA_avx512)
/* x without bit n and those above, n <= 0: 0; n >= 64: x. */
INLINE v64
bits_to(v64 x, v64 n)
{
	n = max_row(n, vset(0));
	return x & ~(v64)_mm512_sllv_epi64(_mm512_set1_epi64(-1), (__m512i)n);
}

/* to[lane] = v[t of the lane][lane], of vectors `step` apart. */
INLINE v64
of_diagonal(const v64 *v, v64 t, const unsigned step)
{
	const v64 lane = { 0, 1, 2, 3, 4, 5, 6, 7 };
	v64 at = lane + t * (step * LANES);

	return (v64)_mm512_i64gather_epi64((__m512i)at, v, 8);
}

/* The last row before row i that differs, plus 1; 0: none. */
INLINE v64
slide_back(const struct walk *a, v64 t, v64 i, const unsigned words)
{
	const v64 *differ = a->differ[0].w;
	v64 y = bits_to(of_diagonal(differ, t, SNAKE_WORDS), i);
	v64 to = 64 - (v64)_mm512_lzcnt_epi64((__m512i)y);

	if (words == 1)
		return to;
	y = bits_to(of_diagonal(differ + 1, t, SNAKE_WORDS), i - 64);
	return pick((v64)(y != 0),
		    128 - (v64)_mm512_lzcnt_epi64((__m512i)y), to);
}

/* Differences, the letters that are equal behind each, and where they begin. */
struct steps {
	uint64_t code[SNAKE_MOST + 1][LANES], equal[SNAKE_MOST + 1][LANES];
	v64 i, t;
};

/* Back over the n-th difference, from row i of diagonal t. */
INLINE void
step_back(const struct walk *a, unsigned n, struct steps *s,
	  const unsigned words)
{
	const v64 *far = a->far[n - 1];
	v64 to = slide_back(a, s->t, s->i, words), equal = s->i - to;
	v64 same = (v64)((s64)of_diagonal(far, s->t, 1) + 1 >= (s64)to);
	v64 skip = (v64)((s64)of_diagonal(far, s->t - 1, 1) >= (s64)to);
	v64 code = pick(same, vset(CIGAR_X),
			pick(skip, vset(CIGAR_D), vset(CIGAR_I)));

	memcpy(s->equal[n], &equal, VBYTES);
	memcpy(s->code[n], &code, VBYTES);
	s->i = to - ((same | ~skip) & 1);
	s->t += ~same & (skip | 1);
}

/* A lane's path. */
INLINE void
put_path(const struct walk *a, const struct steps *s, size_t l)
{
	struct kdiff_snakes *x = a->x;
	struct runs r = { .op = x->op[a->first + l] };

	for (unsigned n = x->d; n; n--)
		add_before(&r, (uint32_t)s->code[n][l],
			   (uint32_t)s->equal[n][l]);
	x->op[a->first + l] = add_first(&r, (uint32_t)s->i[l]);
	x->at[a->first + l] += s->t[l];
}

/* Back from row m of diagonal d. */
INLINE void
walk_back(const struct walk *a, const unsigned words)
{
	const struct kdiff_snakes *x = a->x;
	struct steps s[GROUPS];

	for (int g = 0; g < GROUPS; g++) {
		s[g].i = vset(x->m);
		s[g].t = vset(x->d);
	}
	for (unsigned n = x->d; n; n--)
		for (int g = 0; g < GROUPS && a[g].first < x->n; g++)
			step_back(a + g, n, &s[g], words);
	for (int g = 0; g < GROUPS; g++)
		for (size_t l = 0; l < LANES && a[g].first + l < x->n; l++)
			put_path(a + g, &s[g], l);
}
#else
/* y where x, else z: branches on what a path does would be foretold badly. */
INLINE uint64_t
either(bool x, uint64_t y, uint64_t z)
{
	uint64_t mask = (uint64_t)x - 1;

	return (y & ~mask) | (z & mask);
}

/* The last bit below bit i, i < 128, that is set, plus 1; 0: none. */
INLINE uint64_t
last_below(uint64_t x, uint64_t i)
{
#if defined(ISA_avx2)
	return 64 - _lzcnt_u64(_bzhi_u64(x, (unsigned)i));
#else
	x &= i < 64 ? (1ull << i) - 1 : ~0ull;
	return x ? 64 - (uint64_t)__builtin_clzll(x) : 0;
#endif
}

/* The last row before row i that differs, plus 1; 0: none. */
INLINE uint64_t
slide_back(const uint64_t *differ, uint64_t i, const unsigned words)
{
	uint64_t y = last_below(differ[0], i), z;

	if (words == 1)
		return y;
	z = last_below(differ[LANES], either((int64_t)i > 64, i - 64, 0));
	return either(z, 64 + z, y);
}

/* Lane l's path back from row m of diagonal d. */
INLINE void
walk_lane(const struct walk *a, size_t l, const unsigned words)
{
	struct kdiff_snakes *x = a->x;
	const uint64_t *far = (const uint64_t *)a->far[x->d - 1] + l;
	const uint64_t *differ = (const uint64_t *)a->differ + l;
	uint64_t i = x->m, t = x->d, to;
	struct runs r = { .op = x->op[a->first + l] };

	for (unsigned n = x->d; n; n--) {
		bool same, skip;

		to = slide_back(differ + t * SNAKE_WORDS * LANES, i, words);
		same = far[t * LANES] + 1 >= to;
		skip = !same & (far[t * LANES - LANES] >= to);
		add_before(&r, CIGAR_I + (CIGAR_D - CIGAR_I) * skip +
			   (CIGAR_X - CIGAR_I) * same, (uint32_t)(i - to));
		i = to - !skip;
		t += !same - 2 * (uint64_t)skip;
		far -= LANES * (2 * SNAKE_MOST + 1);
	}
	x->op[a->first + l] = add_first(&r, (uint32_t)i);
	x->at[a->first + l] += t;
}

INLINE void
walk_back(const struct walk *a, const unsigned words)
{
	for (int g = 0; g < GROUPS; g++)
		for (size_t l = 0; l < LANES && a[g].first + l < a->x->n; l++)
			walk_lane(a + g, l, words);
}
#endif

INLINE void
paths(struct walk *a, const unsigned words)
{
	for (size_t first = 0; first < a->x->n; first += GROUPS * LANES) {
		for (int g = 0; g < GROUPS; g++) {
			a[g].first = first + (size_t)g * LANES;
			if (a[g].first < a->x->n) {
				compare_rows(a + g, words);
				go_far(a + g, words);
			}
		}
		walk_back(a, words);
	}
}

void
KERN(kdiff_snakes)(struct kdiff_snakes *x)
{
	struct walk a[GROUPS];

	for (int g = 0; g < GROUPS; g++)
		a[g].x = x;
	if (x->m + x->d < 64)
		paths(a, 1);
	else
		paths(a, SNAKE_WORDS);
}
