/* SPDX-License-Identifier: MIT */
/* cigar.c - sums and text of alignments */
#include "letters/letters.h"
#include "tests/lib/tap.h"

static uint64_t seed = 42;

static long
parse(const char *s, uint32_t *ops, size_t max)
{
	size_t n = strlen(s);
	char *copy = malloc(n ? n : 1);	/* exact: no byte behind it */
	long got;

	if (!copy)
		abort();
	memcpy(copy, s, n);
	got = cigar_parse(copy, n, ops, max);
	free(copy);
	return got;
}

static void
test_sum(void)
{
	uint32_t ops[16];
	long n = parse("3S10=1X2I1I4D5I7M8N9H6P2=", ops, 16);
	struct cigar_sum s = cigar_sum(ops, (size_t)n);

	ok(n == 12, "twelve operations");
	ok(s.query == 3 + 10 + 1 + 2 + 1 + 5 + 7 + 2, "query letters");
	ok(s.subject == 10 + 1 + 4 + 7 + 8 + 2, "subject letters");
	ok(s.eq == 12 && s.x == 1 && s.ins == 8 && s.del == 4 && s.clip == 12,
	   "letters by operation");
	ok(s.gaps == 3, "2I1I is one gap, 4D and 5I two more");
	s = cigar_sum(NULL, 0);
	ok(s.query == 0 && s.subject == 0 && s.gaps == 0, "nothing");
	for (unsigned i = 0; i < 16; i++)
		ops[i] = (uint32_t)CIGAR_MAX_LEN << 4 | CIGAR_EQ;
	s = cigar_sum(ops, 16);
	ok(s.query == 16ull * CIGAR_MAX_LEN, "sums beyond 32 bits");
}

/* Against the sums, and the rules for each operation read literally. */
static void
test_span(void)
{
	int bad = 0;

	for (int round = 0; round < 20000; round++) {
		uint32_t ops[6];
		size_t n = below(&seed, 7);
		struct cigar_span a;
		struct cigar_sum b;
		bool good = n > 0;

		for (size_t i = 0; i < n; i++) {
			unsigned op = "\0\1\2\4\7\10\4\3"[below(&seed, 8)];
			uint32_t len = (uint32_t)(rnd(&seed) >>
						  (36 + below(&seed, 28)));

			if (below(&seed, 3) && (op == CIGAR_S ||
						op == CIGAR_N))
				op = CIGAR_EQ;
			if (!below(&seed, 300))
				op = (unsigned)below(&seed, 16);
			len += below(&seed, 20) && !len;
			good = good && len && op < 16 &&
			       strchr("MIDS=X", "MIDNSHP=X???????"[op]) &&
			       (op != CIGAR_S || i == 0 || i + 1 == n);
			ops[i] = len << 4 | op;
		}
		a = cigar_span(ops, n);
		b = cigar_sum(ops, n);
		bad += a.good != good;
		bad += good && (a.query != b.query || a.clip != b.clip ||
				a.subject != b.subject);
	}
	ok(bad == 0, "spans are the sums, faults are seen");
}

static void
test_text(void)
{
	struct buf b = { 0 };
	int bad = 0;

	cigar_text(&b, NULL, 0);
	ok(b.n == 1 && b.p[0] == '*', "no operation is *");
	for (int round = 0; round < 2000; round++) {
		uint32_t ops[40], back[40];
		size_t n = below(&seed, 41);

		for (size_t i = 0; i < n; i++) {
			uint64_t len = rnd(&seed) >> (36 + below(&seed, 28));

			ops[i] = (uint32_t)(len ? len : 1) << 4 |
				 (uint32_t)below(&seed, 9);
		}
		b.n = 0;
		cigar_text(&b, ops, n);
		bad += cigar_parse((char *)b.p, b.n, back, n) != (long)n ||
		       memcmp(ops, back, n * 4) != 0;
	}
	ok(bad == 0, "text and back");
	buf_free(&b);
}

static void
test_refused(void)
{
	static const char *const wrong[] = {
		"", "=", "1", "0=", "12", "1=2", "1=*", "*1=", "**", "-1=",
		"1Q", "1= ", "268435456=", "4294967297=", "99999999999=",
		"18446744073709551617=", "+1=", "1==", "\xff",
	};
	uint32_t ops[4];

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		ok(parse(wrong[i], ops, 4) == -1, "no CIGAR: %s", wrong[i]);
	ok(parse("268435455=", ops, 4) == 1 &&
	   ops[0] == ((uint32_t)CIGAR_MAX_LEN << 4 | CIGAR_EQ),
	   "the greatest length");
	ok(parse("1=1X1=1X", ops, 4) == 4, "as many as fit");
	ok(parse("1=1X1=1X1=", ops, 4) == -1, "one too many");
	ok(parse("*", ops, 0) == 0, "* is no operation");
}

int
main(void)
{
	test_sum();
	test_span();
	test_text();
	test_refused();
	return done();
}
