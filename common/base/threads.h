/* SPDX-License-Identifier: MIT */
/*
 * threads.h - several threads at one piece of work; leaders and their helpers
 */
#ifndef SEQF_BASE_THREADS_H
#define SEQF_BASE_THREADS_H

#include <stdint.h>

#include "base/err.h"

/*
 * fn(ctx, i) for i from 0 to n - 1, each in a thread of its own, 0 in this one;
 * returns when all have.  Where the system has no more threads, the last ones
 * are left out: those that run must be able to do all of the work.
 */
typedef void threads_fn(void *ctx, unsigned thread);
void threads_run(unsigned n, threads_fn *fn, void *ctx);

/*
 * The same for threads that wait for each other: ready(ctx, of), called by this
 * thread before any of them begins, is given their number.
 */
void threads_team(unsigned n, threads_fn *ready, threads_fn *fn, void *ctx);

/* The same in two steps: all but thread 0 begin, which is the caller's; all of
 * them have returned.  ready may be NULL; so may what is returned. */
struct team *threads_begin(unsigned n, threads_fn *ready, threads_fn *fn,
			   void *ctx);
void threads_end(struct team *t);

/* fn(ctx, i, thread) for i from 0 to n - 1, each once, by at most `threads`
 * threads; the least that is left comes next. */
typedef void threads_each_fn(void *ctx, uint64_t i, unsigned thread);
void threads_each(unsigned threads, uint64_t n, threads_each_fn *fn, void *ctx);

/*
 * Threads that lead, and threads that help them
 *
 * A leader does its work alone but for what several can do, which it calls out:
 * then whoever helps does it, too.  Helpers come when they have nothing else to
 * do, maybe never, and stay until there is no leader left.
 */

struct crew;

/* most: leaders and helpers together at any time, at most;
 * returned by crew_most(). */
int crew_new(struct crew **c, unsigned most, struct err *e);
void crew_free(struct crew *c);
unsigned crew_most(const struct crew *c);

/* That number of leaders will come; all earlier ones and helpers have left. */
void crew_begin(struct crew *c, unsigned leaders);
/*
 * A leader: fn(ctx) by this thread and by helpers at the same time, each once;
 * by this one, when all have returned.  fn returns when nothing is left to be
 * done, or only by those who do it already; also to one who comes then.
 */
void crew_call(struct crew *c, void (*fn)(void *ctx), void *ctx);
/* A leader that leaves; each must, whatever happened. */
void crew_leave(struct crew *c);
/* Answer calls until all leaders have left. */
void crew_help(struct crew *c);

#endif
