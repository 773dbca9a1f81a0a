/* SPDX-License-Identifier: MIT */
/*
 * pump.c - threads over a feed, results in order
 *
 * One mutex guards the ring; reading, working and emitting happen outside of
 * it.  At any time one thread at most reads (in_read) and one emits (in_emit),
 * the others work or wait for a change.
 *
 * Of a job in parts a thread is inside until all are done: who began it leaves
 * when none is left to take, others after each.  The last to leave closes it.
 */

#include <pthread.h>
#include <stdlib.h>

#include "base/base.h"
#include "flow/feed_in.h"
#include "flow/flow.h"

/* Inside of pump: chunks of which each continues the next. */

/* Zero it first; the reader's alone. */
struct pump_chain {
	struct pump_link *link;	/* the nearest last */
	size_t n, cap;
};

/* Shared by the files of pump, private to them. */

/* Of a job that is postponed. */
enum pump_wait {
	PUMP_NO_WAIT,
	PUMP_WAITS,		/* for a batch */
	PUMP_IN_BATCH,		/* that is searched now */
	PUMP_AGAIN,		/* to be worked on once more */
};

struct pump_slot {
	struct pump_job job;
	bool done;	/* read and worked on, or failed */
	int rc;		/* of reading or working */
	struct err err;
	/* In parts; n_parts is 0 otherwise. */
	unsigned n_parts, taken, joined;
	unsigned inside;	/* threads at work on it */
	unsigned failed;	/* the part that rc is of */
	bool in_join;
	uint64_t worked;	/* a bit of each part */
	enum pump_wait wait;
};

struct pump {
	struct feed *feed;
	const struct pump_ops *ops;
	void *ctx;

	pthread_mutex_t lock;
	pthread_cond_t change;
	struct pump_slot *ring;
	uint64_t n_ring;
	uint64_t read, begun, emitted;	/* numbers of the next items */
	size_t waiting, most;	/* bytes of jobs that are done; when to stop */
	/* Jobs that are postponed, and their weight; those of them that wait;
	 * batches that are searched now. */
	unsigned n_postponed, n_waits, batches;
	uint64_t postponed_weight, waits_weight;
	unsigned threads;
	struct team *others;	/* threads but the first, once they began */
	size_t alone;		/* bytes of jobs that it begins before that */
	bool in_read, in_emit;
	bool eof;		/* nothing more is read: end, or a failure */
	bool vain;		/* nothing more is begun: one before failed */
	bool failed;		/* nothing more is emitted */
	struct err *err;
	int rc;
	struct pump_chain chain;	/* the reader's */
};

/* The following are called with the lock held. */

/* What jobs in parts borrow from work() to their last join(). */

int
pump_pool_new(struct pump_pool *p, unsigned n, struct err *e)
{
	p->n = 0;
	p->lent = calloc(n, sizeof *p->lent);
	if (!p->lent)
		return err_nomem(e, n * sizeof *p->lent);
	p->n = n;
	return 0;
}

void
pump_pool_free(struct pump_pool *p)
{
	free(p->lent);
}

unsigned
pump_pool_borrow(struct pump_pool *p)
{
	unsigned i = 0;

	while (i < p->n && __atomic_exchange_n(&p->lent[i], true,
					       __ATOMIC_ACQUIRE))
		i++;
	return i;
}

void
pump_pool_give_back(struct pump_pool *p, unsigned i)
{
	__atomic_store_n(&p->lent[i], false, __ATOMIC_RELEASE);
}

/* Jobs that are postponed until many are done at once. */

/* work() wants the job to be in a batch. */
static void
postpone(struct pump *p, struct pump_slot *s)
{
	s->wait = PUMP_WAITS;
	p->n_postponed++;
	p->n_waits++;
	p->postponed_weight += s->job.weight;
	p->waits_weight += s->job.weight;
	pthread_cond_broadcast(&p->change);
}

/*
 * Beside them as many jobs are in flight as ever; and of them what is enough
 * for all calls and one more.
 */
static bool
batches_may_read(const struct pump *p)
{
	const struct pump_batch none = { 0 }, *g = &p->ops->batch;
	uint64_t calls = (uint64_t)g->calls + 1;
	uint64_t others = p->read - p->emitted - p->n_postponed;

	return others < pump_jobs(p->threads, &none) &&
	       (p->n_postponed == 0 ||
		p->postponed_weight / calls < g->weight);
}

