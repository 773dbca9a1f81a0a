/* SPDX-License-Identifier: MIT */
/* fai.c - with FILE.fai what is wanted of FASTA comes, and little else is read;
 * an index of another file is noticed */
#define _GNU_SOURCE	/* memmem */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/input.h"
#include "tests/lib/source_case.h"

static char dir[] = "/tmp/seqf-fai-XXXXXX", path[64], index_path[80];

/* The index stays newer. */
static void
write_file(const struct buf *b)
{
	const struct timespec now[2] = { { 0, UTIME_NOW }, { 0, UTIME_NOW } };

	FILE *f = fopen(path, "wb");

	if (!f || fwrite(b->p, 1, b->n, f) != b->n || fclose(f))
		abort();
	utimensat(AT_FDCWD, index_path, now, 0);
}

/* Three sequences, and one without letters, in lines of so many letters. */
static void
genome(struct buf *b, size_t line, const char *nl)
{
	static const struct {
		const char *name;
		size_t n;
	} seq[] = {
		{ "a first", 2500003 }, { "b", 4000001 }, { "empty", 0 },
		{ "c", 3000000 },
	};

	b->n = 0;
	for (size_t i = 0; i < 4; i++) {
		buf_printf(b, ">%s%s", seq[i].name, nl);
		for (size_t j = 0; j < seq[i].n; j++) {
			buf_u8(b, (uint8_t)"ACGTacgtN"[below(&seed, 9)]);
			if ((j + 1) % line == 0 || j + 1 == seq[i].n)
				buf_put(b, nl, strlen(nl));
		}
	}
}

/* Letters of that sequence. */
static void
sequence(const struct buf *text, char name, struct buf *to)
{
	const char head[] = { '>', name };
	const uint8_t *p = memmem(text->p, text->n, head, 2), *end;

	to->n = 0;
	if (!p)
		return;
	end = text->p + text->n;
	for (p = memchr(p, '\n', (size_t)(end - p)); p < end && *p != '>'; p++)
		if (*p > ' ')
			buf_u8(to, *p);
}

static int
read_part(const struct part *x, struct buf *out, enum source_kind *kind,
	  uint64_t *n_read)
{
	struct source *s = NULL;
	int rc = source_open_some(&s, path, 1, is_part, x, &e);

	out->n = 0;
	if (!rc)
		rc = slurp(s, 50000, out);
	*kind = s ? source_kind(s) : SOURCE_PLAIN;
	*n_read = s ? source_n_read(s) : 0;
	source_close(s);
	return rc;
}

static void
parts(size_t line, const char *nl)
{
	static const struct part part[] = {
		{ 'a', 0, 10, 0, 0 }, { 'a', 2499990, UINT64_MAX, 0, 0 },
		{ 'b', 0, 1, 0, 0 }, { 'b', 1999990, 2001000, 0, 0 },
		{ 'b', 3999999, 4000001, 0, 0 },
		{ 'b', 3999990, 9000000, 0, 0 },
		{ 'c', 0, UINT64_MAX, 0, 0 }, { 'c', 5000000, 6000000, 0, 0 },
		{ 'd', 0, 1, 0, 0 }, { 'b', 0, 100, 3999980, 4000001 },
		{ 'b', 99, 100, 101, 300 },
	};
	struct buf file = { 0 }, some = { 0 }, want = { 0 }, have = { 0 };
	struct fai_left left;

	genome(&file, line, nl);
	write_file(&file);
	ok(fai_build(path, 1, &left, &e) == 0 && left.n_empty == 1, "index");
	for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
		const struct part *x = &part[i];
		enum source_kind kind;
		uint64_t end, n_read;
		int rc = read_part(x, &some, &kind, &n_read);

		sequence(&file, x->name, &want);
		sequence(&some, x->name, &have);
		end = min_u64(want.n, x->end);
		ok(!rc && kind == SOURCE_FAI && have.n == want.n &&
		   (x->beg >= end || !memcmp(have.p + x->beg, want.p + x->beg,
					     end - x->beg)) &&
		   (!x->more_end || !memcmp(have.p + x->more, want.p + x->more,
					    x->more_end - x->more)),
		   "%c %llu in lines of %zu: %d", x->name,
		   (unsigned long long)x->beg, line, rc);
		ok(memcmp(some.p, file.p, SOURCE_SHOWN) == 0, "the begin");
		ok(n_read < file.n / 2, "%llu bytes of %zu read",
		   (unsigned long long)n_read, file.n);
	}
	buf_free(&file);
	buf_free(&some);
	buf_free(&want);
	buf_free(&have);
}

static const struct part wanted = { 'c', 1000000, 1000100, 0, 0 };

