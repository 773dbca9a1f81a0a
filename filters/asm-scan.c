/* SPDX-License-Identifier: MIT */
/* asm-scan - approximate matches of patterns in genomes */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cpu.h"
#include "base/opt.h"
#include "scan/asm.h"
#include "scan/sink.h"
#include "stream/pump.h"
#include "stream/query.h"

static struct asm_options o;
static struct opt_list query_list;
static const char *alphabet = "dna", *report, *strand;
static const char *format_name, *out_path, *gpu = "auto";
static int64_t n_threads, progress;
static bool no_header;

static const struct opt table[] = {
	{ 'q', "query", "FILE", OPT_LISTFILE, 0, 0, &query_list, NULL,
	  "patterns: FASTA, FASTQ, or one a line; - is stdin" },
	{ 'e', "pattern", "LETTERS", OPT_LIST, 0, 0, &query_list, NULL,
	  "one pattern" },
	{ 'k', "differences", "K|K%", OPT_TEXT, 0, 0, &o.k, "0",
	  "differences allowed, or percent of a pattern's length" },
	{ 0, "report", "minima|all|best|count", OPT_CHOICE, 0, 0, &report,
	  "minima", "which ends: all with --no-indels by default" },
	{ 0, "no-indels", NULL, OPT_FLAG, 0, 0, &o.no_indels, NULL,
	  "substitutions only" },
	{ 0, "iupac", NULL, OPT_FLAG, 0, 0, &o.iupac, NULL,
	  "IUPAC codes of the text match as sets; else nothing" },
	{ 0, "alphabet", "dna|protein|bytes", OPT_CHOICE, 0, 0, &alphabet,
	  "dna", "what letters are; protein and bytes have one strand" },
	{ 's', "strand", "+|-|both", OPT_CHOICE, 0, 0, &strand, "both",
	  "strands of the text to search" },
	{ 0, "no-cigar", NULL, OPT_FLAG, 0, 0, &o.no_cigar, NULL,
	  "starts, but no CIGARs" },
	{ 0, "ends", NULL, OPT_FLAG, 0, 0, &o.ends, NULL,
	  "ends only: neither starts nor CIGARs; the fastest" },
	{ 0, "with-seq", NULL, OPT_FLAG, 0, 0, &o.with_seq, NULL,
	  "add the matched letters as in the input" },
	{ 'O', "format", "rec|tsv|paf|sam|bed|gff3|json", OPT_CHOICE, 0, 0,
	  &format_name, "rec; tsv on a terminal", "output format" },
	{ 'o', "output", "FILE", OPT_FILE, 0, 0, &out_path, "stdout",
	  "write to FILE, which appears when it is whole" },
	{ 0, "no-header", NULL, OPT_FLAG, 0, 0, &no_header, NULL,
	  "no header line in tsv" },
	{ 't', "threads", "N", OPT_INT, 1, 1024, &n_threads,
	  "all processors", "threads" },
	{ 'g', "gpu", "auto|none|N", OPT_TEXT, 0, 0, &gpu, "auto",
	  "GPU to use" },
	{ 0, "progress", "SEC", OPT_SECONDS, 1, 86400, &progress, NULL,
	  "tell on stderr how far it is, every SEC seconds" },
	{ .letter = 0, .name = NULL },
};

static const struct opt_spec spec = {
	.prog = "asm-scan",
	.does = "find patterns in genomes with at most k differences",
	.usage = "[options] -q FILE [FILE ...]",
	.operands = "record streams or FASTA, plain or gzip; none: stdin",
	.table = table,
};

struct scanner {
	struct asm_scan *scan;
	struct asm_thread **thread;
	struct asm_best *best;
	struct feed *feed;
	struct sink *sink;
	bool begun;
	uint64_t run;		/* the last one begun */
	double start, told;
};

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int
work(void *ctx, unsigned thread, struct pump_job *job, struct err *e)
{
	struct scanner *s = ctx;
	const struct rec_frame *f = job->item.frame;

	if (f->type != REC_CHUNK)
		return 0;
	return asm_chunk(s->thread[thread], f, job->before, job->n_before,
			 &job->out, e);
}

/* BEGIN of this scan, before the first result of each run. */
static int
begin(struct scanner *s, const struct rec_frame *f, struct err *e)
{
	struct chunk c;
	int rc;

	if (s->begun && s->run == f->run)
		return 0;
	rc = chunk_view(&c, f, e);
	if (rc)
		return rc;
	rc = sink_begin(s->sink, &c.run, asm_key(s->scan), asm_text(s->scan),
			e);
	chunk_free(&c);
	s->begun = true;
	s->run = f->run;
	return rc;
}

static int
emit(void *ctx, struct pump_job *job, struct err *e)
{
	struct scanner *s = ctx;
	const struct rec_frame *f = job->item.frame;
	int rc = 0;

	if (progress && now() - s->told >= (double)progress) {
		s->told = now();
		note(0, "%.3f GB read, %.0f s", 1e-9 *
		     (double)feed_offset(s->feed), s->told - s->start);
	}
	if (job->item.kind == FEED_DAMAGE) {
		warn("%s", job->item.text);
		sink_damage(s->sink);
	}
	if (!f)
		return 0;
	rc = sink_frame(s->sink, f, e);
	if (rc == SINK_WARN) {
		warn("%s", e->text);
		return 0;
	}
	if (rc || f->type != REC_CHUNK)
		return rc;
	rc = begin(s, f, e);
	if (rc)
		return rc;
	return s->best ? asm_best_add(s->best, f, &job->out, e) :
	       sink_bytes(s->sink, &job->out, e);
}

