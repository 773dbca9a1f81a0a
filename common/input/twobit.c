/* SPDX-License-Identifier: MIT */
/*
 * twobit.c - UCSC's 2bit files as FASTA text, a sequence a line
 * Source: genome.ucsc.edu/FAQ/FAQformat.html#format7
 *
 * Letters are two bits, T C A G, the first of four in a byte's top bits; blocks
 * of N and of lower case are listed before.  A file is read from its begin to
 * its end, in the order of its index, so pipes do, too; what is not wanted of a
 * file that can be sought is passed over.
 */

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "input/source_in.h"

enum { PIECE = 1 << 16 };	/* letters, and bytes of a read at most */

/* Blocks of a sequence: pairs of first letter and end, ascending. */
struct blocks {
	struct buf v;		/* uint32_t */
	size_t n, next;		/* next: the first that may lie ahead */
};

struct twobit {
	struct decoder *d;
	struct raw *raw;
	struct pour to;
	bool swapped, wide;	/* byte order; offsets of 64 bits */
	struct buf index;	/* uint64_t offset, size of name, name */
	struct blocks n, lower;
	struct source_spans want;	/* of the sequence */
	uint64_t shown;		/* letters so far */
	uint8_t letters[PIECE];
	struct err e;
};

static int
bad(struct twobit *t, const char *what)
{
	return err_set(&t->e, ERR_FORMAT, "%s: byte %llu: %s of a 2bit file",
		       t->raw->name, (unsigned long long)t->raw->offset, what);
}

/* n bytes at hand, n <= PIECE; else an error. */
static int
need(struct twobit *t, size_t n)
{
	int rc = raw_fill(t->raw, n, &t->e);

	if (rc == RAW_STOPPED)
		t->to.left = true;
	return rc || t->raw->n >= n ? rc : bad(t, "truncated: end");
}

static int
take_number(struct twobit *t, unsigned bytes, uint64_t *v)
{
	int rc = need(t, bytes);

	if (rc)
		return rc;
	*v = get_le(t->raw->p, bytes);
	if (t->swapped)
		*v = bytes == 8 ? __builtin_bswap64(*v) :
		     __builtin_bswap32((uint32_t)*v);
	raw_take(t->raw, bytes);
	return 0;
}

/* Names and offsets of all sequences. */
static int
read_index(struct twobit *t, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		uint64_t offset;
		size_t size;
		int rc = need(t, 1);

		if (rc)
			return rc;
		size = t->raw->p[0];
		rc = need(t, 1 + size);
		if (rc)
			return rc;
		if (memchr(t->raw->p + 1, '\n', size) ||
		    memchr(t->raw->p + 1, '\r', size))
			return bad(t, "a name with a line break");
		buf_zero(&t->index, 8);
		buf_put(&t->index, t->raw->p, 1 + size);
		raw_take(t->raw, 1 + size);
		rc = take_number(t, t->wide ? 8 : 4, &offset);
		if (rc)
			return rc;
		if (t->index.bad)
			return err_nomem(&t->e, t->index.n);
		put_le(t->index.p + t->index.n - size - 9, offset, 8);
	}
	return 0;
}

/* n numbers, appended; memory grows as they come. */
static int
read_numbers(struct twobit *t, uint64_t n, struct buf *to)
{
	for (uint64_t i = 0, v; i < n; i++) {
		int rc = take_number(t, 4, &v);

		if (rc)
			return rc;
		buf_u32(to, (uint32_t)v);
		if (to->bad)
			return err_nomem(&t->e, to->n);
	}
	return 0;
}

static uint32_t
number_at(const struct buf *b, size_t i)
{
	return (uint32_t)get_le(b->p + 4 * i, 4);
}

/* First letters, then sizes, which become ends. */
static int
read_blocks(struct twobit *t, struct blocks *b, uint64_t letters)
{
	uint64_t n, end = 0;
	int rc = take_number(t, 4, &n);

	b->v.n = b->next = 0;
	b->n = (size_t)n;
	if (!rc)
		rc = read_numbers(t, n, &b->v);
	if (!rc)
		rc = read_numbers(t, n, &b->v);
	for (size_t i = 0; i < n && !rc; i++) {
		uint64_t beg = number_at(&b->v, i);

		if (beg < end || beg + number_at(&b->v, b->n + i) > letters)
			return bad(t, "blocks out of order or bounds");
		end = beg + number_at(&b->v, b->n + i);
		put_le(b->v.p + 4 * (b->n + i), end, 4);
	}
	return rc;
}

/* Letters [at, at + n) of the sequence that are in blocks become N, or lower
 * case. */
