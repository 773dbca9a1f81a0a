/* SPDX-License-Identifier: MIT */
/*
 * feed_region.c - -r NAME[:BEG-END] and --regions BED: what is wanted of a
 * sequence
 *
 * Regions that overlap or touch are searched as one: no letter twice, and no
 * hit is lost between two that touch.
 */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "flow/feed_in.h"

struct region {
	const char *text;		/* -r as given; NULL: a line of BED */
	size_t name_n;			/* of name:beg-end; 0: text is a name */
	uint64_t beg, end;		/* 0-based; UINT64_MAX: to the end */
	const char *wrong;		/* what is wrong with beg-end */
	bool found, whole;		/* whole: text is the name itself */
	/* of BED: its name in regions.names, and the next line with it, + 1 */
	size_t name_at, next;
	const char *path;
	uint64_t line;
};

/* "1,000", "6k", "1.5M": a whole number at *s; moves *s behind it. */
static bool
number(const char **s, uint64_t *v)
{
	const char *p = *s, *unit;
	unsigned places = 0, zeros;
	bool point = false;

	if (!isdigit((unsigned char)*p))
		return false;
	for (*v = 0; isdigit((unsigned char)*p) || *p == ',' ||
		     (*p == '.' && !point); p++) {
		point |= *p == '.';
		if (*p == ',' || *p == '.')
			continue;
		places += point;
		if (__builtin_mul_overflow(*v, 10, v) ||
		    __builtin_add_overflow(*v, (uint64_t)(*p - '0'), v))
			return false;
	}
	unit = *p ? strchr("kKmMgG", *p) : NULL;
	zeros = unit ? 3 * (unsigned)((unit - "kKmMgG") / 2 + 1) : 0;
	for (p += unit != NULL; zeros > places; zeros--)
		if (__builtin_mul_overflow(*v, 10, v))
			return false;
	*s = p;
	return zeros == places;
}

/* Behind the last colon: beg, beg-, -end or beg-end; else all is a name. */
static void
parse_text(struct region *r, const char *text)
{
	const char *colon = strrchr(text, ':'), *p;
	uint64_t beg = 1, end = UINT64_MAX;

	*r = (struct region){ .text = text, .end = UINT64_MAX };
	if (!colon)
		return;
	p = colon + 1;
	if ((*p != '-' && !number(&p, &beg)) || (*p && *p++ != '-') ||
	    (*p && !number(&p, &end)) || *p || p[-1] == ':')
		return;
	r->name_n = (size_t)(colon - text);
	if (beg == 0)
		r->wrong = "positions count from 1";
	else if (end < beg)
		r->wrong = "it ends before it begins";
	r->beg = beg - (beg > 0);
	r->end = end;
}

static int
add(struct regions *s, const struct region *r, struct err *e)
{
	int rc = array_room(&s->v, &s->cap, s->n + 1, sizeof *s->v, e);

	if (rc == 0)
		s->v[s->n++] = *r;
	return rc;
}

/* Lines that genome browsers want; a sequence may be called track1. */
static bool
is_head(const char *line)
{
	static const char *const words[] = { "track", "browser" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);

		if (strncmp(line, words[i], n) == 0 &&
		    (!line[n] || line[n] == ' ' ||
		     (line[n] == '\t' && !isdigit((unsigned char)line[n + 1]))))
			return true;
	}
	return *line == '\0' || *line == '#';
}

/* name TAB beg TAB end ...; 1: a region, 0: no line of one. */
static int
parse_line(struct regions *s, struct region *r, const char *line,
	   struct err *e)
{
	size_t n = strcspn(line, "\t");
	const char *p = line + n + (line[n] == '\t');
	uint64_t hash = hash64(line, n, 0);

	if (is_head(line))
		return 0;
	if (n == 0 || !number(&p, &r->beg) || *p++ != '\t' ||
	    !number(&p, &r->end) || (*p && *p != '\t') || r->end <= r->beg)
		return err_set(e, ERR_FORMAT, "%s:%llu: no line of BED: name, "
			       "begin and an end behind it, with tabs between",
			       r->path, (unsigned long long)r->line);
	r->name_at = s->names.n;
	r->name_n = n;
	r->next = index_number(&s->by_name, hash, 0);
	buf_put(&s->names, line, n);
	s->hash = hash64(line, (size_t)(p - line), s->hash);
	if (s->names.bad || !index_set_number(&s->by_name, hash, 0, s->n + 1))
		return err_nomem(e, n);
	return 1;
}

