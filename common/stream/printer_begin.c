/* SPDX-License-Identifier: MIT */
/* printer_begin.c - how rows were made: @PG, gff3's column 2, statistics */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/decimal.h"
#include "base/hash.h"
#include "stream/printer_priv.h"

/* The scanner of the run is the source of its hits, else this program. */
void
printer_find_source(struct printer *p, uint64_t run)
{
	size_t best;
	struct str v = { NULL, 0 };

	if (p->source_known && p->source_run == run)
		return;
	best = index_number(&p->by_run, run, 0);
	if (best)
		v = begin_value(&p->begin[best - 1].b, "program");
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

/* So that the BEGIN, which is the next one, will be found. */
static bool
note_begin(struct printer *p, const struct begin *b, uint64_t hash)
{
	size_t n = p->n_begins + 1;
	size_t best = index_number(&p->by_run, b->run.id, 0);
	bool fine = index_set_number(&p->by_text, b->run.id, hash, n);

	if (!index_number(&p->by_scan, b->run.id, b->scan.id))
		fine &= index_set_number(&p->by_scan, b->run.id, b->scan.id,
					 n);
	if (b->scan.id && (!best || scan_key_cmp(&b->scan, &p->begin[best - 1]
						 .b.scan) < 0))
		fine &= index_set_number(&p->by_run, b->run.id, 0, n);
	return fine;
}

static int
add_begin(struct printer *p, const struct begin *b, struct err *e)
{
	uint64_t hash = hash64(b->text.p, b->text.n, b->scan.id);
	size_t n = index_number(&p->by_text, b->run.id, hash);
	int r;

	if (n && same_begin(&p->begin[n - 1].b, b))
		return 0;
	r = array_room(&p->begin, &p->cap_begins, p->n_begins + 1,
		       sizeof *p->begin, e);
	if (r < 0)
		return r;
	copy_begin(&p->begin[p->n_begins], b);
	if (p->begin[p->n_begins].text.bad || !note_begin(p, b, hash)) {
		buf_free(&p->begin[p->n_begins].text);
		return err_nomem(e, b->text.n);
	}
	p->n_begins++;
	p->source_known = p->stats_known = false;
	return 0;
}

int
printer_begin(struct printer *p, const struct begin *b, struct err *e)
{
	size_t before = p->n_begins;
	int r;

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
	r = add_begin(p, b, e);
	return r == 0 && p->n_begins > before && p->wait.on &&
	       p->family->need == PRINT_STATS ? printer_drain(p, e) : r;
}

int
printer_letters(struct printer *p, uint64_t run, uint64_t n, struct err *e)
{
	int r;

	if (p->family->need != PRINT_STATS)
		return 0;
	if (index_number(&p->letters_of, run, 0))	/* every part has its
							   END */
		return 0;
	r = array_room(&p->letters, &p->cap_letters, p->n_letters + 1,
		       sizeof *p->letters, e);
	if (r < 0)
		return r;
	p->letters[p->n_letters++] = (struct run_letters) { run, n };
	if (!index_set_number(&p->letters_of, run, 0, p->n_letters))
		return err_nomem(e, sizeof *p->letters);
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
	size_t n = index_number(&p->by_scan, run, scan);

	return n ? &p->begin[n - 1].b : NULL;
}

/* A scan whose BEGIN holds no lambda and K needs no END. */
bool
printer_find_stats(struct printer *p, uint64_t run, uint64_t scan)
{
	struct print_stats *s = &p->env.stats;
	const struct begin *b;
	size_t n;

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
	n = index_number(&p->letters_of, run, 0);
	if (n && !p->stats_known) {
		s->letters = p->letters[n - 1].n;
		p->stats_known = true;
	}
	p->stats_run = run;
	p->stats_scan = scan;
	return p->stats_known;
}
