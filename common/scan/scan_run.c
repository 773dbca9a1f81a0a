/* SPDX-License-Identifier: MIT */
/* scan_run.c - a scan over all operands, from the feed to the sink */

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "scan/scan.h"

/* The threads of a scan, and the chunks that they search. */

/* A chunk, viewed with those before it. */

void
scan_chunk_free(struct scan_chunk *v)
{
	chunk_free(&v->c);
	for (size_t i = 0; i < v->n_before; i++)
		chunk_free(&v->before[i]);
	free(v->before);
	memset(v, 0, sizeof *v);
}

int
scan_chunk_view(struct scan_chunk *v, const struct rec_frame *f,
		struct rec_frame *const *before, size_t n, struct err *e)
{
	int rc;

	memset(v, 0, sizeof *v);
	rc = chunk_view(&v->c, f, e);
	if (rc)
		return rc;
	v->before = n ? calloc(n, sizeof *v->before) : NULL;
	if (n && !v->before)
		rc = err_nomem(e, n * sizeof *v->before);
	for (; v->n_before < n && !rc; v->n_before += !rc)
		rc = chunk_view(&v->before[v->n_before], before[v->n_before],
				e);
	if (rc)
		scan_chunk_free(v);
	return rc;
}

static const struct chunk_row *
first_circle(const struct chunk *c)
{
	for (size_t i = 0; i < c->n_rows && c->circular; i++)
		if (c->row[i].flags & CHUNK_CIRCULAR)
			return &c->row[i];
	return NULL;
}

bool
scan_chunk_is_circular(const struct scan_chunk *v)
{
	return first_circle(&v->c);
}

int
scan_chunk_refuse_circular(const struct scan_chunk *v, const char *who,
			   struct err *e)
{
	const struct chunk_row *r = first_circle(&v->c);

	return !r ? 0 : err_set(e, ERR_USAGE, "%.*s was read with --circular: "
				"%s searches no circular sequences",
				str_shown(r->name, 99), r->name.p, who);
}

int
scan_job_open(const struct scan_search *s, struct scan_job *j,
	      struct scan_worker *w, const struct pump_job *pump, struct err *e)
{
	int rc = scan_chunk_view(&j->v, pump->item.frame, pump->before,
				 pump->n_before, e);

	if (rc)
		return rc;
	w->n_letters += j->v.c.owned;
	j->n_parts = 1;
	return s->open(j, e);
}

void
scan_job_close(const struct scan_search *s, struct scan_job *j)
{
	s->close(j);
	scan_chunk_free(&j->v);
	for (unsigned i = 0; i < j->n_parts; i++)
		buf_free(&j->rows[i]);
	j->n_parts = 0;
	j->weight = 0;
}

int
scan_job_part(const struct scan_search *s, struct scan_job *j,
	      struct scan_worker *w, unsigned part, bool next, struct buf *out,
	      struct err *e)
{
	struct buf *rows = next && !j->keep_rows ? out : &j->rows[part];

	return s->part(j, w, part, next, rows, e);
}

int
scan_job_join(const struct scan_search *s, struct scan_job *j, unsigned part,
	      struct buf *out, struct err *e)
{
	struct buf *rows = &j->rows[part];

	if (!j->keep_rows) {
		if (rows->n)
			buf_put(out, rows->p, rows->n);
		buf_free(rows);
	}
	if (out->bad)
		return err_nomem(e, out->n);
	return s->join ? s->join(j, part, out, e) : 0;
}

int
scan_job_letters(const struct scan_job *j, struct scan_worker *w,
		 const struct window_seg *g, uint64_t beg, uint64_t end,
		 struct hit *h, struct err *e)
{
	struct buf *b = &w->letters;
	int rc;

	b->n = 0;
	if (!buf_reserve(b, end - beg + 64))
		return err_nomem(e, end - beg + 64);
	rc = window_letters(&j->w, g, &j->v.c, j->v.before, j->v.n_before, beg,
			    end, b->p);
	if (rc)
		return err_set(e, rc, "chunk %llu: letters are missing",
			       (unsigned long long)j->v.c.serial);
	h->letters = (struct str){ (const char *)b->p, end - beg };
	h->flags |= HIT_LETTERS;
	return 0;
}

/* The threads, and as many jobs as are in flight. */

static struct scan_workers *
workers_of(void *ctx)
{
	return *(struct scan_workers **)ctx;
}

static void
search_batch(void *ctx, unsigned thread, struct pump_job **pump, unsigned n)
{
	struct scan_job *j[PUMP_MAX_BATCH];

	(void)thread;
	for (unsigned i = 0; i < n; i++)
		j[i] = pump[i]->parts;
	workers_of(ctx)->s->batch(j, n);
}

