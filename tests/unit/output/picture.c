/* SPDX-License-Identifier: MIT */
/* picture.c - what a picture shows of hits, counts and primers, and where */
#include "output/picture.h"
#include "output/output.h"

#include <stdio.h>
#include <string.h>

#include "tests/lib/tap.h"

static struct picture *picture;
static struct buf page;
static struct err err;

static void
start(void)
{
	if (picture_new(&picture, &err) < 0)
		printf("# %s\n", err.text);
}

/* Draws what was given; the page stands until the next one. */
static void
draw(const char *what)
{
	page.n = 0;
	ok(picture_draw(picture, &page, &err) == 0, "%s: drawn", what);
	buf_u8(&page, 0);
	picture_free(picture);
}

static void
shows(const char *text)
{
	ok(page.p && strstr((char *)page.p, text) != NULL, "shows %s", text);
}

static void
lacks(const char *text)
{
	ok(page.p && strstr((char *)page.p, text) == NULL, "without %s", text);
}

static void
above(const char *one, const char *other)
{
	const char *a = strstr((char *)page.p, one);
	const char *b = strstr((char *)page.p, other);

	ok(a && b && a < b, "%s above %s", one, other);
}

static struct str
str(const char *s)
{
	return (struct str){ s, strlen(s) };
}

/* Names are s0, s1, ... and q0, q1, ... */
static void
hit(unsigned subject, uint64_t len, uint64_t sbeg, uint64_t send,
    unsigned query, int64_t score)
{
	char s[16], q[16];
	struct hit h = { .sbeg = sbeg, .send = send, .qend = 100,
			 .score = score };

	snprintf(s, sizeof s, "s%u", subject);
	snprintf(q, sizeof q, "q%u", query);
	h.subject = (struct subject_ref){ .ordinal = subject, .len = len,
					  .name = str(s) };
	h.query = (struct query_ref){ .ordinal = query, .len = 100,
				      .name = str(q) };
	picture_hit(picture, 1, &h);
}

/* x from 200 to 840 over all sequences, y likewise over all queries. */
static void
places(void)
{
	start();
	hit(0, 1000, 0, 100, 0, 9);
	hit(1, 1000, 500, 600, 1, 9);
	draw("two by two");
	shows("M200.0 280.0L232.1 460.0M680.0 460.0L712.1 640.0\"");
	lacks("Hits by edits");		/* no hit has any */
	shows("Hits by score");
	lacks("the best, of the queries");

	start();
	hit(0, 1000, 0, 100, 0, 9);
	hit(0, 1000, 600, 700, 0, 9);
	draw("far apart: the whole sequence");
	shows("M200.0 228.0L264.1 588.0M584.0 228.0L648.1 588.0\"");
	start();
	hit(0, 1000, 500, 600, 0, 9);
	draw("in a small part: that alone, and a tenth around");
	shows("M291.4 228.0L748.7 588.0\"");
}

/* Of few queries each has its lane, in every sequence where it is, to a scale
 * of its own; where hits have one number, a line says it. */
static void
queries(void)
{
	start();
	hit(1, 1000, 100, 101, 1, 0);
	for (unsigned i = 0; i < 50; i++)
		hit(0, 1000, 100, 101, 0, 0);
	hit(0, 1000, 900, 901, 1, 0);
	hit(0, 1000, 900, 901, 1, 0);
	draw("two queries in two sequences");
	shows("query by query");
	above(">s0<", ">q0<");
	above(">q0<", ">q1<");
	above(">q1<", ">s1<");
	shows("<path class=\"c0\" d=\"M261.3 ");
	shows("h2.7v-16.0h-2.7z");	/* the most of either */
	shows("h2.7v-8.0h-2.7z");	/* half of q1's */
	lacks("class=\"p\"");
	start();
	for (unsigned i = 0; i < 13; i++)
		hit(0, 1000, 100, 101, i, 0);
	draw("thirteen queries");
	lacks("query by query");
	shows("class=\"p\"");
	start();
	for (unsigned i = 0; i < 49; i++)
		hit(i % 7, 1000, 100, 101, i / 7, 0);
	draw("7 queries in 7 sequences");
	lacks("query by query");
	start();
	for (unsigned i = 0; i < 48; i++)
		hit(i % 6, 1000, 100, 101, i / 6, 7);
	draw("8 queries in 6 sequences");
	shows("query by query");
	shows("class=\"c7\"");
	shows(">Hits by score: all 48 have 7<");
}

