/* SPDX-License-Identifier: MIT */
/* weighted.c - solid words against all words, and against the source's way */
#include "ebwt/weighted.h"

#include <math.h>
#include <string.h>

#include "tests/lib/tap.h"

enum { MOST = 8, ROOM = 1 << 16 };	/* positions, words: 4^8 */

/* What a definition says, word by word. */
struct listed {
	uint64_t n;
	uint8_t letters[ROOM][MOST];
	long double p[ROOM];
};

static bool
enough(long double p, double theta, bool strict)
{
	if (p <= 0)
		return false;
	if (strict)
		return p > theta * (1 + (long double)WEIGHTED_TOLERANCE);
	return p >= theta * (1 - (long double)WEIGHTED_TOLERANCE);
}

static void
list_all(struct listed *l, const struct weighted *w, const struct solid_rule *r)
{
	l->n = 0;
	for (uint64_t k = 0; k < 1ull << 2 * w->n; k++) {
		long double p = 1;
		bool solid = true;

		for (size_t i = 0; i < w->n; i++) {
			unsigned c = k >> 2 * (w->n - 1 - i) & 3;

			l->letters[l->n][i] = (uint8_t)"ACGT"[c];
			p *= w->p[i][c];
			solid &= enough(w->p[i][c], r->theta_pos, r->strict);
		}
		if (solid && enough(p, r->theta_word, r->strict))
			l->p[l->n++] = p;
	}
}

/*
 * The source: a position is white (one letter, probability 1), grey (one
 * letter that is solid) or black (several): all words grow side by side, and
 * only black positions make more of them.
 */
static void
list_coloured(struct listed *l, const struct weighted *w,
	      const struct solid_rule *r)
{
	static struct listed more;

	l->n = 1;
	l->p[0] = 1;
	for (size_t i = 0; i < w->n; i++) {
		more.n = 0;
		for (uint64_t k = 0; k < l->n; k++)
			for (unsigned c = 0; c < 4; c++) {
				if (!enough(w->p[i][c], r->theta_pos,
					    r->strict))
					continue;
				memcpy(more.letters[more.n], l->letters[k], i);
				more.letters[more.n][i] = (uint8_t)"ACGT"[c];
				more.p[more.n++] = l->p[k] * w->p[i][c];
			}
		memcpy(l, &more, sizeof *l);
	}
	more.n = 0;
	for (uint64_t k = 0; k < l->n; k++)
		if (enough(l->p[k], r->theta_word, r->strict)) {
			memcpy(more.letters[more.n], l->letters[k], w->n);
			more.p[more.n++] = l->p[k];
		}
	memcpy(l, &more, sizeof *l);
}

static bool
same(const struct solid *s, const struct listed *l)
{
	if (s->n != l->n)
		return false;
	for (uint64_t k = 0; k < s->n; k++) {
		long double p = ldexpl(s->p[k].m, (int)s->p[k].e);

		if (memcmp(s->letters + k * s->len, l->letters[k], s->len) ||
		    fabsl(p - l->p[k]) > 1e-14L * p)
			return false;
	}
	return true;
}

/* Few values, so that thresholds are met exactly. */
static void
make(float *v, size_t n, uint64_t *seed)
{
	static const float kinds[] = { 0, 0, 1, 2, 0.25f, 0.1f, 3, 1e-9f };
	uint64_t kind = below(seed, 4);

	for (size_t i = 0; i < n; i++) {
		do {
			for (int c = 0; c < 4; c++)
				v[4 * i + (size_t)c] = kind == 0 ?
				    (float)below(seed, 100) :
				    kinds[below(seed, kind == 1 ? 4 : 8)];
		} while (v[4 * i] + v[4 * i + 1] + v[4 * i + 2] +
			 v[4 * i + 3] <= 0);
	}
}

static double
pick(uint64_t *seed)
{
	static const double thetas[] = { 0, 0, 0.25, 0.1, 0.5, 1, 0.125,
		1.0 / 3, 0.04, 1.0 / 81, 0.7, 1e-6 };

	return below(seed, 8) ?
	       thetas[below(seed, sizeof thetas / sizeof *thetas)] :
	       1e-6 * (double)below(seed, 1000000);
}

static void
sweep(void)
{
	static struct listed all, coloured;
	uint64_t seed = 20261122, rounds = fewer(3000), words = 0, some = 0;

	for (uint64_t i = 0; i < rounds; i++) {
		size_t n = 1 + below(&seed, 1 + i * (MOST - 1) / rounds);
		struct solid_rule r = { pick(&seed), pick(&seed),
					below(&seed, 2), ROOM };
		float v[4 * MOST];
		struct weighted w;
		struct solid s;
		struct err e;

		make(v, n, &seed);
		if (weighted_new(&w, v, n, &e) || solid_words(&s, &w, &r, &e))
			abort();
		list_all(&all, &w, &r);
		list_coloured(&coloured, &w, &r);
		if (!same(&s, &all) || !same(&s, &coloured)) {
			ok(0, "round %llu: n %zu theta %g %g strict %d: %llu "
			   "words, %llu wanted, %llu coloured",
			   (unsigned long long)i, n, r.theta_pos, r.theta_word,
			   r.strict, (unsigned long long)s.n,
			   (unsigned long long)all.n,
			   (unsigned long long)coloured.n);
			return;
		}
		words += s.n;
		some += s.n > 0;
		r.max_words = s.n ? s.n - 1 : 0;
		solid_free(&s);
		if (all.n && solid_words(&s, &w, &r, &e) != ERR_LIMIT) {
			ok(0, "round %llu: a word too many", (unsigned long
			   long)i);
			return;
		}
		weighted_free(&w);
	}
	ok(some > rounds / 3 && some < rounds, "%llu matrices, %llu words, of "
	   "%llu matrices none", (unsigned long long)rounds,
	   (unsigned long long)words, (unsigned long long)(rounds - some));
}

