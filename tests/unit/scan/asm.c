/* SPDX-License-Identifier: MIT */
/* asm.c - scans end to end, from chunks to frames, against the textbook */
#include <unistd.h>

#include "tests/lib/asm_case.h"
#include "kdiff/kdiff_priv.h"
#include "letters/letters.h"
#include "scan/asm/asm_priv.h"
#include "scan/asm/asm.h"
#include "rec/rec.h"
#include "tests/lib/tap.h"

/* What the scan says, in the same words. */

static char path[64];
static uint64_t part;		/* letters; 0: as many as it takes */

static void
no_warn(const char *text)
{
	(void)text;
}

static int
scan(const struct queries *q, size_t beg, size_t end, unsigned threads,
     struct err *e)
{
	struct scan_run r = { .threads = threads, .note = no_warn };
	struct sink_params sp = { .format = FORMAT_REC, .prog = "test" };
	struct asm_scan *a = NULL;
	uint64_t n_letters;
	struct out *out;
	int rc = asm_new(&a, &o, q, e);

	if (rc || out_open(&out, path, e) || sink_new(&r.sink, &sp, out, e))
		return rc ? rc : e->code;
	a->part = part;
	fake = (struct feed){ beg, end };
	rc = asm_run(&r, a, &n_letters, e);
	if (rc)
		out_abort(out);
	else
		rc = out_close(out, e);
	sink_free(r.sink);
	asm_free(a);
	return rc;
}

struct have {
	struct buf rows;
	uint64_t count[MAX_QUERY][2][MAX_M];
	uint64_t covered, begins;
};

static void
read_hits(struct have *h, const struct rec_frame *f)
{
	struct hits_view v;
	struct hit x;
	struct err e;

	if (hits_view(&v, f, &e))
		abort();
	while (hits_next(&v, &x, &e) > 0) {
		struct buf *b = &h->rows;

		buf_printf(b, "%d %d %d %c %d", (int)x.subject.ordinal,
			   (int)x.send, (int)x.query.ordinal,
			   x.flags & HIT_MINUS ? '-' : '+', (int)x.edits);
		if (!(x.flags & HIT_NO_SBEG))
			buf_printf(b, " %d", (int)x.sbeg);
		if (x.flags & HIT_CIGAR) {
			buf_u8(b, ' ');
			cigar_text(b, x.cigar, x.n_cigar);
		}
		if (x.flags & HIT_LETTERS)
			buf_printf(b, " %.*s", (int)x.letters.n,
				   x.letters.p);
		buf_u8(b, '\n');
		if (x.qbeg != 0 || x.qend != x.query.len ||
		    x.score != -(int64_t)x.edits)
			buf_printf(b, "query wrong\n");
	}
	hits_view_free(&v);
}

static void
read_tally(struct have *h, const struct rec_frame *f)
{
	struct tally t;
	struct err e;

	if (tally_view(&t, f, &e))
		abort();
	for (size_t i = 0; i < t.n_rows; i++)
		h->count[t.row[i].query.ordinal][t.row[i].minus]
			[t.row[i].edits] += t.row[i].count;
	tally_free(&t);
}

/* Adds up what the file holds. */
static void
read_back(struct have *h)
{
	struct rec_reader *r;
	struct rec_frame *f;
	struct receipt c;
	struct run_key run;
	struct source *s;
	struct err e;

	if (source_open(&s, path, 1, &e) || rec_reader_new(&r, s, &e))
		abort();
	while (rec_read(r, &f, &e) == REC_FRAME) {
		h->begins += f->type == REC_BEGIN;
		if (f->type == REC_HITS)
			read_hits(h, f);
		if (f->type == REC_TALLY)
			read_tally(h, f);
		if (f->type == REC_HITS || f->type == REC_TALLY) {
			if (result_head(f, &run, &c, &e))
				abort();
			for (size_t i = 0; i < c.n_ranges; i++)
				h->covered += c.range[i].end -
					      c.range[i].first;
			free(c.range);
		}
		rec_frame_drop(f);
	}
	rec_reader_free(r);
	source_close(s);
}

static void
put_counts(struct have *h)
{
	for (size_t x = 0; x < n_query * 2 * MAX_M; x++) {
		size_t q = x / MAX_M / 2, y = x / MAX_M % 2, d = x % MAX_M;

		if (h->count[q][y][d])
			buf_printf(&h->rows, "%d %c %d %d\n", (int)q,
				   "+-"[y], (int)d, (int)h->count[q][y][d]);
	}
}

static bool
same(const struct buf *a, const struct buf *b)
{
	return a->n == b->n && (a->n == 0 || memcmp(a->p, b->p, a->n) == 0);
}

