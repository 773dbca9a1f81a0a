/* SPDX-License-Identifier: MIT */
/* fai_rows.c - plain FASTA with its FILE.fai: only what is wanted is read */

#include <ctype.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/port.h"
#include "input/fai_rows.h"
#include "input/fasta.h"
#include "input/source_in.h"

void
fai_rows_free(struct fai_rows *r)
{
	free(r->v);
	buf_free(&r->names);
	memset(r, 0, sizeof *r);
}

/* A tab and a number at *p; moves it behind them. */
static bool
number(const char **p, uint64_t *v)
{
	const char *s = *p;

	if (*s++ != '\t' || !isdigit((unsigned char)*s))
		return false;
	for (*v = 0; isdigit((unsigned char)*s); s++)
		if (__builtin_mul_overflow(*v, 10, v) ||
		    __builtin_add_overflow(*v, (uint64_t)(*s - '0'), v))
			return false;
	*p = s;
	return true;
}

/* Where the letters end; false: that cannot be in a file of so many bytes. */
static bool
find_end(struct fai_row *r, uint64_t size)
{
	uint64_t lines;

	if (!r->letters || r->bytes <= r->letters)
		return false;
	lines = (r->n - 1) / r->letters;
	return !__builtin_mul_overflow(lines, r->bytes, &r->end) &&
	       !__builtin_add_overflow(r->end, (r->n - 1) % r->letters + 1,
				       &r->end) &&
	       !__builtin_add_overflow(r->end, r->at, &r->end) &&
	       r->end <= size;
}

/* A line: 1 if it may be, 0 if not, or an error. */
static int
add_row(struct fai_rows *r, const char *line, uint64_t size, struct err *e)
{
	const struct fai_row *last = r->n ? &r->v[r->n - 1] : NULL;
	struct fai_row x = { .name_at = r->names.n };
	const char *p = strchr(line, '\t');

	if (!p)
		return 0;
	x.name_n = (size_t)(p - line);
	if (!number(&p, &x.n) || !number(&p, &x.at) ||
	    !number(&p, &x.letters) || !number(&p, &x.bytes) || *p)
		return 0;
	/* blanks are in its lines, or there are no letters: read as it is */
	if (!x.n || x.bytes - x.letters < 1 ||
	    x.bytes - x.letters > 1U + r->crlf)
		return 1;
	if (!x.at || !find_end(&x, size) || (last && x.at <= last->end))
		return 0;
	buf_put(&r->names, line, x.name_n);
	if (r->names.bad)
		return err_nomem(e, x.name_n);
	if (array_room(&r->v, &r->cap, r->n + 1, sizeof *r->v, e))
		return e->code;
	r->v[r->n++] = x;
	return 1;
}

static int
read_rows(struct fai_rows *r, struct source *s, uint64_t size, struct err *e)
{
	struct buf line = { 0 };
	const uint8_t *p;
	size_t n;
	int rc = 1;

	while (rc == 1 && source_peek(s, 1, &p, &n, e) == 0 && n) {
		const uint8_t *end = memchr(p, '\n', n);
		size_t k = end ? (size_t)(end - p) : n;

		buf_put(&line, p, k);
		source_skip(s, k + (end != NULL));
		if (line.n > FASTA_MAX_HEADER)
			rc = 0;
		if (!end)
			continue;
		buf_u8(&line, 0);
		rc = line.bad ? err_nomem(e, line.n) :
		     memchr(line.p, 0, line.n - 1) ? 0 :
		     add_row(r, (char *)line.p, size, e);
		line.n = 0;
	}
	buf_free(&line);
	return rc;
}

int
fai_rows_load(struct fai_rows *r, const char *path, uint64_t size,
	      struct err *e)
{
	struct buf name = { 0 };
	struct source *s = NULL;
	struct stat file, index;
	struct err why;
	int rc = 0;

	buf_put(&name, path, strlen(path));
	buf_put(&name, ".fai", 5);
	if (name.bad)
		return buf_free(&name), err_nomem(e, name.n);
	if (stat(path, &file) == 0 && stat((char *)name.p, &index) == 0 &&
	    S_ISREG(index.st_mode) && !file_is_newer(&file, &index) &&
	    source_open(&s, (char *)name.p, 1, &why) == 0)
		rc = read_rows(r, s, size, e);
	source_close(s);
	buf_free(&name);
	if (rc == 1 && r->n)
		return 1;
	fai_rows_free(r);
	return rc < 0 ? rc : 0;
}

