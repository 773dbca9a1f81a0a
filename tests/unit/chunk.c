/* SPDX-License-Identifier: MIT */
/* chunk.c - letters of all kinds there and back, and views of damaged chunks */
#include "stream/chunk.h"
#include "stream/chunk_head.h"
#include "stream/rec.h"
#include "tap.h"

enum { MAX_ROWS = 40, ROOM = 1 << 17 };

static const char *const kinds[] = {
	"ACGT", "ACGTACGTACGTACGTN", "ACGTacgt", "ACGU", "acgu",
	"ACGTRYSWKMBDHVN", "ACDEFGHIKLMNPQRSTVWY*", "ACGTU", "N", "nN",
	"*-.", "ACGT-", "A", "U", "acgtryswkmbdhvn",
	("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz*-."),
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

struct sample {
	struct chunk_raw raw;
	struct chunk_row row[MAX_ROWS];
	uint8_t letters[ROOM];
};

/* Letters in runs: `mean` is about the length of one. */
static void
letters(uint8_t *s, size_t n, const char *from, unsigned mean, uint64_t *seed)
{
	size_t len = strlen(from);
	uint8_t c = (uint8_t)from[below(seed, len)];

	for (size_t i = 0; i < n; i++) {
		if (below(seed, mean) == 0)
			c = (uint8_t)from[below(seed, len)];
		s[i] = c;
	}
}

static void
make_row(struct chunk_row *r, uint64_t at, uint64_t n, uint64_t *seed)
{
	memset(r, 0, sizeof *r);
	r->ordinal = rnd(seed) >> below(seed, 64);
	r->beg = below(seed, 3) ? below(seed, 1000) : 0;
	r->n = n;
	r->at = at;
	r->own_beg = r->beg + below(seed, n + 1);
	r->own_end = r->own_beg + below(seed, r->beg + n - r->own_beg + 1);
	r->flags = (unsigned)below(seed, 4);
	if (r->flags & CHUNK_LAST)
		r->length = r->beg + n;
	r->name.p = "chromosome_17";
	r->name.n = below(seed, 14);
	if (r->flags & CHUNK_FIRST) {
		r->desc.p = "some words\tabout it";
		r->desc.n = below(seed, 20);
	}
}

static void
make(struct sample *s, const char *kind, unsigned mean, size_t n_rows,
     size_t most, uint64_t *seed)
{
	uint64_t at = 0;

	memset(&s->raw, 0, sizeof s->raw);
	for (size_t i = 0; i < n_rows; i++) {
		uint64_t n = below(seed, 8) ? below(seed, most + 1) : 0;

		if (below(seed, 5) == 0)
			n = n / 64 * 64;
		make_row(&s->row[i], at, n, seed);
		letters(s->letters + at, n, kind, mean, seed);
		at += n + below(seed, 3);
	}
	s->raw.run.id = rnd(seed);
	s->raw.run.base = (struct str){ "genome.fa", 9 };
	s->raw.run.first = (struct str){ "chr1", 4 };
	s->raw.run.hash = rnd(seed);
	s->raw.serial = rnd(seed);
	s->raw.row = s->row;
	s->raw.n_rows = n_rows;
	s->raw.letters = s->letters;
}

static bool
same_str(struct str a, struct str b)
{
	return a.n == b.n && (!a.n || memcmp(a.p, b.p, a.n) == 0);
}

static bool
same_row(const struct chunk *c, const struct chunk_row *have,
	 const struct chunk_row *want, const uint8_t *from, uint64_t *seed)
{
	static uint8_t t[ROOM + 64];
	uint64_t a = below(seed, want->n + 1), n = below(seed, want->n - a + 1);

	if (have->ordinal != want->ordinal || have->beg != want->beg ||
	    have->n != want->n || have->own_beg != want->own_beg ||
	    have->own_end != want->own_end || have->length != want->length ||
	    have->flags != want->flags ||
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
	uint64_t sum = 0;

	for (size_t i = 0; i < s->raw.n_rows; i++) {
		const struct chunk_row *r = &s->row[i];

		sum += digest_row(s->letters + r->at + (r->own_beg - r->beg),
				  r->own_end - r->own_beg, r->ordinal,
				  r->own_beg);
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
	if (chunk_view(&c, f, e) < 0) {
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
	ok(choice("ACGU", 1, 100000) == CHUNK_2BIT, "RNA: 2-bit");
	ok(choice("N", 1, 131000) == CHUNK_2BIT, "all N: 2-bit");
	ok(choice("ACGTRYSWKMBDHVN", 1, 100000) == CHUNK_4BIT, "IUPAC: 4-bit");
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

/* Whatever a view accepts may be used in full. */
static void
use(const struct rec_frame *f)
{
	struct chunk c;
	struct err e;

	if (chunk_view(&c, f, &e) < 0)
		return;
	for (size_t i = 0; i < c.n_rows; i++) {
		const struct chunk_row *r = &c.row[i];
		uint8_t *s = malloc(r->n + 64);

		if (!s)
			abort();
		if (c.enc != CHUNK_PROB)
			chunk_letters(&c, r, 0, r->n, s);
		free(s);
	}
	chunk_digest_ok(&c, &e);
	chunk_free(&c);
}

/* The same frame in memory that ends where the payload ends. */
static struct rec_frame *
copy_of(const struct rec_frame *f, size_t n)
{
	struct rec_frame *g = rec_frame_new(n);
	uint8_t *p;

	if (!g)
		abort();
	p = g->payload;
	*g = *f;
	g->payload = p;
	g->n = n;
	g->refs = 1;
	memcpy(p, f->payload, n);
	return g;
}

static void
mutations(void)
{
	static struct sample s;
	uint64_t seed = 3, owned, sum;
	struct rec_frame *f;
	struct chunk c;
	struct err e;
	int accepted = 0;

	for (unsigned i = 0; i < 3000; i++) {
		make(&s, kinds[i % N_KINDS], 1u << i % 8, 1 + i % 7, 150,
		     &seed);
		if (chunk_encode(&f, &s.raw, &owned, &sum, &e) < 0)
			abort();
		for (unsigned j = 0; j < 10; j++) {
			struct rec_frame *g = copy_of(f, f->n);

			for (unsigned k = 0; k <= j % 3; k++)
				g->payload[below(&seed, g->n)] ^=
				    (uint8_t)(1u << below(&seed, 8));
			use(g);
			rec_frame_drop(g);
		}
		for (unsigned j = 0; j < 4; j++) {
			struct rec_frame *g = copy_of(f, below(&seed, f->n));

			if (chunk_view(&c, g, &e) == 0) {
				accepted++;
				chunk_free(&c);
			}
			rec_frame_drop(g);
		}
		rec_frame_drop(f);
	}
	ok(accepted == 0, "no cut payload is accepted");
}

/* Changes that a view must tell. */
static void
refusals(void)
{
	static const struct {
		size_t at;
		uint8_t value;
		const char *what;
	} t[] = {
		{ CHUNK_AT_ENC, 4, "unknown encoding" },
		{ CHUNK_AT_ROWS, 2, "another number of rows" },
		{ CHUNK_AT_ROWS + 3, 0xff, "billions of rows" },
		{ CHUNK_AT_N, 70, "another number of letters" },
		{ CHUNK_AT_N + 7, 0x80, "2^63 letters" },
		{ CHUNK_AT_OWNED, 1, "another sum owned" },
		{ CHUNK_AT_EXC + 3, 0xff, "billions of exceptions" },
		{ CHUNK_AT_LOWER + 3, 0xff, "billions of case runs" },
		{ CHUNK_AT_HEAP, 0, "no heap" },
		{ CHUNK_AT_FLAGS, 2, "unknown flag" },
		{ CHUNK_AT_ZERO, 1, "what must be zero" },
		{ 64 + ROW_AT_BEG + 7, 0xff, "a row at 2^64" },
		{ 64 + ROW_AT_N, 200, "a row beyond the letters" },
		{ 64 + ROW_AT_N, 99, "a row too short" },
		{ 64 + ROW_AT_OWN_BEG, 101, "owned from behind" },
		{ 64 + ROW_AT_OWN_END, 101, "owned beyond" },
		{ 64 + ROW_AT_LENGTH, 1, "too short a length" },
		{ 64 + ROW_AT_NAME, 200, "a name beyond the heap" },
		{ 64 + ROW_AT_DESC, 1, "a description that is not there" },
		{ 64 + ROW_AT_FLAGS, 7, "unknown flag of a row" },
		{ 64 + ROW_AT_ZERO, 1, "what must be zero in a row" },
		{ 128 + 31, 0x80, "a letter behind the row's end" },
		{ 128, 0xfb, "a letter where there is an exception" },
		{ 160, 200, "an exception behind the end" },
		{ 164, 0, "an empty exception" },
		{ 167, 'A', "A as an exception" },
		{ 167, '\n', "no letter as an exception" },
		{ 168, 3, "exceptions that overlap" },
	};
	struct chunk_row row = {
		.n = 100, .own_end = 100, .length = 100,
		.flags = CHUNK_FIRST | CHUNK_LAST, .name = { "s", 1 },
	};
	struct chunk_raw raw = { .row = &row, .n_rows = 1 };
	uint8_t s[101];
	struct rec_frame *f, *g;
	uint64_t owned, sum;
	struct chunk c;
	struct err e;

	memset(s, 'C', sizeof s);
	s[2] = s[3] = s[50] = 'N';
	raw.letters = s;
	if (!ok(chunk_encode(&f, &raw, &owned, &sum, &e) == 0 &&
		chunk_view(&c, f, &e) == 0 && c.enc == CHUNK_2BIT &&
		c.n_exc == 2, "a small chunk"))
		return;
	chunk_free(&c);
	for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
		g = copy_of(f, f->n);
		g->payload[t[i].at] = t[i].value;
		ok(chunk_view(&c, g, &e) == ERR_FORMAT, "%s: %s", t[i].what,
		   e.text);
		rec_frame_drop(g);
	}
	g = copy_of(f, f->n);
	g->payload[130] ^= 4;
	ok(chunk_view(&c, g, &e) == 0 && !chunk_digest_ok(&c, &e),
	   "another letter: %s", e.text);
	chunk_free(&c);
	g->records = 2;
	ok(chunk_view(&c, g, &e) == ERR_FORMAT, "another number of records");
	rec_frame_drop(g);
	rec_frame_drop(f);
}

static void
controls(void)
{
	struct run_key run = {
		.id = 7, .base = { "a.fa", 4 }, .label = { "x", 1 },
		.first = { "chr1", 4 }, .hash = 99,
	};
	struct begin b = {
		.run = run, .scan = { 5, { "q.fa", 4 }, SCAN_LEAST },
		.text = { "program x\n", 10 },
	}, b2;
	struct seq s = { 1u << 31, 1ull << 40, { "chr1", 4 } }, s2;
	struct run_end n = { run, 1000, 3, 1ull << 33, 0x123456789abcdef };
	struct run_end n2;
	struct rec_frame *f = NULL;
	struct err e;
	int cuts = 0;

	ok(begin_encode(&f, &b, &e) == 0 && begin_view(&b2, f, &e) == 0 &&
	   run_key_cmp(&b2.run, &run) == 0 && same_str(b2.text, b.text) &&
	   scan_key_cmp(&b.scan, &b2.scan) == 0, "BEGIN");
	ok(seq_view(&s2, f, &e) == ERR_FORMAT, "BEGIN is no SEQ");
	rec_frame_drop(f);
	ok(seq_encode(&f, 7, &s, &e) == 0 && seq_view(&s2, f, &e) == 0 &&
	   s2.ordinal == s.ordinal && s2.length == s.length &&
	   same_str(s2.name, s.name) && f->run == 7, "SEQ");
	rec_frame_drop(f);
	ok(end_encode(&f, &n, &e) == 0 && end_view(&n2, f, &e) == 0 &&
	   run_key_cmp(&n2.run, &run) == 0 && n2.chunks == 1000 &&
	   n2.sequences == 3 && n2.letters == n.letters &&
	   n2.digest == n.digest, "END");
	for (size_t i = f->n; i-- > 0;) {
		struct rec_frame *g = copy_of(f, i);

		cuts += end_view(&n2, g, &e) == 0;
		rec_frame_drop(g);
	}
	ok(cuts == 0, "no cut END is accepted");
	rec_frame_drop(f);
}

int
main(void)
{
	round_trips();
	choices();
	long_runs();
	probabilities();
	refusals();
	mutations();
	controls();
	return done();
}
