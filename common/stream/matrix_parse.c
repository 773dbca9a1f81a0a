/* SPDX-License-Identifier: MIT */
/* matrix_parse.c - the formats that matrices are written in */
#include "stream/matrix_in.h"

#include <stdlib.h>

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
tell_transfac(struct matrix m)
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
matrix_tell(const uint8_t *p, size_t n)
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
		if (!names && is_key(s) && tell_transfac(m) != MATRIX_NONE)
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
int
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

int
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

int
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
