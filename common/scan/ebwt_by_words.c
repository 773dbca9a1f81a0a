/* SPDX-License-Identifier: MIT */
/* ebwt_by_words.c - distances of matrices: of all pairs of their words */
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/minmax.h"
#include "scan/ebwt_table.h"

/* Words of v that are one task. */
enum { BATCH = 256 };

/* Few words are quicker one by one, if they are words of matrices, too. */
enum { FEW = 4096 };

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

static int
name_n(const struct ebwt_words *w)
{
	return (int)min_u64(w->seq->name.n, 99);
}

/* Distances that are sums over gaps need no list of words. */
static bool
is_linear(const struct ebwt_table *t)
{
	return !t->s->o.paper && (t->s->o.metric == EBWT_DELTA ||
				  t->s->o.metric == EBWT_NORM);
}

/* All that can be listed is, unless products always do. */
static uint64_t
most_listed(const struct ebwt_table *t)
{
	bool short_ones = true;

	for (size_t i = 0; i < t->n; i++)
		short_ones &= ebwt_seq_of(t, i)->n < PRODUCT_GAPS;
	return is_linear(t) && short_ones ? FEW : EBWT_MAX_WORDS;
}

/* The words of all; n_bytes grows by what they take. */
static int
list_words(struct ebwt_table *t, uint64_t *n_bytes, struct err *e)
{
	const struct ebwt_words *none = NULL;
	uint64_t most = most_listed(t);
	int rc = 0;

	t->words = calloc(t->n + 1, sizeof *t->words);
	if (!t->words)
		return err_nomem(e, t->n * sizeof *t->words);
	for (size_t i = 0; i < t->n && !rc; i++) {
		struct ebwt_words *w = &t->words[i];

		rc = ebwt_words_of(w, ebwt_seq_of(t, i), &t->s->rule, most, e);
		*n_bytes += rc ? 0 : ebwt_words_bytes(w);
		if (!rc)
			rc = too_much(t, *n_bytes, e);
		none = rc || w->n ? none : w;
	}
	if (!rc && none && t->s->o.numbers && t->n_pairs)
		rc = err_set(e, ERR_FORMAT, "phylip: %.*s has no distances: no "
			     "solid word", name_n(none), none->seq->name.p);
	return rc;
}

/* The least theta_pos, in hundredths, that leaves few enough words of all, and
 * some; beyond 1 there is none. */
static double
theta_for_all(const struct ebwt_table *t)
{
	const struct solid_rule *r = &t->s->rule;
	int theta = (int)(100 * r->theta_pos) + 1;

	for (size_t i = 0; i < t->n && theta <= 100; i++)
		while (theta <= 100 &&
		       ebwt_words_left(&t->words[i], r, theta / 100.0) >
		       EBWT_MAX_WORDS)
			theta++;
	for (size_t i = 0; i < t->n && theta <= 100; i++)
		if (t->words[i].n &&
		    !ebwt_words_left(&t->words[i], r, theta / 100.0))
			theta = 101;
	return theta / 100.0;
}

static int
too_many(const struct ebwt_table *t, const struct ebwt_words *a,
	 const struct ebwt_words *b, struct err *e)
{
	const char *why = !is_linear(t) ? "of one, which delta and norm alone "
		"allow" : a->n > EBWT_MAX_WORDS && b->n > EBWT_MAX_WORDS ?
		"both" : "of one, and the other one is too long for that";
	double theta = theta_for_all(t);
	struct buf cure = { 0 };

	if (theta <= 1)
		buf_printf(&cure, "--theta-pos %.2f leaves few enough of all",
			   theta);
	else
		buf_printf(&cure, "--theta-word P leaves at most 1/P");
	buf_u8(&cure, 0);
	err_set(e, ERR_LIMIT, "%.*s and %.*s have %llu and %llu solid words, "
		"more than %d %s; %s", name_n(a), a->seq->name.p, name_n(b),
		b->seq->name.p, (unsigned long long)a->n,
		(unsigned long long)b->n, EBWT_MAX_WORDS, why,
		cure.bad ? "" : (char *)cure.p);
	buf_free(&cure);
	return ERR_LIMIT;
}

struct team {
	struct ebwt_table *t;
	struct ebwt_how how;
	struct ebwt_sums_work *work;	/* of each thread */
	double cost;		/* of all */
	pthread_mutex_t lock;	/* of what follows */
	struct err err;
	uint64_t failed;		/* the first task that did */
	double done;
};

static bool
plan_of(const struct team *m, uint64_t pair, struct ebwt_route *p)
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

/* Can all be done, what does it cost, and what memory does a thread take? */
static int
plan_all(struct team *m, uint64_t *bytes, struct err *e)
{
	struct ebwt_route p;

	*bytes = 0;
	for (uint64_t k = 0; k < m->t->n_pairs; k++) {
		if (!plan_of(m, k, &p))
			return too_many(m->t, p.u, p.v, e);
		m->cost += p.cost * (double)p.v->n;
		*bytes = max_u64(*bytes, ebwt_route_bytes(&p));
	}
	return 0;
}

