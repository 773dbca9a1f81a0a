/* SPDX-License-Identifier: MIT */
/*
 * ebwt.h - the extended Burrows-Wheeler transform of a multiset of words, and
 * exact distances by it
 * Sources: Mantaci, Restivo, Rosone and Sciortino, An extension of the
 * Burrows-Wheeler transform, 2007 (transform, omega-order, delta); Yang, Zhang
 * and Wang, 2010 (the similarity distribution: dm, de); Pandey, Niyogi and
 * Mittal (all pairs, weighted words).
 *
 * Words are circular.  u is before v in omega-order if uuu... < vvv...; letters
 * are bytes of any value and compare as numbers (fold case and U = T before).
 * Either is decided within |u| + |v| - gcd(|u|, |v|) letters.
 *
 * All rotations of all words, each as often as it is there, are listed by
 * (omega-order, word, offset).  Rows tie if their omega-powers are equal: that
 * happens between words whose roots are conjugate, and within a power.
 */
#ifndef SEQF_EBWT_EBWT_H
#define SEQF_EBWT_EBWT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

struct ebwt_word {
	const uint8_t *letters;	/* the caller's, until ebwt_delete() */
	uint64_t n;		/* at least 1 */
};
/* Of one word; and of all together, where some 2^32 anchors are the bound, of
 * which DNA has one in nine letters, and long runs one a letter. */
#define EBWT_MAX_WORD ((1ull << 32) - 2)
#define EBWT_MAX_LETTERS (1ull << 40)

/* How rotations are sorted; the order is the same. */
enum ebwt_engine {
	EBWT_AUTO,	/* whatever is the fastest */
	EBWT_PLAIN,	/* comparisons: the reference */
	EBWT_ANCHORS,	/* by anchors, as integers */
};

/*
 * What a backend, e.g. a GPU, may sort and count: rotations of roots, of which
 * no two are the same.  Class c has letters [base[c], base[c + 1]) of `code`,
 * numbers of `bits` bits, 1 to 8.
 */
struct ebwt_job {
	const uint8_t *code;
	const uint32_t *base;
	uint32_t n, n_classes;	/* n below 2^31 */
	unsigned bits;
	/* Wanted, or NULL: rotations by omega-order, as places of their first
	 * letters. */
	uint32_t *order;
	/*
	 * Wanted, or NULL: each class's first and last row, from 1; and for
	 * pairs of a row's class and a column's, how many rows of the former
	 * are behind one of the latter that is behind their last before.  Cell
	 * row * n_columns + column, or, in a triangle, where the column is
	 * below the row, row * (row - 1) / 2 + column.
	 */
	uint32_t *first, *last, *begins;
	uint64_t n_cells;
	const uint32_t *row_of;		/* by class, or EBWT_NONE */
	const uint32_t *class_of_column;
	uint32_t n_columns;
	bool triangle;
};
#define EBWT_NONE UINT32_MAX
enum { EBWT_NOT_NOW = 1 };
struct ebwt_backend {
	/* Is it worth preparing a job of so many letters? */
	bool (*wants)(void *ctx, uint64_t letters);
	/* EBWT_NOT_NOW: do it yourself; below 0: an error. */
	int (*run)(void *ctx, const struct ebwt_job *j, struct err *e);
	void *ctx;
};

enum ebwt_bundling { EBWT_BUNDLES_AUTO, EBWT_BUNDLES, EBWT_NO_BUNDLES };

struct ebwt_params {
	enum ebwt_engine engine;
	const struct ebwt_backend *backend;	/* or NULL; not with `memory` */
	unsigned threads;	/* a call starts so many, at least 1 */
	/*
	 * Bytes that the set and a call with it take at most; 0: no bound.
	 * The words' letters and what the caller's functions take come on top.
	 */
	uint64_t memory;
	/*
	 * Called now and then by the calling thread, with the rows done and all
	 * rows.
	 */
	void (*progress)(void *arg, uint64_t done, uint64_t of);
	void *progress_arg;
	/* For tests; 0: as it should be. */
	unsigned key_bits;	/* of EBWT_ANCHORS: 16 to 48 */
	unsigned least_part;	/* rotations that are worth a thread */
	unsigned batch;		/* rotations in memory at a time, at least */
	uint32_t most;		/* anchors, or rows that are counted in 32 bits:
				   2^32 - 1 */
	uint64_t origin;	/* the number of the first rotation */
	bool bands;		/* of few words, too, where they will do */
	enum ebwt_bundling bundles;	/* of words that are nearly alike */
};

/* A multiset of words, made ready: roots, and which are conjugate. */
struct ebwt;

/*
 * Words are numbered as given, from 0.  ERR_USAGE for a word without letters,
 * no words or no threads; ERR_LIMIT for more than EBWT_MAX_LETTERS, a word of
 * more than EBWT_MAX_WORD, 2^32 - 2 words, or if `memory` is too small, with
 * the figure that is needed; ERR_NOMEM.  The descriptors are copied, letters
 * are not.
 */
