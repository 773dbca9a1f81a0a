/* SPDX-License-Identifier: MIT */
/* merge_primers.c - PRIMER frames as text, and merged in any way */
#define _GNU_SOURCE	/* memfd_create */
#include "tests/lib/merge_case.h"

enum { CHUNKS = 8, BOOKS = 3, MAX_LEN = 60 };

static uint64_t seed = 20260102;
static const struct scan_key scan = { 9, { "virus.fa", 8 }, SCAN_MAX };
static const struct run_key run2 = {
	0x99, { "host2.fa", 8 }, { "", 0 }, { "c", 1 }, 5
};

/* Ends that can be: they do not decrease, nor lie before their start. */
static void
any_ends(uint64_t *s, uint64_t *end, size_t n)
{
	uint64_t at = 0;

	for (size_t j = 0; j < n; j++) {
		at = at < j ? j : at;
		at += below(s, 3) ? 0 : below(s, 4);
		end[j] = at = at < n ? at : n;
	}
}

struct scene {
	size_t targets, len[4], receipts;
	bool both, tail;
	char letters[4][2][MAX_LEN];
	uint64_t end[4][2][MAX_LEN], end3[4][2][MAX_LEN];	/* merged */
};

static const char *
options_of(const struct scene *c)
{
	return c->tail ? "k 2\nthree-prime 3:1\n" : "k 2\nmax-len 20\n";
}

static void
raise(uint64_t *to, const uint64_t *end, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = to[i] < end[i] ? end[i] : to[i];
}

/* The frame of a target and strand in one receipt; joins the scene's ends. */
static struct rec_frame *
a_frame(struct scene *c, uint64_t *s, size_t t, bool minus,
	const struct run_key *k, struct receipt r)
{
	static const char *const names[] = { "a", "b\tc", "", "d e" };
	uint64_t end[MAX_LEN], end3[MAX_LEN];
	struct primer_part p = { .run = *k, .receipt = r,
		.target = { t, c->len[t], { names[t], strlen(names[t]) } },
		.options = { options_of(c), strlen(options_of(c)) },
		.minus = minus, .n = c->len[t],
		.letters = (uint8_t *)c->letters[t][minus], .end = end,
		.end3 = c->tail ? end3 : NULL };
	struct rec_frame *f;

	any_ends(s, end, p.n);
	any_ends(s, end3, p.n);
	raise(c->end[t][minus], end, p.n);
	raise(c->end3[t][minus], end3, p.n);
	if (primer_encode(&f, &p, &err))
		abort();
	return f;
}

/* Serials [first, first + n) of the run in some receipts of one range or two,
 * in each a frame for every target and strand. */
static void
add_receipts(struct scene *c, struct frames *to, uint64_t *s,
	     const struct run_key *k)
{
	size_t strands = 1 + c->both, frames = c->targets * strands;

	for (uint64_t at = 0; at < CHUNKS;) {
		uint64_t n = 1 + below(s, CHUNKS - at);
		struct range g[2] = { range_of(at, at + n) };
		struct receipt r = { .scan = scan, .range = g, .n_ranges = 1 };

		if (n > 1 && below(s, 2)) {
			g[0] = range_of(at, at + 1);
			g[1] = range_of(at + 1, at + n);
			r.n_ranges = 2;
		}
		for (size_t i = 0; i < frames; i++) {
			r.number = (uint32_t)i;
			r.last = i + 1 == frames;
			add_frame(to, a_frame(c, s, i / strands, i % strands,
					      k, r));
		}
		at += n;
	}
}

