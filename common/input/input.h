/* SPDX-License-Identifier: MIT */
/* input.h - all that other folders may use of input/ */
#ifndef SEQF_INPUT_ALL_H
#define SEQF_INPUT_ALL_H

#include "input/fai.h"
#include "input/fasta.h"
#include "input/hint.h"
#include "input/matrix.h"
#include "input/query.h"
#include "input/sfi.h"
#include "input/source.h"

#endif
