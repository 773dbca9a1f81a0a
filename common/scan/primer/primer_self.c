/* SPDX-License-Identifier: MIT */
/* primer_self.c - places of the background that match nothing */

#include <stdlib.h>
#include <sys/stat.h>

#include "base/base.h"
#include "scan/primer/primer_scan_priv.h"

struct place {
	struct str name;	/* owned */
	uint64_t beg, end;	/* end UINT64_MAX: all */
};

struct primer_self {
	struct place *v;	/* by name and beg, disjoint */
	size_t n, cap;
	uint64_t *seen;		/* letters of the longest sequence of the name
				   that were met, plus 1; 0: none was */
};

void
primer_self_free(struct primer_self *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		free((void *)(uintptr_t)s->v[i].name.p);
	free(s->v);
	free(s->seen);
	free(s);
}

static int
add(struct primer_self *s, struct str name, uint64_t beg, uint64_t end,
    struct err *e)
{
	int rc = array_room(&s->v, &s->cap, s->n + 1, sizeof *s->v, e);
	char *p = rc ? NULL : malloc(name.n + 1);

	if (!p)
		return rc ? rc : err_nomem(e, name.n + 1);
	if (name.n)
		memcpy(p, name.p, name.n);
	s->v[s->n++] = (struct place){ { p, name.n }, beg, end };
	return 0;
}

/* A column of 1 to 18 digits behind a tab, at *p, which moves behind it. */
static bool
number(const char **p, uint64_t *v)
{
	const char *s = *p;
	size_t n = 0;

	if (*s++ != '\t')
		return false;
	for (*v = 0; n < 18 && s[n] >= '0' && s[n] <= '9'; n++)
		*v = 10 * *v + (uint64_t)(s[n] - '0');
	*p = s + n;
	return n > 0;
}

/* Headers and empty lines are none of ours. */
static bool
is_comment(const char *s)
{
	return *s == '#' || *s == '\n' || *s == '\r' || *s == '\0' ||
	       strncmp(s, "track ", 6) == 0 || strncmp(s, "browser ", 8) == 0;
}

static int
bed_line(struct primer_self *s, const char *line, size_t n, struct err *e)
{
	const char *p = memchr(line, '\t', n);
	struct str name = { line, p ? (size_t)(p - line) : 0 };
	uint64_t beg, end;

	if (is_comment(line))
		return 0;
	if (!name.n || !number(&p, &beg) || !number(&p, &end) || beg > end ||
	    (*p && !strchr("\t\r\n", *p)))
		return err_set(e, ERR_FORMAT, "is not BED: name, begin and end "
			       "with tabs between them");
	return beg == end ? 0 : add(s, name, beg, end, e);
}

static int
read_bed(struct primer_self *s, const char *path, struct err *e)
{
	unsigned long long line_n = 0;
	struct buf line = { 0 };
	struct source *f;
	int rc = source_open(&f, path, 1, e);

	if (rc)
		return rc;
	while ((rc = source_line(f, &line, e)) > 0) {
		line_n++;
		rc = bed_line(s, (const char *)line.p, line.n, e);
		if (rc) {
			err_at(e, "%s: line %llu", path, line_n);
			break;
		}
	}
	buf_free(&line);
	source_close(f);
	return rc;
}

static int
cmp_name(struct str a, struct str b)
{
	int c = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);

	return c ? c : a.n < b.n ? -1 : a.n > b.n;
}

static int
cmp(const void *x, const void *y)
{
	const struct place *a = x, *b = y;
	int c = cmp_name(a->name, b->name);

	if (c)
		return c;
	return a->beg < b->beg ? -1 : a->beg > b->beg;
}

/* In order, and what overlaps or adjoins as one. */
static void
unite(struct primer_self *s)
{
	size_t n = 0;

	if (s->n)
		qsort(s->v, s->n, sizeof *s->v, cmp);
	for (size_t i = 0; i < s->n; i++) {
		struct place *last = n ? &s->v[n - 1] : NULL, p = s->v[i];

		if (!last || cmp_name(last->name, p.name) ||
		    last->end < p.beg) {
			s->v[n++] = p;
			continue;
		}
		last->end = max_u64(last->end, p.end);
		free((void *)(uintptr_t)p.name.p);
	}
	s->n = n;
}

int
primer_self_new(struct primer_self **out, const char *text, struct err *e)
{
	struct primer_self *s = calloc(1, sizeof *s);
	struct str name = { text, strlen(text) };
	struct stat st;
	int rc;

	*out = s;
	if (!s)
		return err_nomem(e, sizeof *s);
	/* a folder may well have the name of a sequence */
	rc = stat(text, &st) == 0 && !S_ISDIR(st.st_mode) ?
	     read_bed(s, text, e) : add(s, name, 0, UINT64_MAX, e);
	unite(s);
	s->seen = rc ? NULL : calloc(s->n + 1, sizeof *s->seen);
	if (!rc && !s->seen)
		rc = err_nomem(e, s->n * sizeof *s->seen);
	if (rc) {
		primer_self_free(s);
		*out = NULL;
	}
	return rc;
}

uint64_t
primer_self_hash(const struct primer_self *s)
{
	uint64_t h = hash64("", 0, s->n);

	for (size_t i = 0; i < s->n; i++) {
		uint64_t at[2] = { s->v[i].beg, s->v[i].end };

		h = hash64(s->v[i].name.p, s->v[i].name.n, h);
		h = hash64(at, sizeof at, h);
	}
	return h;
}

/* The first place of the name that ends behind `from`, or else where it would
 * be. */
static size_t
place_behind(const struct primer_self *s, struct str name, uint64_t from)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = cmp_name(s->v[mid].name, name);

		if (c < 0 || (c == 0 && s->v[mid].end <= from))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool
next_place(const void *ctx, struct str name, uint64_t *from, uint64_t *to)
{
	const struct primer_self *s = ctx;
	size_t i = place_behind(s, name, *from);

	if (i == s->n || cmp_name(s->v[i].name, name) || s->v[i].beg >= *to)
		return false;
	*from = max_u64(*from, s->v[i].beg);
	*to = min_u64(*to, s->v[i].end);
	return true;
}

struct window_hide
primer_self_hide(const struct primer_self *s)
{
	return (struct window_hide){ next_place, s };
}

int
primer_self_see(struct primer_self *s, const struct rec_frame *f,
		struct err *e)
{
	struct chunk c;
	int rc = chunk_view(&c, f, e);

	if (rc)
		return rc;
	for (size_t i = 0; i < c.n_rows; i++) {
		const struct chunk_row *r = &c.row[i];
		size_t j = place_behind(s, r->name, 0);

		for (; j < s->n && !cmp_name(s->v[j].name, r->name); j++)
			s->seen[j] = max_u64(s->seen[j],
					     chunk_row_part(r).end + 1);
	}
	chunk_free(&c);
	return 0;
}

bool
primer_self_missing(const struct primer_self *s, struct err *why)
{
	size_t n = 0, first = 0;

	for (size_t i = s->n; i-- > 0;) {
		bool all = s->v[i].end == UINT64_MAX;

		if (s->seen[i] && (all || s->seen[i] > s->v[i].end))
			continue;
		first = i;
		n++;
	}
	if (n) {
		const struct str name = s->v[first].name;

		err_set(why, ERR_FORMAT, "--self: %zu of %zu places %s not in "
			"this background; the first one is of %.*s%s", n, s->n,
			n == 1 ? "is" : "are", (int)min_u64(name.n, 99), name.p,
			name.n && memchr(name.p, ':', name.n) ?
			" (a part of a sequence is a line of BED)" : "");
	}
	return n != 0;
}
