/* SPDX-License-Identifier: MIT */
/* feed.c - chunks own everything once; parts, regions and kinds agree */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "stream/feed.h"
#include "tap.h"

enum { MAX_RECORDS = 64, MAX_LEN = 400 };

static uint64_t seed = 4711;
static struct err e;
static char path[] = "/tmp/feed-test-XXXXXX";

struct record {
	char name[16];
	uint8_t s[MAX_LEN + 64];
	size_t n;
};
static struct record rec[MAX_RECORDS];
static size_t n_rec;

static void
save(const char *to, const void *p, size_t n)
{
	FILE *f = fopen(to, "wb");

	if (!f || fwrite(p, 1, n, f) != n || fclose(f) != 0)
		abort();
}

static void
make_records(size_t n, size_t max, struct buf *fa)
{
	fa->n = 0;
	n_rec = n;
	for (size_t i = 0; i < n; i++) {
		struct record *r = &rec[i];

		snprintf(r->name, sizeof r->name, "s%zu", i);
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

static void
expect(struct seen *s, bool cond, const char *what)
{
	if (!cond && s->good) {
		s->good = false;
		printf("# %s\n", what);
	}
}

static void
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
	expect(s, r->own_end - r->own_beg == p->own ||
	       r->flags & CHUNK_LAST, "a short piece");
	expect(s, x->n <= p->own || c->n_rows == 1, "a piece with others");
	chunk_letters(c, r, 0, r->n, have);
	expect(s, !memcmp(have, x->s + r->beg, r->n), "letters");
	s->done[r->ordinal] = r->own_end;
	s->last[r->ordinal] |= r->flags & CHUNK_LAST;
}

static void
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

static void
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

static void
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

static void
cuts(void)
{
	struct buf fa = { 0 };
	struct seen s = { 0 };

	for (int round = 0; round < 400; round++) {
		struct feed_params p = feed_defaults;

		make_records(below(&seed, 12), below(&seed, 150), &fa);
		save(path, fa.p, fa.n);
		p.own = 1 + below(&seed, 70);
		p.context = below(&seed, 21);
		p.min_context = below(&seed, 3) ? 0 : below(&seed, 200);
		all(&p, &s);
		ok(s.good, "L=%d W=%d,%d records=%zu", (int)p.own,
		   (int)p.context, (int)p.min_context, n_rec);
	}
	buf_free(&fa);
	buf_free(&s.frames);
}

static bool
same_end(const struct seen *a, const struct seen *b)
{
	return a->run == b->run && a->end.chunks == b->end.chunks &&
	       a->end.letters == b->end.letters &&
	       a->end.digest == b->end.digest &&
	       a->end.sequences == b->end.sequences;
}

/* Parts and --only select exactly, and agree about the whole. */
static void
parts(void)
{
	struct seen whole = { 0 }, s = { 0 };
	struct feed_params p = feed_defaults;
	struct buf fa = { 0 };
	char *op[] = { path }, only[40];
	uint64_t sum = 0;

	make_records(20, 300, &fa);
	save(path, fa.p, fa.n);
	p.own = 17;
	p.context = 5;
	all(&p, &whole);
	ok(whole.good && whole.chunks > 20, "whole, %d chunks",
	   (int)whole.chunks);
	for (p.parts = 1; p.parts < 6; p.parts++) {
		for (p.part = sum = 0; p.part < p.parts; p.part++) {
			drain(&s, op, 1, &p);
			ok(s.rc == 0 && s.good && same_end(&s, &whole) &&
			   s.seqs == whole.seqs && s.begins == 1 &&
			   s.chunks + s.skipped == whole.chunks,
			   "part %d/%d", (int)p.part, (int)p.parts);
			sum += s.chunks;
		}
		ok(sum == whole.chunks, "%d parts", (int)p.parts);
	}
	p.parts = 0;
	p.only = "3,17,7-9,8-10";
	drain(&s, op, 1, &p);
	ok(s.good && same_end(&s, &whole) && s.chunks == 6, "only");
	snprintf(only, sizeof only, "@%s.only", path);
	save(only + 1, "# run 1\n3\n7-10\n\n17\n", 19);
	p.only = only;
	drain(&s, op, 1, &p);
	ok(s.good && same_end(&s, &whole) && s.chunks == 6, "only @file");
	remove(only + 1);
	p.only = NULL;
	p.min_context = 50;
	drain(&s, op, 1, &p);
	ok(s.good && same_end(&s, &whole), "more context, same run");
	p.min_context = 0;
	p.context = 6;
	drain(&s, op, 1, &p);
	ok(s.good && s.run != whole.run, "another -W, another run");
	p.context = 5;
	p.label = "x";
	drain(&s, op, 1, &p);
	ok(s.good && s.run != whole.run, "another label, another run");
	buf_free(&fa);
	buf_free(&s.frames);
	buf_free(&whole.frames);
}

/* The same frames but for BEGIN and END's base: from gzip, from a pipe. */
static void
kinds(void)
{
	struct seen plain = { 0 }, s = { 0 };
	struct feed_params p = feed_defaults;
	struct buf fa = { 0 };
	char gz[64], fd_path[32], *op[] = { path, NULL };
	int fd[2];
	gzFile g;

	make_records(60, 390, &fa);
	save(path, fa.p, fa.n);
	p.own = 100;
	all(&p, &plain);
	snprintf(gz, sizeof gz, "%s.gz", path);
	g = gzopen(gz, "wb");
	gzwrite(g, fa.p, (unsigned)fa.n);
	gzclose(g);
	op[0] = gz;
	drain(&s, op, 1, &p);
	ok(s.good && s.frames.n == plain.frames.n &&
	   !memcmp(s.frames.p, plain.frames.p, s.frames.n), "gzip: the same "
	   "bytes");
	remove(gz);
	if (pipe(fd) != 0)
		abort();
	fflush(stdout);
	if (fork() == 0) {
		for (size_t i = 0; i < fa.n; i += 13)
			if (write(fd[1], fa.p + i, fa.n - i < 13 ? fa.n - i :
				  13) < 0)
				_exit(1);
		_exit(0);
	}
	close(fd[1]);
	snprintf(fd_path, sizeof fd_path, "/dev/fd/%d", fd[0]);
	op[0] = fd_path;
	drain(&s, op, 1, &p);
	close(fd[0]);
	wait(NULL);
	ok(s.good && s.rc == 0 && same_end(&s, &plain), "pipe: the same run");
	/* a stream of it is passed through as it is */
	save(gz, plain.frames.p, plain.frames.n);
	op[0] = gz;
	drain(&s, op, 1, &p);
	ok(s.good && s.frames.n == plain.frames.n &&
	   !memcmp(s.frames.p, plain.frames.p, s.frames.n), "rec: as it is");
	p.text_only = true;
	drain(&s, op, 1, &p);
	ok(s.rc == ERR_FORMAT && strstr(e.text, "record stream"), "%s",
	   e.text);
	remove(gz);
	buf_free(&fa);
	buf_free(&s.frames);
	buf_free(&plain.frames);
}

/* -r: the letters [beg, end) and nothing around them. */
static void
region(const char *text, uint64_t beg, uint64_t end, uint64_t own)
{
	struct feed_params p = feed_defaults;
	struct buf got = { 0 };
	struct feed *f = NULL;
	struct feed_item it;
	char *op[] = { path };
	uint64_t next = beg;
	bool good = true;
	int rc;

	p.region = text;
	p.own = own;
	p.context = 3;
	rc = feed_open(&f, op, 1, &p, &e);
	while (rc >= 0 && (rc = feed_next(f, &it, &e)) > 0) {
		struct chunk c;

		rc = feed_encode(&it, &e);
		if (it.kind == FEED_RAW && chunk_view(&c, it.frame, &e) == 0) {
			const struct chunk_row *r = c.row;
			uint8_t s[MAX_LEN + 64];

			chunk_letters(&c, r, r->own_beg - r->beg,
				      r->own_end - r->own_beg, s);
			buf_put(&got, s, r->own_end - r->own_beg);
			good &= c.n_rows == 1 && r->own_beg == next;
			good &= r->beg == (next - beg < 3 ? beg : next - 3);
			good &= !!(r->flags & CHUNK_FIRST) == (next == beg);
			next = r->own_end;
			good &= !!(r->flags & CHUNK_LAST) == (next == end);
			good &= next != end || r->length == 20;
			chunk_free(&c);
		}
		feed_drop(&it);
	}
	feed_close(f);
	good &= rc == 0 && next == end && got.n == end - beg &&
		!memcmp(got.p, &"ACGTACGTTTGGCCAANNAC"[beg], got.n);
	ok(good, "-r %s -L %d", text, (int)own);
	buf_free(&got);
}

static void
no_region(const char *text, const char *why)
{
	struct feed_params p = feed_defaults;
	struct seen s = { 0 };
	char *op[] = { path };

	p.region = text;
	n_rec = 0;
	drain(&s, op, 1, &p);
	ok(s.rc == ERR_USAGE && strstr(e.text, why), "-r %s: %s", text,
	   e.text);
	buf_free(&s.frames);
}

static void
regions(void)
{
	static const char fa[] = ">x\nAC\n>c:1-2\nACGTACGTTT\nGGCCAANNAC\n"
				 ">c\nACGTACGTTTGGCCAA\nNNAC\n>y\nA\n";

	save(path, fa, sizeof fa - 1);
	for (uint64_t own = 1; own < 25; own++) {
		region("c", 0, 20, own);
		region("c:1-2", 0, 20, own);
		region("c:3", 2, 20, own);
		region("c:3-", 2, 20, own);
		region("c:3-3", 2, 3, own);
		region("c:1-20", 0, 20, own);
		region("c:0,005-1,2", 4, 12, own);
		region("c:1-2:5-20", 4, 20, own);
	}
	no_region("z", "no such sequence");
	no_region("c:5-21", "beyond the end");
	no_region("c:21-", "beyond the end");
	no_region("c:0-3", "from 1");
	no_region("c:5-3", "ends before");
	no_region("c:5-x", "no such sequence");
}

static void
usage(void)
{
	struct feed_params p = feed_defaults;
	struct seen s = { 0 };
	char *op[] = { path };

	p.own = 0;
	drain(&s, op, 1, &p);
	ok(s.rc == ERR_USAGE, "%s", e.text);
	p.own = 5;
	p.parts = p.part = 3;
	drain(&s, op, 1, &p);
	ok(s.rc == ERR_USAGE, "%s", e.text);
	p.parts = 0;
	p.only = "3-2";
	drain(&s, op, 1, &p);
	ok(s.rc == ERR_USAGE, "%s", e.text);
	p.only = "1,";
	drain(&s, op, 1, &p);
	ok(s.rc == ERR_USAGE, "%s", e.text);
	p.only = "@/nonesuch";
	drain(&s, op, 1, &p);
	ok(s.rc == ERR_IO, "%s", e.text);
	p.only = NULL;
	p.matrix = "foo";
	drain(&s, op, 1, &p);
	ok(s.rc == ERR_USAGE, "%s", e.text);
	buf_free(&s.frames);
}

/* Very many tiny records fit few frames; none at all is a run, too. */
static void
many(void)
{
	struct feed_params p = feed_defaults;
	struct buf fa = { 0 };
	struct seen s = { 0 };
	char *op[] = { path };

	n_rec = 0;
	for (int i = 0; i < 30000; i++)
		buf_printf(&fa, ">r%d\nAC\n", i);
	save(path, fa.p, fa.n);
	drain(&s, op, 1, &p);
	ok(s.rc == 0 && s.chunks < 4 && s.end.sequences == 30000 &&
	   s.end.letters == 60000, "30,000 records");
	save(path, "", 0);
	drain(&s, op, 1, &p);
	ok(s.rc == 0 && s.begins == 1 && s.ends == 1 && s.chunks == 0 &&
	   s.run, "no record");
	save(path, ">a\n>b", 5);
	drain(&s, op, 1, &p);
	ok(s.rc == 0 && s.chunks == 1 && s.end.sequences == 2, "no letter");
	buf_free(&fa);
	buf_free(&s.frames);
}

/* Two files are one run; its base is the least name. */
static void
several(void)
{
	struct feed_params p = feed_defaults;
	struct seen one = { 0 }, s = { 0 };
	char other[64], *op[] = { other, path }, *single[] = { path };

	n_rec = 0;
	snprintf(other, sizeof other, "%s.b.fa.gz", path);
	save(path, ">a\nACGT\n>b\nAC\n", 14);
	drain(&one, single, 1, &p);
	save(path, ">b\nAC\n", 6);
	save(other, ">a\nACGT\n", 8);
	drain(&s, op, 2, &p);
	ok(s.rc == 0 && s.begins == 1 && same_end(&s, &one), "two files");
	p.mask = true;
	save(other, ">a\nacGT\n", 8);
	drain(&one, op, 2, &p);
	save(other, ">a\nNNGT\n", 8);
	drain(&s, op, 2, &p);
	ok(same_end(&s, &one), "--mask");
	remove(other);
	buf_free(&s.frames);
	buf_free(&one.frames);
}

int
main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		abort();
	close(fd);
	cuts();
	parts();
	kinds();
	regions();
	many();
	several();
	usage();
	remove(path);
	return done();
}
