/* SPDX-License-Identifier: MIT */
/* primer_scan_kern.c - a core over all of a text, pieces of it in lanes */
#include "algo/primer_rows_vec.h"

/* Words of a core that stay in registers. */
enum { MOST_WORDS = 8 };

/* What a column hands down and holds, of each chain. */
struct chains {
	v64 above[PRIMER_CHAINS], next[PRIMER_CHAINS], mark[PRIMER_CHAINS];
	struct primer_letter c[PRIMER_CHAINS];
	struct primer_hand h[PRIMER_CHAINS];
};

/* p and m: words of the first chain, then of the second. */
static inline __attribute__((always_inline)) void
column(struct chains *a, v64 *p, v64 *m, const uint64_t *eq, uint64_t stride,
       const uint64_t words, enum primer_eq how)
{
#pragma GCC unroll 2
	for (int i = 0; i < PRIMER_CHAINS; i++)
		a->h[i] = (struct primer_hand){ { 0 }, { 0 } };
#pragma GCC unroll 8
	for (uint64_t w = 0; w < words; w++)
#pragma GCC unroll 2
		for (uint64_t i = 0; i < PRIMER_CHAINS; i++)
			primer_word(primer_matches_of(eq + w * stride,
						      a->c[i], how),
				    p + i * words + w, m + i * words + w,
				    &a->h[i]);
}

static inline __attribute__((always_inline)) void
scores(struct chains *a, v64 top)
{
#pragma GCC unroll 2
	for (int i = 0; i < PRIMER_CHAINS; i++) {
		a->above[i] = primer_score(a->above[i], &a->h[i], top);
		a->next[i] = primer_score(a->next[i], &a->h[i], a->mark[i]);
	}
}

/* What a column holds, to those that look closer, and what they watch. */
static inline __attribute__((always_inline)) void
look(struct primer_scan *s, struct chains *a, const v64 *p, const v64 *m,
     const uint64_t words, uint64_t t, uint32_t lanes)
{
#pragma GCC unroll 2
	for (uint64_t i = 0; i < PRIMER_CHAINS; i++) {
		v64 last[2] = { p[(i + 1) * words - 1],
				m[(i + 1) * words - 1] };

		memcpy(s->above + i * LANES, &a->above[i], VBYTES);
		memcpy(s->next + i * LANES, &a->next[i], VBYTES);
		memcpy(s->last_p + i * LANES, &last[0], VBYTES);
		memcpy(s->last_m + i * LANES, &last[1], VBYTES);
	}
	primer_found(s, t, lanes);
#pragma GCC unroll 2
	for (int i = 0; i < PRIMER_CHAINS; i++) {
		memcpy(&a->next[i], s->next + i * LANES, VBYTES);
		memcpy(&a->mark[i], s->mark + i * LANES, VBYTES);
	}
}

static inline __attribute__((always_inline)) void
begin(const struct primer_scan *s, struct chains *a, v64 *p, v64 *m,
      const uint64_t words)
{
	for (int i = 0; i < PRIMER_CHAINS; i++) {
		a->above[i] = vset(s->core - s->limit - 1);
		a->next[i] = a->mark[i] = vset(0);
	}
#pragma GCC unroll 16
	for (uint64_t w = 0; w < PRIMER_CHAINS * words; w++) {
		p[w] = vset(~0ull);
		m[w] = vset(0);
	}
}

static inline __attribute__((always_inline)) void
scan(struct primer_scan *s, v64 *p, v64 *m, const uint64_t words,
     enum primer_eq how)
{
	const uint64_t *eq = s->pat.eq, stride = s->pat.stride;
	const uint64_t columns = s->columns, own = s->own;
	const uint8_t *c = s->text;
	const v64 top = vset(1ull << ((s->core - 1) & 63));
	uint64_t until = s->first_until;
	struct chains a;

	begin(s, &a, p, m, words);
	for (uint64_t t = 0; t < columns; t++, c += PRIMER_CHAINS * LANES) {
		uint32_t low;

		a.c[0] = primer_letter(c, how);
		a.c[1] = primer_letter(c + LANES, how);
		column(&a, p, m, eq, stride, words, how);
		scores(&a, top);
		low = primer_negative(a.above[0] | a.next[0]) |
		      primer_negative(a.above[1] | a.next[1]) << LANES;
		if (__builtin_expect((low && t >= own) || t >= until, 0)) {
			look(s, &a, p, m, words, t, low);
			until = s->first_until;
		}
	}
}

#define IN_REGISTERS(n)							\
	static __attribute__((noinline)) void				\
	scan_##n(struct primer_scan *s)					\
	{								\
		v64 p[PRIMER_CHAINS * n], m[PRIMER_CHAINS * n];		\
									\
		scan(s, p, m, n, PRIMER_EQ_8);				\
	}
IN_REGISTERS(1) IN_REGISTERS(2) IN_REGISTERS(3) IN_REGISTERS(4)
IN_REGISTERS(5) IN_REGISTERS(6) IN_REGISTERS(7) IN_REGISTERS(8)

static __attribute__((noinline)) void
in_memory(struct primer_scan *s)
{
	uint64_t words = s->pat.words;
	v64 *p = s->state, *m = p + PRIMER_CHAINS * words;

	if (s->pat.how == PRIMER_EQ_8)
		scan(s, p, m, words, PRIMER_EQ_8);
	else if (s->pat.how == PRIMER_EQ_16)
		scan(s, p, m, words, PRIMER_EQ_16);
	else
		scan(s, p, m, words, PRIMER_EQ_LOAD);
}

void
KERN(primer_scan)(struct primer_scan *s)
{
	static primer_scan_fn *const of_words[] = {
		in_memory, scan_1, scan_2, scan_3, scan_4, scan_5, scan_6,
		scan_7, scan_8,
	};
	bool few = s->pat.how == PRIMER_EQ_8 && s->pat.words <= MOST_WORDS;

	of_words[few ? s->pat.words : 0](s);
}
