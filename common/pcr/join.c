/* SPDX-License-Identifier: MIT */
/*
 * join.c - sites of primers to products of PCR
 *
 * A site waits until no later one can shadow it: no site is longer than
 * `longest` letters, so one that ends as many letters behind it, or further,
 * does not overlap it.  Then, if it is on -, it goes into the list of its
 * primer; if it is on +, it waits among others, in the order of begins, until
 * all sites are known that end within `reach` letters from its begin: more
 * than a product has, and more than a site, so that no site which comes later
 * begins before it.  So products come in the order of begins.
 *	A list is in the order of ends.  A product that begins at a and has min
 * to max letters ends in [a + min, a + max]: two binary searches, and what lies
 * between is nearly all products.  With max_hits there is a list for each
 * number of differences, so that those which cannot be among the best are not
 * looked at.
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "pcr/pcr.h"

enum { MAX_LEVELS = 64 };	/* the last one: so many differences and more */

struct waiting {
	struct pcr_site s;
	uint64_t before;	/* number + 1 of the site of its primer and
				   strand before it */
	bool shadowed;
};

/* Sites in order, of which the first `head` are gone. */
struct list {
	struct pcr_site *v;
	size_t head, n, cap;
};

struct kept {
	struct pcr_product p;
	struct pcr_site left, right, probe;	/* to which p points */
};
/* The best products of a pair: a heap, the worst is the first. */
struct top {
	struct kept **v;
	size_t n, cap;
};

struct pcr_join {
	struct pcr_join_params p;
	uint64_t longest, reach;	/* in letters */
	/* Of circles: where products begin, inner ones if there are any, and
	 * their most letters. */
	uint64_t from, to, most;
	size_t n_primers, levels;	/* levels: lists of a primer */
	/* Sites that wait, a ring by number: [first, next) */
	struct waiting *ring;
	size_t ring_size;	/* a power of two, or 0 */
	uint64_t first, next;
	uint64_t *last;		/* number + 1, of each primer and strand */
	struct list plus;	/* sites on +, by begin */
	struct list probes;	/* their sites, on both strands, by end */
	bool nested;
	struct pcr_outer outer;	/* of those so far the one that ends last */
	struct list *list;	/* of sites on -, by end: levels of each
				   primer */
	uint32_t *active;	/* primers with sites in lists: all_pairs */
	size_t n_active;
	bool *is_active;
	/* Pairs of a primer: entry 2 i is of the r of pair i, 2 i + 1 of its
	 * f; numbers + 1. */
	size_t *entry, *next_entry;
	struct index listed;	/* pairs, number + 1, by both primers */
	struct pcr_product *found;	/* of one begin */
	size_t n_found, cap_found;
	struct top *top;	/* max_hits: of pairs of the subject */
	size_t n_tops, cap_tops;
	struct index top_of;	/* of them, number + 1, by both primers */
};

/* Sites. */

static int
site_copy(struct pcr_site *to, const struct pcr_site *s, const uint32_t *ops,
	  struct err *e)
{
	uint32_t *at = to->ops.few;

	*to = *s;
	if (s->n_ops > PCR_OPS) {
		at = to->ops.many = malloc(s->n_ops * sizeof *at);
		if (!at) {
			to->n_ops = 0;
			return err_nomem(e, s->n_ops * sizeof *at);
		}
	}
	if (s->n_ops)
		memcpy(at, ops, s->n_ops * sizeof *at);
	return 0;
}

static void
site_free(struct pcr_site *s)
{
	if (s->n_ops > PCR_OPS)
		free(s->ops.many);
	s->n_ops = 0;
}

/* Products in order. */

static int
cmp_product(const struct pcr_product *a, const struct pcr_product *b)
{
	int c = cmp_u64(a->left->beg, b->left->beg);

	if (c == 0)
		c = cmp_u64(a->right->end, b->right->end);
	if (c == 0)
		c = cmp_u64(a->f, b->f);
	if (c == 0)
		c = cmp_u64(a->r, b->r);
	if (c == 0)
		c = a->minus - b->minus;
	return c ? c : cmp_u64(a->left->end, b->left->end);
}

static int
cmp_found(const void *a, const void *b)
{
	return cmp_product(a, b);
}

static int
cmp_kept(const void *a, const void *b)
{
	return cmp_product(&(*(struct kept *const *)a)->p,
			   &(*(struct kept *const *)b)->p);
}