/* Is there as much as one call gets? */
static bool
batch_full(const struct pump *p)
{
	return p->n_waits >= PUMP_MAX_BATCH ||
	       (p->n_waits && p->waits_weight >= p->ops->batch.weight);
}

/* The first ones that wait become a batch. */
static unsigned
take_batch(struct pump *p, struct pump_slot **s)
{
	uint64_t weight = 0;
	unsigned n = 0;

	for (uint64_t i = p->emitted; i < p->read && n < PUMP_MAX_BATCH; i++) {
		struct pump_slot *x = &p->ring[i % p->n_ring];

		if (x->wait != PUMP_WAITS)
			continue;
		if (n && weight + x->job.weight > p->ops->batch.weight)
			break;
		weight += x->job.weight;
		x->wait = PUMP_IN_BATCH;
		s[n++] = x;
	}
	p->n_waits -= n;
	p->waits_weight -= weight;
	return n;
}

/*
 * All that one call may take, at once; less, when there is nothing else to do.
 * Reading may take long, and what has come must not wait for it: a thread that
 * is alone searches a batch before it reads.
 */
static bool
search_batch(struct pump *p, unsigned thread, bool idle)
{
	struct pump_slot *s[PUMP_MAX_BATCH];
	struct pump_job *job[PUMP_MAX_BATCH];
	unsigned n;

	if (!p->n_waits || p->batches == p->ops->batch.calls ||
	    (!idle && p->threads > 1 && !batch_full(p)))
		return false;
	n = take_batch(p, s);
	for (unsigned i = 0; i < n; i++)
		job[i] = &s[i]->job;
	p->batches++;
	pthread_mutex_unlock(&p->lock);
	p->ops->batch.call(p->ctx, thread, job, n);
	pthread_mutex_lock(&p->lock);
	p->batches--;
	for (unsigned i = 0; i < n; i++)
		s[i]->wait = PUMP_AGAIN;
	pthread_cond_broadcast(&p->change);
	return true;
}

/* The number of jobs to be worked on again. */
static unsigned
batches_ready(const struct pump *p)
{
	unsigned n = 0;

	for (uint64_t i = p->emitted; p->n_postponed > p->n_waits &&
				      i < p->read; i++)
		n += p->ring[i % p->n_ring].wait == PUMP_AGAIN;
	return n;
}

/* The first one to be worked on again; it is no longer postponed.  Or NULL. */
static struct pump_slot *
next_batched(struct pump *p)
{
	for (uint64_t i = p->emitted; p->n_postponed > p->n_waits &&
				      i < p->read; i++) {
		struct pump_slot *s = &p->ring[i % p->n_ring];

		if (s->wait != PUMP_AGAIN)
			continue;
		s->wait = PUMP_NO_WAIT;
		s->job.postponed = false;
		s->job.batched = true;
		p->n_postponed--;
		p->postponed_weight -= s->job.weight;
		return s;
	}
	return NULL;
}

/* Pieces of one sequence, each continuing the next. */

/* A chunk that the next one may continue. */
struct pump_link {
	struct rec_frame *frame;
	uint64_t serial, ordinal;
	uint64_t beg;		/* first letter of the last row's piece */
	uint64_t own_end;
};

static void
drop(struct pump_chain *l, size_t n)	/* the n farthest */
{
	if (n == 0)
		return;
	for (size_t i = 0; i < n; i++)
		rec_frame_drop(l->link[i].frame);
	l->n -= n;
	memmove(l->link, l->link + n, l->n * sizeof *l->link);
}

static int
add(struct pump_chain *l, struct rec_frame *f, const struct chunk_row *last,
    uint64_t serial, struct err *e)
{
	int rc = array_room(&l->link, &l->cap, l->n + 1, sizeof *l->link, e);

	if (rc)
		return rc;
	l->link[l->n++] = (struct pump_link){
		rec_frame_keep(f), serial, last->ordinal, last->beg,
		last->own_end,
	};
	return 0;
}

/* Does the chunk begin where the chain ends? */
static bool
continues(const struct pump_chain *l, const struct chunk *c)
{
	const struct pump_link *k;

	if (l->n == 0 || c->n_rows == 0)
		return false;
	k = &l->link[l->n - 1];
	return k->frame->run == c->run.id && k->serial + 1 == c->serial &&
	       k->ordinal == c->row[0].ordinal &&
	       k->own_end == c->row[0].own_beg &&
	       !(c->row[0].flags & CHUNK_FIRST);
}

