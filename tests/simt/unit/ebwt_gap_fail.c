/* SPDX-License-Identifier: MIT */
/*
 * ebwt_gap_fail.c - a device that fails at any call of words in gaps or of
 * rotations, or has little memory: jobs are halved, or declined, and nothing
 * leaks; what jobs of one pool ask of the device
 */
#include "tests/lib/fail_case.h"
#include "tests/lib/gap_case.h"
#include "cuda/ebwt.h"

static uint64_t seed = 5;
static bool de;			/* entropies, not runs */

/* Jobs on both streams, the last one on memory that is there; their calls. */
enum { JOBS = 3 };
static long job_calls[JOBS];

static int
run_jobs(struct cuda_pool *g, const struct gcase *c, bool *right)
{
	struct gap_backend h = cuda_ebwt_gap_backend(g);
	int rc = 0;

	for (int i = 0; i < JOBS; i++) {
		long before = simt_calls();
		struct err e;
		int one;

		if (c->de)
			memset(c->de_of, 0, c->n_out * sizeof *c->de_of);
		else
			memset(c->runs, 0, c->n_out * sizeof *c->runs);
		one = h.run(h.ctx, &c->j, &e);
		job_calls[i] = simt_calls() - before;
		*right = *right && (one ? one == EBWT_NOT_NOW : gcase_same(c));
		rc = one ? one : rc;
	}
	return rc;
}

/* 0, EBWT_NOT_NOW, or why it could not begin. */
static int
trial(bool *right, struct cuda_report *r)
{
	struct cuda_ebwt_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 },
	};
	struct cuda_pool *g;
	struct gcase c;
	struct err e;
	int rc = cuda_ebwt_new(&g, &p, &e);

	*right = true;
	if (rc)
		return rc;
	gcase_make(&c, seed, 25, 40, de);
	rc = run_jobs(g, &c, right);
	cuda_pool_report(g, r);
	gcase_free(&c);
	cuda_pool_free(g);
	return rc;
}

/* With less and less memory it is done in more and more parts, until not. */
static void
little_memory(void)
{
	struct cuda_report r;
	unsigned halved = 0;
	bool right = true;
	long calls, more;
	size_t bytes;
	int rc = 0;

	simt_fail_at(0);
	rc = trial(&right, &r);
	calls = simt_calls();
	ok(job_calls[JOBS - 1] == job_calls[0] - 1, "%ld calls of the last "
	   "job: memory is there", job_calls[JOBS - 1]);
	for (bytes = 16 << 10; !rc && right && bytes > 256;
	     bytes -= bytes / 12) {
		simt_memory(bytes);
		simt_fail_at(0);
		rc = trial(&right, &r);
		more = simt_calls();
		halved += !rc && more > calls;
		/* what others may want is given back */
		right = right && (rc || job_calls[JOBS - 1] == job_calls[0]);
	}
	ok(right && halved > 1 && rc == EBWT_NOT_NOW && *r.failed,
	   "%u times in parts; %zu bytes: %s", halved, bytes, r.failed);
	simt_memory(1 << 30);
}

/* Words that tie far, their rotations sorted with a device or without: sums of
 * distances. */
enum { N = 3, LEN = 90 };
static uint64_t
sorted(const struct ebwt_backend *h)
{
	static uint8_t s[N][LEN];
	struct ebwt_word word[N];
	struct ebwt_params par = { .threads = 1, .backend = h };
	struct ebwt_pairs_job job = { 0 };
	struct ebwt_pairs *p;
	struct ebwt *x;
	uint64_t sum = 0;
	struct err e;

	for (size_t i = 0; i < N; i++) {
		for (size_t c = 0; c < LEN; c++)
			s[i][c] = (uint8_t)"ACGT"[c * c * c % 41 % 4];
		s[i][30 * i] = 'C';
		word[i] = (struct ebwt_word){ s[i], LEN - i };
	}
	if (ebwt_new(&x, word, N, &par, &e) || ebwt_pairs_new(&p, x, &job, &e))
		abort();
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < i; j++)
			sum = 1000 * sum + ebwt_delta(p, i, j);
	ebwt_pairs_delete(p);
	ebwt_delete(x);
	return sum;
}

/* As trial(). */
static int
sort_trial(bool *right, struct cuda_report *r)
{
	struct cuda_ebwt_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 },
		.how.letters = 2,
	};
	struct ebwt_backend h;
	struct cuda_pool *g;
	struct err e;
	int rc = cuda_ebwt_new(&g, &p, &e);

	*right = true;
	if (rc)
		return rc;
	h = cuda_ebwt_backend(g);
	*right = sorted(&h) == sorted(NULL);
	cuda_pool_report(g, r);
	cuda_pool_free(g);
	return 0;
}

/*
 * Of jobs by one pool only the first one asks for memory, and none makes a
 * stream or looks at the device; two numbers of each class come back, not all
 * rows.
 */
static void
jobs_of_one_pool(const struct ebwt_backend *h, uint64_t want)
{
	bool right = true;

	for (int i = 0; i < 4; i++) {
		simt_fail_at(0);
		right = right && sorted(h) == want;
		if (i == 0)
			ok(simt_slow_calls() == 1, "%ld slow calls of a first "
			   "job", simt_slow_calls());
	}
	ok(right && simt_slow_calls() == 0, "%ld of the last",
	   simt_slow_calls());
	ok(simt_copied_back() < LEN * sizeof(uint32_t),
	   "%zu bytes come back of %d rows", simt_copied_back(), N * LEN);
}

/* That a job is too large says nothing about the next. */
static void
too_large(struct cuda_pool *g, const struct ebwt_backend *h, uint64_t want)
{
	struct cuda_report r;
	uint64_t letters;
	bool right;

	simt_memory(1 << 10);
	right = sorted(h) == want;
	cuda_pool_report(g, &r);
	letters = r.letters;
	simt_memory(1 << 30);
	right = right && sorted(h) == want;
	cuda_pool_report(g, &r);
	ok(right && !letters && r.letters && *r.failed && !*r.why_not,
	   "a job is too large, the next one is done: %s", r.failed);
}

static void
one_pool(bool large)
{
	struct cuda_ebwt_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 },
	};
	const uint64_t want = sorted(NULL);
	struct ebwt_backend h;
	struct cuda_pool *g;
	struct err e;

	if (cuda_ebwt_new(&g, &p, &e))
		abort();
	h = cuda_ebwt_backend(g);
	if (large)
		too_large(g, &h, want);
	else
		jobs_of_one_pool(&h, want);
	cuda_pool_free(g);
}

int
main(void)
{
	bool little = getenv("SEQF_SIMT_LITTLE") != NULL;

	one_pool(false);
	one_pool(true);
	fail_each(sort_trial, 1, little ? 40 : 1, little ? 1 : 40);
	for (int i = 0; i < 2; i++) {
		de = i;
		fail_each(trial, 1, little ? 6 : 1, little ? 0 : 5);
		if (!little || de)
			little_memory();
	}
	ok(simt_alive() == 0, "nothing is left: %ld", simt_alive());
	return done();
}
