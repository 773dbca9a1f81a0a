/* SPDX-License-Identifier: MIT */
/* soak.h - random cases until the time is up, of every kind its share */
#ifndef SEQF_TESTS_SOAK_H
#define SEQF_TESTS_SOAK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct soak_kind {
	const char *name;
	unsigned share;		/* of the cases, beside the others' */
};
enum { SOAK_MAX_KINDS = 16, SOAK_MAX_BAD = 20 };

/* The seed of case i. */
static inline uint64_t
soak_seed(uint64_t i)
{
	return 88172645463325252ull ^ (i + 1) * 0x9e3779b97f4a7c15;
}

static inline unsigned
soak_shares(const struct soak_kind *kinds, size_t n)
{
	unsigned sum = 0;

	for (size_t k = 0; k < n; k++)
		sum += kinds[k].share;
	return sum;
}

static inline size_t
soak_kind_of(const struct soak_kind *kinds, size_t n, uint64_t i)
{
	size_t at = i % soak_shares(kinds, n), kind = 0;

	while (at >= kinds[kind].share)
		at -= kinds[kind++].share;
	return kind;
}

/*
 * main() of "NAME SECONDS [FIRST [LAST]]": cases FIRST to LAST, whatever time
 * they take, or from FIRST on until the time is up.  run_one(i, kind) says what
 * is wrong with a case and returns false.
 */
static inline int
soak_main(const char *name, const struct soak_kind *kinds, size_t n_kinds,
	  bool (*run_one)(uint64_t i, size_t kind), int argc, char **argv)
{
	time_t began = time(NULL), limit = argc > 1 ? atol(argv[1]) : 60;
	uint64_t i = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, n = 0, bad = 0;
	uint64_t last = argc > 3 ? strtoull(argv[3], NULL, 10) : UINT64_MAX;
	uint64_t did[SOAK_MAX_KINDS] = { 0 };

	for (; i <= last && bad <= SOAK_MAX_BAD &&
	     (argc > 3 || time(NULL) - began < limit); i++, n++) {
		size_t kind = soak_kind_of(kinds, n_kinds, i);

		did[kind]++;
		bad += !run_one(i, kind);
		if (n % 100000 == 99999)
			fprintf(stderr, "%llu\n", (unsigned long long)i);
	}
	printf("%s: %llu cases,", name, (unsigned long long)n);
	for (size_t k = 0; k < n_kinds; k++)
		printf(" %s %llu,", kinds[k].name, (unsigned long long)did[k]);
	printf(" next %llu, %llu failed\n", (unsigned long long)i,
	       (unsigned long long)bad);
	return bad != 0 || n == 0;
}

#endif
