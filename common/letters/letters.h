/* SPDX-License-Identifier: MIT */
/* letters.h - all that other folders may use of letters/ */
#ifndef SEQF_LETTERS_ALL_H
#define SEQF_LETTERS_ALL_H

#include "letters/cigar.h"
#include "letters/dna.h"
#include "letters/melting.h"

#endif
