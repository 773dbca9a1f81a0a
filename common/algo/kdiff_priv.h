/* SPDX-License-Identifier: MIT */
/* kdiff_priv.h - inside of kdiff: set, working memory, choice of kernels */
#ifndef SEQF_KDIFF_PRIV_H
#define SEQF_KDIFF_PRIV_H

#include "algo/kdiff_kern.h"
#include "base/cpu.h"

struct kdiff_ops {
	unsigned lanes;
	kdiff_gather_fn *gather;
	kdiff_scan_fn *edit, *ham;
	kdiff_columns_fn *columns;
};

struct kdiff_set {
	struct kdiff_params p;
	struct kdiff_ops ops;
	struct kdiff_pat *pat;
	size_t n, cap;
	uint64_t max_m, max_mk, max_2mk, max_k;
	bool exact;		/* some pattern has a head or a tail */
	/* Symbols in use, in order of appearance: IUPAC sets or bytes. */
	uint8_t sym[256];
	unsigned n_sym;
	int16_t sym_of[256];	/* the inverse, -1 = unused */
};

struct kdiff_work {
	uint8_t *mem;		/* arena of a scan: vectors */
	size_t mem_cap;
	struct kdiff_state *st;
	size_t st_cap;
	struct kdiff_hits lane[KDIFF_MAX_LANES], tmp;
	uint8_t *trace;		/* arena of a traceback */
	size_t trace_cap;
	uint8_t *exact;		/* arena of kdiff_exact.c */
	size_t exact_cap;
};

/* Use the kernels of another instruction set that this CPU has: for tests. */
void kdiff_set_isa(struct kdiff_set *set, enum isa isa);

/* Room for n bytes in *p, contents lost; aligned to 64.  0 or ERR_NOMEM. */
int kdiff_room(uint8_t **p, size_t *cap, size_t n, struct err *e);

/* Room for more hits.  0 or ERR_NOMEM. */
int kdiff_hits_room(struct kdiff_hits *h, size_t more, struct err *e);

/* Merge h[first..mid) with h[mid..n), both in the order (end, pattern). */
int kdiff_hits_merge(struct kdiff_hits *h, size_t first, size_t mid,
		     struct kdiff_hits *tmp, struct err *e);

/*
 * Order h[from..n), one piece of a lane that begins at letter beg, by (end,
 * pattern): it holds each pattern's ends in order, pattern after pattern.
 */
int kdiff_hits_order(struct kdiff_hits *h, size_t from, uint64_t beg,
		     struct kdiff_hits *tmp, struct err *e);

/* Hamming: keep minima with ends in their segment's range of h[from ...). */
int kdiff_hits_minima(const struct kdiff_set *set,
		      const struct kdiff_text *text, struct kdiff_hits *h,
		      size_t from, struct err *e);

/* The last segment with beg <= at; 0 if there is none. */
size_t kdiff_seg_find(const struct kdiff_text *text, uint64_t at);

#endif
