/* SPDX-License-Identifier: MIT */
/* asm_parts.c - a chunk that a GPU has searched, then in parts: the bytes that
 * the CPU makes of the whole */
#include "tests/lib/asm_parts_case.h"

#include "cuda/device.h"
#include "tests/lib/heap.h"

static void *
some(void *ctx)
{
	seed = 4711;
	for (int i = 0; i < 12; i++)
		test_case(i);
	return ctx;
}

/* With an operand, a little: under a checker that is slow. */
int
main(int argc, char **argv)
{
	bool little = argc > 1 || getenv("SEQF_SIMT_LITTLE");
	int n = (int)fewer(little ? 60 : 400);

	(void)argv;
	if (!cuda_devices()) {
		printf("1..0 # SKIP %s\n", cuda_why_none());
		return 0;
	}
	by_gpu = true;
	for (int i = 0; i < n; i++)
		test_case(i);
	heap_same(some, NULL);
	ok(n_letters && !made_early && most_parts > 8, "%d letters, as "
	   "many as %u parts", (int)n_letters, most_parts);
	return done();
}
