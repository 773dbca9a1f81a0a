/* SPDX-License-Identifier: MIT */
/* sw_scan_text.c - a window's letters as codes, what is owned at a block */
#include <stdlib.h>

#include "scan/sw_scan_priv.h"

static uint64_t
round_up(uint64_t n)
{
	return (n + SW_BLOCK - 1) / SW_BLOCK * SW_BLOCK;
}

static int
reserve(struct sw_columns *l, const struct window *w, struct err *e)
{
	uint64_t n = 128;	/* behind the text, and what ops spoil */

	for (size_t i = 0; i < w->n_seg; i++)
		n += round_up(w->seg[i].end - w->seg[i].beg) + SW_BLOCK;
	l->codes.n = 0;
	if (!buf_reserve(&l->codes, n))
		return err_nomem(e, n);
	if (l->cap < w->n_seg) {
		struct sw_seg *s = realloc(l->seg, w->n_seg * sizeof *s);
		struct sw_place *p;

		if (!s)
			return err_nomem(e, w->n_seg * sizeof *s);
		l->seg = s;
		p = realloc(l->place, w->n_seg * sizeof *p);
		if (!p)
			return err_nomem(e, w->n_seg * sizeof *p);
		l->place = p;
		l->cap = w->n_seg;
	}
	return 0;
}

void
sw_columns_free(struct sw_columns *l)
{
	buf_free(&l->codes);
	free(l->seg);
	free(l->place);
}

/* There is a letter that the scoring does not know: which? */
static int
unknown(const struct sw_scan *s, const struct window *w,
	const struct window_seg *g, struct err *e)
{
	const struct str name = g->row->name;
	uint64_t i = g->beg;

	while (i < g->end && s->by.code_of[w->bytes[i]] < SW_LETTERS)
		i++;
	return err_set(e, ERR_FORMAT, "%.*s: '%c' at %llu is no letter of the "
		       "matrix", (int)(name.n < 99 ? name.n : 99), name.p,
		       w->bytes[i], (unsigned long long)(g->origin +
							 (i - g->beg) + 1));
}

/*
 * Codes behind the segment's last letter are written twice: by the kernel,
 * which writes whole vectors, and then as SW_PAD, or by the next segment.
 */
static int
put_seg(struct sw_columns *l, const struct sw_scan *s, const struct window *w,
	const struct window_seg *g, struct err *e)
{
	uint64_t n = g->end - g->beg, before = g->from - g->beg;
	uint64_t lead = round_up(before) - before, end;
	uint8_t *d = l->codes.p + l->n;

	memset(d, SW_PAD, lead);
	if (w->planes)
		s->codes->planes(d + lead, w->planes, w->exc, g->beg, n);
	else if (s->codes->bytes(d + lead, w->bytes + g->beg, n, s->by.code_of))
		return unknown(s, w, g, e);
	end = round_up(lead + n);
	memset(d + lead + n, SW_PAD, end - lead - n);
	l->seg[l->n_seg] = (struct sw_seg){
		.beg = l->n, .end = l->n + end, .own = l->n + lead + before,
	};
	l->place[l->n_seg++] = (struct sw_place){ g, g->origin - lead };
	l->n += end;
	return 0;
}

int
sw_columns_of(struct sw_columns *l, const struct sw_scan *s,
	      const struct window *w, struct err *e)
{
	/* whole sequences count where they end, others where they own */
	bool whole = s->o.best == SW_READ_DISJOINT;
	int rc = reserve(l, w, e);

	l->n = l->n_seg = 0;
	for (size_t i = 0; i < w->n_seg && !rc; i++) {
		const struct window_seg *g = &w->seg[i];

		if ((whole ? g->beg : g->from) < g->end)
			rc = put_seg(l, s, w, g, e);
	}
	if (!rc)
		memset(l->codes.p + l->n, SW_PAD, SW_BLOCK);
	return rc;
}
