/* SPDX-License-Identifier: MIT */
/* ebwt_sums.h - distances of all pairs of a word of one and one of another */
#ifndef SEQF_SCAN_EBWT_EBWT_SUMS_H
#define SEQF_SCAN_EBWT_EBWT_SUMS_H

#include "ebwt/ebwt_gap_job.h"
#include "ebwt/weighted_dist.h"
#include "scan/ebwt/ebwt_seqs.h"

/* The words of a sequence or matrix, listed or as a product. */

/* One word of a plain sequence, the solid ones of a matrix. */
struct ebwt_turn {
	uint64_t word;		/* the first of them */
	double n, weight;	/* how many there are; of all */
};
struct ebwt_words {
	const struct ebwt_seq *seq;
	uint64_t n;		/* UINT64_MAX: so many or more */
	uint64_t len;		/* of each */
	bool is_product;
	struct product product;	/* then; of a matrix */
	const uint8_t *letters;	/* n * len; NULL: they are not listed */
	const struct prob *p;
	const double *weight;	/* p, but for a factor that all have: the
				   largest is in [1/2, 1) */
	struct ebwt_gap_words by_end;
	struct ebwt_turn *turn;	/* or NULL: words that are rotations of each */
	uint64_t n_turns;	/* other, as one (ebwt_words_turns()) */
	uint64_t steps;		/* letters that by_end does not share, and
				   some for each word */
	struct gap_list packed;	/* by_end, if ebwt_words_pack() was called */
	struct solid own;	/* private */
	double *own_weight;
};
enum { EBWT_MAX_WORDS = 1 << 20 };	/* that are listed, of a matrix */
/*
 * The sequence must outlive it.  Words that are a product are listed if they
 * are at most `list`; other ones always.  As solid_words(), naming the
 * sequence.
 */
int ebwt_words_of(struct ebwt_words *w, const struct ebwt_seq *s,
		  const struct solid_rule *r, uint64_t list, struct err *e);
void ebwt_words_free(struct ebwt_words *w);
/* Puts those together that are rotations of each other, of EBWT_MAX_WORDS
 * words of a matrix and 32 letters at most.  ERR_NOMEM. */
int ebwt_words_turns(struct ebwt_words *w, struct err *e);
/* The binary logarithm of their number, which is not 0. */
double ebwt_words_log2(const struct ebwt_words *w);
/* Word j and its weight; `room` holds it if it is not listed. */
const uint8_t *ebwt_words_nth(const struct ebwt_words *w, uint64_t j,
			      uint8_t *room, double *weight);
/* A matrix's listed words for a backend, too.  ERR_NOMEM. */
int ebwt_words_pack(struct ebwt_words *w, struct err *e);
/* What the list takes, and the product. */
uint64_t ebwt_words_bytes(const struct ebwt_words *w);
/* An upper bound of the words left with such a theta_pos; UINT64_MAX: as
 * many or more, or it is not known. */
uint64_t ebwt_words_left(const struct ebwt_words *w,
			 const struct solid_rule *r, double theta_pos);

/* Distances of all pairs of a word of one and one of another. */

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
	EBWT_WAY_FEW,		/* sorted, as if few anchors were too many */
};
struct ebwt_how {
	enum ebwt_metric metric;
	bool extremes;		/* the least and the largest are wanted */
	bool paper;		/* rotations written out, */
	uint64_t memory;	/* so many bytes at most */
	enum ebwt_way way;
	const struct gap_backend *backend;	/* or NULL */
	const uint64_t *term;	/* for it, if it is the entropy */
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
	struct ebwt_gather *gather;	/* what a backend has not done yet */
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
void ebwt_sums_join(struct ebwt_sums *to, const struct ebwt_sums *from);
/* All of v has been added. */
struct ebwt_stat ebwt_sums_stat(const struct ebwt_sums *y,
				const struct ebwt_route *p,
				const struct ebwt_how *how);

/*
 * Words of matrices put together for a backend, of several pairs
 * if need be: it takes a millisecond for whatever it is asked (private)
 *
 * Where words are a product (weighted_dist.h), no backend is quicker: a word
 * takes half a nanosecond of a million, and 17 of 4096, and to add up what a
 * backend says of one takes 6.5.  So it has the words that are listed, which
 * take the CPU 330 each, and 840 for entropies (of 260 letters, one of 16 of
 * which varies).  Sums of products and of lists may differ in their last
 * digits: which it is, the CPU's plan says, with a backend or without.
 */

/* Has it the words for it, and has it room for them? */
bool ebwt_gather_can(const struct ebwt_route *p, const struct ebwt_how *how);
/* What has not been added yet. */
int ebwt_gather_all(const struct ebwt_how *how, struct ebwt_sums_work *work,
		    struct err *e);

#endif
