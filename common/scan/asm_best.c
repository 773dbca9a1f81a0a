/* SPDX-License-Identifier: MIT */
/*
 * asm_best.c - rows with the least edits of each query, over a whole stream
 *
 * Threads lower the least of a query as soon as they meet it, so that little
 * that is not the best is ever traced back or kept.  What was kept too early
 * is dropped when memory is full; if most are ties, they go to $TMPDIR.
 */
#include <stdlib.h>

#include "scan/asm_priv.h"
#include "stream/sorter.h"

enum { ROW_MEMORY = 16 << 20 };

struct best_row {
	uint32_t size;		/* of all, a multiple of 8 */
	uint32_t n;		/* hit_put() bytes behind it */
	uint64_t ordinal, send, sbeg;
	uint32_t run, query, edits, minus;
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
	struct sorter *sorter;
	const struct best_row *next;	/* of asm_best_finish(); or NULL */
	struct buf row, ops;
};

static int
cmp_rows(const void *x, const void *y, void *ctx)
{
	const struct best_row *a = *(const struct best_row *const *)x;
	const struct best_row *b = *(const struct best_row *const *)y;

	(void)ctx;
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

/* Has no better one beaten it since? */
static bool
still_best(const struct asm_best *b, const struct best_row *r)
{
	return r->edits == __atomic_load_n(&b->least[r->query],
					   __ATOMIC_RELAXED);
}

static size_t
trim(const void **v, size_t n, void *ctx)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (still_best(ctx, v[i]))
			v[kept++] = v[i];
	return kept;
}

int
asm_best_new(struct asm_best **out, const struct asm_scan *a, struct err *e)
{
	struct asm_best *b = calloc(1, sizeof *b);
	struct sorter_ops ops = { .cmp = cmp_rows, .trim = trim, .ctx = b };
	int rc;

	*out = NULL;
	if (!b)
		return err_nomem(e, sizeof *b);
	b->a = a;
	b->least = malloc(a->q->n * sizeof *b->least);
	rc = b->least ? sorter_new(&b->sorter, &ops, ROW_MEMORY, e) :
	     err_nomem(e, a->q->n * sizeof *b->least);
	if (rc) {
		asm_best_free(b);
		return rc;
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
	free(b->least);
	sorter_free(b->sorter);
	buf_free(&b->row);
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

static int
keep(struct asm_best *b, uint32_t run, struct str bytes, struct err *e)
{
	size_t size = (sizeof(struct best_row) + bytes.n + 7) / 8 * 8;
	struct cur c = cur_of(bytes.p, bytes.n);
	struct best_row r;
	struct hit h;

	hit_get(&c, &h, &b->ops);
	if (c.bad || b->ops.bad)
		return err_nomem(e, bytes.n);
	if (size > UINT32_MAX - 7)
		return err_set(e, ERR_LIMIT, "a row of %zu bytes", size);
	r = (struct best_row){
		.size = (uint32_t)size, .n = (uint32_t)bytes.n,
		.ordinal = h.subject.ordinal, .send = h.send, .sbeg = h.sbeg,
		.run = run, .query = (uint32_t)h.query.ordinal,
		.edits = (uint32_t)h.edits, .minus = h.flags & HIT_MINUS,
	};
	if (!still_best(b, &r))
		return 0;
	b->row.n = 0;
	buf_put(&b->row, &r, sizeof r);
	buf_put(&b->row, bytes.p, bytes.n);
	buf_zero(&b->row, size - b->row.n);
	return b->row.bad ? err_nomem(e, size) :
	       sorter_add(b->sorter, b->row.p, e);
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
	return rc;
}

/* b->next becomes the next row that is among the best, or NULL. */
static int
next_row(struct asm_best *b, struct err *e)
{
	const void *row;
	int rc;

	do {
		rc = sorter_next(b->sorter, &row, e);
		b->next = rc > 0 ? row : NULL;
	} while (b->next && !still_best(b, b->next));
	return rc < 0 ? rc : 0;
}

/* Frames that closed go on. */
static int
pass(struct hits_writer *w, asm_best_put_fn *put, void *ctx, struct err *e)
{
	struct buf b = { 0 };
	int rc = 0;

	hits_take(w, &b);
	if (b.n)
		rc = put(ctx, &b, e);
	buf_free(&b);
	return rc;
}

static int
finish_run(struct asm_best *b, uint32_t run, asm_best_put_fn *put, void *ctx,
	   struct err *e)
{
	struct best_run *u = &b->run[run];
	struct receipt r = { .scan = b->a->key, .last = true,
			     .range = u->range, .n_ranges = u->n };
	struct hits_writer *w = NULL;
	struct buf last = { 0 };
	int rc = hits_writer_new(&w, &u->key, &r, e);

	while (!rc && b->next && b->next->run == run) {
		struct cur c = cur_of(b->next + 1, b->next->n);
		struct hit h;

		hit_get(&c, &h, &b->ops);
		rc = c.bad || b->ops.bad ? err_nomem(e, b->next->n) :
		     hits_add(w, &h, e);
		if (!rc)
			rc = pass(w, put, ctx, e);
		if (!rc)
			rc = next_row(b, e);
	}
	if (!rc)
		rc = hits_finish(w, &last, e);
	if (!rc)
		rc = put(ctx, &last, e);
	buf_free(&last);
	hits_writer_free(w);
	return rc;
}

int
asm_best_finish(struct asm_best *b, asm_best_put_fn *put, void *ctx,
		struct err *e)
{
	int rc = sorter_finish(b->sorter, e);

	if (!rc)
		rc = next_row(b, e);
	for (uint32_t i = 0; i < b->n_runs && !rc; i++)
		rc = finish_run(b, i, put, ctx, e);
	return rc;
}
