/* SPDX-License-Identifier: MIT */
/* sfi.c - what is read by FILE.sfi is what the file holds, or it is refused:
 * with any byte of either changed */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/input.h"
#include "tests/lib/tap.h"

enum { MOST = 8 };
static uint64_t seed = 20261128;
static char dir[] = "/tmp/seqf-sfi-XXXXXX", path[64], index_path[80];

/* The records as they are written, by hand. */
static struct truth {
	size_t n, of[MOST], from[MOST];	/* letters, and where they begin */
	char name[MOST][16], head[MOST][24];
	struct buf letters, text;
} truth;

static void
write_to(const char *to, const void *p, size_t n)
{
	FILE *f = fopen(to, "wb");

	if (!f || fwrite(p, 1, n, f) != n || fclose(f))
		abort();
}

/* The index is not older than the file. */
static void
touch_index(void)
{
	const struct timespec now[2] = { { 0, UTIME_NOW }, { 0, UTIME_NOW } };

	utimensat(AT_FDCWD, index_path, now, 0);
}

static void
make_record(size_t i, const char *nl)
{
	static const size_t sizes[] = { 0, 1, 59, 60, 61, 1023, 1024, 1025,
					2048, 4099 };
	size_t n = sizes[below(&seed, 10)], line = 1 + below(&seed, 90);

	snprintf(truth.name[i], sizeof truth.name[i], "s%zu", i);
	snprintf(truth.head[i], sizeof truth.head[i], "s%zu%s", i,
		 below(&seed, 2) ? " of all" : "");
	truth.of[i] = n;
	truth.from[i] = truth.letters.n;
	buf_printf(&truth.text, ">%s%s", truth.head[i], nl);
	for (size_t j = 0; j < n; j++) {
		uint8_t c = (uint8_t)"ACGTacgtN"[below(&seed, 9)];

		buf_u8(&truth.letters, c);
		buf_u8(&truth.text, c);
		if ((j + 1) % line == 0 || j + 1 == n)
			buf_put(&truth.text, nl, strlen(nl));
	}
}

/* A file of at least one letter, and its index. */
static void
make_file(void)
{
	const char *nl = below(&seed, 3) ? "\n" : "\r\n";
	struct fai_left left;
	struct err e = { 0 };

	do {
		truth.letters.n = truth.text.n = 0;
		truth.n = 1 + below(&seed, MOST);
		for (size_t i = 0; i < truth.n; i++)
			make_record(i, nl);
	} while (!truth.of[truth.n - 1]);	/* samtools refuses that */
	if (below(&seed, 2))
		truth.text.n -= strlen(nl);
	write_to(path, truth.text.p, truth.text.n);
	if (fai_build(path, 1, &left, &e) || left.odd)
		ok(0, "an index: %s", e.text);
}

/* The letters of rows from record i on, n letters of the first one if it is a
 * piece, and the digests of what they own. */
static bool
same_letters(const struct sfi_row *row, size_t i, size_t rows, uint64_t beg,
	     uint64_t own, size_t n, const struct buf *letters)
{
	size_t at = 0;

	for (size_t k = 0; k < rows; k++) {
		const uint8_t *want = truth.letters.p + truth.from[i + k];
		size_t m = rows > 1 ? truth.of[i + k] : n;

		at += row[k].before;
		if (at + m > letters->n ||
		    (m && memcmp(letters->p + at, want + beg, m) != 0) ||
		    row[k].digest != digest_letters(want + own,
						    beg + m - own, own))
			return false;
		at += m;
	}
	return at == letters->n;
}

/* Of records [i, i + n), or letters [beg, end) of one: 0 if they are true, 1 if
 * they were refused, 2 if they are wrong. */
static int
read_some(struct sfi *s, struct sfi_place p, size_t i, size_t n, uint64_t beg,
	  uint64_t end)
{
	uint64_t own = n > 1 ? 0 : beg + below(&seed, end - beg + 1);
	struct sfi_row row[MOST] = { { 0 } };
	struct buf letters = { 0 }, names = { 0 };
	struct err e = { 0 };
	size_t at = 0;
	int rc = sfi_read(s, p, n, beg, own, end, &letters, &names, row, &e);
	bool same = rc || same_letters(row, i, n, beg, own,
				       (size_t)(end - beg), &letters);

	for (size_t k = 0; k < n && same && !rc; k++) {
		const char *name = truth.name[i + k];

		same = at + row[k].name <= names.n &&
		       row[k].name == strlen(name) &&
		       memcmp(names.p + at, name, row[k].name) == 0;
		at += row[k].name + row[k].desc;
	}
	buf_free(&letters);
	buf_free(&names);
	return rc ? rc == ERR_FORMAT ? 1 : 2 : same ? 0 : 2;
}

/* Parts of long records, each record, and runs of records: the largest of what
 * read_some() says. */
