/* SPDX-License-Identifier: MIT */
/*
 * cigar.h - operations of an alignment, along the forward subject
 *
 * One uint32_t an operation: length << 4 | code, as in BAM (SAM specification
 * 4.2).  D consumes a subject (text) letter, I a query (pattern) letter.
 */
#ifndef SEQF_LETTERS_CIGAR_H
#define SEQF_LETTERS_CIGAR_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

enum cigar_op {
	CIGAR_M = 0, CIGAR_I = 1, CIGAR_D = 2, CIGAR_N = 3, CIGAR_S = 4,
	CIGAR_H = 5, CIGAR_P = 6, CIGAR_EQ = 7, CIGAR_X = 8,
};
enum { CIGAR_MAX_LEN = (1u << 28) - 1 };

struct cigar_sum {
	uint64_t query, subject;	/* letters consumed */
	uint64_t eq, x, ins, del, clip;	/* letters by operation */
	uint64_t gaps;			/* runs of I, and runs of D */
};

/*
 * What ops[0..n) add up to; CIGAR_M counts in query and subject only, clip
 * is S and H (of which only S is a letter of the query).
 */
struct cigar_sum cigar_sum(const uint32_t *ops, size_t n);

struct cigar_span {
	uint64_t query, subject, clip;	/* as in cigar_sum */
	/*
	 * At least one operation; all are M I D S = X, of length > 0, and S at
	 * the ends only.
	 */
	bool good;
};

/* What a row of hits has to be checked for, in little time. */
struct cigar_span cigar_span(const uint32_t *ops, size_t n);

/* "12=1X3=", or "*" for none, appended. */
void cigar_text(struct buf *b, const uint32_t *ops, size_t n);

/*
 * The inverse; at most max operations.  Returns their number, or -1 if s is
 * no CIGAR (unknown letter, length 0 or above CIGAR_MAX_LEN, too many).
 * "*" gives 0.
 */
long cigar_parse(const char *s, size_t len, uint32_t *ops, size_t max);

#endif
