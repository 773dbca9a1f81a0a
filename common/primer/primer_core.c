/* SPDX-License-Identifier: MIT */
/*
 * primer_core.c - compiled targets, symbols, rows that lanes have reached, and
 * starts one by one: how far they occur
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "letters/letters.h"
#include "primer/primer_blocks.h"
#include "primer/primer_priv.h"
#include "primer/primer_short.h"

/* Targets and symbols. */

enum { MAX_CLASSES = 255 };

/* A C G T are classes and symbols 1 to 4, then come their sets but N. */
static void
dna_symbols(struct primer *p)
{
	uint8_t of_set[16] = { [DNA_A] = 1, [DNA_C] = 2, [DNA_G] = 3,
			       [DNA_T] = 4 };

	p->n_classes = 4;
	p->n_symbols = 5;
	for (unsigned set = 1; set < 15; set++) {
		if (!of_set[set])
			of_set[set] = (uint8_t)p->n_symbols++;
		p->holds[of_set[set]] = (uint16_t)set;
	}
	for (unsigned c = 0; c < 256; c++) {
		uint8_t other = dna_complement((uint8_t)c);

		p->symbol[0][c] = of_set[dna_set((uint8_t)c)];
		p->symbol[1][c] = of_set[dna_set(other)];
	}
}

int
primer_new(struct primer **to, const struct primer_params *par, struct err *e)
{
	struct primer *p;

	if (par->k < 1 || par->k > PRIMER_MAX_K)
		return err_set(e, ERR_USAGE, "k must be 1 to %d", PRIMER_MAX_K);
	if (par->alphabet > PRIMER_LITERAL || par->engine > PRIMER_SHORT)
		return err_set(e, ERR_USAGE, "no such alphabet or engine");
	if (par->engine == PRIMER_SHORT &&
	    (par->max_len < 1 || par->max_len > PRIMER_MAX_SHORT))
		return err_set(e, ERR_USAGE, "short primers have a greatest "
			       "length of 1 to %d", PRIMER_MAX_SHORT);
	p = calloc(1, sizeof *p);
	if (!p)
		return err_nomem(e, sizeof *p);
	p->par = *par;
	p->n_symbols = 1;
	if (par->alphabet == PRIMER_DNA)
		dna_symbols(p);
	*to = p;
	return 0;
}

void
primer_delete(struct primer *p)
{
	if (!p)
		return;
	free(p->code);
	free(p->stop);
	free((void *)p->end);
	free(p->target);
	free(p);
}

static int
grow_array(void *at, uint64_t n, size_t size, struct err *e)
{
	void *old, *p;

	memcpy(&old, at, sizeof old);
	p = realloc(old, n * size);
	if (!p)
		return err_nomem(e, n * size);
	memcpy(at, &p, sizeof p);
	return 0;
}

/* Room for m + 1 places more, and a target. */
static int
target_room(struct primer *p, size_t m, struct err *e)
{
	uint64_t cap = p->cap ? p->cap : 64;
	int rc = array_room(&p->target, &p->target_cap, p->n_targets + 1,
			    sizeof *p->target, e);

	if (rc)
		return rc;
	if (m >= SIZE_MAX / 32 - p->n)
		return err_nomem(e, SIZE_MAX);
	if (p->n + m + 1 <= p->cap)
		return 0;
	while (cap < p->n + m + 1)
		cap *= 2;
	rc = grow_array(&p->code, cap + PRIMER_SLACK, sizeof *p->code, e);
	if (!rc)
		rc = grow_array(&p->stop, cap, sizeof *p->stop, e);
	if (!rc)
		rc = grow_array(&p->end, cap, sizeof *p->end, e);
	if (!rc)
		p->cap = cap;
	return rc;
}

/* Classes of the literal alphabet come as targets bring them. */
static int
literal_classes(struct primer *p, const uint8_t *letters, size_t m,
		struct err *e)
{
	for (size_t i = 0; i < m; i++) {
		uint8_t c = letters[i];

		if (p->symbol[0][c])
			continue;
		if (p->n_classes == MAX_CLASSES)
			return err_set(e, ERR_LIMIT, "targets of more than %d "
				       "different letters", MAX_CLASSES);
		p->symbol[0][c] = (uint8_t)++p->n_classes;
		p->symbol[1][c] = p->symbol[0][c];
		p->n_symbols = p->n_classes + 1;
	}
	return 0;
}

