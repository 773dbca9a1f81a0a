/* SPDX-License-Identifier: MIT */
/* pump_parts.c - jobs in parts: each once, joined in order, errors, helpers */
#include "tests/lib/pump_case.h"

enum { JOBS = 400, PARTS = 9 };

/* What is known of a job. */
struct play {
	unsigned n, done, joined;
	unsigned taken[PUMP_MAX_PARTS];
	bool direct[PUMP_MAX_PARTS];	/* the part wrote to out itself */
	bool writing;		/* to out */
};

static struct play plays[JOBS];
static uint64_t bad, open_jobs;
static unsigned threads;
static bool delays, joins, failing;

/* Job and part, or -1. */
static int fail_part[2][2], fail_join[2];

static void
wrong(bool is)
{
	if (is)
		__atomic_add_fetch(&bad, 1, __ATOMIC_SEQ_CST);
}

static void
nap(uint64_t n)
{
	uint64_t seed = n * 77 + 5;

	if (delays && below(&seed, 4) == 0)
		usleep((unsigned)below(&seed, 800));
}

/* Checks what is reported of other jobs; those read since then do no harm. */
static bool
reported_right(const struct pump_job *job)
{
	uint64_t read = __atomic_load_n(&fake.next, __ATOMIC_SEQ_CST);

	if (job->threads != threads || (job->few && job->plenty))
		return false;
	if (failing)		/* there may be fewer then */
		return true;
	if (job->few && job->number >= threads)
		return read == fake.n && job->number + threads > fake.n;
	return !job->plenty || job->number + threads <= read;
}

/* Jobs have 0 to PARTS - 1 parts; 0 and 1 mean that they are whole. */
static int
work(void *ctx, unsigned thread, struct pump_job *job, struct err *e)
{
	uint64_t n = job->item.frame->serial, now;
	struct play *y = &plays[n];

	(void)ctx;
	(void)e;
	nap(n);
	wrong(thread >= threads || !reported_right(job));
	y->n = job->threads > 1 ? (unsigned)(n * 7 % PARTS) : 0;
	if (y->n < 2) {
		buf_u64(&job->out, n);
		return 0;
	}
	now = __atomic_add_fetch(&open_jobs, 1, __ATOMIC_SEQ_CST);
	wrong(now > threads);
	job->n_parts = y->n;
	job->parts = y;
	return 0;
}

static void
put(struct play *y, struct pump_job *job, unsigned part)
{
	wrong(__atomic_exchange_n(&y->writing, true, __ATOMIC_SEQ_CST));
	buf_u64(&job->out, part);
	nap(part);
	__atomic_store_n(&y->writing, false, __ATOMIC_SEQ_CST);
}

static int
fails(const int at[2], const struct pump_job *job, unsigned part)
{
	return at[0] == (int)job->number && at[1] == (int)part;
}

