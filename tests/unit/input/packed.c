/* SPDX-License-Identifier: MIT */
/* packed.c - zstd, bzip2 and xz by content; nothing short passes as whole */
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/packed_case.h"
#include "tests/lib/source_case.h"

struct packed {
	enum source_kind kind;
	const char *name;
	size_t magic;		/* bytes without which it is another format */
	packed_fn *stream;
};
static const struct packed packed[] = {
#ifdef HAVE_ZSTD
	{ SOURCE_ZSTD, "zstd", 4, zstd_stream },
#endif
#ifdef HAVE_BZ2
	{ SOURCE_BZIP2, "bzip2", 5, bzip2_stream },
#endif
#ifdef HAVE_LZMA
	{ SOURCE_XZ, "xz", 6, xz_stream },
#endif
	{ SOURCE_PLAIN, NULL, 0, NULL },
};

static void
whole(const struct packed *k, size_t n)
{
	static const size_t steps[] = { 1, 1000, 65536, 3000000 };
	struct buf text = { 0 }, one = { 0 }, many = { 0 }, out = { 0 };

	letters(&text, n);
	k->stream(&one, text.p, n);
	k->stream(&many, text.p, n / 3);
	k->stream(&many, text.p, 0);
	k->stream(&many, n ? text.p + n / 3 : NULL, n - n / 3);
	k->stream(&many, text.p, 0);
	for (size_t i = n > 100000; i < 4; i++) {
		ok(decode(&one, steps[i], &out) == 0 && same(&text, &out),
		   "%s n=%zu step=%zu", k->name, n, steps[i]);
		ok(decode(&many, steps[i], &out) == 0 && same(&text, &out),
		   "%s, streams n=%zu step=%zu", k->name, n, steps[i]);
	}
	buf_free(&text);
	buf_free(&one);
	buf_free(&many);
	buf_free(&out);
}

static void
damages(const struct packed *k)
{
	struct buf text = { 0 }, b = { 0 }, ends = { 0 };

	letters(&text, 160);
	k->stream(&b, text.p, 60);
	buf_u64(&ends, b.n);
	k->stream(&b, text.p + 60, 100);
	damage(k->name, &b, k->magic, &text, &ends);
	buf_u8(&b, 'x');
	says(&b, ERR_FORMAT, "behind byte");
	b.n--;
	buf_put(&b, ">read\nACGTACGTACGTACGT\n", 23);
	says(&b, ERR_FORMAT, "trailing garbage");
	b.n -= 24;
	says(&b, ERR_FORMAT, "truncated");
	buf_free(&text);
	buf_free(&b);
	buf_free(&ends);
}

/* From a pipe, a few bytes at a time; also closed before its end. */
static void
pipes(const struct packed *k, bool early)
{
	struct buf text = { 0 }, b = { 0 }, out = { 0 };
	struct source *s = NULL;
	char path[64];
	int fd[2], rc;
	pid_t pid;

	letters(&text, 200000);
	k->stream(&b, text.p, text.n);
	if (pipe(fd))
		abort();
	fflush(stdout);
	pid = fork();
	if (!pid) {
		for (size_t i = 0; i < b.n - 50 * early; i += 777)
			if (write(fd[1], b.p + i, min_u64(777, b.n - i)) < 0)
				_exit(1);
		if (early)
			sleep(60);
		_exit(0);
	}
	close(fd[1]);
	snprintf(path, sizeof path, "/dev/fd/%d", fd[0]);
	rc = source_open(&s, path, 3, &e);
	close(fd[0]);
	ok(rc == 0 && source_kind(s) == k->kind, "%s: kind", k->name);
	if (!early)
		ok(!rc && !slurp(s, 50000, &out) && same(&text, &out),
		   "%s: pipe", k->name);
	source_close(s);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	buf_free(&text);
	buf_free(&b);
	buf_free(&out);
}

#ifdef HAVE_ZSTD
/* Frames that are skipped, at the begin, between and at the end. */
static void
zstd_frames(void)
{
	struct buf text = { 0 }, b = { 0 }, out = { 0 };

	letters(&text, 300000);
	zstd_skipped(&b, "table", 5);
	zstd_stream(&b, text.p, 1000);
	zstd_skipped(&b, "", 0);
	zstd_stream(&b, text.p + 1000, text.n - 1000);
	zstd_skipped(&b, text.p, 5000);
	ok(decode(&b, 4096, &out) == 0 && same(&text, &out), "skipped");
	b.n--;
	says(&b, ERR_FORMAT, "truncated");
	b.n -= 4999;
	says(&b, ERR_FORMAT, "truncated");
	b.n = 0;
	zstd_skipped(&b, "alone", 5);
	ok(decode(&b, 4096, &out) == 0 && out.n == 0, "nothing but skipped");
	buf_free(&text);
	buf_free(&b);
	buf_free(&out);
}

