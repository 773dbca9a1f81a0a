/* SPDX-License-Identifier: MIT */
/*
 * primer_reach_kern.c - how far patterns reach, each lane in its own text, and
 * texts and patterns as they are read here
 */

#include "base/base.h"
#include "primer/primer_rows_vec.h"

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
		if (!primer_mark(r) || first >= r->pat.words)
			return;
		if (first > r->first) {
			r->first = first;
			if (!primer_mark(r))	/* rows above are done with */
				return;
		}
		t = some_columns(r, t, next_change(r, t));
		r->steps += (t - from) * PRIMER_CHAINS *
			(r->last + 1 - r->first);
	}
	primer_mark(r);
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
		       const uint8_t *const from[8], uint64_t columns,
		       bool back)
{
	int64_t step = back ? -(int64_t)lanes : (int64_t)lanes;

	for (uint64_t t = 0; t < columns; t += 8) {
		uint8_t *at = to + (t + (back ? 7 : 0)) * lanes;

		transpose_8(from, back ? -(int64_t)t - 7 : (int64_t)t, at,
			    step);
	}
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
