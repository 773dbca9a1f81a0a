/* SPDX-License-Identifier: MIT */
/* codec.h - what the codecs of result frames share; not for programs */
#ifndef SEQF_REC_CODEC_H
#define SEQF_REC_CODEC_H

#include "rec/result.h"

/* ERR_FORMAT naming the frame and what is wrong with it. */
int codec_bad(const struct rec_frame *f, const char *what, struct err *e);

/* Run key and receipt; where get fails, r->range is NULL. */
int codec_head_put(struct buf *b, unsigned type, const struct run_key *run,
		   const struct receipt *r, struct err *e);
int codec_head_get(struct cur *c, const struct rec_frame *f,
		   struct run_key *run, struct receipt *r, struct err *e);
/* The header's serial: the first one of the receipt, or 0. */
uint64_t codec_serial(const struct receipt *r);

void query_put(struct buf *b, const struct query_ref *q);
void query_get(struct cur *c, struct query_ref *q);
void subject_put(struct buf *b, const struct subject_ref *s);
void subject_get(struct cur *c, struct subject_ref *s);
/* Tables: a count, then entries.  *n = 0 and NULL if there is none. */
int queries_get(struct cur *c, struct query_ref **q, size_t *n, struct err *e);
int subjects_get(struct cur *c, struct subject_ref **s, size_t *n,
		 struct err *e);
/*
 * A count of things of at least min_bytes each, of which there cannot be more
 * than the bytes left hold: so no claimed count makes us allocate more than
 * a small multiple of what was read.  Else c->bad, and 0.
 */
size_t codec_count(struct cur *c, size_t min_bytes);
/* The same for a count given by the header. */
bool codec_fits(struct cur *c, uint64_t n, size_t min_bytes);

static inline uint64_t
zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

static inline int64_t
get_zigzag(struct cur *c)
{
	uint64_t v = cur_var(c);

	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

#endif
