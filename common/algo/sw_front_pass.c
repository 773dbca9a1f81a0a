/* SPDX-License-Identifier: MIT */
/*
 * sw_front_pass.c - the largest H of every block, many rows at a time
 *
 * A segment is done in pieces of columns, strip after strip of rows, so that
 * what stands between two strips stays in the cache; what stands between two
 * pieces is a column of the query.  In 32 bits: scores up to 2^31.
 */
#include <stdlib.h>
#include <string.h>

#include "algo/sw_front.h"
#include "base/cpu.h"

enum { PIECE = 8192, ABOVE = PIECE + 2 * SW_ROWS };

struct pass {
	struct sw_pass *p;
	sw_front_pass_fn *kern;
	size_t rows;		/* of a strip */
	int32_t *above;		/* 3 x ABOVE */
	int32_t *left;		/* 2 x rows of all strips */
	size_t n_left;		/* such rows */
	uint8_t *few;		/* letters of a piece; NULL: there are many */
};

static void
piece(struct pass *x, uint64_t at, size_t cols)
{
	const struct sw_query *q = x->p->q;
	struct sw_front_pass s = {
		.q = q, .col = x->p->t->codes + at, .cols = cols,
		.h = x->above + SW_ROWS, .f = x->above + ABOVE + SW_ROWS,
		.top = x->above + 2 * ABOVE + SW_ROWS,
	};
	int32_t corner = 0;

	if (x->few) {
		sw_front_pairs(s.pair, &q->s, 1);
		sw_front_letters(x->few, s.col, cols, (uint8_t)q->s.letters);
		s.few = x->few;
	}
	memset(x->above, 0, 3 * ABOVE * sizeof *x->above);
	for (size_t row = 0; row < q->n; row += x->rows) {
		s.row = q->code + row;
		s.rows = q->n - row;
		s.left_h = x->left + row;
		s.left_e = s.left_h + x->n_left;
		s.corner = corner;
		corner = s.left_h[0];
		x->kern(&s);
		sw_pass_did(x->p, (s.rows < x->rows ? s.rows : x->rows) * cols,
			    0);
	}
}

/* Of the piece that was done. */
static void
tell(struct pass *x, uint64_t at, size_t cols)
{
	const int32_t *v = x->above + 2 * ABOVE + SW_ROWS;
	struct sw_pass *p = x->p;

	for (size_t j = 0; j < cols; j += SW_BLOCK) {
		uint64_t block = (at + j) / SW_BLOCK;
		int32_t top = 0;

		for (unsigned i = 0; i < SW_BLOCK; i++)
			top = v[j + i] > top ? v[j + i] : top;
		p->peak[block] = (struct sw_peak){ top, true };
		if (top >= p->threshold)
			p->threshold = p->raise(p->ctx, block, top);
	}
}

static void
segment(struct pass *x, const struct sw_seg *g)
{
	memset(x->left, 0, 2 * x->n_left * sizeof *x->left);
	for (uint64_t at = g->beg; at < g->end; at += PIECE) {
		size_t cols = g->end - at < PIECE ? (size_t)(g->end - at) :
						    PIECE;

		piece(x, at, cols);
		tell(x, at, cols);
	}
}

static sw_front_pass_fn *
find_kern(void)
{
#if defined(__x86_64__)
	if (cpu_isa() == ISA_AVX2)
		return sw_front_pass_avx2;
	if (cpu_isa() == ISA_AVX512)
		return sw_front_pass_avx512;
#endif
	return NULL;
}

bool
sw_front_pass_fits(const struct sw_query *q)
{
	return find_kern() && q->best > 0 &&
	       q->n < (size_t)(INT32_MAX / q->best) - 4 * SW_ROWS;
}

int
sw_front_pass(struct sw_pass *p, struct sw_work *w, struct err *e)
{
	struct pass x = { .p = p, .kern = find_kern() };
	bool few;
	int rc;

	if (!sw_front_pass_fits(p->q))
		return 1;
	few = cpu_isa() == ISA_AVX512 && p->q->s.letters < SW_FEW;
	x.rows = few ? SW_ROWS : cpu_isa() == ISA_AVX512 ? 16 : 8;
	x.n_left = (p->q->n + SW_ROWS - 1) / SW_ROWS * SW_ROWS;
	rc = sw_front_room(w, 3 * ABOVE + 2 * x.n_left +
			   ABOVE / sizeof *x.above, &x.above, e);
	if (rc)
		return rc;
	x.left = x.above + 3 * ABOVE;
	if (few)
		x.few = (uint8_t *)(x.left + 2 * x.n_left) + SW_ROWS;
	for (size_t s = 0; s < p->t->n_seg; s++)
		segment(&x, &p->t->seg[s]);
	return 0;
}
