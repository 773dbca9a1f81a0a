/* SPDX-License-Identifier: MIT */
/*
 * primer_blocks_kern.c - kernels of primer_blocks.c: rows of starts, and how
 * far they reach
 */

#include "base/base.h"
#include "primer/primer_blocks.h"
#include "primer/primer_vec.h"

/* A column of Myers' matrix, 64 or 32 rows in each lane. */

/* Rows of a word of scans, which have no use for more at once: twice the
 * lanes, and words to the nearest 32 rows. */
#if VBYTES >= 16
enum { ROWS = 32 };
#else
enum { ROWS = 64 };
#endif

/* Bytes of what a word of a scan matches, where it is not read from memory. */
enum { TABLE = VBYTES < 32 ? 32 : VBYTES };

/* A letter of text in each lane, as what a word's matches are found by. */
struct primer_letter {
	v64 at, some;
};

/* What the words of a column hand down: horizontal differences. */
struct primer_carry {
	v64 up, down;	/* in each lane's top bit */
};

#if defined(ISA_avx512)
static inline struct primer_letter
primer_letter(int bits, const uint8_t *s, enum primer_eq how)
{
	(void)how;
	return (struct primer_letter){
		.at = bits == 32 ?
		    (v64)_mm512_cvtepu8_epi32(_mm_loadu_si128((void *)s)) :
		    (v64)_mm512_cvtepu8_epi64(_mm_loadl_epi64((void *)s)),
	};
}

static inline v64
primer_matches_of(int bits, const void *eq, struct primer_letter c,
		  enum primer_eq how)
{
	__m512i at = (__m512i)c.at;

	if (bits == 32)
		return how == PRIMER_EQ_LOAD ?
		    (v64)_mm512_i32gather_epi32(at, eq, 4) :
		    (v64)_mm512_permutexvar_epi32(at, _mm512_loadu_si512(eq));
	if (how == PRIMER_EQ_8)
		return (v64)_mm512_permutexvar_epi64(at,
		    _mm512_loadu_si512(eq));
	if (how == PRIMER_EQ_16)
		return (v64)_mm512_permutex2var_epi64(_mm512_loadu_si512(eq),
		    at, _mm512_loadu_si512((const uint64_t *)eq + 8));
	return (v64)_mm512_i64gather_epi64(at, eq, 8);
}

/* Bit l: lane l is negative. */
static inline uint32_t
primer_negative(int bits, v64 x)
{
	return bits == 32 ? (uint32_t)_mm512_movepi32_mask((__m512i)x) :
			    (uint32_t)_mm512_movepi64_mask((__m512i)x);
}

/* x << 1 with the top bit of prev coming in */
static inline v64
primer_shl1(int bits, v64 x, v64 prev)
{
	return bits == 32 ? (v64)_mm512_shldi_epi32((__m512i)x, (__m512i)prev,
						    1) : shl1(x, prev);
}

/* D of the row that is marked in each lane, in the column after. */
static inline v64
primer_score(v64 d, const struct primer_carry *h, v64 mark)
{
	__m512i x = (__m512i)d, one = _mm512_set1_epi32(1);
	__mmask16 up = _mm512_test_epi32_mask((__m512i)h->up, (__m512i)mark);
	__mmask16 down = _mm512_test_epi32_mask((__m512i)h->down,
						(__m512i)mark);

	x = _mm512_mask_add_epi32(x, up, x, one);
	return (v64)_mm512_mask_sub_epi32(x, down, x, one);
}

#elif defined(ISA_avx2)
/* Of 64 bits, symbols 1 to 4 are halves 2 s - 2 and 2 s - 1 of a word's
 * matches; 0 has none. */
static inline struct primer_letter
primer_letter(int bits, const uint8_t *s, enum primer_eq how)
{
	int32_t four;
	v64 at;

	if (bits == 32)
		return (struct primer_letter){
			.at = (v64)_mm256_cvtepu8_epi32(
			    _mm_loadl_epi64((void *)s)),
		};
	memcpy(&four, s, sizeof four);
	at = (v64)_mm256_cvtepu8_epi64(_mm_cvtsi32_si128(four));
	if (how == PRIMER_EQ_8)
		return (struct primer_letter){
			.at = (at * 2 - 2) * 0x100000001 + 0x100000000,
			.some = (v64)(at != 0),
		};
	return (struct primer_letter){ .at = at };
}

