/* SPDX-License-Identifier: MIT */
/* asm_parts_case.h - a chunk in parts, in any order, and the whole's bytes */
#ifndef SEQF_ASM_PARTS_CASE_H
#define SEQF_ASM_PARTS_CASE_H

#include "scan/asm/asm_priv.h"
#include "scan/scan.h"
#include "rec/rec.h"
#include "tests/lib/scan_chunk.h"
#include "tests/lib/tap.h"

enum { MOST = 6000, MOST_ROWS = 30, QUERIES = 5, MOST_M = 90 };

static uint64_t seed = 20261122;
static uint8_t letters[MOST + 64];
static struct chunk_row row[MOST_ROWS];
static size_t n_rows;
static char pattern[QUERIES][MOST_M + 1];
static size_t n_patterns;
static bool matched;
static unsigned most_parts;
/* By a GPU first, before they are cut; what it did.  Jobs of a batch are made
 * when there is one. */
static bool by_gpu, made_early;
static uint64_t n_letters;

static uint64_t
any(uint64_t n)
{
	return below(&seed, n);
}

/* Few letters, repeats, some that are not A C G T. */
static void
make_letters(bool clean)
{
	size_t kinds = 1 + any(4), period = 1 + any(40);

	for (size_t i = 0; i < MOST; i++) {
		letters[i] = (uint8_t)"ACGT"[any(kinds)];
		if (i >= period && any(10) < 7)
			letters[i] = letters[i - period];
		if (!clean && any(60) == 0)
			letters[i] = (uint8_t)"NRYKacgt"[any(8)];
	}
}

/* Sequences, the first of which may have begun and the last may go on. */
static void
make_rows(uint64_t context)
{
	bool goes_on = any(2);
	uint64_t at = 0;

	n_rows = any(3) ? 1 + any(2) : 1 + any(MOST_ROWS);
	for (size_t i = 0; i < n_rows; i++) {
		uint64_t n = any(MOST / n_rows), own = 0;
		bool first = i || n < context || any(2);

		if (!first)
			own = context + any(n - context + 1);
		row[i] = (struct chunk_row){
			.ordinal = i, .beg = first ? 0 : 1000, .n = n,
			.own_beg = first ? 0 : 1000 + own, .at = at,
			.flags = (first ? CHUNK_FIRST : 0) | CHUNK_LAST,
			.name = { "seq", 3 },
		};
		row[i].own_end = row[i].length = row[i].beg + n;
		at += n;
	}
	if (goes_on) {
		row[n_rows - 1].flags &= ~(unsigned)CHUNK_LAST;
		row[n_rows - 1].length = 0;
	}
}

/* Patterns are copies out of the text, with some letters changed. */
static void
make_patterns(void)
{
	n_patterns = 1 + any(QUERIES);
	for (size_t i = 0; i < n_patterns; i++) {
		size_t m = 1 + any(any(2) ? 12 : MOST_M), at = any(MOST - m);

		for (size_t j = 0; j < m; j++)
			pattern[i][j] = any(12) ? (char)letters[at + j] :
					"ACGT"[any(4)];
		pattern[i][m] = '\0';
	}
}

static struct asm_options
options(void)
{
	static const char *const k[] = { "0", "5%", "12%", "30%", "60%" };
	static const char *const costs[] = { "0", "0.5", "1", NULL };
	struct asm_options o = {
		.k = k[any(5)], .report = (enum asm_report)any(5),
		.no_indels = any(4) == 0, .no_cigar = any(4) == 0,
		.with_seq = any(2), .engine = (enum kdiff_engine)any(6),
		.alphabet = any(5) ? KDIFF_DNA : KDIFF_BYTES,
	};

	o.iupac = o.alphabet == KDIFF_DNA && any(3) == 0;
	o.ends = !o.with_seq && any(4) == 0;
	o.histogram = o.report != ASM_BEST && any(6) == 0;
	if (any(3) == 0) {
		o.overhang_start = costs[any(4)];
		o.overhang_end = o.overhang_start ? costs[any(4)] :
				 costs[any(3)];
		o.min_overlap = any(3) ? 0 : (int64_t)any(9);
		o.per_overlap = strchr(o.k, '%') && any(3) == 0;
	}
	if (any(3) == 0 && !o.histogram && o.report != ASM_COUNT)
		o.max_hits = any(2) ? 1 + (int64_t)any(3) :
			     1 + (int64_t)any(100);
	return o;
}

