/* SPDX-License-Identifier: MIT */
/*
 * ebwt_list.c - BWT rows, from rotations of roots sorted by any engine or by
 * comparing letters, and the inverse
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "ebwt/ebwt.h"
#include "ebwt/ebwt_priv.h"

enum { ROWS = 4096 };

struct list {
	struct ebwt *x;
	ebwt_rows_fn *fn;
	void *arg;
	uint64_t done;		/* rows given */
	size_t n;
	struct ebwt_row row[ROWS];
};

static int
give(struct list *l, struct err *e)
{
	const struct ebwt_params *par = &l->x->par;
	int rc;

	if (!l->n)
		return 0;
	rc = l->fn(l->arg, l->row, l->n, e);
	l->done += l->n;
	l->n = 0;
	if (!rc && par->progress)
		par->progress(par->progress_arg, l->done, l->x->n_rows);
	return rc;
}

/* All rows that rotation r of a class's root stands for: they tie. */
static int
expand_class(struct list *l, const struct ebwt_class *c, uint32_t r,
	     struct err *e)
{
	const struct ebwt *x = l->x;
	struct ebwt_row row = { .last = c->root[(r ? r : c->n) - 1] };
	int rc;

	for (uint32_t k = 0; k < c->words; k++) {
		uint32_t s, w = x->member[c->first + k];

		s = x->shift[w];
		row.word = w;
		row.offset = r >= s ? r - s : r + (c->n - s);
		for (uint32_t t = x->exponent[w]; t; t--) {
			if (l->n == ROWS) {
				rc = give(l, e);
				if (rc)
					return rc;
			}
			l->row[l->n++] = row;
			row.offset += c->n;
			row.tied = true;
		}
	}
	return 0;
}

static int
expand_batch(void *arg, const struct ebwt_batch *b, struct err *e)
{
	struct list *l = arg;
	int rc = 0;

	for (uint64_t i = 0; !rc && i < b->n; i++) {
		uint32_t at = b->class[ebwt_index(b, i)];
		const struct ebwt_class *c = &l->x->class[at];

		rc = expand_class(l, c, ebwt_offset(b, i, c->n), e);
	}
	return rc;
}

int
ebwt_list(struct ebwt *x, ebwt_rows_fn *fn, void *arg, struct err *e)
{
	struct list *l;
	int rc;

	if (x->par.memory &&
	    ebwt_fits(x, ebwt_need(x, NULL).least - x->used, e))
		return e->code;
	rc = ebwt_take(x, &l, 1, sizeof *l, e);
	if (rc)
		return rc;
	l->x = x;
	l->fn = fn;
	l->arg = arg;
	l->done = 0;
	l->n = 0;
	rc = ebwt_sort(x, true, expand_batch, l, e);
	if (!rc)
		rc = give(l, e);
	ebwt_give(x, &l);
	return rc;
}

/*
 * The words from M_L and M_chi
 *
 * Sort M_L stably: the row of rank r holds the rotation that the row's letter
 * and its rotation make, so this permutation leads from each row to that of the
 * letter before.  Tied rows have the same last letter, and so lead to rows that
 * tie in the same order.  Its cycles are therefore one for each copy of a root:
 * a word of exponent t has t that lie side by side, in every group of tied
 * rows, and offset 0 is in the first of them.  So each cycle holds at most one
 * M_chi of 1, and one without belongs to the word of the cycle in the row
 * before; a group's first cycle has it.  Conversely every such M_L and M_chi
 * are those of the words so found, as every M_L is that of a multiset of roots.
 */

enum {
	UNKNOWN,
	BEGUN,		/* it has a chi of 1 */
	COPY,		/* of the cycle before it */
	GIVEN,		/* BEGUN, and its word was given */
};

struct restore {
	const uint8_t *last, *chi;
	uint64_t n;
	uint32_t *to;		/* by row: the row of the letter before */
	uint8_t *cycle;		/* by row: what its cycle is */
	uint8_t *letters;
};

