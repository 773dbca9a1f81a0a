/* SPDX-License-Identifier: MIT */
/*
 * weighted_trace.c - the mean of delta over the words of a product, as traces
 *
 * Reading a letter takes each gap of v to one gap, so a random letter is a
 * matrix, position i's P_i, and a word u whose root is not conjugate to v's
 * takes one gap, and no other, to itself.  With the row and column of gap h
 * left out of each P_i, the trace of their product is therefore the share
 * A(h) of the words of x that never meet h.  Inner gaps that are met are a run
 * of u and cut one of v, the first and the last one are a run of u:
 *
 *   delta = n + m - runs = n - m - 1 + sum of w(h) * [h is not met],
 *   w(0) = w(m) = 1, others 2,
 *
 * and the mean is n - m - 1 + sum of w(h) * A(h), for n > m + 1 a sum of what
 * is positive, and 1 at least.  Words with a conjugate root have delta
 * n - m - 1, but add to the traces: with their root's m / r-th power in v,
 * they take q + 1 gaps to themselves, q = m / r (just before the q rows that
 * they tie with, behind the first, ..., behind the last), and walking from the
 * j-th of these they meet the gaps q * i + j for all i, for every rotation is
 * tied with q rows.  Their part of A(h) is known without walking and is taken
 * off; what that rounds off is small beside a mean of 1 at least.
 *
 * All h go side by side, as lanes: of each gap g, the share of words that lead
 * from g on and avoid h.  Some K letters read, their matrix is of rank one but
 * for 2^-44: A = a * b, where a is what all words lead to.  The trace of B * A,
 * B being the letters left, is b * B * a, by which A * B multiplies a: a alone
 * is read on, to letter K again.  Random letters get there in some 22 steps, as
 * the letters read determine the gap unless they are a factor of vvv...  Where
 * there are not so many, each column is read.
 *
 * A of rank one takes any vector to a multiple of a.  Two of irregular numbers
 * are read beside; what is off by 2^-30, the last digit that is printed, would
 * escape them only where it is at right angles to both within 2^-14.
 *
 * A rounding error is of the lane's numbers at that letter, which later ones do
 * not enlarge: n steps of m + 1 gaps leave A(h) within n * (m + 1) * 2^-52, and
 * the mean, which is at least n - m - 1, within 2 * (m + 1) times that.
 *
 * Where all positions take letters alike, one more letter shows what all do, if
 * it is the same in each gap, within an eighth even in a lane of 2^-46: what is
 * smaller is left out, as its ratio may be one of several that take turns.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "ebwt/weighted_priv.h"

/* Letters until the rank may be one: a random letter is v's next one in one of
 * four cases, and 4^-22 is as little as matters.  Then, letters between looks,
 * and those of which one may show what all do. */
enum { FIRST_LOOK = 24, STEPS = 4, ONE_MORE = 16 };
/* What is less in all gaps of a lane does not matter. */
static const double LEAST = 0x1p-50;
/* Nanoseconds of a vector of numbers and a few instructions, wide and not. */
static const double WIDE_NS = 1.1, VECTOR_NS = .7;

/* Of one product: columns, and room for as many that are being made. */
struct trace {
	struct wback back;
	weighted_back_fn *step;
	weighted_alike_fn *alike;
	double *column, *ratio;
	size_t block;
};

bool
wtrace_can(const struct product *x, size_t m)
{
	return m < PRODUCT_GAPS && x->n > m + 1;
}

/* An odd number of cache lines, so that rows do not share a place in the
 * cache. */
static size_t
width_of(size_t m)
{
	return ((m + 8) / 8 | 1) * 8;
}

uint64_t
wtrace_bytes(size_t m)
{
	return sizeof(double) * width_of(m) *
	       ((m + 1) * 2 * WBACK_COLS + 1) + 64;
}

/*
 * Letters read for one trace, each for one column.  What two random words have
 * in common as far as they are read is what keeps columns apart: where few
 * letters or likely ones leave 2^-44 of it, each column is read to the end.
 */
static double
letters_read(const double (*share)[5], size_t n, double states, bool even)
{
	double common = 1;
	size_t i = 0;

	for (; i < n && common > 0x1p-44; i++) {
		double two = 0;

		for (int c = 0; c < 4; c++)
			two += share[i][c] * share[i][c];
		common *= two;
	}
	if (i < FIRST_LOOK)
		i = FIRST_LOOK;
	i += STEPS;
	if (common > 0x1p-44 || i > n)
		return (double)n * (states + WBACK_COLS);
	return (double)i * WBACK_COLS + (double)(even ? i : n);
}

