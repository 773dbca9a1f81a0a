/* SPDX-License-Identifier: MIT */
/* primer_scan_run.c - k-difference primers over all operands */

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/base.h"
#include "flow/flow.h"
#include "letters/letters.h"
#include "scan/asm/asm.h"
#include "scan/primer/primer_scan_priv.h"
#include "scan/scan.h"

/* Ends of a run to PRIMER frames. */

struct framer {
	const struct primer_scan *s;
	const struct whole_run *u;
	uint32_t number;	/* of the next frame */
	uint64_t *end[SEARCHES];	/* of a side; NULL: no such search */
	struct buf bytes;
	whole_put_fn *put;
	void *ctx;
};

static int
put_stretch(struct framer *f, const struct primer_side *d, uint64_t beg,
	    bool last, struct err *e)
{
	const struct query *q = &f->s->q->v[d->target];
	struct primer_part p = {
		.run = f->u->key,
		.receipt = { .scan = f->s->key, .number = f->number++,
			     .last = last, .unmerged = true,
			     .range = f->u->range, .n_ranges = f->u->n },
		.target = { d->target, d->n, q->name },
		.options = { (const char *)f->s->options.p,
			     f->s->options.n },
		.minus = d->minus, .beg = beg, .n = primer_starts(d->n, beg),
		.letters = d->letters + beg,
		.end = f->end[SEARCH_WHOLE] + beg,
		.end3 = f->end[SEARCH_TAIL] ? f->end[SEARCH_TAIL] + beg : NULL,
	};
	struct rec_frame *frame;
	int rc = primer_encode(&frame, &p, e);

	if (rc)
		return rc;
	f->bytes.n = 0;
	rc = rec_encode(&f->bytes, frame, e);
	rec_frame_drop(frame);
	return rc ? rc : f->put(f->ctx, &f->bytes, e);
}

static int
put_side(struct framer *f, size_t i, struct primer *const *search,
	 struct err *e)
{
	const struct primer_side *d = &f->s->side[i];
	bool last = i + 1 == f->s->n_sides;
	int rc = 0;

	for (int k = 0; k < SEARCHES; k++)
		if (search[k])
			primer_target_ends(search[k], i, f->end[k]);
	for (uint64_t beg = 0; beg < d->n && !rc; beg += PRIMER_SPLIT)
		rc = put_stretch(f, d, beg, last && d->n - beg <= PRIMER_SPLIT,
				 e);
	return rc;
}

/* PRIMER frames of a run: all sides, each in its stretches. */
static int
primer_scan_frames(const struct primer_scan *s, const struct whole_run *u,
		   struct primer *const *search, whole_put_fn *put,
		   void *ctx, struct err *e)
{
	struct framer f = { .s = s, .u = u, .put = put, .ctx = ctx };
	size_t most = 0;
	int rc = 0;

	for (size_t i = 0; i < s->n_sides; i++)
		most = s->side[i].n > most ? s->side[i].n : most;
	for (int k = 0; k < SEARCHES && !rc; k++) {
		f.end[k] = search[k] ? malloc(most * sizeof **f.end) : NULL;
		if (search[k] && !f.end[k])
			rc = err_nomem(e, most * sizeof **f.end);
	}
	for (size_t i = 0; i < s->n_sides && !rc; i++)
		rc = put_side(&f, i, search, e);
	for (int k = 0; k < SEARCHES; k++)
		free(f.end[k]);
	buf_free(&f.bytes);
	return rc;
}

/*
 * Letters of a window to symbols to be searched
 *
 * What matches nothing never matters at the begin of a text, and beyond k in a
 * row never anywhere: of runs of N no more is kept.  Two sequences stand in one
 * text, k of nothing between them, unless that would be much more than the
 * letters: then each has a text of its own.
 */

void
primer_text_free(struct primer_text *t)
{
	buf_free(&t->symbols);
	free(t->end);
	memset(t, 0, sizeof *t);
}

struct writer {
	struct primer_text *t;
	uint64_t k, run;	/* nothing at the end of the text; k at its
				   begin */
	struct err *e;
};

