/* SPDX-License-Identifier: MIT */
/*
 * sw_disjoint_kern.c - scores of a tile, strip of rows by strip of rows
 *
 * As in sw_front_vec.h, with two vectors a strip, so that one hides the latency
 * of the other.  A row that has not reached its first column holds the values
 * before it; so the diagonal of the row below is right, too.  Behind the last
 * row all pairs are forbidden, so that no H there is above all others.
 */

#include "base/simd.h"
#include "sw/sw_priv.h"

#if VBYTES >= 16
#include "sw/sw_front_vec.h"

enum {
	ROWS = 2 * LANES, TILE = SW_DISJOINT_TILE, EDGE = SW_DISJOINT_EDGE,
	NEVER = -(1 << 30),	/* a forbidden pair */
};
enum kind { FEW, NARROW, WIDE };	/* how scores are looked up */

/* A vector's rows.  e: of the next column; f: of the row below. */
struct state {
	v32 h, e, f, diag;
};

/* Scores of a vector's rows, as one of the kinds. */
struct lookup {
	struct few few;
	v32 row;
	struct profile profile;
	struct scores scores;
};

struct strip {
	struct sw_disjoint_tile *t;
	v32 open, extend;	/* open: with a letter */
	size_t rows, first;	/* first: its first row */
	struct state v[2];
	v32 most;
	struct lookup look[2];
	bool any;		/* pair is forbidden; by lanes: */
	uint16_t forbidden[2][TILE + ROWS];
	uint8_t col[EDGE + TILE + STEPS + EDGE];
	/* above the strip, replaced by what is below it; h[0]: the corner */
	int32_t h[TILE + ROWS], f[TILE + ROWS];
};

INLINE v32
without(v32 x, unsigned lanes)
{
#if defined(ISA_avx512)
	return (v32)_mm512_mask_mov_epi32((__m512i)x, (__mmask16)lanes,
					  _mm512_set1_epi32(NEVER));
#else
#if defined(ISA_avx2)
	const v32 bit = { 1, 2, 4, 8, 16, 32, 64, 128 };
#else
	const v32 bit = { 1, 2, 4, 8 };
#endif
	v32 on = (vset((int32_t)lanes) & bit) == bit;

	return (x & ~on) | (vset(NEVER) & on);
#endif
}

INLINE void
step(const struct strip *x, struct state *s, v32 score, v32 up, v32 f,
     unsigned forbidden)
{
	v32 diag = s->diag + score, h, open;

	if (forbidden)
		diag = without(diag, forbidden);
	h = vmax(vmax(diag, vset(0)), vmax(s->e, f));
	open = h - x->open;
	s->e = vmax(open, s->e - x->extend);
	s->f = vmax(open, f - x->extend);
	s->diag = up;
	s->h = h;
}

INLINE v32
score_of(const struct strip *x, int v, size_t at, size_t t,
	 const enum kind kind)
{
	const struct lookup *k = &x->look[v];

	if (kind == FEW)
		return few_at(&k->few, k->row, x->col + EDGE + t - v * LANES);
	return score_at(&k->scores, at, kind == NARROW ? 1 : 4);
}

/* Rows that are not in their columns hold, and have no largest H. */
INLINE void
settle(struct strip *x, int v, struct state *s, const struct state *was,
       size_t t)
{
	v32 col = vset((int32_t)t - v * LANES) - behind();
	v32 cols = vset((int32_t)x->t->cols - 1);

	s->h = pick(col, vset(0), s->h, was->h);
	s->e = pick(col, vset(0), s->e, was->e);
	x->most = vmax(x->most, pick(col, vset(0),
				     pick(cols, col, s->h, vset(0)), vset(0)));
}

/* Rows that are in the last column at step t. */
static void
put_right(struct strip *x, const struct state *a, const struct state *b,
	  size_t t)
{
	struct sw_disjoint_tile *to = x->t;
	size_t r = t - (to->cols - 1);
	const struct state *s = r < LANES ? a : b;
	unsigned k = LANES - 1 - r % LANES;

	if (!to->right || r >= x->rows)
		return;
	to->right_new |= sw_disjoint_put(&to->right[x->first + r], s->h[k],
					 s->e[k]);
}

