/* SPDX-License-Identifier: MIT */
/*
 * kdiff.h - approximate matching with at most k differences
 * Source: Myers, J. ACM 46(3), 1999 (bit vectors); Hyyro, 2003.  Here the
 * bits run along the text, many pieces of it side by side in SIMD lanes.
 *
 * Text T[1..n] of one segment, pattern P[1..m]: for every end j,
 * D(j) = min over i of d(P, T[i..j]), Levenshtein distance, D(0) = m
 * (with hamming: d is the number of mismatches over windows of m letters,
 * infinite for j < m).
 * 	KDIFF_ALL	every j >= 1 with D(j) <= k
 * 	KDIFF_MINIMA	take each maximal run of ends with equal D <= k; its
 * 			last end j is reported iff (D(j+1) > D(j) or j = n)
 * 			and (the value just before the run is larger or the
 * 			run is longer than m)
 * Results do not depend on the instruction set, nor on where a text was cut,
 * as long as kdiff_context() letters stand before the first reported end.
 */
#ifndef SEQF_KDIFF_KDIFF_H
#define SEQF_KDIFF_KDIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

enum kdiff_alphabet {
	KDIFF_DNA,	/* patterns: IUPAC sets, either case, U = T */
	KDIFF_PROTEIN,	/* letters, either case; each matches itself */
	KDIFF_BYTES,	/* every byte matches itself */
};
enum kdiff_report { KDIFF_ALL, KDIFF_MINIMA };
enum { KDIFF_MAX_PATTERN = 100000 };

struct kdiff_params {
	enum kdiff_alphabet alphabet;
	enum kdiff_report report;
	bool iupac;	/* DNA: text codes are sets; intersecting sets match.
			   Otherwise a text letter beside ACGT matches none */
	bool hamming;	/* substitutions only */
	/*
	 * Overhang: l pattern letters beyond a subject's begin (over[0]) or end
	 * (over[1]) cost floor(l * num / den), at most l; den = 0: none may
	 * be.  With one at the begin there is an end 0, too, and D of the
	 * subject's end is the least of all overhangs there.  An alignment
	 * counts if at least min_overlap of the pattern's letters (or all)
	 * do not hang over and, unless per_overlap.den = 0, its cost is at most
	 * floor(letters that do not hang over * per_overlap.num / .den), which
	 * for all letters is k.  Patterns have at most KDIFF_MAX_OVER letters;
	 * num, den <= 10^9.  Not with kdiff_set_exact().
	 */
	struct kdiff_ratio {
		uint64_t num, den;
	} over[2], per_overlap;
	uint32_t min_overlap;
};
enum { KDIFF_MAX_OVER = 4096 };

/* Limits on each kind of difference: see kdiff_limits_align(). */
struct kdiff_limits {	/* UINT32_MAX: none */
	uint32_t mismatches, bulges, dna, rna;
};
#define KDIFF_NO_LIMITS \
	((struct kdiff_limits){ UINT32_MAX, UINT32_MAX, UINT32_MAX, \
				UINT32_MAX })

static inline bool
kdiff_limited(const struct kdiff_limits *l)
{
	return (l->mismatches & l->bulges & l->dna & l->rna) != UINT32_MAX;
}

/* A set of compiled patterns.  Immutable while it is scanned with. */
struct kdiff_set;

/* 0 or ERR_NOMEM. */
int kdiff_set_new(struct kdiff_set **set, const struct kdiff_params *p,
		  struct err *e);
/*
 * Add a pattern of m letters, 1 <= m <= KDIFF_MAX_PATTERN, 0 <= k < m; its
 * number is the count of patterns before it.  One strand only: add a reverse
 * complement as a pattern of its own.  The letters are copied.
 * ERR_USAGE (the reason names the letter and its place, not the pattern) if a
 * letter is none of the alphabet or m or k is out of range; ERR_NOMEM.
 */
int kdiff_set_add(struct kdiff_set *set, const uint8_t *letters, size_t m,
		  size_t k, struct err *e);
/*
 * The pattern added last: D is the least distance over alignments whose first
 * `head` and last `tail` letters match, text letters side by side, with no gap
 * among them; infinite where there is none.  Between the head (if there is
 * one), the other letters and the tail text letters may be skipped.
 * ERR_USAGE if one of them is longer than the pattern; ERR_NOMEM.
 */
int kdiff_set_exact(struct kdiff_set *set, size_t head, size_t tail,
		    struct err *e);
/*
 * D is the least distance over alignments that keep these limits, too, and
 * infinite where there is none.  Not with overhangs; before the first scan.
 */
