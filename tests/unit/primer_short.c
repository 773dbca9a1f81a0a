/* SPDX-License-Identifier: MIT */
/* primer_short.c - many starts at once: against plain, its rules, threads */
#include <omp.h>

#include "../primer_gen.h"

/* A case of one target and one text; k, max_len and the rest are the
 * caller's. */
static void
begin(struct pcase *c, uint64_t seed, size_t m, size_t n, unsigned sigma)
{
	*c = (struct pcase){ .seed = seed, .n_targets = 1, .n_texts = 1 };
	c->target[0] = pcase_letters(c, m, sigma, 0);
	c->target[0].end = pcase_alloc(m * 8);
	c->text[0] = pcase_letters(c, n, sigma, 0);
}

/* Ends by the plain engine, which the definition has vouched for. */
static void
want_plain(struct pcase *c)
{
	struct primer *p = pcase_primer(c, PRIMER_PLAIN);
	struct primer_work *w;
	struct err e;

	if (primer_work_new(&w, &e))
		abort();
	for (size_t t = 0; t < c->n_texts; t++) {
		struct ppiece x = { t, 0, c->text[t].n };

		if (!pcase_search(p, c, &x, 0, UINT64_MAX, w))
			abort();
	}
	for (size_t i = 0; i < c->n_targets; i++)
		primer_target_ends(p, i, c->target[i].end);
	primer_work_free(w);
	primer_delete(p);
}

static bool
against_plain(struct pcase *c, const char *name, uint64_t size)
{
	bool good;

	want_plain(c);
	good = pcase_run(c, PRIMER_SHORT, size, name);
	if (!good)
		ok(0, "%s: k %llu: %s", name, (unsigned long long)c->par.k,
		   c->why);
	return good;
}

