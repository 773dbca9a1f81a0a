/* SPDX-License-Identifier: MIT */
/* ebwt_sums.c - distances of all pairs of a word of one and one of another */

#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "ebwt/paper/ebwt_paper.h"
#include "scan/ebwt/ebwt.h"

/* The words of a sequence or matrix, listed or as a product. */

static const double one_weight = 0.5;
static const struct prob one = { 0.5, 1 };

/* Probabilities may be smaller than any double: only their ratios count. */
static int
weigh(struct ebwt_words *w, struct err *e)
{
	int64_t most = INT64_MIN;

	w->own_weight = malloc((w->n + 1) * sizeof *w->own_weight);
	if (!w->own_weight)
		return err_nomem(e, w->n * sizeof *w->own_weight);
	for (uint64_t i = 0; i < w->n; i++)
		if (w->p[i].e > most)
			most = w->p[i].e;
	for (uint64_t i = 0; i < w->n; i++) {
		int64_t below = w->p[i].e - most;

		w->own_weight[i] = below < -2000 ? 0 :
				   ldexp(w->p[i].m, (int)below);
	}
	w->weight = w->own_weight;
	return 0;
}

static int
matrix_of(struct weighted *m, const struct ebwt_seq *s, struct err *e)
{
	float *v = malloc(s->n * 16);
	int rc;

	if (!v)
		return err_nomem(e, s->n * 16);
	memcpy(v, s->letters, s->n * 16);	/* now aligned */
	rc = weighted_new(m, v, s->n, e);
	free(v);
	return rc;
}

static int
list(struct ebwt_words *w, const struct weighted *m,
     const struct solid_rule *r, struct err *e)
{
	int rc = solid_words(&w->own, m, r, e);

	w->n = w->own.n;
	w->letters = w->own.letters;
	w->p = w->own.p;
	return rc ? rc : weigh(w, e);
}

static int
solid_of(struct ebwt_words *w, const struct ebwt_seq *s,
	 const struct solid_rule *r, uint64_t most, struct err *e)
{
	struct weighted m;
	int rc = matrix_of(&m, s, e);

	if (rc)
		return rc;
	w->letters = NULL;
	rc = product_solid(&w->product, &m, r, &w->is_product, e);
	if (w->is_product)
		w->n = w->product.words;
	if (!rc && (!w->is_product || w->n <= most))
		rc = list(w, &m, r, e);
	weighted_free(&m);
	return rc;
}

static int
sort(struct ebwt_words *w, struct err *e)
{
	/* beside what is not shared: the circle is closed */
	enum { CLOSE = 8 };
	int rc;

	w->by_end = (struct ebwt_gap_words){ w->letters, w->len,
					     (uint32_t)w->n, NULL, NULL };
	rc = ebwt_gap_sort(&w->by_end, e);
	for (uint64_t i = 0; i < w->n && !rc; i++)
		w->steps += w->len + CLOSE - w->by_end.shared[i];
	return rc;
}

int
ebwt_words_of(struct ebwt_words *w, const struct ebwt_seq *s,
	      const struct solid_rule *r, uint64_t most, struct err *e)
{
	int rc = 0;

	*w = (struct ebwt_words){ .seq = s, .n = 1, .len = s->n,
				  .letters = s->letters, .p = &one,
				  .weight = &one_weight };
	if (s->prob)
		rc = solid_of(w, s, r, most, e);
	if (!rc && (w->letters || !w->n))
		rc = sort(w, e);
	if (rc) {
		err_at(e, "%.*s", (int)(s->name.n < 99 ? s->name.n : 99),
		       s->name.p);
		ebwt_words_free(w);
	}
	return rc;
}

const uint8_t *
ebwt_words_nth(const struct ebwt_words *w, uint64_t j, uint8_t *room,
	       double *weight)
{
	if (!w->letters) {
		*weight = product_nth(&w->product, j, room);
		return room;
	}
	*weight = w->weight[j];
	return w->letters + j * w->len;
}

