/* SPDX-License-Identifier: MIT */
/*
 * asm_best.c - rows with the least edits of each query, over a whole stream
 *
 * Threads lower the least of a query as soon as they meet it, so that little
 * that is not the best is ever traced back or kept; what was kept too early
 * is swept out whenever memory has doubled.
 */
#include <stdlib.h>

#include "scan/asm_priv.h"

enum { SWEEP_BYTES = 16 << 20 };

struct best_row {
	uint64_t ordinal, send, sbeg;
	size_t at, n;		/* hit_put() bytes in the heap */
	uint32_t run, query, edits;
	bool minus;
};

struct best_run {
	struct run_key key;
	struct buf names;	/* the key's own copy */
	struct range *range;
	size_t n, cap;
};

struct asm_best {
	const struct asm_scan *a;
	uint32_t *least;	/* of each query; shared by threads */
	struct best_run *run;
	size_t n_runs;
	struct best_row *row;
	size_t n, cap, sweep_at;
	struct buf heap, ops;
};

int
asm_best_new(struct asm_best **out, const struct asm_scan *a, struct err *e)
{
	struct asm_best *b = calloc(1, sizeof *b);

	*out = NULL;
	if (!b)
		return err_nomem(e, sizeof *b);
	b->a = a;
	b->sweep_at = SWEEP_BYTES;
	b->least = malloc(a->q->n * sizeof *b->least);
	if (!b->least) {
		free(b);
		return err_nomem(e, a->q->n * sizeof *b->least);
	}
	memset(b->least, 0xff, a->q->n * sizeof *b->least);
	*out = b;
	return 0;
}

void
asm_best_free(struct asm_best *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->n_runs; i++) {
		buf_free(&b->run[i].names);
		free(b->run[i].range);
	}
	free(b->run);
	free(b->row);
	free(b->least);
	buf_free(&b->heap);
	buf_free(&b->ops);
	free(b);
}

/*
 * The least only falls, and only to what some owned end of this stream has:
 * a row above it at any time can never be among the best.
 */
