/* SPDX-License-Identifier: MIT */
/* primer-pairs.h - primer-find --product-size: primers joined into pairs */
#ifndef SEQF_PRIMER_PAIRS_H
#define SEQF_PRIMER_PAIRS_H

#include "filters/scanner.h"
#include "scan/primer/primer.h"

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

#endif
