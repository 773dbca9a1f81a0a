/* SPDX-License-Identifier: MIT */
/* opt_priv.h - what the parts of opt.h share; for opt*.c only */
#ifndef SEQF_OPT_PRIV_H
#define SEQF_OPT_PRIV_H

#include "base/opt.h"

/* The options that every program has, ended as any table. */
extern const struct opt opt_common[];

/* Entry i of the program's table, then of opt_common; NULL behind the last. */
const struct opt *opt_at(const struct opt_spec *spec, size_t i);

/* Whether the argument is completed as a name of a file. */
static inline bool
opt_is_file(const struct opt *o)
{
	return o->kind == OPT_FILE || o->kind == OPT_LISTFILE;
}

/* "0 to 63", "at least 1", or nothing where any number will do. */
struct opt_range {
	char text[64];
};
struct opt_range opt_range(int64_t min, int64_t max, bool sizes);

/* A whole number in [min, max], with sizes also 1.5k; ERR_USAGE. */
int opt_number(const char *s, int64_t min, int64_t max, bool sizes,
	       int64_t *out, struct err *e);

#endif
