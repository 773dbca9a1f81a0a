/* SPDX-License-Identifier: MIT */
/* feed_select.c - --part, --only, -r: exactly what they say, of the same run */
#include "tests/lib/feed_case.h"

/* Parts and --only select exactly, and agree about the whole. */
static void
parts(void)
{
	struct seen whole = { 0 }, s = { 0 };
	struct feed_params p = feed_defaults;
	struct buf fa = { 0 };
	char *op[] = { path };
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
	buf_free(&fa);
	buf_free(&s.frames);
	buf_free(&whole.frames);
}

/* What a feed of one chunk of --only has to say about a run of so many. */
static void
absent(const char *only, uint64_t chunks, const char *want)
{
	struct feed_params p = feed_defaults;
	char *op[] = { path };
	struct feed_absent a = { "" };
	struct feed *f;
	bool some = false;

	p.only = only;
	save(path, ">a\nA\n", 5);
	if (feed_open(&f, op, 1, &p, &e) == 0) {
		some = feed_absent(f, chunks, &a);
		feed_close(f);
	}
	ok(some == (want[0] != 0) && strcmp(a.text, want) == 0,
	   "%.20s of %d: %s", only ? only : "(all)", (int)chunks, a.text);
}

static void
absents(void)
{
	absent(NULL, 0, "");
	absent("0,4", 5, "");
	absent("0,5", 5, "5");
	absent("0-5", 5, "5");
	absent("3-6", 5, "5-6");
	absent("99,1-3,120-130", 5, "99, 120-130");
	absent("0", 0, "0");
	absent("9,11,13,15,17,19,21,23,25,27", 9,
	       "9, 11, 13, 15, 17, 19, 21, 23, 25, 27");
	absent("9,11,13,15,17,19,21,23,25,27,29,31", 9,
	       "9, 11, 13, 15, 17, 19, 21, 23, 25, 27, ...");
	absent("0-18446744073709551614", 1, "1-18446744073709551614");
}

