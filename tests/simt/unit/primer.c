/* SPDX-License-Identifier: MIT */
/*
 * primer.c - primer-find's cores, on a device or emulated: against the matrix,
 * and as a part of searches against the definition
 */
#include "tests/lib/core_case.h"
#include "tests/lib/backend_case.h"

/* Pieces and batches so small that most cases have several. */
static const struct primer_backend *
begin(uint32_t hits)
{
	uint32_t letters = 128 + 64 * (uint32_t)below(&seed, below(&seed, 2) ?
						      3 : 20);
	uint32_t cores = PRIMER_DEV_GROUP * (1 + (uint32_t)below(&seed, 2));

	return backend_new(letters, cores, hits);
}

enum { CORES_MOST = 300, TEXT_MOST = 1400 };

struct scene {
	struct primer_core core[CORES_MOST];
	uint8_t text[TEXT_MOST];
	struct primer_find x;
};

/*
 * Letters of a core from the last one back: as they stand in the text before
 * `end`, but that k - 1 letters there are passed over, or with some others.
 */
static void
letters_of(struct primer_core *c, const struct primer_find *x, uint64_t end)
{
	unsigned pass = below(&seed, 2) ? x->k - 1 : 0;
	unsigned other = below(&seed, 3) ? 40 : 4;

	for (unsigned b = 31; b > 31 - c->rows; b--) {
		unsigned q = end ? x->text[--end] : 0;

		if (!q || q > 4 || !below(&seed, other))
			q = 1 + (unsigned)below(&seed, 4);
		c->eq[q] |= 1u << b;
		for (; pass && end && !below(&seed, 3); pass--)
			end--;
	}
}

/* Letters of cores are symbols 1 to 4; symbol 5 is what 1 and 3 match.  Many
 * end a little behind where a stretch or a piece may begin. */
static void
make(struct scene *s)
{
	unsigned k = 1 + (unsigned)below(&seed, 16);

	s->x = (struct primer_find){
		.core = s->core, .text = s->text, .n_symbols = 6, .k = k,
		.n = below(&seed, below(&seed, 4) ? TEXT_MOST : 70),
		.n_cores = below(&seed, below(&seed, 3) ? 9 : CORES_MOST),
	};
	for (uint64_t i = 0; i < s->x.n; i++)
		s->text[i] = (uint8_t)(below(&seed, 30) ?
				       1 + below(&seed, 4) : below(&seed, 6));
	for (size_t i = 0; i < s->x.n_cores; i++) {
		struct primer_core *c = &s->core[i];
		uint64_t end = below(&seed, s->x.n + 1);

		if (below(&seed, 2))
			end = end / 64 * 64 + 1 + below(&seed, 4);
		memset(c, 0, sizeof *c);
		c->rows = below(&seed, 3) ? 32 :
			  k + (uint32_t)below(&seed, 33 - k);
		letters_of(c, &s->x, end > s->x.n ? s->x.n : end);
		c->eq[5] = c->eq[1] | c->eq[3];
		for (unsigned q = 0; q < PRIMER_CORE_SYMBOLS && c->rows < 32;
		     q++)
			c->eq[q] |= ~0u >> c->rows;
	}
}

/* Of core i, found[f..n): hits, in order, and one near before every hit. */
static bool
right(const struct scene *s, size_t i, const struct primer_found *o, size_t f,
      size_t n)
{
	uint32_t last[TEXT_MOST];
	uint64_t upto = 0;

	core_last_row(&s->core[i], &s->x, last);
	for (uint64_t at = 1; at <= s->x.n; at++) {
		bool reported = f < n && (uint32_t)o->v[f] == at;

		if (reported && last[at - 1] >= s->x.k)
			return false;
		if (reported) {
			upto = at + PRIMER_CORE_NEAR;
			f++;
		} else if (last[at - 1] < s->x.k && at > upto) {
			return false;
		}
	}
	return f == n;
}

static bool
against_matrix(const struct primer_backend *f, const struct scene *s)
{
	struct primer_found o = { 0 };
	struct err e;
	size_t at = 0;
	bool good = f->find(f->ctx, &s->x, &o, &e) == 0;

	for (size_t i = 0; i < s->x.n_cores && good; i++) {
		size_t n = 0;

		while (at + n < o.n && o.v[at + n] >> 32 == i)
			n++;
		good = right(s, i, &o, at, at + n);
		at += n;
	}
	good = good && at == o.n;
	free(o.v);
	return good;
}

/* Cores that end behind every 64th letter and begin as far before as can be:
 * k - 1 letters of the text passed over. */
