/* SPDX-License-Identifier: MIT */
/* ebwt_by_words.c - distances of matrices: of all pairs of their words */
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

#include "scan/ebwt_table.h"

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

static int
too_much(const struct ebwt_table *t, uint64_t n_bytes, struct err *e)
{
	uint64_t most = (uint64_t)t->s->o.memory;

	return !most || n_bytes <= most ? 0 :
	       err_set(e, ERR_LIMIT, "words and pairs take %.3g MB: more than "
		       "--memory %llu", 1e-6 * (double)n_bytes,
		       (unsigned long long)most);
}

/* The words of all; n_bytes grows by what they take. */
static int
list_words(struct ebwt_table *t, uint64_t *n_bytes, struct err *e)
{
	const struct ebwt_seq *none = NULL;
	int rc = 0;

	t->words = calloc(t->n + 1, sizeof *t->words);
	if (!t->words)
		return err_nomem(e, t->n * sizeof *t->words);
	for (size_t i = 0; i < t->n && !rc; i++) {
		struct ebwt_words *w = &t->words[i];

		rc = ebwt_words_of(w, ebwt_seq_of(t, i), &t->s->rule, e);
		if (!rc && ebwt_seq_of(t, i)->prob)
			*n_bytes += w->n * (w->len + sizeof *w->p +
					    sizeof *w->weight + 8);
		if (!rc)
			rc = too_much(t, *n_bytes, e);
		none = w->n ? none : ebwt_seq_of(t, i);
	}
	if (!rc && none && t->s->o.numbers && t->n_pairs)
		rc = err_set(e, ERR_FORMAT, "phylip: %.*s has no distances: no "
			     "solid word",
			     (int)(none->name.n < 99 ? none->name.n : 99),
			     none->name.p);
	return rc;
}

struct team {
	struct ebwt_gap_work *work;	/* of each thread */
	pthread_mutex_t lock;	/* of the two that follow */
	struct err err;
	uint64_t failed;		/* the first pair that did */
	uint64_t done;
};

static void
one_pair(struct ebwt_table *t, struct team *m, uint64_t k,
	 const struct ebwt_how *how)
{
	size_t a = row_of(t, k);
	size_t b = ebwt_row_first(t, a) + (size_t)(k - ebwt_row_begins(t, a));
	unsigned thread = (unsigned)omp_get_thread_num();
	struct err e;

	if (__atomic_load_n(&m->failed, __ATOMIC_RELAXED) < k)
		return;
	if (ebwt_words_stat(&t->words[a], &t->words[b], how,
			    &m->work[thread], &t->stat[k], &e)) {
		pthread_mutex_lock(&m->lock);
		if (k < m->failed) {
			__atomic_store_n(&m->failed, k, __ATOMIC_RELAXED);
			m->err = e;
		}
		pthread_mutex_unlock(&m->lock);
	}
	__atomic_add_fetch(&m->done, 1, __ATOMIC_RELAXED);
	if (!thread && t->s->o.progress)
		t->s->o.progress(__atomic_load_n(&m->done, __ATOMIC_RELAXED),
				 t->n_pairs);
}

/*
 * What threads take to compare the words of two, at most: 4 bytes a letter for
 * each kind of letters that there is, 14 to sort them, and counts and paths.
 */
static uint64_t
working_bytes(const struct ebwt_table *t)
{
	bool there[256] = { false };
	uint64_t longest = 0, kinds = 4;

	for (size_t i = 0; i < t->n; i++) {
		const struct ebwt_seq *q = ebwt_seq_of(t, i);

		longest = q->n > longest ? q->n : longest;
		for (uint64_t k = 0; k < q->n && !q->prob; k++)
			there[q->letters[k]] = true;
	}
	for (int c = 0; c < 256; c++)
		kinds += there[c];
	return t->s->o.paper ? 0 : t->s->threads * longest * (4 * kinds + 32);
}

/* Each pair by itself: whatever thread it is, and in whatever order. */
static int
all_pairs(struct ebwt_table *t, uint64_t n_bytes, struct err *e)
{
	uint64_t most = (uint64_t)t->s->o.memory;
	struct ebwt_how how = { t->s->o.metric, t->s->o.paper,
				most ? (most - n_bytes) / t->s->threads :
				       1ull << 31 };
	struct team m = { .failed = UINT64_MAX };

	m.work = calloc(t->s->threads, sizeof *m.work);
	if (!m.work)
		return err_nomem(e, t->s->threads * sizeof *m.work);
	pthread_mutex_init(&m.lock, NULL);
#pragma omp parallel for schedule(dynamic) num_threads(t->s->threads)
	for (uint64_t k = 0; k < t->n_pairs; k++)
		one_pair(t, &m, k, &how);
	pthread_mutex_destroy(&m.lock);
	for (unsigned i = 0; i < t->s->threads; i++)
		ebwt_gap_work_free(&m.work[i]);
	free(m.work);
	if (m.failed == UINT64_MAX)
		return 0;
	*e = m.err;
	return e->code;
}

int
ebwt_by_words(struct ebwt_table *t, uint64_t n_bytes, struct err *e)
{
	uint64_t bytes;
	int rc;

	if (__builtin_mul_overflow(t->n_pairs, sizeof *t->stat, &bytes) ||
	    __builtin_add_overflow(bytes, n_bytes + working_bytes(t),
				   &n_bytes))
		return err_nomem(e, UINT64_MAX);
	rc = too_much(t, n_bytes, e);
	if (!rc)
		rc = list_words(t, &n_bytes, e);
	if (rc)
		return rc;
	t->stat = malloc(bytes + 1);
	if (!t->stat)
		return err_nomem(e, bytes);
	return all_pairs(t, n_bytes, e);
}