static int
part_of(void *ctx, unsigned thread, struct pump_job *job, unsigned part,
	bool next, struct err *e)
{
	struct play *y = job->parts;

	(void)ctx;
	wrong(thread >= threads || part >= y->n ||
	      __atomic_add_fetch(&y->taken[part], 1, __ATOMIC_SEQ_CST) != 1);
	nap(job->number + part);
	if (fails(fail_part[0], job, part) || fails(fail_part[1], job, part)) {
		usleep(part ? 0 : 1000);
		return err_set(e, ERR_FORMAT, "part %d.%u", (int)job->number,
			       part);
	}
	y->direct[part] = next && joins;
	if (y->direct[part])
		put(y, job, part);
	if (__atomic_add_fetch(&y->done, 1, __ATOMIC_SEQ_CST) == y->n)
		__atomic_sub_fetch(&open_jobs, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static int
join(void *ctx, struct pump_job *job, unsigned part, struct err *e)
{
	struct play *y = job->parts;

	(void)ctx;
	wrong(part != y->joined++ || y->taken[part] != 1);
	if (fails(fail_join, job, part))
		return err_set(e, ERR_FORMAT, "join %d.%u", (int)job->number,
			       part);
	if (!y->direct[part])
		put(y, job, part);
	return 0;
}

static int
emit(void *ctx, struct pump_job *job, struct err *e)
{
	const struct play *y = &plays[emitted];

	(void)ctx;
	(void)e;
	disorder += job->number != emitted || job->item.owned != emitted;
	if (y->n < 2) {
		disorder += job->out.n != 8 ||
			    get_le(job->out.p, 8) != emitted;
	} else {
		disorder += y->done != y->n;
		disorder += job->out.n != (joins ? 8 * y->n : 0);
		for (unsigned i = 0; joins && i < y->n; i++)
			disorder += get_le(job->out.p + 8 * i, 8) != i;
	}
	emitted++;
	__atomic_sub_fetch(&in_flight, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static void
reset(uint64_t n, unsigned t)
{
	static const int none[2] = { -1, -1 };

	feed_reset(n);
	memset(plays, 0, sizeof plays);
	memcpy(fail_part[0], none, sizeof none);
	memcpy(fail_part[1], none, sizeof none);
	memcpy(fail_join, none, sizeof none);
	bad = open_jobs = 0;
	threads = t;
	joins = true;
	failing = false;
}

static int
play(struct err *e)
{
	struct pump_ops ops = { .work = work, .part = part_of, .emit = emit };

	if (joins)
		ops.join = join;
	return pump_run(&fake, &ops, NULL, threads, e);
}

static void
test_order(unsigned t, bool joined)
{
	struct err e;
	int rc;

	for (uint64_t n = 0; n < JOBS; n = n * 3 + 1) {
		reset(n, t);
		joins = joined;
		rc = play(&e);
		ok(rc == 0 && emitted == n && !disorder && !bad && !open_jobs,
		   "threads=%u n=%d joins=%d: %d emitted, %d %d %d wrong", t,
		   (int)n, joined, (int)emitted, (int)disorder, (int)bad,
		   (int)open_jobs);
		ok(most <= 2 * t + 2, "threads=%u: %d in flight", t,
		   (int)most);
	}
}

static void
expect(const char *want, uint64_t want_emitted)
{
	struct err e = { 0, "" };
	int rc;

	failing = true;
	rc = play(&e);
	ok(rc < 0 && rc == e.code && strcmp(e.text, want) == 0 &&
	   emitted == want_emitted && !disorder && !bad,
	   "threads=%u: %s, error '%s', %d emitted", threads, want, e.text,
	   (int)emitted);
}

/* Job 37 has 7 parts, job 40 has 1, job 41 has 8. */
static void
test_errors(unsigned t)
{
	reset(100, t);
	memcpy(fail_part, (int[2][2]){ { 37, 6 }, { 37, 3 } }, 16);
	expect("part 37.3", 37);
	reset(100, t);
	memcpy(fail_part, (int[2][2]){ { 37, 0 }, { 37, 1 } }, 16);
	expect("part 37.0", 37);
	reset(100, t);
	memcpy(fail_part, (int[2][2]){ { 41, 0 }, { 37, 6 } }, 16);
	expect("part 37.6", 37);
	reset(100, t);
	memcpy(fail_join, (int[2]){ 37, 2 }, 8);
	fail_part[0][0] = 41;
	fail_part[0][1] = 1;
	expect("join 37.2", 37);
	reset(100, t);
	fake.fail_read = 38;
	fail_part[0][0] = 37;
	fail_part[0][1] = 4;
	expect("part 37.4", 37);
	reset(100, t);
	fake.fail_account = 38;
	fail_part[0][0] = 41;
	fail_part[0][1] = 0;
	expect("account 38", 38);
}

/* One job alone: every thread is at some part of it at the same time. */
static unsigned at_work;

static int
cut(void *ctx, unsigned thread, struct pump_job *job, struct err *e)
{
	(void)ctx;
	(void)thread;
	(void)e;
	job->n_parts = job->threads;
	return 0;
}

static int
meet(void *ctx, unsigned thread, struct pump_job *job, unsigned part,
     bool next, struct err *e)
{
	(void)ctx;
	(void)thread;
	(void)job;
	(void)part;
	(void)next;
	(void)e;
	__atomic_add_fetch(&at_work, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < 20000; i++) {
		if (__atomic_load_n(&at_work, __ATOMIC_SEQ_CST) == threads)
			return 0;
		usleep(1000);
	}
	wrong(true);
	return 0;
}

static int
count(void *ctx, struct pump_job *job, struct err *e)
{
	(void)ctx;
	(void)job;
	(void)e;
	emitted++;
	return 0;
}

static void
test_shared(unsigned t)
{
	const struct pump_ops ops = { .work = cut, .part = meet,
				      .emit = count };
	struct err e;
	int rc;

	reset(1, t);
	at_work = 0;
	rc = pump_run(&fake, &ops, NULL, t, &e);
	ok(rc == 0 && emitted == 1 && !bad, "threads=%u meet at one job", t);
}

/* The first job takes until the third has begun; the values that they get. */
static bool plenty[4], few[4], last_begun;

static int
first_waits(void *ctx, unsigned thread, struct pump_job *job, struct err *e)
{
	(void)ctx;
	(void)thread;
	(void)e;
	plenty[job->number] = job->plenty;
	few[job->number] = job->few;
	if (job->number == 2)
		__atomic_store_n(&last_begun, true, __ATOMIC_SEQ_CST);
	while (job->number == 0 &&
	       !__atomic_load_n(&last_begun, __ATOMIC_SEQ_CST))
		usleep(100);
	return 0;
}

static bool
report(uint64_t n)
{
	const struct pump_ops ops = { .work = first_waits, .part = meet,
				      .emit = count };
	struct err e;

	last_begun = false;
	return pump_run(&fake, &ops, NULL, 2, &e) == 0 && emitted == n;
}

/* Little jobs, one thread: the others begin with the first one in parts. */
static unsigned by_others;

static int
note_thread(void *ctx, unsigned thread, struct pump_job *job, struct err *e)
{
	(void)ctx;
	(void)e;
	by_others += thread > 0;
	job->n_parts = job->number < 9 ? 1 : job->threads;
	return 0;
}

static void
test_little(void)
{
	const struct pump_ops ops = { .work = note_thread, .part = meet,
				      .emit = count };
	struct rec_frame *f[10];
	struct err e;

	reset(10, 4);
	fake.frame = f;
	for (int i = 0; i < 10; i++) {
		f[i] = rec_frame_new(8);
		f[i]->type = REC_CHUNK;
	}
	at_work = by_others = 0;
	ok(pump_run(&fake, &ops, NULL, 4, &e) == 0 && emitted == 10 && !bad &&
	   by_others == 0, "little jobs are one thread's until one has parts");
	for (int i = 0; i < 10; i++)
		rec_frame_drop(f[i]);
}

static void
test_reported(void)
{
	struct rec_frame *f[4];
	bool done_all;

	reset(3, 2);
	ok(report(3) && plenty[1] && !few[1],
	   "another job for the other thread");
	ok(!plenty[2] && few[2], "the last job: none");
	reset(4, 2);
	for (int i = 0; i < 4; i++) {
		f[i] = rec_frame_new(4096);
		f[i]->type = i < 3 ? REC_CHUNK : REC_END;
	}
	fake.frame = f;
	done_all = report(4);
	ok(done_all && !plenty[2] && few[2], "a frame behind it is no work");
	for (int i = 0; i < 4; i++)
		rec_frame_drop(f[i]);
}

int
main(void)
{
	test_reported();
	test_little();
	for (unsigned t = 1; t <= 5; t++) {
		delays = t != 1;
		test_order(t, true);
		test_order(t, false);
		if (t == 1)
			continue;
		test_shared(t);
		for (int i = 0; i < 5; i++)
			test_errors(t);
	}
	return done();
}
