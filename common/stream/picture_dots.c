/* SPDX-License-Identifier: MIT */
/* picture_dots.c - alignments as lines: queries down, sequences across */
#include <stdlib.h>

#include "base/array.h"
#include "stream/picture_priv.h"

enum { HIGH = 360, MOST_QUERIES = 12, LETTER = 8 };

/* The best first. */
static int
cmp(const void *x, const void *y)
{
	const struct mark *a = x, *b = y;
	const uint64_t u[] = { a->run, a->subject, a->sbeg, a->send, a->key,
			       a->query, a->qbeg, a->qend, a->minus };
	const uint64_t v[] = { b->run, b->subject, b->sbeg, b->send, b->key,
			       b->query, b->qbeg, b->qend, b->minus };

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	for (size_t i = 0; i < sizeof u / sizeof *u; i++)
		if (u[i] != v[i])
			return u[i] < v[i] ? -1 : 1;
	return 0;
}

static void
cut(struct marks *m)
{
	qsort(m->v, m->n, sizeof *m->v, cmp);
	m->n = m->n < MOST_MARKS ? m->n : MOST_MARKS;
}

int
marks_add(struct marks *m, const struct mark *k, struct err *e)
{
	if (m->n == 2 * MOST_MARKS)
		cut(m);
	if (array_room(&m->v, &m->cap, m->n + 1, sizeof *m->v, e) < 0)
		return e->code;
	m->v[m->n++] = *k;
	m->total++;
	return 0;
}

/* The shown lanes side by side: where each begins, of `all` letters. */
struct side {
	struct lanes *l;
	uint64_t at[SHOWN_LANES + 1];
	uint64_t beg, end;	/* what is drawn */
	double from, size;	/* pixels */
};

static void
side_new(struct side *s, struct lanes *l, unsigned most, double from,
	 double size)
{
	lanes_choose(l, most);
	*s = (struct side){ .l = l, .from = from, .size = size };
	for (unsigned i = 0; i < l->n_shown; i++) {
		uint64_t len = l->v[l->shown[i]].len, at = s->at[i];

		/* lengths come from the input */
		s->at[i + 1] = len < UINT64_MAX - at ? at + len : at;
	}
	s->end = s->at[l->n_shown];
}

/* The lane's place, or false if it is not shown. */
static bool
begin_of(struct side *s, uint64_t key, uint64_t ordinal, uint64_t *at)
{
	struct err e = { 0 };
	struct str none = { "", 0 };
	int i = lanes_shown(s->l, lanes_find(s->l, key, ordinal, none, 0, &e));

	if (i >= 0)
		*at = s->at[i];
	return i >= 0;
}

static double
place(const struct side *s, uint64_t v)
{
	v = v < s->beg ? s->beg : v > s->end ? s->end : v;
	return svg_place(v, s->beg, s->end, s->from, s->size);
}

/* One sequence, and all marks in less than half of it: that part. */
static void
zoom(struct side *x, const struct marks *m)
{
	uint64_t beg = UINT64_MAX, end = 0, room;

	if (x->l->n_shown != 1 || x->l->n != 1)
		return;
	for (size_t i = 0; i < m->n; i++) {
		beg = m->v[i].sbeg < beg ? m->v[i].sbeg : beg;
		end = m->v[i].send > end ? m->v[i].send : end;
	}
	if (beg >= end || end - beg >= x->end / 2)
		return;
	room = (end - beg) / 10 + 10;
	x->beg = beg > room ? beg - room : 0;
	x->end = x->end - end > room ? end + room : x->end;
}

static unsigned
draw(struct picture *p, struct side *x, struct side *y, bool minus)
{
	unsigned n = 0;

	for (size_t i = 0; i < p->marks.n; i++) {
		const struct mark *k = &p->marks.v[i];
		uint64_t s, q;

		if (k->minus != minus ||
		    !begin_of(x, k->run, k->subject, &s) ||
		    !begin_of(y, k->key, k->query, &q))
			continue;
		buf_printf(&p->body, "%sM%.1f %.1fL%.1f %.1f", n++ ? "" :
			   minus ? "<path class=\"ml\" d=\"" :
				   "<path class=\"pl\" d=\"",
			   place(x, s + k->sbeg),
			   place(y, q + (minus ? k->qend : k->qbeg)),
			   place(x, s + k->send) + .1,
			   place(y, q + (minus ? k->qbeg : k->qend)));
	}
	if (n)
		buf_printf(&p->body, "\"/>\n");
	return n;
}