static bool
is_worse(const struct pcr_product *a, const struct pcr_product *b)
{
	uint64_t x = pcr_product_edits(a), y = pcr_product_edits(b);

	return x != y ? x > y : cmp_product(a, b) > 0;
}

static bool
kept_before(void *c, struct kept *const *a, struct kept *const *b)
{
	(void)c;
	return is_worse(&(*a)->p, &(*b)->p);
}

HEAP(kept, struct kept *, void, kept_before, HEAP_ANYWHERE)

/* From pairs to what the search for partners needs. */

uint64_t
pcr_longest_site(const struct pcr_pairs *p)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->n_primers; i++)
		n = max_u64(n, p->primer[i].letters.n);
	return 2 * n;	/* fewer differences than letters */
}

uint64_t
pcr_join_reach(const struct pcr_join *j)
{
	return j->reach;
}

void
pcr_join_circle(struct pcr_join *j, uint64_t from, uint64_t n)
{
	j->from = j->nested ? from + n : from;
	j->to = j->from + n;
	j->most = n;
}

static void
set_linear(struct pcr_join *j)
{
	j->from = 0;
	j->to = j->most = UINT64_MAX;
}

static int
note_pairs(struct pcr_join *j, struct err *e)
{
	const struct pcr_pairs *p = j->p.pairs;

	j->reach = j->p.max;
	for (size_t i = 0; i < p->n_pairs; i++) {
		const struct pcr_pair *x = &p->pair[i];

		j->nested |= x->inner;
		if (x->limits)
			j->reach = max_u64(j->reach, x->max);
		j->next_entry[2 * i] = j->entry[x->r];
		j->entry[x->r] = 2 * i + 1;
		if (x->f != x->r) {
			j->next_entry[2 * i + 1] = j->entry[x->f];
			j->entry[x->f] = 2 * i + 2;
		}
		if (!index_set_number(&j->listed, min_u64(x->f, x->r),
				      max_u64(x->f, x->r), i + 1))
			return err_nomem(e, sizeof *x);
	}
	j->longest = pcr_longest_site(p);
	j->reach = max_u64(j->reach, j->longest);
	return 0;
}

int
pcr_join_new(struct pcr_join **out, const struct pcr_join_params *p,
	     struct err *e)
{
	struct pcr_join *j = calloc(1, sizeof *j);
	size_t n = p->pairs->n_primers;
	int rc;

	*out = NULL;
	if (!j)
		return err_nomem(e, sizeof *j);
	j->p = *p;
	j->n_primers = n;
	set_linear(j);
	j->levels = p->max_hits ? MAX_LEVELS : 1;
	j->last = calloc(2 * n + 1, sizeof *j->last);
	j->list = calloc(n * j->levels + 1, sizeof *j->list);
	j->active = malloc((n + 1) * sizeof *j->active);
	j->is_active = calloc(n + 1, sizeof *j->is_active);
	j->entry = calloc(n + 1, sizeof *j->entry);
	j->next_entry = calloc(2 * p->pairs->n_pairs + 1,
			       sizeof *j->next_entry);
	rc = j->last && j->list && j->active && j->is_active && j->entry &&
	     j->next_entry ? note_pairs(j, e) :
	     err_nomem(e, n * j->levels * sizeof *j->list);
	if (rc)
		pcr_join_free(j);
	else
		*out = j;
	return rc;
}

static void
kept_free(struct kept *k)
{
	site_free(&k->left);
	site_free(&k->right);
	site_free(&k->probe);
	free(k);
}

static void
top_clear(struct top *t)
{
	for (size_t i = 0; i < t->n; i++)
		kept_free(t->v[i]);
	free(t->v);
}

static void
list_clear(struct list *l)
{
	for (size_t i = l->head; i < l->n; i++)
		site_free(&l->v[i]);
	l->head = l->n = 0;
}

void
pcr_join_free(struct pcr_join *j)
{
	if (!j)
		return;
	for (uint64_t i = j->first; i < j->next; i++)
		site_free(&j->ring[i & (j->ring_size - 1)].s);
	list_clear(&j->plus);
	free(j->plus.v);
	list_clear(&j->probes);
	free(j->probes.v);
	for (size_t i = 0; j->list && i < j->n_primers * j->levels; i++) {
		list_clear(&j->list[i]);
		free(j->list[i].v);
	}
	for (size_t i = 0; i < j->n_tops; i++)
		top_clear(&j->top[i]);
	index_free(&j->listed);
	index_free(&j->top_of);
	free(j->ring);
	free(j->last);
	free(j->list);
	free(j->active);
	free(j->is_active);
	free(j->entry);
	free(j->next_entry);
	free(j->found);
	free(j->top);
	free(j);
}

