/* SPDX-License-Identifier: MIT */
/* sw_front_kern.c - kernels of anti-diagonals: scores, and passes over them */

#include "sw/sw_front.h"
#include "sw/sw_front_vec.h"

/*
 * Scores and starts of a strip of rows: see sw_front.h
 *
 * Scores are doubled; odd ones stem from before the window, which sw_plain.c
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
pick_starts(v32 a, v32 b, struct starts x, struct starts y, const bool packed)
{
	x.col = pick(a, b, x.col, y.col);
	if (!packed)
		x.row = pick(a, b, x.row, y.row);
	return x;
}

/* What a step needs of the rows above it. */
struct upper {
	v32 h, f;
	struct starts hs, fs;
};

INLINE struct upper
upper_of(const struct state *x, const struct sw_above *in, size_t t,
	 const bool packed)
{
	struct upper u = {
		.h = below(x->h, in->h[t]), .f = below(x->f, in->f[t]),
		.hs.col = below(x->hs.col, (int32_t)in->h_col[t]),
		.fs.col = below(x->fs.col, (int32_t)in->f_col[t]),
	};

	if (packed)
		return u;
	u.hs.row = below(x->hs.row, (int32_t)in->h_row[t]);
	u.fs.row = below(x->fs.row, (int32_t)in->f_row[t]);
	return u;
}

/* Of the second vector. */
INLINE struct upper
second_of(const struct state *x, const struct state *first, const bool packed)
{
	struct upper u = {
		.h = below_of(x->h, first->h), .f = below_of(x->f, first->f),
		.hs.col = below_of(x->hs.col, first->hs.col),
		.fs.col = below_of(x->fs.col, first->fs.col),
	};

	if (packed)
		return u;
	u.hs.row = below_of(x->hs.row, first->hs.row);
	u.fs.row = below_of(x->fs.row, first->fs.row);
	return u;
}

/*
 * One step; returns the diagonal's values.  Gaps are opened before H is floored
 * to 0, which is sooner known: of what is 1 at most, they stay so, and never
 * matter.  They do not fall far, as the diagonal comes from a floored H.
 */
INLINE v32
step(struct state *s, v32 score, const struct upper *u, struct costs c,
     const bool packed)
{
	v32 diag = s->diag + score, gap = vmax(s->e, u->f);
	v32 h = vmax(diag, gap), two = vset(2);
	v32 open = h - c.both, e = s->e - c.extend, f = u->f - c.extend;
	struct starts hs;

	hs = pick_starts(s->e, u->f, s->es, u->fs, packed);
	hs = pick_starts(diag, gap, s->ds, hs, packed);
	s->es = pick_starts(open, e, hs, s->es, packed);
	s->fs = pick_starts(open, f, hs, u->fs, packed);
	s->e = vmax(open, e);
	s->f = vmax(open, f);
	s->diag = u->h;
	s->ds = u->hs;
	s->h = pick(h, two, h, (v32){ 0 });
	s->hs = pick_starts(h, two, hs, s->next, packed);
	s->next.col += 1;
	return diag;
}

INLINE void
put_row(const struct state *s, const struct sw_above *to, size_t t,
	const bool packed)
{
	(to->h + t)[1 - ROWS] = s->h[0];
	(to->f + t)[1 - ROWS] = s->f[0];
	(to->h_col + t)[1 - ROWS] = (uint32_t)s->hs.col[0];
	(to->f_col + t)[1 - ROWS] = (uint32_t)s->fs.col[0];
	if (packed)
		return;
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
     v32 score, size_t t, size_t i, unsigned m, const bool packed)
{
	struct sw_reported *to = x->reported;
	unsigned known = equal(s->hs.col, vset((int32_t)x->known_col)) &
			 ~not_less(s->h, vset(x->known_h));

	if (!packed)
		known &= equal(s->hs.row, vset((int32_t)x->known_row));
	m &= targets(x, t, v) & not_less(score, vset(1));
	if (m & equal(s->h & 1, vset(1)))
		x->odd = true;
	m &= equal(s->h, diag) & ~known;
	put_lanes(to->h + to->n, m, s->h);
	put_lanes(to->col + to->n, m, s->hs.col);
	if (!packed)
		put_lanes(to->row + to->n, m, s->hs.row);
	put_lanes(to->at + to->n, m, rows_of(v) + (int32_t)(i << 8));
	to->n += (unsigned)__builtin_popcount(m);
}

