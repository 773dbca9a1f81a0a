/* SPDX-License-Identifier: MIT */
/* run.c - keys, receipts, digests */
#include "rec/rec.h"
#include "base/base.h"
#include "input/input.h"
#include "tests/lib/tap.h"

enum { RANGES = 5 };

static struct str
str(const char *s)
{
	return (struct str){ s, strlen(s) };
}

static void
order(void)
{
	/* ascending */
	const struct run_key k[] = {
		{ 9, str("a"), str(""), str("z"), 9 },
		{ 9, str("a.fa"), str(""), str("z"), 9 },
		{ 9, str("b"), str(""), str("z"), 9 },
		{ 9, str("b"), str("x"), str("a"), 9 },
		{ 9, str("b"), str("x"), str("b"), 7 },
		{ 9, str("b"), str("x"), str("b"), 8 },
		{ 10, str("b"), str("x"), str("b"), 8 },
		{ 1, str("\xc3"), str(""), str(""), 0 },
	};
	const struct scan_key s[] = {
		{ 5, str("q"), SCAN_UNION }, { 6, str("q"), SCAN_UNION },
		{ 1, str("r"), SCAN_UNION },
	};
	int good = 1;

	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 8; j++) {
			int c = run_key_cmp(&k[i], &k[j]);

			good &= (c < 0) == (i < j) && (c > 0) == (i > j);
		}
	ok(good, "order of runs");
	ok(scan_key_cmp(&s[0], &s[1]) < 0 && scan_key_cmp(&s[2], &s[1]) > 0 &&
	   scan_key_cmp(&s[1], &s[1]) == 0, "order of scans");
}

static bool
same(const struct receipt *a, const struct receipt *b)
{
	return scan_key_cmp(&a->scan, &b->scan) == 0 && a->last == b->last &&
	       a->number == b->number && a->n_ranges == b->n_ranges &&
	       memcmp(a->range, b->range, RANGES * sizeof *a->range) == 0;
}

static void
receipts(void)
{
	struct range g[RANGES] = {
		{ 0, 1, 100, 7 }, { 1, 3, 0, UINT64_MAX }, { 10, 300, 5, 0 },
		{ 1ull << 40, 1ull << 41, 1ull << 60, 1 },
		{ UINT64_MAX - 1, UINT64_MAX, 1, 1 },
	};
	struct receipt r = {
		{ 77, str("q.fa"), SCAN_LEAST }, UINT32_MAX, true, g, RANGES,
		{ 5, UINT64_MAX }, 2, false,
	}, t;
	struct buf b = { 0 };
	struct cur c;
	size_t n;
	int cuts = 0;

	receipt_put(&b, &r);
	n = b.n;
	c = cur_of(b.p, n);
	receipt_get(&c, &t);
	ok(!c.bad && !cur_left(&c) && same(&r, &t), "a receipt and back");
	free(t.range);
	for (size_t i = 0; i < n; i++) {
		c = cur_of(b.p, i);
		receipt_get(&c, &t);
		cuts += !c.bad || t.range;
	}
	ok(!cuts, "a cut receipt is reported");
	buf_free(&b);
}

/* Is a receipt of two ranges refused? */
static bool
refused(uint64_t a, uint64_t na, uint64_t b, uint64_t nb)
{
	struct range g[2] = { { a, a + na, 0, 0 }, { b, b + nb, 0, 0 } };
	struct receipt r = { { 1, str(""), SCAN_SUM }, 0, false, g, 2,
			     { 0 }, 0, false }, t;
	struct buf o = { 0 };
	struct cur c;

	receipt_put(&o, &r);
	c = cur_of(o.p, o.n);
	receipt_get(&c, &t);
	free(t.range);
	buf_free(&o);
	return c.bad && !t.range;
}

static void
ranges(void)
{
	ok(!refused(0, 2, 2, 3), "ranges that touch");
	ok(refused(0, 3, 2, 3), "ranges that overlap");
	ok(refused(5, 3, 1, 2), "ranges that descend");
	ok(refused(5, 0, 6, 2), "an empty range");
	ok(refused(0, 1, UINT64_MAX, 2), "a range around 2^64");
}

/* A field of a receipt without ranges, of which byte `at` is `value`. */
static bool
bad_field(size_t at, uint8_t value)
{
	struct receipt r = { { 1, str(""), SCAN_SUM }, 0, false, NULL,
			     0, { 0 }, 0, false }, t;
	struct buf o = { 0 };
	struct cur c;

	receipt_put(&o, &r);
	o.p[at] = value;
	c = cur_of(o.p, o.n);
	receipt_get(&c, &t);
	free(t.range);
	buf_free(&o);
	return c.bad;
}

