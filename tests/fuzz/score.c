/* SPDX-License-Identifier: MIT */
/*
 * score.c - tables of off-target scores: never a crash, and by what is taken
 * every site has a score from 0 to 1, or none
 */
#include <stdlib.h>
#include <string.h>

#include "letters/letters.h"
#include "rec/rec.h"
#include "scan/asm/asm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static uint64_t
below(uint64_t *s, uint64_t n)
{
	*s = *s * 6364136223846793005 + 1442695040888963407;
	return (*s >> 33) % n;
}

/* A guide of m letters, and a site with some differences, both at random. */
static void
check_site(const struct asm_score *score, bool before, uint64_t *s, bool differ)
{
	char guide[64], site[256];
	uint32_t op[160];
	size_t m = 1 + below(s, 30), n = 0, n_ops = 0, pam = 1 + below(s, 5);
	struct asm_score_site x = { .pam = (unsigned)pam, .ops = op };
	uint64_t value = 0;

	for (size_t i = 0; i < m; i++)
		guide[i] = "ACGTUNacgt"[below(s, 10)];
	for (size_t i = 0; i < pam && before; i++)
		site[n++] = "ACGTN"[below(s, 5)];
	op[n_ops++] = (uint32_t)pam << 4 | CIGAR_EQ;
	n_ops -= !before;
	for (size_t i = 0; i < m; i++) {
		unsigned kind = differ ? (unsigned)below(s, 8) : 0;

		if (kind == 1)
			op[n_ops++] = 1 << 4 | CIGAR_D;
		if (kind == 1)
			site[n++] = "ACGTN"[below(s, 5)];
		op[n_ops++] = 1 << 4 | (kind == 2 ? CIGAR_I : kind == 3 ?
					CIGAR_X : CIGAR_EQ);
		if (kind != 2)
			site[n++] = kind == 3 ? "ACGTN"[below(s, 5)] : guide[i];
	}
	for (size_t i = 0; i < pam && !before; i++)
		site[n++] = "ACGTN"[below(s, 5)];
	if (!before)
		op[n_ops++] = (uint32_t)pam << 4 | CIGAR_EQ;
	x.guide = (struct str){ guide, m };
	x.letters = (struct str){ site, n };
	x.n_ops = n_ops;
	if (asm_score_site(score, &x, &value) && value > OFFTARGET_ONE)
		abort();
	x.minus = true;	/* of what it then means no matter */
	if (asm_score_site(score, &x, &value) && value > OFFTARGET_ONE)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct asm_score *score;
	struct buf b = { 0 };
	uint64_t seed = n;
	struct err e;
	bool before = n && data[0] & 1;

	if (n < 1 || asm_score_parse(&score, "x", (struct str){
				     (const char *)data + 1, n - 1 }, before,
				     &e))
		return 0;
	for (unsigned i = 0; i < 50; i++)
		check_site(score, before, &seed, i % 5);
	asm_score_text(score, &b);
	if (b.bad || !b.n)
		abort();
	buf_free(&b);
	asm_score_free(score);
	return 0;
}
