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

#if VBYTES >= 16

/* Vectors of a strip: masks are of 8 rows at least. */
enum { VECS = LANES < 8 ? 2 : 1, ROWS = VECS * LANES };

struct state {
	v32 h, e, f;	/* e: of the next column; f: of the row below */
	v32 diag;	/* H of the row above, one column before */
};

/* Of one vector's rows, a bit each. */
struct dirs {
	unsigned diag, e, open_e, open_f;
};

INLINE void
put_dirs(uint8_t *to, const struct dirs d[VECS])
{
#if defined(ISA_avx512)
	_store_mask16((void *)to, (__mmask16)d->diag);
	_store_mask16((void *)(to + 2), (__mmask16)d->e);
	_store_mask16((void *)(to + 4), (__mmask16)d->open_e);
	_store_mask16((void *)(to + 6), (__mmask16)d->open_f);
#else
	uint32_t x = 0;

	/* the upper rows are the higher bits */
	for (int v = 0; v < VECS; v++)
		x = x << LANES % 8 | d[v].open_f << 24 | d[v].open_e << 16 |
		    d[v].e << 8 | d[v].diag;
	memcpy(to, &x, sizeof x);
#endif
}

/* up, f: of the rows above. */
INLINE void
step(struct state *s, v32 score, v32 up, v32 f, v32 both, v32 extend,
     struct dirs *dirs)
{
	v32 diag = s->diag + score;
	v32 h = vmax(vmax(vmax(diag, s->e), (v32){ 0 }), f);
	v32 open = h - both, e = s->e - extend;

	f -= extend;
	if (dirs)
		*dirs = (struct dirs){
			equal(h, diag), equal(h, s->e), not_less(open, e),
			not_less(open, f),
		};
	s->diag = up;
	s->h = h;
	s->e = vmax(open, e);
	s->f = vmax(open, f);
}

/* Is the score out of reach from steps [t, t + steps)?  See sw_trace.c. */
INLINE bool
is_dead(const struct sw_strip *x, const struct state s[VECS], const int32_t *h,
	size_t t, size_t steps)
{
	const int64_t rows = (int64_t)x->rows_left;
	const int64_t cols = (int64_t)(x->cols_left + ROWS) - (int64_t)t;
	const int64_t enough = x->score - (rows < cols ? rows : cols) *
			       x->q->best;
	v32 most = { 0 };

	if (enough <= 0)
		return false;
	for (int v = 0; v < VECS; v++)
		most = vmax(most, vmax(vmax(s[v].h, s[v].diag),
				       vmax(s[v].e, s[v].f)));
	most = largest(most, h, steps);
	return enough > INT32_MAX || !not_less(most, vset((int32_t)enough));
}

/* All H of the block count as 0. */
INLINE void
leave_out(struct state s[VECS], int32_t *h, int32_t *f, size_t steps, v32 both)
{
	for (int v = 0; v < VECS; v++)
		s[v] = (struct state){ .e = -both, .f = -both };
	memset(h + 1 - ROWS, 0, steps * sizeof *h);
	memset(f + 1 - ROWS, 0, steps * sizeof *f);
}

INLINE void
strip(struct sw_strip *x, const unsigned size, const bool dirs)
{
	const struct sw_scoring *sc = x->q->s;
	v32 both = vset(sc->open + sc->extend), extend = vset(sc->extend);
	struct state s[VECS];
	size_t n = x->cols + ROWS - 1;
	uint8_t *to = x->dirs;
	int32_t *h = x->h, *f = x->f;
	struct profile p[VECS];
	struct scores look[VECS];

	for (int v = 0; v < VECS; v++) {
		profile_of(&p[v], sc, x->row + v * LANES, 1, size != 1);
		s[v] = (struct state){ .e = -both, .f = -both };
	}
	s[0].diag[LANES - 1] = (int32_t)x->corner;
	for (size_t t = 0; t < n; t += STEPS) {
		size_t steps = n - t < STEPS ? n - t : STEPS;

		if (is_dead(x, s, h, t, steps)) {
			leave_out(s, h, f, steps, both);
			h += steps;
			f += steps;
			if (dirs) {
				memset(to, 0, steps * SW_DIRS * ROWS / 8);
				to += steps * SW_DIRS * ROWS / 8;
			}
			continue;
		}
		for (int v = 0; v < VECS; v++)
			scores_of(&look[v], &p[v], x->col + t - v * LANES,
				  (ptrdiff_t)t - v * LANES, steps, size);
		for (size_t i = 0; i < steps; i++, h++, f++) {
			struct dirs d[VECS];

			/* the lower rows need what the upper ones had */
			if (VECS > 1)
				step(&s[VECS - 1],
				     score_at(&look[VECS - 1], i, size),
				     below_of(s[VECS - 1].h, s[0].h),
				     below_of(s[VECS - 1].f, s[0].f), both,
				     extend, dirs ? &d[VECS - 1] : NULL);
			step(&s[0], score_at(&look[0], i, size),
			     below(s[0].h, *h), below(s[0].f, *f), both,
			     extend, dirs ? d : NULL);
			if (dirs) {
				put_dirs(to, d);
				to += SW_DIRS * ROWS / 8;
			}
			h[1 - ROWS] = s[VECS - 1].h[0];
			f[1 - ROWS] = s[VECS - 1].f[0];
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
enum { ROWS = 8, WIDE = true };

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
					 (ROWS - 1 - r));
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
		memset(x->dirs, 0, SW_DIRS * (x->cols + ROWS - 1));
	for (unsigned r = 0; r < ROWS && x->row[r] != SW_PAD; r++)
		row(x, r, r ? 0 : x->corner);
}
#endif

const struct sw_tracing KERN(sw_tracing) = { ROWS, WIDE, trace_strip };