void kdiff_set_limits(struct kdiff_set *set, const struct kdiff_limits *max);
/*
 * The scan engine; results do not depend on it.  KDIFF_TEXT: bits along the
 * text, for one pattern after the other.  KDIFF_PATTERNS: an index gives the
 * places of the text where each pattern could match, and only these are
 * verified: for many patterns that are not too short for their k.
 * KDIFF_FILTER: samples of the text give the places, for long patterns, or
 * many, with few differences.  KDIFF_HALVES: words near a pattern's halves
 * give them, for many of 20 to 28 letters and 4 differences.  KDIFF_PREFIX: a
 * pattern's first rows give them, for long patterns.  What an engine
 * cannot take goes to another.  KDIFF_AUTO, the default of a new set, takes the
 * one expected to be fastest.
 */
enum kdiff_engine {
	KDIFF_AUTO, KDIFF_TEXT, KDIFF_PATTERNS, KDIFF_FILTER, KDIFF_HALVES,
	KDIFF_PREFIX,
};
void kdiff_set_engine(struct kdiff_set *set, enum kdiff_engine engine);

/* Letters that all texts may have together, before the first search; 0: they
 * are not known. */
void kdiff_set_expect(struct kdiff_set *set, uint64_t letters);
size_t kdiff_set_size(const struct kdiff_set *set);
const struct kdiff_params *kdiff_set_params(const struct kdiff_set *set);
void kdiff_set_free(struct kdiff_set *set);

/*
 * Letters that must precede the first reported end of a segment that is not
 * its sequence's beginning: the largest m + k, or 2m + k with minima.
 * (2m + k - 2 is not enough: P = a, T = at, k = 0, cut at 1.)
 */
uint64_t kdiff_context(const struct kdiff_set *set);

/* Letters between two segments: the largest k + 1, or + 2 with overhangs. */
uint64_t kdiff_gap(const struct kdiff_set *set);

/*
 * Segments lie one behind the other in a text and are searched apart: no
 * match crosses a border.  Each begins at a multiple of 64, and at least
 * kdiff_gap() letters after the end of the one before; what the gap holds is
 * never looked at.
 */
struct kdiff_seg {
	uint64_t beg, end;	/* its letters [beg, end), 0-based, in text */
	uint64_t from, to;	/* report ends e with from <= e <= to, where
				   e in (beg, end] counts the text's letters up
				   to and with the match's last one */
	bool first, last;	/* beg, end are its subject's: only looked at
				   for overhangs; an end e = beg counts then */
};

/*
 * A text.  DNA: planes (letters.h) of n letters, and exc, one bit a letter that
 * is not A C G T (NULL: none), and matches nothing; unless, with params.iupac,
 * there are sets, 4 words every 64 letters: bit i of word x = letter i's set
 * holds A, C, G, T for x = 0..3 (planes are then not read, exc is there).
 * Otherwise bytes.  Exactly
 * dna_words(n) words of planes (half of it of exc, twice of sets) and n bytes
 * may be read, not more.
 */
struct kdiff_text {
	uint64_t n;
	uint64_t whole;		/* letters of the text that this is a part of,
				   or 0: what pays for all pays for a part */
	const uint64_t *planes, *exc, *sets;
	const uint8_t *bytes;
	const struct kdiff_seg *seg;
	size_t n_seg;
	/*
	 * What the set's backend, asked before, has found in this text; or in
	 * one that holds it, letter 0 at found_at, and of each segment all that
	 * this one has of it, or more.  Or NULL.
	 */
	const struct kdiff_hits *found;
	uint64_t found_at;
};

struct kdiff_hit {
	uint64_t end;		/* letters of text up to and with the last */
	uint32_t dist;
	uint32_t pattern;
};

struct kdiff_hits {	/* zero it first; reused between scans */
	struct kdiff_hit *v;
	size_t n, cap;
};
void kdiff_hits_free(struct kdiff_hits *h);

/* Working memory of one thread; grows as needed. */
struct kdiff_work;
int kdiff_work_new(struct kdiff_work **w, struct err *e);
void kdiff_work_free(struct kdiff_work *w);

/*
 * All reported ends of all patterns, appended to hits in the order (end,
 * pattern).  Deterministic.  One thread a struct kdiff_work.  ERR_NOMEM.
 */
int kdiff_scan(const struct kdiff_set *set, const struct kdiff_text *text,
	       struct kdiff_work *w, struct kdiff_hits *hits, struct err *e);

/*
 * The same hits as they come, in parts; more are never in memory than those of
 * some 10^5 letters.  take() gets n > 0 of them, valid during the call, and
 * may trace them with w; what it returns below 0 ends the scan.
 */
typedef int kdiff_take_fn(void *ctx, const struct kdiff_hit *v, size_t n,
			  struct err *e);
