/* SPDX-License-Identifier: MIT */
/*
 * pump.c - a team of threads over a feed, results in order
 *
 * One mutex guards the ring; reading, working and emitting happen outside of
 * it.  At any time one thread at most reads (in_read) and one emits (in_emit),
 * the others work or wait for a change.
 *
 * Of a job in parts a thread is inside until all are done: who began it leaves
 * when none is left to take, others after each.  The last to leave closes it.
 */
#include "stream/pump_priv.h"

#include <omp.h>
#include <stdlib.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

/* What a job leaves behind for the next one in its place, at most. */
enum { KEEP_BYTES = 4 << 20 };
/* Nothing more is read while so many bytes a thread wait to be emitted. */
enum { WAIT_BYTES = 4 << 20 };
/*
 * Buffers as large go back to the system when they are freed.  Left alone,
 * malloc would learn from the first ones to keep them, and with buffers that
 * grow in several threads it keeps several times what is in use.
 */
enum { MAP_BYTES = 1 << 20 };

static int
read_job(struct pump *p, struct pump_slot *s, uint64_t number, bool *end)
{
	struct pump_job *job = &s->job;
	struct buf out = job->out;
	int rc;

	out.n = 0;
	memset(job, 0, sizeof *job);
	job->out = out;
	job->number = number;
	rc = feed_next(p->feed, &job->item, &s->err);
	*end = rc == 0;
	if (rc <= 0) {
		/* Nothing was read: feed_drop() must not see it. */
		memset(&job->item, 0, sizeof job->item);
		return rc;
	}
	return pump_chain_job(&p->chain, p->ops->context, job, &s->err);
}

static int
work_job(struct pump *p, struct pump_slot *s, unsigned thread)
{
	int rc = 0;

	if (s->job.item.kind == FEED_RAW && !s->job.gathered)
		rc = feed_encode(&s->job.item, &s->err);
	if (rc || !p->ops->work || !s->job.item.frame)
		return rc;
	return p->ops->work(p->ctx, thread, &s->job, &s->err);
}

static void
drop_job(struct pump_slot *s)
{
	struct pump_job *job = &s->job;

	feed_drop(&job->item);
	for (size_t i = 0; i < job->n_before; i++)
		rec_frame_drop(job->before[i]);
	free(job->before);
	free(job->result);
	if (job->out.cap > KEEP_BYTES || job->out.bad)
		buf_free(&job->out);
	job->before = NULL;
	job->result = NULL;
	job->n_before = 0;
	memset(&job->item, 0, sizeof job->item);
}

/* The following are called with the lock held, and give it up meanwhile. */

static void
emit_next(struct pump *p, struct pump_slot *s)
{
	int rc = s->rc;

	p->in_emit = true;
	p->waiting -= s->job.out.n;
	pthread_mutex_unlock(&p->lock);
	if (!rc)
		rc = feed_account(p->feed, &s->job.item, &s->err);
	if (!rc)
		rc = p->ops->emit(p->ctx, &s->job, &s->err);
	drop_job(s);
	pthread_mutex_lock(&p->lock);
	p->in_emit = false;
	s->done = false;
	p->emitted++;
	if (rc) {
		p->eof = p->failed = true;
		p->rc = rc;
		*p->err = s->err;
	}
	pthread_cond_broadcast(&p->change);
}

/* A job is read and worked on, or failed. */
static void
close_job(struct pump *p, struct pump_slot *s)
{
	s->done = true;
	s->n_parts = 0;
	p->waiting += s->job.out.n;
	if (s->rc)
		p->eof = p->vain = true;
	pthread_cond_broadcast(&p->change);
}

/* No more parts are taken; those before this one are all taken by now. */
static void
fail_part(struct pump_slot *s, unsigned part, int rc, const struct err *e)
{
	s->taken = s->n_parts;
	if (s->rc && s->failed < part)
		return;
	s->rc = rc;
	s->err = *e;
	s->failed = part;
}

