/* SPDX-License-Identifier: MIT */
/* primer.c - working memory, texts prepared for an engine and its choice; the
 * plain engine */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "primer/primer_priv.h"
#include "primer/primer_short.h"

/*
 * Each start by itself, by bit vectors: any alphabet, k,
 * length
 * Source: Myers, J. ACM 46(3), 1999, figures 3 and 8.
 *
 * D(r, p) is the least number of differences between the first r letters from
 * the start on and any stretch of text that ends with p letters read.  Words of
 * 64 rows go down a column.  The row looked at is the first that no column has
 * had below k so far, of e + 1 - j letters if end(j) = e: where it is, e grows,
 * as far down the column as D stays below k.
 */

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

static int primer_room_more(struct primer_room *r, uint64_t n, size_t size,
		struct err *e);

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
word_column(struct word *x, uint64_t eq, int in)
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
walk_word(struct start *s, uint8_t c, int out, struct err *e)
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
		out = word_column(
		    w,
		    ((uint64_t *)
			 s->w->eq.mem)[(s->n_words - 1) * s->n_symbols + c],
		    out);
		s->d += (uint64_t)out;
	}
	return 0;
}

/* A column of all words. */
static int
words_column(struct start *s, uint8_t c, struct err *e)
{
	struct word *w = s->w->state.mem;
	const uint64_t *eq = s->w->eq.mem;
	int out = 0;

	for (uint64_t i = 0; i < s->n_words; i++)
		out = word_column(&w[i], eq[i * s->n_symbols + c], out);
	s->d += (uint64_t)out;
	return looked_at(s) < s->p->par.k ? walk_word(s, c, out, e) : 0;
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
		rc = words_column(s, x->symbol[i], e);
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

/* Working memory, and a text made ready for an engine. */

int
primer_work_new(struct primer_work **w, struct err *e)
{
	*w = calloc(1, sizeof **w);
	return *w ? 0 : err_nomem(e, sizeof **w);
}

void
primer_work_meter(struct primer_work *w, struct primer_meter *m)
{
	w->meter = m;
}

void
primer_work_free(struct primer_work *w)
{
	if (!w)
		return;
	free(w->text.mem);
	free(w->eq.mem);
	free(w->state.mem);
	free(w->shorts.mem);
	free(w->keys.mem);
	free(w->seeds.mem);
	free(w->cores.mem);
	free(w->found.v);
	free(w->scanned.mem);
	free(w->pieces.mem);
	free(w->back.mem);
	free(w->sliced.mem);
	free(w->window.mem);
	free(w->list.mem);
	free(w->letters.mem);
	free(w);
}

const struct primer_stats *
primer_work_stats(const struct primer_work *w)
{
	return &w->stats;
}

int
primer_room(struct primer_room *r, uint64_t n, size_t size, struct err *e)
{
	if (n <= r->cap / size)
		return 0;
	free(r->mem);
	r->mem = NULL;
	r->cap = 0;
	return primer_room_more(r, n, size, e);
}

/* The same, contents kept. */
static int
primer_room_more(struct primer_room *r, uint64_t n, size_t size, struct err *e)
{
	size_t want;
	void *p;

	if (n > SIZE_MAX / 4 / size)
		return err_nomem(e, SIZE_MAX);
	if (n <= r->cap / size)
		return 0;
	want = (n * size + 64) / 64 * 64;
	if (r->mem && want < r->cap + r->cap / 2)	/* it will grow again */
		want = (r->cap + r->cap / 2) / 64 * 64;
	p = aligned_alloc(64, want);
	if (!p)
		return err_nomem(e, want);
	if (r->mem)
		memcpy(p, r->mem, r->cap);
	free(r->mem);
	r->mem = p;
	r->cap = want;
	return 0;
}

/* The first of more than k symbols in a row that match nothing; n: none. */
static size_t
long_run(const uint8_t *s, size_t n, uint64_t k)
{
	size_t i = 0;

	while (i < n) {
		const uint8_t *z = memchr(s + i, PRIMER_NOTHING, n - i);
		size_t beg;

		if (!z)
			return n;
		beg = i = (size_t)(z - s);
		while (i < n && s[i] == PRIMER_NOTHING)
			i++;
		if (i - beg > k)
			return beg;
	}
	return n;
}

/*
 * A symbol that matches nothing is a difference wherever an occurrence has it,
 * so an occurrence holds fewer than k: runs of them are cut to k, which still
 * cannot be crossed.  A genome may begin with thousands, from which an engine
 * would learn nothing.
 */
static int
without_runs(struct primer_text *x, uint64_t k, struct primer_work *w,
	     struct err *e)
{
	size_t at = long_run(x->symbol, x->n, k), n = at;
	const uint8_t *s = x->symbol;
	uint64_t run = 0;
	uint8_t *to;
	int rc;

	if (at == x->n)
		return 0;
	rc = primer_room(&w->text, x->n, 1, e);
	if (rc)
		return rc;
	to = w->text.mem;
	memcpy(to, s, at);
	for (size_t i = at; i < x->n; i++) {
		run = s[i] == PRIMER_NOTHING ? run + 1 : 0;
		if (run <= k)
			to[n++] = s[i];
	}
	x->symbol = to;
	x->n = n;
	return 0;
}

enum {
	PERIODS = 12,		/* of repeats that are cut, at most */
	ALIKE = 32,		/* letters that show one */
};

/* A stretch [beg, end) in which each symbol is what `period` before it is. */
struct repeat {
	size_t beg, end, period;
};

/* The one around `at`, from `from` on; false: there is none.  Of two periods p
 * and q in p + q letters, the greatest common divisor is one, too: all others
 * are multiples of the first, with the same stretch. */
static bool
repeat_at(const struct primer_text *x, size_t at, size_t from,
	  struct repeat *r)
{
	const uint8_t *s = x->symbol;
	size_t p = 1;

	while (p <= PERIODS && memcmp(s + at, s + at - p, ALIKE) != 0)
		p++;
	if (p > PERIODS)
		return false;
	*r = (struct repeat){ at - p, at + ALIKE, p };
	while (r->beg > from && s[r->beg - 1] == s[r->beg - 1 + p])
		r->beg--;
	while (r->end < x->n && s[r->end] == s[r->end - p])
		r->end++;
	return true;
}

/*
 * An occurrence has primer_span() letters at most.  So many of a repeat, and
 * its period less one, hold all of them that lie in it; those that reach over
 * one of its ends are the same with some whole periods less, and none reaches
 * over both.  So longer repeats are cut: an engine would learn nothing from
 * them but that cores are everywhere.  Those much longer than that hold one of
 * the places that are looked at.
 */
static int
without_repeats(struct primer_text *x, uint64_t span, struct primer_work *w,
		struct err *e)
{
	const uint64_t keep = span + PERIODS, step = max_u64(keep, 2 * ALIKE);
	size_t done = 0, n = 0;
	struct repeat r;
	uint8_t *to = NULL;

	for (size_t at = step; x->n > 4 * step && at + ALIKE <= x->n;
	     at += step) {
		uint64_t cut;

		if (at < done + PERIODS || !repeat_at(x, at, done, &r) ||
		    r.end - r.beg < keep + step)
			continue;
		if (!to && x->symbol != w->text.mem) {
			int rc = primer_room(&w->text, x->n, 1, e);

			if (rc)
				return rc;
		}
		to = w->text.mem;
		cut = (r.end - r.beg - keep) / r.period * r.period;
		memmove(to + n, x->symbol + done, r.end - cut - done);
		n += r.end - cut - done;
		done = r.end;
		at = max_u64(at, r.end - r.end % step);
	}
	if (!to)
		return 0;
	memmove(to + n, x->symbol + done, x->n - done);
	x->symbol = to;
	x->n = n + x->n - done;
	return 0;
}

/* All symbols of the alphabet, or as far as the classes if there are no others;
 * by eight, which are below 128. */
static unsigned
symbols_in(const struct primer *p, const struct primer_text *x)
{
	const uint64_t ones = ~0ull / 255, above = 127 - p->n_classes;
	uint64_t some = 0, w;
	size_t i = 0;

	if (p->par.alphabet == PRIMER_LITERAL)
		return p->n_symbols;
	for (; i + 8 <= x->n; i += 8) {
		memcpy(&w, x->symbol + i, 8);
		some |= w + above * ones;
	}
	for (; i < x->n; i++)
		some |= x->symbol[i] + above;
	return some & 128 * ones ? p->n_symbols : p->n_classes + 1;
}

static bool
is_short(const struct primer *p)
{
	return primer_span(p) - (p->par.k - 1) <= PRIMER_MAX_SHORT &&
	       p->n_symbols <= PRIMER_SYMBOLS;
}

/*
 * With k of 14 and more 16 or 32 letters occur almost everywhere, so that the
 * short engine has leaves alone: measured on random letters, 10,000 against
 * 500,000, blocks then take half its time; with k of 13, as long; below, 4
 * times and more.
 */
static primer_engine_fn *
engine_for(const struct primer *p)
{
	enum { SHORT_K = 13 };

	switch (p->par.engine) {
	case PRIMER_PLAIN:
		return primer_plain;
	case PRIMER_BLOCKS:
		return primer_blocks;
	case PRIMER_SHORT:
		return is_short(p) ? primer_short : primer_blocks;
	default:
		return is_short(p) && p->par.k <= SHORT_K ? primer_short :
							    primer_blocks;
	}
}

bool
primer_by_text(const struct primer *p)
{
	return engine_for(p) == primer_short;
}

static int
search(struct primer *p, const uint8_t *symbol, size_t n, uint64_t from,
       uint64_t to, struct primer_work *w, struct err *e)
{
	struct primer_text x = { .symbol = symbol, .n = n };
	int rc;

	/* Nothing at either end is like no text there. */
	while (x.n && x.symbol[x.n - 1] == PRIMER_NOTHING)
		x.n--;
	while (x.n && *x.symbol == PRIMER_NOTHING) {
		x.symbol++;
		x.n--;
	}
	if (!x.n)
		return 0;
	rc = without_runs(&x, p->par.k, w, e);
	if (!rc)
		rc = without_repeats(&x, primer_span(p), w, e);
	if (rc)
		return rc;
	x.n_symbols = symbols_in(p, &x);
	return engine_for(p)(p, &x, from, to, w, e);
}

int
primer_search(struct primer *p, const uint8_t *symbol, size_t n, uint64_t from,
	      uint64_t to, struct primer_work *w, struct err *e)
{
	int rc;

	to = min_u64(to, p->n);
	if (from >= to)
		return 0;
	w->metered = 0;
	rc = search(p, symbol, n, from, to, w, e);
	primer_meter(w, to - from);
	return rc;
}
