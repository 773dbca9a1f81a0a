/* SPDX-License-Identifier: MIT */
/* window.c - a chunk as text to be searched */

#include <stdlib.h>

#include "base/base.h"
#include "flow/flow.h"
#include "letters/letters.h"
#include "rec/rec.h"

/* Shared by the files of window, private to them. */

/* A chunk and those before it in the stream, the nearest first. */
struct chunks {
	const struct chunk *c, *before;
	size_t n_before;
};

/* Letters [from, to) of a sequence, all in one chunk's row. */
struct piece {
	const struct chunk *c;
	const struct chunk_row *r;
	uint64_t from, to;
};

/* A window in the making. */
struct window_maker {
	struct window *w;
	enum window_kind kind;
	struct chunks k;
	uint64_t *planes, *exc, *sets;	/* to be written; as in the window */
	bool any_exc;
	struct err *e;
};

static inline bool
window_is_dna(enum window_kind kind)
{
	return kind == WINDOW_PLANES || kind == WINDOW_SETS;
}

/* Can a chunk's planes be read as words? */
static inline bool
window_native(const struct chunk *c)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ &&
	       (uintptr_t)c->letters % 8 == 0 &&
	       c->n_bytes / 8 >= dna_words(c->n);
}

/* Letters of chunks to their places in a window. */

enum { OWN_PLANES, OWN_EXC, OWN_SETS, OWN_SCRATCH };
enum { PACK_LETTERS = 1 << 16 };	/* packed at once; a multiple of 64 */

static int
bad_letter(const struct window_maker *m, const struct chunk_row *r,
	   uint64_t pos, uint8_t letter)
{
	return err_set(m->e, ERR_FORMAT, "%.*s: '%c' at %llu is no DNA letter "
		       "(for others: %s)",
		       str_shown(r->name, 99), r->name.p,
		       letter, (unsigned long long)chunk_turn(r, pos) + 1,
		       m->w->hint ? m->w->hint : "--alphabet=protein");
}

static uint64_t *
zeros(struct window *w, int which, size_t n)
{
	struct buf *b = &w->own[which];

	b->n = 0;
	buf_zero(b, n);
	return (uint64_t *)(void *)b->p;
}

/* Masks are made when the first exception comes: most chunks have none. */
static int
make_masks(struct window_maker *m)
{
	size_t words = dna_words(m->w->n);

	m->any_exc = true;
	m->exc = zeros(m->w, OWN_EXC, words * 4);
	return m->w->own[OWN_EXC].bad ? err_nomem(m->e, words * 4) : 0;
}

/* The same of sets: of exceptions that match nothing there are none. */
static int
make_sets(struct window_maker *m)
{
	size_t words = dna_words(m->w->n);

	m->sets = zeros(m->w, OWN_SETS, words * 16);
	return m->w->own[OWN_SETS].bad ? err_nomem(m->e, words * 16) : 0;
}

static void
plane_bits(uint64_t *planes, uint64_t beg, uint64_t end)	/* become T */
{
	for (uint64_t i = beg; i < end; i++) {
		planes[i / 64 * 2] |= 1ULL << (i & 63);
		planes[i / 64 * 2 + 1] |= 1ULL << (i & 63);
	}
}

/* Places [beg, end) of the text hold a letter that is not A C G T. */
static int
put_exception(struct window_maker *m, uint64_t beg, uint64_t end,
	      uint8_t letter)
{
	bool nothing = m->w->hide && (letter | 32) == 'n';
	unsigned set = nothing ? 0 : dna_set(letter);
	int rc = 0;

	if (set == DNA_T) {	/* U */
		plane_bits(m->planes, beg, end);
		return 0;
	}
	if (!m->any_exc)
		rc = make_masks(m);
	if (!rc && set && m->kind == WINDOW_SETS && !m->sets)
		rc = make_sets(m);
	if (rc)
		return rc;
	bits_set(m->exc, beg, end);
	for (uint64_t i = beg; i < end && set && m->sets; i++)
		for (unsigned x = 0; x < 4; x++)
			if (set >> x & 1)
				m->sets[i / 64 * 4 + x] |= 1ULL << (i & 63);
	return 0;
}

/* First exception run that ends behind `at`. */
static size_t
run_behind(const struct chunk *c, uint64_t at)
{
	size_t lo = 0, hi = c->n_exc;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->exc[mid].end > at)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* Exceptions of a 2-bit piece whose first letter goes to place `to`. */
