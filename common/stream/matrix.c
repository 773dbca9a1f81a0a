/* SPDX-License-Identifier: MIT */
/* matrix.c - matrices as records: lines, rows, checks */
#include "stream/matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "stream/matrix_in.h"

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

bool
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

bool
matrix_word(struct str *s, struct str *w)
{
	while (s->n && is_gap(*s->p))
		s->p++, s->n--;
	for (w->p = s->p; s->n && !is_gap(*s->p); s->n--)
		s->p++;
	w->n = (size_t)(s->p - w->p);
	return w->n > 0;
}

bool
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

bool
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

bool
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

int
matrix_bad(const struct matrix *m, const char *what, struct err *e)
{
	int n = m->name.n > 200 ? 200 : (int)m->name.n;

	return err_set(e, ERR_FORMAT, "%s:%llu: %.*s: %s", m->file,
		       (unsigned long long)m->line, n ? n : 6,
		       n ? m->name.p : "matrix", what);
}

void
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

int
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

int
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

int
matrix_new(struct matrix **out, struct source *s, enum matrix_format format,
	   struct err *e)
{
	struct matrix *m = calloc(1, sizeof *m);
	int rc;

	if (!m)
		return err_nomem(e, sizeof *m);
	m->file = source_name(s);
	rc = slurp(m, s, e);
	if (rc == 0 && format == MATRIX_AUTO)
		format = matrix_tell((const uint8_t *)m->p, m->text.n);
	if (rc == 0)
		rc = format == MATRIX_MEME ? matrix_parse_meme(m, e) :
		     format == MATRIX_TRANSFAC ? matrix_parse_transfac(m, e) :
						 matrix_parse_free(m, e);
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
