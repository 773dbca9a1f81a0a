/* SPDX-License-Identifier: MIT */
/* ebwt_find.c - anchors, their keys, who follows whom, and sizes of buckets */
#include <string.h>

#include "algo/ebwt_anchor.h"
#include "base/minmax.h"

/* A part's windows of one class, of which some begin before its first letter:
 * the anchor of rotation 0 may be that of rotations before it, too. */
struct stretch {
	uint32_t class;
	int64_t beg, end;
};

/* What the part does of class c: of rotations [max(beg, 0), end). */
static struct stretch
stretch(const struct ebwt_anchors *a, const struct ebwt_part *p, uint32_t c)
{
	int64_t base = (int64_t)a->base[c];
	struct stretch s = {
		.class = c, .beg = (int64_t)p->beg - base,
		.end = (int64_t)min_u64(p->end, a->base[c + 1]) - base,
	};

	if (s.beg <= 0)
		s.beg = 1 - (int64_t)a->plan.window;
	return s;
}

typedef void anchor_fn(struct ebwt_anchors *a, struct ebwt_part *p,
		       uint32_t class, int64_t pos, unsigned reach);

/*
 * Each anchor by the first window that has it.  Windows of anchors before the
 * class's letters or behind belong to a round before or after.
 */
static inline void
each_block(struct ebwt_anchors *a, struct ebwt_part *p,
	   const struct stretch *s, int64_t i, unsigned n, anchor_fn *fn)
{
	int64_t letters = a->x->class[s->class].n;
	uint32_t out[EBWT_BLOCK + 16];
	unsigned m = a->ops->anchors(&a->plan, ebwt_codes(a, s->class) + i, n,
				     out);

	for (unsigned k = 0; k < m; k++) {
		int64_t at = i + (out[k] & 0xffff);

		if (at >= 0 && at < letters)
			fn(a, p, s->class, at,
			   (unsigned)(at - i) - (out[k] >> 16));
	}
}

static inline void
count_one(struct ebwt_anchors *a, struct ebwt_part *p, uint32_t class,
	  int64_t pos, unsigned reach)
{
	(void)a;
	(void)class;
	(void)pos;
	(void)reach;
	p->n_anchors++;
}

static inline void
add_one(struct ebwt_anchors *a, struct ebwt_part *p, uint32_t class,
	int64_t pos, unsigned reach)
{
	uint32_t k = p->first_anchor + p->n_anchors++;

	(void)class;
	a->pos[k] = (uint32_t)pos;
	a->reach[k] = (uint8_t)reach;
}

static void
count_part(void *arg, uint64_t part, unsigned thread)
{
	struct ebwt_anchors *a = arg;
	struct ebwt_part *p = &a->part[part];

	(void)thread;
	for (uint32_t c = p->first_class; c < a->x->n_classes &&
	     a->base[c] < p->end; c++) {
		struct stretch s = stretch(a, p, c);

		for (int64_t i = s.beg; i < s.end; i += EBWT_BLOCK)
			each_block(a, p, &s, i, (unsigned)min_u64(EBWT_BLOCK,
				(uint64_t)(s.end - i)), count_one);
	}
}

/* Rotations [i, i + n) of a class go to their buckets' counts; keys of anchors
 * from the part's `from` on are among n + window of them. */
static void
keys(struct ebwt_anchors *a, struct ebwt_part *p, const struct stretch *s,
     int64_t i, unsigned n, uint32_t from)
{
	unsigned shift = a->plan.key_bits - a->layout.bucket_bits;
	uint64_t key[EBWT_BLOCK + 64 + 8];

	a->ops->keys(&a->plan, ebwt_codes(a, s->class) + i,
		     n + a->plan.window, key);
	for (int64_t k = i < 0 ? -i : 0; k < n; k++)
		p->count[key[k] >> shift]++;
	for (uint32_t k = from; k < p->first_anchor + p->n_anchors; k++)
		a->key[k] = key[a->pos[k] - i];
}

