/* SPDX-License-Identifier: MIT */
/* result.c - result frames: round trips, orders, and hostile payloads */
#include "base/cigar.h"
#include "stream/result.h"
#include "tap.h"

static uint64_t seed = 20240817;

#define STR(s) ((struct str){ s, sizeof(s) - 1 })

static const struct run_key run = {
	0x1234, { "genome.fa", 9 }, { "", 0 }, { "chr1", 4 }, 77
};
static struct range ranges[2] = { { 3, 4, 1000, 99 }, { 7, 9, 2000, 5 } };

static struct receipt
receipt_of(enum scan_rule rule)
{
	struct receipt r = { .scan = { 42, { "guides.fa", 9 }, rule },
			     .last = true, .range = ranges, .n_ranges = 2 };

	return r;
}

static bool
str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static bool
receipt_eq(const struct receipt *a, const struct receipt *b)
{
	return a->scan.id == b->scan.id && a->scan.rule == b->scan.rule &&
	       str_eq(a->scan.base, b->scan.base) &&
	       a->n_ranges == b->n_ranges &&
	       memcmp(a->range, b->range, a->n_ranges * sizeof *a->range) == 0;
}

/* A random hit that may be, its arrays in static places. */
static struct hit
any_hit(uint64_t *s)
{
	static uint32_t ops[64][4];
	static char names[64][24];
	static unsigned turn;
	unsigned t = turn++ % 64, n_eq = (unsigned)below(s, 40) + 1;
	struct hit h = { .flags = (unsigned)below(s, 32) };

	snprintf(names[t], sizeof names[t], "%llu",
		 (unsigned long long)below(s, 1000));
	h.query = (struct query_ref){ below(s, 9), 60, STR("q") };
	h.subject.ordinal = below(s, 300);
	h.subject.name = (struct str){ names[t], strlen(names[t]) };
	ops[t][0] = n_eq << 4 | CIGAR_EQ;
	ops[t][1] = 1 << 4 | CIGAR_I;
	ops[t][2] = 2 << 4 | CIGAR_X;
	ops[t][3] = 3 << 4 | CIGAR_S;
	h.sbeg = rnd(s) >> (1 + below(s, 63));
	h.send = h.sbeg + n_eq + 2;
	h.subject.len = below(s, 2) ? LEN_UNKNOWN : h.send + below(s, 9);
	h.qbeg = below(s, 10);
	h.qend = h.qbeg + n_eq + 3;
	h.score = (int64_t)rnd(s) >> below(s, 64);
	if (h.flags & HIT_NO_SBEG) {
		h.flags &= ~(unsigned)(HIT_CIGAR | HIT_LETTERS);
		h.sbeg = h.send;
	}
	if (h.flags & HIT_EDITS)
		h.edits = rnd(s) >> below(s, 64);
	if (h.flags & HIT_CIGAR) {
		h.cigar = ops[t];
		h.n_cigar = 4;
	}
	if (h.flags & HIT_LETTERS)
		h.letters = (struct str){
		    "acgtacgtacgtacgtacgtacgtacgtacgtacgtacgtacgtac",
		    h.send - h.sbeg };
	return h;
}

static bool
hit_eq(const struct hit *a, const struct hit *b)
{
	return hit_cmp_scan(a, b) == 0 && a->query.len == b->query.len &&
	       a->subject.len == b->subject.len &&
	       str_eq(a->query.name, b->query.name) &&
	       str_eq(a->subject.name, b->subject.name);
}

/* The frames of encoded bytes, one by one, as a reader would give them. */
static struct rec_frame *
next_frame(const struct buf *b, size_t *at)
{
	const uint8_t *h = b->p + *at;
	struct rec_frame *f;
	size_t n;

	if (*at >= b->n)
		return NULL;
	n = get_le(h + 16, 8);
	f = rec_frame_new(n);
	if (!f || get_le(h + 10, 2) & REC_MASKED)
		abort();
	memcpy(f->payload, h + REC_HEADER, n);
	f->n = n;
	f->type = h[9];
	f->run = get_le(h + 24, 8);
	f->serial = get_le(h + 32, 8);
	f->records = (uint32_t)get_le(h + 44, 4);
	*at += (REC_HEADER + n + REC_ALIGN - 1) / REC_ALIGN * REC_ALIGN;
	return f;
}

