/* SPDX-License-Identifier: MIT */
/* tables.c - what PRIMER and DIST frames of a stream add up to */

#include "output/printer.h"

int
tables_new(struct tables *t, struct err *e)
{
	int r = primers_new(&t->primers, false, e);

	return r == 0 ? dists_new(&t->dists, e) : r;
}

void
tables_free(struct tables *t)
{
	primers_free(t->primers);
	dists_free(t->dists);
}

bool
tables_any(const struct tables *t)
{
	return primers_any(t->primers) || dists_any(t->dists);
}

static int
add_primer(struct tables *t, const struct rec_frame *f, struct err *e)
{
	struct primer_part p;
	int r = primer_view(&p, f, e);

	if (r < 0)
		return r;
	r = primers_add(t->primers, &p, e);
	primer_free(&p);
	return r;
}

int
tables_frame(struct tables *t, const struct rec_frame *f, struct err *e)
{
	struct dist d;
	int r;

	if (f->type == REC_PRIMER)
		return add_primer(t, f, e);
	r = dist_view(&d, f, e);
	if (r < 0)
		return r;
	if (t->rename)
		t->rename(t->rename_ctx, &d);
	r = dists_add(t->dists, &d, e);
	dist_free(&d);
	return r;
}

/* The nearest of a part would not be the nearest. */
static int
find_sites(struct tables *t, struct err *e)
{
	bool whole;
	int r = ledger_whole(t->ledger, &whole, e);

	if (r < 0)
		return r;
	return whole ? t->sites(t->sites_ctx, t->primers, e) :
		       err_set(e, ERR_INCOMPLETE, "--site: not all of the "
			       "background is there");
}

int
tables_finish(struct tables *t, struct printer *to, enum format format,
	      struct err *e)
{
	struct dists_params near = { .n = t->nearest,
				     .progress = t->progress };
	int r = primers_finish(t->primers, e);

	if (r == 0)
		r = dists_finish(t->dists, &near, e);
	if (r == 0 && t->sites)
		r = find_sites(t, e);
	if (r == 0 && t->take) {
		r = primers_check(t->primers, e);
		return r ? r : t->take(t->take_ctx, t->primers, e);
	}
	if (r == 0)
		r = tables_print(t->primers, t->dists, to, format, e);
	return r == 0 ? primers_check(t->primers, e) : r;
}
