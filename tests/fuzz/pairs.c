/* SPDX-License-Identifier: MIT */
/*
 * pairs.c - files of primers: never a crash, and of what is taken all primers
 * are found by their names, have letters of DNA, and pairs are of them; the
 * same when the primers are written as FASTA and read again
 */
#include <stdlib.h>
#include <string.h>

#include "letters/letters.h"
#include "pcr/pcr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
check(const struct pcr_pairs *p, struct buf *fasta)
{
	for (size_t i = 0; i < p->n_primers; i++) {
		const struct pcr_primer *x = &p->primer[i];

		if (!x->letters.n || pcr_pairs_find(p, x->name) != i)
			abort();
		for (size_t k = 0; k < x->letters.n; k++)
			if (!dna_set((uint8_t)x->letters.p[k]))
				abort();
		for (size_t k = 0; k < x->name.n; k++)
			if ((uint8_t)x->name.p[k] <= ' ')
				abort();
		buf_printf(fasta, ">%.*s\n%.*s\n", (int)x->name.n, x->name.p,
			   (int)x->letters.n, x->letters.p);
	}
	for (size_t i = 0; i < p->n_pairs; i++) {
		const struct pcr_pair *x = &p->pair[i];

		if (x->f >= p->n_primers || x->r >= p->n_primers ||
		    (x->limits && (x->min < 1 || x->min > x->max)))
			abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct pcr_pairs_params pp = { .alone = n && data[0] & 1 };
	struct pcr_pairs_params alone = { .alone = true };
	struct pcr_pairs p = { .path = NULL }, again = { .path = NULL };
	struct buf fasta = { 0 };
	struct queries q;
	struct err e;

	if (n < 1 || pcr_pairs_parse(&p, "x", data + 1, n - 1, &pp, &e))
		return 0;
	check(&p, &fasta);
	if (pcr_pairs_queries(&p, &q, &e) || q.n != p.n_primers)
		abort();
	queries_free(&q);
	if (pcr_pairs_parse(&again, "y", fasta.p, fasta.n, &alone, &e) ||
	    again.n_primers != p.n_primers)
		abort();
	for (size_t i = 0; i < p.n_primers; i++) {
		struct str a = p.primer[i].letters, b = again.primer[i].letters;

		if (a.n != b.n || memcmp(a.p, b.p, a.n))
			abort();
	}
	pcr_pairs_free(&again);
	pcr_pairs_free(&p);
	buf_free(&fasta);
	return 0;
}