/* References to as many pieces as reach back to `want`. */
static int
take_before(const struct pump_chain *l, struct pump_job *job,
	    const struct chunk_row *r, uint64_t want, struct err *e)
{
	uint64_t have = r->beg;
	size_t n = 0;

	while (n < l->n && have > want)
		have = l->link[l->n - ++n].beg;
	if (n == 0)
		return 0;
	job->before = malloc(n * sizeof *job->before);
	if (!job->before)
		return err_nomem(e, n * sizeof *job->before);
	for (size_t i = 0; i < n; i++)
		job->before[i] = rec_frame_keep(l->link[l->n - 1 - i].frame);
	job->n_before = n;
	return 0;
}

/* Forget what no next chunk can want: all but the pieces up to `want`. */
static void
trim(struct pump_chain *l, uint64_t want)
{
	size_t i = l->n;

	while (i > 0 && l->link[i - 1].beg > want)
		i--;
	if (i > 1)
		drop(l, i - 1);
}

static uint64_t
back(uint64_t from, uint64_t context)
{
	return from > context ? from - context : 0;
}

static int
chain_chunk(struct pump_chain *l, uint64_t context, struct pump_job *job,
	    const struct chunk *c, struct err *e)
{
	const struct chunk_row *last = &c->row[c->n_rows - 1];
	bool more = continues(l, c);
	int rc = 0;

	if (more)
		rc = take_before(l, job, c->row,
				 back(c->row->own_beg, context), e);
	if (!more || c->n_rows > 1)
		drop(l, l->n);
	if (rc || last->flags & CHUNK_LAST)
		return rc;
	rc = add(l, job->item.frame, last, c->serial, e);
	trim(l, back(last->own_end, context));
	return rc;
}

static int
pump_chain_job(struct pump_chain *l, uint64_t context, struct pump_job *job,
	       struct err *e)
{
	const struct rec_frame *f = job->item.frame;
	struct err why;
	struct chunk c;
	int rc;

	if (context == 0 || job->item.kind != FEED_FRAME ||
	    f->type != REC_CHUNK)
		return 0;
	/* work() reports what is wrong with a malformed chunk. */
	rc = chunk_view(&c, f, &why);
	if (rc == ERR_NOMEM) {
		*e = why;
		return rc;
	}
	if (rc) {
		drop(l, l->n);
		return 0;
	}
	if (c.n_rows)
		rc = chain_chunk(l, context, job, &c, e);
	chunk_free(&c);
	return rc;
}

/*
 * Gives the job the frames before it, as many as reach back `context` letters,
 * and remembers its own.  Cut chunks bring their context; those of a record
 * stream are chained.  ERR_NOMEM.
 */
static void
pump_chain_free(struct pump_chain *l)
{
	drop(l, l->n);
	free(l->link);
}

/* Threads over a feed, results in order. */

#if defined(__GLIBC__) && !defined(SEQF_PLAIN)
#include <malloc.h>
#endif

/* What one thread works on alone, before there are others. */
enum { ALONE_BYTES = 512 };
/* What a job leaves behind for the next one in its place, at most. */
enum { KEEP_BYTES = 4 << 20 };
/* Nothing more is read while so many bytes a thread wait to be emitted. */
enum { WAIT_BYTES = 4 << 20 };
/*
 * Buffers as large go back to the system when they are freed.  Left alone,
 * malloc would learn from the first ones to keep them, and with buffers that
 * grow in several threads it keeps several times what is in use.  A chunk of
 * 16,384 short reads is below: of reads of 70 letters, faults were a fifth of
 * fasta-chunk's processor time.
 */
enum { MAP_BYTES = 2 << 20 };
/*
 * Of smaller ones so many bytes a thread stay for the next chunk's: given back
 * and taken again, each page was a fault, of fasta-chunk 8 to 10 % of the
 * processor time.
 */
enum { TRIM_BYTES = 16 << 20 };

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

	if (s->job.item.kind == FEED_RAW && !s->job.batched)
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

static void run_thread(void *ctx, unsigned thread);

/*
 * Threads but the first begin when there is work to share: of a short text more
 * time would go into starting them than into the search.
 */
static void
start_others(struct pump *p)
{
	if (p->alone == 0)
		return;
	p->alone = 0;
	pthread_mutex_unlock(&p->lock);
	p->others = threads_begin(p->threads, NULL, run_thread, p);
	pthread_mutex_lock(&p->lock);
}

