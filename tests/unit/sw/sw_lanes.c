/* SPDX-License-Identifier: MIT */
/* sw_lanes.c - the pass in lanes, on texts of all kinds */
#include "tests/lib/sw_lanes_case.h"

typedef struct swg_case make_fn(void);

static void
many(const char *name, make_fn *make, unsigned cases)
{
	cases = (unsigned)not_too_few(cases);
	for (unsigned i = 0; i < cases; i++) {
		uint64_t was = seed;
		struct swg_case c = make();
		size_t most = below(&seed, 2) ? c.m + 1 :
		    swg_between(&seed, 1, below(&seed, 2) ? 300 : 3000);
		const char *why = "";
		bool same = check(&c, most, &why);

		if (!same)
			ok(false, "%s: %s, seed %" PRIu64 ", n %zu, m %zu",
			   name, why, was, c.n, c.m);
		swg_free(&c);
		if (!same)
			return;
	}
	ok(true, "%s: %u cases", name, cases);
}

static struct swg_case
tiny(void)
{
	return swg_any(&seed, 20, 700);
}

static struct swg_case
small(void)
{
	return swg_any(&seed, 70, 12000);
}

static struct swg_case
short_query(void)
{
	return swg_short_query(&seed);
}

static struct swg_case
fall(void)
{
	return swg_fall(&seed, 300);
}

static struct swg_case
family(void)
{
	return swg_family(&seed, swg_between(&seed, 20, 300),
			  swg_between(&seed, 1000, 15000));
}

/* The linear phase: ends pass through many lanes. */
static struct swg_case
linear(void)
{
	return with(5, -3, 8, 1, swg_between(&seed, 100, 400),
		    swg_between(&seed, 2000, 30000));
}

/* Long enough to give 8 bits up after a trial. */
static struct swg_case
linear_long(void)
{
	return with(5, -3, 8, 1, 300, 140000 + below(&seed, 20000));
}

/* The log phase, with homologs at borders. */
static struct swg_case
homologs(void)
{
	struct swg_case c = with(2, -3, 5, 2, swg_between(&seed, 50, 300),
				 swg_between(&seed, 5000, 40000));

	swg_borders(&seed, &c, SW_BLOCK, 6);
	return c;
}

/* A text with 8 bits nearly everywhere, and the query in it now and then. */
static struct swg_case
seldom(void)
{
	struct swg_case c = with(2, -3, 5, 2, 150, 60000);

	swg_borders(&seed, &c, 30000, 3);
	return c;
}

static struct swg_case
protein(void)
{
	struct swg_case c;

	swg_matrix(&seed, &c.s, (unsigned)swg_between(&seed, 20, 26));
	swg_room(&c, swg_between(&seed, 10, 200),
		 swg_between(&seed, 3000, 20000));
	swg_fill(&seed, SWG_RANDOM, c.s.letters, c.q, c.n);
	swg_fill(&seed, SWG_RANDOM, c.s.letters, c.t, c.m);
	swg_borders(&seed, &c, SW_BLOCK, below(&seed, 5));
	return c;
}

static struct swg_case
all_letters(void)
{
	struct swg_case c;

	swg_matrix(&seed, &c.s, SW_LETTERS);
	swg_room(&c, swg_between(&seed, 60, 250),
		 swg_between(&seed, 500, 9000));
	swg_fill(&seed, SWG_RANDOM, SW_LETTERS, c.q, c.n);
	swg_fill(&seed, SWG_HOLES, SW_LETTERS, c.t, c.m);
	swg_borders(&seed, &c, SW_BLOCK, 4);
	return c;
}

/* Scores far beyond 16 bits, bases that move all the time. */
static struct swg_case
high(void)
{
	struct swg_case c = with((int32_t)swg_between(&seed, 40, 100), -20,
				 (int32_t)below(&seed, 12),
				 (int32_t)below(&seed, 6),
				 swg_between(&seed, 900, 1800), 9000);

	swg_copy(&seed, 4, c.t, c.m, below(&seed, 6000), c.q, c.n,
		 below(&seed, 2) ? 0 : 5);
	return c;
}

/*
 * Down a column H rises beyond 40000, where bases are above 0, and falls by
 * more than 16 bits leave below that; then a second homolog begins, beside the
 * first: bases that are not lowered lift it.
 */
