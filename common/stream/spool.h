/* SPDX-License-Identifier: MIT */
/*
 * spool.h - what does not fit into memory waits in a file
 *
 * The file lies in $TMPDIR (else /tmp) and is unlinked at once, so that it
 * goes when the program does, however it ends.  Every read and write is
 * checked.  Not thread-safe.
 */
#ifndef SEQF_SPOOL_H
#define SEQF_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct spool {	/* all zero: empty, no file yet */
	int fd;
	bool open;
	uint64_t n;	/* bytes written */
};

/* The first call makes the file.  ERR_IO. */
int spool_append(struct spool *s, const void *p, size_t n, struct err *e);
/* Bytes [at, at + n), all of them written before. */
int spool_read(struct spool *s, uint64_t at, void *p, size_t n,
	       struct err *e);
/* Forget the contents and give the disk space back. */
void spool_close(struct spool *s);

/*
 * A queue of byte strings, first in first out; what waits beyond `memory`
 * bytes goes through a spool.
 */
struct queue {
	size_t memory;		/* to be set; the rest all zero */
	struct buf front, back;	/* each: {u64 length, bytes} ... */
	size_t at;		/* what of front is taken */
	struct spool file;	/* between them: {u64 length, a whole back} */
	uint64_t file_at;
};

int queue_push(struct queue *q, const void *p, size_t n, struct err *e);
/* 1 and the first string (valid until queue_pop or queue_push), or 0. */
int queue_first(struct queue *q, const uint8_t **p, size_t *n,
		struct err *e);
void queue_pop(struct queue *q);
void queue_free(struct queue *q);

#endif
