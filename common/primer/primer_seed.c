/* SPDX-License-Identifier: MIT */
/*
 * primer_seed.c - seeds: candidates of windows by pieces with few differences
 *
 * A window that occurs with k - 1 differences is cut in two: then piece 0 has
 * t0 of them at most, or piece 1 t1, as k - 1 < t0 + t1 + 2; t is 0 or 1.  All
 * words within t of a piece are put into a table by their first q letters, and
 * the text is read once, whatever the number of windows: at each letter, the
 * key of the q letters from there on selects the pieces that may begin.  The
 * differences that a piece has are not those of the letters beside it.
 *
 * In keys, symbols that match nothing count as the first class: that can only
 * add candidates.  Keys that reach beyond the end of the text do the same.
 */

#include <string.h>

#include "base/base.h"
#include "primer/primer_short.h"

/* A text read once for all pieces of windows. */

/* Letters at once: a word of each bit, and memory that answers to many
 * questions at a time. */
enum { BATCH = 64 };

/*
 * What it costs, in ns, by measurement: a letter of text, a seed, a word of a
 * new table, one of its keys, a column of a vector of cores.
 */
static const double letter_ns = 5, seed_ns = 10, word_ns = 8, key_ns = .8,
		    column_ns = 2.2, slices_ns = 1;

static bool
possible(const struct primer_short *s)
{
	return s->p->par.k <= PRIMER_SEEDS_K &&
	       s->p->par.alphabet == PRIMER_DNA &&
	       s->x->n_symbols <= s->p->n_classes + 1;
}

static bool
worth(const struct primer_short *s, bool have, double build)
{
	enum primer_force_seeds how = s->p->force.seeds;

	return s->seeds.excess >= build || how == PRIMER_SEEDS_NEW ||
	       (how == PRIMER_SEEDS_OLD && !have);
}

static double primer_seed_share(const struct primer_short *s, const uint8_t
		*window, unsigned q);

static unsigned primer_seed_key(const struct primer_short *s);

static int primer_seeds_new(struct primer_short *s, unsigned q, struct err
		*e);

/*
 * A new table is made when what others, or none, have cost since the last is as
 * much: so both together are at most twice the least.  More pieces than chance
 * has, of repeats, may cost what the scan for cores does, no more.
 */
int
primer_seeds_choose(struct primer_short *s, size_t n_blocks, uint64_t letters,
		    bool *use, struct err *e)
{
	const struct primer_force *f = &s->p->force;
	struct primer_seeds *d = &s->seeds;
	unsigned q, lanes = s->ops.bits / s->cores.bits;
	double share, keys, cores, now, best, n = (double)letters;
	int rc;

	*use = false;
	if (!possible(s) || !n_blocks || (!f->seeds && (f->rows || f->cores)))
		return 0;
	q = primer_seed_key(s);
	keys = (double)(1ull << 2 * q);
	share = primer_seed_share(s, s->window, q);
	if (share * keys > PRIMER_SEED_WORDS)
		return 0;
	best = n * (letter_ns + share * seed_ns);
	now = cores = n * (primer_sliced(s, letters) ? slices_ns : column_ns) *
		      (double)((n_blocks + lanes - 1) / lanes);
	d->most = f->seeds == PRIMER_SEEDS_NEW ? UINT64_MAX :
						 (uint64_t)(cores / seed_ns);
	if (primer_seeds_fit(s)) {
		*use = true;
		now = n * (letter_ns + seed_ns *
			   primer_seed_share(s, d->window, d->q));
	}
	if (now > best)
		d->excess += now - best;
	if (!worth(s, *use, share * keys * word_ns + keys * key_ns))
		return 0;
	rc = primer_seeds_new(s, q, e);
	*use = d->k;
	return rc;
}

/* A piece of place i of the slice may begin at letter t of the text, in tile
 * [beg, end), and the rest of the window beside it. */
