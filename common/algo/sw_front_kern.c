/* SPDX-License-Identifier: MIT */
/*
 * sw_front_kern.c - scores and starts of a strip of rows: see sw_front.h
 *
 * Scores are doubled; odd ones stem from before the window, which sw_plain.c
 * explains.  SW_PAD scores -1: where a segment begins with it, H stays 0 there;
 * where the text ends with it, no cell is told and none comes after; rows
 * behind the query's last are below all others, and not told.
 */
#include "algo/sw_front.h"
#include "algo/sw_front_vec.h"

#if defined(ISA_avx2) || defined(ISA_avx512)

struct starts {
	v32 col, row;
};

/* e: of the next column; f: of the row below; diag: above, a column before */
struct state {
	v32 h, e, f, diag;
	struct starts hs, es, fs, ds;
	struct starts next;	/* of a diagonal step from here */
};

INLINE struct starts
pick_starts(v32 a, v32 b, struct starts x, struct starts y, const bool packed)
{
	x.col = pick(a, b, x.col, y.col);
	if (!packed)
		x.row = pick(a, b, x.row, y.row);
	return x;
}

/*
 * One step; returns the diagonal's values.  Gaps are opened before H is floored
 * to 0, which is sooner known: of what is 1 at most, they stay so, and never
 * matter.  They do not fall far, as the diagonal comes from a floored H.
 */
INLINE v32
step(struct state *s, v32 score, const struct sw_above *in, size_t t, v32 both,
     v32 extend, const bool packed)
{
	struct starts fs = { .col = below(s->fs.col, (int32_t)in->f_col[t]) };
	struct starts us = { .col = below(s->hs.col, (int32_t)in->h_col[t]) };
	v32 f = below(s->f, in->f[t]), up = below(s->h, in->h[t]);
	v32 diag = s->diag + score, gap = vmax(s->e, f), h = vmax(diag, gap);
	v32 two = vset(2), open, e;
	struct starts hs;

	if (!packed) {
		fs.row = below(s->fs.row, (int32_t)in->f_row[t]);
		us.row = below(s->hs.row, (int32_t)in->h_row[t]);
	}
	hs = pick_starts(s->e, f, s->es, fs, packed);
	hs = pick_starts(diag, gap, s->ds, hs, packed);
	open = h - both;
	e = s->e - extend;
	f -= extend;
	s->es = pick_starts(open, e, hs, s->es, packed);
	s->fs = pick_starts(open, f, hs, fs, packed);
	s->e = vmax(open, e);
	s->f = vmax(open, f);
	s->diag = up;
	s->ds = us;
	s->h = pick(h, two, h, (v32){ 0 });
	s->hs = pick_starts(h, two, hs, s->next, packed);
	s->next.col += 1;
	return diag;
}

INLINE void
put_row(const struct state *s, const struct sw_above *to, size_t t,
	const bool packed)
{
	(to->h + t)[1 - LANES] = s->h[0];
	(to->f + t)[1 - LANES] = s->f[0];
	(to->h_col + t)[1 - LANES] = (uint32_t)s->hs.col[0];
	(to->f_col + t)[1 - LANES] = (uint32_t)s->fs.col[0];
	if (packed)
		return;
	(to->h_row + t)[1 - LANES] = (uint32_t)s->hs.row[0];
	(to->f_row + t)[1 - LANES] = (uint32_t)s->fs.row[0];
}

/* Lanes whose columns at step t are in the target. */
INLINE unsigned
targets(const struct sw_front_strip *x, size_t t)
{
	unsigned m = (1u << LANES) - 1;

	if (t < x->from)
		return 0;
	if (t - x->from < LANES - 1)
		m &= m << (LANES - 1 - (t - x->from));
	if (t >= x->cols)
		m &= (1u << (x->cols + LANES - 1 - t)) - 1;
	return m;
}

