/* SPDX-License-Identifier: MIT */
/*
 * kdiff_index.c - the index: choose pieces, list the q-grams that they can
 * begin with, sort by key; and the scan with it
 *
 * A match with at most k differences holds some piece of its pattern with few:
 * of s pieces, s1 with at most one and the others with none, where
 * s + s1 = k + 1, one holds (more than that in each were k + 1 in all).  The
 * index knows every q letters that such a piece of any pattern can begin with
 * in a text.  A text letter then costs one look-up, however many patterns
 * there are; a hit is only a candidate, which is verified.
 *
 * Letters of the text other than A C G T may be read as any letter: they never
 * match, so reading one as a letter of the pattern only adds a candidate.
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "kdiff/kdiff_priv.h"

/*
 * Many patterns at once: places by an index, then a closer look
 *
 * Say a match of P[1..m] with D(j) = d <= k holds a piece that begins at
 * pattern letter a (from 0) and text letter i.  As no more than k differences
 * lie before the piece, and none but k behind, the match begins at i - a - k
 * at least, and E - k <= j <= E + k for E = i - a + m.  So D over the letters
 * from E - m - k to E + k alone has the true value at j, and nowhere one that
 * is too small: the least value over all places of an end is exact.
 *
 * Places that come too often (repeats) are given up: then the pattern is left
 * to the other engine, and this one has cost no more than that one does.
 */

enum {
	BATCH = 256, MAX_HITS = 1 << 22,
	PASS_OVER = 16,		/* places in the time of a closer look */
};

struct place {
	uint64_t end;		/* E */
	uint32_t pattern, seg;
};

struct found {			/* a key of the text that has entries */
	uint64_t at;
	uint32_t slot, seg;
};

struct index_scan {
	const struct kdiff_set *set;
	const struct kdiff_index *x;
	const struct kdiff_text *t;
	struct kdiff_hits *out;
	struct err *e;
	uint32_t *room;		/* places of each pattern still to be looked
				   at, and 1; 0: there were more */
	uint64_t left;		/* places of all, before giving up */
	size_t most;		/* hits, before giving up */
	struct found found[BATCH];
	struct place place[BATCH];
	unsigned n_found, n;
	struct kdiff_verify lanes;
};

/*
 * Which of 64 letters from `at` match nothing: others, or before the segment.
 * What lies behind it comes too late to matter.
 */
static uint64_t
none_at(const struct index_scan *a, const struct kdiff_seg *g, int64_t at)
{
	uint64_t none = a->t->exc ? kdiff_bits(a->t, a->t->exc, 1, at) : 0;
	int64_t before = (int64_t)g->beg - at;

	if (before >= 64)
		return ~0ull;
	return before > 0 ? none | ~(~0ull << before) : none;
}

static int
put_end(struct index_scan *a, uint64_t end, uint64_t dist,
	const struct place *p)
{
	const struct kdiff_seg *g = &a->t->seg[p->seg];
	int r;

	if (end <= g->beg || end > g->end)
		return 0;
	if (a->out->n >= a->most)
		a->left = 0;
	r = kdiff_hits_room(a->out, 1, a->e);
	if (!r)
		a->out->v[a->out->n++] = (struct kdiff_hit){
			end, (uint32_t)dist, p->pattern,
		};
	return r;
}

static void
set_lane(struct index_scan *a, unsigned l, const struct place *p)
{
	const struct kdiff_pat *q = &a->set->pat[p->pattern];
	struct kdiff_verify *x = &a->lanes;
	int64_t at = (int64_t)(p->end + q->k) - x->cols;
	uint64_t pad = q->m < 64 ? ~0ull >> q->m : 0;

	for (unsigned c = 0; c < 4; c++)
		x->eq[c][l] = a->x->eq[p->pattern][c];
	x->pad[l] = pad;
	x->k[l] = q->k;
	x->lo[l] = kdiff_bits(a->t, a->t->planes, 2, at);
	x->hi[l] = kdiff_bits(a->t, a->t->planes + 1, 2, at);
	x->none[l] = none_at(a, &a->t->seg[p->seg], at);
	x->any_none |= x->none[l] != 0;
}

