/* SPDX-License-Identifier: MIT */
/* pool.c - the streams of all devices, and their use by threads */
#include "cuda/pool.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STREAMS = 2 };

/* OPENING, by one thread, takes some tenths of a second: the others go on
 * without. */
enum state { CLOSED, OPENING, OPEN, OFF };

struct slot {
	void *stream;
	int device;
	bool busy, dead;
};

struct cuda_pool {
	struct cuda_pool_params p;
	pthread_mutex_t lock;
	pthread_cond_t change;
	enum state state;	/* from OPENING on changed with the lock held */
	/* of all devices in turn */
	struct slot slot[CUDA_MAX_STREAMS * CUDA_MAX_DEVICES];
	unsigned n_slots, next;
	uint64_t work;		/* while closed */
	uint64_t fill;		/* of the least stream */
	struct cuda_report report;
	uint64_t ctx[];
};

static enum state
state(struct cuda_pool *p)
{
	return __atomic_load_n(&p->state, __ATOMIC_ACQUIRE);
}

static void
set_state(struct cuda_pool *p, enum state s)
{
	__atomic_store_n(&p->state, s, __ATOMIC_RELEASE);
}

static unsigned
per_device(const struct cuda_pool *p)
{
	return p->p.streams ? p->p.streams : STREAMS;
}

/* With -g auto: would it take longer than the CPU? */
static bool
is_slow(const struct cuda_pool *p, const struct cuda_device *d)
{
	return p->p.choice.kind == CUDA_AUTO &&
	       d->ops < (d->maxima ? p->p.ops : p->p.ops_without);
}

/* As large as its memory allows. */
static int
open_slot(struct cuda_pool *p, int device, struct err *e)
{
	struct slot *s = &p->slot[p->n_slots];
	struct cuda_device d;
	unsigned halved = 0;
	int rc = cuda_device(&d, device, e);

	*s = (struct slot){ .device = device };
	if (rc)
		return rc;
	if (is_slow(p, &d))
		return err_set(e, ERR_DEVICE, "GPU %d: the CPU's threads "
			       "should be faster", device);
	do
		rc = p->p.open(p->ctx, &d, halved, &s->stream, e);
	while (rc == ERR_NOMEM && halved++ < p->p.halvings);
	if (rc)
		return rc == ERR_NOMEM ?
		       err_set(e, ERR_DEVICE, "GPU %d: too little memory is "
			       "free", device) : rc;
	if (p->n_slots++ == 0)
		memcpy(p->report.first, d.name, sizeof d.name);
	if (p->p.fill) {
		uint64_t n = p->p.fill(s->stream);

		p->fill = p->fill ? min_u64(p->fill, n) : n;
	}
	return 0;
}

/*
 * The first streams, which decide about their devices: all that were named must
 * do.  Of those that are there one that will not, as it is too old or too
 * slow, or its memory is others', is left alone, and none is an error.
 */
static int
open_first(struct cuda_pool *p, struct err *e)
{
	struct cuda_choice *c = &p->p.choice;
	unsigned n = c->n;
	struct err why;
	int rc = 0;

	c->n = 0;
	for (unsigned i = 0; i < n && (!rc || c->kind == CUDA_AUTO); i++) {
		int bad = open_slot(p, c->device[i], rc ? &why : e);

		if (!bad)
			c->device[c->n++] = c->device[i];
		rc = rc ? rc : bad;
	}
	return c->n && c->kind == CUDA_AUTO ? 0 : rc;
}

/* All devices; one stream each is enough. */
static int
open_devices(struct cuda_pool *p, struct err *e)
{
	const struct cuda_choice *c = &p->p.choice;
	unsigned streams = per_device(p);
	int rc = open_first(p, e);
	struct err why;

	for (unsigned i = c->n; i < streams * c->n && !rc; i++)
		open_slot(p, c->device[i % c->n], &why);
	return rc;
}

static int
open_all(struct cuda_pool *p, struct err *e)
{
	struct cuda_choice *c = &p->p.choice;
	int rc;

	if (c->kind == CUDA_AUTO) {
		c->n = (unsigned)min_u64((uint64_t)cuda_devices(),
					 CUDA_MAX_DEVICES);
		if (!c->n)
			return err_set(e, ERR_DEVICE, "%s", cuda_why_none());
		for (unsigned i = 0; i < c->n; i++)
			c->device[i] = (int)i;
	}
	rc = open_devices(p, e);
	p->report.devices = rc ? 0 : c->n;
	return rc;
}

/* With the lock held. */
static void
give_up(struct cuda_pool *p, const char *why)
{
	if (state(p) != OFF)
		snprintf(p->report.why_not, sizeof p->report.why_not, "%s",
			 why);
	set_state(p, OFF);
	pthread_cond_broadcast(&p->change);
}

int
cuda_pool_new(struct cuda_pool **out, const struct cuda_pool_params *par,
	      struct err *e)
{
	size_t bytes = sizeof(struct cuda_pool) + par->ctx_bytes;
	struct cuda_pool *p = calloc(1, bytes);
	int rc = 0;

