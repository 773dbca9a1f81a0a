/* SPDX-License-Identifier: MIT */
/*
 * primers.h - primers of many PRIMER frames: merged, filtered, in order
 *
 * Ends of one target merge by elementwise maximum, so the outcome does not
 * depend on the order of frames, nor on how often one came.  Memory: 9 bytes
 * a letter of the targets and strand, 17 with --three-prime.
 */
#ifndef SEQF_COLLECT_PRIMERS_H
#define SEQF_COLLECT_PRIMERS_H

#include "letters/letters.h"
#include "rec/rec.h"

struct primers;

/* by_run: for records, which keep the runs apart; else of all of a scan's
 * backgrounds one maximum. */
int primers_new(struct primers **p, bool by_run, struct err *e);
void primers_free(struct primers *p);

/* The arrays of ends may change hands (then they are NULL).  ERR_FORMAT if
 * frames of one target disagree in anything but ends. */
int primers_add(struct primers *p, struct primer_part *part,
		struct err *e);
/* Nothing can be added afterwards.  ERR_FORMAT as above. */
int primers_finish(struct primers *p, struct err *e);
/*
 * Held every receipt every start of every target?  Asked when the ledger is
 * whole: else that is no news.  A start that one of them lacks would seem to
 * be rare in the background.  ERR_FORMAT.
 */
int primers_check(const struct primers *p, struct err *e);
bool primers_any(const struct primers *p);

/*
 * What the last stage does with ends, from the canonical text of a frame,
 * lines "key value":
 *	k N		differences; always there
 *	min-len N	a shorter primer is lengthened
 *	max-len N	a longer one is dropped; ends may be cut at so many
 *			letters from their start
 *	three-prime LEN:K	there is a second array, end() of K
 *	alphabet dna|literal	which letters may stand in a primer: A C G T,
 *			or any
 * and what drops primers whose letters are not as wanted, bounds included:
 *	gc LO-HI	G and C in percent of all letters
 *	tm LO-HI	melting temperature, degrees Celsius (letters.h)
 *	tm-salts MONOVALENT DIVALENT DNTP PRIMER	for it; with tm only
 *	max-homopolymer N	of one letter in a row
 *	fit yes		such a primer is lengthened until they are, up to
 *			max-len, which must be there; three-prime holds still
 * Decimals have up to three places, and no needless zeros.
 */
struct primer_rule {
	uint64_t k, min_len, max_len, tail, tail_k;	/* 0: none */
	bool literal, gc, tm, fit;
	/* Thousandths. */
	uint64_t gc_lo, gc_hi, tm_lo, tm_hi;
	struct melting_salts salts;
	uint64_t homopolymer;	/* 0: any */
};
/* ERR_FORMAT for what is missing, malformed, or not known here. */
int primer_rule(struct primer_rule *r, struct str options, struct err *e);
/* The canonical text. */
void primer_rule_put(struct buf *b, const struct primer_rule *r);
/* A decimal number in thousandths, up to most; or two of them, LO-HI with
 * lo <= hi.  False for anything else. */
bool primer_decimal(struct str s, uint64_t most, uint64_t *v);
bool primer_range(struct str s, uint64_t most, uint64_t *lo, uint64_t *hi);

/* A target's letters and ends along one strand of it. */
struct primer_strand {
	uint64_t len;
	const uint8_t *letters;
	const uint64_t *end, *end3;	/* as in struct primer_part */
};
/*
 * to[j] becomes the end of the primer that starts at j, 0 without one
 * (definitions of primer-find, three-prime and all).  O(len), but with tm,
 * where a primer whose halves are each other's complement costs its length, and
 * with fit, where each start may cost max_len.
 */
void primer_ends(const struct primer_rule *r, const struct primer_strand *s,
		 uint64_t *to);

/* What of a background is the nearest to a primer. */
struct primer_site {
	struct str subject;
	bool minus;
	uint64_t sbeg, send, edits;	/* forward */
	struct str cigar;	/* empty: no letter of the primer is there */
};

struct primer_row {
	uint64_t run;		/* the least id of the runs */
	struct query_ref target;
	uint64_t beg, end, k;	/* forward */
	bool minus;
	struct str sequence;	/* 5' to 3' */
	const struct primer_site *site;	/* or NULL */
};
/* All primers by scan, target, beg, strand, to row(ctx, ...), until it fails.
 * After primers_finish(). */
int primers_rows(struct primers *p,
		 int (*row)(void *ctx, const struct primer_row *r,
			    struct err *e), void *ctx, struct err *e);
/* Sites of all rows, in their order: they outlive the rows. */
void primers_set_sites(struct primers *p, const struct primer_site *site);
/* The frames of a run and scan; t is their receipt but for number and last. */
int primers_frames(struct primers *p, const struct run_key *run,
		   const struct receipt *t,
		   int (*put)(void *ctx, struct rec_frame *f, struct err *e),
		   void *ctx, struct err *e);

#endif
