/* SPDX-License-Identifier: MIT */
/* primers.c - ends of many PRIMER frames, merged by their maximum */
#define _GNU_SOURCE	/* qsort_r */
#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/minmax.h"
#include "stream/primers_priv.h"

int
primers_new(struct primers **p, bool by_run, struct err *e)
{
	*p = calloc(1, sizeof **p);
	if (!*p)
		return err_nomem(e, sizeof **p);
	(*p)->by_run = by_run;
	return 0;
}

static void
free_part(struct primer_part *p)
{
	free((void *)(uintptr_t)p->target.name.p);
	free((void *)(uintptr_t)p->options.p);
	free((void *)(uintptr_t)p->letters);
	free(p->end);
	free(p->end3);
}

void
primers_free(struct primers *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		free_part(&p->v[i].part);
	keys_free(&p->runs);
	keys_free(&p->scans);
	free(p->v);
	free(p->slot);
	index_free(&p->receipts);
	free(p);
}

bool
primers_any(const struct primers *p)
{
	return p->n != 0;
}

static bool
is(const struct stretch *a, const struct stretch *b)
{
	return a->run == b->run && a->scan == b->scan &&
	       a->part.target.ordinal == b->part.target.ordinal &&
	       a->part.minus == b->part.minus && a->part.beg == b->part.beg;
}

static size_t
find(const struct primers *p, const struct stretch *s)
{
	uint64_t key[4] = { (uint64_t)s->run << 32 | s->scan,
			    s->part.target.ordinal, s->part.minus,
			    s->part.beg };
	size_t i = hash64(key, sizeof key, 0) & (p->n_slots - 1);

	while (p->slot[i] && !is(&p->v[p->slot[i] - 1], s))
		i = (i + 1) & (p->n_slots - 1);
	return i;
}

static int
grow(struct primers *p, struct err *e)
{
	int r = array_room(&p->v, &p->cap, p->n + 1, sizeof *p->v, e);

	if (r || p->n < p->n_slots / 2)
		return r;
	r = slots_double(&p->slot, &p->n_slots, sizeof *p->slot, e);
	for (size_t i = 0; i < p->n && r == 0; i++)
		p->slot[find(p, &p->v[i])] = i + 1;
	return r;
}

