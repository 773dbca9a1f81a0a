/* SPDX-License-Identifier: MIT */
/* asm_team.h - the threads of a scan, and the chunks that they share */
#ifndef SEQF_SCAN_ASM_ASM_TEAM_H
#define SEQF_SCAN_ASM_ASM_TEAM_H

#include "flow/flow.h"
#include "scan/asm/asm_scan.h"

struct asm_team;
/*
 * Threads of a team for so many of -t's: one more where a GPU is to
 * search, as a thread waits for it, or for what is read.
 */
unsigned asm_team_threads(const struct asm_scan *a, unsigned threads);
/* best: of a scan with --report=best, else NULL. */
int asm_team_new(struct asm_team **m, const struct asm_scan *a,
		 struct asm_best *best, unsigned threads, struct err *e);
void asm_team_free(struct asm_team *m);
uint64_t asm_team_letters(const struct asm_team *m);	/* searched by all */

/* What the pump's ctx points to, or begins with. */
struct asm_runner {
	struct asm_team *team;
	bool matched;	/* job->out gets the bytes of asm_chunk_matched(), not
			   of asm_chunk() */
};
/* What the pump asks for (pump.h); of items beside chunks nothing is made. */
int asm_team_work(void *ctx, unsigned thread, struct pump_job *job,
		  struct err *e);
int asm_team_part(void *ctx, unsigned thread, struct pump_job *job,
		  unsigned part, bool next, struct err *e);
int asm_team_join(void *ctx, struct pump_job *job, unsigned part,
		  struct err *e);
/* Of chunks that asm_team_work() puts off for a GPU; all 0 without one, or
 * where m is NULL. */
struct pump_gather asm_team_gathers(const struct asm_team *m);

#endif
