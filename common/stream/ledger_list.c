/* SPDX-License-Identifier: MIT */
/* ledger_list.c - the ranges of a scan's receipts in order, and which count */
#include <stdlib.h>

#include "stream/ledger_priv.h"

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
	c = c ? c : cmp(a->last, b->last);
	return c ? c : cmp(a->content, b->content);
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

/* By the range. */
static int
one_range_cmp(const void *x, const void *y)
{
	const struct led_one *a = x, *b = y;
	int c = cmp(a->first, b->first);

	c = c ? c : cmp(b->n, a->n);
	c = c ? c : cmp(a->letters, b->letters);
	return c ? c : cmp(a->digest, b->digest);
}

static int
one_cmp(const void *x, const void *y)
{
	const struct led_one *a = x, *b = y;
	int c = one_range_cmp(a, b);

	return c ? c : cmp(a->content, b->content);
}

static struct range
one_range(const struct led_one *o)
{
	return (struct range){ o->first, o->first + o->n, o->letters,
			       o->digest };
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
 * idempotent, unless two are unmerged and differ.  Anything else cannot be
 * told apart: LED_DISAGREE.
 */
static int
group_fault(const struct led_frame *f, size_t n, enum scan_rule rule)
{
	size_t single = 0, lasts = 0;

	for (size_t i = 0; i < n; i++) {
		single += f[i].number == 0 && f[i].last;
		lasts += f[i].last;
	}
	/* of single ones the content is what they are sorted by */
	for (size_t i = 1; i < n && single == n; i++)
		if (f[i - 1].content && f[i - 1].content != f[i].content)
			return LED_DISAGREE;
	if (single == n)
		return n > 1 && rule == SCAN_SUM ? LED_TWICE : LED_FAULTS;
	for (size_t i = 1; i < n; i++)
		if (f[i].number == f[i - 1].number)
			return LED_DISAGREE;
	if (lasts > 1 || (lasts && !f[n - 1].last))
		return LED_DISAGREE;
	return lasts && f[n - 1].number == n - 1 ? LED_FAULTS : LED_FRAMES;
}

bool
led_lacks_maximum(const struct led_scan *s)
{
	const struct led_frame *f = (const void *)s->frames.p;
	size_t n = s->frames.n / sizeof *f;

	return s->key.rule == SCAN_MAX &&
	       (!n || group_fault(f, n, s->key.rule) == LED_FRAMES);
}

/*
 * A led_one that shares its range with other frames is a frame of their group.
 * Afterwards no led_one is of a group of the other list.
 */
static bool
unpack_shared(struct led_scan *s)
{
	struct led_one *one = (void *)s->ones.p;
	size_t n = s->ones.n / sizeof *one, n_kept = 0;
	size_t n_frames = s->frames.n / sizeof(struct led_frame);

	if (!n_frames)
		return true;
	qsort(s->frames.p, n_frames, sizeof(struct led_frame), frame_cmp);
	for (size_t i = 0; i < n; i++) {
		struct led_range g = { one_range(one + i), 0 };
		struct led_frame f = { 0, one[i].content, 0, true };

		f.group = g.group = ranges_hash(&g.r, 1);
		if (!bsearch(&f.group, s->frames.p, n_frames, sizeof f,
			     id_cmp)) {
			one[n_kept++] = one[i];
			continue;
		}
		buf_put(&s->frames, &f, sizeof f);
		buf_put(&s->ranges, &g, sizeof g);
	}
	s->ones.n = n_kept * sizeof *one;
	return !s->frames.bad && !s->ranges.bad;
}

struct bad_group {
	uint64_t group;
	int fault;
};

/* Numbered frames that a file and a pipe gave count once, if they are equal. */
static size_t
drop_copies(struct led_frame *f, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!kept || !f[i].content || (f[i].number == 0 && f[i].last) ||
		    frame_cmp(f + kept - 1, f + i))
			f[kept++] = f[i];
	return kept;
}

/* Groups that are not whole, ascending; false: no memory. */
static bool
bad_groups(struct led_scan *s, struct buf *bad)
{
	struct led_frame *f = (void *)s->frames.p;
	size_t n = s->frames.n / sizeof *f, i, j;

	if (n)
		qsort(f, n, sizeof *f, frame_cmp);
	n = drop_copies(f, n);
	s->frames.n = n * sizeof *f;
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

/* Why led_ones of one range do not count, or LED_FAULTS; moves behind them. */
static int
take_ones(struct led_list *l)
{
	const struct led_one *o = l->one;
	int fault = LED_FAULTS;

	while (++l->one < l->one_end && one_range_cmp(l->one, o) == 0) {
		if (l->rule == SCAN_SUM && fault == LED_FAULTS)
			fault = LED_TWICE;
		if (l->one[-1].content && l->one[-1].content != l->one->content)
			fault = LED_DISAGREE;
	}
	return fault;
}

/* Why a group's range does not count, or LED_FAULTS. */
static int
group_is_bad(const struct buf *bad, uint64_t group)
{
	const struct bad_group *b = NULL;

	if (bad->n)
		b = bsearch(&group, bad->p, bad->n / sizeof *b, sizeof *b,
			    id_cmp);
	return b ? b->fault : LED_FAULTS;
}

bool
led_list_begin(struct led_list *l, struct led_scan *s)
{
	struct led_one *one = (void *)s->ones.p;
	struct led_range *range;
	size_t n_ones, n_ranges;

	*l = (struct led_list){ .rule = s->key.rule };
	if (!unpack_shared(s) || !bad_groups(s, &l->bad))
		return false;
	range = (void *)s->ranges.p;
	n_ones = s->ones.n / sizeof *one;
	n_ranges = s->ranges.n / sizeof *range;
	if (n_ones)
		qsort(one, n_ones, sizeof *one, one_cmp);
	if (n_ranges)
		qsort(range, n_ranges, sizeof *range, range_cmp);
	l->one = one;
	l->one_end = n_ones ? one + n_ones : one;
	l->range = range;
	l->range_end = n_ranges ? range + n_ranges : range;
	return true;
}

/* Equal ranges of a group, or of led_ones, at once. */
bool
led_list_next(struct led_list *l, struct range *r, int *fault)
{
	bool one = l->one < l->one_end, other = l->range < l->range_end;
	struct led_range g = { 0 };

	if (!one && !other)
		return false;
	if (one)
		g.r = one_range(l->one);
	if (one && (!other || range_cmp(&g, l->range) <= 0)) {
		*r = g.r;
		*fault = take_ones(l);
		return true;
	}
	g = *l->range;
	while (l->range < l->range_end && range_cmp(l->range, &g) == 0)
		l->range++;
	*r = g.r;
	*fault = group_is_bad(&l->bad, g.group);
	return true;
}