static int
check_dna(const struct window *w, const struct window_seg *g, struct err *e)
{
	const struct str name = g->row->name;
	uint64_t i = g->beg;

	while (i < g->end && dna_set(w->bytes[i]))
		i++;
	if (i == g->end)
		return 0;
	return err_set(e, ERR_FORMAT, "%.*s: '%c' at %llu is no DNA letter "
		       "(for others: --alphabet=literal)",
		       (int)(name.n < 99 ? name.n : 99), name.p, w->bytes[i],
		       (unsigned long long)
		       chunk_turn(g->row, g->origin + (i - g->beg)) + 1);
}

static int
end_text(struct writer *w)
{
	struct primer_text *t = w->t;
	size_t beg = t->n ? t->end[t->n - 1] : 0;
	int rc;

	t->symbols.n -= t->symbols.n > beg ? w->run : 0;
	w->run = w->k;
	if (t->symbols.n == beg)
		return 0;
	rc = array_room(&t->end, &t->cap, t->n + 1, sizeof *t->end, w->e);
	if (rc)
		return rc;
	t->end[t->n++] = t->symbols.n;
	return 0;
}

/* Room for n letters more, behind what keeps them from those before. */
static int
begin_sequence(struct writer *w, uint64_t n)
{
	struct buf *b = &w->t->symbols;
	uint64_t gap = w->k - w->run;
	int rc = 0;

	if (gap > 16 + 4 * n) {
		rc = end_text(w);
		gap = 0;
	}
	if (rc)
		return rc;
	buf_zero(b, gap);
	w->run += gap;
	return buf_reserve(b, n) ? 0 : err_nomem(w->e, n);
}

/* Letters s[0], s[step], ... n of them; there is room. */
static void
put_letters(struct writer *w, const uint8_t *symbol, const uint8_t *s,
	    ptrdiff_t step, uint64_t n)
{
	struct buf *b = &w->t->symbols;
	uint8_t *to = b->p + b->n;
	uint64_t run = w->run;

	for (; n; n--, s += step) {
		uint8_t x = symbol[*s];

		run = x ? 0 : run + 1;
		*to = x;
		to += run <= w->k;
		run -= run > w->k;
	}
	b->n = (size_t)(to - b->p);
	w->run = run;
}

static int
put_strand(struct writer *x, const struct primer_scan *s,
	   const struct window *w, bool minus)
{
	const uint8_t *symbol = primer_symbols(s->empty[SEARCH_WHOLE], minus);
	int rc = 0;

	for (size_t i = 0; i < w->n_seg && !rc; i++) {
		const struct window_seg *g = &w->seg[i];
		uint64_t n = g->end - g->beg;

		rc = begin_sequence(x, n);
		if (rc || n == 0)
			continue;
		if (minus)
			put_letters(x, symbol, w->bytes + g->end - 1, -1, n);
		else
			put_letters(x, symbol, w->bytes + g->beg, 1, n);
	}
	return rc;
}

int
primer_text_of(struct primer_text *t, const struct primer_scan *s,
	       const struct window *w, struct err *e)
{
	struct writer x = { .t = t, .e = e };
	int rc = 0;

	x.k = x.run = max_u64(s->rule.k, s->rule.tail_k);
	t->symbols.n = t->n = 0;
	for (size_t i = 0; i < w->n_seg && !rc; i++)
		if (s->o.alphabet == PRIMER_DNA)
			rc = check_dna(w, &w->seg[i], e);
	if (!rc && s->o.strands & PRIMER_PLUS)
		rc = put_strand(&x, s, w, false);
	if (!rc && s->o.strands & PRIMER_MINUS)
		rc = put_strand(&x, s, w, true);
	return rc ? rc : end_text(&x);
}

/* A chunk in the source's way, by a GPU or here. */

/* How many threads share a start, and how many take starts. */
static struct primer_paper
primer_scan_share(const struct primer_scan *s, unsigned threads)
{
	const char *how = s->o.parallel ? s->o.parallel : "coarse";
	unsigned fine = *how == 'c' ? 0 : *how == 'f' ? threads :
			threads < 2 ? 1 : 2;

	return (struct primer_paper){
		.method = s->o.method, .optimisations = s->optimisations,
		.coarse = fine ? threads / fine : threads, .fine = fine,
	};
}

