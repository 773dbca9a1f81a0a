/* SPDX-License-Identifier: MIT */
/*
 * primer_fail.c - devices that fail at any call of a search for primers, or
 * have little memory: the ends are the same, and nothing leaks
 */
#include "tests/lib/fail_case.h"
#include "tests/oracle/primer_plain.h"
#include "cuda/primer.h"

static struct pcase c;
static enum primer_engine engine;
static bool small = true;	/* pieces, and so several */
static struct err err;

/* 0, or why it could not begin. */
static int
trial(bool *right, struct cuda_report *r)
{
	struct cuda_primer_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 },
		.letters = small ? 512 : 0, .cores = small ? 128 : 0,
		.hits = small ? 4096 : 0,
	};
	struct primer_backend f;
	struct cuda_pool *g;
	int rc = cuda_primer_new(&g, &p, &err);

	memset(r, 0, sizeof *r);
	*right = true;
	if (rc)
		return rc;
	f = cuda_primer_backend(g);
	c.backend = &f;
	*right = pcase_run(&c, engine, 900, "trial");
	cuda_pool_report(g, r);
	cuda_pool_free(g);
	return 0;
}

static void
memory(size_t n_bytes, bool enough)
{
	struct cuda_report r;
	bool right;
	int rc;

	simt_memory(n_bytes);
	small = false;
	rc = trial(&right, &r);
	small = true;
	ok(right && (enough ? !rc && r.letters : rc == ERR_DEVICE),
	   "%zu bytes: %s", n_bytes, rc ? err.text : "enough");
	simt_memory(1 << 30);
}

/* A case with cores for all calls, some of which fail. */
static void
each_engine(uint64_t k, uint64_t max_len, long step)
{
	pcase_begin(&c, 12, 150, 2500, 4);
	c.par.k = k;
	c.par.max_len = max_len;
	c.force.cores = true;
	engine = max_len ? PRIMER_SHORT : PRIMER_BLOCKS;
	for (int i = 0; i < 20; i++)
		pcase_plant(&c, &c.text[0], &c.target[0], 10);
	pcase_want_plain(&c);
	fail_each(trial, 1, fewer(5) == 5 ? 1 : step, 3);
	memory(4 << 20, true);
	memory(40 << 10, false);
	pcase_free(&c);
}

/* Calls for each of three cores of several words in one text: device, tables
 * in, kernel, hits out, a wait; the first one's text, once. */
static void
few_calls(void)
{
	struct cuda_primer_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 },
	};
	static uint8_t letter[100], text[3000];
	struct primer_found o = { 0 };
	struct primer_backend f;
	struct cuda_pool *g;
	uint64_t search = 0;
	struct primer_find_long x = {
		.letter = letter, .rows = 100, .core = 100, .text = text,
		.n = sizeof text, .search = &search, .n_symbols = 5, .k = 9,
		.holds = { 0, 1, 2, 4, 8 },
	};
	long calls[3];
	struct err e;

	memset(letter, 1, sizeof letter);
	if (cuda_primer_new(&g, &p, &e))
		abort();
	f = cuda_primer_backend(g);
	for (int i = 0; i < 3; i++) {
		simt_fail_at(0);
		if (f.find_long(f.ctx, &x, &o, &e))
			abort();
		calls[i] = simt_calls();
	}
	ok(calls[0] == 6 && calls[1] == 5 && calls[2] == 5,
	   "calls of cores in one text: %ld %ld %ld", calls[0], calls[1],
	   calls[2]);
	free(o.v);
	cuda_pool_free(g);
}

/* Of 128 G operations a second. */
static void
speed(uint64_t rate, bool taken)
{
	struct cuda_primer_params p = { .rate = rate };
	struct cuda_pool *x;
	struct err e;
	int rc = cuda_primer_new(&x, &p, &e);

	fail_auto(rc, x, taken, "cores");
}

int
main(void)
{
	few_calls();
	speed(9000000000, true);
	speed(11000000000, false);
	each_engine(3, 30, 7);
	each_engine(6, 0, 31);
	ok(simt_alive() == 0, "nothing is left: %ld", simt_alive());
	return done();
}
