/* SPDX-License-Identifier: MIT */
/*
 * kdiff.h - a backend of kdiff by GPUs: ends with at most k differences
 *
 * The plain part of what kdiff/kdiff.h defines, for DNA and short patterns:
 * every end with D <= k, by edit or Hamming distance.  The CPU derives
 * minima, starts and CIGARs from them.  Plain C, no CUDA type.
 */
#ifndef SEQF_CUDA_KDIFF_H
#define SEQF_CUDA_KDIFF_H

#include "kdiff/kdiff.h"
#include "cuda/kdiff_dev.h"
#include "cuda/pool.h"

struct cuda_ends;

struct cuda_ends_params {
	struct cuda_choice choice;
	bool hamming;
	bool sets;		/* texts may have them (struct kdiff_text) */
	enum ends_kernel kernel;
	const struct ends_pattern *pattern;	/* copied; in order of number */
	size_t n;
	/* CUDA_AUTO: no device is woken up before so many letters x patterns
	 * came: what follows should be worth the time that it takes. */
	uint64_t wait;
	/* Of a piece of text, and its hits; 0: what is usual.  For tests. */
	uint32_t letters, hits;
};

/*
 * With CUDA_THESE the devices are opened now: ERR_DEVICE if one cannot be, or
 * has too little memory.  ERR_NOMEM.
 */
int cuda_ends_new(struct cuda_ends **g, const struct cuda_ends_params *p,
		  struct err *e);
void cuda_ends_free(struct cuda_ends *g);

/*
 * Append all ends with D <= k in all segments, reported or not, in the order
 * (end, pattern).  KDIFF_NOT_NOW, with nothing appended: the device is not open
 * (yet), has failed, or the ends are too many for it: search without.
 * ERR_NOMEM.  Any thread; one that finds all streams busy waits.
 *	alone: where there are too many, nothing is searched any more.
 * Otherwise the text is of many chunks, fewer of which may have few enough.
 */
int cuda_ends_find(struct cuda_ends *g, const struct kdiff_text *text,
		   bool alone, struct kdiff_hits *out, struct err *e);
/* Is a device open?  Any thread. */
bool cuda_ends_is_open(const struct cuda_ends *g);
/* Letters that fill each of the streams, and how many there are. */
uint64_t cuda_ends_letters(const struct cuda_ends *g);
unsigned cuda_ends_streams(const struct cuda_ends *g);

/* When no thread is at work. */
void cuda_ends_report(const struct cuda_ends *g, struct cuda_report *r);

/* One text by one stream; false in *all: too many hits.  ERR_DEVICE,
 * ERR_NOMEM (the host's). */
int ends_text(struct ends_stream *s, const struct kdiff_text *t,
	      struct kdiff_hits *out, bool *all, struct err *e);

#endif
