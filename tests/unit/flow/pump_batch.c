/* SPDX-License-Identifier: MIT */
/* pump_batch.c - postponed jobs: in one batch each, in order, bounded */
#include "tests/lib/pump_case.h"

enum { JOBS = 400, CALLS = 2 };

static struct play {
	unsigned works, batched, parts, joins;
	uint64_t weight;
} plays[JOBS];
static uint64_t bad, calls, most_calls, most_jobs, weight, threads;
static uint64_t fail_work, fail_again, every;	/* every job, or some */

static void
wrong(bool is)
{
	if (is)
		__atomic_add_fetch(&bad, 1, __ATOMIC_SEQ_CST);
}

static void
rise(uint64_t *most_so_far, uint64_t x)
{
	uint64_t now = __atomic_load_n(most_so_far, __ATOMIC_SEQ_CST);

	while (now < x &&
	       !__atomic_compare_exchange_n(most_so_far, &now, x, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
}

static bool
is_postponed(uint64_t n)
{
	return every || n % 5 != 2;
}

/* Of a job that was postponed: 0, or as many parts as it is cut into then. */
static unsigned
parts_of(uint64_t n)
{
	return is_postponed(n) && n % 3 == 0 ? 2 + n % 5 : 0;
}

static int
work(void *ctx, unsigned thread, struct pump_job *job, struct err *e)
{
	uint64_t n = job->item.frame->serial;
	struct play *y = &plays[n];

	(void)ctx;
	y->works++;
	wrong(thread >= threads || job->postponed ||
	      job->batched != y->batched || y->works != y->batched + 1);
	if (n == fail_work || (n == fail_again && job->batched))
		return err_set(e, ERR_FORMAT, "work %d", (int)n);
	if (!job->batched && is_postponed(n)) {
		job->postponed = true;
		job->weight = y->weight = 1 + n * 7 % 11;
		return 0;
	}
	job->n_parts = parts_of(n);
	wrong(job->threads != threads || (job->few && job->plenty));
	if (!job->n_parts)
		buf_u64(&job->out, n);
	return 0;
}

static int
part(void *ctx, unsigned thread, struct pump_job *job, unsigned i, bool next,
     struct err *e)
{
	struct play *y = &plays[job->number];

	(void)ctx;
	(void)next;
	(void)e;
	wrong(thread >= threads || i >= parts_of(job->number));
	__atomic_add_fetch(&y->parts, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static int
join(void *ctx, struct pump_job *job, unsigned i, struct err *e)
{
	struct play *y = &plays[job->number];

	(void)ctx;
	(void)e;
	wrong(i != y->joins++);
	if (y->joins == parts_of(job->number))
		buf_u64(&job->out, job->number);
	return 0;
}

/* Jobs in order, of which no other call has one. */
static void
batch(void *ctx, unsigned thread, struct pump_job **job, unsigned n)
{
	uint64_t now = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST), sum = 0;

	(void)ctx;
	wrong(thread >= threads || n == 0 || n > PUMP_MAX_BATCH);
	rise(&most_calls, now);
	for (unsigned i = 0; i < n; i++) {
		struct play *y = &plays[job[i]->number];

		wrong(!job[i]->postponed || y->works != 1 || y->batched++ ||
		      (i && job[i]->number <= job[i - 1]->number));
		sum += y->weight;
	}
	wrong(n > 1 && sum > weight);
	rise(&most_jobs, n);
	if (threads > 1)
		usleep(100);
	__atomic_sub_fetch(&calls, 1, __ATOMIC_SEQ_CST);
}

static int
emit(void *ctx, struct pump_job *job, struct err *e)
{
	const struct play *y = &plays[emitted];

	(void)ctx;
	(void)e;
	disorder += y->parts != parts_of(emitted) || y->joins != y->parts;
	disorder += job->number != emitted || job->out.n != 8 ||
		    get_le(job->out.p, 8) != emitted ||
		    y->batched != is_postponed(emitted);
	emitted++;
	__atomic_sub_fetch(&in_flight, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static void
reset(uint64_t n, unsigned t, uint64_t w)
{
	feed_reset(n);
	memset(plays, 0, sizeof plays);
	bad = calls = most_calls = most_jobs = 0;
	threads = t;
	weight = w;
	fail_work = fail_again = NEVER;
}

static int
play(struct err *e)
{
	struct pump_ops ops = { .work = work, .emit = emit,
				.part = part, .join = join,
				.batch = { batch, CALLS, weight } };

	return pump_run(&fake, &ops, NULL, (unsigned)threads, e);
}

/* Jobs that weigh 1 at least: those that wait are bounded by weight, too. */
static void
test_order(unsigned t, uint64_t w)
{
	uint64_t off = (CALLS + 1) * w + 11;
	struct err e;
	int rc;

	if (off > (CALLS + 1) * PUMP_MAX_BATCH)
		off = (CALLS + 1) * PUMP_MAX_BATCH;
	for (uint64_t n = 0; n < JOBS; n = n * 3 + 1) {
		every = n % 2;
		reset(n, t, w);
		rc = play(&e);
		ok(rc == 0 && emitted == n && !disorder && !bad,
		   "threads=%u weight=%d n=%d: %d emitted, %d %d wrong", t,
		   (int)w, (int)n, (int)emitted, (int)disorder, (int)bad);
		ok(most <= 2 * t + 2 + off && most_calls <= CALLS &&
		   most_calls <= t, "%d in flight, %d calls of up to %d jobs",
		   (int)most, (int)most_calls, (int)most_jobs);
	}
}

static void
expect(const char *want, uint64_t want_emitted)
{
	struct err e = { 0, "" };
	int rc = play(&e);

	ok(rc < 0 && rc == e.code && strcmp(e.text, want) == 0 &&
	   emitted == want_emitted && !disorder && !bad,
	   "threads=%u: %s, error '%s', %d emitted", (unsigned)threads, want,
	   e.text, (int)emitted);
}

static void
test_errors(unsigned t)
{
	every = 1;
	reset(100, t, 50);
	fail_again = 37;
	expect("work 37", 37);
	reset(100, t, 50);
	fail_work = 38;
	fail_again = 30;
	expect("work 30", 30);
	reset(100, t, 50);
	fail_work = 30;
	fail_again = 34;
	expect("work 30", 30);
	reset(100, t, 50);
	fake.fail_read = 20;
	expect("read 20", 20);
	reset(100, t, 50);
	fake.fail_account = 20;
	expect("account 20", 20);
}

int
main(void)
{
	for (unsigned t = 1; t <= 5; t++) {
		test_order(t, 1);
		test_order(t, 60);
		test_order(t, UINT32_MAX);
		test_errors(t);
	}
	return done();
}
