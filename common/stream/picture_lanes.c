/* SPDX-License-Identifier: MIT */
/* picture_lanes.c - hits along sequences: + above the line, - below it */
#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "stream/picture_priv.h"

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
	if (i == 0 && l->n_groups < MOST_GROUPS) {
		l->group[l->n_groups++] = (struct lane_group){
			v->key, (size_t)(v - l->v) };
		return l->n_groups - 1;
	}
	i = i ? i - 1 : MOST_GROUPS - 1;
	if (v->ordinal < l->v[l->group[i].first].ordinal)
		l->group[i].first = (size_t)(v - l->v);
	return i;
}

struct lane *
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
	if (l->n == MOST_LANES) {
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

struct str
lane_name(const struct lanes *l, const struct lane *v)
{
	return (struct str){ v->n_name ? (const char *)l->names.p + v->name :
			     "", v->n_name };
}

int
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

void
lanes_free(struct lanes *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].bin);
	free(l->v);
	free(l->slot);
	buf_free(&l->names);
}

static int
cmp_name(struct str a, struct str b)
{
	int c = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);

	return c ? c : a.n < b.n ? -1 : a.n > b.n;
}

/* As in the input. */
static int
cmp_place(const struct lanes *l, const struct lane *a, const struct lane *b)
{
	int c = 0;

	if (a->group != b->group && !l->by_ordinal)
		c = cmp_name(lane_name(l, &l->v[l->group[a->group].first]),
			     lane_name(l, &l->v[l->group[b->group].first]));
	if (c == 0 && a->key != b->key && !l->by_ordinal)
		c = a->key < b->key ? -1 : 1;
	if (c == 0)
		c = a->ordinal < b->ordinal ? -1 : a->ordinal > b->ordinal;
	return c ? c : a->key < b->key ? -1 : a->key > b->key;
}

/* More hits, then longer, then as in the input. */
static int
cmp(const struct lanes *l, const struct lane *a, const struct lane *b)
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

void
lanes_choose(struct lanes *l, unsigned most)
{
	uint32_t best[SHOWN_LANES];
	unsigned n, at;

	l->n_shown = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		at = l->n_shown;
		while (at > 0 && cmp(l, &l->v[i], &l->v[l->shown[at - 1]]) < 0)
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

int
lanes_shown(const struct lanes *l, const struct lane *v)
{
	for (unsigned i = 0; i < l->n_shown; i++)
		if (&l->v[l->shown[i]] == v)
			return (int)i;
	return -1;
}

/* What all shown lanes have in common. */
struct scale {
	uint64_t longest, shortest;
	uint32_t highest;	/* bin */
	bool own;		/* each lane is as wide as the plot */
	double half;		/* height above and below the line */
};

static struct scale
scale_of(const struct lanes *l)
{
	struct scale s = { 0, UINT64_MAX, 1, false, 0 };

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
bars(struct buf *b, const uint32_t *bin, bool minus, double y, double w,
     const struct scale *s)
{
	double step = w / LANE_BINS, wide = step < 2 ? 2 : step;
	bool any = false;

	for (unsigned i = 0; i < LANE_BINS; i++) {
		double h = s->half * bin[i] / s->highest;

		if (!bin[i])
			continue;
		h = h < 2 ? 2 : h;
		buf_printf(b, "%sM%.1f %.1fh%.1fv%.1fh-%.1fz", any ? "" :
			   minus ? "<path class=\"m\" d=\"" :
				   "<path class=\"p\" d=\"",
			   PLOT_X + i * step, y, wide, minus ? h : -h, wide);
		any = true;
	}
	if (any)
		buf_printf(b, "\"/>\n");
}

static void
one_lane(struct picture *p, const struct lane *v, const struct scale *s)
{
	double y = p->height + s->half, w;
	struct buf *b = &p->body;

	/* 1 / 20 of the plot at least: else each lane has a scale of its own */
	w = s->own || !s->longest ? PLOT_W :
	    PLOT_W * (double)v->len / (double)s->longest;
	svg_name(b, "end", PLOT_X - 10, y + 4, lane_name(&p->subjects, v),
		 NAME_LETTERS);
	if (v->bin) {
		bars(b, v->bin, false, y - .5, w, s);
		bars(b, v->bin + LANE_BINS, true, y + .5, w, s);
	}
	svg_line(b, "g", PLOT_X, y, PLOT_X + w, y);
	svg_text(b, "s", "start", PLOT_X + PLOT_W + 10, y + 4,
		 s->own ? "%s in %s" : "%s", svg_count(v->n).text,
		 svg_short(v->len).text);
	p->height += (unsigned)(2 * s->half) + 8;
}

static void
axis(struct picture *p, const struct scale *s)
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
legend(struct picture *p, const struct scale *s)
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

void
picture_lanes(struct picture *p)
{
	struct lanes *l = &p->subjects;
	uint64_t hits = p->n[0] + p->n[1];
	struct scale s;

	lanes_choose(l, SHOWN_LANES);
	s = scale_of(l);
	picture_head(p, p->primers ? "Primers along the targets" :
				     "Hits along the sequences");
	legend(p, &s);
	for (unsigned i = 0; i < l->n_shown; i++) {
		one_lane(p, &l->v[l->shown[i]], &s);
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
