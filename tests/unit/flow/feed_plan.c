/* SPDX-License-Identifier: MIT */
/* feed_plan.c - of files with FILE.sfi come the chunks that the lengths of
 * their records give, one after the other, those that are wanted and no
 * others */
#include <string.h>
#include <unistd.h>

#include "flow/feed_in.h"
#include "input/input.h"
#include "rec/rec.h"
#include "tests/lib/tap.h"

enum { MOST = 40000, FILES = 3 };
static uint64_t seed = 20261129;
static struct err e;
static char dir[] = "/tmp/seqf-plan-XXXXXX", path[FILES][64];

/* The records of all files. */
static struct record {
	size_t at, n, desc;	/* letters; bytes of its description */
	char name[16];
	uint32_t file;
} rec[MOST];
static size_t n_rec, n_files;
static struct buf letters;

/* The rows by the definition, chunk by chunk; n_rows 0: SEQ of row `first`. */
static struct chunk_row row[2 * MOST];
static struct event {
	uint64_t serial;
	size_t first, n_rows;
} event[2 * MOST];
static size_t n_row, n_event;
static uint64_t n_chunks;

static void
add_record(struct buf *text, uint32_t file, size_t n, size_t desc)
{
	struct record *r = &rec[n_rec];
	size_t line = 60;

	*r = (struct record){ .at = letters.n, .n = n, .desc = desc,
			      .file = file };
	snprintf(r->name, sizeof r->name, "s%zu", n_rec++);
	buf_printf(text, ">%s", r->name);
	for (size_t i = 0; i < desc; i++)
		buf_u8(text, i ? 'd' : ' ');
	buf_u8(text, '\n');
	for (size_t i = 0; i < n; i++) {
		uint8_t c = (uint8_t)"ACGTacgtN"[below(&seed, 9)];

		buf_u8(&letters, c);
		buf_u8(text, c);
		if ((i + 1) % line == 0 || i + 1 == n)
			buf_u8(text, '\n');
	}
}

static void
write_file(unsigned i, const struct buf *text)
{
	FILE *f = fopen(path[i], "wb");
	struct fai_left left;

	if (!f || fwrite(text->p, 1, text->n, f) != text->n || fclose(f) ||
	    fai_build(path[i], 1, &left, &e))
		abort();
}

/* Lengths around that of a chunk, and any. */
static size_t
some_length(uint64_t own)
{
	uint64_t near = own * below(&seed, 4) + below(&seed, 3);

	return (size_t)(below(&seed, 3) ? below(&seed, own / 2) :
			below(&seed, 2) ? below(&seed, 5 * own) :
			near ? near - 1 : 0);
}

/* Files of so many letters or more, but for the last one; each of so many
 * records, in all chunks of names or rows, too. */
static void
make_files(unsigned files, size_t records, uint64_t own, size_t most,
	   size_t desc)
{
	struct buf text = { 0 };

	n_rec = letters.n = 0;
	n_files = files;
	for (unsigned i = 0; i < files; i++) {
		size_t was = letters.n;

		text.n = 0;
		for (size_t k = 0; k < records || letters.n == was ||
		     (i == 0 && files > 1 && letters.n < FEED_HASHED); k++)
			add_record(&text, i + 1, most ? below(&seed, most) :
				   some_length(own), below(&seed, desc + 1));
		add_record(&text, i + 1, 1 + below(&seed, 9), 0);
		write_file(i, &text);
	}
	buf_free(&text);
}

static struct chunk_row *
add_row(size_t i, uint64_t own_beg, uint64_t own_end, uint64_t context)
{
	const struct record *r = &rec[i];
	struct chunk_row *x = &row[n_row++];

	*x = (struct chunk_row){
		.ordinal = i, .own_beg = own_beg, .own_end = own_end,
		.beg = own_beg < context ? 0 : own_beg - context,
		.flags = (own_beg ? 0 : CHUNK_FIRST) |
			 (own_end == r->n ? CHUNK_LAST : 0),
		.length = own_end == r->n ? r->n : 0, .file = r->file,
	};
	x->n = own_end - x->beg;
	return x;
}

static void
end_chunk(size_t first)
{
	if (n_row > first)
		event[n_event++] = (struct event){ n_chunks++, first,
						   n_row - first };
}

