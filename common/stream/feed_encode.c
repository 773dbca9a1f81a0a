/* SPDX-License-Identifier: MIT */
/* feed_encode.c - raw chunks to frames, and what END sums up */
#include <stdlib.h>

#include "stream/feed_in.h"
#include "stream/rec.h"

/* What END needs of a chunk that is not wanted. */
static void
digest_only(struct feed_item *it)
{
	const struct chunk_raw *c = &it->cut->raw;

	for (size_t i = 0; i < c->n_rows; i++) {
		const struct chunk_row *r = &c->row[i];
		size_t n = (size_t)(r->own_end - r->own_beg);

		it->owned += n;
		it->digest += digest_row(c->letters + r->at +
					 (r->own_beg - r->beg), n, r->ordinal,
					 r->own_beg, &r->name);
	}
}

int
feed_encode(struct feed_item *it, struct err *e)
{
	struct feed_cut *c = it->cut;
	int rc = 0;

	if (it->kind != FEED_RAW || !c->raw.row)
		return 0;
	if (it->skip && !c->raw.prob)
		digest_only(it);
	else
		rc = chunk_encode(&it->frame, &c->raw, &it->owned, &it->digest,
				  e);
	if (it->skip && it->frame) {
		rec_frame_drop(it->frame);
		it->frame = NULL;
	}
	/* letters are much; the run is still to be accounted to */
	buf_free(&c->letters);
	buf_free(&c->names);
	free(c->raw.row);
	memset(&c->raw, 0, sizeof c->raw);
	return rc;
}

int
feed_account(struct feed *f, struct feed_item *it, struct err *e)
{
	struct feed_run *run = it->cut ? it->cut->run : NULL;
	struct run_end end;

	(void)f;
	if (it->kind == FEED_RAW) {
		run->chunks++;
		run->owned += it->owned;
		run->digest += it->digest;
	}
	if (it->kind != FEED_END)
		return 0;
	end = (struct run_end){ run->key, run->chunks, run->sequences,
				run->owned, run->digest, true };
	return end_encode(&it->frame, &end, e);
}

void
feed_drop(struct feed_item *it)
{
	rec_frame_drop(it->frame);
	feed_cut_free(it->cut);
	memset(it, 0, sizeof *it);
}
