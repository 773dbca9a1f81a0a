/* SPDX-License-Identifier: MIT */
/* merge_class.c - frames of local alignments: dealt in any way, merged alike */
#define _GNU_SOURCE	/* memfd_create */
#include "tests/lib/merge_case.h"

enum { CHUNKS = 6, ROWS = 40 };

static struct scan_key scan = { 9, { "q.fa", 4 }, SCAN_CLASS };

/* Few places, so that there are classes of several rows. */
static void
random_rows(struct hit *v, uint64_t *seed)
{
	for (size_t i = 0; i < ROWS; i++) {
		struct hit *h = &v[i];

		memset(h, 0, sizeof *h);
		h->query = (struct query_ref) { below(seed, 2), 9,
						STR("query") };
		h->subject = (struct subject_ref) { below(seed, 2), 90,
						    STR("subject") };
		h->sbeg = below(seed, 4);
		h->send = h->sbeg + 1 + below(seed, 3);
		h->qbeg = below(seed, 2);
		h->qend = h->qbeg + 1 + below(seed, 2);
		h->score = (int64_t)below(seed, 5) + 1;
		h->flags = (unsigned)below(seed, 2) * HIT_MINUS;
	}
}

/* Rows from..to in n frames that cover the serials [first, end). */
static void
add_rows(struct frames *s, const struct hit *v, size_t n_rows, uint64_t first,
	 uint64_t end, uint32_t n)
{
	struct range g = range_of(first, end);
	struct receipt r = { .scan = scan, .range = &g, .n_ranges = 1 };

	/* a writer numbers frames when they are full: here by hand */
	for (uint32_t k = 0; k < n; k++) {
		struct hits_writer *w;
		struct buf b = { 0 };
		struct rec_frame *f;
		struct cur c;
		struct run_key key;
		size_t at = 0;

		r.last = k + 1 == n;
		if (hits_writer_new(&w, &run, &r, &err))
			abort();
		for (size_t i = k; i < n_rows; i += n)
			if (hits_add(w, &v[i], &err))
				abort();
		if (hits_finish(w, &b, &err))
			abort();
		hits_writer_free(w);
		f = next_frame(&b, &at);
		c = cur_of(f->payload, f->n);
		run_key_get(&c, run.id, &key);
		/* behind the id, the name and the rule: flags and number */
		at = (size_t)(c.p - f->payload) + 8 + 1 + scan.base.n + 1;
		f->payload[at] = r.last;
		f->payload[at + 1] = (uint8_t)k;
		add_frame(s, f);
		buf_free(&b);
	}
}

/* BEGINs and END; the scanner says that it chose the best of each query. */
static struct frames
books(unsigned best)
{
	struct frames s = { .n = 0 };
	char text[60];
	struct begin b = { run, scan, { text, 0 } };
	struct rec_frame *f;

	add_books(&s, &run, &scan, CHUNKS);
	b.text.n = (size_t)snprintf(text, sizeof text,
				    "program sw-scan\nbest %u\n", best);
	if (begin_encode(&f, &b, &err))
		abort();
	add_frame(&s, f);
	return s;
}

/* Merged in another order, with copies, and by a tree. */
static bool
alike(const struct frames *s, const struct merge_params *p, struct buf *want,
      uint64_t *seed)
{
	struct frames t = shuffled(s, seed, 5);
	struct buf b;
	int code;
	bool good;

	b = merged(&t, p, &code);
	good = code == 0 && buf_eq(&b, want);
	drop_frames(&t);
	t = tree(s, 4, seed, p);
	b = merged(&t, p, &code);
	good = buf_eq(&b, want) && code == 0 && good;
	drop_frames(&t);
	return good;
}

