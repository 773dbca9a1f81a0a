/* SPDX-License-Identifier: MIT */
/* sw_parts.c - chunks in parts, in any order, give the rows of the whole */
#include "tests/lib/sw_parts_case.h"

int
main(int argc, char **argv)
{
	/* without vectors they take several times as long, and show no more */
	int n = argc > 1 ? atoi(argv[1]) :
		(int)fewer(cpu_isa() == ISA_SCALAR ? 120 : 300);

	if (argc > 2)
		seed = strtoull(argv[2], NULL, 0);
	for (int i = 0; i < n; i++)
		test_case(i);
	ok(most_parts > 32, "as many as %u parts", most_parts);
	/* few cases have queries that are cut together: many parts each */
	ok(n_stretches > 10 * (size_t)n &&
	   (n < 100 || n_groups > (size_t)n / 3),
	   "%zu parts begin within the text, %zu have several queries",
	   n_stretches, n_groups);
	ok(n_across > (size_t)n, "%zu alignments begin before their part",
	   n_across);
	return done();
}
