/* SPDX-License-Identifier: MIT */
/*
 * primer_short_kern.c - kernels of primer_short.c and primer_seed.c: cores,
 * their hits, and letters beside pieces
 */

#include "primer/primer_short.h"
#include "primer/primer_vec.h"

/*
 * Where cores of letters occur, many at once
 *
 * A lane is a core, so that a letter of text is one row of a table for all of
 * them.  The test comes at every second column.  Let the path of an occurrence
 * with fewer than k differences enter row R - 1 at column p, with cost c < k.
 * If p is tested, D(R - 1, p) < k is seen.  Else p + 1 is.  The path goes on
 * 	to (R, p + 1): D(R, p + 1) < k is seen;
 * 	to (R - 1, p + 1): D(R - 1, p + 1) < k is seen;
 * 	to (R, p), one difference more: so c + 1 < k, and D(R - 1, p + 1), which
 * 	is at most c + 1, whatever the letter, is seen.
 * So the lesser of the last two rows will do, at every second column; behind
 * the last letter a symbol that matches nothing makes their number even.  With
 * three rows at every third column this fails: a letter deleted, then one that
 * matches, is out of the last row before the test.
 */

#if defined(ISA_avx512)
/*
 * The lesser of the last two rows: D of row R - 1, rises minus falls, with the
 * last row's fall, if it is one, and without its rise.
 */
INLINE v64
pair(int bits, struct column *c, v64 *d, v64 eq0, v64 eq1)
{
	__m512i upper = bits == 16 ? _mm512_set1_epi16(0x7fff) :
				     _mm512_set1_epi32(0x7fffffff);
	__m512i up, down;

	(void)d;
	advance(bits, c, eq0);
	advance(bits, c, eq1);
	up = _mm512_and_si512((__m512i)c->p, upper);
	down = (__m512i)c->m;
	if (bits == 16)
		return (v64)_mm512_sub_epi16(_mm512_popcnt_epi16(up),
					     _mm512_popcnt_epi16(down));
	return (v64)_mm512_sub_epi32(_mm512_popcnt_epi32(up),
				     _mm512_popcnt_epi32(down));
}

INLINE uint64_t
below(int bits, v64 a, v64 k)
{
	return bits == 16 ? _mm512_cmplt_epi16_mask((__m512i)a, (__m512i)k) :
			    _mm512_cmplt_epi32_mask((__m512i)a, (__m512i)k);
}

#else
/* D of the last row after a column, kept up from what changes it. */
INLINE v64
last_row(int bits, const struct column *c, v64 d)
{
	if (bits == 16)
		return (v64)((s16)d - ((s16)c->hp >> 15) +
			     ((s16)c->hm >> 15));
	return (v64)((s32)d - ((s32)c->hp >> 31) + ((s32)c->hm >> 31));
}

INLINE v64
pair(int bits, struct column *c, v64 *d, v64 eq0, v64 eq1)
{
	v64 was;

	advance(bits, c, eq0);
	was = last_row(bits, c, *d);
	advance(bits, c, eq1);
	*d = last_row(bits, c, was);
	return vmin(bits, was, *d);
}

INLINE uint64_t
below(int bits, v64 a, v64 k)
{
	v64 lt = bits == 16 ? (v64)((s16)a < (s16)k) : (v64)((s32)a < (s32)k);

#if defined(ISA_avx2)
	return _pext_u32((uint32_t)_mm256_movemask_epi8((__m256i)lt),
			 bits == 16 ? 0x55555555 : 0x11111111);
#elif defined(ISA_neon)
	if (bits == 32)
		return neon_mask32((uint32x4_t)lt);
	/* bit 8 l to bit 56 + l */
	lt[0] = vget_lane_u64((uint64x1_t)vmovn_u16((uint16x8_t)lt), 0);
	return (lt[0] & 0x0101010101010101) * 0x0102040810204080 >> 56;
#else
	lt[0] = le64(lt[0]);	/* the first lane's bits are the lowest */
	if (bits == 32)
		return (lt[0] & 1) | (lt[0] >> 32 & 1) << 1;
	/* bit 16 l to bit 48 + l; no two products meet */
	return (lt[0] & 0x0001000100010001) * 0x0001000200040008 >> 48 & 15;
#endif
}
#endif

