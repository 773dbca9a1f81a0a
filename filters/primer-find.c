/* SPDX-License-Identifier: MIT */
/* primer-find - primers that differ from everything in a background */
#include "cli/opt.h"
#include "filters/primer-parts.h"
#include "filters/scanner.h"
#include "scan/primer/primer.h"

static struct primer_options o;
static struct opt_list target_list;
static const char *alphabet = "dna", *primers, *strand, *engine = "auto";
static const char *algorithm = "fast", *kernel = "fast";
static int64_t prefetch, block_threads;	/* 0: the usual */
static bool site;
static struct pcr_files check_files = { .role = PCR_PRIMERS, .alone = true };

static const struct opt table[] = {
    {0, "check", "FILE", OPT_NAMEFILE, 0, 0, &check_files.pairs, NULL,
     "check these primers instead: FASTA, pairs, or BED of a scheme"},
    {'q', "query", "FILE", OPT_LISTFILE, 0, 0, &target_list, NULL,
     "targets: FASTA, FASTQ, or one a line; - is stdin"},
    {'e', "pattern", "LETTERS", OPT_LIST, 0, 0, &target_list, NULL,
     "one target"},
    {'k', "differences", "K", OPT_INT, 1, PRIMER_MAX_K, &o.k, NULL,
     "minimum number of differences from the background"},
    {0, "min-len", "LEN", OPT_INT, 1, PRIMER_LONGEST, &o.min_len, NULL,
     "minimum length: shorter primers are extended"},
    {0, "max-len", "LEN", OPT_INT, 1, PRIMER_LONGEST, &o.max_len, NULL,
     "omit longer primers"},
    {0, "three-prime", "LEN:K", OPT_TEXT, 0, 0, &o.three_prime, NULL,
     "the last LEN letters alone have at least K differences"},
    {0, "gc", "LO-HI", OPT_TEXT, 0, 0, &o.gc, NULL,
     "omit primers with less than LO or more than HI percent G and C"},
    {0, "tm", "LO-HI", OPT_TEXT, 0, 0, &o.tm, NULL,
     "omit primers that melt below LO or above HI degrees Celsius"},
    {0, "salt-monovalent", "MM", OPT_TEXT, 0, 0, &o.monovalent, "50",
     "for --tm: monovalent cations, mmol/l"},
    {0, "salt-divalent", "MM", OPT_TEXT, 0, 0, &o.divalent, "1.5",
     "for --tm: divalent cations, mmol/l"},
    {0, "dntp-conc", "MM", OPT_TEXT, 0, 0, &o.dntp, "0.6",
     "for --tm: nucleotides, which bind divalent cations, mmol/l"},
    {0, "dna-conc", "NM", OPT_TEXT, 0, 0, &o.dna, "50",
     "for --tm: the primer, nmol/l"},
    {0, "max-homopolymer", "N", OPT_INT, 1, PRIMER_LONGEST, &o.max_homopolymer,
     NULL, "omit primers with more than N equal letters in a row"},
    {0, "fit", NULL, OPT_FLAG, 0, 0, &o.fit, NULL,
     "extend what these omit until it fits, within --max-len"},
    {0, "primers", "+|-|both", OPT_CHOICE, 0, 0, &primers, "+",
     "strands of the targets to find primers on"},
    {'s', "strand", "+|-|both", OPT_CHOICE, 0, 0, &strand, "both",
     "strands of the background"},
    {0, "site", NULL, OPT_FLAG, 0, 0, &site, NULL,
     "add the nearest place in the background; reads it again"},
    {0, "self", "NAME|BED", OPT_NAMEFILE, 0, 0, &o.self, NULL,
     "the target's own locus in the background, to be ignored"},
    {0, "alphabet", "dna|literal", OPT_CHOICE, 0, 0, &alphabet, "dna",
     "alphabet; literal: bytes, one strand"},
    {0, "algorithm", "fast|conventional|alternative", OPT_CHOICE, 0, 0,
     &algorithm, "fast", "the source paper's algorithms, slow, for comparison"},
    {0, "paper-opts", "LIST", OPT_TEXT, 0, 0, &o.paper_opts, "all",
     "their optimisations: all, none, or some by number or name"},
    {0, "parallel", "coarse|fine|both", OPT_CHOICE, 0, 0, &o.parallel, "coarse",
     "how their threads split: by start, within one, or both"},
    {0, "kernel", "fast|paper", OPT_CHOICE, 0, 0, &kernel, "fast",
     "GPU kernel: ours, or the source paper's"},
    {0, "paper-prefetch", "C", OPT_INT, 1, PAPER_PRIMER_MAX_FACTOR, &prefetch,
     "1", "for --kernel=paper: prefetch 32 C letters"},
    {0, "paper-threads", "N", OPT_INT, 1, PAPER_PRIMER_MAX_THREADS,
     &block_threads, "256", "for --kernel=paper: threads per block"},
    PAIR_OPTIONS,
    SCAN_OPT_CIRCULAR,
    SCAN_OPTIONS("rec|tsv|bed|gff3|fasta|json|boulder"),
    {0, "engine", "auto|plain|blocks|short", OPT_CHOICE, 0, 0, &engine, NULL,
     NULL}, /* for tests and benchmarks */
    {.letter = 0, .name = NULL},
};

