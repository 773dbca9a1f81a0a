/* SPDX-License-Identifier: MIT */
/*
 * merge_open.c - frames of receipts that are not all there yet
 *
 * What covers the same ranges in several frames counts when all have come.  If
 * some came to this merge and some to another, none of them must get lost: a
 * merge that writes records passes on, as they are, the frames of which it has
 * not all.  Their rows may be among those merged here, too: rows of all rules
 * but SCAN_SUM are the same however often they come, and sums have one frame.
 */
#include <stdlib.h>

#include "base/array.h"
#include "stream/merge_priv.h"

/* Of a scan of a run, by the hash of their ranges. */
struct open_scan {
	struct index groups;
	size_t n;
};

struct merge_group {
	struct open_scan *of;
	uint64_t ranges;
	struct rec_frame **frame;	/* by when they came */
	uint32_t *number;
	size_t n, cap, cap_number;
	size_t n_all;			/* 0: the last one has not come */
	size_t at;			/* in merge.open */
};

static void
forget(struct merge *m, struct merge_group *g)
{
	struct merge_group *last = m->open[--m->n_open];

	for (size_t i = 0; i < g->n; i++)
		rec_frame_drop(g->frame[i]);
	free(g->frame);
	free(g->number);
	*index_at(&g->of->groups, g->ranges, 0) = NULL;
	g->of->n--;
	m->open[g->at] = last;
	last->at = g->at;
	free(g);
}

void
merge_open_free(struct merge *m)
{
	while (m->n_open)
		forget(m, m->open[m->n_open - 1]);
	free(m->open);
	for (size_t i = 0; i < m->n_open_scans; i++) {
		index_free(&m->open_scan[i]->groups);
		free(m->open_scan[i]);
	}
	free(m->open_scan);
	index_free(&m->open_scans);
}

bool
merge_is_open(const struct merge *m, uint64_t run, uint64_t scan)
{
	const struct open_scan *s = index_get(&m->open_scans, run, scan);

	return s && s->n;
}

/* NULL: no memory. */
static struct open_scan *
scan_of(struct merge *m, uint64_t run, uint64_t scan, struct err *e)
{
	void **at = index_at(&m->open_scans, run, scan);

	if (!at || array_room(&m->open_scan, &m->cap_open_scans,
			      m->n_open_scans + 1, sizeof *m->open_scan, e))
		return NULL;
	if (!*at) {
		*at = calloc(1, sizeof(struct open_scan));
		if (*at)
			m->open_scan[m->n_open_scans++] = *at;
	}
	return *at;
}

/* The group of a receipt, perhaps a new one; NULL: no memory. */
static struct merge_group *
group_of(struct merge *m, uint64_t run, const struct receipt *r,
	 struct err *e)
{
	struct open_scan *s = scan_of(m, run, r->scan.id, e);
	uint64_t ranges = ranges_hash(r->range, r->n_ranges);
	void **at = s ? index_at(&s->groups, ranges, 0) : NULL;
	struct merge_group *g = at ? *at : NULL;

	if (!at || g)
		return g;
	if (array_room(&m->open, &m->cap_open, m->n_open + 1,
		       sizeof *m->open, e))
		return NULL;
	g = calloc(1, sizeof *g);
	if (!g)
		return NULL;
	*g = (struct merge_group){ .of = s, .ranges = ranges,
				   .at = m->n_open };
	s->n++;
	m->open[m->n_open++] = g;
	*at = g;
	return g;
}

static int
add(struct merge *m, struct rec_frame *f, uint64_t run,
    const struct receipt *r, struct err *e)
{
	struct merge_group *g = group_of(m, run, r, e);

	if (!g)
		return err_nomem(e, sizeof *g);
	if (array_room(&g->frame, &g->cap, g->n + 1, sizeof *g->frame, e) ||
	    array_room(&g->number, &g->cap_number, g->n + 1,
		       sizeof *g->number, e))
		return e->code;
	g->number[g->n] = r->number;
	g->frame[g->n++] = rec_frame_keep(f);
	if (r->last)
		g->n_all = (size_t)r->number + 1;
	if (g->n == g->n_all)
		forget(m, g);
	return 0;
}

int
merge_open_add(struct merge *m, struct rec_frame *f, struct err *e)
{
	struct run_key run;
	struct receipt r;
	int rc;

	if (m->p.format != FORMAT_REC)
		return 0;
	rc = result_head(f, &run, &r, e);
	if (rc < 0)
		return rc;
	if (r.scan.rule != SCAN_SUM && (r.number || !r.last))
		rc = add(m, f, run.id, &r, e);
	free(r.range);
	return rc;
}

static int
keep(struct merge *m, const struct merge_group *g, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < g->n && r == 0; i++)
		r = merge_keep(m, g->frame[i], g->number[i], e);
	return r;
}

int
merge_open_keep(struct merge *m, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < m->n_open && r == 0; i++)
		r = keep(m, m->open[i], e);
	return r;
}
