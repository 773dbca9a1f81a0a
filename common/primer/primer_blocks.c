/* SPDX-License-Identifier: MIT */
/*
 * primer_blocks.c - the ends of many starts by one pass over the text
 *
 * Let E be the end of the first start of a block, or less.  A start j of the
 * block that gets an end above E has [j, E + 1) occur, so its part [c, E + 1),
 * the core, does, if c is the block's last start.  One pass finds its places.
 * These are grouped into clusters, each with the first start that it may matter
 * for.  The block's starts are processed upwards.  Where a cluster's first
 * start is reached:
 *
 * - it is scanned backwards, if E has grown since the last time, to see for
 *   which starts the longer [j, E + 1) occurs in it.  Mostly there is none;
 * - then it is scanned forwards, for the ends of several starts at once.
 *
 * A start below the first of all clusters has the end of the one before it.
 *
 * A block that costs more than its starts would one by one, as in repeats, is
 * abandoned.  The next one has half the starts; where it had one or two, starts
 * are searched by all of the text, until that took twice what the block did,
 * twice as much each time: the cost of abandoned blocks soon becomes small.
 *
 * In such a search, a start gains, or has the end E of the one before.  Then a
 * pass backwards from E finds the next start that gains, if it is not far:
 * those before it have E.  So at most two passes are made for each start that
 * gains, or one, where all do.
 *
 * A pass has words of rows, in lanes of 32 or 64 bits, or it is bit-sliced,
 * in lanes of one bit (primer_blocks.h), which is cheaper for long texts.
 *
 * Or a backend, e.g. a GPU, looks for the core.
 *
 * Memory of a thread: the text twice, once in pieces for single starts and once
 * in those for passes, or half of it by slices, with rows + k letters more in
 * each of up to 32 lanes, or 512; clusters, up to two bytes a letter; and up to
 * 200 bytes a letter of a window of the target (with the literal alphabet 8
 * more for each of its symbols).
 */

#include <string.h>

#include "base/base.h"
#include "primer/primer_blocks.h"

/* Occurrences of a block's core, as reported by a backend. */

enum {
	CHEAP = 2,	/* a backend's scan costs so much less than ours */
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

	primer_classes(b->p, q.n_symbols, q.holds);
	return q;
}

/* Does a stretch lie so near to the cluster that it belongs to it?  One may end
 * anywhere, as where a lane does (see primer_extend_left()): not so wide that
 * one lane has to look at much of the text. */
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

static uint64_t primer_words_steps(const struct primer_blocks *b);

static int
take_job(struct primer_blocks *b, const struct primer_find_long *q)
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
	b->w->stats.reported++;
	return 0;
}

/* The same by the backend; PRIMER_NOT_NOW: it does not. */
static int
primer_block_reported(struct primer_blocks *b)
{
	const struct primer_backend *f = b->p->backend;
	struct primer_find_long q;
	int rc;

	if (!f || !f->find_long || b->x->n_symbols > PRIMER_CORE_SYMBOLS ||
	    b->x->n >= 1ull << 31 || b->end - b->first >= PRIMER_LONG_ROWS)
		return PRIMER_NOT_NOW;
	q = question(b);
	b->w->found.n = 0;
	rc = f->find_long(f->ctx, &q, &b->w->found, b->e);
	return rc ? rc : take_job(b, &q);
}

/* Where a block's core occurs in the text. */

enum {
	TILE = 256,		/* columns written at once, of all pieces */
	TICK = 32,		/* columns between two times to end waiting */
};

/*
 * D of an occurrence with at most k - 1 differences of so many rows depends on
 * rows + k - 1 columns before at most.  Outside of the text nothing matches, as
 * if there was none: a letter there is a difference, as is leaving it out.
 */
static void
cut_pieces(const struct primer_blocks *b, const struct primer_pieces *c)
{
	uint64_t columns = c->length + c->over, n = b->x->n;
	uint8_t *to = c->room->mem;

	for (uint64_t tile = 0; tile < columns; tile += TILE)
		for (uint64_t l = 0; l < c->n; l++)
			for (uint64_t t = tile; t < columns && t < tile + TILE;
			     t++) {
				uint64_t at = l * c->length + t - c->over;
				uint8_t s = PRIMER_NOTHING;

				if (at < n)
					s = b->x->symbol[c->back ? n - 1 - at :
								   at];
				to[t * c->n + l] = s;
			}
}