double
wtrace_cost(const struct product *x, size_t m, enum isa isa)
{
	double states = (double)m + 1;
	double ns = isa == ISA_AVX512 ? WIDE_NS / 64 :
		    isa == ISA_AVX2 ? VECTOR_NS / 32 : VECTOR_NS / 16;
	double letter = states * (2 + ns * (8 * states + 16));

	return 2000 + 100 * states + letter *
	       (letters_read((const double (*)[5])x->share, x->n, states,
			     x->even) +
		letters_read((const double (*)[5])x->part, x->n, states,
			     x->even_part));
}

/* Where gap 0 leads to, and each gap's step from the one before. */
static void
steps(struct wback *b, const struct ebwt_gap *gap)
{
	memset(b->code, 4, sizeof b->code);
	memset(b->step, 0, sizeof b->step);
	for (unsigned i = 0; i < 4; i++) {
		uint8_t c = (uint8_t)"ACGT"[i];
		uint32_t to = ebwt_gap_step(gap, 0, c);

		b->first[WCODE(c)] = b->width * to;
		for (uint32_t g = 1; g < b->states; g++) {
			uint32_t next = ebwt_gap_step(gap, g, c);

			if (next != to) {
				b->code[g] = WCODE(c);
				b->step[g] = b->width * to;
			}
			to = next;
		}
	}
}

static int
trace_new(struct trace *t, struct product_work *k, const struct product *x,
	  const struct ebwt_gap *gap, struct err *e)
{
	struct wback *b = &t->back;
	uint32_t states = gap->m + 1;
	double *at;
	int rc = wroom(&k->trace, &k->trace_room,
		       wtrace_bytes(gap->m) / sizeof *k->trace,
		       sizeof *k->trace, e);

	if (rc)
		return rc;
	t->step = KERN_PICK(weighted_back);
	t->alike = KERN_PICK(weighted_alike);
	b->x = x;
	b->states = states;
	b->width = (uint32_t)width_of(gap->m);
	t->block = (size_t)states * b->width;
	/* whole cache lines */
	at = (double *)(((uintptr_t)k->trace + 63) & ~(uintptr_t)63);
	t->column = at;
	b->other = at += WBACK_COLS * t->block;
	t->ratio = at + WBACK_COLS * t->block;
	steps(b, gap);
	return 0;
}

static void
read_on(struct trace *t, size_t cols, size_t from, size_t to)
{
	t->back.from = from;
	t->back.to = to;
	t->step(&t->back, t->column, cols);
}

/* Numbers in [0, 1) without order. */
static double
irregular(uint64_t i)
{
	i = (i + 1) * 0x9e3779b97f4a7c15ull;
	i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9ull;
	return (double)(i >> 11) * 0x1p-53;
}

/* Sums of all columns, but each column by a factor. */
static void
start_sums(struct trace *t)
{
	const struct wback *b = &t->back;
	double *v = t->column;

	for (uint32_t c = 0; c < WBACK_COLS; c++)
		for (uint32_t g = 0; g < b->states; g++) {
			double of_g = c ? irregular(2 * g + c) : 1;

			for (uint32_t h = 0; h < b->width; h++)
				*v++ = h < b->states && h != g ? of_g : 0;
		}
}

/* Reads on until all columns are alike; how many letters, 0 if there are not
 * so many. */
static size_t
until_one(struct trace *t)
{
	size_t n = t->back.x->n, i = 0;

	if (n < FIRST_LOOK + STEPS)
		return 0;
	start_sums(t);
	for (size_t to = FIRST_LOOK; i < n; to = min_u64(n, i + STEPS)) {
		bool one = true;

		read_on(t, WBACK_COLS, i, to);
		i = to;
		for (int c = 1; c < WBACK_COLS && one; c++)
			one = t->alike(&t->back, t->column + c * t->block,
				       t->column, LEAST, t->ratio) <=
			      0x1p-44;
		if (one)
			return i;
	}
	return 0;
}

/* By what letters [from, n), then those before, multiply the first column, but
 * for what. */
static double
turn(struct trace *t, size_t from, size_t n, double least)
{
	const struct wback *b = &t->back;
	double *was = t->column + t->block;

	memcpy(was, t->column, t->block * sizeof *was);
	read_on(t, 1, from, n);
	read_on(t, 1, 0, from);
	return t->alike(b, t->column, was, least, t->ratio);
}

