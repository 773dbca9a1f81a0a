/* SPDX-License-Identifier: MIT */
/* feed_case.h - random records, and what a feed makes of them */
#ifndef SEQF_FEED_CASE_H
#define SEQF_FEED_CASE_H

#include <string.h>
#include <unistd.h>

#include "flow/flow.h"
#include "tests/lib/tap.h"

enum { MAX_RECORDS = 64, MAX_LEN = 400 };

static uint64_t seed = 4711;
static struct err e;
static char path[] = "/tmp/feed-test-XXXXXX";

struct record {
	char name[16];
	uint8_t s[MAX_LEN + 64];
	size_t n;
	uint32_t file;		/* operand, from 1 */
};
static struct record rec[MAX_RECORDS];
static size_t n_rec;

static inline void
save(const char *to, const void *p, size_t n)
{
	FILE *f = fopen(to, "wb");

	if (!f || fwrite(p, 1, n, f) != n || fclose(f) != 0)
		abort();
}

static inline void
make_records(size_t n, size_t max, struct buf *fa)
{
	fa->n = 0;
	n_rec = n;
	for (size_t i = 0; i < n; i++) {
		struct record *r = &rec[i];

		snprintf(r->name, sizeof r->name, "s%zu", i);
		r->file = 1;
		r->n = below(&seed, 4) ? below(&seed, max + 1) : 0;
		buf_printf(fa, ">%s d%zu\n", r->name, i);
		for (size_t j = 0; j < r->n; j++) {
			r->s[j] = (uint8_t)"ACGTacgtNRYU"[below(&seed, 12)];
			buf_u8(fa, r->s[j]);
			if (below(&seed, 30) == 0)
				buf_u8(fa, '\n');
		}
		buf_u8(fa, '\n');
	}
}

/* What came out of a feed. */
struct seen {
	int rc;
	uint64_t run, chunks, skipped, begins, seqs, ends;
	struct run_end end;
	bool good;
	uint64_t done[MAX_RECORDS];	/* letters owned so far, in order */
	bool last[MAX_RECORDS];
	uint64_t max_owned;
	struct buf frames;		/* all of them, encoded */
};

static inline void
expect(struct seen *s, bool cond, const char *what)
{
	if (!cond && s->good) {
		s->good = false;
		printf("# %s\n", what);
	}
}

static inline void
see_row(struct seen *s, const struct chunk *c, const struct chunk_row *r,
	const struct feed_params *p, bool selected)
{
	uint64_t w = p->context > p->min_context ? p->context : p->min_context;
	uint8_t have[2 * MAX_LEN + 64];
	const struct record *x;

	expect(s, r->ordinal < n_rec, "ordinal");
	x = &rec[r->ordinal];
	expect(s, r->name.n == strlen(x->name) &&
	       !memcmp(r->name.p, x->name, r->name.n), "name");
	if (!selected)
		expect(s, r->own_beg == s->done[r->ordinal], "gap");
	expect(s, r->beg == r->own_beg - (r->own_beg < w ? r->own_beg : w),
	       "context");
	expect(s, r->beg + r->n == r->own_end, "letters behind");
	expect(s, (r->own_beg == 0) == !!(r->flags & CHUNK_FIRST), "first");
	expect(s, (r->own_end == x->n) == !!(r->flags & CHUNK_LAST), "last");
	expect(s, !(r->flags & CHUNK_LAST) || r->length == x->n, "length");
	expect(s, r->file == x->file && c->filed, "file");
	expect(s, r->own_end - r->own_beg == p->own ||
	       r->flags & CHUNK_LAST, "a short piece");
	expect(s, x->n <= p->own || c->n_rows == 1, "a piece with others");
	chunk_letters(c, r, 0, r->n, have);
	expect(s, !memcmp(have, x->s + r->beg, r->n), "letters");
	s->done[r->ordinal] = r->own_end;
	s->last[r->ordinal] |= r->flags & CHUNK_LAST;
}

static inline void
see_frame(struct seen *s, const struct feed_item *it,
	  const struct feed_params *p)
{
	const struct rec_frame *f = it->frame;
	struct begin b;
	struct chunk c;
	struct seq q;

	rec_encode(&s->frames, f, &e);
	switch (f->type) {
	case REC_BEGIN:
		s->begins++;
		s->run = f->run;
		expect(s, begin_view(&b, f, &e) == 0, "begin");
		break;
	case REC_SEQ:
		s->seqs++;
		expect(s, seq_view(&q, f, &e) == 0 &&
		       q.length == rec[q.ordinal].n && q.length > p->own,
		       "seq");
		break;
	case REC_END:
		s->ends++;
		expect(s, end_view(&s->end, f, &e) == 0, "end");
		break;
	case REC_CHUNK:
		expect(s, chunk_view(&c, f, &e) == 0, e.text);
		expect(s, chunk_digest_ok(&c, &e) && (!it->cut ||
		       (c.owned == it->owned && c.digest == it->digest)),
		       "digest");
		if (c.owned > s->max_owned)
			s->max_owned = c.owned;
		for (size_t i = 0; i < c.n_rows && s->good && n_rec; i++)
			see_row(s, &c, &c.row[i], p, p->parts || p->only);
		chunk_free(&c);
		break;
	}
	expect(s, f->run == s->run, "another run");
}

static inline void
drain(struct seen *s, char **op, size_t n_op, const struct feed_params *p)
{
	struct feed *f = NULL;
	struct feed_item it;
	struct buf keep = s->frames;

	memset(s, 0, sizeof *s);
	keep.n = 0;
	s->frames = keep;
	s->good = true;
	s->rc = feed_open(&f, op, n_op, p, &e);
	if (s->rc != 0)
		return;
	while ((s->rc = feed_next(f, &it, &e)) > 0) {
		if (it.kind == FEED_RAW) {
			s->chunks += !it.skip;
			s->skipped += it.skip;
		}
		if (feed_encode(&it, &e) != 0 || feed_account(f, &it, &e) != 0)
			expect(s, false, e.text);
		expect(s, !it.frame == (it.kind == FEED_RAW && it.skip) ||
		       it.kind == FEED_DAMAGE, "frame");
		if (it.frame)
			see_frame(s, &it, p);
		feed_drop(&it);
	}
	feed_close(f);
}

static inline void
all(const struct feed_params *p, struct seen *s)
{
	char *op[] = { path };
	uint64_t letters = 0, seqs = 0;

	drain(s, op, 1, p);
	expect(s, s->rc == 0, e.text);
	for (size_t i = 0; i < n_rec; i++) {
		expect(s, s->done[i] == rec[i].n && s->last[i], "not all");
		letters += rec[i].n;
		seqs += rec[i].n > p->own;
	}
	expect(s, s->begins == 1 && s->ends == 1 && s->seqs == seqs, "frames");
	expect(s, s->end.chunks == s->chunks && s->end.letters == letters &&
	       s->end.sequences == n_rec, "END");
	expect(s, s->max_owned <= p->own, "owns more than -L");
}

static inline bool
same_end(const struct seen *a, const struct seen *b)
{
	return a->run == b->run && a->end.chunks == b->end.chunks &&
	       a->end.letters == b->end.letters &&
	       a->end.digest == b->end.digest &&
	       a->end.sequences == b->end.sequences;
}

static inline void
temporary(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		abort();
	close(fd);
}

#endif