static void
hits_into(struct buf *b, uint64_t s, size_t n)
{
	struct receipt r = receipt_of(SCAN_UNION);
	struct hits_writer *w;
	struct err e = { 0 };

	if (hits_writer_new(&w, &run, &r, &e))
		abort();
	for (size_t i = 0; i < n; i++) {
		struct hit h = any_hit(&s);

		if (hits_add(w, &h, &e)) {
			ok(0, "hits_add: %s", e.text);
			break;
		}
	}
	ok(hits_finish(w, b, &e) == 0, "%zu hits written", n);
	hits_writer_free(w);
}

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
		"subject", "letters", "op", "flag", "clip", "ends" };
	uint32_t ops[2] = { 10 << 4 | CIGAR_EQ, 2 << 4 | CIGAR_S };
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
		h.flags |= i == 8 ? 64 : 0;
		h.query.len -= i == 9;
		h.flags |= i == 10 ? HIT_NO_SBEG : 0;
		if (hits_writer_new(&w, &run, &r, &e))
			abort();
		ok(hits_add(w, &h, &e) == (i ? ERR_FORMAT : 0),
		   "fault: %s: %s", what[i], e.text);
		hits_writer_free(w);
	}
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

static struct rec_frame *
a_hits_frame(void)
{
	struct buf b = { 0 };
	size_t at = 0;
	struct rec_frame *f;

	hits_into(&b, seed, 12);
	f = next_frame(&b, &at);
	buf_free(&b);
	return f;
}

static struct rec_frame *
a_tally_frame(void)
{
	static struct tally_row row[] = {
		{ { 1, 20, { "a", 1 } }, false, 0, 5 },
		{ { 1, 20, { "a", 1 } }, false, 3, UINT64_MAX },
		{ { 1, 20, { "a", 1 } }, true, 0, 7 },
		{ { 4, 30, { "", 0 } }, true, 1, 1 },
	};
	struct tally t = { run, receipt_of(SCAN_SUM), row, 4 }, v;
	struct rec_frame *f;
	struct err e = { 0 };
	size_t bad = 0;

	if (tally_encode(&f, &t, &e) || tally_view(&v, f, &e)) {
		ok(0, "tally: %s", e.text);
		exit(1);
	}
	for (size_t i = 0; i < 4 && v.n_rows == 4; i++)
		bad += v.row[i].query.ordinal != row[i].query.ordinal ||
		       v.row[i].query.len != row[i].query.len ||
		       !str_eq(v.row[i].query.name, row[i].query.name) ||
		       v.row[i].minus != row[i].minus ||
		       v.row[i].edits != row[i].edits ||
		       v.row[i].count != row[i].count;
	ok(v.n_rows == 4 && bad == 0 && f->records == 4 && f->serial == 3 &&
	   receipt_eq(&v.receipt, &t.receipt), "a tally comes back");
	tally_free(&v);
	t.row[1].edits = 0;
	{
		struct rec_frame *g;

		ok(tally_encode(&g, &t, &e) == ERR_FORMAT,
		   "equal rows of a tally are refused");
		t.row[1].edits = 3;
		t.receipt.scan.rule = SCAN_UNION;
		ok(tally_encode(&g, &t, &e) == ERR_FORMAT,
		   "a tally belongs to a scan that sums");
	}
	return f;
}

static struct rec_frame *
a_primer_frame(void)
{
	uint64_t end[5] = { 3, 2, 4, 3, 0 }, end3[5] = { 7, 6, 5, 4, 3 };
	struct primer_part p = { run, receipt_of(SCAN_MAX),
		{ 2, 30, STR("virus") }, STR("k 2\n"), true, 20, 5,
		STR("ACGTACG"), end, end3 }, v;
	struct rec_frame *f, *g;
	struct err e = { 0 };

	if (primer_encode(&f, &p, &e) || primer_view(&v, f, &e)) {
		ok(0, "primer: %s", e.text);
		exit(1);
	}
	ok(v.n == 5 && !memcmp(v.end, end, sizeof end) && v.end3 &&
	   !memcmp(v.end3, end3, sizeof end3) && v.minus && v.beg == 20 &&
	   str_eq(v.letters, p.letters) && str_eq(v.options, p.options) &&
	   str_eq(v.target.name, p.target.name), "a part comes back");
	primer_free(&v);
	end3[4] = 4;
	ok(primer_encode(&g, &p, &e) == ERR_FORMAT, "an end too far");
	return f;
}

static struct rec_frame *
a_dist_frame(int kind)
{
	struct subject_ref name[3] = { { 0, 5, STR("a") },
		{ 1, LEN_UNKNOWN, STR("b") }, { 2, 0, STR("") } };
	struct dist_row row[2] = { { 0, 1, 0.1, 0.2, -1e300, 1e-300, 9 },
				   { 1, 2, -0.0, 3, 4, 5, 0 } };
	struct dist d = { run, receipt_of(SCAN_UNION), STR("delta"), kind,
			  name, 3, row, 2 }, v;
	struct rec_frame *f, *g;
	struct err e = { 0 };

	if (dist_encode(&f, &d, &e) || dist_view(&v, f, &e)) {
		ok(0, "dist: %s", e.text);
		exit(1);
	}
	ok(v.n_names == 3 && v.n_rows == 2 && v.name[1].len == LEN_UNKNOWN &&
	   v.name[0].len == 5 && v.row[0].value == 0.1 && v.row[1].b == 2 &&
	   (kind == DIST_PLAIN || (v.row[0].min == -1e300 &&
				   v.row[0].pairs == 9)),
	   "distances of kind %d come back", kind);
	dist_free(&v);
	row[1].b = 3;
	ok(dist_encode(&g, &d, &e) == ERR_FORMAT, "no such name");
	return f;
}

