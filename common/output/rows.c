/* SPDX-License-Identifier: MIT */
/*
 * rows.c - rows on their way to text: printed by the threads that find them,
 * with columns that are asked for; lengths they wait for; primers and distances
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "output/output.h"
#include "output/picture.h"

/* Rows that are printed but for a length. */

enum { EARLY_MEMORY = 1 << 15 };

/* Before a piece's rows: it, their subject's name, their text; then for each
 * struct row_text. */
struct piece {
	uint64_t run, ordinal, send, rows, name, bytes;
};

void
early_free(struct early_last *last)
{
	buf_free(&last->text);
	buf_free(&last->rows);
}

int
early_push(struct early_last *last, struct queue *q, struct err *e)
{
	struct buf *b = &last->text, *rows = &last->rows;
	struct piece x;
	int r;

	if (b->bad || rows->bad)
		return err_nomem(e, b->n);
	if (!b->n)
		return 0;
	memcpy(&x, b->p, sizeof x);
	x.bytes = b->n - sizeof x - x.name;
	x.rows = rows->n / sizeof(struct row_text);
	memcpy(b->p, &x, sizeof x);
	r = queue_push_two(q, b->p, b->n, rows->p, rows->n, e);
	b->n = rows->n = 0;
	return r;
}

/* Rows before these may be of another subject: they go first. */
static int
begin_rows(struct early_last *last, struct queue *q, uint64_t run,
	   const struct subject_ref *s, uint64_t send, struct err *e)
{
	struct buf *b = &last->text;
	struct piece x;
	int r = 0;

	if (b->n) {
		memcpy(&x, b->p, sizeof x);
		if (x.run != run || x.ordinal != s->ordinal ||
		    b->n >= EARLY_MEMORY)
			r = early_push(last, q, e);
	}
	if (r < 0)
		return r;
	if (!b->n) {
		x = (struct piece){ .run = run, .ordinal = s->ordinal,
				    .name = s->name.n };
		buf_zero(b, sizeof x);
		buf_put(b, s->name.p, s->name.n);
	}
	if (b->bad)
		return err_nomem(e, b->n);
	x.send = max_u64(x.send, send);
	memcpy(b->p, &x, sizeof x);
	return 0;
}

int
early_put(struct early_last *last, struct queue *q, uint64_t run,
	  const struct subject_ref *s, uint64_t send,
	  const struct rows_run *rows, struct err *e)
{
	const uint8_t *text = rows->text;
	int r = 0;

	for (uint64_t i = 0; i < rows->n && !r;) {
		size_t n = 0;

		r = begin_rows(last, q, run, s, send, e);
		while (i < rows->n && n < EARLY_MEMORY) {
			struct row_text row = rows_at(rows, i++);

			buf_put(&last->rows, &row, sizeof row);
			n += row.n;
		}
		buf_put(&last->text, text, n);
		text += n;
	}
	return r ? r : last->text.bad || last->rows.bad ?
	       err_nomem(e, last->text.n) : 0;
}

int
early_first(struct queue *q, struct rows_early *x, struct err *e)
{
	const uint8_t *p;
	struct piece piece;
	size_t n;
	int r = queue_first(q, &p, &n, e);

	if (r <= 0)
		return r;
	if (n < sizeof piece)
		return err_set(e, ERR_IO, "a held row is damaged");
	memcpy(&piece, p, sizeof piece);
	p += sizeof piece;
	*x = (struct rows_early){
		piece.run, piece.ordinal, piece.send,
		{ (const char *)p, piece.name },
		{ p + piece.name, p + piece.name + piece.bytes,
		  sizeof(struct row_text), piece.rows },
	};
	return 1;
}

/*
 * A subject's rows are struct rows_part, its name, the text of all of them, and
 * for each a head: what it is put in order by, and where it is.
 */
struct head {
	uint64_t send, sbeg;
	uint32_t who;	/* the query, and below it 1 for the minus strand */
	uint32_t qlen;
	struct row_text row;
};

