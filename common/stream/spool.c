/* SPDX-License-Identifier: MIT */
/* spool.c - what does not fit into memory waits in a file */
#define _GNU_SOURCE	/* O_TMPFILE */
#include "stream/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int
spool_open(struct spool *s, struct err *e)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];
	int len;

	if (!dir || !*dir)
		dir = "/tmp";
	len = snprintf(path, sizeof path, "%s/seqfilters-XXXXXX", dir);
	if (len < 0 || (size_t)len >= sizeof path)
		return err_set(e, ERR_IO, "TMPDIR: the name is too long");
	/* without a name where that can be: nothing is left of it then */
	s->fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (s->fd < 0) {
		s->fd = mkstemp(path);
		if (s->fd < 0)
			return err_set(e, ERR_IO, "%s: no temporary file "
				       "(TMPDIR names another place):", dir);
		unlink(path);
	}
	s->open = true;
	s->n = 0;
	return 0;
}

int
spool_append(struct spool *s, const void *p, size_t n, struct err *e)
{
	const uint8_t *from = p;
	int r = s->open ? 0 : spool_open(s, e);

	if (r < 0)
		return r;
	while (n) {
		ssize_t done = pwrite(s->fd, from, n, (off_t)s->n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return err_set(e, ERR_IO, "writing a temporary file "
				       "(TMPDIR names another place):");
		from += done;
		n -= (size_t)done;
		s->n += (uint64_t)done;
	}
	return 0;
}

int
spool_read(struct spool *s, uint64_t at, void *p, size_t n, struct err *e)
{
	uint8_t *to = p;

	if (at > s->n || n > s->n - at)
		return err_set(e, ERR_IO, "temporary file: read past its end");
	while (n) {
		ssize_t done = pread(s->fd, to, n, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return err_set(e, ERR_IO, "reading a temporary file:");
		if (done == 0)
			return err_set(e, ERR_IO, "a temporary file was cut");
		to += done;
		n -= (size_t)done;
		at += (uint64_t)done;
	}
	return 0;
}

void
spool_close(struct spool *s)
{
	if (s->open)
		close(s->fd);
	memset(s, 0, sizeof *s);
}

/* The strings at the back become one block of the file. */
static int
queue_spill(struct queue *q, struct err *e)
{
	uint64_t n = q->back.n;
	int r = spool_append(&q->file, &n, sizeof n, e);

	if (r == 0)
		r = spool_append(&q->file, q->back.p, q->back.n, e);
	if (r == 0)
		q->back.n = 0;
	return r;
}

int
queue_push(struct queue *q, const void *p, size_t n, struct err *e)
{
	uint64_t len = n;

	buf_put(&q->back, &len, sizeof len);
	buf_put(&q->back, p, n);
	if (q->back.bad)
		return err_nomem(e, n);
	/* front and back are each half of what may be in memory */
	return q->back.n > q->memory / 2 ? queue_spill(q, e) : 0;
}

/* The front is empty: the next block of the file, else the back. */
static int
queue_refill(struct queue *q, struct err *e)
{
	struct buf t;
	uint64_t n;
	int r;

	q->at = q->front.n = 0;
	t = q->front;
	if (!q->file.open) {
		q->front = q->back;
		q->back = t;
		return 0;
	}
	r = spool_read(&q->file, q->file_at, &n, sizeof n, e);
	if (r < 0)
		return r;
	if (!buf_reserve(&q->front, n))
		return err_nomem(e, n);
	r = spool_read(&q->file, q->file_at + sizeof n, q->front.p, n, e);
	q->front.n = n;
	q->file_at += sizeof n + n;
	if (q->file_at == q->file.n) {
		spool_close(&q->file);
		q->file_at = 0;
	}
	return r;
}

int
queue_first(struct queue *q, const uint8_t **p, size_t *n, struct err *e)
{
	uint64_t len;
	int r;

	if (q->at == q->front.n) {
		r = queue_refill(q, e);
		if (r < 0)
			return r;
		if (q->front.n == 0)
			return 0;
	}
	memcpy(&len, q->front.p + q->at, sizeof len);
	*p = q->front.p + q->at + sizeof len;
	*n = len;
	return 1;
}

void
queue_pop(struct queue *q)
{
	uint64_t len;

	memcpy(&len, q->front.p + q->at, sizeof len);
	q->at += sizeof len + len;
}

void
queue_free(struct queue *q)
{
	buf_free(&q->front);
	buf_free(&q->back);
	spool_close(&q->file);
}
