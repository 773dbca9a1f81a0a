/* SPDX-License-Identifier: MIT */
/*
 * primer_short.c - primers of up to 63 letters, many starts at once
 *
 * Starts lo to hi, without those that are final, are a block.  The end of a
 * start j grows if its window, letters [j, end(j) + 1), occurs.  As ends do not
 * decrease, all windows of a block hold [hi, end(lo) + 1): the first letters of
 * it, 7 to 32, are the block's core.  A text is scanned for many cores at once,
 * or, if it is long, for one after the other in lanes of one bit
 * (primer_blocks.h); a hit is sieved by longer cores, of either half of the
 * block; the remaining ones are verified exactly, all starts of the block side
 * by side.  Where k is small and windows are long, pieces of them are looked up
 * instead (primer_seed.c).
 *
 * Known ends make windows long, so that few hits are by chance.  So the text is
 * processed in growing tiles, of which the first is small and searched exactly.
 * Other threads may raise ends meanwhile.  A core from a lower end is a part of
 * the longer window, too: it costs time only.
 */

#include <string.h>

#include "base/base.h"
#include "primer/primer_short.h"

/* Blocks of starts, and their cores. */

/*
 * An end is that of any start before it in the segment, too, as far as max_len
 * lets it: so a segment's end settles all starts behind, an end that was cut
 * does not.  Other threads raise ends, so what blocks are cut by is a copy.
 */
static void
primer_blocks_spread(struct primer_short *s)
{
	uint64_t end = s->from ? primer_end(s->p, s->from - 1) : 0;

	for (uint64_t j = s->from; j < s->to; j++) {
		uint64_t own = primer_end(s->p, j), cap = primer_cap(s->p, j);

		if (end > own) {
			end = min_u64(end, cap);
			primer_raise(s->p, j, end);
		}
		end = max_u64(end, own);
		s->window[j - s->from] = end < cap ? (uint8_t)(end + 1 - j) : 0;
	}
}

/* Are almost all windows as long as a core? */
static bool
primer_blocks_known(struct primer_short *s)
{
	uint64_t brief = 0;

	primer_blocks_spread(s);
	for (uint64_t i = 0; i < s->to - s->from; i++)
		brief += s->window[i] && s->window[i] < s->rows;
	return brief < (s->to - s->from) / 16;
}

struct primer_half
primer_half_of(const struct primer *p, uint64_t beg, uint64_t end)
{
	uint64_t rows = min_u64(end - beg, 32);
	struct primer_half h = { .wild = rows == 32 ? 0 : ~0u >> rows };

	for (uint64_t i = 0; i < rows; i++)
		for (int b = 0; b < 2; b++)
			h.bit[b] |= (uint32_t)(p->code[beg + i] >> b & 1) <<
				    (32 - rows + i);
	return h;
}

/* Of starts lo to hi those that are not settled: the first, the last. */
static bool
open_starts(const struct primer_short *s, uint64_t *lo, uint64_t *hi)
{
	while (*lo <= *hi && !s->window[*lo - s->from])
		++*lo;
	while (*lo < *hi && !s->window[*hi - s->from])
		--*hi;
	return *lo <= *hi;
}

/*
 * The letters that the windows of a half's starts, lo to hi, share; to = 0 if
 * all are settled.
 */
struct shared {
	uint64_t from, to;
};

static struct shared
shared_by(const struct primer_short *s, uint64_t lo, uint64_t hi)
{
	if (!open_starts(s, &lo, &hi))
		return (struct shared){ 0, 0 };
	return (struct shared){ hi, min_u64(lo + s->window[lo - s->from],
					    hi + 32) };
}

/*
 * The cores of a block's halves, and what of the text the sieve has to read
 * around a hit at column `at`.  The path of a window passes the last two rows
 * of the block's core, with the letters before `last` or one less read, at
 * columns at - 1 to at + PRIMER_MERGE.  For letters [from, to) of the window it
 * reads at most last - from + k - 1 letters before that, and to - last + 1 + k
 * - 1 behind it.  What is beyond the sieve's reach is cut off; no columns: not
 * sieved.
 */
