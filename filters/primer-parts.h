/* SPDX-License-Identifier: MIT */
/* primer-parts.h - primer-find: --check, pairs, and what it reports */
#ifndef SEQF_PRIMER_PARTS_H
#define SEQF_PRIMER_PARTS_H

#include "filters/options.h"
#include "filters/scanner.h"
#include "pcr/pcr.h"
#include "scan/primer/primer.h"

/* --product-size: primers joined into pairs. */

static struct primer_pairs_params pair_params;

#define PAIR_OPTIONS \
	{ 0, "product-size", "MIN-MAX", OPT_TEXT, 0, 0, \
	  &pair_params.product_size, NULL, \
	  "pairs of primers whose product has so many letters" }, \
	{ 0, "pair-max-diff-tm", "DEGREES", OPT_TEXT, 0, 0, \
	  &pair_params.max_diff_tm, "100", \
	  "of pairs: most difference of melting temperatures" }, \
	{ 0, "pair-max-compl-any", "SCORE", OPT_TEXT, 0, 0, \
	  &pair_params.max_compl_any, "8", \
	  "of pairs: most complementarity anywhere" }, \
	{ 0, "pair-max-compl-end", "SCORE", OPT_TEXT, 0, 0, \
	  &pair_params.max_compl_end, "3", \
	  "of pairs: most complementarity of a 3' end" }, \
	{ 0, "opt-tm", "DEGREES", OPT_TEXT, 0, 0, &pair_params.opt_tm, "60", \
	  "of pairs: melting temperature without penalty" }, \
	{ 0, "opt-size", "LEN", OPT_INT, 1, PRIMER_LONGEST, \
	  &pair_params.opt_size, "20", "of pairs: length without penalty" }, \
	{ 'n', "max-pairs", "N", OPT_INT, 1, 1000000, &pair_params.n, "5", \
	  "of pairs: at most the N best of each target" }

/* One that means nothing without --product-size, if there is any. */
static const char *
pairs_option(void)
{
	const struct primer_pairs_params *p = &pair_params;

	return p->max_diff_tm ? "--pair-max-diff-tm" :
	       p->max_compl_any ? "--pair-max-compl-any" :
	       p->max_compl_end ? "--pair-max-compl-end" :
	       p->opt_tm ? "--opt-tm" : p->opt_size ? "--opt-size" :
	       p->n ? "--max-pairs" : NULL;
}

/* Pairs need both strands. */
static int
pairs_settle(const char **primers, const char *alphabet, bool site,
	     struct err *e)
{
	const struct primer_pairs_params *p = &pair_params;
	const char *alone = pairs_option();
	const char *what = site ? "--site" : *alphabet != 'd' ?
			   "--alphabet=literal" : scan_columns ? "--columns" :
			   *scan_json == 'a' ? "--json=array" : NULL;

	if (!p->product_size)
		return !alone ? 0 : err_set(e, ERR_USAGE, "%s: only with "
					    "--product-size", alone);
	if (*primers && **primers != 'b')
		return err_set(e, ERR_USAGE, "--product-size: pairs have "
			       "primers of both strands, not of --primers=%s",
			       *primers);
	*primers = "both";
	return !what ? 0 : err_set(e, ERR_USAGE, "%s: not with --product-size",
				   what);
}

/* Primers go to the pairs, and those to out. */
static int
pairs_sink(struct sink_params *sp, const struct opt_spec *spec,
	   const struct primer_options *o, const struct primer_scan *scan,
	   struct out *out, struct err *e)
{
	static struct primer_pairs *pairs;
	enum format f;
	int rc = chosen_format(spec, scan_format_name, scan_out_path, &f, e);

	if (rc)
		return rc;
	if (f == FORMAT_NONE)
		f = FORMAT_TSV;
	if (f != FORMAT_TSV && f != FORMAT_JSON && f != FORMAT_BOULDER)
		return err_set(e, ERR_USAGE, "--product-size: only with -O "
			       "tsv, json and boulder, not with %s",
			       format_word(f));
	pair_params.format = f;
	pair_params.header = !scan_no_header;
	pair_params.note = note;
	rc = primer_pairs_new(&pairs, &pair_params, o, scan, out, e);
	sp->format = FORMAT_TSV;
	sp->header = false;
	sp->take = primer_pairs_take;
	sp->take_ctx = pairs;
	return rc;
}

