/* SPDX-License-Identifier: MIT */
/*
 * sw_cut.c - the best one of relatives by a crew, whose path is cut at rows,
 * beside the same by one thread
 */
#include <inttypes.h>
#include <string.h>

#include "base/cpu.h"
#include "sw/sw_priv.h"
#include "sw/sw_grid.h"
#include "tests/lib/sw_crew.h"
#include "tests/lib/sw_gen.h"

enum { THREADS = 5, ROWS = 8192, COLS = 32768 };	/* least for seeds */
enum { MANY = 24 };	/* cases: some are not cut */

static uint64_t seed = 20261129;
static struct crew *crews[THREADS + 1];
static struct sw_work *work[2];
static struct sw_hits hits[2];
static struct buf ways[2];
static struct err err;

static int
put(void *ctx, size_t hit, struct err *e)
{
	struct buf *to = ((struct buf **)ctx)[0];
	const struct buf *ops = ((struct buf **)ctx)[1];

	(void)hit;
	(void)e;
	buf_put(to, ops->p, ops->n);
	return 0;
}

/* The first hits and their CIGARs, with work[who]. */
static bool
search(const struct sw_query *q, const struct sw_text *t, unsigned who)
{
	static struct buf ops;
	uint8_t same[SW_LETTERS];
	struct buf *ctx[] = { &ways[who], &ops };
	int64_t least = 1;
	int rc;

	for (unsigned i = 0; i < SW_LETTERS; i++)
		same[i] = (uint8_t)i;
	ways[who].n = 0;
	rc = sw_bound(q, t, work[who]->crew, &least, &err);
	if (!rc)
		rc = sw_best(q, t, SW_ALIGNMENTS, 1, &least, work[who],
			     &hits[who], &err);
	if (!rc)
		rc = sw_trace_each(q, t, hits[who].v, hits[who].n, same,
				   work[who], &ops, put, ctx, &err);
	return !rc;
}

static bool
same_hits(void)
{
	return hits[0].n == 1 && hits[1].n == 1 &&
	       !memcmp(hits[0].v, hits[1].v, sizeof *hits[0].v) &&
	       ways[0].n && ways[0].n == ways[1].n &&
	       !memcmp(ways[0].p, ways[1].p, ways[0].n);
}

/*
 * The query behind some letters, with some of its own left out or doubled: then
 * paths are in a gap at some row, or another one is as good.
 */
static void
relate(const struct swg_case *c, size_t round)
{
	const unsigned percent = (unsigned)(round % 4 * 5);
	size_t i = 0, j = below(&seed, (c->m - c->n) / 2);
	const size_t gaps = below(&seed, 6);

	for (size_t k = 0; k <= gaps && i < c->n; k++) {
		size_t to = k == gaps ? c->n :
			    i + swg_between(&seed, 1, c->n - i);

		j = swg_copy(&seed, 4, c->t, c->m, j, c->q + i, to - i,
			     percent);
		i = to;
		if (below(&seed, 2))
			i += below(&seed, 600);
		else
			i -= below(&seed, i < 600 ? i : 600);
	}
}

/*
 * The query's first letters, a gap in it that leaves them a few points, and the
 * others: the window that seeds bound begins within the gap.
 */
static struct swg_case
far_start(void)
{
	const size_t n = ROWS + below(&seed, 3000);
	const size_t first = 200 + below(&seed, 100);
	const size_t gap = 5 * first - 8 - swg_between(&seed, 1, 12);
	size_t at = 9000 + below(&seed, 3000);
	struct swg_case c;

	swg_dna(&c.s, 5, -4, 8, 1);
	swg_room(&c, n, COLS + below(&seed, 3000));
	swg_fill(&seed, SWG_RANDOM, 4, c.q, c.n);
	swg_fill(&seed, SWG_RANDOM, 4, c.t, c.m);
	at = swg_copy(&seed, 4, c.t, c.m, at, c.q, first, 0);
	memset(c.t + at, 4, gap);
	swg_copy(&seed, 4, c.t, c.m, at + gap, c.q + first, n - first, 1);
	return c;
}

