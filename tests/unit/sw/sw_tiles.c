/* SPDX-License-Identifier: MIT */
/* sw_tiles.c - windows tile by tile, by several threads, as by one */
#include <unistd.h>

#include "tests/lib/sw_crew.h"
#include "tests/lib/sw_paths.h"
#include "sw/sw_priv.h"
#include "sw/sw_trace.h"
#include "base/cpu.h"

static uint64_t seed;
static struct crew *crews[HELPERS + 2];
static struct err err;

/* Steps of each strip that are done, in tiles; who is in one. */
struct seen {
	const struct sw_tiles *t;
	size_t *done;
	unsigned most;
	unsigned in[HELPERS + 1];
	size_t stop;		/* at this strip; SIZE_MAX: never */
	bool bad;
};

/* What the strip above must have done: steps of the same times. */
static bool
above_done(const struct seen *s, const struct sw_tile *x)
{
	size_t need = x->end + s->t->rows - 1;

	if (x->strip == s->t->strip)
		return true;
	need = need < s->t->steps ? need : s->t->steps;
	return __atomic_load_n(&s->done[x->strip - 1], __ATOMIC_RELAXED) >=
	       need;
}

static int
look(void *ctx, const struct sw_tile *x, unsigned who)
{
	struct seen *s = ctx;
	size_t *done = &s->done[x->strip];

	if (who >= s->most ||
	    __atomic_exchange_n(&s->in[who], 1, __ATOMIC_RELAXED) ||
	    __atomic_load_n(done, __ATOMIC_RELAXED) != x->t ||
	    x->t >= x->end || x->end > s->t->steps || !above_done(s, x))
		__atomic_store_n(&s->bad, true, __ATOMIC_RELAXED);
	if ((x->strip ^ x->t / 3) % 16 == 0)
		usleep(20);
	__atomic_store_n(done, x->end, __ATOMIC_RELAXED);
	__atomic_store_n(&s->in[who % (HELPERS + 1)], 0, __ATOMIC_RELAXED);
	return x->strip == s->stop ? 7 : 0;
}

static struct sw_tile
part_of(const struct sw_tiles *t, size_t strip)
{
	return sw_tiles_cut(t, strip, t->from, t->to ? t->to : SIZE_MAX);
}

static int
run(const struct sw_tiles *t, struct crew *crew, struct seen *s)
{
	struct helpers h;
	int rc;

	if (!crew)
		return sw_tiles_run(t, NULL, look, s, &err);
	helpers_begin(&h, crew);
	rc = sw_tiles_run(t, crew, look, s, &err);
	helpers_end(&h);
	return rc;
}

/* Some strips and times only; they are not begun, at what comes first. */
static void
take_part(struct sw_tiles *t, struct seen *s)
{
	size_t end = t->steps + (t->strips - 1) * (t->rows - 1);

	if (below(&seed, 2)) {
		t->from = below(&seed, end);
		t->to = t->from + 1 + below(&seed, end - t->from);
		t->strip = below(&seed, t->strips);
	}
	for (size_t i = t->strip; i < t->strips; i++)
		s->done[i] = part_of(t, i).t;
}

static bool
tiles(struct crew *crew)
{
	struct sw_tiles t = {
		.rows = swg_between(&seed, 1, 9),
		.strips = swg_between(&seed, 1, 40),
		.steps = swg_between(&seed, 1, 300),
		.strip_tile = swg_between(&seed, 1, 4),
		.time_tile = swg_between(&seed, 1, 90),
	};
	struct seen s = { .t = &t, .most = sw_tiles_who(crew),
			  .stop = below(&seed, 4) ? SIZE_MAX :
				  below(&seed, t.strips) };
	bool good;
	int rc;

	s.done = osw_alloc(t.strips, sizeof *s.done);
	take_part(&t, &s);
	rc = run(&t, crew, &s);
	good = !s.bad && (rc == 0 || (rc == 7 && s.stop != SIZE_MAX));
	for (size_t i = 0; good && i < t.strips && !rc; i++) {
		struct sw_tile x = part_of(&t, i);

		good = i < t.strip ? s.done[i] == 0 :
		       s.done[i] == (x.t < x.end ? x.end : x.t) &&
		       (i != s.stop || x.t >= x.end);
	}
	free(s.done);
	return good;
}

static bool
every_tile(uint64_t rounds)
{
	bool good = true;

	for (uint64_t i = 0; good && i < rounds; i++) {
		seed = i + 1;
		good = tiles(crews[1 + i % (HELPERS + 1)]);
		if (!good)
			printf("# round %llu\n", (unsigned long long)i);
	}
	return good;
}

static struct sw_work *
new_work(unsigned tile, struct crew *crew)
{
	struct sw_work *w;

	if (sw_work_new(&w, &err))
		abort();
	if (tile)
		w->grid_from = 0;
	w->grid_tile = tile;
	sw_work_crew(w, crew, 1);
	return w;
}

