/* SPDX-License-Identifier: MIT */
/* melting.c - melting temperatures: primer3's oligotm, asked or remembered */
#define _GNU_SOURCE	/* popen */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "letters/letters.h"
#include "tests/lib/tap.h"

static uint64_t seed = 20260103;

static bool
temperature(const char *s, const struct melting_salts *t, int64_t *nano)
{
	const uint8_t *u = (const uint8_t *)s;
	struct melting_sum sum = { 0, 0 };
	struct melting m;

	for (size_t i = 1; s[i]; i++) {
		sum.h += melting_pair(u[i - 1], u[i]).h;
		sum.s += melting_pair(u[i - 1], u[i]).s;
	}
	return melting_init(&m, t) && melting_tm(&m, u, strlen(s), sum, nano);
}

/* Within half of the last of oligotm's six digits, and some rounding. */
static bool
same(const char *s, const struct melting_salts *t, double want)
{
	int64_t nano;
	double off;

	if (!temperature(s, t, &nano))
		return false;
	off = 1e-9 * (double)nano - want;
	return off < 6e-7 && off > -6e-7;
}

static void
test_remembered(void)
{
	static const struct {
		const char *s;
		struct melting_salts t;
		double want;
	} of[] = {
		{ "AC", { 50000, 1500, 600, 50000 }, -169.566287 },
		{ "ACGTACGTTGCA", { 50000, 1500, 600, 50000 }, 41.634901 },
		{ "ACGTACGTACGT", { 50000, 1500, 600, 50000 }, 41.351770 },
		{ "GGGGGGGG", { 50000, 1500, 600, 50000 }, 27.305350 },
		{ "ATATATATAT", { 50000, 1500, 600, 50000 }, 0.741755 },
		{ "ATATATATAT", { 100000, 3500, 250, 200500 }, 7.037153 },
		{ "CCATATCAGACTACGAGCGAGCATTTA",
		  { 50000, 1500, 600, 50000 }, 62.633581 },
		{ "CCATATCAGACTACGAGCGAGCATTTA",
		  { 100000, 3500, 250, 200500 }, 67.526103 },
		{ "CCATATCAGACTACGAGCGAGCATTTA",
		  { 100000, 0, 250, 200500 }, 61.590544 },
	};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		ok(same(of[i].s, &of[i].t, of[i].want), "%s: %f", of[i].s,
		   of[i].want);
}

/* What oligotm says; false without it. */
static bool
ask(const char *s, const struct melting_salts *t, double *want)
{
	char command[400];
	FILE *f;
	bool reported;

	snprintf(command, sizeof command, "oligotm -mv %.3f -dv %.3f -n %.3f "
		 "-d %.3f %s 2>/dev/null", 1e-3 * (double)t->monovalent,
		 1e-3 * (double)t->divalent, 1e-3 * (double)t->dntp,
		 1e-3 * (double)t->primer, s);
	f = popen(command, "r");
	reported = f && fscanf(f, "%lf", want) == 1;
	if (f)
		pclose(f);
	return reported;
}

static void
random_primer(uint64_t *s, char *p)
{
	size_t n = 2 + below(s, 35);

	for (size_t i = 0; i < n; i++)
		p[i] = "ACGT"[below(s, 4)];
	p[n] = 0;
	if (below(s, 4) == 0)	/* its own complement */
		for (size_t i = 0; i < n / 2; i++)
			p[n - 1 - i] = "TGCA"[strchr("ACGT", p[i]) - "ACGT"];
}

static void
test_asked(void)
{
	uint64_t s = seed;
	size_t bad = 0;
	char p[64];

	for (unsigned i = 0; i < 120; i++) {
		struct melting_salts t = { 1 + below(&s, 300000),
			below(&s, 2) * below(&s, 9000),
			below(&s, 2) * below(&s, 3000),
			1 + below(&s, 900000) };
		double want;

		if (i % 3 == 0)
			t = (struct melting_salts){ 50000, 1500, 600, 50000 };
		random_primer(&s, p);
		if (!ask(p, &t, &want)) {
			printf("ok %d # SKIP no oligotm on this machine\n",
			       ++tap_count);
			return;
		}
		bad += !same(p, &t, want);
	}
	ok(bad == 0, "as oligotm says, 120 times (%zu bad)", bad);
}

static void
test_refused(void)
{
	struct melting_salts t = { 0, 600, 600, 50000 };
	struct melting m;
	int64_t nano;

	ok(!melting_init(&m, &t), "no salt");
	t.divalent++;
	ok(melting_init(&m, &t), "a little salt");
	t.primer = 0;
	ok(!melting_init(&m, &t), "no primers");
	t = (struct melting_salts){ MELTING_MAX, MELTING_MAX, 0, MELTING_MAX };
	ok(temperature("ACGT", &t, &nano), "most of all");
	t = (struct melting_salts){ 1, 0, 0, 1 };
	ok(temperature("ACGT", &t, &nano), "least of all");
	/* h and s fit as long as primers can be */
	ok(melting_init(&m, &t) && melting_tm(&m, (const uint8_t *)"AC", 2,
		(struct melting_sum){ 106LL << 30, 272LL << 30 }, &nano),
	   "the longest one");
}

int
main(void)
{
	printf("# seed %llu\n", (unsigned long long)seed);
	test_remembered();
	test_asked();
	test_refused();
	return done();
}
