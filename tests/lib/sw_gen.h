/* SPDX-License-Identifier: MIT */
/*
 * sw_gen.h - random cases of local alignment, as codes
 *
 * Each generator depends on the seed alone.  Queries and texts are malloced
 * exactly, so that a sanitizer sees a read behind them; swg_free() frees both.
 */
#ifndef SEQF_SW_GEN_H
#define SEQF_SW_GEN_H

#include "sw/sw.h"
#include "tests/oracle/oracle_sw.h"
#include "tests/lib/tap.h"

struct swg_case {
	struct sw_scoring s;
	uint8_t *q, *t;
	size_t n, m;
};

enum swg_kind {
	SWG_RANDOM,
	SWG_TWO,	/* letters 0 and 1 only */
	SWG_PERIODIC,	/* a period of 1 to 9 letters, with few breaks */
	SWG_LOW,	/* runs and stretches of two letters */
	SWG_HOLES,	/* now and then the last letter of the alphabet: N */
	SWG_KINDS,
};

static inline uint64_t
swg_between(uint64_t *seed, uint64_t from, uint64_t to)
{
	return from + below(seed, to - from + 1);
}

static inline uint8_t *
swg_alloc(size_t n)
{
	uint8_t *p = calloc(n ? n : 1, 1);

	if (!p)
		abort();
	return p;
}

static inline void
swg_free(struct swg_case *c)
{
	free(c->q);
	free(c->t);
	c->q = c->t = NULL;
}

/*
 * n codes below `letters`; the alphabet's last letter comes in SWG_HOLES only,
 * if there are more than two.
 */
static inline void
swg_fill(uint64_t *seed, enum swg_kind kind, unsigned letters, uint8_t *t,
	 size_t n)
{
	unsigned common = letters > 2 ? letters - 1 : letters;
	size_t period = swg_between(seed, 1, 9), left = 0;
	uint8_t two[2] = { 0 };
	bool run = false;

	if (kind == SWG_TWO && common > 2)
		common = 2;
	for (size_t i = 0; i < n; i++) {
		t[i] = (uint8_t)below(seed, common);
		if (kind == SWG_PERIODIC && i >= period && below(seed, 30))
			t[i] = t[i - period];
		if (kind == SWG_HOLES && below(seed, 15) == 0)
			t[i] = (uint8_t)(letters - 1);
		if (kind != SWG_LOW)
			continue;
		if (left-- == 0) {
			left = swg_between(seed, 1, 60);
			run = below(seed, 2);
			two[0] = t[i];
			two[1] = (uint8_t)below(seed, common);
		}
		t[i] = run ? two[0] : two[below(seed, 2)];
	}
}

/*
 * A copy of q[0..n) from t[at] on, with a difference at `percent` of the
 * places: a third each deletions of 1 to 4 letters, insertions and
 * substitutions.  Returns where it ends; nothing is written behind m.
 */
static inline size_t
swg_copy(uint64_t *seed, unsigned letters, uint8_t *t, size_t m, size_t at,
	 const uint8_t *q, size_t n, unsigned percent)
{
	for (size_t i = 0; i < n && at < m;) {
		if (below(seed, 100) >= percent) {
			t[at++] = q[i++];
			continue;
		}
		switch (below(seed, 3)) {
		case 0:
			i += swg_between(seed, 1, 4);
			break;
		case 1:
			t[at++] = (uint8_t)below(seed, letters);
			break;
		default:
			t[at++] = (uint8_t)below(seed, letters);
			i++;
		}
	}
	return at;
}

/*
 * Copies of pieces of q that end, begin or pass at multiples of `unit`: the
 * borders of lanes, chunks, blocks.
 */
static inline void
swg_borders(uint64_t *seed, struct swg_case *c, size_t unit, size_t copies)
{
	while (c->m && copies--) {
		size_t n = swg_between(seed, 1, c->n);
		size_t from = below(seed, c->n - n + 1);
		size_t border = below(seed, c->m / unit + 1) * unit;
		size_t at = border > n ? border - swg_between(seed, 0, n) :
					 border;

		swg_copy(seed, c->s.letters, c->t, c->m, at, c->q + from, n,
			 below(seed, 2) ? 0 : (unsigned)below(seed, 30));
	}
}

/* Rounds of a test, each of which depends on *seed as it begins with it. */
static inline void
swg_sweep(uint64_t *seed, const char *name, bool (*f)(uint64_t round),
	  uint64_t rounds)
{
	bool good = true;

	rounds = fewer(rounds);
	for (uint64_t r = 0; good && r < rounds; r++) {
		*seed = 0x9e3779b97f4a7c15 * (r + 1);
		good = f(r);
		if (!good)
			printf("# %s: round %llu\n", name,
			       (unsigned long long)r);
	}
	ok(good, "%s: %llu rounds", name, (unsigned long long)rounds);
}

