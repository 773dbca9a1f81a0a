/* SPDX-License-Identifier: MIT */
/* primer_seed.c - windows found by their pieces: against plain, and repeats */
#include "tests/oracle/primer_plain.h"
#include "primer/primer_short.h"

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
	uint64_t i = 0, n = not_too_few(150), found = 0;

	while (i < n && by_pieces(i, &found))
		i++;
	ok(i == n && found > 10 * i, "%d found by pieces, %d of them", (int)i,
	   (int)found);
}

/* Pieces of repeats are everywhere in repeats: cores are scanned for instead,
 * and by pieces goes what is by chance. */
static void
repeated_pieces(void)
{
	struct pcase c;
	bool good;

	pcase_begin(&c, 9, 800, 40000, 4);
	c.par.k = 4;
	c.par.max_len = 40;
	for (size_t i = 0; i < 800; i++)
		if (below(&c.seed, 5))
			c.target[0].s[i] = (uint8_t)"CA"[i & 1];
	for (size_t i = 25000; i < 40000; i++)
		if (below(&c.seed, 30))
			c.text[0].s[i] = (uint8_t)"CA"[i & 1];
	c.force.seeds = PRIMER_SEEDS_OLD;
	good = pcase_against_plain(&c, "repeated pieces", SIZE_MAX / 2);
	ok(good && c.stats.seeds > 100 && c.stats.seeds < 50 * 40000 &&
	   c.stats.columns > 40000,
	   "%llu repeated pieces, then %llu columns of cores",
	   (unsigned long long)c.stats.seeds,
	   (unsigned long long)c.stats.columns);
	pcase_free(&c);
}

/* A letter changed: one that matches nothing, another, or none. */
static size_t
instead(struct pcase *c, uint8_t *t, uint8_t letter)
{
	static const char of[] = "ACGTACG";
	uint64_t how = below(&c->seed, 5);

	if (how < 2)
		return 0;
	*t = 'N';
	if (how > 2)
		*t = (uint8_t)strchr(of, letter)[1 + below(&c->seed, 3)];
	return 1;
}

/* Letters [0, len) of the target to text i, k - 1 of them changed or one more
 * before them, side by side or apart; where they end. */
static size_t
plant_changed(struct pcase *c, size_t i, size_t len)
{
	uint64_t left = c->par.k - 1, more = below(&c->seed, 3);
	size_t at = below(&c->seed, 2) ? below(&c->seed, len) : len;
	uint8_t *t = c->text[0].s;

	for (size_t j = 0; j < len; j++) {
		uint8_t a = c->target[0].s[j];
		bool here = j >= at || (at == len &&
					below(&c->seed, len - j) < left);

		for (; here && left && more; left--) {
			t[i++] = (uint8_t)"ACGT"[below(&c->seed, 4)];
			here = at < len && below(&c->seed, 3);
		}
		if (here && left && !more) {
			i += instead(c, t + i, a);
			left--;
		} else {
			t[i++] = a;
		}
		if (!below(&c->seed, 3))
			more = below(&c->seed, 3);
	}
	return i;
}

/*
 * A copy in the first tile makes the first window long; in a later one it
 * occurs by as many differences as it may, and is found by one of its pieces or
 * not at all, wherever tiles and the text end.
 */
static void
one_window(struct pcase *c, uint64_t i)
{
	size_t len, at, end;

	pcase_begin(c, 314159265358979323ull + i * 7919, 66, 400, 4);
	c->par.k = 2 + i % 3;
	c->par.max_len = 63;
	len = 14 + below(&c->seed, below(&c->seed, 16) ? 20 : 50);
	c->target[0].n = len;
	memcpy(c->text[0].s, c->target[0].s,
	       len - 2 * c->par.k - below(&c->seed, 3));
	at = 70 + below(&c->seed, 100);
	end = plant_changed(c, at, len);
	if (below(&c->seed, 2))
		c->text[0].n = end + below(&c->seed, 70);
	c->force = (struct primer_force){
		.seeds = below(&c->seed, 4) ? PRIMER_SEEDS_OLD :
			 PRIMER_SEEDS_NEW,
		.tile = below(&c->seed, 2) ? 70 :
			(unsigned)(end - below(&c->seed, 4)),
	};
}

