/* SPDX-License-Identifier: MIT */
/* ebwt_sort.c - which engine sorts, and what memory a job needs */
#include "algo/ebwt_anchor.h"
#include "algo/ebwt_tile.h"
#include "base/minmax.h"

enum {
	PLAIN_BYTES = 24,	/* a rotation, sorted by comparisons */
	ANCHOR_BYTES = 17,	/* an anchor, beside the slab */
	PLACE_BYTES = 5,	/* an anchor more, if offsets are wanted */
	ITEM_BYTES = 8,		/* a rotation */
	RANK_BYTES = 4,		/* a rotation, for entropy */
	LENGTHS_BYTES = (1 << 18) + 4200,	/* for entropy, two a thread */
	CLASS_BYTES = 8,	/* while pairs are counted */
	ROOM = 1 << 16,		/* for what is small */
};

int
ebwt_sort(struct ebwt *x, bool wants_offsets, ebwt_batch_fn *fn, void *arg,
	  struct err *e)
{
	bool served;
	int rc = ebwt_errand_sort(x, fn, arg, &served, e);

	if (rc || served)
		return rc;
	return x->par.engine == EBWT_PLAIN ?
		ebwt_sort_plain(x, wants_offsets, fn, arg, e) :
		ebwt_sort_anchors(x, wants_offsets, fn, arg, e);
}

/* Anchors of rotations [i, i + n) of a class; a class has one. */
static unsigned
count_anchors(const struct ebwt *x, const struct ebwt_plan *p,
	      const struct ebwt_class *c, uint32_t i, unsigned n)
{
	uint8_t t[1 + EBWT_BLOCK + 48 + EBWT_PAD] = { 0 };
	uint32_t out[EBWT_BLOCK + 16], at = (i ? i : c->n) - 1;
	unsigned m;

	for (unsigned k = 0; k < 1 + n + p->letters; k++) {
		t[k] = x->code[c->root[at]];
		at = at + 1 == c->n ? 0 : at + 1;
	}
	m = ebwt_ops()->anchors(p, t + 1, n, out);
	return m ? m : 1;
}

/* How many there will be, as of a hundred blocks of 2000 letters: within a
 * percent or so, for which a fiftieth more is room. */
static uint64_t
guess_anchors(const struct ebwt *x, const struct ebwt_plan *p)
{
	enum { BLOCKS = 100 };
	uint64_t step = max_u64(EBWT_BLOCK, x->n_roots / BLOCKS), at = 0;
	uint64_t base = 0, sample = 0, anchors = 0;
	double guess;

	for (size_t i = 0; i < x->n_classes; i++) {
		const struct ebwt_class *c = &x->class[i];

		for (; at < base + c->n; at += step) {
			uint32_t from = (uint32_t)(at - base);
			unsigned n = (unsigned)min_u64(c->n - from, EBWT_BLOCK);

			anchors += count_anchors(x, p, c, from, n);
			sample += n;
		}
		base += c->n;
	}
	guess = (double)anchors / (double)sample * (double)x->n_roots;
	return min_u64(x->n_roots, (uint64_t)(1.02 * guess) +
		       min_u64(x->n_classes, 1 << 16) + 1000);
}

static struct ebwt_need
anchors_need(const struct ebwt *x, bool wants_offsets)
{
	uint64_t n = x->n_roots, c = x->n_classes, parts = ebwt_parts(x);
	unsigned threads = ebwt_threads(x, n);
	uint64_t m, large, some, order;
	struct ebwt_plan p;

	ebwt_plan(&p, x);
	m = guess_anchors(x, &p);
	/* the largest bucket, and as much for each thread that sorts one */
	large = min_u64(n, (1 << 17) + n / 64) * ITEM_BYTES;
	some = n + 2 * p.letters * c + ROOM + ANCHOR_BYTES * m +
	       (sizeof(uint64_t) + sizeof(uint32_t)) * c;
	some += wants_offsets ? PLACE_BYTES * m : 0;
	some += threads * large;
	some += (parts * sizeof(uint32_t) + sizeof(uint64_t)) <<
		ebwt_layout(x, &p, m, wants_offsets).bucket_bits;
	some += parts * sizeof(uint32_t) <<
		ebwt_bucket_bits(&p, m, ebwt_bits(m));
	order = ebwt_slab_bytes(threads, m);
	return (struct ebwt_need){
		some + max_u64(order, large),
		some + max_u64(order, ITEM_BYTES * ebwt_batch_size(x)),
	};
}

struct ebwt_need
ebwt_need(const struct ebwt *x, const struct ebwt_pairs_job *job)
{
	uint64_t plain = PLAIN_BYTES * x->n_roots, more = x->used + ROOM;
	struct ebwt_need need = { plain, plain };

	if (x->par.engine != EBWT_PLAIN)
		need = anchors_need(x, !job);
	if (job) {
		uint64_t thread = ebwt_tile_bytes(x) +
				  sizeof(uint64_t) * x->n_classes;

		if (job->entropy) {
			thread += 2 * (LENGTHS_BYTES + x->n_rows / 8192);
			more += RANK_BYTES * x->n_roots;
		}
		more += ebwt_pairs_bytes(x, job);
		more += CLASS_BYTES * x->n_classes;
		more += thread * x->par.threads;
	}
	need.least += more;
	need.most += more;
	return need;
}
