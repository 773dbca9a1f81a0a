/* SPDX-License-Identifier: MIT */
/* ebwt_walks.c - few queries against many sequences, without sorting these */
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/minmax.h"
#include "scan/ebwt_table.h"

/* Nanoseconds a letter, roughly: of a sort, of an index, and of a walk, by the
 * size of what it looks up. */
enum { SORT_NS = 40, INDEX_NS = 60 };
static const struct {
	uint64_t bytes;
	double ns;
} walk_cost[] = { { 1 << 20, 3 }, { 1 << 23, 15 }, { UINT64_MAX, 60 } };

static uint64_t
kinds(const struct ebwt_seq *q)
{
	bool there[256] = { false };
	uint64_t n = 0;

	for (uint64_t i = 0; i < q->n; i++)
		there[q->letters[i]] = true;
	for (int c = 0; c < 256; c++)
		n += there[c];
	return n;
}

/* The index of a query, and how many rotations are in each gap. */
static uint64_t
index_bytes(const struct ebwt_seq *q)
{
	return 4 * (kinds(q) + 1) * (q->n + 1);
}

static double
query_cost(const struct ebwt_table *t, size_t q, double letters)
{
	const struct ebwt_seq *v = ebwt_seq_of(t, q);
	uint64_t bytes = index_bytes(v);
	int k = 0;

	while (bytes > walk_cost[k].bytes)
		k++;
	return INDEX_NS * (double)v->n + walk_cost[k].ns * letters;
}

/* What is taken at most: a query's list and index, and counts by thread. */
static uint64_t
bytes_of(const struct ebwt_table *t)
{
	uint64_t most = 0, longest = 0, threads = t->s->threads;
	bool de = t->s->o.metric == EBWT_DE;

	for (size_t i = 0; i < t->n; i++)
		longest = max_u64(longest, ebwt_seq_of(t, i)->n);
	for (size_t i = 0; i < t->n_a; i++) {
		const struct ebwt_seq *q = ebwt_seq_of(t, i);
		uint64_t counts = 8 * (q->n + 2) +
				  (de ? 4 * (longest + 2) : 0);

		most = max_u64(most, index_bytes(q) + max_u64(threads * counts,
			32 * q->n + (1 << 20)));
	}
	return most + t->n_pairs * sizeof *t->value;
}

bool
ebwt_walks(const struct ebwt_table *t, uint64_t n_bytes)
{
	double letters = 0, sort = 0, walks = 0;
	uint64_t most = (uint64_t)t->s->o.memory;
	enum ebwt_way way = t->s->o.way;

	if (!t->n_a || way == EBWT_WAY_SORT)
		return false;
	for (size_t i = 0; i < t->n; i++) {
		const struct ebwt_seq *q = ebwt_seq_of(t, i);

		if (q->n > EBWT_GAP_MAX)
			return false;
		letters += i < t->n_a ? 0 : (double)q->n;
		sort += SORT_NS * (double)q->n;
	}
	for (size_t i = 0; i < t->n_a && walks <= sort; i++)
		walks += query_cost(t, i, letters);
	return way == EBWT_WAY_WALKS || (walks < sort &&
	       (!most || n_bytes + bytes_of(t) <= most));
}

struct team {
	struct ebwt_table *t;
	struct ebwt_gap_work *work;	/* of each thread */
	const struct ebwt_gap *gap;	/* of the query */
	size_t query;
	pthread_mutex_t lock;		/* of what follows */
	struct err err;
	size_t failed;			/* the first sequence that did, or n */
	uint64_t done;			/* pairs */
};

static void
report(struct team *m, size_t b, int rc, const struct err *e)
{
	const struct ebwt_options *o = &m->t->s->o;

	pthread_mutex_lock(&m->lock);
	if (rc && b < m->failed) {
		__atomic_store_n(&m->failed, b, __ATOMIC_RELAXED);
		m->err = *e;
	}
	m->done++;
	if (!omp_get_thread_num() && o->progress)
		o->progress(m->done, m->t->n_pairs);
	pthread_mutex_unlock(&m->lock);
}

static void
walk_one(struct team *m, size_t b)
{
	const struct ebwt_seq *u = ebwt_seq_of(m->t, b);
	const struct ebwt_seq *v = ebwt_seq_of(m->t, m->query);
	enum ebwt_metric metric = m->t->s->o.metric;
	uint64_t delta = 0;
	double value = 0;
	struct err e;
	int rc;

	if (__atomic_load_n(&m->failed, __ATOMIC_RELAXED) < b)
		return;
	rc = ebwt_gap_delta(m->gap, u->letters, u->n,
			    &m->work[omp_get_thread_num()], &delta,
			    metric == EBWT_DE ? &value : NULL, &e);
	if (!rc && metric != EBWT_DE)
		value = ebwt_measure(metric, u->n, v->n, delta);
	m->t->value[ebwt_row_begins(m->t, m->query) + (b - m->t->n_a)] = value;
	report(m, b, rc, &e);
}

static int
walk_all(struct team *m, size_t query, struct err *e)
{
	const struct ebwt_table *t = m->t;
	const struct ebwt_seq *v = ebwt_seq_of(t, query);
	struct ebwt_gap gap;

	if (ebwt_gap_new(&gap, v->letters, v->n, e))
		return e->code;
	m->gap = &gap;
	m->query = query;
#pragma omp parallel for schedule(dynamic) num_threads(t->s->threads)
	for (size_t b = t->n_a; b < t->n; b++)
		walk_one(m, b);
	ebwt_gap_free(&gap);
	if (m->failed == t->n)
		return 0;
	*e = m->err;
	return e->code;
}

static int
fits(const struct ebwt_table *t, uint64_t bytes, struct err *e)
{
	uint64_t most = (uint64_t)t->s->o.memory;
	struct buf b = { 0 };

	if (most && bytes > most)
		return err_set(e, ERR_LIMIT, "indexes and pairs take %.3g MB: "
			       "more than --memory %llu",
			       1e-6 * (double)bytes, (unsigned long long)most);
	if (!t->s->o.tell)
		return 0;
	buf_printf(&b, "memory: %.3g MB, queries looked up one by one",
		   1e-6 * (double)bytes);
	buf_u8(&b, 0);
	if (!b.bad)
		t->s->o.tell((char *)b.p);
	buf_free(&b);
	return 0;
}

int
ebwt_by_walks(struct ebwt_table *t, uint64_t n_bytes, struct err *e)
{
	struct team m = { .t = t, .failed = t->n };
	unsigned threads = t->s->threads;
	int rc = fits(t, n_bytes + bytes_of(t), e);

	if (rc)
		return rc;
	m.work = calloc(threads, sizeof *m.work);
	t->value = malloc(t->n_pairs * sizeof *t->value);
	if (!m.work || !t->value)
		rc = err_nomem(e, t->n_pairs * sizeof *t->value);
	pthread_mutex_init(&m.lock, NULL);
	for (size_t i = 0; i < t->n_a && !rc; i++)
		rc = walk_all(&m, i, e);
	pthread_mutex_destroy(&m.lock);
	for (unsigned i = 0; m.work && i < threads; i++)
		ebwt_gap_work_free(&m.work[i]);
	free(m.work);
	return rc;
}