/* --check: primers that are given. */

static int
check_format(const struct opt_spec *spec, struct printer_params *pp,
	     struct err *e)
{
	int rc;

	*pp = (struct printer_params){
		.prog = "primer-find", .header = !scan_no_header,
		.columns = scan_columns, .array = *scan_json == 'a',
		.checks = true,
	};
	rc = chosen_format(spec, scan_format_name, scan_out_path, &pp->format,
			   e);
	if (rc)
		return rc;
	if (pp->format == FORMAT_NONE)
		pp->format = FORMAT_TSV;
	if (pp->format != FORMAT_TSV && pp->format != FORMAT_JSON)
		return err_set(e, ERR_USAGE, "--check: only with -O tsv and "
			       "json, not with %s", format_word(pp->format));
	return printer_check(pp, TABLE_CHECKS, e);
}

/* Rows, if all of the background was searched: of a part of it, too many
 * primers would pass. */
static int
check_finish(const struct primer_check *c, const struct scan_run *r,
	     const struct printer_params *pp, struct out *out, struct err *e)
{
	bool whole;

	if (scan_whole(r->sink, &whole, e) ||
	    (whole && primer_check_write(c, pp, out, e)))
		return e->code;
	scan_report_cost(r->sink, r);
	return whole ? EXIT_DONE : EXIT_INCOMPLETE;
}

/* An exit status, or an error. */
static int
check_search(struct scan_run *r, struct primer_check *c,
	     const struct printer_params *pp, struct out *out, struct err *e)
{
	struct sink_params sp = {
		.prog = "primer-find", .format = FORMAT_TSV,
		.hit = primer_check_hit, .hit_ctx = c,
	};
	struct cuda_report report;
	uint64_t n_letters = 0;
	int rc = sink_new(&r->sink, &sp, out, e);

	if (!rc)
		rc = primer_check_run(c, r, scan_choice, &report, &n_letters,
				      e);
	if (rc)
		return rc;
	scan_report_gpu(&report);
	note(1, "%s searched for %s", err_count(n_letters, "letter").text,
	     err_count(primer_check_primers(c), "primer").text);
	return check_finish(c, r, pp, out, e);
}

static int
check_all(struct scan_run *r, const struct opt_spec *spec,
	  const struct primer_options *o, const struct pcr_files *files,
	  const struct opt_list *letters, struct out *out)
{
	struct printer_params pp;
	struct primer_check *c = NULL;
	struct err e;
	int rc = check_format(spec, &pp, &e);

	if (!rc)
		rc = primer_check_new(&c, o, files, letters, &e);
	if (!rc)
		rc = check_search(r, c, &pp, out, &e);
	primer_check_free(c);
	if (rc == EXIT_DONE)
		rc = out_close(out, &e);
	else
		out_abort(out);
	if (rc < 0)
		die_err(&e);
	return rc;
}

/* What was done, in its own measures. */
static void
note_work(const struct primer_scan_stats *s, bool paper)
{
	const struct primer_paper_stats *p = &s->paper;

	if (paper || p->starts)
		note(1, "%s searched, %s, %s of letters",
		     err_count(p->starts, "start").text,
		     err_count(p->values, "value").text,
		     err_count(p->comparisons, "comparison").text);
	if (p->fetched)
		note(1, "%s fetched ahead, %llu not among them",
		     err_count(p->fetched, "letter").text,
		     (unsigned long long)p->missed);
	if (!paper && !p->starts)
		note(1, "%s scanned, %s looked up, %s checked; %s, %llu of "
		     "them plain", err_count(s->search.columns, "column").text,
		     err_count(s->search.seeds, "piece").text,
		     err_count(s->search.checks, "column").text,
		     err_count(s->search.blocks, "block").text,
		     (unsigned long long)s->search.plain);
}

/* A target far longer than the background is hardly meant. */
static void
note_swapped(const struct primer_scan_stats *s)
{
	if (s->letters && s->starts / 20 > s->letters)
		note(0, "the background has %s, the targets have more than "
		     "ten times as many: targets are -q, the background the "
		     "operands", err_count(s->letters, "letter").text);
}

#endif
