/* SPDX-License-Identifier: MIT */
/* primer_scan_run.c - k-difference primers over all operands */
#include <stdlib.h>

#include "base/array.h"
#include "base/minmax.h"
#include "scan/primer_scan_priv.h"
#include "scan/primer_sites.h"
#include "stream/feed.h"
#include "stream/pump_pool.h"

/*
 * A chunk is cut into so many parts for each thread: of starts, so many at
 * least, as each range begins without a neighbour's end to go on from, which
 * costs about one scan of the text; or of its letters.
 */
enum { PARTS = 4, STARTS = 512, LETTERS = 1 << 16 };

/* Ends of a run. */
struct ends {
	uint64_t run;
	struct primer *search[SEARCHES];
};

/* A chunk's text, and where what it tells goes. */
struct job {
	struct primer_text text;
	struct primer *search[SEARCHES];
	uint64_t places, n_parts;
	bool by_text;		/* parts are of letters, not of starts */
};

struct member {		/* a thread */
	struct primer_work *work;
	struct window w;
	struct job job;		/* one that is not cut */
	uint64_t n_letters;
	struct primer_paper_stats did;
};

struct team {
	const struct primer_scan *s;
	pthread_mutex_t lock;	/* of ends */
	struct ends *ends;
	size_t n_ends, cap;
	struct whole whole;
	unsigned n;
	struct member *member;
	struct primer_paper paper;	/* by the source's algorithms */
	struct primer_sites *sites;
	struct job *cut;	/* one for each thread, in parts */
	struct pump_pool spare;	/* of them */
};

/* The run's ends; they are made when it is met. */
static int
find_ends(struct team *m, uint64_t run, struct primer **search, struct err *e)
{
	size_t i = m->n_ends;
	int rc;

	while (i > 0 && m->ends[i - 1].run != run)
		i--;
	if (i == 0) {
		rc = array_room(&m->ends, &m->cap, m->n_ends + 1,
				sizeof *m->ends, e);
		if (!rc)
			rc = primer_searches_new(m->s,
						 m->ends[m->n_ends].search, e);
		if (rc)
			return rc;
		m->ends[m->n_ends].run = run;
		i = ++m->n_ends;
	}
	memcpy(search, m->ends[i - 1].search, sizeof m->ends->search);
	return 0;
}

static int
ends_of(struct team *m, uint64_t run, struct primer **search, struct err *e)
{
	int rc;

	pthread_mutex_lock(&m->lock);
	rc = find_ends(m, run, search, e);
	pthread_mutex_unlock(&m->lock);
	return rc;
}

static int
open_job(struct team *m, struct member *t, const struct pump_job *pump,
	 struct err *e)
{
	struct job *j = &t->job;
	struct scan_chunk v;
	int rc = scan_chunk_view(&v, pump->item.frame, pump->before,
				 pump->n_before, e);

	if (rc)
		return rc;
	t->w.hide = m->s->self ? &m->s->hide : NULL;
	rc = window_build(&t->w, WINDOW_BYTES, m->s->context, 0, &v.c,
			  v.before, v.n_before, e);
	if (!rc)
		rc = primer_text_of(&j->text, m->s, &t->w, e);
	if (!rc)
		rc = ends_of(m, v.c.run.id, j->search, e);
	if (!rc) {
		j->places = primer_places(j->search[SEARCH_WHOLE]);
		j->by_text = primer_by_text(j->search[SEARCH_WHOLE]);
	}
	t->n_letters += v.c.owned;
	scan_chunk_free(&v);
	return rc;
}

/* A part, of text [beg, end) of the job's. */
static int
search_text(const struct job *j, struct primer *p, size_t beg, size_t end,
	    uint64_t i, struct primer_work *work, struct err *e)
{
	uint64_t n = j->n_parts, span = primer_span(p), len = end - beg;
	uint64_t step = (j->places + n - 1) / n, from, to;

	if (!j->by_text)
		return primer_search(p, j->text.symbols.p + beg, len, i * step,
				     min_u64((i + 1) * step, j->places), work,
				     e);
	from = len / n * i;
	to = i + 1 < n ? from + len / n : len;
	from = from > span ? from - span : 0;
	return primer_search(p, j->text.symbols.p + beg + from, to - from, 0,
			     j->places, work, e);
}

