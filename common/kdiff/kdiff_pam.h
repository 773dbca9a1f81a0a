/* SPDX-License-Identifier: MIT */
/*
 * kdiff_pam.h - sites of CRISPR guides beside a PAM
 *
 * A guide g of m letters, a PAM p of l letters, S the sequence on one strand,
 * read 5' to 3'.  A PAM behind the guide: a site is an edge a where S[a..a+l)
 * matches p, and D(a) = min over i <= a of d(g, S[i..a)).  A PAM before it: an
 * edge a where S[a-l..a) does, and D(a) = min over j >= a of d(g, S[a..j)).
 * Every site with D(a) <= k is found once, for each guide and strand.  An edge
 * that several PAMs match is one site, of the first of them.  With limits on
 * each kind of difference, D(a) is the least over alignments that keep them.
 *
 * Where the guide lies before the PAM in the forward text ("left" of the edge:
 * a PAM behind it on +, before it on -), a site is found by the segment that
 * has edge + L in [from, to], L the letters of the longest PAM; where it lies
 * behind, by the one that has edge + m + k there.  A subject's last segment
 * finds the sites for which these are beyond its end, too.  So each site is
 * found by one of the segments that share a sequence, and no letter behind a
 * segment's `to` is needed.
 */
#ifndef SEQF_KDIFF_KDIFF_PAM_H
#define SEQF_KDIFF_KDIFF_PAM_H

#include "kdiff/kdiff.h"
#include "kdiff/kdiff_limits.h"

enum { KDIFF_MAX_PAM = 32, KDIFF_MAX_PAMS = 16 };

struct kdiff_pam_params {
	const char *const *pam;	/* IUPAC, each of 1 to KDIFF_MAX_PAM letters */
	size_t n_pams;		/* 1 to KDIFF_MAX_PAMS; 0: every place is one,
				   on one strand */
	bool before;		/* PAMs are on the guide's 5' side */
	bool iupac;		/* as in kdiff_params */
	bool plus, minus;	/* strands */
	struct kdiff_limits max;
};

/* Guides that were added.  Shared by the threads that search with it. */
struct kdiff_pam;

/* 0; ERR_USAGE: a PAM has no letters, too many or one that is not IUPAC;
 * ERR_NOMEM. */
int kdiff_pam_new(struct kdiff_pam **g, const struct kdiff_pam_params *p,
		  struct err *e);
/* As kdiff_set_add(). */
int kdiff_pam_add(struct kdiff_pam *g, const uint8_t *letters, size_t m,
		  size_t k, struct err *e);
/* Letters that all texts may have together, before the first search; if they
 * are not known, tables are made only when searches without them took as long.
 */
void kdiff_pam_expect(struct kdiff_pam *g, uint64_t letters);
void kdiff_pam_free(struct kdiff_pam *g);

/* Letters of a PAM, by the order in which they were given. */
unsigned kdiff_pam_letters(const struct kdiff_pam *g, unsigned pam);

/* Letters that must precede `from` in a segment that is not its sequence's
 * beginning: the largest m + k, and L. */
uint64_t kdiff_pam_context(const struct kdiff_pam *g);
/* Letters between two segments. */
uint64_t kdiff_pam_gap(const struct kdiff_pam *g);

struct kdiff_site {
	uint64_t edge;		/* letters of text before it */
	uint32_t guide, dist;
	uint32_t lo, hi;	/* outward letters, if `whole`; for tracing */
	uint8_t pam;		/* which one */
	bool minus, whole;
};

/* Working memory of one thread; grows as needed. */
struct kdiff_pam_work;
int kdiff_pam_work_new(struct kdiff_pam_work **w, struct err *e);
void kdiff_pam_work_free(struct kdiff_pam_work *w);

/*
 * All sites in a text, in no order, some thousands at a time; take() gets
 * n > 0 of them, valid during the call, and may trace them with w; what it
 * returns below 0 ends the search.  ERR_NOMEM, ERR_LIMIT.
 */
typedef int kdiff_site_fn(void *ctx, const struct kdiff_site *v, size_t n,
			  struct err *e);
int kdiff_pam_each(struct kdiff_pam *g, const struct kdiff_text *text,
		   struct kdiff_pam_work *w, kdiff_site_fn *take, void *ctx,
		   struct err *e);

/* A site with its PAM: letters [beg, end) of the text. */
struct kdiff_site_path {
	uint64_t beg, end;
	size_t ops, n_ops;	/* ops[ops .. ops + n_ops) of the buffer */
};
/*
 * The alignments of sites: followed from the PAM outwards, = or X before D
 * before I, until the guide is used up; of those with D differences that keep
 * the limits the first.  Operations run along the forward text, the PAM's
 * letters are =; they are appended to ops as native uint32_t.
 */
int kdiff_pam_trace(struct kdiff_pam *g, const struct kdiff_text *text,
		    struct kdiff_pam_work *w, const struct kdiff_site *v,
		    size_t n, struct kdiff_site_path *paths, struct buf *ops,
		    struct err *e);

#endif
