/* SPDX-License-Identifier: MIT */
/* ebwt_listing.h - the listing of a multiset of words as an array */
#ifndef SEQF_EBWT_LISTING_H
#define SEQF_EBWT_LISTING_H

#include <string.h>

#include "ebwt/ebwt.h"
#include "tests/lib/tap.h"
#include "tests/oracle/oracle_ebwt.h"

struct listing {
	uint64_t n;
	struct ebwt_row *row;	/* the caller's to free() */
};

static inline int
listing_keep(void *arg, const struct ebwt_row *row, size_t n, struct err *e)
{
	struct listing *l = arg;

	(void)e;
	memcpy(l->row + l->n, row, n * sizeof *row);
	l->n += n;
	return 0;
}

static inline struct ebwt *
set_with(const struct ebwt_word *word, size_t n, const struct ebwt_params *par)
{
	struct ebwt *x;
	struct err e;

	if (ebwt_new(&x, word, n, par, &e)) {
		printf("# %s\n", e.text);
		abort();
	}
	return x;
}

static inline struct listing
list_of(const struct ebwt_word *word, size_t n, const struct ebwt_params *par)
{
	struct ebwt *x = set_with(word, n, par);
	struct listing l = { 0 };
	uint64_t rows = 0;
	struct err e;

	for (size_t i = 0; i < n; i++)
		rows += word[i].n;
	l.row = malloc(rows * sizeof *l.row);
	if (!l.row || ebwt_list(x, listing_keep, &l, &e))
		abort();
	ebwt_delete(x);
	return l;
}

/* By definition. */
static inline struct listing
list_by_oracle(const struct ebwt_word *word, size_t n)
{
	struct listing l;
	struct oracle_row *r = oracle_listing(word, n, &l.n);

	l.row = calloc(l.n, sizeof *l.row);
	if (!l.row)
		abort();
	for (uint64_t i = 0; i < l.n; i++) {
		const struct ebwt_word *w = &word[r[i].word];

		l.row[i].word = r[i].word;
		l.row[i].offset = r[i].offset;
		l.row[i].last = w->letters[(r[i].offset + w->n - 1) % w->n];
		l.row[i].tied = i && !oracle_omega(w, r[i].offset,
			&word[r[i - 1].word], r[i - 1].offset);
	}
	free(r);
	return l;
}

/* Is the listing, made so, as wanted? */
static inline bool
lists(const struct ebwt_word *word, size_t n, const struct ebwt_params *par,
      const struct listing *want)
{
	struct listing have = list_of(word, n, par);
	bool good = have.n == want->n;

	for (uint64_t i = 0; good && i < have.n; i++) {
		const struct ebwt_row *a = &have.row[i], *b = &want->row[i];

		good = a->word == b->word && a->offset == b->offset &&
		       a->last == b->last && a->tied == b->tied;
	}
	free(have.row);
	return good;
}

#endif
