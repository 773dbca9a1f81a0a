/* SPDX-License-Identifier: MIT */
/* primer-check.h - primer-find --check: primers that are given */
#ifndef SEQF_PRIMER_CHECK_H
#define SEQF_PRIMER_CHECK_H

#include "filters/scanner.h"
#include "pcr/pcr.h"
#include "scan/primer/primer.h"

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

#endif
