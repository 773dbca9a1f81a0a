/* SPDX-License-Identifier: MIT */
/* sw_parts.c - chunks that a GPU has searched as one, then in parts: the rows
 * that the CPU finds in the whole */
#include "tests/lib/heap.h"
#include "tests/lib/sw_parts_case.h"

static void *
some(void *ctx)
{
	seed = 4711;
	for (int i = 0; i < 8; i++)
		test_case(i);
	return ctx;
}

/* With an operand, a little: under a checker that is slow. */
int
main(int argc, char **argv)
{
	bool little = argc > 1 || getenv("SEQF_SIMT_LITTLE");
	int n = (int)fewer(little ? 20 : 60);

	(void)argv;
	if (!cuda_devices()) {
		printf("1..0 # SKIP %s\n", cuda_why_none());
		return 0;
	}
	by_gpu = true;
	for (int i = 0; i < n; i++)
		test_case(i);
	heap_same(some, NULL);
	ok(n_columns && n_known[0] && n_known[1] && most_parts > 2,
	   "%d columns, %d texts known, %d of cells, as many as %u parts",
	   (int)n_columns, (int)n_known[0], (int)n_known[1], most_parts);
	return done();
}
