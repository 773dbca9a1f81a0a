/* SPDX-License-Identifier: MIT */
/* source.c - plain, gzip and bgzf by content; nothing short passes as whole */
#define _GNU_SOURCE	/* memmem */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/gzip_case.h"
#include "tests/lib/source_case.h"

static void
bgzf(struct buf *b, const uint8_t *p, size_t n, size_t each)
{
	for (size_t i = 0;; i += each) {
		size_t k = i >= n ? 0 : n - i < each ? n - i : each;

		bgzf_member(b, p + i, k, 6);
		if (!k)
			return;
	}
}

static void
whole(struct buf *text)
{
	static const size_t steps[] = { 1, 7, 1000, 65536, 300000 };
	struct buf one = { 0 }, many = { 0 }, blocks = { 0 }, out = { 0 };
	size_t half = text->n / 3;
	int level = text->n > 100000 ? 1 : 6;	/* of long ones takes long */

	buf_reserve(text, 1);
	buf_reserve(&out, 1);
	gz_member(&one, text->p, text->n, level, NULL);
	gz_member(&many, text->p, half, level > 1 ? 9 : 1, NULL);
	gz_member(&many, "", 0, 6, NULL);
	gz_member(&many, text->p + half, text->n - half, 0, NULL);
	gz_member(&many, "", 0, 6, NULL);
	buf_zero(&many, 513);
	bgzf(&blocks, text->p, text->n, text->n > 3000 ? 65280 : 100);
	for (size_t i = 0; i < 5; i++) {
		if (steps[i] < 1000 && text->n > 100000)
			continue;
		ok(decode(text, steps[i], &out) == 0 && same(text, &out),
		   "plain n=%zu step=%zu", text->n, steps[i]);
		ok(decode(&one, steps[i], &out) == 0 && same(text, &out),
		   "gzip n=%zu step=%zu", text->n, steps[i]);
		ok(decode(&many, steps[i], &out) == 0 && same(text, &out),
		   "members n=%zu step=%zu", text->n, steps[i]);
		ok(decode(&blocks, steps[i], &out) == 0 && same(text, &out),
		   "bgzf n=%zu step=%zu", text->n, steps[i]);
	}
	buf_free(&one);
	buf_free(&many);
	buf_free(&blocks);
	buf_free(&out);
}

static void
damages(void)
{
	struct buf text = { 0 }, gz = { 0 };
	gz_header h = { .name = (Bytef *)"name", .comment = (Bytef *)"note",
			.extra = (Bytef *)"XY\1\0z", .extra_len = 5,
			.hcrc = 1 };
	struct buf end = { 0 };

	letters(&text, 160);
	gz_member(&gz, text.p, 60, 6, &h);
	buf_u64(&end, gz.n);
	gz_member(&gz, text.p + 60, 100, 6, NULL);
	damage("gzip", &gz, 2, &text, &end);
	gz.n = 0;
	bgzf(&gz, text.p, text.n, 60);
	damage("bgzf", &gz, 2, &text, NULL);
	buf_free(&end);
	buf_free(&gz);
	buf_free(&text);
}

static void
messages(void)
{
	struct buf text = { 0 }, gz = { 0 };
	struct buf line = { (uint8_t *)"BZhACGT", 7, 7, false }, out = { 0 };

	ok(decode(&line, 100, &out) == 0 && same(&line, &out), "no bzip2");
	letters(&text, 1000);
	gz_member(&gz, text.p, text.n, 6, NULL);
	gz.n -= 3;
	says(&gz, ERR_FORMAT, "truncated");
	gz.n += 3;
	gz.p[gz.n - 1] ^= 1;
	says(&gz, ERR_FORMAT, "wrong length");
	gz.p[gz.n - 1] ^= 1;
	gz.p[gz.n - 8] ^= 1;
	says(&gz, ERR_FORMAT, "wrong CRC");
	gz.p[gz.n - 8] ^= 1;
	buf_put(&gz, "\0\0x", 3);
	says(&gz, ERR_FORMAT, "trailing garbage at byte");
	gz.n = 0;
	bgzf(&gz, text.p, text.n, 400);
	gz.n -= 28;
	says(&gz, ERR_FORMAT, "empty block");
	gz.n -= 10;
	says(&gz, ERR_FORMAT, "truncated bgzf block at byte");
	buf_free(&gz);
	buf_free(&text);
	buf_free(&out);
}