static void
halves(struct primer_short *s, struct primer_block *b)
{
	uint64_t k = s->p->par.k, last = b->lo + b->n + b->rows - 1u;
	uint64_t mid = b->lo + (b->n - 1u) / 2, from = last, to = last, need;
	struct shared half[2] = {
		shared_by(s, b->lo, mid),
		shared_by(s, mid + 1, b->lo + b->n - 1u),
	};

	for (int h = 0; h < 2; h++)
		if (half[h].to)
			from = min_u64(from, half[h].from);
	b->before = (uint8_t)(1 + last - from + k - 1);
	need = b->before + PRIMER_MERGE + k;
	if (need >= PRIMER_WINDOW)
		return;
	for (int h = 0; h < 2; h++) {
		b->half[h] = (struct primer_half){ .wild = 0 };
		if (!half[h].to)
			continue;
		half[h].to = min_u64(half[h].to, last + PRIMER_WINDOW - need);
		to = max_u64(to, half[h].to);
		b->half[h] = primer_half_of(s->p, half[h].from, half[h].to);
	}
	b->columns = (uint8_t)(need + to - last);
}

/* The block of starts from j on, which is not settled. */
static struct primer_block
block_of(struct primer_short *s, uint64_t j, unsigned rows)
{
	const uint8_t *window = s->window + (j - s->from);
	struct primer_block b = { .lo = j };
	uint64_t n = PRIMER_STARTS;

	if (rows) {
		rows = (unsigned)min_u64(rows, *window);
		n = min_u64(n, *window - rows + 1);
	}
	n = min_u64(n, s->to - j);
	while (!window[n - 1])
		n--;
	b.n = (uint8_t)n;
	b.rows = (uint8_t)rows;
	if (rows && s->sieves)
		halves(s, &b);
	return b;
}

/* Cut the slice's starts that are not settled into blocks that have cores of
 * so many letters or, if their windows are shorter, of one start; without
 * cores if 0.  Their number. */
static size_t
primer_blocks_cut(struct primer_short *s, unsigned rows)
{
	size_t n = 0;

	primer_blocks_spread(s);
	for (uint64_t j = s->from; j < s->to;) {
		if (!s->window[j - s->from]) {
			j++;
			continue;
		}
		s->block[n] = block_of(s, j, rows);
		j += s->block[n++].n;
	}
	return n;
}

static void
set_lane(uint8_t *vectors, unsigned bits, unsigned l, uint32_t x)
{
	if (bits == 16)
		((uint16_t *)(void *)vectors)[l] = (uint16_t)x;
	else
		((uint32_t *)(void *)vectors)[l] = x;
}

/* Lane l without a core from now on. */
static void
primer_core_none(struct primer_cores *c, unsigned l)
{
	for (unsigned i = 0; i < PRIMER_SYMBOLS; i++)
		set_lane(c->eq[i], c->bits, l, 0);
	set_lane(c->p, c->bits, l, ~0u);
	set_lane(c->m, c->bits, l, 0);
	set_lane(c->d, c->bits, l, c->bits);
}

/* A block's core, as backends have it. */
static void
primer_core_of(const struct primer_short *s, const struct primer_block *b,
	       struct primer_core *c)
{
	const struct primer *p = s->p;
	const uint8_t *code = p->code + b->lo + b->n - 1;
	unsigned above = PRIMER_CORE_ROWS - b->rows;
	uint32_t wild = above ? ~0u >> b->rows : 0;

	c->rows = b->rows;
	memset(c->eq, 0, sizeof c->eq);
	for (unsigned i = 0; i < b->rows; i++)
		c->eq[code[i]] |= 1u << (above + i);
	for (unsigned i = p->n_classes + 1; i < s->x->n_symbols; i++)
		for (unsigned k = 1; k <= p->n_classes; k++)
			if (p->holds[i] >> (k - 1) & 1)
				c->eq[i] |= c->eq[k];
	for (unsigned i = 0; i < PRIMER_CORE_SYMBOLS; i++)
		c->eq[i] |= wild;
}

