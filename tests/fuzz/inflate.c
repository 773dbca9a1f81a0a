/* SPDX-License-Identifier: MIT */
/*
 * inflate.c - our gzip and bgzf reading against zlib; zstd, bzip2, xz, BAM
 *
 * The first byte chooses: the bytes behind it as they are, or as what is to
 * be compressed (members or blocks of many sizes) and read back, or as BAM.
 */
#include "tests/lib/gzip_case.h"
#include "input/source_in.h"

static int
ours(const uint8_t *p, size_t n, const char *hook, struct buf *b)
{
	struct source *s = NULL;
	struct err e;
	size_t got;
	int rc;

	b->n = 0;
	setenv("SEQF_INFLATE", hook, 1);
	rc = source_memory(&s, "x", p, n, &e);
	do {
		if (rc != 0 || !buf_reserve(b, 100000))
			break;
		rc = source_read(s, b->p + b->n, 100000, &got, &e);
		b->n += got;
	} while (rc == 0 && got && b->n < 64 << 20);
	source_close(s);
	return rc;
}

/* gzip -dc: members, then nothing or zeros. */
static int
zlibs(const uint8_t *p, size_t n, struct buf *b)
{
	size_t at = 0;

	b->n = 0;
	do {
		z_stream z = { 0 };
		int rc;

		inflateInit2(&z, 31);
		z.next_in = (Bytef *)p + at;
		z.avail_in = (uInt)(n - at);
		do {
			buf_reserve(b, 100000);
			z.next_out = b->p + b->n;
			z.avail_out = 100000;
			rc = inflate(&z, Z_NO_FLUSH);
			b->n += 100000 - z.avail_out;
		} while (rc == Z_OK && b->n < 64 << 20);
		at = n - z.avail_in;
		inflateEnd(&z);
		if (rc != Z_STREAM_END)
			return -1;
	} while (at < n && p[at] != 0);
	for (; at < n; at++)
		if (p[at] != 0)
			return -1;
	return 0;
}

static void
same(const struct buf *a, const struct buf *b)
{
	if (a->n != b->n || (a->n && memcmp(a->p, b->p, a->n) != 0))
		abort();
}

/* What is read as records, and not as it is. */
static bool
is_bam(const uint8_t *p, size_t n)
{
	return n >= 4 && memcmp(p, "BAM\1", 4) == 0;
}

static void
member(struct buf *b, const uint8_t *p, size_t n, int level, bool bgzf)
{
	if (bgzf)
		bgzf_member(b, p, n, level);
	else
		gz_member(b, p, n, level, NULL);
}

static void
round_trip(const uint8_t *p, size_t n, int how)
{
	struct buf gz = { 0 }, out = { 0 }, in = { (uint8_t *)p, n, n, false };
	size_t step = how & 2 ? n / 3 + 1 : n + 1;

	for (size_t i = 0; i < n; i += step)
		member(&gz, p + i, n - i < step ? n - i : step, how >> 2 & 7,
		       how & 1);
	member(&gz, p, 0, 6, how & 1);
	if (ours(gz.p, gz.n, how & 32 ? "zlib" : "", &out) != 0)
		abort();
	same(&in, &out);
	buf_free(&gz);
	buf_free(&out);
}

/* BAM, or its records alone, in blocks of two sizes. */
static void
bam(const uint8_t *p, size_t n, bool records)
{
	struct buf text[2] = { { 0 } }, in = { 0 }, gz = { 0 };
	int rc[2];

	buf_put(&in, "BAM\1", 4);
	buf_zero(&in, records ? 8 : 0);
	buf_put(&in, p, n);
	for (int i = 0; i < 2; i++) {
		size_t step = i ? 50000 : 1 + in.n / 7;

		gz.n = 0;
		for (size_t at = 0; at < in.n; at += step)
			bgzf_member(&gz, in.p + at, in.n - at < step ?
				    in.n - at : step, 1);
		bgzf_member(&gz, "", 0, 6);
		rc[i] = ours(gz.p, gz.n, "", &text[i]);
	}
	if (rc[0] != rc[1])
		abort();
	if (rc[0] == 0)
		same(&text[0], &text[1]);
	buf_free(&text[0]);
	buf_free(&text[1]);
	buf_free(&in);
	buf_free(&gz);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct buf a = { 0 }, b = { 0 }, c = { 0 };
	int rc;

	if (n < 1 || n > 60000)
		return 0;
	if (data[0] & 128) {
		if (!is_bam(data + 1, n - 1))
			round_trip(data + 1, n - 1, data[0]);
		return 0;
	}
	if (data[0] & 64) {
		bam(data + 1, n - 1, data[0] & 1);
		return 0;
	}
	rc = ours(data + 1, n - 1, "", &a);
	/*
	 * Two decoders may take different views of what is damaged, but what
	 * both call whole is the same, and it is what zlib says.  Of plain
	 * bytes, and of bgzf's rules, zlib knows nothing.
	 */
	if (ours(data + 1, n - 1, "zlib", &b) == 0 && rc == 0)
		same(&a, &b);
	if (n > 2 && data[1] == 0x1f && data[2] == 0x8b && rc == 0 &&
	    zlibs(data + 1, n - 1, &c) == 0 && !is_bam(c.p, c.n))
		same(&a, &c);
	buf_free(&a);
	buf_free(&b);
	buf_free(&c);
	return 0;
}