static int
search_part(const struct job *j, uint64_t i, struct primer_work *work,
	    struct err *e)
{
	size_t beg = 0;
	int rc = 0;

	for (size_t t = 0; t < j->text.n && !rc; beg = j->text.end[t++])
		for (int k = 0; k < SEARCHES && !rc; k++)
			if (j->search[k])
				rc = search_text(j, j->search[k], beg,
						 j->text.end[t], i, work, e);
	return rc;
}

/* How many parts would the job have? */
static uint64_t
parts_of(const struct job *j, unsigned team)
{
	uint64_t most = min_u64(PARTS * (uint64_t)team, PUMP_MAX_PARTS);
	uint64_t n = j->by_text ? j->text.symbols.n / LETTERS :
				  j->places / STARTS;

	return team > 1 && j->text.n && n ? min_u64(most, n) : 1;
}

static int
work(void *ctx, unsigned thread, struct pump_job *pump, struct err *e)
{
	struct team *m = ctx;
	struct member *t = &m->member[thread];
	struct job mine;
	unsigned c;
	uint64_t n;
	int rc;

	if (pump->item.frame->type != REC_CHUNK)
		return 0;
	rc = open_job(m, t, pump, e);
	if (!rc)
		rc = primer_scan_paper(m->s, &t->job.text, t->job.search,
				       &m->paper, &t->did, e);
	if (rc != PRIMER_NOT_NOW)
		return rc;
	n = t->job.n_parts = parts_of(&t->job, pump->team);
	c = n > 1 ? pump_pool_borrow(&m->spare) : m->spare.n;
	if (c == m->spare.n) {
		t->job.n_parts = 1;
		return search_part(&t->job, 0, t->work, e);
	}
	mine = t->job;
	t->job = m->cut[c];	/* its memory */
	m->cut[c] = mine;
	pump->parts = &m->cut[c];
	pump->n_parts = (unsigned)n;
	return 0;
}

static int
part(void *ctx, unsigned thread, struct pump_job *pump, unsigned i, bool next,
     struct err *e)
{
	struct team *m = ctx;

	(void)next;
	return search_part(pump->parts, i, m->member[thread].work, e);
}

static int
join(void *ctx, struct pump_job *pump, unsigned i, struct err *e)
{
	struct team *m = ctx;
	const struct job *j = pump->parts;

	(void)e;
	if (i + 1 == pump->n_parts)
		pump_pool_give_back(&m->spare, (unsigned)(j - m->cut));
	return 0;
}

static int
keep(void *ctx, const struct rec_frame *f, const struct buf *none,
     struct err *e)
{
	uint32_t run;
	bool again;

	const struct team *m = ctx;
	int rc = m->s->self ? primer_self_see(m->s->self, f, e) : 0;

	(void)none;
	return rc ? rc : whole_cover(&((struct team *)ctx)->whole, f, &run,
				     &again, e);
}

static int
see(void *ctx, const struct rec_frame *f, struct err *e)
{
	struct primer_sites *sites = ((struct team *)ctx)->sites;

	return sites && f ? primer_sites_see(sites, f, e) : 0;
}

/* Of no background at all there are ends, too. */
static int
end(void *ctx, const struct run_end *n, struct err *e)
{
	uint32_t run;

	return n->chunks ? 0 : whole_meet(&((struct team *)ctx)->whole,
					  &n->run, &run, e);
}

