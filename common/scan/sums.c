/* SPDX-License-Identifier: MIT */
/* sums.c - tallies of many chunks added up */
#include "scan/sums.h"

#include <stdlib.h>

static int
cmp(const struct sum *s, uint64_t scan, const struct tally_row *r)
{
	if (s->scan != scan)
		return s->scan < scan ? -1 : 1;
	if (s->row.query.ordinal != r->query.ordinal)
		return s->row.query.ordinal < r->query.ordinal ? -1 : 1;
	if (s->row.minus != r->minus)
		return s->row.minus ? 1 : -1;
	if (s->row.edits != r->edits)
		return s->row.edits < r->edits ? -1 : 1;
	return 0;
}

/* The first row that is not before (scan, r). */
static size_t
place(const struct sums *s, uint64_t scan, const struct tally_row *r)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (cmp(&s->v[mid], scan, r) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int
insert(struct sums *s, size_t i, uint64_t scan, const struct tally_row *r,
       struct err *e)
{
	char *name = malloc(r->query.name.n + 1);

	if (!name)
		return err_nomem(e, r->query.name.n + 1);
	if (s->n == s->cap) {
		size_t cap = s->cap * 2 + 16;
		struct sum *v = realloc(s->v, cap * sizeof *v);

		if (!v) {
			free(name);
			return err_nomem(e, cap * sizeof *v);
		}
		s->v = v;
		s->cap = cap;
	}
	memmove(s->v + i + 1, s->v + i, (s->n++ - i) * sizeof *s->v);
	if (r->query.name.n)
		memcpy(name, r->query.name.p, r->query.name.n);
	s->v[i] = (struct sum){ scan, *r };
	s->v[i].row.query.name.p = name;
	return 0;
}

int
sums_add(struct sums *s, const struct tally *t, struct err *e)
{
	uint64_t scan = t->receipt.scan.id;
	int rc = 0;

	for (size_t j = 0; j < t->n_rows && !rc; j++) {
		const struct tally_row *r = &t->row[j];
		size_t i = place(s, scan, r);

		if (i == s->n || cmp(&s->v[i], scan, r) != 0)
			rc = insert(s, i, scan, r, e);
		else if (__builtin_add_overflow(s->v[i].row.count, r->count,
						&s->v[i].row.count))
			rc = err_set(e, ERR_LIMIT, "a count exceeds 64 bits");
	}
	return rc;
}

void
sums_free(struct sums *s)
{
	for (size_t i = 0; i < s->n; i++)
		free((char *)s->v[i].row.query.name.p);
	free(s->v);
	memset(s, 0, sizeof *s);
}
