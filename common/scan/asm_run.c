/* SPDX-License-Identifier: MIT */
/* asm_run.c - approximate matching over all operands */
#include "scan/asm_run.h"

#include <stdlib.h>

struct runner {
	struct asm_thread **thread;
	struct asm_best *best;
};

static int
chunk(void *ctx, unsigned thread, const struct rec_frame *f,
      struct rec_frame *const *before, size_t n_before, struct buf *out,
      struct err *e)
{
	struct runner *s = ctx;

	return asm_chunk(s->thread[thread], f, before, n_before, out, e);
}

static int
keep(void *ctx, const struct rec_frame *f, const struct buf *rows,
     struct err *e)
{
	return asm_best_add(((struct runner *)ctx)->best, f, rows, e);
}

static int
finish(void *ctx, whole_put_fn *put, void *put_ctx, struct err *e)
{
	return asm_best_finish(((struct runner *)ctx)->best, put, put_ctx, e);
}

static int
prepare(struct runner *s, const struct asm_scan *scan, unsigned threads,
	struct err *e)
{
	int rc = 0;

	s->thread = calloc(threads, sizeof *s->thread);
	if (!s->thread)
		return err_nomem(e, threads * sizeof *s->thread);
	if (asm_report(scan) == ASM_BEST)
		rc = asm_best_new(&s->best, scan, e);
	for (unsigned i = 0; i < threads && !rc; i++)
		rc = asm_thread_new(&s->thread[i], scan, s->best, e);
	return rc;
}

int
asm_run(const struct scan_run *r, const struct asm_scan *scan,
	uint64_t *n_letters, struct err *e)
{
	struct runner s = { 0 };
	struct scan_ops ops = { .key = asm_key(scan), .text = asm_text(scan),
				.context = asm_context(scan), .chunk = chunk,
				.ctx = &s };
	int rc = prepare(&s, scan, r->threads, e);

	if (s.best) {
		ops.keep = keep;
		ops.finish = finish;
	}
	if (!rc)
		rc = scan_run(r, &ops, e);
	*n_letters = 0;
	for (unsigned i = 0; s.thread && i < r->threads; i++) {
		if (s.thread[i])
			*n_letters += asm_thread_letters(s.thread[i]);
		asm_thread_free(s.thread[i]);
	}
	free(s.thread);
	asm_best_free(s.best);
	return rc;
}
