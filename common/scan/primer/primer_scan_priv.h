/* SPDX-License-Identifier: MIT */
/* primer_scan_priv.h - shared by the files of primer_scan, private to them */
#ifndef SEQF_SCAN_PRIMER_PRIMER_SCAN_PRIV_H
#define SEQF_SCAN_PRIMER_PRIMER_SCAN_PRIV_H

#include <pthread.h>

#include "collect/collect.h"
#include "flow/flow.h"
#include "scan/primer/primer.h"
#include "scan/scan.h"

/*
 * The target's own places in the background (--self), which
 * match nothing.
 */

struct primer_self;
/*
 * A file that exists: BED, whose first three columns count (0-based, end not
 * included), no line or many; any other text: all of the sequences of that
 * name.  ERR_IO; ERR_FORMAT naming the line; ERR_NOMEM.
 */
int primer_self_new(struct primer_self **s, const char *text, struct err *e);
void primer_self_free(struct primer_self *s);
/* Of the letters that it hides: names and places. */
uint64_t primer_self_hash(const struct primer_self *s);
/* Refers to s; any thread. */
struct window_hide primer_self_hide(const struct primer_self *s);
/* A CHUNK frame of the background; one thread. */
int primer_self_see(struct primer_self *s, const struct rec_frame *f,
		    struct err *e);
/* Are there places that no sequence had, up to now?  The reason names one. */
bool primer_self_missing(const struct primer_self *s, struct err *why);

/* Shared by the files of primer_scan, private to them. */

/* What options say, or primer3's defaults.  ERR_USAGE. */
int primer_salts(const struct primer_options *o, struct melting_salts *t,
		 struct err *e);

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
	struct cuda_pool *gpu;		/* or NULL */
	struct primer_backend backend;	/* its; or without find() */
	struct primer_paper_backend paper_backend;	/* the same: run() */
	uint64_t context, starts;
	struct scan_key key;
	struct buf text, options;	/* of BEGIN, and of PRIMER frames */
};

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

#endif
