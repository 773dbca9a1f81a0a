/* SPDX-License-Identifier: MIT */
/* whole.c - chunks that were searched, in any order and more than once, come to
 * the ranges and the digest of their receipt */
#include "scan/scan.h"
#include "tests/lib/tap.h"

enum { CHUNKS = 300 };

static uint64_t seed = 20261129;
static struct err e;

/* One chunk of a run: its frame, and what it says it covers. */
struct piece {
	struct rec_frame *f;
	uint64_t owned, digest;
};

static struct piece
piece(uint64_t run, uint64_t serial, const char *letters)
{
	uint64_t n = 1 + serial % strlen(letters);
	struct chunk_row row = { .ordinal = serial, .n = n, .own_end = n,
				 .length = n, .name = { "s", 1 },
				 .flags = CHUNK_FIRST | CHUNK_LAST };
	struct chunk_raw raw = { .run = { .id = run, .base = { "x.fa", 4 } },
				 .serial = serial, .row = &row, .n_rows = 1,
				 .letters = (const uint8_t *)letters };
	struct piece p;

	if (chunk_encode(&p.f, &raw, &p.owned, &p.digest, &e))
		abort();
	return p;
}

/* The ranges of the chunks that came, by definition. */
static size_t
model(struct range *r, const struct piece *v, const bool *came)
{
	size_t n = 0;

	for (uint64_t i = 0; i < CHUNKS; i++) {
		if (!came[i])
			continue;
		if (!n || r[n - 1].end != i)
			r[n++] = (struct range){ i, i, 0, 0 };
		r[n - 1].end++;
		r[n - 1].letters += v[i].owned;
		r[n - 1].digest += v[i].digest;
	}
	return n;
}

static bool
is_model(const struct whole_run *r, const struct piece *v, const bool *came)
{
	static struct range want[CHUNKS];
	size_t n = model(want, v, came);

	return r->n == n && !memcmp(r->range, want, n * sizeof *want);
}

/* Of `chunks`, some never come, and many more than once. */
static void
test_order(unsigned calls)
{
	static struct piece v[2][CHUNKS];
	bool came[2][CHUNKS] = { { false } };
	struct whole w = { 0 };
	size_t wrong = 0;

	for (unsigned k = 0; k < 2; k++)
		for (uint64_t i = 0; i < CHUNKS; i++)
			v[k][i] = piece(7 + k, i, "ACGTACGTTTGACA");
	for (unsigned i = 0; i < calls; i++) {
		unsigned k = (unsigned)below(&seed, 2);
		uint64_t c = below(&seed, CHUNKS);
		uint32_t run = 99;
		bool again = false;

		wrong += whole_cover(&w, v[k][c].f, &run, &again, &e) ||
			 again != came[k][c] || run >= w.n_runs ||
			 w.run[run].key.id != 7 + k;
		came[k][c] = true;
		wrong += !is_model(&w.run[run], v[k], came[k]);
	}
	ok(wrong == 0, "%u chunks of two runs: %zu wrong", calls, wrong);
	whole_free(&w);
	for (unsigned k = 0; k < 2; k++)
		for (uint64_t i = 0; i < CHUNKS; i++)
			rec_frame_drop(v[k][i].f);
}

/* Two chunks of one serial: no later stage finds the digest right. */
static void
test_spoilt(void)
{
	struct piece a = piece(7, 3, "ACGTACGT"), b = piece(7, 3, "ACGGACGT");
	struct whole w = { 0 };
	uint32_t run;
	bool again;

	ok(whole_cover(&w, a.f, &run, &again, &e) == 0 && !again &&
	   whole_cover(&w, a.f, &run, &again, &e) == 0 && again &&
	   w.run[0].range->digest == a.digest, "a copy is none");
	ok(whole_cover(&w, b.f, &run, &again, &e) == 0 && again &&
	   w.run[0].range->digest == a.digest + RANGE_SPOIL &&
	   w.run[0].n == 1, "another one spoils it");
	whole_free(&w);
	rec_frame_drop(a.f);
	rec_frame_drop(b.f);
}

int
main(void)
{
	test_order(1);
	test_order(100);
	test_order(3000);
	test_spoilt();
	return done();
}