/* n places, at most one a lane. */
static int
verify_places(struct index_scan *a, const struct place *p, unsigned n)
{
	struct kdiff_verify *x = &a->lanes;
	unsigned found;
	int r = 0;

	x->cols = x->tail = 0;
	x->any_none = false;
	for (unsigned l = 0; l < n; l++) {
		const struct kdiff_pat *q = &a->set->pat[p[l].pattern];
		unsigned cols = q->m + 2 * q->k, tail = 2 * q->k + 1;

		x->cols = cols > x->cols ? cols : x->cols;
		x->tail = tail > x->tail ? tail : x->tail;
	}
	for (unsigned l = 0; l < n; l++)
		set_lane(a, l, &p[l]);
	found = a->set->ops.verify(x) & ((1u << n) - 1);
	for (; found && !r; found &= found - 1) {
		unsigned l = (unsigned)__builtin_ctz(found);
		uint64_t last = p[l].end + x->k[l], end;

		for (unsigned i = 0; i < x->tail && !r; i++) {
			end = last - x->tail + i + 1;
			if (x->dist[i][l] <= x->k[l])
				r = put_end(a, end, x->dist[i][l], &p[l]);
		}
	}
	return r;
}

/* Mismatches at a place: no indels, so it ends at E. */
static int
look_hamming(struct index_scan *a, const struct place *p)
{
	const struct kdiff_pat *q = &a->set->pat[p->pattern];
	const struct kdiff_seg *g = &a->t->seg[p->seg];
	const uint64_t *eq = a->x->eq[p->pattern];
	int64_t at = (int64_t)p->end - 64;
	uint64_t is[4], fits = 0;
	unsigned d;

	if (p->end < g->beg + q->m || p->end > g->end)
		return 0;
	kdiff_four_at(a->t, at, ~none_at(a, g, at), is);
	for (unsigned c = 0; c < 4; c++)
		fits |= eq[c] & is[c];
	d = q->m - (unsigned)__builtin_popcountll(fits);
	return d <= q->k ? put_end(a, p->end, d, p) : 0;
}

static int
flush_places(struct index_scan *a)
{
	unsigned lanes = a->set->ops.lanes, i, n;
	int r = 0;

	for (i = 0; a->set->p.hamming && i < a->n && !r; i++)
		r = look_hamming(a, &a->place[i]);
	for (; i < a->n && !r; i += n) {
		n = a->n - i < lanes ? a->n - i : lanes;
		r = verify_places(a, &a->place[i], n);
	}
	a->n = 0;
	return r;
}

/* What was found, as places; the next ones are prefetched. */
static int
expand_hits(struct index_scan *a)
{
	const struct kdiff_index *x = a->x;
	const struct kdiff_grams *g = &x->grams;
	int r = 0;

	for (unsigned i = 0; i < a->n_found; i++)
		__builtin_prefetch(g->entry + g->start[a->found[i].slot]);
	for (unsigned i = 0; i < a->n_found && !r; i++) {
		const struct found *f = &a->found[i];
		uint32_t beg = g->start[f->slot], end = g->start[f->slot + 1];

		if (a->left < end - beg) {
			a->left = 0;
			break;
		}
		a->left -= end - beg;
		for (uint32_t j = beg; j < end && !r; j++) {
			uint32_t p = kdiff_entry_pattern(g->entry[j]);

			if (!a->room[p] || !--a->room[p])
				continue;
			__builtin_prefetch(x->eq[p]);
			a->place[a->n++] = (struct place){
				f->at + kdiff_entry_rest(g->entry[j]), p,
				f->seg,
			};
			if (a->n == BATCH)
				r = flush_places(a);
		}
	}
	a->n_found = 0;
	return r;
}

/*
 * A piece that one letter was left out of may lack its last one at the end.
 * What stands behind the text reads as 0, and counts as any letter.
 */
