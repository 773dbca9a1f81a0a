/* SPDX-License-Identifier: MIT */
/* asm_chunk.c - a thread, and one chunk searched by it alone */
#include <stdlib.h>

#include "scan/asm_priv.h"

int
asm_thread_new(struct asm_thread **out, const struct asm_scan *a,
	       struct asm_best *best, struct err *e)
{
	struct asm_thread *t = calloc(1, sizeof *t);
	int rc;

	*out = NULL;
	if (!t)
		return err_nomem(e, sizeof *t);
	t->a = a;
	t->best = best;
	rc = asm_cut_new(&t->own, a, e);
	if (rc) {
		free(t);
		return rc;
	}
	rc = kdiff_work_new(&t->work, e);
	t->paths = malloc(ASM_TRACE * sizeof *t->paths);
	if (!rc && !t->paths)
		rc = err_nomem(e, ASM_TRACE * sizeof *t->paths);
	if (rc) {
		asm_thread_free(t);
		return rc;
	}
	*out = t;
	return 0;
}

void
asm_thread_free(struct asm_thread *t)
{
	if (!t)
		return;
	kdiff_work_free(t->work);
	buf_free(&t->hits);
	asm_cut_free(&t->own);
	free(t->paths);
	free(t->seg);
	free(t->counts);
	asm_top_free(&t->top);
	buf_free(&t->ops);
	buf_free(&t->letters);
	buf_free(&t->row);
	free(t);
}

uint64_t
asm_thread_letters(const struct asm_thread *t)
{
	return t->n_letters;
}

/* All of a chunk that is open, or failed to. */
static int
search(struct asm_thread *t, int rc, struct buf *out, struct err *e)
{
	struct asm_cut *c = &t->own;

	if (!rc)
		rc = asm_cut_part(c, t, 0, true, out, e);
	if (!rc)
		rc = asm_cut_join(c, 0, out, e);
	asm_cut_close(c);
	return rc;
}

int
asm_chunk(struct asm_thread *t, const struct rec_frame *f,
	  struct rec_frame *const *before, size_t n_before, struct buf *out,
	  struct err *e)
{
	t->own.matched = false;
	return search(t, asm_cut_open(&t->own, t, f, before, n_before, out, e),
		      out, e);
}

int
asm_chunk_matched(struct asm_thread *t, const struct rec_frame *f,
		  struct rec_frame *const *before, size_t n_before,
		  struct buf *out, struct err *e)
{
	t->own.matched = true;
	return search(t, asm_cut_open(&t->own, t, f, before, n_before, out, e),
		      out, e);
}