static void
permute(struct restore *r)
{
	uint64_t beg[256] = { 0 }, sum = 0;

	for (uint64_t i = 0; i < r->n; i++)
		beg[r->last[i]]++;
	for (int c = 0; c < 256; c++) {
		uint64_t count = beg[c];

		beg[c] = sum;
		sum += count;
	}
	for (uint64_t i = 0; i < r->n; i++)
		r->to[i] = (uint32_t)beg[r->last[i]]++;
}

/* Mark the cycles that a chi begins: false if one has two. */
static bool
mark(struct restore *r)
{
	for (uint64_t i = 0; i < r->n; i++) {
		uint64_t at = i;

		if (!r->chi[i])
			continue;
		do {
			if (r->cycle[at] != UNKNOWN)
				return false;
			r->cycle[at] = BEGUN;
			at = r->to[at];
		} while (at != i);
	}
	return true;
}

/*
 * Has every row without a begun cycle, tied to it, one before it?  Tied rows
 * lead to rows side by side, all around the cycle.  Once around is enough: two
 * cycles side by side of the same letters are of equal length, or powers of
 * one root, which cycles never are.
 */
static bool
follows(struct restore *r, uint64_t i)
{
	uint64_t at = i;

	do {
		if (!at || r->last[at] != r->last[at - 1] ||
		    r->to[at] != r->to[at - 1] + 1)
			return false;
		at = r->to[at];
	} while (at != i);
	return true;
}

/* Every cycle that is not begun follows another; each is looked at once. */
static bool
all_follow(struct restore *r)
{
	for (uint64_t i = 0; i < r->n; i++) {
		uint64_t at = i;

		if (r->cycle[i] != UNKNOWN)
			continue;
		if (!follows(r, i))
			return false;
		do {
			r->cycle[at] = COPY;
			at = r->to[at];
		} while (at != i);
	}
	return true;
}

/* Where the word of row i's cycle begins; it counts as given. */
static uint64_t
word_begin(struct restore *r, uint64_t i)
{
	uint64_t at = i, found = i;

	do {
		if (r->chi[at])
			found = at;
		r->cycle[at] = GIVEN;
		at = r->to[at];
	} while (at != i);
	return found;
}

/* The word that begins at row i: its cycle, and copies of it. */
static int
word(struct restore *r, uint64_t i, ebwt_word_fn *fn, void *arg,
     struct err *e)
{
	uint64_t m = 0, at = i, copies = 1;
	uint8_t *end = r->letters + r->n;

	do {
		*(end - ++m) = r->last[at];
		at = r->to[at];
	} while (at != i);
	while (i + copies < r->n && r->cycle[i + copies] == COPY)
		copies++;
	/* n letters hold them all, as each copy has its rows */
	for (uint64_t k = 1; k < copies; k++)
		memcpy(end - (k + 1) * m, end - m, m);
	return fn(arg, end - copies * m, copies * m, e);
}

static int
emit_words(struct restore *r, ebwt_word_fn *fn, void *arg, struct err *e)
{
	int rc = 0;

	permute(r);
	for (uint64_t i = 0; i < r->n; i++)
		if (r->chi[i] > 1)
			return err_set(e, ERR_FORMAT, "M_chi of row %llu is "
				"neither 0 nor 1", (unsigned long long)i + 1);
	if (!mark(r) || !all_follow(r))
		return err_set(e, ERR_FORMAT, "no multiset of words has these "
			"M_L and M_chi");
	/* in tied groups, cycles stand in the order of their words */
	for (uint64_t i = 0; !rc && i < r->n; i++)
		if (r->cycle[i] == BEGUN)
			rc = word(r, word_begin(r, i), fn, arg, e);
	return rc;
}

