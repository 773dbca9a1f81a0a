/* SPDX-License-Identifier: MIT */
/* dists_sort.c - distances in order, the nearest, and frames of them */
#define _GNU_SOURCE	/* qsort_r */
#include <stdlib.h>

#include "base/minmax.h"
#include "stream/dists_priv.h"

static int
cmp_name(const void *pa, const void *pb, void *ctx)
{
	const struct dists *d = ctx;
	const struct dist_name *a = &d->name[*(const uint32_t *)pa];
	const struct dist_name *b = &d->name[*(const uint32_t *)pb];
	const struct key *k = a->query ? d->scans.v : d->runs.v;
	int c = b->query - a->query;

	if (c == 0)
		c = cmp_u64(k[a->of].rank, k[b->of].rank);
	return c ? c : cmp_u64(a->ordinal, b->ordinal);
}

static int
rank_names(struct dists *d, struct err *e)
{
	d->by_rank = malloc((d->n_names + 1) * sizeof *d->by_rank);
	if (!d->by_rank)
		return err_nomem(e, d->n_names * sizeof *d->by_rank);
	for (size_t i = 0; i < d->n_names; i++)
		d->by_rank[i] = (uint32_t)i;
	qsort_r(d->by_rank, d->n_names, sizeof *d->by_rank, cmp_name, d);
	for (size_t i = 0; i < d->n_names; i++)
		d->name[d->by_rank[i]].rank = (uint32_t)i;
	return 0;
}

/* Records: by run and scan; text: by scan.  Subjects are ranked by run. */
static int
cmp_set(const struct dists *d, const struct dist_pair *a,
	const struct dist_pair *b)
{
	const struct dist_set *x = &d->set[a->set], *y = &d->set[b->set];
	int c = 0;

	if (d->p.by_run)
		c = cmp_u64(d->runs.v[x->run].rank, d->runs.v[y->run].rank);
	return c ? c : cmp_u64(d->scans.v[x->scan].rank,
			       d->scans.v[y->scan].rank);
}

static int
cmp_pair(const struct dists *d, const struct dist_pair *a,
	 const struct dist_pair *b)
{
	int c = cmp_u64(d->name[a->a].rank, d->name[b->a].rank);

	return c ? c : cmp_u64(d->name[a->b].rank, d->name[b->b].rank);
}

static int
cmp_value(const struct dist_pair *a, const struct dist_pair *b)
{
	return a->value < b->value ? -1 : a->value > b->value;
}

static int
by_pair(const void *a, const void *b, void *d)
{
	int c = cmp_set(d, a, b);

	return c ? c : cmp_pair(d, a, b);
}

static int
by_nearest(const void *pa, const void *pb, void *ctx)
{
	const struct dists *d = ctx;
	const struct dist_pair *a = pa, *b = pb;
	int c = cmp_u64(d->scans.v[d->set[a->set].scan].rank,
			d->scans.v[d->set[b->set].scan].rank);

	if (c == 0)
		c = cmp_u64(d->name[a->a].rank, d->name[b->a].rank);
	if (c == 0)
		c = cmp_value(a, b);
	return c ? c : cmp_pair(d, a, b);
}

static int
by_value(const void *a, const void *b, void *d)
{
	int c = cmp_value(a, b);

	return c ? c : by_nearest(a, b, d);
}

static void
sort(struct dists *d, int (*cmp)(const void *, const void *, void *))
{
	size_t n;
	struct dist_pair *p = dists_pairs(d, &n);

	if (n)
		qsort_r(p, n, sizeof *p, cmp, d);
}

static int
unite(struct dists *d, struct err *e)
{
	size_t n, to = 0;
	struct dist_pair *p = dists_pairs(d, &n);

	for (size_t i = 0; i < n; i++) {
		struct dist_row x, y;

		if (to == 0 || by_pair(&p[to - 1], &p[i], d) != 0) {
			p[to++] = p[i];
			continue;
		}
		x = dists_values(d, &p[to - 1]);
		y = dists_values(d, &p[i]);
		if (x.value != y.value || x.min != y.min || x.max != y.max ||
		    x.weighted_mean != y.weighted_mean ||
		    x.pairs != y.pairs || x.log2_pairs != y.log2_pairs)
			return err_set(e, ERR_FORMAT, "distances: a pair of "
				       "sequences has two");
	}
	d->pairs.n = to * sizeof *p;
	return 0;
}

