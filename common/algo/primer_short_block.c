/* SPDX-License-Identifier: MIT */
/* primer_short_block.c - blocks of starts, their cores, and the kernels */
#include <string.h>

#include "algo/primer_short_priv.h"
#include "base/cpu.h"
#include "base/minmax.h"

const struct primer_short_ops *
primer_short_ops(void)
{
#define OPS(n, isa) { n, primer_cores_##isa, primer_sieve_##isa,	\
		      primer_near_##isa, primer_leaf_##isa }
	static const struct primer_short_ops scalar = OPS(64, scalar);
#if defined(__x86_64__)
	static const struct primer_short_ops avx2 = OPS(256, avx2),
					     avx512 = OPS(512, avx512);

	switch (cpu_isa()) {
	case ISA_AVX512: return &avx512;
	case ISA_AVX2: return &avx2;
	default: break;
	}
#endif
#undef OPS
	return &scalar;
}

/*
 * An end is that of any start before it in the segment, too, as far as max_len
 * lets it: so a segment's end settles all starts behind, an end that was cut
 * does not.  Other threads raise ends, so what blocks are cut by is a copy.
 */
void
primer_blocks_spread(struct primer_short *s)
{
	uint64_t end = s->from ? primer_end(s->p, s->from - 1) : 0;

	for (uint64_t j = s->from; j < s->to; j++) {
		uint64_t own = primer_end(s->p, j), cap = primer_cap(s->p, j);

		if (end > own) {
			end = min_u64(end, cap);
			primer_raise(s->p, j, end);
		}
		end = max_u64(end, own);
		s->window[j - s->from] = end < cap ? (uint8_t)(end + 1 - j) : 0;
	}
}

bool
primer_blocks_known(struct primer_short *s)
{
	uint64_t brief = 0;

	primer_blocks_spread(s);
	for (uint64_t i = 0; i < s->to - s->from; i++)
		brief += s->window[i] && s->window[i] < s->rows;
	return brief < (s->to - s->from) / 16;
}

struct primer_half
primer_half_of(const struct primer *p, uint64_t beg, uint64_t end)
{
	uint64_t rows = min_u64(end - beg, 32);
	struct primer_half h = { .wild = rows == 32 ? 0 : ~0u >> rows };

	for (uint64_t i = 0; i < rows; i++)
		for (int b = 0; b < 2; b++)
			h.bit[b] |= (uint32_t)(p->code[beg + i] >> b & 1) <<
				    (32 - rows + i);
	return h;
}

/* Of starts lo to hi those that are not settled: the first, the last. */
static bool
open_starts(const struct primer_short *s, uint64_t *lo, uint64_t *hi)
{
	while (*lo <= *hi && !s->window[*lo - s->from])
		++*lo;
	while (*lo < *hi && !s->window[*hi - s->from])
		--*hi;
	return *lo <= *hi;
}

/*
 * The letters that the windows of a half's starts, lo to hi, share; to = 0 if
 * all are settled.
 */
struct shared {
	uint64_t from, to;
};

static struct shared
shared_by(const struct primer_short *s, uint64_t lo, uint64_t hi)
{
	if (!open_starts(s, &lo, &hi))
		return (struct shared){ 0, 0 };
	return (struct shared){ hi, min_u64(lo + s->window[lo - s->from],
					    hi + 32) };
}

/*
 * The cores of a block's halves, and what of the text the sieve has to read
 * around a hit at column `at`.  The path of a window passes the last two rows
 * of the block's core, with the letters before `last` or one less read, at
 * columns at - 1 to at + PRIMER_MERGE.  For letters [from, to) of the window it
 * reads at most last - from + k - 1 letters before that, and to - last + 1 + k
 * - 1 behind it.  What is beyond the sieve's reach is cut off; no columns: not
 * sieved.
 */
static void
halves(struct primer_short *s, struct primer_block *b)
{
	uint64_t k = s->p->par.k, last = b->lo + b->n + b->rows - 1u;
	uint64_t mid = b->lo + (b->n - 1u) / 2, from = last, to = last, need;
	struct shared half[2] = {
		shared_by(s, b->lo, mid),
		shared_by(s, mid + 1, b->lo + b->n - 1u),
	};

	for (int h = 0; h < 2; h++)
		if (half[h].to)
			from = min_u64(from, half[h].from);
	b->before = (uint8_t)(1 + last - from + k - 1);
	need = b->before + PRIMER_MERGE + k;
	if (need >= PRIMER_WINDOW)
		return;
	for (int h = 0; h < 2; h++) {
		b->half[h] = (struct primer_half){ .wild = 0 };
		if (!half[h].to)
			continue;
		half[h].to = min_u64(half[h].to, last + PRIMER_WINDOW - need);
		to = max_u64(to, half[h].to);
		b->half[h] = primer_half_of(s->p, half[h].from, half[h].to);
	}
	b->columns = (uint8_t)(need + to - last);
}

