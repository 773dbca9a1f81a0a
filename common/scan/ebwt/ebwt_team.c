/* SPDX-License-Identifier: MIT */
/* ebwt_team.c - threads that compare the words of all pairs (private) */

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/base.h"
#include "scan/ebwt/ebwt.h"
#include "scan/ebwt/ebwt_scan_priv.h"

struct ebwt_team {
	struct ebwt_table *t;
	unsigned strands;	/* pairs of them, of each pair: 1 or 4 */
	uint64_t n_pairs;	/* of these */
	struct ebwt_how how;
	double cost;		/* of all */
	uint64_t *term;		/* how.term, the caller's to free */
	/* private */
	struct ebwt_sums_work *work;	/* of each thread */
	uint64_t bundle;	/* pairs that are small, of one task */
	pthread_mutex_t lock;	/* of what follows */
	struct err err;
	uint64_t failed;	/* the first task that did */
	double done;
};

/* Distances of matrices: of all pairs of their words. */

/* Few words are quicker one by one, if they are words of matrices, too. */
enum { FEW = 4096 };

static int
too_much(const struct ebwt_table *t, uint64_t n_bytes, struct err *e)
{
	char most[48];

	return n_bytes <= ebwt_memory(t->s) ? 0 :
	       err_set(e, ERR_LIMIT, "words and pairs take %s: more than "
		       "%s", err_mb((double)n_bytes).text,
		       ebwt_limit(t->s, most, sizeof most));
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
	return !t->s->o.paper && ebwt_is_linear(t->s->o.metric);
}

/* All that can be listed is, unless products always do: with means alone, one
 * long matrix is a product, and the words of others walk through it. */
static uint64_t
most_listed(const struct ebwt_table *t)
{
	size_t n_long = 0;

	for (size_t i = 0; i < t->n; i++)
		if (ebwt_seq_of(t, i)->n >= PRODUCT_GAPS)
			n_long += ebwt_seq_of(t, i)->prob &&
				  !t->s->o.extremes ? 1 : 2;
	return is_linear(t) && n_long < 2 ? FEW : EBWT_MAX_WORDS;
}

static const struct ebwt_seq *
strand_of(const struct ebwt_table *t, size_t i)
{
	return i < t->n ? ebwt_seq_of(t, i) : &t->reverse[i - t->n];
}

/* The reverse complements. */
static int
reverse_all(struct ebwt_table *t, uint64_t *n_bytes, struct err *e)
{
	t->reverse = calloc(t->n + 1, sizeof *t->reverse);
	if (!t->reverse)
		return err_nomem(e, t->n * sizeof *t->reverse);
	for (size_t i = 0; i < t->n; i++) {
		struct ebwt_seq *q = &t->reverse[i];
		uint64_t bytes;
		uint8_t *to;

		*q = *ebwt_seq_of(t, i);
		bytes = q->n * (q->prob ? 16 : 1);
		*n_bytes += bytes;
		to = malloc(bytes);
		if (!to || ebwt_reverse(to, q, e)) {
			free(to);
			q->letters = NULL;
			return to ? e->code : err_nomem(e, bytes);
		}
		q->letters = to;
	}
	return 0;
}

static int
list_one(struct ebwt_table *t, size_t i, uint64_t most, uint64_t *n_bytes,
	 struct err *e)
{
	struct ebwt_words *w = &t->words[i];
	int rc = ebwt_words_of(w, strand_of(t, i), &t->s->rule, most, e);

	if (!rc && !t->s->o.paper)
		rc = ebwt_words_turns(w, e);
	*n_bytes += rc ? 0 : ebwt_words_bytes(w);
	return rc ? rc : too_much(t, *n_bytes, e);
}

/* Without words there are no distances: not all that a matrix or tree needs. */
static int
find_wordless(const struct ebwt_table *t, struct err *e)
{
	const struct ebwt_options *o = &t->s->o;
	const struct ebwt_words *none = NULL;
	char text[120];
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (!t->words[i].n) {
			none = &t->words[i];
			n++;
		}
	if (!n || !t->n_pairs)
		return 0;
	if (o->numbers)
		return err_set(e, ERR_FORMAT, "no matrix or tree: %.*s has no "
			       "distances: no solid word (lower --theta-word "
			       "or --theta-pos)", name_n(none),
			       none->seq->name.p);
	snprintf(text, sizeof text, "%zu of %zu have no solid word, so no "
		 "distances: lower --theta-word or --theta-pos", n, t->n);
	if (o->remark)
		o->remark(text);
	return 0;
}