static int
load(struct queries *q)
{
	struct opt_item it[MAX_QUERY];
	struct opt_list l = { it, n_query };
	struct err e;

	for (size_t i = 0; i < n_query; i++)
		it[i] = (struct opt_item){ 'e', pat[i] };
	return queries_load(q, &l, false, &e);
}

/* All frames through one pump. */
static void
test_stream(uint64_t *s, const struct queries *q, const struct want *w,
	    int number)
{
	unsigned threads = 1 + (unsigned)below(s, 4);
	uint64_t own = 1 + below(s, 200), context = below(s, 100);
	struct have h = { 0 };
	struct err e = { 0, "" };
	int rc;

	cut(own, context);
	part = below(s, 3) ? 64 * (1 + below(s, 3)) : 0;
	rc = scan(q, 0, n_frames, threads, &e);
	if (!rc)
		read_back(&h);
	put_counts(&h);
	if (!ok(rc == 0 && same(&h.rows, &w->rows) &&
		h.covered == n_chunks && h.begins == (n_chunks > 0),
		"case %d: L=%d W=%d threads=%u k=%s report=%d%s: %s", number,
		(int)own, (int)context, threads, k_text, o.report,
		part ? ", in parts" : "", e.text))
		printf("# want:\n%.*s# have:\n%.*s", (int)w->rows.n,
		       (char *)w->rows.p, (int)h.rows.n, (char *)h.rows.p);
	part = 0;
	buf_free(&h.rows);
}

/* Each frame by itself, with as much context as it takes; then one less. */
static void
test_fan(uint64_t *s, const struct queries *q, const struct want *w,
	 int number)
{
	struct asm_scan *a;
	struct have h = { 0 };
	struct err e = { 0, "" };
	uint64_t context, own = 20 + below(s, 200);
	size_t refused = 0, want = 0;
	int rc = asm_new(&a, &o, q, &e);

	if (rc)
		abort();
	context = asm_context(a);
	asm_free(a);
	cut(own, context);
	for (size_t i = 0; i < n_frames && !rc; i++) {
		rc = scan(q, i, i + 1, 1, &e);
		if (!rc)
			read_back(&h);
	}
	put_counts(&h);
	ok(rc == 0 && same(&h.rows, &w->rows) && h.covered == n_chunks,
	   "case %d: frames apart, L=%d report=%d: %s", number, (int)own,
	   o.report, e.text);
	cut(own, context - 1);
	for (size_t i = 0; i < n_frames; i++) {
		struct chunk c;

		if (chunk_view(&c, frames[i], &e))
			abort();
		want += c.row[0].own_beg >= context;
		chunk_free(&c);
		refused += scan(q, i, i + 1, 1, &e) == ERR_USAGE;
	}
	ok(refused == want, "case %d: %d of %d frames refused, %d wanted",
	   number, (int)refused, (int)n_frames, (int)want);
	buf_free(&h.rows);
}

/* Frames in any order, some twice: the best are the same, in order. */
static void
test_best(uint64_t *s, const struct queries *q, const struct want *w,
	  int number)
{
	struct have h = { 0 };
	struct err e = { 0, "" };
	size_t n;
	int rc;

	cut(20 + below(s, 200), 2 * MAX_M * 2);
	n = n_chunks;
	for (size_t i = n_frames; i > 1; i--) {
		size_t j = below(s, i);
		struct rec_frame *f = frames[i - 1];

		frames[i - 1] = frames[j];
		frames[j] = f;
	}
	if (n_frames) {
		frames[n_frames] = rec_frame_keep(frames[below(s, n_frames)]);
		n_frames++;
	}
	rc = scan(q, 0, n_frames, 1 + (unsigned)below(s, 3), &e);
	if (!rc)
		read_back(&h);
	ok(rc == 0 && same(&h.rows, &w->rows) && h.covered == n,
	   "case %d: best, shuffled, %d chunks: %s", number, (int)n, e.text);
	buf_free(&h.rows);
}

static void
test_k(void)
{
	static const struct {
		const char *text;
		uint64_t m;
		int64_t k;	/* -1: refused */
	} t[] = {
		{ "0", 5, 0 }, { "3", 20, 3 }, { "18.4%", 250, 46 },
		{ "18.3999%", 250, 45 }, { "10%", 19, 1 }, { "10.%", 20, 2 },
		{ ".5%", 200, 1 }, { "33.333333333%", 3, 0 },
		{ "100%", 7, 7 }, { "", 5, -1 }, { "%", 5, -1 },
		{ ".", 5, -1 }, { "1.5", 5, -1 }, { "3x", 5, -1 },
		{ "-1", 5, -1 }, { "1%%", 5, -1 }, { "1.2.3%", 5, -1 },
		{ "10000000000", 5, -1 },
	};
	struct err e;

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct asm_k k;
		int rc = asm_k_read(&k, t[i].text, &e);

		ok(t[i].k < 0 ? rc == ERR_USAGE :
		   !rc && asm_k_of(&k, t[i].m) == (uint64_t)t[i].k,
		   "-k %s of %d", t[i].text, (int)t[i].m);
	}
}

