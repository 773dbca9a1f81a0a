/* SPDX-License-Identifier: MIT */
/* ledger_cover.c - which serials the receipts of a scan cover, and how */
#include <stdlib.h>

#include "stream/ledger_priv.h"

/*
 * Where receipts contradict each other, the sum of digests is spoilt by this,
 * so that no later stage of merging can find it right by chance or by choice.
 */
static const uint64_t SPOIL = 0x9e3779b97f4a7c15;

/* A range whose end was not reached yet, and what its nested ones sum to. */
struct open {
	struct range r;
	uint64_t upto, letters, digest;	/* of nested ones up to upto */
	bool tiled;			/* they left no gap so far */
};

struct sweep {
	struct led_cover *c;
	enum scan_rule rule;
	struct buf stack;	/* struct open, each within the one below */
};

static void
fault(struct led_cover *c, enum led_fault f, uint64_t serial)
{
	if (!c->fault[f] || serial < c->at[f])
		c->at[f] = serial;
	c->fault[f] = true;
}

static int
cmp(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int
frame_cmp(const void *x, const void *y)
{
	const struct led_frame *a = x, *b = y;
	int c = cmp(a->group, b->group);

	c = c ? c : cmp(a->number, b->number);
	return c ? c : cmp(a->last, b->last);
}

/* A range stands before those nested in it. */
static int
range_cmp(const void *x, const void *y)
{
	const struct led_range *a = x, *b = y;
	int c = cmp(a->r.first, b->r.first);

	c = c ? c : cmp(b->r.end, a->r.end);
	c = c ? c : cmp(a->r.letters, b->r.letters);
	c = c ? c : cmp(a->r.digest, b->r.digest);
	return c ? c : cmp(a->group, b->group);
}

static int
id_cmp(const void *x, const void *y)
{
	return cmp(*(const uint64_t *)x, *(const uint64_t *)y);
}

/*
 * Is a group of n frames, sorted, whole?  Either numbers 0, 1, ... n-1 of
 * which the last is marked; or results of one frame each that say the same of
 * the same ranges in unlike ways (rows merged before), fine where merging is
 * idempotent.  Anything else cannot be told apart: LED_DISAGREE.
 */
static int
group_fault(const struct led_frame *f, size_t n, enum scan_rule rule)
{
	size_t single = 0, lasts = 0;

	for (size_t i = 0; i < n; i++) {
		single += f[i].number == 0 && f[i].last;
		lasts += f[i].last;
	}
	if (single == n)
		return n > 1 && rule == SCAN_SUM ? LED_TWICE : LED_FAULTS;
	for (size_t i = 1; i < n; i++)
		if (f[i].number == f[i - 1].number)
			return LED_DISAGREE;
	if (lasts > 1 || (lasts && !f[n - 1].last))
		return LED_DISAGREE;
	return lasts && f[n - 1].number == n - 1 ? LED_FAULTS : LED_FRAMES;
}

struct bad_group {
	uint64_t group;
	int fault;
};

/* Groups that are not whole, ascending; false: no memory. */
static bool
bad_groups(struct led_scan *s, struct buf *bad)
{
	struct led_frame *f = (void *)s->frames.p;
	size_t n = s->frames.n / sizeof *f, i, j;

	if (n)
		qsort(f, n, sizeof *f, frame_cmp);
	for (i = 0; i < n; i = j) {
		struct bad_group g = { f[i].group, 0 };

		for (j = i + 1; j < n && f[j].group == g.group; j++)
			;
		g.fault = group_fault(f + i, j - i, s->key.rule);
		if (g.fault != LED_FAULTS)
			buf_put(bad, &g, sizeof g);
	}
	return !bad->bad;
}

static struct open *
top_of(struct sweep *w)
{
	return w->stack.n ? (struct open *)(void *)(w->stack.p + w->stack.n) -
	    1 : NULL;
}

static void
spoil(struct sweep *w)
{
	struct range *r = (struct range *)(void *)(w->c->top.p + w->c->top.n);

	r[-1].digest += SPOIL;
}

static void
push(struct sweep *w, const struct range *r)
{
	struct open o = { *r, r->first, 0, 0, true };

	if (w->stack.n == 0)
		buf_put(&w->c->top, r, sizeof *r);
	buf_put(&w->stack, &o, sizeof o);
}

/* The innermost range ends: did nested ones that fill it add up to it? */
static void
pop(struct sweep *w)
{
	struct open *o = top_of(w);

	if (o->tiled && o->upto == o->r.end &&
	    (o->letters != o->r.letters || o->digest != o->r.digest)) {
		fault(w->c, LED_DISAGREE, o->r.first);
		spoil(w);
	}
	w->stack.n -= sizeof *o;
}

/* r begins within the innermost range o. */
static void
meet(struct sweep *w, struct open *o, const struct range *r)
{
	struct open *base = (void *)w->stack.p;
	struct range *top;

	if (r->end > o->r.end) {
		fault(w->c, LED_OVERLAP, r->first);
		spoil(w);
		top = (struct range *)(void *)(w->c->top.p + w->c->top.n) - 1;
		if (r->end > top->end)
			top->end = r->end;
		base->r.end = top->end;	/* go on as if it were one */
		base->tiled = false;
		w->stack.n = sizeof *base;
		return;
	}
	if (w->rule == SCAN_SUM) {
		fault(w->c, LED_TWICE, r->first);
		spoil(w);
	}
	if (r->first == o->r.first && r->end == o->r.end) {
		if (r->letters != o->r.letters || r->digest != o->r.digest) {
			fault(w->c, LED_DISAGREE, r->first);
			spoil(w);
		}
		return;
	}
	o->tiled &= r->first == o->upto;
	o->upto = r->end;
	o->letters += r->letters;
	o->digest += r->digest;
	push(w, r);
}

static void
visit(struct sweep *w, const struct range *r)
{
	while (w->stack.n && top_of(w)->r.end <= r->first)
		pop(w);
	if (w->stack.n)
		meet(w, top_of(w), r);
	else
		push(w, r);
}

static bool
sweep_ranges(struct led_scan *s, const struct buf *bad)
{
	struct sweep w = { &s->cover, s->key.rule, { 0 } };
	struct led_range *g = (void *)s->ranges.p;
	size_t n = s->ranges.n / sizeof *g;
	bool fine;

	if (n)
		qsort(g, n, sizeof *g, range_cmp);
	for (size_t i = 0; i < n; i++) {
		const struct bad_group *b = NULL;

		if (i && range_cmp(g + i - 1, g + i) == 0)
			continue;
		if (bad->n)
			b = bsearch(&g[i].group, bad->p, bad->n / sizeof *b,
				    sizeof *b, id_cmp);
		if (b)
			fault(&s->cover, (enum led_fault)b->fault,
			      g[i].r.first);
		else
			visit(&w, &g[i].r);
		if (w.stack.bad || s->cover.top.bad)
			break;
	}
	while (w.stack.n && !w.stack.bad && !s->cover.top.bad)
		pop(&w);
	fine = !w.stack.bad && !s->cover.top.bad;
	buf_free(&w.stack);
	return fine;
}

static bool
join(struct led_cover *c)
{
	const struct range *r = (void *)c->top.p;
	size_t n = c->top.n / sizeof *r;

	for (size_t i = 0; i < n; i++) {
		struct range *j = c->joined.n ?
		    (struct range *)(void *)(c->joined.p + c->joined.n) - 1 :
		    NULL;

		if (j && j->end == r[i].first) {
			j->end = r[i].end;
			j->letters += r[i].letters;
			j->digest += r[i].digest;
		} else {
			buf_put(&c->joined, r + i, sizeof *r);
		}
	}
	return !c->joined.bad;
}

void
led_cover_free(struct led_cover *c)
{
	buf_free(&c->top);
	buf_free(&c->joined);
	memset(c, 0, sizeof *c);
}

bool
led_cover(struct led_scan *s)
{
	struct buf bad = { 0 };
	bool fine;

	if (!s->stale)
		return true;
	led_cover_free(&s->cover);
	fine = bad_groups(s, &bad) && sweep_ranges(s, &bad) && join(&s->cover);
	buf_free(&bad);
	if (fine)
		s->stale = false;
	else
		led_cover_free(&s->cover);
	return fine;
}

bool
led_gap(const struct led_cover *c, uint64_t n, size_t *i, uint64_t *beg,
	uint64_t *end)
{
	const struct range *r = (void *)c->joined.p;
	size_t n_ranges = c->joined.n / sizeof *r;

	*beg = *end;
	for (; *i < n_ranges && *beg < n; ++*i) {
		if (r[*i].first > *beg) {
			*end = r[*i].first < n ? r[*i].first : n;
			return true;
		}
		*beg = r[*i].end;
	}
	*end = n;
	return *beg < n;
}

const struct range *
ledger_ranges(struct ledger *l, size_t run, size_t scan, size_t *n)
{
	struct led_scan *s;

	led_sort(l, true);
	s = l->run[run]->scan[scan];
	/* Without memory nothing is claimed: the last stage misses it. */
	*n = led_cover(s) ? s->cover.joined.n / sizeof(struct range) : 0;
	return (const struct range *)(const void *)s->cover.joined.p;
}
