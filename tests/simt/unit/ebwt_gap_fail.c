/* SPDX-License-Identifier: MIT */
/*
 * ebwt_gap_fail.c - a device that fails at any call of words in gaps or of
 * rotations, or has little memory: jobs are halved, or declined, and nothing
 * leaks
 */
#include "tests/simt/control.h"
#include "tests/lib/gap_case.h"
#include "cuda/ebwt.h"

static uint64_t seed = 5;

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
trial(bool de, bool *right, struct cuda_report *r)
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

/* Every call, or one of `step`. */
static void
each_call(bool de, long step)
{
	struct cuda_report r;
	unsigned refused = 0, reported = 0, done = 0;
	bool right, whole;
	long calls;
	int rc;

	simt_fail_at(0);
	whole = !trial(de, &right, &r) && right && r.letters;
	calls = simt_calls();
	ok(whole && calls > 10 && job_calls[JOBS - 1] == job_calls[0] - 1,
	   "%ld calls, %ld of the last job", calls, job_calls[JOBS - 1]);
	for (long i = 1; i <= calls && right; i += step) {
		simt_fail_at(i);
		rc = trial(de, &right, &r);
		done += rc == 0;
		if (rc != EBWT_NOT_NOW)
			continue;
		refused++;
		reported += *r.failed != '\0';
	}
	simt_fail_at(0);
	ok(right && refused > 5 / step && reported == refused,
	   "%u fail on the way, %u "
	   "say so, %u do it all the same",
	   refused, reported, done);
}

/* With less and less memory it is done in more and more parts, until not. */
static void
little_memory(bool de)
{
	struct cuda_report r;
	unsigned halved = 0;
	bool right = true;
	long calls, more;
	size_t bytes;
	int rc = 0;

	simt_fail_at(0);
	rc = trial(de, &right, &r);
	calls = simt_calls();
	for (bytes = 16 << 10; !rc && right && bytes > 256;
	     bytes -= bytes / 12) {
		simt_memory(bytes);
		simt_fail_at(0);
		rc = trial(de, &right, &r);
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
static uint64_t
sorted(const struct ebwt_backend *h)
{
	enum { N = 3, LEN = 90 };
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

/* The same; or why it could not begin. */
static int
sort_trial(uint64_t want, bool *right, struct cuda_report *r)
{
	struct cuda_ebwt_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 },
		.how.letters = 2,
	};
	struct ebwt_backend h;
	struct cuda_pool *g;
	struct err e;
	int rc = cuda_ebwt_new(&g, &p, &e);

	if (rc)
		return rc;
	h = cuda_ebwt_backend(g);
	*right = sorted(&h) == want;
	cuda_pool_report(g, r);
	cuda_pool_free(g);
	return 0;
}

/* The same of sorts. */
static void
each_call_of_sorts(long step)
{
	uint64_t want = sorted(NULL);
	struct cuda_report r;
	unsigned reported = 0, begun = 0;
	bool right = true, whole;
	long calls;

	simt_fail_at(0);
	whole = !sort_trial(want, &right, &r) && r.letters && !*r.failed;
	calls = simt_calls();
	for (long i = 1; i <= calls && right; i += step) {
		simt_fail_at(i);
		if (sort_trial(want, &right, &r))
			continue;
		begun++;
		reported += *r.failed != '\0';
	}
	simt_fail_at(0);
	ok(whole && right && reported > 40 / step, "sorts: %ld calls, %u "
	   "begin, %u fail on the way and say so", calls, begun, reported);
}

int
main(void)
{
	bool little = getenv("SEQF_SIMT_LITTLE") != NULL;

	each_call_of_sorts(little ? 40 : 1);
	for (int de = 0; de < 2; de++) {
		each_call(de, little ? 6 : 1);
		if (!little || de)
			little_memory(de);
	}
	ok(simt_alive() == 0, "nothing is left: %ld", simt_alive());
	return done();
}
