/* SPDX-License-Identifier: MIT */
/* fasta-chunk - cut sequences into a stream of chunks */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filters/options.h"
#include "base/base.h"
#include "flow/flow.h"

enum { MAX_LEN = 1 << 30 };

static struct feed_params params;
static int64_t own = 1000000, context = 1000, n_threads;
static struct opt_list regions;
static const char *part, *format, *out_path;
static bool make_index;

static const struct opt table[] = {
	{ 'L', "chunk-len", "LEN", OPT_SIZE, 1, MAX_LEN, &own, "1M",
	  "letters that a chunk owns" },
	{ 'W', "context", "LEN", OPT_SIZE, 0, MAX_LEN, &context, "1k",
	  "letters of context before these" },
	{ 0, "part", "I/N", OPT_TEXT, 0, 0, &part, NULL,
	  "only the chunks whose serial mod N is I, from 0" },
	{ 0, "only", "SERIALS|@FILE", OPT_ATFILE, 0, 0, &params.only, NULL,
	  "only these chunks: 3,17,20-31, or a file of such lines" },
	OPT_REGION(&regions, "only this sequence, or these letters of it, "
			     "from 1"),
	OPT_REGIONS(&regions),
	OPT_CIRCULAR(&params.circular, "read"),
	{ 0, "label", "TEXT", OPT_TEXT, 0, 0, &params.label, NULL,
	  "distinguish runs over the same input" },
	{ 0, "mask", NULL, OPT_FLAG, 0, 0, &params.mask, NULL,
	  "replace lower case by N" },
	{ 0, "digits", NULL, OPT_FLAG, 0, 0, &params.digits, NULL,
	  "accept digits, + and / as letters" },
	{ 0, "matrix", "auto|jaspar|meme|transfac|pfm", OPT_CHOICE, 0, 0,
	  &params.matrix, "auto", "read matrices of this format" },
	{ 0, "index", NULL, OPT_FLAG, 0, 0, &make_index, NULL,
	  "write FILE.fai, and FILE.gzi of bgzf, as samtools does; no stream" },
	OPT_THREADS(&n_threads),
	{ 'O', "format", "rec", OPT_CHOICE, 0, 0, &format, NULL, NULL },
	OPT_OUTPUT(&out_path),
	OPT_PROGRESS,
	{ .letter = 0, .name = NULL },
};

static const struct opt_spec spec = {
	.prog = "fasta-chunk",
	.does = "cut sequences into a stream of chunks",
	.usage = "[options] [FILE ...]",
	.operands = "FASTA, FASTQ, BAM, 2bit, matrices, compressed; none: "
		    "stdin",
	.table = table,
};

struct run {
	struct feed *feed;
	struct out *out;
	struct run_end end;	/* numbers only */
};

static int
encode(void *ctx, unsigned thread, struct pump_job *job, struct err *e)
{
	struct rec_frame *f = job->item.frame;
	int rc = rec_seal(f, e);

	(void)ctx;
	(void)thread;
	return rc || f->stored ? rc : rec_encode(&job->out, f, e);
}

static int
end_run(struct run *r, struct pump_job *job, struct err *e)
{
	struct rec_frame *f = job->item.frame;
	int rc = end_view(&r->end, f, e);

	return rc || job->out.n ? rc : rec_encode(&job->out, f, e);
}

static int
emit(void *ctx, struct pump_job *job, struct err *e)
{
	struct run *r = ctx;
	struct rec_frame *f = job->item.frame;
	int rc = 0;

	progress_place(feed_place(r->feed));
	if (f && f->type == REC_END)
		rc = end_run(r, job, e);
	if (!rc && f && f->stored)
		rc = out_write(r->out, f->payload - REC_HEADER, f->stored, e);
	else if (!rc && job->out.n)
		rc = out_write(r->out, job->out.p, job->out.n, e);
	return rc;
}

/* "i/n" */
static int
parse_part(const char *s, struct err *e)
{
	const char *p = s;
	char *end;

	if (!s)
		return 0;
	errno = 0;
	params.part = strtoull(p, &end, 10);
	if (isdigit((unsigned char)*p) && *end == '/' &&
	    isdigit((unsigned char)*(p = end + 1))) {
		params.parts = strtoull(p, &end, 10);
		if (*end == '\0' && errno == 0 && params.parts > 0)
			return 0;
	}
	return err_set(e, ERR_USAGE, "--part %s: must be i/n, "
		       "0 <= i < n", s);
}

