/* SPDX-License-Identifier: MIT */
/* kdiff_gen.h - random cases for kdiff's tests */
#ifndef SEQF_KDIFF_GEN_H
#define SEQF_KDIFF_GEN_H

#include "kdiff/kdiff_priv.h"
#include "tests/lib/isas.h"
#include "tests/lib/kdiff_case.h"
#include "tests/lib/tap.h"

static uint64_t seed;
static struct kcase kc;
static uint8_t letters[1 << 18], store[1 << 19];
static size_t stored;

static inline uint8_t
letter(const char *of, size_t n)
{
	return (uint8_t)of[below(&seed, n)];
}

enum kind { RANDOM, TWO, PERIODIC, NS, CODES, FLAT, N_KINDS };

static inline void
fill(enum kind kind, uint8_t *t, size_t n)
{
	size_t period = 1 + below(&seed, 5), flat = 0;

	for (size_t i = 0; i < n; i++) {
		t[i] = letter("ACGT", kind == TWO ? 2 : 4);
		if (kind == PERIODIC && i >= period && below(&seed, 40))
			t[i] = t[i - period];
		if (kind == NS && !below(&seed, 20))
			t[i] = letter("NnRacgtuU*", 10);
		if (kind == CODES)
			t[i] = letter("ACGTRYSWKMBDHVNacgn-", 20);
		if (kind == FLAT) {	/* long flats end anywhere */
			if (!flat)
				flat = below(&seed, 3) ? below(&seed, 90) : 9;
			else
				t[i] = t[i - 1], flat--;
		}
	}
}

/* A copy of p with up to `edits` differences that ends before letter end. */
static inline void
plant(uint8_t *t, size_t end, const uint8_t *p, size_t m, size_t edits)
{
	size_t i = m, j = end;

	while (i && j) {
		uint64_t r = edits ? below(&seed, m + 2) : m;

		if (r < edits && r % 3 == 0) {
			i--;
		} else if (r < edits && r % 3 == 1) {
			t[--j] = letter("ACGT", 4);
		} else {
			i--;
			if (r >= edits)
				t[j - 1] = p[i];
			j--;
		}
	}
}

/*
 * Copies that end a little after borders of words, superblocks, lanes: they
 * enter a superblock by its left edge, at every row.
 */
static inline void
plant_edges(const uint8_t *p, size_t m, size_t k)
{
	for (size_t i = 0; kc.n && i < 2 + kc.n / 200; i++) {
		uint64_t unit = below(&seed, 2) ? 64 : 256;
		uint64_t end = below(&seed, kc.n / unit + 1) * unit +
			       below(&seed, m + 8);

		plant(letters, end < kc.n ? end : kc.n, p, m,
		      below(&seed, 2) ? k : 0);
	}
}

/* A case of this pattern alone. */
static inline void
one_pattern(const uint8_t *p, size_t m, size_t k)
{
	kc.pat[0] = p;
	kc.m[0] = m;
	kc.k[0] = k;
	kc.n_pat = 1;
}

static inline void
add_pattern(enum kind kind, size_t m, size_t k)
{
	uint8_t *p = store + stored;

	stored += m;
	fill(kind == CODES && below(&seed, 2) ? RANDOM : kind, p, m);
	for (size_t i = 0; i < m; i++)
		if (!oracle_set(p[i]))
			p[i] = 'A';
	if (m < kc.n && below(&seed, 2)) {
		size_t at = below(&seed, kc.n - m);

		for (size_t i = 0; i < m; i++)
			if (oracle_set(letters[at + i]))
				p[i] = letters[at + i];
	}
	kc.pat[kc.n_pat] = p;
	kc.m[kc.n_pat] = m;
	kc.k[kc.n_pat++] = k;
	plant_edges(p, m, k);
}

/* A pattern of mostly up to 20 letters, seldom up to 150; its k. */
static inline size_t
add_short(enum kind kind)
{
	size_t m = 1 + below(&seed, below(&seed, 4) ? 20 : 150);
	size_t k = below(&seed, below(&seed, 2) ? m : 1 + m / 5);

	add_pattern(kind, m, k);
	return k;
}

/*
 * An index for every q there is, but seldom one of megabytes: to make that
 * takes longer than all searching of a small text.
 */
