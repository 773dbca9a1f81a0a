/* SPDX-License-Identifier: MIT */
/* ebwt.h - all that other folders may use of scan/ebwt/ */
#ifndef SEQF_SCAN_EBWT_ALL_H
#define SEQF_SCAN_EBWT_ALL_H

#include "scan/ebwt/ebwt_scan.h"

#endif
