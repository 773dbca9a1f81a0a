/* SPDX-License-Identifier: MIT */
/* bam_case.h - BAM made by hand, for tests */
#ifndef SEQF_BAM_CASE_H
#define SEQF_BAM_CASE_H

#include <string.h>

#include "base/base.h"

struct bam_case {
	const char *name;
	unsigned flag;
	const char *letters;	/* of "=ACMGRSVTWYHKDBN" */
	const char *qualities;	/* as in SAM; NULL: none */
	unsigned n_cigar;	/* operations, all 1M */
	size_t n_tags;		/* bytes behind it */
};

static inline void
bam_header(struct buf *b, const char *text, unsigned n_refs)
{
	buf_put(b, "BAM\1", 4);
	buf_u32(b, (uint32_t)strlen(text));
	buf_put(b, text, strlen(text));
	buf_u32(b, n_refs);
	for (unsigned i = 0; i < n_refs; i++) {
		buf_u32(b, 5);
		buf_put(b, "chrX", 5);
		buf_u32(b, 1000);
	}
}

static inline void
bam_record(struct buf *b, const struct bam_case *r)
{
	static const char code[] = "=ACMGRSVTWYHKDBN";
	size_t name = strlen(r->name) + 1, n = strlen(r->letters);

	buf_u32(b, (uint32_t)(32 + name + 4 * r->n_cigar + (n + 1) / 2 + n +
			      r->n_tags));
	buf_u32(b, 0);
	buf_u32(b, 7);
	buf_u32(b, (uint32_t)name | 60 << 8);
	buf_u32(b, r->n_cigar | r->flag << 16);
	buf_u32(b, (uint32_t)n);
	buf_u32(b, UINT32_MAX);
	buf_u32(b, UINT32_MAX);
	buf_u32(b, 0);
	buf_put(b, r->name, name);
	for (unsigned i = 0; i < r->n_cigar; i++)
		buf_u32(b, 1 << 4);
	for (size_t i = 0; i < n; i += 2) {
		long hi = strchr(code, r->letters[i]) - code;
		long lo = i + 1 < n ? strchr(code, r->letters[i + 1]) - code :
				      0;

		buf_u8(b, (uint8_t)(hi << 4 | lo));
	}
	for (size_t i = 0; i < n; i++)
		buf_u8(b, (uint8_t)(r->qualities ? r->qualities[i] - '!' :
						   0xff));
	for (size_t i = 0; i < r->n_tags; i++)
		buf_u8(b, (uint8_t)("XAi"[i % 3]));
}

#endif
