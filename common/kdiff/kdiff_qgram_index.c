/* SPDX-License-Identifier: MIT */
/* kdiff_qgram_index.c - the index of the patterns' q-grams */

#include <stdlib.h>
#include <string.h>

#include "kdiff/kdiff_priv.h"
#include "letters/letters.h"

void
kdiff_qgram_free(struct kdiff_qgram *f)
{
	if (!f)
		return;
	free(f->set.pat);
	free(f->first.pat);
	free(f->number);
	free(f->rest);
	free(f->pat);
	free(f->store);
	free(f->pieces);
	kdiff_grams_free(&f->grams);
	free(f->seed);
	free(f);
}

static void
put_pattern(struct kdiff_qgram *f, const struct kdiff_pat *p, uint32_t number)
{
	f->number[f->set.n] = number;
	f->set.pat[f->set.n++] = *p;
	f->cycles += kdiff_plain_cycles(&f->set, p);
}

/* Patterns with pieces of `least` letters, and the others. */
static int
divide_patterns(struct kdiff_qgram *f, const struct kdiff_set *set,
		unsigned least, struct err *e)
{
	f->set = *set;
	f->set.n = 0;
	f->set.lazy = NULL;
	f->set.pat = malloc(set->n * sizeof *f->set.pat);
	f->number = malloc(set->n * sizeof *f->number);
	f->rest = malloc(set->n * sizeof *f->rest);
	if (!f->set.pat || !f->number || !f->rest)
		return err_nomem(e, set->n * sizeof *f->set.pat);
	for (uint32_t i = 0; i < set->n; i++)
		if (set->pat[i].piece >= least)
			put_pattern(f, &set->pat[i], i);
		else
			f->rest[f->n_rest++] = i;
	return 0;
}

/* Where the pattern's k + 1 pieces begin. */
static void
cut_pieces(const struct kdiff_set *set, const struct kdiff_pat *p,
	   uint32_t *piece)
{
	unsigned run = 0;

	for (uint32_t i = 0, n = 0; n <= p->k; i++) {
		unsigned s = set->sym[p->code[i]];

		run = s & (s - 1) ? 0 : run + 1;
		if (run == p->piece) {
			run = 0;
			piece[n++] = i + 1 - p->piece;
		}
	}
}

static void
put_planes(const struct kdiff_set *set, const struct kdiff_pat *p,
	   struct qgram_pat *x)
{
	for (uint32_t i = 0; i < p->m; i++) {
		unsigned s = set->sym[p->code[i]];
		uint64_t bit = 1ull << i % 64;

		x->lo[i / 64] |= s == DNA_C || s == DNA_T ? bit : 0;
		x->hi[i / 64] |= s == DNA_G || s == DNA_T ? bit : 0;
		x->any[i / 64] |= s & (s - 1) ? bit : 0;
	}
}

/* The seed of piece j of pattern i, without its skip. */
static struct qgram_seed
seed_of(const struct kdiff_qgram *f, uint32_t i, uint32_t j)
{
	const struct qgram_pat *p = &f->pat[i];
	uint32_t at = p->piece[j];
	unsigned b = at % 64;

	return (struct qgram_seed){
		p->lo[at / 64] >> b | p->lo[at / 64 + 1] << 1 << (63 - b),
		p->hi[at / 64] >> b | p->hi[at / 64 + 1] << 1 << (63 - b),
		i, j, f->set.pat[i].piece, 0,
	};
}

static int
put_patterns(struct kdiff_qgram *f, struct err *e)
{
	const struct kdiff_set *s = &f->set;
	size_t words = 0, pieces = 0;
	uint64_t *to;
	uint32_t *piece;

	for (size_t i = 0; i < s->n; i++) {
		words += 3 * (s->pat[i].m / 64 + 3);
		pieces += s->pat[i].k + 1;
	}
	f->pat = calloc(s->n, sizeof *f->pat);
	f->store = to = calloc(words, sizeof *to);
	f->pieces = piece = malloc(pieces * sizeof *piece);
	if (!f->pat || !to || !piece)
		return err_nomem(e, words * sizeof *to);
	for (size_t i = 0; i < s->n; i++) {
		size_t n = s->pat[i].m / 64 + 3;
		struct qgram_pat *x = &f->pat[i];

		*x = (struct qgram_pat){ to + 1, to + n + 1, to + 2 * n + 1,
					 piece };
		to += 3 * n;
		piece += s->pat[i].k + 1;
		cut_pieces(s, &s->pat[i], x->piece);
		put_planes(s, &s->pat[i], x);
	}
	f->n_seed = pieces * f->sieve.step;
	return 0;
}

