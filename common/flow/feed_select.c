/* SPDX-License-Identifier: MIT */
/* feed_select.c - --part and --only, and what a run is called */

#include <ctype.h>
#include <inttypes.h>
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

static int
span_cmp(const void *a, const void *b)
{
	const struct source_span *x = a, *y = b;

	return (x->beg > y->beg) - (x->beg < y->beg);
}

size_t
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

static int
add_file(struct serials *s, const char *path, struct err *e)
{
	struct buf line = { 0 };
	struct source *f;
	int rc = source_open(&f, path, 1, e);

	if (rc)
		return rc;
	while ((rc = source_line(f, &line, e)) > 0) {
		while (line.n && isspace(line.p[line.n - 1]))
			line.p[--line.n] = '\0';
		if (line.n && line.p[0] != '#')
			rc = add_list(s, (const char *)line.p, path, e);
		if (rc < 0)
			break;
	}
	buf_free(&line);
	source_close(f);
	return rc;
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
		rc = add_file(s, p->only + 1, e);
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

static struct str
str_of(const char *s)
{
	return (struct str){ s, s ? strlen(s) : 0 };
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
