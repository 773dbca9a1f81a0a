/* SPDX-License-Identifier: MIT */
/* sw_parts_case.h - chunks in parts, in any order, and the rows of the whole */
#ifndef SEQF_SW_PARTS_CASE_H
#define SEQF_SW_PARTS_CASE_H

#include "scan/sw/sw_scan_priv.h"
#include "rec/rec.h"
#include "tests/lib/scan_chunk.h"
#include "tests/lib/tap.h"

enum { MOST = 5000, MOST_ROWS = 20, CHUNKS = 4, QUERIES = 40, MOST_N = 120 };

static uint64_t seed = 20261123;
static uint8_t letters[MOST + 64];
static char query[QUERIES][MOST_N + 1];
static size_t n_queries;
static struct rec_frame *frame[CHUNKS];
static size_t n_frames;
static unsigned most_parts;
static size_t n_stretches, n_groups, n_across;
/* By a GPU first, before they are cut; columns that it did, and texts and
 * patterns of a batch: of alignments, or of cells. */
static bool by_gpu;
static uint64_t n_columns, n_known[2];

static uint64_t
any(uint64_t n)
{
	return below(&seed, n);
}

static void
must(int rc, const struct err *e)
{
	if (rc) {
		printf("Bail out! %s\n", e->text);
		exit(1);
	}
}

/* Few queries may have many stretches each; many come in groups. */
static void
make_queries(void)
{
	bool many = any(8) == 0;

	n_queries = many ? 33 + any(QUERIES - 32) : 1 + any(4);
	for (size_t i = 0; i < n_queries; i++) {
		size_t n = 1 + any(many || any(3) == 0 ? 12 : MOST_N);
		bool none = by_gpu && any(12) == 0;	/* nor for a GPU */

		for (size_t j = 0; j < n; j++)
			query[i][j] = "ACGTN"[none ? 4 : any(any(9) ? 4 : 5)];
		query[i][n] = '\0';
	}
}

/* Random, or with a period; in both, copies of queries with some changes. */
static void
make_letters(void)
{
	size_t kinds = 1 + any(4), period = 1 + any(40), copies = any(60);

	for (size_t i = 0; i < MOST; i++) {
		letters[i] = (uint8_t)"ACGT"[any(kinds)];
		if (i >= period && any(10) < 7)
			letters[i] = letters[i - period];
		if (any(80) == 0)
			letters[i] = (uint8_t)"NRYKacgt"[any(8)];
	}
	for (size_t k = 0; k < copies; k++) {
		const char *q = query[any(n_queries)];
		size_t at = any(MOST);

		for (; *q && at < MOST; q += any(30) != 0)
			if (any(30))
				letters[at++] = any(20) ? (uint8_t)*q :
						(uint8_t)"ACGT"[any(4)];
	}
}

static void
encode(struct chunk_row *row, size_t n_rows, const uint8_t *from)
{
	struct chunk_raw raw = {
		.run = { .id = 7, .base = { "b", 1 }, .first = { "s", 1 } },
		.serial = n_frames, .row = row, .n_rows = n_rows,
		.letters = from,
	};
	uint64_t owned, digest;
	struct err e;

	must(chunk_encode(&frame[n_frames++], &raw, &owned, &digest, &e), &e);
}

/* One sequence in chunks, each with the context that it needs, or more. */
static void
make_chunks(uint64_t context)
{
	uint64_t beg = 0, chunks = 1 + any(CHUNKS);

	for (uint64_t i = 0; i < chunks; i++) {
		uint64_t end = beg + (MOST - beg) / (chunks - i), back;
		struct chunk_row row = { .name = { "seq", 3 },
					 .own_beg = beg, .flags = 0 };

		end -= i + 1 < chunks ? any((end - beg) / 2) : 0;
		back = context > beg ? beg : context;
		back += any(2) ? any(beg - back + 1) : 0;
		row.beg = beg - back;
		row.own_end = end;
		row.n = end - row.beg;
		row.flags = row.beg == 0 ? CHUNK_FIRST : 0;
		if (end == MOST) {
			row.flags |= CHUNK_LAST;
			row.length = end;
		}
		encode(&row, 1, letters + row.beg);
		beg = end;
	}
}

/* Whole sequences in one chunk. */
static void
make_rows(void)
{
	struct chunk_row row[MOST_ROWS];
	size_t n = 1 + any(MOST_ROWS);
	uint64_t at = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t length = any(MOST / n);

		row[i] = (struct chunk_row){
			.ordinal = i, .n = length, .own_end = length,
			.length = length, .at = at, .name = { "seq", 3 },
			.flags = CHUNK_FIRST | CHUNK_LAST,
		};
		at += length;
	}
	encode(row, n, letters);
}