static inline v64
primer_matches_of(int bits, const void *eq, struct primer_letter c,
		  enum primer_eq how)
{
	__m256i at = (__m256i)c.at;

	if (bits == 32)
		return how == PRIMER_EQ_LOAD ?
		    (v64)_mm256_i32gather_epi32(eq, at, 4) :
		    (v64)_mm256_permutevar8x32_epi32(
			_mm256_loadu_si256(eq), at);
	if (how == PRIMER_EQ_8)
		return (v64)_mm256_permutevar8x32_epi32(
		    _mm256_loadu_si256((void *)((const uint64_t *)eq + 1)),
		    at) & c.some;
	return (v64)_mm256_i64gather_epi64(eq, at, 8);
}

static inline uint32_t
primer_negative(int bits, v64 x)
{
	return bits == 32 ? (uint32_t)_mm256_movemask_ps((__m256)x) :
			    (uint32_t)_mm256_movemask_pd((__m256d)x);
}

#elif defined(ISA_neon)
/* Tables of 8 words of matches are looked up by bytes. */
static inline struct primer_letter
primer_letter(int bits, const uint8_t *s, enum primer_eq how)
{
	const vec twice = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1 };
	const v64 bytes = vset(0x0706050403020100);
	uint16_t two;

	if (bits == 32) {
		v32 at = neon_widen4(s);

		if (how != PRIMER_EQ_LOAD)
			at = at * 0x04040404 + 0x03020100;
		return (struct primer_letter){ .at = (v64)at };
	}
	memcpy(&two, s, sizeof two);
	if (how != PRIMER_EQ_8)
		return (struct primer_letter){ .at = { s[0], s[1] } };
	return (struct primer_letter){
		.at = (v64)vshlq_n_u8(vqtbl1q_u8((vec)vset(two), twice), 3) |
		      bytes,
	};
}

static inline v64
primer_matches_of(int bits, const void *eq, struct primer_letter c,
		  enum primer_eq how)
{
	const uint32_t *word = eq;
	v32 at = (v32)c.at;

	if (bits == 64 && how == PRIMER_EQ_8)
		return (v64)vqtbl4q_u8(vld1q_u8_x4(eq), (vec)c.at);
	if (bits == 64)
		return (v64){ ((const uint64_t *)eq)[c.at[0]],
			      ((const uint64_t *)eq)[c.at[1]] };
	if (how == PRIMER_EQ_8)
		return (v64)vqtbl2q_u8(vld1q_u8_x2(eq), (vec)c.at);
	return (v64)(v32){ word[at[0]], word[at[1]], word[at[2]],
			   word[at[3]] };
}

static inline uint32_t
primer_negative(int bits, v64 x)
{
	return bits == 32 ? neon_mask32((v32)((int32x4_t)x < 0)) :
			    (uint32_t)(x[0] >> 63 | x[1] >> 63 << 1);
}

#else
static inline struct primer_letter
primer_letter(int bits, const uint8_t *s, enum primer_eq how)
{
	struct primer_letter c = { .at = { 0 } };

	(void)bits;
	(void)how;
	for (int l = 0; l < LANES; l++)
		c.at[l] = s[l];
	return c;
}

static inline v64
primer_matches_of(int bits, const uint64_t *eq, struct primer_letter c,
		  enum primer_eq how)
{
	v64 x = { 0 };

	(void)bits;
	(void)how;
	for (int l = 0; l < LANES; l++)
		x[l] = eq[c.at[l]];
	return x;
}

static inline uint32_t
primer_negative(int bits, v64 x)
{
	uint32_t mask = 0;

	(void)bits;
	for (int l = 0; l < LANES; l++)
		mask |= (uint32_t)(x[l] >> 63) << l;
	return mask;
}
#endif

#if !defined(ISA_avx512)
static inline v64
primer_shl1(int bits, v64 x, v64 prev)
{
	return bits == 32 ? (v64)((v32)x + (v32)x) | (v64)((v32)prev >> 31) :
			    shl1(x, prev);
}

