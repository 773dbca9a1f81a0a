/* SPDX-License-Identifier: MIT */
/* sw_scan_team.c - the threads of a scan, and the chunks that they share */
#include <stdlib.h>

#include "scan/sw_scan_priv.h"

struct sw_team {
	unsigned n;
	struct sw_thread **thread;
	struct sw_cut *cut;	/* one for each job that is open */
};

int
sw_team_new(struct sw_team **out, const struct sw_scan *s,
	    const struct sw_kept *k, unsigned threads, struct err *e)
{
	struct sw_team *m = calloc(1, sizeof *m);
	int rc = 0;

	*out = m;
	if (!m)
		return err_nomem(e, sizeof *m);
	m->thread = calloc(threads, sizeof(struct sw_thread *));
	m->cut = calloc(threads, sizeof *m->cut);
	if (!m->thread || !m->cut)
		return err_nomem(e, threads * sizeof *m->cut);
	for (; m->n < threads && !rc; m->n += !rc)
		rc = sw_thread_new(&m->thread[m->n], s, k, e);
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
	}
	free(m->thread);
	free(m->cut);
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

/* A job that failed keeps what it had: then there may be none. */
static struct sw_cut *
take(struct sw_team *m)
{
	for (unsigned i = 0; i < m->n; i++)
		if (!__atomic_exchange_n(&m->cut[i].taken, true,
					 __ATOMIC_ACQUIRE))
			return &m->cut[i];
	return NULL;
}

static void
give_back(struct sw_cut *c)
{
	sw_cut_close(c);
	__atomic_store_n(&c->taken, false, __ATOMIC_RELEASE);
}

int
sw_team_work(struct sw_team *m, unsigned thread, struct pump_job *job,
	     struct err *e)
{
	struct sw_thread *t = m->thread[thread];
	const struct rec_frame *f = job->item.frame;
	struct sw_cut *c;
	int rc;

	if (f->type != REC_CHUNK)
		return 0;
	c = job->team > 1 ? take(m) : NULL;
	if (!c)
		return sw_thread_chunk(t, f, job->before, job->n_before,
				       &job->out, e);
	rc = sw_cut_open(c, t, f, job->before, job->n_before, e);
	if (!rc)
		sw_plan(c, job->team, job->few);
	if (!rc && c->n_parts > 1) {
		job->parts = c;
		job->n_parts = c->n_parts;
		return 0;
	}
	if (!rc)
		rc = sw_thread_part(t, c, &c->part[0], &job->out, e);
	give_back(c);
	return rc;
}

int
sw_team_part(struct sw_team *m, unsigned thread, struct pump_job *job,
	     unsigned part, struct err *e)
{
	struct sw_cut *c = job->parts;

	return sw_thread_part(m->thread[thread], c, &c->part[part],
			      &c->rows[part], e);
}

int
sw_team_join(struct pump_job *job, unsigned part, struct err *e)
{
	struct sw_cut *c = job->parts;
	struct buf *rows = &c->rows[part];

	buf_put(&job->out, rows->p, rows->n);
	if (job->out.bad)
		return err_nomem(e, rows->n);
	buf_free(rows);
	if (part + 1 == job->n_parts)
		give_back(c);
	return 0;
}
