/* SPDX-License-Identifier: MIT */
/*
 * buf.c - bytes that grow, a cursor that reads them, numbers as
 * people write them
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* A growing byte buffer, and a bounded little-endian reader. */

bool
buf_grow(struct buf *b, size_t more)
{
	size_t cap;
	uint8_t *p;

	if (b->bad)
		return false;
	if (more <= b->cap - b->n)
		return true;
	if (more > SIZE_MAX / 2 - b->n) {
		b->bad = true;
		return false;
	}
	cap = b->n + more;
	if (cap < b->cap + b->cap / 2)
		cap = b->cap + b->cap / 2;
	p = realloc(b->p, cap < 64 ? 64 : cap);
	if (!p) {
		b->bad = true;
		return false;
	}
	b->p = p;
	b->cap = cap < 64 ? 64 : cap;
	return true;
}

void
buf_free(struct buf *b)
{
	free(b->p);
	memset(b, 0, sizeof *b);
}

void
buf_str(struct buf *b, const void *s, size_t n)
{
	buf_var(b, n);
	buf_put(b, s, n);
}

void
buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || !buf_reserve(b, (size_t)n + 1)) {
		b->bad = true;
		return;
	}
	va_start(ap, fmt);
	vsnprintf((char *)b->p + b->n, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->n += (size_t)n;
}

uint64_t
cur_long_var(struct cur *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		const uint8_t *p = cur_take(c, 1);

		if (!p)
			return 0;
		/* the tenth byte has room for one bit only; the last byte
		   is not 0, so that a number has one form */
		if ((shift == 63 && *p > 1) || (shift && *p == 0))
			break;
		v |= (uint64_t)(*p & 127) << shift;
		if (*p < 128)
			return v;
	}
	c->bad = true;
	return 0;
}

struct str
cur_str(struct cur *c)
{
	uint64_t n = cur_var(c);
	const uint8_t *p = cur_take(c, n);
	struct str s = { (const char *)p, p ? (size_t)n : 0 };

	return s;
}

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
