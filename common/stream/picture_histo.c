/* SPDX-License-Identifier: MIT */
/* picture_histo.c - how many have which number */
#include "stream/picture_priv.h"

enum { HEIGHT = 130, FEW = 16, WIDEST = 44 };

void
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
	if (s->hi - s->lo < FEW)
		svg_text(&p->body, "s", "middle", x + wide / 2,
			 base - high - 4, "%s", svg_short(h->count[i]).text);
}

/* Below each bar if they are few, else at round numbers. */
static void
ticks(struct picture *p, const struct histo *h, const struct span *s,
      double base)
{
	uint64_t each = UINT64_C(1) << h->shift, beg = s->lo * each;
	uint64_t range = (s->hi - s->lo) * each;
	uint64_t step = h->shift || s->hi - s->lo >= FEW ?
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

void
picture_histo(struct picture *p, const struct histo *h, const char *head,
	      const char *axis)
{
	struct span s;
	double base;

	if (!h->total)
		return;
	s = span_of(h);
	picture_head(p, head);
	base = p->height + 20 + HEIGHT;
	for (unsigned i = s.lo; i <= s.hi; i++)
		bar(p, h, &s, i, base);
	ticks(p, h, &s, base);
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
