/* SPDX-License-Identifier: MIT */
/*
 * sw.c - fuzz target: two CHUNK payloads, the second with the first before it
 *
 * Byte 0 chooses options, bytes 1-2 are the first payload's length.  Whatever
 * chunk_view() lets through must be searched without a fault, rows must end in
 * what the chunk owns, and their CIGARs give their places; any two engines
 * must agree.
 */
#include "letters/letters.h"
#include "chunk_frame.h"
#include "scan/sw/sw_scan_priv.h"
#include "tests/lib/scan_chunk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static struct sw_options
options_of(unsigned bits)
{
	static const char *const presets[] = {
		"blastn", "ssca1", "1/-1/0/1", "3/-2/4/0"
	};
	struct sw_options o = {
		.best = bits & 1 ? SW_READ_CELLS : SW_READ_ALIGNMENTS,
		.n = bits & 2 ? 40 : 2, .min_score = 1,
		.scoring = { .preset = presets[bits >> 2 & 3],
			     .match = SW_UNSET, .mismatch = SW_UNSET,
			     .gap_open = SW_UNSET, .gap_extend = SW_UNSET },
		.no_cigar = bits & 16, .with_seq = bits & 32,
	};

	if (bits & 64) {
		o.scoring.preset = NULL;
		o.scoring.matrix = "BLOSUM62";
	}
	if (bits & 128)
		o.best = SW_READ_DISJOINT;
	return o;
}

static bool
owned(const struct chunk *c, const struct hit *h, bool whole)
{
	for (size_t i = 0; i < c->n_rows; i++) {
		const struct chunk_row *r = &c->row[i];

		if (r->ordinal == h->subject.ordinal && h->send <= r->own_end &&
		    (h->send > r->own_beg || whole))
			return true;
	}
	return false;
}

/* Rows as scan_best_put() made them. */
static void
look(const struct buf *b, const struct rec_frame *chunk,
     const struct sw_options *o)
{
	struct cur c = cur_of(b->p, b->n);
	struct buf ops = { 0 };
	struct chunk k;
	struct err e;

	must(chunk_view(&k, chunk, &e) == 0);
	while (cur_left(&c)) {
		struct cigar_sum sum;
		struct cur row;
		struct str s;
		struct hit h;

		cur_le(&c, 1);
		s = cur_str(&c);
		row = cur_of(s.p, s.n);
		hit_get(&row, &h, &ops);
		must(!row.bad && !ops.bad && h.score > 0);
		must(owned(&k, &h, o->best == SW_READ_DISJOINT));
		sum = cigar_sum(h.cigar, h.n_cigar);
		must(o->no_cigar || (sum.query == h.qend - h.qbeg &&
				     sum.subject == h.send - h.sbeg));
	}
	buf_free(&ops);
	chunk_free(&k);
}

static int
search(const struct queries *q, const struct sw_options *o,
       struct rec_frame *f, struct rec_frame *before, struct buf *out)
{
	struct sw_progress progress = { .of = 0 };
	struct sw_search x = { .progress = &progress };
	struct scan_workers *m;
	struct sw_scan *s;
	struct err e;
	int rc;

	must(sw_scan_new(&s, o, q, &e) == 0);
	x.s = s;
	must(sw_best_new(&x.best, s, &e) == 0);
	must(sw_workers_new(&m, &x, 1, &e) == 0);
	out->n = 0;
	rc = scan_one_chunk(m, f, before ? &before : NULL, before != NULL,
			    out, &e);
	must(rc == 0 || (rc == e.code && rc != ERR_NOMEM));
	if (rc == 0) {
		look(out, f, o);
		must(scan_best_add(x.best, f, out, &e) == 0);
	}
	scan_workers_free(m);
	scan_best_free(x.best);
	sw_scan_free(s);
	return rc;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct opt_item it[] = { { 'e', "ACGTTGCAAC" }, { 'e', "A" },
				 { 'e', "TTATTTN" } };
	struct opt_list l = { it, 3 };
	struct sw_options o;
	struct queries q;
	struct buf one = { 0 }, two = { 0 };
	struct rec_frame *f[2];
	struct err e;
	size_t first;

	if (n < 3)
		return 0;
	first = data[1] | (size_t)data[2] << 8;
	first = first < n - 3 ? first : n - 3;
	f[0] = frame_of(data + 3, first, 0);
	f[1] = frame_of(data + 3 + first, n - 3 - first, 1);
	must(queries_load(&q, &l, false, &e) == 0);
	o = options_of(data[0]);
	search(&q, &o, f[0], NULL, &one);
	o.engine = SW_PLAIN;
	if (search(&q, &o, f[1], f[0], &one) == 0) {
		for (int g = SW_LANES8; g <= SW_SKEW; g++) {
			o.engine = (enum sw_engine)g;
			must(search(&q, &o, f[1], f[0], &two) == 0);
			must(one.n == two.n &&
			     (!one.n || !memcmp(one.p, two.p, one.n)));
		}
	}
	buf_free(&one);
	buf_free(&two);
	queries_free(&q);
	rec_frame_drop(f[0]);
	rec_frame_drop(f[1]);
	return 0;
}