/* Scores that a grid takes, and that it does not: then all starts are found. */
static struct swg_case
related(uint64_t i, size_t n, size_t m)
{
	static const int32_t v[][4] = {
		{ 2, -3, 5, 2 }, { 5, -3, 8, 1 }, { 2, -3, 40, 9 },
		{ 1, -1, 0, 1 }, { 30, -20, 8, 3 },
	};
	const int32_t *s = v[i % 5];
	struct swg_case c;

	swg_dna(&c.s, s[0], s[1], s[2], s[3]);
	swg_room(&c, n, m);
	swg_fill(&seed, SWG_RANDOM, 4 + (unsigned)(i % 2), c.q, n);
	swg_fill(&seed, SWG_RANDOM, 5, c.t, m);
	for (size_t at = 0; at < m; at += n + below(&seed, n))
		swg_copy(&seed, 4, c.t, m, at, c.q, n, (unsigned)i % 20);
	return c;
}

/* Small tiles, and the textbook: the best, their starts and paths. */
static bool
textbook(uint64_t rounds)
{
	bool good = true;

	for (uint64_t i = 0; good && i < rounds; i++) {
		struct swg_case c;
		struct helpers h;
		struct sw_work *w = new_work(1 + i % 3, crews[2 + i % 3]);

		seed = i + 1;
		c = related(i, swg_between(&seed, 100, 400),
			    swg_between(&seed, 300, 1200));
		helpers_begin(&h, w->crew);
		good = check_best(&c, 1 + i % 2, c.s.score[0][0] *
				  (int64_t)swg_between(&seed, 20, c.n / 2), w);
		helpers_end(&h);
		if (!good)
			printf("# round %llu\n", (unsigned long long)i);
		swg_free(&c);
		sw_work_free(w);
	}
	return good;
}

static int
keep_ops(void *ctx, size_t i, struct err *e)
{
	struct buf *ops = ctx;

	(void)e;
	buf_put(&ops[1 + i], ops->p, ops->n);
	return ops[1 + i].bad;
}

enum { K = 20 };

/* The best and their paths, one by one in ops[1 + i]. */
static int
best(const struct swg_case *c, const struct sw_text *t, struct sw_work *w,
     size_t k, struct sw_hits *hits, struct buf ops[1 + K])
{
	uint8_t same[SW_LETTERS] = { 0, 1, 2, 3, 255 };
	struct sw_query *q;
	struct helpers h;
	int64_t least = 1;
	int rc = sw_query_new(&q, &c->s, c->q, c->n, false, SW_AUTO, &err);

	if (w->crew)
		helpers_begin(&h, w->crew);
	if (!rc)
		rc = sw_best(q, t, SW_ALIGNMENTS, k, &least, w, hits, &err);
	if (!rc)
		rc = sw_trace_each(q, t, hits->v, hits->n, same, w, ops,
				   keep_ops, ops, &err);
	if (w->crew)
		helpers_end(&h);
	sw_query_free(q);
	return rc;
}

static bool
same_ops(const struct buf *a, const struct buf *b, size_t n)
{
	for (size_t i = 1; i <= n; i++)
		if (a[i].n != b[i].n || memcmp(a[i].p, b[i].p, a[i].n))
			return false;
	return true;
}

/* Tiles as they are, of several thousand rows: by a crew as alone. */
static bool
large(uint64_t i)
{
	struct swg_case c;
	struct sw_work *w[] = { new_work(0, NULL), new_work(0, crews[4]) };
	struct sw_hits h[2] = { 0 };
	struct buf ops[2][1 + K] = { 0 };
	struct sw_seg seg = { 0, 8192, 0 };
	struct sw_text t = { .n = 8192, .seg = &seg, .n_seg = 1 };
	bool good;

	seed = i + 1;
	c = related(i, 3000 + 37 * i, t.n + 64);
	t.codes = c.t;
	good = !best(&c, &t, w[0], i % 2 ? K : 1, &h[0], ops[0]) &&
	       !best(&c, &t, w[1], i % 2 ? K : 1, &h[1], ops[1]) && h[0].n &&
	       h[0].n == h[1].n &&
	       !memcmp(h[0].v, h[1].v, h[0].n * sizeof *h[0].v) &&
	       same_ops(ops[0], ops[1], h[0].n);
	for (size_t k = 0; k < 2; k++) {
		for (size_t x = 0; x <= K; x++)
			buf_free(&ops[k][x]);
		sw_hits_free(&h[k]);
		sw_work_free(w[k]);
	}
	swg_free(&c);
	return good;
}

int
main(void)
{
	crews_begin(crews, HELPERS + 1);
	ok(every_tile(fewer(400)), "every tile once, after those it needs");
	ok(textbook(fewer(40)), "the best and their paths are the textbook's");
	for (uint64_t i = 0; i < 5; i++)
		ok(cpu_isa() == ISA_SCALAR || large(i),
		   "thousands of rows, by a crew as alone");
	crews_end(crews, HELPERS + 1);
	return done();
}
