/* SPDX-License-Identifier: MIT */
/* sw_skew.c - the pass in skewed lanes, on texts of all kinds */
#include "tests/lib/sw_lanes_case.h"

typedef struct swg_case make_fn(size_t round);

/* The rule of sw_skew.h, by the costs that count. */
static bool
refuses(const struct swg_case *c, const struct sw_query *q)
{
	int32_t match = q->best, mismatch = q->worst;
	unsigned matches = 0;

	for (unsigned a = 0; a < c->s.letters; a++) {
		if (!memchr(c->q, (int)a, c->n))
			continue;
		matches += c->s.score[a][a] == match;
		for (unsigned b = 0; b < c->s.letters; b++)
			if (q->s->score[a][b] != mismatch &&
			    (a != b || q->s->score[a][b] != match))
				return true;
	}
	return cpu_isa() == ISA_SCALAR || match <= 0 || mismatch > 0 ||
	       matches > 4 ||
	       72 * (int64_t)match + 4 * (int64_t)q->s->open +
	       81 * (int64_t)q->s->extend - mismatch > 32767;
}

/* Is the threshold the best score, or anything? */
static bool at_best;

static bool
check_one(const struct swg_case *c, size_t most, const char **why)
{
	struct cut x;
	int64_t best = 0;
	bool same = true;

	cut(&x, c, most, SW_SKEW);
	for (uint64_t b = 0; b < x.t.n / SW_BLOCK; b++)
		best = larger(best, x.top[b]);
	if (refuses(c, x.q)) {
		struct sw_pass p = { .q = x.q, .t = &x.t, .peak = x.peak,
				     .threshold = 1 };

		*why = "taken";
		same = sw_skew_pass(&p, work, &err) == 1;
	} else {
		int64_t least = at_best ? larger(best, 1) : 1 +
				(int64_t)below(&seed, (uint64_t)best + 2);

		same = pass(&x, sw_skew_pass, least,
			    (unsigned)below(&seed, 4), why);
	}
	cut_free(&x);
	return same;
}

static void
many(const char *name, make_fn *make, size_t cases)
{
	cases = fewer(cases);
	for (size_t i = 0; i < cases; i++) {
		uint64_t was = seed;
		struct swg_case c = make(i);
		size_t most = below(&seed, 2) ? c.m + 1 :
		    swg_between(&seed, 1, below(&seed, 2) ? 300 : 3000);
		const char *why = "";
		bool same = check_one(&c, most, &why);

		if (!same)
			ok(false, "%s: %s, round %zu, seed %" PRIu64
			   ", n %zu, m %zu", name, why, i, was, c.n, c.m);
		swg_free(&c);
		if (!same)
			return;
	}
	ok(true, "%s: %zu cases", name, cases);
}

static struct swg_case
any_dna(size_t n, size_t m)
{
	struct swg_case c;

	do
		swg_scheme(&seed, &c.s);
	while (c.s.score[0][0] > 200);
	swg_room(&c, n, m);
	swg_fill(&seed, (enum swg_kind)below(&seed, SWG_KINDS), 5, c.q, n);
	swg_fill(&seed, (enum swg_kind)below(&seed, SWG_KINDS), 5, c.t, m);
	swg_borders(&seed, &c, SW_BLOCK, below(&seed, 6));
	return c;
}

static struct swg_case
tiny(size_t round)
{
	return any_dna(1 + round % 40, round);
}

static struct swg_case
anything(size_t round)
{
	return swg_any(&seed, 1 + round % 70, 3000);
}

/* Around the borders of strips and of all lanes' strips. */
static struct swg_case
strips(size_t round)
{
	static const size_t at[] = { 4, 8, 128, 256, 512, 520, 1024 };

	return any_dna(at[round / 3 % 7] + round % 3 - 1,
		       swg_between(&seed, 1, 6000));
}

/* Around the border of a block, and of a block of each lane. */
static struct swg_case
blocks(size_t round)
{
	static const size_t at[] = { 64, 128, 2048, 2112, 4096, 4160, 8192 };

	return any_dna(swg_between(&seed, 1, 700),
		       at[round / 3 % 7] + round % 3 - 1);
}

static struct swg_case
short_query(size_t round)
{
	(void)round;
	return swg_short_query(&seed);
}

static struct swg_case
fall(size_t round)
{
	(void)round;
	return swg_fall(&seed, 300);
}

static struct swg_case
family(size_t round)
{
	(void)round;
	return swg_family(&seed, swg_between(&seed, 20, 600),
			  swg_between(&seed, 1000, 12000));
}