int
primer_cut(struct primer_blocks *b, struct primer_pieces *c, uint64_t over)
{
	int rc;

	if (c->length && over <= c->over)
		return 0;
	over += over / 4 + 64;
	c->length = b->x->n / c->n + 1;
	c->over = over;
	if (over > SIZE_MAX / 4 - c->length)
		return err_nomem(b->e, SIZE_MAX);
	rc = primer_room(c->room, c->length + over, c->n, b->e);
	if (!rc)
		cut_pieces(b, c);
	return rc;
}

static int
room_for_pattern(struct primer_blocks *b, struct primer_pattern *pat)
{
	uint64_t whole = (pat->rows + 63) / 64 * 64, bits = pat->as.bits;
	int rc = primer_room(&b->w->letters, whole, 1, b->e);

	pat->words = (pat->rows + bits - 1) / bits;
	if (!rc)
		rc = primer_room(&b->w->eq, whole / bits * pat->as.stride,
				 bits / 8, b->e);
	pat->eq = b->w->eq.mem;
	if (!rc)
		memset(b->w->letters.mem, PRIMER_BREAK, whole);
	return rc;
}

int
primer_pattern(struct primer_blocks *b, struct primer_pattern *pat,
	       uint64_t beg, uint64_t end)
{
	int rc;

	*pat = (struct primer_pattern){ .as = b->reaches, .rows = end - beg };
	rc = room_for_pattern(b, pat);
	if (rc)
		return rc;
	memcpy(b->w->letters.mem, b->p->code + beg, end - beg);
	b->ops.eq(b->w->letters.mem, pat, b->p, b->x->n_symbols);
	return 0;
}

int
primer_pattern_back(struct primer_blocks *b, struct primer_pattern *pat,
		    const struct primer_shape *as, uint64_t beg, uint64_t end,
		    uint64_t core)
{
	uint64_t rows = end - beg, bits = as->bits;
	uint64_t words = (rows + bits - 1) / bits;
	uint8_t *to;
	int rc;

	*pat = (struct primer_pattern){ .as = *as, .rows = rows };
	if (core <= bits * (words - 1))
		pat->wild = (unsigned)(bits * words - rows);
	pat->rows += pat->wild;
	rc = room_for_pattern(b, pat);
	if (rc)
		return rc;
	to = (uint8_t *)b->w->letters.mem + pat->wild;
	while (end-- > beg)
		*to++ = b->p->code[end];
	b->ops.eq(b->w->letters.mem, pat, b->p, b->x->n_symbols);
	return 0;
}

/* A lane's number, which has a sign. */
static uint64_t
lane_of(const struct primer_scan *s, const struct primer_lanes *v, unsigned l)
{
	uint64_t x;
	int32_t y;

	if (s->pat.as.bits == 64) {
		memcpy(&x, v->x + sizeof x * l, sizeof x);
		return x;
	}
	memcpy(&y, v->x + sizeof y * l, sizeof y);
	return (uint64_t)(int64_t)y;
}

static void
set_lane(const struct primer_scan *s, struct primer_lanes *v, unsigned l,
	 uint64_t x)
{
	uint32_t y = (uint32_t)x;

	if (s->pat.as.bits == 64)
		memcpy(v->x + sizeof x * l, &x, sizeof x);
	else
		memcpy(v->x + sizeof y * l, &y, sizeof y);
}

/* D of a row (from 0) of the last word, not above the core's last. */
static uint64_t
row_value(const struct primer_scan *s, unsigned lane, uint64_t row)
{
	unsigned in_word = s->pat.as.bits - 1;
	uint64_t core = 1ull << ((s->core - 1) & in_word);
	uint64_t rows = (2ull << (row & in_word)) - (core << 1);
	uint64_t up = ~lane_of(s, &s->last_level, lane) & rows;
	uint64_t down = lane_of(s, &s->last_m, lane) & rows;

	return lane_of(s, &s->above, lane) + s->limit + 1 -
	       (s->held[lane] != UINT64_MAX ? PRIMER_HELD : 0) +
	       (uint64_t)__builtin_popcountll(up) -
	       (uint64_t)__builtin_popcountll(down);
}

