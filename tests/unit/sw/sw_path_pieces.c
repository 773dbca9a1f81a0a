/* SPDX-License-Identifier: MIT */
/*
 * sw_path_pieces.c - paths followed to their starts are not computed again
 */
#include "tests/lib/sw_paths.h"
#include "sw/sw_grid.h"
#include "sw/sw_trace.h"
#include "letters/letters.h"

enum { ROWS = 200, COLS = 512 };
static uint64_t seed = 1;
static struct swg_case c;
static struct sw_query *query;
static struct sw_work *work;
static struct osw_scoring scoring;
static struct err err;

/* n letters of the query, from row `from` on, stand at a column. */
struct copy {
	size_t at, from, n;
};

/* Sequences side by side, one copy in each, and their hits. */
static void
make(struct swc *x, const struct copy *copy, size_t n)
{
	*x = (struct swc){ .s = &c.s, .q = c.q, .n = c.n, .least = 50,
			 .kind = SW_ALIGNMENTS, .n_subjects = n };

	memset(c.t, 4, n * COLS);
	for (size_t i = 0; i < n; i++) {
		uint8_t *t = c.t + i * COLS;

		memcpy(t + copy[i].at, c.q + copy[i].from, copy[i].n);
		x->subject[i] = (struct swc_subject){ .t = t, .n = COLS };
	}
	swc_ready(x);
}

/* Of a text as it is, what x wants. */
static bool
best(const struct swc *x, const struct sw_text *t, struct sw_hits *h)
{
	bool good = !sw_best(query, t, x->kind, x->want.n + 1, &x->least, work,
			     h, &err) && h->n == x->want.n;

	for (size_t i = 0; good && i < h->n; i++)
		good = swc_equal(x, &h->v[i], &x->want.v[i]);
	return good;
}

static bool
paths(const struct swc *x, const struct sw_text *t, const struct sw_hits *h)
{
	struct paths p = { .x = x, .good = true };
	bool good;

	p.good = !sw_trace_each(query, t, h->v, h->n, scoring.same, work,
				&p.ops, take_ops, &p, &err) && p.good;
	good = p.good && p.n == x->want.n;
	buf_free(&p.ops);
	return good;
}

/* Is the path of each hit known, where there is a grid; or of none? */
static bool
known(const struct sw_text *t, const struct sw_hits *h, bool want)
{
	const int rc = want && sw_grid_fits(query) ? 0 : 1;
	struct buf ops = { 0 };
	bool good = true;

	for (size_t i = 0; i < h->n; i++)
		good = good && sw_paths_report(work, query, t, &h->v[i],
					     scoring.same, &ops, &err) == rc;
	buf_free(&ops);
	return good;
}

/* Regions of their own. */
static bool
two(void)
{
	struct copy two[] = { { 100, 20, 30 }, { 200, 90, 60 } };
	struct sw_hits h = { 0 };
	struct swc x;
	bool good;

	make(&x, two, 2);
	good = x.want.n == 2 && best(&x, &x.text, &h) &&
	       known(&x.text, &h, true) && paths(&x, &x.text, &h) &&
	       paths(&x, &x.text, &h);

	sw_hits_free(&h);
	swc_free(&x);
	return good;
}

/* What was known is of letters that have changed. */
static bool
changed(void)
{
	struct sw_hits h = { 0 };
	struct swc x, y;
	bool good;

	make(&x, &(struct copy){ 100, 20, 60 }, 1);
	make(&y, &(struct copy){ 100, 90, 60 }, 1);
	good = best(&x, &x.text, &h) && known(&x.text, &h, true);

	memcpy(x.codes, y.codes, COLS);
	work->grid_from = UINT64_MAX;	/* not followed again */
	good = good && best(&y, &x.text, &h);
	work->grid_from = 0;
	good = good && known(&x.text, &h, false) && paths(&y, &x.text, &h);
	sw_hits_free(&h);
	swc_free(&x);
	swc_free(&y);
	return good;
}

/* It is of another text. */
static bool
other(void)
{
	struct sw_hits h = { 0 }, g = { 0 };
	struct swc x, y;
	bool good;

	make(&x, &(struct copy){ 100, 90, 60 }, 1);
	make(&y, &(struct copy){ 100, 20, 60 }, 1);
	good = best(&x, &x.text, &h) && best(&y, &y.text, &g) &&
	       known(&x.text, &h, false) && known(&y.text, &g, true) &&
	       paths(&x, &x.text, &h);

	sw_hits_free(&h);
	sw_hits_free(&g);
	swc_free(&x);
	swc_free(&y);
	return good;
}

/* A text that begins with the query, and a path: match, D, match, I, match. */
static const struct sw_hit hit = { 2 * (10 + 5 + 4) - 9 - 7, 0, 20, 0, 21 };

static void
put_op(struct sw_path *p, uint32_t op, uint64_t n)
{
	p->op = op;
	p->len = n;
	sw_path_flush(p);
}

