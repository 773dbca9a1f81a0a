/* SPDX-License-Identifier: MIT */
/* primer_scan_frames.c - ends of a run to PRIMER frames */
#include <stdlib.h>

#include "scan/primer_scan_priv.h"

struct framer {
	const struct primer_scan *s;
	const struct whole_run *u;
	uint32_t number;	/* of the next frame */
	uint64_t *end[SEARCHES];	/* of a side; NULL: no such search */
	struct buf bytes;
	whole_put_fn *put;
	void *ctx;
};

static int
put_stretch(struct framer *f, const struct primer_side *d, uint64_t beg,
	    bool last, struct err *e)
{
	const struct query *q = &f->s->q->v[d->target];
	struct primer_part p = {
		.run = f->u->key,
		.receipt = { .scan = f->s->key, .number = f->number++,
			     .last = last, .unmerged = true,
			     .range = f->u->range, .n_ranges = f->u->n },
		.target = { d->target, d->n, q->name },
		.options = { (const char *)f->s->options.p,
			     f->s->options.n },
		.minus = d->minus, .beg = beg, .n = primer_starts(d->n, beg),
		.letters = d->letters + beg,
		.end = f->end[SEARCH_WHOLE] + beg,
		.end3 = f->end[SEARCH_TAIL] ? f->end[SEARCH_TAIL] + beg : NULL,
	};
	struct rec_frame *frame;
	int rc = primer_encode(&frame, &p, e);

	if (rc)
		return rc;
	f->bytes.n = 0;
	rc = rec_encode(&f->bytes, frame, e);
	rec_frame_drop(frame);
	return rc ? rc : f->put(f->ctx, &f->bytes, e);
}

static int
put_side(struct framer *f, size_t i, struct primer *const *search,
	 struct err *e)
{
	const struct primer_side *d = &f->s->side[i];
	bool last = i + 1 == f->s->n_sides;
	int rc = 0;

	for (int k = 0; k < SEARCHES; k++)
		if (search[k])
			primer_target_ends(search[k], i, f->end[k]);
	for (uint64_t beg = 0; beg < d->n && !rc; beg += PRIMER_SPLIT)
		rc = put_stretch(f, d, beg, last && d->n - beg <= PRIMER_SPLIT,
				 e);
	return rc;
}

int
primer_scan_frames(const struct primer_scan *s, const struct whole_run *u,
		   struct primer *const *search, whole_put_fn *put,
		   void *ctx, struct err *e)
{
	struct framer f = { .s = s, .u = u, .put = put, .ctx = ctx };
	size_t most = 0;
	int rc = 0;

	for (size_t i = 0; i < s->n_sides; i++)
		most = s->side[i].n > most ? s->side[i].n : most;
	for (int k = 0; k < SEARCHES && !rc; k++) {
		f.end[k] = search[k] ? malloc(most * sizeof **f.end) : NULL;
		if (search[k] && !f.end[k])
			rc = err_nomem(e, most * sizeof **f.end);
	}
	for (size_t i = 0; i < s->n_sides && !rc; i++)
		rc = put_side(&f, i, search, e);
	for (int k = 0; k < SEARCHES; k++)
		free(f.end[k]);
	buf_free(&f.bytes);
	return rc;
}
