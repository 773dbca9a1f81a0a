/* SPDX-License-Identifier: MIT */
/* primer_paper.c - all starts by the source's algorithms */
#include <omp.h>
#include <stdlib.h>

#include "algo/primer_paper_priv.h"
#include "base/minmax.h"

/* A start's threads have no more than this many starts in a row. */
enum { TURN = 16 };

static int
room(struct primer_paper_start *s, struct err *e)
{
	uint64_t columns = s->n + s->p->par.k + 1;

	if (columns < s->n || columns > SIZE_MAX / 32)
		return err_nomem(e, SIZE_MAX);
	s->now = malloc(columns * sizeof *s->now);
	s->then = malloc(columns * sizeof *s->then);
	s->last = malloc(s->fine * sizeof *s->last);
	return s->now && s->then && s->last ? 0 :
		err_nomem(e, 2 * columns * sizeof *s->now);
}

static void
room_free(struct primer_paper_start *s)
{
	free(s->now);
	free(s->then);
	free(s->last);
}

/*
 * What is known of a start's end: what texts before said, and, if ends of other
 * starts are used, that of the one before it.  Another thread may be about to
 * raise that; any value that it has had is a bound.
 */
static uint64_t
known(const struct primer *p, uint64_t start, unsigned optimisations)
{
	uint64_t end = primer_end(p, start), cap = primer_cap(p, start);
	uint64_t stop = p->stop[start], before;

	if (!start || p->stop[start - 1] != stop)
		return end;
	before = primer_end(p, start - 1);
	if (optimisations & PRIMER_PAPER_BEGIN ||
	    (optimisations & PRIMER_PAPER_LAST && before == stop))
		end = max_u64(end, min_u64(before, cap));
	return end;
}

static void
one(struct primer *p, const struct primer_paper *how,
    struct primer_paper_start *s, uint64_t start)
{
	uint64_t end = known(p, start, s->optimisations);

	if (p->code[start] == PRIMER_BREAK)
		return;
	if (s->optimisations & PRIMER_PAPER_LAST && end == p->stop[start]) {
		primer_raise(p, start, end);
		return;
	}
	s->beg = start;
	s->cap = primer_cap(p, start);
	s->rows = s->optimisations & PRIMER_PAPER_BEGIN ? end - start : 0;
	s->did.starts++;
	if (how->method == PRIMER_ALTERNATIVE)
		primer_alternative(s);
	else
		primer_conventional(s);
	primer_raise(p, start, start + s->rows);
}

void
primer_paper_add(struct primer_paper_stats *to,
		 const struct primer_paper_stats *s)
{
	to->starts += s->starts;
	to->values += s->values;
	to->comparisons += s->comparisons;
	to->fetched += s->fetched;
	to->missed += s->missed;
}

static int
search(struct primer *p, const struct primer_paper *how,
       const struct primer_paper_start *like, struct primer_paper_stats *stats,
       struct err *e)
{
	omp_lock_t lock;
	int rc = 0;

	omp_init_lock(&lock);
#pragma omp parallel num_threads(how->coarse ? (int)how->coarse : 1)
	{
		struct primer_paper_start s = *like;
		struct err mine;
		int got = room(&s, &mine);

#pragma omp for schedule(dynamic, TURN)
		for (uint64_t j = 0; j < p->n; j++)
			if (!got)
				one(p, how, &s, j);
		omp_set_lock(&lock);
		primer_paper_add(stats, &s.did);
		if (got && !rc) {
			*e = mine;
			rc = got;
		}
		omp_unset_lock(&lock);
		room_free(&s);
	}
	omp_destroy_lock(&lock);
	return rc;
}

int
primer_paper(struct primer *p, const uint8_t *symbol, size_t n,
	     const struct primer_paper *how, struct primer_paper_stats *stats,
	     struct err *e)
{
	struct primer_paper_start s = {
		.p = p, .symbol = symbol, .n = n,
		.optimisations = how->optimisations,
		.fine = how->fine ? how->fine : 1,
	};
	int levels = omp_get_max_active_levels(), rc;

	if (how->coarse > PRIMER_PAPER_THREADS ||
	    how->fine > PRIMER_PAPER_THREADS)
		return err_set(e, ERR_USAGE, "threads must be at most %d",
			       PRIMER_PAPER_THREADS);
	if (levels < 2)
		omp_set_max_active_levels(2);
	rc = search(p, how, &s, stats, e);
	omp_set_max_active_levels(levels);
	return rc;
}
