/* SPDX-License-Identifier: MIT */
/* ebwt_options.h - ebwt-dist's options, and which of them go together */
#ifndef SEQF_EBWT_OPTIONS_H
#define SEQF_EBWT_OPTIONS_H

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "cli/opt.h"
#include "filters/scanner.h"
#include "scan/ebwt/ebwt.h"

static struct ebwt_options o;
static struct opt_list query_list;
static const char *metric = "delta", *algorithm = "fast", *engine = "auto";
static const char *theta_pos, *theta_word;
static const char *kernel = "fast";
static const char *strand, *part;
static bool listing, restore, words;

static const struct opt table[] = {
	{ 0, "metric", EBWT_METRIC_CHOICES, OPT_CHOICE, 0, 0, &metric, "delta",
	  "distance of words u and v" EBWT_METRIC_MEANINGS },
	{ 0, "by", "record|file|prefix:C|@TABLE", OPT_ATFILE, 0, 0, &o.by,
	  "record", "what is compared: records, or all of a file, of one "
	  "prefix of their names, or of a group, as words of one set" },
	{ 's', "strand", "+|both", OPT_CHOICE, 0, 0, &strand, "+",
	  "both: the reverse complement of each word is of its set, too" },
	{ 'q', "query", "FILE", OPT_LISTFILE, 0, 0, &query_list, NULL,
	  "only distances of these to all others; as operands, or lines" },
	{ 'e', "pattern", "LETTERS", OPT_LIST, 0, 0, &query_list, NULL,
	  "the same, of this sequence" },
	{ 'n', "nearest", "N", OPT_INT, 1, INT64_MAX, &o.n, "all",
	  "only the N nearest of each" },
	{ 0, "theta-pos", "P", OPT_TEXT, 0, 0, &theta_pos, "0.25",
	  "matrices: minimum probability of a letter in a word" },
	{ 0, "theta-word", "P", OPT_TEXT, 0, 0, &theta_word, "0",
	  "matrices: minimum probability of a word" },
	{ 0, "extremes", NULL, OPT_FLAG, 0, 0, &o.extremes, NULL,
	  "matrices: add the minimum and maximum distance" },
	{ 0, "full-names", NULL, OPT_FLAG, 0, 0, &o.full_names, NULL,
	  "names are whole header lines, not first words" },
	{ 0, "words", NULL, OPT_FLAG, 0, 0, &words, NULL,
	  "write the words and their probabilities" },
	{ 0, "ebwt", NULL, OPT_FLAG, 0, 0, &listing, NULL,
	  "write the transform: M_L, M_chi, M_gamma" },
	{ 0, "restore", NULL, OPT_FLAG, 0, 0, &restore, NULL,
	  "reconstruct the words from the output of --ebwt, as FASTA" },
	{ 0, "memory", "SIZE", OPT_SIZE, 1, INT64_MAX, &o.memory, "all",
	  "memory limit for letters, words, rotations and pairs" },
	{ 0, "part", "I/N", OPT_TEXT, 0, 0, &part, NULL,
	  "compute part I (from 0) of N of the pairs, for merge-topk" },
	{ 0, "algorithm", "fast|paper", OPT_CHOICE, 0, 0, &algorithm, "fast",
	  "paper: write out, sort and count the rotations of each pair" },
	{ 0, "kernel", "fast|paper|paper-bitonic", OPT_CHOICE, 0, 0, &kernel,
	  "fast", "GPU kernel: ours, or the source paper's" },
	{ 0, "engine", "auto|lists|product|sort|walks|few", OPT_CHOICE, 0, 0,
	  &engine, "auto", NULL },	/* for tests and benchmarks */
	SCAN_OPT_REGION("take"),
	OPT_CIRCULAR(&scan_circular, "take"),
	{ 'O', "output-format",
	  "rec|tsv|json|phylip|phylip-lower|phylip-strict|newick|svg-tree",
	  OPT_CHOICE, 0, 0, &scan_format_name, SCAN_FORMAT_DEFAULT,
	  "output format" },
	OPT_OUTPUT(&scan_out_path),
	OPT_NO_HEADER(&scan_no_header),
	OPT_COLUMNS(&scan_columns),
	OPT_JSON(&scan_json),
	OPT_THREADS(&scan_threads),
	SCAN_OPT_GPU,
	OPT_PROGRESS,
	{ .letter = 0, .name = NULL },
};

static const struct opt_spec spec = {
	.prog = "ebwt-dist",
	.does = "distances of sequences by their extended Burrows-Wheeler "
		"transform",
	.usage = "[options] [FILE ...]",
	.operands = "records, FASTA, FASTQ, BAM, 2bit, matrices, compressed; "
		    "none: stdin",
	.table = table,
};

static int
number(const char *name, const char *s, double dflt, double *v, struct err *e)
{
	*v = dflt;
	if (!s || (decimal_double(s, strlen(s), v) && *v >= 0 && *v <= 1))
		return 0;
	return err_set(e, ERR_USAGE, "--%s %s: not from 0 to 1", name, s);
}

/* "i/n" */
static int
parse_part(struct err *e)
{
	unsigned long long i, n;
	int end = 0;

	if (!part)
		return 0;
	if (strspn(part, "0123456789/") == strlen(part) &&
	    sscanf(part, "%9llu/%9llu%n", &i, &n, &end) == 2 && !part[end] &&
	    i < n && n <= EBWT_MAX_PARTS) {
		o.part = i;
		o.parts = n;
		return 0;
	}
	return err_set(e, ERR_USAGE, "--part %.99s: must be i/n, 0 <= i < n, "
		       "n at most %d", part, EBWT_MAX_PARTS);
}

/* Text that is no table of distances is what it is. */
static int
settle_text(struct err *e)
{
	if (listing + restore + words > 1)
		return err_set(e, ERR_USAGE, "--ebwt, --restore and --words: "
			       "one of them");
	if (scan_format_name && (restore ||
				 strcmp(scan_format_name, "tsv") != 0))
		return err_set(e, ERR_USAGE, "-O %s: %s", scan_format_name,
			       restore ? "--restore writes FASTA" :
			       "listings and words are lines of text (tsv)");
	if (scan_columns || *scan_json == 'a')
		return err_set(e, ERR_USAGE, "--columns and --json: only of "
			       "distances");
	if (restore && (part || query_list.n || o.n || o.memory || theta_pos ||
			theta_word || scan_regions.n || scan_no_header ||
			o.full_names || progress_every || o.by || strand))
		return err_set(e, ERR_USAGE, "--restore takes -o and -t only");
	return 0;
}

#endif