/* By the threads that find them. */

void
rows_begin(struct rows_text *t, const struct rows_print *how, struct buf *to)
{
	t->env = how->env;
	t->env.hole = &t->hole;
	t->family = how->family;
	t->to = to;
	t->last.rows = 0;
}

int
rows_end(struct rows_text *t, struct err *e)
{
	struct buf *b = t->to;

	if (!t->last.rows)
		return 0;
	t->last.bytes = b->n - t->at - sizeof t->last - t->last.name;
	buf_put(b, t->heads.p, t->heads.n);
	if (b->bad || t->heads.bad)
		return err_nomem(e, b->n + t->heads.n);
	memcpy(b->p + t->at, &t->last, sizeof t->last);
	t->last.rows = 0;
	return 0;
}

void
rows_text_free(struct rows_text *t)
{
	buf_free(&t->heads);
}

static int
begin_subject(struct rows_text *t, const struct subject_ref *s, struct err *e)
{
	int rc = rows_end(t, e);

	t->at = t->to->n;
	t->heads.n = 0;
	t->last = (struct rows_part){ s->ordinal, s->len, 0, 0, s->name.n, 0 };
	buf_zero(t->to, sizeof t->last);
	buf_put(t->to, s->name.p, s->name.n);
	return rc;
}

int
rows_add(struct rows_text *t, const struct hit *h, struct err *e)
{
	struct buf *b = t->to;
	struct head *head;
	size_t at;

	if ((!t->last.rows || t->last.ordinal != h->subject.ordinal) &&
	    begin_subject(t, &h->subject, e))
		return e->code;
	at = t->hole = b->n;
	t->family->hit(b, &t->env, h);
	if (b->bad || !buf_reserve(&t->heads, sizeof *head))
		return err_nomem(e, b->n);
	if (b->n == at)
		return err_set(e, ERR_USAGE, "a site of no guide and PAM");
	if (b->n - at > UINT32_MAX)
		return err_set(e, ERR_LIMIT, "a row of more than %u bytes",
			       UINT32_MAX);
	/* in place: what is copied at once waits for its stores */
	head = (struct head *)(void *)(t->heads.p + t->heads.n);
	head->send = h->send;
	head->sbeg = h->sbeg;
	head->who = (uint32_t)h->query.ordinal << 1 |
		    (h->flags & HIT_MINUS ? 1 : 0);
	head->qlen = (uint32_t)h->query.len;
	head->row.hole = (uint32_t)(t->hole - at);
	head->row.n = (uint32_t)(b->n - at);
	t->heads.n += sizeof *head;
	t->last.send = max_u64(t->last.send, h->send);
	t->last.rows++;
	return 0;
}

/* In the order of the input. */

static void
held_free(struct rows_held *h)
{
	buf_free(&h->text);
	buf_free(&h->heads);
}

void
rows_free(struct rows_order *o)
{
	buf_free(&o->name);
	held_free(&o->held);
	held_free(&o->next);
}

/* Rows one behind the other. */
struct list {
	const uint8_t *text, *heads;
	uint64_t left;
	struct head h;		/* of the first */
};

static void
look(struct list *l)
{
	if (l->left)
		memcpy(&l->h, l->heads, sizeof l->h);
}

static void
step(struct list *l)
{
	l->text += l->h.row.n;
	l->heads += sizeof l->h;
	l->left--;
	look(l);
}

static bool
begins_before(const struct head *a, const struct head *b)
{
	if (a->sbeg != b->sbeg)
		return a->sbeg < b->sbeg;
	if (a->send != b->send)
		return a->send < b->send;
	if (a->who >> 1 != b->who >> 1)
		return a->who < b->who;
	return a->qlen != b->qlen ? a->qlen < b->qlen : a->who < b->who;
}

static bool
ends_before(const struct head *a, const struct head *b)
{
	if (a->send != b->send)
		return a->send < b->send;
	if (a->who != b->who)
		return a->who < b->who;
	return a->sbeg != b->sbeg ? a->sbeg < b->sbeg : a->qlen < b->qlen;
}