double
ebwt_words_log2(const struct ebwt_words *w)
{
	uint64_t threes = 0, twos = 0;

	if (!w->is_product)
		return log2((double)w->n);
	for (size_t i = 0; i < w->product.n; i++) {
		threes += w->product.kinds[i] == 3;
		twos += w->product.kinds[i] / 2 * (w->product.kinds[i] != 3);
	}
	return (double)twos + (double)threes * log2(3);
}

enum { TURNS_LEN = 32 };	/* letters in a key */

/* The least rotation, two bits a letter. */
static uint64_t
least_turn(const uint8_t *s, uint64_t len)
{
	unsigned bits = (unsigned)(2 * len), top = bits - 2;
	uint64_t mask = UINT64_MAX >> (64 - bits), x = 0, least;

	for (uint64_t i = 0; i < len; i++)
		x = x << 2 | (s[i] >> 1 & 3);
	least = x;
	for (uint64_t i = 1; i < len; i++) {
		x = (x << 2 & mask) | x >> top;
		least = x < least ? x : least;
	}
	return least;
}

struct keyed {
	uint64_t key, word;
};

static int
by_key(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->word < y->word ? -1 : x->word > y->word;
}

/* Words of equal keys are one turn. */
static void
unite(struct ebwt_words *w, const struct keyed *v)
{
	uint8_t room[TURNS_LEN];

	for (uint64_t i = 0; i < w->n; i++) {
		struct ebwt_turn *t = &w->turn[w->n_turns];
		double weight;

		ebwt_words_nth(w, v[i].word, room, &weight);
		if (i && v[i].key == v[i - 1].key) {
			t[-1].n++;
			t[-1].weight += weight;
			continue;
		}
		*t = (struct ebwt_turn){ v[i].word, 1, weight };
		w->n_turns++;
	}
}

int
ebwt_words_turns(struct ebwt_words *w, struct err *e)
{
	uint8_t room[TURNS_LEN];
	struct keyed *v;
	double weight;

	if (!w->seq->prob || w->n < 2 || w->n > EBWT_MAX_WORDS ||
	    w->len > TURNS_LEN)
		return 0;
	v = malloc(w->n * sizeof *v);
	w->turn = malloc(w->n * sizeof *w->turn);
	if (!v || !w->turn) {
		free(v);
		return err_nomem(e, w->n * sizeof *w->turn);
	}
	for (uint64_t j = 0; j < w->n; j++)
		v[j] = (struct keyed){ least_turn(ebwt_words_nth(w, j, room,
			&weight), w->len), j };
	qsort(v, w->n, sizeof *v, by_key);
	unite(w, v);
	free(v);
	return 0;
}

int
ebwt_words_pack(struct ebwt_words *w, struct err *e)
{
	return w->own.letters && w->n && w->len <= GAP_LIST_LEN ?
	       gap_list_new(&w->packed, &w->by_end, e) : 0;
}

void
ebwt_words_free(struct ebwt_words *w)
{
	gap_list_free(&w->packed);
	product_free(&w->product);
	solid_free(&w->own);
	free(w->own_weight);
	free(w->turn);
	free(w->by_end.order);
	free(w->by_end.shared);
	*w = (struct ebwt_words){ 0 };
}

uint64_t
ebwt_words_bytes(const struct ebwt_words *w)
{
	uint64_t bytes = w->is_product ? w->len * PRODUCT_BYTES : 0;

	if (w->own.letters)
		bytes += w->n * (w->len + sizeof *w->p + sizeof *w->weight +
				 2 * sizeof(uint32_t));
	if (w->turn)
		bytes += w->n * sizeof *w->turn;
	return bytes;
}

uint64_t
ebwt_words_left(const struct ebwt_words *w, const struct solid_rule *r,
		double theta_pos)
{
	struct solid_rule more = *r;
	struct product x;
	struct weighted m;
	struct err e;
	uint64_t n = 0;
	bool is;

	if (!w->seq->prob)
		return 1;
	if (matrix_of(&m, w->seq, &e))
		return UINT64_MAX;
	more.theta_pos = theta_pos;
	more.theta_word = 0;
	if (product_solid(&x, &m, &more, &is, &e))
		n = UINT64_MAX;
	else if (is)
		n = x.words;
	product_free(&x);
	weighted_free(&m);
	return n;
}

