/* SPDX-License-Identifier: MIT */
/* rows.c - rows that are printed by the threads that find them */

#include "output/print.h"

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
early_add(struct early_last *last, struct queue *q,
	  const struct print_family *f, struct print_env *env, uint64_t run,
	  const struct hit *h, struct err *e)
{
	struct buf *b = &last->text;
	/* one over the origin knows its length */
	int r = begin_rows(last, q, run, &h->subject,
			   hit_over_origin(h) ? 0 : h->send, e);
	struct row_text row;
	size_t at, hole = 0;

	if (r < 0)
		return r;
	at = b->n;
	env->run = run;
	env->hole = &hole;
	f->hit(b, env, h);
	env->hole = NULL;
	if (b->n - at > UINT32_MAX)
		return err_set(e, ERR_LIMIT, "a row of more than %u bytes",
			       UINT32_MAX);
	row = (struct row_text){ (uint32_t)(hole - at), (uint32_t)(b->n - at) };
	buf_put(&last->rows, &row, sizeof row);
	return b->bad || last->rows.bad ? err_nomem(e, b->n) : 0;
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