/* Lists of sites. */

static struct list *
list_of(struct pcr_join *j, uint32_t primer, size_t level)
{
	return &j->list[primer * j->levels + level];
}

/* Room for one more; the place of those that are gone is used again. */
static int
list_room(struct list *l, struct err *e)
{
	if (l->head > 64 && l->head > l->n / 2) {
		memmove(l->v, l->v + l->head,
			(l->n - l->head) * sizeof *l->v);
		l->n -= l->head;
		l->head = 0;
	}
	return array_room(&l->v, &l->cap, l->n + 1, sizeof *l->v, e);
}

/* Sites from which no product reaches back to `beg`, nor to what is behind. */
static void
list_leave(struct list *l, uint64_t beg)
{
	while (l->head < l->n && l->v[l->head].end <= beg)
		site_free(&l->v[l->head++]);
}

/* To a list in the order of ends, which gets the site's memory. */
static int
add_last(struct pcr_join *j, struct list *l, const struct pcr_site *s,
	 struct err *e)
{
	const struct list *p = &j->plus;
	uint64_t beg = s->end > j->longest ? s->end - j->longest : 0;
	int rc;

	/* where the next one on + begins, at least */
	if (p->head < p->n)
		beg = min_u64(beg, p->v[p->head].beg);
	list_leave(l, beg);
	rc = list_room(l, e);
	if (!rc)
		l->v[l->n++] = *s;
	return rc;
}

static int
add_minus(struct pcr_join *j, struct pcr_site *s, struct err *e)
{
	struct list *l = list_of(j, s->primer,
				 min_u64(s->edits, j->levels - 1));
	int rc = add_last(j, l, s, e);

	if (rc)
		return rc;
	if (!j->is_active[s->primer])
		j->active[j->n_active++] = s->primer;
	j->is_active[s->primer] = true;
	return 0;
}

/* It begins behind nearly all that wait. */
static int
add_plus(struct pcr_join *j, struct pcr_site *s, struct err *e)
{
	struct list *l = &j->plus;
	int rc = list_room(l, e);
	size_t i = l->n;

	if (rc)
		return rc;
	for (; i > l->head && l->v[i - 1].beg > s->beg; i--)
		l->v[i] = l->v[i - 1];
	l->v[i] = *s;
	l->n++;
	return 0;
}

