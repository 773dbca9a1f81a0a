/* SPDX-License-Identifier: MIT */
/* sw-scan - the best local alignments of queries in genomes */
#include <string.h>

#include "cli/opt.h"
#include "filters/scanner.h"
#include "scan/sw/sw.h"

static struct sw_options o = {
	.n = 1, .min_score = 1,
	.scoring = { .match = SW_UNSET, .mismatch = SW_UNSET,
		     .gap_open = SW_UNSET, .gap_extend = SW_UNSET },
};
static struct opt_list query_list;
static const char *kind = "alignments", *strand, *engine = "auto";
static const char *kernel = "fast";
static bool digits;
static struct topk_params choice;
static const char *overlap;

static const struct opt table[] = {
	{ 'q', "query", "FILE", OPT_LISTFILE, 0, 0, &query_list, NULL,
	  "queries: FASTA, FASTQ, or one a line; - is stdin" },
	{ 'e', "pattern", "LETTERS", OPT_LIST, 0, 0, &query_list, NULL,
	  "one query" },
	{ 'n', "max-hits", "N", OPT_INT, 1, SW_MAX_BEST, &o.n, "1",
	  "the best N alignments of each query" },
	{ 0, "kind", "alignments|cells|waterman-eggert", OPT_CHOICE, 0, 0,
	  &kind, "alignments",
	  "rank alignments, end cells, or disjoint alignments" },
	OPT_FORMER("best", "kind"),
	OPT_NO_OVERLAP(&overlap),
	{ 0, "min-score", "SCORE", OPT_INT, 1, INT64_MAX, &o.min_score, "1",
	  "omit what scores less" },
	{ 0, "preset", "NAME", OPT_TEXT, 0, 0, &o.scoring.preset, "blastn",
	  "scores: " SW_PRESET_VALUES },
	{ 0, "match", "SCORE", OPT_INT, 1, SW_MAX_SCORE, &o.scoring.match,
	  "2", "score of a match" },
	{ 0, "mismatch", "COST", OPT_INT, 0, SW_MAX_SCORE,
	  &o.scoring.mismatch, "3", "cost of a mismatch" },
	{ 0, "gap-open", "COST", OPT_INT, 0, SW_MAX_SCORE,
	  &o.scoring.gap_open, "5", "cost of a gap beside its letters'" },
	{ 0, "gap-extend", "COST", OPT_INT, 0, SW_MAX_SCORE,
	  &o.scoring.gap_extend, "2", "cost of each letter of a gap" },
	{ 0, "matrix", "NAME|FILE", OPT_NAMEFILE, 0, 0, &o.scoring.matrix,
	  NULL, "scores of pairs of letters: BLOSUM62, ..., or a file" },
	{ 0, "digits", NULL, OPT_FLAG, 0, 0, &digits, NULL,
	  "accept digits, + and / as letters in FASTA" },
	{ 's', "strand", "+|-|both", OPT_CHOICE, 0, 0, &strand, "both",
	  "strands of the text to search; + with a matrix" },
	{ 0, "no-cigar", NULL, OPT_FLAG, 0, 0, &o.no_cigar, NULL,
	  "write neither CIGARs nor edit counts" },
	{ 0, "with-seq", NULL, OPT_FLAG, 0, 0, &o.with_seq, NULL,
	  "add the aligned letters as in the input" },
	SCAN_OPTIONS("rec|tsv|paf|sam|bed|gff3|json|blast6|pretty|svg"),
	{ 0, "circular", "auto|NAMES|@FILE", OPT_MAYBE, 0, 0, &scan_circular,
	  NULL, NULL },	/* to be refused with more than "unknown" */
	{ 0, "kernel", "fast|paper|paper-modified", OPT_CHOICE, 0, 0, &kernel,
	  "fast", "GPU kernel: ours, or the source paper's" },
	{ 0, "engine", "auto|plain|lanes8|lanes16|skew", OPT_CHOICE, 0, 0,
	  &engine, NULL, NULL },	/* for tests and benchmarks */
	{ .letter = 0, .name = NULL },
};

static struct queries queries;

static const char *const values[] = {
	"preset", SW_PRESET_WORDS, "matrix", SW_MATRIX_WORDS, NULL,
};

static const struct opt_spec spec = {
	.prog = "sw-scan",
	.does = "find the best local alignments of queries in sequences",
	.usage = "[options] -q FILE [FILE ...]",
	.operands = "records, FASTA, FASTQ, BAM, 2bit, compressed; none: stdin",
	.table = table,
	.is_name = sw_matrix_is_builtin,
	.values = values,
};

