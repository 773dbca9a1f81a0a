/* SPDX-License-Identifier: MIT */
/* primer_paper.c - all starts by the source's algorithms */
#include <omp.h>
#include <stdlib.h>

#include "algo/primer_paper_priv.h"
#include "base/minmax.h"

/* Starts in a row that are one team's. */
enum { TURN = 16 };

static int
room(struct primer_paper_start *s, bool fine, struct err *e)
{
	uint64_t values = max_u64(s->n + s->p->par.k, fine ? s->p->longest :
						      0) + 1;

	if (s->n > SIZE_MAX / 64 || values > SIZE_MAX / 64)
		return err_nomem(e, SIZE_MAX);
	s->now = malloc(values * sizeof *s->now);
	s->then = malloc(values * sizeof *s->then);
	if (fine)
		s->third = malloc((s->p->longest + 1) * sizeof *s->third);
	return s->now && s->then && (s->third || !fine) ? 0 :
		err_nomem(e, 2 * values * sizeof *s->now);
}

static void
room_free(struct primer_paper_start *s)
{
	free(s->now);
	free(s->then);
	free(s->third);
}

/*
 * What is known of a start's end: what texts before said, and, where ends of
 * other starts are used, that of the one before it.  Another thread may be
 * about to raise that; any value that it has had is a bound.
 */
static uint64_t
known(const struct primer *p, uint64_t start, unsigned optimisations)
{
	uint64_t end = primer_end(p, start), cap = primer_cap(p, start);
	uint64_t stop = p->stop[start], before;

	if (!start || p->stop[start - 1] != stop)
		return end;
	before = primer_end(p, start - 1);
	if (optimisations & PRIMER_PAPER_START || before == stop)
		end = max_u64(end, min_u64(before, cap));
	return end;
}

/* The start is to be searched; false: it need not be. */
static bool
begin(struct primer *p, struct primer_paper_start *s, uint64_t start)
{
	uint64_t end = known(p, start, s->optimisations);

	if (p->code[start] == PRIMER_BREAK)
		return false;
	if (end == p->stop[start]) {
		primer_raise(p, start, end);
		return false;
	}
	s->beg = start;
	s->cap = primer_cap(p, start);
	s->known = s->optimisations & PRIMER_PAPER_START ? end - start : 0;
	s->rows = s->known;
	s->did.starts++;
	return true;
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

/* A search; teams take some starts at a time, in turn. */
struct paper {
	struct primer *p;
	enum primer_paper_method method;
	unsigned teams, threads;	/* of each; 0: coarse-grained */
	_Atomic uint64_t next;
	struct primer_paper_team *team;
};

static void
coarse(struct paper *x, struct primer_paper_start *s)
{
	uint64_t at;

	while ((at = atomic_fetch_add(&x->next, TURN)) < x->p->n)
		for (uint64_t j = at; j < min_u64(at + TURN, x->p->n); j++) {
			if (!begin(x->p, s, j))
				continue;
			if (x->method == PRIMER_ALTERNATIVE)
				primer_alternative(s);
			else
				primer_conventional(s);
			primer_raise(x->p, j, j + s->rows);
		}
}

/* The next start for a team, by one of its threads. */
static uint64_t
next_start(struct paper *x, struct primer_paper_start *s, uint64_t start)
{
	for (start++;; start++) {
		if (start % TURN == 0)
			start = atomic_fetch_add(&x->next, TURN);
		if (start >= x->p->n)
			return UINT64_MAX;
		if (begin(x->p, s, start))
			return start;
	}
}

/* All starts of a team, by each of its threads. */
static void
fine(struct paper *x, struct primer_paper_team *t, unsigned me)
{
	struct primer_paper_start *s = &t->s;
	uint64_t at = UINT64_MAX;	/* the first one's, who knows it */

	for (;;) {
		if (!me) {
			at = next_start(x, s, at);
			if (at == UINT64_MAX)
				s->beg = at;
			atomic_store(&t->done[0], false);
			atomic_store(&t->done[1], false);
		}
		pthread_barrier_wait(&t->all);
		if (s->beg == UINT64_MAX)
			return;
		if (x->method == PRIMER_ALTERNATIVE)
			primer_alternative_fine(t, me);
		else
			primer_conventional_fine(t, me);
		if (!me)
			primer_raise(x->p, at, at + s->rows);
	}
}

/* What teams need, when it is known how many threads there are. */
static int
teams_new(struct paper *x, const struct primer_paper_start *like,
	  unsigned threads, struct err *e)
{
	unsigned each = (unsigned)max_u64(x->threads, 1);

	if (each > threads)
		each = x->threads = threads;
	x->teams = threads / each;
	x->team = calloc(x->teams, sizeof *x->team);
	if (!x->team) {
		x->teams = 0;
		return err_nomem(e, threads * sizeof *x->team);
	}
	for (unsigned i = 0; i < x->teams; i++) {
		struct primer_paper_team *t = &x->team[i];
		int rc;

		t->s = *like;
		rc = room(&t->s, x->threads, e);
		if (!rc && (pthread_barrier_init(&t->all, NULL, each) ||
			    pthread_mutex_init(&t->lock, NULL)))
			rc = err_set(e, ERR_NOMEM, "no barrier");
		if (rc) {
			room_free(&t->s);
			x->teams = i;
			return rc;
		}
		t->threads = each;
	}
	return 0;
}

static void
teams_free(struct paper *x, struct primer_paper_stats *stats)
{
	for (unsigned i = 0; i < x->teams; i++) {
		struct primer_paper_team *t = &x->team[i];

		primer_paper_add(stats, &t->s.did);
		room_free(&t->s);
		pthread_barrier_destroy(&t->all);
		pthread_mutex_destroy(&t->lock);
	}
	free(x->team);
}

int
primer_paper(struct primer *p, const uint8_t *symbol, size_t n,
	     const struct primer_paper *how, struct primer_paper_stats *stats,
	     struct err *e)
{
	const struct primer_paper_start like = {
		.p = p, .symbol = symbol, .n = n,
		.optimisations = how->optimisations,
	};
	struct paper x = { .p = p, .method = how->method,
			   .threads = how->fine };
	uint64_t all = max_u64(how->coarse, 1) * max_u64(how->fine, 1);
	int rc = 0;

	if (all > PRIMER_PAPER_THREADS)
		return err_set(e, ERR_USAGE, "threads must be at most %d",
			       PRIMER_PAPER_THREADS);
#pragma omp parallel num_threads((int)all)
	{
		unsigned me = (unsigned)omp_get_thread_num(), of, team;

#pragma omp single
		rc = teams_new(&x, &like, (unsigned)omp_get_num_threads(), e);
		of = (unsigned)max_u64(x.threads, 1);
		team = me / of;
		if (!rc && team < x.teams && !x.threads)
			coarse(&x, &x.team[team].s);
		else if (!rc && team < x.teams)
			fine(&x, &x.team[team], me % of);
	}
	teams_free(&x, stats);
	return rc;
}
