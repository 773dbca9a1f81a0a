/* SPDX-License-Identifier: MIT */
/* pump.c - order, bound, errors and chains of the pump, over a made-up feed */
#include "tests/lib/pump_case.h"

static uint64_t fail_work, fail_work2, fail_emit;
static bool delays;

static int
work(void *ctx, unsigned thread, struct pump_job *job, struct err *e)
{
	uint64_t n = job->item.frame->serial, seed = n * 77 + 5;
	unsigned *threads = ctx;

	if (thread >= *threads)
		return err_set(e, ERR_FORMAT, "thread %u", thread);
	if (delays && below(&seed, 4) == 0)
		usleep((unsigned)below(&seed, 2000));
	if (n == fail_work || n == fail_work2)
		return err_set(e, ERR_FORMAT, "work %d", (int)n);
	buf_u64(&job->out, n);
	job->result = malloc(16);
	return job->result && !job->out.bad ? 0 : err_nomem(e, 16);
}

static int
emit(void *ctx, struct pump_job *job, struct err *e)
{
	(void)ctx;
	if (emitted == fail_emit)
		return err_set(e, ERR_IO, "emit %d", (int)emitted);
	if (job->number != emitted || job->item.owned != emitted ||
	    job->out.n != 8 || get_le(job->out.p, 8) != emitted)
		disorder++;
	emitted++;
	__atomic_sub_fetch(&in_flight, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static const struct pump_ops ops = { .work = work, .emit = emit };

static void
reset(uint64_t n)
{
	feed_reset(n);
	fail_work = fail_work2 = fail_emit = NEVER;
}

static void
test_order(unsigned threads)
{
	struct err e;
	int rc;

	for (uint64_t n = 0; n < 300; n = n * 3 + 1) {
		reset(n);
		rc = pump_run(&fake, &ops, &threads, threads, &e);
		ok(rc == 0 && emitted == n && disorder == 0,
		   "threads=%u n=%d in order", threads, (int)n);
		ok(most <= 2 * threads + 2, "threads=%u: %d in flight",
		   threads, (int)most);
	}
}

static void
expect(unsigned threads, const char *want, uint64_t want_emitted)
{
	struct err e = { 0, "" };
	int rc = pump_run(&fake, &ops, &threads, threads, &e);

	ok(rc < 0 && rc == e.code && strcmp(e.text, want) == 0 &&
	   emitted == want_emitted && disorder == 0,
	   "threads=%u: %s, error '%s', %d emitted", threads, want, e.text,
	   (int)emitted);
}

static void
test_errors(unsigned threads)
{
	reset(100);
	fail_work = 40;
	fail_work2 = 37;	/* may well fail later than 40 does */
	expect(threads, "work 37", 37);
	reset(100);
	fake.fail_read = 20;
	expect(threads, "read 20", 20);
	reset(100);
	fake.fail_read = 20;
	fail_work = 19;
	expect(threads, "work 19", 19);
	reset(100);
	fake.fail_encode = 0;
	expect(threads, "encode 0", 0);
	reset(100);
	fake.fail_account = 99;
	expect(threads, "account 99", 99);
	reset(100);
	fail_emit = 50;
	fail_work = 51;
	expect(threads, "emit 50", 50);
}

/* Chains: two sequences in pieces, every piece with W letters of context. */

struct want {
	uint64_t serial, own_beg, beg;
	bool first;
};
static struct want *wants;
static uint64_t chain_context, chain_bad;

static int
check_chain(void *ctx, unsigned thread, struct pump_job *job, struct err *e)
{
	const struct want *w = &wants[job->number];
	uint64_t to = w->own_beg > chain_context ?
		      w->own_beg - chain_context : 0, have = w->beg;
	size_t n = 0;

	(void)ctx;
	(void)thread;
	(void)e;
	while (have > to && !w[-(long)n].first && job->number > n) {
		n++;
		have = w[-(long)n].beg;
	}
	if (w->first)
		n = 0;
	__atomic_add_fetch(&chain_bad, n != job->n_before,
			   __ATOMIC_SEQ_CST);
	for (size_t i = 0; i < job->n_before && i < n; i++)
		if (job->before[i]->serial != w->serial - 1 - i)
			__atomic_add_fetch(&chain_bad, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static struct rec_frame *
piece(const uint8_t *s, uint64_t serial, uint64_t ordinal, uint64_t beg,
      uint64_t own_beg, uint64_t own_end, unsigned flags)
{
	struct chunk_row r = {
		.ordinal = ordinal, .beg = beg, .n = own_end - beg,
		.own_beg = own_beg, .own_end = own_end, .flags = flags,
		.length = flags & CHUNK_LAST ? own_end : 0,
		.name = { "s", 1 },
	};
	struct chunk_raw raw = {
		.run = { .id = 7, .base = { "b", 1 }, .first = { "s", 1 } },
		.serial = serial, .row = &r, .n_rows = 1, .letters = s + beg,
	};
	struct rec_frame *f;
	uint64_t owned, digest;
	struct err e;

	if (chunk_encode(&f, &raw, &owned, &digest, &e))
		abort();
	return f;
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
test_chains(uint64_t *seed, unsigned threads, uint64_t context)
{
	const struct pump_ops chain_ops = { .context = context,
					    .work = check_chain,
					    .emit = count };
	static uint8_t s[500];
	struct rec_frame *frames[1000];
	struct want want[1000];
	uint64_t n = 0, own = 1 + below(seed, 60), w = below(seed, 80);
	struct err e;
	int rc;

	memset(s, 'A', sizeof s);
	for (uint64_t o = 0; o < 2; o++)
		for (uint64_t at = 0; at < sizeof s; at += own, n++) {
			uint64_t to = at + own < sizeof s ? at + own :
				      sizeof s;
			uint64_t beg = at > w ? at - w : 0;

			frames[n] = piece(s, n, o, beg, at, to,
					  (at ? 0 : CHUNK_FIRST) |
					  (to == sizeof s ? CHUNK_LAST : 0));
			want[n] = (struct want){ n, at, beg, at == 0 };
		}
	reset(n);
	fake.frame = frames;
	wants = want;
	chain_context = context;
	chain_bad = 0;
	rc = pump_run(&fake, &chain_ops, NULL, threads, &e);
	ok(rc == 0 && chain_bad == 0, "threads=%u L=%d W=%d context=%d",
	   threads, (int)own, (int)w, (int)context);
	while (n)
		rec_frame_drop(frames[--n]);
}

int
main(void)
{
	uint64_t seed = 1;

	for (unsigned t = 1; t <= 4; t++) {
		delays = t != 1;
		test_order(t);
		for (int i = 0; i < 5; i++)
			test_errors(t);
	}
	for (unsigned i = 0; i < 100; i++)
		test_chains(&seed, 1 + i % 3, 1 + below(&seed, 200));
	return done();
}
