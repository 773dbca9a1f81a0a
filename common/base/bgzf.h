/* SPDX-License-Identifier: MIT */
/*
 * bgzf.h - bytes as BGZF, the gzip of blocks that samtools and tabix read
 *
 * Source: the SAM specification, section 4.1.
 */
#ifndef SEQF_BASE_BGZF_H
#define SEQF_BASE_BGZF_H

#include "base/buf.h"
#include "base/err.h"

struct bgzf;
int bgzf_new(struct bgzf **z, struct err *e);
void bgzf_free(struct bgzf *z);
/* Appends n bytes to b as whole blocks; b.bad if there is no memory. */
void bgzf_put(struct bgzf *z, const void *p, size_t n, struct buf *b);
/* Appends the empty block that ends a file. */
void bgzf_end(struct buf *b);

#endif