static struct rec_frame *
a_done_frame(void)
{
	struct receipt r = receipt_of(SCAN_SUM), v;
	struct run_key k;
	struct rec_frame *f;
	struct err e = { 0 };

	if (done_encode(&f, &run, &r, &e) || result_head(f, &k, &v, &e)) {
		ok(0, "done: %s", e.text);
		exit(1);
	}
	ok(receipt_eq(&v, &r) && v.last && run_key_cmp(&k, &run) == 0,
	   "DONE comes back");
	free(v.range);
	return f;
}

/* View a frame, and touch all that it shows; 0 or the code. */
static int
use(const struct rec_frame *f)
{
	struct hits_view h;
	struct hit hit;
	struct tally t;
	struct primer_part p;
	struct dist d;
	struct receipt r;
	struct run_key k;
	struct err e = { 0 };
	struct buf b = { 0 };
	int rc;

	switch (f->type) {
	case REC_HITS:
		rc = hits_view(&h, f, &e);
		if (rc)
			return rc;
		while ((rc = hits_next(&h, &hit, &e)) == 1) {
			b.n = 0;
			hit_put(&b, &hit);
		}
		hits_view_free(&h);
		buf_free(&b);
		return rc;
	case REC_TALLY:
		rc = tally_view(&t, f, &e);
		tally_free(&t);
		return rc;
	case REC_PRIMER:
		rc = primer_view(&p, f, &e);
		primer_free(&p);
		return rc;
	case REC_DIST:
		rc = dist_view(&d, f, &e);
		dist_free(&d);
		return rc;
	}
	rc = result_head(f, &k, &r, &e);
	free(r.range);
	return rc;
}

/* The first n bytes in a block of just that size, so that a sanitizer sees
 * any look behind them. */
static struct rec_frame
cut(const struct rec_frame *f, size_t n)
{
	struct rec_frame g = *f;

	g.payload = malloc(n ? n : 1);
	if (!g.payload)
		abort();
	memcpy(g.payload, f->payload, n);
	g.n = n;
	return g;
}

static void
hostile(struct rec_frame *f)
{
	size_t bad = 0, refused = 0, tried = 0;

	for (size_t n = 0; n < f->n; n++) {	/* cut anywhere */
		struct rec_frame g = cut(f, n);

		bad += use(&g) != ERR_FORMAT;
		free(g.payload);
	}
	ok(bad == 0 && f->n, "%s: cut at every length is told",
	   rec_type_name(f->type));
	for (size_t i = 0; i < f->n; i++)
		for (unsigned x = 1; x < 256; x += x < 8 ? 1 : 13) {
			struct rec_frame g = cut(f, f->n);
			int rc;

			g.payload[i] ^= (uint8_t)x;
			rc = use(&g);
			bad += rc != 0 && rc != ERR_FORMAT;
			refused += rc != 0;
			tried++;
			free(g.payload);
		}
	ok(bad == 0 && refused > tried / 10,
	   "%s: %zu of %zu changed ones refused, no crash",
	   rec_type_name(f->type), refused, tried);
	f->records++;
	ok(use(f) == ERR_FORMAT, "a row too many");
	f->records -= 2;
	ok(use(f) == ERR_FORMAT, "a row too few");
	f->records = UINT32_MAX;
	ok(use(f) == ERR_FORMAT, "all rows there are");
	rec_frame_drop(f);
}

int
main(void)
{
	struct rec_frame *f;

	printf("# seed %llu\n", (unsigned long long)seed);
	test_hits(0);
	test_hits(1);
	test_hits(5000);
	test_hits(600000);
	test_hit_alone();
	test_order();
	test_faults();
	test_empty();
	hostile(a_hits_frame());
	hostile(a_tally_frame());
	hostile(a_primer_frame());
	hostile(a_dist_frame(DIST_PLAIN));
	hostile(a_dist_frame(DIST_WEIGHTED));
	hostile(a_done_frame());
	f = a_done_frame();
	f->serial++;
	ok(use(f) == ERR_FORMAT, "a header of another serial");
	rec_frame_drop(f);
	return done();
}
