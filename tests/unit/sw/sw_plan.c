/* SPDX-License-Identifier: MIT */
/* sw_plan.c - parts that a chunk gets: all is owned once, nobody is idle */
#include "base/cpu.h"
#include "scan/sw/sw_scan_priv.h"
#include "tests/lib/tap.h"

enum { MOST_QUERIES = 300 };

static uint64_t seed = 20261124;

/* A scan of queries of such lengths, on both strands or one. */
static struct sw_scan *
scan_of(const size_t *length, size_t n, const char *scores, bool both)
{
	static struct opt_item it[MOST_QUERIES];
	static struct queries q;
	struct opt_list l = { it, n };
	struct sw_options o = {
		.n = 1, .min_score = 1, .strands = both ? SW_BOTH : SW_PLUS,
		.scoring = { scores, NULL, SW_UNSET, SW_UNSET, SW_UNSET,
			     SW_UNSET },
	};
	struct sw_scan *s = NULL;
	struct err e;

	queries_free(&q);
	memset(&q, 0, sizeof q);
	for (size_t i = 0; i < n; i++) {
		char *text = malloc(length[i] + 1);

		memset(text, 'A', length[i]);
		text[length[i]] = '\0';
		it[i] = (struct opt_item){ 'e', text };
	}
	if (queries_load(&q, &l, false, &e) || sw_scan_new(&s, &o, &q, &e))
		printf("Bail out! %s\n", e.text);
	for (size_t i = 0; i < n; i++)
		free((void *)(uintptr_t)it[i].value);
	return s;
}

static bool plenty;		/* of other chunks */

static struct sw_job
plan(const struct sw_scan *s, uint64_t letters, unsigned team, bool few)
{
	struct sw_seg seg = { 0, (letters + 63) / 64 * 64, 0 };
	struct sw_job c = { .s = s, .j = { .n_parts = 1 } };

	c.l.seg = &seg;
	c.l.n_seg = 1;
	c.l.n = seg.end;
	c.part[0] = sw_plan_whole(&c);
	sw_plan(&c, team, few, plenty);
	c.l.seg = NULL;		/* it is gone */
	return c;
}

static unsigned leaders;	/* of the last parts() */

static unsigned
parts(const size_t *length, size_t n, const char *scores, bool both,
      uint64_t letters, unsigned team, bool few)
{
	struct sw_scan *s = scan_of(length, n, scores, both);
	struct sw_job c = plan(s, letters, team, few);

	sw_scan_free(s);
	leaders = c.leaders;
	return c.j.n_parts;
}

static void
choices(void)
{
	static const size_t n128[] = { 128 }, n1k[] = { 1024 };
	static const size_t n10k[] = { 10240 };
	static size_t many[100];

	for (int i = 0; i < 100; i++)
		many[i] = 1000;
	ok(parts(n10k, 1, "blastn", false, 1000000, 2, true) == 2,
	   "10240 x 1M: a half for each of two threads");
	ok(parts(n10k, 1, "blastn", true, 1000000, 2, true) == 2,
	   "10240 x 1M, both strands: one for each of two threads");
	ok(parts(n10k, 1, "blastn", false, 1000000, 1, true) == 1,
	   "one thread: no parts");
	ok(parts(n10k, 1, "blastn", false, 1000000, 2, false) == 1,
	   "10240 x 1M, one of many chunks: no parts");
	ok(parts(n128, 1, "blastn", false, 1000000, 2, false) == 2,
	   "128 x 1M, one of many chunks: parts, as they cost little");
	ok(parts(n1k, 1, "blastn", false, 1000000, 8, true) == 8,
	   "1024 x 1M: an eighth for each of eight threads");
	ok(parts(n1k, 1, "ssca1", false, 1000000, 2, true) == 2,
	   "1024 x 1M, linear phase: a half for each of two threads");
	ok(leaders == 0, "... as stretches");
	ok(parts(many, 100, "blastn", true, 1000000, 2, true) == 64,
	   "200 queries: as many groups as there may be");
	ok(parts(n128, 1, "blastn", false, 10000, 4, true) == 1,
	   "few cells: nobody is woken");
}

/* All stretches have as many columns, with those before them. */
static void
balance(void)
{
	static const size_t n10k[] = { 10240 };
	struct sw_scan *s = scan_of(n10k, 1, "blastn", false);
	struct sw_job c = plan(s, 1000000, 2, true);
	uint64_t first = c.part[0].end, second = c.l.n - first + s->context;

	ok(c.j.n_parts == 2 && first + 2 * SW_BLOCK > second &&
	   second + 2 * SW_BLOCK > first,
	   "10240 x 1M: %llu columns and %llu", (unsigned long long)first,
	   (unsigned long long)second);
	sw_scan_free(s);
}

