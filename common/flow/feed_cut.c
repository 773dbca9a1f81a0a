/* SPDX-License-Identifier: MIT */
/*
 * feed_cut.c - cuts records into chunks
 *
 * Records of at most `own` letters are whole rows, many to a chunk as long as
 * they own no more than `own` letters together.  A longer record has chunks
 * of its own: pieces of `own` letters, each with the letters before it as
 * context.  That a record is longer is known when its letter own + 1 comes:
 * until then it stands in the chunk as if it were short, and is moved out.
 *
 * A circular record of more than `own` + `context` letters has a head, its
 * first `context` letters.  Its first piece has them as context and owns what
 * follows; a last, extra piece owns them, behind the record's end as if it went
 * on there.  A shorter one is a whole row, in a chunk of its own if it has more
 * than `own` letters.
 */

#include <stdlib.h>

#include "base/base.h"
#include "flow/feed_in.h"
#include "rec/rec.h"

enum {
	RESERVE = 16 << 20,	/* bytes taken at once, not as they come */
	DIRECT = 64 << 10,	/* letters put into a cut at once; fits L2 */
	SHORT = 1024,		/* letters of a record that comes at once; of a
				   longer one so many are read twice */
	SPARE = 4 << 20,	/* bytes that are kept for a next cut */
};

/* Memory of a cut. */
struct cut_memory {
	struct buf letters, names;
	struct chunk_row *row;
	size_t rows_cap;
};

static void
memory_free(struct cut_memory *m)
{
	if (!m)
		return;
	buf_free(&m->letters);
	buf_free(&m->names);
	free(m->row);
	free(m);
}

/*
 * The next cut gets what this one had, but for much of it.  Left to malloc, it
 * would go back to the system, and each page of it would be a fault again.
 */
static void
give_memory(struct feed_cut *c)
{
	struct cut_memory *m = malloc(sizeof *m), *none = NULL;
	size_t bytes = c->letters.cap + c->names.cap +
		       c->rows_cap * sizeof *c->raw.row;
	bool kept = false;

	if (!m)
		return;
	*m = (struct cut_memory){ c->letters, c->names, c->raw.row,
				  c->rows_cap };
	memset(&c->letters, 0, sizeof c->letters);
	memset(&c->names, 0, sizeof c->names);
	c->raw.row = NULL;
	for (int i = 0; i < CUT_SPARE && !kept && bytes <= SPARE; i++) {
		none = NULL;
		kept = __atomic_compare_exchange_n(&c->spare[i], &none, m,
						   false, __ATOMIC_RELEASE,
						   __ATOMIC_RELAXED);
	}
	if (!kept)
		memory_free(m);
}

static void
take_memory(struct cutter *c, struct feed_cut *t)
{
	struct cut_memory *m = NULL;

	for (int i = 0; i < CUT_SPARE && !m; i++)
		m = __atomic_exchange_n(&c->spare[i], NULL, __ATOMIC_ACQUIRE);
	if (!m)
		return;
	t->letters = m->letters;
	t->names = m->names;
	t->letters.n = t->names.n = 0;
	t->raw.row = m->row;
	t->rows_cap = m->rows_cap;
	free(m);
}

static void
feed_cut_free(struct feed_cut *c)
{
	if (!c)
		return;
	buf_free(&c->letters);
	buf_free(&c->names);
	free(c->raw.row);
	free(c->from);
	free(c);
}

void
cutter_free(struct cutter *c)
{
	for (unsigned i = 0; i < c->n_queue; i++)
		feed_drop(&c->queue[i]);
	feed_cut_free(c->cut);
	for (int i = 0; i < CUT_SPARE; i++)
		memory_free(c->spare[i]);
	buf_free(&c->name);
	buf_free(&c->head);
	memset(c, 0, sizeof *c);
}

static unsigned
unit(const struct cutter *c)	/* bytes of a position */
{
	return c->prob ? 16 : 1;
}

static struct chunk_row *
open_row(const struct cutter *c)
{
	return &c->cut->raw.row[c->cut->raw.n_rows - 1];
}

