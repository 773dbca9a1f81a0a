/* SPDX-License-Identifier: MIT */
/* ebwt_listing.h - the listing of a multiset of words as an array */
#ifndef SEQF_EBWT_LISTING_H
#define SEQF_EBWT_LISTING_H

#include <string.h>

#include "ebwt/ebwt.h"
#include "tests/lib/tap.h"

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

#endif
