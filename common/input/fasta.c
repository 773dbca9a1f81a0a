/* SPDX-License-Identifier: MIT */
/*
 * fasta.c - FASTA and FASTQ, letter by letter, detected by content
 *
 * Works on the bytes that the source has at hand, however few: the state says
 * what they are part of.
 */

#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "input/source_in.h"
#include "input/input.h"
#include "letters/letters.h"

/* Inside of the tokenizer: a header line, qualities. */

/* Bytes from ! to ~ (qualities) that p begins with. */
static inline size_t
count_graph(const uint8_t *p, size_t n)
{
	size_t i = 0;

	for (; n - i >= 16; i += 16) {
		bytes_v16 x, bad;
		uint64_t w[2];

		memcpy(&x, p + i, 16);
		bad = (bytes_v16)(x - '!' > '~' - '!');
		memcpy(w, &bad, 16);
		if (w[0] | w[1])
			break;
	}
	while (i < n && p[i] >= '!' && p[i] <= '~')
		i++;
	return i;
}

/* FASTA and FASTQ, letter by letter, detected by content. */

enum { TILE = 64 << 10 };	/* letters of an event at most; fits L2 */

struct fasta {
	struct source *s;
	const struct dna_ops *ops;
	enum state {
		BETWEEN, HEADER, LETTERS, PLUS, QUALS, READ, DONE
	} state;
	char marker;		/* > or @, 0 before the first record */
	bool bol;		/* a line begins here */
	bool cr;		/* a CR was taken: only a newline may follow */
	bool digits;		/* are letters */
	uint64_t line;		/* of the next byte, from 1 */
	uint64_t head_line;	/* of the record's > or @ */
	uint64_t at;		/* of the record's > or @ in the source */
	uint64_t pos, quals;	/* letters, qualities of the record so far */
	struct buf head;
	struct str name, desc;
	const char *hint;	/* what it may be that begins with @ */
	struct bam_read read;	/* READ: of BAM, not as text */
	bool begun;		/* no event has told of it yet */
	uint8_t *tile;
	uint8_t *to;		/* where letters go: the tile, or the */
	size_t room;		/* caller's memory, and how many */
};

enum { AGAIN = 100 };		/* no event yet */

int
fasta_new(struct fasta **out, struct source *s, struct err *e)
{
	struct fasta *f = calloc(1, sizeof *f);

	if (!f)
		return err_nomem(e, sizeof *f);
	f->tile = malloc(TILE + 64);
	if (!f->tile) {
		free(f);
		return err_nomem(e, TILE);
	}
	f->s = s;
	f->ops = dna_ops();
	f->line = 1;
	*out = f;
	return 0;
}

void
fasta_digits(struct fasta *f)
{
	f->digits = true;
}

void
fasta_free(struct fasta *f)
{
	if (!f)
		return;
	buf_free(&f->head);
	free(f->tile);
	free(f);
}

static bool
is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

static int
bad(const struct fasta *f, struct err *e, const char *what)
{
	int n = f->name.n > 200 ? 200 : (int)f->name.n;
	/* of BAM each would be four lines of text, but nobody sees these */
	bool bam = source_kind(f->s) == SOURCE_BAM;

	return err_set(e, ERR_FORMAT, "%s:%s%llu: %.*s: %s%s",
		       source_name(f->s), bam ? " read " : "",
		       (unsigned long long)(bam ? (f->line - 1) / 4 + 1 :
					     f->line),
		       n ? n : 9, n ? f->name.p : "(no name)", what,
		       f->hint ? f->hint : "");
}

static int
bad_byte(const struct fasta *f, struct err *e, uint8_t c, uint64_t pos)
{
	char what[100], shown[8] = "";

	if (c > ' ' && c < 0x7f)
		snprintf(shown, sizeof shown, " (%c)", c);
	snprintf(what, sizeof what, "invalid byte 0x%02x%s at %llu%s", c,
		 shown, (unsigned long long)pos,
		 f->state == QUALS ? " of the qualities" : "");
	return bad(f, e, what);
}

