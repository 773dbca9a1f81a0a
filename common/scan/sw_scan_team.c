/* SPDX-License-Identifier: MIT */
/* sw_scan_team.c - the threads of a scan, and the chunks that they share */
#include <stdlib.h>

#include "base/crew.h"
#include "scan/sw_scan_priv.h"
#include "stream/pump_pool.h"

struct sw_team {
	unsigned n;
	struct sw_thread **thread;
	struct sw_cut *cut;	/* one for each job that is open */
	struct crew **crew;	/* of a cut */
	struct pump_pool spare;	/* of cuts */
};

int
sw_team_new(struct sw_team **out, const struct sw_scan *s,
	    const struct sw_kept *k, unsigned threads, struct err *e)
{
	struct sw_team *m = calloc(1, sizeof *m);
	int rc;

	*out = m;
	if (!m)
		return err_nomem(e, sizeof *m);
	rc = pump_pool_new(&m->spare, threads, e);
	m->thread = calloc(threads, sizeof(struct sw_thread *));
	m->cut = calloc(threads, sizeof *m->cut);
	m->crew = calloc(threads, sizeof(struct crew *));
	if (!rc && (!m->thread || !m->cut || !m->crew))
		rc = err_nomem(e, threads * sizeof *m->cut);
	for (; m->n < threads && !rc; m->n++) {
		rc = sw_thread_new(&m->thread[m->n], s, k, e);
		if (!rc)
			rc = crew_new(&m->crew[m->n], threads, e);
		if (!rc)
			sw_work_team(m->thread[m->n]->work, threads);
	}
	return rc;
}

void
sw_team_free(struct sw_team *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < m->n; i++) {
		sw_thread_free(m->thread[i]);
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
	i = job->team > 1 ? pump_pool_borrow(&m->spare) : m->spare.n;
	if (i == m->spare.n)
		return sw_thread_chunk(t, f, job->before, job->n_before,
				       &job->out, e);
	c = &m->cut[i];
	rc = sw_cut_open(c, t, f, job->before, job->n_before, e);
	if (!rc)
		sw_plan(c, job->team, job->few, job->plenty);
	if (!rc && c->n_parts > 1) {
		job->parts = c;
		job->n_parts = c->n_parts;
		crew_begin(m->crew[i], c->leaders);
		return 0;
	}
	if (!rc)
		rc = sw_thread_part(t, c, &c->part[0], NULL, &job->out, e);
	give_back(m, c);
	return rc;
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
