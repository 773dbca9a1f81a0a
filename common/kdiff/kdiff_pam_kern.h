/* SPDX-License-Identifier: MIT */
/*
 * kdiff_pam_kern.h - the interface between the kernels of kdiff_pam and their
 * driver
 *
 * Outward letters: those of the searched strand beside a PAM, from its inner
 * edge on.  An outward word holds 32 of them, one bit a letter and plane, the
 * one beside the edge in bit 31; so both strands and both sides of a PAM look
 * alike.  Guides are stored in the same order.
 */
#ifndef SEQF_KDIFF_KDIFF_PAM_KERN_H
#define SEQF_KDIFF_KDIFF_PAM_KERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"

enum {
	PAM_WORDS = 1024,	/* of 64 letters: a block of text */
	PAM_PAD = 8,		/* words before and behind it */
	PAM_SPAN = PAM_PAD + PAM_WORDS + PAM_PAD,
	PAM_SITES = 4096,	/* searched at once, and 64 more at most */
	PAM_PAIRS = 4096,	/* verified at once */
	PAM_SPARE = 64,		/* entries that a vector may write beyond */
	PAM_MAX_K = 6,		/* of the kernels */
};

/* A block's letters, and PAM_PAD words before and behind: letter i is bit
 * i % 64 of word PAM_PAD + i / 64. */
struct pam_block {
	uint64_t can[4][PAM_SPAN];	/* it may be A, C, G, T */
	uint64_t lo[PAM_SPAN], hi[PAM_SPAN];
	uint64_t ok[PAM_SPAN];		/* it is one of them, of a segment */
	bool clean;			/* all of ok is */
};

/*
 * bits[w], w < PAM_WORDS: bit i is set if the n letters from 64 w + i + off on
 * may be of the sets pam[0..n) (letters.h); |off|, n <= 64.
 */
typedef void pam_places_fn(const struct pam_block *b, const uint8_t *pam,
			   unsigned n, int off, uint64_t *bits);

/* Inner edges within a block, and their outward words. */
struct pam_sites {
	size_t n;		/* at most PAM_SITES + 63 */
	uint32_t at[PAM_SITES + 2 * PAM_SPARE];
	uint32_t lo[PAM_SITES + 2 * PAM_SPARE], hi[PAM_SITES + 2 * PAM_SPARE];
	/* Letters that are not ok; not of a clean block. */
	uint32_t bad[PAM_SITES + 2 * PAM_SPARE];
};

/*
 * The edges bits[w..PAM_WORDS) are appended until there are PAM_SITES or more;
 * the first word that was not read is returned.  right: letters from the edge
 * on, else those before it; flip: ~0 on the minus strand, else 0.
 */
typedef unsigned pam_sites_fn(const struct pam_block *b, const uint64_t *bits,
			      unsigned w, bool right, uint32_t flip,
			      struct pam_sites *s);

/* Guides by words of their letters [from, from + letters), outwards. */
struct pam_table {
	unsigned from, letters;
	bool sieve;		/* few words have guides, so bits pay */
	bool wide;		/* lists are so long that vectors pay */
	uint32_t *bits;		/* one a word: it has guides */
	uint32_t *start;	/* guide[start[w] .. start[w + 1]) */
	uint16_t *guide;	/* and PAM_SPARE more */
	uint64_t n;
};

/* Sites, by number, whose word in the table has guides, and these words;
 * PAM_SPARE more of both are 0. */
struct pam_found {
	size_t n;
	uint32_t site[PAM_SITES + 2 * PAM_SPARE];
	uint32_t word[PAM_SITES + 2 * PAM_SPARE];
};
typedef void pam_lookup_fn(const struct pam_table *t,
			   const struct pam_sites *s, struct pam_found *f);

/* A site and a guide each. */
struct pam_pairs {
	size_t n;
	/* The words of sites; with `of` they are taken from there. */
	const struct pam_sites *of;
	uint32_t lo[PAM_PAIRS + PAM_SPARE], hi[PAM_PAIRS + PAM_SPARE];
	uint32_t bad[PAM_PAIRS + PAM_SPARE];
	uint32_t site[PAM_PAIRS + PAM_SPARE], guide[PAM_PAIRS + PAM_SPARE];
};
/*
 * Pairs of what was found, from found[i] and entry *skip of its list on, until
 * there are PAM_PAIRS or more; returns where to go on, f->n at the end.
 */
typedef size_t pam_pair_fn(const struct pam_table *t,
			   const struct pam_sites *s,
			   const struct pam_found *f, size_t i, uint32_t *skip,
			   struct pam_pairs *p);

struct pam_guides {
	uint32_t m, k;	/* m < 32, m + k <= 32, k <= PAM_MAX_K */
	const uint32_t *lo, *hi;
	/*
	 * Pairs of the second table: one whose guide comes within `first`
	 * differences of the text's first `letters` letters is left out, as the
	 * first table has it.
	 */
	bool second;
	uint32_t first, letters;
};
struct pam_hits {
	size_t n;
	uint32_t site[PAM_PAIRS + PAM_SPARE], guide[PAM_PAIRS + PAM_SPARE];
	uint32_t dist[PAM_PAIRS + PAM_SPARE];
};
/*
 * Pairs with at most k differences, with their distance.  bad: letters with a
 * bit in pairs.bad match nothing.
 */
typedef void pam_verify_fn(const struct pam_guides *g,
			   const struct pam_pairs *p, bool bad,
			   struct pam_hits *h);

/* Sites whose alignments are followed at once. */
enum { PAM_TRACED = 16, PAM_DIAGONALS = 2 * PAM_MAX_K + 1 };
struct pam_traced {
	uint32_t lo[PAM_TRACED], hi[PAM_TRACED];
	uint32_t guide_lo[PAM_TRACED], guide_hi[PAM_TRACED];
	uint32_t m[PAM_TRACED];	/* 1 to 31, of spare lanes, too */
	unsigned k;		/* the largest distance */
	/*
	 * reach[c][k + d]: on diagonal d (text letters before a state less the
	 * guide's) the last so many guide letters can be aligned with at most c
	 * differences, and all fewer; for c < k, |d| <= k - c.
	 */
	uint32_t reach[PAM_MAX_K][PAM_DIAGONALS][PAM_TRACED];
};
typedef void pam_reach_fn(struct pam_traced *t);

struct pam_ops {
	pam_places_fn *places;
	pam_sites_fn *sites;
	pam_lookup_fn *lookup;
	pam_pair_fn *pair;
	pam_verify_fn *verify;
	pam_reach_fn *reach;
};
KERN_DECLARE(const struct pam_ops, pam_ops);

#endif