static const struct opt_spec spec = {
	.prog = "primer-find",
	.does = "find primers that differ from everything in a background",
	.usage = "[options] -k K -q FILE [FILE ...], or --check FILE",
	.operands = "background: records, FASTA, FASTQ, BAM, 2bit; none: stdin",
	.table = table,
};

/* The scan; it refers to the targets. */
static int
compile(struct primer_scan **scan, struct err *e)
{
	static const struct query_limits most = {
		.letters = 1 << 28, .bytes = 1 << 30,
	};
	static struct queries q;
	size_t n_short = 0;
	int rc = 0;

	primer_words(&o, alphabet, primers, strand, engine, algorithm);
	o.paper_gpu = *kernel == 'p';
	if (!o.paper_gpu && (prefetch || block_threads))
		rc = err_set(e, ERR_USAGE, "--paper-%s: only with "
			     "--kernel=paper", prefetch ? "prefetch" :
			     "threads");
	if (!rc)
		rc = queries_load_within(&q, &target_list,
					 o.alphabet == PRIMER_LITERAL, &most,
					 e);
	if (!rc)
		rc = primer_scan_new(scan, &o, &q, e);
	if (!rc)
		scan_note_queries(&q);
	for (size_t i = 0; !rc && i < q.n; i++)
		n_short += (int64_t)q.v[i].letters.n < o.k;
	if (n_short)
		note(0, "%s fewer than the %lld letters of -k: no primer can "
		     "be there", n_short == 1 ? "a target has" :
		     err_count(n_short, "target").text, (long long)o.k);
	return rc;
}

static int
use_gpu(struct primer_scan *scan, unsigned threads, struct err *e)
{
	struct primer_gpu_params p = {
		.choice = scan_choice, .threads = threads,
		.how = { .threads = (unsigned)block_threads,
			 .factor = (unsigned)prefetch },
	};

	return primer_use_gpu(scan, &p, e);
}

static void
summary(struct primer_scan *scan, const struct primer_scan_stats *s)
{
	double t = now() - progress_started;
	struct cuda_report r;

	primer_end_gpu(scan, &r);
	scan_report_gpu(&r);
	note(1, "%s, %s, %.2f s, %.2f MB/s",
	     err_count(s->letters, "letter").text,
	     err_count(s->starts, "start").text, t,
	     1e-6 * (double)s->letters / t);
	note_work(s, o.paper);
}

static int
scan_all(struct scan_run *r, struct out *out, struct err *e)
{
	struct sink_params sp = { .prog = "primer-find", .primers = true,
				  SCAN_SINK, .note = note,
				  .tables = TABLE_PRIMERS };
	struct primer_scan *scan = NULL;
	struct primer_sites *sites = NULL;
	struct primer_scan_stats stats;
	int rc = pairs_settle(&primers, alphabet, site, e);

	r->joins = pair_params.product_size;
	if (!rc)
		rc = compile(&scan, e);
	if (!rc)
		rc = use_gpu(scan, r->threads, e);
	if (!rc)
		rc = pair_params.product_size ?
		     pairs_sink(&sp, &spec, &o, scan, out, e) :
		     scan_format(r, &spec, out, &sp.format, e);
	if (!rc && site) {
		rc = primer_sites_new(&sites, r, scan, sp.format, e);
		sp.sites = primer_sites_find;
		sp.sites_ctx = sites;
	}
	if (!rc)
		rc = sink_new(&r->sink, &sp, out, e);
	if (!rc)
		rc = primer_scan_run(r, scan, sites, &stats, e);
	if (rc) {
		out_abort(out);
		die_err(e);
	}
	summary(scan, &stats);
	if (sp.format != FORMAT_REC)	/* a worker may get less */
		note_swapped(&stats);
	scan_report_cost(r->sink, r);
	return scan_judge(r->sink, out, sp.format != FORMAT_REC);
}

/* What has no meaning for primers that are given. */
static int
check_settle(struct err *e)
{
	const char *what =
	    o.min_len ? "--min-len" : o.max_len ? "--max-len" :
	    o.three_prime ? "--three-prime" : o.gc ? "--gc" :
	    o.tm ? "--tm" : o.max_homopolymer ? "--max-homopolymer" :
	    o.fit ? "--fit" : primers ? "--primers" : site ? "--site" :
	    *alphabet != 'd' ? "--alphabet=literal" :
	    *algorithm != 'f' ? "--algorithm" : *kernel != 'f' ? "--kernel" :
	    o.paper_opts ? "--paper-opts" : o.parallel ? "--parallel" :
	    pair_params.product_size ? "--product-size" :
	    prefetch ? "--paper-prefetch" :
	    block_threads ? "--paper-threads" : pairs_option();

	primer_words(&o, alphabet, primers, strand, engine, algorithm);
	return !what ? 0 : err_set(e, ERR_USAGE, "%s: not with --check", what);
}

int
main(int argc, char **argv)
{
	struct scan_run r;
	struct out *out;
	struct err e;

	out = scan_open(&r, &spec, argc, argv);
	if (!check_files.pairs)
		return scan_all(&r, out, &e);
	if (check_settle(&e)) {
		out_abort(out);
		die_err(&e);
	}
	return check_all(&r, &spec, &o, &check_files, &target_list, out);
}