static void
note_empty(const struct queries *q)
{
	const struct str name = q->empty.name;

	if (q->n_empty)
		note(0, "%s without letters %s skipped: the first one is %s: "
		     "query %zu (%.*s)", q->n_empty == 1 ? "a query" :
		     err_count(q->n_empty, "query").text,
		     q->n_empty == 1 ? "is" : "are", q->empty.where,
		     q->empty_at, (int)(name.n < 99 ? name.n : 99), name.p);
}

/* The scan; it refers to the queries. */
static int
compile(struct sw_scan **scan, unsigned threads, struct err *e)
{
	struct sw_gpu_params gpu = {
		.choice = scan_choice, .threads = threads,
		.kernel = *kernel == 'f' ? CUDA_SW_FAST :
			  strcmp(kernel, "paper") == 0 ? CUDA_SW_PAPER :
							 CUDA_SW_MODIFIED,
	};
	static const struct query_limits most = { .skip_empty = true };
	int rc;

	sw_words(&o, kind, strand, engine);
	/* what a letter is, the scoring says */
	rc = queries_load_within(&queries, &query_list, digits, &most, e);
	if (!rc) {
		note_empty(&queries);
		scan_note_queries(&queries);
		if (o.scoring.matrix && queries_are_dna(&queries) &&
		    sw_matrix_is_builtin(o.scoring.matrix))
			note(0, "the queries look like DNA, but --matrix=%s "
			     "is for proteins", o.scoring.matrix);
	}
	if (!rc)
		rc = sw_scan_new(scan, &o, &queries, e);
	if (!rc)
		rc = sw_use_gpu(*scan, &gpu, e);
	if (!rc && o.min_score > sw_scan_most(*scan))
		note(0, "--min-score %lld: no query can score more than %lld",
		     (long long)o.min_score, (long long)sw_scan_most(*scan));
	if (!rc && o.n > 1 && !sw_scan_logarithmic(*scan))
		note(1, "-n %lld may take long: with these scores, unrelated "
		     "sequences may reach ones that grow with their length",
		     (long long)o.n);
	return rc;
}

static void
note_gpu(struct sw_scan *scan)
{
	struct cuda_report r;

	sw_end_gpu(scan, &r);
	scan_report_gpu(&r);
	if (r.pieces)
		note(1, "GPU: %s, %llu of them again; %s left to the CPU",
		     err_count(r.pieces, "piece").text,
		     (unsigned long long)r.again,
		     err_count(r.left, "text").text);
}

static void
summary(uint64_t n_letters, struct sw_scan *scan)
{
	double t = now() - progress_started;

	note_gpu(scan);
	note(1, "%s, %s with strands, %.2f s, %.2f MB/s, %.3g billion cells/s",
	     err_count(n_letters, "letter").text,
	     err_count(sw_scan_patterns(scan), "query").text, t,
	     1e-6 * (double)n_letters / t, 1e-9 * (double)n_letters *
	     (double)sw_scan_rows(scan) / t);
}

static int
scan_all(struct scan_run *r, struct out *out, struct err *e)
{
	struct sink_params sp = { .prog = "sw-scan", SCAN_SINK,
				  .letters = o.with_seq, .best = choice,
				  .files = &queries, .tables = TABLE_HITS,
				  .colour = wants_colour("auto",
							 out_is_tty(out)) };
	struct sw_scan *scan = NULL;
	uint64_t n_letters = 0;
	int rc;

	o.with_seq |= printer_has_column(scan_columns, "sseq");
	if (scan_shows_letters(&spec)) {
		o.with_seq |= !o.no_cigar;
		sp.queries = &queries;
	}
	rc = compile(&scan, r->threads, e);
	if (!rc)
		rc = scan_format(r, &spec, out, &sp.format, e);
	if (!rc)
		rc = sw_fits_format(&o, sp.format, e);
	if (!rc)
		rc = scan_fits_columns(NULL, e);
	if (!rc)
		rc = sink_new(&r->sink, &sp, out, e);
	if (!rc)
		rc = sw_scan_run(r, scan, &n_letters, e);
	if (rc) {
		out_abort(out);
		die_err(e);
	}
	summary(n_letters, scan);
	scan_report_cost(r->sink, r);
	return scan_judge(r->sink, out, sp.format != FORMAT_REC);
}

int
main(int argc, char **argv)
{
	struct scan_run r;
	struct out *out;
	struct err e;

	out = scan_open(&r, &spec, argc, argv);
	o.chooses = choosing_option(&choice, overlap);
	if (o.chooses && o.n == 1)
		note(0, "--no-overlap chooses among -n alignments of each "
		     "query, of which there is 1");
	r.digits = digits;
	r.protein = o.scoring.matrix &&
		    sw_matrix_is_builtin(o.scoring.matrix);
	return scan_all(&r, out, &e);
}
