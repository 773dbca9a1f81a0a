/* SPDX-License-Identifier: MIT */
/*
 * feed_select.c - which sequences, regions and chunks are wanted: --part and
 * --only, -r and --regions, --circular; and what a run is called by them
 */

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "flow/feed_in.h"
#include "rec/rec.h"

/* A decimal number at *s; moves *s behind it. */
static bool
number(const char **s, uint64_t *v)
{
	const char *p = *s;

	if (!isdigit((unsigned char)*p))
		return false;
	for (*v = 0; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(*v, 10, v) ||
		    __builtin_add_overflow(*v, (uint64_t)(*p - '0'), v))
			return false;
	*s = p;
	return true;
}

static struct str
str_of(const char *s)
{
	return (struct str){ s, s ? strlen(s) : 0 };
}

static int
span_cmp(const void *a, const void *b)
{
	const struct source_span *x = a, *y = b;

	return (x->beg > y->beg) - (x->beg < y->beg);
}

/* Ascending and disjoint, those that touch joined; how many they are then. */
static size_t
spans_join(struct source_span *v, size_t n)
{
	size_t m = 0;

	if (n)
		qsort(v, n, sizeof *v, span_cmp);
	for (size_t i = 0; i < n; i++) {
		if (m && v[i].beg <= v[m - 1].end) {
			if (v[i].end > v[m - 1].end)
				v[m - 1].end = v[i].end;
		} else {
			v[m++] = v[i];
		}
	}
	return m;
}

/* Copies and neighbours are joined before memory is taken for more. */
static int
add_span(struct serials *s, uint64_t beg, uint64_t end, struct err *e)
{
	int r = 0;

	if (s->n == s->cap) {
		s->n = spans_join(s->v, s->n);
		if (s->n >= s->cap / 2)
			r = array_room(&s->v, &s->cap, s->cap + 1,
				       sizeof *s->v, e);
	}
	if (r == 0)
		s->v[s->n++] = (struct source_span){ beg, end };
	return r;
}

/* "3,17,20-31" */
static int
add_list(struct serials *s, const char *text, const char *where,
	 struct err *e)
{
	const char *p = text;
	int rc = 0;

	while (rc == 0) {
		uint64_t beg, end;

		if (!number(&p, &beg))
			break;
		end = beg;
		if (*p == '-' && (p++, !number(&p, &end)))
			break;
		if (end < beg || end == UINT64_MAX)
			break;
		rc = add_span(s, beg, end + 1, e);
		if (rc != 0 || *p == '\0')
			return rc;
		if (*p++ != ',')
			break;
	}
	return rc ? rc : err_set(e, ERR_USAGE, "%s: \"%.100s\": must be serial "
				 "numbers or ranges such as 3,17,20-31", where,
				 text);
}

/* Each line of a file, without its end, until fn() fails. */
static int
each_line(const char *path, int (*fn)(void *ctx, struct buf *line,
				      struct err *e), void *ctx, struct err *e)
{
	struct buf line = { 0 };
	struct source *f;
	int rc = source_open(&f, path, 1, e);

	if (rc)
		return rc;
	while ((rc = source_line(f, &line, e)) > 0 &&
	       (rc = fn(ctx, &line, e)) >= 0)
		;
	buf_free(&line);
	source_close(f);
	return rc;
}

struct serials_file {
	struct serials *s;
	const char *path;
};

static int
add_serials(void *ctx, struct buf *line, struct err *e)
{
	struct serials_file *f = ctx;

	while (line->n && isspace(line->p[line->n - 1]))
		line->p[--line->n] = '\0';
	return line->n && *line->p != '#' ?
	       add_list(f->s, (const char *)line->p, f->path, e) : 0;
}

int
serials_parse(struct serials *s, const struct feed_params *p, struct err *e)
{
	int rc = 0;

	s->part = p->part;
	s->parts = p->parts;
	if (p->parts && p->part >= p->parts)
		return err_set(e, ERR_USAGE, "--part %llu/%llu: the part must "
			       "be 0 to %llu", (unsigned long long)p->part,
			       (unsigned long long)p->parts,
			       (unsigned long long)p->parts - 1);
	s->only = p->only != NULL;
	if (p->only && p->only[0] == '@')
		rc = each_line(p->only + 1, add_serials,
			       &(struct serials_file){ s, p->only + 1 }, e);
	else if (p->only)
		rc = add_list(s, p->only, "--only", e);
	s->n = spans_join(s->v, s->n);
	return rc;
}

bool
serials_has(const struct serials *s, uint64_t serial)
{
	size_t lo = 0, hi = s->n;

	if (s->parts && serial % s->parts != s->part)
		return false;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (serial >= s->v[mid].end)
			lo = mid + 1;
		else
			hi = mid;
	}
	return !s->only || (lo < s->n && serial >= s->v[lo].beg);
}

/* At most 10 ranges of 41 characters and what parts them: they fit. */
bool
serials_absent(const struct serials *s, uint64_t chunks,
	       struct feed_absent *a)
{
	size_t n = 0, ranges = 0;