static void
test_refused(void)
{
	struct opt_item it = { 'e', "ACGTACGT" };
	struct opt_list l = { &it, 1 };
	struct asm_scan *a;
	struct queries q;
	struct err e;

	if (queries_load(&q, &l, false, &e))
		abort();
	o = (struct asm_options){ .k = "8" };
	ok(asm_new(&a, &o, &q, &e) == ERR_USAGE &&
	   strstr(e.text, "ACGTACGT"), "k = m: %s", e.text);
	o = (struct asm_options){ .exact_prefix = 8, .exact_suffix = 9 };
	ok(asm_new(&a, &o, &q, &e) == ERR_USAGE &&
	   strstr(e.text, "ACGTACGT") && strstr(e.text, "suffix 9"),
	   "suffix longer than m: %s", e.text);
	o = (struct asm_options){ .alphabet = KDIFF_PROTEIN,
				  .strands = ASM_MINUS };
	ok(asm_new(&a, &o, &q, &e) == ERR_USAGE, "minus protein");
	o = (struct asm_options){ .histogram = true, .report = ASM_BEST };
	ok(asm_new(&a, &o, &q, &e) == ERR_USAGE, "histogram of the best");
	o = (struct asm_options){ .histogram = true, .max_hits = 1 };
	ok(asm_new(&a, &o, &q, &e) == ERR_USAGE, "numbers are no hits");
	o = (struct asm_options){ .ends = true, .with_seq = true };
	ok(asm_new(&a, &o, &q, &e) == ERR_USAGE, "letters without a start");
	queries_free(&q);
	it.value = "ACGXT";
	if (queries_load(&q, &l, false, &e))
		abort();
	o = (struct asm_options){ .k = "1" };
	ok(asm_new(&a, &o, &q, &e) == ERR_USAGE && strstr(e.text, "ACGXT"),
	   "no IUPAC letter: %s", e.text);
	queries_free(&q);
}

/* Engines go by the backend: a pool that is never asked must not be one. */
static void
test_backend(uint64_t *s)
{
	const struct asm_gpu_params gpu[] = {
		{ .choice.kind = CUDA_AUTO, .threads = 1000 },
		{ .choice.kind = CUDA_NONE, .threads = 0 },
		{ .choice.kind = CUDA_AUTO, .threads = 0 },	/* enough */
	};
	static const char *const what[] = { "few patterns", "-g none",
					    "built without CUDA" };
	const struct cuda_kdiff_params *c;
	uint64_t processors = port_processors();
	struct cuda_report report;
	struct asm_scan *a;
	struct queries q;
	struct err e;

	make_case(s);
	if (load(&q))
		abort();
	for (int i = 0; i < 2 + !cuda_is_built; i++) {
		if (asm_new(&a, &o, &q, &e) || asm_use_gpu(a, &gpu[i], &e))
			abort();
		ok(!a->set->backend, "%s", what[i]);
		c = cuda_pool_ctx(asm_gpu_pool(a->gpu));
		if (i == 0)
			ok(c->rate >= processors << 30 &&
			   c->rate <= processors << 33,
			   "its threads are known, as far as they run at once");
		asm_end_gpu(a, &report);
		asm_free(a);
	}
	queries_free(&q);
}

int
main(void)
{
	uint64_t s = 11;
	int fd;

	snprintf(path, sizeof path, "/tmp/seqf-asm-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		return 1;
	close(fd);
	test_k();
	test_refused();
	test_backend(&s);
	for (int i = 0; i < 400; i++) {
		struct queries q;
		struct want w;

		make_case(&s);
		if (load(&q))
			abort();
		textbook(&w);
		test_stream(&s, &q, &w, i);
		if (i % 8 == 0 && o.report != ASM_BEST)
			test_fan(&s, &q, &w, i);
		if (o.report == ASM_BEST)
			test_best(&s, &q, &w, i);
		queries_free(&q);
		buf_free(&w.rows);
	}
	cut(1, 0);
	while (n_frames)
		rec_frame_drop(frames[--n_frames]);
	unlink(path);
	return done();
}
