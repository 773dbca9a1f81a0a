/* SPDX-License-Identifier: MIT */
/* merge_dists.c - DIST frames as text and matrices, and merged in any way */
#define _GNU_SOURCE	/* memfd_create */
#include "tests/lib/merge_case.h"

enum { BOOKS = 3, MAX_NAMES = 12 };

static uint64_t seed = 20260103;
static const struct scan_key scan = { 9, { "q.fa", 4 }, SCAN_UNION };

static const char *const names[MAX_NAMES] = {
	"a", "b c", "b_c", "", "(x:1)", "a", "a_2", "a", "long_name_of_it",
	"t\tt", "\xc3\xa4", "_",
};

static struct subject_ref
name_of(uint64_t i)
{
	struct subject_ref s = { i, 10 + i, { names[i], strlen(names[i]) } };

	return s;
}

/* Equal for many pairs, so that there are ties. */
static double
value_of(uint64_t a, uint64_t b)
{
	return (double)((a * 7 + b * 13) % 5) + 0.5;
}

static void
add_dist(struct frames *to, const struct dist *d)
{
	struct rec_frame *f;

	if (dist_encode(&f, d, &err)) {
		ok(0, "%s", err.text);
		abort();
	}
	add_frame(to, f);
}

/* All pairs of n names in two frames of one receipt; each names what it needs
 * and in an order of its own. */
static struct frames
triangle(size_t n, bool weighted)
{
	struct range g = range_of(0, 2);
	struct receipt r = { .scan = scan, .range = &g, .n_ranges = 1 };
	struct subject_ref name[MAX_NAMES];
	struct dist_row row[MAX_NAMES * MAX_NAMES];
	struct frames to = { .n = 0 };

	add_books(&to, &run, &scan, 2);
	for (unsigned half = 0; half < 2; half++) {
		struct dist d = { run, r, STR("delta"), weighted, false, NULL,
				  0, name, n, row, 0, NULL };

		d.receipt.number = half;
		d.receipt.last = half;
		for (size_t i = 0; i < n; i++)
			name[i] = name_of(half ? n - 1 - i : i);
		for (size_t a = 0; a < n; a++)
			for (size_t b = a + 1; b < n; b++) {
				double v = value_of(a, b);

				if ((a + b) % 2 != half)
					continue;
				row[d.n_rows++] = (struct dist_row) {
					half ? n - 1 - a : a,
					half ? n - 1 - b : b, v, v + 1, v - 1,
					v + 2, 7, 0 };
			}
		add_dist(&to, &d);
	}
	return to;
}

/* Queries against names, those of a chunk in a receipt of its own. */
static struct frames
rectangle(size_t n_queries, size_t n)
{
	static const char *const q[] = { "q1", "q2", "q3" };
	struct frames to = { .n = 0 };

	add_books(&to, &run, &scan, n);
	for (size_t b = 0; b < n; b++) {
		struct range g = range_of(b, b + 1);
		struct query_ref query[3];
		struct subject_ref name = name_of(b);
		struct dist_row row[3];
		struct dist d = { run, { .scan = scan, .last = true,
					 .range = &g, .n_ranges = 1 },
				  STR("norm"), false, true, query, n_queries,
				  &name, 1, row, n_queries, NULL };

		for (size_t a = 0; a < n_queries; a++) {
			query[a] = (struct query_ref) { a, 5, { q[a], 2 } };
			row[a] = (struct dist_row) { .a = a,
						     .value = value_of(a, b) };
		}
		add_dist(&to, &d);
	}
	return to;
}

static struct buf
with(const struct frames *s, enum format f, uint64_t n, enum topk_per per,
     bool ties, enum topk_sort sort, int *code)
{
	struct merge_params p = {
		.print.format = f,
		.topk = { .n = n, .per = per, .keep_ties = ties,
			  .sort = sort },
	};

	return merged(s, &p, code);
}

