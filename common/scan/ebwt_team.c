/* SPDX-License-Identifier: MIT */
/* ebwt_team.c - threads that compare the words of all pairs */
#include "scan/ebwt_team.h"

#include <omp.h>
#include <stdlib.h>

#include "base/minmax.h"
#include "scan/ebwt_gather.h"

/* Items of v that are one task, and pairs, at most, with a helper. */
enum { BATCH = 256, PAIRS = 64 };

static size_t
row_of(const struct ebwt_table *t, uint64_t pair)
{
	size_t low = 0, high = t->n_a ? t->n_a : t->n;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (ebwt_row_begins(t, mid) <= pair)
			low = mid;
		else
			high = mid;
	}
	return low;
}

bool
ebwt_team_route(const struct ebwt_team *m, uint64_t pair, struct ebwt_route *p)
{
	const struct ebwt_table *t = m->t;
	size_t a = row_of(t, pair);
	size_t b = ebwt_row_first(t, a) +
		   (size_t)(pair - ebwt_row_begins(t, a));
	bool can = ebwt_route(p, &t->words[a], &t->words[b], &m->how);

	if (!can) {	/* for who tells it */
		p->u = &t->words[a];
		p->v = &t->words[b];
	}
	return can;
}

static void
report(struct ebwt_team *m, uint64_t task, int rc, const struct err *e,
       double cost)
{
	const struct ebwt_options *o = &m->t->s->o;

	pthread_mutex_lock(&m->lock);
	if (rc && task < m->failed) {
		__atomic_store_n(&m->failed, task, __ATOMIC_RELAXED);
		m->err = *e;
	}
	m->done += cost;
	if (!omp_get_thread_num() && o->progress)
		o->progress((uint64_t)(1e6 * m->done / (m->cost + 1)),
			    1000000);
	pthread_mutex_unlock(&m->lock);
}

/* Items [from, to) of v; those of one pair have no other task's sums.  Until
 * finish() they may not be there. */
static void
do_part(struct ebwt_team *m, uint64_t task, const struct ebwt_route *p,
	uint64_t from, uint64_t to, struct ebwt_sums *y)
{
	struct err e;
	int rc;

	*y = (struct ebwt_sums){ 0 };
	if (__atomic_load_n(&m->failed, __ATOMIC_RELAXED) < task)
		return;
	rc = ebwt_sums_add(y, p, &m->how, from, to,
			   &m->work[omp_get_thread_num()], &e);
	report(m, task, rc, &e, p->cost * (double)(to - from));
}

/* This thread's parts, of this task and later ones. */
static void
finish(struct ebwt_team *m, uint64_t task)
{
	struct err e;
	int rc = ebwt_gather_all(&m->how, &m->work[omp_get_thread_num()], &e);

	if (rc)
		report(m, task, rc, &e, 0);
}

static bool
is_large(const struct ebwt_route *p)
{
	return p->items > BATCH && p->u->n;
}

/* A pair of many items: a thread takes some of them. */
static int
large_pair(struct ebwt_team *m, uint64_t pair, const struct ebwt_route *p,
	   struct err *e)
{
	struct ebwt_sums *part, all = { 0 };
	uint64_t n = (p->items + BATCH - 1) / BATCH;
	uint64_t first = p->product && !p->sums;
	struct ebwt_route rest = *p;

	/* where the first has too many sets, the others need not look */
	if (first) {
		do_part(m, pair, p, 0, 1, &all);
		rest.sums = all.unknown;
	}
	part = malloc(n * sizeof *part);
	if (!part)
		return err_nomem(e, n * sizeof *part);
#pragma omp parallel num_threads(m->t->s->threads)
	{
#pragma omp for schedule(dynamic) nowait
		for (uint64_t i = 0; i < n; i++)
			do_part(m, pair, &rest, i ? i * BATCH : first,
				min_u64(p->items, (i + 1) * BATCH), &part[i]);
		finish(m, pair);
	}
	for (uint64_t i = 0; i < n; i++)
		ebwt_sums_join(&all, &part[i]);
	m->t->stat[pair] = ebwt_sums_stat(&all, p, &m->how);
	free(part);
	return 0;
}

/* Of pairs [from, to) the small ones. */
static void
small_pairs(struct ebwt_team *m, uint64_t from, uint64_t to)
{
	struct ebwt_route p[PAIRS];
	struct ebwt_sums y[PAIRS];

	for (uint64_t k = from; k < to; k++) {
		struct ebwt_route *x = &p[k - from];

		ebwt_team_route(m, k, x);
		if (!is_large(x))
			do_part(m, k, x, 0, x->u->n ? x->items : 0,
				&y[k - from]);
	}
	finish(m, from);
	for (uint64_t k = from; k < to; k++)
		if (!is_large(&p[k - from]))
			m->t->stat[k] = ebwt_sums_stat(&y[k - from],
						       &p[k - from], &m->how);
}

/* Small pairs, a thread some, then large ones, all threads one. */
static int
all_pairs(struct ebwt_team *m, struct err *e)
{
	uint64_t n = m->t->n_pairs, bundle = m->bundle;
	struct ebwt_route p;
	int rc = 0;

#pragma omp parallel for schedule(dynamic) num_threads(m->t->s->threads)
	for (uint64_t i = 0; i < (n + bundle - 1) / bundle; i++)
		small_pairs(m, i * bundle, min_u64(n, (i + 1) * bundle));
	for (uint64_t k = 0; k < n && m->failed > k && !rc; k++) {
		ebwt_team_route(m, k, &p);
		if (is_large(&p))
			rc = large_pair(m, k, &p, e);
	}
	if (rc || m->failed == UINT64_MAX)
		return rc;
	*e = m->err;
	return e->code;
}

int
ebwt_team_run(struct ebwt_team *m, uint64_t n_bytes, struct err *e)
{
	uint64_t most = (uint64_t)m->t->s->o.memory, some;
	unsigned threads = m->t->s->threads;
	int rc;

	/* so many that each thread has several tasks */
	some = m->t->n_pairs / threads / 4;
	m->bundle = m->how.helper ? max_u64(1, min_u64(PAIRS, some)) : 1;
	m->failed = UINT64_MAX;
	m->how.memory = most ? (most - n_bytes) / threads : 1ull << 31;
	m->work = calloc(threads, sizeof *m->work);
	if (!m->work)
		return err_nomem(e, threads * sizeof *m->work);
	pthread_mutex_init(&m->lock, NULL);
	rc = all_pairs(m, e);
	pthread_mutex_destroy(&m->lock);
	for (unsigned i = 0; i < threads; i++)
		ebwt_sums_work_free(&m->work[i]);
	free(m->work);
	return rc;
}
