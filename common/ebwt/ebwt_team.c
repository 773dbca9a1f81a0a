/* SPDX-License-Identifier: MIT */
/* ebwt_team.c - a parallel for loop */

#include <omp.h>
#include <stdatomic.h>

#include "ebwt/ebwt_priv.h"

/*
 * libgomp hardly spins if there are more threads than processors, which would
 * take time from whoever has work: one member that does nothing makes it so.
 */
static void
run_tasks(unsigned threads, uint64_t n, ebwt_task_fn *fn, void *arg)
{
	_Atomic uint64_t next = 0;
	unsigned team = threads;

	if (threads >= (unsigned)omp_get_num_procs())
		team++;
#pragma omp parallel num_threads(team)
	{
		unsigned me = (unsigned)omp_get_thread_num();
		uint64_t i;

		/* all work is done even if the team is smaller than asked */
		while (me < threads && (i = atomic_fetch_add(&next, 1)) < n)
			fn(arg, i, me);
	}
}

void
ebwt_each(unsigned threads, uint64_t n, ebwt_task_fn *fn, void *arg)
{
	if (threads > 1 && n > 1) {
		run_tasks(threads, n, fn, arg);
		return;
	}
	for (uint64_t i = 0; i < n; i++)
		fn(arg, i, 0);
}
