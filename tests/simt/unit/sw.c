/* SPDX-License-Identifier: MIT */
/*
 * sw.c - sw-scan's kernels against the textbook, on a device or emulated:
 * the largest H of each block, pieces of many sizes, and the best K of them
 */
#include "tests/lib/sw_case.h"
#include "tests/lib/sw_lanes_case.h"
#include "cuda/sw.h"

static struct cuda_pool *gpu;
static enum cuda_sw_kernel kernel;	/* its */
static struct sw_backend device;
static uint64_t n_columns, n_again, n_left;	/* of all so far */

static void
look_back(void)
{
	struct cuda_report r;

	if (!gpu)
		return;
	cuda_pool_report(gpu, &r);
	n_columns += r.letters;
	n_again += r.again;
	if (r.again && kernel == CUDA_SW_PAPER)
		ok(0, "an overlap is too short");
	n_left += r.left;
	if (*r.failed)
		ok(0, "%s", r.failed);
	cuda_pool_free(gpu);
	gpu = NULL;
}

static void
open_gpu(const struct cuda_sw_params *p)
{
	look_back();
	kernel = p->kernel;
	if (cuda_sw_new(&gpu, p, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	device = (struct sw_backend){ cuda_sw_find, gpu };
	sw_work_backend(work, &device);
}

/* Pieces so small that most texts have several, memory for few of them. */
static void
with_gpu(size_t n_rows, bool cells)
{
	struct cuda_sw_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 },
		.kernel = !cells || below(&seed, 3) ? CUDA_SW_FAST :
			  below(&seed, 2) ? CUDA_SW_PAPER :
					    CUDA_SW_MODIFIED,
		.sweep = SW_DEV_LANES * (1 + (uint32_t)below(&seed, 4)),
		.own = SW_BLOCK * (1 + (uint32_t)below(&seed, 12)),
		.lead = SW_BLOCK * (uint32_t)swg_between(&seed, 1,
				below(&seed, 4) ? 4 : 20),
		.bytes = 20000 + (n_rows + 128) * 64 + below(&seed, 60000),
	};

	open_gpu(&p);
}

/* What it does not take, it must say so.  It knows more cells than are
 * reported. */
static int
gpu_pass(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	struct sw_pass mine = *p;
	int rc;

	mine.cells = kernel == CUDA_SW_FAST ? 0 : 1 + below(&seed, 99);
	rc = sw_backend_pass(&mine, w, e);
	if (rc == 1)
		return sw_plain_pass(p, w, e);
	p->threshold = ((const struct ear *)p->ctx)->threshold;
	return rc;
}

static bool
peaks_right(const struct swg_case *c)
{
	size_t most = below(&seed, 3) ? c->m + 1 : swg_between(&seed, 1, 900);
	const char *why = "";
	struct cut x;
	bool good;

	with_gpu(c->n, true);
	cut(&x, c, most, SW_AUTO);
	good = pass(&x, gpu_pass, 1, (unsigned)below(&seed, 4), &why);
	if (!good)
		printf("# %s: n %zu, m %zu, segments %zu\n", why, c->n, c->m,
		       x.t.n_seg);
	cut_free(&x);
	return good;
}

static bool
again_right(const struct swg_case *c)
{
	const struct cuda_sw_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 },
		.own = SW_BLOCK * (4 + (uint32_t)below(&seed, 5)),
		.lead = SW_BLOCK, .bytes = 4 << 20,
	};
	uint64_t before;
	const char *why = "";
	struct cut x;
	bool good;

	open_gpu(&p);
	before = n_again;
	cut(&x, c, c->m + 1, SW_AUTO);
	good = pass(&x, gpu_pass, 1, 0, &why);
	cut_free(&x);
	look_back();
	if (!good || n_again == before)
		printf("# %s: n %zu, m %zu\n", why, c->n, c->m);
	return good && n_again > before;
}

/* The best of both kinds. */
static bool
best_right(const struct swg_case *g)
{
	static struct sw_hits hits;
	struct swc c = { .s = &g->s, .q = g->q, .n = g->n, .least = 1,
			 .minus = below(&seed, 2),
			 .kind = (enum sw_kind)below(&seed, 2),
			 .subject = { { .t = g->t, .n = g->m } },
			 .n_subjects = g->m > 0 };
	bool good;

	with_gpu(g->n, c.kind == SW_CELLS);
	swc_ready(&c);
	good = swc_check(&c, SW_AUTO, 1 + below(&seed, 9), work, &hits) &&
	       swc_check(&c, SW_AUTO, c.want.n + 1, work, &hits);
	swc_free(&c);
	sw_hits_free(&hits);
	return good;
}