/* Without a mark both are equal, which is no change. */
static inline v64
primer_score(v64 d, const struct primer_carry *h, v64 mark)
{
#if VBYTES >= 16
	v32 up = (v32)((v32)(h->up & mark) == (v32)mark);
	v32 down = (v32)((v32)(h->down & mark) == (v32)mark);

	return (v64)((v32)d - up + down);
#else
	return d - (v64)((h->up & mark) != 0) + (v64)((h->down & mark) != 0);
#endif
}
#endif

/*
 * A word of rows, by one column: of its vertical differences, level has the
 * rows that are not one more than the one above, m those that are one less.
 * So Hyyro's formulas need no complement: with p = ~level,
 *	d = (((e & p) + p) ^ p) | e = ((level - (e & p)) ^ level) | e
 * as ~(x + p) = level - x.  h is left unshifted, for scores.
 */
static inline void
primer_word(int bits, v64 eq, v64 *level, v64 *m, struct primer_carry *h)
{
	v64 lv = *level, mv = *m, e, d, up, down, us, ds;

	e = or3(eq, mv, bits == 32 ? (v64)((v32)h->down >> 31) :
				     h->down >> 63);
	d = xor_or(vsub(bits, lv, ~lv & e), lv, e);
	up = or_andn(mv, d, lv);
	down = ~lv & d;
	us = primer_shl1(bits, up, h->up);
	ds = primer_shl1(bits, down, h->down);
	*level = andn_or(ds, d, us);
	*m = us & d;
	h->up = up;
	h->down = down;
}

enum {
	MAX_WORDS = 12,	/* of a core, that are written out */
	/* Vectors of lanes that are as many as those of a reach's. */
	CLOSE_CHAINS = ROWS == 32 ? 1 : 2,
};

/* What a column hands down and holds, of each chain. */
struct chains {
	v64 above[PRIMER_CHAINS], next[PRIMER_CHAINS], mark[PRIMER_CHAINS];
	struct primer_letter c[PRIMER_CHAINS];
	struct primer_carry h[PRIMER_CHAINS];
};

/* A column of `words` words, n chains of them. */
INLINE void
column(const struct primer_scan *s, struct chains *a, v64 *level, v64 *m,
       const uint8_t *c, const uint64_t words, const int n, enum primer_eq how)
{
	uint64_t stride = how == PRIMER_EQ_LOAD ? s->pat.as.stride * ROWS / 8 :
						  TABLE;
	const uint8_t *eq = s->pat.eq;

#pragma GCC unroll 2
	for (int i = 0; i < n; i++) {
		a->c[i] = primer_letter(ROWS, c + i * VBYTES * 8 / ROWS, how);
		a->h[i] = (struct primer_carry){ { 0 }, { 0 } };
	}
#pragma GCC unroll 16
	for (uint64_t w = 0; w < words; w++)
#pragma GCC unroll 2
		for (int i = 0; i < n; i++, level++, m++)
			primer_word(ROWS, primer_matches_of(ROWS,
				    (const void *)(eq + w * stride), a->c[i],
				    how), level, m, &a->h[i]);
}

/* How many bits each lane has. */
static inline v64
ones(v64 x)
{
	x = pop8(x);
	return ROWS == 32 ? (v64)((v32)x * 0x01010101 >> 24) :
			    x * 0x0101010101010101 >> 56;
}

INLINE v64
all(uint64_t x)
{
	return ROWS == 32 ? (v64)((v32){ 0 } + (uint32_t)x) : vset(x);
}

/* D of the core less what is found, from words of which the last is new.  One
 * word alone has no wild rows. */
INLINE void
begin(const struct primer_scan *s, struct chains *a, const v64 *level,
      const v64 *m, const uint64_t words, const int n)
{
	uint64_t rows = s->core - ROWS * (words - 1);

#pragma GCC unroll 2
	for (int i = 0; i < n; i++) {
		a->above[i] = all(rows - s->limit - 1);
		a->next[i] = a->mark[i] = vset(0);
	}
	for (uint64_t w = 0; w + 1 < words; w++)
#pragma GCC unroll 2
		for (int i = 0; i < n; i++, level++, m++) {
			v64 fewer = vsub(ROWS, ones(*m), ones(~*level));

			a->above[i] = vsub(ROWS, a->above[i], fewer);
		}
}

