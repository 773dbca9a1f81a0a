/* SPDX-License-Identifier: MIT */
/* ebwt_table.c - all distances of a run as DIST frames */
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

#include "scan/ebwt_scan_priv.h"
#include "stream/dists.h"

/* Queries, if any, stand before the run's sequences. */
struct table {
	const struct ebwt_scan *s;
	const struct ebwt_run *r;
	size_t n_a, n;		/* queries; all */
	bool weighted;
	uint64_t n_pairs;
	struct ebwt_pairs *pairs;	/* of words, or */
	struct ebwt_words *words;	/* of each, */
	struct ebwt_stat *stat;	/* for each pair */
};

static const struct ebwt_seq *
seq_of(const struct table *t, size_t i)
{
	return i < t->n_a ? &t->s->query[i] : &t->r->seq[i - t->n_a];
}

static void
table_free(struct table *t)
{
	ebwt_pairs_delete(t->pairs);
	for (size_t i = 0; t->words && i < t->n; i++)
		ebwt_words_free(&t->words[i]);
	free(t->words);
	free(t->stat);
}

/* Pairs row by row: the first of row i; a < b, or a query and a sequence. */
static uint64_t
row_begins(const struct table *t, uint64_t i)
{
	return t->n_a ? i * (t->n - t->n_a) :
			i * t->n - i * (i + 1) / 2;
}

static size_t
first_of_row(const struct table *t, size_t i)
{
	return t->n_a ? t->n_a : i + 1;
}

static size_t
row_of(const struct table *t, uint64_t pair)
{
	size_t low = 0, high = t->n_a ? t->n_a : t->n;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (row_begins(t, mid) <= pair)
			low = mid;
		else
			high = mid;
	}
	return low;
}

/* Words of plain sequences, together. */
static int
plain(struct table *t, uint64_t n_bytes, struct err *e)
{
	struct ebwt_pairs_job job = { t->n_a, t->s->o.metric == EBWT_DE };
	struct ebwt_word *word = malloc((t->n + 1) * sizeof *word);
	struct ebwt_params par;
	struct ebwt *x = NULL;
	int rc = ebwt_params_of(t->s, n_bytes, &par, e);

	if (!word)
		rc = err_nomem(e, t->n * sizeof *word);
	for (size_t i = 0; i < t->n && !rc; i++)
		word[i] = (struct ebwt_word){ seq_of(t, i)->letters,
					      seq_of(t, i)->n };
	if (!rc)
		rc = ebwt_new(&x, word, t->n, &par, e);
	free(word);
	if (rc)
		return rc;
	ebwt_tell_need(t->s, n_bytes, x, &job);
	rc = ebwt_pairs_new(&t->pairs, x, &job, e);
	ebwt_delete(x);
	return rc;
}

static int
too_much(const struct table *t, uint64_t n_bytes, struct err *e)
{
	uint64_t most = (uint64_t)t->s->o.memory;

	return !most || n_bytes <= most ? 0 :
	       err_set(e, ERR_LIMIT, "words and pairs take %.3g MB: more than "
		       "--memory %llu", 1e-6 * (double)n_bytes,
		       (unsigned long long)most);
}

