/* SPDX-License-Identifier: MIT */
/*
 * sw_scan.c - chunks to rows; from options and queries to a compiled scan and
 * its identity
 */

#include <stdlib.h>

#include "base/base.h"
#include "flow/flow.h"
#include "letters/letters.h"
#include "scan/sw/sw.h"
#include "scan/sw/sw_scan_priv.h"

static void
reverse_complement(const struct sw_scan *s, uint8_t *code, size_t n)
{
	for (size_t i = 0, j = n; i < j; i++) {
		uint8_t x = code[i], y = code[--j];

		code[i] = s->by.complement[y];
		code[j] = s->by.complement[x];
	}
}

/* The pattern's letters as they are aligned; room for all. */
static void
sw_pattern_codes(const struct sw_scan *s, const struct sw_pattern *p,
		 uint8_t *code)
{
	const struct str letters = s->q->v[p->query].letters;

	for (size_t i = 0; i < letters.n; i++)
		code[i] = s->by.code_of[(uint8_t)letters.p[i]];
	if (p->minus)
		reverse_complement(s, code, letters.n);
}

/* Chunks to the rows that may be among the best. */

/* Working memory of one thread. */
struct sw_worker {
	struct scan_worker w;
	struct sw_work *work;
	struct sw_hits hits;
	struct sw_seg *seg;	/* of a part's text */
	size_t seg_cap;
	struct sw_disjoint d;
	struct buf query;
};

static struct sw_worker *
worker_of(struct scan_worker *w)
{
	return (struct sw_worker *)(void *)w;
}

static int
new_worker(struct scan_worker *w, struct err *e)
{
	const struct sw_search *s = w->ctx;
	struct sw_worker *t = worker_of(w);
	int rc = sw_work_new(&t->work, e);

	if (rc)
		return rc;
	if (s->s->gpu)
		sw_work_backend(t->work, &s->s->backend);
	sw_work_team(t->work, s->threads);
	return 0;
}

static void
free_worker(struct scan_worker *w)
{
	struct sw_worker *t = worker_of(w);

	sw_work_free(t->work);
	sw_hits_free(&t->hits);
	free(t->seg);
	sw_disjoint_free(&t->d);
	buf_free(&t->query);
}

/* What is best in a chunk or a part of one, as rows. */

/* The segment of a column; the first one begins at 0. */
static size_t
seg_of(const struct sw_columns *l, uint64_t column)
{
	return array_first(l->seg, l->n_seg, sizeof *l->seg,
			   offsetof(struct sw_seg, beg), column + 1) - 1;
}

/* One query on one strand, one part of a chunk. */
struct found {
	struct sw_worker *t;
	const struct sw_search *search;
	const struct sw_job *c;
	const struct sw_part *part;
	const struct sw_pattern *p;
	struct buf *out;
	/* By seeds, or 0: no less has a hit of it, and of the other strand. */
	int64_t own, other;
};

/* t->w.ops become the row's CIGAR. */
static void
report_path(const struct sw_worker *t, struct hit *h)
{
	struct cigar_sum sum;

	h->cigar = (const uint32_t *)(const void *)t->w.ops.p;
	h->n_cigar = t->w.ops.n / sizeof *h->cigar;
	sum = cigar_sum(h->cigar, h->n_cigar);
	h->edits = sum.x + sum.ins + sum.del;
	h->flags |= HIT_CIGAR | HIT_EDITS;
}

/*
 * Does the alignment begin in what the part owns?  Each cell of its class ends
 * behind that, so no part and no chunk before has reported the class.
 */
static bool
is_fresh(const struct found *f, const struct sw_seg *g, const struct sw_hit *h)
{
	return f->search->s->o.best != SW_READ_ALIGNMENTS ||
	       (h->beg >= g->own && h->beg >= f->part->beg);
}