/* Lanes that are not in their first column yet stay as they were. */
INLINE void
hold(struct state *s, const struct state *was, size_t t, int v,
     const bool packed)
{
	v32 now = vset((int32_t)t), row = rows_of(v);

	s->h = pick(now, row, s->h, was->h);
	s->e = pick(now, row, s->e, was->e);
	s->hs = pick_starts(now, row, s->hs, was->hs, packed);
	s->es = pick_starts(now, row, s->es, was->es, packed);
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
		int32_t next = x->packed ? (int32_t)(row << x->shift) : 0;
		int k = LANES - 1 - r % LANES;

		s->h[k] = x->left_h[r + 1];
		s->e[k] = x->left_e[r];
		s->f[k] = -both;
		s->hs.col[k] = next;
		s->next.col[k] = next + 1 - r;	/* of column -r */
		s->hs.row[k] = s->next.row[k] = (int32_t)row;
	}
	strip->v[0].diag[LANES - 1] = x->left_h[0];
	strip->v[0].ds.col[LANES - 1] = x->packed ? top << x->shift : 0;
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
      size_t t, size_t steps, const unsigned size, const bool packed)
{
	const struct sw_scoring *sc = x->q->s;
	struct costs c = { vset(2 * (sc->open + sc->extend)),
			   vset(2 * sc->extend) };
	v32 least = vset(t + steps > x->from ? x->least : INT32_MAX);
	const uint8_t *col = x->col + t;
	struct sw_above above = x->above;
	struct state a = s->v[0], b = s->v[VECS - 1], was_a = a, was_b = b;

	for (size_t i = 0; i < steps; i++, t++) {
		struct upper up_a = upper_of(&a, &above, t, packed), up_b;
		v32 score_a = find_score(l, 0, col, i, size), score_b;
		v32 diag_a, diag_b = vset(INT32_MIN);
		bool early = t < ROWS - 1, first = t < LANES - 1;
		unsigned m_a, m_b;

		if (__builtin_expect(early, 0)) {
			was_a = a;
			was_b = b;
		}
		if (VECS > 1) {
			up_b = second_of(&b, &a, packed);
			score_b = find_score(l, 1, col, i, size);
			diag_b = step(&b, score_b, &up_b, c, packed);
		}
		diag_a = step(&a, score_a, &up_a, c, packed);
		if (__builtin_expect(early, 0)) {
			if (first)
				hold(&a, &was_a, t, 0, packed);
			if (VECS > 1)
				hold(&b, &was_b, t, 1, packed);
		}
		put_row(VECS > 1 ? &b : &a, &above, t, packed);
		m_a = not_less(diag_a, least);
		m_b = VECS > 1 ? not_less(diag_b, least) : 0;
		if (__builtin_expect(m_a != 0, 0))
			report(x, &a, 0, diag_a, score_a, t, i, m_a, packed);
		if (VECS > 1 && __builtin_expect(m_b != 0, 0))
			report(x, &b, 1, diag_b, score_b, t, i, m_b, packed);
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
strip(struct sw_front_strip *x, const unsigned size, const bool packed)
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
		block(x, &s, &l, t, steps, size, packed);
		if (x->odd || (x->reported->n && x->take_cells(x, t)))
			return;
	}
	memcpy(x->state, &s, sizeof s);
}

static void
front_strip(struct sw_front_strip *x)
{
	bool wide = is_wide(x->q, 2);

	if (is_few(x->q->s) && x->packed)
		strip(x, FEW, true);
	else if (is_few(x->q->s))
		strip(x, FEW, false);
	else if (wide && x->packed)
		strip(x, SIZE_4, true);
	else if (wide)
		strip(x, SIZE_4, false);
	else if (x->packed)
		strip(x, SIZE_1, true);
	else
		strip(x, SIZE_1, false);
}
#endif

/*
 * Scores of a strip of rows: see sw_front.h
 *
 * The largest H of a column goes down through the rows like F.  SW_PAD scores
 * -1: where a segment begins with it, H stays 0 there; where the text ends with
 * it, no H is larger than one of the block's letters.  Rows behind the query's
 * last are below all others, and count in no column's largest H.
 */

#if VBYTES >= 16

/* e: of the next column; f: of the row below; diag: above, a column before */
struct pass_state {
	v32 h, e, f, diag, top;
};

/* up, f, top: of the row above each one. */
INLINE void
pass_step(struct pass_state *s, v32 score, v32 up, v32 f, v32 top,
     const struct costs *c, v32 counts)
{
	v32 diag = s->diag + score, open;
	v32 h = vmax(vmax(diag, vmax(s->e, f)), (v32){ 0 });

	open = h - c->both;
	s->e = vmax(open, s->e - c->extend);
	s->f = vmax(open, f - c->extend);
	s->top = vmax(top, h & counts);
	s->diag = up;
	s->h = h;
}

/*
 * Lanes that are not in their first column yet, or behind their last, stay as
 * they were; above: so many rows of the strip are above the vector.
 */
INLINE void
pass_hold(struct pass_state *s, const struct pass_state *was, size_t t,
	  size_t cols, int32_t above)
{
	v32 now = vset((int32_t)t), row = behind() + above;
	v32 over = vset(t < cols ? 0 : (int32_t)(t - cols) + 1);

	s->h = pick(now, row, pick(row, over, s->h, was->h), was->h);
	s->e = pick(now, row, pick(row, over, s->e, was->e), was->e);
}

INLINE struct costs
costs_of(const struct sw_scoring *s)
{
	return (struct costs){ vset(s->open + s->extend), vset(s->extend) };
}

