/* SPDX-License-Identifier: MIT */
/* sw.c - the best K local alignments and cells, each engine by the textbook */
#include "sw/sw_priv.h"

#include "tests/lib/sw_case.h"

static uint64_t seed;
static struct sw_work *work;
static struct sw_hits hits;

/* Cuts a subject in pieces that lie side by side as subjects of their own. */
static void
split(struct swc *c, const struct swg_case *g)
{
	size_t pieces = below(&seed, 2) ? 1 : swg_between(&seed, 1,
							  SWC_SUBJECTS);
	size_t at = 0;

	for (size_t i = 0; i < pieces && at < g->m; i++) {
		size_t n = i + 1 == pieces ? g->m - at :
			   swg_between(&seed, 1, (g->m - at));

		c->subject[c->n_subjects++] = (struct swc_subject){
			.t = g->t + at, .n = n };
		at += n;
	}
}

/* Only letters from some on count; those before their context are away. */
static void
cut(struct swc *c, const struct swg_case *g)
{
	struct sw_query *q;
	uint64_t context;
	struct err e;

	if (sw_query_new(&q, &g->s, g->q, g->n, false, SW_AUTO, &e))
		abort();
	context = sw_context(q);
	sw_query_free(q);
	for (size_t i = 0; i < c->n_subjects; i++) {
		struct swc_subject *x = &c->subject[i];

		x->own = below(&seed, x->n);
		if (x->own > context)
			x->skip = x->own - context;
	}
}

static bool
same_for_all(struct swc *c, enum sw_engine engine)
{
	size_t all = c->want.n;
	size_t k[] = { 1, swg_between(&seed, 2, 20), all + 1 };

	if (all > 20)
		k[1] = swg_between(&seed, 2, below(&seed, 2) ? all : 40);
	if (!below(&seed, 4))
		k[2] = SIZE_MAX;
	for (size_t i = 0; i < 3; i++)
		if (!swc_check(c, engine, k[i], work, &hits)) {
			printf("# k=%zu\n", k[i]);
			return false;
		}
	return true;
}

/* A case by all engines, both kinds; what an engine did is in good. */
static void
check(const struct swg_case *g, bool good[SWC_ENGINES])
{
	struct swc c = { .s = &g->s, .q = g->q, .n = g->n };

	c.minus = below(&seed, 2);
	split(&c, g);
	if (below(&seed, 3) == 0)
		cut(&c, g);
	for (int kind = 0; kind < 2; kind++) {
		c.kind = (enum sw_kind)kind;
		c.least = 1 + (below(&seed, 2) ? 0 : (int64_t)below(&seed,
			  4 * (uint64_t)(g->s.score[0][0] > 0 ?
					 g->s.score[0][0] : 1)));
		swc_ready(&c);
		work->piece = below(&seed, 2) * SW_BLOCK;
		work->border_tile = (unsigned)below(&seed, 3);
		work->unpacked = below(&seed, 2);
		work->round_always = below(&seed, 2);
		for (size_t i = 0; i < SWC_ENGINES; i++)
			good[i] = same_for_all(&c, (enum sw_engine)i) &&
				  good[i];
		swc_free(&c);
	}
}

static struct swg_case
tiny(size_t round)
{
	return swg_any(&seed, 1 + round % 9, 1 + round % 30);
}

static struct swg_case
small(size_t round)
{
	return swg_any(&seed, 1 + round % 50, 400);
}

/* The linear phase: alignments as long as the text. */
static struct swg_case
linear(size_t round)
{
	struct swg_case c = swg_any(&seed, 1 + round % 40, 700);

	swg_dna(&c.s, 5, -3, 8, 1);
	for (size_t i = 0; i < c.n; i++)
		c.q[i] %= 5;
	for (size_t i = 0; i < c.m; i++)
		c.t[i] %= 5;
	return c;
}

/* Few scores: ties of all kinds. */
static struct swg_case
ties(size_t round)
{
	struct swg_case c = swg_any(&seed, 1 + round % 12, 300);

	swg_dna(&c.s, 1, -(int32_t)below(&seed, 2), (int32_t)below(&seed, 2),
		(int32_t)below(&seed, 2));
	for (size_t i = 0; i < c.n; i++)
		c.q[i] %= 2;
	for (size_t i = 0; i < c.m; i++)
		c.t[i] %= 2;
	return c;
}