/* --only, and which parameters make another run. */
static void
only(void)
{
	struct seen whole = { 0 }, s = { 0 };
	struct feed_params p = feed_defaults;
	struct buf fa = { 0 };
	char *op[] = { path }, file[40];

	make_records(20, 300, &fa);
	save(path, fa.p, fa.n);
	p.own = 17;
	p.context = 5;
	all(&p, &whole);
	p.only = "3,17,7-9,8-10";
	drain(&s, op, 1, &p);
	ok(s.good && same_end(&s, &whole) && s.chunks == 6, "only");
	snprintf(file, sizeof file, "@%s.only", path);
	save(file + 1, "# run 1\n3\n7-10\n\n17\n", 19);
	p.only = file;
	drain(&s, op, 1, &p);
	ok(s.good && same_end(&s, &whole) && s.chunks == 6, "only @file");
	remove(file + 1);
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

/* Each chunk of a feed with these regions. */
static int
each_chunk(const struct opt_list *list, uint64_t own,
	   void (*fn)(void *ctx, const struct chunk *c), void *ctx)
{
	struct feed_params p = feed_defaults;
	struct feed *f = NULL;
	struct feed_item it;
	char *op[] = { path };
	int rc;

	p.regions = list;
	p.own = own;
	p.context = 3;
	rc = feed_open(&f, op, 1, &p, &e);
	while (rc >= 0 && (rc = feed_next(f, &it, &e)) > 0) {
		struct chunk c;

		rc = feed_encode(&it, &e);
		if (it.kind == FEED_RAW && chunk_view(&c, it.frame, &e) == 0) {
			fn(ctx, &c);
			chunk_free(&c);
		}
		feed_drop(&it);
	}
	feed_close(f);
	return rc;
}

static const char record[] = "ACGTACGTTTGGCCAANNAC";

struct one {
	uint64_t beg, end, next;
	struct buf got;
	bool good;
};

static void
see_one(void *ctx, const struct chunk *c)
{
	struct one *o = ctx;
	const struct chunk_row *r = c->row;
	uint64_t next = o->next;
	uint8_t s[MAX_LEN + 64];

	chunk_letters(c, r, r->own_beg - r->beg, r->own_end - r->own_beg, s);
	buf_put(&o->got, s, r->own_end - r->own_beg);
	o->good &= c->n_rows == 1 && r->own_beg == next &&
		   r->beg == (next - o->beg < 3 ? o->beg : next - 3);
	o->good &= !!(r->flags & CHUNK_FIRST) == (next == o->beg);
	o->good &= !!(r->flags & CHUNK_ALL) ==
		   (next != o->beg && r->beg == o->beg && o->beg > 0);
	o->next = next = r->own_end;
	o->good &= !!(r->flags & CHUNK_LAST) == (next == o->end) &&
		   (next != o->end || r->length == 20);
}

/* -r: the letters [beg, end) and nothing around them. */
static void
region(const char *text, uint64_t beg, uint64_t end, uint64_t own)
{
	struct opt_item item = { 'r', text };
	struct opt_list list = { &item, 1 };
	struct one o = { beg, end, beg, { 0 }, true };
	int rc = each_chunk(&list, own, see_one, &o);

	ok(o.good && rc == 0 && o.next == end && o.got.n == end - beg &&
	   !memcmp(o.got.p, record + beg, o.got.n), "-r %s -L %d", text,
	   (int)own);
	buf_free(&o.got);
}

static void
no_region(const char *text, const char *why)
{
	struct feed_params p = feed_defaults;
	struct opt_item item = { 'r', text };
	struct opt_list list = { &item, 1 };
	struct seen s = { 0 };
	char *op[] = { path };

	p.regions = &list;
	n_rec = 0;
	drain(&s, op, 1, &p);
	ok(s.rc == ERR_USAGE && strstr(e.text, why), "-r %s: %s", text,
	   e.text);
	buf_free(&s.frames);
}

struct many {
	bool wanted[21];
	uint64_t at;
	bool good;
};

/* Rows begin and end where the regions do. */
static void
see_many(void *ctx, const struct chunk *c)
{
	struct many *m = ctx;

	for (size_t i = 0; i < c->n_rows; i++) {
		const struct chunk_row *r = &c->row[i];
		uint8_t s[MAX_LEN + 64];

		if (r->name.n != 1 || *r->name.p != 'c')
			continue;
		while (m->at < r->own_beg)
			m->good &= !m->wanted[m->at++];
		chunk_letters(c, r, 0, r->n, s);
		m->good &= !memcmp(s, record + r->beg, r->n);
		for (uint64_t k = r->beg; k < r->own_end; k++)
			m->good &= m->wanted[k];
		m->good &= !!(r->flags & CHUNK_FIRST) ==
			   (r->own_beg == 0 || !m->wanted[r->own_beg - 1]);
		m->good &= !!(r->flags & CHUNK_LAST) ==
			   !m->wanted[r->own_end];
		m->at = r->own_end;
	}
}

/* Random regions, by -r and as BED: each letter of them once, in order; all
 * other letters in none. */
static void
many_regions(unsigned n, uint64_t own)
{
	char text[8][24], bed[sizeof path + 8];
	struct opt_item item[9];
	struct opt_list list = { item, 0 };
	struct many m = { .good = true };
	FILE *to;
	int rc;

	snprintf(bed, sizeof bed, "%s.bed", path);
	to = fopen(bed, "w");
	if (!to)
		abort();
	fputs("#\nx\t0\t1\tname\n", to);
	for (unsigned i = 0; i < n; i++) {
		unsigned beg = (unsigned)below(&seed, 20);
		unsigned end = beg + 1 + (unsigned)below(&seed, 20 - beg);

		end += beg == 0 && end == 2;	/* c:1-2 is a name */
		memset(m.wanted + beg, true, end - beg);
		if (i % 2) {
			fprintf(to, "c\t%u\t%u\n", beg, end);
			continue;
		}
		snprintf(text[i], sizeof text[i], "c:%u-%u", beg + 1, end);
		item[list.n++] = (struct opt_item){ 'r', text[i] };
	}
	fclose(to);
	item[list.n++] = (struct opt_item){ 0, bed };
	rc = each_chunk(&list, own, see_many, &m);
	while (m.at < 20)
		m.good &= !m.wanted[m.at++];
	ok(m.good && rc == 0, "%u regions, -L %d", n, (int)own);
	unlink(bed);
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
	for (unsigned n = 1; n <= 8; n++)
		for (int own = 1; own < 23; own++)
			many_regions(n, (uint64_t)own);
	region("c:-7", 0, 7, 5);
	region("c:0.001k-0.02k", 0, 20, 5);
	no_region("c:1k-2k", "beyond the end");
	no_region("c:1.5-2", "no such sequence");
	no_region("z", "no such sequence; like it are x, c, y");
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

int
main(void)
{
	temporary();
	parts();
	only();
	absents();
	regions();
	usage();
	remove(path);
	return done();
}
