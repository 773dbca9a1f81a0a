/* SPDX-License-Identifier: MIT */
/* chunk.c - letters of all kinds there and back */
#include "tests/lib/read_frames.h"
#include "tests/lib/sample.h"

static bool
same_row(const struct chunk *c, const struct chunk_row *have,
	 const struct chunk_row *want, const uint8_t *from, uint64_t *seed)
{
	static uint8_t t[ROOM + 64];
	uint64_t a = below(seed, want->n + 1), n = below(seed, want->n - a + 1);

	if (have->ordinal != want->ordinal || have->beg != want->beg ||
	    have->n != want->n || have->own_beg != want->own_beg ||
	    have->own_end != want->own_end || have->length != want->length ||
	    have->flags != want->flags || have->file != want->file ||
	    !same_str(have->name, want->name) ||
	    !same_str(have->desc, want->desc))
		return false;
	chunk_letters(c, have, 0, want->n, t);
	if (want->n && memcmp(t, from + want->at, want->n) != 0)
		return false;
	chunk_letters(c, have, a, n, t);
	return !n || memcmp(t, from + want->at + a, n) == 0;
}

static uint64_t
digest(const struct sample *s)
{
	struct digest_order order = { 0 };
	uint64_t sum = 0;

	for (size_t i = 0; i < s->raw.n_rows; i++) {
		const struct chunk_row *r = &s->row[i];

		sum = digest_add(sum, chunk_row_digest(r, DIGEST_ADDS, &order,
				 s->letters + r->at + (r->own_beg - r->beg),
				 r->own_end - r->own_beg, false));
	}
	return sum;
}

/* The encoding, or -1 if anything is not as it was. */
static int
there_and_back(const struct sample *s, uint64_t *seed, struct err *e)
{
	struct rec_frame *f, *g;
	uint64_t owned, sum, owned2, sum2;
	struct chunk c;
	int enc = -1;

	if (chunk_encode(&f, &s->raw, &owned, &sum, e) < 0)
		return -1;
	if (!zeros_behind(f) || chunk_view(&c, f, e) < 0) {
		rec_frame_drop(f);
		return -1;
	}
	e->text[0] = '\0';
	if (chunk_digest_ok(&c, e) && sum == c.digest && sum == digest(s) &&
	    owned == c.owned && c.n_rows == s->raw.n_rows &&
	    run_key_cmp(&c.run, &s->raw.run) == 0 &&
	    c.serial == s->raw.serial)
		enc = (int)c.enc;
	for (size_t i = 0; i < c.n_rows; i++)
		if (!same_row(&c, &c.row[i], &s->row[i], s->letters, seed))
			enc = -1;
	if (chunk_encode(&g, &s->raw, &owned2, &sum2, e) < 0 ||
	    g->n != f->n || memcmp(g->payload, f->payload, f->n) != 0)
		enc = -1;
	chunk_free(&c);
	rec_frame_drop(f);
	rec_frame_drop(g);
	return enc;
}

static void
round_trips(void)
{
	static struct sample s;
	uint64_t seed = 1;
	unsigned seen = 0;

	for (unsigned k = 0; k < N_KINDS; k++) {
		int good = 1;
		struct err e = { 0 };

		for (unsigned i = 0; good && i < 150; i++) {
			size_t rows = i ? below(&seed, MAX_ROWS) : 0;
			unsigned mean = 1u << below(&seed, 12);
			size_t most = below(&seed, 3) ? 200 : 3000;
			int enc;

			make(&s, kinds[k], mean, rows, most, &seed);
			enc = there_and_back(&s, &seed, &e);
			good = enc >= 0;
			if (good)
				seen |= 1u << enc;
		}
		ok(good, "letters of %.20s %s", kinds[k], e.text);
	}
	ok(seen == (1u << CHUNK_ASCII | 1u << CHUNK_2BIT | 1u << CHUNK_4BIT),
	   "every encoding was chosen: %x", seen);
}

