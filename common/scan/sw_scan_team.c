/* SPDX-License-Identifier: MIT */
/* sw_scan_team.c - the threads of a scan, and the chunks that they share */
#include <stdlib.h>

#include "base/crew.h"
#include "scan/sw_gpu.h"
#include "scan/sw_scan_priv.h"
#include "stream/pump_pool.h"

/* Patterns of which the scores of a block take as much as its letters. */
enum { PATTERNS = 16 };

struct sw_team {
	const struct sw_scan *s;
	struct pump_gather gather;
	unsigned n, n_cuts;
	struct sw_thread **thread;
	struct sw_cut *cut;	/* one for each job that is open */
	struct crew **crew;	/* of a cut */
	struct pump_pool spare;	/* of cuts */
	struct sw_progress progress;
};

unsigned
sw_team_threads(const struct sw_scan *s, unsigned threads)
{
	struct sw_gpu_sizes z = sw_gpu_sizes(s);

	return threads + z.told;
}

/* Cuts for all that the pump has in flight. */
static int
get_memory(struct sw_team *m, unsigned threads, struct err *e)
{
	struct sw_gpu_sizes z = sw_gpu_sizes(m->s);
	unsigned cuts = threads;
	int rc;

	m->gather.calls = 2 * z.streams;	/* one prepares */
	m->gather.weight = z.columns;
	if (m->gather.calls)
		cuts += PUMP_MOST_GATHERED * (m->gather.calls + 1);
	rc = pump_pool_new(&m->spare, cuts, e);
	m->thread = calloc(threads, sizeof(struct sw_thread *));
	m->cut = calloc(cuts, sizeof *m->cut);
	m->crew = calloc(cuts, sizeof(struct crew *));
	if (!rc && (!m->thread || !m->cut || !m->crew))
		rc = err_nomem(e, cuts * sizeof *m->cut);
	for (; m->n_cuts < cuts && !rc; m->n_cuts += !rc)
		rc = crew_new(&m->crew[m->n_cuts], threads, e);
	return rc;
}

int
sw_team_new(struct sw_team **out, const struct sw_scan *s,
	    const struct sw_kept *k, unsigned threads, struct err *e)
{
	struct sw_team *m = calloc(1, sizeof *m);
	int rc;

	*out = m;
	if (!m)
		return err_nomem(e, sizeof *m);
	m->s = s;
	rc = get_memory(m, threads, e);
	for (; m->n < threads && !rc; m->n += !rc) {
		rc = sw_thread_new(&m->thread[m->n], s, k, e);
		if (rc)
			continue;
		sw_work_team(m->thread[m->n]->work, threads);
		m->thread[m->n]->progress = &m->progress;
	}
	return rc;
}

void
sw_team_watch(struct sw_team *m, void (*tick)(void *), void *tick_ctx)
{
	m->progress.meter.tick = tick;
	m->progress.meter.ctx = tick_ctx;
	for (unsigned i = 0; i < m->n; i++)
		sw_work_meter(m->thread[i]->work, &m->progress.meter);
}

struct scan_cells
sw_team_cells(const struct sw_team *m)
{
	const struct sw_progress *p = &m->progress;

	return (struct scan_cells){
		.done = __atomic_load_n(&p->meter.done, __ATOMIC_RELAXED),
		.of = __atomic_load_n(&p->of, __ATOMIC_RELAXED),
		.left_out = __atomic_load_n(&p->meter.left_out,
					    __ATOMIC_RELAXED),
	};
}

void
sw_team_free(struct sw_team *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < m->n; i++)
		sw_thread_free(m->thread[i]);
	for (unsigned i = 0; i < m->n_cuts; i++) {
		sw_cut_free(&m->cut[i]);
		crew_free(m->crew[i]);
	}
	free(m->thread);
	free(m->cut);
	free(m->crew);
	pump_pool_free(&m->spare);
	free(m);
}

