/* SPDX-License-Identifier: MIT */
/*
 * asm_cut.c - a chunk cut into parts, and what they find joined again
 *
 * A part owns the ends of a stretch of the window.  It is a text of its own,
 * which begins where the context of its first end does, as the text of a chunk
 * is: so its hits are those that the whole has there.
 */
#include <stdlib.h>

#include "base/array.h"
#include "scan/asm_priv.h"

/*
 * A part has so many letters at least; and its context, which is searched
 * again before each of a kernel's 8 lanes, so many times: 1/16 more work, and
 * 1/4 where threads would else be idle.
 */
enum { LETTERS = 1 << 17, CONTEXTS = 128, FEW_LETTERS = 1 << 16,
       FEW_CONTEXTS = 32 };

int
asm_cut_new(struct asm_cut *c, const struct asm_scan *a, struct err *e)
{
	memset(c, 0, sizeof *c);
	c->a = a;
	if (pthread_mutex_init(&c->lock, NULL))
		return err_set(e, ERR_NOMEM, "no mutex");
	return 0;
}

void
asm_cut_free(struct asm_cut *c)
{
	asm_cut_close(c);
	window_free(&c->w);
	free(c->counts);
	free(c->seg);
	asm_top_free(&c->top);
	buf_free(&c->ops);
	pthread_mutex_destroy(&c->lock);
}

/* Where the results go. */
static int
begin(struct asm_cut *c, const struct asm_thread *t, struct buf *out,
      struct err *e)
{
	size_t n = c->a->n_counts * sizeof *c->counts;

	if (c->matched) {
		buf_zero(out, c->v.c.n_rows);
		return out->bad ? err_nomem(e, c->v.c.n_rows) : 0;
	}
	if (!asm_tallies(c->a))
		return t->best ? 0 : hits_writer_new(&c->rows, &c->v.c.run,
						     &c->receipt, e);
	if (!c->counts)
		c->counts = malloc(n);
	if (!c->counts)
		return err_nomem(e, n);
	memset(c->counts, 0, n);
	return 0;
}

int
asm_cut_open(struct asm_cut *c, struct asm_thread *t,
	     const struct rec_frame *f, struct rec_frame *const *before,
	     size_t n_before, struct buf *out, struct err *e)
{
	const struct asm_scan *a = c->a;
	const struct chunk *k = &c->v.c;
	int rc = scan_chunk_view(&c->v, f, before, n_before, e);

	if (rc)
		return rc;
	t->n_letters += k->owned;
	c->n_parts = 1;
	c->w.empty = a->o.overhang != NULL;
	c->w.hide = a->o.hide;
	c->range = (struct range){ k->serial, k->serial + 1, k->owned,
				   k->digest };
	c->receipt = (struct receipt){ .scan = a->key, .last = true,
				       .unmerged = true,
				       .range = &c->range, .n_ranges = 1 };
	rc = window_build(&c->w, a->kind, asm_context(a), kdiff_gap(a->set), k,
			  c->v.before, c->v.n_before, e);
	return rc ? rc : begin(c, t, out, e);
}

void
asm_cut_close(struct asm_cut *c)
{
	scan_chunk_free(&c->v);
	hits_writer_free(c->rows);
	c->rows = NULL;
	for (unsigned i = 0; i < c->n_parts; i++) {
		hits_writer_free(c->later[i]);
		c->later[i] = NULL;
		buf_free(&c->best[i]);
	}
	c->n_parts = 0;
	kdiff_hits_free(&c->text.found);
	c->text.is_found = c->off = false;
}

void
asm_cut_parts(struct asm_cut *c, unsigned team, bool few)
{
	uint64_t least = asm_context(c->a) * (few ? FEW_CONTEXTS : CONTEXTS);
	uint64_t letters = few ? FEW_LETTERS : LETTERS, n;

	if (least < letters)
		least = letters;
	if (c->a->part)
		least = c->a->part;
	n = c->w.n_seg ? c->w.n / least : 1;
	if (n > PUMP_MAX_PARTS)
		n = PUMP_MAX_PARTS;
	if (n > team && n < 4 * team)	/* as many for each thread */
		n -= n % team;
	if (n < 2)
		return;
	/* n * step >= w.n: no more than n parts */
	c->step = ((c->w.n + n - 1) / n + 63) / 64 * 64;
	c->n_parts = (unsigned)((c->w.n + c->step - 1) / c->step);
}

/* Of a segment what owns ends from `lo` on and below `hi`; false: nothing. */
static bool
clip(const struct asm_cut *c, const struct window_seg *s, uint64_t lo,
     uint64_t hi, struct kdiff_seg *g)
{
	const struct chunk_row *r = s->row;
	uint64_t context = asm_context(c->a), back;

	g->beg = s->beg;
	g->end = s->end;
	g->from = s->from > lo ? s->from : lo;
	g->to = s->to < hi ? s->to : hi - 1;
	if (g->from > g->to)
		return false;
	back = g->from - s->beg;
	if (back > context)
		g->beg += (back - context) / 64 * 64;
	if (g->to < s->end)	/* minima need the end after */
		g->end = g->to + 1;
	g->first = s->origin == 0 && g->beg == s->beg;
	g->last = r->flags & CHUNK_LAST && r->own_end == r->length &&
		  g->end == s->end;
	return true;
}

/* The part as a text, which has no segment if it owns no end; its segments are
 * *seg. */
