/* SPDX-License-Identifier: MIT */
/* sw_paths.h - the best of a case and their paths beside the textbook */
#ifndef SEQF_SW_PATHS_H
#define SEQF_SW_PATHS_H

#include "sw/sw_trace.h"
#include "tests/lib/sw_case.h"

struct paths {
	const struct swc *x;
	struct buf ops;
	size_t n;
	bool good;
};

static inline int
take_ops(void *ctx, size_t i, struct err *e)
{
	struct paths *p = ctx;

	(void)e;
	p->n++;
	p->good = p->good && swc_same_ops(&p->ops, &p->x->want.v[i]);
	return 0;
}

/* All from a score on; the text is so many sequences, one behind the other. */
static inline bool
check_best(const struct swg_case *c, size_t subjects, int64_t least,
	   struct sw_work *work)
{
	struct swc x = { .s = &c->s, .q = c->q, .n = c->n, .least = least,
			 .kind = SW_ALIGNMENTS, .n_subjects = subjects };
	struct paths p = { .x = &x, .good = true };
	struct sw_hits h = { 0 };
	struct osw_scoring s;
	struct sw_query *q;
	struct err e;
	size_t n = c->m / subjects;

	for (size_t i = 0; i < subjects; i++)
		x.subject[i] = (struct swc_subject){ .t = c->t + i * n,
						     .n = n };
	swc_ready(&x);
	swg_oracle(&c->s, &s);
	if (sw_query_new(&q, &c->s, c->q, c->n, false, SW_SKEW, &e))
		abort();
	p.good = swc_check(&x, SW_SKEW, x.want.n + 1, work, &h) &&
		 !sw_trace_each(q, &x.text, h.v, h.n, s.same, work, &p.ops,
				take_ops, &p, &e) && p.good &&
		 p.n == x.want.n;
	/* once more, as if no path were known */
	p.good = p.good && !sw_paths_reset(work, q, &x.text, &e) &&
		 !sw_trace_each(q, &x.text, h.v, h.n, s.same, work, &p.ops,
				take_ops, &p, &e) && p.good &&
		 p.n == 2 * x.want.n;
	buf_free(&p.ops);
	sw_query_free(q);
	sw_hits_free(&h);
	swc_free(&x);
	return p.good;
}

#endif