static int
runs_2bit(struct window_maker *m, const struct piece *p, uint64_t to)
{
	uint64_t at = p->r->at + (p->from - p->r->beg);
	uint64_t end = at + (p->to - p->from);
	int rc = 0;

	for (size_t i = run_behind(p->c, at); i < p->c->n_exc && !rc; i++) {
		const struct chunk_run *x = &p->c->exc[i];
		uint64_t xb = x->beg > at ? x->beg : at;
		uint64_t xe = x->end < end ? x->end : end;

		if (xb >= end)
			break;
		if (!dna_set(x->letter))
			return bad_letter(m, p->r, p->from + (xb - at),
					  x->letter);
		rc = put_exception(m, to + (xb - at), to + (xe - at),
				   x->letter);
	}
	return rc;
}

static int
put_2bit(struct window_maker *m, const struct piece *p, uint64_t to)
{
	uint64_t at = p->r->at + (p->from - p->r->beg);
	uint64_t n = p->to - p->from, done = 0;

	if (window_native(p->c)) {
		dna_copy(m->planes, to, (const uint64_t *)(const void *)
			 p->c->letters, at, n);
		return runs_2bit(m, p, to);
	}
	while (done < n) {	/* 64 letters' words at a time */
		const uint8_t *s = p->c->letters + (at + done) / 64 * 16;
		uint64_t two[2] = { get_le(s, 8), get_le(s + 8, 8) };
		uint64_t skip = (at + done) & 63, part = 64 - skip;

		part = part < n - done ? part : n - done;
		dna_copy(m->planes, to + done, two, skip, part);
		done += part;
	}
	return runs_2bit(m, p, to);
}

/* Exceptions that pack() found in s[0..n); s[0] is at position pos. */
static int
put_packed_exc(struct window_maker *m, const struct chunk_row *r,
	       const uint8_t *s, size_t n, const uint64_t *exc, uint64_t pos,
	       uint64_t to)
{
	int rc = 0;

	for (size_t w = 0; w < (n + 63) / 64; w++)
		for (uint64_t x = exc[w]; x && !rc; x &= x - 1) {
			size_t i = w * 64 + (size_t)__builtin_ctzll(x);

			if (!dna_set(s[i]))
				return bad_letter(m, r, pos + i, s[i]);
			rc = put_exception(m, to + i, to + i + 1, s[i]);
		}
	return rc;
}

static int
put_letters(struct window_maker *m, const struct piece *p, uint64_t to)
{
	enum { WORDS = PACK_LETTERS / 64 };
	struct buf *b = &m->w->own[OWN_SCRATCH];
	uint64_t *planes, *exc, *lower;
	unsigned has;
	uint8_t *s;
	int rc = 0;

	b->n = 0;
	if (!buf_reserve(b, WORDS * 4 * 8 + PACK_LETTERS + 64))
		return err_nomem(m->e, WORDS * 4 * 8 + PACK_LETTERS + 64);
	planes = (uint64_t *)(void *)b->p;
	exc = planes + WORDS * 2;
	lower = exc + WORDS;
	s = (uint8_t *)(lower + WORDS);
	for (uint64_t at = p->from; at < p->to && !rc; at += PACK_LETTERS) {
		uint64_t n = p->to - at;

		n = n < PACK_LETTERS ? n : PACK_LETTERS;
		chunk_letters(p->c, p->r, at - p->r->beg, n, s);
		has = dna_ops()->pack(s, n, planes, exc, lower);
		dna_copy(m->planes, to, planes, 0, n);
		if (has & DNA_HAS_EXC)
			rc = put_packed_exc(m, p->r, s, n, exc, at, to);
		to += n;
	}
	return rc;
}

static void
put_bytes(struct window_maker *m, const struct piece *p, uint64_t to)
{
	uint8_t *d = m->w->own[OWN_PLANES].p + to;
	uint64_t n = p->to - p->from;

	chunk_letters(p->c, p->r, p->from - p->r->beg, n, d);
	for (uint64_t i = 0; i < n && m->kind == WINDOW_UPPER; i++)
		if (d[i] >= 'a' && d[i] <= 'z')
			d[i] -= 'a' - 'A';
}

static const struct chunk_row *
last_row(const struct chunk *c)
{
	return &c->row[c->n_rows - 1];
}

