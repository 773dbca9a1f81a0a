/* SPDX-License-Identifier: MIT */
/* asm_run.h - approximate matching over all operands */
#ifndef SEQF_ASM_RUN_H
#define SEQF_ASM_RUN_H

#include "scan/asm.h"
#include "scan/scan_run.h"

/*
 * Search everything and finish the sink (scan_run.h); *n_letters: how many
 * letters were owned by what was searched.
 */
int asm_run(const struct scan_run *r, const struct asm_scan *scan,
	    uint64_t *n_letters, struct err *e);

#endif
