/* SPDX-License-Identifier: MIT */
/* ebwt_team.h - threads that compare the words of all pairs (private) */
#ifndef SEQF_EBWT_TEAM_H
#define SEQF_EBWT_TEAM_H

#include <pthread.h>

#include "scan/ebwt_table.h"

struct ebwt_team {
	struct ebwt_table *t;
	struct ebwt_how how;
	double cost;		/* of all */
	uint64_t *term;		/* how.term, the caller's to free */
	/* private */
	struct ebwt_sums_work *work;	/* of each thread */
	uint64_t bundle;	/* pairs that are small, of one task */
	pthread_mutex_t lock;	/* of what follows */
	struct err err;
	uint64_t failed;	/* the first task that did */
	double done;
};

/* False: it cannot be done. */
bool ebwt_team_route(const struct ebwt_team *m, uint64_t pair,
		     struct ebwt_route *p);
/* Fills in the table's stat; n_bytes: taken already. */
int ebwt_team_run(struct ebwt_team *m, uint64_t n_bytes, struct err *e);

#endif