/* Words of matrices put together for a backend. */

/* Results, or numbers of gaps, of a job at most, unless one word of v has
 * more: the CPU adds up in 30 ms what a backend does in a few. */
enum { MOST = 1 << 22 };

struct item {		/* word j of v */
	struct ebwt_sums *y;
	struct ebwt_route p;
	uint64_t j;
};

struct ebwt_gather {
	struct item *item;
	struct gap_job *job;
	const struct gap_list **list;
	uint16_t *next, *runs;
	double *de;
	size_t n, n_lists;
	uint64_t n_next, n_out;
	size_t item_room, job_room, list_room, next_room, runs_room, de_room;
	bool off;		/* it did not do it: nor will it */
};

static void
ebwt_gather_free(struct ebwt_gather *g)
{
	if (!g)
		return;
	free(g->item);
	free(g->job);
	free(g->list);
	free(g->next);
	free(g->runs);
	free(g->de);
	free(g);
}

bool
ebwt_gather_can(const struct ebwt_route *p, const struct ebwt_how *how)
{
	return !how->paper && !p->product && p->u->own.letters && p->u->n &&
	       gap_fits(p->u->len, p->v->len, ebwt_is_entropy(how->metric));
}

/* The same, and there is a backend, and they are packed. */
static bool
ebwt_gather_takes(const struct ebwt_route *p, const struct ebwt_how *how)
{
	return how->backend && p->u->packed.letter && ebwt_gather_can(p, how);
}

/* The list's number; there is room for a new one. */
static uint32_t
find_list(struct ebwt_gather *g, const struct gap_list *l)
{
	/* those of a matrix's pairs follow each other, or take turns */
	for (size_t i = g->n_lists; i-- > 0;)
		if (g->list[i] == l)
			return (uint32_t)i;
	g->list[g->n_lists++] = l;
	return (uint32_t)g->n_lists - 1;
}

static int
room(struct ebwt_gather *g, uint64_t n_next, struct err *e)
{
	int rc = array_room(&g->item, &g->item_room, g->n + 1,
			    sizeof *g->item, e);

	if (!rc)
		rc = array_room(&g->job, &g->job_room, g->n + 1,
				sizeof *g->job, e);
	if (!rc)
		rc = array_room(&g->list, &g->list_room, g->n_lists + 1,
				sizeof *g->list, e);
	return rc ? rc : array_room(&g->next, &g->next_room,
				    g->n_next + n_next, sizeof *g->next, e);
}

static int
add_word(struct ebwt_gather *g, const struct item *x, struct err *e)
{
	const struct ebwt_words *v = x->p.v;
	uint64_t n_next = 4 * (v->len + 1);
	struct ebwt_gap gap;
	int rc = room(g, n_next, e);

	if (!rc)
		rc = ebwt_gap_new(&gap, v->letters + x->j * v->len, v->len, e);
	if (rc)
		return rc;
	gap_table(&gap, g->next + g->n_next);
	ebwt_gap_free(&gap);
	g->item[g->n] = *x;
	g->job[g->n++] = (struct gap_job){ find_list(g, &x->p.u->packed),
					   (uint32_t)v->len, g->n_next,
					   g->n_out };
	g->n_next += n_next;
	g->n_out += x->p.u->n;
	return 0;
}

static int
ask(struct ebwt_gather *g, const struct ebwt_how *how, struct err *e)
{
	bool de = ebwt_is_entropy(how->metric);
	struct gap_batch j = {
		.list = g->list, .n_lists = (uint32_t)g->n_lists,
		.job = g->job, .n_jobs = (uint32_t)g->n, .next = g->next,
		.term = how->term, .most_runs = how->most_runs,
	};
	int rc = de ? array_room(&g->de, &g->de_room, g->n_out, sizeof *g->de,
				 e) :
		      array_room(&g->runs, &g->runs_room, g->n_out,
				 sizeof *g->runs, e);

	j.runs = g->runs;
	j.de = g->de;
	return rc ? rc : how->backend->run(how->backend->ctx, &j, e);
}