/* In three pieces, the last of which is that of another path. */
static void
put_ways(struct sw_path_pieces *x, struct sw_path_piece way[2])
{
	struct sw_path p = { .q = query };
	uint32_t meet;

	sw_path_pieces_open(x, &way[0], &p);
	put_op(&p, CIGAR_EQ, 7);
	meet = sw_path_pieces_here(x, &p);
	put_op(&p, CIGAR_D, 1);
	put_op(&p, CIGAR_D, 1);
	put_op(&p, CIGAR_EQ, 10);
	sw_path_pieces_end(x);
	sw_path_pieces_open(x, &way[1], &p);
	put_op(&p, CIGAR_EQ, 4);
	put_op(&p, CIGAR_I, 1);
	sw_path_pieces_rest(x, &way[1]);
	put_op(&p, CIGAR_X, 1);		/* of another one meanwhile */
	sw_path_pieces_open(x, &way[1], &p);
	put_op(&p, CIGAR_EQ, 5);
	sw_path_pieces_meet(x, meet);
}

static bool
is_hit(const struct sw_text *t, const struct sw_hit *h)
{
	static const uint32_t want[] = {
		10 << 4 | CIGAR_EQ, 2 << 4 | CIGAR_D, 5 << 4 | CIGAR_EQ,
		1 << 4 | CIGAR_I, 4 << 4 | CIGAR_EQ,
	};
	struct buf ops = { 0 };
	bool good = !sw_paths_report(work, query, t, h, scoring.same, &ops,
				   &err) &&
		    ops.n == sizeof want && !memcmp(ops.p, want, sizeof want);

	buf_free(&ops);
	return good;
}

static bool
pieces(void)
{
	struct sw_path_pieces ways = { 0 };
	struct sw_path_piece way[2] = { { SW_WAY_NONE, SW_WAY_NONE },
				 { SW_WAY_NONE, SW_WAY_NONE } };
	struct sw_text t = { .codes = c.t };
	struct sw_hit wrong = hit;
	struct buf ops = { 0 };
	bool good;

	memcpy(c.t, c.q, 10);
	memcpy(c.t + 12, c.q + 10, 5);
	memcpy(c.t + 17, c.q + 16, 4);
	wrong.score++;
	sw_path_pieces_reset(&ways, work);
	put_ways(&ways, way);
	good = !sw_paths_reset(work, query, &t, &err) &&
	       !sw_paths_keep(work, &hit, &ways, &way[1], 1, &err) &&
	       is_hit(&t, &hit) &&
	       sw_paths_report(work, query, &t, &wrong, scoring.same, &ops,
			     &err) < 0;
	buf_free(&ways.word);
	buf_free(&ops);
	return good;
}

/*
 * Hits of one path, at columns of equal letters.  There is room for a path, and
 * one that exceeds it: then what is below `least` goes, and what comes when
 * nothing does is not kept.
 */
static bool
little(void)
{
	struct sw_path_pieces ways = { 0 };
	struct sw_path_piece way[2] = { { SW_WAY_NONE, SW_WAY_NONE },
				 { SW_WAY_NONE, SW_WAY_NONE } };
	struct sw_text t = { .codes = c.t };
	struct sw_hit h[4] = { hit, hit, hit, hit };
	bool was[4], good = true;

	for (size_t i = 0; i < 4; i++) {
		h[i].beg = i * 32;
		h[i].end = i * 32 + 21;
		memcpy(c.t + i * 32, c.t, 21);
	}
	sw_path_pieces_reset(&ways, work);
	put_ways(&ways, way);
	work->ways_most = 5 * sizeof(uint32_t);
	if (sw_paths_reset(work, query, &t, &err))
		return false;
	h[0].score--;	/* below the others */
	for (size_t i = 0; i < 4; i++)
		good = good && !sw_paths_keep(work, &h[i], &ways, &way[1],
					      i > 1 ? hit.score : 1, &err);
	h[0].score++;
	for (size_t i = 0; i < 4; i++)
		was[i] = is_hit(&t, &h[i]);
	work->ways_most = 0;
	buf_free(&ways.word);
	return good && !was[0] && was[1] && was[2] && !was[3];
}

/* Where there is no room, paths are computed. */
static bool
none(void)
{
	struct sw_hits h = { 0 };
	struct swc x;
	bool good;

	make(&x, &(struct copy){ 100, 20, 60 }, 1);
	work->ways_most = 1;
	good = best(&x, &x.text, &h) && known(&x.text, &h, false) &&
	       paths(&x, &x.text, &h);

	work->ways_most = 0;
	sw_hits_free(&h);
	swc_free(&x);
	return good;
}

int
main(void)
{
	swg_dna(&c.s, 2, -3, 5, 2);
	swg_room(&c, ROWS, 2 * COLS);
	swg_fill(&seed, SWG_RANDOM, 5, c.q, c.n);
	swg_oracle(&c.s, &scoring);
	if (sw_work_new(&work, &err) ||
	    sw_query_new(&query, &c.s, c.q, c.n, false, SW_SKEW, &err))
		return 1;
	work->grid_from = 0;
	ok(two(), "paths of two regions");
	ok(changed(), "letters that changed");
	ok(other(), "another text");
	ok(pieces(), "a path in pieces, one of which is another's");
	ok(little(), "little room");
	ok(none(), "no room");
	sw_query_free(query);
	sw_work_free(work);
	swg_free(&c);
	return done();
}