static void
seed(struct primer_short *s, unsigned i, uint64_t t, uint64_t beg, uint64_t end)
{
	struct primer_block *b = &s->seeds.block[i];
	uint64_t more = s->p->par.k - 1, before = b->n + more;
	struct primer_look look = {
		.block = b, .from = t > before ? t - before : 0,
		.right = (int64_t)(t + 1 + more) - b->n, .n = s->x->n,
	};

	if (b->upto)
		return;
	if (!primer_dear(s, b, beg, end)) {
		primer_hit(s, &look, t);
		return;
	}
	b->upto = UINT64_MAX;
	primer_rest(s, &look);
}

/* Bits of the letters [t - BATCH, t + 2 BATCH), as keys have them. */
struct planes {
	uint8_t bit[2][3 * BATCH / 8 + 8];
};

static void
add_plane(struct planes *b, const uint8_t *c, unsigned n)
{
	const uint64_t ones = 0x0101010101010101;
	uint64_t x;

	for (int h = 0; h < 2; h++)
		memmove(b->bit[h], b->bit[h] + BATCH / 8, BATCH / 4);
	for (unsigned i = 0; i < BATCH; i += 8) {
		uint8_t *to = &b->bit[0][BATCH / 4 + i / 8];
		uint8_t *to1 = &b->bit[1][BATCH / 4 + i / 8];

		x = 0;
		if (i < n)
			x = get_le(c + i, n - i < 8 ? n - i : 8);
		/* 1 to 4 less one, 0 as it is */
		x -= (x | x >> 1 | x >> 2) & ones;
		*to = (uint8_t)((x & ones) * 0x0102040810204080 >> 56);
		*to1 = (uint8_t)((x >> 1 & ones) * 0x0102040810204080 >> 56);
	}
}

/* Sixteen of them, from letter `at` on. */
static uint16_t
sixteen(const uint8_t *bit, unsigned at)
{
	return (uint16_t)(get_le(bit + at / 8, 4) >> at % 8);
}

/* What stands beside piece l of those that may begin in the batch at t. */
static void
fill_piece(struct primer_short *s, const struct planes *b, uint64_t t,
	   unsigned l)
{
	unsigned place = s->seeded[l].word & PRIMER_SEED_PLACE;
	int16_t one = s->seeded[l].word > PRIMER_SEED_PLACE;
	const struct primer_beside *w = &s->seeds.beside[place];
	struct primer_near *x = &s->near;
	unsigned i = BATCH + (unsigned)(s->seeded[l].at - t);
	unsigned at[2] = { i - 16, i + w->len - 1 };

#pragma GCC unroll 2
	for (int h = 0; h < 2; h++) {
		x->text[h][0][l] = sixteen(b->bit[0], at[h]);
		x->text[h][1][l] = sixteen(b->bit[1], at[h]);
		x->bit[h][0][l] = w->bit[h][0];
		x->bit[h][1][l] = w->bit[h][1];
		x->wild[h][l] = w->wild[h];
		x->most[h][l] = (int16_t)(w->most[h] - one);
	}
}

/* Pieces that may begin in the batch at t, in tile [beg, end). */
static void
test(struct primer_short *s, const struct planes *b, uint64_t t, uint64_t beg,
     uint64_t end)
{
	struct primer_near *x = &s->near;
	uint64_t pass;

	memset(x->most, 0xff, sizeof x->most);
	for (unsigned l = 0; l < x->n; l++)
		fill_piece(s, b, t, l);
	for (pass = s->ops.near(x); pass; pass &= pass - 1) {
		unsigned l = (unsigned)__builtin_ctzll(pass);

		seed(s, s->seeded[l].word & PRIMER_SEED_PLACE,
		     s->seeded[l].at, beg, end);
	}
	s->w->stats.seeds += x->n;
	x->n = 0;
}

static void
seed_batch(struct primer_short *s, const struct planes *b, uint64_t t,
	   const uint32_t *key, unsigned n, uint64_t beg, uint64_t end)
{
	const struct primer_seeds *d = &s->seeds;
	unsigned l = 0;

	for (unsigned i = 0; i < n; i++)
		__builtin_prefetch(&d->place[d->key[key[i]]]);
	for (unsigned i = 0; i < n; i++)
		for (uint32_t w = d->key[key[i]]; w < d->key[key[i] + 1]; w++) {
			s->seeded[l].at = t + i;
			s->seeded[l].word = d->place[w];
			__builtin_prefetch(&d->beside[d->place[w] &
						      PRIMER_SEED_PLACE]);
			if (++l == PRIMER_NEAR) {
				s->near.n = l;
				test(s, b, t, beg, end);
				l = 0;
			}
		}
	s->near.n = l;
	test(s, b, t, beg, end);
}