INLINE void
scan(struct primer_cores *c, const int bits, const unsigned nv)
{
	const unsigned lanes = 8 * VBYTES / (unsigned)bits;
	const v64 k = bits == 16 ? (v64)((v16){ 0 } + (uint16_t)c->k) :
				   (v64)((v32){ 0 } + (uint32_t)c->k);
	struct column x[4];
	v64 d[4], now[4], min;
	uint64_t at = c->at;

#pragma GCC unroll 4
	for (unsigned v = 0; v < nv; v++) {
		x[v].p = vload(c->p + VBYTES * v);
		x[v].m = vload(c->m + VBYTES * v);
		d[v] = vload(c->d + VBYTES * v);
	}
	for (; at < c->n && c->n_hits < PRIMER_HITS; at += 2) {
		const uint8_t *eq0 = c->eq[c->text[at]];
		const uint8_t *eq1 = c->eq[at + 1 < c->n ? c->text[at + 1] : 0];

#pragma GCC unroll 4
		for (unsigned v = 0; v < nv; v++) {
			now[v] = pair(bits, &x[v], &d[v],
				      vload(eq0 + VBYTES * v),
				      vload(eq1 + VBYTES * v));
			min = v ? vmin(bits, min, now[v]) : now[v];
		}
		if (__builtin_expect(below(bits, min, k) != 0, 0)) {
			struct primer_core_hit *h = &c->hit[c->n_hits++];

			*h = (struct primer_core_hit){ .at = at + 2 };
#pragma GCC unroll 4
			for (unsigned v = 0; v < nv; v++)
				h->mask[lanes * v / 64] |=
					below(bits, now[v], k) <<
					lanes * v % 64;
		}
	}
	c->at = at;
#pragma GCC unroll 4
	for (unsigned v = 0; v < nv; v++) {
		vstore(c->p + VBYTES * v, x[v].p);
		vstore(c->m + VBYTES * v, x[v].m);
		vstore(c->d + VBYTES * v, d[v]);
	}
}

INLINE void
scan_vectors(struct primer_cores *c, const int bits)
{
	switch (c->n_vectors) {
	case 1: scan(c, bits, 1); break;
	case 2: scan(c, bits, 2); break;
	case 3: scan(c, bits, 3); break;
	default: scan(c, bits, 4);
	}
}

void
KERN(primer_cores)(struct primer_cores *c)
{
	if (c->bits == 16)
		scan_vectors(c, 16);
	else
		scan_vectors(c, 32);
}

/* Hits of cores: sieved by longer ones, then exact. */

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

/* Kernel that verifies the letters beside found pieces. */

enum { TESTS = VBYTES / 2 };

/* All ones where bit i of a lane is set. */
INLINE v64
near_spread(v64 x, unsigned i)
{
	return (v64)((s16)((v16)x << (15 - i)) >> 15);
}

/* D of the last row, from that of the row above the first, 0. */
INLINE v64
near_last(v64 p, v64 m)
{
#if defined(ISA_avx512)
	return (v64)_mm512_sub_epi16(_mm512_popcnt_epi16((__m512i)p),
				     _mm512_popcnt_epi16((__m512i)m));
#elif defined(ISA_neon)
	return (v64)vsubq_u16(vpaddlq_u8(vcntq_u8((vec)p)),
			      vpaddlq_u8(vcntq_u8((vec)m)));
#else
	v16 n[2] = { (v16)p, (v16)m };

	for (int i = 0; i < 2; i++) {
		n[i] -= n[i] >> 1 & 0x5555;
		n[i] = (n[i] & 0x3333) + (n[i] >> 2 & 0x3333);
		n[i] = (n[i] + (n[i] >> 4)) & 0x0f0f;
		n[i] = (n[i] + (n[i] >> 8)) & 0x1f;
	}
	return (v64)(n[0] - n[1]);
#endif
}

/* TESTS of side h, from the first on: all ones where one passes. */
INLINE v64
side(const struct primer_near *x, const int h, unsigned first)
{
	v64 a = vload(&x->bit[h][0][first]), b = vload(&x->bit[h][1][first]);
	v64 t = vload(&x->text[h][0][first]), u = vload(&x->text[h][1][first]);
	v64 w = vload(&x->wild[h][first]);
	v64 d = vset(0x7fff7fff7fff7fff);
	struct column c = { .p = ~w, .m = vset(0) };

#pragma GCC unroll 16
	for (unsigned i = 0; i < 16; i++) {
		unsigned at = h ? 15 - i : i;

		advance(16, &c, or_nor(w, a ^ near_spread(t, at),
				       b ^ near_spread(u, at)));
		if (i >= 13)
			d = vmin(16, d, near_last(c.p, c.m));
	}
	return (v64)((s16)d <= (s16)vload(&x->most[h][first]));
}

uint64_t
KERN(primer_near)(const struct primer_near *x)
{
	uint64_t pass = 0;

	for (unsigned first = 0; first < x->n; first += TESTS) {
		v64 some = side(x, 0, first) | side(x, 1, first);
		int16_t of[TESTS];

		if (!any8(some))
			continue;
		vstore(of, some);
		for (unsigned i = 0; i < TESTS; i++)
			pass |= (uint64_t)(of[i] & 1) << (first + i);
	}
	return pass;
}
