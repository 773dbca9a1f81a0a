/* SPDX-License-Identifier: MIT */
/* merge_case.h - frames of one run in memory, merged or viewed as text */
#ifndef SEQF_MERGE_CASE_H
#define SEQF_MERGE_CASE_H

#include <sys/mman.h>
#include <unistd.h>

#include "tests/lib/result_case.h"
#include "output/output.h"

enum { MANY = 256, SERIAL_LETTERS = 10 };

static struct err err;

struct frames {
	struct rec_frame *f[MANY];
	size_t n;
};

static inline void
add_frame(struct frames *s, struct rec_frame *f)
{
	if (s->n == MANY || !f)
		abort();
	s->f[s->n++] = f;
}

static inline void
drop_frames(struct frames *s)
{
	while (s->n)
		rec_frame_drop(s->f[--s->n]);
}

/* Those of b behind those of a, in any order, some of them twice. */
static inline struct frames
shuffled(const struct frames *a, uint64_t *seed, size_t copies)
{
	struct frames s = { .n = 0 };

	for (size_t i = 0; i < a->n; i++)
		add_frame(&s, rec_frame_keep(a->f[i]));
	for (size_t i = 0; i < copies && a->n; i++)
		add_frame(&s, rec_frame_keep(a->f[below(seed, a->n)]));
	for (size_t i = s.n; i > 1; i--) {
		size_t k = below(seed, i);
		struct rec_frame *t = s.f[k];

		s.f[k] = s.f[i - 1];
		s.f[i - 1] = t;
	}
	return s;
}

/* Serial i has SERIAL_LETTERS letters and digest 7 * i + 1. */
static inline struct range
range_of(uint64_t first, uint64_t end)
{
	struct range r = { first, end, (end - first) * SERIAL_LETTERS, 0 };

	for (uint64_t i = first; i < end; i++)
		r.digest += 7 * i + 1;
	return r;
}

/* BEGIN of the run and the scan, and END. */
static inline void
add_books(struct frames *s, const struct run_key *k,
	  const struct scan_key *scan, uint64_t chunks)
{
	struct run_end end = { *k, chunks, 1, chunks * SERIAL_LETTERS,
			       range_of(0, chunks).digest, true };
	struct begin b = { *k, { 0 }, STR("program fasta-chunk\n") };
	struct rec_frame *f;

	if (begin_encode(&f, &b, &err))
		abort();
	add_frame(s, f);
	b.scan = *scan;
	b.text = STR("program test\n");
	if (begin_encode(&f, &b, &err))
		abort();
	add_frame(s, f);
	if (end_encode(&f, &end, &err))
		abort();
	add_frame(s, f);
}

static inline struct out *
memory_out(int *fd)
{
	struct out *o;
	char path[40];

	*fd = memfd_create("text", 0);
	snprintf(path, sizeof path, "/dev/fd/%d", *fd);
	if (*fd < 0 || out_open(&o, path, &err))
		abort();
	return o;
}

/* What o wrote; ends it. */
static inline struct buf
memory_of(int fd, struct out *o)
{
	struct buf b = { 0 };
	ssize_t n;

	if (out_close(o, &err))
		abort();
	do {
		if (!buf_reserve(&b, 1 << 16))
			abort();
		n = pread(fd, b.p + b.n, 1 << 16, (off_t)b.n);
		b.n += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	close(fd);
	return b;
}

/* *code: what failed first, taking, the verdict or writing. */
static inline struct buf
merged(const struct frames *s, const struct merge_params *p, int *code)
{
	struct merge_params q = *p;
	struct merge *m;
	int fd, r;
	struct out *o = memory_out(&fd);

	q.print.header = true;
	q.print.prog = "test";
	q.topk.no_overlap.unit = 0;
	r = merge_new(&m, &q, &err);
	for (size_t i = 0; i < s->n && r == 0; i++)
		r = merge_frame(m, s->f[i], &err);
	if (r == 0 && !q.topk.partial)
		r = merge_verdict(m, &err);
	if (r == 0)
		r = merge_write(m, o, &err);
	merge_free(m);
	*code = r;
	return memory_of(fd, o);
}

static inline struct buf
merged_as(const struct frames *s, enum format f)
{
	struct merge_params p = { .print.format = f };
	int code;
	struct buf b = merged(s, &p, &code);

	if (code)
		ok(0, "merged: %d %s", code, err.text);
	return b;
}

static inline struct buf
viewed(const struct frames *s, enum view_mode mode, enum format f, int *code)
{
	struct view_params p = { mode, { .format = f, .header = true,
					 .prog = "test" } };
	struct view *v;
	int fd, r;
	struct out *o = memory_out(&fd);

	r = view_new(&v, &p, o, &err);
	for (size_t i = 0; i < s->n && r == 0; i++)
		r = view_frame(v, s->f[i], &err);
	if (r == 0)
		r = view_finish(v, &err);
	if (r == 0)
		r = view_verdict(v, &err);
	view_free(v);
	*code = r;
	return memory_of(fd, o);
}

static inline void
frames_of_bytes(struct frames *to, struct buf *b)
{
	struct rec_frame *f;

	for (size_t at = 0; (f = next_frame(b, &at));)
		add_frame(to, f);
	buf_free(b);
}

/*
 * The frames behind the books dealt to up to three merges that write records,
 * the books to each, and what they wrote.
 */
static inline struct frames
tree(const struct frames *s, size_t n_books, uint64_t *seed,
     const struct merge_params *how)
{
	struct frames all = { .n = 0 };
	struct merge_params p = *how;
	size_t parts = 1 + below(seed, 3);
	uint64_t deal = rnd(seed);

	p.print.format = FORMAT_REC;
	p.topk.partial = true;
	for (size_t k = 0; k < parts; k++) {
		struct frames part = { .n = 0 };
		struct buf b;
		int code;

		for (size_t i = 0; i < s->n; i++) {
			/* frames of one receipt stay together */
			uint64_t h = (s->f[i]->serial + 1) * deal >> 32;

			if (i < n_books || h % parts == k)
				add_frame(&part, rec_frame_keep(s->f[i]));
		}
		b = merged(&part, &p, &code);
		if (code)
			ok(0, "partial: %d %s", code, err.text);
		frames_of_bytes(&all, &b);
		drop_frames(&part);
	}
	return all;
}

static inline bool
buf_is(struct buf *have, const char *want)
{
	bool same = have->n == strlen(want) &&
		    memcmp(have->p, want, have->n) == 0;

	if (!same)
		printf("# have:\n%.*s# want:\n%s", (int)have->n,
		       (char *)have->p, want);
	buf_free(have);
	return same;
}

static inline bool
buf_eq(struct buf *a, const struct buf *b)
{
	bool same = a->n == b->n && (a->n == 0 ||
				     memcmp(a->p, b->p, a->n) == 0);

	buf_free(a);
	return same;
}

#endif
