/* SPDX-License-Identifier: MIT */
/* primer_pass.c - one more pass over the operands of a scan */
#include "scan/primer_pass.h"

#include "base/hash.h"
#include "scan/asm_team.h"
#include "scan/frames.h"

struct runner {
	struct asm_runner r;
	struct primer_pass *p;
	struct asm_best *best;
	struct feed *feed;
};

uint64_t
primer_pass_ends(uint64_t hash, const struct rec_frame *f)
{
	struct run_end n;
	struct err e;

	if (f->type != REC_END || end_view(&n, f, &e))
		return hash;
	uint64_t v[] = { n.run.id, n.chunks, n.sequences, n.letters,
			 n.digest };
	return hash64(v, sizeof v, hash);
}

static int
emit(void *ctx, struct pump_job *job, struct err *e)
{
	struct runner *s = ctx;
	const struct rec_frame *f = job->item.frame;

	if (s->p->r->progress)
		s->p->r->progress(feed_place(s->feed));
	if (job->item.kind == FEED_DAMAGE)
		return err_set(e, ERR_FORMAT, "--site: %s", job->item.text);
	if (!f)
		return 0;
	s->p->ends = primer_pass_ends(s->p->ends, f);
	return f->type == REC_CHUNK ? asm_best_add(s->best, f, &job->out, e) :
				      0;
}

static int
take_hit(void *ctx, const struct hits_view *v, const struct hit *h,
	 struct err *e)
{
	struct primer_pass *p = ctx;

	(void)v;
	return p->hit(p->ctx, h, e);
}

static int
take_frame(void *ctx, struct rec_frame *f, struct err *e)
{
	return f->type == REC_HITS ? hits_each(f, take_hit, ctx, e) : 0;
}

static int
put(void *ctx, const struct buf *frames, struct err *e)
{
	return frames_each(frames, take_frame, ctx, e);
}

static int
open_feed(struct runner *s, uint64_t context, struct err *e)
{
	const struct scan_run *r = s->p->r;
	struct feed_params fp = feed_defaults;

	fp.min_context = context;
	fp.threads = r->threads;
	fp.region = r->region;
	fp.digits = r->digits;
	if (s->p->own)
		fp.own = s->p->own;
	return feed_open(&s->feed, r->operand, r->n_operands, &fp, e);
}

int
primer_pass_run(struct primer_pass *p, const struct asm_scan *a, struct err *e)
{
	struct pump_ops po = { .context = asm_context(a),
			       .work = asm_team_work, .part = asm_team_part,
			       .join = asm_team_join, .emit = emit };
	struct runner s = { .p = p };
	int rc = asm_best_new(&s.best, a, e);

	p->ends = 0;
	if (!rc)
		rc = asm_team_new(&s.r.team, a, s.best, p->r->threads, e);
	if (!rc)
		rc = open_feed(&s, po.context, e);
	if (!rc)
		rc = pump_run(s.feed, &po, &s, p->r->threads, e);
	if (!rc)
		rc = asm_best_finish(s.best, put, p, e);
	if (s.feed)
		feed_close(s.feed);
	asm_team_free(s.r.team);
	asm_best_free(s.best);
	return rc;
}
