/* SPDX-License-Identifier: MIT */
/* asm_run.c - approximate matching over all operands */
#include "scan/asm_run.h"

#include "scan/asm_team.h"

struct runner {
	struct asm_runner r;
	struct asm_best *best;
};

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
	return rc ? rc : asm_team_new(&s->r.team, scan, s->best, threads, e);
}

int
asm_run(const struct scan_run *r, const struct asm_scan *scan,
	uint64_t *n_letters, struct err *e)
{
	struct runner s = { .best = NULL };
	struct scan_ops ops = { .key = asm_key(scan), .text = asm_text(scan),
				.context = asm_context(scan),
				.work = asm_team_work, .part = asm_team_part,
				.join = asm_team_join, .ctx = &s };
	int rc;

	ops.threads = asm_team_threads(scan, r->threads);
	rc = prepare(&s, scan, ops.threads, e);
	ops.gather = asm_team_gathers(s.r.team);
	if (s.best) {
		ops.keep = keep;
		ops.finish = finish;
	}
	if (!rc)
		rc = scan_run(r, &ops, e);
	*n_letters = s.r.team ? asm_team_letters(s.r.team) : 0;
	asm_team_free(s.r.team);
	asm_best_free(s.best);
	return rc;
}
