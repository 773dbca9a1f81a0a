/* SPDX-License-Identifier: MIT */
/* ledger_cover.c - which serials the receipts of a scan cover, and how */
#include "stream/ledger_priv.h"

/* A range whose end was not reached yet, and what its nested ones sum to. */
struct open {
	struct range r;
	uint64_t upto, letters, digest;	/* of nested ones up to upto */
	bool tiled;			/* they left no gap so far */
};

struct sweep {
	struct led_cover *c;
	enum scan_rule rule;
	struct range top;	/* the outermost one that was met last */
	bool any;
	struct buf stack;	/* struct open, each within the one below */
};

static void
fault(struct led_cover *c, enum led_fault f, uint64_t serial)
{
	if (!c->fault[f] || serial < c->at[f])
		c->at[f] = serial;
	c->fault[f] = true;
}

static struct open *
top_of(struct sweep *w)
{
	return w->stack.n ? (struct open *)(void *)(w->stack.p + w->stack.n) -
	    1 : NULL;
}

/* Receipts contradict each other. */
static void
spoil(struct sweep *w)
{
	w->top.digest += RANGE_SPOIL;
}

/* The outermost range cannot change any more: to those before. */
static void
join_top(struct sweep *w)
{
	struct buf *b = &w->c->joined;
	struct range *j = b->n ? (struct range *)(void *)(b->p + b->n) - 1 :
	    NULL;

	if (!w->any)
		return;
	if (j && j->end == w->top.first) {
		j->end = w->top.end;
		j->letters += w->top.letters;
		j->digest += w->top.digest;
	} else {
		buf_put(b, &w->top, sizeof w->top);
	}
}

static void
push(struct sweep *w, const struct range *r)
{
	struct open o = { *r, r->first, 0, 0, true };

	if (w->stack.n == 0) {
		join_top(w);
		w->top = *r;
		w->any = true;
	}
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

	if (r->end > o->r.end) {
		fault(w->c, LED_OVERLAP, r->first);
		spoil(w);
		if (r->end > w->top.end)
			w->top.end = r->end;
		base->r.end = w->top.end;	/* go on as if it were one */
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
sweep_list(struct led_cover *c, struct led_list *list)
{
	struct sweep w = { .c = c, .rule = list->rule };
	bool fine = true;
	struct range r;
	int f;

	while (fine && led_list_next(list, &r, &f)) {
		if (f != LED_FAULTS)
			fault(c, (enum led_fault)f, r.first);
		/*
		 * Frames of a result that lacks some may yet all come.  What
		 * contradicts itself is covered, and spoilt: were it merely
		 * missing, a merge of it and of another result would pass.
		 */
		if (f != LED_FRAMES)
			visit(&w, &r);
		if (f == LED_DISAGREE || f == LED_TWICE)
			spoil(&w);
		fine = !w.stack.bad && !c->joined.bad;
	}
	while (fine && w.stack.n)
		pop(&w);
	join_top(&w);
	buf_free(&w.stack);
	return fine && !c->joined.bad;
}

void
led_cover_free(struct led_cover *c)
{
	buf_free(&c->joined);
	memset(c, 0, sizeof *c);
}

bool
led_cover(struct led_scan *s)
{
	struct led_list list;
	bool fine;

	if (!s->stale)
		return true;
	led_cover_free(&s->cover);
	fine = led_list_begin(&list, s) && sweep_list(&s->cover, &list);
	buf_free(&list.bad);
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

int
ledger_ranges(struct ledger *l, size_t run, size_t scan,
	      const struct range **r, size_t *n, struct err *e)
{
	struct led_scan *s;

	led_sort(l);
	s = l->run[run]->scan[scan];
	if (!led_cover(s))
		return err_nomem(e, s->ranges.n);
	*r = (const struct range *)(const void *)s->cover.joined.p;
	*n = s->cover.joined.n / sizeof **r;
	return 0;
}