/* One row of n letters of a kind; what encoding is chosen? */
static int
choice(const char *kind, unsigned mean, size_t n)
{
	static struct sample s;
	uint64_t seed = 7;
	struct err e;

	make(&s, kind, mean, 1, 0, &seed);
	s.row[0].n = n;
	s.row[0].own_end = s.row[0].own_beg + n;
	s.row[0].beg = s.row[0].own_beg;
	s.row[0].flags = 0;
	s.row[0].length = 0;
	s.row[0].desc.n = 0;
	letters(s.letters, n, kind, mean, &seed);
	return there_and_back(&s, &seed, &e);
}

static void
choices(void)
{
	ok(choice("ACGT", 1, 100000) == CHUNK_2BIT, "DNA: 2-bit");
	ok(choice("ACGTacgt", 300, 100000) == CHUNK_2BIT, "soft-masked: 2-bit");
	ok(choice("ACGTacgt", 3, 131000) == CHUNK_2BIT, "many runs: 2-bit");
	ok(choice("ACGU", 1, 100000) == CHUNK_2BIT, "RNA: 2-bit");
	ok(choice("N", 1, 131000) == CHUNK_2BIT, "all N: 2-bit");
	ok(choice("ACGTRYSWKMBDHVN", 1, 100000) == CHUNK_4BIT, "IUPAC: 4-bit");
	ok(choice("ACGTRYSWKMBDHVN", 15, 100000) == CHUNK_4BIT,
	   "IUPAC in short runs: 4-bit");
	ok(choice("ACGURYSWKMBDHVN", 1, 100000) == CHUNK_4BIT,
	   "IUPAC RNA: 4-bit");
	ok(choice("ACGTU", 1, 100000) == CHUNK_ASCII, "T and U: ASCII");
	ok(choice("ACDEFGHIKLMNPQRSTVWY", 1, 100000) == CHUNK_ASCII,
	   "protein: ASCII");
	ok(choice("ACGTacgt", 1, 100000) == CHUNK_ASCII,
	   "case at random: ASCII");
	ok(choice("A", 1, 3) == CHUNK_ASCII, "3 letters: ASCII");
}

/* Runs longer than a run can say are split. */
static void
long_runs(void)
{
	static const size_t n = 40u << 20;
	struct chunk_row row = {
		.n = n, .own_end = n, .length = n,
		.flags = CHUNK_FIRST | CHUNK_LAST,
	};
	struct chunk_raw raw = { .row = &row, .n_rows = 1 };
	uint8_t *s = malloc(n + 64), *t = malloc(n + 64);
	struct rec_frame *f = NULL;
	uint64_t owned, sum;
	struct chunk c;
	struct err e;

	if (!s || !t)
		abort();
	memset(s, 'n', n);
	s[5] = 'A';
	raw.letters = s;
	if (ok(chunk_encode(&f, &raw, &owned, &sum, &e) == 0 &&
	       chunk_view(&c, f, &e) == 0, "40 M of N")) {
		chunk_letters(&c, c.row, 0, n, t);
		ok(memcmp(s, t, n) == 0 && c.enc == CHUNK_2BIT &&
		   c.n_exc == 4 && c.n_lower == 2, "in %zu runs", c.n_exc);
		chunk_free(&c);
	}
	rec_frame_drop(f);
	free(s);
	free(t);
}

static void
probabilities(void)
{
	float p[8] = { 0.25f, 0.5f, 0.125f, 0.125f, 1, 0, 0, 0 };
	struct chunk_row row = { .n = 2, .own_end = 2, .name = { "M1", 2 } };
	struct chunk_raw raw = {
		.prob = true, .row = &row, .n_rows = 1,
		.letters = (const uint8_t *)p,
	};
	struct rec_frame *f = NULL;
	uint64_t owned, sum;
	struct chunk c;
	struct err e;
	int good = 0;

	if (chunk_encode(&f, &raw, &owned, &sum, &e) == 0 &&
	    chunk_view(&c, f, &e) == 0) {
		good = c.enc == CHUNK_PROB && c.n == 2 && owned == 2 &&
		       c.n_bytes == 32 && c.digest == sum &&
		       get_le(c.letters + 4, 4) == 0x3f000000 &&
		       chunk_digest_ok(&c, &e);
		chunk_free(&c);
	}
	ok(good, "probabilities");
	rec_frame_drop(f);
}

int
main(void)
{
	round_trips();
	choices();
	long_runs();
	probabilities();
	return done();
}