bool
asm_best_wants(struct asm_best *b, uint32_t query, uint32_t edits)
{
	uint32_t *least = &b->least[query];
	uint32_t now = __atomic_load_n(least, __ATOMIC_RELAXED);

	while (edits < now)
		if (__atomic_compare_exchange_n(least, &now, edits, true,
						__ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return true;
	return edits == now;
}

static int
run_of(struct asm_best *b, const struct run_key *k, uint32_t *index,
       struct err *e)
{
	struct best_run *r;
	struct cur c;

	for (size_t i = b->n_runs; i-- > 0;)
		if (b->run[i].key.id == k->id) {
			*index = (uint32_t)i;
			return 0;
		}
	r = realloc(b->run, (b->n_runs + 1) * sizeof *r);
	if (!r)
		return err_nomem(e, (b->n_runs + 1) * sizeof *r);
	b->run = r;
	r += b->n_runs;
	memset(r, 0, sizeof *r);
	run_key_put(&r->names, k);
	if (r->names.bad)
		return err_nomem(e, 64);
	c = cur_of(r->names.p, r->names.n);
	run_key_get(&c, k->id, &r->key);
	*index = (uint32_t)b->n_runs++;
	return 0;
}

/* Room for one more range, so that r->range is there. */
static int
room(struct best_run *r, struct err *e)
{
	size_t cap = r->cap * 2 + 8;
	struct range *x;

	if (r->n < r->cap)
		return 0;
	x = realloc(r->range, cap * sizeof *x);
	if (!x)
		return err_nomem(e, cap * sizeof *x);
	r->range = x;
	r->cap = cap;
	return 0;
}

/* Add what a chunk covers; *again: it was covered already. */
static int
cover(struct best_run *r, const struct chunk *c, bool *again, struct err *e)
{
	size_t i = r->n;
	struct range *x;
	int rc = room(r, e);

	if (rc)
		return rc;
	while (i > 0 && r->range[i - 1].first > c->serial)
		i--;
	x = r->range + i;	/* the first one behind the chunk */
	*again = i > 0 && x[-1].end > c->serial;
	if (*again)
		return 0;
	if (i > 0 && x[-1].end == c->serial) {
		x[-1].end++;
		x[-1].letters += c->owned;
		x[-1].digest += c->digest;
		if (i < r->n && x->first == x[-1].end) {
			x[-1].end = x->end;
			x[-1].letters += x->letters;
			x[-1].digest += x->digest;
			memmove(x, x + 1, (--r->n - i) * sizeof *x);
		}
		return 0;
	}
	if (i < r->n && x->first == c->serial + 1) {
		x->first--;
		x->letters += c->owned;
		x->digest += c->digest;
		return 0;
	}
	memmove(x + 1, x, (r->n++ - i) * sizeof *x);
	*x = (struct range){ c->serial, c->serial + 1, c->owned, c->digest };
	return 0;
}

/* Drop rows that a better one has beaten since. */
static void
sweep(struct asm_best *b)
{
	size_t n = 0, at = 0;

	for (size_t i = 0; i < b->n; i++) {
		struct best_row *r = &b->row[i];

		if (r->edits != b->least[r->query])
			continue;
		memmove(b->heap.p + at, b->heap.p + r->at, r->n);
		r->at = at;
		at += r->n;
		b->row[n++] = *r;
	}
	b->n = n;
	b->heap.n = at;
	b->sweep_at = at < SWEEP_BYTES / 2 ? SWEEP_BYTES : 2 * at;
}

static int
keep(struct asm_best *b, uint32_t run, struct str bytes, struct err *e)
{
	struct cur c = cur_of(bytes.p, bytes.n);
	struct best_row *r;
	struct hit h;

	hit_get(&c, &h, &b->ops);
	if (c.bad || b->ops.bad)
		return err_nomem(e, bytes.n);
	if (h.edits != __atomic_load_n(&b->least[h.query.ordinal],
				       __ATOMIC_RELAXED))
		return 0;
	if (b->n == b->cap) {
		size_t cap = b->cap * 2 + 64;

		r = realloc(b->row, cap * sizeof *r);
		if (!r)
			return err_nomem(e, cap * sizeof *r);
		b->row = r;
		b->cap = cap;
	}
	b->row[b->n++] = (struct best_row){
		.ordinal = h.subject.ordinal, .send = h.send, .sbeg = h.sbeg,
		.at = b->heap.n, .n = bytes.n, .run = run,
		.query = (uint32_t)h.query.ordinal,
		.edits = (uint32_t)h.edits, .minus = h.flags & HIT_MINUS,
	};
	buf_put(&b->heap, bytes.p, bytes.n);
	return b->heap.bad ? err_nomem(e, b->heap.n) : 0;
}

int
asm_best_add(struct asm_best *b, const struct rec_frame *f,
	     const struct buf *rows, struct err *e)
{
	struct cur c = cur_of(rows->p, rows->n);
	struct chunk k;
	uint32_t run = 0;
	bool again = false;
	int rc = chunk_view(&k, f, e);

	if (rc)
		return rc;
	rc = run_of(b, &k.run, &run, e);
	if (!rc)
		rc = cover(&b->run[run], &k, &again, e);
	chunk_free(&k);
	while (!rc && !again && cur_left(&c))
		rc = keep(b, run, cur_str(&c), e);
	if (b->heap.n > b->sweep_at)
		sweep(b);
	return rc;
}

static int
cmp_rows(const void *x, const void *y)
{
	const struct best_row *a = x, *b = y;

#define BY(field)						\
	if (a->field != b->field)				\
		return a->field < b->field ? -1 : 1
	BY(run);
	BY(ordinal);
	BY(send);
	BY(query);
	BY(minus);
	BY(sbeg);
#undef BY
	return 0;
}

static int
finish_run(struct asm_best *b, uint32_t run, size_t *next, struct buf *out,
	   struct err *e)
{
	struct best_run *u = &b->run[run];
	struct receipt r = { .scan = b->a->key, .last = true,
			     .range = u->range, .n_ranges = u->n };
	struct hits_writer *w = NULL;
	int rc = hits_writer_new(&w, &u->key, &r, e);

	for (; !rc && *next < b->n && b->row[*next].run == run; ++*next) {
		const struct best_row *x = &b->row[*next];
		struct cur c = cur_of(b->heap.p + x->at, x->n);
		struct hit h;

		hit_get(&c, &h, &b->ops);
		rc = c.bad || b->ops.bad ? err_nomem(e, x->n) :
		     hits_add(w, &h, e);
	}
	if (!rc)
		rc = hits_finish(w, out, e);
	hits_writer_free(w);
	return rc;
}

int
asm_best_finish(struct asm_best *b, struct buf *out, struct err *e)
{
	size_t next = 0;
	int rc = 0;

	sweep(b);
	if (b->n)
		qsort(b->row, b->n, sizeof *b->row, cmp_rows);
	for (uint32_t i = 0; i < b->n_runs && !rc; i++)
		rc = finish_run(b, i, &next, out, e);
	return rc;
}