static struct sw_options
options(void)
{
	static const char *const scores[] = {
		"2/-3/5/2", "5/-3/8/1", "1/-1/0/1", "3/-1/4/2", "2/-2/3/0",
	};
	static const int64_t n[] = { 1, 2, 7, 100 };
	struct sw_options o = {
		.n = n[any(4)], .min_score = any(2) ? 1 : 1 + (int64_t)any(20),
		.no_cigar = any(3) == 0, .with_seq = any(3) == 0,
		.engine = (enum sw_engine)any(5),
		.strands = (enum sw_strands)any(4),
		.scoring = { scores[any(any(6) ? 4 : 5)], NULL, SW_UNSET,
			     SW_UNSET, SW_UNSET, SW_UNSET },
	};

	o.best = any(8) == 0 ? SW_READ_DISJOINT : any(3) == 0 ?
		 SW_READ_CELLS : SW_READ_ALIGNMENTS;
	return o;
}

/* What was cut, and the rows that begin before their part does. */
static void
look(const struct sw_job *c)
{
	most_parts = c->j.n_parts > most_parts ? c->j.n_parts : most_parts;
	if (c->j.n_parts > PUMP_MAX_PARTS)
		abort();
	for (unsigned i = 0; i < c->j.n_parts; i++) {
		struct cur rows = cur_of(c->j.rows[i].p, c->j.rows[i].n);

		n_stretches += c->part[i].beg > 0;
		n_groups += c->part[i].to - c->part[i].from > 1;
		while (cur_left(&rows)) {
			n_across += cur_le(&rows, 1) == 0 &&
				    c->part[i].beg > 0;
			cur_str(&rows);
		}
	}
}

static void
add(struct scan_best *b, size_t number, struct buf *rows)
{
	struct err e;

	must(scan_best_add(b, frame[number], rows, &e), &e);
	rows->n = 0;
}

/* Cut, where nobody shares rows; searched in any order.  Meanwhile the rows of
 * the chunk before, if there are any, are added to b. */
static void
search_parts(const struct scan_workers *m, struct scan_job *job,
	     struct scan_best *b, size_t number, struct buf *before)
{
	struct sw_job *c = sw_job_of(job);
	struct buf none = { 0 };
	unsigned from;
	struct err e;

	sw_plan(c, 2 + (unsigned)any(9), any(2), any(2));
	c->leaders = 0;
	from = (unsigned)any(c->j.n_parts);
	for (unsigned j = 0; j < c->j.n_parts; j++) {
		if (before->n && any(2))
			add(b, number - 1, before);
		must(scan_job_part(m->s, &c->j, m->worker[any(2)],
				   (from + j) % c->j.n_parts, false, &none,
				   &e), &e);
	}
	look(c);
	if (before->n)
		add(b, number - 1, before);
}

/* A job for each chunk, all of them opened, in one batch. */
static void
batch(const struct scan_workers *m)
{
	struct scan_job *in[CHUNKS];
	unsigned n = 0;
	struct err e;

	for (size_t i = 0; i < n_frames; i++) {
		struct pump_job job = { .item = { .frame = frame[i] } };

		must(scan_job_open(m->s, m->job[i], m->worker[0], &job, &e),
		     &e);
		must(m->s->postpone(m->job[i], &e), &e);
		if (m->job[i]->weight)
			in[n++] = m->job[i];
	}
	if (n)
		m->s->batch(in, n);
	for (unsigned i = 0; i < n; i++) {
		const struct sw_job *c = sw_job_of(in[i]);

		for (size_t k = 0; k < c->s->n_patterns; k++)
			n_known[c->s->o.best == SW_READ_CELLS] +=
				c->known[k].tops != NULL;
	}
}

/* The jobs had these chunks before, and the GPU serves no more. */
static void
stop_gpu(const struct scan_workers *m)
{
	batch(m);
	for (size_t i = 0; i < n_frames; i++)
		scan_job_close(m->s, m->job[i]);
	cuda_pool_stop(m->gpu, "enough");
}

