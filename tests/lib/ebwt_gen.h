/* SPDX-License-Identifier: MIT */
/* ebwt_gen.h - random multisets of words that are hard to sort */
#ifndef SEQF_EBWT_GEN_H
#define SEQF_EBWT_GEN_H

#include <string.h>

#include "tests/oracle/oracle_ebwt.h"
#include "tests/lib/tap.h"

enum { EGEN_WORDS = 12, EGEN_LETTERS = 640 };
struct eset {
	uint64_t seed;
	unsigned sigma;
	uint8_t first;		/* the alphabet: first, first + step, ... */
	size_t n;
	struct ebwt_word word[EGEN_WORDS];
	uint8_t letters[EGEN_WORDS][EGEN_LETTERS];
};

static inline uint8_t
egen_letter(struct eset *s)
{
	return (uint8_t)(s->first + below(&s->seed, s->sigma));
}

/* Another word's rotation, or a power of it; seldom with another letter. */
static inline size_t
egen_conjugate(struct eset *s, uint8_t *to, size_t max)
{
	const struct ebwt_word *w = &s->word[below(&s->seed, s->n)];
	size_t shift = below(&s->seed, w->n), n = w->n;

	if (below(&s->seed, 2))
		n *= 1 + below(&s->seed, 3);
	if (n > max)
		n = w->n;
	for (size_t i = 0; i < n; i++)
		to[i] = w->letters[(i + shift) % w->n];
	if (!below(&s->seed, 3))
		to[below(&s->seed, n)] = egen_letter(s);
	return n;
}

static inline size_t
egen_power(struct eset *s, uint8_t *to, size_t max)
{
	size_t p = 1 + below(&s->seed, 6), n = p * (1 + below(&s->seed, 8));

	if (n > max)
		n = max;
	for (size_t i = 0; i < n; i++)
		to[i] = i < p ? egen_letter(s) : to[i - p];
	return n;
}

static inline size_t
egen_run(struct eset *s, uint8_t *to, size_t max)
{
	size_t n = 1 + below(&s->seed, max);

	memset(to, s->first, n);
	for (size_t k = below(&s->seed, 3); k; k--)
		to[below(&s->seed, n)] = egen_letter(s);
	return n;
}

static inline size_t
egen_fibonacci(struct eset *s, uint8_t *to, size_t max)
{
	size_t n = 1, old = 1, more;

	to[0] = (uint8_t)(s->first + (s->sigma > 1));
	if (max > 1 && below(&s->seed, 20)) {
		to[1] = s->first;
		n = 2;
	}
	while (n > 1 && n + old <= max && below(&s->seed, 12)) {
		memcpy(to + n, to, old);
		more = old;
		old = n;
		n += more;
	}
	return n;
}

static inline void
egen_word(struct eset *s, unsigned style, size_t max)
{
	uint8_t *to = s->letters[s->n];
	size_t n = 1 + below(&s->seed, max);

	if (style == 1 && s->n)
		n = egen_conjugate(s, to, max);
	else if (style == 2)
		n = egen_power(s, to, max);
	else if (style == 3)
		n = egen_run(s, to, max);
	else if (style == 4)
		n = egen_fibonacci(s, to, max);
	else
		for (size_t i = 0; i < n; i++)
			to[i] = egen_letter(s);
	s->word[s->n++] = (struct ebwt_word){ to, n };
}

/* Words of at most max letters; style 6 is a mixture. */
static inline void
egen(struct eset *s, uint64_t seed, size_t max)
{
	static const uint16_t sigmas[] = { 1, 2, 2, 3, 4, 5, 20, 26, 256 };
	size_t n;
	unsigned style;

	s->seed = seed;
	s->n = 0;
	s->sigma = sigmas[below(&s->seed, sizeof sigmas / sizeof *sigmas)];
	s->first = s->sigma == 256 ? 0 :
		(uint8_t)below(&s->seed, 257 - s->sigma);
	style = (unsigned)below(&s->seed, 7);
	n = 1 + below(&s->seed, below(&s->seed, 2) ? 3 : EGEN_WORDS);
	while (s->n < n)
		egen_word(s, style == 6 ? (unsigned)below(&s->seed, 6) : style,
			  max);
}

#endif