static struct swg_case
cliff(void)
{
	struct swg_case c = with((int32_t)swg_between(&seed, 100, 140),
				 -(int32_t)swg_between(&seed, 5, 44),
				 (int32_t)below(&seed, 20),
				 (int32_t)swg_between(&seed, 90, 130), 900,
				 1500);
	size_t at = below(&seed, 300);

	at = swg_copy(&seed, 4, c.t, c.m, at, c.q, 400, 0);
	at += below(&seed, 30);
	swg_copy(&seed, 4, c.t, c.m, at, c.q + 600, 300, 0);
	return c;
}

/*
 * Scores just inside and just outside of what can be taken with bases, for H up
 * to 100000 to 500000.
 */
static struct swg_case
verge(void)
{
	int32_t open = (int32_t)below(&seed, below(&seed, 2) ? 9 : 3000);
	int32_t extend = (int32_t)below(&seed, 150);
	int32_t gap = open + extend, worst = (int32_t)below(&seed, 2 *
							    (uint64_t)gap + 9);
	int32_t rest = 15360 - 3 * open - (worst > gap ? worst : gap);
	struct swg_case c = with(rest / 21 - extend + 2 -
				 (int32_t)below(&seed, 5), -worst, open,
				 extend, swg_between(&seed, 500, 900), 3000);

	if (below(&seed, 3))
		swg_slopes(&seed, &c);
	else
		swg_borders(&seed, &c, SW_BLOCK, 4);
	return c;
}

/* The same of scores up to 32767, for which no base is needed. */
static struct swg_case
verge_alone(void)
{
	size_t n = swg_between(&seed, 3, 300);
	int32_t match = (int32_t)(32768 / n) + 1 - (int32_t)below(&seed, 3);
	int32_t dear = (int32_t)swg_between(&seed, 1, 33000);
	int32_t open = (int32_t)below(&seed, (uint64_t)dear);
	int32_t extend = (int32_t)below(&seed, 3) ? dear - open : 0;
	struct swg_case c = with(match, open + 2 * extend - 32768 -
				 (int32_t)below(&seed, 3), open, extend, n,
				 3000);

	if (below(&seed, 4) == 0)
		swg_dear(&seed, &c.s, c.n);
	swg_slopes(&seed, &c);
	return c;
}

static struct swg_case
large(void)
{
	struct swg_case c = with(91, -114, 400, 30,
				 swg_between(&seed, 100, 900), 9000);

	swg_borders(&seed, &c, SW_BLOCK, 4);
	return c;
}

/* A lane of a column of one strip: true values, by a base. */
static void
set(const struct sw_lanes *s, const struct sw_column *c, int32_t h, int32_t e,
    int16_t base)
{
	for (size_t i = 5; i < s->rows * s->lanes; i += s->lanes) {
		c->h[i] = (int16_t)(h - base * SW_UNIT);
		c->e[i] = (int16_t)(e - base * SW_UNIT);
	}
	c->base[5] = base;
}

static bool
same(const struct sw_lanes *s, int32_t h, int32_t e, int16_t base)
{
	set(s, &s->next, h, e, base);
	return s->ops->same(s, &s->now, &s->next);
}

/* Columns are equal whatever their bases; E counts above H - open - extend. */
static void
check_same(void)
{
	struct swg_case c = with(4, -3, 5, 2, 3, 200);
	const struct sw_lanes *s;
	const char *why = "";

	ok(check(&c, c.m, &why), "three rows %s", why);
	swg_free(&c);
	s = work->lanes;
	if (!s)
		return;
	memset(s->now.h, 0, s->column_bytes);
	memset(s->next.h, 0, s->column_bytes);
	set(s, &s->now, 20000, 19990, 1);
	ok(same(s, 20000, 19990, 1) && same(s, 20000, 19990, 0) &&
	   same(s, 20000, 19993, 0) && same(s, 20000, 18000, 2) &&
	   same(s, 20000, 19990, 9), "equal columns");
	ok(!same(s, 20000, 19994, 0) && !same(s, 20001, 19990, 0) &&
	   !same(s, 20000 + SW_UNIT, 19990 + SW_UNIT, 2) &&
	   !same(s, 20000 + 65536, 19990 + 65536, 1 + 65536 / SW_UNIT),
	   "other columns");
}

