/* SPDX-License-Identifier: MIT */
/* letters.h - choices and letters out of a fuzzer's bytes */
#ifndef SEQF_FUZZ_LETTERS_H
#define SEQF_FUZZ_LETTERS_H

#include <stddef.h>
#include <stdint.h>

struct input {
	const uint8_t *p;
	size_t n;
};

/* The next byte; 0 behind the last. */
static inline unsigned
take(struct input *in)
{
	if (!in->n)
		return 0;
	in->n--;
	return *in->p++;
}

/*
 * One byte gives a letter, or, from 224 on, a run or a copy of those that are
 * there: of up to 32 * step letters, from as many as 256 * back before.  How
 * many there are then, max at most.
 */
static inline size_t
expand(struct input *in, const char *of, unsigned sigma, uint8_t *to,
       size_t have, size_t max, unsigned step, unsigned back)
{
	unsigned b = take(in);
	size_t len, from;

	if (b < 224 || !have) {
		to[have] = (uint8_t)of[b % sigma];
		return have + 1;
	}
	from = 1 + take(in) * back % have;
	len = 1 + (b - 224) * step;
	for (; len && have < max; len--, have++)
		to[have] = to[have - from];
	return have;
}

#endif
