/* SPDX-License-Identifier: MIT */
/* dists.c - distances of many DIST frames: taking them */
#include "stream/dists.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "stream/dists_priv.h"

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

int
dists_finish(struct dists *d, const struct dists_params *p, struct err *e)
{
	int r;

	d->p = *p;
	r = dists_sort(d, e);
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
	}
	return r;
}
