/* SPDX-License-Identifier: MIT */
/*
 * picture.c - results as pictures: alignments, heat maps, histograms, lanes of
 * hits
 */

#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "output/picture.h"
#include "output/output.h"

/* Alignments as lines: queries down, sequences across. */

enum { HIGH = 360 };

/* The best first. */
static int
dots_cmp(const void *x, const void *y)
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
	qsort(m->v, m->n, sizeof *m->v, dots_cmp);
	m->n = m->n < MAX_MARKS ? m->n : MAX_MARKS;
}

static int
marks_add(struct marks *m, const struct mark *k, struct err *e)
{
	if (m->n == 2 * MAX_MARKS)
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

static struct str
lane_name(const struct lanes *l, const struct lane *v)
{
	return (struct str){ v->n_name ? (const char *)l->names.p + v->name :
			     "", v->n_name };
}

/* As in the input. */
static int
cmp_place(const struct lanes *l, const struct lane *a, const struct lane *b)
{
	int c = 0;

	if (a->group != b->group && !l->by_ordinal)
		c = str_cmp(lane_name(l, &l->v[l->group[a->group].first]),
			     lane_name(l, &l->v[l->group[b->group].first]));
	if (c == 0 && a->key != b->key && !l->by_ordinal)
		c = a->key < b->key ? -1 : 1;
	if (c == 0)
		c = a->ordinal < b->ordinal ? -1 : a->ordinal > b->ordinal;
	return c ? c : a->key < b->key ? -1 : a->key > b->key;
}

/* More hits, then longer, then as in the input. */
static int
lanes_cmp(const struct lanes *l, const struct lane *a, const struct lane *b)
{
	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	if (a->len != b->len)
		return a->len > b->len ? -1 : 1;
	return cmp_place(l, a, b);
}

/* Insert i into the shown ones, which are in order. */
static void
insert(struct lanes *l, uint32_t i, unsigned at)
{
	for (unsigned k = l->n_shown; k > at; k--)
		l->shown[k] = l->shown[k - 1];
	l->shown[at] = i;
	l->n_shown++;
}

static void
lanes_choose(struct lanes *l, unsigned most)
{
	uint32_t best[SHOWN_LANES];
	unsigned n, at;

	l->n_shown = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		at = l->n_shown;
		while (at > 0 &&
		       lanes_cmp(l, &l->v[i], &l->v[l->shown[at - 1]]) < 0)
			at--;
		if (at == most)
			continue;
		l->n_shown -= l->n_shown == most;
		insert(l, i, at);
	}
	/* as in the input */
	n = l->n_shown;
	memcpy(best, l->shown, sizeof best);
	for (l->n_shown = 0; l->n_shown < n;) {
		const struct lane *v = &l->v[best[l->n_shown]];

		for (at = l->n_shown; at > 0 &&
		     cmp_place(l, v, &l->v[l->shown[at - 1]]) < 0; at--)
			;
		insert(l, best[l->n_shown], at);
	}
}

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

static size_t
slot_of(const struct lanes *l, uint64_t key, uint64_t ordinal)
{
	const uint64_t id[2] = { key, ordinal };
	size_t i = hash64(id, sizeof id, 0) & (l->n_slots - 1);

	for (; l->slot[i]; i = (i + 1) & (l->n_slots - 1)) {
		const struct lane *v = &l->v[l->slot[i] - 1];

		if (v->key == key && v->ordinal == ordinal)
			break;
	}
	return i;
}

static int
more_slots(struct lanes *l, struct err *e)
{
	int r = slots_double(&l->slot, &l->n_slots, sizeof *l->slot, e);

	for (size_t i = 0; i < l->n && r == 0; i++)
		l->slot[slot_of(l, l->v[i].key, l->v[i].ordinal)] = i + 1;
	return r;
}

