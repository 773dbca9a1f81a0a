/* SPDX-License-Identifier: MIT */
/* scanner.h - what programs that scan chunks say, word for word */
#ifndef SEQF_SCANNER_H
#define SEQF_SCANNER_H

#include "cuda/pool.h"
#include "filters/options.h"
#include "scan/scan.h"

/* Their options that all of them have. */
static const char *scan_format_name, *scan_out_path, *scan_columns;
static const char *scan_json = "lines";
static struct opt_list scan_regions;
static const char *scan_circular;
static const char *scan_gpu = "auto";
static struct cuda_choice scan_choice;	/* what -g says */
static int64_t scan_threads;
static bool scan_no_header;

#define SCAN_OPT_GPU \
	{ 'g', "gpu", "auto|none|N[,N]", OPT_TEXT, 0, 0, &scan_gpu, "auto", \
	  "GPU to use" }
#define SCAN_OPT_REGION(does) \
	OPT_REGION(&scan_regions, does " only this part of FASTA operands; " \
				  "from 1, inclusive"), \
	OPT_REGIONS(&scan_regions)
#define SCAN_OPT_CIRCULAR \
	OPT_CIRCULAR(&scan_circular, "search")
/* What they say of the sink. */
#define SCAN_SINK \
	.header = !scan_no_header, .columns = scan_columns, \
	.array = *scan_json == 'a'
/* What is of rows only: those that are given, else NULL. */
#define SCAN_OF_ROWS \
	scan_format_name ? "-O" : NULL, scan_regions.n ? "-r" : NULL, \
	scan_no_header ? "--no-header" : NULL, \
	scan_columns ? "--columns" : NULL, \
	*scan_json == 'a' ? "--json" : NULL
#define SCAN_FORMAT_DEFAULT \
	"by the suffix of -o, else rec for records, tsv for text"
#define SCAN_OPTIONS(formats) \
	SCAN_OPT_REGION("search"), \
	{ 'O', "output-format", formats, OPT_CHOICE, 0, 0, &scan_format_name, \
	  SCAN_FORMAT_DEFAULT, "output format" }, \
	OPT_OUTPUT(&scan_out_path), \
	OPT_NO_HEADER(&scan_no_header), \
	OPT_COLUMNS(&scan_columns), \
	OPT_JSON(&scan_json), \
	OPT_THREADS(&scan_threads), \
	SCAN_OPT_GPU, \
	OPT_PROGRESS

static void
scan_note(const char *text)
{
	pthread_mutex_lock(&progress_lock);
	warn("%s", text);
	pthread_mutex_unlock(&progress_lock);
}

/*
 * Cells of sequences that are compared, or starts of primers that were looked
 * for in what was read; by any thread.  All of them are known
 * when all is read, as far as anyone can know that.
 */
static inline void
scan_report_cells(struct feed_place at, const struct scan_cells *c)
{
	double done = (double)c->done, of = (double)c->of;
	bool all = progress.size && at.n_read >= progress.size;
	char what[120];

	if (c->of == 0 || pthread_mutex_trylock(&progress_lock))
		return;
	if (progress_due()) {
		if (c->starts)
			snprintf(what, sizeof what, "%.0f of %.0f starts", done,
				 of);
		else
			snprintf(what, sizeof what, "%.1f of %.1f billion "
			 "cells, %.1f billion/s, %.0f %% of them left out%s",
			 1e-9 * done, 1e-9 * of,
			 1e-9 * done / (now() - progress_started),
			 c->left_out < c->done ?
			 100. * (double)c->left_out / (double)c->done :
			 c->done ? 100. : 0,
			 c->done < c->of ? "" : ", finding alignments");
		progress_text(what, all && c->done < c->of ? done / of : 0);
	}
	pthread_mutex_unlock(&progress_lock);
}

/* Queries that rows cannot distinguish. */
static inline void
scan_note_queries(const struct queries *q)
{
	const struct query *t = queries_twice(q);

	if (t)
		note(0, "%s: two queries are called %.*s: rows do not show "
		     "which one is meant", t->where,
		     (int)(t->name.n < 99 ? t->name.n : 99), t->name.p);
}

