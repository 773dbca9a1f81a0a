/* SPDX-License-Identifier: MIT */
/* sw_front_kern.c - a kernel of anti-diagonals: scores and starts */

#include "sw/sw_front.h"
#include "sw/sw_front_vec.h"

/*
 * Scores and starts of a strip of rows: see sw_front.h
 *
 * Scores are doubled; odd ones stem from before the window, which sw_region.c
 * explains.  SW_PAD scores -2, which leaves odd what is odd: where a segment
 * begins with it, H stays 0 there; where the text ends with it, no cell is
 * reported and none comes after.  Rows behind the query's last are below all
 * others, and not reported.
 */

#if VBYTES >= 16

/*
 * Two vectors of rows hide the latency of a step; AVX2 has too few registers
 * for that.
 */
enum { VECS = LANES == 8 ? 1 : 2, ROWS = VECS * LANES };
#define EACH(v) for (int v = 0; v < VECS; v++)

struct starts {
	v32 col, row;
};

/* e: of the next column; f: of the row below; diag: above, a column before */
struct state {
	v32 h, e, f, diag;
	struct starts hs, es, fs, ds;
	struct starts next;	/* of a diagonal step from here */
};

/* The vectors of a strip, from the top. */
struct strip {
	struct state v[VECS];
};

struct costs {
	v32 both, extend;
};

INLINE struct starts
pick_starts(v32 a, v32 b, struct starts x, struct starts y)
{
	x.col = pick(a, b, x.col, y.col);
	x.row = pick(a, b, x.row, y.row);
	return x;
}

/* What a step needs of the rows above it. */
struct upper {
	v32 h, f;
	struct starts hs, fs;
};

INLINE struct upper
upper_of(const struct state *x, const struct sw_above *in, size_t t)
{
	return (struct upper){
		.h = below(x->h, in->h[t]), .f = below(x->f, in->f[t]),
		.hs.col = below(x->hs.col, (int32_t)in->h_col[t]),
		.fs.col = below(x->fs.col, (int32_t)in->f_col[t]),
		.hs.row = below(x->hs.row, (int32_t)in->h_row[t]),
		.fs.row = below(x->fs.row, (int32_t)in->f_row[t]),
	};
}

/* Of the second vector. */
INLINE struct upper
second_of(const struct state *x, const struct state *first)
{
	return (struct upper){
		.h = below_of(x->h, first->h), .f = below_of(x->f, first->f),
		.hs.col = below_of(x->hs.col, first->hs.col),
		.fs.col = below_of(x->fs.col, first->fs.col),
		.hs.row = below_of(x->hs.row, first->hs.row),
		.fs.row = below_of(x->fs.row, first->fs.row),
	};
}

/*
 * One step; returns the diagonal's values.  Gaps are opened before H is floored
 * to 0, which is sooner known: of what is 1 at most, they stay so, and never
 * matter.  They do not fall far, as the diagonal comes from a floored H.
 */
INLINE v32
step(struct state *s, v32 score, const struct upper *u, struct costs c)
{
	v32 diag = s->diag + score, gap = vmax(s->e, u->f);
	v32 h = vmax(diag, gap), two = vset(2);
	v32 open = h - c.both, e = s->e - c.extend, f = u->f - c.extend;
	struct starts hs;

	hs = pick_starts(s->e, u->f, s->es, u->fs);
	hs = pick_starts(diag, gap, s->ds, hs);
	s->es = pick_starts(open, e, hs, s->es);
	s->fs = pick_starts(open, f, hs, u->fs);
	s->e = vmax(open, e);
	s->f = vmax(open, f);
	s->diag = u->h;
	s->ds = u->hs;
	s->h = pick(h, two, h, (v32){ 0 });
	s->hs = pick_starts(h, two, hs, s->next);
	s->next.col += 1;
	return diag;
}

INLINE void
put_row(const struct state *s, const struct sw_above *to, size_t t)
{
	(to->h + t)[1 - ROWS] = s->h[0];
	(to->f + t)[1 - ROWS] = s->f[0];
	(to->h_col + t)[1 - ROWS] = (uint32_t)s->hs.col[0];
	(to->f_col + t)[1 - ROWS] = (uint32_t)s->fs.col[0];
	(to->h_row + t)[1 - ROWS] = (uint32_t)s->hs.row[0];
	(to->f_row + t)[1 - ROWS] = (uint32_t)s->fs.row[0];
}

/* The rows of vector v, from the strip's top. */
INLINE v32
rows_of(int v)
{
	return behind() + v * LANES;
}