static int
new_cut(struct cutter *c, struct err *e)
{
	uint64_t room = (c->own + c->context) * unit(c);
	struct feed_cut *t = calloc(1, sizeof *t);

	if (!t)
		return err_nomem(e, sizeof *t);
	take_memory(c, t);
	t->run = c->run;
	t->spare = c->spare;
	t->raw.prob = c->prob;
	c->cut = t;
	c->whole = 0;
	/*
	 * 64 bytes behind the letters: kernels read whole vectors.  Names may
	 * all be empty, and still point somewhere.
	 */
	if (!buf_reserve(&t->letters, room < RESERVE ? room + 64 : RESERVE) ||
	    !buf_reserve(&t->names, 1))
		return err_nomem(e, room);
	return 0;
}

/* Its name and desc, which are copied, point somewhere until emit(). */
static inline int
add_row(struct cutter *c, const struct chunk_row *r, struct err *e)
{
	struct feed_cut *t = c->cut;
	int rc = t->raw.n_rows < t->rows_cap ? 0 :
		 array_room(&t->raw.row, &t->rows_cap, t->raw.n_rows + 1,
			    sizeof *r, e);

	if (rc)
		return rc;
	t->raw.row[t->raw.n_rows++] = *r;
	buf_put(&t->names, r->name.p, r->name.n);
	buf_put(&t->names, r->desc.p, r->desc.n);
	return t->names.bad ? err_nomem(e, r->name.n + r->desc.n) : 0;
}

static void
push(struct cutter *c, const struct feed_item *it)
{
	c->queue[c->n_queue++] = *it;
}

/* The cut as it is becomes an item. */
static int
emit(struct cutter *c, struct err *e)
{
	struct feed_cut *t = c->cut;
	struct feed_item it = { .kind = FEED_RAW, .cut = t };
	const char *name = (const char *)t->names.p;

	if (!buf_reserve(&t->letters, 64))
		return err_nomem(e, t->letters.n + 64);
	memset(t->letters.p + t->letters.n, 0, 64);
	t->raw.run = c->run->key;
	t->raw.serial = c->serial++;
	t->raw.letters = t->letters.p;
	for (size_t i = 0; i < t->raw.n_rows; i++) {
		struct chunk_row *r = &t->raw.row[i];

		r->name.p = name;
		r->desc.p = name + r->name.n;
		name += r->name.n + r->desc.n;
	}
	c->cut = NULL;
	push(c, &it);
	return 0;
}

bool
cutter_pop(struct cutter *c, struct feed_item *it)
{
	if (c->n_queue == 0)
		return false;
	*it = c->queue[0];
	memmove(c->queue, c->queue + 1, --c->n_queue * sizeof *c->queue);
	return true;
}

/* A cut that has room for one more record. */
static int
cut_for_record(struct cutter *c, bool prob, struct err *e)
{
	int rc = 0;

	if (c->cut && (c->prob != prob || c->cut->raw.n_rows >= FEED_ROWS ||
		       c->cut->names.n >= FEED_NAMES))
		rc = emit(c, e);
	c->prob = prob;
	return rc == 0 && !c->cut ? new_cut(c, e) : rc;
}

static uint64_t
next_place(const struct cutter *c)
{
	return c->cut->letters.n / unit(c);
}

/* The open record's, which is in a cut that holds nothing behind it. */
struct str
cutter_name(const struct cutter *c)
{
	const struct chunk_row *r;
	const char *end;

	if (c->in_pieces || c->in_parts)
		return (struct str){ (char *)c->name.p, c->name.n };
	r = open_row(c);
	end = (const char *)c->cut->names.p + c->cut->names.n;
	return (struct str){ end - r->desc.n - r->name.n, r->name.n };
}

/* Before the cut that it is in goes out, and the record on. */
static int
keep_name(struct cutter *c, struct err *e)
{
	struct str name;

	if (c->in_pieces || c->in_parts)
		return 0;
	name = cutter_name(c);
	c->name.n = 0;
	buf_put(&c->name, name.p, name.n);
	return c->name.bad ? err_nomem(e, name.n) : 0;
}

