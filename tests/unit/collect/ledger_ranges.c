/* SPDX-License-Identifier: MIT */
/* ledger_ranges.c - receipts of many shapes, and trees of merges */
#include "tests/lib/ledger_case.h"

static uint64_t seed = 97;

static void
nest_chunks(unsigned c, const char *sum)
{
	struct stream s;

	all_but(&s, 1, c);
	put_range(&s, 1, c, merged(1, 0, 3));
	put_range(&s, 1, c, merged(1, 3, CHUNKS));
	expect(&s, NULL, "ranges merged in series");
	all_but(&s, 1, c);
	put_range(&s, 1, c, merged(1, 0, CHUNKS));
	put_range(&s, 1, c, chunk_range(1, 4));
	expect(&s, sum, "a chunk within a range");
	all_but(&s, 1, c);
	put_range(&s, 1, c, merged(1, 0, 5));
	put_range(&s, 1, c, merged(1, 0, 2));
	put_range(&s, 1, c, merged(1, 2, 5));
	put_range(&s, 1, c, chunk_range(1, 2));
	put_range(&s, 1, c, merged(1, 5, CHUNKS));
	expect(&s, sum, "a tree of ranges");
	all_but(&s, 1, c);
	put_range(&s, 1, c, merged(1, 0, 4));
	put_range(&s, 1, c, merged(1, 3, CHUNKS));
	expect(&s, "overlap in part", "partial overlap");
}

/* Receipts of several ranges, as workers make that take turns. */
static void
nest_turns(unsigned c, const char *sum)
{
	struct range odd[4], even[4];
	struct stream s;

	for (unsigned i = 0; i < CHUNKS; i++)
		*(i % 2 ? odd + i / 2 : even + i / 2) = chunk_range(1, i);
	all_but(&s, 1, c);
	put_receipt(&s, 1, c, even, 4, 0, true);
	put_receipt(&s, 1, c, odd, 3, 0, true);
	expect(&s, NULL, "two workers taking turns");
	all_but(&s, 1, c);
	put_receipt(&s, 1, c, even, 4, 0, true);
	put_receipt(&s, 1, c, odd, 3, 0, true);
	put_receipt(&s, 1, c, even + 1, 2, 0, true);
	expect(&s, sum, "a part of one of them again");
	all_but(&s, 1, c);
	put_receipt(&s, 1, c, even, 4, 0, true);
	put_range(&s, 1, c, merged(1, 0, 4));
	put_range(&s, 1, c, merged(1, 5, 6));
	expect(&s, sum, "ranges nested in turns");
}

static struct range
many_letters(void)
{
	struct range r = chunk_range(1, 0);

	r.letters += (uint64_t)1 << 32;
	return r;
}

static void
test_nesting(void)
{
	struct stream s;

	for (unsigned c = 0; c < SCANS; c++) {
		nest_chunks(c, c == 1 ? "cannot be summed" : NULL);
		nest_turns(c, c == 1 ? "cannot be summed" : NULL);
	}
	all_but(&s, 1, 0);
	put_range(&s, 1, 0, merged(1, 0, CHUNKS));
	for (unsigned i = 0; i < CHUNKS; i++) {
		struct range r = chunk_range(1, i);

		r.digest += i == 2;
		put_range(&s, 1, 0, r);
	}
	expect(&s, "disagree", "chunks that do not add up to their range");
	all_but(&s, 1, 1);
	put_range(&s, 1, 1, merged(1, 0, CHUNKS));
	put_tally(&s, 1, merged(1, 0, CHUNKS), true);
	expect(&s, "cannot be summed", "two tallies of the same ranges");
	all_but(&s, 1, 0);
	put_range(&s, 1, 0, merged(1, 1, CHUNKS));
	put_range(&s, 1, 0, many_letters());
	expect(&s, "letters searched: ", "2^32 letters more");
}

static void
test_numbers(void)
{
	struct range r = merged(0, 2, 6);

	/* 0-2 one dropped, 3 none, 4 without mark, 5 mark in the middle,
	 * 6 one twice with another mark, 7 all of it in one frame, too */
	for (unsigned c = 0; c < SCANS; c++)
		for (unsigned t = 0; t < 8; t++) {
			struct stream s;

			all_but(&s, 0, c);
			put_range(&s, 0, c, merged(0, 0, 2));
			put_range(&s, 0, c, merged(0, 6, CHUNKS));
			for (unsigned i = 0; i < 3; i++)
				if (i != t)
					put_receipt(&s, 0, c, &r, 1, i,
						    t == 4 ? false :
						    t == 5 ? i == 1 : i == 2);
			if (t == 6)
				put_receipt(&s, 0, c, &r, 1, 1, true);
			if (t == 7)
				put_range(&s, 0, c, r);
			expect(&s, t == 3 ? NULL : t < 5 ? "lacks some" :
			       "disagree", "several frames of a receipt");
		}
}

