/* SPDX-License-Identifier: MIT */
/* weighted_product.c - the solid words of a matrix as a product of letters */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algo/weighted_dist.h"

static int
room(struct product *x, size_t n, struct err *e)
{
	*x = (struct product){ .n = n, .words = 1 };
	if (n > SIZE_MAX / 64)
		return err_nomem(e, SIZE_MAX);
	x->kinds = malloc(n + 1);
	x->letter = malloc((n + 1) * sizeof *x->letter);
	x->p = malloc((n + 1) * sizeof *x->p);
	if (x->kinds && x->letter && x->p)
		return 0;
	product_free(x);
	return err_nomem(e, n * (1 + sizeof *x->letter + sizeof *x->p));
}

void
product_free(struct product *x)
{
	free(x->kinds);
	free(x->letter);
	free(x->p);
	*x = (struct product){ 0 };
}

/* The letters of position i and, of those, the least probability. */
static double
position(struct product *x, const struct weighted *w,
	 const struct solid_rule *r, size_t i)
{
	unsigned set = solid_letters(w, r, i);
	double sum = 0, least = 1;

	x->kinds[i] = 0;
	for (int c = 0; c < 4; c++) {
		double p = w->p[i][c];

		if (!(set >> c & 1))
			continue;
		x->p[i][x->kinds[i]] = p;
		x->letter[i][x->kinds[i]++] = (uint8_t)"ACGT"[c];
		sum += p;
		least = p < least ? p : least;
	}
	for (int k = 0; k < x->kinds[i]; k++)
		x->p[i][k] /= sum;
	if (__builtin_mul_overflow(x->words, x->kinds[i], &x->words))
		x->words = UINT64_MAX;
	return least;
}

int
product_solid(struct product *x, const struct weighted *w,
	      const struct solid_rule *r, bool *is, struct err *e)
{
	/* n products, rounded, and the tolerance (weighted.c) */
	double room_for = 1 + WEIGHTED_TOLERANCE + 1e-15 * (double)(w->n + 8);
	struct prob least = { 0.5, 1 };
	double p;
	int rc;

	*is = true;
	rc = room(x, w->n, e);
	for (size_t i = 0; i < w->n && !rc; i++) {
		least = prob_times(least, position(x, w, r, i));
		*is &= x->kinds[i] > 0;
	}
	p = least.e < -1000 ? 0 : ldexp(least.m, (int)least.e);
	if (r->theta_word > 0)
		*is &= p > r->theta_word * room_for;
	if (rc || !*is)
		product_free(x);
	return rc;
}

double
product_nth(const struct product *x, uint64_t j, uint8_t *s)
{
	double p = 1;

	for (size_t i = x->n; i-- > 0;) {
		unsigned k = (unsigned)(j % x->kinds[i]);

		j /= x->kinds[i];
		s[i] = x->letter[i][k];
		p *= x->p[i][k];
	}
	return p;
}