/* One text after the other. */
static int
each(const struct primer_paper_backend *h, const struct primer_text *x,
     struct primer *const *search, const struct primer_paper *how,
     struct primer_paper_stats *did, struct err *e)
{
	const uint8_t *symbols = x->symbols.p;
	size_t beg = 0;
	int rc = 0;

	for (size_t i = 0; i < x->n && !rc; beg = x->end[i++])
		for (int k = 0; k < SEARCHES && !rc; k++) {
			size_t n = x->end[i] - beg;

			if (!search[k])
				continue;
			rc = h ? primer_paper_by(h, search[k], symbols + beg, n,
						 how, did, e) :
				 primer_paper(search[k], symbols + beg, n, how,
					      did, e);
		}
	return rc;
}

/* All of a text by the source's algorithms.  PRIMER_NOT_NOW: that is not how it
 * is to be searched. */
static int
primer_scan_paper(const struct primer_scan *s, const struct primer_text *x,
		  struct primer *const *search, const struct primer_paper *how,
		  struct primer_paper_stats *did, struct err *e)
{
	struct primer_paper gpu = *how;
	int rc = PRIMER_NOT_NOW;

	gpu.optimisations = s->gpu_optimisations;
	if (s->paper_backend.run)
		rc = each(&s->paper_backend, x, search, &gpu, did, e);
	if (rc == PRIMER_NOT_NOW && s->o.paper)
		rc = each(NULL, x, search, how, did, e);
	return rc;
}

/* The nearest site of each primer. */

/* Letters of the primers of one pass, or a single primer that has more. */
enum { BATCH = 1 << 20 };

struct primer_sites {
	const struct scan_run *r;
	const struct primer_scan *scan;
	uint64_t ends;		/* of the first pass: hash of its ENDs */
	struct one *v;		/* of each row */
	size_t n, cap;
	struct buf letters, text;
	struct primer_site *site;
	uint64_t k, longest;
	/* Of one pass. */
	struct query *q;
	size_t *row;		/* of each query */
	size_t n_q;
};
struct one {
	size_t letters, n;	/* where they are, and how many */
	size_t cigar, cigar_n, name, name_n;	/* in text */
	bool found;
	uint64_t run, ordinal;		/* of its sequence */
	struct primer_site site;	/* without texts */
};

/* A hash of all ENDs in order, after one more frame, if it is an END: two
 * passes with the same have seen the same letters. */
static uint64_t
hash_ends(uint64_t hash, const struct rec_frame *f)
{
	struct run_end n;
	struct err e;

	if (f->type != REC_END || end_view(&n, f, &e))
		return hash;
	uint64_t v[] = { n.run.id, n.chunks, n.sequences, n.letters,
			 n.digest };
	return hash64(v, sizeof v, hash);
}

/* Twice the same letters? */
static int
can_reread(const struct scan_run *r, struct err *e)
{
	struct stat st;

	if (!r->n_operands)
		return err_set(e, ERR_USAGE, "--site: the background is read "
			       "twice, and must be files");
	for (size_t i = 0; i < r->n_operands; i++)
		if (strcmp(r->operand[i], "-") == 0 ||
		    (stat(r->operand[i], &st) == 0 && !S_ISREG(st.st_mode)))
			return err_set(e, ERR_USAGE, "--site: %s: is read "
				       "twice, and must be a file",
				       r->operand[i]);
	return 0;
}

int
primer_sites_new(struct primer_sites **out, const struct scan_run *r,
		 const struct primer_scan *scan, enum format format,
		 struct err *e)
{
	struct primer_sites *s;
	int rc = can_reread(r, e);

	*out = NULL;
	if (rc)
		return rc;
	if (format != FORMAT_TSV && format != FORMAT_BED &&
	    format != FORMAT_GFF3 && format != FORMAT_JSON)
		return err_set(e, ERR_USAGE, "--site: only with -O tsv, bed, "
			       "gff3 and json");
	if (scan->o.alphabet == PRIMER_LITERAL)
		return err_set(e, ERR_USAGE, "--site: only for DNA, not with "
			       "--alphabet=literal");
	s = *out = calloc(1, sizeof *s);
	if (!s)
		return err_nomem(e, sizeof *s);
	s->r = r;
	s->scan = scan;
	return 0;
}

