/* SPDX-License-Identifier: MIT */
/* pcr-find - products of PCR in silico */
#include "filters/scanner.h"
#include "pcr/pcr.h"
#include "scan/pcr/pcr.h"

static struct pcr_find_params params = {
	.exact_suffix = 1, .print = { .prog = "pcr-find", .products = true },
};
static int64_t min_len = 1, max_len = 10000, max_hits;
static struct pcr_files files;
static const char *letters = "genome";
static struct opt_list letters_list;
static bool write_primers;
static struct pcr_pairs pairs;
static struct queries queries;	/* their primers */

static const struct opt table[] = {
	{ 'p', "pairs", "FILE", OPT_NAMEFILE, 0, 0, &files.pairs, NULL,
	  "pairs of primers: lines of name, forward, reverse, and perhaps min "
	  "and max; BED of a scheme; FASTA" },
	{ 'q', "query", "FILE", OPT_LISTFILE, 0, 0, &letters_list, NULL,
	  "letters of the primers of a BED without them, by name" },
	{ 'k', "differences", "K|K%", OPT_TEXT, 0, 0, &params.k,
	  "0; of hits: as they were found", "differences (mismatches, "
	  "insertions, deletions) allowed in each primer, or percent of its "
	  "length" },
	{ 0, "no-indels", NULL, OPT_FLAG, 0, 0, &params.no_indels, NULL,
	  "substitutions (mismatches) only" },
	{ 0, "exact-suffix", "LEN", OPT_INT, 0, 100000, &params.exact_suffix,
	  "1", "a primer's last LEN letters, its 3' end, must match" },
	{ 0, "min-len", "LEN", OPT_SIZE, 1, INT64_C(1) << 40, &min_len, "1",
	  "letters of a product at least" },
	{ 0, "max-len", "LEN", OPT_SIZE, 1, INT64_C(1) << 40, &max_len,
	  "10000", "letters of a product at most" },
	{ 0, "all-pairs", NULL, OPT_FLAG, 0, 0, &params.all_pairs, NULL,
	  "products of every primer with every other, and with itself" },
	{ 'n', "max-hits", "N", OPT_INT, 1, INT64_MAX, &max_hits, "all",
	  "the best N products of each pair and subject: those with the "
	  "fewest differences" },
	{ 0, "nested", "FILE", OPT_NAMEFILE, 0, 0, &files.inner, NULL,
	  "only products of these pairs, inside those of -p" },
	{ 0, "probe", "FASTA", OPT_NAMEFILE, 0, 0, &files.probes, NULL,
	  "only products in which one of these probes matches" },
	{ 0, "primers", NULL, OPT_FLAG, 0, 0, &write_primers, NULL,
	  "write the primers as FASTA, for asm-scan -q" },
	{ 0, "with-seq", NULL, OPT_FLAG, 0, 0, &params.print.letters, NULL,
	  "add the letters of products" },
	{ 0, "letters", "genome|primers", OPT_CHOICE, 0, 0, &letters, "genome",
	  "at both ends of a product: the sequence's, or the primers'" },
	SCAN_OPT_REGION("search"), SCAN_OPT_CIRCULAR,
	{ 'O', "output-format", "tsv|bed|fasta|gff3|json|svg", OPT_CHOICE, 0, 0,
	  &scan_format_name, "by the suffix of -o, else tsv",
	  "output format" },
	OPT_OUTPUT(&scan_out_path),
	OPT_NO_HEADER(&scan_no_header),
	{ 0, "columns", "NAME[,NAME]", OPT_TEXT, 0, 0, &scan_columns, "all",
	  "columns of tsv, in this order" },
	OPT_JSON(&scan_json),
	OPT_THREADS(&scan_threads),
	SCAN_OPT_GPU,
	OPT_PROGRESS,
	{ .letter = 0, .name = NULL },
};

static const struct opt_spec spec = {
	.prog = "pcr-find",
	.does = "find all products of PCR with at most k mismatches or indels "
		"in each primer",
	.usage = "[options] -p FILE [FILE ...]",
	.operands = "sequences, or hits of asm-scan as records; none: stdin",
	.table = table,
	.no_input = &write_primers,
};

static int
settle(struct err *e)
{
	int rc;

	params.print.header = !scan_no_header;
	params.print.columns = scan_columns;
	params.print.array = *scan_json == 'a';
	params.print.probes = files.probes;
	params.print.outer = files.inner;
	params.min = (uint64_t)min_len;
	params.max = (uint64_t)max_len;
	params.max_hits = (uint64_t)max_hits;
	params.primer_letters = *letters == 'p';
	if (min_len > max_len)
		return err_set(e, ERR_USAGE, "--min-len %lld is above "
			       "--max-len %lld", (long long)min_len,
			       (long long)max_len);
	if (!files.pairs)
		return err_set(e, ERR_USAGE, "-p FILE is missing: the pairs "
			       "of primers");
	rc = chosen_format(&spec, scan_format_name, scan_out_path,
			   &params.print.format, e);
	if (params.print.format == FORMAT_NONE)
		params.print.format = FORMAT_TSV;
	if (!rc)
		rc = pcr_find_settle_letters(&params, e);
	if (!rc)
		rc = printer_check(&params.print, TABLE_PRODUCTS, e);
	if (!rc && params.all_pairs && files.inner)
		rc = err_set(e, ERR_USAGE, "--nested: not with --all-pairs");
	files.alone = params.all_pairs;
	params.pairs = &pairs;
	params.queries = &queries;
	if (!rc)
		rc = pcr_files_load(&pairs, &files, &letters_list, e);
	return rc ? rc : pcr_pairs_queries(&pairs, &queries, e);
}

