/* SPDX-License-Identifier: MIT */
/* primer_blocks.c - the engine of blocks: long windows, repeats, ranges */
#include "primer/paper/primer_paper_priv.h"
#include "base/cpu.h"

#include "tests/lib/primer_gen.h"

static void
one_of_each(struct pcase *c, uint64_t k, struct pletters target,
	    struct pletters text)
{
	c->par.k = k;
	c->force.slices = (enum primer_force_slices)below(&c->seed, 3);
	c->n_targets = c->n_texts = 1;
	c->target[0] = target;
	c->target[0].end = pcase_alloc(target.n * 8);
	c->text[0] = text;
}

/* A copy with so many of 1000 letters changed, dropped or added. */
static struct pletters
changed(struct pcase *c, const struct pletters *x, size_t beg, size_t n,
	uint64_t permille)
{
	struct pletters y = { .s = pcase_alloc(2 * n + 2) };

	for (size_t i = 0; i < n; i++) {
		uint64_t r = below(&c->seed, 1000);

		if (r < permille && r % 10 == 0)
			continue;
		if (r < permille && r % 10 < 9)
			y.s[y.n++] = (uint8_t)"ACGT"[below(&c->seed, 4)];
		else
			y.s[y.n++] = x->s[(beg + i) % x->n];
		if (r < permille && r % 10 == 1)
			y.s[y.n++] = 'A';
	}
	return y;
}

/* Ranges of places in any order, by threads, of which each has its own work. */
enum { MAX_TEAM = 16 };
struct ranges {
	struct primer *p;
	struct pcase *c;
	unsigned n;
	uint64_t first;
	struct primer_work *work[MAX_TEAM];
	_Atomic bool good;
};

static void
one_range(void *ctx, uint64_t r, unsigned thread)
{
	struct ranges *x = ctx;
	struct ppiece all = { 0, 0, x->c->text[0].n };
	uint64_t places = primer_places(x->p), i = (x->first + 11 * r) % x->n;

	if (!pcase_search(x->p, x->c, &all, places * i / x->n,
			  places * (i + 1) / x->n, x->work[thread]))
		x->good = false;
}

static bool
in_ranges(struct pcase *c, unsigned n_ranges, unsigned threads)
{
	struct ranges x = { .p = pcase_primer(c, PRIMER_BLOCKS), .c = c,
			    .n = n_ranges, .first = below(&c->seed, n_ranges),
			    .good = true };
	struct err e;
	bool good;

	c->stats = (struct primer_stats){ 0 };
	for (unsigned i = 0; i < threads; i++)
		if (i == MAX_TEAM || primer_work_new(&x.work[i], &e))
			abort();
	threads_each(threads, n_ranges, one_range, &x);
	for (unsigned i = 0; i < threads; i++) {
		pcase_add_stats(&c->stats, primer_work_stats(x.work[i]));
		primer_work_free(x.work[i]);
	}
	good = x.good && pcase_same(c, x.p, "ranges");
	primer_delete(x.p);
	return good;
}

/* Random cases, k up to beyond the target: every fourth by the definition. */
static void
random_cases(const char *name, uint64_t rounds, size_t m, size_t n, uint64_t k)
{
	bool good = true;
	uint64_t i;

	for (i = 0; i < rounds && good; i++) {
		struct pcase c;

		pcase_random(&c, 4242424242ull + i * 65537, m, n);
		c.par.k = 1 + below(&c.seed, k);
		c.force.slices = (enum primer_force_slices)(i % 3);
		if (i % 4)
			pcase_want_by(&c, PRIMER_PLAIN);
		else
			pcase_want(&c);
		good = pcase_run(&c, PRIMER_BLOCKS, SIZE_MAX / 2, name) &&
		       pcase_run(&c, PRIMER_BLOCKS, n / 2 + 1, name);
		if (!good)
			ok(0, "%s: round %d, k %d, max_len %d: %s", name,
			   (int)i, (int)c.par.k, (int)c.par.max_len, c.why);
		pcase_free(&c);
	}
	if (good)
		ok(1, "%s: %d rounds", name, (int)i);
}

