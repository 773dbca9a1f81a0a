/* SPDX-License-Identifier: MIT */
/* query.c - the query side: patterns, queries, targets (-q, -e) */

#include <stdlib.h>

#include "base/base.h"
#include "input/input.h"

/* Places in the heap; it moves while it grows. */
struct span {
	size_t at, n;
};

struct entry {
	struct span name, desc, letters;
	const char *where;
	uint32_t line;
	bool prob;
};

struct load {
	struct buf *heap;
	struct entry *v;
	size_t n, cap;
	bool bytes;
	bool matrices;	/* may be among the files */
	struct query_limits most;
};

static struct span
keep(struct load *l, const void *p, size_t n)
{
	struct span s = { l->heap->n, n };

	buf_put(l->heap, p, n);
	return s;
}

static struct entry *
entry_new(struct load *l, const char *where, struct err *e)
{
	if (l->n == l->most.n) {
		err_set(e, ERR_LIMIT, "%s: more than %s", where,
			err_count(l->most.n, "query").text);
		return NULL;
	}
	if (array_room(&l->v, &l->cap, l->n + 1, sizeof *l->v, e) < 0)
		return NULL;
	memset(&l->v[l->n], 0, sizeof *l->v);
	l->v[l->n].where = where;
	return &l->v[l->n++];
}

static int
too_long(const struct load *l, const char *where, size_t number,
	 struct str name, struct err *e)
{
	int n = name.n < 99 ? (int)name.n : 99;

	return err_set(e, ERR_USAGE, "%s: query %zu%s%.*s%s has more than %s",
		       where, number, n ? " (" : "", n, n ? name.p : "",
		       n ? ")" : "",
		       err_count(l->most.letters, "letter").text);
}

static int
too_much(const struct load *l, const char *where, size_t number, struct err *e)
{
	return err_set(e, ERR_LIMIT, "%s: the queries up to number %zu take "
		       "more than %s", where, number,
		       err_count(l->most.bytes, "byte").text);
}

/* After something was put into the heap: is it, and all of it, small enough? */
static int
check_size(const struct load *l, struct err *e)
{
	const struct entry *q = &l->v[l->n - 1];

	if (l->heap->bad)
		return err_nomem(e, l->heap->n);
	if (q->letters.n / (q->prob ? 16 : 1) > l->most.letters)
		return too_long(l, q->where, l->n, (struct str){
				(const char *)l->heap->p + q->name.at,
				q->name.n }, e);
	return l->heap->n + l->n * QUERY_COST <= l->most.bytes ? 0 :
	       too_much(l, q->where, l->n, e);
}

