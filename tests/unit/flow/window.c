/* SPDX-License-Identifier: MIT */
/* window.c - chunks as text, against the letters they were cut from */
#include <string.h>

#include "flow/flow.h"
#include "tests/lib/tap.h"

enum { MAX = 3000 };

struct flavour {
	const char *name, *letters;	/* drawn from evenly */
	unsigned rare;		/* one in so many is drawn from `other` */
	const char *other;
	bool runs;		/* rare letters come in runs */
};

static const struct flavour flavours[] = {
	{ "plain", "ACGT", 0, "", false },
	{ "case", "ACGTacgt", 0, "", false },
	{ "N runs", "ACGT", 200, "Nn", true },
	{ "rna", "ACGUacgu", 300, "N", false },
	{ "iupac", "ACGTRYSWKMBDHVNryk", 0, "", false },
	{ "T and U", "ACGT", 3, "Uu", false },
	{ "sparse", "ACGT", 500, "RYN", false },
};

static unsigned
set_of(uint8_t c)	/* A 1, C 2, G 4, T 8 */
{
	static const char iupac[] = "-ACMGRSVTWYHKDBN";
	const char *p;

	c &= (uint8_t)~32;
	p = strchr(iupac, c == 'U' ? 'T' : c);
	return p && c ? (unsigned)(p - iupac) : 0;
}

static void
draw(uint64_t *seed, const struct flavour *f, uint8_t *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		s[i] = (uint8_t)f->letters[below(seed, strlen(f->letters))];
		if (f->rare && below(seed, f->rare) == 0) {
			size_t len = f->runs ? 1 + below(seed, 150) : 1;
			uint8_t c = (uint8_t)f->other[below(seed,
						      strlen(f->other))];

			while (len-- && i < n)
				s[i++] = c;
			i--;
		}
	}
}

static uint64_t serial;

static struct rec_frame *
encode(struct chunk_row *row, size_t n_rows, const uint8_t *letters)
{
	struct chunk_raw raw = {
		.run = { .id = 7, .base = { "b", 1 }, .first = { "s", 1 } },
		.serial = serial, .row = row, .n_rows = n_rows,
		.letters = letters,
	};
	uint64_t owned, digest;
	struct rec_frame *f;
	struct err e;

	if (chunk_encode(&f, &raw, &owned, &digest, &e))
		abort();
	return f;
}

static struct chunk_row
row_of(uint64_t ordinal, uint64_t beg, uint64_t own_beg, uint64_t own_end,
       uint64_t len)
{
	struct chunk_row r = {
		.ordinal = ordinal, .beg = beg, .n = own_end - beg,
		.own_beg = own_beg, .own_end = own_end,
		.flags = (own_beg ? 0 : CHUNK_FIRST) |
			 (own_end == len ? CHUNK_LAST : 0),
		.length = own_end == len ? len : 0, .name = { "s", 1 },
	};

	return r;
}

static bool
bit(const uint64_t *w, uint64_t stride, uint64_t which, uint64_t i)
{
	return w[i / 64 * stride + which] >> (i & 63) & 1;
}

/* Does place i of the window show letter c? */
static bool
shows(const struct window *w, enum window_kind kind, uint64_t i, uint8_t c)
{
	unsigned set = set_of(c), two;
	bool plain = set == 1 || set == 2 || set == 4 || set == 8;

	if (kind == WINDOW_BYTES)
		return w->bytes[i] == c;
	if (kind == WINDOW_UPPER)
		return w->bytes[i] == (c & (uint8_t)~32);
	if (w->exc && bit(w->exc, 1, 0, i) == plain)
		return false;
	if (!w->exc && !plain)
		return false;
	if (w->sets) {
		for (unsigned x = 0; x < 4; x++)
			if (bit(w->sets, 4, x, i) != (set >> x & 1))
				return false;
		return true;
	}
	if (!plain)
		return kind == WINDOW_PLANES;
	two = bit(w->planes, 2, 0, i) | 2 * bit(w->planes, 2, 1, i);
	return set == 1u << two;
}

/* A segment against its sequence's letters. */
static bool
seg_right(const struct window *w, enum window_kind kind,
	  const struct window_seg *s, const uint8_t *seq, uint64_t context)
{
	const struct chunk_row *r = s->row;
	uint64_t n = s->end - s->beg;

	if (s->beg % 64 || s->end > w->n ||
	    s->origin + n != r->own_end ||
	    s->from - s->beg != r->own_beg - s->origin ||
	    s->to != s->end - !(r->flags & CHUNK_LAST))
		return false;
	if (s->origin > 0 && r->own_beg - s->origin < context)
		return false;
	for (uint64_t i = 0; i < n; i++)
		if (!shows(w, kind, s->beg + i, seq[s->origin + i]))
			return false;
	return true;
}

static bool
letters_right(const struct window *w, const struct window_seg *s,
	      const struct chunk *c, const struct chunk *before, size_t n,
	      const uint8_t *seq, uint64_t *seed)
{
	static uint8_t got[MAX + 64];
	uint64_t beg = s->beg + below(seed, s->end - s->beg + 1);
	uint64_t end = beg + below(seed, s->end - beg + 1);

	return window_letters(w, s, c, before, n, beg, end, got) == 0 &&
	       memcmp(got, seq + s->origin + (beg - s->beg), end - beg) == 0;
}