/* The words of all; n_bytes grows by what they take. */
static int
list_words(struct table *t, uint64_t *n_bytes, struct err *e)
{
	const struct ebwt_seq *none = NULL;
	int rc = 0;

	t->words = calloc(t->n + 1, sizeof *t->words);
	if (!t->words)
		return err_nomem(e, t->n * sizeof *t->words);
	for (size_t i = 0; i < t->n && !rc; i++) {
		struct ebwt_words *w = &t->words[i];

		rc = ebwt_words_of(w, seq_of(t, i), &t->s->rule, e);
		if (!rc && seq_of(t, i)->prob)
			*n_bytes += w->n * (w->len + sizeof *w->p +
					    sizeof *w->weight + 8);
		if (!rc)
			rc = too_much(t, *n_bytes, e);
		none = w->n ? none : seq_of(t, i);
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
one_pair(struct table *t, struct team *m, uint64_t k,
	 const struct ebwt_how *how)
{
	size_t a = row_of(t, k);
	size_t b = first_of_row(t, a) + (size_t)(k - row_begins(t, a));
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

/* Each pair by itself: whatever thread it is, and in whatever order. */
static int
all_pairs(struct table *t, struct err *e)
{
	uint64_t most = (uint64_t)t->s->o.memory;
	struct ebwt_how how = { t->s->o.metric, t->s->o.paper,
				most ? most : 1ull << 31 };
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

static int
by_words(struct table *t, uint64_t n_bytes, struct err *e)
{
	uint64_t bytes;
	int rc;

	if (__builtin_mul_overflow(t->n_pairs, sizeof *t->stat, &bytes) ||
	    __builtin_add_overflow(bytes, n_bytes, &n_bytes))
		return err_nomem(e, UINT64_MAX);
	rc = too_much(t, n_bytes, e);
	if (!rc)
		rc = list_words(t, &n_bytes, e);
	if (rc)
		return rc;
	t->stat = malloc(bytes + 1);
	if (!t->stat)
		return err_nomem(e, bytes);
	return all_pairs(t, e);
}

static struct dist_row
row_at(const struct table *t, size_t a, size_t b)
{
	/* b counts the run's sequences */
	struct dist_row r = { .a = a, .b = b - t->n_a };
	const struct ebwt_stat *x;

	if (t->pairs) {
		r.value = ebwt_distance(t->pairs, t->s->o.metric, a, b);
		return r;
	}
	x = &t->stat[row_begins(t, a) + (b - first_of_row(t, a))];
	r.value = x->mean;
	if (t->weighted) {
		r.weighted_mean = x->weighted_mean;
		r.min = x->min;
		r.max = x->max;
		r.pairs = x->pairs;
	}
	return r;
}

/* What frames are made for: written, or cut first (-n). */
struct sink_of {
	whole_put_fn *put;
	void *ctx;
	struct dists *dists;
};

static int
put_encoded(void *ctx, struct rec_frame *f, struct err *e)
{
	struct sink_of *to = ctx;
	struct buf b = { 0 };
	int rc = rec_encode(&b, f, e);

	if (!rc)
		rc = to->put(to->ctx, &b, e);
	buf_free(&b);
	rec_frame_drop(f);
	return rc;
}

static int
put_rows(struct sink_of *to, struct dist *d, struct err *e)
{
	struct rec_frame *f;
	int rc;

	rc = to->dists ? dists_add(to->dists, d, e) : dist_encode(&f, d, e);
	if (!rc && !to->dists)
		rc = put_encoded(to, f, e);
	d->receipt.number++;
	d->n_rows = 0;
	return rc;
}

static int
put_pairs(const struct table *t, struct dist *d, size_t most,
	  struct sink_of *to, struct err *e)
{
	size_t rows = t->n_a ? t->n_a : t->n;
	int rc = 0;

	for (size_t a = 0; a < rows && !rc; a++)
		for (size_t b = first_of_row(t, a); b < t->n && !rc; b++) {
			if (d->n_rows == most)
				rc = put_rows(to, d, e);
			d->row[d->n_rows++] = row_at(t, a, b);
		}
	d->receipt.last = true;
	return rc ? rc : put_rows(to, d, e);
}

static int
names_of(const struct table *t, struct dist *d, struct err *e)
{
	d->query = malloc((t->n_a + 1) * sizeof *d->query);
	d->name = malloc((t->n - t->n_a + 1) * sizeof *d->name);
	if (!d->query || !d->name)
		return err_nomem(e, t->n * sizeof *d->name);
	for (size_t i = 0; i < t->n; i++) {
		const struct ebwt_seq *q = seq_of(t, i);

		if (i < t->n_a)
			d->query[d->n_queries++] = (struct query_ref){
				q->ordinal, q->n, q->name };
		else
			d->name[d->n_names++] = (struct subject_ref){
				q->ordinal, q->n, q->name };
	}
	return 0;
}

/* The n nearest of each, in either direction, as frames. */
static int
put_nearest(const struct table *t, const struct dist *d, struct sink_of *to,
	    struct err *e)
{
	struct dists_params p = { .n = (uint64_t)t->s->o.n, .by_run = true };
	int rc = dists_finish(to->dists, &p, e);

	return rc ? rc : dists_frames(to->dists, &d->run, &d->receipt,
				      put_encoded, to, e);
}

static int
put_table(const struct table *t, whole_put_fn *put, void *ctx, struct err *e)
{
	static const char *const metrics[] = { "delta", "norm", "dm", "de" };
	const char *metric = metrics[t->s->o.metric];
	const struct whole_run *u = t->r->run;
	struct dist d = {
		.run = u->key, .metric = { metric, strlen(metric) },
		.receipt = { .scan = t->s->key, .range = u->range,
			     .n_ranges = u->n },
		.weighted = t->weighted, .rect = t->n_a,
	};
	struct sink_of to = { put, ctx, NULL };
	size_t most = RESULT_SPLIT / (t->weighted ? 48 : 16);
	int rc = names_of(t, &d, e);

	d.row = malloc((t->n_pairs < most ? t->n_pairs + 1 : most) *
		       sizeof *d.row);
	if (!rc && !d.row)
		rc = err_nomem(e, most * sizeof *d.row);
	if (!rc && t->s->o.n)
		rc = dists_new(&to.dists, e);
	if (!rc)
		rc = put_pairs(t, &d, most, &to, e);
	d.receipt.number = 0;
	if (!rc && to.dists)
		rc = put_nearest(t, &d, &to, e);
	d.receipt.range = NULL;	/* the run's */
	dists_free(to.dists);
	dist_free(&d);
	return rc;
}

/* What rows take until they are written as text, and until they are cut. */
static uint64_t
kept_bytes(const struct table *t)
{
	uint64_t row = t->weighted ? 56 : 24;
	uint64_t times = t->s->o.keeps + (t->s->o.n ? 3 : 0);

	return t->n_pairs < UINT64_MAX / 1024 ? t->n_pairs * row * times :
						UINT64_MAX / 4;
}

int
ebwt_dists(const struct ebwt_scan *s, const struct ebwt_run *r,
	   uint64_t n_bytes, whole_put_fn *put, void *put_ctx, struct err *e)
{
	struct table t = { .s = s, .r = r, .n_a = s->q->n,
			   .n = s->q->n + r->n };
	int rc = 0;

	for (size_t i = 0; i < t.n; i++)
		t.weighted |= seq_of(&t, i)->prob;
	if (t.n > UINT32_MAX)
		return err_set(e, ERR_LIMIT, "more than 2^32 sequences");
	t.n_pairs = t.n_a ? t.n_a * (uint64_t)r->n :
			    t.n * (uint64_t)(t.n - (t.n > 0)) / 2;
	n_bytes += kept_bytes(&t);
	if (t.n_pairs)
		rc = t.weighted || s->o.paper ? by_words(&t, n_bytes, e) :
						plain(&t, n_bytes, e);
	if (!rc)
		rc = put_table(&t, put, put_ctx, e);
	table_free(&t);
	return rc;
}
