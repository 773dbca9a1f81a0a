/* SPDX-License-Identifier: MIT */
/* asm.h - all that other folders may use of scan/asm/ */
#ifndef SEQF_SCAN_ASM_ALL_H
#define SEQF_SCAN_ASM_ALL_H

#include "scan/asm/asm_filter.h"
#include "scan/asm/asm_gpu.h"
#include "scan/asm/asm_scan.h"
#include "scan/asm/asm_score.h"
#include "scan/asm/asm_search.h"

#endif
