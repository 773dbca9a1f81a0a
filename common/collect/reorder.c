/* SPDX-License-Identifier: MIT */
/*
 * reorder.c - what waits until its turn has come: frames, and rows in the order
 * of the input; rows that others may hide
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "collect/collect.h"

/*
 * Frames in the order of their input, whatever order they came in
 */

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

	return keys_rank(&t->runs, e);
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

struct late {
	struct hit h;
	struct buf bytes;	/* its CIGAR, letters and names */
};

struct hold {
	uint64_t slack;
	bool by_begin;
	hold_put_fn *put;
	void *ctx;
	/* What the rows that wait have in common. */
	uint64_t run, scan, subject, end;
	struct late **v;	/* in order: [first, n) wait, others spare */
	size_t first, n, cap;
};

int
hold_new(struct hold **out, uint64_t slack, bool by_begin, hold_put_fn *put,
	 void *ctx, struct err *e)
{
	struct hold *h = calloc(1, sizeof *h);

	*out = h;
	if (!h)
		return err_nomem(e, sizeof *h);
	h->slack = slack;
	h->by_begin = by_begin;
	h->put = put;
	h->ctx = ctx;
	return 0;
}

void
hold_free(struct hold *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->cap; i++) {
		if (h->v[i])
			buf_free(&h->v[i]->bytes);
		free(h->v[i]);
	}
	free(h->v);
	free(h);
}

static bool
begins_before(const struct hit *a, const struct hit *b)
{
	if (a->sbeg != b->sbeg)
		return a->sbeg < b->sbeg;
	if (a->send != b->send)
		return a->send < b->send;
	if (a->query.ordinal != b->query.ordinal)
		return a->query.ordinal < b->query.ordinal;
	if (a->qend != b->qend)
		return a->qend < b->qend;
	if ((a->flags ^ b->flags) & HIT_MINUS)
		return b->flags & HIT_MINUS;
	return a->qbeg < b->qbeg;
}

static bool
ends_before(const struct hit *a, const struct hit *b)
{
	if (a->send != b->send)
		return a->send < b->send;
	if (a->query.ordinal != b->query.ordinal)
		return a->query.ordinal < b->query.ordinal;
	if ((a->flags ^ b->flags) & HIT_MINUS)
		return b->flags & HIT_MINUS;
	if (a->sbeg != b->sbeg)
		return a->sbeg < b->sbeg;
	return a->query.len < b->query.len;
}

/* Rows that end (begin) before `place` go on. */
static int
release(struct hold *h, uint64_t place, struct err *e)
{
	int rc = 0;

	for (; h->first < h->n && !rc; h->first++) {
		const struct hit *x = &h->v[h->first]->h;

		if ((h->by_begin ? x->sbeg : x->send) >= place)
			break;
		rc = h->put(h->ctx, h->run, h->scan, x, e);
	}
	return rc;
}

/* Those that went on are spare, behind the others. */
static void
move_up(struct hold *h)
{
	for (size_t i = 0; i < h->n - h->first; i++) {
		struct late *x = h->v[i];

		h->v[i] = h->v[h->first + i];
		h->v[h->first + i] = x;
	}
	h->n -= h->first;
	h->first = 0;
}

static struct late *
new_held(struct hold *h, struct err *e)
{
	size_t cap = h->cap;

	if (h->n == h->cap && h->first > h->n / 2)	/* seldom enough */
		move_up(h);
	if (h->n == h->cap &&
	    array_room(&h->v, &h->cap, h->n + 1, sizeof(struct late *), e))
		return NULL;
	if (h->cap > cap)
		memset(h->v + cap, 0, (h->cap - cap) * sizeof(struct late *));
	if (!h->v[h->n])
		h->v[h->n] = calloc(1, sizeof(struct late));
	if (!h->v[h->n])
		err_nomem(e, sizeof(struct late));
	return h->v[h->n];
}

/* The row behind those that wait is put in order. */
static void
sort_in(struct hold *h)
{
	struct late *x = h->v[h->n];
	size_t i = h->n++;

	for (; i > h->first && (h->by_begin ? begins_before : ends_before)
	     (&x->h, &h->v[i - 1]->h); i--)
		h->v[i] = h->v[i - 1];
	h->v[i] = x;
}

