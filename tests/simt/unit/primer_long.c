/* SPDX-License-Identifier: MIT */
/*
 * primer_long.c - cores of several words, on a device or emulated: against the
 * matrix, and as a part of searches against the definition
 */
#include "tests/lib/backend_case.h"

enum { TEXT_MOST = 6000, NO_HIT = 1 << 20 };

struct scene {
	uint8_t letter[PRIMER_LONG_ROWS + 1];
	uint8_t text[TEXT_MOST];
	struct primer_find_long x;
	uint64_t search;
	uint32_t letters;	/* of a piece: at least twice what they overlap
				   by */
};

/* Where words end, and where they do not. */
static uint32_t
some_rows(uint32_t most)
{
	uint32_t rows = 1 + (uint32_t)below(&seed, most);

	if (below(&seed, 2))
		rows = (rows + 31) / 32 * 32 - 1 + (uint32_t)below(&seed, 3);
	return rows > most ? most : rows;
}

/*
 * Letters as they stand in the text from `at` on, but that fewer than k are
 * left out, put in between or others; then whatever it may be.
 */
static void
letters_of(struct scene *s, uint64_t at)
{
	uint32_t rows = s->x.rows;
	uint64_t left = below(&seed, s->x.k + 1);

	for (uint32_t r = 0; r < rows; r++) {
		unsigned q = at < s->x.n ? s->text[at++] : 0;

		if (left && below(&seed, rows) < 2ull * s->x.k) {
			unsigned how = (unsigned)below(&seed, 3);

			left--;
			q = how == 1 ? q : 0;
			at += how == 1 && at < s->x.n;
			at -= how == 2 && at > 0;
		}
		s->letter[r] = (uint8_t)(q && q < 5 ? q :
					 1 + below(&seed, 4));
	}
}

/* Symbol 5 is what letters 1 and 3 match, 0 nothing. */
static void
make(struct scene *s, uint32_t most, uint64_t n)
{
	uint32_t core = some_rows(most), rows = core +
		(uint32_t)below(&seed, PRIMER_LONG_MORE + 1);
	uint64_t at = below(&seed, n + 1);

	s->search = 0;
	s->x = (struct primer_find_long){
		.letter = s->letter, .core = core,
		.rows = !below(&seed, 4) ? core : rows > most ? most : rows,
		.text = s->text, .n = n, .search = &s->search, .n_symbols = 6,
		.holds = { 0, 1, 2, 4, 8, 5 },
		.k = 1 + (unsigned)below(&seed, below(&seed, 3) ? core / 3 + 1 :
						core),
	};
	for (uint64_t i = 0; i < n; i++)
		s->text[i] = (uint8_t)(below(&seed, 30) ?
				       1 + below(&seed, 4) : below(&seed, 6));
	s->letters = (2 * (s->x.rows + s->x.k + 31) / 64 + 1 +
		      (uint32_t)below(&seed, 9)) * 64;
	/* around where the second piece begins, read from the text's end on,
	 * at the text's ends, and where stretches may end */
	if (n > s->letters && below(&seed, 2))
		at = n - s->letters + below(&seed, 40);
	else if (!below(&seed, 4))
		at = below(&seed, 3) * n / 2;
	else if (below(&seed, 2))
		at = at / 32 * 32 + below(&seed, 3);
	letters_of(s, at);
}

/* Rows that occur with their first letter there, if as many as the core's do;
 * or 0.  By Sellers' columns, from the text's end on. */
static void
occur(const struct primer_find_long *x, uint32_t *rows)
{
	static uint32_t d[PRIMER_LONG_ROWS + 1];
	uint32_t n = x->rows;

	for (uint32_t r = 0; r <= n; r++)
		d[r] = r;
	for (uint64_t j = x->n; j-- > 0;) {
		uint32_t diagonal = 0;

		rows[j] = 0;
		for (uint32_t r = 1; r <= n; r++) {
			bool same = x->holds[x->text[j]] >>
				    (x->letter[n - r] - 1) & 1;
			uint32_t best = diagonal + !same;

			diagonal = d[r];
			best = d[r] + 1 < best ? d[r] + 1 : best;
			best = d[r - 1] + 1 < best ? d[r - 1] + 1 : best;
			d[r] = best;
			if (r >= x->core && best < x->k)
				rows[j] = r;
		}
		if (d[x->core] >= x->k)
			rows[j] |= NO_HIT;
	}
}

