/* SPDX-License-Identifier: MIT */
/* ebwt_sort.c - which engine sorts, and what memory a job needs */
#include "algo/ebwt_priv.h"

enum {
	PLAIN_BYTES = 24,	/* a rotation, sorted by comparisons */
	RANK_BYTES = 4,		/* a rotation, for entropy */
	ROOM = 1 << 20,		/* for what does not grow with text */
	THREAD_ROOM = 1 << 19,
	CLASS_BYTES = 24,
};

int
ebwt_sort(struct ebwt *x, ebwt_batch_fn *fn, void *arg, struct err *e)
{
	return x->par.engine == EBWT_PLAIN ? ebwt_sort_plain(x, fn, arg, e) :
					     ebwt_sort_anchors(x, fn, arg, e);
}

struct ebwt_need
ebwt_sort_need(const struct ebwt *x)
{
	return (struct ebwt_need){
		PLAIN_BYTES * x->n_roots, PLAIN_BYTES * x->n_roots,
	};
}

struct ebwt_need
ebwt_need(const struct ebwt *x, const struct ebwt_pairs_job *job)
{
	struct ebwt_need need = ebwt_sort_need(x);
	uint64_t more = x->used + ROOM;

	if (job) {
		more += ebwt_pairs_bytes(x, job);
		more += CLASS_BYTES * x->n_classes;
		more += (uint64_t)THREAD_ROOM * x->par.threads;
		if (job->entropy)
			more += RANK_BYTES * x->n_roots;
	}
	need.least += more;
	need.most += more;
	return need;
}