/* The text of the file, as a thread. */

enum { PIECE = 1 << 16 };

struct part {
	struct decoder *d;
	struct raw *raw;
	struct pour to;
	/* of what is between two sequences: the line at hand, and the whole
	 * one before it, up to the longest header */
	struct buf line, last;
	struct source_spans want;	/* of the sequence */
	uint64_t shown;			/* letters so far */
	uint8_t n[PIECE];
	struct err e;
};

static int
no_fit(struct part *t)
{
	return err_set(&t->e, ERR_FORMAT, "%s: byte %llu: %s.fai is not of "
		       "this file: make it again (fasta-chunk --index), or "
		       "remove it", t->raw->name,
		       (unsigned long long)t->raw->offset, t->raw->name);
}

/* Bytes up to that place of the file; *last: the one before it. */
static int
copy(struct part *t, uint64_t end, bool gap, uint8_t *last)
{
	while (t->raw->offset < end && !t->to.left) {
		int rc = raw_fill(t->raw, 1, &t->e);
		size_t n = (size_t)min_u64(end - t->raw->offset, t->raw->n);
		const uint8_t *p = t->raw->p, *nl;

		if (rc || !n)
			return rc ? rc : no_fit(t);
		nl = gap ? memchr(p, '\n', n) : NULL;
		n = nl ? (size_t)(nl - p) + 1 : n;
		if (gap && t->line.n < FASTA_MAX_HEADER)
			buf_put(&t->line, p, n);
		if (t->line.bad)
			return err_nomem(&t->e, t->line.n + n);
		if (nl) {
			struct buf was = t->last;

			t->last = t->line;
			t->line = was;
			t->line.n = 0;
		}
		*last = p[n - 1];
		pour_put(&t->to, p, n);
		raw_take(t->raw, n);
	}
	return 0;
}

/* Nobody wants the bytes before that place. */
static int
pass_over(struct part *t, uint64_t to)
{
	while (t->raw->offset < to) {
		uint64_t n = to - t->raw->offset;
		int rc;

		if (n >= SOURCE_BLOCK && raw_seek(t->raw, n))
			continue;
		rc = raw_fill(t->raw, 1, &t->e);
		if (rc || !t->raw->n)
			return rc ? rc : no_fit(t);
		raw_take(t->raw, (size_t)min_u64(n, t->raw->n));
	}
	return 0;
}

/* Where a letter is in the file. */
static uint64_t
place(const struct fai_row *r, uint64_t i)
{
	return i == r->n ? r->end :
	       r->at + i / r->letters * r->bytes + i % r->letters;
}

/* Letters [beg, end).  Where lines begin and end, newlines are looked for. */
static int
copy_letters(struct part *t, const struct fai_row *r, uint64_t beg,
	     uint64_t end)
{
	uint64_t from = place(r, beg), to = place(r, end);
	bool in_line = end == r->n || end % r->letters;
	uint8_t last = '\n';
	int rc = 0;

	if (t->raw->offset < from && beg % r->letters) {
		rc = pass_over(t, from);
	} else if (t->raw->offset < from) {
		rc = pass_over(t, from - 1);
		if (!rc)
			rc = raw_fill(t->raw, 1, &t->e);
		if (!rc && (!t->raw->n || t->raw->p[0] != '\n'))
			rc = no_fit(t);
		if (!rc)
			raw_take(t->raw, 1);
	}
	if (!rc)
		rc = copy(t, to, false, &last);
	return rc || in_line || last == '\n' ? rc : no_fit(t);
}

/* Letters that are not read, n of them. */
static void
put_n(struct part *t, uint64_t n)
{
	memset(t->n, 'N', sizeof t->n);
	for (uint64_t k; n && !t->to.left; n -= k) {
		k = min_u64(n, sizeof t->n);
		pour_put(&t->to, t->n, (size_t)k);
	}
	pour_put(&t->to, "\n", 1);
}

/*
 * Lines are read as a whole if they are short: their ends are checked; and if
 * a second byte more may be a blank within, not a CR.
 */
