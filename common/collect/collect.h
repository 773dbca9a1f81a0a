/* SPDX-License-Identifier: MIT */
/* collect.h - all that other folders may use of collect/ */
#ifndef SEQF_COLLECT_ALL_H
#define SEQF_COLLECT_ALL_H

#include "collect/counts.h"
#include "collect/dists.h"
#include "collect/ledger.h"
#include "collect/lengths.h"
#include "collect/overlap.h"
#include "collect/primers.h"
#include "collect/reorder.h"
#include "collect/topk.h"

#endif