static inline unsigned
index_q(void)
{
	unsigned n = KDIFF_MAX_Q - KDIFF_MIN_Q + 1;

	return KDIFF_MIN_Q + below(&seed, below(&seed, 8) ? n / 2 + 1 : n);
}

static inline void
reset(size_t n)
{
	memset(&kc, 0, sizeof kc);
	kc.p.report = below(&seed, 2) ? KDIFF_MINIMA : KDIFF_ALL;
	kc.engine = below(&seed, 2) ? KDIFF_PATTERNS : KDIFF_TEXT;
	kc.force.index_q = index_q();
	kc.t = letters;
	kc.n = n;
	kc.n_seg = 1;
	kc.seg[0] = (struct kdiff_seg){ .end = n, .to = UINT64_MAX };
	stored = 0;
}

static bool every_isa;	/* that this CPU has, not only the one in use */

/* The instruction set of a case that runs with one. */
static inline enum isa
one_isa(void)
{
	return every_isa ? isas[below(&seed, n_isas())] : cpu_isa();
}

/* By patterns' first rows, few of them or many. */
static inline void
first_rows(void)
{
	kc.engine = KDIFF_PREFIX;
	kc.force.rows = below(&seed, 3) ? 1 + (unsigned)below(&seed, 60) : 0;
	kc.force.block = below(&seed, 3) ? 64u << below(&seed, 7) : 0;
	kc.force.patient = below(&seed, 4) != 0;
}

/* What a case of any kind may be run with. */
static inline void
vary(void)
{
	kc.blocks |= below(&seed, 3) == 0;
	if (below(&seed, 3) == 0)
		kc.engine = below(&seed, 2) ? KDIFF_FILTER : KDIFF_AUTO;
	else if (below(&seed, 3) == 0)
		first_rows();
	if (below(&seed, 6))
		return;
	for (size_t i = 0; i < kc.n_pat; i++) {
		size_t most = kc.m[i] < 9 ? kc.m[i] : 9;

		kc.head[i] = below(&seed, 2) ? below(&seed, most + 1) : 0;
		kc.tail[i] = below(&seed, 2) ? below(&seed, most + 1) : 0;
	}
}

static inline bool
run(void)
{
	struct kdiff_hits want = { 0 };
	bool good = true;

	if (!every_isa)
		return kcase_check(&kc, cpu_isa());
	vary();
	kcase_want(&kc, &want);
	for (size_t i = 0; good && i < n_isas(); i++)
		good = kcase_run(&kc, isas[i], &want);
	kdiff_hits_free(&want);
	return good;
}

static inline void
sweep(const char *name, bool (*one)(uint64_t), uint64_t rounds)
{
	rounds = lighter(rounds);
	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t was = seed = 88172645463325252ull + i * 7919;

		if (!one(i)) {
			ok(0, "%s: round %llu seed %llu n %zu m %zu k %zu "
			   "report %d hamming %d: %s", name,
			   (unsigned long long)i, (unsigned long long)was, kc.n,
			   kc.m[0], kc.k[0], kc.p.report, kc.p.hamming, kc.why);
			return;
		}
	}
	ok(1, "%s: %llu rounds", name, (unsigned long long)rounds);
}

/* Cut the text into segments with gaps; some report a part only. */
static inline void
cut(size_t gap)
{
	uint64_t at = 64 * below(&seed, 3);

	kc.n_seg = 0;
	while (kc.n_seg < CASE_SEGS && at <= kc.n) {
		struct kdiff_seg *g = &kc.seg[kc.n_seg++];
		uint64_t len = below(&seed, 3) ? below(&seed, 150) :
			       64 * below(&seed, 12);

		g->beg = at;
		g->end = at + len < kc.n ? at + len : kc.n;
		g->from = below(&seed, 3) ? 0 : at + below(&seed, len + 2);
		g->to = below(&seed, 3) ? UINT64_MAX :
			at + below(&seed, len + 2);
		at = (g->end + gap + 63) / 64 * 64 + 64 * below(&seed, 2);
	}
	if (kc.n_seg)
		kc.n = kc.seg[kc.n_seg - 1].end;
}

#endif
