/* SPDX-License-Identifier: MIT */
/* threads.h - several threads at one piece of work */
#ifndef SEQF_BASE_THREADS_H
#define SEQF_BASE_THREADS_H

#include <stdint.h>

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

#endif
