/* SPDX-License-Identifier: MIT */
/* primer_seed.c - windows found by their pieces: against plain, and repeats */
#include "../primer_plain.h"

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

	pcase_begin(&c, 271828182845904523ull + i * 7919, 20 + i % 80,
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
	good = pcase_against_plain(&c, "pieces", SIZE_MAX / 2);
	*found += c.stats.seeds;
	pcase_free(&c);
	return good;
}

static void
pieces(void)
{
	uint64_t i = 0, found = 0;

	while (i < fewer(150) && by_pieces(i, &found))
		i++;
	ok(i == fewer(150) && found > 10 * i, "%d found by pieces, %d of them",
	   (int)i, (int)found);
}

/* Pieces of repeats are everywhere in repeats: cores are scanned for instead,
 * and by pieces goes what is by chance. */
static void
repeated_pieces(void)
{
	struct pcase c;
	bool good;

	pcase_begin(&c, 9, 2000, 60000, 4);
	c.par.k = 4;
	c.par.max_len = 40;
	for (size_t i = 0; i < 2000; i++)
		if (below(&c.seed, 5))
			c.target[0].s[i] = (uint8_t)"CA"[i & 1];
	for (size_t i = 30000; i < 60000; i++)
		if (below(&c.seed, 30))
			c.text[0].s[i] = (uint8_t)"CA"[i & 1];
	c.force.seeds = PRIMER_SEEDS_OLD;
	good = pcase_against_plain(&c, "repeated pieces", SIZE_MAX / 2);
	ok(good && c.stats.seeds > 100 && c.stats.seeds < 50 * 60000 &&
	   c.stats.columns > 60000,
	   "%llu repeated pieces, then %llu columns of cores",
	   (unsigned long long)c.stats.seeds,
	   (unsigned long long)c.stats.columns);
	pcase_free(&c);
}

int
main(void)
{
	pieces();
	repeated_pieces();
	return done();
}
