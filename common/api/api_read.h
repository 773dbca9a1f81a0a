/* SPDX-License-Identifier: MIT */
/* api_read.h - frames of operands for the library's reader and scanner */
#ifndef SEQF_API_API_READ_H
#define SEQF_API_API_READ_H

#include "api/seqfilters.h"
#include "flow/flow.h"

struct api_in {
	struct feed *feed;
	struct feed_item it;
	bool shown;		/* it is to be dropped */
};

/*
 * results: as feed.h has it.  context: letters before what a chunk owns, where
 * FASTA is cut.
 */
int api_in_open(struct api_in *in, const char *const *paths, size_t n,
		bool results, uint64_t context, struct err *e);
/* 1: in->it is a frame, or damage; 0: the end; or an error. */
int api_in_next(struct api_in *in, struct err *e);
void api_in_close(struct api_in *in);

/* The error in the caller's words; its code. */
int api_report(struct seqf_error *to, const struct err *e);

/*
 * Row i of a chunk as the caller sees it; b, which is empty, takes the
 * letters.
 */
int api_piece(struct seqf_piece *p, const struct chunk *c, size_t i,
	      struct buf *b, struct err *e);

static inline struct seqf_text
api_text(struct str s)
{
	return (struct seqf_text){ s.p, s.n };
}

#endif
