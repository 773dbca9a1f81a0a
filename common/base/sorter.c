/* SPDX-License-Identifier: MIT */
/* sorter.c - external merge sort (Knuth, TAOCP 3, section 5.4) */

#include <stdlib.h>

#include "base/base.h"
#include "base/port.h"

/* MAX_RUNS runs become one, so that reading needs little memory. */
enum { MAX_RUNS = 128, READ_BYTES = 64 << 10, WRITE_BYTES = 1 << 20,
       DROPPED = 1 };

struct sorted_run {
	uint64_t at, end;	/* what is not read yet, in the spool */
	struct buf b;
	size_t pos;		/* the row that is next, in b */
};

struct sorter {
	struct sorter_ops ops;
	size_t memory;
	struct buf rows;
	size_t n_rows;
	const void **v;		/* sorted, after sorter_finish() */
	size_t n_v, at;
	struct spool spool;
	struct sorted_run run[MAX_RUNS];
	size_t n_runs;
	unsigned heap[MAX_RUNS];	/* runs, the least row first */
	size_t n_heap;
	bool started;		/* heap[0]'s row was handed out */
	bool sorted;		/* some rows were put in order */
};

static uint32_t
size_of(const void *row)
{
	uint32_t n;

	memcpy(&n, row, sizeof n);
	return n;
}

int
sorter_new(struct sorter **s, const struct sorter_ops *ops, size_t memory,
	   struct err *e)
{
	*s = calloc(1, sizeof **s);
	if (!*s)
		return err_nomem(e, sizeof **s);
	(*s)->ops = *ops;
	(*s)->memory = memory;
	return 0;
}

bool
sorter_sorted(const struct sorter *s)
{
	return s->sorted;
}

void
sorter_free(struct sorter *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_runs; i++)
		buf_free(&s->run[i].b);
	spool_close(&s->spool);
	buf_free(&s->rows);
	free(s->v);
	free(s);
}

/* Pointers to all rows in memory, sorted and trimmed. */
static int
sort_rows(struct sorter *s, struct err *e)
{
	size_t bytes = (s->n_rows + 1) * sizeof *s->v;
	uint8_t *p = s->rows.p;
	int r = s->ops.prepare ? s->ops.prepare(s->ops.ctx, e) : 0;

	if (r < 0)
		return r;
	free(s->v);
	s->v = malloc(bytes);
	if (!s->v)
		return err_nomem(e, bytes);
	for (size_t i = 0; i < s->n_rows; i++) {
		s->v[i] = p;
		p += size_of(p);
	}
	s->n_v = s->n_rows;
	if (s->n_v)
		sort_with(s->v, s->n_v, sizeof *s->v, s->ops.cmp, s->ops.ctx);
	if (s->ops.trim)
		s->n_v = s->ops.trim(s->v, s->n_v, s->ops.ctx);
	s->sorted = true;
	return 0;
}

/* Keep the rows of v only, in place: sizes are even, bit 0 marks the rest. */
static void
compact(struct sorter *s)
{
	uint8_t *from = s->rows.p, *end = from + s->rows.n, *to = from;
	uint32_t n;

	for (uint8_t *p = from; p < end; p += n) {
		uint32_t marked = (n = size_of(p)) | DROPPED;

		memcpy(p, &marked, sizeof marked);
	}
	for (size_t i = 0; i < s->n_v; i++) {
		n = size_of(s->v[i]) & ~(uint32_t)DROPPED;
		memcpy(s->rows.p + ((const uint8_t *)s->v[i] - s->rows.p), &n,
		       sizeof n);
	}
	for (; from < end; from += n & ~(uint32_t)DROPPED) {
		n = size_of(from);
		if (n & DROPPED)
			continue;
		memmove(to, from, n);
		to += n;
	}
	s->rows.n = (size_t)(to - s->rows.p);
	s->n_rows = s->n_v;
}

/* Rows go to the spool by large writes. */
static int
put_row(struct sorter *s, struct buf *b, const void *row, struct err *e)
{
	int r = 0;

	buf_put(b, row, size_of(row));
	if (b->bad)
		return err_nomem(e, b->n);
	if (b->n >= WRITE_BYTES) {
		r = spool_append(&s->spool, b->p, b->n, e);
		b->n = 0;
	}
	return r;
}

static const void *
head(const struct sorted_run *q)
{
	return q->b.p + q->pos;
}

/* Make the row at pos whole; *more is false at the end of the run. */
static int
fill(struct sorter *s, struct sorted_run *q, bool *more, struct err *e)
{
	for (;;) {
		size_t have = q->b.n - q->pos, n;
		int r;

		*more = have >= 4 && have >= size_of(head(q));
		if (*more || q->at == q->end)
			return 0;
		n = have >= 4 ? size_of(head(q)) : READ_BYTES;
		n = n > READ_BYTES ? n : READ_BYTES;
		n = n < q->end - q->at ? n : (size_t)(q->end - q->at);
		if (have)
			memmove(q->b.p, q->b.p + q->pos, have);
		q->pos = 0;
		q->b.n = have;
		if (!buf_reserve(&q->b, n))
			return err_nomem(e, n);
		r = spool_read(&s->spool, q->at, q->b.p + have, n, e);
		if (r < 0)
			return r;
		q->b.n += n;
		q->at += n;
	}
}