/* The first n of a list; none ends behind `send`. */
static int
put(struct rows_order *o, const struct list *l, uint64_t n, uint64_t send,
    struct printer *to, struct err *e)
{
	struct rows_run run = { l->text, NULL, sizeof(struct head), n };

	if (n == 0)
		return 0;
	run.row = l->heads + offsetof(struct head, row);
	o->n += n;
	return printer_text(to, o->run, &o->subject, send, &run, e);
}

static void
keep(struct rows_order *o, const struct list *l)
{
	buf_put(&o->next.heads, &l->h, sizeof l->h);
	buf_put(&o->next.text, l->text, l->h.row.n);
	o->next.n++;
}

static bool
is_due(const struct rows_order *o, const struct head *h, uint64_t limit)
{
	return (o->by_begin ? h->sbeg : h->send) < limit;
}

/* Of a list, which is in order, all that are before `limit`. */
static int
put_due(struct rows_order *o, struct list *l, uint64_t limit,
	struct printer *to, struct err *e)
{
	uint64_t n = l->left;
	int rc;

	for (; n; n--) {
		struct head h;

		memcpy(&h, l->heads + (n - 1) * sizeof h, sizeof h);
		if (is_due(o, &h, limit))
			break;
	}
	rc = put(o, l, n, o->end, to, e);
	for (; n; n--)
		step(l);
	for (; l->left; step(l))
		keep(o, l);
	return rc;
}

/* Those that wait and `more` of the same subject, which end (begin) before
 * `limit`; the others wait. */
static int
merge(struct rows_order *o, struct list *more, uint64_t limit,
      struct printer *to, struct err *e)
{
	bool (*before)(const struct head *, const struct head *) =
	    o->by_begin ? begins_before : ends_before;
	struct list held = { o->held.text.p, o->held.heads.p, o->held.n,
			     { .send = 0 } };
	struct rows_held b = o->held;
	int rc = 0;

	look(&held);
	while (held.left && !rc) {
		struct list *l = more->left && before(&more->h, &held.h) ?
		    more : &held;

		if (is_due(o, &l->h, limit))
			rc = put(o, l, 1, l->h.send, to, e);
		else
			keep(o, l);
		step(l);
	}
	if (!rc)
		rc = put_due(o, more, limit, to, e);
	o->held = o->next;
	o->next = b;
	o->next.text.n = o->next.heads.n = o->next.n = 0;
	return rc || (!o->held.text.bad && !o->held.heads.bad) ? rc :
	       err_nomem(e, o->held.text.n);
}

int
rows_finish(struct rows_order *o, struct printer *to, struct err *e)
{
	struct list none = { .left = 0 };

	return merge(o, &none, UINT64_MAX, to, e);
}

/* The rows of a subject at *p, which moves behind them. */
static int
take_part(struct rows_order *o, uint64_t run, const uint8_t **p,
	  struct printer *to, struct err *e)
{
	struct list l = { .left = 0 };
	struct rows_part x;
	uint64_t limit = UINT64_MAX;
	int rc = 0;

	memcpy(&x, *p, sizeof x);
	*p += sizeof x;
	if (run != o->run || x.ordinal != o->subject.ordinal) {
		rc = rows_finish(o, to, e);
		o->end = 0;
	}
	o->run = run;
	o->name.n = 0;
	buf_put(&o->name, *p, x.name);
	o->subject = (struct subject_ref){ x.ordinal, x.len,
		{ (const char *)o->name.p, x.name } };
	if (o->name.bad)
		return err_nomem(e, x.name);
	o->end = max_u64(o->end, x.send);
	if (o->slack)
		limit = o->end < o->slack ? 0 : o->end - o->slack;
	l.text = *p + x.name;
	l.heads = l.text + x.bytes;
	l.left = x.rows;
	*p = l.heads + x.rows * sizeof l.h;
	look(&l);
	return rc ? rc : merge(o, &l, limit, to, e);
}

