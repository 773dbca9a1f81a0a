/* SPDX-License-Identifier: MIT */
/* sw_skew_prune.c - skewed lanes that leave out what leads to nothing */
#include "tests/lib/sw_crew.h"
#include "tests/lib/sw_lanes_case.h"

enum { THREADS = 3 };

static struct crew *crews[THREADS + 1];
static uint64_t skipped, settled;

/*
 * Pieces of the query, each some letters behind the one before in the text or
 * in the query; where one begins at a strip's first row, maybe at a block's
 * first column, so that the path goes by corners.
 */
static void
relate(const struct swg_case *c, size_t j, unsigned percent)
{
	size_t i = below(&seed, 2) ? 0 : below(&seed, c->n / 3);

	if (below(&seed, 2))
		j = j / SW_BLOCK * SW_BLOCK + i % SW_SKEW_ROWS;
	while (i < c->n && j < c->m) {
		size_t n = swg_between(&seed, 60, 900);

		n = n < c->n - i ? n : c->n - i;
		j = swg_copy(&seed, 4, c->t, c->m, j, c->q + i, n, percent);
		i += n;
		switch (below(&seed, 4)) {
		case 0:
			i += SW_SKEW_ROWS * below(&seed, 12);
			break;
		case 1:
			j += below(&seed, 300);
			break;
		case 2:
			j += SW_SKEW_ROWS * below(&seed, 4);
			break;
		}
	}
}

static struct swg_case
relatives(size_t round)
{
	static const int32_t v[][4] = {
		{ 2, -3, 5, 2 }, { 5, -4, 8, 4 }, { 9, -9, 40, 1 },
		{ 1, -3, 5, 2 }, { 140, -90, 100, 60 }, { 60, -200, 90, 3 },
		{ 300, -300, 0, 30 }, { 5, -20, 8, 1 }, { 5, -4, 20, 0 },
		{ 9, -30, 70, 0 }, { 400, -400, 10, 20 },
	};
	const int32_t *s = v[round % 11];
	struct swg_case c = with(s[0], s[1], s[2], s[3],
				 swg_between(&seed, 300, 3000),
				 swg_between(&seed, 300, 9000));

	if (round % 3 == 0)
		memset(c.t, 4, c.m);
	relate(&c, below(&seed, c.m / 2), (unsigned)(round / 3 % 4 * 3));
	if (round % 5 == 0)
		relate(&c, below(&seed, c.m), (unsigned)(round / 2 % 4 * 3));
	return c;
}

/*
 * The query as it is, by the corners of blocks: each path to the best cell goes
 * there, and has nothing to spare.
 */
static struct swg_case
corners(size_t round)
{
	struct swg_case c = with(5, -4, 20, 0,
				 SW_SKEW_ROWS * swg_between(&seed, 130, 250),
				 6000);
	size_t at = SW_SKEW_ROWS * below(&seed, 400) + (round % 4 == 3);

	memset(c.t, 4, c.m);
	memcpy(c.t + at, c.q, c.n);
	return c;
}

/*
 * A piece of the query that the text ends with, with a block: from any column
 * before on the path has nothing to spare, either, but rows to spare.
 */
static struct swg_case
ends(size_t round)
{
	size_t n = SW_SKEW_ROWS * swg_between(&seed, 200, 300), i;
	struct swg_case c = with(2, -3, 5, 2, n,
				 SW_BLOCK * swg_between(&seed, 66, 69));
	size_t piece = swg_between(&seed, 400, 600);

	if (round % 2)
		memset(c.t, 4, c.m);
	i = swg_between(&seed, 600, n - piece - 100);
	memcpy(c.t + c.m - piece, c.q + i, piece);
	return c;
}

/*
 * The same around what 16 bits hold: a path comes to the first lane with some
 * 60 to 75 matches, beside what was left out.
 */