/*
 * One planted copy at each place of the text, so that it lies across every
 * border of the pieces that lie in lanes: of 241 letters, 16 pieces of 16, or
 * slices of 64.
 */
static void
borders(enum primer_force_slices slices)
{
	struct pcase c = { .seed = 31 };
	bool good = true;
	size_t at;

	one_of_each(&c, 4, pcase_letters(&c, 60, 4, 0),
		    pcase_letters(&c, 241, 4, 0));
	c.force.slices = slices;
	for (at = 0; at + 40 <= 241 && good; at++) {
		struct pletters was = c.text[0];

		c.text[0].s = pcase_alloc(241);
		memcpy(c.text[0].s, was.s, 241);
		memcpy(c.text[0].s + at, c.target[0].s + 10, 40);
		c.text[0].s[at + 20] ^= 2;
		pcase_want_by(&c, PRIMER_PLAIN);
		good = pcase_run(&c, PRIMER_BLOCKS, SIZE_MAX / 2, "border");
		free(c.text[0].s);
		c.text[0] = was;
	}
	ok(good, "a copy at each place of the text%s%s", good ? "" : ": ",
	   c.why);
	pcase_free(&c);
}

/*
 * An exact copy makes a long block; another one has up to k - 1 letters more,
 * all at one place to the left of the core, and lies at any place of the text:
 * where a piece of it ends in between, the path is the next piece's.  Short
 * texts have pieces of fewer letters than that.  Or it has as many fewer.  Some
 * begin near where slices do, which leave rows out in columns there.
 */
static bool
bent_border(uint64_t r, char why[200])
{
	struct pcase c = { .seed = 77 + r };
	uint64_t k = 2 + below(&c.seed, 14), more = k - 1, less = 0, j, cut;
	size_t n = 90 + below(&c.seed, 300), at;
	bool good;

	one_of_each(&c, k, pcase_letters(&c, 100, 4, 0),
		    pcase_letters(&c, 110 + n, 4, 0));
	memcpy(c.text[0].s + below(&c.seed, 2) * n, c.target[0].s, 70);
	j = 1 + below(&c.seed, 20);
	cut = j + 1 + below(&c.seed, below(&c.seed, 2) ? 3 * k : 60);
	more -= below(&c.seed, 3) ? 0 : below(&c.seed, k);
	at = below(&c.seed, c.text[0].n);
	if (below(&c.seed, 2))
		at = c.text[0].n - at / 64 * 64 - below(&c.seed, 8);
	if (below(&c.seed, 2)) {
		less = more;
		more = 0;
	}
	for (; j < 72 + below(&c.seed, 3) && at < c.text[0].n; j++) {
		at += j == cut ? more : 0;
		j += j == cut ? less : 0;
		if (at < c.text[0].n)
			c.text[0].s[at++] = c.target[0].s[j];
	}
	pcase_want_by(&c, PRIMER_PLAIN);
	good = pcase_run(&c, PRIMER_BLOCKS, SIZE_MAX / 2, "bent");
	memcpy(why, c.why, sizeof c.why);
	pcase_free(&c);
	return good;
}

static void
bent_borders(uint64_t rounds)
{
	char why[200] = "";
	uint64_t r = 0;

	while (r < rounds && bent_border(r, why))
		r++;
	ok(r == rounds, "letters added near borders: %d rounds%s%s", (int)r,
	   *why ? ": " : "", why);
}

/*
 * As many letters more as may be, within the core, and the copy begins at each
 * column of a slice: what a slice reads of the next one is needed to the last.
 */
static bool
bent_core(uint64_t k, uint64_t cut, size_t at, char why[200])
{
	struct pcase c = { .seed = 5 };
	bool good;

	one_of_each(&c, k, pcase_letters(&c, 100, 4, 0),
		    pcase_letters(&c, 400, 4, 0));
	c.force.slices = PRIMER_SLICES_ALWAYS;
	memcpy(c.text[0].s + 330, c.target[0].s, 55);
	for (size_t j = 5; j < 90; j++, at++) {
		at += j == cut ? k - 1 : 0;
		c.text[0].s[at] = c.target[0].s[j];
	}
	pcase_want_by(&c, PRIMER_PLAIN);
	good = pcase_run(&c, PRIMER_BLOCKS, SIZE_MAX / 2, "bent core");
	memcpy(why, c.why, sizeof c.why);
	pcase_free(&c);
	return good;
}