static void
set_core(struct primer_short *s, const struct primer_block *b, unsigned l)
{
	struct primer_cores *c = &s->cores;
	unsigned low = PRIMER_CORE_ROWS - c->bits;
	struct primer_core core;

	primer_core_of(s, b, &core);
	for (unsigned i = 0; i < PRIMER_SYMBOLS; i++)
		set_lane(c->eq[i], c->bits, l, core.eq[i] >> low);
	set_lane(c->p, c->bits, l, ~0u << (c->bits - b->rows));
	set_lane(c->m, c->bits, l, 0);
	set_lane(c->d, c->bits, l, b->rows);
}

/* The table of n blocks' cores, and the state before the text. */
static void
primer_core_table(struct primer_short *s, const struct primer_block *b,
		  unsigned n)
{
	struct primer_cores *c = &s->cores;
	unsigned lanes = s->ops.bits / c->bits;

	c->k = (int)s->p->par.k;
	c->n_vectors = (n + lanes - 1) / lanes;
	for (unsigned l = 0; l < c->n_vectors * lanes; l++)
		if (l < n)
			set_core(s, &b[l], l);
		else
			primer_core_none(c, l);
}

/* The scan for cores, tile by tile. */

enum {
	TILE_MIN = 256,
	TILE_KNOWN = 1 << 16,	/* the first, where ends are well known */
	TILE_MAX = 1 << 20,
	TILE_GROWS = 4,
	SIEVE_COST = 16,	/* of a hit, in columns of a leaf */
	LONGER = 4,		/* letters of cores, for a backend */
	SLICES_FROM = 64,	/* letters of a lane */
	STEP = 8,		/* columns of slices that are one hit */
};

static void
leaf(struct primer_short *s, struct primer_leaf *x, uint64_t lo)
{
	uint64_t was[PRIMER_STARTS];

	for (unsigned l = 0; l < PRIMER_STARTS; l++) {
		uint64_t j = lo + l, end, cap;

		x->rows[l] = was[l] = 0;
		if (l >= x->n_starts || s->p->code[j] == PRIMER_BREAK)
			continue;
		end = primer_end(s->p, j);
		cap = primer_cap(s->p, j);
		if (end >= cap)
			continue;
		x->rows[l] = was[l] = end + 1 - j;
		x->most[l] = cap - j;
	}
	x->code = s->p->code + lo;
	x->n_classes = s->p->n_classes;
	x->n_symbols = s->x->n_symbols;
	x->holds = s->p->par.alphabet == PRIMER_DNA ? s->p->holds : NULL;
	x->text = s->x->symbol;
	s->ops.leaf(x, (int)s->p->par.k);
	for (unsigned l = 0; l < x->n_starts; l++)
		if (x->rows[l] > was[l])
			primer_raise(s->p, lo + l, lo + l + x->rows[l] - 1);
	s->w->stats.checks += x->columns * PRIMER_STARTS;
}

static uint64_t *
spent(struct primer_short *s, const struct primer_block *b)
{
	return &s->spent[(b->lo - s->from) / PRIMER_STARTS];
}

static void
check_starts(struct primer_short *s, const struct primer_look *look)
{
	struct primer_leaf *x = &s->leaf;

	x->n_starts = look->block->n;
	x->from = look->from;
	x->n = look->n;
	x->right = look->right;
	leaf(s, x, look->block->lo);
	*spent(s, look->block) += x->columns;
}

void
primer_sieve_all(struct primer_short *s)
{
	uint32_t pass;

	if (!s->sieve.n)
		return;
	s->sieve.k = (int)s->p->par.k;
	pass = s->ops.sieve(&s->sieve);
	for (; pass; pass &= pass - 1)
		check_starts(s, &s->sieved[__builtin_ctz(pass)]);
	s->sieve.n = s->sieve.columns = 0;
}

