/* SPDX-License-Identifier: MIT */
/* merge_table.c - primers and distances on their way through a merge */
#include "stream/merge_priv.h"

static int
take_primer(struct merge *m, const struct rec_frame *f, struct err *e)
{
	const struct topk_params *p = &m->p.topk;
	struct primer_part part;
	int r;

	if (p->n || p->no_overlap.unit)
		return err_set(e, ERR_USAGE, "PRIMER frames: not with -n or "
			       "--no-overlap, each start has one primer");
	r = primer_view(&part, f, e);
	if (r < 0)
		return r;
	r = merge_kind(m, part.run.id, part.receipt.scan.id, SCAN_PRIMERS, e);
	if (r >= 0)
		r = primers_add(m->primers, &part, e);
	primer_free(&part);
	return r;
}

static int
take_dist(struct merge *m, const struct rec_frame *f, struct err *e)
{
	const struct topk_params *p = &m->p.topk;
	struct dist d;
	int r;

	if (p->no_overlap.unit ||
	    (p->n && p->per != PER_QUERY && p->per != PER_ALL))
		return err_set(e, ERR_USAGE, "DIST frames: only with "
			       "--per=query or --per=all, and not with "
			       "--no-overlap");
	r = dist_view(&d, f, e);
	if (r < 0)
		return r;
	r = merge_kind(m, d.run.id, d.receipt.scan.id, SCAN_DISTS, e);
	if (r >= 0)
		r = dists_add(m->dists, &d, e);
	dist_free(&d);
	return r;
}

int
merge_take_table(struct merge *m, const struct rec_frame *f, struct err *e)
{
	return f->type == REC_PRIMER ? take_primer(m, f, e) :
				       take_dist(m, f, e);
}

int
merge_finish_tables(struct merge *m, struct err *e)
{
	const struct topk_params *t = &m->p.topk;
	struct dists_params p = {
		.n = t->n, .all = t->per == PER_ALL, .ties = t->keep_ties,
		.position = t->sort == SORT_POSITION, .by_run = t->by_run,
	};
	int r = primers_finish(m->primers, e);

	if (r == 0 && !t->partial)
		r = primers_check(m->primers, e);
	return r == 0 ? dists_finish(m->dists, &p, e) : r;
}

static int
put_frame(void *out, struct rec_frame *f, struct err *e)
{
	return merge_put(out, f, e);
}

int
merge_put_table(struct merge *m, struct out *o, unsigned kind,
		const struct run_key *run, const struct receipt *t,
		struct err *e)
{
	/* all of it is in frames that go on as they are */
	if (!t->n_ranges && merge_is_open(m, run->id, t->scan.id))
		return 0;
	if (kind == SCAN_PRIMERS)
		return primers_frames(m->primers, run, t, put_frame, o, e);
	/* without serials there is no sequence, and no distance */
	return t->n_ranges ?
	    dists_frames(m->dists, run, t, put_frame, o, e) : 0;
}
