/* SPDX-License-Identifier: MIT */
/* rows.c - rows that are printed by the threads that find them */

#include "output/early.h"

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
