/* SPDX-License-Identifier: MIT */
/* ebwt_set.c - a multiset of words: its memory, its letters */
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
		rc = ebwt_classes(x, e);
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
