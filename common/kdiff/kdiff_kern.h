/* SPDX-License-Identifier: MIT */
/*
 * kdiff_kern.h - the interface between the kernels of kdiff and their driver
 *
 * The text is cut into lanes, long overlapping pieces that run side by side,
 * one a 64-bit element of a vector.  A superblock is 4 consecutive words of 64
 * letters of every lane; a piece is a few superblocks whose equality planes
 * stay in the L1 cache while all patterns pass over them.
 *
 * A plane is v64 [superblock][symbol][4]: bit j of word w of a lane = this
 * text letter matches the symbol.  Vectors are plain uint64_t arrays here,
 * aligned to 64 bytes, so that the driver needs no instruction set.
 */
#ifndef SEQF_KDIFF_KDIFF_KERN_H
#define SEQF_KDIFF_KDIFF_KERN_H

#include <string.h>

#include "kdiff/kdiff.h"

enum {
	KDIFF_WORDS = 4,		/* words of a lane in a superblock */
	KDIFF_SB = 64 * KDIFF_WORDS,	/* letters of a lane in a superblock */
	KDIFF_MAX_LANES = 8,
	KDIFF_MAX_PIECE = 16,		/* superblocks */
};

struct kdiff_pat {
	uint32_t m, k;
	unsigned piece;		/* DNA: k + 1 pieces of so many letters, each
				   A C G T, are in it; at most 64 */
	bool codes;		/* some letter stands for several */
	uint8_t *code;		/* symbol of each letter */
	/*
	 * Edit distance: rows after which a superblock may stop, the last one
	 * is m; slack[c] = k + half of the longer gap beside chk[c], rounded
	 * up.
	 */
	uint32_t n_chk, *chk, *slack;
	/* Hamming distance: bits of a counter of 0..k. */
	unsigned bits;
	/*
	 * kdiff_set_exact(): letters that must match, and what the others
	 * match, bit r = the r-th letter from the right; NULL: no rule.
	 */
	uint32_t head, tail;
	uint64_t *core;
	/*
	 * Overhangs: letters that each class matches, the first column where
	 * a subject does not begin, and where it does; NULL: none, or Hamming.
	 */
	uint64_t *over;
};

/* What a pattern carries from one superblock to the next. */
struct kdiff_state {
	/*
	 * Edit: rows[2 r], rows[2 r + 1] = the last word's raw vertical
	 * deltas of row r, complement of the rises and the falls (their top
	 * bits count).  Hamming: rows[(bits + 1) r ...] = the counter's planes
	 * and the overflow.
	 */
	uint64_t *rows;
	uint64_t *right;	/* D at the right edge at each check row */
	/*
	 * Minima: tail[0] = -1 if the current run of equal values did not
	 * begin with a fall; tail[1] = where D changed in the last word with a
	 * change; tail[2] = words without one since.
	 */
	uint64_t *tail;
	uint32_t deepest;	/* check row the last superblock reached */
	uint32_t need;		/* check row the next one has to reach */
	unsigned deep;		/* superblocks before that led to the last */
};

struct kdiff_source {
	const uint64_t *planes, *exc, *sets;	/* sets: used alone */
	const uint8_t *bytes;
	uint64_t n;		/* letters */
	const uint8_t *sym;	/* IUPAC set or byte of each symbol */
	unsigned n_sym;
	bool fold;		/* bytes: either case */
};

struct kdiff_piece {
	unsigned n_sb, n_sym;
	uint64_t *eq;		/* v64 [n_sb][n_sym][4] */
	/*
	 * v64 [n_sb][4], read only where special: letters of no segment (they
	 * match nothing), and columns whose ends are to be reported.
	 */
	uint64_t *gap, *own;
	bool special[KDIFF_MAX_PIECE];
	uint64_t at[KDIFF_MAX_LANES];	/* the lanes' first letters */
};

/*
 * Words that may hold hits, as a kernel leaves them in their lane for the
 * expander, which makes them hits later, where they are wanted.  A word of an
 * edit distance: columns where D rises, where it falls, that count; place.
 * Of a Hamming distance: the counter's planes, columns that count; place.
 * The place is D at the left edge << 32 | first column in the lane's piece.
 */
struct kdiff_lane {
	uint64_t *v;
	size_t n, cap;
	struct kdiff_run *run;
	size_t n_run, run_cap;
};