/* The first byte of all that is no blank, and no > or @; or of a record. */
static int
unknown(const struct fasta *f, struct err *e, const uint8_t *p, size_t n)
{
	uint8_t c = *p;
	char first[16];

	if (f->marker)
		return err_set(e, ERR_FORMAT, "%s:%llu: %c expected, where a "
			       "record should begin, not 0x%02x",
			       source_name(f->s), (unsigned long long)f->line,
			       f->marker, c);
	snprintf(first, sizeof first, c > ' ' && c < 0x7f ? "'%c'" :
		 "byte 0x%02x", c);
	return err_set(e, ERR_FORMAT, "%s:%llu: neither FASTA nor FASTQ "
		       "nor a matrix: it begins with %s%s", source_name(f->s),
		       (unsigned long long)f->line, first, hint_of(p, n));
}

/* Before the first record, and after a FASTQ record. */
static int
between(struct fasta *f, const uint8_t *p, size_t n, struct err *e)
{
	size_t i = 0;

	if (n == 0) {
		f->state = DONE;
		return FASTA_EOF;
	}
	if (source_offset(f->s) == 0 && p[0] == 0xef) {
		int rc = source_skip_mark(f->s, e);

		if (rc || source_offset(f->s))
			return rc ? rc : AGAIN;
		rc = source_peek(f->s, 1, &p, &n, e);
		if (rc)
			return rc;
	}
	for (; i < n && (is_blank(p[i]) || p[i] == '\r' || p[i] == '\n'); i++)
		f->line += p[i] == '\n';
	if (i < n) {
		if (f->marker ? p[i] != f->marker : p[i] != '>' && p[i] != '@')
			return unknown(f, e, p + i, n - i);
		if (p[i] == '@' && !f->marker)
			f->hint = hint_of(p + i, n - i);
		f->at = source_offset(f->s) + i;
		f->marker = (char)p[i++];
		f->state = HEADER;
		f->head.n = 0;
	}
	source_skip(f->s, i);
	return AGAIN;
}

static int
header(struct fasta *f, const uint8_t *p, size_t n, struct err *e)
{
	const uint8_t *nl = n ? memchr(p, '\n', n) : NULL;
	size_t len = nl ? (size_t)(nl - p) : n;
	const char *wrong;

	buf_put(&f->head, p, len);
	if (f->head.bad)
		return err_nomem(e, f->head.n + len);
	if (f->head.n > FASTA_MAX_HEADER)
		return err_set(e, ERR_LIMIT, "%s:%llu: a header line of more "
			       "than %d bytes", source_name(f->s),
			       (unsigned long long)f->line, FASTA_MAX_HEADER);
	source_skip(f->s, len + (nl != NULL));
	if (!nl && n > 0)
		return AGAIN;
	wrong = fasta_split(&f->head, &f->name, &f->desc);
	if (f->head.bad)
		return err_nomem(e, f->head.n);
	if (wrong)
		return bad(f, e, wrong);
	f->head_line = f->line;
	f->line += nl != NULL;
	f->state = LETTERS;
	f->bol = true;
	f->pos = 0;
	return FASTA_RECORD;
}

/*
 * A byte at p[*i] of n that no plain line holds, with *m letters before it: go
 * past it if it may stand there.  *end: here is the line that ends them.
 */
static int
other(struct fasta *f, const uint8_t *p, size_t n, size_t *i, size_t *m,
      bool *end, struct err *e)
{
	uint8_t c = p[*i];

	*end = f->bol && c == (f->marker == '>' ? '>' : '+');
	if (*end)
		return 0;
	if (c == '\r' && (*i + 1 == n || p[*i + 1] == '\n'))
		f->cr = *i + 1 == n;
	else if (c == '@' && f->marker == '@' && f->bol)
		return bad(f, e, "no line with + before the next record");
	else if (f->digits && fasta_is_digit(c))
		f->to[(*m)++] = c;
	else if (!is_blank(c))
		return bad_byte(f, e, c, f->pos + *m);
	f->bol = false;
	++*i;
	return 0;
}

/*
 * At a newline behind a CR: go past it, and past lines that are like the one it
 * ends, whose letters begin at *line.  If that is not where they begin, no harm
 * is done: the lines are looked at.
 */
static void
crlf_lines(struct fasta *f, const uint8_t *p, size_t n, size_t *line,
	   size_t *i, size_t *m)
{
	size_t width = *m - *line, left = n - ++*i, k = 0;

	if (width) {
		size_t most = (f->room - *m) / width * (width + 2);

		k = f->ops->crlf(p + *i, left < most ? left : most, width,
				 f->to + *m);
	}
	*i += k * (width + 2);
	*m += k * width;
	f->line += k + 1;
	f->bol = true;
	*line = *m;
}

/*
 * Letters of lines side by side to f->to, as far as it and the bytes go: m of
 * them, of *used bytes.  Stops before the line that ends them (*end).
 */