/* The last one takes those that are too many. */
static unsigned
group_of(struct lanes *l, const struct lane *v)
{
	unsigned i = l->n_groups;

	while (i > 0 && l->group[i - 1].key != v->key)
		i--;
	if (i == 0 && l->n_groups < MAX_GROUPS) {
		l->group[l->n_groups++] = (struct lane_group){
			v->key, (size_t)(v - l->v) };
		return l->n_groups - 1;
	}
	i = i ? i - 1 : MAX_GROUPS - 1;
	if (v->ordinal < l->v[l->group[i].first].ordinal)
		l->group[i].first = (size_t)(v - l->v);
	return i;
}

/* The lane of that key and ordinal, or NULL: there are too many, or e. */
static struct lane *
lanes_find(struct lanes *l, uint64_t key, uint64_t ordinal, struct str name,
	   uint64_t len, struct err *e)
{
	struct lane *v;
	size_t i;

	if (e->code || (2 * (l->n + 1) > l->n_slots && more_slots(l, e) < 0))
		return NULL;
	i = slot_of(l, key, ordinal);
	if (l->slot[i])
		return &l->v[l->slot[i] - 1];
	if (l->n == MAX_LANES) {
		l->others++;
		return NULL;
	}
	if (array_room(&l->v, &l->cap, l->n + 1, sizeof *l->v, e) < 0)
		return NULL;
	v = &l->v[l->n++];
	*v = (struct lane){ .key = key, .ordinal = ordinal, .len = len,
			    .name = l->names.n, .n_name = name.n };
	buf_put(&l->names, name.p, name.n);
	v->group = group_of(l, v);
	l->slot[i] = l->n;
	if (!l->names.bad)
		return v;
	err_nomem(e, name.n);
	return NULL;
}

/* The place of v among the shown ones, or -1. */
static int
lanes_shown(const struct lanes *l, const struct lane *v)
{
	for (unsigned i = 0; i < l->n_shown; i++)
		if (&l->v[l->shown[i]] == v)
			return (int)i;
	return -1;
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
dots_draw(struct picture *p, struct side *x, struct side *y, bool minus)
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
dots_ticks(struct buf *b, const struct side *s, bool across, double edge)
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
borders(struct picture *p, const struct side *s, bool across, double edge,
	double far)
{
	struct buf *b = &p->body;

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
				 p->name_letters -
				 (s->l->n_shown == 1 ? 4 : 0));
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
		dots_ticks(b, x, true, bottom);
	if (y->l->n_shown == 1)
		dots_ticks(b, y, false, x->from);
	borders(p, x, true, bottom, y->from);
	borders(p, y, false, x->from, right);
}

/* The panel's heading. */
static void
picture_head(struct picture *p, const char *text)
{
	p->height += 20;
	svg_text(&p->body, "h", "start", MARGIN - (double)p->shift, p->height,
		 "%s", text);
	p->height += 12;
}