uint64_t
sw_team_letters(const struct sw_team *m)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < m->n; i++)
		n += m->thread[i]->n_letters;
	return n;
}

static void
give_back(struct sw_team *m, struct sw_cut *c)
{
	sw_cut_close(c);
	pump_pool_give_back(&m->spare, (unsigned)(c - m->cut));
}

/* In parts, or by this thread. */
static int
search(struct sw_team *m, struct sw_thread *t, struct sw_cut *c,
       struct pump_job *job, struct err *e)
{
	int rc;

	sw_plan(c, job->team, job->few, job->plenty);
	sw_cut_begin(c, &m->progress);
	if (c->n_parts > 1) {
		job->parts = c;
		job->n_parts = c->n_parts;
		crew_begin(m->crew[c - m->cut], c->leaders);
		return 0;
	}
	rc = sw_thread_part(t, c, &c->part[0], NULL, &job->out, e);
	give_back(m, c);
	return rc;
}

/* Does a GPU compute scores of several chunks as one? */
static bool
gathers(const struct sw_team *m)
{
	return m->gather.calls && cuda_peaks_gathers(m->s->gpu, NULL);
}

static int
put_off(struct sw_cut *c, struct pump_job *job, struct err *e)
{
	uint64_t patterns = c->s->n_patterns;

	job->later = true;
	job->parts = c;
	job->weight = c->l.n * (patterns > PATTERNS ? patterns : PATTERNS) /
		      PATTERNS;
	return sw_cut_put_off(c, e);
}

int
sw_team_work(struct sw_team *m, unsigned thread, struct pump_job *job,
	     struct err *e)
{
	struct sw_thread *t = m->thread[thread];
	const struct rec_frame *f = job->item.frame;
	struct sw_cut *c;
	unsigned i;
	int rc;

	if (f->type != REC_CHUNK)
		return 0;
	if (job->gathered)
		return search(m, t, job->parts, job, e);
	i = job->team > 1 || gathers(m) ? pump_pool_borrow(&m->spare) :
					  m->spare.n;
	if (i == m->spare.n)
		return sw_thread_chunk(t, f, job->before, job->n_before,
				       &job->out, e);
	c = &m->cut[i];
	rc = sw_cut_open(c, t, f, job->before, job->n_before, e);
	if (!rc && c->l.n_seg && gathers(m))
		return put_off(c, job, e);
	if (!rc)
		return search(m, t, c, job, e);
	give_back(m, c);
	return rc;
}

struct pump_gather
sw_team_gathers(const struct sw_team *m, pump_gather_fn *call)
{
	struct pump_gather g = { .call = NULL };

	if (!m || !m->gather.calls)
		return g;
	g = m->gather;
	g.call = call;
	return g;
}

void
sw_team_gather(struct pump_job **job, unsigned n)
{
	struct sw_cut *c[PUMP_MOST_GATHERED];

	for (unsigned i = 0; i < n; i++)
		c[i] = job[i]->parts;
	sw_cut_gather(c, n);
}

int
sw_team_part(struct sw_team *m, unsigned thread, struct pump_job *job,
	     unsigned part, struct err *e)
{
	struct sw_cut *c = job->parts;
	struct crew *crew = c->leaders ? m->crew[c - m->cut] : NULL;
	int rc;

	if (crew && part >= c->leaders) {
		crew_help(crew);
		return 0;
	}
	rc = sw_thread_part(m->thread[thread], c, &c->part[part], crew,
			    &c->rows[part], e);
	if (crew)
		crew_leave(crew);
	return rc;
}

int
sw_team_join(struct sw_team *m, struct pump_job *job, unsigned part,
	     struct err *e)
{
	struct sw_cut *c = job->parts;
	struct buf *rows = &c->rows[part];

	buf_put(&job->out, rows->p, rows->n);
	if (job->out.bad)
		return err_nomem(e, rows->n);
	buf_free(rows);
	if (part + 1 == job->n_parts)
		give_back(m, c);
	return 0;
}
