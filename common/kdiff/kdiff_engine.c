/* SPDX-License-Identifier: MIT */
/*
 * kdiff_engine.c - which engine searches for which patterns
 *
 * The index of many patterns costs a look-up a text letter and a closer look
 * at a place in 10^3 to 10^5 letters of each pattern; without it each pattern
 * costs some rows of bit vectors.  So it pays from about ten patterns on whose
 * pieces are long enough, once the text is long enough to be worth making it.
 * Where the filter is possible, the model below says whether it is better.
 */

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/base.h"
#include "kdiff/kdiff_priv.h"

uint64_t
kdiff_context(const struct kdiff_set *set)
{
	return set->p.report == KDIFF_MINIMA || set->limited_minima ?
	       set->max_2mk : set->max_mk;
}

uint64_t
kdiff_gap(const struct kdiff_set *set)
{
	return set->max_k + 1 + kdiff_overhangs(set);
}

double
kdiff_plain_cycles(const struct kdiff_set *set, const struct kdiff_pat *p)
{
	uint32_t rows = (p->chk[0] + 7) / 8 * 8;

	/* a text seldom goes further than one check after the first */
	if (!set->p.hamming)
		return set->ops.row * (p->chk[0] + (p->n_chk > 1 ? 2 : 1));
	/* checked every 8 rows; a counter's planes */
	return set->ops.row * (rows < p->m ? rows : p->m) * (1 + .6 * p->bits);
}

/* Does an index pay, of which q-grams? */

enum {
	/* cycles, besides those of a place's letters, kdiff_ops.place */
	LOOK_UP = 4,		/* of a text letter */
	PLACE = 40,
	HAMMING_PLACE = 70,
};

bool
kdiff_cut(const struct kdiff_pat *p, unsigned q, struct kdiff_cut *c)
{
	if ((uint64_t)p->m + 2ull * p->k > KDIFF_INDEX_M)
		return false;
	c->s = p->m / q < p->k + 1 ? p->m / q : p->k + 1;
	c->s1 = p->k + 1 - c->s;
	return c->s && c->s1 <= c->s;
}

/* Many letters that stand for several make many keys: not such a pattern. */
static bool
few_keys(const struct kdiff_set *set, const struct kdiff_pat *p)
{
	unsigned bits = 0;

	for (uint32_t r = 0; p->codes && r < p->m; r++)
		bits += (unsigned)__builtin_popcount(set->sym[p->code[r]]) - 1;
	return bits <= 4;
}

/* Sequences of letters that the first q letters of piece j match. */
static double
piece_readings(const struct kdiff_set *set, const struct kdiff_pat *p,
	       const struct kdiff_cut *c, uint32_t j, unsigned q)
{
	uint32_t beg = kdiff_piece_at(p, c, j);
	double n = 1;

	for (uint32_t i = beg; p->codes && i < beg + q; i++)
		n *= __builtin_popcount(set->sym[p->code[i]]);
	return n;
}

/* Places of a pattern a letter of random text. */
static double
random_places(const struct kdiff_set *set, const struct kdiff_pat *p,
	      const struct kdiff_cut *c, unsigned q)
{
	double near = set->p.hamming ? 3. * q + 1 : 8. * q, keys = 0;

	for (uint32_t j = 0; j < c->s; j++)
		keys += piece_readings(set, p, c, j, q) *
			(j + c->s1 >= c->s ? near : 1);
	return keys / (double)(1ull << 2 * q);
}

double
kdiff_place_cycles(const struct kdiff_set *set, const struct kdiff_pat *p)
{
	return set->p.hamming ? HAMMING_PLACE :
	       PLACE + set->ops.place * (p->m + 2. * p->k);
}

bool
kdiff_index_fits(const struct kdiff_set *set, size_t i, unsigned q, bool every,
		 double *cycles)
{
	const struct kdiff_pat *p = &set->pat[i];
	double plain = kdiff_plain_cycles(set, p), here;
	struct kdiff_cut c;

	*cycles = plain;
	if (!kdiff_cut(p, q, &c) || !few_keys(set, p))
		return false;
	here = random_places(set, p, &c, q) * kdiff_place_cycles(set, p);
	if (!every && here > plain / 2)
		return false;
	*cycles = here;
	return true;
}