static int
write_fasta(const struct scan_run *r, struct out *out, struct err *e)
{
	int rc = r->n_operands || scan_format_name ?
		 err_set(e, ERR_USAGE, "--primers writes FASTA of the pairs: "
			 "without -O, and without other operands") : 0;

	for (size_t i = 0; i < pairs.n_primers && !rc; i++) {
		const struct pcr_primer *p = &pairs.primer[i];

		rc = out_printf(out, e, ">%.*s\n%.*s\n", (int)p->name.n,
				p->name.p, (int)p->letters.n, p->letters.p);
	}
	return rc;
}

/* The search that asm-scan would make. */
static int
search(struct pcr_find *p, struct scan_run *r, struct err *e)
{
	struct asm_options o = {
		.k = params.k, .no_indels = params.no_indels,
		.exact_suffix = params.exact_suffix,
	};
	struct asm_gpu_params gpu = {
		.choice = scan_choice, .threads = r->threads,
		.kernel = KDIFF_DEV_FAST,
	};
	struct asm_scan *scan = NULL;
	struct cuda_report report;
	uint64_t n_letters = 0;
	struct asm_odd odd;
	int rc;

	asm_words(&o, "dna", NULL, NULL, "auto");
	rc = asm_new(&scan, &o, &queries, e);
	if (!rc && asm_odd_k(scan, &odd))
		note(0, "%s", odd.text);
	if (!rc)
		rc = asm_use_gpu(scan, &gpu, e);
	if (!rc)
		rc = pcr_find_search(p, r, scan, &n_letters, e);
	if (!rc) {
		asm_end_gpu(scan, &report);
		scan_report_gpu(&report);
		note(1, "%s searched for %s",
		     err_count(n_letters, "letter").text,
		     err_count(queries.n, "primer").text);
	}
	asm_free(scan);
	return rc;
}

/* Sequences are searched, hits are taken as they are. */
static int
find(struct pcr_find *p, struct scan_run *r, struct err *e)
{
	static struct feed_look look;
	bool results = false;
	int rc = feed_look(&look, r->operand, r->n_operands, r->threads, e);

	if (rc == ERR_USAGE)
		err_set(e, rc, "some operands hold records, some hold "
			"sequences: give one or the other");
	r->look = &look;
	if (!rc)
		rc = feed_look_results(&look, r->operand, r->n_operands,
				       &results, e);
	if (rc)
		return rc;
	if (results && pcr_find_reads_twice(&params))
		return err_set(e, ERR_USAGE, "letters of products are not in "
			       "a stream of hits: give the sequences instead");
	if (results && (scan_regions.n || scan_circular))
		return err_set(e, ERR_USAGE, "%s: hits were found already",
			       scan_regions.n ? "-r" : "--circular");
	return results ? pcr_find_read(p, r, e) : search(p, r, e);
}

/* Products, if all hits are there; a part of them would pass for all. */
static int
finish(struct pcr_find *p, struct scan_run *r, struct out *out, struct err *e)
{
	bool whole;

	if (scan_whole(r->sink, &whole, e) ||
	    (whole && pcr_find_write(p, r, out, e)))
		return e->code;
	note(1, "%s", err_count(pcr_find_products(p), "product").text);
	scan_report_cost(r->sink, r);
	return whole ? EXIT_DONE : EXIT_INCOMPLETE;
}

/* An exit status, or an error. */
static int
find_products(struct scan_run *r, struct out *out, struct err *e)
{
	struct sink_params sp = {
		.prog = "pcr-find", .format = FORMAT_TSV, .hit = pcr_find_hit,
	};
	struct pcr_find *p;
	int rc = pcr_find_new(&p, &params, e);

	sp.hit_ctx = p;
	if (!rc)
		rc = sink_new(&r->sink, &sp, out, e);
	if (!rc)
		rc = find(p, r, e);
	return rc ? rc : finish(p, r, out, e);
}

int
main(int argc, char **argv)
{
	struct scan_run r;
	struct out *out = scan_open(&r, &spec, argc, argv);
	struct err e;
	int rc = settle(&e);

	if (!rc)
		rc = write_primers ? write_fasta(&r, out, &e) :
				     find_products(&r, out, &e);
	if (rc == EXIT_DONE)
		rc = output_close(out, scan_no_header, &e);
	else
		out_abort(out);
	if (rc < 0)
		die_err(&e);
	return rc;
}
