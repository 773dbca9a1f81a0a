/* SPDX-License-Identifier: MIT */
/* sw_crew.h - the helpers of a crew, while the thread that has them leads */
#ifndef SEQF_SW_CREW_H
#define SEQF_SW_CREW_H

#include <pthread.h>
#include <stdlib.h>

#include "base/base.h"

enum { HELPERS = 7 };

struct helpers {
	struct crew *crew;
	pthread_t thread[HELPERS];
	unsigned n;
};

static inline void *
help(void *crew)
{
	crew_help(crew);
	return NULL;
}

/* As many as the crew takes beside this thread; they come late, or never. */
static inline void
helpers_begin(struct helpers *h, struct crew *crew)
{
	h->crew = crew;
	crew_begin(crew, 1);
	for (h->n = 0; h->n + 1 < crew_most(crew) && h->n < HELPERS; h->n++)
		if (pthread_create(&h->thread[h->n], NULL, help, crew))
			abort();
}

static inline void
helpers_end(struct helpers *h)
{
	crew_leave(h->crew);
	while (h->n)
		pthread_join(h->thread[--h->n], NULL);
}

/* crew[i] takes i threads, from 2 to `most`. */
static inline void
crews_begin(struct crew **crew, unsigned most)
{
	struct err e;

	for (unsigned i = 2; i <= most; i++)
		if (crew_new(&crew[i], i, &e))
			abort();
}

static inline void
crews_end(struct crew **crew, unsigned most)
{
	for (unsigned i = 2; i <= most; i++)
		crew_free(crew[i]);
}

#endif