int
cutter_record(struct cutter *c, struct str name, struct str desc, bool prob,
	      bool circular, uint64_t start, struct err *e)
{
	int rc = cut_for_record(c, prob, e);

	c->circular = circular;
	c->in_pieces = c->in_parts = false;
	return rc ? rc : add_row(c, &(struct chunk_row){
		.ordinal = c->ordinal++, .beg = start, .own_beg = start,
		.own_end = start, .at = next_place(c), .name = name,
		.desc = desc, .file = c->file,
		.flags = CHUNK_FIRST | (circular ? CHUNK_CIRCULAR : 0),
	}, e);
}

int
cutter_skip_to(struct cutter *c, uint64_t start, struct err *e)
{
	struct chunk_row *o = open_row(c), r = {
		.ordinal = o->ordinal, .beg = start, .own_beg = start,
		.own_end = start, .flags = CHUNK_FIRST, .file = o->file,
	};
	int rc = keep_name(c, e);

	if (rc)
		return rc;
	o->flags |= CHUNK_LAST;
	o->length = LEN_UNKNOWN;
	c->whole += o->own_end - o->own_beg;
	c->in_parts = true;
	rc = c->in_pieces ? emit(c, e) : 0;
	c->in_pieces = false;
	if (rc == 0)
		rc = cut_for_record(c, c->prob, e);
	if (rc)
		return rc;
	r.at = next_place(c);
	r.name = cutter_name(c);
	return add_row(c, &r, e);
}

static int
append(struct cutter *c, const void *p, uint64_t n, struct err *e)
{
	struct chunk_row *r = open_row(c);

	buf_put(&c->cut->letters, p, (size_t)n * unit(c));
	if (c->cut->letters.bad)
		return err_nomem(e, n * unit(c));
	r->n += n;
	return 0;
}

/* The cut before the one just begun goes out. */
static int
emit_before(struct cutter *c, struct feed_cut *t, struct err *e)
{
	struct feed_cut *fresh = c->cut;
	int rc;

	c->cut = t;
	rc = emit(c, e);
	c->cut = fresh;
	return rc;
}

/* The open row leaves the others: they go, it is the next cut's first. */
static int
move_out(struct cutter *c, struct err *e)
{
	struct feed_cut *t = c->cut;
	struct chunk_row r = *open_row(c);
	uint64_t n = r.n, at = r.at * unit(c), names = r.name.n + r.desc.n;
	int rc;

	r.name.p = (const char *)t->names.p + t->names.n - names;
	r.desc.p = r.name.p + r.name.n;
	r.at = r.n = 0;
	t->raw.n_rows--;
	c->cut = NULL;
	rc = new_cut(c, e);
	if (rc == 0)
		rc = add_row(c, &r, e);
	if (rc == 0)
		rc = append(c, t->letters.p + at, n, e);
	if (rc == 0) {
		t->letters.n = (size_t)at;
		t->names.n -= (size_t)names;
		rc = emit_before(c, t, e);
	}
	if (rc != 0)
		feed_cut_free(t);
	return rc;
}

/* The first piece of a circle: the head is not its own, and is kept. */
static int
take_head(struct cutter *c, struct err *e)
{
	struct chunk_row *r = open_row(c);

	r->own_beg = c->context;
	c->head.n = 0;
	buf_put(&c->head, c->cut->letters.p + r->at, (size_t)c->context);
	return c->head.bad ? err_nomem(e, c->context) : 0;
}

/* A piece is full, and the record goes on. */
static int
next_piece(struct cutter *c, struct err *e)
{
	struct feed_cut *t = c->cut;
	struct chunk_row *o = open_row(c), r = {
		.ordinal = o->ordinal, .own_beg = o->own_end,
		.own_end = o->own_end, .file = o->file,
		.flags = o->flags & CHUNK_CIRCULAR,
	};
	uint64_t context = o->n < c->context ? o->n : c->context;
	int rc = keep_name(c, e);

	if (rc == 0 && c->circular && !c->in_pieces)
		rc = take_head(c, e);
	if (rc)
		return rc;
	r.name = (struct str){ (char *)c->name.p, c->name.n };
	r.beg = r.own_beg - context;
	/* a region's begin; that of a sequence is known by its number, 0 */
	if (r.beg && context == o->n && o->flags & (CHUNK_FIRST | CHUNK_ALL))
		r.flags = CHUNK_ALL;
	c->cut = NULL;
	rc = new_cut(c, e);
	if (rc == 0)
		rc = add_row(c, &r, e);
	if (rc == 0)
		rc = append(c, t->letters.p + t->letters.n -
			    context * unit(c), context, e);
	if (rc == 0)
		rc = emit_before(c, t, e);
	if (rc != 0)
		feed_cut_free(t);
	c->in_pieces = true;
	return rc;
}