/* One row, whose path is t->w.ops. */
static int
put_row(const struct found *f, const struct sw_hit *g, struct err *e)
{
	struct sw_worker *t = f->t;
	const struct sw_columns *l = &f->c->l;
	const struct sw_options *o = &f->search->s->o;
	const struct query *q = &f->search->s->q->v[f->p->query];
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
		.score = g->score * f->search->s->unit,
		.flags = f->p->minus ? HIT_MINUS : 0,
	};
	int rc = 0;

	if (!o->no_cigar)
		report_path(t, &h);
	if (o->with_seq)
		rc = scan_job_letters(&f->c->j, &t->w, s,
				      s->beg + (h.sbeg - s->origin),
				      s->beg + (h.send - s->origin), &h, e);
	if (rc)
		return rc;
	scan_best_put(f->out, is_fresh(f, &l->seg[i], g), &h, &t->w.row);
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

/*
 * A relative, found by seeds: an alignment A that scores `bound` or more
 *
 * For n = 1, no less need be looked for.  Else, if A is on the other strand,
 * then among the best n, hits of this strand that score less are n - 1 at most:
 * only those are searched, and n only if all of those may be before A.  If
 * there are n - 1, they and A are n hits: nothing below the last of them counts
 * on either strand.  In the linear phase the best of the other strand is often
 * better than what is beside A, which then need not be found.
 */

/* The n best of a strand; 1: all of them may be before A. */
static int
all_but_one(const struct found *f, const struct sw_text *x, int64_t bound,
	    struct err *e)
{
	const size_t n = (size_t)f->search->s->o.n - 1;
	struct sw_worker *t = f->t;
	int64_t last;
	int rc = sw_best(f->p->q, x, SW_ALIGNMENTS, n,
			 scan_best_bound(f->search->best, f->p->query),
			 t->work, &t->hits, e);

	if (rc || t->hits.n < n)
		return rc;
	last = t->hits.v[n - 1].score;
	if (last >= bound)
		return 1;
	scan_best_raise(f->search->best, f->p->query, last);
	return 0;
}

static int
best_hits(const struct found *f, const struct sw_text *x, struct err *e)
{
	const struct sw_options *o = &f->search->s->o;
	const enum sw_kind kind = o->best == SW_READ_CELLS ? SW_CELLS :
							     SW_ALIGNMENTS;
	int rc = 1;

	if (o->n > 1 && kind == SW_ALIGNMENTS && f->other > f->own)
		rc = all_but_one(f, x, f->other, e);
	if (rc != 1)
		return rc;
	return sw_best(f->p->q, x, kind, (size_t)o->n,
		       scan_best_bound(f->search->best, f->p->query),
		       f->t->work, &f->t->hits, e);
}

static int
text_of(const struct found *f, struct sw_text *x, uint64_t *base, struct err *e)
{
	int rc = sw_job_text(f->c, f->part, sw_context(f->p->q), &f->t->seg,
			     &f->t->seg_cap, x, base, e);

	if (f->c->known)
		x->known = f->c->known[f->p - f->search->s->pattern];
	return rc;
}

static int
best_rows(const struct found *f, struct err *e)
{
	struct sw_worker *t = f->t;
	const struct sw_options *o = &f->search->s->o;
	const struct sw_query *q = f->p->q;
	const int64_t *least = scan_best_bound(f->search->best, f->p->query);
	struct sw_text x;
	struct best b = { .f = f, .x = &x };
	size_t n = 0;
	int rc = text_of(f, &x, &b.base, e);

	if (rc || !x.n_seg)
		return rc;
	rc = best_hits(f, &x, e);
	/* chunks before this one were added meanwhile */
	while (!rc && n < t->hits.n && t->hits.v[n].score >=
	       __atomic_load_n(least, __ATOMIC_RELAXED))
		n++;
	t->w.ops.n = 0;
	if (!o->no_cigar && !rc)
		return sw_trace_each(q, &x, t->hits.v, n, f->search->s->by.same,
				     t->work, &t->w.ops, put_best, &b, e);
	for (size_t i = 0; i < n && !rc; i++)
		rc = put_best(&b, i, e);
	return rc;
}

