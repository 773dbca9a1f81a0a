/* SPDX-License-Identifier: MIT */
/* primer_slices.c - a core in lanes of one bit each, by Sellers' columns */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "primer/primer_blocks.h"
#include "base/cpu.h"
#include "tests/lib/tap.h"

enum { MOST = 512, ROWS = 100, TILES = 3, CLASSES = 4,
       STEP = 8, STEPS = PRIMER_TILE / STEP };

struct trial {
	uint64_t seed;
	struct primer_slices s;
	uint8_t code[ROWS];
	uint8_t text[PRIMER_MAX_SLICES][MOST];	/* classes; 0 none */
	uint64_t low[TILES * STEPS][PRIMER_MAX_SLICES / 64];
};

static void
found(void *ctx, uint64_t column, const uint64_t low[PRIMER_MAX_SLICES / 64])
{
	struct trial *x = ctx;

	memcpy(x->low[(column - x->s.own) / STEP], low,
	       x->s.lanes / 8);
}

/*
 * The core, changed in one place by as much as may be or one more, so that its
 * last row lies in one of the first own columns, or of the last, where rows
 * that cannot matter are left out.
 */
static void
plant(struct trial *x, uint8_t *text)
{
	uint64_t at = below(&x->seed, x->s.rows), r = x->s.rows;
	uint64_t change = x->s.limit + (below(&x->seed, 4) == 0);
	uint64_t t = below(&x->seed, 2) ? x->s.own + below(&x->seed, 12) :
			x->s.columns - 1 - below(&x->seed, 12);
	bool more = below(&x->seed, 2);

	if (below(&x->seed, 2))	/* near either end */
		at = below(&x->seed, 2) ? 1 : r - 1;
	while (r > 0) {
		if (r == at && more)
			t -= change < t ? change : t;
		else if (r == at)
			r -= change < r ? change : r;
		at = r == at ? 0 : at;
		if (r > 0)
			text[t] = x->code[--r];
		if (t-- == 0)
			break;
	}
}

/* D of the last row is at most the limit in some column of each own step. */
static void
sellers(const struct trial *x, const uint8_t *text, bool *low)
{
	uint64_t d[ROWS + 1];

	for (uint64_t r = 0; r <= x->s.rows; r++)
		d[r] = r;
	for (uint64_t t = 0; t < x->s.columns; t++) {
		uint64_t diagonal = 0;

		for (uint64_t r = 1; r <= x->s.rows; r++) {
			uint64_t v = diagonal + (x->code[r - 1] != text[t]);

			diagonal = d[r];
			v = v < d[r] + 1 ? v : d[r] + 1;
			d[r] = v < d[r - 1] + 1 ? v : d[r - 1] + 1;
		}
		if (t >= x->s.own && d[x->s.rows] <= x->s.limit)
			low[(t - x->s.own) / STEP] = true;
	}
}

static void
random_trial(struct trial *x)
{
	x->s.rows = 1 + below(&x->seed, ROWS);
	x->s.limit = below(&x->seed, 1 + x->s.rows / (1 +
			   below(&x->seed, 4)));
	x->s.own = (x->s.rows + x->s.limit + PRIMER_TILE - 1) / PRIMER_TILE *
		   PRIMER_TILE;
	x->s.columns = x->s.own + PRIMER_TILE * (1 + below(&x->seed, TILES));
	x->s.n_classes = CLASSES;
	for (uint64_t r = 0; r < x->s.rows; r++)
		x->code[r] = (uint8_t)(1 + below(&x->seed, CLASSES));
	for (unsigned l = 0; l < x->s.lanes; l++) {
		for (uint64_t t = 0; t < x->s.columns; t++)
			x->text[l][t] = (uint8_t)(below(&x->seed, 9) % 5);
		plant(x, x->text[l]);
	}
}

static void
run(struct trial *x, primer_slices_fn *fn)
{
	uint64_t lanes = x->s.lanes, plane = lanes / 8;
	uint8_t *text = aligned_alloc(64, 64 * CLASSES * MOST);
	void *state = aligned_alloc(64, 64 * (2 * ROWS + 256));

	if (!text || !state ||
	    primer_slices_state(lanes, ROWS) > 64 * (2 * ROWS + 256))
		abort();
	memset(text, 0, 64 * CLASSES * MOST);
	for (unsigned l = 0; l < lanes; l++)
		for (uint64_t t = 0; t < x->s.columns; t++)
			if (x->text[l][t])
				text[(t * CLASSES + x->text[l][t] - 1) * plane +
				     l / 8] |= (uint8_t)(1u << l % 8);
	x->s.text = text;
	x->s.state = state;
	x->s.code = x->code;
	x->s.step = STEP;
	x->s.found = found;
	x->s.ctx = x;
	fn(&x->s);
	free(text);
	free(state);
}

/* How many lanes and steps have a core; -1: one is wrong. */
static long
compare(const struct trial *x)
{
	long n = 0;

	for (unsigned l = 0; l < x->s.lanes; l++) {
		bool want[TILES * STEPS] = { false };

		sellers(x, x->text[l], want);
		for (unsigned i = 0; i < TILES * STEPS; i++) {
			if (want[i] != (x->low[i][l / 64] >> l % 64 & 1))
				return -1;
			n += want[i];
		}
	}
	return n;
}

int
main(void)
{
	struct trial *x = calloc(1, sizeof *x);
	primer_slices_fn *fn = KERN_PICK(primer_slices);
	uint64_t rounds, r;
	long n = 0, have = 0;
	unsigned lanes = 8 * isa_bytes(cpu_isa());

	if (!x)
		return 1;
	rounds = fewer(40000) / lanes;
	for (r = 0; r < rounds && have >= 0; r++) {
		memset(x, 0, sizeof *x);
		x->seed = 99 + r;
		x->s.lanes = lanes;
		random_trial(x);
		run(x, fn);
		have = compare(x);
		n += have;
	}
	ok(have >= 0, "%d rounds of %u lanes: rows %d, limit %d", (int)r,
	   lanes, (int)x->s.rows, (int)x->s.limit);
	ok(n > (long)(rounds * lanes / 2), "the core is in %ld steps", n);
	free(x);
	return done();
}
