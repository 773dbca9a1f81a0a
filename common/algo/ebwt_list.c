/* SPDX-License-Identifier: MIT */
/* ebwt_list.c - rows of the listing, from sorted rotations of roots */
#include "algo/ebwt_priv.h"

enum { ROWS = 4096 };

struct list {
	struct ebwt *x;
	ebwt_rows_fn *fn;
	void *arg;
	uint64_t done;		/* rows given */
	size_t n;
	struct ebwt_row row[ROWS];
};

static int
give(struct list *l, struct err *e)
{
	const struct ebwt_params *par = &l->x->par;
	int rc;

	if (!l->n)
		return 0;
	rc = l->fn(l->arg, l->row, l->n, e);
	l->done += l->n;
	l->n = 0;
	if (!rc && par->progress)
		par->progress(par->progress_arg, l->done, l->x->n_rows);
	return rc;
}

/* All rows that rotation r of a class's root stands for: they tie. */
static int
expand(struct list *l, const struct ebwt_class *c, uint32_t r, struct err *e)
{
	const struct ebwt *x = l->x;
	struct ebwt_row row = { .last = c->root[(r ? r : c->n) - 1] };
	int rc;

	for (uint32_t k = 0; k < c->words; k++) {
		uint32_t s, w = x->member[c->first + k];

		s = x->shift[w];
		row.word = w;
		row.offset = r >= s ? r - s : r + (c->n - s);
		for (uint32_t t = x->exponent[w]; t; t--) {
			if (l->n == ROWS) {
				rc = give(l, e);
				if (rc)
					return rc;
			}
			l->row[l->n++] = row;
			row.offset += c->n;
			row.tied = true;
		}
	}
	return 0;
}

static int
take(void *arg, const struct ebwt_batch *b, struct err *e)
{
	struct list *l = arg;
	int rc = 0;

	for (uint64_t i = 0; !rc && i < b->n; i++) {
		uint32_t at = b->class[ebwt_index(b, i)];
		const struct ebwt_class *c = &l->x->class[at];

		rc = expand(l, c, ebwt_offset(b, i, c->n), e);
	}
	return rc;
}

int
ebwt_list(struct ebwt *x, ebwt_rows_fn *fn, void *arg, struct err *e)
{
	struct list *l;
	int rc;

	if (x->par.memory &&
	    ebwt_fits(x, ebwt_need(x, NULL).least - x->used, e))
		return e->code;
	rc = ebwt_take(x, &l, 1, sizeof *l, e);
	if (rc)
		return rc;
	l->x = x;
	l->fn = fn;
	l->arg = arg;
	l->done = 0;
	l->n = 0;
	rc = ebwt_sort(x, true, take, l, e);
	if (!rc)
		rc = give(l, e);
	ebwt_give(x, &l);
	return rc;
}
