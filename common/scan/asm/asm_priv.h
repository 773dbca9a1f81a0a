/* SPDX-License-Identifier: MIT */
/* asm_priv.h - shared by the files of asm, private to them */
#ifndef SEQF_SCAN_ASM_ASM_PRIV_H
#define SEQF_SCAN_ASM_ASM_PRIV_H

#include <pthread.h>

#include "flow/flow.h"
#include "scan/asm/asm_gpu.h"
#include "scan/scan.h"

struct asm_pattern {
	uint32_t query;		/* ordinal */
	bool minus;
	uint64_t k;
	size_t count;	/* its numbers, of 0 to k, among the counts */
};

struct asm_scan {
	struct asm_options o;	/* nothing left to default */
	const struct queries *q;
	struct kdiff_set *set;
	struct asm_pattern *pattern;	/* by query, then + before - */
	size_t n_patterns;
	size_t n_counts;
	struct asm_k k;
	struct decimal over;	/* o.overhang */
	struct scan_key key;
	struct buf text;
	enum window_kind kind;
	uint64_t part;		/* letters of each, where not 0: for tests */
	struct asm_gpu *gpu;	/* asm_gpu.h; or NULL */
};

/* Chooses the best o.max_hits of each query; zero it first. */
struct asm_top {
	const struct asm_scan *a;
	uint64_t *counts;	/* n_counts; see asm_pattern */
	struct asm_top_query *query;
};

/* A part's text; its letter 0 is at `base` of the window. */
struct asm_part {
	struct kdiff_text x;
	uint64_t base;
	const struct window_seg *seg;	/* its first one */
};

/* A chunk to be searched, whole or by several threads in parts. */
struct asm_cut {
	const struct asm_scan *a;
	bool matched;		/* as asm_chunk_matched() */
	struct scan_chunk v;
	struct window w;	/* kept for the next chunk */
	struct range range;
	struct receipt receipt;
	unsigned n_parts;
	uint64_t step;		/* places of the window in each part */
	/*
	 * What becomes the result, and what later parts have found meanwhile:
	 * rows of HITS, or (best) rows that asm_best_add() takes, or what
	 * asm_top_join() chooses from.
	 */
	struct hits_writer *rows, *later[PUMP_MAX_PARTS];
	struct buf best[PUMP_MAX_PARTS];
	struct asm_top top;
	struct buf ops;		/* of a row of best */
	pthread_mutex_t lock;	/* of counts, beside other parts */
	uint64_t *counts;	/* n_counts; see asm_pattern */
	/* All of it, for a GPU: off, until it is closed; from its letter
	 * off_base on. */
	bool off;
	uint64_t off_base;
	struct asm_gpu_text text;
	struct kdiff_seg *seg;
	size_t seg_cap;
};

/* Hits traced at once: bounds the memory of paths and CIGARs. */
enum { ASM_TRACE = 4096 };

struct asm_thread {
	const struct asm_scan *a;
	struct asm_best *best;
	struct kdiff_work *work;
	struct buf hits;	/* struct kdiff_hit, that may be the best */
	struct kdiff_path *paths;
	struct kdiff_seg *seg;
	size_t seg_cap;
	struct asm_cut own;	/* asm_chunk()'s */
	struct buf ops, letters, row;
	uint64_t n_letters;	/* owned by all chunks so far */
	uint64_t *counts;	/* of one part: n_counts, or NULL */
	struct asm_top top;
};

/* Are there numbers instead of hits? */
static inline bool
asm_tallies(const struct asm_scan *a)
{
	return a->o.report == ASM_COUNT || a->o.histogram;
}

/* Are only the best hits of each query rows? */
static inline bool
asm_tops(const struct asm_scan *a)
{
	return a->o.max_hits && a->o.report != ASM_BEST;
}

/*
 * Open a chunk for a search by one thread or more: its n_parts is 1 until it is
 * cut.  Then each part is searched, and joined in order as pump.h says; the
 * last one to be joined makes what asm_chunk() appends to out.
 */
int asm_cut_new(struct asm_cut *c, const struct asm_scan *a, struct err *e);
void asm_cut_free(struct asm_cut *c);
int asm_cut_open(struct asm_cut *c, struct asm_thread *t,
		 const struct rec_frame *f, struct rec_frame *const *before,
		 size_t n_before, struct buf *out, struct err *e);
int asm_cut_part(struct asm_cut *c, struct asm_thread *t, unsigned part,
		 bool next, struct buf *out, struct err *e);
int asm_cut_join(struct asm_cut *c, unsigned part, struct buf *out,
		 struct err *e);
/*
 * All of it becomes c->text, for asm_gpu_gather(), before it is cut: its parts
 * have what was found.
 */
int asm_cut_put_off(struct asm_cut *c, struct err *e);
/* Parts for so many threads; few: a part may cost more than it should. */
void asm_cut_parts(struct asm_cut *c, unsigned team, bool few);

/* No hits so far.  0 or ERR_NOMEM. */
int asm_top_begin(struct asm_top *t, const struct asm_scan *a, struct err *e);
void asm_top_free(struct asm_top *t);
/*
 * Two passes over all hits, both in the order of their places: false, the hit
 * is not among the best; in the second pass, of those that the first one
 * wanted, true: it is.
 */
bool asm_top_wants(struct asm_top *t, uint32_t query, uint32_t edits,
		   uint64_t place);
bool asm_top_keeps(struct asm_top *t, uint32_t query, uint32_t edits,
		   uint64_t place);
/* The best of the rows of all parts become the chunk's. */
int asm_top_join(struct asm_cut *c, struct err *e);

/* Numbers of a part's hits are added to the chunk's. */
int asm_part_tally(struct asm_thread *t, struct asm_cut *c,
		   const struct asm_part *p, struct err *e);
/* The TALLY frame of a chunk is appended to out. */
int asm_tally(const struct asm_cut *c, struct buf *out, struct err *e);

/* Does a row with so many edits still count?  Lowers the least if it does. */
bool asm_best_wants(struct asm_best *b, uint32_t query, uint32_t edits);

#endif
