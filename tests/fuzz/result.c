/* SPDX-License-Identifier: MIT */
/*
 * result.c - any payload as a result frame: what is accepted can be written
 * again, and the ledger takes it
 *
 * Input: type, records (4 bytes), serial (8 bytes), payload.
 */
#include <stdlib.h>

#include "collect/collect.h"
#include "rec/rec.h"

enum { HEAD = 1 + 4 + 8 };

static void
check(bool good)
{
	if (!good)
		abort();
}

static void
use_hits(const struct rec_frame *f)
{
	struct hits_view v;
	struct hits_writer *w;
	struct hit h;
	struct err e;
	struct buf b = { 0 };

	if (hits_view(&v, f, &e))
		return;
	check(hits_writer_new(&w, &v.run, &v.receipt, &e) == 0);
	while (hits_next(&v, &h, &e) == 1)
		check(hits_add(w, &h, &e) == 0);
	check(hits_finish(w, &b, &e) == 0 && b.n > 0);
	hits_writer_free(w);
	hits_view_free(&v);
	buf_free(&b);
}

/* An encoder must take what a view gave, and the outcome must be as good. */
static void
use_tally(const struct rec_frame *f)
{
	struct tally t, u;
	struct rec_frame *g;
	struct err e;

	if (tally_view(&t, f, &e))
		return;
	check(tally_encode(&g, &t, &e) == 0 && tally_view(&u, g, &e) == 0);
	check(u.n_rows == t.n_rows);
	tally_free(&u);
	tally_free(&t);
	rec_frame_drop(g);
}

static void
use_primer(const struct rec_frame *f)
{
	struct primer_part p, q;
	struct rec_frame *g;
	struct err e;

	if (primer_view(&p, f, &e))
		return;
	check(primer_encode(&g, &p, &e) == 0 && primer_view(&q, g, &e) == 0);
	check(p.n == q.n && memcmp(p.end, q.end, p.n * sizeof *p.end) == 0);
	primer_free(&q);
	primer_free(&p);
	rec_frame_drop(g);
}

static void
use_dist(const struct rec_frame *f)
{
	struct dist d, u;
	struct rec_frame *g;
	struct err e;

	if (dist_view(&d, f, &e))
		return;
	check(dist_encode(&g, &d, &e) == 0 && dist_view(&u, g, &e) == 0);
	check(u.n_rows == d.n_rows && u.n_names == d.n_names);
	dist_free(&u);
	dist_free(&d);
	rec_frame_drop(g);
}

/* Twice the same: a copy the second time, or malformed both times. */
static void
use_ledger(const struct rec_frame *f)
{
	struct ledger *l;
	struct err e;
	size_t n;
	const struct range *r;
	int rc;

	check(ledger_new(&l, &e) == 0);
	rc = ledger_frame(l, f, &e);
	check(rc == 0 || rc == ERR_FORMAT);
	if (f->type >= REC_HITS && f->type <= REC_DONE)
		check(ledger_frame(l, f, &e) == (rc ? rc : LEDGER_COPY));
	check(ledger_verdict(l, 0, &e) == ERR_INCOMPLETE);
	for (size_t i = 0; i < ledger_runs(l); i++)
		for (size_t j = 0; j < ledger_scans(l, i); j++)
			check(ledger_ranges(l, i, j, &r, &n, &e) == 0);
	ledger_free(l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct rec_frame f = { .run = 7 };

	if (n < HEAD)
		return 0;
	f.type = data[0];
	f.records = (uint32_t)get_le(data + 1, 4);
	f.serial = get_le(data + 5, 8);
	f.n = n - HEAD;
	f.payload = malloc(f.n ? f.n : 1);	/* just so many bytes */
	check(f.payload != NULL);
	memcpy(f.payload, data + HEAD, f.n);
	use_hits(&f);
	use_tally(&f);
	use_primer(&f);
	use_dist(&f);
	if (f.type != REC_CHUNK)	/* wants zeros behind: tests/fuzz/rec */
		use_ledger(&f);
	free(f.payload);
	return 0;
}