static void
test_random(uint64_t *seed)
{
	static struct hit v[ROWS];

	for (unsigned round = 0; round < 200; round++) {
		struct merge_params p = { .print.format = FORMAT_TSV,
			.topk = { .n = below(seed, 4) } };
		unsigned best = (unsigned)below(seed, 2) * 3;
		struct frames s = books(best), one = books(best);
		struct buf want, b;
		int code;
		bool good;

		random_rows(v, seed);
		for (uint64_t i = 0; i < CHUNKS; i++)
			add_rows(&s, v + i * 6, 6, i, i + 1,
				 1 + (uint32_t)below(seed, 2));
		want = merged(&s, &p, &code);
		good = code == 0 && want.n > 100 &&
		       alike(&s, &p, &want, seed);
		/* as one scanner of the whole stream would write it */
		add_rows(&one, v, 6 * CHUNKS, 0, CHUNKS,
			 1 + (uint32_t)below(seed, 3));
		b = merged(&one, &p, &code);
		good = buf_eq(&b, &want) && code == 0 && good &&
		       alike(&one, &p, &want, seed);
		if (!good || round % 20 == 0)
			ok(good, "-n %d, best %u", (int)p.topk.n, best);
		drop_frames(&s);
		drop_frames(&one);
		buf_free(&want);
	}
}

static const struct hit worked[] = {
	/* one class on +: the score, then less send, then less qend */
	{ .query = { 0, 20, STR("q") }, .subject = { 0, 90, STR("s") },
	  .qbeg = 2, .qend = 9, .sbeg = 5, .send = 14, .score = 7 },
	{ .query = { 0, 20, STR("q") }, .subject = { 0, 90, STR("s") },
	  .qbeg = 2, .qend = 8, .sbeg = 5, .send = 14, .score = 7 },
	{ .query = { 0, 20, STR("q") }, .subject = { 0, 90, STR("s") },
	  .qbeg = 2, .qend = 7, .sbeg = 5, .send = 15, .score = 7 },
	/* one on -: it begins at qend, and ends the sooner the larger qbeg */
	{ .query = { 0, 20, STR("q") }, .subject = { 0, 90, STR("s") },
	  .qbeg = 2, .qend = 9, .sbeg = 5, .send = 14, .score = 7,
	  .flags = HIT_MINUS },
	{ .query = { 0, 20, STR("q") }, .subject = { 0, 90, STR("s") },
	  .qbeg = 3, .qend = 9, .sbeg = 5, .send = 14, .score = 7,
	  .flags = HIT_MINUS },
	/* another start */
	{ .query = { 0, 20, STR("q") }, .subject = { 0, 90, STR("s") },
	  .qbeg = 3, .qend = 8, .sbeg = 5, .send = 14, .score = 6 },
};

static const char head[] = "#query\tqlen\tqbeg\tqend\tstrand\tsubject\t"
			   "slen\tsbeg\tsend\tedits\tscore\tcigar\n";

static void
test_worked(void)
{
	struct merge_params p = { .print.format = FORMAT_TSV };
	char want[400];
	struct frames s = books(0);
	struct buf b;
	int code;

	snprintf(want, sizeof want, "%s%s%s%s", head,
		 "q\t20\t2\t8\t+\ts\t90\t5\t14\t*\t7\t*\n",
		 "q\t20\t3\t9\t-\ts\t90\t5\t14\t*\t7\t*\n",
		 "q\t20\t3\t8\t+\ts\t90\t5\t14\t*\t6\t*\n");
	add_rows(&s, worked, 6, 0, CHUNKS, 3);
	b = merged(&s, &p, &code);
	ok(buf_is(&b, want) && code == 0, "three classes");
	/*
	 * a frame of the receipt is lost: there are no rows, and it is reported
	 */
	rec_frame_drop(s.f[--s.n]);
	b = merged(&s, &p, &code);
	ok(b.n == 0 && code == ERR_INCOMPLETE, "%s", err.text);
	buf_free(&b);
	drop_frames(&s);
	/* of a part it may have been the best: of all there is another one */
	s = books(1);
	add_rows(&s, worked, 3, 0, 2, 1);
	add_rows(&s, worked + 3, 3, 2, CHUNKS, 1);
	snprintf(want, sizeof want, "%s%s", head,
		 "q\t20\t2\t8\t+\ts\t90\t5\t14\t*\t7\t*\n");
	b = merged(&s, &p, &code);
	ok(buf_is(&b, want) && code == 0, "-n 1 of the scanner");
	drop_frames(&s);
}

/*
 * What a scanner kept is enough for -n, or it is not, or that is said.  There
 * are three classes of one query, of six rows: of more nothing was left out.
 */