void
primer_hit(struct primer_short *s, const struct primer_look *look, uint64_t at)
{
	struct primer_block *b = look->block;
	uint64_t from = at - b->before;
	unsigned i = s->sieve.n;

	*spent(s, b) += SIEVE_COST;
	if (!s->sieves || !b->columns || at < b->before ||
	    from + PRIMER_WINDOW > s->x->n) {
		check_starts(s, look);
		return;
	}
	s->sieve.text[i] = s->x->symbol + from;
	__builtin_prefetch(s->sieve.text[i]);
	s->sieve.half[i] = b->half;
	s->sieved[i] = *look;
	if (b->columns > s->sieve.columns)
		s->sieve.columns = b->columns;
	if (++s->sieve.n == PRIMER_SIEVED)
		primer_sieve_all(s);
}

/*
 * What hits of blocks that begin within sixteen places may cost, all together,
 * is what a leaf for so many starts does that reads all of the tile.  Then one
 * does, for all places that it is to be read for, at the end of the tile.  So a
 * tile costs two such leaves for sixteen places at most, besides the scan,
 * however often cores occur, and however few starts are in a block: in repeats
 * that windows have few letters of, one.
 */
bool
primer_dear(const struct primer_short *s, const struct primer_block *b,
	    uint64_t beg, uint64_t end)
{
	return s->spent[(b->lo - s->from) / PRIMER_STARTS] > end - beg;
}

void
primer_rest(struct primer_short *s, const struct primer_look *look)
{
	uint64_t *rest = s->rest + (look->block->lo - s->from);

	s->w->stats.plain++;
	for (unsigned i = 0; i < look->block->n; i++)
		rest[i] = min_u64(rest[i], look->from);
	s->rests = true;
}

/* Up to the tile's end, as what ends behind it is the next one's. */
static void
rests(struct primer_short *s, uint64_t end)
{
	struct primer_leaf *x = &s->leaf;
	size_t n = s->to - s->from, i = 0;

	if (!s->rests)
		return;
	while (i < n) {
		if (s->rest[i] == UINT64_MAX) {
			i++;
			continue;
		}
		x->n_starts = (unsigned)min_u64(PRIMER_STARTS, n - i);
		x->from = UINT64_MAX;
		for (unsigned l = 0; l < x->n_starts; l++)
			x->from = min_u64(x->from, s->rest[i + l]);
		x->right = INT64_MAX / 2;
		x->n = end;
		leaf(s, x, s->from + i);
		i += x->n_starts;
	}
}

static void
no_rests(struct primer_short *s)
{
	memset(s->spent, 0, sizeof s->spent);
	memset(s->rest, 0xff, (s->to - s->from) * sizeof *s->rest);
	s->rests = false;
}

/*
 * The starts of a block where an occurrence of the core passes its last two
 * rows at columns from..to.  A window's path reads, for the letters before and
 * behind these rows, as many letters of text and k - 1 more at most.
 */
static struct primer_look
look_for(const struct primer_short *s, struct primer_block *b, uint64_t from,
	 uint64_t to)
{
	uint64_t k = s->p->par.k, rows = b->n + (uint64_t)b->rows - 1;
	uint64_t before = rows + k - 1;

	return (struct primer_look){
		.block = b, .from = from > before ? from - before : 0,
		.right = (int64_t)(to + k) - (int64_t)rows, .n = s->x->n,
	};
}

/* The block's core was seen with `at` letters read, in tile [beg, end).  False:
 * it need not be seen any more. */
