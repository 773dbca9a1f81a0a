/* SPDX-License-Identifier: MIT */
/*
 * sw_retry.h - when 8 bits are tried again, where they did not do
 *
 * At once after a run that was worth it; else after twice as many turns as the
 * last time, up to a limit.  So where 8 bits never do, few turns are lost.
 */
#ifndef SEQF_SW_RETRY_H
#define SEQF_SW_RETRY_H

#include <stdbool.h>

enum { SW_RETRY_LONG = 8, SW_RETRY_MOST = 63 };

struct sw_retry {		/* zeroed to begin with */
	unsigned pause, pauses;	/* turns: before the next try; the last time */
	unsigned run;		/* turns in 8 bits */
};

/* In 16 bits: is it time?  Each turn that is not asks once. */
static inline bool
sw_retry_now(struct sw_retry *r)
{
	if (r->pause) {
		r->pause--;
		return false;
	}
	r->run = 0;
	return true;
}

/* 8 bits did not do. */
static inline void
sw_retry_failed(struct sw_retry *r)
{
	r->pauses = r->run >= SW_RETRY_LONG ? 0 : 2 * r->pauses + 1;
	if (r->pauses > SW_RETRY_MOST)
		r->pauses = SW_RETRY_MOST;
	r->pause = r->pauses;
}

#endif
