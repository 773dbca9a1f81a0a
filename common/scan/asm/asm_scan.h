/* SPDX-License-Identifier: MIT */
/* asm_scan.h - approximate matching over all operands */
#ifndef SEQF_SCAN_ASM_ASM_SCAN_H
#define SEQF_SCAN_ASM_ASM_SCAN_H

#include "base/base.h"
#include "flow/flow.h"
#include "input/input.h"
#include "kdiff/kdiff.h"
#include "output/output.h"
#include "rec/rec.h"
#include "scan/scan.h"

/*
 * Approximate matching over chunks: options and queries to a compiled
 * scan, a chunk to the bytes of its result frames
 *
 * Every pattern is searched in the forward text; for the minus strand its
 * reverse complement is, with all rules applied there.
 */

enum asm_report {
	ASM_DEFAULT,	/* minima; all with no_indels */
	ASM_MINIMA, ASM_ALL, ASM_BEST, ASM_COUNT,
};
enum asm_strands { ASM_AUTO, ASM_PLUS, ASM_MINUS, ASM_BOTH };

struct asm_options {
	const char *k;		/* "3", or "18.4%" of each pattern's length */
	enum asm_report report;
	enum kdiff_alphabet alphabet;
	enum asm_strands strands;	/* ASM_AUTO: both, + beside DNA */
	bool no_indels, iupac;
	bool no_cigar;		/* starts, but no CIGAR */
	bool ends;		/* neither */
	bool with_seq;
	/* Letters of a pattern's begin and end that must match. */
	int64_t exact_prefix, exact_suffix;
	/*
	 * Guides beside a PAM: IUPAC, several with commas; or NULL.  Not with
	 * a report, exact letters or overhangs.
	 */
	const char *pam;
	bool pam_before;	/* on the guide's 5' side */
	const char *score_table;	/* "mit" or a file; or NULL */
	struct kdiff_limits max;
	bool limited;		/* by max */
	/*
	 * Cost of a letter beyond a subject's ends, its begin, its end, "0" to
	 * "1", or NULL; the letters that do not hang over, and whether k, a
	 * percentage, is of them.
	 */
	const char *overhang, *overhang_start, *overhang_end;
	int64_t min_overlap;
	bool per_overlap;
	bool histogram;		/* numbers of what is reported, by distance */
	/*
	 * The best of each query, in text; 0: all.  The sink chooses; of a
	 * chunk's hits come only those that no max_hits others of it precede.
	 */
	int64_t max_hits;
	/* An option by which the sink chooses among all hits, before max_hits
	 * of them stay; or NULL. */
	const char *chooses;
	enum kdiff_engine engine;	/* changes nothing but the speed */
	/* Not of asm-scan, nor of the id.  k_fits: of a pattern that has no
	 * more letters than k, k is one less than its letters. */
	bool k_fits;
	const struct window_hide *hide;	/* flow.h; or NULL */
};

/* The words of --alphabet, -s, --report and --engine; NULL: the default. */
void asm_words(struct asm_options *o, const char *alphabet,
	       const char *strand, const char *report, const char *engine);
/* At most so many mismatches, letters of bulges, of these only the text's,
 * only the pattern's; below 0: any. */
void asm_limits(struct asm_options *o, const int64_t max[4]);
/* ERR_USAGE for a format that cannot hold what is asked for. */
int asm_fits_format(const struct asm_options *o, enum format f,
		struct err *e);
/*
 * Options for struct asm_search's `matched`; ERR_USAGE if any asks for rows, or
 * if one of the other n is not NULL: an option's name.
 */
int asm_only_records(struct asm_options *o, const char *const *other,
		     size_t n, struct err *e);

/* ERR_USAGE for a pattern, of -e, that is a fraction. */
int asm_refuse_rate(const struct opt_list *queries, struct err *e);

/* Compiled options and patterns.  Immutable: any number of threads. */
struct asm_scan;

/*
 * The queries must outlive it.  ERR_USAGE, naming the query, for k >= m, an
 * exact prefix or suffix longer than m or a letter outside of the alphabet,
 * and for options that do not go together.
 */
int asm_new(struct asm_scan **a, const struct asm_options *o,
	    const struct queries *q, struct err *e);
void asm_free(struct asm_scan *a);

/* -k in percent that is hardly meant, as a line for users. */
struct asm_odd {
	char text[300];
};
/* A -k that allows nearly all, or less than a limit on one kind. */
bool asm_odd_k(const struct asm_scan *a, struct asm_odd *odd);
/* A pattern that may overhang a sequence's end with all of its letters: every
 * sequence has a hit. */
bool asm_odd_overhang(const struct asm_scan *a, struct asm_odd *odd);

/* Of its results. */
const struct scan_key *asm_key(const struct asm_scan *a);
enum asm_report asm_report(const struct asm_scan *a);
uint64_t asm_context(const struct asm_scan *a);
/* Letters that a sequence has in which some query can be found. */
uint64_t asm_shortest(const struct asm_scan *a);
size_t asm_patterns(const struct asm_scan *a);	/* both strands' */

/* A line for users about PAMs that every letter is, or that guides hold; NULL:
 * none. */
const char *asm_odd_pam(const struct asm_scan *a);

/* Letters by which rows may be out of order (reorder.h; 0: they are not), and
 * letters that a row spans at most. */
void asm_order(const struct asm_scan *a, uint64_t *slack, uint64_t *longest);

/* -k: so many differences, or such a percentage of a pattern's letters. */
struct asm_k {
	struct decimal n;
	bool percent;
};
/* ERR_USAGE if the text is neither. */
int asm_k_read(struct asm_k *k, const char *text, struct err *e);
/* For a pattern of m letters, below 2^17; exact, rounded down. */
uint64_t asm_k_of(const struct asm_k *k, uint64_t m);

/* Approximate matching over all operands. */

/*
 * Search everything and finish the sink (scan_run.h); *n_letters: how many
 * letters were owned by what was searched.
 */
int asm_run(const struct scan_run *r, const struct asm_scan *scan,
	    uint64_t *n_letters, struct err *e);

#endif