static void
watch_row(struct primer_scan *s, unsigned lane, uint64_t next, uint64_t mark)
{
	set_lane(s, &s->next, lane, next);
	set_lane(s, &s->mark, lane, mark);
}

/* Rows of a lane's open cluster that occur here, from the one watched on. */
static void
watch(struct primer_scan *s, unsigned lane)
{
	struct primer_cluster *c = s->list + s->open[lane] - 1;

	for (; c->rows < s->pat.rows; c->rows++) {
		uint64_t d = row_value(s, lane, c->rows);

		if (d > s->limit) {
			watch_row(s, lane, d - s->limit - 1, 1ull <<
				  (c->rows & (s->pat.as.bits - 1)));
			return;
		}
	}
	watch_row(s, lane, 0, 0);
}

static uint64_t
next_tick(uint64_t column)
{
	return (column + TICK - 1) / TICK * TICK;
}

/* A lane's core counts as one that does not occur, or as before. */
static void
hold_lane(struct primer_scan *s, unsigned lane, uint64_t to)
{
	bool held = s->held[lane] != UINT64_MAX, hold = to != UINT64_MAX;

	s->held[lane] = to;
	if (held != hold)
		set_lane(s, &s->above, lane, lane_of(s, &s->above, lane) +
			 (hold ? PRIMER_HELD : -(uint64_t)PRIMER_HELD));
}

/*
 * The core occurs here, with d differences.  So it does, with one more each
 * time, in the next limit - d columns, by letters of text added: as far as any
 * path from here can leave its diagonal that way.  So a path that goes on from
 * here gets to its last row within `rest` rows of the last of them; until then
 * more rows are this cluster's.
 *
 * It mostly occurs in some more columns, too.  They are not looked at: until
 * the next tick it is taken to, which makes clusters only a little wider.
 */
static void
core_found(struct primer_scan *s, unsigned lane, uint64_t column, int64_t at)
{
	uint64_t held = next_tick(column + 1), rest = s->pat.rows - s->core;
	struct primer_cluster *c = NULL;

	if (s->open[lane])
		c = s->list + s->open[lane] - 1;
	if (!c || (s->until[lane] == UINT64_MAX &&
		   c->lo - at > (int64_t)s->gap)) {
		c = s->list + s->n++;
		s->open[lane] = s->n;
		*c = (struct primer_cluster){ .hi = at, .rows = s->core };
	}
	c->lo = at - (int64_t)(held - column - 1);
	s->until[lane] = next_tick(held + rest);
	watch(s, lane);
	hold_lane(s, lane, held);
}

/* What ends with this column, and when something does next.  Returns the lanes
 * whose core counts again, in this column already. */
static uint32_t
done_waiting(struct primer_scan *s, uint64_t column)
{
	uint32_t again = 0;

	s->first_until = UINT64_MAX;
	for (unsigned l = 0; l < s->pieces; l++) {
		if (column >= s->held[l]) {
			hold_lane(s, l, UINT64_MAX);
			again |= 1u << l;
		}
		if (column >= s->until[l]) {
			s->until[l] = UINT64_MAX;
			watch_row(s, l, 0, 0);
		}
		s->first_until = min_u64(s->first_until,
					 min_u64(s->held[l], s->until[l]));
	}
	return again;
}

void
primer_watch_none(struct primer_scan *s)
{
	s->first_until = UINT64_MAX;
	for (unsigned l = 0; l < PRIMER_MAX_PIECES; l++)
		s->held[l] = s->until[l] = UINT64_MAX;
}

void
primer_found(struct primer_scan *s, uint64_t column, uint32_t lanes)
{
	uint64_t piece = s->columns - s->own;

	if (column >= s->first_until)
		lanes |= done_waiting(s, column);
	for (; lanes; lanes &= lanes - 1) {
		unsigned l = (unsigned)__builtin_ctz(lanes);
		uint64_t at = l * piece + column - s->own;

		if (lane_of(s, &s->above, l) >> 63 && at < s->n_text)
			core_found(s, l, column, (int64_t)(s->n_text - 1 - at));
		else if (lane_of(s, &s->next, l) >> 63)
			watch(s, l);
		s->first_until = min_u64(s->first_until,
					 min_u64(s->held[l], s->until[l]));
	}
}

