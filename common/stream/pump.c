/* SPDX-License-Identifier: MIT */
/*
 * pump.c - a team of threads over a feed, results in order
 *
 * One mutex guards the ring; reading, working and emitting happen outside of
 * it.  At any time one thread at most reads (in_read) and one emits (in_emit),
 * the others work or wait for a change.
 */
#include "stream/pump.h"

#include <omp.h>
#include <pthread.h>
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

struct slot {
	struct pump_job job;
	bool done;	/* read and worked on, or failed */
	int rc;		/* of reading or working */
	struct err err;
};

/* A chunk that the next one may continue. */
struct link {
	struct rec_frame *frame;
	uint64_t serial, ordinal;
	uint64_t beg;		/* first letter of the last row's piece */
	uint64_t own_end;
};

struct pump {
	struct feed *feed;
	const struct pump_ops *ops;
	void *ctx;

	pthread_mutex_t lock;
	pthread_cond_t change;
	struct slot *ring;
	uint64_t n_ring;
	uint64_t read, emitted;	/* numbers of the next items */
	size_t waiting, most;	/* bytes of jobs that are done; when to stop */
	bool in_read, in_emit;
	bool eof;		/* nothing more is read: end, or a failure */
	bool failed;		/* nothing more is emitted */
	unsigned left;		/* members that are done */
	struct err *err;
	int rc;

	/* The reader's: pieces of one sequence, each continuing the next. */
	struct link *chain;	/* the nearest last */
	size_t n_chain, chain_cap;
};

static void
chain_drop(struct pump *p, size_t n)	/* the n farthest */
{
	if (n == 0)
		return;
	for (size_t i = 0; i < n; i++)
		rec_frame_drop(p->chain[i].frame);
	p->n_chain -= n;
	memmove(p->chain, p->chain + n, p->n_chain * sizeof *p->chain);
}

static int
chain_add(struct pump *p, struct rec_frame *f, const struct chunk_row *last,
	  uint64_t serial, struct err *e)
{
	if (p->n_chain == p->chain_cap) {
		size_t cap = p->chain_cap * 2 + 8;
		struct link *v = realloc(p->chain, cap * sizeof *v);

		if (!v)
			return err_nomem(e, cap * sizeof *v);
		p->chain = v;
		p->chain_cap = cap;
	}
	p->chain[p->n_chain++] = (struct link){
		rec_frame_keep(f), serial, last->ordinal, last->beg,
		last->own_end,
	};
	return 0;
}

/* Does the chunk begin where the chain ends? */
static bool
continues(const struct pump *p, const struct chunk *c)
{
	const struct link *l;

	if (p->n_chain == 0 || c->n_rows == 0)
		return false;
	l = &p->chain[p->n_chain - 1];
	return l->frame->run == c->run.id && l->serial + 1 == c->serial &&
	       l->ordinal == c->row[0].ordinal &&
	       l->own_end == c->row[0].own_beg &&
	       !(c->row[0].flags & CHUNK_FIRST);
}

/* References to as many pieces as reach back to `want`. */
static int
take_before(struct pump *p, struct pump_job *job, const struct chunk_row *r,
	    uint64_t want, struct err *e)
{
	uint64_t have = r->beg;
	size_t n = 0;

	while (n < p->n_chain && have > want)
		have = p->chain[p->n_chain - ++n].beg;
	if (n == 0)
		return 0;
	job->before = malloc(n * sizeof *job->before);
	if (!job->before)
		return err_nomem(e, n * sizeof *job->before);
	for (size_t i = 0; i < n; i++)
		job->before[i] =
		    rec_frame_keep(p->chain[p->n_chain - 1 - i].frame);
	job->n_before = n;
	return 0;
}

/* Forget what no next chunk can want: all but the pieces up to `want`. */
static void
chain_trim(struct pump *p, uint64_t want)
{
	size_t i = p->n_chain;

	while (i > 0 && p->chain[i - 1].beg > want)
		i--;
	if (i > 1)
		chain_drop(p, i - 1);
}

static uint64_t
back(uint64_t from, uint64_t context)
{
	return from > context ? from - context : 0;
}