unsigned
kdiff_index_q(const struct kdiff_set *set, bool every, double *cycles)
{
	unsigned best = 0, q = KDIFF_MAX_Q;
	size_t most = 0;

	*cycles = 0;
	for (size_t i = 0; i < set->n; i++)
		*cycles += kdiff_plain_cycles(set, &set->pat[i]);
	if (set->force.index_q)
		q = set->force.index_q;
	for (; q >= KDIFF_MIN_Q; q--) {
		double sum = LOOK_UP, one;
		size_t n = 0;

		for (size_t i = 0; i < set->n; i++, sum += one)
			n += kdiff_index_fits(set, i, q, every, &one);
		if (every ? n > most : sum < *cycles) {
			*cycles = sum;
			best = q;
			most = n;
		}
	}
	return best;
}

/*
 * Does the filter pay, and with which q-grams?
 *
 * A model in cycles a letter of random text; its constants were measured.
 * Texts that are not random cannot make it wrong, only slow, and that is
 * noticed during the scan (kdiff_qgram.c).
 */

enum {
	MIN_Q = 4,
	LONGEST = 64,		/* a piece */
	VISIT = 35,		/* cycles a seed met, */
	CHECK = 280,		/* a piece found with its neighbours, */
	BUILD = 60,		/* a seed stored, */
	SCAN = 2000,		/* a range scanned, besides its rows */
	SHORT = 4096,		/* letters: a text that is not worth it */
};

/* What patterns with pieces of one length, or of more, cost. */
struct sums {
	double n, seeds, plain, found;
};

/* Cycles to scan what is around one match, context and all. */
static double
range_cycles(const struct kdiff_set *set, const struct kdiff_pat *p)
{
	double letters = KDIFF_SB * set->ops.lanes;

	letters *= ceil((3.0 * p->m + 3.0 * p->k + 64) / letters);
	return SCAN + letters * set->ops.row * p->m;
}

/*
 * How often a random text comes near: strings within k differences are at
 * most C(m, k) 8^k, about, of 4^m.
 */
static double
random_matches(const struct kdiff_pat *p)
{
	double x = lgamma(p->m + 1.0) - lgamma(p->k + 1.0) -
		   lgamma(p->m - p->k + 1.0) + p->k * log(8) - p->m * log(4);

	return x > 0 ? 1 : exp(x);
}

static void
sum_up(const struct kdiff_set *set, struct sums s[LONGEST + 1])
{
	for (size_t i = 0; i < set->n; i++) {
		const struct kdiff_pat *p = &set->pat[i];
		struct sums *x = &s[p->piece];
		double found = (p->k + 1) * pow(4, -(double)p->piece) * CHECK;

		x->n++;
		x->seeds += p->k + 1;
		x->plain += kdiff_plain_cycles(set, p);
		x->found += found + random_matches(p) * range_cycles(set, p);
	}
	for (int i = LONGEST; i-- > 0;) {
		s[i].n += s[i + 1].n;
		s[i].seeds += s[i + 1].seeds;
		s[i].plain += s[i + 1].plain;
		s[i].found += s[i + 1].found;
	}
}

/* Cycles a letter with the patterns summed up in s. */
static double
filter_cycles(const struct kdiff_set *set, const struct sums *s, unsigned q,
	      unsigned step)
{
	double samples = (63 / step + 1) / 64.0, visits;

	visits = s->seeds * step / (double)(1ull << 2 * q);
	return samples * (set->ops.sample * (q > 9 ? 1.4 : 1) +
			  visits * VISIT) + s->found;
}

static void
try_plan(const struct kdiff_set *set, const struct sums *s, unsigned least,
	 unsigned q, unsigned step, struct qgram_plan *p)
{
	double c = filter_cycles(set, &s[least], q, step) + s[0].plain -
		   s[least].plain;

	if (p->q && c >= p->cycles)
		return;
	p->least = least;
	p->q = q;
	p->step = step;
	p->cycles = c;
	p->build = BUILD * s[least].seeds * step + (double)(1ull << 2 * q) /
		   20;
}

/*
 * First rows cost what a plain scan does where nothing is found: they are not
 * in the way of an index, or a backend.  Of samples that gain little they take
 * the place: where matches are many samples give way to a plain scan, first
 * rows seldom do.  A block's words with an end in them are kept, 32 bytes each:
 * up to 1 MB a pattern and thread.
 */
enum {
	MAX_PREFIX = 16,	/* patterns */
	LEAST_BELOW = 40,	/* rows, or it gains too little */
};
#define LITTLE 1.3		/* times as fast */