static struct frames
a_scene(struct scene *c, uint64_t *s, bool two_runs)
{
	struct frames to = { .n = 0 };

	memset(c, 0, sizeof *c);
	c->targets = 1 + below(s, 4);
	c->both = below(s, 2);
	c->tail = below(s, 2);
	for (size_t t = 0; t < c->targets; t++) {
		c->len[t] = 1 + below(s, MAX_LEN);
		for (size_t i = 0; i < 2 * MAX_LEN; i++)
			c->letters[t][i / MAX_LEN][i % MAX_LEN] =
			    "ACGTACGTACGTN"[below(s, 13)];
	}
	add_books(&to, &run, &scan, CHUNKS);
	add_receipts(c, &to, s, &run);
	if (two_runs) {
		add_books(&to, &run2, &scan, CHUNKS);
		add_receipts(c, &to, s, &run2);
	}
	return to;
}

/* The table from the merged ends, sorted by looking for the least. */
static struct buf
want(const struct scene *c)
{
	static const char *const names[] = { "a", "b%09c", "*", "d e" };
	struct str text = { options_of(c), strlen(options_of(c)) };
	struct primer_rule rule;
	struct buf b = { 0 };

	if (primer_rule(&rule, text, &err))
		abort();
	buf_printf(&b, "#target\tbeg\tend\tlength\tk\tsequence\tstrand\n");
	for (size_t t = 0; t < c->targets; t++) {
		size_t n = c->len[t];
		uint64_t to[2][MAX_LEN];

		for (unsigned m = 0; m < 2; m++) {
			struct primer_strand p = { n,
				(const uint8_t *)c->letters[t][m],
				c->end[t][m], c->end3[t][m] };

			primer_ends(&rule, &p, to[m]);
		}
		for (uint64_t beg = 0; beg < n; beg++)
			for (uint64_t end = beg; end <= n; end++) {
				if (to[0][beg] == end && end)
					buf_printf(&b, "%s\t%d\t%d\t%d\t2\t"
						   "%.*s\t+\n", names[t],
						   (int)beg, (int)end,
						   (int)(end - beg),
						   (int)(end - beg),
						   c->letters[t][0] + beg);
			}
	}
	return b;
}

static void
test_scene(uint64_t s)
{
	static const enum format all[] = { FORMAT_TSV, FORMAT_JSON,
		FORMAT_BED, FORMAT_GFF3, FORMAT_FASTA, FORMAT_BOULDER,
		FORMAT_REC };
	static const struct merge_params plain;
	struct scene c;
	bool two = below(&s, 3) == 0;
	struct frames base = a_scene(&c, &s, two), mix, step;
	size_t bad = 0;
	struct buf w, b;

	if (!c.both) {
		w = want(&c);
		b = merged_as(&base, FORMAT_TSV);
		bad += !buf_eq(&b, &w);
		buf_free(&w);
	}
	mix = shuffled(&base, &s, 5);
	/* books of both runs go to every step: cut at the first receipt */
	step = tree(&base, two ? base.n : BOOKS, &s, &plain);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		int code;

		w = merged_as(&base, all[i]);
		b = merged_as(&mix, all[i]);
		bad += !buf_eq(&b, &w);
		b = merged_as(&step, all[i]);
		bad += !buf_eq(&b, &w);
		if (all[i] != FORMAT_REC) {
			b = viewed(&mix, all[i] == FORMAT_FASTA ? VIEW_FASTA :
				   VIEW_TEXT, all[i], &code);
			bad += !buf_eq(&b, &w) || code;
		}
		buf_free(&w);
	}
	ok(bad == 0, "%zu targets, %zu frames, two runs %d, both %d, tail %d",
	   c.targets, base.n, two, c.both, c.tail);
	drop_frames(&base);
	drop_frames(&mix);
	drop_frames(&step);
}

/* One target, 6 letters, from which each format's row is seen. */
static struct frames
one_target(const char *options, bool minus, const char *letters, uint64_t n)
{
	static uint64_t end[64];
	struct range g = range_of(0, 2);
	struct frames to = { .n = 0 };
	struct primer_part p = { .run = run, .target = { 3, n, STR("t 1") },
		.receipt = { .scan = scan, .last = true, .range = &g,
			     .n_ranges = 1 },
		.options = { options, strlen(options) }, .minus = minus,
		.n = n, .letters = (const uint8_t *)letters, .end = end };
	struct rec_frame *f;

	for (uint64_t i = 0; i < n; i++)
		end[i] = i + 2 < n ? i + 2 : n;
	end[0] = 1;
	add_books(&to, &run, &scan, 2);
	if (primer_encode(&f, &p, &err))
		abort();
	add_frame(&to, f);
	return to;
}

