/* SPDX-License-Identifier: MIT */
/* primer_paper.c - all starts by the source's algorithms */

#include <stdlib.h>

#include "base/base.h"
#include "primer/paper/primer_paper.h"
#include "primer/paper/primer_paper_priv.h"
#include "primer/primer_priv.h"

/* A start's matrix, and its diagonals. */

static bool
differ(const struct primer_paper_start *s, uint64_t row, uint64_t column)
{
	return !primer_matches(s->p, s->symbol[column - 1],
			       s->p->code[s->beg + row - 1]);
}

/* Row r (from 1) from the one before it; the least of it. */
static uint64_t
row(const struct primer_paper_start *s, uint64_t r)
{
	const uint64_t *d = s->now;
	uint64_t *to = s->then, least = to[0] = r;

	for (uint64_t i = 1; i <= s->n; i++) {
		to[i] = min_u64(d[i - 1] + differ(s, r, i),
				min_u64(d[i], to[i - 1]) + 1);
		least = min_u64(least, to[i]);
	}
	return least;
}

/* Optimisation 1: the first row without a value below k ends the start, as
 * there are none in those below it. */
static void
primer_conventional(struct primer_paper_start *s)
{
	for (uint64_t i = 0; i <= s->n; i++)
		s->now[i] = 0;
	for (uint64_t r = 1; r <= s->cap - s->beg; r++) {
		uint64_t *was = s->now;
		bool below = row(s, r) < s->p->par.k || r <= s->known;

		s->now = s->then;
		s->then = was;
		s->did.values += s->n;
		s->did.comparisons += s->n;
		if (below)
			s->rows = r;
		else if (s->optimisations & PRIMER_PAPER_ROWS)
			break;
	}
}

/*
 * L of diagonal d (text - rows) with c differences, given those with c - 1: a
 * difference is a letter of both, of the text (from diagonal d - 1), or of the
 * target (from d + 1); then as many matches as there are.  Values lie at [d +
 * k - 1].  Diagonal d < 0 begins with -d letters of the target left out.
 */
static uint64_t
further(const struct primer_paper_start *s, int64_t d, uint64_t c,
	const uint64_t *l, uint64_t *comparisons)
{
	int64_t edge = (int64_t)(s->p->par.k - 1), n = (int64_t)s->n;
	uint64_t most = min_u64(s->cap - s->beg, (uint64_t)(n - d)), r = 0;

	if (c) {
		if (d > -(int64_t)c)
			r = l[d + edge] + 1;
		if (d - 1 > -(int64_t)c)
			r = max_u64(r, l[d - 1 + edge]);
		if (d < n)
			r = max_u64(r, l[d + 1 + edge] + 1);
	}
	for (r = min_u64(r, most); r < most; r++) {
		++*comparisons;
		if (!primer_matches(s->p, s->symbol[(int64_t)r + d],
				    s->p->code[s->beg + r]))
			break;
	}
	return r;
}

/*
 * The last diagonal with c differences that matters.  A path that is on
 * diagonal d has n - d letters of the target before it at most, and as many
 * more as differences are left: where that is no more than what is known, it
 * does not matter, nor do further diagonals.
 */
static int64_t
last_diagonal(const struct primer_paper_start *s, uint64_t c)
{
	uint64_t left = s->p->par.k - 1 - c;

	return (int64_t)s->n - (s->known > left ? (int64_t)(s->known - left) :
						  0);
}

/* Diagonals [from, to) with c differences, by one thread. */
struct diagonals {
	uint64_t c;
	int64_t from, to;
	const uint64_t *now;
	uint64_t *then;
};

/* A value; true: it is at the end of what may be in a primer. */
static bool
diagonal(const struct primer_paper_start *s, const struct diagonals *x,
	 int64_t d, uint64_t *best, struct primer_paper_stats *did)
{
	int64_t edge = (int64_t)(s->p->par.k - 1);
	uint64_t r = 0;

	if (d <= last_diagonal(s, x->c)) {
		r = further(s, d, x->c, x->now, &did->comparisons);
		did->values++;
	}
	x->then[d + edge] = r;
	*best = max_u64(*best, r);
	return s->beg + r >= s->cap;
}

