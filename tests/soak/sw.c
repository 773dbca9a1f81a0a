/* SPDX-License-Identifier: MIT */
/*
 * sw.c - random local alignments until the time is up: every engine by every
 * instruction set, small ones against the textbook, larger ones against the
 * plain engine, whose best score is counted again; CIGARs add up to scores, and
 * are the textbook's
 *
 * usage: sw SECONDS [FIRST]
 * Case i depends on i alone; FIRST is the number to begin with.
 */
#include <time.h>

#include "tests/lib/sw_case.h"
#include "letters/letters.h"
#include "tests/lib/isas.h"

enum { MAX_CELLS = 4000000 };

static uint64_t seed, cells, traced;
static struct sw_work *work;
static struct sw_hits hits;

static bool
has(size_t isa)
{
	setenv("SEQF_ISA", cpu_isa_name(isas[isa]), 1);
	return cpu_isa() == isas[isa];
}

/* Pieces of the text, side by side, as subjects of their own. */
static void
split(struct swc *c, const struct swg_case *g, size_t most)
{
	size_t pieces = swg_between(&seed, 1, below(&seed, 2) ? 1 : most);
	size_t at = 0;

	for (size_t i = 0; i < pieces && at < g->m; i++) {
		size_t n = i + 1 == pieces ? g->m - at :
			   swg_between(&seed, 1, g->m - at);

		c->subject[c->n_subjects++] = (struct swc_subject){
			.t = g->t + at, .n = n };
		at += n;
	}
}

/* Of some subjects only the letters from some place on count. */
static void
cut(struct swc *c)
{
	struct sw_query *q;
	uint64_t context;
	struct err e;

	if (sw_query_new(&q, c->s, c->q, c->n, false, SW_AUTO, &e))
		abort();
	context = sw_context(q);
	sw_query_free(q);
	for (size_t i = 0; i < c->n_subjects; i++) {
		struct swc_subject *x = &c->subject[i];

		x->own = below(&seed, 2) ? below(&seed, x->n) : 0;
		if (x->own > context)
			x->skip = x->own - context;
	}
}

/*
 * The first k by all engines from `first` on and instruction sets; the scalar
 * one has no engine but the plain one.
 */
static bool
all_ways(const struct swc *c, size_t k, enum sw_engine first)
{
	for (size_t isa = first > SW_PLAIN; isa < N_ISAS; isa++)
		for (size_t i = first; has(isa) && i < (isa ? SWC_ENGINES :
							SW_PLAIN + 1); i++) {
			cells += c->n * c->text.n;
			if (swc_check(c, (enum sw_engine)i, k, work, &hits))
				continue;
			printf("# %s, %s, k=%zu\n",
			       cpu_isa_name(isas[isa]), swc_engine[i],
			       k);
			return false;
		}
	return true;
}

/* Does the CIGAR lead from the hit's start to its end, with its score? */
static bool
replays(const struct swc *c, const struct sw_hit *h, const struct buf *ops)
{
	const uint32_t *v = (const uint32_t *)(const void *)ops->p;
	uint64_t i = h->qbeg, j = h->beg;
	int64_t score = 0;

	for (size_t k = 0; k < ops->n / sizeof *v; k++) {
		unsigned op = v[k] & 15;

		if (op == CIGAR_I || op == CIGAR_D)
			score -= c->s->open;
		for (uint32_t n = v[k] >> 4; n; n--) {
			if (i >= h->qend + (op == CIGAR_D) ||
			    j >= h->end + (op == CIGAR_I))
				return false;
			score -= op == CIGAR_I || op == CIGAR_D ?
				 c->s->extend :
				 -c->s->score[c->q[i]][c->codes[j]];
			i += op != CIGAR_D;
			j += op != CIGAR_I;
		}
	}
	return score == h->score && i == h->qend && j == h->end;
}

/* The same operations as the textbook, if it gave them. */
static bool
as_asked(const struct osw_hit *w, const struct buf *ops)
{
	const uint32_t *v = (const uint32_t *)(const void *)ops->p;
	size_t at = 0;

	for (size_t k = 0; w->ops && k < ops->n / sizeof *v; k++)
		for (uint32_t n = v[k] >> 4; n; n--, at++)
			if (at == w->n_ops ||
			    w->ops[at] != "MIDNSHP=X"[v[k] & 15])
				return false;
	return !w->ops || at == w->n_ops;
}

