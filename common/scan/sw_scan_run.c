/* SPDX-License-Identifier: MIT */
/* sw_scan_run.c - local alignment over all operands */
#include "scan/sw_scan_priv.h"
#include "stream/feed.h"

struct runner {
	struct sw_team *team;
	struct sw_kept *kept;
};

static int
work(void *ctx, unsigned thread, struct pump_job *job, struct err *e)
{
	struct runner *r = ctx;

	return sw_team_work(r->team, thread, job, e);
}

static int
part(void *ctx, unsigned thread, struct pump_job *job, unsigned i, bool next,
     struct err *e)
{
	struct runner *r = ctx;

	(void)next;
	return sw_team_part(r->team, thread, job, i, e);
}

static int
join(void *ctx, struct pump_job *job, unsigned i, struct err *e)
{
	struct runner *r = ctx;

	return sw_team_join(r->team, job, i, e);
}

static void
gather(void *ctx, unsigned thread, struct pump_job **job, unsigned n)
{
	(void)ctx;
	(void)thread;
	sw_team_gather(job, n);
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

static void
watch(void *ctx, void (*tick)(void *), void *tick_ctx)
{
	sw_team_watch(((struct runner *)ctx)->team, tick, tick_ctx);
}

static struct scan_cells
cells(void *ctx)
{
	return sw_team_cells(((const struct runner *)ctx)->team);
}

/*
 * Letters of a chunk that is cut here.  The context is searched again with each
 * one: it is a tenth of the work at most.
 */
static uint64_t
own_of(const struct sw_scan *s)
{
	const uint64_t usual = feed_defaults.own, most = 1 << 29;

	if (s->context <= usual / 10)
		return usual;
	return s->context < most / 10 ? s->context * 10 : most;
}

static int
prepare(struct runner *x, const struct sw_scan *s, unsigned threads,
	struct err *e)
{
	int rc = sw_kept_new(&x->kept, s, e);

	return rc ? rc : sw_team_new(&x->team, s, x->kept, threads, e);
}

int
sw_scan_run(const struct scan_run *r, const struct sw_scan *s,
	    uint64_t *n_letters, struct err *e)
{
	struct runner x = { 0 };
	struct scan_ops ops = {
		.key = &s->key,
		.text = { (const char *)s->text.p, s->text.n },
		.context = s->context, .own = own_of(s), .work = work,
		.part = part, .join = join, .keep = keep, .finish = finish,
		.watch = watch, .cells = cells, .ctx = &x,
	};
	int rc;

	ops.threads = sw_team_threads(s, r->threads);
	rc = prepare(&x, s, ops.threads, e);
	ops.gather = sw_team_gathers(x.team, gather);
	if (!rc)
		rc = scan_run(r, &ops, e);
	*n_letters = x.team ? sw_team_letters(x.team) : 0;
	sw_team_free(x.team);
	sw_kept_free(x.kept);
	return rc;
}