/* Two receipts whose frames come in turns; and two frames of one number. */
static void
test_number_turns(void)
{
	struct range r[2] = { merged(0, 0, 4), merged(0, 4, CHUNKS) };
	struct stream s;

	all_but(&s, 0, 1);
	for (unsigned i = 0; i < 4; i++)
		put_receipt(&s, 0, 1, r + i % 2, 1, i / 2, i / 2);
	expect(&s, NULL, "frames of two receipts in turns");
	all_but(&s, 0, 1);
	put_range(&s, 0, 1, r[1]);
	put_receipt(&s, 0, 1, r, 1, 0, false);
	put_tally(&s, 0, r[0], false);
	put_receipt(&s, 0, 1, r, 1, 2, true);
	expect(&s, "disagree", "number 0 twice, and no 1");
}

/* A result of n frames but number `lost`, by a scanner or by a merge. */
static void
put_series(struct stream *s, unsigned c, struct range *r, unsigned n,
	   unsigned lost, bool unmerged)
{
	for (unsigned i = 0; i < n; i++) {
		if (i == lost)
			continue;
		put_receipt(s, 0, c, r, 1, i, i == n - 1);
		if (unmerged)
			s->f[s->n - 1]->flags |= REC_UNMERGED;
	}
}

/* A result of several frames and a merge of it, in as many or not. */
static void
test_series_merged(void)
{
	struct range r = merged(0, 2, 6);
	struct stream s;

	for (unsigned n = 1; n < 5; n++)
		for (unsigned lost = 0; lost < 8; lost++) {
			bool lacks = lost < 3 || lost - 3 < n;

			if (n == 1 && lost == 3)
				continue;	/* no merge came */
			all_but(&s, 0, 0);
			put_range(&s, 0, 0, merged(0, 0, 2));
			put_range(&s, 0, 0, merged(0, 6, CHUNKS));
			put_series(&s, 0, &r, n, lost - 3, false);
			put_series(&s, 0, &r, 3, lost, true);
			expect(&s, lacks ? "lacks some" : NULL,
			       "a result and a merge of it");
		}
	all_but(&s, 0, 1);
	put_range(&s, 0, 1, merged(0, 0, 2));
	put_range(&s, 0, 1, merged(0, 6, CHUNKS));
	put_series(&s, 1, &r, 2, 2, false);
	put_series(&s, 1, &r, 3, 3, true);
	expect(&s, "came twice", "what adds up counts once");
}

enum { FAULT_LOST = 1, FAULT_TWOFOLD, FAULT_HALF, TREE_FAULTS };

/* What a worker gets of chunk i. */
static void
give(struct stream *s, unsigned scan, unsigned i, unsigned fault)
{
	struct range r = chunk_range(0, i);

	if (i != 5)
		fault = 0;
	if (fault != FAULT_LOST)
		put_receipt(s, 0, scan, &r, 1, 0, fault != FAULT_HALF);
	r.digest++;
	if (fault == FAULT_TWOFOLD)
		put_range(s, 0, scan, r);
}

/* What a worker says that it covers. */
static void
hand_on(struct stream *to, struct stream *from, unsigned scan)
{
	struct ledger *l = show(from);
	const struct range *r;
	size_t n = 0;
	struct err e;

	if (from->n) {
		if (ledger_ranges(l, 0, 0, &r, &n, &e))
			exit(1);
		put_receipt(to, 0, scan, (struct range *)r, n, 0, true);
	}
	ledger_free(l);
	clear(from);
}

/*
 * Workers get a random share of frames each, and say by ledger_ranges what
 * they cover: the last stage must see what is so.
 */
static void
test_trees(void)
{
	uint64_t state = seed;
	size_t bad = 0;

	for (unsigned t = 0; t < 300; t++) {
		unsigned fault = t % TREE_FAULTS, n_workers = 1 + t / 4 % 4;
		struct stream part[5] = { { .n = 0 } }, last;
		char text[4000];

		all_but(&last, 0, t & 1);
		for (unsigned i = 0; i < CHUNKS; i++)
			give(part + below(&state, n_workers), t & 1, i, fault);
		for (unsigned w = 0; w < n_workers; w++)
			hand_on(&last, part + w, t & 1);
		bad += judge(&last, text) != (fault ? ERR_INCOMPLETE : 0);
		clear(&last);
	}
	ok(bad == 0, "trees of merges: %zu wrong verdicts", bad);
}

