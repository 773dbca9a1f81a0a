/* SPDX-License-Identifier: MIT */
/* primer.h - all that other folders may use of scan/primer/ */
#ifndef SEQF_SCAN_PRIMER_ALL_H
#define SEQF_SCAN_PRIMER_ALL_H

#include "scan/primer/primer_gpu.h"
#include "scan/primer/primer_scan.h"
#include "scan/primer/primer_scan_run.h"

#endif
