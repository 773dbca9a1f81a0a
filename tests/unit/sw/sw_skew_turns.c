/* SPDX-License-Identifier: MIT */
/* sw_skew_turns.c - a pass by rounds of blocks, by several threads */
#include "tests/lib/sw_crew.h"
#include "tests/lib/sw_lanes_case.h"

enum { THREADS = 5 };

static struct crew *crews[THREADS + 1];
static struct sw_absent absent;
static unsigned turns;
static uint64_t left_out, dead_ends;

static size_t
lanes(void)
{
	return isa_bytes(cpu_isa());
}

/* Pieces of the query in the text, one behind the other. */
static void
relate(const struct swg_case *c, unsigned percent)
{
	size_t i = below(&seed, c->n / 3), j = below(&seed, c->m);

	while (i < c->n && j < c->m) {
		size_t n = swg_between(&seed, 60, 900);

		n = n < c->n - i ? n : c->n - i;
		j = swg_copy(&seed, 4, c->t, c->m, j, c->q + i, n, percent);
		i += n + (below(&seed, 3) ? 0 : below(&seed, 90));
		j += below(&seed, 3) ? 0 : below(&seed, 300);
	}
}

static struct swg_case
others(size_t round, size_t rows, size_t letters)
{
	static const int32_t v[][4] = {
		{ 2, -3, 5, 2 }, { 5, -4, 8, 4 }, { 5, -3, 8, 1 },
		{ 140, -90, 100, 60 }, { 1, 0, 0, 1 }, { 60, -200, 90, 3 },
	};
	const int32_t *s = v[round % 6];
	struct swg_case c = with(s[0], s[1], s[2], s[3], rows, letters);

	if (round % 4 == 3)
		memset(c.t, 4, c.m);
	relate(&c, (unsigned)(round % 3 * 5));
	return c;
}

/*
 * The query again and again, in segments of no more letters than it has: the
 * best one may begin in a round's last blocks, and end in the next one, in
 * which no other one begins.
 */
static struct swg_case
again(size_t rows, size_t letters)
{
	struct swg_case c = with(2, -3, 5, 2, rows, letters);

	for (size_t j = 0; j < c.m; j++)
		c.t[j] = c.q[j % c.n];
	return c;
}

/* Of its last rows a piece, over the end of a round, and nothing else. */
static struct swg_case
last_rows(size_t rows, size_t letters)
{
	struct swg_case c = with(2, -3, 5, 2, rows, letters);
	size_t n = swg_between(&seed, 16, SW_SKEW_ROWS * lanes() - 8);

	size_t round = lanes() * SW_BLOCK, end;

	end = (1 + below(&seed, c.m / round - 1)) * round;
	memset(c.t, 4, c.m);
	memcpy(c.t + end - below(&seed, n), c.q + c.n - n, n);
	return c;
}

/* One that may go on, chosen by chance, goes on by some steps. */
static int
one_turn(struct sw_skew **s, struct sw_pass *p, unsigned *open)
{
	unsigned k = (unsigned)below(&seed, turns);
	struct sw_skew *x = s[k];
	size_t ends = 0, to;

	if (x->done)
		return 0;
	to = sw_skew_ready(x, p, sw_skew_strips_left(s[(k ? k : turns) - 1]));
	if (to <= x->strip)
		return 0;
	for (unsigned i = 0; i < turns && to == x->strips; i++)
		ends += i == k ? 0 : s[i]->ends;
	if (below(&seed, 2) && to < x->strips)
		to = swg_between(&seed, x->strip + 1, to);
	sw_skew_may(x, to, ends, 1 + below(&seed, 300));
	dead_ends += x->mute && x->first > x->start;
	if (sw_skew_run(x, p, UINT64_MAX))
		return 1;
	*open -= x->done;
	return 0;
}