/* What a column holds, to those that look closer, and what they watch. */
INLINE void
look(struct primer_scan *s, struct chains *a, const v64 *level, const v64 *m,
     uint64_t t, const int n)
{
	const int lanes = VBYTES * 8 / ROWS;
	uint32_t low = 0;

#pragma GCC unroll 2
	for (int i = 0; i < n; i++) {
		memcpy(s->above.x + i * VBYTES, &a->above[i], VBYTES);
		memcpy(s->next.x + i * VBYTES, &a->next[i], VBYTES);
		memcpy(s->last_level.x + i * VBYTES, &level[i], VBYTES);
		memcpy(s->last_m.x + i * VBYTES, &m[i], VBYTES);
		low |= primer_negative(ROWS, a->above[i] | a->next[i]) <<
			i * lanes;
	}
	primer_found(s, t, low);
#pragma GCC unroll 2
	for (int i = 0; i < n; i++) {
		memcpy(&a->above[i], s->above.x + i * VBYTES, VBYTES);
		memcpy(&a->next[i], s->next.x + i * VBYTES, VBYTES);
		memcpy(&a->mark[i], s->mark.x + i * VBYTES, VBYTES);
	}
}

/* Row i is i before the first column, if not wild. */
INLINE void
wild(const struct primer_scan *s, v64 *level, const int n)
{
	for (int i = 0; i < n; i++)
		level[i] = all((1ull << s->pat.wild) - 1);
}

/* The columns from t on, with all words. */
INLINE void
scan(struct primer_scan *s, v64 *level, v64 *m, uint64_t t,
     const uint64_t words, const int n, enum primer_eq how)
{
	const uint64_t last = (words - 1) * (uint64_t)n, columns = s->columns;
	const uint64_t pieces = (uint64_t)n * VBYTES * 8 / ROWS, own = s->own;
	const uint8_t *c = s->text + t * pieces;
	const v64 top = all(1ull << ((s->core - 1) % ROWS));
	uint64_t until = s->first_until;
	struct chains a;

	s->steps += (columns - t) * words * (uint64_t)n;
	begin(s, &a, level, m, words, n);
	for (; t < columns; t++, c += pieces) {
		v64 some = vset(0);

		column(s, &a, level, m, c, words, n, how);
#pragma GCC unroll 2
		for (int i = 0; i < n; i++) {
			a.above[i] = primer_score(a.above[i], &a.h[i], top);
			a.next[i] = primer_score(a.next[i], &a.h[i], a.mark[i]);
			some = or3(some, a.above[i], a.next[i]);
		}
		if (__builtin_expect((primer_negative(ROWS, some) &&
				      t >= own) || t >= until, 0)) {
			look(s, &a, level + last, m + last, t, n);
			until = s->first_until;
		}
	}
}

/*
 * The first columns, with as many words as have rows not beyond the column;
 * each row of a new one is one more than the one above, which is what deleting
 * its letter costs.  Returns how many columns.
 */
INLINE uint64_t
grow(struct primer_scan *s, v64 *level, v64 *m, const int n,
     enum primer_eq how)
{
	const uint64_t pieces = (uint64_t)n * VBYTES * 8 / ROWS;
	uint64_t t = 0;
	struct chains a;

	for (uint64_t words = 1; words < s->pat.words; words++) {
		uint64_t end = min_u64(words * ROWS - s->pat.wild, s->columns);

		s->steps += (end - t) * words * (uint64_t)n;
		for (; t < end; t++)
			column(s, &a, level, m, s->text + t * pieces, words, n,
			       how);
	}
	return t;
}

#define WRITTEN_OUT(words)						\
	static __attribute__((noinline)) void				\
	scan_##words(struct primer_scan *s)				\
	{								\
		v64 level[PRIMER_CHAINS * words] = { { 0 } };		\
		v64 m[PRIMER_CHAINS * words] = { { 0 } };		\
									\
		wild(s, level, PRIMER_CHAINS);				\
		scan(s, level, m, 0, words, PRIMER_CHAINS,		\
		     PRIMER_EQ_8);					\
	}
WRITTEN_OUT(1) WRITTEN_OUT(2) WRITTEN_OUT(3) WRITTEN_OUT(4)
WRITTEN_OUT(5) WRITTEN_OUT(6) WRITTEN_OUT(7) WRITTEN_OUT(8)
WRITTEN_OUT(9) WRITTEN_OUT(10) WRITTEN_OUT(11) WRITTEN_OUT(12)

