/* SPDX-License-Identifier: MIT */
/* pcr.h - all that other folders may use of scan/pcr/ */
#ifndef SEQF_SCAN_PCR_ALL_H
#define SEQF_SCAN_PCR_ALL_H

#include "scan/pcr/pcr_find.h"

#endif
