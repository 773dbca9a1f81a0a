/* SPDX-License-Identifier: MIT */
/* fail_case.h - trials in which one call of CUDA's after the other fails */
#ifndef SEQF_FAIL_CASE_H
#define SEQF_FAIL_CASE_H

#include "cuda/pool.h"
#include "tests/lib/tap.h"
#include "tests/simt/control.h"

/* 0; 1: declined; below 0: it could not begin.  Then, too, it says if all is
 * right that came of it, and what the pool reports. */
typedef int fail_trial_fn(bool *right, struct cuda_report *r);

/*
 * Without a failure; then with each step-th call failing, from the first on.
 * More than `least` of them do on the way, and say so, as all do that decline.
 */
static inline void
fail_each(fail_trial_fn *trial, long first, long step, unsigned least)
{
	unsigned begun = 0, reported = 0, silent = 0, rest = 0;
	struct cuda_report r;
	bool right;
	int rc;
	long calls;

	simt_fail_at(0);
	rc = trial(&right, &r);
	calls = simt_calls();
	right = ok(!rc && right && r.letters && !*r.failed, "%ld calls", calls);
	for (long i = first; i <= calls && right; i += step) {
		simt_fail_at(i);
		rc = trial(&right, &r);
		if (rc < 0)
			continue;
		begun++;
		reported += *r.failed != '\0';
		silent += rc && !*r.failed;
		rest += *r.failed && r.letters;
	}
	simt_fail_at(0);
	ok(right && reported > least && !silent, "%u begin, %u fail on the "
	   "way and say so, %u of them after a text or more", begun, reported,
	   rest);
}

/* Of a pool that is made with -g auto: is its device taken, or left alone as
 * the CPU is faster? */
static inline void
fail_auto(int rc, struct cuda_pool *p, bool taken, const char *what)
{
	struct cuda_report r = { .why_not = "not made" };
	struct cuda_lent l;
	struct err e;
	bool there = !rc && cuda_pool_borrow(p, 1, &l);

	if (there)
		cuda_pool_return(p, &l, 0, 0, &e);
	if (!rc) {
		cuda_pool_report(p, &r);
		cuda_pool_free(p);
	}
	ok(there == taken && (taken ? !*r.why_not :
			      strstr(r.why_not, "faster") != NULL),
	   "auto, %s: %s", what, r.why_not);
}

#endif
