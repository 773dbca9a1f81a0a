/* SPDX-License-Identifier: MIT */
/* topk.c - the best rows of each group against a naive choice, any order of
 * arrival, any memory, any tree of merges */
#include "collect/collect.h"

#include <stdio.h>

#include "tests/lib/topk_case.h"

static struct err err;

static struct topk *
open_topk(const struct topk_params *p)
{
	struct topk *t;

	if (topk_new(&t, p, &err) < 0) {
		printf("# %s\n", err.text);
		exit(1);
	}
	return t;
}

static bool
add(struct topk *t, const struct item *v)
{
	struct hit h = v->h;

	h.cigar = &v->op;
	return topk_add(t, &runs[v->run], &scans[v->scan], &h, &err) == 0;
}

static void
set_limits(struct topk *t)
{
	for (unsigned i = 0; i < N_SCANS; i++)
		topk_limit(t, &scans[i], limits[i]);
}

/* Rows that t gives, compared with v, in order. */
static bool
same(struct topk *t, struct item *v, size_t n)
{
	const struct run_key *run;
	const struct scan_key *scan;
	struct item have;
	size_t i = 0;
	bool good;

	set_limits(t);
	good = topk_finish(t, &err) == 0;
	memset(&have, 0, sizeof have);
	while (topk_next(t, &run, &scan, &have.h, &err) == 1) {
		have.run = (unsigned)(100 - run->id);
		have.scan = (unsigned)(100 - scan->id);
		have.op = have.h.cigar[0];
		good = good && i < n &&
		       order("scqruefbmgox", &have, &v[i]) == 0;
		i++;
	}
	return good && i == n;
}

/* All rows of one merge, fed into the next one. */
static bool
pour(struct topk *from, struct topk *to, bool limited)
{
	const struct run_key *run;
	const struct scan_key *scan;
	struct hit h;
	bool good;

	if (limited)	/* a BEGIN that says it may not have come */
		set_limits(from);
	good = topk_finish(from, &err) == 0;
	while (topk_next(from, &run, &scan, &h, &err) == 1)
		good = good && topk_add(to, run, scan, &h, &err) == 0;
	topk_free(from);
	return good;
}

static struct topk_params
random_params(uint64_t *seed)
{
	static const size_t memory[] = { 1, 600, 5000, 0 };
	struct topk_params p = {
		.n = below(seed, 6),
		.per = (enum topk_per)below(seed, 4),
		.keep_ties = below(seed, 2),
		.sort = (enum topk_sort)below(seed, 4),
		.no_overlap = { below(seed, 4), below(seed, 3) ? 0 : 4 },
		.drop_shadows = below(seed, 3) == 0,
		.memory = memory[below(seed, 4)],
	};

	return p;
}

/* As many as topk_limit() allows with the parameters; 0: no limit. */
static uint64_t
random_limit(const struct topk_params *p, uint64_t *seed)
{
	uint64_t limit = below(seed, 2) * below(seed, 5);

	return !p->n || topk_needs_all(p) || p->per == PER_QUERY ||
	       (p->per == PER_ALL && !p->keep_ties && p->n <= limit) ?
	       limit : 0;
}

/* Parts that share rows, in any order, through a tree of merges. */
static bool
tree(const struct item *v, size_t n, const struct topk_params *p,
     struct item *want, size_t n_want, uint64_t *seed)
{
	struct topk_params part = *p;
	struct topk *end = open_topk(p);
	bool good = true;

	part.partial = part.by_run = true;
	part.no_overlap.unit = 0;
	part.drop_shadows = false;
	if (topk_needs_all(p))
		part.n = 0;	/* as merge-topk asks for */
	for (unsigned k = 0; k < 3; k++) {
		struct topk *leaf = open_topk(&part), *mid = open_topk(&part);

		for (size_t i = 0; i < n; i++)
			if (i % 3 == k || below(seed, 4) == 0)
				good = good && add(leaf, &v[i]);
		good = good && pour(leaf, mid, below(seed, 2));
		good = good && pour(mid, end, below(seed, 2));
	}
	good = good && same(end, want, n_want);
	topk_free(end);
	return good;
}

static void
test_random(uint64_t *seed)
{
	static const enum scan_rule rules[] = { SCAN_UNION, SCAN_LEAST,
						SCAN_CLASS, SCAN_BEST };
	static struct item v[MAX_ROWS], want[MAX_ROWS];

	for (unsigned round = 0; round < lighter(2000); round++) {
		size_t n = below(seed, round % 10 == 0 ? MAX_ROWS : 60), n_want;
		struct topk_params p = random_params(seed);
		struct topk *t = open_topk(&p);
		bool good = true;

		/* shadows are of minima, not of local alignments */
		keys(runs, scans, rules[below(seed, p.drop_shadows ? 2 : 4)],
		     rules[below(seed, p.drop_shadows ? 2 : 4)]);
		for (unsigned i = 0; i < N_SCANS; i++)
			limits[i] = random_limit(&p, seed);
		make(v, n, seed);
		memcpy(want, v, sizeof v);
		n_want = naive(want, n, &p);
		for (size_t i = 0; i < n; i++)
			good = good && add(t, &v[i]);
		good = good && same(t, want, n_want);
		topk_free(t);
		good = good && tree(v, n, &p, want, n_want, seed);
		if (!good || round % 200 == 0)
			ok(good, "n=%zu -n %d --per=%d ties=%d sort=%d "
			   "overlap=%d/%d shadows=%d memory=%zu", n, (int)p.n,
			   p.per, p.keep_ties, p.sort, (int)p.no_overlap.value,
			   (int)p.no_overlap.unit, p.drop_shadows, p.memory);
	}
}

/* Of equal hits the one that knows its length and letters stays. */
static void
test_knows_more(void)
{
	struct topk_params p = { 0 };
	struct topk *t = open_topk(&p);
	const struct run_key *run;
	const struct scan_key *scan;
	struct item v;
	struct hit h;
	uint64_t seed = 5;

	keys(runs, scans, SCAN_UNION, SCAN_UNION);
	make(&v, 1, &seed);
	v.h.subject.len = LEN_UNKNOWN;
	add(t, &v);
	v.h.subject.len = 90;
	add(t, &v);
	v.h.subject.len = LEN_UNKNOWN;
	add(t, &v);
	topk_finish(t, &err);
	ok(topk_next(t, &run, &scan, &h, &err) == 1 && h.subject.len == 90 &&
	   h.subject.name.n == 7 && h.query.len == 9,
	   "the row with a length stays");
	ok(topk_next(t, &run, &scan, &h, &err) == 0, "and no other");
	topk_free(t);
}

/*
 * A run that gets a lesser name when rows were sorted by the old one: ties may
 * have been cut the wrong way, and that is reported, whatever the rule.
 */
static void
test_renamed(enum scan_rule rule)
{
	struct topk_params p = { .n = 1, .memory = 1 };
	struct topk *t = open_topk(&p);
	struct item v[9];
	uint64_t seed = 6;
	bool good = true;

	keys(runs, scans, rule, rule);
	make(v, 9, &seed);
	for (size_t i = 0; i < 8; i++)
		good = good && add(t, &v[i]);
	ok(good, "rows of two runs at least");
	runs[v[8].run].base = str("a");
	ok(!add(t, &v[8]) && err.code == ERR_LIMIT, "%s", err.text);
	topk_free(t);
}

int
main(void)
{
	uint64_t seed = 20261121;

	test_random(&seed);
	test_knows_more();
	test_renamed(SCAN_UNION);
	test_renamed(SCAN_CLASS);
	test_renamed(SCAN_BEST);
	return done();
}
