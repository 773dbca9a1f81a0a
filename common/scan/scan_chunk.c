/* SPDX-License-Identifier: MIT */
/* scan_chunk.c - a chunk to be scanned, with those before it, viewed */
#include "scan/scan_chunk.h"

#include <stdlib.h>

void
scan_chunk_free(struct scan_chunk *v)
{
	chunk_free(&v->c);
	for (size_t i = 0; i < v->n_before; i++)
		chunk_free(&v->before[i]);
	free(v->before);
	memset(v, 0, sizeof *v);
}

int
scan_chunk_view(struct scan_chunk *v, const struct rec_frame *f,
		struct rec_frame *const *before, size_t n, struct err *e)
{
	int rc;

	memset(v, 0, sizeof *v);
	rc = chunk_view(&v->c, f, e);
	if (rc)
		return rc;
	v->before = n ? calloc(n, sizeof *v->before) : NULL;
	if (n && !v->before)
		rc = err_nomem(e, n * sizeof *v->before);
	for (; v->n_before < n && !rc; v->n_before += !rc)
		rc = chunk_view(&v->before[v->n_before], before[v->n_before],
				e);
	if (rc)
		scan_chunk_free(v);
	return rc;
}

int
scan_chunk_letters(const struct scan_chunk *v, const struct window *w,
		   const struct window_seg *s, uint64_t beg, uint64_t end,
		   struct buf *b, struct hit *h, struct err *e)
{
	int rc;

	b->n = 0;
	if (!buf_reserve(b, end - beg + 64))
		return err_nomem(e, end - beg + 64);
	rc = window_letters(w, s, &v->c, v->before, v->n_before, beg, end,
			    b->p);
	if (rc)
		return err_set(e, rc, "chunk %llu: letters are missing",
			       (unsigned long long)v->c.serial);
	h->letters = (struct str){ (const char *)b->p, end - beg };
	h->flags |= HIT_LETTERS;
	return 0;
}
