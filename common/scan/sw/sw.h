/* SPDX-License-Identifier: MIT */
/* sw.h - all that other folders may use of scan/sw/ */
#ifndef SEQF_SCAN_SW_ALL_H
#define SEQF_SCAN_SW_ALL_H

#include "scan/sw/sw_gpu.h"
#include "scan/sw/sw_scan.h"

#endif
