/* SPDX-License-Identifier: MIT */
/* primer_paper_start.c - a start's matrix, and its diagonals */
#include "algo/primer_paper_priv.h"
#include "base/minmax.h"

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
void
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

static uint64_t
share(uint64_t n, unsigned i, unsigned of)
{
	return n / of * i + (n % of < i ? n % of : i);
}

/*
 * The maximum that is shared, of which the source's critical section is; with
 * optimisation 3 it is entered once by each thread, else with each value.
 */
static void
raise(struct primer_paper_team *t, uint64_t rows)
{
	pthread_mutex_lock(&t->lock);
	t->s.rows = max_u64(t->s.rows, rows);
	pthread_mutex_unlock(&t->lock);
}

static void
part_done(struct primer_paper_team *t, uint64_t best,
	  const struct primer_paper_stats *did)
{
	raise(t, best);
	pthread_mutex_lock(&t->lock);
	primer_paper_add(&t->s.did, did);
	pthread_mutex_unlock(&t->lock);
	pthread_barrier_wait(&t->all);
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
void
primer_conventional_fine(struct primer_paper_team *t, unsigned me)
{
	const struct primer_paper_start *s = &t->s;
	uint64_t *const d[3] = { s->now, s->then, s->third };
	uint64_t rows = s->cap - s->beg, best = 0;
	struct primer_paper_stats did = { 0 };
	bool own = s->optimisations & PRIMER_PAPER_OWN;

	for (uint64_t sum = 2; s->n && sum <= rows + s->n; sum++) {
		uint64_t first = sum > s->n ? sum - s->n : 1;
		uint64_t n = min_u64(rows, sum - 1) + 1 - first;
		uint64_t r = first + share(n, me, t->threads);
		uint64_t end = first + share(n, me + 1, t->threads);

		did.values += end - r;
		did.comparisons += end - r;
		for (; r < end; r++) {
			d[sum % 3][r] = on_anti_diagonal(s, d, sum, r);
			if (d[sum % 3][r] >= s->p->par.k || r <= s->known)
				continue;
			best = max_u64(best, r);
			if (!own)
				raise(t, r);
		}
		pthread_barrier_wait(&t->all);
	}
	part_done(t, best, &did);
}

/*
 * That a start has no primer is seen by all threads at the end of the same
 * step, though the next one may have begun in some: it has a word of its own.
 */
void
primer_alternative_fine(struct primer_paper_team *t, unsigned me)
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

		x.from = (int64_t)share(n, me, t->threads) - (int64_t)c;
		x.to = (int64_t)share(n, me + 1, t->threads) - (int64_t)c;
		for (int64_t d = x.from; d < x.to; d++) {
			done |= diagonal(s, &x, d, &best, &did);
			if (!own)
				raise(t, best);
			if (done && s->optimisations & PRIMER_PAPER_REACHED)
				break;
		}
		done &= (s->optimisations & PRIMER_PAPER_REACHED) != 0;
		if (done)
			atomic_store(&t->done[c & 1], true);
		pthread_barrier_wait(&t->all);
		done = atomic_load(&t->done[c & 1]);
	}
	part_done(t, best, &did);
}
