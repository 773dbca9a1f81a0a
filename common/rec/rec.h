/* SPDX-License-Identifier: MIT */
/* rec.h - all that other folders may use of rec/ */
#ifndef SEQF_REC_ALL_H
#define SEQF_REC_ALL_H

#include "rec/chunk.h"
#include "rec/frame.h"
#include "rec/result.h"

#endif
