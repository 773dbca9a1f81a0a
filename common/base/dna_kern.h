/* SPDX-License-Identifier: MIT */
/* dna_kern.h - the variants of the kernels of dna.h; for dna.c only */
#ifndef SEQF_DNA_KERN_H
#define SEQF_DNA_KERN_H

#include "base/dna.h"

extern const struct dna_ops dna_ops_scalar, dna_ops_avx2, dna_ops_avx512;

#endif
