/* SPDX-License-Identifier: MIT */
/* sw_scan_team.c - the threads of a scan, and the chunks that they share */

#include <stdlib.h>

#include "base/base.h"
#include "collect/collect.h"
#include "flow/flow.h"
#include "letters/letters.h"
#include "scan/sw/sw_gpu.h"
#include "scan/sw/sw_scan_priv.h"

/*
 * The best rows of each query, over a whole stream
 *
 * Rows go to a topk (topk.h), whose order and classes are those of merge-topk:
 * so what is kept here is what it would keep.  Beside it stand the K best
 * scores of each query, as a heap, whose least is the bound that later chunks
 * need not go below.  Only rows that are reported once count there: of a class,
 * the one from the chunk that owns its start.  So the bound is never above the
 * score of the last of the K best, of which there are K different ones as good.
 */

enum { ROW_MEMORY = 16 << 20 };

struct scores {		/* the largest ones, the least of them first */
	int64_t *v;
	size_t n, cap;
};

struct sw_kept {
	const struct sw_scan *s;
	struct whole whole;
	struct topk *topk;
	struct scores *scores;	/* of each query */
	int64_t *least;		/* of each query, in units; shared by threads */
	struct sorter *sorter;	/* of sw_kept_finish() */
	const struct whole_row *next;
	bool taken;
	struct buf bytes, row, ops;
};

int
sw_kept_new(struct sw_kept **out, const struct sw_scan *s, struct err *e)
{
	struct sw_kept *k = calloc(1, sizeof *k);
	struct topk_params best = { .n = (uint64_t)s->o.n };
	struct sorter_ops ops = { .cmp = whole_cmp };
	size_t n = s->q->n;
	int rc;

	*out = NULL;
	if (!k)
		return err_nomem(e, sizeof *k);
	k->s = s;
	k->scores = calloc(n, sizeof *k->scores);
	k->least = malloc(n * sizeof *k->least);
	rc = k->scores && k->least ? topk_new(&k->topk, &best, e) :
	     err_nomem(e, n * (sizeof *k->scores + sizeof *k->least));
	if (!rc)
		rc = sorter_new(&k->sorter, &ops, ROW_MEMORY, e);
	if (rc) {
		sw_kept_free(k);
		return rc;
	}
	for (size_t i = 0; i < n; i++)
		k->least[i] = s->o.min_score / s->unit +
			      (s->o.min_score % s->unit != 0);
	*out = k;
	return 0;
}

void
sw_kept_free(struct sw_kept *k)
{
	if (!k)
		return;
	whole_free(&k->whole);
	if (k->topk)
		topk_free(k->topk);
	for (size_t i = 0; k->scores && i < k->s->q->n; i++)
		free(k->scores[i].v);
	free(k->scores);
	free(k->least);
	sorter_free(k->sorter);
	buf_free(&k->bytes);
	buf_free(&k->row);
	buf_free(&k->ops);
	free(k);
}

/* No row of the query with a lower score, in units of the scan's, can be among
 * the best.  It rises, by atomic stores: any thread may load it, at any time.
 */
static const int64_t *
sw_kept_least(const struct sw_kept *k, uint32_t query)
{
	return &k->least[query];
}

/* To a score, in such units, that as many rows as are wanted will have; by any
 * thread. */
