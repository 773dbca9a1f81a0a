/* SPDX-License-Identifier: MIT */
/*
 * weighted.c - the solid words of a matrix, by depth first search
 *
 * A prefix goes on only if its probability, times the largest that the rest
 * can have, reaches theta_word: then at least one word of it is solid, so that
 * no time is spent on what is not.  Both products are rounded: n factors in
 * any order give the true product within n * 2^-53 of it, relatively, so that
 * two orders agree within 4 * (n + 1) * 2^-53 for any n below 2^48.  The bound
 * is compared with so much room; whole words are compared without, by the
 * product from the left, so that the search decides nothing but the time.
 */
#include "algo/weighted.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * The decimal number with the fewest digits after the point that rounds to f;
 * integers are themselves.  Below 2^53 the quotient of two whole numbers, and
 * of powers of ten up to 10^22, is the double next to the decimal number.
 */
static double
decimal(float f)
{
	double scale = 1, x = (double)f;

	for (int d = 0; d <= 22; d++, scale *= 10) {
		double whole = rint((double)f * scale);

		if (whole >= 0x1p53)
			break;
		x = whole / scale;
		if ((float)x == f)
			return x;
	}
	return (double)f;
}

static int
normalise(double *p, const float *v, size_t i, struct err *e)
{
	double sum = 0;

	for (int c = 0; c < 4; c++) {
		if (!isfinite(v[c]) || v[c] < 0)
			return err_set(e, ERR_FORMAT, "position %zu: %s", i + 1,
				       v[c] < 0 ? "a negative number" :
						  "not a number");
		p[c] = decimal(v[c]);
		sum += p[c];
	}
	if (!(sum > 0))
		return err_set(e, ERR_FORMAT, "position %zu: the sum is 0",
			       i + 1);
	for (int c = 0; c < 4; c++)
		p[c] /= sum;
	return 0;
}

int
weighted_new(struct weighted *w, const float *v, size_t n, struct err *e)
{
	int rc = 0;

	*w = (struct weighted){ .n = n };
	if (n > SIZE_MAX / sizeof *w->p - 1)
		return err_nomem(e, SIZE_MAX);
	w->p = malloc((n + 1) * sizeof *w->p);
	if (!w->p)
		return err_nomem(e, (n + 1) * sizeof *w->p);
	for (size_t i = 0; i < n && !rc; i++)
		rc = normalise(w->p[i], v + 4 * i, i, e);
	if (rc)
		weighted_free(w);
	return rc;
}

void
weighted_free(struct weighted *w)
{
	free(w->p);
	*w = (struct weighted){ 0 };
}

struct prob
prob_times(struct prob a, double p)
{
	int e;

	a.m = frexp(a.m * p, &e);
	a.e = a.m == 0 ? 0 : a.e + e;
	return a;
}

static struct prob
prob_prod(struct prob a, struct prob b)
{
	a = prob_times(a, b.m);
	if (a.m != 0)
		a.e += b.e;
	return a;
}

/*
 * What no double holds is brought up by powers of ten, whose exponent is
 * printed: 300 at a time, each rounded by 2^-53.
 */
void
prob_print(struct buf *b, struct prob p)
{
	int64_t tens = 0;
	char s[32], *x;

	while (p.m != 0 && p.e < -1000) {
		p = prob_times(p, 1e300);
		tens -= 300;
	}
	if (!tens) {
		buf_printf(b, "%.9g", ldexp(p.m, (int)p.e));
		return;
	}
	snprintf(s, sizeof s, "%.8e", ldexp(p.m, (int)p.e));
	x = strchr(s, 'e');
	*x++ = '\0';
	tens += strtol(x, NULL, 10);
	for (size_t n = strlen(s); s[n - 1] == '0' || s[n - 1] == '.'; n--) {
		bool point = s[n - 1] == '.';

		s[n - 1] = '\0';
		if (point)
			break;
	}
	buf_printf(b, "%se%lld", s, (long long)tens);
}

/* Is it, or, with room, could it be enough? */
static bool
reaches(struct prob p, double theta, bool strict, double room)
{
	double x = p.e < -1100 ? 0 : ldexp(p.m, (int)p.e);

	if (theta <= 0)
		return p.m > 0;
	if (strict)
		return x > theta * (1 + WEIGHTED_TOLERANCE) * (1 - room);
	return x >= theta * (1 - WEIGHTED_TOLERANCE) * (1 - room);
}

unsigned
solid_letters(const struct weighted *w, const struct solid_rule *r, size_t i)
{
	unsigned set = 0;

	for (int c = 0; c < 4; c++) {
		struct prob one = { 0.5, 1 };

		if (reaches(prob_times(one, w->p[i][c]), r->theta_pos,
			    r->strict, 0))
			set |= 1u << c;
	}
	return set;
}

