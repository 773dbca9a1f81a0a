/* SPDX-License-Identifier: MIT */
/*
 * primer_self.h - the target's own places in the background (--self), which
 * match nothing
 */
#ifndef SEQF_PRIMER_SELF_H
#define SEQF_PRIMER_SELF_H

#include "stream/window.h"

struct primer_self;
/*
 * A file that exists: BED, whose first three columns count (0-based, end not
 * included), no line or many; any other text: all of the sequences of that
 * name.  ERR_IO; ERR_FORMAT naming the line; ERR_NOMEM.
 */
int primer_self_new(struct primer_self **s, const char *text, struct err *e);
void primer_self_free(struct primer_self *s);
/* Of the letters that it hides: names and places. */
uint64_t primer_self_hash(const struct primer_self *s);
/* Refers to s; any thread. */
struct window_hide primer_self_hide(const struct primer_self *s);
/* A CHUNK frame of the background; one thread. */
int primer_self_see(struct primer_self *s, const struct rec_frame *f,
		    struct err *e);
/* Are there places that no sequence had, up to now?  The reason names one. */
bool primer_self_missing(const struct primer_self *s, struct err *why);

#endif
