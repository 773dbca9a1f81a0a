/* SPDX-License-Identifier: MIT */
/* window.c - a chunk as text to be searched */
#include "stream/window.h"

#include <stdlib.h>

#include "base/array.h"
#include "stream/window_priv.h"

/*
 * The payload's own planes serve as they are if one row holds all letters
 * wanted.  A segment begins at a multiple of 64; letters more on the left are
 * harmless unless nothing before `start` belongs to the search.
 */
static bool
in_place(const struct window_maker *m, uint64_t start)
{
	const struct chunk *c = m->k.c;
	const struct chunk_row *r = c->row;

	if (!window_is_dna(m->kind) || c->n_rows != 1 || c->enc != CHUNK_2BIT ||
	    !window_native(c) || start < r->beg)
		return false;
	for (size_t i = 0; i < c->n_exc; i++)
		if (dna_set(c->exc[i].letter) == DNA_T)
			return false;
	return !(r->flags & CHUNK_FIRST) || start == r->beg;
}

static int
add_seg(struct window_maker *m, const struct chunk_row *r, uint64_t start,
	uint64_t at)
{
	struct window *w = m->w;
	struct window_seg *s;
	uint64_t n = r->own_end - start;
	int rc = array_room(&w->seg, &w->seg_cap, w->n_seg + 1, sizeof *s,
			    m->e);

	if (rc)
		return rc;
	s = &w->seg[w->n_seg++];
	s->row = r;
	s->beg = at;
	s->end = at + n;
	s->from = at + (r->own_beg - start);
	s->to = s->end - !(r->flags & CHUNK_LAST);
	s->origin = start;
	if (s->end > w->n)
		w->n = s->end;
	return 0;
}

/* Every row that owns an end gets its segment. */
static int
lay_out(struct window_maker *m, uint64_t context, uint64_t gap, bool *placed)
{
	const struct chunk *c = m->k.c;
	uint64_t start, at = 0;
	int rc;

	for (size_t i = 0; i < c->n_rows; i++) {
		const struct chunk_row *r = &c->row[i];

		if (r->own_end == r->own_beg && !(r->flags & CHUNK_LAST))
			continue;	/* owns no end */
		rc = window_start(&m->k, r, context, &start, m->e);
		if (rc)
			return rc;
		if (r->own_end == start && !m->w->empty)
			continue;
		if (in_place(m, start)) {
			*placed = true;
			start -= (start - r->beg) & 63;
			at = r->at + (start - r->beg);
		}
		rc = add_seg(m, r, start, at);
		if (rc)
			return rc;
		at = (m->w->n + gap + 63) / 64 * 64;
	}
	return 0;
}

int
window_build(struct window *w, enum window_kind kind, uint64_t context,
	     uint64_t gap, const struct chunk *c, const struct chunk *before,
	     size_t n_before, struct err *e)
{
	struct window_maker m = { .w = w, .kind = kind, .e = e,
			   .k = { c, before, n_before } };
	bool placed = false;
	int rc;

	w->n = w->n_seg = 0;
	w->planes = w->exc = w->sets = NULL;
	w->bytes = NULL;
	if (c->enc == CHUNK_PROB)
		return err_set(e, ERR_FORMAT, "chunk %llu holds probabilities, "
			       "not letters", (unsigned long long)c->serial);
	rc = lay_out(&m, context, gap, &placed);
	return rc || w->n_seg == 0 ? rc : window_fill(&m, placed);
}

void
window_free(struct window *w)
{
	for (int i = 0; i < 4; i++)
		buf_free(&w->own[i]);
	free(w->seg);
	memset(w, 0, sizeof *w);
}
