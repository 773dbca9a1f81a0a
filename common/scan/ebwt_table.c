/* SPDX-License-Identifier: MIT */
/* ebwt_table.c - all distances of a run as DIST frames */
#include <math.h>
#include <stdlib.h>

#include "base/minmax.h"
#include "scan/ebwt_table.h"

static void
table_free(struct ebwt_table *t)
{
	ebwt_pairs_delete(t->pairs);
	for (size_t i = 0; t->words && i < t->n; i++)
		ebwt_words_free(&t->words[i]);
	free(t->words);
	free(t->stat);
	free(t->value);
}

/* --memory is a bound that is kept; without it, this is what is taken. */
static int
machine_fits(const struct ebwt_scan *s, uint64_t n_bytes,
	     struct ebwt_need need, struct err *e)
{
	char most[48];

	if (s->o.memory || need.most + n_bytes <= ebwt_memory(s))
		return 0;
	return err_set(e, ERR_LIMIT, "rotations and pairs take %.3g MB: more "
		       "than %s; --memory SIZE takes less, %.3g MB at least",
		       1e-6 * (double)(need.most + n_bytes),
		       ebwt_limit(s, most, sizeof most),
		       1e-6 * (double)(need.least + n_bytes));
}

/* Words of plain sequences, together. */
static int
plain(struct ebwt_table *t, uint64_t n_bytes, struct err *e)
{
	struct ebwt_pairs_job job = { t->n_a, t->s->o.metric == EBWT_DE };
	struct ebwt_word *word = malloc((t->n + 1) * sizeof *word);
	struct ebwt_params par;
	struct ebwt *x = NULL;
	int rc = ebwt_params_of(t->s, n_bytes, &par, e);

	if (!word)
		rc = err_nomem(e, t->n * sizeof *word);
	for (size_t i = 0; i < t->n && !rc; i++)
		word[i] = (struct ebwt_word){ ebwt_seq_of(t, i)->letters,
					      ebwt_seq_of(t, i)->n };
	if (!rc)
		rc = ebwt_new(&x, word, t->n, &par, e);
	free(word);
	if (rc)
		return rc;
	ebwt_tell_need(t->s, n_bytes, x, &job);
	rc = machine_fits(t->s, n_bytes, ebwt_need(x, &job), e);
	if (!rc)
		rc = ebwt_pairs_new(&t->pairs, x, &job, e);
	ebwt_delete(x);
	return rc;
}

static struct dist_row
row_at(const struct ebwt_table *t, size_t a, size_t b)
{
	/* b counts the run's sequences */
	struct dist_row r = { .a = a, .b = b - t->n_a };
	const struct ebwt_stat *x;
	uint64_t k;

	if (t->pairs) {
		r.value = ebwt_distance(t->pairs, t->s->o.metric, a, b);
		return r;
	}
	k = ebwt_row_begins(t, a) + (b - ebwt_row_first(t, a));
	if (t->value) {
		r.value = t->value[k];
		return r;
	}
	x = &t->stat[k];
	r.value = x->mean;
	if (t->weighted) {
		r.weighted_mean = x->weighted_mean;
		r.min = x->min;
		r.max = x->max;
		r.pairs = x->pairs;
		r.log2_pairs = x->log2_pairs;
	}
	return r;
}

/* What frames are made for, and of. */
struct sink_of {
	whole_put_fn *put;
	void *ctx;
	struct dist *d;
	size_t most;		/* rows of a frame */
};

static int
put_frame(struct sink_of *to, struct err *e)
{
	struct buf b = { 0 };
	struct rec_frame *f;
	int rc = dist_encode(&f, to->d, e);

	if (!rc) {
		rc = rec_encode(&b, f, e);
		rec_frame_drop(f);
	}
	if (!rc)
		rc = to->put(to->ctx, &b, e);
	buf_free(&b);
	to->d->receipt.number++;
	to->d->n_rows = 0;
	return rc;
}

static int
put_pair(const struct ebwt_table *t, struct sink_of *to, size_t a, size_t b,
	 struct err *e)
{
	int rc = to->d->n_rows == to->most ? put_frame(to, e) : 0;

	to->d->row[to->d->n_rows++] = row_at(t, a, b);
	return rc;
}

static size_t
n_rows(const struct ebwt_table *t)
{
	return t->n_a ? t->n_a : t->n;
}

static int
put_pairs(const struct ebwt_table *t, struct sink_of *to, struct err *e)
{
	int rc = 0;

	for (size_t a = 0; a < n_rows(t) && !rc; a++)
		for (size_t b = ebwt_row_first(t, a); b < t->n && !rc; b++)
			rc = put_pair(t, to, a, b, e);
	return rc;
}

/* -n: the nearest of each, as a heap, the farthest first. */
struct near {
	double value;
	size_t to;
};
struct nearest {
	struct near *v;		/* `most` of each */
	size_t *n;
	size_t most;
};

