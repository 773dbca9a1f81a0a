/* SPDX-License-Identifier: MIT */
/* output.h - all that other folders may use of output/ */
#ifndef SEQF_OUTPUT_ALL_H
#define SEQF_OUTPUT_ALL_H

#include "output/merge.h"
#include "output/print.h"
#include "output/printer.h"
#include "output/rows.h"
#include "output/view.h"

#endif