static struct rec_frame *
encode(void)
{
	struct chunk_raw raw = {
		.run = { .id = 7, .base = { "b", 1 }, .first = { "s", 1 } },
		.serial = 3, .row = row, .n_rows = n_rows,
		.letters = letters,
	};
	uint64_t owned, digest;
	struct rec_frame *f;
	struct err e;

	if (chunk_encode(&f, &raw, &owned, &digest, &e))
		abort();
	return f;
}

static void
must(int rc, const struct err *e)
{
	if (rc) {
		printf("Bail out! %s\n", e->text);
		exit(1);
	}
}

/* The whole to the GPU. */
static void
batch(const struct scan_search *ops, struct scan_job *j)
{
	struct err e;

	must(ops->postpone(j, &e), &e);
	if (j->weight)
		ops->batch(&j, 1);
}

/* The same job had a chunk before, and the GPU serves no more: the CPU does
 * all, and what was found then is not in its way. */
static void
stop_gpu(const struct scan_workers *m, struct asm_scan *a,
	 struct pump_job *job)
{
	struct scan_job *j = m->job[0];
	struct err e;

	must(scan_job_open(m->s, j, m->worker[0], job, &e), &e);
	batch(m->s, j);
	scan_job_close(m->s, j);
	cuda_pool_stop(asm_gpu_pool(a->gpu), "enough");
}

/* Parts begin in order; when they are joined, chance decides. */
static void
in_parts(const struct scan_workers *m, struct rec_frame *f, struct asm_scan *a,
	 uint64_t letters_each, struct buf *out)
{
	struct scan_job *j = m->job[0];
	struct pump_job job = { .item = { .frame = f }, .threads = 2,
				.few = any(2) };
	unsigned done = 0, joined = 0;
	struct err e;

	if (a->gpu && any(4) == 0)
		stop_gpu(m, a, &job);
	must(scan_job_open(m->s, j, m->worker[0], &job, &e), &e);
	if (a->gpu && cuda_pool_is_open(asm_gpu_pool(a->gpu)))
		batch(m->s, j);
	a->part = letters_each;
	must(m->s->plan(j, &job, &e), &e);
	most_parts = j->n_parts > most_parts ? j->n_parts : most_parts;
	if (j->n_parts > PUMP_MAX_PARTS)
		abort();
	while (joined < j->n_parts) {
		if (done < j->n_parts && any(2)) {
			must(scan_job_part(m->s, j, m->worker[any(2)], done,
					   done == joined, out, &e), &e);
			done++;
		}
		if (joined < done && any(3) == 0) {
			must(scan_job_join(m->s, j, joined, out, &e), &e);
			joined++;
		}
	}
	scan_job_close(m->s, j);
}

/* Few letters at a time, and room for few hits. */
static void
begin_gpu(struct asm_scan *a)
{
	struct asm_gpu_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 }, .threads = 1,
		.letters = 64 * (9 + (uint32_t)any(90)),
		.hits = any(4) ? 1 << 16 : 300,
	};
	struct err e;

	if (a->o.alphabet == KDIFF_DNA)
		must(asm_use_gpu(a, &p, &e), &e);
}

static void
end_gpu(struct asm_scan *a)
{
	struct cuda_report r;

	if (!a->gpu)
		return;
	asm_end_gpu(a, &r);
	n_letters += r.letters;
	if (*r.failed)
		ok(0, "%s", r.failed);
}

static int
put(void *ctx, const struct buf *b, struct err *e)
{
	(void)e;
	buf_put(ctx, b->p, b->n);
	return 0;
}

/* What is kept of the best differs; what is reported of them does not. */
static void
search(struct asm_scan *a, struct rec_frame *f, uint64_t part, struct buf *out)
{
	struct asm_search x = { .a = a, .matched = matched };
	struct scan_workers *m;
	struct buf rows = { 0 }, *to = out;
	struct err e;

	if (asm_report(a) == ASM_BEST) {
		must(asm_best_new(&x.best, a, &e), &e);
		to = &rows;
	}
	must(asm_workers_new(&m, &x, 2, &e), &e);
	made_early |= a->gpu && m->batch.calls && m->job[m->n_jobs - 1];
	if (part)
		in_parts(m, f, a, part, to);
	else
		must(scan_one_chunk(m, f, NULL, 0, to, &e), &e);
	if (x.best) {
		must(scan_best_add(x.best, f, &rows, &e), &e);
		must(scan_best_finish(x.best, put, out, &e), &e);
	}
	scan_workers_free(m);
	scan_best_free(x.best);
	buf_free(&rows);
}