static __attribute__((noinline)) void
in_memory(struct primer_scan *s)
{
	uint64_t words = s->pat.words, all = PRIMER_CHAINS * words;
	v64 *level = s->state, *m = level + all;

	memset(s->state, 0, 2 * all * sizeof *level);
	wild(s, level, PRIMER_CHAINS);
	if (s->pat.as.how == PRIMER_EQ_LOAD)
		scan(s, level, m, 0, words, PRIMER_CHAINS, PRIMER_EQ_LOAD);
	else
		scan(s, level, m, 0, words, PRIMER_CHAINS, PRIMER_EQ_8);
}

static __attribute__((noinline)) void
close_by(struct primer_scan *s)
{
	uint64_t words = s->pat.words, all = CLOSE_CHAINS * words, t;
	v64 *level = s->state, *m = level + all;

	memset(s->state, 0, 2 * all * sizeof *level);
	wild(s, level, CLOSE_CHAINS);
	if (s->pat.as.how == PRIMER_EQ_LOAD) {
		t = grow(s, level, m, CLOSE_CHAINS, PRIMER_EQ_LOAD);
		scan(s, level, m, t, words, CLOSE_CHAINS, PRIMER_EQ_LOAD);
	} else {
		t = grow(s, level, m, CLOSE_CHAINS, PRIMER_EQ_8);
		scan(s, level, m, t, words, CLOSE_CHAINS, PRIMER_EQ_8);
	}
}

void
KERN(primer_scan)(struct primer_scan *s)
{
	static primer_scan_fn *const of_words[] = {
		in_memory, scan_1, scan_2, scan_3, scan_4, scan_5, scan_6,
		scan_7, scan_8, scan_9, scan_10, scan_11, scan_12,
	};
	bool few = s->pat.as.how != PRIMER_EQ_LOAD &&
		   s->pat.words <= MAX_WORDS;

	s->steps = 0;
	if (s->close)
		close_by(s);
	else
		of_words[few ? s->pat.words : 0](s);
}

/*
 * How far patterns reach, each lane in its own text, and
 * texts and patterns as they are read here
 */

INLINE v64 *
level(struct primer_reach *r)
{
	return r->state;
}

/* Each word is of two vectors: side by side, they need not wait for what they
 * hand on. */
static inline v64 *
mv(struct primer_reach *r)
{
	return level(r) + PRIMER_CHAINS * r->pat.words;
}

static inline v64 *
mark(struct primer_reach *r)
{
	return mv(r) + PRIMER_CHAINS * r->pat.words;
}

static inline void
load(v64 to[PRIMER_CHAINS], const uint64_t *x)
{
	memcpy(to, x, PRIMER_CHAINS * sizeof *to);
}

/* A word more below, of rows not yet looked at: each is one more than the one
 * above, which is what deleting its letter costs. */
static void
deepen(struct primer_reach *r, uint64_t w)
{
	for (unsigned l = 0; l < r->lanes; l++) {
		uint64_t wild = r->wild && w == 0 ? l : 0;
		uint64_t at = w * r->lanes + l;

		((uint64_t *)level(r))[at] = (1ull << wild) - 1;
		((uint64_t *)mv(r))[at] = 0;
		((uint64_t *)mark(r))[at] = 0;
		r->bottom[l] += 64 - wild;
	}
	r->last = w;
}

struct reach_column {
	v64 bottom[PRIMER_CHAINS], above[PRIMER_CHAINS], wild[PRIMER_CHAINS];
	v64 up[PRIMER_CHAINS], down[PRIMER_CHAINS];
	struct primer_letter c[PRIMER_CHAINS];
	struct primer_carry h[PRIMER_CHAINS];
};

INLINE void
words(struct primer_reach *r, struct reach_column *x, uint64_t from,
      uint64_t to, enum primer_eq how, bool marks)
{
	const uint64_t stride = r->pat.as.stride;
	const uint64_t *eq = (const uint64_t *)r->pat.eq + from * stride;
	v64 *lv = level(r) + PRIMER_CHAINS * from;
	v64 *m = mv(r) + PRIMER_CHAINS * from;
	v64 *at = mark(r) + PRIMER_CHAINS * from;

	for (uint64_t w = from; w < to; w++, eq += stride)
#pragma GCC unroll 2
		for (int i = 0; i < PRIMER_CHAINS; i++, lv++, m++, at++) {
			v64 e = primer_matches_of(64, eq, x->c[i], how);

			if (w == 0)
				e |= x->wild[i];
			primer_word(64, e, lv, m, &x->h[i]);
			if (marks) {
				x->up[i] |= x->h[i].up & *at;
				x->down[i] |= x->h[i].down & *at;
			}
		}
}

