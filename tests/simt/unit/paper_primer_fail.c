/* SPDX-License-Identifier: MIT */
/*
 * paper_primer_fail.c - a device that fails at any call of the source's
 * kernels, or has little memory: the job is declined, and nothing leaks
 */
#include "tests/simt/control.h"
#include "tests/lib/primer_gen.h"
#include "cuda/paper_primer.h"

static struct pcase c;

/* 0, PRIMER_NOT_NOW, or why it could not begin. */
static int
trial(unsigned optimisations, bool *right, struct cuda_report *r)
{
	struct cuda_paper_primer_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 }, .how.threads = 32,
	};
	struct primer_paper how = { .method = PRIMER_ALTERNATIVE,
				    .optimisations = optimisations };
	struct primer_paper_stats did = { 0 };
	struct cuda_paper_primer *g;
	struct primer *x;
	struct err e;
	uint8_t *s;
	int rc = cuda_paper_primer_new(&g, &p, &e);

	*right = true;
	if (rc)
		return rc;
	x = pcase_primer(&c, PRIMER_AUTO);
	s = pcase_symbols(x, &c.text[0], 0, c.text[0].n);
	rc = primer_paper_by(cuda_paper_primer_backend(g), x, s, c.text[0].n,
			     &how, &did, &e);
	*right = rc ? rc == PRIMER_NOT_NOW && !did.starts :
		      pcase_same(&c, x, "trial");
	cuda_paper_primer_report(g, r);
	free(s);
	primer_delete(x);
	cuda_paper_primer_free(g);
	return rc;
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
	struct cuda_report r;
	bool right;

	c = (struct pcase){ .par = { .k = 3 }, .n_targets = 1, .n_texts = 1,
			    .seed = 12 };
	c.target[0] = pcase_letters(&c, 20, 4, 0);
	c.target[0].end = pcase_alloc(20 * 8);
	c.text[0] = pcase_letters(&c, 2500, 4, 0);
	pcase_want(&c);
	each_call(PRIMER_PAPER_OWN | PRIMER_PAPER_TILES | PRIMER_PAPER_ALPHA |
		  PRIMER_PAPER_BETA);
	each_call(0);
	simt_memory(4 << 10);
	ok(trial(0, &right, &r) == PRIMER_NOT_NOW && right && *r.failed,
	   "too little memory: %s", r.failed);
	simt_memory(1 << 30);
	pcase_free(&c);
	ok(simt_alive() == 0, "nothing is left: %ld", simt_alive());
	return done();
}