/* CIGARs of some of the hits, by each instruction set the same. */
static bool
traces(const struct swc *c, enum sw_engine engine)
{
	struct buf ops[2] = { { 0 } };
	struct osw_scoring s;
	struct sw_query *q;
	bool good = true;
	struct err e;

	swg_oracle(c->s, &s);
	if (sw_query_new(&q, c->s, c->q, c->n, c->minus, engine, &e))
		abort();
	for (size_t n = 0; good && hits.n && n < 6; n++, traced++) {
		size_t i = n ? below(&seed, hits.n) : 0;
		const struct sw_hit *h = &hits.v[i];

		for (size_t isa = 0; good && isa < N_ISAS && has(isa); isa++) {
			struct buf *b = &ops[isa != 0];

			b->n = 0;
			good = !sw_trace(q, &c->text, h, s.same, work, b, &e) &&
			       replays(c, h, b) &&
			       as_asked(&c->want.v[i], b) &&
			       (!isa || (b->n == ops[0].n &&
					 !memcmp(b->p, ops[0].p, b->n)));
			if (!good)
				printf("# CIGAR of hit %zu, %s\n", i,
				       cpu_isa_name(isas[isa]));
		}
	}
	sw_query_free(q);
	buf_free(&ops[0]);
	buf_free(&ops[1]);
	return good;
}

static int64_t
least_of(const struct swg_case *g)
{
	int32_t m = g->s.score[0][0] > 0 ? g->s.score[0][0] : 1;

	return below(&seed, 2) ? 1 : 1 + (int64_t)below(&seed,
							6 * (uint64_t)m);
}

static struct swg_case
small_case(void)
{
	struct swg_case g;
	size_t n = swg_between(&seed, 1, below(&seed, 3) ? 30 : 90);

	switch (below(&seed, 4)) {
	case 0:
		return swg_family(&seed, n, below(&seed, 900));
	case 1:		/* ties, the linear phase, gaps that are free */
		g = swg_any(&seed, n, 500);
		swg_dna(&g.s, (int32_t)swg_between(&seed, 1, 5),
			-(int32_t)below(&seed, 4), (int32_t)below(&seed, 9),
			(int32_t)below(&seed, 2));
		for (size_t i = 0; i < g.n; i++)
			g.q[i] %= 5;
		for (size_t i = 0; i < g.m; i++)
			g.t[i] %= 5;
		return g;
	default:
		return swg_any(&seed, n, below(&seed, 2) ? 100 : 900);
	}
}

static bool
textbook(void)
{
	struct swg_case g = small_case();
	struct swc c = { .s = &g.s, .q = g.q, .n = g.n };
	bool good;

	c.minus = below(&seed, 2);
	c.kind = (enum sw_kind)below(&seed, 2);
	c.least = least_of(&g);
	split(&c, &g, SWC_SUBJECTS);
	if (below(&seed, 3) == 0)
		cut(&c);
	swc_ready(&c);
	good = all_ways(&c, 1, SW_AUTO) &&
	       all_ways(&c, swg_between(&seed, 2, 30), SW_AUTO) &&
	       all_ways(&c, SIZE_MAX, SW_AUTO) && traces(&c, SW_AUTO);
	swc_free(&c);
	swg_free(&g);
	return good;
}

/* Gotoh a column at a time: the largest H, then the least column, then row. */
struct top {
	int64_t score;
	uint64_t end;
	size_t qend;
};

static void
column(const struct swg_case *g, uint8_t letter, uint64_t end, int64_t *H,
       int64_t *E, struct top *best)
{
	int64_t diagonal = H[0], F = osw_never;

	for (size_t i = 1; i <= g->n; i++) {
		int64_t h = diagonal + g->s.score[g->q[i - 1]][letter];

		E[i] = osw_max(H[i] - g->s.open, E[i]) - g->s.extend;
		F = osw_max(H[i - 1] - g->s.open, F) - g->s.extend;
		diagonal = H[i];
		H[i] = osw_max(osw_max(h, 0), osw_max(E[i], F));
		if (H[i] > best->score)
			*best = (struct top){ H[i], end, i };
	}
}

static struct top
top_of(const struct swc *c, const struct swg_case *g)
{
	int64_t *H = osw_alloc(g->n + 1, sizeof *H);
	int64_t *E = osw_alloc(g->n + 1, sizeof *E);
	struct top best = { 0 };

	for (size_t s = 0; s < c->n_subjects; s++) {
		for (size_t i = 0; i <= g->n; i++) {
			H[i] = 0;
			E[i] = osw_never;
		}
		for (size_t j = 0; j < c->subject[s].n; j++)
			column(g, c->subject[s].t[j],
			       c->subject[s].at + j + 1, H, E, &best);
	}
	free(H);
	free(E);
	return best;
}

