/* SPDX-License-Identifier: MIT */
/*
 * sw_batch.c - texts of several chunks searched by a GPU as one: the best
 * of each are what the textbook says of it alone, by the source's kernel, too
 */
#include "tests/lib/heap.h"
#include "tests/lib/sw_case.h"
#include "scan/sw/sw.h"

enum { MOST = 14, LONG = 200 };

static struct one {
	struct swg_case g;
	struct swc c;
} ones[MOST];
static struct sw_gpu_text text[MOST];

static uint64_t seed;
static struct sw_work *work;
static struct err err;
/* Texts; rounds that took more than one search; columns of those that did not.
 */
static uint64_t n_found, n_alone, n_split, n_columns;
/* The source's kernel, of so many cells; texts whose least is known. */
static size_t cells;
static uint64_t n_least;

/* Scores that a device takes, sometimes those of which no pieces agree. */
static void
scheme(struct sw_scoring *s, bool linear)
{
	if (linear)
		swg_dna(s, 5, -1, 3, 1);
	else
		do
			swg_scheme(&seed, s);
		while (!cuda_sw_scoring(s) || s->score[0][0] <= 0);
}

/* Nothing, a letter, blocks that are full or nearly so, two subjects. */
static void
make_text(struct one *o, const struct one *first)
{
	static const size_t sizes[] = { 0, 1, 63, 64, 65, 127, 128, 129 };
	struct swg_case *g = &o->g;
	size_t n = first->g.n, m, half, own;

	m = n == LONG ? swg_between(&seed, 200, 500) : below(&seed, 2) ?
	    sizes[below(&seed, 8)] : below(&seed, 600);
	half = m / 2;
	own = half ? below(&seed, half) : 0;
	if (o != first)
		g->s = first->g.s;
	swg_room(g, n, m);
	if (o == first)
		swg_fill(&seed, SWG_RANDOM, 5, g->q, n);
	else
		memcpy(g->q, first->g.q, n);
	swg_fill(&seed, (enum swg_kind)below(&seed, SWG_KINDS), 5, g->t, m);
	if (m)
		swg_copy(&seed, 4, g->t, m, below(&seed, m), g->q, n, 1);
	o->c = (struct swc){ .s = &g->s, .q = g->q, .n = n,
			     .least = n == LONG ? 800 : 1,
			     .kind = cells ? SW_CELLS :
					     (enum sw_kind)below(&seed, 2),
			     .subject = { { .t = g->t, .n = half, .own = own },
					  { .t = g->t + half, .n = m - half } },
			     .n_subjects = half ? 2 : 0 };
	if (m && !half) {
		o->c.subject[0] = o->c.subject[1];
		o->c.n_subjects = 1;
	}
	swc_ready(&o->c);
}

/* The score of the last of so many cells, if there are as many. */
static bool
least_right(const struct swc *c, const struct sw_known *x)
{
	int64_t want = cells && x->tops && c->want.n >= cells ?
		       c->want.v[cells - 1].score : 0;

	n_least += want > 0;
	if (x->least == want || c->least > 1)
		return true;
	printf("# least %d, not %d\n", (int)x->least, (int)want);
	return false;
}

static bool
right(struct one *o, const struct sw_gpu_text *x)
{
	struct sw_hits hits = { 0 };
	bool good = least_right(&o->c, &x->known);

	o->c.text.known = x->known;
	good = good && swc_check(&o->c, SW_AUTO, 1 + below(&seed, 9), work,
				 &hits);
	if (good && cells)
		good = swc_check(&o->c, SW_AUTO, cells, work, &hits);
	if (good && below(&seed, 4) == 0)
		good = swc_check(&o->c, SW_AUTO, o->c.want.n + 1, work, &hits);
	sw_hits_free(&hits);
	return good;
}

