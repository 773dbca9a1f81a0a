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
	case TABLE_CHECKS: f->check_head(b, env); break;
	default: f->hit_head(b, env);
	}
}

/* What rows of the table are called. */
static const char *
table_word(unsigned table)
{
	switch (table) {
	case TABLE_COUNTS: return "counts";
	case TABLE_PRIMERS: return "primers";
	case TABLE_DISTS: return "distances";
	case 2 * TABLE_DISTS: return "weighted distances";
	case TABLE_PRODUCTS: return "products";
	case TABLE_CHECKS: return "checks";
	default: return "hits";
	}
}

/* The names of other tables, behind those of the first one, which e names. */
static int
more_names(const struct buf *more, struct err *e)
{
	struct err first = *e;

	return more->bad ? err_nomem(e, more->n) :
	       err_set(e, first.code, "%s%.*s", first.text, (int)more->n,
		       more->n ? (const char *)more->p : "");
}

/* Are they names of this table?  If not, and it is not the first one that was
 * asked, its names come behind more. */
static int
check_table(struct columns *c, const struct print_env *env, unsigned table,
	    bool first, struct buf *more, struct err *e)
{
	struct buf b = { 0 };
	struct err other;
	struct str head;
	int rc;

	table_head(&b, env, table);
	head = (struct str){ (const char *)b.p, b.n };
	rc = b.bad ? err_nomem(e, b.n) : columns_of(c, head,
						    first ? e : &other);
	if (rc == ERR_USAGE && !first) {
		buf_printf(more, "; of %s: ", table_word(table));
		columns_names(more, head);
	}
	buf_free(&b);
	return rc;
}

/* Which table comes may not be known yet: the names of all are printed. */
static int
check_names(const struct printer_params *pp, unsigned tables, struct err *e)
{
	struct print_env env = { .pp = pp };
	struct columns c;
	struct buf more = { 0 };
	bool first = true;
	int rc = columns_read(&c, pp->columns, e);

	if (rc)
		return rc;
	for (unsigned t = 1; t <= TABLE_CHECKS; t *= 2) {
		if (!(tables & (t == 2 * TABLE_DISTS ? TABLE_DISTS : t)))
			continue;
		rc = check_table(&c, &env, t, first, &more, e);
		first = false;
		if (rc != ERR_USAGE)
			break;
	}
	if (rc == ERR_USAGE)
		rc = more_names(&more, e);
	buf_free(&more);
	return rc;
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
