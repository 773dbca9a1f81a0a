/* SPDX-License-Identifier: MIT */
/*
 * matrix.c - matrices as records: lines, rows, checks, and the formats they
 * come in
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "input/input.h"

struct motif {
	size_t name, n_name, n_desc;	/* in heap; desc follows the name */
	size_t cell;			/* first float in cells */
	size_t n;			/* positions */
};

struct matrix {
	const char *file;
	struct buf text;		/* the whole input */
	const char *p, *end;		/* of text: what is not yet parsed */
	uint64_t line;			/* of the line last taken */
	struct buf heap, cells, motifs;	/* struct motif */
	size_t next;			/* event: motif, */
	bool due;			/* its letters */
	/* the matrix being read */
	struct str name, desc;
	struct buf num;			/* double: all rows, one by one */
	struct buf rows;		/* struct row */
	char order[4];			/* letters of the columns, if [0] */
	bool numbered;			/* each row begins with its number */
	uint64_t named;			/* line that named it; 0: none */
};

struct row {
	char label;		/* A C G T, or 0 */
	size_t beg, n;		/* numbers */
};

/* Matrices as records: lines, rows, checks. */

/*
 * The text takes at most so much, and what is made of it twice that: matrices
 * of 4 columns have 8 bytes or more a position, which takes 16.  Numbers that
 * wait for their matrix to end are 8 bytes for 2 of text: these are fewer.
 */
enum { MAX_TEXT = 64 << 20, MAX_NUMBERS = 4 << 20 };

enum matrix_format
matrix_format(const char *name)
{
	static const char *const names[] = {
		"auto", "jaspar", "meme", "transfac", "pfm",
	};

	for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return (enum matrix_format)i;
	return name ? MATRIX_NONE : MATRIX_AUTO;
}

/* The next line without its end; false: no more. */
static bool
matrix_line(struct matrix *m, struct str *s)
{
	const char *nl;

	if (m->p == m->end)
		return false;
	nl = memchr(m->p, '\n', (size_t)(m->end - m->p));
	*s = (struct str){ m->p, (size_t)((nl ? nl : m->end) - m->p) };
	m->p = nl ? nl + 1 : m->end;
	m->line++;
	while (s->n && (uint8_t)s->p[s->n - 1] <= ' ')
		s->n--;
	return true;
}

static bool
is_gap(char c)
{
	return c && ((uint8_t)c <= ' ' || strchr("[]|:,", c));
}

/* The next word of s, which it leaves; false: none is left. */
static bool
matrix_word(struct str *s, struct str *w)
{
	while (s->n && is_gap(*s->p))
		s->p++, s->n--;
	for (w->p = s->p; s->n && !is_gap(*s->p); s->n--)
		s->p++;
	w->n = (size_t)(s->p - w->p);
	return w->n > 0;
}

static bool
matrix_begins(struct str s, const char *with)
{
	size_t n = strlen(with);

	return s.n >= n && memcmp(s.p, with, n) == 0;
}

static char
letter(struct str w)
{
	static const char from[] = "ACGTUacgtu", to[] = "ACGTTACGTT";
	const char *p = w.n == 1 ? strchr(from, *w.p) : NULL;

	return p && *p ? to[p - from] : 0;
}

/*
 * A row: an optional letter A C G T (U), then numbers; [ ] | : , among them
 * are blanks.  The numbers are appended to num.  False if it is none (then
 * num is as before).
 */
static bool
matrix_row(struct str s, struct row *r, struct buf *num)
{
	size_t before = num->n;
	struct str w;
	double v;

	r->label = 0;
	r->beg = before / sizeof v;
	r->n = 0;
	while (matrix_word(&s, &w)) {
		if (decimal_double(w.p, w.n, &v)) {
			if (r->n++ < MAX_NUMBERS)
				buf_put(num, &v, sizeof v);
		} else if (r->n || r->label || !(r->label = letter(w))) {
			num->n = before;
			return false;
		}
	}
	return r->n > 0;
}

/* "A C G T" in any order, with a word before it or not. */
static bool
matrix_columns(struct str s, char order[4], bool *numbered)
{
	struct str w;
	unsigned seen = 0, n = 0;
	bool word = false;
	char o[4];

	for (unsigned i = 0; matrix_word(&s, &w); i++) {
		char c = letter(w);

		if (c && n < 4) {
			o[n++] = c;
			seen |= 1u << (c - 'A');
		} else if (i == 0 && !c) {
			word = true;
		} else {
			return false;
		}
	}
	if (n < 4 || seen != (1u | 1u << 2 | 1u << 6 | 1u << 19))
		return false;
	memcpy(order, o, 4);
	*numbered = word;
	return true;
}

