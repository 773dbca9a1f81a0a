/* SPDX-License-Identifier: MIT */
/*
 * asm_best.c - rows with the least edits of each query, over a whole stream
 *
 * Threads lower the least of a query as soon as they meet it, so that little
 * that is not the best is ever traced back or kept.  What was kept too early
 * is dropped when memory is full; if most are ties, they go to $TMPDIR.
 */

#include <stdlib.h>

#include "base/base.h"
#include "scan/asm/asm_priv.h"

/* Numbers of ends by pattern, strand and distance, of a chunk. */

struct counter {
	const struct asm_pattern *pattern;
	uint64_t *counts;
};

static int
count_hits(void *ctx, const struct kdiff_hit *hit, size_t n, struct err *e)
{
	const struct counter *c = ctx;
	const struct asm_pattern *p = c->pattern;

	(void)e;
	for (size_t i = 0; i < n; i++)
		c->counts[p[hit[i].pattern].count + hit[i].dist]++;
	return 0;
}

/* Beside other threads at the same chunk each counts by itself first. */
static uint64_t *
own_counts(struct asm_thread *t, struct err *e)
{
	size_t n = t->a->n_counts;

	if (t->counts)
		memset(t->counts, 0, n * sizeof *t->counts);
	else
		t->counts = calloc(n, sizeof *t->counts);
	if (!t->counts)
		err_nomem(e, n * sizeof *t->counts);
	return t->counts;
}

int
asm_part_tally(struct asm_thread *t, struct asm_cut *c,
	       const struct asm_part *p, struct err *e)
{
	const struct asm_scan *a = t->a;
	struct counter to = { a->pattern, c->counts };
	int rc;

	if (c->n_parts > 1)
		to.counts = own_counts(t, e);
	if (!to.counts)
		return e->code;
	rc = kdiff_each_unordered(a->set, &p->x, t->work, count_hits, &to, e);
	if (rc || c->n_parts == 1)
		return rc;
	pthread_mutex_lock(&c->lock);
	for (size_t i = 0; i < a->n_counts; i++)
		c->counts[i] += to.counts[i];
	pthread_mutex_unlock(&c->lock);
	return 0;
}

/* Rows of the counts that are not 0, by query, strand and edits. */
static size_t
tally_rows(const struct asm_cut *c, struct tally_row *row)
{
	const struct asm_scan *a = c->a;
	size_t n = 0;

	for (size_t i = 0; i < a->n_patterns; i++)
		for (uint64_t d = 0; d <= a->pattern[i].k; d++) {
			const struct asm_pattern *p = &a->pattern[i];
			const struct query *q = &a->q->v[p->query];
			uint64_t count = c->counts[p->count + d];

			if (count && row)
				row[n] = (struct tally_row){
					{ p->query, q->letters.n, q->name },
					p->minus, d, count,
				};
			n += count != 0;
		}
	return n;
}

int
asm_tally(const struct asm_cut *c, struct buf *out, struct err *e)
{
	struct tally y = { .run = c->v.c.run, .receipt = c->receipt };
	struct rec_frame *f = NULL;
	int rc;

	y.n_rows = tally_rows(c, NULL);
	y.row = malloc((y.n_rows + 1) * sizeof *y.row);
	if (!y.row)
		return err_nomem(e, (y.n_rows + 1) * sizeof *y.row);
	tally_rows(c, y.row);
	rc = tally_encode(&f, &y, e);
	if (!rc)
		rc = rec_encode(out, f, e);
	rec_frame_drop(f);
	free(y.row);
	return rc;
}

/* Rows with the least edits of each query, over a whole stream. */

enum { ROW_MEMORY = 16 << 20 };

struct asm_best {
	const struct asm_scan *a;
	uint32_t *least;	/* of each query; shared by threads */
	struct whole whole;
	struct sorter *sorter;
	const struct whole_row *next;	/* of asm_best_finish(); or NULL */
	bool taken;			/* it was handed out */
	struct buf row, ops;
};

/* Has no better one beaten it since? */
static bool
still_best(const struct asm_best *b, const struct whole_row *r)
{
	return r->edits == __atomic_load_n(&b->least[r->query],
					   __ATOMIC_RELAXED);
}

static size_t
trim_rows(const void **v, size_t n, void *ctx)
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
	struct sorter_ops ops = {.cmp = whole_cmp, .trim = trim_rows, .ctx = b};
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
	whole_free(&b->whole);
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
keep_row(struct asm_best *b, uint32_t run, struct str bytes, struct err *e)
{
	struct cur c = cur_of(bytes.p, bytes.n);
	const void *row;
	struct hit h;
	int rc;

	hit_get(&c, &h, &b->ops);
	if (c.bad || b->ops.bad)
		return err_nomem(e, bytes.n);
	rc = whole_row(&b->row, run, &h, bytes, e);
	row = b->row.p;
	if (rc || !still_best(b, row))
		return rc;
	return sorter_add(b->sorter, b->row.p, e);
}

int
asm_best_add(struct asm_best *b, const struct rec_frame *f,
	     const struct buf *rows, struct err *e)
{
	struct cur c = cur_of(rows->p, rows->n);
	uint32_t run = 0;
	bool again = false;
	int rc = whole_cover(&b->whole, f, &run, &again, e);

	while (!rc && !again && cur_left(&c))
		rc = keep_row(b, run, cur_str(&c), e);
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

/* The row that next_row() found, if it is of this run. */
static int
hit_of(void *ctx, uint32_t run, struct hit *h, struct err *e)
{
	struct asm_best *b = ctx;
	struct cur c;

	if (b->taken) {
		int rc = next_row(b, e);

		b->taken = false;
		if (rc)
			return rc;
	}
	if (!b->next || b->next->run != run)
		return 0;
	c = cur_of(b->next + 1, b->next->n);
	hit_get(&c, h, &b->ops);
	if (c.bad || b->ops.bad)
		return err_nomem(e, b->next->n);
	b->taken = true;
	return 1;
}

int
asm_best_finish(struct asm_best *b, whole_put_fn *put, void *ctx,
		struct err *e)
{
	struct whole_ops ops = { hit_of, b, put, ctx };
	int rc = sorter_finish(b->sorter, e);

	b->taken = true;
	return rc ? rc : whole_finish(&b->whole, &b->a->key, &ops, e);
}
