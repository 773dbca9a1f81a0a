/* SPDX-License-Identifier: MIT */
/* scan.h - all that other folders may use of scan/ */
#ifndef SEQF_SCAN_ALL_H
#define SEQF_SCAN_ALL_H

#include "scan/scan_run.h"
#include "scan/sink.h"
#include "scan/whole.h"

#endif
