/* SPDX-License-Identifier: MIT */
/*
 * columns.c - the columns of tsv: which are wanted, and how they stand on a
 * terminal
 */

#include <string.h>

#include "base/base.h"
#include "output/columns.h"
#include "output/print.h"
#include "output/printer.h"

/* What is before the first of the two bytes, and *s behind it. */
static struct str
take_field(struct str *s, char between)
{
	const char *p = memchr(s->p, between, s->n);
	struct str f = { s->p, p ? (size_t)(p - s->p) : s->n };
	size_t n = f.n + (p != NULL);

	s->p += n;
	s->n -= n;
	return f;
}

static bool
same_name(struct str a, struct str b)
{
	return a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

int
columns_read(struct columns *c, const char *text, struct err *e)
{
	struct str rest = { text, strlen(text) };
	bool more = true;

	memset(c, 0, sizeof *c);
	while (more) {
		const char *end = rest.p + rest.n;
		struct str f = take_field(&rest, ',');

		more = f.p + f.n < end;
		if (!f.n)
			return err_set(e, ERR_USAGE, "--columns '%.200s': a "
				       "name is empty", text);
		if (c->n == COLUMNS_MAX)
			return err_set(e, ERR_USAGE, "--columns: more than %d "
				       "names", COLUMNS_MAX);
		c->name[c->n++] = f;
	}
	return 0;
}

/* Is it among the names? */
static bool
columns_have(const char *text, const char *name)
{
	struct str rest, want = { name, strlen(name) };

	if (!text)
		return false;
	rest = (struct str){ text, strlen(text) };
	while (rest.n)
		if (same_name(take_field(&rest, ','), want))
			return true;
	return false;
}

/* Place of the name in a line of names; or -1. */
static long
place_of(struct str name, struct str head)
{
	for (long i = 0; head.n; i++)
		if (same_name(take_field(&head, '\t'), name))
			return i;
	return -1;
}

/* A table's line of names without # and the line's end. */
static struct str
bare(struct str head)
{
	if (head.n && *head.p == '#')
		head = (struct str){ head.p + 1, head.n - 1 };
	if (head.n && head.p[head.n - 1] == '\n')
		head.n--;
	return head;
}

/* The names of such a line, with commas, behind what is in b. */
static void
columns_names(struct buf *b, struct str head)
{
	head = bare(head);
	for (size_t i = 0; i < head.n; i++) {
		if (head.p[i] == '\t')
			buf_u8(b, ',');
		buf_u8(b, head.p[i] == '\t' ? ' ' : (uint8_t)head.p[i]);
	}
}

static int
refuse(struct str name, struct str head, struct err *e)
{
	struct buf b = { 0 };
	int rc;

	columns_names(&b, head);
	rc = b.bad ? err_nomem(e, head.n) :
	     err_set(e, ERR_USAGE, "--columns: there is no column %.*s: the "
		     "names are %.*s", (int)min_u64(name.n, 40), name.p,
		     (int)b.n, (const char *)b.p);
	buf_free(&b);
	return rc;
}

int
columns_of(struct columns *c, struct str head, struct err *e)
{
	head = bare(head);
	c->n_all = 1;
	for (size_t i = 0; i < head.n; i++)
		c->n_all += head.p[i] == '\t';
	for (size_t i = 0; i < c->n; i++) {
		long at = place_of(c->name[i], head);

		if (at < 0)
			return refuse(c->name[i], head, e);
		c->at[i] = (size_t)at;
	}
	return 0;
}

void
columns_pick(const struct columns *c, struct buf *b, size_t at, bool names)
{
	size_t beg[COLUMNS_MAX] = { 0 }, len[COLUMNS_MAX] = { 0 };
	size_t n = b->n, room = 2;
	struct str row;

	if (b->bad || n == at)
		return;
	at += names;	/* the # stays */
	row = (struct str){ (const char *)b->p + at, n - at - 1 };
	for (size_t i = 0; i < c->n_all && i < COLUMNS_MAX; i++) {
		struct str f = take_field(&row, '\t');

		beg[i] = (size_t)((const uint8_t *)f.p - b->p);
		len[i] = f.n;
	}
	for (size_t i = 0; i < c->n; i++)
		room += len[c->at[i]] + 1;
	if (!buf_reserve(b, room))
		return;
	for (size_t i = 0; i < c->n; i++) {
		buf_put(b, b->p + beg[c->at[i]], len[c->at[i]]);
		buf_u8(b, i + 1 < c->n ? '\t' : '\n');
	}
	memmove(b->p + at, b->p + n, b->n - n);
	b->n -= n - at;
}

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

/* What is longer, a CIGAR say, does not make its column wider. */
enum { WIDEST = 40, BETWEEN = 2 };

static size_t
letters(const char *s, size_t n)
{
	const uint8_t *p = (const uint8_t *)s;
	size_t count = 0;

	for (size_t i = 0; i < n; count++) {
		unsigned len = utf8_letter(p + i, n - i);

		i += len ? len : 1;
	}
	return count;
}

/* The cell at s, up to the tab, the end of the line, or of the text. */
static size_t
cell(const char *s, const char *end)
{
	const char *p = s;

	while (p < end && *p != '\t' && *p != '\n')
		p++;
	return (size_t)(p - s);
}

static void
measure(struct align *a, struct str lines)
{
	const char *p = lines.p, *end = p + lines.n;

	for (unsigned c = 0; p < end; p++) {
		size_t n = cell(p, end), wide = letters(p, n);

		if (c < ALIGN_COLUMNS && wide <= WIDEST && wide > a->width[c])
			a->width[c] = wide;
		p += n;
		c = p < end && *p == '\t' ? c + 1 : 0;
	}
}

void
align_lines(struct align *a, struct str lines)
{
	const char *p = lines.p, *end = p + lines.n;

	measure(a, lines);
	a->text.n = 0;
	for (unsigned c = 0; p < end; p++) {
		size_t n = cell(p, end), wide = letters(p, n);

		buf_put(&a->text, p, n);
		p += n;
		if (p == end)
			break;
		if (*p == '\n') {
			buf_u8(&a->text, '\n');
			c = 0;
			continue;
		}
		for (; c < ALIGN_COLUMNS && wide < a->width[c]; wide++)
			buf_u8(&a->text, ' ');
		for (unsigned i = 0; i < BETWEEN; i++)
			buf_u8(&a->text, ' ');
		c++;
	}
}

void
align_free(struct align *a)
{
	buf_free(&a->text);
}
