/* SPDX-License-Identifier: MIT */
/* primer_block_scan.c - where a block's core occurs in the text */
#include <string.h>

#include "algo/primer_blocks.h"
#include "base/minmax.h"

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
cut(const struct primer_blocks *b, const struct primer_pieces *c)
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
		cut(b, c);
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
value(const struct primer_scan *s, unsigned lane, uint64_t row)
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
		uint64_t d = value(s, lane, c->rows);

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
hold(struct primer_scan *s, unsigned lane, uint64_t to)
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
found(struct primer_scan *s, unsigned lane, uint64_t column, int64_t at)
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
	hold(s, lane, held);
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
			hold(s, l, UINT64_MAX);
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
			found(s, l, column, (int64_t)(s->n_text - 1 - at));
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

uint64_t
primer_words_steps(const struct primer_blocks *b)
{
	uint64_t core = b->end + 1 - b->first;
	uint64_t columns = b->x->n / b->ops.pieces + core + b->limit;

	return columns * PRIMER_CHAINS * (core / b->ops.bits + 1);
}

/* The cheaper of the two. */
int
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
