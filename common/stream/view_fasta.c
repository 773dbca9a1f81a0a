/* SPDX-License-Identifier: MIT */
/*
 * view_fasta.c - letters of chunks as FASTA, in the order of the input
 *
 * Chunks that come in order are written at once.  Others (parts one behind the
 * other, say) wait in a sorter by run and serial until the end of input.
 */
#include <stdlib.h>

#include "stream/fasta.h"
#include "stream/view_priv.h"

/* How a chunk waits: a row of the sorter, the payload behind it. */
struct held {
	uint32_t size, run, records, n;
	uint64_t id, serial;
};

enum { TILE = 60 * 1024 };

static int
cmp_held(const void *pa, const void *pb, void *ctx)
{
	const struct held *a = *(const struct held *const *)pa;
	const struct held *b = *(const struct held *const *)pb;
	const struct key *k = ((const struct keys *)ctx)->v;

	if (a->run != b->run)
		return k[a->run].rank < k[b->run].rank ? -1 : 1;
	return a->serial < b->serial ? -1 : a->serial > b->serial;
}

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
put_chunk(struct view *v, const struct rec_frame *f, struct err *e)
{
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

static int
hold(struct view *v, uint32_t run, const struct rec_frame *f, struct err *e)
{
	struct fasta_out *o = &v->fasta;
	struct sorter_ops ops = { .cmp = cmp_held, .ctx = &o->runs };
	struct held h = { .run = run, .records = f->records,
			  .n = (uint32_t)f->n, .id = f->run,
			  .serial = f->serial };
	int r = keys_rank(&o->runs, false, e);

	if (r == 0 && !o->held)
		r = sorter_new(&o->held, &ops, 64 << 20, e);
	if (r < 0)
		return r;
	/* REC_MAX_PAYLOAD is 2^30: the size fits */
	h.size = (uint32_t)((sizeof h + f->n + 7) & ~(size_t)7);
	o->row.n = 0;
	buf_put(&o->row, &h, sizeof h);
	buf_put(&o->row, f->payload, f->n);
	buf_zero(&o->row, h.size - o->row.n);
	return o->row.bad ? err_nomem(e, h.size) :
			    sorter_add(o->held, o->row.p, e);
}

/*
 * Is it the chunk's turn?  Another run begins only where the last one stands
 * between two records, and nothing waits that belongs before.
 */
static bool
is_next(const struct fasta_out *o, uint32_t run, uint64_t serial)
{
	if (o->in_run && o->run == run)
		return serial == o->serial;
	return serial == 0 && !o->held && !o->in_record;
}

int
fasta_out_chunk(struct view *v, const struct rec_frame *f, struct err *e)
{
	struct fasta_out *o = &v->fasta;
	struct chunk c;
	long run;
	int r = chunk_view(&c, f, e);

	if (r < 0)
		return r;
	run = keys_run(&o->runs, &c.run, e);
	chunk_free(&c);
	if (run < 0)
		return (int)run;
	if (!is_next(o, (uint32_t)run, f->serial))
		return hold(v, (uint32_t)run, f, e);
	o->in_run = true;
	o->run = (uint32_t)run;
	o->serial = f->serial + 1;
	return put_chunk(v, f, e);
}

static int
put_held(struct view *v, const struct held *h, struct err *e)
{
	struct rec_frame *f = rec_frame_new(h->n);
	int r;

	if (!f)
		return err_nomem(e, h->n);
	f->type = REC_CHUNK;
	f->records = h->records;
	f->run = h->id;
	f->serial = h->serial;
	memcpy(f->payload, h + 1, h->n);
	r = put_chunk(v, f, e);
	rec_frame_drop(f);
	return r;
}

/* A gap ends the writing; the verdict names what is missing. */
int
fasta_out_finish(struct view *v, struct err *e)
{
	struct fasta_out *o = &v->fasta;
	const void *row;
	int r;

	if (!o->held)
		return 0;
	r = sorter_finish(o->held, e);
	while (r == 0 && (r = sorter_next(o->held, &row, e)) > 0)
		r = put_held(v, row, e);
	return r == ERR_INCOMPLETE ? 0 : r;
}

void
fasta_out_free(struct fasta_out *o)
{
	keys_free(&o->runs);
	sorter_free(o->held);
	buf_free(&o->row);
	buf_free(&o->text);
	buf_free(&o->letters);
}
