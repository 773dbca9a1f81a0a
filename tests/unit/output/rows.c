/* SPDX-License-Identifier: MIT */
/* rows.c - rows printed by threads: the text that they are row by row */
#include "output/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "letters/letters.h"
#include "tests/lib/splitmix.h"
#include "tests/lib/tap.h"

enum { ROWS = 300, SLACK = 20 };

static char path[] = "/tmp/seqf-rows-XXXXXX";
static struct printer_params pp = { .format = FORMAT_TSV, .header = true };
static struct err err;
static uint64_t seed = 5;
static const uint32_t ops[] = { 4 << 4 | CIGAR_EQ };

static struct str
str(const char *s)
{
	return (struct str){ s, strlen(s) };
}

/* Of subject 0, 1 or 2; the last one's length is known by its rows. */
static struct hit
row(uint64_t subject, uint64_t end)
{
	static const char *const names[] = { "a", "", "long name" };
	bool minus = below(&seed, 2);
	uint64_t len = 4 + below(&seed, 2);

	return (struct hit){
		.query = { below(&seed, 40), len, str("q") },
		.subject = { subject, subject == 2 ? 5000 : LEN_UNKNOWN,
			     str(names[subject]) },
		.qend = len, .sbeg = end - 4, .send = end, .edits = len - 4,
		.flags = HIT_EDITS | HIT_CIGAR | (minus ? HIT_MINUS : 0),
		.cigar = ops, .n_cigar = 1,
	};
}

static int
cmp(const void *pa, const void *pb)
{
	return hit_cmp_scan(pa, pb);
}

/* The length comes when the last row did, or with the row that it is of. */
static char *
finish(struct printer *p, struct out *o)
{
	static char text[1 << 20];
	FILE *f;
	size_t n;

	printer_length(p, 1, 0, 4000, &err);
	printer_length(p, 1, 1, 4321, &err);
	ok(printer_finish(p, &err) == 0 && out_close(o, &err) == 0, "written");
	printer_free(p);
	f = fopen(path, "rb");
	n = fread(text, 1, sizeof text - 1, f);
	text[n] = 0;
	fclose(f);
	return text;
}

static char *
row_by_row(const struct hit *v, size_t n)
{
	struct printer *p;
	struct out *o;

	if (out_open(&o, path, &err) || printer_new(&p, &pp, o, &err))
		exit(1);
	for (size_t i = 0; i < n; i++)
		if (printer_hit(p, 1, 9, &v[i], &err))
			ok(0, "%s", err.text);
	return finish(p, o);
}

/* Rows that end in [lo, hi) may come with those that end before, or behind. */
static size_t
chunk_of(const struct hit *h, uint64_t own)
{
	uint64_t late = h->query.ordinal % 2 ? SLACK / 2 : 0;

	return (size_t)(h->subject.ordinal * 1000 + (h->send + late) / own);
}

static char *
by_chunks(const struct hit *v, size_t n, uint64_t own, uint64_t slack)
{
	bool begin = pp.format == FORMAT_BED;
	struct rows_order order = { .slack = slack, .by_begin = begin };
	struct rows_print how;
	struct rows_text t = { .at = 0 };
	struct printer *p;
	struct buf b = { 0 };
	struct out *o;

	if (out_open(&o, path, &err) || printer_new(&p, &pp, o, &err))
		exit(1);
	ok(printer_rows(p, &how), "rows may be printed before");
	for (size_t c = 0; c < 3000; c++) {
		b.n = 0;
		rows_begin(&t, &how, &b);
		for (size_t i = 0; i < n; i++)
			if (chunk_of(&v[i], own) == c &&
			    rows_add(&t, &v[i], &err))
				ok(0, "%s", err.text);
		if (rows_end(&t, &err) || rows_take(&order, 1, &b, p, &err))
			ok(0, "%s", err.text);
	}
	ok(rows_finish(&order, p, &err) == 0 && order.n == n, "all of them");
	rows_free(&order);
	rows_text_free(&t);
	buf_free(&b);
	return finish(p, o);
}

