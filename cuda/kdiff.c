/* SPDX-License-Identifier: MIT */
/* kdiff.c - the GPU backend of kdiff: a pool of streams */
#include "cuda/kdiff.h"

#include "base/base.h"

/*
 * A piece has so many letters for each thread that the device holds, and room
 * for a hit every few.  For 16 Mi letters that is 6 MB, with exceptions, or 14
 * with sets, and 8 MB of hits, on both sides; where that is too much memory,
 * half of it is tried, down to the least.
 */
enum { EACH = 64, HIT_EVERY = 16, USUAL_LETTERS = 16 << 20,
       MAX_LETTERS = 64 << 20, FEW_LETTERS = 1 << 20,
       MIN_LETTERS = 64 << 10, MIN_HITS = 4 << 10 };

/*
 * Letters x patterns that a thread which the device holds has in a launch: a
 * fifth of a second for our kernels, about one for the source's (predicted).  A
 * screen's driver ends those of two, and others wait as long.
 */
enum { LAUNCH_EACH = 1 << 20 };

/* Operations of a letter and a pattern, and some; with mismatches fewer. */
enum { OPS = 12 };

static uint32_t
usual_letters(uint32_t threads)
{
	return (uint32_t)max_u64(FEW_LETTERS, min_u64(MAX_LETTERS, EACH *
						      (uint64_t)threads));
}

/* Letters and hits that a stream should have. */
static void
set_size(const struct cuda_kdiff_params *p, unsigned halved,
	 struct kdiff_dev_setup *u)
{
	uint32_t threads = u->device->threads;

	u->letters = p->letters ? p->letters : usual_letters(threads);
	u->hits = p->hits ? p->hits : u->letters / HIT_EVERY;
	u->launch = p->launch ? p->launch : LAUNCH_EACH * (uint64_t)threads;
	for (; halved && u->letters / 2 >= MIN_LETTERS; halved--) {
		u->letters = u->letters / 128 * 64;
		if (u->hits / 2 >= MIN_HITS)
			u->hits /= 2;
	}
}

static int
open_stream(const void *ctx, const struct cuda_device *d, unsigned halved,
	    void **stream, struct err *e)
{
	const struct cuda_kdiff_params *p = ctx;
	struct kdiff_dev_setup u = {
		.device = d, .hamming = p->hamming, .sets = p->sets,
		.kernel = p->kernel, .pattern = p->pattern, .n = p->n,
	};
	struct kdiff_dev_stream *s;
	int rc;

	set_size(p, halved, &u);
	rc = kdiff_dev.open(&s, &u, e);
	*stream = s;
	return rc;
}

static uint64_t
letters_of(const void *stream)
{
	return ((const struct kdiff_dev_stream *)stream)->letters;
}

int
cuda_kdiff_new(struct cuda_pool **out, const struct cuda_kdiff_params *p,
	       struct err *e)
{
	struct cuda_pool_params pool = {
		.choice = p->choice, .wait = p->wait, .ctx = p,
		.ctx_bytes = sizeof *p, .open = open_stream,
		.close = kdiff_dev.close, .fill = letters_of,
		.usual = USUAL_LETTERS,
		.ops = OPS * p->rate, .ops_without = OPS * p->rate,
		.none = p->n ? NULL : "no patterns that it should search",
	};

	for (uint32_t n = p->letters ? p->letters : MAX_LETTERS;
	     n / 2 >= MIN_LETTERS; n /= 2)
		pool.halvings++;
	return cuda_pool_new(out, &pool, e);
}

int
cuda_kdiff_find(struct cuda_pool *pool, const struct kdiff_text *t, bool alone,
		struct kdiff_hits *out, struct err *e)
{
	const struct cuda_kdiff_params *p = cuda_pool_ctx(pool);
	struct cuda_lent l;
	bool all = false;
	int rc;

	if (!cuda_pool_borrow(pool, t->n * p->n, &l))
		return KDIFF_NOT_NOW;
	rc = cuda_kdiff_text(l.stream, t, out, &all, e);
	if (!rc && !all && alone)
		cuda_pool_stop(pool, "too many matches");
	cuda_pool_return(pool, &l, rc, all ? t->n : 0, e);
	return rc == ERR_DEVICE || (!rc && !all) ? KDIFF_NOT_NOW : rc;
}
