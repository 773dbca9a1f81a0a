/* SPDX-License-Identifier: MIT */
/* result.c - hits: round trips, order, faults */
#include "tests/lib/result_case.h"

static uint64_t seed = 20240817;

static void
test_hits(size_t n)
{
	struct buf b = { 0 };
	struct receipt r = receipt_of(SCAN_UNION);
	struct rec_frame *f;
	uint64_t s = seed + n;
	size_t at = 0, seen = 0, bad = 0, frames = 0, last = 0;

	hits_into(&b, s, n);
	while ((f = next_frame(&b, &at))) {
		struct hits_view v;
		struct hit h, want;
		struct err e = { 0 };

		if (hits_view(&v, f, &e))
			ok(0, "hits_view: %s", e.text);
		bad += !receipt_eq(&v.receipt, &r) ||
		       v.receipt.number != frames || f->serial != 3 ||
		       run_key_cmp(&v.run, &run) != 0;
		last += v.receipt.last;
		bad += v.receipt.last != (at >= b.n);
		while (hits_next(&v, &h, &e) == 1) {
			want = any_hit(&s);
			bad += !hit_eq(&h, &want);
			seen++;
		}
		bad += e.code != 0;
		hits_view_free(&v);
		rec_frame_drop(f);
		frames++;
	}
	ok(bad == 0 && seen == n && last == 1,
	   "%zu hits come back from %zu frames (%zu bad, %zu seen)", n,
	   frames, bad, seen);
	ok(n < 600000 ? frames == 1 : frames > 1, "frames split by size");
	buf_free(&b);
}

static void
test_hit_alone(void)
{
	struct buf b = { 0 }, ops = { 0 };
	uint64_t s = seed, bad = 0;

	for (unsigned i = 0; i < 2000; i++) {
		struct hit h = any_hit(&s), g;
		struct cur c;

		b.n = 0;
		hit_put(&b, &h);
		c = cur_of(b.p, b.n);
		hit_get(&c, &g, &ops);
		bad += c.bad || cur_left(&c) || !hit_eq(&h, &g);
	}
	ok(bad == 0, "hits alone come back");
	buf_free(&b);
	buf_free(&ops);
}

static void
test_order(void)
{
	struct hit h[60];
	uint64_t s = seed;
	size_t bad = 0;

	for (size_t i = 0; i < 60; i++) {
		h[i] = any_hit(&s);
		h[i].subject.ordinal %= 2;
		h[i].send = h[i].send % 2 + 50;
		h[i].query.ordinal %= 2;
	}
	for (size_t i = 0; i < 60; i++)
		for (size_t j = 0; j < 60; j++) {
			int ij = hit_cmp_scan(h + i, h + j);

			bad += ij != -hit_cmp_scan(h + j, h + i);
			for (size_t k = 0; k < 60; k++)
				bad += ij <= 0 &&
				       hit_cmp_scan(h + j, h + k) <= 0 &&
				       hit_cmp_scan(h + i, h + k) > 0;
		}
	ok(bad == 0, "the order is total");
}

/* Each fault of a hit that the writer must refuse. */
static void
test_faults(void)
{
	static const char *what[] = { "none", "send", "sbeg", "qend", "qbeg",
		"subject", "letters", "op", "flag", "clip", "ends",
		"no length", "inner clip", "CIGAR of less", "above 1" };
	uint32_t ops[3] = { 10 << 4 | CIGAR_EQ, 2 << 4 | CIGAR_S,
			    1 << 4 | CIGAR_X };
	struct receipt r = receipt_of(SCAN_LEAST);

	for (unsigned i = 0; i < sizeof what / sizeof *what; i++) {
		struct hit h = { .query = { 0, 12, STR("q") },
				 .subject = { 0, 100, STR("s") }, .qbeg = 0,
				 .qend = 10, .sbeg = 80, .send = 90,
				 .flags = HIT_CIGAR | HIT_LETTERS,
				 .cigar = ops, .n_cigar = 2,
				 .letters = STR("acgtacgtac") };
		struct hits_writer *w;
		struct err e = { 0 };

		ops[0] = 10 << 4 | CIGAR_EQ;
		h.send += i == 1;
		h.sbeg += (i == 2) * 11;
		h.qend += (i == 3) * 3;
		h.qbeg += i == 4;
		h.subject.len -= (i == 5) * 11;
		h.letters.n -= i == 6;
		ops[0] = i == 7 ? 10 << 4 | CIGAR_N : ops[0];
		h.flags |= i == 8 ? 128 : HIT_OFFTARGET;
		h.offtarget = OFFTARGET_ONE + (i == 14);
		h.query.len -= i == 9;
		ops[0] = i == 12 ? 9 << 4 | CIGAR_EQ : ops[0];
		h.n_cigar = i == 12 ? 3 : 2;
		ops[0] = i == 13 ? 9 << 4 | CIGAR_EQ : ops[0];
		ops[1] = i == 13 ? 1 << 4 | CIGAR_I :
			 i == 11 ? CIGAR_S : 2 << 4 | CIGAR_S;
		h.flags |= i == 10 ? HIT_NO_SBEG : 0;
		if (hits_writer_new(&w, &run, &r, &e))
			abort();
		ok(hits_add(w, &h, &e) == (i ? ERR_FORMAT : 0),
		   "fault: %s: %s", what[i], e.text);
		hits_writer_free(w);
	}
}

