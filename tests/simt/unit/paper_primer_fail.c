/* SPDX-License-Identifier: MIT */
/*
 * paper_primer_fail.c - a device that fails at any call of the source's
 * kernels, or has little memory: the job is declined, and nothing leaks; a job
 * that is too large says nothing about the next
 */
#include "tests/lib/fail_case.h"
#include "tests/lib/primer_gen.h"
#include "cuda/paper_primer.h"

static struct pcase c;
static unsigned optimisations;

/* One of g's. */
static int
one_job(struct cuda_pool *g, bool *right)
{
	struct primer_paper how = { .method = PRIMER_ALTERNATIVE,
				    .optimisations = optimisations };
	struct primer_paper_stats did = { 0 };
	struct primer_paper_backend h = cuda_paper_primer_backend(g);
	struct primer *x = pcase_primer(&c, PRIMER_AUTO);
	uint8_t *s = pcase_symbols(x, &c.text[0], 0, c.text[0].n);
	struct err e;
	int rc = primer_paper_by(&h, x, s, c.text[0].n, &how, &did, &e);

	*right = rc ? rc == PRIMER_NOT_NOW && !did.starts :
		      pcase_same(&c, x, "trial");
	free(s);
	primer_delete(x);
	return rc;
}

/* 0, PRIMER_NOT_NOW, or why it could not begin. */
static int
trial(bool *right, struct cuda_report *r)
{
	struct cuda_paper_primer_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 },
		.how = { .threads = 32, .batch = 6 },
	};
	struct cuda_pool *g;
	struct err e;
	int rc = cuda_paper_primer_new(&g, &p, &e);

	*right = true;
	if (rc)
		return rc;
	rc = one_job(g, right);
	cuda_pool_report(g, r);
	cuda_pool_free(g);
	return rc;
}

/* Too little memory, then enough. */
static void
too_large(void)
{
	struct cuda_paper_primer_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 }, .how.threads = 32,
	};
	struct cuda_pool *g;
	struct cuda_report r;
	bool right, then;
	struct err e;
	int rc;

	if (cuda_paper_primer_new(&g, &p, &e))
		abort();
	simt_memory(4 << 10);
	rc = one_job(g, &right);
	simt_memory(1 << 30);
	ok(rc == PRIMER_NOT_NOW && right && one_job(g, &then) == 0 && then,
	   "a job is too large, the next one is done");
	cuda_pool_report(g, &r);
	ok(*r.failed && !*r.why_not && r.letters, "said: %s", r.failed);
	cuda_pool_free(g);
}

int
main(void)
{
	c = (struct pcase){ .par = { .k = 3 }, .n_targets = 1, .n_texts = 1,
			    .seed = 12 };
	c.target[0] = pcase_letters(&c, 20, 4, 0);
	c.target[0].end = pcase_alloc(20 * 8);
	c.text[0] = pcase_letters(&c, 2500, 4, 0);
	pcase_want(&c);
	optimisations = PRIMER_PAPER_OWN | PRIMER_PAPER_TILES |
			PRIMER_PAPER_ALPHA | PRIMER_PAPER_BETA;
	fail_each(trial, 1, 1, 10);
	optimisations = PRIMER_PAPER_OWN | PRIMER_PAPER_REDUCE |
			PRIMER_PAPER_BATCH;
	fail_each(trial, 1, 1, 10);
	too_large();
	optimisations = 0;
	fail_each(trial, 1, 1, 10);
	too_large();
	pcase_free(&c);
	ok(simt_alive() == 0, "nothing is left: %ld", simt_alive());
	return done();
}