static int
read_bed(struct regions *s, const char *path, struct err *e)
{
	struct region r = { .path = strcmp(path, "-") ? path : "stdin" };
	struct buf line = { 0 };
	struct source *from;
	int rc = source_open(&from, path, 1, e);
	size_t was = s->n;

	if (rc != 0)
		return rc;
	while (rc == 0 && (rc = source_line(from, &line, e)) > 0) {
		r.line++;
		rc = parse_line(s, &r, (char *)line.p, e);
		rc = rc == 1 ? add(s, &r, e) : rc;
	}
	source_close(from);
	buf_free(&line);
	return rc || s->n > was ? rc :
	       err_set(e, ERR_FORMAT, "%s: there is no region in it", r.path);
}

int
regions_parse(struct regions *s, const struct opt_list *l, struct err *e)
{
	struct region r;
	int rc = 0;

	for (size_t i = 0; l && i < l->n && rc == 0; i++)
		if (l->v[i].letter) {
			parse_text(&r, l->v[i].value);
			rc = add(s, &r, e);
		}
	s->n_given = s->n;
	for (size_t i = 0; l && i < l->n && rc == 0; i++)
		if (!l->v[i].letter)
			rc = read_bed(s, l->v[i].value, e);
	return rc;
}

static bool
same(struct str name, const char *s, size_t n)
{
	return name.n == n && memcmp(name.p, s, n) == 0;
}

static int
want(struct source_spans *w, uint64_t beg, uint64_t end, struct err *e)
{
	int rc = array_room(&w->v, &w->cap, w->n + 1, sizeof *w->v, e);

	if (rc == 0)
		w->v[w->n++] = (struct source_span){ beg, end };
	return rc;
}

/* One of -r: the first record of the name. */
static int
match_text(struct regions *s, struct region *r, struct str name, struct err *e)
{
	bool whole = same(name, r->text, strlen(r->text));
	bool part = r->name_n && same(name, r->text, r->name_n);

	if (whole && r->found && !r->whole)
		return err_set(e, ERR_USAGE, "-r %s: two sequences can be "
			       "meant, %.*s and %s", r->text, (int)r->name_n,
			       r->text, r->text);
	if (r->found || (!whole && !part))
		return 0;
	if (!whole && r->wrong)
		return err_set(e, ERR_USAGE, "-r %s: %s", r->text, r->wrong);
	r->found = true;
	r->whole = whole;
	return want(&s->want, whole ? 0 : r->beg, whole ? UINT64_MAX : r->end,
		    e);
}

/* The edit distance of two names, each difference as 2, but 1 for a letter in
 * the other case. */
static unsigned
name_distance(struct str a, struct str b)
{
	char low[2][NEAR_FAR];

	if (a.n > NEAR_FAR || b.n > NEAR_FAR)
		return 2 * NEAR_FAR;
	for (size_t i = 0; i < a.n; i++)
		low[0][i] = (char)tolower((unsigned char)a.p[i]);
	for (size_t i = 0; i < b.n; i++)
		low[1][i] = (char)tolower((unsigned char)b.p[i]);
	return near_distance(a.p, a.n, b.p, b.n) +
	       near_distance(low[0], a.n, low[1], b.n);
}

/* For messages; of what memory leaves out there is none. */
static void
keep_name(struct regions *s, struct str name)
{
	if (s->n_seen == FEED_KNOWN || s->seen.bad || name.n >= NEAR_FAR)
		return;
	s->n_seen++;
	buf_put(&s->seen, name.p, name.n);
	buf_u8(&s->seen, 0);
}

struct near {
	unsigned distance[3];
	const char *name[3];
};

/* The names that were seen which are nearest to this one. */
static struct near
nearest(const struct regions *s, struct str name)
{
	const char *p = (const char *)s->seen.p, *end = p + s->seen.n;
	struct near x = { { 0 }, { "", "", "" } };

	for (size_t n; !s->seen.bad && p && p < end; p += n + 1) {
		unsigned d;
		size_t at = 3;

		n = strlen(p);
		d = name_distance(name, (struct str){ p, n });
		for (; at && (!*x.name[at - 1] || d < x.distance[at - 1]); at--)
			if (at < 3) {
				x.name[at] = x.name[at - 1];
				x.distance[at] = x.distance[at - 1];
			}
		if (at == 3)
			continue;
		x.name[at] = p;
		x.distance[at] = d;
	}
	return x;
}

