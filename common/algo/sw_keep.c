/* SPDX-License-Identifier: MIT */
/*
 * sw_keep.c - the best K of what comes, one for each class, in O(K) memory
 *
 * Only the K best classes so far are held, each with its best cell so far; a
 * class that is dropped is forgotten.  That is exact.  Let r be the best cell
 * that a class C had when it was refused or dropped: K others were before it,
 * and since those only get better or make room for better ones, the last of
 * those held, L, is before r for good.  Now x of C comes.  If x is before L, it
 * is before r, so it is the best of C and takes L's place.  If not, neither r
 * nor x is before L, and C is not among the K best so far.
 *
 * That takes for granted that of two cells of a class the one that stands for
 * it is not the later one against any other class: both go by score, then by
 * end; where these are equal, all cells of C stand alike to other classes,
 * which differ in their begin: that is asked before rows where strands would
 * differ.  For plus: score, end, qend, beg, qbeg; the class wants the least
 * qend.  For minus: score, end, qbeg, beg, and qend only within C.
 */
#include "algo/sw_keep.h"

#include <stdlib.h>
#include <string.h>

#define NIL SIZE_MAX

void
sw_keep_free(struct sw_keep *s)
{
	free(s->node);
	free(s->heap);
	free(s->head);
	memset(s, 0, sizeof *s);
}

const struct sw_hit *
sw_keep_last(const struct sw_keep *s)
{
	return s->n && s->n == s->k ? &s->node[s->heap[0]].hit : NULL;
}

static size_t *
chain(const struct sw_keep *s, const struct sw_hit *x)
{
	bool cells = s->kind == SW_CELLS;
	uint64_t h = (cells ? x->end : x->beg) * 0x9e3779b97f4a7c15ULL;

	h = (h ^ h >> 29) + (cells ? x->qend : x->qbeg);
	h *= 0xbf58476d1ce4e5b9ULL;
	return &s->head[(h ^ h >> 32) & (s->n_head - 1)];
}

/* As many chains as hits are touched: many queries may take turns. */
static void
forget(struct sw_keep *s)
{
	for (size_t i = 0; i < s->n; i++)
		*chain(s, &s->node[i].hit) = NIL;
}

void
sw_keep_reset(struct sw_keep *s, const struct sw_query *q,
	      enum sw_kind kind, size_t k)
{
	forget(s);
	s->q = q;
	s->kind = kind;
	s->k = k;
	s->n = 0;
}

static bool
same(const struct sw_keep *s, const struct sw_hit *a, const struct sw_hit *b)
{
	if (s->kind == SW_CELLS)
		return a->end == b->end && a->qend == b->qend;
	return a->beg == b->beg && a->qbeg == b->qbeg;
}

static size_t
find(const struct sw_keep *s, const struct sw_hit *x)
{
	size_t i = *chain(s, x);

	while (i != NIL && !same(s, &s->node[i].hit, x))
		i = s->node[i].next;
	return i;
}

static void
link_node(struct sw_keep *s, size_t i)
{
	size_t *head = chain(s, &s->node[i].hit);

	s->node[i].next = *head;
	*head = i;
}

static void
unlink_node(struct sw_keep *s, size_t i)
{
	size_t *at = chain(s, &s->node[i].hit);

	while (*at != i)
		at = &s->node[*at].next;
	*at = s->node[i].next;
}

/* Is a later than b? */
static bool
later(const struct sw_keep *s, size_t a, size_t b)
{
	return sw_hit_cmp(s->q, &s->node[a].hit, &s->node[b].hit) > 0;
}

static void
place(struct sw_keep *s, size_t at, size_t i)
{
	s->heap[at] = i;
	s->node[i].place = at;
}

/* Node i, which is to stand at `at`, goes up to where it belongs. */
static void
sift_up(struct sw_keep *s, size_t at, size_t i)
{
	for (; at && later(s, i, s->heap[(at - 1) / 2]); at = (at - 1) / 2)
		place(s, at, s->heap[(at - 1) / 2]);
	place(s, at, i);
}

static void
sift_down(struct sw_keep *s, size_t at, size_t i)
{
	for (size_t c = 2 * at + 1; c < s->n; c = 2 * at + 1) {
		if (c + 1 < s->n && later(s, s->heap[c + 1], s->heap[c]))
			c++;
		if (!later(s, s->heap[c], i))
			break;
		place(s, at, s->heap[c]);
		at = c;
	}
	place(s, at, i);
}

/* Room for one more; the chains are made anew when nodes outgrow them. */
static int
grow(struct sw_keep *s, struct err *e)
{
	int rc = array_room(&s->node, &s->n_node, s->n + 1,
			 sizeof *s->node, e);

	if (!rc)
		rc = array_room(&s->heap, &s->n_heap, s->n + 1,
			     sizeof *s->heap, e);
	if (rc || s->n < s->n_head)
		return rc;
	rc = array_room(&s->head, &s->n_head, s->n + 1,
		     sizeof *s->head, e);
	if (rc)
		return rc;
	for (size_t i = 0; i < s->n_head; i++)
		s->head[i] = NIL;
	for (size_t i = 0; i < s->n; i++)
		link_node(s, i);
	return 0;
}

static int
add(struct sw_keep *s, const struct sw_hit *x, struct err *e)
{
	size_t i = s->n;
	int rc = grow(s, e);

	if (rc)
		return rc;
	s->node[i].hit = *x;
	link_node(s, i);
	s->n++;
	sift_up(s, i, i);
	return 0;
}

static void
replace_last(struct sw_keep *s, const struct sw_hit *x)
{
	size_t i = s->heap[0];

	unlink_node(s, i);
	s->node[i].hit = *x;
	link_node(s, i);
	sift_down(s, 0, i);
}

/* Does a stand for the class of a and b? */
static bool
stands(const struct sw_hit *a, const struct sw_hit *b)
{
	if (a->score != b->score)
		return a->score > b->score;
	return a->end != b->end ? a->end < b->end : a->qend < b->qend;
}

/*
 * Better in its class is not later in the heap, but that minus has the least
 * qend last: of two cells of a class that differ in nothing else, no other
 * class lies between them.
 */
static void
improve(struct sw_keep *s, size_t i, const struct sw_hit *x)
{
	if (s->kind == SW_CELLS || !stands(x, &s->node[i].hit))
		return;
	s->node[i].hit = *x;
	sift_down(s, s->node[i].place, i);
}

int
sw_keep_put(struct sw_keep *s, const struct sw_hit *x, struct err *e)
{
	const struct sw_hit *last = sw_keep_last(s);
	size_t i;

	/* later than the last by more than its class may change */
	if (last && (x->score < last->score ||
		     (x->score == last->score && x->end > last->end)))
		return 0;
	i = s->n_head ? find(s, x) : NIL;
	if (i != NIL)
		improve(s, i, x);
	else if (!last && s->k)
		return add(s, x, e);
	else if (last && sw_hit_cmp(s->q, x, last) < 0)
		replace_last(s, x);
	return 0;
}

int
sw_keep_take(struct sw_keep *s, struct sw_hits *hits, struct err *e)
{
	int rc = array_room(&hits->v, &hits->cap, s->n,
			 sizeof *hits->v, e);

	if (rc)
		return rc;
	forget(s);
	hits->n = s->n;
	while (s->n) {
		hits->v[s->n - 1] = s->node[s->heap[0]].hit;
		s->n--;
		if (s->n)
			sift_down(s, 0, s->heap[s->n]);
	}
	return 0;
}
