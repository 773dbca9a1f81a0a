/* SPDX-License-Identifier: MIT */
/* primer_seed_scan.c - a text read once for all pieces of windows */
#include <string.h>

#include "algo/primer_short_priv.h"
#include "base/minmax.h"

/* Letters at once: a word of each bit, and memory that answers to many
 * questions at a time. */
enum { BATCH = 64 };

/*
 * What it costs, in ns, by measurement: a letter of text, a seed, a word of a
 * new table, one of its keys, a column of a vector of cores.
 */
static const double letter_ns = 5, seed_ns = 10, word_ns = 8, key_ns = .8,
		    column_ns = 2.2;

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
	unsigned q, lanes = s->ops->bits / s->cores.bits;
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
	now = cores = n * column_ns *
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
			memcpy(&x, c + i, n - i < 8 ? n - i : 8);
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
	uint32_t x;

	memcpy(&x, bit + at / 8, sizeof x);
	return (uint16_t)(x >> at % 8);
}

/* What stands beside piece l of those that may begin in the batch at t. */
static void
fill(struct primer_short *s, const struct planes *b, uint64_t t, unsigned l)
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
		fill(s, b, t, l);
	for (pass = s->ops->near(x); pass; pass &= pass - 1) {
		unsigned l = (unsigned)__builtin_ctzll(pass);

		seed(s, s->seeded[l].word & PRIMER_SEED_PLACE,
		     s->seeded[l].at, beg, end);
	}
	s->w->stats.seeds += x->n;
	x->n = 0;
}

static void
batch(struct primer_short *s, const struct planes *b, uint64_t t,
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
		batch(s, &b, t, of, n, beg, end);
	}
	primer_sieve_all(s);
	return min_u64(t, end);
}