INLINE void
pass_block(const struct sw_front_pass *x, struct pass_state *pass_state,
      const struct scores *v, size_t t, size_t steps, const unsigned size)
{
	const struct sw_scoring *sc = x->q->s;
	const struct costs c = costs_of(sc);
	v32 counts = pick(behind(), vset((int32_t)x->rows), (v32){ 0 },
			  vset(-1));
	const struct sw_front_pass in = *x;
	struct pass_state s = *pass_state, was = s;

	for (size_t i = 0; i < steps; i++, t++) {
		bool part = t < LANES - 1 || t >= in.cols;

		if (__builtin_expect(part, 0))
			was = s;
		pass_step(&s, score_at(v, i, size), below(s.h, in.h[t]),
		     below(s.f, in.f[t]), below(s.top, in.top[t]), &c, counts);
		if (__builtin_expect(part, 0))
			pass_hold(&s, &was, t, in.cols, 0);
		(in.h + t)[1 - LANES] = s.h[0];
		(in.f + t)[1 - LANES] = s.f[0];
		(in.top + t)[1 - LANES] = s.top[0];
	}
	*pass_state = s;
}

INLINE void
pass_strip(struct sw_front_pass *x, const unsigned size)
{
	size_t n = x->cols + LANES - 1;
	struct pass_state s = { .diag = { 0 } };
	struct profile p;
	struct scores v;

	profile_of(&p, x->q->s, x->row, 1, size != 1);
	memcpy(&s.h, x->left_h, sizeof s.h);
	memcpy(&s.e, x->left_e, sizeof s.e);
	s.diag[LANES - 1] = x->corner;
	for (size_t t = 0; t < n; t += STEPS) {
		size_t steps = n - t < STEPS ? n - t : STEPS;

		scores_of(&v, &p, x->col + t, (ptrdiff_t)t, steps, size);
		pass_block(x, &s, &v, t, steps, size);
	}
	memcpy(x->left_h, &s.h, sizeof s.h);
	memcpy(x->left_e, &s.e, sizeof s.e);
}

/*
 * Two vectors of rows, the lower one first, which needs what the upper one had;
 * both hide the latency of a step.  Scores of few letters are looked up.
 */
INLINE void
two_steps(struct pass_state s[2], const struct sw_front_pass *x, size_t t,
	  const v32 row[2], const v32 counts[2], const struct few *few,
	  const struct costs *c)
{
	const uint8_t *col = x->few + t;

	pass_step(&s[1], few_at(few, row[1], col - LANES),
		  below_of(s[1].h, s[0].h), below_of(s[1].f, s[0].f),
		  below_of(s[1].top, s[0].top), c, counts[1]);
	pass_step(&s[0], few_at(few, row[0], col), below(s[0].h, x->h[t]),
	     below(s[0].f, x->f[t]), below(s[0].top, x->top[t]), c, counts[0]);
}

INLINE void
two(struct sw_front_pass *x)
{
	const size_t late = 2 * LANES - 1, n = x->cols + late;
	const struct costs c = costs_of(x->q->s);
	const struct few few = few_of(x->pair);
	const struct sw_front_pass in = *x;
	struct pass_state s[2] = { { .diag = { 0 } } }, was[2];
	v32 row[2], counts[2];

	for (int v = 0; v < 2; v++) {
		row[v] = few_rows(x->q->s, x->row + v * LANES);
		counts[v] = pick(behind() + v * LANES, vset((int32_t)x->rows),
				 (v32){ 0 }, vset(-1));
		memcpy(&s[v].h, x->left_h + (1 - v) * LANES, sizeof s->h);
		memcpy(&s[v].e, x->left_e + (1 - v) * LANES, sizeof s->e);
	}
	s[0].diag[LANES - 1] = x->corner;
	for (size_t t = 0; t < n; t++) {
		bool part = t < late || t >= in.cols;

		if (__builtin_expect(part, 0))
			memcpy(was, s, sizeof was);
		two_steps(s, &in, t, row, counts, &few, &c);
		for (int v = 0; v < 2 && __builtin_expect(part, 0); v++)
			pass_hold(&s[v], &was[v], t, in.cols, v * LANES);
		(in.h + t)[-(ptrdiff_t)late] = s[1].h[0];
		(in.f + t)[-(ptrdiff_t)late] = s[1].f[0];
		(in.top + t)[-(ptrdiff_t)late] = s[1].top[0];
	}
	for (int v = 0; v < 2; v++) {
		memcpy(x->left_h + (1 - v) * LANES, &s[v].h, sizeof s->h);
		memcpy(x->left_e + (1 - v) * LANES, &s[v].e, sizeof s->e);
	}
}

static void
front_pass(struct sw_front_pass *x)
{
	if (is_few(x->q->s))
		two(x);
	else if (is_wide(x->q, 1))
		pass_strip(x, 4);
	else
		pass_strip(x, 1);
}

const struct sw_front_ops KERN(sw_front_ops) = {
	ROWS, LANES, LANES > 8 ? 2 * LANES : 0, front_strip, front_pass,
};
#endif
