/* SPDX-License-Identifier: MIT */
/* result_case.h - random hits */
#ifndef SEQF_RESULT_CASE_H
#define SEQF_RESULT_CASE_H

#include "letters/letters.h"
#include "tests/lib/frames_case.h"
#include "rec/rec.h"
#include "tests/lib/tap.h"

#define STR(s) ((struct str){ s, sizeof(s) - 1 })

static const struct run_key run = {
	0x1234, { "genome.fa", 9 }, { "", 0 }, { "chr1", 4 }, 77
};
static struct range ranges[2] = { { 3, 4, 1000, 99 }, { 7, 9, 2000, 5 } };

static inline struct receipt
receipt_of(enum scan_rule rule)
{
	struct receipt r = { .scan = { 42, { "guides.fa", 9 }, rule },
			     .last = true, .range = ranges, .n_ranges = 2 };

	return r;
}

static inline bool
receipt_eq(const struct receipt *a, const struct receipt *b)
{
	return a->scan.id == b->scan.id && a->scan.rule == b->scan.rule &&
	       str_is(a->scan.base, b->scan.base) &&
	       a->n_ranges == b->n_ranges &&
	       memcmp(a->range, b->range, a->n_ranges * sizeof *a->range) == 0;
}

/* A random hit that may be, its arrays in static places. */
static inline struct hit
any_hit(uint64_t *s)
{
	static uint32_t ops[64][4];
	static char names[64][24];
	static unsigned turn;
	unsigned t = turn++ % 64, n_eq = (unsigned)below(s, 40) + 1;
	struct hit h = { .flags = (unsigned)below(s, 64) };

	snprintf(names[t], sizeof names[t], "%llu",
		 (unsigned long long)below(s, 1000));
	h.query = (struct query_ref){ below(s, 9), 60, STR("q") };
	h.subject.ordinal = below(s, 300);
	h.subject.name = (struct str){ names[t], strlen(names[t]) };
	ops[t][0] = n_eq << 4 | CIGAR_EQ;
	ops[t][1] = 1 << 4 | CIGAR_I;
	ops[t][2] = 2 << 4 | CIGAR_X;
	ops[t][3] = 3 << 4 | CIGAR_S;
	h.sbeg = rnd(s) >> (1 + below(s, 63));
	h.send = h.sbeg + n_eq + 2;
	h.subject.len = below(s, 2) ? LEN_UNKNOWN : h.send + below(s, 9);
	h.qbeg = below(s, 10);
	h.qend = h.qbeg + n_eq + 3;
	h.score = (int64_t)rnd(s) >> below(s, 64);
	if (h.flags & HIT_NO_SBEG) {
		h.flags &= ~(unsigned)(HIT_CIGAR | HIT_LETTERS);
		h.sbeg = h.send;
	}
	if (h.flags & HIT_EDITS)
		h.edits = rnd(s) >> below(s, 64);
	if (h.flags & HIT_OFFTARGET)
		h.offtarget = below(s, OFFTARGET_ONE + 1);
	if (h.flags & HIT_CIGAR) {
		h.cigar = ops[t];
		h.n_cigar = 4;
	}
	if (h.flags & HIT_LETTERS)
		h.letters = (struct str){
		    "acgtacgtacgtacgtacgtacgtacgtacgtacgtacgtacgtac",
		    h.send - h.sbeg };
	return h;
}

static inline bool
hit_eq(const struct hit *a, const struct hit *b)
{
	return hit_cmp_scan(a, b) == 0 && a->query.len == b->query.len &&
	       a->subject.len == b->subject.len &&
	       str_is(a->query.name, b->query.name) &&
	       str_is(a->subject.name, b->subject.name);
}

static inline void
hits_into(struct buf *b, uint64_t s, size_t n)
{
	struct receipt r = receipt_of(SCAN_UNION);
	struct hits_writer *w;
	struct err e = { 0 };

	if (hits_writer_new(&w, &run, &r, &e))
		abort();
	for (size_t i = 0; i < n; i++) {
		struct hit h = any_hit(&s);

		if (hits_add(w, &h, &e)) {
			ok(0, "hits_add: %s", e.text);
			break;
		}
	}
	ok(hits_finish(w, b, &e) == 0, "%zu hits written", n);
	hits_writer_free(w);
}

#endif