int
dists_sort(struct dists *d, struct err *e)
{
	int r = keys_rank(&d->runs, false, e);

	if (r == 0)
		r = keys_rank(&d->scans, true, e);
	if (r == 0)
		r = rank_names(d, e);
	if (r < 0)
		return r;
	sort(d, by_pair);
	return unite(d, e);
}

/* Each pair of a triangle the other way round, too. */
static int
mirror(struct dists *d, struct err *e)
{
	size_t n = d->pairs.n / sizeof(struct dist_pair);

	if (!buf_reserve(&d->pairs, d->pairs.n))
		return err_nomem(e, d->pairs.n);
	for (size_t i = 0; i < n; i++) {
		struct dist_pair p = dists_pairs(d, &(size_t){ 0 })[i];
		uint32_t a = p.a;

		if (d->set[p.set].rect)
			continue;
		p.a = p.b;
		p.b = a;
		buf_put(&d->pairs, &p, sizeof p);
	}
	return 0;
}

/* Back to a before b, once. */
static int
fold(struct dists *d, struct err *e)
{
	size_t n;
	struct dist_pair *p = dists_pairs(d, &n);

	for (size_t i = 0; i < n; i++)
		if (!d->set[p[i].set].rect &&
		    d->name[p[i].a].rank > d->name[p[i].b].rank) {
			uint32_t a = p[i].a;

			p[i].a = p[i].b;
			p[i].b = a;
		}
	sort(d, by_pair);
	return unite(d, e);
}

/* Without a number there is no place among the nearest. */
static bool
has_value(const struct dists *d, const struct dist_pair *p)
{
	return !d->set[p->set].weighted || dists_values(d, p).pairs;
}

static void
keep_nearest(struct dists *d)
{
	size_t n, to = 0;
	struct dist_pair *p = dists_pairs(d, &n);
	uint64_t count = 0;

	for (size_t i = 0; i < n; i++) {
		const struct dist_pair *last = to ? &p[to - 1] : NULL;

		if (!has_value(d, &p[i]))
			continue;
		if (!last || (!d->p.all &&
			      (last->a != p[i].a || d->set[last->set].scan !=
						    d->set[p[i].set].scan)))
			count = 0;
		if (count >= d->p.n &&
		    !(d->p.ties && last->value == p[i].value))
			continue;
		count++;
		p[to++] = p[i];
	}
	d->pairs.n = to * sizeof *p;
}

int
dists_cut(struct dists *d, struct err *e)
{
	int r = d->p.all ? 0 : mirror(d, e);

	if (r < 0)
		return r;
	sort(d, d->p.all ? by_value : by_nearest);
	keep_nearest(d);
	if (d->p.by_run)
		return fold(d, e);
	if (d->p.position)
		sort(d, by_pair);
	return 0;
}

/* The first name in the order of cmp_name() that is not before those of a run,
 * or of a scan's queries. */