/* More lines than are drawn: the best, and it is said. */
static void
best(void)
{
	start();
	for (unsigned i = 0; i < 5000; i++)
		hit(0, 100000, i, i + 100, 0, 1);
	hit(0, 100000, 90000, 90100, 0, 1000);
	draw("5,001 alignments");
	shows("2,000 of 5,001 alignments: the best");
	shows("M776.0 228.0L");	/* the one of most score */
	lacks("M220.0 228.0L");	/* of the others the first 1,999 */
}

static void
random_hits(unsigned from, unsigned step)
{
	start();
	for (unsigned i = from, n = 0; n < 9001; n++, i = (i + step) % 9001) {
		uint64_t seed = 77 + i, at;

		rnd(&seed);
		at = below(&seed, 900);
		hit((unsigned)below(&seed, 40), 1000, at, at + 100,
		    (unsigned)below(&seed, 20), (int64_t)below(&seed, 3) + 1);
	}
	draw("random");
}

/* In whatever order rows come. */
static void
orders(void)
{
	struct buf first = { 0 };

	random_hits(0, 1);
	buf_put(&first, page.p, page.n);
	for (unsigned step = 2; step < 4000; step += 1999) {
		random_hits(5, step);
		ok(page.n == first.n && !memcmp(page.p, first.p, page.n),
		   "the same page, by steps of %u", step);
	}
	buf_free(&first);
}

/* Lengths are the input's: their sum may not fit. */
static void
longest(void)
{
	start();
	hit(0, UINT64_MAX - 1, 5, 100, 0, 9);
	hit(1, UINT64_MAX - 1, UINT64_MAX - 100, UINT64_MAX - 1, 0, 9);
	draw("lengths of 64 bits");
	lacks("M-");
	lacks("nan");
	lacks("inf");
}

static void
tally(uint64_t edits, uint64_t count)
{
	struct tally_row t = { .edits = edits, .count = count };

	picture_tally(picture, &t);
}

static void
histograms(void)
{
	start();
	tally(0, 3);
	tally(1, 1);
	tally(127, 5);	/* bins of two */
	draw("counts");
	shows("2 a bar");
	shows("9 in all");
	shows("height=\"104.0\"");	/* 4 of 5, of 130 */
	start();
	tally(5, 3);
	draw("near 0 it begins there");
	shows(">4</text>");
	start();
	tally(20, 3);
	draw("far from 0 it does not");
	lacks(">19</text>");
	shows(">20</text>");
}

static void
primer(uint64_t beg, uint64_t end, bool minus)
{
	struct primer_row r = { .beg = beg, .end = end, .minus = minus,
				.target = { .len = 100, .name = str("t") } };

	picture_primer(picture, &r);
}

static void
of_run(uint64_t run, uint64_t ordinal, const char *name)
{
	struct hit h = { .query.name = str("q"), .subject = {
		.ordinal = ordinal, .len = 9, .name = str(name) } };

	picture_hit(picture, run, &h);
}

/* Runs stand by the name of their first sequence: their ids say nothing.
 * Targets stand as in the input. */
static void
runs(void)
{
	struct primer_row r = { .end = 9 };

	start();
	of_run(9, 1, "aa");
	of_run(9, 0, "zz");
	of_run(3, 1, "xx");
	of_run(3, 0, "mm");
	draw("two runs");
	above(">mm<", ">xx<");
	above(">xx<", ">zz<");
	above(">zz<", ">aa<");
	start();
	for (unsigned i = 0; i < 2; i++) {
		r.target = (struct query_ref){ .ordinal = 1 - i, .len = 9,
					       .name = str(i ? "zz" : "aa") };
		picture_primer(picture, &r);
	}
	draw("two targets");
	above(">zz<", ">aa<");
}

