/* SPDX-License-Identifier: MIT */
/*
 * oracle_sw.h - the best K local alignments, in all three readings
 *
 * Everything is written for reading, nothing for speed; nothing of common/ is
 * used.  osw_best() is one query on one strand over several subjects.
 */
#ifndef SEQF_ORACLE_SW_H
#define SEQF_ORACLE_SW_H

#include "tests/oracle/oracle_gotoh.h"

enum osw_reading { OSW_ALIGNMENTS, OSW_CELLS, OSW_WATERMAN_EGGERT };

struct osw_hits {	/* zero it first */
	struct osw_hit *v;
	size_t n;
};

/*
 * Starts of all cells, each from the cell its first step leads to: the place
 * i * width + j of the start, SIZE_MAX where H = 0.
 */
struct osw_starts {
	size_t *h, *e, *f;
};

static inline size_t
osw_start_of(const struct osw *x, const struct osw_starts *s, struct osw_at a)
{
	size_t c;

	(void)osw_step(x, &a);
	c = a.i * x->width + a.j;
	if (osw_at_start(x, &a))
		return c;
	return a.in == OSW_H ? s->h[c] : a.in == OSW_E ? s->e[c] : s->f[c];
}

/* To be freed: h. */
static inline struct osw_starts
osw_all_starts(const struct osw *x)
{
	size_t n = (x->query.n + 1) * x->width;
	struct osw_starts s = { osw_alloc(3 * n, sizeof *s.h), NULL, NULL };

	s.e = s.h + n;
	s.f = s.e + n;
	for (size_t i = 0; i <= x->query.n; i++)
		for (size_t j = 0; j < x->width; j++) {
			size_t c = i * x->width + j;

			s.h[c] = s.e[c] = s.f[c] = SIZE_MAX;
			if (i && j && x->E[c] > 0)
				s.e[c] = osw_start_of(x, &s,
				    (struct osw_at){ i, j, OSW_E });
			if (i && j && x->F[c] > 0)
				s.f[c] = osw_start_of(x, &s,
				    (struct osw_at){ i, j, OSW_F });
			if (x->H[c] > 0)
				s.h[c] = osw_start_of(x, &s,
				    (struct osw_at){ i, j, OSW_H });
		}
	return s;
}

static inline struct osw_hit *
osw_add(struct osw_hits *h, const struct osw *x, size_t i, size_t j)
{
	if (!(h->n & (h->n - 1))) {	/* full at 0 and at powers of 2 */
		h->v = realloc(h->v, (2 * h->n + 1) * sizeof *h->v);
		if (!h->v)
			abort();
	}
	h->v[h->n] = (struct osw_hit){
		.score = x->H[i * x->width + j], .subject = x->number,
		.qend = i, .end = j, .query = x->query,
	};
	return &h->v[h->n++];
}

static inline void
osw_hits_free(struct osw_hits *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->v[i].ops);
	free(h->v);
	*h = (struct osw_hits){ 0 };
}

/* Does the cell belong to --kind=cells? */
static inline bool
osw_is_cell(const struct osw *x, size_t i, size_t j)
{
	int64_t s = x->s->s[x->query.q[i - 1]][x->subject.t[j - 1]];

	return s > 0 && x->H[i * x->width + j] == osw_diagonal(x, i, j);
}

/* Row and column ends are 1-based cells, and ends of half-open ranges. */
static inline void
osw_cells(const struct osw *x, int64_t least, struct osw_hits *h)
{
	for (size_t i = 1; i <= x->query.n; i++)
		for (size_t j = x->subject.own + 1; j < x->width; j++)
			if (x->H[i * x->width + j] >= least &&
			    osw_is_cell(x, i, j))
				osw_trace(x, osw_add(h, x, i, j));
}

/* One hit per start: the largest H; then the least column; then row. */
static inline void
osw_classes(const struct osw *x, int64_t least, struct osw_hits *h)
{
	struct osw_starts s = osw_all_starts(x);
	size_t n = (x->query.n + 1) * x->width;
	size_t *best = osw_alloc(n, sizeof *best);	/* 0: none */

	for (size_t j = x->subject.own + 1; j < x->width; j++)
		for (size_t i = 1; i <= x->query.n; i++) {
			size_t c = i * x->width + j, *b;

			if (x->H[c] < least)
				continue;
			b = &best[s.h[c]];
			if (!*b || x->H[c] > x->H[*b])
				*b = c;
		}
	for (size_t c = 0; c < n; c++)
		if (best[c])
			osw_trace(x, osw_add(h, x, best[c] / x->width,
					     best[c] % x->width));
	free(best);
	free(s.h);
}

