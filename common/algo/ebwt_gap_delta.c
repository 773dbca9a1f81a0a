/* SPDX-License-Identifier: MIT */
/* ebwt_gap_delta.c - the rotations of one word found in the gaps of another */
#include <stdlib.h>
#include <string.h>

#include "algo/ebwt.h"
#include "algo/ebwt_gap.h"

/*
 * A step waits for the one before, so a long word is read from several places
 * at once.  It takes LEAST letters to be worth it.
 */
enum { CHAINS = 8, LEAST = 256, ALL = -1 };

/* Rotation `at` of u lies in the gap; `left` more before it are to be found. */
struct chain {
	uint32_t gap;
	size_t at, left;
};

static inline size_t
before(size_t i, size_t n)
{
	return (i ? i : n) - 1;
}

/*
 * From rotation c->at backwards, within `most` letters, to one whose gap is
 * known; false: there is none.  Of all gaps at first, [a, b] are those between
 * which a rotation of v would have to begin with what was read to tie with it.
 * n + m letters are more than two words whose roots are not conjugate have in
 * common (ebwt.h), so there always is one within ALL if they are not.
 */
static bool
settle(const struct ebwt_gap *g, const uint8_t *u, size_t n, int64_t most,
       struct chain *c)
{
	uint64_t limit = most == ALL ? (uint64_t)n + g->m : (uint64_t)most;
	uint32_t a = 0, b = g->m;
	size_t i = c->at;

	for (uint64_t k = 0; a != b; k++) {
		if (k > limit)
			return false;
		i = before(i, n);
		a = ebwt_gap_step(g, a, u[i]);
		b = ebwt_gap_step(g, b, u[i]);
	}
	c->gap = a;
	c->at = i;
	return true;
}

/*
 * Chains from places that are equally far apart, those that settle soon.  Each
 * goes on to where the one before it in the text began: together they meet
 * every rotation once.
 */
static unsigned
begin_chains(const struct ebwt_gap *g, const uint8_t *u, size_t n,
	     struct chain *chain)
{
	unsigned k = 0;

	for (unsigned i = 0; i < CHAINS && n >= LEAST; i++) {
		size_t from = n / CHAINS * i, to = n / CHAINS * (i + 1);

		/*
		 * No further than half of the way to the place before, which
		 * is for speed.  A chain never settles left of one that began
		 * further left, for it has read all that the other has, and
		 * more; but the first must not go beyond letter 0.
		 */
		chain[k].at = to;
		if (settle(g, u, n, (int64_t)((to - from) / 2), &chain[k]))
			k++;
	}
	if (k == 0) {
		chain[0].at = 0;
		if (!settle(g, u, n, ALL, &chain[0]))
			return 0;
		k = 1;
	}
	for (unsigned i = 1; i < k; i++)
		chain[i].left = chain[i].at - chain[i - 1].at;
	chain[0].left = chain[0].at + n - chain[k - 1].at;
	return k;
}

static inline void
step(const struct ebwt_gap *g, const uint8_t *u, size_t n, struct chain *c)
{
	c->at = before(c->at, n);
	c->gap = ebwt_gap_step(g, c->gap, u[c->at]);
}

/* `steps` of each of so many chains; beside `taken` ones, how many gaps are. */
static inline uint64_t
walk(const struct ebwt_gap *g, const uint8_t *u, size_t n,
     struct chain *chain, unsigned n_chains, size_t steps, uint64_t taken,
     struct ebwt_gap_work *w)
{
	struct chain c[CHAINS];

	memcpy(c, chain, n_chains * sizeof *c);
	for (size_t k = 0; k < steps; k++)
#pragma GCC unroll 8
		for (unsigned i = 0; i < n_chains; i++) {
			step(g, u, n, &c[i]);
			w->taken[taken] = c[i].gap;
			taken += w->count[c[i].gap]++ == 0;
		}
	for (unsigned i = 0; i < n_chains; i++) {
		c[i].left -= steps;
		chain[i] = c[i];
	}
	return taken;
}

static int
by_left(const void *a, const void *b)
{
	const struct chain *x = a, *y = b;

	return x->left > y->left ? -1 : x->left < y->left;
}

/* Rotations into their gaps, by as many chains as are left: returns how many
 * gaps are taken. */
static uint64_t
take_gaps(const struct ebwt_gap *g, const uint8_t *u, size_t n,
	  struct chain *chain, unsigned n_chains, struct ebwt_gap_work *w)
{
	uint64_t taken = 0;
	unsigned k;
	size_t left;

	for (;;) {
		qsort(chain, n_chains, sizeof *chain, by_left);
		while (n_chains && !chain[n_chains - 1].left)
			n_chains--;
		if (!n_chains)
			return taken;
		k = n_chains == 8 ? 8 : n_chains >= 4 ? 4 :
		    n_chains >= 2 ? 2 : 1;
		left = chain[k - 1].left;
		/* the number is known where it is inlined */
		taken = k == 8 ? walk(g, u, n, chain, 8, left, taken, w) :
			k == 4 ? walk(g, u, n, chain, 4, left, taken, w) :
			k == 2 ? walk(g, u, n, chain, 2, left, taken, w) :
				 walk(g, u, n, chain, 1, left, taken, w);
	}
}

/* Back to zeros: all, or the ones that were taken. */
static void
clear_gaps(const struct ebwt_gap *g, struct ebwt_gap_work *w, uint64_t taken)
{
	if (g->m / 16 <= taken) {
		memset(w->count, 0, ((size_t)g->m + 1) * sizeof *w->count);
		return;
	}
	for (uint64_t i = 0; i < taken; i++)
		w->count[w->taken[i]] = 0;
}

int
ebwt_gap_delta(const struct ebwt_gap *g, const uint8_t *u, size_t n,
	       struct ebwt_gap_work *w, uint64_t *delta, double *de,
	       struct err *e)
{
	struct chain chain[CHAINS] = { { 0 } };
	uint64_t taken, inner, runs;
	unsigned n_chains;
	int rc;

	if (n < 1 || n > EBWT_GAP_MAX)
		return err_set(e, ERR_LIMIT, "a word of %zu letters: must be "
			       "1 to %d", n, EBWT_GAP_MAX);
	rc = ebwt_gap_room(&w->count, &w->n_count, (size_t)g->m + 1, e);
	if (!rc)	/* one behind all that there are */
		rc = ebwt_gap_room(&w->taken, &w->n_taken, (size_t)g->m + 2, e);
	if (!rc && de)
		rc = ebwt_gap_room(&w->runs, &w->n_runs,
				   (n > g->m ? n : g->m) + 2, e);
	if (rc)
		return rc;
	n_chains = begin_chains(g, u, n, chain);
	if (!n_chains) {
		*delta = ebwt_delta_tied(n, g->m);
		if (de)
			*de = ebwt_gap_entropy_tied(n, g->m);
		return 0;
	}
	taken = take_gaps(g, u, n, chain, n_chains, w);
	inner = taken - (w->count[0] > 0) - (w->count[g->m] > 0);
	/* each gap taken is a run of u; v's is cut by those within it */
	runs = taken + inner + 1;
	*delta = n + g->m - runs;
	if (de)
		*de = ebwt_gap_runs(g, n, w, runs);
	clear_gaps(g, w, taken);
	return 0;
}