/* Rows are shared only where there are skewed lanes. */
static void
rows(void)
{
	static const size_t n10k[] = { 10240, 3 }, n100k[] = { 100000 };
	static const size_t n3[] = { 9000, 9000, 9000 };
	bool wide = cpu_isa() != ISA_SCALAR;

	ok(parts(n100k, 1, "blastn", false, 1000000, 8, true) ==
	   (wide ? 8 : 1) && leaders == wide,
	   "100k x 1M, nearly all context: rows are shared by eight threads");
	ok(parts(n100k, 1, "blastn", false, 1000000, 8, false) == 1,
	   "... but not of one of many chunks, as lanes are faster");
	ok(parts(n10k, 1, "ssca1", false, 1000000, 2, true) ==
	   (wide ? 2 : 1) && leaders == wide,
	   "10240 x 1M, linear phase: nearly all would be done twice");
	ok(parts(n10k, 2, "ssca1", false, 1000000, 2, false) ==
	   (wide ? 3 : 2) && leaders == 2 * wide,
	   "... beside a short query, in one of many chunks: the same");
	ok(parts(n10k, 1, "ssca1", true, 1000000, 2, true) == 2 &&
	   leaders == 0, "... both strands, two threads: one for each");
	ok(parts(n3, 3, "ssca1", false, 1000000, 2, true) == 3u + wide &&
	   leaders == 3 * wide, "three queries for two threads: shared");
	ok(parts(n10k, 1, "3/-3/5/0", false, 1000000, 4, true) ==
	   (wide ? 4 : 1), "no bound of the context: shared");
}

static void
of_many(void)
{
	static const size_t n1k[] = { 1024 }, n20k[] = { 20000 };
	bool wide = cpu_isa() != ISA_SCALAR;

	plenty = true;
	ok(parts(n1k, 1, "blastn", false, 1000000, 2, false) == 1,
	   "1024 x 1M, others for all threads: no parts");
	ok(parts(n1k, 1, "ssca1", false, 1000000, 2, false) == 1,
	   "... nor in the linear phase");
	ok(parts(n20k, 1, "blastn", false, 1000000, 2, false) == 1,
	   "20000 x 1M: the same");
	ok(parts(n20k, 1, "ssca1", false, 1000000, 2, false) == 1u + wide &&
	   leaders == wide,
	   "... but windows are shared, in the linear phase");
	plenty = false;
}

/* Every pattern has every column once. */
static bool
tiles(const struct sw_job *c, uint64_t columns)
{
	unsigned n = c->leaders ? c->leaders : c->j.n_parts;

	for (size_t i = 0; i < c->s->n_patterns; i++) {
		uint64_t at = 0;
		bool more = true;

		for (unsigned k = 0; k < n && more; k++) {
			const struct sw_part *p = &c->part[k];

			if (i < p->from || i >= p->to)
				continue;
			if (p->beg != at || p->end <= p->beg ||
			    p->beg >= columns)
				return false;
			at = p->end;
			more = at < UINT64_MAX;
		}
		if (at != UINT64_MAX)
			return false;
	}
	return c->j.n_parts >= 1 && c->j.n_parts <= PUMP_MAX_PARTS;
}

static void
all_owned(void)
{
	static size_t length[MOST_QUERIES];
	size_t cut = 0;

	for (int i = 0; i < 300; i++) {
		size_t n = 1 + below(&seed, i % 4 ? 12 : MOST_QUERIES);
		uint64_t letters = 1 + below(&seed, 5000000);
		struct sw_scan *s;
		struct sw_job c;

		for (size_t k = 0; k < n; k++)
			length[k] = 1 + below(&seed, below(&seed, 4) ? 900 :
					      20000);
		s = scan_of(length, n, below(&seed, 2) ? "blastn" : "1/-1/0/1",
			    below(&seed, 2));
		c = plan(s, letters, 1 + (unsigned)below(&seed, 100),
			 below(&seed, 2));
		cut += c.j.n_parts > 1;
		if (!tiles(&c, (letters + 63) / 64 * 64))
			ok(0, "%zu queries, %llu letters: %u parts", n,
			   (unsigned long long)letters, c.j.n_parts);
		sw_scan_free(s);
	}
	ok(cut > 100, "all is owned once, in %zu chunks that were cut", cut);
}

int
main(void)
{
	choices();
	balance();
	rows();
	of_many();
	all_owned();
	return done();
}
