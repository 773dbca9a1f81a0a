/* SPDX-License-Identifier: MIT */
/* join.c - products of random sites: every two of them are tried */

#include <string.h>

#include "pcr/pcr.h"
#include "tests/lib/tap.h"

enum { SITES = 300, PRIMERS = 7, KEPT = 1 << 17 };

struct made {
	uint32_t f, r;
	size_t pair;
	bool minus;
	uint64_t beg, b, c, end, edits, op, probe;
	struct pcr_outer outer;
};

struct test {
	struct pcr_primer primer[PRIMERS];
	struct pcr_pair pair[PRIMERS];
	struct pcr_pairs pairs;
	struct pcr_join_params p;
	struct pcr_site site[SITES];
	uint32_t op[SITES][9];	/* a CIGAR that identifies the site */
	bool shadowed[SITES];
	size_t n_sites;
	struct made have[KEPT], want[KEPT];
	size_t n_have, n_want;
};

static int
put(void *ctx, const struct pcr_product *p, struct err *e)
{
	struct test *t = ctx;

	if (t->n_have == KEPT)
		return err_set(e, ERR_LIMIT, "too many");
	t->have[t->n_have++] = (struct made){
		p->f, p->r, p->pair, p->minus, p->left->beg, p->left->end,
		p->right->beg, p->right->end, pcr_product_edits(p),
		(uint64_t)pcr_ops(p->left)[p->left->n_ops - 1] << 32 |
		pcr_ops(p->right)[p->right->n_ops - 1],
		p->probe ? pcr_ops(p->probe)[p->probe->n_ops - 1] : 0,
		p->outer,
	};
	return 0;
}

static int
cmp_made(const void *pa, const void *pb)
{
	const struct made *a = pa, *b = pb;
	int c = cmp_u64(a->beg, b->beg);

	c = c ? c : cmp_u64(a->end, b->end);
	c = c ? c : cmp_u64(a->f, b->f);
	c = c ? c : cmp_u64(a->r, b->r);
	c = c ? c : a->minus - b->minus;
	return c ? c : cmp_u64(a->b, b->b);
}

static int
cmp_best(const void *pa, const void *pb)
{
	const struct made *a = pa, *b = pb;
	int c = cmp_u64(a->f, b->f);

	c = c ? c : cmp_u64(a->r, b->r);
	c = c ? c : cmp_u64(a->edits, b->edits);
	return c ? c : cmp_made(a, b);
}

/* Of each pair the best alone. */
static void
keep_best(struct test *t)
{
	size_t n = 0, of = 0;

	qsort(t->want, t->n_want, sizeof *t->want, cmp_best);
	for (size_t i = 0; i < t->n_want; i++) {
		const struct made *m = &t->want[i];

		of = n && t->want[n - 1].f == m->f && t->want[n - 1].r == m->r ?
		     of : 0;
		if (of++ < t->p.max_hits)
			t->want[n++] = *m;
	}
	t->n_want = n;
}

static void
shade(struct test *t)
{
	memset(t->shadowed, 0, sizeof t->shadowed);
	for (size_t i = 0; i < t->n_sites && t->p.shadows; i++)
		for (size_t k = 0; k < t->n_sites; k++) {
			const struct pcr_site *a = &t->site[i];
			const struct pcr_site *b = &t->site[k];
			uint64_t beg = max_u64(a->beg, b->beg);
			uint64_t end = min_u64(a->end, b->end);

			if (a->primer == b->primer && a->minus == b->minus &&
			    b->edits < a->edits && beg < end &&
			    2 * (end - beg) >
			    min_u64(a->end - a->beg, b->end - b->beg))
				t->shadowed[i] = true;
		}
}

/* Site i on + and k on -, if that is a product of f and r. */
static void
try(struct test *t, size_t i, size_t k, uint32_t f, uint32_t r, size_t pair)
{
	const struct pcr_site *a = &t->site[i], *c = &t->site[k];
	const struct pcr_pair *x = pair < t->pairs.n_pairs ? &t->pair[pair] :
							     NULL;
	uint64_t min = x && x->limits ? x->min : t->p.min;
	uint64_t max = x && x->limits ? x->max : t->p.max;
	uint64_t len = c->end - a->beg;

	if (t->primer[a->primer].probe || t->primer[c->primer].probe ||
	    a->minus || !c->minus || t->shadowed[i] || t->shadowed[k] ||
	    a->beg > c->beg || a->end > c->end || len < min || len > max ||
	    t->n_want == KEPT)
		return;
	for (int minus = 0; minus < 1 + (f != r); minus++)
		if (a->primer == (minus ? r : f) &&
		    c->primer == (minus ? f : r))
			t->want[t->n_want++] = (struct made){
				f, r, pair, minus, a->beg, a->end, c->beg,
				c->end, a->edits + c->edits,
				(uint64_t)t->op[i][a->n_ops - 1] << 32 |
				t->op[k][c->n_ops - 1], 0, { 0, 0, 0 },
			};
}

