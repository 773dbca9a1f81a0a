/* SPDX-License-Identifier: MIT */
/* result_hostile.c - every kind of frame, and its bytes changed */
#include "tests/lib/result_case.h"

static uint64_t seed = 20240817;

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
		       !str_is(v.row[i].query.name, row[i].query.name) ||
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
	uint64_t end[5] = { 3, 3, 5, 5, 5 }, end3[5] = { 0, 1, 4, 4, 4 };
	struct primer_part p = { .run = run, .receipt = receipt_of(SCAN_MAX),
		.target = { 2, 5, STR("virus") }, .options = STR("k 2\n"),
		.minus = true, .n = 5, .letters = (const uint8_t *)"ACGTA",
		.end = end, .end3 = end3 }, v;
	struct rec_frame *f, *g;
	struct err e = { 0 };

	if (primer_encode(&f, &p, &e) || primer_view(&v, f, &e)) {
		ok(0, "primer: %s", e.text);
		exit(1);
	}
	ok(v.n == 5 && !memcmp(v.end, end, sizeof end) && v.end3 &&
	   !memcmp(v.end3, end3, sizeof end3) && v.minus && v.beg == 0 &&
	   !memcmp(v.letters, "ACGTA", 5) && str_is(v.options, p.options) &&
	   str_is(v.target.name, p.target.name), "a part comes back");
	primer_free(&v);
	for (unsigned i = 0; i < 5; i++) {
		static const char *const what[] = {
			"too far", "before its start", "that decreases",
			"elsewhere", "of nothing",
		};
		uint64_t was = end3[i];

		end3[i] = i == 0 ? 6 : i == 1 ? 0 : i == 2 ? 5 : was;
		p.beg = i == 3 ? 4 : 0;
		p.target.len = i == 4 ? 0 : 5;
		ok(primer_encode(&g, &p, &e) == ERR_FORMAT, "an end %s: %s",
		   what[i], e.text);
		end3[i] = was;
	}
	return f;
}

static struct rec_frame *
a_dist_frame(bool weighted, bool rect)
{
	struct query_ref query[2] = { { 0, 7, STR("x") },
				      { 1, 8, STR("y") } };
	struct subject_ref name[3] = { { 0, 5, STR("a") },
		{ 1, LEN_UNKNOWN, STR("b") }, { 2, 0, STR("") } };
	struct dist_row row[2] = { { 0, 1, 0.1, 0.2, -1e300, 1e-300, 9,
				     0 },
				   { 1, 2, -0.0, 3, 4, 5, 1, 0 } };
	struct dist d = { run, receipt_of(SCAN_UNION), STR("delta"), weighted,
			  rect, query, rect ? 2 : 0, name, 3, row, 2, NULL }, v;
	struct rec_frame *f, *g;
	struct err e = { 0 };

	if (dist_encode(&f, &d, &e) || dist_view(&v, f, &e)) {
		ok(0, "dist: %s", e.text);
		exit(1);
	}
	ok(v.n_names == 3 && v.n_rows == 2 && v.name[1].len == LEN_UNKNOWN &&
	   v.name[0].len == 5 && v.row[0].value == 0.1 && v.row[1].b == 2 &&
	   v.weighted == weighted && v.rect == rect &&
	   (!rect || (v.n_queries == 2 && str_is(v.query[1].name,
						 query[1].name))) &&
	   (!weighted || (v.row[0].min == -1e300 && v.row[0].pairs == 9)),
	   "distances come back, weighted %d, queries %d", weighted, rect);
	dist_free(&v);
	row[1].b = 3;
	ok(dist_encode(&g, &d, &e) == ERR_FORMAT, "no such name");
	row[1] = (struct dist_row) { .a = 2, .b = 1, .pairs = 1 };
	ok(dist_encode(&g, &d, &e) == ERR_FORMAT, rect ? "no such query" :
	   "a behind b");
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

static int
use_hits(const struct rec_frame *f)
{
	struct hits_view v;
	struct hit h;
	struct buf b = { 0 };
	struct err e = { 0 };
	int rc = hits_view(&v, f, &e);

	if (rc)
		return rc;
	while ((rc = hits_next(&v, &h, &e)) == 1) {
		b.n = 0;
		hit_put(&b, &h);
	}
	hits_view_free(&v);
	buf_free(&b);
	return rc;
}

/*
 * View a frame, and touch all that it shows; 0 or the code, or 1 if what it
 * shows could not have been written.
 */
static int
use(const struct rec_frame *f)
{
	struct tally t;
	struct primer_part p;
	struct dist d;
	struct receipt r;
	struct run_key k;
	struct err e = { 0 };
	struct rec_frame *g = NULL;
	int rc, again = 0;

	switch (f->type) {
	case REC_HITS:
		return use_hits(f);
	case REC_TALLY:
		rc = tally_view(&t, f, &e);
		again = rc ? 0 : tally_encode(&g, &t, &e);
		tally_free(&t);
		break;
	case REC_PRIMER:
		rc = primer_view(&p, f, &e);
		again = rc ? 0 : primer_encode(&g, &p, &e);
		primer_free(&p);
		break;
	case REC_DIST:
		rc = dist_view(&d, f, &e);
		again = rc ? 0 : dist_encode(&g, &d, &e);
		dist_free(&d);
		break;
	default:
		rc = result_head(f, &k, &r, &e);
		free(r.range);
	}
	rec_frame_drop(g);
	return again ? 1 : rc;
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
	ok(bad == 0 && f->n, "%s: cut at every length is found",
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
	hostile(a_hits_frame());
	hostile(a_tally_frame());
	hostile(a_primer_frame());
	for (unsigned i = 0; i < 4; i++)
		hostile(a_dist_frame(i & 1, i & 2));
	hostile(a_done_frame());
	f = a_done_frame();
	f->serial++;
	ok(use(f) == ERR_FORMAT, "a header of another serial");
	rec_frame_drop(f);
	return done();
}
