/* SPDX-License-Identifier: MIT */
/* lengths.h - names and lengths of subjects by (run, ordinal) */
#ifndef SEQF_COLLECT_LENGTHS_H
#define SEQF_COLLECT_LENGTHS_H

#include "base/base.h"

struct subject_len {
	uint64_t run, ordinal;
	uint64_t length;	/* LEN_UNKNOWN (result.h) until given */
	size_t name_at, name_n;
	bool named;
	bool circular;		/* a row says so */
};

struct lengths {	/* all zero: empty */
	struct subject_len *v;	/* in the order they came */
	size_t n, cap;
	uint32_t *slot;		/* index + 1 into v, 0 free */
	size_t n_slots;		/* a power of two, at least 2 * n */
	struct buf names;
};

/*
 * Records a length and, if name.p is not NULL, a name; with length LEN_UNKNOWN
 * the name only.  ERR_FORMAT if another length was given before; ERR_NOMEM;
 * ERR_LIMIT.
 */
int lengths_put(struct lengths *l, uint64_t run, uint64_t ordinal,
		struct str name, uint64_t length, struct err *e);
/* NULL if nothing is known of it. */
const struct subject_len *lengths_get(const struct lengths *l, uint64_t run,
				      uint64_t ordinal);
/* It is known by now. */
void lengths_set_circular(struct lengths *l, uint64_t run, uint64_t ordinal);
struct str lengths_name(const struct lengths *l, const struct subject_len *s);
void lengths_free(struct lengths *l);

#endif