static struct swg_case
linear(size_t round)
{
	return with(5, -(int32_t)(round % 4), (int32_t)below(&seed, 12),
		    (int32_t)below(&seed, 3), swg_between(&seed, 100, 900),
		    swg_between(&seed, 1000, 9000));
}

/* Scores that all bytes hold, but for some homologs. */
static struct swg_case
homologs(size_t round)
{
	struct swg_case c = with(round % 2 ? 5 : 2, -3, round % 2 ? 8 : 5,
				 round % 2 ? 1 : 2,
				 swg_between(&seed, 300, 1200),
				 swg_between(&seed, 3000, 9000));

	swg_borders(&seed, &c, SW_BLOCK, 3);
	return c;
}

/* Beyond 65536. */
static struct swg_case
high(size_t round)
{
	struct swg_case c = with((int32_t)swg_between(&seed, 40, 150), -20,
				 (int32_t)below(&seed, 12),
				 (int32_t)below(&seed, 6),
				 swg_between(&seed, 900, 1800), 6000);

	swg_copy(&seed, 4, c.t, c.m, below(&seed, 4000), c.q, c.n,
		 round % 2 ? 0 : 5);
	return c;
}

/* Down a column and along a row H rises beyond 40000 and falls to 0. */
static struct swg_case
cliff(size_t round)
{
	struct swg_case c = with((int32_t)swg_between(&seed, 100, 140),
				 -(int32_t)swg_between(&seed, 5, 44),
				 (int32_t)below(&seed, 20),
				 (int32_t)swg_between(&seed, 90, 130), 900,
				 1500);
	size_t at = below(&seed, 300);

	(void)round;
	at = swg_copy(&seed, 4, c.t, c.m, at, c.q, 400, 0);
	at += below(&seed, 30);
	swg_copy(&seed, 4, c.t, c.m, at, c.q + 600, 300, 0);
	return c;
}

/* Just inside and just outside of what can be taken. */
static struct swg_case
verge(size_t round)
{
	int32_t open = (int32_t)below(&seed, below(&seed, 2) ? 9 : 4000);
	int32_t extend = (int32_t)below(&seed, 180);
	int32_t mismatch = (int32_t)below(&seed, 2 * (uint64_t)(open + extend)
					  + 9);
	int32_t rest = (32767 - mismatch - 4 * open - 81 * extend) / 72;
	struct swg_case c = with(rest > 0 ? rest + (int32_t)(round % 2) : 1,
				 -mismatch, open, extend,
				 swg_between(&seed, 100, 1200), 3000);

	if (round % 3)
		swg_borders(&seed, &c, SW_BLOCK, 4);
	else
		swg_slopes(&seed, &c);
	return c;
}

/* Gaps are dear to open and nearly free to extend, across lanes. */
static struct swg_case
gaps(size_t round)
{
	size_t n = 200 + round % 400, a = swg_between(&seed, 20, 90);
	size_t at = below(&seed, 500);
	struct swg_case c = with(2, -3, (int32_t)swg_between(&seed, 20, 60),
				 (int32_t)below(&seed, 2), n, 4000);

	at = swg_copy(&seed, 4, c.t, c.m, at, c.q, a, 0);
	at += swg_between(&seed, 64, 400);
	swg_copy(&seed, 4, c.t, c.m, at, c.q + a, n - a, 0);
	return c;
}

/*
 * A path that ends in a strip's first row, from where no other H is near the
 * bound of the strip: it is just the threshold.
 */
static struct swg_case
first_row(size_t round)
{
	struct swg_case c = with(5, -20, 8, 1 + (int32_t)(round % 2), 512, 640);
	size_t n = 8 * swg_between(&seed, 2, 60) + 1 + (round % 8 == 7);
	size_t rows = swg_between(&seed, 5, 16);

	memset(c.t, 4, c.m);
	swg_copy(&seed, 4, c.t, c.m, swg_between(&seed, 64, 500),
		 c.q + n - rows, rows, 0);
	at_best = true;
	return c;
}

/*
 * Mismatches that cost far more than gaps: H below a path's end comes from F,
 * and E there, which comes from no H of its column, is far lower.  Paths end
 * at blocks' ends, so that the next lane has a higher base.
 */
static struct swg_case
steep(size_t round)
{
	struct swg_case c = with(5, -(int32_t)swg_between(&seed, 20, 70),
				 (int32_t)below(&seed, 6), 1,
				 300 + 50 * (round % 9), 3000);

	for (int i = 0; i < 20; i++) {
		size_t n = swg_between(&seed, 10, 60);
		size_t from = below(&seed, c.n - n);
		size_t at = SW_BLOCK * swg_between(&seed, 1, 46);

		swg_copy(&seed, 4, c.t, c.m, at - n, c.q + from, n, 0);
	}
	return c;
}