static void
sw_kept_raise(const struct sw_kept *k, uint32_t query, int64_t score)
{
	int64_t was = __atomic_load_n(&k->least[query], __ATOMIC_RELAXED);

	while (was < score &&
	       !__atomic_compare_exchange_n(&k->least[query], &was, score,
					    false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		continue;
}

/*
 * A chunk's rows.  fresh: the alignment begins in what the chunk owns, so that
 * no chunk before it can have reported its class.
 */
static void
sw_kept_row(struct buf *rows, bool fresh, const struct hit *h,
	    struct buf *scratch)
{
	scratch->n = 0;
	hit_put(scratch, h);
	rows->bad |= scratch->bad;
	buf_u8(rows, fresh);
	buf_str(rows, scratch->p, scratch->n);
}

/* v[i] is larger than it was: down with it. */
static void
sink_down(struct scores *s, size_t i)
{
	for (size_t c; (c = 2 * i + 1) < s->n; i = c) {
		int64_t x = s->v[i];

		if (c + 1 < s->n && s->v[c + 1] < s->v[c])
			c++;
		if (s->v[c] >= x)
			return;
		s->v[i] = s->v[c];
		s->v[c] = x;
	}
}

static void
rise_up(struct scores *s, size_t i)
{
	for (size_t up; i > 0; i = up) {
		int64_t x = s->v[i];

		up = (i - 1) / 2;
		if (s->v[up] <= x)
			return;
		s->v[i] = s->v[up];
		s->v[up] = x;
	}
}

static int
count(struct sw_kept *k, uint32_t query, int64_t score, struct err *e)
{
	struct scores *s = &k->scores[query];
	size_t most = (size_t)k->s->o.n;

	if (s->n == s->cap && s->n < most) {
		size_t cap = s->cap * 2 + 4;
		int64_t *v;

		cap = cap < most ? cap : most;
		v = realloc(s->v, cap * sizeof *v);
		if (!v)
			return err_nomem(e, cap * sizeof *v);
		s->v = v;
		s->cap = cap;
	}
	if (s->n < most) {
		s->v[s->n++] = score;
		rise_up(s, s->n - 1);
	} else if (score > s->v[0]) {
		s->v[0] = score;
		sink_down(s, 0);
	}
	if (s->n == most)
		sw_kept_raise(k, query, s->v[0]);
	return 0;
}

static int
keep(struct sw_kept *k, uint32_t run, bool fresh, struct str bytes,
     struct err *e)
{
	struct cur c = cur_of(bytes.p, bytes.n);
	struct hit h;
	uint32_t query;
	int64_t score;
	int rc;

	hit_get(&c, &h, &k->ops);
	if (c.bad || k->ops.bad)
		return err_nomem(e, bytes.n);
	query = (uint32_t)h.query.ordinal;
	score = h.score / k->s->unit;
	if (score < __atomic_load_n(&k->least[query], __ATOMIC_RELAXED))
		return 0;
	rc = topk_add(k->topk, &k->whole.run[run].key, &k->s->key, &h, e);
	return rc || !fresh ? rc : count(k, query, score, e);
}

int
sw_kept_add(struct sw_kept *k, const struct rec_frame *f,
	    const struct buf *rows, struct err *e)
{
	struct cur c = cur_of(rows->p, rows->n);
	uint32_t run = 0;
	bool again = false;
	int rc = whole_cover(&k->whole, f, &run, &again, e);

	while (!rc && !again && cur_left(&c)) {
		bool fresh = cur_le(&c, 1);

		rc = keep(k, run, fresh, cur_str(&c), e);
	}
	return rc;
}

/* The best ones, in the order of a scanner. */
static int
sort(struct sw_kept *k, struct err *e)
{
	const struct run_key *run;
	const struct scan_key *scan;
	struct hit h;
	int got = 0, rc = topk_finish(k->topk, e);

	while (!rc && (got = topk_next(k->topk, &run, &scan, &h, e)) > 0) {
		k->bytes.n = 0;
		hit_put(&k->bytes, &h);
		if (k->bytes.bad)
			return err_nomem(e, k->bytes.n);
		rc = whole_row(&k->row, (uint32_t)whole_find(&k->whole,
							     run->id), &h,
			       (struct str){ (char *)k->bytes.p, k->bytes.n },
			       e);
		if (!rc)
			rc = sorter_add(k->sorter, k->row.p, e);
	}
	if (got < 0)
		rc = got;
	return rc ? rc : sorter_finish(k->sorter, e);
}

static int
next(void *ctx, uint32_t run, struct hit *h, struct err *e)
{
	struct sw_kept *k = ctx;
	const void *row;
	struct cur c;
	int got;

	if (k->taken) {
		got = sorter_next(k->sorter, &row, e);
		if (got < 0)
			return got;
		k->next = got > 0 ? row : NULL;
		k->taken = false;
	}
	if (!k->next || k->next->run != run)
		return 0;
	c = cur_of(k->next + 1, k->next->n);
	hit_get(&c, h, &k->ops);
	if (c.bad || k->ops.bad)
		return err_nomem(e, k->next->n);
	k->taken = true;
	return 1;
}

int
sw_kept_finish(struct sw_kept *k, whole_put_fn *put, void *ctx,
	       struct err *e)
{
	struct whole_ops ops = { next, k, put, ctx };
	int rc = sort(k, e);

	k->taken = true;
	return rc ? rc : whole_finish(&k->whole, &k->s->key, &ops, e);
}

/* What is best in a chunk or a part of one, as rows. */

int
sw_thread_new(struct sw_thread **out, const struct sw_scan *s,
	      const struct sw_kept *k, struct err *e)
{
	struct sw_thread *t = calloc(1, sizeof *t);
	int rc;

	*out = NULL;
	if (!t)
		return err_nomem(e, sizeof *t);
	t->s = s;
	t->kept = k;
	rc = sw_work_new(&t->work, e);
	if (rc) {
		sw_thread_free(t);
		return rc;
	}
	if (s->gpu)
		sw_work_backend(t->work, &s->backend);
	*out = t;
	return 0;
}

void
sw_thread_free(struct sw_thread *t)
{
	if (!t)
		return;
	sw_work_free(t->work);
	sw_hits_free(&t->hits);
	free(t->seg);
	sw_cut_free(&t->own);
	sw_disjoint_free(&t->d);
	buf_free(&t->ops);
	buf_free(&t->letters);
	buf_free(&t->row);
	buf_free(&t->query);
	free(t);
}

/* The segment of a column; the first one begins at 0. */
static size_t
seg_of(const struct sw_columns *l, uint64_t column)
{
	return array_first(l->seg, l->n_seg, sizeof *l->seg,
			   offsetof(struct sw_seg, beg), column + 1) - 1;
}

/* One query on one strand, one part of a chunk. */
struct found {
	struct sw_thread *t;
	const struct sw_cut *c;
	const struct sw_part *part;
	const struct sw_pattern *p;
	struct buf *out;
};

/* t->ops become the row's CIGAR. */
static void
report_path(const struct sw_thread *t, struct hit *h)
{
	struct cigar_sum sum;

	h->cigar = (const uint32_t *)(const void *)t->ops.p;
	h->n_cigar = t->ops.n / sizeof *h->cigar;
	sum = cigar_sum(h->cigar, h->n_cigar);
	h->edits = sum.x + sum.ins + sum.del;
	h->flags |= HIT_CIGAR | HIT_EDITS;
}

/*
 * Does the alignment begin in what the part owns?  Each cell of its class ends
 * behind that, so no part and no chunk before has reported the class.
 */
static bool
fresh(const struct found *f, const struct sw_seg *g, const struct sw_hit *h)
{
	return f->t->s->o.best != SW_READ_ALIGNMENTS ||
	       (h->beg >= g->own && h->beg >= f->part->beg);
}

/* One row, whose path is t->ops. */
static int
put_row(const struct found *f, const struct sw_hit *g, struct err *e)
{
	struct sw_thread *t = f->t;
	const struct sw_columns *l = &f->c->l;
	const struct sw_options *o = &t->s->o;
	const struct query *q = &t->s->q->v[f->p->query];
	size_t i = seg_of(l, g->end - 1);
	const struct window_seg *s = l->place[i].from;
	uint64_t origin = l->place[i].origin - l->seg[i].beg;
	const struct chunk_row *r = s->row;
	struct hit h = {
		.query = { f->p->query, q->letters.n, q->name },
		.subject = { r->ordinal, r->flags & CHUNK_LAST ? r->length :
			     LEN_UNKNOWN, r->name },
		.qbeg = f->p->minus ? q->letters.n - g->qend : g->qbeg,
		.qend = f->p->minus ? q->letters.n - g->qbeg : g->qend,
		.sbeg = origin + g->beg, .send = origin + g->end,
		.score = g->score * t->s->unit,
		.flags = f->p->minus ? HIT_MINUS : 0,
	};
	int rc = 0;

	if (!o->no_cigar)
		report_path(t, &h);
	if (o->with_seq)
		rc = scan_chunk_letters(&f->c->v, &f->c->w, s,
					s->beg + (h.sbeg - s->origin),
					s->beg + (h.send - s->origin),
					&t->letters, &h, e);
	if (rc)
		return rc;
	sw_kept_row(f->out, fresh(f, &l->seg[i], g), &h, &t->row);
	return f->out->bad ? err_nomem(e, f->out->n) : 0;
}

/* What is best in a text that begins at column base. */
struct best {
	const struct found *f;
	const struct sw_text *x;
	uint64_t base;
};

static int
put_best(void *ctx, size_t i, struct err *e)
{
	const struct best *b = ctx;
	struct sw_hit g = b->f->t->hits.v[i];

	g.beg += b->base;
	g.end += b->base;
	return put_row(b->f, &g, e);
}

/* Whoever compares the query with anything need not look for less. */
static int
find_bound(const struct found *f, const struct sw_text *x, struct err *e)
{
	const struct sw_thread *t = f->t;
	int64_t bound = 0;
	int rc;

	if (t->s->o.n > 1 || x->known.tops || !sw_bound_helps(f->p->q, x))
		return 0;
	rc = sw_bound(f->p->q, x, &bound, e);
	if (!rc)
		sw_kept_raise(t->kept, f->p->query, bound);
	return rc;
}

static int
best_rows(const struct found *f, struct err *e)
{
	struct sw_thread *t = f->t;
	const struct sw_options *o = &t->s->o;
	const struct sw_query *q = f->p->q;
	enum sw_kind kind = o->best == SW_READ_CELLS ? SW_CELLS :
						       SW_ALIGNMENTS;
	const int64_t *least = sw_kept_least(t->kept, f->p->query);
	struct sw_text x;
	struct best b = { .f = f, .x = &x };
	size_t n = 0;
	int rc = sw_cut_text(f->c, f->part, sw_context(q), &t->seg,
			     &t->seg_cap, &x, &b.base, e);

	if (rc || !x.n_seg)
		return rc;
	if (f->c->off)
		x.known = f->c->known[f->p - t->s->pattern];
	rc = find_bound(f, &x, e);
	if (rc)
		return rc;
	rc = sw_best(q, &x, kind, (size_t)o->n, least, t->work, &t->hits, e);
	/* chunks before this one were added meanwhile */
	while (!rc && n < t->hits.n && t->hits.v[n].score >=
	       __atomic_load_n(least, __ATOMIC_RELAXED))
		n++;
	t->ops.n = 0;
	if (!o->no_cigar && !rc)
		return sw_trace_each(q, &x, t->hits.v, n, t->s->by.same,
				     t->work, &t->ops, put_best, &b, e);
	for (size_t i = 0; i < n && !rc; i++)
		rc = put_best(&b, i, e);
	return rc;
}

/*
 * The columns of a whole sequence; the query's letters are t->query.
 *	Of cells that score alike the first column comes first, and there the
 * first row: the order of rows, too, but on the minus strand, where rows of one
 * column go by their starts.  So there all of the last column are taken; which
 * of them stay is the keeper's to say.
 */
static int
disjoint_of(const struct found *f, size_t seg, struct err *e)
{
	struct sw_thread *t = f->t;
	const struct sw_columns *l = &f->c->l;
	const struct sw_place *p = &l->place[seg];
	uint64_t beg = l->seg[seg].beg + (p->from->origin - p->origin);
	const int64_t *least = sw_kept_least(t->kept, f->p->query);
	struct sw_hit g, last = { .score = 0 };
	int got = 1, rc;

	t->d.text = l->codes.p + beg;
	t->d.n = p->from->end - p->from->beg;
	if (t->d.n > SW_DISJOINT_CELLS / t->d.m)
		return err_set(e, ERR_LIMIT, "--kind=waterman-eggert: %zu "
			       "letters of query %zu, %zu of the subject: "
			       "their product must be at most %d", t->d.m,
			       (size_t)f->p->query + 1, t->d.n,
			       SW_DISJOINT_CELLS);
	rc = sw_disjoint_begin(&t->d, e);
	for (int64_t k = t->s->o.n; (k > 0 || f->p->minus) && !rc && got > 0;
	     k--) {
		got = sw_disjoint_next(&t->d,
				       __atomic_load_n(least, __ATOMIC_RELAXED),
				       &g, &t->ops, e);
		if (got > 0 && k <= 0 &&
		    (g.score != last.score || g.end != last.end))
			break;
		last = g;
		g.beg += beg;
		g.end += beg;
		rc = got > 0 ? put_row(f, &g, e) : got;
	}
	return rc;
}

static int
disjoint_rows(const struct found *f, struct err *e)
{
	struct sw_thread *t = f->t;
	int rc = 0;

	t->query.n = 0;
	t->d.m = t->s->q->v[f->p->query].letters.n;
	if (!buf_reserve(&t->query, t->d.m))
		return err_nomem(e, t->d.m);
	sw_pattern_codes(t->s, f->p, t->query.p);
	t->d.query = t->query.p;
	t->d.s = &t->s->scoring;
	t->d.meter = t->progress ? &t->progress->meter : NULL;
	t->d.same = t->s->by.same;
	for (size_t i = 0; i < f->c->l.n_seg && !rc; i++)
		if (f->c->l.place[i].from->row->flags & CHUNK_LAST)
			rc = disjoint_of(f, i, e);
	return rc;
}

int
sw_thread_part(struct sw_thread *t, const struct sw_cut *c,
	       const struct sw_part *p, struct crew *crew, struct buf *out,
	       struct err *e)
{
	const struct sw_scan *s = t->s;
	int rc = 0;

	for (size_t i = p->from; i < p->to && !rc; i++) {
		struct found f = { t, c, p, &s->pattern[i], out };

		sw_work_crew(t->work, sw_query_shared(f.p->q) ? crew : NULL,
			     c->leaders);
		rc = s->o.best == SW_READ_DISJOINT ? disjoint_rows(&f, e) :
		     best_rows(&f, e);
	}
	sw_work_crew(t->work, NULL, 0);
	return rc;
}

int
sw_thread_chunk(struct sw_thread *t, const struct rec_frame *f,
		struct rec_frame *const *before, size_t n_before,
		struct buf *out, struct err *e)
{
	struct sw_cut *c = &t->own;
	int rc = sw_cut_open(c, t, f, before, n_before, e);

	if (!rc) {
		sw_cut_begin(c, t->progress);
		rc = sw_thread_part(t, c, &c->part[0], NULL, out, e);
	}
	sw_cut_close(c);
	return rc;
}

/* The threads of a scan, and the chunks that they share. */

/* Patterns of which the scores of a block take as much as its letters. */
enum { PATTERNS = 16 };

struct sw_team {
	const struct sw_scan *s;
	struct pump_gather gather;
	unsigned n, n_cuts;
	struct sw_thread **thread;
	struct sw_cut *cut;	/* one for each job that is open */
	struct crew **crew;	/* of a cut */
	struct pump_pool spare;	/* of cuts */
	struct sw_progress progress;
};

unsigned
sw_team_threads(const struct sw_scan *s, unsigned threads)
{
	struct sw_gpu_sizes z = sw_gpu_sizes(s);

	return threads + z.required;
}

/* Cuts for all that the pump has in flight. */
static int
get_memory(struct sw_team *m, unsigned threads, struct err *e)
{
	struct sw_gpu_sizes z = sw_gpu_sizes(m->s);
	unsigned cuts = threads;
	int rc;

	m->gather.calls = 2 * z.streams;	/* one prepares */
	m->gather.weight = z.columns;
	if (m->gather.calls)
		cuts += PUMP_MOST_GATHERED * (m->gather.calls + 1);
	rc = pump_pool_new(&m->spare, cuts, e);
	m->thread = calloc(threads, sizeof(struct sw_thread *));
	m->cut = calloc(cuts, sizeof *m->cut);
	m->crew = calloc(cuts, sizeof(struct crew *));
	if (!rc && (!m->thread || !m->cut || !m->crew))
		rc = err_nomem(e, cuts * sizeof *m->cut);
	for (; m->n_cuts < cuts && !rc; m->n_cuts += !rc)
		rc = crew_new(&m->crew[m->n_cuts], threads, e);
	return rc;
}

int
sw_team_new(struct sw_team **out, const struct sw_scan *s,
	    const struct sw_kept *k, unsigned threads, struct err *e)
{
	struct sw_team *m = calloc(1, sizeof *m);
	int rc;

	*out = m;
	if (!m)
		return err_nomem(e, sizeof *m);
	m->s = s;
	rc = get_memory(m, threads, e);
	for (; m->n < threads && !rc; m->n += !rc) {
		rc = sw_thread_new(&m->thread[m->n], s, k, e);
		if (rc)
			continue;
		sw_work_team(m->thread[m->n]->work, threads);
		m->thread[m->n]->progress = &m->progress;
	}
	return rc;
}

void
sw_team_watch(struct sw_team *m, void (*tick)(void *), void *tick_ctx)
{
	m->progress.meter.tick = tick;
	m->progress.meter.ctx = tick_ctx;
	for (unsigned i = 0; i < m->n; i++)
		sw_work_meter(m->thread[i]->work, &m->progress.meter);
}

struct scan_cells
sw_team_cells(const struct sw_team *m)
{
	const struct sw_progress *p = &m->progress;

	return (struct scan_cells){
		.done = __atomic_load_n(&p->meter.done, __ATOMIC_RELAXED),
		.of = __atomic_load_n(&p->of, __ATOMIC_RELAXED) +
		      __atomic_load_n(&p->meter.more, __ATOMIC_RELAXED),
		.left_out = __atomic_load_n(&p->meter.left_out,
					    __ATOMIC_RELAXED),
	};
}

void
sw_team_free(struct sw_team *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < m->n; i++)
		sw_thread_free(m->thread[i]);
	for (unsigned i = 0; i < m->n_cuts; i++) {
		sw_cut_free(&m->cut[i]);
		crew_free(m->crew[i]);
	}
	free(m->thread);
	free(m->cut);
	free(m->crew);
	pump_pool_free(&m->spare);
	free(m);
}

uint64_t
sw_team_letters(const struct sw_team *m)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < m->n; i++)
		n += m->thread[i]->n_letters;
	return n;
}