/* How many of each there are at most. */
static uint64_t
most_near(const struct ebwt_table *t)
{
	uint64_t others = t->n - (t->n_a ? t->n_a : 1);

	return min_u64((uint64_t)t->s->o.n, others);
}

static bool
farther(const struct near *x, const struct near *y)
{
	return x->value > y->value || (x->value == y->value && x->to > y->to);
}

static void
sift_down(struct near *v, size_t n, struct near x)
{
	size_t i = 0, k;

	for (; (k = 2 * i + 1) < n; i = k) {
		if (k + 1 < n && farther(&v[k + 1], &v[k]))
			k++;
		if (!farther(&v[k], &x))
			break;
		v[i] = v[k];
	}
	v[i] = x;
}

static void
offer(struct nearest *h, size_t a, size_t b, double value)
{
	struct near *v = h->v + a * h->most, x = { value, b };
	size_t i = h->n[a];

	if (i == h->most) {
		if (farther(&v[0], &x))
			sift_down(v, i, x);
		return;
	}
	for (h->n[a]++; i && farther(&x, &v[(i - 1) / 2]); i = (i - 1) / 2)
		v[i] = v[(i - 1) / 2];
	v[i] = x;
}

static int
nearest_new(struct nearest *h, const struct ebwt_table *t, struct err *e)
{
	size_t rows = n_rows(t);

	h->most = (size_t)most_near(t);
	if (rows && h->most > SIZE_MAX / sizeof *h->v / rows)
		return err_nomem(e, SIZE_MAX);
	h->n = calloc(rows + 1, sizeof *h->n);
	h->v = malloc((rows * h->most + 1) * sizeof *h->v);
	return h->n && h->v ? 0 : err_nomem(e, rows * h->most * sizeof *h->v);
}

static void
find_nearest(struct nearest *h, const struct ebwt_table *t)
{
	for (size_t a = 0; a < n_rows(t) && h->most; a++)
		for (size_t b = ebwt_row_first(t, a); b < t->n; b++) {
			struct dist_row r = row_at(t, a, b);

			/* without a number there is no place among them */
			if (t->weighted && !r.pairs)
				continue;
			offer(h, a, b, r.value);
			if (!t->n_a)
				offer(h, b, a, r.value);
		}
}

struct two {
	uint32_t a, b;
};

static int
by_two(const void *x, const void *y)
{
	const struct two *p = x, *q = y;

	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	return p->b < q->b ? -1 : p->b > q->b;
}

/* The pairs that are near to either of them, each once, by a and b; they
 * stand where the heaps were. */
static size_t
near_pairs(struct nearest *h, const struct ebwt_table *t)
{
	struct two *v = (struct two *)(void *)h->v;
	size_t n = 0, to = 0;

	for (size_t a = 0; a < n_rows(t); a++)
		for (size_t i = 0; i < h->n[a]; i++) {
			size_t b = h->v[a * h->most + i].to;
			bool turn = !t->n_a && b < a;

			v[n++] = (struct two){ (uint32_t)(turn ? b : a),
					       (uint32_t)(turn ? a : b) };
		}
	if (n)
		qsort(v, n, sizeof *v, by_two);
	for (size_t i = 0; i < n; i++)
		if (!i || by_two(&v[i], &v[i - 1]) != 0)
			v[to++] = v[i];
	return to;
}

static int
names_of(const struct ebwt_table *t, struct dist *d, struct err *e)
{
	d->query = malloc((t->n_a + 1) * sizeof *d->query);
	d->name = malloc((t->n - t->n_a + 1) * sizeof *d->name);
	if (!d->query || !d->name)
		return err_nomem(e, t->n * sizeof *d->name);
	for (size_t i = 0; i < t->n; i++) {
		const struct ebwt_seq *q = ebwt_seq_of(t, i);

		if (i < t->n_a)
			d->query[d->n_queries++] = (struct query_ref){
				q->ordinal, q->n, q->name };
		else
			d->name[d->n_names++] = (struct subject_ref){
				q->ordinal, q->n, q->name };
	}
	return 0;
}

/* The n nearest of each, in either direction. */
static int
put_nearest(const struct ebwt_table *t, struct sink_of *to, struct err *e)
{
	struct nearest h = { 0 };
	int rc = nearest_new(&h, t, e);
	size_t n = 0;

	if (!rc) {
		find_nearest(&h, t);
		n = near_pairs(&h, t);
	}
	for (size_t i = 0; i < n && !rc; i++) {
		struct two p = ((const struct two *)(const void *)h.v)[i];

		rc = put_pair(t, to, p.a, p.b, e);
	}
	free(h.v);
	free(h.n);
	return rc;
}

static int
put_table(const struct ebwt_table *t, whole_put_fn *put, void *ctx,
	  struct err *e)
{
	static const char *const metrics[] = { "delta", "norm", "dm", "de" };
	const char *metric = metrics[t->s->o.metric];
	const struct whole_run *u = t->r->run;
	struct dist d = {
		.run = u->key, .metric = { metric, strlen(metric) },
		.receipt = { .scan = t->s->key, .range = u->range,
			     .n_ranges = u->n, .unmerged = true },
		.weighted = t->weighted, .rect = t->n_a,
	};
	struct sink_of to = { put, ctx, &d, 0 };
	int rc = names_of(t, &d, e);