/* One among a thousand is seen. */
static void
small(void)
{
	start();
	for (unsigned i = 0; i < 1000; i++)
		hit(0, 1000, 100, 101, 0, 0);
	hit(0, 1000, 900, 901, 0, 0);
	draw("a small bar");
	shows("h2.7v-2.0h-2.7z");
	shows("h2.7v-36.0h-2.7z");
}

static void
primers(void)
{
	start();
	for (unsigned i = 0; i < 7; i++)
		primer(10 + i, 30 + i, false);
	primer(50, 68, true);
	draw("primers");
	shows("<title id=\"title\">8 primers in 1 sequence</title>");
	shows("+ strand: 7<");
	shows("- strand: 1<");
	shows(">18</text>");	/* letters, not ends */
	lacks(">68</text>");
}

/* Sequences beyond those that are kept are counted. */
static void
many(void)
{
	start();
	for (unsigned i = 0; i < 16500; i++)
		hit(i, 100, 1, 2, 0, 0);
	draw("many sequences");
	shows("16,500 hits of 1 query in 16384 sequences or more");
	shows("Not all of them are shown.");
	shows("not shown: 16,476 more in at least 16,361 other sequences");
}

/* What has most hits, of these the longest, of these the first; drawn in the
 * order of the input. */
static void
chosen(void)
{
	start();
	for (unsigned i = 0; i < 30; i++)
		hit(i, i == 29 ? 2000 : 1000, 1, 2, 0, 0);
	hit(28, 1000, 1, 2, 0, 0);
	draw("thirty sequences");
	shows(">s28<");
	shows(">s29<");
	shows(">s21<");
	lacks(">s22<");
	above(">s21<", ">s28<");	/* in the order of the input */
	start();
	hit(0, 99, 50, 51, 0, 0);
	hit(1, 2000, 50, 51, 0, 0);
	draw("one is twenty times as long");
	shows("each sequence from its first letter to its last");
	start();
	hit(0, 100, 50, 51, 0, 0);
	hit(1, 2000, 1, 2, 0, 0);
	draw("not quite");
	lacks("each sequence from its first letter to its last");
}

static void
incomplete(void)
{
	char why[200];

	memset(why, 'x', sizeof why);
	why[sizeof why - 1] = '\0';
	start();
	hit(0, 100, 1, 2, 0, 0);
	picture_lacks(picture, "a < b");
	picture_lacks(picture, "another");
	draw("incomplete");
	shows("<title id=\"title\">Incomplete: 1 hit of ");
	shows(">a &lt; b</text>");
	lacks("another");
	start();
	picture_lacks(picture, why);
	draw("a long reason");
	shows("xxx</title>xxx");	/* all of it to be hovered at */
	shows("Nothing found");
}

/* Products lie on their subject, whose length may not be known. */
static void
products(void)
{
	struct product_row r = { .pair = str("p0"), .subject = str("s0"),
				 .slen = 1000, .beg = 0, .end = 100 };

	start();
	picture_product(picture, &r);
	r.beg = 900;
	r.end = 1000;
	picture_product(picture, &r);
	draw("products");
	shows("M229.3 109.5h2.7v-36.0h-2.7zM805.3 109.5h2.7");
	start();
	r.slen = LEN_UNKNOWN;
	picture_product(picture, &r);
	r.beg = 0;
	r.end = 100;
	picture_product(picture, &r);
	draw("the last product's end is the last letter known");
	shows("M229.3 109.5h2.7v-36.0h-2.7zM805.3 109.5h2.7");
}

/* Few digits, from each unit on. */
static void
numbers(void)
{
	static const struct {
		uint64_t v;
		const char *text;
	} t[] = {
		{ 0, "0" }, { 999, "999" }, { 1000, "1 k" },
		{ 999999, "1000 k" }, { 1000000, "1 M" },
		{ 12345678, "12.35 M" }, { 1000000000, "1 G" },
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		ok(strcmp(svg_short(t[i].v).text, t[i].text) == 0, "%s: %s",
		   t[i].text, svg_short(t[i].v).text);
}

int
main(void)
{
	numbers();
	products();
	places();
	queries();
	best();
	orders();
	longest();
	histograms();
	primers();
	many();
	chosen();
	runs();
	small();
	incomplete();
	buf_free(&page);
	return done();
}
