/* SPDX-License-Identifier: MIT */
/* pump_pool.c - what jobs in parts borrow from work() to their last join() */
#include "stream/pump_pool.h"

#include <stdlib.h>

int
pump_pool_new(struct pump_pool *p, unsigned n, struct err *e)
{
	p->n = 0;
	p->lent = calloc(n, sizeof *p->lent);
	if (!p->lent)
		return err_nomem(e, n * sizeof *p->lent);
	p->n = n;
	return 0;
}

void
pump_pool_free(struct pump_pool *p)
{
	free(p->lent);
}

unsigned
pump_pool_borrow(struct pump_pool *p)
{
	unsigned i = 0;

	while (i < p->n && __atomic_exchange_n(&p->lent[i], true,
					       __ATOMIC_ACQUIRE))
		i++;
	return i;
}

void
pump_pool_give_back(struct pump_pool *p, unsigned i)
{
	__atomic_store_n(&p->lent[i], false, __ATOMIC_RELEASE);
}
