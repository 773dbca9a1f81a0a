/* SPDX-License-Identifier: MIT */
/*
 * dists.c - distances of many DIST frames: taking them, their order, the
 * nearest
 */

#include <stdlib.h>

#include "base/base.h"
#include "collect/collect.h"

/* Distances of many DIST frames: taking them. */

int
dists_new(struct dists **d, struct err *e)
{
	*d = calloc(1, sizeof **d);
	return *d ? 0 : err_nomem(e, sizeof **d);
}

void
dists_free(struct dists *d)
{
	if (!d)
		return;
	keys_free(&d->runs);
	keys_free(&d->scans);
	buf_free(&d->text);
	buf_free(&d->pairs);
	buf_free(&d->more);
	free(d->name);
	free(d->slot);
	free(d->set);
	index_free(&d->sets);
	free(d->by_rank);
	free(d);
}

bool
dists_any(const struct dists *d)
{
	return d->n_sets != 0;
}

bool
dists_weighted(const struct dists *d)
{
	for (size_t i = 0; i < d->n_sets; i++)
		if (!d->set[i].weighted)
			return false;
	return d->n_sets;
}

static size_t
find(const struct dists *d, const struct dist_name *k)
{
	uint64_t key[2] = { (uint64_t)k->of << 1 | k->query, k->ordinal };
	size_t i = hash64(key, sizeof key, 0) & (d->n_slots - 1);

	for (; d->slot[i]; i = (i + 1) & (d->n_slots - 1)) {
		const struct dist_name *t = &d->name[d->slot[i] - 1];

		if (t->of == k->of && t->query == k->query &&
		    t->ordinal == k->ordinal)
			break;
	}
	return i;
}

static int
grow(struct dists *d, struct err *e)
{
	int r;

	if (d->n_names > UINT32_MAX / 2)
		return err_set(e, ERR_LIMIT, "distances: more than 2^31 "
			       "sequences");
	r = array_room(&d->name, &d->cap_names, d->n_names + 1,
		       sizeof *d->name, e);
	if (r || d->n_names < d->n_slots / 2)
		return r;
	r = slots_double(&d->slot, &d->n_slots, sizeof *d->slot, e);
	for (size_t i = 0; i < d->n_names && r == 0; i++)
		d->slot[find(d, &d->name[i])] = i + 1;
	return r;
}

static int
disagree(struct err *e)
{
	return err_set(e, ERR_FORMAT, "distances: frames of one scan disagree "
		       "about what a sequence, or the distance, is");
}

/* Index of the name, added if it is new. */
static int
add_name(struct dists *d, struct dist_name k, struct str name, uint32_t *at,
	 struct err *e)
{
	struct dist_name *old;
	int r = grow(d, e);
	size_t i;

	if (r < 0)
		return r;
	i = find(d, &k);
	if (!d->slot[i]) {
		k.at = d->text.n;
		k.n = name.n;
		buf_put(&d->text, name.p, name.n);
		if (d->text.bad)
			return err_nomem(e, name.n);
		d->name[d->n_names++] = k;
		d->slot[i] = d->n_names;
	}
	*at = (uint32_t)(d->slot[i] - 1);
	old = &d->name[*at];
	if (old->len == LEN_UNKNOWN)
		old->len = k.len;
	if (old->n != name.n ||
	    (name.n && memcmp(d->text.p + old->at, name.p, name.n) != 0) ||
	    (k.len != LEN_UNKNOWN && k.len != old->len))
		return disagree(e);
	return 0;
}

static int
add_set(struct dists *d, struct dist_set k, struct str metric, uint32_t *at,
	struct err *e)
{
	struct dist_set *v;
	size_t i = index_number(&d->sets, k.run, k.scan);
	int r;

	if (i == 0) {
		i = d->n_sets + 1;
		r = array_room(&d->set, &d->cap_sets, i, sizeof *v, e);
		if (r < 0)
			return r;
		v = d->set;
		k.at = d->text.n;
		k.n = metric.n;
		buf_put(&d->text, metric.p, metric.n);
		if (d->text.bad)
			return err_nomem(e, metric.n);
		if (!index_set_number(&d->sets, k.run, k.scan, i))
			return err_nomem(e, sizeof k);
		v[d->n_sets++] = k;
	}
	*at = (uint32_t)(i - 1);
	v = &d->set[i - 1];
	if (v->weighted != k.weighted || v->rect != k.rect ||
	    v->n != metric.n || (metric.n && memcmp(d->text.p + v->at,
						    metric.p, metric.n) != 0))
		return disagree(e);
	return 0;
}

static int
add_row(struct dists *d, const struct dist *f, const struct dist_row *r,
	uint32_t set, const uint32_t *query, const uint32_t *name,
	struct err *e)
{
	struct dist_more m = { r->weighted_mean + 0.0, r->min + 0.0,
			       r->max + 0.0, r->log2_pairs, r->pairs };
	/* + 0.0: no two zeros */
	struct dist_pair p = { r->value + 0.0, set,
			       f->rect ? query[r->a] : name[r->a], name[r->b],
			       0 };

	if (f->weighted) {
		size_t n = d->more.n / sizeof m;

		if (n >= UINT32_MAX)
			return err_set(e, ERR_LIMIT, "distances: more than "
				       "2^32 weighted pairs");
		p.more = (uint32_t)n;
		buf_put(&d->more, &m, sizeof m);
	}
	buf_put(&d->pairs, &p, sizeof p);
	return d->pairs.bad || d->more.bad ? err_nomem(e, d->pairs.n) : 0;
}

