/* SPDX-License-Identifier: MIT */
/*
 * sw_scan_best.c - the best rows of each query, over a whole stream
 *
 * Rows go to a topk (topk.h), whose order and classes are those of merge-topk:
 * so what is kept here is what it would keep.  Beside it stand the K best
 * scores of each query, as a heap, whose least is the bound that later chunks
 * need not go below.  Only rows that are told once count there: of a class,
 * the one from the chunk that owns its start.  So the bound is never above the
 * score of the last of the K best, of which there are K different ones as good.
 */
#include <stdlib.h>

#include "scan/sw_scan_priv.h"
#include "stream/sorter.h"
#include "stream/topk.h"

enum { ROW_MEMORY = 16 << 20 };

struct scores {		/* the largest ones, the least of them first */
	int64_t *v;
	size_t n, cap;
};

struct sw_kept {
	const struct sw_scan *s;
	struct whole whole;
	struct topk *topk;
	struct scores *scores;	/* of each query */
	int64_t *least;		/* of each query, in units; shared by threads */
	struct sorter *sorter;	/* of sw_kept_finish() */
	const struct whole_row *next;
	bool taken;
	struct buf bytes, row, ops;
};

int
sw_kept_new(struct sw_kept **out, const struct sw_scan *s, struct err *e)
{
	struct sw_kept *k = calloc(1, sizeof *k);
	struct topk_params best = { .n = (uint64_t)s->o.n };
	struct sorter_ops ops = { .cmp = whole_cmp };
	size_t n = s->q->n;
	int rc;

	*out = NULL;
	if (!k)
		return err_nomem(e, sizeof *k);
	k->s = s;
	k->scores = calloc(n, sizeof *k->scores);
	k->least = malloc(n * sizeof *k->least);
	rc = k->scores && k->least ? topk_new(&k->topk, &best, e) :
	     err_nomem(e, n * (sizeof *k->scores + sizeof *k->least));
	if (!rc)
		rc = sorter_new(&k->sorter, &ops, ROW_MEMORY, e);
	if (rc) {
		sw_kept_free(k);
		return rc;
	}
	for (size_t i = 0; i < n; i++)
		k->least[i] = s->o.min_score / s->unit +
			      (s->o.min_score % s->unit != 0);
	*out = k;
	return 0;
}

void
sw_kept_free(struct sw_kept *k)
{
	if (!k)
		return;
	whole_free(&k->whole);
	if (k->topk)
		topk_free(k->topk);
	for (size_t i = 0; k->scores && i < k->s->q->n; i++)
		free(k->scores[i].v);
	free(k->scores);
	free(k->least);
	sorter_free(k->sorter);
	buf_free(&k->bytes);
	buf_free(&k->row);
	buf_free(&k->ops);
	free(k);
}

const int64_t *
sw_kept_least(const struct sw_kept *k, uint32_t query)
{
	return &k->least[query];
}

