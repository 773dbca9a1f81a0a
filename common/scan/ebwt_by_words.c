/* SPDX-License-Identifier: MIT */
/* ebwt_by_words.c - distances of matrices: of all pairs of their words */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/minmax.h"
#include "scan/ebwt_gather.h"
#include "scan/ebwt_team.h"

/* Few words are quicker one by one, if they are words of matrices, too. */
enum { FEW = 4096 };

static const double LONG_NS = 60e9;	/* a remark says so beforehand */

static int
too_much(const struct ebwt_table *t, uint64_t n_bytes, struct err *e)
{
	char most[48];

	return n_bytes <= ebwt_memory(t->s) ? 0 :
	       err_set(e, ERR_LIMIT, "words and pairs take %.3g MB: more than "
		       "%s", 1e-6 * (double)n_bytes,
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
	return !t->s->o.paper && (t->s->o.metric == EBWT_DELTA ||
				  t->s->o.metric == EBWT_NORM);
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
		if (!rc && !t->s->o.paper)
			rc = ebwt_words_turns(w, e);
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

/* What is a helper's, if there is one: nanoseconds, roughly. */
static double
for_helper(struct ebwt_team *m, const struct ebwt_route *p)
{
	double pairs = (double)p->u->n * (double)p->v->n;
	uint64_t runs = gap_most_runs(p->u->len, p->v->len);

	if (!ebwt_gather_can(p, &m->how))
		return 0;
	m->how.most_runs = (uint32_t)max_u64(m->how.most_runs, runs);
	/* entropies look at each letter again */
	return p->cost * (double)p->items + (m->how.metric == EBWT_DE ?
		pairs * (double)(p->u->len + p->v->len) : 0);
}

/* Can all be done, what does it cost, and what memory does a thread take? */
static int
plan_all(struct ebwt_team *m, uint64_t *bytes, double *ns, struct err *e)
{
	struct ebwt_route p;

	*bytes = 0;
	*ns = 0;
	for (uint64_t k = 0; k < m->t->n_pairs; k++) {
		if (!ebwt_team_route(m, k, &p))
			return too_many(m->t, p.u, p.v, e);
		m->cost += p.cost * (double)p.items;
		*ns += for_helper(m, &p);
		*bytes = max_u64(*bytes, ebwt_route_bytes(&p));
	}
	return 0;
}

/* The helper, if there is one, and work for it; not with a bound of memory, as
 * it takes some more. */
static int
find_helper(struct ebwt_team *m, double ns, struct err *e)
{
	const struct ebwt_options *o = &m->t->s->o;
	const struct gap_helper *h = o->gap_helper;
	int rc = 0;

	if (!h || o->memory || !(ns > 0) ||
	    !h->wants(h->ctx, ns / m->t->s->threads))
		return 0;
	if (m->how.metric == EBWT_DE) {
		m->term = gap_terms_new(m->how.most_runs);
		if (!m->term)
			return err_nomem(e, gap_term_at(m->how.most_runs) *
					 sizeof *m->term);
	}
	for (size_t i = 0; i < m->t->n && !rc; i++)
		rc = ebwt_words_pack(&m->t->words[i], e);
	m->how.helper = h;
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
	/* the first of many tells that they do without */
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
	uint64_t n = m->t->n_pairs, step = n / SAMPLES + 1;
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

static void
tell(const struct ebwt_table *t, uint64_t n_bytes, double cost)
{
	void (*remark)(const char *) = t->s->o.remark;
	struct buf b = { 0 };

	if (t->s->o.tell) {
		buf_printf(&b, "memory: %.3g MB for words and pairs; some "
			   "%.2g s of one processor", 1e-6 * (double)n_bytes,
			   1e-9 * cost);
		buf_u8(&b, 0);
		if (!b.bad)
			t->s->o.tell((char *)b.p);
	}
	b.n = 0;
	if (remark && cost > LONG_NS) {
		buf_printf(&b, "this takes some %.2g minutes of one "
			   "processor%s", 1e-9 / 60 * cost,
			   t->s->o.extremes ? ", less without --extremes" :
			   "");
		buf_u8(&b, 0);
		if (!b.bad)
			remark((char *)b.p);
	}
	buf_free(&b);
}

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

	if (__builtin_mul_overflow(t->n_pairs, sizeof *t->stat, &bytes) ||
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
	tell(t, n_bytes, true_cost(&m));
	t->stat = malloc(bytes + 1);
	rc = t->stat ? find_helper(&m, ns, e) : err_nomem(e, bytes);
	if (!rc)
		rc = ebwt_team_run(&m, n_bytes, e);
	free(m.term);
	return rc;
}
