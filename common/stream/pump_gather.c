/* SPDX-License-Identifier: MIT */
/* pump_gather.c - jobs that are put off until many are done at once */
#include "stream/pump_priv.h"

/* Jobs of a call; no more are in flight for all calls. */
enum { MOST = PUMP_MOST_GATHERED };

void
pump_put_off(struct pump *p, struct pump_slot *s)
{
	s->off = PUMP_WAITS;
	p->n_off++;
	p->n_waits++;
	p->off_weight += s->job.weight;
	p->waits_weight += s->job.weight;
	pthread_cond_broadcast(&p->change);
}

/*
 * Beside them as many jobs are in flight as ever; and of them what is enough
 * for all calls and one more.
 */
bool
pump_off_may_read(const struct pump *p)
{
	const struct pump_gather *g = &p->ops->gather;
	uint64_t calls = (uint64_t)g->calls + 1;

	return p->read - p->emitted - p->n_off < 2 * (uint64_t)p->threads + 2 &&
	       (p->n_off == 0 || p->off_weight / calls < g->weight);
}

/* Is there as much as one call gets? */
static bool
full(const struct pump *p)
{
	return p->n_waits >= MOST ||
	       (p->n_waits && p->waits_weight >= p->ops->gather.weight);
}

/* The first ones that wait; they are gathered from now on. */
static unsigned
take(struct pump *p, struct pump_slot **s)
{
	uint64_t weight = 0;
	unsigned n = 0;

	for (uint64_t i = p->emitted; i < p->read && n < MOST; i++) {
		struct pump_slot *x = &p->ring[i % p->n_ring];

		if (x->off != PUMP_WAITS)
			continue;
		if (n && weight + x->job.weight > p->ops->gather.weight)
			break;
		weight += x->job.weight;
		x->off = PUMP_GATHERED;
		s[n++] = x;
	}
	p->n_waits -= n;
	p->waits_weight -= weight;
	return n;
}

/*
 * All that one call may take, at once; less, when there is nothing else to do.
 * Reading may take long, and what has come must not wait for it: a thread that
 * is alone gathers before it reads.
 */
bool
pump_gathers(struct pump *p, unsigned thread, bool idle)
{
	struct pump_slot *s[MOST];
	struct pump_job *job[MOST];
	unsigned n;

	if (!p->n_waits || p->gathers == p->ops->gather.calls ||
	    (!idle && p->threads > 1 && !full(p)))
		return false;
	n = take(p, s);
	for (unsigned i = 0; i < n; i++)
		job[i] = &s[i]->job;
	p->gathers++;
	pthread_mutex_unlock(&p->lock);
	p->ops->gather.call(p->ctx, thread, job, n);
	pthread_mutex_lock(&p->lock);
	p->gathers--;
	for (unsigned i = 0; i < n; i++)
		s[i]->off = PUMP_AGAIN;
	pthread_cond_broadcast(&p->change);
	return true;
}

unsigned
pump_off_ready(const struct pump *p)
{
	unsigned n = 0;

	for (uint64_t i = p->emitted; p->n_off > p->n_waits && i < p->read; i++)
		n += p->ring[i % p->n_ring].off == PUMP_AGAIN;
	return n;
}

struct pump_slot *
pump_off_again(struct pump *p)
{
	for (uint64_t i = p->emitted; p->n_off > p->n_waits && i < p->read;
	     i++) {
		struct pump_slot *s = &p->ring[i % p->n_ring];

		if (s->off != PUMP_AGAIN)
			continue;
		s->off = PUMP_NOT_OFF;
		s->job.later = false;
		s->job.gathered = true;
		p->n_off--;
		p->off_weight -= s->job.weight;
		return s;
	}
	return NULL;
}
