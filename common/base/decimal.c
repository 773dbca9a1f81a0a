/* SPDX-License-Identifier: MIT */
/* decimal.c - numbers in decimals, as people write them */

#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

/* Up to 9 digits behind those of d->value: how many. */
static unsigned
digits(const char *p, struct decimal *d)
{
	unsigned n = 0;

	for (; n < 9 && p[n] >= '0' && p[n] <= '9'; n++)
		d->value = d->value * 10 + (uint64_t)(p[n] - '0');
	return n;
}

const char *
decimal_read(const char *s, struct decimal *d)
{
	unsigned whole, places = 0;
	const char *p = s;

	*d = (struct decimal){ .unit = 1 };
	whole = digits(p, d);
	p += whole;
	if (*p == '.') {
		places = digits(++p, d);
		p += places;
	}
	for (unsigned i = 0; i < places; i++)
		d->unit *= 10;
	for (; d->unit > 1 && d->value % 10 == 0; d->unit /= 10)
		d->value /= 10;
	return whole + places ? p : NULL;
}

int
decimal_share(const char *option, const char *s, struct decimal *d,
	      struct err *e)
{
	const char *end = decimal_read(s, d);

	if (end && !*end && d->value <= d->unit)
		return 0;
	return err_set(e, ERR_USAGE, "%s %.200s: must be 0 to 1, with at most "
		       "9 decimals", option, s);
}

bool
decimal_double(const char *p, size_t n, double *v)
{
	char t[64], *end;

	if (!n || n >= sizeof t)
		return false;
	memcpy(t, p, n);
	t[n] = '\0';
	if (strspn(t, "0123456789+-.eE") < n)
		return false;
	*v = strtod(t, &end);
	return *end == '\0';
}
