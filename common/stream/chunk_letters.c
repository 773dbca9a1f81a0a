/* SPDX-License-Identifier: MIT */
/* chunk_letters.c - letters of a chunk as they were in the input */
#include "stream/chunk.h"
#include "stream/chunk_head.h"

#include <endian.h>
#include <stdlib.h>

#include "base/dna.h"

enum { TILE = 4096 };	/* letters; a multiple of 64 */

/* The first run that ends behind `place`. */
static size_t
first_run(const struct chunk_run *run, size_t n, uint64_t place)
{
	size_t lo = 0;

	while (n > 0) {
		if (run[lo + n / 2].end <= place) {
			lo += n / 2 + 1;
			n -= n / 2 + 1;
		} else {
			n /= 2;
		}
	}
	return lo;
}

/* ACGT of places [beg, beg + n), by way of words in the machine's order. */
static void
letters_2bit(const struct chunk *c, uint64_t beg, uint64_t n, uint8_t *s)
{
	const struct dna_ops *ops = dna_ops();
	uint64_t words[TILE / 64 * 2];

	while (n) {
		size_t shift = beg % TILE;
		size_t take = n < TILE - shift ? (size_t)n : TILE - shift;
		size_t from = shift / 64 * 2;
		size_t n_words = dna_words(shift + take) - from;

		memcpy(words, c->letters + (beg - shift) / 4 + from * 8,
		       n_words * 8);
		for (size_t i = 0; i < n_words; i++)
			words[i] = le64toh(words[i]);
		ops->unpack(words, shift % 64, take, s);
		beg += take;
		n -= take;
		s += take;
	}
}

static void
letters_4bit(const struct chunk *c, uint64_t beg, uint64_t n, uint8_t *s)
{
	for (uint64_t i = beg; i < beg + n; i++)
		*s++ = (uint8_t)CHUNK_4BIT_LETTERS[
		    c->letters[i / 2] >> i % 2 * 4 & 15];
}

/* In words; * - . have the bit already. */
static void
to_lower(uint8_t *s, uint64_t n)
{
	uint64_t x;

	for (; n >= 8; n -= 8, s += 8) {
		memcpy(&x, s, 8);
		x |= 0x2020202020202020;
		memcpy(s, &x, 8);
	}
	while (n)
		s[--n] |= 0x20;
}

/* What the packed letters do not say: U, exceptions, lower case. */
static void
touch_up(const struct chunk *c, uint64_t beg, uint64_t n, uint8_t *s)
{
	uint64_t end = beg + n;

	if (c->rna)
		for (uint64_t i = 0; i < n; i++)
			s[i] = s[i] == 'T' ? 'U' : s[i];
	for (size_t i = first_run(c->exc, c->n_exc, beg);
	     i < c->n_exc && c->exc[i].beg < end; i++) {
		const struct chunk_run *r = &c->exc[i];
		uint64_t a = r->beg < beg ? beg : r->beg;
		uint64_t b = r->end > end ? end : r->end;

		memset(s + (a - beg), r->letter, b - a);
	}
	for (size_t i = first_run(c->lower, c->n_lower, beg);
	     i < c->n_lower && c->lower[i].beg < end; i++) {
		const struct chunk_run *r = &c->lower[i];
		uint64_t a = r->beg < beg ? beg : r->beg;
		uint64_t b = r->end > end ? end : r->end;

		to_lower(s + (a - beg), b - a);
	}
}

void
chunk_letters(const struct chunk *c, const struct chunk_row *r, uint64_t from,
	      uint64_t n, uint8_t *s)
{
	uint64_t beg = r->at + from;

	switch (c->enc) {
	case CHUNK_2BIT:
		letters_2bit(c, beg, n, s);
		touch_up(c, beg, n, s);
		break;
	case CHUNK_4BIT:
		letters_4bit(c, beg, n, s);
		touch_up(c, beg, n, s);
		break;
	default:
		if (n)
			memcpy(s, c->letters + beg, n);
		break;
	}
}

/* The owned letters of a row as the digest takes them; t has room. */
static const uint8_t *
owned_letters(const struct chunk *c, const struct chunk_row *r, uint8_t *t,
	      size_t *n)
{
	uint64_t from = r->own_beg - r->beg, own = r->own_end - r->own_beg;

	*n = (size_t)own;
	if (c->enc == CHUNK_ASCII)
		return c->letters + r->at + from;
	if (c->enc == CHUNK_PROB) {
		*n *= 16;
		return c->letters + (r->at + from) * 16;
	}
	chunk_letters(c, r, from, own, t);
	return t;
}

bool
chunk_digest_ok(const struct chunk *c, struct err *e)
{
	uint64_t most = 0, sum = 0;
	uint8_t *t;

	for (size_t i = 0; i < c->n_rows; i++)
		if (c->row[i].n > most)
			most = c->row[i].n;
	t = malloc(most + 64);
	if (!t) {
		err_nomem(e, most + 64);
		return false;
	}
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct chunk_row *r = &c->row[i];
		size_t n;
		const uint8_t *s = owned_letters(c, r, t, &n);

		sum += digest_row(s, n, r->ordinal, r->own_beg,
				  c->named ? &r->name : NULL);
	}
	free(t);
	if (sum == c->digest)
		return true;
	err_set(e, ERR_FORMAT, "CHUNK frame %llu: its letters or names do not "
		"fit its digest", (unsigned long long)c->serial);
	return false;
}
