/* SPDX-License-Identifier: MIT */
/*
 * kdiff.c - asm-scan's kernels against the textbook, on a device or emulated:
 * the cases of kdiff's unit tests, pieces and stretches of many sizes
 */
#include "tests/lib/kdiff_rounds.h"
#include "scan/asm/asm.h"

static struct asm_gpu *gpu;
static uint64_t n_letters, n_dense;	/* searched by devices; given up */
static uint32_t few_hits;	/* what a piece may have, where not 0 */
static bool paper;		/* always by the source's kernels */

static void
look_back(void)
{
	struct cuda_report r;

	if (!gpu)
		return;
	cuda_pool_report(asm_gpu_pool(gpu), &r);
	n_letters += r.letters;
	n_dense += strcmp(r.why_not, "too many matches") == 0;
	if (*r.failed)
		ok(0, "%s", r.failed);
	asm_gpu_free(gpu);
	gpu = NULL;
}

/* Pieces so small that most texts have several. */
static void
with_gpu(struct kdiff_set *set)
{
	struct asm_gpu_params p = {
	    .choice = {.kind = CUDA_THESE, .n = 1},
	    .threads = 1,
	    .kernel = below(&seed, 8) && !paper ? KDIFF_DEV_FAST
		      : below(&seed, 2)         ? KDIFF_DEV_PAPER
						: KDIFF_DEV_PAPER_GLOBAL,
	    .letters = 64 * (3 + (uint32_t)below(&seed, 40)),
	    .hits = few_hits ? few_hits : 1 << 16,
	    .launch = below(&seed, 2) ? 1 + below(&seed, 1 << 12) : 0,
	};
	struct err e;

	look_back();
	if (asm_gpu_new(&gpu, set, &p, &e)) {
		fprintf(stderr, "%s\n", e.text);
		abort();
	}
}

/* One pattern of each length, and every k: registers full and nearly so. */
static bool
lengths(uint64_t round)
{
	size_t m = 1 + round % 64;

	reset(300 + below(&seed, 600));
	fill(RANDOM, letters, kc.n);
	kc.p.hamming = below(&seed, 3) == 0;
	kc.p.iupac = round / 64 % 2;
	add_pattern(RANDOM, m, below(&seed, m));
	add_pattern(RANDOM, m, below(&seed, 1 + m / 4));
	add_pattern(NS, 1 + below(&seed, 64), 0);
	for (uint64_t i = round % 4 ? 0 : 9; i; i--)	/* of many groups */
		add_pattern(RANDOM, m, m / 5);
	kc.no_trace = true;
	return run();
}

/*
 * Matches with a letter more behind every second one, which end behind where
 * stretches begin: as far back as one can reach.
 */
static bool
leads(uint64_t round)
{
	size_t m = round % 2 ? 32 : 64;

	reset(1300 + below(&seed, 600));
	fill(RANDOM, letters, kc.n);
	kc.p.hamming = false;
	add_pattern(RANDOM, m, m / 2);
	for (size_t at = 256; at < kc.n; at += 256) {
		size_t end = at + 1 + below(&seed, 8);

		for (size_t i = 0; i < m + m / 2 && i < end; i++)
			letters[end - 1 - i] = i % 3 == 1 ?
				(uint8_t)"ACGT"[below(&seed, 4)] :
				kc.pat[0][m - 1 - i / 3 * 2 - i % 3 / 2];
	}
	kc.no_trace = true;
	return run();
}

/* By the source's kernels: letters that are sets, also within matches. */
static bool
sets(uint64_t round)
{
	bool good;

	reset(200 + below(&seed, 200));
	fill(CODES, letters, kc.n);
	kc.p.iupac = true;
	for (unsigned i = 0; i < 3; i++) {
		size_t m = 1 + below(&seed, 64);

		add_pattern(RANDOM, m, below(&seed, 1 + m / 3));
	}
	for (size_t i = 0; i < kc.n; i += 1 + below(&seed, 9))
		letters[i] = letters[i] == 'A' || letters[i] == 'G' ? 'R' :
			     letters[i] == 'C' || letters[i] == 'T' ? 'Y' :
			     letters[i];
	kc.no_trace = true;
	paper = round % 4;
	good = run();
	paper = false;
	return good;
}

/* More hits than there is room for: the CPU does it all. */
static bool
dense(uint64_t round)
{
	bool good;

	few_hits = 1 + (uint32_t)below(&seed, 40);
	good = small(round);
	few_hits = 0;
	return good;
}

/* With an operand, a little of each: under a checker that is slow. */
int
main(int argc, char **argv)
{
	uint64_t part = argc > 1 ? 16 : 1;

	(void)argv;
	if (!cuda_devices()) {
		printf("1..0 # SKIP %s\n", cuda_why_none());
		return 0;
	}
	kcase_with = with_gpu;
	sweep("small", small, fewer(300 / part));
	sweep("lengths", lengths, fewer(256 / part));
	sweep("leads", leads, fewer(40 / part) + 4);
	sweep("sets", sets, fewer(32 / part) + 2);
	sweep("segments", segments, fewer(60 / part));
	sweep("plateaus", plateaus, fewer(30 / part));
	sweep("exits", exits, fewer(16 / part));
	ok(n_letters > 100000 / part, "%llu letters by the device",
	   (unsigned long long)n_letters);
	n_dense = 0;
	sweep("dense", dense, fewer(60 / part) + 4);
	ok(n_dense > 0, "%llu texts are given up",
	   (unsigned long long)n_dense);
	look_back();
	return done();
}
