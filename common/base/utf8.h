/* SPDX-License-Identifier: MIT */
/* utf8.h - letters of more than one byte (RFC 3629) */
#ifndef SEQF_BASE_UTF8_H
#define SEQF_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

enum { UTF8_MAX = 4 };	/* bytes of a letter */

/* Bytes of the UTF-8 letter at p (n > 0), or 0 if it is none. */
static inline unsigned
utf8_letter(const uint8_t *p, size_t n)
{
	unsigned len = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 :
		       p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;

	if (!len || len > n)
		return 0;
	for (unsigned i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* too long forms, surrogates, and above U+10FFFF */
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return len;
}

/* Of those below U+0800 and above U+2000: marks that turn text round, which
 * then reads as what it is not (Unicode 15, UAX 9). */
static inline int
utf8_turns(const uint8_t *p, unsigned len)
{
	if (len == 2)
		return p[0] == 0xd8 && p[1] == 0x9c;	/* U+061C */
	if (len != 3 || p[0] != 0xe2)
		return 0;
	return p[1] == 0x80 ? p[2] == 0x8e || p[2] == 0x8f ||	/* U+200E, F */
			      (p[2] >= 0xaa && p[2] <= 0xae) :	/* U+202A-E */
	       p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9;	/* U+2066-9 */
}

/*
 * So many bytes at p (n > 0) that a terminal obeys instead of showing them, or
 * that change how others are shown: control characters, C1 ones (U+0080 to
 * U+009F) as a letter or as a byte alone, too, and marks of direction.  0: p
 * begins with none.
 */
static inline unsigned
utf8_control(const uint8_t *p, size_t n)
{
	unsigned len;

	if (p[0] < 0x80)
		return p[0] < 0x20 || p[0] == 0x7f;
	len = utf8_letter(p, n);
	if (len == 0)
		return p[0] < 0xa0;
	if (len == 2 && p[0] == 0xc2 && p[1] < 0xa0)
		return len;
	return utf8_turns(p, len) ? len : 0;
}

#endif
