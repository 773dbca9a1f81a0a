/* SPDX-License-Identifier: MIT */
/* ends.c - the streams of all devices, and who uses which */
#include "cuda/ends.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Two streams a device: one copies while the other computes.  A piece of so
 * many letters takes 6 MB with exceptions, its hits 8 MB, on both sides; where
 * that is too much memory, half of it is tried, down to the least.
 */
enum { STREAMS = 2, LETTERS = 16 << 20, HITS = 1 << 20,
       LEAST_LETTERS = 64 << 10, LEAST_HITS = 4 << 10 };

enum state { CLOSED, OPEN, OFF };

struct slot {
	struct ends_stream *s;
	int device;
	bool busy, dead;
};

struct cuda_ends {
	struct cuda_ends_params p;
	struct ends_pattern *pattern;
	pthread_mutex_t lock;
	pthread_cond_t change;
	enum state state;	/* changed with the lock held */
	struct slot slot[STREAMS * CUDA_MOST];	/* of all devices in turn */
	unsigned n_slots, next;
	uint64_t work;		/* letters x patterns, while closed */
	struct cuda_ends_report report;
};

static enum state
state(struct cuda_ends *g)
{
	return __atomic_load_n(&g->state, __ATOMIC_ACQUIRE);
}

static void
set_state(struct cuda_ends *g, enum state s)
{
	__atomic_store_n(&g->state, s, __ATOMIC_RELEASE);
}

/* As large as its memory allows. */
static int
open_slot(struct cuda_ends *g, int device, struct err *e)
{
	struct slot *s = &g->slot[g->n_slots];
	struct ends_setup u = {
		.device = device, .hamming = g->p.hamming,
		.paper = g->p.paper,
		.pattern = g->pattern, .n = g->p.n,
		.letters = g->p.letters ? g->p.letters : LETTERS,
		.hits = g->p.hits ? g->p.hits : HITS,
	};
	int rc;

	*s = (struct slot){ .device = device };
	for (;;) {
		rc = ends_stream_new(&s->s, &u, e);
		if (rc != ERR_NOMEM || u.letters / 2 < LEAST_LETTERS)
			break;
		u.letters = u.letters / 128 * 64;
		if (u.hits / 2 >= LEAST_HITS)
			u.hits /= 2;
	}
	g->n_slots += rc == 0;
	return rc == ERR_NOMEM ? err_set(e, ERR_DEVICE, "GPU %d: too little "
					 "memory is free", device) : rc;
}

/* All devices; one stream each is enough. */
static int
open_devices(struct cuda_ends *g, struct err *e)
{
	const struct cuda_choice *c = &g->p.choice;
	int rc = 0;

	for (unsigned i = 0; i < STREAMS * c->n; i++) {
		rc = open_slot(g, c->device[i % c->n], e);
		if (rc && i < c->n)
			return rc;
	}
	return 0;
}

static int
open_all(struct cuda_ends *g, struct err *e)
{
	struct cuda_choice *c = &g->p.choice;
	struct cuda_device d;
	int rc;

	if (c->kind == CUDA_AUTO) {
		c->n = cuda_devices() > 0;	/* the first one: device[0] */
		if (!c->n)
			return err_set(e, ERR_DEVICE, "%s", cuda_why_none());
	}
	rc = open_devices(g, e);
	if (!rc)
		rc = cuda_device(&d, c->device[0], e);
	if (rc)
		return rc;
	g->report.devices = c->n;
	memcpy(g->report.first, d.name, sizeof d.name);
	return 0;
}

/* With the lock held. */
static void
give_up(struct cuda_ends *g, const char *why)
{
	if (state(g) != OFF)
		snprintf(g->report.why_not, sizeof g->report.why_not, "%s",
			 why);
	set_state(g, OFF);
	pthread_cond_broadcast(&g->change);
}

int
cuda_ends_new(struct cuda_ends **out, const struct cuda_ends_params *p,
	      struct err *e)
{
	struct cuda_ends *g = calloc(1, sizeof *g);
	size_t bytes = p->n * sizeof *p->pattern;
	int rc = 0;

