/* SPDX-License-Identifier: MIT */
/* primer_slices_kern.c - a core over all of a text, one bit for each lane */

#include "base/base.h"
#include "primer/primer_blocks.h"
#include "primer/primer_vec.h"

/* Rows that are held in registers while a tile goes by. */
#if defined(ISA_avx512)
enum { STRIP = 8 };
#elif defined(ISA_neon)
enum { STRIP = 8 };
#elif defined(ISA_avx2)
enum { STRIP = 4 };
#else
enum { STRIP = 2 };
#endif

enum { FEW_BITS = 5 };	/* of numbers, held in registers, too */

/* By row: where D is not one more than above; where it is one less. */
struct row {
	v64 level, m;
};

/* By column: where D is one more than in the column before; one less. */
struct change {
	v64 up, down;
};

/*
 * Myers' cell, J. ACM 46(3), 1999, figure 2, for each bit by itself: D does not
 * grow along the diagonal (d) if the letters match, or either of the other ways
 * in is one less.
 */
INLINE void
strip(struct row *row, const uint8_t *code, const uint8_t *text, size_t stride,
      struct change *change, const int n, const bool first)
{
	v64 level[STRIP], m[STRIP];
	size_t at[STRIP];

#pragma GCC unroll 16
	for (int i = 0; i < n; i++) {
		level[i] = row[i].level;
		m[i] = row[i].m;
		at[i] = (code[i] - 1u) * (size_t)VBYTES;
	}
	for (int t = 0; t < PRIMER_TILE; t++, text += stride) {
		v64 up = first ? vset(0) : change[t].up;
		v64 down = first ? vset(0) : change[t].down;

#pragma GCC unroll 16
		for (int i = 0; i < n; i++) {
			v64 d = or3(*(const v64 *)(text + at[i]), m[i], down);
			v64 p = or_andn(m[i], d, level[i]);
			v64 f = ~level[i] & d;

			level[i] = andn_or(down, d, up);
			m[i] = up & d;
			up = p;
			down = f;
		}
		change[t] = (struct change){ up, down };
	}
#pragma GCC unroll 16
	for (int i = 0; i < n; i++)
		row[i] = (struct row){ level[i], m[i] };
}

typedef void strip_fn(struct row *row, const uint8_t *code, const uint8_t *text,
		      size_t stride, struct change *change);

/* The first has nothing above that changes. */
#define STRIP_OF(name, n, first)					\
	static __attribute__((noinline)) void				\
	name(struct row *row, const uint8_t *code, const uint8_t *text,	\
	     size_t stride, struct change *change)			\
	{								\
		strip(row, code, text, stride, change, n, first);	\
	}
STRIP_OF(strip_all, STRIP, false) STRIP_OF(strip_one, 1, false)
STRIP_OF(first_all, STRIP, true) STRIP_OF(first_one, 1, true)

/* Numbers, D - limit - 1 of each lane, bit by bit; the last is the sign. */
INLINE void
add(v64 *bit, unsigned n_bits, v64 up, v64 down)
{
#pragma GCC unroll 16
	for (unsigned b = 0; b < n_bits; b++) {
		v64 x = bit[b];

		bit[b] = x ^ (up | down);
		up &= x;
		down &= ~x;
	}
}

struct slices {
	struct row *row;
	struct change *change;
	v64 *bit;
	unsigned n_bits;
};

static struct slices
slices_new(const struct primer_slices *s)
{
	struct slices x = { .row = s->state, .n_bits = FEW_BITS };

	x.change = (void *)(x.row + s->rows);
	x.bit = (void *)(x.change + PRIMER_TILE);
	while (max_u64(s->rows - s->limit, s->limit + 1) >> (x.n_bits - 1))
		x.n_bits++;
	memset(s->state, 0, primer_slices_state(8 * VBYTES, s->rows));
	return x;
}

/* The number of the last row, down the column before. */
static void
set_last_row(const struct primer_slices *s, const struct slices *x)
{
	for (unsigned b = 0; b < x->n_bits; b++)
		x->bit[b] = vset(-((-s->limit - 1) >> b & 1));
	for (uint64_t r = 0; r < s->rows; r++)
		add(x->bit, x->n_bits, ~x->row[r].level, x->row[r].m);
}

/*
 * A path of at most `limit` differences from row r, column c to row R, column t
 * has |(R - r) - (t - c)| <= limit.  So for D of the last row, R, in columns
 * from own to the end, row r matters from own - (R - r) - limit on, and until
 * (R - r) - limit before the end, if D is at most the limit.  Elsewhere rows
 * are left out: those not yet begun are one more each than the one above, and
 * below those left behind D starts from what it last was there.  So no D is
 * below what some path costs that goes on from a place left out, and such a
 * path costs more than the limit.
 */
static bool
begun(const struct primer_slices *s, uint64_t row, uint64_t t)
{
	return t + PRIMER_TILE + s->rows + s->limit > s->own + row;
}

static bool
left(const struct primer_slices *s, uint64_t row, uint64_t t)
{
	return t + s->rows > s->columns + row + s->limit;
}

static void
tile(struct primer_slices *s, const struct slices *x, uint64_t t)
{
	static strip_fn *const of[2][2] = {
		{ strip_one, strip_all }, { first_one, first_all },
	};
	const size_t stride = (size_t)s->n_classes * VBYTES;
	const uint8_t *text = s->text + t * stride;
	uint64_t r = 0, next;
	bool first = true;

	for (; r < s->rows && begun(s, r, t); r = next) {
		bool all = s->rows - r >= STRIP;

		next = r + (all ? STRIP : 1);
		if (left(s, next, t))
			continue;
		of[first][all](x->row + r, s->code + r, text, stride,
			       x->change);
		s->steps += (next - r) * PRIMER_TILE;
		first = false;
	}
}

/* Where the number is below 0 in some column of a step. */
INLINE void
steps(struct primer_slices *s, const struct slices *x, uint64_t t,
      const unsigned n_bits)
{
	uint64_t low[PRIMER_MAX_SLICES / 64];
	const struct change *c = x->change;
	v64 bit[PRIMER_SLICES_BITS];

#pragma GCC unroll 8
	for (unsigned b = 0; b < n_bits; b++)
		bit[b] = x->bit[b];
	for (; c < x->change + PRIMER_TILE; t += s->step) {
		v64 some = vset(0);

		for (unsigned i = 0; i < s->step; i++, c++) {
			add(bit, n_bits, c->up, c->down);
			some |= bit[n_bits - 1];
		}
		if (!any8(some))
			continue;
		memcpy(low, &some, sizeof some);
		for (unsigned w = 0; w < LANES; w++)
			low[w] = le64(low[w]);	/* lanes are bits of bytes */
		s->found(s->ctx, t, low);
	}
#pragma GCC unroll 8
	for (unsigned b = 0; b < n_bits; b++)
		x->bit[b] = bit[b];
}

void
KERN(primer_slices)(struct primer_slices *s)
{
	struct slices x = slices_new(s);

	s->steps = 0;
	for (uint64_t t = 0; t < s->columns; t += PRIMER_TILE) {
		if (t == s->own)
			set_last_row(s, &x);
		tile(s, &x, t);
		if (t < s->own)
			continue;
		if (x.n_bits == FEW_BITS)
			steps(s, &x, t, FEW_BITS);
		else
			steps(s, &x, t, x.n_bits);
	}
	s->steps = s->steps * 5 / 12;
}