/* The file that is there: is the index noticed to be of another one? */
static void
is_noticed(const struct buf *file, const char *what)
{
	struct buf out = { 0 };
	enum source_kind kind;
	uint64_t n_read;

	write_file(file);
	ok(read_part(&wanted, &out, &kind, &n_read) == ERR_FORMAT &&
	   strstr(e.text, ".fai is not of this file"), "%s: %s", what, e.text);
	buf_free(&out);
}

/* A letter more, in the first megabyte or behind it; one less; a name. */
static void
changed(const struct buf *file)
{
	struct buf other = { 0 };

	for (int i = 0; i < 3; i++) {
		size_t at = i == 1 ? 4000000 : 100;

		other.n = 0;
		buf_put(&other, file->p, at);
		if (i < 2)
			buf_u8(&other, 'A');
		buf_put(&other, file->p + at + (i == 2),
			file->n - at - (i == 2));
		is_noticed(&other, "a letter");
	}
	other.n = 0;
	buf_put(&other, file->p, file->n);
	((uint8_t *)memmem(other.p, other.n, ">c", 2))[1] = 'd';
	is_noticed(&other, "a name");
	buf_free(&other);
}

/* The file changes; the index stays. */
static void
stale(void)
{
	struct timespec old[2] = { { 1, 0 }, { 1, 0 } };
	struct buf file = { 0 }, out = { 0 };
	struct fai_left left;
	enum source_kind kind;
	uint64_t n_read;

	genome(&file, 60, "\n");
	write_file(&file);
	if (fai_build(path, 1, &left, &e))
		abort();
	changed(&file);
	/* cut: not even looked at, as its end is beyond the file's */
	file.n -= 1000;
	write_file(&file);
	ok(read_part(&wanted, &out, &kind, &n_read) == 0 &&
	   kind == SOURCE_PLAIN, "rows beyond the end");
	file.n += 1000;
	write_file(&file);
	if (utimensat(AT_FDCWD, index_path, old, 0))
		abort();
	ok(read_part(&wanted, &out, &kind, &n_read) == 0 &&
	   kind == SOURCE_PLAIN && same(&file, &out), "an old index");
	buf_free(&file);
	buf_free(&out);
}

static void
try_rows(const char *rows, enum source_kind want)
{
	static const struct part x = { 'b', 0, 4, 0, 0 };
	struct buf out = { 0 };
	FILE *f = fopen(index_path, "w");
	enum source_kind kind;
	uint64_t n_read;

	if (!f || fputs(rows, f) < 0 || fclose(f))
		abort();
	ok(read_part(&x, &out, &kind, &n_read) == 0 && kind == want &&
	   memmem(out.p, out.n, ">b\nACGT\n", 8), "rows: %.*s",
	   (int)strcspn(rows, "\n"), rows);
	buf_free(&out);
}

/* Rows that are no use, or some only. */
static void
forged(void)
{
	struct buf file = { 0 };

	buf_printf(&file, ">a\nACGTA\n>b\nACGT\n");
	write_file(&file);
	try_rows("a\t5\t3\t5\t6\nb\t4\t12\t4\t5\n", SOURCE_FAI);
	try_rows("b\t4\t12\t4\t5\n", SOURCE_FAI);
	try_rows("a\t5\t3\t5\t6\n", SOURCE_FAI);
	try_rows("", SOURCE_PLAIN);
	try_rows("b\t4\t12\t4\t5\na\t5\t3\t5\t6\n", SOURCE_PLAIN);
	try_rows("a\t5\t3\t5\n", SOURCE_PLAIN);
	try_rows("a\t5\t3\t5\t6\t9\n", SOURCE_PLAIN);
	try_rows("a\t5\t3\t0\t0\n", SOURCE_PLAIN);
	try_rows("a\t5\t3\t5\t3\n", SOURCE_PLAIN);
	try_rows("a\t99999999999999999999\t3\t5\t6\n", SOURCE_PLAIN);
	try_rows("a\t18446744073709551615\t3\t1\t2\n", SOURCE_PLAIN);
	try_rows("a\t5\t18446744073709551615\t5\t6\n", SOURCE_PLAIN);
	try_rows("a\t5\t3\t18446744073709551614\t18446744073709551615\n",
		 SOURCE_FAI);
	try_rows("a\t-5\t3\t5\t6\n", SOURCE_PLAIN);
	try_rows("a", SOURCE_PLAIN);
	buf_free(&file);
}

int
main(void)
{
	char other[80];

	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof path, "%s/x.fa", dir);
	snprintf(other, sizeof other, "%s.sfi", path);
	snprintf(index_path, sizeof index_path, "%s.fai", path);
	parts(60, "\n");
	parts(61, "\r\n");
	parts(5000000, "\n");
	stale();
	forged();
	unlink(path);
	unlink(index_path);
	unlink(other);
	ok(rmdir(dir) == 0, "no other file");
	return done();
}
