/* SPDX-License-Identifier: MIT */
/* The best K beside one long alignment: sw_best() with relatives. */
#include "sw/sw_priv.h"
#include "base/cpu.h"
#include "tests/lib/sw_case.h"

static uint64_t seed;
static uint64_t done_so, left_so, asked_so, tiles_so;

/* Scores that skewed lanes take; gaps cheap and dear. */
static void
scheme(struct sw_scoring *s)
{
	static const int32_t p[][4] = {
		{ 2, -3, 5, 2 }, { 5, -3, 8, 1 }, { 1, -3, 5, 2 },
		{ 5, -4, 12, 4 }, { 1, -1, 0, 1 }, { 2, -1, 3, 0 },
		{ 9, -20, 40, 3 }, { 2, -3, 0, 0 }, { 30, -1, 20, 9 },
	};
	const int32_t *v = p[below(&seed, sizeof p / sizeof *p)];

	swg_dna(s, v[0], v[1], v[2], v[3]);
}

/* A relative, and up to three pieces of the query anywhere. */
static void
relate(struct swg_case *c, uint8_t *t, size_t m)
{
	swg_fill(&seed, (enum swg_kind)below(&seed, SWG_KINDS), 5, t, m);
	if (!m)
		return;
	if (below(&seed, 5))
		swg_copy(&seed, 4, t, m, below(&seed, m / 2 + 1), c->q, c->n,
			 (unsigned)below(&seed, 25));
	for (uint64_t i = below(&seed, 4); i; i--) {
		size_t n = swg_between(&seed, 1, c->n / 2 + 1);
		size_t from = below(&seed, c->n - n + 1);

		swg_copy(&seed, 4, t, m, below(&seed, m), c->q + from, n,
			 (unsigned)below(&seed, 20));
	}
}

static void
count(const struct sw_work *w)
{
	done_so += w->beside_did.done;
	left_so += w->beside_did.left;
	asked_so += w->beside_did.asked;
	tiles_so += w->beside_did.tiles;
}

static bool
try(struct swc *c)
{
	struct sw_hits h = { 0 };
	struct sw_work *w;
	struct err e;
	bool good;

	if (sw_work_new(&w, &e))
		return false;
	w->beside_from = 1;
	w->beside_late = below(&seed, 2);
	w->beside_tiles = below(&seed, 3) == 0;
	w->beside_strips = 1 + below(&seed, below(&seed, 2) ? 4 : 300);
	w->border_tile = 1 + (unsigned)below(&seed, 2);
	good = swc_check(c, below(&seed, 2) ? SW_SKEW : SW_AUTO,
			 2 + below(&seed, 9), w, &h);
	count(w);
	sw_hits_free(&h);
	sw_work_free(w);
	return good;
}

static bool
one_case(uint64_t round)
{
	struct swg_case g = { .q = NULL };
	struct swc c = { .kind = SW_ALIGNMENTS };
	size_t n = swg_between(&seed, 1, 1 + below(&seed, 400));
	uint8_t *t[SWC_SUBJECTS];
	bool good;

	(void)round;
	scheme(&g.s);
	swg_room(&g, n, 0);
	swg_fill(&seed, (enum swg_kind)below(&seed, SWG_KINDS), 5, g.q, n);
	c.s = &g.s;
	c.q = g.q;
	c.n = n;
	c.minus = below(&seed, 2);
	c.least = (int64_t)swg_between(&seed, 1, below(&seed, 2) ? 1 : 40);
	c.n_subjects = below(&seed, 3) ? 1 : 1 + below(&seed, 3);
	for (size_t i = 0; i < c.n_subjects; i++) {
		size_t m = 1 + below(&seed, 700);

		t[i] = swg_alloc(m);
		relate(&g, t[i], m);
		c.subject[i] = (struct swc_subject){ .t = t[i], .n = m };
	}
	swc_ready(&c);
	good = try(&c);
	for (size_t i = 0; i < c.n_subjects; i++)
		free(t[i]);
	swc_free(&c);
	swg_free(&g);
	return good;
}

/* The best K by an engine, beside alignments from `from` matches on. */
static void
search(const struct swg_case *c, const struct sw_text *t, size_t k,
       enum sw_engine engine, int64_t from, struct sw_hits *h)
{
	static const int64_t least = 1;
	struct sw_query *q;
	struct sw_work *w;
	struct err e;

	if (sw_work_new(&w, &e) ||
	    sw_query_new(&q, &c->s, c->q, c->n, false, engine, &e))
		exit(1);
	w->no_beside = !from;
	w->beside_from = from;
	w->beside_late = below(&seed, 2);
	w->beside_tiles = below(&seed, 3) == 0;
	w->border_tile = 1 + (unsigned)below(&seed, 2);
	if (below(&seed, 2))
		w->beside_strips = 1 + below(&seed, 300);
	if (sw_best(q, t, SW_ALIGNMENTS, k, &least, w, h, &e))
		exit(1);
	count(w);
	sw_query_free(q);
	sw_work_free(w);
}

