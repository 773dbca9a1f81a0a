/* SPDX-License-Identifier: MIT */
/* source_case.h - reading all of a source in steps; damage to what it reads */
#ifndef SEQF_SOURCE_CASE_H
#define SEQF_SOURCE_CASE_H

#include <string.h>

#include "base/base.h"
#include "input/source_in.h"
#include "tests/lib/tap.h"

static uint64_t seed = 20240611;
static struct err e;

static inline void
letters(struct buf *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_u8(b, i % 61 == 60 ? '\n' : "ACGT"[below(&seed, 4)]);
}

/* Read all by steps of `step`; the bytes are appended to b. */
static inline int
slurp(struct source *s, size_t step, struct buf *b)
{
	for (int i = 0;; i++) {
		const uint8_t *p;
		size_t n = 0;
		int rc;

		if (i % 3 == 2) {
			buf_reserve(b, step);
			rc = source_read(s, b->p + b->n, step, &n, &e);
			b->n += n;
			if (rc != 0 || n < step)
				return rc;
			continue;
		}
		rc = source_peek(s, step, &p, &n, &e);
		if (rc != 0 || n == 0)
			return rc;
		n = n < step ? n : step;
		buf_put(b, p, n);
		source_skip(s, n);
	}
}

/* What is wanted of a sequence: letters, and perhaps more behind them. */
struct part {
	char name;
	uint64_t beg, end, more, more_end;
};

static inline int
is_part(const void *ctx, struct str name, struct source_spans *to,
	struct err *err)
{
	const struct part *x = ctx;
	int rc = array_room(&to->v, &to->cap, 2, sizeof *to->v, err);

	if (rc)
		return rc;
	to->v[0] = (struct source_span){ x->beg, x->end };
	to->v[1] = (struct source_span){ x->more, x->more_end };
	to->n = name.n != 1 || *name.p != x->name ? 0 : x->more_end ? 2 : 1;
	return 0;
}

static inline int
decode(const struct buf *in, size_t step, struct buf *out)
{
	struct source *s = NULL;
	int rc = source_memory(&s, "x", in->p, in->n, &e);

	out->n = 0;
	if (rc == 0)
		rc = slurp(s, step, out);
	if (rc == 0 && source_offset(s) != out->n)
		rc = 99;
	source_close(s);
	return rc;
}

static inline bool
same(const struct buf *a, const struct buf *b)
{
	return a->n == b->n && (!a->n || !memcmp(a->p, b->p, a->n));
}

/* Is it one of the ends (uint64_t) of members? */
static inline bool
is_end(const struct buf *ends, size_t n)
{
	for (size_t i = 0; ends && i < ends->n; i += 8)
		if (get_le(ends->p + i, 8) == n)
			return true;
	return false;
}

/*
 * Cut at every byte behind the magic ones, every bit flipped (under a sanitizer
 * some of each byte): an error, or the same text (bits of time, system and
 * compression level are nobody's; a cut between two members cannot be seen, but
 * with bgzf).
 */
static inline void
damage(const char *what, struct buf *gz, size_t magic, const struct buf *text,
       const struct buf *ends)
{
	struct buf out = { 0 };
	size_t silent = 0, wrong = 0, n = gz->n, step = 8 / lighter(8);

	for (gz->n = magic; gz->n < n; gz->n++)
		if (decode(gz, 4096, &out) == 0 && !is_end(ends, gz->n))
			silent++;
	ok(silent == 0, "%s: %zu silent cuts", what, silent);
	for (size_t i = magic; i < n; i++)
		for (size_t bit = i % step; bit < 8; bit += step) {
			gz->p[i] ^= (uint8_t)(1 << bit);
			if (decode(gz, 4096, &out) == 0 && !same(text, &out))
				wrong++;
			gz->p[i] ^= (uint8_t)(1 << bit);
		}
	ok(wrong == 0, "%s: %zu flipped bits gave other bytes", what, wrong);
	buf_free(&out);
}

static inline void
says(const struct buf *in, int code, const char *part)
{
	struct buf out = { 0 };
	int rc = decode(in, 4096, &out);

	ok(rc == code && strstr(e.text, part), "%s: %d %s", part, rc, e.text);
	buf_free(&out);
}

#endif
