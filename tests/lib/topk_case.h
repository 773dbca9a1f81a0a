/* SPDX-License-Identifier: MIT */
/* topk_case.h - random rows, and which of them are the best, naively */
#ifndef SEQF_TOPK_CASE_H
#define SEQF_TOPK_CASE_H

#include <stdlib.h>
#include <string.h>

#include "letters/letters.h"
#include "collect/collect.h"
#include "tests/lib/tap.h"

enum { MAX_ROWS = 400, N_RUNS = 3, N_SCANS = 3 };

static inline struct str
str(const char *s)
{
	return (struct str){ s, strlen(s) };
}

/*
 * Ids are against the order, so that an order by id would show.  Two scans, or
 * all, follow the rule.
 */
static inline void
keys(struct run_key *runs, struct scan_key *scans, enum scan_rule rule,
     enum scan_rule other)
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
		scans[i].rule = i != 1 ? rule : other;
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
static uint64_t limits[N_SCANS];	/* of topk_limit() */

/* Few values, so that there are ties in everything, and equal rows. */
static inline void
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
		h->qbeg = below(seed, 2);
		h->qend = h->qbeg + 1 + below(seed, 3);
		h->score = (int64_t)below(seed, 4) - 2;
		/* no key by itself: rows that are equal have the same */
		h->edits = (h->send * 5 + h->qend * 3 +
			    (uint64_t)(h->score + 2)) % 3;
		h->flags = HIT_CIGAR | HIT_EDITS |
			   (unsigned)below(seed, 2) * HIT_MINUS;
		/* rows of which a class keeps one have none */
		if (scans[t->scan].rule < SCAN_CLASS && below(seed, 3)) {
			h->flags |= HIT_OFFTARGET;
			h->offtarget = below(seed, 3);
		}
		t->op = (uint32_t)(h->send - h->sbeg) << 4 |
			(below(seed, 2) ? CIGAR_EQ : CIGAR_X);
		h->n_cigar = 1;
	}
	/* pointers into v itself */
	for (size_t i = 0; i < n; i++)
		v[i].h.cigar = &v[i].op;
}

static inline int
cmp64(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

/* Along the strand, from the query's letter that the strand begins with. */
static inline int64_t
start(const struct hit *h)
{
	return (int64_t)(h->flags & HIT_MINUS ? h->query.len - h->qend :
						h->qbeg);
}

static inline int64_t
end(const struct hit *h)
{
	return (int64_t)(h->flags & HIT_MINUS ? h->query.len - h->qbeg :
						h->qend);
}

/* The off-target score, and 1, or 0. */
static inline int64_t
value(const struct hit *h)
{
	return h->flags & HIT_OFFTARGET ? (int64_t)h->offtarget + 1 : 0;
}

/* The orders of merge-topk(1), word by word; which: a letter a key. */
static inline int
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
		case 'g': c = cmp64((int64_t)x->qbeg, (int64_t)y->qbeg);
			break;
		case 'k': c = cmp64(start(x), start(y)); break;
		case 'x': c = cmp64(value(y), value(x)); break;
		case 'w': c = cmp64(end(x), end(y)); break;
		}
	}
	return c;
}

static const char *sort_by;

static inline int
by_order(const void *a, const void *b)
{
	return order(sort_by, a, b);
}

static inline void
sort(struct item *v, size_t n, const char *by)
{
	sort_by = by;
	qsort(v, n, sizeof *v, by_order);
	for (size_t i = 0; i < n; i++)
		v[i].h.cigar = &v[i].op;
}

static inline size_t
without_out(struct item *v, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!v[i].out)
			v[kept++] = v[i];
	return kept;
}