int
primer_room_to_scan(struct primer_blocks *b, struct primer_scan *s)
{
	int rc = primer_room(&b->w->state, 2 * s->pat.words * s->pieces,
			     s->pat.as.bits / 8, b->e);

	s->state = b->w->state.mem;
	return rc;
}

static int
room_for_list(struct primer_blocks *b, struct primer_scan *s)
{
	/* Clusters of a lane begin more than the gap from each other. */
	uint64_t most = s->pieces * (b->scanned.length / PRIMER_MIN_GAP + 2);
	int rc = primer_room(&b->w->list, most, sizeof *s->list, b->e);

	s->list = b->w->list.mem;
	return rc;
}

/*
 * The first start of each cluster.  Where the rows end before the block's first
 * start, or the text's piece did while it was watched, it may be any.
 */
static void
set_starts(struct primer_blocks *b, const struct primer_scan *s)
{
	for (unsigned l = 0; l < s->pieces; l++)
		if (s->until[l] != UINT64_MAX)
			s->list[s->open[l] - 1].rows = s->pat.rows;
	for (size_t i = 0; i < b->n; i++) {
		struct primer_cluster *c = &b->list[i];

		c->end = c->rows == s->pat.rows ? 0 : b->end;
		c->start = c->rows == s->pat.rows ? b->beg :
			   b->end + 1 - (c->rows - s->pat.wild);
	}
}

/* The text, from where what its own columns depend on begins. */
static void
set_text(struct primer_scan *s, const struct primer_pieces *c, uint64_t over)
{
	s->own = over;
	s->columns = c->length + over;
	s->text = (const uint8_t *)c->room->mem + (c->over - over) * c->n;
}

/* The block's core, its lanes by words. */
static int
scan_words(struct primer_blocks *b)
{
	uint64_t rows = primer_watched(b, b->end + 1 - b->first,
				       b->end + 1 - b->beg);
	struct primer_pieces *c = &b->scanned;
	struct primer_scan s = {
		.limit = b->limit, .core = b->end + 1 - b->first,
		.n_text = b->x->n, .pieces = c->n,
	};
	int rc = primer_pattern_back(b, &s.pat, &b->scans, b->end + 1 - rows,
				     b->end + 1, s.core);

	if (!rc)
		rc = primer_cut(b, c, rows + b->limit);
	s.gap = max_u64(s.core / 2, PRIMER_MIN_GAP);
	s.core += s.pat.wild;
	if (!rc)
		rc = room_for_list(b, &s);
	if (!rc)
		rc = primer_room_to_scan(b, &s);
	if (rc)
		return rc;
	set_text(&s, c, rows + b->limit);
	primer_watch_none(&s);
	b->ops.scan(&s);
	b->list = s.list;
	b->n = s.n;
	set_starts(b, &s);
	b->spent += s.steps;
	b->w->stats.columns += s.steps;
	return 0;
}

/* Of as many steps as a scan by words. */
static uint64_t
primer_words_steps(const struct primer_blocks *b)
{
	uint64_t core = b->end + 1 - b->first;
	uint64_t columns = b->x->n / b->ops.pieces + core + b->limit;

	return columns * PRIMER_CHAINS * (core / b->ops.bits + 1);
}

/* The cheaper of the two. */
static int
primer_block_scan(struct primer_blocks *b)
{
	uint64_t steps = primer_slices_steps(b);

	switch (steps < UINT64_MAX ? b->p->force.slices : PRIMER_SLICES_NEVER) {
	case PRIMER_SLICES_ALWAYS:
		return primer_block_slices(b);
	case PRIMER_SLICES_NEVER:
		return scan_words(b);
	default:
		return steps < primer_words_steps(b) ? primer_block_slices(b) :
						scan_words(b);
	}
}

/* The ends of many starts by one pass over the text. */