static void
picture_dots(struct picture *p)
{
	unsigned shown, lanes;
	struct side x, y;

	cut(&p->marks);
	picture_head(p, "Alignments: queries downwards, sequences across");
	side_new(&x, &p->subjects, SHOWN_LANES, PLOT_X, PLOT_W);
	side_new(&y, &p->queries, MAX_QUERIES, p->height + 8, HIGH);
	zoom(&x, &p->marks);
	frame(p, &x, &y);
	shown = dots_draw(p, &x, &y, false);
	shown += dots_draw(p, &x, &y, true);
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

/* How many have which number. */

enum { HEIGHT = 130, MANY_BARS = 16, WIDEST = 44 };

static void
histo_add(struct histo *h, uint64_t value, uint64_t times)
{
	while (value >> h->shift >= HISTO_BINS) {
		for (unsigned i = 0; i < HISTO_BINS; i++) {
			uint64_t n = h->count[i];

			h->count[i] = 0;
			h->count[i / 2] += n;
		}
		h->shift++;
	}
	h->count[value >> h->shift] += times;
	h->total += times;
}

/* What the bins between the first and the last that is not empty are. */
struct span {
	unsigned lo, hi;	/* both included */
	uint64_t highest;
	double step;
};

static struct span
span_of(const struct histo *h)
{
	struct span s = { HISTO_BINS, 0, 1, 0 };

	for (unsigned i = 0; i < HISTO_BINS; i++) {
		if (!h->count[i])
			continue;
		s.lo = s.lo < i ? s.lo : i;
		s.hi = i;
		s.highest = h->count[i] > s.highest ? h->count[i] : s.highest;
	}
	if (s.lo < 8)	/* near: it begins at 0 */
		s.lo = 0;
	s.step = (double)PLOT_W / (s.hi - s.lo + 1);
	s.step = s.step > WIDEST ? WIDEST : s.step;
	return s;
}

static void
bar(struct picture *p, const struct histo *h, const struct span *s,
    unsigned i, double base)
{
	double x = PLOT_X + (i - s->lo) * s->step, wide = s->step * 0.8;
	double high = HEIGHT * (double)h->count[i] / (double)s->highest;

	if (!h->count[i])
		return;
	high = high < 2 ? 2 : high;
	svg_rect(&p->body, "n", x, base - high, wide, high);
	if (s->hi - s->lo < MANY_BARS)
		svg_text(&p->body, "s", "middle", x + wide / 2,
			 base - high - 4, "%s", svg_short(h->count[i]).text);
}

/* Below each bar if they are few, else at round numbers. */
static void
histo_ticks(struct picture *p, const struct histo *h, const struct span *s,
      double base)
{
	uint64_t each = UINT64_C(1) << h->shift, beg = s->lo * each;
	uint64_t range = (s->hi - s->lo) * each;
	uint64_t step = h->shift || s->hi - s->lo >= MANY_BARS ?
			svg_step(range, 8) : 1;

	for (uint64_t v = (beg + step - 1) / step * step; v - beg <= range;
	     v += step) {
		double x = PLOT_X + s->step * (double)(v - beg) / (double)each;

		if (h->shift)
			svg_line(&p->body, "g", x, base, x, base + 4);
		svg_text(&p->body, "s", "middle",
			 h->shift ? x : x + s->step * 0.4,
			 base + 15 + (h->shift ? 2 : 0), "%s",
			 svg_short(v).text);
		if (v > UINT64_MAX - step)
			break;
	}
}

/* One bar would say less than a line. */
static bool
one_bar(struct picture *p, const struct histo *h, const struct span *s,
	const char *head)
{
	uint64_t each = UINT64_C(1) << h->shift, beg = s->hi * each;

	if (h->count[s->hi] != h->total)
		return false;
	p->height += 24;
	svg_text(&p->body, "s", "start", PLOT_X, p->height,
		 h->shift ? "%s: all %s from %s on, %s numbers" :
			    "%s: all %s have %s",
		 head, svg_number(h->total).text, svg_number(beg).text,
		 svg_number(each).text);
	return true;
}

static void
picture_histo(struct picture *p, const struct histo *h, const char *head,
	      const char *axis)
{
	struct span s;
	double base;

	if (!h->total)
		return;
	s = span_of(h);
	if (h != &p->ends && one_bar(p, h, &s, head))
		return;
	picture_head(p, head);
	base = p->height + 20 + HEIGHT;
	for (unsigned i = s.lo; i <= s.hi; i++)
		bar(p, h, &s, i, base);
	histo_ticks(p, h, &s, base);
	svg_line(&p->body, "g", PLOT_X, base, PLOT_X + PLOT_W, base);
	svg_text(&p->body, "s", "end", PLOT_X - 10, base + 15, "%s",
		 axis);
	svg_text(&p->body, "s", "start", PLOT_X + PLOT_W + 10, base - 4,
		 "%s in all", svg_count(h->total).text);
	if (h->shift)
		svg_text(&p->body, "s", "start", PLOT_X + PLOT_W + 10,
			 base + 15, "%s a bar",
			 svg_short(UINT64_C(1) << h->shift).text);
	p->height += 20 + HEIGHT + 30;
}

/* Hits along sequences: + above the line, - below it. */

/* A hit with its middle there. */
static int
lane_hit(struct lane *l, uint64_t at, bool minus, struct err *e)
{
	size_t bytes = 2 * LANE_BINS * sizeof *l->bin, i;

	l->n++;
	if (!l->bin)
		l->bin = calloc(1, bytes);
	if (!l->bin)
		return err_nomem(e, bytes);
	i = (size_t)((unsigned __int128)at * LANE_BINS /
		     ((unsigned __int128)l->len + 1));
	i = (i < LANE_BINS ? i : LANE_BINS - 1) + (minus ? LANE_BINS : 0);
	l->bin[i] += l->bin[i] < UINT32_MAX;
	return 0;
}

static void
lanes_free(struct lanes *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].bin);
	free(l->v);
	free(l->slot);
	buf_free(&l->names);
}