static bool
took(struct primer_short *s, struct primer_block *b, uint64_t at, uint64_t beg,
      uint64_t end)
{
	bool dear = primer_dear(s, b, beg, end);
	struct primer_look look;

	/* The core may pass its last two rows in this column or the one before;
	   the hit stands for those of some columns more. */
	b->upto = dear ? UINT64_MAX : at + PRIMER_MERGE;
	look = look_for(s, b, at - 1, dear ? end : b->upto);
	if (dear)
		primer_rest(s, &look);
	else
		primer_hit(s, &look, at);
	return !dear;
}

/* Hits that the kernel reported, of the group of blocks from b on. */
static void
hits(struct primer_short *s, struct primer_block *b, uint64_t beg, uint64_t end)
{
	struct primer_cores *c = &s->cores;

	for (unsigned i = 0; i < c->n_hits; i++)
		for (unsigned half = 0; half < 2; half++)
			for (uint64_t m = c->hit[i].mask[half]; m;
			     m &= m - 1) {
				unsigned l = 64 * half +
					     (unsigned)__builtin_ctzll(m);
				uint64_t at = beg + c->hit[i].at;

				if (at > b[l].upto &&
				    !took(s, &b[l], at, beg, end))
					primer_core_none(c, l);
			}
	c->n_hits = 0;
}

/* Text [beg, end) for n blocks, as many as there are lanes at most. */
static void
group_text(struct primer_short *s, struct primer_block *b, unsigned n,
	   uint64_t beg, uint64_t end)
{
	struct primer_cores *c = &s->cores;

	primer_core_table(s, b, n);
	c->text = s->x->symbol + beg;
	c->at = 0;
	c->n = end - beg;
	while (c->at < c->n) {
		s->ops.cores(c);
		hits(s, b, beg, end);
	}
	primer_sieve_all(s);
	s->w->stats.columns += (end - beg) * c->n_vectors * s->ops.bits / 64;
}

/* A block's core, its lanes of one bit, in text [beg, end). */
struct slicing {
	struct primer_slices s;
	struct primer_short *of;
	struct primer_block *block;
	uint64_t beg, end;
};

/*
 * The core's last row has D < k with 1 to STEP letters more read than at
 * `at`: as wherever a path of a window leaves that row.  So what took() takes
 * for a hit at at + 2, with those of PRIMER_MERGE letters more, is looked at.
 * Lanes are not in the order of the text: where hits are dear, all of it is to
 * be read.
 */
static void
step(void *ctx, uint64_t column, const uint64_t low[PRIMER_MAX_SLICES / 64])
{
	struct slicing *x = ctx;
	uint64_t stretch = x->s.columns - x->s.own;

	for (unsigned w = 0; w < x->s.lanes / 64; w++)
		for (uint64_t m = low[w]; m; m &= m - 1) {
			uint64_t l = 64 * w + (unsigned)__builtin_ctzll(m);
			uint64_t at = x->beg + l * stretch + column - x->s.own;

			if (at >= x->end || x->block->upto == UINT64_MAX)
				continue;
			if (primer_dear(x->of, x->block, x->beg, x->end))
				at = x->beg;
			took(x->of, x->block, at + 2, x->beg, x->end);
		}
}

/* Text [beg, end), core by core. */
static int
slices(struct primer_short *s, size_t n, uint64_t beg, uint64_t end,
       struct err *e)
{
	struct primer_text text = *s->x;
	struct primer_pieces c = { .room = &s->w->sliced, .n = s->ops.bits };
	struct slicing x = {
		.s = { .limit = s->p->par.k - 1, .ctx = &x,
		       .step = STEP, .found = step },
		.of = s, .beg = beg, .end = end,
	};
	int rc;

	text.symbol += beg;
	text.n = end - beg;
	rc = primer_cut_slices(s->p, &text, &c, s->rows + x.s.limit, e);
	if (!rc)
		rc = primer_room(&s->w->state,
				 primer_slices_state(c.n, s->rows), 1, e);
	for (size_t i = 0; !rc && i < n; i++) {
		x.block = &s->block[i];
		x.s.rows = x.block->rows;
		x.s.code = s->p->code + x.block->lo + x.block->n - 1;
		x.s.state = s->w->state.mem;
		primer_slices_of(s->p, &c, &x.s);
		s->ops.slices(&x.s);
		primer_sieve_all(s);
		s->w->stats.columns += x.s.steps * s->ops.bits / 64;
	}
	return rc;
}