static void
join_parts(struct pump *p, struct pump_slot *s)
{
	struct err e;
	int rc;

	while (p->ops->join && !s->in_join && !s->rc &&
	       s->joined < s->n_parts && s->worked >> s->joined & 1) {
		s->in_join = true;
		pthread_mutex_unlock(&p->lock);
		rc = p->ops->join(p->ctx, &s->job, s->joined, &e);
		pthread_mutex_lock(&p->lock);
		s->in_join = false;
		if (rc)
			fail_part(s, s->joined, rc, &e);
		else
			s->joined++;
	}
}

static void
work_part(struct pump *p, struct pump_slot *s, unsigned thread)
{
	unsigned part = s->taken++;
	bool next = part == s->joined;
	struct err e;
	int rc;

	pthread_mutex_unlock(&p->lock);
	rc = p->ops->part(p->ctx, thread, &s->job, part, next, &e);
	pthread_mutex_lock(&p->lock);
	if (rc)
		fail_part(s, part, rc, &e);
	else
		s->worked |= 1ull << part;
	join_parts(p, s);
}

static void
leave_job(struct pump *p, struct pump_slot *s)
{
	if (--s->inside == 0)
		close_job(p, s);
}

/* A part of the first job that has one to take. */
static bool
help(struct pump *p, unsigned thread)
{
	for (uint64_t i = p->emitted; i < p->read; i++) {
		struct pump_slot *s = &p->ring[i % p->n_ring];

		if (s->taken < s->n_parts) {
			s->inside++;
			work_part(p, s, thread);
			leave_job(p, s);
			return true;
		}
	}
	return false;
}

static void
work_slot(struct pump *p, struct pump_slot *s, unsigned thread)
{
	pthread_mutex_unlock(&p->lock);
	s->rc = work_job(p, s, thread);
	pthread_mutex_lock(&p->lock);
	if (!s->rc && s->job.later) {
		pump_put_off(p, s);
		return;
	}
	if (s->rc || s->job.n_parts < 2) {
		close_job(p, s);
		return;
	}
	s->n_parts = s->job.n_parts;
	s->taken = s->joined = 0;
	s->worked = 0;
	s->inside = 1;
	pthread_cond_broadcast(&p->change);
	while (s->taken < s->n_parts && !p->failed)
		work_part(p, s, thread);
	leave_job(p, s);
}

static void
read_next(struct pump *p)
{
	uint64_t number = p->read;
	struct pump_slot *s = &p->ring[number % p->n_ring];
	bool end;

	p->in_read = true;
	pthread_mutex_unlock(&p->lock);
	s->rc = read_job(p, s, number, &end);
	pthread_mutex_lock(&p->lock);
	p->in_read = false;
	pthread_cond_broadcast(&p->change);
	p->eof |= end || s->rc;
	p->read += !end;
}

/* Chunks that are read and not begun; frames of other types are no work. */
static unsigned
ahead(const struct pump *p)
{
	unsigned n = 0;

	for (uint64_t i = p->begun; i < p->read; i++) {
		const struct feed_item *it = &p->ring[i % p->n_ring].job.item;

		n += it->kind == FEED_RAW ? !it->skip :
		     it->frame && it->frame->type == REC_CHUNK;
	}
	return n;
}

/* Of a job, with which so many are there to be worked on. */
static void
share_out(const struct pump *p, struct pump_job *job, unsigned jobs)
{
	job->team = p->ops->part ? p->threads : 1;
	job->plenty = jobs >= p->threads;
	job->few = !job->plenty && (p->eof || job->number < p->threads);
}

/* What the others have to do until a job is done may be read already. */
static void
begin_next(struct pump *p, unsigned thread)
{
	struct pump_slot *s = &p->ring[p->begun++ % p->n_ring];

	if (s->rc) {
		close_job(p, s);
		return;
	}
	share_out(p, &s->job, ahead(p) + 1);
	work_slot(p, s, thread);
}