/* What all shown lanes have in common. */
struct lanes_scale {
	uint64_t longest, shortest;
	uint32_t highest;	/* bin */
	bool own;		/* each lane is as wide as the plot */
	double half;		/* height above and below the line */
};

static struct lanes_scale
scale_of(const struct lanes *l)
{
	struct lanes_scale s = { 0, UINT64_MAX, 1, false, 0 };

	for (unsigned i = 0; i < l->n_shown; i++) {
		const struct lane *v = &l->v[l->shown[i]];

		s.longest = v->len > s.longest ? v->len : s.longest;
		s.shortest = v->len < s.shortest ? v->len : s.shortest;
		for (size_t k = 0; k < 2 * LANE_BINS && v->bin; k++)
			s.highest = v->bin[k] > s.highest ? v->bin[k] :
							    s.highest;
	}
	s.own = s.shortest < s.longest / 20;
	s.half = l->n_shown > 8 ? 10 : l->n_shown > 3 ? 18 : 36;
	return s;
}

/* The bars of a strand; small ones are still seen. */
static void
bars(struct buf *b, const char *cls, const uint32_t *bin, bool minus, double y,
     double w, const struct lanes_scale *s)
{
	double step = w / LANE_BINS, wide = step < 2 ? 2 : step;
	bool any = false;

	for (unsigned i = 0; i < LANE_BINS; i++) {
		double h = s->half * bin[i] / s->highest;

		if (!bin[i])
			continue;
		h = h < 2 ? 2 : h;
		if (!any)
			buf_printf(b, "<path class=\"%s\" d=\"", cls);
		buf_printf(b, "M%.1f %.1fh%.1fv%.1fh-%.1fz",
			   PLOT_X + i * step, y, wide, minus ? h : -h, wide);
		any = true;
	}
	if (any)
		buf_printf(b, "\"/>\n");
}

/* plus, minus: classes of the bars. */
static void
one_lane(struct picture *p, const struct lane *v, struct str name,
	 const char *plus, const char *minus, const struct lanes_scale *s)
{
	double y = p->height + s->half, w;
	struct buf *b = &p->body;

	/* 1 / 20 of the plot at least: else each lane has a scale of its own */
	w = s->own || !s->longest ? PLOT_W :
	    PLOT_W * (double)v->len / (double)s->longest;
	svg_name(b, "end", PLOT_X - 10, y + 4, name, p->name_letters);
	if (v->bin) {
		bars(b, plus, v->bin, false, y - .5, w, s);
		bars(b, minus, v->bin + LANE_BINS, true, y + .5, w, s);
	}
	svg_line(b, "g", PLOT_X, y, PLOT_X + w, y);
	svg_text(b, "s", "start", PLOT_X + PLOT_W + 10, y + 4,
		 s->own ? "%s in %s" : "%s", svg_count(v->n).text,
		 svg_short(v->len).text);
	p->height += (unsigned)(2 * s->half) + 8;
}

