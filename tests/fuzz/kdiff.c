/* SPDX-License-Identifier: MIT */
/*
 * kdiff.c - fuzz the scan and the traceback: all instruction sets that this
 * CPU has against the textbook
 *
 * Input: 8 bytes of choices, then letters; a pattern each, then the text.
 * Letters are drawn from the bytes so that matches are common, and a byte
 * >= 224 repeats what came before.
 */
#include "tests/lib/isas.h"
#include "tests/lib/kdiff_case.h"
#include "letters.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MAX_M = 80, MAX_N = 3000 };

static const char *
choose(struct kcase *c, unsigned a, unsigned *sigma, unsigned *sigma_p)
{
	c->p.report = a & 1 ? KDIFF_MINIMA : KDIFF_ALL;
	c->p.hamming = (a & 6) == 6;
	c->p.iupac = (a & 8) != 0;
	c->p.alphabet = a & 16 ? KDIFF_PROTEIN : KDIFF_DNA;
	if ((a & 48) == 48)
		c->p.alphabet = KDIFF_BYTES;
	*sigma = *sigma_p = a & 64 ? 2 : 4;
	if (a & 16) {
		*sigma = 26;
		*sigma_p = 24;
		return "ACDEFGHIKLMNPQRSTVWYacde*-";
	}
	if (a & 128) {
		*sigma = 20;
		*sigma_p = 18;
	}
	return "ACGTNRYSWKMBDHVuna.*";
}

static void
segments(struct kcase *c, unsigned a, size_t gap)
{
	uint64_t at = 64 * (a & 1), step = (a >> 1 & 31) * 16;

	do {
		struct kdiff_seg *g = &c->seg[c->n_seg++];

		if (at > c->n)
			at = 0;
		g->beg = at;
		g->end = step && at + step < c->n ? at + step : c->n;
		g->from = a & 64 ? at + step / 3 : 0;
		g->to = a & 128 ? at + step / 2 : UINT64_MAX;
		at = (g->end + gap + 63) / 64 * 64;
	} while (at < c->n && c->n_seg < CASE_SEGS);
	c->n = c->seg[c->n_seg - 1].end;
}

static void
check(struct kcase *c)
{
	static const enum kdiff_engine engine[] = {
		KDIFF_TEXT, KDIFF_PATTERNS, KDIFF_FILTER,
	};
	struct kdiff_hits want = { 0 };

	c->no_trace = c->n > 3000;
	kcase_want(c, &want);
	for (size_t i = 0; i < 3 * n_isas(); i++) {
		c->engine = engine[i % 3];
		if (!kcase_run(c, isas[i / 3], &want)) {
			fprintf(stderr, "engine %d: %s\n", c->engine, c->why);
			abort();
		}
	}
	kdiff_hits_free(&want);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static uint8_t text[MAX_N], pat[4][MAX_M];
	struct input in = { data, n };
	unsigned a = take(&in), seg = take(&in), sigma, sigma_p;
	struct kcase c = { .t = text };
	const char *of = choose(&c, a, &sigma, &sigma_p);
	size_t gap = 1;

	c.n_pat = 1 + take(&in) % 4;
	for (size_t i = 0; i < c.n_pat; i++) {
		size_t m = 1 + take(&in) * MAX_M / 256, k = take(&in);

		while (c.m[i] < m)
			c.m[i] = expand(&in, of, sigma_p, pat[i], c.m[i], m, 8,
					1);
		c.k[i] = k < 128 ? k % m : k % (m / 8 + 1);
		c.pat[i] = pat[i];
		gap = gap > c.k[i] + 1 ? gap : c.k[i] + 1;
	}
	while (in.n && c.n < MAX_N)
		c.n = expand(&in, of, sigma, text, c.n, MAX_N, 8, 1);
	segments(&c, seg, gap);
	c.force.block = 64 << (seg + in.n) % 6;
	c.force.patient = seg & 1;
	c.force.index_q = (a ^ seg) % 16 ? 4 + (a ^ seg) % 4 : 10;
	if (seg & 4) {
		c.force.q = 4 + seg / 8 % 4;
		c.force.step = 1 + (a + seg) % 8;
	}
	check(&c);
	return 0;
}