int
rows_take(struct rows_order *o, uint64_t run, const struct buf *rows,
	  struct printer *to, struct err *e)
{
	const uint8_t *p = rows->p;
	int rc = 0;

	while ((size_t)(p - rows->p) < rows->n && !rc)
		rc = take_part(o, run, &p, to, e);
	return rc;
}

/*
 * The columns of tsv: which are wanted, and how they stand on a
 * terminal
 */

/* What is before the first of the two bytes, and *s behind it. */
static struct str
take_field(struct str *s, char between)
{
	const char *p = memchr(s->p, between, s->n);
	struct str f = { s->p, p ? (size_t)(p - s->p) : s->n };
	size_t n = f.n + (p != NULL);

	s->p += n;
	s->n -= n;
	return f;
}

int
columns_read(struct columns *c, const char *text, struct err *e)
{
	struct str rest = { text, strlen(text) };
	bool more = true;

	memset(c, 0, sizeof *c);
	while (more) {
		const char *end = rest.p + rest.n;
		struct str f = take_field(&rest, ',');

		more = f.p + f.n < end;
		if (!f.n)
			return err_set(e, ERR_USAGE, "--columns '%.200s': a "
				       "name is empty", text);
		if (c->n == COLUMNS_MAX)
			return err_set(e, ERR_USAGE, "--columns: more than %d "
				       "names", COLUMNS_MAX);
		c->name[c->n++] = f;
	}
	return 0;
}

/* Is it among the names? */
static bool
columns_have(const char *text, const char *name)
{
	struct str rest, want = { name, strlen(name) };

	if (!text)
		return false;
	rest = (struct str){ text, strlen(text) };
	while (rest.n)
		if (str_is(take_field(&rest, ','), want))
			return true;
	return false;
}

/* Place of the name in a line of names; or -1. */
static long
place_of(struct str name, struct str head)
{
	for (long i = 0; head.n; i++)
		if (str_is(take_field(&head, '\t'), name))
			return i;
	return -1;
}

/* A table's line of names without # and the line's end. */
static struct str
bare(struct str head)
{
	if (head.n && *head.p == '#')
		head = (struct str){ head.p + 1, head.n - 1 };
	if (head.n && head.p[head.n - 1] == '\n')
		head.n--;
	return head;
}

/* The names of such a line, with commas, behind what is in b. */
static void
columns_names(struct buf *b, struct str head)
{
	head = bare(head);
	for (size_t i = 0; i < head.n; i++) {
		if (head.p[i] == '\t')
			buf_u8(b, ',');
		buf_u8(b, head.p[i] == '\t' ? ' ' : (uint8_t)head.p[i]);
	}
}

static int
refuse(struct str name, struct str head, struct err *e)
{
	struct buf b = { 0 };
	int rc;

	columns_names(&b, head);
	rc = b.bad ? err_nomem(e, head.n) :
	     err_set(e, ERR_USAGE, "--columns: there is no column %.*s: the "
		     "names are %.*s", (int)min_u64(name.n, 40), name.p,
		     (int)b.n, (const char *)b.p);
	buf_free(&b);
	return rc;
}

int
columns_of(struct columns *c, struct str head, struct err *e)
{
	head = bare(head);
	c->n_all = 1;
	for (size_t i = 0; i < head.n; i++)
		c->n_all += head.p[i] == '\t';
	for (size_t i = 0; i < c->n; i++) {
		long at = place_of(c->name[i], head);

		if (at < 0)
			return refuse(c->name[i], head, e);
		c->at[i] = (size_t)at;
	}
	return 0;
}