static void
axis(struct picture *p, const struct lanes_scale *s)
{
	uint64_t step = svg_step(s->longest, 6);
	unsigned y = p->height;

	if (s->own) {
		svg_text(&p->body, "s", "start", PLOT_X, y + 12,
			 "each sequence from its first letter to its last");
	} else {
		svg_line(&p->body, "g", PLOT_X, y, PLOT_X + PLOT_W, y);
		for (uint64_t v = 0; v <= s->longest; v += step) {
			double x = svg_place(v, 0, s->longest, PLOT_X, PLOT_W);

			svg_line(&p->body, "g", x, y, x, y + 4);
			svg_text(&p->body, "s", "middle", x, y + 17, "%s",
				 svg_short(v).text);
			if (v > UINT64_MAX - step)
				break;
		}
	}
	p->height += 34;
}

static void
legend(struct picture *p, const struct lanes_scale *s)
{
	struct buf *b = &p->body;
	double y = p->height + 12;

	svg_rect(b, "p", PLOT_X, y - 9, 10, 10);
	svg_text(b, "s", "start", PLOT_X + 16, y, "+ strand: %s",
		 svg_number(p->n[0]).text);
	svg_rect(b, "m", PLOT_X + 170, y - 9, 10, 10);
	svg_text(b, "s", "start", PLOT_X + 186, y, "- strand: %s",
		 svg_number(p->n[1]).text);
	svg_text(b, "s", "end", PLOT_X + PLOT_W, y, "the highest bar: %s",
		 svg_number(s->highest).text);
	p->height += 26;
}

/* Few queries in few sequences: a lane and a colour for each. */

static uint64_t
subject_key(const struct lane *s)
{
	const uint64_t id[2] = { s->key, s->ordinal };

	return hash64(id, sizeof id, 1);
}

static uint64_t
query_key(const struct lane *q)
{
	const uint64_t id[2] = { q->key, q->ordinal };

	return hash64(id, sizeof id, 2);
}

/* s and q as they are in p: they may be NULL. */
static void
pair_hit(struct picture *p, const struct lane *s, const struct lane *q,
	 uint64_t at, bool minus)
{
	const struct str none = { "", 0 };
	struct lane *v;

	if (p->no_pairs)
		return;
	v = s && q && p->queries.n <= MAX_QUERIES ?
	    lanes_find(&p->pairs, subject_key(s), query_key(q), none, s->len,
		       &p->err) : NULL;
	if (v && p->pairs.n <= MAX_PAIRS) {
		lane_hit(v, at, minus, &p->err);
		return;
	}
	lanes_free(&p->pairs);
	memset(&p->pairs, 0, sizeof p->pairs);
	p->no_pairs = true;
}

/* The lane of one query in one sequence, or NULL. */
static const struct lane *
pair_of(const struct picture *p, const struct lane *s, const struct lane *q)
{
	const struct lanes *l = &p->pairs;
	size_t i = slot_of(l, subject_key(s), query_key(q));

	return l->slot[i] ? &l->v[l->slot[i] - 1] : NULL;
}

/* The highest bar of a query: what has few hits is seen, too. */
static uint32_t
highest_of(const struct picture *p, const struct lane *query)
{
	uint32_t most = 1;

	for (size_t i = 0; i < p->pairs.n; i++) {
		const struct lane *v = &p->pairs.v[i];

		for (size_t k = 0; k < 2 * LANE_BINS &&
		     v->ordinal == query_key(query); k++)
			most = v->bin[k] > most ? v->bin[k] : most;
	}
	return most;
}

static void
pairs_of(struct picture *p, const struct lane *subject,
	 struct lanes_scale *s)
{
	const struct lanes *q = &p->queries;
	char colour[8];

	p->height += 14;
	svg_name(&p->body, "start", PLOT_X, p->height, lane_name(&p->subjects,
								subject),
		 PLOT_W / LETTER);
	p->height += 6;
	for (unsigned i = 0; i < q->n_shown; i++) {
		const struct lane *v = &q->v[q->shown[i]];
		const struct lane *pair = pair_of(p, subject, v);

		snprintf(colour, sizeof colour, "c%u", i % COLOURS);
		s->highest = highest_of(p, v);
		if (pair)
			one_lane(p, pair, lane_name(q, v), colour, colour, s);
	}
	p->height += 8;
}

