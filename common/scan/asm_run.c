/* SPDX-License-Identifier: MIT */
/* asm_run.c - approximate matching over all operands */
#include "scan/asm_run.h"

#include "scan/asm_team.h"

struct runner {
	struct asm_team *team;
	struct asm_best *best;
};

static int
work(void *ctx, unsigned thread, struct pump_job *job, struct err *e)
{
	struct runner *s = ctx;

	return asm_team_work(s->team, thread, job, false, e);
}

static int
part(void *ctx, unsigned thread, struct pump_job *job, unsigned i, bool next,
     struct err *e)
{
	struct runner *s = ctx;

	return asm_team_part(s->team, thread, job, i, next, e);
}

static int
join(void *ctx, struct pump_job *job, unsigned i, struct err *e)
{
	struct runner *s = ctx;

	return asm_team_join(s->team, job, i, e);
}

static void
gather(void *ctx, unsigned thread, struct pump_job **job, unsigned n)
{
	(void)thread;
	asm_team_gather(((struct runner *)ctx)->team, job, n);
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

	if (asm_report(scan) == ASM_BEST)
		rc = asm_best_new(&s->best, scan, e);
	return rc ? rc : asm_team_new(&s->team, scan, s->best, threads, e);
}

int
asm_run(const struct scan_run *r, const struct asm_scan *scan,
	uint64_t *n_letters, struct err *e)
{
	struct runner s = { 0 };
	struct scan_ops ops = { .key = asm_key(scan), .text = asm_text(scan),
				.context = asm_context(scan), .work = work,
				.part = part, .join = join, .ctx = &s };
	int rc;

	ops.threads = asm_team_threads(scan, r->threads);
	rc = prepare(&s, scan, ops.threads, e);

	ops.gather = asm_team_gathers(s.team, gather);
	if (s.best) {
		ops.keep = keep;
		ops.finish = finish;
	}
	if (!rc)
		rc = scan_run(r, &ops, e);
	*n_letters = s.team ? asm_team_letters(s.team) : 0;
	asm_team_free(s.team);
	asm_best_free(s.best);
	return rc;
}