bool
primer_sliced(const struct primer_short *s, uint64_t letters)
{
	enum primer_force_slices how = s->p->force.slices;

	return s->p->n_classes <= PRIMER_MAX_PLANES &&
	       how != PRIMER_SLICES_NEVER &&
	       (how || letters >= SLICES_FROM * s->ops.bits);
}

static int
groups(struct primer_short *s, size_t n, uint64_t beg, uint64_t end,
       struct err *e)
{
	unsigned most = 4 * s->ops.bits / s->cores.bits;

	s->w->stats.blocks += n;
	if (primer_sliced(s, end - beg))
		return slices(s, n, beg, end, e);
	for (size_t i = 0; i < n; i += most)
		group_text(s, s->block + i,
			   n - i < most ? (unsigned)(n - i) : most, beg, end);
	return 0;
}

/*
 * The same by the backend; *served is false if it declined.  A path of a window
 * is in the core's last row at a reported place, or up to PRIMER_MERGE letters
 * behind it: so look_for() and the sieve look where it is.
 *
 * No reported place may be skipped because it is near the one before, as hits()
 * does with those of the kernel, which reports all.  If the core occurs at a <
 * b < c with b <= a + PRIMER_MERGE < c <= b + PRIMER_MERGE, a backend may
 * report a in one part of the text and b in the next, and b stands for c.
 */
static int
elsewhere(struct primer_short *s, size_t n, uint64_t beg, uint64_t end,
	  bool *served, struct err *e)
{
	const struct primer_backend *f = s->p->backend;
	struct primer_found *o = &s->w->found;
	struct primer_core *core;
	int rc = primer_room(&s->w->cores, n, sizeof *core, e);

	*served = false;
	if (rc)
		return rc;
	core = s->w->cores.mem;
	for (size_t i = 0; i < n; i++)
		primer_core_of(s, &s->block[i], &core[i]);
	struct primer_find x = {
		.core = core, .n_cores = n, .text = s->x->symbol + beg,
		.n = end - beg, .n_symbols = s->x->n_symbols,
		.k = (unsigned)s->p->par.k,
	};
	o->n = 0;
	rc = f->find(f->ctx, &x, o, e);
	if (rc)
		return rc == PRIMER_NOT_NOW ? 0 : rc;
	*served = true;
	for (size_t i = 0; i < o->n; i++) {
		struct primer_block *b = &s->block[o->v[i] >> 32];
		uint64_t at = beg + (uint32_t)o->v[i];

		if (b->upto != UINT64_MAX)	/* or all is looked at */
			took(s, b, at, beg, end);
	}
	primer_sieve_all(s);
	s->w->stats.found += o->n;
	s->w->stats.blocks += n;
	return 0;
}

static void
leaves(struct primer_short *s, size_t n, uint64_t beg, uint64_t end)
{
	struct primer_leaf *x = &s->leaf;

	for (size_t i = 0; i < n; i++) {
		x->n_starts = s->block[i].n;
		x->from = beg;
		x->n = end;
		x->right = INT64_MAX / 2;
		leaf(s, x, s->block[i].lo);
	}
	s->w->stats.blocks += n;
}

/*
 * What occurs in a tile and ends in [beg, end): so as much of the text before
 * is read again as an occurrence takes, whatever finds it here or found others
 * there.
 */
static int
by_cores(struct primer_short *s, size_t n, uint64_t beg, uint64_t end,
	 struct err *e)
{
	uint64_t span = primer_span(s->p), from = beg > span ? beg - span : 0;
	const struct primer_backend *f = s->p->backend;
	bool seeds, served = false;
	int rc = 0;