	*out = NULL;
	if (!p)
		return err_nomem(e, bytes);
	p->p = *par;
	if (par->ctx_bytes)
		memcpy(p->ctx, par->ctx, par->ctx_bytes);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->change, NULL);
	if (par->choice.kind == CUDA_NONE || par->none) {
		give_up(p, par->choice.kind == CUDA_NONE ? "-g none" :
			par->none);
	} else if (par->choice.kind == CUDA_AUTO && !cuda_is_built) {
		give_up(p, cuda_why_none());
	} else if (par->choice.kind == CUDA_THESE) {
		rc = open_all(p, e);
		set_state(p, OPEN);
	}
	if (rc)
		cuda_pool_free(p);
	else
		*out = p;
	return rc;
}

void
cuda_pool_free(struct cuda_pool *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < p->n_slots; i++)
		p->p.close(p->slot[i].stream);
	pthread_cond_destroy(&p->change);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

void *
cuda_pool_ctx(struct cuda_pool *p)
{
	return p->ctx;
}

/* Is it open, or worth it by now?  That there is none is no failure. */
static bool
ready(struct cuda_pool *p, uint64_t work)
{
	enum state was = CLOSED;
	struct err e;
	int rc;

	if (state(p) != CLOSED)
		return state(p) == OPEN;
	if (__atomic_add_fetch(&p->work, work, __ATOMIC_RELAXED) < p->p.wait)
		return false;
	if (!__atomic_compare_exchange_n(&p->state, &was, OPENING, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
		return was == OPEN;
	rc = open_all(p, &e);
	pthread_mutex_lock(&p->lock);
	if (rc)
		give_up(p, e.text);
	else
		set_state(p, OPEN);
	pthread_mutex_unlock(&p->lock);
	return !rc;
}

/* With the lock held: a stream, this one or one after it; NULL: given up. */
static struct slot *
take_stream(struct cuda_pool *p, unsigned first)
{
	while (state(p) == OPEN) {
		for (unsigned i = 0; i < p->n_slots; i++) {
			unsigned at = (first % p->n_slots + i) % p->n_slots;
			struct slot *s = &p->slot[at];

			if (s->busy || s->dead)
				continue;
			s->busy = true;
			return s;
		}
		pthread_cond_wait(&p->change, &p->lock);
	}
	return NULL;
}

/* From p->next on, or from *first. */
static bool
borrow(struct cuda_pool *p, uint64_t work, const unsigned *first,
       struct cuda_lent *l)
{
	struct slot *s;

	if (!ready(p, work))
		return false;
	pthread_mutex_lock(&p->lock);
	s = take_stream(p, first ? *first : p->next);
	if (s && !first)
		p->next = (unsigned)(s - p->slot) + 1;
	pthread_mutex_unlock(&p->lock);
	if (s)
		*l = (struct cuda_lent){ s->stream, (unsigned)(s - p->slot) };
	return s != NULL;
}

bool
cuda_pool_borrow(struct cuda_pool *p, uint64_t work, struct cuda_lent *l)
{
	return borrow(p, work, NULL, l);
}

bool
cuda_pool_borrow_near(struct cuda_pool *p, uint64_t work, unsigned number,
		      struct cuda_lent *l)
{
	return borrow(p, work, &number, l);
}

/* With the lock held: no stream of that device is used any more. */
static void
bury(struct cuda_pool *p, int device, const struct err *e)
{
	bool any = false;

	for (unsigned i = 0; i < p->n_slots; i++) {
		p->slot[i].dead |= p->slot[i].device == device;
		any |= !p->slot[i].dead;
	}
	if (!any)
		give_up(p, e->text);
}

void
cuda_pool_return(struct cuda_pool *p, const struct cuda_lent *l, int rc,
		 uint64_t done, const struct err *e)
{
	struct slot *s = &p->slot[l->slot];

	pthread_mutex_lock(&p->lock);
	s->busy = false;
	if ((rc == ERR_DEVICE || rc == ERR_NOMEM) && !*p->report.failed)
		snprintf(p->report.failed, sizeof p->report.failed, "%s",
			 e->text);
	if (rc == ERR_DEVICE)
		bury(p, s->device, e);
	else if (!rc)
		p->report.letters += done;
	pthread_cond_signal(&p->change);
	pthread_mutex_unlock(&p->lock);
}

bool
cuda_pool_is_open(struct cuda_pool *p)
{
	return state(p) == OPEN;
}

bool
cuda_pool_is_named(struct cuda_pool *p)
{
	return p && p->p.choice.kind == CUDA_THESE && state(p) == OPEN;
}

unsigned
cuda_pool_streams(struct cuda_pool *p)
{
	enum state s = state(p);

	return s == OPEN ? p->n_slots : s == OFF ? 0 : per_device(p);
}

uint64_t
cuda_pool_fill(struct cuda_pool *p)
{
	return state(p) == OPEN ? p->fill : p->p.usual;
}

void
cuda_pool_stop(struct cuda_pool *p, const char *why)
{
	pthread_mutex_lock(&p->lock);
	give_up(p, why);
	pthread_mutex_unlock(&p->lock);
}

void
cuda_pool_report(const struct cuda_pool *p, struct cuda_report *r)
{
	*r = p->report;
	if (p->state == CLOSED)
		snprintf(r->why_not, sizeof r->why_not,
			 "too little to search");
	if (p->p.report)
		p->p.report(p->ctx, r);
}
