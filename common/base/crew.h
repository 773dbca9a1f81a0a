/* SPDX-License-Identifier: MIT */
/*
 * crew.h - threads that lead, and threads that help them
 *
 * A leader does its work alone but for what several can do, which it calls out:
 * then whoever helps does it, too.  Helpers come when they have nothing else to
 * do, maybe never, and stay until there is no leader left.
 */
#ifndef SEQF_BASE_CREW_H
#define SEQF_BASE_CREW_H

#include "base/err.h"

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