/* A C G T and a fifth letter that is a mismatch with every one. */
static inline void
swg_dna(struct sw_scoring *s, int32_t match, int32_t mismatch, int32_t open,
	int32_t extend)
{
	memset(s, 0, sizeof *s);
	s->letters = 5;
	s->open = open;
	s->extend = extend;
	for (unsigned a = 0; a < 5; a++)
		for (unsigned b = 0; b < 5; b++)
			s->score[a][b] = a == b && a < 4 ? match : mismatch;
}

/* Schemes of the log and of the linear phase, gaps that are free, huge ones. */
static inline void
swg_scheme(uint64_t *seed, struct sw_scoring *s)
{
	static const int32_t p[][4] = {
		{ 2, -3, 5, 2 }, { 5, -3, 8, 1 }, { 5, -4, 8, 4 },
		{ 1, -3, 5, 2 }, { 5, -4, 12, 4 }, { 1, -1, 0, 1 },
		{ 1, -3, 0, 2 }, { 2, -1, 3, 0 }, { 1, -1, 0, 0 },
		{ 9, -20, 40, 3 }, { 30, -1, 20, 9 }, { 1, 0, 1, 1 },
		{ 4, -5, 2, 1 }, { 127, -128, 100, 100 },
		{ 1000, -1000, 3000, 10 }, { 1000000, -1000000, 1000000, 1 },
		{ 91, -114, 400, 30 }, { 200, -300, 500, 201 },
		{ 1, -1000000, 5, 2 }, { 2, -3, 1000000, 1 },
		{ 3, -2, 0, 1000000 },
	};
	const int32_t *v = p[below(seed, sizeof p / sizeof *p)];

	if (below(seed, 3))
		swg_dna(s, v[0], v[1], v[2], v[3]);
	else
		swg_dna(s, (int32_t)swg_between(seed, 1, 12),
			-(int32_t)below(seed, 12), (int32_t)below(seed, 20),
			(int32_t)below(seed, 4));
}

/* A cost of 0, one that is near another, or one that forbids. */
static inline int32_t
swg_cost(uint64_t *seed, int64_t near)
{
	switch (below(seed, 4)) {
	case 0:
		return (int32_t)below(seed, 4);
	case 1:
		return SW_MAX_SCORE;
	default:
		near += (int64_t)below(seed, 5) - 2;
		return (int32_t)(near < 0 ? 0 : near > SW_MAX_SCORE ?
				 SW_MAX_SCORE : near);
	}
}

/* Costs around those that forbid what they are of: n letters of the query. */
static inline void
swg_dear(uint64_t *seed, struct sw_scoring *s, size_t n)
{
	int32_t match = (int32_t)swg_between(seed, 1, 300);
	int64_t top = match * (int64_t)swg_between(seed, 1, n);
	int32_t extend = swg_cost(seed, top / 2);
	int32_t open = swg_cost(seed, top - extend);
	int64_t gaps = 2 * ((int64_t)open + extend) + 1;

	swg_dna(s, match, -swg_cost(seed, below(seed, 2) ? top : gaps), open,
		extend);
}

/*
 * A random matrix of so many letters (up to SW_LETTERS), seldom symmetric;
 * mostly its diagonal is the best of a row.
 */
static inline void
swg_matrix(uint64_t *seed, struct sw_scoring *s, unsigned letters)
{
	int32_t high = (int32_t)swg_between(seed, 1, 15);
	int32_t low = (int32_t)swg_between(seed, 1, 10);
	bool symmetric = below(seed, 3) == 0, diagonal = below(seed, 4);

	memset(s, 0, sizeof *s);
	s->letters = letters;
	s->open = (int32_t)below(seed, 15);
	s->extend = (int32_t)below(seed, 4);
	for (unsigned a = 0; a < letters; a++)
		for (unsigned b = 0; b < letters; b++) {
			s->score[a][b] = (int32_t)below(seed,
			    (uint64_t)(high / 3 + low + 1)) - low;
			if (symmetric && b < a)
				s->score[a][b] = s->score[b][a];
			if (diagonal && a == b)
				s->score[a][b] = high;
		}
}

static inline void
swg_room(struct swg_case *c, size_t n, size_t m)
{
	c->n = n;
	c->m = m;
	c->q = swg_alloc(n);
	c->t = swg_alloc(m);
}

/* Anything: 1 <= n <= max_n, m <= max_m. */
static inline struct swg_case
swg_any(uint64_t *seed, size_t max_n, size_t max_m)
{
	struct swg_case c;

	if (below(seed, 3) == 0)
		swg_matrix(seed, &c.s, (unsigned)swg_between(seed, 1,
		    below(seed, 2) ? 6 : SW_LETTERS));
	else
		swg_scheme(seed, &c.s);
	swg_room(&c, swg_between(seed, 1, max_n), below(seed, max_m + 1));
	swg_fill(seed, (enum swg_kind)below(seed, SWG_KINDS), c.s.letters, c.q,
		 c.n);
	swg_fill(seed, (enum swg_kind)below(seed, SWG_KINDS), c.s.letters, c.t,
		 c.m);
	if (below(seed, 2))
		swg_borders(seed, &c, (size_t)16 << below(seed, 7),
			    below(seed, 12));
	return c;
}

