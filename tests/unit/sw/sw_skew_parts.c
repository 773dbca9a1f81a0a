/* SPDX-License-Identifier: MIT */
/* sw_skew_parts.c - a pass by bands of the query's rows, by several threads */
#include <unistd.h>

#include "tests/lib/sw_crew.h"
#include "tests/lib/sw_lanes_case.h"

enum { THREADS = 4 };

static struct crew *crews[THREADS + 1];
static bool slow;

/* The last band dawdles: those above come as far as they may. */
static int64_t
dawdle(void *ctx, uint64_t block, int64_t top)
{
	const struct sw_pass *p = ctx;

	if (slow && block % 32 == 0)
		usleep(1000);
	return p->raise(p->ctx, block, top);
}

/* By as many threads as w->crew has, or fewer, as they come late. */
static int
by_crew(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	struct sw_pass mine = *p;
	struct helpers h;
	int rc;

	mine.raise = dawdle;
	mine.ctx = p;
	helpers_begin(&h, w->crew);
	rc = sw_skew_pass(&mine, w, e);
	helpers_end(&h);
	p->threshold = mine.threshold;
	return rc;
}

static struct swg_case
make(size_t round, size_t rows, size_t letters)
{
	static const int32_t v[][4] = {
		{ 5, -3, 8, 1 }, { 2, -3, 5, 2 }, { 60, -20, 10, 2 },
		{ 5, -1, 3, 0 },
	};
	const int32_t *s = v[round % 4];
	struct swg_case c;

	swg_dna(&c.s, s[0], s[1], s[2], s[3]);
	swg_room(&c, rows, letters);
	swg_fill(&seed, (enum swg_kind)below(&seed, SWG_KINDS), 5, c.q, c.n);
	swg_fill(&seed, (enum swg_kind)below(&seed, SWG_KINDS), 5, c.t, c.m);
	swg_borders(&seed, &c, SW_BLOCK, below(&seed, 4));
	return c;
}

/* What has not been left yet is spoilt, so that nobody can use it. */
static void
spoil(struct sw_skew_row *ring, uint64_t left)
{
	for (uint64_t b = left; b < SW_SKEW_RING; b++)
		for (unsigned j = 0; j < SW_BLOCK; j++)
			ring[b].h[j] = ring[b].f[j] = 9999;
}

/* Two bands in turn, each as far as it may go, or less. */
static int
by_hand(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	static struct sw_skew_row ring[SW_SKEW_RING];
	uint64_t blocks = p->t->n / SW_BLOCK, at = 0, done = 0;
	struct sw_skew *band[2] = { 0 };
	size_t from[3];
	int rc = sw_skew_split(p->q, 2, from) != 2;

	(void)w;
	for (size_t i = 0; i < 2 && !rc; i++)
		rc = sw_skew_begin(&band[i], p, &(struct sw_skew_part){
			.from = from[i], .to = from[i + 1],
			.above = i ? ring : NULL, .below = i ? NULL : ring,
		}, e);
	while (!rc && done < blocks) {
		uint64_t left;

		at += at < blocks ? 1 + below(&seed, blocks - at) : 0;
		rc = sw_skew_run(band[0], p, at);
		left = sw_skew_left(band[0], p, at);
		spoil(ring, left);
		if (!rc && left > done) {
			done += 1 + below(&seed, left - done);
			rc = sw_skew_run(band[1], p, done);
		}
	}
	sw_skew_free(band[0]);
	sw_skew_free(band[1]);
	return rc;
}

static void
in_turn(size_t rounds)
{
	for (size_t i = 0; i < rounds; i++) {
		struct swg_case c = make(i, 1024 + below(&seed, 99),
					 swg_between(&seed, 1, 6000));
		const char *why = "";
		struct cut x;
		bool good;

		cut(&x, &c, below(&seed, 2) ? c.m + 1 : 700, SW_SKEW);
		good = x.t.n / SW_BLOCK > SW_SKEW_RING ||
		       pass(&x, by_hand, 1 + (int64_t)below(&seed, 900), 2,
			    &why);
		ok(good, "%zu letters, two bands in turn %s", c.m, why);
		cut_free(&x);
		swg_free(&c);
	}
}

/* The peaks are right, by so many bands. */
static bool
check_bands(const struct swg_case *c, size_t most, unsigned threads,
	    int64_t least, size_t *n)
{
	size_t from[THREADS + 1];
	const char *why = "";
	struct cut x;
	bool good;

	cut(&x, c, most, SW_SKEW);
	*n = sw_skew_split(x.q, threads, from);
	work->crew = crews[threads];
	good = pass(&x, by_crew, least, (unsigned)below(&seed, 4), &why);
	if (!good)
		printf("# %s\n", why);
	cut_free(&x);
	return good;
}

static void
short_texts(size_t rounds)
{
	size_t bands[THREADS + 1] = { 0 };
	/* as few rows for few lanes: some have one band */
	size_t fewer_rows = cpu_isa() == ISA_NEON ? 4 : 1;
	bool good = true;

	for (size_t i = 0; good && (i < rounds || (i < 24 &&
	     !(bands[1] && bands[2] && bands[3]))); i++) {
		size_t rows = (500 + 97 * (i % 17)) / fewer_rows;
		struct swg_case c = make(i, rows,
					 swg_between(&seed, 1, 7000));
		size_t most = below(&seed, 2) ? c.m + 1 :
			      swg_between(&seed, 1, 3000), n;
		unsigned threads = 2 + i % 3;

		good = check_bands(&c, most, threads,
				   1 + (int64_t)below(&seed, 900), &n);
		ok(good, "%zu rows, %zu letters, %u threads, %zu bands", c.n,
		   c.m, threads, n);
		bands[n]++;
		swg_free(&c);
	}
	ok(bands[1] && bands[2] && bands[3], "some of each");
}

/* More blocks than a ring holds, below which a band is slow. */
static void
long_text(void)
{
	struct swg_case c = make(0, 1100, 3 * SW_SKEW_RING * SW_BLOCK / 2);
	size_t n = 0;
	bool good;

	slow = true;
	good = check_bands(&c, c.m + 1, 3, 1, &n);
	slow = false;
	ok(good && n > 1, "%zu letters, the last of %zu bands is slow", c.m,
	   n);
	swg_free(&c);
}

int
main(void)
{
	if (cpu_isa() == ISA_SCALAR) {
		ok(true, "no lanes # SKIP");
		return done();
	}
	prunes = true;
	if (sw_work_new(&work, &err))
		return 1;
	crews_begin(crews, THREADS);
	short_texts((size_t)fewer(24));
	long_text();
	in_turn((size_t)fewer(8));
	crews_end(crews, THREADS);
	sw_work_free(work);
	return done();
}