static void ebwt_sums_known(struct ebwt_sums *y, const struct ebwt_route *p,
		const struct ebwt_how *how, uint64_t j, const uint16_t *runs,
		const double *de);

int
ebwt_gather_all(const struct ebwt_how *how, struct ebwt_sums_work *work,
		struct err *e)
{
	struct ebwt_gather *g = work->gather;
	bool de = ebwt_is_entropy(how->metric);
	int rc;

	if (!g || !g->n)
		return 0;
	rc = ask(g, how, e);
	g->off = rc == EBWT_NOT_NOW;
	for (size_t i = 0; i < g->n && rc >= 0; i++) {
		const struct item *x = &g->item[i];
		uint64_t at = g->job[i].out;

		if (g->off)
			rc = ebwt_sums_walk(x->y, &x->p, how, x->j, x->j + 1,
					    work, e);
		else
			ebwt_sums_known(x->y, &x->p, how, x->j,
					de ? NULL : g->runs + at,
					de ? g->de + at : NULL);
	}
	g->n = g->n_lists = 0;
	g->n_next = g->n_out = 0;
	return rc < 0 ? rc : 0;
}

/*
 * Words [from, to) of v, which are added to y in this order, some of them
 * later: y and what p names must be there until ebwt_gather_all().  What the
 * backend does not do, this thread does.  ERR_NOMEM, ERR_LIMIT.
 */
static int
ebwt_gather_add(struct ebwt_sums *y, const struct ebwt_route *p,
		const struct ebwt_how *how, uint64_t from, uint64_t to,
		struct ebwt_sums_work *work, struct err *e)
{
	struct item x = { y, *p, from };
	int rc = 0;

	if (!work->gather)
		work->gather = calloc(1, sizeof *work->gather);
	if (!work->gather)
		return err_nomem(e, sizeof *work->gather);
	for (; x.j < to && !rc && !work->gather->off; x.j++) {
		rc = add_word(work->gather, &x, e);
		if (!rc && (work->gather->n_out >= MOST ||
			    work->gather->n_next >= MOST))
			rc = ebwt_gather_all(how, work, e);
	}
	return rc ? rc : ebwt_sums_walk(y, p, how, x.j, to, work, e);
}

/* Distances of all pairs of a word of one and one of another. */

/* What some steps take, in nanoseconds. */
static const double per_word = 1000, per_letter = 16,	/* of v, to find its
							   gaps */
    per_step = 7;			/* of a word of u through them */

/* All words of v, by a product of u or by its list. */
static void
offer(struct ebwt_route *p, const struct ebwt_words *u,
      const struct ebwt_words *v, bool product, bool sums)
{
	struct ebwt_route x = {
		.u = u, .v = v, .product = product, .sums = sums,
		.items = product && v->turn ? v->n_turns : v->n,
	};
	double best = p->u ? p->cost * (double)p->items : INFINITY;

	x.cost = product ? product_cost(&u->product, v->len, sums) :
		 per_word + per_letter * (double)v->len +
		 per_step * (double)u->steps;
	if (x.cost * (double)x.items < best)
		*p = x;
}

static bool
sums_alone(const struct ebwt_how *how)
{
	return !how->extremes && ebwt_is_linear(how->metric);
}

static void
offer_product(struct ebwt_route *p, const struct ebwt_words *u,
	      const struct ebwt_words *v, const struct ebwt_how *how)
{
	bool sums = sums_alone(how);

	if (u->is_product && (v->letters || v->n <= EBWT_MAX_WORDS) &&
	    product_fits(&u->product, v->len, how->metric, sums))
		offer(p, u, v, true, sums);
}

