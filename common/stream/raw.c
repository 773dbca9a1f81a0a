/* SPDX-License-Identifier: MIT */
/* raw.c - bytes of a file or pipe as they are, and the decoders' ring */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stream/source_in.h"

/* From where fd stands: a shell may have read the beginning. */
static uint64_t
bytes_due(int fd, off_t size)
{
	off_t at = lseek(fd, 0, SEEK_CUR);

	return at >= 0 && at < size ? (uint64_t)(size - at) : 0;
}

int
raw_open(struct raw *r, const char *path, struct err *e)
{
	bool is_stdin = strcmp(path, "-") == 0;
	struct stat st;

	r->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (r->fd < 0 || fstat(r->fd, &st) != 0)
		return err_set(e, ERR_IO, "%s:", r->name);
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return err_set(e, ERR_IO, "%s:", r->name);
	}
	r->regular = S_ISREG(st.st_mode);
	r->due = r->regular ? bytes_due(r->fd, st.st_size) : 0;
	/* the kernel copies a fifth faster to whole pages */
	r->buf = aligned_alloc(RAW_PAGE, RAW_ROOM);
	if (!r->buf)
		return err_nomem(e, RAW_ROOM);
	memset(r->buf, 0, RAW_ROOM);
	r->p = r->buf + RAW_FRONT;
	return 0;
}

long
raw_read(struct raw *r, void *p, size_t n)
{
	ssize_t got;

	do {
		got = read(r->fd, p, n);
		/* a descriptor shared with a non-blocking program */
		if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			struct pollfd w = { .fd = r->fd, .events = POLLIN };

			if (poll(&w, 1, -1) < 0 && errno != EINTR)
				return -1;
			errno = EINTR;
		}
	} while (got < 0 && errno == EINTR);
	if (got > 0)
		atomic_fetch_add_explicit(&r->n_read, (uint64_t)got,
					  memory_order_relaxed);
	if (got > 0)
		r->due -= (uint64_t)got < r->due ? (uint64_t)got : r->due;
	/* a file that shrank meanwhile must not pass for a short one */
	if (got == 0 && n && r->due) {
		errno = ESTALE;
		return -1;
	}
	return got;
}

/* Wait until fd can be read: 0, or RAW_STOPPED. */
static int
wait_input(const struct raw *r)
{
	struct pollfd w[2] = {
		{ .fd = r->fd, .events = POLLIN },
		{ .fd = r->wake, .events = POLLIN },
	};

	if (r->wake < 0 || r->regular)
		return 0;
	for (;;) {
		if (poll(w, 2, -1) < 0 && errno != EINTR)
			return 0;	/* let read() tell what is wrong */
		if (w[1].revents)
			return RAW_STOPPED;
		if (w[0].revents)
			return 0;
	}
}

int
raw_fill(struct raw *r, size_t want, struct err *e)
{
	uint8_t *data;

	if (r->n >= want || r->eof)
		return 0;
	data = r->buf + RAW_FRONT;
	/* What is left, and RAW_BACK bytes before it, go in front of data. */
	memmove(data - r->n - RAW_BACK, r->p - RAW_BACK, r->n + RAW_BACK);
	r->p = data - r->n;
	do {
		uint8_t *end = (uint8_t *)r->p + r->n;
		long got;

		if (wait_input(r) != 0)
			return RAW_STOPPED;
		got = raw_read(r, end, (size_t)(data + SOURCE_BLOCK - end));
		if (got < 0)
			return err_set(e, ERR_IO, "%s: byte %llu:", r->name,
				       (unsigned long long)(r->offset + r->n));
		r->eof = got == 0;
		r->n += (size_t)got;
	} while (r->n < want && !r->eof);
	return 0;
}

int
ring_new(struct ring *r, unsigned n_slots, size_t n_data, size_t n_in,
	 struct err *e)
{
	size_t each = SOURCE_PEEK + n_data + n_in;

	memset(r, 0, sizeof *r);
	r->slot = calloc(n_slots, sizeof *r->slot);
	if (!r->slot)
		return err_nomem(e, n_slots * sizeof *r->slot);
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->change, NULL);
	for (r->n_slots = 0; r->n_slots < n_slots; r->n_slots++) {
		uint8_t *p = malloc(each);

		if (!p)
			return err_nomem(e, each);
		r->slot[r->n_slots].data = p + SOURCE_PEEK;
		r->slot[r->n_slots].in = p + SOURCE_PEEK + n_data;
	}
	return 0;
}

void
ring_free(struct ring *r)
{
	if (!r->slot)
		return;
	for (unsigned i = 0; i < r->n_slots; i++)
		free(r->slot[i].data - SOURCE_PEEK);
	free(r->slot);
	pthread_mutex_destroy(&r->lock);
	pthread_cond_destroy(&r->change);
}

struct slot *
ring_claim(struct ring *r)
{
	struct slot *s = NULL;

	pthread_mutex_lock(&r->lock);
	while (!r->stop && r->claimed - r->released >= r->n_slots)
		pthread_cond_wait(&r->change, &r->lock);
	if (!r->stop) {
		s = &r->slot[r->claimed++ % r->n_slots];
		s->n = s->n_in = 0;
		s->ready = s->last = false;
		s->code = 0;
	}
	pthread_mutex_unlock(&r->lock);
	return s;
}

void
ring_ready(struct ring *r, struct slot *s)
{
	pthread_mutex_lock(&r->lock);
	s->ready = true;
	pthread_cond_broadcast(&r->change);
	pthread_mutex_unlock(&r->lock);
}

struct slot *
ring_wait(struct ring *r, uint64_t ticket)
{
	struct slot *s = &r->slot[ticket % r->n_slots];

	pthread_mutex_lock(&r->lock);
	while (r->claimed <= ticket || !s->ready)
		pthread_cond_wait(&r->change, &r->lock);
	pthread_mutex_unlock(&r->lock);
	return s;
}

void
ring_release(struct ring *r, uint64_t ticket)
{
	pthread_mutex_lock(&r->lock);
	r->released = ticket;
	pthread_cond_broadcast(&r->change);
	pthread_mutex_unlock(&r->lock);
}

void
ring_stop(struct ring *r)
{
	pthread_mutex_lock(&r->lock);
	r->stop = true;
	pthread_cond_broadcast(&r->change);
	pthread_mutex_unlock(&r->lock);
}