int kdiff_each(const struct kdiff_set *set, const struct kdiff_text *text,
	       struct kdiff_work *w, kdiff_take_fn *take, void *ctx,
	       struct err *e);
/*
 * The same hits in no order, so that none waits for others: of all ends, or of
 * the minima of edit distances without overhangs and exact letters, more are
 * never in memory than those of one pattern in some 10^4 letters, or some 10^6
 * where another engine than KDIFF_TEXT found them.
 */
int kdiff_each_unordered(const struct kdiff_set *set,
			 const struct kdiff_text *text, struct kdiff_work *w,
			 kdiff_take_fn *take, void *ctx, struct err *e);

/*
 * An optional backend that finds ends, e.g. a GPU; DNA only.  find() appends
 * all ends with D <= k in every segment, those that are not to be reported too,
 * in the order (end, pattern), of all patterns but rest[0 .. n_rest), which are
 * searched here.  KDIFF_NOT_NOW: nothing was appended, search this text
 * without; below 0: an error.  Any thread.
 */
enum { KDIFF_NOT_NOW = 1 };
struct kdiff_backend {
	int (*find)(void *ctx, const struct kdiff_text *text,
		    struct kdiff_hits *out, struct err *e);
	void *ctx;
	const uint32_t *rest;	/* in order */
	size_t n_rest;
	bool first;		/* asked even where a filter would serve */
};
/* Or NULL; a set of DNA, and its patterns stay as they are from now on. */
void kdiff_set_backend(struct kdiff_set *set, const struct kdiff_backend *f);

/* What a backend has to know of a pattern. */
struct kdiff_masks {
	uint32_t m, k;
	/* k + 1 pieces of so many letters A C G T are in it: what an index
	 * would look for. */
	unsigned piece;
	/* Bit i of eq[x]: letter i matches A, C, G, T for x = 0..3. */
	uint64_t eq[4];
};
/* False: it has more than 64 letters, or the alphabet is not DNA. */
bool kdiff_set_masks(const struct kdiff_set *set, size_t pattern,
		     struct kdiff_masks *x);

/* Start and CIGAR of a hit. */
struct kdiff_path {
	uint64_t beg;		/* the match is [beg, end) of the text */
	size_t ops, n_ops;	/* ops[ops .. ops + n_ops) of the buffer */
	/* Overhangs: pattern letters before the subject's begin, and behind
	 * its end; S in ops, which is one S if nothing else is there. */
	uint32_t left, right;
};

/*
 * Traceback of hits[0..n) by the fixed rule: from the end, prefer = or X, then
 * D, then I; stop when the pattern is used up.  paths[i] belongs to hits[i];
 * the operations (letters.h) are appended to ops as native uint32_t, maybe with
 * gaps between those of two hits.
 * Time O((m + d) (d / 32 + 1)) words a hit, d its distance.  ERR_NOMEM.
 */
int kdiff_trace(const struct kdiff_set *set, const struct kdiff_text *text,
		struct kdiff_work *w, const struct kdiff_hit *hits, size_t n,
		struct kdiff_path *paths, struct buf *ops, struct err *e);

/*
 * Alignments with limits on each kind of difference
 *
 * A pattern of m letters and the n text letters that may stand beside its
 * first one, both read from there.  An alignment uses all pattern letters and
 * begins with the text's first letter or with text letters that it skips; it
 * ends when the pattern is used up.  Mismatches, skipped text letters ("dna")
 * and skipped pattern letters ("rna") each have a limit, the last two together
 * ("bulges") too.
 */

/* Letters in reading order, as sets (letters.h; 0 matches nothing) or bytes. */
struct kdiff_limits_job {
	struct kdiff_limits max;
	const uint8_t *pattern, *text;
	uint32_t m, n;
	uint32_t least, k;	/* differences: from, to */
	bool sets;		/* else letters match that are equal */
	/* So many first and last pattern letters must match, text letters
	 * side by side; before the last ones others may be skipped. */
	uint32_t fixed_first, fixed_last;
};
/* Working memory of one thread; zero it first. */
struct kdiff_limits_work {
	uint8_t *op;	/* CIGAR_*, one a step, in reading order */
	size_t n, op_cap;
	uint64_t *dead;
	size_t dead_cap;
};
void kdiff_limits_free(struct kdiff_limits_work *w);

/*
 * The least number of differences, `least` to k, with which the limits hold,
 * in *dist; k + 1 if there is none.  w->op[0 .. w->n) is the first alignment
 * with that many, where = or X comes before D, and D before I.
 * Time and bits of memory O(m times the ways to share k among the three
 * kinds).  ERR_NOMEM; ERR_LIMIT if these are above 2^33.
 */
int kdiff_limits_align(const struct kdiff_limits_job *j,
		       struct kdiff_limits_work *w, uint32_t *dist,
		       struct err *e);