static uint8_t
class_of(const struct primer *p, uint8_t letter)
{
	uint8_t s = p->symbol[0][letter];

	return s <= p->n_classes ? s : PRIMER_BREAK;
}

int
primer_add(struct primer *p, const uint8_t *letters, size_t m, struct err *e)
{
	uint64_t beg = p->n, stop = p->n + m, k = p->par.k;
	int rc = target_room(p, m, e);

	if (!rc && p->par.alphabet == PRIMER_LITERAL)
		rc = literal_classes(p, letters, m, e);
	if (rc)
		return rc;
	p->target[p->n_targets++] = beg;
	p->n += m + 1;
	memset(p->code + stop, PRIMER_BREAK, 1 + PRIMER_SLACK);
	p->stop[stop] = stop;
	atomic_init(&p->end[stop], stop);
	for (uint64_t i = beg + m; i-- > beg;) {
		p->code[i] = class_of(p, letters[i - beg]);
		if (p->code[i] == PRIMER_BREAK)
			stop = i;
		p->stop[i] = stop;
		p->longest = max_u64(p->longest, stop - i);
		/* the empty word and k - 1 letters inserted occur anywhere */
		atomic_init(&p->end[i], min_u64(primer_cap(p, i), i + k - 1));
	}
	return 0;
}

void
primer_set_backend(struct primer *p, const struct primer_backend *f)
{
	p->backend = f;
}

uint64_t
primer_places(const struct primer *p)
{
	return p->n;
}

const uint8_t *
primer_symbols(const struct primer *p, bool minus)
{
	return p->symbol[minus];
}

uint64_t
primer_span(const struct primer *p)
{
	uint64_t max = p->par.max_len;

	return (max ? min_u64(max, p->longest) : p->longest) + p->par.k - 1;
}

void
primer_target_ends(const struct primer *p, size_t i, uint64_t *end)
{
	uint64_t beg = p->target[i];
	uint64_t next = i + 1 < p->n_targets ? p->target[i + 1] : p->n;

	for (uint64_t j = beg; j + 1 < next; j++)
		end[j - beg] = primer_end(p, j) - beg;
}

/* Starts one by one, in clusters and in all of a text: as far
 * as they occur to the right, or to the left of a known end */

enum {
	MORE_ROWS = 24,		/* behind those looked for, at first */
	LOOK = 100,		/* steps that a short look costs beside */
	LANE = 12,		/* and for how far a lane reaches */
};

static uint8_t
symbol_at(const struct primer_blocks *b, int64_t at)
{
	return at >= 0 && at < (int64_t)b->x->n ? b->x->symbol[at] :
						  PRIMER_NOTHING;
}

/* Windows of text side by side: lane l, below n, from beg[l] backwards, the
 * others with nothing.  Columns are rounded up to 8. */
static int
fill_window(struct primer_blocks *b, uint64_t columns, const int64_t *beg,
	    unsigned n)
{
	const unsigned lanes = b->ops.lanes, of = lanes < 8 ? lanes : 8;
	uint64_t wide = (columns + 7) / 8 * 8;
	int rc = primer_room(&b->w->window, wide, lanes + 1, b->e);
	uint8_t *window = b->w->window.mem;

	if (rc)
		return rc;
	memset(window + wide * lanes, PRIMER_NOTHING, wide);
	for (unsigned l = 0; l < lanes; l += of) {
		const uint8_t *from[8];
		uint8_t *to = window + l;
		unsigned i;

		for (i = 0; i < of; i++)
			if (l + i >= n)
				from[i] = window + wide * (lanes + 1) - 1;
			else if (beg[l + i] < (int64_t)b->x->n &&
				 beg[l + i] >= (int64_t)wide - 1)
				from[i] = b->x->symbol + beg[l + i];
			else
				break;
		if (i == 8) {
			b->ops.transpose(to, lanes, from, wide);
			continue;
		}
		for (uint64_t t = 0; t < columns; t++, to += lanes)
			for (i = 0; i < of; i++)
				to[i] = l + i >= n ? PRIMER_NOTHING :
					symbol_at(b, beg[l + i] - (int64_t)t);
	}
	return 0;
}

