/* SPDX-License-Identifier: MIT */
/* sw_scan_priv.h - shared by the files of sw_scan, private to them */
#ifndef SEQF_SCAN_SW_SW_SCAN_PRIV_H
#define SEQF_SCAN_SW_SW_SCAN_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan/scan.h"
#include "scan/sw/sw.h"
#include "sw/sw.h"

/*
 * Letters of a text to codes of a scoring (sw_codes_kern.c)
 *
 * Both write whole vectors: up to 63 bytes behind d's n codes are spoilt.
 */

enum { SW_CODE_OTHER = 4 };	/* DNA: no letter of A C G T, which are 0-3 */

struct sw_codes_ops {
	/* DNA: n letters from place beg of bit planes (letters.h); exc: a bit
	 * for each that is no A C G T, or NULL. */
	void (*planes)(uint8_t *d, const uint64_t *planes, const uint64_t *exc,
		       size_t beg, size_t n);
	/*
	 * code[] of n letters; it is below 64, or 255 for what is no letter.
	 * Returns whether there was such a one; bytes from 128 on are.
	 */
	bool (*bytes)(uint8_t *d, const uint8_t *s, size_t n,
		      const uint8_t code[256]);
};

KERN_DECLARE(const struct sw_codes_ops, sw_codes_ops);

/* Shared by the files of sw_scan, private to them. */

struct sw_pattern {
	uint32_t query;		/* ordinal */
	bool minus;
	struct sw_query *q;
};

struct sw_scan {
	struct sw_options o;	/* nothing left to default */
	const struct queries *q;
	struct sw_letters by;	/* scores, and letters to codes */
	/* What is aligned by: scores are those of `by` divided by unit. */
	struct sw_scoring scoring;
	int64_t unit;
	struct sw_scheme *scheme;
	struct sw_pattern *pattern;	/* by query, then + before - */
	size_t n_patterns;
	uint64_t context;	/* the largest of all */
	struct scan_key key;
	struct buf text;
	const struct sw_codes_ops *codes;
	struct cuda_pool *gpu;	/* sw.h; or NULL */
	struct sw_backend backend;	/* the same for threads */
	uint64_t part;		/* columns of each, where not 0: for tests */
};

/* A segment of the text, and where its letters come from. */
struct sw_place {
	const struct window_seg *from;
	uint64_t origin;	/* position in the sequence of column beg,
				   modulo 2^64: padding may come first */
};

/* The letters of a window as the algorithm takes them; reused. */
struct sw_columns {
	struct buf codes;
	struct sw_seg *seg;
	struct sw_place *place;
	size_t n_seg, cap;
	uint64_t n;
};
/* ERR_FORMAT for a letter that the scoring does not know. */
int sw_columns_of(struct sw_columns *l, const struct sw_scan *s,
		  const struct window *w, struct err *e);
void sw_columns_free(struct sw_columns *l);

/* How far a scan is; of: cells of chunks that were begun, if it is watched. */
struct sw_progress {
	struct sw_meter meter;
	uint64_t of;
};

/* A search by several threads; it must outlive them. */
struct sw_search {
	const struct sw_scan *s;
	struct scan_best *best;		/* the rows are for it */
	struct sw_progress *progress;
	unsigned threads;		/* set by sw_workers_new() */
};
int sw_best_new(struct scan_best **b, const struct sw_scan *s, struct err *e);
/* Threads as scan_workers_new() says. */
int sw_workers_new(struct scan_workers **m, struct sw_search *s,
		   unsigned threads, struct err *e);
extern const struct scan_search sw_search;

/* Patterns [from, to), cells of columns [beg, end). */
struct sw_part {
	size_t from, to;
	uint64_t beg, end;
};

/* A chunk, whole or in parts; its ctx is a struct sw_search. */
struct sw_job {
	struct scan_job j;
	const struct sw_scan *s;
	struct sw_columns l;
	/*
	 * Not 0: so many parts lead, and share the rows of their patterns with
	 * the others, which have none.
	 */
	unsigned leaders;
	struct crew *crew;	/* made when it is first needed */
	struct sw_part part[PUMP_MAX_PARTS];
	/*
	 * In a batch for a GPU, else NULL; then it is not cut into stretches
	 * of columns: of each pattern what was computed of all of them.
	 */
	struct sw_known *known;
	struct sw_seg *seg;	/* of a text */
	size_t seg_cap;
};

static inline struct sw_job *
sw_job_of(struct scan_job *j)
{
	return (struct sw_job *)(void *)j;
}

/* For scan.h. */
int sw_job_open(struct scan_job *j, struct err *e);
int sw_job_plan(struct scan_job *j, const struct pump_job *pump,
		struct err *e);
void sw_job_close(struct scan_job *j);
void sw_job_free(struct scan_job *j);
int sw_job_postpone(struct scan_job *j, struct err *e);
void sw_batch(struct scan_job **j, unsigned n);

/*
 * Parts for so many threads.  few: there may be nothing else for some of them,
 * so a part may cost more than it should; plenty: there is, for all.
 */
void sw_plan(struct sw_job *c, unsigned threads, bool few, bool plenty);
/* Of all columns and patterns. */
struct sw_part sw_plan_whole(const struct sw_job *c);
/*
 * The part's columns with `context` before them, as a text that begins at
 * column *base; without segments if it owns none.  Its segments are *seg.
 */
int sw_job_text(const struct sw_job *c, const struct sw_part *p,
		uint64_t context, struct sw_seg **seg, size_t *cap,
		struct sw_text *x, uint64_t *base, struct err *e);

#endif
