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
	uint64_t rows;
	struct str name;	/* of the subject */
	const uint8_t *at;	/* the next row */
};

/* A row of a family that prints early, behind those in `last`, which are pushed
 * when they are of another subject or enough. */
int early_add(struct buf *last, struct queue *q, const struct print_family *f,
	      struct print_env *env, uint64_t run, const struct hit *h,
	      struct err *e);
/* The same of one that is printed already. */
int early_put(struct buf *last, struct queue *q, uint64_t run,
	      const struct subject_ref *s, uint64_t send,
	      const struct early_row *row, struct err *e);
/* What is in `last`, too. */
int early_push(struct buf *last, struct queue *q, struct err *e);

/* As queue_first(); x is valid until the queue changes. */
int early_first(struct queue *q, struct early *x, struct err *e);
/* The next row of x, or false. */
bool early_row(struct early *x, struct early_row *row);

#endif