void
sw_kept_raise(const struct sw_kept *k, uint32_t query, int64_t score)
{
	int64_t was = __atomic_load_n(&k->least[query], __ATOMIC_RELAXED);

	while (was < score &&
	       !__atomic_compare_exchange_n(&k->least[query], &was, score,
					    false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		continue;
}

void
sw_kept_row(struct buf *rows, bool fresh, const struct hit *h,
	    struct buf *scratch)
{
	scratch->n = 0;
	hit_put(scratch, h);
	rows->bad |= scratch->bad;
	buf_u8(rows, fresh);
	buf_str(rows, scratch->p, scratch->n);
}

/* v[i] is larger than it was: down with it. */
static void
sink_down(struct scores *s, size_t i)
{
	for (size_t c; (c = 2 * i + 1) < s->n; i = c) {
		int64_t x = s->v[i];

		if (c + 1 < s->n && s->v[c + 1] < s->v[c])
			c++;
		if (s->v[c] >= x)
			return;
		s->v[i] = s->v[c];
		s->v[c] = x;
	}
}

static void
rise_up(struct scores *s, size_t i)
{
	for (size_t up; i > 0; i = up) {
		int64_t x = s->v[i];

		up = (i - 1) / 2;
		if (s->v[up] <= x)
			return;
		s->v[i] = s->v[up];
		s->v[up] = x;
	}
}

static int
count(struct sw_kept *k, uint32_t query, int64_t score, struct err *e)
{
	struct scores *s = &k->scores[query];
	size_t most = (size_t)k->s->o.n;

	if (s->n == s->cap && s->n < most) {
		size_t cap = s->cap * 2 + 4;
		int64_t *v;

		cap = cap < most ? cap : most;
		v = realloc(s->v, cap * sizeof *v);
		if (!v)
			return err_nomem(e, cap * sizeof *v);
		s->v = v;
		s->cap = cap;
	}
	if (s->n < most) {
		s->v[s->n++] = score;
		rise_up(s, s->n - 1);
	} else if (score > s->v[0]) {
		s->v[0] = score;
		sink_down(s, 0);
	}
	if (s->n == most)
		sw_kept_raise(k, query, s->v[0]);
	return 0;
}

static int
keep(struct sw_kept *k, uint32_t run, bool fresh, struct str bytes,
     struct err *e)
{
	struct cur c = cur_of(bytes.p, bytes.n);
	struct hit h;
	uint32_t query;
	int64_t score;
	int rc;

	hit_get(&c, &h, &k->ops);
	if (c.bad || k->ops.bad)
		return err_nomem(e, bytes.n);
	query = (uint32_t)h.query.ordinal;
	score = h.score / k->s->unit;
	if (score < __atomic_load_n(&k->least[query], __ATOMIC_RELAXED))
		return 0;
	rc = topk_add(k->topk, &k->whole.run[run].key, &k->s->key, &h, e);
	return rc || !fresh ? rc : count(k, query, score, e);
}

int
sw_kept_add(struct sw_kept *k, const struct rec_frame *f,
	    const struct buf *rows, struct err *e)
{
	struct cur c = cur_of(rows->p, rows->n);
	uint32_t run = 0;
	bool again = false;
	int rc = whole_cover(&k->whole, f, &run, &again, e);

	while (!rc && !again && cur_left(&c)) {
		bool fresh = cur_le(&c, 1);

		rc = keep(k, run, fresh, cur_str(&c), e);
	}
	return rc;
}

/* The best ones, in the order of a scanner. */
static int
sort(struct sw_kept *k, struct err *e)
{
	const struct run_key *run;
	const struct scan_key *scan;
	struct hit h;
	int got = 0, rc = topk_finish(k->topk, e);

	while (!rc && (got = topk_next(k->topk, &run, &scan, &h, e)) > 0) {
		k->bytes.n = 0;
		hit_put(&k->bytes, &h);
		if (k->bytes.bad)
			return err_nomem(e, k->bytes.n);
		rc = whole_row(&k->row, (uint32_t)whole_find(&k->whole,
							     run->id), &h,
			       (struct str){ (char *)k->bytes.p, k->bytes.n },
			       e);
		if (!rc)
			rc = sorter_add(k->sorter, k->row.p, e);
	}
	if (got < 0)
		rc = got;
	return rc ? rc : sorter_finish(k->sorter, e);
}

static int
next(void *ctx, uint32_t run, struct hit *h, struct err *e)
{
	struct sw_kept *k = ctx;
	const void *row;
	struct cur c;
	int got;

	if (k->taken) {
		got = sorter_next(k->sorter, &row, e);
		if (got < 0)
			return got;
		k->next = got > 0 ? row : NULL;
		k->taken = false;
	}
	if (!k->next || k->next->run != run)
		return 0;
	c = cur_of(k->next + 1, k->next->n);
	hit_get(&c, h, &k->ops);
	if (c.bad || k->ops.bad)
		return err_nomem(e, k->next->n);
	k->taken = true;
	return 1;
}

int
sw_kept_finish(struct sw_kept *k, whole_put_fn *put, void *ctx,
	       struct err *e)
{
	struct whole_ops ops = { next, k, put, ctx };
	int rc = sort(k, e);

	k->taken = true;
	return rc ? rc : whole_finish(&k->whole, &k->s->key, &ops, e);
}