/* Lanes of the query whose columns at step t are in the target. */
INLINE unsigned
targets(const struct sw_front_strip *x, size_t t, int v)
{
	v32 row = rows_of(v), col = vset((int32_t)t) - row;

	return not_less(col, vset((int32_t)x->from)) &
	       ~not_less(col, vset((int32_t)x->cols)) &
	       ~not_less(row, vset((int32_t)x->rows));
}

/* Reports cells m of vector v at step t, the block's i-th, if they qualify. */
INLINE void
report(struct sw_front_strip *x, const struct state *s, int v, v32 diag,
     v32 score, size_t t, size_t i, unsigned m)
{
	struct sw_reported *to = x->reported;

	m &= targets(x, t, v) & not_less(score, vset(1));
	if (m & equal(s->h & 1, vset(1)))
		x->odd = true;
	m &= equal(s->h, diag);
	put_lanes(to->h + to->n, m, s->h);
	put_lanes(to->col + to->n, m, s->hs.col);
	put_lanes(to->row + to->n, m, s->hs.row);
	put_lanes(to->at + to->n, m, rows_of(v) + (int32_t)(i << 8));
	to->n += (unsigned)__builtin_popcount(m);
}

/* Lanes that are not in their first column yet stay as they were. */
INLINE void
hold(struct state *s, const struct state *was, size_t t, int v)
{
	v32 now = vset((int32_t)t), row = rows_of(v);

	s->h = pick(now, row, s->h, was->h);
	s->e = pick(now, row, s->e, was->e);
	s->hs = pick_starts(now, row, s->hs, was->hs);
	s->es = pick_starts(now, row, s->es, was->es);
}

/* The column before the first one. */
static void
begin(const struct sw_front_strip *x, struct strip *strip, int32_t both)
{
	int32_t top = (int32_t)x->top;

	memset(strip, 0, sizeof *strip);
	for (int r = 0; r < ROWS; r++) {
		struct state *s = &strip->v[r / LANES];
		uint32_t row = (uint32_t)(top + r + 1);
		int k = LANES - 1 - r % LANES;

		s->h[k] = x->left_h[r + 1];
		s->e[k] = x->left_e[r];
		s->f[k] = -both;
		s->next.col[k] = 1 - r;	/* of column -r */
		s->hs.row[k] = s->next.row[k] = (int32_t)row;
	}
	strip->v[0].diag[LANES - 1] = x->left_h[0];
	strip->v[0].ds.row[LANES - 1] = top;
}

/*
 * How scores are found: of few letters by a permutation of all there are, where
 * there are vectors for that, else from a profile of bytes or of 32 bits.
 */
enum { FEW, SIZE_1 = 1, SIZE_4 = 4 };

struct lookup {
	struct profile profile[VECS];
	struct scores scores[VECS];
	struct few few;
	v32 few_row[VECS];
};

INLINE void
prepare(struct lookup *l, const struct sw_front_strip *x, const unsigned size)
{
	if (size == FEW)
		l->few = few_of(x->pair);
	EACH(v) {
		const uint8_t *row = x->row + v * LANES;

		if (size == FEW)
			l->few_row[v] = few_rows(x->q->s, row);
		else
			profile_of(&l->profile[v], x->q->s, row, 2,
				   size == SIZE_4);
	}
}

INLINE v32
find_score(const struct lookup *l, int v, const uint8_t *col, size_t i,
	   const unsigned size)
{
	if (size != FEW)
		return score_at(&l->scores[v], i, size);
	return few_at(&l->few, l->few_row[v], col + i - v * LANES);
}

