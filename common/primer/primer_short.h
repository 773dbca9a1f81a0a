/* SPDX-License-Identifier: MIT */
/*
 * primer_short.h - the interface between kernels of short primers and driver
 *
 * Plain C types, so that the driver needs no instruction set.  Rows are
 * letters, from the top; D(r, p) is the least number of differences between
 * the first r of them and any stretch of text that ends with p letters read.
 */
#ifndef SEQF_PRIMER_PRIMER_SHORT_H
#define SEQF_PRIMER_PRIMER_SHORT_H

#include <stddef.h>
#include <stdint.h>

#include "primer/primer_blocks.h"
#include "primer/primer_priv.h"

enum {
	PRIMER_MAX_SHORT = 63,	/* letters: rows of a word, one to spare */
	PRIMER_SYMBOLS = 16,	/* of texts and targets, at most */
	PRIMER_VECTORS = 256,	/* bytes: cores scanned for at once */
	PRIMER_STARTS = 16,	/* of a block */
	PRIMER_HITS = 256,	/* of cores, reported at once */
	PRIMER_SLACK = 128,	/* readable behind codes */
	PRIMER_WINDOW = 64,	/* letters that the sieve reads */
	PRIMER_SIEVED = 16,	/* hits of cores, sieved at once */
	PRIMER_NEAR = 64,	/* pieces, tested at once */
};

/*
 * Cores are a lane of 16 or 32 bits each, their rows at its upper end; the rows
 * above a core of fewer match every symbol, so that D is 0 there.
 */
struct primer_core_hit {
	uint64_t at;		/* letters read, even or n rounded up */
	uint64_t mask[2];	/* which lanes */
};

struct primer_cores {
	/* four vectors of lanes each, as many as there are */
	uint8_t eq[PRIMER_SYMBOLS][PRIMER_VECTORS];
	uint8_t p[PRIMER_VECTORS], m[PRIMER_VECTORS], d[PRIMER_VECTORS];
	unsigned bits, n_vectors;	/* 16 or 32, 1 to 4 */
	int k;			/* below bits */
	const uint8_t *text;
	uint64_t at, n;		/* letters read, and of the text */
	unsigned n_hits;
	struct primer_core_hit hit[PRIMER_HITS];
};
/*
 * Go on with the scan until the text ends or there is no room for hits.
 * Wherever a core occurs with fewer than k differences, by a path that enters
 * its last row but one at column p, there is a hit at p or p + 1; and no hit
 * without a value below k in the last two rows.
 */
typedef void primer_cores_fn(struct primer_cores *c);
KERN_DECLARE(primer_cores_fn, primer_cores);

/*
 * Letters as the two low bits of their classes, 1 to 4; row i is bit i.  Like
 * cores, at the upper end of 32 bits; rows above: wild.
 */
struct primer_half {
	uint32_t bit[2], wild;
};
struct primer_sieve {
	unsigned n, columns;	/* hits, letters of each to read */
	int k;
	const uint8_t *text[PRIMER_SIEVED];	/* PRIMER_WINDOW readable */
	const struct primer_half *half[PRIMER_SIEVED];	/* two each */
};
/* Bit i: in text i one of the two occurs with fewer than k differences, or
 * there is a symbol that is no class of 1 to 4. */
typedef uint32_t primer_sieve_fn(const struct primer_sieve *s);
KERN_DECLARE(primer_sieve_fn, primer_sieve);

/*
 * Letters that should stand before a piece (side 0) or behind it (1), against
 * 16 letters of text there: that end where the piece begins; or from one letter
 * before where it ends.  Lanes of 16 bits; letters and those of the text as
 * bits, of side 0 rows from the top, of side 1 from the bottom; at the upper
 * end, rows above: wild.
 */
struct primer_near {
	unsigned n;
	uint16_t text[2][2][PRIMER_NEAR], bit[2][2][PRIMER_NEAR];
	uint16_t wild[2][PRIMER_NEAR];
	int16_t most[2][PRIMER_NEAR];	/* differences; below 0: none */
};
/* Bit i: on side 0 or 1 they occur with so few differences, up to the last
 * letter read, or the two before; reading goes up on side 0, down on 1. */
typedef uint64_t primer_near_fn(const struct primer_near *x);
KERN_DECLARE(primer_near_fn, primer_near);

/*
 * Exact: a lane of 64 bits for each start of a block, start l at code + l.  Of
 * start l so many rows are looked at; where D is below k they grow, to
 * rows[l] > most[l] at most: then it is settled.  rows[l] = 0: not looked at.
 */
struct primer_leaf {
	uint64_t eq[PRIMER_SYMBOLS][PRIMER_STARTS];
	uint64_t p[PRIMER_STARTS], m[PRIMER_STARTS], mask[PRIMER_STARTS];
	int64_t d[PRIMER_STARTS], k[PRIMER_STARTS];
	uint64_t rows[PRIMER_STARTS], most[PRIMER_STARTS];	/* up to 63 */
	const uint8_t *code;	/* PRIMER_SLACK readable */
	unsigned n_starts, n_classes, n_symbols;
	const uint16_t *holds;	/* NULL: literal */
	/* Letters [from, right + l + rows[l]), as far as there are any. */
	const uint8_t *text;
	uint64_t from, n;
	int64_t right;
	uint64_t columns;	/* done */
};
typedef void primer_leaf_fn(struct primer_leaf *x, int k);
KERN_DECLARE(primer_leaf_fn, primer_leaf);

struct primer_short_ops {
	unsigned bits;		/* of a vector */
	primer_cores_fn *cores;
	primer_sieve_fn *sieve;
	primer_near_fn *near;
	primer_leaf_fn *leaf;
	primer_slices_fn *slices;
};

/* Blocks of starts, and the working memory. */

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
	struct primer_short_ops ops;
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

/* Are a text's letters so many, and of so few classes, that cores are searched
 * for in lanes of one bit? */
bool primer_sliced(const struct primer_short *s, uint64_t letters);

bool primer_seeds_fit(const struct primer_short *s);
/* Occurrences of which a piece begins in text [beg, end); where it gave up,
 * end: it did not. */
uint64_t primer_seeds_scan(struct primer_short *s, uint64_t beg, uint64_t end);

/*
 * Makes a table of seeds if reading `letters` of text with it costs less than
 * with n_blocks cores; *use says whether it did.
 */
int primer_seeds_choose(struct primer_short *s, size_t n_blocks,
			uint64_t letters, bool *use, struct err *e);

#endif