/* The seeds and their q-grams. */
static void
list_seeds(struct kdiff_qgram *f, struct kdiff_entry *v)
{
	uint64_t mask = (1ull << f->sieve.q) - 1;
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->set.n; i++)
		for (uint32_t j = 0; j <= f->set.pat[i].k; j++) {
			struct qgram_seed s = seed_of(f, i, j);

			for (; s.skip < f->sieve.step; s.skip++, n++) {
				f->seed[n] = s;
				v[n].key = (uint32_t)(s.lo >> s.skip & mask) |
					   (uint32_t)(s.hi >> s.skip & mask)
					   << f->sieve.q;
				v[n].entry = n;
			}
		}
}

static int
make_table(struct kdiff_qgram *f, struct err *e)
{
	struct kdiff_entry *v = malloc(f->n_seed * sizeof *v);
	int r;

	f->seed = malloc(f->n_seed * sizeof *f->seed);
	if (v && f->seed) {
		list_seeds(f, v);
		f->grams.q = f->sieve.q;
		r = kdiff_grams_make(&f->grams, v, f->n_seed, e);
		f->sieve.bits = f->grams.bits;
	} else {
		r = err_nomem(e, f->n_seed * sizeof *f->seed);
	}
	free(v);
	return r;
}

static int
make_prefix(struct kdiff_qgram *f, struct err *e)
{
	f->pieces = malloc(f->set.n * 2 * sizeof *f->pieces);
	if (!f->pieces)
		return err_nomem(e, f->set.n * 2 * sizeof *f->pieces);
	return kdiff_prefix_make(&f->first, &f->set, f->pieces, e);
}

int
kdiff_qgram_new(struct kdiff_qgram **out, const struct kdiff_set *set,
		const struct qgram_plan *p, struct err *e)
{
	struct kdiff_qgram *f = calloc(1, sizeof *f);
	int r;

	*out = NULL;
	if (!f)
		return err_nomem(e, sizeof *f);
	f->sieve.q = p->q;
	f->sieve.step = p->step;
	r = divide_patterns(f, set, p->least, e);
	if (!r && p->prefix)
		r = make_prefix(f, e);
	else if (!r)
		r = put_patterns(f, e);
	if (!r && !p->prefix)
		r = make_table(f, e);
	if (r < 0) {
		kdiff_qgram_free(f);
		return r;
	}
	*out = f;
	return 0;
}

/*
 * Does more of a pattern match around an equal piece?
 * Source: Landau and Vishkin, J. Algorithms 10, 1989: furthest reaching
 * diagonals.
 *
 * What lies beyond a text or a pattern's end is taken to match or not as it
 * comes: that can let a place pass, never stop a match.
 */

struct pair {
	const struct qgram_pat *p;
	const struct qgram_text *t;
	uint64_t steps;
};

/* 64 letters of a pattern's plane, from > -64. */
static uint64_t
pattern_bits(const uint64_t *w, int64_t from)
{
	unsigned b = (unsigned)from & 63;

	w += from >> 6;
	return w[0] >> b | w[1] << 1 << (63 - b);
}

/* Which of 64 letters differ, from pattern letter i and text letter j on. */
static uint64_t
letters_differ(struct pair *x, int64_t i, int64_t j)
{
	const struct qgram_text *t = x->t;
	uint64_t lo = kdiff_text_bits(t->planes, t->n_words, 2, j);
	uint64_t hi = kdiff_text_bits(t->planes + 1, t->n_words, 2, j);
	uint64_t d = (lo ^ pattern_bits(x->p->lo, i)) |
		     (hi ^ pattern_bits(x->p->hi, i));

	x->steps++;
	d &= ~pattern_bits(x->p->any, i);
	return t->exc ? d | kdiff_text_bits(t->exc, t->n_words, 1, j) : d;
}

/* Of n letters from i and j on, how many match before the first that differ? */
static int64_t
match_forward(struct pair *x, int64_t i, int64_t j, int64_t n)
{
	for (int64_t done = 0; done < n; done += 64) {
		uint64_t d = letters_differ(x, i + done, j + done);

		if (d) {
			done += __builtin_ctzll(d);
			return done < n ? done : n;
		}
	}
	return n;
}

