/* SPDX-License-Identifier: MIT */
/*
 * ebwt_gap_each.c - distances of a matrix's words to one
 *
 * A word is read from its last letter on.  path[d] holds the bounds a and b of
 * the gap after d letters (ebwt_gap.c): as soon as they meet, at depth t, the
 * gap is known, whatever letters come, and from there on the rotations that
 * begin with each letter read are counted.  The last t letters are read once
 * more, behind the first, for their own rotations: with them all n are there.
 * The next word goes on from where it parts from this one: what was read
 * deeper is taken back.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "algo/ebwt_gap.h"

static int
by_ends(const void *x, const void *y, void *arg)
{
	const struct ebwt_gap_words *w = arg;
	const uint8_t *a = w->letters + *(const uint32_t *)x * w->len;
	const uint8_t *b = w->letters + *(const uint32_t *)y * w->len;

	for (size_t i = w->len; i-- > 0;)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static uint32_t
common_end(const struct ebwt_gap_words *w, uint32_t i, uint32_t j)
{
	const uint8_t *a = w->letters + i * w->len;
	const uint8_t *b = w->letters + j * w->len;
	size_t n = 0;

	while (n < w->len && a[w->len - 1 - n] == b[w->len - 1 - n])
		n++;
	return (uint32_t)n;
}

int
ebwt_gap_sort(struct ebwt_gap_words *w, struct err *e)
{
	w->order = malloc(((size_t)w->n + 1) * sizeof *w->order);
	w->shared = malloc(((size_t)w->n + 1) * sizeof *w->shared);
	if (!w->order || !w->shared) {
		free(w->order);
		free(w->shared);
		w->order = w->shared = NULL;
		return err_nomem(e, w->n * 2 * sizeof *w->order);
	}
	for (uint32_t i = 0; i < w->n; i++)
		w->order[i] = i;
	if (w->n)
		qsort_r(w->order, w->n, sizeof *w->order, by_ends, w);
	for (uint32_t i = 0; i < w->n; i++)
		w->shared[i] = i ? common_end(w, w->order[i - 1],
					      w->order[i]) : 0;
	return 0;
}

struct walk {
	const struct ebwt_gap *g;
	uint32_t *path;		/* a, b of each depth */
	uint32_t *count;	/* rotations in each gap */
	uint64_t taken, inner;	/* gaps that have any; of those within v's */
	size_t met;		/* depth at which the bounds met; beyond len:
				   they did not */
};

static inline bool
is_inner(const struct ebwt_gap *g, uint32_t gap)
{
	return gap > 0 && gap < g->m;
}

static inline void
put(struct walk *k, uint32_t gap)
{
	if (k->count[gap]++ == 0) {
		k->taken++;
		k->inner += is_inner(k->g, gap);
	}
}

static inline void
take_back(struct walk *k, uint32_t gap)
{
	if (--k->count[gap] == 0) {
		k->taken--;
		k->inner -= is_inner(k->g, gap);
	}
}

/* From depth `from` of a word that reached depth n, or none. */
static void
undo(struct walk *k, size_t from, size_t n)
{
	for (size_t d = n; d > from && d > k->met; d--)
		take_back(k, k->path[2 * d]);
	if (k->met > from)
		k->met = SIZE_MAX;
}

static void
descend(struct walk *k, const uint8_t *s, size_t n, size_t from)
{
	for (size_t d = from + 1; d <= n; d++) {
		uint8_t c = s[n - d];
		uint32_t *at = k->path + 2 * d;

		at[0] = ebwt_gap_step(k->g, at[-2], c);
		if (k->met < d) {
			put(k, at[0]);
			at[1] = at[0];
			continue;
		}
		at[1] = ebwt_gap_step(k->g, at[-1], c);
		if (at[0] == at[1])
			k->met = d;
	}
}

/* The last letters again, as far as the bounds had not met, and the runs. */
static uint64_t
close_circle(struct walk *k, const uint8_t *s, size_t n, bool wants_de,
	     struct ebwt_gap_work *work, double *de)
{
	uint32_t gap = k->path[2 * n];
	uint64_t runs;

	for (size_t d = 1; d <= k->met; d++) {
		gap = ebwt_gap_step(k->g, gap, s[n - d]);
		put(k, gap);
	}
	runs = k->taken + k->inner + 1;
	if (wants_de)
		*de = ebwt_gap_runs(k->g, n, work, runs);
	gap = k->path[2 * n];
	for (size_t d = 1; d <= k->met; d++) {
		gap = ebwt_gap_step(k->g, gap, s[n - d]);
		take_back(k, gap);
	}
	return n + k->g->m - runs;
}

/* A word whose bounds did not meet within it has nothing counted. */
static int
one_word(struct walk *k, const struct ebwt_gap_words *w, uint32_t i,
	 bool wants_de, struct ebwt_gap_work *work, uint64_t *delta,
	 double *de, struct err *e)
{
	const uint8_t *s = w->letters + (size_t)w->order[i] * w->len;

	undo(k, w->shared[i], w->len);
	descend(k, s, w->len, w->shared[i]);
	if (k->met > w->len)
		return ebwt_gap_delta(k->g, s, w->len, work, delta,
				      wants_de ? de : NULL, e);
	*delta = close_circle(k, s, w->len, wants_de, work, de);
	return 0;
}

int
ebwt_gap_each(const struct ebwt_gap *g, const struct ebwt_gap_words *w,
	      bool wants_de, struct ebwt_gap_work *work, ebwt_gap_fn *fn,
	      void *arg, struct err *e)
{
	struct walk k = { .g = g, .met = SIZE_MAX };
	size_t longest = w->len > g->m ? w->len : g->m;
	uint64_t delta = 0;
	double de = 0;
	int rc = 0;

	if (w->len < 1 || w->len > EBWT_GAP_MAX)
		return err_set(e, ERR_LIMIT, "words of %zu letters: must be 1 "
			       "to %d", w->len, EBWT_GAP_MAX);
	rc = ebwt_gap_room(&work->count, &work->n_count, (size_t)g->m + 1, e);
	if (!rc && wants_de)
		rc = ebwt_gap_room(&work->runs, &work->n_runs, longest + 2, e);
	if (!rc)
		rc = ebwt_gap_room(&work->path, &work->n_path,
				   2 * (w->len + 1), e);
	if (rc)
		return rc;
	k.path = work->path;
	k.count = work->count;
	k.path[0] = 0;
	k.path[1] = g->m;
	for (uint32_t i = 0; i < w->n && !rc; i++) {
		rc = one_word(&k, w, i, wants_de, work, &delta, &de, e);
		if (!rc)
			fn(arg, w->order[i], delta, de);
	}
	memset(work->count, 0, ((size_t)g->m + 1) * sizeof *work->count);
	return rc;
}
