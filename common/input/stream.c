/* SPDX-License-Identifier: MIT */
/* stream.c - threads that decode a file from its begin to its end */

#include <string.h>

#include "base/base.h"
#include "input/source_in.h"

int
stream_bad(const struct raw *r, const char *name, const char *what,
	   struct err *e)
{
	return err_set(e, ERR_FORMAT, "%s: %s behind byte %llu (%s)", r->name,
		       what, (unsigned long long)r->offset, name);
}

void *
stream_thread(void *arg)
{
	struct decoder *d = arg;
	const struct stream_ops *ops = d->codec->stream;
	void *state = ops->open(d);
	struct slot *s;
	bool end = false;

	while (!end && (s = ring_claim(&d->ring))) {
		int rc = state ? 0 : err_nomem(&s->err, STREAM_SLOT);

		while (rc == 0 && !end && s->n < d->codec->n_slot)
			rc = ops->read(state, s, &end, &s->err);
		s->code = rc;
		s->last = end = end || rc != 0;
		ring_ready(&d->ring, s);
	}
	if (state)
		ops->close(state);
	return NULL;
}

/* The slot is full, or the last one. */
static void
hand_over(struct pour *to, bool last)
{
	to->slot->last = last;
	ring_ready(to->ring, to->slot);
	to->slot = NULL;
}

/* Is there a slot to fill? */
static bool
has_slot(struct pour *to)
{
	if (!to->slot && !to->left)
		to->slot = ring_claim(to->ring);
	to->left |= !to->slot;
	return !to->left;
}

void
pour_put(struct pour *to, const void *p, size_t n)
{
	const uint8_t *s = p;

	while (n && has_slot(to)) {
		size_t room = STREAM_SLOT - to->slot->n;
		size_t k = n < room ? n : room;

		memcpy(to->slot->data + to->slot->n, s, k);
		to->slot->n += k;
		s += k;
		n -= k;
		if (k == room)
			hand_over(to, false);
	}
}

void
pour_end(struct pour *to, int rc, const struct err *e)
{
	if (rc == RAW_STOPPED || !has_slot(to))
		return;
	if (rc) {
		to->slot->code = rc;
		to->slot->err = *e;
	}
	hand_over(to, true);
}