static struct swg_case
free_gaps(size_t round)
{
	struct swg_case c = swg_any(&seed, 1 + round % 20, 300);

	if (round % 3 != 1)
		c.s.extend = 0;
	if (round % 3 != 0)
		c.s.open = 0;
	return c;
}

/* No score of the matrix is above 0, or each one is. */
static struct swg_case
one_sign(size_t round)
{
	struct swg_case c = swg_any(&seed, 1 + round % 20, 200);

	for (unsigned i = 0; i < c.s.letters; i++)
		for (unsigned j = 0; j < c.s.letters; j++)
			c.s.score[i][j] = (round % 2 ? 1 : -1) *
					  abs(c.s.score[i][j]);
	return c;
}

/* Costs that forbid mismatches or gaps, or nearly do. */
static struct swg_case
dear(size_t round)
{
	size_t n = 1 + round % 40;
	struct swg_case c = round % 2 ? swg_family(&seed, n, 300) :
					swg_any(&seed, n, 300);

	for (size_t i = 0; i < c.n; i++)
		c.q[i] %= 5;
	for (size_t i = 0; i < c.m; i++)
		c.t[i] %= 5;
	swg_dear(&seed, &c.s, c.n);
	return c;
}

static struct swg_case
family(size_t round)
{
	return swg_family(&seed, 1 + round % 60, below(&seed, 900));
}

static struct swg_case
short_query(size_t round)
{
	(void)round;
	return swg_short_query(&seed);
}

/* So many blocks that the K-th score is estimated, too high now and then. */
static struct swg_case
blocks(size_t round)
{
	struct swg_case c = round % 3 ?
		swg_family(&seed, 1 + round % 70, 5000) :
		swg_any(&seed, 1 + round % 9, 6000);

	if (round % 2)
		swg_dna(&c.s, 5, -3, 8, 1);
	for (size_t i = 0; round % 2 && i < c.n; i++)
		c.q[i] %= 5;
	for (size_t i = 0; round % 2 && i < c.m; i++)
		c.t[i] %= 5;
	return c;
}

/* The first k of letters [from, to) with their context, to those of others. */
static void
take_piece(const struct swc *c, const struct sw_query *q, size_t from,
	   size_t to, size_t k, struct sw_topk *topk)
{
	struct swc p = { .s = c->s, .n_subjects = 1 };
	uint64_t context = sw_context(q);
	struct err e;

	p.subject[0] = (struct swc_subject){ .t = c->subject[0].t, .n = to,
		.own = from, .skip = from > context ? from - context : 0 };
	swc_layout(&p);
	if (sw_best(q, &p.text, c->kind, k, &c->least, work, &hits, &e))
		abort();
	for (size_t i = 0; i < hits.n; i++) {
		hits.v[i].beg -= p.subject[0].at;
		hits.v[i].end -= p.subject[0].at;
		if (sw_topk_put(topk, &hits.v[i], &e))
			abort();
	}
	swc_free(&p);
}

/* A text in pieces, each by itself: of a start that comes again the best. */
static bool
same_in_pieces(const struct swc *c, enum sw_engine engine,
	       struct sw_topk *topk)
{
	size_t k = swg_between(&seed, 1, 30), at = 0, m = c->subject[0].n;
	size_t want = k < c->want.n ? k : c->want.n;
	struct sw_query *q;
	struct err e;
	bool good;

	if (sw_query_new(&q, c->s, c->q, c->n, c->minus, engine, &e))
		abort();
	sw_topk_reset(topk, q, c->kind, k);
	while (at < m) {
		size_t to = at + swg_between(&seed, 1, m / 2 + 1);

		to = to < m ? to : m;
		take_piece(c, q, at, to, k, topk);
		at = to;
	}
	if (sw_topk_take(topk, &hits, &e))
		abort();
	good = hits.n == want;
	for (size_t i = 0; good && i < want; i++)
		good = swc_equal(c, &hits.v[i], &c->want.v[i]) ||
		       swc_differs(c, i, &hits, want);
	sw_query_free(q);
	return good;
}

