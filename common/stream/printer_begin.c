/* SPDX-License-Identifier: MIT */
/* printer_begin.c - how rows were made: @PG, gff3's column 2, statistics */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "stream/printer_priv.h"

/* The scanner of the run is the source of its hits, else this program. */
void
printer_find_source(struct printer *p, uint64_t run)
{
	const struct begin *best = NULL;
	struct str v = { NULL, 0 };

	if (p->source_known && p->source_run == run)
		return;
	for (size_t i = 0; i < p->n_begins; i++) {
		const struct begin *b = &p->begin[i].b;

		if (b->run.id == run && b->scan.id &&
		    (!best || scan_key_cmp(&b->scan, &best->scan) < 0))
			best = b;
	}
	if (best)
		v = begin_value(best, "program");
	if (v.p)
		snprintf(p->source, sizeof p->source, "%.*s",
			 (int)(v.n < 60 ? v.n : 60), v.p);
	else
		snprintf(p->source, sizeof p->source, "%s",
			 p->pp.prog ? p->pp.prog : "seqfilters");
	p->source_run = run;
	p->source_known = true;
}

/* The run's strings and the text, copied one behind the other. */
static void
copy_begin(struct print_begin *to, const struct begin *from)
{
	struct str *s[] = { &to->b.run.base, &to->b.run.label,
			    &to->b.run.first, &to->b.scan.base, &to->b.text };
	size_t at = 0;

	to->b = *from;
	memset(&to->text, 0, sizeof to->text);
	for (size_t i = 0; i < sizeof s / sizeof *s; i++)
		buf_put(&to->text, s[i]->p, s[i]->n);
	for (size_t i = 0; i < sizeof s / sizeof *s && !to->text.bad; i++) {
		s[i]->p = s[i]->n ? (char *)to->text.p + at : "";
		at += s[i]->n;
	}
}

/* How results were merged is no part of a final text. */
static bool
is_merge(const struct begin *b)
{
	return begin_says(b, "program", "merge-topk");
}

static bool
same_begin(const struct begin *a, const struct begin *b)
{
	return a->run.id == b->run.id && a->scan.id == b->scan.id &&
	       a->text.n == b->text.n &&
	       memcmp(a->text.p, b->text.p, a->text.n) == 0;
}

int
printer_begin(struct printer *p, const struct begin *b, struct err *e)
{
	size_t bytes = (p->n_begins + 1) * sizeof *p->begin;
	struct print_begin *v;

	if (b->scan.id && !is_merge(b))
		p->tables |= b->scan.rule == SCAN_SUM ? PRINTER_SUMS :
			     begin_says(b, "program", "ebwt-dist") ?
							PRINTER_DISTS :
							PRINTER_HITS;
	if (p->family->need != PRINT_ALL && p->family->need != PRINT_STATS &&
	    p->pp.format != FORMAT_GFF3)
		return 0;
	if (is_merge(b))
		return 0;
	for (size_t i = 0; i < p->n_begins; i++)
		if (same_begin(&p->begin[i].b, b))
			return 0;
	v = realloc(p->begin, bytes);
	if (!v)
		return err_nomem(e, bytes);
	p->begin = v;
	copy_begin(&v[p->n_begins], b);
	if (v[p->n_begins].text.bad) {
		buf_free(&v[p->n_begins].text);
		return err_nomem(e, b->text.n);
	}
	p->n_begins++;
	p->source_known = p->stats_known = false;
	return p->family->need == PRINT_STATS && p->wait.on ?
	       printer_drain(p, e) : 0;
}

int
printer_letters(struct printer *p, uint64_t run, uint64_t n, struct err *e)
{
	size_t bytes = (p->n_letters + 1) * sizeof *p->letters;
	struct run_letters *v;

	if (p->family->need != PRINT_STATS)
		return 0;
	for (size_t i = 0; i < p->n_letters; i++)
		if (p->letters[i].run == run)	/* every part has its END */
			return 0;
	v = realloc(p->letters, bytes);
	if (!v)
		return err_nomem(e, bytes);
	p->letters = v;
	v[p->n_letters++] = (struct run_letters) { run, n };
	return p->wait.on ? printer_drain(p, e) : 0;
}

/* A positive number, or 0 if there is none. */
static double
number(const struct begin *b, const char *key)
{
	struct str v = begin_value(b, key);
	double x;

	return decimal_double(v.p, v.n, &x) && isfinite(x) && x > 0 ? x : 0;
}

static const struct begin *
begin_of(const struct printer *p, uint64_t run, uint64_t scan)
{
	for (size_t i = 0; i < p->n_begins; i++)
		if (p->begin[i].b.run.id == run &&
		    p->begin[i].b.scan.id == scan)
			return &p->begin[i].b;
	return NULL;
}

/* A scan whose BEGIN holds no lambda and K needs no END. */
bool
printer_find_stats(struct printer *p, uint64_t run, uint64_t scan)
{
	struct print_stats *s = &p->env.stats;
	const struct begin *b;

	if (p->stats_known && p->stats_run == run && p->stats_scan == scan)
		return true;
	b = begin_of(p, run, scan);
	if (!b)
		return false;
	*s = (struct print_stats) { number(b, "lambda"), number(b, "K"),
				    begin_says(b, "even", "yes"), 0 };
	p->stats_known = s->lambda == 0 || s->k == 0;
	if (p->stats_known)
		s->lambda = 0;
	for (size_t i = 0; i < p->n_letters && !p->stats_known; i++)
		if (p->letters[i].run == run) {
			s->letters = p->letters[i].n;
			p->stats_known = true;
		}
	p->stats_run = run;
	p->stats_scan = scan;
	return p->stats_known;
}
