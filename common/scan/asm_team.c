/* SPDX-License-Identifier: MIT */
/* asm_team.c - the threads of a scan, and the chunks that they share */
#include "scan/asm_team.h"

#include <stdlib.h>

#include "scan/asm_priv.h"
#include "stream/pump_pool.h"

struct asm_team {
	unsigned n;
	struct asm_thread **thread;
	struct asm_cut *cut;	/* one for each job that is open */
	struct pump_pool spare;	/* of them */
};

static int
add_member(struct asm_team *m, const struct asm_scan *a, struct asm_best *best,
	   struct err *e)
{
	int rc = asm_thread_new(&m->thread[m->n], a, best, e);

	if (rc)
		return rc;
	rc = asm_cut_new(&m->cut[m->n], a, e);
	if (rc)
		asm_thread_free(m->thread[m->n]);
	else
		m->n++;
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
	rc = pump_pool_new(&m->spare, threads, e);
	m->thread = calloc(threads, sizeof(struct asm_thread *));
	m->cut = calloc(threads, sizeof *m->cut);
	if (!rc && (!m->thread || !m->cut))
		rc = err_nomem(e, threads * sizeof *m->cut);
	while (m->n < threads && !rc)
		rc = add_member(m, a, best, e);
	return rc;
}

void
asm_team_free(struct asm_team *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < m->n; i++) {
		asm_thread_free(m->thread[i]);
		asm_cut_free(&m->cut[i]);
	}
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

int
asm_team_work(struct asm_team *m, unsigned thread, struct pump_job *job,
	      bool matched, struct err *e)
{
	struct asm_thread *t = m->thread[thread];
	struct asm_cut *c;
	unsigned i;
	int rc;

	if (job->item.frame->type != REC_CHUNK)
		return 0;
	i = job->team > 1 ? pump_pool_borrow(&m->spare) : m->spare.n;
	if (i == m->spare.n)
		return alone(t, job, matched, e);
	c = &m->cut[i];
	c->matched = matched;
	rc = asm_cut_open(c, t, job->item.frame, job->before, job->n_before,
			  &job->out, e);
	if (!rc)
		asm_cut_parts(c, job->team, job->few);
	if (!rc && c->n_parts > 1) {
		job->parts = c;
		job->n_parts = c->n_parts;
		return 0;
	}
	if (!rc)
		rc = asm_cut_part(c, t, 0, true, &job->out, e);
	if (!rc)
		rc = asm_cut_join(c, 0, &job->out, e);
	give_back(m, c);
	return rc;
}

int
asm_team_part(struct asm_team *m, unsigned thread, struct pump_job *job,
	      unsigned part, bool next, struct err *e)
{
	return asm_cut_part(job->parts, m->thread[thread], part, next,
			    &job->out, e);
}

int
asm_team_join(struct asm_team *m, struct pump_job *job, unsigned part,
	      struct err *e)
{
	struct asm_cut *c = job->parts;
	int rc = asm_cut_join(c, part, &job->out, e);

	if (!rc && part + 1 == job->n_parts)
		give_back(m, c);
	return rc;
}