static int
add_names(struct dists *d, const struct dist *f, uint32_t run, uint32_t scan,
	  uint32_t *query, uint32_t *name, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < f->n_queries && r == 0; i++) {
		const struct query_ref *q = &f->query[i];
		struct dist_name k = { .query = true, .of = scan,
				       .ordinal = q->ordinal, .len = q->len };

		r = add_name(d, k, q->name, &query[i], e);
	}
	for (size_t i = 0; i < f->n_names && r == 0; i++) {
		const struct subject_ref *s = &f->name[i];
		struct dist_name k = { .of = run, .ordinal = s->ordinal,
				       .len = s->len };

		r = add_name(d, k, s->name, &name[i], e);
	}
	return r;
}

int
dists_add(struct dists *d, const struct dist *f, struct err *e)
{
	long run = keys_run(&d->runs, &f->run, e);
	long scan = keys_scan(&d->scans, &f->receipt.scan, e);
	struct dist_set k = { .run = (uint32_t)run, .scan = (uint32_t)scan,
			      .weighted = f->weighted, .rect = f->rect };
	uint32_t *at, *name, set = 0;
	int r;

	if (run < 0 || scan < 0)
		return e->code;
	at = malloc((f->n_queries + f->n_names + 1) * sizeof *at);
	if (!at)
		return err_nomem(e, f->n_names * sizeof *at);
	name = at + f->n_queries;
	r = add_set(d, k, f->metric, &set, e);
	if (r == 0)
		r = add_names(d, f, k.run, k.scan, at, name, e);
	for (size_t i = 0; i < f->n_rows && r == 0; i++)
		r = add_row(d, f, &f->row[i], set, at, name, e);
	free(at);
	return r;
}

struct dist_row
dists_values(const struct dists *d, const struct dist_pair *p)
{
	struct dist_row r = { .value = p->value };

	if (d->set[p->set].weighted) {
		struct dist_more m;

		memcpy(&m, d->more.p + p->more * sizeof m, sizeof m);
		r.weighted_mean = m.weighted_mean;
		r.min = m.min;
		r.max = m.max;
		r.pairs = m.pairs;
		r.log2_pairs = m.log2_pairs;
	}
	return r;
}

/* Distances in order, the nearest, and frames of them. */

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
	sort_with(d->by_rank, d->n_names, sizeof *d->by_rank, cmp_name, d);
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
	size_t n, i = 1;
	struct dist_pair *p = dists_pairs(d, &n);

	/* as one frame has them, and often all do */
	while (i < n && cmp(&p[i - 1], &p[i], d) <= 0)
		i++;
	if (i < n)
		sort_with(p, n, sizeof *p, cmp, d);
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

/* Groups of sequences, which ordinals say: of one name in one run only. */
static int
groups_meet(const struct dists *d, struct err *e)
{
	struct index seen = { 0 };
	int rc = 0;

	for (size_t i = 0; i < d->n_names && !rc; i++) {
		const struct dist_name *k = &d->name[i];
		struct str s = dists_str(d, k->at, k->n);
		uint64_t a = hash64(s.p, s.n, 0), b = hash64(s.p, s.n, 1), of;

		if (k->query || !(k->ordinal >> 63))
			continue;
		of = index_number(&seen, a, b);
		if (of && of != k->of + 1ull)
			rc = err_set(e, ERR_FORMAT, "%.*s: a group in two "
				     "runs, which are compared apart: cut all "
				     "files by one fasta-chunk",
				     str_shown(s, 99), s.p);
		else if (!index_set_number(&seen, a, b, k->of + 1))
			rc = err_nomem(e, d->n_names * sizeof a);
	}
	index_free(&seen);
	return rc;
}

/* Names, queries first, then pairs, by rank; equal pairs become one. */
static int
dists_sort(struct dists *d, struct err *e)
{
	int r = keys_rank(&d->runs, e);

	if (r == 0)
		r = keys_rank(&d->scans, e);
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

/* -n, after dists_sort(). */
static int
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

int
dists_finish(struct dists *d, const struct dists_params *p, struct err *e)
{
	int r;

	d->p = *p;
	r = dists_sort(d, e);
	if (r == 0)
		r = groups_meet(d, e);
	return r == 0 && p->n ? dists_cut(d, e) : r;
}

int
dists_rows(const struct dists *d,
	   int (*row)(void *ctx, const struct dist_text *r, struct err *e),
	   void *ctx, struct err *e)
{
	size_t n;
	const struct dist_pair *p = dists_pairs(d, &n);
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		const struct dist_set *s = &d->set[p[i].set];
		const struct dist_name *a = &d->name[p[i].a];
		const struct dist_name *b = &d->name[p[i].b];
		struct dist_text t = {
			d->runs.v[s->run].run.id, dists_str(d, a->at, a->n),
			dists_str(d, b->at, b->n), dists_str(d, s->at, s->n),
			a->len, b->len, s->weighted, dists_values(d, &p[i]),
		};

		r = row(ctx, &t, e);
		if (d->p.progress && i % 65536 == 65535)
			d->p.progress(i + 1, n);
	}
	return r;
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