static void
give_back(struct sw_team *m, struct sw_cut *c)
{
	sw_cut_close(c);
	pump_pool_give_back(&m->spare, (unsigned)(c - m->cut));
}

/* In parts, or by this thread. */
static int
search(struct sw_team *m, struct sw_thread *t, struct sw_cut *c,
       struct pump_job *job, struct err *e)
{
	int rc;

	sw_plan(c, job->team, job->few, job->plenty);
	sw_cut_begin(c, &m->progress);
	if (c->n_parts > 1) {
		job->parts = c;
		job->n_parts = c->n_parts;
		crew_begin(m->crew[c - m->cut], c->leaders);
		return 0;
	}
	rc = sw_thread_part(t, c, &c->part[0], NULL, &job->out, e);
	give_back(m, c);
	return rc;
}

/* Does a GPU compute scores of several chunks as one? */
static bool
gathers(const struct sw_team *m)
{
	return m->gather.calls && cuda_sw_gathers(m->s->gpu, NULL);
}

static int
put_off(struct sw_cut *c, struct pump_job *job, struct err *e)
{
	uint64_t patterns = c->s->n_patterns;

	job->later = true;
	job->parts = c;
	job->weight = c->l.n * (patterns > PATTERNS ? patterns : PATTERNS) /
		      PATTERNS;
	return sw_cut_put_off(c, e);
}

