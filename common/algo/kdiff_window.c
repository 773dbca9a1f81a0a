/* SPDX-License-Identifier: MIT */
/* kdiff_window.c - letters of text and pattern, for the traceback */
#include <stdlib.h>
#include <string.h>

#include "algo/kdiff_trace.h"

unsigned
kdiff_classes(const struct kdiff_set *s)
{
	return s->p.alphabet == KDIFF_DNA ? 16 : s->n_sym + 1;
}

/* n <= 64 bits of a plane from letter at; its words are `step` apart. */
static uint64_t
bits_at(const uint64_t *plane, unsigned step, uint64_t at, unsigned n)
{
	const uint64_t *w = plane + at / 64 * step;
	unsigned b = at % 64;
	uint64_t x = *w >> b;

	return b && b + n > 64 ? x | w[step] << (64 - b) : x;
}

/* Bit i of b as byte i, i < 8. */
static uint64_t
to_bytes(uint64_t b)
{
	b = (b & 0xff) * 0x0101010101010101 & 0x8040201008040201;
	return (b + 0x7f7f7f7f7f7f7f7f) >> 7 & 0x0101010101010101;
}

/* The classes of n <= 64 text letters from `at`, DNA: to[0], to[step], ... */
static void
classes_at(const struct kdiff_text *x, bool iupac, uint64_t at, unsigned n,
	   uint8_t *to, unsigned step)
{
	uint64_t p[4] = { 0 };

	if (iupac && x->exc) {
		for (int b = 0; b < 4; b++)
			p[b] = bits_at(x->sets + b, 4, at, n);
	} else {
		uint64_t lo = bits_at(x->planes, 2, at, n);
		uint64_t hi = bits_at(x->planes + 1, 2, at, n);
		uint64_t ok = x->exc ? ~bits_at(x->exc, 1, at, n) : ~0ull;

		p[0] = ~(lo | hi) & ok;
		p[1] = lo & ~hi & ok;
		p[2] = hi & ~lo & ok;
		p[3] = lo & hi & ok;
	}
	for (unsigned i = 0; i < n; i += 8) {
		uint64_t c = to_bytes(p[0] >> i) | to_bytes(p[1] >> i) << 1 |
			     to_bytes(p[2] >> i) << 2 |
			     to_bytes(p[3] >> i) << 3;

		for (unsigned j = i; j < n && j < i + 8; j++, c >>= 8)
			to[j * step] = (uint8_t)c;
	}
}

void
kdiff_read_lane(const struct trace *t, uint64_t at, uint64_t n, uint8_t *to,
		unsigned step)
{
	for (uint64_t i = 0; i < n; i += 64)
		classes_at(t->text, t->set->p.iupac, at + i,
			   n - i < 64 ? (unsigned)(n - i) : 64, to + i * step,
			   step);
}

void
kdiff_read_window(struct trace *t, uint64_t at, uint64_t n)
{
	const struct kdiff_params *p = &t->set->p;

	for (uint64_t i = 0; p->alphabet == KDIFF_DNA && i < n; i += 64) {
		unsigned len = n - i < 64 ? (unsigned)(n - i) : 64;
		uint8_t c[64];

		classes_at(t->text, p->iupac, at + i, len, c, 1);
		for (unsigned j = 0; j < len; j++)
			t->letter[i + j] = c[j];
	}
	for (uint64_t i = 0; p->alphabet != KDIFF_DNA && i < n; i++) {
		uint8_t c = t->text->bytes[at + i];

		if (p->alphabet == KDIFF_PROTEIN)
			c &= 0xdf;
		t->letter[i] = (uint16_t)(t->set->sym_of[c] + 1);
	}
}

void
kdiff_fill_eq(struct trace *t)
{
	const struct kdiff_set *s = t->set;
	bool dna = s->p.alphabet == KDIFF_DNA;

	memset(t->eq, 0, kdiff_classes(s) * t->words * sizeof *t->eq);
	for (uint32_t i = 0; i < t->p->m; i++) {
		uint64_t bit = 1ull << i % 64, *e = t->eq + i / 64;
		unsigned code = t->p->code[i];

		if (!dna)
			e[(code + 1) * t->words] |= bit;
		for (unsigned c = 1; dna && c < 16; c++)
			if (s->sym[code] & c)
				e[c * t->words] |= bit;
	}
}

size_t *
kdiff_by_pattern(const struct kdiff_set *set, const struct kdiff_hit *hits,
		 size_t n, struct err *e)
{
	size_t *at = calloc(set->n + 1, sizeof *at);
	size_t *order = malloc((n ? n : 1) * sizeof *order);

	if (!at || !order) {
		err_nomem(e, (set->n + 1 + n) * sizeof *at);
		free(order);
		free(at);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		at[hits[i].pattern + 1]++;
	for (size_t p = 1; p < set->n; p++)
		at[p] += at[p - 1];
	for (size_t i = 0; i < n; i++)
		order[at[hits[i].pattern]++] = i;
	free(at);
	return order;
}