enum {
	KDIFF_EDIT_WORD = 4,
	/* hits that an expander may write behind the last one */
	KDIFF_HITS_OVER = 16,
};

/* Fill pc->eq. */
typedef void kdiff_gather_fn(const struct kdiff_source *src,
			     struct kdiff_piece *pc);
/*
 * One pattern over one piece.  out[lane] has room for all its words and one
 * more.
 */
typedef void kdiff_scan_fn(const struct kdiff_pat *p, struct kdiff_state *st,
			   const struct kdiff_piece *pc, bool minima,
			   struct kdiff_lane *out);

/* What a lane kept of a pattern in a piece. */
struct kdiff_run {
	uint64_t at;		/* the lane's first letter in the piece */
	size_t from;		/* kdiff_lane.v[from .. from + n) */
	uint32_t n, pattern;
};
/*
 * Hits of a run of words v in order.  `to` has room for 64 hits a word, and
 * KDIFF_HITS_OVER more; their number.
 */
typedef size_t kdiff_extract_fn(const struct kdiff_pat *p,
				const struct kdiff_run *r, const uint64_t *v,
				bool minima, struct kdiff_hit *to);

/* Columns with D <= k of each word of a run, 0 where there are none. */
typedef void kdiff_columns_le_fn(const struct kdiff_pat *p,
				 const struct kdiff_run *r, const uint64_t *v,
				 uint64_t *live);

/*
 * Traceback of hits of one pattern, a hit a lane.  In column c, bit b of a
 * frame of `words` words is pattern letter b + c - 2 d; eq[word][class] holds
 * the pattern's bits, at + c the place of a frame's bit 0 in them.
 */
struct kdiff_band {
	const uint64_t *eq;
	uint64_t at;
	unsigned classes, words;
	const uint16_t *letter;	/* [column][lane]: its class */
};

/*
 * Classes of 4 planes: bit p of a class is a bit of v64 plane[64 columns][p];
 * bits of p >= planes are 0.  Columns are written by 8.
 */
typedef void kdiff_spread_fn(const uint64_t *plane, unsigned planes,
			     uint64_t cols, uint16_t *to);
/*
 * Columns [beg, end) from a state, v64 [2][words]: vertical rises and falls.
 * cells are v64 [column][words][2]: a diagonal step fits; if so, equal, or
 * else a step along the text does.
 */
typedef void kdiff_columns_fn(const struct kdiff_band *b, uint64_t beg,
			      uint64_t end, uint64_t *state, uint64_t *cells);
/*
 * Back over all `cols` cells of one word, from bit 63 - row of each lane.  For
 * every `group` columns groups holds 3 v64: both bits of the choices, the
 * last made in bit 0, 0 0 for I; and their number, with the I at most 64.
 */
typedef void kdiff_back_fn(const uint64_t *cells, uint64_t cols,
			   unsigned group, uint64_t *row, uint64_t *groups);
/*
 * A path from the last group to the first, without its first `beyond` choices;
 * the next `before` ones are I, whatever they say.
 */
struct kdiff_choices {
	const uint64_t *group;	/* of a lane */
	size_t n, lanes;
	uint64_t beyond, before;
};
/* k more runs at op + n; the first may go on with the last one before. */
static inline size_t
kdiff_join_runs(uint32_t *op, size_t n, size_t k)
{
	if (n && k && (op[n] & 15) == (op[n - 1] & 15)) {
		op[n - 1] += op[n] & ~15u;
		memmove(op + n, op + n + 1, --k * sizeof *op);
	}
	return n + k;
}
/* Its runs (letters.h); returns their number.  64 more may be written. */
typedef size_t kdiff_runs_fn(const struct kdiff_choices *c, uint32_t *op);

/*
 * Places worth a look, one a lane: is there a match?  eq: where the pattern
 * has A C G T, its last letter in the top bit; below the first one, pad and eq
 * are all ones.  lo, hi, none: the letters of the text's `cols` columns and
 * which of them match nothing, the first one in bit 0.  The last `tail` values
 * of D are put in dist; the result has a bit for each lane where one of them
 * is <= k.
 */