static int
lines(struct fasta *f, const uint8_t *p, size_t n, size_t *used, size_t *m,
      bool *end, struct err *e)
{
	size_t i = 0, line = 0;
	int rc = 0;

	while (i < n && *m < f->room && !*end && rc == 0) {
		size_t room = f->room - *m, most = n - i < room ? n - i : room;
		size_t kept, k = f->ops->lines(p + i, most, f->to + *m, &kept);

		*m += kept;
		i += k;
		f->line += k - kept;
		if (k)
			f->bol = p[i - 1] == '\n';
		if (k < most)
			rc = other(f, p, n, &i, m, end, e);
		if (i && i < n && p[i - 1] == '\r' && p[i] == '\n')
			crlf_lines(f, p, n, &line, &i, m);
	}
	*used = i;
	return rc;
}

static void
end_letters(struct fasta *f)
{
	if (f->marker == '>')
		f->at = source_offset(f->s);
	source_skip(f->s, 1);
	f->state = f->marker == '>' ? HEADER : PLUS;
	f->head.n = f->marker == '>' ? 0 : f->head.n;
}

static int
letters(struct fasta *f, const uint8_t *p, size_t n, struct fasta_piece *out,
	struct err *e)
{
	size_t used, m = 0;
	bool end = false;
	int rc;

	if (n == 0 && f->marker == '@')
		return bad(f, e, "truncated record: no line with +");
	if (n == 0) {
		f->state = DONE;
		return FASTA_EOF;
	}
	if (f->cr && p[0] != '\n')
		return bad_byte(f, e, '\r', f->pos);
	f->cr = false;
	rc = lines(f, p, n, &used, &m, &end, e);
	if (rc != 0)
		return rc;
	source_skip(f->s, used);
	f->pos += m;
	if (end)
		end_letters(f);
	out->letters = f->to;
	out->n = m;
	return m ? FASTA_LETTERS : AGAIN;
}

static int
plus(struct fasta *f, const uint8_t *p, size_t n)
{
	const uint8_t *nl = n ? memchr(p, '\n', n) : NULL;

	source_skip(f->s, nl ? (size_t)(nl - p) + 1 : n);
	if (nl || n == 0) {
		f->line += nl != NULL;
		f->quals = 0;
		f->bol = true;
		f->state = QUALS;
	}
	return AGAIN;
}

static int
too_few(const struct fasta *f, struct err *e)
{
	char what[120];

	snprintf(what, sizeof what, "truncated record: %llu qualities for %s",
		 (unsigned long long)f->quals,
		 err_count(f->pos, "letter").text);
	return bad(f, e, what);
}

/* Qualities are counted: as many as there are letters, over any lines. */
static int
quals(struct fasta *f, const uint8_t *p, size_t n, struct err *e)
{
	size_t i;

	for (i = 0; i < n && !(f->quals == f->pos && f->bol); i++) {
		uint64_t want = f->pos - f->quals;
		size_t k = f->cr ? 0 : count_graph(p + i, n - i < want ?
						   n - i : (size_t)want);

		f->quals += k;
		f->bol &= k == 0;
		i += k;
		if (i == n)
			break;
		f->bol = p[i] == '\n';
		f->line += f->bol;
		if (f->cr && p[i] != '\n')
			return bad_byte(f, e, '\r', f->quals);
		f->cr = p[i] == '\r';
		if (f->bol || f->cr)
			continue;
		if (f->quals == f->pos)
			return bad(f, e, "more qualities than letters");
		if (p[i] < '!' || p[i] > '~')
			return bad_byte(f, e, p[i], f->quals);
		f->quals++;
	}
	source_skip(f->s, i);
	if (n == 0 && f->quals < f->pos)
		return too_few(f, e);
	if (f->quals == f->pos && (f->bol || n == 0)) {
		f->cr = false;
		f->state = BETWEEN;
	}
	return AGAIN;
}

static bool
is_at_reads(const struct fasta *f)
{
	return f->state == BETWEEN && f->marker && source_has_reads(f->s);
}