static const struct check_case {
	unsigned best;
	struct topk_params p;
	int want;
} check_case[] = {
	{ 3, { 0 }, 0 },
	{ 3, { .n = 3 }, 0 },
	{ 3, { .n = 4 }, ERR_USAGE },
	{ 3, { .n = 3, .keep_ties = true }, ERR_USAGE },
	{ 3, { .n = 3, .per = PER_ALL }, 0 },
	{ 3, { .n = 3, .per = PER_PAIR }, ERR_USAGE },
	{ 3, { .n = 3, .per = PER_SUBJECT }, ERR_USAGE },
	{ 3, { .per = PER_SUBJECT }, 0 },
	{ 3, { .no_overlap = { 5, 10 } }, 1 },
	{ 3, { .no_overlap = { 5, 10 }, .n = 3 }, 1 },
	{ 3, { .no_overlap = { 5, 10 }, .n = 4 }, ERR_USAGE },
	{ 0, { .n = 4 }, 0 },
	{ 7, { .n = 8 }, 0 },
	{ 7, { .n = 1, .keep_ties = true }, 0 },
	{ 7, { .n = 1, .per = PER_PAIR }, 0 },
	{ 7, { .n = 1, .per = PER_SUBJECT }, 0 },
	{ 7, { .no_overlap = { 5, 10 }, .n = 8 }, 0 },
	{ 7, { .no_overlap = { 5, 10 } }, 0 },
	{ 7, { .n = 1, .per = PER_SUBJECT, .partial = true },
	  ERR_USAGE },
};

static void
check(const struct check_case *v)
{
	struct merge_params p = { .topk = v->p };
	struct frames s = books(v->best);
	struct merge *m;
	int r = merge_new(&m, &p, &err);

	add_rows(&s, worked, 6, 0, CHUNKS, 3);
	for (size_t k = 0; k < s.n && r == 0; k++)
		r = merge_frame(m, s.f[k], &err);
	if (r == 0)
		r = merge_check(m, &err);
	ok(r == v->want, "best %u, -n %d: %s", v->best, (int)v->p.n,
	   r ? err.text : "fine");
	merge_free(m);
	drop_frames(&s);
}

static void
test_check(void)
{
	for (size_t i = 0; i < sizeof check_case / sizeof *check_case; i++)
		check(&check_case[i]);
}

/* Without a rule that makes one choice of several parts. */
static void
test_noted(void)
{
	struct merge_params p = { 0 };
	struct frames s = books(5);
	struct merge *m;
	int r = merge_new(&m, &p, &err);

	for (size_t k = 0; k < s.n && r == 0; k++)
		r = merge_frame(m, s.f[k], &err);
	if (r == 0)
		r = merge_check(m, &err);
	ok(r == 1, "%s", err.text);
	merge_free(m);
	drop_frames(&s);
}

/* Which texts need lengths that never came. */
static void
test_lengths(void)
{
	static const struct {
		enum format format;
		int code;
	} t[] = {
		{ FORMAT_TSV, ERR_INCOMPLETE }, { FORMAT_PAF, ERR_INCOMPLETE },
		{ FORMAT_SAM, ERR_INCOMPLETE }, { FORMAT_SVG, ERR_INCOMPLETE },
		{ FORMAT_JSON, ERR_INCOMPLETE },
		{ FORMAT_GFF3, ERR_INCOMPLETE }, { FORMAT_BED, 0 },
		{ FORMAT_REC, 0 },
	};
	struct hit h = worked[0];

	h.subject.len = LEN_UNKNOWN;
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct merge_params p = { .print.format = t[i].format };
		struct frames s = books(0);
		struct buf b;
		int code;

		add_rows(&s, &h, 1, 0, CHUNKS, 1);
		b = merged(&s, &p, &code);
		ok(code == t[i].code && (b.n > 0) == (code == 0),
		   "%s: %d", format_word(t[i].format), code);
		buf_free(&b);
		drop_frames(&s);
	}
}

int
main(void)
{
	uint64_t seed = 20261122;

	test_random(&seed);
	test_worked();
	test_lengths();
	test_check();
	scan.rule = SCAN_BEST;
	test_random(&seed);
	test_check();
	scan.rule = SCAN_UNION;
	test_noted();
	return done();
}