enum {
	FEW = 8,			/* starts of a block */
	MAX_VAIN = 3000,		/* steps of looks in vain, of these */
	MIN_PAUSE = 4, MAX_PAUSE = 512,	/* plain starts' steps */
	/* Rows and differences of a core: scans and looks back, of 4 times as
	 * many, count in 31 bits. */
	MAX_CORE = 1 << 27,
};

/* Scans have words of 32 rows where there are vectors, else of 64. */
static struct primer_blocks_ops
ops_of(enum isa isa)
{
	unsigned bytes = isa_bytes(isa), bits = bytes > 8 ? 32 : 64;

	return (struct primer_blocks_ops){
		PRIMER_CHAINS * bytes / 8, PRIMER_CHAINS * 8 * bytes / bits,
		bits, 8 * bytes, KERN_OF(isa, primer_slices),
		KERN_OF(isa, primer_scan), KERN_OF(isa, primer_reach),
		KERN_OF(isa, primer_eq), KERN_OF(isa, primer_transpose),
	};
}

/* Permutations of 64 bits: of 8 or 16 symbols; of 4, as halves, and nothing.
 * Of 32 bits: as many symbols as a vector has. */
static void
choose_block(struct primer_blocks *b)
{
	unsigned n = b->x->n_symbols;
	enum isa isa = cpu_isa();

	b->ops = ops_of(isa);
	b->reaches = b->scans = (struct primer_shape){
		.bits = 64, .how = PRIMER_EQ_LOAD, .stride = n,
	};
	if (((isa == ISA_AVX512 || isa == ISA_NEON) && n <= 8) ||
	    (isa == ISA_AVX2 && n <= 5))
		b->reaches = (struct primer_shape){ 64, PRIMER_EQ_8, 8 };
	else if (isa == ISA_AVX512 && n <= 16)
		b->reaches = (struct primer_shape){ 64, PRIMER_EQ_16, 16 };
	b->scans.bits = b->ops.bits;
	if (isa == ISA_AVX512 && n <= 16)
		b->scans = (struct primer_shape){ 32, PRIMER_EQ_16, 16 };
	else if ((isa == ISA_AVX2 || isa == ISA_NEON) && n <= 8)
		b->scans = (struct primer_shape){ 32, PRIMER_EQ_8, 8 };
}

/* A start is done: its end is what is known. */
static void
settle_start(struct primer_blocks *b, uint64_t start)
{
	uint64_t end = min_u64(primer_known(b, start),
			       primer_cap(b->p, start));

	primer_raise(b->p, start, end);
	b->before = end;
}

static bool
settled(const struct primer_blocks *b, uint64_t start)
{
	return primer_known(b, start) >= primer_cap(b->p, start);
}

/* The first start in [beg, last] that a cluster may matter for; last + 1: none
 * does. */
static uint64_t
next_start(const struct primer_blocks *b)
{
	uint64_t start = b->last + 1;

	for (size_t i = 0; i < b->n; i++)
		start = min_u64(start, b->list[i].start);
	return start;
}

static bool
stale(const struct primer_cluster *c, uint64_t end)
{
	return !c->hot && c->end < end;
}

/*
 * Clusters to be looked at backwards: of those of this start as many as there
 * are lanes, and if there are fewer, of the next ones, too.  Returns how many
 * of this start there are in all.
 */
static size_t
some_stale(struct primer_blocks *b, uint64_t start, uint64_t end,
	   struct primer_cluster **to, unsigned *n)
{
	size_t all = 0;

	*n = 0;
	for (size_t i = 0; i < b->n; i++)
		if (b->list[i].start == start && stale(&b->list[i], end)) {
			all++;
			if (*n < b->ops.lanes)
				to[(*n)++] = &b->list[i];
		}
	for (size_t i = 0; all && i < b->n && *n < b->ops.lanes; i++)
		if (b->list[i].start > start && b->list[i].start <= b->last &&
		    stale(&b->list[i], end))
			to[(*n)++] = &b->list[i];
	return all;
}