static struct swg_case
verge(size_t round)
{
	const size_t border = cpu_isa() == ISA_SCALAR ? 2048 :
			      SW_BLOCK * isa_bytes(cpu_isa());
	size_t before = swg_between(&seed, 60, 75), i = border / 8 + 80;
	size_t n = before + SW_BLOCK * swg_between(&seed, 2, 4);
	struct swg_case c = with((int32_t)swg_between(&seed, 395, 450),
				 -(int32_t)swg_between(&seed, 1, 90),
				 (int32_t)below(&seed, 2),
				 (int32_t)(round % 3), i + n + 99,
				 border + n - before);

	i += below(&seed, 20);
	memset(c.t, 4, c.m);
	memcpy(c.t + c.m - n, c.q + i, n);
	memset(c.q, 4, i);
	memset(c.q + i + n, 4, c.n - i - n);
	return c;
}

/*
 * The query with a change after every 20 letters, of the kind that costs least:
 * each takes one word from the text, and from the query.
 */
static struct swg_case
spoilt(size_t round)
{
	const bool gaps = round % 2;
	size_t n = swg_between(&seed, 800, 2500);
	size_t m = n + n / 20 + swg_between(&seed, 0, 3000);
	struct swg_case c = gaps ? with(5, -20, 0, 7, n, m) :
				   with(3, -1, 9, 3, n, m);
	size_t j = below(&seed, m - n - n / 20 + 1);

	if (round % 4 < 2)
		memset(c.t, 4, m);
	for (size_t i = 0; i < n; i++) {
		c.t[j++] = c.q[i];
		if (i % 20 == 19 && gaps)
			c.t[j++] = (uint8_t)below(&seed, 4);
		else if (i % 20 == 19)
			c.t[j - 1] = (c.t[j - 1] + 1) % 4;
	}
	return c;
}

typedef struct swg_case make_fn(size_t round);

/* Of half of the cases: words that only one of the two has. */
static struct sw_absent absent;
static uint64_t words;

static void
find_absent(struct sw_pass *p)
{
	struct err e;

	if (below(&seed, 2) || sw_absent_find(&absent, p->q, p->t, &e))
		return;
	p->absent = &absent;
	words += absent.rows[0] + absent.blocks[0];
}

/* Of a step: is what it begins with as even as lanes take for granted? */
static const struct sw_skew_ops *ops;
static struct sw_skew_ops watched;
static bool uneven;

static int32_t
value(const struct sw_skew *s, const uint8_t *x, size_t i)
{
	return s->narrow ? x[i] - s->zero8 :
			   ((const int16_t *)(const void *)x)[i];
}

/* Values of 8 bits that are out of range are refused by the step itself. */
static void
look_at(const struct sw_skew *s, unsigned k)
{
	const int32_t first = s->open + s->extend, corner = s->corner[k];
	const struct sw_skew_edge *x = &s->edge[s->at];
	const struct sw_skew_side *left = &s->side[s->at];
	int32_t low = corner < s->low[k] ? corner : s->low[k], most = corner;
	int32_t gap = corner - s->open;

	for (size_t j = 0, i = k; j < SW_BLOCK; j++, i += s->ops->lanes) {
		int32_t h = value(s, x->h, i) + s->base[k];

		most = h > most ? h : most;
		uneven |= h < low || h > s->most[k] ||
			  value(s, x->f, i) + s->base[k] < h - first;
	}
	for (unsigned r = 0; r < SW_SKEW_ROWS; r++) {
		int32_t h = value(s, left->h[r], k) + left->base[k];
		int32_t e = value(s, left->e[r], k) + left->base[k];

		gap -= s->extend;
		most = h > most ? h : most;
		uneven |= !(s->narrow && left->h[r][k] == 255) &&
			  (h < gap || h > left->most[k] || e > h);
	}
	if (!s->prunes)
		return;
	uneven |= most - low > s->span + s->reach;
	low = low > s->low_at ? low - s->low_at : 0;
	uneven |= most + SW_SKEW_ROWS * s->match - low > INT16_MAX;
}

static bool
watch8(struct sw_skew *s)
{
	for (unsigned k = 0; k < s->ops->lanes; k++)
		look_at(s, k);
	return ops->step8(s);
}

static bool
watch16(struct sw_skew *s)
{
	for (unsigned k = 0; k < s->ops->lanes; k++)
		look_at(s, k);
	return ops->step16(s);
}

