/* SPDX-License-Identifier: MIT */
/* merge_long.c - a target of two stretches, and a primer across both */
#define _GNU_SOURCE	/* memfd_create */
#include "tests/lib/merge_case.h"

static const struct scan_key scan = { 9, { "virus.fa", 8 }, SCAN_MAX };
static const uint64_t len = PRIMER_SPLIT + 100, cut = PRIMER_SPLIT;

/* Ends at their starts, so that all but length and letters are met. */
static struct frames
two_stretches(uint64_t *end, const uint8_t *letters)
{
	struct range g = range_of(0, 1);
	struct primer_part p = { .run = run, .target = { 0, len, STR("t") },
		.receipt = { .scan = scan, .range = &g, .n_ranges = 1 },
		.options = STR("k 2\nthree-prime 4:1\n") };
	struct frames s = { .n = 0 };
	struct rec_frame *f;

	add_books(&s, &run, &scan, 1);
	for (unsigned i = 0; i < 2; i++) {
		p.beg = i * cut;
		p.n = (size_t)primer_starts(len, p.beg);
		p.letters = letters + p.beg;
		p.end = p.end3 = end + p.beg;
		p.receipt.number = i;
		p.receipt.last = i;
		ok(primer_encode(&f, &p, &err) == 0, "stretch %u", i);
		add_frame(&s, f);
	}
	p.n--;
	ok(primer_encode(&f, &p, &err) == ERR_FORMAT, "%s", err.text);
	return s;
}

int
main(void)
{
	uint64_t *end = malloc(len * sizeof *end);
	uint8_t *letters = malloc(len);
	struct frames s, t = { .n = 0 };
	struct buf b, w = { 0 };

	if (!end || !letters)
		abort();
	memset(letters, 'N', len);
	memset(letters + cut - 3, 'G', 6);
	for (uint64_t i = 0; i < len; i++)
		end[i] = i;
	s = two_stretches(end, letters);
	b = merged_as(&s, FORMAT_TSV);
	ok(buf_is(&b, "#target\tbeg\tend\tlength\tk\tsequence\tstrand\n"
		  "t\t4194301\t4194305\t4\t2\tGGGG\t+\n"
		  "t\t4194302\t4194306\t4\t2\tGGGG\t+\n"
		  "t\t4194303\t4194307\t4\t2\tGGGG\t+\n"),
	   "across stretches");
	b = merged_as(&s, FORMAT_REC);
	buf_put(&w, b.p, b.n);
	frames_of_bytes(&t, &b);
	b = merged_as(&t, FORMAT_REC);
	ok(t.n == s.n && buf_eq(&b, &w), "and back");
	buf_free(&w);
	drop_frames(&s);
	drop_frames(&t);
	free(end);
	free(letters);
	return done();
}