/* Are they the textbook's first k? */
static bool
same_cells(const struct sw_hits *h, const struct swc *c, size_t k)
{
	bool good = h->n == (k < c->want.n ? k : c->want.n);

	for (size_t i = 0; i < h->n && good; i++) {
		const struct osw_hit *w = &c->want.v[i];

		good = h->v[i].score == w->score && h->v[i].qend == w->qend &&
		       h->v[i].end == c->subject[w->subject].at + w->end;
	}
	return good;
}

/* All cells of the source paper's kernel, of columns that count. */
static bool
reported_right(const struct swc *c, const struct sw_query *q, size_t k)
{
	struct sw_view v = { q->s, q->code, q->n, q->best, q->context, k };
	struct cuda_device d;
	struct sw_dev_setup u = { .device = &d, .kernel = SW_DEV_PAPER,
				 .bytes = 100000 + below(&seed, 1 << 20) };
	struct cuda_sw_cut x = {
		.own = SW_BLOCK * (1 + (uint32_t)below(&seed, 12)),
		.lead = SW_BLOCK * (uint32_t)below(&seed, 9),
		.sweep = SW_DEV_LANES * (1 + (uint32_t)below(&seed, 4)),
	};
	int32_t *top = room(c->text.n / SW_BLOCK, sizeof *top);
	struct cuda_sw_best best = { .end = c->text.n };
	struct sw_hits *h = &best.cells;
	struct sw_dev_stream *s;
	int rc = cuda_device(&d, 0, &err);
	bool good;

	if (rc || sw_dev.open(&s, &u, &err))
		abort();
	rc = cuda_sw_one(s, &v, &c->text, &x, top, &best, &err);
	good = rc == 1 || (!rc && same_cells(h, c, k));
	if (!good)
		printf("# rc %d, %zu of %zu cells, k %zu\n", rc, h->n,
		       c->want.n, k);
	n_columns += rc ? 0 : c->text.n;
	n_again += x.again;
	n_left += rc == 1;
	sw_dev.close(s);
	sw_hits_free(h);
	free(top);
	return good;
}

static bool
cells_right(const struct swg_case *g)
{
	size_t half = g->m / 2, own = half ? below(&seed, half) : 0;
	struct swc c = { .s = &g->s, .q = g->q, .n = g->n, .least = 1,
			 .kind = SW_CELLS,
			 .subject = { { .t = g->t, .n = half, .own = own },
				      { .t = g->t + half, .n = g->m - half } },
			 .n_subjects = half ? 2 : 0 };
	struct sw_query *q;
	bool good;

	look_back();
	if (sw_query_new(&q, &g->s, g->q, g->n, false, SW_AUTO, &err))
		abort();
	swc_ready(&c);
	good = q->best <= 0 || !cuda_sw_scoring(&g->s) ||
	       (reported_right(&c, q, 1 + below(&seed, 9)) &&
		reported_right(&c, q, c.want.n ? c.want.n : 1) &&
		reported_right(&c, q, c.want.n + 1));
	swc_free(&c);
	sw_query_free(q);
	return good;
}

/* Scores that a device takes. */
static void
scheme(struct sw_scoring *s)
{
	do
		swg_scheme(&seed, s);
	while (!cuda_sw_scoring(s));
}

static void
fill_both(struct swg_case *c, size_t n, size_t m)
{
	swg_room(c, n, m);
	swg_fill(&seed, (enum swg_kind)below(&seed, SWG_KINDS), 5, c->q, n);
	swg_fill(&seed, (enum swg_kind)below(&seed, SWG_KINDS), 5, c->t, m);
	if (below(&seed, 2))
		swg_borders(&seed, c, SW_BLOCK, below(&seed, 12));
}

static struct swg_case
small(uint64_t round)
{
	static const size_t sizes[] = { 0, 1, 63, 64, 65, 127, 128, 129, 191 };
	struct swg_case c;

	scheme(&c.s);
	fill_both(&c, swg_between(&seed, 1, 70), round % 2 ?
		  below(&seed, 1500) : sizes[round / 2 % 9]);
	return c;
}

/* Full lanes, warps and sweeps, or not by a row; paths from sweep to sweep. */
static struct swg_case
rows(uint64_t round)
{
	static const size_t full[] = { 4, 124, 128, 256, 384, 512, 640, 768,
				       896, 1024, 1280, 1536 };
	size_t n = full[round % 12] + below(&seed, 3) - 1;
	struct swg_case c;

	scheme(&c.s);
	fill_both(&c, n, swg_between(&seed, 1, 500) + (n > 768 ? 512 : 0));
	if (n > 768)
		memcpy(c.t, c.q + n - 576, c.m < 576 ? c.m : 576);
	return c;
}

/* More sweeps than a block has warps, and an alignment through the last ones in
 * pieces that are done again. */