/* A frame that wants a window of 2^log bytes, and nothing in it. */
static void
zstd_window(unsigned log, int code, const char *part)
{
	struct buf b = { 0 }, out = { 0 };

	buf_u32(&b, 0xfd2fb528);
	buf_u8(&b, 0);
	buf_u8(&b, (uint8_t)((log - 10) << 3));
	buf_put(&b, "\1\0\0", 3);
	if (code)
		says(&b, code, part);
	else
		ok(decode(&b, 100, &out) == 0 && !out.n, "window 2^%u", log);
	buf_free(&b);
	buf_free(&out);
}
#endif

#ifdef HAVE_LZMA
static void
xz_padding(void)
{
	struct buf text = { 0 }, b = { 0 }, out = { 0 };

	letters(&text, 1000);
	xz_stream(&b, text.p, 500);
	buf_zero(&b, 8);
	xz_stream(&b, text.p + 500, 500);
	buf_zero(&b, 4);
	ok(decode(&b, 4096, &out) == 0 && same(&text, &out), "padding");
	buf_zero(&b, 3);
	ok(decode(&b, 4096, &out) == ERR_FORMAT, "padding of 7: %s", e.text);
	buf_free(&text);
	buf_free(&b);
	buf_free(&out);
}
#endif

/* What only resembles their magic bytes is text. */
static void
lookalikes(void)
{
	static const struct buf text[] = {
		{ (uint8_t *)"BZhACGT", 7, 7, false },
		{ (uint8_t *)"BZh9ACGT", 8, 8, false },
		{ (uint8_t *)"BZh", 3, 3, false },
		{ (uint8_t *)"P*M", 3, 3, false },
		{ (uint8_t *)"P*MACGT", 7, 7, false },
		{ (uint8_t *)"\xfd" "7zX", 4, 4, false },
		{ (uint8_t *)"CRAM", 4, 4, false },
		{ (uint8_t *)"CRAM\nACGT", 9, 9, false },
		{ (uint8_t *)"]", 1, 1, false },
		{ (uint8_t *)"]ACGTACGTACGT", 13, 13, false },
		{ (uint8_t *)"]\0\0\x80", 4, 4, false },
		{ (uint8_t *)"]\0\0\x81\0\xff\xff\xff\xff\xff\xff\xff\xff",
		  13, 13, false },
		{ (uint8_t *)"]\0\0\x80\0\xff\xff\xff\xff\xff\xff\xff\0",
		  13, 13, false },
	};
	struct buf cram = { (uint8_t *)"CRAM\3\1name", 10, 10, false };
	struct buf lzma = { (uint8_t *)"]\0\0\x80\0\xff\xff\xff\xff\xff\xff"
			    "\xff\xff\0", 14, 14, false };
	struct buf out = { 0 };

	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		ok(decode(&text[i], 100, &out) == 0 && same(&text[i], &out),
		   "%.4s is text", (const char *)text[i].p);
	says(&cram, ERR_FORMAT, "x: CRAM, which is not read here: "
	     "\"samtools fastq x | ...\" does it");
	says(&lzma, ERR_FORMAT, "x: LZMA as it was before xz, which is not "
	     "read here: \"xz -dc x | ...\" does it");
	buf_free(&out);
}

int
main(void)
{
	static const size_t sizes[] = { 0, 1, 1000, 65536, 1500000 };

	for (const struct packed *k = packed; k->name; k++) {
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
			whole(k, sizes[i]);
		damages(k);
		pipes(k, false);
		pipes(k, true);
	}
#ifdef HAVE_ZSTD
	zstd_frames();
	zstd_window(27, 0, NULL);
	zstd_window(28, ERR_LIMIT, "x: it wants a zstd window of more than "
		    "128 MiB: unpack it with \"zstd -dc --long=31\"");
#endif
#ifdef HAVE_LZMA
	xz_padding();
#endif
	lookalikes();
	return done();
}