/* The first site that ends at `end` or behind it. */
static size_t
list_first(const struct list *l, uint64_t end)
{
	size_t lo = l->head, hi = l->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (l->v[mid].end < end)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Products. */

static int
kept_new(struct kept **out, const struct pcr_product *p, struct err *e)
{
	struct kept *k = calloc(1, sizeof *k);
	int rc;

	*out = NULL;
	if (!k)
		return err_nomem(e, sizeof *k);
	k->p = *p;
	k->p.left = &k->left;
	k->p.right = &k->right;
	rc = site_copy(&k->left, p->left, pcr_ops(p->left), e);
	if (!rc)
		rc = site_copy(&k->right, p->right, pcr_ops(p->right), e);
	if (!rc && p->probe) {
		k->p.probe = &k->probe;
		rc = site_copy(&k->probe, p->probe, pcr_ops(p->probe), e);
	}
	if (rc)
		kept_free(k);
	else
		*out = k;
	return rc;
}

/* The pair's; NULL: no memory. */
static struct top *
top_find(struct pcr_join *j, uint32_t f, uint32_t r, struct err *e)
{
	size_t n = index_number(&j->top_of, f, r);

	if (n)
		return &j->top[n - 1];
	if (array_room(&j->top, &j->cap_tops, j->n_tops + 1, sizeof *j->top,
		       e))
		return NULL;
	if (!index_set_number(&j->top_of, f, r, j->n_tops + 1)) {
		err_nomem(e, sizeof *j->top);
		return NULL;
	}
	j->top[j->n_tops] = (struct top){ .n = 0 };
	return &j->top[j->n_tops++];
}

/* Can a product with so many differences, which begins at `beg`, be among the
 * best? */
static bool
top_wants(const struct pcr_join *j, const struct top *t, uint64_t edits,
	  uint64_t beg)
{
	const struct pcr_product *worst = t->n ? &t->v[0]->p : NULL;

	if (t->n < j->p.max_hits)
		return true;
	return edits < pcr_product_edits(worst) ||
	       (edits == pcr_product_edits(worst) &&
		beg <= worst->left->beg);
}

static int
top_take(struct pcr_join *j, struct top *t, const struct pcr_product *p,
	 struct err *e)
{
	bool full = t->n == j->p.max_hits;
	struct kept *k;
	int rc;

	if (full && is_worse(p, &t->v[0]->p))
		return 0;
	rc = array_room(&t->v, &t->cap, t->n + 1, sizeof *t->v, e);
	if (!rc)
		rc = kept_new(&k, p, e);
	if (rc)
		return rc;
	if (!full) {
		kept_up(NULL, t->v, t->n++, k);
		return 0;
	}
	kept_free(t->v[0]);
	kept_down(NULL, t->v, t->n, 0, k);
	return 0;
}

/* The best site of a probe that lies in [beg, end); NULL: there is none. */
static const struct pcr_site *
find_probe(const struct pcr_join *j, uint64_t beg, uint64_t end)
{
	const struct list *l = &j->probes;
	const struct pcr_site *best = NULL;

	for (size_t i = list_first(l, beg); i < l->n && l->v[i].end <= end;
	     i++)
		if (l->v[i].beg >= beg &&
		    (!best || l->v[i].edits < best->edits))
			best = &l->v[i];
	return best;
}

static bool
is_inner(const struct pcr_join *j, const struct pcr_product *p)
{
	return p->pair < j->p.pairs->n_pairs &&
	       j->p.pairs->pair[p->pair].inner;
}

/* Does the product count, as far as others and probes are asked?  One that is
 * not inner is a place for those that are. */
static bool
is_wanted(struct pcr_join *j, struct pcr_product *p)
{
	uint64_t beg = p->left->beg, end = p->right->end;

	if (j->nested && !is_inner(j, p)) {
		if (end > j->outer.end ||
		    (end == j->outer.end && beg == j->outer.beg &&
		     p->pair < j->outer.pair))
			j->outer = (struct pcr_outer){ p->pair, beg, end };
		return false;
	}
	if (j->nested && j->outer.end < end)
		return false;
	p->outer = j->outer;
	p->probe = NULL;
	if (j->p.pairs->n_probes)
		p->probe = find_probe(j, beg, end);
	return p->probe || !j->p.pairs->n_probes;
}

static int
take_product(struct pcr_join *j, struct top *t, struct pcr_product *p,
	     struct err *e)
{
	int rc;

	if (!is_wanted(j, p))
		return 0;
	if (t)
		return top_take(j, t, p, e);
	rc = array_room(&j->found, &j->cap_found, j->n_found + 1,
			sizeof *j->found, e);
	if (!rc)
		j->found[j->n_found++] = *p;
	return rc;
}

/* p's products that end in a list: all is known but their right sites. */
static int
join_list(struct pcr_join *j, struct list *l, struct top *t,
	  struct pcr_product *p, struct err *e)
{
	const struct pcr_pair *x = p->pair < j->p.pairs->n_pairs ?
				   &j->p.pairs->pair[p->pair] : NULL;
	uint64_t min = x && x->limits ? x->min : j->p.min;
	uint64_t max = x && x->limits ? x->max : j->p.max;
	uint64_t a = p->left->beg;
	int rc = 0;

	max = min_u64(max, j->most);
	list_leave(l, a);
	for (size_t i = list_first(l, max_u64(a + min, p->left->end));
	     i < l->n && l->v[i].end <= a + max && !rc; i++) {
		if (l->v[i].beg < a)
			continue;
		p->right = &l->v[i];
		rc = take_product(j, t, p, e);
	}
	return rc;
}

/* The site on + and those on - of the other primer. */
static int
join_pair(struct pcr_join *j, const struct pcr_site *s, uint32_t other,
	  struct pcr_product *p, struct err *e)
{
	struct top *t = NULL;
	int rc = 0;

	p->left = s;
	for (size_t i = 0; i < j->levels && !rc; i++) {
		struct list *l = list_of(j, other, i);

		if (l->head == l->n)
			continue;
		if (!j->p.max_hits || (j->nested && !is_inner(j, p))) {
			rc = join_list(j, l, NULL, p, e);
			continue;
		}
		t = t ? t : top_find(j, p->f, p->r, e);
		if (!t)
			return e->code;
		if (!top_wants(j, t, i + s->edits, s->beg))
			break;
		rc = join_list(j, l, t, p, e);
	}
	return rc;
}

static int
join_partners(struct pcr_join *j, const struct pcr_site *s, bool inner,
	      struct err *e)
{
	int rc = 0;

	for (size_t i = j->entry[s->primer]; i && !rc;
	     i = j->next_entry[i - 1]) {
		size_t pair = (i - 1) / 2;
		const struct pcr_pair *x = &j->p.pairs->pair[pair];
		bool minus = (i - 1) % 2 == 0 && x->f != x->r;
		struct pcr_product p = { .f = x->f, .r = x->r, .pair = pair,
					 .minus = minus };

		if (x->inner != inner)
			continue;
		rc = join_pair(j, s, minus ? x->f : x->r, &p, e);
	}
	return rc;
}

static bool
has_sites(struct pcr_join *j, uint32_t primer)
{
	for (size_t i = 0; i < j->levels; i++) {
		const struct list *l = list_of(j, primer, i);

		if (l->head < l->n)
			return true;
	}
	return false;
}

/* With every primer that has sites on -. */
static int
join_all(struct pcr_join *j, const struct pcr_site *s, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < j->n_active && !rc;) {
		uint32_t other = j->active[i];
		uint32_t lo = other < s->primer ? other : s->primer;
		uint32_t hi = other < s->primer ? s->primer : other;
		size_t n = index_number(&j->listed, lo, hi);
		struct pcr_product p = { .f = lo, .r = hi,
					 .pair = j->p.pairs->n_pairs };

		if (n) {
			p.pair = n - 1;
			p.f = j->p.pairs->pair[n - 1].f;
			p.r = j->p.pairs->pair[n - 1].r;
		}
		p.minus = s->primer != p.f;
		rc = join_pair(j, s, other, &p, e);
		if (has_sites(j, other)) {
			i++;
			continue;
		}
		j->is_active[other] = false;
		j->active[i] = j->active[--j->n_active];
	}
	return rc;
}

