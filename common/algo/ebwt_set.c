/* SPDX-License-Identifier: MIT */
/* ebwt_set.c - a multiset of words: its memory, its classes */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "algo/ebwt_kern.h"
#include "algo/ebwt_priv.h"
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

	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	return x->word < y->word ? -1 : 1;
}

static int
by_print(const void *a, const void *b)
{
	const struct root *x = a, *y = b;

	if (x->print != y->print)
		return x->print < y->print ? -1 : 1;
	return x->word < y->word ? -1 : 1;
}

/* Do two words of n letters agree if read from i and j on? */
static bool
agree(const uint8_t *a, uint32_t i, const uint8_t *b, uint32_t j, uint32_t n)
{
	uint32_t done = 0;

	while (done < n) {
		uint32_t left = n - (i > j ? i : j);

		if (left > n - done)
			left = n - done;
		if (memcmp(a + i, b + j, left))
			return false;
		done += left;
		i = i + left == n ? 0 : i + left;
		j = j + left == n ? 0 : j + left;
	}
	return true;
}

/*
 * Words of equal length and print, m of them: join each to the first that it
 * is conjugate to.  least[] is by word.  There is one class, but for accidents.
 */
static void
join(struct ebwt *x, const struct root *r, size_t m, uint32_t *least)
{
	uint32_t n = r->n;

	for (size_t k = 0; m > 1 && k < m; k++) {
		uint32_t w = r[k].word;
		const uint8_t *s = x->word[w].letters;

		least[w] = ebwt_least(s, n);
		for (size_t f = 0; f < k; f++) {
			uint32_t v = r[f].word;

			if (x->class_of[v] != v ||
			    !agree(x->word[v].letters, least[v], s, least[w],
				   n))
				continue;
			x->class_of[w] = v;
			x->shift[w] = least[v] >= least[w] ?
				least[v] - least[w] :
				least[v] + (n - least[w]);
			break;
		}
	}
}

struct task {
	struct ebwt *x;
	struct root *root;
};

static void
print_one(void *arg, uint64_t i, unsigned thread)
{
	const struct task *t = arg;
	struct root *r = &t->root[i];

	(void)thread;
	r->print = ebwt_ops()->print(t->x->word[r->word].letters, r->n);
}

/* Words whose roots have equal lengths, m of them. */
static void
join_prints(struct ebwt *x, struct root *r, size_t m, uint32_t *least)
{
	struct task t = { x, r };
	size_t i, k;

	if (m < 2)
		return;
	ebwt_each(ebwt_threads(x, m * r->n), m, print_one, &t);
	qsort(r, m, sizeof *r, by_print);
	for (i = 0; i < m; i = k) {
		for (k = i + 1; k < m && r[k].print == r[i].print; k++)
			;
		join(x, r + i, k - i, least);
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
	struct root *r = NULL;
	uint32_t *least = NULL;
	size_t n = x->n_words, i, k;
	int rc = ebwt_take(x, &r, n, sizeof *r, e);

	if (!rc)
		rc = ebwt_take(x, &least, n, sizeof *least, e);
	if (rc)
		goto out;
	ebwt_each(ebwt_threads(x, x->n_rows), n, root_one,
		  &(struct task){ x, r });
	qsort(r, n, sizeof *r, by_length);
	for (i = 0; i < n; i = k) {
		for (k = i + 1; k < n && r[k].n == r[i].n; k++)
			;
		join_prints(x, r + i, k - i, least);
	}
	rc = number(x, e);
out:
	ebwt_give(x, &r);
	ebwt_give(x, &least);
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
