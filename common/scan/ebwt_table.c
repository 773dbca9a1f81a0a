/* SPDX-License-Identifier: MIT */
/* ebwt_table.c - all distances of a run as DIST frames */
#include <stdlib.h>

#include "scan/ebwt_table.h"
#include "stream/dists.h"

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

/* What frames are made for: written, or cut first (-n). */
struct sink_of {
	whole_put_fn *put;
	void *ctx;
	struct dists *dists;
};

static int
put_encoded(void *ctx, struct rec_frame *f, struct err *e)
{
	struct sink_of *to = ctx;
	struct buf b = { 0 };
	int rc = rec_encode(&b, f, e);

	if (!rc)
		rc = to->put(to->ctx, &b, e);
	buf_free(&b);
	rec_frame_drop(f);
	return rc;
}

static int
put_rows(struct sink_of *to, struct dist *d, struct err *e)
{
	struct rec_frame *f;
	int rc;

	rc = to->dists ? dists_add(to->dists, d, e) : dist_encode(&f, d, e);
	if (!rc && !to->dists)
		rc = put_encoded(to, f, e);
	d->receipt.number++;
	d->n_rows = 0;
	return rc;
}

static int
put_pairs(const struct ebwt_table *t, struct dist *d, size_t most,
	  struct sink_of *to, struct err *e)
{
	size_t rows = t->n_a ? t->n_a : t->n;
	int rc = 0;

	for (size_t a = 0; a < rows && !rc; a++)
		for (size_t b = ebwt_row_first(t, a); b < t->n && !rc; b++) {
			if (d->n_rows == most)
				rc = put_rows(to, d, e);
			d->row[d->n_rows++] = row_at(t, a, b);
		}
	d->receipt.last = true;
	return rc ? rc : put_rows(to, d, e);
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

/* The n nearest of each, in either direction, as frames. */
static int
put_nearest(const struct ebwt_table *t, const struct dist *d,
	    struct sink_of *to, struct err *e)
{
	struct dists_params p = { .n = (uint64_t)t->s->o.n, .by_run = true };
	int rc = dists_finish(to->dists, &p, e);

	return rc ? rc : dists_frames(to->dists, &d->run, &d->receipt,
				      put_encoded, to, e);
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
	struct sink_of to = { put, ctx, NULL };
	size_t most = RESULT_SPLIT / (t->weighted ? 48 : 16);
	int rc = names_of(t, &d, e);

	d.row = malloc((t->n_pairs < most ? t->n_pairs + 1 : most) *
		       sizeof *d.row);
	if (!rc && !d.row)
		rc = err_nomem(e, most * sizeof *d.row);
	if (!rc && t->s->o.n)
		rc = dists_new(&to.dists, e);
	if (!rc)
		rc = put_pairs(t, &d, most, &to, e);
	d.receipt.number = 0;
	if (!rc && to.dists)
		rc = put_nearest(t, &d, &to, e);
	d.receipt.range = NULL;	/* the run's */
	dists_free(to.dists);
	dist_free(&d);
	return rc;
}

/* What rows take until they are written as text, and until they are cut. */
static uint64_t
kept_bytes(const struct ebwt_table *t)
{
	uint64_t row = t->weighted ? 64 : 24;
	uint64_t times = t->s->o.keeps + (t->s->o.n ? 3 : 0);

	return t->n_pairs < UINT64_MAX / 1024 ? t->n_pairs * row * times :
						UINT64_MAX / 4;
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
	n_bytes += kept_bytes(&t);
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
