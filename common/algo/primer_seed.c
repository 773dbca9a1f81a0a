/* SPDX-License-Identifier: MIT */
/*
 * primer_seed.c - where windows of few differences may occur, by their pieces
 *
 * A window that occurs with k - 1 differences is cut in two: then piece 0 has
 * t0 of them at most, or piece 1 t1, as k - 1 < t0 + t1 + 2; t is 0 or 1.  All
 * words within t of a piece are put into a table by their first q letters, and
 * the text is read once, whatever the number of windows: at each letter, the
 * key of the q letters from there on tells which pieces may begin.  What a
 * piece has of the differences, what stands beside it has not.
 *
 * Symbols that match nothing stand in keys as the first class: a letter that
 * no other matches in place of any costs no less.  So do keys go on behind the
 * text's end.
 */
#include <string.h>

#include "algo/primer_short_priv.h"
#include "base/minmax.h"

enum {
	PIECE_MIN = 3,		/* letters */
	KEY_MIN = 8, KEY_MAX = 11,
};

/* Differences that piece 0 or 1 may have. */
static unsigned
differences(uint64_t k, int piece)
{
	return piece ? k == 4 : k >= 3;
}

struct cut {
	unsigned len[2];	/* the second begins where the first ends */
};

/* Of a window of so many letters; pieces longer than a key and the letter that
 * it may lack tell nothing more. */
static struct cut
cut(uint64_t k, unsigned window, unsigned q)
{
	struct cut c = { .len = { window } };

	if (k > 1)
		c.len[0] = (window + (k == 3 ? 3 : 0)) / 2;
	c.len[0] = (unsigned)min_u64(c.len[0], q + 1);
	if (k > 1)
		c.len[1] = (unsigned)min_u64(window - c.len[0], q + 1);
	return c;
}

/* Words in the table for a piece, out of all 4^q: the share of all keys.  Of
 * words that are longer than a key, what is in it counts. */
static double
share(unsigned len, unsigned t, unsigned q)
{
	return len ? (t ? 8. * len : 1) /
		     (double)(1ull << 2 * min_u64(len, q)) : 0;
}

double
primer_seed_share(const struct primer_short *s, const uint8_t *window,
		  unsigned q)
{
	uint64_t k = s->p->par.k, n = s->to - s->from, of[64] = { 0 };
	double sum = 0;

	for (uint64_t i = 0; i < n; i++)
		of[window[i]]++;
	for (unsigned w = 1; w < 64; w++) {
		struct cut c = cut(k, w, q);

		if (of[w] && (c.len[0] < PIECE_MIN ||
			      (k > 1 && c.len[1] < PIECE_MIN)))
			return 1e9;
		for (int i = 0; i < 2; i++)
			sum += (double)of[w] *
			       share(c.len[i], differences(k, i), q);
	}
	return sum;
}

/* As long as most first pieces. */
unsigned
primer_seed_key(const struct primer_short *s)
{
	uint64_t sum = 0, open = 0;

	for (uint64_t i = 0; i < s->to - s->from; i++)
		if (s->window[i]) {
			sum += cut(s->p->par.k, s->window[i], 63).len[0];
			open++;
		}
	if (!open)
		return KEY_MIN;
	return (unsigned)max_u64(KEY_MIN, min_u64(KEY_MAX, sum / open));
}

/* Words go to the table: first they are counted, key by key, then put. */
struct words {
	uint32_t *to;		/* by key: how many; then, where to */
	uint16_t *place;	/* NULL: count */
	unsigned q;
	uint16_t at;
};

/* All keys that begin with a word, or with which it begins. */
static void
word(struct words *w, uint64_t x, unsigned len)
{
	uint64_t n = 1;

	if (len >= w->q) {
		x >>= 2 * (len - w->q);
	} else {
		n <<= 2 * (w->q - len);
		x *= n;
	}
	for (; n--; x++)
		if (w->place)
			w->place[w->to[x]++] = w->at;
		else
			w->to[x]++;
}

/* The first i letters of len, c between, and those from j on. */
static uint64_t
spliced(uint64_t x, unsigned len, unsigned i, unsigned between, uint64_t c,
	unsigned j)
{
	uint64_t tail = x & ((1ull << 2 * (len - j)) - 1);

	return ((x >> 2 * (len - i) << 2 * between | c) << 2 * (len - j)) |
	       tail;
}

