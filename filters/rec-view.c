/* SPDX-License-Identifier: MIT */
/* rec-view - show, convert and check a record stream */
#include "filters/options.h"
#include "flow/flow.h"
#include "output/output.h"

static struct view_params params = {
	.print = { .prog = "rec-view", .note = note },
};
static const char *format_name, *out_path, *color = "auto", *json = "lines";
static struct opt_list query_list;
static struct queries queries;
static int64_t n_threads;
static bool check, header, stats, no_header;

static const struct opt table[] = {
	OPT_SHOW_FORMAT(&format_name),
	OPT_OUTPUT(&out_path),
	{ 0, "check", NULL, OPT_FLAG, 0, 0, &check, NULL,
	  "check everything, write nothing" },
	{ 0, "header", NULL, OPT_FLAG, 0, 0, &header, NULL,
	  "write how the stream was made" },
	{ 0, "stats", NULL, OPT_FLAG, 0, 0, &stats, NULL,
	  "write the numbers of frames, sequences, letters and hits" },
	OPT_NO_HEADER(&no_header),
	OPT_COLUMNS(&params.print.columns),
	OPT_JSON(&json),
	OPT_SHOW_LETTERS(&params.print.letters),
	OPT_SHOW_QUERIES(&query_list),
	OPT_COLOR(&color),
	OPT_THREADS(&n_threads),
	OPT_PROGRESS,
	{ .letter = 0, .name = NULL },
};

static const struct opt_spec spec = {
	.prog = "rec-view",
	.does = "show, convert and check a record stream",
	.usage = "[options] [FILE ...]",
	.operands = "records, FASTA, FASTQ, BAM, 2bit, compressed; none: stdin",
	.table = table,
};

/* Words to numbers. */
static int
settle(struct out *out, struct err *e)
{
	enum format f;

	if (check + header + stats + (format_name || params.print.columns) > 1)
		return err_set(e, ERR_USAGE, "only one of -O or --columns, "
			       "--check, --header and --stats");
	if (chosen_format(&spec, format_name, out_path, &f, e) != 0)
		return e->code;
	f = f != FORMAT_NONE ? f : FORMAT_TSV;
	params.print.header = !no_header;
	params.print.colour = wants_colour(color, out_is_tty(out));
	params.print.format = f;
	params.print.array = *json == 'a';
	params.mode = check ? VIEW_CHECK : header ? VIEW_HEADER :
		      stats ? VIEW_STATS : f == FORMAT_REC ? VIEW_COPY :
		      f == FORMAT_FASTA ? VIEW_FASTA : VIEW_TEXT;
	return load_shown(&queries, &query_list, &params.print, e);
}

struct run {
	struct feed *feed;
	struct view *view;
	unsigned threads;
	uint64_t n_bytes;
};

static int
emit(void *ctx, struct pump_job *job, struct err *e)
{
	struct run *r = ctx;
	int rc = 0;

	progress_place(feed_place(r->feed));
	if (job->item.kind == FEED_DAMAGE) {
		warn("%s", job->item.text);
		view_damage(r->view);
	} else if (job->item.frame) {
		rc = view_frame(r->view, job->item.frame, e);
	}
	if (rc == VIEW_BAD)
		warn("%s", e->text);
	return rc < 0 ? rc : 0;
}

/* The verdict on stderr; text that is not whole never replaces a file. */
static int
judge(struct view *v, struct out *out)
{
	bool whole = true;
	struct err e;

	if (view_copies(v))
		note(0, "%s came twice: the copies were dropped",
		     err_count(view_copies(v), "frame").text);
	while (view_verdict(v, &e) != 0) {
		if (e.code != ERR_INCOMPLETE) {
			out_abort(out);
			die_err(&e);
		}
		warn("%s", e.text);
		whole = false;
	}
	if (!whole && out_path)
		out_abort(out);
	else if (output_close(out, check || no_header || !whole, &e))
		die_err(&e);
	return whole ? EXIT_DONE : EXIT_INCOMPLETE;
}

/* Through the feed, as far as there is anything to read. */
static int
view_operands(struct run *r, char **path, size_t n, struct err *e)
{
	static const struct pump_ops ops = { .emit = emit };
	struct feed_params feed = feed_defaults;
	struct feed_blank blank;
	int rc;

	feed.threads = r->threads;
	feed.results = true;
	rc = feed_open(&r->feed, path, n, &feed, e);
	if (rc == 0)
		rc = pump_run(r->feed, &ops, r, feed.threads, e);
	if (rc == 0 && feed_blank(r->feed, &blank))
		warn("%s", blank.text);
	if (rc == 0)
		r->n_bytes = feed_place(r->feed).n_bytes;
	feed_close(r->feed);
	return rc;
}

int
main(int argc, char **argv)
{
	struct run r = { 0 };
	struct out *out;
	struct err e;
	int operand, rc;

	if (opt_parse(&spec, argc, argv, &operand, &e) != 0 ||
	    output_open(&out, out_path, &spec, argv + operand, &e) != 0)
		die_err(&e);
	r.threads = n_threads ? (unsigned)n_threads : cpu_threads();
	progress_begin(out_is_tty(out), argv + operand,
		       (size_t)(argc - operand));
	rc = settle(out, &e);
	if (rc == 0)
		rc = view_new(&r.view, &params, out, &e);
	if (rc == 0)
		rc = view_operands(&r, argv + operand,
				   (size_t)(argc - operand), &e);
	if (rc == 0)
		rc = view_finish(r.view, &e);
	if (rc != 0) {
		out_abort(out);
		die_err(&e);
	}
	progress_read(r.n_bytes, r.threads);
	rc = judge(r.view, out);
	view_free(r.view);
	return rc;
}
