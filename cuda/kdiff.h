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

struct cuda_kdiff_params {
	struct cuda_choice choice;
	bool hamming;
	bool sets;		/* texts may have them (struct kdiff_text) */
	enum kdiff_dev_kernel kernel;
	/* By number; outlive the pool. */
	const struct kdiff_dev_pattern *pattern;
	size_t n;
	/* CUDA_AUTO: no device is woken up before so many letters x patterns
	 * came: what follows should be worth the time that it takes. */
	uint64_t wait;
	uint64_t rate;	/* CUDA_AUTO: of them the CPU's threads do a second; 0:
			   not known */
	/* Of a piece of text, and its hits; letters x patterns of a launch; 0:
	 * what is usual.  For tests. */
	uint32_t letters, hits;
	uint64_t launch;
};

/*
 * With CUDA_THESE the devices are opened now: ERR_DEVICE if one cannot be, or
 * has too little memory.  ERR_NOMEM.
 */
int cuda_kdiff_new(struct cuda_pool **g, const struct cuda_kdiff_params *p,
		   struct err *e);

/*
 * Append all ends with D <= k in all segments, reported or not, in the order
 * (end, pattern).  KDIFF_NOT_NOW, with nothing appended: the device is not open
 * (yet), has failed, or the ends are too many for it: search without.
 * ERR_NOMEM.  Any thread; one that finds all streams busy waits.
 *	alone: where there are too many, nothing is searched any more.
 * Otherwise the text is of many chunks, fewer of which may have few enough.
 */
int cuda_kdiff_find(struct cuda_pool *g, const struct kdiff_text *text,
		    bool alone, struct kdiff_hits *out, struct err *e);

/* One text by one stream; false in *all: too many hits.  ERR_DEVICE,
 * ERR_NOMEM (the host's). */
int cuda_kdiff_text(struct kdiff_dev_stream *s, const struct kdiff_text *t,
		    struct kdiff_hits *out, bool *all, struct err *e);

#endif
