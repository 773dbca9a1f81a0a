/* SPDX-License-Identifier: MIT */
/*
 * kdiff_rounds.h - cases for kdiff, a function a kind: the unit tests run some
 * of each, the soak test as many as time allows
 */
#ifndef SEQF_KDIFF_ROUNDS_H
#define SEQF_KDIFF_ROUNDS_H

#include "tests/lib/kdiff_gen.h"

/* Every k and many m over small texts of every size. */
static inline bool
small(uint64_t round)
{
	static const size_t sizes[] = { 0, 1, 2, 63, 64, 65, 127, 128, 255,
		256, 257, 511, 512, 513, 1023, 1025, 2047, 2048, 2049 };
	size_t n = round % 2 ? below(&seed, 700) : sizes[round / 2 % 19];
	enum kind kind = below(&seed, N_KINDS);
	size_t n_pat = 1 + below(&seed, 3);

	reset(n);
	kc.p.iupac = below(&seed, 3) == 0;
	kc.p.hamming = below(&seed, 4) == 0;
	fill(kind, letters, n);
	for (size_t i = 0; i < n_pat; i++) {
		size_t m = 1 + below(&seed, below(&seed, 4) ? 40 : 200);

		add_pattern(kind, m, below(&seed, below(&seed, 2) ? m :
						  1 + m / 5));
	}
	return run();
}

static inline bool
segments(uint64_t round)
{
	enum kind kind = round % N_KINDS;
	size_t m = 1 + below(&seed, 60), k = below(&seed, m), gap = k + 1;

	reset(500 + below(&seed, 6000));
	kc.p.iupac = below(&seed, 3) == 0;
	kc.p.hamming = below(&seed, 4) == 0;
	fill(kind, letters, kc.n);
	add_pattern(kind, m, k);
	if (below(&seed, 2)) {
		m = 1 + below(&seed, 30);
		k = below(&seed, m);
		gap = k + 1 > gap ? k + 1 : gap;
		add_pattern(kind, m, k);
	}
	cut(gap);
	return run();
}

/* Early exits: long patterns of few differences, many superblocks. */
static inline bool
exits(uint64_t round)
{
	enum kind kind = round % N_KINDS;
	size_t m, k = below(&seed, 6);

	reset(3000 + below(&seed, round % 8 ? 5000 : 60000));
	fill(kind, letters, kc.n);
	m = 8 + 3 * k + below(&seed, 120);
	add_pattern(kind, m, k);
	if (below(&seed, 2))
		add_pattern(kind, 20 + below(&seed, 20), 3);
	kc.no_trace = kc.n > 9000;
	return run();
}

/* Letters other than DNA, distances beyond a byte, m beyond the text. */
static inline bool
others(uint64_t round)
{
	static const char aa[] = "ARNDCQEGHILKMFPSTWYVarnBZX*- ";
	size_t m = 1 + below(&seed, round % 3 ? 50 : 900);
	size_t k = below(&seed, 2) ? m - 1 : below(&seed, m);
	int range = round % 2 ? 4 : 200;

	reset(below(&seed, 1500));
	kc.p.hamming = below(&seed, 3) == 0;
	kc.p.alphabet = below(&seed, 2) ? KDIFF_PROTEIN : KDIFF_BYTES;
	if (round % 3 == 0)
		kc.p.alphabet = KDIFF_DNA;
	for (size_t i = 0; i < kc.n + m; i++) {
		uint8_t *x = i < kc.n ? &letters[i] : &store[i - kc.n];

		*x = kc.p.alphabet == KDIFF_BYTES ?
		     (uint8_t)below(&seed, range) :
		     letter(aa, i < kc.n ? 29 : 25);
		if (kc.p.alphabet == KDIFF_DNA)
			*x = letter("ACGT", 4);
	}
	one_pattern(store, m, k);
	if (kc.p.alphabet != KDIFF_DNA || kc.n > 2 * m)
		for (size_t i = 0; i < 4; i++)
			plant(letters, below(&seed, kc.n + 1), store, m,
			      kc.p.alphabet == KDIFF_DNA ? k / 4 : 0);
	return run();
}

