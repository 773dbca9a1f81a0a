/* SPDX-License-Identifier: MIT */
/* primer_core.c - compiled targets, symbols, rows that lanes have reached */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "letters/letters.h"
#include "primer/primer_blocks.h"
#include "primer/primer_priv.h"
#include "primer/primer_short.h"

/* Rows of lanes that are looked at, and what was found there. */

/* Vectors of so many words as arrays: word w of lane l.  Rows that are not in
 * `level` are one more than the one above, those in m one less. */
struct lanes {
	uint64_t *level, *m, *mark;
	unsigned n;
};

static uint64_t
popcount64(uint64_t x)
{
	return (uint64_t)__builtin_popcountll(x);
}

static struct lanes
lanes_of(const struct primer_reach *r)
{
	struct lanes x = { .level = r->state, .n = r->lanes };

	x.m = x.level + r->pat.words * r->lanes;
	x.mark = x.m + r->pat.words * r->lanes;
	return x;
}

/* D of a row (from 0) of lane l, from the bottom up. */
static uint64_t
row_value(const struct primer_reach *r, const struct lanes *x, unsigned l,
	  uint64_t row)
{
	uint64_t d = r->bottom[l], below = ~1ull << (row & 63);

	for (uint64_t w = r->last + 1; w-- > row / 64;) {
		uint64_t rows = w == row / 64 ? below : ~0ull;

		d -= popcount64(~x->level[w * x->n + l] & rows);
		d += popcount64(x->m[w * x->n + l] & rows);
	}
	return d;
}

/* Down a column while D is within the limit; true: the next row is marked. */
static bool
walk_up(struct primer_reach *r, const struct lanes *x, unsigned l)
{
	uint64_t row = r->row[l] - 1, d;

	if (r->row[l] > r->most[l] || row / 64 < r->first ||
	    row / 64 > r->last)
		return false;
	d = row_value(r, x, l, row);
	while (d <= r->limit) {
		row = r->row[l]++;
		if (row >= r->most[l] || row / 64 > r->last)
			return false;
		d += ~x->level[row / 64 * x->n + l] >> (row & 63) & 1;
		d -= x->m[row / 64 * x->n + l] >> (row & 63) & 1;
	}
	r->above[l] = d - r->limit - 1;
	x->mark[row / 64 * x->n + l] = 1ull << (row & 63);
	r->mark_first = min_u64(r->mark_first, row / 64);
	r->mark_last = max_u64(r->mark_last, row / 64);
	return true;
}

bool
primer_mark(struct primer_reach *r)
{
	struct lanes x = lanes_of(r);
	bool some = false, later = false;

	for (uint64_t w = r->mark_first; w <= r->mark_last; w++)
		memset(x.mark + w * x.n, 0, x.n * sizeof *x.mark);
	r->mark_first = UINT64_MAX;
	r->mark_last = 0;
	for (unsigned l = 0; l < r->lanes; l++) {
		r->above[l] = 1ull << 62;
		if (walk_up(r, &x, l))
			some = true;
		else if (r->any && r->row[l] > r->most[l])
			return false;
		else if (r->row[l] <= r->most[l] &&
			 (r->row[l] - 1) / 64 > r->last)
			later = true;
	}
	if (!some) {
		r->mark_first = r->last + 1;
		r->mark_last = r->last;
	}
	return some || later;
}

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