static void
test_text(void)
{
	static const struct {
		enum format f;
		bool weighted;
		const char *want;
	} t[] = {
	{ FORMAT_TSV, false, "#a\tb\talen\tblen\tmetric\tvalue\n"
	  "a\tb c\t10\t11\tdelta\t3.5\na\tb_c\t10\t12\tdelta\t1.5\n"
	  "b c\tb_c\t11\t12\tdelta\t3.5\n" },
	{ FORMAT_TSV, true, "#a\tb\tpairs\tmean\tweighted_mean\tmin\tmax\n"
	  "a\tb c\t7\t3.5\t4.5\t2.5\t5.5\na\tb_c\t7\t1.5\t2.5\t0.5\t3.5\n"
	  "b c\tb_c\t7\t3.5\t4.5\t2.5\t5.5\n" },
	{ FORMAT_JSON, false, "{\"a\":\"a\",\"b\":\"b c\",\"alen\":10,"
	  "\"blen\":11,\"metric\":\"delta\",\"value\":3.5}\n"
	  "{\"a\":\"a\",\"b\":\"b_c\",\"alen\":10,"
	  "\"blen\":12,\"metric\":\"delta\",\"value\":1.5}\n"
	  "{\"a\":\"b c\",\"b\":\"b_c\",\"alen\":11,"
	  "\"blen\":12,\"metric\":\"delta\",\"value\":3.5}\n" },
	{ FORMAT_PHYLIP, false, "3\na          0 3.5 1.5\n"
	  "b_c        3.5 0 3.5\nb_c_2      1.5 3.5 0\n" },
	{ FORMAT_PHYLIP_LOWER, true, "3\na         \nb_c        3.5\n"
	  "b_c_2      1.5 3.5\n" },
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct frames s = triangle(3, t[i].weighted);
		struct buf b = merged_as(&s, t[i].f);

		ok(buf_is(&b, t[i].want), "format %d", t[i].f);
		drop_frames(&s);
	}
}

/* Every name of a matrix is one of its own and holds nothing but itself. */
static void
test_names(void)
{
	struct frames s = triangle(MAX_NAMES, false);
	struct buf b = merged_as(&s, FORMAT_PHYLIP_LOWER);
	static const char *const want[] = { "a", "b_c", "b_c_2", "*",
		"_x_1_", "a_2", "a_2_2", "a_3", "long_name_of_it", "t_t",
		"\xc3\xa4", "_" };
	char *line;
	size_t bad = 0, i = 0;

	buf_u8(&b, 0);
	strtok((char *)b.p, "\n");
	while ((line = strtok(NULL, "\n"))) {
		line[strcspn(line, " ")] = '\0';
		bad += i >= MAX_NAMES || strcmp(line, want[i]) != 0;
		if (i < MAX_NAMES && strcmp(line, want[i]) != 0)
			printf("# %s for %s\n", line, want[i]);
		i++;
	}
	ok(bad == 0 && i == MAX_NAMES, "names are made unique");
	buf_free(&b);
	drop_frames(&s);
}

/* Is (a, b) among the n nearest of a?  Ties by b. */
static bool
is_near(size_t a, size_t b, size_t n_names, bool sym, uint64_t n, bool ties)
{
	double v = sym && b < a ? value_of(b, a) : value_of(a, b);
	uint64_t before = 0;

	for (size_t c = 0; c < n_names; c++) {
		double w = sym && c < a ? value_of(c, a) : value_of(a, c);

		if (sym && c == a)
			continue;
		before += w < v || (!ties && w == v && c < b);
	}
	return before < n;
}

/* What -n keeps, from the table: rows of text counted and looked up. */
static void
test_nearest(bool sym, uint64_t n, bool ties)
{
	size_t k = MAX_NAMES, n_a = sym ? k : 3, want = 0, have = 0, bad = 0;
	struct frames s = sym ? triangle(k, false) : rectangle(3, k);
	int code;
	struct buf b = with(&s, FORMAT_TSV, n, PER_QUERY, ties, SORT_POSITION,
			    &code);
	char *line;

	for (size_t a = 0; a < n_a; a++)
		for (size_t c = 0; c < k; c++)
			want += (!sym || a != c) &&
				is_near(a, c, k, sym, n, ties);
	buf_u8(&b, 0);
	strtok((char *)b.p, "\n");
	for (; (line = strtok(NULL, "\n")); have++) {
		/* alen and blen encode the ordinals */
		char *p = line;
		size_t x, y;

		p = strchr(strchr(p, '\t') + 1, '\t') + 1;
		x = (size_t)strtoul(p, &p, 10) - (sym ? 10 : 0);
		y = (size_t)strtoul(p, &p, 10) - 10;
		if (!sym)
			x = (size_t)(line[1] - '1');
		bad += !is_near(x, y, k, sym, n, ties);
	}
	ok(bad == 0 && have == want && code == 0,
	   "nearest %d of each, triangle %d, ties %d: %zu rows", (int)n, sym,
	   ties, have);
	buf_free(&b);
	drop_frames(&s);
}

