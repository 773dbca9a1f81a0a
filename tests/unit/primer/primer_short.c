/* SPDX-License-Identifier: MIT */
/* primer_short.c - many starts at once: against plain, its rules, threads */

#include "tests/oracle/primer_plain.h"

static void
medium(void)
{
	size_t n = fewer(12000);

	for (uint64_t k = 1; k <= 14; k++) {
		struct pcase c;
		bool good;

		pcase_begin(&c, 4711 * k, 400, n, 4);
		c.par.k = k;
		c.par.max_len = 20 + 3 * k;
		for (int i = 0; i < 40; i++)
			pcase_plant(&c, &c.text[0], &c.target[0], 3 * k);
		good = pcase_against_plain(&c, "medium", 7000 + 5000 * k);
		if (k <= 13)
			good &= ok(c.stats.columns != 0, "k %d: cores", (int)k);
		else
			good &= ok(!c.stats.columns, "k %d: leaves", (int)k);
		ok(good, "k %d: %zu letters as plain does", (int)k, n);
		pcase_free(&c);
	}
}

/*
 * A sequencing gap at the begin: tiles without a letter would teach nothing,
 * and the first real one be met with cores of k letters, most of which occur.
 */
static void
gap(void)
{
	struct pcase c[2];

	for (int i = 0; i < 2; i++) {
		pcase_begin(&c[i], 99, 2000, 90000, 4);
		c[i].par.k = 4;
		c[i].par.max_len = 30;
		if (i)
			memset(c[i].text[0].s, 'N', 60000);
		else	/* the same without it */
			memmove(c[i].text[0].s, c[i].text[0].s + 60000,
				c[i].text[0].n = 30000);
		if (!pcase_run(&c[i], PRIMER_SHORT, SIZE_MAX / 2, "gap") &&
		    !strstr(c[i].why, "end("))
			abort();
	}
	ok(c[0].stats.checks + c[0].stats.columns + 100000 >=
	   c[1].stats.checks + c[1].stats.columns,
	   "a gap of 60,000 costs nothing: %llu + %llu, %llu + %llu words",
	   (unsigned long long)c[0].stats.columns,
	   (unsigned long long)c[0].stats.checks,
	   (unsigned long long)c[1].stats.columns,
	   (unsigned long long)c[1].stats.checks);
	pcase_free(&c[0]);
	pcase_free(&c[1]);
}

/* Repeats of a few letters in both, each copy a little different: where cores
 * hit everywhere, blocks are scanned without. */
static void
repeats(void)
{
	struct pcase c;
	bool good;

	pcase_begin(&c, 7, 300, 100000, 4);
	c.par.k = 5;
	c.par.max_len = 60;
	for (int t = 0; t < 2; t++) {
		struct pletters *x = t ? &c.text[0] : &c.target[0];

		for (size_t i = 0; i < x->n; i++)
			if (below(&c.seed, 12))
				x->s[i] = (uint8_t)"CA"[i & 1];
	}
	good = pcase_against_plain(&c, "repeats", SIZE_MAX / 2);
	ok(good, "repeats as plain does");
	ok(c.stats.plain > 10, "%llu of %llu blocks went on without a core",
	   (unsigned long long)c.stats.plain,
	   (unsigned long long)c.stats.blocks);
	/* leaves of the whole text, twice at most, and what began a tile */
	ok(c.stats.checks < 5 * 100000 * 16 / 2 * (300 / 8),
	   "hits cost a plain scan at most: %llu words",
	   (unsigned long long)c.stats.checks);
	pcase_free(&c);
	pcase_begin(&c, 8, 1000, 50000, 4);
	c.par.k = 5;
	c.par.max_len = 35;
	good = pcase_against_plain(&c, "random", SIZE_MAX / 2);
	ok(good && c.stats.checks < 2 * c.stats.columns,
	   "random letters: hits cost less than two scans: %llu, %llu",
	   (unsigned long long)c.stats.checks,
	   (unsigned long long)c.stats.columns);
	pcase_free(&c);
}

/*
 * Letters of the target that the text does not have, all or most of them:
 * windows are as short as they may be, blocks are of one start, and every core
 * is everywhere; mostly to those kernels alone that look at the last row
 * but one.  A plain scan has a word of a column for each start.
 */
static void
strangers(uint64_t k, uint64_t odd)
{
	const size_t m = 320, n = 15000;
	struct pcase c;
	bool good;

	pcase_begin(&c, 12 + k, m, n, 2);
	c.par.k = k;
	c.par.max_len = 30;
	for (size_t i = 0; i < m; i++)
		if (!odd || below(&c.seed, odd))
			c.target[0].s[i] = (uint8_t)"GT"[rnd(&c.seed) >> 63];
	good = pcase_against_plain(&c, "strangers", SIZE_MAX / 2);
	ok(good, "other letters, k %d: as plain does",
	   (int)k);
	ok(c.stats.checks + c.stats.columns < 4 * m * n,
	   "and at most 4 words a start and letter: %.2f",
	   (double)(c.stats.checks + c.stats.columns) / (double)(m * n));
	pcase_free(&c);
}

/* Threads that search pieces of texts for ranges of places, all at once. */
struct pieces {
	struct primer *p;
	struct pcase *c;
	const struct ppiece *piece;
	uint64_t part;		/* places of a range */
	struct primer_work *work[4];
	_Atomic bool good;
};

static void
one_piece(void *ctx, uint64_t i, unsigned thread)
{
	struct pieces *x = ctx;

	if (x->good && !pcase_search(x->p, x->c, &x->piece[i / 3],
				     i % 3 * x->part, (i % 3 + 1) * x->part,
				     x->work[thread]))
		x->good = false;
}