/* All of them at once; columns is what they have together. */
static bool
search(const struct cuda_sw_params *p, size_t n, uint64_t columns)
{
	struct sw_backend d = { .tops = cuda_sw_find };
	const struct one *o = &ones[0];
	struct cuda_report r;
	struct sw_query *q;
	uint64_t found = 0;
	bool good = true;

	if (sw_query_new(&q, &o->g.s, o->g.q, o->g.n, false, SW_AUTO, &err) ||
	    cuda_sw_new((struct cuda_pool **)&d.ctx, p, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	sw_gpu_batch(d.ctx, q, cells, text, n);
	cuda_pool_report(d.ctx, &r);
	good = r.left == 0;
	for (size_t i = 0; i < n; i++)
		found += text[i].known.tops != NULL;
	if (found == n && r.letters == columns)
		n_columns += columns;
	sw_work_backend(work, &d);
	for (size_t i = 0; i < n && good; i++)
		good = right(&ones[i], &text[i]);
	n_found += found;
	n_alone += n - found;
	n_split += p->own == SW_BLOCK && r.pieces > columns / SW_BLOCK;
	cuda_pool_report(d.ctx, &r);
	if (*r.failed)
		good = !printf("# %s\n", r.failed);
	sw_work_backend(work, NULL);
	cuda_pool_free(d.ctx);
	sw_query_free(q);
	return good;
}

static bool
gathered(uint64_t round)
{
	bool linear = round % 4 == 3;
	size_t n = round % MOST + 1;
	uint64_t columns = 0;
	struct cuda_sw_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 },
		.own = SW_BLOCK * (1 + (uint32_t)below(&seed, 12)),
		.lead = SW_BLOCK * (uint32_t)swg_between(&seed, 1, 8),
		.sweep = SW_DEV_LANES * (1 + (uint32_t)round % 3),
	};
	bool good;

	cells = linear || round % 2 ? 0 : 1 + round % 9;
	if (cells)
		p.kernel = round % 4 ? CUDA_SW_PAPER :
				       CUDA_SW_MODIFIED;
	scheme(&ones[0].g.s, linear);
	ones[0].g.n = linear ? LONG : swg_between(&seed, 1, 40);
	if (linear)
		p.own = p.lead = SW_BLOCK;
	p.bytes = 20000 + (ones[0].g.n + 128) * 64 + below(&seed, 200000);
	for (size_t i = 0; i < n; i++) {
		make_text(&ones[i], &ones[0]);
		text[i] = (struct sw_gpu_text){ .x = ones[i].c.text };
		columns += text[i].x.n;
	}
	good = search(&p, n, columns);
	for (size_t i = 0; i < n; i++) {
		free(text[i].known.tops);
		swc_free(&ones[i].c);
		swg_free(&ones[i].g);
	}
	return good;
}

static void *
some(void *ctx)
{
	for (uint64_t i = 8; i < 12; i++) {
		seed = i;
		ok(gathered(i), "again: round %u", (unsigned)i);
	}
	return ctx;
}

/* With an operand, a little: under a checker that is slow. */
int
main(int argc, char **argv)
{
	bool little = argc > 1 || getenv("SEQF_SIMT_LITTLE");
	uint64_t rounds = fewer(little ? 24 : 80), round = 0;
	bool good = true;

	(void)argv;
	if (!cuda_devices()) {
		printf("1..0 # SKIP %s\n", cuda_why_none());
		return 0;
	}
	if (sw_work_new(&work, &err))
		abort();
	for (; good && round < rounds; round++) {
		seed = 0xace0000 + round * 977;
		good = gathered(round);
		if (!good)
			printf("# round %u\n", (unsigned)round);
	}
	ok(good, "gathered: %u rounds", (unsigned)round);
	ok(n_found && (little || (n_columns && n_split && n_least)), "%d texts "
	   "found, %d left, %d rounds split, %d columns at once, %d leasts",
	   (int)n_found, (int)n_alone, (int)n_split, (int)n_columns,
	   (int)n_least);
	heap_same(some, NULL);
	sw_work_free(work);
	return done();
}