/* Can all patterns of the set be searched for so, and would it be wise? */
static bool
prefix_fits(const struct kdiff_set *set, bool force)
{
	if (!kdiff_strip_fits(set) || set->p.alphabet != KDIFF_DNA || !set->n)
		return false;
	for (size_t i = 0; i < set->n; i++) {
		const struct kdiff_pat *p = &set->pat[i];
		uint32_t rows = kdiff_prefix_rows(set, p);

		if (!rows || (!force && (rows < p->chk[0] ||
					 p->m - rows < LEAST_BELOW)))
			return false;
	}
	return true;
}

static void
plan_prefix(const struct kdiff_set *set, double index, struct qgram_plan *p)
{
	bool force = set->engine == KDIFF_PREFIX;

	if (!force && ((p->q && p->plain > LITTLE * p->cycles) ||
		       set->engine != KDIFF_AUTO || set->backend ||
		       set->n > MAX_PREFIX || p->plain > index))
		return;
	p->prefix = prefix_fits(set, force);
	if (p->prefix || force)
		p->q = p->least = 0;
}

void
kdiff_qgram_plan(const struct kdiff_set *set, struct qgram_plan *p)
{
	/* of the steps with as many samples a word the shortest */
	static const uint8_t steps[] = { 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 13,
					 16, 22, QGRAM_MAX_STEP };
	struct sums s[LONGEST + 1] = { { 0 } };
	double index;

	*p = (struct qgram_plan){ 0 };
	sum_up(set, s);
	p->plain = s[0].plain;
	for (unsigned least = MIN_Q; least <= LONGEST; least++)
		for (unsigned i = 0; i < sizeof steps; i++) {
			unsigned step = steps[i], q = least + 1 - step;

			if (step > least || q < MIN_Q || !s[least].n)
				continue;
			q = q < QGRAM_MAX_Q ? q : QGRAM_MAX_Q;
			try_plan(set, s, least, q, step, p);
			if (q > 9)
				try_plan(set, s, least, 9, step, p);
		}
	if (set->force.q) {
		unsigned least = set->force.q + set->force.step - 1;

		p->q = 0;
		if (least <= LONGEST && s[least].n)
			try_plan(set, s, least, set->force.q, set->force.step,
				 p);
	}
	kdiff_index_q(set, false, &index);
	if (set->engine == KDIFF_AUTO && (p->cycles >= p->plain ||
					  p->cycles >= index))
		p->q = 0;
	plan_prefix(set, index, p);
}

/* Letters of a text from which on a filter of this plan pays. */
static uint64_t
pays_at(const struct qgram_plan *p, bool force)
{
	double n = p->build / 4 / (p->plain - p->cycles);

	if (p->prefix)
		return 1;
	if (!p->q || (!force && !(n >= 0 && n < 1e18)))
		return UINT64_MAX;
	return force ? 1 : (uint64_t)n + 1;
}

/*
 * The filter for a job, NULL if there is none that should be taken.  ERR_NOMEM.
 */