/* In one part, or in two, one after the other. */
static int
in_parts(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	static struct sw_skew_row ring[SW_SKEW_RING];
	size_t from[3], n = 1 + below(&seed, 2);
	int rc = 0;

	find_absent(p);
	if (p->t->n / SW_BLOCK > SW_SKEW_RING)
		n = 1;
	n = sw_skew_split(p->q, n, from);
	for (size_t i = 0; i < n && !rc; i++) {
		rc = sw_skew_begin(&w->skew, p, &(struct sw_skew_part){
			.from = from[i], .to = from[i + 1],
			.above = i ? ring : NULL,
			.below = i + 1 < n ? ring : NULL,
		}, e);
		if (rc)
			break;
		ops = w->skew->ops;
		watched = *ops;
		watched.step8 = watch8;
		watched.step16 = watch16;
		w->skew->ops = &watched;
		rc = sw_skew_run(w->skew, p, UINT64_MAX);
		w->skew->ops = ops;
	}
	return rc;
}

static int
alone(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	find_absent(p);
	return sw_skew_pass(p, w, e);
}

static int
by_crew(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	struct helpers h;
	int rc;

	find_absent(p);
	helpers_begin(&h, w->crew);
	rc = sw_skew_pass(p, w, e);
	helpers_end(&h);
	return rc;
}

/*
 * The peaks that reach the best score, or a little less.  No threads: each step
 * is watched.
 */
static bool
check_one(const struct swg_case *c, unsigned threads, const char **why)
{
	int64_t best = 0, least;
	struct cut x;
	bool same;

	cut(&x, c, below(&seed, 4) ? c->m + 1 : swg_between(&seed, 1, 3000),
	    SW_SKEW);
	for (uint64_t b = 0; b < x.t.n / SW_BLOCK; b++)
		best = larger(best, x.top[b]);
	least = best - (int64_t)below(&seed, 2) *
		(int64_t)below(&seed, 1 + (uint64_t)best / 8);
	work->crew = crews[threads];
	uneven = false;
	same = pass(&x, threads > 1 ? by_crew : threads ? alone :
		    in_parts, larger(least, 1), (unsigned)below(&seed, 3), why);
	if (same && uneven) {
		*why = "uneven";
		same = false;
	}
	if (threads < 2 && work->skew) {
		skipped += work->skew->did.skipped;
		settled += work->skew->did.settled;
		work->skew->did.skipped = work->skew->did.settled = 0;
	}
	work->crew = NULL;
	cut_free(&x);
	return same;
}

static void
many(unsigned threads, make_fn *make, size_t cases)
{
	cases = fewer(cases);
	for (size_t i = 0; i < cases; i++) {
		uint64_t was = seed;
		struct swg_case c = make(i);
		const char *why = "";
		bool same = check_one(&c, threads, &why);

		if (!same)
			ok(false, "%u threads: %s, round %zu, seed %" PRIu64
			   ", n %zu, m %zu", threads, why, i, was, c.n, c.m);
		swg_free(&c);
		if (!same)
			return;
	}
	ok(true, "%u threads: %zu cases", threads, cases);
}

int
main(int argc, char **argv)
{
	size_t more = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	uint64_t enough = fewer(200);

	if (argc > 2)
		seed = strtoull(argv[2], NULL, 10);
	if (cpu_isa() == ISA_SCALAR) {
		ok(true, "no lanes # SKIP");
		return done();
	}
	prunes = true;
	if (sw_work_new(&work, &err))
		return 1;
	crews_begin(crews, THREADS);
	for (unsigned i = 0; i <= THREADS; i++)
		many(i, relatives, (i < 2 ? 160 : 60) * more);
	for (unsigned i = 0; i <= THREADS; i++)
		many(i, corners, 20 * more);
	for (unsigned i = 0; i <= THREADS; i++)
		many(i, ends, 20 * more);
	for (unsigned i = 0; i <= THREADS; i++)
		many(i, spoilt, 40 * more);
	for (unsigned i = 0; i < 2; i++)
		many(i, verge, 40 * more);
	ok(skipped > enough && settled > fewer(20),
	   "left out %" PRIu64 " times, settled %" PRIu64, skipped, settled);
	ok(words > 100 * enough, "%" PRIu64 " words are not in the other",
	   words);
	sw_absent_free(&absent);
	crews_end(crews, THREADS);
	sw_work_free(work);
	return done();
}