/* Bytes of letters, or of a frame. */
static size_t
job_bytes(const struct feed_item *it)
{
	if (it->kind != FEED_RAW)
		return it->frame ? it->frame->n : 0;
	return it->cut && !it->cut->from ? it->cut->letters.n : ALONE_BYTES;
}

static void
work_slot(struct pump *p, struct pump_slot *s, unsigned thread)
{
	pthread_mutex_unlock(&p->lock);
	s->rc = work_job(p, s, thread);
	pthread_mutex_lock(&p->lock);
	if (!s->rc && s->job.postponed) {
		postpone(p, s);
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
	start_others(p);
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
	job->threads = p->ops->part ? p->threads : 1;
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
	if (job_bytes(&s->job.item) < p->alone)
		p->alone -= job_bytes(&s->job.item);
	else
		start_others(p);
	share_out(p, &s->job, ahead(p) + 1);
	work_slot(p, s, thread);
}

/* A job that was postponed, once more. */
static bool
work_again(struct pump *p, unsigned thread)
{
	unsigned jobs = batches_ready(p);
	struct pump_slot *s = next_batched(p);

	if (!s)
		return false;
	share_out(p, &s->job, jobs);
	work_slot(p, s, thread);
	return true;
}

/*
 * Who reads goes on until there is a job for each thread: so it is known early
 * how many are left.  What waits to be emitted stops reading and beginning; the
 * first job in flight is not among it, and will be done.  While there is but
 * one thread it begins what it has before it reads, and waits, for more.
 */
static bool
may_read(const struct pump *p)
{
	return !p->in_read && !p->eof &&
	       ahead(p) < (p->alone ? 1 : p->threads) &&
	       p->read - p->emitted < p->n_ring && batches_may_read(p) &&
	       p->waiting < p->most;
}

static bool
may_begin(const struct pump *p)
{
	return p->begun < p->read && !p->vain && p->waiting < p->most;
}

static void
run_thread(void *ctx, unsigned thread)
{
	struct pump *p = ctx;
	struct pump_slot *s;

	pthread_mutex_lock(&p->lock);
	while (!p->failed) {
		s = &p->ring[p->emitted % p->n_ring];
		if (!p->in_emit && s->done && p->emitted < p->read)
			emit_next(p, s);
		else if (search_batch(p, thread, false) ||
			 work_again(p, thread))
			continue;
		else if (may_read(p))
			read_next(p);
		else if (may_begin(p))
			begin_next(p, thread);
		else if (help(p, thread) || search_batch(p, thread, true))
			continue;
		else if (p->eof && !p->in_read && p->emitted == p->read)
			break;
		else
			pthread_cond_wait(&p->change, &p->lock);
	}
	pthread_mutex_unlock(&p->lock);
}

/* Slots behind the one that was read last were never used: with batches there
 * are 2 MB of them. */
static void
pump_free(struct pump *p)
{
	for (uint64_t i = 0; i < p->n_ring && i <= p->read; i++) {
		drop_job(&p->ring[i]);
		buf_free(&p->ring[i].job.out);
	}
	pump_chain_free(&p->chain);
	free(p->ring);
	pthread_cond_destroy(&p->change);
	pthread_mutex_destroy(&p->lock);
}

unsigned
pump_jobs(unsigned threads, const struct pump_batch *b)
{
	unsigned n = 2 * threads + 2;

	return b->call ? n + PUMP_MAX_BATCH * (b->calls + 1) : n;
}

int
pump_run(struct feed *f, const struct pump_ops *ops, void *ctx,
	 unsigned threads, struct err *e)
{
	struct pump p = { .feed = f, .ops = ops, .ctx = ctx, .err = e };

	threads = threads ? threads : 1;
	p.threads = threads;
	p.alone = threads > 1 ? ALONE_BYTES : 0;
	p.n_ring = pump_jobs(threads, &ops->batch);
	p.most = (size_t)threads * WAIT_BYTES;
#if defined(__GLIBC__) && !defined(SEQF_PLAIN)
	mallopt(M_MMAP_THRESHOLD, MAP_BYTES);
	mallopt(M_TRIM_THRESHOLD, TRIM_BYTES);
#endif
	p.ring = calloc(p.n_ring, sizeof *p.ring);
	if (!p.ring)
		return err_nomem(e, p.n_ring * sizeof *p.ring);
	pthread_mutex_init(&p.lock, NULL);
	pthread_cond_init(&p.change, NULL);
	run_thread(&p, 0);
	threads_end(p.others);
	pump_free(&p);
	return p.rc;
}
