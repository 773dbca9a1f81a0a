/* SPDX-License-Identifier: MIT */
/*
 * fai.c - FILE.fai of FASTA, and FILE.gzi of bgzf, as samtools faidx
 * writes them, and plain FASTA read by them: only what is wanted
 * Source: faidx(5) of samtools, and what samtools 1.16 writes.
 */

#include <ctype.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/port.h"
#include "input/input.h"
#include "input/source_in.h"

struct fai {
	struct source *s;
	struct fai_left *left;
	struct sfi_build *sums;
	enum { BETWEEN, HEADER, SEQUENCE, LINE } state;
	uint64_t line;			/* from 1 */
	struct buf head, out;		/* the header line; rows */
	struct str name;		/* in head */
	/* the sequence: its > and first letter in the file, letters, its first
	 * line's letters and bytes; the line at hand's */
	uint64_t begin, at, n, letters, bytes, line_letters, line_bytes;
	struct index names;		/* by two hashes */
};

static int
bad(const struct fai *f, const char *what, struct err *e)
{
	return err_set(e, ERR_FORMAT, "%s:%llu: %.*s%s%s: no index",
		       source_name(f->s), (unsigned long long)f->line,
		       f->name.n < 200 ? (int)f->name.n : 200,
		       f->name.n ? f->name.p : "", f->name.n ? ": " : "", what);
}

static void
leave_out(const struct fai *f, uint64_t *n, char *first, size_t room)
{
	size_t k = f->name.n < room ? f->name.n : room - 1;

	if ((*n)++)
		return;
	memcpy(first, f->name.p, k);
	first[k] = '\0';
}

/* A sequence ends; it may have no letters. */
static int
put_row(struct fai *f, struct err *e)
{
	uint64_t a = hash64(f->name.p, f->name.n, 0);
	uint64_t b = hash64(f->name.p, f->name.n, 1);
	struct fai_left *l = f->left;

	sfi_record_end(f->sums, f->at, f->letters, f->bytes);
	if (!f->bytes) {
		leave_out(f, &l->n_empty, l->empty, sizeof l->empty);
		return 0;
	}
	if (index_number(&f->names, a, b)) {
		leave_out(f, &l->n_twice, l->twice, sizeof l->twice);
		return 0;
	}
	if (!index_set_number(&f->names, a, b, 1))
		return err_nomem(e, f->out.n);
	buf_put(&f->out, f->name.p, f->name.n);
	buf_printf(&f->out, "\t%llu\t%llu\t%llu\t%llu\n",
		   (unsigned long long)f->n, (unsigned long long)f->at,
		   (unsigned long long)f->letters,
		   (unsigned long long)f->bytes);
	return f->out.bad ? err_nomem(e, f->out.n) : 0;
}

