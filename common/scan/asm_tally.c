/* SPDX-License-Identifier: MIT */
/* asm_tally.c - numbers of ends by pattern, strand and distance, of a chunk */
#include <stdlib.h>

#include "scan/asm_priv.h"

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