static bool
is_blank(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/*
 * The name of letters without one is the letters; bytes that would break a
 * line or a column of text stand as %XX.
 */
static struct span
name_of(struct load *l, const uint8_t *s, size_t n)
{
	struct span name = { l->heap->n, 0 };
	size_t plain = 0;

	while (plain < n && s[plain] > ' ' && s[plain] != 0x7f)
		plain++;
	if (plain == n)		/* the letters were put there just now */
		return (struct span){ l->heap->n - n, n };
	for (size_t i = 0; i < n; i++)
		if (s[i] <= ' ' || s[i] == 0x7f)
			buf_printf(l->heap, "%%%02X", s[i]);
		else
			buf_u8(l->heap, s[i]);
	name.n = l->heap->n - name.at;
	return name;
}

static int
add_plain(struct load *l, const char *where, uint64_t line, const uint8_t *s,
	  size_t n, struct err *e)
{
	struct entry *q = entry_new(l, where, e);

	if (!q)
		return e->code;
	q->line = (uint32_t)min_u64(line, UINT32_MAX);
	q->letters = keep(l, s, n);
	q->name = name_of(l, s, n);
	return check_size(l, e);
}

static int
add_line(struct load *l, const char *where, uint64_t line, const uint8_t *s,
	 size_t n, struct err *e)
{
	if (n && s[n - 1] == '\r')
		n--;
	while (!l->bytes && n && is_blank(s[n - 1]))
		n--;
	while (!l->bytes && n && is_blank(*s)) {
		s++;
		n--;
	}
	if (n == 0)
		return 0;
	for (size_t i = 0; i < n && !l->bytes; i++)
		if (is_blank(s[i]))
			return err_set(e, ERR_FORMAT, "%s:%llu: blank inside "
				       "of a line; one query a line is wanted"
				       "%s", where, (unsigned long long)line,
				       hint_of(s, n));
	return add_plain(l, where, line, s, n, e);
}

/* Part of a line: it may end in a few blanks, which are no letters. */
static int
check_line(const struct load *l, const char *where, const struct buf *line,
	   struct err *e)
{
	if (line->bad)
		return err_nomem(e, line->n);
	if (line->n > l->most.bytes)
		return too_much(l, where, l->n + 1, e);
	return line->n <= l->most.letters + 4096 ? 0 :
	       too_long(l, where, l->n + 1, (struct str){ NULL, 0 }, e);
}

static int
load_lines(struct load *l, struct source *s, const char *where, struct err *e)
{
	struct buf line = { 0 };
	uint64_t number = 0;
	const uint8_t *p, *nl;
	size_t n, k;
	int rc;

	while (!(rc = source_peek(s, 1, &p, &n, e)) && n) {
		nl = memchr(p, '\n', n);
		k = nl ? (size_t)(nl - p) : n;
		buf_put(&line, p, k);
		source_skip(s, nl ? k + 1 : k);
		rc = check_line(l, where, &line, e);
		if (!rc && nl) {
			rc = add_line(l, where, ++number, line.p, line.n, e);
			line.n = 0;
		}
		if (rc)
			break;
	}
	if (!rc && line.n)
		rc = add_line(l, where, ++number, line.p, line.n, e);
	buf_free(&line);
	return rc;
}

/* Records in pieces, of letters or of columns of a matrix. */
struct pieces {
	int (*next)(void *from, struct fasta_piece *p, struct err *e);
	uint64_t (*line)(const void *from);	/* of the record; or NULL */
	void *from;
	size_t size;	/* bytes of a letter */
};

static int
next_letters(void *from, struct fasta_piece *p, struct err *e)
{
	return fasta_next(from, p, e);
}

static uint64_t
line_of(const void *from)
{
	return fasta_line(from);
}

static int
next_columns(void *from, struct fasta_piece *p, struct err *e)
{
	return matrix_next(from, p, e);
}

static int
load_records(struct load *l, const struct pieces *r, const char *where,
	     struct err *e)
{
	struct fasta_piece p;
	struct str title;
	struct entry *q = NULL;
	int got;

	while ((got = r->next(r->from, &p, e)) != FASTA_EOF) {
		if (got < 0)
			return got;
		if (got == FASTA_RECORD) {
			q = entry_new(l, where, e);
			if (!q)
				return e->code;
			q->prob = r->size > 1;
			if (r->line)
				q->line = (uint32_t)min_u64(r->line(r->from),
							    UINT32_MAX);
			q->name = keep(l, p.name.p, p.name.n);
			title = fasta_title(p.desc);
			q->desc = keep(l, title.p, title.n);
			q->letters = keep(l, NULL, 0);
		} else if (q) {
			buf_put(l->heap, p.letters, r->size * p.n);
			q->letters.n += r->size * p.n;
		}
		if (q && check_size(l, e))
			return e->code;
	}
	return 0;
}

static int
load_fasta(struct load *l, struct source *s, const char *where, struct err *e)
{
	struct fasta *f = NULL;
	int rc = fasta_new(&f, s, e);

	if (!rc && l->bytes)
		fasta_digits(f);
	if (!rc)
		rc = load_records(l, &(struct pieces){
				  next_letters, line_of, f, 1 }, where, e);
	fasta_free(f);
	return rc;
}

static int
load_matrices(struct load *l, struct source *s, const char *where,
	      struct err *e)
{
	struct matrix *m = NULL;
	int rc = matrix_new(&m, s, MATRIX_AUTO, e);

	if (!rc)
		rc = load_records(l, &(struct pieces){
				  next_columns, NULL, m, 16 }, where, e);
	matrix_free(m);
	return rc;
}

/* FASTA and FASTQ begin with > or @, blanks aside; no plain query does. */
static int
load_file(struct load *l, const char *path, struct err *e)
{
	struct source *s;
	const uint8_t *p;
	size_t n, i, before = l->n;
	bool is_matrix;
	int rc = source_open(&s, path, 1, e);

	if (rc)
		return rc;
	rc = source_skip_mark(s, e);
	if (!rc)
		rc = source_peek(s, l->matrices ? 65536 : 4096, &p, &n, e);
	is_matrix = !rc && !l->bytes && matrix_describe(p, n) != MATRIX_NONE;
	if (is_matrix && l->matrices) {
		rc = load_matrices(l, s, path, e);
	} else if (is_matrix) {
		rc = err_set(e, ERR_FORMAT, "%s: a matrix: only ebwt-dist "
			     "reads matrices", path);
	} else if (!rc) {
		for (i = 0; i < n && is_blank(p[i]); i++)
			;
		if (rec_is(p, n))
			rc = err_set(e, ERR_FORMAT, "%s: a record stream, "
				     "where queries are expected", path);
		else if (i < n && (p[i] == '>' || p[i] == '@'))
			rc = load_fasta(l, s, path, e);
		else if (!l->bytes && memchr(p, 0, n))
			rc = err_set(e, ERR_FORMAT, "%s: neither FASTA nor "
				     "FASTQ nor letters%s", path,
				     hint_of(p, n));
		else
			rc = load_lines(l, s, path, e);
	}
	source_close(s);
	if (!rc && l->n == before)
		rc = err_set(e, ERR_USAGE, "%s: holds no query", path);
	return rc;
}

/* The name of the first file, terminated. */
static struct span
base_of(struct load *l, const struct opt_list *items)
{
	struct str base = { "-e", 2 };
	struct span s;

	for (size_t i = items->n; i-- > 0;)
		if (items->v[i].letter == 'q')
			base = base_name(items->v[i].value);
	s = keep(l, base.p, base.n);
	buf_u8(l->heap, 0);
	return s;
}

static struct str
show(const struct queries *q, struct span s)
{
	struct str t = { (const char *)q->heap.p + s.at, s.n };

	return t;
}

static struct query
query_of(const struct queries *q, const struct entry *x)
{
	return (struct query){
		.name = show(q, x->name), .desc = show(q, x->desc),
		.letters = show(q, x->letters), .where = x->where,
		.prob = x->prob, .line = x->line,
	};
}

static int
no_letters(const struct queries *q, struct err *e)
{
	const struct str name = q->empty.name;

	return err_set(e, ERR_USAGE, "%s: query %zu (%.*s) has no letters",
		       q->empty.where, q->empty_at,
		       (int)(name.n < 99 ? name.n : 99), name.p);
}

static int
finish(struct queries *q, const struct load *l, struct span base,
       struct err *e)
{
	if (q->heap.bad)
		return err_nomem(e, q->heap.n);
	if (l->n == 0)
		return err_set(e, ERR_USAGE,
			       "no query: -q FILE or -e LETTERS is needed "
			       "(operands are what is searched)");
	q->v = calloc(l->n, sizeof *q->v);
	if (!q->v)
		return err_nomem(e, l->n * sizeof *q->v);
	q->base = (const char *)q->heap.p + base.at;
	for (size_t i = 0; i < l->n; i++) {
		const struct query y = query_of(q, &l->v[i]);

		if (y.letters.n) {
			q->v[q->n++] = y;
			continue;
		}
		if (q->n_empty++)
			continue;
		q->empty = y;
		q->empty_at = i + 1;
	}
	if (q->n_empty && (!l->most.skip_empty || q->n == 0))
		return no_letters(q, e);
	return 0;
}

static int
load(struct queries *q, const struct opt_list *items, struct load l,
     struct err *e)
{
	struct query_limits *m = &l.most;
	struct span base;
	int rc = 0;

	memset(q, 0, sizeof *q);
	l.heap = &q->heap;
	m->letters = m->letters ? m->letters : QUERY_LETTERS;
	m->bytes = m->bytes ? m->bytes : QUERY_BYTES;
	m->n = m->n ? m->n : QUERY_NUMBER;
	base = base_of(&l, items);
	for (size_t i = 0; i < items->n && !rc; i++) {
		const struct opt_item *it = &items->v[i];

		if (it->letter == 'q')
			rc = load_file(&l, it->value, e);
		else
			rc = add_plain(&l, "-e", 0,
				       (const uint8_t *)it->value,
				       strlen(it->value), e);
	}
	if (!rc)
		rc = finish(q, &l, base, e);
	free(l.v);
	if (rc)
		queries_free(q);
	return rc;
}

int
queries_load(struct queries *q, const struct opt_list *items, bool bytes,
	     struct err *e)
{
	return load(q, items, (struct load){ .bytes = bytes }, e);
}

int
queries_load_within(struct queries *q, const struct opt_list *items,
		    bool bytes, const struct query_limits *most, struct err *e)
{
	return load(q, items, (struct load){ .bytes = bytes, .most = *most },
		    e);
}

int
queries_load_weighted(struct queries *q, const struct opt_list *items,
		      int64_t memory, struct err *e)
{
	const int64_t most = INT64_C(1) << 34;
	struct load l = { .matrices = true };

	l.most.letters = UINT64_C(1) << 32;
	l.most.bytes = (uint64_t)(memory && memory < most ? memory : most);
	return load(q, items, l, e);
}

void
queries_free(struct queries *q)
{
	free(q->v);
	buf_free(&q->heap);
	memset(q, 0, sizeof *q);
}

int
query_blame(const struct query *q, const char *what, struct err *e)
{
	int n = q->name.n < 99 ? (int)q->name.n : 99;

	return q->line ? err_at(e, "%s:%lu: %s %.*s", q->where,
				(unsigned long)q->line, what, n, q->name.p) :
			 err_at(e, "%s: %s %.*s", q->where, what, n,
				q->name.p);
}

uint64_t
queries_hash(const struct queries *q)
{
	uint64_t h = hash64("", 0, q->n);

	/* Seeded by lengths too, so that no two lists run together alike. */
	for (size_t i = 0; i < q->n; i++) {
		h = hash64(q->v[i].name.p, q->v[i].name.n, h);
		h = hash64(q->v[i].letters.p, q->v[i].letters.n, h);
	}
	return h;
}

void
queries_text(const struct queries *q, struct buf *b)
{
	enum { MOST = 1 << 20 };	/* every part of a job repeats them */
	size_t n = 0;

	for (size_t i = 0; i < q->n; i++) {
		const struct str s = q->v[i].letters;

		if (!s.n || s.n > MOST - n)
			return;
		for (size_t k = 0; k < s.n; k++)
			if (s.p[k] <= ' ' || s.p[k] > '~')
				return;
		n += s.n;
	}
	buf_printf(b, "query-letters");
	for (size_t i = 0; i < q->n; i++) {
		buf_u8(b, ' ');
		buf_put(b, q->v[i].letters.p, q->v[i].letters.n);
	}
	buf_u8(b, '\n');
}

const struct query *
queries_twice(const struct queries *q)
{
	const struct query *found = NULL;
	struct index seen = { 0 };

	for (size_t i = 0; i < q->n && !found; i++) {
		const struct str s = q->v[i].name;
		uint64_t hash = hash64(s.p, s.n, 0);

		if (index_number(&seen, hash, 0))
			found = &q->v[i];
		else
			index_set_number(&seen, hash, 0, i + 1);
	}
	index_free(&seen);
	return found;
}

bool
queries_are_dna(const struct queries *q)
{
	enum { ENOUGH = 12 };	/* a peptide like it is rare */
	size_t n = 0;

	for (size_t i = 0; i < q->n; i++) {
		const struct str s = q->v[i].letters;

		if (q->v[i].prob)
			return false;
		for (size_t k = 0; k < s.n; k++)
			if (!s.p[k] || !strchr("ACGTUNacgtun", s.p[k]))
				return false;
		n += s.n;
	}
	return n >= ENOUGH;
}