/* Does a stretch report so many rows there, or behind? */
static bool
reported(const struct primer_stretch *v, size_t n, uint64_t at, uint32_t more)
{
	for (size_t f = 0; f < n; f++)
		if (at + PRIMER_LONG_MORE >= v[f].at &&
		    at <= v[f].at + v[f].wide && v[f].more >= more)
			return true;
	return false;
}

/* Reported rows do occur not far from there, or from hits not far from each
 * other, which were read before. */
static bool
near(const struct scene *s, const struct primer_stretch *v,
     const uint32_t *rows)
{
	uint64_t at = v->at < 96 ? 0 : v->at - 96, upto = v->at + 96;
	bool some = v->more == 0;

	for (; at < s->x.n && at < upto; at++) {
		some |= (rows[at] & ~NO_HIT) >= s->x.core + v->more;
		if (at > v->at && !(rows[at] & NO_HIT))
			upto = at + 96;
	}
	return some;
}

/* Stretches in order, each with hits at both ends and no hit between
 * them; and rows before the core. */
static bool
right(const struct scene *s, const uint64_t *v, size_t n)
{
	static struct primer_stretch x[TEXT_MOST];
	static uint32_t rows[TEXT_MOST];
	uint32_t core = s->x.core;
	uint64_t at = 0;
	bool good = n <= TEXT_MOST;

	occur(&s->x, rows);
	for (size_t f = 0; f < n && good; f++) {
		uint64_t hi;

		x[f] = primer_stretch_get(v[f]);
		hi = x[f].at + x[f].wide;
		good = x[f].at >= at && hi < s->x.n &&
		       !((rows[x[f].at] | rows[hi]) & NO_HIT) &&
		       near(s, &x[f], rows);
		for (; good && at < x[f].at; at++)
			good = rows[at] & NO_HIT;
		at = hi + 1;
	}
	for (; good && at < s->x.n; at++)
		good = rows[at] & NO_HIT;
	for (at = 0; good && at < s->x.n; at++)
		if ((rows[at] & ~NO_HIT) > core)
			good = reported(x, n, at, (rows[at] & ~NO_HIT) - core);
	return good;
}

static bool
against_matrix(const struct primer_backend *f, const struct scene *s,
	       uint64_t *hits)
{
	struct primer_found o = { 0 };
	struct err e;
	bool good = f->find_long(f->ctx, &s->x, &o, &e) == 0 &&
		    right(s, o.v, o.n);

	*hits += o.n;
	free(o.v);
	return good;
}

static void
matrices(uint64_t rounds, uint32_t most, uint64_t longest)
{
	static struct scene s;
	uint64_t hits = 0, i = 0;
	bool good = true;

	for (; i < rounds && good; i++) {
		make(&s, most, 1 + below(&seed, below(&seed, 3) ? longest :
						 40));
		good = against_matrix(backend_new(s.letters, PRIMER_DEV_GROUP,
			      below(&seed, 2) ? 1 << 16 : s.letters / 32 + 1),
			      &s, &hits);
	}
	ok(good && (hits || i < 4), "up to %u rows as the matrix has them: %d "
	   "rounds, %llu hits", most, (int)i, (unsigned long long)hits);
}

static bool
not_now(const struct primer_backend *f, const struct primer_find_long *x)
{
	struct primer_found o = { 0 };
	struct err e;
	bool no = f->find_long(f->ctx, x, &o, &e) == PRIMER_NOT_NOW && !o.n;

	free(o.v);
	return no;
}

/* The same text again, in one search and in another one; then others, also with
 * as many letters; and after a core that is not searched for. */