/* The best site of a probe in the product, as put() shows it; 0: none. */
static uint64_t
probe_of(const struct test *t, const struct made *m)
{
	const struct pcr_site *best = NULL;

	for (size_t i = 0; i < t->n_sites; i++) {
		const struct pcr_site *s = &t->site[i];

		if (t->primer[s->primer].probe && !t->shadowed[i] &&
		    s->beg >= m->beg && s->end <= m->end &&
		    (!best || s->edits < best->edits))
			best = s;
	}
	return best ? t->op[best - t->site][best->n_ops - 1] : 0;
}

static bool
inner(const struct test *t, const struct made *m)
{
	return m->pair < t->pairs.n_pairs && t->pair[m->pair].inner;
}

/* Is it inside of an outer one? */
static bool
set_outer(const struct test *t, struct made *m)
{
	const struct made *best = NULL;

	for (size_t i = 0; i < t->n_want; i++) {
		const struct made *o = &t->want[i];

		if (inner(t, o) || o->beg > m->beg || o->end < m->end)
			continue;
		if (!best || o->end > best->end ||
		    (o->end == best->end &&
		     (o->beg < best->beg || (o->beg == best->beg &&
					     o->pair < best->pair))))
			best = o;
	}
	if (best)
		m->outer = (struct pcr_outer){ best->pair, best->beg,
					       best->end };
	return best;
}

/* Those that count for what they lie in, and for what lies in them. */
static void
keep_wanted(struct test *t)
{
	bool nested = false;
	size_t n = 0;

	for (size_t p = 0; p < t->pairs.n_pairs; p++)
		nested |= t->pair[p].inner;
	for (size_t i = 0; i < t->n_want && nested; i++)
		if (inner(t, &t->want[i]) && !set_outer(t, &t->want[i]))
			t->want[i].outer.end = UINT64_MAX;
	for (size_t i = 0; i < t->n_want; i++) {
		struct made *m = &t->want[i];

		m->probe = probe_of(t, m);
		if ((nested && (!inner(t, m) ||
				m->outer.end == UINT64_MAX)) ||
		    (t->pairs.n_probes && !m->probe))
			continue;
		t->want[n++] = *m;
	}
	t->n_want = n;
}

static void
find_all(struct test *t)
{
	size_t n = t->pairs.n_pairs;

	t->n_want = 0;
	shade(t);
	for (size_t i = 0; i < t->n_sites; i++)
		for (size_t k = 0; k < t->n_sites; k++) {
			uint32_t x = t->site[i].primer, y = t->site[k].primer;
			uint32_t lo = x < y ? x : y, hi = x < y ? y : x;
			bool listed = false;

			for (size_t p = 0; p < n; p++) {
				const struct pcr_pair *q = &t->pair[p];

				if ((q->f != lo || q->r != hi) &&
				    (q->f != hi || q->r != lo))
					continue;
				listed = true;
				try(t, i, k, q->f, q->r, p);
			}
			if (!listed && t->p.all_pairs)
				try(t, i, k, lo, hi, n);
		}
	keep_wanted(t);
	if (t->p.max_hits)
		keep_best(t);
	qsort(t->want, t->n_want, sizeof *t->want, cmp_made);
}

static int
cmp_end(const void *pa, const void *pb)
{
	const struct pcr_site *a = pa, *b = pb;
	int c = cmp_u64(a->end, b->end);

	c = c ? c : cmp_u64(a->primer, b->primer);
	return c ? c : a->minus - b->minus;
}

static void
make_sites(struct test *t, uint64_t n_letters, uint64_t *seed)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_sites; i++) {
		struct pcr_site *s = &t->site[i];
		uint64_t m;

		s->primer = (uint32_t)below(seed, t->pairs.n_primers);
		m = t->primer[s->primer].letters.n;
		s->minus = below(seed, 2);
		s->edits = below(seed, m > 5 ? 5 : m);
		s->beg = below(seed, n_letters);
		s->end = s->beg + 1 + below(seed, 2 * m);
		s->n_ops = 1 + below(seed, 9);
	}
	qsort(t->site, t->n_sites, sizeof *t->site, cmp_end);
	/* of one primer and strand there is one at each end */
	for (size_t i = 0; i < t->n_sites; i++)
		if (!n || cmp_end(&t->site[n - 1], &t->site[i]))
			t->site[n++] = t->site[i];
	t->n_sites = n;
	for (size_t i = 0; i < t->n_sites; i++)
		for (size_t k = 0; k < 9; k++)
			t->op[i][k] = (uint32_t)(i + 1) << 4 | 7;
}