static void
in_parts(struct scan_workers *m, struct sw_scan *s, struct scan_best *b,
	 uint64_t part)
{
	bool all = m->gpu && any(4);
	struct buf rows = { 0 };
	struct err e;

	if (all)
		batch(m);
	else if (m->gpu)
		stop_gpu(m);
	s->part = part;
	for (size_t i = 0; i < n_frames; i++) {
		struct pump_job job = { .item = { .frame = frame[i] } };
		struct scan_job *j = m->job[all ? i : 0];

		if (!all)
			must(scan_job_open(m->s, j, m->worker[0], &job, &e),
			     &e);
		search_parts(m, j, b, i, &rows);
		for (unsigned k = 0; k < j->n_parts; k++)
			must(scan_job_join(m->s, j, k, &rows, &e), &e);
		if (!rows.n || i + 1 == n_frames)
			add(b, i, &rows);
		scan_job_close(m->s, j);
	}
	buf_free(&rows);
}

/* Small pieces, and memory for few of them. */
static void
begin_gpu(struct sw_scan *s)
{
	struct cuda_sw_params p = {
		.choice = { .kind = CUDA_THESE, .n = 1 },
		.own = SW_BLOCK * (1 + (uint32_t)any(12)),
		.lead = SW_BLOCK * (1 + (uint32_t)any(8)),
		.bytes = 100000 + any(1 << 20), .sweep = SW_DEV_LANES,
	};
	struct err e;

	if (s->o.best == SW_READ_DISJOINT)
		return;
	if (s->o.best == SW_READ_CELLS)
		p.kernel = (enum cuda_sw_kernel)any(3);
	must(cuda_sw_new(&s->gpu, &p, &e), &e);
	s->backend = (struct sw_backend){ cuda_sw_find, s->gpu };
}

static void
end_gpu(struct sw_scan *s)
{
	struct cuda_report r;

	if (!s->gpu)
		return;
	sw_end_gpu(s, &r);
	n_columns += r.letters;
	if (*r.failed)
		ok(0, "%s", r.failed);
}

static void
whole(struct scan_workers *m, struct scan_best *b)
{
	struct buf rows = { 0 };
	struct err e;

	for (size_t i = 0; i < n_frames; i++) {
		must(scan_one_chunk(m, frame[i], NULL, 0, &rows, &e), &e);
		add(b, i, &rows);
	}
	buf_free(&rows);
}

static int
put(void *ctx, const struct buf *b, struct err *e)
{
	(void)e;
	buf_put(ctx, b->p, b->n);
	return 0;
}

static void
search(struct sw_scan *s, uint64_t part, struct buf *out)
{
	struct sw_progress progress = { .of = 0 };
	struct sw_search x = { .s = s, .progress = &progress };
	struct scan_workers *m;
	struct err e;

	must(sw_best_new(&x.best, s, &e), &e);
	must(sw_workers_new(&m, &x, 2, &e), &e);
	if (part)
		in_parts(m, s, x.best, part);
	else
		whole(m, x.best);
	must(scan_best_finish(x.best, put, out, &e), &e);
	scan_workers_free(m);
	scan_best_free(x.best);
}

static void
test_case(int number)
{
	struct opt_item it[QUERIES];
	struct opt_list l = { it, 0 };
	struct buf want = { 0 }, have = { 0 };
	struct sw_options o = options();
	uint64_t part = 64 * (1 + any(any(2) ? 4 : 30));
	struct queries q;
	struct sw_scan *s;
	struct err e;

	if (by_gpu)
		o.engine = SW_AUTO;
	make_queries();
	make_letters();
	for (l.n = 0; l.n < n_queries; l.n++)
		it[l.n] = (struct opt_item){ 'e', query[l.n] };
	must(queries_load(&q, &l, false, &e), &e);
	must(sw_scan_new(&s, &o, &q, &e), &e);
	if (s->context == UINT64_MAX || any(4) == 0)
		make_rows();
	else
		make_chunks(s->context);
	search(s, 0, &want);
	if (by_gpu)
		begin_gpu(s);
	search(s, part, &have);
	end_gpu(s);
	ok(want.n == have.n && memcmp(want.p, have.p, want.n) == 0,
	   "case %d: %d chunks, %d queries, -n %d of %d at %s, parts of %d: "
	   "%d bytes, %d wanted", number, (int)n_frames, (int)n_queries,
	   (int)o.n, o.best, o.scoring.preset, (int)part, (int)have.n,
	   (int)want.n);
	while (n_frames)
		rec_frame_drop(frame[--n_frames]);
	sw_scan_free(s);
	queries_free(&q);
	buf_free(&want);
	buf_free(&have);
}

#endif