/* By begins, as in BED. */
static int
cmp_begin(const void *pa, const void *pb)
{
	const struct hit *a = pa, *b = pb;
	const uint64_t x[] = { a->subject.ordinal, a->sbeg, a->send,
			       a->query.ordinal, a->query.len,
			       a->flags & HIT_MINUS };
	const uint64_t y[] = { b->subject.ordinal, b->sbeg, b->send,
			       b->query.ordinal, b->query.len,
			       b->flags & HIT_MINUS };

	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* Rows of 1 to SLACK letters: chunks are by their ends. */
static void
test_begins(size_t n, uint64_t own)
{
	struct hit v[ROWS];
	char *want;

	pp.format = FORMAT_BED;
	pp.columns = NULL;
	for (size_t i = 0; i < n; i++) {
		v[i] = row(below(&seed, 3), 4 + below(&seed, 60));
		v[i].sbeg = v[i].send - 1 - below(&seed, v[i].send < SLACK ?
						  v[i].send : SLACK);
	}
	qsort(v, n, sizeof *v, cmp_begin);
	want = strdup(row_by_row(v, n));
	ok(strcmp(want, by_chunks(v, n, own, 2 * SLACK + 1)) == 0,
	   "bed: %zu rows, chunks of %llu letters", n,
	   (unsigned long long)own);
	free(want);
	pp.format = FORMAT_TSV;
}

/* A site of a guide that nobody knows is an error, not a row less. */
static void
test_unknown(void)
{
	struct rows_print how;
	struct hit h = row(0, 40);
	struct rows_text t = { .at = 0 };
	struct printer *p;
	struct buf b = { 0 };
	struct out *o;

	pp.format = FORMAT_OFFTARGET;
	pp.columns = NULL;
	if (out_open(&o, path, &err) || printer_new(&p, &pp, o, &err))
		exit(1);
	ok(printer_rows(p, &how), "sites may be printed before");
	rows_begin(&t, &how, &b);
	ok(rows_add(&t, &h, &err) == ERR_USAGE, "%s", err.text);
	printer_free(p);
	out_abort(o);
	rows_text_free(&t);
	buf_free(&b);
	pp.format = FORMAT_TSV;
}

/* n rows, sorted. */
static void
test_case(size_t n, uint64_t own, const char *columns)
{
	struct hit v[ROWS];
	char *want;

	pp.columns = columns;
	for (size_t i = 0; i < n; i++)
		v[i] = row(below(&seed, 3), 4 + below(&seed, 3990));
	qsort(v, n, sizeof *v, cmp);
	want = strdup(row_by_row(v, n));
	ok(strcmp(want, by_chunks(v, n, own, SLACK)) == 0,
	   "%zu rows, chunks of %llu letters", n, (unsigned long long)own);
	free(want);
}

/* Without slack rows stay as they come, whatever their ends. */
static void
test_unsorted(void)
{
	struct hit v[ROWS];
	char *want;

	pp.columns = NULL;
	for (size_t i = 0; i < ROWS; i++)
		v[i] = row(0, 4 + below(&seed, 3990));
	want = strdup(row_by_row(v, ROWS));
	ok(strcmp(want, by_chunks(v, ROWS, 1 << 20, 0)) == 0, "no order");
	free(want);
}

/* A length that a row is behind. */
static void
test_short(void)
{
	struct hit h = row(0, 4100);
	struct rows_order order = { .slack = 0 };
	struct rows_print how;
	struct rows_text t = { .at = 0 };
	struct printer *p;
	struct buf b = { 0 };
	struct out *o;

	if (out_open(&o, path, &err) || printer_new(&p, &pp, o, &err))
		exit(1);
	printer_rows(p, &how);
	rows_begin(&t, &how, &b);
	rows_add(&t, &h, &err);
	rows_end(&t, &err);
	rows_take(&order, 1, &b, p, &err);
	ok(printer_length(p, 1, 0, 4000, &err) == ERR_FORMAT,
	   "%s", err.text);
	printer_free(p);
	out_abort(o);
	rows_free(&order);
	rows_text_free(&t);
	buf_free(&b);
}

int
main(void)
{
	static const size_t n[] = { 0, 1, 2, 30, ROWS };
	static const uint64_t own[] = { 25, 100, 1000, 10000 };
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	for (size_t i = 0; i < sizeof n / sizeof *n; i++)
		for (size_t j = 0; j < sizeof own / sizeof *own; j++)
			test_case(n[i], own[j], j % 2 ? "slen,send,query" :
							NULL);
	for (size_t i = 0; i < sizeof n / sizeof *n; i++)
		for (uint64_t x = 3; x < 100; x *= 4)
			test_begins(n[i], x);
	test_unsorted();
	test_unknown();
	test_short();
	unlink(path);
	return done();
}