static uint64_t
count(const float *v, size_t n, double pos, double word, bool strict)
{
	struct solid_rule r = { pos, word, strict, 1 << 20 };
	struct weighted w;
	struct solid s;
	struct err e;
	uint64_t k;

	if (weighted_new(&w, v, n, &e) || solid_words(&s, &w, &r, &e))
		abort();
	k = s.n;
	solid_free(&s);
	weighted_free(&w);
	return k;
}

/* Thresholds that decimal numbers meet, and some do not. */
static void
edges(void)
{
	static const float v[] = { 0.7f, 0.1f, 0.1f, 0.1f,
				   0.7f, 0.3f, 0, 0 };
	static const float third[] = { 1, 1, 1, 0, 2, 2, 2, 0 };
	static const float off[] = { 0.2f, 0.2f, 0, 0 };

	ok(count(v, 2, 0.7, 0, false) == 1, "0.7 is at least 0.7");
	ok(count(v, 2, 0.7, 0, true) == 0, "but not more");
	ok(count(v, 2, 0.1, 0, false) == 8, "0.1 and 0.3");
	ok(count(v, 2, 0.1, 0.49, false) == 1, "0.7 * 0.7 is 0.49");
	ok(count(v, 2, 0.1, 0.49, true) == 0, "and no more");
	ok(count(v, 2, 0.1, 0.03, false) == 8, "0.1 * 0.3 is 0.03");
	ok(count(v, 2, 0.1, 0.07, false) == 5, "0.1 * 0.7 is 0.07");
	ok(count(v, 2, 0.700000001, 0, false) == 0, "just above");
	ok(count(v, 2, 0, 0, false) == 8, "0 is never solid");
	ok(count(v, 2, 0, 0, true) == 8, "nor for the source");
	ok(count(third, 2, 1.0 / 3, 1.0 / 9, false) == 9, "thirds");
	ok(count(third, 2, 1.0 / 3, 1.0 / 9, true) == 0, "not more than that");
	ok(count(off, 1, 0.5, 0.5, false) == 2, "sums are made 1");
	ok(count(v, 0, 0.5, 0.5, false) == 1, "one word without letters");
}

static bool
prints(const char *want, double m, int64_t e)
{
	struct buf b = { 0 };
	bool good;

	prob_print(&b, (struct prob){ m, e });
	buf_u8(&b, 0);
	good = strcmp((char *)b.p, want) == 0;
	if (!good)
		printf("# %s, not %s\n", (char *)b.p, want);
	buf_free(&b);
	return good;
}

/* Words whose probability no double holds. */
static void
small(void)
{
	enum { N = 20000 };
	struct solid_rule r = { 0.5, 0, false, 1 };
	static float v[4 * N];
	struct weighted w;
	struct solid s;
	struct err e;

	for (size_t i = 0; i < N; i++) {
		v[4 * i] = 3;
		v[4 * i + 3] = 1;
	}
	if (weighted_new(&w, v, N, &e) || solid_words(&s, &w, &r, &e))
		abort();
	/* (3/4)^20000 = 2^-8300.749... */
	ok(s.n == 1 && fabs((double)s.p->e + log2(s.p->m) +
			    8300.749985576887) < 1e-8, "(3/4)^20000");
	ok(prints("1", 0.5, 1) && prints("0", 0, 0) && prints("0.25", 0.5, -1),
	   "probabilities as text");
	ok(prints("9.33263619e-302", 0.5, -999) &&
	   prints("9.33263619e-302", 1, -1000), "small ones");
	ok(prints("2.3019436e-2408", 0.5, -7997) &&
	   prints("4.66631809e-302", 0.5, -1000) &&
	   prints("2.33315905e-302", 0.5, -1001), "very small ones");
	solid_free(&s);
	r.theta_pos = 0.25;
	ok(solid_words(&s, &w, &r, &e) == ERR_LIMIT, "2^20000 words");
	r.theta_word = 0.9;
	ok(!solid_words(&s, &w, &r, &e) && s.n == 0, "none that likely");
	solid_free(&s);
	weighted_free(&w);
}

static void
errors(void)
{
	static const float bad[][4] = { { 0, 0, 0, 0 }, { 1, -1, 0, 0 },
		{ NAN, 1, 1, 1 }, { INFINITY, 1, 1, 1 } };
	float v[8] = { 1, 1, 1, 1 };
	struct weighted w;
	struct err e;

	for (size_t i = 0; i < 4; i++) {
		memcpy(v + 4, bad[i], sizeof bad[i]);
		ok(weighted_new(&w, v, 2, &e) == ERR_FORMAT &&
		   strstr(e.text, "position 2"), "%s", e.text);
	}
}

int
main(void)
{
	sweep();
	edges();
	small();
	errors();
	return done();
}