/* The block of starts from j on, which is not settled. */
static struct primer_block
block_of(struct primer_short *s, uint64_t j, unsigned rows)
{
	const uint8_t *window = s->window + (j - s->from);
	struct primer_block b = { .lo = j };
	uint64_t n = PRIMER_STARTS;

	if (rows) {
		rows = (unsigned)min_u64(rows, *window);
		n = min_u64(n, *window - rows + 1);
	}
	n = min_u64(n, s->to - j);
	while (!window[n - 1])
		n--;
	b.n = (uint8_t)n;
	b.rows = (uint8_t)rows;
	if (rows && s->sieves)
		halves(s, &b);
	return b;
}

size_t
primer_blocks_cut(struct primer_short *s, unsigned rows)
{
	size_t n = 0;

	primer_blocks_spread(s);
	for (uint64_t j = s->from; j < s->to;) {
		if (!s->window[j - s->from]) {
			j++;
			continue;
		}
		s->block[n] = block_of(s, j, rows);
		j += s->block[n++].n;
	}
	return n;
}

static void
set_lane(uint8_t *vectors, unsigned bits, unsigned l, uint32_t x)
{
	if (bits == 16)
		((uint16_t *)(void *)vectors)[l] = (uint16_t)x;
	else
		((uint32_t *)(void *)vectors)[l] = x;
}

void
primer_core_none(struct primer_cores *c, unsigned l)
{
	for (unsigned i = 0; i < PRIMER_SYMBOLS; i++)
		set_lane(c->eq[i], c->bits, l, 0);
	set_lane(c->p, c->bits, l, ~0u);
	set_lane(c->m, c->bits, l, 0);
	set_lane(c->d, c->bits, l, c->bits);
}

static void
core(struct primer_cores *c, const struct primer *p,
     const struct primer_block *b, unsigned l)
{
	const uint8_t *code = p->code + b->lo + b->n - 1;
	unsigned above = c->bits - b->rows;
	uint32_t wild = (1u << above) - 1, eq[PRIMER_SYMBOLS];

	for (unsigned i = 0; i < PRIMER_SYMBOLS; i++)
		eq[i] = wild;
	for (unsigned i = 0; i < b->rows; i++)
		eq[code[i]] |= 1u << (above + i);
	for (unsigned i = 0; i < PRIMER_SYMBOLS; i++)
		set_lane(c->eq[i], c->bits, l, eq[i]);
	set_lane(c->p, c->bits, l, ~wild);
	set_lane(c->m, c->bits, l, 0);
	set_lane(c->d, c->bits, l, b->rows);
}

void
primer_core_table(struct primer_short *s, const struct primer_block *b,
		  unsigned n)
{
	const struct primer *p = s->p;
	struct primer_cores *c = &s->cores;
	unsigned lanes = s->ops->bits / c->bits;

	c->k = (int)p->par.k;
	c->n_vectors = (n + lanes - 1) / lanes;
	for (unsigned l = 0; l < c->n_vectors * lanes; l++)
		if (l < n)
			core(c, p, &b[l], l);
		else
			primer_core_none(c, l);
	if (p->par.alphabet == PRIMER_LITERAL)
		return;
	for (unsigned i = p->n_classes + 1; i < s->x->n_symbols; i++)
		for (unsigned k = 1; k <= p->n_classes; k++)
			for (unsigned l = 0; l < PRIMER_VECTORS; l++)
				if (p->holds[i] >> (k - 1) & 1)
					c->eq[i][l] |= c->eq[k][l];
}

void
primer_core_of(const struct primer_short *s, const struct primer_block *b,
	       struct primer_core *c)
{
	const struct primer *p = s->p;
	const uint8_t *code = p->code + b->lo + b->n - 1;
	unsigned above = PRIMER_CORE_ROWS - b->rows;
	uint32_t wild = above ? ~0u >> b->rows : 0;

	c->rows = b->rows;
	memset(c->eq, 0, sizeof c->eq);
	for (unsigned i = 0; i < b->rows; i++)
		c->eq[code[i]] |= 1u << (above + i);
	for (unsigned i = p->n_classes + 1; i < s->x->n_symbols; i++)
		for (unsigned k = 1; k <= p->n_classes; k++)
			if (p->holds[i] >> (k - 1) & 1)
				c->eq[i] |= c->eq[k];
	for (unsigned i = 0; i < PRIMER_CORE_SYMBOLS; i++)
		c->eq[i] |= wild;
}
