/* SPDX-License-Identifier: MIT */
/* merge-topk - merge results, keep the best, check that nothing is missing */
#include <stdlib.h>
#include <string.h>

#include "filters/options.h"
#include "input/input.h"
#include "output/output.h"

static struct merge_params params = { .print.prog = "merge-topk",
				      .print.note = note };
static const char *per = "query", *ties = "cut", *color = "auto", *sort;
static const char *overlap, *json = "lines", *format_name, *out_path;
static struct opt_list query_list;
static struct queries queries;
static int64_t keep, runs, n_threads;
static bool missing, no_header, damaged;

static const struct opt table[] = {
	{ 'n', "max-hits", "N", OPT_INT, 1, INT64_MAX, &keep, "all",
	  "keep the best N rows of each group" },
	OPT_FORMER("best", "max-hits"),
	{ 0, "per", "query|subject|pair|all", OPT_CHOICE, 0, 0, &per, "query",
	  "what forms a group" },
	{ 0, "ties", "cut|keep", OPT_CHOICE, 0, 0, &ties, "cut",
	  "rows that score the same as the last one kept" },
	{ 0, "sort", "score|position|begin|offtarget-score", OPT_CHOICE, 0, 0,
	  &sort, "score, or begin with -O bed",
	  "order of rows within a query, or of all by place" },
	OPT_NO_OVERLAP(&overlap),
	OPT_DROP_SHADOWS(&params.topk.drop_shadows),
	{ 0, "partial", NULL, OPT_FLAG, 0, 0, &params.topk.partial, NULL,
	  "merge what is there into records, for a later stage" },
	{ 0, "runs", "N", OPT_INT, 1, INT64_MAX, &runs, NULL,
	  "number of runs that must be present" },
	{ 0, "missing", NULL, OPT_FLAG, 0, 0, &missing, NULL,
	  "write what is missing, for fasta-chunk --only @FILE" },
	OPT_SHOW_FORMAT(&format_name),
	OPT_OUTPUT(&out_path),
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
	.prog = "merge-topk",
	.does = "merge results, keep the best, and check that nothing is "
		"missing",
	.usage = "[options] [FILE ...]",
	.operands = "record streams, or compressed; none: stdin",
	.table = table,
};

static int
settle(struct out *out, struct err *e)
{
	struct topk_params *t = &params.topk;
	const char *word;
	enum format f;

	if (chosen_format(&spec, format_name || !t->partial || out_path ?
			  format_name : "rec", out_path, &f, e))
		return e->code;
	t->n = (uint64_t)keep;
	word = choosing_option(t, overlap);
	if (word && t->partial)
		return err_set(e, ERR_USAGE, "%s is for the last "
			       "stage: not with --partial", word);
	params.runs = (uint64_t)runs;
	params.chunks = missing;
	params.print.header = !no_header;
	params.print.array = *json == 'a';
	params.print.colour = wants_colour(color, out_is_tty(out));
	params.print.format = missing || (f == FORMAT_NONE && t->partial) ?
			FORMAT_REC : f == FORMAT_NONE ? FORMAT_TSV : f;
	if (t->partial && (missing || params.print.format != FORMAT_REC))
		return err_set(e, ERR_USAGE, "--partial writes records: not "
			       "with %s%s", missing ? "--missing" : "-O ",
			       missing ? "" : format_word(f));
	topk_words(t, per, ties, sort ? sort :
		   params.print.format == FORMAT_BED ? "begin" : "score");
	return load_shown(&queries, &query_list, &params.print, e);
}

static struct feed_place before;	/* what the operands before held */
static struct feed_place
place(const struct source *s)
{
	return (struct feed_place){ before.n_bytes + source_offset(s),
				    before.n_read + source_n_read(s), 0 };
}

/* All frames of one stream; damage is reported, and reading goes on. */
static int
read_frames(struct merge *m, struct source *s, struct err *e)
{
	struct rec_reader *reader;
	struct rec_frame *f;
	int r = rec_reader_new(&reader, s, e), got;

	while (r == 0 && (got = rec_read(reader, &f, e)) != REC_EOF) {
		if (got == REC_FRAME) {
			r = merge_frame(m, f, e);
			rec_frame_drop(f);
			if (r < 0)
				err_at(e, "%s", source_name(s));
			if (r == MERGE_BAD) {
				warn("%s: %s", source_name(s), e->text);
				damaged = true;
				r = 0;
			}
		} else if (got == REC_DAMAGE) {
			warn("%s", e->text);
			merge_damage(m);
			damaged = true;
		} else {
			r = got;
		}
		progress_place(place(s));
	}
	rec_reader_free(reader);
	return r;
}

