/* SPDX-License-Identifier: MIT */
/* ebwt-dist - distances by the extended Burrows-Wheeler transform */
#include <string.h>

#include "base/base.h"
#include "cli/opt.h"
#include "cuda/ebwt.h"
#include "filters/ebwt_options.h"
#include "filters/scanner.h"
#include "scan/ebwt/ebwt.h"

static struct cuda_pool *gpu;
static struct ebwt_backend sorts;
static struct gap_backend walks;

/* By how long it takes to wake up a GPU, and a thread to sort so much; and to
 * walk through gaps, of which it saves the most. */
enum { GPU_LETTERS = 16 << 20, GPU_NS = 1000000000 };

static void
note_more(const char *text)
{
	note(1, "%s", text);
}

static void
remark_long(const char *text)
{
	note(0, "%s", text);
}

static double comparing = 1;	/* its share of the time */

static void
share_of_pairs(double of_time)
{
	comparing = of_time;
}

static void
progress_pairs(uint64_t done, uint64_t of)
{
	if (of && progress_due())
		progress_text("comparing",
			      comparing * (double)done / (double)of);
}

/* Three quarters of the rest are gone before a row is written. */
static void
progress_rows(uint64_t done, uint64_t of)
{
	if (comparing < 1 && progress_due())
		progress_text("writing", 1 + (1 - comparing) / 4 *
			      ((double)done / (double)of - 1));
}

static int
settle(struct scan_run *r, struct out *out, struct queries *q,
       enum format *format, struct err *e)
{
	int rc = number("theta-pos", theta_pos, 0.25, &o.theta_pos, e);

	if (!rc)
		rc = number("theta-word", theta_word, 0, &o.theta_word, e);
	if (!rc)
		rc = parse_part(e);
	if (!rc && (listing || restore || words))
		rc = settle_text(e);
	o.both = strand && *strand == 'b';
	o.what = listing ? EBWT_LISTING : words ? EBWT_WORDS : EBWT_DISTANCES;
	*format = FORMAT_TSV;
	if (!rc && !o.what && !restore)
		rc = scan_format(r, &spec, out, format, e);
	if (!rc)
		rc = ebwt_metric_of(metric, &o.metric, e);
	o.paper = *algorithm == 'p';
	o.way = *engine == 'l' ? EBWT_WAY_LISTS :
		*engine == 'p' ? EBWT_WAY_PRODUCT :
		*engine == 's' ? EBWT_WAY_SORT :
		*engine == 'w' ? EBWT_WAY_WALKS :
		*engine == 'f' ? EBWT_WAY_FEW : EBWT_WAY_AUTO;
	o.numbers = format_is_of_pairs(*format);
	o.most = *format == FORMAT_SVG_TREE ? TREE_DRAWN : 0;
	o.keeps = *format != FORMAT_REC && !o.what;
	o.header = !scan_no_header;
	o.note = note_more;
	o.remark = remark_long;
	o.progress = progress_pairs;
	o.share = share_of_pairs;
	if (!rc && query_list.n)
		rc = queries_load_weighted(q, &query_list, o.memory, e);
	return rc;
}

/* The source's algorithm is the CPU's. */
static int
use_gpu(struct err *e)
{
	struct cuda_ebwt_params p = {
		.choice = scan_choice, .least = GPU_LETTERS,
		.least_ns = GPU_NS,
		.how.kernel = *kernel == 'f' ? EBWT_DEV_FAST :
			      strcmp(kernel, "paper") == 0 ? EBWT_DEV_PAPER :
							     EBWT_DEV_BITONIC,
	};
	int rc;

	if (o.paper || restore)
		p.choice.kind = CUDA_NONE;
	rc = cuda_ebwt_new(&gpu, &p, e);
	if (rc)
		return rc;
	sorts = cuda_ebwt_backend(gpu);
	walks = cuda_ebwt_gap_backend(gpu);
	o.backend = &sorts;
	o.gap_backend = &walks;
	return 0;
}

static void
summary(uint64_t n_letters)
{
	double t = now() - progress_started;
	struct cuda_report r;

	cuda_pool_report(gpu, &r);
	scan_report_gpu(&r);
	cuda_pool_free(gpu);
	note(1, "%s, %.2f s, %.2f MB/s", err_count(n_letters, "letter").text,
	     t, 1e-6 * (double)n_letters / t);
}

static int
dist_all(struct scan_run *r, struct out *out, struct err *e)
{
	struct sink_params sp = { .prog = "ebwt-dist", SCAN_SINK,
				  .tables = TABLE_DISTS };
	static struct queries q;
	struct ebwt_scan *scan = NULL;
	uint64_t n_letters = 0;
	int rc = settle(r, out, &q, &sp.format, e);

	sp.header = o.header && !o.what;
	sp.nearest = (uint64_t)o.n;
	sp.progress = progress_rows;
	sp.dists = !o.what;
	if (!rc && restore)
		rc = ebwt_restore_text(r->operand, r->n_operands, r->threads,
				       out, e);
	if (!rc)
		rc = use_gpu(e);
	if (!rc && !restore)
		rc = ebwt_scan_new(&scan, &o, &q, e);
	sp.rename = o.full_names ? ebwt_full_names : NULL;
	sp.rename_ctx = scan;
	if (!rc && !restore)
		rc = sink_new(&r->sink, &sp, out, e);
	if (!rc && !restore)
		rc = ebwt_scan_run(r, scan, out, &n_letters, e);
	if (rc) {
		out_abort(out);
		die_err(e);
	}
	if (restore)
		return output_done(out, e);
	summary(n_letters);
	scan_report_cost(r->sink, r);
	return o.what ? output_done(out, e) :
			scan_judge(r->sink, out, sp.format != FORMAT_REC);
}

int
main(int argc, char **argv)
{
	struct scan_run r;
	struct err e;

	return dist_all(&r, scan_open(&r, &spec, argc, argv), &e);
}
