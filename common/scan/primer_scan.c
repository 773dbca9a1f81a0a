/* SPDX-License-Identifier: MIT */
/* primer_scan.c - from options and targets to a compiled scan */
#include <stdlib.h>

#include "base/dna.h"
#include "base/hash.h"
#include "base/opt.h"
#include "scan/primer_scan_priv.h"

void
primer_searches_free(struct primer **search)
{
	for (int i = 0; i < SEARCHES; i++) {
		primer_delete(search[i]);
		search[i] = NULL;
	}
}

static int
search_new(const struct primer_scan *s, struct primer **p,
	   const struct primer_params *par, struct err *e)
{
	int rc = primer_new(p, par, e);

	if (!rc)
		primer_set_finder(*p, s->finder);
	for (size_t i = 0; i < s->n_sides && !rc; i++)
		rc = primer_add(*p, s->side[i].letters, s->side[i].n, e);
	return rc;
}

int
primer_searches_new(const struct primer_scan *s, struct primer **search,
		    struct err *e)
{
	struct primer_params par = {
		.alphabet = s->o.alphabet,
		.engine = s->o.paper ? PRIMER_PLAIN : s->o.engine,
		.k = (uint64_t)s->o.k, .max_len = (uint64_t)s->o.max_len,
	};
	int rc;

	search[SEARCH_WHOLE] = search[SEARCH_TAIL] = NULL;
	rc = search_new(s, &search[SEARCH_WHOLE], &par, e);
	par.k = s->rule.tail_k;
	par.max_len = s->rule.tail;
	if (!rc && s->rule.tail)
		rc = search_new(s, &search[SEARCH_TAIL], &par, e);
	if (rc)
		primer_searches_free(search);
	return rc;
}

void
primer_scan_set_finder(struct primer_scan *s, const struct primer_finder *f)
{
	s->finder = f;
}

void
primer_scan_set_helper(struct primer_scan *s,
		       const struct primer_paper_helper *h)
{
	s->helper = h;
}

/* Upper case with T for U, if it is DNA. */
static int
copy_letters(const struct primer_scan *s, const struct query *q, uint8_t *to,
	     struct err *e)
{
	for (size_t i = 0; i < q->letters.n; i++) {
		uint8_t c = (uint8_t)q->letters.p[i];

		to[i] = c;
		if (s->o.alphabet == PRIMER_LITERAL)
			continue;
		if (!dna_set(c))
			return err_set(e, ERR_USAGE, "letter %zu, '%c', is not "
				       "DNA (for others: --alphabet=literal)",
				       i + 1, c ? c : '?');
		if (c >= 'a' && c <= 'z')
			c -= 'a' - 'A';
		to[i] = c == 'U' ? 'T' : c;
	}
	return 0;
}

static int
add_side(struct primer_scan *s, uint32_t target, bool minus, struct err *e)
{
	const struct query *q = &s->q->v[target];
	struct primer_side *d = &s->side[s->n_sides];
	int rc;

	d->letters = malloc(q->letters.n);
	if (!d->letters)
		return err_nomem(e, q->letters.n);
	s->n_sides++;
	d->target = target;
	d->minus = minus;
	d->n = q->letters.n;
	s->starts += d->n;
	rc = copy_letters(s, q, d->letters, e);
	if (rc)
		return err_at(e, "%s: target %.*s", q->where,
			      (int)(q->name.n < 99 ? q->name.n : 99),
			      q->name.p);
	if (minus)
		dna_revcomp(d->letters, d->n);
	return 0;
}

static int
add_targets(struct primer_scan *s, struct err *e)
{
	int rc = 0;

	if (s->q->n > UINT32_MAX / 2)
		return err_set(e, ERR_LIMIT, "too many targets");
	s->side = calloc(s->q->n * 2, sizeof *s->side);
	if (!s->side)
		return err_nomem(e, s->q->n * 2 * sizeof *s->side);
	for (uint32_t i = 0; i < s->q->n && !rc; i++) {
		if (s->o.primers & PRIMER_PLUS)
			rc = add_side(s, i, false, e);
		if (!rc && s->o.primers & PRIMER_MINUS)
			rc = add_side(s, i, true, e);
	}
	return rc;
}

/* What an occurrence may need before the last of its letters. */
static void
set_context(struct primer_scan *s)
{
	for (int i = 0; i < SEARCHES; i++) {
		uint64_t span = s->empty[i] ? primer_span(s->empty[i]) : 0;

		if (span > s->context + 1)
			s->context = span - 1;
	}
}

/* Canonical text of all that decides the results; its hash is the scan's id. */
static int
identify(struct primer_scan *s, struct err *e)
{
	static const char *const sides[] = { "", "+", "-", "both" };
	struct buf *b = &s->text;

	primer_rule_put(&s->options, &s->rule);
	buf_printf(b, "program primer-find\nversion %s\n", SEQF_VERSION);
	buf_put(b, s->options.p, s->options.n);
	if (s->self)
		buf_printf(b, "self %016llx\n",
			   (unsigned long long)primer_self_hash(s->self));
	buf_printf(b, "primers %s\nstrand %s\nqueries %zu\n",
		   sides[s->o.primers], sides[s->o.strands], s->q->n);
	if (b->bad || s->options.bad)
		return err_nomem(e, b->n);
	s->key.id = hash64(b->p, b->n, queries_hash(s->q));
	s->key.id += s->key.id == 0;	/* 0 is a run's own */
	s->key.base = (struct str){ s->q->base, strlen(s->q->base) };
	s->key.rule = SCAN_MAX;
	buf_printf(b, "query %s\nscan %016llx\n", s->q->base,
		   (unsigned long long)s->key.id);
	return b->bad ? err_nomem(e, b->n) : 0;
}

static int
compile(struct primer_scan *s, struct err *e)
{
	int rc = primer_settle(&s->o, &s->rule, e);

	if (!rc)
		rc = primer_settle_paper(&s->o, &s->optimisations,
					 &s->gpu_optimisations, e);
	if (!rc)
		rc = add_targets(s, e);
	if (!rc && s->o.self)
		rc = primer_self_new(&s->self, s->o.self, e);
	if (!rc && s->self)
		s->hide = primer_self_hide(s->self);
	if (!rc)
		rc = primer_searches_new(s, s->empty, e);
	if (!rc)
		rc = identify(s, e);
	if (!rc)
		set_context(s);
	return rc;
}

int
primer_scan_new(struct primer_scan **out, const struct primer_options *o,
		const struct queries *q, struct err *e)
{
	struct primer_scan *s = calloc(1, sizeof *s);
	int rc;

	*out = NULL;
	if (!s)
		return err_nomem(e, sizeof *s);
	s->o = *o;
	s->q = q;
	rc = compile(s, e);
	if (rc) {
		primer_scan_free(s);
		return rc;
	}
	*out = s;
	return 0;
}

void
primer_scan_free(struct primer_scan *s)
{
	if (!s)
		return;
	primer_searches_free(s->empty);
	primer_self_free(s->self);
	for (size_t i = 0; i < s->n_sides; i++)
		free(s->side[i].letters);
	free(s->side);
	buf_free(&s->text);
	buf_free(&s->options);
	free(s);
}
