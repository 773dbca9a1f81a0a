/* SPDX-License-Identifier: MIT */
/* sw_marks.c - columns that a pass leaves to those who compute again */
#include "algo/sw_lanes.h"

enum {
	MOST = 128,	/* marks: 1 KB a row */
	SHARE = 16,	/* of what lanes may take */
};

int
sw_marks_reset(struct sw_work *w, const struct sw_pass *p, uint64_t step,
	       struct err *e)
{
	struct sw_marks *m = &w->marks;
	size_t all = w->lanes_bytes ? w->lanes_bytes : SW_LANES_BYTES;
	size_t most = all / SHARE / sizeof *m->v / p->q->n;
	uint64_t n = p->t->n / step;	/* or one less: not at the end */
	int rc;

	m->n = 0;
	m->pruned = false;
	if (!most || !n)
		return 0;
	most = most < MOST ? most : MOST;
	m->every = (n + most - 1) / most * step;
	n = (p->t->n - 1) / m->every;
	rc = array_room(&m->v, &m->cap, n * p->q->n, sizeof *m->v, e);
	if (rc)
		return rc;
	m->q = p->q;
	m->codes = p->t->codes;
	m->n = n;
	return 0;
}

const struct sw_mark *
sw_marks_before(const struct sw_marks *m, const struct sw_query *q,
		const struct sw_text *t, uint64_t from, uint64_t *column)
{
	uint64_t n;

	if (!m->n || m->q != q || m->codes != t->codes)
		return NULL;
	n = *column / m->every < m->n ? *column / m->every : m->n;
	if (!n || n * m->every <= from)
		return NULL;
	*column = n * m->every;
	return m->v + (n - 1) * q->n;
}
