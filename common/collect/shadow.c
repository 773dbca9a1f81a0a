/* SPDX-License-Identifier: MIT */
/* shadow.c - intervals that none with fewer edits hides */

#include <stdlib.h>
#include <string.h>

#include "collect/shadow.h"

enum { ROW_MEMORY = 1 << 20 };

/* Do they overlap by more than half of the shorter? */
static bool
mostly_overlap(const struct shadow_of *a, const struct shadow_of *b)
{
	uint64_t from = max_u64(a->beg, b->beg), to = min_u64(a->end, b->end);
	uint64_t shorter = min_u64(a->end - a->beg, b->end - b->beg);

	return from < to && to - from > shorter / 2;	/* of an odd one, too */
}

static void
compare(struct shadow_of *a, struct shadow_of *b)
{
	if (a->edits == b->edits || !mostly_overlap(a, b))
		return;
	if (a->edits < b->edits)
		b->hidden = true;
	else
		a->hidden = true;
}

/* What ends before beg and was handed out goes; the rest moves to the front
 * when that is cheap. */
static void
forget(struct shadow *s, uint64_t beg)
{
	while (s->first < s->next && s->v[s->first].end <= beg)
		s->first++;
	if (s->first <= s->n / 2)
		return;
	memmove(s->v, s->v + s->first, (s->n - s->first) * sizeof *s->v);
	s->n -= s->first;
	s->next -= s->first;
	s->first = 0;
}

int
shadow_add(struct shadow *s, const struct shadow_of *x, const void *row,
	   size_t n, struct err *e)
{
	struct shadow_of *new;
	int rc;

	forget(s, x->beg);
	rc = array_room(&s->v, &s->cap, s->n + 1, sizeof *s->v, e);
	if (rc)
		return rc;
	new = &s->v[s->n];
	*new = *x;
	new->hidden = false;
	for (size_t i = s->first; i < s->n; i++)
		compare(&s->v[i], new);
	s->n++;
	s->rows.memory = ROW_MEMORY;
	return queue_push(&s->rows, row, n, e);
}

int
shadow_next(struct shadow *s, uint64_t beg, const void **row, struct err *e)
{
	while (s->next < s->n && s->v[s->next].end <= beg) {
		const struct shadow_of *x = &s->v[s->next];
		const uint8_t *p;
		size_t n;
		int rc = queue_first(&s->rows, &p, &n, e);

		if (rc < 0)
			return rc;
		s->row.n = 0;
		buf_put(&s->row, p, n);
		queue_pop(&s->rows);
		s->next++;
		if (s->row.bad)
			return err_nomem(e, n);
		*row = s->row.p;
		if (!x->hidden)
			return 1;
	}
	return 0;
}

void
shadow_clear(struct shadow *s)
{
	s->first = s->next = s->n = 0;
}

void
shadow_free(struct shadow *s)
{
	free(s->v);
	queue_free(&s->rows);
	buf_free(&s->row);
	memset(s, 0, sizeof *s);
}
