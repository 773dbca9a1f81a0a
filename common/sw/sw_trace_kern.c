/* SPDX-License-Identifier: MIT */
/*
 * sw_trace_kern.c - directions of a strip of rows: see sw_trace.h
 *
 * H is floored at 0 as in local alignment, so nothing ever falls far: E and F
 * are at least -(open + extend).  What is left of the strip's columns is no
 * letter, and H there is 0.  Rows behind the query's last and columns behind
 * the strip's last are computed for nothing: no cell of the strip needs them.
 */

#include "sw/sw_front_vec.h"
#include "sw/sw_trace.h"

#if defined(ISA_avx2) || defined(ISA_avx512)

struct state {
	v32 h, e, f;	/* e: of the next column; f: of the row below */
	v32 diag;	/* H of the row above, one column before */
};

INLINE void
put_dirs(uint8_t *to, unsigned diag, unsigned e, unsigned open_e,
	 unsigned open_f)
{
#if defined(ISA_avx512)
	_store_mask16((void *)to, (__mmask16)diag);
	_store_mask16((void *)(to + 2), (__mmask16)e);
	_store_mask16((void *)(to + 4), (__mmask16)open_e);
	_store_mask16((void *)(to + 6), (__mmask16)open_f);
#else
	uint32_t x = open_f << 24 | open_e << 16 | e << 8 | diag;

	memcpy(to, &x, sizeof x);
#endif
}

INLINE void
step(struct state *s, v32 score, int32_t h_in, int32_t f_in, v32 both,
     v32 extend, uint8_t *dirs)
{
	v32 f = below(s->f, f_in), up = below(s->h, h_in);
	v32 diag = s->diag + score;
	v32 h = vmax(vmax(vmax(diag, s->e), (v32){ 0 }), f);
	v32 open = h - both, e = s->e - extend;

	f -= extend;
	if (dirs)
		put_dirs(dirs, equal(h, diag), equal(h, s->e),
			 not_less(open, e), not_less(open, f));
	s->diag = up;
	s->h = h;
	s->e = vmax(open, e);
	s->f = vmax(open, f);
}

INLINE void
strip(struct sw_strip *x, const unsigned size, const bool dirs)
{
	const struct sw_scoring *sc = x->q->s;
	v32 both = vset(sc->open + sc->extend), extend = vset(sc->extend);
	struct state s = { .e = -both, .f = -both };
	size_t n = x->cols + LANES - 1;
	uint8_t *to = dirs ? x->dirs : NULL;
	int32_t *h = x->h, *f = x->f;
	struct profile p;
	struct scores v;

	profile_of(&p, sc, x->row, 1, size != 1);
	s.diag[LANES - 1] = (int32_t)x->corner;
	for (size_t t = 0; t < n; t += STEPS) {
		size_t steps = n - t < STEPS ? n - t : STEPS;

		scores_of(&v, &p, x->col + t, t, steps, size);
		for (size_t i = 0; i < steps; i++, h++, f++) {
			step(&s, score_at(&v, i, size), *h, *f, both, extend,
			     to);
			h[1 - LANES] = s.h[0];
			f[1 - LANES] = s.f[0];
			if (dirs)
				to += SW_DIRS * LANES / 8;
		}
	}
}

static void
trace_strip(struct sw_strip *x)
{
	bool wide = is_wide(x->q, 1);

	if (wide && x->dirs)
		strip(x, 4, true);
	else if (wide)
		strip(x, 4, false);
	else if (x->dirs)
		strip(x, 1, true);
	else
		strip(x, 1, false);
}

enum { WIDE = false };

#else /* a cell at a time, scores of any size */
enum { LANES = 8, WIDE = true };

static int64_t
larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void
row(struct sw_strip *x, unsigned r, int64_t diag)
{
	const struct sw_scoring *sc = x->q->s;
	const int32_t *score = sc->score[x->row[r]];
	int64_t both = (int64_t)sc->open + sc->extend, e = -both;
	int64_t *ph = x->h, *pf = x->f;
	uint8_t *to = x->dirs ? x->dirs + SW_DIRS * r : NULL;

	for (size_t j = 0; j < x->cols; j++) {
		int64_t d = diag + score[x->col[j]], f = pf[j];
		int64_t h = larger(larger(d, e), larger(f, 0));
		unsigned bits = (unsigned)((h == d) | (h == e) << 8);

		e -= sc->extend;
		f -= sc->extend;
		bits |= (unsigned)((h - both >= e) << 16);
		bits |= (unsigned)(h - both >= f) << 24;
		for (unsigned i = 0; to && i < SW_DIRS; i++, to++)
			*to |= (uint8_t)((bits >> 8 * i & 1) <<
					 (LANES - 1 - r));
		e = larger(h - both, e);
		diag = ph[j];
		ph[j] = h;
		pf[j] = larger(h - both, f);
	}
}

static void
trace_strip(struct sw_strip *x)
{
	if (x->dirs)
		memset(x->dirs, 0, SW_DIRS * (x->cols + LANES - 1));
	for (unsigned r = 0; r < LANES && x->row[r] != SW_PAD; r++)
		row(x, r, r ? 0 : x->corner);
}
#endif

const struct sw_tracing KERN(sw_tracing) = { LANES, WIDE, trace_strip };
