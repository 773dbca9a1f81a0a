/* SPDX-License-Identifier: MIT */
/* window_piece.c - in which chunk's row the letters of a window stand */
#include "stream/window_priv.h"

static const struct chunk_row *
last_row(const struct chunk *c)
{
	return &c->row[c->n_rows - 1];
}

/* How many of the chunks before do lead up to the row, one to the other? */
static size_t
linked(const struct chunks *k, const struct chunk_row *r)
{
	size_t i;

	if (r != k->c->row)
		return 0;
	for (i = 0; i < k->n_before && !(r->flags & CHUNK_FIRST); i++) {
		const struct chunk_row *b;

		if (k->before[i].n_rows == 0 || k->before[i].enc == CHUNK_PROB)
			break;
		b = last_row(&k->before[i]);
		if (b->ordinal != r->ordinal || b->own_end != r->own_beg)
			break;
		if (i + 1 < k->n_before && k->before[i].n_rows > 1)
			return i + 1;
		r = b;
	}
	return i;
}

bool
window_piece(const struct chunks *k, const struct chunk_row *r, uint64_t from,
	     uint64_t to, struct piece *p)
{
	const struct chunk *c = k->c;
	size_t i = 0, n = linked(k, r);
	uint64_t end = r->beg + r->n;

	while (from < r->beg) {
		if (i == n)
			return false;
		end = r->beg;
		c = &k->before[i++];
		r = last_row(c);
	}
	/* Links make r->own_end, so r->beg + r->n, reach `end`; be sure. */
	if (end > r->beg + r->n)
		end = r->beg + r->n;
	*p = (struct piece){ c, r, from, to < end ? to : end };
	return p->to > p->from;
}

static int
too_short(const struct chunks *k, const struct chunk_row *r, uint64_t have,
	  uint64_t context, struct err *e)
{
	if (context == UINT64_MAX)
		return err_set(e, ERR_USAGE, "%.*s: chunk %llu has %s of "
			       "context, all before it are needed: search the "
			       "whole sequence in one process",
			       (int)(r->name.n < 99 ? r->name.n : 99),
			       r->name.p, (unsigned long long)k->c->serial,
			       err_count(r->own_beg - have, "letter").text);
	return err_set(e, ERR_USAGE, "%.*s: chunk %llu has %s of context, "
		       "%llu are needed: cut with fasta-chunk -W %llu",
		       (int)(r->name.n < 99 ? r->name.n : 99), r->name.p,
		       (unsigned long long)k->c->serial,
		       err_count(r->own_beg - have, "letter").text,
		       (unsigned long long)context,
		       (unsigned long long)context);
}

int
window_start(const struct chunks *k, const struct chunk_row *r,
	     uint64_t context, uint64_t *start, struct err *e)
{
	uint64_t want = r->own_beg > context ? r->own_beg - context : 0;
	uint64_t have = r->beg;
	const unsigned begins = CHUNK_FIRST | CHUNK_ALL;
	const struct chunk_row *b = r;
	size_t n = linked(k, r);

	for (size_t i = 0; !(b->flags & begins) && have > want; i++) {
		if (i == n)
			return too_short(k, r, have, context, e);
		b = last_row(&k->before[i]);
		have = b->beg;
	}
	if (b->flags & CHUNK_FIRST && want < b->own_beg)
		want = b->own_beg;
	else if (b->flags & CHUNK_ALL && want < b->beg)
		want = b->beg;
	*start = want;
	return 0;
}

int
window_letters(const struct window *w, const struct window_seg *seg,
	       const struct chunk *c, const struct chunk *before,
	       size_t n_before, uint64_t beg, uint64_t end, uint8_t *s)
{
	struct chunks k = { c, before, n_before };
	uint64_t pos = seg->origin + (beg - seg->beg);
	uint64_t to = seg->origin + (end - seg->beg);
	struct piece p;

	(void)w;
	for (; pos < to; pos = p.to) {
		if (!window_piece(&k, seg->row, pos, to, &p))
			return ERR_FORMAT;
		chunk_letters(p.c, p.r, pos - p.r->beg, p.to - pos, s);
		s += p.to - pos;
	}
	return 0;
}
