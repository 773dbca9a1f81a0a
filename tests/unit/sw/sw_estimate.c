/* SPDX-License-Identifier: MIT */
/* sw_estimate.c - estimates from the tops of blocks: of no effect on results */
#include <stdlib.h>

#include "sw/sw_priv.h"

#include "tests/lib/tap.h"

enum { BLOCKS = 4096, COPIES = 20, APART = 128, LONG = 40 };

static struct sw_peak peak[BLOCKS];
static const struct sw_seg seg = { 0, BLOCKS * SW_BLOCK, 0 };
static const struct sw_text text = { .n = BLOCKS * SW_BLOCK, .seg = &seg,
				     .n_seg = 1 };
static struct sw_query *query;

/*
 * Low everywhere; then up to that score at block `end`, and down again.  On its
 * way up it loses nearly half for a while: that is one alignment, not two.
 */
static void
copy(size_t end, int64_t score)
{
	for (size_t i = 0; i < LONG; i++) {
		peak[end - i].bound = score - score * (int64_t)i / LONG;
		if (i >= 8 && i <= 24)
			peak[end - i].bound -= peak[end - i].bound * 9 / 20;
		peak[end + i].bound = score - (int64_t)i * SW_BLOCK;
	}
}

static void
copies(void)
{
	for (size_t b = 0; b < BLOCKS; b++)
		peak[b] = (struct sw_peak){ 20 + (int64_t)(b * 7 % 5), true };
	for (size_t i = 0; i < COPIES; i++)
		copy(LONG + i * APART, 4000 + 10 * (int64_t)(i * 7 % COPIES));
}

/* The first estimate of the K-th score, of K copies of the query. */
static void
test_first(void)
{
	struct sw_estimate g = { 0 };
	struct err e;
	bool good = true;

	for (size_t k = 1; k <= COPIES; k++) {
		int64_t want = 4000 + 10 * (int64_t)(COPIES - k);

		if (sw_estimate_reset(&g, &text, peak, k, &e))
			abort();
		good &= sw_estimate_next(&g) == want;
	}
	ok(good, "K relatives of the query: the last one's score");
	if (sw_estimate_reset(&g, &text, peak, COPIES + 1, &e))
		abort();
	ok(g.first == 0, "one more: there is no other end");
	sw_estimate_free(&g);
}

static void
test_falls(void)
{
	static const size_t ks[] = { 1, 3, 20, 25, 400, BLOCKS, BLOCKS + 1 };
	struct sw_estimate g = { 0 };
	struct err e;
	bool good = true;

	for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) {
		int64_t last = INT64_MAX, estimate;

		if (sw_estimate_reset(&g, &text, peak, ks[i], &e))
			abort();
		while ((estimate = sw_estimate_next(&g)) > 0 && estimate < last)
			last = estimate;
		good &= estimate == 0;
	}
	ok(good, "estimates fall, and come to an end");
	sw_estimate_free(&g);
}

/* A stretch from the end of a copy to where it begins, and some more. */
static void
test_stretch(struct sw_work *w)
{
	const uint64_t end = LONG + 5 * APART, from = end * SW_BLOCK;
	const uint64_t begin = (end - LONG + 1) * SW_BLOCK;
	uint64_t n, more;

	sw_stretch_reset(query, w);
	n = sw_stretch_of(query, w, &seg, from, peak);
	ok(n >= from - begin && n <= from - begin + 8 * SW_BLOCK,
	   "%llu columns for a copy of %llu", (unsigned long long)n,
	   (unsigned long long)(from - begin));
	w->stretch = 2 * n;
	sw_stretch_learn(query, w, n, peak[end].bound);
	more = sw_stretch_of(query, w, &seg, from, peak);
	ok(more > n && more < 2 * n, "that was too short: more the next time");
	ok(sw_stretch_of(query, w, &seg, 0, peak) > 0, "no block before");
	for (size_t b = 0; b < BLOCKS; b++)
		peak[b].bound = 1000;
	n = sw_stretch_of(query, w, &seg, from, peak);
	ok(n == sw_stretch(query, w, 1000),
	   "no low scores before: as long as the score says");
}

int
main(void)
{
	struct sw_scoring s = { .letters = 4, .open = 5, .extend = 2 };
	uint8_t code[SW_BLOCK * LONG] = { 0 };
	struct sw_work *w;
	struct err e;

	for (unsigned a = 0; a < 4; a++)
		for (unsigned b = 0; b < 4; b++)
			s.score[a][b] = a == b ? 2 : -3;
	if (sw_query_new(&query, &s, code, sizeof code, false, SW_AUTO, &e) ||
	    sw_work_new(&w, &e))
		abort();
	copies();
	test_first();
	test_falls();
	test_stretch(w);
	sw_work_free(w);
	sw_query_free(query);
	return done();
}
