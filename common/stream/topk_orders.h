/* SPDX-License-Identifier: MIT */
/* topk_orders.h - what is a group, and the orders, as topk_row.h spells them */
#ifndef SEQF_TOPK_ORDERS_H
#define SEQF_TOPK_ORDERS_H

#include "stream/topk.h"

static inline const char *
topk_group(enum topk_per per)
{
	static const char *const groups[] = {
		[PER_QUERY] = "q", [PER_SUBJECT] = "u", [PER_PAIR] = "qu",
		[PER_ALL] = "",
	};

	return groups[per];
}

static inline const char *
topk_best_order(enum topk_per per)
{
	static const char *const orders[] = {
		[PER_QUERY] = "qs", [PER_SUBJECT] = "usq",
		[PER_PAIR] = "qus", [PER_ALL] = "sq",
	};

	return orders[per];
}

static inline const char *
topk_final_order(const struct topk_params *p)
{
	if (p->sort == SORT_POSITION)
		return p->by_run ? "rcq" : "q";
	if (p->per == PER_ALL)
		return p->by_run ? "rcsq" : "sq";
	return p->by_run ? "rcqs" : "qs";
}

#endif