/* A serial too high is a mistake: of the number, or of the file. */
static void
note_odd(const struct run *r)
{
	struct feed_absent absent;
	struct feed_blank blank;
	struct feed_twice twice;
	struct feed_stale stale;

	if (feed_stale(r->feed, &stale))
		warn("%s", stale.text);
	if (feed_twice(r->feed, &twice))
		warn("%s", twice.text);
	if (feed_blank(r->feed, &blank))
		warn("%s", blank.text);
	if (feed_absent(r->feed, r->end.chunks, &absent))
		warn("--only: the run has %s, from serial 0: there is no %s",
		     err_count(r->end.chunks, "chunk").text, absent.text);
}

static void
summary(const struct run *r)
{
	double t = now() - progress_started;

	note(1, "%s, %s, %s, %.2f s, %.2f GB/s",
	     err_count(r->end.sequences, "sequence").text,
	     err_count(r->end.letters, "letter").text,
	     err_count(r->end.chunks, "chunk").text, t,
	     1e-9 * (double)r->end.letters / t);
	progress_cost(params.threads);
}

/* The output, whatever it is called but a name of another format, and the n
 * operands. */
static int
open_both(struct run *r, char **operand, size_t n, struct err *e)
{
	enum format f;

	if (output_open(&r->out, out_path, &spec, operand, e))
		return e->code;
	if (!chosen_format(&spec, format, out_path, &f, e) &&
	    !feed_open(&r->feed, operand, n, &params, e))
		return 0;
	out_abort(r->out);
	return e->code;
}

/* --index: a file after the other. */
static int
index_files(char **path, struct err *e)
{
	if (!*path || part || params.only || regions.n || out_path ||
	    params.label || params.mask || params.digits || params.circular ||
	    params.own != feed_defaults.own ||
	    params.context != feed_defaults.context)
		return err_set(e, ERR_USAGE, "--index wants names of files, "
			       "and no other option but -t");
	for (; *path; path++) {
		struct fai_left left;

		if (strcmp(*path, "-") == 0)
			return err_set(e, ERR_USAGE, "--index: stdin has no "
				       "name");
		if (fai_build(*path, params.threads, &left, e))
			return e->code;
		if (left.odd)
			warn("%s: lines, or names of 2bit, hold blanks: no "
			     "%s.sfi, --part will read all", *path, *path);
		if (left.n_empty)
			warn("%s.fai leaves out %s without letters: %s%s",
			     *path, err_count(left.n_empty, "sequence").text,
			     left.empty, left.n_empty > 1 ? " ..." : "");
		if (left.n_twice)
			warn("%s.fai leaves out %s of names that came before: "
			     "%s%s", *path,
			     err_count(left.n_twice, "sequence").text,
			     left.twice, left.n_twice > 1 ? " ..." : "");
	}
	return 0;
}

int
main(int argc, char **argv)
{
	static const struct pump_ops ops = { .work = encode, .emit = emit };
	struct run r = { 0 };
	struct err e;
	int operand, rc;

	params = feed_defaults;
	params.regions = &regions;
	params.text_only = true;
	if (opt_parse(&spec, argc, argv, &operand, &e) ||
	    parse_part(part, &e))
		die_err(&e);
	params.own = (uint64_t)own;
	params.context = (uint64_t)context;
	params.threads = n_threads ? (unsigned)n_threads : cpu_threads();
	if (make_index) {
		if (index_files(argv + operand, &e))
			die_err(&e);
		return EXIT_DONE;
	}
	if (open_both(&r, argv + operand, (size_t)(argc - operand), &e))
		die_err(&e);
	if (out_is_tty(r.out))
		die(EXIT_USAGE, "binary output to a terminal: pipe it or use "
		    "-o");
	progress_begin(false, argv + operand, (size_t)(argc - operand));
	rc = pump_run(r.feed, &ops, &r, params.threads, &e);
	if (!rc)
		note_odd(&r);
	feed_close(r.feed);
	if (rc) {
		out_abort(r.out);
		die_err(&e);
	}
	if (out_close(r.out, &e))
		die_err(&e);
	summary(&r);
	return EXIT_DONE;
}
