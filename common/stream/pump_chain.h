/* SPDX-License-Identifier: MIT */
/* pump_chain.h - inside of pump: chunks of which each continues the next */
#ifndef SEQF_PUMP_CHAIN_H
#define SEQF_PUMP_CHAIN_H

#include "stream/pump.h"

/* Zero it first; the reader's alone. */
struct pump_chain {
	struct pump_link *link;	/* the nearest last */
	size_t n, cap;
};

/*
 * Gives the job the frames before it, as many as reach back `context` letters,
 * and remembers its own.  Cut chunks bring their context; those of a record
 * stream are chained.  ERR_NOMEM.
 */
int pump_chain_job(struct pump_chain *l, uint64_t context,
		   struct pump_job *job, struct err *e);
void pump_chain_free(struct pump_chain *l);

#endif