/* A row as the definition of --max-hits sees it, and its bytes. */
struct seen {
	uint32_t query, edits;
	uint64_t subject, send;
	size_t at, n;
};

struct rows {
	struct seen v[1 << 16];
	size_t n;
	struct buf bytes;
};

static int
see_row(void *ctx, const struct hits_view *v, const struct hit *h,
	struct err *e)
{
	struct rows *r = ctx;
	size_t at = r->bytes.n;

	(void)v;
	(void)e;
	if (r->n == 1 << 16)
		abort();
	hit_put(&r->bytes, h);
	r->v[r->n++] = (struct seen){
		h->query.ordinal, (uint32_t)h->edits, h->subject.ordinal,
		h->send, at, r->bytes.n - at,
	};
	return 0;
}

static int
see_frame(void *ctx, struct rec_frame *f, struct err *e)
{
	return f->type == REC_HITS ? hits_each(f, see_row, ctx, e) : 0;
}

static bool
precedes(const struct seen *a, const struct seen *b)
{
	return a->query == b->query && (a->edits != b->edits ?
		a->edits < b->edits : a->subject != b->subject ?
		a->subject < b->subject : a->send < b->send);
}

/* Of all rows, those that no n others of their query precede. */
static bool
right_top(const struct buf *all, const struct buf *have, int64_t n)
{
	static struct rows a, h;
	struct err e;
	size_t next = 0;
	bool good = true;

	a.n = h.n = a.bytes.n = h.bytes.n = 0;
	must(frames_each(all, see_frame, &a, &e), &e);
	must(frames_each(have, see_frame, &h, &e), &e);
	for (size_t i = 0; i < a.n && good; i++) {
		int64_t before = 0;

		for (size_t j = 0; j < a.n && before < n; j++)
			before += precedes(&a.v[j], &a.v[i]);
		if (before == n)
			continue;
		good = next < h.n && h.v[next].n == a.v[i].n &&
		       memcmp(h.bytes.p + h.v[next].at,
			      a.bytes.p + a.v[i].at, a.v[i].n) == 0;
		next++;
	}
	return good && next == h.n;
}

/* Against the same search without --max-hits. */
static void
check_top(struct asm_options o, const struct queries *q,
	  struct rec_frame *f, const struct buf *have)
{
	int64_t n = o.max_hits;
	struct buf all = { 0 };
	struct asm_scan *a;
	struct err e;

	o.max_hits = 0;
	must(asm_new(&a, &o, q, &e), &e);
	search(a, f, 0, &all);
	ok(right_top(&all, have, n), "the best %d", (int)n);
	asm_free(a);
	buf_free(&all);
}

static void
test_case(int number)
{
	struct opt_item it[QUERIES];
	struct opt_list l = { it, 0 };
	struct buf want = { 0 }, have = { 0 };
	struct asm_options o = options();
	struct rec_frame *f;
	struct queries q;
	struct asm_scan *a;
	struct err e;
	uint64_t part = 64 * (1 + any(any(2) ? 4 : 30));

	make_letters(o.alphabet == KDIFF_BYTES || any(2));
	make_patterns();
	for (l.n = 0; l.n < n_patterns; l.n++)
		it[l.n] = (struct opt_item){ 'e', pattern[l.n] };
	matched = o.report != ASM_BEST && any(5) == 0;
	must(queries_load(&q, &l, false, &e), &e);
	must(asm_new(&a, &o, &q, &e), &e);
	make_rows(asm_context(a));
	f = encode();
	search(a, f, 0, &want);
	if (by_gpu)
		begin_gpu(a);
	search(a, f, part, &have);
	end_gpu(a);
	ok(want.n == have.n && memcmp(want.p, have.p, want.n) == 0,
	   "case %d: %d rows, %d patterns, k=%s report=%d engine=%d, parts of "
	   "%d: %d bytes, %d wanted", number, (int)n_rows, (int)n_patterns,
	   o.k, o.report, o.engine, (int)part, (int)have.n, (int)want.n);
	if (o.max_hits && o.report != ASM_BEST && !matched)
		check_top(o, &q, f, &have);
	rec_frame_drop(f);
	asm_free(a);
	queries_free(&q);
	buf_free(&want);
	buf_free(&have);
}

#endif