static int
matrix_bad(const struct matrix *m, const char *what, struct err *e)
{
	int n = m->name.n > 200 ? 200 : (int)m->name.n;

	return err_set(e, ERR_FORMAT, "%s:%llu: %.*s: %s", m->file,
		       (unsigned long long)m->line, n ? n : 6,
		       n ? m->name.p : "matrix", what);
}

/* Name and description from a line; nothing is changed if it is empty. */
static void
matrix_name(struct matrix *m, struct str s)
{
	while (s.n && (*s.p == ' ' || *s.p == '\t'))
		s.p++, s.n--;
	if (!s.n)
		return;
	m->name = s;
	for (m->name.n = 0; m->name.n < s.n; m->name.n++)
		if ((uint8_t)s.p[m->name.n] <= ' ')
			break;
	m->desc.p = s.p + m->name.n;
	m->desc.n = s.n - m->name.n;
}

static int
matrix_add_row(struct matrix *m, struct str s, struct err *e)
{
	struct row r;

	if (!matrix_row(s, &r, &m->num))
		return matrix_bad(m, "a row of numbers expected", e);
	if (r.n > MAX_NUMBERS || m->num.n / sizeof(double) > MAX_NUMBERS)
		return matrix_bad(m, "more than 2^20 positions", e);
	buf_put(&m->rows, &r, sizeof r);
	return m->rows.bad || m->num.bad ? err_nomem(e, m->num.n) : 0;
}

/* Where the rows' numbers go: place of row i's number j in [position][4]. */
struct layout {
	size_t n;		/* positions */
	bool down;		/* a row is a position */
	size_t skip;		/* numbers in front of each row */
	unsigned column[4];	/* place of the letter of row or column i */
};

static unsigned
place(char c)
{
	return c == 'A' ? 0 : c == 'C' ? 1 : c == 'G' ? 2 : 3;
}

/*
 * Labelled rows, or columns, are what they say.  Else four rows are letters,
 * unless each has four numbers and there are more rows or fewer; four times
 * four numbers are read as JASPAR writes them: a row is a letter.
 */
static const char *
lay_out(const struct matrix *m, struct layout *l)
{
	const struct row *r = (const void *)m->rows.p;
	size_t n = m->rows.n / sizeof *r, labels = 0;
	unsigned seen = 0;

	*l = (struct layout){ .column = { 0, 1, 2, 3 } };
	l->skip = m->order[0] && m->numbered;
	for (size_t i = 0; i < n; i++) {
		labels += r[i].label != 0;
		if (r[i].n != r[0].n)
			return "its rows differ in length";
		if (r[i].label && i < 4) {
			l->column[i] = place(r[i].label);
			seen |= 1u << l->column[i];
		}
	}
	if (labels && (labels != 4 || n != 4 || seen != 15))
		return "its rows are not A, C, G and T";
	l->down = m->order[0] || (!labels && n != 4 && r[0].n == 4);
	for (size_t i = 0; m->order[0] && i < 4; i++)
		l->column[i] = place(m->order[i]);
	l->n = l->down ? n : r[0].n;
	if (l->down ? r[0].n != 4 + l->skip || labels : n != 4)
		return "neither four rows nor four columns";
	return NULL;
}

/* The position as floats; NULL, or what is wrong with it. */
static const char *
position(const struct matrix *m, const struct layout *l, size_t pos, float *f)
{
	const struct row *r = (const void *)m->rows.p;
	const double *v = (const void *)m->num.p;
	double sum = 0;

	for (size_t i = 0; i < 4; i++) {
		double x = l->down ? v[r[pos].beg + l->skip + i] :
				     v[r[i].beg + pos];

		f[l->column[i]] = (float)x;
		if (x < 0)
			return "a negative number (log-odds are not read)";
		if (!isfinite((float)x))
			return "a number that is not finite";
		sum += (float)x;
	}
	return sum > 0 ? NULL : "it sums to 0";
}

static int
add_motif(struct matrix *m, const struct layout *l, struct err *e)
{
	struct motif t = { .name = m->heap.n, .n = l->n };
	char text[120];

	t.cell = m->cells.n / sizeof(float);
	for (size_t i = 0; i < l->n; i++) {
		float f[4];
		const char *wrong = position(m, l, i, f);

		if (wrong) {
			snprintf(text, sizeof text, "position %zu: %s", i,
				 wrong);
			return matrix_bad(m, text, e);
		}
		buf_put(&m->cells, f, sizeof f);
	}
	buf_put(&m->heap, m->name.p, m->name.n);
	if (!m->name.n)
		buf_printf(&m->heap, "matrix_%zu",
			   m->motifs.n / sizeof t + 1);
	t.n_name = m->heap.n - t.name;
	buf_put(&m->heap, m->desc.p, m->desc.n);
	t.n_desc = m->desc.n;
	buf_put(&m->motifs, &t, sizeof t);
	return m->cells.bad || m->heap.bad || m->motifs.bad ?
	    err_nomem(e, m->cells.n) : 0;
}