static struct swg_case
deep(uint64_t round)
{
	static const size_t sizes[] = { 1100, 3000, 2300 };
	size_t n = sizes[round % 3], m = swg_between(&seed, 700, 1100);
	struct swg_case c;

	swg_dna(&c.s, 1 + (int32_t)below(&seed, 3), -2, 3, 1);
	fill_both(&c, n, m);
	memcpy(c.t, c.q + n - m, m);
	return c;
}

/* An alignment from sweep to sweep in each column of a tile. */
static struct swg_case
seam(uint64_t round)
{
	struct swg_case c;

	swg_dna(&c.s, 2, -3, 5, 2);
	swg_room(&c, 260, 330);
	swg_fill(&seed, SWG_RANDOM, 5, c.q, c.n);
	swg_fill(&seed, SWG_RANDOM, 5, c.t, c.m);
	memcpy(c.t + round, c.q, c.n);
	return c;
}

static bool
seam_right(const struct swg_case *c)
{
	const struct cuda_sw_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 },
		.bytes = 4 << 20,
	};
	const char *why = "";
	struct cut x;
	bool good;

	open_gpu(&p);
	cut(&x, c, c->m + 1, SW_AUTO);
	good = pass(&x, gpu_pass, 1, 0, &why);
	cut_free(&x);
	if (!good)
		printf("# %s\n", why);
	return good;
}

/* Scores of more than 16 bits, in some pieces, and near that. */
static struct swg_case
large(uint64_t round)
{
	size_t n = swg_between(&seed, 250, 400);
	struct swg_case c;

	(void)round;
	swg_dna(&c.s, 127 - (int32_t)below(&seed, 40),
		-(int32_t)swg_between(&seed, 60, 128),
		(int32_t)below(&seed, 300), (int32_t)below(&seed, 200));
	fill_both(&c, n, 2 * n + below(&seed, 800));
	for (int i = 0; i < 2; i++)
		swg_copy(&seed, 4, c.t, c.m, below(&seed, c.m), c.q, n,
			 (unsigned)below(&seed, 4));
	return c;
}

/* The linear phase, where hardly any two pieces agree. */
static struct swg_case
linear(uint64_t round)
{
	struct swg_case c;

	(void)round;
	swg_dna(&c.s, 5, -3, 8, 1);
	fill_both(&c, swg_between(&seed, 100, 200),
		  swg_between(&seed, 1000, 2500));
	return c;
}

static struct swg_case
family(uint64_t round)
{
	(void)round;
	return swg_family(&seed, swg_between(&seed, 20, 150),
			  swg_between(&seed, 100, 1200));
}

/* Where only E passes from a piece to the next, far behind, or only H, near. */
static struct swg_case
borders(uint64_t round)
{
	struct swg_case c;

	if (round % 2) {
		do {
			c = swg_short_query(&seed);
			if (cuda_sw_scoring(&c.s))
				return c;
			swg_free(&c);
		} while (true);
	}
	swg_dna(&c.s, 1 + (int32_t)below(&seed, 3), -1, 20, 20);
	fill_both(&c, swg_between(&seed, 70, 200),
		  swg_between(&seed, 300, 1000));
	swg_borders(&seed, &c, SW_BLOCK, 12);
	return c;
}

/* Anything, mostly not for a device; or, in few pieces, gains by any letter. */
static struct swg_case
any(uint64_t round)
{
	struct swg_case c;

	if (round % 2)
		return swg_any(&seed, 40, 700);
	c = small(16);
	memset(c.t, 4, c.m / 2);
	for (unsigned i = 0; i < 5; i++)
		c.s.score[i][4] = 1;
	return c;
}

static void
sweep(const char *name, struct swg_case (*make)(uint64_t),
      bool (*right)(const struct swg_case *), uint64_t rounds)
{
	uint64_t round = 0, before = n_columns;
	bool good = true;

	for (; good && round < rounds; round++) {
		uint64_t first = seed = 0xace0000 + round * 977;
		struct swg_case c = make(round);

		good = right(&c);
		if (!good)
			printf("# seed %llx\n", (unsigned long long)first);
		swg_free(&c);
	}
	look_back();
	ok(good, "%s: %u cases, %llu columns", name, (unsigned)round,
	   (unsigned long long)(n_columns - before));
}

/* A piece begins with its segment, and has scores of more than 16 bits before
 * the columns that it owns. */
static void
early(void)
{
	const struct cuda_sw_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 },
		.own = 256, .lead = 1024, .bytes = 4 << 20,
	};
	struct swg_case c = with(127, -128, 5, 2, 300, 1200);
	const char *why = "";
	struct cut x;

	memcpy(c.t, c.q, c.n);
	cut(&x, &c, c.m + 1, SW_AUTO);
	open_gpu(&p);
	ok(pass(&x, gpu_pass, 1, 0, &why), "large scores early: %s", why);
	cut_free(&x);
	swg_free(&c);
}

