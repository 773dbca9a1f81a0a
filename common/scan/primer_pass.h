/* SPDX-License-Identifier: MIT */
/* primer_pass.h - one more pass over the operands of a scan, for best hits */
#ifndef SEQF_PRIMER_PASS_H
#define SEQF_PRIMER_PASS_H

#include "scan/asm.h"
#include "scan/scan_run.h"

struct primer_pass {
	const struct scan_run *r;	/* its sink is not used */
	uint64_t own;			/* as in struct scan_ops */
	/* Each hit, in the order of asm_best_finish(). */
	int (*hit)(void *ctx, const struct hit *h, struct err *e);
	void *ctx;
	uint64_t ends;			/* becomes primer_pass_ends() of all */
};
/* a reports ASM_BEST.  Damage is ERR_FORMAT. */
int primer_pass_run(struct primer_pass *p, const struct asm_scan *a,
		    struct err *e);
/* A hash of all ENDs in order, after one more frame, if it is an END: two
 * passes with the same have seen the same letters. */
uint64_t primer_pass_ends(uint64_t hash, const struct rec_frame *f);

#endif