/*
 * The columns of a whole sequence; the query's letters are t->query.
 *	Of cells that score alike the first column comes first, and there the
 * first row: the order of rows, too, but on the minus strand, where rows of one
 * column go by their starts.  So there all of the last column are taken; which
 * of them stay, scan_best_add() decides.
 */
static int
disjoint_of(const struct found *f, size_t seg, struct err *e)
{
	struct sw_worker *t = f->t;
	const struct sw_columns *l = &f->c->l;
	const struct sw_place *p = &l->place[seg];
	uint64_t beg = l->seg[seg].beg + (p->from->origin - p->origin);
	const int64_t *least = scan_best_bound(f->search->best, f->p->query);
	struct sw_hit g, last = { .score = 0 };
	struct sw_seg whole;
	int got = 1, rc;

	t->d.text = l->codes.p + beg;
	t->d.n = p->from->end - p->from->beg;
	t->d.at = beg - l->seg[seg].beg;
	whole = (struct sw_seg){ 0, l->seg[seg].end - l->seg[seg].beg, 0 };
	t->d.around = (struct sw_text){ l->codes.p + l->seg[seg].beg,
					whole.end, &whole, 1, { 0 } };
	if (t->d.n > SW_DISJOINT_CELLS / t->d.m)
		return err_set(e, ERR_LIMIT, "--kind=waterman-eggert: %zu "
			       "letters of query %zu, %zu of the subject: "
			       "their product must be at most %d", t->d.m,
			       (size_t)f->p->query + 1, t->d.n,
			       SW_DISJOINT_CELLS);
	rc = sw_disjoint_begin(&t->d, e);
	for (int64_t k = f->search->s->o.n;
	     (k > 0 || f->p->minus) && !rc && got > 0; k--) {
		got = sw_disjoint_next(&t->d,
				       __atomic_load_n(least, __ATOMIC_RELAXED),
				       &g, &t->w.ops, e);
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
	const struct sw_scan *s = f->search->s;
	struct sw_worker *t = f->t;
	int rc = 0;

	t->query.n = 0;
	t->d.m = s->q->v[f->p->query].letters.n;
	if (!buf_reserve(&t->query, t->d.m))
		return err_nomem(e, t->d.m);
	sw_pattern_codes(s, f->p, t->query.p);
	t->d.query = t->query.p;
	t->d.s = &s->scoring;
	t->d.q = f->p->q;
	t->d.work = t->work;
	t->d.wanted = (size_t)s->o.n;
	t->d.meter = &f->search->progress->meter;
	t->d.same = f->search->s->by.same;
	for (size_t i = 0; i < f->c->l.n_seg && !rc; i++)
		if (f->c->l.place[i].from->row->flags & CHUNK_LAST)
			rc = disjoint_of(f, i, e);
	return rc;
}

/* The same query on the other strand; NULL: it is not searched. */
static const struct sw_pattern *
other_strand(const struct sw_scan *s, const struct sw_pattern *p)
{
	const struct sw_pattern *x = p->minus ? p - 1 : p + 1;
	const size_t i = (size_t)(p - s->pattern);

	if (p->minus ? i == 0 : i + 1 == s->n_patterns)
		return NULL;
	return x->query == p->query ? x : NULL;
}

/* By seeds, where they help: a bound of the one best; of more, which strand is
 * that of a relative. */
static int
find_bounds(struct found *f, struct crew *crew, struct err *e)
{
	const struct sw_search *search = f->search;
	const struct sw_pattern *x = other_strand(search->s, f->p);
	struct sw_text text;
	uint64_t base;
	int rc = search->s->o.best == SW_READ_DISJOINT ||
		 (search->s->o.n > 1 && !x) ? 1 : text_of(f, &text, &base, e);

	if (rc || !text.n_seg || text.known.tops ||
	    !sw_bound_helps(f->p->q, &text))
		return rc < 0 ? rc : 0;
	rc = sw_bound(f->p->q, &text, crew, &f->own, e);
	if (!rc && x)
		rc = sw_bound(x->q, &text, crew, &f->other, e);
	if (!rc && search->s->o.n == 1)
		scan_best_raise(search->best, f->p->query,
				f->own > f->other ? f->own : f->other);
	return rc;
}

static int
pattern_rows(const struct found *f, struct crew *crew, struct err *e)
{
	sw_work_crew(f->t->work, sw_query_shared(f->p->q) ? crew : NULL,
		     f->c->leaders);
	return f->search->s->o.best == SW_READ_DISJOINT ? disjoint_rows(f, e) :
							   best_rows(f, e);
}

/* Both strands of a query: that of the relative last, but for n = 1. */
static int
both_rows(const struct found *f, struct crew *crew, struct err *e)
{
	struct found g = *f;
	const bool last = (f->own > f->other) == (f->search->s->o.n > 1);
	int rc;

	g.p = f->p + 1;
	g.own = f->other;
	g.other = f->own;
	rc = pattern_rows(last ? &g : f, crew, e);
	return rc ? rc : pattern_rows(last ? f : &g, crew, e);
}

static int
part_rows(struct sw_job *c, struct sw_worker *t, const struct sw_part *p,
	  struct crew *crew, struct buf *out, struct err *e)
{
	const struct sw_search *search = c->j.ctx;
	const struct sw_scan *s = search->s;
	int rc = 0;

	for (size_t i = p->from; i < p->to && !rc; i++) {
		struct found f = { t, search, c, p, &s->pattern[i], out, 0, 0 };
		const bool both = i + 1 < p->to && !f.p->minus &&
				  other_strand(s, f.p);

		rc = find_bounds(&f, crew, e);
		if (!rc)
			rc = both ? both_rows(&f, crew, e) :
				    pattern_rows(&f, crew, e);
		i += both;
	}
	sw_work_crew(t->work, NULL, 0);
	return rc;
}

/* The chunk in parts. */

static int
search_part(struct scan_job *j, struct scan_worker *w, unsigned part,
	    bool next, struct buf *out, struct err *e)
{
	struct sw_job *c = sw_job_of(j);
	struct crew *crew = c->leaders ? c->crew : NULL;
	int rc;

	(void)next;
	if (crew && part >= c->leaders) {
		crew_help(crew);
		return 0;
	}
	rc = part_rows(c, worker_of(w), &c->part[part], crew, out, e);
	if (crew)
		crew_leave(crew);
	return rc;
}

const struct scan_search sw_search = {
	.job_size = sizeof(struct sw_job),
	.worker_size = sizeof(struct sw_worker),
	.worker_new = new_worker, .worker_free = free_worker,
	.open = sw_job_open, .close = sw_job_close, .job_free = sw_job_free,
	.plan = sw_job_plan, .part = search_part,
	.postpone = sw_job_postpone, .batch = sw_batch,
};

int
sw_best_new(struct scan_best **b, const struct sw_scan *s, struct err *e)
{
	struct scan_best_params p = {
		.key = &s->key, .n_queries = s->q->n, .n = (uint64_t)s->o.n,
		.unit = s->unit, .floor = s->o.min_score / s->unit +
					  (s->o.min_score % s->unit != 0),
	};

	return scan_best_new(b, &p, e);
}

int
sw_workers_new(struct scan_workers **m, struct sw_search *s, unsigned threads,
	       struct err *e)
{
	struct cuda_pool *gpu = s->s->o.engine == SW_AUTO ? s->s->gpu : NULL;

	s->threads = threads + cuda_pool_is_named(gpu);
	return scan_workers_new(m, &sw_search, s, gpu, threads, e);
}

/* scan.h says what they are. */
static void
sw_workers_watch(struct scan_workers *m, struct sw_search *s,
		 void (*tick)(void *), void *tick_ctx)
{
	s->progress->meter.tick = tick;
	s->progress->meter.ctx = tick_ctx;
	for (unsigned i = 0; i < m->n; i++)
		sw_work_meter(worker_of(m->worker[i])->work,
			      &s->progress->meter);
}

static struct scan_cells
sw_search_cells(const struct sw_search *s)
{
	const struct sw_progress *p = s->progress;

	return (struct scan_cells){
		.done = __atomic_load_n(&p->meter.done, __ATOMIC_RELAXED),
		.of = __atomic_load_n(&p->of, __ATOMIC_RELAXED) +
		      __atomic_load_n(&p->meter.more, __ATOMIC_RELAXED),
		.left_out = __atomic_load_n(&p->meter.left_out,
					    __ATOMIC_RELAXED),
	};
}

/* Fill in defaults; refuse what does not go together. */
static int
settle(struct sw_options *o, bool two, struct err *e)
{
	if (!two && (o->strands == SW_MINUS || o->strands == SW_BOTH))
		return err_set(e, ERR_USAGE, "-s %s: only DNA has a minus "
			       "strand", o->strands == SW_BOTH ? "both" : "-");
	if (o->strands == SW_AUTO_STRANDS)
		o->strands = two ? SW_BOTH : SW_PLUS;
	return 0;
}

static int
codes_of(const struct sw_scan *s, const struct query *q, uint8_t *code,
	 struct err *e)
{
	for (size_t i = 0; i < q->letters.n; i++) {
		uint8_t letter = (uint8_t)q->letters.p[i];

		code[i] = s->by.code_of[letter];
		if (code[i] >= SW_LETTERS)
			return err_set(e, ERR_USAGE, "letter %zu, '%c', is not "
				       "%s", i + 1, letter ? letter : '?',
				       s->by.dna ? "DNA (for others: "
				       "--matrix=BLOSUM62)" :
				       "a letter of the matrix");
	}
	return 0;
}

static int
add_pattern(struct sw_scan *s, uint32_t ordinal, const uint8_t *code,
	    size_t n, bool minus, struct err *e)
{
	struct sw_pattern *p = &s->pattern[s->n_patterns];
	uint64_t context;
	int rc = sw_query_share(&p->q, s->scheme, code, n, minus,
				s->o.engine, e);

	if (rc)
		return rc;
	p->query = ordinal;
	p->minus = minus;
	s->n_patterns++;
	context = sw_context(p->q);
	if (s->o.best == SW_READ_DISJOINT)
		context = UINT64_MAX;	/* whole sequences */
	s->context = context > s->context ? context : s->context;
	return 0;
}

static int
add_query(struct sw_scan *s, uint32_t ordinal, struct err *e)
{
	const struct query *q = &s->q->v[ordinal];
	size_t n = q->letters.n;
	uint8_t *code = malloc(n);
	int rc;

	if (!code)
		return err_nomem(e, n);
	rc = codes_of(s, q, code, e);
	if (!rc && s->o.strands & SW_PLUS)
		rc = add_pattern(s, ordinal, code, n, false, e);
	if (!rc && s->o.strands & SW_MINUS) {
		reverse_complement(s, code, n);
		rc = add_pattern(s, ordinal, code, n, true, e);
	}
	free(code);
	return rc;
}

static int
add_queries(struct sw_scan *s, struct err *e)
{
	int rc = 0;

	if (s->q->n > UINT32_MAX / 2)
		return err_set(e, ERR_LIMIT, "too many queries");
	s->pattern = calloc(s->q->n * 2, sizeof *s->pattern);
	if (!s->pattern)
		return err_nomem(e, s->q->n * 2 * sizeof *s->pattern);
	rc = sw_scheme_new(&s->scheme, &s->scoring, e);
	for (uint32_t i = 0; i < s->q->n && !rc; i++) {
		rc = add_query(s, i, e);
		if (rc)
			query_blame(&s->q->v[i], "query", e);
	}
	return rc;
}

/* Canonical text of all that decides the results; its hash is the scan's id. */
static int
identify(struct sw_scan *s, struct err *e)
{
	static const char *const readings[] = {
		"alignments", "cells", "waterman-eggert"
	};
	static const char *const strands[] = { "", "+", "-", "both" };
	const struct sw_options *o = &s->o;
	struct buf *b = &s->text;

	buf_printf(b, "program sw-scan\nversion %s\nbest %lld\nreading %s\n"
		   "min-score %lld\nstrand %s\n", SEQF_VERSION,
		   (long long)o->n, readings[o->best],
		   (long long)o->min_score, strands[o->strands]);
	sw_letters_text(&s->by, b);
	if (s->by.lambda > 0)
		buf_printf(b, "lambda %.9g\nK %.9g\neven %s\n", s->by.lambda,
			   s->by.k, s->by.even ? "yes" : "no");
	buf_printf(b, "rows %s%s\n", o->no_cigar ? "starts" : "cigar",
		   o->with_seq ? " letters" : "");
	buf_printf(b, "queries %zu\n", s->q->n);
	if (b->bad)
		return err_nomem(e, b->n);
	s->key.id = hash64(b->p, b->n, queries_hash(s->q));
	s->key.id += s->key.id == 0;	/* 0 is a run's own */
	s->key.base = (struct str){ s->q->base, strlen(s->q->base) };
	s->key.rule = o->best == SW_READ_ALIGNMENTS ? SCAN_CLASS : SCAN_BEST;
	buf_printf(b, "query %s\nscan %016llx\n", s->q->base,
		   (unsigned long long)s->key.id);
	if (o->with_seq)
		queries_text(s->q, b);
	return b->bad ? err_nomem(e, b->n) : 0;
}

int
sw_scan_new(struct sw_scan **out, const struct sw_options *o,
	    const struct queries *q, struct err *e)
{
	struct sw_scan *s = calloc(1, sizeof *s);
	int rc;

	*out = NULL;
	if (!s)
		return err_nomem(e, sizeof *s);
	s->o = *o;
	s->q = q;
	s->codes = KERN_PICK(&sw_codes_ops);
	rc = sw_letters_choose(&s->by, &o->scoring, e);
	if (!rc) {
		s->unit = sw_scoring_reduce(&s->scoring, &s->by.scoring);
		rc = settle(&s->o, s->by.strands, e);
	}
	if (!rc)
		rc = add_queries(s, e);
	if (!rc)
		rc = identify(s, e);
	if (rc) {
		sw_scan_free(s);
		return rc;
	}
	*out = s;
	return 0;
}

void
sw_scan_free(struct sw_scan *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_patterns; i++)
		sw_query_free(s->pattern[i].q);
	sw_scheme_free(s->scheme);
	cuda_pool_free(s->gpu);
	free(s->pattern);
	buf_free(&s->text);
	free(s);
}

