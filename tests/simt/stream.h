/* SPDX-License-Identifier: MIT */
/* stream.h - a stream's queue, between stream.cc and event.cc */
#ifndef SEQF_SIMT_STREAM_H
#define SEQF_SIMT_STREAM_H

#include "inside.h"

namespace simt
{
enum op_kind { KERNEL, WORK, RECORD, WAIT };
struct op {
	struct op *next;
	enum op_kind kind;
	struct config c;
	struct job job;
	struct event *event;
	unsigned long ticket;
	const void *host; /* what a copy reads or writes on the host */
	size_t n_host;
};

struct stream {
	struct stream *next;
	struct op *first, **end;
	int device;
	bool destroyed;
	void *tsan;
};
/* Recorded `asked` times; streams have come to the first `done` of them. */
struct event {
	struct stream *stream;
	unsigned long asked, done;
	long users; /* queued pieces of work that name it */
	double ms;  /* when the last was */
	bool timed;
};

struct stream *stream_new(int device);
void stream_push(struct stream *s, const struct op *o);
bool streams_step(struct stream *wanted);
long *handles(void);
void event_recorded(struct event *e, unsigned long ticket);
} // namespace simt

#endif