/*
 * OpenMP's barriers spin for milliseconds, in the way of those who still work.
 * So all members sleep here until nobody has work left, and come to the
 * barrier together.
 */
static void
leave(struct pump *p, unsigned team)
{
	if (++p->left == team)
		pthread_cond_broadcast(&p->change);
	while (p->left < team)
		pthread_cond_wait(&p->change, &p->lock);
}

/* A job that was put off, once more. */
static bool
work_again(struct pump *p, unsigned thread)
{
	unsigned jobs = pump_off_ready(p);
	struct pump_slot *s = pump_off_again(p);

	if (!s)
		return false;
	share_out(p, &s->job, jobs);
	work_slot(p, s, thread);
	return true;
}

/*
 * Who reads goes on until there is a job for each thread: so it is known early
 * how many are left.  What waits to be emitted stops reading and beginning; the
 * first job in flight is not among it, and will be done.
 */
static bool
may_read(const struct pump *p)
{
	return !p->in_read && !p->eof && ahead(p) < p->threads &&
	       p->read - p->emitted < p->n_ring && pump_off_may_read(p) &&
	       p->waiting < p->most;
}

static bool
may_begin(const struct pump *p)
{
	return p->begun < p->read && !p->vain && p->waiting < p->most;
}

static void
member(struct pump *p, unsigned thread, unsigned team)
{
	struct pump_slot *s;

	pthread_mutex_lock(&p->lock);
	while (!p->failed && thread < p->threads) {
		s = &p->ring[p->emitted % p->n_ring];
		if (!p->in_emit && s->done && p->emitted < p->read)
			emit_next(p, s);
		else if (pump_gathers(p, thread, false) ||
			 work_again(p, thread))
			continue;
		else if (may_read(p))
			read_next(p);
		else if (may_begin(p))
			begin_next(p, thread);
		else if (help(p, thread) || pump_gathers(p, thread, true))
			continue;
		else if (p->eof && !p->in_read && p->emitted == p->read)
			break;
		else
			pthread_cond_wait(&p->change, &p->lock);
	}
	leave(p, team);
	pthread_mutex_unlock(&p->lock);
}

static void
pump_free(struct pump *p)
{
	for (uint64_t i = 0; i < p->n_ring; i++) {
		drop_job(&p->ring[i]);
		buf_free(&p->ring[i].job.out);
	}
	pump_chain_free(&p->chain);
	free(p->ring);
	pthread_cond_destroy(&p->change);
	pthread_mutex_destroy(&p->lock);
}

int
pump_run(struct feed *f, const struct pump_ops *ops, void *ctx,
	 unsigned threads, struct err *e)
{
	struct pump p = { .feed = f, .ops = ops, .ctx = ctx, .err = e };
	unsigned team = threads ? threads : 1;

	threads = team;
	/* libgomp hardly spins with more threads than processors: one sleeps */
	if (threads > 1 && threads >= (unsigned)omp_get_num_procs())
		team++;
	p.threads = threads;
	p.n_ring = 2 * (uint64_t)threads + 2;
	if (ops->gather.call)
		p.n_ring += PUMP_MOST_GATHERED * (ops->gather.calls + 1ull);
	p.most = (size_t)threads * WAIT_BYTES;
#if defined(__GLIBC__)
	mallopt(M_MMAP_THRESHOLD, MAP_BYTES);
#endif
	p.ring = calloc(p.n_ring, sizeof *p.ring);
	if (!p.ring)
		return err_nomem(e, p.n_ring * sizeof *p.ring);
	pthread_mutex_init(&p.lock, NULL);
	pthread_cond_init(&p.change, NULL);
#pragma omp parallel num_threads(team) if (team > 1)
	member(&p, (unsigned)omp_get_thread_num(),
	       (unsigned)omp_get_num_threads());
	/* None shall spin for a next region; ending others takes long: 1 ms. */
	if (team == threads)
		omp_pause_resource_all(omp_pause_soft);
	pump_free(&p);
	return p.rc;
}
