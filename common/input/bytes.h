/* SPDX-License-Identifier: MIT */
/* bytes.h - looking at many bytes of text at a time, on any machine */
#ifndef SEQF_INPUT_BYTES_H
#define SEQF_INPUT_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t bytes_v16 __attribute__((vector_size(16)));

/* Is one of 16 below `least`, or DEL? */
static inline bool
any_below(const uint8_t *p, uint8_t least)
{
	bytes_v16 x;
	uint64_t w[2];

	memcpy(&x, p, 16);
	x = (bytes_v16)(x < least) | (bytes_v16)(x == 0x7f);
	memcpy(w, &x, 16);
	return w[0] | w[1];
}

/* Bytes that p begins with, none of them below `least`, or DEL. */
static inline size_t
count_from(const uint8_t *p, size_t n, uint8_t least)
{
	size_t i = 0;

	while (n - i >= 16 && !any_below(p + i, least))
		i += 16;
	/* most names end here; some bytes are seen twice */
	if (n - i < 16 && n >= 16 && !any_below(p + n - 16, least))
		return n;
	while (i < n && p[i] >= least && p[i] != 0x7f)
		i++;
	return i;
}

#endif
