/* SPDX-License-Identifier: MIT */
/*
 * asm.h - what other folders may use of scan/asm/: a scan, its workers, scores
 * and GPU
 */
#ifndef SEQF_SCAN_ASM_ASM_H
#define SEQF_SCAN_ASM_ASM_H

#include "base/base.h"
#include "cuda/kdiff.h"
#include "flow/flow.h"
#include "input/input.h"
#include "kdiff/kdiff.h"
#include "output/output.h"
#include "rec/rec.h"
#include "scan/scan.h"

/*
 * How likely a site of a guide is cut
 *
 * By the formula of the MIT (Hsu et al., Nature Biotechnology 31, 827, 2013),
 * or by a table of factors, such as those of CFD (Doench et al., Nature
 * Biotechnology 34, 184, 2016), which are not part of this program.  Scores are
 * integers, so that sums of them do not depend on their order.
 */

/* Of --score-table.  Never changes: any number of threads. */
struct asm_score;

/* Not a file: mit. */
bool asm_score_is_name(const char *what);

/*
 * what: mit, or a file's name.  before: PAMs are on the guide's 5' side, which
 * mit does not know (ERR_USAGE).  ERR_IO; ERR_FORMAT, naming file and line.
 */
int asm_score_new(struct asm_score **s, const char *what, bool before,
		  struct err *e);
/* From a file's text. */
int asm_score_parse(struct asm_score **s, const char *name, struct str text,
		    bool before, struct err *e);
void asm_score_free(struct asm_score *s);

/* A line of the scan's text, of all that decides a score. */
void asm_score_text(const struct asm_score *s, struct buf *b);

struct asm_score_site {
	struct str guide;	/* without its PAM */
	struct str letters;	/* of guide and PAM; these along the forward */
	const uint32_t *ops;	/* text, as kdiff_pam_trace() gives them */
	size_t n_ops;
	unsigned pam;		/* letters of the PAM */
	bool minus;
};
/* 0 to OFFTARGET_ONE; false: the site has no score. */
bool asm_score_site(const struct asm_score *s, const struct asm_score_site *x,
		    uint64_t *score);

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
size_t asm_patterns(const struct asm_scan *a);	/* both strands' */

/* A line for users about PAMs that every letter is, or that guides hold; NULL:
 * none. */
const char *asm_odd_pam(const struct asm_scan *a);

/* Letters by which rows may be out of order (collect.h; 0: they are not), and
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
 * Search everything and finish the sink (scan.h); *n_letters: how many
 * letters were owned by what was searched.
 */
int asm_run(const struct scan_run *r, const struct asm_scan *scan,
	    uint64_t *n_letters, struct err *e);

/*
 * GPUs at work for an approximate search
 *
 * They find the ends of patterns of DNA with at most 64 letters; all else, and
 * whatever they cannot do or fail to do, is the CPU's.  Results are the same.
 */

struct asm_gpu_params {
	struct cuda_choice choice;
	unsigned threads;	/* that search */
	enum kdiff_dev_kernel kernel;
	uint32_t letters, hits;	/* struct cuda_kdiff_params */
	uint64_t launch;
};

/*
 * The set's backend: the set must not be used after it is freed.  CUDA_AUTO:
 * only for many patterns that an index does not serve, and once so much was
 * searched that a device should be worth waking up.  ERR_DEVICE, ERR_NOMEM.
 */
struct asm_gpu;
int asm_gpu_new(struct asm_gpu **g, struct kdiff_set *set,
		const struct asm_gpu_params *p, struct err *e);
void asm_gpu_free(struct asm_gpu *g);
struct cuda_pool *asm_gpu_pool(const struct asm_gpu *g);	/* or NULL */

/* A text, and what is found in it: all ends, for kdiff_text.found. */
struct asm_gpu_text {
	struct kdiff_text x;
	struct kdiff_hits found;	/* zero it first */
	bool is_found;		/* otherwise it is searched as if alone */
};
/* As scan_gpu_batch() says. */
void asm_gpu_batch(struct asm_gpu *g, struct asm_gpu_text **text, size_t n);

/* The same for a scan: before anything is searched, and when all is. */
int asm_use_gpu(struct asm_scan *a, const struct asm_gpu_params *p,
		struct err *e);
void asm_end_gpu(struct asm_scan *a, struct cuda_report *r);

/* Chunks to hits, by the threads of a scan. */

/* For whom: it must outlive the workers. */
struct asm_search {
	const struct asm_scan *a;
	struct scan_best *best;	/* of ASM_BEST: the rows are for
				   scan_best_add(); else NULL */
	/* Instead of frames a byte for each of a chunk's rows: 1 if an end
	 * that it owns is reported. */
	bool matched;
	/* Rows of chunks that were cut here are text, before the frames, then
	 * how many bytes they are: for sink_rows(). */
	bool prints;
	struct rows_print how;
};

/* For ASM_BEST: the rows with the least edits of each query. */
int asm_best_new(struct scan_best **b, const struct asm_scan *a,
		 struct err *e);

/* Threads as scan_workers_new() says. */
int asm_workers_new(struct scan_workers **m, struct asm_search *s,
		    unsigned threads, struct err *e);
extern const struct scan_search asm_search;

/* Records of FASTA and FASTQ with, or without, a match. */

struct asm_filter {
	/* What to do. */
	const struct asm_scan *scan;	/* ASM_ALL, ends only */
	bool invert;			/* those without a match */
	struct out *out;
	char **operand;			/* files; none: stdin */
	size_t n_operands;
	const char *circular;		/* of them (flow.h); or NULL */
	unsigned threads;
	void (*note)(const char *text);	/* what is odd */
	void (*progress)(struct feed_place at);	/* or NULL */
	/* What was done. */
	uint64_t n_letters;
	unsigned long long n_records, n_passed;
};

/*
 * Write the bytes of every record that is wanted, in order, as they are.
 * Errors of the feed (a record stream is ERR_FORMAT) and of the search.
 */
int asm_filter(struct asm_filter *f, struct err *e);

/* All that other folders may use of scan/asm/. */

#endif
