/* SPDX-License-Identifier: MIT */
/*
 * early.h - rows that are printed but for a length (private)
 *
 * Most rows of a large sequence come before its length is known.  What waits is
 * their text, which is printed once, with the place where the length belongs;
 * rows of a subject are together in one piece of a queue.
 */
#ifndef SEQF_OUTPUT_EARLY_H
#define SEQF_OUTPUT_EARLY_H

#include "output/rows.h"

struct early {
	uint64_t run, ordinal, send;	/* send: the largest */
	struct str name;	/* of the subject */
	struct rows_run rows;
};

/* What is pushed next: zero it first. */
struct early_last {
	struct buf text, rows;
};
void early_free(struct early_last *last);

/* A row of a family that prints early, behind those in `last`, which are pushed
 * when they are of another subject or enough. */
int early_add(struct early_last *last, struct queue *q,
	      const struct print_family *f, struct print_env *env,
	      uint64_t run, const struct hit *h, struct err *e);
/* The same of some that are printed already. */
int early_put(struct early_last *last, struct queue *q, uint64_t run,
	      const struct subject_ref *s, uint64_t send,
	      const struct rows_run *rows, struct err *e);
/* What is in `last`, too. */
int early_push(struct early_last *last, struct queue *q, struct err *e);

/* As queue_first(); x is valid until the queue changes. */
int early_first(struct queue *q, struct early *x, struct err *e);

#endif