static int
by_hand(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	struct sw_skew *s[THREADS] = { 0 };
	unsigned open = turns;
	int rc = 0;

	(void)w;
	if (below(&seed, 2) && !sw_absent_find(&absent, p->q, p->t, e))
		p->absent = &absent;
	for (unsigned i = 0; i < turns && !rc; i++)
		rc = sw_skew_begin(&s[i], p, &(struct sw_skew_part){
			.to = p->q->n, .turns = turns, .turn = i,
			.lead = i ? s[0] : NULL,
		}, e);
	while (!rc && open)
		rc = one_turn(s, p, &open);
	for (unsigned i = 0; i < turns; i++) {
		left_out += s[i] ? s[i]->left_out : 0;
		sw_skew_free(s[i]);
	}
	return rc;
}

static int
by_crew(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	struct helpers h;
	int rc = sw_absent_find(&absent, p->q, p->t, e);

	p->absent = &absent;
	helpers_begin(&h, w->crew);
	if (!rc)
		rc = sw_turns_pass(p, w, e);
	helpers_end(&h);
	return rc;
}

static struct swg_case
make(size_t round, size_t rows, size_t letters)
{
	switch (round % 4) {
	default:
		return again(rows, letters);
	case 2:
		return last_rows(rows, letters);
	case 3:
		return others(round / 4, rows, letters);
	}
}

/* Peaks that reach some of the best score, or nearly all. */
static bool
check_turns(const struct swg_case *c, size_t round, pass_fn *run,
	    const char **why)
{
	size_t most = round % 4 < 2 ? c->n : below(&seed, 3) ? c->m + 1 :
				       swg_between(&seed, 1, 9000);
	int64_t best = 0, least;
	struct cut x;
	bool same;

	cut(&x, c, most, SW_SKEW);
	for (uint64_t b = 0; b < x.t.n / SW_BLOCK; b++)
		best = larger(best, x.top[b]);
	if (below(&seed, 2))
		least = best - (int64_t)below(&seed, 1 + (uint64_t)best / 8);
	else
		least = best - 1;
	same = pass(&x, run, larger(least, 1), (unsigned)below(&seed, 3), why);
	cut_free(&x);
	return same;
}

/* Each as short as it may be, of a round and less to some. */
static void
in_turn(size_t cases)
{
	for (size_t i = 0; i < cases; i++) {
		uint64_t was = seed;
		size_t strips, rounds;
		struct swg_case c;
		const char *why = "";
		bool good;

		turns = 2 + (unsigned)below(&seed, THREADS - 1);
		strips = (turns + 1) * lanes() + below(&seed, lanes());
		rounds = turns + below(&seed, 4);
		c = make(i, SW_SKEW_ROWS * strips - below(&seed, 8),
			 SW_BLOCK * (rounds * lanes() + below(&seed, lanes())));
		good = check_turns(&c, i, by_hand, &why);
		ok(good, "%u in turn, %zu x %zu, seed %" PRIu64 " %s", turns,
		   c.n, c.m, was, good ? "" : why);
		swg_free(&c);
	}
	ok(left_out > 100 && dead_ends, "%" PRIu64 " steps are left out, of %"
	   PRIu64 " turns the end of the round before", left_out, dead_ends);
}

static void
by_threads(size_t cases)
{
	for (size_t i = 0; i < cases; i++) {
		unsigned threads = 2 + (unsigned)(i % (THREADS - 1));
		size_t n = (2 + below(&seed, 2)) * 4 * lanes() * SW_SKEW_ROWS;
		struct swg_case c = make(i, n, SW_BLOCK * lanes() *
					 (2 + below(&seed, 4)));
		const char *why = "";
		bool good;

		work->crew = crews[threads];
		good = check_turns(&c, i, by_crew, &why);
		ok(good, "%u threads, %zu x %zu %s", threads, c.n, c.m,
		   good ? "" : why);
		swg_free(&c);
	}
}

int
main(int argc, char **argv)
{
	size_t more = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;

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
	in_turn((size_t)fewer(24) * more);
	by_threads((size_t)fewer(8) * more);
	sw_absent_free(&absent);
	crews_end(crews, THREADS);
	sw_work_free(work);
	return done();
}
