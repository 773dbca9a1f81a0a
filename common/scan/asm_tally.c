/* SPDX-License-Identifier: MIT */
/* asm_tally.c - numbers of ends by pattern, strand and distance, of a chunk */
#include <stdlib.h>

#include "scan/asm_priv.h"

/* Rows of the counts that are not 0, by query, strand and edits. */
static size_t
tally_rows(const struct asm_thread *t, struct tally_row *row)
{
	const struct asm_scan *a = t->a;
	size_t n = 0;

	for (size_t i = 0; i < a->n_patterns; i++)
		for (uint64_t d = 0; d <= a->pattern[i].k; d++) {
			const struct asm_pattern *p = &a->pattern[i];
			const struct query *q = &a->q->v[p->query];
			uint64_t count = t->counts[p->count + d];

			if (count && row)
				row[n] = (struct tally_row){
					{ p->query, q->letters.n, q->name },
					p->minus, d, count,
				};
			n += count != 0;
		}
	return n;
}

static int
count_hits(void *ctx, const struct kdiff_hit *hit, size_t n, struct err *e)
{
	struct asm_thread *t = ctx;
	const struct asm_pattern *p = t->a->pattern;

	(void)e;
	for (size_t i = 0; i < n; i++)
		t->counts[p[hit[i].pattern].count + hit[i].dist]++;
	return 0;
}

int
asm_tally(struct asm_thread *t, const struct scan_chunk *v,
	  const struct kdiff_text *x, const struct receipt *r,
	  struct buf *out, struct err *e)
{
	const struct asm_scan *a = t->a;
	struct tally y = { .run = v->c.run, .receipt = *r };
	struct rec_frame *f = NULL;
	int rc = 0;

	memset(t->counts, 0, a->n_counts * sizeof *t->counts);
	if (x->n_seg)
		rc = kdiff_each(a->set, x, t->work, count_hits, t, e);
	if (rc)
		return rc;
	y.n_rows = tally_rows(t, NULL);
	y.row = malloc((y.n_rows + 1) * sizeof *y.row);
	if (!y.row)
		return err_nomem(e, (y.n_rows + 1) * sizeof *y.row);
	tally_rows(t, y.row);
	rc = tally_encode(&f, &y, e);
	if (!rc)
		rc = rec_encode(out, f, e);
	rec_frame_drop(f);
	free(y.row);
	return rc;
}
