/* SPDX-License-Identifier: MIT */
/*
 * kdiff_limits.c - limits on mismatches and bulges, by trying all alignments
 */
#include <stdlib.h>
#include <string.h>

#include "kdiff/kdiff.h"
#include "letters/letters.h"
#include "tests/lib/limits_book.h"
#include "tests/lib/tap.h"

enum { MAX_M = 40, MAX_N = 500, MAX_K = 7, NONE = 100 };

static uint64_t seed = 1;
static struct {
	uint8_t p[MAX_M], t[MAX_N + 64];
	uint32_t m, k, n, head, tail;
	struct kdiff_limits max;
	bool minima, hamming;
	uint32_t dist[MAX_N + 2];	/* of ends; NONE: none */
	char cigar[MAX_N + 2][120];
} c;

static void
all_ends(void)
{
	char op[200];

	book.m = c.m;
	book.k = c.k;
	book.first = c.tail;
	book.last = c.head;
	book.max = c.max;
	if (c.hamming)
		book.max.bulges = 0;
	for (uint32_t i = 0; i < c.m; i++)
		book.p[i] = c.p[c.m - 1 - i];
	for (uint32_t end = 1; end <= c.n; end++) {
		book.n = oracle_min(end, c.m + c.k);
		for (uint32_t i = 0; i < book.n; i++)
			book.t[i] = c.t[end - 1 - i];
		c.dist[end] = book_distance();
		if (c.dist[end] <= c.k) {
			size_t n = book_path(op);

			book_turn(op, n);
			book_runs(op, n, c.cigar[end]);
		} else {
			c.dist[end] = NONE;
		}
	}
	c.dist[0] = NONE;
	c.dist[c.n + 1] = NONE;
}

static bool
is_reported(uint32_t j)
{
	uint32_t beg = j;

	if (c.dist[j] == NONE)
		return false;
	if (!c.minima)
		return true;
	while (beg > 1 && c.dist[beg - 1] == c.dist[j])
		beg--;
	return c.dist[j + 1] > c.dist[j] &&
	       (c.dist[beg - 1] > c.dist[j] || j - beg + 1 > c.m);
}

/* What is found in [from, to] of a text with its context. */
static struct {
	uint32_t dist[MAX_N + 2];
	char cigar[MAX_N + 2][120];
	struct kdiff_set *set;
	struct kdiff_work *w;
	struct err e;
} f;

static int
find(uint32_t from, uint32_t to)
{
	uint64_t context = kdiff_context(f.set), planes[MAX_N / 32 + 4] = { 0 };
	uint64_t exc[MAX_N / 64 + 2], lower[MAX_N / 64 + 2];
	uint32_t beg = from > context ? from - (uint32_t)context : 0;
	uint32_t end = to < c.n ? to + 1 : c.n;	/* a letter more: minima */
	struct kdiff_seg seg = { 0, end - beg, from - beg, to - beg,
				 beg == 0, end == c.n };
	struct kdiff_text t = { .n = end - beg, .planes = planes, .exc = exc,
				.seg = &seg, .n_seg = 1 };
	struct kdiff_hits h = { 0 };
	struct buf ops = { 0 }, text = { 0 };
	struct kdiff_path *path;
	int rc;

	dna_ops()->pack(c.t + beg, end - beg, planes, exc, lower);
	rc = kdiff_scan(f.set, &t, f.w, &h, &f.e);
	path = calloc(h.n + 1, sizeof *path);
	if (!rc)
		rc = kdiff_trace(f.set, &t, f.w, h.v, h.n, path, &ops, &f.e);
	for (size_t i = 0; i < h.n && !rc; i++) {
		uint64_t j = beg + h.v[i].end;

		text.n = 0;
		cigar_text(&text, (const uint32_t *)(void *)ops.p +
			   path[i].ops, path[i].n_ops);
		f.dist[j] = h.v[i].dist;
		memcpy(f.cigar[j], text.p, text.n);
		f.cigar[j][text.n] = 0;
	}
	free(path);
	kdiff_hits_free(&h);
	buf_free(&ops);
	buf_free(&text);
	return rc;
}

