/* SPDX-License-Identifier: MIT */
/* chunk_view.c - views of damaged chunks; BEGIN, SEQ and END */
#include "tests/lib/sample.h"
#include "rec/rec.h"

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

/* Changes of a small chunk that a view must report. */
static const struct {
	size_t at;
	uint8_t value;
	const char *what;
} changes[] = {
	{ CHUNK_AT_ENC, 4, "unknown encoding" },
	{ CHUNK_AT_ROWS, 2, "another number of rows" },
	{ CHUNK_AT_ROWS + 3, 0xff, "billions of rows" },
	{ CHUNK_AT_N, 70, "another number of letters" },
	{ CHUNK_AT_N + 7, 0x80, "2^63 letters" },
	{ CHUNK_AT_OWNED, 1, "another sum owned" },
	{ CHUNK_AT_EXC + 3, 0xff, "billions of exceptions" },
	{ CHUNK_AT_LOWER + 3, 0xff, "billions of case runs" },
	{ CHUNK_AT_HEAP, 0, "no heap" },
	{ CHUNK_AT_FLAGS, 4, "unknown flag" },
	{ CHUNK_AT_FLAGS, CHUNK_FILES, "a row of no file" },
	{ CHUNK_AT_ZERO, 1, "what must be zero" },
	{ 64 + ROW_AT_BEG + 7, 0xff, "a row at 2^64" },
	{ 64 + ROW_AT_N, 200, "a row beyond the letters" },
	{ 64 + ROW_AT_N, 99, "a row too short" },
	{ 64 + ROW_AT_OWN_BEG, 101, "owned from behind" },
	{ 64 + ROW_AT_OWN_END, 101, "owned beyond" },
	{ 64 + ROW_AT_LENGTH, 1, "too short a length" },
	{ 64 + ROW_AT_NAME, 200, "a name beyond the heap" },
	{ 64 + ROW_AT_DESC, 1, "a description that is not there" },
	{ 64 + ROW_AT_FLAGS, CHUNK_FIRST | CHUNK_LAST | 8,
	  "unknown flag of a row" },
	{ 64 + ROW_AT_FILE, 1, "a file that the head does not announce" },
	{ 128 + 31, 0x80, "a letter behind the row's end" },
	{ 128, 0xfb, "a letter where there is an exception" },
	{ 160, 200, "an exception behind the end" },
	{ 164, 0, "an empty exception" },
	{ 167, 'A', "A as an exception" },
	{ 167, '\n', "no letter as an exception" },
	{ 168, 3, "exceptions that overlap" },
	{ 180, 2, "an exception that ends one letter too late" },
};

static void
refusals(void)
{
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
	s[2] = s[3] = s[50] = s[99] = 'N';
	raw.letters = s;
	if (!ok(chunk_encode(&f, &raw, &owned, &sum, &e) == 0 &&
		chunk_view(&c, f, &e) == 0 && c.enc == CHUNK_2BIT &&
		c.n_exc == 3, "a small chunk"))
		return;
	chunk_free(&c);
	for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
		g = copy_of(f, f->n);
		g->payload[changes[i].at] = changes[i].value;
		ok(chunk_view(&c, g, &e) == ERR_FORMAT, "%s: %s",
		   changes[i].what, e.text);
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

/* Rows whose letters add up to the right number by going round 2^64. */
static void
wrap(void)
{
	struct chunk_row row[2] = {
		{ .n = 64 }, { .ordinal = 1, .n = 100 },
	};
	struct chunk_raw raw = { .row = row, .n_rows = 2 };
	uint8_t s[100];
	struct rec_frame *f;
	uint64_t owned, sum;
	struct chunk c;
	struct err e;

	memset(s, 'G', sizeof s);
	raw.letters = s;
	if (!ok(chunk_encode(&f, &raw, &owned, &sum, &e) == 0 &&
		chunk_view(&c, f, &e) == 0 && c.n == 164, "two rows"))
		return;
	chunk_free(&c);
	put_le(f->payload + 64 + ROW_AT_N, UINT64_MAX - 63, 8);
	put_le(f->payload + 128 + ROW_AT_N, 64 + 164, 8);
	ok(chunk_view(&c, f, &e) == ERR_FORMAT, "rows around 2^64: %s",
	   e.text);
	rec_frame_drop(f);
	row[1].own_end = 101;
	ok(chunk_encode(&f, &raw, &owned, &sum, &e) == ERR_FORMAT && !f,
	   "%s", e.text);
}

/* In 4-bit letters 0 is an exception, and an exception is 0. */
static void
four_bits(void)
{
	struct chunk_row row = { .n = 160, .own_end = 160 };
	struct chunk_raw raw = { .row = &row, .n_rows = 1 };
	uint8_t s[160];
	struct rec_frame *f;
	uint64_t owned, sum;
	struct chunk c;
	struct err e;

	for (unsigned i = 0; i < sizeof s; i++)
		s[i] = (uint8_t)"RYSWKMBDHVN"[i % 11];
	s[8] = '-';
	raw.letters = s;
	if (!ok(chunk_encode(&f, &raw, &owned, &sum, &e) == 0 &&
		chunk_view(&c, f, &e) == 0 && c.enc == CHUNK_4BIT &&
		c.n_exc == 1, "a 4-bit chunk"))
		return;
	chunk_free(&c);
	f->payload[128 + 4] |= 1;
	ok(chunk_view(&c, f, &e) == ERR_FORMAT, "a letter where an exception "
	   "is: %s", e.text);
	f->payload[128 + 4] &= 0xf0;
	f->payload[128 + 9] &= 0x0f;
	ok(chunk_view(&c, f, &e) == ERR_FORMAT, "no letter: %s", e.text);
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
	struct run_end n = { run, 1000, 3, 1ull << 33, 0x123456789abcdef,
			     true };
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
	refusals();
	wrap();
	four_bits();
	mutations();
	controls();
	return done();
}