/* The rows so far become a motif; none: nothing, or an error if it is named. */
static int
matrix_finish(struct matrix *m, struct err *e)
{
	struct layout l;
	const char *wrong;
	int rc = 0;

	if (m->rows.n) {
		wrong = lay_out(m, &l);
		rc = wrong ? matrix_bad(m, wrong, e) : add_motif(m, &l, e);
	} else if (m->named || m->order[0]) {
		return matrix_bad(m, "no numbers", e);
	}
	m->rows.n = m->num.n = 0;
	m->name = m->desc = (struct str){ NULL, 0 };
	m->order[0] = 0;
	m->named = 0;
	return rc;
}

/* The formats that matrices are written in. */

enum { MANY_NAMES = 3 };	/* lines that may name a plain matrix */

/* Is this a line of at least so many numbers, or of labelled ones? */
static bool
is_row(struct str s, size_t min)
{
	struct buf num = { 0 };
	struct row r;
	bool yes = matrix_row(s, &r, &num) && (r.label || r.n >= min);

	buf_free(&num);
	return yes;
}

static bool
is_columns(struct str s)
{
	char order[4];
	bool numbered;

	return matrix_columns(s, order, &numbered);
}

/* "P0  A  C  G  T": not even the letters' order is free. */
static bool
is_p0(struct str s)
{
	return (matrix_begins(s, "P0") || matrix_begins(s, "PO")) &&
	       s.n > 2 && (uint8_t)s.p[2] <= ' ' && is_columns(s);
}

static enum matrix_format
report_transfac(struct matrix m)
{
	struct str s;

	while (matrix_line(&m, &s))
		if (is_p0(s))
			return MATRIX_TRANSFAC;
	return MATRIX_NONE;
}

/* "XX" or "ID name": a TRANSFAC key? */
static bool
is_key(struct str s)
{
	return s.n >= 2 && s.p[0] >= 'A' && s.p[0] <= 'Z' && s.p[1] >= 'A' &&
	       s.p[1] <= 'Z' && (s.n == 2 || (uint8_t)s.p[2] <= ' ');
}

enum matrix_format
matrix_describe(const uint8_t *p, size_t n)
{
	struct matrix m = { .p = (const char *)p };
	unsigned names = 0;
	bool header = false;
	struct str s;

	m.end = m.p + n;
	while (matrix_line(&m, &s)) {
		if (!s.n || *s.p == '#')
			continue;
		if (*s.p == '@' && !names)
			return MATRIX_NONE;
		if (!names && matrix_begins(s, "MEME version"))
			return MATRIX_MEME;
		if (!names && is_key(s) && report_transfac(m) != MATRIX_NONE)
			return MATRIX_TRANSFAC;
		/* nothing else of ours begins with numbers alone */
		if (is_row(s, header || !names ? 1 : 4) ||
		    (!header && is_columns(s)))
			return MATRIX_PFM;
		/* FASTA: what follows a header is letters, not numbers */
		if (header || ++names > MANY_NAMES)
			return MATRIX_NONE;
		header = *s.p == '>';
	}
	return MATRIX_NONE;
}

/* The entropy line that some programs write behind a matrix. */
static bool
is_entropy(struct str s)
{
	struct str w;

	return matrix_word(&s, &w) && matrix_begins(w, "Ent=");
}

/* A line above the numbers: "base 1 2 3" is none's name. */
static bool
is_ruler(struct str s)
{
	struct buf num = { 0 };
	struct row r;
	struct str w;
	bool yes = matrix_word(&s, &w) && matrix_begins(w, "base") &&
		   matrix_row(s, &r, &num);

	buf_free(&num);
	return yes;
}

/* A letter again, or four letters and more: the next matrix begins. */
static bool
is_next(const struct matrix *m, char label)
{
	const struct row *r = (const void *)m->rows.p;
	size_t n = m->rows.n / sizeof *r;

	/* of each letter there is one row at most: this is not quadratic */
	for (size_t i = 0; label && strchr("ACGTU", label) && i < n; i++)
		if (r[i].label == label)
			return true;
	return false;
}