int ebwt_new(struct ebwt **x, const struct ebwt_word *word, size_t n_words,
	     const struct ebwt_params *par, struct err *e);
void ebwt_delete(struct ebwt *x);
/* Are the roots of words i and j conjugate? */
bool ebwt_conjugate(const struct ebwt *x, size_t i, size_t j);
/*
 * From now on distances are of n colours, multisets of words: of[i] is word
 * i's.  Rows are those of all words of two colours; tied ones are in the order
 * that gives the least delta, over all orders of all ties together.  Once, and
 * before anything else.  ERR_USAGE for a colour without words; ERR_LIMIT for
 * one of more than EBWT_MAX_WORD letters, or if `memory` is too small.
 */
int ebwt_colours(struct ebwt *x, const uint32_t *of, size_t n, struct err *e);

/*
 * A set is used by one call at a time; each call uses par.threads threads, and
 * its outcome does not depend on their number, the memory, or the instruction
 * set.  The functions below are called by the calling thread, in order.
 */

/* A row of the listing. */
struct ebwt_row {
	uint32_t word;		/* M_gamma */
	uint32_t offset;	/* of the rotation; M_chi is offset == 0 */
	uint8_t last;		/* M_L: the letter before the offset */
	bool tied;		/* with the row before */
};
typedef int ebwt_rows_fn(void *arg, const struct ebwt_row *row, size_t n,
			 struct err *e);
/*
 * The listing, in blocks of rows in order.  ERR_NOMEM; ERR_LIMIT if `memory` is
 * too small, with the figure; or what fn returned, if not 0.
 */
int ebwt_list(struct ebwt *x, ebwt_rows_fn *fn, void *arg, struct err *e);

/*
 * The words of a multiset from its M_L and M_chi (0 or 1, n each).  The words
 * come in the order of their least rotations, ties by word; one of length m at
 * a time, letters valid during the call only.  Listing these words gives
 * M_L and M_chi again.  ERR_FORMAT if no multiset has these, before the first
 * word is given; ERR_LIMIT for n above EBWT_MAX_WORD; ERR_NOMEM; or what fn
 * returned.  Memory 6 bytes a letter.  Thread-safe.
 */
typedef int ebwt_word_fn(void *arg, const uint8_t *letters, uint64_t m,
			 struct err *e);
int ebwt_restore(const uint8_t *last, const uint8_t *chi, uint64_t n,
		 ebwt_word_fn *fn, void *arg, struct err *e);

/*
 * Distances of two words u, v.  Take the colours of the rows of {u, v} and cut
 * them into runs: delta = |u| + |v| - runs.  If the roots are conjugate, all
 * rows tie: then the order with the most runs counts, one run of ||u| - |v||
 * and the others of 1, so that delta = max(0, ||u| - |v|| - 1).  Symmetric,
 * not changed by rotation of a word, 0 for conjugates; not a metric.
 */
enum ebwt_metric_from {
	EBWT_LINEAR,	/* linear in delta: sums over gaps are enough */
	EBWT_FROM_DELTA,	/* by delta and the lengths of the words */
	EBWT_FROM_RUNS,	/* by the entropy of the runs' lengths */
};

/*
 * All metrics.  Options, help, results and computation follow from this table:
 * a metric more is a line here and its function in ebwt_pairs.c, if it follows
 * from delta; from the lengths of runs only the entropy is computed.
 *
 * delta: an integer, 0 to |u| + |v| - 2.  norm: 0 for 0 / 0.  dm: the mean
 * length of a run, less 1.  scaled: 0 for the least delta that words of these
 * lengths have, 1 for what words have on the average whose rows are in random
 * order; 0 for 0 / 0.  subs: see ebwt_pairs.c.  de: in bits, - sum of
 * p log2 p, p the fraction of runs that have a length.
 */
#define EBWT_METRICS(row) \
	row(EBWT_DELTA, "delta", EBWT_LINEAR, value_delta, \
	    "|u| + |v| - runs") \
	row(EBWT_NORM, "norm", EBWT_LINEAR, value_norm, \
	    "delta / (|u| + |v| - 2)") \
	row(EBWT_DM, "dm", EBWT_FROM_DELTA, value_dm, \
	    "delta / runs") \
	row(EBWT_SCALED, "scaled", EBWT_FROM_DELTA, value_scaled, \
	    "delta from the least, 0, to that of unrelated words, 1") \
	row(EBWT_SUBS, "subs", EBWT_FROM_DELTA, value_subs, \
	    "substitutions a site, estimated by that") \
	row(EBWT_DE, "de", EBWT_FROM_RUNS, NULL, \
	    "entropy of the runs' lengths, in bits")

#define EBWT_METRIC_ID(id, name, from, value, text) id,
enum ebwt_metric { EBWT_METRICS(EBWT_METRIC_ID) };
#define EBWT_METRIC_ONE(id, name, from, value, text) + 1
enum { EBWT_N_METRICS = 0 EBWT_METRICS(EBWT_METRIC_ONE) };