/*
 * A short query, gaps that cost little or nothing to extend: only E passes
 * from one lane to the next, and H is the same, so that lanes which compare no
 * more than H stop too early.
 */
static inline struct swg_case
swg_short_query(uint64_t *seed)
{
	struct swg_case c;

	swg_dna(&c.s, (int32_t)swg_between(seed, 3, 10),
		-(int32_t)swg_between(seed, 1, 9), (int32_t)below(seed, 20),
		(int32_t)below(seed, 2));
	swg_room(&c, swg_between(seed, 2, 11), swg_between(seed, 2100, 7000));
	swg_fill(seed, (enum swg_kind)below(seed, 3), 5, c.q, c.n);
	swg_fill(seed, (enum swg_kind)below(seed, 3), 5, c.t, c.m);
	return c;
}

/*
 * Two homologs with a long fall between: a column's scores rise over the
 * query's first part by more than 16 bits hold side by side, fall over its
 * middle, and rise again over its last part.  Bases of lanes that are raised
 * and never lowered, or the other way round, lose it.  The first part scores 30
 * to 70 thousand.  Near ones are so close that its scores still stand where the
 * last part's begin.  n to 2 n letters of the query, up to 8 n of the text.
 */
static inline struct swg_case
swg_fall(uint64_t *seed, size_t n)
{
	bool near = below(seed, 4) > 0;
	size_t part, first, second;
	struct swg_case c;
	int32_t match;

	n = swg_between(seed, n, 2 * n);
	part = n / swg_between(seed, 3, 5) + 1;
	match = (int32_t)(swg_between(seed, 30000, 70000) / part) + 1;
	swg_dna(&c.s, match, -(int32_t)swg_between(seed, 1,
						    (uint64_t)match),
		(int32_t)below(seed, (uint64_t)match / 3 + 1),
		(int32_t)swg_between(seed, 1, (uint64_t)match / 2 + 1));
	swg_room(&c, n, n + below(seed, near ? n : 3 * n));
	swg_fill(seed, SWG_RANDOM, 5, c.q, c.n);
	swg_fill(seed, SWG_RANDOM, 5, c.t, c.m);
	first = below(seed, c.m / 3 + 1);
	second = near ? first + part + below(seed, 100) :
			c.m / 2 + below(seed, c.m / 3 + 1);
	swg_copy(seed, 4, c.t, c.m, first, c.q, part,
		 (unsigned)below(seed, 5));
	swg_copy(seed, 4, c.t, c.m, second, c.q + n - part, part,
		 (unsigned)below(seed, 5));
	return c;
}

/*
 * A text of copies of the query, more and less alike, side by side and apart:
 * many classes, of which the weaker are near the stronger.
 */
static inline struct swg_case
swg_family(uint64_t *seed, size_t n, size_t m)
{
	struct swg_case c;

	swg_scheme(seed, &c.s);
	swg_room(&c, n, m);
	swg_fill(seed, SWG_RANDOM, 5, c.q, n);
	swg_fill(seed, SWG_RANDOM, 5, c.t, m);
	for (size_t at = below(seed, n + 1); at < m;) {
		at = swg_copy(seed, 4, c.t, m, at, c.q, n,
			      (unsigned)below(seed, 40));
		at += below(seed, 2) ? below(seed, 5) : below(seed, 2 * n);
	}
	return c;
}

/*
 * Letters of the query and of the text in runs, some alike and some not: H
 * rises and falls as steeply as it can, over as many rows and columns.
 */
static inline void
swg_slopes(uint64_t *seed, struct swg_case *c)
{
	for (size_t i = 0; i < c->n;) {
		size_t n = swg_between(seed, 1, 90);
		uint8_t a = (uint8_t)below(seed, 2);

		for (; n && i < c->n; n--)
			c->q[i++] = a;
	}
	for (size_t j = 0; j < c->m;) {
		size_t n = swg_between(seed, 1, 2 * SW_BLOCK);
		uint8_t a = (uint8_t)below(seed, 3);

		if (below(seed, 3) == 0)
			j = swg_copy(seed, 2, c->t, c->m, j, c->q, c->n, 0);
		for (; n && j < c->m; n--)
			c->t[j++] = a;
	}
}

/* The scoring for the oracle; = where codes are equal, but not the fifth. */
static inline void
swg_oracle(const struct sw_scoring *s, struct osw_scoring *o)
{
	memset(o, 0, sizeof *o);
	o->open = s->open;
	o->extend = s->extend;
	for (unsigned a = 0; a < SW_LETTERS; a++) {
		o->same[a] = s->letters == 5 && a == 4 ? 255 : (uint8_t)a;
		for (unsigned b = 0; b < SW_LETTERS; b++)
			o->s[a][b] = s->score[a][b];
	}
}

#endif