static int
free_row(struct matrix *m, struct str s, struct err *e)
{
	struct str rest = s, w;
	int rc = 0;

	if (matrix_word(&rest, &w) && w.n == 1 &&
	    is_next(m, (char)(*w.p & ~32)))
		rc = matrix_finish(m, e);
	return rc ? rc : matrix_add_row(m, s, e);
}

/* "Gene ENSG00000197372" or just a name. */
static void
plain_name(struct matrix *m, struct str s)
{
	static const char *const keys[] = { "Gene\t", "Motif\t", "TF\t",
					    "Gene ", "Motif ", "TF " };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (matrix_begins(s, keys[i])) {
			s.p += strlen(keys[i]);
			s.n -= strlen(keys[i]);
			break;
		}
	matrix_name(m, s);
}

/* JASPAR, and four rows or columns in any of their dresses. */
static int
matrix_parse_free(struct matrix *m, struct err *e)
{
	struct str s;
	int rc = 0;

	while (rc == 0 && matrix_line(m, &s)) {
		bool row = false;

		if (s.n && (*s.p == '#' || is_entropy(s) || is_ruler(s)))
			continue;
		if (!s.n || *s.p == '>')
			rc = m->rows.n || s.n ? matrix_finish(m, e) : 0;
		if (rc != 0 || !s.n)
			continue;
		if (*s.p == '>') {
			matrix_name(m, (struct str){ s.p + 1, s.n - 1 });
			m->named = m->line;
		} else if (!m->rows.n &&
			   matrix_columns(s, m->order, &m->numbered)) {
			continue;
		} else {
			struct buf num = { 0 };
			struct row r;

			row = matrix_row(s, &r, &num);
			buf_free(&num);
			if (row || m->rows.n || m->named)
				rc = free_row(m, s, e);
			else
				plain_name(m, s);
		}
	}
	return rc ? rc : matrix_finish(m, e);
}

/* The number behind a key such as "w=" of a MEME line, or 0. */
static unsigned long
value(struct str s, const char *key)
{
	struct str w;

	while (matrix_word(&s, &w))
		if (w.n == strlen(key) && memcmp(w.p, key, w.n) == 0)
			return matrix_word(&s, &w) ? strtoul(w.p, NULL, 10) :
						     0;
		else if (w.n > strlen(key) && matrix_begins(w, key))
			return strtoul(w.p + strlen(key), NULL, 10);
	return 0;
}

static int
meme_matrix(struct matrix *m, struct str head, struct err *e)
{
	unsigned long width = value(head, "w="), letters;
	struct str s;
	int rc = 0;

	letters = value(head, "alength=");
	if (letters != 0 && letters != 4)
		return matrix_bad(m, "its alphabet is not ACGT", e);
	memcpy(m->order, "ACGT", 4);
	m->numbered = false;
	for (unsigned long i = 0; rc == 0 && (!width || i < width); i++) {
		if (!matrix_line(m, &s) || !s.n) {
			if (width)
				return matrix_bad(m, "truncated: fewer rows "
						  "than w= says", e);
			break;
		}
		rc = matrix_add_row(m, s, e);
	}
	m->named = m->line;
	return rc ? rc : matrix_finish(m, e);
}

static int
matrix_parse_meme(struct matrix *m, struct err *e)
{
	struct str s;
	int rc = 0;

	while (rc == 0 && matrix_line(m, &s)) {
		struct str rest = s, w;

		if (matrix_begins(s, "ALPHABET=")) {
			matrix_word(&rest, &w);
			if (w.n == 9 && !matrix_word(&rest, &w))
				w.n = 0;
			if (!matrix_begins(w, "ACGT") &&
			    !matrix_begins(w, "ALPHABET=ACGT"))
				rc = matrix_bad(m, "the alphabet is not ACGT",
						e);
		} else if (matrix_begins(s, "MOTIF")) {
			if (m->named)
				return matrix_bad(m, "a motif without letter-"
						  "probability matrix", e);
			matrix_name(m, (struct str){ s.p + 5, s.n - 5 });
			m->named = m->line;
		} else if (matrix_begins(s, "letter-probability matrix")) {
			rc = meme_matrix(m, s, e);
		}
	}
	if (rc == 0 && m->named)
		rc = matrix_bad(m, "a motif without letter-probability "
				"matrix", e);
	return rc;
}

/* "01 1 2 2 0 S": number, four counts, and perhaps a consensus letter. */
static int
transfac_row(struct matrix *m, struct str s, struct err *e)
{
	size_t n = s.n;

	while (n && (uint8_t)s.p[n - 1] > ' ')
		n--;
	/* the last word, if it is one letter */
	if (s.n - n == 1 && (s.p[n] < '0' || s.p[n] > '9'))
		s.n = n;
	return matrix_add_row(m, s, e);
}

