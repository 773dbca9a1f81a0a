/* SPDX-License-Identifier: MIT */
/*
 * records.h - the bytes of whole records, kept until it is known which of them
 * are wanted
 *
 * A record reaches from its > or @ to the next one, or to the end of its file:
 * blank lines behind it belong to it, what stands before the first one to
 * none.  One thread reports what is read, another takes records in order.
 * The bytes that wait are bounded in memory; the rest lies in $TMPDIR.
 */
#ifndef SEQF_FLOW_RECORDS_H
#define SEQF_FLOW_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

struct records;
/* memory: bytes that wait there, about. */
int records_new(struct records **r, size_t memory, struct err *e);
void records_free(struct records *r);

/*
 * The reader's side.  Bytes of a file in order (a tap of source.h), where in
 * the file a record begins, once the byte there was passed on, and the file's
 * end.  Failures are reported by records_next().
 */
void records_bytes(void *records, const uint8_t *p, size_t n);
void records_begin(struct records *r, uint64_t at);
void records_end_file(struct records *r);

/*
 * The next record, which is whole, is written or left out.  Where a file ends
 * without a newline, and another record follows, one is added.
 */
int records_next(struct records *r, bool wanted, struct out *o,
		 struct err *e);

#endif