/*
 * Long runs of equal D, across words, that begin by a rise or a fall: one
 * letter, and others at distances around m.
 */
static inline bool
plateaus(uint64_t round)
{
	size_t m = 1 + below(&seed, round % 2 ? 24 : 250), at = 0;
	size_t k = below(&seed, m < 8 || below(&seed, 2) ? m : 8);

	reset(500 + below(&seed, 8000));
	kc.p.report = KDIFF_MINIMA;
	memset(letters, 'A', kc.n);
	while (at < kc.n) {
		uint64_t r = below(&seed, 4);

		if (r == 2)	/* D rises to 1 and stays, see below */
			for (at += m; at + m < kc.n && below(&seed, 3);)
				letters[at++] = 'C', at += m - 1;
		else
			at += r == 0 ? m - 1 + below(&seed, 3) :
			      r == 1 ? m / 2 + below(&seed, m / 2 + 1) :
				       below(&seed, 3 * m + 150);
		for (size_t i = below(&seed, 3); at < kc.n && i; i--)
			letters[at++] = 'C';
		/* changes everywhere: the run's end is all that is flat */
		for (size_t i = r == 2 ? 70 : 0; at < kc.n && i; i--)
			letters[at++] = letter("AC", 2);
	}
	memset(store, 'A', m);
	if (below(&seed, 2))
		store[below(&seed, m)] = 'C';
	one_pattern(store, m, k);
	kc.no_trace = true;
	return run();
}

/* Scan letters [at, end) alone, append the ends from..to to h. */
static inline void
part(struct kdiff_hits *h, size_t at, size_t end, uint64_t from, uint64_t to)
{
	struct kdiff_set *set = kcase_set(&kc, one_isa());
	struct kdiff_hits own = { 0 };
	struct kdiff_work *w;
	struct kcase_text t;
	struct err e;

	kc.t = letters + at;
	kc.n = end - at;
	kc.seg[0] = (struct kdiff_seg){
		.end = kc.n, .from = from > at ? from - at : 0,
		.to = to == UINT64_MAX ? to : to - at,
	};
	t = kcase_text(&kc);
	if (kdiff_context(set) != (kc.p.report == KDIFF_MINIMA ? 2 : 1) *
	    kc.m[0] + kc.k[0] || kdiff_work_new(&w, &e) < 0 ||
	    kdiff_scan(set, &t.x, w, &own, &e) < 0)
		abort();
	for (size_t i = 0; i < own.n; i++)
		kcase_put(h, own.v[i].end + at, own.v[i].dist, 0);
	kdiff_hits_free(&own);
	kdiff_work_free(w);
	kdiff_set_free(set);
	kcase_text_free(&t);
}

/* Wherever a text is cut, with context enough, the parts give the whole. */
static inline bool
chunks(uint64_t round)
{
	struct kdiff_hits want = { 0 };
	size_t m = 1 + below(&seed, 30), k = below(&seed, m), n, at = 0, ctx;
	bool good = true;

	reset(n = 64 + below(&seed, 400));
	fill(round % N_KINDS, letters, n);
	add_pattern(round % N_KINDS, m, k);
	kcase_want(&kc, &want);
	ctx = kc.p.report == KDIFF_MINIMA ? 2 * m + k : m + k;
	for (size_t cutat = 1; good && cutat < n; cutat += 1 + n / 90) {
		struct kdiff_hits h = { 0 };

		/* the left part owns ends below cutat, the right the rest */
		part(&h, 0, cutat, 0, cutat - 1);
		at = cutat > ctx ? cutat - ctx : 0;
		part(&h, at, n, cutat, UINT64_MAX);
		good = kcase_same(&kc, &h, &want, "cut");
		kdiff_hits_free(&h);
	}
	kdiff_hits_free(&want);
	return good;
}

#endif