int
sw_team_work(struct sw_team *m, unsigned thread, struct pump_job *job,
	     struct err *e)
{
	struct sw_thread *t = m->thread[thread];
	const struct rec_frame *f = job->item.frame;
	struct sw_cut *c;
	unsigned i;
	int rc;

	if (f->type != REC_CHUNK)
		return 0;
	if (job->gathered)
		return search(m, t, job->parts, job, e);
	i = job->team > 1 || gathers(m) ? pump_pool_borrow(&m->spare) :
					  m->spare.n;
	if (i == m->spare.n)
		return sw_thread_chunk(t, f, job->before, job->n_before,
				       &job->out, e);
	c = &m->cut[i];
	rc = sw_cut_open(c, t, f, job->before, job->n_before, e);
	if (!rc && c->l.n_seg && gathers(m))
		return put_off(c, job, e);
	if (!rc)
		return search(m, t, c, job, e);
	give_back(m, c);
	return rc;
}

struct pump_gather
sw_team_gathers(const struct sw_team *m, pump_gather_fn *call)
{
	struct pump_gather g = { .call = NULL };

	if (!m || !m->gather.calls)
		return g;
	g = m->gather;
	g.call = call;
	return g;
}

void
sw_team_gather(struct pump_job **job, unsigned n)
{
	struct sw_cut *c[PUMP_MOST_GATHERED];

	for (unsigned i = 0; i < n; i++)
		c[i] = job[i]->parts;
	sw_cut_gather(c, n);
}

int
sw_team_part(struct sw_team *m, unsigned thread, struct pump_job *job,
	     unsigned part, struct err *e)
{
	struct sw_cut *c = job->parts;
	struct crew *crew = c->leaders ? m->crew[c - m->cut] : NULL;
	int rc;

	if (crew && part >= c->leaders) {
		crew_help(crew);
		return 0;
	}
	rc = sw_thread_part(m->thread[thread], c, &c->part[part], crew,
			    &c->rows[part], e);
	if (crew)
		crew_leave(crew);
	return rc;
}

int
sw_team_join(struct sw_team *m, struct pump_job *job, unsigned part,
	     struct err *e)
{
	struct sw_cut *c = job->parts;
	struct buf *rows = &c->rows[part];

	buf_put(&job->out, rows->p, rows->n);
	if (job->out.bad)
		return err_nomem(e, rows->n);
	buf_free(rows);
	if (part + 1 == job->n_parts)
		give_back(m, c);
	return 0;
}
