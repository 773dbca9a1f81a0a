/* SPDX-License-Identifier: MIT */
/* ebwt_class.c - which words are conjugate */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "algo/ebwt_kern.h"
#include "algo/ebwt_priv.h"
#include "base/minmax.h"

/* A word's root, to find those it is conjugate to. */
struct root {
	uint64_t print;
	uint32_t n, word;
};

static int
by_length(const void *a, const void *b)
{
	const struct root *x = a, *y = b;

	return cmp_u64(x->n, y->n);
}

static int
by_print(const void *a, const void *b)
{
	const struct root *x = a, *y = b;

	return cmp_u64(x->print, y->print);
}

struct task {
	struct ebwt *x;
	struct root *root;
	uint32_t *least;	/* by word: where its least rotation begins */
};

/* The order of least rotations of roots of equal length. */
static int
compare(const struct task *t, const struct root *a, const struct root *b)
{
	const struct ebwt_word *word = t->x->word;
	const uint8_t *u = word[a->word].letters, *v = word[b->word].letters;
	uint32_t i = t->least[a->word], j = t->least[b->word];
	uint32_t left = a->n, n;
	int c = 0;

	for (; left && !c; left -= n) {
		n = a->n - (i > j ? i : j);
		n = n < left ? n : left;
		c = memcmp(u + i, v + j, n);
		i = i + n == a->n ? 0 : i + n;
		j = j + n == a->n ? 0 : j + n;
	}
	return c;
}

static int
by_rotation(const void *a, const void *b, void *task)
{
	const struct root *x = a, *y = b;
	int c = compare(task, x, y);

	return c ? c : cmp_u64(x->word, y->word);
}

static void
find_least(void *arg, uint64_t i, unsigned thread)
{
	const struct task *t = arg;
	const struct root *r = &t->root[i];

	(void)thread;
	t->least[r->word] = ebwt_least(t->x->word[r->word].letters, r->n);
}

/*
 * Roots of equal length and print, m of them.  They are conjugate if and only
 * if their least rotations are equal, so sorted by these a class lies together,
 * and its first word comes first: all others join it.
 */
static void
join(struct task *t, size_t m)
{
	struct root *r = t->root;
	uint32_t n = r->n, *least = t->least;
	struct ebwt *x = t->x;

	if (m < 2)
		return;
	ebwt_each(ebwt_threads(x, m * n), m, find_least, t);
	qsort_r(r, m, sizeof *r, by_rotation, t);
	for (size_t k = 1, first = 0; k < m; k++) {
		uint32_t v = r[first].word, w = r[k].word;

		if (compare(t, &r[first], &r[k])) {
			first = k;
			continue;
		}
		x->class_of[w] = v;
		x->shift[w] = least[v] >= least[w] ? least[v] - least[w] :
						     least[v] + (n - least[w]);
	}
}

static void
print_one(void *arg, uint64_t i, unsigned thread)
{
	const struct task *t = arg;
	struct root *r = &t->root[i];

	(void)thread;
	r->print = ebwt_ops()->print(t->x->word[r->word].letters, r->n);
}

/* Words whose roots have equal lengths, m of them from r on. */
static void
join_prints(struct task t, struct root *r, size_t m)
{
	size_t i, k;

	if (m < 2)
		return;
	t.root = r;
	ebwt_each(ebwt_threads(t.x, m * r->n), m, print_one, &t);
	qsort(r, m, sizeof *r, by_print);
	for (i = 0; i < m; i = k) {
		for (k = i + 1; k < m && r[k].print == r[i].print; k++)
			;
		t.root = r + i;
		join(&t, k - i);
	}
}

/* Number the classes in the order of their first words, and list members. */
static int
number(struct ebwt *x, struct err *e)
{
	uint32_t first = 0;

	for (size_t w = 0; w < x->n_words; w++)
		x->n_classes += x->class_of[w] == w;
	if (ebwt_take(x, &x->class, x->n_classes, sizeof *x->class, e))
		return e->code;
	x->n_classes = 0;
	for (size_t w = 0; w < x->n_words; w++) {
		struct ebwt_class *c = &x->class[x->n_classes];

		if (x->class_of[w] != w) {	/* joined an earlier word */
			x->class_of[w] = x->class_of[x->class_of[w]];
			x->class[x->class_of[w]].words++;
			continue;
		}
		*c = (struct ebwt_class){
			.root = x->word[w].letters, .words = 1,
			.n = (uint32_t)(x->word[w].n / x->exponent[w]),
		};
		x->n_roots += c->n;
		x->class_of[w] = (uint32_t)x->n_classes++;
	}
	for (size_t c = 0; c < x->n_classes; c++) {
		x->class[c].first = first;
		first += x->class[c].words;
		x->class[c].words = 0;
	}
	for (size_t w = 0; w < x->n_words; w++) {
		struct ebwt_class *c = &x->class[x->class_of[w]];

		x->member[c->first + c->words++] = (uint32_t)w;
	}
	return 0;
}

static void
root_one(void *arg, uint64_t i, unsigned thread)
{
	const struct task *t = arg;
	struct ebwt *x = t->x;
	const struct ebwt_word *w = &x->word[i];

	(void)thread;
	x->exponent[i] = ebwt_exponent(w->letters, (uint32_t)w->n);
	x->class_of[i] = (uint32_t)i;
	x->shift[i] = 0;
	t->root[i] = (struct root){
		.n = (uint32_t)w->n / x->exponent[i], .word = (uint32_t)i,
	};
}

/* class_of is at first the least word of the class. */
int
ebwt_classes(struct ebwt *x, struct err *e)
{
	struct task t = { .x = x };
	size_t n = x->n_words, i, k;
	struct root *r = NULL;
	int rc = ebwt_take(x, &r, n, sizeof *r, e);

	if (!rc)
		rc = ebwt_take(x, &t.least, n, sizeof *t.least, e);
	if (rc)
		goto out;
	t.root = r;
	ebwt_each(ebwt_threads(x, x->n_rows), n, root_one, &t);
	qsort(r, n, sizeof *r, by_length);
	for (i = 0; i < n; i = k) {
		for (k = i + 1; k < n && r[k].n == r[i].n; k++)
			;
		join_prints(t, r + i, k - i);
	}
	rc = number(x, e);
out:
	ebwt_give(x, &r);
	ebwt_give(x, &t.least);
	return rc;
}

bool
ebwt_conjugate(const struct ebwt *x, size_t i, size_t j)
{
	return x->class_of[i] == x->class_of[j];
}