static void
test_formats(void)
{
	static const struct {
		enum format f;
		bool minus;
		const char *want;
	} t[] = {
	{ FORMAT_TSV, false, "#target\tbeg\tend\tlength\tk\tsequence\tstrand\n"
	  "t 1\t0\t2\t2\t2\tAC\t+\nt 1\t1\t4\t3\t2\tCGT\t+\n" },
	{ FORMAT_TSV, true, "#target\tbeg\tend\tlength\tk\tsequence\tstrand\n"
	  "t 1\t2\t5\t3\t2\tCGT\t-\nt 1\t4\t6\t2\t2\tAC\t-\n" },
	{ FORMAT_BED, false, "t 1\t0\t2\tt 1:1-2\t2\t+\tAC\n"
	  "t 1\t1\t4\tt 1:2-4\t2\t+\tCGT\n" },
	{ FORMAT_GFF3, true, "##gff-version 3\n##sequence-region t%201 1 6\n"
	  "t%201\tprimer-find\tprimer\t3\t5\t.\t-\t.\tID=primer1;"
	  "Name=t%201:3-5/rc;k=2;sequence=CGT\n"
	  "t%201\tprimer-find\tprimer\t5\t6\t.\t-\t.\t"
	  "ID=primer2;Name=t%201:5-6/rc;k=2;sequence=AC\n" },
	{ FORMAT_JSON, false, "{\"target\":\"t 1\",\"beg\":0,\"end\":2,"
	  "\"length\":2,\"k\":2,\"sequence\":\"AC\",\"strand\":\"+\"}\n"
	  "{\"target\":\"t 1\",\"beg\":1,\"end\":4,"
	  "\"length\":3,\"k\":2,\"sequence\":\"CGT\",\"strand\":\"+\"}\n" },
	{ FORMAT_FASTA, true, ">t%201:3-5/rc k=2 length=3\nCGT\n"
	  ">t%201:5-6/rc k=2 length=2\nAC\n" },
	{ FORMAT_BOULDER, false, "SEQUENCE_ID=t 1:1-2\nSEQUENCE_PRIMER=AC\n"
	  "PRIMER_TASK=check_primers\n=\nSEQUENCE_ID=t 1:2-4\n"
	  "SEQUENCE_PRIMER=CGT\nPRIMER_TASK=check_primers\n=\n" },
	{ FORMAT_BOULDER, true, "SEQUENCE_ID=t 1:3-5/rc\n"
	  "SEQUENCE_PRIMER_REVCOMP=CGT\nPRIMER_TASK=check_primers\n=\n"
	  "SEQUENCE_ID=t 1:5-6/rc\nSEQUENCE_PRIMER_REVCOMP=AC\n"
	  "PRIMER_TASK=check_primers\n=\n" },
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		/* the stretch ends before N: two primers, then none */
		struct frames s = one_target("k 2\n", t[i].minus, "ACGTNA", 6);
		struct buf b = merged_as(&s, t[i].f);

		ok(buf_is(&b, t[i].want), "format %d, minus %d", t[i].f,
		   t[i].minus);
		drop_frames(&s);
	}
}

static int
code_of(const struct frames *s, enum format f, bool view)
{
	struct merge_params p = { .print.format = f };
	int code;
	struct buf b = view ? viewed(s, VIEW_TEXT, f, &code) :
			      merged(s, &p, &code);

	buf_free(&b);
	return code;
}

