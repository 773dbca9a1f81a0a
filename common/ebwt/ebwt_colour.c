/* SPDX-License-Identifier: MIT */
/*
 * ebwt_colour.c - colours: multisets of words, and those that share some
 *
 * Let a row of the listing stand for a class's rotation, as in ebwt_set.c: it
 * is a of U's rows and b of V's that tie.  A block with a > b > 0 has most runs
 * if it begins and ends with U: 2b runs more than if V's rows were not there
 * and U's were a - b; if it ended with V it would have one less, which the rest
 * of the listing can gain back but not more.  A block with a = b, in turn, has
 * 2a runs and leaves what was last as it was; alone in the listing, it has 2a,
 * too.  So the most runs are
 *	2 min(a, b), of all blocks + the runs of what is left: a - b of U or
 *	b - a of V
 * and delta(U, V) is delta of what each has more of than the other.
 *
 * A class of one colour alone is that colour in ebwt_count().  Rows of others
 * are several, one behind the other, which is right for pairs of which one
 * colour has the class; of two colours that both share classes with any, the
 * rows are kept and merged.
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "ebwt/ebwt_priv.h"

/* Words of a colour in a class, by both. */
struct stay {
	uint32_t class, colour, times;
};

static int
by_class(const void *a, const void *b)
{
	const struct stay *x = a, *y = b;
	int c = cmp_u64(x->class, y->class);

	return c ? c : cmp_u64(x->colour, y->colour);
}

/* Each colour's letters: there are some. */
static int
add_letters(struct ebwt *x, const uint32_t *of, struct err *e)
{
	memset(x->colour_n, 0, x->n_colours * sizeof *x->colour_n);
	for (size_t w = 0; w < x->n_words; w++)
		x->colour_n[of[w]] += x->word[w].n;
	for (size_t k = 0; k < x->n_colours; k++) {
		if (!x->colour_n[k])
			return err_set(e, ERR_USAGE, "colour %zu has no words",
				       k + 1);
		if (x->colour_n[k] > EBWT_MAX_WORD)
			return err_set(e, ERR_LIMIT, "set %zu of words has %llu"
				       " letters: too many (at most %llu)",
				       k + 1, (unsigned long long)
				       x->colour_n[k], EBWT_MAX_WORD);
	}
	return 0;
}

/* Sorted; each class's colours once.  Returns how many are left. */
static size_t
unite(struct stay *s, size_t n)
{
	size_t m = 0;

	qsort(s, n, sizeof *s, by_class);
	for (size_t i = 0; i < n; i++)
		if (m && !by_class(&s[m - 1], &s[i]))
			s[m - 1].times += s[i].times;
		else
			s[m++] = s[i];
	return m;
}

/* What x says of classes, from m stays. */
static void
fill_tones(struct ebwt *x, const struct stay *s, size_t m)
{
	size_t i = 0;

	memset(x->kept_n, 0, x->n_colours * sizeof *x->kept_n);
	for (size_t c = 0; c < x->n_classes; c++) {
		size_t beg = i;

		x->tone_at[c] = (uint32_t)beg;
		for (; i < m && s[i].class == c; i++)
			x->tone[i] = (struct ebwt_tone){ s[i].colour,
							 s[i].times };
		x->kind_of[c] = i - beg > 1 ? EBWT_NONE : x->tone[beg].colour;
		for (size_t k = beg; k < i && i - beg > 1; k++)
			x->kept_n[x->tone[k].colour] = 1;
		x->shares |= i - beg > 1;
	}
	x->tone_at[x->n_classes] = (uint32_t)m;
	/* rows that are to be kept, of colours that share */
	x->n_kept = 0;
	for (size_t c = 0; c < x->n_classes; c++)
		for (i = x->tone_at[c]; i < x->tone_at[c + 1]; i++) {
			uint64_t *n = &x->kept_n[x->tone[i].colour];

			*n += *n ? x->class[c].n : 0;
			x->n_kept += *n ? x->class[c].n : 0;
		}
	for (size_t k = 0; k < x->n_colours; k++)
		x->kept_n[k] -= x->kept_n[k] > 0;
}

static int
colours_room(struct ebwt *x, struct err *e)
{
	int rc = ebwt_take(x, &x->colour_n, x->n_colours, sizeof *x->colour_n,
			   e);

	if (!rc)
		rc = ebwt_take(x, &x->kept_n, x->n_colours, sizeof *x->kept_n,
			       e);
	if (!rc)
		rc = ebwt_take(x, &x->kind_of, x->n_classes,
			       sizeof *x->kind_of, e);
	if (!rc)
		rc = ebwt_take(x, &x->tone_at, x->n_classes + 1,
			       sizeof *x->tone_at, e);
	if (!rc)
		rc = ebwt_take(x, &x->tone, x->n_words, sizeof *x->tone, e);
	return rc;
}

