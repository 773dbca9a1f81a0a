/* SPDX-License-Identifier: MIT */
/* utf8.h - letters of more than one byte (RFC 3629) */
#ifndef SEQF_UTF8_H
#define SEQF_UTF8_H

#include <stddef.h>
#include <stdint.h>

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

#endif