/* End, or begin, on the query as given. */
static inline size_t
osw_given_qend(const struct osw_hit *h)
{
	return h->query.minus ? h->query.n - h->qbeg : h->qend;
}

static inline size_t
osw_given_qbeg(const struct osw_hit *h)
{
	return h->query.minus ? h->query.n - h->qend : h->qbeg;
}

/* Score, subject, end, qend, begin, strand, qbeg. */
static inline int
osw_cmp(const void *x, const void *y)
{
	const struct osw_hit *a = x, *b = y;
	size_t ka[] = { a->subject, a->end, osw_given_qend(a), a->beg,
			a->query.minus, osw_given_qbeg(a) };
	size_t kb[] = { b->subject, b->end, osw_given_qend(b), b->beg,
			b->query.minus, osw_given_qbeg(b) };

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	for (size_t i = 0; i < sizeof ka / sizeof *ka; i++)
		if (ka[i] != kb[i])
			return ka[i] < kb[i] ? -1 : 1;
	return 0;
}

/*
 * Waterman and Eggert: the best cell (largest H, then least column, then row),
 * its alignment, whose pairs are forbidden from now on; k times, and as long
 * as scores are that of the k-th: on the minus strand the order of rows is not
 * that of cells, so any of these may be among the first k rows.
 */
static inline void
osw_waterman_eggert(struct osw *x, int64_t least, size_t k, struct osw_hits *h)
{
	for (;; k -= k > 0) {
		size_t bi = 0, bj = 0;	/* H(0, 0) = 0 */
		struct osw_hit *hit;
		struct osw_at a;

		for (size_t j = x->subject.own + 1; j < x->width; j++)
			for (size_t i = 1; i <= x->query.n; i++)
				if (x->H[i * x->width + j] >
				    x->H[bi * x->width + bj])
					bi = i, bj = j;
		if (x->H[bi * x->width + bj] < least)
			return;
		if (k <= 1)	/* of the k-th on */
			least = x->H[bi * x->width + bj];
		hit = osw_add(h, x, bi, bj);
		osw_trace(x, hit);
		a = (struct osw_at){ hit->qbeg, hit->beg, OSW_H };
		for (size_t i = 0; i < hit->n_ops; i++) {
			a.i += hit->ops[i] != 'D';
			a.j += hit->ops[i] != 'I';
			if (strchr("=X", hit->ops[i]))
				x->forbidden[a.i * x->width + a.j] = true;
		}
		osw_fill(x);
	}
}

/* All hits of a query in a subject that may be among the best k. */
static inline void
osw_search(const struct osw_scoring *s, struct osw_query query,
	   struct osw_subject subject, size_t number,
	   enum osw_reading reading, size_t k, int64_t least,
	   struct osw_hits *h)
{
	struct osw x = osw_new(s, query, subject, number);

	if (least < 1)
		least = 1;
	if (reading == OSW_ALIGNMENTS)
		osw_classes(&x, least, h);
	else if (reading == OSW_CELLS)
		osw_cells(&x, least, h);
	else
		osw_waterman_eggert(&x, least, k, h);
	osw_free(&x);
}

/*
 * The first k of all in order.  Pairs of different subjects and strands do not
 * forbid each other, and what one of them gives never rises: so those that
 * Waterman and Eggert take score no less than the k-th of each.
 */
static inline void
osw_cut(struct osw_hits *h, size_t k)
{
	if (h->n)
		qsort(h->v, h->n, sizeof *h->v, osw_cmp);
	while (h->n > k)
		free(h->v[--h->n].ops);
}

/* The best k of a query on one strand over several subjects. */
static inline struct osw_hits
osw_best(const struct osw_scoring *s, struct osw_query query,
	 const struct osw_subject *subject, size_t n_subjects,
	 enum osw_reading reading, size_t k, int64_t least)
{
	struct osw_hits h = { 0 };

	for (size_t i = 0; i < n_subjects; i++)
		osw_search(s, query, subject[i], i, reading, k, least, &h);
	osw_cut(&h, k);
	return h;
}

#endif