static uint64_t
whole_lines(const struct fai_row *r, uint64_t n, bool up)
{
	if (n >= r->n || (r->letters > PIECE && r->bytes == r->letters + 1))
		return min_u64(n, r->n);
	return n - n % r->letters + (up && n % r->letters ? r->letters : 0);
}

/* Behind its header: what is shown of all, then what is wanted of it. */
static int
put_sequence(struct part *t, const struct fai_row *r, struct str name)
{
	const struct source_spans *w = &t->want;
	int rc = t->d->wanted(t->d->wanted_ctx, name, &t->want, &t->e);
	uint64_t pos = 0;

	if (!rc && t->shown < SOURCE_SHOWN) {
		pos = min_u64(whole_lines(r, SOURCE_SHOWN - t->shown, true),
			      r->n);
		rc = copy_letters(t, r, 0, pos);
		t->shown += pos;
	}
	for (size_t i = 0; i < w->n && !rc && !t->to.left; i++) {
		uint64_t beg = whole_lines(r, w->v[i].beg, false);
		uint64_t end = whole_lines(r, w->v[i].end, true);

		beg = max_u64(beg, pos);
		end = min_u64(end, r->n);
		if (beg >= end)
			continue;
		if (beg > pos)
			put_n(t, beg - pos);
		rc = copy_letters(t, r, beg, end);
		pos = end;
	}
	if (!rc && w->n && pos < r->n)
		put_n(t, r->n - pos);
	return rc ? rc : pass_over(t, r->end);
}

/* Up to the letters of a row: its header is the last line before. */
static int
put_header(struct part *t, const struct fai_row *r, struct str name)
{
	uint8_t last = 0;
	int rc = copy(t, r->at, true, &last);
	const uint8_t *p;
	size_t i = 1;

	if (rc || t->to.left)
		return rc;
	p = t->last.p;
	if (last != '\n' || t->line.n || !t->last.n || p[0] != '>')
		return no_fit(t);
	while (i < t->last.n && p[i] != '\n' && isspace(p[i]))
		i++;
	if (t->last.n - i <= name.n || memcmp(p + i, name.p, name.n) != 0 ||
	    !isspace(p[i + name.n]))
		return no_fit(t);
	t->last.n = 0;
	return 0;
}

/*
 * Behind the letters of a row a header comes, or the end: letters would be
 * this sequence's, of lines with blanks within, and no place in it were right.
 */
static int
check_end(struct part *t)
{
	uint8_t last = 0;
	int rc;

	while (!(rc = raw_fill(t->raw, 1, &t->e)) && t->raw->n &&
	       isspace(t->raw->p[0])) {
		last = t->raw->p[0];
		pour_put(&t->to, &last, 1);
		raw_take(t->raw, 1);
	}
	if (rc || !t->raw->n || (t->raw->p[0] == '>' && last == '\n'))
		return rc;
	return no_fit(t);
}

static void *
fai_thread(void *arg)
{
	struct decoder *d = arg;
	struct part t = { .d = d, .raw = d->raw, .to.ring = &d->ring };
	const struct fai_rows *r = d->rows;
	uint8_t last;
	int rc = 0;

	for (size_t i = 0; i < r->n && !rc && !t.to.left; i++) {
		struct str name = { (char *)r->names.p + r->v[i].name_at,
				    r->v[i].name_n };

		rc = put_header(&t, &r->v[i], name);
		if (!rc && !t.to.left)
			rc = put_sequence(&t, &r->v[i], name);
		if (!rc && !t.to.left)
			rc = check_end(&t);
	}
	while (!rc && !t.to.left && !(rc = raw_fill(t.raw, 1, &t.e)) &&
	       t.raw->n)
		rc = copy(&t, t.raw->offset + t.raw->n, false, &last);
	pour_end(&t.to, rc, &t.e);
	buf_free(&t.line);
	buf_free(&t.last);
	free(t.want.v);
	return NULL;
}

/* source.c chooses it where there is an index. */
static int
fai_begins(const uint8_t *p, size_t n)
{
	(void)p;
	(void)n;
	return 0;
}

const struct codec fai_codec = {
	.kind = SOURCE_FAI,
	.name = "FASTA with an index",
	.begins = fai_begins,
	.thread = fai_thread,
	.n_slot = STREAM_SLOT,
};