/* A text begins with what prints; a stream, even a damaged one, does not. */
static bool
is_text(const uint8_t *p, size_t n)
{
	return n && !rec_is(p, n) && *p < 0x7f && (*p >= ' ' || *p == '\n');
}

static int
read_operand(struct merge *m, const char *path, bool alone, struct err *e)
{
	const uint8_t *p;
	struct source *s;
	size_t n;
	int r = source_open(&s, path, (unsigned)n_threads, e);

	if (r < 0)
		return r;
	r = source_peek(s, REC_SYNC_LEN, &p, &n, e);
	if (r == 0 && is_text(p, n) &&
	    (r = source_peek(s, 512, &p, &n, e)) == 0)
		r = err_set(e, ERR_FORMAT, "%s: holds no records: merge "
			    "what a scanner wrote with -O rec%s",
			    source_name(s), hint_of(p, n));
	if (r == 0 && n == 0 && !alone) {	/* else the verdict says so */
		warn("%s: " NO_BYTE, source_name(s));
		damaged |= !missing;	/* which may be empty */
	}
	if (r == 0)
		r = read_frames(m, s, e);
	if (damaged)
		merge_damage(m);
	before = place(s);
	source_close(s);
	return r;
}

/* The verdict, or as much of it as anybody will read. */
static int
judge(struct merge *m, bool *whole, struct err *e)
{
	for (unsigned i = 0; i < 1000 && merge_verdict(m, e) != 0; i++) {
		if (e->code != ERR_INCOMPLETE)
			return e->code;
		warn("%s", e->text);
		*whole = false;
	}
	return 0;
}

static int
write_missing(struct merge *m, struct out *out, struct err *e)
{
	struct buf b = { 0 };
	int r = merge_missing(m, &b, e);

	r = r ? r : out_write(out, b.p, b.n, e);
	buf_free(&b);
	return r;
}

/* What is wanted of all that was read. */
static int
finish(struct merge *m, struct out *out, bool *whole, struct err *e)
{
	int r = missing ? 0 : merge_check(m, e);

	if (r < 0)
		return r;
	if (r > 0 && !params.topk.partial)
		note(0, "%s", e->text);
	if (merge_copies(m))
		note(0, "%s came twice: the copies were dropped",
		     err_count(merge_copies(m), "frame").text);
	r = params.topk.partial || missing ? 0 : judge(m, whole, e);
	if (r == 0 && *whole)
		r = missing ? write_missing(m, out, e) :
			      merge_write(m, out, e);
	/* the last stage will miss what was damaged; so say it here, too */
	if (r == 0 && params.topk.partial && damaged)
		note(0, "the stream was damaged: results are missing");
	return r;
}

int
main(int argc, char **argv)
{
	static char *standard_input[] = { "-" };
	struct merge *m = NULL;
	bool whole = true;
	struct out *out;
	int operand, r;
	char **path;
	struct err e;
	size_t n;

	if (opt_parse(&spec, argc, argv, &operand, &e) != 0 ||
	    output_open(&out, out_path, &spec, argv + operand, &e) != 0)
		die_err(&e);
	n = argc > operand ? (size_t)(argc - operand) : 1;
	path = argc > operand ? argv + operand : standard_input;
	n_threads = n_threads ? n_threads : cpu_threads();
	progress_begin(out_is_tty(out), path, n);
	r = settle(out, &e);
	if (r == 0)
		r = merge_new(&m, &params, &e);
	for (size_t i = 0; i < n && r == 0; i++)
		r = read_operand(m, path[i], n == 1, &e);
	if (r == 0)
		r = finish(m, out, &whole, &e);
	if (r < 0 || !whole)
		out_abort(out);
	else
		r = output_close(out, missing || no_header, &e);
	merge_free(m);
	if (r < 0)
		die_err(&e);
	progress_read(before.n_bytes, (unsigned)n_threads);
	return whole && !(params.topk.partial && damaged) ? EXIT_DONE :
							    EXIT_INCOMPLETE;
}