/* Cells that may be told: m, at step t, the block's i-th. */
INLINE void
tell(struct sw_front_strip *x, const struct state *s, v32 diag, v32 score,
     size_t t, size_t i, unsigned m, const bool packed)
{
	struct sw_told *to = x->told;
	unsigned known = equal(s->hs.col, vset((int32_t)x->known_col)) &
			 ~not_less(s->h, vset(x->known_h));

	if (!packed)
		known &= equal(s->hs.row, vset((int32_t)x->known_row));
	m &= targets(x, t) & not_less(score, vset(1));
	if (m & equal(s->h & 1, vset(1)))
		x->odd = true;
	m &= equal(s->h, diag) & ~known;
	put_lanes(to->h + to->n, m, s->h);
	put_lanes(to->col + to->n, m, s->hs.col);
	if (!packed)
		put_lanes(to->row + to->n, m, s->hs.row);
	put_lanes(to->at + to->n, m, behind() + (int32_t)(i << 8));
	to->n += (unsigned)__builtin_popcount(m);
}

/* Lanes that are not in their first column yet stay as they were. */
INLINE void
hold(struct state *s, const struct state *was, size_t t)
{
	v32 now = vset((int32_t)t), row = behind();

	s->h = pick(now, row, s->h, was->h);
	s->e = pick(now, row, s->e, was->e);
	s->hs = pick_starts(now, row, s->hs, was->hs, false);
	s->es = pick_starts(now, row, s->es, was->es, false);
}

/* The column before the first one. */
static void
begin(const struct sw_front_strip *x, struct state *s, int32_t both,
      int32_t extend)
{
	int32_t top = (int32_t)x->top;

	memset(s, 0, sizeof *s);
	for (int k = 0; k < LANES; k++) {
		int32_t r = LANES - 1 - k, h = x->left[r + 1];
		int32_t next = x->packed ? (top + r + 1) << 16 : 0;

		s->h[k] = h;
		s->e[k] = h ? h - extend : -both;
		s->f[k] = -both;
		s->hs.col[k] = next;
		s->next.col[k] = next + 1 - r;	/* of column -r */
		s->hs.row[k] = s->next.row[k] = top + r + 1;
	}
	s->diag[LANES - 1] = x->left[0];
	s->ds.col[LANES - 1] = x->packed ? top << 16 : 0;
	s->ds.row[LANES - 1] = top;
}

/* Steps [t, t + steps) of a strip. */
INLINE void
block(struct sw_front_strip *x, struct state *s, const struct scores *v,
      size_t t, size_t steps, const unsigned size, const bool packed)
{
	const struct sw_scoring *sc = &x->q->s;
	v32 both = vset(2 * (sc->open + sc->extend));
	v32 extend = vset(2 * sc->extend);
	v32 least = vset(t + steps > x->from ? x->least : INT32_MAX);
	struct sw_above above = x->above;
	struct state now = *s, was = now;

	for (size_t i = 0; i < steps; i++, t++) {
		bool early = t < LANES - 1;
		v32 score = score_at(v, i, size), diag;
		unsigned m;

		if (__builtin_expect(early, 0))
			was = now;
		diag = step(&now, score, &above, t, both, extend, packed);
		if (__builtin_expect(early, 0))
			hold(&now, &was, t);
		put_row(&now, &above, t, packed);
		m = not_less(diag, least);
		if (m)
			tell(x, &now, diag, score, t, i, m, packed);
	}
	*s = now;
}

INLINE void
strip(struct sw_front_strip *x, const unsigned size, const bool packed)
{
	const struct sw_scoring *sc = &x->q->s;
	size_t n = x->cols + LANES - 1;
	struct profile p;
	struct scores v;
	struct state s;

	profile_of(&p, sc, x->row, 2, size != 1);
	begin(x, &s, 2 * (sc->open + sc->extend), 2 * sc->extend);
	for (size_t t = 0; t < n; t += STEPS) {
		size_t steps = n - t < STEPS ? n - t : STEPS;

		scores_of(&v, &p, x->col + t, t, steps, size);
		x->told->n = 0;
		block(x, &s, &v, t, steps, size, packed);
		if (x->odd || (x->told->n && x->hear(x, t)))
			return;
	}
}

void
KERN(sw_front)(struct sw_front_strip *x)
{
	bool wide = is_wide(x->q, 2);

	if (wide && x->packed)
		strip(x, 4, true);
	else if (wide)
		strip(x, 4, false);
	else if (x->packed)
		strip(x, 1, true);
	else
		strip(x, 1, false);
}
#endif
