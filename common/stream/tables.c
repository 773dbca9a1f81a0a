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
	bool lower = format == FORMAT_PHYLIP_LOWER;
	int r = 0;

	if (primers_any(p))
		printer_primer_head(to);
	r = primers_rows(p, put_primer, to, e);
	if (r == 0 && (lower || format == FORMAT_PHYLIP))
		return dists_phylip(d, lower, put_lines, to, e);
	if (r == 0)
		r = dists_rows(d, put_dist, to, e);
	if (dists_any(d))
		printer_dist_head(to, dists_weighted(d));
	return r;
}
