/* SPDX-License-Identifier: MIT */
/* sw_scan_run.c - local alignment over all operands */
#include <stdlib.h>

#include "scan/sw_scan_priv.h"
#include "stream/feed.h"

struct runner {
	struct sw_thread **thread;
	struct sw_kept *kept;
};

static int
chunk(void *ctx, unsigned thread, const struct rec_frame *f,
      struct rec_frame *const *before, size_t n_before, struct buf *out,
      struct err *e)
{
	struct runner *r = ctx;

	return sw_thread_chunk(r->thread[thread], f, before, n_before, out,
			       e);
}

static int
keep(void *ctx, const struct rec_frame *f, const struct buf *rows,
     struct err *e)
{
	return sw_kept_add(((struct runner *)ctx)->kept, f, rows, e);
}

static int
finish(void *ctx, whole_put_fn *put, void *put_ctx, struct err *e)
{
	return sw_kept_finish(((struct runner *)ctx)->kept, put, put_ctx, e);
}

/*
 * Letters of a chunk that is cut here.  The context is searched again with each
 * one: it is an eighth of the work at most.
 */
static uint64_t
own_of(const struct sw_scan *s)
{
	const uint64_t usual = feed_defaults.own, most = 1 << 29;

	if (s->context <= usual / 8)
		return usual;
	return s->context < most / 8 ? s->context * 8 : most;
}

static int
prepare(struct runner *s, const struct sw_scan *a, unsigned threads,
	struct err *e)
{
	int rc = 0;

	s->thread = calloc(threads, sizeof *s->thread);
	if (!s->thread)
		return err_nomem(e, threads * sizeof *s->thread);
	rc = sw_kept_new(&s->kept, a, e);
	for (unsigned i = 0; i < threads && !rc; i++)
		rc = sw_thread_new(&s->thread[i], a, s->kept, e);
	return rc;
}

int
sw_scan_run(const struct scan_run *r, const struct sw_scan *s,
	    uint64_t *n_letters, struct err *e)
{
	struct runner x = { 0 };
	struct scan_ops ops = {
		.key = &s->key,
		.text = { (const char *)s->text.p, s->text.n },
		.context = s->context, .own = own_of(s), .chunk = chunk,
		.keep = keep, .finish = finish, .ctx = &x,
	};
	int rc = prepare(&x, s, r->threads, e);

	if (!rc)
		rc = scan_run(r, &ops, e);
	*n_letters = 0;
	for (unsigned i = 0; x.thread && i < r->threads; i++) {
		if (x.thread[i])
			*n_letters += x.thread[i]->n_letters;
		sw_thread_free(x.thread[i]);
	}
	free(x.thread);
	sw_kept_free(x.kept);
	return rc;
}