static bool
same8(const struct sw_lanes *s, int h, int e, int h2, int e2)
{
	const struct sw_column8 *a = &s->now8, *b = &s->then8;
	const size_t n = s->rows * s->ops->bytes, at = n / 2 + 1;

	memset(a->h, s->zero8 + 20, n);
	memset(a->e, s->zero8 + 20, n);
	memcpy(b->h, a->h, n);
	memcpy(b->e, a->e, n);
	a->h[at] = (uint8_t)(s->zero8 + h);
	a->e[at] = (uint8_t)(s->zero8 + e);
	b->h[at] = (uint8_t)(s->zero8 + h2);
	b->e[at] = (uint8_t)(s->zero8 + e2);
	return s->ops->same8(s, a, b);
}

/* The same of 8 bits; E counts above 0, too. */
static void
check_same8(void)
{
	struct swg_case c = with(4, -3, 5, 2, 3, 20000);
	const struct sw_lanes *s;
	const char *why = "";

	ok(check(&c, c.m, &why), "three rows of 8 bits %s", why);
	swg_free(&c);
	s = work->lanes;
	if (!s || !s->now8.h)
		return;
	ok(same8(s, 30, 25, 30, 25) && same8(s, 30, 20, 30, 23) &&
	   same8(s, 30, -1, 30, 23) && same8(s, 5, -2, 5, 0) &&
	   same8(s, 0, -1, 0, 0), "equal columns of 8 bits");
	ok(!same8(s, 30, 25, 30, 26) && !same8(s, 30, 20, 30, 24) &&
	   !same8(s, 30, 25, 31, 25) && !same8(s, 5, 0, 5, 1),
	   "other columns of 8 bits");
}

/* The fall-backs must have been at work, or nothing was tested. */
static void
check_did(void)
{
	const struct sw_lanes *s = work->lanes;
	uint64_t enough = not_too_few(1000), some = enough / 50;
	/* few lanes seldom take too much memory */
	uint64_t halved = cpu_isa() == ISA_NEON ? some / 4 : some;

	if (cpu_isa() == ISA_SCALAR) {
		ok(!s, "no lanes");
		return;
	}
	ok(s->did.blocks8 > enough && s->did.blocks16 > enough &&
	   s->did.failed8 > some, "8 bits %" PRIu64 ", failed %" PRIu64
	   ", 16 bits %" PRIu64, s->did.blocks8, s->did.failed8,
	   s->did.blocks16);
	ok(s->did.reruns > some && s->did.recorded > some,
	   "reruns %" PRIu64 ", recorded %" PRIu64, s->did.reruns,
	   s->did.recorded);
	ok(s->did.moved > enough && s->did.again16 > 0,
	   "bases moved %" PRIu64 ", begun again %" PRIu64 ", passes %" PRIu64,
	   s->did.moved, s->did.again16, s->did.passes);
	ok(s->did.fewer >= s->did.half && s->did.half > halved, "fewer checks %"
	   PRIu64 ", half the lanes %" PRIu64, s->did.fewer, s->did.half);
}

int
main(int argc, char **argv)
{
	unsigned more = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;

	if (argc > 2)
		seed = strtoull(argv[2], NULL, 10);
	if (sw_work_new(&work, &err))
		return 1;
	many("tiny", tiny, 150 * more);
	many("small", small, 60 * more);
	many("short queries, cheap gaps", short_query, 150 * more);
	many("a long fall", fall, 6 * more);
	many("families", family, 20 * more);
	many("the linear phase", linear, 10 * more);
	many("the linear phase, a long text", linear_long, 2 * more);
	many("homologs at borders", homologs, 15 * more);
	many("seldom beyond 8 bits", seldom, 3 * more);
	many("protein", protein, 20 * more);
	many("64 letters", all_letters, 20 * more);
	many("high scores", high, 3 * more);
	many("a cliff", cliff, 8 * more);
	many("the verge of what fits", verge, 80 * more);
	many("the verge of what fits without a base", verge_alone, 150 * more);
	many("large scores", large, 20 * more);
	check_same();
	check_same8();
	check_did();
	sw_work_free(work);
	return done();
}