static int
matrix_parse_transfac(struct matrix *m, struct err *e)
{
	bool id = false;
	struct str s;
	int rc = 0;

	while (rc == 0 && matrix_line(m, &s)) {
		if (is_p0(s)) {
			if (m->rows.n)
				return matrix_bad(m, "two matrices in one "
						  "entry", e);
			matrix_columns(s, m->order, &m->numbered);
			m->named = m->line;
		} else if (s.n && *s.p >= '0' && *s.p <= '9') {
			rc = m->named ? transfac_row(m, s, e) :
			     matrix_bad(m, "a row without P0 line", e);
		} else if (matrix_begins(s, "//")) {
			rc = matrix_finish(m, e);
			id = false;
		} else if (matrix_begins(s, "ID ") || (!id &&
			   (matrix_begins(s, "AC ") ||
			    (!m->name.n && matrix_begins(s, "NA "))))) {
			id = *s.p == 'I';
			matrix_name(m, (struct str){ s.p + 3, s.n - 3 });
		}
	}
	if (rc == 0 && (m->rows.n || m->named || m->name.n))
		rc = matrix_bad(m, "truncated: no // at its end", e);
	return rc;
}

/* The whole source, then its matrices one by one. */

static int
slurp(struct matrix *m, struct source *s, struct err *e)
{
	size_t got = 1;
	int rc = 0;

	while (rc == 0 && got) {
		if (m->text.n > MAX_TEXT)
			return err_set(e, ERR_LIMIT, "%s: matrices of more "
				       "than %d bytes", m->file, MAX_TEXT);
		if (!buf_reserve(&m->text, 1 << 16))
			return err_nomem(e, m->text.n + (1 << 16));
		/* one byte stays free: strtoul() must find an end */
		rc = source_read(s, m->text.p + m->text.n, (1 << 16) - 1,
				 &got, e);
		m->text.n += got;
	}
	if (rc == 0)
		m->text.p[m->text.n] = '\0';
	m->p = (const char *)m->text.p;
	m->end = m->p + m->text.n;
	return rc;
}

/* Of a format that was asked for: what holds none, and is no such file that
 * is empty, holds something else. */
static int
check_any(const struct matrix *m, enum matrix_format format, struct err *e)
{
	size_t n = strspn((const char *)m->text.p, " \t\r\n");

	if (m->motifs.n || format == MATRIX_AUTO || n == m->text.n ||
	    matrix_describe(m->text.p, m->text.n) == format)
		return 0;
	return err_set(e, ERR_FORMAT, "%s: holds no matrix of the format that "
		       "--matrix says", m->file);
}

int
matrix_new(struct matrix **out, struct source *s, enum matrix_format format,
	   struct err *e)
{
	enum matrix_format asked = format;
	struct matrix *m = calloc(1, sizeof *m);
	int rc;

	if (!m)
		return err_nomem(e, sizeof *m);
	m->file = source_name(s);
	rc = slurp(m, s, e);
	if (rc == 0 && format == MATRIX_AUTO)
		format = matrix_describe((const uint8_t *)m->p, m->text.n);
	if (rc == 0)
		rc = format == MATRIX_MEME ? matrix_parse_meme(m, e) :
		     format == MATRIX_TRANSFAC ? matrix_parse_transfac(m, e) :
						 matrix_parse_free(m, e);
	rc = rc ? rc : check_any(m, asked, e);
	if (rc != 0) {
		matrix_free(m);
		return rc;
	}
	*out = m;
	return 0;
}

int
matrix_next(struct matrix *m, struct fasta_piece *p, struct err *e)
{
	const struct motif *t = (const void *)m->motifs.p;

	(void)e;
	if (m->next == m->motifs.n / sizeof *t)
		return FASTA_EOF;
	t += m->next;
	if (!m->due) {
		p->name = (struct str){ (char *)m->heap.p + t->name,
					t->n_name };
		p->desc = (struct str){ p->name.p + t->n_name, t->n_desc };
		m->due = true;
		return FASTA_RECORD;
	}
	m->due = false;
	m->next++;
	p->letters = m->cells.p + t->cell * sizeof(float);
	p->n = t->n;
	return FASTA_LETTERS;
}

void
matrix_free(struct matrix *m)
{
	if (!m)
		return;
	buf_free(&m->text);
	buf_free(&m->heap);
	buf_free(&m->cells);
	buf_free(&m->motifs);
	buf_free(&m->num);
	buf_free(&m->rows);
	free(m);
}
