/* SPDX-License-Identifier: MIT */
/*
 * kdiff_scan.c - the driver of the kernels
 *
 * A text is scanned in blocks, so that what the lanes keep is bounded: hits
 * come in order only when all lanes of a block are done.
 */
#include <stdlib.h>
#include <string.h>

#include "algo/kdiff_exact.h"
#include "algo/kdiff_scan.h"

enum { GROUP_BYTES = 64 << 20, EQ_BYTES = 16 << 10 };

/* Of the i-th pattern to be searched for. */
static uint32_t
number(const struct scan *s, size_t i)
{
	return s->which ? s->which[i] : (uint32_t)i;
}

static const struct kdiff_pat *
pattern(const struct scan *s, size_t i)
{
	return &s->set->pat[number(s, i)];
}

static size_t
row_bytes(const struct scan *s, const struct kdiff_pat *p)
{
	size_t v = s->lanes * sizeof(uint64_t);

	return v * (s->set->p.hamming ? p->bits + 1 : 2) * p->m;
}

/* Bytes of a pattern's state. */
static size_t
state_bytes(const struct scan *s, const struct kdiff_pat *p)
{
	return row_bytes(s, p) + s->lanes * sizeof(uint64_t) * (p->n_chk + 3);
}

/* The state before the first letter: D = row everywhere. */
static void
state_init(const struct scan *s, const struct kdiff_pat *p,
	   struct kdiff_state *st, uint8_t *mem)
{
	size_t v = s->lanes * sizeof(uint64_t);

	st->rows = (uint64_t *)mem;
	memset(mem, s->set->p.hamming ? 0xff : 0, row_bytes(s, p));
	mem += row_bytes(s, p);
	st->right = (uint64_t *)mem;
	st->tail = (uint64_t *)(mem + p->n_chk * v);
	st->deepest = st->need = 0;
	for (unsigned l = 0; l < s->lanes; l++) {
		st->right[l] = p->chk[0];
		st->tail[l] = st->tail[2 * s->lanes + l] = 0;
		st->tail[s->lanes + l] = 1ull << 63;
	}
	for (uint32_t c = 0; c + 1 < p->n_chk; c++)
		if (!s->set->p.hamming && p->chk[c] <= p->slack[c])
			st->need = c + 1;
}

/* Allocate and start patterns [beg, end); returns end, or an error. */
static int
group(struct scan *s, size_t beg, size_t *end)
{
	struct kdiff_work *w = s->w;
	size_t n = 0, v = s->lanes * sizeof(uint64_t), i = beg;
	size_t block = s->piece * KDIFF_WORDS * v;
	uint8_t *p;
	int r;

	do
		n += state_bytes(s, pattern(s, i++));
	while (i < s->n && n < GROUP_BYTES);
	*end = i;
	r = kdiff_room(&w->mem, &w->mem_cap,
		       n + block * (s->set->n_sym + 3), s->e);
	if (r < 0)
		return r;
	r = kdiff_room((uint8_t **)&w->st, &w->st_cap,
		       (*end - beg) * sizeof *w->st, s->e);
	if (r < 0)
		return r;
	p = w->mem;
	s->pc.eq = (uint64_t *)p;
	s->pc.gap = (uint64_t *)(p += block * s->set->n_sym);
	s->pc.own = (uint64_t *)(p += block);
	s->tails = (uint64_t *)(p += block);
	p += block;
	for (i = beg; i < *end; i++) {
		state_init(s, pattern(s, i), &w->st[i - beg], p);
		p += state_bytes(s, pattern(s, i));
	}
	return 0;
}

/* Hits of all lanes, which are empty then. */
static int
take_lanes(struct scan *s)
{
	int r = 0;

	for (unsigned l = 0; !r && l < s->lanes; l++) {
		struct kdiff_lane *lane = &s->w->lane[l];

		r = kdiff_lane_hits(s, lane);
		lane->n = lane->n_run = 0;
	}
	return r;
}

/*
 * Ends before which the tail does not stand are not reported: most of them,
 * where most ends are within k.  A tail that begins before the piece is taken
 * to stand there; kdiff_exact.c looks at all that is left.
 */
static void
where_tail(struct scan *s, const struct kdiff_pat *p, struct kdiff_piece *pc)
{
	*pc = s->pc;
	pc->own = s->tails;
	for (unsigned i = 0; i < pc->n_sb; i++)
		pc->special[i] = true;
	s->set->ops.tails(&s->pc, p->code + p->m - 1, exact_tail(p),
			  s->tails);
}