struct kdiff_verify {
	uint64_t eq[4][KDIFF_MAX_LANES], pad[KDIFF_MAX_LANES];
	uint64_t lo[KDIFF_MAX_LANES], hi[KDIFF_MAX_LANES];
	uint64_t none[KDIFF_MAX_LANES], k[KDIFF_MAX_LANES];
	unsigned cols, tail;	/* cols <= 64 */
	bool any_none;
	uint64_t dist[64][KDIFF_MAX_LANES];
} __attribute__((aligned(64)));
typedef unsigned kdiff_verify_fn(struct kdiff_verify *x);

/*
 * Distances that keep the rule (kdiff_exact.c), of an end a lane.  lo, hi,
 * none: the 64 letters before the tail and which of them match nothing, the
 * last one in bit 63.  eq: where the core has A C G T, rows: all of it, its
 * last letter in the lowest bit that is set, its first one in bit 63.  Bit 63 -
 * i of head: before i letters the head stands, or there is none.  best: the
 * least distance of these i, which are at most cols < 64, and which bits of
 * head have it.
 */
enum { KDIFF_NO_CORE = 0x3f3f3f3f };	/* no such i */
struct kdiff_cores {
	uint64_t eq[4][KDIFF_MAX_LANES], rows[KDIFF_MAX_LANES];
	uint64_t lo[KDIFF_MAX_LANES], hi[KDIFF_MAX_LANES];
	uint64_t none[KDIFF_MAX_LANES], head[KDIFF_MAX_LANES];
	uint64_t core[KDIFF_MAX_LANES];	/* its letters */
	uint64_t best[KDIFF_MAX_LANES], of[KDIFF_MAX_LANES];
	unsigned cols;
} __attribute__((aligned(64)));
typedef void kdiff_cores_fn(struct kdiff_cores *x);

/* Patterns side by side, see kdiff_overhang.c. */
enum { KDIFF_SIDE = 4 };
typedef uint64_t kdiff_lanes __attribute__((vector_size(KDIFF_SIDE * 8)));

struct kdiff_side {
	size_t words;
	const kdiff_lanes *eq;	/* [class][words] */
	kdiff_lanes *pv, *mv;	/* [words] */
	kdiff_lanes d, above;	/* F(m, v), and k + 1 */
	/* Where the subject ends l = 1 .. n_over letters may cost so much, and
	 * F(m - l, n) at most limit[l] (signed; -1: none counts). */
	uint64_t *cost, n_over;
	kdiff_lanes *limit;
};

/*
 * n more columns; with stop, none behind the first one where some d <= k.
 * Returns how many.
 */
typedef uint64_t kdiff_overhang_fn(struct kdiff_side *s, const uint8_t *class,
				   uint64_t n, bool stop);

/* *least: of F(m, n) and F(m - l, n) + cost[l] within the limits. */
typedef void kdiff_overhang_end_fn(const struct kdiff_side *s,
				   kdiff_lanes *least);

/*
 * The keys of an index (kdiff_index.c) that begin at the first 32 letters of
 * those in lo, hi; the result has a bit for each that is in the bitmap.
 */
enum { KDIFF_GRAM_KEYS = 32 };
typedef uint32_t kdiff_gram_keys_fn(const uint64_t *bits, unsigned q,
				    uint64_t lo, uint64_t hi,
				    uint32_t key[KDIFF_GRAM_KEYS]);

/*
 * The filter's samples: letters 0, step, 2 step ... of each word of a text
 * (the first of the next word is no farther), and the q letters from each on,
 * low bits | high bits << q, whose bit is set.
 */
struct kdiff_sieve {
	const uint64_t *bits;
	unsigned q, step;
};
/*
 * Letters of the samples found in n_words words of planes, from the first one
 * on, nearly in order, are put in out, and their q letters in key; both have
 * room for all samples and KDIFF_SIEVE_PAD more.  KDIFF_SIEVE_PAD words more
 * are read, and may be found in.  Returns how many were found.
 */
enum { KDIFF_SIEVE_PAD = 16 };
typedef size_t kdiff_sieve_fn(const struct kdiff_sieve *v,
			      const uint64_t *planes, size_t n_words,
			      uint32_t *out, uint32_t *key);

/*
 * A strip of diagonals a lane (kdiff_strip.c), `width` of them.  Bit j of v64
 * eq[symbol][eq_words]: text letter j matches; diagonal 0 begins before letter
 * 0.  Without eq it is letter first[lane] + j of planes, all of A C G T, and
 * words of eq_words + 3 are read.  After the last row bit b of word w of vp, vm
 * is D's rise, fall from letter at + 64 w + b to the next one, and left[w] is D
 * at letter at + 64 w.
 * frame is room for v64 [symbol][words].
 */