/* The next read of BAM, with lines as its text would have. */
static int
begin_read(struct fasta *f, struct err *e)
{
	const struct bam_read *r = &f->read;
	int rc = source_next_read(f->s, &f->read, e);

	if (rc < 0)
		return rc;
	f->state = rc ? READ : DONE;
	if (!rc)
		return FASTA_EOF;
	/* neither control characters nor, mostly, blanks are in it */
	f->name = r->name;
	f->desc = (struct str){ r->name.p + r->name.n, 0 };
	if (r->mate.n || count_from((const uint8_t *)r->name.p, r->name.n,
				    ' ' + 1) < r->name.n) {
		f->head.n = 0;
		buf_put(&f->head, r->name.p, r->name.n);
		buf_put(&f->head, r->mate.p, r->mate.n);
		fasta_split(&f->head, &f->name, &f->desc);
		if (f->head.bad)
			return err_nomem(e, f->head.n);
	}
	f->head_line = f->line++;
	f->pos = 0;
	return FASTA_RECORD;
}

/* n letters of the read from pos on, to `to`. */
static int
put_letters(struct fasta *f, size_t n, uint8_t *to, struct err *e)
{
	/* as the reference has it: a letter that only SAM knows */
	if (bam_letters(&f->read, (size_t)f->pos, n, to)) {
		const uint8_t *same = memchr(to, '=', n);

		return bad_byte(f, e, '=', f->pos + (size_t)(same - to));
	}
	f->pos += n;
	if (f->pos == f->read.n) {
		f->line += 3;
		f->state = BETWEEN;
	}
	return 0;
}

static int
read_letters(struct fasta *f, struct fasta_piece *out, struct err *e)
{
	size_t left = f->read.n - (size_t)f->pos;
	int rc;

	out->letters = f->to;
	out->n = left < f->room ? left : f->room;
	rc = put_letters(f, out->n, f->to, e);
	return rc ? rc : left ? FASTA_LETTERS : AGAIN;
}

static int
of_read(struct fasta *f, struct fasta_piece *out, struct err *e)
{
	if (f->begun) {
		f->begun = false;
		return FASTA_RECORD;
	}
	return f->state == READ ? read_letters(f, out, e) : begin_read(f, e);
}

/* Whole records at hand. */

bool
fasta_between(const struct fasta *f)
{
	return (f->state == HEADER && f->marker == '>' && f->head.n == 0) ||
	       is_at_reads(f);
}

/* A header line in which nothing is unusual; false: perhaps there is. */
static bool
split_plain(const uint8_t *p, size_t n, struct fasta_piece *out)
{
	size_t end = n && !is_blank(*p) ? count_from(p, n, ' ' + 1) : 0;

	out->name = (struct str){ (const char *)p, end };
	out->desc = (struct str){ (const char *)p + end, n - end };
	if (end == n)
		return n;
	return end && is_blank(p[end]) && !memchr(p + end, '\0', n - end) &&
	       !memchr(p + end, '\r', n - end);
}

/*
 * FASTA: as header() and lines() have it, if the record behind this one is in
 * sight.
 */
static int
whole_text(struct fasta *f, uint8_t *to, size_t room, struct fasta_piece *out)
{
	const uint8_t *p, *nl;
	size_t n = source_at_hand(f->s, &p), len, k;

	nl = n && !f->digits ? memchr(p, '\n', n) : NULL;
	if (!nl || !split_plain(p, (size_t)(nl - p), out))
		return 0;
	len = (size_t)(nl - p) + 1;
	n -= len;
	k = f->ops->lines(p + len, n < room ? n : room, to, &out->n);
	if (k == n || k == room || p[len + k] != '>' || p[len + k - 1] != '\n')
		return 0;
	f->head_line = f->line;
	f->line += 1 + k - out->n;
	f->at = source_offset(f->s) + len + k;
	source_skip(f->s, len + k + 1);
	return 1;
}

static int
whole_read(struct fasta *f, uint8_t *to, size_t room, struct fasta_piece *out,
	   struct err *e)
{
	int rc = begin_read(f, e);

	if (rc != FASTA_RECORD)
		return rc < 0 ? rc : 0;
	f->begun = f->read.n > room || put_letters(f, f->read.n, to, e);
	out->name = f->name;
	out->desc = f->desc;
	out->n = f->read.n;
	return !f->begun;
}

int
fasta_whole(struct fasta *f, uint8_t *to, size_t room,
	    struct fasta_piece *out, struct err *e)
{
	return f->state == HEADER ? whole_text(f, to, room, out) :
				    whole_read(f, to, room, out, e);
}

/* One after the other. */

uint64_t
fasta_line(const struct fasta *f)
{
	return f->head_line;
}