/* The same of the n letters before i and j, from the last one back. */
static int64_t
match_backward(struct pair *x, int64_t i, int64_t j, int64_t n)
{
	for (int64_t done = 0; done < n; done += 64) {
		uint64_t d = letters_differ(x, i - done - 64, j - done - 64);

		if (d) {
			done += __builtin_clzll(d);
			return done < n ? done : n;
		}
	}
	return n;
}

static int64_t
slide_along(struct pair *x, int64_t i, int64_t j, int64_t r, int64_t d,
	    int64_t n, bool back)
{
	return r + (back ? match_backward(x, i - r, j - r - d, n - r)
			 : match_forward(x, i + r, j + r + d, n - r));
}

/*
 * The fewest differences, if at most `most`, of the n pattern letters from i
 * on (back: before i) with text from j on (before j); else most + 1.
 * reach[d] = pattern letters that e differences get through, d text letters
 * more than them.
 */
static unsigned
extend_piece(struct pair *x, int64_t i, int64_t j, int64_t n, bool back,
	     unsigned most)
{
	int64_t store[2 * QGRAM_LEVEL + 5], *reach = store + QGRAM_LEVEL + 2;

	for (int d = -(int)most - 2; d <= (int)most + 2; d++)
		reach[d] = -2;
	reach[0] = slide_along(x, i, j, 0, 0, n, back);
	for (unsigned e = 0;; e++) {
		int64_t before = -2, was;

		if (reach[0] >= n || e == most)
			return reach[0] >= n ? e : most + 1;
		for (int d = -(int)e - 1; d <= (int)e + 1; d++) {
			int64_t r = max_i64(
			    max_i64(reach[d], reach[d + 1]) + 1, before);

			was = reach[d];
			r = r < n ? r : n;
			reach[d] = slide_along(x, i, j, r, d, n, back);
			if (reach[d] >= n)
				return e + 1;
			before = was;
		}
	}
}

/* At most `most` differences of p[beg, end) around its equal [at, at + n)? */
static bool
check_part(struct pair *x, int64_t beg, int64_t end, int64_t at, int64_t n,
	   int64_t text, unsigned most)
{
	unsigned e = extend_piece(x, at, text, at - beg, true, most);

	return e <= most && extend_piece(x, at + n, text + n, end - at - n,
					 false, most - e) <= most - e;
}

static bool
part_hamming(struct pair *x, int64_t beg, int64_t end, int64_t diagonal,
	     unsigned most)
{
	unsigned n = 0;

	for (int64_t i = beg; i < end && n <= most; i += 64) {
		uint64_t d = letters_differ(x, i, i + diagonal);

		if (end - i < 64)
			d &= (1ull << (end - i)) - 1;
		n += (unsigned)__builtin_popcountll(d);
	}
	return n <= most;
}

static bool
check_levels(const struct kdiff_qgram *f, struct pair *x,
	     const struct qgram_seed *seed, int64_t at, uint32_t enough)
{
	const struct kdiff_pat *p = &f->set.pat[seed->pattern];
	const uint32_t *piece = x->p->piece;
	uint32_t i = seed->piece;

	for (unsigned level = 1;; level++) {
		uint64_t first = (uint64_t)i >> level << level;
		uint64_t last = first + (1ull << level);
		bool all = first == 0 && last > p->k;
		int64_t beg = first ? piece[first] : 0;
		int64_t end = last > p->k ? p->m : piece[last];
		unsigned most = (unsigned)((last > p->k ? p->k + 1 : last) -
					   first - 1);

		if (most > QGRAM_LEVEL)
			return true;
		if (f->set.p.hamming ?
		    !part_hamming(x, beg, end, at - piece[i], most) :
		    !check_part(x, beg, end, piece[i], p->piece, at, most))
			return false;
		if (all || end - beg >= enough)
			return true;
	}
}

bool
kdiff_qgram_check(const struct kdiff_qgram *f, const struct qgram_text *t,
		  const struct qgram_seed *seed, int64_t at, uint32_t enough,
		  uint64_t *spent)
{
	struct pair x = { &f->pat[seed->pattern], t, 0 };
	bool good = check_levels(f, &x, seed, at, enough);

	*spent += x.steps;
	return good;
}