static int
scan_seg(struct index_scan *a, uint32_t seg)
{
	const struct kdiff_seg *g = &a->t->seg[seg];
	const struct kdiff_grams *grams = &a->x->grams;
	const uint64_t *planes = a->t->planes;
	uint64_t stop = g->end + 2 - min_u64(grams->q, g->end + 2);
	uint32_t key[KDIFF_GRAM_KEYS];
	uint64_t at = g->beg;
	int r = 0;

	for (; at < stop && a->left && !r; at += KDIFF_GRAM_KEYS) {
		uint64_t lo = kdiff_bits(a->t, planes, 2, (int64_t)at);
		uint64_t hi = kdiff_bits(a->t, planes + 1, 2, (int64_t)at);
		uint32_t found;

		/* a long run of other letters holds no match */
		if (a->t->exc && !~kdiff_bits(a->t, a->t->exc, 1, (int64_t)at))
			continue;
		found = a->set->ops.keys(grams->bits, grams->q, lo, hi, key);
		if (stop - at < KDIFF_GRAM_KEYS)
			found &= (1u << (stop - at)) - 1;
		for (; found && !r; found &= found - 1) {
			unsigned i = (unsigned)__builtin_ctz(found);
			uint32_t slot = kdiff_grams_slot(grams, key[i]);

			a->found[a->n_found++] = (struct found){
				at + i, slot, seg,
			};
			__builtin_prefetch(grams->start + slot);
			if (a->n_found == BATCH)
				r = expand_hits(a);
		}
	}
	return r;
}

/* Drop what belongs to patterns with too many places. */
static void
drop_repeats(const struct index_scan *a, size_t from)
{
	struct kdiff_hits *h = a->out;
	size_t n = from;

	for (size_t i = from; i < h->n; i++)
		if (a->room[h->v[i].pattern])
			h->v[n++] = h->v[i];
	h->n = n;
}

/* What the other engine has to search for, in order. */
static void
list_rest(const struct index_scan *a, struct kdiff_work *w)
{
	size_t next = 0;

	w->n_rest = 0;
	for (uint32_t i = 0; i < a->set->n; i++) {
		bool other = next < a->x->n_rest && a->x->rest[next] == i;

		next += other;
		if (other || !a->left || !a->room[i])
			((uint32_t *)(void *)w->rest)[w->n_rest++] = i;
	}
}

/* Places so many that another engine is faster are not looked at. */
static void
limit_places(struct index_scan *a)
{
	a->most = a->out->n + MAX_HITS;
	a->left = 0;
	for (size_t i = 0; i < a->set->n; i++) {
		double n = (double)a->t->n * a->x->most_places[i] + 16;

		a->room[i] = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
		a->left += (uint64_t)a->room[i] * PASS_OVER;
	}
}

int
kdiff_index_scan(const struct kdiff_set *set, const struct kdiff_index *x,
		 const struct kdiff_text *text, struct kdiff_work *w,
		 struct kdiff_hits *out, struct err *e)
{
	struct index_scan a = {
		.set = set, .x = x, .t = text, .out = out, .e = e,
		.left = UINT64_MAX, .most = SIZE_MAX,
	};
	size_t from = out->n;
	int r = kdiff_room(&w->room, &w->room_cap, set->n * 4, e);

	if (!r)
		r = kdiff_room(&w->rest, &w->rest_cap, set->n * 4, e);
	if (r)
		return r;
	a.room = (uint32_t *)(void *)w->room;
	if (set->engine == KDIFF_AUTO)
		limit_places(&a);
	else
		memset(a.room, 0xff, set->n * 4);
	for (size_t s = 0; s < text->n_seg && a.left && !r; s++)
		r = scan_seg(&a, (uint32_t)s);
	if (!r)
		r = expand_hits(&a);
	if (!r)
		r = flush_places(&a);
	if (!a.left)
		out->n = from;
	if (!r)
		r = kdiff_hits_order(out, from, &w->tmp, e);
	if (r)
		return r;
	drop_repeats(&a, from);
	list_rest(&a, w);
	return 0;
}

/* Choose pieces, list what they can begin with, sort by key. */

enum { MAX_ENTRIES = 1 << 25 };

struct maker {
	struct kdiff_index *x;
	uint8_t set[KDIFF_INDEX_M];	/* of the piece's letters */
	unsigned len;
	bool indels;
	bool plain;		/* sets of one letter: lo, hi are their bits */
	uint64_t lo, hi;
	uint32_t entry;
	struct kdiff_entry *pair;
	size_t n, cap;
	struct err *e;
	int rc;			/* ERR_NOMEM, once it failed */
};

/* Room for another one; no more than are taken. */
static bool
grow_index(struct maker *b)
{
	if (!b->rc && b->n <= MAX_ENTRIES)
		b->rc = array_room(&b->pair, &b->cap, b->n + 1,
				   sizeof *b->pair, b->e);
	return b->n < b->cap;
}