static void
picture_pairs(struct picture *p)
{
	const struct lanes *l = &p->subjects;
	struct lanes_scale s = scale_of(l);

	s.half = p->pairs.n > 24 ? 7 : p->pairs.n > 8 ? 10 : 16;
	picture_head(p, p->products ?
			"Products along the sequences, pair by pair" :
			"Hits along the sequences, query by query");
	svg_text(&p->body, "s", "start", PLOT_X, p->height + 12,
		 "+ strand, above the lines: %s", svg_number(p->n[0]).text);
	svg_text(&p->body, "s", "start", PLOT_X + 250, p->height + 12,
		 "- strand, below: %s", svg_number(p->n[1]).text);
	svg_text(&p->body, "s", "end", PLOT_X + PLOT_W, p->height + 12,
		 "each %s to a scale of its own",
		 p->products ? "pair" : "query");
	p->height += 22;
	for (unsigned i = 0; i < l->n_shown; i++)
		pairs_of(p, &l->v[l->shown[i]], &s);
	axis(p, &s);
}

/* Are there some, and all of them to be shown? */
static bool
shows_pairs(const struct picture *p)
{
	return !p->no_pairs && p->pairs.n && p->queries.n > 1 &&
	       p->subjects.n <= SHOWN_LANES;
}

static unsigned
longest_name(const struct lanes *l)
{
	unsigned most = 0;

	for (unsigned i = 0; i < l->n_shown; i++) {
		unsigned n = svg_letters(lane_name(l, &l->v[l->shown[i]]));

		most = n > most ? n : most;
	}
	return most;
}

/* Names that are shown get as much room as the longest needs. */
static void
make_room(struct picture *p)
{
	unsigned n = 0, q = 0;

	lanes_choose(&p->subjects, SHOWN_LANES);
	lanes_choose(&p->queries, MAX_QUERIES);
	if (!shows_pairs(p))
		n = longest_name(&p->subjects);
	if (shows_pairs(p) || p->marks.n)	/* one beside its ticks */
		q = longest_name(&p->queries) + 4 * (p->queries.n_shown == 1);
	n = n > q ? n : q;
	p->name_letters = n < NAME_LETTERS ? NAME_LETTERS :
			  n > MAX_LETTERS ? MAX_LETTERS : n;
	p->shift = LETTER * (p->name_letters - NAME_LETTERS);
}

/* Each appends a panel to body at height, which grows. */
static void
picture_lanes(struct picture *p)
{
	struct lanes *l = &p->subjects;
	uint64_t hits = p->n[0] + p->n[1];
	struct lanes_scale s;

	lanes_choose(l, SHOWN_LANES);
	s = scale_of(l);
	picture_head(p, p->primers ? "Primers along the targets" :
			p->products ? "Products along the sequences" :
				      "Hits along the sequences");
	legend(p, &s);
	for (unsigned i = 0; i < l->n_shown; i++) {
		one_lane(p, &l->v[l->shown[i]],
			 lane_name(l, &l->v[l->shown[i]]), "p", "m", &s);
		hits -= l->v[l->shown[i]].n;
	}
	axis(p, &s);
	if (hits) {
		svg_text(&p->body, "s", "start", PLOT_X, p->height + 8,
			 "not shown: %s more in %s%s other sequences",
			 svg_number(hits).text,
			 l->others ? "at least " : "",
			 svg_number(l->n - l->n_shown +
				    (l->others > 0)).text);
		p->height += 16;
	}
}

/* Results to look at: what is kept of them, and the page. */

int
picture_new(struct picture **p, struct err *e)
{
	*p = calloc(1, sizeof **p);
	if (!*p)
		return err_nomem(e, sizeof **p);
	(*p)->queries.by_ordinal = true;	/* their keys are hashes */
	return 0;
}

