/* SPDX-License-Identifier: MIT */
/* out.c - checked output to stdout or -o FILE */
#define _GNU_SOURCE	/* F_SETPIPE_SZ */
#include "stream/out.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/*
 * Small pieces are gathered up to this; a pipe moves 4-5 GB/s with it.  Large
 * ones are written from where they are, in one call with what was gathered.
 */
enum { OUT_GATHER = 1 << 18, OUT_LARGE = 1 << 16, OUT_PIPE = 1 << 20 };

struct out {
	int fd;
	bool tty;
	char *path;	/* what is renamed to; NULL: nothing is */
	char *tmp;
	const char *name;	/* for errors */
	struct buf b;
};

bool
out_is_tty(const struct out *o)
{
	return o->tty;
}

/* After a failed write: shall it be tried again?  Waits until it can be. */
static bool
again(int fd)
{
	struct pollfd w = { .fd = fd, .events = POLLOUT };

	/* a descriptor shared with a non-blocking program */
	if (errno == EAGAIN || errno == EWOULDBLOCK)
		return poll(&w, 1, -1) >= 0 || errno == EINTR;
	return errno == EINTR;
}

/*
 * What was gathered and n bytes at p: everything, or an error.  A write may
 * stop anywhere, and Linux's after 2^31 - 4096 bytes.
 */
static int
write_all(struct out *o, const void *p, size_t n, struct err *e)
{
	struct iovec v[2] = { { o->b.p, o->b.n }, { (void *)(uintptr_t)p, n } };

	o->b.n = 0;
	while (v[0].iov_len + v[1].iov_len) {
		struct iovec *from = v[0].iov_len ? v : v + 1;
		ssize_t w = writev(o->fd, from, (int)(v + 2 - from));

		if (w < 0 && again(o->fd))
			continue;
		if (w < 0)
			return err_set(e, ERR_IO, "%s: cannot write:",
				       o->name);
		for (; w > 0 && from < v + 2; from++) {
			size_t k = (size_t)w < from->iov_len ? (size_t)w :
			    from->iov_len;

			from->iov_base = (uint8_t *)from->iov_base + k;
			from->iov_len -= k;
			w -= (ssize_t)k;
		}
	}
	return 0;
}

int
out_flush(struct out *o, struct err *e)
{
	if (o->b.bad)
		return err_nomem(e, OUT_GATHER);
	return write_all(o, NULL, 0, e);
}

int
out_write(struct out *o, const void *p, size_t n, struct err *e)
{
	int rc = 0;

	if (o->b.bad)
		return err_nomem(e, OUT_GATHER);
	if (n >= OUT_LARGE)
		return write_all(o, p, n, e);
	if (n > OUT_GATHER - o->b.n)
		rc = out_flush(o, e);
	if (rc)
		return rc;
	buf_put(&o->b, p, n);
	if (o->b.bad)
		return err_nomem(e, n);
	return o->tty ? out_flush(o, e) : 0;
}

int
out_printf(struct out *o, struct err *e, const char *fmt, ...)
{
	va_list ap, again;
	char small[1024], *p = small;
	int n, rc;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(small, sizeof small, fmt, ap);
	va_end(ap);
	if (n >= (int)sizeof small) {
		p = malloc((size_t)n + 1);
		if (p)
			vsnprintf(p, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	if (n < 0)
		return err_set(e, ERR_IO, "%s: cannot format:", o->name);
	if (!p)
		return err_nomem(e, (unsigned long long)n + 1);
	rc = out_write(o, p, (size_t)n, e);
	if (p != small)
		free(p);
	return rc;
}

/*
 * A file that nobody else writes: another host, which shares the folder, may
 * have been given the same work and the same process id.
 */
static int
create_tmp(struct out *o, size_t room)
{
	unsigned long id = (unsigned long)getpid();

	do
		snprintf(o->tmp, room, "%s.tmp-%lu", o->path, id++);
	while ((o->fd = open(o->tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			     0666)) < 0 && errno == EEXIST);
	return o->fd;
}

/*
 * A name beside the final file, so that the rename stays in one file system.
 * An existing file keeps its permissions, and a link to it stays a link.
 */
static int
open_beside(struct out *o, const char *path, const struct stat *st,
	    struct err *e)
{
	size_t room;

	o->path = st ? realpath(path, NULL) : strdup(path);
	if (!o->path)
		return errno == ENOMEM ? err_nomem(e, strlen(path)) :
		       err_set(e, ERR_IO, "%s:", path);
	room = strlen(o->path) + 32;
	o->tmp = malloc(room);
	if (!o->tmp)
		return err_nomem(e, room);
	if (create_tmp(o, room) < 0) {
		free(o->tmp);
		o->tmp = NULL;
		return err_set(e, ERR_IO, "%s: cannot create:", path);
	}
	if (st && fchmod(o->fd, st->st_mode & 07777) != 0)
		return err_set(e, ERR_IO, "%s: cannot set mode:", path);
	return 0;
}

static int
open_path(struct out *o, const char *path, struct err *e)
{
	struct stat st;
	bool there = stat(path, &st) == 0;

	if (there && S_ISDIR(st.st_mode))
		return err_set(e, ERR_IO, "%s: is a directory", path);
	/* /dev/stdout may well be a regular file: never renamed over. */
	if (strncmp(path, "/dev/", 5) != 0 && (!there || S_ISREG(st.st_mode)))
		return open_beside(o, path, there ? &st : NULL, e);
	o->fd = open(path, O_WRONLY | O_CLOEXEC);
	if (o->fd < 0)
		return err_set(e, ERR_IO, "%s: cannot open:", path);
	return 0;
}

int
out_open(struct out **out, const char *path, struct err *e)
{
	struct out *o = calloc(1, sizeof *o);
	int rc = 0;

	*out = NULL;
	if (!o)
		return err_nomem(e, sizeof *o);
	o->fd = -1;
	if (path && !*path) {
		out_abort(o);
		return err_set(e, ERR_USAGE, "-o: the file name is empty");
	}
	if (!path || strcmp(path, "-") == 0) {
		o->fd = STDOUT_FILENO;
		o->name = "standard output";
	} else {
		o->name = path;
		rc = open_path(o, path, e);
	}
	if (!rc && !buf_reserve(&o->b, OUT_GATHER))
		rc = err_nomem(e, OUT_GATHER);
	if (rc) {
		out_abort(o);
		return rc;
	}
	o->tty = isatty(o->fd);
	/*
	 * Room for some chunks, so that both ends of a pipe can work at once;
	 * where that is not allowed, or fd is no pipe, nothing happens.
	 */
	fcntl(o->fd, F_SETPIPE_SZ, OUT_PIPE);
	*out = o;
	return 0;
}

int
out_close(struct out *o, struct err *e)
{
	int rc = out_flush(o, e);
	int fd = o->fd;

	o->fd = -1;
	/* Some file systems tell of a full disk only here. */
	if (close(fd) != 0 && !rc)
		rc = err_set(e, ERR_IO, "%s: cannot close:", o->name);
	if (!rc && o->tmp && rename(o->tmp, o->path) != 0)
		rc = err_set(e, ERR_IO, "%s: cannot rename:", o->name);
	if (!rc) {
		free(o->tmp);
		o->tmp = NULL;
	}
	out_abort(o);
	return rc;
}

void
out_abort(struct out *o)
{
	if (!o)
		return;
	if (o->fd > STDERR_FILENO)
		close(o->fd);
	if (o->tmp)
		unlink(o->tmp);
	free(o->tmp);
	free(o->path);
	buf_free(&o->b);
	free(o);
}
