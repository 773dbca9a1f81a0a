/* SPDX-License-Identifier: MIT */
/*
 * sw_scoring.h - what options say of scores, as tables for sw.h
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
#ifndef SEQF_SCAN_SW_SW_SCORING_H
#define SEQF_SCAN_SW_SW_SCORING_H

#include "sw/sw.h"

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

/* Matrices, and what is known of them. */

/* A matrix that is built in. */
struct sw_builtin {
	const char *name, *symbols;
	int32_t open, extend;	/* the default */
	const int8_t *score;	/* row by row up to the diagonal */
};
extern const struct sw_builtin sw_builtins[];	/* ends with a NULL name */

/* A matrix as it is written. */
struct sw_matrix {
	size_t n;
	uint8_t symbol[SW_LETTERS];
	int32_t score[SW_LETTERS][SW_LETTERS];	/* [query][subject] */
};

#endif
