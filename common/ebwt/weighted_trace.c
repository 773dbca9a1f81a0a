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
 * All h go side by side, as lanes: for each gap g and each lane h, the share of
 * words that lead from g to gap s and avoid h, one such column for each s.  The
 * columns are needed only until they are the same but for a factor: where lane
 * h of column s is within e of b(s, h) times that of R, the sum of all columns,
 * it stays so however many letters are read, as each number becomes a mean of
 * some, or 0; R alone goes on.  Random letters get there in some 22 steps, as
 * the letters read determine the gap unless they are a factor of vvv...  For
 * the same reason the rounding error of a step does not grow later: n steps of
 * m + 1 gaps leave A(h) within n * (m + 1) * 2^-52, and the mean, which is at
 * least n - m - 1, within 2 * (m + 1) times that.
 *
 * Where all positions left take all letters, P is one matrix for the words'
 * number, and a letter soon multiplies R's lane h by some f(h).  Where one
 * letter does so within e, k more do within k * e: R's lanes by number stop.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "ebwt/weighted_priv.h"

/* Letters between two looks at the columns; even, so that results of
 * weighted_back() stand where they began. */
enum { STEPS = 4 };
/* Nanoseconds of a vector of numbers and a few instructions, wide and not. */
static const double WIDE_NS = 1.8, VECTOR_NS = 1.15;
/* Letters until columns are one: a random letter is v's next one in one of
 * four cases, and 4^-22 is as little as matters (weighted_alike()). */
static const double COLUMN_STEPS = 22 + 4 * STEPS;

/* Of one product: columns, their sum, and room for one that is being made. */
struct trace {
	struct wback back;
	weighted_back_fn *step;
	weighted_alike_fn *alike;
	double *column;		/* of each gap s: states * width */
	double *all;		/* R */
	double *ratio;		/* b: of each s, width */
	size_t block;
};

bool
wtrace_can(const struct product *x, size_t m)
{
	return m < PRODUCT_GAPS && x->n > m + 1;
}

static size_t
width_of(size_t m)
{
	return (2 * (m + 1) + 7) / 8 * 8;
}

uint64_t
wtrace_bytes(size_t m)
{
	size_t states = m + 1, width = width_of(m);

	return sizeof(double) * width *
	       (states * (states + 2 + WBACK_COLS) + 1) + 128;
}

double
wtrace_cost(const struct product *x, size_t m, enum isa isa)
{
	double states = (double)m + 1, bytes = 8 * (double)width_of(m);
	double ns = isa == ISA_AVX512 ? WIDE_NS / 64 :
		    isa == ISA_AVX2 ? VECTOR_NS / 32 : VECTOR_NS / 16;

	return 2000 + 100 * states + (15 + ns * bytes * states) *
	       ((double)x->n + fmin((double)x->n, COLUMN_STEPS) * states);
}

/* Each gap's step to the next one. */
static void
steps(struct wback *b)
{
	for (uint32_t g = 0; g + 1 < b->states; g++) {
		unsigned c = 0;

		while (c < 4 && b->next[c][g] == b->next[c][g + 1])
			c++;
		b->code[g] = (uint8_t)c;
		b->step[g] = c < 4 ? b->next[c][g] : 0;
	}
}

static int
trace_new(struct trace *t, struct product_work *k, const struct product *x,
	  const struct ebwt_gap *gap, struct err *e)
{
	struct wback *b = &t->back;
	uint32_t states = gap->m + 1;
	uint64_t *by_number;
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
	t->all = at += states * t->block;	/* behind its columns */
	b->other = at += t->block;
	by_number = (uint64_t *)(void *)(at += WBACK_COLS * t->block);
	b->lanes = b->width;
	for (uint32_t i = 0; i < b->width; i++)
		by_number[i] = i < states ? 0 : UINT64_MAX;
	b->by_number = by_number;
	t->ratio = at + b->width;
	for (uint32_t g = 0; g < states; g++)
		for (int c = 0; c < 4; c++)
			b->next[WCODE("ACGT"[c])][g] = b->width *
				ebwt_gap_step(gap, g, (uint8_t)"ACGT"[c]);
	steps(b);
	return 0;
}

static void
start_trace(struct trace *t)
{
	const struct wback *b = &t->back;

	memset(t->column, 0, b->states * t->block * sizeof *t->column);
	for (uint32_t s = 0; s < b->states; s++) {
		double *of_s = t->column + s * t->block + s * b->width;

		for (uint32_t i = 0; i < b->width; i++) {
			bool other = i != s && i != b->states + s;

			of_s[i] = t->all[s * b->width + i] = other;
		}
	}
}

static void
read_on(struct trace *t, size_t from, size_t to)
{
	struct wback *b = &t->back;

	b->from = from;
	b->to = to;
	t->step(b, t->column, b->states + 1);
}