static void
worker_free(const struct scan_search *s, struct scan_worker *w)
{
	s->worker_free(w);
	buf_free(&w->ops);
	buf_free(&w->letters);
	buf_free(&w->row);
	free(w);
}

static int
add_worker(struct scan_workers *m, void *ctx, struct err *e)
{
	struct scan_worker *w = calloc(1, m->s->worker_size);
	int rc;

	if (!w)
		return err_nomem(e, m->s->worker_size);
	w->ctx = ctx;
	rc = m->s->worker_new(w, e);
	if (rc)
		worker_free(m->s, w);
	else
		m->worker[m->n++] = w;
	return rc;
}

/* By the one that has taken it; the others compare it with theirs. */
static int
add_job(struct scan_workers *m, unsigned i, struct err *e)
{
	struct scan_job *j = calloc(1, m->s->job_size);

	if (!j)
		return err_nomem(e, m->s->job_size);
	j->ctx = m->ctx;
	__atomic_store_n(&m->job[i], j, __ATOMIC_RELAXED);
	return 0;
}

int
scan_workers_new(struct scan_workers **out, const struct scan_search *s,
		 void *ctx, struct cuda_pool *gpu, unsigned threads,
		 struct err *e)
{
	const struct pump_batch none = { 0 };
	unsigned streams = gpu ? cuda_pool_streams(gpu) : 0;
	struct scan_workers *m = calloc(1, sizeof *m);
	int rc = 0;

	*out = m;
	if (!m)
		return err_nomem(e, sizeof *m);
	m->s = s;
	m->ctx = ctx;
	m->gpu = gpu;
	if (streams) {
		m->batch.call = search_batch;
		m->batch.calls = 2 * streams;	/* one prepares */
		m->batch.weight = cuda_pool_fill(gpu);
	}
	threads += cuda_pool_is_named(gpu);
	m->n_jobs = pump_jobs(threads, &m->batch);
	m->worker = calloc(threads, sizeof(struct scan_worker *));
	m->job = calloc(m->n_jobs, sizeof(struct scan_job *));
	m->taken = calloc(m->n_jobs, sizeof *m->taken);
	if (!m->worker || !m->job || !m->taken)
		rc = err_nomem(e, m->n_jobs * sizeof(struct scan_job *));
	while (!rc && m->n < threads)
		rc = add_worker(m, ctx, e);
	/* those of batches, 4 MB, once there are some */
	for (unsigned i = 0; i < pump_jobs(threads, &none) && !rc; i++)
		rc = add_job(m, i, e);
	return rc;
}

void
scan_workers_free(struct scan_workers *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < m->n; i++)
		worker_free(m->s, m->worker[i]);
	for (unsigned i = 0; m->job && i < m->n_jobs; i++) {
		if (!m->job[i])
			continue;
		scan_job_close(m->s, m->job[i]);
		m->s->job_free(m->job[i]);
		window_free(&m->job[i]->w);
		free(m->job[i]);
	}
	free(m->worker);
	free(m->job);
	free(m->taken);
	free(m);
}

uint64_t
scan_workers_letters(const struct scan_workers *m)
{
	uint64_t n = 0;

	for (unsigned i = 0; m && i < m->n; i++)
		n += m->worker[i]->n_letters;
	return n;
}

/*
 * The first that nobody has: its memory was used most recently.  There is one:
 * each is of an item that the pump has in flight, and no item has two.  NULL:
 * there is no memory.
 */
static struct scan_job *
take_job(struct scan_workers *m, struct err *e)
{
	unsigned i = 0;

	while (__atomic_exchange_n(&m->taken[i], true, __ATOMIC_ACQUIRE))
		i++;
	if (m->job[i] || add_job(m, i, e) == 0)
		return m->job[i];
	__atomic_store_n(&m->taken[i], false, __ATOMIC_RELEASE);
	return NULL;
}

static void
give_back(struct scan_workers *m, struct scan_job *j)
{
	unsigned i = 0;

	scan_job_close(m->s, j);
	while (__atomic_load_n(&m->job[i], __ATOMIC_RELAXED) != j)
		i++;
	__atomic_store_n(&m->taken[i], false, __ATOMIC_RELEASE);
}

/* What the pump asks for. */

/* In parts, or by this thread. */
static int
search(struct scan_workers *m, struct scan_worker *w, struct scan_job *j,
       struct pump_job *pump, struct err *e)
{
	int rc = m->s->plan(j, pump, e);

