/* SPDX-License-Identifier: MIT */
/* sw_scan.c - from options and queries to a compiled scan and its identity */
#include "scan/sw_scan.h"

#include <stdlib.h>

#include "base/cpu.h"
#include "base/hash.h"
#include "scan/sw_gpu.h"
#include "scan/sw_scan_priv.h"

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
	int rc = sw_query_new(&p->q, &s->scoring, code, n, minus,
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
	for (uint32_t i = 0; i < s->q->n && !rc; i++) {
		rc = add_query(s, i, e);
		if (rc)
			query_blame(&s->q->v[i], e);
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
	return b->bad ? err_nomem(e, b->n) : 0;
}

static const struct sw_codes_ops *
codes_ops(void)
{
	switch (cpu_isa()) {
#if defined(__x86_64__)
	case ISA_AVX512: return &sw_codes_ops_avx512;
	case ISA_AVX2: return &sw_codes_ops_avx2;
#endif
	default: return &sw_codes_ops_scalar;
	}
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
	s->codes = codes_ops();
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
	cuda_peaks_free(s->gpu);
	free(s->pattern);
	buf_free(&s->text);
	free(s);
}

size_t
sw_scan_patterns(const struct sw_scan *s)
{
	return s->n_patterns;
}

bool
sw_scan_logarithmic(const struct sw_scan *s)
{
	return s->by.lambda > 0;
}