static int
reach(struct primer_blocks *b, struct primer_reach *r)
{
	int rc = primer_room(&b->w->state, 3 * r->pat.words * b->ops.lanes,
			     sizeof(uint64_t), b->e);

	if (rc)
		return rc;
	r->state = b->w->state.mem;
	r->limit = b->limit;
	b->ops.reach(r);
	b->spent += r->steps + LANE * b->ops.lanes;
	b->w->stats.checks += r->steps;
	return 0;
}

/* Long windows: where the paths may go, only. */
static int
back_in_band(struct primer_blocks *b, struct primer_cluster **c, unsigned n,
	     struct primer_pattern pat, uint64_t width, uint64_t columns,
	     const int64_t *beg)
{
	struct primer_reach r = {
		.near = 0, .far = (int64_t)(2 * b->limit + width + 2),
		.columns = columns, .pat = pat,
	};
	int rc;

	for (unsigned i = 0; i < b->ops.lanes; i++) {
		r.row[i] = i < n ? b->end_now + 1 - b->last : 1;
		r.most[i] = i < n ? pat.rows : 0;
	}
	rc = fill_window(b, columns, beg, n);
	r.text = b->w->window.mem;
	if (!rc)
		rc = reach(b, &r);
	b->idle += r.steps;
	for (unsigned i = 0; i < n; i++)
		c[i]->rows = r.row[i] - 1;
	return rc;
}

/* Short ones: as a scan of a core that ends with the block's last start. */
static int
back_at_once(struct primer_blocks *b, struct primer_cluster **c, unsigned n,
	     struct primer_pattern pat, uint64_t columns, const int64_t *beg)
{
	struct primer_cluster list[PRIMER_MAX_LANES];
	struct primer_scan s = {
		.columns = columns, .pieces = b->ops.lanes,
		.pat = pat, .core = pat.wild + b->end_now + 1 - b->last,
		.limit = b->limit, .gap = columns, .list = list,
		.n_text = UINT64_MAX / 2, .close = true,
	};
	int rc = fill_window(b, columns, beg, n);

	if (!rc)
		rc = primer_room_to_scan(b, &s);
	if (rc)
		return rc;
	s.text = b->w->window.mem;
	primer_watch_none(&s);
	b->ops.scan(&s);
	for (unsigned i = 0; i < n; i++)
		c[i]->rows = s.open[i] ? list[s.open[i] - 1].rows - pat.wild :
					 0;
	/* to fill a column of the window costs about a step */
	b->spent += s.steps + columns + LOOK;
	b->idle += s.steps + columns + LOOK;
	b->w->stats.checks += s.steps;
	return 0;
}

/*
 * A path of at most k - 1 differences passes the core's first row at position
 * q, with c differences in the core.  Let x be how far it gets to the left of
 * that diagonal beyond the core: c + x <= k - 1, so that the core occurs at q,
 * q - 1, to q - x, each with one letter of text more.  The cluster that holds q
 * - x, at [lo, hi], is the one to find it: mostly that of q, but the next one
 * if the text's piece ends in between, and q = hi + y with y <= x.  So beyond
 * the core no path gets to the left of lo; and those to the right of hi have
 * spent y, and get no more than k - 1 - y further: k - 1 in all, as in the
 * core, to either side.
 *
 * Backwards, from the last letter on, the core's first row is row core - 1;
 * column 0 is so far behind that the diagonal (column - row) is 0 at least.
 */
