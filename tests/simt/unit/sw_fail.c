/* SPDX-License-Identifier: MIT */
/*
 * sw_fail.c - devices that fail at any call while scores are computed, or
 * have little memory: the best are the same, and nothing leaks
 */
#include "tests/lib/fail_case.h"
#include "tests/lib/sw_case.h"
#include "scan/sw/sw.h"

enum { TEXTS = 2 };

static struct swg_case g;
static struct swc c;
static enum cuda_sw_kernel kernel;
static bool gathers;	/* texts, or each is searched alone */
static struct cuda_choice choice = { .kind = CUDA_THESE, .n = 1,
				     .device = { 0, 1 } };
static size_t bytes = 1 << 20;	/* of a stream */
static struct err err;

/* Several pieces, in one span, some of which are done again. */
static void
prepare(size_t n)
{
	uint64_t seed = 4712;

	swg_dna(&g.s, 2, -3, 5, 2);
	swg_room(&g, n, 1500);
	swg_fill(&seed, SWG_RANDOM, 5, g.q, g.n);
	swg_fill(&seed, SWG_RANDOM, 5, g.t, g.m);
	swg_copy(&seed, 4, g.t, g.m, 412, g.q, g.n, 1);
	c = (struct swc){ .s = &g.s, .q = g.q, .n = g.n, .least = 1,
			  .kind = SW_CELLS,
			  .subject = { { .t = g.t, .n = g.m } },
			  .n_subjects = 1 };
	swc_ready(&c);
}

static void
gather(struct cuda_pool *p, struct sw_gpu_text *text)
{
	size_t cells = kernel == CUDA_SW_FAST ? 0 : 5;
	struct sw_query *q;
	struct err e;

	if (sw_query_new(&q, c.s, c.q, c.n, false, SW_AUTO, &e))
		abort();
	for (int i = 0; i < TEXTS; i++)
		text[i] = (struct sw_gpu_text){ .x = c.text };
	if (gathers)
		sw_gpu_batch(p, q, cells, text, TEXTS);
	sw_query_free(q);
}

static bool
search(struct cuda_pool *p)
{
	struct sw_gpu_text text[TEXTS];
	struct sw_backend d = { cuda_sw_find, p };
	struct sw_hits hits = { 0 };
	struct sw_work *w;
	struct err e;
	bool good = !sw_work_new(&w, &e);

	sw_work_backend(w, &d);
	gather(p, text);
	for (int i = 0; i < TEXTS; i++) {
		c.text.known = text[i].known;
		good = good && swc_check(&c, SW_AUTO, 5, w, &hits);
		free(text[i].known.tops);
	}
	c.text.known.tops = NULL;
	sw_work_free(w);
	sw_hits_free(&hits);
	return good;
}

/* 0, or why it could not begin. */
static int
trial(bool *right, struct cuda_report *r)
{
	struct cuda_sw_params p = {
		.choice = choice, .kernel = kernel, .own = 256, .lead = 64,
		.sweep = 64, .bytes = bytes,
	};
	struct cuda_pool *x;
	int rc = cuda_sw_new(&x, &p, &err);

	memset(r, 0, sizeof *r);
	*right = true;
	if (rc)
		return rc;
	*right = search(x);
	cuda_pool_report(x, r);
	cuda_pool_free(x);
	return 0;
}

/* In several pieces, some of them again. */
static void
each_call(long step)
{
	struct cuda_report r;
	bool right;
	int rc = trial(&right, &r);

	ok(!rc && right && r.again && r.letters == TEXTS * c.text.n,
	   "kernel %d, gathered %d: %llu pieces again", kernel, gathers,
	   (unsigned long long)r.again);
	fail_each(trial, 1, step, 3);
}

static void
memory(size_t n_bytes, bool enough)
{
	struct cuda_report r;
	bool right;
	int rc;

	simt_memory(n_bytes);
	bytes = 0;
	rc = trial(&right, &r);
	ok(right && (enough ? !rc && r.letters :
		     rc == ERR_DEVICE && strstr(err.text, "memory")),
	   "%zu bytes: %s", n_bytes, rc ? err.text : "enough");
	simt_memory(1 << 30);
}

/* Tables of scores are for as many rows as there is shared memory for: a
 * launch with more fails. */
static void
shared(size_t n, size_t n_bytes)
{
	struct cuda_report r;
	bool right;
	int rc;

	prepare(n);
	simt_shared(n_bytes);
	bytes = 1 << 20;
	rc = trial(&right, &r);
	ok(!rc && right && r.letters == TEXTS * c.text.n && !*r.failed,
	   "%zu rows, %zu bytes of shared memory: %s", n, n_bytes, r.failed);
	simt_shared(227 << 10);
	swc_free(&c);
	swg_free(&g);
}

/* By default: of 128 G operations a second. */
static void
automatic(int kind, uint64_t rate, bool taken)
{
	struct cuda_sw_params p = { .rate = rate, .bytes = 1 << 20 };
	struct cuda_pool *x;
	int rc;

	simt_kind(kind);
	rc = cuda_sw_new(&x, &p, &err);
	fail_auto(rc, x, taken, kind < 9 ? "no maxima" : "scores");
	simt_kind(9);
}

int
main(void)
{
	struct cuda_report r;
	bool right;

	prepare(150);
	simt_devices(2);
	choice.n = 2;
	each_call(fewer(5) == 5 ? 1 : 5);
	simt_devices(1);
	choice.n = 1;
	gathers = true;
	each_call(fewer(5) == 5 ? 1 : 5);
	kernel = CUDA_SW_MODIFIED;
	each_call(fewer(5) == 5 ? 1 : 5);
	gathers = false;
	each_call(fewer(5) == 5 ? 1 : 9);
	kernel = CUDA_SW_FAST;
	bytes = 9000;
	ok(!trial(&right, &r) && right && !r.letters && r.left == TEXTS,
	   "a query that is too long");
	choice.kind = CUDA_AUTO;
	ok(!trial(&right, &r) && right && !r.letters && !r.left,
	   "auto: few pieces fit");
	choice.kind = CUDA_THESE;
	memory(20 << 20, true);
	memory(100 << 10, false);
	swc_free(&c);
	swg_free(&g);
	automatic(9, 0, true);
	automatic(9, 40000000000, true);
	automatic(9, 60000000000, false);
	automatic(8, 5000000000, true);
	automatic(8, 8000000000, false);
	shared(640, 60 << 10);
	shared(640, 64 << 10);
	shared(640, 227 << 10);
	ok(simt_alive() == 0, "nothing is left: %ld", simt_alive());
	return done();
}
