/* SPDX-License-Identifier: MIT */
/* asm_search.h - chunks to hits, by the threads of a scan */
#ifndef SEQF_SCAN_ASM_ASM_SEARCH_H
#define SEQF_SCAN_ASM_ASM_SEARCH_H

#include "scan/asm/asm_scan.h"
#include "scan/scan.h"

/* For whom: it must outlive the workers. */
struct asm_search {
	const struct asm_scan *a;
	struct scan_best *best;	/* of ASM_BEST: the rows are for
				   scan_best_add(); else NULL */
	/* Instead of frames a byte for each of a chunk's rows: 1 if an end
	 * that it owns is reported. */
	bool matched;
	/* Rows of chunks that were cut here are text, before the frames, then
	 * how many bytes they are: for sink_rows(). */
	bool prints;
	struct rows_print how;
};

/* For ASM_BEST: the rows with the least edits of each query. */
int asm_best_new(struct scan_best **b, const struct asm_scan *a,
		 struct err *e);

/* Threads as scan_workers_new() says. */
int asm_workers_new(struct scan_workers **m, struct asm_search *s,
		    unsigned threads, struct err *e);
extern const struct scan_search asm_search;

#endif