void
primer_sites_free(struct primer_sites *s)
{
	if (!s)
		return;
	buf_free(&s->letters);
	buf_free(&s->text);
	free(s->v);
	free(s->site);
	free(s->q);
	free(s->row);
	free(s);
}

/* Every frame of the first pass, in order.  ERR_USAGE for results of another
 * scan: what they come from is not there. */
static int
primer_sites_see(struct primer_sites *s, const struct rec_frame *f,
		 struct err *e)
{
	if (f->type == REC_HITS || f->type == REC_TALLY ||
	    f->type == REC_PRIMER || f->type == REC_DIST)
		return err_set(e, ERR_USAGE, "--site: an operand holds "
			       "results, whose background is not there");
	s->ends = hash_ends(s->ends, f);
	return 0;
}

static int
take_primer(void *ctx, const struct primer_row *r, struct err *e)
{
	struct primer_sites *s = ctx;
	int rc = array_room(&s->v, &s->cap, s->n + 1, sizeof *s->v, e);

	if (rc)
		return rc;
	s->v[s->n++] = (struct one){ .letters = s->letters.n,
				     .n = r->sequence.n };
	s->longest = max_u64(s->longest, r->sequence.n);
	buf_put(&s->letters, r->sequence.p, r->sequence.n);
	return s->letters.bad ? err_nomem(e, s->letters.n) : 0;
}

/* Of a circle, whose hits come from its head on last: is it before the one that
 * was found? */
static bool
is_before(const struct one *o, const struct hits_view *v, const struct hit *h)
{
	bool minus = h->flags & HIT_MINUS;

	if (!(h->flags & HIT_CIRCULAR) || o->run != v->run.id ||
	    o->ordinal != h->subject.ordinal)
		return false;
	if (o->site.send != h->send)
		return h->send < o->site.send;
	return o->site.minus != minus ? !minus : h->sbeg < o->site.sbeg;
}

/* A pass hands out the least of each query in the order of places. */
static int
take_hit(void *ctx, const struct hits_view *v, const struct hit *h,
	 struct err *e)
{
	struct primer_sites *s = ctx;
	struct one *o;

	if (h->query.ordinal >= s->n_q)
		return err_set(e, ERR_FORMAT, "--site: a hit of no primer");
	o = &s->v[s->row[h->query.ordinal]];
	if (o->found && !is_before(o, v, h))
		return 0;
	o->found = true;
	o->run = v->run.id;
	o->ordinal = h->subject.ordinal;
	o->site.minus = h->flags & HIT_MINUS;
	o->site.sbeg = h->sbeg;
	o->site.send = h->send;
	o->site.edits = h->edits;
	o->cigar = s->text.n;
	cigar_text(&s->text, h->cigar, h->n_cigar);
	o->cigar_n = s->text.n - o->cigar;
	o->name = s->text.n;
	buf_put(&s->text, h->subject.name.p, h->subject.name.n);
	o->name_n = h->subject.name.n;
	return s->text.bad ? err_nomem(e, s->text.n) : 0;
}

/* One more pass over the operands, for the best hits of some primers. */
struct pass {
	struct scan_workers *workers;	/* first: for the pump */
	struct primer_sites *s;
	struct asm_search search;
	struct feed *feed;
	uint64_t ends;
};

static uint64_t primer_scan_own(const struct primer_scan *s);

/*
 * Context of chunks that are cut here.  What pieces of circles own depends on
 * it, so that it is the same for all passes: no primer that occurs with fewer
 * differences than letters needs more than twice its letters.
 */
static uint64_t
primer_scan_cut(const struct primer_scan *s, const struct scan_run *r,
		uint64_t context)
{
	return r->circular ? 2 * (s->context + 1) : context;
}

static int
emit(void *ctx, struct pump_job *job, struct err *e)
{
	struct pass *p = ctx;
	const struct rec_frame *f = job->item.frame;

	if (p->s->r->progress)
		p->s->r->progress(feed_place(p->feed));
	if (job->item.kind == FEED_DAMAGE)
		return err_set(e, ERR_FORMAT, "--site: %s", job->item.text);
	if (!f)
		return 0;
	p->ends = hash_ends(p->ends, f);
	return f->type == REC_CHUNK ? scan_best_add(p->search.best, f,
						    &job->out, e) : 0;
}