	to.most = min_u64(RESULT_SPLIT / (t->weighted ? 48 : 16),
			  t->n_pairs + 1);
	d.row = malloc(to.most * sizeof *d.row);
	if (!rc && !d.row)
		rc = err_nomem(e, to.most * sizeof *d.row);
	if (!rc)
		rc = t->s->o.n ? put_nearest(t, &to, e) :
				 put_pairs(t, &to, e);
	d.receipt.last = true;
	if (!rc)
		rc = put_frame(&to, e);
	d.receipt.range = NULL;	/* the run's */
	dist_free(&d);
	return rc;
}

/*
 * What rows take until they are written as text, with room to grow, and the
 * nearest of each until they are cut; n as -n.
 */
static uint64_t
kept_bytes(const struct ebwt_table *t, uint64_t n)
{
	uint64_t of_each = min_u64(n, t->n - min_u64(t->n, t->n_a ? t->n_a :
							   1));
	uint64_t rows = n && t->n_pairs / n > n_rows(t) ? n_rows(t) * of_each :
							  t->n_pairs;
	uint64_t bytes = (t->weighted ? 64 : 24) * t->s->o.keeps *
			 (n ? 4 : 1);

	if (rows > UINT64_MAX / 1024)
		return UINT64_MAX / 4;
	return rows * bytes + (n ? n_rows(t) * (8 + 16 * of_each) : 0);
}

/* All that is held at once, at least. */
static uint64_t
least_bytes(const struct ebwt_table *t, uint64_t n_bytes, uint64_t n)
{
	uint64_t pair = t->weighted ? sizeof *t->stat :
			t->s->o.metric == EBWT_DE ? 12 : 4;

	return t->n_pairs > UINT64_MAX / 1024 ? UINT64_MAX / 2 :
	       n_bytes + kept_bytes(t, n) + t->n_pairs * pair;
}

/* So many sequences would fit, by their pairs. */
static uint64_t
fitting(const struct ebwt_table *t, uint64_t room, uint64_t bytes)
{
	double part = (double)room / (double)bytes;

	return (uint64_t)((double)(t->n - t->n_a) *
			  (t->n_a ? part : sqrt(part)));
}

/* Refused before it starts: what --memory, or the machine, has no room for. */
static int
fits(const struct ebwt_table *t, uint64_t n_bytes, struct err *e)
{
	uint64_t n = (uint64_t)t->s->o.n, have = ebwt_memory(t->s);
	uint64_t need = least_bytes(t, n_bytes, n);
	uint64_t near = least_bytes(t, n_bytes, 1);
	struct buf cure = { 0 };
	char most[48];

	if (need <= have)
		return 0;
	if (!n && near < need && near <= have)
		buf_printf(&cure, "-n 1, the nearest of each, takes %.3g MB",
			   1e-6 * (double)near);
	else
		buf_printf(&cure, "some %llu sequences would fit",
			   (unsigned long long)fitting(t, have, near));
	buf_u8(&cure, 0);
	err_set(e, ERR_LIMIT, "%llu pairs of sequences take %.3g MB at least: "
		"more than %s; %s", (unsigned long long)t->n_pairs,
		1e-6 * (double)need, ebwt_limit(t->s, most, sizeof most),
		cure.bad ? "" : (char *)cure.p);
	buf_free(&cure);
	return ERR_LIMIT;
}

int
ebwt_dists(const struct ebwt_scan *s, const struct ebwt_run *r,
	   uint64_t n_bytes, whole_put_fn *put, void *put_ctx, struct err *e)
{
	struct ebwt_table t = { .s = s, .r = r, .n_a = s->q->n,
			   .n = s->q->n + r->n };
	int rc = 0;

	for (size_t i = 0; i < t.n; i++)
		t.weighted |= ebwt_seq_of(&t, i)->prob;
	if (t.n > UINT32_MAX)
		return err_set(e, ERR_LIMIT, "more than 2^32 sequences");
	t.n_pairs = t.n_a ? t.n_a * (uint64_t)r->n :
			    t.n * (uint64_t)(t.n - (t.n > 0)) / 2;
	rc = fits(&t, n_bytes, e);
	n_bytes += kept_bytes(&t, (uint64_t)s->o.n);
	if (rc)
		return rc;
	if (t.n_pairs && (t.weighted || s->o.paper))
		rc = ebwt_by_words(&t, n_bytes, e);
	else if (t.n_pairs)
		rc = ebwt_walks(&t, n_bytes) ? ebwt_by_walks(&t, n_bytes, e) :
					       plain(&t, n_bytes, e);
	if (!rc)
		rc = put_table(&t, put, put_ctx, e);
	table_free(&t);
	return rc;
}