static size_t
names_from(const struct dists *d, bool query, uint32_t of)
{
	const struct key *k = query ? d->scans.v : d->runs.v;
	size_t lo = 0, hi = d->n_names;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct dist_name *n = &d->name[d->by_rank[mid]];

		if (n->query != query ? n->query : k[n->of].rank < k[of].rank)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static size_t
names_upto(const struct dists *d, size_t i, bool query, uint32_t of)
{
	for (; i < d->n_names; i++) {
		const struct dist_name *n = &d->name[d->by_rank[i]];

		if (n->query != query || n->of != of)
			break;
	}
	return i;
}

/* Names of a run, or queries of a scan, and their places in frames. */
static int
collect(const struct dists *d, struct dist *f, uint32_t run, uint32_t scan,
	uint32_t *place, struct err *e)
{
	size_t q = names_from(d, true, scan), s = names_from(d, false, run);
	size_t q_end = f->rect ? names_upto(d, q, true, scan) : q;
	size_t s_end = names_upto(d, s, false, run);

	f->query = malloc((q_end - q + 1) * sizeof *f->query);
	f->name = malloc((s_end - s + 1) * sizeof *f->name);
	if (!f->query || !f->name)
		return err_nomem(e, d->n_names * sizeof *f->name);
	for (; q < q_end; q++) {
		const struct dist_name *k = &d->name[d->by_rank[q]];

		place[d->by_rank[q]] = (uint32_t)f->n_queries;
		f->query[f->n_queries++] = (struct query_ref) {
			k->ordinal, k->len, dists_str(d, k->at, k->n) };
	}
	for (; s < s_end; s++) {
		const struct dist_name *k = &d->name[d->by_rank[s]];

		place[d->by_rank[s]] = (uint32_t)f->n_names;
		f->name[f->n_names++] = (struct subject_ref) {
			k->ordinal, k->len, dists_str(d, k->at, k->n) };
	}
	return 0;
}

/* Pairs [i, k) as frames; rows before RESULT_SPLIT bytes make one. */
static int
put_frames(const struct dists *d, struct dist *f, size_t i, size_t k,
	   const uint32_t *place,
	   int (*put)(void *ctx, struct rec_frame *f, struct err *e),
	   void *ctx, struct err *e)
{
	const size_t most = RESULT_SPLIT / (f->weighted ? 48 : 16);
	const struct dist_pair *p = dists_pairs(d, &(size_t){ 0 });
	int r = 0;

	do {
		struct rec_frame *out;

		for (f->n_rows = 0; i < k && f->n_rows < most; i++) {
			struct dist_row row = dists_values(d, &p[i]);

			row.a = place[p[i].a];
			row.b = place[p[i].b];
			f->row[f->n_rows++] = row;
		}
		f->receipt.last = i == k;
		r = dist_encode(&out, f, e);
		if (r == 0)
			r = put(ctx, out, e);
		f->receipt.number++;
	} while (i < k && r == 0);
	return r;
}

/* The first pair that is not before those of the set: by run, then scan. */
static size_t
pairs_from(const struct dists *d, uint32_t set)
{
	const struct dist_pair key = { .set = set }, *p;
	size_t lo = 0, hi;

	p = dists_pairs(d, &hi);
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (cmp_set(d, p + mid, &key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The number of the run's and scan's set, or SIZE_MAX. */
static size_t
set_of(const struct dists *d, uint64_t run, const struct scan_key *scan)
{
	size_t r = index_number(&d->runs.by_id, run, 0);
	size_t s = index_number(&d->scans.by_id, scan->id, scan->rule);

	return r && s ? index_number(&d->sets, r - 1, s - 1) - 1 : SIZE_MAX;
}

int
dists_frames(const struct dists *d, const struct run_key *run,
	     const struct receipt *t,
	     int (*put)(void *ctx, struct rec_frame *f, struct err *e),
	     void *ctx, struct err *e)
{
	struct dist f = { .run = *run, .receipt = *t };
	size_t n, i, k, at = set_of(d, run->id, &t->scan);
	const struct dist_pair *p = dists_pairs(d, &n);
	const struct dist_set *s;
	uint32_t *place;
	int r;

	if (at == SIZE_MAX)
		return 0;
	s = &d->set[at];
	f.metric = dists_str(d, s->at, s->n);
	f.weighted = s->weighted;
	f.rect = s->rect;
	i = pairs_from(d, (uint32_t)at);
	for (k = i; k < n && p[k].set == at; k++)
		;
	place = malloc((d->n_names + 1) * sizeof *place);
	f.row = malloc((k - i + 1) * sizeof *f.row);
	r = place && f.row ? collect(d, &f, s->run, s->scan, place, e) :
			     err_nomem(e, (k - i) * sizeof *f.row);
	if (r == 0)
		r = put_frames(d, &f, i, k, place, put, ctx, e);
	f.receipt.range = NULL;	/* the caller's */
	dist_free(&f);
	free(place);
	return r;
}