static void
index_put(struct maker *b, uint32_t key)
{
	if (b->n < b->cap || grow_index(b))
		b->pair[b->n++] = (struct kdiff_entry){ key, b->entry };
}

/*
 * All keys that go on with key's first `at` letters, when letters from i of
 * the piece are still to come, with at most `left` differences.  Behind the
 * piece's end any letter may follow.  Left out, as the same key is made
 * otherwise: a letter put in before one that it fits (put it in behind that),
 * a letter left out before an equal one (leave out that), and either at the
 * key's last letter (exchange the letter).
 */
static void
list_keys(struct maker *b, unsigned at, unsigned i, unsigned left, uint32_t key)
{
	unsigned q = b->x->grams.q;
	bool indel = left && b->indels && i < b->len && at + 1 < q;

	if (at == q) {
		index_put(b, key);
		return;
	}
	if (!left && b->plain && i < b->len) {	/* all that is left at once */
		unsigned n = b->len - i < q - at ? b->len - i : q - at;
		uint64_t mask = (1ull << n) - 1;

		key |= (uint32_t)(b->lo >> i & mask) << at |
		       (uint32_t)(b->hi >> i & mask) << (at + q);
		list_keys(b, at + n, i + n, 0, key);
		return;
	}
	for (uint32_t c = 0; c < 4; c++) {
		uint32_t next = key | (c & 1) << at | (c >> 1) << (at + q);

		if (i >= b->len || b->set[i] >> c & 1) {
			list_keys(b, at + 1, i + 1, left, next);
			continue;
		}
		if (left)
			list_keys(b, at + 1, i + 1, left - 1, next);
		if (indel && i)
			list_keys(b, at + 1, i, left - 1, next);
	}
	if (indel && !(i + 1 < b->len && b->set[i + 1] == b->set[i]))
		list_keys(b, at, i + 1, left - 1, key);
}

/* The keys of pattern number i. */
static void
add_pattern(struct maker *b, const struct kdiff_set *set, size_t i)
{
	const struct kdiff_pat *p = &set->pat[i];
	struct kdiff_cut c = { 0, 0 };

	kdiff_cut(p, b->x->grams.q, &c);
	for (uint32_t j = 0; j < c.s; j++) {
		uint32_t beg = kdiff_piece_at(p, &c, j);
		uint32_t end = kdiff_piece_at(p, &c, j + 1);

		b->len = end - beg;
		b->entry = (uint32_t)i * KDIFF_INDEX_M + p->m - beg - 1;
		b->plain = true;
		b->lo = b->hi = 0;
		for (uint32_t r = beg; r < end; r++) {
			uint8_t s = set->sym[p->code[r]];
			uint64_t two = (uint64_t)__builtin_ctz(s);

			b->set[r - beg] = s;
			b->plain &= !(s & (s - 1));
			b->lo |= (two & 1) << (r - beg);
			b->hi |= (two >> 1) << (r - beg);
		}
		list_keys(b, 0, 0, j + c.s1 >= c.s, 0);
	}
}

static void
add_one(struct kdiff_index *x, const struct kdiff_set *set, size_t i)
{
	const struct kdiff_pat *p = &set->pat[i];

	x->most_places[i] = kdiff_plain_cycles(set, p) /
			    kdiff_place_cycles(set, p);
	for (unsigned c = 0; c < 4; c++) {
		x->eq[i][c] = 0;
		for (uint32_t r = 0; r < p->m; r++)
			x->eq[i][c] |= (uint64_t)(set->sym[p->code[r]] >> c &
						  1) << (64 - p->m + r);
	}
}

static void
add_patterns(struct maker *b, const struct kdiff_set *set, const uint8_t *in)
{
	for (size_t i = 0; i < set->n && !b->rc && b->n <= MAX_ENTRIES; i++)
		if (in[i])
			add_pattern(b, set, i);
}

/*
 * Zeros that are written: pages of calloc() that are read before would be
 * taken from all threads when they are written to.
 */
static void *
new_zeros(size_t n_bytes, struct err *e)
{
	void *p = malloc(n_bytes);

	if (!p) {
		err_nomem(e, n_bytes);
		return NULL;
	}
	return memset(p, 0, n_bytes);
}