	for (size_t i = 0; i < s->n; i++) {
		uint64_t beg = s->v[i].beg > chunks ? s->v[i].beg : chunks;
		uint64_t last = s->v[i].end - 1;

		if (last < beg)
			continue;
		if (ranges == 10) {
			memcpy(a->text + n, ", ...", sizeof ", ...");
			break;
		}
		n += (size_t)snprintf(a->text + n, sizeof a->text - n,
				      "%s%" PRIu64, ranges++ ? ", " : "", beg);
		if (last > beg)
			n += (size_t)snprintf(a->text + n, sizeof a->text - n,
					      "-%" PRIu64, last);
	}
	return ranges > 0;
}

void
serials_free(struct serials *s)
{
	free(s->v);
	memset(s, 0, sizeof *s);
}

void
blank_add(struct blank *b, const char *name)
{
	if (b->files++ < BLANK_NAMES)
		b->n += (size_t)snprintf(b->names + b->n,
					 sizeof b->names - b->n, "%s%.*s",
					 b->n ? ", " : "", BLANK_NAME, name);
}

bool
blank_line(const struct blank *b, struct feed_blank *line)
{
	snprintf(line->text, sizeof line->text,
		 "%s%s: there is no sequence in %s", b->names,
		 b->files > BLANK_NAMES ? ", ..." : "",
		 b->files == 1 ? "it" : "them");
	return b->files > 0;
}

/*
 * -r NAME[:BEG-END] and --regions BED: what is wanted of a sequence
 *
 * Regions that overlap or touch are searched as one: no letter twice, and no
 * hit is lost between two that touch.
 */

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
region_number(const char **s, uint64_t *v)
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
	if ((*p != '-' && !region_number(&p, &beg)) || (*p && *p++ != '-') ||
	    (*p && !region_number(&p, &end)) || *p || p[-1] == ':')
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
	if (n == 0 || !region_number(&p, &r->beg) || *p++ != '\t' ||
	    !region_number(&p, &r->end) || (*p && *p != '\t') ||
	    r->end <= r->beg)
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

struct bed_file {
	struct regions *s;
	struct region r;
};

static int
add_bed_line(void *ctx, struct buf *line, struct err *e)
{
	struct bed_file *f = ctx;
	int rc;

	f->r.line++;
	rc = parse_line(f->s, &f->r, (char *)line->p, e);
	return rc == 1 ? add(f->s, &f->r, e) : rc;
}

static int
read_bed(struct regions *s, const char *path, struct err *e)
{
	struct bed_file f = { s, { .path = strcmp(path, "-") ? path :
							       "stdin" } };
	size_t was = s->n;
	int rc = each_line(path, add_bed_line, &f, e);

	return rc || s->n > was ? rc :
	       err_set(e, ERR_FORMAT, "%s: there is no region in it",
		       f.r.path);
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

/* Its name as given: of -r before the colon, of BED the first column. */
static struct str
name_of(const struct regions *s, const struct region *r)
{
	return (struct str){ r->text ? r->text :
			     (const char *)s->names.p + r->name_at, r->name_n };
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
	bool whole = str_is(name, str_of(r->text));
	bool part = r->name_n && str_is(name, name_of(s, r));

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

		if (r->found || !str_is(name, name_of(s, r)))
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
		if (str_is(name, str_of(r->text)))
			rc = want(to, 0, UINT64_MAX, e);
		else if (r->name_n && str_is(name, name_of(s, r)))
			rc = want(to, r->beg, r->end, e);
	}
	i = s->n > s->n_given ?
	    index_number(&s->by_name, hash64(name.p, name.n, 0), 0) : 0;
	for (; i && rc == 0; i = r->next) {
		r = &s->v[i - 1];
		if (str_is(name, name_of(s, r)))
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
	const struct source_span *last = s->want.n ?
					 &s->want.v[s->want.n - 1] : NULL;

	if (!last || (last->beg < length &&
		      (last->end == UINT64_MAX || last->end <= length)))
		return 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct region *r = &s->v[i];
		struct str its = name_of(s, r);
		char what[1000];

		if (!r->found || r->whole || !is_beyond(r, length) ||
		    !str_is(name, its))
			continue;
		if (r->text)
			snprintf(what, sizeof what, "-r %.300s", r->text);
		else
			snprintf(what, sizeof what, "%s:%llu", r->path,
				 (unsigned long long)r->line);
		return err_set(e, ERR_USAGE, "%s: beyond the end: %.*s has %s",
			       what, (int)its.n, its.p,
			       err_count(length, "letter").text);
	}
	return 0;
}