static int
finish(void *ctx, whole_put_fn *put, void *put_ctx, struct err *e)
{
	struct team *m = ctx;
	struct primer *search[SEARCHES];
	int rc = 0;

	for (size_t i = 0; i < m->whole.n_runs && !rc; i++) {
		rc = ends_of(m, m->whole.run[i].key.id, search, e);
		if (!rc)
			rc = primer_scan_frames(m->s, &m->whole.run[i],
						search, put, put_ctx, e);
	}
	return rc;
}

bool
primer_scan_by_text(const struct primer_scan *s)
{
	return primer_by_text(s->empty[SEARCH_WHOLE]);
}

/*
 * Letters of a chunk that is cut here: more for blocks, whose scans overlap in
 * up to 512 lanes.  The context is searched again with each one: it is an
 * eighth of the work at most.
 */
uint64_t
primer_scan_own(const struct primer_scan *s)
{
	const uint64_t most = 1 << 29;
	const uint64_t usual = feed_defaults.own *
			       (primer_scan_by_text(s) ? 1 : 4);

	if (s->context <= usual / 8)
		return usual;
	return s->context < most / 8 ? s->context * 8 : most;
}

static int
team_new(struct team *m, const struct primer_scan *s, unsigned threads,
	 struct err *e)
{
	int rc = pump_pool_new(&m->spare, threads, e);

	m->s = s;
	m->member = calloc(threads, sizeof *m->member);
	m->cut = calloc(threads, sizeof *m->cut);
	if (!rc && (!m->member || !m->cut))
		rc = err_nomem(e, threads * sizeof *m->member);
	while (m->n < threads && !rc)
		rc = primer_work_new(&m->member[m->n++].work, e);
	return rc;
}

static void
team_free(struct team *m)
{
	for (unsigned i = 0; i < m->n; i++) {
		primer_work_free(m->member[i].work);
		window_free(&m->member[i].w);
		primer_text_free(&m->member[i].job.text);
		primer_text_free(&m->cut[i].text);
	}
	for (size_t i = 0; i < m->n_ends; i++)
		primer_searches_free(m->ends[i].search);
	free(m->ends);
	free(m->member);
	free(m->cut);
	pump_pool_free(&m->spare);
	whole_free(&m->whole);
}

static void
tell(const struct team *m, struct primer_scan_stats *to)
{
	memset(to, 0, sizeof *to);
	to->starts = m->s->starts;
	for (unsigned i = 0; i < m->n; i++) {
		const struct primer_stats *a =
		    primer_work_stats(m->member[i].work);

		to->letters += m->member[i].n_letters;
		primer_paper_add(&to->paper, &m->member[i].did);
		to->search.columns += a->columns;
		to->search.seeds += a->seeds;
		to->search.checks += a->checks;
		to->search.blocks += a->blocks;
		to->search.plain += a->plain;
		to->search.found += a->found;
		to->search.told += a->told;
	}
}

int
primer_scan_run(const struct scan_run *r, const struct primer_scan *s,
		struct primer_sites *sites, struct primer_scan_stats *stats,
		struct err *e)
{
	struct team m = { .sites = sites,
			  .paper = primer_scan_share(s, r->threads) };
	struct scan_ops ops = {
		.key = &s->key, .context = s->context,
		.own = primer_scan_own(s),
		.text = { (const char *)s->text.p, s->text.n },
		.work = work, .part = part, .join = join, .keep = keep,
		.end = end, .finish = finish, .see = see, .ctx = &m,
	};
	struct scan_run run = *r;
	struct err why;
	int rc;

	/* the source's algorithms have threads of their own */
	if (s->o.paper)
		run.threads = 1;
	if (pthread_mutex_init(&m.lock, NULL))
		return err_set(e, ERR_NOMEM, "no mutex");
	rc = team_new(&m, s, run.threads, e);
	if (!rc)
		rc = scan_run(&run, &ops, e);
	if (!rc)
		tell(&m, stats);
	if (!rc && s->self && primer_self_missing(s->self, &why))
		r->tell(why.text);
	team_free(&m);
	pthread_mutex_destroy(&m.lock);
	return rc;
}
