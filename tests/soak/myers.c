/* SPDX-License-Identifier: MIT */
/*
 * myers.c - the scan against an independent scalar program on a long text
 * Source of that: Myers, J. ACM 46(3), 1999, figure 3, with the bits along the
 * pattern; written apart from the library.
 *
 * usage: myers [LETTERS [SEED [random|repeats [auto|text|patterns|filter]]]]
 * All ends and minima of patterns of several lengths: their numbers and a hash
 * of (end, distance) must be equal.  The text comes from a seeded generator,
 * block by block; it is never whole in memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kdiff/kdiff.h"
#include "base/cpu.h"
#include "letters/letters.h"
#include "tests/lib/splitmix.h"

enum { BLOCK = 1 << 22, ROOM = 4096, BACK = 1 << 10, N_PAT = 8 };

static const struct {
	size_t m, k;
} sizes[N_PAT] = {
	{ 20, 3 }, { 20, 3 }, { 32, 3 }, { 12, 2 },
	{ 16, 6 }, { 24, 5 }, { 40, 12 }, { 64, 24 },
};

/* A list of ends, without the list. */
struct digest {
	uint64_t n, hash;
};

struct textbook {
	uint64_t peq[4], pv, mv, top;
	size_t m, k, d;
	/* the run of equal distances that the last letter is in */
	size_t value, length;
	bool fell;		/* into it */
	struct digest all, minima;
};

static uint64_t state, period, left, word;
static unsigned n_bits;
static bool repeats;
static uint8_t pattern[N_PAT][64], ring[BACK];

static void
stop(const char *why)
{
	fprintf(stderr, "myers: %s\n", why);
	exit(2);
}

static unsigned
two_bits(void)
{
	if (!n_bits) {
		word = splitmix(&state);
		n_bits = 64;
	}
	n_bits -= 2;
	return (unsigned)(word >> n_bits) & 3;
}

/* Repeats: stretches of short and long periods, with rare differences. */
static unsigned
next_letter(uint64_t i)
{
	unsigned c = two_bits();

	if (!repeats)
		return c;
	if (!left--) {
		uint64_t r = splitmix(&state);

		period = r & 1 ? 1 + (r >> 8) % 12 : r & 2 ? 0 :
			 1 + (r >> 8) % (BACK - 1);
		left = (r >> 32) % 600;
	}
	if (period && i >= period && splitmix(&state) % 80)
		c = ring[(i - period) % BACK];
	ring[i % BACK] = (uint8_t)c;
	return c;
}

static void
add(struct digest *d, uint64_t end, uint64_t dist)
{
	d->n++;
	d->hash = (d->hash ^ (end << 8 ^ dist)) * 0x100000001b3;
	d->hash ^= d->hash >> 29;
}

static void
textbook_new(struct textbook *t, const uint8_t *p, size_t m, size_t k)
{
	*t = (struct textbook){
		.pv = ~0ull, .top = 1ull << (m - 1), .m = m, .k = k, .d = m,
		.value = m, .length = 1,
	};
	for (size_t i = 0; i < m; i++)
		t->peq[p[i]] |= 1ull << i;
}

static void
run_ends(struct textbook *t, uint64_t end)
{
	if (t->value <= t->k && (t->fell || t->length > t->m))
		add(&t->minima, end, t->value);
}

/* D(j) of the next letter; the ends it settles. */
static inline void
textbook_letter(struct textbook *t, uint64_t j, unsigned letter)
{
	uint64_t eq = t->peq[letter], xv = eq | t->mv, ph, mh;
	uint64_t xh = (((eq & t->pv) + t->pv) ^ t->pv) | eq;

	ph = t->mv | ~(xh | t->pv);
	mh = t->pv & xh;
	t->d += (ph & t->top) != 0;
	t->d -= (mh & t->top) != 0;
	ph <<= 1;	/* D(0, j) = 0: nothing rises along the top */
	mh <<= 1;
	t->pv = mh | ~(xv | ph);
	t->mv = ph & xv;
	if (t->d <= t->k)
		add(&t->all, j, t->d);
	if (t->d == t->value) {
		t->length++;
		return;
	}
	if (t->d > t->value)
		run_ends(t, j - 1);
	t->fell = t->d < t->value;
	t->value = t->d;
	t->length = 1;
}

static enum kdiff_engine
engine_of(const char *name)
{
	return *name == 't' ? KDIFF_TEXT : *name == 'p' ? KDIFF_PATTERNS :
	       *name == 'f' ? KDIFF_FILTER : KDIFF_AUTO;
}

struct ours {
	struct kdiff_set *set;
	struct kdiff_work *work;
	struct kdiff_hits hits;
	uint64_t *planes;
	struct digest found[N_PAT];
	double seconds;
};

