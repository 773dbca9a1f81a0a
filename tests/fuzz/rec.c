/* SPDX-License-Identifier: MIT */
/*
 * rec.c - fuzz target: any bytes as a record stream or as one frame's payload
 *
 * The first byte says which.  As a stream: reading must end, and frames read
 * must come back when written.  As a payload (then type, records, serial and
 * the payload follow): every view must stay inside of it, and what a view
 * accepts must encode to the same thing again.
 */
#include <stdlib.h>

#include "rec/rec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
must(bool good)
{
	if (!good)
		abort();
}

static void
same(const struct rec_frame *f, struct rec_frame *g)
{
	must(g->type == f->type && g->run == f->run &&
	     g->serial == f->serial && g->records == f->records &&
	     g->n == f->n && memcmp(g->payload, f->payload, f->n) == 0);
	rec_frame_drop(g);
}

static struct chunk_raw
decoded(const struct chunk *c)
{
	struct chunk_raw raw = {
		.run = c->run, .serial = c->serial,
		.row = calloc(c->n_rows + 1, sizeof *raw.row),
		.n_rows = c->n_rows,
	};
	uint8_t *s = malloc(c->n + 64);

	must(raw.row && s);
	for (size_t i = 0; i < c->n_rows; i++) {
		raw.row[i] = c->row[i];
		chunk_letters(c, &c->row[i], 0, c->row[i].n,
			      s + c->row[i].at);
	}
	raw.letters = s;
	return raw;
}

static void
try_chunk(const struct rec_frame *f)
{
	struct chunk c, c2;
	struct chunk_raw raw;
	struct rec_frame *g;
	uint64_t owned, digest;
	struct err e;

	if (chunk_view(&c, f, &e) < 0)
		return;
	if (chunk_digest_ok(&c, &e) && c.enc != CHUNK_PROB) {
		raw = decoded(&c);
		must(chunk_encode(&g, &raw, &owned, &digest, &e) == 0);
		must(owned == c.owned);
		must(digest == c.digest || c.kind != DIGEST_ADDS);
		must(chunk_view(&c2, g, &e) == 0 && chunk_digest_ok(&c2, &e));
		must(c2.n_rows == c.n_rows);
		chunk_free(&c2);
		rec_frame_drop(g);
		free(raw.row);
		free((void *)(uintptr_t)raw.letters);
	}
	chunk_free(&c);
}

static void
try_control(const struct rec_frame *f)
{
	struct rec_frame *g;
	struct begin b;
	struct seq s;
	struct run_end n;
	struct err e;

	if (begin_view(&b, f, &e) == 0) {
		must(begin_encode(&g, &b, &e) == 0);
		same(f, g);
	}
	if (seq_view(&s, f, &e) == 0) {
		must(seq_encode(&g, f->run, &s, &e) == 0);
		same(f, g);
	}
	if (end_view(&n, f, &e) == 0) {
		must(end_encode(&g, &n, &e) == 0);
		same(f, g);
	}
}

static void
try_result(const struct rec_frame *f)
{
	struct run_key run;
	struct receipt r;
	struct hits_view v;
	struct hit h;
	struct tally t;
	struct primer_part p;
	struct dist d;
	struct err e;

	if (result_head(f, &run, &r, &e) == 0)
		free(r.range);
	if (hits_view(&v, f, &e) == 0) {
		while (hits_next(&v, &h, &e) > 0)
			must(h.n_cigar <= f->n);
		hits_view_free(&v);
	}
	if (tally_view(&t, f, &e) == 0)
		tally_free(&t);
	if (primer_view(&p, f, &e) == 0)
		primer_free(&p);
	if (dist_view(&d, f, &e) == 0)
		dist_free(&d);
}

static void
try_frame(const struct rec_frame *f)
{
	try_chunk(f);
	try_control(f);
	try_result(f);
}

static void
as_payload(const uint8_t *data, size_t n)
{
	struct rec_frame *f;

	if (n < 4)
		return;
	f = rec_frame_new(n - 4);
	must(f != NULL);
	f->type = data[0];
	f->records = (uint32_t)get_le(data + 1, 2);
	f->serial = data[3];
	memcpy(f->payload, data + 4, n - 4);
	try_frame(f);
	rec_frame_drop(f);
}

/* Written again it is read as the same frame. */
static void
rewrite(const struct rec_frame *f)
{
	struct buf b = { 0 };
	struct source *s;
	struct rec_reader *r;
	struct rec_frame *g;
	struct err e;

	if (rec_encode(&b, f, &e) == 0) {
		must(source_memory(&s, "again", b.p, b.n, &e) == 0);
		must(rec_reader_new(&r, s, &e) == 0);
		must(rec_read(r, &g, &e) == REC_FRAME);
		same(f, g);
		must(rec_read(r, &g, &e) == REC_EOF);
		rec_reader_free(r);
		source_close(s);
	}
	buf_free(&b);
}

static void
as_stream(const uint8_t *data, size_t n)
{
	struct source *s;
	struct rec_reader *r;
	struct rec_frame *f;
	struct err e;
	int rc;

	if (source_memory(&s, "fuzz", data, n, &e) < 0)
		return;
	must(rec_reader_new(&r, s, &e) == 0);
	for (size_t events = 0; (rc = rec_read(r, &f, &e)) > 0; events++) {
		must(source_kind(s) != SOURCE_PLAIN || events < n);
		if (rc != REC_FRAME)
			continue;
		rewrite(f);
		try_frame(f);
		rec_frame_drop(f);
	}
	rec_reader_free(r);
	source_close(s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (n && data[0] % 2)
		as_payload(data + 1, n - 1);
	else if (n)
		as_stream(data + 1, n - 1);
	return 0;
}