static void
windows(void)
{
	uint64_t i, n = fewer(2000), seeds = 0, by_seeds = 0;
	bool good = true;

	for (i = 0; i < n && good; i++) {
		struct pcase c;

		one_window(&c, i);
		good = pcase_against_plain(&c, "windows", SIZE_MAX / 2);
		seeds += c.stats.seeds;
		by_seeds += c.stats.seeds > 0;
		pcase_free(&c);
	}
	ok(good && by_seeds > n / 2, "%d windows, %d by pieces, %d of them",
	   (int)n, (int)by_seeds, (int)seeds);
}

/* A for C, C for A. */
static void
exchange(struct pletters *x)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->s[i] == 'A' || x->s[i] == 'C')
			x->s[i] ^= 'A' ^ 'C';
}

/* Round i: the same letters for a while, of which some change then. */
static bool
with_memory(uint64_t i, struct primer_work *w)
{
	struct ppiece x = { 0, 0, 0 };
	struct primer *p;
	struct pcase c;
	size_t cut;
	bool good;

	one_window(&c, 3 * (i / 8));
	c.par.k = 2 + (i + i / 2) % 3;
	c.force.seeds = PRIMER_SEEDS_OLD;
	x.end = c.text[0].n;
	if (i % 8 > 5)
		exchange(&c.target[0]);
	if (i % 8 > 6)
		exchange(&c.text[0]);
	cut = i & 1 ? 1 + below(&c.seed, 9) : 0;
	pcase_want_plain(&c);
	p = pcase_primer(&c, PRIMER_SHORT);
	good = pcase_search(p, &c, &x, cut, UINT64_MAX, w) &&
	       pcase_search(p, &c, &x, 0, cut, w) &&
	       pcase_same(&c, p, "one memory");
	if (!good)
		ok(0, "round %d: %s", (int)i, c.why);
	primer_delete(p);
	pcase_free(&c);
	return good;
}

/* Searches of other letters, of another k, of other places, with one working
 * memory: a table is of one of them. */
static void
one_memory(void)
{
	uint64_t i = 0, n = fewer(160);
	struct primer_work *w;
	struct err e;

	if (primer_work_new(&w, &e))
		abort();
	while (i < n && with_memory(i, w))
		i++;
	primer_work_free(w);
	ok(i == n, "%d searches with one memory", (int)i);
}

/* A letter changed as `kind` says: another for it, none for it, one more before
 * it, one more behind it. */
static size_t
change(uint8_t *t, uint8_t letter, unsigned kind)
{
	uint8_t other = letter == 'A' ? 'C' : 'A';

	if (kind == 1)
		return 0;
	t[0] = kind == 3 ? letter : other;
	t[1] = kind == 3 ? other : letter;
	return kind ? 2 : 1;
}

/*
 * A window of len letters, made long enough by a copy in the first tile, of
 * which the second tile has one with k - 1 changes of one kind, `gap` letters
 * apart, the first at letter `at`; then other letters, for sieves to read.
 */
static bool
with_changes(uint64_t k, size_t len, size_t at, size_t gap, unsigned kind,
	     uint64_t *found)
{
	size_t i = 90, left = k - 1;
	struct pcase c;
	bool good;

	pcase_begin(&c, 7 * len + at + kind, len, 260, 4);
	memcpy(c.text[0].s, c.target[0].s, len - 2 * k - at % 2);
	for (size_t j = 0; j < len; j++) {
		bool here = left && j >= at && (j - at) % gap == 0;
		uint8_t a = c.target[0].s[j];

		left -= here;
		if (here)
			i += change(c.text[0].s + i, a, kind);
		else
			c.text[0].s[i++] = a;
	}
	c.par.k = k;
	c.par.max_len = 63;
	c.force = (struct primer_force){ .seeds = PRIMER_SEEDS_OLD,
					 .tile = 70 };
	good = pcase_against_plain(&c, "changes", SIZE_MAX / 2);
	*found += c.stats.seeds > 0;
	pcase_free(&c);
	return good;
}

