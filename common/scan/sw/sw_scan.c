/* SPDX-License-Identifier: MIT */
/* sw_scan.c - from options and queries to a compiled scan and its identity */

#include <stdlib.h>

#include "base/base.h"
#include "flow/flow.h"
#include "scan/sw/sw_gpu.h"
#include "scan/sw/sw_scan.h"
#include "scan/sw/sw_scan_priv.h"

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

static void
reverse_complement(const struct sw_scan *s, uint8_t *code, size_t n)
{
	for (size_t i = 0, j = n; i < j; i++) {
		uint8_t x = code[i], y = code[--j];

		code[i] = s->by.complement[y];
		code[j] = s->by.complement[x];
	}
}

void
sw_pattern_codes(const struct sw_scan *s, const struct sw_pattern *p,
		 uint8_t *code)
{
	const struct str letters = s->q->v[p->query].letters;

	for (size_t i = 0; i < letters.n; i++)
		code[i] = s->by.code_of[(uint8_t)letters.p[i]];
	if (p->minus)
		reverse_complement(s, code, letters.n);
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
