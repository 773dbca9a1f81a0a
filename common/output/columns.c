/* SPDX-License-Identifier: MIT */
/* columns.c - the columns of tsv that are wanted, in their order */

#include <string.h>

#include "output/columns.h"

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

bool
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

void
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