static int
read_all(struct sfi *s)
{
	struct sfi_place p = { 0 }, before;
	struct sfi_record r;
	size_t i = 0;
	int worst = 0, rc;

	for (before = p; sfi_next(s, &p, &r); before = p, i++) {
		uint64_t beg, end;

		if (i == truth.n || r.n != truth.of[i])
			return 2;
		for (int k = 0; k < (r.n > SFI_BLOCK ? 8 : 1); k++) {
			beg = k ? below(&seed, r.n + 1) : 0;
			end = k ? beg + below(&seed, r.n - beg + 1) : r.n;
			rc = read_some(s, before, i, 1, beg, end);
			worst = rc > worst ? rc : worst;
		}
		/* each of its prefixes */
		for (beg = 0; r.n > SFI_BLOCK && beg < r.n; beg = end) {
			end = min_u64(beg + SFI_BLOCK, r.n);
			rc = read_some(s, before, i, 1, beg, end);
			worst = rc > worst ? rc : worst;
		}
		rc = read_some(s, before, i, truth.n - i, 0, r.n);
		worst = rc > worst ? rc : worst;
	}
	return i == truth.n ? worst : 2;
}

/* As read_all(); 1, too, if there is no index of use. */
static int
open_and_read(void)
{
	char why[SFI_WHY];
	struct err e = { 0 };
	struct sfi *s;
	int rc = sfi_open(&s, path, why, &e);

	if (rc != 1)
		return rc || !*why ? 2 : 1;
	rc = sfi_sums(s)->records == truth.n &&
	     sfi_sums(s)->letters == truth.letters.n ? read_all(s) : 2;
	sfi_close(s);
	return rc;
}

static void
whole(void)
{
	int bad = 0, rounds = 60;

	for (int i = 0; i < rounds; i++) {
		make_file();
		bad += open_and_read() != 0;
	}
	ok(bad == 0, "%d files are read as they are: %d are not", rounds, bad);
}

/* Another letter of the file: how often wrong ones were read. */
static int
change_file(int changes)
{
	uint8_t *p = truth.text.p;
	int wrong = 0;

	while (changes--) {
		size_t at = below(&seed, truth.text.n);
		uint8_t was = p[at];

		p[at] = (uint8_t)"ACGT>\n@"[below(&seed, 7)];
		if (p[at] == was)
			p[at] = 'x';
		write_to(path, p, truth.text.n);
		touch_index();
		wrong += open_and_read() > 1;
		p[at] = was;
	}
	write_to(path, p, truth.text.n);
	touch_index();
	return wrong;
}

/* Another byte of the index, then a shorter one. */
static int
change_index(int changes, int *unnoticed)
{
	struct buf b = { 0 };
	FILE *f = fopen(index_path, "rb");
	int wrong = 0, c;

	while (f && (c = getc(f)) != EOF)
		buf_u8(&b, (uint8_t)c);
	if (!f || fclose(f))
		abort();
	while (changes--) {
		size_t at = below(&seed, b.n);
		uint8_t was = b.p[at];

		b.p[at] ^= (uint8_t)(1 + below(&seed, 255));
		write_to(index_path, b.p, b.n);
		c = open_and_read();
		*unnoticed += c == 0;
		wrong += c > 1;
		b.p[at] = was;
	}
	write_to(index_path, b.p, below(&seed, b.n));
	wrong += open_and_read() != 1;
	buf_free(&b);
	return wrong;
}

static void
changed(void)
{
	int wrong = 0, unnoticed = 0;

	for (int i = 0; i < 12; i++) {
		make_file();
		wrong += change_file(40);
		wrong += change_index(60, &unnoticed);
	}
	ok(wrong == 0, "changed bytes: %d times wrong letters", wrong);
	ok(unnoticed == 0, "a byte of the index changed: %d times unnoticed",
	   unnoticed);
}

/* An index that is older than the file is of no use, one of another file
 * neither; without one there is nothing to say. */
static void
older(void)
{
	const struct timespec old[2] = { { 1, 0 }, { 1, 0 } };
	char why[SFI_WHY];
	struct err e = { 0 };
	struct sfi *s;

	make_file();
	utimensat(AT_FDCWD, index_path, old, 0);
	ok(sfi_open(&s, path, why, &e) == 0 && strstr(why, "older"),
	   "older than the file: %s", why);
	touch_index();
	write_to(path, truth.text.p, truth.text.n - 1);
	touch_index();
	ok(sfi_open(&s, path, why, &e) == 0 && strstr(why, "another file"),
	   "of another file: %s", why);
	unlink(index_path);
	ok(sfi_open(&s, path, why, &e) == 0 && !*why, "none");
}

int
main(void)
{
	char other[80];

	printf("# seed %llu\n", (unsigned long long)seed);
	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof path, "%s/a.fa", dir);
	snprintf(index_path, sizeof index_path, "%s.sfi", path);
	snprintf(other, sizeof other, "%s.fai", path);
	whole();
	changed();
	older();
	unlink(other);
	unlink(path);
	ok(rmdir(dir) == 0, "no other file");
	buf_free(&truth.letters);
	buf_free(&truth.text);
	return done();
}
