/* SPDX-License-Identifier: MIT */
/* asm_run.h - a scan over all operands, from the feed to the sink */
#ifndef SEQF_ASM_RUN_H
#define SEQF_ASM_RUN_H

#include "scan/asm.h"
#include "scan/sink.h"

struct asm_run {
	/* What to do. */
	const struct asm_scan *scan;
	struct sink *sink;
	char **operand;			/* files; none: stdin */
	size_t n_operands;
	const char *region;		/* of FASTA operands; or NULL */
	unsigned threads;
	/* What was damaged, and how far it is; told by one thread. */
	void (*damage)(const char *text);
	void (*progress)(uint64_t n_bytes);	/* or NULL */
	/* What was done. */
	uint64_t n_letters;
};

/*
 * Search everything and finish the sink; the verdict is the caller's to ask
 * for.  Errors of the feed, of asm_chunk() and of the sink.
 */
int asm_run(struct asm_run *r, struct err *e);

#endif