/* Optimisation 2: nothing more is to be known of a start that has no primer. */
void
primer_alternative(struct primer_paper_start *s)
{
	for (uint64_t c = 0; c < s->p->par.k; c++) {
		struct diagonals x = { .c = c, .from = -(int64_t)c,
				       .to = (int64_t)s->n + 1,
				       .now = s->now, .then = s->then };

		for (int64_t d = x.from; d < x.to; d++)
			if (diagonal(s, &x, d, &s->rows, &s->did) &&
			    s->optimisations & PRIMER_PAPER_REACHED)
				return;
		s->then = s->now;
		s->now = x.then;
	}
}

static int
barrier_new(struct primer_paper_barrier *b, struct err *e)
{
	if (pthread_mutex_init(&b->lock, NULL) ||
	    pthread_cond_init(&b->open, NULL))
		return err_set(e, ERR_NOMEM, "no barrier");
	return 0;
}

static void
barrier_free(struct primer_paper_barrier *b)
{
	pthread_mutex_destroy(&b->lock);
	pthread_cond_destroy(&b->open);
}

/* Until all n are here. */
static void
barrier_wait(struct primer_paper_barrier *b, unsigned n)
{
	enum { LOOKS = 2000 };	/* some microseconds */
	unsigned round = atomic_load(&b->round);
	bool last;

	if (n == 1)
		return;
	pthread_mutex_lock(&b->lock);
	last = ++b->waiting == n;
	if (last) {
		b->waiting = 0;
		atomic_store(&b->round, round + 1);
		pthread_cond_broadcast(&b->open);
	}
	pthread_mutex_unlock(&b->lock);
	for (int i = 0; i < LOOKS && !last; i++)
		last = atomic_load(&b->round) != round;
	if (last)
		return;
	pthread_mutex_lock(&b->lock);
	while (atomic_load(&b->round) == round)
		pthread_cond_wait(&b->open, &b->lock);
	pthread_mutex_unlock(&b->lock);
}

/* How many threads pay for a start. */
static unsigned
active_of(const struct primer_paper_team *t, bool conventional, uint64_t share)
{
	uint64_t width = conventional ? min_u64(t->s.cap - t->s.beg, t->s.n) :
			 t->s.n + t->s.p->par.k;

	return (unsigned)max_u64(1, min_u64(width / share, t->threads));
}

static uint64_t
share_of(uint64_t n, unsigned i, unsigned of)
{
	return n / of * i + (n % of < i ? n % of : i);
}

/*
 * The maximum that is shared, of which the source's critical section is; with
 * optimisation 3 it is entered once by each thread, else with each value.
 */
static void
raise_best(struct primer_paper_team *t, uint64_t rows)
{
	pthread_mutex_lock(&t->lock);
	t->s.rows = max_u64(t->s.rows, rows);
	pthread_mutex_unlock(&t->lock);
}

static void
part_done(struct primer_paper_team *t, unsigned active, uint64_t best,
	  const struct primer_paper_stats *did)
{
	raise_best(t, best);
	pthread_mutex_lock(&t->lock);
	primer_paper_add(&t->s.did, did);
	pthread_mutex_unlock(&t->lock);
	barrier_wait(&t->step, active);
}

/*
 * The matrix by anti-diagonals, of which each value depends on the two before
 * only: row r (from 1) of the one whose rows and columns make `sum`.  Row 0 is
 * 0, column 0 is r.
 */
static uint64_t
on_anti_diagonal(const struct primer_paper_start *s, uint64_t *const d[3],
		 uint64_t sum, uint64_t r)
{
	const uint64_t *one = d[(sum + 2) % 3], *two = d[(sum + 1) % 3];
	uint64_t column = sum - r;
	uint64_t above = r > 1 ? one[r - 1] : 0;
	uint64_t left = column > 1 ? one[r] : r;
	uint64_t both = r == 1 ? 0 : column == 1 ? r - 1 : two[r - 1];

	return min_u64(both + differ(s, r, column), min_u64(above, left) + 1);
}