static void
test_refused(void)
{
	struct frames s = one_target("k 2\n", false, "ACGTNA", 6);
	struct frames t = one_target("k 2\n", false, "ACGTCA", 6);
	struct frames g = one_target("k 2\ncolour 40-60\n", false, "ACGTNA", 6);
	struct merge_params best = { .print.format = FORMAT_TSV, .topk.n = 1 };
	struct buf b;
	int code;

	ok(code_of(&s, FORMAT_PAF, false) == ERR_USAGE &&
	   code_of(&s, FORMAT_PHYLIP, true) == ERR_USAGE, "%s", err.text);
	ok(code_of(&g, FORMAT_TSV, false) == ERR_FORMAT &&
	   code_of(&g, FORMAT_TSV, true) == ERR_FORMAT, "%s", err.text);
	ok(code_of(&g, FORMAT_REC, false) == ERR_FORMAT, "%s", err.text);
	b = merged(&s, &best, &code);
	ok(code == ERR_USAGE, "-n: %s", err.text);
	buf_free(&b);
	add_frame(&s, rec_frame_keep(t.f[BOOKS]));
	ok(code_of(&s, FORMAT_TSV, false) == MERGE_BAD, "%s", err.text);
	s.n--;
	rec_frame_drop(t.f[BOOKS]);
	add_frame(&t, rec_frame_keep(s.f[--s.n]));
	ok(code_of(&t, FORMAT_TSV, false) == MERGE_BAD, "the other way");
	ok(code_of(&s, FORMAT_TSV, true) == ERR_INCOMPLETE, "%s", err.text);
	s.n++;
	drop_frames(&s);
	drop_frames(&t);
	drop_frames(&g);
}

/* A frame is missing; or the receipt is whole, but not all of a target. */
static void
test_holes(uint64_t s)
{
	struct scene c;
	struct frames base;

	do {
		base = a_scene(&c, &s, false);
		if (base.n > BOOKS + 1 && c.targets > 1)
			break;
		drop_frames(&base);
	} while (1);
	for (size_t i = BOOKS; i < base.n; i++) {
		struct rec_frame *f = base.f[i];

		base.f[i] = base.f[--base.n];
		ok(code_of(&base, FORMAT_TSV, false) == ERR_INCOMPLETE &&
		   code_of(&base, FORMAT_BED, true) == ERR_INCOMPLETE,
		   "frame %zu is missing", i);
		base.f[base.n++] = base.f[i];
		base.f[i] = f;
	}
	drop_frames(&base);
}

/* Receipt 0-1 knows target 0, receipt 1-2 targets 0 and 1. */
static void
test_gap(void)
{
	struct scene c = { .targets = 2, .len = { 5, 5 } };
	struct range g = range_of(0, 1), h = range_of(1, 2);
	struct receipt r = { .scan = scan, .last = true, .range = &g,
			     .n_ranges = 1 };
	struct frames s = { .n = 0 };
	uint64_t x = seed;

	memset(c.letters, 'A', sizeof c.letters);
	add_books(&s, &run, &scan, 2);
	add_frame(&s, a_frame(&c, &x, 0, false, &run, r));
	r.range = &h;
	r.last = false;
	add_frame(&s, a_frame(&c, &x, 0, false, &run, r));
	r.last = true;
	r.number = 1;
	add_frame(&s, a_frame(&c, &x, 1, false, &run, r));
	ok(code_of(&s, FORMAT_TSV, false) == ERR_FORMAT, "%s", err.text);
	ok(code_of(&s, FORMAT_TSV, true) == ERR_FORMAT, "%s", err.text);
	ok(code_of(&s, FORMAT_REC, false) == ERR_FORMAT, "%s", err.text);
	drop_frames(&s);
}

int
main(void)
{
	printf("# seed %llu\n", (unsigned long long)seed);
	test_formats();
	test_refused();
	for (unsigned i = 0; i < 150; i++)
		test_scene(seed + i * 7919);
	test_holes(seed);
	test_gap();
	return done();
}