int
ebwt_restore(const uint8_t *last, const uint8_t *chi, uint64_t n,
	     ebwt_word_fn *fn, void *arg, struct err *e)
{
	struct restore r = { .last = last, .chi = chi, .n = n };
	int rc;

	if (n > EBWT_MAX_WORD)
		return err_set(e, ERR_LIMIT, "too many letters in all words "
			"(at most %llu)", EBWT_MAX_WORD);
	if (!n)
		return 0;
	r.to = malloc(n * sizeof *r.to);
	r.cycle = calloc(n, 1);
	r.letters = malloc(n);
	if (r.to && r.cycle && r.letters)
		rc = emit_words(&r, fn, arg, e);
	else
		rc = err_nomem(e, 6 * n);
	free(r.to);
	free(r.cycle);
	free(r.letters);
	return rc;
}

/*
 * Rotations sorted by comparing letters: the reference
 *
 * Two different rotations of roots differ within |u| + |v| - gcd letters: else
 * their omega-powers were equal (Fine and Wilf), and so their roots.
 */

struct plain {
	const struct ebwt *x;
	uint64_t *item, *other;
	uint32_t *pos, *class;
};

static bool
row_before(const struct plain *p, uint64_t a, uint64_t b)
{
	const struct ebwt_class *u = &p->x->class[p->class[a]];
	const struct ebwt_class *v = &p->x->class[p->class[b]];
	uint32_t i = p->pos[a], j = p->pos[b];

	while (u->root[i] == v->root[j]) {
		i = i + 1 == u->n ? 0 : i + 1;
		j = j + 1 == v->n ? 0 : j + 1;
	}
	return u->root[i] < v->root[j];
}

/* [beg, mid) and [mid, end) of item, each sorted, become one in other. */
static void
merge_rows(struct plain *p, uint64_t beg, uint64_t mid, uint64_t end)
{
	uint64_t i = beg, j = mid, *to = p->other + beg;

	while (i < mid && j < end)
		*to++ = row_before(p, p->item[j], p->item[i]) ? p->item[j++]
							      : p->item[i++];
	memcpy(to, p->item + i, (mid - i) * sizeof *to);
	to += mid - i;
	memcpy(to, p->item + j, (end - j) * sizeof *to);
}

static void
sort_rows(struct plain *p)
{
	uint64_t n = p->x->n_roots, *swap;

	for (uint64_t len = 1; len < n; len *= 2) {
		for (uint64_t beg = 0; beg < n; beg += 2 * len)
			merge_rows(p, beg, min_u64(beg + len, n),
				   min_u64(beg + 2 * len, n));
		swap = p->item;
		p->item = p->other;
		p->other = swap;
	}
}

static void
fill_rows(struct plain *p)
{
	uint64_t n = 0;

	for (size_t c = 0; c < p->x->n_classes; c++)
		for (uint32_t i = 0; i < p->x->class[c].n; i++) {
			p->pos[n] = i;
			p->class[n] = (uint32_t)c;
			p->item[n] = n;
			n++;
		}
}

int
ebwt_sort_plain(struct ebwt *x, bool wants_offsets, ebwt_batch_fn *fn,
		void *arg, struct err *e)
{
	struct plain p = { .x = x };
	uint64_t n = x->n_roots;
	int rc = ebwt_take(x, &p.item, n, sizeof *p.item, e);

	(void)wants_offsets;	/* they are there */
	if (!rc)
		rc = ebwt_take(x, &p.other, n, sizeof *p.other, e);
	if (!rc)
		rc = ebwt_take(x, &p.pos, n, sizeof *p.pos, e);
	if (!rc)
		rc = ebwt_take(x, &p.class, n, sizeof *p.class, e);
	if (!rc) {
		struct ebwt_batch b = {
			.n = n, .base = x->par.origin, .index_mask = ~0ull,
			.pos = p.pos, .class = p.class,
		};

		fill_rows(&p);
		sort_rows(&p);
		b.item = p.item;
		rc = fn(arg, &b, e);
	}
	ebwt_give(x, &p.item);
	ebwt_give(x, &p.other);
	ebwt_give(x, &p.pos);
	ebwt_give(x, &p.class);
	return rc;
}
