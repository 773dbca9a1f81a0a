/* SPDX-License-Identifier: MIT */
/* ebwt_restore.c - words from M_L and M_chi, and back */
#include "tests/lib/ebwt_gen.h"

enum { MAX = EGEN_WORDS * EGEN_LETTERS };

static struct err e;

struct transform {
	uint64_t n;
	uint8_t last[MAX], chi[MAX];
};

struct words {
	size_t n;
	uint64_t used;
	struct ebwt_word word[MAX];
	uint8_t letters[MAX];
};

static int
keep_row(void *arg, const struct ebwt_row *row, size_t n, struct err *er)
{
	struct transform *t = arg;

	(void)er;
	for (size_t i = 0; i < n; i++) {
		t->last[t->n] = row[i].last;
		t->chi[t->n++] = !row[i].offset;
	}
	return 0;
}

static int
keep_word(void *arg, const uint8_t *letters, uint64_t m, struct err *er)
{
	struct words *w = arg;

	if (w->used + m > MAX)
		return err_set(er, ERR_LIMIT, "more letters than there are");
	memcpy(w->letters + w->used, letters, m);
	w->word[w->n++] = (struct ebwt_word){ w->letters + w->used, m };
	w->used += m;
	return 0;
}

static void
transform(struct transform *t, const struct ebwt_word *word, size_t n)
{
	struct ebwt_params par = { .threads = 1 };
	struct ebwt *x;

	t->n = 0;
	if (ebwt_new(&x, word, n, &par, &e) || ebwt_list(x, keep_row, t, &e))
		abort();
	ebwt_delete(x);
}

static bool
back(const struct transform *t, struct words *w)
{
	static struct transform again;

	transform(&again, w->word, w->n);
	return again.n == t->n && !memcmp(again.last, t->last, t->n) &&
	       !memcmp(again.chi, t->chi, t->n);
}

static int
by_letters(const void *a, const void *b)
{
	const struct ebwt_word *u = a, *v = b;
	int c = memcmp(u->letters, v->letters, u->n < v->n ? u->n : v->n);

	return c ? c : (u->n > v->n) - (u->n < v->n);
}

/* The same words, and as often, in whatever order; sorts both. */
static bool
same_words(struct words *w, struct eset *s)
{
	if (w->n != s->n)
		return false;
	qsort(w->word, w->n, sizeof *w->word, by_letters);
	qsort(s->word, s->n, sizeof *s->word, by_letters);
	for (size_t i = 0; i < w->n; i++)
		if (by_letters(&w->word[i], &s->word[i]))
			return false;
	return true;
}

static void
round_trips(uint64_t rounds, size_t max)
{
	static struct eset s;
	static struct transform t;
	static struct words w;

	for (uint64_t i = 0; i < rounds; i++) {
		egen(&s, 362436069362436069ull + i * 7919, max);
		transform(&t, s.word, s.n);
		w.n = w.used = 0;
		if (ebwt_restore(t.last, t.chi, t.n, keep_word, &w, &e) ||
		    !back(&t, &w) || !same_words(&w, &s)) {
			ok(0, "max %zu: round %llu", max,
			   (unsigned long long)i);
			return;
		}
	}
	ok(1, "max %zu: %llu round trips", max, (unsigned long long)rounds);
}

/* Every M_L of two letters with every M_chi: words, or rightly none. */
static void
every(unsigned n)
{
	static struct transform t;
	static struct words w;
	uint64_t found = 0, all = 1ull << 2 * n;

	t.n = n;
	for (uint64_t v = 0; v < all; v++) {
		for (unsigned i = 0; i < n; i++) {
			t.last[i] = (uint8_t)('a' + (v >> i & 1));
			t.chi[i] = v >> (n + i) & 1;
		}
		w.n = w.used = 0;
		if (ebwt_restore(t.last, t.chi, n, keep_word, &w, &e)) {
			if (e.code != ERR_FORMAT || w.n)
				break;
			continue;
		}
		found++;
		if (!back(&t, &w)) {
			ok(0, "n %u: %llu", n, (unsigned long long)v);
			return;
		}
	}
	printf("# n %u: %llu are transforms\n", n, (unsigned long long)found);
	ok(found > 0, "every transform of %u letters", n);
}

/*
 * There are as many transforms of n letters a, b as multisets of words, up
 * to the order within a class: checked by listing all of them.
 */
static void
none_is_refused(unsigned n)
{
	static struct transform t;
	static struct words w;
	uint8_t s[16];
	bool good = true;

	for (uint64_t v = 0; v < 1ull << (2 * n - 1); v++) {
		struct ebwt_word word[16];
		size_t k = 0;

		/* letters, and where words end */
		for (unsigned i = 0, beg = 0; i < n; i++) {
			s[i] = (uint8_t)('a' + (v >> i & 1));
			if (i + 1 < n && !(v >> (n + i) & 1))
				continue;
			word[k++] = (struct ebwt_word){ s + beg, i + 1 - beg };
			beg = i + 1;
		}
		transform(&t, word, k);
		w.n = w.used = 0;
		good = good && !ebwt_restore(t.last, t.chi, n, keep_word, &w,
					     &e) && w.n == k && back(&t, &w);
	}
	ok(good, "every multiset of %u letters comes back", n);
}

static int
fail(void *arg, const uint8_t *letters, uint64_t m, struct err *er)
{
	(void)arg;
	(void)letters;
	(void)m;
	return err_set(er, ERR_IO, "full");
}

static void
refused(void)
{
	static struct words w;
	const uint8_t *l = (const uint8_t *)"nnbaaa";
	uint8_t chi[6] = { 0, 0, 0, 1, 0, 0 };

	ok(ebwt_restore(l, chi, 6, fail, NULL, &e) == ERR_IO, "what fn says");
	ok(!ebwt_restore(l, chi, 6, keep_word, &w, &e) && w.n == 1 &&
	   !memcmp(w.letters, "banana", 6), "banana");
	chi[5] = 1;
	ok(ebwt_restore(l, chi, 6, keep_word, &w, &e) == ERR_FORMAT,
	   "two begins of a word");
	chi[3] = chi[5] = 0;
	ok(ebwt_restore(l, chi, 6, keep_word, &w, &e) == ERR_FORMAT,
	   "none");
	chi[2] = 2;
	ok(ebwt_restore(l, chi, 6, keep_word, &w, &e) == ERR_FORMAT,
	   "chi is 0 or 1");
	ok(!ebwt_restore(l, chi, 0, keep_word, &w, &e), "nothing");
	ok(ebwt_restore(l, chi, EBWT_MAX_WORD + 1, keep_word, &w, &e) ==
	   ERR_LIMIT, "too much");
}

int
main(void)
{
	unsigned most = emulated() ? 7 : 8;

	refused();
	for (unsigned n = 1; n <= most; n++)
		every(n);
	for (unsigned n = 1; n <= most; n++)
		none_is_refused(n);
	round_trips(fewer(3000), 9);
	round_trips(fewer(1000), 60);
	round_trips(fewer(50), 400);
	return done();
}
