/* SPDX-License-Identifier: MIT */
/*
 * primer.h - k-difference primers over chunks: options and targets to a
 * compiled scan, the chunks of a background to ends, those to PRIMER frames
 *
 * Ends of each run are kept by themselves (primer/primer.h), and only raised:
 * so chunks may be searched in any order, by any number of threads, and twice.
 * What becomes of ends, up to text, collect/collect.h says.
 */
#ifndef SEQF_SCAN_PRIMER_PRIMER_H
#define SEQF_SCAN_PRIMER_PRIMER_H

#include "collect/collect.h"
#include "cuda/paper_primer.h"
#include "cuda/primer.h"
#include "input/input.h"
#include "output/output.h"
#include "pcr/pcr.h"
#include "primer/paper/primer_paper.h"
#include "scan/scan.h"

enum primer_sides {
	PRIMER_AUTO_SIDES, PRIMER_PLUS, PRIMER_MINUS, PRIMER_BOTH,
};

enum { PRIMER_LONGEST = 1 << 30 };	/* of lengths in options */

struct primer_options {
	int64_t k;			/* 0: was not given */
	int64_t min_len, max_len;	/* 0: none */
	const char *three_prime;	/* LEN:K, or NULL */
	/* Of the last stage (collect/collect.h); texts are decimals. */
	const char *gc, *tm;		/* LO-HI, or NULL */
	const char *monovalent, *divalent, *dntp, *dna;	/* or NULL */
	int64_t max_homopolymer;	/* 0: any */
	bool fit;			/* lengthens what these leave out */
	enum primer_alphabet alphabet;
	enum primer_sides primers;	/* of the target; auto: + */
	enum primer_sides strands;	/* of the background; auto: both where
					   there are two */
	enum primer_engine engine;	/* changes nothing but the speed */
	/* The source's algorithms instead; nor does that. */
	bool paper;			/* by the CPU */
	bool paper_gpu;			/* by a GPU, if there is one */
	enum primer_paper_method method;
	const char *paper_opts;		/* of 1 to 6 and names some, all or
					   none; NULL: all */
	const char *parallel;		/* coarse, fine or both; NULL: coarse */
	const char *self;		/* primer_scan_priv.h; or NULL */
};

/* The words of --alphabet, --primers, -s, --engine and --algorithm; NULL: the
 * default. */
void primer_words(struct primer_options *o, const char *alphabet,
		  const char *primers, const char *strand,
		  const char *engine, const char *algorithm);

/* Compiled options and targets.  Immutable: any number of threads. */
struct primer_scan;
/*
 * The queries, which are the targets, must outlive it.  ERR_USAGE for options
 * that do not go together, and for a target's letter that is no DNA, naming
 * it.
 */
int primer_scan_new(struct primer_scan **s, const struct primer_options *o,
		    const struct queries *q, struct err *e);
void primer_scan_free(struct primer_scan *s);

/* As primer_by_text() has it. */
bool primer_scan_by_text(const struct primer_scan *s);

struct primer_scan_stats {
	uint64_t letters;	/* owned by what was searched */
	uint64_t starts;	/* letters of all targets, on each strand of
				   them that is searched */
	struct primer_stats search;
	struct primer_paper_stats paper;
};
/*
 * What of a background is the nearest to each primer: a second pass over it,
 * with the primers as patterns of an approximate search.
 *
 * The least distance counts, and of its places the first one by run, subject,
 * end and strand (+ first).  A primer none of whose letters is in the
 * background has no site: its distance is its length, to nothing.
 */
struct primer_sites;
/*
 * Both must outlive it.  ERR_USAGE if the operands cannot be read twice, for
 * another format than tsv and json, and for --alphabet=literal.
 */
int primer_sites_new(struct primer_sites **s, const struct scan_run *r,
		     const struct primer_scan *scan, enum format format,
		     struct err *e);
void primer_sites_free(struct primer_sites *s);
/* struct sink_params' sites(); ctx is a struct primer_sites, to which the
 * primers refer from then on. */
int primer_sites_find(void *ctx, struct primers *p, struct err *e);

/* Search everything and finish the sink (scan.h); sites: or NULL. */
int primer_scan_run(const struct scan_run *r, const struct primer_scan *s,
		    struct primer_sites *sites,
		    struct primer_scan_stats *stats, struct err *e);

