/* SPDX-License-Identifier: MIT */
/* asm_parts.c - a chunk in parts, in any order, gives the bytes of the whole */
#include "tests/lib/asm_parts_case.h"

int
main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : (int)fewer(3000);

	if (argc > 2)
		seed = strtoull(argv[2], NULL, 0);
	for (int i = 0; i < n; i++)
		test_case(i);
	ok(most_parts > 32, "as many as %u parts", most_parts);
	return done();
}