static void
bent_cores(void)
{
	/* prime to a slice's 64 columns, of which each has its turn */
	size_t step = getenv("SEQF_SANITIZED") ? 7 : 1, at = 0;
	char why[200] = "";
	bool good = true;

	for (uint64_t k = 6; k <= 18; k += 4)
		for (uint64_t cut = 12; cut < 70; cut += 9)
			for (at %= 64; at < 64 && good; at += step)
				good = bent_core(k, cut, 100 + at, why);
	ok(good, "letters added in a core, at each column of a slice%s%s",
	   *why ? ": " : "", why);
}

/*
 * Windows that occur with letters too many, or too few, near one end and none
 * elsewhere: paths that leave the core's diagonal as far as they may, at the
 * last moment.  A first, exact copy makes them blocks, not single starts.
 */
static void
crooked(uint64_t rounds)
{
	bool good = true;

	for (uint64_t r = 0; r < rounds && good; r++) {
		struct pcase c = { .seed = 1000 + r };
		uint64_t k = 2 + below(&c.seed, 8), e = 60, j, at;
		struct pletters x = { .s = pcase_alloc(400) };

		one_of_each(&c, k, pcase_letters(&c, 120, 4, 0),
			    pcase_letters(&c, 40, 4, 0));
		while (x.n < 60)
			x.s[x.n] = c.target[0].s[x.n], x.n++;
		for (int copies = 0; copies < 3; copies++) {
			uint64_t odd = below(&c.seed, k), left;

			j = 1 + below(&c.seed, 30);
			left = below(&c.seed, 2);
			at = left ? j + below(&c.seed, 6) :
				    e - below(&c.seed, 6);
			for (size_t i = 0; i < 12; i++)
				x.s[x.n++] = "ACGT"[below(&c.seed, 4)];
			for (; j < e + 5 && x.n < 380; j++) {
				for (uint64_t o = 0; j == at && o < odd; o++)
					x.s[x.n++] = "ACGT"[below(&c.seed, 4)];
				if (j < at || j >= at + odd || copies)
					x.s[x.n++] = c.target[0].s[j];
			}
		}
		free(c.text[0].s);
		c.text[0] = x;
		pcase_want_by(&c, PRIMER_PLAIN);
		good = pcase_run(&c, PRIMER_BLOCKS, SIZE_MAX / 2, "crooked");
		if (!good)
			ok(0, "crooked, round %d: %s", (int)r, c.why);
		pcase_free(&c);
	}
	if (good)
		ok(1, "crooked paths: %d rounds", (int)rounds);
}

/* A target related to its background in stretches, as large as plain allows. */
static void
related(uint64_t k, size_t m, size_t n, uint64_t permille)
{
	struct pcase c = { .seed = 17 * k + permille };
	struct pletters text = pcase_letters(&c, n, 4, 0), a, b;
	struct primer_stats plain;
	bool good;

	a = changed(&c, &text, n / 3, m, permille);
	b = pcase_letters(&c, a.n, 4, 0);
	for (size_t i = 0; i < a.n; i++)	/* every other 300 are random */
		if (i / 300 % 2)
			a.s[i] = b.s[i];
	free(b.s);
	one_of_each(&c, k, a, text);
	pcase_want_by(&c, PRIMER_PLAIN);
	plain = c.stats;
	good = pcase_run(&c, PRIMER_BLOCKS, SIZE_MAX / 2, "blocks");
	ok(good && c.stats.blocks > 0, "k %d, %d per mille: as plain%s%s",
	   (int)k, (int)permille, good ? "" : ": ", c.why);
	/* in a short text what pieces overlap by costs most */
	ok(n < 40 * k ||
	   8 * (c.stats.columns + c.stats.checks) < plain.columns * 3,
	   "and cheaper: %d k vectors of up to 8 words instead of %d k words",
	   (int)((c.stats.columns + c.stats.checks) / 1000),
	   (int)(plain.columns / 1000));
	for (unsigned r = 1; r < 40 && good; r += 13)
		good = in_ranges(&c, r, 1 + (unsigned)(r % 3));
	ok(good, "and in ranges, by threads%s%s", good ? "" : ": ", c.why);
	pcase_free(&c);
}

