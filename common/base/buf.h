/* SPDX-License-Identifier: MIT */
/*
 * buf.h - a growing byte buffer, and a bounded little-endian reader
 *
 * Both are sticky: after a failed allocation (buf.bad) or a read past the end
 * (cur.bad) further calls do nothing and read zeros, so that a whole record is
 * written or parsed first and checked once.  Not thread-safe.
 */
#ifndef SEQF_BASE_BUF_H
#define SEQF_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/port.h"

struct buf {
	uint8_t *p;
	size_t n, cap;
	bool bad;	/* an allocation failed */
};

/* buf_reserve() where there is no room. */
bool buf_grow(struct buf *b, size_t more);
void buf_free(struct buf *b);

/* Room for `more` bytes after n; false (and bad) if there is no memory. */
static inline bool
buf_reserve(struct buf *b, size_t more)
{
	return more <= b->cap - b->n && !b->bad ? true : buf_grow(b, more);
}

static inline void
buf_put(struct buf *b, const void *p, size_t n)
{
	if (n && buf_reserve(b, n)) {
		memcpy(b->p + b->n, p, n);
		b->n += n;
	}
}

/* n zero bytes. */
static inline void
buf_zero(struct buf *b, size_t n)
{
	if (n && buf_reserve(b, n)) {
		memset(b->p + b->n, 0, n);
		b->n += n;
	}
}

static inline void
buf_u8(struct buf *b, uint8_t v)
{
	buf_put(b, &v, 1);
}

/* n_bytes is 8 at most. */
static inline void
put_le(uint8_t *p, uint64_t v, unsigned n_bytes)
{
	/* one store where the size is known */
	v = le64(v);
	memcpy(p, &v, n_bytes);
}

static inline uint64_t
get_le(const uint8_t *p, unsigned n_bytes)
{
	uint64_t v = 0;

	memcpy(&v, p, n_bytes);
	return le64(v);
}

static inline void
buf_le(struct buf *b, uint64_t v, unsigned n_bytes)
{
	if (buf_reserve(b, n_bytes)) {
		put_le(b->p + b->n, v, n_bytes);
		b->n += n_bytes;
	}
}

static inline void
buf_u32(struct buf *b, uint32_t v)
{
	buf_le(b, v, 4);
}

static inline void
buf_u64(struct buf *b, uint64_t v)
{
	buf_le(b, v, 8);
}

/* LEB128: 7 bits a byte, low ones first, the last byte below 128. */
static inline void
buf_var(struct buf *b, uint64_t v)
{
	if (!buf_reserve(b, 10))
		return;
	for (; v > 127; v >>= 7)
		b->p[b->n++] = (uint8_t)(v | 128);
	b->p[b->n++] = (uint8_t)v;
}

/* Length as LEB128, then the bytes. */
void buf_str(struct buf *b, const void *s, size_t n);
void buf_printf(struct buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

struct cur {
	const uint8_t *p, *end;
	bool bad;	/* something was read past the end, or not canonical */
};

struct str {
	const char *p;	/* not terminated */
	size_t n;
};

static inline struct cur
cur_of(const void *p, size_t n)
{
	const uint8_t *b = (const uint8_t *)p;
	/* no offset to a null pointer, not even 0 */
	struct cur c = { b, n ? b + n : b, false };

	return c;
}

static inline size_t
cur_left(const struct cur *c)
{
	return (size_t)(c->end - c->p);
}

/* n bytes, or NULL (and bad) if there are fewer. */
static inline const uint8_t *
cur_take(struct cur *c, uint64_t n)
{
	const uint8_t *p = c->p;

	if (c->bad || n > cur_left(c)) {
		c->bad = true;
		return NULL;
	}
	if (n)
		c->p += n;
	return p;
}

static inline uint64_t
cur_le(struct cur *c, unsigned n_bytes)
{
	const uint8_t *p = cur_take(c, n_bytes);

	return p ? get_le(p, n_bytes) : 0;
}

/* cur_var() of more bytes than one, or of none. */
uint64_t cur_long_var(struct cur *c);

static inline uint64_t
cur_var(struct cur *c)
{
	if (!c->bad && c->p < c->end && *c->p < 128)
		return *c->p++;
	return cur_long_var(c);
}

struct str cur_str(struct cur *c);

/*
 * Numbers in decimals, as people write them
 *
 * Neither 0x10, nor inf, nor nan, nor blanks before them: what strtod() takes,
 * too.  Functions are thread-safe, and allocate nothing.
 */

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
