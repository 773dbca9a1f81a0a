/* SPDX-License-Identifier: MIT */
/* ledger_case.h - streams of two runs, two scans, and what is said of them */
#ifndef SEQF_LEDGER_CASE_H
#define SEQF_LEDGER_CASE_H

#include "tests/lib/frames_case.h"
#include "collect/collect.h"
#include "rec/rec.h"
#include "tests/lib/tap.h"

enum { RUNS = 2, SCANS = 2, CHUNKS = 7, MAX_FRAMES = 200 };

#define STR(s) ((struct str){ s, sizeof(s) - 1 })

static const struct run_key runs[RUNS] = {
	{ 0x1111, { "b.fa", 4 }, { "", 0 }, { "chr1", 4 }, 7 },
	{ 0x2222, { "a.fa", 4 }, { "left", 4 }, { "chrX", 4 }, 8 },
};
static const struct scan_key scans[SCANS] = {
	{ 0xaaaa, { "guides.fa", 9 }, SCAN_UNION },
	{ 0xbbbb, { "counts.fa", 9 }, SCAN_SUM },
};

/* Letters and digest of a chunk, as its receipts give them. */
static inline struct range
chunk_range(unsigned run, uint64_t i)
{
	struct range r = { i, i + 1, 100 + i, 0 };

	r.digest = (i + 1) * 0x123456789abcdef1 + run;
	return r;
}

static inline struct range
merged(unsigned run, uint64_t first, uint64_t end)
{
	struct range r = { first, end, 0, 0 };

	for (uint64_t i = first; i < end; i++) {
		r.letters += chunk_range(run, i).letters;
		r.digest += chunk_range(run, i).digest;
	}
	return r;
}

struct stream {
	struct rec_frame *f[MAX_FRAMES];
	size_t n;
};

static inline void
add(struct stream *s, struct rec_frame *f, int rc, const struct err *e)
{
	if (rc || s->n == MAX_FRAMES) {
		printf("Bail out! %s\n", e->text);
		exit(1);
	}
	s->f[s->n++] = f;
}

static inline void
clear(struct stream *s)
{
	while (s->n)
		rec_frame_drop(s->f[--s->n]);
}

static inline void
remove_at(struct stream *s, size_t i)
{
	rec_frame_drop(s->f[i]);
	memmove(s->f + i, s->f + i + 1, (--s->n - i) * sizeof *s->f);
}

static inline void
put_receipt(struct stream *s, unsigned run, unsigned scan, struct range *r,
	    size_t n, uint32_t number, bool last)
{
	struct receipt c = { scans[scan], number, last, r, n, { 0 }, 0,
			     false };
	struct rec_frame *f = NULL;
	struct err e = { 0 };
	int rc = done_encode(&f, &runs[run], &c, &e);

	add(s, f, rc, &e);
}

static inline void
put_range(struct stream *s, unsigned run, unsigned scan, struct range r)
{
	put_receipt(s, run, scan, &r, 1, 0, true);
}

/* A query of one hit in `subject` by a scanner, or by a merge; the number
 * parts what they say. */
static inline void
put_hits(struct stream *s, unsigned run, struct range r, struct str subject,
	 uint64_t send, bool unmerged)
{
	struct receipt c = { .scan = scans[0], .last = true, .range = &r,
			     .n_ranges = 1, .unmerged = unmerged };
	struct hit h = { .query = { 0, 9, STR("q") }, .qend = 9,
			 .subject = { 0, 721, subject }, .send = send,
			 .flags = HIT_NO_SBEG };
	struct hits_writer *w = NULL;
	struct buf b = { 0 };
	struct err e = { 0 };
	size_t at = 0;

	if (hits_writer_new(&w, &runs[run], &c, &e) || hits_add(w, &h, &e) ||
	    hits_finish(w, &b, &e))
		exit(1);
	hits_writer_free(w);
	add(s, next_frame(&b, &at), 0, &e);
	buf_free(&b);
}

/* The frame with another key of its run. */
static inline struct rec_frame *
as_of_run(const struct rec_frame *f, const struct run_key *to, struct err *e)
{
	struct run_key key;
	struct receipt r;
	struct str body;
	struct buf b = { 0 };
	struct rec_frame *g;

	if (result_body(f, &key, &r, &body, e))
		exit(1);
	run_key_put(&b, to);
	receipt_put(&b, &r);
	buf_put(&b, body.p, body.n);
	free(r.range);
	g = rec_frame_new(b.n);
	if (!g || b.bad)
		exit(1);
	memcpy(g->payload, b.p, b.n);
	g->n = b.n;
	g->type = f->type;
	g->flags = f->flags;
	g->run = f->run;
	g->serial = f->serial;
	g->records = f->records;
	buf_free(&b);
	return g;
}

