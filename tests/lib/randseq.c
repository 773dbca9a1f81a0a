/* SPDX-License-Identifier: MIT */
/*
 * randseq.c - random letters as FASTA, the same on every machine
 *
 * usage: randseq LETTERS [SEED [WIDTH [NAME]]]
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/splitmix.h"

static uint64_t state;

int
main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 0, x = 0;
	uint64_t width = argc > 3 ? strtoull(argv[3], NULL, 10) : 70;

	state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	printf(">%s\n", argc > 4 ? argv[4] : "random");
	for (uint64_t i = 0; i < n; i++, x >>= 2) {
		if (i % 32 == 0)
			x = splitmix(&state);
		putchar_unlocked("ACGT"[x & 3]);
		if ((i + 1) % width == 0 || i + 1 == n)
			putchar_unlocked('\n');
	}
	return fflush(stdout) || ferror(stdout);
}
