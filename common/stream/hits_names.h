/* SPDX-License-Identifier: MIT */
/* hits_names.h - inside of hits: a table of the names that rows speak of */
#ifndef SEQF_HITS_NAMES_H
#define SEQF_HITS_NAMES_H

#include "base/buf.h"

/*
 * A table of names by ordinal, length and name.  A name that was used by the
 * row before is found without hashing; hits come sorted by subject.
 */
struct hits_entry {
	uint64_t ordinal, len, hash;
	size_t name, n_name;	/* in text */
};

struct hits_names {	/* zero it first */
	struct buf entry;	/* struct hits_entry */
	struct buf text;
	uint32_t *slot;		/* entry + 1, or 0; open addressing */
	size_t n_slots;		/* a power of two, or 0 */
	uint32_t n, last;
};

static inline struct hits_entry *
hits_entry(const struct hits_names *t, uint32_t i)
{
	return (struct hits_entry *)(void *)t->entry.p + i;
}

static inline bool
hits_entry_is(const struct hits_names *t, uint32_t i, uint64_t ordinal,
	      uint64_t len, struct str name)
{
	const struct hits_entry *n = hits_entry(t, i);

	if (n->ordinal != ordinal || n->len != len || n->n_name != name.n)
		return false;
	return name.n == 0 ||
	       memcmp(t->text.p + n->name, name.p, name.n) == 0;
}

static inline struct str
hits_name(const struct hits_names *t, const struct hits_entry *n)
{
	struct str s = { NULL, n->n_name };

	if (n->n_name)
		s.p = (const char *)t->text.p + n->name;
	return s;
}

/* Bytes this table takes in memory, and, nearly, in a frame. */
static inline size_t
hits_names_bytes(const struct hits_names *t)
{
	return t->entry.n + t->text.n;
}

/* hits_names_find() where it is not the last one. */
bool hits_names_search(struct hits_names *t, uint64_t ordinal, uint64_t len,
		       struct str name);
/* Makes t->last the entry's index, a new one's if it is new; false: there is
 * no memory. */
static inline bool
hits_names_find(struct hits_names *t, uint64_t ordinal, uint64_t len,
		struct str name)
{
	return (t->n && hits_entry_is(t, t->last, ordinal, len, name)) ||
	       hits_names_search(t, ordinal, len, name);
}

void hits_names_clear(struct hits_names *t);
void hits_names_free(struct hits_names *t);

#endif
