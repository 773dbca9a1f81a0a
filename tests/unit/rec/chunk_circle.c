/* SPDX-License-Identifier: MIT */
/* chunk_circle.c - rows of circular sequences: what may be, and once more
 * around */
#include <string.h>

#include "rec/rec.h"
#include "tests/lib/tap.h"

enum { MAX = 60, CONTEXTS = 200 };

static uint8_t letters[4 * MAX + 64];

static struct rec_frame *
encode(struct chunk_row *row, size_t n_rows, struct err *e)
{
	struct chunk_raw raw = {
		.run = { .id = 7, .base = { "b", 1 } }, .row = row,
		.n_rows = n_rows, .letters = letters,
	};
	struct rec_frame *f = NULL;
	uint64_t owned, digest;

	return chunk_encode(&f, &raw, &owned, &digest, e) ? NULL : f;
}

static struct chunk_row
row_of(uint64_t at, uint64_t n, unsigned flags)
{
	return (struct chunk_row){
		.beg = 0, .n = n, .own_beg = 0, .own_end = n, .length = n,
		.at = at, .flags = flags, .name = { "c", 1 },
	};
}

/* Letters of a view's row are those of the circle that begins at `at`. */
static bool
goes_around(const struct chunk *c, const struct chunk_row *r, uint64_t at,
	    uint64_t n)
{
	uint8_t s[MAX + CONTEXTS + 64];

	chunk_letters(c, r, 0, r->n, s);
	for (uint64_t i = 0; i < r->n; i++)
		if (s[i] != letters[at + (r->beg + i) % n])
			return false;
	return true;
}

/* A linear row between two circles, with so much context. */
static void
test_unroll(uint64_t *s, int number)
{
	const unsigned whole = CHUNK_FIRST | CHUNK_LAST;
	uint64_t a = 1 + below(s, MAX), b = below(s, MAX), n = 1 + below(s, 9);
	uint64_t context = below(s, 4) ? below(s, CONTEXTS) : 0;
	static const char of[] = "ACGTACGTACGTacgtNRU";
	struct chunk_row row[3] = {
		row_of(0, a, whole | CHUNK_CIRCULAR), row_of(a, b, whole),
		row_of(a + b, n, whole | CHUNK_CIRCULAR),
	};
	struct rec_frame *f;
	struct chunk c;
	struct err e;
	bool good;

	for (size_t i = 0; i < a + b + n; i++)
		letters[i] = (uint8_t)of[below(s, number % 3 ? 4 :
					       sizeof of - 1)];
	f = encode(row, 3, &e);
	if (!f || chunk_view(&c, f, &e))
		abort();
	good = f->flags & REC_CIRCULAR && chunk_digest_ok(&c, &e) &&
	       chunk_unroll(&c, context, &e) == 0;
	for (int i = 0; i < 3 && good; i++) {
		const struct chunk_row *r = &c.row[i];
		bool round = i != 1;

		good = r->own_end - r->own_beg == row[i].n &&
		       r->own_beg % (row[i].n + !row[i].n) == 0 &&
		       (!round || r->own_beg - r->beg == context) &&
		       r->n == row[i].n + (round ? context : 0) &&
		       (row[i].n == 0 ||
			goes_around(&c, r, row[i].at, row[i].n));
	}
	ok(good, "circles of %d and %d letters, context %d", (int)a, (int)n,
	   (int)context);
	chunk_free(&c);
	rec_frame_drop(f);
}

static void
refused(struct rec_frame *f, const char *why)
{
	struct chunk c;
	struct err e;
	int rc = f ? chunk_view(&c, f, &e) : ERR_FORMAT;

	ok(rc == ERR_FORMAT, "%s: refused", why);
	if (rc == 0)
		chunk_free(&c);
	rec_frame_drop(f);
}

/* The extra piece: 30 letters' first 10, behind their last 8. */
static struct chunk_row
extra(void)
{
	return (struct chunk_row){
		.beg = 22, .n = 18, .own_beg = 30, .own_end = 40,
		.length = 30, .name = { "c", 1 },
		.flags = CHUNK_LAST | CHUNK_CIRCULAR,
	};
}

static void
test_rows(void)
{
	struct chunk_row r = extra();
	struct rec_frame *f;
	struct chunk c;
	struct err e;

	memset(letters, 'A', sizeof letters);
	f = encode(&r, 1, &e);
	ok(f && chunk_view(&c, f, &e) == 0 && chunk_turn(c.row, 39) == 9 &&
	   chunk_row_part(c.row).beg == chunk_row_part(c.row).end,
	   "an extra piece");
	chunk_free(&c);
	f->flags &= (uint16_t)~REC_CIRCULAR;
	refused(f, "a circular row without the frame's flag");
	r = extra();
	r.flags = CHUNK_LAST;
	refused(encode(&r, 1, &e), "letters behind a linear sequence");
	r = extra();
	r.n = 60;
	r.own_end = 61;
	refused(encode(&r, 1, &e), "more than one turn");
	r = extra();
	r.own_beg = 29;
	refused(encode(&r, 1, &e), "a piece on both sides of the origin");
	r = extra();
	r.flags |= 16;
	refused(encode(&r, 1, &e), "an unknown flag");
	r = extra();
	r.flags = CHUNK_CIRCULAR | CHUNK_FIRST;
	r.length = 0;
	r.beg = 0;
	r.own_beg = 8;
	r.own_end = 18;
	f = encode(&r, 1, &e);
	ok(f && chunk_view(&c, f, &e) == 0 && chunk_row_part(c.row).beg == 0 &&
	   chunk_row_part(c.row).end == 18, "a first piece");
	chunk_free(&c);
	rec_frame_drop(f);
}

int
main(void)
{
	uint64_t s = 11;

	for (int i = 0; i < 400; i++)
		test_unroll(&s, i);
	test_rows();
	return done();
}
