/* SPDX-License-Identifier: MIT */
/*
 * primer.h - k-difference primers: the longest word from each position of
 * a target that still occurs in a background
 * Source: Feuser and Moreano, the k-difference primer problem; here by cores
 * that many starts share, searched for with Myers' bit vectors.
 *
 * A target is cut into segments at letters that may not stand in a primer.  For
 * a start j of a segment that ends at m, end(j) is the largest e in [j, m] so
 * that letters [j, e) occur in the background with at most k - 1 differences
 * (substitutions, insertions, deletions); with max_len not above j + max_len.
 * The primer is [j, end(j) + 1), if end(j) < m.  At a letter that may not stand
 * in one, end(j) = j.  The empty word occurs everywhere, so that end(j) is at
 * least j + k - 1 (or m, or j + max_len).
 *
 * end() never decreases within a segment: a part of what occurs occurs.  The
 * background comes in texts: ends are the maximum over all of them, so the
 * outcome depends neither on their order nor on what they have in common, as
 * long as every stretch of primer_span() letters lies whole in one of them.
 */
#ifndef SEQF_PRIMER_PRIMER_H
#define SEQF_PRIMER_PRIMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

enum primer_alphabet {
	PRIMER_DNA,	/* A C G T in primers, either case, U = T; in texts
			   IUPAC codes match if they hold the letter, but N,
			   like every other byte, matches nothing */
	PRIMER_LITERAL,	/* every byte is itself, in both */
};

/* How to search; ends are the same. */
enum primer_engine {
	PRIMER_AUTO,	/* whatever is the fastest */
	PRIMER_PLAIN,	/* each start by itself, bit-parallel: the reference */
	PRIMER_BLOCKS,	/* any k: one core for a block of starts, bisection */
	PRIMER_SHORT,	/* many cores at once; max_len of 1 to 63 */
};

struct primer_params {
	enum primer_alphabet alphabet;
	enum primer_engine engine;
	uint64_t k;		/* 1 to PRIMER_MAX_K */
	uint64_t max_len;	/* 0: none */
};
enum { PRIMER_MAX_K = 1 << 20 };

/* Targets and the ends found so far. */
struct primer;

/* ERR_USAGE if a parameter is out of range, ERR_NOMEM. */
int primer_new(struct primer **p, const struct primer_params *par,
	       struct err *e);
void primer_delete(struct primer *p);
/* Add a target of m letters, m >= 0, as given; copied.  Not once a text was
 * searched.  ERR_NOMEM; ERR_LIMIT if there are all 256 bytes in targets of the
 * literal alphabet. */
int primer_add(struct primer *p, const uint8_t *letters, size_t m,
	       struct err *e);
/* Places: letters of all targets, and one more behind each. */
uint64_t primer_places(const struct primer *p);

/*
 * What a text is made of: the symbol of each byte, or of its complement if
 * minus (DNA).  Symbol 0 matches nothing; where sequences lie side by side, k
 * of it keep matches from crossing the border, and more are never needed: nor
 * will an occurrence hold k of them.
 */
const uint8_t *primer_symbols(const struct primer *p, bool minus);
/*
 * Letters within which an occurrence lies: of the longest target, or max_len,
 * and k - 1.  What a chunk owns needs one less before it.
 */
uint64_t primer_span(const struct primer *p);

/*
 * Should threads share a text by its letters, each with primer_span() before
 * them, rather than by ranges of places?  Where many places are searched for at
 * once, a few take almost as long.
 */
bool primer_by_text(const struct primer *p);

/*
 * An optional backend that looks for cores, e.g. a GPU: for the short engine,
 * which goes on with what is found.  A core is up to PRIMER_CORE_ROWS letters,
 * one a bit, the last one on top: in eq[s] it is set if the letter matches
 * symbol s.  Bits below the first letter are set in all.
 */
enum { PRIMER_CORE_ROWS = 32, PRIMER_CORE_SYMBOLS = 16, PRIMER_CORE_NEAR = 8 };
struct primer_core {
	uint32_t eq[PRIMER_CORE_SYMBOLS];
	uint32_t rows;		/* above k - 1 */
};
struct primer_find {
	const struct primer_core *core;
	size_t n_cores;		/* below 2^16 */
	const uint8_t *text;	/* symbols, below n_symbols */
	uint64_t n;		/* below 2^31 */
	unsigned n_symbols, k;
};
/*
 * The same for the engine of blocks, one core at a time: letters are classes, 1
 * to 16.  The core is the last of the rows; where it occurs, up to
 * PRIMER_LONG_MORE rows before it may, too.
 */