static void
model(uint64_t own, uint64_t context)
{
	uint64_t whole = 0, names = 0;
	size_t first = 0;

	n_row = n_event = 0;
	n_chunks = 0;
	for (size_t i = 0; i < n_rec; i++) {
		const struct record *r = &rec[i];

		if (whole + r->n > own || n_row - first == FEED_ROWS ||
		    names >= FEED_NAMES) {
			end_chunk(first);
			first = n_row;
			whole = names = 0;
		}
		for (uint64_t at = 0; r->n > own && at < r->n; at += own) {
			add_row(i, at, min_u64(at + own, r->n), context);
			end_chunk(first);
			first = n_row;
		}
		if (r->n > own) {
			event[n_event++] = (struct event){ 0, first - 1, 0 };
			continue;
		}
		add_row(i, 0, r->n, context);
		whole += r->n;
		names += strlen(r->name) + r->desc;
	}
	end_chunk(first);
}

static bool
same_place(const struct chunk_row *a, const struct chunk_row *b)
{
	return a->ordinal == b->ordinal && a->beg == b->beg && a->n == b->n &&
	       a->own_beg == b->own_beg && a->own_end == b->own_end &&
	       a->length == b->length && a->flags == b->flags &&
	       a->file == b->file;
}

/* Of a row that is filled. */
static bool
same_letters(const struct chunk_raw *c, const struct chunk_row *a)
{
	const struct record *r = &rec[a->ordinal];
	const uint8_t *want = letters.p + r->at;
	size_t own = (size_t)(a->own_end - a->own_beg);
	bool good = a->name.n == strlen(r->name) &&
		    memcmp(a->name.p, r->name, a->name.n) == 0;

	if (a->flags & CHUNK_FIRST)
		good = good && a->desc.n == r->desc;
	for (size_t i = 0; a->flags & CHUNK_FIRST && good && i < r->desc; i++)
		good = a->desc.p[i] == (i ? 'd' : ' ');
	return good && memcmp(c->letters + a->at, want + a->beg, a->n) == 0 &&
	       a->digest == digest_letters(want + a->own_beg, own, a->own_beg);
}

static bool
same_chunk(struct feed_item *it, const struct event *x)
{
	static const uint8_t zeros[64];
	struct chunk_raw *c = it->cut ? &it->cut->raw : NULL;
	const struct chunk_row *last;

	if (it->kind != FEED_RAW || !c || c->serial != x->serial ||
	    c->n_rows != x->n_rows || c->run.id != 77)
		return false;
	for (size_t i = 0; i < x->n_rows; i++)
		if (!same_place(&c->row[i], &row[x->first + i]))
			return false;
	if (plan_fill(it->cut, &e) || !c->digests)
		return false;
	for (size_t i = 0; i < x->n_rows; i++)
		if (!same_letters(c, &c->row[i]))
			return false;
	last = &c->row[c->n_rows - 1];
	return memcmp(c->letters + last->at + last->n, zeros, 64) == 0;
}

static bool
same_seq(const struct feed_item *it, const struct event *x)
{
	const struct chunk_row *r = &row[x->first];
	const char *name = rec[r->ordinal].name;
	struct seq s;

	return it->kind == FEED_FRAME && it->frame && it->frame->run == 77 &&
	       seq_view(&s, it->frame, &e) == 0 && s.ordinal == r->ordinal &&
	       s.length == r->length && s.name.n == strlen(name) &&
	       memcmp(s.name.p, name, s.name.n) == 0;
}

/* What END says, before the first chunk but for their number. */
static bool
same_sums(const struct feed_run *run)
{
	struct digest_order order = { 0 };
	uint64_t sum = 0;

	for (size_t i = 0; i < n_rec; i++)
		sum = digest_add(sum, digest_mul(digest_order(&order, i),
			digest_named(rec[i].name, strlen(rec[i].name), true,
				     digest_letters(letters.p + rec[i].at,
						    rec[i].n, 0))));
	return run->planned && run->sequences == n_rec &&
	       run->owned == letters.n && run->digest == sum;
}

static bool
open_plan(struct feed_plan **p, const struct serials *s, char why[SFI_WHY])
{
	struct operand op[FILES] = { { 0 } };

	for (size_t i = 0; i < n_files; i++)
		op[i].path = path[i];
	return plan_open(p, op, n_files, s, why, &e) == 0 && *p;
}

