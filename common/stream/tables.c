/* SPDX-License-Identifier: MIT */
/* tables.c - primers and distances as text */
#include "stream/tables.h"

static int
put_primer(void *ctx, const struct primer_row *r, struct err *e)
{
	return printer_primer(ctx, r, e);
}

static int
put_dist(void *ctx, const struct dist_text *r, struct err *e)
{
	return printer_dist(ctx, r, e);
}

static int
put_lines(void *ctx, const struct buf *b, struct err *e)
{
	return printer_lines(ctx, b, e);
}

int
tables_print(struct primers *p, const struct dists *d, struct printer *to,
	     enum format format, struct err *e)
{
	enum dists_matrix matrix = format == FORMAT_PHYLIP ? DISTS_SQUARE :
		format == FORMAT_PHYLIP_LOWER ? DISTS_LOWER :
		format == FORMAT_PHYLIP_STRICT ? DISTS_STRICT : DISTS_NONE;
	int r = 0;

	if (primers_any(p))
		printer_primer_head(to);
	r = primers_rows(p, put_primer, to, e);
	if (r == 0 && matrix)
		return dists_phylip(d, matrix, put_lines, to, e);
	if (r == 0 && dists_any(d) && printer_dists(to, d))
		return 0;
	if (r == 0)
		r = dists_rows(d, put_dist, to, e);
	if (dists_any(d))
		printer_dist_head(to, dists_weighted(d));
	return r;
}

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
	struct dists_params near = { .n = t->nearest };
	int r = primers_finish(t->primers, e);

	if (r == 0)
		r = dists_finish(t->dists, &near, e);
	if (r == 0 && t->sites)
		r = find_sites(t, e);
	if (r == 0)
		r = tables_print(t->primers, t->dists, to, format, e);
	return r == 0 ? primers_check(t->primers, e) : r;
}
