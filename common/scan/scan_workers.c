/* SPDX-License-Identifier: MIT */
/* scan_workers.c - the threads of a scan, and the chunks that they search */

#include <stdlib.h>

#include "base/base.h"
#include "scan/scan_workers.h"

/* A chunk, viewed with those before it. */

void
scan_chunk_free(struct scan_chunk *v)
{
	chunk_free(&v->c);
	for (size_t i = 0; i < v->n_before; i++)
		chunk_free(&v->before[i]);
	free(v->before);
	memset(v, 0, sizeof *v);
}

int
scan_chunk_view(struct scan_chunk *v, const struct rec_frame *f,
		struct rec_frame *const *before, size_t n, struct err *e)
{
	int rc;

	memset(v, 0, sizeof *v);
	rc = chunk_view(&v->c, f, e);
	if (rc)
		return rc;
	v->before = n ? calloc(n, sizeof *v->before) : NULL;
	if (n && !v->before)
		rc = err_nomem(e, n * sizeof *v->before);
	for (; v->n_before < n && !rc; v->n_before += !rc)
		rc = chunk_view(&v->before[v->n_before], before[v->n_before],
				e);
	if (rc)
		scan_chunk_free(v);
	return rc;
}

static const struct chunk_row *
first_circle(const struct chunk *c)
{
	for (size_t i = 0; i < c->n_rows && c->circular; i++)
		if (c->row[i].flags & CHUNK_CIRCULAR)
			return &c->row[i];
	return NULL;
}

bool
scan_chunk_is_circular(const struct scan_chunk *v)
{
	return first_circle(&v->c);
}

int
scan_chunk_refuse_circular(const struct scan_chunk *v, const char *who,
			   struct err *e)
{
	const struct chunk_row *r = first_circle(&v->c);

	return !r ? 0 : err_set(e, ERR_USAGE, "%.*s was read with --circular: "
				"%s searches no circular sequences",
				(int)(r->name.n < 99 ? r->name.n : 99),
				r->name.p, who);
}

int
scan_job_open(const struct scan_search *s, struct scan_job *j,
	      struct scan_worker *w, const struct pump_job *pump, struct err *e)
{
	int rc = scan_chunk_view(&j->v, pump->item.frame, pump->before,
				 pump->n_before, e);

	if (rc)
		return rc;
	w->n_letters += j->v.c.owned;
	j->n_parts = 1;
	return s->open(j, e);
}

void
scan_job_close(const struct scan_search *s, struct scan_job *j)
{
	s->close(j);
	scan_chunk_free(&j->v);
	for (unsigned i = 0; i < j->n_parts; i++)
		buf_free(&j->rows[i]);
	j->n_parts = 0;
	j->weight = 0;
}

int
scan_job_part(const struct scan_search *s, struct scan_job *j,
	      struct scan_worker *w, unsigned part, bool next, struct buf *out,
	      struct err *e)
{
	struct buf *rows = next && !j->keep_rows ? out : &j->rows[part];

	return s->part(j, w, part, next, rows, e);
}

int
scan_job_join(const struct scan_search *s, struct scan_job *j, unsigned part,
	      struct buf *out, struct err *e)
{
	struct buf *rows = &j->rows[part];

	if (!j->keep_rows) {
		if (rows->n)
			buf_put(out, rows->p, rows->n);
		buf_free(rows);
	}
	if (out->bad)
		return err_nomem(e, out->n);
	return s->join ? s->join(j, part, out, e) : 0;
}

int
scan_job_letters(const struct scan_job *j, struct scan_worker *w,
		 const struct window_seg *g, uint64_t beg, uint64_t end,
		 struct hit *h, struct err *e)
{
	struct buf *b = &w->letters;
	int rc;

	b->n = 0;
	if (!buf_reserve(b, end - beg + 64))
		return err_nomem(e, end - beg + 64);
	rc = window_letters(&j->w, g, &j->v.c, j->v.before, j->v.n_before, beg,
			    end, b->p);
	if (rc)
		return err_set(e, rc, "chunk %llu: letters are missing",
			       (unsigned long long)j->v.c.serial);
	h->letters = (struct str){ (const char *)b->p, end - beg };
	h->flags |= HIT_LETTERS;
	return 0;
}

/* The threads, and as many jobs as are in flight. */

static struct scan_workers *
workers_of(void *ctx)
{
	return *(struct scan_workers **)ctx;
}

static void
search_batch(void *ctx, unsigned thread, struct pump_job **pump, unsigned n)
{
	struct scan_job *j[PUMP_MAX_BATCH];

	(void)thread;
	for (unsigned i = 0; i < n; i++)
		j[i] = pump[i]->parts;
	workers_of(ctx)->s->batch(j, n);
}

static void
worker_free(const struct scan_search *s, struct scan_worker *w)
{
	s->worker_free(w);
	buf_free(&w->ops);
	buf_free(&w->letters);
	buf_free(&w->row);
	free(w);
}

static int
add_worker(struct scan_workers *m, void *ctx, struct err *e)
{
	struct scan_worker *w = calloc(1, m->s->worker_size);
	int rc;

	if (!w)
		return err_nomem(e, m->s->worker_size);
	w->ctx = ctx;
	rc = m->s->worker_new(w, e);
	if (rc)
		worker_free(m->s, w);
	else
		m->worker[m->n++] = w;
	return rc;
}