/* What the last lane hands to the first: long queries, texts of many lanes. */
static struct swg_case
around(size_t round)
{
	struct swg_case c = with(5, -3, 8, 1, 600 + 37 * (round % 40), 9000);

	swg_copy(&seed, 4, c.t, c.m, 3500 + below(&seed, 600), c.q, c.n,
		 (unsigned)below(&seed, 20));
	return c;
}

/* The same peaks by sw_pass(), which may try one engine, then another. */
static bool
check_auto(const struct swg_case *c, const char **why)
{
	struct cut x;
	bool same;

	cut(&x, c, c->m + 1, SW_AUTO);
	same = pass(&x, sw_pass, 1, 1, why);
	cut_free(&x);
	return same;
}

/* Low scores are left to other lanes, high ones are not. */
static void
check_calm(void)
{
	static const int32_t v[][4] = { { 2, -3, 5, 2 }, { 5, -3, 8, 1 } };

	for (int i = 0; i < 2; i++) {
		struct swg_case c = with(v[i][0], v[i][1], v[i][2], v[i][3],
					 400, 70000);
		struct sw_query *q;
		struct sw_seg seg = { 0, 69952, 0 };
		struct sw_text t = { c.t, seg.end, &seg, 1, { 0 } };
		struct ear e = { .top = room(seg.end / SW_BLOCK, 8),
				 .took = room(seg.end / SW_BLOCK, 8) };
		struct sw_pass p = {.t = &t,
				    .threshold = 1,
				    .raise = take_block,
				    .ctx = &e,
				    .may_calm = true};
		const char *why = "";

		if (sw_query_new(&q, &c.s, c.q, c.n, false, SW_AUTO, &err))
			abort();
		p.q = q;
		p.peak = room(seg.end / SW_BLOCK, sizeof *p.peak);
		if (work->skew)
			work->skew->did.steps16 = 0;
		ok(sw_skew_pass(&p, work, &err) == (i == 0 ||
						    cpu_isa() == ISA_SCALAR) &&
		   !(work->skew && work->skew->did.steps16),
		   "%s scores, in 8 bits", i ? "high" : "low");
		ok(check_auto(&c, &why), "... by all engines %s", why);
		free((void *)(uintptr_t)e.top);
		free(e.took);
		free(p.peak);
		sw_query_free(q);
		swg_free(&c);
	}
}

/* The fall-backs must have been at work, or nothing was tested. */
static void
check_did(void)
{
	const struct sw_skew *s = work->skew;
	uint64_t enough = fewer(1000), some = enough / 20;

	if (cpu_isa() == ISA_SCALAR) {
		ok(!s, "no lanes");
		return;
	}
	ok(s->did.steps8 > enough && s->did.steps16 > enough &&
	   s->did.failed8 > some && s->did.narrowed > some,
	   "8 bits %" PRIu64 ", 16 bits %" PRIu64 ", widened %" PRIu64
	   ", narrowed %" PRIu64, s->did.steps8, s->did.steps16,
	   s->did.failed8, s->did.narrowed);
	ok(s->did.reruns > enough && s->did.recorded > enough,
	   "looked into %" PRIu64 " strips, recorded %" PRIu64,
	   s->did.reruns, s->did.recorded);
}

int
main(int argc, char **argv)
{
	size_t more = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;

	if (argc > 2)
		seed = strtoull(argv[2], NULL, 10);
	prunes = true;
	if (sw_work_new(&work, &err))
		return 1;
	many("tiny", tiny, 700 * more);
	many("anything", anything, 300 * more);
	many("borders of strips", strips, 42 * more);
	many("borders of blocks", blocks, 42 * more);
	many("short queries, cheap gaps", short_query, 60 * more);
	many("a long fall", fall, 10 * more);
	many("families", family, 20 * more);
	many("the linear phase", linear, 20 * more);
	many("homologs", homologs, 20 * more);
	many("high scores", high, 5 * more);
	many("a cliff", cliff, 10 * more);
	many("the verge of what fits", verge, 60 * more);
	many("gaps", gaps, 30 * more);
	many("steep", steep, 30 * more);
	many("a strip's first row", first_row, 24 * more);
	at_best = false;
	many("from the last lane to the first", around, 8 * more);
	check_did();
	check_calm();
	sw_work_free(work);
	return done();
}
