/* SPDX-License-Identifier: MIT */
/* printer_check.c - whether options fit a format, before there are rows */

#include "base/base.h"
#include "output/columns.h"
#include "output/print.h"
#include "output/printer.h"

/* The line of names of one table of tsv. */
static void
table_head(struct buf *b, const struct print_env *env, unsigned table)
{
	const struct print_family *f = &print_tsv;

	switch (table) {
	case TABLE_COUNTS: f->tally_head(b, env); break;
	case TABLE_PRIMERS: f->primer_head(b, env); break;
	case TABLE_DISTS: f->dist_head(b, env, false); break;
	case 2 * TABLE_DISTS: f->dist_head(b, env, true); break;
	case TABLE_PRODUCTS: f->product_head(b, env); break;
	default: f->hit_head(b, env);
	}
}

/* Of the first table that may come the names are told. */
static int
check_names(const struct printer_params *pp, unsigned tables, struct err *e)
{
	struct print_env env = { .pp = pp };
	struct columns c;
	struct err other;
	int rc = columns_read(&c, pp->columns, e), first = 0;

	if (rc)
		return rc;
	for (unsigned t = 1; t <= TABLE_PRODUCTS; t *= 2) {
		struct buf b = { 0 };

		if (!(tables & (t == 2 * TABLE_DISTS ? TABLE_DISTS : t)))
			continue;
		table_head(&b, &env, t);
		rc = b.bad ? err_nomem(e, b.n) :
		     columns_of(&c, (struct str){ (const char *)b.p, b.n },
				first ? &other : e);
		buf_free(&b);
		if (!rc || rc == ERR_NOMEM)
			return rc;
		first = rc;
	}
	return first;
}

int
printer_check(const struct printer_params *pp, unsigned tables, struct err *e)
{
	struct printer_params with = *pp;

	if (pp->array && pp->format != FORMAT_JSON)
		return err_set(e, ERR_USAGE, "--json: only with -O json, not "
			       "with %s", format_word(pp->format));
	if (!pp->columns)
		return 0;
	if (pp->format != FORMAT_TSV)
		return err_set(e, ERR_USAGE, "--columns: only with -O tsv, "
			       "not with %s", format_word(pp->format));
	with.header = true;
	return check_names(&with, tables, e);
}

bool
printer_has_column(const char *columns, const char *name)
{
	return columns_have(columns, name);
}