static void
far(uint64_t rounds)
{
	static struct scene s;
	uint64_t i = 0;
	bool good = true;

	for (; i < rounds && good; i++) {
		s.x = (struct primer_find){
			.core = s.core, .text = s.text, .n_symbols = 5,
			.k = 6 + (unsigned)below(&seed, 4), .n = TEXT_MOST,
		};
		for (uint64_t j = 0; j < s.x.n; j++)
			s.text[j] = (uint8_t)(1 + below(&seed, 4));
		for (uint64_t end = 64; end < TEXT_MOST; end += 64) {
			struct primer_core *c = &s.core[s.x.n_cores++];
			uint64_t at = end + below(&seed, 4);

			memset(c, 0, sizeof *c);
			c->rows = 32;
			for (unsigned r = 0; r < 32; r++) {
				c->eq[s.text[at--]] |= 1u << (31 - r);
				at -= r % 3 == 2 && r / 3 < s.x.k - 1;
			}
		}
		good = against_matrix(begin(1 << 16), &s);
	}
	ok(good, "cores that begin far before: %d rounds", (int)i);
}

static void
matrices(uint64_t rounds)
{
	static struct scene s;
	uint64_t i = 0;
	bool good = true;

	for (; i < rounds && good; i++) {
		const struct primer_backend *f = begin(1 << 16);

		make(&s);
		good = against_matrix(f, &s);
	}
	ok(good, "cores as the matrix has them: %d rounds", (int)i);
}

/* Small searches against the definition, cores wherever they can be. */
static void
searches(uint64_t rounds)
{
	uint64_t found = 0, i = 0;
	bool good = true;

	for (; i < rounds && good; i++) {
		struct pcase c;

		pcase_random(&c, 77 * i + seed, 60, 700);
		c.par.max_len = 1 + below(&c.seed, 63);
		c.par.k = 1 + below(&c.seed, 9);
		pcase_force(&c);
		c.force.cores = below(&c.seed, 4) > 0;
		c.force.seeds = (enum primer_force_seeds)0;
		c.backend = begin(below(&c.seed, 3) ? 1 << 16 : 8);
		pcase_want(&c);
		good = pcase_run(&c, PRIMER_SHORT, below(&c.seed, 2) ?
				 SIZE_MAX / 2 : 1 + below(&c.seed, 400),
				 "searches");
		found += c.stats.found;
		if (!good)
			ok(0, "round %d: %s", (int)i, c.why);
		pcase_free(&c);
	}
	ok(good && found > rounds, "%d searches, %llu places of cores", (int)i,
	   (unsigned long long)found);
}

/* Cores that occur on both sides of where pieces meet, every 64 letters or
 * more, nearly on each other. */
static void
borders(uint64_t rounds)
{
	uint64_t found = 0, i = 0;
	bool good = true;

	for (; i < rounds && good; i++) {
		struct pcase c;

		core_repeats(&c, 77 * i + seed);
		c.backend = backend_new(128 + 64 * (uint32_t)below(&c.seed, 3),
					PRIMER_DEV_GROUP, 1 << 16);
		good = pcase_run(&c, PRIMER_SHORT, SIZE_MAX / 2, "borders");
		found += c.stats.found;
		if (!good)
			ok(0, "round %d: k %d max_len %d: %s", (int)i,
			   (int)c.par.k, (int)c.par.max_len, c.why);
		pcase_free(&c);
	}
	ok(good && found > rounds, "%d searches of repeats, %llu places of "
	   "cores", (int)i, (unsigned long long)found);
}

/* Starts of several groups, ends as plain has them. */
static void
many(void)
{
	struct pcase c;
	bool good;

	pcase_begin(&c, 5, 700, 3000, 4);
	c.par.k = 4;
	c.par.max_len = 30;
	c.force.rows = 12;
	for (int i = 0; i < 20; i++)
		pcase_plant(&c, &c.text[0], &c.target[0], 12);
	c.backend = begin(1 << 16);
	good = pcase_against_plain(&c, "many", 900);
	ok(good && c.stats.found > 20 && !c.stats.columns, "700 starts as "
	   "plain has them: %llu places", (unsigned long long)c.stats.found);
	pcase_free(&c);
}

int
main(int argc, char **argv)
{
	uint64_t part = gpu_part(argc, 16);

	(void)argv;
	if (!gpu_there())
		return 0;
	matrices(fewer(400 / part));
	far(fewer(40 / part));
	searches(fewer(400 / part));
	borders(fewer(400 / part));
	many();
	gpu_free();
	ok(n_letters > 5000 / part, "%llu letters by the device",
	   (unsigned long long)n_letters);
	return done();
}