/* n bytes more, for which there is room. */
static void *
keep(struct buf *b, const void *p, size_t n)
{
	void *to = b->p + b->n;

	buf_put(b, p, n);
	return to;
}

static bool
copy_row(struct late *to, const struct hit *row)
{
	struct buf *b = &to->bytes;
	size_t n = row->n_cigar * sizeof *row->cigar + row->letters.n +
		   row->query.name.n + row->subject.name.n;
	struct hit *h = &to->h;

	b->n = 0;
	if (!buf_reserve(b, n + 1))
		return false;
	*h = *row;
	h->cigar = keep(b, row->cigar, row->n_cigar * sizeof *row->cigar);
	h->letters.p = keep(b, row->letters.p, row->letters.n);
	h->query.name.p = keep(b, row->query.name.p, row->query.name.n);
	h->subject.name.p = keep(b, row->subject.name.p, row->subject.name.n);
	return true;
}

int
hold_hit(struct hold *h, uint64_t run, uint64_t scan, const struct hit *row,
	 struct err *e)
{
	struct late *x;
	int rc = 0;

	if (run != h->run || scan != h->scan ||
	    row->subject.ordinal != h->subject) {
		rc = release(h, UINT64_MAX, e);
		h->run = run;
		h->scan = scan;
		h->subject = row->subject.ordinal;
		h->end = 0;
	}
	x = rc ? NULL : new_held(h, e);
	if (!x)
		return e->code;
	if (!copy_row(x, row))
		return err_nomem(e, x->bytes.n);
	sort_in(h);
	h->end = max_u64(h->end, row->send);
	return h->end < h->slack ? 0 : release(h, h->end - h->slack, e);
}

int
hold_finish(struct hold *h, struct err *e)
{
	return release(h, UINT64_MAX, e);
}

/*
 * Rows that others make superfluous: overlapping ones, and shadows
 */

/*
 * Intervals that do not overlap too much, taken greedily
 *
 * An interval lies in the bucket of the place where it begins; none is longer
 * than a bucket is wide.  So what overlaps [beg, end) begins after
 * beg - width and before end: in a bucket from beg / width - 1 to that of
 * end - 1, three at most.
 */

static size_t *
bucket_of(struct overlap *o, uint64_t number)
{
	return &o->bucket[hash64(&number, sizeof number, 0) &
			  (o->n_buckets - 1)];
}

static void
rehash(struct overlap *o)
{
	memset(o->bucket, 0, o->n_buckets * sizeof *o->bucket);
	for (size_t i = 0; i < o->n; i++) {
		size_t *b = bucket_of(o, o->v[i].beg / o->width);

		o->v[i].next = *b;
		*b = i + 1;
	}
}

static int
grow(struct overlap *o, struct err *e)
{
	size_t cap = o->cap ? 2 * o->cap : 64;
	struct interval *v = realloc(o->v, cap * sizeof *v);
	size_t *bucket;

	if (!v)
		return err_nomem(e, cap * sizeof *v);
	o->v = v;
	bucket = realloc(o->bucket, cap * sizeof *bucket);
	if (!bucket)
		return err_nomem(e, cap * sizeof *bucket);
	o->bucket = bucket;
	o->cap = o->n_buckets = cap;
	rehash(o);
	return 0;
}

/* Exact: 29 of 100 letters are not more than 0.29 of them, though 0.29 * 100 is
 * less than 29 as a double. */
static bool
clash(const struct interval *a, uint64_t beg, uint64_t end,
      struct decimal share)
{
	uint64_t from = a->beg > beg ? a->beg : beg;
	uint64_t to = a->end < end ? a->end : end;
	uint64_t x = a->end - a->beg, y = end - beg, shorter = x < y ? x : y;

	return from < to && (unsigned __int128)(to - from) * share.unit >
			    (unsigned __int128)shorter * share.value;
}

