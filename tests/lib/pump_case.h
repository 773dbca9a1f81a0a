/* SPDX-License-Identifier: MIT */
/* pump_case.h - the feed of a pump, played by its tests */
#ifndef SEQF_PUMP_CASE_H
#define SEQF_PUMP_CASE_H

#include <string.h>
#include <unistd.h>

#include "flow/flow.h"
#include "tests/lib/tap.h"

struct feed {
	uint64_t n, next;
	uint64_t fail_read, fail_encode, fail_account;
	struct rec_frame **frame;	/* NULL: RAW items */
	uint64_t accounted;
};

enum { NEVER = 1 << 30 };

static struct feed fake;
static uint64_t in_flight, most, emitted, disorder;

int
feed_next(struct feed *f, struct feed_item *it, struct err *e)
{
	uint64_t now;

	if (f->next == f->fail_read)
		return err_set(e, ERR_IO, "read %d", (int)f->next);
	if (f->next == f->n)
		return 0;
	memset(it, 0, sizeof *it);
	it->kind = f->frame ? FEED_FRAME : FEED_RAW;
	if (f->frame)
		it->frame = rec_frame_keep(f->frame[f->next]);
	it->owned = __atomic_fetch_add(&f->next, 1, __ATOMIC_SEQ_CST);
	now = __atomic_add_fetch(&in_flight, 1, __ATOMIC_SEQ_CST);
	if (now > most)
		most = now;
	return 1;
}

int
feed_encode(struct feed_item *it, struct err *e)
{
	if (it->owned == fake.fail_encode)
		return err_set(e, ERR_IO, "encode %d", (int)it->owned);
	it->frame = rec_frame_new(8);
	if (!it->frame)
		return err_nomem(e, 8);
	it->frame->serial = it->owned;
	return 0;
}

int
feed_account(struct feed *f, struct feed_item *it, struct err *e)
{
	if (it->owned == f->fail_account)
		return err_set(e, ERR_IO, "account %d", (int)it->owned);
	if (it->owned != f->accounted++)
		disorder++;
	return 0;
}

void
feed_drop(struct feed_item *it)
{
	rec_frame_drop(it->frame);
	it->frame = NULL;
}

static void
feed_reset(uint64_t n)
{
	fake = (struct feed){ .n = n, .fail_read = NEVER,
			      .fail_encode = NEVER, .fail_account = NEVER };
	in_flight = most = emitted = disorder = 0;
}

#endif
