/* SPDX-License-Identifier: MIT */
/*
 * asm.c - fuzz target: two CHUNK payloads, the second with the first before it
 *
 * Byte 0 and the top bits of byte 2 choose options, the other bits of bytes 1-2
 * are the first payload's length.  Whatever
 * chunk_view() lets through must be searched without a fault, what comes out
 * must be frames whose rows lie inside of what the chunk owns, and finding
 * all ends must count the same as counting them by the other engine.
 */
#include "chunk_frame.h"
#include "scan/asm/asm.h"
#include "tests/lib/scan_chunk.h"
#include "rec/rec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static struct asm_options
options_of(unsigned bits)
{
	struct asm_options o = {
		.k = bits & 1 ? "1" : "30%",
		.report = bits & 2 ? ASM_ALL : ASM_MINIMA,
		.alphabet = bits & 4 ? KDIFF_PROTEIN : KDIFF_DNA,
		.no_indels = bits & 8,
		.no_cigar = bits & 32,
		.with_seq = bits & 64,
		.engine = bits & 128 ? KDIFF_PATTERNS : KDIFF_TEXT,
	};

	o.iupac = bits & 16 && o.alphabet == KDIFF_DNA;
	return o;
}

/* Patterns' ends: they may hang over, or some letters must match. */
static void
add_ends(struct asm_options *o, unsigned bits)
{
	static const char *const cost[] = { "0", "0.3", "0.5", "1" };

	if (bits & 4) {
		const char **to = bits & 8 ? &o->overhang_end : &o->overhang;

		*to = cost[bits & 3];
		o->min_overlap = bits & 16 ? 2 : 0;
		o->per_overlap = bits & 32 && strchr(o->k, '%');
		return;
	}
	o->exact_prefix = bits & 1 ? 2 : 0;
	o->exact_suffix = bits & 2 ? 1 : 0;
}

/* Of a circle an end is one letter's, whatever turn it is in. */
static bool
owns(const struct chunk_row *r, uint64_t send)
{
	const unsigned last = CHUNK_CIRCULAR | CHUNK_LAST;

	if ((r->flags & last) == last && r->length)
		return (send % r->length + r->length -
			r->own_beg % r->length) % r->length <
		       r->own_end - r->own_beg;
	return send >= r->own_beg &&
	       send < r->own_end + ((r->flags & last) == CHUNK_LAST);
}

static bool
owned(const struct chunk *c, const struct hit *h)
{
	for (size_t i = 0; i < c->n_rows; i++)
		if (c->row[i].ordinal == h->subject.ordinal &&
		    owns(&c->row[i], h->send))
			return true;
	return false;
}

/* Rows of the HITS frame in b; every one is looked at. */
static uint64_t
rows(const struct buf *b, const struct rec_frame *chunk)
{
	struct rec_reader *r;
	struct rec_frame *f;
	struct hits_view v;
	struct source *s;
	struct chunk c;
	struct hit h;
	struct err e;
	uint64_t n = 0;

	must(chunk_view(&c, chunk, &e) == 0);
	must(source_memory(&s, "hits", b->p, b->n, &e) == 0);
	must(rec_reader_new(&r, s, &e) == 0);
	while (rec_read(r, &f, &e) == REC_FRAME) {
		must(hits_view(&v, f, &e) == 0);
		for (; hits_next(&v, &h, &e) > 0; n++)
			must(owned(&c, &h) && h.sbeg <= h.send);
		hits_view_free(&v);
		rec_frame_drop(f);
	}
	rec_reader_free(r);
	source_close(s);
	chunk_free(&c);
	return n;
}

static uint64_t
counts(const struct buf *b)
{
	struct rec_reader *r;
	struct rec_frame *f;
	struct source *s;
	struct tally t;
	struct err e;
	uint64_t n = 0;

	must(source_memory(&s, "counts", b->p, b->n, &e) == 0);
	must(rec_reader_new(&r, s, &e) == 0);
	must(rec_read(r, &f, &e) == REC_FRAME);
	must(tally_view(&t, f, &e) == 0);
	for (size_t i = 0; i < t.n_rows; i++)
		n += t.row[i].count;
	tally_free(&t);
	rec_frame_drop(f);
	rec_reader_free(r);
	source_close(s);
	return n;
}

static int
search(const struct queries *q, const struct asm_options *o,
       struct rec_frame *f, struct rec_frame *before, struct buf *out)
{
	struct scan_workers *m;
	struct asm_search x = { .best = NULL };
	struct asm_scan *a;
	struct err e;
	int rc;

	must(asm_new(&a, o, q, &e) == 0);
	x.a = a;
	must(asm_workers_new(&m, &x, 1, &e) == 0);
	rc = scan_one_chunk(m, f, before ? &before : NULL, before != NULL,
			    out, &e);
	must(rc == 0 || (rc == e.code && rc != ERR_NOMEM));
	scan_workers_free(m);
	asm_free(a);
	return rc;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct opt_item it[] = { { 'e', "ACGTTGCAAC" }, { 'e', "AC" },
				 { 'e', "TTTTTTN" } };
	struct opt_list l = { it, 3 };
	struct asm_options o;
	struct queries q;
	struct buf hits = { 0 }, tally = { 0 };
	struct rec_frame *f[2];
	struct err e;
	size_t first;
	int rc;

	if (n < 3)
		return 0;
	first = data[1] | (size_t)(data[2] & 31) << 8;
	first = first < n - 3 ? first : n - 3;
	f[0] = frame_of(data + 3, first, 0);
	f[1] = frame_of(data + 3 + first, n - 3 - first, 1);
	must(queries_load(&q, &l, false, &e) == 0);
	o = options_of(data[0]);
	add_ends(&o, data[2] >> 5 | (data[1] & 7u) << 3);
	search(&q, &o, f[0], NULL, &hits);
	hits.n = 0;
	rc = search(&q, &o, f[1], f[0], &hits);
	if (rc == 0) {
		uint64_t found = rows(&hits, f[1]);

		/* The context of minima is longer: counting wants less. */
		o.report = ASM_COUNT;
		o.engine = data[0] & 128 ? KDIFF_TEXT : KDIFF_PATTERNS;
		must(search(&q, &o, f[1], f[0], &tally) == 0);
		must(data[0] & 2 ? found == counts(&tally) :
		     found <= counts(&tally));
	}
	buf_free(&hits);
	buf_free(&tally);
	queries_free(&q);
	rec_frame_drop(f[0]);
	rec_frame_drop(f[1]);
	return 0;
}
