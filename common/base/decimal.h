/* SPDX-License-Identifier: MIT */
/*
 * decimal.h - numbers in decimals, as people write them
 *
 * Neither 0x10, nor inf, nor nan, nor blanks before them: what strtod() takes,
 * too.  Functions are thread-safe, and allocate nothing.
 */
#ifndef SEQF_BASE_DECIMAL_H
#define SEQF_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* value / unit, exactly: below 10^18 and a power of ten, 10^9 at most, which is
 * as small as it can be; unit 0: no number. */
struct decimal {
	uint64_t value, unit;
};

/*
 * digits[.digits], at most 9 on each side, none on one of them: what is behind
 * it, or NULL if there is none.
 */
const char *decimal_read(const char *s, struct decimal *d);

/* All of s, which is option's argument, 0 to 1; ERR_USAGE. */
int decimal_share(const char *option, const char *s, struct decimal *d,
		  struct err *e);

/* All of n bytes, [-]digits[.digits][e[-]digits], as the nearest double; false
 * if that is not what it is.  LC_NUMERIC is taken to be that of C. */
bool decimal_double(const char *p, size_t n, double *v);

#endif
