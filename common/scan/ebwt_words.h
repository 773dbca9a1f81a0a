/* SPDX-License-Identifier: MIT */
/* ebwt_words.h - the words of a sequence or matrix, listed or as a product */
#ifndef SEQF_EBWT_WORDS_H
#define SEQF_EBWT_WORDS_H

#include "algo/ebwt_gap_errand.h"
#include "algo/weighted_dist.h"
#include "scan/ebwt_seqs.h"

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
/* A matrix's listed words for a helper, too.  ERR_NOMEM. */
int ebwt_words_pack(struct ebwt_words *w, struct err *e);
/* What the list takes, and the product. */
uint64_t ebwt_words_bytes(const struct ebwt_words *w);
/* At most so many words would be left with such a theta_pos; UINT64_MAX: so
 * many or more, or it cannot be told. */
uint64_t ebwt_words_left(const struct ebwt_words *w,
			 const struct solid_rule *r, double theta_pos);

#endif