static void
tick(struct buf *b, const struct side *s, bool across, double edge, uint64_t v)
{
	double at = place(s, v);

	if (across) {
		svg_line(b, "g", at, edge, at, edge + 4);
		svg_text(b, "s", "middle", at, edge + 17, "%s",
			 svg_number(v).text);
	} else {
		svg_line(b, "g", edge - 4, at, edge, at);
		svg_text(b, "s", "end", edge - 8, at + 4, "%s",
			 svg_number(v).text);
	}
}

/* Ticks of the only lane; x below, y at the left. */
static void
ticks(struct buf *b, const struct side *s, bool across, double edge)
{
	uint64_t step = svg_step(s->end - s->beg, across ? 6 : 5);

	for (uint64_t v = s->beg / step * step; v <= s->end; v += step) {
		if (v >= s->beg)
			tick(b, s, across, edge, v);
		if (v > UINT64_MAX - step)
			break;
	}
}

/* Borders of lanes, and the names for which there is room. */
static void
borders(struct buf *b, const struct side *s, bool across, double edge,
	double far)
{
	for (unsigned i = 0; i < s->l->n_shown; i++) {
		const struct lane *v = &s->l->v[s->l->shown[i]];
		double beg = place(s, s->at[i]), end = place(s, s->at[i + 1]);
		unsigned room = (unsigned)((end - beg) / LETTER);

		if (i && across)
			svg_line(b, "g", beg, edge, beg, far);
		else if (i)
			svg_line(b, "g", edge, beg, far, beg);
		if (across && room >= 4)
			svg_name(b, "middle", (beg + end) / 2,
				 edge + (s->l->n_shown == 1 ? 34 : 18),
				 lane_name(s->l, v), room);
		else if (!across && end - beg >= 14)
			svg_name(b, "end", edge - (s->l->n_shown == 1 ? 60 :
						   10),
				 (beg + end) / 2 + 4, lane_name(s->l, v),
				 s->l->n_shown == 1 ? 14 : NAME_LETTERS);
	}
}

static void
frame(struct picture *p, const struct side *x, const struct side *y)
{
	double bottom = y->from + y->size, right = x->from + x->size;
	struct buf *b = &p->body;

	buf_printf(b, "<path class=\"g\" d=\"M%.1f %.1fH%.1fV%.1fH%.1fz\"/>\n",
		   x->from, y->from, right, bottom, x->from);
	if (x->l->n_shown == 1)
		ticks(b, x, true, bottom);
	if (y->l->n_shown == 1)
		ticks(b, y, false, x->from);
	borders(b, x, true, bottom, y->from);
	borders(b, y, false, x->from, right);
}

void
picture_dots(struct picture *p)
{
	unsigned shown, lanes;
	struct side x, y;

	cut(&p->marks);
	picture_head(p, "Alignments: queries downwards, sequences across");
	side_new(&x, &p->subjects, SHOWN_LANES, PLOT_X, PLOT_W);
	side_new(&y, &p->queries, MOST_QUERIES, p->height + 8, HIGH);
	zoom(&x, &p->marks);
	frame(p, &x, &y);
	shown = draw(p, &x, &y, false);
	shown += draw(p, &x, &y, true);
	p->height += HIGH + 8 + 44;
	lanes = x.l->n_shown + y.l->n_shown;
	if (shown < p->marks.total && lanes) {
		svg_text(&p->body, "s", "start", PLOT_X, p->height + 8,
			 "%s of %s alignments: the best, of the queries and "
			 "sequences that have most",
			 svg_number(shown).text,
			 svg_number(p->marks.total).text);
		p->height += 16;
	}
	p->height += 8;
}