/* Steps from t on; at: of the scores' first. */
INLINE void
steps(struct strip *x, size_t t, size_t n, size_t at, const enum kind kind,
      const bool careful)
{
	struct state a = x->v[0], b = x->v[1];
	v32 most = x->most;

	for (size_t i = 0; i < n; i++, t++) {
		v32 up_a = below(a.h, x->h[t + 1]), f_a = below(a.f, x->f[t]);
		v32 up_b = below_of(b.h, a.h), f_b = below_of(b.f, a.f);
		struct state was_a = a, was_b = b;
		unsigned no_a = 0, no_b = 0;

		if (x->any) {
			no_a = x->forbidden[0][t];
			no_b = x->forbidden[1][t];
		}
		step(x, &a, score_of(x, 0, at + i, t, kind), up_a, f_a, no_a);
		step(x, &b, score_of(x, 1, at + i, t, kind), up_b, f_b, no_b);
		if (careful) {
			settle(x, 0, &a, &was_a, t);
			settle(x, 1, &b, &was_b, t);
			if (t + 1 >= x->t->cols)
				put_right(x, &a, &b, t);
		} else {
			most = vmax(most, vmax(a.h, b.h));
		}
		if (!careful || t + 1 >= ROWS) {
			x->h[t + 2 - ROWS] = b.h[0];
			x->f[t + 1 - ROWS] = b.f[0];
		}
	}
	x->v[0] = a;
	x->v[1] = b;
	x->most = careful ? x->most : most;
}

INLINE void
find_scores(struct strip *x, size_t t, size_t n, const enum kind kind)
{
	const uint8_t *col = x->col + EDGE + t;

	if (kind == FEW)
		return;
	for (int v = 0; v < 2; v++) {
		struct lookup *k = &x->look[v];

		scores_of(&k->scores, &k->profile, col - v * LANES, LANES, n,
			  kind == NARROW ? 1 : 4);
	}
}

/* The first and the last steps have rows outside of the tile. */
INLINE void
run(struct strip *x, const enum kind kind)
{
	const size_t cols = x->t->cols, end = cols + ROWS - 1;

	for (size_t t = 0, n; t < end; t += n) {
		size_t a, b;

		n = end - t < STEPS ? end - t : STEPS;
		find_scores(x, t, n, kind);
		a = t < ROWS - 1 ? ROWS - 1 - t : 0;
		a = a < n ? a : n;
		b = cols - 1 > t + a ? cols - 1 - t - a : 0;
		b = b < n - a ? b : n - a;
		steps(x, t, a, 0, kind, true);
		steps(x, t + a, b, a, kind, false);
		steps(x, t + a + b, n - a - b, a + b, kind, true);
	}
}

/* Column c of row r is at step c + r of the strip. */
static void
forbid(struct strip *x, size_t r, size_t c)
{
	x->forbidden[r / LANES][c + r] |=
	    (uint16_t)(1u << (LANES - 1 - r % LANES));
	x->any = true;
}

static void
find_forbidden(struct strip *x)
{
	const uint64_t *row = x->t->forbidden;

	memset(x->forbidden, 0, sizeof x->forbidden);
	x->any = false;
	for (size_t r = x->rows; r < ROWS; r++)
		for (size_t c = 0; c < x->t->cols; c++)
			forbid(x, r, c);
	if (!row)
		return;
	row += x->first * SW_DISJOINT_WORDS;
	for (size_t r = 0; r < x->rows; r++, row += SW_DISJOINT_WORDS)
		for (size_t w = 0; w < SW_DISJOINT_WORDS; w++)
			for (uint64_t m = row[w]; m; m &= m - 1)
				forbid(x, r, w * 64 +
				       (size_t)__builtin_ctzll(m));
}