/* Pattern i over the piece; its state is st. */
static int
scan_piece(struct scan *s, size_t i, struct kdiff_state *st)
{
	const struct kdiff_pat *p = pattern(s, i);
	bool ham = s->set->p.hamming;
	size_t word = ham ? p->bits + 2 : KDIFF_EDIT_WORD;
	size_t from[KDIFF_MAX_LANES];
	const struct kdiff_piece *pc = &s->pc;
	struct kdiff_piece own;
	int r = 0;

	if (p->tail) {
		where_tail(s, p, &own);
		pc = &own;
	}
	for (unsigned l = 0; !r && l < s->lanes; l++) {
		from[l] = s->w->lane[l].n;
		r = kdiff_lane_room(&s->w->lane[l],
				    (s->pc.n_sb * KDIFF_WORDS + 1) * word,
				    s->e);
	}
	if (r < 0)
		return r;
	(ham ? s->set->ops.ham : s->set->ops.edit)(p, st, pc, s->minima,
						   s->w->lane);
	for (unsigned l = 0; l < s->lanes; l++)
		kdiff_lane_run(&s->w->lane[l], from[l], s->pc.at[l],
			       number(s, i));
	return s->at_once ? take_lanes(s) : 0;
}

/* Patterns [beg, end) over the block. */
static int
scan_group(struct scan *s, size_t beg, size_t end)
{
	uint64_t n_sb = s->lane_words / KDIFF_WORDS;
	int r = 0;

	kdiff_begin_block(s);
	for (uint64_t sb = 0; !r && sb < n_sb; sb += s->pc.n_sb) {
		kdiff_prepare_piece(s, sb, n_sb - sb < s->piece ?
				    (unsigned)(n_sb - sb) : s->piece);
		for (size_t i = beg; !r && i < end; i++)
			r = scan_piece(s, i, &s->w->st[i - beg]);
	}
	return r;
}

static int
cmp_runs(const void *x, const void *y)
{
	const struct kdiff_run *a = x, *b = y;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return a->pattern < b->pattern ? -1 : a->pattern > b->pattern;
}

static int
scan_block(struct scan *s)
{
	struct kdiff_lane *lane = s->w->lane;
	size_t beg = 0, end = 0;
	int r = 0;

	kdiff_plan_block(s);
	for (unsigned l = 0; l < s->lanes; l++)
		lane[l].n = lane[l].n_run = 0;
	for (; !r && beg < s->n; beg = end) {
		r = group(s, beg, &end);
		if (!r)
			r = scan_group(s, beg, end);
		/* the runs of a later group go between those of others */
		for (unsigned l = 0; !r && beg && l < s->lanes; l++)
			if (lane[l].n_run)
				qsort(lane[l].run, lane[l].n_run,
				      sizeof *lane[l].run, cmp_runs);
	}
	return r ? r : take_lanes(s);
}

static void
source(struct scan *s)
{
	const struct kdiff_text *t = s->text;
	const struct kdiff_params *p = &s->set->p;

	s->src.n = t->n;
	s->src.sym = s->set->sym;
	s->src.n_sym = s->pc.n_sym = s->set->n_sym;
	s->src.fold = p->alphabet == KDIFF_PROTEIN;
	if (p->alphabet != KDIFF_DNA) {
		s->src.bytes = t->bytes;
	} else if (p->iupac && t->exc) {
		s->src.sets = t->sets;
	} else {
		s->src.planes = t->planes;
		s->src.exc = t->exc;
	}
}

static int
run(struct scan *s)
{
	size_t first = s->hits->n, n_eq;
	int r = 0;

	if (!s->n || !s->text->n_seg)
		return 0;
	s->lanes = s->set->ops.lanes;
	source(s);
	kdiff_plan(s);
	n_eq = s->set->n_sym * KDIFF_WORDS * s->lanes * sizeof(uint64_t);
	s->piece = (unsigned)(EQ_BYTES / n_eq);
	if (s->piece > KDIFF_MAX_PIECE)
		s->piece = KDIFF_MAX_PIECE;
	if (!s->piece)
		s->piece = 1;
	while (!r && s->next < s->end)
		r = scan_block(s);
	if (!r && s->all_ends)
		r = kdiff_hits_minima(s->set, s->text, s->hits, first, s->e);
	return r;
}

int
kdiff_text_scan(const struct kdiff_job *j)
{
	bool minima = j->set->p.report == KDIFF_MINIMA && !j->all;
	bool after = j->set->p.hamming || j->set->exact;
	struct kdiff_hits *batch = &j->w->batch;
	struct scan s = {
		.set = j->set, .text = j->text, .w = j->w, .e = j->e,
		.which = j->which, .n = j->n,
		.hits = j->hits ? j->hits : batch, .take = j->take,
		.ctx = j->ctx,
		/* by the kernel, or out of all ends */
		.minima = minima && !after, .all_ends = minima && after,
	};
	int r;

	if (s.all_ends)		/* minima are known at the end only */
		s.take = NULL;
	s.at_once = j->unordered && s.take;
	batch->n = 0;
	r = run(&s);
	return r || j->hits || !batch->n ? r :
	       j->take(j->ctx, batch->v, batch->n, j->e);
}
