/* SPDX-License-Identifier: MIT */
/* counts.c - tallies of many frames added up */

#include <stdlib.h>

#include "base/base.h"
#include "collect/collect.h"
#include "rec/rec.h"

static bool
is(const struct count *a, const struct count *b)
{
	return a->run == b->run && a->scan == b->scan &&
	       a->row.query.ordinal == b->row.query.ordinal &&
	       a->row.minus == b->row.minus && a->row.edits == b->row.edits;
}

static size_t
find_count(const struct counts *c, const struct count *k)
{
	uint64_t key[4] = { (uint64_t)k->run << 32 | k->scan,
			    k->row.query.ordinal, k->row.minus, k->row.edits };
	size_t i = hash64(key, sizeof key, 0) & (c->n_slots - 1);

	while (c->slot[i] && !is(&c->v[c->slot[i] - 1], k))
		i = (i + 1) & (c->n_slots - 1);
	return i;
}

static int
grow_counts(struct counts *c, struct err *e)
{
	int r = array_room(&c->v, &c->cap, c->n + 1, sizeof *c->v, e);

	if (r || c->n < c->n_slots / 2)
		return r;
	r = slots_double(&c->slot, &c->n_slots, sizeof *c->slot, e);
	for (size_t i = 0; i < c->n && r == 0; i++)
		c->slot[find_count(c, &c->v[i])] = i + 1;
	return r;
}

static int
sum(uint64_t *to, uint64_t n, struct err *e)
{
	if (__builtin_add_overflow(*to, n, to))
		return err_set(e, ERR_LIMIT, "a count exceeds 64 bits");
	return 0;
}

/* The name is copied. */
static int
set_query(struct counts *c, struct count *k, const struct query_ref *q,
	  struct err *e)
{
	k->row.query.len = q->len;
	k->row.query.name = (struct str) { NULL, q->name.n };
	k->at = c->names.n;
	buf_put(&c->names, q->name.p, q->name.n);
	return c->names.bad ? err_nomem(e, q->name.n) : 0;
}

/*
 * Frames that name one query in two ways are forged; even so the outcome must
 * not depend on which came first.
 */
static bool
before(const struct counts *c, const struct count *a, const struct count *old)
{
	const struct query_ref *q = &a->row.query, *o = &old->row.query;

	if (q->len != o->len)
		return q->len < o->len;
	if (q->name.n != o->name.n)
		return q->name.n < o->name.n;
	return q->name.n &&
	       memcmp(q->name.p, c->names.p + old->at, q->name.n) < 0;
}

static int
add_row(struct counts *c, const struct count *k, struct err *e)
{
	int r = grow_counts(c, e);
	size_t at;

	if (r < 0)
		return r;
	at = find_count(c, k);
	if (c->slot[at]) {
		struct count *old = &c->v[c->slot[at] - 1];

		r = sum(&old->row.count, k->row.count, e);
		return r == 0 && before(c, k, old) ?
		    set_query(c, old, &k->row.query, e) : r;
	}
	c->v[c->n++] = *k;
	c->slot[at] = c->n;
	return set_query(c, &c->v[c->n - 1], &k->row.query, e);
}

int
counts_add(struct counts *c, const struct tally *t, struct err *e)
{
	long run = keys_run(&c->runs, &t->run, e), scan;
	int r = 0;

	if (run < 0)
		return (int)run;
	scan = keys_scan(&c->scans, &t->receipt.scan, e);
	if (scan < 0)
		return (int)scan;
	for (size_t i = 0; i < t->n_rows && r == 0; i++) {
		struct count k = { (uint32_t)run, (uint32_t)scan, t->row[i],
				   0 };

		r = add_row(c, &k, e);
	}
	return r;
}

static int
cmp_row(const struct count *a, const struct count *b, const struct counts *c)
{
	int r = cmp_u64(c->scans.v[a->scan].rank, c->scans.v[b->scan].rank);

	if (r == 0)
		r = cmp_u64(a->row.query.ordinal, b->row.query.ordinal);
	if (r == 0)
		r = cmp_u64(a->row.minus, b->row.minus);
	return r ? r : cmp_u64(a->row.edits, b->row.edits);
}

static int
cmp_run(const struct count *a, const struct count *b, const struct counts *c)
{
	return cmp_u64(c->runs.v[a->run].rank, c->runs.v[b->run].rank);
}

static int
by_run_first(const void *a, const void *b, void *c)
{
	int r = cmp_run(a, b, c);

	return r ? r : cmp_row(a, b, c);
}

/* Runs last: a row's name is that of its least run. */
static int
by_run_last(const void *a, const void *b, void *c)
{
	int r = cmp_row(a, b, c);

	return r ? r : cmp_run(a, b, c);
}

int
counts_finish(struct counts *c, bool by_run, struct err *e)
{
	size_t n = 0;
	int r = keys_rank(&c->runs, e);

	if (r == 0)
		r = keys_rank(&c->scans, e);
	if (r < 0 || c->n == 0)
		return r;
	sort_with(c->v, c->n, sizeof *c->v, by_run ? by_run_first : by_run_last,
		c);
	for (size_t i = 0; i < c->n && r == 0 && !by_run; i++) {
		if (n && cmp_row(&c->v[n - 1], &c->v[i], c) == 0)
			r = sum(&c->v[n - 1].row.count, c->v[i].row.count, e);
		else
			c->v[n++] = c->v[i];
	}
	if (!by_run)
		c->n = n;
	return r;
}

struct tally_row
counts_row(const struct counts *c, size_t i)
{
	struct tally_row t = c->v[i].row;

	t.query.name.p = t.query.name.n ? (char *)c->names.p + c->v[i].at : "";
	return t;
}

void
counts_free(struct counts *c)
{
	keys_free(&c->runs);
	keys_free(&c->scans);
	free(c->v);
	free(c->slot);
	buf_free(&c->names);
	memset(c, 0, sizeof *c);
}

int
counts_frame(struct counts *c, const struct rec_frame *f, struct err *e)
{
	struct tally t;
	int rc = tally_view(&t, f, e);

	if (rc)
		return rc;
	rc = counts_add(c, &t, e);
	tally_free(&t);
	return rc;
}
