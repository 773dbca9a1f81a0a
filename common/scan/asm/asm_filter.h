/* SPDX-License-Identifier: MIT */
/* asm_filter.h - records of FASTA and FASTQ with, or without, a match */
#ifndef SEQF_SCAN_ASM_ASM_FILTER_H
#define SEQF_SCAN_ASM_ASM_FILTER_H

#include "base/base.h"
#include "flow/flow.h"
#include "scan/asm/asm_scan.h"

struct asm_filter {
	/* What to do. */
	const struct asm_scan *scan;	/* ASM_ALL, ends only */
	bool invert;			/* those without a match */
	struct out *out;
	char **operand;			/* files; none: stdin */
	size_t n_operands;
	const char *circular;		/* of them (flow.h); or NULL */
	unsigned threads;
	void (*note)(const char *text);	/* what is odd */
	void (*progress)(struct feed_place at);	/* or NULL */
	/* What was done. */
	uint64_t n_letters;
	unsigned long long n_records, n_passed;
};

/*
 * Write the bytes of every record that is wanted, in order, as they are.
 * Errors of the feed (a record stream is ERR_FORMAT) and of the search.
 */
int asm_filter(struct asm_filter *f, struct err *e);

#endif
