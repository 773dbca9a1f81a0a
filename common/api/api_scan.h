/* SPDX-License-Identifier: MIT */
/* api_scan.h - a scanner of the library, for its two halves only */
#ifndef SEQF_API_SCAN_H
#define SEQF_API_SCAN_H

#include "api/api_in.h"
#include "stream/out.h"
#include "stream/result.h"

/* A hit of the open chunk; the rest of it stands in `heap`. */
struct kept {
	struct hit h;
	size_t cigar, letters;	/* where in heap */
};

struct seqf_scanner {
	struct api_in in;
	struct out *out;
	struct scan_key key;
	struct buf text, names;	/* of BEGIN; queries' names */
	struct query_ref *query;
	size_t n_queries;
	uint64_t context;
	uint64_t run;		/* begun, if begun */
	bool begun, open, over;
	struct chunk chunk;
	size_t next;		/* its next row */
	struct buf bytes;	/* the row's letters */
	struct kept *kept;
	size_t n_kept, cap;
	struct buf heap, frames;
	struct err e;		/* of what failed; code 0: nothing has */
};

/* Below 0: it is over, and the caller is told why; rc. */
int api_fail(struct seqf_scanner *s, int rc, struct seqf_error *e);
/* The open chunk's hits and its receipt, one frame or several. */
int api_close_chunk(struct seqf_scanner *s);

#endif