/* Scores of a column; true: a marked row is within the limit. */
INLINE bool
scores(struct reach_column *x)
{
	uint32_t low = 0;

#pragma GCC unroll 2
	for (int i = 0; i < PRIMER_CHAINS; i++) {
		x->above[i] -= (v64)(x->up[i] != 0);
		x->above[i] += (v64)(x->down[i] != 0);
		x->bottom[i] += (x->h[i].up >> 63) - (x->h[i].down >> 63);
		low |= primer_negative(64, x->above[i]);
	}
	return low;
}

INLINE void
wildcards(const struct primer_reach *r, struct reach_column *x)
{
	for (int i = 0; i < PRIMER_CHAINS; i++) {
		x->wild[i] = vset(0);
		for (int l = 0; r->wild && r->first == 0 && l < LANES; l++)
			x->wild[i][l] = (1ull << (i * LANES + l)) - 1;
	}
}

/* Columns [t, end), until a marked row is within the limit. */
INLINE uint64_t
columns(struct primer_reach *r, uint64_t t, uint64_t end, enum primer_eq how)
{
	const uint64_t last = r->last + 1, first = r->first;
	const uint64_t a = min_u64(r->mark_first, last);
	const uint64_t b = min_u64(r->mark_last + 1, last);
	const uint8_t *c = r->text + t * PRIMER_CHAINS * LANES;
	v64 edge = vset(first ? ~0ull : 0);
	bool low = false;
	struct reach_column x;

	load(x.bottom, r->bottom);
	load(x.above, r->above);
	wildcards(r, &x);
	for (; t < end && !low; t++) {
#pragma GCC unroll 2
		for (int i = 0; i < PRIMER_CHAINS; i++, c += LANES) {
			x.c[i] = primer_letter(64, c, how);
			x.h[i] = (struct primer_carry){ edge, { 0 } };
			x.up[i] = x.down[i] = vset(0);
		}
		words(r, &x, first, a, how, false);
		words(r, &x, a, b, how, true);
		words(r, &x, b, last, how, false);
		low = scores(&x);
	}
	memcpy(r->bottom, x.bottom, sizeof x.bottom);
	memcpy(r->above, x.above, sizeof x.above);
	return t;
}

static uint64_t
some_columns(struct primer_reach *r, uint64_t t, uint64_t end)
{
	if (r->pat.as.how == PRIMER_EQ_8)
		return columns(r, t, end, PRIMER_EQ_8);
	if (r->pat.as.how == PRIMER_EQ_16)
		return columns(r, t, end, PRIMER_EQ_16);
	return columns(r, t, end, PRIMER_EQ_LOAD);
}

/*
 * Rows of lanes that are looked at, and what was found there.  Word w of lane l
 * is the (w * lanes + l)-th.  Rows that are not in `level` are one more than
 * the one above, those in m one less.
 */

/* D of a row (from 0) of lane l, from the bottom up. */
static uint64_t
row_value(struct primer_reach *r, unsigned l, uint64_t row)
{
	const uint64_t *lv = (uint64_t *)level(r) + l;
	const uint64_t *m = (uint64_t *)mv(r) + l;
	uint64_t d = r->bottom[l], rows = ~0ull;

	for (uint64_t w = r->last + 1; w-- > row / 64;) {
		uint64_t at = w * r->lanes;

		if (w == row / 64)
			rows = ~1ull << (row & 63);
		d -= (uint64_t)__builtin_popcountll(~lv[at] & rows);
		d += (uint64_t)__builtin_popcountll(m[at] & rows);
	}
	return d;
}