static int
add_job(struct scan_workers *m, void *ctx, struct err *e)
{
	struct scan_job *j = calloc(1, m->s->job_size);

	if (!j)
		return err_nomem(e, m->s->job_size);
	j->ctx = ctx;
	m->job[m->n_jobs++] = j;
	return 0;
}

int
scan_workers_new(struct scan_workers **out, const struct scan_search *s,
		 void *ctx, struct cuda_pool *gpu, unsigned threads,
		 struct err *e)
{
	unsigned streams = gpu ? cuda_pool_streams(gpu) : 0, jobs;
	struct scan_workers *m = calloc(1, sizeof *m);
	int rc = 0;

	*out = m;
	if (!m)
		return err_nomem(e, sizeof *m);
	m->s = s;
	m->gpu = gpu;
	if (streams) {
		m->batch.call = search_batch;
		m->batch.calls = 2 * streams;	/* one prepares */
		m->batch.weight = cuda_pool_fill(gpu);
	}
	threads += cuda_pool_is_named(gpu);
	jobs = pump_jobs(threads, &m->batch);
	m->worker = calloc(threads, sizeof(struct scan_worker *));
	m->job = calloc(jobs, sizeof(struct scan_job *));
	m->taken = calloc(jobs, sizeof *m->taken);
	if (!m->worker || !m->job || !m->taken)
		rc = err_nomem(e, jobs * sizeof(struct scan_job *));
	while (!rc && m->n < threads)
		rc = add_worker(m, ctx, e);
	while (!rc && m->n_jobs < jobs)
		rc = add_job(m, ctx, e);
	return rc;
}

void
scan_workers_free(struct scan_workers *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < m->n; i++)
		worker_free(m->s, m->worker[i]);
	for (unsigned i = 0; i < m->n_jobs; i++) {
		scan_job_close(m->s, m->job[i]);
		m->s->job_free(m->job[i]);
		window_free(&m->job[i]->w);
		free(m->job[i]);
	}
	free(m->worker);
	free(m->job);
	free(m->taken);
	free(m);
}

uint64_t
scan_workers_letters(const struct scan_workers *m)
{
	uint64_t n = 0;

	for (unsigned i = 0; m && i < m->n; i++)
		n += m->worker[i]->n_letters;
	return n;
}

/*
 * The first that nobody has: its memory was used most recently.  There is one:
 * each is of an item that the pump has in flight, and no item has two.
 */
static struct scan_job *
take_job(struct scan_workers *m)
{
	unsigned i = 0;

	while (__atomic_exchange_n(&m->taken[i], true, __ATOMIC_ACQUIRE))
		i++;
	return m->job[i];
}

static void
give_back(struct scan_workers *m, struct scan_job *j)
{
	unsigned i = 0;

	scan_job_close(m->s, j);
	while (m->job[i] != j)
		i++;
	__atomic_store_n(&m->taken[i], false, __ATOMIC_RELEASE);
}

/* What the pump asks for. */

/* In parts, or by this thread. */
static int
search(struct scan_workers *m, struct scan_worker *w, struct scan_job *j,
       struct pump_job *pump, struct err *e)
{
	int rc = m->s->plan(j, pump, e);

	if (!rc && j->n_parts > 1) {
		pump->parts = j;
		pump->n_parts = j->n_parts;
		return 0;
	}
	if (!rc)
		rc = scan_job_part(m->s, j, w, 0, true, &pump->out, e);
	if (!rc)
		rc = scan_job_join(m->s, j, 0, &pump->out, e);
	give_back(m, j);
	return rc;
}

int
scan_workers_work(void *ctx, unsigned thread, struct pump_job *pump,
		  struct err *e)
{
	struct scan_workers *m = workers_of(ctx);
	struct scan_worker *w = m->worker[thread];
	struct scan_job *j;
	int rc;

	if (pump->item.frame->type != REC_CHUNK)
		return 0;
	if (pump->batched)
		return search(m, w, pump->parts, pump, e);
	j = take_job(m);
	rc = scan_job_open(m->s, j, w, pump, e);
	if (!rc && m->batch.calls && cuda_pool_is_open(m->gpu))
		rc = m->s->postpone(j, e);
	if (rc) {
		give_back(m, j);
		return rc;
	}
	if (!j->weight)
		return search(m, w, j, pump, e);
	pump->postponed = true;
	pump->parts = j;
	pump->weight = j->weight;
	return 0;
}

int
scan_workers_part(void *ctx, unsigned thread, struct pump_job *pump,
		  unsigned part, bool next, struct err *e)
{
	struct scan_workers *m = workers_of(ctx);

	return scan_job_part(m->s, pump->parts, m->worker[thread], part, next,
			     &pump->out, e);
}

int
scan_workers_join(void *ctx, struct pump_job *pump, unsigned part,
		  struct err *e)
{
	struct scan_workers *m = workers_of(ctx);
	struct scan_job *j = pump->parts;
	int rc = scan_job_join(m->s, j, part, &pump->out, e);

	if (!rc && part + 1 == pump->n_parts)
		give_back(m, j);
	return rc;
}