static void
changes(void)
{
	uint64_t n = 0, found = 0, seed = 12, most = fewer(2400);
	bool good = true;

	for (; good && n < most; n++) {
		uint64_t k = 2 + n % 3, len = 18 + below(&seed, 16);
		uint64_t gap = 1 + below(&seed, 2 + below(&seed, len / 3));

		good = with_changes(k, len, below(&seed, len), gap,
				    (unsigned)(n / 3 % 4), &found);
	}
	ok(good && found > n / 2, "%d windows with changes of one kind, %d by "
	   "pieces", (int)n, (int)found);
}

/*
 * Hits of a tile may cost so much that the rest of it is read for their block
 * plainly; in the next tile that has passed.  What costs here is what resembles
 * the window's first letters, again and again.
 */
static bool
worn(uint64_t i, uint64_t *plain)
{
	struct pcase c;
	bool good;
	size_t at;

	pcase_begin(&c, 161803398874989484ull + i, 58, 1800, 4);
	c.par.k = 2 + i % 3;
	c.par.max_len = 63;
	memcpy(c.text[0].s, c.target[0].s, 50);
	for (at = 200; at + 40 < 1000; at += 34)
		memcpy(c.text[0].s + at, c.target[0].s, 34);
	at = 1100 + below(&c.seed, 60);
	memcpy(c.text[0].s + at, c.target[0].s, 58);
	for (uint64_t j = 1; j < c.par.k; j++)
		c.text[0].s[at + 58 / c.par.k * j] = 'N';
	c.force = (struct primer_force){ .seeds = PRIMER_SEEDS_OLD,
					 .tile = 200 };
	good = pcase_against_plain(&c, "worn", SIZE_MAX / 2);
	*plain += c.stats.plain > 0;
	pcase_free(&c);
	return good;
}

static void
worn_blocks(void)
{
	uint64_t i = 0, plain = 0;

	while (i < 60 && worn(i, &plain))
		i++;
	ok(i == 60 && plain > 20, "%d of 60 windows read plainly", (int)plain);
}

/* A table serves as long as it is of the same letters, starts and k, and its
 * windows are no longer than those that are looked for. */
static void
fits(void)
{
	struct primer_short *s = calloc(1, sizeof *s);
	uint8_t code[100];
	struct primer p = { .code = code, .par.k = 3 };

	if (!s)
		abort();
	for (size_t i = 0; i < sizeof code; i++)
		code[i] = 1 + i * i % 4;
	s->p = &p;
	s->from = 2, s->to = 12;
	memset(s->window, 20, 10);
	s->seeds.k = 3;
	s->seeds.from = 2;
	s->seeds.n_starts = 10;
	memset(s->seeds.window, 20, 10);
	memcpy(s->seeds.code, code + 2, 10 + PRIMER_MAX_SHORT);
#define NOT(change, back) \
	((change), !primer_seeds_fit(s) && ((back), 1) && primer_seeds_fit(s))
	ok(primer_seeds_fit(s) && NOT(p.par.k = 4, p.par.k = 3) &&
	   NOT(s->seeds.k = 0, s->seeds.k = 3) &&
	   NOT(s->seeds.from = 1, s->seeds.from = 2) &&
	   NOT(s->seeds.n_starts = 9, s->seeds.n_starts = 10) &&
	   NOT(code[2] ^= 7, code[2] ^= 7) &&
	   NOT(code[11 + PRIMER_MAX_SHORT] ^= 7,
	       code[11 + PRIMER_MAX_SHORT] ^= 7) &&
	   NOT(s->window[9] = 19, s->window[9] = 20) &&
	   NOT(s->seeds.window[0] = 0, s->seeds.window[0] = 20),
	   "a table is not used for what it does not hold");
	s->window[3] = 0, s->window[4] = 21;
	ok(primer_seeds_fit(s), "a table is used for windows that have grown");
	free(s);
}

int
main(void)
{
	changes();
	worn_blocks();
	fits();
	windows();
	one_memory();
	pieces();
	repeated_pieces();
	return done();
}