static inline bool
overlaps(const struct hit *a, const struct hit *b, struct decimal share)
{
	int64_t from = (int64_t)(a->sbeg > b->sbeg ? a->sbeg : b->sbeg);
	int64_t to = (int64_t)(a->send < b->send ? a->send : b->send);
	int64_t x = (int64_t)(a->send - a->sbeg), y = (int64_t)(b->send -
								 b->sbeg);

	return to > from && (to - from) * (int64_t)share.unit >
			    (x < y ? x : y) * (int64_t)share.value;
}

static const char *const groups[] = { "cq", "ru", "cqru", "" };

/* Rows of one group: the same in all keys of the group. */
static inline void
naive_cut(struct item *v, size_t n, const struct topk_params *p)
{
	bool x = p->sort == SORT_OFFTARGET;
	const char *best = x ? "xscqruefbmgo" : "scqruefbmgox";
	const char *by = x ? "x" : "s";

	for (size_t i = 0; i < n; i++) {
		uint64_t better = 0, higher = 0;

		for (size_t j = 0; j < n; j++) {
			if (order(groups[p->per], &v[i], &v[j]) != 0)
				continue;
			better += order(best, &v[j], &v[i]) < 0;
			higher += order(by, &v[j], &v[i]) < 0;
		}
		v[i].out = p->keep_ties ? higher >= p->n : better >= p->n;
	}
}

static inline bool
worse_of_class(const struct item *a, const struct item *b)
{
	return scans[a->scan].rule == SCAN_CLASS &&
	       order("cqrumbk", a, b) == 0 &&
	       order("sewscqruefbmgox", a, b) > 0;
}

/* Beyond the best of its query that its scanner chose? */
static inline bool
over_limit(const struct item *v, size_t n, const struct item *a)
{
	uint64_t better = 0, limit = limits[a->scan];

	for (size_t j = 0; j < n; j++)
		better += order("cq", a, &v[j]) == 0 &&
			  order("scqruefbmgox", &v[j], a) < 0;
	return limit && better >= limit &&
	       (scans[a->scan].rule == SCAN_CLASS ||
		scans[a->scan].rule == SCAN_BEST);
}

static inline size_t
naive(struct item *v, size_t n, const struct topk_params *p)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			v[i].out |= worse_of_class(&v[i], &v[j]) ||
				    (j < i && order("scqruefbmgox", &v[i],
						    &v[j]) == 0) ||
				    (scans[v[i].scan].rule == SCAN_LEAST &&
				     order("cq", &v[i], &v[j]) == 0 &&
				     v[j].h.score > v[i].h.score);
	n = without_out(v, n);
	for (size_t i = 0; i < n; i++)
		v[i].out = over_limit(v, n, &v[i]);
	n = without_out(v, n);
	sort(v, n, "scqruefbmgox");
	for (size_t i = 0; i < n && p->drop_shadows; i++)
		for (size_t j = 0; j < n; j++)
			v[i].out |= order("cqrum", &v[i], &v[j]) == 0 &&
				    v[j].h.edits < v[i].h.edits &&
				    overlaps(&v[i].h, &v[j].h,
					     (struct decimal){ 5, 10 });
	n = without_out(v, n);
	sort(v, n, "scqruefbmgox");
	for (size_t i = 0; i < n && p->no_overlap.unit; i++)
		for (size_t j = 0; j < i && !v[i].out; j++)
			v[i].out = !v[j].out &&
				   order("cqru", &v[i], &v[j]) == 0 &&
				   overlaps(&v[i].h, &v[j].h, p->no_overlap);
	n = without_out(v, n);
	if (p->n)
		naive_cut(v, n, p);
	n = without_out(v, n);
	sort(v, n, p->sort == SORT_BEGIN ? "rubecqfmgosx" :
		   p->sort == SORT_POSITION ? "cqruefbmgosx" :
		   p->sort == SORT_OFFTARGET ?
		   (p->per == PER_ALL ? "xscqruefbmgo" : "cqxsruefbmgo") :
		   p->per == PER_ALL ? "scqruefbmgox" : "cqsruefbmgox");
	return n;
}

#endif
