/* SPDX-License-Identifier: MIT */
/* sw_matrix_file.c - a matrix of scores in NCBI's format */
#include <stdlib.h>

#include "scan/sw_scoring_priv.h"
#include "stream/source.h"

enum { MAX_TEXT = 1 << 20 };

struct reading {
	struct sw_matrix *m;
	const char *path;
	unsigned long long line;
	bool seen[SW_LETTERS];	/* rows */
	struct str rest;	/* of the line */
};

static int
bad(const struct reading *r, struct err *e, const char *what, struct str word)
{
	int n = word.n > 40 ? 40 : (int)word.n;

	return err_set(e, ERR_FORMAT, "%s:%llu: %s%s%.*s", r->path, r->line,
		       what, n ? ": " : "", n, n ? word.p : "");
}

static bool
next_word(struct reading *r, struct str *w)
{
	struct str *s = &r->rest;

	while (s->n && (uint8_t)*s->p <= ' ')
		s->p++, s->n--;
	for (w->p = s->p; s->n && (uint8_t)*s->p > ' '; s->n--)
		s->p++;
	w->n = (size_t)(s->p - w->p);
	return w->n > 0;
}

static size_t
place(const struct sw_matrix *m, uint8_t symbol)
{
	size_t i = 0;

	while (i < m->n && m->symbol[i] != symbol)
		i++;
	return i;
}

static int
header(struct reading *r, struct err *e)
{
	struct sw_matrix *m = r->m;
	struct str w;

	while (next_word(r, &w)) {
		uint8_t c = (uint8_t)*w.p;

		if (w.n != 1 || c > '~')
			return bad(r, e, "one printable character expected as "
				   "the symbol of a column", w);
		if (place(m, c) < m->n)
			return bad(r, e, "two columns of one symbol", w);
		if (m->n == SW_LETTERS)
			return bad(r, e, "more than 64 symbols", w);
		m->symbol[m->n++] = c;
	}
	return 0;
}

/* A whole number of at most SW_MAX_SCORE, with or without sign. */
static bool
number(struct str w, int32_t *v)
{
	bool minus = *w.p == '-';
	int32_t sum = 0;

	if (minus || *w.p == '+')
		w.p++, w.n--;
	if (!w.n)
		return false;
	for (; w.n; w.p++, w.n--) {
		if (*w.p < '0' || *w.p > '9')
			return false;
		sum = sum * 10 + (*w.p - '0');
		if (sum > SW_MAX_SCORE)
			return false;
	}
	*v = minus ? -sum : sum;
	return true;
}

static int
row(struct reading *r, struct err *e)
{
	struct sw_matrix *m = r->m;
	struct str w, symbol;
	size_t i, j = 0;

	next_word(r, &symbol);
	i = symbol.n == 1 ? place(m, (uint8_t)*symbol.p) : m->n;
	if (i == m->n)
		return bad(r, e, "a row that is no column", symbol);
	if (r->seen[i])
		return bad(r, e, "two rows of one symbol", symbol);
	r->seen[i] = true;
	for (; next_word(r, &w); j++) {
		if (j == m->n)
			return bad(r, e, "more scores than columns in row",
				   symbol);
		if (!number(w, &m->score[i][j]))
			return bad(r, e, "no whole number of at most 1000000",
				   w);
	}
	if (j < m->n)
		return bad(r, e, "fewer scores than columns in row", symbol);
	return 0;
}

static int
check(const struct reading *r, struct err *e)
{
	const struct sw_matrix *m = r->m;
	bool positive = false;

	if (!m->n)
		return err_set(e, ERR_FORMAT, "%s: no matrix: it is empty",
			       r->path);
	for (size_t i = 0; i < m->n; i++) {
		if (!r->seen[i])
			return err_set(e, ERR_FORMAT, "%s: no row %c", r->path,
				       m->symbol[i]);
		for (size_t j = 0; j < m->n; j++)
			positive |= m->score[i][j] > 0;
	}
	if (!positive)
		return err_set(e, ERR_FORMAT, "%s: no score is above 0: "
			       "nothing can align", r->path);
	return 0;
}

static int
parse(struct reading *r, const struct buf *text, struct err *e)
{
	const char *p = (const char *)text->p, *end = p + text->n;
	int rc = 0;

	while (rc == 0 && p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		struct str w;

		if (!nl)
			nl = end;
		r->line++;
		r->rest = (struct str){ p, (size_t)(nl - p) };
		p = nl < end ? nl + 1 : end;
		if (memchr(r->rest.p, '#', r->rest.n))
			r->rest.n = (size_t)((const char *)memchr(r->rest.p,
			    '#', r->rest.n) - r->rest.p);
		w = r->rest;
		if (!next_word(r, &(struct str){ 0 }))
			continue;
		r->rest = w;
		rc = r->m->n ? row(r, e) : header(r, e);
	}
	return rc ? rc : check(r, e);
}

static int
slurp(struct buf *text, struct source *s, struct err *e)
{
	size_t got;
	int rc;

	do {
		if (!buf_reserve(text, 1 << 16))
			return err_nomem(e, text->n + (1 << 16));
		rc = source_read(s, text->p + text->n, 1 << 16, &got, e);
		if (rc != 0)
			return rc;
		text->n += got;
		if (text->n > MAX_TEXT)
			return err_set(e, ERR_FORMAT, "%s: no matrix: more "
				       "than %d bytes", source_name(s),
				       MAX_TEXT);
	} while (got);
	return 0;
}

int
sw_matrix_read(struct sw_matrix *m, const char *path, struct err *e)
{
	struct reading r = { .m = m, .path = path };
	struct buf text = { 0 };
	struct source *s;
	int rc;

	memset(m, 0, sizeof *m);
	rc = source_open(&s, path, 1, e);
	if (rc != 0)
		return rc;
	rc = slurp(&text, s, e);
	if (rc == 0)
		rc = parse(&r, &text, e);
	source_close(s);
	buf_free(&text);
	return rc;
}