/* Sites that went on. */

static int
put_found(struct pcr_join *j, struct err *e)
{
	int rc = 0;

	if (j->n_found > 1)
		qsort(j->found, j->n_found, sizeof *j->found, cmp_found);
	for (size_t i = 0; i < j->n_found && !rc; i++)
		rc = j->p.put(j->p.ctx, &j->found[i], e);
	j->n_found = 0;
	return rc;
}

/* The first n of those on +, which begin at one place. */
static int
join_plus(struct pcr_join *j, size_t n, struct err *e)
{
	struct list *l = &j->plus;
	uint64_t beg = l->v[l->head].beg;
	bool any = beg >= j->from && beg < j->to;
	int rc = 0;

	list_leave(&j->probes, beg);
	for (size_t i = 0; i < n && !rc && (any || j->nested); i++) {
		const struct pcr_site *s = &l->v[l->head + i];

		rc = j->p.all_pairs ? join_all(j, s, e) :
				      join_partners(j, s, false, e);
	}
	/* by now all are known in which they may lie */
	for (size_t i = 0; i < n && !rc && any && j->nested; i++)
		rc = join_partners(j, &l->v[l->head + i], true, e);
	if (!rc)
		rc = put_found(j, e);
	for (size_t i = 0; i < n; i++)
		site_free(&l->v[l->head++]);
	return rc;
}

/* All sites are known that end before `end`. */
static int
advance(struct pcr_join *j, uint64_t end, struct err *e)
{
	struct list *l = &j->plus;
	int rc = 0;

	while (l->head < l->n && end > j->reach &&
	       l->v[l->head].beg < end - j->reach && !rc) {
		size_t n = 1;

		while (l->head + n < l->n &&
		       l->v[l->head + n].beg == l->v[l->head].beg)
			n++;
		rc = join_plus(j, n, e);
	}
	return rc;
}

/* The first that waits goes on. */
static int
go_on(struct pcr_join *j, struct err *e)
{
	struct waiting *w = &j->ring[j->first & (j->ring_size - 1)];
	int rc = advance(j, w->s.end, e);

	if (!rc && !w->shadowed)
		rc = j->p.pairs->primer[w->s.primer].probe ?
		     add_last(j, &j->probes, &w->s, e) :
		     w->s.minus ? add_minus(j, &w->s, e) :
				  add_plus(j, &w->s, e);
	if (rc)
		return rc;
	if (w->shadowed)
		site_free(&w->s);
	j->first++;
	return 0;
}