/* As large as takes a moment: some starts by diagonals, which share nothing
 * with bit vectors. */
static void
samples(uint64_t k, size_t m, size_t n)
{
	struct pcase c = { .seed = k };
	struct pletters text = pcase_letters(&c, n, 4, 0);
	struct primer_paper_start s = { .n = n };
	bool good = true;
	uint64_t j = 0;

	one_of_each(&c, k, changed(&c, &text, n / 2, m, 150), text);
	pcase_want_by(&c, PRIMER_BLOCKS);
	good = in_ranges(&c, 9, 2);
	s.p = pcase_primer(&c, PRIMER_BLOCKS);
	s.symbol = pcase_symbols(s.p, &c.text[0], 0, n);
	s.now = pcase_alloc(16 * (n + k));
	s.then = s.now + n + k;
	for (int i = 0; i < 12 && good; i++) {
		uint64_t *low = s.now < s.then ? s.now : s.then;

		j = below(&c.seed, c.target[0].n);
		s.beg = j;
		s.cap = c.target[0].n;
		s.rows = 0;
		primer_alternative(&s);
		good = j + s.rows == c.target[0].end[j];
		s.now = low;
		s.then = low + n + k;
	}
	ok(good, "k %d: samples of %zu starts by diagonals, last at %d", (int)k,
	   c.target[0].n, (int)j);
	free(s.now);
	free((uint8_t *)(uintptr_t)s.symbol);
	primer_delete((struct primer *)(uintptr_t)s.p);
	pcase_free(&c);
}

/* Repeats: the core is everywhere, and blocks are given up for single starts.
 * max_len keeps ends from the segment's. */
static void
repeats(const char *name, uint64_t k, size_t unit, uint64_t permille,
	uint64_t max_len, bool give_up)
{
	struct pcase c = { .seed = 5 + unit };
	struct pletters one = pcase_letters(&c, unit, 4, 0);
	struct pletters text = changed(&c, &one, 0, 3000, permille);
	struct primer_stats plain;
	bool good;

	one_of_each(&c, k, changed(&c, &one, 0, 600, permille), text);
	free(one.s);
	c.par.max_len = max_len;
	c.force.slices = 0;
	pcase_want_by(&c, PRIMER_PLAIN);
	plain = c.stats;
	good = pcase_run(&c, PRIMER_BLOCKS, SIZE_MAX / 2, "blocks");
	ok(good, "%s%s%s", name, good ? "" : ": ", c.why);
	ok(!give_up || c.stats.plain > 0, "%s: %d of %d blocks given up", name,
	   (int)c.stats.plain, (int)c.stats.blocks);
	/* lanes are 8, 4 or 1, and text is read in both, with overlaps */
	ok(c.stats.columns + c.stats.checks < 4 * plain.columns,
	   "%s: at most 4 times a plain search: %d k of %d k", name,
	   (int)((c.stats.columns + c.stats.checks) / 1000),
	   (int)(plain.columns / 1000));
	good = in_ranges(&c, 5, 2);
	ok(good, "%s in ranges%s%s", name, good ? "" : ": ", c.why);
	pcase_free(&c);
}

/* Words of a vector that a step does. */
static uint64_t
words_a_step(void)
{
	return isa_bytes(cpu_isa()) / 8;
}

/*
 * Repeats of twenty letters, of which the target has some changed: cores occur
 * everywhere, or nowhere, but few starts gain.  The same in random letters with
 * a k where one row more or less in a core makes that difference.  At most so
 * many percent of a plain search's work, in words.
 */