/* One sequence in pieces; every window sees the pieces before it. */
static void
test_pieces(uint64_t *seed, const struct flavour *f, enum window_kind kind)
{
	static uint8_t seq[MAX + 64];
	struct chunk c[MAX], before[MAX];
	struct rec_frame *frame[MAX];
	uint64_t len = 1 + below(seed, MAX), own = 20 + below(seed, 900);
	uint64_t w_cut = below(seed, 300), context = below(seed, 300);
	struct window w = { 0 };
	size_t n = 0, bad = 0, refused = 0, want = 0;
	struct err e;

	draw(seed, f, seq, len);
	for (uint64_t at = 0; at < len; at += own, n++) {
		uint64_t beg = at > w_cut ? at - w_cut : 0;
		struct chunk_row r = row_of(3, beg, at, at + own < len ?
					    at + own : len, len);

		serial = n;
		frame[n] = encode(&r, 1, seq + beg);
		if (chunk_view(&c[n], frame[n], &e))
			abort();
		for (size_t i = 0; i < n; i++)
			before[i] = c[n - 1 - i];
		if (window_build(&w, kind, context, 4, &c[n], before, n, &e) ||
		    w.n_seg != 1 ||
		    !seg_right(&w, kind, w.seg, seq, context) ||
		    !letters_right(&w, w.seg, &c[n], before, n, seq, seed))
			bad++;
		want += beg > 0 && context > w_cut;
		if (window_build(&w, kind, context, 4, &c[n], NULL, 0, &e))
			refused += e.code == ERR_USAGE &&
				   strstr(e.text, "-W ") != NULL;
	}
	ok(bad == 0, "%s kind=%d n=%d L=%d W=%d context=%d: %d of %d bad",
	   f->name, kind, (int)len, (int)own, (int)w_cut, (int)context,
	   (int)bad, (int)n);
	ok(refused == want, "%d refused, %d wanted", (int)refused, (int)want);
	window_free(&w);
	while (n) {
		chunk_free(&c[--n]);
		rec_frame_drop(frame[n]);
	}
}

/* Many short records in one chunk, empty ones among them. */
static void
test_records(uint64_t *seed, const struct flavour *f, enum window_kind kind)
{
	static uint8_t seq[MAX + 64];
	struct chunk_row row[40];
	uint64_t at = 0, gap = 1 + below(seed, 100), n = 1 + below(seed, 40);
	uint64_t end = 0, left = 0;
	struct window w = { 0 };
	struct rec_frame *frame;
	struct chunk c;
	struct err e;
	size_t bad = 0;

	draw(seed, f, seq, MAX);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t len = below(seed, 70) * (below(seed, 4) != 0);

		row[i] = row_of(i, 0, 0, len, len);
		row[i].at = at;
		at += len;
		left += len > 0;
	}
	frame = encode(row, n, seq);
	if (chunk_view(&c, frame, &e) ||
	    window_build(&w, kind, 50, gap, &c, NULL, 0, &e))
		bad++;
	for (size_t i = 0; i < w.n_seg; i++) {
		const struct window_seg *s = &w.seg[i];

		bad += !seg_right(&w, kind, s, seq + row[s->row->ordinal].at,
				  50);
		bad += i && s->beg < end + gap;
		end = s->end;
	}
	ok(bad == 0 && w.n_seg == left, "%s kind=%d: %d records, gap %d",
	   f->name, kind, (int)n, (int)gap);
	window_free(&w);
	chunk_free(&c);
	rec_frame_drop(frame);
}

static void
test_refused(void)
{
	const uint8_t s[] = "ACGTMKLEFACGT";
	struct chunk_row r = row_of(0, 0, 0, 13, 13);
	struct window w = { 0 };
	struct rec_frame *f = encode(&r, 1, s);
	struct chunk c;
	struct err e = { 0, "" };
	int rc;

	if (chunk_view(&c, f, &e))
		abort();
	rc = window_build(&w, WINDOW_PLANES, 5, 5, &c, NULL, 0, &e);
	ok(rc == ERR_FORMAT && strstr(e.text, "'L' at 7") &&
	   strstr(e.text, "--alphabet=protein"), "protein as DNA: %s",
	   e.text);
	rc = window_build(&w, WINDOW_UPPER, 5, 5, &c, NULL, 0, &e);
	ok(rc == 0 && memcmp(w.bytes, s, 13) == 0, "protein as such");
	window_free(&w);
	chunk_free(&c);
	rec_frame_drop(f);
}

int
main(void)
{
	uint64_t seed = 3;

	for (size_t f = 0; f < sizeof flavours / sizeof *flavours; f++)
		for (int kind = WINDOW_PLANES; kind <= WINDOW_BYTES; kind++)
			for (int i = 0; i < 20; i++) {
				test_pieces(&seed, &flavours[f], kind);
				test_records(&seed, &flavours[f], kind);
			}
	test_refused();
	return done();
}