static bool
same_hits(const struct sw_hits *a, const struct sw_hits *b)
{
	for (size_t i = 0; i < a->n && i < b->n; i++)
		if (memcmp(&a->v[i], &b->v[i], sizeof *a->v))
			return false;
	return a->n == b->n;
}

/* A motif again and again: next to the best alignment others are as long. */
static void
repeat(uint8_t *x, size_t n, const uint8_t *motif, size_t period)
{
	const uint64_t rate = below(&seed, 12);

	for (size_t i = 0; i < n; i++)
		x[i] = below(&seed, 100) < rate ? (uint8_t)below(&seed, 4) :
						  motif[i % period];
}

static void
repeats(struct swg_case *c, size_t n)
{
	uint8_t motif[100];
	const size_t period = swg_between(&seed, 8, sizeof motif);

	swg_fill(&seed, SWG_RANDOM, 4, motif, period);
	repeat(c->q, c->n, motif, period);
	repeat(c->t, n, motif, period);
}

/* More rows than lanes have at a time, of which many are left out. */
static bool
long_case(uint64_t round)
{
	size_t blocks = swg_between(&seed, 4, 30);
	size_t cut = SW_BLOCK * below(&seed, blocks);
	struct sw_seg seg[2] = {
		{ 0, cut, 0 }, { cut, blocks * SW_BLOCK, cut },
	};
	const bool one = cut == 0 || below(&seed, 2);
	struct sw_text t = {
		.n = seg[1].end, .seg = seg + one, .n_seg = 2 - one,
	};
	struct sw_hits h = { 0 }, want = { 0 };
	size_t k = swg_between(&seed, 2, 20);
	struct swg_case c;
	bool good;

	(void)round;
	if (one)
		seg[1].beg = seg[1].own = 0;
	scheme(&c.s);
	swg_room(&c, swg_between(&seed, 500, 1500), t.n + 64);
	swg_fill(&seed, (enum swg_kind)below(&seed, SWG_KINDS), 5, c.q, c.n);
	relate(&c, c.t, t.n);
	if (below(&seed, 3) == 0)
		repeats(&c, t.n);
	memset(c.t + t.n, SW_PAD, 64);
	t.codes = c.t;
	search(&c, &t, k, SW_PLAIN, 0, &want);
	search(&c, &t, k, SW_AUTO, 1, &h);
	good = same_hits(&h, &want);
	sw_hits_free(&h);
	sw_hits_free(&want);
	swg_free(&c);
	return good;
}

/*
 * Relatives from end to end: with their pairs forbidden, and only then, nothing
 * but noise is left, which few strips hold.
 */
static void
noise(void)
{
	static const int64_t least = 1;
	const size_t n = 1500;
	struct sw_hits h = { 0 };
	struct sw_seg seg = { 0, 25 * SW_BLOCK, 0 };
	struct sw_text t = { .n = seg.end, .seg = &seg, .n_seg = 1 };
	struct swg_case c;
	struct sw_query *q;
	struct sw_work *w;
	struct err e;

	swg_dna(&c.s, 2, -3, 5, 2);
	swg_room(&c, n, t.n + 64);
	swg_fill(&seed, SWG_RANDOM, 5, c.q, c.n);
	swg_fill(&seed, SWG_RANDOM, 5, c.t, c.m);
	swg_copy(&seed, 4, c.t, t.n, 3, c.q, c.n, 2);
	t.codes = c.t;
	if (sw_work_new(&w, &e) || sw_query_new(&q, &c.s, c.q, c.n, false,
						SW_AUTO, &e))
		exit(1);
	w->beside_from = 1;
	w->beside_strips = 60;
	w->border_tile = 1;
	ok(sw_best(q, &t, SW_ALIGNMENTS, 5, &least, w, &h, &e) == 0 &&
	   h.n == 5 && w->beside_did.done == 1, "noise beside a relative");
	sw_query_free(q);
	sw_work_free(w);
	sw_hits_free(&h);
	swg_free(&c);
}

int
main(void)
{
	swg_sweep(&seed, "relatives", one_case, 3000);
	swg_sweep(&seed, "long relatives", long_case, 100);
	if (cpu_isa() != ISA_SCALAR) {
		noise();
		ok(done_so > 30 && left_so > 10 && asked_so > 10 &&
		   tiles_so > 10, "%llu done so, %llu of them by tiles, %llu "
		   "left, %llu asked of the true table",
		   (unsigned long long)done_so, (unsigned long long)tiles_so,
		   (unsigned long long)left_so, (unsigned long long)asked_so);
	} else {
		ok(done_so == 0, "nothing is done so without vectors");
	}
	return done();
}
