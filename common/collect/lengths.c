/* SPDX-License-Identifier: MIT */
/* lengths.c - names and lengths of subjects by (run, ordinal) */

#include <stdlib.h>

#include "base/base.h"
#include "collect/collect.h"
#include "rec/rec.h"

/*
 * The slot that holds the subject, or the free one where it belongs.  Subjects
 * come in order mostly: 16 neighbours lie in one line of the cache.
 */
static size_t
find(const struct lengths *l, uint64_t run, uint64_t ordinal)
{
	uint64_t key[2] = { run, ordinal / 16 };
	size_t mask = l->n_slots - 1, i;

	i = (hash64(key, sizeof key, 0) * 16 + ordinal % 16) & mask;
	for (;; i = (i + 1) & mask) {
		const struct subject_len *s;

		if (!l->slot[i])
			return i;
		s = &l->v[l->slot[i] - 1];
		if (s->run == run && s->ordinal == ordinal)
			return i;
	}
}

/* Room for one more entry, at most half of the slots in use. */
static int
grow(struct lengths *l, struct err *e)
{
	int r;

	if (l->n >= UINT32_MAX / 2)
		return err_set(e, ERR_LIMIT, "more than %u sequences",
			       UINT32_MAX / 2);
	r = array_room(&l->v, &l->cap, l->n + 1, sizeof *l->v, e);
	if (r || l->n < l->n_slots / 2)
		return r;
	r = slots_double(&l->slot, &l->n_slots, sizeof *l->slot, e);
	for (size_t i = 0; i < l->n && r == 0; i++)
		l->slot[find(l, l->v[i].run, l->v[i].ordinal)] =
			(uint32_t)i + 1;
	return r;
}

static int
add(struct lengths *l, uint64_t run, uint64_t ordinal,
    struct subject_len **out, struct err *e)
{
	int r = grow(l, e);
	size_t at;

	if (r < 0)
		return r;
	at = find(l, run, ordinal);
	if (!l->slot[at]) {
		struct subject_len s = { run, ordinal, LEN_UNKNOWN, 0, 0,
					 false, false };

		l->v[l->n++] = s;
		l->slot[at] = (uint32_t)l->n;
	}
	*out = &l->v[l->slot[at] - 1];
	return 0;
}

int
lengths_put(struct lengths *l, uint64_t run, uint64_t ordinal,
	    struct str name, uint64_t length, struct err *e)
{
	struct subject_len *s;
	int r = add(l, run, ordinal, &s, e);

	if (r < 0)
		return r;
	if (name.p && !s->named) {
		s->name_at = l->names.n;
		s->name_n = name.n;
		s->named = true;
		buf_put(&l->names, name.p, name.n);
		if (l->names.bad)
			return err_nomem(e, name.n);
	}
	if (length == LEN_UNKNOWN || s->length == length)
		return 0;
	if (s->length != LEN_UNKNOWN)
		return err_set(e, ERR_FORMAT, "sequence %llu has two lengths, "
			       "%llu and %llu", (unsigned long long)ordinal,
			       (unsigned long long)s->length,
			       (unsigned long long)length);
	s->length = length;
	return 0;
}

const struct subject_len *
lengths_get(const struct lengths *l, uint64_t run, uint64_t ordinal)
{
	size_t at;

	if (!l->n)
		return NULL;
	at = find(l, run, ordinal);
	return l->slot[at] ? &l->v[l->slot[at] - 1] : NULL;
}

void
lengths_set_circular(struct lengths *l, uint64_t run, uint64_t ordinal)
{
	size_t at = l->n ? find(l, run, ordinal) : 0;

	if (l->n && l->slot[at])
		l->v[l->slot[at] - 1].circular = true;
}

struct str
lengths_name(const struct lengths *l, const struct subject_len *s)
{
	struct str name = { "", s->name_n };

	if (s->name_n)
		name.p = (const char *)l->names.p + s->name_at;
	return name;
}

void
lengths_free(struct lengths *l)
{
	free(l->v);
	free(l->slot);
	buf_free(&l->names);
	memset(l, 0, sizeof *l);
}