static int
find_all(void)
{
	struct kdiff_params p = {
		.alphabet = KDIFF_DNA, .hamming = c.hamming,
		.report = c.minima ? KDIFF_MINIMA : KDIFF_ALL,
	};
	uint32_t cut = below(&seed, 2) ? c.n :
		       1 + (uint32_t)below(&seed, c.n);
	int rc = kdiff_set_new(&f.set, &p, &f.e);

	if (!rc)
		rc = kdiff_set_add(f.set, c.p, c.m, c.k, &f.e);
	if (!rc)
		rc = kdiff_set_exact(f.set, c.head, c.tail, &f.e);
	if (!rc)
		rc = kdiff_work_new(&f.w, &f.e);
	if (!rc) {
		kdiff_set_limits(f.set, &c.max);
		for (uint32_t j = 0; j <= c.n; j++)
			f.dist[j] = NONE;
		rc = find(1, cut);
	}
	if (!rc && cut < c.n)
		rc = find(cut + 1, c.n);
	kdiff_work_free(f.w);
	kdiff_set_free(f.set);
	f.w = NULL;
	f.set = NULL;
	return rc;
}

static void
make_case(uint64_t round)
{
	const char *from = round % 3 ? "ACGT" : "AC";
	size_t letters = strlen(from);
	uint32_t *limit[] = { &c.max.mismatches, &c.max.bulges, &c.max.dna,
			      &c.max.rna };

	memset(&c, 0, sizeof c);
	c.n = 1 + (uint32_t)below(&seed, MAX_N);
	c.m = 1 + (uint32_t)below(&seed, round % 2 ? 12 : MAX_M);
	c.k = (uint32_t)below(&seed, c.m <= MAX_K ? c.m : MAX_K + 1);
	for (uint32_t i = 0; i < c.n; i++)
		c.t[i] = (uint8_t)from[below(&seed, letters)];
	for (uint32_t i = 0; i < c.m; i++)
		c.p[i] = (uint8_t)from[below(&seed, letters)];
	for (int i = 0; i < 3 && c.m + 4 < c.n; i++) {
		uint32_t at = (uint32_t)below(&seed, c.n - c.m - 4), n = at;

		for (uint32_t j = 0; j < c.m; j++)
			if (below(&seed, 8))
				c.t[n++] = c.p[j];
			else if (below(&seed, 2))
				n++;
	}
	c.minima = below(&seed, 2);
	c.hamming = below(&seed, 6) == 0;
	if (below(&seed, 3) == 0)
		c.head = (uint32_t)below(&seed, c.m < 4 ? c.m + 1 : 4);
	if (below(&seed, 3) == 0)
		c.tail = (uint32_t)below(&seed, c.m < 4 ? c.m + 1 : 4);
	c.max = KDIFF_NO_LIMITS;
	do {
		for (int i = 0; i < 4; i++)
			if (below(&seed, 2))
				*limit[i] = (uint32_t)below(&seed, c.k + 1);
	} while (!kdiff_limited(&c.max));
}

static bool
run(uint64_t round)
{
	int rc;

	make_case(round);
	all_ends();
	rc = find_all();
	if (rc)
		return ok(0, "%lu: %s", (unsigned long)round, f.e.text);
	for (uint32_t j = 1; j <= c.n; j++) {
		uint32_t want = is_reported(j) ? c.dist[j] : NONE;

		if (want != f.dist[j])
			return ok(0, "round %lu end %u: %u, not %u",
				  (unsigned long)round, j, f.dist[j], want);
		if (want != NONE && strcmp(c.cigar[j], f.cigar[j]) != 0)
			return ok(0, "round %lu end %u: %s, not %s",
				  (unsigned long)round, j, f.cigar[j],
				  c.cigar[j]);
	}
	return true;
}

int
main(void)
{
	uint64_t rounds = fewer(3000), i = 0;

	for (; i < rounds; i++) {
		seed = i + 1;
		if (!run(i))
			return done();
	}
	ok(1, "%lu cases", (unsigned long)rounds);
	return done();
}
