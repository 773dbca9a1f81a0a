/* SPDX-License-Identifier: MIT */
/* hits_names.c - a table of the names that rows speak of */
#include "stream/hits_names.h"

#include <stdlib.h>

#include "base/hash.h"

static bool
grow(struct hits_names *t)
{
	size_t n = t->n_slots ? 2 * t->n_slots : 64;
	uint32_t *slot = calloc(n, sizeof *slot);

	if (!slot)
		return false;
	for (uint32_t i = 0; i < t->n; i++) {
		size_t at = hits_entry(t, i)->hash & (n - 1);

		while (slot[at])
			at = (at + 1) & (n - 1);
		slot[at] = i + 1;
	}
	free(t->slot);
	t->slot = slot;
	t->n_slots = n;
	return true;
}

static bool
add(struct hits_names *t, size_t at, const struct hits_entry *key,
    struct str name)
{
	struct hits_entry n = *key;

	n.name = t->text.n;
	n.n_name = name.n;
	buf_put(&t->text, name.p, name.n);
	buf_put(&t->entry, &n, sizeof n);
	if (t->text.bad || t->entry.bad)
		return false;
	t->last = t->n++;
	t->slot[at] = t->n;
	return true;
}

bool
hits_names_search(struct hits_names *t, uint64_t ordinal, uint64_t len,
		  struct str name)
{
	uint64_t key[2] = { ordinal, len };
	struct hits_entry n = { .ordinal = ordinal, .len = len };
	size_t at;

	if (4 * (uint64_t)t->n >= 3 * (uint64_t)t->n_slots && !grow(t))
		return false;
	/* forged frames may name one ordinal in as many ways as they like */
	n.hash = hash64(key, sizeof key,
			name.n ? hash64(name.p, name.n, 0) : 0);
	for (at = n.hash & (t->n_slots - 1); t->slot[at];
	     at = (at + 1) & (t->n_slots - 1)) {
		uint32_t i = t->slot[at] - 1;

		if (hits_entry(t, i)->hash == n.hash &&
		    hits_entry_is(t, i, ordinal, len, name)) {
			t->last = i;
			return true;
		}
	}
	return add(t, at, &n, name);
}

void
hits_names_clear(struct hits_names *t)
{
	t->n = t->last = 0;
	t->entry.n = t->text.n = 0;
	if (t->n_slots)
		memset(t->slot, 0, t->n_slots * sizeof *t->slot);
}

void
hits_names_free(struct hits_names *t)
{
	buf_free(&t->entry);
	buf_free(&t->text);
	free(t->slot);
}