static void
medium(void)
{
	size_t n = fewer(12000);

	for (uint64_t k = 1; k <= 14; k++) {
		struct pcase c;
		bool good;

		begin(&c, 4711 * k, 400, n, 4);
		c.par.k = k;
		c.par.max_len = 20 + 3 * k;
		for (int i = 0; i < 40; i++)
			pcase_plant(&c, &c.text[0], &c.target[0], 3 * k);
		good = against_plain(&c, "medium", 7000 + 5000 * k);
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
		begin(&c[i], 99, 2000, 90000, 4);
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

/* Pieces of repeats are everywhere in repeats: cores are scanned for instead,
 * and by pieces goes what is by chance. */
static void
repeated_pieces(void)
{
	struct pcase c;
	bool good;

	begin(&c, 9, 2000, 60000, 4);
	c.par.k = 4;
	c.par.max_len = 40;
	for (size_t i = 0; i < 2000; i++)
		if (below(&c.seed, 5))
			c.target[0].s[i] = (uint8_t)"CA"[i & 1];
	for (size_t i = 30000; i < 60000; i++)
		if (below(&c.seed, 30))
			c.text[0].s[i] = (uint8_t)"CA"[i & 1];
	c.force.seeds = PRIMER_SEEDS_OLD;
	good = against_plain(&c, "repeated pieces", SIZE_MAX / 2);
	ok(good && c.stats.seeds > 100 && c.stats.seeds < 50 * 60000 &&
	   c.stats.columns > 60000,
	   "%llu repeated pieces, then %llu columns of cores",
	   (unsigned long long)c.stats.seeds,
	   (unsigned long long)c.stats.columns);
	pcase_free(&c);
}

/* Repeats of a few letters in both, each copy a little different: where cores
 * hit everywhere, blocks are scanned without. */
static void
repeats(void)
{
	struct pcase c;
	bool good;

	begin(&c, 7, 300, 100000, 4);
	c.par.k = 5;
	c.par.max_len = 60;
	for (int t = 0; t < 2; t++) {
		struct pletters *x = t ? &c.text[0] : &c.target[0];

		for (size_t i = 0; i < x->n; i++)
			if (below(&c.seed, 12))
				x->s[i] = (uint8_t)"CA"[i & 1];
	}
	good = against_plain(&c, "repeats", SIZE_MAX / 2);
	ok(good, "repeats as plain does");
	ok(c.stats.plain > 10, "%llu of %llu blocks went on without a core",
	   (unsigned long long)c.stats.plain,
	   (unsigned long long)c.stats.blocks);
	/* leaves of the whole text, twice at most, and what began a tile */
	ok(c.stats.checks < 5 * 100000 * 16 / 2 * (300 / 8),
	   "hits cost a plain scan at most: %llu words",
	   (unsigned long long)c.stats.checks);
	pcase_free(&c);
	repeated_pieces();
	begin(&c, 8, 1000, 50000, 4);
	c.par.k = 5;
	c.par.max_len = 35;
	good = against_plain(&c, "random", SIZE_MAX / 2);
	ok(good && c.stats.plain * 20 < c.stats.blocks,
	   "random letters: %llu of %llu", (unsigned long long)c.stats.plain,
	   (unsigned long long)c.stats.blocks);
	pcase_free(&c);
}

/* Threads that search pieces of texts for ranges of places, all at once. */
static bool
at_once(struct pcase *c, uint64_t size)
{
	struct primer *p = pcase_primer(c, PRIMER_SHORT);
	struct ppiece *x;
	size_t n = pcase_pieces(c, p, size, &x);
	uint64_t part = primer_places(p) / 3 + 1;
	bool good = true;

#pragma omp parallel num_threads(4) reduction(&& : good)
	{
		struct primer_work *w;
		struct err e;

		if (primer_work_new(&w, &e))
			abort();
#pragma omp for schedule(dynamic)
		for (size_t i = 0; i < 3 * n; i++)
			good = good && pcase_search(p, c, &x[i / 3],
				i % 3 * part, (i % 3 + 1) * part, w);
		primer_work_free(w);
	}
	good = good && pcase_same(c, p, "threads");
	primer_delete(p);
	free(x);
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
		want_plain(&c);
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

	begin(&c, 88172645463325252ull + i * 7919, 40 + i % 50, 260, 4);
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
	good = against_plain(&c, "longest paths", SIZE_MAX / 2);
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

/* Letters of the target into the text, so many of them changed: one letter for
 * another or for none, one more, one that matches nothing. */
static void
plant_with(struct pcase *c, uint64_t changes)
{
	struct pletters *t = &c->text[0], *a = &c->target[0];
	size_t len = 8 + below(&c->seed, 50);
	size_t i = below(&c->seed, a->n), j = below(&c->seed, t->n);

	for (; len && i < a->n && j < t->n; len--) {
		bool here = below(&c->seed, len) < changes;
		uint64_t how = below(&c->seed, 7);

		changes -= here;
		if (here && how < 2)
			i++;
		else if (here && how < 4)
			t->s[j++] = (uint8_t)"ACGT"[below(&c->seed, 4)], len++;
		else if (here)
			t->s[j++] = (uint8_t)"ACGTN"[below(&c->seed, 5)], i++;
		else
			t->s[j++] = a->s[i++];
	}
}

/* Tiles of copies make windows long, of which later tiles hold copies that
 * differ as much as they may, in whatever piece: they are found by pieces. */
static bool
by_pieces(uint64_t i, uint64_t *found)
{
	struct pcase c;
	bool good;

	begin(&c, 271828182845904523ull + i * 7919, 20 + i % 80,
	      100 + i * 31 % 1500, 4);
	c.par.k = 1 + i % 4;
	c.par.max_len = 12 + below(&c.seed, 52);
	for (size_t n = c.text[0].n / (10 + below(&c.seed, 60)); n; n--)
		plant_with(&c, below(&c.seed, 8) ? c.par.k - 1 : c.par.k);
	c.force = (struct primer_force){
		.seeds = below(&c.seed, 4) ? PRIMER_SEEDS_NEW :
			 PRIMER_SEEDS_OLD,
		.tile = 20 + (unsigned)below(&c.seed, 200),
	};
	good = against_plain(&c, "pieces", SIZE_MAX / 2);
	*found += c.stats.seeds;
	pcase_free(&c);
	return good;
}

static void
pieces(void)
{
	uint64_t i = 0, found = 0;

	while (i < fewer(400) && by_pieces(i, &found))
		i++;
	ok(i == fewer(400) && found > 10 * i, "%d found by pieces, %d of them",
	   (int)i, (int)found);
}

/* Without max_len, where targets are as short as a word allows, or longer. */
static void
short_targets(void)
{
	for (size_t m = 62; m <= 65; m++) {
		struct pcase c;
		bool good;

		begin(&c, 17 + m, m, 2000, 4);
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
	pieces();
	short_targets();
	medium();
	gap();
	repeats();
	threads();
	slices();
	return done();
}