bool
ebwt_route(struct ebwt_route *p, const struct ebwt_words *a,
	  const struct ebwt_words *b, const struct ebwt_how *how)
{
	bool none = !a->n || !b->n, listed = a->letters && b->letters;

	*p = (struct ebwt_route){ 0 };
	if (none) {
		*p = (struct ebwt_route){ .u = a, .v = b };
		return true;
	}
	if (!how->paper && how->way != EBWT_WAY_LISTS) {
		offer_product(p, a, b, how);
		offer_product(p, b, a, how);
	}
	if (listed && (how->way != EBWT_WAY_PRODUCT || !p->u)) {
		offer(p, a, b, false, false);
		offer(p, b, a, false, false);
	}
	if (p->u && p->product)
		p->parts = product_parts(&p->u->product, p->v->n, p->v->len);
	return p->u;
}

uint64_t
ebwt_route_bytes(const struct ebwt_route *p)
{
	return p->product ? product_bytes(&p->u->product, p->v->len, p->sums) +
			    p->v->len : 0;
}

void
ebwt_sums_work_free(struct ebwt_sums_work *w)
{
	ebwt_gather_free(w->gather);
	ebwt_gap_work_free(&w->gap);
	product_work_free(w->product);
	free(w->word);
	*w = (struct ebwt_sums_work){ 0 };
}

static inline void
add(struct ebwt_sum *x, double v)
{
	double s = x->s + v;

	x->rest += fabs(x->s) >= fabs(v) ? (x->s - s) + v : (v - s) + x->s;
	x->s = s;
}

static inline void
extend(struct ebwt_sums *y, double min, double max)
{
	y->min = y->some && y->min < min ? y->min : min;
	y->max = y->some && y->max > max ? y->max : max;
	y->some = true;
}

struct counting {
	struct ebwt_sums *y;
	const struct ebwt_route *plan;
	const struct ebwt_how *how;
	double weight;		/* of the word of v */
};

/* Word i of u. */
static void
count(void *arg, uint32_t i, uint64_t delta, double de)
{
	struct counting *k = arg;
	const struct ebwt_route *p = k->plan;
	double w = p->u->weight[i] * k->weight;
	double d = ebwt_is_entropy(k->how->metric) ? de :
		   ebwt_measure(k->how->metric, p->u->len, p->v->len, delta);

	add(&k->y->d, d);
	add(&k->y->pd, w * d);
	add(&k->y->p, w);
	extend(k->y, d, d);
}

static int
count_paper(struct counting *k, const uint8_t *s, struct err *e)
{
	const struct ebwt_words *u = k->plan->u;
	uint64_t delta;
	double de = 0;
	int rc = 0;

	for (uint32_t i = 0; i < u->n && !rc; i++) {
		rc = ebwt_paper_delta(u->letters + i * u->len, u->len, s,
				      k->plan->v->len, k->how->memory, &delta,
				      ebwt_is_entropy(k->how->metric) ? &de :
									NULL,
				      e);
		if (!rc)
			count(k, i, delta, de);
	}
	return rc;
}

static int
count_list(struct counting *k, const uint8_t *s, struct ebwt_gap_work *work,
	   struct err *e)
{
	struct ebwt_gap g;
	int rc;

	if (k->how->paper)
		return count_paper(k, s, e);
	rc = ebwt_gap_new(&g, s, k->plan->v->len, e);
	if (rc)
		return rc;
	rc = ebwt_gap_each(&g, &k->plan->u->by_end,
			   ebwt_is_entropy(k->how->metric), work, count, k, e);
	ebwt_gap_free(&g);
	return rc;
}

static int
count_product(struct counting *k, const uint8_t *s, double times,
	      struct product_work *work, struct err *e)
{
	struct product_how how = {
		.metric = k->how->metric, .parts = k->plan->parts,
		.no_sets = k->plan->sums || k->y->unknown,
	};
	struct product_sum x;
	int rc = product_dist(&k->plan->u->product, s, k->plan->v->len, &how,
			      work, &x, e);

	if (rc)
		return rc;
	add(&k->y->d, times * x.sum);
	add(&k->y->pd, k->weight * x.share_sum);
	add(&k->y->p, k->weight);
	if (x.least < 0)
		k->y->unknown = true;
	else
		extend(k->y, x.least, x.most);
	return 0;
}