int
primer_extend_left(struct primer_blocks *b, struct primer_cluster **c,
		   unsigned n, uint64_t start, uint64_t end)
{
	uint64_t rows = end + 1 - start, core = end + 1 - b->first;
	uint64_t least = end + 1 - b->last, width = 0, columns;
	int64_t beg[PRIMER_MAX_LANES] = { 0 };
	struct primer_pattern pat;
	bool at_once = primer_extends_at_once(b, least);
	int rc;

	if (at_once)
		rows = primer_watched(b, least, rows);
	b->end_now = end;
	for (unsigned i = 0; i < n; i++) {
		beg[i] = c[i]->hi + (int64_t)(core + b->limit);
		width = max_u64(width, (uint64_t)(c[i]->hi - c[i]->lo));
	}
	columns = rows + b->limit + width + 2;
	rc = primer_pattern_back(b, &pat, at_once ? &b->scans : &b->reaches,
				 end + 1 - rows, end + 1,
				 at_once ? least : rows);
	if (!rc)
		rc = at_once ? back_at_once(b, c, n, pat, columns, beg) :
			       back_in_band(b, c, n, pat, width, columns, beg);
	for (unsigned i = 0; i < n; i++) {
		uint64_t first = end + 1 - c[i]->rows;

		if (c[i]->rows < least)
			first = b->last + 1;
		else if (c[i]->rows == rows)
			first = start;
		c[i]->start = max_u64(c[i]->start, first);
		c[i]->end = end;
	}
	return rc;
}

/* Rows to look for, of lane l; all of them that may be. */
static uint64_t
lanes_ahead(const struct primer_blocks *b, struct primer_reach *r,
	    uint64_t start, unsigned n)
{
	uint64_t most = 0;

	for (unsigned l = 0; l < b->ops.lanes; l++) {
		uint64_t end;

		r->row[l] = 1;
		r->most[l] = 0;
		if (l >= n)
			continue;
		end = primer_known(b, start + l);
		r->row[l] = end + 1 - start;
		r->most[l] = primer_cap(b->p, start + l) - start;
		if (r->row[l] <= r->most[l])
			most = max_u64(most, r->row[l]);
	}
	return most;
}

/* The same letters in all lanes, from `beg` on. */
static int
one_window(struct primer_blocks *b, struct primer_reach *r, int64_t beg)
{
	int rc = primer_room(&b->w->window, r->columns, b->ops.lanes, b->e);
	uint8_t *to = b->w->window.mem;

	for (uint64_t t = 0; !rc && t < r->columns; t++)
		memset(to + t * b->ops.lanes, symbol_at(b, beg + (int64_t)t),
		       b->ops.lanes);
	r->text = to;
	return rc;
}

/* As for looking back; diagonals before the core are at least 1. */
static int
ahead(struct primer_blocks *b, struct primer_reach *r,
      const struct primer_cluster *c, uint64_t start, uint64_t rows)
{
	int64_t limit = (int64_t)b->limit;
	int rc = primer_pattern(b, &r->pat, start, start + rows);

	r->near = -limit;
	r->far = limit + c->hi - c->lo + 2;
	r->columns = rows + (uint64_t)r->far + 1;
	if (!rc)
		rc = one_window(b, r, c->lo - (int64_t)(b->first - start) - 1);
	return rc ? rc : reach(b, r);
}

/* Limits of lanes to the rows at hand; true: one came to the last of them, and
 * might go on. */
static bool
too_few(const struct primer_reach *r, const uint64_t *most, unsigned n,
	uint64_t rows)
{
	for (unsigned l = 0; l < n; l++)
		if (r->row[l] > rows && most[l] > rows)
			return true;
	return false;
}

int
primer_extend_right(struct primer_blocks *b, struct primer_cluster *c,
		    uint64_t start, unsigned n)
{
	uint64_t most[PRIMER_MAX_LANES], more = MORE_ROWS, rows, least;
	uint64_t was = primer_known(b, start + n - 1);
	struct primer_reach r;
	int rc;

	do {
		r = (struct primer_reach){ .wild = true };
		least = lanes_ahead(b, &r, start, n);
		if (!least)
			return 0;
		rows = min_u64(least + more, b->p->stop[start] - start);
		memcpy(most, r.most, sizeof most);
		for (unsigned l = 0; l < n; l++)
			r.most[l] = min_u64(most[l], rows);
		rc = ahead(b, &r, c, start, rows);
		for (unsigned l = 0; !rc && l < n; l++)
			primer_raise(b->p, start + l, start + r.row[l] - 1);
		more = 2 * more + least / 2;
	} while (!rc && too_few(&r, most, n, rows));
	c->hot = primer_end(b->p, start + n - 1) > was;
	return rc;
}

