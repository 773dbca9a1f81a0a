/* SPDX-License-Identifier: MIT */
/* asm_run.c - a scan over all operands, from the feed to the sink */
#include "scan/asm_run.h"

#include <stdlib.h>

#include "stream/pump.h"

struct runner {
	struct asm_run *r;
	struct asm_thread **thread;
	struct asm_best *best;
	struct feed *feed;
	bool begun;
	uint64_t run;	/* the last one begun */
};

static int
work(void *ctx, unsigned thread, struct pump_job *job, struct err *e)
{
	struct runner *s = ctx;
	const struct rec_frame *f = job->item.frame;

	if (f->type != REC_CHUNK)
		return 0;
	return asm_chunk(s->thread[thread], f, job->before, job->n_before,
			 &job->out, e);
}

/*
 * BEGIN of this scan, before the first result of each run; and before its END:
 * a run without any chunk here (results of another scan) must not look as if
 * it had been searched.  A malformed END is the ledger's business.
 */
static int
begin(struct runner *s, const struct rec_frame *f, struct err *e)
{
	const struct asm_scan *a = s->r->scan;
	struct chunk c = { 0 };
	struct run_end end;
	int rc;

	if (s->begun && s->run == f->run)
		return 0;
	if (f->type == REC_END) {
		rc = end_view(&end, f, e);
		c.run = end.run;	/* the rest is empty */
	} else {
		rc = chunk_view(&c, f, e);
	}
	if (rc)
		return f->type == REC_END && rc == ERR_FORMAT ? 0 : rc;
	rc = sink_begin(s->r->sink, &c.run, asm_key(a), asm_text(a), e);
	chunk_free(&c);
	s->begun = true;
	s->run = f->run;
	return rc;
}

static int
emit(void *ctx, struct pump_job *job, struct err *e)
{
	struct runner *s = ctx;
	struct asm_run *r = s->r;
	const struct rec_frame *f = job->item.frame;
	int rc;

	if (r->progress)
		r->progress(feed_offset(s->feed));
	if (job->item.kind == FEED_DAMAGE) {
		r->damage(job->item.text);
		sink_damage(r->sink);
	}
	if (!f)
		return 0;
	rc = f->type == REC_END ? begin(s, f, e) : 0;
	if (!rc)
		rc = sink_frame(r->sink, f, e);
	if (rc == SINK_WARN) {
		r->damage(e->text);
		return 0;
	}
	if (!rc && f->type == REC_CHUNK) {
		rc = begin(s, f, e);
		if (!rc)
			rc = s->best ?
			     asm_best_add(s->best, f, &job->out, e) :
			     sink_bytes(r->sink, &job->out, e);
	}
	return rc;
}

static int
put_frames(void *ctx, const struct buf *frames, struct err *e)
{
	return sink_bytes(ctx, frames, e);
}

static int
finish(struct runner *s, struct err *e)
{
	int rc = 0;

	if (s->best)
		rc = asm_best_finish(s->best, put_frames, s->r->sink, e);
	return rc ? rc : sink_finish(s->r->sink, e);
}

static int
prepare(struct runner *s, struct err *e)
{
	const struct asm_run *r = s->r;
	struct feed_params fp = feed_defaults;
	int rc = 0;

	s->thread = calloc(r->threads, sizeof *s->thread);
	if (!s->thread)
		return err_nomem(e, r->threads * sizeof *s->thread);
	if (asm_report(r->scan) == ASM_BEST)
		rc = asm_best_new(&s->best, r->scan, e);
	for (unsigned i = 0; i < r->threads && !rc; i++)
		rc = asm_thread_new(&s->thread[i], r->scan, s->best, e);
	fp.min_context = asm_context(r->scan);
	fp.threads = r->threads;
	fp.region = r->region;
	return rc ? rc : feed_open(&s->feed, r->operand, r->n_operands, &fp,
				   e);
}

int
asm_run(struct asm_run *r, struct err *e)
{
	struct pump_ops ops = { .context = asm_context(r->scan),
				.work = work, .emit = emit };
	struct runner s = { .r = r };
	int rc = prepare(&s, e);

	if (!rc)
		rc = pump_run(s.feed, &ops, &s, r->threads, e);
	if (!rc)
		rc = finish(&s, e);
	r->n_letters = 0;
	for (unsigned i = 0; s.thread && i < r->threads; i++) {
		if (s.thread[i])
			r->n_letters += asm_thread_letters(s.thread[i]);
		asm_thread_free(s.thread[i]);
	}
	free(s.thread);
	asm_best_free(s.best);
	if (s.feed)
		feed_close(s.feed);
	return rc;
}