static int
prepare(const struct ebwt_route *p, struct ebwt_sums_work *w, struct err *e)
{
	uint8_t *more;

	if (p->product && !w->product && product_work_new(&w->product, e))
		return e->code;
	if (p->v->letters || w->n_word >= p->v->len)
		return 0;
	more = realloc(w->word, p->v->len);
	if (!more)
		return err_nomem(e, p->v->len);
	w->word = more;
	w->n_word = p->v->len;
	return 0;
}

int
ebwt_sums_walk(struct ebwt_sums *y, const struct ebwt_route *p,
	       const struct ebwt_how *how, uint64_t from, uint64_t to,
	       struct ebwt_sums_work *work, struct err *e)
{
	struct counting k = { .y = y, .plan = p, .how = how };
	const struct ebwt_words *v = p->v;
	int rc = prepare(p, work, e);

	for (uint64_t i = from; i < to && p->u->n && !rc; i++) {
		const struct ebwt_turn *t = p->product && v->turn ?
					    &v->turn[i] : NULL;
		const uint8_t *s = ebwt_words_nth(v, t ? t->word : i,
						  work->word, &k.weight);

		if (t)
			k.weight = t->weight;
		rc = p->product ? count_product(&k, s, t ? t->n : 1,
						work->product, e) :
				  count_list(&k, s, &work->gap, e);
	}
	return rc;
}

/* Adds word j of v, whose runs with each word of u, or their entropies, in the
 * order of their ends, are known (gap_batch). */
static void
ebwt_sums_known(struct ebwt_sums *y, const struct ebwt_route *p,
		const struct ebwt_how *how, uint64_t j, const uint16_t *runs,
		const double *de)
{
	struct counting k = { .y = y, .plan = p, .how = how,
			      .weight = p->v->weight[j] };
	uint64_t n = p->u->len, m = p->v->len, tied = ebwt_delta_tied(n, m);
	double de_tied = de ? ebwt_gap_entropy_tied(n, m) : 0;

	for (uint64_t i = 0; i < p->u->n; i++)
		if (de)
			count(&k, p->u->by_end.order[i], 0,
			      de[i] < 0 ? de_tied : de[i]);
		else
			count(&k, p->u->by_end.order[i],
			      runs[i] ? n + m - runs[i] : tied, 0);
}

int
ebwt_sums_add(struct ebwt_sums *y, const struct ebwt_route *p,
	      const struct ebwt_how *how, uint64_t from, uint64_t to,
	      struct ebwt_sums_work *work, struct err *e)
{
	return ebwt_gather_takes(p, how) ?
	       ebwt_gather_add(y, p, how, from, to, work, e) :
	       ebwt_sums_walk(y, p, how, from, to, work, e);
}

void
ebwt_sums_join(struct ebwt_sums *to, const struct ebwt_sums *from)
{
	struct ebwt_sum *sum[] = { &to->d, &to->pd, &to->p };
	const struct ebwt_sum more[] = { from->d, from->pd, from->p };

	for (int i = 0; i < 3; i++) {
		add(sum[i], more[i].s);
		add(sum[i], more[i].rest);
	}
	if (from->some)
		extend(to, from->min, from->max);
	to->unknown |= from->unknown;
}

struct ebwt_stat
ebwt_sums_stat(const struct ebwt_sums *y, const struct ebwt_route *p,
	       const struct ebwt_how *how)
{
	bool unknown = y->unknown || !how->extremes;
	struct ebwt_stat t = { 0 };
	double n;

	if (__builtin_mul_overflow(p->u->n, p->v->n, &t.pairs) ||
	    t.pairs == UINT64_MAX) {
		t.pairs = UINT64_MAX;
		t.log2_pairs = ebwt_words_log2(p->u) + ebwt_words_log2(p->v);
	}
	if (!t.pairs)
		return t;
	n = p->parts ? (double)p->v->n : (double)t.pairs;
	t.mean = (y->d.s + y->d.rest) / n;
	t.weighted_mean = (y->pd.s + y->pd.rest) / (y->p.s + y->p.rest);
	t.min = unknown ? -1 : y->min;
	t.max = unknown ? -1 : y->max;
	return t;
}