/* Entries by key; n_keys of these have some, and are ranked. */
static int
place_entries(struct kdiff_grams *g, struct kdiff_entry *v, size_t n,
	      size_t n_keys, struct err *e)
{
	g->entry = malloc((n + 1) * sizeof *g->entry);
	if (!g->entry)
		return err_nomem(e, (n + 1) * sizeof *g->entry);
	/* counted two places on, stored one on: then each is in its own */
	g->start = new_zeros((n_keys + 2) * sizeof *g->start, e);
	if (!g->start)
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++) {
		/* from now on its place, of all keys */
		v[i].key = kdiff_grams_slot(g, v[i].key);
		g->start[v[i].key + 2]++;
	}
	for (size_t i = 2; i < n_keys + 2; i++)
		g->start[i] += g->start[i - 1];
	for (size_t i = 0; i < n; i++)
		g->entry[g->start[v[i].key + 1]++] = v[i].entry;
	return 0;
}

int
kdiff_grams_make(struct kdiff_grams *g, struct kdiff_entry *v, size_t n,
		 struct err *e)
{
	size_t n_words = ((size_t)1 << 2 * g->q) / 64, n_keys = 0;

	g->bits = new_zeros(n_words * sizeof *g->bits, e);
	if (!g->bits)
		return ERR_NOMEM;
	g->rank = malloc(n_words * sizeof *g->rank);
	if (!g->rank)
		return err_nomem(e, n_words * sizeof *g->rank);
	for (size_t i = 0; i < n; i++)
		g->bits[v[i].key / 64] |= 1ull << v[i].key % 64;
	for (size_t i = 0; i < n_words; i++) {
		g->rank[i] = (uint32_t)n_keys;
		n_keys += (size_t)__builtin_popcountll(g->bits[i]);
	}
	return place_entries(g, v, n, n_keys, e);
}

void
kdiff_grams_free(struct kdiff_grams *g)
{
	free(g->bits);
	free(g->rank);
	free(g->start);
	free(g->entry);
}

/* 1, or 0 if there would be too many entries, or ERR_NOMEM. */
static int
make_index(struct maker *b, const struct kdiff_set *set, const uint8_t *in,
	   struct err *e)
{
	int r;

	add_patterns(b, set, in);
	if (b->rc || b->n > MAX_ENTRIES)
		return b->rc;
	r = kdiff_grams_make(&b->x->grams, b->pair, b->n, e);
	return r ? r : 1;
}

static int
index_room(struct kdiff_index *x, size_t n, struct err *e)
{
	x->eq = malloc(n * sizeof *x->eq);
	x->rest = malloc(n * sizeof *x->rest);
	x->most_places = calloc(n, sizeof *x->most_places);
	if (!x->eq || !x->rest || !x->most_places)
		return err_nomem(e, n * sizeof *x->eq);
	return 0;
}

int
kdiff_index_new(struct kdiff_index **out, const struct kdiff_set *set,
		bool every, struct err *e)
{
	double cycles;
	unsigned q = kdiff_index_q(set, every, &cycles);
	struct maker b = { .indels = !set->p.hamming, .e = e };
	uint8_t *in;
	int r;

	*out = NULL;
	if (!q || set->p.alphabet != KDIFF_DNA ||
	    set->n > UINT32_MAX / KDIFF_INDEX_M)
		return 0;
	in = malloc(set->n);
	b.x = calloc(1, sizeof *b.x);
	if (!b.x || !in) {
		free(in);
		free(b.x);
		return err_nomem(e, set->n + sizeof *b.x);
	}
	b.x->grams.q = q;
	r = index_room(b.x, set->n, e);
	for (size_t i = 0; !r && i < set->n; i++) {
		in[i] = kdiff_index_fits(set, i, q, every, &cycles);
		if (in[i])
			add_one(b.x, set, i);
		else
			b.x->rest[b.x->n_rest++] = (uint32_t)i;
	}
	if (!r && b.x->n_rest < set->n)
		r = make_index(&b, set, in, e);
	free(b.pair);
	free(in);
	if (r <= 0)
		kdiff_index_free(b.x);
	else
		*out = b.x;
	return r < 0 ? r : 0;
}

void
kdiff_index_free(struct kdiff_index *x)
{
	if (!x)
		return;
	kdiff_grams_free(&x->grams);
	free(x->eq);
	free(x->rest);
	free(x->most_places);
	free(x);
}