int
fasta_next(struct fasta *f, struct fasta_piece *out, struct err *e)
{
	return fasta_next_to(f, f->tile, TILE, out, e);
}

int
fasta_next_to(struct fasta *f, uint8_t *to, size_t room,
	      struct fasta_piece *out, struct err *e)
{
	int rc = AGAIN;

	f->to = to;
	f->room = room < TILE ? room : TILE;
	while (rc == AGAIN) {
		const uint8_t *p;
		size_t n;

		if (f->state == DONE)
			return FASTA_EOF;
		if (f->state == READ || is_at_reads(f)) {
			rc = of_read(f, out, e);
			continue;
		}
		rc = source_peek(f->s, 1, &p, &n, e);
		if (rc != 0)
			return rc;
		switch (f->state) {
		case BETWEEN: rc = between(f, p, n, e); break;
		case HEADER: rc = header(f, p, n, e); break;
		case LETTERS: rc = letters(f, p, n, out, e); break;
		case PLUS: rc = plus(f, p, n); break;
		case QUALS: rc = quals(f, p, n, e); break;
		case READ:
		case DONE: break;
		}
	}
	if (rc == FASTA_RECORD) {
		out->name = f->name;
		out->desc = f->desc;
		out->at = f->at;
	}
	return rc;
}

/* A header line to name and description, and back. */

const char *
fasta_split(struct buf *h, struct str *name, struct str *desc)
{
	size_t n, lead = 0, end;
	bool wrong;

	if (h->n && h->p[h->n - 1] == '\r')
		h->n--;
	if (!buf_reserve(h, 1))		/* its p is not NULL */
		return NULL;
	n = h->n;
	while (lead < n && is_blank(h->p[lead]))
		lead++;
	/* the first word; it ends at a blank, or holds what no name does */
	end = lead + count_from(h->p + lead, n - lead, ' ' + 1);
	wrong = end < n && !is_blank(h->p[end]);
	while (wrong && end < n && !is_blank(h->p[end]))
		end++;
	/* the blanks in front go behind: the line moves if memory does */
	buf_reserve(h, lead + 1);
	buf_u8(h, '\n');
	if (h->bad)
		return NULL;
	buf_put(h, h->p, lead);
	*name = (struct str){ (char *)h->p + lead, end - lead };
	*desc = (struct str){ (char *)h->p + end,
			      lead ? h->n - end : n - end };
	for (size_t i = lead; wrong && i < end; i++)
		if (h->p[i] < ' ' || h->p[i] == 0x7f)
			return h->p[i] == '\r' ? "line ends are a CR alone, as "
			    "on an old Macintosh" :
			    "the name holds a control character";
	if (end < n && (memchr(h->p + end, '\0', n - end) ||
			memchr(h->p + end, '\r', n - end)))
		return "the header line holds a NUL, or a CR without "
			    "newline";
	return NULL;
}

void
fasta_header(struct buf *b, struct str name, struct str desc)
{
	const char *nl = desc.n ? memchr(desc.p, '\n', desc.n) : NULL;
	size_t n = nl ? (size_t)(nl - desc.p) : desc.n;

	for (size_t i = n + 1; nl && i < desc.n; i++)
		buf_u8(b, desc.p[i] == '\t' ? '\t' : ' ');
	buf_put(b, name.p, name.n);
	buf_put(b, desc.p, n);
}

bool
fasta_fits(struct str name, struct str desc)
{
	const char *nl = desc.n ? memchr(desc.p, '\n', desc.n) : NULL;
	size_t n = nl ? (size_t)(nl - desc.p) : desc.n;

	for (size_t i = 0; i < name.n; i++)
		if ((uint8_t)name.p[i] <= ' ' || name.p[i] == 0x7f)
			return false;
	/* what follows the name is behind a blank, and behind a name */
	if (n && (name.n == 0 || !is_blank((uint8_t)desc.p[0])))
		return false;
	for (size_t i = 0; i < n; i++)
		if (desc.p[i] == '\0' || desc.p[i] == '\r')
			return false;
	for (size_t i = n + 1; i < desc.n; i++)
		if (!is_blank((uint8_t)desc.p[i]))
			return false;
	return true;
}

struct str
fasta_title(struct str desc)
{
	const char *nl = desc.n ? memchr(desc.p, '\n', desc.n) : NULL;

	if (nl)
		desc.n = (size_t)(nl - desc.p);
	for (; desc.n && is_blank((uint8_t)*desc.p); desc.n--)
		desc.p++;
	return desc;
}
