/* SPDX-License-Identifier: MIT */
/* options.h - options that several programs share, word for word */
#ifndef SEQF_OPTIONS_H
#define SEQF_OPTIONS_H

#include "base/opt.h"

/* Entries of tables. */
#define OPT_OUTPUT(to) \
	{ 'o', "output", "FILE", OPT_FILE, 0, 0, to, "stdout", \
	  "write to FILE, which appears when it is whole" }
#define OPT_NO_HEADER(to) \
	{ 0, "no-header", NULL, OPT_FLAG, 0, 0, to, NULL, \
	  "no line of column names" }
#define OPT_THREADS(to) \
	{ 't', "threads", "N", OPT_INT, 1, 1024, to, "all processors", \
	  "threads" }
#define OPT_PROGRESS(to) \
	{ 0, "progress", "SEC", OPT_SECONDS, 1, 86400, to, NULL, \
	  "tell on stderr how far it is, every SEC seconds" }
/* Of programs that show results of others. */
#define OPT_SHOW_FORMAT(to) \
	{ 'O', "output-format", "rec|tsv|paf|sam|bed|gff3|json|fasta|" \
	  "phylip|phylip-lower", OPT_CHOICE, 0, 0, to, \
	  "rec; tsv on a terminal", "output format" }
#define OPT_SHOW_LETTERS(to) \
	{ 0, "with-seq", NULL, OPT_FLAG, 0, 0, to, NULL, \
	  "write the matched letters, if the scanner kept them" }

#endif