void
columns_pick(const struct columns *c, struct buf *b, size_t at, bool names)
{
	size_t beg[COLUMNS_MAX] = { 0 }, len[COLUMNS_MAX] = { 0 };
	size_t n = b->n, room = 2;
	struct str row;

	if (b->bad || n == at)
		return;
	at += names;	/* the # stays */
	row = (struct str){ (const char *)b->p + at, n - at - 1 };
	for (size_t i = 0; i < c->n_all && i < COLUMNS_MAX; i++) {
		struct str f = take_field(&row, '\t');

		beg[i] = (size_t)((const uint8_t *)f.p - b->p);
		len[i] = f.n;
	}
	for (size_t i = 0; i < c->n; i++)
		room += len[c->at[i]] + 1;
	if (!buf_reserve(b, room))
		return;
	for (size_t i = 0; i < c->n; i++) {
		buf_put(b, b->p + beg[c->at[i]], len[c->at[i]]);
		buf_u8(b, i + 1 < c->n ? '\t' : '\n');
	}
	memmove(b->p + at, b->p + n, b->n - n);
	b->n -= n - at;
}

/* What rows of the table are called. */
static const char *
table_word(unsigned table)
{
	switch (table) {
	case TABLE_COUNTS: return "counts";
	case TABLE_PRIMERS: return "primers";
	case TABLE_DISTS: return "distances";
	case TABLE_WEIGHTED: return "weighted distances";
	case TABLE_PRODUCTS: return "products";
	case TABLE_CHECKS: return "checks";
	default: return "hits";
	}
}

/* The names of other tables, behind those of the first one, which e names. */
static int
more_names(const struct buf *more, struct err *e)
{
	struct err first = *e;

	return more->bad ? err_nomem(e, more->n) :
	       err_set(e, first.code, "%s%.*s", first.text, (int)more->n,
		       more->n ? (const char *)more->p : "");
}

/* Are they names of this table?  If not, and it is not the first one that was
 * asked, its names come behind more. */
static int
check_table(struct columns *c, const struct print_env *env, unsigned table,
	    bool first, struct buf *more, struct err *e)
{
	struct buf b = { 0 };
	struct err other;
	struct str head;
	int rc;

	print_tsv.head(&b, env, table);
	head = (struct str){ (const char *)b.p, b.n };
	rc = b.bad ? err_nomem(e, b.n) : columns_of(c, head,
						    first ? e : &other);
	if (rc == ERR_USAGE && !first) {
		buf_printf(more, "; of %s: ", table_word(table));
		columns_names(more, head);
	}
	buf_free(&b);
	return rc;
}

/* Which table comes may not be known yet: the names of all are printed. */
static int
check_names(const struct printer_params *pp, unsigned tables, struct err *e)
{
	struct print_env env = { .pp = pp };
	struct columns c;
	struct buf more = { 0 };
	bool first = true;
	int rc = columns_read(&c, pp->columns, e);

	if (rc)
		return rc;
	for (unsigned t = 1; t <= TABLE_CHECKS; t *= 2) {
		if (!(tables & (t == TABLE_WEIGHTED ? TABLE_DISTS : t)))
			continue;
		rc = check_table(&c, &env, t, first, &more, e);
		first = false;
		if (rc != ERR_USAGE)
			break;
	}
	if (rc == ERR_USAGE)
		rc = more_names(&more, e);
	buf_free(&more);
	return rc;
}

int
printer_check(const struct printer_params *pp, unsigned tables, struct err *e)
{
	struct printer_params with = *pp;

	if (pp->array && pp->format != FORMAT_JSON)
		return err_set(e, ERR_USAGE, "--json: only with -O json, not "
			       "with %s", format_word(pp->format));
	if (!pp->columns)
		return 0;
	if (pp->format != FORMAT_TSV)
		return err_set(e, ERR_USAGE, "--columns: only with -O tsv, "
			       "not with %s", format_word(pp->format));
	with.header = true;
	return check_names(&with, tables, e);
}

bool
printer_has_column(const char *columns, const char *name)
{
	return columns_have(columns, name);
}

/* What is longer, a CIGAR say, does not make its column wider. */
enum { WIDEST = 40, BETWEEN = 2 };