/* Sites that wait. */

static int
ring_room(struct pcr_join *j, struct err *e)
{
	size_t size = j->ring_size ? 2 * j->ring_size : 64;
	struct waiting *v;

	if (j->next - j->first < j->ring_size)
		return 0;
	v = malloc(size * sizeof *v);
	if (!v)
		return err_nomem(e, size * sizeof *v);
	for (uint64_t i = j->first; i < j->next; i++)
		v[i & (size - 1)] = j->ring[i & (j->ring_size - 1)];
	free(j->ring);
	j->ring = v;
	j->ring_size = size;
	return 0;
}

/* Do they overlap by more than half of the shorter?  b ends where a does, or
 * behind it. */
static bool
overlap(const struct pcr_site *a, const struct pcr_site *b)
{
	uint64_t beg = max_u64(a->beg, b->beg);
	uint64_t len = min_u64(a->end - a->beg, b->end - b->beg);

	return a->end > beg && 2 * (a->end - beg) > len;
}

/* Which of the newest and those before it shadow each other? */
static void
set_shadows(struct pcr_join *j, struct waiting *w)
{
	for (uint64_t i = w->before; i > j->first;) {
		struct waiting *x = &j->ring[(i - 1) & (j->ring_size - 1)];

		if (x->s.end <= w->s.beg)
			break;
		if (x->s.edits < w->s.edits && overlap(&x->s, &w->s))
			w->shadowed = true;
		if (x->s.edits > w->s.edits && overlap(&x->s, &w->s))
			x->shadowed = true;
		i = x->before;
	}
}

static bool
is_settled(const struct pcr_join *j, uint64_t end)
{
	uint64_t its = j->ring[j->first & (j->ring_size - 1)].s.end;

	return its < end && (!j->p.shadows || end - its >= j->longest);
}

int
pcr_join_site(struct pcr_join *j, const struct pcr_site *s,
	      const uint32_t *ops, struct err *e)
{
	uint64_t *last = &j->last[2 * (size_t)s->primer + s->minus];
	struct waiting *w;
	int rc = 0;

	while (j->first < j->next && is_settled(j, s->end) && !rc)
		rc = go_on(j, e);
	if (!rc)
		rc = ring_room(j, e);
	if (rc)
		return rc;
	w = &j->ring[j->next & (j->ring_size - 1)];
	rc = site_copy(&w->s, s, ops, e);
	if (rc)
		return rc;
	w->before = *last;
	w->shadowed = false;
	*last = ++j->next;
	if (j->p.shadows)
		set_shadows(j, w);
	return 0;
}

/* The subject's best, in order. */
static int
put_tops(struct pcr_join *j, struct err *e)
{
	struct kept **v;
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < j->n_tops; i++)
		n += j->top[i].n;
	v = malloc((n + 1) * sizeof *v);
	if (!v)
		return err_nomem(e, n * sizeof *v);
	n = 0;
	for (size_t i = 0; i < j->n_tops; i++)
		for (size_t k = 0; k < j->top[i].n; k++)
			v[n++] = j->top[i].v[k];
	qsort(v, n, sizeof *v, cmp_kept);
	for (size_t i = 0; i < n && !rc; i++)
		rc = j->p.put(j->p.ctx, &v[i]->p, e);
	free(v);
	for (size_t i = 0; i < j->n_tops; i++)
		top_clear(&j->top[i]);
	j->n_tops = 0;
	index_free(&j->top_of);
	return rc;
}

int
pcr_join_end(struct pcr_join *j, struct err *e)
{
	int rc = 0;

	while (j->first < j->next && !rc)
		rc = go_on(j, e);
	if (!rc)
		rc = advance(j, UINT64_MAX, e);
	list_clear(&j->plus);
	list_clear(&j->probes);
	j->outer = (struct pcr_outer){ .end = 0 };
	for (size_t i = 0; i < j->n_active; i++) {
		for (size_t k = 0; k < j->levels; k++)
			list_clear(list_of(j, j->active[i], k));
		j->is_active[j->active[i]] = false;
	}
	j->n_active = 0;
	set_linear(j);
	return !rc && j->n_tops ? put_tops(j, e) : rc;
}