/* All events of the plan for these serials, as the model has them. */
static bool
follows(const struct serials *s, uint64_t own, uint64_t context)
{
	struct feed_run run = { .key.id = 77 };
	struct feed_item it = { 0 };
	struct feed_plan *p;
	char why[SFI_WHY];
	bool good = open_plan(&p, s, why), any = false;

	if (!good)
		return false;
	plan_begin(p, &run, own, context);
	good = same_sums(&run) && plan_n_read(p) == 0;
	for (size_t i = 0; i < n_event && good; i++) {
		const struct event *x = &event[i];

		if (x->n_rows && !serials_has(s, x->serial))
			continue;
		any |= x->n_rows > 0;
		good = plan_next(p, &it, &e) == 1 &&
		       (x->n_rows ? same_chunk(&it, x) : same_seq(&it, x));
		if (!good)
			printf("# event %zu of %zu: %s\n", i, n_event, e.text);
		feed_drop(&it);
	}
	good = good && plan_next(p, &it, &e) == 1 && it.kind == FEED_END &&
	       it.cut->run == &run && run.chunks == n_chunks;
	feed_drop(&it);
	good = good && plan_next(p, &it, &e) == 0 && !it.cut && same_sums(&run);
	good = good && (plan_n_read(p) > 0) == any;
	feed_drop(&it);
	plan_free(p);
	return good;
}

/* Everything, a part, some serials. */
static bool
selections(uint64_t own, uint64_t context)
{
	struct feed_params p[3] = { { 0 } };
	char only[64];
	bool good = true;

	model(own, context);
	p[1].parts = 1 + below(&seed, 5);
	p[1].part = below(&seed, p[1].parts);
	snprintf(only, sizeof only, "%d,%d-%d", (int)below(&seed, n_chunks),
		 (int)(n_chunks / 2), (int)(n_chunks / 2 + below(&seed, 9)));
	p[2].only = only;
	for (int i = 0; i < 3 && good; i++) {
		struct serials s = { 0 };

		good = serials_parse(&s, &p[i], &e) == 0 &&
		       follows(&s, own, context);
		if (!good)
			printf("# selection %d, -L %d -W %d\n", i, (int)own,
			       (int)context);
		serials_free(&s);
	}
	return good;
}

/* A file without FILE.sfi, or a first one that is too short for the id. */
static void
no_plan(void)
{
	struct serials s = { 0 };
	struct feed_plan *p;
	char why[SFI_WHY] = "x", index[80];
	size_t first = 0;

	make_files(1, 3, 2000, 0, 5);
	ok(open_plan(&p, &s, why) && plan_sums(p)->records == n_rec && !*why,
	   "one short file");
	plan_free(p);
	write_file(1, &(struct buf){ .p = (uint8_t *)(uintptr_t)">x\nA\n",
				     .n = 5 });
	n_files = 2;
	ok(letters.n < FEED_HASHED && !open_plan(&p, &s, why) && !*why,
	   "two, and a short one first");
	make_files(2, 30, 5000, 0, 5);
	while (rec[first].file == 1)
		first++;
	ok(open_plan(&p, &s, why) && !*why && plan_sums(p)->records == first,
	   "two");
	plan_free(p);
	snprintf(index, sizeof index, "%s.sfi", path[1]);
	unlink(index);
	ok(!open_plan(&p, &s, why) && !p && !*why, "one without FILE.sfi");
	if (truncate(path[0], 1000))
		abort();
	ok(!open_plan(&p, &s, why) && !p && *why, "%s", why);
}

static void
clean_up(void)
{
	static const char *const ends[] = { "", ".fai", ".sfi" };
	char name[80];

	for (unsigned i = 0; i < 3 * FILES; i++) {
		snprintf(name, sizeof name, "%s%s", path[i / 3], ends[i % 3]);
		unlink(name);
	}
	ok(rmdir(dir) == 0, "no other file");
}

int
main(void)
{
	static const uint64_t contexts[] = { 0, 1, 100, 1024, 3000, 20000 };
	int bad = 0, rounds = (int)lighter(60);

	printf("# seed %llu\n", (unsigned long long)seed);
	if (!mkdtemp(dir))
		abort();
	for (unsigned i = 0; i < FILES; i++)
		snprintf(path[i], sizeof path[i], "%s/%u.fa", dir, i);
	for (int i = 0; i < rounds; i++) {
		uint64_t own = 1024 + below(&seed, 3000);

		make_files(1 + (unsigned)below(&seed, FILES),
			   below(&seed, 40), own, 0, 9);
		bad += !selections(own, contexts[below(&seed, 6)]);
	}
	ok(bad == 0, "%d of %d cases", bad, rounds);
	make_files(2, FEED_ROWS + 500, 0, 9, 3);
	ok(selections(1 << 30, 1000), "more rows than a chunk has");
	make_files(2, 60, 0, 3000, 60000);
	ok(selections(1 << 30, 1000), "more names than a chunk has");
	no_plan();
	clean_up();
	buf_free(&letters);
	return done();
}