	if (!rc && j->n_parts > 1) {
		pump->parts = j;
		pump->n_parts = j->n_parts;
		return 0;
	}
	if (!rc)
		rc = scan_job_part(m->s, j, w, 0, true, &pump->out, e);
	if (!rc)
		rc = scan_job_join(m->s, j, 0, &pump->out, e);
	give_back(m, j);
	return rc;
}

int
scan_workers_work(void *ctx, unsigned thread, struct pump_job *pump,
		  struct err *e)
{
	struct scan_workers *m = workers_of(ctx);
	struct scan_worker *w = m->worker[thread];
	struct scan_job *j;
	int rc;

	if (pump->item.frame->type != REC_CHUNK)
		return 0;
	if (pump->batched)
		return search(m, w, pump->parts, pump, e);
	j = take_job(m, e);
	if (!j)
		return e->code;
	rc = scan_job_open(m->s, j, w, pump, e);
	if (!rc && m->batch.calls && cuda_pool_is_open(m->gpu))
		rc = m->s->postpone(j, e);
	if (rc) {
		give_back(m, j);
		return rc;
	}
	if (!j->weight)
		return search(m, w, j, pump, e);
	pump->postponed = true;
	pump->parts = j;
	pump->weight = j->weight;
	return 0;
}

int
scan_workers_part(void *ctx, unsigned thread, struct pump_job *pump,
		  unsigned part, bool next, struct err *e)
{
	struct scan_workers *m = workers_of(ctx);

	return scan_job_part(m->s, pump->parts, m->worker[thread], part, next,
			     &pump->out, e);
}

int
scan_workers_join(void *ctx, struct pump_job *pump, unsigned part,
		  struct err *e)
{
	struct scan_workers *m = workers_of(ctx);
	struct scan_job *j = pump->parts;
	int rc = scan_job_join(m->s, j, part, &pump->out, e);

	if (!rc && part + 1 == pump->n_parts)
		give_back(m, j);
	return rc;
}

/* Frames that were put into memory, one by one. */

int
frames_each(const struct buf *b, frames_fn *fn, void *ctx, struct err *e)
{
	struct rec_reader *r = NULL;
	struct source *src;
	struct rec_frame *f;
	int got, rc = source_memory(&src, "results", b->p, b->n, e);

	if (rc)
		return rc;
	rc = rec_reader_new(&r, src, e);
	while (!rc && (got = rec_read(r, &f, e)) != REC_EOF) {
		if (got != REC_FRAME) {
			rc = got < 0 ? got : ERR_FORMAT;
			break;
		}
		rc = fn(ctx, f, e);
		rec_frame_drop(f);
	}
	rec_reader_free(r);
	source_close(src);
	return rc;
}

/* A scan over all operands, from the feed to the sink. */

/* What a feed cuts at most (-W).  Chunks that need more are refused. */
enum { MAX_CUT_CONTEXT = 1 << 30 };

struct runner {
	struct scan_workers *workers;	/* first: for the pump; or NULL */
	const struct scan_run *r;
	const struct scan_ops *ops;
	struct feed *feed;
	bool begun;
	uint64_t run;	/* the last one begun */
	bool chunks, results;	/* came in */
	uint64_t longest;	/* letters seen of a sequence, up to shortest */
	uint64_t n_letters;	/* searched */
	bool dna;		/* the first chunk is */
};

static int
work(void *ctx, unsigned thread, struct pump_job *job, struct err *e)
{
	const struct scan_ops *o = ((struct runner *)ctx)->ops;
	const struct rec_frame *f = job->item.frame;

	if (o->work)
		return o->work(o->ctx, thread, job, e);
	if (f->type != REC_CHUNK)
		return 0;
	return o->chunk(o->ctx, thread, f, job->before, job->n_before,
			&job->out, e);
}

static int
part(void *ctx, unsigned thread, struct pump_job *job, unsigned i, bool next,
     struct err *e)
{
	const struct scan_ops *o = ((struct runner *)ctx)->ops;

	return o->part(o->ctx, thread, job, i, next, e);
}

static int
join(void *ctx, struct pump_job *job, unsigned i, struct err *e)
{
	const struct scan_ops *o = ((struct runner *)ctx)->ops;

	return o->join ? o->join(o->ctx, job, i, e) : 0;
}

/*
 * BEGIN of this scan, before the first result of each run; and before its END:
 * a run without any chunk here (results of another scan) must not look as if
 * it had been searched.  A malformed END is the ledger's business.
 */
