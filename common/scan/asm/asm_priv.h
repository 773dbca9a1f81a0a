/* SPDX-License-Identifier: MIT */
/* asm_priv.h - shared by the files of asm, private to them */
#ifndef SEQF_SCAN_ASM_ASM_PRIV_H
#define SEQF_SCAN_ASM_ASM_PRIV_H

#include <pthread.h>

#include "flow/flow.h"
#include "scan/asm/asm.h"
#include "scan/scan.h"

struct asm_pattern {
	uint32_t query;		/* ordinal */
	bool minus;
	uint64_t k;
	size_t count;	/* its numbers, of 0 to k, among the counts */
};

struct asm_scan {
	struct asm_options o;	/* nothing left to default */
	struct kdiff_limits max;	/* o.max, or none */
	const struct queries *q;
	struct kdiff_set *set;	/* NULL: guides beside a PAM */
	/* The same patterns, of which all ends are wanted; made by the first
	 * thread that has a circle. */
	struct kdiff_set *ends;
	pthread_mutex_t ends_lock;
	struct kdiff_pam *pam;	/* or NULL */
	struct asm_score *score;	/* of sites; or NULL */
	const char *odd_pam;	/* asm_odd_pam() */
	struct asm_pattern *pattern;	/* by query, then + before - */
	size_t n_patterns;
	size_t n_counts;
	struct asm_k k;
	uint64_t context, gap;	/* letters before a chunk, between segments */
	struct decimal over[2];	/* o.overhang_start, o.overhang_end */
	struct scan_key key;
	struct buf text;
	enum window_kind kind;
	uint64_t part;		/* letters of each, where not 0: for tests */
	struct asm_gpu *gpu;	/* asm.h; or NULL */
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
	return a->o.max_hits && !a->o.chooses &&
	       a->o.report != ASM_BEST && !a->pam;
}

/* A set of patterns with the scan's engine and limits. */
int asm_set_new(const struct asm_scan *a, const struct kdiff_params *p,
		struct kdiff_set **set, struct err *e);
/* A query on a strand, with what must match, to it. */
int asm_set_add(const struct asm_scan *a, struct kdiff_set *set,
		uint32_t query, bool minus, uint64_t k, struct err *e);

/* Letters of a window from `base`, a multiple of 64, on; no segments. */
static inline struct kdiff_text
asm_text_from(const struct window *w, uint64_t base)
{
	return (struct kdiff_text){
		.planes = w->planes ? w->planes + base / 32 : NULL,
		.exc = w->exc ? w->exc + base / 64 : NULL,
		.sets = w->sets ? w->sets + base / 16 : NULL,
		.bytes = w->bytes ? w->bytes + base : NULL,
	};
}

/* Around circular sequences (asm_circle.c). */

/* ERR_USAGE for a circle of fewer letters than a match may have. */
int asm_circles_check(const struct asm_scan *a, const struct chunk *c,
		      struct err *e);
/* Patterns of which all ends of a segment of a window have one distance. */
struct asm_evens {
	struct asm_even {
		size_t seg;
		uint32_t pattern;
	} *v;			/* in order */
	size_t n, cap;
};
/* Those of circles, with minima.  ERR_USAGE where it is not known. */
int asm_evens_find(const struct asm_scan *a, const struct window *w,
		   struct asm_evens *to, struct err *e);
/* Their ends in a part of the window that begins at base; there are some. */
int asm_evens_each(const struct asm_scan *a, const struct asm_evens *v,
		   const struct window *w, uint64_t base,
		   const struct kdiff_text *x, struct kdiff_work *work,
		   kdiff_take_fn *take, void *ctx, struct err *e);

static inline bool
asm_hangs(const struct asm_options *opt)
{
	return opt->overhang || opt->overhang_start || opt->overhang_end;
}

/* Sites of guides beside a PAM, as rows. */

/* a->pam from the options, without guides. */
int asm_pam_new(struct asm_scan *a, struct err *e);

/* Letters of the shortest PAM. */
uint64_t asm_pam_shortest(const struct asm_scan *a);
/* A row's send may lie so far before that of a row of an earlier chunk. */
uint64_t asm_pam_slack(const struct asm_scan *a);

/* A thread's sites of a part; zero it first. */
struct asm_sites {
	struct kdiff_pam_work *work;
	bool by_begin;		/* asm_sites_rows(): as in struct rows_print */
	struct buf sites, paths, ops;
	struct buf order, spare;	/* struct site_place */
};
void asm_sites_free(struct asm_sites *t);

/* Sites of a text as hits that end at the PAM's edge, one at a time; sorted:
 * in order of edges. */
int asm_sites_each(const struct asm_scan *a, const struct kdiff_text *x,
		   struct asm_sites *t, bool sorted, kdiff_take_fn *take,
		   void *ctx, struct err *e);

/* Sites with their alignments, in the order of a scanner. */
struct asm_site {
	const struct kdiff_site *site;
	const struct kdiff_site_path *path;
	const uint32_t *ops;
	unsigned pam;		/* letters of its PAM */
};
typedef int asm_site_fn(void *ctx, const struct asm_site *x, struct err *e);
int asm_sites_rows(const struct asm_scan *a, const struct kdiff_text *x,
		   struct asm_sites *t, asm_site_fn *put, void *ctx,
		   struct err *e);

#endif
