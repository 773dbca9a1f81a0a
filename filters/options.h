/* SPDX-License-Identifier: MIT */
/* options.h - options that several programs share, word for word */
#ifndef SEQF_OPTIONS_H
#define SEQF_OPTIONS_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/opt.h"
#include "filters/output.h"
#include "filters/progress.h"
#include "input/input.h"
#include "output/output.h"
#include "scan/scan.h"

/* Entries of tables. */
#define OPT_OUTPUT(to) \
	{ 'o', "output", "FILE", OPT_FILE, 0, 0, to, "stdout", \
	  "write to FILE, which is replaced only when complete" }
#define OPT_NO_HEADER(to) \
	{ 0, "no-header", NULL, OPT_FLAG, 0, 0, to, NULL, \
	  "omit the line of column names" }
#define OPT_COLUMNS(to) \
	{ 0, "columns", "NAME[,NAME]", OPT_TEXT, 0, 0, to, "all", \
	  "columns of tsv, in this order; of hits also mismatches, gaps, " \
	  "source, offtarget_score" }
#define OPT_JSON(to) \
	{ 0, "json", "lines|array", OPT_CHOICE, 0, 0, to, "lines", \
	  "-O json as an object a line, or as one array" }
/* Where sequences are read: parts of them. */
#define OPT_REGION(to, does) \
	{ 'r', "region", "NAME[:BEG-END]", OPT_LIST, 0, 0, to, NULL, does }
#define OPT_REGIONS(to) \
	{ 0, "regions", "BED", OPT_LISTFILE, 0, 0, to, NULL, \
	  "the same, all regions of a BED file" }
/* Which of them are circular. */
#define OPT_CIRCULAR(to, does) \
	{ 0, "circular", "auto|NAMES|@FILE", OPT_MAYBE, 0, 0, to, NULL, \
	  does " all sequences as circular, or these, or those of which the " \
	  "header says so" }
#define OPT_THREADS(to) \
	{ 't', "threads", "N", OPT_INT, 1, 1024, to, "all processors", \
	  "number of threads" }
#define OPT_PROGRESS \
	{ 0, "progress", "SEC", OPT_SECONDS, 1, 86400, &progress_every, NULL, \
	  "report progress on standard error every SEC seconds" }
/* Of programs that show results of others. */
#define OPT_SHOW_FORMAT(to) \
	{ 'O', "output-format", "rec|tsv|paf|sam|bed|gff3|json|fasta|" \
	  "boulder|phylip|phylip-lower|phylip-strict|newick|pretty|blast6|" \
	  "svg|svg-tree|offtarget|guides", \
	  OPT_CHOICE, 0, 0, to, "by the suffix of -o, else tsv", \
	  "output format" }
#define OPT_SHOW_LETTERS(to) \
	{ 0, "with-seq", NULL, OPT_FLAG, 0, 0, to, NULL, \
	  "write the matched letters, if the scanner kept them" }
#define OPT_SHOW_QUERIES(to) \
	{ 'q', "query", "FILE", OPT_LISTFILE, 0, 0, to, NULL, \
	  "the queries, for -O pretty, sam, offtarget, guides and " \
	  "--columns source" }
#define OPT_COLOR(to) \
	{ 0, "color", "auto|always|never", OPT_CHOICE, 0, 0, to, "auto", \
	  "colours of -O pretty" }

/* Which rows stay. */
#define OPT_NO_OVERLAP(to) \
	{ 0, "no-overlap", "FRACTION", OPT_TEXT, 0, 0, to, NULL, \
	  "keep only the best of rows that overlap by a larger part of " \
	  "the shorter one" }
#define OPT_DROP_SHADOWS(to) \
	{ 0, "drop-shadows", NULL, OPT_FLAG, 0, 0, to, NULL, \
	  "drop hits of which one with fewer edits overlaps more than half" }

/* What --no-overlap says, if it is there; then the option among these that is
 * given, or NULL. */