static int
begin(struct runner *s, const struct rec_frame *f, struct err *e)
{
	struct chunk c = { 0 };
	struct run_end end;
	int rc;

	if (s->begun && s->run == f->run)
		return 0;
	if (f->type == REC_END) {
		rc = end_view(&end, f, e);
		c.run = end.run;	/* the rest is empty */
	} else {
		rc = chunk_view(&c, f, e);
	}
	if (rc)
		return f->type == REC_END && rc == ERR_FORMAT ? 0 : rc;
	rc = sink_begin(s->r->sink, &c.run, s->ops->key, s->ops->text, e);
	chunk_free(&c);
	s->begun = true;
	s->run = f->run;
	return rc;
}

/* A malformed one is the ledger's business. */
static int
report_end(const struct scan_ops *o, const struct rec_frame *f, struct err *e)
{
	struct run_end end;
	int rc = end_view(&end, f, e);

	if (rc)
		return rc == ERR_FORMAT ? 0 : rc;
	return o->end(o->ctx, &end, e);
}

/* Enough letters of DNA, so that it is no accident. */
static bool
looks_dna(const struct chunk *c)
{
	enum { ENOUGH = 12, CODES = 50 };

	if (c->enc == CHUNK_4BIT)
		return c->owned >= CODES;
	if (c->enc != CHUNK_ASCII && c->enc != CHUNK_2BIT)
		return false;
	for (uint64_t i = 0; c->enc == CHUNK_ASCII && i < c->n; i++)
		if (!memchr("ACGTNacgtn", c->letters[i], 10))
			return false;
	return c->owned >= ENOUGH;
}

/* What is asked of the first chunk, and until a sequence is long enough. */
static int
look_at_chunk(struct runner *s, const struct rec_frame *f, struct err *e)
{
	struct chunk c;
	int rc;

	if (s->chunks && s->longest >= s->ops->shortest)
		return 0;
	rc = chunk_view(&c, f, e);
	if (rc)		/* damage is others' to report */
		return rc == ERR_NOMEM ? rc : 0;
	if (!s->chunks)
		s->dna = looks_dna(&c);
	for (size_t i = 0; i < c.n_rows; i++)
		s->longest = max_u64(s->longest, c.row[i].own_end);
	chunk_free(&c);
	return 0;
}

/* Reports what is no error, but hardly intended; for text the feed does. */
static int
report_odd(struct runner *s, const struct pump_job *job, struct err *e)
{
	const struct rec_frame *f = job->item.frame;
	struct run_end end;
	struct end_odd odd;
	struct err ignored;
	int rc = f->type == REC_CHUNK ? look_at_chunk(s, f, e) : 0;

	if (rc)
		return rc;
	s->chunks |= f->type == REC_CHUNK;
	s->results |= f->type == REC_HITS || f->type == REC_TALLY ||
		      f->type == REC_PRIMER || f->type == REC_DIST;
	if (f->type != REC_END || job->item.kind == FEED_END ||
	    end_view(&end, f, &ignored) != 0)
		return 0;
	odd = end_odd(&end);
	if (*odd.text)
		s->r->note(odd.text);
	return 0;
}

/*
 * A stream of which not a byte came is to those who read on a run that has
 * begun: without an END it is not whole, whatever stands beside it.
 */
static int
report_damage(struct runner *s, const struct feed_item *it, struct err *e)
{
	struct run_key run = { .base = { it->text, it->dead_name } };

	s->r->note(it->text);
	sink_damage(s->r->sink);
	if (!it->dead_name)
		return 0;
	run.id = hash64(it->text, it->dead_name, 0);
	run.id += run.id == 0;
	return sink_dead(s->r->sink, &run, s->ops->key, s->ops->text, e);
}

static void
report_place(struct runner *s, const struct rec_frame *f)
{
	struct feed_place at = feed_place(s->feed);

	s->n_letters += f ? chunk_owned(f) : 0;
	at.n_letters = s->n_letters;
	s->r->progress(at);
}

