/* SPDX-License-Identifier: MIT */
/* ebwt_sums.h - distances of all pairs of a word of one and one of another */
#ifndef SEQF_EBWT_SUMS_H
#define SEQF_EBWT_SUMS_H

#include "scan/ebwt_words.h"

struct ebwt_stat {
	uint64_t pairs;		/* 0: then all are 0; UINT64_MAX: as many or
				   more, and */
	double log2_pairs;	/* their binary logarithm, else 0 */
	double mean, weighted_mean;
	double min, max;	/* -1: not known */
};

/* How words are walked through; or plain sequences compared with queries. */
enum ebwt_way {
	EBWT_WAY_AUTO,
	EBWT_WAY_LISTS,		/* each with each */
	EBWT_WAY_PRODUCT,	/* all of one at a time (weighted_dist.h) */
	EBWT_WAY_SORT,		/* all together */
	EBWT_WAY_WALKS,		/* each in each query's gaps (ebwt_gap.h) */
};
struct ebwt_how {
	enum ebwt_metric metric;
	bool extremes;		/* the least and the largest are wanted */
	bool paper;		/* rotations written out, */
	uint64_t memory;	/* so many bytes at most */
	enum ebwt_way way;
	const struct gap_helper *helper;	/* or NULL */
	const uint64_t *term;	/* for it, if it is EBWT_DE */
	uint32_t most_runs;
};

/* Of two: v's words one by one, each with all of u's; where those are a
 * product, one of all words of v that are rotations of each other. */
struct ebwt_route {
	const struct ebwt_words *u, *v;
	bool product;		/* of u */
	bool sums;		/* alone: least and most are not wanted */
	uint64_t items;		/* of v: words, or turns of them */
	bool parts;		/* u's words count as parts (product_parts()) */
	double cost;		/* nanoseconds of each item, roughly */
};
/* False: neither can be listed, nor is one of them a product that fits.  The
 * plan depends on words and metric alone. */
bool ebwt_route(struct ebwt_route *p, const struct ebwt_words *a,
	       const struct ebwt_words *b, const struct ebwt_how *how);
/* What the plan takes, of one thread, at most. */
uint64_t ebwt_route_bytes(const struct ebwt_route *p);

struct ebwt_gather;
/* Working memory of one thread; zero it first. */
struct ebwt_sums_work {
	struct ebwt_gather *gather;	/* what a helper has not done yet */
	struct ebwt_gap_work gap;
	struct product_work *product;
	uint8_t *word;
	size_t n_word;
};
void ebwt_sums_work_free(struct ebwt_sums_work *w);

/* A sum that loses nothing that 16 digits show (Neumaier 1974). */
struct ebwt_sum {
	double s, rest;
};
struct ebwt_sums {
	struct ebwt_sum d, pd, p;
	double min, max;
	bool some, unknown;
};
/*
 * Adds items [from, to) of v, some perhaps not before ebwt_gather_all().  The
 * same for any thread, each with its own work.  ERR_NOMEM, ERR_LIMIT.
 */
int ebwt_sums_add(struct ebwt_sums *y, const struct ebwt_route *p,
		  const struct ebwt_how *how, uint64_t from, uint64_t to,
		  struct ebwt_sums_work *work, struct err *e);
/* The same, at once and by this thread. */
int ebwt_sums_walk(struct ebwt_sums *y, const struct ebwt_route *p,
		   const struct ebwt_how *how, uint64_t from, uint64_t to,
		   struct ebwt_sums_work *work, struct err *e);
/* Adds word j of v, whose runs with each word of u, or their entropies, in the
 * order of their ends, are known (gap_errand). */
void ebwt_sums_known(struct ebwt_sums *y, const struct ebwt_route *p,
		     const struct ebwt_how *how, uint64_t j,
		     const uint16_t *runs, const double *de);
void ebwt_sums_join(struct ebwt_sums *to, const struct ebwt_sums *from);
/* All of v has been added. */
struct ebwt_stat ebwt_sums_stat(const struct ebwt_sums *y,
				const struct ebwt_route *p,
				const struct ebwt_how *how);

#endif
