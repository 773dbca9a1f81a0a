/* SPDX-License-Identifier: MIT */
/* primer_block_told.c - where a block's core occurs, as a finder tells */
#include "algo/primer_blocks.h"

enum {
	CHEAP = 2,	/* a finder's scan costs so much less than ours */
	WIDEST = 512,	/* clusters are not above such a part of the text */
};

/* The core, and rows before it as far as that is cheap. */
static struct primer_find_long
question(struct primer_blocks *b)
{
	uint64_t core = b->end + 1 - b->first;
	uint64_t most = min_u64(core + PRIMER_LONG_MORE, PRIMER_LONG_ROWS);
	uint64_t rows = min_u64(most, b->end + 1 - b->beg);
	struct primer_find_long q = {
		.letter = b->p->code + b->end + 1 - rows,
		.rows = (uint32_t)rows, .core = (uint32_t)core,
		.text = b->x->symbol, .n = b->x->n, .search = &b->search,
		.n_symbols = b->x->n_symbols, .k = (unsigned)b->limit + 1,
	};

	primer_classes(b, q.holds);
	return q;
}

/* Does a stretch lie so near to the cluster that it belongs to it?  One may end
 * anywhere, as where a lane does (see primer_look_back()): not so wide that one
 * lane has to look at much of the text. */
static bool
belongs(const struct primer_blocks *b, const struct primer_cluster *c,
	const struct primer_stretch *s)
{
	uint64_t gap = max_u64((b->end + 1 - b->first) / 2, PRIMER_MIN_GAP);
	uint64_t lo = (uint64_t)c->lo, hi = (uint64_t)c->hi;

	return s->at - hi <= gap &&
	       s->at + s->wide - lo <= b->x->n / WIDEST + gap;
}

/* The first start that the cluster may matter for: any, if all rows that were
 * looked for occur. */
static void
set_start(const struct primer_blocks *b, struct primer_cluster *c,
	  const struct primer_find_long *q)
{
	bool all = c->rows == q->rows;

	c->end = all ? 0 : b->end;
	c->start = all ? b->beg : b->end + 1 - c->rows;
}

static int
take(struct primer_blocks *b, const struct primer_find_long *q)
{
	const struct primer_found *o = &b->w->found;
	struct primer_cluster *c = NULL;
	int rc = primer_room(&b->w->list, o->n + 1, sizeof *c, b->e);

	if (rc)
		return rc;
	b->list = b->w->list.mem;
	b->n = 0;
	for (size_t i = 0; i < o->n; i++) {
		struct primer_stretch s = primer_stretch_get(o->v[i]);

		if (!c || !belongs(b, c, &s)) {
			c = &b->list[b->n++];
			*c = (struct primer_cluster){ .lo = (int64_t)s.at };
		}
		c->hi = (int64_t)(s.at + s.wide);
		c->rows = max_u64(c->rows, q->core + s.more);
	}
	for (size_t i = 0; i < b->n; i++)
		set_start(b, &b->list[i], q);
	b->spent += primer_words_steps(b) / CHEAP;
	b->w->stats.found += o->n;
	b->w->stats.told++;
	return 0;
}

int
primer_block_told(struct primer_blocks *b)
{
	const struct primer_finder *f = b->p->finder;
	struct primer_find_long q;
	int rc;

	if (!f || !f->find_long || b->x->n_symbols > PRIMER_CORE_SYMBOLS ||
	    b->x->n >= 1ull << 31 || b->end - b->first >= PRIMER_LONG_ROWS)
		return PRIMER_NOT_NOW;
	q = question(b);
	b->w->found.n = 0;
	rc = f->find_long(f->ctx, &q, &b->w->found, b->e);
	return rc ? rc : take(b, &q);
}
