/* SPDX-License-Identifier: MIT */
/*
 * view.c - fuzz target: any payloads as frames, merged and viewed
 *
 * The input is frames {type 1, run 1, serial 1, records 2, length 2, payload}.
 * Nothing may go out of its bounds in any format, and merging must give the
 * same bytes, or the same refusal, for frames in turned order.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "output/output.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MAX_FRAMES = 64, TEXT = 1 << 16 };

static struct rec_frame *frame[MAX_FRAMES];
static size_t n_frames;

static void
parse(const uint8_t *p, size_t n)
{
	struct cur c = cur_of(p, n);

	for (n_frames = 0; n_frames < MAX_FRAMES; n_frames++) {
		uint8_t type = (uint8_t)cur_le(&c, 1);
		uint64_t run = cur_le(&c, 1), serial = cur_le(&c, 1);
		uint32_t records = (uint32_t)cur_le(&c, 2);
		size_t len = cur_le(&c, 2);
		const uint8_t *from = cur_take(&c, len);
		struct rec_frame *f = from ? rec_frame_new(len) : NULL;

		if (!f)
			return;
		f->type = type;
		f->run = run;
		f->serial = serial;
		f->records = records;
		if (len)
			memcpy(f->payload, from, len);
		frame[n_frames] = f;
	}
}

/* What o wrote to fd, hashed by its first bytes; ends the output. */
static size_t
written(int fd, struct out *o, bool whole, char *text)
{
	struct err e;
	ssize_t n;

	if (!whole || out_close(o, &e) != 0)
		n = 0;
	else
		n = pread(fd, text, TEXT, 0);
	if (!whole)
		out_abort(o);
	return n > 0 ? (size_t)n : 0;
}

static struct out *
open_out(int *fd)
{
	struct out *o;
	char path[40];
	struct err e;

	*fd = memfd_create("text", 0);
	snprintf(path, sizeof path, "/dev/fd/%d", *fd);
	if (*fd < 0 || out_open(&o, path, &e) != 0)
		abort();
	return o;
}

static size_t
merge(enum format format, unsigned how, bool turned, char *text, int *code)
{
	struct merge_params p = {
		.print = { .format = format, .header = true,
			   .letters = true, .prog = "fuzz" },
		.topk = { .n = how & 3, .per = (enum topk_per)(how >> 2 & 3),
			  .no_overlap = { 5, how & 16 ? 10 : 0 },
			  .drop_shadows = how & 64,
			  .sort = how & 32 ? SORT_POSITION : SORT_SCORE,
			  .partial = format == FORMAT_REC && !(how & 80),
			  .memory = 4096 },
	};
	bool damaged = false;	/* of frames that disagree the first counts */
	struct merge *m;
	struct err e;
	size_t n;
	int fd, r;
	struct out *o = open_out(&fd);

	r = merge_new(&m, &p, &e);
	for (size_t i = 0; i < n_frames && r >= 0; i++) {
		r = merge_frame(m, frame[turned ? n_frames - 1 - i : i], &e);
		damaged |= r > 0;
	}
	if (r >= 0)
		r = merge_verdict(m, &e) == ERR_NOMEM ? ERR_NOMEM : 0;
	if (r >= 0)
		r = merge_write(m, o, &e);
	*code = r ? r : damaged;
	n = written(fd, o, r == 0, text);
	close(fd);
	merge_free(m);
	return n;
}

static void
view(enum view_mode mode, enum format format)
{
	struct view_params p = { mode, { .format = format, .header = true,
					 .letters = true, .prog = "fuzz" } };
	static char text[TEXT];
	struct view *v;
	struct err e;
	int fd, r;
	struct out *o = open_out(&fd);

	r = view_new(&v, &p, o, &e);
	for (size_t i = 0; i < n_frames && r >= 0; i++)
		r = view_frame(v, frame[i], &e);
	if (r >= 0)
		r = view_finish(v, &e);
	for (unsigned i = 0; i < 50 && view_verdict(v, &e) != 0; i++)
		;
	written(fd, o, r == 0, text);
	close(fd);
	view_free(v);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static char a[TEXT], b[TEXT];
	static const enum format all[] = {
		FORMAT_REC, FORMAT_TSV, FORMAT_PAF, FORMAT_SAM, FORMAT_BED,
		FORMAT_GFF3, FORMAT_JSON, FORMAT_FASTA, FORMAT_PHYLIP,
		FORMAT_PHYLIP_LOWER, FORMAT_PHYLIP_STRICT, FORMAT_PRETTY,
		FORMAT_BLAST6, FORMAT_BOULDER,
	};
	unsigned how = n ? data[0] : 0;
	enum format f = all[(n > 1 ? data[1] : 0) % 14];
	int ca, cb;

	if (n < 2)
		return 0;
	parse(data + 2, n - 2);
	view((enum view_mode)(how % 6), f == FORMAT_REC ? FORMAT_TSV : f);
	view(VIEW_TEXT, f == FORMAT_REC ? FORMAT_TSV : f);
	n = merge(f, how, false, a, &ca);
	/* which of several refusals comes first may differ */
	if (merge(f, how, true, b, &cb) != n && (ca == 0 || cb == 0) &&
	    ca == cb)
		abort();
	if (ca == 0 && cb == 0 && memcmp(a, b, n) != 0)
		abort();
	for (size_t i = 0; i < n_frames; i++)
		rec_frame_drop(frame[i]);
	return 0;
}