/* No row is whole before the last anti-diagonals: optimisation 1 has nothing
 * to go by. */
static void
primer_conventional_fine(struct primer_paper_team *t, unsigned me,
			 unsigned active)
{
	const struct primer_paper_start *s = &t->s;
	uint64_t *const d[3] = { s->now, s->then, s->third };
	uint64_t rows = s->cap - s->beg, best = 0;
	struct primer_paper_stats did = { 0 };
	bool own = s->optimisations & PRIMER_PAPER_OWN;

	for (uint64_t sum = 2; s->n && sum <= rows + s->n; sum++) {
		uint64_t first = sum > s->n ? sum - s->n : 1;
		uint64_t n = min_u64(rows, sum - 1) + 1 - first;
		uint64_t r = first + share_of(n, me, active);
		uint64_t end = first + share_of(n, me + 1, active);

		did.values += end - r;
		did.comparisons += end - r;
		for (; r < end; r++) {
			d[sum % 3][r] = on_anti_diagonal(s, d, sum, r);
			if (d[sum % 3][r] >= s->p->par.k || r <= s->known)
				continue;
			best = max_u64(best, r);
			if (!own)
				raise_best(t, r);
		}
		barrier_wait(&t->step, active);
	}
	part_done(t, active, best, &did);
}

/*
 * That a start has no primer is seen by all threads at the end of the same
 * step, though the next one may have begun in some: it has a word of its own.
 */
static void
primer_alternative_fine(struct primer_paper_team *t, unsigned me,
			unsigned active)
{
	const struct primer_paper_start *s = &t->s;
	bool own = s->optimisations & PRIMER_PAPER_OWN, done = false;
	struct primer_paper_stats did = { 0 };
	uint64_t best = 0;

	for (uint64_t c = 0; c < s->p->par.k && !done; c++) {
		struct diagonals x = { .c = c,
				       .now = c & 1 ? s->then : s->now,
				       .then = c & 1 ? s->now : s->then };
		uint64_t n = s->n + 1 + c;

		x.from = (int64_t)share_of(n, me, active) - (int64_t)c;
		x.to = (int64_t)share_of(n, me + 1, active) - (int64_t)c;
		for (int64_t d = x.from; d < x.to; d++) {
			done |= diagonal(s, &x, d, &best, &did);
			if (!own)
				raise_best(t, best);
			if (done && s->optimisations & PRIMER_PAPER_REACHED)
				break;
		}
		done &= (s->optimisations & PRIMER_PAPER_REACHED) != 0;
		if (done)
			atomic_store(&t->done[c & 1], true);
		barrier_wait(&t->step, active);
		done = atomic_load(&t->done[c & 1]);
	}
	part_done(t, active, best, &did);
}

/* All starts of the source's algorithms, for a backend. */

enum { MAX_PLACES = 1 << 30 };	/* places; symbols and differences */

/* stop, cap and end of all places, which are MAX_PLACES at most. */
static uint32_t *
bounds(const struct primer *p)
{
	uint32_t *v = malloc((3 * p->n + 1) * sizeof *v);

	for (uint64_t i = 0; v && i < p->n; i++) {
		v[i] = (uint32_t)p->stop[i];
		v[p->n + i] = (uint32_t)primer_cap(p, i);
		v[2 * p->n + i] = (uint32_t)primer_end(p, i);
	}
	return v;
}

int
primer_paper_by(const struct primer_paper_backend *h, struct primer *p,
		const uint8_t *symbol, size_t n, const struct primer_paper *how,
		struct primer_paper_stats *stats, struct err *e)
{
	struct primer_paper_job j = {
		.how = how, .symbol = symbol, .code = p->code,
		.n = (uint32_t)n, .places = (uint32_t)p->n,
		.k = (uint32_t)p->par.k, .holds = p->holds,
		.literal = p->par.alphabet == PRIMER_LITERAL,
	};
	uint32_t *v;
	int rc;

