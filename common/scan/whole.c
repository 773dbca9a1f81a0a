/* SPDX-License-Identifier: MIT */
/* whole.c - results of a whole stream: what was covered, and the rows */

#include <stdlib.h>

#include "base/base.h"
#include "rec/rec.h"
#include "scan/whole.h"

void
whole_free(struct whole *w)
{
	for (size_t i = 0; i < w->n_runs; i++) {
		buf_free(&w->run[i].names);
		free(w->run[i].range);
		free(w->run[i].seen);
	}
	free(w->run);
	index_free(&w->by_id);
	memset(w, 0, sizeof *w);
}

long
whole_find(const struct whole *w, uint64_t run)
{
	return (long)index_number(&w->by_id, run, 0) - 1;
}

int
whole_meet(struct whole *w, const struct run_key *k, uint32_t *index,
	   struct err *e)
{
	struct whole_run *r;
	long at = whole_find(w, k->id);
	struct cur c;

	if (at >= 0) {
		*index = (uint32_t)at;
		return 0;
	}
	if (array_room(&w->run, &w->cap_runs, w->n_runs + 1, sizeof *r, e))
		return e->code;
	r = w->run + w->n_runs;
	memset(r, 0, sizeof *r);
	run_key_put(&r->names, k);
	if (r->names.bad ||
	    !index_set_number(&w->by_id, k->id, 0, w->n_runs + 1)) {
		buf_free(&r->names);
		return err_nomem(e, 64);
	}
	c = cur_of(r->names.p, r->names.n);
	run_key_get(&c, k->id, &r->key);
	*index = (uint32_t)w->n_runs++;
	return 0;
}

/* Where a hash is, or should be. */
static uint64_t *
seen_slot(const struct whole_run *r, uint64_t key)
{
	size_t i = key & (r->n_slots - 1);

	while (r->seen[i] && r->seen[i] != key)
		i = (i + 1) & (r->n_slots - 1);
	return &r->seen[i];
}

static int
seen_grow(struct whole_run *r, struct err *e)
{
	uint64_t *old = r->seen;
	size_t n = r->n_slots;
	int rc;

	r->seen = NULL;
	rc = slots_double(&r->seen, &r->n_slots, sizeof *r->seen, e);
	if (rc) {
		r->seen = old;
		return rc;
	}
	for (size_t i = 0; i < n; i++)
		if (old[i])
			*seen_slot(r, old[i]) = old[i];
	free(old);
	return 0;
}

/* Take note of a chunk; *known: the same one was before. */
static int
see(struct whole_run *r, const struct chunk *c, bool *known, struct err *e)
{
	uint64_t v[] = { c->serial, c->owned, c->digest }, *slot;
	uint64_t key = hash64(v, sizeof v, 0);
	int rc = 0;

	key += key == 0;
	if (2 * r->n_seen >= r->n_slots)
		rc = seen_grow(r, e);
	if (rc)
		return rc;
	slot = seen_slot(r, key);
	*known = *slot == key;
	*slot = key;
	r->n_seen += !*known;
	return 0;
}

/* Add what a chunk covers; *again: it was covered already. */
static int
cover(struct whole_run *r, const struct chunk *c, bool *again, struct err *e)
{
	size_t i;
	struct range *x;
	bool known;
	int rc = array_room(&r->range, &r->cap, r->n + 1, sizeof *x, e);

	if (!rc)
		rc = see(r, c, &known, e);
	if (rc)
		return rc;
	i = array_first(r->range, r->n, sizeof *x,
			offsetof(struct range, first), c->serial);
	i += i < r->n && r->range[i].first == c->serial;
	x = r->range + i;	/* the first one behind the chunk */
	*again = i > 0 && x[-1].end > c->serial;
	if (*again) {
		x[-1].digest += known ? 0 : RANGE_SPOIL;
		return 0;
	}
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

int
whole_cover(struct whole *w, const struct rec_frame *f, uint32_t *run,
	    bool *again, struct err *e)
{
	struct chunk c;
	int rc = chunk_view(&c, f, e);

	if (rc)
		return rc;
	rc = whole_meet(w, &c.run, run, e);
	if (!rc)
		rc = cover(&w->run[*run], &c, again, e);
	chunk_free(&c);
	return rc;
}

int
whole_row(struct buf *b, uint32_t run, const struct hit *h, int64_t score,
	  struct str bytes, struct err *e)
{
	size_t size = (sizeof(struct whole_row) + bytes.n + 7) / 8 * 8;
	struct whole_row r = {
		.size = (uint32_t)size, .n = (uint32_t)bytes.n,
		.ordinal = h->subject.ordinal, .send = h->send,
		.sbeg = h->sbeg, .qbeg = h->qbeg, .qend = h->qend, .run = run,
		.query = (uint32_t)h->query.ordinal,
		.minus = (h->flags & HIT_MINUS) != 0, .score = score,
	};

	if (size > UINT32_MAX - 7)
		return err_set(e, ERR_LIMIT, "a row of %zu bytes", size);
	b->n = 0;
	buf_put(b, &r, sizeof r);
	buf_put(b, bytes.p, bytes.n);
	buf_zero(b, size - sizeof r - bytes.n);
	return b->bad ? err_nomem(e, size) : 0;
}

int
whole_cmp(const void *x, const void *y, void *ctx)
{
	const struct whole_row *a = *(const struct whole_row *const *)x;
	const struct whole_row *b = *(const struct whole_row *const *)y;

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
	BY(qbeg);
	BY(qend);
#undef BY
	return 0;
}

/* Frames that closed go on. */
static int
pass(struct hits_writer *w, const struct whole_ops *o, struct err *e)
{
	struct buf b = { 0 };
	int rc = 0;

	hits_take(w, &b);
	if (b.n)
		rc = o->put(o->put_ctx, &b, e);
	buf_free(&b);
	return rc;
}

static int
finish_run(const struct whole_run *u, uint32_t run,
	   const struct scan_key *scan, const struct whole_ops *o,
	   struct err *e)
{
	struct receipt r = { .scan = *scan, .last = true,
			     .unmerged = true,
			     .range = u->range, .n_ranges = u->n };
	struct hits_writer *w = NULL;
	struct buf last = { 0 };
	struct hit h;
	int got = 0, rc = hits_writer_new(&w, &u->key, &r, e);

	while (!rc && (got = o->next(o->next_ctx, run, &h, e)) > 0) {
		rc = hits_add(w, &h, e);
		if (!rc)
			rc = pass(w, o, e);
	}
	if (got < 0)
		rc = got;
	if (!rc)
		rc = hits_finish(w, &last, e);
	if (!rc)
		rc = o->put(o->put_ctx, &last, e);
	buf_free(&last);
	hits_writer_free(w);
	return rc;
}

int
whole_finish(const struct whole *w, const struct scan_key *scan,
	     const struct whole_ops *ops, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; i < w->n_runs && !rc; i++)
		rc = finish_run(&w->run[i], i, scan, ops, e);
	return rc;
}