static int
finish(struct scanner *s, struct err *e)
{
	struct buf b = { 0 };
	int rc = 0;

	if (s->best)
		rc = asm_best_finish(s->best, &b, e);
	if (!rc && b.n)
		rc = sink_bytes(s->sink, &b, e);
	buf_free(&b);
	return rc ? rc : sink_finish(s->sink, e);
}

/* Words to numbers; what formats do not go with which rows. */
static int
settle(struct out *out, enum format *format, struct err *e)
{
	bool text, starts, cigars;

	o.alphabet = strcmp(alphabet, "dna") == 0 ? KDIFF_DNA :
		     strcmp(alphabet, "bytes") == 0 ? KDIFF_BYTES :
		     KDIFF_PROTEIN;
	o.strands = !strand || *strand == 'b' ? ASM_AUTO :
		    *strand == '+' ? ASM_PLUS : ASM_MINUS;
	o.report = !report ? ASM_DEFAULT : *report == 'm' ? ASM_MINIMA :
		   *report == 'a' ? ASM_ALL : *report == 'b' ? ASM_BEST :
		   ASM_COUNT;
	*format = format_name ? format_of(format_name) :
		  out_is_tty(out) ? FORMAT_TSV : FORMAT_REC;
	text = *format == FORMAT_TSV || *format == FORMAT_JSON;
	cigars = *format == FORMAT_PAF || *format == FORMAT_SAM;
	starts = cigars || *format == FORMAT_BED || *format == FORMAT_GFF3;
	if (o.ends && starts)
		return err_set(e, ERR_USAGE, "-O %s needs where a match "
			       "begins: not with --ends", format_name);
	if (o.no_cigar && cigars)
		return err_set(e, ERR_USAGE, "-O %s needs CIGARs: not with "
			       "--no-cigar", format_name);
	if (o.report == ASM_COUNT && !text && *format != FORMAT_REC)
		return err_set(e, ERR_USAGE, "-O %s holds no counts: use tsv "
			       "or json", format_name);
	if (strcmp(gpu, "auto") != 0 && strcmp(gpu, "none") != 0)
		return err_set(e, ERR_DEVICE, "-g %s: built without CUDA",
			       gpu);
	return 0;
}

static int
prepare(struct scanner *s, char **operand, size_t n, struct err *e)
{
	struct feed_params fp = feed_defaults;
	int rc = 0;

	s->thread = calloc((size_t)n_threads, sizeof *s->thread);
	if (!s->thread)
		return err_nomem(e, (size_t)n_threads * sizeof *s->thread);
	if (asm_report(s->scan) == ASM_BEST)
		rc = asm_best_new(&s->best, s->scan, e);
	for (int64_t i = 0; i < n_threads && !rc; i++)
		rc = asm_thread_new(&s->thread[i], s->scan, s->best, e);
	fp.min_context = asm_context(s->scan);
	fp.threads = (unsigned)n_threads;
	return rc ? rc : feed_open(&s->feed, operand, n, &fp, e);
}

static void
summary(const struct scanner *s)
{
	double t = now() - s->start;
	uint64_t n = 0;

	for (int64_t i = 0; i < n_threads; i++)
		n += asm_thread_letters(s->thread[i]);
	note(1, "%llu letters, %zu patterns, %.2f s, %.2f GB/s",
	     (unsigned long long)n, asm_patterns(s->scan), t,
	     1e-9 * (double)n / t);
	if (sink_copies(s->sink))
		note(0, "%llu frames came twice and were dropped",
		     (unsigned long long)sink_copies(s->sink));
}

/* The verdict on stderr; text that is not whole never replaces a file. */
static int
judge(struct scanner *s, struct out *out, bool text)
{
	struct err e;
	bool whole = true;

	while (sink_verdict(s->sink, &e)) {
		warn("%s", e.text);
		whole = false;
	}
	if (!whole && text && out_path)
		out_abort(out);
	else if (out_close(out, &e))
		die_err(&e);
	return whole ? EXIT_DONE : EXIT_INCOMPLETE;
}

int
main(int argc, char **argv)
{
	struct pump_ops ops = { .work = work, .emit = emit };
	struct sink_params sp = { .prog = "asm-scan" };
	struct scanner s = { .start = now() };
	struct queries queries;
	struct out *out;
	struct err e;
	int operand, rc;

	s.told = s.start;
	if (opt_parse(&spec, argc, argv, &operand, &e))
		die_err(&e);
	if (n_threads == 0)
		n_threads = cpu_threads();
	if (out_open(&out, out_path, &e))
		die_err(&e);
	rc = settle(out, &sp.format, &e);
	if (!rc)
		rc = queries_load(&queries, &query_list,
				  o.alphabet == KDIFF_BYTES, &e);
	if (!rc)
		rc = asm_new(&s.scan, &o, &queries, &e);
	sp.header = !no_header;
	sp.letters = o.with_seq;
	if (!rc)
		rc = sink_new(&s.sink, &sp, out, &e);
	if (!rc)
		rc = prepare(&s, argv + operand, (size_t)(argc - operand),
			     &e);
	if (!rc) {
		ops.context = asm_context(s.scan);
		rc = pump_run(s.feed, &ops, &s, (unsigned)n_threads, &e);
	}
	if (!rc)
		rc = finish(&s, &e);
	if (rc) {
		out_abort(out);
		die_err(&e);
	}
	summary(&s);
	return judge(&s, out, sp.format != FORMAT_REC);
}
