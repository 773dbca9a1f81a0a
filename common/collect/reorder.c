/* SPDX-License-Identifier: MIT */
/*
 * reorder.c - frames in the order of their input, whatever order they came in
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "collect/reorder.h"
#include "collect/topk.h"

enum { MEMORY = 64 << 20 };

/* How a frame waits: a row of the sorter, the payload behind it. */
struct held {
	uint32_t size, run, records, n, number, type;
	uint64_t id, scan, first, serial;
};

/* The results of one scan of one run, as far as they went on. */
struct lane {
	uint32_t run, number;	/* the next frame's */
	uint64_t scan, next;
	size_t before;		/* number + 1 of another one of the run */
};

struct turn {
	turn_fn *put;
	void *ctx;
	struct keys runs;
	struct buf chunks;	/* uint64_t: of each run, 0: no END yet */
	struct buf lanes;	/* struct lane */
	struct index lane_of, last_lane;	/* numbers + 1, by run and
						   scan; by run */
	bool begun;		/* run `run` went on last */
	uint32_t run;
	struct sorter *held;
	struct buf row;
};

int
turn_new(struct turn **out, turn_fn *put, void *ctx, struct err *e)
{
	struct turn *t = calloc(1, sizeof *t);

	*out = t;
	if (!t)
		return err_nomem(e, sizeof *t);
	t->put = put;
	t->ctx = ctx;
	return 0;
}

void
turn_free(struct turn *t)
{
	if (!t)
		return;
	keys_free(&t->runs);
	sorter_free(t->held);
	buf_free(&t->chunks);
	buf_free(&t->lanes);
	index_free(&t->lane_of);
	index_free(&t->last_lane);
	buf_free(&t->row);
	free(t);
}

static int
compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* 0 for the run that has begun, which stays the same while frames wait: it
 * goes on before others begin. */
static uint64_t
run_place(const struct turn *t, const struct held *h)
{
	return t->begun && h->run == t->run ? 0 :
	       (uint64_t)t->runs.v[h->run].rank + 1;
}

static int
cmp_held(const void *pa, const void *pb, void *ctx)
{
	const struct held *a = *(const struct held *const *)pa;
	const struct held *b = *(const struct held *const *)pb;
	int d = compare(run_place(ctx, a), run_place(ctx, b));

	d = d ? d : compare(a->first, b->first);
	d = d ? d : compare(a->scan, b->scan);
	return d ? d : compare(a->number, b->number);
}

static int
rank_runs(void *ctx, struct err *e)
{
	struct turn *t = ctx;

	return keys_rank(&t->runs, false, e);
}

static int
hold(struct turn *t, uint32_t run, const struct turn_place *at,
     const struct rec_frame *f, struct err *e)
{
	struct sorter_ops ops = { .cmp = cmp_held, .ctx = t,
				  .prepare = rank_runs };
	struct held h = { .run = run, .records = f->records,
			  .n = (uint32_t)f->n, .number = at->number,
			  .type = f->type, .id = f->run, .scan = at->scan,
			  .first = at->first, .serial = f->serial };
	int rc = 0;

	if (!t->held)
		rc = sorter_new(&t->held, &ops, MEMORY, e);
	if (rc < 0)
		return rc;
	/* REC_MAX_PAYLOAD is 2^30: the size fits */
	h.size = (uint32_t)((sizeof h + f->n + 7) & ~(size_t)7);
	t->row.n = 0;
	buf_put(&t->row, &h, sizeof h);
	buf_put(&t->row, f->payload, f->n);
	buf_zero(&t->row, h.size - t->row.n);
	return t->row.bad ? err_nomem(e, h.size) :
			    sorter_add(t->held, t->row.p, e);
}

/* Index of the run; room for its number of chunks. */
static long
find_run(struct turn *t, const struct run_key *run, struct err *e)
{
	long i;

	/* Once frames lie sorted by the runs' names these must not change:
	 * a run would be torn apart where parts of it are merged. */
	t->runs.fixed = t->held && sorter_sorted(t->held);
	i = keys_run(&t->runs, run, e);
	if (i >= 0 && t->chunks.n <= (size_t)i * 8) {
		buf_u64(&t->chunks, 0);
		if (t->chunks.bad)
			return err_nomem(e, t->chunks.n);
	}
	return i;
}

/* The lane, begun if it is new; NULL: no memory. */
static struct lane *
find_lane(struct turn *t, uint32_t run, uint64_t scan)
{
	struct lane new = { .run = run, .scan = scan };
	size_t n = index_number(&t->lane_of, run, scan);

	if (n)
		return (struct lane *)(void *)t->lanes.p + n - 1;
	new.before = index_number(&t->last_lane, run, 0);
	buf_put(&t->lanes, &new, sizeof new);
	n = t->lanes.n / sizeof new;
	if (t->lanes.bad || !index_set_number(&t->lane_of, run, scan, n) ||
	    !index_set_number(&t->last_lane, run, 0, n))
		return NULL;
	return (struct lane *)(void *)t->lanes.p + n - 1;
}

/* Did all results of the run that went on last go on? */
static bool
run_is_over(const struct turn *t)
{
	const struct lane *v = (const struct lane *)(const void *)t->lanes.p;
	size_t i = index_number(&t->last_lane, t->run, 0);
	uint64_t chunks;

	memcpy(&chunks, t->chunks.p + (size_t)t->run * 8, 8);
	for (; i; i = v[i - 1].before)
		if (v[i - 1].next < chunks || v[i - 1].number)
			return false;
	return chunks > 0;
}

int
turn_frame(struct turn *t, const struct turn_place *at,
	   const struct rec_frame *f, struct err *e)
{
	long run = find_run(t, at->run, e);
	struct lane *l;

	if (run < 0)
		return (int)run;
	if (t->begun ? t->run != run && (t->held || !run_is_over(t)) :
		       t->held != NULL)
		return hold(t, (uint32_t)run, at, f, e);
	l = find_lane(t, (uint32_t)run, at->scan);
	if (!l)
		return err_nomem(e, sizeof *l);
	if (at->first != l->next || at->number != l->number)
		return hold(t, (uint32_t)run, at, f, e);
	t->begun = true;
	t->run = (uint32_t)run;
	l->number = at->last ? 0 : at->number + 1;
	l->next = at->last ? at->end : at->first;
	return t->put(t->ctx, f, e);
}

int
turn_end(struct turn *t, const struct run_key *run, uint64_t chunks,
	 struct err *e)
{
	long i = find_run(t, run, e);

	if (i < 0)
		return (int)i;
	memcpy(t->chunks.p + (size_t)i * 8, &chunks, 8);
	return 0;
}

static int
put_held(struct turn *t, const struct held *h, struct err *e)
{
	struct rec_frame *f = rec_frame_new(h->n);
	int rc;

	if (!f)
		return err_nomem(e, h->n);
	f->type = (uint8_t)h->type;
	f->records = h->records;
	f->run = h->id;
	f->serial = h->serial;
	memcpy(f->payload, h + 1, h->n);
	rc = t->put(t->ctx, f, e);
	rec_frame_drop(f);
	return rc;
}

int
turn_finish(struct turn *t, struct err *e)
{
	const void *row;
	int rc;

	if (!t->held)
		return 0;
	rc = sorter_finish(t->held, e);
	while (rc == 0 && (rc = sorter_next(t->held, &row, e)) > 0)
		rc = put_held(t, row, e);
	return rc;
}
