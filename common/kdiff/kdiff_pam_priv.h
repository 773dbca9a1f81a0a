/* SPDX-License-Identifier: MIT */
/* kdiff_pam_priv.h - shared by the files of kdiff_pam */
#ifndef SEQF_KDIFF_KDIFF_PAM_PRIV_H
#define SEQF_KDIFF_KDIFF_PAM_PRIV_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "kdiff/kdiff.h"
#include "kdiff/kdiff_priv.h"

/*
 * The interface between the kernels of kdiff_pam and their driver
 *
 * Outward letters: those of the searched strand beside a PAM, from its inner
 * edge on.  An outward word holds 32 of them, one bit a letter and plane, the
 * one beside the edge in bit 31; so both strands and both sides of a PAM look
 * alike.  Guides are stored in the same order.
 */

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
	uint32_t site[PAM_PAIRS + PAM_SPARE], guide[PAM_PAIRS + PAM_SPARE];
};
/*
 * Pairs of what was found, from found[i] and entry *skip of its list on, until
 * there are PAM_PAIRS or more; returns where to go on, f->n at the end.
 */
typedef size_t pam_pair_fn(const struct pam_table *t,
			   const struct pam_found *f, size_t i, uint32_t *skip,
			   struct pam_pairs *p);

struct pam_guides {
	uint32_t m, k;	/* m < 32, m + k <= 32, k <= PAM_MAX_K */
	const uint32_t *lo, *hi;
	/*
	 * Pairs of the second table, k > 0: one whose guide comes within
	 * `first` differences of the text's first `letters` letters is left
	 * out, as the first table has it.
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
 * bit in sites.bad match nothing.
 */
typedef void pam_verify_fn(const struct pam_guides *g,
			   const struct pam_sites *s,
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

/* A PAM on one strand, in the order of the forward text. */
struct pam_letters {
	uint8_t set[KDIFF_MAX_PAM];
	unsigned n;
};

struct pam_guide {
	uint8_t *set;	/* of each letter, the one beside the PAM first */
	uint32_t m, k;
	bool plain;	/* A C G T alone */
	uint32_t lo, hi;	/* of a group's: its word */
};

/* Guides with as many letters and differences, which the kernels take. */
struct pam_group {
	uint32_t m, k;
	size_t n;
	uint32_t *guide;	/* numbers */
	uint32_t *lo, *hi;	/* words, as of a site */
	/*
	 * Tables, made when they pay: `pairs` more verified without them cost
	 * as much as making them.  They are read only when ready.
	 */
	_Atomic bool can_split;	/* and memory was enough */
	uint32_t first;		/* differences in the first part */
	_Atomic uint64_t pairs;
	_Atomic bool ready;
	struct pam_table table[2];
	unsigned n_tables;
};

struct kdiff_pam {
	struct kdiff_pam_params p;
	struct pam_letters pam[2][KDIFF_MAX_PAMS];	/* by strand */
	unsigned longest;	/* letters of a PAM */
	double density;		/* of edges, in random text, a strand */
	struct pam_guide *guide;
	size_t n, cap;
	uint64_t max_mk, max_k;
	uint64_t expected;	/* letters of all texts, or 0 */
	const struct pam_ops *ops;
	/* All guides, read outwards to inwards, so that an alignment ends at
	 * the edge: for tracing; and for all that the groups cannot take. */
	struct kdiff_set *set;
	pthread_mutex_t lock;	/* of all below while it is made */
	_Atomic bool grouped;
	struct err failed;	/* why they could not be grouped */
	struct pam_group *group;
	size_t n_groups;
	struct kdiff_set *rest_set;	/* or NULL: there is none */
	uint32_t *rest;		/* their numbers */
	size_t n_rest;
	uint64_t tables_at;	/* pairs, 0: by what tables cost; for tests */
};

/* Edges in a direction that a segment reports: [lo, hi], none if lo > hi. */
struct pam_range {
	uint64_t lo, hi;
};
struct pam_range kdiff_pam_range(const struct kdiff_pam *g,
				 const struct kdiff_seg *s, bool right,
				 uint64_t mk);

/* Is the guide behind the PAM in the forward text? */
static inline bool
kdiff_pam_right(const struct kdiff_pam *g, bool minus)
{
	return g->p.before != minus;
}

/* Which PAM is beside an edge of a segment; -1: none. */
int kdiff_pam_at(const struct kdiff_pam *g, const struct kdiff_text *t,
		 const struct kdiff_seg *s, uint64_t edge, bool minus);

/* The set of a text letter on a strand; 0: it matches nothing. */
uint8_t kdiff_pam_letter(const struct kdiff_text *t, uint64_t at, bool minus);

/* Tables of a group; the caller holds the lock.  False: there is no memory,
 * or they would take more than 1 GB. */
bool kdiff_pam_tables(const struct kdiff_pam *g, struct pam_group *p);
void kdiff_pam_tables_free(struct pam_group *p);
/* Pairs whose verification costs as much as the tables. */
double kdiff_pam_tables_cost(const struct pam_group *p);
/* How the text is split, if it can be. */
void kdiff_pam_plan(struct pam_group *p);

struct kdiff_pam_work {
	struct pam_block block;
	uint64_t bits[PAM_WORDS], some[PAM_WORDS], mask[PAM_WORDS];
	struct pam_sites sites, slow;
	struct pam_found found;
	struct pam_pairs pairs;
	struct pam_hits hits;
	struct pam_traced traced;
	struct kdiff_work *kdiff;
	struct kdiff_site *site;	/* to be given to take() */
	size_t n_site, site_cap;
	struct kdiff_copy turned, window;	/* for the search, for paths */
	struct kdiff_limits_work limits;
	uint8_t *letters;
	size_t letters_cap;
	struct kdiff_hit *hit;
	size_t hit_cap;
	struct kdiff_path *path;
	size_t path_cap;
	struct buf ops;		/* before they are turned back */
};

/*
 * A site's distance with the limits, above k if there is none, and the steps
 * in w->limits; s->dist is a lower bound.
 */
int kdiff_pam_limits(const struct kdiff_pam *g, const struct kdiff_text *t,
		     const struct kdiff_site *s, struct kdiff_pam_work *w,
		     uint32_t *dist, struct err *e);

#endif