static size_t
letters(const char *s, size_t n)
{
	const uint8_t *p = (const uint8_t *)s;
	size_t count = 0;

	for (size_t i = 0; i < n; count++) {
		unsigned len = utf8_letter(p + i, n - i);

		i += len ? len : 1;
	}
	return count;
}

/* The cell at s, up to the tab, the end of the line, or of the text. */
static size_t
cell(const char *s, const char *end)
{
	const char *p = s;

	while (p < end && *p != '\t' && *p != '\n')
		p++;
	return (size_t)(p - s);
}

static void
measure(struct align *a, struct str lines)
{
	const char *p = lines.p, *end = p + lines.n;

	for (unsigned c = 0; p < end; p++) {
		size_t n = cell(p, end), wide = letters(p, n);

		if (c < ALIGN_COLUMNS && wide <= WIDEST && wide > a->width[c])
			a->width[c] = wide;
		p += n;
		c = p < end && *p == '\t' ? c + 1 : 0;
	}
}

void
align_lines(struct align *a, struct str lines)
{
	const char *p = lines.p, *end = p + lines.n;

	measure(a, lines);
	a->text.n = 0;
	for (unsigned c = 0; p < end; p++) {
		size_t n = cell(p, end), wide = letters(p, n);

		buf_put(&a->text, p, n);
		p += n;
		if (p == end)
			break;
		if (*p == '\n') {
			buf_u8(&a->text, '\n');
			c = 0;
			continue;
		}
		for (; c < ALIGN_COLUMNS && wide < a->width[c]; wide++)
			buf_u8(&a->text, ' ');
		for (unsigned i = 0; i < BETWEEN; i++)
			buf_u8(&a->text, ' ');
		c++;
	}
}

void
align_free(struct align *a)
{
	buf_free(&a->text);
}

/* What PRIMER and DIST frames of a stream add up to. */

int
tables_new(struct tables *t, struct err *e)
{
	int r = primers_new(&t->primers, false, e);

	return r == 0 ? dists_new(&t->dists, e) : r;
}

void
tables_free(struct tables *t)
{
	primers_free(t->primers);
	dists_free(t->dists);
}

bool
tables_any(const struct tables *t)
{
	return primers_any(t->primers) || dists_any(t->dists);
}

static int
add_primer(struct tables *t, const struct rec_frame *f, struct err *e)
{
	struct primer_part p;
	int r = primer_view(&p, f, e);

	if (r < 0)
		return r;
	r = primers_add(t->primers, &p, e);
	primer_free(&p);
	return r;
}

int
tables_frame(struct tables *t, const struct rec_frame *f, struct err *e)
{
	struct dist d;
	int r;

	if (f->type == REC_PRIMER)
		return add_primer(t, f, e);
	r = dist_view(&d, f, e);
	if (r < 0)
		return r;
	if (t->rename)
		t->rename(t->rename_ctx, &d);
	r = dists_add(t->dists, &d, e);
	dist_free(&d);
	return r;
}

/* The nearest of a part would not be the nearest. */
static int
find_sites(struct tables *t, struct err *e)
{
	bool whole;
	int r = ledger_whole(t->ledger, &whole, e);

	if (r < 0)
		return r;
	return whole ? t->sites(t->sites_ctx, t->primers, e) :
		       err_set(e, ERR_INCOMPLETE, "--site: not all of the "
			       "background is there");
}

int
tables_finish(struct tables *t, struct printer *to, enum format format,
	      struct err *e)
{
	struct dists_params near = { .n = t->nearest,
				     .progress = t->progress };
	int r = primers_finish(t->primers, e);

	if (r == 0)
		r = dists_finish(t->dists, &near, e);
	if (r == 0 && t->sites)
		r = find_sites(t, e);
	if (r == 0 && t->take) {
		r = primers_check(t->primers, e);
		return r ? r : t->take(t->take_ctx, t->primers, e);
	}
	if (r == 0)
		r = tables_print(t->primers, t->dists, to, format, e);
	return r == 0 ? primers_check(t->primers, e) : r;
}
