/* SPDX-License-Identifier: MIT */
/* topk.c - the best rows of each group against a naive choice, any order of
 * arrival, any memory, any tree of merges */
#include "stream/topk.h"

#include <stdio.h>
#include <string.h>

#include "base/cigar.h"
#include "tap.h"

enum { MAX_ROWS = 400, N_RUNS = 3, N_SCANS = 3 };

static struct err err;

static struct str
str(const char *s)
{
	struct str t = { s, strlen(s) };

	return t;
}

/* Ids are against the order, so that an order by id would show. */
static void
keys(struct run_key *runs, struct scan_key *scans, bool least)
{
	static const char *const base[] = { "a.fa", "b.fa", "c.fa" };

	memset(runs, 0, N_RUNS * sizeof *runs);
	memset(scans, 0, N_SCANS * sizeof *scans);
	for (unsigned i = 0; i < N_RUNS; i++) {
		runs[i].id = 100 - i;
		runs[i].base = runs[i].label = runs[i].first = str(base[i]);
	}
	for (unsigned i = 0; i < N_SCANS; i++) {
		scans[i].id = 100 - i;
		scans[i].base = str(base[i]);
		scans[i].rule = least && i != 1 ? SCAN_LEAST : SCAN_UNION;
	}
}

struct item {
	unsigned run, scan;
	struct hit h;
	uint32_t op;
	bool out;
};

static struct run_key runs[N_RUNS];
static struct scan_key scans[N_SCANS];

/* Few values, so that there are ties in everything, and equal rows. */
static void
make(struct item *v, size_t n, uint64_t *seed)
{
	for (size_t i = 0; i < n; i++) {
		struct item *t = &v[i];
		struct hit *h = &t->h;

		memset(t, 0, sizeof *t);
		t->run = (unsigned)below(seed, N_RUNS);
		t->scan = (unsigned)below(seed, N_SCANS);
		h->query.ordinal = below(seed, 3);
		h->query.len = 9;
		h->query.name = str("query");
		h->subject.ordinal = below(seed, 2);
		h->subject.len = 90;
		h->subject.name = str("subject");
		h->sbeg = below(seed, 12);
		h->send = h->sbeg + 1 + below(seed, 5);
		h->qend = h->send - h->sbeg;
		h->score = (int64_t)below(seed, 4) - 2;
		h->edits = 1;
		h->flags = HIT_CIGAR | HIT_EDITS |
			   (unsigned)below(seed, 2) * HIT_MINUS;
		t->op = (uint32_t)h->qend << 4 |
			(below(seed, 2) ? CIGAR_EQ : CIGAR_X);
		h->n_cigar = 1;
	}
	/* pointers into v itself */
	for (size_t i = 0; i < n; i++)
		v[i].h.cigar = &v[i].op;
}

static int
cmp64(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

/* stream.md, "Orders", word by word; which: a letter a key. */
static int
order(const char *which, const struct item *a, const struct item *b)
{
	const struct hit *x = &a->h, *y = &b->h;
	int c = 0;

	for (; *which && c == 0; which++) {
		switch (*which) {
		case 'c': c = cmp64(a->scan, b->scan); break;
		case 'q': c = cmp64((int64_t)x->query.ordinal,
				    (int64_t)y->query.ordinal); break;
		case 's': c = cmp64(y->score, x->score); break;
		case 'r': c = cmp64(a->run, b->run); break;
		case 'u': c = cmp64((int64_t)x->subject.ordinal,
				    (int64_t)y->subject.ordinal); break;
		case 'e': c = cmp64((int64_t)x->send, (int64_t)y->send);
			break;
		case 'f': c = cmp64((int64_t)x->qend, (int64_t)y->qend);
			break;
		case 'b': c = cmp64((int64_t)x->sbeg, (int64_t)y->sbeg);
			break;
		case 'm': c = cmp64(x->flags & HIT_MINUS,
				    y->flags & HIT_MINUS); break;
		case 'o': c = cmp64(a->op, b->op); break;
		}
	}
	return c;
}

static const char *sort_by;

static int
by_order(const void *a, const void *b)
{
	return order(sort_by, a, b);
}

static void
sort(struct item *v, size_t n, const char *by)
{
	sort_by = by;
	qsort(v, n, sizeof *v, by_order);
	for (size_t i = 0; i < n; i++)
		v[i].h.cigar = &v[i].op;
}

static size_t
without_out(struct item *v, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!v[i].out)
			v[kept++] = v[i];
	return kept;
}

static bool
overlaps(const struct hit *a, const struct hit *b, double fraction)
{
	int64_t from = (int64_t)(a->sbeg > b->sbeg ? a->sbeg : b->sbeg);
	int64_t to = (int64_t)(a->send < b->send ? a->send : b->send);
	int64_t x = (int64_t)(a->send - a->sbeg), y = (int64_t)(b->send -
								 b->sbeg);

	return (double)(to - from) > fraction * (double)(x < y ? x : y) &&
	       to > from;
}

