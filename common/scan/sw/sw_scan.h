/* SPDX-License-Identifier: MIT */
/*
 * sw_scan.h - local alignment over chunks: options and queries to a compiled
 * scan, a chunk to the rows that may be among the best of all
 *
 * Every query is aligned with the forward text; for the minus strand its
 * reverse complement is.
 */
#ifndef SEQF_SCAN_SW_SW_SCAN_H
#define SEQF_SCAN_SW_SW_SCAN_H

#include "input/input.h"
#include "output/output.h"
#include "scan/scan.h"
#include "scan/sw/sw_scoring.h"
#include "sw/sw.h"

enum sw_reading { SW_READ_ALIGNMENTS, SW_READ_CELLS, SW_READ_DISJOINT };
enum sw_strands { SW_AUTO_STRANDS, SW_PLUS, SW_MINUS, SW_BOTH };
enum { SW_MAX_BEST = 10000 };	/* of -n */

struct sw_options {
	enum sw_reading best;
	int64_t n;		/* of each query; 1 to SW_MAX_BEST */
	int64_t min_score;	/* 1 at least */
	enum sw_strands strands;	/* auto: both where there are two */
	struct sw_choice scoring;
	bool no_cigar, with_seq;
	const char *chooses;	/* the option by which the sink chooses among
				   the n, or NULL */
	enum sw_engine engine;	/* changes nothing but the speed */
};

/* The words of --kind, -s and --engine; NULL: the default. */
void sw_words(struct sw_options *o, const char *best, const char *strand,
	      const char *engine);
/* ERR_USAGE for a format that cannot hold what is asked for. */
int sw_fits_format(const struct sw_options *o, enum format f,
		struct err *e);

/* Compiled options and queries.  Immutable: any number of threads. */
struct sw_scan;
/*
 * The queries must outlive it.  ERR_USAGE, naming the query, for letters that
 * the scoring does not know, and for options that do not go together.
 */
int sw_scan_new(struct sw_scan **s, const struct sw_options *o,
		const struct queries *q, struct err *e);
void sw_scan_free(struct sw_scan *s);
/* Both strands' queries. */
size_t sw_scan_patterns(const struct sw_scan *s);
/* Their letters: cells of a letter of the text. */
uint64_t sw_scan_rows(const struct sw_scan *s);
/* No query has a higher score, in any text. */
int64_t sw_scan_most(const struct sw_scan *s);
/* Are the scores of unrelated sequences known to grow with the logarithm of
 * their length only? */
bool sw_scan_logarithmic(const struct sw_scan *s);

/*
 * Search everything and finish the sink (scan_run.h); *n_letters: how many
 * letters were owned by what was searched.
 */
int sw_scan_run(const struct scan_run *r, const struct sw_scan *s,
		uint64_t *n_letters, struct err *e);

#endif
