/* SPDX-License-Identifier: MIT */
/* buf.c - a growing byte buffer, and a bounded little-endian reader */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"

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