static int
emit(void *ctx, struct pump_job *job, struct err *e)
{
	struct runner *s = ctx;
	const struct scan_run *r = s->r;
	const struct rec_frame *f = job->item.frame;
	int rc;

	if (r->progress)
		report_place(s, f);
	rc = job->item.kind == FEED_DAMAGE ? report_damage(s, &job->item, e) :
					     0;
	if (rc)
		return rc;
	rc = s->ops->see && (f || job->item.kind == FEED_DAMAGE) ?
	     s->ops->see(s->ops->ctx, f, e) : 0;
	if (!rc && f && r->see)
		rc = r->see(r->see_ctx, f, e);
	if (rc || !f)
		return rc;
	rc = report_odd(s, job, e);
	if (!rc && f->type == REC_END)
		rc = begin(s, f, e);
	if (!rc)
		rc = sink_frame(r->sink, f, e);
	if (rc == SINK_WARN) {
		r->note(e->text);
		return 0;
	}
	if (!rc && f->type == REC_END && s->ops->end)
		rc = report_end(s->ops, f, e);
	if (!rc && f->type == REC_CHUNK) {
		rc = begin(s, f, e);
		if (!rc)
			rc = s->ops->keep ?
			     s->ops->keep(s->ops->ctx, f, &job->out, e) :
			     sink_bytes(r->sink, &job->out, e);
	}
	return rc;
}

static void
tick(void *ctx)
{
	const struct runner *s = ctx;
	const struct scan_cells c = s->ops->cells(s->ops->ctx);

	s->r->cells(feed_place(s->feed), &c);
}

static int
put_frames(void *ctx, const struct buf *frames, struct err *e)
{
	return sink_bytes(ctx, frames, e);
}

void
scan_note_short(uint64_t longest, uint64_t shortest, bool primers,
		void (*say)(const char *text))
{
	char text[200];

	if (longest >= shortest)
		return;
	snprintf(text, sizeof text, "every sequence (%llu letters at most) is "
		 "too short for every %s (%llu at least): %s, sequences the "
		 "operands", (unsigned long long)longest,
		 primers ? "primer" : "query", (unsigned long long)shortest,
		 primers ? "primers are -p" : "queries are -q");
	say(text);
}

static void
report_inputs(const struct runner *s)
{
	struct feed_blank blank;
	struct feed_twice twice;

	if (feed_blank(s->feed, &blank))
		s->r->note(blank.text);
	if (!s->ops->groups && feed_twice(s->feed, &twice))
		s->r->note(twice.text);
	if (s->chunks)
		scan_note_short(s->longest, s->ops->shortest,
				s->r->primers, s->r->note);
	if (s->dna && s->r->protein)
		s->r->note("the sequences look like DNA, the options are for "
			   "proteins");
	if (s->results && !s->chunks && !s->r->joins)
		s->r->note("results came, and no sequences: merge-topk and "
			   "rec-view read results");
}

/* Four letters a byte, or as many as deflate makes of some. */
static bool
is_packed(const char *path)
{
	const char *end = strrchr(path, '.');

	return end && (strcmp(end, ".gz") == 0 || strcmp(end, ".2bit") == 0);
}

uint64_t
scan_letters(const struct scan_run *r)
{
	uint64_t sum = 0;
	struct stat st;

	if (r->regions && r->regions->n)
		return 0;
	if (!r->n_operands && fstat(0, &st) == 0 && S_ISREG(st.st_mode))
		return (uint64_t)st.st_size;
	for (size_t i = 0; i < r->n_operands; i++)
		if (stat(r->operand[i], &st) == 0 && S_ISREG(st.st_mode))
			sum += (uint64_t)st.st_size *
			       (is_packed(r->operand[i]) ? 4 : 1);
	return sum;
}

int
scan_run(const struct scan_run *r, const struct scan_ops *ops, struct err *e)
{
	struct scan_workers *w = ops->workers;
	struct pump_ops po = {
		.context = ops->context, .emit = emit,
		.work = w ? scan_workers_work : work,
		.part = w ? scan_workers_part : ops->part ? part : NULL,
		.join = w ? scan_workers_join : join,
	};
	struct runner s = { .workers = w, .r = r, .ops = ops };
	struct feed_params fp = feed_defaults;
	int rc;

	fp.min_context = max_u64(ops->context, ops->cut);
	fp.min_context = min_u64(fp.min_context, MAX_CUT_CONTEXT);
	fp.threads = r->threads;
	fp.look = r->look;
	fp.regions = r->regions;
	fp.circular = r->circular;
	fp.digits = r->digits;
	if (ops->own)
		fp.own = ops->own;
	rc = feed_open(&s.feed, r->operand, r->n_operands, &fp, e);
	if (rc)
		return rc;
	if (ops->watch && r->cells)
		ops->watch(ops->ctx, tick, &s);
	if (w)
		po.batch = w->batch;
	rc = pump_run(s.feed, &po, &s, w ? w->n : r->threads, e);
	if (!rc)
		report_inputs(&s);
	if (!rc && ops->finish)
		rc = ops->finish(ops->ctx, put_frames, r->sink, e);
	if (!rc)
		rc = sink_finish(r->sink, e);
	feed_close(s.feed);
	return rc;
}
