/* SPDX-License-Identifier: MIT */
/* records.c - whole records come through as they are, or not at all */
#include <stdio.h>
#include <unistd.h>

#include "base/base.h"
#include "flow/flow.h"
#include "tests/lib/tap.h"

enum { FILES = 3, MOST = 200 };

static char path[FILES][64], out_path[64];
static struct buf file[FILES], want;
static bool wanted[FILES * MOST];
static size_t n_records;

static void
letters(struct buf *b, uint64_t *s, size_t n, bool quality)
{
	const char *eol = below(s, 9) ? "\n" : "\r\n";

	for (size_t i = 0; i < n; i++) {
		buf_u8(b, quality ? (uint8_t)('!' + below(s, 94)) :
			  (uint8_t)"ACGTNacgt"[below(s, 9)]);
		if (below(s, 20) == 0)
			buf_printf(b, "%s", eol);
	}
}

/* A record, with what may stand behind it. */
static void
record(struct buf *b, uint64_t *s, bool fastq, bool last)
{
	size_t n = below(s, 3) ? below(s, 200) : below(s, 9);

	buf_printf(b, "%c", fastq ? '@' : '>');
	buf_printf(b, below(s, 9) ? "r%d" : " r%d x>y ", (int)below(s, 99));
	buf_printf(b, below(s, 9) ? "\n" : "\r\n");
	letters(b, s, n, false);
	if (b->p[b->n - 1] != '\n')
		buf_u8(b, '\n');
	if (fastq) {
		buf_printf(b, below(s, 2) ? "+\n" : "+ any @ words\n");
		letters(b, s, n, true);
		if (n == 0 || b->p[b->n - 1] != '\n')
			buf_u8(b, '\n');
	}
	if (below(s, 5) == 0)
		buf_printf(b, "\n\r\n");
	if (last && below(s, 2) && b->p[b->n - 1] == '\n' && n)
		b->n--;
}

static void
make_case(uint64_t *s)
{
	n_records = 0;
	want.n = 0;
	for (size_t f = 0; f < FILES; f++) {
		size_t n = below(s, below(s, 2) ? MOST : 4);
		bool fastq = below(s, 2);

		file[f].n = 0;
		if (n && below(s, 4) == 0)
			buf_printf(&file[f], below(s, 2) ? "\n \t\n" :
							   "\xef\xbb\xbf");
		for (size_t i = 0; i < n; i++) {
			size_t at = file[f].n;

			record(&file[f], s, fastq, i + 1 == n);
			wanted[n_records] = below(s, 2);
			if (!wanted[n_records++])
				continue;
			if (want.n && want.p[want.n - 1] != '\n')
				buf_u8(&want, '\n');
			buf_put(&want, file[f].p + at, file[f].n - at);
		}
	}
}

static void
write_file(const char *name, const struct buf *b)
{
	FILE *f = fopen(name, "w");

	if (!f || (b->n && fwrite(b->p, b->n, 1, f) != 1) || fclose(f))
		abort();
}

/* All of a feed's items; records go when their last row has come. */
static int
pass(size_t memory, size_t *n, struct err *e)
{
	char *operand[FILES] = { path[0], path[1], path[2] };
	struct feed_params fp = feed_defaults;
	struct feed_item it;
	struct records *r;
	struct feed *feed;
	struct out *out;
	int rc;

	if (records_new(&r, memory, e) || out_open(&out, out_path, e))
		abort();
	fp.own = 100;
	fp.text_only = true;
	fp.records = r;
	if (feed_open(&feed, operand, FILES, &fp, e))
		abort();
	for (*n = 0; (rc = feed_next(feed, &it, e)) == 1; feed_drop(&it)) {
		struct chunk c;

		if (feed_encode(&it, e) || feed_account(feed, &it, e))
			abort();
		if (it.frame->type != REC_CHUNK || chunk_view(&c, it.frame, e))
			continue;
		for (size_t i = 0; i < c.n_rows; i++)
			if (c.row[i].flags & CHUNK_LAST &&
			    records_next(r, wanted[(*n)++], out, e))
				abort();
		chunk_free(&c);
	}
	feed_close(feed);
	records_free(r);
	return rc ? rc : out_close(out, e);
}

static bool
came(void)
{
	struct buf have = { 0 };
	FILE *f = fopen(out_path, "r");
	bool same;
	int c;

	while (f && (c = getc(f)) != EOF)
		buf_u8(&have, (uint8_t)c);
	if (f)
		fclose(f);
	same = have.n == want.n &&
	       (want.n == 0 || memcmp(have.p, want.p, want.n) == 0);
	buf_free(&have);
	return same;
}

static void
temporary(char *to)
{
	int fd;

	strcpy(to, "/tmp/seqf-records-XXXXXX");
	fd = mkstemp(to);
	if (fd < 0)
		abort();
	close(fd);
}

int
main(void)
{
	uint64_t s = 7;
	size_t n = 0;
	bool good = true;
	struct err e = { 0, "" };

	temporary(out_path);
	for (size_t f = 0; f < FILES; f++)
		temporary(path[f]);
	for (int i = 0; i < 300 && good; i++) {
		make_case(&s);
		for (size_t f = 0; f < FILES; f++)
			write_file(path[f], &file[f]);
		good = pass(i % 2 ? 64 : 1 << 20, &n, &e) == 0 &&
		       n == n_records && came();
		if (!good)
			ok(0, "case %d: %zu of %zu records: %s", i, n,
			   n_records, e.text);
	}
	ok(good, "records of FASTA and FASTQ, in memory and in a file");
	for (size_t f = 0; f < FILES; f++) {
		unlink(path[f]);
		buf_free(&file[f]);
	}
	unlink(out_path);
	buf_free(&want);
	return done();
}
