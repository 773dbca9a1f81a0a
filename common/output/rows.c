/* SPDX-License-Identifier: MIT */
/* rows.c - rows that are printed by the threads that find them */

#include "output/early.h"

/* Before a subject's rows there are struct rows_part, with the largest send,
 * and its name; before each row this. */
struct head {
	uint64_t send, sbeg;
	uint32_t who;	/* the query, and below it 1 for the minus strand */
	uint32_t qlen;
	uint32_t hole, n;
};

/* By the threads that find them. */

void
rows_begin(struct rows_text *t, const struct rows_print *how, struct buf *to)
{
	*t = (struct rows_text){ .env = how->env, .to = to,
				 .family = how->family };
}

static void
begin_subject(struct rows_text *t, const struct subject_ref *s)
{
	t->at = t->to->n;
	t->last = (struct rows_part){ s->ordinal, s->len, 0, 0, s->name.n };
	buf_put(t->to, &t->last, sizeof t->last);
	buf_put(t->to, s->name.p, s->name.n);
}

/* Field by field, so that no store waits for another one. */
static void
put_head(uint8_t *p, const struct hit *h, uint32_t hole, uint32_t n)
{
	uint32_t who = (uint32_t)h->query.ordinal << 1 |
		       (h->flags & HIT_MINUS ? 1 : 0);
	uint32_t qlen = (uint32_t)h->query.len;

	memcpy(p + offsetof(struct head, send), &h->send, sizeof h->send);
	memcpy(p + offsetof(struct head, sbeg), &h->sbeg, sizeof h->sbeg);
	memcpy(p + offsetof(struct head, who), &who, sizeof who);
	memcpy(p + offsetof(struct head, qlen), &qlen, sizeof qlen);
	memcpy(p + offsetof(struct head, hole), &hole, sizeof hole);
	memcpy(p + offsetof(struct head, n), &n, sizeof n);
}

int
rows_add(struct rows_text *t, const struct hit *h, struct err *e)
{
	struct buf *b = t->to;
	size_t at;

	if (!t->last.rows || t->last.ordinal != h->subject.ordinal)
		begin_subject(t, &h->subject);
	if (!buf_reserve(b, sizeof(struct head)))
		return err_nomem(e, b->n);
	b->n += sizeof(struct head);
	at = t->hole = b->n;
	t->env.hole = &t->hole;
	t->family->hit(b, &t->env, h);
	if (b->bad)
		return err_nomem(e, b->n);
	if (b->n == at)
		return err_set(e, ERR_USAGE, "a site of no guide and PAM");
	if (b->n - at > UINT32_MAX)
		return err_set(e, ERR_LIMIT, "a row of more than %u bytes",
			       UINT32_MAX);
	put_head(b->p + at - sizeof(struct head), h, (uint32_t)(t->hole - at),
		 (uint32_t)(b->n - at));
	t->last.send = max_u64(t->last.send, h->send);
	t->last.rows++;
	memcpy(b->p + t->at + offsetof(struct rows_part, send), &t->last.send,
	       sizeof t->last.send);
	memcpy(b->p + t->at + offsetof(struct rows_part, rows), &t->last.rows,
	       sizeof t->last.rows);
	return 0;
}

/* In the order of the input. */

void
rows_free(struct rows_order *o)
{
	buf_free(&o->name);
	buf_free(&o->held);
	buf_free(&o->next);
}

/* Rows one behind the other. */
struct list {
	const uint8_t *at;	/* the text of the first */
	uint64_t left;
	struct head h;
};

static void
look(struct list *l)
{
	if (!l->left)
		return;
	memcpy(&l->h, l->at, sizeof l->h);
	l->at += sizeof l->h;
}

static void
step(struct list *l)
{
	l->at += l->h.n;
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

static int
put(struct rows_order *o, const struct list *l, struct printer *to,
    struct err *e)
{
	struct early_row row = { l->at, l->h.hole, l->h.n };

	o->n++;
	return printer_text(to, o->run, &o->subject, l->h.send, &row, e);
}

static void
keep(struct rows_order *o, const struct list *l)
{
	buf_put(&o->next, &l->h, sizeof l->h);
	buf_put(&o->next, l->at, l->h.n);
	o->n_next++;
}

/* Those that wait and `more` of the same subject, which end (begin) before
 * `limit`; the others wait. */
static int
merge(struct rows_order *o, struct list *more, uint64_t limit,
      struct printer *to, struct err *e)
{
	bool (*before)(const struct head *, const struct head *) =
	    o->by_begin ? begins_before : ends_before;
	struct list held = { o->held.p, o->n_held, { 0 } };
	struct buf b = o->held;
	int rc = 0;

	look(&held);
	while ((held.left || more->left) && !rc) {
		struct list *l = !held.left ||
		    (more->left && before(&more->h, &held.h)) ? more : &held;

		if ((o->by_begin ? l->h.sbeg : l->h.send) < limit)
			rc = put(o, l, to, e);
		else
			keep(o, l);
		step(l);
	}
	o->held = o->next;
	o->n_held = o->n_next;
	o->next = b;
	o->next.n = 0;
	o->n_next = 0;
	return rc || !o->held.bad ? rc : err_nomem(e, o->held.n);
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
	l.at = *p + x.name;
	l.left = x.rows;
	look(&l);
	rc = rc ? rc : merge(o, &l, limit, to, e);
	*p = l.at;
	return rc;
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
