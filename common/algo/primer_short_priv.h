/* SPDX-License-Identifier: MIT */
/* primer_short_priv.h - blocks of starts, and the working memory */
#ifndef SEQF_PRIMER_SHORT_PRIV_H
#define SEQF_PRIMER_SHORT_PRIV_H

#include "algo/primer_priv.h"
#include "algo/primer_short.h"

enum {
	PRIMER_SLICE = (1 << 15) - 64,	/* places at a time */
	PRIMER_MERGE = PRIMER_CORE_NEAR,	/* columns more, of a hit */
};

/* Starts lo to lo + n - 1; the core is `rows` letters from the last one on. */
struct primer_block {
	uint64_t lo;
	uint64_t upto;		/* hits are not new to here */
	struct primer_half half[2];
	uint8_t n, rows;
	uint8_t before, columns;	/* of a hit, that the sieve reads */
};
/* What a leaf has to read for a block: from there to as many letters behind
 * `right` as start l has before it and rows, as in struct primer_leaf. */
struct primer_look {
	struct primer_block *block;
	uint64_t from, n;
	int64_t right;
};

/*
 * Pieces of windows (primer_seed.c), by places of the slice, relative to it.
 * The words of key x are place[key[x]] to place[key[x + 1] - 1].
 */
struct primer_seed_at {
	uint8_t piece[2];	/* letters, of the place's own start; of others
				   whose second piece begins here; 0: none */
	uint8_t first, last;	/* those: so many places before */
};
/* What stands beside a piece that begins at a place: letters of the windows of
 * others before it, of its own behind it. */
struct primer_beside {
	uint16_t bit[2][2], wild[2];
	int8_t most[2];		/* differences of a window; -1: there is none */
	uint8_t len;		/* of the piece, own */
};
enum {
	PRIMER_SEED_PLACE = 0x7fff,	/* in a word; beside it: the word has
					   a difference, for sure */
	PRIMER_SEED_MORE = 16,	/* places that pieces reach behind */
	PRIMER_SEED_WORDS = 1 << 23,	/* of a table */
	PRIMER_SEEDS_K = 4,	/* with more, pieces are everywhere */
};
struct primer_seeds {
	uint64_t k, from;	/* k = 0: there is no table */
	size_t n_starts, n_places;
	unsigned q;		/* letters of a key */
	double excess;		/* ns that a newer one would have saved */
	uint64_t most;		/* pieces to look up in a tile */
	uint32_t *key;
	uint16_t *place;
	/* windows and letters as they were */
	uint8_t window[PRIMER_SLICE];
	uint8_t code[PRIMER_SLICE + PRIMER_MAX_SHORT];
	struct primer_seed_at at[PRIMER_SLICE + PRIMER_SEED_MORE];
	struct primer_beside beside[PRIMER_SLICE + PRIMER_SEED_MORE];
	struct primer_block block[PRIMER_SLICE + PRIMER_SEED_MORE];
};

struct primer_short {
	struct primer_cores cores;
	struct primer_leaf leaf;
	struct primer *p;
	const struct primer_text *x;
	struct primer_work *w;
	const struct primer_short_ops *ops;
	uint64_t from, to;	/* the slice */
	unsigned rows;		/* of cores, at most; 0: leaves alone */
	bool sieves;		/* classes have two bits */
	struct primer_sieve sieve;
	struct primer_look sieved[PRIMER_SIEVED];
	/* By place of the slice: letters, 0 if the start is settled. */
	uint8_t window[PRIMER_SLICE];
	struct primer_block block[PRIMER_SLICE];
	/* Of a tile: columns of leaves on hits of blocks, by the sixteen places
	 * that their first start is one of; and by place, from where on all of
	 * the tile is to be read, UINT64_MAX: it is not. */
	uint64_t spent[PRIMER_SLICE / PRIMER_STARTS + 1];
	uint64_t rest[PRIMER_SLICE];
	bool rests;		/* of some place it is */
	struct primer_near near;
	struct {
		uint64_t at;
		uint16_t word;
	} seeded[PRIMER_NEAR];
	struct primer_seeds seeds;
};

/* Cut the slice's starts that are not settled into blocks that have cores of
 * so many letters or, if their windows are shorter, of one start; without
 * cores if 0.  Their number. */
size_t primer_blocks_cut(struct primer_short *s, unsigned rows);
/* Ends that follow from those of starts before. */
void primer_blocks_spread(struct primer_short *s);
/* Are almost all windows as long as a core? */
bool primer_blocks_known(struct primer_short *s);

/* The table of n blocks' cores, and the state before the text. */
void primer_core_table(struct primer_short *s, const struct primer_block *b,
		       unsigned n);
/* Lane l without a core from now on. */
void primer_core_none(struct primer_cores *c, unsigned l);

/* A block's core for a finder. */
void primer_core_of(const struct primer_short *s, const struct primer_block *b,
		    struct primer_core *c);

/* Letters [beg, end), 32 at most, as the sieve has them. */
struct primer_half primer_half_of(const struct primer *p, uint64_t beg,
				  uint64_t end);

/* A block was seen with `at` letters read: sieved, what is left looked at. */
void primer_hit(struct primer_short *s, const struct primer_look *look,
		uint64_t at);
void primer_sieve_all(struct primer_short *s);
/* Have a block's hits in the tile [beg, end) cost so much that all of it is to
 * be read instead? */
bool primer_dear(const struct primer_short *s, const struct primer_block *b,
		 uint64_t beg, uint64_t end);
/* It shall be, from where the look would begin. */
void primer_rest(struct primer_short *s, const struct primer_look *look);

/* Letters of keys for the windows as they are. */
unsigned primer_seed_key(const struct primer_short *s);
/* The share of all keys that windows' pieces have, summed; 1e9: none is long
 * enough. */
double primer_seed_share(const struct primer_short *s, const uint8_t *window,
			 unsigned q);
int primer_seeds_new(struct primer_short *s, unsigned q, struct err *e);
bool primer_seeds_fit(const struct primer_short *s);
/* Occurrences of which a piece begins in text [beg, end); where it gave up,
 * end: it did not. */
uint64_t primer_seeds_scan(struct primer_short *s, uint64_t beg, uint64_t end);

/*
 * Have a table of seeds, if reading `letters` of text with it costs less than
 * with n_blocks cores; *use tells.
 */
int primer_seeds_choose(struct primer_short *s, size_t n_blocks,
			uint64_t letters, bool *use, struct err *e);

#endif