/* Are all columns R but for their factors? */
static bool
merged(struct trace *t)
{
	const struct wback *b = &t->back;

	for (uint32_t s = 0; s < b->states; s++)
		if (!t->alike(b, t->column + s * t->block, t->all,
			      t->ratio + s * b->width))
			return false;
	return true;
}

/* Adds lanes [from, to) of the trace. */
static void
add_up(const struct trace *t, bool one, size_t from, size_t to, double *lane)
{
	const struct wback *b = &t->back;

	for (uint32_t s = 0; s < b->states; s++) {
		const double *all = t->all + s * b->width;
		const double *of_s = t->column + s * t->block + s * b->width;
		const double *ratio = t->ratio + s * b->width;

		for (size_t h = from; h < to; h++)
			lane[h] += one ? ratio[h] * all[h] : of_s[h];
	}
}

/* Does a letter multiply what was R's lane h by f? */
static bool
is_multiple(const struct trace *t, const double *was, size_t h, double *f)
{
	const struct wback *b = &t->back;
	size_t n = t->block, most = h;

	for (size_t at = h; at < n; at += b->width)
		if (was[at] > was[most])
			most = at;
	*f = was[most] > 0 ? t->all[most] / was[most] : 0;
	for (size_t at = h; at < n; at += b->width)
		if (fabs(t->all[at] - *f * was[at]) > 0x1p-48)
			return false;
	return true;
}

/* All columns are R's multiples, and letters [i, n) are to be read.  What the
 * lanes by number become, if one letter shows it. */
static bool
by_powers(struct trace *t, size_t i, double *lane)
{
	struct wback *b = &t->back;
	double f[PRODUCT_GAPS], *was = t->column;
	size_t n = b->x->n;

	for (size_t k = i; k < n; k++)
		if (b->x->kinds[k] != 4)
			return false;
	memcpy(was, t->all, t->block * sizeof *was);
	b->from = i;
	b->to = i + 1;
	t->step(b, t->all, 1);
	for (size_t h = 0; h < b->states; h++)
		if (!is_multiple(t, was, b->states + h, &f[h]))
			return false;
	add_up(t, true, b->states, 2 * b->states, lane);
	for (size_t h = 0; h < b->states; h++)
		lane[b->states + h] *= pow(f[h], (double)(n - i - 1));
	return true;
}

/* The traces, by lanes. */
static void
traces(struct trace *t, double *lane)
{
	struct wback *b = &t->back;
	size_t n = b->x->n, i = 0;
	bool one = false, powers;

	start_trace(t);
	memset(lane, 0, b->width * sizeof *lane);
	for (; i < n && !one; i = min_u64(n, i + STEPS)) {
		read_on(t, i, min_u64(n, i + STEPS));
		one = i >= 4 * STEPS && merged(t);
	}
	powers = i < n && by_powers(t, i, lane);
	b->from = b->to;
	b->to = n;
	b->lanes = powers ? b->states : b->width;
	t->step(b, t->all, 1);
	add_up(t, one, 0, powers ? b->states : 2 * b->states, lane);
}

/* The share of the word of x that is v's root from letter t on, again and
 * again; nothing where it would not count. */
static struct wsum
share_of(const struct product *x, const uint8_t *v, uint32_t root, uint32_t t)
{
	struct wsum is = { 1, 1 };

	for (size_t i = 0; i < x->n && (is.c > 0x1p-90 || is.w > 0x1p-90);
	     i++) {
		const uint8_t *l = x->letter[i];
		unsigned k = 0;

		while (k < x->kinds[i] && l[k] != v[t])
			k++;
		if (k == x->kinds[i])
			return (struct wsum){ 0, 0 };
		is.c /= x->kinds[i];
		is.w *= x->p[i][k];
		t = t + 1 == root ? 0 : t + 1;
	}
	return is;
}

static struct wsum
tied_share(const struct product *x, const uint8_t *v, uint32_t m,
	   uint32_t *root)
{
	struct wsum all = { 0, 0 };

	*root = wgraph_root(v, m);
	for (uint32_t t = 0; x->n % *root == 0 && t < *root; t++) {
		struct wsum is = share_of(x, v, *root, t);

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
	double lane[2 * PRODUCT_GAPS], scale, least = (double)(x->n - m - 1);
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
	traces(&t, lane);
	tied = tied_share(x, v, (uint32_t)m, &root);
	power = (uint32_t)m / root;
	for (uint32_t h = 0; h <= m; h++) {
		bool outer = h == 0 || h == m;
		/* of power + 1 ways, those that avoid h */
		double ways = outer || h % power ? power : power - 1;

		sum.w += (outer ? 1 : 2) * less(lane[h], ways * tied.w);
		sum.c += (outer ? 1 : 2) * less(lane[m + 1 + h],
						ways * tied.c);
	}
	scale = ebwt_measure(how->metric, x->n, m, 1);
	out->sum = sum.c * scale * (how->parts ? 1 : (double)x->words);
	out->share_sum = sum.w * scale;
	return 0;
}
