/* SPDX-License-Identifier: MIT */
/* sorter.c - sorting with next to no memory; intervals taken greedily */
#include <stdlib.h>

#include "base/base.h"

#include "collect/collect.h"
#include "tests/lib/tap.h"

static struct err err;

struct number {
	uint32_t size, pad;
	uint64_t value;
};

static int
cmp_number(const void *a, const void *b, void *ctx)
{
	const struct number *x = *(const struct number *const *)a;
	const struct number *y = *(const struct number *const *)b;

	(void)ctx;
	return x->value < y->value ? -1 : x->value > y->value;
}

/* Many more runs than are read at once, so that runs merge into one. */
static void
test_sorter(uint64_t *seed)
{
	struct sorter_ops ops = { .cmp = cmp_number };
	uint64_t sum = 0, have = 0, last = 0, n = 0;
	struct sorter *s;
	const void *row;
	bool good = sorter_new(&s, &ops, 200, &err) == 0;

	for (unsigned i = 0; i < 20000 && good; i++) {
		struct number x = { sizeof x, 0, rnd(seed) >> 8 };

		sum += x.value;
		good = sorter_add(s, &x, &err) == 0;
	}
	good = good && sorter_finish(s, &err) == 0;
	while (good && sorter_next(s, &row, &err) == 1) {
		const struct number *x = row;

		good = x->value >= last;
		last = x->value;
		have += last;
		n++;
	}
	ok(good && n == 20000 && have == sum, "20000 rows, thousands of runs");
	sorter_free(s);
}

static size_t
keep_four(const void **v, size_t n, void *ctx)
{
	(void)v;
	(void)ctx;
	return n < 4 ? n : 4;
}

/* Trimmed rows need no file if they leave half of the memory free. */
static void
test_trim(size_t memory, int want)
{
	struct sorter_ops ops = { .cmp = cmp_number, .trim = keep_four };
	struct number x = { sizeof x, 0, 0 };
	struct sorter *s;
	const void *row;
	uint64_t n = 0;
	int r = sorter_new(&s, &ops, memory, &err);

	setenv("TMPDIR", "/nowhere/at/all", 1);
	for (uint64_t i = 0; i < 1000 && r == 0; i++) {
		x.value = (i + 700) % 1000;
		r = sorter_add(s, &x, &err);
	}
	r = r ? r : sorter_finish(s, &err);
	while (r == 0 && sorter_next(s, &row, &err) == 1 &&
	       ((const struct number *)row)->value == n)
		n++;
	ok(r == want && (r || n == 4), "trimmed, %zu bytes: %d", memory, r);
	unsetenv("TMPDIR");
	sorter_free(s);
}

/* By more than a quarter of the shorter one? */
static bool
overlaps(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	uint64_t from = a > c ? a : c, to = b < d ? b : d;
	uint64_t shorter = b - a < d - c ? b - a : d - c;

	return from < to && 4 * (to - from) > shorter;
}

static void
test_overlap(uint64_t *seed)
{
	const struct decimal quarter = { 25, 100 };
	struct overlap o = { 0 };
	struct { uint64_t beg, end; } v[300];
	size_t n = 0, wrong = 0;

	for (unsigned i = 0; i < 3000; i++) {
		uint64_t beg = below(seed, 5000);
		uint64_t end = beg + below(seed, 1 + (1u << below(seed, 9)));
		int want = 1;

		for (size_t k = 0; k < n; k++) {
			want = want && !overlaps(v[k].beg, v[k].end, beg,
						 end);
		}
		if (want && n == 300)
			break;
		wrong += overlap_take(&o, beg, end, quarter, &err) != want;
		if (want) {
			v[n].beg = beg;
			v[n++].end = end;
		}
	}
	ok(wrong == 0 && n > 100, "greedy choice of %zu intervals", n);
	overlap_free(&o);
}

/* Every decimal fraction that an overlap can just reach is not exceeded. */
static void
test_fractions(void)
{
	unsigned wrong = 0;

	for (uint64_t part = 0; part <= 100; part++)
		for (uint64_t n = 1; n <= 400; n++) {
			struct overlap o = { 0 };
			uint64_t x = part * n / 100;
			struct decimal f = { part, 100 };

			/* x of n letters: at most the part, one more: beyond */
			overlap_take(&o, 1000, 1000 + n, f, &err);
			wrong += overlap_take(&o, 1000 + n - x, 1000 + 2 * n -
					      x, f, &err) != 1;
			overlap_clear(&o);
			overlap_take(&o, 1000, 1000 + n, f, &err);
			wrong += x < n &&
				 overlap_take(&o, 999 + n - x, 999 + 2 * n - x,
					      f, &err) != 0;
			overlap_free(&o);
		}
	ok(wrong == 0, "overlaps of just a fraction: %u wrong", wrong);
}

int
main(void)
{
	uint64_t seed = 20261121;

	test_sorter(&seed);
	/* four rows and their pointers take half of it, or a byte more */
	test_trim(8 * (sizeof(struct number) + sizeof(void *)), 0);
	test_trim(8 * (sizeof(struct number) + sizeof(void *)) - 1, ERR_IO);
	test_overlap(&seed);
	test_fractions();
	return done();
}
