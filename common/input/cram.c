/* SPDX-License-Identifier: MIT */
/* cram.c - CRAM is recognised, and refused */

#include "base/base.h"
#include "input/source_in.h"

/* A major version follows; CRAM alone may be letters of a query. */
static int
cram_begins(const uint8_t *p, size_t n)
{
	int rc = magic_begins(p, n, "CRAM", 4);

	if (rc <= 0 || n < 5)
		return rc <= 0 ? rc : -1;
	return p[4] >= 1 && p[4] <= 8;
}

const struct codec cram_codec = {
	.kind = SOURCE_CRAM,
	.name = "CRAM",
	.begins = cram_begins,
	.refused = "CRAM, which is not read here",
	.unpack = "samtools fastq",
};