static bool
at_once(struct pcase *c, uint64_t size)
{
	struct primer *p = pcase_primer(c, PRIMER_SHORT);
	struct ppiece *piece;
	size_t n = pcase_pieces(c, p, size, &piece);
	struct pieces x = { .p = p, .c = c, .piece = piece, .good = true,
			    .part = primer_places(p) / 3 + 1 };
	struct err e;
	bool good;

	for (int i = 0; i < 4; i++)
		if (primer_work_new(&x.work[i], &e))
			abort();
	threads_each(4, 3 * n, one_piece, &x);
	for (int i = 0; i < 4; i++)
		primer_work_free(x.work[i]);
	good = x.good && pcase_same(c, p, "threads");
	primer_delete(p);
	free(piece);
	return good;
}

static void
threads(void)
{
	bool good = true;

	for (uint64_t i = 0; i < fewer(8) && good; i++) {
		struct pcase c;

		pcase_random(&c, 31337 * (i + 1), 900, 12000);
		c.par.max_len = 10 + below(&c.seed, 54);
		c.par.k = 1 + below(&c.seed, 9);
		for (size_t t = 0; t < c.n_texts; t++)
			for (int j = 0; j < 9; j++)
				pcase_plant(&c, &c.text[t], &c.target[0], 9);
		pcase_want_plain(&c);
		pcase_force(&c);
		good = at_once(&c, 500 + below(&c.seed, 9000));
		if (!good)
			ok(0, "threads: round %d: %s", (int)i, c.why);
		pcase_free(&c);
	}
	ok(good, "four threads");
}

/* More places than a slice holds, many targets: each is searched for. */
static void
slices(void)
{
	struct primer_params par = { .k = 2, .max_len = 12 };
	uint64_t seed = 5, end[8], want[8];
	struct primer_work *w;
	struct primer *p[2];
	uint8_t target[20000][8], text[3000];
	struct err e;
	bool good = true;

	for (size_t i = 0; i < sizeof text; i++)
		text[i] = 1 + (uint8_t)below(&seed, 4);
	for (int h = 0; h < 2; h++) {
		par.engine = h ? PRIMER_PLAIN : PRIMER_SHORT;
		if (primer_new(&p[h], &par, &e) || primer_work_new(&w, &e))
			abort();
		for (int i = 0; i < 20000; i++) {
			for (int j = 0; j < 8 && !h; j++)
				target[i][j] = (uint8_t)"ACGT"[below(&seed, 4)];
			if (primer_add(p[h], target[i], 8, &e))
				abort();
		}
		if (primer_search(p[h], text, sizeof text, 0, h ? 900 :
				  UINT64_MAX, w, &e) ||
		    (h && primer_search(p[h], text, sizeof text, 179000,
					UINT64_MAX, w, &e)))
			abort();
		primer_work_free(w);
	}
	for (size_t i = 0; i < 20000 && good; i++) {
		if (i == 100)
			i = 19900;
		primer_target_ends(p[0], i, end);
		primer_target_ends(p[1], i, want);
		good = !memcmp(end, want, sizeof end);
	}
	ok(good, "180,000 places of 20,000 targets");
	primer_delete(p[0]);
	primer_delete(p[1]);
}

/*
 * A stretch of the target is in the text with k - 1 letters more, side by side
 * or apart, anywhere: so paths are as long as they can be, before, in and
 * behind cores, and across the borders of tiles.
 */
static bool
longest_paths(uint64_t i)
{
	struct pcase c;
	size_t a, t;
	uint64_t more, apart;
	bool good;

	pcase_begin(&c, 88172645463325252ull + i * 7919, 40 + i % 50, 260, 4);
	c.par.k = 2 + below(&c.seed, 11);
	c.par.max_len = 63;
	more = c.par.k - 1;
	apart = below(&c.seed, 3) ? 0 : 1 + below(&c.seed, 6);
	a = below(&c.seed, 10);
	t = below(&c.seed, 120);
	for (size_t at = a + below(&c.seed, 60); a < c.target[0].n; a++) {
		for (; more && a >= at; more--, at += apart)
			t++;
		c.text[0].s[t++] = c.target[0].s[a];
	}
	pcase_force(&c);
	c.force.rows = (unsigned)(c.par.k + 1 + below(&c.seed, 32 - c.par.k));
	good = pcase_against_plain(&c, "longest paths", SIZE_MAX / 2);
	if (!good)
		ok(0, "round %d: k %d rows %u tile %u: %s", (int)i,
		   (int)c.par.k, c.force.rows, c.force.tile, c.why);
	pcase_free(&c);
	return good;
}

static void
paths(void)
{
	uint64_t i = 0;

	while (i < fewer(1500) && longest_paths(i))
		i++;
	ok(i == fewer(1500), "%d longest paths", (int)i);
}

/* Without max_len, where targets are as short as a word allows, or longer. */
static void
short_targets(void)
{
	for (size_t m = 62; m <= 65; m++) {
		struct pcase c;
		bool good;

		pcase_begin(&c, 17 + m, m, 2000, 4);
		c.par.k = 6;
		for (int i = 0; i < 9; i++)
			pcase_plant(&c, &c.text[0], &c.target[0], 8);
		memcpy(c.text[0].s + 700, c.target[0].s + 3, m - 3);
		pcase_want(&c);
		good = pcase_run(&c, PRIMER_AUTO, SIZE_MAX / 2, "whole");
		ok(good, "targets of %zu letters: %s", m, c.why);
		pcase_free(&c);
	}
}

int
main(void)
{
	paths();
	short_targets();
	medium();
	gap();
	repeats();
	for (uint64_t k = 1; k < 13; k += k < 4 ? 1 : 4)
		for (uint64_t odd = 0; odd < 40; odd += 15)
			strangers(k, odd);
	threads();
	slices();
	return done();
}
