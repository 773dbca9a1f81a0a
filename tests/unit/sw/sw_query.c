/* SPDX-License-Identifier: MIT */
/* sw_query.c - what a query refuses, and the context it needs */
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

int
main(void)
{
	test_refused();
	test_context();
	return done();
}
