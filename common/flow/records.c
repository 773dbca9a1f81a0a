/* SPDX-License-Identifier: MIT */
/* records.c - the bytes of whole records, until it is known who wants them */

#include <pthread.h>
#include <stdlib.h>

#include "base/base.h"
#include "flow/flow.h"

struct span {
	uint64_t beg, end;	/* of all bytes; end 0: not known yet */
};

struct records {
	pthread_mutex_t lock;	/* of all of it */
	struct queue bytes;
	uint64_t taken, reported;	/* bytes of all files */
	uint64_t file;		/* reported before this file */
	size_t first_at;	/* what of the queue's first string is taken */
	struct span *span;	/* those not taken yet: [next, n) */
	size_t next, n, cap;
	struct err err;		/* of the reader's side */
	/* the writer's own */
	bool open_line;		/* what was written last has no newline */
};

int
records_new(struct records **out, size_t memory, struct err *e)
{
	struct records *r = calloc(1, sizeof *r);

	*out = r;
	if (!r)
		return err_nomem(e, sizeof *r);
	pthread_mutex_init(&r->lock, NULL);
	r->bytes.memory = memory;
	return 0;
}

void
records_free(struct records *r)
{
	if (!r)
		return;
	queue_free(&r->bytes);
	free(r->span);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

void
records_bytes(void *records, const uint8_t *p, size_t n)
{
	struct records *r = records;

	pthread_mutex_lock(&r->lock);
	if (n && !r->err.code)
		queue_push(&r->bytes, p, n, &r->err);
	r->reported += n;
	pthread_mutex_unlock(&r->lock);
}

/* Room for one more span: those that were taken make it. */
static int
room(struct records *r)
{
	if (r->n < r->cap)
		return 0;
	if (r->next > r->cap / 2) {
		memmove(r->span, r->span + r->next,
			(r->n - r->next) * sizeof *r->span);
		r->n -= r->next;
		r->next = 0;
		return 0;
	}
	return array_room(&r->span, &r->cap, r->n + 1, sizeof *r->span,
			  &r->err);
}

static void
end_last(struct records *r, uint64_t at)
{
	if (r->n > r->next && !r->span[r->n - 1].end)
		r->span[r->n - 1].end = at;
}

void
records_begin(struct records *r, uint64_t at)
{
	pthread_mutex_lock(&r->lock);
	end_last(r, r->file + at);
	if (!r->err.code && !room(r))
		r->span[r->n++] = (struct span){ r->file + at, 0 };
	pthread_mutex_unlock(&r->lock);
}

void
records_end_file(struct records *r)
{
	pthread_mutex_lock(&r->lock);
	end_last(r, r->reported);
	r->file = r->reported;
	pthread_mutex_unlock(&r->lock);
}

/* Take bytes up to `end`; out is NULL: leave them out. */
static int
take(struct records *r, uint64_t end, struct out *out, struct err *e)
{
	int rc = 0;

	while (r->taken < end && !rc) {
		const uint8_t *p;
		size_t n, left;
		int got = queue_first(&r->bytes, &p, &n, e);

		if (got <= 0)
			return got ? got : err_set(e, ERR_IO, "the bytes of a "
						   "record are lost");
		left = n - r->first_at;
		p += r->first_at;
		n = left < end - r->taken ? left : (size_t)(end - r->taken);
		if (out)
			rc = out_write(out, p, n, e);
		if (out)
			r->open_line = p[n - 1] != '\n';
		r->taken += n;
		r->first_at += n;
		if (n == left) {
			queue_pop(&r->bytes);
			r->first_at = 0;
		}
	}
	return rc;
}

static int
next(struct records *r, bool wanted, struct out *o, struct err *e)
{
	struct span s;
	int rc;

	if (r->err.code) {
		*e = r->err;
		return e->code;
	}
	if (r->next == r->n || !r->span[r->next].end)
		return err_set(e, ERR_IO, "the bytes of a record are lost");
	s = r->span[r->next++];
	rc = take(r, s.beg, NULL, e);
	if (!rc && wanted && r->open_line)
		rc = out_write(o, "\n", 1, e);
	return rc ? rc : take(r, s.end, wanted ? o : NULL, e);
}

int
records_next(struct records *r, bool wanted, struct out *o, struct err *e)
{
	int rc;

	pthread_mutex_lock(&r->lock);
	rc = next(r, wanted, o, e);
	pthread_mutex_unlock(&r->lock);
	return rc;
}
