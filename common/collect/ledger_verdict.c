/* SPDX-License-Identifier: MIT */
/*
 * ledger_verdict.c - whether a stream's receipts are whole, why not, and what
 * is missing
 */

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "collect/ledger_priv.h"

/* The ranges of a scan's receipts in order, and which count. */

static int
frame_cmp(const void *x, const void *y)
{
	const struct led_frame *a = x, *b = y;
	int c = cmp_u64(a->group, b->group);

	c = c ? c : cmp_u64(a->content != 0, b->content != 0);
	c = c ? c : cmp_u64(a->number, b->number);
	c = c ? c : cmp_u64(a->last, b->last);
	return c ? c : cmp_u64(a->content, b->content);
}

/* A range stands before those nested in it. */
static int
range_cmp(const void *x, const void *y)
{
	const struct led_range *a = x, *b = y;
	int c = cmp_u64(a->r.first, b->r.first);

	c = c ? c : cmp_u64(b->r.end, a->r.end);
	c = c ? c : cmp_u64(a->r.letters, b->r.letters);
	c = c ? c : cmp_u64(a->r.digest, b->r.digest);
	return c ? c : cmp_u64(a->group, b->group);
}

/* By the range. */
static int
one_range_cmp(const void *x, const void *y)
{
	const struct led_one *a = x, *b = y;
	int c = cmp_u64(a->first, b->first);

	c = c ? c : cmp_u64(b->n, a->n);
	c = c ? c : cmp_u64(a->letters, b->letters);
	return c ? c : cmp_u64(a->digest, b->digest);
}

static int
one_cmp(const void *x, const void *y)
{
	const struct led_one *a = x, *b = y;
	int c = one_range_cmp(a, b);

	return c ? c : cmp_u64(a->content, b->content);
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
	return cmp_u64(*(const uint64_t *)x, *(const uint64_t *)y);
}

/*
 * Are n frames of a group, sorted, all as a scanner wrote them or all merged,
 * whole?  Either numbers 0, 1, ... n-1 of which the last is marked; or results
 * of one frame each that say the same of the same ranges in unlike ways (rows
 * merged before), fine where merging is idempotent, unless two are unmerged
 * and differ.  Anything else is ambiguous: LED_DISAGREE.
 */
static int
half_fault(const struct led_frame *f, size_t n, enum scan_rule rule)
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

/* Of n sorted frames of a group, how many did a merge write? */
static size_t
n_merged(const struct led_frame *f, size_t n)
{
	size_t i = 0;

	while (i < n && !f[i].content)
		i++;
	return i;
}

/*
 * The same of a whole group: a result and a merge of it say one thing
 * twice, each with numbers of its own, and both must be whole: rows that
 * one lacks may be those that the other left out.
 */
static int
group_fault(const struct led_frame *f, size_t n, enum scan_rule rule)
{
	size_t m = n_merged(f, n);
	int a, b;

	if (m == 0 || m == n)
		return half_fault(f, n, rule);
	if (rule == SCAN_SUM)
		return LED_TWICE;
	a = half_fault(f, m, rule);
	b = half_fault(f + m, n - m, rule);
	return a == LED_DISAGREE || b == LED_FAULTS ? a : b;
}

/* In a run without chunks: no range shows that a result is missing, but the
 * maximum of no results is known, too.  After led_cover(). */
static bool
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
	uint64_t lacks;		/* LED_FRAMES: the first one */
	int fault;
};

/* The first number that n frames of a group do not have. */
static uint64_t
first_lacking(const struct led_frame *f, size_t n)
{
	size_t m = n_merged(f, n), i = 0;

	if (m && m < n && half_fault(f, m, SCAN_MAX) == LED_FAULTS) {
		f += m;
		n -= m;
	}
	while (i < n && f[i].number == i)
		i++;
	return i;
}

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
		struct bad_group g = { f[i].group, 0, 0 };

		for (j = i + 1; j < n && f[j].group == g.group; j++)
			;
		g.fault = group_fault(f + i, j - i, s->key.rule);
		g.lacks = first_lacking(f + i, j - i);
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