/* How many letters more the open row takes. */
static uint64_t
room_of(const struct cutter *c)
{
	const struct chunk_row *r = open_row(c);
	uint64_t own = c->own;

	if (c->circular && !c->in_pieces && c->cut->raw.n_rows == 1)
		own += c->context;
	return own - c->whole - (r->own_end - r->own_beg);
}

int
cutter_letters(struct cutter *c, const uint8_t *p, size_t n, size_t *used,
	       struct err *e)
{
	struct chunk_row *r = open_row(c);
	uint64_t room = room_of(c);
	uint64_t k = n < room ? n : room;
	int rc;

	*used = 0;
	if (n > room && c->cut->raw.n_rows > 1)
		return move_out(c, e);
	rc = append(c, p, k, e);
	if (rc != 0)
		return rc;
	*used = (size_t)k;
	r->own_end += k;
	return n > room ? next_piece(c, e) : 0;
}

size_t
cutter_room(struct cutter *c, uint8_t **to)
{
	uint64_t room = room_of(c);
	struct buf *b = &c->cut->letters;

	if (room > DIRECT)
		room = DIRECT;
	/* cutter_letters() will say that there is no memory */
	if (c->prob || !room || !buf_reserve(b, (size_t)room + 64))
		return 0;
	*to = b->p + b->n;
	return (size_t)room;
}

void
cutter_took(struct cutter *c, size_t n)
{
	struct chunk_row *r = open_row(c);

	c->cut->letters.n += n;
	r->n += n;
	r->own_end += n;
}

size_t
cutter_short_room(struct cutter *c, uint8_t **to)
{
	struct feed_cut *t = c->cut;
	uint64_t room = c->own - c->whole;

	if (!t || c->prob || t->raw.n_rows >= FEED_ROWS ||
	    t->names.n >= FEED_NAMES)
		return 0;
	if (room > SHORT)
		room = SHORT;
	/* cutter_record() will say that there is no memory */
	if (!buf_reserve(&t->letters, (size_t)room + 64))
		return 0;
	*to = t->letters.p + t->letters.n;
	return (size_t)room;
}

int
cutter_short(struct cutter *c, struct str name, struct str desc, size_t n,
	     struct err *e)
{
	struct buf *b = &c->cut->letters;
	int rc = add_row(c, &(struct chunk_row){
		.ordinal = c->ordinal++, .n = n, .own_end = n, .length = n,
		.at = b->n, .name = name, .desc = desc, .file = c->file,
		.flags = CHUNK_FIRST | CHUNK_LAST,
	}, e);

	b->n += n;
	c->whole += n;
	return rc;
}

bool
cutter_is_short(const struct cutter *c)
{
	return !c->in_pieces && !c->in_parts && !c->circular;
}

static int
push_seq(struct cutter *c, uint64_t length, struct err *e)
{
	struct feed_item it = { .kind = FEED_FRAME };
	struct seq s = {
		.ordinal = c->ordinal - 1, .length = length,
		.name = { (char *)c->name.p, c->name.n },
	};
	int rc = seq_encode(&it.frame, c->run->key.id, &s, e);

	if (rc == 0)
		push(c, &it);
	return rc;
}

