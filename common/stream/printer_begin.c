/* SPDX-License-Identifier: MIT */
/* printer_begin.c - how the rows were made: @PG, and gff3's column 2 */
#include <stdio.h>
#include <stdlib.h>

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
	struct str prog = begin_value(b, "program");

	return prog.n == 10 && memcmp(prog.p, "merge-topk", 10) == 0;
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

	p->sums |= b->scan.id && b->scan.rule == SCAN_SUM;
	p->others |= b->scan.id && b->scan.rule != SCAN_SUM;
	if (p->family->need != PRINT_ALL && p->pp.format != FORMAT_GFF3)
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
	p->source_known = false;
	return 0;
}
