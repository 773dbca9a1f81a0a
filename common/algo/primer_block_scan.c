/* SPDX-License-Identifier: MIT */
/* primer_block_scan.c - where a block's core occurs in the text */
#include <string.h>

#include "algo/primer_blocks.h"
#include "base/minmax.h"

/* Columns that are written at once, of all pieces. */
enum { TILE = 256 };

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

int
primer_pattern(struct primer_blocks *b, struct primer_pattern *pat,
	       uint64_t beg, uint64_t end, bool back)
{
	uint64_t rows = end - beg;
	uint8_t *to;
	int rc;

	*pat = (struct primer_pattern){
		.rows = rows, .words = (rows + 63) / 64, .how = b->how,
		.stride = b->stride,
	};
	rc = primer_room(&b->w->letters, pat->words, 64, b->e);
	if (!rc)
		rc = primer_room(&b->w->eq, pat->words * pat->stride,
				 sizeof *pat->eq, b->e);
	if (rc)
		return rc;
	to = b->w->letters.mem;
	if (back)
		for (uint64_t i = 0; i < rows; i++)
			to[i] = b->p->code[end - 1 - i];
	else
		memcpy(to, b->p->code + beg, rows);
	memset(to + rows, PRIMER_BREAK, 64 * pat->words - rows);
	pat->eq = b->w->eq.mem;
	b->ops.eq(to, pat, b->p, b->x->n_symbols);
	return 0;
}

/* D of a row (from 0) of the last word, not above the core's last. */
static uint64_t
value(const struct primer_scan *s, unsigned lane, uint64_t row)
{
	uint64_t core = 1ull << ((s->core - 1) & 63);
	uint64_t rows = (2ull << (row & 63)) - (core << 1);

	return s->above[lane] + s->limit + 1 +
	       (uint64_t)__builtin_popcountll(s->last_p[lane] & rows) -
	       (uint64_t)__builtin_popcountll(s->last_m[lane] & rows);
}

/* Rows of a lane's open cluster that occur here, from the one watched on. */
static void
watch(struct primer_scan *s, unsigned lane)
{
	struct primer_cluster *c = s->list + s->open[lane] - 1;

	s->mark[lane] = s->next[lane] = 0;
	while (c->rows < s->pat.rows) {
		uint64_t d = value(s, lane, c->rows);

		if (d > s->limit) {
			s->next[lane] = d - s->limit - 1;
			s->mark[lane] = 1ull << (c->rows & 63);
			return;
		}
		c->rows++;
	}
}

/*
 * The core occurs here, with d differences.  So it does, with one more each
 * time, in the next limit - d columns, by letters of text added: as far as any
 * path from here can leave its diagonal that way.  So a path that goes on from
 * here gets to its last row within `rest` rows of the last of them; until then
 * more rows are this cluster's.
 */
static void
found(struct primer_scan *s, unsigned lane, uint64_t column, int64_t at)
{
	struct primer_cluster *c = NULL;

	if (s->open[lane])
		c = s->list + s->open[lane] - 1;
	if (!c || (s->until[lane] == UINT64_MAX &&
		   c->lo - at > (int64_t)s->gap)) {
		c = s->list + s->n++;
		s->open[lane] = s->n;
		*c = (struct primer_cluster){ .hi = at, .rows = s->core };
	}
	c->lo = at;
	s->until[lane] = column + s->pat.rows - s->core + 1;
	s->first_until = min_u64(s->first_until, s->until[lane]);
	watch(s, lane);
}

static void
done_watching(struct primer_scan *s, uint64_t column)
{
	s->first_until = UINT64_MAX;
	for (unsigned l = 0; l < s->pieces; l++) {
		if (column >= s->until[l]) {
			s->until[l] = UINT64_MAX;
			s->mark[l] = s->next[l] = 0;
		}
		s->first_until = min_u64(s->first_until, s->until[l]);
	}
}

void
primer_watch_none(struct primer_scan *s)
{
	s->first_until = UINT64_MAX;
	for (unsigned l = 0; l < PRIMER_MAX_PIECES; l++)
		s->until[l] = UINT64_MAX;
}

void
primer_found(struct primer_scan *s, uint64_t column, uint32_t lanes)
{
	uint64_t piece = s->columns - s->own;

	for (; lanes; lanes &= lanes - 1) {
		unsigned l = (unsigned)__builtin_ctz(lanes);
		uint64_t at = l * piece + column - s->own;

		if (s->above[l] >> 63 && at < s->n_text)
			found(s, l, column, (int64_t)(s->n_text - 1 - at));
		else if (s->next[l] >> 63)
			watch(s, l);
	}
	if (column >= s->first_until)
		done_watching(s, column);
}

static int
room_to_scan(struct primer_blocks *b, struct primer_scan *s)
{
	/* Clusters of a lane begin more than the gap from each other. */
	uint64_t most = s->pieces * (b->scanned.length / PRIMER_MIN_GAP + 2);
	int rc = primer_room(&b->w->list, most, sizeof *s->list, b->e);

	if (!rc)
		rc = primer_room(&b->w->state, 2 * s->pat.words * s->pieces,
				 sizeof(uint64_t), b->e);
	s->list = b->w->list.mem;
	s->state = b->w->state.mem;
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
						    b->end + 1 - c->rows;
	}
}

int
primer_block_scan(struct primer_blocks *b, uint64_t rows)
{
	struct primer_pieces *c = &b->scanned;
	struct primer_scan s = {
		.limit = b->limit, .core = b->end + 1 - b->first,
		.n_text = b->x->n, .pieces = c->n,
	};
	int rc = primer_pattern(b, &s.pat, b->end + 1 - rows, b->end + 1, true);

	if (!rc)
		rc = primer_cut(b, c, rows + b->limit);
	s.gap = max_u64(s.core / 2, PRIMER_MIN_GAP);
	if (!rc)
		rc = room_to_scan(b, &s);
	if (rc)
		return rc;
	s.text = c->room->mem;
	s.own = c->over;
	s.columns = c->length + c->over;
	primer_watch_none(&s);
	b->ops.scan(&s);
	b->list = s.list;
	b->n = s.n;
	set_starts(b, &s);
	b->spent += s.columns * s.pat.words * PRIMER_CHAINS;
	b->w->stats.columns += s.columns * s.pat.words * PRIMER_CHAINS;
	return 0;
}