size_t
sw_scan_patterns(const struct sw_scan *s)
{
	return s->n_patterns;
}

int64_t
sw_scan_most(const struct sw_scan *s)
{
	const struct sw_scoring *x = &s->scoring;
	uint64_t longest = 0;
	int64_t best = 0;

	for (size_t i = 0; i < s->n_patterns; i++)
		longest = max_u64(longest, s->q->v[s->pattern[i].query]
				  .letters.n);
	for (unsigned a = 0; a < x->letters; a++)
		for (unsigned b = 0; b < x->letters; b++)
			best = x->score[a][b] > best ? x->score[a][b] : best;
	return best * s->unit * (int64_t)longest;
}

uint64_t
sw_scan_rows(const struct sw_scan *s)
{
	uint64_t rows = 0;

	for (size_t i = 0; i < s->n_patterns; i++)
		rows += s->q->v[s->pattern[i].query].letters.n;
	return rows;
}

bool
sw_scan_logarithmic(const struct sw_scan *s)
{
	return s->by.lambda > 0;
}

/* Words to numbers, and what goes together. */

void
sw_words(struct sw_options *o, const char *best, const char *strand,
	 const char *engine)
{
	o->best = *best == 'c' ? SW_READ_CELLS :
		  *best == 'w' ? SW_READ_DISJOINT : SW_READ_ALIGNMENTS;
	o->strands = !strand ? SW_AUTO_STRANDS : *strand == 'b' ? SW_BOTH :
		     *strand == '+' ? SW_PLUS : SW_MINUS;
	o->engine = *engine == 'a' ? SW_AUTO : *engine == 'p' ? SW_PLAIN :
		    *engine == 's' ? SW_SKEW :
		    strcmp(engine, "lanes8") == 0 ? SW_LANES8 : SW_LANES16;
}