/* Clusters that are extended to the right in this start's turn. */
static int
extend_clusters(struct primer_blocks *b, uint64_t start)
{
	unsigned n = (unsigned)min_u64(b->ops.lanes, b->last + 1 - start);
	int rc = 0;

	for (size_t i = 0; !rc && i < b->n; i++) {
		struct primer_cluster *c = &b->list[i];

		if (c->start != start)
			continue;
		rc = primer_extend_right(b, c, start, n);
		c->start = start + n;
		break;
	}
	return rc;
}

/*
 * One step at a start that some cluster may matter for; *stop: the block has
 * become dear, and ends before this start.  A look is expected to bring as many
 * starts as those before it did, in relatives a vector's lanes.  Where it costs
 * more than all of the block so far did for each look, it makes the block's
 * starts dearer than they were.
 */
static int
step_start(struct primer_blocks *b, uint64_t start, bool *stop)
{
	struct primer_cluster *some[PRIMER_MAX_LANES];
	uint64_t end = primer_known(b, start), rows = end + 1 - start;
	uint64_t all, cost;
	unsigned n;

	if (settled(b, start)) {
		for (size_t i = 0; i < b->n; i++)
			b->list[i].start = max_u64(b->list[i].start, start + 1);
		return 0;
	}
	all = some_stale(b, start, end, some, &n);
	if (!n)
		return extend_clusters(b, start);
	cost = (all / b->ops.lanes + 1) * PRIMER_CHAINS *
	       (rows + 2 * b->limit) * (rows / 64 + 1);
	*stop = start > b->beg && b->looks && cost > b->spent / b->looks;
	b->looks++;
	return *stop ? 0 : primer_extend_left(b, some, n, start, end);
}

/*
 * What suits: passes over the text that cost a few times what looking in vain
 * does.  The fewer rows a core has, the more starts are in its block, at most
 * twice as many (the next window begins at `next`, and has fewer rows, if few
 * starts gained), but the more often it occurs: with k of 1,000, one letter in
 * two hundred is from hardly anywhere to everywhere.  Where a window has fewer
 * rows than suited, as after many starts that gained nothing, they are tried.
 * Of few starts, one more is worth more than a scan's third: with short texts,
 * whose scan costs no more than a look, blocks would keep one start.
 */
static void
adapt(struct primer_blocks *b, uint64_t scan, uint64_t next, bool stopped)
{
	uint64_t n = b->last + 1 - b->beg, core = b->end + 1 - b->first;
	uint64_t twice = core + 2 * n - 1, rows = b->before + 1 - next;
	uint64_t vain = min_u64(2 * scan, MAX_VAIN);
	uint64_t most = max_u64(scan / 3, n < FEW ? vain : 0);

	if (core < b->core && b->first == b->beg && !stopped)
		b->core = core;
	if (core != b->core)
		return;
	if (stopped || b->idle > most)
		b->core++;
	else if (b->idle < scan / 50 && twice > rows)	/* far from it */
		b->core -= min_u64((core - b->limit) / 16, twice - rows);
	if (b->idle < most * 3 / 5 && !stopped && b->core > b->limit + 1)
		b->core--;
}

/*
 * A block costs more than as many starts one by one, of which one is so many
 * steps.  One of half the starts may not; where there are no fewer, starts one
 * by one it shall be now, for a while.
 */
static void
give_up(struct primer_blocks *b, uint64_t each)
{
	uint64_t n = b->last + 1 - b->beg, rows = b->end + 1 - b->beg;

	b->w->stats.plain++;
	b->pause = 2 * b->spent;
	b->core = rows - (n - 1) / 2;
	if (n <= 2) {
		b->pauses = max_u64(2 * b->pauses, MIN_PAUSE * each);
		b->pauses = min_u64(b->pauses, MAX_PAUSE * each);
		b->pause = max_u64(b->pause, b->pauses);
	}
	b->paused = b->done = 0;
	b->grew = true;
}

/* Of a start that is searched by all of the text: as those of the last pause
 * did, if that is less.  With max_len it may be, as where all there can be is
 * found, nothing is left to be read. */
static uint64_t
plain_steps(const struct primer_blocks *b, uint64_t rows)
{
	uint64_t most = primer_plain_steps(b, rows);

	return b->each ? min_u64(b->each, most) : most;
}