/* Keys of n letters from t on, up to BATCH; *key is of the one before. */
static void
keys_at(const struct primer_short *s, uint64_t t, unsigned n, uint32_t *key,
	uint32_t *to)
{
	const unsigned q = s->seeds.q;
	const uint32_t mask = (uint32_t)((1ull << 2 * q) - 1);

	for (unsigned i = 0; i < n; i++) {
		uint64_t at = t + i + q - 1;
		unsigned c = at < s->x->n ? s->x->symbol[at] : 0;

		*key = (*key << 2 | (c - (c != 0))) & mask;
		to[i] = *key;
		__builtin_prefetch(&s->seeds.key[*key]);
	}
}

static void
add_letters(const struct primer_text *x, struct planes *b, uint64_t t)
{
	add_plane(b, x->symbol + min_u64(t, x->n),
		  t < x->n ? (unsigned)min_u64(BATCH, x->n - t) : 0);
}

uint64_t
primer_seeds_scan(struct primer_short *s, uint64_t beg, uint64_t end)
{
	uint64_t t, most = s->seeds.most, had = s->w->stats.seeds;
	uint32_t key = 0, first[PRIMER_SEED_MORE], of[BATCH];
	struct primer_seeds *d = &s->seeds;
	struct planes b;

	memset(&b, 0, sizeof b);
	for (size_t i = 0; i < d->n_places; i++)
		d->block[i].upto = 0;
	/* letters before `beg` are of what ends in the tile before */
	keys_at(s, beg - (d->q - 1), d->q - 1, &key, first);
	add_letters(s->x, &b, beg);
	for (t = beg; t < end && s->w->stats.seeds - had <= most; t += BATCH) {
		unsigned n = (unsigned)min_u64(BATCH, end - t);

		add_letters(s->x, &b, t + BATCH);
		keys_at(s, t, n, &key, of);
		seed_batch(s, &b, t, of, n, beg, end);
	}
	primer_sieve_all(s);
	return min_u64(t, end);
}

/* The table of seeds. */

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

/* Cuts a window of so many letters.  Pieces longer than a key and the letter
 * that it may lack would not select better. */
static struct cut
cut_window(uint64_t k, unsigned window, unsigned q)
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
table_share(unsigned len, unsigned t, unsigned q)
{
	return len ? (t ? 8. * len : 1) /
		     (double)(1ull << 2 * min_u64(len, q)) : 0;
}

/* The share of all keys that windows' pieces have, summed; 1e9: none is long
 * enough. */
static double
primer_seed_share(const struct primer_short *s, const uint8_t *window,
		  unsigned q)
{
	uint64_t k = s->p->par.k, n = s->to - s->from, of[64] = { 0 };
	double sum = 0;

	for (uint64_t i = 0; i < n; i++)
		of[window[i]]++;
	for (unsigned w = 1; w < 64; w++) {
		struct cut c = cut_window(k, w, q);

		if (of[w] && (c.len[0] < PIECE_MIN ||
			      (k > 1 && c.len[1] < PIECE_MIN)))
			return 1e9;
		for (int i = 0; i < 2; i++)
			sum += (double)of[w] *
			       table_share(c.len[i], differences(k, i), q);
	}
	return sum;
}

/* As long as most first pieces. */
static unsigned
primer_seed_key(const struct primer_short *s)
{
	uint64_t sum = 0, open = 0;

	for (uint64_t i = 0; i < s->to - s->from; i++)
		if (s->window[i]) {
			sum += cut_window(s->p->par.k, s->window[i], 63).len[0];
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

	if (t0 == t1 && len[0] && len[1]) {	/* the shorter finds both */
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
	struct cut c = cut_window(k, d->window[j], d->q);
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
 * have several times as many as their share predicts. */
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

static int
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