static int
take_frame(void *ctx, struct rec_frame *f, struct err *e)
{
	return f->type == REC_HITS ? hits_each(f, take_hit, ctx, e) : 0;
}

static int
take_frames(void *ctx, const struct buf *frames, struct err *e)
{
	return frames_each(frames, take_frame, ctx, e);
}

/* a reports ASM_BEST.  Damage is ERR_FORMAT. */
static int
run_pass(struct primer_sites *s, const struct asm_scan *a, struct err *e)
{
	const struct scan_run *r = s->r;
	struct pump_ops po = { .context = asm_context(a),
			       .work = scan_workers_work,
			       .part = scan_workers_part,
			       .join = scan_workers_join, .emit = emit };
	struct feed_params fp = feed_defaults;
	struct pass p = { .s = s, .search = { .a = a } };
	int rc = asm_best_new(&p.search.best, a, e);

	fp.min_context = primer_scan_cut(s->scan, r, po.context);
	fp.threads = r->threads;
	fp.regions = r->regions;
	fp.circular = r->circular;
	fp.digits = r->digits;
	fp.own = primer_scan_own(s->scan);
	if (!rc)
		rc = asm_workers_new(&p.workers, &p.search, r->threads, e);
	if (!rc)
		rc = feed_open(&p.feed, r->operand, r->n_operands, &fp, e);
	if (!rc)
		rc = pump_run(p.feed, &po, &p, r->threads, e);
	if (!rc)
		rc = scan_best_finish(p.search.best, take_frames, s, e);
	if (!rc && p.ends != s->ends)
		rc = err_set(e, ERR_IO, "--site: the background has changed "
			     "while it was searched");
	if (p.feed)
		feed_close(p.feed);
	scan_workers_free(p.workers);
	scan_best_free(p.search.best);
	return rc;
}

/*
 * Rows from *at on that have no site as yet to queries.  Any alignment with a
 * letter that matches has fewer differences than the primer has letters: once k
 * was as many less one, there is nothing more to be found.
 */
static void
next_batch(struct primer_sites *s, size_t *at, uint64_t done)
{
	uint64_t letters = 0;

	for (s->n_q = 0; *at < s->n; ++*at) {
		const struct one *o = &s->v[*at];
		struct str p = { (const char *)s->letters.p + o->letters,
				 o->n };

		if (o->found || (done && o->n <= done + 1))
			continue;
		if (s->n_q && letters + o->n > BATCH)
			return;
		letters += o->n;
		s->row[s->n_q] = *at;
		s->q[s->n_q++] = (struct query){
			.name = p, .letters = p, .where = "--site",
		};
	}
}

static int
search(struct primer_sites *s, struct err *e)
{
	struct queries q = { .v = s->q, .n = s->n_q, .base = "primers" };
	char k[24];
	struct asm_options o = {
		.k = k, .report = ASM_BEST, .iupac = true, .k_fits = true,
		.strands = s->scan->o.strands == PRIMER_PLUS ? ASM_PLUS :
			   s->scan->o.strands == PRIMER_MINUS ? ASM_MINUS :
			   ASM_BOTH,
		.hide = &s->scan->hide,
	};
	struct asm_scan *a = NULL;
	int rc;

	snprintf(k, sizeof k, "%llu", (unsigned long long)s->k);
	rc = asm_new(&a, &o, &q, e);
	if (!rc)
		rc = run_pass(s, a, e);
	asm_free(a);
	return rc;
}

/*
 * A primer that was not lengthened has exactly -k differences; others have
 * more, and need more passes.
 */
static int
search_all(struct primer_sites *s, struct err *e)
{
	uint64_t done = 0, step = 1;
	int rc = 0;

	s->k = s->scan->rule.k;
	while (!rc && done + 1 < s->longest + !done) {
		size_t at = 0;

		do {
			next_batch(s, &at, done);
			if (s->n_q)
				rc = search(s, e);
		} while (!rc && s->n_q);
		done = s->k;
		s->k += step;
		step *= 2;
	}
	return rc;
}