static int
find_filter(const struct kdiff_job *j, struct kdiff_qgram **f)
{
	const struct kdiff_set *set = j->set;
	struct kdiff_lazy *l = set->lazy;
	bool force = set->engine == KDIFF_FILTER ||
		     set->engine == KDIFF_PREFIX;
	uint64_t n = max_u64(j->text->n, j->text->whole);
	struct qgram_plan p;
	int r = 0;

	*f = NULL;
	if ((set->engine != KDIFF_AUTO && !force) ||
	    set->p.alphabet != KDIFF_DNA || (set->p.iupac && j->text->sets) ||
	    (n < SHORT && !force))
		return 0;
	*f = __atomic_load_n(&l->filter, __ATOMIC_ACQUIRE);
	if (*f || n < __atomic_load_n(&l->filter_at, __ATOMIC_RELAXED))
		return 0;
	pthread_mutex_lock(&l->lock);
	*f = l->filter;
	if (!*f && n >= l->filter_at) {
		kdiff_qgram_plan(set, &p);
		__atomic_store_n(&l->filter_at, pays_at(&p, force),
				 __ATOMIC_RELAXED);
		if (n >= l->filter_at)
			r = kdiff_qgram_new(f, set, &p, j->e);
		__atomic_store_n(&l->filter, *f, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&l->lock);
	return r;
}

/*
 * The index to search a text with, or NULL: made once so much has been
 * searched without it that it will pay.
 */
static int
find_index(const struct kdiff_set *set, const struct kdiff_text *text,
	   const struct kdiff_index **x, struct err *e)
{
	struct kdiff_lazy *l = set->lazy;
	bool must = set->engine == KDIFF_PATTERNS;
	uint64_t work = text->n * set->n, rest = 0, sum;
	int r = 0;

	*x = NULL;
	if (set->engine == KDIFF_TEXT || set->p.alphabet != KDIFF_DNA ||
	    (set->p.iupac && text->sets))
		return 0;
	if (!__atomic_load_n(&l->has_index, __ATOMIC_ACQUIRE)) {
		if (text->whole > text->n)	/* what its parts will add */
			rest = (text->whole - text->n) * set->n;
		sum = work + __atomic_fetch_add(&l->work, work,
						__ATOMIC_RELAXED);
		if (!must && sum + rest < set->index_at)
			return 0;
		/*
		 * To make it takes less time than a chunk without it.  But not
		 * less than a short text, if another thread does already: half
		 * of the time is left, say.
		 */
		if (must || work >= set->index_at / 2)
			pthread_mutex_lock(&l->lock);
		else if (pthread_mutex_trylock(&l->lock))
			return 0;
		if (!l->has_index)
			r = kdiff_index_new(&l->index, set, must, e);
		__atomic_store_n(&l->has_index, !r, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&l->lock);
		if (r)
			return r;
	}
	*x = l->index;
	return 0;
}

/*
 * Words of halves, if they pay, or NULL.  Making them takes as long as LONG
 * letters do without: of so many patterns, both grow with their number.  Where
 * the letters to come are not known they are made after as many, so that no
 * text takes more than twice its least.
 */
static int
find_halves(const struct kdiff_set *set, const struct kdiff_text *text,
	    struct kdiff_pam **h, struct err *e)
{
	enum { LONG = 1 << 22 };
	bool must = set->engine == KDIFF_HALVES;
	struct kdiff_lazy *l = set->lazy;
	int r = 0;

	*h = NULL;
	if ((set->engine != KDIFF_AUTO && !must) ||
	    set->p.alphabet != KDIFF_DNA || (set->p.iupac && text->exc))
		return 0;
	if (!__atomic_load_n(&l->has_halves, __ATOMIC_ACQUIRE)) {
		uint64_t seen = __atomic_fetch_add(&l->seen, text->n,
						   __ATOMIC_RELAXED);

		seen += max_u64(text->n, text->whole);
		if (!must && max_u64(seen, set->expected) < LONG)
			return 0;
		pthread_mutex_lock(&l->lock);
		if (!l->has_halves)
			r = kdiff_halves_new(&l->halves, set, must, e);
		__atomic_store_n(&l->has_halves, !r, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&l->lock);
	}
	*h = r ? NULL : l->halves;
	return r;
}

/* Of all ends in w->listed those that are to be reported. */
static int
choose_ends(const struct kdiff_job *j)
{
	struct kdiff_hits *h = &j->w->listed;
	int r = 0;

	if (j->set->exact)
		r = kdiff_exact_keep(j->set, j->text, j->w, h, 0, j->e);
	if (r)
		return r;
	if (j->set->p.report == KDIFF_MINIMA && !j->all)
		return kdiff_hits_minima(j->set, j->text, h, 0, j->e);
	kdiff_hits_reported(j->text, h);
	return 0;
}

/* What w->listed has of all ends, and these other patterns by bit vectors. */
static int
with_others(const struct kdiff_job *j, const uint32_t *which, size_t n)
{
	int r = choose_ends(j);

	return r ? r : kdiff_text_mix(j, j->text, 0, which, n, &j->w->listed);
}

/* Of these ends, which stand `at` letters further on, those in [from, to]. */
static int
take_ends(struct kdiff_hits *to, const struct kdiff_hits *found, uint64_t at,
	  uint64_t from, uint64_t end, struct err *e)
{
	size_t i = array_first(found->v, found->n, sizeof *found->v,
			       offsetof(struct kdiff_hit, end), at + from);
	size_t n = array_first(found->v, found->n, sizeof *found->v,
			       offsetof(struct kdiff_hit, end), at + end + 1);
	int r = kdiff_hits_room(to, n - i, e);

	for (; i < n && !r; i++) {
		to->v[to->n] = found->v[i];
		to->v[to->n++].end -= at;
	}
	return r;
}

/*
 * What it has found already.  A text that is a part of the one that was
 * searched has ends that it would not have alone, in the letters before those
 * whose ends are reported: there D, of a match that begins further in front, is
 * the true value.
 */
static int
take_found(const struct kdiff_job *j, struct kdiff_hits *to)
{
	const struct kdiff_text *t = j->text;
	int r = 0;

	for (size_t i = 0; i < t->n_seg && !r; i++)
		r = take_ends(to, t->found, t->found_at, t->seg[i].beg + 1,
			      t->seg[i].end, j->e);
	return r;
}

/* KDIFF_NOT_NOW: there is none, or it does not want this text. */
static int
by_backend(const struct kdiff_job *j, bool first)
{
	const struct kdiff_backend *f = j->set->backend;
	const struct kdiff_hits *found = j->text->found;
	struct kdiff_hits *listed = &j->w->listed;
	int r;

	if (!f || (f->first || found) != first)
		return KDIFF_NOT_NOW;
	listed->n = 0;
	r = found ? take_found(j, listed) :
		    f->find(f->ctx, j->text, listed, j->e);
	return r ? r : with_others(j, f->rest, f->n_rest);
}

static int
by_index(const struct kdiff_job *j, const struct kdiff_index *x,
	 struct kdiff_pam *h)
{
	struct kdiff_work *w = j->w;
	int r;

	w->listed.n = w->n_rest = 0;
	r = h ? kdiff_halves_scan(h, j->text, w, &w->listed, j->e) :
	    kdiff_index_scan(j->set, x, j->text, w, &w->listed, j->e);
	return r ? r : with_others(j, (const uint32_t *)(const void *)w->rest,
				   w->n_rest);
}

/*
 * By a backend that comes first, a filter, another backend, or an index if
 * there is one, in this order; and what is left.  The filter does not know of
 * all ends.
 */
int
kdiff_plain_scan(struct kdiff_job *j)
{
	const struct kdiff_index *x = NULL;
	struct kdiff_qgram *f = NULL;
	struct kdiff_pam *h;
	int r;

	j->n = j->set->n;
	if (!j->n || !j->text->n_seg)
		return 0;
	r = by_backend(j, true);
	if (r != KDIFF_NOT_NOW)
		return r;
	r = 0;
	if (!kdiff_overhangs(j->set))
		r = find_filter(j, &f);
	if (r || f)
		return r ? r : kdiff_qgram_each(f, j);
	r = by_backend(j, false);
	if (r != KDIFF_NOT_NOW)
		return r;
	r = find_halves(j->set, j->text, &h, j->e);
	if (!r && !h)
		r = find_index(j->set, j->text, &x, j->e);
	return r ? r : h || x ? by_index(j, x, h) : kdiff_text_scan(j);
}

static int
search_job(struct kdiff_job *j)
{
	int r;

	if (j->set->limited)
		return kdiff_limited_scan(j);
	if (!kdiff_overhangs(j->set))
		return kdiff_plain_scan(j);
	if (j->unordered && j->set->p.report == KDIFF_ALL)
		return kdiff_overhang_each(j);
	r = kdiff_overhang_scan(j);
	return r || !j->w->over.n ? r :
	       kdiff_job_give(j, j->w->over.v, j->w->over.n);
}

int
kdiff_scan(const struct kdiff_set *set, const struct kdiff_text *text,
	   struct kdiff_work *w, struct kdiff_hits *hits, struct err *e)
{
	struct kdiff_job j = { .set = set, .text = text, .w = w,
			       .hits = hits, .e = e };

	return search_job(&j);
}

int
kdiff_each_unordered(const struct kdiff_set *set,
		     const struct kdiff_text *text, struct kdiff_work *w,
		     kdiff_take_fn *take, void *ctx, struct err *e)
{
	struct kdiff_job j = { .set = set, .text = text, .w = w,
			       .take = take, .ctx = ctx, .unordered = true,
			       .e = e };

	return search_job(&j);
}

int
kdiff_each(const struct kdiff_set *set, const struct kdiff_text *text,
	   struct kdiff_work *w, kdiff_take_fn *take, void *ctx,
	   struct err *e)
{
	struct kdiff_job j = { .set = set, .text = text, .w = w,
			       .take = take, .ctx = ctx, .e = e };

	return search_job(&j);
}