/* Down a column while D is within the limit; true: the next row is marked. */
static bool
walk_up(struct primer_reach *r, unsigned l)
{
	const uint64_t *lv = (uint64_t *)level(r) + l;
	const uint64_t *m = (uint64_t *)mv(r) + l;
	uint64_t row = r->row[l] - 1, d;

	if (r->row[l] > r->most[l] || row / 64 < r->first ||
	    row / 64 > r->last)
		return false;
	d = row_value(r, l, row);
	while (d <= r->limit) {
		row = r->row[l]++;
		if (row >= r->most[l] || row / 64 > r->last)
			return false;
		d += ~lv[row / 64 * r->lanes] >> (row & 63) & 1;
		d -= m[row / 64 * r->lanes] >> (row & 63) & 1;
	}
	r->above[l] = d - r->limit - 1;
	((uint64_t *)mark(r))[row / 64 * r->lanes + l] = 1ull << (row & 63);
	r->mark_first = min_u64(r->mark_first, row / 64);
	r->mark_last = max_u64(r->mark_last, row / 64);
	return true;
}

/* Marks of all lanes anew, walking down where D is at most the limit; false: no
 * lane has any. */
static bool
mark_rows(struct primer_reach *r)
{
	bool some = false, later = false, one = false;

	for (uint64_t w = r->mark_first; w <= r->mark_last; w++)
		memset(mark(r) + PRIMER_CHAINS * w, 0, PRIMER_CHAINS * VBYTES);
	r->mark_first = UINT64_MAX;
	r->mark_last = 0;
	for (unsigned l = 0; l < r->lanes; l++) {
		r->above[l] = 1ull << 62;
		if (walk_up(r, l))
			some = true;
		else if (r->row[l] > r->most[l])
			one = true;
		else if ((r->row[l] - 1) / 64 > r->last)
			later = true;
	}
	if (one && r->until_one == UINT64_MAX)
		r->until_one = r->steps;
	if (one && r->any)
		return false;
	if (!some) {
		r->mark_first = r->last + 1;
		r->mark_last = r->last;
	}
	return some || later;
}

/* The word of row t + x; before the first row: the first. */
static uint64_t
word_at(uint64_t t, int64_t x)
{
	int64_t row = (int64_t)t + x;

	return row < 0 ? 0 : (uint64_t)row / 64;
}

/* From column t on, where the first or the last word is the next one. */
static uint64_t
next_change(const struct primer_reach *r, uint64_t t)
{
	int64_t first = 64 * ((int64_t)r->first + 1) + r->far;
	int64_t last = 64 * ((int64_t)r->last + 1) + r->near;
	uint64_t next = r->columns;

	if (first > (int64_t)t)
		next = min_u64(next, (uint64_t)first);
	if (r->last + 1 < r->pat.words && last > (int64_t)t)
		next = min_u64(next, (uint64_t)last);
	return next;
}

void
KERN(primer_reach)(struct primer_reach *r)
{
	uint64_t t = 0;

	r->lanes = PRIMER_CHAINS * LANES;
	r->first = 0;
	r->mark_first = 1;
	r->mark_last = 0;
	memset(r->bottom, 0, sizeof r->bottom);
	deepen(r, 0);
	while (t < r->columns) {
		uint64_t from = t, first = word_at(t, -r->far);

		while (r->last + 1 < r->pat.words &&
		       r->last < word_at(t, -r->near))
			deepen(r, r->last + 1);
		if (!mark_rows(r) || first >= r->pat.words)
			return;
		if (first > r->first) {
			r->first = first;
			if (!mark_rows(r))	/* rows above are done with */
				return;
		}
		t = some_columns(r, t, next_change(r, t));
		r->steps += (t - from) * PRIMER_CHAINS *
			(r->last + 1 - r->first);
	}
	mark_rows(r);
}

/* Texts side by side, from texts one behind the other. */

/* Bytes i of 8 words j become bytes j of words i, `step` bytes apart. */
#if defined(ISA_neon)
static inline vec
load_8(const uint8_t *p)
{
	return vcombine_u8(vld1_u8(p), vcreate_u8(0));
}

