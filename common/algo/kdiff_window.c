/* SPDX-License-Identifier: MIT */
/* kdiff_window.c - letters of text and pattern, for the traceback */
#include <stdlib.h>
#include <string.h>

#include "algo/kdiff_trace.h"

void
kdiff_classes(struct trace *t)
{
	bool dna = t->set->p.alphabet == KDIFF_DNA;
	bool sets = t->set->p.iupac && t->text->exc;

	t->planes = !dna ? 0 : sets ? 4 : 3;
	t->classes = !dna ? t->set->n_sym + 1 : sets ? 16 : 8;
}

/*
 * 64 bits of a plane from letter `at`, 0 before letter 0; its words are `step`
 * apart, the last one is `last`.
 */
static inline uint64_t
bits_at(const uint64_t *plane, unsigned step, int64_t at, uint64_t last)
{
	uint64_t w, next;
	unsigned b = (unsigned)at % 64;

	if (at < 0)
		return at > -64 ? plane[0] << -at : 0;
	w = (uint64_t)at / 64;
	next = w < last ? w + 1 : w;
	return plane[w * step] >> b | plane[next * step] << 1 << (63 - b);
}

/* The planes of a hit's window, for kdiff_spread(). */
static void
read_planes(struct trace *t, const struct kdiff_hit *h, uint64_t have,
	    uint64_t *to)
{
	const struct kdiff_text *x = t->text;
	uint64_t last = (x->n - 1) / 64, gone = t->cols - have;
	int64_t at = (int64_t)(h->end - t->cols);
	size_t lanes = t->ops->lanes;

	for (uint64_t c = 0; c < t->cols; c += 64, at += 64, to += 4 * lanes) {
		uint64_t no = gone <= c ? 0 : gone - c < 64 ?
			      ~0ull >> (64 - (gone - c)) : ~0ull;

		if (t->planes == 4) {
			for (unsigned p = 0; p < 4; p++)
				to[p * lanes] = bits_at(x->sets + p, 4, at,
							last) & ~no;
			continue;
		}
		if (x->exc)
			no |= bits_at(x->exc, 1, at, last);
		to[0] = bits_at(x->planes, 2, at, last);
		to[lanes] = bits_at(x->planes + 1, 2, at, last);
		to[2 * lanes] = no;
	}
}

static void
read_bytes(struct trace *t, const struct kdiff_hit *h, uint64_t have,
	   uint16_t *to)
{
	const uint8_t *x = t->text->bytes + (h->end - have);
	uint8_t fold = t->set->p.alphabet == KDIFF_PROTEIN ? 0xdf : 0xff;
	size_t lanes = t->ops->lanes;

	for (uint64_t c = 0; c < t->cols - have; c++, to += lanes)
		*to = 0;
	for (uint64_t c = 0; c < have; c++, to += lanes)
		*to = (uint16_t)(t->set->sym_of[x[c] & fold] + 1);
}

/* Lanes without a hit have no letters: their paths are all X. */
void
kdiff_read_letters(struct trace *t, const struct kdiff_hit *hits,
		   const size_t *order, size_t n)
{
	for (size_t l = 0; l < t->ops->lanes; l++) {
		const struct kdiff_hit *h = &hits[order[l < n ? l : 0]];
		uint64_t have = l < n ? t->have[l] : 0;

		if (t->planes)
			read_planes(t, h, have, t->planes_at + l);
		else
			read_bytes(t, h, have, t->letter + l);
	}
	if (t->planes)
		t->ops->spread(t->planes_at, t->planes, t->cols, t->letter);
}

/* The sets of 64 letters from `at`, from 2 bits a letter. */
static void
sets_at(const struct kdiff_text *x, uint64_t at, uint64_t last, uint64_t *to)
{
	uint64_t lo = bits_at(x->planes, 2, (int64_t)at, last);
	uint64_t hi = bits_at(x->planes + 1, 2, (int64_t)at, last);
	uint64_t ok = x->exc ? ~bits_at(x->exc, 1, (int64_t)at, last) : ~0ull;

	to[0] = ~(lo | hi) & ok;
	to[1] = lo & ~hi & ok;
	to[2] = hi & ~lo & ok;
	to[3] = lo & hi & ok;
}

void
kdiff_read_sets(const struct kdiff_set *set, const struct kdiff_text *x,
		uint64_t at, uint64_t n, uint8_t *to)
{
	uint64_t last = (x->n - 1) / 64;

	for (uint64_t i = 0; i < n; i += 64) {
		uint64_t len = n - i < 64 ? n - i : 64, plane[4];
		uint16_t c[64];

		if (!set->p.iupac || !x->exc)
			sets_at(x, at + i, last, plane);
		else
			for (unsigned p = 0; p < 4; p++)
				plane[p] = bits_at(x->sets + p, 4,
						   (int64_t)(at + i), last);
		kdiff_spread_scalar(plane, 4, len, c);
		for (uint64_t j = 0; j < len; j++)
			to[i + j] = (uint8_t)c[j];
	}
}

/*
 * Ones, the pattern, and as many zeros as a frame may look beyond it: its bit
 * 0 is at most at pad + m - d - 1.
 */
size_t
kdiff_eq_words(const struct trace *t, uint64_t m)
{
	return t->pad + m / 64 + t->pad + 2;
}

void
kdiff_fill_eq(struct trace *t)
{
	size_t n = t->classes;
	uint64_t *eq = t->eq + t->pad * n;

	memset(t->eq, 0xff, t->pad * n * sizeof *t->eq);
	memset(eq, 0, (kdiff_eq_words(t, t->p->m) - t->pad) * n * sizeof *eq);
	for (uint32_t i = 0; i < t->p->m; i++) {
		uint64_t bit = 1ull << i % 64, *e = eq + i / 64 * n;
		unsigned code = t->p->code[i], s = t->set->sym[code];

		if (!t->planes)
			e[code + 1] |= bit;
		for (unsigned b = 0; t->planes == 3 && b < 4; b++)
			e[b] |= s >> b & 1 ? bit : 0;
		for (unsigned c = 1; t->planes == 4 && c < 16; c++)
			e[c] |= s & c ? bit : 0;
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
