/* SPDX-License-Identifier: MIT */
/* primer_scan_priv.h - shared by the files of primer_scan, private to them */
#ifndef SEQF_PRIMER_SCAN_PRIV_H
#define SEQF_PRIMER_SCAN_PRIV_H

#include <pthread.h>

#include "scan/primer_scan.h"
#include "scan/primer_self.h"
#include "scan/scan_chunk.h"
#include "stream/primers.h"

/*
 * Searches of one background: all targets, each on its strands (+ before -),
 * for k; and for the last letters of --three-prime, or NULL.
 */
enum { SEARCH_WHOLE, SEARCH_TAIL, SEARCHES };

/* A strand of a target. */
struct primer_side {
	uint32_t target;	/* ordinal */
	bool minus;
	uint8_t *letters;	/* as PRIMER frames have them */
	size_t n;
};

struct primer_scan {
	struct primer_options o;	/* nothing left to default */
	struct primer_rule rule;	/* the same, of the last stage */
	/* Of the source's algorithms, here and by a GPU. */
	unsigned optimisations, gpu_optimisations;
	const struct queries *q;
	struct primer_self *self;	/* o.self, or NULL */
	struct window_hide hide;	/* N, and self's places */
	struct primer_side *side;
	size_t n_sides;
	struct primer *empty[SEARCHES];	/* nothing was searched */
	const struct primer_finder *finder;	/* or NULL */
	const struct primer_paper_helper *helper;	/* or NULL */
	uint64_t context, starts;
	struct scan_key key;
	struct buf text, options;	/* of BEGIN, and of PRIMER frames */
};

/* Fill in defaults; ERR_USAGE for what does not go together. */
int primer_settle(struct primer_options *o, struct primer_rule *r,
		  struct err *e);

/* The same, of the source's algorithms: optimisations of the CPU, a GPU. */
int primer_settle_paper(const struct primer_options *o, unsigned *cpu,
			unsigned *gpu, struct err *e);

/* Searches with all targets; the same places in each. */
int primer_searches_new(const struct primer_scan *s, struct primer **search,
			struct err *e);
void primer_searches_free(struct primer **search);

/*
 * Symbols of a chunk, in texts apart: letters that the chunk owns and those
 * before it, on the strands that are searched.
 */
struct primer_text {	/* zero it first */
	struct buf symbols;
	size_t *end;	/* of each text; the first one begins at 0 */
	size_t n, cap;
};
void primer_text_free(struct primer_text *t);
/* ERR_FORMAT for a letter that is no DNA; ERR_NOMEM. */
int primer_text_of(struct primer_text *t, const struct primer_scan *s,
		   const struct window *w, struct err *e);

/* How the source's algorithms share so many threads. */
struct primer_paper primer_scan_share(const struct primer_scan *s,
				      unsigned threads);
/* All of a text by the source's algorithms.  PRIMER_NOT_NOW: that is not how it
 * is to be searched. */
int primer_scan_paper(const struct primer_scan *s, const struct primer_text *x,
		      struct primer *const *search,
		      const struct primer_paper *how,
		      struct primer_paper_stats *did, struct err *e);

/* Letters of a chunk that is cut here. */
uint64_t primer_scan_own(const struct primer_scan *s);

/* PRIMER frames of a run: all sides, each in its stretches. */
int primer_scan_frames(const struct primer_scan *s, const struct whole_run *u,
		       struct primer *const *search, whole_put_fn *put,
		       void *ctx, struct err *e);

#endif
