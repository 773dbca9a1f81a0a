/* SPDX-License-Identifier: MIT */
/*
 * pcr_find.h - products of PCR from hits of asm-scan
 *
 * Hits come by a sink, from a search or from record streams, wait until the
 * ledger is whole, and then become products, subject by subject.
 */
#ifndef SEQF_SCAN_PCR_PCR_FIND_H
#define SEQF_SCAN_PCR_PCR_FIND_H

#include "flow/flow.h"
#include "output/output.h"
#include "pcr/pcr.h"
#include "scan/asm/asm.h"
#include "scan/scan.h"

struct pcr_find_params {
	const struct pcr_pairs *pairs;
	const struct queries *queries;	/* their primers */
	/* What the hits must be of. */
	const char *k;		/* NULL: as many differences as the stream's */
	bool no_indels;		/* a stream may also be so without it */
	int64_t exact_suffix;
	/* What is a product: join.h. */
	bool all_pairs;
	uint64_t min, max, max_hits;
	struct printer_params print;	/* how it is written */
	bool primer_letters;	/* the primers' instead of the subject's */
};

/* Are letters of products wanted, for which sequences are read twice? */
bool pcr_find_reads_twice(const struct pcr_find_params *pp);
/* print.letters by --columns, too.  ERR_USAGE: the format shows none. */
int pcr_find_settle_letters(struct pcr_find_params *pp, struct err *e);

struct pcr_find;
int pcr_find_new(struct pcr_find **p, const struct pcr_find_params *pp,
		 struct err *e);
void pcr_find_free(struct pcr_find *p);

/* sink_params.hit; ctx is the struct pcr_find.  ERR_USAGE for hits that are
 * not those of the pairs. */
int pcr_find_hit(void *ctx, const struct run_key *run,
		 const struct scan_key *scan, const struct hit *h,
		 struct err *e);

/* Search sequences, and finish the sink, as asm_run(). */
int pcr_find_search(struct pcr_find *p, const struct scan_run *r,
		    const struct asm_scan *scan, uint64_t *n_letters,
		    struct err *e);
/* Or read streams of hits.  ERR_USAGE for what was not made with the options
 * that the definition wants. */
int pcr_find_read(struct pcr_find *p, const struct scan_run *r,
		  struct err *e);

/*
 * All products, if the sink's verdict is that the hits are whole.  r: the
 * operands are read again for the products' letters, if these are wanted.
 */
int pcr_find_write(struct pcr_find *p, const struct scan_run *r,
		   struct out *out, struct err *e);
uint64_t pcr_find_products(const struct pcr_find *p);

/* Letters of sequences in their order, from operands that are read again. */
struct pcr_letters;
int pcr_letters_new(struct pcr_letters **l, const struct scan_run *r,
		    struct err *e);
void pcr_letters_free(struct pcr_letters *l);	/* may be NULL */
/*
 * Letters [beg, end) of a sequence; valid until the next call.  Not before
 * those asked for already: sequences ascend, and so do begins of one.
 */
int pcr_letters_get(struct pcr_letters *l, uint64_t ordinal, uint64_t beg,
		    uint64_t end, struct str *to, struct err *e);

#endif