static bool
less(struct sorter *s, unsigned a, unsigned b)
{
	int c = s->ops.cmp(&(const void *){ head(&s->run[a]) },
			   &(const void *){ head(&s->run[b]) }, s->ops.ctx);

	return c ? c < 0 : a < b;
}

static void
sift(struct sorter *s, size_t i)
{
	for (;;) {
		size_t least = i, c = 2 * i + 1;
		unsigned t;

		for (size_t k = c; k < c + 2 && k < s->n_heap; k++)
			if (less(s, s->heap[k], s->heap[least]))
				least = k;
		if (least == i)
			return;
		t = s->heap[i];
		s->heap[i] = s->heap[least];
		s->heap[least] = t;
		i = least;
	}
}

static int
heap_start(struct sorter *s, struct err *e)
{
	s->n_heap = 0;
	s->started = false;
	for (size_t i = 0; i < s->n_runs; i++) {
		bool more;
		int r = fill(s, &s->run[i], &more, e);

		if (r < 0)
			return r;
		if (more)
			s->heap[s->n_heap++] = (unsigned)i;
	}
	for (size_t i = s->n_heap; i-- > 0;)
		sift(s, i);
	return 0;
}

/* All runs become one at the end of the spool. */
static int
merge_runs(struct sorter *s, struct err *e)
{
	uint64_t at = s->spool.n;
	struct buf b = { 0 };
	const void *row;
	int r = heap_start(s, e);

	while (r >= 0 && (r = sorter_next(s, &row, e)) > 0)
		r = put_row(s, &b, row, e);
	if (r == 0)
		r = spool_append(&s->spool, b.p, b.n, e);
	buf_free(&b);
	for (size_t i = 0; i < s->n_runs; i++)
		buf_free(&s->run[i].b);
	memset(s->run, 0, sizeof s->run);
	s->n_runs = 1;
	s->run[0].at = at;
	s->run[0].end = s->spool.n;
	return r;
}

/* The rows of v become a run. */
static int
spill(struct sorter *s, struct err *e)
{
	uint64_t at = s->spool.n;
	struct buf b = { 0 };
	int r = 0;

	for (size_t i = 0; i < s->n_v && r == 0; i++)
		r = put_row(s, &b, s->v[i], e);
	if (r == 0)
		r = spool_append(&s->spool, b.p, b.n, e);
	buf_free(&b);
	if (r < 0)
		return r;
	s->run[s->n_runs].at = at;
	s->run[s->n_runs++].end = s->spool.n;
	s->rows.n = s->n_rows = s->n_v = 0;
	return s->n_runs == MAX_RUNS ? merge_runs(s, e) : 0;
}

/*
 * Memory is full.  If trimming frees half of it no file is needed; else rows
 * go out, so that the cost of sorting stays O(log n) a row either way.
 */
static int
reduce(struct sorter *s, struct err *e)
{
	size_t kept = 0;
	int r = sort_rows(s, e);

	if (r < 0)
		return r;
	for (size_t i = 0; i < s->n_v; i++)
		kept += size_of(s->v[i]) + sizeof *s->v;
	if (kept > s->memory / 2)
		return spill(s, e);
	compact(s);
	return 0;
}

int
sorter_add(struct sorter *s, const void *row, struct err *e)
{
	uint32_t n = size_of(row);

	if (s->n_rows && s->rows.n + n + (s->n_rows + 1) * sizeof *s->v >
	    s->memory) {
		int r = reduce(s, e);

		if (r < 0)
			return r;
	}
	buf_put(&s->rows, row, n);
	if (s->rows.bad)
		return err_nomem(e, s->rows.n + n);
	s->n_rows++;
	return 0;
}

int
sorter_finish(struct sorter *s, struct err *e)
{
	int r = sort_rows(s, e);

	if (r < 0 || !s->n_runs)
		return r;
	r = spill(s, e);
	buf_free(&s->rows);
	return r < 0 ? r : heap_start(s, e);
}

/* The row handed out last is done with: its run moves on. */
static int
advance(struct sorter *s, struct err *e)
{
	struct sorted_run *q = &s->run[s->heap[0]];
	bool more;
	int r;

	q->pos += size_of(head(q));
	r = fill(s, q, &more, e);
	if (r < 0)
		return r;
	if (!more)
		s->heap[0] = s->heap[--s->n_heap];
	sift(s, 0);
	return 0;
}

int
sorter_next(struct sorter *s, const void **row, struct err *e)
{
	if (!s->n_runs) {
		if (s->at == s->n_v)
			return 0;
		*row = s->v[s->at++];
		return 1;
	}
	if (s->started && s->n_heap) {
		int r = advance(s, e);

		if (r < 0)
			return r;
	}
	s->started = true;
	if (!s->n_heap)
		return 0;
	*row = head(&s->run[s->heap[0]]);
	return 1;
}
