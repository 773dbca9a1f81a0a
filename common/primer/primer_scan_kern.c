/* SPDX-License-Identifier: MIT */
/* primer_scan_kern.c - a core over all of a text, pieces of it in lanes */

#include "base/base.h"
#include "primer/primer_rows_vec.h"

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