static void
texts(void)
{
	const struct primer_backend *f =
			backend_new(2048, PRIMER_DEV_GROUP, 1 << 16);
	static struct scene s;
	uint64_t hits = 0;
	bool good = true;

	make(&s, 90, 640);
	for (int i = 0; i < 60 && good; i++) {
		uint32_t rows = s.x.rows;

		good = against_matrix(f, &s, &hits);
		if (i % 3)
			s.search = 0;
		if (i % 3 == 1)
			s.text[below(&seed, s.x.n)] = (uint8_t)below(&seed, 6);
		if (i % 10 == 9)
			s.x.n -= 7;
		s.x.rows = PRIMER_LONG_ROWS + 1;
		good = good && (i % 5 || not_now(f, &s.x));
		s.x.rows = rows;
	}
	ok(good && hits, "texts that the device has, and has not");
}

/* What it does not search. */
static void
refused(void)
{
	static struct scene s;
	const struct primer_backend *f =
	    backend_new(256, PRIMER_DEV_GROUP, 1 << 16);
	bool good;

	make(&s, 32, 300);
	memset(s.letter, 1, sizeof s.letter);
	s.x.rows = s.x.core = s.x.k = 100;
	good = not_now(f, &s.x);		/* pieces are too short */
	s.x.rows = s.x.core = s.x.k = 10;
	s.x.n_symbols = 17;
	good = good && not_now(f, &s.x);
	s.x.n_symbols = 6;
	s.x.n = 0;
	good = good && not_now(f, &s.x);
	f = backend_new(1 << 14, PRIMER_DEV_GROUP, 9);
	s.x.n = 3000;
	memset(s.text, 1, sizeof s.text);
	good = good && not_now(f, &s.x);	/* everywhere */
	s.x.rows = PRIMER_LONG_ROWS + 1;
	s.x.n = 300;
	good = good && not_now(f, &s.x);
	ok(good, "too long, too short, too many: not now");
}

/* Small searches against the definition. */
static void
searches(uint64_t rounds)
{
	uint64_t blocks = 0, found = 0, i = 0;
	bool good = true;

	for (; i < rounds && good; i++) {
		struct pcase c;

		pcase_random(&c, 77 * i + seed, 90, 700);
		c.backend = backend_new(1 << 11, PRIMER_DEV_GROUP, 1 << 16);
		pcase_want(&c);
		good = pcase_run(&c, PRIMER_BLOCKS, below(&c.seed, 2) ?
				 SIZE_MAX / 2 : 1 + below(&c.seed, 400),
				 "searches");
		blocks += c.stats.reported;
		found += c.stats.found;
		if (!good)
			ok(0, "round %d: %s", (int)i, c.why);
		pcase_free(&c);
	}
	ok(good && blocks > rounds && found, "%d searches: %llu blocks found, "
	   "%llu places", (int)i, (unsigned long long)blocks,
	   (unsigned long long)found);
}

/* Longer ones, ends as plain has them. */
static void
many(uint64_t k, size_t m, size_t n)
{
	struct pcase c;
	bool good;

	pcase_begin(&c, seed + k, m, n, 4);
	c.par.k = k;
	for (int i = 0; i < 6; i++)
		pcase_plant(&c, &c.text[0], &c.target[0], 15);
	c.backend = backend_new(1 << 13, 4 * PRIMER_DEV_GROUP, 1 << 16);
	pcase_want_plain(&c);
	good = pcase_run(&c, PRIMER_BLOCKS, SIZE_MAX / 2, "many");
	ok(good && c.stats.reported == c.stats.blocks && c.stats.reported > 5 &&
	   !c.stats.columns, "%zu starts, k %llu, as plain has them: %llu "
	   "blocks found %s", m, (unsigned long long)k,
	   (unsigned long long)c.stats.reported, c.why);
	pcase_free(&c);
}

int
main(int argc, char **argv)
{
	uint64_t part = gpu_part(argc, 16);

	(void)argv;
	if (!gpu_there())
		return 0;
	matrices(fewer(400 / part), 200, 900);
	matrices(fewer(32 / part), PRIMER_LONG_ROWS, TEXT_MOST);
	texts();
	refused();
	searches(fewer(400 / part));
	many(9, 300, 2000);
	if (part == 1)
		many(40, 500, 3000);
	gpu_free();
	ok(n_letters > 5000 / part, "%llu letters by the device",
	   (unsigned long long)n_letters);
	return done();
}