static int
text_of(const struct asm_cut *c, unsigned part, struct kdiff_seg **seg,
	size_t *cap, struct asm_part *p, struct err *e)
{
	const struct window *w = &c->w;
	bool last = part + 1 == c->n_parts;
	uint64_t lo = part ? part * c->step : 0;
	uint64_t hi = last ? UINT64_MAX : (part + 1) * c->step;
	size_t n = 0, i = array_first(w->seg, w->n_seg, sizeof *w->seg,
				      offsetof(struct window_seg, to), lo);
	size_t end = last ? w->n_seg : i;

	while (end < w->n_seg && w->seg[end].from < hi)
		end++;
	p->x = (struct kdiff_text){ .n_seg = 0 };
	p->seg = w->n_seg ? w->seg + i : NULL;
	if (array_room(seg, cap, end - i, sizeof **seg, e))
		return e->code;
	for (; i < end; i++)
		n += clip(c, &w->seg[i], lo, hi, *seg + n);
	if (n == 0)
		return 0;
	p->base = (*seg)->beg;
	p->x = (struct kdiff_text){
		.n = (*seg)[n - 1].end - p->base, .whole = w->n,
		.planes = w->planes ? w->planes + p->base / 32 : NULL,
		.exc = w->exc ? w->exc + p->base / 64 : NULL,
		.sets = w->sets ? w->sets + p->base / 16 : NULL,
		.bytes = w->bytes ? w->bytes + p->base : NULL,
		.seg = *seg, .n_seg = n,
	};
	for (size_t j = 0; j < n; j++) {
		struct kdiff_seg *g = *seg + j;

		g->beg -= p->base;
		g->end -= p->base;
		g->from -= p->base;
		g->to -= p->base;
	}
	return 0;
}

int
asm_cut_put_off(struct asm_cut *c, struct err *e)
{
	struct asm_part whole;
	int rc = text_of(c, 0, &c->seg, &c->seg_cap, &whole, e);

	c->off = !rc;
	c->off_base = whole.base;
	c->text.x = whole.x;
	return rc;
}

/* With what a GPU has found in all of it. */
static int
find_text(const struct asm_cut *c, struct asm_thread *t, unsigned part,
	  struct asm_part *p, struct err *e)
{
	int rc = text_of(c, part, &t->seg, &t->seg_cap, p, e);

	if (!rc && c->off && c->text.is_found) {
		p->x.found = &c->text.found;
		p->x.found_at = p->base - c->off_base;
	}
	return rc;
}

struct marks {
	const struct asm_cut *c;
	const struct asm_part *p;
	const struct window_seg *s;
	uint8_t *row;
};

/* Rows that have a hit; another part may have one in the same row. */
static int
mark(void *ctx, const struct kdiff_hit *hit, size_t n, struct err *e)
{
	struct marks *m = ctx;

	(void)e;
	for (size_t i = 0; i < n; i++) {
		while (m->p->base + hit[i].end > m->s->end)
			m->s++;
		__atomic_store_n(&m->row[m->s->row - m->c->v.c.row], 1,
				 __ATOMIC_RELAXED);
	}
	return 0;
}

static int
mark_rows(struct asm_cut *c, struct asm_thread *t, const struct asm_part *p,
	  struct buf *out, struct err *e)
{
	struct marks m = { c, p, p->seg, out->p };

	return kdiff_each(c->a->set, &p->x, t->work, mark, &m, e);
}

int
asm_cut_part(struct asm_cut *c, struct asm_thread *t, unsigned part, bool next,
	     struct buf *out, struct err *e)
{
	struct asm_part p;
	struct hits_writer *rows = c->rows;
	int rc = find_text(c, t, part, &p, e);

	if (rc || !p.x.n_seg)
		return rc;
	if (c->matched)
		return mark_rows(c, t, &p, out, e);
	if (asm_tallies(c->a))
		return asm_part_tally(t, c, &p, e);
	if (asm_tops(c->a))
		return asm_part_rows(t, c, &p, NULL, &c->best[part], e);
	if (next)
		return asm_part_rows(t, c, &p, rows, out, e);
	if (rows) {
		rc = hits_rows_new(&c->later[part], c->a->key.rule, e);
		rows = c->later[part];
	}
	return rc ? rc : asm_part_rows(t, c, &p, rows, &c->best[part], e);
}

/* All parts are joined. */
static int
finish(struct asm_cut *c, struct buf *out, struct err *e)
{
	int rc = 0;

	if (asm_tops(c->a) && !c->matched)
		rc = asm_top_join(c, e);
	if (c->rows && !rc)
		rc = hits_finish(c->rows, out, e);
	if (c->rows)
		return rc;
	return asm_tallies(c->a) && !c->matched ? asm_tally(c, out, e) : 0;
}

int
asm_cut_join(struct asm_cut *c, unsigned part, struct buf *out, struct err *e)
{
	struct buf *best = &c->best[part];
	int rc = 0;

	if (c->later[part])
		rc = hits_append(c->rows, c->later[part], e);
	hits_writer_free(c->later[part]);
	c->later[part] = NULL;
	if (!asm_tops(c->a)) {	/* they stay until all parts are there */
		if (best->n)
			buf_put(out, best->p, best->n);
		buf_free(best);
	}
	if (!rc && out->bad)
		rc = err_nomem(e, out->n);
	return rc || part + 1 < c->n_parts ? rc : finish(c, out, e);
}
