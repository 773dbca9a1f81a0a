/* SPDX-License-Identifier: MIT */
/* kdiff_pam_priv.h - shared by the files of kdiff_pam */
#ifndef SEQF_KDIFF_KDIFF_PAM_PRIV_H
#define SEQF_KDIFF_KDIFF_PAM_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "kdiff/kdiff_pam.h"
#include "kdiff/kdiff_pam_kern.h"

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

/* A text that was turned: kdiff_pam_turn.h. */
struct pam_turned {
	struct kdiff_text text;
	uint64_t *planes, *exc, *sets;
	struct kdiff_seg *seg;
	size_t planes_cap, exc_cap, sets_cap, seg_cap;
};

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
	struct pam_turned turned, window;	/* for the search, for paths */
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
