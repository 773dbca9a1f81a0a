/* SPDX-License-Identifier: MIT */
/* primer_leaf_kern.c - hits of cores: sieved by longer ones, then exact */

#include "primer/primer_short.h"
#include "primer/primer_vec.h"

enum { HITS = VBYTES / 4, MAX_V = PRIMER_STARTS / LANES };

/* Bit i: letter i has this bit. */
INLINE uint64_t
plane(const uint8_t *s, uint64_t bit)
{
	uint64_t x = 0;

	for (int i = 0; i < PRIMER_WINDOW / VBYTES; i++)
		x |= (zero8(vload(s + VBYTES * i) & vset(bit)) &
		      (~0ull >> (64 - VBYTES))) << (VBYTES * i % 64);
	return ~x;
}

/* Is there a letter that is not of class 1 to 4? */
INLINE bool
strange(const uint8_t *s)
{
	v64 x = vset(0);

	for (int i = 0; i < PRIMER_WINDOW / VBYTES; i++)
		x |= sub8(vload(s + VBYTES * i), vset(0x0101010101010101));
	return any8(x & vset(0xfcfcfcfcfcfcfcfc));
}

/* What the sieve holds, hit by hit. */
struct sieve {
	uint32_t text[2][2][PRIMER_SIEVED];	/* bit, letters 0-31 and on */
	uint32_t bit[2][2][PRIMER_SIEVED];	/* half, bit */
	uint32_t wild[2][PRIMER_SIEVED];
};

INLINE uint32_t
fill(const struct primer_sieve *s, struct sieve *x)
{
	uint32_t pass = 0;

	memset(x, 0, sizeof *x);
	for (unsigned i = 0; i < s->n; i++) {
		uint64_t a = plane(s->text[i], 0x0101010101010101);
		uint64_t b = plane(s->text[i], 0x0202020202020202);

		x->text[0][0][i] = (uint32_t)a;
		x->text[0][1][i] = (uint32_t)(a >> 32);
		x->text[1][0][i] = (uint32_t)b;
		x->text[1][1][i] = (uint32_t)(b >> 32);
		for (int h = 0; h < 2; h++) {
			x->bit[h][0][i] = s->half[i][h].bit[0];
			x->bit[h][1][i] = s->half[i][h].bit[1];
			x->wild[h][i] = s->half[i][h].wild;
		}
		pass |= (uint32_t)strange(s->text[i]) << i;
	}
	return pass;
}

/* All ones where bit i of a lane is set. */
INLINE v64
spread(v64 x, unsigned i)
{
	return (v64)((s32)((v32)x << (31 - i)) >> 31);
}

/* The least D of the last row of HITS halves from the first on, over all
 * columns. */
INLINE void
sieve(const struct sieve *x, unsigned first, unsigned columns,
      int32_t *to)
{
	struct column c[2];
	v64 a[2], b[2], w[2], d[2], min[2];

	for (int h = 0; h < 2; h++) {
		a[h] = vload(&x->bit[h][0][first]);
		b[h] = vload(&x->bit[h][1][first]);
		w[h] = vload(&x->wild[h][first]);
		c[h].p = ~w[h];
		c[h].m = vset(0);
		min[h] = vset(0x7fffffff7fffffff);
	}
	for (int i = 0; i < HITS; i++)
		for (int h = 0; h < 2; h++)
			to[h * HITS + i] = __builtin_popcount(
			    ~x->wild[h][first + (unsigned)i]);
	d[0] = vload(to);
	d[1] = vload(to + HITS);
	for (unsigned i = 0; i < columns; i++) {
		v64 t = spread(vload(&x->text[0][i / 32][first]), i % 32);
		v64 u = spread(vload(&x->text[1][i / 32][first]), i % 32);

#pragma GCC unroll 2
		for (int h = 0; h < 2; h++) {
			advance(32, &c[h], or_nor(w[h], a[h] ^ t, b[h] ^ u));
			d[h] = (v64)((s32)d[h] - ((s32)c[h].hp >> 31) +
				     ((s32)c[h].hm >> 31));
			min[h] = vmin(32, min[h], d[h]);
		}
	}
	vstore(to, vmin(32, min[0], min[1]));
}

uint32_t
KERN(primer_sieve)(const struct primer_sieve *s)
{
	struct sieve x;
	int32_t d[2 * HITS];
	uint32_t pass = fill(s, &x);

	for (unsigned first = 0; first < s->n; first += HITS) {
		sieve(&x, first, s->columns, d);
		for (unsigned i = 0; i < HITS && first + i < s->n; i++)
			pass |= (uint32_t)(d[i] < s->k) << (first + i);
	}
	return pass;
}

/* Of start l, which letters each symbol matches: bits from l on of those from
 * the block's first. */
