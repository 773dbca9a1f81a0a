/* SPDX-License-Identifier: MIT */
/*
 * sw_front_pass_kern.c - scores of a strip of rows: see sw_front.h
 *
 * The largest H of a column goes down through the rows like F.  SW_PAD scores
 * -1: where a segment begins with it, H stays 0 there; where the text ends with
 * it, no H is larger than one of the block's letters.  Rows behind the query's
 * last are below all others, and count in no column's largest H.
 */
#include "algo/sw_front.h"
#include "algo/sw_front_vec.h"

#if defined(ISA_avx2) || defined(ISA_avx512)

/* e: of the next column; f: of the row below; diag: above, a column before */
struct state {
	v32 h, e, f, diag, top;
};

struct costs {
	v32 both, extend;
};

/* up, f, top: of the row above each one. */
INLINE void
step(struct state *s, v32 score, v32 up, v32 f, v32 top,
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
hold(struct state *s, const struct state *was, size_t t, size_t cols,
     int32_t above)
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
block(const struct sw_front_pass *x, struct state *state,
      const struct scores *v, size_t t, size_t steps, const unsigned size)
{
	const struct sw_scoring *sc = &x->q->s;
	const struct costs c = costs_of(sc);
	v32 counts = pick(behind(), vset((int32_t)x->rows), (v32){ 0 },
			  vset(-1));
	const struct sw_front_pass in = *x;
	struct state s = *state, was = s;

	for (size_t i = 0; i < steps; i++, t++) {
		bool part = t < LANES - 1 || t >= in.cols;

		if (__builtin_expect(part, 0))
			was = s;
		step(&s, score_at(v, i, size), below(s.h, in.h[t]),
		     below(s.f, in.f[t]), below(s.top, in.top[t]), &c, counts);
		if (__builtin_expect(part, 0))
			hold(&s, &was, t, in.cols, 0);
		(in.h + t)[1 - LANES] = s.h[0];
		(in.f + t)[1 - LANES] = s.f[0];
		(in.top + t)[1 - LANES] = s.top[0];
	}
	*state = s;
}

INLINE void
strip(struct sw_front_pass *x, const unsigned size)
{
	size_t n = x->cols + LANES - 1;
	struct state s = { .diag = { 0 } };
	struct profile p;
	struct scores v;

	profile_of(&p, &x->q->s, x->row, 1, size != 1);
	memcpy(&s.h, x->left_h, sizeof s.h);
	memcpy(&s.e, x->left_e, sizeof s.e);
	s.diag[LANES - 1] = x->corner;
	for (size_t t = 0; t < n; t += STEPS) {
		size_t steps = n - t < STEPS ? n - t : STEPS;

		scores_of(&v, &p, x->col + t, t, steps, size);
		block(x, &s, &v, t, steps, size);
	}
	memcpy(x->left_h, &s.h, sizeof s.h);
	memcpy(x->left_e, &s.e, sizeof s.e);
}

/*
 * Two vectors of rows, the lower one first, which needs what the upper one had;
 * both hide the latency of a step.  Scores of few letters are looked up.
 */
INLINE void
two_steps(struct state s[2], const struct sw_front_pass *x, size_t t,
	  const v32 row[2], const v32 counts[2], const struct few *few,
	  const struct costs *c)
{
	const uint8_t *col = x->few + t;

	step(&s[1], few_at(few, row[1], col - LANES), below_of(s[1].h, s[0].h),
	     below_of(s[1].f, s[0].f), below_of(s[1].top, s[0].top), c,
	     counts[1]);
	step(&s[0], few_at(few, row[0], col), below(s[0].h, x->h[t]),
	     below(s[0].f, x->f[t]), below(s[0].top, x->top[t]), c, counts[0]);
}

INLINE void
two(struct sw_front_pass *x)
{
	const size_t late = 2 * LANES - 1, n = x->cols + late;
	const struct costs c = costs_of(&x->q->s);
	const struct few few = few_of(x->pair);
	const struct sw_front_pass in = *x;
	struct state s[2] = { { .diag = { 0 } } }, was[2];
	v32 row[2], counts[2];

	for (int v = 0; v < 2; v++) {
		row[v] = few_rows(&x->q->s, x->row + v * LANES);
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
			hold(&s[v], &was[v], t, in.cols, v * LANES);
		(in.h + t)[-(ptrdiff_t)late] = s[1].h[0];
		(in.f + t)[-(ptrdiff_t)late] = s[1].f[0];
		(in.top + t)[-(ptrdiff_t)late] = s[1].top[0];
	}
	for (int v = 0; v < 2; v++) {
		memcpy(x->left_h + (1 - v) * LANES, &s[v].h, sizeof s->h);
		memcpy(x->left_e + (1 - v) * LANES, &s[v].e, sizeof s->e);
	}
}

void
KERN(sw_front_pass)(struct sw_front_pass *x)
{
	if (is_few(&x->q->s))
		two(x);
	else if (is_wide(x->q, 1))
		strip(x, 4);
	else
		strip(x, 1);
}
#endif