static int
chain_chunk(struct pump *p, struct pump_job *job, const struct chunk *c,
	    struct err *e)
{
	const struct chunk_row *last = &c->row[c->n_rows - 1];
	bool more = continues(p, c);
	int rc = 0;

	if (more)
		rc = take_before(p, job, c->row,
				 back(c->row->own_beg, p->ops->context), e);
	if (!more || c->n_rows > 1)
		chain_drop(p, p->n_chain);
	if (rc || last->flags & CHUNK_LAST)
		return rc;
	rc = chain_add(p, job->item.frame, last, c->serial, e);
	chain_trim(p, back(last->own_end, p->ops->context));
	return rc;
}

/* Cut chunks bring their context; those of a record stream are chained. */
static int
chain_item(struct pump *p, struct pump_job *job, struct err *e)
{
	const struct rec_frame *f = job->item.frame;
	struct err ignored;
	struct chunk c;
	int rc = 0;

	if (p->ops->context == 0 || job->item.kind != FEED_FRAME ||
	    f->type != REC_CHUNK)
		return 0;
	/* What is wrong with a malformed chunk is work()'s to tell. */
	if (chunk_view(&c, f, &ignored) != 0) {
		chain_drop(p, p->n_chain);
		return 0;
	}
	if (c.n_rows)
		rc = chain_chunk(p, job, &c, e);
	chunk_free(&c);
	return rc;
}

static int
read_job(struct pump *p, struct slot *s, uint64_t number, bool *end)
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
	return chain_item(p, job, &s->err);
}

static int
work_job(struct pump *p, struct slot *s, unsigned thread)
{
	int rc = 0;

	if (s->job.item.kind == FEED_RAW)
		rc = feed_encode(&s->job.item, &s->err);
	if (rc || !p->ops->work || !s->job.item.frame)
		return rc;
	return p->ops->work(p->ctx, thread, &s->job, &s->err);
}

static void
drop_job(struct slot *s)
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
emit_next(struct pump *p, struct slot *s)
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

static void
read_and_work(struct pump *p, unsigned thread)
{
	uint64_t number = p->read;
	struct slot *s = &p->ring[number % p->n_ring];
	bool end;
	int rc;

	p->in_read = true;
	pthread_mutex_unlock(&p->lock);
	rc = read_job(p, s, number, &end);
	pthread_mutex_lock(&p->lock);
	p->in_read = false;
	pthread_cond_broadcast(&p->change);
	if (end) {
		p->eof = true;
		return;
	}
	p->read++;
	if (!rc) {
		pthread_mutex_unlock(&p->lock);
		rc = work_job(p, s, thread);
		pthread_mutex_lock(&p->lock);
	}
	s->rc = rc;
	s->done = true;
	p->waiting += s->job.out.n;
	if (rc)
		p->eof = true;
	pthread_cond_broadcast(&p->change);
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

/* While a job is in flight, what waits behind it goes on when it is done. */
static bool
may_read(const struct pump *p)
{
	return p->read - p->emitted < p->n_ring &&
	       (p->waiting < p->most || p->read == p->emitted);
}

static void
member(struct pump *p, unsigned thread, unsigned threads, unsigned team)
{
	struct slot *s;

	pthread_mutex_lock(&p->lock);
	while (!p->failed && thread < threads) {
		s = &p->ring[p->emitted % p->n_ring];
		if (!p->in_emit && s->done && p->emitted < p->read)
			emit_next(p, s);
		else if (!p->in_read && !p->eof && may_read(p))
			read_and_work(p, thread);
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
	chain_drop(p, p->n_chain);
	free(p->chain);
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
	/*
	 * libgomp hardly spins if there are more threads than processors: one
	 * member that only sleeps makes it so.
	 */
	if (threads > 1 && threads >= (unsigned)omp_get_num_procs())
		team++;
	p.n_ring = 2 * (uint64_t)threads + 2;
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
	member(&p, (unsigned)omp_get_thread_num(), threads,
	       (unsigned)omp_get_num_threads());
	/* Nor shall idle threads spin for a next region. */
	omp_pause_resource_all(omp_pause_soft);
	pump_free(&p);
	return p.rc;
}