static void
test_any_way(struct frames base, uint64_t s)
{
	static const struct merge_params plain, best = { .topk.n = 2 },
	    tied = { .topk = { .n = 2, .keep_ties = true } },
	    all = { .topk = { .n = 5, .per = PER_ALL } };
	static const struct merge_params *const how[] = { &plain, &best,
							  &tied, &all };
	size_t bad = 0;

	for (size_t i = 0; i < 8; i++) {
		struct frames mix = shuffled(&base, &s, 4);
		struct frames step = tree(&base, BOOKS, &s, how[i / 2]);
		struct merge_params p = *how[i / 2];
		struct buf w, b;
		int code[3];

		p.print.format = i % 2 ? FORMAT_TSV : FORMAT_REC;
		w = merged(&base, &p, &code[0]);
		b = merged(&mix, &p, &code[1]);
		bad += !buf_eq(&b, &w) || code[0] || code[1] || w.n == 0;
		b = merged(&step, &p, &code[2]);
		/* of a merged one the rows are the same; in records what was
		 * left out is reported once more */
		if (p.print.format == FORMAT_TSV || i < 2)
			bad += !buf_eq(&b, &w) || code[2];
		else
			buf_free(&b);
		buf_free(&w);
		drop_frames(&mix);
		drop_frames(&step);
	}
	ok(bad == 0, "%zu frames merged in any way", base.n);
	drop_frames(&base);
}

static int
code_of(const struct frames *s, enum format f, bool view)
{
	int code;
	struct buf b = view ? viewed(s, VIEW_TEXT, f, &code) :
			      with(s, f, 0, PER_QUERY, false, SORT_SCORE,
				   &code);

	buf_free(&b);
	return code;
}

static void
test_refused(void)
{
	struct frames s = triangle(5, false), r = rectangle(2, 4);
	struct buf b;
	int code;

	ok(code_of(&s, FORMAT_BED, false) == ERR_USAGE, "%s", err.text);
	ok(code_of(&s, FORMAT_BED, true) == ERR_USAGE, "%s", err.text);
	ok(code_of(&r, FORMAT_PHYLIP, false) == ERR_USAGE, "%s", err.text);
	b = with(&s, FORMAT_PHYLIP, 2, PER_ALL, false, SORT_SCORE, &code);
	ok(code == ERR_USAGE, "%s", err.text);
	buf_free(&b);
	b = with(&s, FORMAT_TSV, 2, PER_PAIR, false, SORT_SCORE, &code);
	ok(code == ERR_USAGE, "%s", err.text);
	buf_free(&b);
	rec_frame_drop(s.f[--s.n]);
	ok(code_of(&s, FORMAT_PHYLIP, true) == ERR_INCOMPLETE, "%s", err.text);
	ok(code_of(&s, FORMAT_TSV, false) == ERR_INCOMPLETE, "%s", err.text);
	drop_frames(&s);
	drop_frames(&r);
}

/* Two frames that give one pair two values, or one name two lengths. */
static void
test_disagree(unsigned what)
{
	struct range g = range_of(0, 1);
	struct frames s = { .n = 0 };

	add_books(&s, &run, &scan, 1);
	for (unsigned i = 0; i < 2; i++) {
		struct subject_ref name[2] = { name_of(0), name_of(1) };
		struct dist_row row = { .b = 1, .value = 3, .pairs = 1 };
		struct dist d = { run, { .scan = scan, .range = &g,
					 .n_ranges = 1, .number = i,
					 .last = i },
				  STR("delta"), false, false, NULL, 0, name,
				  2, &row, 1, NULL };

		row.value += what == 0 && i;
		name[1].len += what == 1 && i;
		name[1].name = what == 2 && i ? name_of(2).name : name[1].name;
		d.metric = what == 3 && i ? STR("norm") : d.metric;
		d.weighted = what == 4 && i;
		add_dist(&s, &d);
	}
	/* values are compared when all are there, the rest frame by frame */
	ok(code_of(&s, FORMAT_TSV, false) == (what ? MERGE_BAD : ERR_FORMAT) &&
	   code_of(&s, FORMAT_REC, false) == (what ? MERGE_BAD : ERR_FORMAT),
	   "%u: %s", what, err.text);
	drop_frames(&s);
}

