/* SPDX-License-Identifier: MIT */
/*
 * sw_query.c - what a query refuses, the context it needs,
 * and what queries share
 */
#include "sw/sw_priv.h"
#include "tests/lib/sw_gen.h"

static bool
refused(const struct sw_scoring *s, const uint8_t *codes, size_t n)
{
	struct sw_query *q = NULL;
	struct err e = { 0 };

	return sw_query_new(&q, s, codes, n, false, SW_AUTO, &e) ==
	       ERR_USAGE && !q && e.code == ERR_USAGE && e.text[0];
}

static void
test_refused(void)
{
	uint8_t code[2] = { 0, 5 };
	struct sw_scoring s;

	swg_dna(&s, 2, -3, 5, 2);
	ok(refused(&s, code, 0), "a query of no letters");
	ok(refused(&s, code, 2), "a code that is no letter");
	ok(refused(&s, code, (size_t)SW_MAX_QUERY + 1), "too long a query");
	s.open = -1;
	ok(refused(&s, code, 1), "open below 0");
	s.open = SW_MAX_SCORE + 1;
	ok(refused(&s, code, 1), "open too large");
	swg_dna(&s, 2, -3, 5, -1);
	ok(refused(&s, code, 1), "extend below 0");
	swg_dna(&s, 2, -SW_MAX_SCORE - 1, 5, 1);
	ok(refused(&s, code, 1), "a score too low");
	swg_dna(&s, SW_MAX_SCORE + 1, -3, 5, 1);
	ok(refused(&s, code, 1), "a score too large");
	s.letters = SW_LETTERS + 1;
	ok(refused(&s, code, 1), "too many letters");
	s.letters = 0;
	ok(refused(&s, code, 1), "no letters");
}

static uint64_t
context(int32_t match, int32_t open, int32_t extend)
{
	uint8_t code[10] = { 0 };
	struct sw_scoring s;
	struct sw_query *q;
	struct err e;
	uint64_t c;

	swg_dna(&s, match, -3, open, extend);
	if (sw_query_new(&q, &s, code, 10, false, SW_AUTO, &e))
		abort();
	c = sw_context(q);
	sw_query_free(q);
	return c;
}

static void
test_context(void)
{
	ok(context(2, 5, 2) == 17, "context of 2/-3/5/2");
	ok(context(5, 8, 1) == 52, "context of 5/-3/8/1");
	ok(context(2, 21, 1) == 10, "gaps dearer than all");
	ok(context(2, 5, 0) == UINT64_MAX, "gaps that are free to extend");
	ok(context(2, 20, 0) == 10, "gaps dear to open, free to extend");
	ok(context(-1, 0, 0) == 10, "no score above 0");
}

static bool
same_query(const struct sw_query *a, const struct sw_query *b)
{
	return a->best == b->best && a->worst == b->worst && a->n == b->n &&
	       a->context == b->context && a->s->letters == b->s->letters &&
	       a->s->open == b->s->open && a->s->extend == b->s->extend &&
	       memcmp(a->code, b->code, a->n) == 0 &&
	       memcmp(a->s->score, b->s->score, sizeof a->s->score) == 0;
}

/*
 * Queries of a scheme, of any lengths in any order, are as one by itself; and
 * where no cost is limited any more, they have the same scoring.
 */
static void
test_share(uint64_t *seed)
{
	enum { QUERIES = 40, MOST = 60 };
	const struct sw_scoring *last = NULL;
	uint8_t code[MOST];
	struct sw_scoring s;
	struct sw_scheme *c;
	struct err e;
	bool good = true;

	swg_scheme(seed, &s);
	if (sw_scheme_new(&c, &s, &e))
		abort();
	for (int i = 0; i < QUERIES; i++) {
		struct sw_query *q, *own;
		size_t n = 1 + below(seed, MOST);

		for (size_t j = 0; j < n; j++)
			code[j] = (uint8_t)below(seed, s.letters);
		if (sw_query_share(&q, c, code, n, i % 2, SW_AUTO, &e) ||
		    sw_query_new(&own, &s, code, n, i % 2, SW_AUTO, &e))
			abort();
		good &= same_query(q, own);
		if ((int64_t)n * q->best > 2 * ((int64_t)s.open + s.extend)) {
			good &= !last || last == q->s;
			last = q->s;
		}
		sw_query_free(q);
		sw_query_free(own);
	}
	sw_scheme_free(c);
	ok(good, "queries of a scheme");
}

int
main(void)
{
	uint64_t seed = 7;

	for (int i = 0; i < 50; i++)
		test_share(&seed);
	test_refused();
	test_context();
	return done();
}
