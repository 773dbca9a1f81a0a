/* SPDX-License-Identifier: MIT */
/*
 * pump_pool.h - what jobs in parts borrow from work() to their last join()
 *
 * As many things as threads are enough for all but jobs that failed, as those
 * keep what they had: then there may be none.
 */
#ifndef SEQF_PUMP_POOL_H
#define SEQF_PUMP_POOL_H

#include <stdbool.h>

#include "base/err.h"

struct pump_pool {	/* of things 0 to n - 1 */
	unsigned n;
	bool *lent;
};

int pump_pool_new(struct pump_pool *p, unsigned n, struct err *e);
void pump_pool_free(struct pump_pool *p);	/* zeroed will do */

/* Any thread.  The number of one that nobody has; n: there is none. */
unsigned pump_pool_borrow(struct pump_pool *p);
void pump_pool_give_back(struct pump_pool *p, unsigned i);

#endif