void
picture_free(struct picture *p)
{
	if (!p)
		return;
	lanes_free(&p->subjects);
	lanes_free(&p->queries);
	lanes_free(&p->pairs);
	free(p->marks.v);
	gel_free(&p->gel);
	buf_free(&p->heat);
	buf_free(&p->body);
	buf_free(&p->title);
	buf_free(&p->desc);
	buf_free(&p->lacks);
	free(p);
}

static uint64_t
middle(uint64_t beg, uint64_t end)
{
	return beg + (end - beg) / 2;
}

static int
add_hit(struct picture *p, uint64_t run, const struct hit *h)
{
	uint64_t key = hash64(h->query.name.p, h->query.name.n, h->query.len);
	struct lane *s, *q;
	/* over an origin: what is before it shows */
	uint64_t end = min_u64(h->send, h->subject.len);
	struct mark m = {
		h->score, run, h->subject.ordinal, h->sbeg, end, key,
		h->query.ordinal, h->qbeg, h->qend, h->flags & HIT_MINUS,
	};
	int r = 0;

	p->n[m.minus]++;
	if (h->flags & HIT_EDITS)
		histo_add(&p->edits, h->edits, 1);
	s = lanes_find(&p->subjects, run, h->subject.ordinal, h->subject.name,
		       h->subject.len, &p->err);
	q = lanes_find(&p->queries, key, h->query.ordinal, h->query.name,
		       h->query.len, &p->err);
	if (s)
		r = lane_hit(s, middle(h->sbeg, end), m.minus, &p->err);
	if (q)
		q->n++;
	pair_hit(p, s, q, middle(h->sbeg, end), m.minus);
	if (h->score <= 0 || r < 0)
		return r;
	histo_add(&p->scores, (uint64_t)h->score, 1);
	return marks_add(&p->marks, &m, &p->err);
}

void
picture_hit(struct picture *p, uint64_t run, const struct hit *h)
{
	if (!p->err.code)
		add_hit(p, run, h);
}

void
picture_tally(struct picture *p, const struct tally_row *t)
{
	histo_add(&p->ends, t->edits, t->count);
}

void
picture_primer(struct picture *p, const struct primer_row *r)
{
	uint64_t key = hash64(r->target.name.p, r->target.name.n,
			      r->target.len);
	struct lane *s;

	if (p->err.code)
		return;
	p->primers = p->subjects.by_ordinal = true;
	p->n[r->minus]++;
	histo_add(&p->lengths, r->end - r->beg, 1);
	s = lanes_find(&p->subjects, key, r->target.ordinal, r->target.name,
		       r->target.len, &p->err);
	if (s)
		lane_hit(s, middle(r->beg, r->end), r->minus, &p->err);
}

/* As a hit of its pair. */
void
picture_product(struct picture *p, const struct product_row *r)
{
	struct hit h = {
		.query = { .ordinal = r->pair_ordinal, .name = r->pair },
		.subject = { r->ordinal, r->slen == LEN_UNKNOWN ? r->end :
			     r->slen, r->subject },
		.sbeg = r->beg, .send = r->end,
		.edits = r->f.edits + r->r.edits,
		.flags = HIT_EDITS | (r->minus ? HIT_MINUS : 0),
	};

	if (p->err.code)
		return;
	p->products = true;
	histo_add(&p->lengths, r->end - r->beg, 1);
	gel_add(&p->gel, r->pair_ordinal, r->pair, r->end - r->beg, &p->err);
	add_hit(p, r->run, &h);
}

void
picture_lacks(struct picture *p, const char *why)
{
	if (!p->lacks.n)
		buf_put(&p->lacks, why, strlen(why));
}

