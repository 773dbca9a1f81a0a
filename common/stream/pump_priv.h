/* SPDX-License-Identifier: MIT */
/* pump_priv.h - shared by the files of pump, private to them */
#ifndef SEQF_PUMP_PRIV_H
#define SEQF_PUMP_PRIV_H

#include <pthread.h>

#include "stream/pump_chain.h"

/* Of a job that was put off. */
enum pump_off {
	PUMP_NOT_OFF,
	PUMP_WAITS,		/* for a gather() */
	PUMP_GATHERED,		/* by one that is on */
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
	enum pump_off off;
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
	/* Jobs that wait or are gathered, and their weight; of those that
	 * wait; gather()s that are on. */
	unsigned n_off, n_waits, gathers;
	uint64_t off_weight, waits_weight;
	unsigned threads;
	bool in_read, in_emit;
	bool eof;		/* nothing more is read: end, or a failure */
	bool vain;		/* nothing more is begun: one before failed */
	bool failed;		/* nothing more is emitted */
	unsigned left;		/* members that are done */
	struct err *err;
	int rc;
	struct pump_chain chain;	/* the reader's */
};

/* The following are called with the lock held. */

/* work() wants the job to be gathered. */
void pump_put_off(struct pump *p, struct pump_slot *s);
/* May more be read, as far as jobs that were put off are concerned? */
bool pump_off_may_read(const struct pump *p);
/* Those that wait, by this thread, the lock given up meanwhile; idle: it has
 * nothing else to do.  False: not now. */
bool pump_gathers(struct pump *p, unsigned thread, bool idle);
/* So many are to be worked on again. */
unsigned pump_off_ready(const struct pump *p);
/* The first one to be worked on again, which is put off no more; or NULL. */
struct pump_slot *pump_off_again(struct pump *p);

#endif