static void
find_rows(struct strip *x, const enum kind kind)
{
	const struct sw_scoring *s = x->t->s;
	int32_t pair[SW_PAIRS];
	uint8_t row[ROWS];

	memset(row, SW_PAD, sizeof row);
	memcpy(row, x->t->query + x->first, x->rows);
	for (unsigned i = 0; i < SW_PAIRS; i++) {
		unsigned q = i / SW_FEW, a = i % SW_FEW;

		pair[i] = q < s->letters && a < s->letters ? s->score[q][a] :
							     -1;
	}
	for (int v = 0; v < 2; v++) {
		struct lookup *k = &x->look[v];

		k->few = few_of(pair);
		k->row = few_rows(s, row + v * LANES);
		if (kind != FEW)
			profile_of(&k->profile, s, row + v * LANES, 1,
				   kind == WIDE);
	}
}

/* What is before the strip. */
static void
begin(struct strip *x)
{
	const struct sw_disjoint_tile *t = x->t;
	struct sw_disjoint_cell zero = { 0, 0 };

	for (unsigned v = 0; v < 2; v++)
		x->v[v] = (struct state){ .h = vset(0) };
	for (size_t r = 0; t->left && r < x->rows; r++) {
		struct sw_disjoint_cell c = t->left[x->first + r];

		x->v[r / LANES].h[LANES - 1 - r % LANES] = (int32_t)c.h;
		x->v[r / LANES].e[LANES - 1 - r % LANES] = (int32_t)c.gap;
	}
	if (x->first && t->left)
		zero = t->left[x->first - 1];
	x->h[0] = (int32_t)(x->first ? zero.h : t->corner);
	x->v[0].diag[LANES - 1] = x->h[0];
}

static enum kind
kind_of(const struct sw_scoring *s)
{
	if (is_few(s))
		return FEW;
	for (unsigned a = 0; a < s->letters; a++)
		for (unsigned b = 0; b < s->letters; b++)
			if (s->score[a][b] > INT8_MAX ||
			    s->score[a][b] < INT8_MIN)
				return WIDE;
	return NARROW;
}

static void
take_text(struct strip *x, const enum kind kind)
{
	const struct sw_disjoint_tile *t = x->t;
	const uint8_t pad = kind == FEW ? SW_FEW - 1 : SW_PAD;

	memset(x->col, pad, sizeof x->col);
	for (size_t j = 0; j < t->cols; j++)
		if (t->text[j] < t->s->letters)
			x->col[EDGE + j] = t->text[j];
	memset(x->h, 0, sizeof x->h);
	memset(x->f, 0, sizeof x->f);
	for (size_t j = 0; t->above && j < t->cols; j++) {
		x->h[j + 1] = (int32_t)t->above[j].h;
		x->f[j] = (int32_t)t->above[j].gap;
	}
}

static void
give_below(struct strip *x)
{
	struct sw_disjoint_tile *t = x->t;

	for (size_t j = 0; t->below && j < t->cols; j++) {
		t->corner_new = sw_disjoint_put(&t->below[j], x->h[j + 1],
						x->f[j]);
		t->below_new |= t->corner_new;
	}
}

void
KERN(sw_disjoint_tile)(struct sw_disjoint_tile *t)
{
	const enum kind kind = kind_of(t->s);
	struct strip x = {
		.t = t, .extend = vset(t->s->extend),
		.open = vset(t->s->open + t->s->extend), .most = vset(0),
	};

	t->right_new = t->below_new = t->corner_new = false;
	take_text(&x, kind);
	for (; x.first < t->rows; x.first += ROWS) {
		x.rows = t->rows - x.first;
		x.rows = x.rows < ROWS ? x.rows : ROWS;
		find_rows(&x, kind);
		find_forbidden(&x);
		begin(&x);
		if (kind == FEW)
			run(&x, FEW);
		else if (kind == NARROW)
			run(&x, NARROW);
		else
			run(&x, WIDE);
	}
	give_below(&x);
	t->top = 0;
	for (unsigned k = 0; k < LANES; k++)
		t->top = x.most[k] > t->top ? x.most[k] : t->top;
}
#endif
