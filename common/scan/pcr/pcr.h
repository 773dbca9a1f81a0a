/* SPDX-License-Identifier: MIT */
/*
 * pcr.h - what other folders may use of scan/pcr/: sites to products, over
 * all operands
 */
#ifndef SEQF_SCAN_PCR_PCR_H
#define SEQF_SCAN_PCR_PCR_H

#include "flow/flow.h"
#include "output/output.h"
#include "pcr/pcr.h"
#include "scan/asm/asm.h"
#include "scan/scan.h"

/*
 * Products of PCR from hits of asm-scan
 *
 * Hits come by a sink, from a search or from record streams, wait until the
 * ledger is whole, and then become products, subject by subject.
 */

struct pcr_find_params {
	const struct pcr_pairs *pairs;
	const struct queries *queries;	/* their primers */
	/* What the hits must be of. */
	const char *k;		/* NULL: as many differences as the stream's */
	bool no_indels;		/* a stream may also be so without it */
	int64_t exact_suffix;
	/* What is a product: pcr.h. */
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
/* head: of each sequence so many letters are kept, for circles. */
int pcr_letters_new(struct pcr_letters **l, const struct scan_run *r,
		    uint64_t head, struct err *e);
void pcr_letters_free(struct pcr_letters *l);	/* may be NULL */
/*
 * Letters [beg, end) of a sequence; valid until the next call.  Not before
 * those asked for already: sequences ascend, and so do begins of one.
 */
int pcr_letters_get(struct pcr_letters *l, uint64_t ordinal, uint64_t beg,
		    uint64_t end, struct str *to, struct err *e);
/* The same over the origin of a circle of n letters: beg < n < end, and no more
 * behind the origin than the head has. */
int pcr_letters_around(struct pcr_letters *l, uint64_t ordinal, uint64_t beg,
		       uint64_t end, uint64_t n, struct str *to,
		       struct err *e);

/* Sites of a circular subject that come again, one turn further on. */
struct pcr_circle {
	uint64_t n;		/* its letters; 0: the subject is linear */
	uint64_t from;		/* where its first letter is */
	uint64_t reach;		/* so far are sites wanted the last time */
	struct buf site, ops;	/* struct pcr_site; CIGARs one by one */
	/* 1; 2: inner products are those of the second turn */
	unsigned turns;
	struct pcr_again {
		size_t at, ops_at;	/* those before it came */
	} again[2];		/* of the turns after the first */
};
void pcr_circle_begin(struct pcr_circle *c, struct pcr_join *j, uint64_t from,
		      uint64_t n, unsigned turns);
/* As pcr_join_site(), of places from `from` on; and those that it is now the
 * turn of, which were kept. */
int pcr_circle_site(struct pcr_circle *c, struct pcr_join *j,
		    const struct pcr_site *s, const uint32_t *ops,
		    struct err *e);
/* As pcr_join_end(). */
int pcr_circle_end(struct pcr_circle *c, struct pcr_join *j, struct err *e);
void pcr_circle_free(struct pcr_circle *c);

/* Products of a circular subject as BED, which has two intervals for one over
 * the origin: they wait until all are known. */
struct pcr_beds {
	struct pcr_bed {
		uint64_t beg, end, edits;
		size_t pair;
		uint32_t f, r;
		bool minus;
	} *v;
	size_t n, cap;
};
int pcr_beds_add(struct pcr_beds *b, const struct pcr_product *x,
		 const struct pcr_circle *c, struct err *e);
/* In the order of begins. */
void pcr_beds_sort(struct pcr_beds *b);

/* All that other folders may use of scan/pcr/. */


#endif