/* By definition: is the heap of ranges fine for this rule? */
static bool
fine(const struct range *r, size_t n, unsigned scan)
{
	for (uint64_t i = 0; i < CHUNKS; i++) {
		size_t covered = 0;

		for (size_t j = 0; j < n; j++)
			covered += r[j].first <= i && i < r[j].end;
		if (covered == 0 || (scan == 1 && covered > 1))
			return false;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			if (r[i].first < r[j].first &&
			    r[j].first < r[i].end && r[i].end < r[j].end)
				return false;
	return true;
}

static void
test_heaps(void)
{
	uint64_t state = seed;
	size_t bad = 0, good = 0;

	for (unsigned t = 0; t < 20000; t++) {
		struct range r[12];
		struct stream s;
		size_t n = 0, most = 1 + below(&state, 12);
		char text[4000];
		bool want;

		all_but(&s, 0, t & 1);
		while (n < most) {
			uint64_t a = below(&state, CHUNKS);
			uint64_t b = a + 1 + below(&state, CHUNKS - a);
			size_t i = 0;

			if (n == 0 && t % 5)	/* else few would be whole */
				a = 0, b = t % 3 ? CHUNKS : 4;
			if (n == 1 && t % 5 && t % 3 == 0)
				a = 4, b = CHUNKS;
			while (i < n && (r[i].first != a || r[i].end != b))
				i++;
			r[n] = merged(0, a, b);
			put_range(&s, 0, t & 1, r[n]);
			if (i == n)
				n++;
			else
				most--;	/* a copy: dropped */
		}
		want = fine(r, n, t & 1);
		good += want;
		bad += (judge(&s, text) == 0) != want;
		clear(&s);
	}
	ok(bad == 0 && good > 1000 && good < 19000,
	   "heaps of ranges: %zu wrong verdicts, %zu whole", bad, good);
}

static void
put_chunk(struct stream *s, unsigned run, uint64_t i, uint64_t *letters,
	  uint64_t *digest)
{
	struct chunk_row row = { .ordinal = 0, .beg = 10 * i, .n = 10,
		.own_beg = 10 * i, .own_end = 10 * i + 10,
		.length = i == 3 ? 40 : 0, .name = STR("chr1"),
		.flags = i == 0 ? CHUNK_FIRST : i == 3 ? CHUNK_LAST : 0 };
	struct chunk_raw c = { .run = runs[run], .serial = i, .row = &row,
		.n_rows = 1, .letters = (const uint8_t *)"ACGTTGCAAC" };
	struct rec_frame *f = NULL;
	struct err e = { 0 };
	uint64_t owned, d;
	int rc = chunk_encode(&f, &c, &owned, &d, &e);

	add(s, f, rc, &e);
	*letters += owned;
	*digest += d;
}

static void
test_chunks(void)
{
	for (unsigned t = 0; t < 6; t++) {
		struct stream s = { .n = 0 };
		struct run_end n = { runs[0], 4, 1, 0, 0, false };
		struct rec_frame *f = NULL;
		struct err e = { 0 };
		struct ledger *l;
		char text[4000];
		int rc, want = t == 1 || t == 3 || t == 5;

		put_begin(&s, 0, -1, STR("x\n"));
		for (unsigned i = 0; i < 4; i++)
			put_chunk(&s, 0, i, &n.letters, &n.digest);
		n.digest += t == 5;
		rc = end_encode(&f, &n, &e);
		add(&s, f, rc, &e);
		if (t == 1)
			remove_at(&s, 2);
		l = show(&s);
		if (t != 3)	/* 3: nobody scanned */
			ledger_judge_chunks(l);
		if (t == 2)
			ok(ledger_frame(l, s.f[1], &e) == LEDGER_COPY,
			   "a chunk twice");
		ok(reasons(l, 0, text) == (want ? ERR_INCOMPLETE : 0),
		   "chunks as receipts, %u: %s", t, text);
		ok(ledger_length(l, runs[0].id, 0) == 40,
		   "the last chunk gives the length");
		ledger_free(l);
		if (t == 1)
			missing_is(&s, "1\n", 0);
		clear(&s);
	}
}

/* Neither quadratic nor large. */
static void
test_many(void)
{
	enum { N = 200000 };
	const struct range *r;
	struct ledger *l;
	struct stream s = { .n = 0 };
	struct err e = { 0 };
	char text[4000];
	size_t n, bad = 0;
	uint64_t step = 123457;	/* prime to N */

	if (ledger_new(&l, &e))
		exit(1);
	put_begin(&s, 0, -1, STR("x\n"));
	put_begin(&s, 0, 0, STR("y\n"));
	put_end(&s, 0, N, 0);
	for (uint64_t i = 0; i < N; i++) {
		put_range(&s, 0, 0, chunk_range(0, i * step % N));
		bad += ledger_frame(l, s.f[s.n - 1], &e) != 0;
		remove_at(&s, s.n - 1);
	}
	for (size_t i = 0; i < s.n; i++)
		bad += ledger_frame(l, s.f[i], &e) != 0;
	ok(bad == 0 && reasons(l, 1, text) == 0, "many chunks: %s", text);
	ok(ledger_ranges(l, 0, 0, &r, &n, &e) == 0 && n == 1, "they join");
	ledger_free(l);
	clear(&s);
}

int
main(void)
{
	printf("# seed %llu\n", (unsigned long long)seed);
	test_nesting();
	test_numbers();
	test_number_turns();
	test_series_merged();
	test_trees();
	test_heaps();
	test_chunks();
	test_many();
	return done();
}
