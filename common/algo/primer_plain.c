/* SPDX-License-Identifier: MIT */
/*
 * primer_plain.c - each start by itself, by bit vectors: any alphabet, k,
 * length
 * Source: Myers, J. ACM 46(3), 1999, figures 3 and 8.
 *
 * D(r, p) is the least number of differences between the first r letters from
 * the start on and any stretch of text that ends with p letters read.  Words of
 * 64 rows go down a column.  The row looked at is the first that no column has
 * had below k so far, of e + 1 - j letters if end(j) = e: where it is, e grows,
 * as far down the column as D stays below k.
 */
#include "algo/primer_priv.h"
#include "base/minmax.h"

struct word {
	uint64_t p, m;	/* rows where D rises, falls from the one above */
};

struct start {
	const struct primer *p;
	struct primer_work *w;
	uint64_t beg, end, cap;	/* places: of end(beg) */
	unsigned n_symbols;
	uint64_t n_words;
	uint64_t d;		/* D of the last word's last row */
};

/* Which of a word's 64 letters each symbol matches. */
static void
match(const struct start *s, uint64_t word)
{
	uint64_t beg = s->beg + 64 * word, end = min_u64(beg + 64, s->cap);
	uint64_t *eq = (uint64_t *)s->w->eq.mem + word * s->n_symbols;

	for (unsigned c = 0; c < s->n_symbols; c++) {
		eq[c] = 0;
		for (uint64_t i = beg; i < end; i++)
			eq[c] |= (uint64_t)primer_matches(s->p, c,
				s->p->code[i]) << (i - beg);
	}
}

/*
 * Add a word below the last, whose rows have been at k or above in all columns
 * so far.  So are its own: letters more cost no less.  What they are exactly
 * is no matter, as a value below k comes from such values only: say that each
 * is one more than the one above.
 */
static int
deepen(struct start *s, struct err *e)
{
	int rc = primer_room_more(&s->w->eq, (s->n_words + 1) * s->n_symbols,
				  sizeof(uint64_t), e);

	if (!rc)
		rc = primer_room_more(&s->w->state, s->n_words + 1,
				      sizeof(struct word), e);
	if (rc)
		return rc;
	match(s, s->n_words);
	((struct word *)s->w->state.mem)[s->n_words++] = (struct word){
		.p = ~0ull,
	};
	s->d += 64;
	return 0;
}

/* A column of a word; in: D's change along its upper edge; along its lower. */
static inline int
advance(struct word *x, uint64_t eq, int in)
{
	uint64_t xv = eq | x->m, xh, ph, mh;
	int out;

	eq |= in < 0;
	xh = (((eq & x->p) + x->p) ^ x->p) | eq;
	ph = x->m | ~(xh | x->p);
	mh = x->p & xh;
	out = (int)(ph >> 63) - (int)(mh >> 63);
	ph = ph << 1 | (in > 0);
	mh = mh << 1 | (in < 0);
	x->p = mh | ~(xv | ph);
	x->m = ph & xv;
	return out;
}

/* D of the row looked at: from the last row back up to it. */
static inline uint64_t
looked_at(const struct start *s)
{
	const struct word *last = s->w->state.mem;
	uint64_t rows = s->end + 1 - s->beg, below;

	last += s->n_words - 1;
	if (rows == 64 * s->n_words)
		return s->d;
	below = ~0ull << (rows & 63);
	return s->d - (uint64_t)__builtin_popcountll(last->p & below) +
	       (uint64_t)__builtin_popcountll(last->m & below);
}

/* Down the column of symbol c, of which `out` was the change of the last row:
 * the new end. */
static int
walk(struct start *s, uint8_t c, int out, struct err *e)
{
	struct word *w;

	while (s->end < s->cap && looked_at(s) < s->p->par.k) {
		s->end++;
		if (s->end == s->cap || s->end - s->beg < 64 * s->n_words)
			continue;
		if (deepen(s, e))
			return e->code;
		/* the column before had 64 more than the word above had there,
		   which is `out` less than what that has now */
		w = s->w->state.mem;
		w += s->n_words - 1;
		s->d -= (uint64_t)out;
		out = advance(w, ((uint64_t *)s->w->eq.mem)[(s->n_words - 1) *
			s->n_symbols + c], out);
		s->d += (uint64_t)out;
	}
	return 0;
}

/* A column of all words. */
static int
column(struct start *s, uint8_t c, struct err *e)
{
	struct word *w = s->w->state.mem;
	const uint64_t *eq = s->w->eq.mem;
	int out = 0;

	for (uint64_t i = 0; i < s->n_words; i++)
		out = advance(&w[i], eq[i * s->n_symbols + c], out);
	s->d += (uint64_t)out;
	return looked_at(s) < s->p->par.k ? walk(s, c, out, e) : 0;
}

static int
scan(struct start *s, const struct primer_text *x, struct err *e)
{
	uint64_t words = (s->end - s->beg) / 64 + 1;
	size_t i;
	int rc = 0;

	while (!rc && s->n_words < words)
		rc = deepen(s, e);
	for (i = 0; !rc && i < x->n && s->end < s->cap; i++) {
		rc = column(s, x->symbol[i], e);
		s->w->stats.columns += s->n_words;
	}
	return rc;
}

/*
 * A start begins with the end of the one before it, which is its own, too:
 * ends do not decrease.  So once an end is the segment's, the ends of all
 * later starts are, without a look at the text; but an end that max_len cut
 * does not settle the next.
 */
int
primer_plain(struct primer *p, const struct primer_text *x, uint64_t from,
	     uint64_t to, struct primer_work *w, struct err *e)
{
	uint64_t before = 0;
	int rc = 0;

	for (uint64_t j = from; !rc && j < to; j++) {
		struct start s = {
			.p = p, .w = w, .beg = j, .cap = primer_cap(p, j),
			.n_symbols = x->n_symbols,
		};

		before = max_u64(before, primer_end(p, j));
		s.end = min_u64(before, s.cap);
		if (s.end < s.cap)
			rc = scan(&s, x, e);
		primer_raise(p, j, s.end);
		before = s.end;
	}
	return rc;
}