int
sw_fits_format(const struct sw_options *o, enum format f,
		struct err *e)
{
	bool cigars = f == FORMAT_PAF || f == FORMAT_SAM ||
		      f == FORMAT_PRETTY;

	if (o->no_cigar && cigars)
		return err_set(e, ERR_USAGE, "-O %s needs CIGARs: not with "
			       "--no-cigar", format_word(f));
	if (o->chooses && f == FORMAT_REC)
		return err_set(e, ERR_USAGE, "%s is for the last stage, which "
			       "writes text (-O tsv): of records merge-topk %s "
			       "chooses", o->chooses, o->chooses);
	if (o->best == SW_READ_DISJOINT && f == FORMAT_REC)
		return err_set(e, ERR_USAGE, "--kind=waterman-eggert: its rows "
			       "cannot be merged with others; write text "
			       "(-O tsv)");
	return 0;
}

/* Local alignment over all operands. */

struct runner {
	struct scan_workers *workers;
	struct sw_search search;
};

static int
keep(void *ctx, const struct rec_frame *f, const struct buf *rows,
     struct err *e)
{
	return scan_best_add(((struct runner *)ctx)->search.best, f, rows, e);
}

static int
finish(void *ctx, whole_put_fn *put, void *put_ctx, struct err *e)
{
	return scan_best_finish(((struct runner *)ctx)->search.best, put,
				put_ctx, e);
}

