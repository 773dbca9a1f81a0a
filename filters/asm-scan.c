/* SPDX-License-Identifier: MIT */
/* asm-scan - approximate matches of patterns in genomes */
#include "cli/opt.h"
#include "filters/scanner.h"
#include "scan/asm/asm.h"
#include "input/input.h"

static struct asm_options o;
static struct topk_params best;
static struct opt_list query_list;
static const char *alphabet = "dna", *report, *strand, *engine = "auto";
static const char *kernel = "fast", *pam_side = "3", *overlap;
static bool filter, invert;
static int64_t max[4] = { -1, -1, -1, -1 };
static struct queries queries;

static const struct opt table[] = {
	{ 'q', "query", "FILE", OPT_LISTFILE, 0, 0, &query_list, NULL,
	  "patterns: FASTA, FASTQ, or one a line; - is stdin" },
	{ 'e', "pattern", "LETTERS", OPT_LIST, 0, 0, &query_list, NULL,
	  "one pattern" },
	{ 'k', "differences", "K|K%", OPT_TEXT, 0, 0, &o.k, "0",
	  "differences (mismatches, insertions, deletions) allowed, or "
	  "percent of a pattern's length" },
	{ 0, "report", "minima|all|best|count", OPT_CHOICE, 0, 0, &report,
	  "minima", "which end positions to report; with --no-indels: all" },
	{ 0, "histogram", NULL, OPT_FLAG, 0, 0, &o.histogram, NULL,
	  "write counts by number of differences, no hits" },
	{ 'n', "max-hits", "N", OPT_INT, 1, INT64_MAX, &o.max_hits, "all",
	  "the best N hits of each pattern, as text" },
	OPT_NO_OVERLAP(&overlap),
	OPT_DROP_SHADOWS(&best.drop_shadows),
	{ 0, "no-indels", NULL, OPT_FLAG, 0, 0, &o.no_indels, NULL,
	  "substitutions (mismatches) only" },
	{ 0, "exact-prefix", "LEN", OPT_INT, 0, 100000, &o.exact_prefix, "0",
	  "a pattern's first LEN letters must match" },
	{ 0, "exact-suffix", "LEN", OPT_INT, 0, 100000, &o.exact_suffix, "0",
	  "a pattern's last LEN letters must match" },
	{ 0, "pam", "PAM[,PAM]", OPT_TEXT, 0, 0, &o.pam, NULL,
	  "patterns are guides; report each site beside a PAM, e.g. NGG" },
	{ 0, "pam-side", "3|5", OPT_CHOICE, 0, 0, &pam_side, "3",
	  "the guide's end at which its PAM is" },
	{ 0, "score-table", "FILE|mit", OPT_NAMEFILE, 0, 0, &o.score_table,
	  NULL, "score each site: MIT's formula, or factors as CFD's" },
	{ 0, "max-mismatches", "N", OPT_INT, 0, 100000, &max[0], "K",
	  "mismatches allowed among the differences" },
	{ 0, "max-bulges", "N", OPT_INT, 0, 100000, &max[1], "K",
	  "letters of bulges (indels) allowed" },
	{ 0, "max-dna-bulge", "N", OPT_INT, 0, 100000, &max[2], "K",
	  "letters allowed that only the text has" },
	{ 0, "max-rna-bulge", "N", OPT_INT, 0, 100000, &max[3], "K",
	  "letters allowed that only the pattern has" },
	{ 0, "overhang", "COST", OPT_TEXT, 0, 0, &o.overhang, NULL,
	  "cost of a letter beyond the ends of a sequence, 0 to 1; for "
	  "adapters" },
	{ 0, "overhang-start", "COST", OPT_TEXT, 0, 0, &o.overhang_start, NULL,
	  "beyond its begin only" },
	{ 0, "overhang-end", "COST", OPT_TEXT, 0, 0, &o.overhang_end, NULL,
	  "beyond its end only" },
	{ 0, "min-overlap", "N", OPT_INT, 1, 100000, &o.min_overlap, NULL,
	  "letters of a pattern that must not hang over" },
	{ 0, "per-overlap", NULL, OPT_FLAG, 0, 0, &o.per_overlap, NULL,
	  "-k K% is of the letters that do not hang over" },
	{ 0, "iupac", NULL, OPT_FLAG, 0, 0, &o.iupac, NULL,
	  "IUPAC codes in the text match as sets, not as mismatches" },
	{ 0, "alphabet", "dna|protein|bytes", OPT_CHOICE, 0, 0, &alphabet,
	  "dna", "alphabet; protein and bytes have one strand" },
	{ 's', "strand", "+|-|both", OPT_CHOICE, 0, 0, &strand, "both",
	  "strands of the text to search" },
	{ 0, "no-cigar", NULL, OPT_FLAG, 0, 0, &o.no_cigar, NULL,
	  "write start positions, but no CIGARs" },
	{ 0, "ends", NULL, OPT_FLAG, 0, 0, &o.ends, NULL,
	  "write end positions only: fastest" },
	{ 0, "with-seq", NULL, OPT_FLAG, 0, 0, &o.with_seq, NULL,
	  "add the matched letters as in the input" },
	{ 0, "filter", NULL, OPT_FLAG, 0, 0, &filter, NULL,
	  "write the FASTA and FASTQ records that match" },
	{ 0, "invert", NULL, OPT_FLAG, 0, 0, &invert, NULL,
	  "write the records that do not match" },
	{ 0, "kernel", "fast|paper|paper-global", OPT_CHOICE, 0, 0, &kernel,
	  "fast", "GPU kernel: ours, or the source paper's" },
	SCAN_OPT_CIRCULAR,
	SCAN_OPTIONS("rec|tsv|paf|sam|bed|gff3|json|pretty|svg|"
		     "offtarget|guides"),
	{ 0, "engine", "auto|text|patterns|filter|halves|rows", OPT_CHOICE, 0,
	  0, &engine, NULL, NULL },	/* for tests and benchmarks */
	{ .letter = 0, .name = NULL },
};