static void
few_gain(const char *name, uint64_t k, size_t unit, uint64_t percent)
{
	struct pcase c = { .seed = 88 };
	struct pletters one = pcase_letters(&c, unit, 4, 0), text, target;
	uint64_t words, plain;
	bool good;

	text = changed(&c, &one, 0, unit < 99 ? 16000 : unit, 0);
	target = unit < 99 ? changed(&c, &one, 0, 1200, 50) :
			     pcase_letters(&c, 600, 4, 0);
	free(one.s);
	one_of_each(&c, k, target, text);
	c.force.slices = 0;
	pcase_want_by(&c, PRIMER_PLAIN);
	plain = c.stats.columns;
	good = pcase_run(&c, PRIMER_BLOCKS, SIZE_MAX / 2, "blocks");
	words = (c.stats.columns + c.stats.checks) * words_a_step();
	ok(good, "%s%s%s", name, good ? "" : ": ", c.why);
	ok(100 * words < percent * plain, "%s: %d k words of %d k", name,
	   (int)(words / 1000), (int)(plain / 1000));
	good = in_ranges(&c, 5, 2);
	ok(good, "%s in ranges%s%s", name, good ? "" : ": ", c.why);
	pcase_free(&c);
}

/*
 * What core suits is known from the first start on: a window of a relative is
 * long, and blocks that begin with one start of it, doubled, would cost most of
 * what there is to be done.  At most so many per mille of a plain search's
 * work, in words; and in ranges, each of which begins anew.
 */
static void
begins_well(uint64_t k, uint64_t permille, uint64_t in_parts)
{
	struct pcase c = { .seed = k };
	struct pletters text = pcase_letters(&c, 60000, 4, 0);
	uint64_t words, plain;
	bool good;

	one_of_each(&c, k, changed(&c, &text, 20000, 1600, 150), text);
	c.force.slices = 0;
	pcase_want_by(&c, PRIMER_PLAIN);
	plain = c.stats.columns;
	good = pcase_run(&c, PRIMER_BLOCKS, SIZE_MAX / 2, "blocks");
	words = (c.stats.columns + c.stats.checks) * words_a_step();
	ok(good && 1000 * words < permille * plain,
	   "relatives, k %d: %d k words of %d k%s%s", (int)k,
	   (int)(words / 1000), (int)(plain / 1000), good ? "" : ": ", c.why);
	good = in_ranges(&c, 4, 1);
	words = (c.stats.columns + c.stats.checks) * words_a_step();
	ok(good && 1000 * words < in_parts * plain, "%d k in four ranges%s%s",
	   (int)(words / 1000), good ? "" : ": ", c.why);
	pcase_free(&c);
}

int
main(void)
{
	random_cases("k to 60", fewer(300), 200, 300, 60);
	random_cases("k beyond the target", fewer(200), 60, 200, 90);
	random_cases("long", fewer(20), 900, 900, 30);
	borders(PRIMER_SLICES_ALWAYS);
	borders(PRIMER_SLICES_NEVER);
	bent_borders(fewer(400));
	bent_cores();
	crooked(fewer(400));
	related(3, 3000, 6000, 50);
	related(20, 3000, 6000, 200);
	related(70, 2000, 8000, 100);
	related(260, 1700, 4000, 200);	/* cores of more than 512 rows */
	samples(20, fewer(40000), fewer(120000));
	samples(100, fewer(12000), fewer(60000));
	repeats("microsatellites", 6, 3, 50, 0, true);
	repeats("microsatellites, short", 4, 2, 150, 50, false);
	repeats("unit of 200", 4, 200, 20, 0, false);
	repeats("unit of 40", 4, 40, 100, 120, false);
	repeats("unit of 5, found at once", 16, 5, 30, 100, true);
	few_gain("20-mer repeats", 5, 20, 60);
	if (!emulated()) {	/* what it costs is no other there */
		few_gain("random, k 200", 200, 60000, 60);
		begins_well(20, 17, 33);
		begins_well(60, 24, 33);
	}
	return done();
}
