/* SPDX-License-Identifier: MIT */
/* early.c - rows that are printed but for a length */

#include "output/early.h"

enum { EARLY_MEMORY = 1 << 15 };

/* Before a piece's rows, and their subject's name; before each row. */
struct piece {
	uint64_t run, ordinal, send, rows, name;
};
struct early_head {
	uint32_t hole, n;
};

int
early_push(struct buf *last, struct queue *q, struct err *e)
{
	int r = last->bad ? err_nomem(e, last->n) :
		last->n ? queue_push(q, last->p, last->n, e) : 0;

	last->n = 0;
	return r;
}

/* Rows before it may be of another subject: they go first. */
static int
begin_row(struct buf *last, struct queue *q, uint64_t run,
	  const struct subject_ref *s, struct piece *x, struct err *e)
{
	struct str name = s->name;
	int r = 0;

	if (last->n) {
		memcpy(x, last->p, sizeof *x);
		if (x->run == run && x->ordinal == s->ordinal &&
		    last->n < EARLY_MEMORY)
			return 0;
		r = early_push(last, q, e);
	}
	*x = (struct piece){ .run = run, .ordinal = s->ordinal,
			     .name = name.n };
	buf_zero(last, sizeof *x);
	buf_put(last, name.p, name.n);
	return r;
}

int
early_add(struct buf *last, struct queue *q, const struct print_family *f,
	  struct print_env *env, uint64_t run, const struct hit *h,
	  struct err *e)
{
	struct early_head row = { 0 };
	struct piece x;
	size_t at, hole = 0;
	int r = begin_row(last, q, run, &h->subject, &x, e);

	if (r < 0)
		return r;
	if (!hit_over_origin(h))	/* it knows its length */
		x.send = max_u64(x.send, h->send);
	x.rows++;
	buf_put(last, &row, sizeof row);
	at = last->n;
	env->run = run;
	env->hole = &hole;
	f->hit(last, env, h);
	env->hole = NULL;
	if (last->bad)
		return err_nomem(e, last->n);
	if (last->n - at > UINT32_MAX)
		return err_set(e, ERR_LIMIT, "a row of more than %u bytes",
			       UINT32_MAX);
	row = (struct early_head){ (uint32_t)(hole - at),
				   (uint32_t)(last->n - at) };
	memcpy(last->p + at - sizeof row, &row, sizeof row);
	memcpy(last->p, &x, sizeof x);
	return 0;
}

int
early_put(struct buf *last, struct queue *q, uint64_t run,
	  const struct subject_ref *s, uint64_t send,
	  const struct early_row *row, struct err *e)
{
	struct early_head head = { (uint32_t)row->hole, (uint32_t)row->n };
	struct piece x;
	int r = begin_row(last, q, run, s, &x, e);

	if (r < 0)
		return r;
	x.send = max_u64(x.send, send);
	x.rows++;
	buf_put(last, &head, sizeof head);
	buf_put(last, row->text, row->n);
	if (last->bad)
		return err_nomem(e, last->n);
	memcpy(last->p, &x, sizeof x);
	return 0;
}

int
early_first(struct queue *q, struct early *x, struct err *e)
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
	*x = (struct early){
		piece.run, piece.ordinal, piece.send, piece.rows,
		{ (const char *)p + sizeof piece, piece.name },
		p + sizeof piece + piece.name,
	};
	return 1;
}

bool
early_row(struct early *x, struct early_row *to)
{
	struct early_head row;

	if (!x->rows)
		return false;
	memcpy(&row, x->at, sizeof row);
	*to = (struct early_row){ x->at + sizeof row, row.hole, row.n };
	x->at += sizeof row + row.n;
	x->rows--;
	return true;
}