static void
apply_blocks(struct twobit *t, struct blocks *b, uint64_t at, size_t n,
	     bool lower)
{
	for (; b->next < b->n; b->next++) {
		uint64_t beg = number_at(&b->v, b->next);
		uint64_t end = number_at(&b->v, b->n + b->next);
		uint64_t from = beg > at ? beg : at;
		uint64_t to = end < at + n ? end : at + n;

		if (beg >= at + n)
			return;
		for (uint64_t i = from; i < to; i++) {
			uint8_t *c = &t->letters[i - at];

			*c = lower ? *c | 0x20 : 'N';
		}
		if (end > at + n)	/* it goes on */
			return;
	}
}

/* Letters that are wanted of a sequence. */
static int
wanted(struct twobit *t, struct str name)
{
	struct source_spans *w = &t->want;
	int rc;

	if (t->d->wanted && t->raw->regular)
		return t->d->wanted(t->d->wanted_ctx, name, w, &t->e);
	rc = array_room(&w->v, &w->cap, 1, sizeof *w->v, &t->e);
	if (rc)
		return rc;
	w->v[0] = (struct source_span){ 0, UINT64_MAX };
	w->n = 1;
	return 0;
}

/* n bytes that nobody wants. */
static int
pass_over(struct twobit *t, uint64_t n)
{
	if (n >= SOURCE_BLOCK && raw_seek(t->raw, n))
		return 0;
	while (n) {
		uint64_t k = min_u64(n, PIECE);
		int rc = need(t, (size_t)k);

		if (rc)
			return rc;
		raw_take(t->raw, (size_t)k);
		n -= k;
	}
	return 0;
}

static int
put_letters(struct twobit *t, uint64_t letters)
{
	static const char code[] = "TCAG";
	const struct source_spans *w = &t->want;
	uint64_t skip = 0;
	size_t next = 0;
	int rc = 0;

	for (uint64_t at = 0, n; at < letters && !t->to.left; at += n) {
		size_t bytes;

		n = min_u64(letters - at, PIECE);
		bytes = (size_t)(n + 3) / 4;
		while (next < w->n && w->v[next].end <= at)
			next++;
		if (t->shown >= SOURCE_SHOWN &&
		    (next == w->n || at + n <= w->v[next].beg)) {
			memset(t->letters, 'N', (size_t)n);
			pour_put(&t->to, t->letters, (size_t)n);
			skip += bytes;
			continue;
		}
		rc = pass_over(t, skip);
		skip = 0;
		t->shown += n;
		if (!rc)
			rc = need(t, bytes);
		if (rc)
			return rc;
		for (size_t i = 0; i < n; i++)
			t->letters[i] = (uint8_t)
			    code[t->raw->p[i / 4] >> (6 - 2 * (i % 4)) & 3];
		raw_take(t->raw, bytes);
		apply_blocks(t, &t->n, at, (size_t)n, false);
		apply_blocks(t, &t->lower, at, (size_t)n, true);
		pour_put(&t->to, t->letters, (size_t)n);
	}
	return rc || t->to.left ? rc : pass_over(t, skip);
}

static void
put_line(struct twobit *t, struct str name)
{
	pour_put(&t->to, ">", 1);
	pour_put(&t->to, name.p, name.n);
	pour_put(&t->to, "\n", 1);
}

/* `last`: what is behind it is looked at. */
static int
put_sequence(struct twobit *t, uint64_t offset, struct str name, bool last)
{
	uint64_t letters = 0, reserved;
	int rc = wanted(t, name);

	if (rc)
		return rc;
	if (!t->want.n && !last && t->shown >= SOURCE_SHOWN) {
		put_line(t, name);
		return 0;
	}
	if (t->raw->offset > offset)
		return bad(t, "sequences in another order than the index");
	rc = pass_over(t, offset - t->raw->offset);
	if (!rc)
		rc = take_number(t, 4, &letters);
	if (!rc)
		rc = read_blocks(t, &t->n, letters);
	if (!rc)
		rc = read_blocks(t, &t->lower, letters);
	if (!rc)
		rc = take_number(t, 4, &reserved);
	if (rc)
		return rc;
	put_line(t, name);
	rc = put_letters(t, letters);
	pour_put(&t->to, "\n", 1);
	return rc;
}

static int
decode(struct twobit *t)
{
	uint64_t version, n, reserved;
	int rc = need(t, 4);

	if (rc)
		return rc;
	t->swapped = t->raw->p[0] == 0x1a;
	raw_take(t->raw, 4);
	rc = take_number(t, 4, &version);
	if (!rc && version > 1)
		return bad(t, "an unknown version");
	t->wide = version == 1;
	if (!rc)
		rc = take_number(t, 4, &n);
	if (!rc)
		rc = take_number(t, 4, &reserved);
	if (!rc)
		rc = read_index(t, n);
	for (size_t at = 0; !rc && at < t->index.n && !t->to.left;) {
		const uint8_t *p = t->index.p + at;

		at += 9 + (size_t)p[8];
		rc = put_sequence(t, get_le(p, 8),
				  (struct str){ (const char *)p + 9, p[8] },
				  at == t->index.n);
	}
	if (!rc && !t->to.left)
		rc = raw_fill(t->raw, 1, &t->e);
	return rc || !t->raw->n ? rc : bad(t, "bytes behind the last sequence");
}