/*
 * Words that differ from a piece in one letter at most.  All but the last
 * letter, followed by any, are those that differ in the last, or not at all,
 * or have a letter more before it; all but the first, one letter further on,
 * those that differ in the first.  A letter out of a run of the same is the
 * run's first, one more in a run is its last.
 */
static void
near_words(struct words *w, uint64_t x, unsigned len)
{
	word(w, x >> 2, len - 1);
	word(w, spliced(x, len, 0, 0, 0, 1), len - 1);
	w->at |= PRIMER_SEED_PLACE + 1;
	for (unsigned i = 1; i + 1 < len; i++) {
		uint64_t own = x >> 2 * (len - 1 - i) & 3;

		if (own != (x >> 2 * (len - i) & 3))
			word(w, spliced(x, len, i, 0, 0, i + 1), len - 1);
		for (uint64_t c = 0; c < 4; c++) {
			if (c == own)
				continue;
			word(w, spliced(x, len, i, 1, c, i + 1), len);
			word(w, spliced(x, len, i, 1, c, i), len + 1);
		}
	}
}

/* What begins at place `at` of the slice: pieces 0 and 1 of so many letters. */
static void
place_words(const struct primer_short *s, struct words *w, const uint8_t *piece)
{
	const uint8_t *code = s->p->code + s->from + w->at;
	uint64_t k = s->p->par.k;
	unsigned t0 = differences(k, 0), t1 = differences(k, 1);
	unsigned len[2] = { piece[0], piece[1] };

	if (t0 == t1 && len[0] && len[1]) {	/* the shorter tells of both */
		len[0] = (unsigned)min_u64(len[0], len[1]);
		len[1] = 0;
	}
	for (int i = 0; i < 2; i++) {
		uint64_t x = 0;

		w->at &= PRIMER_SEED_PLACE;
		for (unsigned l = 0; l < len[i]; l++)
			x = x << 2 | (code[l] - 1u);
		if (len[i] && (i ? t1 : t0))
			near_words(w, x, len[i]);
		else if (len[i])
			word(w, x, len[i]);
	}
}

/* Pieces of a start go to the places where they begin. */
static void
place_pieces(struct primer_seeds *d, uint64_t k, size_t j)
{
	struct cut c = cut(k, d->window[j], d->q);
	struct primer_seed_at *a = &d->at[j], *b = &d->at[j + c.len[0]];

	a->piece[0] = (uint8_t)c.len[0];
	if (!c.len[1])
		return;
	if (!b->piece[1]) {
		b->piece[1] = (uint8_t)c.len[1];
		b->first = (uint8_t)c.len[0];
	}
	b->piece[1] = (uint8_t)min_u64(b->piece[1], c.len[1]);
	b->last = (uint8_t)c.len[0];
}

/*
 * The block of a place: starts whose piece 1 begins there, and the place itself
 * if its piece 0 does.  A key at column t is of a path that passes t at row p
 * or, if it lacks the piece's first letter, at p + 1.  So letters [from, to) of
 * a window read at most p + 1 - from + k - 1 letters before t, and to - p + k -
 * 1 from there on.  All within the sieve's reach: 16 + 32 + 3.  One less before
 * t would do: what lacks a letter has a difference less for others.
 */
static void
place_block(struct primer_short *s, struct primer_seeds *d, size_t i)
{
	const struct primer_seed_at *a = &d->at[i];
	struct primer_block *b = &d->block[i];
	uint64_t p = s->from + i, lo = p - a->first, last = p - a->last;
	uint64_t more = s->p->par.k - 1, before = 1, behind = 0;

	*b = (struct primer_block){ .lo = lo, .n = (uint8_t)(p - lo + 1) };
	if (a->piece[1]) {
		uint64_t to = min_u64(lo + d->window[lo - s->from], last + 32);

		b->half[0] = primer_half_of(s->p, last, to);
		before = p + 1 - last;
		behind = to > p ? to - p : 0;
	}
	if (a->piece[0]) {
		uint64_t n = min_u64(d->window[i], 32);

		b->half[1] = primer_half_of(s->p, p, p + n);
		behind = max_u64(behind, n);
	}
	b->before = (uint8_t)(before + more);
	b->columns = (uint8_t)(before + behind + 2 * more);
}