struct search {
	const struct weighted *w;
	const struct solid_rule *r;
	uint8_t *set;		/* solid letters of each position */
	uint8_t *next;		/* letter to be tried there */
	uint8_t *word;
	struct prob *most;	/* of what the positions from here on can be */
	struct prob *so_far;	/* of the letters before the position */
	double room;
	struct buf letters, p;
	uint64_t n;
};

static void
search_free(struct search *s)
{
	free(s->set);
	free(s->next);
	free(s->word);
	free(s->most);
	free(s->so_far);
	buf_free(&s->letters);
	buf_free(&s->p);
}

static int
too_many(const struct solid_rule *r, struct err *e)
{
	return err_set(e, ERR_LIMIT, "more than %llu solid words: a higher "
		       "--theta-pos or --theta-word leaves fewer",
		       (unsigned long long)r->max_words);
}

/* The sets of solid letters; how many words theta_pos leaves is known before
 * any is made. */
static int
letters_of(struct search *s, bool *none, struct err *e)
{
	uint64_t n = 1;
	bool many = false;

	*none = false;
	for (size_t i = 0; i < s->w->n; i++) {
		s->set[i] = (uint8_t)solid_letters(s->w, s->r, i);
		*none |= !s->set[i];
		many |= __builtin_mul_overflow(n, (uint64_t)
			__builtin_popcount(s->set[i]), &n);
	}
	if (!*none && s->r->theta_word <= 0 && (many || n > s->r->max_words))
		return too_many(s->r, e);
	return 0;
}

static int
prepare(struct search *s, bool *none, struct err *e)
{
	size_t n = s->w->n;
	int rc;

	s->set = malloc(n + 1);
	s->next = calloc(n + 1, 1);
	s->word = malloc(n + 1);
	s->most = malloc((n + 1) * sizeof *s->most);
	s->so_far = malloc((n + 1) * sizeof *s->so_far);
	if (!s->set || !s->next || !s->word || !s->most || !s->so_far)
		return err_nomem(e, 35 * n);
	rc = letters_of(s, none, e);
	if (rc || *none)
		return rc;
	s->room = 4 * (double)(n + 1) * 0x1p-53;
	s->most[n] = s->so_far[0] = (struct prob){ 0.5, 1 };
	for (size_t i = n; i-- > 0;) {
		double best = 0;

		for (int c = 0; c < 4; c++)
			if (s->set[i] >> c & 1 && s->w->p[i][c] > best)
				best = s->w->p[i][c];
		s->most[i] = prob_times(s->most[i + 1], best);
	}
	return 0;
}

static int
add_word(struct search *s, struct err *e)
{
	if (!reaches(s->so_far[s->w->n], s->r->theta_word, s->r->strict, 0))
		return 0;
	if (s->n++ == s->r->max_words)
		return too_many(s->r, e);
	buf_put(&s->letters, s->word, s->w->n);
	buf_put(&s->p, &s->so_far[s->w->n], sizeof *s->so_far);
	return s->letters.bad || s->p.bad ? err_nomem(e, s->letters.n) : 0;
}

/* Down with the next letter of position i, if it can lead to a word. */
static bool
step(struct search *s, size_t i)
{
	while (s->next[i] < 4) {
		unsigned c = s->next[i]++;

		if (!(s->set[i] >> c & 1))
			continue;
		s->so_far[i + 1] = prob_times(s->so_far[i], s->w->p[i][c]);
		if (!reaches(prob_prod(s->so_far[i + 1], s->most[i + 1]),
			     s->r->theta_word, s->r->strict, s->room))
			continue;
		s->word[i] = (uint8_t)"ACGT"[c];
		return true;
	}
	s->next[i] = 0;
	return false;
}

static int
walk(struct search *s, struct err *e)
{
	size_t i = 0, n = s->w->n;
	int rc = 0;

	while (!rc) {
		if (i == n)
			rc = add_word(s, e);
		else if (step(s, i)) {
			i++;
			continue;
		}
		if (i-- == 0)
			break;
	}
	return rc;
}

int
solid_words(struct solid *out, const struct weighted *w,
	    const struct solid_rule *r, struct err *e)
{
	struct search s = { .w = w, .r = r };
	bool none;
	int rc = prepare(&s, &none, e);

	*out = (struct solid){ .len = w->n };
	if (!rc && !none)
		rc = walk(&s, e);
	if (!rc) {
		out->n = s.n;
		out->letters = s.letters.p;
		out->p = (struct prob *)(void *)s.p.p;
		s.letters = s.p = (struct buf){ 0 };
	}
	search_free(&s);
	return rc;
}

void
solid_free(struct solid *s)
{
	free(s->letters);
	free(s->p);
	*s = (struct solid){ 0 };
}
