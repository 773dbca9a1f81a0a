/* SPDX-License-Identifier: MIT */
/*
 * paper_primer_fail.c - a device that fails at any call of the source's
 * kernels, or has little memory: the job is declined, and nothing leaks; a job
 * that is too large says nothing about the next
 */
#include "tests/simt/control.h"
#include "tests/lib/primer_gen.h"
#include "cuda/paper_primer.h"

static struct pcase c;

/* One of g's. */
static int
one_job(struct cuda_pool *g, unsigned optimisations, bool *right)
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
trial(unsigned optimisations, bool *right, struct cuda_report *r)
{
	struct cuda_paper_primer_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 }, .how.threads = 32,
	};
	struct cuda_pool *g;
	struct err e;
	int rc = cuda_paper_primer_new(&g, &p, &e);

	*right = true;
	if (rc)
		return rc;
	rc = one_job(g, optimisations, right);
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
	rc = one_job(g, 0, &right);
	simt_memory(1 << 30);
	ok(rc == PRIMER_NOT_NOW && right && one_job(g, 0, &then) == 0 && then,
	   "a job is too large, the next one is done");
	cuda_pool_report(g, &r);
	ok(*r.failed && !*r.why_not && r.letters, "said: %s", r.failed);
	cuda_pool_free(g);
}

static void
each_call(unsigned optimisations)
{
	struct cuda_report r;
	unsigned refused = 0, reported = 0;
	bool right, whole;
	long calls;

	simt_fail_at(0);
	whole = !trial(optimisations, &right, &r) && right && r.letters;
	calls = simt_calls();
	ok(whole && calls > 20, "%ld calls: %s", calls, c.why);
	for (long i = 1; i <= calls && right; i++) {
		simt_fail_at(i);
		if (trial(optimisations, &right, &r) != PRIMER_NOT_NOW)
			continue;
		refused++;
		reported += *r.failed != '\0';
	}
	simt_fail_at(0);
	ok(right && refused > 10 && reported == refused,
	   "%u fail on the way, %u "
	   "say so: %s",
	   refused, reported, c.why);
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
	each_call(PRIMER_PAPER_OWN | PRIMER_PAPER_TILES | PRIMER_PAPER_ALPHA |
		  PRIMER_PAPER_BETA);
	each_call(0);
	too_large();
	pcase_free(&c);
	ok(simt_alive() == 0, "nothing is left: %ld", simt_alive());
	return done();
}