static const char *const values[] = { "score-table", "mit", NULL };

static const struct opt_spec spec = {
	.prog = "asm-scan",
	.does = "find patterns with at most k mismatches, insertions and "
		"deletions",
	.usage = "[options] -q FILE [FILE ...]",
	.operands = "records, FASTA, FASTQ, BAM, 2bit, compressed; none: stdin",
	.table = table, .is_name = asm_score_is_name, .values = values,
};

static void
summary(uint64_t n_letters, struct asm_scan *scan)
{
	double t = now() - progress_started;
	struct cuda_report r;

	asm_end_gpu(scan, &r);
	scan_report_gpu(&r);
	note(1, "%s, %s with strands, %.2f s, %.2f GB/s, %.3g billion letters "
	     "x patterns/s", err_count(n_letters, "letter").text,
	     err_count(asm_patterns(scan), "pattern").text, t,
	     1e-9 * (double)n_letters / t, 1e-9 * (double)n_letters *
	     (double)asm_patterns(scan) / t);
}

/* The scan; it refers to the queries. */
static int
compile(struct asm_scan **scan, unsigned threads, struct err *e)
{
	struct asm_gpu_params gpu = {
		.choice = scan_choice, .threads = threads,
		.kernel = *kernel == 'f' ? KDIFF_DEV_FAST : kernel[5] ?
			  KDIFF_DEV_PAPER_GLOBAL : KDIFF_DEV_PAPER,
	};
	static const struct query_limits most = {
		.letters = KDIFF_MAX_PATTERN, .bytes = 1 << 30,
	};
	struct asm_odd odd;
	int rc = 0;

	if (o.alphabet != KDIFF_BYTES)
		rc = asm_refuse_rate(&query_list, e);
	if (!rc)
		rc = queries_load_within(&queries, &query_list,
					 o.alphabet == KDIFF_BYTES, &most, e);
	if (rc || asm_new(scan, &o, &queries, e))
		return e->code;
	progress_patterns = (double)asm_patterns(*scan);
	scan_note_queries(&queries);
	if (o.alphabet == KDIFF_PROTEIN && queries_are_dna(&queries))
		note(0, "the queries look like DNA, but --alphabet=protein "
		     "is for proteins");
	if (asm_odd_k(*scan, &odd))
		note(0, "%s", odd.text);
	if (asm_odd_overhang(*scan, &odd)) {
		if (filter || invert)
			return err_set(e, ERR_USAGE, "every record would "
				       "pass: %s", odd.text);
		note(0, "%s", odd.text);
	}
	if (asm_odd_pam(*scan))
		note(0, "%s", asm_odd_pam(*scan));
	return asm_use_gpu(*scan, &gpu, e);
}