/* "delta|norm|...", and "; delta: ...; norm: ...", for tables of options. */
#define EBWT_METRIC_CHOICE(id, name, from, value, text) "|" name
#define EBWT_METRIC_CHOICES (&(EBWT_METRICS(EBWT_METRIC_CHOICE))[1])
#define EBWT_METRIC_MEANING(id, name, from, value, text) "; " name ": " text
#define EBWT_METRIC_MEANINGS EBWT_METRICS(EBWT_METRIC_MEANING)

struct ebwt_metric_row {
	const char *name;	/* as in results */
	enum ebwt_metric_from from;
	/* NULL of EBWT_FROM_RUNS; u, v: the lengths */
	double (*value)(uint64_t u, uint64_t v, uint64_t delta);
};
extern const struct ebwt_metric_row ebwt_metrics[EBWT_N_METRICS];

/* ERR_USAGE: there is no metric of that name. */
int ebwt_metric_of(const char *name, enum ebwt_metric *metric, struct err *e);

static inline bool
ebwt_is_linear(enum ebwt_metric metric)
{
	return ebwt_metrics[metric].from == EBWT_LINEAR;
}

static inline bool
ebwt_is_entropy(enum ebwt_metric metric)
{
	return ebwt_metrics[metric].from == EBWT_FROM_RUNS;
}

/* The distances of pairs of words. */
struct ebwt_pairs;
struct ebwt_pairs_job {
	/*
	 * 0: all pairs.  Else the first so many words, or colours, are queries,
	 * and the pairs are (query, one of the others).
	 */
	size_t n_queries;
	bool entropy;		/* of metrics EBWT_FROM_RUNS, too; not of
				   colours */
	bool nearest;		/* some of each word are wanted: bands will
				   do, but not of colours */
};
/*
 * What a job takes besides the letters: `least` with a bound on memory, `most`
 * without one; by a sample of the words, within some percent unless they are of
 * very different kinds.  Nothing is allocated.
 * Without a job (NULL), for a listing.
 */
struct ebwt_need {
	uint64_t least, most;	/* bytes */
	double ns;		/* of one processor, roughly; 0: not known */
	double pairs;
};
struct ebwt_need ebwt_need(const struct ebwt *x,
			   const struct ebwt_pairs_job *job);
/*
 * ERR_LIMIT before any work if `memory` is too small, with the figure;
 * ERR_USAGE if n_queries is not below the number of words, or 0 and there are
 * fewer than 1; ERR_NOMEM.  The set may be deleted before the pairs.
 */
int ebwt_pairs_new(struct ebwt_pairs **p, struct ebwt *x,
		   const struct ebwt_pairs_job *job, struct err *e);
void ebwt_pairs_delete(struct ebwt_pairs *p);
/*
 * Of words, or colours, i and j (with queries: one of each side, in either
 * order; the same one: 0).  Thread-safe.
 */
uint64_t ebwt_delta(const struct ebwt_pairs *p, size_t i, size_t j);
double ebwt_distance(const struct ebwt_pairs *p, enum ebwt_metric metric,
		     size_t i, size_t j);

/*
 * The same distances, of some words at a time, where a table of all pairs would
 * be large: is it, and are bands enough?  Then ebwt_need() is of them.
 */
bool ebwt_in_bands(const struct ebwt *x, const struct ebwt_pairs_job *job);
/*
 * Rows are word[beg] to word[end - 1], columns word[0] and so on: in a triangle
 * up to the one before the row's.  Every pair is in one band, once.  With
 * queries, other pairs are there, too, without a distance.
 */
struct ebwt_band {
	const struct ebwt *x;
	const struct ebwt_pairs *pairs;
	const double *entropy;
	const uint32_t *word;
	size_t beg, end, n_queries;
	bool triangle;
};
/* Of a row and columns [beg, end), during the call.  Thread-safe. */
void ebwt_band_row(const struct ebwt_band *b, enum ebwt_metric metric,
		   size_t row, size_t beg, size_t end, double *to);
typedef void ebwt_band_fn(void *arg, const struct ebwt_band *b);
/* Errors as of ebwt_pairs_new().  Entropies: of metrics EBWT_FROM_RUNS alone,
 * if the job has them. */
int ebwt_bands(struct ebwt *x, const struct ebwt_pairs_job *job,
	       ebwt_band_fn *fn, void *arg, struct err *e);

/* Of a pair of which delta is known, not EBWT_FROM_RUNS; u, v: the lengths. */
static inline double
ebwt_measure(enum ebwt_metric metric, uint64_t u, uint64_t v, uint64_t delta)
{
	return ebwt_metrics[metric].value(u, v, delta);
}
/* delta of words of these lengths whose roots are conjugate. */
uint64_t ebwt_delta_tied(uint64_t u, uint64_t v);

#endif