int
ebwt_colours(struct ebwt *x, const uint32_t *of, size_t n, struct err *e)
{
	struct stay *s = NULL;
	int rc = 0;

	if (!n || n > x->n_words)
		return err_set(e, ERR_USAGE, "no words of a colour");
	for (size_t w = 0; w < x->n_words; w++)
		if (of[w] >= n)
			return err_set(e, ERR_USAGE, "a word of no colour");
	x->n_colours = x->n_kinds = x->n_sets = n;
	rc = colours_room(x, e);
	if (!rc)
		rc = add_letters(x, of, e);
	if (!rc)
		rc = ebwt_take(x, &s, x->n_words, sizeof *s, e);
	if (!rc) {
		for (size_t w = 0; w < x->n_words; w++)
			s[w] = (struct stay){ x->class_of[w], of[w],
					      x->exponent[w] };
		fill_tones(x, s, unite(s, x->n_words));
		if (x->shares && x->n_roots > ebwt_most(x))
			rc = err_set(e, ERR_LIMIT, "sets that have words in "
				     "common: %llu letters (at most %u)",
				     (unsigned long long)x->n_roots,
				     ebwt_most(x));
	}
	ebwt_give(x, &s);
	return rc;
}

/* Rows as those of colours, and kept ones. */

int
ebwt_kept_new(struct ebwt_kept *t, struct ebwt *x, struct err *e)
{
	uint64_t n = 0;
	int rc = ebwt_take(x, &t->row, x->n_kept, sizeof *t->row, e);

	if (!rc)
		rc = ebwt_take(x, &t->end, x->n_colours, sizeof *t->end, e);
	for (size_t k = 0; k < x->n_colours && !rc; k++) {
		t->end[k] = n;
		n += x->kept_n[k];
	}
	return rc;
}

void
ebwt_kept_free(struct ebwt_kept *t, struct ebwt *x)
{
	ebwt_give(x, &t->row);
	ebwt_give(x, &t->end);
}

size_t
ebwt_kept_rows(struct ebwt_kept *t, const struct ebwt *x,
	       const struct ebwt_batch *b, uint64_t *from, uint32_t *to,
	       size_t room)
{
	size_t n = 0;
	uint64_t i;

	for (i = *from; i < b->n; i++) {
		uint32_t c = ebwt_class(b, i);
		uint32_t at = x->tone_at[c], end = x->tone_at[c + 1];
		uint32_t row = (uint32_t)(b->base - x->par.origin + i);

		if (end - at > room - n)
			break;
		for (; at < end; at++) {
			struct ebwt_tone w = x->tone[at];

			to[n++] = w.colour;
			if (x->kept_n[w.colour])
				t->row[t->end[w.colour]++] =
					(struct ebwt_kept_row){ row, w.times };
		}
	}
	*from = i;
	return n;
}

/* The most runs of two colours, of their kept rows: see the top. */
static uint64_t
merged_runs(const struct ebwt_kept_row *u, const struct ebwt_kept_row *u_end,
	    const struct ebwt_kept_row *v, const struct ebwt_kept_row *v_end)
{
	enum { NOBODY, U, V } last = NOBODY;
	uint64_t runs = 0;

	while (u < u_end && v < v_end) {
		bool of_u = u->row <= v->row, of_v = v->row <= u->row;
		uint32_t a = of_u ? u->times : 0, b = of_v ? v->times : 0;
		unsigned now = a > b ? U : a < b ? V : last;

		runs += 2 * (uint64_t)(a < b ? a : b) + (now != last);
		last = now;
		u += of_u;
		v += of_v;
	}
	return runs + (u < u_end && last != U) + (v < v_end && last != V);
}

struct sharing {
	const struct ebwt *x;
	const struct ebwt_kept *t;
	struct ebwt_pairs *p;
	const uint32_t *colour;	/* of those that share, by number */
};

static void
merge_row(void *arg, uint64_t i, unsigned thread)
{
	const struct sharing *s = arg;
	uint32_t k = s->colour[i];
	const struct ebwt_kept_row *u = s->t->row + s->t->end[k];
	const uint64_t *n = s->x->colour_n;

	(void)thread;
	for (uint64_t j = 0; j < i; j++) {
		uint32_t m = s->colour[j];
		const struct ebwt_kept_row *v = s->t->row + s->t->end[m];

		s->p->shared[i * (i - 1) / 2 + j] = n[k] + n[m] -
			merged_runs(u - s->x->kept_n[k], u,
				    v - s->x->kept_n[m], v);
	}
}

int
ebwt_share(struct ebwt *x, const struct ebwt_kept *t, struct ebwt_pairs *p,
	   struct err *e)
{
	struct sharing s = { x, t, p, NULL };
	uint32_t *colour, n = 0;
	int rc = ebwt_take(x, &colour, x->n_colours, sizeof *colour, e);

	if (!rc)
		rc = ebwt_take(x, &p->sharer, x->n_colours, sizeof *p->sharer,
			       e);
	for (uint32_t k = 0; k < x->n_colours && !rc; k++) {
		p->sharer[k] = x->kept_n[k] ? n : EBWT_NONE;
		colour[n] = k;
		n += x->kept_n[k] > 0;
	}
	if (!rc)
		rc = ebwt_take(x, &p->shared, (uint64_t)n * (n - (n > 0)) / 2,
			       sizeof *p->shared, e);
	s.colour = colour;
	if (!rc)
		threads_each(x->par.threads, n, merge_row, &s);
	ebwt_give(x, &colour);
	return rc;
}
