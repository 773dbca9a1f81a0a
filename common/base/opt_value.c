/* SPDX-License-Identifier: MIT */
/* opt_value.c - numbers of options, and their ranges in words */
#include "base/opt_priv.h"

#include <string.h>

static const char digits[] = "0123456789";

/* v as short as it goes: 1000000 is 1M if sizes may be given. */
static void
number_text(char *d, size_t n, int64_t v, bool sizes)
{
	static const char unit[] = "kMG";
	int i = -1;

	for (; sizes && v != 0 && v % 1000 == 0 && i < 2; i++)
		v /= 1000;
	snprintf(d, n, "%lld%.*s", (long long)v, i >= 0,
		 i >= 0 ? unit + i : "");
}

struct opt_range
opt_range(int64_t min, int64_t max, bool sizes)
{
	struct opt_range r = { "" };
	char lo[24], hi[24];

	number_text(lo, sizeof lo, min, sizes);
	number_text(hi, sizeof hi, max, sizes);
	if (max < INT64_MAX)
		snprintf(r.text, sizeof r.text, "%s to %s", lo, hi);
	else if (min != 0)
		snprintf(r.text, sizeof r.text, "at least %s", lo);
	return r;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* *v = 10 *v + digit, towards the sign; false on overflow. */
static bool
append(int64_t *v, int digit, bool negative)
{
	return !__builtin_mul_overflow(*v, 10, v) &&
	       !__builtin_add_overflow(*v, negative ? -digit : digit, v);
}

enum parsed { PARSED, NO_NUMBER, TOO_BIG };

/* The zeros that a unit stands for; 0 if c is none. */
static int
unit_zeros(char c)
{
	switch (c) {
	case 'k':
	case 'K': return 3;
	case 'M': return 6;
	case 'G': return 9;
	default: return 0;
	}
}

/*
 * [-]digits[.digits][k|M|G].  There may be no more decimal places than the
 * unit has zeros: 1.5k is 1500, 1.0005k is no whole number.
 */
static enum parsed
parse(const char *s, bool sizes, int64_t *out)
{
	bool negative = *s == '-', fits = true;
	const char *point, *end, *unit;
	int zeros = 0;

	s += negative;
	point = s + strspn(s, digits);
	end = unit = point;
	if (sizes && *point == '.' && is_digit(point[1])) {
		unit = point + 1 + strspn(point + 1, digits);
		for (end = unit; end[-1] == '0';)
			end--;
		if (end[-1] == '.')
			end--;
	}
	if (sizes)
		zeros = unit_zeros(*unit);
	if (point == s || unit[zeros > 0])
		return NO_NUMBER;
	if (end > point && end - point - 1 > zeros)
		return NO_NUMBER;
	if (end > point)
		zeros -= (int)(end - point - 1);
	*out = 0;
	for (; s < end; s++)
		if (*s != '.')
			fits = fits && append(out, *s - '0', negative);
	while (zeros-- > 0)
		fits = fits && append(out, 0, negative);
	return fits ? PARSED : TOO_BIG;
}

int
opt_number(const char *s, int64_t min, int64_t max, bool sizes, int64_t *out,
	   struct err *e)
{
	struct opt_range r = opt_range(min, max, sizes);
	int64_t v = 0;
	enum parsed how = parse(s, sizes, &v);

	if (how == PARSED && v >= min && v <= max) {
		*out = v;
		return 0;
	}
	if (how == NO_NUMBER)
		return err_set(e, ERR_USAGE, "%.200s: must be %s%sa whole "
			       "number", s, r.text, *r.text ? ", " : "");
	return err_set(e, ERR_USAGE, "%.200s: must be %s", s,
		       *r.text ? r.text : "0 to 9223372036854775807");
}