static void
fill_part(void *arg, uint64_t part, unsigned thread)
{
	struct ebwt_anchors *a = arg;
	struct ebwt_part *p = &a->part[part];

	(void)thread;
	p->n_anchors = 0;
	for (uint32_t c = p->first_class; c < a->x->n_classes &&
	     a->base[c] < p->end; c++) {
		struct stretch s = stretch(a, p, c);

		if (p->beg <= a->base[c])
			a->first[c] = p->first_anchor + p->n_anchors;
		for (int64_t i = s.beg; i < s.end; i += EBWT_BLOCK) {
			unsigned n = (unsigned)min_u64(EBWT_BLOCK,
				(uint64_t)(s.end - i));
			uint32_t from = p->first_anchor + p->n_anchors;

			each_block(a, p, &s, i, n, add_one);
			keys(a, p, &s, i, n, from);
		}
	}
}

/* next: the last anchor that is that of a rotation up to pos + 1. */
static void
link_part(void *arg, uint64_t part, unsigned thread)
{
	struct ebwt_anchors *a = arg;
	const struct ebwt_part *p = &a->part[part];
	uint32_t c = p->first_class;

	(void)thread;
	for (uint32_t k = p->first_anchor; k < p->first_anchor + p->n_anchors;
	     k++) {
		uint32_t q = k, next;
		int64_t want, lap = 0;

		while (k >= a->first[c + 1])
			c++;
		want = (int64_t)a->pos[k] + 1;
		for (;;) {
			next = q + 1;
			if (next == a->first[c + 1])
				next = a->first[c];
			if (next <= q)
				lap += a->x->class[c].n;
			if (ebwt_begin(a, next) + lap > want)
				break;
			q = next;
		}
		a->next[k] = q;
	}
}

/* If memory is bounded, items are given what is left of it later on. */
static int
slab(struct ebwt_anchors *a, struct err *e)
{
	uint64_t bytes = ebwt_slab_bytes(a->threads, a->n);
	int rc;

	if (!a->x->par.memory)
		bytes = max_u64(bytes, ebwt_batch_size(a->x) * 8);
	rc = ebwt_take(a->x, &a->slab, bytes, 1, e);
	if (rc)
		return rc;
	a->slab_bytes = bytes;
	a->key = ebwt_slab(a, EBWT_SLAB_KEY);
	return 0;
}

static int
room(struct ebwt_anchors *a, struct err *e)
{
	struct ebwt *x = a->x;
	uint64_t n = 0, buckets;
	int rc;

	for (unsigned i = 0; i < a->n_parts; i++) {
		a->part[i].first_anchor = (uint32_t)n;
		n += a->part[i].n_anchors;
	}
	if (n >= UINT32_MAX)
		return err_set(e, ERR_LIMIT, "too many letters in all words: "
			"%llu anchors (at most %u)", (unsigned long long)n,
			UINT32_MAX - 1);
	a->n = (uint32_t)n;
	a->layout = ebwt_layout(x, &a->plan, n, a->wants_offsets);
	buckets = 1ull << a->layout.bucket_bits;
	rc = ebwt_take(x, &a->pos, n, sizeof *a->pos, e);
	if (!rc)
		rc = ebwt_take(x, &a->reach, n, sizeof *a->reach, e);
	if (!rc)
		rc = slab(a, e);
	if (!rc)
		rc = ebwt_take(x, &a->next, n, sizeof *a->next, e);
	if (!rc)
		rc = ebwt_take(x, &a->first, x->n_classes + 1,
			       sizeof *a->first, e);
	if (!rc)
		rc = ebwt_take(x, &a->counts, a->n_parts * buckets,
			       sizeof *a->counts, e);
	if (rc)
		return rc;
	a->first[x->n_classes] = a->n;
	memset(a->counts, 0, a->n_parts * buckets * sizeof *a->counts);
	for (unsigned i = 0; i < a->n_parts; i++)
		a->part[i].count = a->counts + i * buckets;
	return 0;
}

int
ebwt_find(struct ebwt_anchors *a, struct err *e)
{
	unsigned n = a->n_parts;

	ebwt_each(a->threads, n, count_part, a);
	if (room(a, e))
		return e->code;
	ebwt_each(a->threads, n, fill_part, a);
	ebwt_each(a->threads, n, link_part, a);
	return 0;
}
