/* SPDX-License-Identifier: MIT */
/* pcr.h - all that other folders may use of pcr/ */
#ifndef SEQF_PCR_ALL_H
#define SEQF_PCR_ALL_H

#include "pcr/join.h"
#include "pcr/pairs.h"

#endif
