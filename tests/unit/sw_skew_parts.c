/* SPDX-License-Identifier: MIT */
/* sw_skew_parts.c - a pass by parts of the query, a thread each */
#include <pthread.h>

#include "../sw_lanes_case.h"

enum { PARTS = 4, ROOM = 5 };

/* Rows from a part to the next: some blocks that wait. */
struct pipe {
	pthread_mutex_t lock;
	pthread_cond_t moved;
	struct sw_skew_row row[ROOM];
	uint64_t in, out;
	bool wrong;	/* blocks out of order */
};

struct part {
	struct sw_skew_part part;
	struct sw_pass pass;
	struct sw_work *work;
	struct pipe *before, *behind;
	struct ear *ear;
	pthread_mutex_t *lock;
	int64_t *threshold;
	int rc;
	pthread_t thread;
};

static int
take(void *ctx, uint64_t block, struct sw_skew_row *row)
{
	struct part *x = ctx;
	struct pipe *p = x->before;

	pthread_mutex_lock(&p->lock);
	while (p->in == p->out)
		pthread_cond_wait(&p->moved, &p->lock);
	p->wrong |= p->out != block;
	*row = p->row[p->out++ % ROOM];
	pthread_cond_broadcast(&p->moved);
	pthread_mutex_unlock(&p->lock);
	return 0;
}

static int
give(void *ctx, uint64_t block, const struct sw_skew_row *row)
{
	struct part *x = ctx;
	struct pipe *p = x->behind;

	pthread_mutex_lock(&p->lock);
	while (p->in - p->out == ROOM)
		pthread_cond_wait(&p->moved, &p->lock);
	p->wrong |= p->in != block;
	p->row[p->in++ % ROOM] = *row;
	pthread_cond_broadcast(&p->moved);
	pthread_mutex_unlock(&p->lock);
	return 0;
}

static int64_t
known(void *ctx)
{
	struct part *x = ctx;
	int64_t threshold;

	pthread_mutex_lock(x->lock);
	threshold = *x->threshold;
	pthread_mutex_unlock(x->lock);
	return threshold;
}

static int64_t
hear_part(void *ctx, uint64_t block, int64_t top)
{
	struct part *x = ctx;
	int64_t threshold = hear(x->ear, block, top);

	pthread_mutex_lock(x->lock);
	*x->threshold = threshold;
	pthread_mutex_unlock(x->lock);
	return threshold;
}

static void *
run(void *ctx)
{
	struct part *x = ctx;
	struct err e;

	x->rc = sw_skew_part(&x->pass, &x->part, x->work, &e);
	return NULL;
}

static struct sw_work *works[PARTS];

static size_t
set_parts(struct part *x, struct pipe *pipes, struct cut *c, struct ear *e,
	  pthread_mutex_t *lock, int64_t *threshold)
{
	size_t from[PARTS + 1], n = sw_skew_split(c->q, PARTS, from);

	for (size_t i = 0; i < n; i++) {
		x[i] = (struct part) {
			.part = { .from = from[i], .to = from[i + 1],
				  .take = i ? take : NULL,
				  .give = i + 1 < n ? give : NULL,
				  .threshold = known, .ctx = &x[i] },
			.pass = { .q = c->q, .t = &c->t, .peak = c->peak,
				  .threshold = *threshold,
				  .raise = hear_part, .ctx = &x[i] },
			.work = works[i], .ear = e, .lock = lock,
			.threshold = threshold,
			.before = i ? &pipes[i - 1] : NULL,
			.behind = &pipes[i],
		};
		pthread_mutex_init(&pipes[i].lock, NULL);
		pthread_cond_init(&pipes[i].moved, NULL);
	}
	return n;
}

/* The peaks are right, and the number of parts is one of 1 to PARTS. */
static bool
check_parts(const struct swg_case *c, size_t most, size_t *n)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct pipe pipes[PARTS] = { 0 };
	struct part x[PARTS];
	int64_t threshold = 1 + (int64_t)below(&seed, 900);
	struct cut cut_;
	struct ear e;
	bool good = true;

	cut(&cut_, c, most, SW_SKEW);
	e = (struct ear) { rnd(&seed), cut_.top,
			   room(cut_.t.n / SW_BLOCK, sizeof *e.heard),
			   threshold, (unsigned)below(&seed, 4), false };
	*n = set_parts(x, pipes, &cut_, &e, &lock, &threshold);
	for (size_t i = 0; i < *n; i++)
		if (pthread_create(&x[i].thread, NULL, run, &x[i]))
			abort();
	for (size_t i = 0; i < *n; i++) {
		pthread_join(x[i].thread, NULL);
		good = good && x[i].rc == 0;
	}
	for (size_t i = 0; i < *n; i++)
		good = good && !pipes[i].wrong;
	for (uint64_t b = 0; good && b < cut_.t.n / SW_BLOCK; b++)
		good = good_block(&cut_, &e, b);
	good = good && !e.wrong && x[*n - 1].pass.threshold == e.threshold;
	free(e.heard);
	cut_free(&cut_);
	return good;
}

static struct swg_case
make(size_t round)
{
	static const int32_t v[][4] = {
		{ 5, -3, 8, 1 }, { 2, -3, 5, 2 }, { 60, -20, 10, 2 },
		{ 5, -1, 3, 0 },
	};
	const int32_t *s = v[round % 4];
	struct swg_case c;

	swg_dna(&c.s, s[0], s[1], s[2], s[3]);
	swg_room(&c, 500 + 97 * (round % 17), swg_between(&seed, 1, 7000));
	swg_fill(&seed, (enum swg_kind)below(&seed, SWG_KINDS), 5, c.q, c.n);
	swg_fill(&seed, (enum swg_kind)below(&seed, SWG_KINDS), 5, c.t, c.m);
	swg_borders(&seed, &c, SW_BLOCK, below(&seed, 4));
	return c;
}

int
main(void)
{
	size_t rounds = (size_t)fewer(24), parts[PARTS + 1] = { 0 };
	bool good = true;

	if (cpu_isa() < ISA_AVX2) {
		ok(true, "no lanes # SKIP");
		return done();
	}
	for (size_t i = 0; i < PARTS; i++)
		if (sw_work_new(&works[i], &err))
			return 1;
	for (size_t i = 0; good && (i < rounds || (i < 24 &&
	     !(parts[1] && parts[2] && parts[3]))); i++) {
		struct swg_case c = make(i);
		size_t most = below(&seed, 2) ? c.m + 1 :
			      swg_between(&seed, 1, 3000), n;

		good = check_parts(&c, most, &n);
		ok(good, "%zu rows, %zu letters, in %zu parts", c.n, c.m, n);
		parts[n]++;
		swg_free(&c);
	}
	ok(parts[1] && parts[2] && parts[3], "some of each");
	for (size_t i = 0; i < PARTS; i++)
		sw_work_free(works[i]);
	return done();
}