/* "3 hits of 2 queries in 1 sequence: 2 on the + strand, 1 on the -." */
static void
say_hits(struct picture *p)
{
	uint64_t all = p->n[0] + p->n[1];
	bool more = p->subjects.others || p->queries.others;

	buf_printf(&p->title, "%s %s%s", svg_number(all).text,
		   p->primers ? "primer" : p->products ? "product" : "hit",
		   all == 1 ? "" : "s");
	if (!p->primers && p->queries.n)
		buf_printf(&p->title, " of %zu %s%s", p->queries.n,
			   p->products ? p->queries.n == 1 ? "pair" : "pairs" :
			   p->queries.n == 1 ? "query" : "queries",
			   p->queries.others ? " or more" : "");
	if (p->subjects.n)
		buf_printf(&p->title, " in %zu %s%s", p->subjects.n,
			   p->subjects.n == 1 ? "sequence" : "sequences",
			   p->subjects.others ? " or more" : "");
	buf_printf(&p->desc, "%s on the + strand, %s on the - strand.%s ",
		   svg_number(p->n[0]).text, svg_number(p->n[1]).text,
		   more ? " Not all of them are shown." : "");
}

static void
say_all(struct picture *p)
{
	bool any = p->n[0] + p->n[1];

	if (any)
		say_hits(p);
	else if (!p->n_heats && !p->ends.total)
		buf_printf(&p->title, "Nothing found");
	if (p->ends.total)
		buf_printf(&p->title, "%s%s ends are counted",
			   any ? "; " : "", svg_number(p->ends.total).text);
	if (p->n_heats)
		buf_printf(&p->title, "%sdistances of sequences",
			   p->title.n ? "; " : "");
	buf_printf(&p->desc, "Drawn by seqfilters.");
}

/* Above all else: a picture is looked at without the exit status. */
static void
say_lacks(struct picture *p)
{
	struct str why = { (const char *)p->lacks.p, p->lacks.n };

	buf_printf(&p->title, "Incomplete: ");
	svg_rect(&p->body, "m", MARGIN - (double)p->shift, p->height,
		 p->width + p->shift - 2 * MARGIN, 4);
	p->height += 6;
	picture_head(p, "Incomplete: there may be more than is shown");
	svg_name(&p->body, "start", MARGIN - (double)p->shift, p->height + 8,
		 why, 120);
	p->height += 20;
}

/* Lengths, differences and scores, of what is there. */
static void
picture_numbers(struct picture *p)
{
	if (p->gel.total) {
		picture_head(p, "Products as bands of a gel, by length");
		p->height += gel_draw(&p->gel, &p->body, p->height);
	}
	picture_histo(p, &p->edits, p->products ? "Products by differences" :
		      "Hits by edits", "differences");
	picture_histo(p, &p->scores, "Hits by score", "score");
	picture_histo(p, &p->lengths, p->products ? "Products by length" :
		      "Primers by length", "letters");
	picture_histo(p, &p->ends, "Ends by differences",
		      "differences");
}

int
picture_draw(struct picture *p, struct buf *b, struct err *e)
{
	if (p->err.code) {
		*e = p->err;
		return e->code;
	}
	p->width = p->heat_width > PAGE ? p->heat_width : PAGE;
	p->height = MARGIN;
	make_room(p);
	if (p->shift)
		buf_printf(&p->body, "<g transform=\"translate(%u,0)\">\n",
			   p->shift);
	if (p->lacks.n)
		say_lacks(p);
	say_all(p);
	if (shows_pairs(p))
		picture_pairs(p);
	else if (p->n[0] + p->n[1])
		picture_lanes(p);
	else if (!p->n_heats && !p->ends.total)
		picture_head(p, "Nothing found");
	if (p->marks.n)
		picture_dots(p);
	picture_numbers(p);
	if (p->n_heats) {
		buf_printf(&p->body, "<g transform=\"translate(0,%u)\">\n",
			   p->height);
		buf_put(&p->body, p->heat.p, p->heat.n);
		buf_printf(&p->body, "</g>\n");
		p->height += p->heat_height;
	}
	if (p->shift)
		buf_printf(&p->body, "</g>\n");
	svg_file(b, p->width + p->shift, p->height + MARGIN, &p->title,
		 &p->desc, &p->body);
	return b->bad || p->heat.bad || p->lacks.bad ? err_nomem(e, b->n) : 0;
}