/* How many of the chunks before do lead up to the row, one to the other? */
static size_t
linked(const struct chunks *k, const struct chunk_row *r)
{
	size_t i;

	if (r != k->c->row)
		return 0;
	for (i = 0; i < k->n_before && !(r->flags & CHUNK_FIRST); i++) {
		const struct chunk_row *b;

		if (k->before[i].n_rows == 0 || k->before[i].enc == CHUNK_PROB)
			break;
		b = last_row(&k->before[i]);
		if (b->ordinal != r->ordinal || b->own_end != r->own_beg)
			break;
		if (i + 1 < k->n_before && k->before[i].n_rows > 1)
			return i + 1;
		r = b;
	}
	return i;
}

/* The piece of row r's sequence that begins at `from`, cut at `to`; false:
 * nowhere. */
static bool
window_piece(const struct chunks *k, const struct chunk_row *r, uint64_t from,
	     uint64_t to, struct piece *p)
{
	const struct chunk *c = k->c;
	size_t i = 0, n = linked(k, r);
	uint64_t end = r->beg + r->n;

	while (from < r->beg) {
		if (i == n)
			return false;
		end = r->beg;
		c = &k->before[i++];
		r = last_row(c);
	}
	/* Links make r->own_end, so r->beg + r->n, reach `end`; be sure. */
	if (end > r->beg + r->n)
		end = r->beg + r->n;
	*p = (struct piece){ c, r, from, to < end ? to : end };
	return p->to > p->from;
}

/* All letters of a segment to its place. */
static int
fill_seg(struct window_maker *m, const struct window_seg *s)
{
	uint64_t pos = s->origin, end = s->origin + (s->end - s->beg);
	struct piece p;
	int rc = 0;

	for (; pos < end && !rc; pos = p.to) {
		uint64_t to = s->beg + (pos - s->origin);

		if (!window_piece(&m->k, s->row, pos, end, &p))
			return err_set(m->e, ERR_FORMAT,
				       "chunk %llu: letters are missing",
				       (unsigned long long)m->k.c->serial);
		if (m->kind == WINDOW_UPPER || m->kind == WINDOW_BYTES)
			put_bytes(m, &p, to);
		else if (p.c->enc == CHUNK_2BIT)
			rc = put_2bit(m, &p, to);
		else
			rc = put_letters(m, &p, to);
	}
	return rc;
}

/* Places [beg, end) of the text match nothing. */
static int
hide(struct window_maker *m, uint64_t beg, uint64_t end)
{
	int rc;

	if (!window_is_dna(m->kind)) {
		memset(m->w->own[OWN_PLANES].p + beg, 'N', end - beg);
		return 0;
	}
	rc = m->any_exc ? 0 : make_masks(m);
	if (rc)
		return rc;
	bits_set(m->exc, beg, end);
	for (uint64_t i = beg; i < end && m->sets; i++)
		for (unsigned x = 0; x < 4; x++)
			m->sets[i / 64 * 4 + x] &= ~(1ULL << (i & 63));
	return 0;
}

/* Of letters [from, end) of the sequence; the window has them so many further
 * on. */
static int
hide_turn(struct window_maker *m, const struct window_seg *s, uint64_t from,
	  uint64_t end, uint64_t ahead)
{
	const struct window_hide *h = m->w->hide;
	uint64_t to = end;
	int rc = 0;

	while (!rc && from < end && h->next(h->ctx, s->row->name, &from,
					    &to)) {
		rc = hide(m, s->beg + (from + ahead - s->origin),
			  s->beg + (to + ahead - s->origin));
		from = to;
		to = end;
	}
	return rc;
}

static int
hide_seg(struct window_maker *m, const struct window_seg *s)
{
	const struct window_hide *h = m->w->hide;
	uint64_t all = s->origin + (s->end - s->beg), at = s->origin, turn;
	int rc = 0;

	for (; h && h->next && !rc && at < all; at += turn) {
		uint64_t from = chunk_turn(s->row, at);

		/* as far as the sequence, or this turn of a circle, goes */
		turn = all - at;
		if (s->row->flags & CHUNK_CIRCULAR &&
		    s->row->flags & CHUNK_LAST)
			turn = min_u64(turn, s->row->length - from);
		rc = hide_turn(m, s, from, from + turn, at - from);
	}
	return rc;
}