static void
report(struct team *m, uint64_t task, int rc, const struct err *e, double cost)
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

/* Words [from, to) of v; those of one pair have no other task's sums. */
static void
do_part(struct team *m, uint64_t task, const struct ebwt_route *p,
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

/* A pair of many words of v: a thread takes some of them. */
static int
large_pair(struct team *m, uint64_t pair, struct err *e)
{
	struct ebwt_sums *part, all = { 0 };
	struct ebwt_route p;
	uint64_t n;

	plan_of(m, pair, &p);
	n = (p.v->n + BATCH - 1) / BATCH;
	part = malloc(n * sizeof *part);
	if (!part)
		return err_nomem(e, n * sizeof *part);
#pragma omp parallel for schedule(dynamic) num_threads(m->t->s->threads)
	for (uint64_t i = 0; i < n; i++)
		do_part(m, pair, &p, i * BATCH,
			min_u64(p.v->n, (i + 1) * BATCH), &part[i]);
	for (uint64_t i = 0; i < n; i++)
		ebwt_sums_join(&all, &part[i]);
	m->t->stat[pair] = ebwt_sums_stat(&all, &p);
	free(part);
	return 0;
}

static void
small_pair(struct team *m, uint64_t pair)
{
	struct ebwt_route p;
	struct ebwt_sums y;

	plan_of(m, pair, &p);
	if (p.v->n > BATCH && p.u->n)
		return;
	do_part(m, pair, &p, 0, p.u->n ? p.v->n : 0, &y);
	m->t->stat[pair] = ebwt_sums_stat(&y, &p);
}

/* Small pairs, a thread each, then large ones, all threads one. */
static int
all_pairs(struct team *m, struct err *e)
{
	struct ebwt_route p;
	int rc = 0;

#pragma omp parallel for schedule(dynamic) num_threads(m->t->s->threads)
	for (uint64_t k = 0; k < m->t->n_pairs; k++)
		small_pair(m, k);
	for (uint64_t k = 0; k < m->t->n_pairs && m->failed > k && !rc; k++) {
		plan_of(m, k, &p);
		if (p.v->n > BATCH && p.u->n)
			rc = large_pair(m, k, e);
	}
	if (rc || m->failed == UINT64_MAX)
		return rc;
	*e = m->err;
	return e->code;
}

/*
 * What threads take to compare listed words of two, at most: 4 bytes a letter
 * for each kind of letters that there is, 14 to sort them, and counts and
 * paths.
 */
static uint64_t
list_bytes(const struct ebwt_table *t)
{
	bool there[256] = { false };
	uint64_t longest = 0, kinds = 4;

	for (size_t i = 0; i < t->n; i++) {
		const struct ebwt_seq *q = ebwt_seq_of(t, i);

		longest = max_u64(longest, q->n);
		for (uint64_t k = 0; k < q->n && !q->prob; k++)
			there[q->letters[k]] = true;
	}
	for (int c = 0; c < 256; c++)
		kinds += there[c];
	return t->s->o.paper ? 0 : longest * (4 * kinds + 32);
}

static void
tell(const struct ebwt_table *t, uint64_t n_bytes, double cost)
{
	struct buf b = { 0 };

	if (!t->s->o.tell)
		return;
	buf_printf(&b, "memory: %.3g MB for words and pairs; some %.2g s of "
		   "one processor", 1e-6 * (double)n_bytes, 1e-9 * cost);
	buf_u8(&b, 0);
	if (!b.bad)
		t->s->o.tell((char *)b.p);
	buf_free(&b);
}

static int
run(struct team *m, uint64_t n_bytes, struct err *e)
{
	uint64_t most = (uint64_t)m->t->s->o.memory;
	unsigned threads = m->t->s->threads;
	int rc;

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

int
ebwt_by_words(struct ebwt_table *t, uint64_t n_bytes, struct err *e)
{
	struct team m = {
		.t = t, .failed = UINT64_MAX,
		.how = { .metric = t->s->o.metric, .paper = t->s->o.paper,
			 .way = t->s->o.way },
	};
	uint64_t bytes, of_thread;
	int rc;

	if (__builtin_mul_overflow(t->n_pairs, sizeof *t->stat, &bytes) ||
	    __builtin_add_overflow(bytes, n_bytes + t->s->threads *
				   list_bytes(t), &n_bytes))
		return err_nomem(e, UINT64_MAX);
	rc = too_much(t, n_bytes, e);
	if (!rc)
		rc = list_words(t, &n_bytes, e);
	if (!rc)
		rc = plan_all(&m, &of_thread, e);
	if (rc)
		return rc;
	n_bytes += t->s->threads * of_thread;
	rc = too_much(t, n_bytes, e);
	if (rc)
		return rc;
	tell(t, n_bytes, m.cost);
	t->stat = malloc(bytes + 1);
	return t->stat ? run(&m, n_bytes, e) : err_nomem(e, bytes);
}