/* The traces, by lanes, column by column. */
static void
by_columns(struct trace *t, double *lane)
{
	const struct wback *b = &t->back;

	for (uint32_t s = 0; s < b->states; s += WBACK_COLS) {
		uint32_t cols = (uint32_t)min_u64(WBACK_COLS, b->states - s);

		memset(t->column, 0, cols * t->block * sizeof *t->column);
		for (uint32_t c = 0; c < cols; c++)
			for (uint32_t h = 0; h < b->states; h++)
				t->column[c * t->block + (s + c) * b->width +
					  h] = h != s + c;
		read_on(t, cols, 0, b->x->n);
		for (uint32_t c = 0; c < cols; c++)
			for (uint32_t h = 0; h < b->states; h++)
				lane[h] += t->column[c * t->block + (s + c) *
						     b->width + h];
	}
}

/* The traces by lanes, words by their probabilities or by number. */
static void
traces(struct trace *t, const double (*share)[5], bool even, double *lane)
{
	size_t n = t->back.x->n, from;
	bool all = false;

	t->back.share = share;
	memset(lane, 0, t->back.states * sizeof *lane);
	from = until_one(t);
	if (!from) {
		by_columns(t, lane);
		return;
	}
	for (int i = 0; i < ONE_MORE && even && !all; i++)
		all = turn(t, 0, 1, 0x1p-46) <= 0x1p-49;
	if (!all)
		turn(t, from, n, LEAST);
	for (uint32_t h = 0; h < t->back.states; h++)
		lane[h] = all ? pow(t->ratio[h], (double)n) : t->ratio[h];
}

/* The share of the word of x that is v's root from letter t on, again and
 * again; nothing where it would not count. */
static struct wsum
share_of(const struct product *x, const uint8_t *code, uint32_t root,
	 uint32_t t)
{
	struct wsum is = { 1, 1 };

	for (size_t i = 0; i < x->n && (is.c > 0x1p-90 || is.w > 0x1p-90);
	     i++) {
		is.c *= x->part[i][code[t]];
		is.w *= x->share[i][code[t]];
		t = t + 1 == root ? 0 : t + 1;
	}
	return is;
}

static struct wsum
tied_share(const struct product *x, const uint8_t *v, uint32_t m,
	   uint32_t *root)
{
	struct wsum all = { 0, 0 };
	uint8_t code[PRODUCT_GAPS];

	*root = wgraph_root(v, m);
	for (uint32_t t = 0; t < *root; t++)
		code[t] = memchr("ACGT", v[t], 4) ? WCODE(v[t]) : 4;
	for (uint32_t t = 0; x->n % *root == 0 && t < *root; t++) {
		struct wsum is = share_of(x, code, *root, t);

		all.c += is.c;
		all.w += is.w;
	}
	return all;
}

static double
less(double all, double tied)
{
	return all > tied ? all - tied : 0;
}

int
wtrace_sum(struct product_work *k, const struct product *x, const uint8_t *v,
	   size_t m, const struct product_how *how, struct product_sum *out,
	   struct err *e)
{
	double w[PRODUCT_GAPS], c[PRODUCT_GAPS], scale;
	double least = (double)(x->n - m - 1);
	struct wsum sum = { least, least }, tied;
	struct ebwt_gap *gap = &k->graph.gap;
	uint32_t root, power;
	struct trace t;
	int rc;

	ebwt_gap_free(gap);
	rc = ebwt_gap_new(gap, v, m, e);
	if (!rc)
		rc = trace_new(&t, k, x, gap, e);
	if (rc)
		return rc;
	traces(&t, (const double (*)[5])x->share, x->even, w);
	traces(&t, (const double (*)[5])x->part, x->even_part, c);
	tied = tied_share(x, v, (uint32_t)m, &root);
	power = (uint32_t)m / root;
	for (uint32_t h = 0; h <= m; h++) {
		bool outer = h == 0 || h == m;
		/* of power + 1 ways, those that avoid h */
		double ways = outer || h % power ? power : power - 1;

		sum.w += (outer ? 1 : 2) * less(w[h], ways * tied.w);
		sum.c += (outer ? 1 : 2) * less(c[h], ways * tied.c);
	}
	scale = ebwt_measure(how->metric, x->n, m, 1);
	out->sum = sum.c * scale * (how->parts ? 1 : (double)x->words);
	out->share_sum = sum.w * scale;
	return 0;
}