static int
room(struct window_maker *m, bool placed)
{
	struct window *w = m->w;
	struct buf *b = &w->own[OWN_PLANES];
	size_t n_bytes = dna_words(w->n) * 8;

	if (!window_is_dna(m->kind)) {
		n_bytes = w->n + 64;
		b->n = 0;
		buf_reserve(b, n_bytes);
		w->bytes = b->p;
	} else if (!placed) {
		m->planes = zeros(w, OWN_PLANES, n_bytes);
	}
	return b->bad ? err_nomem(m->e, n_bytes) : 0;
}

/* A C G T as sets of one letter, beside the exceptions' sets. */
static void
sets_of_planes(uint64_t *sets, const uint64_t *planes, const uint64_t *exc,
	       size_t n_blocks)
{
	for (size_t i = 0; i < n_blocks; i++) {
		uint64_t lo = planes[2 * i], hi = planes[2 * i + 1];
		uint64_t plain = ~exc[i];

		sets[4 * i] |= ~lo & ~hi & plain;
		sets[4 * i + 1] |= lo & ~hi & plain;
		sets[4 * i + 2] |= ~lo & hi & plain;
		sets[4 * i + 3] |= lo & hi & plain;
	}
}

/*
 * Letters of all segments to their places; placed: the chunk's own planes
 * serve, only exceptions are looked for.
 */
static int
window_fill(struct window_maker *m, bool placed)
{
	struct window *w = m->w;
	int rc = room(m, placed);

	for (size_t i = 0; i < w->n_seg && !rc; i++) {
		const struct window_seg *s = &w->seg[i];
		struct piece p = { m->k.c, s->row, s->origin,
				   s->origin + (s->end - s->beg) };

		rc = placed ? runs_2bit(m, &p, s->beg) : fill_seg(m, s);
		if (!rc)
			rc = hide_seg(m, s);
	}
	if (rc)
		return rc;
	w->planes = placed ? (const uint64_t *)(const void *)m->k.c->letters :
		    m->planes;
	w->exc = m->exc;
	if (m->sets)
		sets_of_planes(m->sets, w->planes, m->exc, (w->n + 63) / 64);
	w->sets = m->sets;
	return 0;
}

/* In which chunk's row the letters of a window stand. */

static int
too_short(const struct chunks *k, const struct chunk_row *r, uint64_t have,
	  uint64_t context, struct err *e)
{
	if (context == UINT64_MAX)
		return err_set(e, ERR_USAGE, "%.*s: chunk %llu has %s of "
			       "context, all before it are needed: search the "
			       "whole sequence in one process",
			       str_shown(r->name, 99),
			       r->name.p, (unsigned long long)k->c->serial,
			       err_count(r->own_beg - have, "letter").text);
	return err_set(e, ERR_USAGE, "%.*s: chunk %llu has %s of context, "
		       "%llu are needed: cut with fasta-chunk -W %llu",
		       str_shown(r->name, 99), r->name.p,
		       (unsigned long long)k->c->serial,
		       err_count(r->own_beg - have, "letter").text,
		       (unsigned long long)context,
		       (unsigned long long)context);
}

/*
 * The first letter of row r's sequence to be searched: `context` letters before
 * what the row owns, or where the sequence begins.  ERR_USAGE if no chunk
 * holds them.
 */
static int
window_start(const struct chunks *k, const struct chunk_row *r,
	     uint64_t context, uint64_t *start, struct err *e)
{
	uint64_t want = r->own_beg > context ? r->own_beg - context : 0;
	uint64_t have = r->beg;
	const unsigned begins = CHUNK_FIRST | CHUNK_ALL;
	const struct chunk_row *b = r;
	size_t n = linked(k, r);

	/* a circle has no begin: what is before it stands at its end */
	if (r->flags & CHUNK_CIRCULAR && r->own_beg < context)
		return too_short(k, r, r->beg, context, e);
	for (size_t i = 0; !(b->flags & begins) && have > want; i++) {
		if (i == n)
			return too_short(k, r, have, context, e);
		b = last_row(&k->before[i]);
		have = b->beg;
	}
	if (b->flags & CHUNK_FIRST && want < b->own_beg &&
	    !(b->flags & CHUNK_CIRCULAR && want >= have))
		want = b->own_beg;
	else if (b->flags & CHUNK_ALL && want < b->beg)
		want = b->beg;
	*start = want;
	return 0;
}

