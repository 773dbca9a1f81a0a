/* SPDX-License-Identifier: MIT */
/* ebwt_set.c - a multiset of words: its memory, its classes */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "algo/ebwt_kern.h"
#include "algo/ebwt_priv.h"
#include "base/minmax.h"
#include "base/pages.h"

/* Before what ebwt_take() gives: how large it is. */
struct head {
	_Alignas(64) uint64_t bytes;
};

int
ebwt_fits(const struct ebwt *x, uint64_t more, struct err *e)
{
	uint64_t max = x->par.memory;

	if (!max || (x->used <= max && more <= max - x->used))
		return 0;
	return err_set(e, ERR_LIMIT, "%llu bytes of memory are needed, and no "
		"more than %llu are allowed", (unsigned long long)(x->used +
		more), (unsigned long long)max);
}

int
ebwt_take(struct ebwt *x, void *at, uint64_t n, size_t size, struct err *e)
{
	struct head *h;
	size_t bytes;

	if (n > SIZE_MAX / 4 / size)
		return err_nomem(e, SIZE_MAX);
	bytes = (n * size + sizeof *h + 63) / 64 * 64;
	if (ebwt_fits(x, bytes, e))
		return e->code;
	h = pages_alloc(bytes);	/* sorting writes a thousand streams at once */
	if (!h)
		return err_nomem(e, bytes);
	h->bytes = bytes;
	x->used += bytes;
	x->peak = x->used > x->peak ? x->used : x->peak;
	h++;
	memcpy(at, &h, sizeof h);
	return 0;
}

void
ebwt_give(struct ebwt *x, void *at)
{
	struct head *h;

	memcpy(&h, at, sizeof h);
	if (!h)
		return;
	if (x)
		x->used -= h[-1].bytes;
	free(h - 1);
	h = NULL;
	memcpy(at, &h, sizeof h);
}

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

struct letters {
	const struct ebwt *x;
	_Atomic uint64_t here[4];	/* a bit for each byte */
};

static void
look_for_letters(void *arg, uint64_t c, unsigned thread)
{
	struct letters *l = arg;
	uint8_t seen[256] = { 0 };
	uint64_t bits[4] = { 0 };

	(void)thread;
	ebwt_ops()->letters(seen, l->x->class[c].root, l->x->class[c].n);
	for (unsigned i = 0; i < 256; i++)
		bits[i / 64] |= (uint64_t)seen[i] << i % 64;
	for (unsigned i = 0; i < 4; i++)
		atomic_fetch_or(&l->here[i], bits[i]);
}

static void
find_letters(struct ebwt *x)
{
	struct letters l = { .x = x };

	ebwt_each(ebwt_threads(x, x->n_roots), x->n_classes, look_for_letters,
		  &l);
	for (unsigned i = 0; i < 256; i++)
		x->code[i] = (uint8_t)(l.here[i / 64] >> i % 64 & 1 ?
			x->sigma++ : 0);
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
static int
classes(struct ebwt *x, struct err *e)
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

static int
check(const struct ebwt_word *word, size_t n, const struct ebwt_params *par,
      uint64_t *rows, struct err *e)
{
	if (!n || !par->threads)
		return err_set(e, ERR_USAGE, n ? "no threads" : "no words");
	if (n >= UINT32_MAX - 1)
		return err_set(e, ERR_LIMIT, "too many words (at most %u)",
			       UINT32_MAX - 2);
	*rows = 0;
	for (size_t i = 0; i < n; i++) {
		if (!word[i].n)
			return err_set(e, ERR_USAGE, "word %zu has no letters",
				       i + 1);
		if (word[i].n > EBWT_MAX_WORD)
			return err_set(e, ERR_LIMIT, "word %zu is too long (at "
				"most %llu letters)", i + 1, EBWT_MAX_WORD);
		if (word[i].n > EBWT_MAX_LETTERS - *rows)
			return err_set(e, ERR_LIMIT, "too many letters in all "
				"words (at most %llu)", EBWT_MAX_LETTERS);
		*rows += word[i].n;
	}
	return 0;
}

int
ebwt_new(struct ebwt **to, const struct ebwt_word *word, size_t n,
	 const struct ebwt_params *par, struct err *e)
{
	struct ebwt *x;
	uint64_t rows = 0;
	int rc;

	*to = NULL;
	if (check(word, n, par, &rows, e))
		return e->code;
	x = calloc(1, sizeof *x);
	if (!x)
		return err_nomem(e, sizeof *x);
	x->par = *par;
	x->n_words = n;
	x->n_rows = rows;
	rc = ebwt_take(x, &x->word, n, sizeof *x->word, e);
	if (!rc)
		rc = ebwt_take(x, &x->class_of, n, sizeof *x->class_of, e);
	if (!rc)
		rc = ebwt_take(x, &x->exponent, n, sizeof *x->exponent, e);
	if (!rc)
		rc = ebwt_take(x, &x->shift, n, sizeof *x->shift, e);
	if (!rc)
		rc = ebwt_take(x, &x->member, n, sizeof *x->member, e);
	if (!rc) {
		memcpy(x->word, word, n * sizeof *word);
		rc = classes(x, e);
	}
	if (!rc)
		find_letters(x);
	if (rc)
		ebwt_delete(x);
	else
		*to = x;
	return rc;
}

void
ebwt_delete(struct ebwt *x)
{
	if (!x)
		return;
	ebwt_give(x, &x->word);
	ebwt_give(x, &x->class);
	ebwt_give(x, &x->class_of);
	ebwt_give(x, &x->exponent);
	ebwt_give(x, &x->shift);
	ebwt_give(x, &x->member);
	free(x);
}

uint64_t
ebwt_rows(const struct ebwt *x)
{
	return x->n_rows;
}

bool
ebwt_conjugate(const struct ebwt *x, size_t i, size_t j)
{
	return x->class_of[i] == x->class_of[j];
}
