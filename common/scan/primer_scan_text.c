/* SPDX-License-Identifier: MIT */
/*
 * primer_scan_text.c - letters of a window to symbols to be searched
 *
 * What matches nothing never matters at the begin of a text, and beyond k in a
 * row never anywhere: of runs of N no more is kept.  Two sequences stand in one
 * text, k of nothing between them, unless that would be much more than the
 * letters: then each has a text of its own.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/dna.h"
#include "base/minmax.h"
#include "scan/primer_scan_priv.h"

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
		       (unsigned long long)(g->origin + (i - g->beg) + 1));
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
