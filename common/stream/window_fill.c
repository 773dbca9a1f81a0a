/* SPDX-License-Identifier: MIT */
/* window_fill.c - letters of chunks to their places in a window */
#include "stream/window_priv.h"

enum { OWN_PLANES, OWN_EXC, OWN_SETS, OWN_SCRATCH };
enum { PACK_LETTERS = 1 << 16 };	/* packed at once; a multiple of 64 */

static int
bad_letter(const struct window_maker *m, const struct chunk_row *r,
	   uint64_t pos, uint8_t letter)
{
	return err_set(m->e, ERR_FORMAT, "%.*s: '%c' at %llu is no DNA letter "
		       "(for others: %s)",
		       (int)(r->name.n < 99 ? r->name.n : 99), r->name.p,
		       letter, (unsigned long long)pos + 1,
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
	if (m->kind == WINDOW_SETS)
		m->sets = zeros(m->w, OWN_SETS, words * 16);
	if (m->w->own[OWN_EXC].bad || m->w->own[OWN_SETS].bad)
		return err_nomem(m->e, words * 20);
	return 0;
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
	if (rc)
		return rc;
	bits_set(m->exc, beg, end);
	for (uint64_t i = beg; i < end && m->sets; i++)
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

static int
hide_seg(struct window_maker *m, const struct window_seg *s)
{
	const struct window_hide *h = m->w->hide;
	uint64_t all = s->origin + (s->end - s->beg);
	uint64_t from = s->origin, to = all;
	int rc = 0;

	if (!h || !h->next)
		return 0;
	while (!rc && from < all && h->next(h->ctx, s->row->name, &from,
					    &to)) {
		rc = hide(m, s->beg + (from - s->origin),
			  s->beg + (to - s->origin));
		from = to;
		to = all;
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

int
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
