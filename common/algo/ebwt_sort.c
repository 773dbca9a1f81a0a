/* SPDX-License-Identifier: MIT */
/* ebwt_sort.c - which engine sorts, and what memory a job needs */
#include "algo/ebwt_anchor.h"
#include "algo/ebwt_tile.h"
#include "base/minmax.h"

enum {
	PLAIN_BYTES = 24,	/* a rotation, sorted by comparisons */
	ORDER_BYTES = 54,	/* an anchor, while anchors are sorted */
	ANCHOR_BYTES = 17,	/* an anchor, when they are */
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

/*
 * Of minimizers among w there are 2 / (w + 1) a letter in random text; a
 * quarter more is room for most other.
 */
static struct ebwt_need
anchors_need(const struct ebwt *x, bool wants_offsets)
{
	uint64_t n = x->n_roots, c = x->n_classes, parts = ebwt_parts(x);
	uint64_t m, large, some;
	struct ebwt_plan p;

	ebwt_plan(&p, x);
	m = min_u64(n, n / (p.window + 1) * 5 / 2 + c + 1000);
	/* the largest bucket, and as much for each thread that sorts one */
	large = min_u64(n, (1 << 17) + n / 64) * ITEM_BYTES;
	some = n + 2 * p.letters * c + ROOM +
	       (sizeof(uint64_t) + sizeof(uint32_t)) * c;
	some += ebwt_threads(x, n) * large;
	some += (parts * sizeof(uint32_t) + sizeof(uint64_t)) <<
		ebwt_layout(x, &p, m, wants_offsets).bucket_bits;
	some += parts * sizeof(uint32_t) <<
		ebwt_bucket_bits(&p, m, ebwt_bits(m));
	return (struct ebwt_need){
		some + max_u64(ORDER_BYTES * m, ANCHOR_BYTES * m + large),
		some + max_u64(ORDER_BYTES * m, ANCHOR_BYTES * m +
			ITEM_BYTES * ebwt_batch_size(x)),
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