/*
 * Sites of CRISPR guides beside a PAM
 *
 * A guide g of m letters, a PAM p of l letters, S the sequence on one strand,
 * read 5' to 3'.  A PAM behind the guide: a site is an edge a where S[a..a+l)
 * matches p, and D(a) = min over i <= a of d(g, S[i..a)).  A PAM before it: an
 * edge a where S[a-l..a) does, and D(a) = min over j >= a of d(g, S[a..j)).
 * Every site with D(a) <= k is found once, for each guide and strand.  An edge
 * that several PAMs match is one site, of the first of them.  With limits on
 * each kind of difference, D(a) is the least over alignments that keep them.
 *
 * Where the guide lies before the PAM in the forward text ("left" of the edge:
 * a PAM behind it on +, before it on -), a site is found by the segment that
 * has edge + L in [from, to], L the letters of the longest PAM; where it lies
 * behind, by the one that has edge + m + k there.  A subject's last segment
 * finds the sites for which these are beyond its end, too.  So each site is
 * found by one of the segments that share a sequence, and no letter behind a
 * segment's `to` is needed.
 */

enum { KDIFF_MAX_PAM = 32, KDIFF_MAX_PAMS = 16 };

struct kdiff_pam_params {
	const char *const *pam;	/* IUPAC, each of 1 to KDIFF_MAX_PAM letters */
	size_t n_pams;		/* 1 to KDIFF_MAX_PAMS; 0: every place is one,
				   on one strand */
	bool before;		/* PAMs are on the guide's 5' side */
	bool iupac;		/* as in kdiff_params */
	bool plus, minus;	/* strands */
	struct kdiff_limits max;
};

/* Guides that were added.  Shared by the threads that search with it. */
struct kdiff_pam;

/* 0; ERR_USAGE: a PAM has no letters, too many or one that is not IUPAC;
 * ERR_NOMEM. */
int kdiff_pam_new(struct kdiff_pam **g, const struct kdiff_pam_params *p,
		  struct err *e);
/* As kdiff_set_add(). */
int kdiff_pam_add(struct kdiff_pam *g, const uint8_t *letters, size_t m,
		  size_t k, struct err *e);
/* Letters that all texts may have together, before the first search; if they
 * are not known, tables are made only when searches without them took as long.
 */
void kdiff_pam_expect(struct kdiff_pam *g, uint64_t letters);
void kdiff_pam_free(struct kdiff_pam *g);

/* Letters of a PAM, by the order in which they were given. */
unsigned kdiff_pam_letters(const struct kdiff_pam *g, unsigned pam);

/* Letters that must precede `from` in a segment that is not its sequence's
 * beginning: the largest m + k, and L. */
uint64_t kdiff_pam_context(const struct kdiff_pam *g);
/* Letters between two segments. */
uint64_t kdiff_pam_gap(const struct kdiff_pam *g);

struct kdiff_site {
	uint64_t edge;		/* letters of text before it */
	uint32_t guide, dist;
	uint32_t lo, hi;	/* outward letters, if `whole`; for tracing */
	uint8_t pam;		/* which one */
	bool minus, whole;
};

/* Working memory of one thread; grows as needed. */
struct kdiff_pam_work;
int kdiff_pam_work_new(struct kdiff_pam_work **w, struct err *e);
void kdiff_pam_work_free(struct kdiff_pam_work *w);

/*
 * All sites in a text, in no order, some thousands at a time; take() gets
 * n > 0 of them, valid during the call, and may trace them with w; what it
 * returns below 0 ends the search.  ERR_NOMEM, ERR_LIMIT.
 */
typedef int kdiff_site_fn(void *ctx, const struct kdiff_site *v, size_t n,
			  struct err *e);
int kdiff_pam_each(struct kdiff_pam *g, const struct kdiff_text *text,
		   struct kdiff_pam_work *w, kdiff_site_fn *take, void *ctx,
		   struct err *e);

/* A site with its PAM: letters [beg, end) of the text. */
struct kdiff_site_path {
	uint64_t beg, end;
	size_t ops, n_ops;	/* ops[ops .. ops + n_ops) of the buffer */
};
/*
 * The alignments of sites: followed from the PAM outwards, = or X before D
 * before I, until the guide is used up; of those with D differences that keep
 * the limits the first.  Operations run along the forward text, the PAM's
 * letters are =; they are appended to ops as native uint32_t.
 */
int kdiff_pam_trace(struct kdiff_pam *g, const struct kdiff_text *text,
		    struct kdiff_pam_work *w, const struct kdiff_site *v,
		    size_t n, struct kdiff_site_path *paths, struct buf *ops,
		    struct err *e);

#endif
