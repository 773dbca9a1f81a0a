/* SPDX-License-Identifier: MIT */
/*
 * ebwt_gap_job.h - jobs for a backend, e.g. a GPU: many words located in
 * the gaps of others (ebwt_gap.h); results are integers, or sums of given terms
 */
#ifndef SEQF_EBWT_EBWT_GAP_JOB_H
#define SEQF_EBWT_EBWT_GAP_JOB_H

#include "ebwt/ebwt_bits.h"
#include "ebwt/ebwt_gap.h"

/*
 * Words of A, C, G and T that have one length, in the order of their ends.
 * They are read from the last letter on: a letter that all have there is
 * stored once, and one that varies takes two bits a word.
 */
struct gap_list {
	uint32_t n, len;
	/* Of each depth: 0 to 3, or 4 + which of those it is that vary. */
	uint16_t *letter;
	/* Varying letter k of word i: [k / 16 * n + i], from bit k % 16 * 2 */
	uint32_t *varied;
	uint32_t n_varied;
};
enum { GAP_LIST_LEN = UINT16_MAX - 4 };	/* letters of a word, at most */
/* ERR_NOMEM, ERR_LIMIT. */
int gap_list_new(struct gap_list *l, const struct ebwt_gap_words *w,
		 struct err *e);
void gap_list_free(struct gap_list *l);
static inline uint64_t
gap_list_numbers(const struct gap_list *l)	/* in `varied` */
{
	return (uint64_t)(l->n_varied / 16 + (l->n_varied % 16 != 0)) * l->n;
}

/* All words of a list to one word v. */
struct gap_job {
	uint32_t list;		/* which one */
	uint32_t m;		/* letters of v */
	uint64_t next;		/* where its gaps begin, 4 numbers each: those
				   behind an A, C, G or T before this one */
	uint64_t out;		/* where its results begin: jobs follow each
				   other */
};
struct gap_batch {
	const struct gap_list *const *list;
	uint32_t n_lists;
	const struct gap_job *job;
	uint32_t n_jobs;
	const uint16_t *next;
	/*
	 * Wanted: of each word of each job its runs, or 0 if it is tied: its
	 * root and v's are conjugate.
	 */
	uint16_t *runs;
	/*
	 * Or, if this is not NULL: the entropy of their lengths, or -1 if it is
	 * tied; from `term` (gap_terms_new()), for up to so many runs.
	 */
	double *de;
	const uint64_t *term;
	uint32_t most_runs;
};

/* 4 * (m + 1) numbers. */
void gap_table(const struct ebwt_gap *g, uint16_t *next);

/*
 * of_length[i] of `runs` runs add term[gap_term_at(runs) + of_length[i]] to
 * the entropy, in units of EBWT_BITS_UNIT.  NULL: no memory.
 */
uint64_t *gap_terms_new(uint32_t most_runs);
static inline uint64_t
gap_term_at(uint64_t runs)
{
	return runs * (runs + 1) / 2;
}
/* Gaps that are met are no more than m + 1, and letters; each is one run, and
 * begins another one if it is not at an end. */
static inline uint64_t
gap_most_runs(uint64_t n, uint64_t m)
{
	return 2 * (n < m ? n : m) + 1;
}

/*
 * What a backend has room for: v's gaps, and for some words at a time a bit for
 * each gap, or, for entropies, how often it was met, and how often there are
 * runs of each length.
 */
enum { GAP_ROOM = 48 << 10, GAP_MIN_WORDS = 8 };
static inline uint64_t
gap_table_bytes(uint64_t m)
{
	return 8 * (m + 1);
}
static inline uint64_t
gap_word_bytes(uint64_t n, uint64_t m, bool wants_de)
{
	return wants_de ? 2 * (m + 1 + (n > m ? n : m) + 1) : m / 32 * 4 + 4;
}
static inline bool
gap_fits(uint64_t n, uint64_t m, bool wants_de)
{
	return n <= GAP_LIST_LEN && m < GAP_ROOM / 8 &&
	       gap_table_bytes(m) + GAP_MIN_WORDS *
	       gap_word_bytes(n, m, wants_de) <= GAP_ROOM;
}

struct gap_backend {
	/* Is it worth the while, what would take so many nanoseconds? */
	bool (*wants)(void *ctx, double ns);
	/* EBWT_NOT_NOW (ebwt.h): do it yourself; below 0: an error. */
	int (*run)(void *ctx, const struct gap_batch *j, struct err *e);
	void *ctx;
};

#endif