	*out = NULL;
	if (!g)
		return err_nomem(e, sizeof *g);
	g->p = *p;
	g->pattern = malloc(bytes ? bytes : 1);
	if (!g->pattern) {
		free(g);
		return err_nomem(e, bytes);
	}
	if (bytes)
		memcpy(g->pattern, p->pattern, bytes);
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->change, NULL);
	if (p->choice.kind == CUDA_NONE || p->n == 0) {
		give_up(g, p->choice.kind == CUDA_NONE ? "-g none" :
			"no patterns that it should search");
	} else if (p->choice.kind == CUDA_THESE) {
		rc = open_all(g, e);
		set_state(g, OPEN);
	}
	if (rc)
		cuda_ends_free(g);
	else
		*out = g;
	return rc;
}

void
cuda_ends_free(struct cuda_ends *g)
{
	if (!g)
		return;
	for (unsigned i = 0; i < g->n_slots; i++)
		ends_stream_free(g->slot[i].s);
	pthread_cond_destroy(&g->change);
	pthread_mutex_destroy(&g->lock);
	free(g->pattern);
	free(g);
}

/* Is it open, or worth it by now?  That there is none is no failure. */
static bool
ready(struct cuda_ends *g, const struct kdiff_text *t)
{
	uint64_t work = t->n * g->p.n;
	struct err e;

	if (state(g) != CLOSED)
		return state(g) == OPEN;
	if (__atomic_add_fetch(&g->work, work, __ATOMIC_RELAXED) < g->p.wait)
		return false;
	pthread_mutex_lock(&g->lock);
	if (state(g) == CLOSED) {
		if (open_all(g, &e))
			give_up(g, e.text);
		else
			set_state(g, OPEN);
	}
	pthread_mutex_unlock(&g->lock);
	return state(g) == OPEN;
}

/* With the lock held: a stream, the devices in turn; NULL: given up. */
static struct slot *
take(struct cuda_ends *g)
{
	while (state(g) == OPEN) {
		for (unsigned i = 0; i < g->n_slots; i++) {
			struct slot *s = &g->slot[(g->next + i) % g->n_slots];

			if (s->busy || s->dead)
				continue;
			g->next = (unsigned)(s - g->slot) + 1;
			s->busy = true;
			return s;
		}
		pthread_cond_wait(&g->change, &g->lock);
	}
	return NULL;
}

/* With the lock held: no stream of that device is used any more. */
static void
bury(struct cuda_ends *g, int device, const struct err *e)
{
	bool any = false;

	if (!*g->report.failed)
		snprintf(g->report.failed, sizeof g->report.failed, "%s",
			 e->text);
	for (unsigned i = 0; i < g->n_slots; i++) {
		g->slot[i].dead |= g->slot[i].device == device;
		any |= !g->slot[i].dead;
	}
	if (!any)
		give_up(g, e->text);
}

int
cuda_ends_find(struct cuda_ends *g, const struct kdiff_text *t,
	       struct kdiff_hits *out, struct err *e)
{
	struct slot *s = NULL;
	bool all = false;
	int rc;

	if (ready(g, t)) {
		pthread_mutex_lock(&g->lock);
		s = take(g);
		pthread_mutex_unlock(&g->lock);
	}
	if (!s)
		return KDIFF_NOT_NOW;
	rc = ends_text(s->s, t, out, &all, e);
	pthread_mutex_lock(&g->lock);
	s->busy = false;
	if (rc == ERR_DEVICE) {
		bury(g, s->device, e);
		rc = KDIFF_NOT_NOW;
	} else if (!rc && all) {
		g->report.letters += t->n;
	} else if (!rc) {
		give_up(g, "too many matches");
		rc = KDIFF_NOT_NOW;
	}
	pthread_cond_signal(&g->change);
	pthread_mutex_unlock(&g->lock);
	return rc;
}

void
cuda_ends_report(const struct cuda_ends *g, struct cuda_ends_report *r)
{
	*r = g->report;
	if (g->state == CLOSED)
		snprintf(r->why_not, sizeof r->why_not,
			 "too little to search");
}