static bool
free_place(struct overlap *o, uint64_t beg, uint64_t end, struct decimal share)
{
	uint64_t first = beg / o->width, last = end / o->width;

	for (uint64_t k = first ? first - 1 : 0; k <= last; k++)
		for (size_t i = *bucket_of(o, k); i; i = o->v[i - 1].next)
			if (clash(&o->v[i - 1], beg, end, share))
				return false;
	return true;
}

int
overlap_take(struct overlap *o, uint64_t beg, uint64_t end,
	     struct decimal share, struct err *e)
{
	size_t *b;

	if (!o->width)
		o->width = 64;
	if (o->n == o->cap) {
		int r = grow(o, e);

		if (r < 0)
			return r;
	}
	if (end - beg > o->width) {
		while (o->width < end - beg && o->width < 1ull << 63)
			o->width *= 2;
		rehash(o);
	}
	if (!free_place(o, beg, end, share))
		return 0;
	o->v[o->n] = (struct interval) { beg, end, 0 };
	b = bucket_of(o, beg / o->width);
	o->v[o->n++].next = *b;
	*b = o->n;
	return 1;
}

void
overlap_clear(struct overlap *o)
{
	if (o->n_buckets)
		memset(o->bucket, 0, o->n_buckets * sizeof *o->bucket);
	o->n = 0;
	o->width = 64;
}

void
overlap_free(struct overlap *o)
{
	free(o->v);
	free(o->bucket);
	memset(o, 0, sizeof *o);
}

/* Intervals that none with fewer edits hides. */

enum { ROW_MEMORY = 1 << 20 };

/* Do they overlap by more than half of the shorter? */
static bool
mostly_overlap(const struct shadow_of *a, const struct shadow_of *b)
{
	uint64_t from = max_u64(a->beg, b->beg), to = min_u64(a->end, b->end);
	uint64_t shorter = min_u64(a->end - a->beg, b->end - b->beg);

	return from < to && to - from > shorter / 2;	/* of an odd one, too */
}

static void
hide_either(struct shadow_of *a, struct shadow_of *b)
{
	if (a->edits == b->edits || !mostly_overlap(a, b))
		return;
	if (a->edits < b->edits)
		b->hidden = true;
	else
		a->hidden = true;
}

/* What ends before beg and was handed out goes; the rest moves to the front
 * when that is cheap. */
static void
forget(struct shadow *s, uint64_t beg)
{
	while (s->first < s->next && s->v[s->first].end <= beg)
		s->first++;
	if (s->first <= s->n / 2)
		return;
	memmove(s->v, s->v + s->first, (s->n - s->first) * sizeof *s->v);
	s->n -= s->first;
	s->next -= s->first;
	s->first = 0;
}

int
shadow_add(struct shadow *s, const struct shadow_of *x, const void *row,
	   size_t n, struct err *e)
{
	struct shadow_of *new;
	int rc;

	forget(s, x->beg);
	rc = array_room(&s->v, &s->cap, s->n + 1, sizeof *s->v, e);
	if (rc)
		return rc;
	new = &s->v[s->n];
	*new = *x;
	new->hidden = false;
	for (size_t i = s->first; i < s->n; i++)
		hide_either(&s->v[i], new);
	s->n++;
	s->rows.memory = ROW_MEMORY;
	return queue_push(&s->rows, row, n, e);
}

int
shadow_next(struct shadow *s, uint64_t beg, const void **row, struct err *e)
{
	while (s->next < s->n && s->v[s->next].end <= beg) {
		const struct shadow_of *x = &s->v[s->next];
		const uint8_t *p;
		size_t n;
		int rc = queue_first(&s->rows, &p, &n, e);

		if (rc < 0)
			return rc;
		s->row.n = 0;
		buf_put(&s->row, p, n);
		queue_pop(&s->rows);
		s->next++;
		if (s->row.bad)
			return err_nomem(e, n);
		*row = s->row.p;
		if (!x->hidden)
			return 1;
	}
	return 0;
}

void
shadow_clear(struct shadow *s)
{
	s->first = s->next = s->n = 0;
}

void
shadow_free(struct shadow *s)
{
	free(s->v);
	queue_free(&s->rows);
	buf_free(&s->row);
	memset(s, 0, sizeof *s);
}