static struct swg_case
make(size_t round)
{
	static const int32_t v[][4] = {
		{ 2, -3, 5, 2 }, { 5, -4, 8, 4 }, { 1, -2, 2, 1 },
		{ 5, -3, 8, 1 }, { 2, -3, 5, 2 }, { 3, -3, 0, 4 },
	};
	const int32_t *s = v[round % 6];
	const size_t n = ROWS + below(&seed, 3000);
	struct swg_case c;

	if (round % 5 == 4)
		return far_start();
	swg_dna(&c.s, s[0], s[1], s[2], s[3]);
	swg_room(&c, n, COLS + below(&seed, 3000));
	swg_fill(&seed, SWG_RANDOM, 4, c.q, c.n);
	swg_fill(&seed, SWG_RANDOM, 4, c.t, c.m);
	if (round % 3 == 1)	/* many paths are as good */
		for (size_t i = 0; i < n; i++)
			if (i % 700 < 300)
				c.q[i] = (uint8_t)(i % 2);
	relate(&c, round);
	return c;
}

/* One segment, or two, of which the first has half of the letters. */
static bool
check(const struct swg_case *c, size_t round)
{
	const size_t half = round % 5 ? 0 : c->m / 2 / SW_BLOCK * SW_BLOCK;
	const size_t end = (c->m + SW_BLOCK - 1) / SW_BLOCK * SW_BLOCK;
	const struct sw_seg seg[] = {
		{ 0, half, 0 }, { half, end, half },
	};
	uint8_t *codes = malloc(end);
	struct sw_text t = { codes, end, half ? seg : seg + 1, 1 + !!half,
			     { 0 } };
	struct helpers h;
	struct sw_query *q;
	bool good;

	if (!codes || sw_query_new(&q, &c->s, c->q, c->n, false, SW_AUTO, &err))
		abort();
	memset(codes, SW_PAD, end);
	memcpy(codes, c->t, c->m);
	good = search(q, &t, 0);
	work[1]->crew = crews[2 + round % (THREADS - 1)];
	work[1]->leaders = 1;
	work[1]->grid_tile = round % 2 ? 0 : 1 + (unsigned)(round / 2 % 3);
	helpers_begin(&h, work[1]->crew);
	good = search(q, &t, 1) && good && same_hits();
	helpers_end(&h);
	sw_query_free(q);
	free(codes);
	return good;
}

int
main(int argc, char **argv)
{
	size_t cases = 4 + (size_t)fewer(20);

	if (argc > 1)
		cases *= strtoul(argv[1], NULL, 10);
	if (argc > 2)
		seed = strtoull(argv[2], NULL, 10);
	if (cpu_isa() == ISA_SCALAR) {
		ok(true, "no lanes # SKIP");
		return done();
	}
	crews_begin(crews, THREADS);
	if (sw_work_new(&work[0], &err) || sw_work_new(&work[1], &err))
		return 1;
	for (size_t i = 0; i < cases; i++) {
		const uint64_t was = seed;
		struct swg_case c = make(i);

		ok(check(&c, i), "case %zu, %zu x %zu, seed %" PRIu64, i, c.n,
		   c.m, was);
		swg_free(&c);
	}
	ok(work[1]->cut_did.done && (work[1]->cut_did.failed || cases < MANY),
	   "%" PRIu64 " paths were cut, %" PRIu64 " could not be",
	   work[1]->cut_did.done, work[1]->cut_did.failed);
	for (unsigned i = 0; i < 2; i++) {
		sw_work_free(work[i]);
		sw_hits_free(&hits[i]);
		buf_free(&ways[i]);
	}
	crews_end(crews, THREADS);
	return done();
}