static bool
pieces_of(const struct swg_case *g, struct sw_topk *topk)
{
	bool good = true;

	for (int kind = 0; good && kind < 2; kind++) {
		struct swc c = { .s = &g->s, .q = g->q, .n = g->n,
				 .kind = (enum sw_kind)kind, .least = 1,
				 .minus = below(&seed, 2), .n_subjects = 1 };

		c.subject[0] = (struct swc_subject){ .t = g->t, .n = g->m };
		swc_ready(&c);
		for (size_t i = 0; good && i < SWC_ENGINES; i++)
			good = same_in_pieces(&c, (enum sw_engine)i, topk);
		swc_free(&c);
	}
	return good;
}

static void
test_pieces(void)
{
	struct sw_topk topk = { 0 };
	size_t round = 0;
	bool good = true;

	for (; good && round < lighter(300); round++) {
		struct swg_case g;

		seed = 0xb17e + round;
		g = round % 2 ? swg_any(&seed, 1 + round % 20, 500) :
				swg_family(&seed, 1 + round % 20,
					   below(&seed, 600));
		good = pieces_of(&g, &topk);
		swg_free(&g);
	}
	ok(good, "a text in pieces, %zu cases, all engines", round);
	sw_topk_free(&topk);
}

/* Identical sequences whose score needs more than 32 bits. */
static void
test_large(void)
{
	struct swc_subject *x;
	struct sw_scoring s;
	struct swc c = { .s = &s, .n = 4500, .least = 1, .n_subjects = 1 };
	uint8_t *t = swg_alloc(c.n);

	seed = 5;
	swg_fill(&seed, SWG_RANDOM, 5, t, c.n);
	swg_dna(&s, SW_MAX_SCORE, -SW_MAX_SCORE, SW_MAX_SCORE, SW_MAX_SCORE);
	c.q = t;
	x = &c.subject[0];
	*x = (struct swc_subject){ .t = t, .n = c.n };
	swc_layout(&c);
	osw_hits_free(&c.want);
	c.want.v = osw_alloc(1, sizeof *c.want.v);
	c.want.n = 1;
	c.want.v[0] = (struct osw_hit){ .score = (int64_t)c.n * SW_MAX_SCORE,
		.qend = c.n, .end = c.n };
	for (size_t i = 0; i < SWC_ENGINES; i++)
		ok(swc_check(&c, (enum sw_engine)i, 1, work, &hits),
		   "a score beyond 32 bits, %s", swc_engine[i]);
	swc_free(&c);
	free(t);
}

/* A least score as high as can be: nothing, whatever a mismatch costs. */
static void
test_most(void)
{
	struct sw_scoring s;
	uint8_t q[] = { 0, 1, 2, 3 }, t[] = { 3, 0, 1, 2, 3, 0 };
	struct swc c = { .s = &s, .q = q, .n = sizeof q, .least = INT64_MAX,
			 .n_subjects = 1 };
	bool good = true;

	c.subject[0] = (struct swc_subject){ .t = t, .n = sizeof t };
	for (int32_t mismatch = -1; mismatch >= -1000; mismatch *= 10) {
		swg_dna(&s, 1, mismatch, 0, 1);
		swc_ready(&c);
		for (size_t i = 0; i < SWC_ENGINES; i++)
			good &= swc_check(&c, (enum sw_engine)i, 1, work,
					  &hits) && !hits.n;
		swc_free(&c);
	}
	ok(good, "no hit reaches the largest number");
}

int
main(void)
{
	struct err e;

	if (sw_work_new(&work, &e))
		abort();
	swc_sweep(&seed, "tiny", tiny, 3000, check);
	swc_sweep(&seed, "small", small, 400, check);
	swc_sweep(&seed, "linear phase", linear, 120, check);
	swc_sweep(&seed, "ties", ties, 300, check);
	swc_sweep(&seed, "free gaps", free_gaps, 200, check);
	swc_sweep(&seed, "scores of one sign", one_sign, 150, check);
	swc_sweep(&seed, "costs that forbid", dear, 400, check);
	swc_sweep(&seed, "copies", family, 100, check);
	swc_sweep(&seed, "many blocks", blocks, 12, check);
	swc_sweep(&seed, "short query", short_query, 6, check);
	test_large();
	test_most();
	test_pieces();
	sw_hits_free(&hits);
	sw_work_free(work);
	return done();
}