static bool
is_space(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The name is what is between blanks; the letters begin behind the line. */
static void
end_header(struct fai *f)
{
	size_t i = 0, end;

	while (i < f->head.n && is_space(f->head.p[i]))
		i++;
	for (end = i; end < f->head.n && !is_space(f->head.p[end]);)
		end++;
	f->name = (struct str){ (char *)f->head.p + i, end - i };
	f->at = source_offset(f->s);
	sfi_head(f->sums, f->begin, f->head.p, f->head.n);
	f->n = f->letters = f->bytes = 0;
	f->state = SEQUENCE;
	f->line++;
}

static int
end_line(struct fai *f, struct err *e)
{
	uint64_t bytes = f->line_bytes + 1;	/* also of a last line */

	sfi_line_end(f->sums);
	f->n += f->line_letters;
	if (!f->bytes) {
		f->bytes = bytes;
		f->letters = f->line_letters;
	}
	if (bytes > f->bytes)
		return bad(f, "a line longer than the first one", e);
	f->state = bytes < f->bytes ? BETWEEN : SEQUENCE;
	f->line++;
	return 0;
}

/* A line begins with p[0]; all of its bytes but > are still to come. */
static int
begin_line(struct fai *f, const uint8_t *p, size_t n, struct err *e)
{
	int rc = 0;

	if (p[0] == '>') {
		f->begin = source_offset(f->s);
		source_skip(f->s, 1);
		rc = f->name.p ? put_row(f, e) : 0;
		f->head.n = f->name.n = 0;
		f->state = HEADER;
	} else if (p[0] == '\n') {
		source_skip(f->s, 1);
		f->line++;
		f->state = BETWEEN;
	} else if (f->state == SEQUENCE) {
		f->line_letters = f->line_bytes = 0;
		f->state = LINE;
	} else if (p[0] == '\r') {
		rc = source_peek(f->s, 2, &p, &n, e);
		if (!rc && (n < 2 || p[1] != '\n'))
			rc = bad(f, "a CR without newline", e);
		source_skip(f->s, rc ? 0 : 1);
	} else if (p[0] == '@' && !f->name.p) {
		rc = bad(f, "FASTQ (samtools fqidx makes one)", e);
	} else {
		rc = bad(f, f->name.p ? "a line behind one that is shorter "
			 "than the first" : "no FASTA", e);
	}
	return rc;
}

static size_t
count_graph(const uint8_t *p, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		k += (uint8_t)(p[i] - '!') <= '~' - '!';
	return k;
}

/* Some bytes of a header or of letters, up to the newline. */
static int
go_on(struct fai *f, const uint8_t *p, size_t n, struct err *e)
{
	const uint8_t *end = memchr(p, '\n', n);
	size_t k = end ? (size_t)(end - p) : n;

	if (f->state == LINE) {
		f->line_bytes += k;
		f->line_letters += count_graph(p, k);
		sfi_bytes(f->sums, p, k);
	} else {
		buf_put(&f->head, p, k);
		buf_reserve(&f->head, 1);
		if (f->head.bad)
			return err_nomem(e, f->head.n + k);
		if (f->head.n > FASTA_MAX_HEADER || memchr(p, 0, k))
			return bad(f, "a NUL in a header, or one of more than "
				   "16 MiB", e);
	}
	source_skip(f->s, k + (end != NULL));
	if (!end)
		return 0;
	if (f->state == LINE)
		return end_line(f, e);
	end_header(f);
	return 0;
}

static int
scan(struct fai *f, struct err *e)
{
	const uint8_t *p;
	size_t n;
	int rc;

	while (!(rc = source_peek(f->s, 1, &p, &n, e)) && n && !rc) {
		rc = f->state == LINE || f->state == HEADER ?
		     go_on(f, p, n, e) : begin_line(f, p, n, e);
		if (rc)
			return rc;
	}
	if (!rc && f->state == LINE)
		rc = end_line(f, e);
	if (!rc && (f->state == HEADER || !f->name.p || !f->bytes))
		rc = bad(f, "no letters at the end", e);
	return rc ? rc : put_row(f, e);
}

/* Where blocks begin, in the file and in what is in them; those without bytes
 * and the first one are left out. */
static int
write_gzi(const char *path, const struct buf *blocks, struct err *e)
{
	struct buf b = { 0 };
	uint64_t n = 0, at = 0;
	int rc;

	buf_u64(&b, 0);
	for (size_t i = 0; i < blocks->n; i += 16) {
		uint64_t size = get_le(blocks->p + i + 8, 8);

		if (size && at) {
			buf_put(&b, blocks->p + i, 8);
			buf_u64(&b, at);
			n++;
		}
		at += size;
	}
	if (b.bad || blocks->bad)
		return buf_free(&b), err_nomem(e, blocks->n);
	put_le(b.p, n, 8);
	rc = sfi_write_beside(path, ".gzi", &b, 1, e);
	buf_free(&b);
	return rc;
}

/* BAM is seen as such in its first bytes. */
static int
check_kind(struct source *s, struct err *e)
{
	const uint8_t *p;
	size_t n;
	int rc = source_peek(s, 1, &p, &n, e);

	if (rc || source_kind(s) == SOURCE_PLAIN ||
	    source_kind(s) == SOURCE_BGZF)
		return rc;
	return err_set(e, ERR_FORMAT, "%s: only plain FASTA, or compressed by "
		       "bgzip, and 2bit have an index", source_name(s));
}

int
fai_build(const char *path, unsigned threads, struct fai_left *left,
	  struct err *e)
{
	struct fai f = { .line = 1, .left = left };
	struct buf blocks = { 0 };
	int rc = sfi_new(&f.sums, path, e);
	bool packed = false;
	uint64_t text = 0;

	memset(left, 0, sizeof *left);
	if (!rc)
		rc = source_open_blocks(&f.s, path, threads, &blocks, e);
	if (!rc && source_kind(f.s) == SOURCE_TWOBIT) {
		source_close(f.s);
		sfi_free(f.sums);
		buf_free(&blocks);
		return sfi_twobit(path, &left->odd, e);
	}
	if (!rc)
		rc = check_kind(f.s, e);
	if (!rc) {
		packed = source_kind(f.s) == SOURCE_BGZF;
		rc = scan(&f, e);
		text = source_offset(f.s);
	}
	source_close(f.s);
	if (!rc)
		rc = sfi_unchanged(f.sums, path, e);
	if (!rc && packed)
		rc = write_gzi(path, &blocks, e);
	if (!rc)
		rc = sfi_write_beside(path, ".fai", &f.out, 1, e);
	if (!rc)
		rc = sfi_write(f.sums, path, packed ? SFI_BGZF : SFI_PLAIN,
			       text, &left->odd, e);
	sfi_free(f.sums);
	buf_free(&f.head);
	buf_free(&f.out);
	buf_free(&blocks);
	index_free(&f.names);
	return rc;
}

/* Plain FASTA with its FILE.fai: only what is wanted is read. */

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
