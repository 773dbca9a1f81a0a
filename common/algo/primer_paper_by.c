/* SPDX-License-Identifier: MIT */
/* primer_paper_by.c - all starts of the source's algorithms, for a helper */
#include <stdlib.h>

#include "algo/primer_paper.h"
#include "algo/primer_priv.h"

enum { MOST = 1 << 30 };	/* places; symbols and differences */

/* stop, cap and end of all places, which are MOST at most. */
static uint32_t *
bounds(const struct primer *p)
{
	uint32_t *v = malloc((3 * p->n + 1) * sizeof *v);

	for (uint64_t i = 0; v && i < p->n; i++) {
		v[i] = (uint32_t)p->stop[i];
		v[p->n + i] = (uint32_t)primer_cap(p, i);
		v[2 * p->n + i] = (uint32_t)primer_end(p, i);
	}
	return v;
}

int
primer_paper_by(const struct primer_paper_helper *h, struct primer *p,
		const uint8_t *symbol, size_t n, const struct primer_paper *how,
		struct primer_paper_stats *stats, struct err *e)
{
	struct primer_paper_errand j = {
		.how = how, .symbol = symbol, .code = p->code,
		.n = (uint32_t)n, .places = (uint32_t)p->n,
		.k = (uint32_t)p->par.k, .holds = p->holds,
		.literal = p->par.alphabet == PRIMER_LITERAL,
	};
	uint32_t *v;
	int rc;

	if (!p->n)
		return 0;
	if (p->n >= MOST || n >= MOST - p->par.k)
		return PRIMER_NOT_NOW;
	v = bounds(p);
	if (!v)
		return err_nomem(e, 3 * p->n * sizeof *v);
	j.stop = v;
	j.cap = v + p->n;
	j.end = v + 2 * p->n;
	rc = h->run(h->ctx, &j, stats, e);
	for (uint64_t i = 0; i < p->n && !rc; i++)
		primer_raise(p, i, j.end[i]);
	free(v);
	return rc;
}
