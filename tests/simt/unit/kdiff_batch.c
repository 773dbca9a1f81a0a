/* SPDX-License-Identifier: MIT */
/*
 * kdiff_batch.c - texts of several chunks searched by a GPU as one: each has
 * what the textbook says of it alone, however many there are and whatever fits
 */
#include "tests/lib/heap.h"
#include "tests/lib/kdiff_rounds.h"
#include "scan/asm/asm.h"

enum { MOST = 24, ENOUGH = 1 << 17 };

/* One of the texts; its patterns are all others', too. */
static struct one {
	struct kcase c;
	uint8_t letters[3000];
	struct kcase_text t;
	struct asm_gpu_text x;
} ones[MOST];

static uint64_t n_found, n_alone, n_split;	/* texts; rounds */
static uint64_t n_missed;	/* texts that were left, but had room alone */

/* Some A become letters that match nothing: no set is needed for them, though
 * other texts have some. */
static void
strike(uint8_t *t, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (t[i] == 'A' && below(&seed, 9) == 0)
			t[i] = '*';
}

/* Nothing, a letter, words that are full or nearly so, several segments. */
static void
make_text(struct one *o, size_t gap)
{
	static const size_t sizes[] = { 0, 1, 2, 63, 64, 65, 127, 128, 129 };
	size_t n = below(&seed, 2) ? sizes[below(&seed, 9)] :
				     below(&seed, sizeof o->letters);

	kc.t = o->letters;
	kc.n = n;
	kc.n_seg = n > 0;
	kc.seg[0] = (struct kdiff_seg){ .end = n, .to = UINT64_MAX };
	fill(below(&seed, 2) ? RANDOM : (enum kind)below(&seed, N_KINDS),
	     o->letters, n);
	if (n && below(&seed, 3) == 0)
		cut(gap);
	for (size_t i = 0; i < kc.n_pat && kc.n; i++)
		plant(o->letters, below(&seed, kc.n + 1), kc.pat[i], kc.m[i],
		      kc.k[i]);
	if (below(&seed, 4) == 0)
		strike(o->letters, n);
	o->c = kc;
	o->t = kcase_text(&o->c);
	o->x = (struct asm_gpu_text){ .x = o->t.x };
}

static bool
right(struct one *o, const struct kdiff_set *set)
{
	struct kdiff_hits have = { 0 }, want = { 0 };
	struct kdiff_text x = o->x.x;
	struct kdiff_work *w;
	struct err e;
	bool good;

	x.found = o->x.is_found ? &o->x.found : NULL;
	if (kdiff_work_new(&w, &e) || kdiff_scan(set, &x, w, &have, &e))
		abort();
	kcase_want(&o->c, &want);
	good = kcase_same(&o->c, &have, &want, "gathered");
	memcpy(kc.why, o->c.why, sizeof kc.why);
	kdiff_hits_free(&have);
	kdiff_hits_free(&want);
	kdiff_work_free(w);
	return good;
}

/* All of them in one search, if it is not too much for the stream. */
static bool
search(const struct asm_gpu_params *p, size_t n)
{
	struct kdiff_set *set = kcase_set(&kc, cpu_isa());
	struct asm_gpu_text *text[MOST];
	uint64_t sum = 0, n_texts = 0;
	struct cuda_report r;
	struct asm_gpu *g;
	bool good = true;
	struct err e;

	if (asm_gpu_new(&g, set, p, &e))
		abort();
	for (size_t i = 0; i < n; i++)
		text[i] = &ones[i].x;
	asm_gpu_batch(g, text, n);
	cuda_pool_report(asm_gpu_pool(g), &r);
	for (size_t i = 0; i < n; i++) {
		sum += (text[i]->x.n + 63) / 64 * 64;
		n_texts += text[i]->is_found;
	}
	for (size_t i = 0; i < n; i++) {
		if (text[i]->is_found)
			continue;
		asm_gpu_batch(g, &text[i], 1);
		n_missed += text[i]->is_found;
	}
	for (size_t i = 0; i < n && good; i++)
		good = right(&ones[i], set);
	n_found += n_texts;
	n_alone += n - n_texts;
	n_split += n_texts > 0 && n_texts < n;
	if (good && p->hits == ENOUGH && n_texts != n)
		good = kcase_fail(&kc, "%s%s", r.failed, r.why_not);
	if (good && n_texts == n && r.letters != sum)
		good = kcase_fail(&kc, "%d letters, not %d", (int)r.letters,
				  (int)sum);
	asm_gpu_free(g);
	kdiff_set_free(set);
	return good;
}

static bool
gathered(uint64_t round)
{
	struct asm_gpu_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 }, .threads = 1,
		.letters = 64 * (9 + (uint32_t)below(&seed, 90)),
		.hits = ENOUGH,
	};
	size_t n = round % (MOST + 1), gap = 0;
	bool good;

	reset(1000);
	kc.p.hamming = below(&seed, 4) == 0;
	kc.p.iupac = round % 3 == 0;
	kc.engine = KDIFF_TEXT;
	kc.no_trace = true;
	if (round % 3 == 1)
		p.hits = 1 + (uint32_t)below(&seed, round % 2 ? 2 : 300);
	for (unsigned i = 1 + (unsigned)below(&seed, 3); i; i--) {
		size_t m = 1 + below(&seed, 64), k;

		k = below(&seed, below(&seed, 4) ? 1 + m / 5 : m);
		gap = k + 1 > gap ? k + 1 : gap;
		add_pattern(RANDOM, m, k);
	}
	for (size_t i = 0; i < n; i++)
		make_text(&ones[i], gap);
	good = search(&p, n);
	for (size_t i = 0; i < n; i++) {
		kcase_text_free(&ones[i].t);
		kdiff_hits_free(&ones[i].x.found);
	}
	return good;
}

static void *
some(void *ctx)
{
	for (uint64_t i = 5; i < 12; i++) {
		seed = i;
		ok(gathered(i), "again: round %u", (unsigned)i);
	}
	return ctx;
}

/* With an operand, a little: under a checker that is slow. */
int
main(int argc, char **argv)
{
	bool little = argc > 1 || getenv("SEQF_SIMT_LITTLE");

	(void)argv;
	if (!cuda_devices()) {
		printf("1..0 # SKIP %s\n", cuda_why_none());
		return 0;
	}
	sweep("gathered", gathered, fewer(little ? 25 : 200));
	heap_same(some, NULL);
	ok(n_missed * 100 < n_found &&
	   (little || (n_alone && n_split)), "%d texts found, %d left, %d in "
	   "vain, %d rounds with both", (int)n_found, (int)n_alone,
	   (int)n_missed, (int)n_split);
	return done();
}