static int
not_found(const struct regions *s, const struct region *r, struct err *e)
{
	const char *text = name_of(s, r).p;
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

/* The lines of a run's key. */
static void
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

/*
 * --circular[=auto|NAMES|@FILE]: which sequences are circular
 *
 * What is said of a run in its key depends on the names alone, not on their
 * order, nor on whether they came by a file.
 */

/* One of the names; its place in `names`, since that moves. */
struct circle {
	size_t at;
	struct str name;	/* its p: when all are there */
	bool found;
};

static int
add_name(struct circles *c, const char *p, size_t n, struct err *e)
{
	int rc = array_room(&c->v, &c->cap, c->n + 1, sizeof *c->v, e);

	if (rc)
		return rc;
	c->v[c->n++] = (struct circle){ .at = c->names.n, .name.n = n };
	buf_put(&c->names, p, n);
	return c->names.bad ? err_nomem(e, n) : 0;
}

/* "a,b,c" */
static int
add_names(struct circles *c, const char *text, struct err *e)
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
add_first_word(void *c, struct buf *line, struct err *e)
{
	const char *p = (const char *)line->p;
	size_t n = 0;

	while (n < line->n && !isspace((unsigned char)p[n]))
		n++;
	return n ? add_name(c, p, n, e) : 0;
}

static int
add_names_of(struct circles *c, const char *path, struct err *e)
{
	int rc = each_line(path, add_first_word, c, e);

	if (rc >= 0 && c->n == 0)
		return err_set(e, ERR_USAGE, "--circular=@%.200s: there is no "
			       "name in it", path);
	return rc;
}

static int
cmp_circle(const void *a, const void *b)
{
	const struct circle *x = a, *y = b;

	return str_cmp(x->name, y->name);
}

/* In order, each once. */
static void
sort_names(struct circles *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		c->v[i].name.p = (const char *)c->names.p + c->v[i].at;
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
	rc = *text == '@' ? add_names_of(c, text + 1, e) :
				 add_names(c, text, e);
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
			if (str_is((struct str){ p, n }, str_of(words[i])))
				return true;
		p += n + 1;
	}
	return false;
}

bool
circles_has(struct circles *c, struct str name, struct str desc)
{
	struct circle key = { .name = name }, *f;

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
				       str_shown(c->v[i].name, 200),
				       c->v[i].name.p);
	return 0;
}

/* The line of a run's key. */
static void
circles_put(const struct circles *c, struct buf *b)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < c->n; i++)
		hash = hash64(c->v[i].name.p, c->v[i].name.n,
			      hash + c->v[i].name.n);
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

/* What a run is called, and its BEGIN. */

/* A line's value: a newline in it would be another line. */
static void
put_line(struct buf *b, const char *key, struct str v)
{
	buf_put(b, key, strlen(key));
	buf_u8(b, ' ');
	for (size_t i = 0; i < v.n; i++)
		buf_u8(b, (uint8_t)v.p[i] < ' ' ? '?' : (uint8_t)v.p[i]);
	buf_u8(b, '\n');
}

/* What the run id is the hash of, but for its inputs' names. */
static void
put_params(struct buf *b, const struct text *t)
{
	const struct feed_params *p = t->p;
	uint64_t context = p->context;

	/* what the pieces of a circle own depends on it */
	if (p->circular)
		context = max_u64(context, p->min_context);
	buf_printf(b, "version %s\nown %llu\ncontext %llu\n", SEQF_VERSION,
		   (unsigned long long)p->own, (unsigned long long)context);
	regions_put(t->regions, b);
	circles_put(t->circles, b);
	if (p->mask)
		put_line(b, "mask", str_of("yes"));
	if (matrix_format(p->matrix) != MATRIX_AUTO)
		put_line(b, "matrix", str_of(p->matrix));
	if (p->label)
		put_line(b, "label", str_of(p->label));
}

static void
put_inputs(struct buf *b, struct buf *least, const struct operand *op,
	   size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct str s = base_name(op[i].path);
		size_t k = s.n < least->n ? s.n : least->n;
		int cmp = i ? memcmp(s.p, least->p, k) : -1;

		put_line(b, "input", s);
		if (cmp < 0 || (cmp == 0 && s.n < least->n)) {
			least->n = 0;
			buf_put(least, s.p, s.n);
		}
	}
}

int
run_name(struct feed_run *run, const struct text *t, const struct operand *op,
	 size_t n_op, struct rec_frame **begin, struct err *e)
{
	struct buf id = { 0 }, text = { 0 };
	struct run_key *k = &run->key;
	struct begin b = { 0 };
	int rc;

	put_params(&id, t);
	put_line(&id, "first", (struct str){ (char *)run->first.p,
					     run->first.n });
	buf_printf(&id, "hash %016llx\n", (unsigned long long)k->hash);
	buf_printf(&text, "program fasta-chunk\n");
	put_inputs(&text, &run->base, op, n_op);
	buf_put(&text, id.p, id.n);
	k->id = id.bad ? 0 : hash64(id.p, id.n, 0);
	k->id += k->id == 0;	/* 0 is no run's */
	k->base = (struct str){ (char *)run->base.p, run->base.n };
	k->label = str_of(t->p->label);
	k->first = (struct str){ (char *)run->first.p, run->first.n };
	b.run = *k;
	b.text = (struct str){ (char *)text.p, text.n };
	rc = id.bad || text.bad || run->base.bad ? err_nomem(e, text.n) :
						   begin_encode(begin, &b, e);
	buf_free(&id);
	buf_free(&text);
	return rc;
}
