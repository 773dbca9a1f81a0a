/* SPDX-License-Identifier: MIT */
/* opt_priv.h - what the parts of opt.h share; for opt*.c only */
#ifndef SEQF_OPT_PRIV_H
#define SEQF_OPT_PRIV_H

#include "base/opt.h"

/* The options that every program has, ended as any table. */
extern const struct opt opt_common[];

/* Entry i of the program's table, then of opt_common; NULL behind the last. */
const struct opt *opt_at(const struct opt_spec *spec, size_t i);

/* getopt_long's value of the long option i; letters lie below. */
enum { OPT_LONG = 256 };

/* The option of getopt_long's value; NULL if there is none. */
const struct opt *opt_by_value(const struct opt_spec *spec, int value);

/* The reason, where getopt_long said ':' or '?'; ERR_USAGE. */
int opt_refuse(const struct opt_spec *spec, char **argv, int said,
	       struct err *e);

/* Whether word spells an option, maybe with its value; "--" ends them. */
bool opt_is_spelt(const struct opt_spec *spec, const char *word);

/* The option of getopt_long's value was given this option as its value. */
int opt_refuse_swallowed(const struct opt_spec *spec, int value,
			 const char *word, struct err *e);

/* Whether the argument is completed as a name of a file. */
static inline bool
opt_is_file(const struct opt *o)
{
	return o->kind == OPT_FILE || o->kind == OPT_LISTFILE ||
	       o->kind == OPT_NAMEFILE || o->kind == OPT_ATFILE;
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