static void
point(struct primer_sites *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct one *o = &s->v[i];
		const char *t = (const char *)s->text.p;

		if (!o->found)
			continue;
		s->site[i] = o->site;
		s->site[i].cigar = (struct str){ t + o->cigar, o->cigar_n };
		s->site[i].subject = (struct str){ t + o->name, o->name_n };
	}
}

int
primer_sites_find(void *ctx, struct primers *p, struct err *e)
{
	struct primer_sites *s = ctx;
	int rc = primers_rows(p, take_primer, s, e);

	if (rc || s->n == 0)
		return rc;
	s->site = calloc(s->n, sizeof *s->site);
	s->q = calloc(s->n, sizeof *s->q);
	s->row = calloc(s->n, sizeof *s->row);
	if (!s->site || !s->q || !s->row)
		return err_nomem(e, s->n * sizeof *s->q);
	rc = search_all(s, e);
	if (!rc) {
		point(s);
		primers_set_sites(p, s->site);
	}
	return rc;
}

/* K-difference primers over all operands. */

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

/* A chunk's text, and where its results go. */
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
	struct primer_meter meter;
	uint64_t places;	/* to be metered, of chunks begun; atomic */
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

/* A circle holds what occurs in it at most once around. */
static int
check_circles(const struct primer_scan *s, const struct chunk *c,
	      struct err *e)
{
	const unsigned last = CHUNK_CIRCULAR | CHUNK_LAST;

	for (size_t i = 0; i < c->n_rows && c->circular; i++) {
		const struct chunk_row *r = &c->row[i];

		if ((r->flags & last) != last || r->length > s->context)
			continue;
		return err_set(e, ERR_USAGE, "%.*s: --circular: %llu letters "
			       "may be alike, with --max-len fewer, but the "
			       "circle has %llu",
			       (int)min_u64(r->name.n, 99), r->name.p,
			       (unsigned long long)s->context + 1,
			       (unsigned long long)r->length);
	}
	return 0;
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
	rc = check_circles(m->s, &v.c, e);
	if (!rc)
		rc = chunk_unroll(&v.c, m->s->context, e);
	if (!rc)
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

/* All places are searched for by each part that has letters of its own. */
static void
count_places(struct team *m, const struct job *j)
{
	uint64_t n = j->text.n * (j->by_text ? j->n_parts : 1), all = 0;

	for (int k = 0; k < SEARCHES; k++)
		all += j->search[k] ? j->places : 0;
	__atomic_fetch_add(&m->places, n * all, __ATOMIC_RELAXED);
}

static void
watch(void *ctx, void (*tick)(void *), void *tick_ctx)
{
	struct team *m = ctx;

	m->meter.tick = tick;
	m->meter.ctx = tick_ctx;
}

static struct scan_cells
places_done(void *ctx)
{
	struct team *m = ctx;

	return (struct scan_cells){
		.starts = true,
		.done = __atomic_load_n(&m->meter.done, __ATOMIC_RELAXED),
		.of = __atomic_load_n(&m->places, __ATOMIC_RELAXED),
	};
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
	n = t->job.n_parts = parts_of(&t->job, pump->threads);
	count_places(m, &t->job);
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
static uint64_t
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
	while (m->n < threads && !rc) {
		rc = primer_work_new(&m->member[m->n++].work, e);
		if (!rc)
			primer_work_meter(m->member[m->n - 1].work, &m->meter);
	}
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
add_stats(const struct team *m, struct primer_scan_stats *to)
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
		to->search.reported += a->reported;
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
		.cut = sites ? primer_scan_cut(s, r, 0) : 0,
		.own = primer_scan_own(s),
		.text = { (const char *)s->text.p, s->text.n },
		.work = work, .part = part, .join = join, .keep = keep,
		.end = end, .finish = finish, .see = see, .watch = watch,
		.cells = places_done, .ctx = &m,
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
		add_stats(&m, stats);
	if (!rc && s->self && primer_self_missing(s->self, &why))
		r->note(why.text);
	team_free(&m);
	pthread_mutex_destroy(&m.lock);
	return rc;
}