int
regions_match(struct regions *s, struct str name, struct err *e)
{
	int rc = 0;

	s->want.n = 0;
	for (size_t i = 0; i < s->n_given && rc == 0; i++)
		rc = match_text(s, &s->v[i], name, e);
	keep_name(s, name);
	for (size_t i = s->n > s->n_given ? index_number(&s->by_name,
			hash64(name.p, name.n, 0), 0) : 0; i && rc == 0;
	     i = s->v[i - 1].next) {
		struct region *r = &s->v[i - 1];

		if (r->found ||
		    !same(name, (char *)s->names.p + r->name_at, r->name_n))
			continue;
		r->found = true;
		rc = want(&s->want, r->beg, r->end, e);
	}
	s->want.n = spans_join(s->want.v, s->want.n);
	return rc ? rc : s->want.n > 0;
}

int
regions_spans(const struct regions *s, struct str name,
	      struct source_spans *to, struct err *e)
{
	const struct region *r;
	size_t i;
	int rc = 0;

	to->n = 0;
	for (i = 0; i < s->n_given && rc == 0; i++) {
		r = &s->v[i];
		if (same(name, r->text, strlen(r->text)))
			rc = want(to, 0, UINT64_MAX, e);
		else if (r->name_n && same(name, r->text, r->name_n))
			rc = want(to, r->beg, r->end, e);
	}
	i = s->n > s->n_given ?
	    index_number(&s->by_name, hash64(name.p, name.n, 0), 0) : 0;
	for (; i && rc == 0; i = r->next) {
		r = &s->v[i - 1];
		if (same(name, (char *)s->names.p + r->name_at, r->name_n))
			rc = want(to, r->beg, r->end, e);
	}
	to->n = spans_join(to->v, to->n);
	return rc;
}

static bool
is_beyond(const struct region *r, uint64_t length)
{
	return r->beg >= length || (r->end != UINT64_MAX && r->end > length);
}

int
regions_check_end(const struct regions *s, struct str name, uint64_t length,
		  struct err *e)
{
	const char *bed = (const char *)s->names.p;
	const struct source_span *last = s->want.n ?
					 &s->want.v[s->want.n - 1] : NULL;

	if (!last || (last->beg < length &&
		      (last->end == UINT64_MAX || last->end <= length)))
		return 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct region *r = &s->v[i];

		if (!r->found || r->whole || !is_beyond(r, length) ||
		    !same(name, r->text ? r->text : bed + r->name_at,
			  r->name_n))
			continue;
		if (r->text)
			return err_set(e, ERR_USAGE, "-r %.300s: beyond the "
				       "end: %.*s has %s", r->text,
				       (int)r->name_n, r->text,
				       err_count(length, "letter").text);
		return err_set(e, ERR_USAGE, "%s:%llu: beyond the end: %.*s "
			       "has %s", r->path,
			       (unsigned long long)r->line, (int)r->name_n,
			       bed + r->name_at,
			       err_count(length, "letter").text);
	}
	return 0;
}

static int
not_found(const struct regions *s, const struct region *r, struct err *e)
{
	const char *text = r->text ? r->text :
				     (const char *)s->names.p + r->name_at;
	struct str name = { text, r->name_n ? r->name_n : strlen(text) };
	struct near x = nearest(s, name);
	char what[400] = "-r";

	if (!r->text)
		snprintf(what, sizeof what, "%.300s:%llu:", r->path,
			 (unsigned long long)r->line);
	else if (*text == ':')
		return err_set(e, ERR_USAGE, "-r %.300s: the name before the "
			       "colon is missing", text);
	return err_set(e, ERR_USAGE, "%s %.*s: no such sequence%s%s%s%s%s%s",
		       what, (int)(r->text ? min_u64(strlen(text), 300) :
			      min_u64(name.n, 200)), text,
		       *x.name[0] ? "; like it are " : "", x.name[0],
		       *x.name[1] ? ", " : "", x.name[1],
		       *x.name[2] ? ", " : "", x.name[2]);
}

int
regions_check_found(const struct regions *s, struct err *e)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->v[i].found)
			return not_found(s, &s->v[i], e);
	return 0;
}

void
regions_put(const struct regions *s, struct buf *b)
{
	for (size_t i = 0; i < s->n_given; i++) {
		buf_printf(b, "region ");
		for (const char *p = s->v[i].text; *p; p++)
			buf_u8(b, (uint8_t)*p < ' ' ? '?' : (uint8_t)*p);
		buf_u8(b, '\n');
	}
	if (s->n > s->n_given)
		buf_printf(b, "regions %zu %016llx\n", s->n - s->n_given,
			   (unsigned long long)s->hash);
}

void
regions_free(struct regions *s)
{
	free(s->v);
	free(s->want.v);
	buf_free(&s->names);
	buf_free(&s->seen);
	index_free(&s->by_name);
	memset(s, 0, sizeof *s);
}
