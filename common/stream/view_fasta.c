/* SPDX-License-Identifier: MIT */
/* view_fasta.c - letters of chunks as FASTA, in the order of the input */
#include <stdlib.h>

#include "stream/fasta.h"
#include "stream/view_priv.h"

enum { TILE = 60 * 1024 };

/* n letters as lines of FASTA_COLUMNS. */
static int
put_letters(struct view *v, const uint8_t *s, size_t n, struct err *e)
{
	struct fasta_out *o = &v->fasta;

	o->text.n = 0;
	while (n) {
		size_t k = FASTA_COLUMNS - o->column;

		k = k < n ? k : n;
		buf_put(&o->text, s, k);
		o->column += (unsigned)k;
		s += k;
		n -= k;
		if (o->column == FASTA_COLUMNS) {
			buf_u8(&o->text, '\n');
			o->column = 0;
		}
	}
	if (o->text.bad)
		return err_nomem(e, n);
	return out_write(v->out, o->text.p, o->text.n, e);
}

static int
begin_record(struct view *v, const struct chunk_row *r, struct err *e)
{
	struct fasta_out *o = &v->fasta;

	if (!fasta_fits(r->name, r->desc))
		return err_set(e, ERR_FORMAT, "sequence %llu, %.*s: its name "
			       "or description cannot be a FASTA header",
			       (unsigned long long)r->ordinal,
			       (int)(r->name.n < 200 ? r->name.n : 200),
			       r->name.p);
	o->text.n = 0;
	buf_u8(&o->text, '>');
	fasta_header(&o->text, r->name, r->desc);
	buf_u8(&o->text, '\n');
	o->in_record = true;
	o->ordinal = r->ordinal;
	o->pos = r->own_beg;
	o->column = 0;
	if (o->text.bad)
		return err_nomem(e, o->text.n);
	return out_write(v->out, o->text.p, o->text.n, e);
}

static int
put_row(struct view *v, const struct chunk *c, const struct chunk_row *r,
	struct err *e)
{
	struct fasta_out *o = &v->fasta;
	int rc = 0;

	if (r->flags & CHUNK_FIRST)
		rc = begin_record(v, r, e);
	else if (!o->in_record || r->ordinal != o->ordinal ||
		 r->own_beg != o->pos)
		return err_set(e, ERR_INCOMPLETE, "letters before %llu of "
			       "%.*s are missing",
			       (unsigned long long)r->own_beg,
			       (int)(r->name.n < 200 ? r->name.n : 200),
			       r->name.p);
	for (uint64_t at = r->own_beg; at < r->own_end && rc == 0;) {
		uint64_t n = r->own_end - at < TILE ? r->own_end - at : TILE;

		chunk_letters(c, r, at - r->beg, n, o->letters.p);
		rc = put_letters(v, o->letters.p, (size_t)n, e);
		at += n;
	}
	o->pos = r->own_end;
	if (rc == 0 && r->flags & CHUNK_LAST) {
		o->in_record = false;
		if (o->column)
			rc = out_write(v->out, "\n", 1, e);
	}
	return rc;
}

static int
put_chunk(void *ctx, const struct rec_frame *f, struct err *e)
{
	struct view *v = ctx;
	struct fasta_out *o = &v->fasta;
	struct chunk c;
	int r;

	if (!buf_reserve(&o->letters, TILE + 64))
		return err_nomem(e, TILE + 64);
	r = chunk_view(&c, f, e);
	if (r < 0)
		return r;
	if (c.enc == CHUNK_PROB)
		r = err_set(e, ERR_USAGE, "matrices are no letters: not as "
			    "FASTA");
	for (size_t i = 0; i < c.n_rows && r == 0; i++)
		r = put_row(v, &c, &c.row[i], e);
	chunk_free(&c);
	return r;
}

int
fasta_out_chunk(struct view *v, const struct rec_frame *f, struct err *e)
{
	struct turn_place at = { .first = f->serial, .end = f->serial + 1,
				 .last = true };
	struct chunk c;
	int r = chunk_view(&c, f, e);

	if (r < 0)
		return r;
	at.run = &c.run;
	r = turn_frame(v->fasta.turn, &at, f, e);
	chunk_free(&c);
	return r;
}

int
fasta_out_end(struct view *v, const struct rec_frame *f, struct err *e)
{
	struct run_end n;
	int r = end_view(&n, f, e);

	return r < 0 ? r : turn_end(v->fasta.turn, &n.run, n.chunks, e);
}

/* A gap ends the writing.  The verdict names what is missing, or, where the
 * ledger has all chunks, what does not fit in them. */
int
fasta_out_finish(struct view *v, struct err *e)
{
	int r = turn_finish(v->fasta.turn, e);

	if (r != ERR_INCOMPLETE)
		return r;
	v->late = *e;
	return 0;
}

int
fasta_out_new(struct view *v, struct err *e)
{
	return turn_new(&v->fasta.turn, put_chunk, v, e);
}

void
fasta_out_free(struct fasta_out *o)
{
	turn_free(o->turn);
	buf_free(&o->text);
	buf_free(&o->letters);
}