/*
 * No alignment of so short a query is as long as what pieces are begun before
 * the columns that they own: all agree, and none is done again.
 */
static void
agreed(void)
{
	const struct cuda_sw_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 },
		.own = 128, .lead = 128, .bytes = 4 << 20,
	};
	struct swg_case c = with(2, -3, 5, 2, 40, 2000);
	uint64_t again, columns;
	const char *why = "";
	struct cut x;
	bool good;

	cut(&x, &c, c.m + 1, SW_AUTO);
	open_gpu(&p);
	again = n_again;
	columns = n_columns;
	good = pass(&x, gpu_pass, 1, 0, &why);
	cut_free(&x);
	swg_free(&c);
	look_back();
	ok(good && n_columns > columns && n_again == again,
	   "pieces that agree, %llu again",
	   (unsigned long long)(n_again - again));
}

/* One text by a stream of so many bytes; false: it has no room. */
static bool
filled(const struct cut *x, size_t bytes, uint64_t *fills, bool *right)
{
	struct sw_view v = sw_query_view(x->q);
	struct cuda_device d;
	struct sw_dev_setup u = { .device = &d, .bytes = bytes };
	struct cuda_sw_cut c = { .own = 128, .lead = 128, .fill = 4 };
	int32_t *top = room(x->t.n / SW_BLOCK, sizeof *top);
	struct sw_dev_stream *s;
	int rc = cuda_device(&d, 0, &err);

	if (rc || sw_dev.open(&s, &u, &err))
		abort();
	rc = cuda_sw_one(s, &v, &x->t, &c, top, NULL, &err);
	for (uint64_t b = 0; b < x->t.n / SW_BLOCK && !rc && *right; b++)
		*right = top[b] == x->top[b];
	*fills = c.fills;
	sw_dev.close(s);
	free(top);
	return !rc;
}

/* With more memory the device is not filled more often. */
static void
fills(void)
{
	struct swg_case c = with(2, -3, 5, 2, 40, 8 * 128 - SW_BLOCK);
	uint64_t least = UINT64_MAX, n = 0, done = 0;
	bool right = true;
	struct cut x;

	cut(&x, &c, c.m + 1, SW_AUTO);
	for (size_t bytes = 8 << 10; right && bytes < 80 << 10;
	     bytes += 1 << 10) {
		if (!filled(&x, bytes, &n, &right))
			continue;
		right = right && n <= least;
		least = n;
		done++;
	}
	ok(right && done > 20 && least == 2,
	   "%llu times full, %llu at last, in %llu sizes of memory",
	   (unsigned long long)n, (unsigned long long)least,
	   (unsigned long long)done);
	cut_free(&x);
	swg_free(&c);
}

static void
all(uint64_t part)
{
	n_columns = n_again = n_left = 0;
	early();
	agreed();
	fills();
	sweep("small", small, peaks_right, fewer(150 / part));
	sweep("rows", rows, peaks_right, fewer(60 / part));
	sweep("seams", seam, seam_right, SW_BLOCK);
	sweep("deep", deep, again_right, fewer(20 / part));
	sweep("large", large, peaks_right, fewer(24 / part));
	sweep("linear", linear, peaks_right, fewer(16 / part));
	sweep("borders", borders, peaks_right, fewer(90 / part));
	sweep("family", family, peaks_right, fewer(40 / part));
	sweep("any", any, peaks_right, fewer(30 / part));
	sweep("cells, small", small, cells_right, fewer(40 / part));
	sweep("cells, rows", rows, cells_right, fewer(24 / part));
	sweep("cells, large", large, cells_right, fewer(8 / part));
	sweep("cells, borders", borders, cells_right, fewer(16 / part));
	sweep("cells, family", family, cells_right, fewer(20 / part));
	sweep("best, small", small, best_right, fewer(40 / part));
	sweep("best, family", family, best_right, fewer(20 / part));
	ok(n_columns > 20000 / part && n_again > 0, "%llu columns, %llu "
	   "pieces again, %llu texts left",
	   (unsigned long long)n_columns, (unsigned long long)n_again,
	   (unsigned long long)n_left);
}

/*
 * With an operand, or on request, a little of each: for checkers that are slow.
 */
int
main(int argc, char **argv)
{
	bool little = getenv("SEQF_SIMT_LITTLE") != NULL;

	(void)argv;
	if (!cuda_devices()) {
		printf("1..0 # SKIP %s\n", cuda_why_none());
		return 0;
	}
	if (sw_work_new(&work, &err))
		abort();
	all(argc > 1 ? 16 : little ? 3 : 1);
	sw_work_free(work);
	return done();
}