static int
scan_all(struct scan_run *r, struct out *out, struct err *e)
{
	struct sink_params sp = {
		.prog = "asm-scan", SCAN_SINK,
		.letters = o.with_seq, .best = best, .files = &queries,
		.tables = o.histogram || o.report == ASM_COUNT ?
			  TABLE_COUNTS : TABLE_HITS,
		.colour = wants_colour("auto", out_is_tty(out)),
	};
	struct asm_scan *scan = NULL;
	uint64_t n_letters = 0;
	int rc;

	o.with_seq |= printer_has_column(scan_columns, "sseq");
	if (scan_shows_letters(&spec))
		o.with_seq |= !o.ends && !o.no_cigar;
	rc = compile(&scan, r->threads, e);
	if (!rc)
		asm_order(scan, &sp.slack, &sp.longest);
	if (!rc)
		rc = scan_format(r, &spec, out, &sp.format, e);
	if (!rc)
		rc = asm_fits_format(&o, sp.format, e);
	if (!rc)
		rc = scan_fits_columns(o.score_table, e);
	if (sp.format == FORMAT_OFFTARGET || sp.format == FORMAT_GUIDES ||
	    sp.format == FORMAT_SAM || sp.format == FORMAT_PRETTY)
		sp.queries = &queries;
	if (!rc)
		rc = sink_new(&r->sink, &sp, out, e);
	if (!rc)
		rc = asm_run(r, scan, &n_letters, e);
	if (rc) {
		out_abort(out);
		die_err(e);
	}
	summary(n_letters, scan);
	scan_report_cost(r->sink, r);
	scan_report_full(r->sink, best.n);
	return scan_judge(r->sink, out, sp.format != FORMAT_REC);
}

static int
filter_all(struct asm_filter *f, struct err *e)
{
	const char *const other[] = { SCAN_OF_ROWS,
				      path_of_rows(scan_out_path) };
	struct asm_scan *scan = NULL;
	int rc = asm_only_records(&o, other, sizeof other / sizeof *other, e);

	if (!rc)
		rc = compile(&scan, f->threads, e);
	f->scan = scan;
	if (!rc)
		rc = asm_filter(f, e);
	if (rc)
		out_abort(f->out);
	else
		rc = out_close(f->out, e);
	if (rc)
		die_err(e);
	note(f->n_passed > 0, "%llu of %s passed", f->n_passed,
	     err_count(f->n_records, "record").text);
	summary(f->n_letters, scan);
	return EXIT_DONE;
}

int
main(int argc, char **argv)
{
	struct scan_run r;
	struct out *out;
	struct err e;

	out = scan_open(&r, &spec, argc, argv);
	asm_words(&o, alphabet, strand, report, engine);
	o.pam_before = *pam_side == '5';
	asm_limits(&o, max);
	best.n = (uint64_t)o.max_hits;
	o.chooses = choosing_option(&best, overlap);
	r.protein = o.alphabet == KDIFF_PROTEIN;
	if (filter || invert) {
		struct asm_filter f = {
			.invert = invert, .out = out, .operand = r.operand,
			.n_operands = r.n_operands, .threads = r.threads,
			.note = r.note, .progress = r.progress,
			.circular = r.circular,
		};

		return filter_all(&f, &e);
	}
	return scan_all(&r, out, &e);
}