/* No solid word: * and null, and no matrix. */
static void
test_no_word(void)
{
	struct range g = range_of(0, 1);
	struct subject_ref name[2] = { name_of(0), name_of(1) };
	struct dist_row row = { .b = 1 };
	struct dist d = { run, { .scan = scan, .range = &g, .n_ranges = 1,
				 .last = true },
			  STR("delta"), true, false, NULL, 0, name, 2, &row,
			  1, NULL };
	struct frames s = { .n = 0 };
	struct rec_frame *f;
	struct buf b;

	add_books(&s, &run, &scan, 1);
	add_dist(&s, &d);
	b = merged_as(&s, FORMAT_TSV);
	ok(buf_is(&b, "#a\tb\tpairs\tmean\tweighted_mean\tmin\tmax\n"
		  "a\tb c\t0\t*\t*\t*\t*\n"), "no solid word");
	b = merged_as(&s, FORMAT_JSON);
	ok(buf_is(&b, "{\"a\":\"a\",\"b\":\"b c\",\"pairs\":0,\"mean\":null,"
		  "\"weighted_mean\":null,\"min\":null,\"max\":null}\n"),
	   "no solid word");
	ok(code_of(&s, FORMAT_PHYLIP, false) == ERR_FORMAT, "%s", err.text);
	row.value = 1;
	ok(dist_encode(&f, &d, &err) == ERR_FORMAT, "a value of no pairs");
	row.value = 0;
	row.b = 0;
	ok(dist_encode(&f, &d, &err) == ERR_FORMAT, "a pair of one");
	d.n_rows = 0;
	d.n_names = 1;
	drop_frames(&s);
	add_books(&s, &run, &scan, 1);
	add_dist(&s, &d);
	b = merged_as(&s, FORMAT_PHYLIP);
	ok(buf_is(&b, "1\na          0\n"), "a matrix of one");
	b = merged_as(&s, FORMAT_TSV);
	ok(buf_is(&b, "#a\tb\tpairs\tmean\tweighted_mean\tmin\tmax\n"),
	   "no pairs");
	drop_frames(&s);
}

/* More pairs than a 64-bit number holds: a real, or, in streams of 0.1 and
 * where it is not known, 2^64 - 1. */
static void
test_many_pairs(double log2_pairs, const char *text)
{
	struct range g = range_of(0, 1);
	struct subject_ref name[2] = { name_of(0), name_of(1) };
	struct dist_row row = { .b = 1, .value = 3, .weighted_mean = 2.5,
				.min = -1, .max = -1, .pairs = UINT64_MAX,
				.log2_pairs = log2_pairs };
	struct dist d = { run, { .scan = scan, .range = &g, .n_ranges = 1,
				 .last = true },
			  STR("delta"), true, false, NULL, 0, name, 2, &row,
			  1, NULL };
	struct frames s = { .n = 0 };
	struct rec_frame *f;
	char want[128];
	struct buf b;

	add_books(&s, &run, &scan, 1);
	add_dist(&s, &d);
	snprintf(want, sizeof want, "#a\tb\tpairs\tmean\tweighted_mean\tmin\t"
		 "max\na\tb c\t%s\t3\t2.5\t*\t*\n", text);
	b = merged_as(&s, FORMAT_TSV);
	ok(buf_is(&b, want), "%s pairs", text);
	snprintf(want, sizeof want, "{\"a\":\"a\",\"b\":\"b c\",\"pairs\":%s,"
		 "\"mean\":3,\"weighted_mean\":2.5,\"min\":null,"
		 "\"max\":null}\n", text);
	b = merged_as(&s, FORMAT_JSON);
	ok(buf_is(&b, want), "%s pairs", text);
	drop_frames(&s);
	row.pairs = 5;
	row.log2_pairs = 64;
	ok(dist_encode(&f, &d, &err) == ERR_FORMAT, "2^64 pairs that are 5");
	row.pairs = UINT64_MAX;
	row.log2_pairs = 63;
	ok(dist_encode(&f, &d, &err) == ERR_FORMAT, "too few for a logarithm");
}

int
main(void)
{
	printf("# seed %llu\n", (unsigned long long)seed);
	test_text();
	test_names();
	for (unsigned i = 0; i < 24; i++)
		test_nearest(i & 1, 1 + i / 4 * 2, i & 2);
	for (unsigned i = 0; i < 20; i++) {
		test_any_way(rectangle(1 + i % 3, 1 + i % MAX_NAMES),
			     seed + i);
		test_any_way(triangle(2 + i % (MAX_NAMES - 1), i & 1),
			     seed - i);
	}
	test_refused();
	for (unsigned i = 0; i < 5; i++)
		test_disagree(i);
	test_no_word();
	test_many_pairs(0, "18446744073709551615");
	test_many_pairs(132, "5.44451787e+39");
	test_many_pairs(620, "4.35108244e+186");
	test_many_pairs(1200, "1.72184795e+361");
	return done();
}
