/* SPDX-License-Identifier: MIT */
/*
 * fasta.c - FASTA and FASTQ: never a crash, and the same events whatever
 * portions the bytes come in
 */
#include <stdlib.h>
#include <string.h>

#include "input/input.h"
#include "input/source_in.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* A hint at the end, in brackets, is guessed from the bytes at hand. */
static size_t
without_hint(const char *text)
{
	size_t n = strlen(text), at = n;

	if (n == 0 || text[n - 1] != ')')
		return n;
	while (at && memcmp(text + at - 1, " (", 2) != 0)
		at--;
	return at ? at - 1 : n;
}

/* Headers, letters and the error as text. */
static void
events(const uint8_t *p, size_t n, size_t show, struct buf *b)
{
	struct source *s = NULL;
	struct fasta *f = NULL;
	struct fasta_piece x;
	size_t letters = 0;
	struct err e;
	int rc;

	b->n = 0;
	if (source_memory(&s, "x", p, n, &e) != 0)
		return;
	if (source_kind(s) != SOURCE_PLAIN || fasta_new(&f, s, &e) != 0) {
		source_close(s);
		return;
	}
	source_show(s, show);
	while ((rc = fasta_next(f, &x, &e)) > 0) {
		if (rc == FASTA_RECORD) {
			buf_u8(b, '>');
			fasta_header(b, x.name, x.desc);
			buf_u8(b, '\n');
			letters = b->n;
		} else {
			buf_put(b, x.letters, x.n);
		}
	}
	if (rc < 0) {
		b->n = letters;
		buf_put(b, e.text, without_hint(e.text));
	}
	fasta_free(f);
	source_close(s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct buf a = { 0 }, b = { 0 };

	if (n < 1)
		return 0;
	events(data + 1, n - 1, SIZE_MAX, &a);
	events(data + 1, n - 1, 1 + data[0] % 64, &b);
	if (a.n != b.n || (a.n && memcmp(a.p, b.p, a.n) != 0))
		abort();
	buf_free(&a);
	buf_free(&b);
	return 0;
}
