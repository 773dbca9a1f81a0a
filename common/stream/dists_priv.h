/* SPDX-License-Identifier: MIT */
/* dists_priv.h - what the files of dists share (private) */
#ifndef SEQF_DISTS_PRIV_H
#define SEQF_DISTS_PRIV_H

#include "stream/dists.h"
#include "stream/topk_row.h"

/* A subject of a run, or a query of a scan. */
struct dist_name {
	bool query;
	uint32_t of;		/* index of the run, or of the scan */
	uint32_t rank;		/* place among all names */
	uint64_t ordinal, len;
	size_t at, n;		/* of the name in text */
};
/* Distances of a scan of a run. */
struct dist_set {
	uint32_t run, scan;
	bool weighted, rect;
	size_t at, n;		/* of the metric in text */
};
struct dist_pair {
	double value;
	uint32_t set, a, b;	/* indices */
	uint32_t more;		/* index, of weighted ones */
};
struct dist_more {
	double weighted_mean, min, max, log2_pairs;
	uint64_t pairs;
};

struct dists {
	struct dists_params p;
	struct keys runs, scans;
	struct buf text;	/* names and metrics */
	struct dist_name *name;
	size_t n_names, cap_names;
	size_t *slot;		/* index + 1 of a name, 0 free */
	size_t n_slots;		/* a power of two, at least 2 * n_names */
	struct dist_set *set;
	size_t n_sets, cap_sets;
	struct index sets;	/* numbers + 1, by those of run and scan */
	struct buf pairs, more;	/* struct dist_pair, struct dist_more */
	uint32_t *by_rank;	/* names */
};

static inline struct dist_pair *
dists_pairs(const struct dists *d, size_t *n)
{
	*n = d->pairs.n / sizeof(struct dist_pair);
	return (struct dist_pair *)(void *)d->pairs.p;
}

static inline struct str
dists_str(const struct dists *d, size_t at, size_t n)
{
	return (struct str) { n ? (const char *)d->text.p + at : "", n };
}

/* What a pair's row holds beside a and b. */
struct dist_row dists_values(const struct dists *d, const struct dist_pair *p);
/* Names, queries first, then pairs, by rank; equal pairs become one. */
int dists_sort(struct dists *d, struct err *e);
/* -n, after dists_sort(). */
int dists_cut(struct dists *d, struct err *e);

#endif
