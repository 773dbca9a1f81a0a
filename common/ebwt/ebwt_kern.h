/* SPDX-License-Identifier: MIT */
/*
 * ebwt_kern.h - the kernels of ebwt and their arguments (private)
 */
#ifndef SEQF_EBWT_EBWT_KERN_H
#define SEQF_EBWT_EBWT_KERN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpu.h"

/* Letters are codes below sigma.  A key is that many, as a number. */
struct ebwt_plan {
	unsigned sigma;		/* 2 to 256 */
	unsigned letters;	/* of a key: even, 2 to 48 */
	unsigned kmer, window;	/* kmer + window = letters */
	unsigned key_bits;	/* 16 to 48 */
};

enum {
	EBWT_BLOCK = 2000,	/* windows or keys of a call, at most */
	EBWT_PAD = 64,		/* letters read behind what is needed */
	EBWT_AT_BITS = 12,	/* of a position in a block's letters */
};

/*
 * The anchors of the windows that begin at t[0] to t[n - 1]: of each whose
 * anchor is not that of the window before it, the anchor's position in t, and
 * the window's << 16.  Ascending; returns how many.  Reads t[-1] to
 * t[n + letters + EBWT_PAD - 1].
 */
typedef unsigned ebwt_anchors_fn(const struct ebwt_plan *p, const uint8_t *t,
				 unsigned n, uint32_t *out);
/* The keys at t[0] to t[n - 1]; n at most EBWT_BLOCK + 64.  Reads up to
 * t[n + letters + EBWT_PAD - 1]; writes up to key[n + 7]. */
typedef void ebwt_keys_fn(const struct ebwt_plan *p, const uint8_t *t,
			  unsigned n, uint64_t *key);
/*
 * What is to become of keys: the low `shift` bits of those that begin with a
 * bucket in [lo, lo + width), `up` higher, over a tail below.
 */
struct ebwt_pick {
	unsigned shift, up;	/* together at most 64; up below 64 */
	uint64_t lo, width;
	bool counts_down;	/* a run's tails: each is one less */
};
/* From position `at` on, to the next one's. */
struct ebwt_run {
	uint64_t tail;
	uint32_t at;
};
/*
 * The items of the keys at t[0] to t[n - 1], and their buckets less lo; returns
 * how many.  Runs ascend from position 0 on, each of at most `window` ones.
 * Reads as ebwt_keys_fn does; writes up to item[n + 7] and bucket[n + 7].
 */
typedef unsigned ebwt_items_fn(const struct ebwt_plan *p,
			       const struct ebwt_pick *pick, const uint8_t *t,
			       unsigned n, const struct ebwt_run *run,
			       unsigned n_runs, uint64_t *item,
			       uint32_t *bucket);
/*
 * Sorts items, no two of which are equal above the `low` bits, nor all ones;
 * tmp has room for n.
 */
typedef void ebwt_radix_fn(uint64_t *item, uint64_t n, uint64_t *tmp,
			   unsigned low);
/* to[i] = code[from[i]]. */
typedef void ebwt_encode_fn(uint8_t *to, const uint8_t *from, uint64_t n,
			    const uint8_t code[256]);
/* seen[s[i]] = 1. */
typedef void ebwt_letters_fn(uint8_t seen[256], const uint8_t *s, uint64_t n);
/* A number that is the same for all rotations of a word, seldom for others: a
 * sum over all of them of their first letters. */
typedef uint64_t ebwt_print_fn(const uint8_t *s, uint32_t n);

/* The kernel that counts a tile of pairs of classes. */

enum {
	EBWT_TILE = 512,	/* rows, and columns, of a tile at most */
	EBWT_EVENTS = 256,	/* of a call, at most */
};

/* A row of the listing, of a class that is in the tile. */
struct ebwt_event {
	uint32_t cell;		/* its counts: of its row, or of none that is
				   looked at */
	int16_t before;		/* when the class had a row last */
	int16_t column;		/* of the class, or -1 */
};

/*
 * Event i happens at clock + i: for every column whose last time is later than
 * `before`, add one to count[cell + column]; then it is the last time of the
 * event's own column.  Columns are a multiple of 32.
 */
typedef void ebwt_tally_fn(uint16_t *count, unsigned columns, int16_t *last,
			   const struct ebwt_event *event, unsigned n,
			   int16_t clock);
/* How many of colour[1] to colour[n - 1] are c, with another before. */
typedef uint64_t ebwt_begins_fn(const uint32_t *colour, uint64_t n, uint32_t c);

struct ebwt_ops {
	ebwt_anchors_fn *anchors;
	ebwt_keys_fn *keys;
	ebwt_items_fn *items;
	ebwt_radix_fn *radix;
	ebwt_encode_fn *encode;
	ebwt_letters_fn *letters;
	ebwt_print_fn *print;
	ebwt_tally_fn *tally;
	ebwt_begins_fn *begins;
};
KERN_DECLARE(const struct ebwt_ops, ebwt_ops);
/* Those for cpu_isa(). */
const struct ebwt_ops *ebwt_ops(void);

#endif
