/* SPDX-License-Identifier: MIT */
/* primer_paper_priv.h - a start of the source's algorithms (private) */
#ifndef SEQF_PRIMER_PAPER_PRIMER_PAPER_PRIV_H
#define SEQF_PRIMER_PAPER_PRIMER_PAPER_PRIV_H

#include <pthread.h>

#include "primer/paper/primer_paper.h"
#include "primer/primer_priv.h"

enum { PRIMER_PAPER_THREADS = 1 << 16 };

struct primer_paper_start {
	const struct primer *p;
	const uint8_t *symbol;
	uint64_t n;
	unsigned optimisations;
	/* Rows of D, columns 0 to n, or anti-diagonals of it, rows 0 to that of
	 * the longest primer; or L of two numbers of differences, diagonals
	 * -(k - 1) to n.  Anti-diagonals are three. */
	uint64_t *now, *then, *third;
	uint64_t beg, cap;	/* places */
	uint64_t known, rows;	/* that occur: known before, raised */
	struct primer_paper_stats did;
};

/* Coarse-grained: a start is one thread's. */
void primer_alternative(struct primer_paper_start *s);

/* Threads that wait for each other, awake for as long as a short step takes,
 * then asleep. */
struct primer_paper_barrier {
	pthread_mutex_t lock;
	pthread_cond_t open;
	unsigned waiting;
	_Atomic unsigned round;
};

/* Fine-grained: threads that share each start, or, if it is small, some of
 * them. */
struct primer_paper_team {
	struct primer_paper_start s;
	unsigned threads;
	/* Threads of this start and of the next, which the first one may be at
	 * already; 0: there is none. */
	unsigned active[2];
	struct primer_paper_barrier all, step;	/* of active ones */
	pthread_mutex_t lock;		/* of s.rows and s.did */
	atomic_bool done[2];		/* by odd and even steps */
};

#endif
