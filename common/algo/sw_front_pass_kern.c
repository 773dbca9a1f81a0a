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

INLINE void
step(struct state *s, v32 score, const struct sw_front_pass *x, size_t t,
     v32 both, v32 extend, v32 counts)
{
	v32 f = below(s->f, x->f[t]), up = below(s->h, x->h[t]);
	v32 diag = s->diag + score, open;
	v32 h = vmax(vmax(diag, vmax(s->e, f)), (v32){ 0 });

	open = h - both;
	s->e = vmax(open, s->e - extend);
	s->f = vmax(open, f - extend);
	s->top = vmax(below(s->top, x->top[t]), h & counts);
	s->diag = up;
	s->h = h;
}

/*
 * Lanes that are not in their first column yet, or behind their last, stay as
 * they were.
 */
INLINE void
hold(struct state *s, const struct state *was, size_t t, size_t cols)
{
	v32 now = vset((int32_t)t), row = behind();
	v32 over = vset(t < cols ? 0 : (int32_t)(t - cols) + 1);

	s->h = pick(now, row, pick(row, over, s->h, was->h), was->h);
	s->e = pick(now, row, pick(row, over, s->e, was->e), was->e);
}

INLINE void
block(const struct sw_front_pass *x, struct state *state,
      const struct scores *v, size_t t, size_t steps, const unsigned size)
{
	const struct sw_scoring *sc = &x->q->s;
	v32 both = vset(sc->open + sc->extend), extend = vset(sc->extend);
	v32 counts = pick(behind(), vset((int32_t)x->rows), (v32){ 0 },
			  vset(-1));
	const struct sw_front_pass in = *x;
	struct state s = *state, was = s;

	for (size_t i = 0; i < steps; i++, t++) {
		bool part = t < LANES - 1 || t >= in.cols;

		if (__builtin_expect(part, 0))
			was = s;
		step(&s, score_at(v, i, size), &in, t, both, extend, counts);
		if (__builtin_expect(part, 0))
			hold(&s, &was, t, in.cols);
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

void
KERN(sw_front_pass)(struct sw_front_pass *x)
{
	if (is_wide(x->q, 1))
		strip(x, 4);
	else
		strip(x, 1);
}
#endif