/* A child writes to a pipe, a few bytes at a time, and keeps it open. */
static int
pipe_from(const struct buf *b, size_t step, bool keep, pid_t *pid)
{
	int fd[2];

	if (pipe(fd) != 0)
		abort();
	fflush(stdout);
	*pid = fork();
	if (*pid == 0) {
		close(fd[0]);
		for (size_t i = 0; i < b->n; i += step) {
			size_t k = b->n - i < step ? b->n - i : step;

			if (write(fd[1], b->p + i, k) < 0)
				_exit(1);
		}
		if (keep)
			sleep(60);
		_exit(0);
	}
	close(fd[1]);
	return fd[0];
}

static void
pipes(void)
{
	struct buf text = { 0 }, gz[3] = { { 0 } }, out = { 0 };
	char path[64];
	pid_t pid;

	letters(&text, 200000);
	buf_put(&gz[0], text.p, text.n);
	gz_member(&gz[1], text.p, text.n, 6, NULL);
	bgzf(&gz[2], text.p, text.n, 5000);
	for (int i = 0; i < 6; i++) {
		struct source *s = NULL;
		int fd = pipe_from(&gz[i % 3], i < 3 ? 777 : 1 << 20, false,
				   &pid), rc;

		snprintf(path, sizeof path, "/dev/fd/%d", fd);
		rc = source_open(&s, path, 3, &e);
		close(fd);
		out.n = 0;
		if (rc == 0)
			rc = slurp(s, 50000, &out);
		ok(rc == 0 && same(&text, &out), "pipe %d", i);
		ok(s && source_kind(s) == (enum source_kind)(i % 3), "kind");
		source_close(s);
		waitpid(pid, NULL, 0);
	}
	for (int i = 0; i < 3; i++)
		buf_free(&gz[i]);
	buf_free(&text);
	buf_free(&out);
}

/* Closing while the decoder waits for a writer that says no more. */
static void
closing(void)
{
	struct buf text = { 0 }, gz[3] = { { 0 } };
	char path[64];
	pid_t pid;

	letters(&text, 200000);
	gz_member(&gz[1], text.p, text.n, 6, NULL);
	bgzf(&gz[2], text.p, text.n, 5000);
	for (int i = 1; i < 3; i++) {
		struct source *s = NULL;
		int fd, rc;

		gz[i].n -= 100;
		fd = pipe_from(&gz[i], 1 << 20, true, &pid);
		snprintf(path, sizeof path, "/dev/fd/%d", fd);
		rc = source_open(&s, path, 3, &e);
		close(fd);
		source_close(s);
		ok(rc == 0, "closed early %d", i);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		buf_free(&gz[i]);
	}
	buf_free(&text);
}

/* Three sequences of a 2bit file; one has blocks of N and of lower case. */
enum { TWOBIT = 3 };
static const uint32_t twobit_letters[TWOBIT] = { 6000003, 9000001, 4000002 };

static void
put_twobit(struct buf *b)
{
	size_t index = 16 + TWOBIT * 6;

	buf_u32(b, 0x1a412743);
	buf_u32(b, 0);
	buf_u32(b, TWOBIT);
	buf_u32(b, 0);
	for (unsigned i = 0; i < TWOBIT; i++) {
		buf_u8(b, 1);
		buf_u8(b, (uint8_t)('a' + i));
		buf_u32(b, (uint32_t)index);
		index += 16 + (i == 1 ? 24 : 0) + (twobit_letters[i] + 3) / 4;
	}
	for (unsigned i = 0; i < TWOBIT; i++) {
		buf_u32(b, twobit_letters[i]);
		buf_u32(b, i == 1);
		if (i == 1) {
			buf_u32(b, 4000000);
			buf_u32(b, 777);
			buf_u32(b, 2);
			buf_u32(b, 3999000);
			buf_u32(b, 8000000);
			buf_u32(b, 5000);
			buf_u32(b, 5);
		} else {
			buf_u32(b, 0);
		}
		buf_u32(b, 0);
		for (uint32_t x = i, n = 0; n < twobit_letters[i]; n += 4) {
			x = x * 1664525 + 1013904223;
			buf_u8(b, (uint8_t)(x >> 24));
		}
	}
}