struct kdiff_strip {
	const uint64_t *eq, *planes;
	uint64_t first[KDIFF_MAX_LANES];
	uint64_t *frame, *vp, *vm, *left;
	const uint8_t *code, *sym;
	size_t eq_words;	/* m / 64 + words + 1 at least */
	uint32_t m, at;
	unsigned n_sym, words, width;	/* width <= 64 words */
};
typedef void kdiff_strip_fn(struct kdiff_strip *x);

/*
 * The rows of a pattern below row `row`, in a lane for each place (see
 * kdiff_strip.c), of two vectors: their rows do not wait for each other's.
 * After that row vp and vm are D's rises and falls at 64
 * letters from `at` on, before which D is k + 1; letters of planes are read as
 * far as 128 behind the last diagonal's end.  After the last row: the same at
 * 64 letters from at + moved, before which D is `left`.
 */
enum { KDIFF_DEEP = 2 };	/* vectors */
struct kdiff_deep {
	uint64_t at[KDIFF_DEEP * KDIFF_MAX_LANES];
	uint64_t vp[KDIFF_DEEP * KDIFF_MAX_LANES];
	uint64_t vm[KDIFF_DEEP * KDIFF_MAX_LANES];
	uint64_t left[KDIFF_DEEP * KDIFF_MAX_LANES];
	const uint64_t *planes;
	const struct kdiff_pat *p;
	const uint8_t *sym;
	uint32_t row, moved;
	unsigned n_sym, width;	/* of DNA; diagonals that matter, below 64 */
} __attribute__((aligned(64)));
typedef void kdiff_deepen_fn(struct kdiff_deep *x);

enum {
	SNAKE_WORDS = 2,	/* of a pattern in lanes, at most */
	SNAKE_MOST = 10,	/* differences there */
	SNAKE_HITS = 2 * KDIFF_MAX_LANES,	/* side by side, at most */
	SNAKE_READS = 256,	/* letters of the text from a window's first */
};

/*
 * Paths of n hits of one pattern of m letters, all of d >= 1 differences, m + d
 * < 64 SNAKE_WORDS.  A hit's window of m + d letters begins at letter `at` of
 * planes, and then its path does; those from n on are like one of them.  pat:
 * low and high bits of the pattern's letters, 0 behind it.  A path's operations
 * are put before op, at most 2 d + 1, and then begin there.
 */
struct kdiff_snakes {
	const uint64_t *planes;
	uint64_t at[SNAKE_HITS];
	uint32_t *op[SNAKE_HITS];
	uint64_t pat[2][SNAKE_WORDS];
	size_t n;
	uint32_t m, d;
} __attribute__((aligned(64)));
typedef void kdiff_snakes_fn(struct kdiff_snakes *x);

KERN_DECLARE(kdiff_gather_fn, kdiff_gather);
KERN_DECLARE(kdiff_scan_fn, kdiff_edit);
KERN_DECLARE(kdiff_scan_fn, kdiff_ham);
KERN_DECLARE(kdiff_extract_fn, kdiff_edit_extract);
KERN_DECLARE(kdiff_extract_fn, kdiff_ham_extract);
KERN_DECLARE(kdiff_columns_le_fn, kdiff_columns_le);
KERN_DECLARE(kdiff_spread_fn, kdiff_spread);
KERN_DECLARE(kdiff_columns_fn, kdiff_columns);
KERN_DECLARE(kdiff_verify_fn, kdiff_verify);
KERN_DECLARE(kdiff_back_fn, kdiff_back);
KERN_DECLARE(kdiff_runs_fn, kdiff_runs);
KERN_DECLARE(kdiff_gram_keys_fn, kdiff_gram_keys);
KERN_DECLARE(kdiff_cores_fn, kdiff_cores);
KERN_DECLARE(kdiff_overhang_fn, kdiff_overhang);
KERN_DECLARE(kdiff_overhang_end_fn, kdiff_overhang_end);
KERN_DECLARE(kdiff_sieve_fn, kdiff_sieve);
KERN_DECLARE(kdiff_strip_fn, kdiff_strip);
KERN_DECLARE(kdiff_deepen_fn, kdiff_deepen);
KERN_DECLARE(kdiff_snakes_fn, kdiff_snakes);

#endif