/* The words of all; n_bytes grows by what they take. */
static int
list_words(struct ebwt_table *t, uint64_t *n_bytes, struct err *e)
{
	size_t n = t->s->o.both ? 2 * t->n : t->n;
	uint64_t most = most_listed(t);
	int rc = n > t->n ? reverse_all(t, n_bytes, e) : 0;

	if (rc)
		return rc;
	t->words = calloc(n + 1, sizeof *t->words);
	if (!t->words)
		return err_nomem(e, n * sizeof *t->words);
	t->n_words = n;
	for (size_t i = 0; i < n && !rc; i++)
		rc = list_one(t, i, most, n_bytes, e);
	return rc ? rc : find_wordless(t, e);
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

/* How many words, or, of more than a number holds, about how many. */
static const char *
count_of(char *s, size_t n, const struct ebwt_words *w)
{
	if (w->n < UINT64_MAX)
		snprintf(s, n, "%llu", (unsigned long long)w->n);
	else
		snprintf(s, n, "some 10^%.0f", ebwt_words_log2(w) * log10(2));
	return s;
}

static int
too_many(const struct ebwt_table *t, const struct ebwt_words *a,
	 const struct ebwt_words *b, struct err *e)
{
	const char *why = !is_linear(t) ? "of one, which delta and norm alone "
		"allow" : a->n > EBWT_MAX_WORDS && b->n > EBWT_MAX_WORDS ?
		"both" : "of one, and the other one is too long for that";
	double theta = theta_for_all(t);
	char of_a[32], of_b[32];
	struct buf cure = { 0 };

	if (theta <= 1)
		buf_printf(&cure, "--theta-pos %.2f leaves few enough of all",
			   theta);
	else
		buf_printf(&cure, "--theta-word P leaves at most 1/P");
	buf_u8(&cure, 0);
	err_set(e, ERR_LIMIT, "%.*s and %.*s have %s and %s solid words, "
		"more than %d %s; %s", name_n(a), a->seq->name.p, name_n(b),
		b->seq->name.p, count_of(of_a, sizeof of_a, a),
		count_of(of_b, sizeof of_b, b), EBWT_MAX_WORDS, why,
		cure.bad ? "" : (char *)cure.p);
	buf_free(&cure);
	return ERR_LIMIT;
}

/* What is a backend's, if there is one: nanoseconds, roughly. */
static double
for_backend(struct ebwt_team *m, const struct ebwt_route *p)
{
	double pairs = (double)p->u->n * (double)p->v->n;
	uint64_t runs = gap_most_runs(p->u->len, p->v->len);

	if (!ebwt_gather_can(p, &m->how))
		return 0;
	m->how.most_runs = (uint32_t)max_u64(m->how.most_runs, runs);
	/* entropies look at each letter again */
	return p->cost * (double)p->items + (ebwt_is_entropy(m->how.metric) ?
		pairs * (double)(p->u->len + p->v->len) : 0);
}

static bool ebwt_team_route(const struct ebwt_team *m, uint64_t pair, struct
		ebwt_route *p);

/* Can all be done, what does it cost, and what memory does a thread take? */
static int
plan_all(struct ebwt_team *m, uint64_t *bytes, double *ns, struct err *e)
{
	struct ebwt_route p;

	*bytes = 0;
	*ns = 0;
	for (uint64_t k = 0; k < m->n_pairs; k++) {
		if (!ebwt_team_route(m, k, &p))
			return too_many(m->t, p.u, p.v, e);
		m->cost += p.cost * (double)p.items;
		*ns += for_backend(m, &p);
		*bytes = max_u64(*bytes, ebwt_route_bytes(&p));
	}
	return 0;
}

/* The backend, if there is one, and work for it; not with a bound of memory, as
 * it takes some more. */
static int
find_backend(struct ebwt_team *m, double ns, struct err *e)
{
	const struct ebwt_options *o = &m->t->s->o;
	const struct gap_backend *h = o->gap_backend;
	int rc = 0;

	if (!h || o->memory || !(ns > 0) ||
	    !h->wants(h->ctx, ns / m->t->s->threads))
		return 0;
	if (ebwt_is_entropy(m->how.metric)) {
		m->term = gap_terms_new(m->how.most_runs);
		if (!m->term)
			return err_nomem(e, gap_term_at(m->how.most_runs) *
					 sizeof *m->term);
	}
	for (size_t i = 0; i < m->t->n_words && !rc; i++)
		rc = ebwt_words_pack(&m->t->words[i], e);
	m->how.backend = h;
	m->how.term = m->term;
	return rc;
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

/* Pairs that are looked at closely before it starts, and items of a pair from
 * which on one is tried for that. */
enum { SAMPLES = 16, TRIED = 16 };

static double
cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* What one item takes, by its gaps, or, where sets of them are many or few, by
 * trying; 0: not known. */
static double
cost_of_one(struct ebwt_team *m, const struct ebwt_route *p,
	    struct ebwt_sums_work *w)
{
	uint64_t i = p->items / 2, word = p->v->turn ? p->v->turn[i].word : i;
	struct ebwt_sums y = { 0 };
	uint8_t *room = malloc(p->v->len);
	double ns = cpu_ns(), weight;
	struct err e;

	if (!room || (!w->product && product_work_new(&w->product, &e)))
		ns = 0;
	else if (p->sums)
		ns = product_cost_met(&p->u->product, ebwt_words_nth(p->v,
			word, room, &weight), p->v->len, w->product);
	else if (p->items < TRIED)
		ns = p->cost;
	else
		ns = ebwt_sums_walk(&y, p, &m->how, i, i + 1, w, &e) ? 0 :
		     cpu_ns() - ns;
	/* the first of many shows that they do without */
	if (y.unknown)
		ns = product_cost_met(&p->u->product, ebwt_words_nth(p->v,
			word, room, &weight), p->v->len, w->product);
	free(room);
	return ns;
}

/* The cost of all, by that of some: the plan's own is rough. */
static double
true_cost(struct ebwt_team *m)
{
	uint64_t n = m->n_pairs, step = n / SAMPLES + 1;
	double rough = 0, real = 0, ns;
	struct ebwt_sums_work w = { 0 };
	struct ebwt_route p;

	for (uint64_t k = 0; k < n; k += step) {
		if (!ebwt_team_route(m, k, &p) || !p.u->n || !p.v->n)
			continue;
		ns = p.product ? cost_of_one(m, &p, &w) : p.cost;
		rough += ns > 0 ? p.cost * (double)p.items : 0;
		real += ns * (double)p.items;
	}
	ebwt_sums_work_free(&w);
	return rough > 0 ? m->cost * real / rough : m->cost;
}

/*
 * Of two strands each: all words of both are as many, and weigh as much, on
 * each strand, so that the means are those of four.
 */
static struct ebwt_stat
of_strands(const struct ebwt_stat s[4])
{
	struct ebwt_stat all = s[0];
	bool unknown = false;

	all.mean = (s[0].mean + s[3].mean) / 4 + (s[1].mean + s[2].mean) / 4;
	all.weighted_mean = (s[0].weighted_mean + s[3].weighted_mean) / 4 +
			    (s[1].weighted_mean + s[2].weighted_mean) / 4;
	for (int i = 0; i < 4; i++) {
		unknown |= s[i].min < 0;
		all.min = s[i].min < all.min ? s[i].min : all.min;
		all.max = s[i].max > all.max ? s[i].max : all.max;
	}
	if (unknown)
		all.min = all.max = -1;
	if (all.pairs == UINT64_MAX) {
		all.log2_pairs += 2;
	} else if (__builtin_mul_overflow(all.pairs, 4, &all.pairs) ||
		   all.pairs == UINT64_MAX) {
		all.pairs = UINT64_MAX;
		all.log2_pairs = log2((double)s[0].pairs) + 2;
	}
	return all;
}

static int ebwt_team_run(struct ebwt_team *m, uint64_t n_bytes, struct err
		*e);

int
ebwt_by_words(struct ebwt_table *t, uint64_t n_bytes, struct err *e)
{
	struct ebwt_team m = {
		.t = t,
		.how = { .metric = t->s->o.metric, .paper = t->s->o.paper,
			 .extremes = t->s->o.extremes, .way = t->s->o.way },
	};
	uint64_t bytes, of_thread;
	double ns;
	int rc;

	m.strands = t->s->o.both ? 4 : 1;
	m.n_pairs = t->n_pairs * m.strands;
	if (__builtin_mul_overflow(m.n_pairs, sizeof *t->stat, &bytes) ||
	    __builtin_add_overflow(bytes, n_bytes + t->s->threads *
				   list_bytes(t), &n_bytes))
		return err_nomem(e, UINT64_MAX);
	rc = too_much(t, n_bytes, e);
	if (!rc)
		rc = list_words(t, &n_bytes, e);
	if (!rc)
		rc = plan_all(&m, &of_thread, &ns, e);
	if (rc)
		return rc;
	n_bytes += t->s->threads * of_thread;
	rc = too_much(t, n_bytes, e);
	if (rc)
		return rc;
	ebwt_note(t->s, " for words and pairs", n_bytes, true_cost(&m),
		  t->s->o.extremes ? ", less without --extremes" : "");
	t->stat = malloc(bytes + 1);
	rc = t->stat ? find_backend(&m, ns, e) : err_nomem(e, bytes);
	if (!rc)
		rc = ebwt_team_run(&m, n_bytes, e);
	for (uint64_t k = 0; k < t->n_pairs && m.strands > 1 && !rc; k++)
		t->stat[k] = of_strands(&t->stat[k * m.strands]);
	free(m.term);
	return rc;
}

/* Few queries against many sequences, without sorting these. */

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

/* Where a query's values begin: with -n they are where the last one's were. */
static uint64_t
first_value(const struct ebwt_table *t, size_t query)
{
	if (t->s->o.n)
		return query < t->n_a ? 0 : t->n - t->n_a;
	return ebwt_row_begins(t, query);
}

/* What is taken at most: a query's list and index, and counts by thread. */
static uint64_t
bytes_of(const struct ebwt_table *t)
{
	uint64_t most = 0, longest = 0, threads = t->s->threads;
	bool de = ebwt_is_entropy(t->s->o.metric);

	for (size_t i = 0; i < t->n; i++)
		longest = max_u64(longest, ebwt_seq_of(t, i)->n);
	for (size_t i = 0; i < t->n_a; i++) {
		const struct ebwt_seq *q = ebwt_seq_of(t, i);
		uint64_t counts = 8 * (q->n + 2) +
				  (de ? 4 * (longest + 2) : 0);

		most = max_u64(most, index_bytes(q) + max_u64(threads * counts,
			32 * q->n + (1 << 20)));
	}
	return most + first_value(t, t->n_a) * sizeof *t->value;
}

bool
ebwt_walks(const struct ebwt_table *t, uint64_t n_bytes)
{
	double letters = 0, sort = 0, walks = 0;
	uint64_t most = (uint64_t)t->s->o.memory;
	enum ebwt_way way = t->s->o.way;

	if (!t->n_a || way == EBWT_WAY_SORT || way == EBWT_WAY_FEW)
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
walks_report(struct team *m, size_t b, unsigned thread, int rc,
	     const struct err *e)
{
	const struct ebwt_options *o = &m->t->s->o;

	pthread_mutex_lock(&m->lock);
	if (rc && b < m->failed) {
		__atomic_store_n(&m->failed, b, __ATOMIC_RELAXED);
		m->err = *e;
	}
	m->done++;
	if (!thread && o->progress)
		o->progress(m->done, m->t->n_pairs);
	pthread_mutex_unlock(&m->lock);
}

/* The sequence at n_a + i. */
static void
walk_one(void *ctx, uint64_t i, unsigned thread)
{
	struct team *m = ctx;
	size_t b = m->t->n_a + i;
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
			    &m->work[thread], &delta,
			    ebwt_is_entropy(metric) ? &value : NULL, &e);
	if (!rc && !ebwt_is_entropy(metric))
		value = ebwt_measure(metric, u->n, v->n, delta);
	m->t->value[first_value(m->t, m->query) + (b - m->t->n_a)] = value;
	walks_report(m, b, thread, rc, &e);
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
	threads_each(t->s->threads, t->n - t->n_a, walk_one, m);
	ebwt_gap_free(&gap);
	if (m->failed < t->n) {
		*e = m->err;
		return e->code;
	}
	for (size_t b = t->n_a; b < t->n && t->nearest; b++)
		ebwt_nearest_offer(t->nearest, query, b, t->value[b - t->n_a]);
	return 0;
}

static int
fits(const struct ebwt_table *t, uint64_t bytes, struct err *e)
{
	uint64_t most = (uint64_t)t->s->o.memory;

	if (most && bytes > most)
		return err_set(e, ERR_LIMIT,
			       "indexes and pairs take %s: "
			       "more than --memory %llu",
			       err_mb((double)bytes).text,
			       (unsigned long long)most);
	ebwt_note(t->s, ", queries looked up one by one", bytes, 0, "");
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
	t->value = malloc(first_value(t, t->n_a) * sizeof *t->value);
	if (!m.work || !t->value)
		rc = err_nomem(e, first_value(t, t->n_a) * sizeof *t->value);
	if (!rc && t->s->o.n)
		rc = ebwt_nearest_new(&t->nearest, t, e);
	pthread_mutex_init(&m.lock, NULL);
	for (size_t i = 0; i < t->n_a && !rc; i++)
		rc = walk_all(&m, i, e);
	pthread_mutex_destroy(&m.lock);
	for (unsigned i = 0; m.work && i < threads; i++)
		ebwt_gap_work_free(&m.work[i]);
	free(m.work);
	return rc;
}

/* Threads that compare the words of all pairs. */

/* Items of v that are one task, and pairs, at most, with a backend. */
enum { BATCH = 256, PAIRS = 64, BATCH_NS = 100000000 };

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

/* False: it cannot be done. */
static bool
ebwt_team_route(const struct ebwt_team *m, uint64_t pair, struct ebwt_route *p)
{
	const struct ebwt_table *t = m->t;
	uint64_t strands = pair % m->strands, of = pair / m->strands;
	size_t a = row_of(t, of);
	size_t b = ebwt_row_first(t, a) +
		   (size_t)(of - ebwt_row_begins(t, a));
	bool can;

	a += strands & 1 ? t->n : 0;
	b += strands & 2 ? t->n : 0;
	can = ebwt_route(p, &t->words[a], &t->words[b], &m->how);
	if (!can) {	/* for the error message */
		p->u = &t->words[a];
		p->v = &t->words[b];
	}
	return can;
}

static void
team_report(struct ebwt_team *m, uint64_t task, unsigned thread, int rc,
	    const struct err *e, double cost)
{
	const struct ebwt_options *o = &m->t->s->o;

	pthread_mutex_lock(&m->lock);
	if (rc && task < m->failed) {
		__atomic_store_n(&m->failed, task, __ATOMIC_RELAXED);
		m->err = *e;
	}
	m->done += cost;
	if (!thread && o->progress)
		o->progress((uint64_t)(1e6 * m->done / (m->cost + 1)),
			    1000000);
	pthread_mutex_unlock(&m->lock);
}

/* Items [from, to) of v; those of one pair have no other task's sums.  Until
 * finish() they may not be there. */
static void
do_part(struct ebwt_team *m, uint64_t task, unsigned thread,
	const struct ebwt_route *p, uint64_t from, uint64_t to,
	struct ebwt_sums *y)
{
	struct err e;
	int rc;

	*y = (struct ebwt_sums){ 0 };
	if (__atomic_load_n(&m->failed, __ATOMIC_RELAXED) < task)
		return;
	rc = ebwt_sums_add(y, p, &m->how, from, to, &m->work[thread], &e);
	team_report(m, task, thread, rc, &e, p->cost * (double)(to - from));
}

/* This thread's parts, of this task and later ones. */
static void
finish(struct ebwt_team *m, uint64_t task, unsigned thread)
{
	struct err e;
	int rc = ebwt_gather_all(&m->how, &m->work[thread], &e);

	if (rc)
		team_report(m, task, thread, rc, &e, 0);
}

/* Items that are one part: BATCH, or fewer that take some 0.1 s. */
static uint64_t
batch_of(const struct ebwt_route *p)
{
	return (uint64_t)fmin(BATCH, 1 + BATCH_NS / (p->cost + 1));
}

static bool
is_large(const struct ebwt_route *p)
{
	return p->items > batch_of(p) && p->u->n;
}

/* A pair of many items: a thread takes a batch of them, then the next. */
struct large {
	struct ebwt_team *m;
	uint64_t pair, first;	/* the first item */
	struct ebwt_route p;
	struct ebwt_sums *part;	/* n */
	uint64_t n, batch;
	_Atomic uint64_t next;
};

static void
large_parts(void *ctx, unsigned thread)
{
	struct large *x = ctx;
	uint64_t i;

	while ((i = atomic_fetch_add(&x->next, 1)) < x->n)
		do_part(x->m, x->pair, thread, &x->p,
			max_u64(i * x->batch, x->first),
			min_u64(x->p.items, (i + 1) * x->batch), &x->part[i]);
	finish(x->m, x->pair, thread);
}

static int
large_pair(struct ebwt_team *m, uint64_t pair, const struct ebwt_route *p,
	   struct err *e)
{
	struct ebwt_sums all = { 0 };
	struct large x = { .m = m, .pair = pair, .p = *p,
			   .first = p->product && !p->sums,
			   .batch = batch_of(p) };

	x.n = (p->items + x.batch - 1) / x.batch;
	/* where the first has too many sets, the others need not look */
	if (x.first) {
		do_part(m, pair, 0, p, 0, 1, &all);
		x.p.sums = all.unknown;
	}
	x.part = malloc(x.n * sizeof *x.part);
	if (!x.part)
		return err_nomem(e, x.n * sizeof *x.part);
	threads_run((unsigned)min_u64(x.n, m->t->s->threads), large_parts, &x);
	for (uint64_t i = 0; i < x.n; i++)
		ebwt_sums_join(&all, &x.part[i]);
	m->t->stat[pair] = ebwt_sums_stat(&all, p, &m->how);
	free(x.part);
	return 0;
}

/* Of the pairs of bundle i the small ones. */
static void
small_pairs(void *ctx, uint64_t i, unsigned thread)
{
	struct ebwt_team *m = ctx;
	uint64_t from = i * m->bundle;
	uint64_t to = min_u64(m->n_pairs, from + m->bundle);
	struct ebwt_route p[PAIRS];
	struct ebwt_sums y[PAIRS];

	for (uint64_t k = from; k < to; k++) {
		struct ebwt_route *x = &p[k - from];

		ebwt_team_route(m, k, x);
		if (!is_large(x))
			do_part(m, k, thread, x, 0, x->u->n ? x->items : 0,
				&y[k - from]);
	}
	finish(m, from, thread);
	for (uint64_t k = from; k < to; k++)
		if (!is_large(&p[k - from]))
			m->t->stat[k] = ebwt_sums_stat(&y[k - from],
						       &p[k - from], &m->how);
}

/* Small pairs, a thread some, then large ones, all threads one. */
static int
all_pairs(struct ebwt_team *m, struct err *e)
{
	uint64_t n = m->n_pairs, bundle = m->bundle;
	struct ebwt_route p;
	int rc = 0;

	threads_each(m->t->s->threads, (n + bundle - 1) / bundle, small_pairs,
		     m);
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

/* Fills in the table's stat; n_bytes: taken already. */
static int
ebwt_team_run(struct ebwt_team *m, uint64_t n_bytes, struct err *e)
{
	uint64_t most = (uint64_t)m->t->s->o.memory, some;
	unsigned threads = m->t->s->threads;
	int rc;

	/* so many that each thread has several tasks */
	some = m->n_pairs / threads / 4;
	m->bundle = m->how.backend ? max_u64(1, min_u64(PAIRS, some)) : 1;
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

void
ebwt_note(const struct ebwt_scan *s, const char *what, uint64_t n_bytes,
	  double ns, const char *cure)
{
	static const double LONG_NS = 60e9;
	struct buf b = { 0 };

	buf_printf(&b, "memory: %s%s", err_mb((double)n_bytes).text, what);
	if (ns > 0)
		buf_printf(&b, "; some %.2g s of one processor", 1e-9 * ns);
	buf_u8(&b, 0);
	if (!b.bad && s->o.note)
		s->o.note((char *)b.p);
	b.n = 0;
	buf_printf(&b, "this takes some %.2g minutes of one processor%s",
		   1e-9 / 60 * ns, cure);
	buf_u8(&b, 0);
	if (!b.bad && s->o.remark && ns > LONG_NS)
		s->o.remark((char *)b.p);
	buf_free(&b);
}