/* What fails on the way was searched by the CPU instead. */
static inline void
scan_report_gpu(const struct cuda_report *r)
{
	if (*r->failed)
		warn("%s; what it had not finished, the CPU searched",
		     r->failed);
	if (r->letters)
		note(1, "GPU: %s%s, %s%s%s", r->first,
		     r->devices > 1 ? " and others" : "",
		     err_count(r->letters, "letter").text,
		     *r->why_not ? "; then none: " : "", r->why_not);
	else
		note(1, "GPU: none: %s", *r->why_not ? r->why_not :
		     "nothing for it to search");
}

/* Options, the output, and what a run needs of them, but the sink. */
static struct out *
scan_open(struct scan_run *r, const struct opt_spec *spec, int argc,
	  char **argv)
{
	struct out *out;
	struct err e;
	int operand;

	if (opt_parse(spec, argc, argv, &operand, &e) ||
	    cuda_choose(&scan_choice, scan_gpu, &e) ||
	    output_open(&out, scan_out_path, spec, argv + operand, &e))
		die_err(&e);
	progress_begin(out_is_tty(out), argv + operand,
		       (size_t)(argc - operand));
	*r = (struct scan_run){
		.note = scan_note,
		.threads = scan_threads ? (unsigned)scan_threads :
					  cpu_threads(),
		.regions = &scan_regions, .circular = scan_circular,
		.operand = argv + operand,
		.n_operands = (size_t)(argc - operand),
		.progress = progress_place,
		.cells = progress.on ? scan_report_cells : NULL,
	};
	return out;
}

/*
 * What -O or the suffix of -o say; else records in, records out, text in, text
 * out, and text on terminals.  Reads the first bytes of the operands.
 */
static inline int
scan_format(struct scan_run *r, const struct opt_spec *spec,
	    const struct out *out, enum format *f, struct err *e)
{
	static struct feed_look look;
	int rc = chosen_format(spec, scan_format_name, scan_out_path, f, e);

	if (rc || *f != FORMAT_NONE)
		return rc;
	*f = FORMAT_TSV;
	if (out_is_tty(out))
		return 0;
	rc = feed_look(&look, r->operand, r->n_operands, r->threads, e);
	r->look = &look;
	if (look.holds == FEED_RECORDS)
		*f = FORMAT_REC;
	return rc;
}

/* Do -O or the suffix of -o say a format that shows letters of both sides? */
static inline bool
scan_shows_letters(const struct opt_spec *spec)
{
	enum format f;
	struct err e;

	return chosen_format(spec, scan_format_name, scan_out_path, &f,
			     &e) == 0 &&
	       (f == FORMAT_SAM || f == FORMAT_PRETTY ||
		f == FORMAT_OFFTARGET);
}

/* There are off-target scores by --score-table only. */
static inline int
scan_fits_columns(const char *score_table, struct err *e)
{
	return score_table ||
	       !printer_has_column(scan_columns, "offtarget_score") ? 0 :
	       err_set(e, ERR_USAGE, "--columns offtarget_score: only with "
		       "--score-table of asm-scan");
}

/* Which rows -n may have left out. */
static inline void
scan_report_full(const struct sink *s, uint64_t n)
{
	if (sink_full(s))
		note(0, "--max-hits %llu: reached by %llu of the patterns, "
		     "which may have more", (unsigned long long)n,
		     (unsigned long long)sink_full(s));
}

/* How much came of it, and what it took; the programs have said of what. */
static void
scan_report_cost(const struct sink *s, const struct scan_run *r)
{
	if (sink_hits(s))
		note(1, "%s found", err_count(sink_hits(s), "hit").text);
	progress_cost(r->threads);
	if (sink_copies(s))
		note(0, "%s came twice: the copies were dropped",
		     err_count(sink_copies(s), "frame").text);
}

/* The verdict on stderr; text that is not whole never replaces a file. */
static inline int
scan_judge(struct sink *s, struct out *out, bool text)
{
	struct err e;
	bool whole;

	if (scan_whole(s, &whole, &e)) {
		out_abort(out);
		die_err(&e);
	}
	/* of text the verdict says so; -O rec is for workers that may get
	 * nothing */
	if (!text && !scan_format_name && !sink_any(s)) {
		warn("the input is empty: did the program that writes it "
		     "fail?");
		text = true;
		whole = false;
	}
	if (!whole && text && scan_out_path)
		out_abort(out);
	else if (output_close(out, !whole || !text || scan_no_header, &e))
		die_err(&e);
	return whole ? EXIT_DONE : EXIT_INCOMPLETE;
}

#endif
