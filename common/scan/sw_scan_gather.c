/* SPDX-License-Identifier: MIT */
/* sw_scan_gather.c - chunks that are put off until a GPU searches many */
#include <stdlib.h>

#include "scan/sw_gpu.h"
#include "scan/sw_scan_priv.h"

int
sw_cut_put_off(struct sw_cut *c, struct err *e)
{
	size_t n = c->s->n_patterns;

	c->known = calloc(n, sizeof *c->known);
	c->off = c->known != NULL;
	return c->off ? 0 : err_nomem(e, n * sizeof *c->known);
}

/* All chunks' texts for one pattern; without memory, none is searched. */
static void
gather(struct sw_cut **c, size_t n, size_t pattern, struct sw_gpu_text *text)
{
	const struct sw_scan *s = c[0]->s;
	const struct sw_query *q = s->pattern[pattern].q;
	size_t cells = s->o.best == SW_READ_CELLS ? (size_t)s->o.n : 0;
	struct sw_part whole = sw_plan_whole(c[0]);
	uint64_t base;
	struct err e;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		text[i].known = (struct sw_known){ .tops = NULL };
		rc = sw_cut_text(c[i], &whole, sw_context(q), &c[i]->seg,
				 &c[i]->seg_cap, &text[i].x, &base, &e);
	}
	if (rc)
		return;
	sw_gpu_gather(s->gpu, q, cells, text, n);
	for (size_t i = 0; i < n; i++)
		c[i]->known[pattern] = text[i].known;
}

void
sw_cut_gather(struct sw_cut **c, size_t n)
{
	struct sw_gpu_text *text = calloc(n, sizeof *text);

	for (size_t i = 0; text && i < c[0]->s->n_patterns; i++)
		gather(c, n, i, text);
	free(text);
}
