/* SPDX-License-Identifier: MIT */
/* base.h - all that other folders may use of base/ */
#ifndef SEQF_BASE_ALL_H
#define SEQF_BASE_ALL_H

#include "base/array.h"
#include "base/buf.h"
#include "base/cpu.h"
#include "base/err.h"
#include "base/hash.h"
#ifndef __cplusplus	/* of CUDA, which has no _Atomic */
#include "base/out.h"
#endif
#include "base/port.h"
#include "base/program.h"
#include "base/sorter.h"
#include "base/threads.h"

#endif
