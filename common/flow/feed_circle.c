/* SPDX-License-Identifier: MIT */
/*
 * feed_circle.c - --circular[=auto|NAMES|@FILE]: which sequences are circular
 *
 * What is said of a run in its key depends on the names alone, not on their
 * order, nor on whether they came by a file.
 */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "flow/feed_in.h"

/* One of the names; its place in `names`, since that moves. */
struct circle {
	size_t at, n;
	const char *p;		/* when all are there */
	bool found;
};

static int
add_name(struct circles *c, const char *p, size_t n, struct err *e)
{
	int rc = array_room(&c->v, &c->cap, c->n + 1, sizeof *c->v, e);

	if (rc)
		return rc;
	c->v[c->n++] = (struct circle){ .at = c->names.n, .n = n };
	buf_put(&c->names, p, n);
	return c->names.bad ? err_nomem(e, n) : 0;
}

/* "a,b,c" */
static int
add_list(struct circles *c, const char *text, struct err *e)
{
	int rc = 0;

	for (const char *p = text; !rc; p++) {
		size_t n = strcspn(p, ",");

		if (n == 0)
			return err_set(e, ERR_USAGE, "--circular=%.200s: an "
				       "empty name", text);
		rc = add_name(c, p, n, e);
		p += n;
		if (*p == '\0')
			break;
	}
	return rc;
}

/* The first word of each line. */
static int
add_file(struct circles *c, const char *path, struct err *e)
{
	struct buf line = { 0 };
	struct source *f;
	int rc = source_open(&f, path, 1, e);

	if (rc)
		return rc;
	while ((rc = source_line(f, &line, e)) > 0) {
		const char *p = (const char *)line.p;
		size_t n = 0;

		while (n < line.n && !isspace((unsigned char)p[n]))
			n++;
		if (n && (rc = add_name(c, p, n, e)) < 0)
			break;
	}
	buf_free(&line);
	source_close(f);
	if (rc >= 0 && c->n == 0)
		return err_set(e, ERR_USAGE, "--circular=@%.200s: there is no "
			       "name in it", path);
	return rc;
}

static int
cmp_str(const char *a, size_t an, const char *b, size_t bn)
{
	int d = memcmp(a, b, an < bn ? an : bn);

	return d ? d : (an > bn) - (an < bn);
}

static int
cmp_circle(const void *a, const void *b)
{
	const struct circle *x = a, *y = b;

	return cmp_str(x->p, x->n, y->p, y->n);
}

/* In order, each once. */
static void
sort_names(struct circles *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		c->v[i].p = (const char *)c->names.p + c->v[i].at;
	qsort(c->v, c->n, sizeof *c->v, cmp_circle);
	for (size_t i = 0; i < c->n; i++)
		if (!n || cmp_circle(&c->v[n - 1], &c->v[i]))
			c->v[n++] = c->v[i];
	c->n = n;
}

int
circles_parse(struct circles *c, const char *text, struct err *e)
{
	int rc;

	if (!text)
		return 0;
	c->kind = *text == '\0' ? CIRCLES_ALL :
		  strcmp(text, "auto") == 0 ? CIRCLES_AUTO : CIRCLES_NAMED;
	if (c->kind != CIRCLES_NAMED)
		return 0;
	rc = *text == '@' ? add_file(c, text + 1, e) : add_list(c, text, e);
	if (rc == 0)
		sort_names(c);
	return rc;
}

/* Is a word of the header one of those that say so? */
static bool
header_says(struct str desc)
{
	static const char *const words[] = { "[topology=circular]",
					     "circular=true" };
	const char *p = desc.p, *end = desc.p + desc.n;

	while (p < end) {
		size_t n = 0;

		while (p + n < end && !isspace((unsigned char)p[n]))
			n++;
		for (int i = 0; i < 2; i++)
			if (n == strlen(words[i]) &&
			    memcmp(p, words[i], n) == 0)
				return true;
		p += n + 1;
	}
	return false;
}

bool
circles_has(struct circles *c, struct str name, struct str desc)
{
	struct circle key = { .p = name.p, .n = name.n }, *f;

	if (c->kind != CIRCLES_NAMED)
		return c->kind == CIRCLES_ALL ||
		       (c->kind == CIRCLES_AUTO && header_says(desc));
	f = name.n ? bsearch(&key, c->v, c->n, sizeof *c->v, cmp_circle) :
		     NULL;
	if (f)
		f->found = true;
	return f;
}

int
circles_check_found(const struct circles *c, struct err *e)
{
	for (size_t i = 0; i < c->n; i++)
		if (!c->v[i].found)
			return err_set(e, ERR_USAGE, "--circular: no sequence "
				       "is called %.*s",
				       (int)(c->v[i].n < 200 ? c->v[i].n : 200),
				       c->v[i].p);
	return 0;
}

void
circles_put(const struct circles *c, struct buf *b)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < c->n; i++)
		hash = hash64(c->v[i].p, c->v[i].n, hash + c->v[i].n);
	if (c->kind == CIRCLES_NAMED)
		buf_printf(b, "circular %zu %016llx\n", c->n,
			   (unsigned long long)hash);
	else if (c->kind != CIRCLES_NONE)
		buf_printf(b, "circular %s\n",
			   c->kind == CIRCLES_ALL ? "all" : "auto");
}

void
circles_free(struct circles *c)
{
	free(c->v);
	buf_free(&c->names);
	memset(c, 0, sizeof *c);
}