/* Steps [t, t + steps) of a strip. */
INLINE void
block(struct sw_front_strip *x, struct strip *s, const struct lookup *l,
      size_t t, size_t steps, const unsigned size)
{
	const struct sw_scoring *sc = x->q->s;
	struct costs c = { vset(2 * (sc->open + sc->extend)),
			   vset(2 * sc->extend) };
	v32 least = vset(t + steps > x->from ? x->least : INT32_MAX);
	const uint8_t *col = x->col + t;
	struct sw_above above = x->above;
	struct state a = s->v[0], b = s->v[VECS - 1], was_a = a, was_b = b;

	for (size_t i = 0; i < steps; i++, t++) {
		struct upper up_a = upper_of(&a, &above, t), up_b;
		v32 score_a = find_score(l, 0, col, i, size), score_b;
		v32 diag_a, diag_b = vset(INT32_MIN);
		bool early = t < ROWS - 1, first = t < LANES - 1;
		unsigned m_a, m_b;

		if (__builtin_expect(early, 0)) {
			was_a = a;
			was_b = b;
		}
		if (VECS > 1) {
			up_b = second_of(&b, &a);
			score_b = find_score(l, 1, col, i, size);
			diag_b = step(&b, score_b, &up_b, c);
		}
		diag_a = step(&a, score_a, &up_a, c);
		if (__builtin_expect(early, 0)) {
			if (first)
				hold(&a, &was_a, t, 0);
			if (VECS > 1)
				hold(&b, &was_b, t, 1);
		}
		put_row(VECS > 1 ? &b : &a, &above, t);
		m_a = not_less(diag_a, least);
		m_b = VECS > 1 ? not_less(diag_b, least) : 0;
		if (__builtin_expect(m_a != 0, 0))
			report(x, &a, 0, diag_a, score_a, t, i, m_a);
		if (VECS > 1 && __builtin_expect(m_b != 0, 0))
			report(x, &b, 1, diag_b, score_b, t, i, m_b);
	}
	s->v[0] = a;
	if (VECS > 1)
		s->v[1] = b;
}

/*
 * Blocks that lead to no cell with H >= least
 *
 * From a cell a path gains at most a match for each row, and for each column,
 * that is left.  So if the largest H before a block, or 0, where a path may
 * begin, plus that is less, nothing of it matters: its H count as 0.  Then no
 * value is above the true one, and on each path to a cell that is reported all
 * are true, as is each value that another step of the rule would tie with:
 * from there, too, the cell's score is reached.  Starts of what counts as 0
 * are void: those paths end low.
 */
INLINE bool
is_dead(const struct sw_front_strip *x, const struct strip *s, size_t t,
	size_t steps)
{
	const int64_t rows = (int64_t)(x->q->n - x->top);
	const int64_t cols = (int64_t)(x->cols + ROWS - t);
	const int64_t gain = 2 * (int64_t)x->q->best *
			     (rows < cols ? rows : cols);
	const int64_t enough = x->least - gain;
	const int32_t *h = x->above.h + t;
	v32 most = { 0 };

	if (enough <= 0 || t < ROWS)
		return false;
	EACH(v)
		most = vmax(most, vmax(vmax(s->v[v].h, s->v[v].diag),
				       vmax(s->v[v].e, s->v[v].f)));
	most = largest(most, h, steps);
	return !not_less(most, vset((int32_t)enough));
}

INLINE void
leave_out(const struct sw_front_strip *x, struct strip *s, size_t t,
	  size_t steps)
{
	EACH(v) {
		struct starts next = s->v[v].next;

		next.col += (int32_t)steps;
		s->v[v] = (struct state){ .next = next };
	}
	memset(x->above.h + t + 1 - ROWS, 0, steps * sizeof *x->above.h);
	memset(x->above.f + t + 1 - ROWS, 0, steps * sizeof *x->above.f);
}

INLINE void
strip(struct sw_front_strip *x, const unsigned size)
{
	const struct sw_scoring *sc = x->q->s;
	struct lookup l;
	struct strip s;

	_Static_assert(sizeof s == ROWS * SW_FRONT_STATE, "bytes of a row");
	prepare(&l, x, size);
	if (x->t == 0)
		begin(x, &s, 2 * (sc->open + sc->extend));
	else
		memcpy(&s, x->state, sizeof s);
	for (size_t t = x->t; t < x->end; t += STEPS) {
		size_t steps = x->end - t < STEPS ? x->end - t : STEPS;

		if (is_dead(x, &s, t, steps)) {
			leave_out(x, &s, t, steps);
			continue;
		}
		if (size != FEW)
			EACH(v)
				scores_of(&l.scores[v], &l.profile[v],
					  x->col + t - v * LANES, PTRDIFF_MAX,
					  steps, size);
		x->reported->n = 0;
		block(x, &s, &l, t, steps, size);
		if (x->odd || (x->reported->n && x->take_cells(x, t)))
			return;
	}
	memcpy(x->state, &s, sizeof s);
}

static void
front_strip(struct sw_front_strip *x)
{
	if (is_few(x->q->s))
		strip(x, FEW);
	else if (is_wide(x->q, 2))
		strip(x, SIZE_4);
	else
		strip(x, SIZE_1);
}

const struct sw_front_ops KERN(sw_front_ops) = { ROWS, front_strip };
#endif