static bool
same_str(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static bool
same_target(const struct query_ref *a, const struct query_ref *b)
{
	return a->ordinal == b->ordinal && a->len == b->len &&
	       same_str(a->name, b->name);
}

static int
disagree(const struct query_ref *t, struct err *e)
{
	return err_set(e, ERR_FORMAT, "primers: frames of one scan disagree "
		       "about target %llu or the options",
		       (unsigned long long)t->ordinal);
}

/* The frame's arrays change hands; what it only points to is copied. */
static bool
own(struct stretch *s, struct primer_part *from)
{
	struct str name = from->target.name, options = from->options;
	char *n = malloc(name.n + 1), *o = malloc(options.n + 1);
	uint8_t *letters = malloc(from->n);

	if (!n || !o || !letters) {
		free(n);
		free(o);
		free(letters);
		return false;
	}
	if (name.n)
		memcpy(n, name.p, name.n);
	if (options.n)
		memcpy(o, options.p, options.n);
	memcpy(letters, from->letters, from->n);
	s->part = *from;
	s->part.target.name.p = n;
	s->part.options.p = o;
	s->part.letters = letters;
	memset(&s->part.run, 0, sizeof s->part.run);
	memset(&s->part.receipt, 0, sizeof s->part.receipt);
	from->end = from->end3 = NULL;
	return true;
}

static void
raise(uint64_t *to, const uint64_t *end, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = to[i] > end[i] ? to[i] : end[i];
}

static int
merge_part(struct stretch *s, const struct primer_part *p, struct err *e)
{
	struct primer_part *to = &s->part;

	if (!same_target(&to->target, &p->target) ||
	    !same_str(to->options, p->options) || !to->end3 != !p->end3 ||
	    memcmp(to->letters, p->letters, p->n) != 0)
		return disagree(&p->target, e);
	raise(to->end, p->end, p->n);
	if (p->end3)
		raise(to->end3, p->end3, p->n);
	return 0;
}

/* A frame counts as a receipt if it is its last one. */
static int
count_receipt(struct primers *p, const struct stretch *s, bool last,
	      struct err *e)
{
	uintptr_t n = index_number(&p->receipts, s->run, s->scan) + last;

	return !last || index_set_number(&p->receipts, s->run, s->scan, n) ?
	       0 : err_nomem(e, sizeof n);
}

int
primers_add(struct primers *p, struct primer_part *part, struct err *e)
{
	long run = p->by_run ? keys_run(&p->runs, &part->run, e) : 0;
	long scan = keys_scan(&p->scans, &part->receipt.scan, e);
	struct stretch s = { .run_id = part->run.id, .part = *part };
	struct stretch *old;
	int r;

	if (run < 0 || scan < 0)
		return e->code;
	s.run = (uint32_t)run;
	s.scan = (uint32_t)scan;
	r = count_receipt(p, &s, part->receipt.last, e);
	if (r == 0)
		r = grow(p, e);
	if (r < 0)
		return r;
	if (!p->slot[find(p, &s)]) {
		if (!own(&s, part))
			return err_nomem(e, part->n);
		s.frames = 1;
		p->v[p->n] = s;
		p->slot[find(p, &s)] = p->n + 1;
		p->n++;
		return 0;
	}
	old = &p->v[p->slot[find(p, &s)] - 1];
	old->frames++;
	old->run_id = old->run_id < s.run_id ? old->run_id : s.run_id;
	return merge_part(old, part, e);
}

static int
cmp_set(const struct stretch *a, const struct stretch *b,
	const struct primers *p)
{
	int c = 0;

	if (p->by_run)
		c = cmp_u64(p->runs.v[a->run].rank, p->runs.v[b->run].rank);
	return c ? c : cmp_u64(p->scans.v[a->scan].rank,
			       p->scans.v[b->scan].rank);
}

static int
cmp_stretch(const void *pa, const void *pb, void *ctx)
{
	const struct stretch *a = pa, *b = pb;
	int c = cmp_set(a, b, ctx);

	if (c == 0)
		c = cmp_u64(a->part.target.ordinal, b->part.target.ordinal);
	if (c == 0)
		c = cmp_u64(a->part.minus, b->part.minus);
	return c ? c : cmp_u64(a->part.beg, b->part.beg);
}

int
primers_finish(struct primers *p, struct err *e)
{
	struct primer_rule rule;
	int r = keys_rank(&p->runs, false, e);

	if (r == 0)
		r = keys_rank(&p->scans, true, e);
	if (r == 0 && p->n)
		qsort_r(p->v, p->n, sizeof *p->v, cmp_stretch, p);
	for (size_t i = 0; i < p->n && r == 0; i++) {
		const struct primer_part *a = &p->v[i ? i - 1 : 0].part;
		const struct primer_part *b = &p->v[i].part;

		if (i == 0 || p->v[i].scan != p->v[i - 1].scan)
			r = primer_rule(&rule, b->options, e);
		else if (!same_str(a->options, b->options) ||
			 (a->target.ordinal == b->target.ordinal &&
			  !same_target(&a->target, &b->target)))
			r = disagree(&b->target, e);
		if (r == 0 && !rule.tail != !b->end3)
			r = disagree(&b->target, e);
	}
	return r;
}

size_t
primers_target_end(const struct primers *p, size_t i)
{
	const struct stretch *first = &p->v[i];

	while (++i < p->n && cmp_set(first, &p->v[i], p) == 0 &&
	       p->v[i].part.target.ordinal == first->part.target.ordinal)
		;
	return i;
}

uint64_t
primers_receipts(const struct primers *p, const struct stretch *s)
{
	return index_number(&p->receipts, s->run, s->scan);
}

/* Each stretch begins where the one before ends, up to the target's end. */
int
primers_check(const struct primers *p, struct err *e)
{
	uint64_t want = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct primer_part *a = &p->v[i].part;
		bool ends = i + 1 == p->n || p->v[i + 1].part.beg == 0;

		if (a->beg != want || p->v[i].frames !=
		    primers_receipts(p, &p->v[i]) ||
		    (ends && a->beg + a->n != a->target.len))
			return err_set(e, ERR_FORMAT, "primers: not every "
				       "receipt holds all of target %llu",
				       (unsigned long long)a->target.ordinal);
		want = ends ? 0 : a->beg + a->n;
	}
	return 0;
}