INLINE void
match(struct primer_leaf *x)
{
	uint64_t eq[PRIMER_SYMBOLS][2];

	memset(eq, 0, sizeof eq);
	for (unsigned c = 1; c <= x->n_classes; c++)
		for (int i = 0; i < 2; i++)
			eq[c][i] = equal64(x->code + 64 * i, (uint8_t)c);
	for (unsigned s = x->n_classes + 1; x->holds && s < x->n_symbols; s++)
		for (unsigned c = 1; c <= x->n_classes; c++)
			if (x->holds[s] >> (c - 1) & 1) {
				eq[s][0] |= eq[c][0];
				eq[s][1] |= eq[c][1];
			}
	for (unsigned s = 0; s < x->n_symbols; s++)
		for (unsigned l = 0; l < PRIMER_STARTS; l++)
			x->eq[s][l] = eq[s][0] >> l |
				      eq[s][1] << 1 << (63 - l);
}

INLINE int64_t
rises(const struct primer_leaf *x, unsigned l)
{
	return __builtin_popcountll(x->p[l] & x->mask[l]) -
	       __builtin_popcountll(x->m[l] & x->mask[l]);
}

/* Rows of start l are looked at, if any. */
INLINE void
look(struct primer_leaf *x, unsigned l, int k)
{
	bool in = x->rows[l] && x->rows[l] <= x->most[l];

	x->mask[l] = in ? ~0ull >> (64 - x->rows[l]) : 0;
	x->k[l] = in ? k : -1;
	x->d[l] = in ? rises(x, l) : 64;
}

/* Where to read to for start l. */
INLINE uint64_t
reach(const struct primer_leaf *x, unsigned l)
{
	int64_t to = x->right + (int64_t)(l + x->rows[l]);

	return to < 0 ? 0 : (uint64_t)to < x->n ? (uint64_t)to : x->n;
}

/* Starts whose rows looked at are below k, a bit each. */
#if defined(ISA_avx512)
INLINE uint32_t
test(const struct column *c, v64 *d, const struct primer_leaf *x, int v)
{
	__m512i mask = (__m512i)vload(x->mask + LANES * v);
	__m512i up = _mm512_popcnt_epi64(_mm512_and_si512((__m512i)c->p, mask));
	__m512i down = _mm512_popcnt_epi64(_mm512_and_si512((__m512i)c->m,
							    mask));

	(void)d;
	return _mm512_cmplt_epi64_mask(_mm512_sub_epi64(up, down),
				       (__m512i)vload(x->k + LANES * v));
}
#else
INLINE uint32_t
test(const struct column *c, v64 *d, const struct primer_leaf *x, int v)
{
	v64 mask = vload(x->mask + LANES * v), last = mask & ~(mask >> 1), lt;
	v64 fell = (v64)((c->hm & last) == last);
	v64 rose = (v64)((c->hp & last) == last);
	uint64_t some[LANES];
	uint32_t seen = 0;

	*d = *d + fell - rose;
	lt = (v64)((s64)*d < (s64)vload(x->k + LANES * v));
	if (!any8(lt))
		return 0;
	memcpy(some, &lt, VBYTES);
	for (int l = 0; l < LANES; l++)
		seen |= (uint32_t)(some[l] & 1) << l;
	return seen;
}
#endif

/* The columns, by so many vectors. */
INLINE void
run(struct primer_leaf *x, int k, const int nv)
{
	struct column c[MAX_V];
	v64 d[MAX_V];
	uint64_t p = x->from, to = 0;

	for (unsigned l = 0; l < PRIMER_STARTS; l++)
		if (x->mask[l] && reach(x, l) > to)
			to = reach(x, l);
	for (int v = 0; v < nv; v++) {
		c[v].p = vset(~0ull);
		c[v].m = vset(0);
		d[v] = vload(x->d + LANES * v);
	}
	for (; p < to; p++) {
		const uint64_t *eq = x->eq[x->text[p]];
		uint32_t seen = 0;

#pragma GCC unroll 4
		for (int v = 0; v < nv; v++) {
			advance(64, &c[v], vload(eq + LANES * v));
			seen |= test(&c[v], &d[v], x, v) << LANES * v;
		}
		if (__builtin_expect(seen == 0, 1))
			continue;
		for (int v = 0; v < nv; v++) {
			vstore(x->p + LANES * v, c[v].p);
			vstore(x->m + LANES * v, c[v].m);
			vstore(x->d + LANES * v, d[v]);
		}
		for (; seen; seen &= seen - 1) {
			unsigned l = (unsigned)__builtin_ctz(seen);

			do {
				x->rows[l]++;
				look(x, l, k);
			} while (x->d[l] < x->k[l]);
			if (reach(x, l) > to)
				to = reach(x, l);
		}
		for (int v = 0; v < nv; v++)
			d[v] = vload(x->d + LANES * v);
	}
	x->columns = p > x->from ? p - x->from : 0;
}

void
KERN(primer_leaf)(struct primer_leaf *x, int k)
{
	match(x);
	for (unsigned l = 0; l < PRIMER_STARTS; l++) {
		x->p[l] = ~0ull;
		x->m[l] = 0;
		look(x, l, k);
	}
	if (x->n_starts <= PRIMER_STARTS / 2)
		run(x, k, MAX_V / 2);
	else
		run(x, k, MAX_V);
}