/* Frames taken as they close are those that wait for the end. */
static void
test_take(void)
{
	static const struct run_key none = { 0 };
	struct receipt r = { .scan = { 0, { NULL, 0 }, SCAN_UNION },
			     .last = true };
	/* a long name in every row: frames of few rows */
	static char name[4096];
	struct hit h = { .subject.len = LEN_UNKNOWN,
			 .subject.name = { name, sizeof name } };
	struct buf all = { 0 }, part = { 0 }, b = { 0 };
	struct hits_writer *w[2];
	size_t n_taken = 0;
	struct err e = { 0 };

	if (hits_writer_new(&w[0], &none, &r, &e) ||
	    hits_writer_new(&w[1], &none, &r, &e))
		abort();
	for (; h.subject.ordinal < 9000; h.subject.ordinal++) {
		if (hits_add(w[0], &h, &e) || hits_add(w[1], &h, &e))
			abort();
		hits_take(w[1], &b);
		n_taken += b.n > 0;
		buf_put(&part, b.p, b.n);
		b.n = 0;
	}
	ok(hits_finish(w[0], &all, &e) == 0 &&
	   hits_finish(w[1], &part, &e) == 0 && n_taken > 1 &&
	   all.n == part.n && memcmp(all.p, part.p, all.n) == 0,
	   "%zu frames taken as they close", n_taken);
	hits_writer_free(w[0]);
	hits_writer_free(w[1]);
	buf_free(&all);
	buf_free(&part);
	buf_free(&b);
}

/* What begins nowhere is of no class: neither written nor read. */
static void
test_class(void)
{
	enum { RULE = 42 };	/* its place in the payload */
	struct receipt r = receipt_of(SCAN_UNION);
	struct hit h = { .query.len = 9, .subject.len = 9, .qend = 1,
			 .send = 1, .flags = HIT_NO_SBEG }, g;
	struct hits_writer *w;
	struct hits_view v;
	struct buf b = { 0 };
	struct rec_frame *f;
	struct err e = { 0 };
	size_t at = 0;

	if (hits_writer_new(&w, &run, &r, &e) || hits_add(w, &h, &e) ||
	    hits_finish(w, &b, &e))
		abort();
	hits_writer_free(w);
	f = next_frame(&b, &at);
	for (unsigned rule = 0; rule <= SCAN_RULES; rule++) {
		int want = rule == SCAN_CLASS ? ERR_FORMAT : 1;

		f->payload[RULE] = (uint8_t)rule;
		if (rule == SCAN_SUM || rule == SCAN_MAX || rule == SCAN_RULES)
			ok(hits_view(&v, f, &e) == ERR_FORMAT, "%s", e.text);
		else
			ok(hits_view(&v, f, &e) == 0 &&
			   hits_next(&v, &g, &e) == want, "rule %u", rule);
		hits_view_free(&v);
	}
	rec_frame_drop(f);
	buf_free(&b);
	r.scan.rule = SCAN_CLASS;
	if (hits_writer_new(&w, &run, &r, &e))
		abort();
	ok(hits_add(w, &h, &e) == ERR_FORMAT, "%s", e.text);
	h.flags = 0;
	ok(hits_add(w, &h, &e) == 0, "one that begins is written");
	hits_writer_free(w);
}

/* Rows gathered apart, in parts of any size, and some that are not. */
static void
test_append(size_t n)
{
	struct receipt r = receipt_of(SCAN_UNION);
	struct buf want = { 0 }, have = { 0 };
	uint64_t s = seed + n, sizes = n;
	struct hits_writer *w, *rows;
	struct err e = { 0 };
	bool good = true;

	hits_into(&want, s, n);
	if (hits_writer_new(&w, &run, &r, &e) ||
	    hits_rows_new(&rows, SCAN_UNION, &e))
		abort();
	for (size_t i = 0, part; i < n; i += part) {
		bool apart = below(&sizes, 3);

		part = below(&sizes, 1 + n / 4);
		part = part < n - i ? part : n - i;
		for (size_t j = 0; j < part; j++) {
			struct hit h = any_hit(&s);

			good &= hits_add(apart ? rows : w, &h, &e) == 0;
		}
		good &= hits_append(w, rows, &e) == 0;
	}
	good &= hits_finish(w, &have, &e) == 0;
	ok(good && want.n == have.n &&
	   memcmp(want.p, have.p, want.n) == 0,
	   "%zu hits, many gathered apart: the same frames", n);
	hits_writer_free(w);
	hits_writer_free(rows);
	buf_free(&want);
	buf_free(&have);
}

/* Names, labels and receipts may all be empty. */
static void
test_empty(void)
{
	static const struct run_key none = { 0 };
	struct receipt r = { .scan = { 0, { NULL, 0 }, SCAN_UNION },
			     .last = true };
	struct hit h = { .subject.len = LEN_UNKNOWN }, g;
	struct hits_writer *w;
	struct hits_view v;
	struct buf b = { 0 };
	struct rec_frame *f;
	struct err e = { 0 };
	size_t at = 0;

	if (hits_writer_new(&w, &none, &r, &e))
		abort();
	ok(hits_add(w, &h, &e) == 0 && hits_add(w, &h, &e) == 0 &&
	   hits_finish(w, &b, &e) == 0, "a hit of nothing: %s", e.text);
	f = next_frame(&b, &at);
	ok(hits_view(&v, f, &e) == 0 && hits_next(&v, &g, &e) == 1 &&
	   hit_eq(&g, &h) && v.left == 1 && v.n_queries == 1,
	   "and back: %s", e.text);
	hits_view_free(&v);
	hits_writer_free(w);
	rec_frame_drop(f);
	buf_free(&b);
}

int
main(void)
{
	printf("# seed %llu\n", (unsigned long long)seed);
	test_hits(0);
	test_hits(1);
	test_hits(5000);
	test_hits(600000);
	test_append(20);
	test_append(5000);
	test_append(600000);
	test_take();
	test_hit_alone();
	test_order();
	test_faults();
	test_class();
	test_empty();
	return done();
}
