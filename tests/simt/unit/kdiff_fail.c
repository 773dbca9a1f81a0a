/* SPDX-License-Identifier: MIT */
/*
 * kdiff_fail.c - devices that are not there, too small, or fail at any call:
 * what they have not finished is searched by the CPU, and nothing leaks
 */
#include "tests/lib/kdiff_rounds.h"
#include "tests/lib/fail_case.h"
#include "scan/asm/asm.h"

#include <pthread.h>

enum { TEXTS = 3, THREADS = 4 };

static struct kdiff_hits want;
static int devices = 1;
static unsigned threads = 1;
static struct err err;

/* A case that has hits in several pieces. */
static void
prepare(void)
{
	seed = 4711;
	reset(1500);
	kc.p.iupac = false;
	kc.engine = KDIFF_TEXT;
	fill(RANDOM, letters, kc.n);
	add_pattern(RANDOM, 20, 4);
	add_pattern(RANDOM, 50, 9);
	add_pattern(RANDOM, 90, 9);
	cut(11);
	kcase_want(&kc, &want);
}

static bool gathers;	/* texts, or each is searched alone */

struct trial {
	struct kdiff_set *set;
	struct kcase_text t;
	struct asm_gpu *g;
	bool wrong;
};

static void
gather(struct trial *y, struct asm_gpu_text *text)
{
	struct asm_gpu_text *all[TEXTS];

	for (int i = 0; i < TEXTS; i++) {
		text[i] = (struct asm_gpu_text){ .x = y->t.x };
		all[i] = &text[i];
	}
	if (gathers)
		asm_gpu_batch(y->g, all, TEXTS);
}

/* One thread: the same text again and again. */
static void *
search(void *ctx)
{
	struct trial *y = ctx;
	struct asm_gpu_text text[TEXTS];
	struct kdiff_work *w;
	struct err e;

	if (kdiff_work_new(&w, &e))
		abort();
	gather(y, text);
	for (int i = 0; i < TEXTS; i++) {
		struct kdiff_hits h = { 0 };

		if (text[i].is_found)
			text[i].x.found = &text[i].found;
		if (kdiff_scan(y->set, &text[i].x, w, &h, &e) ||
		    h.n != want.n ||
		    memcmp(h.v, want.v, h.n * sizeof *h.v) != 0)
			__atomic_store_n(&y->wrong, true, __ATOMIC_RELAXED);
		kdiff_hits_free(&h);
		kdiff_hits_free(&text[i].found);
	}
	kdiff_work_free(w);
	return NULL;
}

/* All threads with all devices; 0, or why it could not begin. */
static int
trial(bool *right, struct cuda_report *r)
{
	struct trial y = { kcase_set(&kc, cpu_isa()), kcase_text(&kc), NULL,
			   false };
	struct asm_gpu_params p = {
		.choice = { .kind = CUDA_THESE, .n = (unsigned)devices },
		.threads = threads, .letters = 640, .hits = 4096,
	};
	pthread_t id[THREADS];
	struct asm_gpu *g;
	int rc;

	for (int i = 0; i < devices; i++)
		p.choice.device[i] = i;
	memset(r, 0, sizeof *r);
	*right = true;
	rc = asm_gpu_new(&g, y.set, &p, &err);
	y.g = g;
	if (!rc) {
		for (unsigned i = 0; i < threads; i++)
			pthread_create(&id[i], NULL, search, &y);
		for (unsigned i = 0; i < threads; i++)
			pthread_join(id[i], NULL);
		cuda_pool_report(asm_gpu_pool(g), r);
		*right = !y.wrong && (*r->failed || r->letters == TEXTS *
			 threads * (gathers ? (kc.n + 63) / 64 * 64 : kc.n));
		asm_gpu_free(g);
	}
	kcase_text_free(&y.t);
	kdiff_set_free(y.set);
	return rc;
}

/* Every step-th call, from one on that the schedule's seed chooses. */
static void
each_call(int n, unsigned by, long step)
{
	const char *chosen = getenv("SEQF_SIMT_SEED");

	simt_devices(n);
	devices = n;
	threads = by;
	fail_each(trial, 1 + (chosen ? atol(chosen) % step : 0), step, 3);
	ok(simt_alive() == 0, "nothing is left: %ld", simt_alive());
	simt_devices(1);
	devices = threads = 1;
}

static void
memory(void)
{
	static const size_t sizes[] = { 1 << 10, 1 << 14, 1 << 20, 1 << 26 };
	struct cuda_report r;
	bool right;

	for (unsigned i = 0; i < 4; i++) {
		int rc;

		simt_memory(sizes[i]);
		rc = trial(&right, &r);
		ok(right && (i ? i < 3 || !rc : rc == ERR_DEVICE),
		   "%zu bytes: %s", sizes[i], rc ? err.text : "enough");
	}
	simt_memory(1 << 30);
}

/* As large as memory allows, without a given size. */
static void
usual_size(size_t n_bytes, bool enough)
{
	struct asm_gpu_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 }, .threads = 1,
	};
	struct kdiff_set *set = kcase_set(&kc, cpu_isa());
	struct asm_gpu *g;
	struct err e;
	int rc;

	simt_memory(n_bytes);
	rc = asm_gpu_new(&g, set, &p, &e);
	ok(enough ? !rc : rc == ERR_DEVICE && strstr(e.text, "memory"),
	   "%zu bytes for the usual size: %s", n_bytes, rc ? e.text : "enough");
	asm_gpu_free(g);
	kdiff_set_free(set);
	simt_memory(1 << 30);
}

/* By default, with n devices of which so many are too old, and another may fail
 * while it is opened: those that are left do all, and nothing is reported. */