static void
fields(void)
{
	static const uint8_t padded[] = { 0x80, 0 }, plain[] = { 0x80, 1 };
	struct cur c = cur_of(padded, 2);

	ok(!bad_field(8, 0), "a receipt without ranges");
	ok(bad_field(9, SCAN_RULES), "an unknown rule");
	ok(bad_field(10, 2), "an unknown flag");
	ok(bad_field(12, 100), "ranges that are not there");
	cur_var(&c);
	ok(c.bad, "a number with a byte too many");
	c = cur_of(plain, 2);
	ok(cur_var(&c) == 128 && !c.bad, "128 in two bytes");
}

static void
digests(void)
{
	uint8_t t[16] = { 3, 0, 0, 0, 0, 0, 0, 0, 5 };
	struct digest_order o = { 0 };
	struct digest_row r = { DIGEST_ADDS, 3, 5, 5, { "x", 1 } };
	struct digest_row old = r, place = r, order = r, name = r, first = r;
	uint64_t d = digest_row(&r, &o, "ACGT", 4);

	ok(d == digest_mul(digest_order(&o, 3), digest_named("x", 1, false,
			   digest_letters("ACGT", 4, 5))),
	   "a digest, as rec(5) defines it");
	old.kind = DIGEST_NAMES;
	ok(digest_row(&old, &o, "ACGT", 4) ==
	   hash64("ACGT", 4, hash64("x", 1, hash64(t, 16, 0))),
	   "one of version 0.2 and before");
	old.kind = DIGEST_LETTERS;
	ok(digest_row(&old, &o, "ACGT", 4) ==
	   hash64("ACGT", 4, hash64(t, 16, 0)), "one of version 0.1");
	name.name = (struct str){ "y", 1 };
	place.own_beg = place.at = 6;
	order.ordinal = 4;
	first.own_beg = 0;
	ok(digest_row(&name, &o, "ACGT", 4) != d, "it depends on the name");
	ok(digest_row(&place, &o, "ACGT", 4) != d &&
	   digest_row(&order, &o, "ACGT", 4) != d &&
	   digest_row(&first, &o, "ACGT", 4) != d, "depends on the place");
}

/* base_name(path) is name. */
static bool
is_called(const char *path, const char *name)
{
	struct str s = base_name(path);

	return s.n == strlen(name) && memcmp(s.p, name, s.n) == 0;
}

static void
names(void)
{
	ok(is_called("a.fa", "a.fa") && is_called("/x/a.fa", "a.fa") &&
	   is_called("../x.gz/a", "a"), "without folders");
	ok(is_called("a.fa.gz", "a.fa") && is_called("x/a.bgz", "a") &&
	   is_called("a.bgzf", "a") && is_called("a.gz.gz", "a.gz"),
	   "without what one compressor adds");
	ok(is_called("x/.gz", ".gz") && is_called("gz", "gz"),
	   "what has no other name keeps it");
	ok(is_called("-", "stdin") && is_called("/dev/fd/63", "stdin") &&
	   is_called("/proc/self/fd/9", "stdin") &&
	   is_called("/dev/stdin", "stdin"), "pipes");
	ok(is_called("/dev/shm/a.fa.gz", "a.fa") &&
	   is_called("/dev/fd/1x", "1x"), "files in memory have their names");
}

/* A field at its limit, and beyond it. */
static bool
receipt_is_read(uint64_t rule, uint64_t flags, uint64_t number,
		uint64_t n_ranges)
{
	struct buf b = { 0 };
	struct receipt r;
	struct cur c;

	buf_u64(&b, 7);
	buf_str(&b, "", 0);
	buf_var(&b, rule);
	buf_var(&b, flags);
	buf_var(&b, number);
	buf_var(&b, n_ranges);
	buf_var(&b, 0);		/* needs */
	c = cur_of(b.p, b.n);
	receipt_get(&c, &r);
	free(r.range);
	buf_free(&b);
	return !c.bad;
}

static void
limits(void)
{
	ok(receipt_is_read(SCAN_RULES - 1, 1, UINT32_MAX, 0), "the largest");
	ok(!receipt_is_read(SCAN_RULES, 0, 0, 0) &&
	   !receipt_is_read(0, 2, 0, 0) &&
	   !receipt_is_read(0, 0, (uint64_t)UINT32_MAX + 1, 0) &&
	   !receipt_is_read(0, 0, UINT64_MAX, 0) &&
	   !receipt_is_read(0, 0, 0, 1) &&
	   !receipt_is_read(0, 0, 0, UINT64_MAX), "one more is damage");
}

int
main(void)
{
	limits();
	names();
	order();
	receipts();
	ranges();
	fields();
	digests();
	return done();
}