	if (!p->n)
		return 0;
	if (p->n >= MAX_PLACES || n >= MAX_PLACES - p->par.k)
		return PRIMER_NOT_NOW;
	v = bounds(p);
	if (!v)
		return err_nomem(e, 3 * p->n * sizeof *v);
	j.stop = v;
	j.cap = v + p->n;
	j.end = v + 2 * p->n;
	rc = h->run(h->ctx, &j, stats, e);
	for (uint64_t i = 0; i < p->n && !rc; i++)
		primer_raise(p, i, j.end[i]);
	free(v);
	return rc;
}

/* All starts by the source's algorithms. */

enum {
	TURN = 16,		/* starts in a row that are one team's */
	SHARE = 1024,		/* values take as long as to wait twice */
};

static int
start_room(struct primer_paper_start *s, bool fine, struct err *e)
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
begin_start(struct primer *p, struct primer_paper_start *s, uint64_t start)
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
	const struct primer_paper_start *like;	/* all starts */
	unsigned teams, threads;	/* of each; 0: coarse-grained */
	uint64_t share;		/* values of a step that are worth a thread */
	_Atomic uint64_t next;
	struct primer_paper_team *team;
	int rc;
	struct err *err;
};

static void
coarse(struct paper *x, struct primer_paper_start *s)
{
	uint64_t at;

	while ((at = atomic_fetch_add(&x->next, TURN)) < x->p->n)
		for (uint64_t j = at; j < min_u64(at + TURN, x->p->n); j++) {
			if (!begin_start(x->p, s, j))
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
		if (begin_start(x->p, s, start))
			return start;
	}
}

/* All starts of a team, by each of its threads. */
static void
fine(struct paper *x, struct primer_paper_team *t, unsigned me)
{
	struct primer_paper_start *s = &t->s;
	uint64_t at = UINT64_MAX;	/* the first one's, who knows it */
	unsigned active;

	for (unsigned turn = 0;; turn ^= 1) {
		if (!me) {
			at = next_start(x, s, at);
			atomic_store(&t->done[0], false);
			atomic_store(&t->done[1], false);
			t->active[turn] = at == UINT64_MAX ? 0 : active_of(t,
				x->method == PRIMER_CONVENTIONAL, x->share);
		}
		barrier_wait(&t->all, t->threads);
		active = t->active[turn];
		if (!active)
			return;
		if (me >= active)
			continue;
		if (x->method == PRIMER_ALTERNATIVE)
			primer_alternative_fine(t, me, active);
		else
			primer_conventional_fine(t, me, active);
		if (!me)
			primer_raise(x->p, at, at + s->rows);
	}
}

/* What teams need, when it is known how many threads there are. */
static int
teams_new(struct paper *x, unsigned threads, struct err *e)
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

		t->s = *x->like;
		rc = start_room(&t->s, x->threads, e);
		if (!rc)
			rc = barrier_new(&t->all, e);
		if (!rc)
			rc = barrier_new(&t->step, e);
		if (!rc && pthread_mutex_init(&t->lock, NULL))
			rc = err_set(e, ERR_NOMEM, "no lock");
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
		barrier_free(&t->all);
		barrier_free(&t->step);
		pthread_mutex_destroy(&t->lock);
	}
	free(x->team);
}

static void
when_ready(void *ctx, unsigned threads)
{
	struct paper *x = ctx;

	x->rc = teams_new(x, threads, x->err);
}

static void
in_team(void *ctx, unsigned me)
{
	struct paper *x = ctx;
	unsigned of = (unsigned)max_u64(x->threads, 1), team = me / of;

	if (x->rc || team >= x->teams)
		return;
	if (x->threads)
		fine(x, &x->team[team], me % of);
	else
		coarse(x, &x->team[team].s);
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
	struct paper x = { .p = p, .method = how->method, .like = &like,
			   .threads = how->fine, .err = e,
			   .share = how->share ? how->share : SHARE };
	uint64_t all = max_u64(how->coarse, 1) * max_u64(how->fine, 1);

	if (all > PRIMER_PAPER_THREADS)
		return err_set(e, ERR_USAGE, "threads must be at most %d",
			       PRIMER_PAPER_THREADS);
	threads_team((unsigned)all, when_ready, in_team, &x);
	teams_free(&x, stats);
	return x.rc;
}