/* Some letters alone. */

enum { BATCH = 512 };		/* numbers that are read at once */

struct table {
	struct sfi *s;
	bool swapped;
	uint64_t at;		/* of the first of its numbers */
};

static bool
numbers(const struct table *t, uint64_t i, uint64_t n, uint32_t *v)
{
	if (!sfi_read_file(t->s, v, (size_t)n * 4, t->at + 4 * i))
		return false;
	for (uint64_t k = 0; k < n; k++)
		v[k] = t->swapped ? __builtin_bswap32(le32(v[k])) :
				    le32(v[k]);
	return true;
}

/* The last of n blocks that begins at lo or before, or the first one. */
static bool
find_block(const struct table *t, uint64_t n, uint64_t lo, uint64_t *i)
{
	uint64_t a = 0, b = n;
	uint32_t v;

	while (b - a > 1) {
		uint64_t mid = a + (b - a) / 2;

		if (!numbers(t, mid, 1, &v))
			return false;
		*(v <= lo ? &a : &b) = mid;
	}
	*i = a;
	return true;
}

/* Letters [lo, hi) at p that are in the n blocks of the table. */
static bool
cut_blocks(struct table t, uint64_t n, uint64_t lo, uint64_t hi, uint8_t *p,
	   bool lower)
{
	const struct table sizes = { t.s, t.swapped, t.at + 4 * n };
	uint32_t beg[BATCH], size[BATCH];
	uint64_t i, k;

	if (n == 0)
		return true;
	if (!find_block(&t, n, lo, &i))
		return false;
	for (; i < n; i += k) {
		k = min_u64(n - i, BATCH);
		if (!numbers(&t, i, k, beg) || !numbers(&sizes, i, k, size))
			return false;
		for (uint64_t j = 0; j < k; j++) {
			uint64_t a = max_u64(beg[j], lo);
			uint64_t b = min_u64((uint64_t)beg[j] + size[j], hi);

			if (beg[j] >= hi)
				return true;
			for (; a < b; a++)
				p[a - lo] = lower ? p[a - lo] | 0x20 : 'N';
		}
	}
	return true;
}

int
twobit_cut(struct sfi *s, bool swapped, uint64_t at, uint64_t n, uint64_t lo,
	   uint64_t hi, struct buf *to, struct err *e)
{
	static const char code[] = "TCAG";
	struct table blocks = { s, swapped, at }, lower;
	size_t bytes = (size_t)((hi + 3) / 4 - lo / 4);
	uint32_t head[2], n_lower;
	uint8_t *packed, *p;
	bool fits = numbers(&blocks, 0, 2, head) && head[0] == n;

	if (!fits)
		return 1;
	blocks.at = at + 8;
	lower = (struct table){ s, swapped, at + 8 + 8 * (uint64_t)head[1] };
	packed = malloc(bytes + 1);
	if (!packed || !buf_reserve(to, (size_t)(hi - lo) + 64)) {
		free(packed);
		return err_nomem(e, (size_t)(hi - lo));
	}
	p = to->p + to->n;
	fits = numbers(&lower, 0, 1, &n_lower) &&
	       sfi_read_file(s, packed, bytes, lower.at + 4 +
			     8 * (uint64_t)n_lower + 4 + lo / 4);
	for (uint64_t i = lo; i < hi && fits; i++)
		p[i - lo] = (uint8_t)code[packed[i / 4 - lo / 4] >>
					  (6 - 2 * (i % 4)) & 3];
	lower.at += 4;
	fits = fits && cut_blocks(blocks, head[1], lo, hi, p, false) &&
	       cut_blocks(lower, n_lower, lo, hi, p, true);
	free(packed);
	to->n += fits ? (size_t)(hi - lo) : 0;
	return !fits;
}

static void *
twobit_thread(void *arg)
{
	struct decoder *d = arg;
	struct twobit t = { .d = d, .raw = d->raw, .to.ring = &d->ring };
	int rc;

	rc = decode(&t);
	pour_end(&t.to, rc, &t.e);
	buf_free(&t.index);
	buf_free(&t.n.v);
	buf_free(&t.lower.v);
	free(t.want.v);
	return NULL;
}

/* In either byte order. */
static int
twobit_begins(const uint8_t *p, size_t n)
{
	int rc = magic_begins(p, n, "\x43\x27\x41\x1a", 4);

	return rc ? rc : magic_begins(p, n, "\x1a\x41\x27\x43", 4);
}

const struct codec twobit_codec = {
	.kind = SOURCE_TWOBIT,
	.name = "2bit",
	.begins = twobit_begins,
	.thread = twobit_thread,
	.n_slot = STREAM_SLOT,
};