int
window_letters(const struct window *w, const struct window_seg *seg,
	       const struct chunk *c, const struct chunk *before,
	       size_t n_before, uint64_t beg, uint64_t end, uint8_t *s)
{
	struct chunks k = { c, before, n_before };
	uint64_t pos = seg->origin + (beg - seg->beg);
	uint64_t to = seg->origin + (end - seg->beg);
	struct piece p;

	(void)w;
	for (; pos < to; pos = p.to) {
		if (!window_piece(&k, seg->row, pos, to, &p))
			return ERR_FORMAT;
		chunk_letters(p.c, p.r, pos - p.r->beg, p.to - pos, s);
		s += p.to - pos;
	}
	return 0;
}

/* A chunk as text to be searched. */

/*
 * The payload's own planes serve as they are if one row holds all letters
 * wanted.  A segment begins at a multiple of 64; letters more on the left are
 * harmless unless nothing before `start` belongs to the search.
 */
static bool
in_place(const struct window_maker *m, uint64_t start)
{
	const struct chunk *c = m->k.c;
	const struct chunk_row *r = c->row;

	if (!window_is_dna(m->kind) || c->n_rows != 1 || c->enc != CHUNK_2BIT ||
	    !window_native(c) || start < r->beg)
		return false;
	for (size_t i = 0; i < c->n_exc; i++)
		if (dna_set(c->exc[i].letter) == DNA_T)
			return false;
	return !(r->flags & CHUNK_FIRST) || start == r->beg;
}

static int
add_seg(struct window_maker *m, const struct chunk_row *r, uint64_t start,
	uint64_t at)
{
	struct window *w = m->w;
	struct window_seg *s;
	uint64_t n = r->own_end - start;
	int rc = array_room(&w->seg, &w->seg_cap, w->n_seg + 1, sizeof *s,
			    m->e);

	if (rc)
		return rc;
	s = &w->seg[w->n_seg++];
	s->row = r;
	s->beg = at;
	s->end = at + n;
	s->from = at + (r->own_beg - start);
	s->to = s->end - ((r->flags & (CHUNK_LAST | CHUNK_CIRCULAR)) !=
			  CHUNK_LAST);
	s->origin = start;
	if (s->end > w->n)
		w->n = s->end;
	return 0;
}

/* Every row that owns an end gets its segment; circles were unrolled. */
static int
lay_out(struct window_maker *m, uint64_t context, uint64_t gap, bool *placed)
{
	const struct chunk *c = m->k.c;
	uint64_t start = 0, at = 0;
	int rc;

	for (size_t i = 0; i < c->n_rows; i++) {
		const struct chunk_row *r = &c->row[i];

		if (r->own_end == r->own_beg && !(r->flags & CHUNK_LAST))
			continue;	/* owns no end */
		rc = window_start(&m->k, r, context, &start, m->e);
		if (rc)
			return rc;
		if (r->own_end == start && !m->w->empty)
			continue;
		if (in_place(m, start)) {
			*placed = true;
			start -= (start - r->beg) & 63;
			at = r->at + (start - r->beg);
		}
		rc = add_seg(m, r, start, at);
		if (rc)
			return rc;
		at = (m->w->n + gap + 63) / 64 * 64;
	}
	return 0;
}

int
window_build(struct window *w, enum window_kind kind, uint64_t context,
	     uint64_t gap, const struct chunk *c, const struct chunk *before,
	     size_t n_before, struct err *e)
{
	struct window_maker m = { .w = w, .kind = kind, .e = e,
			   .k = { c, before, n_before } };
	bool placed = false;
	int rc;

	w->n = w->n_seg = 0;
	w->planes = w->exc = w->sets = NULL;
	w->bytes = NULL;
	if (c->enc == CHUNK_PROB)
		return err_set(e, ERR_FORMAT, "%.*s: a matrix, not letters: "
			       "only ebwt-dist reads matrices", c->n_rows ?
			       (int)min_u64(c->row->name.n, 200) : 0,
			       c->n_rows ? c->row->name.p : "");
	rc = lay_out(&m, context, gap, &placed);
	return rc || w->n_seg == 0 ? rc : window_fill(&m, placed);
}

void
window_free(struct window *w)
{
	for (int i = 0; i < 4; i++)
		buf_free(&w->own[i]);
	free(w->seg);
	memset(w, 0, sizeof *w);
}