static void
make_pairs(struct test *t, uint64_t *seed)
{
	size_t n = 1 + below(seed, PRIMERS);

	t->pairs = (struct pcr_pairs){ .primer = t->primer, .pair = t->pair,
				       .n_primers = n };
	for (size_t i = 0; i < n; i++)
		t->primer[i] = (struct pcr_primer){
			.letters.n = 1 + below(seed, 20),
		};
	for (size_t i = 0; i + 1 < n; i += 1 + below(seed, 2)) {
		struct pcr_pair *p = &t->pair[t->pairs.n_pairs++];

		*p = (struct pcr_pair){ .f = (uint32_t)i,
					.r = (uint32_t)i + 1 };
		if (below(seed, 4) == 0)
			*p = (struct pcr_pair){ .f = (uint32_t)i + 1,
						.r = (uint32_t)i };
		p->limits = below(seed, 3) == 0;
		p->min = 1 + below(seed, 30);
		p->max = p->min + below(seed, 100);
	}
	if (below(seed, 3) == 0)	/* nested PCR */
		for (size_t i = 0; i < t->pairs.n_pairs; i++)
			t->pair[i].inner = below(seed, 2);
	if (n == 1 || below(seed, 3) == 0)
		t->pair[t->pairs.n_pairs++] = (struct pcr_pair){
			.f = (uint32_t)n - 1, .r = (uint32_t)n - 1,
		};
	while (below(seed, 4) == 0 && t->pairs.n_primers < PRIMERS) {
		t->primer[t->pairs.n_primers].probe = true;
		t->primer[t->pairs.n_primers++].letters.n = 1 +
							below(seed, 20);
		t->pairs.n_probes++;
	}
}

static bool
same(const struct made *a, const struct made *b)
{
	return cmp_made(a, b) == 0 && a->pair == b->pair && a->c == b->c &&
	       a->edits == b->edits && a->op == b->op &&
	       a->probe == b->probe && a->outer.end == b->outer.end &&
	       a->outer.beg == b->outer.beg && a->outer.pair == b->outer.pair;
}

static bool
run_once(struct test *t, struct pcr_join *j)
{
	struct err e;
	int rc = 0;

	t->n_have = 0;
	for (size_t i = 0; i < t->n_sites && !rc; i++)
		rc = pcr_join_site(j, &t->site[i], t->op[i], &e);
	if (!rc)
		rc = pcr_join_end(j, &e);
	find_all(t);
	if (rc || t->n_have != t->n_want)
		return false;
	for (size_t i = 0; i < t->n_want; i++)
		if (!same(&t->have[i], &t->want[i]))
			return false;
	return true;
}

static bool
nested(const struct test *t)
{
	for (size_t i = 0; i < t->pairs.n_pairs; i++)
		if (t->pair[i].inner)
			return true;
	return false;
}

static void
test_random(struct test *t, uint64_t seed)
{
	struct pcr_join *j = NULL;
	uint64_t s = seed * 2654435761u + 1;
	bool good = true;
	struct err e;

	make_pairs(t, &s);
	t->p = (struct pcr_join_params){
		.pairs = &t->pairs, .all_pairs = below(&s, 2) && !nested(t),
		.shadows = below(&s, 2), .put = put, .ctx = t,
		.min = 1 + below(&s, 50),
		.max_hits = below(&s, 2) ? 1 + below(&s, 20) : 0,
	};
	t->p.max = t->p.min + below(&s, 200);
	if (pcr_join_new(&j, &t->p, &e))
		good = false;
	/* several subjects, one after the other */
	for (int i = 0; i < 3 && good; i++) {
		t->n_sites = below(&s, below(&s, 4) ? SITES : 8);
		make_sites(t, 1 + below(&s, 400), &s);
		good = run_once(t, j);
	}
	pcr_join_free(j);
	ok(good, "seed %llu: %zu of %zu products", (unsigned long long)seed,
	   t->n_have, t->n_want);
}

/* A site that is shadowed shadows others nevertheless. */
static void
test_shadows(struct test *t)
{
	static const uint32_t op = 5 << 4 | 7;
	struct pcr_site s = { .n_ops = 1 };
	struct pcr_join *j;
	struct err e;
	int rc;

	memset(&t->pairs, 0, sizeof t->pairs);
	t->pairs.primer = t->primer;
	t->pairs.pair = t->pair;
	t->pairs.n_primers = t->pairs.n_pairs = 1;
	t->primer[0].letters.n = 10;
	t->pair[0] = (struct pcr_pair){ .f = 0, .r = 0 };
	t->p = (struct pcr_join_params){
		.pairs = &t->pairs, .shadows = true, .min = 1, .max = 1000,
		.put = put, .ctx = t,
	};
	t->n_have = 0;
	rc = pcr_join_new(&j, &t->p, &e);
	/* the one in the middle is shadowed by the last, the first by it */
	for (uint64_t i = 0; i < 3 && !rc; i++) {
		s.beg = 4 * i;
		s.end = 4 * i + 10;
		s.edits = 3 - i;
		rc = pcr_join_site(j, &s, &op, &e);
	}
	s = (struct pcr_site){ .n_ops = 1, .minus = true, .beg = 50,
			       .end = 60 };
	if (!rc)
		rc = pcr_join_site(j, &s, &op, &e);
	if (!rc)
		rc = pcr_join_end(j, &e);
	pcr_join_free(j);
	ok(!rc && t->n_have == 1 && t->have[0].beg == 8,
	   "a shadowed site shadows");
}

int
main(void)
{
	struct test *t = calloc(1, sizeof *t);

	if (!t)
		return 1;
	test_shadows(t);
	for (uint64_t i = 0; i < fewer(600); i++)
		test_random(t, i);
	free(t);
	return done();
}
