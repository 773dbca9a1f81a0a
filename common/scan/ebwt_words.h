/* SPDX-License-Identifier: MIT */
/* ebwt_words.h - the words of a sequence or matrix, and of two the distances */
#ifndef SEQF_EBWT_WORDS_H
#define SEQF_EBWT_WORDS_H

#include "algo/ebwt.h"
#include "algo/ebwt_gap.h"
#include "algo/weighted.h"
#include "scan/ebwt_seqs.h"

/* One word of a plain sequence, the solid ones of a matrix. */
struct ebwt_words {
	uint64_t n;
	uint64_t len;		/* of each */
	const uint8_t *letters;	/* n * len */
	const struct prob *p;
	const double *weight;	/* p, but for a factor that all have: the
				   largest is in [1/2, 1) */
	struct ebwt_gap_words by_end;
	uint64_t steps;		/* letters that by_end does not share, and
				   some for each word */
	struct solid own;	/* private */
	double *own_weight;
};
enum { EBWT_MAX_WORDS = 1 << 20 };	/* of a matrix */
/* The sequence must outlive it.  As solid_words(), naming the sequence. */
int ebwt_words_of(struct ebwt_words *w, const struct ebwt_seq *s,
		  const struct solid_rule *r, struct err *e);
void ebwt_words_free(struct ebwt_words *w);

/* Distances of all pairs of a word of a and one of b. */
struct ebwt_stat {
	uint64_t pairs;		/* 0: then all are 0 */
	double mean, weighted_mean, min, max;
};
struct ebwt_how {
	enum ebwt_metric metric;
	bool paper;		/* rotations written out, */
	uint64_t memory;	/* so many bytes at most */
};
/* The same for any thread, each with its own work; a and b may change
 * places.  ERR_NOMEM, ERR_LIMIT. */
int ebwt_words_stat(const struct ebwt_words *a, const struct ebwt_words *b,
		    const struct ebwt_how *how, struct ebwt_gap_work *work,
		    struct ebwt_stat *t, struct err *e);

#endif