/* The last piece of a circle: its head, with its end as context. */
static int
put_extra(struct cutter *c, uint64_t length, struct err *e)
{
	struct feed_cut *t = c->cut;
	uint64_t w = c->context;
	struct chunk_row r = {
		.ordinal = c->ordinal - 1, .own_beg = length,
		.own_end = length + w, .beg = length - w,
		.length = length, .file = c->file,
		.flags = CHUNK_LAST | CHUNK_CIRCULAR,
		.name = { (char *)c->name.p, c->name.n },
	};
	int rc;

	c->cut = NULL;
	rc = new_cut(c, e);
	if (rc == 0)
		rc = add_row(c, &r, e);
	if (rc == 0)
		rc = append(c, t->letters.p + t->letters.n - w, w, e);
	if (rc == 0)
		rc = append(c, c->head.p, w, e);
	if (rc == 0)
		rc = emit_before(c, t, e);
	if (rc != 0)
		feed_cut_free(t);
	return rc ? rc : emit(c, e);
}

int
cutter_end_record(struct cutter *c, uint64_t length, struct err *e)
{
	struct chunk_row *r = open_row(c);
	int rc;

	if (c->circular && c->in_pieces && c->context) {
		rc = put_extra(c, length, e);
		return rc ? rc : push_seq(c, length, e);
	}
	r->flags |= CHUNK_LAST;
	r->length = length;
	c->whole += r->own_end - r->own_beg;
	if (!c->in_pieces && !c->in_parts)	/* full: a circle */
		return c->whole > c->own ? emit(c, e) : 0;
	rc = emit(c, e);
	return rc ? rc : push_seq(c, length, e);
}

int
cutter_finish(struct cutter *c, struct err *e)
{
	struct feed_item end = { .kind = FEED_END };
	int rc = c->cut ? emit(c, e) : 0;

	if (rc != 0)
		return rc;
	end.cut = calloc(1, sizeof *end.cut);
	if (!end.cut)
		return err_nomem(e, sizeof *end.cut);
	end.cut->run = c->run;
	c->run->sequences = c->ordinal;
	push(c, &end);
	return 0;
}

/* Raw chunks to frames, and what END sums up. */

/* What END needs of a chunk that is not wanted. */
static void
digest_only(struct feed_item *it)
{
	const struct chunk_raw *c = &it->cut->raw;
	struct digest_order order = { 0 };

	for (size_t i = 0; i < c->n_rows; i++) {
		const struct chunk_row *r = &c->row[i];
		size_t n = (size_t)(r->own_end - r->own_beg);

		it->owned += n;
		it->digest = digest_add(it->digest, chunk_row_digest(r,
			DIGEST_ADDS, &order, c->letters + r->at +
			(r->own_beg - r->beg), n, false));
	}
}

int
feed_encode(struct feed_item *it, struct err *e)
{
	struct feed_cut *c = it->cut;
	int rc = 0;

	if (it->kind != FEED_RAW || !c->raw.row)
		return 0;
	if (c->from)
		rc = plan_fill(c, e);
	if (rc)
		return rc;
	if (it->skip && !c->raw.prob)
		digest_only(it);
	else
		rc = chunk_encode(&it->frame, &c->raw, &it->owned, &it->digest,
				  e);
	if (it->skip && it->frame) {
		rec_frame_drop(it->frame);
		it->frame = NULL;
	}
	/* letters are much; the run is still to be accounted to */
	if (c->spare)
		give_memory(c);
	buf_free(&c->letters);
	buf_free(&c->names);
	free(c->raw.row);
	memset(&c->raw, 0, sizeof c->raw);
	return rc;
}

int
feed_account(struct feed *f, struct feed_item *it, struct err *e)
{
	struct feed_run *run = it->cut ? it->cut->run : NULL;
	struct run_end end;

	(void)f;
	if (it->kind == FEED_RAW && !run->planned) {
		run->chunks++;
		run->owned += it->owned;
		run->digest = digest_add(run->digest, it->digest);
	}
	if (it->kind != FEED_END)
		return 0;
	end = (struct run_end){ run->key, run->chunks, run->sequences,
				run->owned, run->digest, DIGEST_ADDS };
	return end_encode(&it->frame, &end, e);
}

void
feed_drop(struct feed_item *it)
{
	rec_frame_drop(it->frame);
	feed_cut_free(it->cut);
	memset(it, 0, sizeof *it);
}