static void
ours_new(struct ours *o, enum kdiff_report report, const char *engine)
{
	struct kdiff_params p = { .alphabet = KDIFF_DNA, .report = report };
	uint8_t s[64];
	struct err e;

	memset(o, 0, sizeof *o);
	o->planes = malloc(dna_words(ROOM + BLOCK) * 8);
	if (!o->planes || kdiff_work_new(&o->work, &e) < 0 ||
	    kdiff_set_new(&o->set, &p, &e) < 0)
		stop("no memory");
	kdiff_set_engine(o->set, engine_of(engine));
	for (int i = 0; i < N_PAT; i++) {
		for (size_t j = 0; j < sizes[i].m; j++)
			s[j] = (uint8_t)"ACGT"[pattern[i][j]];
		if (kdiff_set_add(o->set, s, sizes[i].m, sizes[i].k, &e) < 0)
			stop(e.text);
	}
	if (kdiff_context(o->set) > ROOM)
		stop("ROOM is too small");
}

/*
 * text: ROOM letters before letter beg, then n.  A block owns the ends
 * beg .. beg + n - 1, whose next letter it has; the last one also its end.
 */
static void
ours_block(struct ours *o, const uint8_t *text, uint64_t beg, size_t n,
	   bool last)
{
	size_t skip = beg ? 0 : ROOM, len = ROOM + n - skip;
	uint64_t base = beg + skip - ROOM;
	struct kdiff_seg g = { .end = len, .from = beg - base,
			       .to = len - !last };
	struct kdiff_text x = {
		.n = len, .planes = o->planes, .seg = &g, .n_seg = 1,
	};
	struct timespec a, b;
	struct err e;

	memset(o->planes, 0, dna_words(len) * 8);
	for (size_t i = 0; i < len; i++) {
		uint64_t c = text[skip + i], *w = o->planes + i / 64 * 2;

		w[0] |= (c & 1) << i % 64;
		w[1] |= (c >> 1) << i % 64;
	}
	o->hits.n = 0;
	clock_gettime(CLOCK_MONOTONIC, &a);
	if (kdiff_scan(o->set, &x, o->work, &o->hits, &e) < 0)
		stop(e.text);
	clock_gettime(CLOCK_MONOTONIC, &b);
	o->seconds += (double)(b.tv_sec - a.tv_sec) +
		      (double)(b.tv_nsec - a.tv_nsec) * 1e-9;
	for (size_t i = 0; i < o->hits.n; i++) {
		const struct kdiff_hit *h = &o->hits.v[i];

		add(&o->found[h->pattern], base + h->end, h->dist);
	}
}

static void
ours_free(struct ours *o)
{
	kdiff_hits_free(&o->hits);
	kdiff_work_free(o->work);
	kdiff_set_free(o->set);
	free(o->planes);
}

static void
patterns(struct textbook *t)
{
	for (int i = 0; i < N_PAT; i++) {
		for (size_t j = 0; j < sizes[i].m; j++)
			pattern[i][j] = (uint8_t)(repeats && j > 4 && i % 2 ?
				pattern[i][j - 1 - i % 5] : two_bits());
		textbook_new(&t[i], pattern[i], sizes[i].m, sizes[i].k);
	}
}

static int
verdict(const struct textbook *t, const struct ours *o)
{
	int bad = 0;

	for (int i = 0; i < N_PAT; i++)
		for (int r = 0; r < 2; r++) {
			const struct digest *want = r ? &t[i].minima :
						    &t[i].all;
			const struct digest *have = &o[r].found[i];
			bool same = want->n == have->n &&
				    want->hash == have->hash;

			bad += !same;
			printf("m=%zu k=%zu %s: %llu ends, hash %016llx: %s\n",
			       sizes[i].m, sizes[i].k, r ? "minima" : "all",
			       (unsigned long long)have->n,
			       (unsigned long long)have->hash,
			       same ? "equal" : "DIFFERENT");
		}
	return bad;
}

int
main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000000;
	const char *engine = argc > 4 ? argv[4] : "auto";
	uint8_t *text = malloc(ROOM + BLOCK);
	struct textbook t[N_PAT];
	struct ours o[2];
	int bad;

	state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	repeats = argc > 3 && !strcmp(argv[3], "repeats");
	if (!text)
		stop("no memory");
	patterns(t);
	ours_new(&o[0], KDIFF_ALL, engine);
	ours_new(&o[1], KDIFF_MINIMA, engine);
	for (uint64_t at = 0; at < n; at += BLOCK) {
		size_t len = n - at < BLOCK ? (size_t)(n - at) : BLOCK;

		for (size_t i = 0; i < len; i++)
			text[ROOM + i] = (uint8_t)next_letter(at + i);
		for (int p = 0; p < N_PAT; p++)
			for (size_t i = 0; i < len; i++)
				textbook_letter(&t[p], at + i + 1,
						text[ROOM + i]);
		ours_block(&o[0], text, at, len, at + len == n);
		ours_block(&o[1], text, at, len, at + len == n);
		memmove(text, text + BLOCK, ROOM);
	}
	for (int i = 0; i < N_PAT; i++)
		run_ends(&t[i], n);
	printf("%llu letters (%s), seed %s, %s, %s, %.1f s of ours:\n",
	       (unsigned long long)n, repeats ? "repeats" : "random",
	       argc > 2 ? argv[2] : "1", cpu_isa_name(cpu_isa()), engine,
	       o[0].seconds + o[1].seconds);
	bad = verdict(t, o);
	ours_free(&o[0]);
	ours_free(&o[1]);
	free(text);
	return bad != 0;
}