static void
automatic(unsigned n, unsigned old, long fail)
{
	struct asm_gpu_params p = { .choice = { .kind = CUDA_AUTO } };
	struct trial y = { kcase_set(&kc, cpu_isa()), kcase_text(&kc), NULL,
			   false };
	struct cuda_report r;
	struct asm_gpu *g;
	struct err e;
	bool some;

	simt_devices((int)n);
	simt_old((int)old);
	simt_fail_at(fail);
	if (asm_gpu_new(&g, y.set, &p, &e))
		abort();
	search(&y);
	cuda_pool_report(asm_gpu_pool(g), &r);
	n -= old;	/* with less memory the one that fails may do */
	some = r.devices && r.devices >= n - (fail > 0) && r.devices <= n;
	ok(!y.wrong && !*r.failed && (n ? some : !r.devices) &&
	   !r.letters == !n && !*r.why_not == !!n, "auto, %u devices, and %u "
	   "old, %ld: %s", n, old, fail, r.why_not);
	asm_gpu_free(g);
	simt_fail_at(0);
	simt_old(0);
	kcase_text_free(&y.t);
	kdiff_set_free(y.set);
}

/* Of 128 G operations a second; one that is named is taken. */
static void
speed(bool named, uint64_t rate, bool taken)
{
	const struct kdiff_dev_pattern pattern = { { 1, 2, 4, 8 }, 4, 1, 0 };
	struct cuda_kdiff_params p = { .pattern = &pattern, .n = 1,
				       .rate = rate };
	struct cuda_pool *x;
	int rc;

	if (named)
		p.choice = (struct cuda_choice){ .kind = CUDA_THESE, .n = 1 };
	rc = cuda_kdiff_new(&x, &p, &err);
	fail_auto(rc, x, taken, named ? "named" : "patterns");
}

/* Named, it must do. */
static void
too_old(void)
{
	struct cuda_report r;
	bool right;
	int rc;

	simt_devices(2);
	simt_old(1);
	rc = trial(&right, &r);
	ok(rc == ERR_DEVICE && strstr(err.text, "no code"), "too old: %s",
	   err.text);
	simt_old(0);
	simt_devices(1);
}

/* Streams have queues of the device's: each its own, before CUDA is asked for
 * the first time; who knows better has said so. */
static void
queues(void)
{
	static const char name[] = "CUDA_DEVICE_MAX_CONNECTIONS";
	struct cuda_choice c;

	unsetenv(name);
	ok(!cuda_choose(&c, "auto", &err) && getenv(name) &&
	   atoi(getenv(name)) >= CUDA_MAX_STREAMS, "a queue for each stream");
	setenv(name, "5", 1);
	ok(!cuda_choose(&c, "0", &err) && atoi(getenv(name)) == 5,
	   "or as many as it says");
}

/* While one thread opens a device the others go on: they are refused. */
struct slow {
	pthread_barrier_t begun, asked;
};

static int
open_slowly(const void *ctx, const struct cuda_device *d, unsigned halved,
	    void **stream, struct err *e)
{
	struct slow *s = *(struct slow *const *)ctx;

	(void)d;
	(void)halved;
	(void)e;
	if (s) {
		pthread_barrier_wait(&s->begun);
		pthread_barrier_wait(&s->asked);
	}
	*stream = NULL;
	return 0;
}

static void
close_nothing(void *stream)
{
	(void)stream;
}

static void *
ask(void *ctx)
{
	struct cuda_lent l;

	return cuda_pool_borrow(ctx, 1, &l) ? ctx : NULL;
}

static void
others_go_on(void)
{
	struct slow s, *of = &s;
	struct cuda_pool_params p = {
		.open = open_slowly, .close = close_nothing, .ctx = &of,
		.ctx_bytes = sizeof of, .streams = 1,
	};
	struct cuda_pool *x;
	struct cuda_lent l;
	pthread_t id;
	void *lent;
	bool refused;

	pthread_barrier_init(&s.begun, NULL, 2);
	pthread_barrier_init(&s.asked, NULL, 2);
	if (cuda_pool_new(&x, &p, &err) || pthread_create(&id, NULL, ask, x))
		abort();
	pthread_barrier_wait(&s.begun);
	refused = !cuda_pool_borrow(x, 1, &l) && !cuda_pool_is_open(x);
	pthread_barrier_wait(&s.asked);
	pthread_join(id, &lent);
	ok(refused && lent == x && cuda_pool_is_open(x), "a device that is "
	   "being opened is waited for by one thread only");
	pthread_barrier_destroy(&s.begun);
	pthread_barrier_destroy(&s.asked);
	cuda_pool_free(x);
}

int
main(void)
{
	/* from the second call on: the first one counts devices */
	enum { OPENS = 10 };

	prepare();
	ok(want.n > 3, "%zu hits", want.n);
	each_call(1, 1, fewer(5) == 5 ? 1 : 5);
	each_call(2, THREADS, fewer(5) == 5 ? 9 : 43);
	gathers = true;
	each_call(1, 1, fewer(5) == 5 ? 1 : 9);
	each_call(2, THREADS, fewer(5) == 5 ? 9 : 61);
	gathers = false;
	memory();
	usual_size(100 << 20, true);
	usual_size(4 << 20, true);
	usual_size(40 << 10, false);
	automatic(0, 0, 0);
	automatic(1, 0, 0);
	automatic(1, 1, 0);
	automatic(3, 1, 0);
	for (long i = 2; i < OPENS; i++)
		automatic(2, 0, i);
	speed(false, 9000000000, true);
	speed(false, 12000000000, false);
	speed(true, 12000000000, true);
	too_old();
	queues();
	others_go_on();
	ok(simt_alive() == 0, "nothing is left: %ld", simt_alive());
	return done();
}