/* Letters [beg, end), up to 16, at the upper end; from the last on if back. */
static void
beside(const struct primer_short *s, struct primer_beside *to, int side,
       uint64_t beg, uint64_t end)
{
	unsigned n = (unsigned)(end - beg);

	to->most[side] = (int8_t)(s->p->par.k - 1);
	to->wild[side] = (uint16_t)(0xffff >> n);
	to->bit[side][0] = to->bit[side][1] = 0;
	for (unsigned i = 0; i < n; i++) {
		uint8_t c = s->p->code[side ? end - 1 - i : beg + i] - 1;

		for (int b = 0; b < 2; b++)
			to->bit[side][b] |= (uint16_t)((c >> b & 1) <<
						       (16 - n + i));
	}
}

/*
 * Of a window, what stands beside a piece.  With k - 1 differences, 3 at most:
 * letters before a piece at t end in t or one letter before, as the key may
 * lack the piece's first; 12 letters are within 12 + 3 + 1.  Letters behind one
 * of l letters begin at t + l - 1 to t + l + 1; 11 are within 2 + 11 + 3.
 */
static void
place_beside(const struct primer_short *s, struct primer_seeds *d, size_t i)
{
	const struct primer_seed_at *a = &d->at[i];
	struct primer_beside *to = &d->beside[i];
	uint64_t p = s->from + i;

	*to = (struct primer_beside){ .most = { -1, -1 } };
	if (a->piece[1])
		beside(s, to, 0, p - a->last, p);
	if (a->piece[0]) {
		uint64_t n = d->window[i] - a->piece[0];

		to->len = a->piece[0];
		if (s->p->par.k == 1)
			n = 0;
		beside(s, to, 1, p + to->len, p + to->len + min_u64(n, 11));
	}
}

static void
all_words(const struct primer_short *s, const struct primer_seeds *d,
	  struct words *w)
{
	for (size_t i = 0; i < d->n_places; i++) {
		w->at = (uint16_t)i;
		if (d->at[i].piece[0] || d->at[i].piece[1])
			place_words(s, w, d->at[i].piece);
	}
}

/* No table if there are more words than it may have: windows of few letters may
 * have several times as many as their share tells. */
static int
put_words(struct primer_short *s, struct primer_seeds *d, bool *whole,
	  struct err *e)
{
	uint64_t n_keys = 1ull << 2 * d->q, sum = 0;
	struct words w = { .q = d->q };
	int rc = primer_room(&s->w->keys, n_keys + 1, sizeof *d->key, e);

	if (rc)
		return rc;
	d->key = s->w->keys.mem;
	memset(d->key, 0, (n_keys + 1) * sizeof *d->key);
	w.to = d->key + 1;
	all_words(s, d, &w);
	for (uint64_t i = 0; i < n_keys; i++) {
		uint32_t n = w.to[i];

		w.to[i] = (uint32_t)sum;
		sum += n;
	}
	*whole = sum <= PRIMER_SEED_WORDS;
	if (!*whole)
		return 0;
	rc = primer_room(&s->w->seeds, sum, sizeof *d->place, e);
	if (rc)
		return rc;
	d->place = w.place = s->w->seeds.mem;
	all_words(s, d, &w);
	return 0;
}

int
primer_seeds_new(struct primer_short *s, unsigned q, struct err *e)
{
	struct primer_seeds *d = &s->seeds;
	size_t n = s->to - s->from;
	bool whole = false;
	int rc;

	d->k = 0;		/* until it is whole */
	d->q = q;
	d->excess = 0;
	d->from = s->from;
	d->n_starts = n;
	d->n_places = n + q + 1;
	memcpy(d->window, s->window, n);
	memcpy(d->code, s->p->code + s->from, n + PRIMER_MAX_SHORT);
	memset(d->at, 0, sizeof d->at);
	for (size_t j = 0; j < n; j++)
		if (d->window[j])
			place_pieces(d, s->p->par.k, j);
	for (size_t i = 0; i < d->n_places; i++)
		if (d->at[i].piece[0] || d->at[i].piece[1]) {
			place_block(s, d, i);
			place_beside(s, d, i);
		}
	rc = put_words(s, d, &whole, e);
	if (!rc && whole)
		d->k = s->p->par.k;
	return rc;
}

/*
 * Can the table be used again?  If windows have only grown, those it was made
 * of occur where they do.  It may be another search's of the same letters.
 */
bool
primer_seeds_fit(const struct primer_short *s)
{
	const struct primer_seeds *d = &s->seeds;
	size_t n = s->to - s->from;

	if (d->k != s->p->par.k || d->from != s->from || d->n_starts != n ||
	    memcmp(d->code, s->p->code + s->from, n + PRIMER_MAX_SHORT) != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (s->window[i] && (!d->window[i] ||
				     d->window[i] > s->window[i]))
			return false;
	return true;
}