static inline void
transpose_8(const uint8_t *const x[8], int64_t at, uint8_t *to, int64_t step)
{
	uint16x8_t pair[4];
	uint32x4_t low[2], high[2];
	vec all[4];

	for (int i = 0; i < 4; i++)
		pair[i] = NEON_U16(vzip1q_u8(load_8(x[2 * i] + at),
					     load_8(x[2 * i + 1] + at)));
	for (int i = 0; i < 2; i++) {
		low[i] = (uint32x4_t)vzip1q_u16(pair[2 * i], pair[2 * i + 1]);
		high[i] = (uint32x4_t)vzip2q_u16(pair[2 * i], pair[2 * i + 1]);
	}
	all[0] = (vec)vzip1q_u32(low[0], low[1]);
	all[1] = (vec)vzip2q_u32(low[0], low[1]);
	all[2] = (vec)vzip1q_u32(high[0], high[1]);
	all[3] = (vec)vzip2q_u32(high[0], high[1]);
	for (int i = 0; i < 4; i++) {
		vst1_u8(to + 2 * i * step, vget_low_u8(all[i]));
		vst1_u8(to + (2 * i + 1) * step, vget_high_u8(all[i]));
	}
}
#elif defined(ISA_avx512) || defined(ISA_avx2)
static inline void
transpose_8(const uint8_t *const x[8], int64_t at, uint8_t *to, int64_t step)
{
	__m128i pair[4], low[2], high[2], all[4];

	for (int i = 0; i < 4; i++)
		pair[i] = _mm_unpacklo_epi8(
		    _mm_loadl_epi64((const void *)(x[2 * i] + at)),
		    _mm_loadl_epi64((const void *)(x[2 * i + 1] + at)));
	for (int i = 0; i < 2; i++) {
		low[i] = _mm_unpacklo_epi16(pair[2 * i], pair[2 * i + 1]);
		high[i] = _mm_unpackhi_epi16(pair[2 * i], pair[2 * i + 1]);
	}
	all[0] = _mm_unpacklo_epi32(low[0], low[1]);
	all[1] = _mm_unpackhi_epi32(low[0], low[1]);
	all[2] = _mm_unpacklo_epi32(high[0], high[1]);
	all[3] = _mm_unpackhi_epi32(high[0], high[1]);
	for (int i = 0; i < 4; i++) {
		_mm_storel_epi64((void *)(to + 2 * i * step), all[i]);
		_mm_storel_epi64((void *)(to + (2 * i + 1) * step),
				 _mm_unpackhi_epi64(all[i], all[i]));
	}
}
#else
static inline void
transpose_8(const uint8_t *const x[8], int64_t at, uint8_t *to, int64_t step)
{
	for (int i = 0; i < 8; i++, to += step)
		for (int l = 0; l < 8; l++)
			to[l] = x[l][at + i];
}
#endif

void
KERN(primer_transpose)(uint8_t *to, unsigned lanes,
		       const uint8_t *const from[8], uint64_t columns)
{
	for (uint64_t t = 0; t < columns; t += 8)
		transpose_8(from, -(int64_t)t - 7, to + (t + 7) * lanes,
			    -(int64_t)lanes);
}

/* Which of 64 letters each symbol matches: its own class or, behind the last
 * class, those of its set (DNA). */
static void
matches(const uint8_t *code, const struct primer *p, uint64_t *eq,
	unsigned n_symbols)
{
	unsigned last = p->n_classes;

	eq[0] = 0;
	for (unsigned s = 1; s < n_symbols; s++)
		eq[s] = s <= last ? equal64(code, (uint8_t)s) : 0;
	for (unsigned s = last + 1; s < n_symbols; s++)
		for (unsigned c = 1; c <= last; c++)
			if (p->holds[s] >> (c - 1) & 1)
				eq[s] |= eq[c];
}

void
KERN(primer_eq)(const uint8_t *code, struct primer_pattern *pat,
		const struct primer *p, unsigned n_symbols)
{
	uint64_t eq[256], stride = pat->as.stride, *whole = pat->eq;
	uint32_t *half = pat->eq;

	for (uint64_t at = 0; at < pat->rows; at += 64) {
		matches(code + at, p, eq, n_symbols);
		for (unsigned s = 0; at == 0 && s < n_symbols; s++)
			eq[s] |= (1ull << pat->wild) - 1;
		if (pat->as.bits == 64) {
			memcpy(whole, eq, n_symbols * sizeof *eq);
			whole += stride;
			continue;
		}
		for (unsigned s = 0; s < n_symbols; s++) {
			half[s] = (uint32_t)eq[s];
			half[stride + s] = (uint32_t)(eq[s] >> 32);
		}
		half += 2 * stride;
	}
}
