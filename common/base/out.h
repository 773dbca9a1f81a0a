/* SPDX-License-Identifier: MIT */
/*
 * out.h - checked output to stdout or -o FILE
 *
 * Whole or not at all; with temporary files for what does not fit into memory.
 */
#ifndef SEQF_BASE_OUT_H
#define SEQF_BASE_OUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * What does not fit into memory waits in a file
 *
 * The file lies in $TMPDIR (else /tmp) and is unlinked at once, so that it
 * goes when the program does, however it ends.  Every read and write is
 * checked.  Not thread-safe.
 */

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
/* Both as one string. */
int queue_push_two(struct queue *q, const void *p, size_t n, const void *more,
		   size_t n_more, struct err *e);
/* 1 and the first string (valid until queue_pop or queue_push), or 0. */
int queue_first(struct queue *q, const uint8_t **p, size_t *n,
		struct err *e);
void queue_pop(struct queue *q);
void queue_free(struct queue *q);

/*
 * Checked output to stdout or -o FILE
 *
 * Large writes; every error is reported (a full disk is never silent).  A file
 * named by -o takes its name at out_close(), when its bytes are on the disk, so
 * that no partial file passes for whole: until then it has none, or, where the
 * file system knows no such files, FILE.tmp-NUMBER.  As with the shell's >, a
 * symbolic link is followed, also to where nothing is yet.  Devices, pipes and
 * what is open already (descriptor_of()) are written directly.  To a terminal
 * control characters go as %XX, but for blanks, ends of lines and colours.
 * What is called .gz is compressed, as BGZF.
 */

struct out;

/*
 * What a signal handler shares with the threads that write: static, zeroed,
 * and of one output at a time.
 */
struct out_guard {
	atomic_int gate;
	const char *_Atomic left;	/* the file to be removed, or NULL */
};

/* path NULL or "-": stdout; "" is ERR_USAGE. */
int out_open(struct out **o, const char *path, struct err *e);
/* The same with a guard; NULL: without. */
int out_open_guarded(struct out **o, const char *path, struct out_guard *g,
		     struct err *e);
/*
 * For handlers of signals, in any thread: the temporary file is removed, and
 * none comes after it.  The handler must then end the program: other threads
 * may wait for that.
 */
void out_stop(struct out_guard *g);
bool out_is_tty(const struct out *o);
/* Was anything written? */
bool out_any(const struct out *o);
/* Columns of the terminal, 80 if it is not known; 0: it is none. */
unsigned out_columns(const struct out *o);
/* Is it the regular file of that name ("-": stdin), or will it replace it? */
bool out_is_file(const struct out *o, const char *path);
int out_write(struct out *o, const void *p, size_t n, struct err *e);
int out_printf(struct out *o, struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* What is buffered goes out now. */
int out_flush(struct out *o, struct err *e);
/* Flush, to the disk, close, check, rename. */
int out_close(struct out *o, struct err *e);
/* The file that would be left if the program were killed now, or NULL. */
const char *out_left(const struct out *o);
/* Give up: remove the temporary file. */
void out_abort(struct out *o);

/* Names of what a program has open already. */

/*
 * The number of the file descriptor that a path stands for, open or not: of
 * /dev/stdin, /dev/stdout, /dev/stderr, /dev/fd/N or /proc/self/fd/N; -1: of
 * none.  Files in /dev/shm are files as any other.
 */
int descriptor_of(const char *path);

#endif