uint64_t
primer_plain_steps(const struct primer_blocks *b, uint64_t rows)
{
	if (b->p->force.slices == PRIMER_SLICES_ALWAYS)
		return 1ull << 40;	/* dearer than any block */
	return (b->x->n / b->ops.lanes + rows + b->limit + 1) * PRIMER_CHAINS *
	       ((rows + MORE_ROWS + 63) / 64) + LANE * b->ops.lanes;
}

/* The row that half of the lanes got to. */
static uint64_t
middle_row(const struct primer_reach *r, unsigned lanes)
{
	uint64_t row[PRIMER_MAX_LANES];

	for (unsigned l = 0, i; l < lanes; l++) {
		for (i = l; i && row[i - 1] > r->row[l]; i--)
			row[i] = row[i - 1];
		row[i] = r->row[l];
	}
	return row[lanes / 2];
}

/*
 * The pieces of the text in lanes, all rows from `row` on, no band; to more of
 * them than *row is set, which are known to occur.  Where all of them do in one
 * lane, nothing is left to be found: with max_len, that may be soon.  But if
 * `usual` is given, all lanes count, each from the row that cannot but occur,
 * for how many rows occur in one of them as in the next; what that costs more
 * is not counted in what a start does.
 */
static int
all_of_text(struct primer_blocks *b, struct primer_pieces *c,
	    const struct primer_pattern *pat, uint64_t *row, uint64_t *usual)
{
	struct primer_reach r = {
		.pat = *pat, .any = !usual, .until_one = UINT64_MAX,
	};
	int rc = primer_cut(b, c, pat->rows + b->limit);

	if (rc)
		return rc;
	r.text = c->room->mem;
	r.columns = c->length + c->over;
	r.near = -(int64_t)(64 * pat->words);
	r.far = (int64_t)r.columns;
	for (unsigned l = 0; l < b->ops.lanes; l++) {
		r.row[l] = usual ? b->limit + 1 : *row;
		r.most[l] = pat->rows;
	}
	rc = reach(b, &r);
	for (unsigned l = 0; !rc && l < b->ops.lanes; l++)
		*row = max_u64(*row, r.row[l]);
	if (!rc && usual) {
		*usual = middle_row(&r, b->ops.lanes) - 1;
		b->spent -= r.steps - min_u64(r.steps, r.until_one);
	}
	return rc;
}

/*
 * The first of all starts tells what core suits: the rows that occur in half of
 * the lanes' pieces of the text, in some ten places of it.  Of random letters
 * of four kinds they are some more than twice k.  Where half of the pieces have
 * all three times as many, as in repeats, blocks begin with one start.
 */
int
primer_block_plain(struct primer_blocks *b, uint64_t start)
{
	uint64_t cap = primer_cap(b->p, start) - start, rows, end, more;
	bool first = !b->core;
	int rc = 0;

	end = primer_known(b, start) - start;
	more = MORE_ROWS + (first ? 2 * b->limit : 0);
	do {
		struct primer_pattern pat;
		uint64_t row = end + 1, usual = 0;

		rows = min_u64(end + 1 + more, cap);
		rc = primer_pattern(b, &pat, start, start + rows);
		if (!rc)
			rc = all_of_text(b, &b->plain, &pat, &row,
					 first ? &usual : NULL);
		if (!rc)
			end = row - 1;
		if (first && usual < rows)
			b->core = max_u64(usual, b->limit + 1);
		first = false;
		more = 2 * more + end;
	} while (!rc && end == rows && rows < cap);
	primer_raise(b->p, start, start + end);
	return rc;
}

/* Where rows occur, counted from the last letter back, it is from the first
 * such start on; where not so many as are looked for do, no start with as many
 * has any. */
int
primer_block_back(struct primer_blocks *b, uint64_t start, uint64_t end,
		  uint64_t *next)
{
	uint64_t rows = end + 1 - start;
	uint64_t row = max_u64(b->limit + 1, rows - rows / 4);
	struct primer_pattern pat;
	int rc = primer_pattern_back(b, &pat, &b->reaches, start, end + 1,
				     rows);

	if (!rc)
		rc = all_of_text(b, &b->back, &pat, &row, NULL);
	*next = end + 2 - row;
	return rc;
}