static void
watch(void *ctx, void (*tick)(void *), void *tick_ctx)
{
	struct runner *r = ctx;

	sw_workers_watch(r->workers, &r->search, tick, tick_ctx);
}

static struct scan_cells
cells(void *ctx)
{
	return sw_search_cells(&((const struct runner *)ctx)->search);
}

/*
 * Letters of a chunk that is cut here.  The context is searched again with each
 * one: it is a tenth of the work at most.
 */
static uint64_t
own_of(const struct sw_scan *s)
{
	const uint64_t usual = feed_defaults.own, most = 1 << 29;

	if (s->context <= usual / 10)
		return usual;
	return s->context < most / 10 ? s->context * 10 : most;
}

int
sw_scan_run(const struct scan_run *r, const struct sw_scan *s,
	    uint64_t *n_letters, struct err *e)
{
	struct sw_progress progress = { .of = 0 };
	struct runner x = { .search = { .s = s, .progress = &progress } };
	struct scan_ops ops = {
		.key = &s->key,
		.text = { (const char *)s->text.p, s->text.n },
		.context = s->context, .own = own_of(s), .keep = keep,
		.finish = finish, .watch = watch, .cells = cells, .ctx = &x,
	};
	int rc = sw_best_new(&x.search.best, s, e);

	if (!rc)
		rc = sw_workers_new(&x.workers, &x.search, r->threads, e);
	ops.workers = x.workers;
	if (!rc)
		rc = scan_run(r, &ops, e);
	*n_letters = scan_workers_letters(x.workers);
	scan_workers_free(x.workers);
	scan_best_free(x.search.best);
	return rc;
}