enum { PRIMER_LONG_ROWS = 1024, PRIMER_LONG_MORE = 31 };
struct primer_find_long {
	const uint8_t *letter;	/* the first of the rows */
	uint32_t rows, core;	/* core is k to PRIMER_LONG_ROWS */
	const uint8_t *text;	/* symbols, below n_symbols */
	uint64_t n;		/* below 2^31 */
	/* 0 at first; the backend's number of searches in this text, by which
	 * it knows it again.  Of one thread. */
	uint64_t *search;
	uint16_t holds[PRIMER_CORE_SYMBOLS];	/* symbol s matches class c if
						   it has bit c - 1 */
	unsigned n_symbols, k;
};
/* Numbers, core << 32 | at, or of a long core its stretches; in order. */
struct primer_found {
	uint64_t *v;
	size_t n, cap;
};
/* Letters [at, at + wide] of the text, with `more` rows before the core. */
struct primer_stretch {
	uint64_t at;
	unsigned wide, more;	/* below 32 */
};
static inline uint64_t
primer_stretch_put(const struct primer_stretch *x)
{
	return x->at << 10 | x->wide << 5 | x->more;
}
static inline struct primer_stretch
primer_stretch_get(uint64_t v)
{
	return (struct primer_stretch){ v >> 10, (unsigned)(v >> 5 & 31),
					(unsigned)(v & 31) };
}
enum { PRIMER_NOT_NOW = 1 };
struct primer_backend {
	/*
	 * Where a core occurs with fewer than k differences and `at` letters
	 * are read, 1 to n, either this is appended or one that is at most
	 * PRIMER_CORE_NEAR before; nothing else is.  What is appended may be as
	 * near to others.  PRIMER_NOT_NOW: nothing was appended, look yourself;
	 * below 0: an error.  Any thread.
	 */
	int (*find)(void *ctx, const struct primer_find *x,
		    struct primer_found *out, struct err *e);
	/* Will find() serve?  Then cores are made longer: less is found. */
	bool (*serves)(void *ctx);
	/*
	 * Reports the positions of the core's first letter where it occurs with
	 * fewer than k differences, as stretches of the text: at both ends of
	 * each it occurs, and nowhere outside of them.  A row before it that
	 * occurs with it there is reported with that stretch, or with one less
	 * than 32 letters away.  Otherwise as find(); or NULL.
	 */
	int (*find_long)(void *ctx, const struct primer_find_long *x,
			 struct primer_found *out, struct err *e);
	void *ctx;
	bool first;		/* asked even where pieces would serve */
};
/* Or NULL; must outlive searches.  While no search runs. */
void primer_set_backend(struct primer *p, const struct primer_backend *f);

/* Working memory of one thread, and what it counted. */
struct primer_work;
struct primer_stats {
	uint64_t columns;	/* of bit vectors' words, of scans */
	uint64_t checks;	/* the same, of what scans had found */
	uint64_t seeds;		/* of windows, found in texts */
	uint64_t blocks, plain;	/* scanned, and of them without a core as its
				   hits cost too much */
	uint64_t found;		/* places of cores reported by the backend */
	uint64_t reported;      /* blocks, of those, whose core it found */
};
int primer_work_new(struct primer_work **w, struct err *e);
void primer_work_free(struct primer_work *w);
const struct primer_stats *primer_work_stats(const struct primer_work *w);
/* Places that searches are done with, for many threads: tick() is called by
 * any, now and then.  A search counts what it is given, once. */
struct primer_meter {
	uint64_t done;			/* atomic */
	void (*tick)(void *ctx);	/* or NULL */
	void *ctx;
};
void primer_work_meter(struct primer_work *w, struct primer_meter *m);

/*
 * Raise the ends of places [from, to) by what occurs in n symbols.  Any number
 * of threads at a time, each with its own work: ends are only ever raised.
 * ERR_NOMEM; then some ends may have been raised, none too far.
 */
int primer_search(struct primer *p, const uint8_t *symbol, size_t n,
		  uint64_t from, uint64_t to, struct primer_work *w,
		  struct err *e);
/*
 * end() of each of a target's letters, relative to its begin.  While no search
 * runs.
 */
void primer_target_ends(const struct primer *p, size_t i, uint64_t *end);

#endif
