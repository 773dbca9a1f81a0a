/* SPDX-License-Identifier: MIT */
/*
 * oracle_gotoh.h - local alignment by the textbook: one query, one subject
 *
 * Gotoh with whole matrices of 64-bit numbers, and its traceback.  Nothing of
 * common/ is used.
 */
#ifndef SEQF_ORACLE_GOTOH_H
#define SEQF_ORACLE_GOTOH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { OSW_LETTERS = 64 };

struct osw_scoring {
	int64_t s[OSW_LETTERS][OSW_LETTERS];	/* [query][subject] */
	int64_t open, extend;
	uint8_t same[OSW_LETTERS];	/* reported as =; 255: none */
};

struct osw_query {
	const uint8_t *q;
	size_t n;
	bool minus;	/* q is the reverse complement of what was given */
};

struct osw_subject {
	const uint8_t *t;
	size_t n;
	size_t own;	/* cells of columns before it do not count */
};

/* Rows [qbeg, qend) of the query as it is aligned, columns [beg, end). */
struct osw_hit {
	int64_t score;
	size_t subject, qbeg, qend, beg, end;
	struct osw_query query;
	char *ops;	/* one letter each of = X I D; malloced */
	size_t n_ops;
};

/* Matrices of (query.n + 1) x (subject.n + 1): cell i, j = i * width + j. */
struct osw {
	const struct osw_scoring *s;
	struct osw_query query;
	struct osw_subject subject;
	size_t number, width;
	int64_t *H, *E, *F;
	bool *forbidden;	/* pairs */
};

static const int64_t osw_never = INT64_MIN / 4;

static inline int64_t
osw_max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static inline void *
osw_alloc(size_t n, size_t size)
{
	void *p = calloc(n + !n, size);

	if (!p)
		abort();
	return p;
}

/* H(i-1,j-1) + s(q_i, t_j), or never. */
static inline int64_t
osw_diagonal(const struct osw *x, size_t i, size_t j)
{
	if (x->forbidden[i * x->width + j])
		return osw_never;
	return x->H[(i - 1) * x->width + j - 1] +
	       x->s->s[x->query.q[i - 1]][x->subject.t[j - 1]];
}

static inline void
osw_fill(struct osw *x)
{
	int64_t open = x->s->open, extend = x->s->extend;

	for (size_t i = 0; i <= x->query.n; i++)
		for (size_t j = 0; j < x->width; j++) {
			size_t c = i * x->width + j, left = c - 1;
			size_t up = c - x->width;

			x->H[c] = 0;
			x->E[c] = x->F[c] = osw_never;
			if (i == 0 || j == 0)
				continue;
			x->E[c] = osw_max(x->H[left] - open, x->E[left]) -
				  extend;
			x->F[c] = osw_max(x->H[up] - open, x->F[up]) - extend;
			x->H[c] = osw_max(osw_max(0, osw_diagonal(x, i, j)),
					  osw_max(x->E[c], x->F[c]));
		}
}

static inline struct osw
osw_new(const struct osw_scoring *s, struct osw_query query,
	struct osw_subject subject, size_t number)
{
	size_t n = (query.n + 1) * (subject.n + 1);
	struct osw x = {
		.s = s, .query = query, .subject = subject, .number = number,
		.width = subject.n + 1,
		.H = osw_alloc(n, sizeof *x.H), .E = osw_alloc(n, sizeof *x.E),
		.F = osw_alloc(n, sizeof *x.F),
		.forbidden = osw_alloc(n, sizeof *x.forbidden),
	};

	osw_fill(&x);
	return x;
}

static inline void
osw_free(struct osw *x)
{
	free(x->H);
	free(x->E);
	free(x->F);
	free(x->forbidden);
}

/*
 * The traceback, a step at a time.  In H: the diagonal, else E, else F.  In a
 * gap: leave it, if that may be, else go on.  The start is the cell with H = 0
 * that a diagonal step comes from.
 */
enum osw_state { OSW_H, OSW_E, OSW_F };
struct osw_at {
	size_t i, j;
	enum osw_state in;
};

/* What the step consumes (M, D, I), or 0: only the matrix changes. */
static inline char
osw_step(const struct osw *x, struct osw_at *a)
{
	size_t c = a->i * x->width + a->j;
	int64_t open = x->s->open, extend = x->s->extend;

	if (a->in == OSW_H && x->H[c] == osw_diagonal(x, a->i, a->j)) {
		a->i--;
		a->j--;
		return 'M';
	}
	if (a->in == OSW_H) {
		a->in = x->H[c] == x->E[c] ? OSW_E : OSW_F;
		return 0;
	}
	if (a->in == OSW_E) {
		if (x->E[c] == x->H[c - 1] - open - extend)
			a->in = OSW_H;
		a->j--;
		return 'D';
	}
	if (x->F[c] == x->H[c - x->width] - open - extend)
		a->in = OSW_H;
	a->i--;
	return 'I';
}

static inline bool
osw_at_start(const struct osw *x, const struct osw_at *a)
{
	return a->in == OSW_H && x->H[a->i * x->width + a->j] == 0;
}

/* Starts and operations of h from its end cell. */
static inline void
osw_trace(const struct osw *x, struct osw_hit *h)
{
	struct osw_at a = { h->qend, h->end, OSW_H };

	h->ops = osw_alloc(h->qend + h->end, 1);
	for (h->n_ops = 0; !osw_at_start(x, &a);) {
		char op = osw_step(x, &a);

		if (op == 'M')
			op = x->s->same[x->query.q[a.i]] == x->subject.t[a.j] ?
			     '=' : 'X';
		if (op)
			h->ops[h->n_ops++] = op;
	}
	h->qbeg = a.i;
	h->beg = a.j;
	for (size_t k = 0; k < h->n_ops / 2; k++) {
		char op = h->ops[k];

		h->ops[k] = h->ops[h->n_ops - 1 - k];
		h->ops[h->n_ops - 1 - k] = op;
	}
}

#endif