static void
count_lacking(struct led_cover *c, const struct led_list *list)
{
	const struct bad_group *b = (const void *)list->bad.p;
	size_t n = list->bad.n / sizeof *b;

	c->n_lacking = 0;
	for (size_t i = 0; i < n; i++)
		if (b[i].fault == LED_FRAMES) {
			c->n_lacking++;
			c->lacks = b[i].lacks;
		}
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

static bool
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
static bool
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

/* Which serials the receipts of a scan cover, and how. */

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

	count_lacking(c, list);
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

/* The next serials [*beg, *end) below n that no range covers, from *end on;
 * i and *end begin as 0.  False: no more. */
static bool
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

/* Does it balance, why not, and what is missing. */

enum {
	MAX_REASONS = 20,	/* lines */
	MAX_GAPS = 10,		/* missing ranges in a line */
	NAME_SHOWN = 120,
};

#define CURE "fasta-chunk --label keeps inputs that begin alike apart"

/* One reason more; those above the limit are only counted. */
static void __attribute__((format(printf, 2, 3)))
reason(struct ledger *l, const char *fmt, ...)
{
	char text[900];
	va_list ap;

	if (l->n_reasons++ >= MAX_REASONS)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	buf_put(&l->reasons, text, strlen(text) + 1);
}

/* "genome.fa (label), scan guides.fa" */
static const char *
title(char *t, size_t n, const struct led_run *r, const struct led_scan *s)
{
	int used = snprintf(t, n, "%.*s", str_shown(r->key.base, NAME_SHOWN),
			    r->key.base.p);

	if (r->key.label.n)
		used += snprintf(t + used, n - (size_t)used, " (%.*s)",
				 str_shown(r->key.label, NAME_SHOWN),
				 r->key.label.p);
	if (s && s != &r->chunks && s->key.base.n)	/* all pairs: none */
		snprintf(t + used, n - (size_t)used, ", scan %.*s",
			 str_shown(s->key.base, NAME_SHOWN), s->key.base.p);
	return t;
}

/* The same of a run by its id: SEQ frames may name one that nothing else
 * does. */
static const char *
run_title(char *t, size_t n, const struct ledger *l, uint64_t id)
{
	const struct led_run *r = index_get(&l->by_id, id, 0);

	if (r)
		return title(t, n, r, NULL);
	snprintf(t, n, "run %016" PRIx64, id);
	return t;
}

static void
report_gaps(struct ledger *l, const char *who, const struct led_cover *c,
	  uint64_t n)
{
	char text[600];
	uint64_t beg, end = 0, missing = 0;
	size_t i = 0, used = 0, gaps = 0;

	text[0] = '\0';
	while (led_gap(c, n, &i, &beg, &end)) {
		missing += end - beg;
		if (gaps++ >= MAX_GAPS)
			continue;
		/* at most 10 times two numbers of 20 digits: it fits */
		used += (size_t)snprintf(text + used, sizeof text - used,
					 "%s%" PRIu64, gaps > 1 ? ", " : "",
					 beg);
		if (end - beg > 1)
			used += (size_t)snprintf(text + used,
						 sizeof text - used,
						 "-%" PRIu64, end - 1);
	}
	if (gaps)
		reason(l, "%s: %" PRIu64 " of %s %s missing: %s%s", who,
		       missing, err_count(n, "chunk").text,
		       missing == 1 ? "is" : "are", text,
		       gaps > MAX_GAPS ? ", ..." : "");
}

static void
report_faults(struct ledger *l, const char *who, const struct led_cover *c)
{
	static const char *const why[LED_FAULTS] = {
		[LED_DISAGREE] = ("results of one chunk disagree; " CURE),
		[LED_FRAMES] = "a result of several frames lacks some",
		[LED_OVERLAP] = "results overlap in part",
		[LED_TWICE] = "it came twice, and cannot be summed",
	};

	for (int f = 0; f < LED_FAULTS; f++)
		if (c->fault[f] && f == LED_FRAMES && c->n_lacking == 1)
			reason(l, "%s: chunk %" PRIu64 ": %s: number %" PRIu64
			       " (from 0) is the first", who, c->at[f],
			       why[f], c->lacks);
		else if (c->fault[f])
			reason(l, "%s: chunk %" PRIu64 ": %s", who, c->at[f],
			       why[f]);
}

/* Only asked where every chunk is there once: do the sums agree? */
static void
report_sums(struct ledger *l, const char *who, const struct led_cover *c,
	  const struct run_end *end)
{
	const struct range *r = (void *)c->joined.p;
	uint64_t letters = 0, digest = 0;

	for (size_t i = 0; i < c->joined.n / sizeof *r; i++) {
		letters += r[i].letters;
		digest += r[i].digest;
	}
	if (letters != end->letters)
		reason(l, "%s: letters searched: %" PRIu64 ", the input has %"
		       PRIu64, who, letters, end->letters);
	else if (end->kind == DIGEST_ADDS ?
		 !digest_sums(digest, end->digest, end->chunks) :
		 digest != end->digest)
		reason(l, "%s: what was searched has another digest than the "
		       "input; " CURE, who);
}

/* The run has one END. */
static int
judge_scan(struct ledger *l, struct led_run *r, struct led_scan *s,
	   struct err *e)
{
	char who[3 * NAME_SHOWN + 40];
	const struct led_cover *c = &s->cover;
	const struct range *last;
	size_t before = l->n_reasons;

	if (!led_cover(s))
		return err_nomem(e, s->ranges.n);
	title(who, sizeof who, r, s);
	report_faults(l, who, c);
	report_gaps(l, who, c, r->end.chunks);
	if (!r->end.chunks && led_lacks_maximum(s))
		reason(l, "%s: a result is missing", who);
	last = c->joined.n ? (const struct range *)(const void *)
	    (c->joined.p + c->joined.n) - 1 : NULL;
	if (last && last->end > r->end.chunks)
		reason(l, "%s: chunk %" PRIu64 " came, though there are %"
		       PRIu64, who, last->end - 1, r->end.chunks);
	if (l->n_reasons == before)
		report_sums(l, who, c, &r->end);
	return 0;
}

/* Are the run's CHUNK frames to be judged as receipts? */
static bool
judges_chunks(const struct ledger *l, const struct led_run *r)
{
	return l->judge_chunks && (r->chunks.ones.n || r->chunks.frames.n ||
				   !r->n_scans);
}

/* Without a sound END there is nothing to balance against. */
static int
judge_covers(struct ledger *l, struct led_run *r, struct err *e)
{
	char who[3 * NAME_SHOWN + 40];
	bool chunks = judges_chunks(l, r);
	int rc = 0;

	if (!r->ended || r->ends_differ)
		return 0;
	if (!r->n_scans && !chunks && r->end.chunks)
		reason(l, "%s: no result of its %s",
		       title(who, sizeof who, r, NULL),
		       err_count(r->end.chunks, "chunk").text);
	for (size_t i = 0; i < r->n_scans && rc == 0; i++)
		rc = judge_scan(l, r, r->scan[i], e);
	if (rc == 0 && chunks)
		rc = judge_scan(l, r, &r->chunks, e);
	return rc;
}

static void
judge_needs(struct ledger *l, const struct led_run *r, struct led_scan *s)
{
	size_t n;
	const uint64_t *need = ids_sort(&s->needs, &n);
	char who[3 * NAME_SHOWN + 40];

	for (size_t i = 0; i < n; i++)
		if (!led_has_begin(l, r->key.id, s->key.id, need[i]))
			reason(l, "%s: no BEGIN frame of an earlier "
			       "merge-topk, which left out rows",
			       title(who, sizeof who, r, s));
}

/* Where a run that lost its end gets it. */
#define WHERE_FROM "which says how many chunks there are: add the output of " \
		   "fasta-chunk --only @/dev/null FILE"

/* Why a run has not one END, or NULL. */
static const char *
end_fault(const struct led_run *r)
{
	return !r->ended ? "no END frame, " WHERE_FROM :
	       r->versions_differ ? "parts by two versions of fasta-chunk: "
				    "use one version of fasta-chunk for all" :
	       r->ends_differ ? "END frames disagree: parts of two inputs, or "
				"of one that was changed; " CURE : NULL;
}

static int
judge_run(struct ledger *l, struct led_run *r, struct err *e)
{
	char who[3 * NAME_SHOWN + 40];

	title(who, sizeof who, r, NULL);
	if (!r->begun)
		reason(l, "%s: no BEGIN frame", who);
	if (end_fault(r))
		reason(l, "%s: %s", who, end_fault(r));
	for (size_t i = 0; i < r->n_scans; i++) {
		if (!led_scan_begun(l, r, r->scan[i]))
			reason(l, "%s: no BEGIN frame of the scanner",
			       title(who, sizeof who, r, r->scan[i]));
		judge_needs(l, r, r->scan[i]);
	}
	return judge_covers(l, r, e);
}

/* Do both runs have results of one scan? */
static bool
share_scan(const struct led_run *a, const struct led_run *b)
{
	bool shared = false;

	for (size_t i = 0; i < a->n_scans && !shared; i++)
		shared = index_get(&b->by_id, a->scan[i]->key.id,
				   a->scan[i]->key.rule);
	return shared;
}

struct str
ledger_cut_twice(struct ledger *l)
{
	led_sort(l);
	for (size_t i = 1; i < l->n_runs; i++) {
		const struct run_key *a = &l->run[i - 1]->key;
		const struct run_key *b = &l->run[i]->key;

		if (str_is(a->base, b->base) && str_is(a->label, b->label) &&
		    str_is(a->first, b->first) && a->hash == b->hash &&
		    share_scan(l->run[i - 1], l->run[i]))
			return a->base;
	}
	return (struct str){ 0 };
}

/* Parts made unlike, or of unlike inputs, lack each other's chunks: say so. */
static void
report_mixed(struct ledger *l)
{
	char who[3 * NAME_SHOWN + 40];

	for (size_t i = 0; i < l->n_runs; i++) {
		const struct led_run *r = l->run[i];
		const struct run_key *k = &r->key;
		const struct run_key *before = i ? &l->run[i - 1]->key : NULL;

		title(who, sizeof who, r, NULL);
		if (r->n_scans > 1)
			reason(l, "%s: parts of %zu scans: the same patterns, "
			       "options and version in all?", who, r->n_scans);
		if (!before || !str_is(k->base, before->base) ||
		    !str_is(k->label, before->label))
			continue;
		if (k->hash == before->hash && str_is(k->first, before->first))
			reason(l, "%s: parts of two ways to cut it: the same "
			       "options and version of fasta-chunk in all?",
			       who);
		else
			reason(l, "%s: parts of two inputs of one name, or of "
			       "one that was changed; " CURE, who);
	}
}

/* SEQ frames of a run of which nothing else came. */
static void
judge_seqs(struct ledger *l)
{
	uint64_t run;

	if (led_unknown_seq(l, &run))
		reason(l, "run %016" PRIx64 ": nothing but lengths", run);
}

/* Of those that rows lack the least name, whatever their order. */
static void
judge_lengths(struct ledger *l)
{
	struct str least = { NULL, 0 };
	size_t n = 0;

	for (size_t i = 0; i < l->lengths.n; i++) {
		const struct subject_len *s = &l->lengths.v[i];
		struct str name = lengths_name(&l->lengths, s);

		if (!s->named || s->length != LEN_UNKNOWN)
			continue;
		if (n++ == 0 || str_cmp(name, least) < 0)
			least = name;
	}
	if (n == 1)
		reason(l, "the length of %.*s was never given",
		       str_shown(least, NAME_SHOWN), least.p);
	else if (n)
		reason(l, "the lengths of %zu sequences were never given, one "
		       "of them %.*s", n, str_shown(least, NAME_SHOWN),
		       least.p);
}

static int
judge(struct ledger *l, uint64_t runs, struct err *e)
{
	char who[3 * NAME_SHOWN + 40];
	int rc = led_judge_names(l, e);

	l->reasons.n = l->reason_at = l->n_reasons = 0;
	led_sort(l);
	if (rc == 0)
		rc = led_texts(l, e);
	if (l->damaged)
		reason(l, "the input is damaged");
	if (!l->any)
		reason(l, "the input is empty: did the program that writes "
		       "it fail?");
	else if (!l->n_runs)
		reason(l, "the input holds no run");
	if (runs && runs != l->n_runs)
		reason(l, "%s came, %" PRIu64 " were expected",
		       err_count(l->n_runs, "run").text, runs);
	for (size_t i = 0; i < l->n_runs && rc == 0; i++)
		rc = judge_run(l, l->run[i], e);
	judge_seqs(l);
	if (l->n_reasons)
		report_mixed(l);
	if (l->lengths_differ)
		reason(l, "two lengths of one sequence; " CURE);
	if (l->two_names)
		reason(l, "%s: record %" PRIu64 " has two names; " CURE,
		       run_title(who, sizeof who, l, l->two_names->run),
		       l->two_names->ordinal + 1);
	judge_lengths(l);
	if (l->n_reasons > MAX_REASONS) {
		buf_printf(&l->reasons, "and %s more",
			   err_count(l->n_reasons - MAX_REASONS,
				     "reason").text);
		buf_u8(&l->reasons, 0);
	}
	return rc == 0 && l->reasons.bad ? err_nomem(e, l->reasons.n) : rc;
}

int
ledger_verdict(struct ledger *l, uint64_t runs, struct err *e)
{
	const char *text;
	int rc;

	if (!l->judged || runs != l->runs_wanted) {
		rc = judge(l, runs, e);
		if (rc)
			return rc;
		l->judged = true;
		l->runs_wanted = runs;
	}
	if (l->reason_at == l->reasons.n) {
		l->reason_at = 0;	/* asked anew, it says the same again */
		return 0;
	}
	text = (const char *)l->reasons.p + l->reason_at;
	l->reason_at += strlen(text) + 1;
	return err_set(e, ERR_INCOMPLETE, "%s", text);
}

int
ledger_whole(struct ledger *l, bool *whole, struct err *e)
{
	int rc;

	*whole = true;
	while ((rc = ledger_verdict(l, 0, e)) == ERR_INCOMPLETE)
		*whole = false;
	return rc;
}

/* A comment must stay one line, whatever a file's name holds. */
static void
print_name(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		buf_u8(b, iscntrl((unsigned char)s.p[i]) ? '?' :
			  (uint8_t)s.p[i]);
}

static int
print_missing(struct buf *b, struct led_run *r, struct led_scan *s,
	      bool comment, struct err *e)
{
	uint64_t beg, end = 0;
	size_t i = 0;

	if (!led_cover(s))
		return err_nomem(e, s->ranges.n);
	if (comment) {
		buf_printf(b, "# run %016" PRIx64 " ", r->key.id);
		print_name(b, r->key.base);
		if (s != &r->chunks) {
			buf_printf(b, " scan %016" PRIx64 " ", s->key.id);
			print_name(b, s->key.base);
		}
		buf_u8(b, '\n');
	}
	while (led_gap(&s->cover, r->end.chunks, &i, &beg, &end)) {
		buf_printf(b, "%" PRIu64, beg);
		if (end - beg > 1)
			buf_printf(b, "-%" PRIu64, end - 1);
		buf_u8(b, '\n');
	}
	return 0;
}

static bool
missing_of_chunks(const struct ledger *l, const struct led_run *r)
{
	return !r->n_scans || judges_chunks(l, r);
}

int
ledger_missing(struct ledger *l, struct buf *b, struct err *e)
{
	const struct led_run *bad = NULL;	/* the first without one END */
	char who[3 * NAME_SHOWN + 40];
	size_t lists = 0;
	int rc = 0;

	led_sort(l);
	for (size_t i = 0; i < l->n_runs; i++)
		lists += l->run[i]->n_scans + missing_of_chunks(l, l->run[i]);
	for (size_t i = 0; i < l->n_runs && rc == 0; i++) {
		struct led_run *r = l->run[i];

		if (!r->ended || r->ends_differ) {
			bad = bad ? bad : r;
			continue;
		}
		for (size_t j = 0; j < r->n_scans && rc == 0; j++)
			rc = print_missing(b, r, r->scan[j], lists > 1, e);
		if (rc == 0 && missing_of_chunks(l, r))
			rc = print_missing(b, r, &r->chunks, lists > 1, e);
	}
	if (rc == 0 && b->bad)
		rc = err_nomem(e, b->n);
	if (rc == 0 && bad)
		rc = err_set(e, ERR_INCOMPLETE, "%s: %s",
			     title(who, sizeof who, bad, NULL),
			     end_fault(bad));
	else if (rc == 0 && !l->n_runs)
		rc = err_set(e, ERR_INCOMPLETE, "no END frame, " WHERE_FROM);
	return rc;
}