	if (f && f->first)
		rc = elsewhere(s, n, from, end, &served, e);
	if (!rc && !served)
		rc = primer_seeds_choose(s, n, end - from, &seeds, e);
	if (rc || served)
		return rc;
	if (seeds)
		beg = primer_seeds_scan(s, from, end);
	from = beg > span ? beg - span : 0;
	if (beg < end && f && !f->first)
		rc = elsewhere(s, n, from, end, &served, e);
	if (beg < end && !rc && !served)
		rc = groups(s, n, from, end, e);
	return rc;
}

static int
tile(struct primer_short *s, bool exact, uint64_t beg, uint64_t end,
     struct err *e)
{
	uint64_t span = primer_span(s->p);
	size_t n = primer_blocks_cut(s, exact ? 0 : s->rows);
	int rc;

	if (exact) {
		leaves(s, n, beg > span ? beg - span : 0, end);
		return 0;
	}
	no_rests(s);
	rc = by_cores(s, n, beg, end, e);
	if (!rc)
		rests(s, end);
	return rc;
}

/* The starts of a slice: [s->from, s->to). */
static int
slice(struct primer_short *s, struct err *e)
{
	const struct primer_force *f = &s->p->force;
	uint64_t n = s->x->n, size = f->tile ? f->tile : TILE_MIN;
	uint64_t most = f->tile ? f->tile * TILE_GROWS : TILE_MAX;
	bool exact = true;
	int rc = 0;

	if (!s->rows)
		size = most;
	else if (primer_blocks_known(s) || f->cores)
		size = f->tile ? f->tile : TILE_KNOWN, exact = false;
	for (uint64_t beg = 0, end; beg < n && !rc; beg = end) {
		end = min_u64(n, beg + size);
		rc = tile(s, exact, beg, end, e);
		exact = !s->rows;
		size = min_u64(TILE_GROWS * size, most);
	}
	primer_blocks_spread(s);
	return rc;
}

/*
 * Letters of cores: of fewer there are more starts a block, and more hits.  By
 * measurement, on random letters; above the last, leaves alone are faster.  A
 * backend has no use for words of 16 bits, and hits are left to us.
 */
static unsigned
rows_for(const struct primer *p)
{
	static const uint8_t rows[] = { 0, 7, 9, 12, 15, 16, 19, 21, 23, 25, 28,
					30, 32, 32 };
	uint64_t k = p->par.k;

	if (p->force.rows && k < p->force.rows)
		return p->force.rows;
	if (k >= sizeof rows)
		return 0;
	if (p->backend && p->backend->serves(p->backend->ctx))
		return (unsigned)min_u64(rows[k] + LONGER, PRIMER_CORE_ROWS);
	return rows[k];
}

int
primer_short(struct primer *p, const struct primer_text *x, uint64_t from,
	     uint64_t to, struct primer_work *w, struct err *e)
{
	struct primer_short *s = w->shorts.mem;
	int rc = primer_room(&w->shorts, 1, sizeof *s, e);

	if (rc)
		return rc;
	if (!s) {
		s = w->shorts.mem;
		s->seeds.k = 0;
		s->seeds.excess = 0;
	}
	s->p = p;
	s->x = x;
	s->w = w;
	s->ops = (struct primer_short_ops){
		8 * isa_bytes(cpu_isa()), KERN_PICK(primer_cores),
		KERN_PICK(primer_sieve), KERN_PICK(primer_near),
		KERN_PICK(primer_leaf), KERN_PICK(primer_slices),
	};
	s->sieves = p->n_classes <= 4;
	s->sieve.n = s->sieve.columns = 0;
	s->cores.n_hits = 0;
	s->rows = rows_for(p);
	s->cores.bits = s->rows > 16 ? 32 : 16;
	for (uint64_t at = from; at < to && !rc; at = s->to) {
		s->from = at;
		s->to = min_u64(to, at + PRIMER_SLICE);
		rc = slice(s, e);
	}
	return rc;
}
