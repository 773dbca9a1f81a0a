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
		for (uint64_t d = 0; d <= a->most_k; d++) {
			uint64_t count = t->counts[i * (a->most_k + 1) + d];
			const struct asm_pattern *p = &a->pattern[i];
			const struct query *q = &a->q->v[p->query];

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
	size_t stride = (size_t)t->a->most_k + 1;

	(void)e;
	for (size_t i = 0; i < n; i++)
		t->counts[hit[i].pattern * stride + hit[i].dist]++;
	return 0;
}

/* Numbers of the ends that are reported. */
static int
count(struct asm_thread *t, const struct kdiff_text *x, struct err *e)
{
	const struct asm_scan *a = t->a;

	if (!x->n_seg)
		return 0;
	if (a->o.report == ASM_MINIMA)
		return kdiff_each(a->set, x, t->work, count_hits, t, e);
	return kdiff_count(a->set, x, t->work, t->counts,
			   (size_t)a->most_k + 1, e);
}

int
asm_tally(struct asm_thread *t, const struct asm_view *v,
	  const struct kdiff_text *x, const struct receipt *r,
	  struct buf *out, struct err *e)
{
	const struct asm_scan *a = t->a;
	struct tally y = { .run = v->c.run, .receipt = *r };
	struct rec_frame *f = NULL;
	int rc;

	memset(t->counts, 0, a->n_patterns * (a->most_k + 1) *
	       sizeof *t->counts);
	rc = count(t, x, e);
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