/*
 * Primers that are given, instead of targets (--check): which places of a
 * background are near each, by one search as asm-scan's, with IUPAC codes of
 * the background, but no N.
 *
 * Places are asm-scan's hits with at most k differences, k one less than the
 * primer's letters at most.  The nearest one has the fewest; of equal ones it
 * is the first by sequence, end and strand (+ first), of several runs the one
 * that came first.  A primer fails if it has fewer than k differences from a
 * place, or fewer than k letters.
 */
struct primer_check;
/* Of options: k, strands, self and salts.  files: its pairs are the primers,
 * with letters for a BED without them.  ERR_USAGE naming file and line. */
int primer_check_new(struct primer_check **c, const struct primer_options *o,
		     const struct pcr_files *files,
		     const struct opt_list *letters, struct err *e);
void primer_check_free(struct primer_check *c);
size_t primer_check_primers(const struct primer_check *c);
/* struct sink_params' hit(); ctx is a struct primer_check. */
int primer_check_hit(void *ctx, const struct run_key *run,
		     const struct scan_key *scan, const struct hit *h,
		     struct err *e);
/* Search everything and finish the sink, as asm_run(). */
int primer_check_run(struct primer_check *c, const struct scan_run *r,
		     struct cuda_choice gpu, struct cuda_report *report,
		     uint64_t *n_letters, struct err *e);
/* All rows, once the sink's verdict is that everything was searched. */
int primer_check_write(const struct primer_check *c,
		       const struct printer_params *pp, struct out *out,
		       struct err *e);

/*
 * Primers of one target joined into pairs (--product-size; the definition is
 * in seqfilters-primers(7)): of each target the n best, by penalty, begin and
 * end of the product.  A forward primer's pairs are those of its window: time
 * is O(primers x primers in a window), and an alignment for each that would be
 * among the best; memory is that of one target's primers.
 */
struct primer_pairs_params {
	const char *product_size;	/* MIN-MAX */
	/* Decimals, or NULL: 100, 8, 3, 60. */
	const char *max_diff_tm, *max_compl_any, *max_compl_end, *opt_tm;
	int64_t opt_size, n;		/* 0: 20, 5 */
	enum format format;		/* tsv, json or boulder */
	bool header;
	void (*note)(int level, const char *fmt, ...);
};
struct primer_pairs;
/* The scan and out must outlive it.  ERR_USAGE. */
int primer_pairs_new(struct primer_pairs **x,
		     const struct primer_pairs_params *p,
		     const struct primer_options *o,
		     const struct primer_scan *scan, struct out *to,
		     struct err *e);
void primer_pairs_free(struct primer_pairs *x);
/* struct sink_params' take(); ctx is a struct primer_pairs. */
int primer_pairs_take(void *ctx, struct primers *p, struct err *e);
/*
 * Complementarity of a, 5' to 3', and b, 5' to 3', letters A C G T: the best
 * local alignment of a and b's reverse complement, a pair of equal letters 1,
 * of others -1, a gap of one letter -2, longer ones not allowed.  end: of the
 * alignments with a's last letter that begin with the first letter of a or of
 * b's reverse complement; 0 if all are below it.  (primer3's dpal, local, and
 * global at the end.)  cells: 3 (m + 2).
 */
int64_t primer_pairs_align(const uint8_t *a, size_t n, const uint8_t *b,
			   size_t m, bool end, int64_t *cells);

/*
 * GPUs at work for primers: they find cores, those of windows of up to 63
 * letters (the short engine) and those of blocks, or do all of the work by the
 * source's algorithms; all else, and whatever they cannot do or fail to do, is
 * the CPU's.  Results are the same.
 */
struct primer_gpu_params {
	struct cuda_choice choice;
	unsigned threads;			/* that search */
	struct paper_primer_dev_how how;	/* the source's algorithms */
};

/*
 * Before anything is searched.  CUDA_AUTO: only for many cores at a time, and
 * once so much was searched that a device should be worth waking up; the
 * source's algorithms, at once.  ERR_DEVICE, ERR_NOMEM.
 */
int primer_use_gpu(struct primer_scan *s, const struct primer_gpu_params *p,
		   struct err *e);
/* When all is. */
void primer_end_gpu(struct primer_scan *s, struct cuda_report *r);

#endif
