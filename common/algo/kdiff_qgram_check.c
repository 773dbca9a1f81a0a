/* SPDX-License-Identifier: MIT */
/*
 * kdiff_qgram_check.c - does more of a pattern match around an equal piece?
 * Source: Landau and Vishkin, J. Algorithms 10, 1989: furthest reaching
 * diagonals.
 *
 * What lies beyond a text or a pattern's end is taken to match or not as it
 * comes: that can let a place pass, never stop a match.
 */
#include "algo/kdiff_qgram.h"

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
differ(struct pair *x, int64_t i, int64_t j)
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
forward(struct pair *x, int64_t i, int64_t j, int64_t n)
{
	for (int64_t done = 0; done < n; done += 64) {
		uint64_t d = differ(x, i + done, j + done);

		if (d) {
			done += __builtin_ctzll(d);
			return done < n ? done : n;
		}
	}
	return n;
}

/* The same of the n letters before i and j, from the last one back. */
static int64_t
backward(struct pair *x, int64_t i, int64_t j, int64_t n)
{
	for (int64_t done = 0; done < n; done += 64) {
		uint64_t d = differ(x, i - done - 64, j - done - 64);

		if (d) {
			done += __builtin_clzll(d);
			return done < n ? done : n;
		}
	}
	return n;
}

static int64_t
slide(struct pair *x, int64_t i, int64_t j, int64_t r, int64_t d, int64_t n,
      bool back)
{
	return r + (back ? backward(x, i - r, j - r - d, n - r) :
			   forward(x, i + r, j + r + d, n - r));
}

static int64_t
larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/*
 * The fewest differences, if at most `most`, of the n pattern letters from i
 * on (back: before i) with text from j on (before j); else most + 1.
 * reach[d] = pattern letters that e differences get through, d text letters
 * more than them.
 */
static unsigned
extend(struct pair *x, int64_t i, int64_t j, int64_t n, bool back,
       unsigned most)
{
	int64_t store[2 * QGRAM_LEVEL + 5], *reach = store + QGRAM_LEVEL + 2;

	for (int d = -(int)most - 2; d <= (int)most + 2; d++)
		reach[d] = -2;
	reach[0] = slide(x, i, j, 0, 0, n, back);
	for (unsigned e = 0;; e++) {
		int64_t before = -2, was;

		if (reach[0] >= n || e == most)
			return reach[0] >= n ? e : most + 1;
		for (int d = -(int)e - 1; d <= (int)e + 1; d++) {
			int64_t r = larger(larger(reach[d], reach[d + 1]) + 1,
					   before);

			was = reach[d];
			r = r < n ? r : n;
			reach[d] = slide(x, i, j, r, d, n, back);
			if (reach[d] >= n)
				return e + 1;
			before = was;
		}
	}
}

/* At most `most` differences of p[beg, end) around its equal [at, at + n)? */
static bool
part(struct pair *x, int64_t beg, int64_t end, int64_t at, int64_t n,
     int64_t text, unsigned most)
{
	unsigned e = extend(x, at, text, at - beg, true, most);

	return e <= most && extend(x, at + n, text + n, end - at - n, false,
				   most - e) <= most - e;
}

static bool
part_hamming(struct pair *x, int64_t beg, int64_t end, int64_t diagonal,
	     unsigned most)
{
	unsigned n = 0;

	for (int64_t i = beg; i < end && n <= most; i += 64) {
		uint64_t d = differ(x, i, i + diagonal);

		if (end - i < 64)
			d &= (1ull << (end - i)) - 1;
		n += (unsigned)__builtin_popcountll(d);
	}
	return n <= most;
}

static bool
levels(const struct kdiff_qgram *f, struct pair *x,
       const struct qgram_seed *seed, int64_t at)
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
		    !part(x, beg, end, piece[i], p->piece, at, most))
			return false;
		if (all)
			return true;
	}
}

bool
kdiff_qgram_check(const struct kdiff_qgram *f, const struct qgram_text *t,
		  const struct qgram_seed *seed, int64_t at, uint64_t *spent)
{
	struct pair x = { &f->pat[seed->pattern], t, 0 };
	bool good = levels(f, &x, seed, at);

	*spent += x.steps;
	return good;
}