/* The hits of the plain engine become what is wanted. */
static bool
plain(struct swc *c, size_t k)
{
	struct sw_query *q;
	struct err e;

	setenv("SEQF_ISA", "scalar", 1);
	if (sw_query_new(&q, c->s, c->q, c->n, c->minus, SW_PLAIN, &e) ||
	    sw_best(q, &c->text, c->kind, k, &c->least, work, &hits, &e)) {
		printf("# %s\n", e.text);
		return false;
	}
	sw_query_free(q);
	c->want.v = osw_alloc(hits.n + 1, sizeof *c->want.v);
	c->want.n = hits.n;
	for (size_t i = 0; i < hits.n; i++) {
		const struct sw_hit *h = &hits.v[i];
		size_t s = 0;

		while (s + 1 < c->n_subjects && c->seg[s].end < h->end)
			s++;
		c->want.v[i] = (struct osw_hit){
			.score = h->score, .subject = s, .qbeg = h->qbeg,
			.qend = h->qend, .beg = h->beg - c->subject[s].at,
			.end = h->end - c->subject[s].at };
	}
	return true;
}

/* Rows of equal score and column have their order on either strand. */
static bool
top_is_first(const struct swc *c, const struct swg_case *g)
{
	struct top t = top_of(c, g);
	const struct sw_hit *h = hits.n ? &hits.v[0] : NULL;

	if (t.score < c->least ? !h : h && h->score == t.score &&
	    h->end == t.end && (c->minus || h->qend == t.qend))
		return true;
	printf("# textbook: score %lld end %llu row %zu\n",
	       (long long)t.score, (unsigned long long)t.end, t.qend);
	return false;
}

static struct swg_case
large_case(void)
{
	size_t n = swg_between(&seed, 1, below(&seed, 3) ? 600 : 2500);
	size_t m = 1 + below(&seed, MAX_CELLS / n < 60000 ? MAX_CELLS / n :
							     60000);
	struct swg_case g;

	switch (below(&seed, 6)) {
	case 0:
		return swg_short_query(&seed);
	case 1:
		return swg_fall(&seed, 300 + below(&seed, 500));
	case 2:
		return swg_family(&seed, n, m);
	case 3:		/* the linear phase */
		swg_dna(&g.s, 5, -3, 8, 1);
		swg_room(&g, n, m);
		swg_fill(&seed, SWG_RANDOM, 5, g.q, n);
		swg_fill(&seed, SWG_RANDOM, 5, g.t, m);
		return g;
	default:
		return swg_any(&seed, n, m);
	}
}

static bool
large(void)
{
	struct swg_case g = large_case();
	struct swc c = { .s = &g.s, .q = g.q, .n = g.n };
	size_t k = below(&seed, 2) ? 1 : swg_between(&seed, 2, 100);
	bool good, whole = below(&seed, 3);

	c.minus = below(&seed, 2);
	c.kind = (enum sw_kind)below(&seed, 2);
	c.least = least_of(&g);
	split(&c, &g, 4);
	if (!whole)
		cut(&c);
	swc_layout(&c);
	good = plain(&c, k) && (!whole || top_is_first(&c, &g)) &&
	       all_ways(&c, k, SW_PLAIN + 1) && traces(&c, SW_AUTO);
	swc_free(&c);
	swg_free(&g);
	return good;
}

int
main(int argc, char **argv)
{
	time_t began = time(NULL);
	uint64_t i = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, n = 0;
	uint64_t bad = 0;
	struct err e;

	if (argc < 2 || sw_work_new(&work, &e)) {
		fprintf(stderr, "usage: sw SECONDS [FIRST]\n");
		return 2;
	}
	for (; time(NULL) - began < atol(argv[1]) && bad < 20; i++, n++) {
		seed = 88172645463325252ull ^ (i + 1) * 0x9e3779b97f4a7c15;
		if (i % 4 == 3 ? large() : textbook())
			continue;
		printf("sw: case %llu failed\n", (unsigned long long)i);
		bad++;
	}
	printf("sw: %llu cases, %.1f G cells, %llu CIGARs, next %llu, %llu "
	       "failed\n", (unsigned long long)n, (double)cells / 1e9,
	       (unsigned long long)traced, (unsigned long long)i,
	       (unsigned long long)bad);
	sw_work_free(work);
	sw_hits_free(&hits);
	return bad != 0 || n == 0;
}