static const char *const groups[] = { "cq", "ru", "cqru", "" };

/* Rows of one group: the same in all keys of the group. */
static void
naive_cut(struct item *v, size_t n, const struct topk_params *p)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t better = 0, higher = 0;

		for (size_t j = 0; j < n; j++) {
			if (order(groups[p->per], &v[i], &v[j]) != 0)
				continue;
			better += order("scqruefbmo", &v[j], &v[i]) < 0;
			higher += v[j].h.score > v[i].h.score;
		}
		v[i].out = p->keep_ties ? higher >= p->n : better >= p->n;
	}
}

static size_t
naive(struct item *v, size_t n, const struct topk_params *p)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			v[i].out |= (j < i && order("scqruefbmo", &v[i],
						    &v[j]) == 0) ||
				    (scans[v[i].scan].rule == SCAN_LEAST &&
				     order("cq", &v[i], &v[j]) == 0 &&
				     v[j].h.score > v[i].h.score);
	n = without_out(v, n);
	sort(v, n, "scqruefbmo");
	for (size_t i = 0; i < n && p->no_overlap >= 0; i++)
		for (size_t j = 0; j < i && !v[i].out; j++)
			v[i].out = !v[j].out &&
				   order("cqru", &v[i], &v[j]) == 0 &&
				   overlaps(&v[i].h, &v[j].h, p->no_overlap);
	n = without_out(v, n);
	if (p->n)
		naive_cut(v, n, p);
	n = without_out(v, n);
	sort(v, n, p->sort == SORT_POSITION ? "cqruefbmos" :
		   p->per == PER_ALL ? "scqruefbmo" : "cqsruefbmo");
	return n;
}

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

/* Rows that t gives, compared with v, in order. */
static bool
same(struct topk *t, struct item *v, size_t n)
{
	const struct run_key *run;
	const struct scan_key *scan;
	struct item have;
	size_t i = 0;
	bool good = topk_finish(t, &err) == 0;

	memset(&have, 0, sizeof have);
	while (topk_next(t, &run, &scan, &have.h, &err) == 1) {
		have.run = (unsigned)(100 - run->id);
		have.scan = (unsigned)(100 - scan->id);
		have.op = have.h.cigar[0];
		good = good && i < n && order("scqruefbmo", &have, &v[i]) == 0;
		i++;
	}
	return good && i == n;
}

/* All rows of one merge, fed into the next one. */
static bool
pour(struct topk *from, struct topk *to)
{
	const struct run_key *run;
	const struct scan_key *scan;
	struct hit h;
	bool good = topk_finish(from, &err) == 0;

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
		.sort = (enum topk_sort)below(seed, 2),
		.no_overlap = below(seed, 3) ? -1 :
					       (double)below(seed, 4) / 4,
		.memory = memory[below(seed, 4)],
	};

	return p;
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
	part.no_overlap = -1;
	if (p->no_overlap >= 0)
		part.n = 0;	/* as merge-topk asks for */
	for (unsigned k = 0; k < 3; k++) {
		struct topk *leaf = open_topk(&part), *mid = open_topk(&part);

		for (size_t i = 0; i < n; i++)
			if (i % 3 == k || below(seed, 4) == 0)
				good = good && add(leaf, &v[i]);
		good = good && pour(leaf, mid);
		good = good && pour(mid, end);
	}
	good = good && same(end, want, n_want);
	topk_free(end);
	return good;
}

static void
test_random(uint64_t *seed)
{
	static struct item v[MAX_ROWS], want[MAX_ROWS];

	for (unsigned round = 0; round < 400; round++) {
		size_t n = below(seed, round % 10 == 0 ? MAX_ROWS : 60), n_want;
		struct topk_params p = random_params(seed);
		struct topk *t = open_topk(&p);
		bool good = true;

		keys(runs, scans, below(seed, 2));
		make(v, n, seed);
		memcpy(want, v, sizeof v);
		n_want = naive(want, n, &p);
		for (size_t i = 0; i < n; i++)
			good = good && add(t, &v[i]);
		good = good && same(t, want, n_want);
		topk_free(t);
		good = good && tree(v, n, &p, want, n_want, seed);
		if (!good || round % 40 == 0)
			ok(good, "n=%zu -n %d --per=%d ties=%d sort=%d "
			   "overlap=%g memory=%zu", n, (int)p.n, p.per,
			   p.keep_ties, p.sort, p.no_overlap, p.memory);
	}
}

/* Of equal hits the one that knows its length and letters stays. */
static void
test_knows_more(void)
{
	struct topk_params p = { .no_overlap = -1 };
	struct topk *t = open_topk(&p);
	const struct run_key *run;
	const struct scan_key *scan;
	struct item v;
	struct hit h;
	uint64_t seed = 5;

	keys(runs, scans, false);
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

int
main(void)
{
	uint64_t seed = 20261121;

	test_random(&seed);
	test_knows_more();
	return done();
}
