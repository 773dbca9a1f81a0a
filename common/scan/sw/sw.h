/* SPDX-License-Identifier: MIT */
/* sw.h - what other folders may use of scan/sw/: scoring, a scan, its GPU */
#ifndef SEQF_SCAN_SW_SW_H
#define SEQF_SCAN_SW_SW_H

#include "cuda/sw.h"
#include "input/input.h"
#include "output/output.h"
#include "scan/scan.h"
#include "sw/sw.h"

/*
 * What options say of scores, as tables for sw.h
 *
 * DNA: a match and a mismatch; A C G T (U) in either case are codes 0 to 3,
 * every other IUPAC letter is code 4: a mismatch with all, itself included.
 *
 * Matrix: one that is built in, or a file in NCBI's format: lines from # on are
 * comments; a line of symbols, one character each, that names the columns
 * (subject); then a line for each symbol (query), in any order: it, and a whole
 * number for each column.  Symbols are printable ASCII but #; up to 64.  If no
 * letter is there in both cases, case does not matter; else it does, for all.
 * The symbol * stands for what is no symbol, too (with fewer than 64 symbols);
 * without it such a letter is not in the alphabet.
 */

enum { SW_UNSET = -1 };

struct sw_choice {
	const char *preset;	/* NULL: none; see SW_PRESETS */
	const char *matrix;	/* NULL: DNA; a name, in any case, or a file */
	/* As the options give them, so mismatch 3 is a score of -3. */
	int64_t match, mismatch, gap_open, gap_extend;	/* or SW_UNSET */
};

struct sw_letters {
	struct sw_scoring scoring;
	bool dna;		/* codes 0 to 4 as above */
	/*
	 * Is there another strand?  For DNA, and for a matrix whose symbols
	 * are IUPAC letters of DNA, A C G T and all complements among them.
	 */
	bool strands;
	uint8_t complement[SW_LETTERS];	/* code of code; if strands */
	uint8_t code_of[256];		/* 255: not in the alphabet */
	uint8_t same[SW_LETTERS];	/* for sw_trace() */
	/*
	 * Karlin and Altschul's parameters where BLAST's tables have this very
	 * scoring, else 0: of random sequences of m and n letters K m n
	 * exp(-lambda S) alignments score S or more.  even: they hold for even
	 * scores, to which an odd one is rounded down.
	 */
	double lambda, k;
	bool even;
};

/*
 * All presets: name, match, mismatch, gap open, gap extend.  blastn and
 * blastn-short: the defaults of those tasks of BLAST.  megablast: 1, -2 and 2.5
 * for each letter of a gap, all twice.  fasta: FASTA's and ssearch's.  ssca1:
 * SSCA#1 on DNA.
 */
#define SW_PRESETS(row) \
	row("blastn", 2, 3, 5, 2) \
	row("blastn-short", 1, 3, 5, 2) \
	row("megablast", 2, 4, 0, 5) \
	row("fasta", 5, 4, 12, 4) \
	row("ssca1", 5, 3, 8, 1)
/* "blastn, ssca1, or numbers such as 2/-3/5/2": values of --preset. */
#define SW_PRESET_NAME(name, match, mismatch, open, extend) name ", "
#define SW_PRESET_VALUES \
	SW_PRESETS(SW_PRESET_NAME) "or numbers such as 2/-3/5/2"
/* The same, and the matrices that are built in, as "a|b|c". */
#define SW_PRESET_WORD(name, match, mismatch, open, extend) name "|"
#define SW_PRESET_WORDS SW_PRESETS(SW_PRESET_WORD)
#define SW_MATRIX_WORDS \
	"BLOSUM45|BLOSUM50|BLOSUM62|BLOSUM80|BLOSUM90|PAM30|PAM70|PAM120|" \
	"PAM250"
/* Is a matrix of that name built in?  A file of that name is not read then. */
bool sw_matrix_is_builtin(const char *name);

/*
 * Single options override the preset's.  A preset may also be numbers, as in
 * 5/-4/8/4: match, mismatch, gap open, gap extend.  The default preset is
 * blastn; a matrix that is built in has BLAST's gap costs, a file has none, so
 * that both must be given.  ERR_USAGE: no such preset, numbers out of range, a
 * matrix beside match, mismatch or preset.  ERR_IO, ERR_FORMAT: the file, and
 * its line.  ERR_NOMEM.
 */
int sw_letters_choose(struct sw_letters *l, const struct sw_choice *c,
		      struct err *e);

/*
 * The same scoring in larger units: all scores and costs divided by their
 * greatest common divisor, which is returned, so that they fit fewer bits.
 * Alignments, and which are best, stay as they are.
 */
int32_t sw_scoring_reduce(struct sw_scoring *to, const struct sw_scoring *s);

/*
 * Lines of "key value", for BEGIN: equal scorings give equal text, and
 * different ones different (a matrix that is not built in is its hash).
 */
void sw_letters_text(const struct sw_letters *l, struct buf *b);

/*
 * Local alignment over chunks: options and queries to a compiled
 * scan, a chunk to the rows that may be among the best of all
 *
 * Every query is aligned with the forward text; for the minus strand its
 * reverse complement is.
 */

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
 * Search everything and finish the sink (scan.h); *n_letters: how many
 * letters were owned by what was searched.
 */
int sw_scan_run(const struct scan_run *r, const struct sw_scan *s,
		uint64_t *n_letters, struct err *e);

/*
 * GPUs at work for a local alignment
 *
 * They find the scores of DNA; all else, and whatever they cannot do or fail to
 * do, is the CPU's.  Results are the same.
 */

struct sw_gpu_params {
	struct cuda_choice choice;
	enum cuda_sw_kernel kernel;
	unsigned threads;	/* that search */
};

/*
 * Before anything is searched.  CUDA_AUTO: only for long queries, and once so
 * much was searched that a device should be worth waking up.  ERR_USAGE: the
 * source paper's kernel, but not cells.  ERR_DEVICE, ERR_NOMEM.
 */
int sw_use_gpu(struct sw_scan *s, const struct sw_gpu_params *p,
	       struct err *e);

/* One of several texts that are searched as one. */
struct sw_gpu_text {
	struct sw_text x;
	struct sw_known known;	/* for x, zero it first; tops are free()d by
				   the caller; NULL: it is searched alone */
};
/*
 * As scan_gpu_batch() says.  So many cells are wanted of each, or 0: as struct
 * sw_view says.
 */
void sw_gpu_batch(struct cuda_pool *gpu, const struct sw_query *q,
		  size_t cells, struct sw_gpu_text *text, size_t n);

/* When all is. */
void sw_end_gpu(struct sw_scan *s, struct cuda_report *r);

/* All that other folders may use of scan/sw/. */


#endif
