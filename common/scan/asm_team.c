/* SPDX-License-Identifier: MIT */
/* asm_team.c - the threads of a scan, and the chunks that they share */
#include "scan/asm_team.h"

#include <stdlib.h>

#include "scan/asm_priv.h"
#include "stream/pump_pool.h"

struct asm_team {
	const struct asm_scan *a;
	struct pump_gather gather;
	unsigned n, n_cuts;
	struct asm_thread **thread;
	struct asm_cut *cut;	/* one for each job that is open */
	struct pump_pool spare;	/* of them */
};

unsigned
asm_team_threads(const struct asm_scan *a, unsigned threads)
{
	struct asm_gpu_sizes s = { .told = false };

	if (a->gpu)
		asm_gpu_sizes(a->gpu, &s);
	return threads + (s.told && s.streams);
}

/* Cuts for all that the pump has in flight. */
static int
get_memory(struct asm_team *m, unsigned threads, struct err *e)
{
	struct asm_gpu_sizes s;
	unsigned cuts = threads;
	int rc;

	if (m->a->gpu) {
		asm_gpu_sizes(m->a->gpu, &s);
		m->gather.calls = 2 * s.streams;	/* one prepares */
		m->gather.weight = s.letters;
	}
	if (m->gather.calls)
		cuts += PUMP_MOST_GATHERED * (m->gather.calls + 1);
	rc = pump_pool_new(&m->spare, cuts, e);
	m->thread = calloc(threads, sizeof(struct asm_thread *));
	m->cut = calloc(cuts, sizeof *m->cut);
	if (!rc && (!m->thread || !m->cut))
		rc = err_nomem(e, cuts * sizeof *m->cut);
	for (; m->n_cuts < cuts && !rc; m->n_cuts += !rc)
		rc = asm_cut_new(&m->cut[m->n_cuts], m->a, e);
	return rc;
}

int
asm_team_new(struct asm_team **out, const struct asm_scan *a,
	     struct asm_best *best, unsigned threads, struct err *e)
{
	struct asm_team *m = calloc(1, sizeof *m);
	int rc;

	*out = m;
	if (!m)
		return err_nomem(e, sizeof *m);
	m->a = a;
	rc = get_memory(m, threads, e);
	for (; m->n < threads && !rc; m->n += !rc)
		rc = asm_thread_new(&m->thread[m->n], a, best, e);
	return rc;
}

void
asm_team_free(struct asm_team *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < m->n; i++)
		asm_thread_free(m->thread[i]);
	for (unsigned i = 0; i < m->n_cuts; i++)
		asm_cut_free(&m->cut[i]);
	free(m->thread);
	free(m->cut);
	pump_pool_free(&m->spare);
	free(m);
}

uint64_t
asm_team_letters(const struct asm_team *m)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < m->n; i++)
		n += asm_thread_letters(m->thread[i]);
	return n;
}

static void
give_back(struct asm_team *m, struct asm_cut *c)
{
	asm_cut_close(c);
	pump_pool_give_back(&m->spare, (unsigned)(c - m->cut));
}

static int
alone(struct asm_thread *t, struct pump_job *job, bool matched, struct err *e)
{
	return (matched ? asm_chunk_matched : asm_chunk)
	    (t, job->item.frame, job->before, job->n_before, &job->out, e);
}

/* In parts, or by this thread. */
static int
search(struct asm_team *m, struct asm_thread *t, struct asm_cut *c,
       struct pump_job *job, struct err *e)
{
	int rc;

	asm_cut_parts(c, job->team, job->few);
	if (c->n_parts > 1) {
		job->parts = c;
		job->n_parts = c->n_parts;
		return 0;
	}
	rc = asm_cut_part(c, t, 0, true, &job->out, e);
	if (!rc)
		rc = asm_cut_join(c, 0, &job->out, e);
	give_back(m, c);
	return rc;
}

/* Does a GPU search several chunks as one? */
static bool
gathers(const struct asm_team *m)
{
	return m->a->gpu && asm_gpu_gathers(m->a->gpu);
}

static int
put_off(struct asm_cut *c, struct pump_job *job, struct err *e)
{
	job->later = true;
	job->parts = c;
	job->weight = c->w.n;
	return asm_cut_put_off(c, e);
}

static struct asm_team *
team_of(void *ctx)
{
	return ((struct asm_runner *)ctx)->team;
}

int
asm_team_work(void *ctx, unsigned thread, struct pump_job *job, struct err *e)
{
	bool matched = ((struct asm_runner *)ctx)->matched;
	struct asm_team *m = team_of(ctx);
	struct asm_thread *t = m->thread[thread];
	struct asm_cut *c;
	unsigned i;
	int rc;

	if (job->item.frame->type != REC_CHUNK)
		return 0;
	if (job->gathered)
		return search(m, t, job->parts, job, e);
	i = job->team > 1 || gathers(m) ? pump_pool_borrow(&m->spare) :
					  m->spare.n;
	if (i == m->spare.n)
		return alone(t, job, matched, e);
	c = &m->cut[i];
	c->matched = matched;
	rc = asm_cut_open(c, t, job->item.frame, job->before, job->n_before,
			  &job->out, e);
	if (!rc && c->w.n_seg && gathers(m))
		return put_off(c, job, e);
	if (!rc)
		return search(m, t, c, job, e);
	give_back(m, c);
	return rc;
}

static void
gather(void *ctx, unsigned thread, struct pump_job **job, unsigned n)
{
	struct asm_gpu_text *text[PUMP_MOST_GATHERED];

	(void)thread;
	for (unsigned i = 0; i < n; i++)
		text[i] = &((struct asm_cut *)job[i]->parts)->text;
	asm_gpu_gather(team_of(ctx)->a->gpu, text, n);
}

struct pump_gather
asm_team_gathers(const struct asm_team *m)
{
	struct pump_gather g = { .call = NULL };

	if (!m || !m->gather.calls)
		return g;
	g = m->gather;
	g.call = gather;
	return g;
}

int
asm_team_part(void *ctx, unsigned thread, struct pump_job *job, unsigned part,
	      bool next, struct err *e)
{
	return asm_cut_part(job->parts, team_of(ctx)->thread[thread], part,
			    next, &job->out, e);
}

int
asm_team_join(void *ctx, struct pump_job *job, unsigned part, struct err *e)
{
	struct asm_cut *c = job->parts;
	int rc = asm_cut_join(c, part, &job->out, e);

	if (!rc && part + 1 == job->n_parts)
		give_back(team_of(ctx), c);
	return rc;
}