static inline const char *
choosing_option(struct topk_params *p, const char *overlap)
{
	struct err e;

	if (overlap &&
	    decimal_share("--no-overlap", overlap, &p->no_overlap, &e))
		die_err(&e);
	return p->drop_shadows ? "--drop-shadows" :
	       overlap ? "--no-overlap" : NULL;
}

/* Whether a word is one of "a|b|c". */
static inline bool
is_choice(const char *of, const char *word)
{
	size_t n = strlen(word);

	while (strncmp(of, word, n) || !strchr("|", of[n])) {
		of = strchr(of, '|');
		if (!of)
			return false;
		of++;
	}
	return true;
}

/*
 * The format that -O names, else the suffix of -o, else FORMAT_NONE.
 * ERR_USAGE for a suffix that is none of -O's formats: who reads the file by
 * its name would take it for another; and for records on a terminal.
 */
static inline int
chosen_format(const struct opt_spec *spec, const char *name, const char *path,
	      enum format *f, struct err *e)
{
	const struct opt *o = spec->table;
	const char *word;

	*f = name ? format_of(name) :
	     path ? format_of_file(path) : FORMAT_NONE;
	if (*f == FORMAT_REC && !path && isatty(STDOUT_FILENO))
		return err_set(e, ERR_USAGE, "binary output to a terminal: "
			       "pipe it or use -o");
	while (o->letter != 'O')
		o++;
	word = name || !path ? NULL : *f != FORMAT_NONE ? format_word(*f) :
	       format_foreign(path);
	if (!word || is_choice(o->arg, word))
		return 0;
	if (!strchr(o->arg, '|'))
		return err_set(e, ERR_USAGE, "-o %s: %s writes %s, no %s", path,
			       spec->prog, o->arg, word);
	return err_set(e, ERR_USAGE, "-o %s: %s writes no %s; -O chooses one "
		       "of %s", path, spec->prog, word, o->arg);
}

/* Where path has the suffix of what no record of FASTA or FASTQ is: path. */
static inline const char *
path_of_rows(const char *path)
{
	enum format f = path ? format_of_file(path) : FORMAT_FASTA;
	const char *other = path ? format_foreign(path) : NULL;

	return f == FORMAT_FASTA || (f == FORMAT_NONE && !other) ||
	       (other && *other == 'f') ? NULL : path;
}

/* auto: on a terminal that takes them, unless NO_COLOR forbids. */
static inline bool
wants_colour(const char *when, bool tty)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (*when != 'a' || when[1] == 'l')
		return *when == 'a';
	return tty && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

/* What -q names, for formats that show queries: pp->queries, and pp->files,
 * which stay NULL without. */
static inline int
load_shown(struct queries *q, const struct opt_list *l,
	   struct printer_params *pp, struct err *e)
{
	enum format f = pp->format;
	bool source = printer_has_column(pp->columns, "source");

	if (printer_check(pp, TABLE_ANY, e))
		return e->code;
	if (!l->n && source)
		return err_set(e, ERR_USAGE, "--columns source: records do not "
			       "hold the queries' files: name them by -q");
	if (!l->n)
		return 0;
	if (f != FORMAT_PRETTY && f != FORMAT_SAM && f != FORMAT_OFFTARGET &&
	    f != FORMAT_GUIDES && !source)
		return err_set(e, ERR_USAGE, "-q: only with -O pretty, sam, "
			       "offtarget and guides, and --columns source");
	pp->queries = pp->files = q;
	return queries_load(q, l, true, e);
}

/* Was everything searched? */

/* What is missing is said on stderr.  An error, but for ERR_INCOMPLETE. */
static inline int
scan_whole(struct sink *s, bool *whole, struct err *e)
{
	*whole = true;
	while (sink_verdict(s, e)) {
		if (e->code != ERR_INCOMPLETE)
			return e->code;
		warn("%s", e->text);
		*whole = false;
	}
	return 0;
}

#endif