/* A tally instead of DONE: the same receipt, another payload. */
static inline void
put_tally(struct stream *s, unsigned run, struct range r, bool last)
{
	struct tally_row row = { { 0, 20, STR("q") }, false, 1, 2 };
	struct receipt c = { scans[1], 0, last, &r, 1, { 0 }, 0,
			     false };
	struct tally t = { runs[run], c, &row, 1 };
	struct rec_frame *f = NULL;
	struct err e = { 0 };
	int rc = tally_encode(&f, &t, &e);

	add(s, f, rc, &e);
}

static inline void
put_begin(struct stream *s, unsigned run, int scan, struct str text)
{
	struct begin b = { runs[run], { 0, { "", 0 }, SCAN_UNION }, text };
	struct rec_frame *f = NULL;
	struct err e = { 0 };
	int rc;

	if (scan >= 0)
		b.scan = scans[scan];
	rc = begin_encode(&f, &b, &e);
	add(s, f, rc, &e);
}

static inline void
put_seq(struct stream *s, unsigned run, uint64_t ordinal, uint64_t length)
{
	struct seq q = { ordinal, length, STR("chr1") };
	struct rec_frame *f = NULL;
	struct err e = { 0 };
	int rc = seq_encode(&f, runs[run].id, &q, &e);

	add(s, f, rc, &e);
}

static inline void
put_end(struct stream *s, unsigned run, uint64_t chunks, uint64_t wrong)
{
	struct range all = merged(run, 0, chunks);
	struct run_end n = { runs[run], chunks, 1, all.letters,
			     all.digest + wrong, false };
	struct rec_frame *f = NULL;
	struct err e = { 0 };
	int rc = end_encode(&f, &n, &e);

	add(s, f, rc, &e);
}

/* BEGINs, SEQ and END of every run, and with `results` a DONE a chunk. */
static inline void
whole(struct stream *s, bool results)
{
	s->n = 0;
	for (unsigned r = 0; r < RUNS; r++) {
		put_begin(s, r, -1, STR("program fasta-chunk\n"));
		for (unsigned c = 0; c < SCANS; c++)
			put_begin(s, r, (int)c, STR("program asm-scan\n"));
		for (unsigned i = 0; results && i < CHUNKS; i++)
			for (unsigned c = 0; c < SCANS; c++)
				put_range(s, r, c, chunk_range(r, i));
		put_seq(s, r, 0, 721);
		put_end(s, r, CHUNKS, 0);
	}
}

/* All but the results of one scan of one run. */
static inline void
all_but(struct stream *s, unsigned run, unsigned scan)
{
	whole(s, false);
	for (unsigned r = 0; r < RUNS; r++)
		for (unsigned c = 0; c < SCANS; c++)
			if (r != run || c != scan)
				put_range(s, r, c, merged(r, 0, CHUNKS));
}

static inline struct ledger *
show(const struct stream *s)
{
	struct ledger *l;
	struct err e;

	if (ledger_new(&l, &e))
		exit(1);
	for (size_t i = 0; i < s->n; i++)
		if (ledger_frame(l, s->f[i], &e) < 0) {
			ok(0, "frame %zu: %s", i, e.text);
			break;
		}
	return l;
}

/* All reasons, a line each, in text (4000 bytes); the verdict. */
static inline int
reasons(struct ledger *l, uint64_t n_runs, char *text)
{
	struct err e;
	size_t used = 0;
	int rc = 0, now;

	text[0] = '\0';
	while ((now = ledger_verdict(l, n_runs, &e))) {
		rc = now;
		if (used < 3000)
			used += (size_t)sprintf(text + used, "%.900s; ",
						e.text);
	}
	return rc;
}

static inline int
judge(const struct stream *s, char *text)
{
	struct ledger *l = show(s);
	int rc = reasons(l, 0, text);

	ledger_free(l);
	return rc;
}

/* The stream's verdict is incomplete, for a reason that holds `why`. */
static inline void
expect(struct stream *s, const char *why, const char *what)
{
	char text[4000];
	int rc = judge(s, text);

	if (why)
		ok(rc == ERR_INCOMPLETE && strstr(text, why), "%s: %d %s",
		   what, rc, rc == ERR_INCOMPLETE && strstr(text, why) ? "" :
		   text);
	else
		ok(rc == 0, "%s: %s", what, text);
	clear(s);
}

static inline void
missing_is(const struct stream *s, const char *want, int want_rc)
{
	struct ledger *l = show(s);
	struct buf b = { 0 };
	const char *text;
	struct err e;
	int rc = ledger_missing(l, &b, &e);

	buf_u8(&b, 0);
	text = (const char *)b.p;
	ok(rc == want_rc && strcmp(text, want) == 0, "missing: %d %s", rc,
	   strcmp(text, want) ? text : "as wanted");
	buf_free(&b);
	ledger_free(l);
}

#endif