/* The letters of a sequence in lines of FASTA. */
static struct str
sequence(const struct buf *text, char name)
{
	const char head[] = { '>', name, '\n' };
	const char *p = memmem(text->p, text->n, head, sizeof head), *to;
	struct str s = { NULL, 0 };

	if (!p)
		return s;
	s.p = p + sizeof head;
	to = memchr(s.p, '\n', text->n - (size_t)(s.p - (char *)text->p));
	s.n = to ? (size_t)(to - s.p) : 0;
	return s;
}

/* What is wanted comes, and little else is read. */
static void
one_part(const char *path, const struct part *x, const struct buf *whole,
	 size_t size)
{
	struct str want = sequence(whole, x->name), have;
	uint64_t end = want.n < x->end ? want.n : x->end;
	struct buf some = { 0 };
	struct source *s;
	int rc = source_open_some(&s, path, 1, is_part, x, &e);

	if (!rc)
		rc = slurp(s, 50000, &some);
	have = sequence(&some, x->name);
	ok(!rc && have.n == want.n &&
	   (!want.n || (memcmp(have.p + x->beg, want.p + x->beg,
			       end - x->beg) == 0 &&
			memcmp(have.p + x->more, want.p + x->more,
			       x->more_end - x->more) == 0)),
	   "letters of %c from %llu on", x->name, (unsigned long long)x->beg);
	ok(memcmp(some.p, whole->p, SOURCE_SHOWN) == 0, "the first letters");
	ok(source_n_read(s) < size / 2, "%llu bytes of %zu",
	   (unsigned long long)source_n_read(s), size);
	source_close(s);
	buf_free(&some);
}

static void
parts(void)
{
	static const struct part part[] = {
		{ 'a', 0, 10, 0, 0 }, { 'a', 5999990, UINT64_MAX, 0, 0 },
		{ 'b', 3999990, 4001000, 0, 0 },
		{ 'b', 7999999, 8000007, 0, 0 },
		{ 'c', 0, UINT64_MAX, 0, 0 }, { 'c', 3999999, 4000002, 0, 0 },
		{ 'd', 0, 1, 0, 0 }, { 'b', 70000, 70010, 8900000, 9000001 },
	};
	struct buf file = { 0 }, whole = { 0 };
	char path[] = "/tmp/seqf-source-XXXXXX";
	int fd = mkstemp(path);
	struct source *s;

	put_twobit(&file);
	if (fd < 0 || write(fd, file.p, file.n) != (ssize_t)file.n ||
	    source_open(&s, path, 1, &e) || slurp(s, 50000, &whole))
		abort();
	source_close(s);
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		one_part(path, &part[i], &whole, file.n);
	if (ftruncate(fd, (off_t)file.n - 1))
		abort();
	whole.n = 0;
	ok(source_open_some(&s, path, 1, is_part, &part[0], &e) == 0 &&
	   slurp(s, 50000, &whole) == ERR_FORMAT, "%s", e.text);
	source_close(s);
	close(fd);
	unlink(path);
	buf_free(&file);
	buf_free(&whole);
}

static void
files(void)
{
	struct source *s = NULL;
	const uint8_t *p;
	size_t n;

	ok(source_open(&s, "/", 1, &e) == ERR_IO &&
	   strstr(e.text, "directory"), "%s", e.text);
	ok(source_open(&s, "/nonesuch", 1, &e) == ERR_IO &&
	   strstr(e.text, "/nonesuch: No such"), "%s", e.text);
	ok(source_open(&s, "/dev/null", 1, &e) == 0 &&
	   source_peek(s, 10, &p, &n, &e) == 0 && n == 0, "/dev/null");
	source_close(s);
	/* it can be opened, but there is nothing mapped at 0 */
	ok(source_open(&s, "/proc/self/mem", 1, &e) == ERR_IO &&
	   strstr(e.text, "byte 0: ") && strstr(e.text, strerror(EIO)), "%s",
	   e.text);
	close(0);
	ok(source_open(&s, "-", 1, &e) == ERR_IO &&
	   strstr(e.text, "stdin: Bad"), "%s", e.text);
}

int
main(void)
{
	static const size_t sizes[] = { 0, 1, 17, 18, 1000, 65536, 262144,
					700001, 1500000 };

	for (int zlib = 0; zlib < 2; zlib++) {
		if (zlib)
			setenv("SEQF_INFLATE", "zlib", 1);
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			struct buf text = { 0 };

			letters(&text, sizes[i]);
			whole(&text);
			buf_free(&text);
		}
		damages();
		messages();
		pipes();
		closing();
	}
	parts();
	files();
	return done();
}
