/* SPDX-License-Identifier: MIT */
/*
 * ebwt.c - rotations sorted and pairs counted on a device or emulated: the
 * listing and distances against the reference engine; a device that fails
 */
#include "tests/lib/ebwt_gen.h"
#include "tests/lib/gpu_case.h"
#include "cuda/ebwt.h"

static struct ebwt_backend backend;

static const struct ebwt_backend *
begin(void)
{
	struct cuda_ebwt_params p = {
	    .choice = {.kind = CUDA_THESE, .n = 1},
	    .how.kernel = below(&seed, 3)   ? EBWT_DEV_FAST
			  : below(&seed, 2) ? EBWT_DEV_PAPER
					    : EBWT_DEV_BITONIC,
	    .how.letters = below(&seed, 3) ? 1 + (unsigned)below(&seed, 8) : 0,
	};
	struct err e;

	gpu_free();
	gpu_made(cuda_ebwt_new(&gpu, &p, &e), &e);
	backend = cuda_ebwt_backend(gpu);
	return &backend;
}

struct rows {
	struct ebwt_row row[EGEN_WORDS * EGEN_LETTERS];
	size_t n;
};

static int
keep(void *arg, const struct ebwt_row *row, size_t n, struct err *e)
{
	struct rows *r = arg;

	(void)e;
	for (size_t i = 0; i < n; i++)
		r->row[r->n++] = row[i];
	return 0;
}

static struct ebwt *
set_of(const struct ebwt_word *w, size_t n, const struct ebwt_backend *h)
{
	struct ebwt_params par = {
		.engine = h ? EBWT_AUTO : EBWT_PLAIN, .threads = 1,
		.backend = h, .origin = h ? below(&seed, 1000) : 0,
	};
	struct ebwt *x;
	struct err e;

	if (ebwt_new(&x, w, n, &par, &e))
		abort();
	return x;
}

static bool
same_rows(const struct ebwt_word *w, size_t n, const struct ebwt_backend *h)
{
	static struct rows want, have;
	struct ebwt *a = set_of(w, n, NULL), *b = set_of(w, n, h);
	struct err e;
	bool good;

	want.n = have.n = 0;
	good = !ebwt_list(a, keep, &want, &e) && !ebwt_list(b, keep, &have, &e);
	good = good && want.n == have.n;
	for (size_t i = 0; i < want.n && good; i++) {
		const struct ebwt_row *r = &want.row[i], *s = &have.row[i];

		good = r->word == s->word && r->offset == s->offset &&
		       r->last == s->last && r->tied == s->tied;
	}
	ebwt_delete(a);
	ebwt_delete(b);
	return good;
}

static bool
same_some(const struct ebwt_word *w, size_t n, size_t q,
	  const struct ebwt_backend *h)
{
	struct ebwt *a = set_of(w, n, NULL), *b = set_of(w, n, h);
	struct ebwt_pairs_job job = { .n_queries = q,
				      .entropy = below(&seed, 3) == 0 };
	struct ebwt_pairs *p = NULL, *o = NULL;
	struct err e;
	bool good = !ebwt_pairs_new(&p, a, &job, &e) &&
		    !ebwt_pairs_new(&o, b, &job, &e);

	for (size_t i = 0; i < (q ? q : n) && good; i++)
		for (size_t j = q; j < n && good; j++)
			good = ebwt_delta(p, i, j) == ebwt_delta(o, i, j) &&
			       (!job.entropy ||
				ebwt_distance(p, EBWT_DE, i, j) ==
				ebwt_distance(o, EBWT_DE, i, j));
	ebwt_pairs_delete(p);
	ebwt_pairs_delete(o);
	ebwt_delete(a);
	ebwt_delete(b);
	return good;
}

static bool
same_pairs(const struct ebwt_word *w, size_t n, const struct ebwt_backend *h)
{
	return same_some(w, n, below(&seed, 3) ? 0 : below(&seed, n), h);
}

static void
small(uint64_t rounds)
{
	static struct eset s;
	uint64_t i = 0;
	bool good = true;

	for (; i < rounds && good; i++) {
		egen(&s, below(&seed, 1ull << 40), 1 + below(&seed, 60));
		good = same_rows(s.word, s.n, begin());
		good = good && same_pairs(s.word, s.n, begin());
	}
	ok(good, "%d multisets as the reference has them", (int)i);
}

/* More words than a warp has columns; more rows than one has of them. */
static void
many(size_t n, size_t len)
{
	uint8_t *s = malloc(n * len);
	struct ebwt_word *w = malloc(n * sizeof *w);

	if (!s || !w)
		abort();
	for (size_t i = 0; i < n * len; i++)	/* near-identical words */
		s[i] = i < len || !below(&seed, 50) ?
			       (uint8_t)"ACGT"[below(&seed, 4)] : s[i - len];
	for (size_t i = 0; i < n; i++)
		w[i] = (struct ebwt_word){ s + i * len, len - i % 3 };
	ok(same_pairs(w, n, begin()), "%zu words of %zu letters", n, len);
	free(s);
	free(w);
}

/* A pattern against all words of a sequence in some of whose positions two
 * letters may stand, as the source has it, by each kernel. */
static void
weighted(void)
{
	enum { PATTERN = 6, LEN = 26, BLACK = 5, WORDS = 1 << BLACK };
	static uint8_t s[PATTERN + WORDS * LEN];
	struct ebwt_word w[1 + WORDS] = { { s, PATTERN } };
	unsigned k = EBWT_DEV_FAST;
	bool good = true;

	for (size_t i = 0; i < sizeof s; i++)
		s[i] = i < PATTERN + LEN ? (uint8_t)"ACGT"[below(&seed, 4)] :
					   s[i - LEN];
	for (size_t i = 0; i < WORDS; i++) {
		uint8_t *to = s + PATTERN + i * LEN;

		for (unsigned b = 0; b < BLACK; b++)
			if (i >> b & 1)
				to[5 * b] = to[5 * b] == 'A' ? 'C' : 'A';
		w[1 + i] = (struct ebwt_word){ to, LEN };
	}
	for (; k <= EBWT_DEV_BITONIC && good; k++) {
		struct cuda_ebwt_params p = {
			.choice = { .kind = CUDA_THESE, .n = 1 },
			.how.kernel = (enum ebwt_dev_kernel)k,
		};
		struct cuda_report r;
		struct err e;

		gpu_free();
		gpu_made(cuda_ebwt_new(&gpu, &p, &e), &e);
		backend = cuda_ebwt_backend(gpu);
		good = same_some(w, 1 + WORDS, 1, &backend);
		cuda_pool_report(gpu, &r);
		good = good && r.letters >= WORDS * LEN;
	}
	ok(good, "a pattern against words of a weighted sequence, by %u "
	   "kernels", k);
}

int
main(int argc, char **argv)
{
	uint64_t part = gpu_part(argc, 8);

	(void)argv;
	if (!gpu_there())
		return 0;
	small(fewer(40 / part) + 2);
	weighted();
	many(70, 20);
	many(3, 3000 / part);
	gpu_free();
	ok(n_letters > 2000 / part, "%llu letters by the device",
	   (unsigned long long)n_letters);
	return done();
}