/* The starts of a block; *next is the first that is not done. */
static int
starts(struct primer_blocks *b, uint64_t *next)
{
	uint64_t each = plain_steps(b, b->end + 1 - b->beg);
	uint64_t scan = b->spent, at = b->beg, to;
	bool stop = false, dear = false;
	int rc = 0;

	while (!rc && !stop && !dear && at <= b->last) {
		to = next_start(b);
		while (at < to)
			settle_start(b, at++);
		if (at <= b->last)
			rc = step_start(b, at, &stop);
		dear = b->spent > scan + (at - b->beg + MIN_PAUSE) * each;
	}
	*next = at;
	if (rc)
		return rc;
	adapt(b, scan, at, stop);
	if (dear || b->spent > 2 * (at - b->beg + 1) * each)
		give_up(b, each);
	else
		b->pauses = 0;
	return 0;
}

static int
block(struct primer_blocks *b, uint64_t start, uint64_t to, uint64_t *next)
{
	uint64_t end = primer_known(b, start), rows = end + 1 - start;
	uint64_t core = min_u64(rows, min_u64(b->core, MAX_CORE));
	int rc;

	b->beg = start;
	b->end = end;
	b->first = end + 1 - core;
	b->last = min_u64(b->first, to - 1);
	b->spent = b->idle = b->looks = 0;
	b->w->stats.blocks++;
	rc = primer_block_reported(b);
	if (rc == PRIMER_NOT_NOW)
		rc = primer_block_scan(b);
	return rc ? rc : starts(b, next);
}

/* A start by itself: in a pause, and where nothing is known of its end. */
static int
plain_start(struct primer_blocks *b, uint64_t start)
{
	uint64_t end = primer_known(b, start);
	int rc;

	b->spent = 0;
	rc = primer_block_plain(b, start);
	b->segment = b->p->stop[start];
	settle_start(b, start);
	b->each = b->spent + 1;
	b->grew = b->before > end;
	if (!rc && !b->core)
		b->core = max_u64(b->before - start, b->limit + 1);
	return rc;
}

/* The next starts in a pause; *at is the first that is not done. */
static int
by_all_of_text(struct primer_blocks *b, uint64_t *at, uint64_t to)
{
	uint64_t start = *at, next = start;
	int rc = 0;

	b->spent = 0;
	if (!b->grew) {
		rc = primer_block_back(b, start, primer_known(b, start), &next);
		b->grew = true;
		while (!rc && *at < min_u64(next, to))
			settle_start(b, (*at)++);
	} else {
		rc = plain_start(b, (*at)++);
	}
	b->paused += b->spent;
	b->done += *at - start;
	b->pause -= min_u64(b->pause, b->spent);
	if (!b->pause)
		b->each = b->done ? b->paused / b->done + 1 : 0;
	return rc;
}

int
primer_blocks(struct primer *p, const struct primer_text *x, uint64_t from,
	      uint64_t to, struct primer_work *w, struct err *e)
{
	struct primer_blocks b = {
		.p = p, .x = x, .w = w, .e = e, .limit = p->par.k - 1,
		.before = from ? primer_end(p, from - 1) : 0,
		.segment = UINT64_MAX,
	};
	uint64_t at = from;
	int rc = 0;

	choose_block(&b);
	b.scanned = (struct primer_pieces){
		.room = &w->scanned, .n = b.ops.pieces, .back = true,
	};
	b.plain = (struct primer_pieces){
		.room = &w->pieces, .n = b.ops.lanes,
	};
	b.back = (struct primer_pieces){
		.room = &w->back, .n = b.ops.lanes, .back = true,
	};
	b.sliced = (struct primer_pieces){
		.room = &w->sliced, .n = b.ops.slices, .back = true,
	};
	while (!rc && at < to) {
		if (settled(&b, at)) {
			settle_start(&b, at++);
			continue;
		}
		if (b.segment != p->stop[at])
			rc = plain_start(&b, at++);
		else if (b.pause || b.limit >= MAX_CORE)
			rc = by_all_of_text(&b, &at, to);
		else
			rc = block(&b, at, to, &at);
		primer_meter(w, at - from);
	}
	return rc;
}
