/* SPDX-License-Identifier: MIT */
/* stream.c - a thread that decodes a file from its begin to its end */

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

		while (rc == 0 && !end && s->n < STREAM_SLOT)
			rc = ops->read(state, s, &end, &s->err);
		s->code = rc;
		s->last = end = end || rc != 0;
		ring_ready(&d->ring, s);
	}
	if (state)
		ops->close(state);
	return NULL;
}
