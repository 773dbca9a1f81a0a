/* SPDX-License-Identifier: MIT */
/*
 * sw_gpu_gather.c - texts of several chunks, searched by a GPU as one
 *
 * Texts are whole blocks, and their segments, side by side, are searched apart:
 * so each has the scores that it would have alone.
 */
#include <stdlib.h>
#include <string.h>

#include "scan/sw_gpu.h"

struct all {
	struct sw_text x;
	uint8_t *codes;
	struct sw_seg *seg;
	int32_t *tops;
	struct cuda_peaks_text *each;
};

static void
drop(struct all *a)
{
	free(a->codes);
	free(a->seg);
	free(a->tops);
	free(a->each);
}

/* Memory for all; false: there is none. */
static bool
reserve(struct all *a, const struct sw_gpu_text *text, size_t n)
{
	uint64_t columns = 0;

	for (size_t i = 0; i < n; i++) {
		columns += text[i].x.n;
		a->x.n_seg += text[i].x.n_seg;
	}
	a->codes = malloc(columns + SW_BLOCK);
	a->seg = malloc((a->x.n_seg + 1) * sizeof *a->seg);
	a->tops = malloc((columns / SW_BLOCK + 1) * sizeof *a->tops);
	a->each = calloc(n, sizeof *a->each);
	a->x.codes = a->codes;
	a->x.seg = a->seg;
	return a->codes && a->seg && a->tops && a->each;
}

static void
join(struct all *a, const struct sw_gpu_text *text, size_t n)
{
	struct sw_seg *g = a->seg;

	for (size_t i = 0; i < n; i++) {
		const struct sw_text *x = &text[i].x;
		uint64_t at = a->x.n;

		if (x->n)
			memcpy(a->codes + at, x->codes, x->n);
		for (size_t j = 0; j < x->n_seg; j++, g++) {
			*g = x->seg[j];
			g->beg += at;
			g->end += at;
			g->own += at;
		}
		a->x.n += x->n;
		a->each[i].end = a->x.n;
	}
	memset(a->codes + a->x.n, SW_PAD, SW_BLOCK);
}

static void
split(const struct all *a, size_t cells, struct sw_gpu_text *text, size_t n)
{
	const int32_t *from = a->tops;

	for (size_t i = 0; i < n; i++) {
		size_t blocks = text[i].x.n / SW_BLOCK;
		int32_t *tops = malloc((blocks + 1) * sizeof *from);

		if (tops && blocks)
			memcpy(tops, from, blocks * sizeof *from);
		text[i].known = (struct sw_known){ tops, a->each[i].least,
						 cells };
		from += blocks;
	}
}

void
sw_gpu_gather(struct cuda_peaks *g, const struct sw_query *q, size_t cells,
	      struct sw_gpu_text *text, size_t n)
{
	struct sw_view v = sw_query_view(q);
	struct all a = { .x = { .n = 0 } };
	int rc = ERR_NOMEM;
	struct err e;

	v.cells = cells;
	if (n == 0 || !cuda_peaks_gathers(g, &v))
		return;
	if (reserve(&a, text, n)) {
		join(&a, text, n);
		rc = cuda_peaks_gathered(g, &v, &a.x, a.each, n, a.tops, &e);
	}
	if (!rc)
		split(&a, cells, text, n);
	drop(&a);
	if (rc && n > 1) {
		sw_gpu_gather(g, q, cells, text, n / 2);
		sw_gpu_gather(g, q, cells, text + n / 2, n - n / 2);
	}
}
