/* SPDX-License-Identifier: MIT */
/* early.c - rows that are printed but for a length */

#include "output/early.h"

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
	p += sizeof piece;
	*x = (struct early){
		piece.run, piece.ordinal, piece.send,
		{ (const char *)p, piece.name },
		{ p + piece.name, p + piece.name + piece.bytes,
		  sizeof(struct row_text), piece.rows },
	};
	return 1;
}
